//! Polygons in one plane: the same with areas for volumes, and a prism made of it.
//!
//! In the plane the roof has three coordinates. Its edges that do not lie on the ground are over the points that are as near to
//! one side as to another, so that sums over faces become sums over edges. The prism is as thick as the thinner body; its
//! distances are those in the plane.

use super::{DepthMoments, Slope};
use crate::roof::{Cut, CutLists, GROUND, RoofCorner, around, cut};
use crate::shape::Polygon;
use crate::tolerance::ON_ROOF;
use crate::{PlanarPose, Pose};
use glam::{DVec2, DVec3};

/// Lists for the depth of regions in the plane.
#[derive(Clone, Debug, Default)]
pub(in crate::overlap) struct PlanarRoofWorkspace {
    roof: Vec<RoofCorner<3>>,
    lists: CutLists<3>,
    /// The normals of all sides, a's and then b's.
    normals: Vec<DVec2>,
}

impl PlanarRoofWorkspace {
    /// Begins with a whole polygon.
    fn start(&mut self, polygon: &Polygon, size: f64) -> Option<()> {
        self.roof.clear();
        self.roof.extend(around::<3>(2.0 * size));
        self.normals.clear();
        sides(polygon.corners()).try_for_each(|(normal, offset)| self.cut(normal, offset, 0.0))
    }

    /// Keeps what is behind a line; `None` if nothing is.
    fn cut(&mut self, normal: DVec2, offset: f64, tolerance: f64) -> Option<()> {
        self.normals.push(normal);
        let (line, number) = (([normal.x, normal.y, 1.0], offset), self.normals.len() as u16);
        (cut(&mut self.roof, line, number, tolerance, &mut self.lists) != Cut::Nothing).then_some(())
    }

    /// The prism over the region, the first sides of which are a's.
    fn measure(&self, n_of_a: usize, thickness: f64) -> Option<DepthMoments> {
        let (mut area, mut integral, mut between, mut centre) = (0.0, 0.0, 0.0, DVec2::ZERO);
        let (mut area_slope, mut depth_slope) = ((DVec2::ZERO, 0.0), (DVec2::ZERO, 0.0));
        for (index, corner) in self.roof.iter().enumerate() {
            for slot in 0..3 {
                let Some(other) = self.roof.get(corner.neighbour(slot)).filter(|_| index < corner.neighbour(slot))
                else {
                    continue;
                };
                let [i, j] = [corner.plane((slot + 1) % 3), corner.plane((slot + 2) % 3)];
                let (low, high) = (usize::from(i.min(j)), usize::from(i.max(j)));
                let Some(&normal) = self.normals.get(high.wrapping_sub(1)) else { continue };
                let ([p, q], [t, u]) = ([corner, other].map(place), [corner.depth(), other.depth()]);
                // The length of its foot on a side, by the hand of the roof: rounding may turn an edge round.
                let sense = if i > j { corner.hand } else { -corner.hand };
                let length = |normal: DVec2| sense * normal.perp_dot(q - p);
                if low == usize::from(GROUND) {
                    if high > n_of_a {
                        // A side and the edges above it run in opposite ways.
                        let length = -length(normal);
                        area_slope.0 += length * normal;
                        area_slope.1 += (0.5 * length * (p + q)).perp_dot(normal);
                    }
                    continue;
                }
                let other = self.normals[low - 1];
                let across = length(0.5 * (normal - other));
                area += across * (t + u);
                integral += across / 3.0 * (t * t + t * u + u * u);
                if high > n_of_a {
                    let (along, normals) =
                        if low > n_of_a { (across, normal + other) } else { (length(normal), normal) };
                    let column = 0.5 * along * (t + u);
                    let first_moment = along / 6.0 * ((2.0 * t + u) * p + (t + 2.0 * u) * q);
                    depth_slope.0 += column * normals;
                    depth_slope.1 += first_moment.perp_dot(normals);
                    if low <= n_of_a {
                        between += column;
                        centre += first_moment;
                    }
                }
            }
        }
        // Which hand is which, the area tells. Not a number is no area either.
        let hand = 1f64.copysign(area);
        let (area, integral) = (hand * area, hand * integral);
        if !(area > 0.0 && integral > 0.0) {
            return None;
        }
        let deeper = |a: &&RoofCorner<3>, b: &&RoofCorner<3>| a.depth().total_cmp(&b.depth());
        let deepest = self.roof.iter().max_by(deeper).map_or(DVec2::ZERO, place);
        let slope = |(shift, turn): (DVec2, f64)| {
            Slope { shift: shift.extend(0.0), turn: DVec3::Z * turn }.times(-hand * thickness)
        };
        Some(DepthMoments {
            volume: area * thickness,
            centre: if hand * between > 0.0 { centre / between } else { deepest }.extend(0.0),
            depth_integral: integral * thickness,
            volume_slope: slope(area_slope),
            depth_slope: slope(depth_slope),
        })
    }
}

fn place(corner: &RoofCorner<3>) -> DVec2 {
    DVec2::new(corner.place[0], corner.place[1])
}

/// Outward normals of the sides of a polygon, and their distances from the origin.
fn sides(corners: &[DVec2]) -> impl Iterator<Item = (DVec2, f64)> {
    corners.iter().zip(corners.iter().cycle().skip(1)).map(|(&from, &to)| {
        let normal = -(to - from).perp().normalize();
        (normal, normal.dot(from))
    })
}

/// What polygons a and b share. `pose` is b seen from a; the answer is in a's frame.
pub(super) fn polygons(
    a: &Polygon,
    b: &Polygon,
    pose: &PlanarPose,
    sizes: [f64; 2],
    workspace: &mut PlanarRoofWorkspace,
) -> Option<DepthMoments> {
    workspace.start(a, sizes[0])?;
    for (normal, offset) in sides(b.corners()) {
        let normal = pose.transform_vector(normal);
        workspace.cut(normal, offset + normal.dot(pose.position), ON_ROOF * (sizes[0] + sizes[1]))?;
    }
    workspace.measure(a.corners().len(), 2.0 * a.half_thickness().min(b.half_thickness()))
}

/// What of a polygon lies in a half-space that stands upright on its plane. `pose` is the polygon seen from the half-space, and
/// the answer is in the half-space's frame.
pub(super) fn polygon_half_space(
    polygon: &Polygon,
    pose: &Pose,
    size: f64,
    workspace: &mut PlanarRoofWorkspace,
) -> Option<DepthMoments> {
    let direction = pose.inverse_transform_vector(DVec3::NEG_Z);
    Some(polygon_beyond_line(polygon, direction, pose.position.z, size, workspace)?.transformed(pose))
}

/// What of a polygon lies beyond a line of its plane, at a distance from its origin along a direction; in the polygon's frame.
pub(super) fn polygon_beyond_line(
    polygon: &Polygon,
    direction: DVec3,
    distance: f64,
    size: f64,
    workspace: &mut PlanarRoofWorkspace,
) -> Option<DepthMoments> {
    workspace.start(polygon, size)?;
    workspace.cut(-direction.truncate().normalize_or_zero(), -distance, ON_ROOF * size)?;
    workspace.measure(polygon.corners().len(), 2.0 * polygon.half_thickness())
}
