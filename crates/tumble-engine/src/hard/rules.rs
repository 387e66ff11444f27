//! Who collides with whom by which rule, and what a collision does to the grains of a run.

use super::collision_rule::{
    CollidingBall, CollidingBody, CollisionRule, Impulse, Moving, Restitution, collide, collide_balls,
};
use crate::integrator::rotation::Moments;
use crate::model::{MaterialIndex, Model, RestitutionModel};
use crate::{InteractionProperties, Particles};
use glam::{DMat3, DVec3};
use tumble_geometry::Shape;

/// The rules of all pairs of materials.
#[derive(Clone, Debug)]
pub(crate) struct CollisionRules {
    rules: Vec<CollisionRule>,
    n_materials: usize,
}

impl CollisionRules {
    pub fn new(model: &Model) -> CollisionRules {
        let rule = |properties: &InteractionProperties| CollisionRule {
            restitution: match model.hard.restitution {
                // Elastic bodies are elastic at any speed.
                _ if properties.restitution == 1.0 => Restitution::Constant(1.0),
                RestitutionModel::Constant => Restitution::Constant(properties.restitution),
                RestitutionModel::PowerLaw { speed, exponent } => {
                    Restitution::PowerLaw { restitution: properties.restitution, speed, exponent }
                }
                RestitutionModel::Viscoelastic { speed } => Restitution::viscoelastic(properties.restitution, speed),
            },
            tangential_restitution: properties.tangential_restitution,
            friction: properties.friction,
        };
        CollisionRules { rules: model.interactions.iter().map(rule).collect(), n_materials: model.materials.len() }
    }

    /// The rules of materials a and b, at `a * n_materials + b`.
    pub fn all(&self) -> &[CollisionRule] {
        &self.rules
    }

    #[inline]
    pub fn get(&self, a: MaterialIndex, b: MaterialIndex) -> &CollisionRule {
        &self.rules[a as usize * self.n_materials + b as usize]
    }
}

/// Two grains where they meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairMeeting {
    /// Unit normal, from a to b.
    pub normal: DVec3,
    /// From the centres to the contact point [m].
    pub arms: [DVec3; 2],
    /// Velocity of b's image beside that of b [m/s].
    pub image_velocity: DVec3,
}

/// Lets two grains collide; `None` if they do not approach.
pub(crate) fn collide_grains(
    model: &Model,
    rule: &CollisionRule,
    particles: &mut Particles,
    [a, b]: [usize; 2],
    meeting: &PairMeeting,
) -> Option<Impulse> {
    let PairMeeting { normal, arms: [arm_a, arm_b], image_velocity } = *meeting;
    if let (Some(mut ball_a), Some(mut ball_b)) = (ball(model, particles, a), ball(model, particles, b)) {
        (ball_a.radius, ball_b.radius) = (arm_a.dot(normal), -arm_b.dot(normal));
        ball_b.velocity += image_velocity;
        let collision = collide_balls(rule, normal, &ball_a, &ball_b)?;
        let [after_a, mut after_b] = collision.after;
        after_b.velocity -= image_velocity;
        set_motion(model, particles, a, &after_a);
        set_motion(model, particles, b, &after_b);
        return Some(collision.impulse);
    }
    let (body_a, mut body_b) = (body(model, particles, a, arm_a), body(model, particles, b, arm_b));
    body_b.velocity += image_velocity;
    let impulse = collide(rule, normal, &body_a, &body_b)?.impulse;
    push(model, particles, a, arm_a, impulse.on_a);
    push(model, particles, b, arm_b, -impulse.on_a);
    Some(impulse)
}

/// Lets a grain collide with a wall whose material moves at a velocity where they meet; the normal points into the wall. `None` if
/// they do not approach.
pub(crate) fn collide_with_wall(
    model: &Model,
    rule: &CollisionRule,
    particles: &mut Particles,
    grain: usize,
    normal: DVec3,
    arm: DVec3,
    wall_velocity: DVec3,
) -> Option<Impulse> {
    if let Some(mut ball) = ball(model, particles, grain) {
        ball.radius = arm.dot(normal);
        let wall = CollidingBall {
            velocity: wall_velocity,
            angular_velocity: DVec3::ZERO,
            per_mass: 0.0,
            per_inertia: 0.0,
            radius: 0.0,
        };
        let collision = collide_balls(rule, normal, &ball, &wall)?;
        set_motion(model, particles, grain, &collision.after[0]);
        return Some(collision.impulse);
    }
    let impulse =
        collide(rule, normal, &body(model, particles, grain, arm), &CollidingBody::wall(wall_velocity))?.impulse;
    push(model, particles, grain, arm, impulse.on_a);
    Some(impulse)
}

/// The moment of inertia of a sphere or disc [kg m^2]; `None` for what is neither.
#[inline]
pub(super) fn moment_of_ball(model: &Model, particles: &Particles, grain: usize) -> Option<f64> {
    let species = particles.species[grain];
    match &model.species[species as usize].shape {
        Shape::Sphere(_) => Some(particles.inertia[grain]),
        // A disc turns about z alone.
        Shape::Disc(_) => Some(model.moments(species, particles.scale[grain]).about_axes().z),
        _ => None,
    }
}

/// A sphere or disc as a collision sees it, with no radius yet; `None` for what is neither.
#[inline]
fn ball(model: &Model, particles: &Particles, grain: usize) -> Option<CollidingBall> {
    let moment = moment_of_ball(model, particles, grain)?;
    Some(CollidingBall {
        velocity: particles.velocity[grain],
        angular_velocity: particles.angular_velocity[grain],
        per_mass: 1.0 / particles.mass[grain],
        per_inertia: 1.0 / moment,
        radius: 0.0,
    })
}

fn body(model: &Model, particles: &Particles, grain: usize, arm: DVec3) -> CollidingBody {
    let moments = moments(model, particles, grain).about_axes();
    let per_inertia = if model.planar {
        DMat3::from_diagonal(DVec3::Z / moments.z)
    } else {
        let turn = DMat3::from_quat(particles.orientation[grain]);
        turn * DMat3::from_diagonal(moments.recip()) * turn.transpose()
    };
    CollidingBody {
        velocity: particles.velocity[grain],
        angular_velocity: particles.angular_velocity[grain],
        per_mass: 1.0 / particles.mass[grain],
        per_inertia,
        arm,
    }
}

fn moments(model: &Model, particles: &Particles, grain: usize) -> Moments {
    let inertia = particles.inertia[grain];
    if inertia > 0.0 {
        Moments::Isotropic(inertia)
    } else {
        model.moments(particles.species[grain], particles.scale[grain])
    }
}

/// Gives a grain a velocity and a spin.
#[inline]
pub(super) fn set_motion(model: &Model, particles: &mut Particles, grain: usize, motion: &Moving) {
    particles.velocity[grain] = motion.velocity;
    particles.angular_velocity[grain] = motion.angular_velocity;
    if model.planar {
        particles.velocity[grain].z = 0.0;
        particles.angular_velocity[grain] = DVec3::Z * motion.angular_velocity.z;
    }
    if particles.inertia[grain] == 0.0 {
        let moments = moments(model, particles, grain);
        particles.angular_momentum[grain] =
            moments.angular_momentum(particles.orientation[grain], particles.angular_velocity[grain]);
    }
}

/// Pushes a grain at a point [N s]: what it keeps is its angular momentum, from which the spin follows.
fn push(model: &Model, particles: &mut Particles, grain: usize, arm: DVec3, impulse: DVec3) {
    particles.velocity[grain] += impulse / particles.mass[grain];
    let twist = arm.cross(impulse);
    match moments(model, particles, grain) {
        Moments::Isotropic(inertia) if particles.inertia[grain] > 0.0 => {
            particles.angular_velocity[grain] += twist / inertia;
        }
        moments => {
            particles.angular_momentum[grain] += twist;
            if model.planar {
                particles.angular_momentum[grain] *= DVec3::Z;
            }
            particles.angular_velocity[grain] =
                moments.angular_velocity(particles.orientation[grain], particles.angular_momentum[grain]);
        }
    }
    if model.planar {
        particles.velocity[grain].z = 0.0;
        particles.angular_velocity[grain] *= DVec3::Z;
    }
}
