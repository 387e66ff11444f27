//! A clump and any other shape: the pair of parts with the least separation.
//!
//! For bodies apart that is their distance. For overlapping ones it is the depth of the deepest pair of parts, which is
//! not the translation that takes the clumps apart: that is not a local question for bodies that are not convex. Pairs
//! whose bounding balls are farther apart than the best answer so far are passed over. When two pairs tie, the first one is the answer.

use super::contact_within;
use crate::contact::NotConverged;
use crate::{Contact, Part, Pose, Shape};
use glam::DVec3;

/// The contact of two shapes of which at least one is a clump; `None` if it is farther than `limit`.
pub fn contact_clump(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    contact_parts(a, b, pose_ab, guess, limit, contact_within)
}

/// The same with any way of finding the contact of two parts, given what [`contact_within`] is given.
pub(super) fn contact_parts(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
    of_parts: impl Fn(&Shape, &Shape, &Pose, Option<DVec3>, f64) -> Result<Option<Contact>, NotConverged>,
) -> Result<Option<Contact>, NotConverged> {
    let whole_a = [Part { shape: a.clone(), pose: Pose::IDENTITY }];
    let whole_b = [Part { shape: b.clone(), pose: Pose::IDENTITY }];
    let parts_a = if let Shape::Clump(clump) = a { clump.parts() } else { &whole_a };
    let parts_b = if let Shape::Clump(clump) = b { clump.parts() } else { &whole_b };
    let mut nearest: Option<Result<Contact, NotConverged>> = None;
    let mut least = limit;
    for part_b in parts_b {
        let pose_b = pose_ab.compose(&part_b.pose);
        let radius_b = reach(&part_b.shape);
        for part_a in parts_a {
            let balls = pose_b.position.distance(part_a.pose.position) - radius_b - reach(&part_a.shape);
            if balls > least {
                continue;
            }
            let turned = guess.map(|n| part_a.pose.inverse_transform_vector(n));
            let pose = part_a.pose.relative(&pose_b);
            let (found, separation) = match of_parts(&part_a.shape, &part_b.shape, &pose, turned, least) {
                Ok(None) => continue,
                Ok(Some(contact)) => (Ok(moved(&contact, &part_a.pose)), contact.separation),
                Err(NotConverged { best, bound }) => {
                    (Err(NotConverged { best: moved(&best, &part_a.pose), bound }), best.separation)
                }
            };
            if nearest.is_none() || separation < least {
                least = separation;
                nearest = Some(found);
            }
        }
    }
    nearest.transpose()
}

/// Radius of a ball that holds a part as a solid: that of a planar shape counts its thickness too.
fn reach(shape: &Shape) -> f64 {
    let thickness = match shape {
        Shape::Disc(disc) => disc.half_thickness,
        Shape::Polygon(polygon) => polygon.half_thickness(),
        Shape::Sphere(_)
        | Shape::Cylinder(_)
        | Shape::Capsule(_)
        | Shape::TruncatedCone(_)
        | Shape::Tablet(_)
        | Shape::Superquadric(_)
        | Shape::Polyhedron(_)
        | Shape::Clump(_) => 0.0,
    };
    shape.bounding_radius() + thickness
}

fn moved(contact: &Contact, pose: &Pose) -> Contact {
    Contact {
        normal: pose.transform_vector(contact.normal),
        separation: contact.separation,
        point_a: pose.transform_point(contact.point_a),
        point_b: pose.transform_point(contact.point_b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::contact_from;
    use crate::oracle::Sequence;
    use crate::{Clump, Cylinder, Sphere};

    #[test]
    fn the_answer_is_that_of_the_nearest_pair_of_parts() {
        let mut random = Sequence::new(71);
        for _ in 0..200 {
            let mut part = |shape: Shape| Part { shape, pose: random.pose(1.0) };
            let ball = Shape::Sphere(Sphere { radius: 0.4 });
            let stick = Shape::Cylinder(Cylinder { radius: 0.2, half_height: 0.7 });
            let parts = vec![part(ball.clone()), part(stick.clone()), part(ball.clone())];
            let other = vec![part(stick), part(ball)];
            let (a, b) = (Clump::from_trusted_parts(parts.clone()), Clump::from_trusted_parts(other.clone()));
            let pose = random.pose(1.5);
            let found =
                contact_clump(&Shape::Clump(a.clone()), &Shape::Clump(b), &pose, None, f64::INFINITY).unwrap().unwrap();
            let mut least = f64::INFINITY;
            for p in &parts {
                for q in &other {
                    let pair = p.pose.relative(&pose.compose(&q.pose));
                    least = least.min(contact_from(&p.shape, &q.shape, &pair, None).unwrap().separation);
                }
            }
            assert!((found.separation - least).abs() < 1e-14);
            assert!((found.point_b - found.point_a - found.normal * found.separation).length() < 1e-14);
        }
    }

    #[test]
    fn a_clump_of_one_part_is_that_part() {
        let mut random = Sequence::new(72);
        let ball = Shape::Sphere(Sphere { radius: 0.4 });
        let stick = Shape::Cylinder(Cylinder { radius: 0.2, half_height: 0.7 });
        for _ in 0..100 {
            let inner = random.pose(1.0);
            let clump = Shape::Clump(Clump::from_trusted_parts(vec![Part { shape: stick.clone(), pose: inner }]));
            let pose = random.pose(1.0);
            let alone = contact_from(&stick, &ball, &inner.relative(&pose), None).unwrap();
            let found = contact_clump(&clump, &ball, &pose, None, f64::INFINITY).unwrap().unwrap();
            assert!((found.separation - alone.separation).abs() < 1e-14);
            assert!((found.point_a - inner.transform_point(alone.point_a)).length() < 1e-13);
        }
    }
}
