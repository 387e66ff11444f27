//! Rays and lines through shapes: where a ray that starts inside leaves, and between which two points a line is inside.
//!
//! Every surface here is a plane, a quadric or the level set of a convex function. Planes are clipped (Cyrus and Beck,
//! 1978). For a quadric a t^2 + 2 b t + c = 0 the root is taken in the form that does not cancel (b and the square root
//! are always added, never subtracted), and the discriminant comes from the distance of the line from the axis or
//! centre. A superquadric is solved by Newton's method from outside its box, where convexity makes the iteration
//! monotone ([`crate::Superquadric`]).
//!
//! A convex shape is left once, so [`Shape::exit`] is exact to rounding. It fails where the question has no answer: a
//! ray that runs within a surface may be said to leave anywhere along it.

use crate::{Pose, Shape};
use glam::DVec3;

/// Where a ray leaves a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exit {
    /// Distance from the ray's origin [m]; zero or more.
    pub distance: f64,
    /// Outward unit normal of the surface there.
    pub normal: DVec3,
    /// Which smooth piece of the surface: see [`Shape::exit`].
    pub piece: u32,
}

impl Exit {
    /// Through a flat end of a body of revolution about z: piece 1 upwards, 2 downwards.
    #[inline]
    pub(crate) fn through_end(distance: f64, direction: DVec3) -> Exit {
        let (normal, piece) = if direction.z > 0.0 { (DVec3::Z, 1) } else { (-DVec3::Z, 2) };
        Exit { distance, normal, piece }
    }
}

impl Shape {
    /// Where a ray leaves the shape. The ray starts inside or on the surface; its direction has unit length; both are
    /// local.
    ///
    /// The pieces of surface are numbered: cylinder, disc and truncated cone, 0 the side, 1 the upper end, 2 the lower
    /// end; capsule and tablet, 0 the side, 1 the upper round end, 2 the lower; polyhedron and polygon (as a prism), the face;
    /// sphere and superquadric, 0. For a clump, whose parts the ray may pass through one after another, the number is
    /// that of the part last left.
    #[inline]
    pub fn exit(&self, origin: DVec3, direction: DVec3) -> Exit {
        match self {
            Shape::Sphere(s) => s.exit(origin, direction),
            Shape::Cylinder(c) => c.exit(origin, direction),
            Shape::Capsule(c) => c.exit(origin, direction),
            Shape::TruncatedCone(c) => c.exit(origin, direction),
            Shape::Tablet(t) => t.exit(origin, direction),
            Shape::Superquadric(s) => s.exit(origin, direction),
            Shape::Polyhedron(p) => p.exit(origin, direction),
            Shape::Disc(d) => d.solid().exit(origin, direction),
            Shape::Polygon(p) => p.solid().exit(origin, direction),
            Shape::Clump(c) => c.exit(origin, direction),
        }
    }

    /// Where a whole line (unit direction) enters and leaves the shape, as distances from the origin along the
    /// direction; `None` if it misses. For a clump, where it enters the first part and leaves the last.
    #[inline]
    pub fn chord(&self, origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
        match self {
            Shape::Sphere(s) => s.chord(origin, direction),
            Shape::Cylinder(c) => c.chord(origin, direction),
            Shape::Capsule(c) => c.chord(origin, direction),
            Shape::TruncatedCone(c) => c.chord(origin, direction),
            Shape::Tablet(t) => t.chord(origin, direction),
            Shape::Superquadric(s) => s.chord(origin, direction),
            Shape::Polyhedron(p) => p.chord(origin, direction),
            Shape::Disc(d) => d.solid().chord(origin, direction),
            Shape::Polygon(p) => p.solid().chord(origin, direction),
            Shape::Clump(c) => c.chord(origin, direction),
        }
    }

    /// Where a whole line (unit direction) first enters the shape: the distance from the origin along the direction,
    /// below zero if it lies behind, with the outward normal and piece of the surface there (as in [`Shape::exit`]; of a
    /// clump, the part). `None` if the line misses.
    ///
    /// The way in is the way out of the line reversed, seen from the middle of the chord, where every formula of
    /// [`Shape::exit`] is well conditioned.
    #[inline]
    pub fn entry(&self, origin: DVec3, direction: DVec3) -> Option<Exit> {
        if let Shape::Clump(clump) = self {
            return clump.entry(origin, direction);
        }
        let (enter, leave) = self.chord(origin, direction)?;
        let half = 0.5 * (leave - enter);
        let way = self.exit(origin + (enter + half) * direction, -direction);
        Some(Exit { distance: enter, normal: way.normal, piece: way.piece })
    }

    /// Whether a local point lies inside the shape; the surface counts, to rounding.
    pub fn contains(&self, point: DVec3) -> bool {
        match self {
            Shape::Sphere(s) => s.contains(point),
            Shape::Cylinder(c) => c.contains(point),
            Shape::Capsule(c) => c.contains(point),
            Shape::TruncatedCone(c) => c.contains(point),
            Shape::Tablet(t) => t.contains(point),
            Shape::Superquadric(s) => s.contains(point),
            Shape::Polyhedron(p) => p.contains(point),
            Shape::Disc(d) => d.solid().contains(point),
            Shape::Polygon(p) => p.solid().contains(point),
            Shape::Clump(c) => c.contains(point),
        }
    }
}

/// A line taken to a frame in which it was placed by a pose.
#[inline]
pub(crate) fn line_in(pose: &Pose, origin: DVec3, direction: DVec3) -> (DVec3, DVec3) {
    (pose.inverse_transform_point(origin), pose.inverse_transform_vector(direction))
}

/// Where two intervals of a line overlap.
#[inline]
pub(crate) fn common(a: (f64, f64), b: (f64, f64)) -> Option<(f64, f64)> {
    let both = (a.0.max(b.0), a.1.min(b.1));
    (both.0 <= both.1).then_some(both)
}

/// The smallest interval around two.
#[inline]
pub(crate) fn hull(a: Option<(f64, f64)>, b: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}

/// Where a coordinate that begins at `start` and grows by `rate` lies between two bounds.
#[inline]
pub(crate) fn slab(start: f64, rate: f64, lower: f64, upper: f64) -> Option<(f64, f64)> {
    if rate == 0.0 {
        return (lower <= start && start <= upper).then_some((f64::NEG_INFINITY, f64::INFINITY));
    }
    let (a, b) = ((lower - start) / rate, (upper - start) / rate);
    Some(if rate > 0.0 { (a, b) } else { (b, a) })
}

/// How far a coordinate that begins at `start` and grows by `rate` may go until it passes one of two bounds.
#[inline]
pub(crate) fn slab_exit(start: f64, rate: f64, lower: f64, upper: f64) -> f64 {
    if rate > 0.0 {
        ((upper - start) / rate).max(0.0)
    } else if rate < 0.0 {
        ((lower - start) / rate).max(0.0)
    } else {
        f64::INFINITY
    }
}

/// Where a unit-direction line leaves a ball about the origin, from a point inside.
#[inline]
pub(crate) fn ball_exit(origin: DVec3, direction: DVec3, radius: f64) -> f64 {
    let b = origin.dot(direction);
    let miss = origin - b * direction;
    let half_chord = (radius * radius - miss.length_squared()).max(0.0).sqrt();
    if b <= 0.0 {
        return half_chord - b;
    }
    let distance = origin.length();
    ((radius - distance) * (radius + distance) / (b + half_chord)).max(0.0)
}

/// Where a unit-direction line is inside a ball about the origin.
#[inline]
pub(crate) fn ball_chord(origin: DVec3, direction: DVec3, radius: f64) -> Option<(f64, f64)> {
    let b = origin.dot(direction);
    let square = radius * radius - (origin - b * direction).length_squared();
    (square >= 0.0).then(|| (-b - square.sqrt(), -b + square.sqrt()))
}

/// Where a line leaves an endless cylinder about the z axis, from a point inside; infinite along the axis.
#[inline]
pub(crate) fn tube_exit(origin: DVec3, direction: DVec3, radius: f64) -> f64 {
    let a = direction.x * direction.x + direction.y * direction.y;
    if a == 0.0 {
        return f64::INFINITY;
    }
    let b = origin.x * direction.x + origin.y * direction.y;
    let root = tube_discriminant(origin, direction, radius, a).max(0.0).sqrt();
    if b <= 0.0 {
        return (root - b) / a;
    }
    let rho = (origin.x * origin.x + origin.y * origin.y).sqrt();
    ((radius - rho) * (radius + rho) / (b + root)).max(0.0)
}

/// Where a line is inside an endless cylinder about the z axis.
#[inline]
pub(crate) fn tube_chord(origin: DVec3, direction: DVec3, radius: f64) -> Option<(f64, f64)> {
    let a = direction.x * direction.x + direction.y * direction.y;
    if a == 0.0 {
        let is_inside = origin.x * origin.x + origin.y * origin.y <= radius * radius;
        return is_inside.then_some((f64::NEG_INFINITY, f64::INFINITY));
    }
    let b = origin.x * direction.x + origin.y * direction.y;
    let square = tube_discriminant(origin, direction, radius, a);
    (square >= 0.0).then(|| ((-b - square.sqrt()) / a, (-b + square.sqrt()) / a))
}

/// b^2 - a c of the line and the circle, without the cancellation: a r^2 less the squared moment of the line.
#[inline]
fn tube_discriminant(origin: DVec3, direction: DVec3, radius: f64, a: f64) -> f64 {
    let moment = (origin.x * direction.y - origin.y * direction.x).abs();
    let reach = a.sqrt() * radius;
    (reach - moment) * (reach + moment)
}

/// The unit vector from the z axis to a point, or along `otherwise` (or x) if the point is on the axis.
#[inline]
pub(crate) fn radial(point: DVec3, otherwise: DVec3) -> DVec3 {
    let across = |v: DVec3| DVec3::new(v.x, v.y, 0.0).try_normalize();
    across(point).or_else(|| across(otherwise)).unwrap_or(DVec3::X)
}
