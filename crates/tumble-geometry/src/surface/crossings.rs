//! Where a line passes through a surface.
//!
//! A half-space is met at its plane. A segment of a profile sweeps a cone, rho = r + k z, whose points on the line solve
//! a quadratic; the roots are taken in the form that does not cancel, and kept where the height lies within the segment.
//! A flat segment sweeps a ring. Triangles are met by signed volumes (Möller and Trumbore, 1997), those near the line
//! found through the mesh's tree of boxes.
//!
//! A line that runs within the surface has no answer and gets none; one that passes through an edge between two
//! triangles may be told of either, both or, to rounding, neither.

use super::{Mesh, ProfileSegment, Revolved, Surface};
use glam::DVec3;

/// A place where a line passes through a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Distance from the line's origin along its unit direction [m]; below zero behind it.
    pub distance: f64,
    /// Unit normal of the surface there: of a half-space outward, else of either side.
    pub normal: DVec3,
}

impl Surface {
    /// Appends every place where a whole line (unit direction) passes through the surface, in the surface's frame and in
    /// no particular, but always the same, order.
    pub fn crossings(&self, origin: DVec3, direction: DVec3, out: &mut Vec<Crossing>) {
        match self {
            Surface::HalfSpace => {
                if direction.z != 0.0 {
                    out.push(Crossing { distance: -origin.z / direction.z, normal: DVec3::Z });
                }
            }
            Surface::Revolved(revolved) => revolved.crossings(origin, direction, out),
            Surface::Mesh(mesh) => mesh.crossings(origin, direction, out),
        }
    }
}

impl Revolved {
    fn crossings(&self, origin: DVec3, direction: DVec3, out: &mut Vec<Crossing>) {
        // From the point nearest to the middle, so that a far origin costs no digits.
        let shift = -origin.dot(direction);
        let near = origin + shift * direction;
        for segment in self.segments() {
            let found = if segment.start.y == segment.end.y {
                [ring_crossing(segment, near, direction), None]
            } else {
                cone_crossings(segment, near, direction)
            };
            out.extend(found.into_iter().flatten().map(|c| Crossing { distance: c.distance + shift, ..c }));
        }
    }
}

fn ring_crossing(segment: &ProfileSegment, origin: DVec3, direction: DVec3) -> Option<Crossing> {
    let distance = (segment.start.y - origin.z) / direction.z;
    if !distance.is_finite() {
        return None;
    }
    let rho = (origin + distance * direction).truncate().length();
    let (inner, outer) = (segment.start.x.min(segment.end.x), segment.start.x.max(segment.end.x));
    (inner <= rho && rho <= outer).then_some(Crossing { distance, normal: DVec3::Z })
}

fn cone_crossings(segment: &ProfileSegment, origin: DVec3, direction: DVec3) -> [Option<Crossing>; 2] {
    let slope = (segment.end.x - segment.start.x) / (segment.end.y - segment.start.y);
    let radius = segment.start.x + slope * (origin.z - segment.start.y);
    let growth = slope * direction.z;
    let a = direction.truncate().length_squared() - growth * growth;
    let b = origin.truncate().dot(direction.truncate()) - growth * radius;
    let c = origin.truncate().length_squared() - radius * radius;
    let square = b * b - a * c;
    if square < 0.0 {
        return [None, None];
    }
    let q = if b > 0.0 { -b - square.sqrt() } else { square.sqrt() - b };
    let (low, high) = (segment.start.y.min(segment.end.y), segment.start.y.max(segment.end.y));
    // With q = 0 both roots are zero or the line runs within the surface; a = 0 leaves one root.
    [q / a, if q == 0.0 { f64::NAN } else { c / q }].map(|distance| {
        let place = origin + distance * direction;
        // The other half of the double cone has heights beyond the apex, which no segment reaches.
        let is_within = distance.is_finite() && low <= place.z && place.z <= high;
        let outward = place.truncate().try_normalize()?;
        is_within.then(|| Crossing { distance, normal: (outward.extend(-slope)).normalize() })
    })
}

impl Mesh {
    fn crossings(&self, origin: DVec3, direction: DVec3, out: &mut Vec<Crossing>) {
        self.visit_along(origin, direction, |triangle| {
            let [a, b, c] = self.corners(triangle);
            let (ab, ac, from_a) = (b - a, c - a, origin - a);
            let across = direction.cross(ac);
            let determinant = ab.dot(across);
            let u = from_a.dot(across) / determinant;
            let turned = from_a.cross(ab);
            let v = direction.dot(turned) / determinant;
            let distance = ac.dot(turned) / determinant;
            if u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance.is_finite() {
                out.push(Crossing { distance, normal: self.normal(triangle) });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Sequence;
    use crate::{Cylinder, Shape, TruncatedCone};

    fn sorted(surface: &Surface, origin: DVec3, direction: DVec3) -> Vec<Crossing> {
        let mut found = Vec::new();
        surface.crossings(origin, direction, &mut found);
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        found
    }

    /// Lines through and past a body of about unit size.
    fn lines(n: usize) -> impl Iterator<Item = (DVec3, DVec3)> {
        let mut sequence = Sequence::new(17);
        std::iter::repeat_with(move || {
            let (origin, aim) = (sequence.point_in_cube(3.0), sequence.point_in_cube(1.2));
            (origin, (aim - origin).normalize())
        })
        .take(n)
    }

    #[test]
    fn a_closed_shell_is_crossed_where_the_solid_is_entered_and_left() {
        let cylinder = Shape::Cylinder(Cylinder { radius: 0.9, half_height: 0.7 });
        let drum = Surface::Revolved(Revolved::closed_cylinder(0.9, 0.7, true, true).unwrap());
        let solid = TruncatedCone { lower_radius: 1.0, upper_radius: 0.3, height: 1.2 };
        let profile =
            vec![[0.0, solid.lower_z()], [1.0, solid.lower_z()], [0.3, solid.upper_z()], [0.0, solid.upper_z()]];
        let cone = Surface::Revolved(Revolved::new(profile).unwrap());
        let mut n_met = 0;
        for (origin, direction) in lines(2000) {
            for (solid, shell) in [(&cylinder, &drum), (&Shape::TruncatedCone(solid), &cone)] {
                let found = sorted(shell, origin, direction);
                match solid.chord(origin, direction) {
                    None => assert!(found.is_empty(), "{origin} {direction}: {found:?}"),
                    Some((enter, leave)) => {
                        n_met += 1;
                        assert_eq!(found.len(), 2, "{origin} {direction}: {found:?}");
                        assert!((found[0].distance - enter).abs() < 1e-12 && (found[1].distance - leave).abs() < 1e-12);
                        let entry = solid.entry(origin, direction).unwrap();
                        assert!((entry.normal.dot(found[0].normal).abs() - 1.0).abs() < 1e-12);
                    }
                }
            }
        }
        assert!(n_met > 500, "{n_met}");
    }

    #[test]
    fn a_mesh_of_a_polyhedron_is_crossed_where_the_polyhedron_is() {
        let block = Shape::cuboid(DVec3::new(1.0, 1.5, 0.7)).unwrap();
        let (vertices, triangles) = block.surface(8);
        let mesh = Surface::Mesh(Mesh::new(vertices, triangles).unwrap());
        let mut n_met = 0;
        for (origin, direction) in lines(2000) {
            let found = sorted(&mesh, origin, direction);
            match block.chord(origin, direction) {
                None => assert!(found.is_empty()),
                Some((enter, leave)) => {
                    n_met += 1;
                    assert!((found[0].distance - enter).abs() < 1e-12);
                    assert!((found[found.len() - 1].distance - leave).abs() < 1e-12);
                }
            }
        }
        assert!(n_met > 300, "{n_met}");
        let plane = sorted(&Surface::HalfSpace, DVec3::new(0.3, 0.2, 2.0), -DVec3::Z);
        assert_eq!(plane, [Crossing { distance: 2.0, normal: DVec3::Z }]);
        assert!(sorted(&Surface::HalfSpace, DVec3::Z, DVec3::X).is_empty());
    }
}
