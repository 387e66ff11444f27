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
//! middle of a flat end is one contact and not two, and so is the point of a cone. Contacts that the ball covers the profile
//! between, be it over a tip on the axis, go over into each other (blend.rs); the pass is the corner between them that is farthest.
//!
//! Features: twice the number of the segment, or twice (number of segments + number of the corner); plus one on the
//! far side. On the axis the azimuth is arbitrary and is +x.
//!
//! Valid for any ball and profile. Known limits: a ball that passes through the axis exchanges near and far side, so
//! their features change places; a ring contact (ball of the tube's own radius on its axis) is represented by two
//! points.

use super::blend::{Pass, blend};
use super::merge_contacts::merge_same_points;
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
            // From outside the far side is the back of what the near side is the front of.
            if far && is_behind(revolved, index, rho, centre.z) {
                return;
            }
            let normal = (outward * foot.toward.x).extend(foot.toward.y);
            let point = (outward * foot.point.x).extend(foot.point.y);
            out.push(SurfaceContact::new(2 * index + far as u32, normal, foot.distance - radius, point));
        });
    }
    merge_same_points(out, first, 2.0 * same_point);
    if out[first..].iter().filter(|contact| contact.separation < 0.0).count() > 1 {
        let mut passes = passes_along_profile(revolved, centre, radius, azimuth, &out[first..]);
        blend(out, first, &mut passes, same_point);
    }
}

/// Whether a ball is outside of a segment on the near side of the axis and inside of it on the far side: it reaches through a rod.
fn is_behind(revolved: &Revolved, index: u32, rho: f64, z: f64) -> bool {
    let Some(segment) = revolved.segments().get(index as usize) else { return false };
    let height = |rho: f64| (DVec2::new(rho, z) - segment.start).dot(segment.normal);
    (height(rho) < 0.0) != (height(-rho) < 0.0)
}

/// The passes between contacts along the profile: on the way from one to the next the distance is largest at a corner. Where the profile ends on
/// the axis the way leads over that corner to the other side.
fn passes_along_profile(
    revolved: &Revolved,
    centre: DVec3,
    radius: f64,
    azimuth: DVec2,
    contacts: &[SurfaceContact],
) -> Vec<Pass> {
    let n_segments = revolved.segments().len();
    // Twice the place along the profile, in segments: odd inside of one.
    let along = |contact: &SurfaceContact| {
        let index = contact.feature as usize / 2;
        if index < n_segments { 2 * index + 1 } else { 2 * (index - n_segments) }
    };
    // On either side of the axis, the place along the profile and that among the contacts.
    let sides = [0, 1].map(|far| {
        let is_here = |contact: &SurfaceContact| contact.feature % 2 == far && contact.separation < 0.0;
        let here = contacts.iter().enumerate().filter(|(_, contact)| is_here(contact));
        let mut side: Vec<(usize, usize)> = here.map(|(place, contact)| (along(contact), place)).collect();
        side.sort_unstable();
        side
    });
    let outward = [azimuth, -azimuth];
    let corner = |side: usize, k: usize| {
        let [rho, z] = revolved.profile()[if revolved.is_closed() { k % n_segments } else { k }];
        (outward[side] * rho).extend(z)
    };
    let mut passes = Vec::new();
    let mut join = |from: (usize, usize), to: (usize, usize), corners: &mut dyn Iterator<Item = DVec3>| {
        let farthest = corners.max_by(|a, b| a.distance(centre).total_cmp(&b.distance(centre)));
        if let Some(point) = farthest {
            let distance = point.distance(centre);
            let at = SurfaceContact::new(0, (point - centre) / distance, distance - radius, point);
            passes.push(Pass::new([from.1, to.1], at));
        }
    };
    for (number, side) in sides.iter().enumerate() {
        for pair in side.windows(2) {
            let corners = pair[0].0 / 2 + 1..=(pair[1].0 - 1) / 2;
            join(pair[0], pair[1], &mut corners.map(|k| corner(number, k)));
        }
        if let (true, [start, .., end]) = (revolved.is_closed(), &side[..]) {
            let corners = end.0 / 2 + 1..=(2 * n_segments + start.0 - 1) / 2;
            join(*end, *start, &mut corners.map(|k| corner(number, k)));
        }
    }
    let [near, far] = &sides;
    if let (Some(one), Some(other)) = (near.first(), far.first())
        && revolved.profile()[0][0] == 0.0
    {
        let corners = |side: usize, to: usize| (0..=to.saturating_sub(1) / 2).map(move |k| corner(side, k));
        join(*one, *other, &mut corners(0, one.0).chain(corners(1, other.0)));
    }
    if let (Some(one), Some(other)) = (near.last(), far.last())
        && revolved.profile()[n_segments][0] == 0.0
    {
        let corners = |side: usize, from: usize| (from / 2 + 1..=n_segments).map(move |k| corner(side, k));
        join(*one, *other, &mut corners(0, one.0).chain(corners(1, other.0)));
    }
    passes
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{self, Sequence};
    use crate::surface::Mesh;
    use std::f64::consts::PI;

    fn contacts(revolved: &Revolved, centre: DVec3, radius: f64, margin: f64) -> Vec<SurfaceContact> {
        let mut out = Vec::new();
        contact_sphere_revolved(revolved, centre, radius, margin, &mut out);
        out
    }

    #[test]
    fn a_tube_is_met_from_inside_and_outside() {
        let tube = Revolved::tube(2.0, 5.0).unwrap();
        let inside = contacts(&tube, DVec3::new(0.0, 1.75, 1.0), 0.3, 0.0);
        assert_eq!(inside.len(), 1);
        assert_eq!((inside[0].feature, inside[0].normal), (0, DVec3::Y));
        assert!((inside[0].separation + 0.05).abs() < 1e-15);
        assert_eq!(inside[0].point, DVec3::new(0.0, 2.0, 1.0));
        let outside = contacts(&tube, DVec3::new(0.0, -2.25, 1.0), 0.3, 0.0);
        assert_eq!(outside.len(), 1);
        assert_eq!((outside[0].feature, outside[0].normal), (0, DVec3::Y));
        assert_eq!(outside[0].point, DVec3::new(0.0, -2.0, 1.0));
        assert!(contacts(&tube, DVec3::new(0.0, 1.0, 1.0), 0.3, 0.5).is_empty());
    }

    #[test]
    fn the_rim_of_a_tube_is_one_contact() {
        let tube = Revolved::tube(2.0, 5.0).unwrap();
        let found = contacts(&tube, DVec3::new(1.4, 0.0, 5.8), 1.1, 0.0);
        assert_eq!(found.len(), 1);
        assert!((found[0].separation + 0.1).abs() < 1e-14);
        assert!((found[0].normal - DVec3::new(0.6, 0.0, -0.8)).length() < 1e-14);
        assert_eq!(found[0].feature, 2 * (1 + 1));
    }

    #[test]
    fn the_edge_of_a_closed_drum_holds_two_contacts_inside_and_one_outside() {
        let drum = Revolved::closed_cylinder(2.0, 1.0, true, true).unwrap();
        let inside = contacts(&drum, DVec3::new(0.0, 1.8, 0.8), 0.25, 0.0);
        assert_eq!(inside.iter().map(|c| c.feature).collect::<Vec<_>>(), [2, 4]);
        assert_eq!((inside[0].normal, inside[1].normal), (DVec3::Y, DVec3::Z));
        let outside = contacts(&drum, DVec3::new(0.0, 2.3, 1.4), 0.6, 0.0);
        assert_eq!(outside.len(), 1);
        assert_eq!(outside[0].feature, 2 * (3 + 2));
        assert!((outside[0].normal - DVec3::new(0.0, -0.6, -0.8)).length() < 1e-14);
    }

    #[test]
    fn a_flat_end_is_one_contact_everywhere() {
        let drum = Revolved::closed_cylinder(2.0, 1.0, true, true).unwrap();
        for rho in [0.0, 1e-300, 1e-16, 1e-13, 1e-12, 2e-12, 3e-12, 1e-9, 1e-3, 0.5, 1.9999] {
            for height in [1.2, -1.2, 0.8] {
                let centre = DVec3::new(0.6 * rho, -0.8 * rho, height);
                // Just the end: the wall of the drum is avoided by the small ball, except beside it.
                let found = contacts(&drum, centre, 0.21, 0.0);
                let flat: Vec<_> = found.iter().filter(|c| c.normal.z.abs() > 0.5 && !c.is_pass()).collect();
                assert_eq!(flat.len(), 1, "rho {rho}, height {height}: {found:?}");
                assert!((flat[0].separation + 0.01).abs() < 1e-15);
                // A foot within 1e-12 of the axis is moved there, which tilts the normal of this ball by 1e-12 / 0.2.
                assert!((flat[0].normal - DVec3::Z * (height.signum() - height).signum()).length() < 2e-11);
                assert!((flat[0].point.truncate() - centre.truncate()).length() < 1e-11);
            }
        }
    }

    #[test]
    fn a_ball_in_the_plane_of_an_end_has_a_fixed_normal() {
        let drum = Revolved::closed_cylinder(2.0, 1.0, true, false).unwrap();
        for rho in [0.0, 0.5] {
            let found = contacts(&drum, DVec3::new(rho, 0.0, -1.0), 0.1, 0.0);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].normal.abs(), DVec3::Z);
            assert_eq!(found[0].separation, -0.1);
        }
    }

    #[test]
    fn a_ball_wedged_in_a_funnel_is_held_from_both_sides() {
        // 45 degrees: the cone touches a ball on the axis at distance height / sqrt 2 from its centre.
        let funnel = Revolved::cone(0.0, 2.0, 1.0).unwrap();
        let slope = DVec2::new(2.0, 2.0).normalize();
        for offset in [0.0, 1e-14, 1e-6, 1e-3] {
            let centre = DVec3::new(0.0, offset, 0.0);
            let found = contacts(&funnel, centre, 0.75, 0.0);
            assert_eq!(found.iter().map(|c| c.feature).collect::<Vec<_>>(), [0, 1], "offset {offset}");
            let sideways: DVec3 = found.iter().map(|c| c.normal).sum();
            assert!((sideways - DVec3::NEG_Z * 2.0 * slope.x).length() < 1e-14);
            let expected = [(1.0 - offset) / 2f64.sqrt() - 0.75, (1.0 + offset) / 2f64.sqrt() - 0.75];
            assert!((found[0].separation - expected[0]).abs() < 1e-15);
            assert!((found[1].separation - expected[1]).abs() < 1e-15);
        }
    }

    #[test]
    fn a_ball_as_wide_as_a_tube_touches_both_sides() {
        let tube = Revolved::tube(1.0, 5.0).unwrap();
        for x in [0.0, 1e-3] {
            let found = contacts(&tube, DVec3::new(x, 0.0, 0.0), 1.01, 0.0);
            assert_eq!(found.len(), 2);
            assert_eq!(found[0].normal, DVec3::X);
            assert_eq!(found[1].normal, DVec3::NEG_X);
            assert!((found[0].separation - (-0.01 - x)).abs() < 1e-15);
            assert!((found[1].separation - (-0.01 + x)).abs() < 1e-15);
        }
    }

    #[test]
    fn a_ball_sunk_through_a_thin_rod_meets_its_near_side_only() {
        let rod = Revolved::tube(0.01, 1.0).unwrap();
        let found = contacts(&rod, DVec3::new(0.1, 0.0, 0.0), 0.2, 0.0);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].feature, found[0].normal), (0, DVec3::NEG_X));
    }

    #[test]
    fn the_point_of_a_cone_is_one_contact() {
        let cone = Revolved::cone(1.0, 0.0, 0.5).unwrap();
        for x in [0.0, 1e-14, 0.05] {
            let found = contacts(&cone, DVec3::new(x, 0.0, 0.7), 0.25, 0.0);
            assert_eq!(found.len(), 1, "{x}: {found:?}");
            assert!((found[0].point - DVec3::Z * 0.5).length() < 1e-15);
        }
        // Farther out the flank is nearer than the point.
        let flank = contacts(&cone, DVec3::new(0.3, 0.0, 0.5), 0.25, 0.0);
        assert_eq!(flank.iter().map(|c| c.feature).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn a_straight_wall_divided_into_segments_is_one_contact() {
        let mut random = Sequence::new(23);
        for case in 0..200 {
            // A straight flank in an oblique direction, cut at places that rounding moves off the line.
            let (start, direction) = (DVec2::new(random.between(0.5, 2.0), 0.0), random.between(0.1, 1.4));
            let direction = DVec2::from_angle(direction);
            let profile: Vec<[f64; 2]> = (0..=8).map(|k| (start + direction * (0.3 * k as f64)).to_array()).collect();
            let wall = Revolved::new(profile.clone()).unwrap();
            for corner in &profile[1..8] {
                for hair in [0.0, 1e-16, -1e-13, 1e-12, 1e-10, 0.1] {
                    let foot = DVec2::from(*corner) + direction * hair;
                    let centre = foot + direction.perp() * 0.2;
                    let found = contacts(&wall, DVec3::new(centre.x, 0.0, centre.y), 0.21, 0.0);
                    assert_eq!(found.len(), 1, "case {case}, hair {hair}: {found:?}");
                    assert!((found[0].separation + 0.01).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn a_closed_ring_counts_its_first_corner_once() {
        let ring = Revolved::new(vec![[2.0, 0.0], [3.0, 0.0], [3.0, 1.0], [2.0, 1.0], [2.0, 0.0]]).unwrap();
        assert!(ring.is_closed());
        let corner = contacts(&ring, DVec3::new(1.9, 0.0, -0.1), 0.2, 0.0);
        assert_eq!(corner.iter().map(|c| c.feature).collect::<Vec<_>>(), [2 * 4]);
        // Inside that corner the two flanks hold the ball, and the corner itself does not count.
        let inside = contacts(&ring, DVec3::new(2.1, 0.0, 0.1), 0.2, 0.0);
        let inside: Vec<_> = inside.iter().filter(|c| !c.is_pass()).map(|c| c.feature).collect();
        assert_eq!(inside, [0, 6]);
    }

    #[test]
    fn least_separation_is_the_distance_to_the_sampled_surface() {
        let mut random = Sequence::new(17);
        for case in 0..60 {
            let n_corners = 2 + case % 4;
            let profile: Vec<[f64; 2]> = (0..n_corners)
                .map(|k| [if k == 0 && case % 3 == 0 { 0.0 } else { random.unit() }, random.between(-1.0, 1.0)])
                .collect();
            let surface = Revolved::new(profile.clone()).unwrap();
            for _ in 0..20 {
                let centre = random.point_in_cube(1.2);
                let found = contacts(&surface, centre, 0.1, f64::INFINITY);
                let least = found.iter().map(|c| c.separation).fold(f64::INFINITY, f64::min);
                // A ring of 720 straight pieces lies inside the true one by at most 1 - cos(pi / 720) of its radius.
                let deviation = 1.0 - (PI / 720.0).cos();
                let sampled = profile
                    .windows(2)
                    .flat_map(|ends| {
                        (0..720).map(move |k| {
                            let (sine, cosine) = (2.0 * PI * k as f64 / 720.0).sin_cos();
                            let at = |[rho, z]: [f64; 2]| DVec3::new(rho * cosine, rho * sine, z);
                            (at(ends[0]), at(ends[1]))
                        })
                    })
                    .map(|(start, end)| oracle::distance_to_segment(start, end, centre))
                    .fold(f64::INFINITY, f64::min)
                    - 0.1;
                // The sampled meridians miss the nearest one by half a step at most: by the law of cosines the square
                // of the distance grows by 2 rho rho' (1 - cos) <= 4 deviation.
                assert!(least <= sampled + 1e-12, "case {case}");
                let (true_distance, sampled_distance) = (least + 0.1, sampled + 0.1);
                assert!(
                    sampled_distance.powi(2) - true_distance.powi(2) <= 4.0 * deviation,
                    "case {case}: {least} {sampled}"
                );
                for contact in &found {
                    assert!((contact.normal.length() - 1.0).abs() < 1e-12);
                    let reached = centre + contact.normal * (contact.separation + 0.1);
                    assert!((reached - contact.point).length() < 1e-11, "case {case}");
                }
            }
        }
    }

    #[test]
    fn agrees_with_a_fine_mesh_of_the_same_drum() {
        // Inside a mesh of a drum with many sides the flat faces stand at most r (1 - cos(pi / n)) off the round wall.
        const N_SIDES: u32 = 400;
        let (radius, half_length) = (1.0, 0.5);
        let drum = Revolved::closed_cylinder(radius, half_length, true, false).unwrap();
        let mut vertices = vec![DVec3::new(0.0, 0.0, -half_length)];
        let mut triangles = Vec::new();
        for k in 0..N_SIDES {
            let (sine, cosine) = (2.0 * PI * k as f64 / N_SIDES as f64).sin_cos();
            vertices.push(DVec3::new(radius * cosine, radius * sine, -half_length));
            vertices.push(DVec3::new(radius * cosine, radius * sine, half_length));
            let (a, b) = (1 + 2 * k, 1 + 2 * ((k + 1) % N_SIDES));
            triangles.extend([[0, a, b], [a, b, b + 1], [a, b + 1, a + 1]]);
        }
        let mesh = Mesh::new(vertices, triangles).unwrap();
        let deviation = radius * (1.0 - (PI / N_SIDES as f64).cos());
        let mut random = Sequence::new(31);
        for case in 0..500 {
            let centre = random.point_in_cube(0.95);
            let ball = random.between(0.02, 0.2);
            let least = |found: &[SurfaceContact]| found.iter().map(|c| c.separation).fold(f64::INFINITY, f64::min);
            let mut on_mesh = Vec::new();
            crate::narrow::contact_sphere_mesh(&mesh, centre, ball, f64::INFINITY, &mut on_mesh);
            let difference = least(&on_mesh) - least(&contacts(&drum, centre, ball, f64::INFINITY));
            assert!(difference.abs() <= deviation + 1e-12, "case {case}: {difference}");
        }
    }

    #[test]
    fn the_azimuth_does_not_matter() {
        let mut random = Sequence::new(41);
        let surface = Revolved::new(vec![[0.0, -1.0], [0.7, -0.4], [1.0, 0.3], [0.4, 0.8]]).unwrap();
        for _ in 0..500 {
            let centre = random.point_in_cube(1.1);
            let turn = glam::DQuat::from_rotation_z(random.between(0.0, 2.0 * PI));
            let found = contacts(&surface, centre, 0.3, 0.1);
            let turned = contacts(&surface, turn * centre, 0.3, 0.1);
            assert_eq!(found.len(), turned.len());
            for (one, other) in found.iter().zip(&turned) {
                assert_eq!(one.feature, other.feature);
                assert!((one.separation - other.separation).abs() < 1e-14);
                assert!((turn * one.normal - other.normal).length() < 1e-12);
                assert!((turn * one.point - other.point).length() < 1e-14);
            }
        }
    }
}
