//! A clump and any other shape: the pair of parts with the least separation.
//!
//! For bodies apart that is their distance. For overlapping ones it is the depth of the deepest pair of parts, which is
//! not the translation that takes the clumps apart: that is not a local question for bodies that are not convex. Pairs
//! whose bounding balls are farther apart than the best answer so far are passed over. When two pairs tie, the first one is the answer.

use super::contact_within;
use crate::contact::NotConverged;
use crate::{Contact, Pose, Shape};
use glam::DVec3;

/// The contact of two shapes of which at least one is a clump; `None` if it is farther than `limit`.
pub fn contact_clump(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    contact_parts(parts_of(a), parts_of(b), pose_ab, guess, limit, contact_within)
}

/// A part of a body: what it is, the radius of a ball about its origin that holds it, and where it is in the body.
pub(super) type PlacedPart<P> = (P, f64, Pose);

/// The parts of a clump, or the shape itself.
pub(super) fn parts_of(shape: &Shape) -> impl Iterator<Item = PlacedPart<&Shape>> + Clone {
    shape.parts().map(|(part, pose)| (part, part.solid_radius(), pose))
}

/// The nearest pair of parts, with any way of finding the contact of two of them, given what [`contact_within`] is given.
pub(super) fn contact_parts<P: Copy>(
    parts_a: impl Iterator<Item = PlacedPart<P>> + Clone,
    parts_b: impl Iterator<Item = PlacedPart<P>>,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
    of_parts: impl Fn(P, P, &Pose, Option<DVec3>, f64) -> Result<Option<Contact>, NotConverged>,
) -> Result<Option<Contact>, NotConverged> {
    let mut nearest: Option<Result<Contact, NotConverged>> = None;
    let mut least = limit;
    for (part_b, radius_b, place_b) in parts_b {
        let pose_b = pose_ab.compose(&place_b);
        for (part_a, radius_a, place_a) in parts_a.clone() {
            let balls = pose_b.position.distance(place_a.position) - radius_b - radius_a;
            if balls > least {
                continue;
            }
            let turned = guess.map(|n| place_a.inverse_transform_vector(n));
            let pose = place_a.relative(&pose_b);
            let (found, separation) = match of_parts(part_a, part_b, &pose, turned, least) {
                Ok(None) => continue,
                Ok(Some(contact)) => (Ok(moved(&contact, &place_a)), contact.separation),
                Err(NotConverged { best, bound }) => {
                    (Err(NotConverged { best: moved(&best, &place_a), bound }), best.separation)
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
    use crate::{Clump, Cylinder, Part, Sphere};

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
