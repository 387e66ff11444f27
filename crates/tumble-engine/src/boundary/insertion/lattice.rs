//! Grains on a lattice, layer by layer from the bottom (against gravity; along z without any).
//!
//! With s the distance of nearest neighbours and w upwards:
//! - cubic: (i, j, k) s, solid fraction pi / 6 = 0.52 for touching spheres;
//! - face-centred cubic: (i, j, k) s / sqrt 2 with i + j + k even, 0.74;
//! - hexagonal close packed: rows s apart, every second row and layer shifted, layers s sqrt(2/3) apart, 0.74.
//!
//! A site is used if the largest grain has room there, so every size fits on every site.

use super::fill::MOST_GRAINS;
use super::placer::Placer;
use super::shares::species_of_all;
use super::{Insertion, Lattice, NewGrain, Surroundings};
use crate::random::Random;
use crate::region::Region;
use glam::DVec3;
use tumble_geometry::Pose;

/// Spacing chosen for grains of the largest size, in diameters: apart by more than rounding, and by nothing that matters.
const JUST_APART: f64 = 1.0 + 1e-9;

/// A length counts as holding so many steps if it does when it is longer by this factor: a box ten diameters wide holds
/// ten grains, though they are not quite apart then.
const FITS: f64 = JUST_APART + 1e-12;

/// Neighbours and walls that are nearer than touching by no more than this fraction of the radius count as touching: the
/// difference is due to rounding.
const TOUCHING: f64 = 1.0 - 1e-9;

pub(super) fn grains(
    surroundings: &Surroundings,
    insertion: &Insertion,
    region: &Region,
    lattice: Lattice,
    spacing: Option<f64>,
    count: Option<u64>,
    random: &mut Random,
) -> Result<Vec<NewGrain>, String> {
    let largest = insertion.size.largest();
    let spacing = spacing.unwrap_or(2.0 * largest * JUST_APART);
    if spacing < 2.0 * largest {
        return Err(format!(
            "the spacing of the lattice is {spacing:.4e} m, but grains have diameters of up to {:.4e} m and would overlap; \
             make the spacing at least as large",
            2.0 * largest
        ));
    }
    let too_many = || {
        format!(
            "a lattice of spacing {spacing:.4e} m has more than {MOST_GRAINS} sites in the region; make the region smaller \
             or give a count"
        )
    };
    if count.is_some_and(|count| count > MOST_GRAINS) {
        return Err(format!("more than {MOST_GRAINS} grains were asked for"));
    }
    let mut placer = Placer::near(surroundings, region);
    let centres = placer.check_ball(region, largest)?;

    let sites = Sites::new(lattice, spacing, &centres, surroundings.gravity);
    // Before memory is taken for them. Of a lattice with a count only as many sites are looked at as it takes.
    let n_sites = sites.counts.iter().fold(1u64, |product, &n| product.saturating_mul(n));
    if count.is_none() && n_sites > MOST_GRAINS {
        return Err(too_many());
    }
    let wanted = count.unwrap_or(u64::MAX);
    let mut positions = Vec::new();
    let mut n_looked_at = 0u64;
    'layers: for layer in 0..sites.counts[2] {
        for row in 0..sites.counts[1] {
            for place in 0..sites.counts[0] {
                if positions.len() as u64 == wanted {
                    break 'layers;
                }
                n_looked_at += 1;
                if n_looked_at > MOST_GRAINS {
                    return Err(too_many());
                }
                let Some(site) = sites.site(place, row, layer) else { continue };
                let position = placer.wrapped(placer.flattened(site));
                // The last site of a row that fits exactly may be outside by rounding.
                let inside = centres.contains(site) || centres.contains(site - 1e-12 * (site - sites.origin));
                if inside && placer.has_room(position, largest * TOUCHING) {
                    placer.take_ball(position, largest);
                    positions.push(position);
                }
            }
        }
    }
    if let Some(count) = count
        && (positions.len() as u64) < count
    {
        return Err(format!(
            "the lattice of spacing {spacing:.4e} m has room for only {} of {count} grains in the region (inside it, clear \
             of walls and of other grains); use a larger region, a smaller spacing, fewer grains or a denser lattice",
            positions.len()
        ));
    }
    let species = species_of_all(&insertion.species, positions.len(), random);
    let pairs = species.into_iter().zip(positions);
    Ok(pairs
        .map(|(species, position)| {
            let radius = insertion.draw_radius(species, random);
            let pose = Pose::new(position, insertion.draw_orientation(surroundings.planar, random));
            insertion.grain(species, radius, &pose, surroundings.planar, random)
        })
        .collect())
}

/// The sites of a lattice in a box.
struct Sites {
    lattice: Lattice,
    /// First site [m].
    origin: DVec3,
    /// Axis along rows, across rows, and upwards.
    axes: [usize; 3],
    /// 1 or -1 for each of them: sites are counted upwards even where gravity points along the axis.
    signs: [f64; 3],
    /// Length of a step along each of them [m].
    steps: [f64; 3],
    /// How many places along each.
    counts: [u64; 3],
}

impl Sites {
    fn new(lattice: Lattice, spacing: f64, centres: &Region, gravity: DVec3) -> Sites {
        let up = (0..3).rev().fold(2, |up, axis| if gravity[axis].abs() > gravity[up].abs() { axis } else { up });
        let axes = [(up + 1) % 3, (up + 2) % 3, up];
        let signs = [1.0, 1.0, if gravity[up] > 0.0 { -1.0 } else { 1.0 }];
        let mut steps = match lattice {
            Lattice::Cubic => [spacing; 3],
            Lattice::FaceCentred => [spacing / 2f64.sqrt(); 3],
            // Rows and layers are shifted by parts of a step: half along the row, a third across.
            Lattice::Hexagonal => [spacing / 2.0, spacing * 3f64.sqrt() / 2.0, spacing * (2.0f64 / 3.0).sqrt()],
        };
        let bounds = centres.bounds();
        let centred = !matches!(centres, Region::Box { .. });
        let mut origin = bounds.lower;
        let mut counts = [0; 3];
        for i in 0..3 {
            let (axis, length) = (axes[i], bounds.extent()[axes[i]]);
            if i < 2 && centred {
                // Of a round region the middle is a site, an even number of steps from the first. Sites outside are
                // not used.
                let n_half = 2.0 * (0.5 * length / (2.0 * steps[i])).ceil();
                origin[axis] += 0.5 * length - n_half * steps[i];
                counts[i] = 2 * n_half as u64 + 1;
                continue;
            }
            // A length that holds whole steps but for the gap and rounding is filled from end to end.
            let n_steps = (length / steps[i] * FITS).floor();
            if n_steps * steps[i] > length {
                steps[i] = length / n_steps;
            }
            counts[i] = n_steps as u64 + 1;
            if signs[i] < 0.0 {
                origin[axis] = bounds.upper[axis];
            }
        }
        Sites { lattice, origin, axes, signs, steps, counts }
    }

    /// A site, or `None` where the lattice has none.
    fn site(&self, place: u64, row: u64, layer: u64) -> Option<DVec3> {
        let mut across = row as f64;
        match self.lattice {
            Lattice::Cubic => {}
            Lattice::FaceCentred if (place + row + layer) % 2 == 1 => return None,
            Lattice::FaceCentred => {}
            Lattice::Hexagonal if (place + row + layer) % 2 == 1 => return None,
            Lattice::Hexagonal => across += (layer % 2) as f64 / 3.0,
        }
        let mut site = self.origin;
        for (i, offset) in [place as f64, across, layer as f64].into_iter().enumerate() {
            site[self.axes[i]] += self.signs[i] * offset * self.steps[i];
        }
        Some(site)
    }
}
