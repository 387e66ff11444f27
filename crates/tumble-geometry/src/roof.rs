//! The roof over a convex body: the body with its depth as one more coordinate.
//!
//! With the planes n_i . x <= h_i around a convex body, the points (x, t) at 0 <= t <= h_i - n_i . x for all i form a convex
//! body of one more dimension. Above each x it is as high as x is deep, so its content is the integral of the depth. The part
//! of the roof that belongs to plane i lies over the cell of all points that are nearest to i; two such parts meet over the
//! points that are as near to one plane as to the other. So the roof is the body, its medial axis and its cells in one.
//!
//! It is cut by planes one after the other, which is also how two bodies meet: the roof over what they share is what lies
//! under both roofs. Every corner lies on as many planes as there are coordinates and has as many neighbours; where more
//! planes meet in one point, there are several corners in one place. A corner is inside a plane or outside, nothing between,
//! and each edge between the two gets one new corner. From each of these one follows the border of a two-dimensional face
//! through what is cut off, to the next new corner. Such a border is a ring whatever rounding did to the signs, so the walk
//! comes back and every corner keeps all its neighbours: parallel and coplanar faces, edges of length zero and slivers need no
//! case of their own. (Powell and Abel 2015 cut polyhedra in this way; here corners know their planes instead of a sense of
//! rotation.)
//!
//! N counts the coordinates: four for a body in space, three in the plane. The last is the depth. What of the roof over a body in space
//! lies on the ground is the body itself (`ground.rs`), with three coordinates and no depth, and is cut in the same way.

mod cut_out;
mod ground;
mod lazy_roof;
#[cfg(test)]
mod tests;

pub(crate) use cut_out::{CutOutLists, cut_out};
pub(crate) use lazy_roof::{BEHIND, Corners, LazyRoof, MOST_NEAR, Near, Part, Solid};

use crate::lanes::{Kernel, Lanes, dispatch};
use glam::DVec3;

/// The number of the ground t = 0 among the planes. Those of bodies follow.
pub(crate) const GROUND: u16 = 0;

/// The largest number of a plane, and of corners. Above are the planes of a simplex far outside.
const MOST: usize = 65_000;

const NONE: u32 = u32::MAX;

/// A plane that roofs are cut by: what lies at `normal . x <= offset` is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoofPlane {
    /// Outward unit normal.
    pub normal: DVec3,
    /// Distance from the origin along the normal [m].
    pub offset: f64,
}

impl RoofPlane {
    /// With four coordinates the plane t = offset - normal . x of the roof; with three the plane itself.
    #[inline(always)]
    pub fn lifted<const N: usize>(&self) -> ([f64; N], f64) {
        let all = [self.normal.x, self.normal.y, self.normal.z, 1.0];
        (std::array::from_fn(|k| all[k % 4]), self.offset)
    }

    /// How far a corner is above it [m], along t if there is such a coordinate.
    #[inline(always)]
    pub fn height<const N: usize>(&self, corner: &RoofCorner<N>) -> f64 {
        self.normal.dot(corner.point()) + corner.depth_over_space() - self.offset
    }
}

/// A corner of a roof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RoofCorner<const N: usize> {
    /// Where it is; the last coordinate is the depth [m].
    pub place: [f64; N],
    /// The planes it lies on, 16 bits each.
    planes: u64,
    /// For each plane the edge that leaves it and lies on all the others.
    edges: [Edge; N],
    /// One or minus one: the hand of its planes in the order of their slots. It changes along every edge, but for the order of
    /// the slots, and so tells which way round a face is without regard to where its corners are. What rounding turned over
    /// counts as negative then, and is made up for by its neighbours. Which hand is which is the same for all corners of a roof.
    pub hand: f64,
}

/// An edge seen from one end: the number of the corner at the other end, and by which slots that corner knows the planes of
/// this one. For the plane that the edge leaves, it is the plane that it leaves there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge(u32);

/// Which of the planes of a corner, times four: so far do the four bits for this plane lie in an [`Edge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(u32);

impl Slot {
    #[inline(always)]
    pub const fn new(index: usize) -> Slot {
        Slot(4 * index as u32)
    }

    #[inline(always)]
    pub fn index(self) -> usize {
        (self.0 / 4) as usize
    }
}

impl Edge {
    const NONE: Edge = Edge(u32::MAX);

    #[inline(always)]
    fn new(corner: usize, slots: u32) -> Edge {
        Edge((corner as u32) << 16 | slots)
    }

    /// The corner at the other end.
    #[inline(always)]
    fn corner(self) -> usize {
        (self.0 >> 16) as usize
    }

    /// The slot there of the plane that has this slot here.
    #[inline(always)]
    fn slot(self, here: Slot) -> Slot {
        Slot(self.0 >> here.0 & 12)
    }

    /// Whether as many pairs of slots change their order as not: one or minus one.
    fn parity<const N: usize>(self) -> f64 {
        let there: [Slot; N] = std::array::from_fn(|k| self.slot(Slot::new(k)));
        let n_changed =
            (0..N).flat_map(|k| (0..k).map(move |i| (i, k))).filter(|&(i, k)| there[i].0 > there[k].0).count();
        if n_changed % 2 == 0 { 1.0 } else { -1.0 }
    }

    #[inline(always)]
    fn to(self, corner: u32) -> Edge {
        Edge(corner << 16 | self.0 & 0xffff)
    }
}

/// Every slot is itself.
const SAME_SLOTS: u32 = 0xc840;

/// A one, and the highest bit, in each of four 16 bits.
const ONES: u64 = 0x0001_0001_0001_0001;
const HIGHEST: u64 = 0x8000_8000_8000_8000;

impl<const N: usize> RoofCorner<N> {
    /// The number of one of its planes.
    #[inline(always)]
    pub fn plane(&self, slot: usize) -> u16 {
        (self.planes >> (16 * slot)) as u16
    }

    /// The slots of a plane as bits, the lowest of which is right.
    #[inline(always)]
    fn matches(&self, plane: u16) -> u64 {
        let differences = self.planes ^ (u64::from(plane) * ONES);
        differences.wrapping_sub(ONES) & !differences & HIGHEST
    }

    /// Which of its planes has this number.
    #[inline(always)]
    pub fn slot(&self, plane: u16) -> Option<usize> {
        let matches = self.matches(plane);
        (matches != 0).then_some(matches.trailing_zeros() as usize / 16 % N)
    }

    /// Its planes, one of them replaced.
    #[inline(always)]
    fn with_plane(&self, slot: usize, plane: u16) -> u64 {
        self.planes & !(0xffff << (16 * slot)) | u64::from(plane) << (16 * slot)
    }

    /// Whether it lies on a plane.
    #[inline(always)]
    pub fn lies_on(&self, plane: u16) -> bool {
        self.matches(plane) != 0
    }

    /// The number of the corner at the other end of the edge that leaves one of its planes.
    #[inline(always)]
    pub fn neighbour(&self, slot: usize) -> usize {
        self.edges[slot].corner()
    }

    /// How deep it is [m].
    #[inline(always)]
    pub fn depth(&self) -> f64 {
        self.place[N - 1]
    }

    /// Where it is in space: of the roof over a body in space, and of such a body itself.
    #[inline(always)]
    pub fn point(&self) -> DVec3 {
        DVec3::new(self.place[0], self.place[1], self.place[2])
    }

    /// How deep it is if it belongs to the roof over a body in space, and nothing if it belongs to such a body itself [m].
    #[inline(always)]
    pub fn depth_over_space(&self) -> f64 {
        self.place.get(3).copied().unwrap_or(0.0)
    }
}

/// What a cut left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// All: nothing was changed.
    Everything,
    /// Some of it.
    Something,
    /// Nothing, or more than can be numbered: the roof is as it was, and of no use.
    Nothing,
}

/// Lists that cuts use again and again.
#[derive(Clone, Debug)]
pub(crate) struct CutLists<const N: usize> {
    heights: Vec<f64>,
    /// The corners outside, in order.
    outside: Vec<u32>,
    /// For each corner its place in that list, or none.
    place_outside: Vec<u32>,
    added: Vec<RoofCorner<N>>,
    /// For each new corner the edge it cut.
    cut_edges: Vec<CutEdge>,
}

/// An edge that is cut, as its inner end sees it.
#[derive(Clone, Copy, Debug)]
struct CutEdge {
    inner: u32,
    /// Its slot at that end.
    slot: u32,
    edge: Edge,
}

impl<const N: usize> Default for CutLists<N> {
    fn default() -> CutLists<N> {
        CutLists {
            heights: Vec::new(),
            outside: Vec::new(),
            place_outside: Vec::new(),
            added: Vec::new(),
            cut_edges: Vec::new(),
        }
    }
}

/// Keeps of a roof what lies under the plane t = offset - normal . x. `normal` ends with the 1 of t. Corners up to `tolerance`
/// above count as inside.
#[inline]
pub(crate) fn cut<const N: usize>(
    roof: &mut Vec<RoofCorner<N>>,
    plane: ([f64; N], f64),
    number: u16,
    tolerance: f64,
    lists: &mut CutLists<N>,
) -> Cut {
    dispatch(CutWork { roof, plane, number, tolerance, lists })
}

/// A cut that is to be made.
struct CutWork<'a, const N: usize> {
    roof: &'a mut Vec<RoofCorner<N>>,
    plane: ([f64; N], f64),
    number: u16,
    tolerance: f64,
    lists: &'a mut CutLists<N>,
}

// One number at a time: it is a kernel for the sake of the instructions, which the compiler chooses.
impl<const N: usize> Kernel for CutWork<'_, N> {
    type Output = Cut;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Cut {
        let CutWork { roof, plane, number, tolerance, lists } = self;
        make_cut(roof, plane, number, tolerance, lists)
    }
}

#[inline(always)]
fn make_cut<const N: usize>(
    roof: &mut Vec<RoofCorner<N>>,
    (normal, offset): ([f64; N], f64),
    number: u16,
    tolerance: f64,
    lists: &mut CutLists<N>,
) -> Cut {
    let CutLists { heights, outside, place_outside, added, cut_edges } = lists;
    heights.clear();
    let mut n_inside = 0;
    heights.extend(roof.iter().map(|corner| {
        let height = normal.iter().zip(&corner.place).map(|(n, x)| n * x).sum::<f64>() - offset;
        n_inside += usize::from(height <= tolerance);
        height
    }));
    if n_inside == roof.len() {
        return Cut::Everything;
    }
    if n_inside == 0 {
        return Cut::Nothing;
    }
    if replace(roof, heights, tolerance, number) {
        return Cut::Something;
    }
    let n_before = roof.len();
    outside.clear();
    place_outside.clear();
    for (index, &height) in heights.iter().enumerate() {
        // A comparison that is false for what is not a number too.
        if height <= tolerance {
            place_outside.push(NONE);
        } else {
            place_outside.push(outside.len() as u32);
            outside.push(index as u32);
        }
    }
    find_cut_edges(roof, outside, place_outside, cut_edges);
    if n_before + cut_edges.len() > MOST {
        return Cut::Nothing;
    }
    // New corners come where the old ones were, and the rest behind.
    let n_outside = outside.len();
    let index_of = |new: usize| outside.get(new).map_or(n_before + new - n_outside, |&index| index as usize);
    added.clear();
    for (new, &CutEdge { inner, slot, edge }) in cut_edges.iter().enumerate() {
        let (inner, slot, outer) = (inner as usize, slot as usize % N, edge.corner());
        let place = crossing([&roof[inner].place, &roof[outer].place], [heights[inner], heights[outer]]);
        let mut edges = [Edge::NONE; N];
        edges[slot] = Edge::new(inner, SAME_SLOTS);
        let (planes, hand) = (roof[inner].with_plane(slot, number), -roof[inner].hand);
        added.push(RoofCorner { place, planes, edges, hand });
        roof[inner].edges[slot] = Edge::new(index_of(new), SAME_SLOTS);
    }
    let new_at = |end: usize, slot: usize| {
        let index = roof[end].edges[slot].corner();
        (index, place_outside.get(index).map_or_else(|| index - n_before + n_outside, |&place| place as usize))
    };
    join(roof, cut_edges, added, |corner| place_outside[corner] != NONE, new_at, index_of);
    let n_in_place = added.len().min(n_outside);
    for (&index, corner) in outside.iter().zip(added.iter()) {
        roof[index as usize] = *corner;
    }
    roof.extend_from_slice(&added[n_in_place..]);
    // What is left over of the old places is filled from behind.
    for &hole in outside[n_in_place..].iter().rev() {
        let hole = hole as usize;
        roof.swap_remove(hole);
        let Some(moved) = roof.get(hole).copied() else { continue };
        for (slot, &edge) in moved.edges.iter().enumerate() {
            let there = edge.slot(Slot::new(slot)).index() % N;
            let edge_back = &mut roof[edge.corner()].edges[there];
            *edge_back = edge_back.to(hole as u32);
        }
    }
    Cut::Something
}

/// Finds the edges between new corners, given the roof as it was but for the edges that are cut: which corners are outside, which new corner is on
/// an edge that is cut, by its inner end and the slot there, as its index in the new roof and its place in the list, and the index of each.
#[inline(always)]
fn join<const N: usize>(
    roof: &[RoofCorner<N>],
    cut_edges: &[CutEdge],
    added: &mut [RoofCorner<N>],
    is_outside: impl Fn(usize) -> bool,
    new_at: impl Fn(usize, usize) -> (usize, usize),
    index_of: impl Fn(usize) -> usize,
) {
    for (new, &CutEdge { slot: own, edge: first_edge, .. }) in cut_edges.iter().enumerate() {
        let own = own as usize;
        for slot in 0..N {
            if added[new].edges[slot] != Edge::NONE {
                continue;
            }
            // Along the border of the face that lies on the planes of neither slot, through what is cut off. The corners on the
            // way know the planes by other slots: that of the edge that one came by, which the new plane takes in the end, that
            // of the edge that one goes on by, and those of the face.
            let face = OTHERS[own % 4][slot % 4];
            let mut came = first_edge.slot(Slot::new(own));
            let mut on = first_edge.slot(Slot::new(slot));
            let mut lies_on = first_edge.slot(face[0]);
            let mut end = first_edge.corner();
            while is_outside(end) {
                let edge = roof[end].edges[on.index() % N];
                (on, came) = (edge.slot(came), edge.slot(on));
                lies_on = edge.slot(lies_on);
                end = edge.corner();
            }
            let (partner_index, partner) = new_at(end, came.index() % N);
            // Of four slots the last follows from the others; of three there is none, and what stands for it is not read.
            let last = Slot(24 - came.0 - on.0 - lies_on.0);
            let (mut forth, mut back) = (0, 0);
            for (here, there) in [(Slot::new(own), came), (Slot::new(slot), on), (face[0], lies_on), (face[1], last)] {
                forth |= there.0 << here.0;
                back |= here.0 << there.0;
            }
            added[new].edges[slot] = Edge::new(partner_index, forth);
            added[partner].edges[on.index() % N] = Edge::new(index_of(new), back);
        }
    }
}

/// The edges that are cut, from the side that has fewer corners.
#[inline(always)]
fn find_cut_edges<const N: usize>(
    roof: &[RoofCorner<N>],
    outside: &[u32],
    place_outside: &[u32],
    cut_edges: &mut Vec<CutEdge>,
) {
    cut_edges.clear();
    if roof.len() < 2 * outside.len() {
        for (inner, corner) in roof.iter().enumerate().filter(|&(inner, _)| place_outside[inner] == NONE) {
            let cut = (0..N).filter(|&slot| place_outside[corner.edges[slot].corner()] != NONE);
            cut_edges.extend(cut.map(|slot| CutEdge {
                inner: inner as u32,
                slot: slot as u32,
                edge: corner.edges[slot],
            }));
        }
    } else {
        for &outer in outside.iter() {
            let corner = &roof[outer as usize];
            for (slot, edge) in corner.edges.iter().enumerate() {
                if place_outside[edge.corner()] == NONE {
                    let slot = edge.slot(Slot::new(slot)).index() % N;
                    let inner = edge.corner();
                    cut_edges.push(CutEdge { inner: inner as u32, slot: slot as u32, edge: roof[inner].edges[slot] });
                }
            }
        }
    }
}

/// Where an edge crosses a plane, by the heights of its ends above it.
#[inline(always)]
fn crossing<const N: usize>([inside, outside]: [&[f64; N]; 2], [below, above]: [f64; 2]) -> [f64; N] {
    let share = (below / (below - above)).clamp(0.0, 1.0);
    std::array::from_fn(|k| inside[k] + (outside[k] - inside[k]) * share)
}

/// The cut by a plane that takes the place of another: where just the corners on one plane are outside, each moves along its
/// edge that leaves this plane, and all edges stay as they are. A side beside a parallel side is cut in this way, and the far side
/// of a thin piece. Says whether it is so.
#[inline(always)]
fn replace<const N: usize>(roof: &mut [RoofCorner<N>], heights: &[f64], tolerance: f64, number: u16) -> bool {
    let is_inside = |corner: usize| heights[corner] <= tolerance;
    let Some(first) = (0..roof.len()).find(|&corner| !is_inside(corner)) else { return false };
    // The plane that its only edge to the inside leaves.
    let mut leaving = (0..N).filter(|&slot| is_inside(roof[first].edges[slot].corner()));
    let (Some(slot), None) = (leaving.next(), leaving.next()) else { return false };
    let replaced = roof[first].plane(slot);
    for (index, corner) in roof.iter().enumerate() {
        let slot = corner.slot(replaced);
        if is_inside(index) != slot.is_none_or(|slot| !is_inside(corner.edges[slot].corner())) {
            return false;
        }
    }
    for index in first..roof.len() {
        if let Some(slot) = roof[index].slot(replaced) {
            let inner = roof[index].edges[slot].corner();
            roof[index].place = crossing([&roof[inner].place, &roof[index].place], [heights[inner], heights[index]]);
            roof[index].planes = roof[index].with_plane(slot, number);
        }
    }
    true
}

/// The slots that are neither of two. The last of three slots is the first of them.
const OTHERS: [[[Slot; 2]; 4]; 4] = {
    let mut others = [[[Slot(0); 2]; 4]; 4];
    let mut pair = 0;
    while pair < 16 {
        let (mut slot, mut n) = (0, 0);
        while slot < 4 {
            if slot != pair / 4 && slot != pair % 4 && n < 2 {
                others[pair / 4][pair % 4][n] = Slot(4 * slot as u32);
                n += 1;
            }
            slot += 1;
        }
        pair += 1;
    }
    others
};

/// The corners of a two-dimensional face in order, after one that is given: the face there that is bounded by the edges along
/// two slots.
pub(crate) struct Walk<'a, const N: usize> {
    corners: &'a [RoofCorner<N>],
    edge: Edge,
    start: usize,
    on: Slot,
    came: Slot,
}

impl<'a, const N: usize> Walk<'a, N> {
    #[inline(always)]
    pub fn new(corners: &'a [RoofCorner<N>], start: usize, [on, came]: [Slot; 2]) -> Walk<'a, N> {
        let edge = corners[start].edges[on.index() % N];
        Walk { corners, edge, start, on, came }
    }

    /// The next corner, its number and the mark of the face there; `None` back at the start.
    #[inline(always)]
    pub fn next(&mut self) -> Option<(&'a RoofCorner<N>, usize, u8)> {
        let (edge, index) = (self.edge, self.edge.corner());
        if index == self.start {
            return None;
        }
        (self.on, self.came) = (edge.slot(self.came), edge.slot(self.on));
        let corner = &self.corners[index];
        self.edge = corner.edges[self.on.index() % N];
        Some((corner, index, mark([self.on, self.came])))
    }
}

/// A bit for each pair of slots, whichever comes first: 01, 02, 03, 12, 13, 23.
#[inline(always)]
fn mark([one, other]: [Slot; 2]) -> u8 {
    MARKS[(one.0 + other.0 / 4) as usize % 16]
}

const MARKS: [u8; 16] = [0, 1, 2, 4, 1, 0, 8, 16, 2, 8, 0, 32, 4, 16, 32, 0];

/// The roof over planes alone, numbered from one; nothing if they leave nothing, do not close or are too many.
fn roof_over<const N: usize>(planes: impl Iterator<Item = ([f64; N], f64)>, size: f64) -> Vec<RoofCorner<N>> {
    let mut roof: Vec<_> = around(2.0 * size).collect();
    let mut lists = CutLists::default();
    for (index, plane) in planes.enumerate() {
        if index >= MOST || roof.len() > MOST {
            return Vec::new();
        }
        if cut(&mut roof, plane, index as u16 + 1, 0.0, &mut lists) == Cut::Nothing {
            return Vec::new();
        }
    }
    let is_closed = roof.iter().all(|corner| (0..N).all(|slot| usize::from(corner.plane(slot)) <= MOST));
    if is_closed { roof } else { Vec::new() }
}

/// A simplex around the ball of a radius about the origin: its sides have that distance from the origin.
pub(crate) fn around<const N: usize>(radius: f64) -> impl Iterator<Item = RoofCorner<N>> {
    // Directions of a regular simplex in the space without t: the last stands against all others.
    let n = N - 1;
    let mut directions = [[0.0; N]; N];
    for k in 0..n {
        let done: f64 = (0..k).map(|i| directions[k][i] * directions[k][i]).sum();
        directions[k][k] = (1.0 - done).sqrt();
        for later in k + 1..N {
            let dot: f64 = (0..k).map(|i| directions[k][i] * directions[later][i]).sum();
            directions[later][k] = (-1.0 / n as f64 - dot) / directions[k][k];
        }
    }
    // Corner k lies on all planes but its own; the ground is the last.
    let number = |plane: usize| if plane == N { GROUND } else { u16::MAX - 1 - plane as u16 };
    let plane_of = |corner: usize, slot: usize| if slot < corner { slot } else { slot + 1 };
    let slot_of = |corner: usize, plane: usize| if plane < corner { plane } else { plane - 1 };
    (0..=N).map(move |corner| {
        let mut place = [0.0; N];
        if corner == N {
            place[n] = radius;
        } else {
            place = directions[corner].map(|d| -(n as f64) * radius * d);
        }
        let planes = (0..4).map(|slot| {
            let number = if slot < N { number(plane_of(corner, slot)) } else { u16::MAX };
            u64::from(number) << (16 * slot)
        });
        let edges = std::array::from_fn(|slot| {
            let other = plane_of(corner, slot);
            let there = |k: usize| slot_of(other, if k == slot { corner } else { plane_of(corner, k) });
            Edge::new(other, (0..N).map(|k| (4 * there(k) as u32) << (4 * k)).sum())
        });
        // By the edge to the first corner.
        let hand = if corner == 0 { 1.0 } else { -edges[0].parity::<N>() };
        RoofCorner { place, planes: planes.sum(), edges, hand }
    })
}
