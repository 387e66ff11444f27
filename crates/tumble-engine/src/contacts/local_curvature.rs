//! Contacts of smooth surfaces under Hertz's law with their curvatures where they touch.
//!
//! The energy is 2/5 of 4/3 E* sqrt(R) depth^(5/2), R from the curvatures ([`HertzEllipse`]). They change as the bodies roll over each
//! other, so that force and torque are not along the normal alone: with d = depth R^(1/5) the energy is a function of d, and the slope of
//! d over R^(1/5) is that of the depth plus depth/5 times that of ln R. What is left out otherwise is of the order of the depth over the
//! body's size, and makes or loses energy.
//!
//! Moving the bodies moves the contact over their surfaces. With the shape operators K_a and K_b in the tangent plane, the depth d and
//! N = (K_a + K_b - d K_b K_a)^-1, a shift t of b takes the contact along a by N K_b t and along b by -N^T K_a t, and a turn of b about its own
//! witness point that tilts the tangent plane by s along a by N s, along b by (1 - d K_a) N s. The rest is the chain rule, with the slope of ln R by
//! the sum of the curvatures from the axes of the ellipse; how a superquadric's curvature changes along its surface
//! comes from differences.
//!
//! Where a superquadric is flat, as on its axes with exponents above 2, Hertz would have no bound on the stiffness. Curvatures k are counted as
//! (k^4 + k_0^4)^(1/4), with k_0 the least that an ellipsoid of the same half axes has anywhere.

use super::meeting::Meeting;
use crate::law::elliptic::HertzEllipse;
use glam::{DMat2, DVec2, DVec3};
use tumble_geometry::lanes::row;
use tumble_geometry::{Contact, Pose, Shape};

/// Width of the differences along a surface, over the distance from the centre.
const STEP: f64 = 1e-5;

/// One of two surfaces that touch, in the tangent plane.
struct Side {
    /// Its shape operator [1/m].
    curvature: DMat2,
    /// The same as it is counted [1/m].
    counted: DMat2,
    /// How that changes along both axes of the tangent plane [1/m^2].
    change: [DMat2; 2],
}

impl Side {
    /// A plane.
    const FLAT: Side = Side { curvature: DMat2::ZERO, counted: DMat2::ZERO, change: [DMat2::ZERO; 2] };

    /// A shape near one of its points, with two tangents there, all in its own frame.
    fn of(shape: &Shape, point: DVec3, tangents: [DVec3; 2]) -> Option<Side> {
        let curvature_at = |place: DVec3| {
            let surface = shape.surface_near(place)?;
            let [p, q] = tangents.map(|tangent| tangent - surface.gradient * surface.gradient.dot(tangent));
            let across = surface.along(p, q);
            Some(DMat2::from_cols_array(&[surface.along(p, p), across, across, surface.along(q, q)]))
        };
        let curvature = curvature_at(point)?;
        if shape.is_ball() {
            return Some(Side { curvature, counted: curvature, change: [DMat2::ZERO; 2] });
        }
        let least = shape.flattest_counted().filter(|_| shape.has_flat_points());
        let counted = |curvature: DMat2| least.map_or(curvature, |least| bounded(curvature, least));
        let step = STEP * point.length();
        let along = |tangent: DVec3| {
            let [more, less] = [step, -step].map(|way| curvature_at(point + tangent * way).map(counted));
            Some((more? - less?) * (0.5 / step))
        };
        let change = [along(tangents[0])?, along(tangents[1])?];
        Some(Side { curvature, counted: counted(curvature), change })
    }
}

/// The mean of the eigenvalues of a symmetric matrix, half of their difference, and what is left without the mean.
fn parted(matrix: DMat2) -> (f64, f64, DMat2) {
    let mean = 0.5 * (matrix.x_axis.x + matrix.y_axis.y);
    let rest = matrix - DMat2::from_diagonal(DVec2::splat(mean));
    (mean, rest.x_axis.length(), rest)
}

/// The symmetric matrix with the axes of one that was parted, and other eigenvalues for the lower and the higher one.
fn joined((_, half, rest): (f64, f64, DMat2), [low, high]: [f64; 2]) -> DMat2 {
    // Without a difference there are no axes, and both are the same.
    let turned = if half > 0.0 { rest * (0.5 * (high - low) / half) } else { DMat2::ZERO };
    DMat2::from_diagonal(DVec2::splat(0.5 * (low + high))) + turned
}

/// Curvatures that do not fall below about a least one.
fn bounded(curvature: DMat2, least: f64) -> DMat2 {
    let parts = parted(curvature);
    let fourth = |k: f64| (k * k) * (k * k);
    let bounded = |k: f64| (fourth(k) + fourth(least)).sqrt().sqrt();
    joined(parts, [bounded(parts.0 - parts.1), bounded(parts.0 + parts.1)])
}

fn trace_of_product(a: DMat2, b: DMat2) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis)
}

impl Meeting {
    /// Of two shapes that overlap, in a's frame; `None` if one is not smooth.
    #[inline(never)]
    pub(super) fn by_local_curvature(shapes: [&Shape; 2], pose_ab: &Pose, contact: &Contact) -> Option<Meeting> {
        let normal = contact.normal;
        let (p, q) = tangents(normal);
        let a = Side::of(shapes[0], contact.point_a, [p, q])?;
        let own = [p, q].map(|tangent| pose_ab.inverse_transform_vector(tangent));
        let b = Side::of(shapes[1], pose_ab.inverse_transform_point(contact.point_b), own)?;
        let middle = 0.5 * (contact.point_a + contact.point_b);
        Some(of_sides(normal, [p, q], [middle, contact.point_b], -contact.separation, [&a, &b]))
    }

    /// Of a shape with a half-space, in the shape's frame: the normal into the half-space, the shape's deepest point and how deep it is. `None`
    /// if the shape is not smooth.
    #[inline(never)]
    pub(super) fn by_local_curvature_beyond_plane(
        shape: &Shape,
        normal: DVec3,
        point: DVec3,
        depth: f64,
    ) -> Option<Meeting> {
        let (p, q) = tangents(normal);
        let a = Side::of(shape, point, [p, q])?;
        let on_plane = point - normal * depth;
        Some(of_sides(normal, [p, q], [0.5 * (point + on_plane), on_plane], depth, [&a, &Side::FLAT]))
    }
}

/// Unit tangents, so that the second is the normal crossed with the first.
fn tangents(normal: DVec3) -> (DVec3, DVec3) {
    let p = normal.any_orthonormal_vector();
    (p, normal.cross(p))
}

fn of_sides(
    normal: DVec3,
    tangents: [DVec3; 2],
    [middle, point_b]: [DVec3; 2],
    depth: f64,
    [a, b]: [&Side; 2],
) -> Meeting {
    let parts = parted(a.counted + b.counted);
    let ellipse = HertzEllipse::new([parts.0 - parts.1, parts.0 + parts.1]);
    // The slope of ln R by the sum of the curvatures.
    let by_curvature = joined(parts, [-0.5 * ellipse.long, -0.5 * ellipse.short]);
    let along = |side: &Side| DVec2::from_array(side.change.map(|change| trace_of_product(by_curvature, change)));
    let (along_a, along_b) = (along(a), along(b));
    let turning = DMat2::from_cols_array(&[0.0, 1.0, -1.0, 0.0]);
    let about_normal = trace_of_product(by_curvature, turning * b.counted - b.counted * turning);
    let stiff = a.curvature + b.curvature - b.curvature * a.curvature * depth;
    let size = trace_of_product(stiff, stiff);
    // Where both are flat to rounding the contact has no place of its own.
    let moved = if stiff.determinant() > 1e-12 * size { stiff.inverse() } else { DMat2::ZERO };
    let back = moved.transpose();
    let by_shift = b.curvature * (back * along_a) - a.curvature * (moved * along_b);
    let by_tilt = back * (along_a + along_b - a.curvature * along_b * depth);
    let in_space = |v: DVec2| tangents[0] * v.x + tangents[1] * v.y;
    let share = 0.2 * depth;
    let shift = normal - in_space(by_shift) * share;
    let turn = (normal.cross(in_space(by_tilt)) + normal * about_normal) * -share;
    let steepness = shift.length();
    let direction = shift / steepness;
    let on_line = point_b + shift.cross(turn) / (steepness * steepness);
    let patch_radius = (depth * (ellipse.long * ellipse.short).sqrt()).sqrt();
    let region = DVec3::new(turn.dot(direction) / steepness, patch_radius, ellipse.radius);
    Meeting {
        normal: direction,
        arm: on_line + direction * direction.dot(middle - on_line),
        depth,
        overlap: depth / steepness,
        region: row(region, steepness),
    }
}
