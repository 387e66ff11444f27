//! Which of the planes of a body's faces reach into a box, four at a time.

use super::polyhedron::Face;
use crate::lanes::{Kernel, Lanes, Vector};
use glam::DVec3;

/// Four planes: x of all normals, y of all, z of all, and their distances from the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FourPlanes {
    normals: [[f64; 4]; 3],
    offsets: [f64; 4],
}

impl FourPlanes {
    /// The planes of faces, the last four filled up with some that reach into nothing.
    pub fn of(faces: &[Face]) -> Vec<FourPlanes> {
        let four = |faces: &[Face]| {
            let component = |of: fn(&Face) -> f64| std::array::from_fn(|k| faces.get(k).map_or(0.0, of));
            FourPlanes {
                normals: [
                    component(|face| face.normal.x),
                    component(|face| face.normal.y),
                    component(|face| face.normal.z),
                ],
                offsets: std::array::from_fn(|k| faces.get(k).map_or(f64::INFINITY, |face| face.offset)),
            }
        };
        faces.chunks(4).map(four).collect()
    }
}

/// A box, given by its middle and half its edges; `beyond` is added to how far it goes along every normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxToReach {
    pub middle: DVec3,
    pub half: DVec3,
    pub beyond: f64,
}

/// Lists the planes that the box is not wholly behind, in their order.
pub(crate) struct Reaching<'a> {
    pub planes: &'a [FourPlanes],
    pub into: BoxToReach,
    pub found: &'a mut Vec<u32>,
}

impl Kernel for Reaching<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let BoxToReach { middle, half, beyond } = self.into;
        let (middle, half, beyond) = (Vector::<L>::splat(middle), Vector::<L>::splat(half), L::splat(beyond));
        let magnitude = |x: L| x.max(-x);
        self.found.clear();
        for (block, planes) in self.planes.iter().enumerate() {
            let normal = Vector::<L>::load(&planes.normals);
            let size = Vector { x: magnitude(normal.x), y: magnitude(normal.y), z: magnitude(normal.z) };
            let farthest = normal.dot(middle) + size.dot(half) + beyond;
            // What is not a number reaches.
            let mut reaching = !L::bits(L::load(&planes.offsets).at_least(farthest)) & 0b1111;
            while reaching != 0 {
                self.found.push(4 * block as u32 + reaching.trailing_zeros());
                reaching &= reaching - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Polyhedron;
    use crate::lanes::Instructions;
    use crate::oracle::Sequence;

    /// Face by face, from the corners of the box.
    #[test]
    fn planes_that_reach_into_a_box_are_those_that_a_corner_is_beyond() {
        let mut random = Sequence::new(7);
        let (mut n_reaching, mut n_not) = (0, 0);
        for n in [4, 7, 8, 20, 60] {
            let points: Vec<DVec3> = (0..n).map(|_| random.direction()).collect();
            let solid = Polyhedron::from_points(&points).unwrap();
            let planes = FourPlanes::of(solid.faces());
            for _ in 0..100 {
                let into = BoxToReach {
                    middle: 1.2 * random.point_in_cube(1.0),
                    half: 0.1 * (random.point_in_cube(1.0) + DVec3::ONE),
                    beyond: 0.05,
                };
                let is_beyond = |face: &Face| {
                    let corners = (0..8).map(|k| {
                        let sign = |bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
                        into.middle + into.half * DVec3::new(sign(0), sign(1), sign(2))
                    });
                    corners.map(|corner| face.normal.dot(corner)).fold(f64::MIN, f64::max) + into.beyond > face.offset
                };
                let expected: Vec<u32> =
                    (0..).zip(solid.faces()).filter(|(_, face)| is_beyond(face)).map(|(index, _)| index).collect();
                for instructions in [Instructions::PORTABLE, Instructions::best()] {
                    let mut found = Vec::new();
                    instructions.run(Reaching { planes: &planes, into, found: &mut found });
                    assert_eq!(found, expected);
                }
                n_reaching += expected.len();
                n_not += solid.faces().len() - expected.len();
            }
        }
        assert!(n_reaching > 1000 && n_not > 1000, "{n_reaching} {n_not}");
    }
}
