//! A ball and a thin surface of revolution.
//!
//! The ball's centre and the axis span a plane that cuts the surface in its profile and the profile's mirror image.
//! Every local minimum of the distance to the surface lies in that plane, on the near side. On the far side the
//! distance is least within the plane but largest around the axis; such a place is reported too, because a ball wedged
//! in a funnel is held from both sides and would otherwise be pushed to one.
//!
//! In the plane the nearest point of each segment is the foot of the perpendicular or a corner. A foot always counts.
//! A corner counts once, and only if it is the nearest point of every segment that ends there; otherwise the distance
//! falls along one of them and the corner is no minimum. A corner on the axis also ends the mirrored segments, so the
//! middle of a flat end is one contact and not two, and so is the point of a cone.
//!
//! Features: twice the number of the segment, or twice (number of segments + number of the corner); plus one on the
//! far side. On the axis the azimuth is arbitrary and is +x.
//!
//! Valid for any ball and profile. Known limits: a ball that passes through the axis exchanges near and far side, so
//! their features change places; a ball sunk into a rod by more than the rod's diameter meets the far side too, with
//! the same normal; a ring contact (ball of the tube's own radius on its axis) is represented by two points.

use crate::surface::{ProfileSegment, Revolved};
use crate::{SurfaceContact, tolerance};
use glam::{DVec2, DVec3};

/// Where on a segment its nearest point is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Start,
    Inside,
    End,
}

/// Nearest point of a segment, in the plane of the profile.
#[derive(Clone, Copy)]
struct Foot {
    place: Place,
    point: DVec2,
    /// Unit vector from the centre to the point.
    toward: DVec2,
    distance: f64,
}

/// Nearest point of a segment; within `same_point` of a corner it is the corner.
fn foot(segment: &ProfileSegment, centre: DVec2, same_point: f64) -> Foot {
    let offset = centre - segment.start;
    let along = offset.dot(segment.direction);
    let corner = |place, point: DVec2| {
        let difference = point - centre;
        let distance = difference.length();
        let toward =
            if distance > tolerance::COINCIDENT * segment.length { difference / distance } else { -segment.normal };
        Foot { place, point, toward, distance }
    };
    if along <= same_point {
        corner(Place::Start, segment.start)
    } else if along >= segment.length - same_point {
        corner(Place::End, segment.end)
    } else {
        let height = offset.dot(segment.normal);
        let toward = if height < 0.0 { segment.normal } else { -segment.normal };
        Foot { place: Place::Inside, point: segment.start + segment.direction * along, toward, distance: height.abs() }
    }
}

/// Appends every contact of a ball with the shell whose separation is at most `margin`, all in the shell's frame.
pub fn contact_sphere_revolved(
    revolved: &Revolved,
    centre: DVec3,
    radius: f64,
    margin: f64,
    out: &mut Vec<SurfaceContact>,
) {
    let rho = centre.truncate().length();
    let scale = revolved.length_scale();
    let azimuth = if rho > tolerance::COINCIDENT * scale { centre.truncate() / rho } else { DVec2::X };
    let reach = radius + margin;
    let same_point = tolerance::SAME_POINT * (scale + radius);
    let first = out.len();
    for (far, outward) in [(false, azimuth), (true, -azimuth)] {
        if far && rho + revolved.inner_radius() > reach {
            break;
        }
        // The far side is the near side of a centre behind the axis.
        let in_plane = DVec2::new(if far { -rho } else { rho }, centre.z);
        contacts_on_side(revolved, in_plane, far, reach, same_point, |index, foot| {
            out.push(SurfaceContact {
                feature: 2 * index + far as u32,
                normal: (outward * foot.toward.x).extend(foot.toward.y),
                separation: foot.distance - radius,
                point: (outward * foot.point.x).extend(foot.point.y),
            });
        });
    }
    out[first..].sort_unstable_by_key(|contact| contact.feature);
}

/// Reports every local minimum of the distance from a point of the plane to the profile, as far as `reach`: the number
/// of the segment, or the number of segments plus the number of the corner.
fn contacts_on_side(
    revolved: &Revolved,
    centre: DVec2,
    far: bool,
    reach: f64,
    same_point: f64,
    mut report: impl FnMut(u32, &Foot),
) {
    let segments = revolved.segments();
    let n_segments = segments.len();
    // A corner that is reported after its second segment: whether the first one ends nearest there.
    let mut previous_ends_here =
        !revolved.is_closed() || foot(&segments[n_segments - 1], centre, same_point).place == Place::End;
    for (index, segment) in segments.iter().enumerate() {
        // Every point of a segment is at least this far away, its corners included.
        if segment.inner_radius - centre.x > reach {
            previous_ends_here = false;
            continue;
        }
        let nearest = foot(segment, centre, same_point);
        let within_reach = nearest.distance <= reach;
        match nearest.place {
            Place::Inside if within_reach => report(index as u32, &nearest),
            Place::Start
                if within_reach && previous_ends_here && counts_on_axis(revolved, index, centre, far, same_point) =>
            {
                report((n_segments + index) as u32, &nearest);
            }
            Place::End
                if within_reach
                    && index + 1 == n_segments
                    && !revolved.is_closed()
                    && counts_on_axis(revolved, n_segments, centre, far, same_point) =>
            {
                report((2 * n_segments) as u32, &nearest);
            }
            Place::Start | Place::Inside | Place::End => {}
        }
        previous_ends_here = nearest.place == Place::End;
    }
}

/// Whether a corner passes the test that only corners on the axis must: it is the nearest point of the mirrored
/// segments too, and the question is asked on the near side, so that it is reported once.
fn counts_on_axis(revolved: &Revolved, corner: usize, centre: DVec2, far: bool, same_point: f64) -> bool {
    if revolved.profile()[corner][0] > 0.0 {
        return true;
    }
    if far {
        return false;
    }
    let mirrored = DVec2::new(-centre.x, centre.y);
    let segments = revolved.segments();
    let n_segments = segments.len();
    let before = if corner > 0 {
        Some(corner - 1)
    } else if revolved.is_closed() {
        Some(n_segments - 1)
    } else {
        None
    };
    let after = (corner < n_segments).then_some(corner);
    before.is_none_or(|i| foot(&segments[i], mirrored, same_point).place == Place::End)
        && after.is_none_or(|i| foot(&segments[i], mirrored, same_point).place == Place::Start)
}
