//! A disc and a convex polygon.
//!
//! Each side of the polygon leaves a straight piece in the disc; arcs of the circle join the end of one piece to the
//! beginning of the next. Whether a corner is in the disc is asked once for each, so the pieces fit together whatever the
//! rounding. The area is the sum of two kinds of positive terms: the polygon of the ends of the pieces, and the circular
//! segments beyond the arcs.
//!
//! An arc's angle follows from its ends, but an arc of nearly zero and one of nearly the whole circle have the same ends
//! within rounding (a corner that just leaves the disc; a side that just cuts it). They are told apart by what the rest of
//! the boundary sweeps about the centre. An arc of three quarters or more leaves the centre deeper than r cos(pi / 4)
//! below every side; then all of the boundary together sweeps one turn, and the rest of it sweeps at most a quarter.

use super::{CircularSegment, PlanarRegion, RegionSum, vector_length};
use glam::DVec2;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// What of a side lies in the disc, relative to the disc's centre.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: DVec2,
    to: DVec2,
    /// Whether the side leaves the disc at `to`: an arc follows.
    leaves: bool,
}

/// The region shared by a disc (a) and a polygon (b), in the polygon's frame; `None` when they share no area.
pub fn overlap_disc_polygon(radius: f64, corners: &[DVec2], centre: DVec2) -> Option<PlanarRegion> {
    let pieces = pieces(radius, corners, centre);
    let depth = depth_of_centre(corners, centre);
    let Some(first) = pieces.first() else {
        return (depth >= 0.0).then(|| PlanarRegion::disc(radius, centre));
    };
    let after = |index: usize| pieces[(index + 1) % pieces.len()].from;
    // The arc after each piece that leaves the disc; one that rounding turns back is nothing, until shown otherwise.
    let arc_after = |index: usize, piece: &Piece| match angle(piece.to, after(index)) {
        arc if arc < -FRAC_PI_2 => arc + TAU,
        arc => arc.max(0.0),
    };
    let mut swept = 0.0;
    let mut shortest = (f64::INFINITY, 0);
    for (index, piece) in pieces.iter().enumerate() {
        swept += angle(piece.from, piece.to);
        if piece.leaves {
            let arc = arc_after(index, piece);
            swept += arc;
            if arc < shortest.0 {
                shortest = (arc, index);
            }
        }
    }
    let nearly_whole = depth > 0.5 * radius && swept < PI;
    let mut sum = RegionSum::about(first.from);
    let mut vector = DVec2::ZERO;
    for (index, piece) in pieces.iter().enumerate() {
        sum.add_triangle(piece.from, piece.to);
        sum.perimeter += piece.from.distance(piece.to);
        if piece.leaves {
            let (from, to) = (piece.to, after(index));
            let arc = if nearly_whole && index == shortest.1 {
                TAU + angle(from, to).min(0.0)
            } else {
                arc_after(index, piece)
            };
            sum.add_triangle(from, to);
            sum.add_segment(&CircularSegment { radius, angle: arc }, DVec2::ZERO, from, to);
            vector += vector_length(from, to);
        }
    }
    sum.reference += centre;
    // The first moment of an arc about its own centre is zero.
    sum.finish(vector, centre.perp_dot(vector))
}

/// The pieces of the sides in the disc, in order.
fn pieces(radius: f64, corners: &[DVec2], centre: DVec2) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(corners.len());
    let holds = |corner: DVec2| corner.length_squared() < radius * radius;
    for (index, corner) in corners.iter().enumerate() {
        let (from, to) = (*corner - centre, corners[(index + 1) % corners.len()] - centre);
        let length = (to - from).length();
        if length == 0.0 {
            continue;
        }
        let tangent = (to - from) / length;
        // From the foot of the centre on the line, the circle is this far along the side, both ways.
        let distance = from.perp_dot(tangent).abs();
        let reach = ((radius - distance) * (radius + distance)).max(0.0).sqrt();
        let foot = -tangent.dot(from);
        let along = |place: f64| from + place.clamp(0.0, length) * tangent;
        match (holds(from), holds(to)) {
            (true, true) => pieces.push(Piece { from, to, leaves: false }),
            (true, false) => pieces.push(Piece { from, to: along(foot + reach), leaves: true }),
            (false, true) => pieces.push(Piece { from: along(foot - reach), to, leaves: false }),
            (false, false) => {
                if reach > 0.0 && foot > 0.0 && foot < length {
                    pieces.push(Piece { from: along(foot - reach), to: along(foot + reach), leaves: true });
                }
            }
        }
    }
    pieces
}

/// Angle at the centre from one point to another, from -pi to pi.
fn angle(from: DVec2, to: DVec2) -> f64 {
    from.perp_dot(to).atan2(from.dot(to))
}

/// Least depth of a point below the sides; negative outside.
fn depth_of_centre(corners: &[DVec2], centre: DVec2) -> f64 {
    let ends = corners.iter().cycle().skip(1);
    let depths = corners.iter().zip(ends).map(|(start, end)| {
        let side = *end - *start;
        side.perp_dot(centre - *start) / side.length()
    });
    // A side without length gives NaN, which `min` leaves aside.
    depths.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [DVec2; 4] =
        [DVec2::new(-1.0, -1.0), DVec2::new(1.0, -1.0), DVec2::new(1.0, 1.0), DVec2::new(-1.0, 1.0)];

    #[test]
    fn contained_either_way_and_apart() {
        let within = overlap_disc_polygon(0.5, &SQUARE, DVec2::new(0.2, 0.5)).unwrap();
        assert_eq!(within, PlanarRegion::disc(0.5, DVec2::new(0.2, 0.5)));
        let around = overlap_disc_polygon(5.0, &SQUARE, DVec2::new(0.2, 0.5)).unwrap();
        assert_eq!((around.area, around.perimeter, around.vector_length), (4.0, 8.0, DVec2::ZERO));
        assert!(around.centroid.length() < 1e-15);
        assert_eq!(overlap_disc_polygon(0.5, &SQUARE, DVec2::new(1.5, 0.5)), None);
        assert_eq!(overlap_disc_polygon(0.5, &SQUARE, DVec2::new(1.4, 1.4)), None);
    }

    #[test]
    fn half_a_quarter_and_a_rounded_square() {
        let half = overlap_disc_polygon(0.5, &SQUARE, DVec2::new(1.0, 0.0)).unwrap();
        assert!((half.area - PI / 8.0).abs() < 1e-15);
        assert!((half.centroid - DVec2::new(1.0 - 2.0 / (3.0 * PI), 0.0)).length() < 1e-15);
        assert!((half.vector_length - DVec2::NEG_X).length() < 1e-15);
        let quarter = overlap_disc_polygon(0.5, &SQUARE, DVec2::ONE).unwrap();
        assert!((quarter.area - PI / 16.0).abs() < 1e-15);
        assert!((quarter.perimeter - (1.0 + PI / 4.0)).abs() < 1e-15);
        // A disc cut by four sides: pi r^2 less four segments.
        let (radius, middle) = (1.2, overlap_disc_polygon(1.2, &SQUARE, DVec2::ZERO).unwrap());
        let expected = PI * radius * radius - 4.0 * CircularSegment::of_height(radius, 0.2).area();
        assert!((middle.area - expected).abs() < 1e-14 && middle.centroid.length() < 1e-15);
        assert!(middle.vector_length.length() < 1e-15);
    }

    #[test]
    fn a_corner_or_a_side_that_hardly_crosses_the_circle() {
        for power in 0..60 {
            let excess = 0.5f64.powi(power) * 0.01;
            for sign in [-1.0, 1.0] {
                // All four corners on the circle, within a hair; all four sides on it; the same with one of them only.
                let around = overlap_disc_polygon(2f64.sqrt() * (1.0 + sign * excess), &SQUARE, DVec2::ZERO).unwrap();
                assert!((around.area - 4.0).abs() < 20.0 * excess + 1e-14, "{excess} {around:?}");
                let within = overlap_disc_polygon(1.0 + sign * excess, &SQUARE, DVec2::ZERO).unwrap();
                assert!((within.area - PI).abs() < 20.0 * excess + 1e-14, "{excess} {within:?}");
                let corner =
                    overlap_disc_polygon(5.0 * 2f64.sqrt() * (1.0 + sign * excess), &SQUARE, DVec2::splat(-4.0));
                assert!((corner.unwrap().area - 4.0).abs() < 20.0 * excess + 1e-14, "{excess} {corner:?}");
                let side = overlap_disc_polygon(0.5 * (1.0 + sign * excess), &SQUARE, DVec2::new(0.5, 0.0)).unwrap();
                assert!((side.area - PI / 4.0).abs() < 20.0 * excess + 1e-14, "{excess} {side:?}");
            }
        }
    }

    #[test]
    fn slivers_keep_their_digits() {
        for power in 4..45 {
            let depth = 0.5f64.powi(power);
            // Across a side: a segment. The centre 1 + 0.5 - depth is exact.
            let cap = overlap_disc_polygon(0.5, &SQUARE, DVec2::new(1.5 - depth, 0.25)).unwrap();
            let expected = CircularSegment::of_height(0.5, depth).area();
            assert!(
                (cap.area / expected - 1.0).abs() < 1e-14 + 1e-15 / depth.sqrt(),
                "{depth} {}",
                cap.area / expected
            );
            // A right corner just inside a large circle, with its bisector through the centre: a triangle, nearly.
            let centre = DVec2::ONE * (1.0 + 100.0 / 2f64.sqrt());
            let tip = overlap_disc_polygon(100.0 + depth, &SQUARE, centre).unwrap();
            // The tip's height carries the rounding of the centre, 1e-14.
            assert!((tip.area / (depth * depth) - 1.0).abs() < 1e-13 / depth + 2.0 * depth, "{depth} {tip:?}");
            assert!((tip.centroid - DVec2::ONE).length() < 2.0 * depth);
        }
    }

    #[test]
    fn a_small_disc_whose_rim_is_on_a_corner_of_a_large_polygon() {
        // A right corner on the rim, its bisector through the centre: half the disc and a triangle of area 1. The centre
        // carries the rounding of the corner, 1e-8, so the corner is just in or just out of the disc.
        let large = SQUARE.map(|corner| corner * 1e8);
        for k in 0..100 {
            let offset = 1e-9 * f64::from(k - 50);
            let centre = DVec2::splat(1e8 - 0.5f64.sqrt() + offset);
            let region = overlap_disc_polygon(1.0, &large, centre).unwrap();
            assert!((region.area - (0.5 * PI + 1.0)).abs() < 1e-6, "{offset} {region:?}");
        }
        // A disc that just crosses a side of it.
        for k in 0..100 {
            let centre = DVec2::new(1e8 - 1.0 + 1e-9 * f64::from(k - 50), 0.3e8);
            let region = overlap_disc_polygon(1.0, &large, centre).unwrap();
            assert!((region.area - PI).abs() < 1e-6, "{centre} {region:?}");
        }
    }
}
