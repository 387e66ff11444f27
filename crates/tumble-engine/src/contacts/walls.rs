//! Contacts of grains with walls.
//!
//! A grain can touch one wall in several places. Each is known by its feature of the wall's surface; when a grain moves
//! on to a neighbouring feature, the memory moves with it.

use super::shape_table::{SizedPart, SizedShape};
use super::shaped::{Before, Meeting, Side, forget_patch};
use super::tangent_plane::{PlacedPart, keep_one_around_axis};
use super::{Block, Body, Context, DeepContact, Parting, Scratch, Wrench, forget};
use crate::law::shaped::evaluate_shaped;
use crate::law::{Kinematics, LawTable, Memory, evaluate};
use crate::model::{MaterialIndex, Model};
use crate::observe::Partner;
use crate::state::{History, PatchMemory, WallState};
use glam::{DMat3, DQuat, DVec3};
use tumble_geometry::lanes::vector_row;
use tumble_geometry::narrow::contact_surface;
use tumble_geometry::overlap::Workspace;
use tumble_geometry::{Contact, Pose, Shape, Surface, SurfaceContact};

/// A wall contact between two saves.
#[derive(Clone, Copy, Debug)]
pub(super) struct LiveWallContact {
    pub(super) particle: u32,
    pub(super) wall: u32,
    /// Part of the grain.
    pub(super) part: u32,
    pub(super) feature: u32,
    pub(super) normal: DVec3,
    /// From the centre of the grain to the contact point [m].
    pub(super) arm: DVec3,
    pub(super) history: History,
    pub(super) rolling_torque: DVec3,
    pub(super) patch: PatchMemory,
}

/// A wall's pose, ready for many points.
pub(super) struct WallFrame<'a> {
    surface: &'a Surface,
    pub(super) material: MaterialIndex,
    state: &'a WallState,
    position: DVec3,
    to_local: DMat3,
    to_world: DMat3,
    orientation: DQuat,
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
                    orientation: pose.orientation,
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

    /// The places where a part of a grain of any shape touches the wall, in world coordinates.
    pub(super) fn contacts_of_part(
        &self,
        part: &SizedPart,
        grain: &Pose,
        table: &LawTable,
        found: &mut Vec<SurfaceContact>,
    ) {
        found.clear();
        let placed = grain.compose(&part.pose);
        // Most grains that are listed do not reach the wall. The ball of a planar shape leaves out its thickness.
        let is_planar = matches!(part.shape, Shape::Disc(_) | Shape::Polygon(_));
        if !is_planar && !self.surface.may_be_within(self.to_local * (placed.position - self.position), part.radius) {
            return;
        }
        if let (Surface::HalfSpace, Some(crowned), true) = (self.surface, &part.crowned, table.goes_by_profiles()) {
            // As for two bodies of revolution: ends and sides bulge a little, so that the contact point does not jump.
            let up = self.to_world.z_axis;
            let lowest = placed.position + crowned.farthest(placed.orientation * DVec3::Z, -up);
            let separation = up.dot(lowest - self.position);
            if separation < 0.0 {
                found.push(SurfaceContact { feature: 0, normal: -up, separation, point: lowest - up * separation });
            }
            return;
        }
        let wall = Pose::new(self.position, self.orientation);
        contact_surface(&part.shape, self.surface, &wall.relative(&placed), 0.0, found);
        found.retain(|contact| contact.separation < 0.0);
        for contact in found.iter_mut() {
            *contact = contact.transformed(&wall);
        }
        if table.volume.is_some() && matches!(self.surface, Surface::Revolved(_)) {
            keep_one_around_axis(found, self.to_world.z_axis);
        }
    }

    /// How a part of a grain meets the wall at one of those places. Under the volume law the wall is a half-space there, one
    /// that touches its surface; around an axis the one with a stationary volume.
    pub(super) fn meeting(
        &self,
        part: &SizedPart,
        grain: &Pose,
        contact: &SurfaceContact,
        table: &LawTable,
        contact_radius: f64,
        workspace: &mut Workspace,
    ) -> Option<Meeting> {
        let (normal, separation) = (contact.normal, contact.separation);
        if table.volume.is_none() {
            let contact = Contact { normal, separation, point_a: contact.point_on_grain(), point_b: contact.point };
            return Some(Meeting::by_depth(&contact, contact_radius));
        }
        let body = PlacedPart { shape: &part.shape, pose: grain.compose(&part.pose) };
        let region = match self.surface {
            Surface::Revolved(_) => body.beyond_turning_plane(contact, self.position, self.to_world.z_axis, workspace),
            Surface::HalfSpace | Surface::Mesh(_) => body.beyond_plane(contact.point, normal, self.position, workspace),
        }?;
        Meeting::by_volume(&region, self.position, -separation)
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
    let Scratch { wrench, previous_wall_contacts, found, workspace, .. } = scratch;
    std::mem::swap(&mut block.wall_contacts, previous_wall_contacts);
    block.wall_contacts.clear();
    block.wall_loads.clear();
    block.wall_loads.resize(context.walls.len(), (DVec3::ZERO, DVec3::ZERO));
    let near_walls = std::mem::take(&mut block.near_walls);
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
            if let Some(shape) = context.general_shape(index) {
                let grain = Grain { index, local, body, shape, orientation: context.orientations[index] };
                let mut room = WallRoom { wrench, found, workspace };
                grain.meet_wall::<HERTZ>(context, block, &mut room, old, wall);
                continue;
            }
            frame.contacts(body, found);
            for contact in found.iter() {
                let (history, rolling_torque, _) = inherit(old, (wall, 0), contact, found);
                let coefficients = context.table.get(body.material(), frame.material);
                let (kinematics, point, arm) = frame.kinematics(body, contact);
                let response = evaluate::<f64, HERTZ, ROLLING>(
                    context.table,
                    coefficients,
                    &kinematics,
                    &Memory::of(&history, rolling_torque),
                    context.dt,
                    &mut block.losses,
                );
                let (force, couple) = (DVec3::from(response.force), DVec3::from(response.couple));
                block.n_contacts += 1;
                let torque = contact.normal.cross(force) * arm + couple;
                wrench[local as usize] += Wrench { force: vector_row(force), torque: vector_row(torque) };
                let load = &mut block.wall_loads[wall as usize];
                load.0 -= force;
                load.1 -= (point - frame.position).cross(force) + couple;
                if kinematics.overlap > context.overlap_limit * body.radius() && block.deep.is_none() {
                    block.deep = Some(DeepContact {
                        a: index,
                        partner: Partner::Wall(wall as usize),
                        relative_overlap: kinematics.overlap / body.radius(),
                    });
                }
                block.wall_contacts.push(LiveWallContact {
                    particle: index as u32,
                    wall,
                    part: 0,
                    feature: contact.feature,
                    normal: contact.normal,
                    arm: contact.normal * arm,
                    history: response.memory.history(),
                    rolling_torque: response.memory.rolling_torque.into(),
                    patch: PatchMemory::default(),
                });
            }
        }
        for ended in old.iter_mut().filter(|o| o.history.tangential_stiffness > 0.0) {
            let frame = &context.walls[ended.wall as usize];
            let coefficients = context.table.get(body.material(), frame.material);
            let arm = ended.arm;
            let parting = Parting {
                effective_radius: body.radius(),
                normal: ended.normal,
                velocity: body.velocity() + body.angular_velocity().cross(arm)
                    - frame.state.velocity_at(body.position() + arm),
                spin: body.angular_velocity() - frame.state.angular_velocity,
            };
            let losses = &mut block.losses;
            forget(coefficients, &parting, &mut ended.history, &mut ended.rolling_torque, context.dt, losses);
            forget_patch(&mut ended.patch, &parting, context.dt, losses);
        }
    }
    block.near_walls = near_walls;
}

/// What a grain of any shape works with.
struct WallRoom<'a> {
    wrench: &'a mut [Wrench],
    found: &'a mut Vec<SurfaceContact>,
    workspace: &'a mut Workspace,
}

/// A grain of any shape near a wall.
struct Grain<'a> {
    index: usize,
    /// Place in the block.
    local: u32,
    body: &'a Body,
    shape: &'a SizedShape,
    orientation: DQuat,
}

impl Grain<'_> {
    fn meet_wall<const HERTZ: bool>(
        &self,
        context: &Context,
        block: &mut Block,
        room: &mut WallRoom,
        old: &mut [LiveWallContact],
        wall: u32,
    ) {
        let frame = &context.walls[wall as usize];
        let coefficients = context.table.get(self.body.material(), frame.material);
        let pose = Pose::new(self.body.position(), self.orientation);
        let radius = self.shape.contact_radius;
        for (index, part) in self.shape.parts.iter().enumerate() {
            frame.contacts_of_part(part, &pose, context.table, room.found);
            if room.found.is_empty() {
                continue;
            }
            let (side, wall_side) = (Side::of(self.body, self.orientation, self.shape), Side::of_wall(frame.state));
            for contact in room.found.iter() {
                let meeting = frame.meeting(part, &pose, contact, context.table, radius, room.workspace);
                let Some(meeting) = meeting else { continue };
                let (history, before, patch) = inherit_shaped(old, (wall, index as u32), contact, room.found);
                let response = evaluate_shaped::<HERTZ>(
                    context.table,
                    coefficients,
                    &meeting.kinematics(&side, &wall_side, radius, before),
                    meeting.volume,
                    &Memory::of(&history, DVec3::ZERO),
                    &patch,
                    context.dt,
                    &mut block.losses,
                );
                block.n_contacts += 1;
                let (force, couple) = (DVec3::from(response.force), DVec3::from(response.couple));
                let arm = meeting.point - self.body.position();
                let torque = arm.cross(force) + couple;
                room.wrench[self.local as usize] += Wrench { force: vector_row(force), torque: vector_row(torque) };
                let load = &mut block.wall_loads[wall as usize];
                load.0 -= force;
                load.1 -= (meeting.point - frame.position).cross(force) + couple;
                if meeting.depth > context.overlap_limit * self.shape.half_width && block.deep.is_none() {
                    block.deep = Some(DeepContact {
                        a: self.index,
                        partner: Partner::Wall(wall as usize),
                        relative_overlap: meeting.depth / self.shape.half_width,
                    });
                }
                block.wall_contacts.push(LiveWallContact {
                    particle: self.index as u32,
                    wall,
                    part: index as u32,
                    feature: contact.feature,
                    normal: contact.normal,
                    arm,
                    history: response.memory.history(),
                    rolling_torque: DVec3::ZERO,
                    patch: response.patch_memory(),
                });
            }
        }
    }
}

/// The same for a contact of any shape, which resists no rolling but remembers where it was.
fn inherit_shaped(
    old: &mut [LiveWallContact],
    place: (u32, u32),
    contact: &SurfaceContact,
    found: &[SurfaceContact],
) -> (History, Option<Before>, PatchMemory) {
    heir(old, place, contact, found).map_or_else(Default::default, |k| {
        let LiveWallContact { history, patch, normal, arm, .. } = &mut old[k];
        (std::mem::take(history), Some(Before { normal: *normal, arm: *arm }), std::mem::take(patch))
    })
}

/// Takes the memory of the same feature; or else that of a nearby one that is no longer met.
fn inherit(
    old: &mut [LiveWallContact],
    (wall, part): (u32, u32),
    contact: &SurfaceContact,
    found: &[SurfaceContact],
) -> (History, DVec3, PatchMemory) {
    heir(old, (wall, part), contact, found).map_or_else(Default::default, |k| {
        let LiveWallContact { history, rolling_torque, patch, .. } = &mut old[k];
        (std::mem::take(history), std::mem::take(rolling_torque), std::mem::take(patch))
    })
}

/// Which old contact a new one continues.
fn heir(
    old: &[LiveWallContact],
    (wall, part): (u32, u32),
    contact: &SurfaceContact,
    found: &[SurfaceContact],
) -> Option<usize> {
    let is_of = |o: &LiveWallContact| o.wall == wall && o.part == part;
    let same = old.iter().position(|o| is_of(o) && o.feature == contact.feature);
    same.or_else(|| {
        old.iter().position(|o| {
            is_of(o)
                && o.history.tangential_stiffness > 0.0
                && o.normal.dot(contact.normal) > SAME_CONTACT
                && found.iter().all(|c| c.feature != o.feature)
        })
    })
}
