//! A mesh among its images: the copies that stand whole periods away from it, joined to it where they meet.
//!
//! A floor one period long and its images are one floor without edges between them. To be met as one, they are made one mesh:
//! corners of a rim that come upon corners of an image's rim become one corner, so that every edge knows the triangles on both
//! sides of it. Images that lie on each other without common corners (a floor longer than the period, rims that are divided
//! differently) have edges and corners buried in each other's triangles. What is touched there counts only if it leads into
//! none of the triangles around the point ([`Mesh::leave_out_buried`]).
//!
//! Triangles, edges and vertices of images have the feature numbers of those they are images of, so a grain that goes
//! through a periodic edge stays in contact with the same feature.

use super::Mesh;
use crate::{Aabb, GeometryError, SurfaceContact, tolerance};
use glam::DVec3;
use std::collections::HashMap;

/// What a mesh with images knows besides.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Images {
    /// For every feature the number of the one that it is an image of.
    names: Vec<u32>,
    /// Points nearer to each other than this are one where images meet [m].
    same: f64,
}

impl Mesh {
    /// The mesh with its images whole periods away, given as vectors square to each other: as much of them as can be met by
    /// a body that is no larger than half of the least period and whose centre is in the cell around the middle of the mesh.
    pub fn with_images(&self, periods: &[DVec3]) -> Result<Mesh, GeometryError> {
        let largest = periods.iter().fold(0.0_f64, |largest, period| largest.max(period.length()));
        let same = tolerance::SAME_RIM * (self.length_scale + largest);
        let bounds = Aabb::of_points(self.vertices.iter().copied());
        let middle = bounds.lower + 0.5 * bounds.extent();
        let on_rim = self.on_rim();
        let (mut vertices, mut triangles, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        let (mut joined, mut rims) = (Vec::new(), Rims::new(same));
        for shift in self.shifts(periods, middle) {
            // An image beyond what can be met has no triangle left.
            let is_met = |triangle: &u32| {
                let corners = self.corners(*triangle).map(|corner| corner + shift - middle);
                periods.iter().all(|period| {
                    let along = corners.map(|corner| corner.dot(*period) / period.length_squared());
                    let (least, most) = along.iter().fold((f64::MAX, f64::MIN), |(l, m), &x| (l.min(x), m.max(x)));
                    least <= 1.0 && most >= -1.0
                })
            };
            let first = vertices.len() as u32;
            let before = sources.len();
            sources.extend((0..self.triangles.len() as u32).filter(is_met));
            if sources.len() == before {
                continue;
            }
            triangles
                .extend(sources[before..].iter().map(|&t| self.triangles[t as usize].map(|corner| corner + first)));
            vertices.extend(self.vertices.iter().map(|&vertex| vertex + shift));
            let places = self.vertices.iter().zip(&on_rim).map(|(&vertex, &on_rim)| {
                let place = vertex + shift;
                if on_rim { rims.near(place).unwrap_or(place) } else { place }
            });
            joined.extend(places);
            let rim = joined[first as usize..].iter().zip(&on_rim).filter(|(_, on_rim)| **on_rim);
            rims.add(rim.map(|(&place, _)| place));
        }
        // Where triangles are as small as the joints are coarse, they are left as they are.
        let mut mesh = Mesh::new(joined, triangles.clone()).or_else(|_| Mesh::new(vertices, triangles))?;
        mesh.images = Some(Box::new(Images { names: self.names_in(&mesh, &sources), same }));
        Ok(mesh)
    }

    /// Where images are that the mesh can be met through; itself first.
    fn shifts(&self, periods: &[DVec3], middle: DVec3) -> Vec<DVec3> {
        let mut shifts = vec![(0, DVec3::ZERO)];
        for &period in periods {
            let along = |vertex: &DVec3| ((*vertex - middle).dot(period) / period.length_squared()).abs();
            let farthest = self.vertices.iter().map(along).fold(0.0, f64::max);
            let n = (1.0 + farthest).floor() as i32;
            let images = |&(order, shift): &(i32, DVec3)| {
                (-n..=n).map(move |k| (order + k.abs(), shift + f64::from(k) * period))
            };
            shifts = shifts.iter().flat_map(images).collect();
        }
        shifts.sort_by_key(|(order, _)| *order);
        shifts.into_iter().map(|(_, shift)| shift).collect()
    }

    /// For every vertex whether it is an end of an edge with one triangle.
    fn on_rim(&self) -> Vec<bool> {
        let mut on_rim = vec![false; self.vertices.len()];
        for (triangle, corners) in self.triangles.iter().zip(0..).map(|(corners, triangle)| (triangle, corners)) {
            for k in 0..3 {
                if self.adjacency.triangles_at_edge(self.adjacency.edge_of(triangle, k)).len() == 1 {
                    on_rim[corners[k] as usize] = true;
                    on_rim[corners[(k + 1) % 3] as usize] = true;
                }
            }
        }
        on_rim
    }

    /// For every feature of a mesh made of triangles of this one, the lowest of the features that come together in it.
    fn names_in(&self, mesh: &Mesh, sources: &[u32]) -> Vec<u32> {
        let mut names = vec![u32::MAX; mesh.n_features() as usize];
        for (triangle, &source) in (0..).zip(sources) {
            names[triangle as usize] = source;
            for k in 0..3 {
                for (feature, name) in [
                    (mesh.edge_feature(triangle, k), self.edge_feature(source, k)),
                    (mesh.vertex_feature(triangle, k), self.vertex_feature(source, k)),
                ] {
                    let least = &mut names[feature as usize];
                    *least = name.min(*least);
                }
            }
        }
        names
    }

    /// Removes from `contacts[first..]` what lies on an edge or a corner and leads into another triangle there: there is more of
    /// the mesh before it. The deepest stays whatever rounding says. Nothing to do in a mesh without images, whose
    /// triangles meet in common edges.
    pub(crate) fn leave_out_buried(&self, contacts: &mut Vec<SurfaceContact>, first: usize) {
        let Some(images) = &self.images else { return };
        if contacts[first..].iter().all(|contact| self.is_face(contact.feature)) {
            return;
        }
        let deepest = contacts[first..].iter().fold(f64::INFINITY, |least, contact| contact.separation.min(least));
        let mut n_kept = first;
        for index in first..contacts.len() {
            let contact = contacts[index];
            let mut is_buried = false;
            if !self.is_face(contact.feature) && contact.separation > deepest + images.same {
                self.visit_within(contact.point, images.same, |triangle| {
                    let (_, nearest) = self.nearest(triangle, contact.point);
                    is_buried |= nearest.distance <= images.same
                        && self.corners(triangle).iter().any(|&corner| {
                            let offset = corner - contact.point;
                            let length = offset.length();
                            length > images.same && contact.normal.dot(offset) < -tolerance::SAME_RIM * length
                        });
                });
            }
            if !is_buried {
                contacts[n_kept] = contact;
                n_kept += 1;
            }
        }
        contacts.truncate(n_kept);
    }

    /// Gives contacts with images the features of what these are images of.
    pub(crate) fn name_features(&self, contacts: &mut [SurfaceContact]) {
        let Some(images) = &self.images else { return };
        for contact in contacts.iter_mut() {
            contact.feature = images.names[contact.feature as usize];
        }
        // A pass stays behind its contact.
        contacts.sort_by_key(|contact| contact.feature);
    }
}

/// Corners of rims, to be found by their places.
struct Rims {
    same: f64,
    places: HashMap<[i64; 3], Vec<DVec3>>,
}

impl Rims {
    fn new(same: f64) -> Rims {
        Rims { same, places: HashMap::new() }
    }

    fn cell(&self, place: DVec3) -> [i64; 3] {
        (place / (2.0 * self.same)).floor().to_array().map(|x| x as i64)
    }

    fn add(&mut self, places: impl Iterator<Item = DVec3>) {
        for place in places {
            self.places.entry(self.cell(place)).or_default().push(place);
        }
    }

    /// The nearest corner that is at the same place.
    fn near(&self, place: DVec3) -> Option<DVec3> {
        let [low, high] = [-self.same, self.same].map(|d| self.cell(place + DVec3::splat(d)));
        let mut nearest: Option<DVec3> = None;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    for &other in self.places.get(&[x, y, z]).into_iter().flatten() {
                        let limit = nearest.map_or(self.same, |n: DVec3| n.distance(place));
                        if other.distance(place) <= limit {
                            nearest = Some(other);
                        }
                    }
                }
            }
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose;
    use crate::narrow::{contact_sphere_mesh, contact_surface};
    use crate::oracle::Sequence;
    use crate::{Shape, Surface};
    use glam::DQuat;

    /// A floor of so many squares of edge 1 along x and y, from a corner.
    fn floor([nx, ny]: [u32; 2], corner: DVec3, round: impl Fn(DVec3) -> DVec3) -> Mesh {
        let vertices = (0..=nx).flat_map(|i| (0..=ny).map(move |j| DVec3::new(i.into(), j.into(), 0.0)));
        let at = |i: u32, j: u32| i * (ny + 1) + j;
        let squares = (0..nx).flat_map(|i| (0..ny).map(move |j| (i, j)));
        let triangles = squares.flat_map(|(i, j)| {
            [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
        });
        Mesh::new(vertices.map(|v| round(v + corner)).collect(), triangles.collect()).unwrap()
    }

    /// One contact, everywhere over a floor with images three units away in both directions.
    fn is_a_plane(mesh: &Mesh, what: &str) {
        let mut random = Sequence::new(8);
        let cube = Shape::cuboid(DVec3::new(0.6, 0.8, 0.4)).unwrap();
        let rod = Shape::cylinder(0.2, 0.9).unwrap();
        let middle = Aabb::of_points(mesh.vertices().iter().copied());
        let middle = 0.5 * (middle.lower + middle.upper);
        let mesh = mesh.with_images(&[DVec3::X * 3.0, DVec3::Y * 3.0]).unwrap();
        for case in 0..3000 {
            let mut foot = random.point_in_cube(1.5).with_z(0.0) + middle.with_z(0.0);
            if case % 3 == 0 {
                // On seams, exactly and a hair beside them.
                foot.x = middle.x + 1.5 + [0.0, 1e-15, -1e-12, 1e-9, -1e-7, 1e-5][case / 3 % 6];
            }
            let mut found = Vec::new();
            contact_sphere_mesh(&mesh, foot + DVec3::Z * 0.3, 0.45, 0.0, &mut found);
            assert_eq!(found.len(), 1, "{what}: ball at {foot}: {found:?}");
            assert!((found[0].separation + 0.15).abs() < 1e-12 && (found[0].normal + DVec3::Z).length() < 1e-12);
            assert!((found[0].point - foot).length() < 1e-10, "{what}: {found:?}");
            for (shape, turn, height) in [
                (&cube, DQuat::from_rotation_z(random.unit()), 0.2),
                (&rod, DQuat::from_rotation_z(random.unit()) * DQuat::from_rotation_x(0.5 * std::f64::consts::PI), 0.2),
                (&rod, DQuat::from_rotation_z(random.unit()), 0.45),
            ] {
                let mut found = Vec::new();
                let pose = Pose::new(foot + DVec3::Z * (height - 0.01), turn);
                contact_surface(shape, &Surface::Mesh(mesh.clone()), &pose, 0.0, &mut found);
                assert_eq!(found.len(), 1, "{what}: {shape:?} at {foot}: {found:?}");
                assert!((found[0].separation + 0.01).abs() < 1e-9 && (found[0].normal + DVec3::Z).length() < 1e-9);
                assert!((found[0].point - foot).length() < 1e-8, "{what}: {shape:?} at {foot}: {found:?}");
            }
            // And what stands on a corner or edge.
            let turn = random.orientation();
            let lowest = turn * cube.support(turn.conjugate() * DVec3::NEG_Z);
            let pose = Pose::new(foot - lowest - DVec3::Z * 0.01, turn);
            let mut found = Vec::new();
            contact_surface(&cube, &Surface::Mesh(mesh.clone()), &pose, 0.0, &mut found);
            assert_eq!(found.len(), 1, "{what}: tilted at {foot}: {found:?}");
            assert!((found[0].separation + 0.01).abs() < 1e-9, "{what}: {found:?}");
        }
    }

    #[test]
    fn a_floor_one_period_long_is_a_plane_with_its_images() {
        is_a_plane(&floor([3, 3], DVec3::ZERO, |v| v), "exact");
        is_a_plane(&floor([3, 3], DVec3::new(-0.7, 0.1, 0.0), |v| v), "moved");
    }

    #[test]
    fn a_floor_rounded_to_single_precision_is_a_plane_with_its_images() {
        is_a_plane(&floor([3, 3], DVec3::new(0.1, -0.7, 0.0), |v| v.as_vec3().as_dvec3()), "rounded");
    }

    #[test]
    fn a_floor_longer_than_the_period_is_a_plane_with_its_images() {
        is_a_plane(&floor([4, 5], DVec3::new(0.35, 0.2, 0.0), |v| v), "longer");
    }

    #[test]
    fn images_have_the_features_of_what_they_are_images_of() {
        // A roof whose ridge is at the periodic edge.
        let vertices =
            [0.0, 1.0, 2.0].iter().flat_map(|&x: &f64| [-2.0, 2.0].map(|y| DVec3::new(x, y, (x - 1.0).abs())));
        let roof = Mesh::new(vertices.collect(), vec![[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]]).unwrap();
        let mesh = roof.with_images(&[DVec3::X * 2.0]).unwrap();
        let at = |x: f64, z: f64| {
            let mut found = Vec::new();
            contact_sphere_mesh(&mesh, DVec3::new(x, 0.1, z), 0.3, 0.0, &mut found);
            found.into_iter().map(|contact| contact.feature).collect::<Vec<_>>()
        };
        assert_eq!(at(0.0, 1.2), at(2.0, 1.2));
        assert_eq!(at(0.0, 1.2).len(), 1);
        assert!(at(0.0, 1.2)[0] >= 4, "an edge");
        for x in [-0.2, 0.2, 0.4] {
            assert_eq!(at(x, 1.1 - x.abs()), at(x + 2.0, 1.1 - x.abs()), "{x}");
        }
        // The trough is two faces, and its image too.
        assert_eq!(at(1.0, 0.4).len(), 2);
    }
}
