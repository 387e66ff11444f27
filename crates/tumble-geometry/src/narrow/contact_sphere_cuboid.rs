//! A ball and a box, in closed form: the point of the box nearest to the ball's centre, or the nearest face for a centre
//! inside. Exact everywhere.

use crate::shape::Cuboid;
use crate::{Contact, Pose, tolerance};
use glam::{DMat3, DVec3};

/// The contact of a box, which is a, and a ball about a point of a's frame; `None` beyond `limit`.
#[inline]
pub(super) fn contact_cuboid_sphere(cuboid: &Cuboid, centre: DVec3, radius: f64, limit: f64) -> Option<Contact> {
    let nearest = Nearest::new(cuboid, centre);
    let separation = nearest.distance - radius;
    (separation <= limit).then(|| {
        let (normal, point_a) =
            (cuboid.outer_direction(nearest.offset) * nearest.scale, cuboid.outer_point(nearest.point));
        Contact { normal, separation, point_a, point_b: point_a + normal * separation }
    })
}

/// The same with the ball as a, for the pair table: not inlined, so that the table stays small.
#[inline(never)]
pub(super) fn contact_sphere_cuboid_within(
    radius: f64,
    cuboid: &Cuboid,
    pose_ab: &Pose,
    limit: f64,
) -> Option<Contact> {
    contact_sphere_cuboid(radius, cuboid, pose_ab, limit)
}

/// The same with the ball as a.
#[inline(always)]
pub(super) fn contact_sphere_cuboid(radius: f64, cuboid: &Cuboid, pose_ab: &Pose, limit: f64) -> Option<Contact> {
    let turn = DMat3::from_quat(pose_ab.orientation);
    let nearest = Nearest::new(cuboid, turn.transpose() * -pose_ab.position);
    let separation = nearest.distance - radius;
    (separation <= limit).then(|| {
        let normal = turn * cuboid.outer_direction(nearest.offset) * -nearest.scale;
        Contact { normal, separation, point_a: normal * radius, point_b: normal * (radius + separation) }
    })
}

/// The point of a box's surface nearest to another, along the axes of the box.
struct Nearest {
    point: DVec3,
    /// Outwards along the normal.
    offset: DVec3,
    /// Makes the offset a unit vector.
    scale: f64,
    /// Negative inside [m].
    distance: f64,
}

impl Nearest {
    // Always inlined: a call costs as much as what it does.
    #[inline(always)]
    fn new(cuboid: &Cuboid, outer: DVec3) -> Nearest {
        let half = cuboid.half;
        let place = cuboid.local_point(outer);
        let point = place.clamp(-half, half);
        let offset = place - point;
        let distance = offset.length();
        if distance > tolerance::COINCIDENT * half.x {
            Nearest { point, offset, scale: 1.0 / distance, distance }
        } else {
            Nearest::to_inside(half, place)
        }
    }

    #[cold]
    fn to_inside(half: DVec3, place: DVec3) -> Nearest {
        let room = half - place.abs();
        let k = room.min_position();
        let (mut offset, mut point) = (DVec3::ZERO, place);
        offset[k] = 1f64.copysign(place[k]);
        point[k] = half[k].copysign(place[k]);
        Nearest { point, offset, scale: 1.0, distance: -room[k] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::{contact, contact_general};
    use crate::oracle::Sequence;
    use crate::{Polyhedron, Shape};

    /// In front of every face, edge and corner, inside, and on the surface: as the general pair finds it.
    #[test]
    fn it_is_what_the_general_pair_finds() {
        let mut sequence = Sequence::new(17);
        let ball = Shape::sphere(0.4).unwrap();
        let turned = sequence.pose(0.3);
        let corners = crate::Aabb { lower: -DVec3::new(0.5, 0.8, 0.3), upper: DVec3::new(0.5, 0.8, 0.3) }.corners();
        let away: Vec<DVec3> = corners.iter().map(|corner| turned.transform_point(*corner)).collect();
        for points in [&corners[..], &away] {
            let cuboid = Shape::Polyhedron(Polyhedron::from_points(points).unwrap());
            for k in 0..3000 {
                let mut pose = sequence.pose(1.4);
                if k % 3 == 0 {
                    // Some centres inside, and some exactly on planes of the box.
                    pose.position *= 0.3;
                    pose.orientation = if k % 2 == 0 { glam::DQuat::IDENTITY } else { pose.orientation };
                }
                let general = contact_general(&cuboid, &ball, &pose, None, f64::INFINITY).unwrap().unwrap();
                let found = contact(&cuboid, &ball, &pose).unwrap();
                assert!((found.separation - general.separation).abs() < 1e-12, "{pose:?} {found:?} {general:?}");
                assert!((found.point_b - found.point_a - found.normal * found.separation).length() < 1e-14);
                if found.separation > -0.39 {
                    assert!((found.normal - general.normal).length() < 1e-6, "{pose:?} {found:?} {general:?}");
                    assert!((found.point_a - general.point_a).length() < 1e-6);
                }
                let inverse = pose.relative(&Pose::IDENTITY);
                let other_way = contact(&ball, &cuboid, &inverse).unwrap();
                assert!((other_way.separation - found.separation).abs() < 1e-14);
                assert!((inverse.inverse_transform_vector(-other_way.normal) - found.normal).length() < 1e-12);
                assert!((inverse.inverse_transform_point(other_way.point_b) - found.point_a).length() < 1e-12);
            }
        }
    }
}
