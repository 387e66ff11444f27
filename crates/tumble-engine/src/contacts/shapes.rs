//! Contacts of grains that are not both spheres, and of any grains under the volume law: where they are, part by part or, of
//! bodies of revolution, as a whole.

use super::bodies::Frame;
use super::found::Found;
use super::meeting::Meeting;
use super::near::{NONE, NearShapes, SURELY_APART, Way};
use super::respond::Touch;
use super::shape_table::{SizedPart, SizedShape};
use super::{Block, Context, Unsettled};
use crate::law::{Faces, LawTable};
use crate::state::ContactHistory;
use glam::{DQuat, DVec3};
use tumble_geometry::common_plane::PlaneSearches;
use tumble_geometry::contact::NotConverged;
use tumble_geometry::narrow::{ContactMethod, Yielded, contact_bodies_again, contact_bodies_by, contact_yielding};
use tumble_geometry::overlap::{Workspace, depth_moments, overlap_from};
use tumble_geometry::{Contact, Pose};

/// A search that did not close its bounds is good enough if they are this part of the size apart: a hundredth of the
/// smallest overlaps that matter.
const GOOD_ENOUGH: f64 = 1e-6;

/// Two parts, placed in a frame with the world's axes and its origin at the centre of grain a.
pub(super) struct PlacedParts<'a> {
    pub(super) a: &'a SizedPart,
    pub(super) b: &'a SizedPart,
    pub(super) pose_a: Pose,
    pub(super) pose_b: Pose,
}

impl<'a> PlacedParts<'a> {
    #[inline]
    pub(super) fn new([a, b]: [&'a SizedPart; 2], orientations: [DQuat; 2], offset: DVec3) -> PlacedParts<'a> {
        let pose_a = a.placed(&Pose::new(DVec3::ZERO, orientations[0]));
        PlacedParts { a, b, pose_a, pose_b: b.placed(&Pose::new(offset, orientations[1])) }
    }

    #[inline]
    fn size(&self) -> f64 {
        self.a.radius.max(self.b.radius)
    }

    #[inline]
    fn balls_touch(&self, range: f64) -> bool {
        let reach = self.a.radius + self.b.radius + range;
        self.pose_a.position.distance_squared(self.pose_b.position) < reach * reach
    }

    /// The gap along a direction of the world [m].
    #[inline(always)]
    fn gap(&self, direction: DVec3) -> f64 {
        let (own_a, own_b) =
            (self.pose_a.inverse_transform_vector(direction), self.pose_b.inverse_transform_vector(-direction));
        direction.dot(self.pose_b.position - self.pose_a.position)
            - self.a.body.reach_along(own_a)
            - self.b.body.reach_along(own_b)
    }

    #[inline]
    fn pose_ab(&self) -> Pose {
        self.pose_a.relative(&self.pose_b)
    }

    /// The contact in a's frame, and how far it may be off if its search did not close.
    fn contact(&self, method: ContactMethod, pose_ab: &Pose, guess: Option<DVec3>) -> (Contact, Option<f64>) {
        let guess = guess.map(|n| self.pose_a.inverse_transform_vector(n));
        match self.ask(method, pose_ab, guess) {
            Ok(contact) => (contact, None),
            Err(open) => self.ask_again(method, pose_ab, open),
        }
    }

    fn ask(&self, method: ContactMethod, pose_ab: &Pose, guess: Option<DVec3>) -> Result<Contact, NotConverged> {
        contact_bodies_by(method, &self.a.body, &self.b.body, pose_ab, guess, f64::INFINITY)
            .map(|contact| contact.unwrap_or(Contact::NOWHERE))
    }

    /// A contact whose search did not close is asked for again from nothing, and by support functions alone.
    #[cold]
    fn ask_again(&self, method: ContactMethod, pose_ab: &Pose, open: NotConverged) -> (Contact, Option<f64>) {
        let is_bad = |open: &NotConverged| open.bound > GOOD_ENOUGH * self.size();
        let mut best = open;
        for other in [method, ContactMethod::General] {
            if !is_bad(&best) {
                break;
            }
            match self.ask(other, pose_ab, None) {
                Ok(contact) => return (contact, None),
                Err(open) if open.bound < best.bound => best = open,
                Err(_) => {}
            }
        }
        (best.best, is_bad(&best).then_some(best.bound))
    }

    /// The same as [`PlacedParts::look`] for parts that are not both polyhedra, under a depth law.
    pub(super) fn look_at_surfaces(
        &self,
        from: Option<(DVec3, f64)>,
        table: &LawTable,
    ) -> (Option<Meeting>, DVec3, Option<f64>) {
        let pose_ab = self.pose_ab();
        if self.a.yields() || self.b.yields() {
            return self.look_yielding(&pose_ab, from, table);
        }
        let (contact, unsettled) = self.contact(table.contact_method, &pose_ab, from.map(|(normal, _)| normal));
        (self.by_depth(&contact, table), self.pose_a.transform_vector(contact.normal), unsettled)
    }

    fn by_depth(&self, contact: &Contact, table: &LawTable) -> Option<Meeting> {
        (contact.separation < table.range).then(|| {
            if table.local_curvature && self.a.is_smooth && self.b.is_smooth {
                let shapes = [self.a.body.shape(), self.b.body.shape()];
                if let Some(meeting) = Meeting::by_local_curvature(shapes, &self.pose_ab(), contact) {
                    return meeting.placed(self.pose_a.position, |own| self.pose_a.transform_vector(own));
                }
            }
            let arm = self.pose_a.transform_point(0.5 * (contact.point_a + contact.point_b));
            Meeting::by_depth(self.pose_a.transform_vector(contact.normal), arm, -contact.separation)
        })
    }

    /// How the parts meet, if they do, looked for from a normal and a depth of a moment ago, with regions to the workspace's
    /// tolerance; a normal in any case, and how far it may be off if it did not settle. Searches for common planes are counted.
    pub(super) fn look(
        &self,
        from: Option<(DVec3, f64)>,
        table: &LawTable,
        workspace: &mut Workspace,
        searches: &mut PlaneSearches,
    ) -> (Option<Meeting>, DVec3, Option<f64>) {
        let pose_ab = self.pose_ab();
        if self.a.yields() || self.b.yields() {
            return self.look_yielding(&pose_ab, from, table);
        }
        let plane = table.contact_method.plane_between(self.a.body.shape(), self.b.body.shape(), &pose_ab);
        let (contact, unsettled) = match plane {
            Some(plane) => {
                searches.count(&plane);
                (plane.contact, None)
            }
            None => self.contact(table.contact_method, &pose_ab, from.map(|(normal, _)| normal)),
        };
        let normal = self.pose_a.transform_vector(contact.normal);
        if contact.separation >= table.range {
            return (None, normal, unsettled);
        }
        if table.by_depths {
            return (self.by_depths(&pose_ab, &contact, workspace), normal, unsettled);
        }
        if table.volume.is_some() {
            return (self.by_volume(&pose_ab, &contact, workspace), normal, unsettled);
        }
        if table.measures_faces() && self.a.has_faces && self.b.has_faces {
            return (self.by_faces(&pose_ab, &contact, table, workspace), normal, unsettled);
        }
        (self.by_depth(&contact, table), normal, unsettled)
    }

    /// How parts meet of which one gives way at least. `from` is a direction to begin with and a depth of a moment ago.
    #[inline(never)]
    fn look_yielding(
        &self,
        pose_ab: &Pose,
        from: Option<(DVec3, f64)>,
        table: &LawTable,
    ) -> (Option<Meeting>, DVec3, Option<f64>) {
        let (Some(a), Some(b)) = (&self.a.yielding, &self.b.yielding) else { return (None, DVec3::ZERO, None) };
        let (guess, start) = match from {
            Some((normal, depth)) => (Some(self.pose_a.inverse_transform_vector(normal)), depth),
            None => (None, 0.0),
        };
        let mut found = contact_yielding(table.contact_method, a, b, pose_ab, guess, start);
        if found.is_err() {
            let again = |method| contact_yielding(method, a, b, pose_ab, None, 0.0);
            found = again(table.contact_method).or_else(|_| again(ContactMethod::General));
        }
        let (yielded, unsettled) = match found {
            Ok(yielded) => (yielded, None),
            Err(open) => (Yielded::rigid(open.best), (open.bound > GOOD_ENOUGH * self.size()).then_some(open.bound)),
        };
        let contact = &yielded.contact;
        let normal = self.pose_a.transform_vector(contact.normal);
        let meeting = (contact.separation < table.range).then(|| {
            let arm = self.pose_a.transform_point(0.5 * (contact.point_a + contact.point_b));
            Meeting::by_yielding(normal, arm, &yielded)
        });
        (meeting, normal, unsettled)
    }

    /// How parts with faces meet under a depth law.
    #[inline(never)]
    fn by_faces(
        &self,
        pose_ab: &Pose,
        contact: &Contact,
        table: &LawTable,
        workspace: &mut Workspace,
    ) -> Option<Meeting> {
        let shapes = [self.a.body.shape(), self.b.body.shape()];
        let meeting = Meeting::by_faces(shapes, pose_ab, contact, table, workspace)?;
        Some(meeting.placed(self.pose_a.position, |own| self.pose_a.transform_vector(own)))
    }

    /// How parts with faces meet under the law of pressure.
    #[inline(never)]
    fn by_depths(&self, pose_ab: &Pose, contact: &Contact, workspace: &mut Workspace) -> Option<Meeting> {
        let moments = depth_moments(self.a.body.shape(), self.b.body.shape(), pose_ab, contact, workspace)?;
        let meeting = Meeting::by_depths(&moments, -contact.separation)?;
        Some(meeting.placed(self.pose_a.position, |own| self.pose_a.transform_vector(own)))
    }

    /// How the parts meet under the volume law.
    #[inline(never)]
    fn by_volume(&self, pose_ab: &Pose, contact: &Contact, workspace: &mut Workspace) -> Option<Meeting> {
        let region = overlap_from(self.a.body.shape(), self.b.body.shape(), pose_ab, contact, workspace)
            .unwrap_or_else(|unresolved| unresolved.best);
        let turned = region.map(|region| region.transformed(&Pose::new(DVec3::ZERO, self.pose_a.orientation)));
        turned.and_then(|region| Meeting::by_volume(&region, self.pose_a.position, -contact.separation))
    }
}

/// A pair of grains of any shapes.
pub(super) struct ShapedPair<'a> {
    shapes: [&'a SizedShape; 2],
    orientations: [DQuat; 2],
    /// From a's centre to b's [m].
    offset: DVec3,
}

impl<'a> ShapedPair<'a> {
    #[inline]
    pub(super) fn new(shapes: [&'a SizedShape; 2], orientations: [DQuat; 2], offset: DVec3) -> ShapedPair<'a> {
        ShapedPair { shapes, orientations, offset }
    }

    /// Two of their parts.
    #[inline]
    pub(super) fn parts(&self, part_a: usize, part_b: usize) -> PlacedParts<'a> {
        let parts = [&self.shapes[0].parts[part_a], &self.shapes[1].parts[part_b]];
        PlacedParts::new(parts, self.orientations, self.offset)
    }

    /// Every pair of parts.
    pub(super) fn all_parts(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let [n_a, n_b] = self.shapes.map(|shape| shape.parts.len());
        (0..n_a).flat_map(move |a| (0..n_b).map(move |b| (a, b)))
    }

    #[inline]
    fn is_simple(&self) -> bool {
        self.shapes.iter().all(|shape| shape.is_simple())
    }

    /// A distance that two simple grains are apart at least, and the direction in which that shows: the hint, or the line
    /// between the centres.
    pub(super) fn apart_at_least(&self, hint: DVec3) -> (f64, DVec3) {
        if !self.is_simple() {
            return (f64::NEG_INFINITY, DVec3::ZERO);
        }
        let parts = self.parts(0, 0);
        let slack = SURELY_APART * parts.size();
        [hint, self.offset.normalize_or_zero()]
            .into_iter()
            .filter(|&direction| direction != DVec3::ZERO)
            .map(|direction| (parts.gap(direction) - slack, direction))
            .fold((f64::NEG_INFINITY, DVec3::ZERO), |best, next| if next.0 > best.0 { next } else { best })
    }
}

impl<'a> Context<'a> {
    /// A grain and a body, as bodies of any shape. There must be shapes.
    #[inline]
    pub(super) fn shaped_pair(&self, grain: usize, partner: u32) -> Option<ShapedPair<'a>> {
        let shapes = self.shapes?;
        let frames: [&Frame; 2] = [&self.frames[grain], &self.frames[partner as usize]];
        Some(ShapedPair::new(
            frames.map(|frame| shapes.entry(frame.shape)),
            frames.map(|frame| frame.orientation),
            self.bodies[partner as usize].position() - self.bodies[grain].position(),
        ))
    }
}

/// A pair whose bounding balls touch: its place among the near ones, and its contacts in the history.
#[derive(Clone, Copy, Debug)]
pub(super) struct Awake {
    pub(super) near: u32,
    /// The first, or [`NONE`].
    pub(super) old: u32,
    pub(super) n_old: u32,
}

/// Room to work in.
#[derive(Debug, Default)]
pub(super) struct ShapesRoom {
    pub(super) by_parts: Vec<Awake>,
    pub(super) by_profiles: Vec<Awake>,
    pub(super) revolutions: super::revolutions::Room,
}

/// Lists the pairs whose bounding balls touch, with their contacts of the last step.
#[inline(always)]
pub(super) fn find_awake(context: &Context, block: &Block, first: usize, room: &mut ShapesRoom) {
    room.by_parts.clear();
    room.by_profiles.clear();
    let mut next = 0;
    for (place, near) in block.near_shapes.iter().enumerate() {
        let mut n_old = 0;
        while let Some(touch) = block.shapes.get(next).filter(|touch| touch.near <= near.slot) {
            n_old += u32::from(touch.near == near.slot);
            next += 1;
        }
        let (a, b) = (&context.bodies[first + near.a as usize], &context.bodies[near.b as usize]);
        let reach = a.radius() + b.radius() + context.table.range;
        if (b.position() - a.position()).length_squared() < reach * reach {
            let old = if n_old > 0 { next as u32 - n_old } else { NONE };
            let awake = Awake { near: place as u32, old, n_old };
            match near.way {
                Way::Cylinders | Way::Revolutions => room.by_profiles.push(awake),
                Way::Wholes | Way::Parts => room.by_parts.push(awake),
            }
        }
    }
}

/// Finds the contacts of pairs that are no bodies of revolution, part by part.
#[inline(always)]
pub(super) fn find_by_parts(
    context: &Context,
    pairs: &[Awake],
    block: &mut Block,
    history: &ContactHistory,
    first: usize,
    workspace: &mut Workspace,
    found: &mut Vec<Found>,
) {
    for awake in pairs {
        if block.near_shapes[awake.near as usize].way == Way::Wholes {
            find_wholes(context, awake, block, history, first, workspace, found);
        } else {
            find_parts(context, awake, block, history, first, workspace, found);
        }
    }
}

/// Finds the contact of two grains that are one convex body each, in its own frame, under a depth law: the same as part by
/// part, with the axes of the grains at hand.
#[inline(always)]
fn find_wholes(
    context: &Context,
    awake: &Awake,
    block: &mut Block,
    history: &ContactHistory,
    first: usize,
    workspace: &mut Workspace,
    found: &mut Vec<Found>,
) {
    let Some(shapes) = context.shapes else { return };
    let near = &mut block.near_shapes[awake.near as usize];
    let pair = [first + near.a as usize, near.b as usize];
    let [frame_a, frame_b] = pair.map(|body| &context.frames[body]);
    let [a, b] = [frame_a, frame_b].map(|frame| &shapes.entry(frame.shape).parts[0]);
    let offset = context.bodies[pair[1]].position() - context.bodies[pair[0]].position();
    let range = context.table.range;
    let is_old = awake.old != NONE;
    // A pair that did not touch is tried first along the direction in which it was last found apart.
    if !is_old && near.hint != DVec3::ZERO {
        let (own_a, own_b) = (frame_a.own(near.hint), frame_b.own(-near.hint));
        let room = near.hint.dot(offset) - SURELY_APART * a.radius.max(b.radius) - range;
        // Most are so far apart that a bound shows it.
        if room > a.body.reach_at_most(own_a) + b.body.reach_at_most(own_b)
            || room > a.body.reach_along(own_a) + b.body.reach_along(own_b)
        {
            return;
        }
    }
    let method = context.table.contact_method;
    // Boxes do not ask for a guess.
    let guesses = is_old && !(a.is_box && b.is_box && method == ContactMethod::Exact);
    let guess = || guesses.then(|| frame_a.own(history.normal(awake.old as usize)));
    let pose_ab = Pose::new(frame_a.own(offset), frame_a.orientation.conjugate() * frame_b.orientation);
    let table = context.table;
    let have_faces = table.measures_faces() && a.has_faces && b.has_faces;
    let by_faces = |contact: &Contact, workspace: &mut Workspace| {
        let meeting = Meeting::by_faces([a.body.shape(), b.body.shape()], &pose_ab, contact, table, workspace)?;
        Some(meeting.placed(DVec3::ZERO, |own| frame_a.world(own)))
    };
    // The mean depth does not depend on the normal, and what touched in the last step is most often found where it was.
    if have_faces && is_old && table.faces == Faces::MeanDepth {
        let normal = frame_a.own(history.normal(awake.old as usize));
        if let Some(meeting) = by_faces(&Contact { normal, ..Contact::NOWHERE }, workspace) {
            let touch = Touch { a: near.a, b: near.b, target: near.target, near: near.slot };
            found.push(meeting.found(touch, [0, 0], 0, awake.old));
            return;
        }
    }
    let contact = match method.plane_between(a.body.shape(), b.body.shape(), &pose_ab) {
        Some(plane) => {
            block.searches.count(&plane);
            Ok(Some(plane.contact))
        }
        None if is_old && a.is_smooth && b.is_smooth => {
            let (normal, arm, depth) = history.place(awake.old as usize);
            let (normal, middle) = (frame_a.own(normal), frame_a.own(arm));
            let half = normal * (0.5 * depth);
            let last = Contact { normal, separation: -depth, point_a: middle + half, point_b: middle - half };
            contact_bodies_again(method, &a.body, &b.body, &pose_ab, &last, f64::INFINITY)
        }
        None => contact_bodies_by(method, &a.body, &b.body, &pose_ab, guess(), f64::INFINITY),
    };
    let (meeting, normal) = match contact {
        Ok(Some(contact)) => {
            let normal = frame_a.world(contact.normal);
            let meeting = if contact.separation >= range {
                None
            } else if have_faces {
                by_faces(&contact, workspace)
            } else if table.local_curvature && a.is_smooth && b.is_smooth {
                let meeting = Meeting::by_local_curvature([a.body.shape(), b.body.shape()], &pose_ab, &contact);
                meeting.map(|meeting| meeting.placed(DVec3::ZERO, |own| frame_a.world(own)))
            } else {
                let arm = frame_a.world(0.5 * (contact.point_a + contact.point_b));
                Some(Meeting::by_depth(normal, arm, -contact.separation))
            };
            (meeting, normal)
        }
        _ => {
            let parts = PlacedParts::new([a, b], [frame_a.orientation, frame_b.orientation], offset);
            let from = is_old.then(|| history.normal_and_law_depth(awake.old as usize));
            let (meeting, normal, unsettled) = parts.look(from, table, workspace, &mut block.searches);
            if let Some(bound) = unsettled {
                block.note_unsettled(context, pair[0], pair[1] as u32, [0, 0], bound);
            }
            (meeting, normal)
        }
    };
    let near = &mut block.near_shapes[awake.near as usize];
    match meeting {
        Some(meeting) => {
            let touch = Touch { a: near.a, b: near.b, target: near.target, near: near.slot };
            found.push(meeting.found(touch, [0, 0], 0, awake.old));
        }
        None if table.trusts_directions() => near.hint = normal,
        None => {}
    }
}

/// Finds the contacts of two grains, of each part with each.
fn find_parts(
    context: &Context,
    awake: &Awake,
    block: &mut Block,
    history: &ContactHistory,
    first: usize,
    workspace: &mut Workspace,
    found: &mut Vec<Found>,
) {
    let range = context.table.range;
    let NearShapes { a, b, target, slot, hint, .. } = block.near_shapes[awake.near as usize];
    let Some(pair) = context.shaped_pair(first + a as usize, b) else { return };
    // A pair that did not touch is tried first along the direction in which it was last found apart.
    let tries_hint = awake.n_old == 0 && hint != DVec3::ZERO && pair.is_simple();
    for (part_a, part_b) in pair.all_parts() {
        let parts = pair.parts(part_a, part_b);
        if !parts.balls_touch(range) || tries_hint && parts.gap(hint) > SURELY_APART * parts.size() + range {
            continue;
        }
        let key = [part_a as u16, part_b as u16];
        let mut old = awake.old..awake.old.wrapping_add(awake.n_old);
        let old = old.find(|&contact| history.points[contact as usize].parts == key);
        let from = old.map(|contact| history.normal_and_law_depth(contact as usize));
        let (meeting, normal, unsettled) = parts.look(from, context.table, workspace, &mut block.searches);
        if let Some(bound) = unsettled {
            block.note_unsettled(context, first + a as usize, b, key, bound);
        }
        match meeting {
            Some(meeting) => {
                let touch = Touch { a, b, target, near: slot };
                found.push(meeting.found(touch, key, 0, old.unwrap_or(NONE)));
            }
            None if context.table.trusts_directions() => block.near_shapes[awake.near as usize].hint = normal,
            None => {}
        }
    }
}

impl Block {
    #[cold]
    pub(super) fn note_unsettled(&mut self, context: &Context, a: usize, b: u32, parts: [u16; 2], bound: f64) {
        let partner = context.all.partner(b as usize);
        self.unsettled.get_or_insert(Unsettled { a, partner, parts: parts.map(u32::from), bound });
    }
}
