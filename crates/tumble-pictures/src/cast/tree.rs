//! A tree of boxes over bodies, for rays.
//!
//! Built from the top by the surface area heuristic over bins (MacDonald and Booth, 1990; Wald, 2007): a group is cut
//! where the boxes of both halves, weighted by their counts, have the least surface, for that is how likely a ray is to
//! enter them. Ties and orders are settled by numbers, so the same bodies always give the same tree. Nodes lie in one
//! Vec, the first child right after its parent. A group that bins cannot divide is cut in half by number, so the depth
//! is bounded and a walk needs no allocation.

use glam::DVec3;
use tumble_geometry::Aabb;

/// Groups of this many bodies or fewer are not divided.
const LEAF_SIZE: usize = 2;
/// Bins along an axis.
const N_BINS: usize = 12;
/// Below this depth groups are halved: 2^32 bodies make 32 levels more.
const DEEPEST_BINNED: usize = 40;
/// Room for one waiting node a level.
const STACK_SIZE: usize = 96;

/// Boxes around groups of bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Numbers of the bodies, group by group.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    bounds: Aabb,
    /// Of a leaf, its first place in the order; else the number of the second child.
    first: u32,
    /// Of a leaf, how many bodies; else zero.
    count: u32,
}

/// A ray with what a walk needs.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Where it starts [m].
    pub origin: DVec3,
    /// Unit direction.
    pub direction: DVec3,
    /// One over the direction.
    inverse: DVec3,
}

impl Ray {
    /// A ray; the direction has unit length.
    pub fn new(origin: DVec3, direction: DVec3) -> Ray {
        Ray { origin, direction, inverse: direction.recip() }
    }

    /// The point at a distance.
    pub fn at(&self, distance: f64) -> DVec3 {
        self.origin + distance * self.direction
    }

    /// Where the ray enters a box, if it does between two distances.
    #[inline]
    fn entry(&self, bounds: &Aabb, from: f64, to: f64) -> Option<f64> {
        // 0 * inf is NaN for a ray that runs within a side's plane; `max` and `min` then take the other number, which
        // counts the box as met: it costs a test and loses nothing.
        let a = (bounds.lower - self.origin) * self.inverse;
        let b = (bounds.upper - self.origin) * self.inverse;
        let (near, far) = (a.min(b), a.max(b));
        let enter = near.x.max(near.y).max(near.z).max(from);
        let leave = far.x.min(far.y).min(far.z).min(to);
        (enter <= leave).then_some(enter)
    }
}

impl Tree {
    /// The tree over some boxes.
    pub fn new(boxes: &[Aabb]) -> Tree {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::with_capacity(2 * boxes.len());
        if !boxes.is_empty() {
            divide(boxes, &mut order, 0, 0, &mut nodes);
        }
        Tree { nodes, order }
    }

    /// The box around everything; empty if there is nothing.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |node| node.bounds)
    }

    /// Calls `visit` with bodies whose boxes the ray meets between two distances, near ones first by and large. What it
    /// returns is the new far end: a nearer hit shortens the ray, minus infinity ends the walk.
    #[inline]
    pub fn walk(&self, ray: &Ray, from: f64, to: f64, mut visit: impl FnMut(u32, f64) -> f64) {
        let mut limit = to;
        let mut stack = [(0_u32, 0.0_f64); STACK_SIZE];
        let mut n_waiting = 0;
        if let Some(root) = self.nodes.first()
            && let Some(enter) = ray.entry(&root.bounds, from, limit)
        {
            stack[0] = (0, enter);
            n_waiting = 1;
        }
        while n_waiting > 0 {
            n_waiting -= 1;
            let (index, enter) = stack[n_waiting];
            if enter > limit {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for &body in &self.order[node.first as usize..(node.first + node.count) as usize] {
                    limit = visit(body, limit);
                }
                continue;
            }
            let children = [index + 1, node.first];
            let [near, far] = children.map(|child| ray.entry(&self.nodes[child as usize].bounds, from, limit));
            let ([first, second], [near, far]) = match (near, far) {
                (Some(a), Some(b)) if b < a => ([children[1], children[0]], [far, near]),
                _ => (children, [near, far]),
            };
            // The last pushed is the first taken.
            if let Some(enter) = far {
                stack[n_waiting] = (second, enter);
                n_waiting += 1;
            }
            if let Some(enter) = near {
                stack[n_waiting] = (first, enter);
                n_waiting += 1;
            }
        }
    }
}

fn area(bounds: &Aabb) -> f64 {
    let e = bounds.extent().max(DVec3::ZERO);
    e.x * e.y + e.y * e.z + e.z * e.x
}

fn middle(bounds: &Aabb) -> DVec3 {
    0.5 * (bounds.lower + bounds.upper)
}

/// Appends the nodes of a group whose first place in the order is `start`.
fn divide(boxes: &[Aabb], group: &mut [u32], start: usize, depth: usize, nodes: &mut Vec<Node>) {
    let box_of = |body: u32| &boxes[body as usize];
    let bounds = group.iter().fold(Aabb::EMPTY, |joined, &body| joined.join(box_of(body)));
    let index = nodes.len();
    nodes.push(Node { bounds, first: start as u32, count: group.len() as u32 });
    if group.len() <= LEAF_SIZE {
        return;
    }
    let middles = Aabb::of_points(group.iter().map(|&body| middle(box_of(body))));
    let axis = middles.extent().max_position();
    let cut = if depth < DEEPEST_BINNED { binned_cut(boxes, group, &middles, axis) } else { None };
    let half = match cut {
        Some(place) => {
            let mut sorted: Vec<u32> = Vec::with_capacity(group.len());
            let is_low = |body: &u32| middle(box_of(*body))[axis] < place;
            sorted.extend(group.iter().copied().filter(is_low));
            let half = sorted.len();
            sorted.extend(group.iter().copied().filter(|body| !is_low(body)));
            group.copy_from_slice(&sorted);
            half
        }
        None => {
            group
                .sort_unstable_by(|&a, &b| middle(box_of(a))[axis].total_cmp(&middle(box_of(b))[axis]).then(a.cmp(&b)));
            group.len() / 2
        }
    };
    let (first, second) = group.split_at_mut(half);
    divide(boxes, first, start, depth + 1, nodes);
    nodes[index].first = nodes.len() as u32;
    nodes[index].count = 0;
    divide(boxes, second, start + half, depth + 1, nodes);
}

/// The coordinate that divides a group best; `None` if no bin boundary divides it.
fn binned_cut(boxes: &[Aabb], group: &[u32], middles: &Aabb, axis: usize) -> Option<f64> {
    let (low, width) = (middles.lower[axis], middles.extent()[axis]);
    let at = |cut: usize| low + width * cut as f64 / N_BINS as f64;
    let mut bins = [(Aabb::EMPTY, 0_usize); N_BINS];
    for &body in group {
        let place = middle(&boxes[body as usize])[axis];
        // The very comparisons that will divide the group, so that counts are right to the last.
        let mut bin = ((place - low) / width * N_BINS as f64).clamp(0.0, N_BINS as f64 - 1.0) as usize;
        while bin + 1 < N_BINS && place >= at(bin + 1) {
            bin += 1;
        }
        while bin > 0 && place < at(bin) {
            bin -= 1;
        }
        bins[bin] = (bins[bin].0.join(&boxes[body as usize]), bins[bin].1 + 1);
    }
    let mut after = [(Aabb::EMPTY, 0); N_BINS + 1];
    for bin in (0..N_BINS).rev() {
        after[bin] = (after[bin + 1].0.join(&bins[bin].0), after[bin + 1].1 + bins[bin].1);
    }
    let mut before = (Aabb::EMPTY, 0);
    let mut best: Option<(f64, usize)> = None;
    for cut in 1..N_BINS {
        before = (before.0.join(&bins[cut - 1].0), before.1 + bins[cut - 1].1);
        if before.1 == 0 || after[cut].1 == 0 {
            continue;
        }
        let cost = area(&before.0) * before.1 as f64 + area(&after[cut].0) * after[cut].1 as f64;
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, cut));
        }
    }
    best.map(|(_, cut)| at(cut))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_geometry::oracle::Sequence;

    #[test]
    fn a_walk_finds_every_box_that_a_line_meets() {
        let mut sequence = Sequence::new(5);
        let ball = |sequence: &mut Sequence| Aabb::of_ball(sequence.point_in_cube(1.0), sequence.between(0.01, 0.1));
        let mut boxes: Vec<Aabb> = (0..500).map(|_| ball(&mut sequence)).collect();
        // Equal boxes cannot be divided by place.
        boxes.extend([boxes[0]; 100]);
        let tree = Tree::new(&boxes);
        let mut n_found = 0;
        for _ in 0..500 {
            let (origin, target) = (sequence.point_in_cube(2.0), sequence.point_in_cube(0.5));
            let ray = Ray::new(origin, (target - origin).normalize());
            let mut found = Vec::new();
            tree.walk(&ray, 0.0, f64::INFINITY, |body, limit| {
                found.push(body);
                limit
            });
            found.sort_unstable();
            n_found += found.len();
            for (body, bounds) in boxes.iter().enumerate() {
                if ray.entry(bounds, 0.0, f64::INFINITY).is_some() {
                    assert!(found.binary_search(&(body as u32)).is_ok());
                }
            }
        }
        assert!(n_found > 1000, "{n_found}");
        Tree::new(&[]).walk(&Ray::new(DVec3::ZERO, DVec3::X), 0.0, 1.0, |_, limit| limit);
    }
}
