//! A convex shape and a sharp ring or tip that a corner of a profile sweeps: part of contact_convex_revolved.rs, where
//! it is explained.

use super::contact_convex_point::contact_convex_point;
use super::contact_convex_revolved::Question;
use super::direction_fan::{DirectionFan, Extreme, close_in};
use crate::{SurfaceContact, tolerance};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// First samples over an arc of azimuths.
const N_SAMPLES: usize = 8;

/// Unit vectors from a corner into the pieces of profile that end there.
fn pieces_at(question: &Question, corner: usize) -> [Option<DVec2>; 2] {
    let segments = question.revolved.segments();
    let before = if corner > 0 {
        segments.get(corner - 1)
    } else if question.revolved.is_closed() {
        segments.last()
    } else {
        None
    };
    [before.map(|segment| -segment.direction), segments.get(corner).map(|segment| segment.direction)]
}

/// The angles of directions in the half-plane that lead away from the body into no piece: n . d >= 0 for each.
pub(super) fn cone_at(question: &Question, corner: usize) -> Option<(f64, f64)> {
    match pieces_at(question, corner) {
        [Some(d), None] | [None, Some(d)] => Some((d.to_angle() - 0.5 * PI, d.to_angle() + 0.5 * PI)),
        [Some(d), Some(e)] => {
            let turn = d.angle_to(e);
            let middle = d.to_angle() + 0.5 * turn;
            let half = 0.5 * (PI - turn.abs());
            // A straight continuation has no normals of its own.
            (half > 0.5 * tolerance::FLAT_EDGE).then_some((middle - half, middle + half))
        }
        [None, None] => None,
    }
}

/// Whether no direction of a corner's cone leads away from the body's centre in any meridian plane, as inside a drum.
///
/// The cone has the sides e - d (d . e) and d - e (d . e), and the offset of the corner from the centre lies between those in the
/// centre's own meridian plane and in the one opposite. What is negative for both sides and both ends is so for all.
pub(super) fn is_hollow_everywhere(question: &Question, corner: usize, place: DVec2) -> bool {
    let [Some(d), Some(e)] = pieces_at(question, corner) else { return false };
    let sides = [e - d * d.dot(e), d - e * d.dot(e)];
    let rise = place.y - question.centre.y;
    let offsets = [place.x - question.centre.x, place.x + question.centre.x].map(|x| DVec2::new(x, rise));
    let rounding = tolerance::SAME_POINT * (question.revolved.length_scale() + question.centre.length());
    sides.iter().all(|side| offsets.iter().all(|offset| side.dot(*offset) < -rounding))
}

/// Appends the contacts with the ring that a corner off the axis sweeps.
pub(super) fn contact_with_ring(question: &Question, corner: usize, feature: u32, out: &mut Vec<SurfaceContact>) {
    let body = question.body;
    let place = DVec2::from(question.revolved.profile()[corner]);
    if is_hollow_everywhere(question, corner, place) {
        return;
    }
    let reach = body.radius + question.margin;
    // Azimuths at which the ring comes within the bounding ball.
    let rise = place.y - question.centre.y;
    let swing = 2.0 * place.x * question.centre.x;
    let excess = place.x * place.x + question.centre.x * question.centre.x + rise * rise - reach * reach;
    if excess > swing {
        return;
    }
    let Some((low, high)) = cone_at(question, corner) else { return };
    let half_arc = if excess <= -swing { PI } else { (excess / swing).acos() };

    let fan_at = |angle: f64| {
        let (outward, slope) = question.meridian(angle);
        let origin = outward * place.x + DVec3::Z * place.y;
        (DirectionFan { constant: DVec3::ZERO, cosine: outward, sine: DVec3::Z, origin }, slope)
    };
    let inner = |angle: f64| {
        let (fan, slope) = fan_at(angle);
        let (low, high) = fan.away_from(body.centre, low, high)?;
        Some((fan.least_reach(body, low, high, question.small), slope))
    };
    let evaluate = |angle: f64| {
        inner(angle).map(|(least, slope)| Extreme { angle, slope, value: slope.dot(least.point), ..least })
    };
    let n_samples = if half_arc > 1.0 { 2 * N_SAMPLES } else { N_SAMPLES };
    let mut before = evaluate(-half_arc);
    for k in 1..=n_samples {
        let after = evaluate(half_arc * (2.0 * k as f64 / n_samples as f64 - 1.0));
        if let (Some(first), Some(last)) = (before, after)
            && first.value >= 0.0
            && last.value < 0.0
        {
            // Between two places where there is a direction there is one too, but for rounding.
            let found = close_in(|angle| evaluate(angle).unwrap_or(last), first, last, false, question.small);
            if let Some((least, slope)) = inner(found.angle) {
                let (fan, _) = fan_at(found.angle);
                settle_on_ring(question, &fan, &least, slope, feature, out);
            }
        }
        before = after;
    }
}

/// Reports a place on a ring if the body is really over it. Returns the feature.
pub(super) fn settle_on_ring(
    question: &Question,
    fan: &DirectionFan,
    least: &Extreme,
    across: DVec3,
    feature: u32,
    out: &mut Vec<SurfaceContact>,
) -> Option<u32> {
    let body = question.body;
    let normal = least.direction;
    let level = normal.dot(fan.origin);
    let separation = level - normal.dot(body.support_beyond(normal, level));
    if separation.is_nan() || separation > question.margin {
        return None;
    }
    // At an end of the cone the neighbouring piece is met and not the ring, unless the body lies flat there.
    let near = tolerance::SAME_AZIMUTH * body.radius;
    if least.slope.dot(least.point - fan.origin).abs() > near {
        let over = body.patch_beyond(normal, level).cut(fan.origin, across, least.slope, near);
        if over.is_none_or(|(low, high)| low > near || high < -near) {
            return None;
        }
    }
    let feature = question.distinct_feature(question.feature(feature, fan.origin - normal * separation), out);
    out.push(SurfaceContact::new(feature, normal, separation, fan.origin));
    Some(feature)
}

/// Appends the contact with a corner on the axis.
pub(super) fn contact_with_tip(question: &Question, corner: usize, feature: u32, out: &mut Vec<SurfaceContact>) {
    let pieces = pieces_at(question, corner);
    let admits = |normal: DVec3| {
        let sideways = normal.truncate().length();
        pieces.iter().flatten().all(|d| normal.z * d.y - sideways * d.x >= -tolerance::FLAT_EDGE)
    };
    // A flat end has no tip, and neither has what is met from inside.
    let rise = pieces.iter().flatten().map(|d| d.y);
    let (lowest, highest) = rise.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
    if lowest <= tolerance::FLAT_EDGE && highest >= -tolerance::FLAT_EDGE {
        return;
    }
    let point = DVec3::Z * question.revolved.profile()[corner][1];
    if let Some((normal, separation)) =
        contact_convex_point(question.body, point, question.margin, admits, std::iter::empty())
    {
        let feature = question.feature(feature, point - normal * separation);
        out.push(SurfaceContact::new(feature, normal, separation, point));
    }
}
