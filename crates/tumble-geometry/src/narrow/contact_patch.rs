//! What two bodies with flat faces press on each other with, corner by corner: the face of a that looks along a normal and that of b which
//! looks against it, seen along the normal, and the part that they have in common.
//!
//! Of the faces around the farthest corner of a body the one that looks most that way is taken, however much it is tilted: a body that
//! rocks from its face onto an edge keeps its patch, and its corners lift off one by one. The face of a is cut by each side of that of b in
//! turn (Sutherland and Hodgman, 1974). Every corner of what is left knows where it comes from, so that it can be found again: a corner of a,
//! one of b, or an edge of each that cross. In the plane faces are sides and the patch is a line with two ends; against a half-space it is
//! the whole face.
//!
//! The separation of two faces is linear over the patch, so that the deepest point of a contact is a corner of it. The share of a corner is
//! half of the two triangles that it and its neighbours make with the centroid, over the area. Shares add up to one, the corners
//! weighted by them have their centre in the centroid, and a corner that splits into two splits its share: they do not jump when corners
//! come and go.
//!
//! Exact but for rounding. The patch jumps where another face comes to look at the other body most, and there is none where faces
//! have less than rounding in common.

#[cfg(test)]
mod tests;

use crate::overlap::Workspace;
use crate::shape::Polygon;
use crate::tolerance::{IN_PLANE, LIES_FLAT, ON_PLANE};
use crate::{PlanarPose, Polyhedron, Pose, Shape};
use glam::{DMat3, DVec2, DVec3};
use std::f64::consts::PI;

/// Where a corner of a patch comes from. Numbers are those of [`Polyhedron::vertices`] or of the corners of a polygon; an edge is named by
/// its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchFeature {
    /// A vertex of a.
    VertexOfA(u32),
    /// A vertex of b.
    VertexOfB(u32),
    /// An edge of a and an edge of b that cross.
    Edges([u32; 2], [u32; 2]),
}

/// A corner of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchCorner {
    /// Where it is, half way between the two faces [m].
    pub point: DVec3,
    /// How far the faces are apart there along the normal [m]; below zero they overlap.
    pub separation: f64,
    /// Its share of the patch [1].
    pub share: f64,
    /// Where it comes from.
    pub feature: PatchFeature,
}

/// What two bodies press on each other with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactPatch {
    /// Its corners in order round it; the two ends of a line in the plane.
    pub corners: Vec<PatchCorner>,
    /// Unit normal along which it is seen, from a to b.
    pub normal: DVec3,
    /// Its area, seen along the normal [m^2]; of a line in the plane its length times the smaller thickness.
    pub area: f64,
    /// The face of a, and that of b unless it is a half-space: numbers of [`Polyhedron::faces`], or of the sides of a polygon, which begin at the
    /// corners with these numbers.
    pub faces: (u32, Option<u32>),
}

impl ContactPatch {
    /// Its centroid, half way between the faces; the middle of a line [m].
    pub fn centroid(&self) -> DVec3 {
        self.corners.iter().map(|corner| corner.point * corner.share).sum()
    }

    /// Integral of (x - centroid) (x - centroid)^T over it, seen along the normal [m^4].
    pub fn second_moments(&self) -> DMat3 {
        let centroid = self.centroid();
        let flat =
            |k: usize| (self.corners[k % self.corners.len()].point - centroid).reject_from_normalized(self.normal);
        let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        if let [_, _] = self.corners[..] {
            return outer(flat(1) - flat(0)) * (self.area / 12.0);
        }
        let mut sum = DMat3::ZERO;
        for k in 0..self.corners.len() {
            let (p, q) = (flat(k), flat(k + 1));
            // Over a triangle with a corner at the origin.
            sum += (outer(p) + outer(q) + outer(p + q)) * (p.cross(q).dot(self.normal).abs() / 24.0);
        }
        sum
    }

    /// The radius of a disc as large [m].
    #[inline]
    pub fn radius(&self) -> f64 {
        (self.area / PI).sqrt()
    }

    /// The largest depth of a corner [m].
    #[inline]
    pub fn depth(&self) -> f64 {
        self.corners.iter().map(|corner| -corner.separation).fold(0.0, f64::max)
    }

    /// The same with corners that coincide taken together.
    fn merged(mut self) -> ContactPatch {
        let size = self.corners.iter().map(|corner| corner.point.distance(self.corners[0].point)).fold(0.0, f64::max);
        let is_same = |p: &PatchCorner, q: &PatchCorner| p.point.distance(q.point) <= LIES_FLAT * size;
        self.corners.dedup_by(|next, kept| {
            let is_same = is_same(next, kept);
            kept.share += if is_same { next.share } else { 0.0 };
            is_same
        });
        if self.corners.len() > 2
            && is_same(&self.corners[0], &self.corners[self.corners.len() - 1])
            && let Some(last) = self.corners.pop()
        {
            self.corners[0].share += last.share;
        }
        self
    }
}

/// Whether a shape has the flat faces that a patch is made of.
pub fn has_patch(shape: &Shape) -> bool {
    shape.as_polyhedron().is_some()
}

/// The patch along a contact's unit normal, from a to b, with corners that coincide taken together; `None` for shapes that [`has_patch`]
/// does not name, and where the faces do not lie over each other, as is so for directions that are not a contact's. `pose_ab` is b
/// seen from a, and the answer is in a's frame.
///
/// ```
/// use tumble_geometry::{DVec3, Pose, Shape, contact, narrow::contact_patch};
///
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let above = Pose::from_position(DVec3::new(0.25, 0.5, 0.99));
/// let found = contact(&cube, &cube, &above).expect("it converges");
/// let patch = contact_patch(&cube, &cube, &above, found.normal).expect("they touch");
/// assert_eq!(patch.corners.len(), 4);
/// assert!((patch.area - 0.75 * 0.5).abs() < 1e-12);
/// assert!(patch.corners.iter().all(|corner| (corner.separation + 0.01).abs() < 1e-12 && corner.share == 0.25));
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn contact_patch(a: &Shape, b: &Shape, pose_ab: &Pose, normal: DVec3) -> Option<ContactPatch> {
    let mut workspace = Workspace::default();
    contact_patch_in(a, b, pose_ab, normal, &mut workspace).cloned().map(ContactPatch::merged)
}

/// The same of a shape, which is a, beyond a plane at a distance from its origin along a unit direction, in the shape's frame.
pub fn contact_patch_beyond_plane(shape: &Shape, direction: DVec3, distance: f64) -> Option<ContactPatch> {
    let mut workspace = Workspace::default();
    contact_patch_beyond_plane_in(shape, direction, distance, &mut workspace).cloned().map(ContactPatch::merged)
}

/// Lists for patches.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatchWorkspace {
    patch: ContactPatch,
    /// The outline of b's face.
    outline: Vec<(DVec2, u32)>,
    left: Vec<Corner>,
    kept: Vec<Corner>,
}

/// The same as [`contact_patch`], in a workspace; corners may coincide.
pub fn contact_patch_in<'w>(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    normal: DVec3,
    workspace: &'w mut Workspace,
) -> Option<&'w ContactPatch> {
    let workspace = &mut workspace.patches;
    if let (Shape::Polygon(polygon_a), Shape::Polygon(polygon_b)) = (a, b)
        && let Some(pose) = PlanarPose::of(pose_ab, a.bounding_radius().max(b.bounding_radius()))
    {
        return workspace.of_polygons(polygon_a, polygon_b, &pose, normal);
    }
    workspace.of_polyhedra(a.as_polyhedron()?, b.as_polyhedron()?, pose_ab, normal)
}

/// The same as [`contact_patch_beyond_plane`], in a workspace.
pub fn contact_patch_beyond_plane_in<'w>(
    shape: &Shape,
    direction: DVec3,
    distance: f64,
    workspace: &'w mut Workspace,
) -> Option<&'w ContactPatch> {
    let workspace = &mut workspace.patches;
    if let Shape::Polygon(polygon) = shape
        && direction.z.abs() <= IN_PLANE
    {
        return workspace.of_polygon_beyond_line(polygon, direction, distance);
    }
    workspace.of_polyhedron_beyond_plane(shape.as_polyhedron()?, direction, distance)
}

/// A corner of what is left of a's face.
#[derive(Clone, Copy, Debug)]
struct Corner {
    place: DVec2,
    feature: PatchFeature,
    /// What leads on from it to the next.
    side: Side,
}

/// An edge of a by its ends, or one of b by the place in its outline where it begins.
#[derive(Clone, Copy, Debug)]
enum Side {
    OfA([u32; 2]),
    OfB(usize),
}

/// The plane of a face as heights over the plane across a normal.
#[derive(Clone, Copy)]
struct Slant {
    height: f64,
    slope: DVec2,
}

impl Slant {
    /// That of the plane with `normal . x = offset`, over axes that the last of which is the direction of heights.
    fn new(normal: DVec3, offset: f64, [x, y, up]: [DVec3; 3]) -> Slant {
        let rise = 1.0 / normal.dot(up);
        Slant { height: offset * rise, slope: DVec2::new(normal.dot(x), normal.dot(y)) * -rise }
    }

    #[inline]
    fn at(&self, place: DVec2) -> f64 {
        self.height + self.slope.dot(place)
    }
}

impl PatchWorkspace {
    fn of_polyhedra(&mut self, a: &Polyhedron, b: &Polyhedron, pose_ab: &Pose, normal: DVec3) -> Option<&ContactPatch> {
        let turn = DMat3::from_quat(pose_ab.orientation);
        let faces = [a.facing(normal), b.facing(turn.transpose() * -normal)];
        let (face_a, face_b) = (&a.faces()[faces[0]], &b.faces()[faces[1]]);
        let axes = axes_across(normal);
        let flat = |point: DVec3| DVec2::new(axes[0].dot(point), axes[1].dot(point));
        self.begin_with(&face_a.vertices, |vertex| flat(a.vertices()[vertex as usize]));
        self.outline.clear();
        // Seen along the normal, from the inside of b, its face runs the other way round.
        self.outline.extend(
            face_b
                .vertices
                .iter()
                .rev()
                .map(|&vertex| (flat(turn * b.vertices()[vertex as usize] + pose_ab.position), vertex)),
        );
        self.cut();
        let normal_b = turn * face_b.normal;
        let slants = [
            Slant::new(face_a.normal, face_a.offset, axes),
            Slant::new(normal_b, face_b.offset + normal_b.dot(pose_ab.position), axes),
        ];
        let size = a.bounding_radius().max(b.bounding_radius());
        self.patch.faces = (faces[0] as u32, Some(faces[1] as u32));
        self.measured(axes, slants, size)
    }

    fn of_polyhedron_beyond_plane(&mut self, a: &Polyhedron, direction: DVec3, distance: f64) -> Option<&ContactPatch> {
        let index = a.facing(direction);
        let face = &a.faces()[index];
        let axes = axes_across(direction);
        self.begin_with(&face.vertices, |vertex| {
            let point = a.vertices()[vertex as usize];
            DVec2::new(axes[0].dot(point), axes[1].dot(point))
        });
        let plane = Slant { height: distance, slope: DVec2::ZERO };
        self.patch.faces = (index as u32, None);
        self.measured(axes, [Slant::new(face.normal, face.offset, axes), plane], a.bounding_radius())
    }

    /// All of a's face.
    fn begin_with(&mut self, ring: &[u32], place: impl Fn(u32) -> DVec2) {
        self.left.clear();
        self.left.extend(ring.iter().zip(ring.iter().cycle().skip(1)).map(|(&vertex, &next)| Corner {
            place: place(vertex),
            feature: PatchFeature::VertexOfA(vertex),
            side: Side::OfA([vertex, next]),
        }));
    }

    /// Cuts what is left by each side of the outline, which has what is inside on the left.
    fn cut(&mut self) {
        let PatchWorkspace { outline, left, kept, .. } = self;
        let n = outline.len();
        for index in 0..n {
            let ((start, _), (end, next)) = (outline[index], outline[(index + 1) % n]);
            let along = end - start;
            let height = |corner: &Corner| along.perp_dot(corner.place - start);
            if left.iter().all(|corner| height(corner) >= 0.0) {
                continue;
            }
            kept.clear();
            for (k, corner) in left.iter().enumerate() {
                let beyond = &left[(k + 1) % left.len()];
                let (here, there) = (height(corner), height(beyond));
                if here >= 0.0 {
                    kept.push(*corner);
                }
                if (here < 0.0) != (there < 0.0) {
                    let feature = match corner.side {
                        Side::OfA(edge) => PatchFeature::Edges(edge, [next, outline[index].1]),
                        // Two edges of b meet in one of its corners.
                        Side::OfB(before) if (before + 1) % n == index => PatchFeature::VertexOfB(outline[index].1),
                        Side::OfB(_) => PatchFeature::VertexOfB(next),
                    };
                    let side = if here < 0.0 { corner.side } else { Side::OfB(index) };
                    let place = corner.place + (beyond.place - corner.place) * (here / (here - there));
                    kept.push(Corner { place, feature, side });
                }
            }
            std::mem::swap(left, kept);
        }
    }

    /// The patch of what is left, between the planes of a's and b's face.
    fn measured(&mut self, axes: [DVec3; 3], slants: [Slant; 2], size: f64) -> Option<&ContactPatch> {
        let PatchWorkspace { patch, left, .. } = self;
        let n = left.len();
        let base = left.first()?.place;
        let (mut doubled, mut moment) = (0.0, DVec2::ZERO);
        for pair in left.windows(2).skip(1) {
            let (p, q) = (pair[0].place - base, pair[1].place - base);
            let twice = p.perp_dot(q);
            doubled += twice;
            moment += (p + q) * twice;
        }
        if doubled <= ON_PLANE * size * size || doubled.is_nan() {
            return None;
        }
        let middle = base + moment / (3.0 * doubled);
        let triangle = |k: usize| (left[k].place - middle).perp_dot(left[(k + 1) % n].place - middle);
        patch.corners.clear();
        let mut before = triangle(n - 1);
        for (k, corner) in left.iter().enumerate() {
            let after = triangle(k);
            let [low, high] = slants.map(|slant| slant.at(corner.place));
            patch.corners.push(PatchCorner {
                point: axes[0] * corner.place.x + axes[1] * corner.place.y + axes[2] * (0.5 * (low + high)),
                separation: high - low,
                share: 0.5 * (before + after) / doubled,
                feature: corner.feature,
            });
            before = after;
        }
        (patch.normal, patch.area) = (axes[2], 0.5 * doubled);
        Some(patch)
    }

    fn of_polygons(&mut self, a: &Polygon, b: &Polygon, pose: &PlanarPose, normal: DVec3) -> Option<&ContactPatch> {
        let up = normal.truncate().normalize_or_zero();
        let along = -up.perp();
        let seen = |point: DVec2| DVec2::new(along.dot(point), up.dot(point));
        let of_a = facing_side(a.corners(), up);
        let of_b = facing_side(b.corners(), pose.inverse_transform_vector(-up));
        // From the left to the right: seen along the normal a's side runs the other way.
        let [end_a, start_a] = of_a.map(|k| (seen(a.corners()[k]), PatchFeature::VertexOfA(k as u32)));
        let [start_b, end_b] =
            of_b.map(|k| (seen(pose.transform_point(b.corners()[k])), PatchFeature::VertexOfB(k as u32)));
        let start = if start_a.0.x >= start_b.0.x { start_a } else { start_b };
        let end = if end_a.0.x <= end_b.0.x { end_a } else { end_b };
        let ends = [[start_a.0, end_a.0], [start_b.0, end_b.0]];
        let size = a.solid().bounding_radius().max(b.solid().bounding_radius());
        self.patch.faces = (of_a[0] as u32, Some(of_b[0] as u32));
        let thickness = 2.0 * a.half_thickness().min(b.half_thickness());
        self.measured_line([along, up], ends, [(start.0.x, start.1), (end.0.x, end.1)], thickness, size)
    }

    fn of_polygon_beyond_line(&mut self, a: &Polygon, direction: DVec3, distance: f64) -> Option<&ContactPatch> {
        let up = direction.truncate().normalize_or_zero();
        let along = -up.perp();
        let side = facing_side(a.corners(), up);
        let [end, start] = side.map(|k| {
            let corner = a.corners()[k];
            (DVec2::new(along.dot(corner), up.dot(corner)), PatchFeature::VertexOfA(k as u32))
        });
        let level = [start.0.with_y(distance), end.0.with_y(distance)];
        self.patch.faces = (side[0] as u32, None);
        let ends = [(start.0.x, start.1), (end.0.x, end.1)];
        let size = a.solid().bounding_radius();
        self.measured_line([along, up], [[start.0, end.0], level], ends, 2.0 * a.half_thickness(), size)
    }

    /// The patch of two lines between two places along them. `lines` are the ends of a's and b's, from the left to the right.
    fn measured_line(
        &mut self,
        [along, up]: [DVec2; 2],
        lines: [[DVec2; 2]; 2],
        ends: [(f64, PatchFeature); 2],
        thickness: f64,
        size: f64,
    ) -> Option<&ContactPatch> {
        let length = ends[1].0 - ends[0].0;
        if length <= ON_PLANE * size || length.is_nan() {
            return None;
        }
        let height = |[p, q]: [DVec2; 2], x: f64| p.y + (q.y - p.y) * ((x - p.x) / (q.x - p.x));
        let patch = &mut self.patch;
        patch.corners.clear();
        patch.corners.extend(ends.map(|(x, feature)| {
            let [low, high] = lines.map(|line| height(line, x));
            PatchCorner {
                point: (along * x + up * (0.5 * (low + high))).extend(0.0),
                separation: high - low,
                share: 0.5,
                feature,
            }
        }));
        (patch.normal, patch.area) = (up.extend(0.0), length * thickness);
        Some(patch)
    }
}

/// Two axes across a unit normal and the normal, right-handed.
fn axes_across(normal: DVec3) -> [DVec3; 3] {
    let x = normal.any_orthonormal_vector();
    [x, normal.cross(x), normal]
}

/// Of the two sides at the corner of a polygon farthest along a direction the one that looks that way most, by the numbers of its ends.
fn facing_side(corners: &[DVec2], direction: DVec2) -> [usize; 2] {
    let n = corners.len();
    let height = |k: &usize| corners[*k].dot(direction);
    let farthest = (0..n).max_by(|x, y| height(x).total_cmp(&height(y))).unwrap_or(0);
    let (before, after) = ((farthest + n - 1) % n, (farthest + 1) % n);
    let cosine = |k: usize, next: usize| -(corners[next] - corners[k]).normalize_or_zero().perp().dot(direction);
    if cosine(before, farthest) > cosine(farthest, after) { [before, farthest] } else { [farthest, after] }
}
