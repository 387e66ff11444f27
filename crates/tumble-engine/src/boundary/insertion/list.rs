//! Grains of a list, taken as they are if they do not overlap by more than the list allows.

use super::ball_grid::BallGrid;
use super::placer::Placer;
use super::{GrainList, ListedGrain, NewGrain, Surroundings, ball_is_clear};
use glam::DVec3;

/// Faults that are told in full; of more only the number is told.
const FAULTS_TOLD: usize = 5;

/// Whether every grain of a list makes sense by itself.
pub(super) fn check(grains: &GrainList, n_species: usize) -> Result<(), String> {
    for (row, grain) in grains.iter().enumerate() {
        let fault = if !(grain.radius > 0.0 && grain.radius.is_finite()) {
            format!("its radius is {} m; it must be positive and finite", grain.radius)
        } else if !grain.position.is_finite() {
            format!("its position is {} m; it must be finite", grain.position)
        } else if !grain.velocity.is_finite() || !grain.angular_velocity.is_finite() {
            format!(
                "its velocities are {} m/s and {} rad/s; they must be finite",
                grain.velocity, grain.angular_velocity
            )
        } else if !grain.orientation.is_normalized() {
            format!("its orientation is {}; it must be a unit quaternion", grain.orientation)
        } else if usize::from(grain.species) >= n_species {
            format!("its species has the number {}; there are {n_species}", grain.species)
        } else {
            continue;
        };
        return Err(format!("grain {} of the list: {fault}", row + 1));
    }
    Ok(())
}

pub(super) fn grains(
    surroundings: &Surroundings,
    listed: &GrainList,
    max_overlap: f64,
) -> Result<Vec<NewGrain>, String> {
    let mut faults: Vec<(usize, String)> = Vec::new();
    // Names below n_existing are grains that were there before.
    let existing = surroundings.existing;
    let n_existing = existing.len();
    let placer = Placer::empty(surroundings);
    let mut grid = BallGrid::new(surroundings.domain);
    for (index, (&position, &radius)) in existing.position.iter().zip(&existing.radius).enumerate() {
        grid.add(index as u32, position, radius);
    }
    // Bounding balls of shaped grains may overlap where the grains do not: those are looked at when all are in place.
    let only_balls = surroundings.species.iter().all(|species| species.shape.is_ball());
    // Those of another run press on each other and on walls as they did there; whether they touch anything new is seen when
    // all are in place.
    let of_run = listed.carried().is_some();
    // The large ones first: see the placer.
    let mut by_size: Vec<usize> = (0..listed.len()).collect();
    by_size.sort_by(|&i, &j| listed.get(j).radius.total_cmp(&listed.get(i).radius));
    for row in by_size {
        let ListedGrain { position, radius, .. } = listed.get(row);
        let number = row + 1;
        if !placer.is_in_domain(position) {
            faults.push((
                row,
                format!("grain {number} at {position} m lies outside the domain, where grains are removed"),
            ));
        }
        if only_balls
            && let Some(overlap) = grid.worst_overlap(position, radius)
            && overlap.depth > max_overlap * overlap.smaller_radius
        {
            let depth = told(overlap.depth, overlap.smaller_radius);
            let (other, first) = match (overlap.name as usize).checked_sub(n_existing) {
                Some(other) => (format!("grain {}", other + 1), row.min(other)),
                None => ("a grain of an earlier insertion".to_string(), row),
            };
            faults.push((first, format!("grain {number} overlaps {other} by {depth}")));
        }
        if only_balls
            && (!of_run || surroundings.is_hard)
            && !ball_is_clear(surroundings.clear_of_walls, position, radius * (1.0 - max_overlap))
        {
            let depth = told(wall_overlap(surroundings, position, radius), radius);
            faults.push((row, format!("grain {number} overlaps a wall by {depth}")));
        }
        if !of_run {
            grid.add((n_existing + row) as u32, position, radius);
        }
    }
    if faults.is_empty() {
        return Ok(listed.iter().collect());
    }
    faults.sort();
    let told: Vec<&str> = faults.iter().take(FAULTS_TOLD).map(|(_, text)| text.as_str()).collect();
    let more = match faults.len().saturating_sub(FAULTS_TOLD) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Err(format!("{}{more}. {}", told.join("; "), advice(max_overlap)))
}

/// What to do about overlapping grains.
fn advice(max_overlap: f64) -> String {
    format!(
        "Overlaps of up to {max_overlap} of the smallest half width are allowed (grains are numbered from 1 in the order of the \
         list): move the grains apart or allow a larger `max_overlap`"
    )
}

/// What is wrong with grains of any shape that are in place: overlaps beyond what the lists of a model allow. Each overlap is
/// that of two grains, or of a grain and a wall, by their numbers from 1, over half the smaller width.
pub(crate) fn overlap_faults(overlaps: &[(u32, String, f64, f64)], max_overlap: f64) -> Option<String> {
    let mut deep: Vec<_> = overlaps.iter().filter(|(_, _, _, relative)| *relative > max_overlap).collect();
    deep.sort_by_key(|(a, ..)| *a);
    let told: Vec<String> = deep
        .iter()
        .take(FAULTS_TOLD)
        .map(|(a, b, depth, relative)| format!("grain {a} overlaps {b} by {}", told(*depth, depth / relative)))
        .collect();
    let more = match deep.len().saturating_sub(FAULTS_TOLD) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    (!deep.is_empty()).then(|| format!("{}{more}. {}", told.join("; "), advice(max_overlap)))
}

fn told(depth: f64, radius: f64) -> String {
    format!("{depth:.4e} m ({:.2} of the smallest half width)", depth / radius)
}

/// How far a ball reaches into walls [m]: how much smaller it would have to be to touch none.
fn wall_overlap(surroundings: &Surroundings, position: DVec3, radius: f64) -> f64 {
    let (mut clear, mut touching) = (0.0, radius);
    for _ in 0..50 {
        let middle = 0.5 * (clear + touching);
        if ball_is_clear(surroundings.clear_of_walls, position, middle) {
            clear = middle;
        } else {
            touching = middle;
        }
    }
    radius - clear
}
