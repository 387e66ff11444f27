//! A convex shape and a single point of a surface: the end of a cone, a corner of a mesh.
//!
//! The general pair answers it, with a ball of radius zero: gap(n) = n . p - h(n) is the same function for a point as
//! for any body.

use super::contact_body::contact_of_convex;
use super::convex::Convex;
use super::placed_shape::PlacedShape;
use crate::{Contact, Pose, Shape, Sphere, tolerance};
use glam::DVec3;

/// Most looks at a body that gives way, and where two depths are the same.
const MOST_LOOKS: usize = 40;
const SAME_DEPTH: f64 = 1e-12;

/// Normal from the body to the point, and the separation, if that is at most `margin` and the normal lies in the cone
/// that `admits` describes; and leads away from the body's centre.
pub(super) fn contact_convex_point(
    body: &PlacedShape,
    point: DVec3,
    margin: f64,
    admits: impl Fn(DVec3) -> bool,
) -> Option<(DVec3, f64)> {
    let offset = point - body.centre;
    let distance = offset.length();
    if distance <= tolerance::COINCIDENT * body.radius {
        return None;
    }
    // Any direction gives a bound: most points that are near the ball but not near the body end here.
    let guess = offset / distance;
    if guess.dot(point) - guess.dot(body.support(guess)) > margin {
        return None;
    }
    let seen = Pose::from_position(body.local_point(point));
    let ball = Shape::Sphere(Sphere { radius: 0.0 });
    let guess = Some(body.local_direction(guess));
    let ask = |convex: Convex| {
        let found = match contact_of_convex(convex, Convex::from(&ball), &seen, guess, f64::INFINITY) {
            Ok(contact) => contact.unwrap_or(Contact::NOWHERE),
            // Its direction is one of the body's own and gives a true bound; the separation is taken from it below.
            Err(not_converged) => not_converged.best,
        };
        let normal = body.place(found.normal) - body.centre;
        let level = normal.dot(point);
        (normal, level - normal.dot(body.support_beyond(normal, level)))
    };
    let (mut normal, mut separation) = ask(body.convex);
    if let Some(yielding) = body.yields {
        // The depth follows from the normal with an error of its square.
        for _ in 0..MOST_LOOKS {
            let before = separation;
            (normal, separation) = ask(yielding.at(-separation).convex());
            if (separation - before).abs() <= SAME_DEPTH * separation.abs() {
                break;
            }
        }
    }
    (separation <= margin && normal.dot(offset) > 0.0 && admits(normal)).then_some((normal, separation))
}
