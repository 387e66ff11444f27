//! A convex shape and a mesh of triangles.
//!
//! Every part of a mesh has its own normals: a face two (the one away from the side the body's centre is on serves), an
//! edge those that lead away from the body into none of its triangles, a corner likewise. A contact is where the body
//! reaches farthest along one of these normals right over that part:
//!
//! - a face: the body's farthest point along the face's normal, or the middle of what lies flat, if its foot lies in the
//!   triangle, or beyond it behind others that turn towards the body (face_reach.rs);
//! - an edge: the largest separation over the edge's normals, which is the least reach over one angle
//!   (direction_fan.rs), if the body's point there lies over the edge;
//! - a corner: the general pair, if its normal is one of the corner's.
//!
//! An edge between two triangles in one plane or in a groove has no normals, nor has a vertex on one, so a box that slides
//! over a divided floor feels nothing of the seams. Contacts with faces that turn little from one to the next go over into each
//! other: see face_passes.rs.
//!
//! Features: triangles in the order given, then edges, then vertices, as for balls: one body has at most one contact
//! with each.
//!
//! Known limits: a body sunk so deep that its centre has passed a face is pushed out the other way; a corner sunk deeper
//! into the body than some other way out is not met as a corner; where edges of both kinds come together in one corner, a body
//! that is sunk as deep as the parts of the mesh are large may lose a contact at once.

use super::blend::blend;
use super::contact_convex_point::contact_convex_point;
use super::direction_fan::DirectionFan;
use super::face_passes::passes_between_faces;
use super::face_reach::{Beyond, FaceReach, away_from, beyond, is_inside};
use super::keep_crossed::keep_crossed;
use super::merge_contacts::{merge_same_points, merge_ties};
use super::placed_shape::PlacedShape;
use crate::surface::Mesh;
use crate::{SurfaceContact, tolerance};
use glam::DVec3;
use std::f64::consts::PI;

/// Angle [rad] between normals below which they are those of one plane or line.
const SAME_DIRECTION: f64 = 1e-7;

/// Appends every contact of a convex shape with the mesh whose separation is at most `margin`, all in the mesh's frame.
pub(super) fn contact_convex_mesh(mesh: &Mesh, body: &PlacedShape, margin: f64, out: &mut Vec<SurfaceContact>) {
    let first = out.len();
    let reach = body.radius + margin;
    let scale = mesh.length_scale() + body.radius;
    let foot_tolerance = tolerance::SAME_POINT * scale + 2.0 * tolerance::FLAT_EDGE * body.radius;
    // What is measured of a body is known less well than its farthest point.
    let small = body.measured.map_or(1e-3 * tolerance::SAME_POINT * scale, |measure| measure.accuracy);
    let question = Question { mesh, body, margin, foot_tolerance, small };
    let mut faces: Vec<FaceReach> = Vec::new();
    mesh.visit_within(body.centre, reach, |triangle| {
        let corners = mesh.corners(triangle);
        let height = mesh.normal(triangle).dot(body.centre - corners[0]);
        if height.abs() > reach {
            return;
        }
        faces.extend(FaceReach::new(mesh, triangle, body, margin));
        for k in 0..3 {
            let (start, end) = (corners[k], corners[(k + 1) % 3]);
            let edge = mesh.edge_feature(triangle, k);
            // Whatever is shared is looked at once, with the first of its triangles: if it is near, all of them are.
            if mesh.triangles_at(edge).first() == Some(&triangle) && question.is_near(start, end, reach) {
                question.meet_edge(edge, start, end, out);
            }
            let vertex = mesh.vertex_feature(triangle, k);
            if mesh.is_sharp(triangle, k)
                && mesh.triangles_at(vertex).first() == Some(&triangle)
                && start.distance_squared(body.centre) <= reach * reach
            {
                question.meet_vertex(vertex, start, out);
            }
        }
    });
    faces.sort_unstable_by_key(|face| face.triangle);
    out.extend(
        faces.iter().filter(|face| face.is_met(mesh, body.centre, &faces, foot_tolerance)).map(FaceReach::contact),
    );
    if out.len() == first {
        return;
    }
    mesh.leave_out_buried(out, first);
    question.leave_what_is_crossed(out, first);
    merge_same_points(out, first, 2.0 * foot_tolerance);
    let is_face = |contact: &SurfaceContact| mesh.is_face(contact.feature);
    let are_joined = |a: &SurfaceContact, b: &SurfaceContact| {
        (a.normal - b.normal).length() <= SAME_DIRECTION && hang_together(mesh, a, b, foot_tolerance)
    };
    merge_ties(out, first, tolerance::LIES_FLAT * body.radius, is_face, are_joined);
    if out[first..].iter().filter(|contact| contact.separation < 0.0).count() > 1 {
        let mut passes = passes_between_faces(mesh, body, &faces, question.small, &out[first..]);
        blend(out, first, &mut passes, tolerance::SAME_POINT * scale);
    }
    mesh.name_features(&mut out[first..]);
}

/// Whether a body can reach beyond a part of the mesh without passing through it: a corner, the rim of a sheet, or an edge of less
/// than a right angle.
fn is_sharp(mesh: &Mesh, contact: &SurfaceContact) -> bool {
    if mesh.is_face(contact.feature) {
        return false;
    }
    let &[one, other] = mesh.triangles_at(contact.feature) else { return true };
    let mut ends = mesh.corners_of(contact.feature).map(|corner| mesh.vertices()[corner as usize]);
    let (Some(start), Some(end)) = (ends.next(), ends.next()) else { return true };
    let along = (end - start).normalize_or_zero();
    into_triangle(mesh, one, start, along).dot(into_triangle(mesh, other, start, along)) > 0.0
}

/// Unit vector across an edge, given by a point and a unit vector, into a triangle at it.
fn into_triangle(mesh: &Mesh, triangle: u32, start: DVec3, along: DVec3) -> DVec3 {
    // The corner that is off the edge is the one whose offset from it is longest.
    let offsets = mesh.corners(triangle).map(|corner| {
        let offset = corner - start;
        offset - along * along.dot(offset)
    });
    let farther = |a: DVec3, b: DVec3| if b.length_squared() > a.length_squared() { b } else { a };
    farther(farther(offsets[0], offsets[1]), offsets[2]).normalize_or_zero()
}

/// Whether the parts of the mesh that two contacts are with have a corner in common, or the one's point lies in the other's triangle.
fn hang_together(mesh: &Mesh, a: &SurfaceContact, b: &SurfaceContact, foot_tolerance: f64) -> bool {
    let lies_in = |one: &SurfaceContact, other: &SurfaceContact| {
        mesh.is_face(one.feature) && is_inside(mesh, one.feature, other.point, foot_tolerance)
    };
    // Images that lie on each other have rims within each other's triangles.
    mesh.has_images() || lies_in(a, b) || lies_in(b, a) || mesh.have_common_corner(a.feature, b.feature)
}

/// Whether two contacts are with triangles that turn away from the body at a common edge.
fn turn_away(mesh: &Mesh, a: &SurfaceContact, b: &SurfaceContact) -> bool {
    if !(mesh.is_face(a.feature) && mesh.is_face(b.feature)) {
        return false;
    }
    let is_common = |k: &usize| mesh.triangles_at(mesh.edge_feature(a.feature, *k)).contains(&b.feature);
    (0..3).find(is_common).is_some_and(|k| matches!(beyond(mesh, a.feature, k, a.normal), Beyond::Nothing))
}

/// Whether a segment crosses the mesh.
fn crosses_mesh(mesh: &Mesh, start: DVec3, end: DVec3, foot_tolerance: f64) -> bool {
    let mut crosses = false;
    let middle = 0.5 * (start + end);
    mesh.visit_within(middle, middle.distance(end), |triangle| {
        if crosses {
            return;
        }
        let (corners, normal) = (mesh.corners(triangle), mesh.normal(triangle));
        let (before, after) = (normal.dot(start - corners[0]), normal.dot(end - corners[0]));
        if before * after <= 0.0 && before != after {
            let place = start + (end - start) * (before / (before - after));
            crosses = is_inside(mesh, triangle, place, foot_tolerance);
        }
    });
    crosses
}

/// What the contacts of one body with one mesh have in common.
#[derive(Clone, Copy)]
struct Question<'a> {
    mesh: &'a Mesh,
    body: &'a PlacedShape<'a>,
    margin: f64,
    /// A foot that is off its triangle or edge by less than this is on it [m].
    foot_tolerance: f64,
    /// Lengths below this are rounding [m].
    small: f64,
}

impl Question<'_> {
    /// Whether a segment comes within reach of the body's centre.
    fn is_near(&self, start: DVec3, end: DVec3, reach: f64) -> bool {
        let (edge, offset) = (end - start, self.body.centre - start);
        let fraction = (offset.dot(edge) / edge.length_squared()).clamp(0.0, 1.0);
        (offset - edge * fraction).length_squared() <= reach * reach
    }

    /// Leaves those contacts where the body really passes through the mesh.
    fn leave_what_is_crossed(&self, out: &mut Vec<SurfaceContact>, first: usize) {
        let Question { mesh, body, foot_tolerance, .. } = *self;
        // Places with one deepest point are no farther apart than both depths; others bear the body in two places.
        let are_two = |a: &SurfaceContact, b: &SurfaceContact| {
            let is_apart = a.point.distance(b.point) > -2.0 * (a.separation + b.separation);
            is_apart || ((a.normal - b.normal).length() <= tolerance::SAME_NORMAL && !turn_away(mesh, a, b))
        };
        let is_sharp = |contact: &SurfaceContact| is_sharp(mesh, contact);
        let crosses = |start: DVec3, end: DVec3| crosses_mesh(mesh, start, end, foot_tolerance);
        keep_crossed(out, first, body.centre, body.radius, is_sharp, are_two, crosses);
    }

    fn meet_edge(&self, feature: u32, start: DVec3, end: DVec3, out: &mut Vec<SurfaceContact>) {
        let body = self.body;
        let length = start.distance(end);
        let along = (end - start) / length;
        let Some((fan, low, high)) = self.normals_of_edge(feature, start, along) else { return };
        let Some((low, high)) = fan.away_from(body.centre, low, high) else { return };
        if body.measured.is_some() && self.is_beside(&fan, [low, high], along, length) {
            return;
        }
        let least = fan.least_reach(body, low, high, self.small);
        let normal = least.direction;
        let level = normal.dot(start);
        let separation = level - normal.dot(body.support_beyond(normal, level));
        if separation.is_nan() || separation > self.margin {
            return;
        }
        let near = tolerance::SAME_AZIMUTH * body.radius;
        let patch = body.patch_beyond(normal, level);
        let over = if patch.is_flat() {
            patch.cut(start, least.slope, along, near)
        } else if least.slope.dot(least.point - start).abs() <= near {
            let at = along.dot(least.point - start);
            Some((at, at))
        } else {
            None
        };
        let Some((low, high)) = over else { return };
        let (low, high) = (low.max(-self.foot_tolerance), high.min(length + self.foot_tolerance));
        if low <= high {
            let point = start + along * (0.5 * (low + high));
            out.push(SurfaceContact::new(feature, normal, separation, point));
        }
    }

    /// Whether it is plain that a body with flat faces only is not over an edge. A plane that turns about the edge takes more of the body on one
    /// side of it and less on the other. So if what is beyond the plane at one end of the turn is all on the side that gains, more and more is
    /// beyond it, and the least is at that end. Whatever is beyond a plane between is beyond that at one of the ends too.
    fn is_beside(&self, fan: &DirectionFan, ends: [f64; 2], along: DVec3, length: f64) -> bool {
        let mut reaches = [f64::NEG_INFINITY; 2];
        for (end, loses) in ends.into_iter().zip([-1.0, 1.0]) {
            let (normal, slope) = fan.at(end);
            let axes = [slope * loses, along, -along];
            let Some([behind, forth, back]) =
                self.body.reaches_beyond(normal, normal.dot(fan.origin), fan.origin, axes)
            else {
                return false;
            };
            if behind <= 0.0 {
                return true;
            }
            reaches = [reaches[0].max(forth), reaches[1].max(back)];
        }
        reaches[0] < -self.foot_tolerance || -reaches[1] > length + self.foot_tolerance
    }

    /// The directions square to an edge that lead into none of its triangles: all of them, and the angles that count.
    fn normals_of_edge(&self, feature: u32, start: DVec3, along: DVec3) -> Option<(DirectionFan, f64, f64)> {
        let into = |&triangle: &u32| into_triangle(self.mesh, triangle, start, along);
        let mut triangles = self.mesh.triangles_at(feature).iter();
        let cosine = into(triangles.next()?);
        let sine = along.cross(cosine);
        let (mut low, mut high) = (-0.5 * PI, 0.5 * PI);
        for triangle in triangles {
            let direction = into(triangle);
            let angle = direction.dot(sine).atan2(direction.dot(cosine));
            low = low.max(angle - 0.5 * PI);
            high = high.min(angle + 0.5 * PI);
        }
        let fan = DirectionFan { constant: DVec3::ZERO, cosine, sine, origin: start };
        (high - low > tolerance::FLAT_EDGE).then_some((fan, low, high))
    }

    fn meet_vertex(&self, feature: u32, point: DVec3, out: &mut Vec<SurfaceContact>) {
        let admits = |normal: DVec3| {
            self.mesh.triangles_at(feature).iter().all(|&triangle| {
                self.mesh.corners(triangle).iter().all(|&corner| {
                    let offset = corner - point;
                    normal.dot(offset) >= -tolerance::FLAT_EDGE * offset.length()
                })
            })
        };
        let normals =
            || self.mesh.triangles_at(feature).iter().map(|&triangle| away_from(self.mesh, triangle, self.body.centre));
        let middle = normals().sum::<DVec3>().normalize_or_zero();
        let starts = normals().chain([middle]).filter(|start| *start != DVec3::ZERO);
        if let Some((normal, separation)) = contact_convex_point(self.body, point, self.margin, admits, starts) {
            out.push(SurfaceContact::new(feature, normal, separation, point));
        }
    }
}
