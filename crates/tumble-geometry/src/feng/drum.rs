//! Volume, centre and area of the hull of two convex rings in planes, each ring a face of the hull, and of a ring and a point.
//!
//! Between two rings lies a belt of triangles, each on an edge of one ring and a point of the other. A plane that touches the
//! hull at a point of either ring turns about the line through both points until it meets the next point of one of them:
//! that triangle is a face. So the belt is found in as many steps as there are points, as in the merging step of Preparata
//! and Hong's hull (*Commun. ACM* 20 (1977) 87). The planes of both rings contain the direction of x, as those of the bases of
//! two cylinders do in the four-parameter frame; the first plane contains the direction of y of the second ring.

use glam::{DVec2, DVec3};

/// A convex ring of points in a plane that contains the direction of x, counter-clockwise seen from outside the hull.
pub(super) struct Ring(pub Vec<DVec3>);

impl Ring {
    fn at(&self, index: usize) -> DVec3 {
        self.0[index % self.0.len()]
    }

    /// Twice its vector area.
    fn vector_area(&self) -> DVec3 {
        self.0.windows(2).map(|edge| (edge[0] - self.0[0]).cross(edge[1] - self.0[0])).sum()
    }
}

/// Sums over the faces of a hull.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faces {
    volume: f64,
    area: f64,
    moment: DVec3,
    reference: DVec3,
}

impl Faces {
    /// The hull of two rings. `reference` is a point near both, from which a thin hull keeps its digits.
    pub fn of_drum(a: &Ring, b: &Ring, reference: DVec3) -> Faces {
        let mut faces = Faces { reference, ..Faces::default() };
        faces.add_ring(a);
        faces.add_ring(b);
        let (n_a, n_b) = (a.0.len(), b.0.len());
        // Around a with the hull to the left is around b with the hull to the right.
        let (start_a, start_b) = start(a, b);
        let point_a = |k: usize| a.at(start_a + k);
        let point_b = |k: usize| b.at(start_b + n_b * 2 - k);
        let size = a.0.iter().chain(&b.0).map(|p| (*p - reference).abs().max_element()).fold(0.0, f64::max);
        // Nearer to a plane than the first, and to each other than the second, rounding says on which side of it a point is.
        let (level, near) = (1e-10 * size, 1e-7 * size);
        let (mut i, mut j) = (0, 0);
        while i < n_a || j < n_b {
            let (p, q) = (point_a(i), point_b(j));
            let (next_p, next_q) = (point_a(i + 1), point_b(j + 1));
            let is_next_on_a = if i == n_a || j == n_b {
                j == n_b
            } else {
                let (edge_a, edge_b) = ((next_p - q).length(), (next_q - p).length());
                let normal = (p - next_p).cross(q - next_p);
                let height = (next_q - p).dot(normal);
                let has_plane = normal.length() > level * (p - next_p).length();
                if has_plane && height.abs() > level * normal.length() && edge_a.min(edge_b) > near {
                    height < 0.0
                } else {
                    // All four in one plane, or two of them one point where the rings meet: the shorter edge does not lead astray.
                    edge_a <= edge_b
                }
            };
            if is_next_on_a {
                faces.add(next_p, p, q);
                i += 1;
            } else {
                faces.add(q, next_q, p);
                j += 1;
            }
        }
        faces
    }

    /// The hull of a ring and a point.
    pub fn of_pyramid(base: &Ring, tip: DVec3, reference: DVec3) -> Faces {
        let mut faces = Faces { reference, ..Faces::default() };
        faces.add_ring(base);
        for k in 0..base.0.len() {
            faces.add(base.at(k + 1), base.at(k), tip);
        }
        faces
    }

    /// Volume [m^3], its centre [m] and the area of all faces [m^2].
    pub fn measures(&self) -> (f64, DVec3, f64) {
        (self.volume, self.reference + self.moment / self.volume, self.area)
    }

    fn add_ring(&mut self, ring: &Ring) {
        let area = self.area;
        for edge in ring.0.windows(2) {
            self.add(ring.0[0], edge[0], edge[1]);
        }
        self.area = area + 0.5 * ring.vector_area().length();
    }

    /// A triangle, counter-clockwise seen from outside.
    fn add(&mut self, p: DVec3, q: DVec3, r: DVec3) {
        let (p, q, r) = (p - self.reference, q - self.reference, r - self.reference);
        let normal = (q - p).cross(r - p);
        let volume = p.dot(normal) / 6.0;
        self.volume += volume;
        self.moment += (p + q + r) * (0.25 * volume);
        self.area += 0.5 * normal.length();
    }
}

/// A point of each ring through which a plane goes that touches the hull: the point of b that is farthest along x and, seen
/// along b's plane across x, the point of a with nothing of a to the right of the line to it.
fn start(a: &Ring, b: &Ring) -> (usize, usize) {
    let along_b = b.vector_area().normalize_or(DVec3::Z);
    let farthest_b = (0..b.0.len()).reduce(|best, k| if b.0[k].x > b.0[best].x { k } else { best }).unwrap_or(0);
    let from = b.at(farthest_b);
    // The hull lies below b's plane.
    let seen = |k: usize| DVec2::new(a.0[k].x - from.x, (from - a.0[k]).dot(along_b).max(0.0));
    let is_right_of = |u: DVec2, v: DVec2| u.x * v.y > v.x * u.y;
    let touched = (0..a.0.len()).reduce(|best, k| if is_right_of(seen(k), seen(best)) { k } else { best }).unwrap_or(0);
    (touched, farthest_b)
}
