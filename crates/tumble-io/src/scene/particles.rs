//! Reads shapes and kinds of grain.

use super::materials::Materials;
use super::names::Names;
use super::reader::Reader;
use super::sizes::read_size;
use tumble_engine::boundary::insertion::SizeDistribution;
use tumble_engine::model::{MaterialIndex, Species, SpeciesIndex};
use tumble_geometry::{Shape, Sphere};

/// What was read of the kinds of grain.
pub(crate) struct Kinds {
    pub names: Names,
    pub list: Vec<Species>,
    /// Sizes of each kind.
    pub sizes: Vec<SizeDistribution>,
}

impl Kinds {
    /// Mean volume of a grain of a kind [m^3].
    pub fn mean_volume(&self, kind: usize) -> f64 {
        let shape = &self.list[kind].shape;
        shape.volume() / shape.bounding_radius().powi(3) * self.sizes[kind].mean_volume_factor()
    }

    /// Mean mass of a grain of a kind [kg]. A scene without any material is refused, but its masses are asked for
    /// before that; any density will do then.
    pub fn mean_mass(&self, kind: usize, materials: &Materials) -> f64 {
        let material = materials.list.get(self.list[kind].material as usize);
        material.map_or(1.0, |m| m.density) * self.mean_volume(kind)
    }
}

/// The shape that is always there.
const BUILT_IN: &str = "sphere";

pub(crate) fn read_kinds(scene: &Reader, materials: &Materials) -> Kinds {
    let mut shape_names = Names::new("shape");
    let mut shapes: Vec<Shape> = Vec::new();
    for (name, reader) in scene.tables("shapes") {
        if name == BUILT_IN {
            reader
                .report_here(format!("the name {BUILT_IN:?} is already taken"), "it is built in; choose another name");
        }
        shape_names.add(name, &reader.path, reader.at);
        let radius = reader.table("sphere").and_then(|sphere| {
            let (radius, diameter) = (sphere.quantity("radius"), sphere.quantity("diameter"));
            radius.or(diameter.map(|d| d / 2.0))
        });
        shapes.push(Shape::Sphere(Sphere { radius: radius.unwrap_or(1.0) }));
    }
    let mut kinds = Kinds { names: Names::new("kind of grain"), list: Vec::new(), sizes: Vec::new() };
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
                Some(shape_names.resolve(scene.context, shape, place, &reader.key_path("shape")))
            }
        };
        let size = read_size(&reader);
        let wrong_size = size.is_none() && (reader.has("radius") || reader.has("diameter"));
        let (shape, size) = match (named, size) {
            // A name that leads nowhere has been reported; so has a wrong size.
            (Some(Some(index)), None) => {
                let shape = shapes[index].clone();
                let radius = shape.bounding_radius();
                (shape, SizeDistribution::Fixed(radius))
            }
            (Some(None), _) => (Shape::Sphere(Sphere { radius: 1.0 }), SizeDistribution::Fixed(1.0)),
            (Some(Some(index)), Some(size)) => (at_scale(&shapes[index], &size), size),
            (None, Some(size)) => (at_scale(&Shape::Sphere(Sphere { radius: 1.0 }), &size), size),
            (None, None) => {
                if !wrong_size {
                    reader.report_here(
                        "`radius` or `diameter` is missing",
                        "add a size, such as diameter = \"5 mm\", or name a shape",
                    );
                }
                (Shape::Sphere(Sphere { radius: 1.0 }), SizeDistribution::Fixed(1.0))
            }
        };
        kinds.list.push(Species::new(name.to_string(), &shape, material));
        kinds.sizes.push(size);
    }
    shape_names.warn_of_unused(scene.context);
    kinds
}

/// The shape at scale 1: as large as asked if all are alike, otherwise with a bounding radius of 1 m.
fn at_scale(shape: &Shape, size: &SizeDistribution) -> Shape {
    match (shape, size) {
        // Set rather than scaled, so that the radius has the bits that were asked for.
        (Shape::Sphere(_), SizeDistribution::Fixed(radius)) => Shape::Sphere(Sphere { radius: *radius }),
        (Shape::Sphere(_), _) => Shape::Sphere(Sphere { radius: 1.0 }),
        (other, _) => other.clone(),
    }
}
