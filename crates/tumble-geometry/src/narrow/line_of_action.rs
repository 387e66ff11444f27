//! The line of force of a contact meets the axis of every body of revolution.
//!
//! A support point p of a body of revolution with centre c and axis e lies in the plane of e and the normal n:
//! (p - c) . (n x e) = 0, so that a force along n does not turn the body about its own axis (Feng, Han and Owen 2017,
//! theorem 1). A contact point that is not the body's own support point keeps this only as well as a search closed. The
//! depth is right to the square of what the normal is off, so a search ends when the normal is right to 1e-8 or so. Worse, a
//! point of the other body's rim is known to that over |n x e| of its own axis: where the rim nearly lies on its cap (1e-8)
//! a normal that is right to 1e-13 leaves it 1e-5 of the radius off along the rim.
//!
//! So the point of a contact is moved across the normal: to the plane of the axis that is more across, and within it to the
//! plane of the other, as far as that is near. What is left of the torque about the other axis is its small |n x e| times
//! the shift that was needed. Against a surface there is one axis only, and nothing is left.
//!
//! Valid for any normal. Known limit: a cap that lies flat is left alone, since it is met in its middle or where an edge or
//! another face lies under it. The torque is then up to [`crate::tolerance::LIES_FLAT`] of what the force could
//! do at the rim.

use super::placed_shape::PlacedShape;
use crate::tolerance;
use glam::DVec3;

/// The point of a contact of a body with a surface, moved across the normal until the line along the normal meets the body's
/// axis, if it is a body of revolution.
pub(super) fn onto_axis(point: DVec3, normal: DVec3, body: &PlacedShape) -> DVec3 {
    body.meridian_across(normal).map_or(point, |across| onto_plane(point, across, body.centre))
}

fn onto_plane(point: DVec3, across: DVec3, origin: DVec3) -> DVec3 {
    point - across * (across.dot(point - origin) / across.length_squared())
}

/// The same for two bodies. `size` is that of the pair [m].
pub(super) fn onto_axes(point: DVec3, normal: DVec3, bodies: [&PlacedShape; 2], size: f64) -> DVec3 {
    let [a, b] = bodies;
    let (Some(across_a), Some(across_b)) = (a.meridian_across(normal), b.meridian_across(normal)) else {
        return onto_axis(onto_axis(point, normal, a), normal, b);
    };
    let first_is_a = across_a.length_squared() >= across_b.length_squared();
    let (first, second) = if first_is_a { ((a, across_a), (b, across_b)) } else { ((b, across_b), (a, across_a)) };
    let point = onto_plane(point, first.1, first.0.centre);
    let along = normal.cross(first.1).normalize_or_zero();
    let shift = second.1.dot(second.0.centre - point) / second.1.dot(along);
    if shift.abs() <= tolerance::SAME_AZIMUTH * size { point + along * shift } else { point }
}

#[cfg(test)]
mod tests {
    use crate::narrow::{ContactMethod, contact_by, contact_surface};
    use crate::oracle::Sequence;
    use crate::shape::{Capsule, Tablet, TruncatedCone};
    use crate::{Cylinder, Mesh, Pose, Revolved, Shape, Surface};
    use glam::{DQuat, DVec3};
    use std::f64::consts::FRAC_PI_2;

    /// Torque about a body's axis of a unit force through a point.
    fn about_axis(point: DVec3, normal: DVec3, pose: &Pose) -> f64 {
        (pose.orientation * DVec3::Z).dot((point - pose.position).cross(normal)).abs()
    }

    #[test]
    fn a_side_on_a_cap_that_is_not_quite_level_turns_neither_cylinder() {
        let mut sequence = Sequence::new(81);
        let a = Shape::Cylinder(Cylinder { radius: 1.0, half_height: 1.0 });
        let b = Shape::Cylinder(Cylinder { radius: 1.0, half_height: 0.3 });
        for k in 0..4000 {
            // The cap of b on the side of a, tilted along the axis of a and, less, across it.
            let tilt = sequence.between_in_ratio(2e-9, 1e-5);
            let place = DVec3::new(1.3 - sequence.between_in_ratio(1e-4, 1e-2), 0.0, sequence.between(-0.9, 0.9));
            let across = 0.3 * sequence.between(-1.0, 1.0);
            let orientation =
                DQuat::from_rotation_y(FRAC_PI_2 + tilt) * DQuat::from_rotation_z(sequence.between(0.0, 6.3));
            let around = DQuat::from_rotation_z(sequence.between(0.0, 6.3));
            let pose = Pose::new(around * (place + DVec3::Y * across), around * orientation);
            for method in [ContactMethod::Exact, ContactMethod::General] {
                let contact = contact_by(method, &a, &b, &pose, None, f64::INFINITY).unwrap().unwrap();
                let point = 0.5 * (contact.point_a + contact.point_b);
                assert!(contact.separation < 0.0, "pose {k} is no overlap");
                let [side, cap] = [Pose::IDENTITY, pose].map(|pose| about_axis(point, contact.normal, &pose));
                // The rim's place is that of the normal, off by 1e-11 at worst, over the tilt, and its lever arm is the tilt.
                assert!(side < 1e-14 && cap < 1e-10, "pose {k}, {method:?}, tilt {tilt:.1e}: {side:.1e}, {cap:.1e}");
            }
        }
    }

    #[test]
    fn no_surface_turns_a_body_of_revolution_about_its_axis() {
        let mut sequence = Sequence::new(82);
        let shapes = [
            Shape::Cylinder(Cylinder { radius: 0.5, half_height: 0.4 }),
            Shape::Capsule(Capsule { radius: 0.3, half_height: 0.5 }),
            Shape::TruncatedCone(TruncatedCone { lower_radius: 0.5, upper_radius: 0.2, height: 0.8 }),
            Shape::Tablet(Tablet { radius: 0.5, half_height: 0.2, dome_height: 0.1 }),
        ];
        let tent = Mesh::new(
            vec![DVec3::new(-2.0, -2.0, -1.0), DVec3::new(2.0, -2.0, -1.0), DVec3::new(0.0, 2.0, -1.0), DVec3::ZERO],
            vec![[0, 1, 3], [1, 2, 3], [2, 0, 3]],
        );
        let hourglass = Revolved::new(vec![[2.0, -1.5], [0.4, 0.0], [2.0, 1.5]]);
        let funnel = Revolved::new(vec![[0.0, -1.0], [1.5, 0.5]]);
        let surfaces = [
            Surface::HalfSpace,
            Surface::Mesh(tent.unwrap()),
            Surface::Revolved(hourglass.unwrap()),
            Surface::Revolved(funnel.unwrap()),
        ];
        let mut found = Vec::new();
        for surface in &surfaces {
            let mut n = 0;
            for shape in &shapes {
                for k in 0..1000 {
                    let pose = sequence.pose(1.5);
                    found.clear();
                    contact_surface(shape, surface, &pose, 0.0, &mut found);
                    for contact in &found {
                        n += 1;
                        let torque = about_axis(contact.point, contact.normal, &pose);
                        assert!(torque < 1e-14, "{} pose {k}: {contact:?}: {torque:.1e}", shape.kind().name());
                    }
                }
            }
            assert!(n > 200, "only {n} contacts");
        }
    }
}
