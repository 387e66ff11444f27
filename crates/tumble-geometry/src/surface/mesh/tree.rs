//! A tree of boxes over the triangles of a mesh.
//!
//! Built from the top: a group is sorted along the longest side of the box of its middles and cut in half, until few
//! are left. Ties are broken by the triangle's number, so the same mesh always gives the same tree. The nodes lie in
//! one Vec, the first child right after its parent. Halving bounds the depth by the logarithm of the count, so the
//! walk needs no allocation.

use crate::Aabb;

/// Groups of this many triangles or fewer are not divided.
const LEAF_SIZE: usize = 4;

/// A walk holds at most one waiting node for each level; 2^32 triangles make 32 levels.
const STACK_SIZE: usize = 64;

/// Boxes around groups of triangles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Triangle numbers and boxes, group by group.
    leaves: Vec<(Aabb, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    bounds: Aabb,
    content: Content,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Content {
    /// The first child is the next node; the second is this one.
    Children { second: u32 },
    /// A range of leaves.
    Leaves { start: u32, end: u32 },
}

impl Tree {
    /// The tree over some boxes.
    pub fn new(boxes: &[Aabb]) -> Tree {
        let mut leaves: Vec<(Aabb, u32)> = boxes.iter().copied().zip(0..).collect();
        let mut nodes = Vec::with_capacity(boxes.len());
        divide(&mut leaves, 0, &mut nodes);
        Tree { nodes, leaves }
    }

    /// Calls `found` with every triangle whose box is `near`; a group that is not near is skipped.
    pub fn visit(&self, near: impl Fn(&Aabb) -> bool, mut found: impl FnMut(u32)) {
        let mut stack = [0_u32; STACK_SIZE];
        let mut n_waiting = 1;
        while n_waiting > 0 {
            n_waiting -= 1;
            let index = stack[n_waiting];
            let node = &self.nodes[index as usize];
            if !near(&node.bounds) {
                continue;
            }
            match node.content {
                Content::Children { second } => {
                    stack[n_waiting] = second;
                    stack[n_waiting + 1] = index + 1;
                    n_waiting += 2;
                }
                Content::Leaves { start, end } => {
                    for (bounds, triangle) in &self.leaves[start as usize..end as usize] {
                        if near(bounds) {
                            found(*triangle);
                        }
                    }
                }
            }
        }
    }
}

/// Appends the nodes of a group whose first leaf has the number `start`.
fn divide(group: &mut [(Aabb, u32)], start: usize, nodes: &mut Vec<Node>) {
    let bounds = group.iter().fold(Aabb::EMPTY, |joined, (bounds, _)| joined.join(bounds));
    let index = nodes.len();
    let content = Content::Leaves { start: start as u32, end: (start + group.len()) as u32 };
    nodes.push(Node { bounds, content });
    if group.len() <= LEAF_SIZE {
        // Selection leaves the order within a half open; settle it.
        group.sort_unstable_by_key(|(_, triangle)| *triangle);
        return;
    }
    let middle = |bounds: &Aabb| bounds.lower + 0.5 * bounds.extent();
    let extent = Aabb::of_points(group.iter().map(|(bounds, _)| middle(bounds))).extent();
    let axis = extent.max_position();
    let half = group.len() / 2;
    group.select_nth_unstable_by(half, |(bounds_a, a), (bounds_b, b)| {
        middle(bounds_a)[axis].total_cmp(&middle(bounds_b)[axis]).then(a.cmp(b))
    });
    let (first, second) = group.split_at_mut(half);
    divide(first, start, nodes);
    nodes[index].content = Content::Children { second: nodes.len() as u32 };
    divide(second, start + half, nodes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn equal_boxes_are_divided_too() {
        let boxes = vec![Aabb::of_ball(DVec3::ZERO, 1.0); 100_000];
        let tree = Tree::new(&boxes);
        let mut found = Vec::new();
        tree.visit(|bounds| bounds.contains(DVec3::ZERO), |triangle| found.push(triangle));
        found.sort_unstable();
        assert_eq!(found, (0..100_000).collect::<Vec<u32>>());
        assert!(tree.nodes.len() < 100_000);
    }
}
