//! The distance functions of blocks (Table 1): how far a polygon or a polyhedron is from a line or a plane.
//!
//! With a point p of the plane and its normal n from body 1 to body 2, over the vertices v of each
//!
//! ```text
//! d1 = max n . (v1 - p),   d2 = min n . (v2 - p),   gap(n) = d2 - d1
//! ```
//!
//! The gap does not depend on p; below zero the bodies overlap along n. Each distance costs one pass over the vertices, in
//! lanes for polyhedra.

use crate::narrow::placed_shape::{Patch, patch_of_polyhedron};
use crate::{Polygon, Polyhedron, Shape};
use glam::DVec3;

/// A body that a common plane can be laid against.
#[derive(Clone, Copy, Debug)]
pub enum Block<'a> {
    /// A polygon in the plane z = 0 of its frame.
    Polygon(&'a Polygon),
    /// A polyhedron.
    Polyhedron(&'a Polyhedron),
}

impl<'a> Block<'a> {
    /// A shape as a block, if it is one.
    pub fn of(shape: &'a Shape) -> Option<Block<'a>> {
        match shape {
            Shape::Polygon(polygon) => Some(Block::Polygon(polygon)),
            Shape::Polyhedron(polyhedron) => Some(Block::Polyhedron(polyhedron)),
            _ => None,
        }
    }

    /// The vertex that is farthest along a local direction [m]; of several the first.
    pub fn farthest(&self, direction: DVec3) -> DVec3 {
        match self {
            Block::Polygon(polygon) => {
                let flat = direction.truncate();
                let mut best = polygon.corners()[0];
                for &corner in &polygon.corners()[1..] {
                    if corner.dot(flat) > best.dot(flat) {
                        best = corner;
                    }
                }
                best.extend(0.0)
            }
            Block::Polyhedron(polyhedron) => polyhedron.support(direction),
        }
    }

    /// How far the body reaches beyond a plane through a point, along its local unit normal [m]: d1 of the body behind the
    /// plane.
    pub fn distance_behind(&self, point: DVec3, normal: DVec3) -> f64 {
        normal.dot(self.farthest(normal) - point)
    }

    /// How far the body stays away from it [m]: d2 of the body before the plane.
    pub fn distance_before(&self, point: DVec3, normal: DVec3) -> f64 {
        normal.dot(self.farthest(-normal) - point)
    }

    /// Centre of area or volume [m].
    pub(super) fn centroid(&self) -> DVec3 {
        match self {
            Block::Polygon(polygon) => polygon.solid().centroid().truncate().extend(0.0),
            Block::Polyhedron(polyhedron) => polyhedron.centroid(),
        }
    }

    /// Largest distance of a vertex from a point [m].
    pub(super) fn radius_about(&self, centre: DVec3) -> f64 {
        let farthest = |squares: &mut dyn Iterator<Item = f64>| squares.fold(0.0, f64::max).sqrt();
        match self {
            Block::Polygon(polygon) => {
                farthest(&mut polygon.corners().iter().map(|corner| corner.distance_squared(centre.truncate())))
            }
            Block::Polyhedron(polyhedron) => {
                farthest(&mut polyhedron.vertices().iter().map(|vertex| vertex.distance_squared(centre)))
            }
        }
    }

    /// The corner, edge or face whose vertices are within `slack` [m] of the farthest along a local unit direction.
    pub(super) fn nearest_part(&self, direction: DVec3, slack: f64) -> Patch {
        match self {
            Block::Polyhedron(polyhedron) => patch_of_polyhedron(polyhedron, direction, slack),
            Block::Polygon(polygon) => {
                let best = self.farthest(direction);
                let is_partner = |corner: &&glam::DVec2| {
                    let other = corner.extend(0.0);
                    other != best && direction.dot(best - other) <= slack
                };
                match polygon.corners().iter().find(is_partner) {
                    Some(partner) => Patch::line(best, partner.extend(0.0)),
                    None => Patch::point(best),
                }
            }
        }
    }
}
