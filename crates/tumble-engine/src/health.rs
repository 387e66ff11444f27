//! Signs that a run has become unstable.

use crate::boundary::periodic::nearest_image;
use crate::contacts::{DeepContact, Unsettled};
use crate::error::{EngineError, UnsettledPair};
use crate::model::TimeStep;
use crate::observe::{Energies, Partner};
use crate::{Model, State};
use glam::DVec3;
use tumble_geometry::{Pose, Shape};

/// Looks at every grain, and at a contact of the last step that is too deep. Returns the kinetic energy [J].
pub(crate) fn check(model: &Model, state: &State, deep: Option<DeepContact>) -> Result<f64, EngineError> {
    let (p, limits) = (&state.particles, &model.limits);
    let mut kinetic = 0.0;
    for i in 0..p.len() {
        let speed = p.velocity[i].length();
        if !(speed.is_finite() && p.position[i].is_finite() && p.angular_velocity[i].is_finite()) {
            return Err(unstable(
                model,
                state,
                &format!("grain {} has a place or velocity that is not a number", p.id[i]),
                "",
            ));
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
            (speed + tip, 0.5 * species.smallest_width * p.scale[i], "half its smallest width")
        };
        let travel = fastest * state.time_step / half_width;
        if travel > limits.travel {
            let what = format!(
                "grain {} moves at {fastest:.3e} m/s, {travel:.2} of {length} in one step (limit {})",
                p.id[i], limits.travel
            );
            return Err(unstable(model, state, &what, ""));
        }
        kinetic += p.kinetic_energy(i);
    }
    if let Some(deep) = deep {
        let partner = match deep.partner {
            Partner::Particle(b) => format!("grain {}", p.id[b]),
            Partner::Wall(w) => format!("wall {}", model.walls[w].name),
        };
        let what = format!(
            "grain {} and {partner} overlap by {:.2} of the smaller radius (limit {})",
            p.id[deep.a], deep.relative_overlap, limits.overlap
        );
        return Err(unstable(model, state, &what, ", or make the contact stiffer (Young's modulus or stiffness)"));
    }
    Ok(kinetic)
}

/// Looks whether energy came from nowhere.
pub(crate) fn check_energy(model: &Model, state: &State, energies: &Energies) -> Result<(), EngineError> {
    let ledger = &state.ledger;
    let gained = ledger.imbalance(energies);
    let scale = ledger.scale.max(ledger.in_play(energies));
    if gained > model.limits.energy * scale {
        let what = format!(
            "the run has {gained:.3e} J more energy than it should, {:.0} % of what was in play (limit {:.0} %)",
            100.0 * gained / scale,
            100.0 * model.limits.energy
        );
        return Err(unstable(model, state, &what, ""));
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

fn unstable(model: &Model, state: &State, what: &str, more: &str) -> EngineError {
    let advice = match model.time_step {
        TimeStep::Fixed(_) => "Use a shorter time step (step = \"auto\" chooses one)",
        TimeStep::Automatic { .. } => "Lower the safety factor of the time step, or raise its expected speed",
    };
    EngineError::Unstable { step: state.step, time: state.time, what: format!("{what}. {advice}{more}.") }
}
