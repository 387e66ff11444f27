//! Two boxes by their fifteen axes: the normals of the faces of both, and the common perpendiculars of an edge of each.
//!
//! The largest gap of two convex polyhedra that overlap is along one of these directions, so that the largest of fifteen
//! numbers is the depth, exactly. For boxes apart it is a safe bound of the distance, and the distance itself if the
//! nearest features lie over each other: the corner over the face, or the feet of the common perpendicular on both
//! edges. Near each other they nearly always do. Where they do not, and where faces of boxes apart lie flat, the general
//! pair answers, begun from the best of the axes.
//!
//! In the frame of box a the perpendicular of its edge e_i and of an edge of b has the components of the latter: there is no
//! cancellation, however nearly parallel the edges are.
//!
//! Reference: Gottschalk, Lin and Manocha, *OBBTree*, SIGGRAPH 1996, for the axes.

use super::general::{contact_general, in_the_middle};
use crate::contact::NotConverged;
use crate::shape::Cuboid;
use crate::{Contact, Pose, Shape, tolerance};
use glam::{DMat3, DVec3};

/// Which of the axes is the best so far.
#[derive(Clone, Copy)]
enum Axis {
    FaceOfA(usize),
    FaceOfB(usize),
    Edges(usize, usize),
}

/// Two boxes, seen along the axes of a.
struct Boxes {
    a: DVec3,
    b: DVec3,
    /// The axes of b as columns.
    turn: DMat3,
    /// From a's middle to b's.
    offset: DVec3,
}

/// Squared sine of the angle between edges. Below it a common perpendicular is that of rounding, and what it could change
/// in the depth is the sine times an edge.
const PARALLEL: f64 = 1e-28;

/// Squared sine of the angle between edges below which the lengths along their perpendicular are summed up anew, because
/// dividing by the sine would multiply their rounding.
const NEARLY_PARALLEL: f64 = 1e-4;

impl Boxes {
    fn new([a, b]: [&Cuboid; 2], pose_ab: &Pose) -> Boxes {
        let mut turn = DMat3::from_quat(pose_ab.orientation);
        let mut offset = turn * b.centre + pose_ab.position - a.centre;
        if !b.is_aligned {
            turn *= b.axes;
        }
        if !a.is_aligned {
            let inverse = a.axes.transpose();
            (turn, offset) = (inverse * turn, inverse * offset);
        }
        Boxes { a: a.half, b: b.half, turn, offset }
    }

    /// The largest gap and its axis; `None` as soon as one exceeds the limit.
    #[inline]
    fn largest_gap(&self, limit: f64) -> Option<(f64, Axis)> {
        let Boxes { a, b, turn, offset } = self;
        let spread = turn.abs();
        let along_a = offset.abs() - *a - spread * *b;
        let along_b = (turn.transpose() * *offset).abs() - *b - spread.transpose() * *a;
        let (i, j) = (along_a.max_position(), along_b.max_position());
        let mut best = (along_a[i], Axis::FaceOfA(i));
        let slack = tolerance::EXACT * (a.max_element() + b.max_element());
        if along_b[j] > best.0 + slack {
            best = (along_b[j], Axis::FaceOfB(j));
        }
        if best.0 > limit {
            return None;
        }
        for j in 0..3 {
            let edge = turn.col(j);
            let (u, v) = (spread.col((j + 1) % 3), spread.col((j + 2) % 3));
            let (b_u, b_v) = (b[(j + 1) % 3], b[(j + 2) % 3]);
            for i in 0..3 {
                let (k, l) = ((i + 1) % 3, (i + 2) % 3);
                let square = edge[k] * edge[k] + edge[l] * edge[l];
                if square <= PARALLEL {
                    continue;
                }
                let inverse = 1.0 / square.sqrt();
                let distance = (offset[l] * edge[k] - offset[k] * edge[l]).abs();
                let reach_a = a[k] * edge[l].abs() + a[l] * edge[k].abs();
                let gap = if square > NEARLY_PARALLEL {
                    (distance - reach_a - b_u * v[i] - b_v * u[i]) * inverse
                } else {
                    let mut normal = DVec3::ZERO;
                    (normal[k], normal[l]) = (-edge[l] * inverse, edge[k] * inverse);
                    let across = |axis: usize| normal.dot(turn.col(axis)).abs();
                    (distance - reach_a) * inverse - b_u * across((j + 1) % 3) - b_v * across((j + 2) % 3)
                };
                if gap > best.0 + slack {
                    best = (gap, Axis::Edges(i, j));
                }
            }
        }
        (best.0 <= limit).then_some(best)
    }

    /// The unit direction of an axis, from a to b.
    fn normal(&self, axis: Axis) -> DVec3 {
        let normal = match axis {
            Axis::FaceOfA(i) => DVec3::AXES[i],
            Axis::FaceOfB(j) => self.turn.col(j),
            Axis::Edges(i, j) => DVec3::AXES[i].cross(self.turn.col(j)).normalize(),
        };
        if normal.dot(self.offset) < 0.0 { -normal } else { normal }
    }

    /// The corner of a farthest along a direction.
    fn corner_of_a(&self, normal: DVec3) -> DVec3 {
        self.a.copysign(normal)
    }

    /// The corner of b farthest against it.
    fn corner_of_b(&self, normal: DVec3) -> DVec3 {
        self.offset - self.turn * self.b.copysign(self.turn.transpose() * normal)
    }

    /// The witness point on a for its nearest features along a normal, if these are a corner and a face or two crossing edges
    /// (and not flat on each other), and whether the features lie over each other.
    fn witness(&self, normal: DVec3, axis: Axis, separation: f64, flat: [f64; 2]) -> Option<(DVec3, bool)> {
        let rises_a = 2.0 * self.a * normal.abs();
        let rises_b = 2.0 * self.b * (self.turn.transpose() * normal).abs();
        match axis {
            Axis::FaceOfA(i) => {
                if rises_b.min_element() <= flat[1] {
                    return None;
                }
                let corner = self.corner_of_b(normal);
                let mut over = corner.abs() - self.a;
                over[i] = f64::MIN;
                Some((corner - normal * separation, over.max_element() <= 0.0))
            }
            Axis::FaceOfB(j) => {
                if rises_a.min_element() <= flat[0] {
                    return None;
                }
                let corner = self.corner_of_a(normal);
                let mut over = (self.turn.transpose() * (corner - self.offset)).abs() - self.b;
                over[j] = f64::MIN;
                Some((corner, over.max_element() <= 0.0))
            }
            Axis::Edges(i, j) => {
                let is_flat = |rises: DVec3, own: usize, flat: f64| (0..3).any(|k| k != own && rises[k] <= flat);
                if is_flat(rises_a, i, flat[0]) || is_flat(rises_b, j, flat[1]) {
                    return None;
                }
                let (mut on_a, edge) = (self.corner_of_a(normal), self.turn.col(j));
                on_a[i] = 0.0;
                let mut local = -self.b.copysign(self.turn.transpose() * normal);
                local[j] = 0.0;
                let on_b = self.offset + self.turn * local;
                // Where the perpendicular meets both lines: on_a + s e_i and on_b + t edge.
                let between = on_b - on_a;
                let cosine = edge[i];
                let sine_square = edge.length_squared() - cosine * cosine;
                let t = (cosine * between[i] - edge.dot(between)) / sine_square;
                let s = between[i] + t * cosine;
                on_a[i] = s;
                Some((on_a, s.abs() <= self.a[i] && t.abs() <= self.b[j]))
            }
        }
    }
}

// Not inlined: the pair table is asked for balls far more often, and is faster small.
/// The contact of two polyhedra that are boxes; `None` as soon as they are known to be farther apart than `limit`.
#[inline(never)]
pub(super) fn contact_cuboids(
    a: &Shape,
    b: &Shape,
    cuboids: [&Cuboid; 2],
    pose_ab: &Pose,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    let boxes = Boxes::new(cuboids, pose_ab);
    let Some((separation, axis)) = boxes.largest_gap(limit) else { return Ok(None) };
    let local = boxes.normal(axis);
    let normal = cuboids[0].outer_direction(local);
    let radii = [a, b].map(Shape::bounding_radius);
    let witness = boxes.witness(local, axis, separation, radii.map(|radius| tolerance::LIES_FLAT * radius));
    let contact = |point: DVec3| {
        let point_a = cuboids[0].outer_point(point);
        Contact { normal, separation, point_a, point_b: point_a + normal * separation }
    };
    match witness {
        Some((point, true)) => Ok(Some(contact(point))),
        _ if separation > 0.0 => contact_general(a, b, pose_ab, Some(normal), limit),
        _ => {
            let crude = contact(boxes.corner_of_a(local));
            Ok(Some(in_the_middle(a.into(), b.into(), pose_ab, crude, radii[0].max(radii[1]))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::contact_within;
    use crate::oracle::Sequence;
    use glam::DQuat;

    /// The exact answers are those of the general pair: poses at random and turned a little from aligned ones, where edges are
    /// parallel to within 1e-3 to 1e-16, apart, touching and overlapping, each also with the boxes in frames of their own.
    #[test]
    fn they_are_what_the_general_pair_finds() {
        let mut sequence = Sequence::new(23);
        let edges = [DVec3::new(1.0, 1.0, 1.0), DVec3::new(0.4, 1.1, 2.0)];
        let plain = edges.map(|edges| Shape::cuboid(edges).unwrap());
        let moved = edges.map(|edges| {
            let pose = sequence.pose(0.5);
            let corners = crate::Aabb { lower: -0.5 * edges, upper: 0.5 * edges }.corners();
            Shape::polyhedron(&corners.map(|corner| pose.transform_point(corner))).unwrap()
        });
        let (mut n_overlapping, mut n_apart) = (0, 0);
        for k in 0..8000 {
            let [a, b] = if k % 2 == 0 { &plain } else { &moved };
            let mut pose = sequence.pose(1.4);
            if k % 4 > 1 {
                let tilt = [0.0, 1e-16, 1e-14, 1e-11, 1e-8, 1e-6, 1e-4, 1e-3][k / 4 % 8];
                let quarter = DQuat::from_axis_angle(DVec3::AXES[k % 3], std::f64::consts::FRAC_PI_4 * (k % 5) as f64);
                pose.orientation = DQuat::from_scaled_axis(sequence.direction() * tilt) * quarter;
            }
            let general = contact_general(a, b, &pose, None, f64::INFINITY).unwrap().unwrap();
            let found = contact_within(a, b, &pose, None, f64::INFINITY).unwrap().unwrap();
            let off = (found.separation - general.separation).abs();
            assert!(off < 1e-12, "{pose:?} {off:e} {found:?} {general:?}");
            assert!((found.point_b - found.point_a - found.normal * found.separation).length() < 1e-13);
            // Both points are on their bodies, and nothing of a body is beyond its point by more than the tolerance.
            let reach = |shape: &Shape, pose: &Pose, normal: DVec3| {
                let local = pose.inverse_transform_vector(normal);
                pose.position.dot(normal) + shape.support(local).dot(local)
            };
            let above = reach(a, &Pose::IDENTITY, found.normal) - found.normal.dot(found.point_a);
            let below = reach(b, &pose, -found.normal) + found.normal.dot(found.point_b);
            assert!(above.abs() < 1e-8 && below.abs() < 1e-8, "{pose:?} {above:e} {below:e} {found:?}");
            if found.separation > 0.0 {
                n_apart += 1;
                let (Shape::Polyhedron(first), Shape::Polyhedron(second)) = (a, b) else { unreachable!() };
                let is_on = |p: &crate::Polyhedron, point: DVec3| {
                    p.faces().iter().all(|face| face.normal.dot(point) <= face.offset + 1e-12)
                };
                assert!(is_on(first, found.point_a) && is_on(second, pose.inverse_transform_point(found.point_b)));
                assert_eq!(contact_within(a, b, &pose, None, 0.9 * found.separation), Ok(None));
            } else {
                n_overlapping += 1;
            }
        }
        assert!(n_apart > 1000 && n_overlapping > 1000, "{n_apart} {n_overlapping}");
    }
}
