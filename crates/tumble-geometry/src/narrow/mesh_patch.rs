//! The triangles of a mesh around a ball that moves little, so that not every question walks the tree of boxes.
//!
//! The patch holds all triangles that the ball can reach while it stays within a short way of where the patch was made. As long as
//! it does, the contacts are found among these; farther on the patch is made anew. The triangles come in the order of the tree
//! and are asked the same questions, so the answers are those of [`contact_sphere_mesh`](super::contact_sphere_mesh) bit for bit.
//!
//! Where the patch is one flat piece of ground, a ball over the inside of a triangle has one contact, with that triangle, and one
//! higher than its reach has none. That is most of a floor, and costs hardly more than a plane.

use super::contact_sphere_mesh::{look_at, thin_out};
use crate::surface::Mesh;
use crate::{Aabb, SurfaceContact, tolerance};
use glam::DVec3;

/// Multiplies a ball's radius: how far it can go before its patch is made anew. Farther, and a patch holds many triangles that
/// the ball does not reach; less far, and it is made often.
const SLACK: f64 = 0.05;

/// The triangles of one mesh around one ball.
#[derive(Clone, Debug, Default)]
pub struct MeshPatch {
    /// Where the ball was when the patch was made, in the mesh's frame [m].
    centre: DVec3,
    /// How far it reached [m].
    reach: f64,
    /// How far it can go [m].
    slack: f64,
    triangles: Vec<u32>,
    /// Whether the triangles are one flat piece, and no rim is among them.
    is_flat: bool,
    /// The triangle that the ball was over when last looked at: the first to look at now.
    last: u32,
}

impl MeshPatch {
    /// Appends what [`contact_sphere_mesh`](super::contact_sphere_mesh) does.
    pub fn contacts(&mut self, mesh: &Mesh, centre: DVec3, radius: f64, margin: f64, out: &mut Vec<SurfaceContact>) {
        let reach = radius + margin;
        let serves = reach <= self.reach && centre.distance_squared(self.centre) <= self.slack * self.slack;
        if !serves {
            self.make(mesh, centre, reach, SLACK * radius);
        }
        if self.triangles.is_empty() || (self.is_flat && self.on_flat(mesh, centre, radius, margin, out)) {
            return;
        }
        let first = out.len();
        for &triangle in &self.triangles {
            let bounds = Aabb::of_points(mesh.corners(triangle));
            let outside = (bounds.lower - centre).max(centre - bounds.upper).max(DVec3::ZERO);
            if outside.length_squared() <= reach * reach {
                look_at(mesh, triangle, centre, radius, margin, first, out);
            }
        }
        let triangles = &self.triangles;
        thin_out(mesh, centre, radius, first, out, |show| triangles.iter().for_each(|&triangle| show(triangle)));
    }

    fn make(&mut self, mesh: &Mesh, centre: DVec3, reach: f64, slack: f64) {
        (self.centre, self.reach, self.slack) = (centre, reach, slack);
        self.triangles.clear();
        // A little more than the sum, for rounding.
        mesh.visit_within(centre, (reach + slack) * (1.0 + 1e-9), |triangle| self.triangles.push(triangle));
        self.is_flat = self.triangles.first().is_some_and(|&first| {
            let normal = mesh.normal(first);
            let is_parallel = |&triangle: &u32| {
                mesh.is_flat(triangle) && normal.cross(mesh.normal(triangle)).length() <= tolerance::FLAT_EDGE
            };
            self.triangles.iter().all(is_parallel) && hangs_together(mesh, &self.triangles)
        });
        self.last = self.triangles.first().copied().unwrap_or(0);
    }

    /// Finds the contact of a ball with flat ground; `false` if it is none that is so simple.
    fn on_flat(&mut self, mesh: &Mesh, centre: DVec3, radius: f64, margin: f64, out: &mut Vec<SurfaceContact>) -> bool {
        let reach = radius + margin;
        let rounding = tolerance::SAME_POINT * (mesh.length_scale() + radius);
        let height = mesh.normal(self.last).dot(centre - mesh.corners(self.last)[0]);
        // Pieces of flat ground lean against each other by no more than the angle of an edge that is none.
        let lean = 10.0 * tolerance::FLAT_EDGE * (reach + self.slack);
        if height.abs() > reach + lean + rounding {
            return true;
        }
        let is_over = |&triangle: &u32| {
            let (corners, normal) = (mesh.corners(triangle), mesh.normal(triangle));
            (0..3).all(|k| {
                let (start, end) = (corners[k], corners[(k + 1) % 3]);
                let inward = normal.cross(end - start);
                inward.dot(centre - start) > (lean + 4.0 * rounding) * inward.length()
            })
        };
        if !is_over(&self.last) {
            match self.triangles.iter().find(|triangle| is_over(triangle)) {
                Some(&triangle) => self.last = triangle,
                None => return false,
            }
        }
        let first = out.len();
        look_at(mesh, self.last, centre, radius, margin, first, out);
        mesh.name_features(&mut out[first..]);
        true
    }
}

/// Whether one can go from each of some triangles to each other over common edges.
fn hangs_together(mesh: &Mesh, triangles: &[u32]) -> bool {
    let mut reached = vec![false; triangles.len()];
    let mut waiting = vec![0];
    let mut n_reached = 0;
    while let Some(index) = waiting.pop() {
        if std::mem::replace(&mut reached[index], true) {
            continue;
        }
        n_reached += 1;
        for k in 0..3 {
            for neighbour in mesh.triangles_at(mesh.edge_feature(triangles[index], k)) {
                waiting.extend(triangles.iter().position(|triangle| triangle == neighbour).filter(|&n| !reached[n]));
            }
        }
    }
    n_reached == triangles.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::contact_sphere_mesh;
    use crate::oracle::{self, Sequence};

    /// A sheet of n by n squares with heights; and a second one over it if wanted.
    fn sheet(n: u32, heights: impl Fn(f64, f64) -> f64, n_sheets: u32) -> Mesh {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for sheet in 0..n_sheets {
            let first = vertices.len() as u32;
            let shift = 0.37 * f64::from(sheet);
            for i in 0..=n {
                for j in 0..=n {
                    let (x, y) = (f64::from(i) + shift, f64::from(j));
                    vertices.push(DVec3::new(x, y, heights(x, y)));
                }
            }
            for i in 0..n {
                for j in 0..n {
                    let at = |i: u32, j: u32| first + i * (n + 1) + j;
                    triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                    triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
        Mesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn a_patch_gives_the_bits_of_the_whole_mesh() {
        let (vertices, triangles) = oracle::cube_triangles(3.0);
        let meshes = [
            ("floor", sheet(8, |_, _| 0.0, 1)),
            ("rounded slope", sheet(8, |x, y| f64::from((0.1 * x + 0.3 * y) as f32), 1)),
            ("slope", sheet(8, |x, y| 0.1 * x + 0.3 * y, 1)),
            ("trough", sheet(8, |x, _| (x - 4.0).abs(), 1)),
            ("waves", sheet(8, |x, y| 0.3 * (2.0 * x).sin() * y.cos(), 1)),
            ("two floors", sheet(8, |_, _| 0.0, 2)),
            ("cube", Mesh::new(vertices, triangles).unwrap()),
            ("periodic floor", sheet(8, |_, _| 0.0, 1).with_images(&[DVec3::X * 8.0, DVec3::Y * 8.0]).unwrap()),
            ("floor that is too long", sheet(8, |_, _| 0.0, 1).with_images(&[DVec3::X * 7.5]).unwrap()),
        ];
        let mut random = Sequence::new(4);
        for (name, mesh) in &meshes {
            let (mut n_found, mut n_flat) = (0, 0);
            for case in 0..60 {
                let radius = random.between(0.2, 1.0);
                let mut centre = DVec3::new(random.between(-0.5, 8.5), random.between(-0.5, 8.5), 0.9 * radius);
                if case % 3 == 0 {
                    // Over corners and edges, exactly.
                    centre = centre.round().with_z(0.9 * radius);
                }
                let mut patch = MeshPatch::default();
                for step in 0..200 {
                    let (mut whole, mut found) = (Vec::new(), Vec::new());
                    let margin = if step % 2 == 0 { 0.0 } else { 0.01 };
                    contact_sphere_mesh(mesh, centre, radius, margin, &mut whole);
                    patch.contacts(mesh, centre, radius, margin, &mut found);
                    assert_eq!(whole, found, "{name}, case {case}, step {step}, {centre}, radius {radius}");
                    n_found += found.len();
                    n_flat += usize::from(patch.is_flat);
                    centre += random.point_in_cube(0.02 * radius);
                }
            }
            assert!(n_found > 100, "{name}: {n_found}");
            assert!(n_flat > 1000 || !name.ends_with("floor"), "{name}: {n_flat}");
        }
    }
}
