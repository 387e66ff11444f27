//! The convex polyhedron.

use super::climb::Climb;
use super::cuboid::Cuboid;
use super::farthest_vertices::{Both, CountAbove, CountBetween, Farthest, FourVertices};
use super::reaching_planes::{BoxToReach, FourPlanes, Reaching};
use super::web::Web;
use crate::GeometryError;
use crate::cross::{accurate_cross, doubled_area};
use crate::lanes::dispatch;
use crate::mass::MassProperties;
use crate::ray::Exit;
use crate::roof::{LazyRoof, Near, Part, Solid};
use crate::tolerance::{GIVEN_FACES, GRAZING, LIES_FLAT};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// A convex polyhedron: vertices, and flat faces with coplanar parts merged. Copies share their data.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    data: Arc<Data>,
}

#[derive(Debug, PartialEq)]
struct Data {
    vertices: Vec<DVec3>,
    /// Coordinates of four vertices at a time, the last block filled up with copies of the last vertex.
    blocks: Vec<FourVertices>,
    faces: Vec<Face>,
    /// Those of the faces.
    planes: Vec<FourPlanes>,
    edges: Vec<Edge>,
    web: Web,
    /// If there are many vertices.
    climb: Option<Climb>,
    bounding_radius: f64,
    mass: MassProperties,
    cuboid: Option<Cuboid>,
    roof: LazyRoof,
}

/// A face of a polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Its vertices, counter-clockwise seen from outside.
    pub vertices: Vec<u32>,
    /// Outward unit normal.
    pub normal: DVec3,
    /// Distance of its plane from the local origin along the normal [m].
    pub offset: f64,
}

/// An edge of a polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its ends, in the order in which `left` runs through them.
    pub vertices: [u32; 2],
    /// The face on its left, seen from outside.
    pub left: u32,
    /// The face on its right.
    pub right: u32,
}

impl Polyhedron {
    /// The convex hull of points: see [`crate::hull`].
    pub fn from_points(points: &[DVec3]) -> Result<Polyhedron, GeometryError> {
        crate::hull::convex_hull(points)
    }

    /// A polyhedron from its faces, each a loop of vertices in either sense. The faces must be flat, convex and closed to
    /// within [`GIVEN_FACES`]; vertices that no face names are ignored. Faces that share a plane to rounding become one, a
    /// face that is bent by more than rounding becomes several, and vertices and faces may get other numbers.
    pub fn from_faces(vertices: &[DVec3], faces: &[Vec<u32>]) -> Result<Polyhedron, GeometryError> {
        let used = check_faces(vertices, faces)?;
        Polyhedron::from_points(&used)
    }

    /// A polyhedron from vertices and faces that are known to be convex, closed, merged and counter-clockwise seen from
    /// outside, such as a hull's.
    pub fn from_trusted_faces(vertices: Vec<DVec3>, faces: Vec<Vec<u32>>) -> Polyhedron {
        let faces: Vec<Face> = faces
            .into_iter()
            .map(|loop_| {
                let corner = |k: usize| vertices[loop_[k] as usize];
                // A fan about a corner: exact for planar faces far from the origin too.
                let normal: DVec3 = (1..loop_.len() - 1)
                    .map(|k| doubled_area(corner(0), corner(k), corner(k + 1)))
                    .sum::<DVec3>()
                    .normalize();
                let offset = loop_.iter().map(|&v| normal.dot(vertices[v as usize])).sum::<f64>() / loop_.len() as f64;
                Face { vertices: loop_, normal, offset }
            })
            .collect();
        let mut directed: Vec<([u32; 2], u32)> = Vec::new();
        for (index, face) in faces.iter().enumerate() {
            for (k, &v) in face.vertices.iter().enumerate() {
                directed.push(([v, face.vertices[(k + 1) % face.vertices.len()]], index as u32));
            }
        }
        directed.sort_unstable();
        let face_of = |ends: [u32; 2]| {
            directed.binary_search_by(|(other, _)| other.cmp(&ends)).ok().map(|place| directed[place].1)
        };
        let edges: Vec<Edge> = directed
            .iter()
            .filter(|(ends, _)| ends[0] < ends[1])
            .filter_map(|&(ends, left)| Some(Edge { vertices: ends, left, right: face_of([ends[1], ends[0]])? }))
            .collect();
        let blocks = vertices
            .chunks(4)
            .map(|chunk| {
                let pick = |k: usize| chunk[k.min(chunk.len() - 1)];
                [
                    std::array::from_fn(|k| pick(k).x),
                    std::array::from_fn(|k| pick(k).y),
                    std::array::from_fn(|k| pick(k).z),
                ]
            })
            .collect();
        let bounding_radius = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
        let cuboid = Cuboid::of(&vertices, &faces, bounding_radius);
        let web = Web::new(&vertices, &faces, &edges);
        let climb = Climb::new(&vertices, edges.iter().map(|edge| edge.vertices));
        let roof = LazyRoof::default();
        let mass = mass_properties(&vertices, &faces);
        let planes = FourPlanes::of(&faces);
        let data = Data { vertices, blocks, faces, planes, edges, web, climb, bounding_radius, mass, cuboid, roof };
        Polyhedron { data: Arc::new(data) }
    }

    /// The vertices [m].
    pub fn vertices(&self) -> &[DVec3] {
        &self.data.vertices
    }

    /// The faces.
    pub fn faces(&self) -> &[Face] {
        &self.data.faces
    }

    /// The edges, each once.
    pub fn edges(&self) -> &[Edge] {
        &self.data.edges
    }

    /// What of it is next to what.
    #[inline]
    pub(crate) fn web(&self) -> &Web {
        &self.data.web
    }

    /// The box that it is, if it is one.
    #[inline]
    pub fn cuboid(&self) -> Option<&Cuboid> {
        self.data.cuboid.as_ref()
    }

    /// Largest distance of a vertex from the local origin [m].
    pub fn bounding_radius(&self) -> f64 {
        self.data.bounding_radius
    }

    /// All of it with the roof over it, their planes numbered as its faces, from one.
    #[inline]
    pub(crate) fn whole_part(&self) -> &Part {
        self.data.roof.whole(self.solid())
    }

    /// A part of it with the roof over it, at a level; `None` if it has more faces than [`MOST_NEAR`].
    #[inline]
    pub(crate) fn part(&self, near: Near, level: usize) -> Option<&Part> {
        self.data.roof.near(near, level, self.solid())
    }

    #[inline(always)]
    fn solid(&self) -> Solid<'_> {
        let Data { vertices, faces, web, bounding_radius, .. } = &*self.data;
        Solid { vertices, faces, web, bounding_radius: *bounding_radius }
    }

    /// Which vertex is farthest along a direction.
    #[inline]
    pub fn support_vertex(&self, direction: DVec3) -> usize {
        if let Some(climb) = &self.data.climb {
            return climb.farthest(&self.data.vertices, direction);
        }
        let place = dispatch(Farthest { blocks: &self.data.blocks, direction });
        place.min(self.data.vertices.len() - 1)
    }

    /// The face that looks most along a unit direction, of those around the vertex that is farthest that way; of those along an edge if
    /// all of it is as far.
    #[inline]
    pub(crate) fn facing(&self, direction: DVec3) -> usize {
        let Data { faces, web, .. } = &*self.data;
        let (mut best, mut best_level) = ((f64::NEG_INFINITY, 0), (f64::NEG_INFINITY, 0));
        let cosine = |face: u32| faces[face as usize].normal.dot(direction);
        let vertex = self.support_vertex(direction) as u32;
        for spoke in web.spokes(vertex) {
            let rib = &web.ribs[spoke.edge as usize];
            // The faces on the left of all edges that leave a vertex are all faces around it, once each.
            let [left, right] = if rib.ends[0] == vertex { rib.faces } else { [rib.faces[1], rib.faces[0]] };
            let on_left = (cosine(left), left as usize);
            if on_left.0 > best.0 {
                best = on_left;
            }
            if spoke.along.dot(direction) >= -LIES_FLAT {
                for level in [on_left, (cosine(right), right as usize)] {
                    if level.0 > best_level.0 {
                        best_level = level;
                    }
                }
            }
        }
        if best_level.0 > 0.0 { best_level.1 } else { best.1 }
    }

    /// Lists the faces whose planes reach into a box.
    #[inline]
    pub(crate) fn faces_reaching(&self, into: BoxToReach, found: &mut Vec<u32>) {
        dispatch(Reaching { planes: &self.data.planes, into, found });
    }

    /// How many vertices are within a distance [m] of the farthest along a unit direction.
    #[inline]
    pub fn n_farthest(&self, direction: DVec3, slack: f64) -> u32 {
        let farthest = self.support_vertex(direction);
        let least = self.data.vertices[farthest].dot(direction) - slack;
        if let Some(climb) = &self.data.climb
            && let Some(count) = climb.n_above(&self.data.vertices, direction, least, farthest)
        {
            return count;
        }
        let n_filled_up = 4 * self.data.blocks.len() - self.data.vertices.len();
        dispatch(CountAbove { blocks: &self.data.blocks, direction, least, n_filled_up })
    }

    /// Which vertices of two polyhedra are farthest, each along a direction of its own.
    #[inline(always)]
    pub(crate) fn support_vertices(bodies: [&Polyhedron; 2], directions: [DVec3; 2]) -> [usize; 2] {
        if bodies.iter().any(|body| body.data.climb.is_some()) {
            return [0, 1].map(|k| bodies[k].support_vertex(directions[k]));
        }
        let farthest = |k: usize| Farthest { blocks: &bodies[k].data.blocks, direction: directions[k] };
        let [a, b] = dispatch(Both(farthest(0), farthest(1)));
        [a.min(bodies[0].data.vertices.len() - 1), b.min(bodies[1].data.vertices.len() - 1)]
    }

    /// How many vertices of two polyhedra, each along a direction of its own, are at the first of two heights or above it;
    /// `None` if one is above the second.
    #[inline]
    pub(crate) fn n_between(
        bodies: [&Polyhedron; 2],
        directions: [DVec3; 2],
        heights: [[f64; 2]; 2],
    ) -> Option<[u32; 2]> {
        if bodies.iter().any(|body| body.data.climb.is_some()) {
            let [a, b] = [0, 1].map(|k| bodies[k].n_of_many_between(directions[k], heights[k]));
            return Some([a?, b?]);
        }
        let count = |k: usize| {
            let ([least, most], data) = (heights[k], &bodies[k].data);
            let n_filled_up = 4 * data.blocks.len() - data.vertices.len();
            CountBetween { blocks: &data.blocks, direction: directions[k], least, most, n_filled_up }
        };
        let [a, b] = dispatch(Both(count(0), count(1)));
        Some([a?, b?])
    }

    /// The same for one polyhedron that may have many vertices.
    fn n_of_many_between(&self, direction: DVec3, [least, most]: [f64; 2]) -> Option<u32> {
        let farthest = self.support_vertex(direction);
        let highest = self.data.vertices[farthest].dot(direction);
        // Also where something is not a number.
        (highest <= most).then(|| self.n_farthest(direction, highest - least))
    }

    /// The vertex farthest along a direction.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        self.data.vertices[self.support_vertex(direction)]
    }

    /// Where a ray from inside leaves, and through which face.
    #[inline]
    pub fn exit(&self, origin: DVec3, direction: DVec3) -> Exit {
        let mut exit = Exit { distance: f64::INFINITY, normal: direction, piece: 0 };
        for (index, face) in self.data.faces.iter().enumerate() {
            let rate = face.normal.dot(direction);
            if rate <= GRAZING {
                continue;
            }
            let distance = (face.offset - face.normal.dot(origin)) / rate;
            if distance < exit.distance {
                exit = Exit { distance, normal: face.normal, piece: index as u32 };
            }
        }
        Exit { distance: exit.distance.max(0.0), ..exit }
    }

    /// Where a line enters and leaves.
    #[inline]
    pub fn chord(&self, origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
        if let Some(chord) = self.chord_of_many(origin, direction) {
            return Some(chord);
        }
        let (mut entry, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
        for face in &self.data.faces {
            let rate = face.normal.dot(direction);
            let height = face.offset - face.normal.dot(origin);
            if rate > GRAZING {
                exit = exit.min(height / rate);
            } else if rate < -GRAZING {
                entry = entry.max(height / rate);
            } else if height < 0.0 {
                return None;
            }
        }
        (entry <= exit).then_some((entry, exit))
    }

    /// The same for a body of many vertices and a line that goes through the ball within it; `None` otherwise. Seen from a point of the
    /// line within the body, its faces are the corners of a polar body, and that through which the line leaves is the highest along it:
    /// it is climbed to from a face near by.
    fn chord_of_many(&self, origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
        // Nearer to the surface of the ball the polar body has corners far away.
        const WITHIN: f64 = 0.95;
        let Data { vertices, faces, web, climb, bounding_radius, .. } = &*self.data;
        let climb = climb.as_ref()?;
        let middle = origin + direction * direction.dot(web.inner_centre - origin);
        let aside = middle - web.inner_centre;
        let within = WITHIN * web.inner_radius;
        if aside.length_squared() >= within * within {
            return None;
        }
        let half = (bounding_radius * bounding_radius - aside.length_squared()).max(0.0).sqrt();
        let distance = |direction: DVec3| {
            let near = climb.farthest(vertices, aside + half * direction) as u32;
            let from = web.ribs[web.spokes(near)[0].edge as usize].faces[0];
            let rate = |face: u32| faces[face as usize].normal.dot(direction);
            let height = |face: u32| faces[face as usize].offset - faces[face as usize].normal.dot(middle);
            let face = &faces[web.highest_face(from, |face| rate(face) / height(face)) as usize];
            (face.offset - face.normal.dot(origin)) / face.normal.dot(direction)
        };
        Some((-distance(-direction), distance(direction)))
    }

    /// Whether a point lies inside; the surface counts, to rounding.
    pub fn contains(&self, point: DVec3) -> bool {
        self.data.faces.iter().all(|face| face.normal.dot(point) <= face.offset)
    }

    /// Volume, centre and tensor of inertia at unit density.
    pub fn mass_properties(&self) -> MassProperties {
        self.data.mass
    }

    /// Centre of volume [m].
    #[inline]
    pub fn centroid(&self) -> DVec3 {
        self.data.mass.centroid
    }

    /// The same polyhedron, all lengths multiplied by a factor.
    pub fn scaled(&self, factor: f64) -> Polyhedron {
        let faces = self.data.faces.iter().map(|face| face.vertices.clone()).collect();
        Polyhedron::from_trusted_faces(self.data.vertices.iter().map(|v| *v * factor).collect(), faces)
    }
}

/// Volume, centre and tensor of inertia at unit density: signed tetrahedra from one vertex, so that a body far from
/// its origin loses no digits.
fn mass_properties(vertices: &[DVec3], faces: &[Face]) -> MassProperties {
    let origin = vertices[0];
    let (mut volume, mut moment, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for face in faces {
        let corner = |k: usize| vertices[face.vertices[k] as usize] - origin;
        for k in 1..face.vertices.len() - 1 {
            let (a, b, c) = (corner(0), corner(k), corner(k + 1));
            let determinant = a.dot(accurate_cross(b, c));
            let sum = a + b + c;
            volume += determinant / 6.0;
            moment += determinant / 24.0 * sum;
            let squares = [sum, a, b, c].map(outer_square);
            second += (squares[0] + squares[1] + squares[2] + squares[3]) * (determinant / 120.0);
        }
    }
    let centre = moment / volume;
    let second = second - outer_square(centre) * volume;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    MassProperties { volume, centroid: origin + centre, inertia: DMat3::from_diagonal(DVec3::splat(trace)) - second }
}

/// Checks faces that someone supplied, and gives the vertices that they use.
fn check_faces(vertices: &[DVec3], faces: &[Vec<u32>]) -> Result<Vec<DVec3>, GeometryError> {
    for (face, ring) in faces.iter().enumerate() {
        if let Some(&vertex) = ring.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(GeometryError::FaceVertexMissing { face, vertex, n_vertices: vertices.len() });
        }
        let mut different = ring.clone();
        different.sort_unstable();
        different.dedup();
        if different.len() < 3 || different.len() < ring.len() {
            return Err(GeometryError::FaceVertexCount { face, n_vertices: different.len(), n_named: ring.len() });
        }
    }
    let mut numbers: Vec<u32> = faces.iter().flatten().copied().collect();
    numbers.sort_unstable();
    numbers.dedup();
    if let Some(&v) = numbers.iter().find(|&&v| !vertices[v as usize].is_finite()) {
        let DVec3 { x, y, z } = vertices[v as usize];
        return Err(GeometryError::PointNotFinite { point: v as usize, x, y, z });
    }
    let place = |v: u32| vertices[v as usize];
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for ring in faces {
        let next = ring.iter().skip(1).chain(ring.first());
        edges.extend(ring.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)]));
    }
    edges.sort_unstable();
    if let Some(run) = edges.chunk_by(|a, b| a == b).find(|run| run.len() != 2) {
        return Err(GeometryError::NotClosed { from: run[0][0], to: run[0][1], n_faces: run.len() });
    }
    let (n_vertices, n_edges, n_faces) = (numbers.len(), edges.len() / 2, faces.len());
    if n_vertices + n_faces != n_edges + 2 {
        return Err(GeometryError::NotOneBody { n_vertices, n_edges, n_faces });
    }
    let size = numbers.iter().map(|&v| place(v).abs().max_element()).fold(0.0, f64::max);
    let middle = numbers.iter().map(|&v| place(v)).sum::<DVec3>() / numbers.len() as f64;
    for (face, ring) in faces.iter().enumerate() {
        let base = place(ring[0]);
        let area: DVec3 = ring.windows(2).skip(1).map(|pair| doubled_area(base, place(pair[0]), place(pair[1]))).sum();
        let normal = area.try_normalize().ok_or(GeometryError::FaceWithoutArea { face })?;
        let outwards = if normal.dot(base - middle) < 0.0 { -normal } else { normal };
        let off = |&vertex: &u32| (vertex, outwards.dot(place(vertex) - base));
        let farther = |a: (u32, f64), b: (u32, f64)| if b.1.abs() > a.1.abs() { b } else { a };
        let (vertex, distance) = ring.iter().map(off).fold((ring[0], 0.0), farther);
        if distance.abs() > GIVEN_FACES * size {
            return Err(GeometryError::FaceNotFlat { face, vertex, distance: distance.abs() });
        }
        let higher = |a: (u32, f64), b: (u32, f64)| if b.1 > a.1 { b } else { a };
        let (vertex, distance) = numbers.iter().map(off).fold((ring[0], 0.0), higher);
        if distance > GIVEN_FACES * size {
            return Err(GeometryError::NotConvex { face, vertex, distance });
        }
    }
    Ok(numbers.iter().map(|&v| place(v)).collect())
}

fn outer_square(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Instructions;

    #[test]
    fn lines_through_bodies_of_many_faces_are_cut_as_by_all_faces() {
        use crate::oracle::Sequence;
        let mut random = Sequence::new(4);
        for stretch in [DVec3::ONE, DVec3::new(1.0, 0.7, 0.3)] {
            let points: Vec<DVec3> = (0..600).map(|_| random.direction() * stretch).collect();
            let stone = Polyhedron::from_points(&points).unwrap();
            assert!(stone.data.climb.is_some());
            let mut n_climbed = 0;
            for _ in 0..500 {
                let (origin, direction) = (3.0 * random.direction() + 0.5 * random.direction(), random.direction());
                let towards = (0.8 * random.point_in_cube(1.0) * stretch - origin).normalize();
                for direction in [direction, towards] {
                    let crossings = |sign: f64| {
                        (stone.faces().iter())
                            .filter(move |face| sign * face.normal.dot(direction) > 0.0)
                            .map(move |face| (face.offset - face.normal.dot(origin)) / face.normal.dot(direction))
                    };
                    let (entry, exit) =
                        (crossings(-1.0).fold(f64::MIN, f64::max), crossings(1.0).fold(f64::MAX, f64::min));
                    n_climbed += u32::from(stone.chord_of_many(origin, direction).is_some());
                    match stone.chord(origin, direction) {
                        Some(found) => assert!((found.0 - entry).abs() + (found.1 - exit).abs() < 1e-13),
                        None => assert!(entry > exit),
                    }
                }
            }
            assert!(n_climbed > 100, "{n_climbed}");
        }
    }

    /// Points on a ball, in a spiral, and which of them are farthest, one by one.
    #[test]
    fn any_instructions_find_the_same_vertices() {
        for n in 4..40 {
            let point = |k: usize| {
                let (z, angle) = (1.0 - (2 * k + 1) as f64 / n as f64, 2.4 * k as f64);
                (DVec3::new(angle.cos(), angle.sin(), 0.0) * (1.0 - z * z).sqrt()).with_z(z)
            };
            let polyhedron = Polyhedron::from_points(&(0..n).map(point).collect::<Vec<_>>()).unwrap();
            let (vertices, blocks) = (polyhedron.vertices(), &polyhedron.data.blocks);
            let n_filled_up = 4 * blocks.len() - n;
            for k in 0..200 {
                let direction = DVec3::new((0.7 * k as f64).sin(), (1.1 * k as f64).cos(), (0.3 * k as f64).sin());
                let heights = vertices.iter().map(|vertex| vertex.dot(direction));
                let highest = heights.clone().fold(f64::NEG_INFINITY, f64::max);
                let least = highest - 0.5;
                let n_above = heights.filter(|&height| height >= least).count() as u32;
                for instructions in [Instructions::PORTABLE, Instructions::best()] {
                    let farthest = instructions.run(Farthest { blocks, direction });
                    assert_eq!(vertices[farthest.min(n - 1)].dot(direction), highest, "{n} {k} {instructions:?}");
                    let counted = instructions.run(CountAbove { blocks, direction, least, n_filled_up });
                    assert_eq!(counted, n_above, "{n} {k} {instructions:?}");
                }
                assert_eq!(polyhedron.support(direction).dot(direction), highest);
            }
        }
    }
}
