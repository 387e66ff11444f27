//! Walls of the planar mode that have ends, as strips of triangles that stand upright on the plane: lines and arcs.
//!
//! A strip reaches so far to both sides of the plane that grains meet its faces and its upright edges only; then all normals lie
//! in the plane. An arc is divided so finely that a chord is off it by at most [`SAGITTA`] of its radius: with an angle a between
//! two corners, r (1 - cos a/2). Contacts with triangles that turn as little go over into each other without a step.

use super::Mesh;
use crate::error::GeometryError;
use glam::DVec2;
use std::f64::consts::TAU;

/// How far the chords of an arc may be off it, over its radius [1].
pub const SAGITTA: f64 = 1e-4;

impl Mesh {
    /// A strip over a polyline in the x-y plane, from -`half_depth` to `half_depth` along z.
    pub fn upright(corners: &[DVec2], half_depth: f64) -> Result<Mesh, GeometryError> {
        let vertices = corners.iter().flat_map(|c| [c.extend(-half_depth), c.extend(half_depth)]).collect();
        let side = |k: u32| [[2 * k, 2 * k + 2, 2 * k + 3], [2 * k, 2 * k + 3, 2 * k + 1]];
        let n_sides = corners.len().saturating_sub(1) as u32;
        Mesh::new(vertices, (0..n_sides).flat_map(side).collect())
    }
}

/// Corners on an arc about the origin, from one angle to a larger one [rad], no farther apart than [`SAGITTA`] allows.
pub fn corners_of_arc(radius: f64, from: f64, to: f64) -> Vec<DVec2> {
    let most = 2.0 * (1.0 - SAGITTA).acos();
    let n = ((to - from).min(TAU) / most).ceil().max(1.0) as u32;
    (0..=n).map(|k| radius * DVec2::from_angle(from + (to - from) * f64::from(k) / f64::from(n))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::contact_surface;
    use crate::{Pose, Shape, Surface, SurfaceContact};
    use glam::{DQuat, DVec3};
    use std::f64::consts::PI;

    fn contacts(shape: &Shape, wall: &Surface, x: f64, y: f64, turn: f64) -> Vec<SurfaceContact> {
        let mut found = Vec::new();
        let pose = Pose::new(DVec3::new(x, y, 0.0), DQuat::from_rotation_z(turn));
        contact_surface(shape, wall, &pose, 0.0, &mut found);
        found
    }

    #[test]
    fn chords_of_an_arc_are_off_it_by_no_more_than_is_said() {
        for (from, to) in [(0.0, 0.01), (-1.0, 1.0), (0.0, PI), (0.3, 0.3 + 1.9 * PI)] {
            let corners = corners_of_arc(3.0, from, to);
            assert!(corners.iter().all(|c| (c.length() - 3.0).abs() < 1e-14));
            assert!(corners[0].distance(3.0 * DVec2::from_angle(from)) < 1e-14);
            assert!(corners[corners.len() - 1].distance(3.0 * DVec2::from_angle(to)) < 1e-14);
            for pair in corners.windows(2) {
                let off = 3.0 - (0.5 * (pair[0] + pair[1])).length();
                assert!(off > 0.0 && off <= 3.0 * SAGITTA * (1.0 + 1e-9), "{off}");
            }
        }
    }

    #[test]
    fn discs_and_polygons_meet_a_line_in_the_plane_from_both_sides_and_at_its_ends() {
        let line = Mesh::upright(&[DVec2::new(-3.0, 0.0), DVec2::new(3.0, 0.0)], 4.0).unwrap();
        let line = Surface::Mesh(line);
        let disc = Shape::disc(1.0, 0.5).unwrap();
        let square = Shape::regular_polygon(4, 2f64.sqrt(), 0.5).unwrap();
        for side in [1.0, -1.0] {
            for (shape, x) in [(&disc, -2.0), (&disc, 0.0), (&disc, 0.7), (&square, 1.3)] {
                let found = contacts(shape, &line, x, side * 0.9, PI / 4.0);
                let [only] = found[..] else { panic!("{found:?}") };
                assert!(only.normal.distance(DVec3::new(0.0, -side, 0.0)) < 1e-12, "{only:?}");
                assert!((only.separation + 0.1).abs() < 1e-12, "{only:?}");
                assert!(only.point.distance(DVec3::new(x, 0.0, 0.0)) < 1e-9, "{only:?}");
            }
        }
        // Past the end, the end is met as a corner.
        let centre = DVec2::new(3.0, 0.0) + 0.9 * DVec2::from_angle(0.5);
        let found = contacts(&disc, &line, centre.x, centre.y, 0.0);
        let [only] = found[..] else { panic!("{found:?}") };
        assert!(only.normal.distance(-DVec2::from_angle(0.5).extend(0.0)) < 1e-9, "{only:?}");
        assert!((only.separation + 0.1).abs() < 1e-9, "{only:?}");
        assert!(contacts(&disc, &line, 4.2, 0.3, 0.0).is_empty());
    }

    #[test]
    fn an_arc_holds_discs_and_polygons_as_deep_as_a_tube_does_to_its_sagitta() {
        let arc = Surface::Mesh(Mesh::upright(&corners_of_arc(10.0, -PI, 0.0), 4.0).unwrap());
        let disc = Shape::disc(1.0, 0.5).unwrap();
        let square = Shape::regular_polygon(4, 2f64.sqrt(), 0.5).unwrap();
        for k in 1..40 {
            let direction = DVec2::from_angle(-PI * f64::from(k) / 40.0);
            // Inside and outside.
            for (distance, towards) in [(9.05, direction), (10.95, -direction)] {
                let centre = distance * direction;
                let found = contacts(&disc, &arc, centre.x, centre.y, 0.0);
                let whole: f64 = found.iter().map(|c| c.weight).sum();
                assert!((whole - 1.0).abs() < 1e-9, "{found:?}");
                for contact in &found {
                    assert!(contact.normal.z.abs() < 1e-12);
                    assert!(contact.normal.angle_between(towards.extend(0.0)) < 0.03 + 0.05, "{contact:?}");
                    assert!((contact.separation + 0.05).abs() < 2.0 * SAGITTA * 10.0 + 1e-3, "{contact:?}");
                }
            }
            let centre = 9.05 * direction;
            let found = contacts(&square, &arc, centre.x, centre.y, direction.to_angle() + PI / 4.0);
            // On its two lower corners, each by sqrt((9.05 + 1)^2 + 1) - 10.
            let depth = 10.05f64.hypot(1.0) - 10.0;
            let deepest = found.iter().map(|c| -c.separation).fold(0.0, f64::max);
            assert!((deepest - depth).abs() < 1.5 * SAGITTA * 10.0, "{deepest} {depth}");
        }
    }
}
