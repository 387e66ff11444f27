//! Volume, centre and inertia of the union of convex parts, overlaps counted once.
//!
//! The parts are taken from the largest to the smallest, and from each is subtracted what already belongs to a larger
//! one. For part i, with centre c and half extents s,
//!
//!   overlap_i = det(S) * integral over unit u of the integral over rho of rho^2 f(c + rho S u),   S = diag(s),
//!
//! where rho runs over the part's own ray from c, as far as it lies in the union of the larger parts' chords on that ray,
//! and f stands for 1, x and x x^T. The integral over rho is exact; that over directions is an adaptive cubature over
//! the six faces of a cube, each cell split into four where its error is largest. The stretch by S makes needles and
//! slabs as easy as balls. Parts that meet no other part are exact.
//!
//! The integrand has kinks where surfaces cross and rises like a square root at silhouettes, which limits the order. The
//! stated tolerance is 1e-5 of the volume (of the size for the centre, of volume times size squared for the inertia).
//! Two balls stay below 3e-6 and usually below 1e-6. Where the cells run out first, as for many parts with sharp edges
//! inside each other, the error may reach 1e-4.

use super::MassProperties;
use crate::Shape;
use crate::ray::line_in;
use crate::shape::Part;
use crate::tolerance::SAME_POINT;
use glam::{DMat3, DVec3};

/// Estimated error, over the volume of all parts, at which the cubature of one part stops.
const TOLERANCE: f64 = 3e-7;
/// Most cells for one part; at 36 directions a cell some 10 ms for balls.
const MOST_CELLS: usize = 6000;
/// Cells along the edge of a cube face to begin with: small enough that no overlap worth counting lies between
/// directions.
const FIRST_CELLS: usize = 6;

/// Integrals of 1, x and the six products of coordinates over a region.
#[derive(Clone, Copy, Default)]
struct Moments {
    volume: f64,
    first: DVec3,
    /// Of x^2, y^2, z^2.
    squares: DVec3,
    /// Of y z, z x, x y.
    products: DVec3,
}

impl Moments {
    fn add(&mut self, other: &Moments, factor: f64) {
        self.volume += factor * other.volume;
        self.first += factor * other.first;
        self.squares += factor * other.squares;
        self.products += factor * other.products;
    }

    /// Of a body about `origin`.
    fn of(properties: &MassProperties, origin: DVec3) -> Moments {
        let d = properties.centroid - origin;
        let inertia = properties.inertia;
        let half_trace = 0.5 * (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z);
        let moments = DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
        let off = DVec3::new(inertia.y_axis.z, inertia.z_axis.x, inertia.x_axis.y);
        Moments {
            volume: properties.volume,
            first: properties.volume * d,
            squares: DVec3::splat(half_trace) - moments + properties.volume * d * d,
            products: properties.volume * DVec3::new(d.y * d.z, d.z * d.x, d.x * d.y) - off,
        }
    }

    fn properties(&self, origin: DVec3) -> MassProperties {
        let d = self.first / self.volume;
        let squares = self.squares - self.volume * d * d;
        let products = self.products - self.volume * DVec3::new(d.y * d.z, d.z * d.x, d.x * d.y);
        MassProperties {
            volume: self.volume,
            centroid: origin + d,
            inertia: DMat3::from_cols(
                DVec3::new(squares.y + squares.z, -products.z, -products.y),
                DVec3::new(-products.z, squares.z + squares.x, -products.x),
                DVec3::new(-products.y, -products.x, squares.x + squares.y),
            ),
        }
    }
}

/// Mass properties of the union of parts, and whether any parts overlap, so that the answer is one of cubature.
pub(crate) fn union_of_parts(parts: &[Part]) -> (MassProperties, bool) {
    let whole: Vec<MassProperties> =
        parts.iter().map(|part| part.shape.mass_properties().transformed(&part.pose)).collect();
    let total: f64 = whole.iter().map(|p| p.volume).sum();
    // About a point amid the parts, so that a clump far from its origin loses no digits.
    let origin = whole.iter().map(|p| p.centroid * (p.volume / total)).sum::<DVec3>();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&i, &j| whole[j].volume.total_cmp(&whole[i].volume).then(i.cmp(&j)));
    let mut sum = Moments::default();
    let mut is_overlapping = false;
    for (place, &i) in order.iter().enumerate() {
        sum.add(&Moments::of(&whole[i], origin), 1.0);
        let larger: Vec<&Part> =
            order[..place].iter().map(|&j| &parts[j]).filter(|part| may_overlap(&parts[i], part)).collect();
        if !larger.is_empty() {
            is_overlapping = true;
            sum.add(&overlap_with(&parts[i], &larger, whole[i].centroid, origin, total), -1.0);
        }
    }
    (sum.properties(origin), is_overlapping)
}

/// Whether two parts can have a common volume: exact for balls, by boxes otherwise (in the frame of the clump and in
/// those of both parts).
fn may_overlap(a: &Part, b: &Part) -> bool {
    if let (Shape::Sphere(p), Shape::Sphere(q)) = (&a.shape, &b.shape) {
        return a.pose.position.distance(b.pose.position) < p.radius + q.radius;
    }
    let inside = |a: &Part, b: &Part| {
        let local = a.shape.bounds(&crate::Pose::IDENTITY);
        let other = b.shape.bounds(&a.pose.relative(&b.pose));
        // Touching is not overlapping; so little is rounding.
        local.grown(-SAME_POINT * local.extent().max_element()).overlaps(&other)
    };
    inside(a, b) && inside(b, a)
}

/// Moments about `origin` of what a part shares with the union of others.
fn overlap_with(part: &Part, others: &[&Part], centre: DVec3, origin: DVec3, total: f64) -> Moments {
    let local_centre = part.pose.inverse_transform_point(centre);
    let extent = 0.5 * part.shape.bounds(&crate::Pose::IDENTITY).extent();
    let lines: Vec<(DVec3, DMat3)> = others
        .iter()
        .map(|other| {
            let (start, _) = line_in(&other.pose, centre, DVec3::X);
            let turn = DMat3::from_quat(other.pose.orientation.inverse() * part.pose.orientation);
            (start, turn)
        })
        .collect();
    let mut chords: Vec<(f64, f64)> = Vec::new();
    // Moments about the centre in the part's frame, for one direction of the stretched space.
    let mut along = |u: DVec3| {
        let stretched = extent * u;
        let length = stretched.length();
        let direction = stretched / length;
        let reach = part.shape.exit(local_centre, direction).distance;
        chords.clear();
        for (other, (start, turn)) in others.iter().zip(&lines) {
            if let Some((entry, exit)) = other.shape.chord(*start, *turn * direction)
                && entry < reach
                && exit > 0.0
            {
                chords.push((entry.max(0.0), exit.min(reach)));
            }
        }
        chords.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut third, mut fourth, mut fifth) = (0.0, 0.0, 0.0);
        let mut covered = 0.0;
        for &(entry, exit) in &chords {
            let (from, to) = (f64::max(entry, covered), exit);
            if to > from {
                third += (to.powi(3) - from.powi(3)) / 3.0;
                fourth += (to.powi(4) - from.powi(4)) / 4.0;
                fifth += (to.powi(5) - from.powi(5)) / 5.0;
                covered = to;
            }
        }
        // rho = r / length, and the stretch has determinant det S.
        let weight = extent.element_product() / (length * length * length);
        let d = direction;
        Moments {
            volume: weight * third,
            first: weight * fourth * d,
            squares: weight * fifth * d * d,
            products: weight * fifth * DVec3::new(d.y * d.z, d.z * d.x, d.x * d.y),
        }
    };
    let local = cubature(&mut along, extent.length(), TOLERANCE * total);
    // From the part's frame about its centre to the clump's about the origin: turn the tensor, then shift.
    let turn = DMat3::from_quat(part.pose.orientation);
    let (p, q) = (local.products, local.squares);
    let second = DMat3::from_cols(DVec3::new(q.x, p.z, p.y), DVec3::new(p.z, q.y, p.x), DVec3::new(p.y, p.x, q.z));
    let second = turn * second * turn.transpose();
    let first = turn * local.first;
    let d = centre - origin;
    let cross = |a: DVec3, b: DVec3| DVec3::new(a.y * b.z, a.z * b.x, a.x * b.y);
    let turned = Moments {
        volume: local.volume,
        first,
        squares: DVec3::new(second.x_axis.x, second.y_axis.y, second.z_axis.z),
        products: DVec3::new(second.y_axis.z, second.z_axis.x, second.x_axis.y),
    };
    let v = local.volume;
    Moments {
        volume: v,
        first: turned.first + v * d,
        squares: turned.squares + 2.0 * first * d + v * d * d,
        products: turned.products + cross(first, d) + cross(d, first) + v * cross(d, d),
    }
}

/// One cell of a cube face.
struct Cell {
    face: usize,
    /// Middle of the cell on the face, each coordinate between -1 and 1.
    middle: [f64; 2],
    half_edge: f64,
    quarters: [Moments; 4],
    error: f64,
}

/// The integral of `along` over the unit sphere. `size` is the length by which moments compare with volumes.
fn cubature(along: &mut impl FnMut(DVec3) -> Moments, size: f64, tolerance: f64) -> Moments {
    let half_edge = 1.0 / FIRST_CELLS as f64;
    let mut cells: Vec<Cell> = Vec::new();
    for face in 0..6 {
        for k in 0..FIRST_CELLS * FIRST_CELLS {
            let place = |index: usize| (2 * index + 1) as f64 * half_edge - 1.0;
            let middle = [place(k % FIRST_CELLS), place(k / FIRST_CELLS)];
            let coarse = gauss(along, face, middle, half_edge);
            cells.push(cell(along, face, middle, half_edge, &coarse, size));
        }
    }
    // The cells by their error; ties by number, so that the order is always the same.
    let key = |error: f64, index: usize| (error.to_bits(), std::cmp::Reverse(index));
    let mut heap: std::collections::BinaryHeap<_> =
        cells.iter().enumerate().map(|(index, cell)| key(cell.error, index)).collect();
    let mut error: f64 = cells.iter().map(|cell| cell.error).sum();
    while error > tolerance
        && cells.len() < MOST_CELLS
        && let Some((_, std::cmp::Reverse(worst))) = heap.pop()
    {
        let Cell { face, middle, half_edge, quarters, error: old } = cells[worst];
        error -= old;
        for (k, coarse) in quarters.iter().enumerate() {
            let fine = cell(along, face, quarter(middle, half_edge, k), 0.5 * half_edge, coarse, size);
            error += fine.error;
            let index = if k == 0 { worst } else { cells.len() };
            heap.push(key(fine.error, index));
            if k == 0 {
                cells[worst] = fine;
            } else {
                cells.push(fine);
            }
        }
    }
    let mut sum = Moments::default();
    for quarter in cells.iter().flat_map(|cell| &cell.quarters) {
        sum.add(quarter, 1.0);
    }
    sum
}

fn quarter(middle: [f64; 2], half_edge: f64, k: usize) -> [f64; 2] {
    let sign = |bit: usize| if k >> bit & 1 == 0 { -0.5 } else { 0.5 };
    [middle[0] + sign(0) * half_edge, middle[1] + sign(1) * half_edge]
}

/// A cell with its four quarters, and its error: what the quarters change. Where the integrand is smooth far less is left;
/// along a silhouette, where it rises like a square root, about half.
fn cell(
    along: &mut impl FnMut(DVec3) -> Moments,
    face: usize,
    middle: [f64; 2],
    half_edge: f64,
    coarse: &Moments,
    size: f64,
) -> Cell {
    let quarters = std::array::from_fn(|k| gauss(along, face, quarter(middle, half_edge, k), 0.5 * half_edge));
    let mut change = *coarse;
    for quarter in &quarters {
        change.add(quarter, -1.0);
    }
    let second = change.squares.abs().max_element().max(change.products.abs().max_element()) / (size * size);
    let error = change.volume.abs().max(change.first.abs().max_element() / size).max(second);
    Cell { face, middle, half_edge, quarters, error }
}

/// Gauss's rule of three points each way over a cell, in angles, so that cells are of like size on the sphere.
fn gauss(along: &mut impl FnMut(DVec3) -> Moments, face: usize, middle: [f64; 2], half_edge: f64) -> Moments {
    const NODES: [(f64, f64); 3] =
        [(-0.774_596_669_241_483_4, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.774_596_669_241_483_4, 5.0 / 9.0)];
    const QUARTER_TURN: f64 = std::f64::consts::FRAC_PI_4;
    let mut sum = Moments::default();
    for (s, weight_s) in NODES {
        for (t, weight_t) in NODES {
            let [x, y] = [middle[0] + half_edge * s, middle[1] + half_edge * t].map(|w| (QUARTER_TURN * w).tan());
            let point = match face {
                0 => DVec3::new(1.0, x, y),
                1 => DVec3::new(-1.0, x, y),
                2 => DVec3::new(x, 1.0, y),
                3 => DVec3::new(x, -1.0, y),
                4 => DVec3::new(x, y, 1.0),
                _ => DVec3::new(x, y, -1.0),
            };
            let square = point.length_squared();
            // Solid angle of the face's element, and the element's derivative by the two angles.
            let element = (1.0 + x * x) * (1.0 + y * y) * (QUARTER_TURN * half_edge).powi(2) / (square * square.sqrt());
            sum.add(&along(point / square.sqrt()), weight_s * weight_t * element);
        }
    }
    sum
}
