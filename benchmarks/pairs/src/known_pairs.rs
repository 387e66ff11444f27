//! Pairs of polyhedra whose answers are known before anybody is asked.
//!
//! Two convex bodies in given attitudes overlap where the place p of the second lies in M = A - B, the hull of all differences of
//! their vertices, and their separation is the signed distance of p from M's surface. So a pair is made from its answer: M
//! is built once for two attitudes (a hull by exact predicates), a point of its surface is chosen, and p is put so far outside or
//! inside it. Below a face of M that distance is the depth if no other face is nearer, which is looked at; above a face, an edge or a corner it
//! is the distance, for M is convex. No contact algorithm takes part. An answer is good to some 1e-14 of the size.

use crate::sets::{Body, Pair, Set};
use glam::DVec3;
use tumble_geometry::oracle::{Sequence, box_of, regular_tetrahedron};
use tumble_geometry::{Polyhedron, Pose, Shape, convex_hull};

/// How far two bodies are apart or overlap.
pub struct Group {
    /// What it is called in the table.
    pub name: &'static str,
    /// Whether its pairs overlap.
    pub overlap: bool,
    /// Least and largest gap or depth, over the least half width of the two bodies; equal chances for equal ratios [1].
    pub range: [f64; 2],
}

/// The groups, each of as many pairs.
pub const GROUPS: [Group; 4] = [
    Group { name: "apart by 1e-6 to 1e-2", overlap: false, range: [1e-6, 1e-2] },
    Group { name: "overlap of 1e-6 to 1e-4", overlap: true, range: [1e-6, 1e-4] },
    Group { name: "overlap of 1e-4 to 1e-2", overlap: true, range: [1e-4, 1e-2] },
    Group { name: "overlap of 1e-2 to 0.3", overlap: true, range: [1e-2, 0.3] },
];

/// Two bodies, and how many pairs of them there are in a group.
pub struct Family {
    /// What it is called in the table.
    pub name: &'static str,
    bodies: [Body; 2],
    n_pairs: usize,
}

/// All families.
pub fn families() -> Result<Vec<Family>, String> {
    let family = |name, a: Body, b: Body, n_pairs| Family { name, bodies: [a, b], n_pairs };
    let both = |name, polyhedron: &Polyhedron| family(name, Body::hull(polyhedron), Body::hull(polyhedron), 500);
    let stretched = |name, stretch: DVec3| {
        let pressed = |name: &str| -> Result<Body, String> {
            let Shape::Polyhedron(hull) = Body::named(name)?.shape() else {
                return Err(format!("{name} is no polyhedron"));
            };
            let points: Vec<DVec3> = hull.vertices().iter().map(|v| *v * stretch).collect();
            convex_hull(&points).map(|hull| Body::hull(&hull)).map_err(|error| format!("{name}: {error}"))
        };
        Ok::<_, String>(family(name, pressed("hull20a")?, pressed("hull20b")?, 500))
    };
    Ok(vec![
        both("cubes", &box_of(DVec3::ONE)),
        both("tetrahedra", &regular_tetrahedron(2.0)),
        family("dodecahedron, icosahedron", Body::named("dodecahedron")?, Body::named("icosahedron")?, 500),
        family("hulls of 20", Body::named("hull20a")?, Body::named("hull20b")?, 500),
        // Trying all axes takes a hundred thousand times as long as a walk there.
        family("hulls of 100", Body::named("hull100a")?, Body::named("hull100b")?, 100),
        stretched("plates, 10:10:1", DVec3::new(1.0, 1.0, 0.1))?,
        stretched("needles, 1:1:10", DVec3::new(0.1, 0.1, 1.0))?,
    ])
}

impl Family {
    /// Its pairs, a set for each of [`GROUPS`]; of each only `share`, at least one.
    pub fn sets(&self, share: f64) -> Result<Vec<Set>, String> {
        let shapes = [self.bodies[0].shape(), self.bodies[1].shape()];
        let [Shape::Polyhedron(a), Shape::Polyhedron(b)] = &shapes else {
            return Err(format!("{}: not two polyhedra", self.name));
        };
        let half_width = least_half_width(a).min(least_half_width(b));
        let mut sets: Vec<Set> = GROUPS
            .iter()
            .map(|_| Set {
                name: self.name.to_string(),
                body_a: self.bodies[0].clone(),
                body_b: self.bodies[1].clone(),
                pairs: Vec::new(),
            })
            .collect();
        let mut random = Sequence::new(7);
        for index in 0..((self.n_pairs as f64 * share) as usize).max(1) {
            let attitude = random.orientation();
            let differences: Vec<DVec3> =
                a.vertices().iter().flat_map(|v| b.vertices().iter().map(move |w| *v - attitude * *w)).collect();
            let difference = convex_hull(&differences).map_err(|error| format!("{}: {error}", self.name))?;
            for (group, set) in GROUPS.iter().zip(&mut sets) {
                let distance = half_width * random.between_in_ratio(group.range[0], group.range[1]);
                let (place, normal) = if group.overlap {
                    inside(&difference, distance, &mut random).ok_or_else(|| format!("{}: no room", self.name))?
                } else {
                    outside(&difference, distance, index, &mut random)
                };
                let separation = if group.overlap { -distance } else { distance };
                set.pairs.push(Pair::new(Pose::new(place, attitude), separation, normal, &mut random));
            }
        }
        Ok(sets)
    }
}

/// Half the least extent of a polyhedron along the normals of its faces [m].
fn least_half_width(polyhedron: &Polyhedron) -> f64 {
    let extents = polyhedron.faces().iter().map(|face| face.offset - face.normal.dot(polyhedron.support(-face.normal)));
    0.5 * extents.fold(f64::INFINITY, f64::min)
}

/// The face through which a ray from the origin leaves, and where.
fn exit(body: &Polyhedron, direction: DVec3) -> (usize, DVec3) {
    let mut nearest = (f64::INFINITY, 0);
    for (index, face) in body.faces().iter().enumerate() {
        let along = face.normal.dot(direction);
        if along > 0.0 && face.offset / along < nearest.0 {
            nearest = (face.offset / along, index);
        }
    }
    (nearest.1, nearest.0 * direction)
}

/// A point so far below a face that no other face is as near, and the face's normal.
fn inside(body: &Polyhedron, depth: f64, random: &mut Sequence) -> Option<(DVec3, DVec3)> {
    const ATTEMPTS: usize = 10_000;
    // Nearer than this, two faces would tie to rounding.
    const CLEAR: f64 = 1e-6;
    (0..ATTEMPTS).find_map(|_| {
        let (index, point) = exit(body, random.direction());
        let normal = body.faces()[index].normal;
        let place = point - depth * normal;
        let is_clear = (body.faces().iter().enumerate())
            .all(|(other, face)| other == index || face.offset - face.normal.dot(place) > (1.0 + CLEAR) * depth);
        is_clear.then_some((place, normal))
    })
}

/// A point so far from the body, and the direction to it from the nearest of its points: that of a face in half of the cases, of
/// an edge or a corner in a quarter each.
fn outside(body: &Polyhedron, gap: f64, index: usize, random: &mut Sequence) -> (DVec3, DVec3) {
    let (face, point) = exit(body, random.direction());
    let normals = |face: u32| body.faces()[face as usize].normal;
    let corners = &body.faces()[face].vertices;
    let k = (random.unit() * corners.len() as f64) as usize % corners.len();
    let (from, to) = (corners[k], corners[(k + 1) % corners.len()]);
    let touches = |ends: [u32; 2], vertex: u32| ends.contains(&vertex);
    let (nearest, normal) = match index % 4 {
        0 | 1 => (point, normals(face as u32)),
        2 => {
            let share = random.unit();
            let [start, end] = [from, to].map(|v| body.vertices()[v as usize]);
            let sum: DVec3 = (body.edges().iter())
                .filter(|edge| touches(edge.vertices, from) && touches(edge.vertices, to))
                .map(|edge| random.unit() * normals(edge.left) + random.unit() * normals(edge.right))
                .sum();
            (start + share * (end - start), sum.normalize())
        }
        _ => {
            let sum: DVec3 = (body.edges().iter())
                .filter(|edge| touches(edge.vertices, from))
                .map(|edge| random.unit() * normals(edge.left) + random.unit() * normals(edge.right))
                .sum();
            (body.vertices()[from as usize], sum.normalize())
        }
    };
    (nearest + gap * normal, normal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_geometry::oracle::{gap_along, separating_axis_gap};

    #[test]
    fn answers_are_the_gap_along_their_normals_and_no_axis_has_a_larger_one() {
        for family in families().unwrap() {
            // Axes of hulls of 100 corners are too many for a test.
            let share = if family.n_pairs < 500 { 0.0 } else { 0.02 };
            for (group, set) in GROUPS.iter().zip(family.sets(share).unwrap()) {
                let (a, b) = (set.body_a.shape(), set.body_b.shape());
                let (Shape::Polyhedron(solid_a), Shape::Polyhedron(solid_b)) = (&a, &b) else { panic!() };
                let size = a.bounding_radius().max(b.bounding_radius());
                for pair in &set.pairs {
                    assert_eq!(pair.separation < 0.0, group.overlap);
                    let gap = gap_along(&a, &b, &pair.pose_ab, pair.normal);
                    assert!((gap - pair.separation).abs() < 1e-13 * size, "{}: {gap} {pair:?}", set.name);
                    let largest = separating_axis_gap(solid_a, solid_b, &pair.pose_ab);
                    assert!(largest < pair.separation + 1e-13 * size, "{}: {largest} {pair:?}", set.name);
                    let is_reached = (largest - pair.separation).abs() < 1e-13 * size;
                    assert!(is_reached || !group.overlap, "{}: {largest} {pair:?}", set.name);
                }
            }
        }
    }
}
