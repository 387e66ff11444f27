//! Velocity Verlet in the kick-drift-kick form: half a kick, a drift, new forces, half a kick.
//!
//!   v += (dt/2) (F/m + g - drag v);   x += dt v;   turn;   ...forces...;   v += (dt/2) (F/m + g - drag v)
//!
//! Rotation goes the same way. A grain with the same moment of inertia about every axis keeps its angular velocity, kicked
//! by T/I; any other keeps its angular momentum in the world frame, kicked by T, and turns by [`rotation::Moments::drift`].
//! Forces that depend on velocity see the half-step velocity.

pub mod rotation;

use crate::State;
use crate::contacts::{Body, LARGEST_BLOCK, block_size};
use crate::model::{Model, SpeciesIndex};
use glam::{DQuat, DVec3};
use rayon::prelude::*;
use rotation::Moments;
use tumble_geometry::Shape;
use tumble_geometry::lanes::{Instructions, Kernel, Lanes};

/// Half a kick and a drift for all grains; also moves the bodies of the contact loop, of which the first are the owned
/// grains. Returns the largest speed of a centre in each block [m/s] and the energy lost to drag [J].
pub fn kick_and_drift(
    model: &Model,
    state: &mut State,
    bodies: &mut [Body],
    dt: f64,
    instructions: Instructions,
) -> (Vec<f64>, f64) {
    let turns = model.turn_spheres || model.species.iter().any(|s| !matches!(s.shape, Shape::Sphere(_)));
    if turns {
        kick_and_drift_as::<true>(model, state, bodies, dt, instructions)
    } else {
        kick_and_drift_as::<false>(model, state, bodies, dt, instructions)
    }
}

/// The largest distance of a centre from its reference position [m].
pub fn farthest(state: &State) -> f64 {
    let reference = &state.solver.soft().reference.positions;
    let squares: Vec<f64> = (state.particles.position.par_chunks(LARGEST_BLOCK), reference.par_chunks(LARGEST_BLOCK))
        .into_par_iter()
        .map(|(positions, reference)| {
            let squares = positions.iter().zip(reference).map(|(x, from)| (x - from).length_squared());
            // A number that is not one is passed over here; the health check reports it.
            squares.fold(0.0, |farthest, square| largest(square, farthest))
        })
        .collect();
    squares.into_iter().fold(0.0, f64::max).sqrt()
}

/// `TURNS`: whether grains with equal moments turn.
fn kick_and_drift_as<const TURNS: bool>(
    model: &Model,
    state: &mut State,
    bodies: &mut [Body],
    dt: f64,
    instructions: Instructions,
) -> (Vec<f64>, f64) {
    let kick = Kick::new(model, model.gravity_at(state), dt, instructions);
    let particles = &mut state.particles;
    let n = particles.len();
    let block = block_size(model, n);
    let (mass, inertia) = (particles.mass.par_chunks(block), particles.inertia.par_chunks(block));
    let (force, torque) = (particles.force.par_chunks(block), particles.torque.par_chunks(block));
    let momentum = particles.angular_momentum.par_chunks_mut(block);
    let (species, scale) = (particles.species.par_chunks(block), particles.scale.par_chunks(block));
    let results: Vec<(f64, f64)> = (
        particles.position.par_chunks_mut(block),
        particles.velocity.par_chunks_mut(block),
        particles.orientation.par_chunks_mut(block),
        particles.angular_velocity.par_chunks_mut(block),
        bodies[..n].par_chunks_mut(block),
        (mass, inertia, force, torque),
        (momentum, species, scale),
    )
        .into_par_iter()
        .map(|(position, velocity, orientation, spin, bodies, constants, shaped)| {
            let ((mass, inertia, force, torque), (momentum, species, scale)) = (constants, shaped);
            instructions.run(KickAndDrift::<TURNS> {
                kick: &kick,
                dt,
                position,
                velocity,
                orientation,
                spin,
                bodies,
                mass,
                inertia,
                force,
                torque,
                momentum,
                species,
                scale,
            })
        })
        .collect();
    let lost = results.iter().map(|(_, lost)| lost).sum();
    (results.into_iter().map(|(square, _)| square.sqrt()).collect(), lost)
}

/// The larger of two numbers; the second where the first is none.
#[inline(always)]
fn largest(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Half a kick and a drift for the grains of a block. `TURNS`: whether grains with equal moments turn.
struct KickAndDrift<'a, const TURNS: bool> {
    kick: &'a Kick<'a>,
    dt: f64,
    position: &'a mut [DVec3],
    velocity: &'a mut [DVec3],
    orientation: &'a mut [DQuat],
    spin: &'a mut [DVec3],
    bodies: &'a mut [Body],
    mass: &'a [f64],
    inertia: &'a [f64],
    force: &'a [DVec3],
    torque: &'a [DVec3],
    momentum: &'a mut [DVec3],
    species: &'a [SpeciesIndex],
    scale: &'a [f64],
}

// One grain at a time: it is a kernel for the sake of the instructions, which the compiler chooses.
impl<const TURNS: bool> Kernel for KickAndDrift<'_, TURNS> {
    /// The largest squared speed, and what is lost to drag.
    type Output = (f64, f64);
    #[inline(always)]
    fn run<L: Lanes>(self) -> (f64, f64) {
        let KickAndDrift { kick, dt, position, .. } = self;
        let n = position.len();
        // One length for all, so that the loop needs no further bounds checks.
        let (velocity, orientation) = (&mut self.velocity[..n], &mut self.orientation[..n]);
        let (spin, momentum, bodies) = (&mut self.spin[..n], &mut self.momentum[..n], &mut self.bodies[..n]);
        let (mass, inertia, force, torque) = (&self.mass[..n], &self.inertia[..n], &self.force[..n], &self.torque[..n]);
        let (species, scale) = (&self.species[..n], &self.scale[..n]);
        let (mut fastest_squared, mut lost) = (0.0, 0.0);
        for i in 0..n {
            let v = kick.velocity(velocity[i], force[i], mass[i], &mut lost);
            let x = position[i] + v * dt;
            velocity[i] = v;
            position[i] = x;
            if inertia[i] > 0.0 {
                spin[i] = kick.spin(spin[i], torque[i], inertia[i], &mut lost);
                if TURNS {
                    orientation[i] = turned(orientation[i], spin[i] * dt);
                }
            } else {
                let turned = kick.shaped(species[i], scale[i], momentum[i], torque[i], orientation[i], dt);
                (momentum[i], orientation[i], spin[i]) = (turned.momentum, turned.orientation, turned.spin);
                lost += turned.lost;
            }
            // A number that is not one is passed over here; the health check reports it.
            fastest_squared = largest(v.length_squared(), fastest_squared);
            bodies[i].set(x, v, spin[i]);
        }
        (fastest_squared, lost)
    }
}

/// The second half of the kick. Returns the energy lost to drag [J].
pub fn kick(model: &Model, state: &mut State, dt: f64, instructions: Instructions) -> f64 {
    let kick = Kick::new(model, model.gravity_at(state), dt, instructions);
    let particles = &mut state.particles;
    let block = block_size(model, particles.len());
    let results: Vec<f64> = (
        particles.velocity.par_chunks_mut(block),
        particles.angular_velocity.par_chunks_mut(block),
        particles.mass.par_chunks(block),
        particles.inertia.par_chunks(block),
        particles.force.par_chunks(block),
        particles.torque.par_chunks(block),
        particles.angular_momentum.par_chunks_mut(block),
        (
            particles.species.par_chunks(block),
            particles.scale.par_chunks(block),
            particles.orientation.par_chunks(block),
        ),
    )
        .into_par_iter()
        .map(|(velocity, spin, mass, inertia, force, torque, momentum, (species, scale, orientation))| {
            instructions.run(SecondKick {
                kick: &kick,
                velocity,
                spin,
                mass,
                inertia,
                force,
                torque,
                momentum,
                species,
                scale,
                orientation,
            })
        })
        .collect();
    results.into_iter().sum()
}

/// The second half of the kick for the grains of a block.
struct SecondKick<'a> {
    kick: &'a Kick<'a>,
    velocity: &'a mut [DVec3],
    spin: &'a mut [DVec3],
    mass: &'a [f64],
    inertia: &'a [f64],
    force: &'a [DVec3],
    torque: &'a [DVec3],
    momentum: &'a mut [DVec3],
    species: &'a [SpeciesIndex],
    scale: &'a [f64],
    orientation: &'a [DQuat],
}

impl Kernel for SecondKick<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let SecondKick { kick, velocity, .. } = self;
        let n = velocity.len();
        let (spin, mass, inertia) = (&mut self.spin[..n], &self.mass[..n], &self.inertia[..n]);
        let (force, torque, momentum) = (&self.force[..n], &self.torque[..n], &mut self.momentum[..n]);
        let (species, scale, orientation) = (&self.species[..n], &self.scale[..n], &self.orientation[..n]);
        let mut lost = 0.0;
        for i in 0..n {
            velocity[i] = kick.velocity(velocity[i], force[i], mass[i], &mut lost);
            if inertia[i] > 0.0 {
                spin[i] = kick.spin(spin[i], torque[i], inertia[i], &mut lost);
            } else {
                let turned = kick.shaped(species[i], scale[i], momentum[i], torque[i], orientation[i], 0.0);
                (momentum[i], spin[i]) = (turned.momentum, turned.spin);
                lost += turned.lost;
            }
        }
        lost
    }
}

/// Half a kick. Each part adds the work of the drag's impulse, with the mean of old and new velocity, to `lost`.
struct Kick<'a> {
    model: &'a Model,
    instructions: Instructions,
    half: f64,
    gravity: DVec3,
    drag: f64,
    /// Of each species at scale 1, which most grains have.
    moments: Vec<Moments>,
}

impl Kick<'_> {
    fn new(model: &Model, gravity: DVec3, dt: f64, instructions: Instructions) -> Kick<'_> {
        let moments = (0..model.species.len()).map(|species| model.moments(species as SpeciesIndex, 1.0)).collect();
        Kick { model, instructions, half: 0.5 * dt, gravity: gravity * (0.5 * dt), drag: model.drag, moments }
    }

    #[inline(always)]
    fn velocity(&self, velocity: DVec3, force: DVec3, mass: f64, lost: &mut f64) -> DVec3 {
        let mut v = velocity + force * (self.half / mass) + self.gravity;
        if self.drag > 0.0 {
            let rate = self.half * self.drag;
            v -= velocity * rate;
            *lost += 0.5 * rate * mass * velocity.dot(velocity + v);
        }
        v
    }

    #[inline(always)]
    fn spin(&self, spin: DVec3, torque: DVec3, inertia: f64, lost: &mut f64) -> DVec3 {
        let mut w = spin + torque * (self.half / inertia);
        if self.drag > 0.0 {
            let rate = self.half * self.drag;
            w -= spin * rate;
            *lost += 0.5 * rate * inertia * spin.dot(spin + w);
        }
        w
    }

    /// The same for a grain with unequal moments, which then turns freely for a time `dt`. Kept out of the loops, which are
    /// faster for spheres without it.
    #[inline(never)]
    fn shaped(
        &self,
        species: SpeciesIndex,
        scale: f64,
        momentum: DVec3,
        torque: DVec3,
        orientation: DQuat,
        dt: f64,
    ) -> Turned {
        let moments = match scale {
            1.0 => self.moments[species as usize],
            _ => self.model.moments(species, scale),
        };
        self.instructions.run(ShapedKick { kick: self, moments, momentum, torque, orientation, dt })
    }
}

/// Half a kick of one grain with unequal moments.
struct ShapedKick<'a> {
    kick: &'a Kick<'a>,
    moments: Moments,
    momentum: DVec3,
    torque: DVec3,
    orientation: DQuat,
    dt: f64,
}

impl Kernel for ShapedKick<'_> {
    type Output = Turned;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Turned {
        let ShapedKick { kick, moments, momentum, torque, orientation, dt } = self;
        let (mut l, mut lost) = (momentum + torque * kick.half, 0.0);
        if kick.drag > 0.0 {
            let rate = kick.half * kick.drag;
            l -= momentum * rate;
            lost = 0.5 * rate * momentum.dot(moments.angular_velocity(orientation, momentum + l));
        }
        let orientation = if dt > 0.0 { moments.drift(orientation, l, dt) } else { orientation };
        Turned { momentum: l, orientation, spin: moments.angular_velocity(orientation, l), lost }
    }
}

/// A grain with unequal moments after half a kick.
struct Turned {
    momentum: DVec3,
    orientation: DQuat,
    spin: DVec3,
    lost: f64,
}

/// An orientation after a turn by a rotation vector in the world frame.
#[inline(always)]
pub fn turned(orientation: DQuat, rotation: DVec3) -> DQuat {
    // exp(rotation / 2) = cos h + (sin h / h) rotation / 2, with h = |rotation| / 2. Steps turn a grain by far less than
    // a radian: the series to h^8 is exact to the last bit for h < 0.05.
    let h2 = 0.25 * rotation.length_squared();
    let (cosine, sine_ratio) = if h2 < 2.5e-3 {
        (
            1.0 - h2 * (1.0 / 2.0) * (1.0 - h2 * (1.0 / 12.0) * (1.0 - h2 * (1.0 / 30.0))),
            1.0 - h2 * (1.0 / 6.0) * (1.0 - h2 * (1.0 / 20.0) * (1.0 - h2 * (1.0 / 42.0))),
        )
    } else {
        let h = h2.sqrt();
        (h.cos(), h.sin() / h)
    };
    let v = rotation * (0.5 * sine_ratio);
    let q = orientation;
    let (x, y, z, w) = (
        cosine * q.x + v.x * q.w + v.y * q.z - v.z * q.y,
        cosine * q.y - v.x * q.z + v.y * q.w + v.z * q.x,
        cosine * q.z + v.x * q.y - v.y * q.x + v.z * q.w,
        cosine * q.w - v.x * q.x - v.y * q.y - v.z * q.z,
    );
    // The length is within rounding of 1, so one Newton step restores it.
    let scale = 1.5 - 0.5 * (x * x + y * y + z * z + w * w);
    DQuat::from_xyzw(x * scale, y * scale, z * scale, w * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_the_axis_angle_rotation() {
        let start = DQuat::from_xyzw(0.1, -0.5, 0.3, 0.8).normalize();
        for angle in [0.0, 1e-9, 1e-3, 0.09, 0.11, 1.0, 3.0] {
            let axis = DVec3::new(1.0, 2.0, -0.5).normalize();
            let expected = DQuat::from_axis_angle(axis, angle) * start;
            let got = turned(start, axis * angle);
            // Rounding of a dozen operations.
            assert!((got - expected).length() < 1e-15, "{angle}: {got} {expected}");
        }
    }

    #[test]
    fn a_million_turns_keep_unit_length() {
        let mut q = DQuat::from_xyzw(0.1, -0.5, 0.3, 0.8).normalize();
        for k in 0..1_000_000 {
            q = turned(q, DVec3::new(0.01, 0.02 * (k % 3) as f64, -0.005));
        }
        assert!((q.length() - 1.0).abs() < 1e-15);
    }
}
