//! The energy ledger: what is there, what was lost, what came in and went out, and what is left unexplained.
//!
//!   residual = (E + losses + removed - E_0 - inserted - wall work - changed) / scale
//!
//! where E is kinetic (translation and rotation), potential in gravity, and elastic energy, and the scale is the
//! largest amount that was in play: kinetic and elastic energy, losses, and work. The potential is measured from the
//! origin and does not enter the scale.

use crate::boundary::periodic::unwrapped;
use crate::boundary::wall::Wall;
use crate::model::Model;
use crate::state::{Ledger, State, WallState};
use glam::DVec3;
use std::ops::AddAssign;

/// Energy in the run at one moment [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Kinetic energy of translation, of grains and of walls that are free.
    pub translation: f64,
    /// Kinetic energy of rotation.
    pub rotation: f64,
    /// Potential energy in gravity, zero at the origin; of walls that are free, where their motion began.
    pub potential: f64,
    /// In the springs of the contacts.
    pub elastic: ElasticEnergy,
}

/// Energy in springs [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElasticEnergy {
    /// In normal springs.
    pub normal: f64,
    /// In friction springs.
    pub tangential: f64,
    /// In rolling springs.
    pub rolling: f64,
}

impl ElasticEnergy {
    /// All of it [J].
    pub fn total(&self) -> f64 {
        self.normal + self.tangential + self.rolling
    }
}

impl AddAssign for ElasticEnergy {
    fn add_assign(&mut self, other: ElasticEnergy) {
        self.normal += other.normal;
        self.tangential += other.tangential;
        self.rolling += other.rolling;
    }
}

/// The walls that grains and gravity push, each group once, with the directions of their lines and their masses [kg].
pub(crate) fn free_walls<'a>(
    model: &'a Model,
    state: &'a State,
) -> impl Iterator<Item = (&'a WallState, DVec3, f64)> + use<'a> {
    let free = |(index, (wall, now)): (usize, (&Wall, &'a WallState))| {
        let (direction, mass) = wall.motion.free().filter(|_| wall.leads(index))?;
        Some((now, direction, mass))
    };
    model.walls.iter().zip(&state.walls).enumerate().filter_map(free)
}

impl Energies {
    /// Reads the energies off a state whose contacts hold a known elastic energy.
    pub fn of(model: &Model, state: &State, elastic: ElasticEnergy) -> Energies {
        let p = &state.particles;
        let gravity = model.gravity_at(state);
        let mut e = Energies { elastic, ..Energies::default() };
        for i in 0..p.len() {
            e.translation += 0.5 * p.mass[i] * p.velocity[i].length_squared();
            e.rotation += p.rotation_energy(i);
            e.potential -= p.mass[i] * gravity.dot(unwrapped(&model.domain, p.position[i], p.image[i]));
        }
        for (wall, direction, mass) in free_walls(model, state) {
            e.translation += 0.5 * mass * wall.travel_speed * wall.travel_speed;
            e.potential -= mass * gravity.dot(direction) * wall.travel;
        }
        e
    }

    /// Kinetic energy [J].
    pub fn kinetic(&self) -> f64 {
        self.translation + self.rotation
    }

    /// All of it [J].
    pub fn total(&self) -> f64 {
        self.kinetic() + self.potential + self.elastic.total()
    }
}

impl Ledger {
    /// All that was lost inside the run [J].
    pub fn lost(&self) -> f64 {
        self.normal_dashpot
            + self.tangential_dashpot
            + self.slip
            + self.rolling
            + self.contact_end
            + self.stiffness_change
            + self.drag
    }

    /// What the books do not explain, in joules.
    pub fn imbalance(&self, now: &Energies) -> f64 {
        now.total() + self.lost() + self.removed - self.initial - self.inserted - self.wall_work - self.changed
    }

    /// What was in play so far, from what is there now [J]: kinetic and elastic energy, losses, and work. Potential
    /// energy has no natural zero and shows in the others as soon as it is turned into something.
    pub fn in_play(&self, now: &Energies) -> f64 {
        now.kinetic() + now.elastic.total() + self.lost().max(0.0) + self.wall_work.abs()
    }

    /// What the books do not explain, over what was in play at most [1].
    pub fn residual(&self, now: &Energies) -> f64 {
        let scale = self.scale.max(self.in_play(now));
        if scale > 0.0 { self.imbalance(now).abs() / scale } else { 0.0 }
    }
}
