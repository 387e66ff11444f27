//! Shapes to fill with, each of unit volume, and models that do so.

use crate::support::{bead, interaction, linear, planned, spheres};
use glam::DVec3;
use tumble_engine::Model;
use tumble_engine::boundary::insertion::{Amount, Insertion, Plan, SizeDistribution};
use tumble_engine::law::ContactEnd;
use tumble_engine::model::{Species, TimeStep};
use tumble_engine::region::Region;
use tumble_geometry::{Part, Pose, Shape};

/// Shapes about as wide as they are long.
pub fn compact() -> Vec<(&'static str, Shape)> {
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(DVec3::from_array);
    let clump = |shape: Shape, step: f64| {
        let parts = [DVec3::ZERO, DVec3::X * step, DVec3::Y * step];
        Shape::clump(parts.map(|place| Part { shape: shape.clone(), pose: Pose::from_position(place) }).to_vec())
            .unwrap()
    };
    vec![
        ("cube", Shape::cuboid(DVec3::ONE).unwrap()),
        ("tetrahedron", Shape::polyhedron(&corners).unwrap()),
        ("cone", Shape::truncated_cone(0.5, 0.0, 1.0).unwrap()),
        ("cylinder 1:1", Shape::cylinder(0.5, 1.0).unwrap()),
        ("tablet", Shape::tablet(0.5, 0.5, 0.15).unwrap()),
        ("superquadric", Shape::superquadric(DVec3::new(0.5, 0.4, 0.45), 4.0, 3.0).unwrap()),
        ("L of boxes", clump(Shape::cuboid(DVec3::ONE).unwrap(), 1.0)),
        ("L of balls", clump(Shape::sphere(0.5).unwrap(), 0.8)),
    ]
}

/// Shapes five times as long as wide.
pub fn rods() -> Vec<(&'static str, Shape)> {
    vec![("cylinder 5:1", Shape::cylinder(0.5, 5.0).unwrap()), ("capsule 5:1", Shape::capsule(0.5, 5.0).unwrap())]
}

/// The same shape with a volume of 1.
pub fn of_unit_volume(shape: &Shape) -> Shape {
    shape.scaled(shape.volume().cbrt().recip())
}

/// A region filled with one shape at random orientations.
pub fn filled(shape: &Shape, region: Region, amount: Amount) -> Model {
    let species = Species::new("grain", shape, 0);
    let size = SizeDistribution::Fixed(species.shape.bounding_radius());
    let insertion = Insertion { orientation: None, ..planned(Plan::Fill { region, amount }, size) };
    let law = linear(1e6, ContactEnd::Clamped);
    Model {
        species: vec![species],
        insertions: vec![insertion],
        ..spheres(law, bead(1e7), interaction(0.5, 0.5), TimeStep::Fixed(1e-5))
    }
}

/// A box with a volume [m^3].
pub fn cube_of(volume: f64) -> Region {
    Region::Box { lower: DVec3::ZERO, upper: DVec3::splat(volume.cbrt()) }
}
