//! The body under a roof: the corners that lie on the ground, with three planes each instead of four.

use super::{Edge, GROUND, NONE, RoofCorner, Slot};
use std::array::from_fn;

/// The body under the roof over a body in space, its planes numbered as there. Where more than three faces meet there are several corners
/// in one place.
pub(super) fn ground(roof: &[RoofCorner<4>]) -> Vec<RoofCorner<3>> {
    let mut n = 0;
    let numbers: Vec<u32> = roof
        .iter()
        .map(|corner| {
            let is_on_ground = corner.lies_on(GROUND);
            n += u32::from(is_on_ground);
            if is_on_ground { n - 1 } else { NONE }
        })
        .collect();
    let on_ground = roof.iter().filter_map(|corner| Some((corner, corner.slot(GROUND)?)));
    on_ground
        .map(|(corner, ground)| {
            let kept: [usize; 3] = from_fn(|k| k + usize::from(k >= ground));
            // An edge that leaves another plane stays on the ground, so that both ends know the ground by a slot.
            let edges = kept.map(|slot| {
                let edge = corner.edges[slot];
                let ground_there = edge.slot(Slot::new(ground));
                let slots = (0..3).map(|k| {
                    let there = edge.slot(Slot::new(kept[k]));
                    let there = if there.0 > ground_there.0 { there.0 - 4 } else { there.0 };
                    there << (4 * k)
                });
                Edge::new(numbers[edge.corner()] as usize, slots.sum())
            });
            let planes = (0..3).map(|k| u64::from(corner.plane(kept[k])) << (16 * k)).sum::<u64>();
            RoofCorner {
                place: from_fn(|k| corner.place[k]),
                planes: planes | u64::from(u16::MAX) << 48,
                edges,
                hand: if ground % 2 == 0 { corner.hand } else { -corner.hand },
            }
        })
        .collect()
}
