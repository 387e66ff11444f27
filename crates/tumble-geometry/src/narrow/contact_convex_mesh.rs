//! A convex shape and a mesh of triangles.
//!
//! Every part of a mesh has its own normals: a face two (the one away from the side the body's centre is on serves), an
//! edge those that lead away from the body into none of its triangles, a corner likewise. A contact is where the body
//! reaches farthest along one of these normals right over that part:
//!
//! - a face: the body's farthest point along the face's normal, or the middle of what lies flat, if its foot lies in the
//!   triangle;
//! - an edge: the largest separation over the edge's normals, which is the least reach over one angle
//!   (direction_fan.rs), if the body's point there lies over the edge;
//! - a corner: the general pair, if its normal is one of the corner's.
//!
//! An edge between two triangles in one plane or in a groove has no normals, nor has a vertex on one, so a box that slides
//! over a divided floor feels nothing of the seams. Contacts with nearly parallel normals are one, the deepest: see
//! merge_contacts.rs.
//!
//! Features: triangles in the order given, then edges, then vertices, as for balls: one body has at most one contact
//! with each.
//!
//! Known limits: a body sunk so deep that its centre has passed a face is pushed out the other way; a corner sunk deeper
//! into the body than some other way out is not met as a corner; a second contact in a groove of faces whose normals
//! differ little begins with a jump, as for balls.

use super::contact_convex_point::contact_convex_point;
use super::direction_fan::DirectionFan;
use super::keep_crossed::keep_crossed;
use super::merge_contacts::merge_shaped_contacts;
use super::placed_shape::PlacedShape;
use crate::surface::Mesh;
use crate::{SurfaceContact, tolerance};
use glam::DVec3;
use std::f64::consts::PI;

/// Appends every contact of a convex shape with the mesh whose separation is at most `margin`, all in the mesh's frame.
pub(super) fn contact_convex_mesh(mesh: &Mesh, body: &PlacedShape, margin: f64, out: &mut Vec<SurfaceContact>) {
    let first = out.len();
    let reach = body.radius + margin;
    let scale = mesh.length_scale() + body.radius;
    let foot_tolerance = tolerance::SAME_POINT * scale + 2.0 * tolerance::FLAT_EDGE * body.radius;
    let question = Question { mesh, body, margin, foot_tolerance, small: 1e-3 * tolerance::SAME_POINT * scale };
    mesh.visit_within(body.centre, reach, |triangle| {
        let corners = mesh.corners(triangle);
        let height = mesh.normal(triangle).dot(body.centre - corners[0]);
        if height.abs() > reach {
            return;
        }
        question.meet_face(triangle, corners, height, out);
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
    mesh.leave_out_buried(out, first);
    let is_sharp = |contact: &SurfaceContact| !mesh.is_face(contact.feature);
    let crosses = |start: DVec3, end: DVec3| crosses_mesh(mesh, start, end, foot_tolerance);
    keep_crossed(out, first, body.centre, body.radius, is_sharp, |_, _| false, crosses);
    merge_shaped_contacts(
        out,
        first,
        2.0 * foot_tolerance,
        tolerance::LIES_FLAT * body.radius,
        body.convex.bulge(),
        is_sharp,
        |_, _| false,
    );
    mesh.name_features(&mut out[first..]);
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
            crosses = is_inside(corners, normal, place, foot_tolerance);
        }
    });
    crosses
}

/// Whether the foot of a point lies in a triangle, or within a distance of it.
fn is_inside(corners: [DVec3; 3], normal: DVec3, point: DVec3, distance: f64) -> bool {
    (0..3).all(|k| {
        let (start, end) = (corners[k], corners[(k + 1) % 3]);
        let inward = normal.cross(end - start);
        inward.dot(point - start) >= -distance * inward.length()
    })
}

/// What the contacts of one body with one mesh have in common.
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

    fn meet_face(&self, triangle: u32, corners: [DVec3; 3], height: f64, out: &mut Vec<SurfaceContact>) {
        let face_normal = self.mesh.normal(triangle);
        let normal = if height < 0.0 { face_normal } else { -face_normal };
        let level = normal.dot(corners[0]);
        let separation = level - normal.dot(self.body.support_beyond(normal, level));
        if separation.is_nan() || separation > self.margin {
            return;
        }
        let middle = self.body.patch_beyond(normal, level).middle;
        let is_over = (0..3).all(|k| {
            let (start, end) = (corners[k], corners[(k + 1) % 3]);
            let inward = face_normal.cross(end - start);
            let beyond = -inward.dot(middle - start) / inward.length();
            beyond <= self.foot_tolerance
                || (separation <= 0.0
                    && beyond <= self.body.radius
                    && inward.dot(self.body.centre - start) >= 0.0
                    && self.is_hollow(triangle, k, normal))
        });
        if is_over {
            let point = middle + normal * normal.dot(corners[0] - middle);
            out.push(SurfaceContact::new(triangle, normal, separation, point));
        }
    }

    /// Whether another triangle at an edge turns towards the body: a point of the body behind both triangles has its foot
    /// on neither, so each goes on beyond such an edge, for a body whose centre is inside the corner and that reaches
    /// through the wall.
    fn is_hollow(&self, triangle: u32, k: usize, normal: DVec3) -> bool {
        let start = self.mesh.corners(triangle)[k];
        self.mesh.triangles_at(self.mesh.edge_feature(triangle, k)).iter().filter(|&&other| other != triangle).any(
            |&other| {
                self.mesh.corners(other).iter().any(|&corner| {
                    let offset = corner - start;
                    normal.dot(offset) < -tolerance::DEGENERATE_TRIANGLE.max(tolerance::FLAT_EDGE) * offset.length()
                })
            },
        )
    }

    fn meet_edge(&self, feature: u32, start: DVec3, end: DVec3, out: &mut Vec<SurfaceContact>) {
        let body = self.body;
        let length = start.distance(end);
        let along = (end - start) / length;
        let Some((fan, low, high)) = self.normals_of_edge(feature, start, along) else { return };
        let Some((low, high)) = fan.away_from(body.centre, low, high) else { return };
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

    /// The directions square to an edge that lead into none of its triangles: all of them, and the angles that count.
    fn normals_of_edge(&self, feature: u32, start: DVec3, along: DVec3) -> Option<(DirectionFan, f64, f64)> {
        let into = |&triangle: &u32| {
            // The corner that is off the edge is the one whose offset from it is longest.
            let offsets = self.mesh.corners(triangle).map(|corner| {
                let offset = corner - start;
                offset - along * along.dot(offset)
            });
            let farther = |a: DVec3, b: DVec3| if b.length_squared() > a.length_squared() { b } else { a };
            farther(farther(offsets[0], offsets[1]), offsets[2]).normalize_or_zero()
        };
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
        if let Some((normal, separation)) = contact_convex_point(self.body, point, self.margin, admits) {
            out.push(SurfaceContact::new(feature, normal, separation, point));
        }
    }
}
