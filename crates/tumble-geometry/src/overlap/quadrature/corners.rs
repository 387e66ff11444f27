//! The corners of the region that lie on two planes: the ends of what the other constraints leave of the planes' line.

use super::curved::{Chord, Curved};
use super::pieces::Pieces;
use glam::{DMat3, DVec3};

/// Appends the azimuth of each corner that lies on two planes, and of the tips of superquadrics.
pub(super) fn corners(pieces: &Pieces, map: &DMat3, azimuths: &mut Vec<f64>) {
    // In the round frame the region ends well before this.
    const REACH: f64 = 10.0;
    let to_round = map.inverse();
    for (curved, _) in pieces.curved.iter().flatten() {
        if let Curved::Superquadric(norm) = curved
            && !norm.is_smooth()
        {
            for tip in norm.tips().into_iter().filter(|tip| pieces.depth(*tip).0 < 1e-9 * tip.length()) {
                let place = to_round * tip;
                azimuths.push(place.y.atan2(place.x));
            }
        }
    }
    let planes = &pieces.planes;
    for (i, first) in planes.iter().enumerate() {
        for (j, second) in planes.iter().enumerate().skip(i + 1) {
            let along = first.normal.cross(second.normal);
            let squared = along.length_squared();
            if squared < 1e-20 {
                continue;
            }
            let middle =
                (first.depth * second.normal.cross(along) + second.depth * along.cross(first.normal)) / squared;
            let speed = (to_round * along).length();
            let limit = (REACH + (to_round * middle).length()) / speed;
            let (mut lower, mut upper) = (-limit, limit);
            for (k, plane) in planes.iter().enumerate() {
                if k == i || k == j {
                    continue;
                }
                let slope = plane.normal.dot(along);
                let room = plane.depth - plane.normal.dot(middle);
                if slope > 0.0 {
                    upper = upper.min(room / slope);
                } else if slope < 0.0 {
                    lower = lower.max(room / slope);
                } else if room < 0.0 {
                    upper = f64::NEG_INFINITY;
                }
            }
            if lower < upper {
                add_ends(pieces, &to_round, [middle + lower * along, middle + upper * along], azimuths);
            }
        }
    }
}

fn add_ends(pieces: &Pieces, to_round: &DMat3, ends: [DVec3; 2], azimuths: &mut Vec<f64>) {
    let chord = Chord { from: [1.0, 0.0], to: [0.0, 1.0], inverse: [1.0, 1.0] };
    let (mut lower, mut upper) = (0.0_f64, 1.0_f64);
    for (curved, _) in pieces.curved.iter().flatten() {
        match curved.section(ends[0], ends[1]).inside(&chord) {
            Some([first, last]) => (lower, upper) = (lower.max(first), upper.min(last)),
            None => return,
        }
    }
    if lower >= upper {
        return;
    }
    for share in [lower, upper] {
        let place = *to_round * ends[0].lerp(ends[1], share);
        azimuths.push(place.y.atan2(place.x));
    }
}
