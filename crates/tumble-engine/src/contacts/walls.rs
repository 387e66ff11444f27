//! Where grains touch walls.
//!
//! A grain can touch one wall in several places. Each is known by its feature of the wall's surface; when a grain moves
//! on to a neighbouring feature, the memory moves with it. In a periodic domain walls are met through their images too
//! (boundary/wall_images.rs): an image is a wall elsewhere, with the features and the loads of the wall.

use super::blended::{blended, blended_depths, blended_volumes, with_passes};
use super::bodies::{Body, WallImage};
use super::found::{Found, inherit};
use super::meeting::Meeting;
use super::near::NONE;
use super::respond::Touch;
use super::shape_table::{SizedPart, SizedShape};
use super::tangent_plane::PlacedPart;
use super::{Block, Context};
use crate::boundary::wall_images::WallImages;
use crate::law::{Faces, LawTable};
use crate::model::Model;
use crate::state::ContactHistory;
use glam::{DMat3, DQuat, DVec3};
use std::cell::RefCell;
use std::f64::consts::PI;
use tumble_geometry::lanes::{head, row, tail};
use tumble_geometry::narrow::{
    BeyondPlane, MeshPatch, YieldedSurface, contact_body_surface, contact_mean_depth_surface, contact_measured_surface,
    contact_yielding_surface,
};
use tumble_geometry::overlap::{Workspace, depth_moments_half_space};
use tumble_geometry::tolerance::{LEVEL, SAME_NORMAL};
use tumble_geometry::{Pose, Shape, Surface, SurfaceContact};

/// A wall's pose, ready for many points.
pub(super) struct WallFrame<'a> {
    surface: &'a Surface,
    position: DVec3,
    to_local: DMat3,
    to_world: DMat3,
    orientation: DQuat,
}

impl<'a> WallFrame<'a> {
    /// Walls and images of them, from the poses of the walls.
    pub(super) fn all(
        model: &'a Model,
        surfaces: &'a WallImages,
        images: &[WallImage],
        pose: impl Fn(usize) -> Pose,
    ) -> Vec<WallFrame<'a>> {
        let frame = |image: &WallImage| {
            let wall = image.wall as usize;
            let Pose { position, orientation } = pose(wall);
            WallFrame::new(surfaces.surface(model, wall), &Pose::new(position + image.shift, orientation))
        };
        images.iter().map(frame).collect()
    }

    pub(super) fn new(surface: &'a Surface, pose: &Pose) -> WallFrame<'a> {
        let to_world = DMat3::from_quat(pose.orientation);
        WallFrame {
            surface,
            position: pose.position,
            to_local: to_world.transpose(),
            to_world,
            orientation: pose.orientation,
        }
    }

    /// Whether a ball is within a distance of the wall.
    pub(super) fn is_near(&self, centre: DVec3, radius: f64, margin: f64, found: &mut Vec<SurfaceContact>) -> bool {
        found.clear();
        self.surface.contacts_with_sphere(self.to_local * (centre - self.position), radius, margin, found);
        !found.is_empty()
    }

    /// The places where a sphere touches the wall, in world coordinates.
    fn contacts_of_ball(
        &self,
        body: &Body,
        range: f64,
        patch: Option<&mut MeshPatch>,
        found: &mut Vec<SurfaceContact>,
    ) {
        if let Surface::HalfSpace = self.surface {
            found.clear();
            let up = self.to_world.z_axis;
            let height = up.dot(body.position() - self.position);
            let separation = height - body.radius();
            if separation < range {
                let point = body.position() - up * height;
                found.push(SurfaceContact::new(0, -up, separation, point));
            }
            return;
        }
        if let (Surface::Mesh(mesh), Some(patch)) = (self.surface, patch) {
            found.clear();
            let centre = self.to_local * (body.position() - self.position);
            patch.contacts(mesh, centre, body.radius(), range, found);
        } else {
            self.is_near(body.position(), body.radius(), range, found);
        }
        found.retain(|contact| contact.separation < range);
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
        let placed = part.placed(grain);
        // Most grains that are listed do not reach the wall. The ball of a planar shape leaves out its thickness.
        let is_planar = part.body.shape().kind().is_planar();
        let reach = part.radius + table.range;
        if !is_planar && !self.surface.may_be_within(self.to_local * (placed.position - self.position), reach) {
            return;
        }
        let wall = Pose::new(self.position, self.orientation);
        contact_body_surface(&part.body, self.surface, &wall.relative(&placed), table.range, found);
        found.retain(|contact| contact.separation < table.range);
        for contact in found.iter_mut() {
            *contact = contact.transformed(&wall);
        }
    }

    /// How a part of a grain meets the wall if it gives way, or if it has faces, a mean depth counts and the wall is a mesh. `false` if
    /// it is none of these.
    #[expect(clippy::too_many_arguments, reason = "a part, a wall, the law, and where to work")]
    fn meetings_of_faces(
        &self,
        part: &SizedPart,
        grain: &Pose,
        table: &LawTable,
        room: &mut Vec<SurfaceContact>,
        found: &mut Vec<YieldedSurface>,
        workspace: &mut Workspace,
        mut meet: impl FnMut(u32, Meeting),
    ) -> bool {
        let yielding = part.yielding.as_ref().filter(|body| body.yields());
        let by_mean_depth = table.faces == Faces::MeanDepth
            && part.has_faces
            && matches!(
                (self.surface, part.body.shape()),
                (Surface::Mesh(_), Shape::Polyhedron(_) | Shape::Polygon(_))
            );
        if yielding.is_none() && !by_mean_depth {
            return false;
        }
        let placed = part.placed(grain);
        if !self.surface.may_be_within(self.to_local * (placed.position - self.position), part.radius) {
            return true;
        }
        let wall = Pose::new(self.position, self.orientation);
        let seen = wall.relative(&placed);
        found.clear();
        match yielding {
            Some(body) => contact_yielding_surface(body, self.surface, &seen, room, found),
            None => contact_mean_depth_surface(part.body.shape(), self.surface, &seen, workspace, room, found),
        }
        for contact in found.chunk_by(|_, next| next.contact.is_pass()) {
            room.clear();
            room.extend(contact.iter().map(|part| part.contact.transformed(&wall)));
            if let ([place], true) = (&room[..], by_mean_depth) {
                let plane = Pose::new(place.point, DQuat::from_rotation_arc(DVec3::Z, -place.normal));
                if let Some(meeting) = faces_beyond(part, &placed, &plane, grain.position, table, workspace) {
                    meet(place.feature, meeting);
                }
                continue;
            }
            let Some(mut meeting) = blended(room, |k| contact[k].slope, table.hertz, grain.position) else { continue };
            let YieldedSurface { flat_depth, patch_radius, .. } = contact[0];
            let [pitch, _, _, slope] = meeting.region.to_array();
            meeting.depth = flat_depth;
            meeting.region = row(DVec3::new(pitch, patch_radius, 0.0), slope);
            meet(room[0].feature, meeting);
        }
        true
    }

    /// How a part of a grain meets a mesh or a wall of revolution under the volume law: contacts and passes are where the volume beyond a plane
    /// is stationary. `false` if it is another law or wall.
    fn meetings_by_volume(
        &self,
        part: &SizedPart,
        grain: &Pose,
        table: &LawTable,
        room: &mut Vec<SurfaceContact>,
        workspace: &mut Workspace,
        mut meet: impl FnMut(u32, Meeting),
    ) -> bool {
        let (Some(law), Surface::Mesh(_) | Surface::Revolved(_)) = (&table.volume, self.surface) else { return false };
        let placed = part.placed(grain);
        room.clear();
        if !self.surface.may_be_within(self.to_local * (placed.position - self.position), part.radius) {
            return true;
        }
        let wall = Pose::new(self.position, self.orientation);
        let shape = part.body.shape();
        let workspace = RefCell::new(workspace);
        let own = PlacedPart { shape, pose: Pose::IDENTITY, by_depths: table.by_depths };
        let accuracy = own.accuracy(&workspace.borrow());
        let largest_section = PI * shape.bounding_radius() * shape.bounding_radius();
        let measure = |direction: DVec3, distance: f64| {
            let origin = DVec3::ZERO;
            let region = own.beyond_plane(direction * distance, direction, origin, &mut workspace.borrow_mut())?;
            let (s, v) = (region.vector_area, region.volume);
            if !(v > 0.0 && s.length() > 0.0) {
                return None;
            }
            // No more than the depth: the volume over an area that no section exceeds, and so on.
            let (depth, slope) = (v / largest_section, s.length() / largest_section);
            let root = depth.sqrt();
            let (depth, slope) = if table.by_depths { (root, 0.5 * slope / root) } else { (depth, slope) };
            Some(BeyondPlane { depth, slope, point: s.cross(region.first_moment) / s.length_squared() })
        };
        contact_measured_surface(shape, self.surface, &wall.relative(&placed), &measure, accuracy, room);
        let body = PlacedPart { shape, pose: placed, by_depths: table.by_depths };
        let at_place = |contact: &SurfaceContact| {
            let contact = contact.transformed(&wall);
            let workspace = &mut workspace.borrow_mut();
            let region = body.beyond_plane(contact.point, contact.normal, grain.position, workspace)?;
            let local = placed.orientation.conjugate() * contact.normal;
            let farthest = placed.position + placed.orientation * shape.support(local);
            let depth = contact.normal.dot(farthest - contact.point);
            Some((contact.weight, Meeting::by_volume(&region, DVec3::ZERO, depth)?))
        };
        for places in with_passes(room) {
            let parts: Vec<(f64, Meeting)> = places.iter().filter_map(at_place).collect();
            if let Some(meeting) = blended_volumes(&parts, law) {
                meet(places[0].feature, meeting);
            }
        }
        true
    }

    /// How a part of a grain with faces meets a mesh by its sub-contacts: contacts and passes are where their common depth is stationary.
    /// `false` if it is another part, law or wall.
    fn meetings_with_mesh_by_sub_contacts(
        &self,
        part: &SizedPart,
        grain: &Pose,
        table: &LawTable,
        room: &mut Vec<SurfaceContact>,
        workspace: &mut Workspace,
        mut meet: impl FnMut(u32, Meeting),
    ) -> bool {
        let (Faces::SubContacts { .. }, Surface::Mesh(_), true) = (table.faces, self.surface, part.has_faces) else {
            return false;
        };
        let placed = part.placed(grain);
        room.clear();
        if !self.surface.may_be_within(self.to_local * (placed.position - self.position), part.radius) {
            return true;
        }
        let wall = Pose::new(self.position, self.orientation);
        let shape = part.body.shape();
        let workspace = RefCell::new(workspace);
        let beyond = |direction: DVec3, distance: f64| {
            let workspace = &mut workspace.borrow_mut();
            Meeting::by_sub_contacts_beyond_plane(shape, direction, distance, table.hertz, workspace)
        };
        let measure = |direction: DVec3, distance: f64| {
            let meeting = beyond(direction, distance)?;
            let slope = tail(meeting.region);
            Some(BeyondPlane { depth: meeting.overlap * slope, slope, point: meeting.arm })
        };
        let accuracy = LEVEL * part.radius;
        contact_measured_surface(shape, self.surface, &wall.relative(&placed), &measure, accuracy, room);
        let at_place = |contact: &SurfaceContact| {
            let contact = contact.transformed(&wall);
            let direction = placed.inverse_transform_vector(contact.normal);
            let distance = contact.normal.dot(contact.point - placed.position);
            let meeting = beyond(direction, distance)?;
            Some((contact.weight, meeting.placed(placed.position - grain.position, |own| placed.transform_vector(own))))
        };
        for places in with_passes(room) {
            let parts: Vec<(f64, Meeting)> = places.iter().filter_map(at_place).collect();
            if let Some(meeting) = blended_depths(&parts, table.hertz) {
                meet(places[0].feature, meeting);
            }
        }
        true
    }

    /// How a part of a grain meets the wall at one of those places, given with its passes; under the volume law a half-space.
    pub(super) fn meeting(
        &self,
        part: &SizedPart,
        grain: &Pose,
        contact: &[SurfaceContact],
        table: &LawTable,
        workspace: &mut Workspace,
    ) -> Option<Meeting> {
        if table.volume.is_none() {
            if table.measures_faces()
                && part.has_faces
                && let Surface::HalfSpace = self.surface
            {
                let plane = Pose::new(self.position, self.orientation);
                return faces_beyond(part, &part.placed(grain), &plane, grain.position, table, workspace);
            }
            if table.local_curvature
                && part.is_smooth
                && let (Surface::HalfSpace, [place]) = (self.surface, contact)
            {
                let placed = part.placed(grain);
                let [normal, point] = [
                    placed.inverse_transform_vector(place.normal),
                    placed.inverse_transform_point(place.point_on_grain()),
                ];
                let shape = part.body.shape();
                let meeting = Meeting::by_local_curvature_beyond_plane(shape, normal, point, -place.separation)?;
                return Some(meeting.placed(placed.position - grain.position, |own| placed.transform_vector(own)));
            }
            return blended(contact, |_| 1.0, table.hertz, grain.position);
        }
        let contact = contact.first()?;
        let (normal, separation) = (contact.normal, contact.separation);
        let body = PlacedPart { shape: part.body.shape(), pose: part.placed(grain), by_depths: table.by_depths };
        let region = body.beyond_plane(contact.point, normal, self.position, workspace)?;
        Meeting::by_volume(&region, self.position - grain.position, -separation)
    }
}

/// How a part of a grain with faces meets a half-space, seen from the grain's centre.
fn faces_beyond(
    part: &SizedPart,
    placed: &Pose,
    plane: &Pose,
    centre: DVec3,
    table: &LawTable,
    workspace: &mut Workspace,
) -> Option<Meeting> {
    if let Faces::SubContacts { .. } = table.faces {
        let direction = placed.inverse_transform_vector(plane.transform_vector(DVec3::NEG_Z));
        let distance = direction.dot(placed.inverse_transform_point(plane.position));
        let shape = part.body.shape();
        let meeting = Meeting::by_sub_contacts_beyond_plane(shape, direction, distance, table.hertz, workspace)?;
        return Some(meeting.placed(placed.position - centre, |own| placed.transform_vector(own)));
    }
    let moments = depth_moments_half_space(part.body.shape(), &plane.relative(placed), workspace)?;
    let meeting = Meeting::by_mean_depth(&moments)?;
    Some(meeting.placed(plane.position - centre, |own| plane.transform_vector(own)))
}

/// What the search for contacts with walls works with.
#[derive(Debug, Default)]
pub(super) struct WallsRoom {
    places: Vec<SurfaceContact>,
    yielded: Vec<YieldedSurface>,
    pub(super) balls: Vec<Found>,
    pub(super) shapes: Vec<Found>,
}

impl WallsRoom {
    /// Nothing was found.
    pub(super) fn clear(&mut self) {
        self.balls.clear();
        self.shapes.clear();
    }
}

/// Finds the contacts of a block's grains with walls: of spheres under a depth law, and of all others.
pub(super) fn find(
    context: &Context,
    block: &Block,
    [balls, shapes]: [&ContactHistory; 2],
    first: usize,
    patches: &mut [MeshPatch],
    room: &mut WallsRoom,
    workspace: &mut Workspace,
) {
    let WallsRoom { places, yielded, balls: found_balls, shapes: found_shapes } = room;
    found_balls.clear();
    found_shapes.clear();
    let (mut next_ball, mut next_shape) = (0, 0);
    for &local in &block.near_walls {
        let grain = first + local as usize;
        let body = &context.bodies[grain];
        let general = context.general_shape(grain);
        let (found, touches, next) = match general {
            None => (&mut *found_balls, &block.balls_at_walls, &mut next_ball),
            Some(_) => (&mut *found_shapes, &block.shapes_at_walls, &mut next_shape),
        };
        let begin = found.len();
        // Where what was found at the wall of the last image begins, and how many images of it there were before this one.
        let (mut begin_wall, mut last, mut rank) = (begin, u32::MAX, 0);
        for slot in context.wall_start[grain] as usize..context.wall_start[grain + 1] as usize {
            let image = context.wall_candidate[slot];
            let frame = &context.walls[image as usize];
            let wall = context.wall_images[image as usize].wall;
            (begin_wall, rank) = if wall == last { (begin_wall, rank + 1) } else { (found.len(), 0) };
            last = wall;
            let begin_image = found.len();
            let touch =
                Touch { a: local, b: context.first_wall as u32 + image, target: block.wall_target(wall), near: wall };
            let Some(shape) = general else {
                let patch = patches.get_mut(slot - context.wall_start[first] as usize);
                frame.contacts_of_ball(body, context.table.range, patch, places);
                for place in with_passes(places) {
                    if let Some(meeting) = blended(place, |_| 1.0, context.table.hertz, body.position()) {
                        found.push(meeting.found(touch, [0, rank], place[0].feature, NONE));
                    }
                }
                keep_deepest(found, [begin_wall, begin_image]);
                continue;
            };
            let pose = Pose::new(body.position(), context.frames[grain].orientation);
            find_shape(frame, shape, &pose, touch, rank, context.table, places, yielded, workspace, found);
            keep_deepest(found, [begin_wall, begin_image]);
        }
        let end = *next + touches[*next..].iter().take_while(|touch| touch.a == local).count();
        inherit(&mut found[begin..], if general.is_none() { balls } else { shapes }, *next..end);
        *next = end;
    }
}

/// Of contacts of one grain with several images of one wall whose normals are nearly parallel leaves the deepest, as one surface
/// does by itself. `[begin_wall, begin_image]`: where those of the wall begin, and those of the last image.
fn keep_deepest(found: &mut Vec<Found>, [begin_wall, begin_image]: [usize; 2]) {
    if begin_wall == begin_image {
        return;
    }
    let mut n_kept = begin_image;
    for index in begin_image..found.len() {
        let new = found[index];
        let is_same = |old: &&mut Found| {
            old.point.parts[0] == new.point.parts[0] && (head(old.normal) - head(new.normal)).length() <= SAME_NORMAL
        };
        match found[begin_wall..begin_image].iter_mut().find(is_same) {
            Some(old) if tail(new.normal) < tail(old.normal) => *old = new,
            Some(_) => {}
            None => {
                found[n_kept] = new;
                n_kept += 1;
            }
        }
    }
    found.truncate(n_kept);
}

#[expect(clippy::too_many_arguments, reason = "a grain, a wall, the law, and where to work")]
fn find_shape(
    frame: &WallFrame,
    shape: &SizedShape,
    pose: &Pose,
    touch: Touch,
    rank: u16,
    table: &LawTable,
    places: &mut Vec<SurfaceContact>,
    yielded: &mut Vec<YieldedSurface>,
    workspace: &mut Workspace,
    found: &mut Vec<Found>,
) {
    for (index, part) in shape.parts.iter().enumerate() {
        let mut meet = |feature: u32, meeting: Meeting| {
            found.push(meeting.found(touch, [index as u16, rank], feature, NONE));
        };
        if frame.meetings_by_volume(part, pose, table, places, workspace, &mut meet)
            || frame.meetings_with_mesh_by_sub_contacts(part, pose, table, places, workspace, &mut meet)
            || frame.meetings_of_faces(part, pose, table, places, yielded, workspace, &mut meet)
        {
            continue;
        }
        frame.contacts_of_part(part, pose, table, places);
        for place in with_passes(places) {
            if let Some(meeting) = frame.meeting(part, pose, place, table, workspace) {
                found.push(meeting.found(touch, [index as u16, rank], place[0].feature, NONE));
            }
        }
    }
}
