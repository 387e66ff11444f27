//! What the page is told of each kind of grain besides its shape: figures that need exact geometry.

use serde::Serialize;
use tumble_geometry::Shape;
use tumble_io::trajectory::{SpeciesMetadata, TrajectoryMetadata};
use tumble_pictures::colour::{equal_volume_diameter, long_axis};

/// A description with what is made of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Described<'a> {
    /// The description, as in the trajectory.
    #[serde(flatten)]
    pub(crate) metadata: &'a TrajectoryMetadata,
    /// The kinds, in the order of its species.
    pub(crate) kinds: Vec<Kind>,
}

/// Figures of a kind of grain at scale 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Kind {
    /// Diameter of the ball of the same volume [m]; `None` (null) if the shape is impossible.
    pub(crate) diameter: Option<f64>,
    /// The axis by which its orientation is told; `None` (null) if it has none, as a ball.
    pub(crate) long_axis: Option<[f64; 3]>,
}

impl Described<'_> {
    pub(crate) fn of(metadata: &TrajectoryMetadata) -> Described<'_> {
        Described { metadata, kinds: metadata.species.iter().map(Kind::of).collect() }
    }
}

impl Kind {
    fn of(species: &SpeciesMetadata) -> Kind {
        // An impossible shape comes of a file that was tampered with; the page then shows what it can.
        species.shape.to_shape().map_or_else(|_| Kind::default(), |shape| Kind::of_shape(&shape))
    }

    fn of_shape(shape: &Shape) -> Kind {
        Kind { diameter: Some(equal_volume_diameter(shape)), long_axis: long_axis(shape).map(|axis| axis.to_array()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn kinds_have_a_size_and_where_there_is_one_a_long_axis() {
        let ball = Kind::of_shape(&Shape::sphere(0.5).unwrap());
        assert!((ball.diameter.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(ball.long_axis, None);
        let axis = |shape: Shape| Kind::of_shape(&shape).long_axis;
        assert_eq!(axis(Shape::cylinder(5.0, 1.0).unwrap()), Some([0.0, 0.0, 1.0]));
        assert_eq!(axis(Shape::cuboid(DVec3::new(1.0, 3.0, 2.0)).unwrap()), Some([0.0, 1.0, 0.0]));
        assert_eq!(axis(Shape::superquadric(DVec3::new(3.0, 1.0, 1.0), 2.0, 2.0).unwrap()), Some([1.0, 0.0, 0.0]));
    }
}
