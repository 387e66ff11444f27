//! The two theorems of Feng, Han and Owen on the contact of bodies of revolution.
//!
//! A contact force that does not turn a body of revolution about its own axis acts along a line that meets the axis. So:
//!
//! 1. Given the contact point p, the normal n is along the line through p that meets both axes: the line in which the plane
//!    of p and axis 1 cuts the plane of p and axis 2, n = +- n_p1 x n_p2, n_pi = n_i x (c_i - p).
//! 2. Given n, the contact point lies on the line p = c_i + t_i n_i + lambda n,
//!    t_i = n . [(c1 - c2) x n_(3-i)] / (n . (n2 x n1)).
//!
//! Both hold for any two bodies of revolution, since the axes alone enter. Equations (23) and (24), corrected: as printed
//! the first form of (23) has a numerator that is always zero, and (24) has the wrong axis. The two forms of (23) lie on one
//! line but may point against each other; the sign is that of the smaller translation that takes the bodies apart.
//!
//! Where p and both axes lie in one plane every direction in it meets both axes. The problem is then a plane one, and the
//! direction of the smallest translation is taken. The same for a point on one of the axes, as in a peg that goes through a
//! plate.
//!
//! What the theorems do not give: a normal from a chosen point, such as a centroid, is not the gradient of anything, so
//! forces along it do not conserve energy.

use crate::tolerance::CO_PLANAR_AXES;
use glam::DVec3;

/// A body of revolution, as far as the theorems know it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// A point of the axis, the body's centre [m].
    pub centre: DVec3,
    /// Unit vector along the axis.
    pub direction: DVec3,
}

impl Axis {
    /// Normal of the plane through the axis and a point, n_i x (c_i - p); its length is the distance of the two [m].
    fn plane_normal(&self, point: DVec3) -> DVec3 {
        self.direction.cross(self.centre - point)
    }
}

/// The line through a contact point that meets both axes, as a unit vector of either sign; `None` where the point and
/// both axes lie in one plane, or the point on an axis.
pub fn contact_normal_line(first: &Axis, second: &Axis, point: DVec3) -> Option<DVec3> {
    let (p1, p2) = (first.plane_normal(point), second.plane_normal(point));
    let cross = p1.cross(p2);
    let size = (first.centre - point).length().max((second.centre - point).length());
    let is_off = |p: DVec3| p.length() > CO_PLANAR_AXES * size;
    (is_off(p1) && is_off(p2) && cross.length() > CO_PLANAR_AXES * p1.length() * p2.length()).then(|| cross.normalize())
}

/// The two forms of equation (23), corrected, not of unit length: from the line's foot on the first axis to the point, and
/// from the point to its foot on the second axis. They lie on one line, but need not point the same way.
pub fn contact_normal_forms(first: &Axis, second: &Axis, point: DVec3) -> [DVec3; 2] {
    let (p1, p2) = (first.plane_normal(point), second.plane_normal(point));
    let (from_first, to_second) = (point - first.centre, second.centre - point);
    [
        from_first - first.direction * (from_first.dot(p2) / first.direction.dot(p2)),
        to_second - second.direction * (to_second.dot(p1) / second.direction.dot(p1)),
    ]
}

/// Theorem 1: the unit normal, from the first body to the second, at a contact point. `translation(n)` is how far the
/// second body must go along n to be clear of the first: h_1(n) + h_2(-n).
pub fn contact_normal(first: &Axis, second: &Axis, point: DVec3, translation: impl Fn(DVec3) -> f64) -> DVec3 {
    match contact_normal_line(first, second, point) {
        Some(line) => smaller(&translation, line, -line),
        None => normal_in_plane(first, second, point, translation),
    }
}

/// The direction of the smallest translation in the plane of both axes and the point; of a point on one axis, in the plane of
/// the point and the other.
///
/// The normals of a rectangle's sides, which are the answers for two cylinders, are tried as they are; for other bodies of
/// revolution a search around the circle refines the best of many directions.
pub fn normal_in_plane(first: &Axis, second: &Axis, point: DVec3, translation: impl Fn(DVec3) -> f64) -> DVec3 {
    let (p1, p2) = (first.plane_normal(point), second.plane_normal(point));
    let farther = if p2.length() > p1.length() { p2 } else { p1 };
    let size = (first.centre - point).length().max((second.centre - point).length());
    // A point on both axes leaves every direction open; the plane of the axes is the natural one.
    let through_axes = || first.direction.cross(second.direction).try_normalize();
    let through_point = (farther.length() > CO_PLANAR_AXES * size).then(|| farther.normalize());
    let plane = through_point.or_else(through_axes).unwrap_or_else(|| first.direction.any_orthonormal_vector());
    // Rounding may have left the axes a little out of the plane.
    let along = [first, second].map(|axis| axis.direction.reject_from_normalized(plane).normalize_or_zero());
    let sides = along.into_iter().flat_map(|n| [n, plane.cross(n)]).filter(|n| *n != DVec3::ZERO);
    let best_side = sides.flat_map(|n| [n, -n]).reduce(|best, n| smaller(&translation, best, n));
    let (u, v) = plane.any_orthonormal_pair();
    const N_DIRECTIONS: usize = 72;
    let step = 2.0 * std::f64::consts::PI / N_DIRECTIONS as f64;
    let towards = |angle: f64| u * angle.cos() + v * angle.sin();
    let mut angle = (0..N_DIRECTIONS)
        .map(|k| k as f64 * step)
        .reduce(|best, angle| if translation(towards(angle)) < translation(towards(best)) { angle } else { best })
        .unwrap_or(0.0);
    let mut width = 0.5 * step;
    // Halved to the rounding of an angle.
    while width > 1e-15 {
        let next = [angle - width, angle + width]
            .into_iter()
            .reduce(|a, b| if translation(towards(b)) < translation(towards(a)) { b } else { a })
            .filter(|next| translation(towards(*next)) < translation(towards(angle)));
        match next {
            Some(next) => angle = next,
            None => width *= 0.5,
        }
    }
    let found = towards(angle);
    best_side.map_or(found, |side| {
        // The search ends within rounding of a side's normal; the side itself is exact.
        if translation(side) <= translation(found) * (1.0 + 1e-12) { side } else { found }
    })
}

/// Of two directions the one with the smaller translation, the first if they tie.
fn smaller(translation: &impl Fn(DVec3) -> f64, a: DVec3, b: DVec3) -> DVec3 {
    if translation(b) < translation(a) { b } else { a }
}

/// Theorem 2: where the line of a contact with the given normal meets the first and the second axis. The contact point
/// lies on the line through both. `None` if the normal is in a plane with both axes' directions: then no line along it
/// meets both axes, or (axes in one plane) a whole plane of lines does.
pub fn contact_point_line(first: &Axis, second: &Axis, normal: DVec3) -> Option<[DVec3; 2]> {
    let volume = normal.dot(second.direction.cross(first.direction));
    if volume.abs() <= CO_PLANAR_AXES * normal.length() {
        return None;
    }
    let between = first.centre - second.centre;
    let foot = |axis: &Axis, other: &Axis| {
        axis.centre + axis.direction * (normal.dot(between.cross(other.direction)) / volume)
    };
    Some([foot(first, second), foot(second, first)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{Sequence, gap_along};
    use crate::{Cylinder, Pose, Shape};

    fn axis(sequence: &mut Sequence) -> Axis {
        Axis { centre: sequence.point_in_cube(1.0), direction: sequence.direction() }
    }

    /// Distance between two lines.
    fn miss(point: DVec3, along: DVec3, axis: &Axis) -> f64 {
        let cross = along.cross(axis.direction);
        ((axis.centre - point).dot(cross) / cross.length()).abs()
    }

    #[test]
    fn the_line_of_the_first_theorem_meets_both_axes() {
        let mut sequence = Sequence::new(61);
        let mut n_against = 0;
        for round in 0..10_000 {
            let (first, mut second) = (axis(&mut sequence), axis(&mut sequence));
            match round % 3 {
                // Parallel axes and axes that meet have a solution too.
                0 => second.direction = first.direction,
                1 => second.centre = first.centre + first.direction * sequence.between(-1.0, 1.0),
                _ => {}
            }
            let point = sequence.point_in_cube(1.0);
            let Some(line) = contact_normal_line(&first, &second, point) else {
                panic!("{first:?} {second:?} {point}")
            };
            if round % 3 != 0 || (line.dot(first.direction).abs() < 0.999) {
                assert!(miss(point, line, &first) < 1e-9 && miss(point, line, &second) < 1e-9);
            }
            if round % 3 == 2 {
                let forms = contact_normal_forms(&first, &second, point).map(DVec3::normalize);
                for form in forms {
                    assert!(form.cross(line).length() < 1e-7, "{form} {line}");
                }
                n_against += usize::from(forms[0].dot(forms[1]) < 0.0);
            }
        }
        // Two thirds of unconstrained points lie outside the stretch between the axes.
        assert!((0.55..0.75).contains(&(n_against as f64 / 3333.0)), "{n_against}");
    }

    #[test]
    fn the_second_theorem_is_the_converse_of_the_first() {
        let mut sequence = Sequence::new(62);
        for _ in 0..10_000 {
            let (first, second) = (axis(&mut sequence), axis(&mut sequence));
            let normal = sequence.direction();
            if normal.dot(first.direction.cross(second.direction)).abs() < 1e-2 {
                continue;
            }
            let Some([foot_1, foot_2]) = contact_point_line(&first, &second, normal) else { panic!("no line") };
            assert!((foot_1 - first.centre).cross(first.direction).length() < 1e-9);
            assert!((foot_2 - second.centre).cross(second.direction).length() < 1e-9);
            assert!((foot_2 - foot_1).cross(normal).length() < 1e-9);
            let point = foot_1 + normal * sequence.between(-1.0, 1.0);
            if let Some(line) = contact_normal_line(&first, &second, point)
                && first.plane_normal(point).length() > 1e-2
                && second.plane_normal(point).length() > 1e-2
            {
                assert!(line.cross(normal).length() < 1e-8, "{line} {normal}");
            }
        }
        let along = Axis { centre: DVec3::ZERO, direction: DVec3::Z };
        let beside = Axis { centre: DVec3::X, direction: DVec3::Z };
        assert_eq!(contact_point_line(&along, &beside, DVec3::X), None);
    }

    #[test]
    fn in_one_plane_the_smallest_translation_decides() {
        let mut sequence = Sequence::new(63);
        for round in 0..300 {
            let (a, b) = (
                Cylinder { radius: sequence.between(0.3, 1.0), half_height: sequence.between(0.3, 1.0) },
                Cylinder { radius: sequence.between(0.3, 1.0), half_height: sequence.between(0.3, 1.0) },
            );
            // Both axes in the plane of x and z.
            let angle = if round % 3 == 0 { 0.0 } else { sequence.between(0.0, std::f64::consts::PI) };
            let pose = Pose::new(
                DVec3::new(sequence.between(-0.5, 0.5), 0.0, sequence.between(-0.5, 0.5)),
                glam::DQuat::from_rotation_y(angle),
            );
            let translation = |n: DVec3| -gap_along(&Shape::Cylinder(a), &Shape::Cylinder(b), &pose, n);
            let first = Axis { centre: DVec3::ZERO, direction: DVec3::Z };
            let second = Axis { centre: pose.position, direction: pose.transform_vector(DVec3::Z) };
            let point = DVec3::new(sequence.between(-0.2, 0.2), 0.0, sequence.between(-0.2, 0.2));
            assert_eq!(contact_normal_line(&first, &second, point), None);
            let normal = contact_normal(&first, &second, point, translation);
            assert!(normal.y.abs() < 1e-12 && (normal.length() - 1.0).abs() < 1e-14);
            let least = (0..7200)
                .map(|k| (k as f64 * std::f64::consts::PI / 3600.0).sin_cos())
                .map(|(s, c)| translation(DVec3::new(s, 0.0, c)))
                .fold(f64::INFINITY, f64::min);
            assert!(translation(normal) <= least + 1e-12, "{} {least}", translation(normal));
        }
    }
}
