//! Reads populations of random forms: rocks, and polygons of the planar mode.
//!
//! Every variant has a seed of its own, which follows from that of the shape and its number. So a form does not depend on how
//! many others there are, nor on threads.

use super::reader::Reader;
use super::shapes::{built, radius_of};
use glam::{DVec2, DVec3};
use tumble_engine::random::Random;
use tumble_geometry::{GeometryError, RandomPolygon, Rock, Shape};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Largest ratio of two proportions [1]: beyond it forms are needles and leaves that no law carries.
const MOST_STRETCHED: f64 = 1000.0;

/// Reads the rocks of a shape; `None` if something is wrong, which has been reported.
pub(crate) fn read_rocks(reader: &Reader, seed: u64) -> Option<Vec<Shape>> {
    let (vertices, radius) = (reader.count("vertices"), radius_of(reader));
    let (aspect, roundness) = (read_aspect(reader), reader.quantity("roundness").unwrap_or(0.0));
    let (n_variants, seed) = read_population(reader, seed);
    let aspect = DVec3::from_array(aspect?);
    let rock = Rock { n_vertices: vertices? as usize, aspect, roundness, radius: radius? };
    population(reader, n_variants, seed, |unit| rock.draw(unit))
}

/// Reads the random polygons of a shape; `None` if something is wrong, which has been reported.
pub(crate) fn read_random_polygons(reader: &Reader, seed: u64) -> Option<Vec<Shape>> {
    let (corners, radius, thickness) = (reader.count("corners"), radius_of(reader), reader.quantity("thickness"));
    let (aspect, roundness) = (read_aspect(reader), reader.quantity("roundness").unwrap_or(0.0));
    let (n_variants, seed) = read_population(reader, seed);
    let polygon = RandomPolygon {
        n_corners: corners? as usize,
        aspect: DVec2::from_array(aspect?),
        roundness,
        radius: radius?,
        thickness: thickness?,
    };
    population(reader, n_variants, seed, |unit| polygon.draw(unit))
}

/// How many forms there are, and their common seed.
fn read_population(reader: &Reader, seed: u64) -> (u64, u64) {
    (reader.count("variants").unwrap_or(1), reader.count("seed").unwrap_or(seed))
}

/// So many proportions; all alike if they are not said.
fn read_aspect<const N: usize>(reader: &Reader) -> Option<[f64; N]> {
    if !reader.has("aspect") {
        return Some([1.0; N]);
    }
    let given = reader.quantities("aspect")?;
    match <[f64; N]>::try_from(given.as_slice()) {
        Ok(aspect) => {
            let (least, most) = aspect.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
            if most > MOST_STRETCHED * least {
                reader.report_at(
                    "aspect",
                    format!("{most} is {:.4e} times {least}", most / least),
                    format!("no proportion may be more than {MOST_STRETCHED} times another"),
                );
                return None;
            }
            Some(aspect)
        }
        Err(_) => {
            let example = if N == 2 { "two numbers, such as [2, 1]" } else { "three numbers, such as [3, 2, 1.5]" };
            reader.report_at("aspect", format!("found {} numbers", given.len()), format!("wants {example}"));
            None
        }
    }
}

fn population(
    reader: &Reader,
    n_variants: u64,
    seed: u64,
    draw: impl Fn(&mut dyn FnMut() -> f64) -> Result<Shape, GeometryError>,
) -> Option<Vec<Shape>> {
    let variant = |number: u64| {
        let mut random = Random::from_seed(xxh3_64_with_seed(&number.to_le_bytes(), seed));
        built(reader, draw(&mut || random.unit()))
    };
    (0..n_variants).map(variant).collect()
}
