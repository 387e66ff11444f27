//! Contacts of grains that are not both spheres, and of any grains under the volume law: one at a time, for every pair of
//! convex parts.
//!
//! A contact is known by its two parts. Its memory stays with it when the contact point jumps from one corner to another.

use super::near::NearPair;
use super::pairs::deliver;
use super::revolutions::{Exchange, axis_of};
use super::shape_table::{SizedPart, SizedShape};
use super::{Block, BlockArrays, Body, Context, DeepContact, Parting, Scratch, Unsettled, Wrench, forget};
use crate::law::shaped::{ShapedContact, ShapedResponse, evaluate_shaped};
use crate::law::{Kinematics, LawTable, Losses, Memory};
use crate::observe::Partner;
use crate::state::{History, PatchMemory, WallState};
use glam::{DQuat, DVec3};
use tumble_geometry::contact::NotConverged;
use tumble_geometry::lanes::vector_row;
use tumble_geometry::narrow::{ContactMethod, contact_by};
use tumble_geometry::overlap::{Workspace, overlap_from};
use tumble_geometry::{Contact, OverlapRegion, Pose};

/// A contact of two parts between two saves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LiveShapedContact {
    /// The pair's place in the candidate list.
    pub(super) slot: u32,
    pub(super) part_a: u32,
    pub(super) part_b: u32,
    pub(super) normal: DVec3,
    /// From the centre of a to the contact point [m].
    pub(super) arm: DVec3,
    pub(super) history: History,
    pub(super) patch: PatchMemory,
}

impl LiveShapedContact {
    /// Another contact has taken up its memory: it has nothing left to end.
    pub(super) fn is_continued(&mut self) {
        self.history.tangential_stiffness = 0.0;
    }
}

/// A pair whose bounding balls touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapedTouch {
    /// Its place in the block's list of near pairs.
    pub(super) near: u32,
    /// The place of its first contact among those of the last step; beyond them if it had none.
    pub(super) old: u32,
    pub(super) n_old: u32,
}

impl ShapedTouch {
    /// A pair whose old contacts have not been looked for.
    pub(super) fn new(near: usize) -> ShapedTouch {
        ShapedTouch { near: near as u32, old: u32::MAX, n_old: 0 }
    }
}

/// Bodies whose gap along the last known direction is more than this part of their size are apart whatever rounding does,
/// and need no search.
pub(super) const SURELY_APART: f64 = 1e-9;

/// A search that did not close its bounds is good enough if they are this part of the size apart: a hundredth of the
/// smallest overlaps that matter.
const GOOD_ENOUGH: f64 = 1e-6;

/// One of the two bodies of a contact: where it is and how it moves.
pub(super) struct Side {
    position: DVec3,
    velocity: DVec3,
    spin: DVec3,
    orientation: DQuat,
    /// Its own z axis.
    axis: DVec3,
    inverse_mass: f64,
    inverse_moments: DVec3,
}

impl Side {
    pub(super) fn of(body: &Body, orientation: DQuat, shape: &SizedShape) -> Side {
        Side {
            position: body.position(),
            velocity: body.velocity(),
            spin: body.angular_velocity(),
            orientation,
            axis: axis_of(orientation),
            inverse_mass: 1.0 / body.mass(),
            inverse_moments: shape.inverse_moments,
        }
    }

    /// A body at rest.
    pub(super) fn at_rest(pose: &Pose, mass: f64, inverse_moments: DVec3) -> Side {
        Side {
            position: pose.position,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            orientation: pose.orientation,
            axis: axis_of(pose.orientation),
            inverse_mass: 1.0 / mass,
            inverse_moments,
        }
    }

    /// A wall moves as it is told, whatever pushes it.
    pub(super) fn of_wall(wall: &WallState) -> Side {
        Side {
            position: wall.pose.position,
            velocity: wall.velocity,
            spin: wall.angular_velocity,
            orientation: DQuat::IDENTITY,
            axis: DVec3::Z,
            inverse_mass: 0.0,
            inverse_moments: DVec3::ZERO,
        }
    }

    fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.position)
    }

    /// One over the mass that a unit force along `normal` at a point, with a couple `pitch` about it, feels.
    fn compliance(&self, point: DVec3, normal: DVec3, pitch: f64) -> f64 {
        self.inverse_mass + self.turned_by((point - self.position).cross(normal) + normal * pitch)
    }

    /// One over the moment of inertia about a direction.
    fn twist_compliance(&self, normal: DVec3) -> f64 {
        self.turned_by(normal)
    }

    /// The work of a torque on the turning it causes: t . I^-1 t.
    #[inline]
    fn turned_by(&self, torque: DVec3) -> f64 {
        let moments = self.inverse_moments;
        if moments.x == moments.y {
            let along = torque.dot(self.axis);
            return moments.x * torque.length_squared() + (moments.z - moments.x) * along * along;
        }
        let own = self.orientation.conjugate() * torque;
        (own * own).dot(moments)
    }
}

/// Where a contact was a step ago.
#[derive(Clone, Copy)]
pub(super) struct Before {
    pub(super) normal: DVec3,
    /// From the centre of a to the contact point [m].
    pub(super) arm: DVec3,
}

/// Where and how two bodies touch, in world coordinates.
pub(super) struct Meeting {
    /// Unit normal, from a to b.
    pub(super) normal: DVec3,
    /// The contact point.
    pub(super) point: DVec3,
    /// Minimum-translation depth [m].
    pub(super) depth: f64,
    /// The force law's overlap: the depth, or V/|S| [m].
    overlap: f64,
    pitch: f64,
    patch_radius: f64,
    /// Shared volume [m^3] and the size of its vector area [m^2], under the volume law.
    pub(super) volume: Option<(f64, f64)>,
}

impl Meeting {
    /// Under a depth law. `contact_radius` is that of the contact [m].
    pub(super) fn by_depth(contact: &Contact, contact_radius: f64) -> Meeting {
        let depth = -contact.separation;
        Meeting {
            normal: contact.normal,
            point: 0.5 * (contact.point_a + contact.point_b),
            depth,
            overlap: depth,
            pitch: 0.0,
            patch_radius: (contact_radius * depth).sqrt(),
            volume: None,
        }
    }

    /// Under the volume law; `None` if the region is too thin to have an area. The region is in a frame whose origin is
    /// `origin`, turned to the world's axes.
    pub(super) fn by_volume(region: &OverlapRegion, origin: DVec3, depth: f64) -> Option<Meeting> {
        let (s, g) = (region.vector_area, region.first_moment);
        let area = s.length();
        if !(area > 0.0 && region.volume > 0.0) {
            return None;
        }
        let normal = s / area;
        let on_line = s.cross(g) / (area * area);
        let point = on_line + normal * normal.dot(region.centroid - on_line);
        Some(Meeting {
            normal,
            point: origin + point,
            depth,
            overlap: region.volume / area,
            pitch: g.dot(normal) / area,
            patch_radius: (area / std::f64::consts::PI).sqrt(),
            volume: Some((region.volume, area)),
        })
    }

    /// What the law needs to know.
    pub(super) fn kinematics(
        &self,
        a: &Side,
        b: &Side,
        contact_radius: f64,
        before: Option<Before>,
    ) -> ShapedContact<f64> {
        let (normal, point) = (self.normal, self.point);
        let spin = a.spin - b.spin;
        let velocity = a.velocity_at(point) - b.velocity_at(point) + normal * (self.pitch * spin.dot(normal));
        let compliance = a.compliance(point, normal, self.pitch) + b.compliance(point, normal, self.pitch);
        let (velocity_before, approach_before) = before.map_or_else(Default::default, |Before { normal, arm }| {
            let point = a.position + arm;
            let velocity: DVec3 = a.velocity_at(point) - b.velocity_at(point);
            (velocity, velocity.dot(normal) + self.pitch * spin.dot(normal))
        });
        ShapedContact {
            velocity_before: velocity_before.into(),
            approach_before,
            kinematics: Kinematics {
                normal: normal.into(),
                overlap: self.overlap,
                relative_velocity: velocity.into(),
                relative_spin: spin.into(),
                mean_twist: 0.5 * (a.spin + b.spin).dot(normal),
                effective_mass: 1.0 / compliance,
                effective_radius: contact_radius,
            },
            pitch: self.pitch,
            patch_radius: self.patch_radius,
            twist_inertia: 1.0 / (a.twist_compliance(normal) + b.twist_compliance(normal)),
        }
    }
}

/// Two parts, placed in the world.
pub(super) struct PlacedParts<'a> {
    pub(super) a: &'a SizedPart,
    pub(super) b: &'a SizedPart,
    pub(super) pose_a: Pose,
    pub(super) pose_b: Pose,
}

impl PlacedParts<'_> {
    fn size(&self) -> f64 {
        self.a.radius.max(self.b.radius)
    }

    fn balls_touch(&self) -> bool {
        let reach = self.a.radius + self.b.radius;
        self.pose_a.position.distance_squared(self.pose_b.position) < reach * reach
    }

    /// The gap along a direction of the world [m].
    fn gap(&self, direction: DVec3) -> f64 {
        let (own_a, own_b) =
            (self.pose_a.inverse_transform_vector(direction), self.pose_b.inverse_transform_vector(direction));
        direction.dot(self.pose_b.position - self.pose_a.position)
            - self.a.shape.support(own_a).dot(own_a)
            - self.b.shape.support(-own_b).dot(-own_b)
    }

    fn pose_ab(&self) -> Pose {
        self.pose_a.relative(&self.pose_b)
    }

    /// The contact in a's frame, and how far it may be off if its search did not close.
    fn contact(&self, method: ContactMethod, pose_ab: &Pose, guess: Option<DVec3>) -> (Contact, Option<f64>) {
        let guess = guess.map(|n| self.pose_a.inverse_transform_vector(n));
        match contact_by(method, &self.a.shape, &self.b.shape, pose_ab, guess, f64::INFINITY) {
            Ok(contact) => (contact.unwrap_or(Contact::NOWHERE), None),
            Err(NotConverged { best, bound }) => (best, Some(bound)),
        }
    }

    /// The contact in a's frame; one that did not close well enough is reported to the block.
    fn settled_contact(
        &self,
        context: &Context,
        pose_ab: &Pose,
        guess: Option<DVec3>,
        block: &mut Block,
        (grain, partner): (usize, u32),
        parts: [usize; 2],
    ) -> Contact {
        let (contact, bound) = self.contact(context.table.contact_method, pose_ab, guess);
        if let Some(bound) = bound.filter(|&bound| bound > GOOD_ENOUGH * self.size()) {
            let partner = Partner::Particle(context.owner(partner) as usize);
            let parts = parts.map(|part| part as u32);
            block.unsettled.get_or_insert(Unsettled { a: grain, partner, parts, bound });
        }
        contact
    }

    /// How the parts meet, if they do, looked for from a direction, with regions to the workspace's tolerance.
    pub(super) fn look(
        &self,
        from: Option<DVec3>,
        table: &LawTable,
        contact_radius: f64,
        workspace: &mut Workspace,
    ) -> Option<Meeting> {
        let pose_ab = self.pose_ab();
        let (contact, _) = self.contact(table.contact_method, &pose_ab, from);
        let meet = || self.meeting(&pose_ab, &contact, table, contact_radius, workspace);
        (contact.separation < 0.0).then(meet).flatten()
    }

    fn meeting(
        &self,
        pose_ab: &Pose,
        contact: &Contact,
        table: &LawTable,
        contact_radius: f64,
        workspace: &mut Workspace,
    ) -> Option<Meeting> {
        if table.volume.is_none() {
            let world = Contact {
                normal: self.pose_a.transform_vector(contact.normal),
                separation: contact.separation,
                point_a: self.pose_a.transform_point(contact.point_a),
                point_b: self.pose_a.transform_point(contact.point_b),
            };
            return Some(Meeting::by_depth(&world, contact_radius));
        }
        let region = overlap_from(&self.a.shape, &self.b.shape, pose_ab, contact, workspace)
            .unwrap_or_else(|unresolved| unresolved.best)?;
        let turned = region.transformed(&Pose::new(DVec3::ZERO, self.pose_a.orientation));
        Meeting::by_volume(&turned, self.pose_a.position, -contact.separation)
    }
}

/// A pair of grains, at least one of them no sphere.
pub(super) struct ShapedPair<'a> {
    shape_a: &'a SizedShape,
    shape_b: &'a SizedShape,
    pub(super) a: Side,
    pub(super) b: Side,
    pub(super) contact_radius: f64,
}

impl<'a> ShapedPair<'a> {
    pub(super) fn new(
        bodies: [&Body; 2],
        orientations: [DQuat; 2],
        [shape_a, shape_b]: [&'a SizedShape; 2],
    ) -> ShapedPair<'a> {
        let (radius_a, radius_b) = (shape_a.contact_radius, shape_b.contact_radius);
        ShapedPair {
            shape_a,
            shape_b,
            a: Side::of(bodies[0], orientations[0], shape_a),
            b: Side::of(bodies[1], orientations[1], shape_b),
            contact_radius: radius_a * radius_b / (radius_a + radius_b),
        }
    }

    fn place(&self, part_a: usize, part_b: usize) -> PlacedParts<'a> {
        let place = |side: &Side, part: &SizedPart| Pose::new(side.position, side.orientation).compose(&part.pose);
        let (a, b) = (&self.shape_a.parts[part_a], &self.shape_b.parts[part_b]);
        PlacedParts { a, b, pose_a: place(&self.a, a), pose_b: place(&self.b, b) }
    }

    /// A distance that two simple grains are apart at least, and the direction in which that shows: the hint, or the line
    /// between the centres.
    pub(super) fn apart_at_least(&self, hint: DVec3) -> (f64, DVec3) {
        if !self.is_simple() {
            return (f64::NEG_INFINITY, DVec3::ZERO);
        }
        let parts = self.place(0, 0);
        let line = (self.b.position - self.a.position).normalize_or_zero();
        let slack = SURELY_APART * parts.size();
        [hint, line]
            .into_iter()
            .filter(|&direction| direction != DVec3::ZERO)
            .map(|direction| (parts.gap(direction) - slack, direction))
            .fold((f64::NEG_INFINITY, DVec3::ZERO), |best, next| if next.0 > best.0 { next } else { best })
    }

    fn is_simple(&self) -> bool {
        self.shape_a.parts.len() == 1 && self.shape_b.parts.len() == 1
    }

    /// Overlaps are measured against this [m].
    fn half_width(&self) -> f64 {
        self.shape_a.half_width.min(self.shape_b.half_width)
    }

    /// How two parts meet now, looked for from a direction.
    pub(super) fn look(&self, part_a: usize, part_b: usize, from: DVec3, table: &LawTable) -> Option<Meeting> {
        let mut workspace = table.workspace();
        self.place(part_a, part_b).look(Some(from), table, self.contact_radius, &mut workspace)
    }

    /// Ends a contact that was there a step ago.
    pub(super) fn end(
        &self,
        table: &LawTable,
        materials: (u16, u16),
        ended: &mut LiveShapedContact,
        dt: f64,
        losses: &mut Losses<f64>,
    ) {
        let point = self.a.position + ended.arm;
        let parting = Parting {
            effective_radius: self.contact_radius,
            normal: ended.normal,
            velocity: self.a.velocity_at(point) - self.b.velocity_at(point),
            spin: self.a.spin - self.b.spin,
        };
        let coefficients = table.get(materials.0, materials.1);
        let mut no_rolling = DVec3::ZERO;
        forget(coefficients, &parting, &mut ended.history, &mut no_rolling, dt, losses);
        forget_patch(&mut ended.patch, &parting, dt, losses);
    }
}

/// Books what is left in the patch of a contact that ended, and forgets it.
pub(super) fn forget_patch(patch: &mut PatchMemory, parting: &Parting, dt: f64, losses: &mut Losses<f64>) {
    let twist_rate = parting.spin.dot(parting.normal);
    losses.tangential_dashpot += 0.5 * dt * (patch.dashpot.dot(parting.velocity) + patch.twist_dashpot * twist_rate);
    if patch.stiffness > 0.0 {
        losses.contact_end +=
            0.5 * patch.torque * patch.torque / patch.stiffness - 0.5 * dt * patch.torque * twist_rate;
    }
    *patch = PatchMemory::default();
}

/// Evaluates the pairs of a block whose bounding balls touch and that are not both plain spheres.
pub(super) fn evaluate_shaped_pairs<const HERTZ: bool>(
    context: &Context,
    block: &mut Block,
    scratch: &mut Scratch,
    arrays: &mut BlockArrays,
) {
    let Scratch { wrench, shaped, revolutions, previous_shaped, workspace, room, .. } = scratch;
    std::mem::swap(&mut block.shaped_contacts, previous_shaped);
    block.shaped_contacts.clear();
    let first_slot = context.start[arrays.first];
    for pairs in [&mut *shaped, revolutions] {
        let mut next = 0;
        for pair in pairs.iter_mut() {
            let slot = first_slot + block.near[pair.near as usize].touch.slot;
            while previous_shaped.get(next).is_some_and(|c| c.slot < slot) {
                next += 1;
            }
            let n_old = previous_shaped[next..].iter().take_while(|c| c.slot == slot).count();
            if n_old > 0 {
                (pair.old, pair.n_old) = (next as u32, n_old as u32);
            }
        }
    }
    let mut exchange = Exchange { block, previous: previous_shaped, wrench };
    context.evaluate_revolutions::<HERTZ>(revolutions, &mut exchange, arrays, room);
    for pair in shaped.iter() {
        evaluate_shaped_pair::<HERTZ>(context, pair, &mut exchange, arrays, workspace);
    }
    if !revolutions.is_empty() && !shaped.is_empty() {
        block.shaped_contacts.sort_unstable_by_key(|c| (c.slot, c.part_a, c.part_b));
    }
    end_all(context, block, arrays.first, previous_shaped);
}

/// Evaluates the parts of a pair.
fn evaluate_shaped_pair<const HERTZ: bool>(
    context: &Context,
    place: &ShapedTouch,
    exchange: &mut Exchange,
    arrays: &BlockArrays,
    workspace: &mut Workspace,
) {
    let Exchange { block, previous, wrench } = exchange;
    let NearPair { touch, hint, .. } = block.near[place.near as usize];
    let old = previous.get_mut(place.old as usize..).map_or(&mut [][..], |old| &mut old[..place.n_old as usize]);
    let (index_a, index_b) = (arrays.first + touch.local as usize, touch.partner as usize);
    let (body_a, body_b) = (&context.bodies[index_a], &context.bodies[index_b]);
    let Some(pair) = context.shaped_pair(index_a, touch.partner) else { return };
    // A pair that did not touch is tried first along the direction in which it was last found apart.
    if old.is_empty() && pair.is_simple() && hint != DVec3::ZERO {
        let parts = pair.place(0, 0);
        if parts.gap(hint) > SURELY_APART * parts.size() {
            return;
        }
    }
    let coefficients = context.table.get(body_a.material(), body_b.material());
    for part_a in 0..pair.shape_a.parts.len() {
        for part_b in 0..pair.shape_b.parts.len() {
            let memory = old.iter_mut().find(|c| c.part_a == part_a as u32 && c.part_b == part_b as u32);
            let parts = pair.place(part_a, part_b);
            if !parts.balls_touch() {
                continue;
            }
            let pose_ab = parts.pose_ab();
            let guess = memory.as_ref().map(|c| c.normal);
            let contact =
                parts.settled_contact(context, &pose_ab, guess, block, (index_a, touch.partner), [part_a, part_b]);
            if contact.separation >= 0.0 {
                block.near[place.near as usize].hint = parts.pose_a.transform_vector(contact.normal);
                continue;
            }
            let met = parts.meeting(&pose_ab, &contact, context.table, pair.contact_radius, workspace);
            let Some(meeting) = met else { continue };
            let before = memory.as_ref().map(|c| Before { normal: c.normal, arm: c.arm });
            let (history, patch) = memory
                .map_or_else(Default::default, |c| (std::mem::take(&mut c.history), std::mem::take(&mut c.patch)));
            let response = evaluate_shaped::<HERTZ>(
                context.table,
                coefficients,
                &meeting.kinematics(&pair.a, &pair.b, pair.contact_radius, before),
                meeting.volume,
                &Memory::of(&history, DVec3::ZERO),
                &patch,
                context.dt,
                &mut block.losses,
            );
            block.n_contacts += 1;
            let (on_a, on_b) = wrenches(&meeting, &pair, &response);
            deliver(context, &mut block.outbox, wrench, arrays.first, &touch, on_a, on_b);
            if meeting.depth > context.overlap_limit * pair.half_width() && block.deep.is_none() {
                block.deep = Some(DeepContact {
                    a: index_a,
                    partner: Partner::Particle(context.owner(touch.partner) as usize),
                    relative_overlap: meeting.depth / pair.half_width(),
                });
            }
            block.shaped_contacts.push(LiveShapedContact {
                slot: context.start[arrays.first] + touch.slot,
                part_a: part_a as u32,
                part_b: part_b as u32,
                normal: meeting.normal,
                arm: meeting.point - pair.a.position,
                history: response.memory.history(),
                patch: response.patch_memory(),
            });
        }
    }
}

impl Context<'_> {
    /// The contact of two grains of one part each, by the method of the run, in a frame with the world's axes and its origin
    /// at a's centre.
    pub(super) fn contact_of_parts(
        &self,
        grain: usize,
        partner: u32,
        guess: Option<DVec3>,
        block: &mut Block,
    ) -> Contact {
        let Some(pair) = self.shaped_pair(grain, partner) else { return Contact::NOWHERE };
        let parts = pair.place(0, 0);
        let contact = parts.settled_contact(self, &parts.pose_ab(), guess, block, (grain, partner), [0, 0]);
        let turn = |v: DVec3| parts.pose_a.transform_vector(v);
        Contact {
            normal: turn(contact.normal),
            point_a: turn(contact.point_a),
            point_b: turn(contact.point_b),
            ..contact
        }
    }
}

/// Ends contacts that still have a memory: those that were not met again.
fn end_all(context: &Context, block: &mut Block, first: usize, contacts: &mut [LiveShapedContact]) {
    for ended in contacts.iter_mut().filter(|c| c.history.tangential_stiffness > 0.0) {
        let grain = context.start[first..].partition_point(|&start| start <= ended.slot) - 1 + first;
        let partner = context.partner[ended.slot as usize];
        let materials = (context.bodies[grain].material(), context.bodies[partner as usize].material());
        if let Some(pair) = context.shaped_pair(grain, partner) {
            pair.end(context.table, materials, ended, context.dt, &mut block.losses);
        }
    }
}

/// Forces and torques of a contact on a and b about their centres.
fn wrenches(meeting: &Meeting, pair: &ShapedPair, response: &ShapedResponse<f64>) -> (Wrench, Wrench) {
    let (force, couple) = (DVec3::from(response.force), DVec3::from(response.couple));
    let torque_a = (meeting.point - pair.a.position).cross(force) + couple;
    let torque_b = -(meeting.point - pair.b.position).cross(force) - couple;
    (
        Wrench { force: vector_row(force), torque: vector_row(torque_a) },
        Wrench { force: vector_row(-force), torque: vector_row(torque_b) },
    )
}
