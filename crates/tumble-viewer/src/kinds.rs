//! What the page is told of each kind of grain besides its shape: figures that need exact geometry.

use glam::DVec3;
use serde::Serialize;
use tumble_geometry::Shape;
use tumble_io::trajectory::{SpeciesMetadata, TrajectoryMetadata};

/// Moments of inertia that differ by less than this share of the largest are taken for equal.
const EQUAL_MOMENTS: f64 = 0.01;

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
        Kind {
            diameter: Some((6.0 / std::f64::consts::PI * shape.volume()).cbrt()),
            long_axis: long_axis(shape).map(|axis| axis.to_array()),
        }
    }
}

/// The axis of revolution where two moments of inertia are equal, else that of the smallest moment, along which the body
/// is longest; `None` where all three are equal.
fn long_axis(shape: &Shape) -> Option<DVec3> {
    let moments = shape.mass_properties().moments();
    let equal = |a: usize, b: usize| (moments[a] - moments[b]).abs() <= EQUAL_MOMENTS * moments.max_element();
    let axis = match [equal(0, 1), equal(1, 2), equal(2, 0)] {
        [false, false, false] => moments.min_position(),
        [true, false, false] => 2,
        [false, true, false] => 0,
        [false, false, true] => 1,
        _ => return None,
    };
    Some(DVec3::AXES[axis])
}

#[cfg(test)]
mod tests {
    use super::*;

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
