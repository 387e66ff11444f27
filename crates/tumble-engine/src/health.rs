//! Signs that a run has become unstable, and what made it so.

mod cause;

use crate::boundary::periodic::nearest_image;
use crate::contacts::records::Visitor;
use crate::contacts::{DeepContact, Unsettled};
use crate::error::{EngineError, UnsettledPair};
use crate::law::LawTable;
use crate::observe::{Energies, Partner};
use crate::{Model, State};
use cause::Cause;
use glam::DVec3;
use tumble_geometry::{Pose, Shape};

/// A run as its last step left it.
pub(crate) struct Patient<'a> {
    pub(crate) model: &'a Model,
    pub(crate) state: &'a State,
    pub(crate) table: &'a LawTable,
    /// Shows its contacts.
    pub(crate) visit: &'a dyn Fn(&mut Visitor),
}

/// Looks at every grain, and at a contact of the last step that is too deep. Returns the kinetic energy [J].
pub(crate) fn check(patient: &Patient, deep: Option<DeepContact>) -> Result<f64, EngineError> {
    let (model, state) = (patient.model, patient.state);
    let (p, limits) = (&state.particles, &model.limits);
    let mut kinetic = 0.0;
    for i in 0..p.len() {
        let speed = p.velocity[i].length();
        if !(speed.is_finite() && p.position[i].is_finite() && p.angular_velocity[i].is_finite()) {
            return Err(patient.unstable(&format!("grain {} has a place or velocity that is not a number", p.id[i])));
        }
        let species = &model.species[p.species[i] as usize];
        let is_ball = species.shape.is_ball();
        // A sphere's spin brings its surface nowhere new.
        let (fastest, half_width, length) = if is_ball {
            (speed, p.radius[i], "its radius")
        } else {
            let spin = p.angular_velocity[i];
            // Nor does that of a body of revolution about its own axis, which is fast where a rod rolls.
            let turning = if species.shape.radius_about_axis().is_some() {
                spin.cross(p.orientation[i] * DVec3::Z).length()
            } else {
                spin.length()
            };
            let tip = turning * p.radius[i];
            (speed + tip, model.half_width(p, i), "half its smallest width")
        };
        let travel = fastest * state.time_step / half_width;
        if travel > limits.travel {
            let what = format!(
                "grain {} moves at {fastest:.3e} m/s, {travel:.2} of {length} in one step (limit {})",
                p.id[i], limits.travel
            );
            return Err(patient.unstable(&what));
        }
        kinetic += p.kinetic_energy(i);
    }
    if let Some(deep) = deep {
        let partner = match deep.partner {
            Partner::Particle(b) => format!("grain {}", p.id[b]),
            Partner::Wall(w) => format!("wall {}", model.walls[w].name),
        };
        let what = format!(
            "grain {} and {partner} overlap by {:.2} of the smallest half width (limit {})",
            p.id[deep.a], deep.relative_overlap, limits.overlap
        );
        return Err(patient.unstable(&what));
    }
    Ok(kinetic)
}

/// Looks whether energy came from nowhere.
pub(crate) fn check_energy(patient: &Patient, energies: &Energies) -> Result<(), EngineError> {
    let (model, ledger) = (patient.model, &patient.state.ledger);
    let gained = ledger.imbalance(energies);
    let scale = ledger.scale.max(ledger.in_play(energies));
    if gained > model.limits.energy * scale {
        let what = format!(
            "the run has {gained:.3e} J more energy than it should, {:.0} % of what was in play (limit {:.0} %)",
            100.0 * gained / scale,
            100.0 * model.limits.energy
        );
        return Err(patient.unstable(&what));
    }
    Ok(())
}

/// The error for a contact that was not found.
pub(crate) fn unsettled(model: &Model, state: &State, unsettled: &Unsettled) -> EngineError {
    let p = &state.particles;
    let place = |i: usize| Pose::new(p.position[i], p.orientation[i]);
    let shape = |i: usize| model.species[p.species[i] as usize].shape.scaled(p.scale[i]);
    let a = unsettled.a;
    let (what, pair) = match unsettled.partner {
        Partner::Particle(b) => {
            let offset = nearest_image(&model.domain, p.position[b] - p.position[a]);
            let pose_b = Pose::new(p.position[a] + offset, p.orientation[b]);
            let part = |shape: Shape, pose: Pose, part: u32| match &shape {
                Shape::Clump(clump) => {
                    let part = &clump.parts()[part as usize];
                    (part.shape.clone(), pose.compose(&part.pose))
                }
                _ => (shape, pose),
            };
            let (shape_a, pose_a) = part(shape(a), place(a), unsettled.parts[0]);
            let (shape_b, pose_b) = part(shape(b), pose_b, unsettled.parts[1]);
            let pair = UnsettledPair { shapes: [shape_a, shape_b], poses: [pose_a, pose_b] };
            (format!("grains {} and {}", p.id[a], p.id[b]), Some(Box::new(pair)))
        }
        Partner::Wall(w) => (format!("grain {} and wall {}", p.id[a], model.walls[w].name), None),
    };
    EngineError::Unsettled { step: state.step, time: state.time, what, bound: unsettled.bound, pair }
}

impl Patient<'_> {
    fn unstable(&self, what: &str) -> EngineError {
        let cause = Cause::of(self).in_words(self.model, self.state.time_step);
        EngineError::Unstable { step: self.state.step, time: self.state.time, what: format!("{what}. {cause}.") }
    }
}
