//! Contacts of grains with walls.
//!
//! A grain can touch one wall in several places. Each is known by its feature of the wall's surface; when a grain moves
//! on to a neighbouring feature, the memory moves with it.

use super::{Block, Body, Context, DeepContact, Parting, Scratch, Wrench, forget};
use crate::law::lanes::vector_row;
use crate::law::{Kinematics, Memory, evaluate};
use crate::model::{MaterialIndex, Model};
use crate::observe::Partner;
use crate::state::{History, WallState};
use glam::{DMat3, DVec3};
use tumble_geometry::{Pose, Surface, SurfaceContact};

/// A wall contact between two saves.
#[derive(Clone, Copy, Debug)]
pub(super) struct LiveWallContact {
    pub(super) particle: u32,
    pub(super) wall: u32,
    pub(super) feature: u32,
    pub(super) normal: DVec3,
    pub(super) history: History,
    pub(super) rolling_torque: DVec3,
}

/// A wall's pose, ready for many points.
pub(super) struct WallFrame<'a> {
    surface: &'a Surface,
    pub(super) material: MaterialIndex,
    state: &'a WallState,
    position: DVec3,
    to_local: DMat3,
    to_world: DMat3,
}

impl<'a> WallFrame<'a> {
    /// All walls where they are, or at other poses.
    pub(super) fn all(model: &'a Model, states: &'a [WallState], poses: Option<&[Pose]>) -> Vec<WallFrame<'a>> {
        model
            .walls
            .iter()
            .zip(states)
            .enumerate()
            .map(|(index, (wall, state))| {
                let pose = poses.map_or(state.pose, |poses| poses[index]);
                let to_world = DMat3::from_quat(pose.orientation);
                WallFrame {
                    surface: &wall.surface,
                    material: wall.material,
                    state,
                    position: pose.position,
                    to_local: to_world.transpose(),
                    to_world,
                }
            })
            .collect()
    }

    /// Whether a ball is within a distance of the wall.
    pub(super) fn is_near(&self, centre: DVec3, radius: f64, margin: f64, found: &mut Vec<SurfaceContact>) -> bool {
        found.clear();
        self.surface.contacts_with_sphere(self.to_local * (centre - self.position), radius, margin, found);
        !found.is_empty()
    }

    /// The places where a grain touches the wall, in world coordinates.
    pub(super) fn contacts(&self, body: &Body, found: &mut Vec<SurfaceContact>) {
        self.is_near(body.position(), body.radius(), 0.0, found);
        found.retain(|contact| contact.separation < 0.0);
        for contact in found {
            contact.normal = self.to_world * contact.normal;
            contact.point = self.to_world * contact.point + self.position;
        }
    }

    /// Kinematics of a contact, the contact point, and its distance from the grain's centre.
    pub(super) fn kinematics(&self, body: &Body, contact: &SurfaceContact) -> (Kinematics<f64>, DVec3, f64) {
        let overlap = -contact.separation;
        let arm = body.radius() - 0.5 * overlap;
        let normal = contact.normal;
        let point = body.position() + normal * arm;
        let swing = (body.angular_velocity() * arm).cross(normal);
        let kinematics = Kinematics {
            normal: normal.into(),
            overlap,
            relative_velocity: (body.velocity() + swing - self.state.velocity_at(point)).into(),
            relative_spin: (body.angular_velocity() - self.state.angular_velocity).into(),
            mean_twist: 0.5 * (body.angular_velocity() + self.state.angular_velocity).dot(normal),
            effective_mass: body.mass(),
            effective_radius: body.radius(),
        };
        (kinematics, point, arm)
    }
}

/// Normals of one wall that differ by less than this belong to one contact that moved to a neighbouring feature: a
/// grain that rolls from triangle to triangle keeps its friction spring. cos 45 degrees: less than the right angle
/// between two walls of a corner, more than the facets of any sensible tessellation.
const SAME_CONTACT: f64 = std::f64::consts::FRAC_1_SQRT_2;

#[inline(always)]
pub(super) fn evaluate_walls<const HERTZ: bool, const ROLLING: bool>(
    context: &Context,
    block: &mut Block,
    scratch: &mut Scratch,
    first: usize,
) {
    let Block { near_walls, wall_contacts, losses, n_contacts, wall_loads, deep, .. } = block;
    let Scratch { wrench, previous_wall_contacts, found, .. } = scratch;
    std::mem::swap(wall_contacts, previous_wall_contacts);
    wall_contacts.clear();
    wall_loads.clear();
    wall_loads.resize(context.walls.len(), (DVec3::ZERO, DVec3::ZERO));
    let mut previous = previous_wall_contacts.as_mut_slice();
    for &local in near_walls.iter() {
        let index = first + local as usize;
        let candidates =
            &context.wall_candidate[context.wall_start[index] as usize..context.wall_start[index + 1] as usize];
        let n_old = previous.iter().take_while(|c| c.particle == index as u32).count();
        let old = previous.split_off_mut(..n_old).unwrap_or_default();
        let body = &context.bodies[index];
        for &wall in candidates {
            let frame = &context.walls[wall as usize];
            frame.contacts(body, found);
            for contact in found.iter() {
                let (history, rolling_torque) = inherit(old, wall, contact, found);
                let coefficients = context.table.get(body.material(), frame.material);
                let (kinematics, point, arm) = frame.kinematics(body, contact);
                let response = evaluate::<f64, HERTZ, ROLLING>(
                    context.table,
                    coefficients,
                    &kinematics,
                    &Memory::of(&history, rolling_torque),
                    context.dt,
                    losses,
                );
                let (force, couple) = (DVec3::from(response.force), DVec3::from(response.couple));
                *n_contacts += 1;
                let torque = contact.normal.cross(force) * arm + couple;
                wrench[local as usize] += Wrench { force: vector_row(force), torque: vector_row(torque) };
                let load = &mut wall_loads[wall as usize];
                load.0 -= force;
                load.1 -= (point - frame.position).cross(force) + couple;
                if kinematics.overlap > context.overlap_limit * body.radius() && deep.is_none() {
                    *deep = Some(DeepContact {
                        a: index,
                        partner: Partner::Wall(wall as usize),
                        relative_overlap: kinematics.overlap / body.radius(),
                    });
                }
                wall_contacts.push(LiveWallContact {
                    particle: index as u32,
                    wall,
                    feature: contact.feature,
                    normal: contact.normal,
                    history: response.memory.history(),
                    rolling_torque: response.memory.rolling_torque.into(),
                });
            }
        }
        for ended in old.iter_mut().filter(|o| o.history.tangential_stiffness > 0.0) {
            let frame = &context.walls[ended.wall as usize];
            let coefficients = context.table.get(body.material(), frame.material);
            let arm = ended.normal * body.radius();
            let parting = Parting {
                effective_radius: body.radius(),
                normal: ended.normal,
                velocity: body.velocity() + body.angular_velocity().cross(arm)
                    - frame.state.velocity_at(body.position() + arm),
                spin: body.angular_velocity() - frame.state.angular_velocity,
            };
            forget(coefficients, &parting, &mut ended.history, &mut ended.rolling_torque, context.dt, losses);
        }
    }
}

/// Takes the memory of the same feature; or else that of a nearby one that is no longer met.
fn inherit(
    old: &mut [LiveWallContact],
    wall: u32,
    contact: &SurfaceContact,
    found: &[SurfaceContact],
) -> (History, DVec3) {
    let same = old.iter().position(|o| o.wall == wall && o.feature == contact.feature);
    let heir = same.or_else(|| {
        old.iter().position(|o| {
            o.wall == wall
                && o.history.tangential_stiffness > 0.0
                && o.normal.dot(contact.normal) > SAME_CONTACT
                && found.iter().all(|c| c.feature != o.feature)
        })
    });
    heir.map_or_else(Default::default, |k| {
        (std::mem::take(&mut old[k].history), std::mem::take(&mut old[k].rolling_torque))
    })
}
