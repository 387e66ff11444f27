//! Reads kinds of grain.
//!
//! A size in a scene is the radius of the ball of the same volume (in the planar mode, of the disc of the same area):
//! what a sieve or a balance knows of a grain, whatever its shape. The engine works with the radius of the ball that
//! just holds the grain, so sizes are multiplied by the ratio of the two, which a shape has once and for all.

use super::files::Files;
use super::materials::Materials;
use super::names::Names;
use super::planar::Plane;
use super::reader::Reader;
use super::shapes::read_shapes;
use super::sizes::{read_size, scaled};
use std::f64::consts::PI;
use std::ops::Range;
use tumble_engine::boundary::insertion::SizeDistribution;
use tumble_engine::model::{MaterialIndex, Species, SpeciesIndex};
use tumble_geometry::{Shape, Sphere};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What was read of the kinds of grain.
pub(crate) struct Kinds {
    pub names: Names,
    /// The species of each kind: one, or several if the lengths of its shape are spread.
    pub species: Vec<Range<usize>>,
    pub list: Vec<Species>,
    /// Sizes of each species, as bounding radii.
    pub sizes: Vec<SizeDistribution>,
    /// Bounding radius of each species over the size that scenes and tables speak of [1].
    pub bounding_over_size: Vec<f64>,
}

impl Kinds {
    /// Mean volume of a grain of a species [m^3].
    pub fn mean_volume(&self, species: usize) -> f64 {
        let of_one = &self.list[species];
        of_one.volume / of_one.shape.bounding_radius().powi(3) * self.sizes[species].mean_volume_factor()
    }

    /// Mean mass of a grain of a species [kg]. A scene without any material is refused, but its masses are asked for
    /// before that; any density will do then.
    pub fn mean_mass(&self, species: usize, materials: &Materials) -> f64 {
        let material = materials.list.get(self.list[species].material as usize);
        material.map_or(1.0, |m| m.density) * self.mean_volume(species)
    }

    /// Whether two species are variants of one kind.
    pub fn are_variants(&self, a: usize, b: usize) -> bool {
        self.species.iter().any(|range| range.contains(&a) && range.contains(&b))
    }
}

/// The shape that is always there.
const BUILT_IN: &str = "sphere";

/// Stands in for a shape that is wrong, which has been reported.
const ANY_SHAPE: Shape = Shape::Sphere(Sphere { radius: 1.0 });

pub(crate) fn read_kinds(scene: &Reader, seed: u64, materials: &Materials, plane: Plane, files: &mut Files) -> Kinds {
    let mut shape_names = Names::new("shape");
    let mut shapes: Vec<Vec<Shape>> = Vec::new();
    for (name, reader) in scene.tables("shapes") {
        if name == BUILT_IN {
            reader
                .report_here(format!("the name {BUILT_IN:?} is already taken"), "it is built in; choose another name");
        }
        shape_names.add(name, &reader.path, reader.at);
        shapes.push(read_shapes(&reader, xxh3_64_with_seed(name.as_bytes(), seed), files));
    }
    let mut kinds = Kinds {
        names: Names::new("kind of grain"),
        species: Vec::new(),
        list: Vec::new(),
        sizes: Vec::new(),
        bounding_over_size: Vec::new(),
    };
    let mut tables = scene.tables("particles");
    let most = usize::from(SpeciesIndex::MAX);
    if tables.len() > most {
        scene.report_at("particles", format!("found {}", tables.len()), format!("at most {most} are allowed"));
        tables.truncate(most);
    }
    for (name, reader) in tables {
        kinds.names.add(name, &reader.path, reader.at);
        let material = materials.names.of_table(&reader, "material").unwrap_or(0) as MaterialIndex;
        let named = match reader.text("shape") {
            Some(BUILT_IN) | None => None,
            Some(shape) => {
                let place = reader.place("shape").unwrap_or(reader.at);
                let index = shape_names.resolve(scene.context, shape, place, &reader.key_path("shape"));
                // A name that leads nowhere, or to a shape that is wrong, has been reported.
                Some(index.map(|index| shapes[index].clone()).unwrap_or_default())
            }
        };
        let size = read_size(&reader);
        let has_size = reader.has("radius") || reader.has("diameter");
        if named.is_none() && !has_size {
            reader.report_here(
                "`radius` or `diameter` is missing",
                "add a size, such as diameter = \"5 mm\", or name a shape",
            );
        }
        let mut shapes = named.unwrap_or_else(|| vec![ANY_SHAPE]);
        if let Some(shape) = shapes.first() {
            plane.check_shape(&reader, shape.kind());
        } else {
            shapes.push(ANY_SHAPE);
        }
        let first = kinds.list.len();
        if first + shapes.len() > most {
            reader.report_here(
                format!("with this kind there are {} shapes of grains", first + shapes.len()),
                format!("at most {most} are allowed; use fewer `variants`"),
            );
            shapes.truncate(1);
        }
        for (number, shape) in shapes.iter().enumerate() {
            let name = if shapes.len() > 1 { format!("{name} {}", number + 1) } else { name.to_string() };
            kinds.add(&name, material, shape, size.clone());
        }
        kinds.species.push(first..kinds.list.len());
    }
    shape_names.warn_of_unused(scene.context);
    kinds
}

impl Kinds {
    /// Adds a species: as large as its shape is given, or with sizes in place of that.
    fn add(&mut self, name: &str, material: MaterialIndex, shape: &Shape, size: Option<SizeDistribution>) {
        let as_given = Species::new(name, shape, material);
        let bounding_radius = as_given.shape.bounding_radius();
        let ratio = match shape {
            // One and the same, without the rounding of roots and powers.
            Shape::Sphere(_) => 1.0,
            other => bounding_radius / size_of(other, as_given.volume),
        };
        let (species, sizes) = match (size, shape) {
            (None, _) => (as_given, SizeDistribution::Fixed(bounding_radius)),
            // Set rather than scaled, so that the radius has the bits that were asked for.
            (Some(SizeDistribution::Fixed(radius)), Shape::Sphere(_)) => {
                (Species::new(name, &Shape::Sphere(Sphere { radius }), material), SizeDistribution::Fixed(radius))
            }
            (Some(SizeDistribution::Fixed(size)), other) => {
                let species = Species::new(name, &other.scaled(size * ratio / bounding_radius), material);
                let radius = species.shape.bounding_radius();
                (species, SizeDistribution::Fixed(radius))
            }
            (Some(sizes), Shape::Sphere(_)) => (Species::new(name, &ANY_SHAPE, material), sizes),
            (Some(sizes), other) => {
                (Species::new(name, &other.scaled(1.0 / bounding_radius), material), scaled(&sizes, ratio))
            }
        };
        self.list.push(species);
        self.sizes.push(sizes);
        self.bounding_over_size.push(ratio);
    }
}

/// The size that scenes speak of: the radius of the ball of the same volume, for planar shapes of the disc of the same
/// area [m].
pub(crate) fn size_of(shape: &Shape, volume: f64) -> f64 {
    match shape.half_thickness() {
        Some(half) => (volume / (2.0 * half) / PI).sqrt(),
        None => (0.75 / PI * volume).cbrt(),
    }
}
