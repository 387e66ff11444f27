//! Reads the shapes of grains.

use super::files::Files;
use super::insertions::read_rows;
use super::mesh_shapes::{read_mesh_hull, read_mesh_solid};
use super::random_forms::{read_random_polygons, read_rocks};
use super::reader::Reader;
use super::sizes::{read_length, read_size};
use super::solids::{read_regular_polygon, read_solid};
use glam::{DQuat, DVec2, DVec3};
use tumble_engine::boundary::insertion::SizeDistribution;
use tumble_engine::random::Random;
use tumble_geometry::{GeometryError, Part, Polyhedron, Pose, Shape, Sphere};

/// How many cylinders stand for lengths that are spread, unless the scene says.
const VARIANTS: u64 = 100;

/// Draws for each variant's length. The middle one of them in order stands for all.
const DRAWS: usize = 101;

/// Reads the shape of a table of `shapes`: several where its lengths are spread or its form is random, none if it is wrong,
/// which has been reported. The variants follow from the seed of the shape.
pub(crate) fn read_shapes(reader: &Reader, seed: u64, files: &mut Files) -> Vec<Shape> {
    if let Some(cylinder) = reader.table("cylinder") {
        return read_cylinders(&cylinder, seed).unwrap_or_default();
    }
    if let Some(rock) = reader.table("rock") {
        return read_rocks(&rock, seed).unwrap_or_default();
    }
    if let Some(polygon) = reader.table("random_polygon") {
        return read_random_polygons(&polygon, seed).unwrap_or_default();
    }
    read_shape(reader, files).into_iter().collect()
}

fn read_cylinders(reader: &Reader, seed: u64) -> Option<Vec<Shape>> {
    let (radius, height) = (read_size(reader), read_length(reader, "height", 1.0));
    let variants = reader.count("variants");
    let (radius, height) = (radius?, height?);
    if let (SizeDistribution::Fixed(radius), SizeDistribution::Fixed(height)) = (&radius, &height) {
        if variants.is_some() {
            reader.report_at("variants", "the lengths are fixed", "it goes with lengths that are spread");
        }
        return Some(vec![built(reader, Shape::cylinder(*radius, *height))?]);
    }
    let n = variants.unwrap_or(VARIANTS) as usize;
    let mut random = Random::from_seed(seed);
    let (radii, heights) = (equally_likely(&radius, n, &mut random), equally_likely(&height, n, &mut random));
    radii.into_iter().zip(heights).map(|(radius, height)| built(reader, Shape::cylinder(radius, height))).collect()
}

/// So many values of a distribution, all alike likely, in random order: the range is cut into parts of the same share, and
/// the middle one of many draws stands for each part. So few values have the distribution's mean and spread to a percent,
/// which as many draws would not.
fn equally_likely(lengths: &SizeDistribution, n: usize, random: &mut Random) -> Vec<f64> {
    let mut draws: Vec<f64> = (0..n * DRAWS).map(|_| lengths.draw(random)).collect();
    draws.sort_unstable_by(f64::total_cmp);
    let mut values: Vec<f64> = draws.into_iter().skip(DRAWS / 2).step_by(DRAWS).collect();
    for i in (1..values.len()).rev() {
        values.swap(i, (random.next_u64() % (i as u64 + 1)) as usize);
    }
    values
}

/// Reads a shape whose lengths are fixed.
fn read_shape(reader: &Reader, files: &mut Files) -> Option<Shape> {
    if let Some(clump) = reader.table("clump") {
        return read_clump(&clump, files);
    }
    if let Some(mesh) = reader.table("mesh") {
        return read_mesh_solid(&mesh, files);
    }
    if let Some(disc) = reader.table("disc") {
        let (radius, thickness) = (radius_of(&disc), disc.quantity("thickness"));
        return built(&disc, Shape::disc(radius?, thickness?));
    }
    if let Some(polygon) = reader.table("polygon") {
        return read_polygon(&polygon);
    }
    if let Some(polygon) = reader.table("regular_polygon") {
        return read_regular_polygon(&polygon);
    }
    read_convex(reader, files)
}

/// Reads a shape that can also be a part of a clump.
fn read_convex(reader: &Reader, files: &mut Files) -> Option<Shape> {
    if let Some(sphere) = reader.table("sphere") {
        return built(&sphere, Shape::sphere(radius_of(&sphere)?));
    }
    if let Some(cylinder) = reader.table("cylinder") {
        return read_part_cylinder(&cylinder);
    }
    if let Some(capsule) = reader.table("capsule") {
        let (radius, length) = (radius_of(&capsule), capsule.quantity("length"));
        let (radius, length) = (radius?, length?);
        if length <= 2.0 * radius {
            capsule.report_at(
                "length",
                format!("the capsule is {length} m long and {} m thick", 2.0 * radius),
                "the length goes from tip to tip and must be more than the diameter; a `sphere` has no length",
            );
            return None;
        }
        return built(&capsule, Shape::capsule(radius, length - 2.0 * radius));
    }
    if let Some(cone) = reader.table("cone") {
        let (lower, upper) = (cone.quantity("lower_radius"), cone.quantity("upper_radius").unwrap_or(0.0));
        let (height, lower) = (cone.quantity("height"), lower?);
        if lower == 0.0 && upper == 0.0 {
            cone.report_at("lower_radius", "both radii are zero", "at least one must be above 0");
            return None;
        }
        return built(&cone, Shape::truncated_cone(lower, upper, height?));
    }
    if let Some(tablet) = reader.table("tablet") {
        let (radius, height, dome) = (radius_of(&tablet), tablet.quantity("height"), tablet.quantity("dome"));
        let (radius, height, dome) = (radius?, height?, dome?);
        if dome > radius {
            tablet.report_at(
                "dome",
                format!("a dome {dome} m high on a band {} m wide is more than half a ball", 2.0 * radius),
                "it can be as high as the radius at most",
            );
            return None;
        }
        if 2.0 * dome > height {
            tablet.report_at(
                "dome",
                format!("two domes of {dome} m have no room in a height of {height} m"),
                "the height is that of the whole, from tip to tip: each dome can be half of it at most",
            );
            return None;
        }
        return built(&tablet, Shape::tablet(radius, height, dome));
    }
    if let Some(superquadric) = reader.table("superquadric") {
        let half_axes = lengths_of(&superquadric, "half_axes");
        let (n1, n2) = (superquadric.quantity("n1"), superquadric.quantity("n2"));
        let exponents = [("n1", n1), ("n2", n2)];
        // A wrong exponent has been reported; its default must not stand in for it.
        if exponents.iter().any(|(key, n)| n.is_none() && superquadric.has(key)) {
            return None;
        }
        return built(&superquadric, Shape::superquadric(half_axes?, n1.unwrap_or(2.0), n2.unwrap_or(2.0)));
    }
    if let Some(polyhedron) = reader.table("polyhedron") {
        return read_polyhedron(&polyhedron, files);
    }
    read_solid(reader)
}

/// A cylinder in a clump, where lengths cannot be spread.
fn read_part_cylinder(reader: &Reader) -> Option<Shape> {
    for key in ["radius", "diameter", "height", "variants"] {
        if reader.is_table(key) || (key == "variants" && reader.has(key)) {
            reader.report_at(key, "the parts of a clump have fixed lengths", "give a length");
            return None;
        }
    }
    let (radius, diameter) = (reader.quantity_not_table("radius"), reader.quantity_not_table("diameter"));
    let height = reader.quantity_not_table("height");
    built(reader, Shape::cylinder(radius.or(diameter.map(|d| 0.5 * d))?, height?))
}

/// The shape, or a report of what is wrong with it.
pub(crate) fn built(reader: &Reader, shape: Result<Shape, GeometryError>) -> Option<Shape> {
    shape.map_err(|error| reader.report_here(error.to_string(), "this shape cannot be built")).ok()
}

pub(crate) fn radius_of(reader: &Reader) -> Option<f64> {
    let (radius, diameter) = (reader.quantity("radius"), reader.quantity("diameter"));
    radius.or(diameter.map(|d| 0.5 * d))
}

/// Three lengths, all above zero.
pub(crate) fn lengths_of(reader: &Reader, key: &'static str) -> Option<DVec3> {
    let lengths = reader.vector(key)?;
    if lengths.cmpgt(DVec3::ZERO).all() {
        return Some(lengths);
    }
    let [x, y, z] = lengths.to_array();
    reader.report_at(key, format!("found ({x}, {y}, {z}) m"), "all three must be above 0");
    None
}

fn read_clump(reader: &Reader, files: &mut Files) -> Option<Shape> {
    let scale = reader.quantity("scale");
    if reader.has("file") {
        return read_clump_file(reader, scale.unwrap_or(1.0), files);
    }
    if scale.is_some() {
        reader.report_at("scale", "parts bring their own units", "it goes with `file` only");
    }
    let tables = reader.tables("parts");
    let mut parts = Vec::with_capacity(tables.len());
    for (_, part) in &tables {
        let position = part.vector("position").unwrap_or(DVec3::ZERO);
        let orientation = part.rotation("orientation").unwrap_or(DQuat::IDENTITY);
        if let Some(shape) = read_convex(part, files) {
            parts.push(Part { shape, pose: Pose::new(position, orientation) });
        }
    }
    // Parts that could not be read have been reported.
    if parts.is_empty() || parts.len() < tables.len() {
        return None;
    }
    built(reader, Shape::clump(parts))
}

/// Balls from a table, held together.
fn read_clump_file(reader: &Reader, scale: f64, files: &mut Files) -> Option<Shape> {
    let (name, _, rows) = read_rows(reader, "file", files)?;
    let mut parts = Vec::with_capacity(rows.len());
    for row in &rows {
        let Some(radius) = row.radius else {
            let (what, expected) = ("its balls have no size", "add a column `radius` or `diameter`");
            reader.report_at("file", format!("{name}, line {}: {what}", row.line), expected);
            return None;
        };
        let shape = Shape::Sphere(Sphere { radius: scale * radius });
        parts.push(Part { shape, pose: Pose::from_position(scale * row.position) });
    }
    built(reader, Shape::clump(parts))
}

fn read_polygon(reader: &Reader) -> Option<Shape> {
    let (corners, thickness) = (reader.points::<2>("corners"), reader.quantity("thickness"));
    let corners: Vec<DVec2> = corners?.into_iter().map(DVec2::from_array).collect();
    let polygon = Shape::polygon(&corners, thickness?);
    polygon
        .map_err(|error| reader.report_at("corners", error.to_string(), "no polygon can be made of these corners"))
        .ok()
}

fn read_polyhedron(reader: &Reader, files: &mut Files) -> Option<Shape> {
    let scale = reader.quantity("scale");
    if scale.is_some() && reader.has("vertices") {
        reader.report_at("scale", "vertices bring their own unit", "it goes with `mesh` only");
    }
    if reader.has("mesh") {
        return read_mesh_hull(reader, scale.unwrap_or(1.0), files);
    }
    let vertices: Vec<DVec3> = reader.points::<3>("vertices")?.into_iter().map(DVec3::from_array).collect();
    match Polyhedron::from_points(&vertices) {
        Ok(polyhedron) => {
            let missing = vertices.iter().filter(|v| !polyhedron.vertices().contains(v)).count();
            if missing > 0 {
                reader.context.warning(
                    &reader.key_path("vertices"),
                    reader.place("vertices"),
                    format!("{missing} of the {} points are no corners of their convex hull", vertices.len()),
                    "they are left out",
                );
            }
            Some(Shape::Polyhedron(polyhedron))
        }
        Err(error) => {
            reader.report_at("vertices", error.to_string(), "no polyhedron can be made of these points");
            None
        }
    }
}
