//! A polyhedron that is a box, seen as one: bricks and cubes are the commonest polyhedra, and much about them has a formula.

use super::polyhedron::Face;
use crate::tolerance::RIGHT_ANGLE;
use glam::{DMat3, DVec3};

/// The box that a polyhedron is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Its middle, in the frame of the polyhedron [m].
    pub centre: DVec3,
    /// The directions of its edges, as columns; right-handed.
    pub axes: DMat3,
    /// Half the lengths of its edges along the axes [m].
    pub half: DVec3,
    /// Whether the axes are those of the polyhedron's frame.
    pub is_aligned: bool,
}

impl Cuboid {
    /// The box with these corners and faces, if it is one up to rounding.
    pub(super) fn of(vertices: &[DVec3], faces: &[Face], bounding_radius: f64) -> Option<Cuboid> {
        if vertices.len() != 8 || faces.len() != 6 {
            return None;
        }
        // The normals nearest to the axes of the frame, so that an aligned box gets those axes.
        let nearest = |axis: DVec3, across: DVec3| {
            let facing = |a: &DVec3, b: &DVec3| a.dot(axis).total_cmp(&b.dot(axis));
            faces.iter().map(|face| face.normal).filter(|normal| normal.dot(across).abs() <= RIGHT_ANGLE).max_by(facing)
        };
        let x = nearest(DVec3::X, DVec3::ZERO)?;
        let y = nearest(DVec3::Y, x)?;
        let z = x.cross(y).normalize();
        let mut axes = DMat3::from_cols(y.cross(z), y, z);
        let is_aligned = (0..3).all(|k| (axes.col(k) - DMat3::IDENTITY.col(k)).abs().max_element() <= RIGHT_ANGLE);
        if is_aligned {
            axes = DMat3::IDENTITY;
        }
        let centre = vertices.iter().sum::<DVec3>() / 8.0;
        let seen = |vertex: &DVec3| (axes.transpose() * (*vertex - centre)).abs();
        let half = vertices.iter().map(seen).sum::<DVec3>() / 8.0;
        // Eight different corners that are as far from the middle along every axis are those of a box.
        let is_corner = |vertex: &DVec3| (seen(vertex) - half).abs().max_element() <= RIGHT_ANGLE * bounding_radius;
        vertices.iter().all(is_corner).then_some(Cuboid { centre, axes, half, is_aligned })
    }

    /// How far it reaches along a direction of the polyhedron's frame from the origin there, times the direction's length [m].
    #[inline]
    pub(crate) fn reach_along(&self, direction: DVec3) -> f64 {
        let local = if self.is_aligned { direction } else { self.axes.transpose() * direction };
        self.centre.dot(direction) + self.half.dot(local.abs())
    }

    /// A point of the polyhedron's frame, from the middle along the axes.
    #[inline]
    pub(crate) fn local_point(&self, point: DVec3) -> DVec3 {
        let offset = point - self.centre;
        if self.is_aligned { offset } else { self.axes.transpose() * offset }
    }

    /// The other way.
    #[inline]
    pub(crate) fn outer_point(&self, local: DVec3) -> DVec3 {
        self.outer_direction(local) + self.centre
    }

    /// A direction along the axes, in the polyhedron's frame.
    #[inline]
    pub(crate) fn outer_direction(&self, local: DVec3) -> DVec3 {
        if self.is_aligned { local } else { self.axes * local }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Polyhedron, Shape};
    use glam::{DQuat, DVec3};

    fn corners(half: DVec3) -> Vec<DVec3> {
        (0..8).map(|k| half * DVec3::new(sign(k), sign(k >> 1), sign(k >> 2))).collect()
    }

    fn sign(bit: u32) -> f64 {
        if bit & 1 == 0 { -1.0 } else { 1.0 }
    }

    #[test]
    fn boxes_are_known_however_they_lie() {
        let half = DVec3::new(0.3, 1.7, 0.9);
        for (k, turn) in
            [DQuat::IDENTITY, DQuat::from_rotation_z(0.3), DQuat::from_xyzw(0.1, -0.7, 0.4, 0.5).normalize()]
                .into_iter()
                .enumerate()
        {
            let place = DVec3::new(0.2, -0.1, 0.4) * k as f64;
            let points: Vec<DVec3> = corners(half).iter().map(|p| turn * *p + place).collect();
            let polyhedron = Polyhedron::from_points(&points).unwrap();
            let cuboid = *polyhedron.cuboid().unwrap();
            assert_eq!(cuboid.is_aligned, k == 0);
            assert!((cuboid.centre - place).length() < 1e-14);
            assert!((cuboid.axes.determinant() - 1.0).abs() < 1e-14);
            for direction in corners(DVec3::new(0.2, 0.5, -0.8)) {
                let farthest = polyhedron.support(direction).dot(direction);
                assert!((cuboid.reach_along(direction) - farthest).abs() < 1e-14, "{direction}");
            }
            for corner in corners(cuboid.half) {
                let corner = cuboid.outer_point(corner);
                assert!(points.iter().any(|p| (*p - corner).length() < 1e-14), "{corner}");
                assert!((cuboid.local_point(corner).abs() - cuboid.half).length() < 1e-14);
            }
        }
    }

    #[test]
    fn what_is_nearly_a_box_is_none() {
        let mut skewed = corners(DVec3::ONE);
        for point in &mut skewed {
            point.x += 1e-9 * point.z;
        }
        assert!(Polyhedron::from_points(&skewed).unwrap().cuboid().is_none());
        let mut frustum = corners(DVec3::ONE);
        for point in &mut frustum[4..] {
            point.x *= 0.9;
        }
        assert!(Polyhedron::from_points(&frustum).unwrap().cuboid().is_none());
        let Shape::Polyhedron(cube) = Shape::cuboid(DVec3::splat(2e-3)).unwrap() else { unreachable!() };
        assert!(cube.cuboid().is_some_and(|c| c.is_aligned && c.half == DVec3::splat(1e-3)));
    }
}
