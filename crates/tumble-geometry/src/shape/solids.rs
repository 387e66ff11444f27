//! Solids with names: prism, pyramid and wedge, as polyhedra; and the regular polygon.
//!
//! The corners of a regular ring of n sides and circumradius R are R (cos 2 pi k/n, sin 2 pi k/n), so its side is
//! 2 R sin(pi/n). Corners on the axes
//! are exactly there.

use super::{Polygon, Shape};
use crate::error::GeometryError;
use crate::shape::construct::{positive, zero_or_more};
use glam::{DVec2, DVec3};

/// Most sides of a prism, pyramid or regular polygon: with more, take a cylinder, a cone or a disc.
pub const MOST_SIDES: u32 = 100;

/// The corners of a regular polygon about the origin, counter-clockwise, the first one on the x axis.
pub fn regular_corners(n_sides: u32, radius: f64) -> Vec<DVec2> {
    let n = n_sides.max(1);
    // By quarters of a turn, so that corners on the axes are there to the last digit.
    let corner = |k: u32| {
        let quarter = 4 * k / n;
        let within = std::f64::consts::TAU * f64::from(4 * k - quarter * n) / f64::from(4 * n);
        let (y, x) = within.sin_cos();
        radius
            * match quarter {
                0 => DVec2::new(x, y),
                1 => DVec2::new(-y, x),
                2 => DVec2::new(-x, -y),
                _ => DVec2::new(y, -x),
            }
    };
    (0..n).map(corner).collect()
}

/// Circumradius of a regular polygon over the length of a side [1].
pub fn circumradius_over_side(n_sides: u32) -> f64 {
    0.5 / (std::f64::consts::PI / f64::from(n_sides)).sin()
}

impl Shape {
    /// A prism: a regular polygon of so many sides, its corners at a distance from the z axis, drawn out along z, its middle
    /// at the origin and its first corner towards x.
    pub fn prism(n_sides: u32, radius: f64, height: f64) -> Result<Shape, GeometryError> {
        let n_sides = sides("prism", n_sides)?;
        let radius = positive("prism radius", radius)?;
        let half_height = 0.5 * positive("prism height", height)?;
        let ring = regular_corners(n_sides, radius);
        let points: Vec<DVec3> =
            [-half_height, half_height].iter().flat_map(|&z| ring.iter().map(move |c| c.extend(z))).collect();
        Shape::polyhedron(&points)
    }

    /// A pyramid on a regular polygon, whole (`upper_radius` 0) or cut off by a smaller or larger one, about z, its centre of
    /// mass at the origin.
    pub fn pyramid(n_sides: u32, radius: f64, upper_radius: f64, height: f64) -> Result<Shape, GeometryError> {
        let n_sides = sides("pyramid", n_sides)?;
        let lower = positive("pyramid radius", radius)?;
        let upper = zero_or_more("upper radius of the pyramid", upper_radius)?;
        let height = positive("pyramid height", height)?;
        // Height of the centre over the base, from areas that go with the square of a radius between the two.
        let (l, u) = (lower / lower.max(upper), upper / lower.max(upper));
        let centre = 0.25 * height * (l * l + 2.0 * l * u + 3.0 * u * u) / (l * l + l * u + u * u);
        let mut points: Vec<DVec3> = regular_corners(n_sides, lower).into_iter().map(|c| c.extend(-centre)).collect();
        if upper == 0.0 {
            points.push(DVec3::new(0.0, 0.0, height - centre));
        } else {
            points.extend(regular_corners(n_sides, upper).into_iter().map(|c| c.extend(height - centre)));
        }
        Shape::polyhedron(&points)
    }

    /// A wedge: the half of a box about the origin that is left below the plane from its upper edge at low x to its lower
    /// edge at high x.
    pub fn wedge(size: DVec3) -> Result<Shape, GeometryError> {
        positive("length (x) of the wedge", size.x)?;
        positive("width (y) of the wedge", size.y)?;
        positive("height (z) of the wedge", size.z)?;
        let h = 0.5 * size;
        let points: Vec<DVec3> = [-h.y, h.y]
            .iter()
            .flat_map(|&y| [DVec3::new(-h.x, y, -h.z), DVec3::new(h.x, y, -h.z), DVec3::new(-h.x, y, h.z)])
            .collect();
        Shape::polyhedron(&points)
    }

    /// A regular polygon of the planar mode about the origin, its first corner towards x.
    pub fn regular_polygon(n_sides: u32, radius: f64, thickness: f64) -> Result<Shape, GeometryError> {
        let n_sides = sides("polygon", n_sides)?;
        let half_thickness = 0.5 * positive("polygon thickness", thickness)?;
        let corners = regular_corners(n_sides, positive("polygon radius", radius)?);
        Ok(Shape::Polygon(Polygon::from_trusted_corners(corners, half_thickness)))
    }
}

fn sides(of: &'static str, n_sides: u32) -> Result<u32, GeometryError> {
    let may_be = (3..=MOST_SIDES).contains(&n_sides);
    if may_be { Ok(n_sides) } else { Err(GeometryError::SideCount { of, n_sides, most: MOST_SIDES }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn area_of_ring(n: u32) -> f64 {
        0.5 * f64::from(n) * (2.0 * PI / f64::from(n)).sin()
    }

    #[test]
    fn prisms_pyramids_and_wedges_have_their_corners_faces_and_volumes() {
        for n in [3, 4, 5, 6, 7, 12, 100] {
            let ring = area_of_ring(n);
            let k = n as usize;
            let Shape::Polyhedron(prism) = Shape::prism(n, 2.0, 3.0).unwrap() else { panic!() };
            assert_eq!((prism.vertices().len(), prism.faces().len()), (2 * k, k + 2), "{n}");
            let properties = prism.mass_properties();
            assert!((properties.volume / (12.0 * ring) - 1.0).abs() < 1e-13);
            assert!(properties.centroid.length() < 1e-14);
            let side = prism.vertices()[0].distance(prism.vertices()[1]);
            assert!((side * circumradius_over_side(n) - 2.0).abs() < 1e-14);
            let Shape::Polyhedron(pyramid) = Shape::pyramid(n, 2.0, 0.0, 3.0).unwrap() else { panic!() };
            assert_eq!((pyramid.vertices().len(), pyramid.faces().len()), (k + 1, k + 1), "{n}");
            let properties = pyramid.mass_properties();
            assert!((properties.volume / (4.0 * ring) - 1.0).abs() < 1e-13);
            assert!(properties.centroid.length() < 1e-14);
            for (lower, upper) in [(2.0, 0.5), (0.5, 2.0), (1.0, 1.0)] {
                let Shape::Polyhedron(cut) = Shape::pyramid(n, lower, upper, 3.0).unwrap() else { panic!() };
                assert_eq!((cut.vertices().len(), cut.faces().len()), (2 * k, k + 2), "{n}");
                let properties = cut.mass_properties();
                // The prismatoid: h/3 (A + a + sqrt(A a)).
                let volume = ring * (lower * lower + upper * upper + lower * upper);
                assert!((properties.volume / volume - 1.0).abs() < 1e-13);
                assert!(properties.centroid.length() < 1e-14, "{}", properties.centroid);
            }
            let polygon = Shape::regular_polygon(n, 2.0, 0.5).unwrap();
            assert!((polygon.volume() / (2.0 * ring) - 1.0).abs() < 1e-13);
        }
        let Shape::Polyhedron(wedge) = Shape::wedge(DVec3::new(6.0, 4.0, 3.0)).unwrap() else { panic!() };
        assert_eq!((wedge.vertices().len(), wedge.faces().len()), (6, 5));
        let properties = wedge.mass_properties();
        assert!((properties.volume - 36.0).abs() < 1e-13);
        assert!(properties.centroid.distance(DVec3::new(-1.0, 0.0, -0.5)) < 1e-14);
    }

    #[test]
    fn a_prism_of_four_sides_is_a_box() {
        let prism = Shape::prism(4, 0.5f64.sqrt(), 1.0).unwrap();
        let Shape::Polyhedron(prism) = prism else { panic!() };
        // Corners at quarters of a turn, to the last digit.
        let r = 0.5f64.sqrt();
        assert!(prism.vertices().contains(&DVec3::new(0.0, -r, 0.5)), "{:?}", prism.vertices());
        assert!((prism.mass_properties().volume - 1.0).abs() < 1e-15);
    }

    #[test]
    fn bad_numbers_are_refused_by_name_and_value() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            for (answer, words) in [
                (Shape::prism(5, bad, 1.0), "prism radius"),
                (Shape::prism(5, 1.0, bad), "prism height"),
                (Shape::pyramid(5, bad, 0.0, 1.0), "pyramid radius"),
                (Shape::pyramid(5, 1.0, 0.0, bad), "pyramid height"),
                (Shape::wedge(DVec3::new(1.0, bad, 1.0)), "width (y) of the wedge"),
                (Shape::regular_polygon(5, bad, 1.0), "polygon radius"),
                (Shape::regular_polygon(5, 1.0, bad), "polygon thickness"),
            ] {
                let message = answer.unwrap_err().to_string();
                assert!(message.contains(words) && message.contains(&bad.to_string()), "{message}");
            }
        }
        assert!(
            Shape::pyramid(5, 1.0, -1.0, 1.0).unwrap_err().to_string().contains("upper radius of the pyramid is -1")
        );
        for n in [0, 2, 101] {
            assert_eq!(Shape::prism(n, 1.0, 1.0), Err(GeometryError::SideCount { of: "prism", n_sides: n, most: 100 }));
        }
    }
}
