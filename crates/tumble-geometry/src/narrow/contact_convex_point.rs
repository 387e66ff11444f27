//! A convex shape and a single point of a surface: the end of a cone, a corner of a mesh.
//!
//! The general pair answers it, with a ball of radius zero: gap(n) = n . p - h(n) is the same function for a point as
//! for any body.

use super::contact_body::contact_of_convex;
use super::convex::Convex;
use super::placed_shape::PlacedShape;
use crate::{Contact, Pose, Shape, Sphere, tolerance};
use glam::DVec3;

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
    let found = match contact_of_convex(body.convex, Convex::from(&ball), &seen, guess, f64::INFINITY) {
        Ok(contact) => contact.unwrap_or(Contact::NOWHERE),
        // Its direction is one of the body's own and gives a true bound; the separation is taken from it below.
        Err(not_converged) => not_converged.best,
    };
    let normal = body.place(found.normal) - body.centre;
    let separation = normal.dot(point) - normal.dot(body.support(normal));
    (separation <= margin && normal.dot(offset) > 0.0 && admits(normal)).then_some((normal, separation))
}
