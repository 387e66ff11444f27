//! Why a run went wrong: its step, a stiffness, or a law that is known to make energy.
//!
//! A step is too long for a contact that it does not follow: one that lasts pi sqrt(m / k), at its mass and present stiffness,
//! for fewer than [`STEPS_THAT_FOLLOW`] steps. (Velocity Verlet is unstable from 2 / pi of that time on for a single contact,
//! and for grains with many contacts from a quarter of it.) If the step is short enough, energy comes from a law that makes some for
//! the shapes at hand, and what is too deep is too soft.

use super::Patient;
use crate::law::{Faces, LawKind, MindlinTangential, VolumeExponent};
use crate::model::{Model, TimeStep};
use crate::observe::overlap::{Between, NOTICEABLE, Overlap};
use crate::observe::{ElasticEnergy, Energies, Partner};
use crate::time_step;
use std::f64::consts::PI;
use tumble_geometry::Shape;

/// A contact that lasts for fewer steps is not followed: its energy is off by per cents.
const STEPS_THAT_FOLLOW: f64 = 8.0;
/// Energy from nowhere, over what was in play, from which on a law is asked for it [1].
const NOTICEABLE_GAIN: f64 = 0.01;
/// What is deeper than this many times what is noticeable is too soft for its load.
const FAR_TOO_DEEP: f64 = 4.0;

/// What made a run unstable.
#[derive(Clone, Debug)]
pub(super) enum Cause {
    /// The step, for a contact that lasts so long [s].
    Step { between: Between, duration: f64 },
    /// A law that makes energy, in words; and how many steps contacts last at least, if there are any that tell.
    Law { n_steps: Option<f64>, why: String },
    /// A contact that is too soft for its load, as deep as this [1].
    Stiffness { n_steps: f64, between: Between, ratio: f64 },
    /// None of these: grains are too fast for the step, if anything.
    Speed,
}

impl Cause {
    /// Looks at all contacts for it.
    pub(super) fn of(patient: &Patient) -> Cause {
        let Patient { model, state, table, visit } = *patient;
        let p = &state.particles;
        // The lightest that a grain of each kind can be at a contact, over its mass.
        let lever = |s: usize| {
            let radius = model.species[s].shape.bounding_radius();
            time_step::contact_mass(model, s, radius) / time_step::mass(model, s, radius)
        };
        let levers: Vec<f64> = (0..model.species.len()).map(lever).collect();
        let mut shortest: Option<(f64, Between)> = None;
        let mut deepest: Option<(f64, Between)> = None;
        let mut elastic = ElasticEnergy::default();
        visit(&mut |contact, energy| {
            elastic += energy;
            let overlap = Overlap::of(model, state, contact);
            let mobility = |i: usize| 1.0 / (p.mass[i] * levers[p.species[i] as usize]);
            let radius = |i: usize| time_step::contact_radius(model, p.species[i] as usize, p.radius[i]);
            let material = |i: usize| model.species[p.species[i] as usize].material;
            let a = contact.a;
            let (mobility, radius, other) = match contact.partner {
                Partner::Particle(b) => {
                    (mobility(a) + mobility(b), radius(a) * radius(b) / (radius(a) + radius(b)), material(b))
                }
                Partner::Wall(wall) => (mobility(a), radius(a), model.walls[wall].material),
            };
            let stiffness = match model.law.kind {
                LawKind::Linear { normal_stiffness, .. } => normal_stiffness,
                LawKind::HertzMindlin { .. } => {
                    1.5 * table.get(material(a), other).normal_stiffness * (radius * contact.overlap).sqrt()
                }
                LawKind::Volume { .. } | LawKind::Pressure { .. } => {
                    contact.force.dot(contact.normal).abs() / contact.overlap
                }
            };
            let duration = PI / (stiffness * mobility).sqrt();
            if shortest.is_none_or(|(least, _)| duration < least) {
                shortest = Some((duration, overlap.between));
            }
            if deepest.is_none_or(|(most, _)| overlap.ratio > most) {
                deepest = Some((overlap.ratio, overlap.between));
            }
        });
        let energies = Energies::of(model, state, elastic);
        let scale = state.ledger.scale.max(state.ledger.in_play(&energies));
        let has_gained = state.ledger.imbalance(&energies) > NOTICEABLE_GAIN * scale;
        let why = known_to_make_energy(model).filter(|_| has_gained);
        // What has made energy may have flown apart since.
        let (Some((duration, between)), Some((ratio, deepest))) = (shortest, deepest) else {
            return why.map_or(Cause::Speed, |why| Cause::Law { n_steps: None, why });
        };
        let n_steps = duration / state.time_step;
        if n_steps < STEPS_THAT_FOLLOW {
            // A published method finds depths that no body reached, and under the law of Hertz they are as stiff as no step was chosen for.
            let is_chosen = !matches!(model.time_step, TimeStep::Fixed(_));
            return match why {
                Some(why) if is_chosen && is_by_published_method(model) => Cause::Law { n_steps: None, why },
                _ => Cause::Step { between, duration },
            };
        }
        match why {
            Some(why) => Cause::Law { n_steps: Some(n_steps), why },
            None if ratio > FAR_TOO_DEEP * NOTICEABLE => Cause::Stiffness { n_steps, between: deepest, ratio },
            None => Cause::Speed,
        }
    }

    /// What it is and what to do, without the last full stop.
    pub(super) fn in_words(&self, model: &Model, time_step: f64) -> String {
        let is_fixed = matches!(model.time_step, TimeStep::Fixed(_));
        let shorter = if is_fixed {
            "Use a shorter time step (step = \"auto\" chooses one)"
        } else {
            "Lower the safety factor of the time step, or raise its expected speed"
        };
        match self {
            Cause::Step { between, duration } => format!(
                "The step of {time_step:.2e} s is too long: the contact of {} lasts {duration:.2e} s, {:.1} steps, and wants 20 or \
                 more. {shorter}",
                between.in_words(model),
                duration / time_step
            ),
            Cause::Law { n_steps: Some(n_steps), why } => {
                format!("The step is not to blame, contacts last {n_steps:.0} steps or more: {why}")
            }
            Cause::Law { n_steps: None, why } => format!("The law is to blame: {why}"),
            Cause::Stiffness { n_steps, between, ratio } => format!(
                "The step is not to blame, contacts last {n_steps:.0} steps or more, but the contact of {} is too soft for its load: {}",
                between.in_words(model),
                between.stiffer(model, ratio / NOTICEABLE)
            ),
            Cause::Speed => shorter.to_owned(),
        }
    }
}

/// The first species with such a shape, by its name.
fn first_that(model: &Model, is: impl Fn(&Shape) -> bool) -> Option<&str> {
    model.species.iter().find(|species| is(&species.shape)).map(|species| species.name.as_str())
}

/// Whether a published method finds contacts of a shape with a grain of the model.
fn is_served(model: &Model, shape: &Shape) -> bool {
    let method = model.law.contact_method;
    let meets = |part: &Shape, other: &Shape| other.parts().any(|(other, _)| method.serves(part.kind(), other.kind()));
    !model.law.kind.goes_by_region()
        && shape.parts().any(|(part, _)| model.species.iter().any(|species| meets(part, &species.shape)))
}

fn is_by_published_method(model: &Model) -> bool {
    first_that(model, |shape| is_served(model, shape)).is_some()
}

/// Which part of a model's law is known to make energy for its shapes, and what to take instead; `None` if none is.
fn known_to_make_energy(model: &Model) -> Option<String> {
    match model.law.kind {
        LawKind::Volume { exponent: VolumeExponent::One, .. } => {
            let name = first_that(model, |shape| time_step::lies_flat(model, shape))?;
            Some(format!(
                "with the exponent 1 of the volume law the force on faces, as those of {name}, jumps at first touch and feeds what \
                 rests on them. Take the exponent 1.5 or 2"
            ))
        }
        LawKind::Volume { .. } | LawKind::Pressure { .. } => None,
        LawKind::Linear { .. } | LawKind::HertzMindlin { .. } => {
            if let Some(name) = first_that(model, |shape| is_served(model, shape)) {
                return Some(format!(
                    "the published contact method \"{}\" makes and loses energy where bodies as {name} meet, at any step. Take \
                     contact_method = \"exact\", or raise limits.energy to see it through",
                    model.law.contact_method.name()
                ));
            }
            if let Some(name) = first_that(model, |shape| time_step::lies_flat(model, shape)) {
                let what = match model.law.acting_faces() {
                    Faces::SubContacts { .. } => format!(
                        "with law.faces = \"sub-contacts\" the force of faces, as those of {name}, jumps where others come to look at \
                         each other"
                    ),
                    Faces::MeanDepth | Faces::DeepestPoint { .. } => format!(
                        "with law.faces = \"deepest-point\" the contact point of faces that lie flat, as those of {name}, jumps from \
                         edge to edge"
                    ),
                };
                return Some(format!(
                    "{what}, and each jump makes or loses energy. Take \"mean-depth\", which is the default"
                ));
            }
            let incremental =
                matches!(model.law.kind, LawKind::HertzMindlin { tangential: MindlinTangential::Incremental, .. });
            incremental.then(|| {
                "friction springs that keep their force while contacts unload make energy. Take the rescaled ones, tangential = \
                 \"rescaled\""
                    .to_owned()
            })
        }
    }
}
