//! What two polyhedra touch with, corner by corner: the face, edge or corner of a that is farthest along a normal and that of b which
//! is farthest against it, seen along the normal, and the part that they have in common.
//!
//! The first is cut by each side of the second in turn (Sutherland and Hodgman, 1974). Every corner of what is left knows where it comes
//! from, so that it can be found again in the next step: a corner of a, one of b, or an edge of each that cross. Exact but for
//! rounding. Faces count as touching where at least three of their corners are within a given distance of the farthest one;
//! with a body tilted by more than that what touches is an edge or a corner, and the patch a line or a point without area.

use crate::{Polyhedron, Pose, tolerance};
use glam::{DMat3, DVec2, DVec3};

/// Where a corner of a patch comes from. Numbers are those of [`Polyhedron::vertices`] and [`Polyhedron::edges`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchFeature {
    /// A vertex of a.
    VertexOfA(u32),
    /// A vertex of b.
    VertexOfB(u32),
    /// An edge of a and an edge of b that cross.
    Edges(u32, u32),
}

/// A corner of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchCorner {
    /// Where it is, in a's frame and in the plane of a's farthest point [m].
    pub point: DVec3,
    /// Where it comes from.
    pub feature: PatchFeature,
}

/// What two polyhedra touch with.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactPatch {
    /// Its corners in order round it: one for a point, two for a line.
    pub corners: Vec<PatchCorner>,
    /// Its area [m2].
    pub area: f64,
    /// Its centroid; the middle of a line [m].
    pub centroid: DVec3,
    /// Integral of (x - centroid) (x - centroid)^T over its area [m4].
    pub second_moments: DMat3,
}

/// The patch along a contact's unit normal, from a to b; `None` where the farthest features do not lie over each other, as is so
/// for directions that are not a contact's. What is within `slack` [m] of the farthest point of a body is as far. `pose_ab` is b
/// seen from a, and the answer is in a's frame.
///
/// ```
/// use tumble_geometry::{DVec3, Pose, Shape, contact, narrow::contact_patch};
///
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let above = Pose::from_position(DVec3::new(0.25, 0.5, 0.99));
/// let found = contact(&cube, &cube, &above).expect("it converges");
/// let body = cube.as_polyhedron().expect("a box is one");
/// let patch = contact_patch(body, body, &above, found.normal, 1e-9).expect("they touch");
/// assert_eq!(patch.corners.len(), 4);
/// assert!((patch.area - 0.75 * 0.5).abs() < 1e-12);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn contact_patch(
    a: &Polyhedron,
    b: &Polyhedron,
    pose_ab: &Pose,
    normal: DVec3,
    slack: f64,
) -> Option<ContactPatch> {
    let (e1, e2) = normal.any_orthonormal_pair();
    let origin = a.support(normal);
    let flat = |point: DVec3| DVec2::new(e1.dot(point - origin), e2.dot(point - origin));
    let of_a = Outline::new(a, normal, slack, flat);
    let local = pose_ab.inverse_transform_vector(-normal);
    let of_b = Outline::new(b, local, slack, |point| flat(pose_ab.transform_point(point)));
    let size = a.bounding_radius().max(b.bounding_radius());
    let (near, rounding) = (tolerance::LIES_FLAT * size, tolerance::ON_PLANE * size);
    let corners = match (of_a.corners.len(), of_b.corners.len()) {
        (1, _) => vec![of_a.corners[0].named(PatchFeature::VertexOfA)],
        (_, 1) => vec![of_b.corners[0].named(PatchFeature::VertexOfB)],
        (2, 2) => common_line(&of_a, &of_b, rounding),
        (2, _) => cut(&of_a, &of_b, rounding, PatchFeature::VertexOfA, PatchFeature::VertexOfB, PatchFeature::Edges),
        _ => cut(&of_b, &of_a, rounding, PatchFeature::VertexOfB, PatchFeature::VertexOfA, |b, a| {
            PatchFeature::Edges(a, b)
        }),
    };
    measured(corners, near, |place| origin + e1 * place.x + e2 * place.y, [e1, e2])
}

/// A vertex of a body seen along the normal, and the edge from it to the next.
#[derive(Clone, Copy)]
struct Corner {
    place: DVec2,
    vertex: u32,
    edge: u32,
}

impl Corner {
    fn named(&self, name: fn(u32) -> PatchFeature) -> (DVec2, PatchFeature) {
        (self.place, name(self.vertex))
    }
}

/// What of a body is farthest: one corner, two or more.
struct Outline {
    corners: Vec<Corner>,
}

impl Outline {
    fn new(body: &Polyhedron, direction: DVec3, slack: f64, flat: impl Fn(DVec3) -> DVec2) -> Outline {
        let vertices = body.vertices();
        let least = body.support(direction).dot(direction) - slack;
        let mut ring: Vec<u32> =
            (0..).zip(vertices).filter(|(_, vertex)| vertex.dot(direction) >= least).map(|(index, _)| index).collect();
        if ring.len() > 2 {
            let facing = |face: &&crate::shape::Face| face.normal.dot(direction);
            if let Some(face) = body.faces().iter().max_by(|p, q| facing(p).total_cmp(&facing(q))) {
                ring.clone_from(&face.vertices);
            }
        }
        let edge_between = |p: u32, q: u32| {
            let is_it = |edge: &crate::shape::Edge| edge.vertices == [p, q] || edge.vertices == [q, p];
            body.edges().iter().position(is_it).map_or(u32::MAX, |index| index as u32)
        };
        let corner = |k: usize| {
            let (vertex, next) = (ring[k], ring[(k + 1) % ring.len()]);
            Corner { place: flat(vertices[vertex as usize]), vertex, edge: edge_between(vertex, next) }
        };
        let corners: Vec<Corner> = (0..ring.len()).map(corner).collect();
        Outline { corners }
    }

    /// Twice the area, positive if the corners run counter-clockwise.
    fn doubled_area(&self) -> f64 {
        let at = |k: usize| self.corners[k].place;
        (2..self.corners.len()).map(|k| (at(k - 1) - at(0)).perp_dot(at(k) - at(0))).sum()
    }
}

/// Whose edge a side of what is left lies on.
#[derive(Clone, Copy)]
enum Side {
    Own(u32),
    /// Number of a corner of the other outline, where the edge begins.
    Other(usize),
}

/// The part of an outline within another that has an area.
fn cut(
    own: &Outline,
    other: &Outline,
    slack: f64,
    name_own: fn(u32) -> PatchFeature,
    name_other: fn(u32) -> PatchFeature,
    name_crossing: fn(u32, u32) -> PatchFeature,
) -> Vec<(DVec2, PatchFeature)> {
    let sign = other.doubled_area().signum();
    let n = other.corners.len();
    let mut left: Vec<(DVec2, PatchFeature, Side)> =
        own.corners.iter().map(|c| (c.place, name_own(c.vertex), Side::Own(c.edge))).collect();
    for (index, corner) in other.corners.iter().enumerate() {
        let edge = (other.corners[(index + 1) % n].place - corner.place) * sign;
        let inward = edge.perp().normalize_or_zero();
        let height = |place: DVec2| (place - corner.place).dot(inward) + slack;
        let mut kept = Vec::with_capacity(left.len() + 1);
        for (k, &(place, feature, side)) in left.iter().enumerate() {
            let next = left[(k + 1) % left.len()].0;
            let (here, there) = (height(place), height(next));
            if here >= 0.0 {
                kept.push((place, feature, side));
            }
            if (here < 0.0) != (there < 0.0) {
                let crossing = match side {
                    Side::Own(own) => name_crossing(own, corner.edge),
                    // Two edges of the other meet in one of its corners.
                    Side::Other(before) if (before + 1) % n == index => name_other(corner.vertex),
                    Side::Other(_) => name_other(other.corners[(index + 1) % n].vertex),
                };
                let side = if here < 0.0 { side } else { Side::Other(index) };
                kept.push((place + (next - place) * (here / (here - there)), crossing, side));
            }
        }
        left = kept;
    }
    left.into_iter().map(|(place, feature, _)| (place, feature)).collect()
}

/// The point that two lines share, or the ends of the part that they share if they lie along each other.
fn common_line(a: &Outline, b: &Outline, slack: f64) -> Vec<(DVec2, PatchFeature)> {
    let ([p, q], [r, s]) = ([a.corners[0], a.corners[1]], [b.corners[0], b.corners[1]]);
    let (along_a, along_b) = (q.place - p.place, s.place - r.place);
    let sine = along_a.perp_dot(along_b);
    if sine.abs() > tolerance::LIES_FLAT * along_a.length() * along_b.length() {
        let share = (r.place - p.place).perp_dot(along_b) / sine;
        return vec![(p.place + along_a * share.clamp(0.0, 1.0), PatchFeature::Edges(p.edge, r.edge))];
    }
    let length = along_a.length();
    let along = |place: DVec2| (place - p.place).dot(along_a) / length;
    let mut ends = [r, s].map(|corner| (along(corner.place), corner.named(PatchFeature::VertexOfB)));
    if ends[0].0 > ends[1].0 {
        ends.swap(0, 1);
    }
    if ends[0].0 < 0.0 {
        ends[0] = (0.0, p.named(PatchFeature::VertexOfA));
    }
    if ends[1].0 > length {
        ends[1] = (length, q.named(PatchFeature::VertexOfA));
    }
    if ends[0].0 > ends[1].0 + slack { Vec::new() } else { ends.map(|end| end.1).to_vec() }
}

/// Corners that coincide taken together, and the integrals over what they enclose.
fn measured(
    mut corners: Vec<(DVec2, PatchFeature)>,
    near: f64,
    lifted: impl Fn(DVec2) -> DVec3,
    [e1, e2]: [DVec3; 2],
) -> Option<ContactPatch> {
    corners.dedup_by(|p, q| p.0.distance(q.0) <= near);
    if corners.len() > 1 && corners[0].0.distance(corners[corners.len() - 1].0) <= near {
        corners.pop();
    }
    let base = corners.first()?.0;
    let (mut doubled, mut moment, mut second) = (0.0, DVec2::ZERO, [0.0; 3]);
    for pair in corners.windows(2).skip(1) {
        let (p, q) = (pair[0].0 - base, pair[1].0 - base);
        let twice = p.perp_dot(q);
        doubled += twice;
        moment += (p + q) * (twice / 3.0);
        // Over a triangle with a corner at the origin: (p p + q q + (p + q)(p + q)) / 24 times twice its area.
        let sum = p + q;
        let product = |f: fn(DVec2) -> f64| (f(p) + f(q) + f(sum)) * twice / 24.0;
        second[0] += product(|v| v.x * v.x);
        second[1] += product(|v| v.x * v.y);
        second[2] += product(|v| v.y * v.y);
    }
    let has_area = corners.len() > 2 && doubled != 0.0;
    let middle = if has_area { moment / doubled } else { 0.5 * (corners[corners.len() - 1].0 - base) };
    let area = 0.5 * doubled.abs();
    let sign = doubled.signum();
    let [xx, xy, yy] = [
        sign * second[0] - area * middle.x * middle.x,
        sign * second[1] - area * middle.x * middle.y,
        sign * second[2] - area * middle.y * middle.y,
    ];
    let outer = |u: DVec3, v: DVec3| DMat3::from_cols(u * v.x, u * v.y, u * v.z);
    let second_moments = if has_area {
        outer(e1, e1) * xx + (outer(e1, e2) + outer(e2, e1)) * xy + outer(e2, e2) * yy
    } else {
        DMat3::ZERO
    };
    let centroid = lifted(base + middle);
    let corners = corners.into_iter().map(|(place, feature)| PatchCorner { point: lifted(place), feature }).collect();
    Some(ContactPatch { corners, area, centroid, second_moments })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;
    use glam::DQuat;

    fn cube() -> Polyhedron {
        Shape::cuboid(DVec3::ONE).unwrap().as_polyhedron().unwrap().clone()
    }

    #[test]
    fn a_square_on_a_corner_of_a_square_shares_a_rectangle() {
        let (cube, pose) = (cube(), Pose::from_position(DVec3::new(0.25, 0.5, 0.99)));
        let patch = contact_patch(&cube, &cube, &pose, DVec3::Z, 1e-9).unwrap();
        assert!((patch.area - 0.75 * 0.5).abs() < 1e-12);
        assert!((patch.centroid - DVec3::new(0.125, 0.25, 0.5)).length() < 1e-9);
        let expected = DVec3::new(0.5 * 0.75f64.powi(3) / 12.0, 0.75 * 0.5f64.powi(3) / 12.0, 0.0);
        assert!((patch.second_moments - DMat3::from_diagonal(expected)).to_cols_array().iter().all(|x| x.abs() < 1e-9));
        let count = |is: fn(&PatchFeature) -> bool| patch.corners.iter().filter(|c| is(&c.feature)).count();
        assert_eq!(count(|f| matches!(f, PatchFeature::VertexOfA(_))), 1);
        assert_eq!(count(|f| matches!(f, PatchFeature::VertexOfB(_))), 1);
        assert_eq!(count(|f| matches!(f, PatchFeature::Edges(..))), 2);
        for corner in &patch.corners {
            let distance_to = |edge: u32| {
                let [p, q] = cube.edges()[edge as usize].vertices.map(|v| cube.vertices()[v as usize]);
                crate::oracle::distance_to_segment(p, q, corner.point)
            };
            match corner.feature {
                PatchFeature::VertexOfA(v) => assert!(cube.vertices()[v as usize].distance(corner.point) < 1e-8),
                PatchFeature::VertexOfB(v) => {
                    let place = pose.transform_point(cube.vertices()[v as usize]);
                    assert!((place - corner.point).truncate().length() < 1e-8);
                }
                PatchFeature::Edges(edge, _) => assert!(distance_to(edge) < 1e-8),
            }
        }
    }

    #[test]
    fn turned_squares_share_an_octagon_and_all_is_the_same_either_way_round() {
        let cube = cube();
        let pose = Pose::new(DVec3::new(0.0, 0.0, 0.99), DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4));
        let patch = contact_patch(&cube, &cube, &pose, DVec3::Z, 1e-9).unwrap();
        assert_eq!(patch.corners.len(), 8);
        assert!(patch.corners.iter().all(|corner| matches!(corner.feature, PatchFeature::Edges(..))));
        assert!((patch.area - 2.0 * (2f64.sqrt() - 1.0)).abs() < 1e-8);
        let back = pose.relative(&Pose::IDENTITY);
        let other = contact_patch(&cube, &cube, &back, DVec3::NEG_Z, 1e-9).unwrap();
        assert!((other.area - patch.area).abs() < 1e-8);
        assert!((pose.transform_point(other.centroid) - patch.centroid).truncate().length() < 1e-8);
    }

    #[test]
    fn lines_and_points_have_no_area() {
        let cube = cube();
        let on_edge = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
        let pose = Pose::new(DVec3::new(0.3, 0.0, 0.5 + 0.5f64.sqrt()), on_edge);
        let line = contact_patch(&cube, &cube, &pose, DVec3::Z, 1e-9).unwrap();
        assert_eq!((line.corners.len(), line.area), (2, 0.0));
        assert!((line.centroid - DVec3::new(0.15, 0.0, 0.5)).length() < 1e-8, "{line:?}");
        let tilted = Pose::new(DVec3::new(0.3, 0.0, 1.2), DQuat::from_rotation_y(0.4) * on_edge);
        let point = contact_patch(&cube, &cube, &tilted, DVec3::Z, 1e-9).unwrap();
        assert_eq!(point.corners.len(), 1);
        assert!(matches!(point.corners[0].feature, PatchFeature::VertexOfB(_)));
        assert_eq!(point.second_moments, DMat3::ZERO);
    }
}
