//! Volume, depth and slopes from the roof over a region.
//!
//! The roof's two-dimensional faces are rings of corners that all lie on two planes. Those on planes i and j lie over the points
//! that are as near to i as to j. Below such a face, towards i and towards j, are two columns that mirror each other, as high
//! as the face is deep at t; all columns together are the region. With dA the face's area seen along n_i, which is that seen
//! along n_j,
//!
//! V = sum of 2 int t dA,  M = sum of int t^2 dA,  |C_i| = sum over j of int t dA,
//! |C_i| c_i cross n_i = (sum over j of int t x dA) cross n_i,
//!
//! the last because a column runs along its normal. No term is negative but by rounding: where planes of both bodies are one to
//! rounding, the line between them may be anywhere, and faces on it are turned over or lie askew. Signs that follow from the
//! corners' hands instead of their places, and V and M seen along (n_j - n_i) / 2, let all of that cancel. The faces on a plane and the ground are the facets of
//! the region.
//!
//! Slopes are summed over the second body: those of the first are the opposite, because the surface is closed.

use super::{DepthMoments, Slope};
use crate::lanes::{Kernel, Lanes, dispatch};
use crate::overlap::crossed_edges::{OTHERS, Tetrahedron};
use crate::roof::{GROUND, RoofCorner, RoofPlane, Slot, Walk};
use crate::shape::Face;
use glam::DVec3;

/// A face at a corner: the slots of its planes, those of the edges between which it lies, and the parity of all these.
struct FaceAtCorner {
    planes: [usize; 2],
    edges: [Slot; 2],
    parity: f64,
}

/// The faces at a corner, in the order of the bits of their marks.
static FACES: [FaceAtCorner; 6] = [
    FaceAtCorner { planes: [2, 3], edges: [Slot::new(0), Slot::new(1)], parity: 1.0 },
    FaceAtCorner { planes: [1, 3], edges: [Slot::new(0), Slot::new(2)], parity: -1.0 },
    FaceAtCorner { planes: [1, 2], edges: [Slot::new(0), Slot::new(3)], parity: 1.0 },
    FaceAtCorner { planes: [0, 3], edges: [Slot::new(1), Slot::new(2)], parity: 1.0 },
    FaceAtCorner { planes: [0, 2], edges: [Slot::new(1), Slot::new(3)], parity: -1.0 },
    FaceAtCorner { planes: [0, 1], edges: [Slot::new(2), Slot::new(3)], parity: 1.0 },
];

/// For each slot the marks of the faces on its plane.
const ON_SLOT: [u8; 4] = [0b11_1000, 0b10_0110, 0b01_0101, 0b00_1011];

/// Measures the region under a roof, whose planes are the faces of the first body and then those of the second; `None` when it
/// has no volume. `visited` is a list to use.
#[inline]
pub(super) fn measure(
    roof: &[RoofCorner<4>],
    faces: &[Face],
    cutters: &[RoofPlane],
    visited: &mut Vec<u8>,
) -> Option<DepthMoments> {
    if let Some(apex) = apex_of_tetrahedron(roof) {
        return tetrahedron(roof, apex, faces, cutters);
    }
    dispatch(Measuring { roof, faces, cutters, visited })
}

/// A region that is to be measured.
struct Measuring<'a> {
    roof: &'a [RoofCorner<4>],
    faces: &'a [Face],
    cutters: &'a [RoofPlane],
    visited: &'a mut Vec<u8>,
}

// One number at a time: it is a kernel for the sake of the instructions, which the compiler chooses.
impl Kernel for Measuring<'_> {
    type Output = Option<DepthMoments>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<DepthMoments> {
        let Measuring { roof, faces, cutters, visited } = self;
        face_by_face(roof, faces, cutters, visited)
    }
}

#[inline(always)]
fn face_by_face(
    roof: &[RoofCorner<4>],
    faces: &[Face],
    cutters: &[RoofPlane],
    visited: &mut Vec<u8>,
) -> Option<DepthMoments> {
    let n_faces = faces.len();
    let origin = roof.first()?.point();
    visited.clear();
    visited.resize(roof.len(), 0);
    let (mut volume, mut integral) = (0.0, 0.0);
    let (mut between, mut centre) = (0.0, DVec3::ZERO);
    let (mut volume_slope, mut depth_slope) = (Slope::default(), Slope::default());
    for (start, corner) in roof.iter().enumerate() {
        let mut open = !visited[start] & 0b11_1111;
        // Of the facets only those of the second body are summed.
        if let Some(ground) = corner.slot(GROUND)
            && !(0..4).any(|slot| usize::from(corner.plane(slot)) > n_faces)
        {
            open &= !ON_SLOT[ground];
        }
        while open != 0 {
            let FaceAtCorner { planes, edges, parity } = &FACES[open.trailing_zeros() as usize % 6];
            open &= open - 1;
            let [i, j] = planes.map(|slot| corner.plane(slot));
            let (low, high) = (usize::from(i.min(j)), usize::from(i.max(j)));
            let sense = if i > j { corner.hand * parity } else { -corner.hand * parity };
            let mut ring = Ring { walk: Walk::new(roof, start, *edges), visited, start: corner, sense };
            if high <= n_faces {
                if low != usize::from(GROUND) {
                    let column = ring.column(0.5 * (faces[high - 1].normal - faces[low - 1].normal));
                    volume += column.volume;
                    integral += column.integral;
                }
                continue;
            }
            let normal = cutters[high - n_faces - 1].normal;
            if low == usize::from(GROUND) {
                let (area, first_moment) = ring.facet(origin, normal);
                volume_slope.shift += area * normal;
                volume_slope.turn += first_moment.cross(normal);
                continue;
            }
            if low <= n_faces {
                let across = 0.5 * (normal - faces[low - 1].normal);
                let (column, below, first_moment) = ring.column_with_moment(origin, across, normal);
                volume += column.volume;
                integral += column.integral;
                between += below;
                centre += first_moment;
                depth_slope.shift += below * normal;
                depth_slope.turn += first_moment.cross(normal);
            } else {
                let other = cutters[low - n_faces - 1].normal;
                let across = 0.5 * (normal - other);
                let (column, _, first_moment) = ring.column_with_moment(origin, across, across);
                volume += column.volume;
                integral += column.integral;
                depth_slope.shift += column.volume * (normal + other);
                depth_slope.turn += first_moment.cross(normal + other);
            }
        }
    }
    // Which hand is which, the volume tells. Not a number is no volume either.
    let hand = 1f64.copysign(volume);
    let (volume, integral, between) = (hand * volume, hand * integral, hand * between);
    if !(volume > 0.0 && integral > 0.0) {
        return None;
    }
    let placed = |slope: Slope, [shift, turn]: [f64; 2]| {
        let shift = slope.shift * (-hand * shift);
        Slope { shift, turn: slope.turn * (-hand * turn) + origin.cross(shift) }
    };
    Some(DepthMoments {
        volume: volume / 3.0,
        centre: if between > 0.0 { origin + centre * (hand / (4.0 * between)) } else { deepest(roof) },
        depth_integral: integral / 12.0,
        volume_slope: placed(volume_slope, [1.0 / 2.0, 1.0 / 6.0]),
        depth_slope: placed(depth_slope, [1.0 / 6.0, 1.0 / 24.0]),
    })
}

/// The deepest corner of the roof over a tetrahedron, if it is one: the only corner that is not on the ground, next to four different others.
#[inline]
fn apex_of_tetrahedron(roof: &[RoofCorner<4>]) -> Option<&RoofCorner<4>> {
    if roof.len() != 5 {
        return None;
    }
    let (index, apex) = roof.iter().enumerate().find(|(_, corner)| !corner.lies_on(GROUND))?;
    let next_to = (0..4).fold(1 << index, |marks, slot| marks | 1 << apex.neighbour(slot));
    (next_to == 0b1_1111).then_some(apex)
}

/// Measures a tetrahedron, the form of most regions: every other way round a corner or an edge of one body meets a face of the other.
#[inline]
fn tetrahedron(
    roof: &[RoofCorner<4>],
    apex: &RoofCorner<4>,
    faces: &[Face],
    cutters: &[RoofPlane],
) -> Option<DepthMoments> {
    let (middle, radius) = (apex.point(), apex.depth());
    // The edge that leaves a plane ends at the vertex opposite to that facet.
    let vertices: [DVec3; 4] = std::array::from_fn(|slot| roof[apex.neighbour(slot) % 5].point() - middle);
    let of_second = std::array::from_fn(|slot| {
        let cutter = usize::from(apex.plane(slot)).wrapping_sub(faces.len() + 1);
        cutters.get(cutter).map(|plane| plane.normal)
    });
    around_ball(vertices, of_second, middle, radius)
}

/// Measures the tetrahedron that two bodies share where their edges cross.
#[inline]
pub(super) fn crossed(shared: &Tetrahedron) -> Option<DepthMoments> {
    let areas = shared.twice_areas();
    let sum: f64 = areas.iter().sum();
    // Each vertex counts as much as the facet opposite to it.
    let first = shared.vertices[0];
    let weighted: DVec3 = (1..4).map(|k| (shared.vertices[k] - first) * areas[k]).sum();
    let middle = first + weighted / sum;
    let [_, _, c, d] = shared.normals;
    around_ball(
        shared.vertices.map(|vertex| vertex - middle),
        [None, None, Some(c), Some(d)],
        middle,
        shared.six_volumes() / sum,
    )
}

/// Measures a tetrahedron around a ball, given its vertices from the ball's middle, and the outward normals of those facets opposite to them that belong to
/// the second body. Its cells are the tetrahedra between its facets and the middle, so that M = V r / 4 and |C_i| = A_i r / 3, and the
/// faces of the roof are triangles between the middle and the edges.
#[inline(always)]
fn around_ball(
    vertices: [DVec3; 4],
    of_second: [Option<DVec3>; 4],
    middle: DVec3,
    radius: f64,
) -> Option<DepthMoments> {
    let [p, q, r, s] = vertices;
    let volume = (q - p).cross(r - p).dot(s - p).abs() / 6.0;
    if !(volume > 0.0 && radius > 0.0) {
        return None;
    }
    let (mut between, mut centre) = (0.0, DVec3::ZERO);
    let mut slope = Slope::default();
    for (slot, normal) in of_second.into_iter().enumerate() {
        let Some(normal) = normal else { continue };
        let others = OTHERS[slot];
        let [p, q, r] = others.map(|other| vertices[other]);
        // Twice the areas of the triangles between the middle and the edges, seen along the normal: of the edges opposite to each vertex.
        let twice = [q.cross(r), r.cross(p), p.cross(q)].map(|area| area.dot(normal));
        let sum = twice[0] + twice[1] + twice[2];
        let sense = 1f64.copysign(sum);
        let vertex_sum = p + q + r;
        slope.shift += (sense * sum) * normal;
        slope.turn += (sense * sum) * vertex_sum.cross(normal);
        for (twice, other) in twice.into_iter().zip(others) {
            if of_second[other].is_none() {
                between += sense * twice;
                centre += (sense * twice) * (vertex_sum - vertices[other]);
            }
        }
    }
    let placed = |[shift, turn]: [f64; 2]| {
        let shift = slope.shift * -shift;
        Slope { shift, turn: slope.turn * -turn + middle.cross(shift) }
    };
    Some(DepthMoments {
        volume,
        centre: if between > 0.0 { middle + centre / (4.0 * between) } else { middle },
        depth_integral: 0.25 * volume * radius,
        volume_slope: placed([1.0 / 2.0, 1.0 / 6.0]),
        depth_slope: placed([radius / 6.0, radius / 24.0]),
    })
}

/// The deepest point.
fn deepest(roof: &[RoofCorner<4>]) -> DVec3 {
    let deeper = |a: &&RoofCorner<4>, b: &&RoofCorner<4>| a.depth().total_cmp(&b.depth());
    roof.iter().max_by(deeper).map_or(DVec3::ZERO, RoofCorner::point)
}

/// What is below a face on one of its sides.
struct Column {
    /// Six times its volume.
    volume: f64,
    /// Twelve times the integral of the square of the depth over its foot.
    integral: f64,
}

/// A face that is visited: a sum over triangles from its first corner to the sides that do not meet it.
struct Ring<'a> {
    walk: Walk<'a, 4>,
    visited: &'a mut [u8],
    start: &'a RoofCorner<4>,
    /// Which way round it runs: seen from outside, a facet and the faces above it run in opposite ways.
    sense: f64,
}

impl Ring<'_> {
    #[inline(always)]
    fn next(&mut self) -> Option<(DVec3, f64)> {
        let (corner, index, mark) = self.walk.next()?;
        self.visited[index] |= mark;
        Some((corner.point(), corner.depth()))
    }

    /// Of a facet, twice its area and six times its first moment about the origin.
    #[inline(always)]
    fn facet(&mut self, origin: DVec3, normal: DVec3) -> (f64, DVec3) {
        let (mut area, mut first_moment) = (0.0, DVec3::ZERO);
        let p = self.start.point();
        let Some((q, _)) = self.next() else { return (area, first_moment) };
        let p_from_origin = p - origin;
        let mut q = q - p;
        while let Some((r, _)) = self.next() {
            let r = r - p;
            let twice = q.cross(r).dot(normal);
            area += twice;
            first_moment += twice * (q + r);
            q = r;
        }
        (-self.sense * area, -self.sense * (first_moment + 3.0 * area * p_from_origin))
    }

    /// What is below it, seen across: along half the difference of its normals, which is what both columns have on average.
    #[inline(always)]
    fn column(&mut self, across: DVec3) -> Column {
        let (mut volume, mut integral) = (0.0, 0.0);
        let (p, t) = (self.start.point(), self.start.depth());
        let Some((q, mut u)) = self.next() else { return Column { volume, integral } };
        let mut q = q - p;
        while let Some((r, v)) = self.next() {
            let r = r - p;
            let twice = q.cross(r).dot(across);
            let sum = t + u + v;
            volume += twice * sum;
            // The squares and the products of the three depths.
            integral += twice * (sum * sum - (t * u + v * (t + u)));
            (q, u) = (r, v);
        }
        Column { volume: self.sense * volume, integral: self.sense * integral }
    }

    /// The same; and for the column along one normal six times its volume, and 24 times its first moment about the origin but for
    /// a part along the normal.
    #[inline(always)]
    fn column_with_moment(&mut self, origin: DVec3, across: DVec3, normal: DVec3) -> (Column, f64, DVec3) {
        let (mut volume, mut integral, mut below, mut first_moment) = (0.0, 0.0, 0.0, DVec3::ZERO);
        let (p, t) = (self.start.point(), self.start.depth());
        let Some((q, mut u)) = self.next() else { return (Column { volume, integral }, below, first_moment) };
        let p_from_origin = p - origin;
        let mut q = q - p;
        while let Some((r, v)) = self.next() {
            let r = r - p;
            let area = q.cross(r);
            let (twice, along) = (area.dot(across), area.dot(normal));
            let sum = t + u + v;
            volume += twice * sum;
            integral += twice * (sum * sum - (t * u + v * (t + u)));
            below += along * sum;
            first_moment += (along * (sum + u)) * q + (along * (sum + v)) * r;
            (q, u) = (r, v);
        }
        let column = Column { volume: self.sense * volume, integral: self.sense * integral };
        (column, self.sense * below, self.sense * (first_moment + 4.0 * below * p_from_origin))
    }
}
