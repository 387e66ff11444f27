//! The separating axes of two polyhedra, all of them: the normals of all faces and the cross products of all edges.
//!
//! Along each axis both bodies are projected, vertex by vertex; the axis with the largest gap is the answer (Gottschalk, Lin and
//! Manocha, 1996, for boxes). Of bodies that overlap this is the minimum translation. Of bodies apart it is the verdict, and a lower
//! bound of the distance: between two corners, or a corner and an edge, the nearest direction is none of the axes. Nothing is left
//! out by looking at neighbours: this is the method as textbooks have it, whose cost grows as the edges of a times the edges of b times the
//! vertices.

use glam::DVec3;
use tumble_geometry::{Polyhedron, Pose};

/// Sine of the angle below which two edges are parallel: their cross product is no axis that their faces lack.
const PARALLEL: f64 = 1e-7;

/// A polyhedron as the test goes over it.
pub struct Projected {
    vertices: Vec<DVec3>,
    normals: Vec<DVec3>,
    edges: Vec<DVec3>,
}

/// The best axis.
#[derive(Clone, Copy, Debug)]
pub struct BestAxis {
    /// Gap along it [m].
    pub gap: f64,
    /// The axis, a unit vector from a to b.
    pub normal: DVec3,
    /// How many axes were tried.
    pub n_axes: usize,
}

impl Projected {
    /// Vertices, normals of faces and directions of edges, each direction once.
    pub fn new(polyhedron: &Polyhedron) -> Projected {
        let mut edges: Vec<DVec3> = Vec::new();
        for edge in polyhedron.edges() {
            let [from, to] = edge.vertices.map(|v| polyhedron.vertices()[v as usize]);
            let along = (to - from).normalize();
            if edges.iter().all(|known| known.cross(along).length() > PARALLEL) {
                edges.push(along);
            }
        }
        let mut normals: Vec<DVec3> = Vec::new();
        for face in polyhedron.faces() {
            if normals.iter().all(|known| known.cross(face.normal).length() > PARALLEL) {
                normals.push(face.normal);
            }
        }
        Projected { vertices: polyhedron.vertices().to_vec(), normals, edges }
    }

    fn extent(&self, axis: DVec3) -> [f64; 2] {
        self.vertices.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], v| {
            let along = axis.dot(*v);
            [least.min(along), most.max(along)]
        })
    }
}

/// The axis of the largest gap; b seen from a by `pose_ab`.
pub fn largest_gap(a: &Projected, b: &Projected, pose_ab: &Pose) -> BestAxis {
    let mut best = BestAxis { gap: f64::NEG_INFINITY, normal: DVec3::X, n_axes: 0 };
    let mut attempt = |axis: DVec3| {
        let [least_a, most_a] = a.extent(axis);
        let shift = axis.dot(pose_ab.position);
        let [least_b, most_b] = b.extent(pose_ab.inverse_transform_vector(axis)).map(|along| along + shift);
        best.n_axes += 1;
        for (gap, normal) in [(least_b - most_a, axis), (least_a - most_b, -axis)] {
            if gap > best.gap {
                (best.gap, best.normal) = (gap, normal);
            }
        }
    };
    a.normals.iter().for_each(|normal| attempt(*normal));
    b.normals.iter().for_each(|normal| attempt(pose_ab.transform_vector(*normal)));
    for edge_b in &b.edges {
        let edge_b = pose_ab.transform_vector(*edge_b);
        for edge_a in &a.edges {
            let cross = edge_a.cross(edge_b);
            if cross.length() > PARALLEL {
                attempt(cross.normalize());
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_geometry::oracle::{Sequence, box_of, regular_tetrahedron, separating_axis_gap};

    #[test]
    fn the_largest_gap_is_that_of_the_oracle() {
        let mut random = Sequence::new(3);
        let bodies = [box_of(DVec3::ONE), regular_tetrahedron(2.0), box_of(DVec3::new(1.0, 0.8, 0.1))];
        for a in &bodies {
            for b in &bodies {
                for _ in 0..20 {
                    let pose = random.pose(1.5);
                    let found = largest_gap(&Projected::new(a), &Projected::new(b), &pose);
                    assert!((found.gap - separating_axis_gap(a, b, &pose)).abs() < 1e-12);
                    assert!(found.normal.is_normalized() && found.n_axes > 0);
                }
            }
        }
    }

    #[test]
    fn a_box_has_three_normals_and_three_edges() {
        let cube = Projected::new(&box_of(DVec3::ONE));
        let pose = Sequence::new(1).pose(1.0);
        assert_eq!(largest_gap(&cube, &cube, &pose).n_axes, 15);
    }
}
