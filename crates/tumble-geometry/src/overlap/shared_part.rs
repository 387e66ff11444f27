//! Cuts what two convex polyhedra share, or a polyhedron and a half-space, out of one of them: out of the body itself with three
//! coordinates, and with four out of the roof over it (`roof.rs`).
//!
//! The first plane is that of a face of the other that looks at the body. Mostly little is left by it. Near a vertex, an edge or a face
//! the body keeps such parts of itself, of several depths, which end at a plane behind, and where the first plane takes the place of that one the part has its
//! form already and no edge is made anew. Elsewhere what is left is gathered from the farthest vertex on, so that the rest of the body does not
//! matter. The other planes mostly miss what is left, which a box around it shows.

use crate::roof::{BEHIND, Corners, Cut, CutLists, CutOutLists, Near, Part, RoofCorner, RoofPlane, cut, cut_out};
use crate::shape::BoxToReach;
use crate::{Polyhedron, Pose};
use glam::{DMat3, DVec3};

/// What is cut out, and lists for it that are used again and again.
#[derive(Clone, Debug)]
pub(super) struct SharedPart<const N: usize> {
    /// Its corners.
    pub corners: Vec<RoofCorner<N>>,
    /// The planes of the other body that cut it, numbered behind the faces of the one that is cut.
    pub cutters: Vec<RoofPlane>,
    lists: CutLists<N>,
    from_whole: CutOutLists,
    /// The faces of the other body that may cut it.
    near: Vec<u32>,
}

impl<const N: usize> Default for SharedPart<N> {
    fn default() -> SharedPart<N> {
        SharedPart {
            corners: Vec::new(),
            cutters: Vec::new(),
            lists: CutLists::default(),
            from_whole: CutOutLists::default(),
            near: Vec::new(),
        }
    }
}

/// Whether it is better to cut the first of two polyhedra by the second than the second by the first, and the face of the one that cuts which
/// looks at the other, along a direction from the first to the second: what lies on a face of the other is cut by this face first. Then little
/// is left, and most of the others miss it. `pose_ba` is the first seen from the second.
#[inline]
pub(super) fn first_cutter([a, b]: [&Polyhedron; 2], normal: DVec3, pose_ba: &Pose) -> (bool, usize) {
    let normal_b = pose_ba.transform_vector(-normal);
    let (of_a, of_b) = (a.facing(normal), b.facing(normal_b));
    let is_a_cut = b.faces()[of_b].normal.dot(normal_b) >= a.faces()[of_a].normal.dot(normal);
    (is_a_cut, if is_a_cut { of_b } else { of_a })
}

impl<const N: usize> SharedPart<N>
where
    Part: Corners<N>,
{
    /// Takes what of a polyhedron lies behind a plane, if anything does. Corners up to `tolerance` above the plane count as behind it.
    #[inline]
    pub fn take_behind(&mut self, solid: &Polyhedron, plane: RoofPlane, tolerance: f64) -> Option<()> {
        self.cutters.clear();
        self.cutters.push(plane);
        let number = (solid.faces().len() + 1) as u16;
        // What is left of a part is whole if the plane parts it from where the part ends.
        let is_parted = |corner: &RoofCorner<N>| !corner.lies_on(BEHIND) || plane.height(corner) > tolerance;
        let vertex = solid.support_vertex(-plane.normal);
        if let Some(near) = near_place(solid, vertex, plane, tolerance)
            && let Some(deepest) = solid.part(near, 0)
        {
            let depth = plane.offset - plane.normal.dot(solid.vertices()[vertex]);
            for level in (0..=deepest.level_for(depth)).rev() {
                let Some(part) = solid.part(near, level) else { break };
                if part.corners().iter().all(is_parted) {
                    self.corners.clear();
                    self.corners.extend_from_slice(part.corners());
                    let left = cut(&mut self.corners, plane.lifted(), number, tolerance, &mut self.lists);
                    return (left == Cut::Something).then_some(());
                }
            }
        }
        let whole = solid.whole_part();
        let (corners, lists) = (&mut self.corners, &mut self.from_whole);
        let left =
            cut_out(whole.corners(), whole.at_vertex(vertex)?, plane.lifted(), number, tolerance, corners, lists);
        (left != Cut::Nothing).then_some(())
    }

    /// Takes what polyhedra a and b share, if anything, as a cut by b's planes, given b's face that looks at a. `pose_ab` is b seen from a, whose
    /// frame the answer is in.
    pub fn take_shared(&mut self, [a, b]: [&Polyhedron; 2], of_b: usize, pose_ab: &Pose, tolerance: f64) -> Option<()> {
        let turn = DMat3::from_quat(pose_ab.orientation);
        let placed = |index: usize| {
            let face = &b.faces()[index];
            let normal = turn * face.normal;
            RoofPlane { normal, offset: face.offset + normal.dot(pose_ab.position) }
        };
        self.take_behind(a, placed(of_b), tolerance)?;
        let around = box_around(&self.corners, |point| turn.transpose() * (point - pose_ab.position));
        b.faces_reaching(around, &mut self.near);
        for &index in &self.near {
            let index = index as usize;
            if index == of_b {
                continue;
            }
            let plane = placed(index);
            let number = (a.faces().len() + 1 + self.cutters.len()) as u16;
            match cut(&mut self.corners, plane.lifted(), number, tolerance, &mut self.lists) {
                Cut::Nothing => return None,
                Cut::Everything => {}
                Cut::Something => self.cutters.push(plane),
            }
        }
        Some(())
    }
}

/// Where what lies behind a plane is if it is near one vertex, edge or face, given the farthest vertex: there, the edge to the only one next to it that is
/// behind the plane too, or the face between the edges to the only two.
#[inline]
fn near_place(solid: &Polyhedron, vertex: usize, plane: RoofPlane, tolerance: f64) -> Option<Near> {
    let (vertices, web) = (solid.vertices(), solid.web());
    let mut behind = web.spokes(vertex as u32).iter().filter(|spoke| {
        let [start, end] = web.ribs[spoke.edge as usize].ends;
        let next = if start as usize == vertex { end } else { start };
        plane.normal.dot(vertices[next as usize]) <= plane.offset + tolerance
    });
    match (behind.next(), behind.next(), behind.next()) {
        (None, ..) => Some(Near::Vertex(vertex)),
        (Some(spoke), None, _) => Some(Near::Edge(spoke.edge as usize)),
        (Some(one), Some(other), None) => {
            let [one, other] = [one, other].map(|spoke| web.ribs[spoke.edge as usize].faces);
            one.into_iter().find(|face| other.contains(face)).map(|face| Near::Face(face as usize))
        }
        _ => None,
    }
}

/// The box around corners along the axes of a frame; how high the roof over it is, if there is one, counts as beyond it.
#[inline(always)]
fn box_around<const N: usize>(corners: &[RoofCorner<N>], place: impl Fn(DVec3) -> DVec3) -> BoxToReach {
    let (mut lower, mut upper, mut beyond) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0.0_f64);
    for corner in corners {
        let point = place(corner.point());
        (lower, upper) = (lower.min(point), upper.max(point));
        beyond = beyond.max(corner.depth_over_space());
    }
    BoxToReach { middle: 0.5 * (lower + upper), half: 0.5 * (upper - lower), beyond }
}
