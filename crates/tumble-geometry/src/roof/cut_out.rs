//! The part of a roof under a plane as a roof of its own, for roofs that are far larger than what is left of them: it is gone from corner to
//! corner, beginning with one that is left, and only these and their neighbours are looked at.

use super::{Cut, CutEdge, Edge, MOST, NONE, RoofCorner, SAME_SLOTS, crossing, join};

/// Lists that are used again and again.
#[derive(Clone, Debug, Default)]
pub(crate) struct CutOutLists {
    /// The number of the cut, and what is known about each corner of the roof.
    run: u32,
    marks: Vec<Mark>,
    /// The corners that are left, by their numbers in the roof.
    order: Vec<u32>,
    cut_edges: Vec<CutEdge>,
}

/// What is known about a corner since the run that it says; if that is an earlier one, nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    height: f64,
    run: u32,
    /// Its number in what is left, or none.
    place: u32,
}

/// What [`super::cut`] leaves of a roof, written into a list. `start` is a corner that is as low above the plane as any.
pub(crate) fn cut_out<const N: usize>(
    roof: &[RoofCorner<N>],
    start: usize,
    (normal, offset): ([f64; N], f64),
    number: u16,
    tolerance: f64,
    left: &mut Vec<RoofCorner<N>>,
    lists: &mut CutOutLists,
) -> Cut {
    if lists.run == u32::MAX {
        lists.marks.clear();
        lists.run = 0;
    }
    lists.run += 1;
    lists.marks.resize(roof.len().max(lists.marks.len()), Mark::default());
    let CutOutLists { run, marks, order, cut_edges } = lists;
    let run = *run;
    let height_of = |corner: usize| normal.iter().zip(&roof[corner].place).map(|(n, x)| n * x).sum::<f64>() - offset;
    left.clear();
    order.clear();
    cut_edges.clear();
    let height = height_of(start);
    if height > tolerance || height.is_nan() {
        return Cut::Nothing;
    }
    marks[start] = Mark { height, run, place: 0 };
    order.push(start as u32);
    let mut next = 0;
    while let Some(&inner) = order.get(next) {
        next += 1;
        for (slot, &edge) in roof[inner as usize].edges.iter().enumerate() {
            let mark = &mut marks[edge.corner()];
            if mark.run != run {
                let height = height_of(edge.corner());
                *mark = Mark { height, run, place: NONE };
                if height <= tolerance {
                    mark.place = order.len() as u32;
                    order.push(edge.corner() as u32);
                }
            }
            if mark.place == NONE {
                cut_edges.push(CutEdge { inner, slot: slot as u32, edge });
            }
        }
    }
    let n_inside = order.len();
    if n_inside + cut_edges.len() > MOST {
        return Cut::Nothing;
    }
    // New corners come behind the old ones, in the order of the edges that they are on.
    let mut n_new = n_inside;
    left.extend(order.iter().map(|&corner| {
        let mut corner = roof[corner as usize];
        for edge in &mut corner.edges {
            let place = marks[edge.corner()].place;
            *edge = if place == NONE {
                n_new += 1;
                Edge::new(n_new - 1, SAME_SLOTS)
            } else {
                edge.to(place)
            };
        }
        corner
    }));
    left.extend(cut_edges.iter().map(|&CutEdge { inner, slot, edge }| {
        let (inner, slot, outer) = (inner as usize, slot as usize % N, edge.corner());
        let place = crossing([&roof[inner].place, &roof[outer].place], [marks[inner].height, marks[outer].height]);
        let mut edges = [Edge::NONE; N];
        edges[slot] = Edge::new(marks[inner].place as usize, SAME_SLOTS);
        RoofCorner { place, planes: roof[inner].with_plane(slot, number), edges, hand: -roof[inner].hand }
    }));
    let (inside, added) = left.split_at_mut(n_inside);
    let is_outside = |corner: usize| marks[corner].run != run || marks[corner].place == NONE;
    let new_at = |end: usize, slot: usize| {
        let index = inside[marks[end].place as usize].edges[slot].corner();
        (index, index - n_inside)
    };
    join(roof, cut_edges, added, is_outside, new_at, |new| n_inside + new);
    if cut_edges.is_empty() { Cut::Everything } else { Cut::Something }
}
