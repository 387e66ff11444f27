//! Which parts of bodies of revolution touch: side, rim or end.
//!
//! The contact point is taken to the frame of each body. Nearest to its side it counts as on the side, nearest to an end
//! (flat or domed) as on the end, and where it is near both as on the rim: nearer than twice the overlap and 1 % of the
//! smallest width of the body. A contact along a line or a face has its point in the middle, so that two rods side by
//! side count as side on side and two discs face on face as end on end.
//!
//! Cylinders, tablets and discs have all three; other shapes count as "other".

use super::{ContactRecord, Partner};
use crate::{Model, State};
use glam::DVec3;
use tumble_geometry::{Pose, Shape};

/// Share of the smallest width within which a point counts as on the rim, besides twice the overlap.
const NEAR_RIM: f64 = 0.01;

/// A part of the surface of a body of revolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SurfacePart {
    /// The side.
    Side,
    /// The edge between side and end.
    Rim,
    /// An end, flat or domed.
    End,
}

/// Names of the kinds of contact, in the order of [`contact_kinds`].
pub const CONTACT_KINDS: [&str; 11] = [
    "side_side",
    "side_rim",
    "side_end",
    "rim_rim",
    "rim_end",
    "end_end",
    "side_wall",
    "rim_wall",
    "end_wall",
    "other",
    "other_wall",
];

/// The part of a body's surface that a local point is nearest to, for bodies that have a side and ends. `overlap` is
/// that of the contact.
pub fn surface_part(shape: &Shape, point: DVec3, overlap: f64) -> Option<SurfacePart> {
    let (radius, from_end) = match shape {
        Shape::Cylinder(c) => (c.radius, (c.half_height - point.z.abs()).abs()),
        Shape::Disc(d) => (d.radius, (d.half_thickness - point.z.abs()).abs()),
        Shape::Tablet(t) => {
            let from_centre = DVec3::new(point.x, point.y, point.z.abs() - t.dome_centre()).length();
            (t.radius, (t.dome_radius() - from_centre).abs())
        }
        Shape::Sphere(_)
        | Shape::Capsule(_)
        | Shape::TruncatedCone(_)
        | Shape::Superquadric(_)
        | Shape::Polyhedron(_)
        | Shape::Polygon(_)
        | Shape::Clump(_) => return None,
    };
    let from_side = (radius - point.truncate().length()).abs();
    let near = 2.0 * overlap + NEAR_RIM * shape.smallest_width();
    Some(if from_side <= near && from_end <= near {
        SurfacePart::Rim
    } else if from_side <= from_end {
        SurfacePart::Side
    } else {
        SurfacePart::End
    })
}

/// How many contacts there are of each of [`CONTACT_KINDS`].
pub fn contact_kinds(model: &Model, state: &State, contacts: &[ContactRecord]) -> [u64; CONTACT_KINDS.len()] {
    let particles = &state.particles;
    let part = |grain: usize, centre: DVec3, contact: &ContactRecord| {
        let scale = particles.scale[grain];
        let local = Pose::new(centre, particles.orientation[grain]).inverse_transform_point(contact.point) / scale;
        surface_part(&model.species[particles.species[grain] as usize].shape, local, contact.overlap / scale)
    };
    let mut counts = [0; CONTACT_KINDS.len()];
    for contact in contacts {
        let centre = particles.position[contact.a];
        let first = part(contact.a, centre, contact);
        let kind = match contact.partner {
            Partner::Wall(_) => match first {
                Some(SurfacePart::Side) => 6,
                Some(SurfacePart::Rim) => 7,
                Some(SurfacePart::End) => 8,
                None => 10,
            },
            Partner::Particle(b) => match (first, part(b, centre + contact.branch, contact)) {
                (Some(p), Some(q)) => match (p.min(q), p.max(q)) {
                    (SurfacePart::Side, SurfacePart::Side) => 0,
                    (SurfacePart::Side, SurfacePart::Rim) => 1,
                    (SurfacePart::Side, SurfacePart::End) => 2,
                    (SurfacePart::Rim, SurfacePart::Rim) => 3,
                    (SurfacePart::Rim, _) => 4,
                    (SurfacePart::End, _) => 5,
                },
                _ => 9,
            },
        };
        counts[kind] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Species;
    use crate::observe::fixture;
    use glam::DQuat;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn points_belong_to_side_rim_or_end() {
        let cylinder = Shape::cylinder(1.0, 4.0).unwrap();
        let tablet = Shape::tablet(1.0, 1.0, 0.25).unwrap();
        let part = |shape: &Shape, x: f64, z: f64| surface_part(shape, DVec3::new(x, 0.0, z), 1e-3).unwrap();
        assert_eq!(part(&cylinder, 0.999, 1.2), SurfacePart::Side);
        assert_eq!(part(&cylinder, -0.3, -1.999), SurfacePart::End);
        assert_eq!(part(&cylinder, 0.99, 1.99), SurfacePart::Rim);
        assert_eq!(part(&tablet, 0.999, 0.1), SurfacePart::Side);
        assert_eq!(part(&tablet, 0.0, -0.499), SurfacePart::End);
        assert_eq!(part(&tablet, 0.999, 0.25), SurfacePart::Rim);
        assert_eq!(surface_part(&Shape::sphere(1.0).unwrap(), DVec3::X, 0.0), None);
    }

    #[test]
    fn a_rod_that_stands_on_another_touches_it_with_its_rim_or_end() {
        let mut model = fixture::model();
        model.species = vec![Species::new("rod", &Shape::cylinder(0.5, 2.0).unwrap(), 0)];
        let reach = model.species[0].shape.bounding_radius();
        let (upright, lying) = (DQuat::IDENTITY, DQuat::from_rotation_y(FRAC_PI_2));
        for (upper, height, point, kind) in [
            (lying, 0.99, DVec3::Z * 0.495, 0),
            (upright, 1.49, DVec3::Z * 0.495, 2),
            (upright, 1.49, DVec3::new(0.5, 0.0, 0.495), 1),
        ] {
            let mut state = fixture::state(&[(DVec3::ZERO, reach), (DVec3::Z * height, reach)]);
            state.particles.orientation = vec![lying, upper];
            state.particles.scale = vec![1.0; 2];
            let contact =
                ContactRecord { point, overlap: 0.01, ..fixture::pair(&state, 0, 1, DVec3::Z * height, -DVec3::Z) };
            let counts = contact_kinds(&model, &state, &[contact]);
            assert_eq!((counts[kind], counts.iter().sum::<u64>()), (1, 1), "{counts:?}");
        }
    }
}
