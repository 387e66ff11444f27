//! Shapes of the planar mode: a disc and a convex polygon in the local x-y plane, with a thickness along z that gives
//! them mass. Among themselves they meet in the plane only; a solid shape meets them as what they are, a flat cylinder
//! and a prism.

use super::{Cylinder, Polyhedron};
use glam::{DVec2, DVec3};
use std::sync::Arc;

/// A disc about the local origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Radius [m].
    pub radius: f64,
    /// Half of the thickness along local z [m].
    pub half_thickness: f64,
}

impl Disc {
    /// The disc as a flat cylinder.
    pub fn solid(&self) -> Cylinder {
        Cylinder { radius: self.radius, half_height: self.half_thickness }
    }
}

/// A convex polygon. Copies share their data.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygon {
    corners: Arc<[DVec2]>,
    half_thickness: f64,
    solid: Polyhedron,
}

impl Polygon {
    /// A polygon from corners that are known to be convex, counter-clockwise and none between two others.
    pub fn from_trusted_corners(corners: Vec<DVec2>, half_thickness: f64) -> Polygon {
        let n = corners.len() as u32;
        let vertices = [-half_thickness, half_thickness]
            .iter()
            .flat_map(|&z| corners.iter().map(move |c| DVec3::new(c.x, c.y, z)))
            .collect();
        let mut faces: Vec<Vec<u32>> = vec![(0..n).rev().collect(), (n..2 * n).collect()];
        faces.extend((0..n).map(|k| vec![k, (k + 1) % n, (k + 1) % n + n, k + n]));
        Polygon { corners: corners.into(), half_thickness, solid: Polyhedron::from_trusted_faces(vertices, faces) }
    }

    /// The corners, counter-clockwise [m].
    pub fn corners(&self) -> &[DVec2] {
        &self.corners
    }

    /// Half of the thickness along local z [m].
    pub fn half_thickness(&self) -> f64 {
        self.half_thickness
    }

    /// The polygon as a prism.
    pub fn solid(&self) -> &Polyhedron {
        &self.solid
    }

    /// The same polygon, all lengths multiplied by a factor.
    pub fn scaled(&self, factor: f64) -> Polygon {
        Polygon::from_trusted_corners(self.corners.iter().map(|c| *c * factor).collect(), self.half_thickness * factor)
    }
}
