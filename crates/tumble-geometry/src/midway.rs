//! The midway point: the published method for two superquadrics.
//!
//! With F the level function of a superquadric less 1 (below zero inside), the method looks for the point X that
//!
//!   minimises F_a + F_b where F_a = F_b:     (1 + l) grad F_a + (1 - l) grad F_b = 0,     F_a - F_b = 0,
//!
//! four equations for X and the multiplier l (Peng and Hanley, eq. 2 to 5; Podlozhnyuk et al. 2017). The bodies overlap where both are below
//! zero at X. The normal is the gradient of F_a there, and the overlap the length of the line through X along it from the surface of b to that of a.
//!
//! Newton's iteration on the four equations (eq. 6) is made safe: a step that does not make the rest of the equations smaller is
//! shortened, and where that leads nowhere the exponents grow from 2 to those of the bodies, each solution the start of the next, as
//! Podlozhnyuk et al. do.
//!
//! Valid for superquadrics, ellipsoids and balls whose centres differ. Known limits, with the figures of the book's page on superquadrics:
//! - The verdict is right: the level at X is the least that both bodies have in common.
//! - X is *not* half way between the points of the surfaces that are nearest to the other's centre, as is printed below equation 6;
//!   the points of a contact must be found separately, here along the normal.
//! - Normal and overlap are those of the shortest translation only where the overlap vanishes. For two exponents n1 the point also
//!   depends on how F was written: F + 1 to any power has the same surface and another X.
//! - Force along such a normal is the gradient of no energy.
//!
//! References: Peng and Hanley, *Contact detection between convex polyhedra and superquadrics in discrete element codes*, Powder
//! Technology 356 (2019) 11; Podlozhnyuk, Pirker and Kloss, Computational Particle Mechanics 4 (2017) 101.

use crate::{Contact, Pose, Shape, ShapeKind, Superquadric, tolerance};
use glam::{DMat3, DMat4, DVec3, DVec4};

/// What the midway point of two bodies is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MidwayPoint {
    /// The point, in a's frame [m].
    pub point: DVec3,
    /// Level function less 1 of both bodies there [1]: below zero where they overlap.
    pub level: f64,
    /// Unit normal there, from a to b.
    pub normal: DVec3,
    /// Steps of Newton's iteration, with those that had to be shortened.
    pub iterations: usize,
    /// Whether the equations hold to rounding.
    pub converged: bool,
}

/// Whether the method serves two kinds of shapes: superquadrics and balls, with each other.
pub fn has_midway(a: ShapeKind, b: ShapeKind) -> bool {
    let is_smooth = |kind: ShapeKind| matches!(kind, ShapeKind::Sphere | ShapeKind::Superquadric);
    is_smooth(a) && is_smooth(b)
}

/// The midway point of two bodies; `None` for shapes that the method does not serve and for centres that coincide.
pub fn midway_point(a: &Shape, b: &Shape, pose_ab: &Pose) -> Option<MidwayPoint> {
    if !has_midway(a.kind(), b.kind()) {
        return None;
    }
    let (a, b) = (a.as_smooth()?, b.as_smooth()?);
    let size = a.semi_axes.max_element().max(b.semi_axes.max_element());
    if pose_ab.position.length() <= tolerance::SAME_POINT * size {
        return None;
    }
    let system = System { a, b, turn: DMat3::from_quat(pose_ab.orientation), shift: pose_ab.position, size };
    let mut tried = 0;
    let direct = system.solve(system.start(), &mut tried);
    let (point, converged) = match direct {
        Ok(point) => (point, true),
        Err(_) => match system.continued(&mut tried) {
            Ok(point) => (point, true),
            Err(point) => (point, false),
        },
    };
    let normal = a.level(point).gradient.try_normalize()?;
    let level = a.level(point).value - 1.0;
    Some(MidwayPoint { point, level, normal, iterations: tried, converged })
}

/// What the method says of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Midway {
    /// They overlap: contact and point.
    Overlap(Contact, MidwayPoint),
    /// They are apart; how far, the method does not say.
    Apart(MidwayPoint),
    /// There is no such point: see [`midway_point`].
    Nowhere,
}

/// The contact of two bodies by their midway point.
pub fn contact_midway(a: &Shape, b: &Shape, pose_ab: &Pose) -> Midway {
    let (Some(found), Some(first), Some(second)) = (midway_point(a, b, pose_ab), a.as_smooth(), b.as_smooth()) else {
        return Midway::Nowhere;
    };
    if found.level >= 0.0 {
        return Midway::Apart(found);
    }
    let MidwayPoint { point, normal, .. } = found;
    let out_of_a = first.exit(point, normal).distance;
    let own = |v: DVec3| pose_ab.inverse_transform_vector(v);
    let out_of_b = second.exit(own(point - pose_ab.position), own(-normal)).distance;
    let (point_a, separation) = (point + normal * out_of_a, -(out_of_a + out_of_b));
    Midway::Overlap(Contact { normal, separation, point_a, point_b: point_a + normal * separation }, found)
}

/// Steps of one iteration, at most.
const MOST_STEPS: usize = 60;

/// A step that leaves more to do is taken again with this part of its length.
const SHORTER: f64 = 0.5;

/// What is left of the equations where they hold: gradients as parts of themselves, levels as they are. Some hundred roundings.
const SOLVED: f64 = 1e-12;

/// Intermediate bodies where a direct iteration fails.
const N_BODIES: u32 = 12;

/// Two bodies, seen from a.
#[derive(Clone, Copy)]
struct System {
    a: Superquadric,
    b: Superquadric,
    turn: DMat3,
    shift: DVec3,
    size: f64,
}

/// The equations at a point, with gradients in units of one over the size.
struct Equations {
    value: DVec4,
    matrix: DMat4,
    /// What is left, against which it is measured.
    rest: f64,
}

impl System {
    /// Where the line of centres is as far from one centre as from the other, in each body's own measure.
    fn start(&self) -> DVec3 {
        let of_a = self.a.gauge(self.shift).0;
        let of_b = self.b.gauge(self.turn.transpose() * self.shift).0;
        // The gauge grows evenly along the line: t of_a = (1 - t) of_b.
        self.shift * (of_b / (of_a + of_b))
    }

    /// The equations with the multiplier that balances the lengths of the gradients. One of its own could leave the range from -1 to 1, where
    /// the gradients point the same way and the level is not the least.
    fn equations(&self, x: DVec3) -> Equations {
        let (a, b) = (self.a.level(x), self.b.level(self.turn.transpose() * (x - self.shift)));
        let (gradient_a, gradient_b) = (a.gradient * self.size, self.turn * b.gradient * self.size);
        let squared = self.size * self.size;
        let (second_a, second_b) = (a.hessian() * squared, self.turn * b.hessian() * self.turn.transpose() * squared);
        let (length_a, length_b) = (gradient_a.length(), gradient_b.length());
        let l = if length_a + length_b > 0.0 { (length_b - length_a) / (length_a + length_b) } else { 0.0 };
        let balance = gradient_a * (1.0 + l) + gradient_b * (1.0 - l);
        let difference = gradient_a - gradient_b;
        let second = second_a * (1.0 + l) + second_b * (1.0 - l);
        let matrix = DMat4::from_cols(
            second.x_axis.extend(difference.x),
            second.y_axis.extend(difference.y),
            second.z_axis.extend(difference.z),
            difference.extend(0.0),
        );
        let level = a.value - b.value;
        // Measured by itself, so that no level far from 1 stands out.
        let (scale, levels) = (2.0 * length_a * length_b / (length_a + length_b), a.value + b.value);
        let rest = (balance.length() / scale).hypot(level / levels);
        Equations { value: balance.extend(level), matrix, rest }
    }

    /// The point from a start; where the iteration does not end, the best it came to.
    fn solve(&self, start: DVec3, tried: &mut usize) -> Result<DVec3, DVec3> {
        let mut x = start;
        let mut now = self.equations(x);
        for _ in 0..MOST_STEPS {
            if now.rest <= SOLVED {
                return Ok(x);
            }
            let step = now.matrix.inverse() * -now.value;
            if !step.is_finite() {
                return Err(x);
            }
            let mut share = 1.0;
            loop {
                *tried += 1;
                let next_x = x + step.truncate() * (share * self.size);
                let next = self.equations(next_x);
                if next.rest < now.rest {
                    (x, now) = (next_x, next);
                    break;
                }
                share *= SHORTER;
                if share < 1e-4 {
                    // Rounding allows no more.
                    return if now.rest <= 1e3 * SOLVED { Ok(x) } else { Err(x) };
                }
            }
        }
        Err(x)
    }

    /// The point by bodies whose exponents grow from 2.
    fn continued(&self, tried: &mut usize) -> Result<DVec3, DVec3> {
        let mut x = self.start();
        for k in 0..=N_BODIES {
            let share = f64::from(k) / f64::from(N_BODIES);
            let of = |body: &Superquadric| {
                let exponent = |n: f64| if k == N_BODIES { n } else { 2.0 + (n - 2.0) * share * share };
                Superquadric { n1: exponent(body.n1), n2: exponent(body.n2), ..*body }
            };
            let rounder = System { a: of(&self.a), b: of(&self.b), ..*self };
            match rounder.solve(x, tried) {
                Ok(found) => x = found,
                Err(found) if k == N_BODIES => return Err(found),
                Err(_) => {}
            }
        }
        Ok(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::contact;
    use crate::oracle::Sequence;
    use glam::DQuat;

    fn body(random: &mut Sequence, exponents: &[f64]) -> Shape {
        let mut axis = || random.between_in_ratio(0.3, 1.0);
        let semi_axes = DVec3::new(axis(), axis(), axis());
        let mut exponent = || exponents[(random.unit() * exponents.len() as f64) as usize];
        Shape::superquadric(semi_axes, exponent(), exponent()).unwrap()
    }

    #[test]
    fn balls_and_ellipsoids_on_a_line_are_met_as_by_hand() {
        let ellipsoid = Shape::superquadric(DVec3::new(2.0, 1.0, 1.0), 2.0, 2.0).unwrap();
        let ball = Shape::sphere(1.0).unwrap();
        let pose = Pose::from_position(DVec3::X * 2.7);
        let Midway::Overlap(contact, found) = contact_midway(&ellipsoid, &ball, &pose) else { panic!() };
        // x / 2 = 2.7 - x.
        assert!((found.point - DVec3::X * 1.8).length() < 1e-10 && found.converged, "{found:?}");
        assert!((contact.separation + 0.3).abs() < 1e-10 && (contact.normal - DVec3::X).length() < 1e-10);
        let apart = contact_midway(&ellipsoid, &ball, &Pose::from_position(DVec3::X * 3.1));
        assert!(matches!(apart, Midway::Apart(found) if found.level > 0.0 && found.converged));
        let between = midway_point(&ball, &ball, &Pose::from_position(DVec3::X)).unwrap();
        assert!((between.point - 0.5 * DVec3::X).length() < 1e-12);
        assert!(midway_point(&ellipsoid, &ball, &Pose::IDENTITY).is_none());
    }

    #[test]
    fn the_verdict_is_right_and_shallow_overlaps_are_near_the_depth() {
        let mut random = Sequence::new(71);
        for exponents in [&[2.0][..], &[2.0, 4.0, 8.0], &[3.0, 20.0]] {
            for _ in 0..1_500 {
                let (a, b) = (body(&mut random, exponents), body(&mut random, exponents));
                let pose = Pose::new(random.direction() * random.between(0.2, 2.0), random.orientation());
                let truth = contact(&a, &b, &pose).unwrap().separation;
                let found = midway_point(&a, &b, &pose).unwrap();
                assert!(found.converged, "{a:?} {b:?} {pose:?} {found:?}");
                if truth.abs() > 1e-9 {
                    assert_eq!(found.level < 0.0, truth < 0.0, "{a:?} {b:?} {pose:?} {found:?} {truth}");
                }
                if let Midway::Overlap(contact, _) = contact_midway(&a, &b, &pose) {
                    // Where the overlap vanishes, the two agree.
                    let off = (contact.separation - truth).abs();
                    assert!(truth < -1e-3 || off < 0.1 * -truth + 1e-9, "{a:?} {b:?} {pose:?} {contact:?} {truth}");
                }
            }
        }
    }

    /// The figures of the book: `cargo test -p tumble-geometry --lib how_far_off -- --nocapture`.
    #[test]
    fn how_far_off_normal_and_overlap_are_grows_with_the_depth() {
        for exponents in [&[2.0][..], &[4.0], &[8.0], &[2.0, 4.0, 8.0]] {
            let mut last = 0.0;
            for depth in [1e-4, 1e-3, 1e-2, 1e-1] {
                let mut random = Sequence::new(75);
                let (mut angles, mut overlaps, mut steps) = (Vec::new(), Vec::new(), Vec::new());
                for _ in 0..400 {
                    let (a, b) = (body(&mut random, exponents), body(&mut random, exponents));
                    let pose = Pose::new(random.direction() * 1.5, random.orientation());
                    let touching = contact(&a, &b, &pose).unwrap();
                    let shift = touching.normal * (touching.separation + 0.3 * depth);
                    let pose = Pose::new(pose.position - shift, pose.orientation);
                    let truth = contact(&a, &b, &pose).unwrap();
                    let Midway::Overlap(found, point) = contact_midway(&a, &b, &pose) else {
                        panic!("{a:?} {b:?} {pose:?}")
                    };
                    angles.push(found.normal.angle_between(truth.normal).to_degrees());
                    overlaps.push((found.separation / truth.separation - 1.0).abs());
                    steps.push(point.iterations as f64);
                }
                let of = |values: &mut Vec<f64>| {
                    values.sort_by(f64::total_cmp);
                    (values[200], values[399])
                };
                let (angle, overlap, steps) = (of(&mut angles), of(&mut overlaps), of(&mut steps));
                println!(
                    "exponents {exponents:?}, depth {depth:.0e}: angle {angle:.5?}, overlap {overlap:.6?}, steps {steps:?}"
                );
                assert!(angle.0 >= last, "{exponents:?} {depth}");
                last = angle.0;
            }
            assert!(last > 0.1);
        }
    }

    #[test]
    fn either_way_round_the_point_is_the_same() {
        let mut random = Sequence::new(73);
        for _ in 0..200 {
            let (a, b) = (body(&mut random, &[2.0, 4.0]), body(&mut random, &[2.0, 4.0]));
            let pose = Pose::new(random.direction(), random.orientation());
            let back: DQuat = pose.orientation.conjugate();
            let reverse = Pose::new(-(back * pose.position), back);
            let (one, other) = (midway_point(&a, &b, &pose).unwrap(), midway_point(&b, &a, &reverse).unwrap());
            assert!((one.point - pose.transform_point(other.point)).length() < 1e-7, "{one:?} {other:?}");
        }
    }
}
