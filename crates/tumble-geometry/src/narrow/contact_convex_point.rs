//! A convex shape and a single point of a surface: the end of a cone, a corner of a mesh.
//!
//! The general pair answers it, with a ball of radius zero: gap(n) = n . p - h(n) is the same function for a point as
//! for any body.

use super::contact_body::contact_of_convex;
use super::convex::Convex;
use super::direction_fan::{DirectionFan, Extreme, close_in};
use super::placed_shape::PlacedShape;
use crate::{Contact, Pose, Shape, Sphere, tolerance};
use glam::{DMat2, DVec2, DVec3};

/// Most looks at a body that gives way, and where two depths are the same.
const MOST_LOOKS: usize = 40;
const SAME_DEPTH: f64 = 1e-12;

/// Most ways down to the least depth of planes through a point, when there is no way left (over the size of the body), which part of
/// its slope may be left at the end of a way, and how far the first and the last look of a way are [rad].
const MOST_DESCENTS: usize = 18;
const LEVEL_ENOUGH: f64 = 1e-9;
const NEAR_ENOUGH: f64 = 1e-2;
const FIRST_DESCENT: f64 = 1e-3;
const FARTHEST_DESCENT: f64 = 0.5;

/// Most of Newton's steps to a level normal, and by how much it is tilted for the slopes [rad].
const MOST_LEVELLINGS: usize = 8;
const TILT: f64 = 1e-6;

/// Normal from the body to the point, and the separation, if that is at most `margin` and the normal lies in the cone
/// that `admits` describes; and leads away from the body's centre. If the shallowest way out does not lie in the cone, another may: it
/// is sought from each of `starts`, directions of the cone.
pub(super) fn contact_convex_point(
    body: &PlacedShape,
    point: DVec3,
    margin: f64,
    admits: impl Fn(DVec3) -> bool,
    starts: impl Iterator<Item = DVec3>,
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
    let serves = |normal: DVec3| normal.dot(offset) > 0.0 && admits(normal);
    if separation < 0.0 && (body.measured.is_some() || !serves(normal)) {
        // A corner that is hollow, seen from the body, has no start.
        let mut others = [normal].into_iter().chain(starts).filter(|start| serves(*start)).filter_map(|start| {
            let (normal, separation) = least_measured(body, point, start);
            let offset = body.support_beyond(normal, normal.dot(point)) - point;
            let is_least = offset.cross(normal).length() <= tolerance::SAME_AZIMUTH * body.radius;
            (is_least && serves(normal)).then_some((normal, separation))
        });
        // What is measured is smooth, and has one least place.
        let found = if body.measured.is_some() { others.next() } else { others.max_by(|a, b| a.1.total_cmp(&b.1)) };
        return found.filter(|(_, separation)| *separation <= margin);
    }
    (separation <= margin && serves(normal)).then_some((normal, separation))
}

/// Where the depth against planes through a point is least, from a normal that is near it: down along its slope, and every third time
/// along the way that the last two went together, which leads along a valley (parallel tangents; Shah, Buehler and Kempthorne 1964).
fn least_measured(body: &PlacedShape, point: DVec3, start: DVec3) -> (DVec3, f64) {
    let support = |direction: DVec3| body.support_beyond(direction, direction.dot(point));
    let mut normals = [start; 3];
    for step in 0..MOST_DESCENTS {
        let normal = normals[2];
        let across = |way: DVec3| way - normal * normal.dot(way);
        let uphill = across(support(normal) - point);
        if uphill.length() <= LEVEL_ENOUGH * body.radius {
            break;
        }
        let valley = across(normal - normals[0]);
        let along_valley = step % 3 == 2 && valley.length() > f64::EPSILON;
        let way = if along_valley && valley.dot(uphill) < 0.0 { valley } else { -uphill };
        let fan = DirectionFan { constant: DVec3::ZERO, cosine: normal, sine: way.normalize_or_zero(), origin: point };
        let evaluate = |angle: f64| {
            let extreme = fan.extreme(angle, support);
            Extreme { value: -extreme.value, ..extreme }
        };
        let (first, mut last) = (evaluate(0.0), evaluate(FIRST_DESCENT));
        while last.value > 0.0 && last.angle < FARTHEST_DESCENT {
            last = evaluate(2.0 * last.angle);
        }
        let small = NEAR_ENOUGH * uphill.length();
        let kink = body.measured.is_none();
        let least = if last.value < 0.0 { close_in(evaluate, first, last, kink, small) } else { last };
        normals = [normals[1], normal, least.direction.normalize_or(normal)];
    }
    let normal = level_out(body, point, normals[2]);
    let level = normal.dot(point);
    (normal, level - normal.dot(support(normal)))
}

/// The normal near another at which the depth against planes through a point is level, by Newton's steps with slopes from differences;
/// the best that is seen.
fn level_out(body: &PlacedShape, point: DVec3, start: DVec3) -> DVec3 {
    let mut normal = start;
    // The slope of the depth, in the plane across the normal that is tilted.
    let slope = |normal: DVec3| body.support_beyond(normal, normal.dot(point)) - point;
    let across = |[e1, e2]: [DVec3; 2], way: DVec3| DVec2::new(way.dot(e1), way.dot(e2));
    for _ in 0..MOST_LEVELLINGS {
        let (e1, e2) = normal.any_orthonormal_pair();
        let tilted = |tilt: DVec2| (normal + e1 * tilt.x + e2 * tilt.y).normalize();
        let here = across([e1, e2], slope(normal));
        let column = |tilt: DVec2| {
            let [ahead, behind] = [tilt, -tilt].map(|tilt| across([e1, e2], slope(tilted(tilt))));
            (ahead - behind) / (2.0 * TILT)
        };
        let bend = DMat2::from_cols(column(DVec2::X * TILT), column(DVec2::Y * TILT));
        let next = tilted(-(bend.inverse() * here));
        let rest = slope(next).cross(next).length();
        if !(rest.is_finite() && rest < here.length()) {
            break;
        }
        normal = next;
        if rest <= tolerance::SAME_POINT * body.radius {
            break;
        }
    }
    normal
}
