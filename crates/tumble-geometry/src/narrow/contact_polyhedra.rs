//! Two convex polyhedra.
//!
//! With M = A - B, h its support function and gap(n) = -h(n), a walk over the directions ([`walk`]) ends where the gap is
//! stationary. For bodies apart that is their distance, and proven by its points. Overlapping bodies have many such directions, and
//! that the one found is the best is shown as follows.
//!
//! **Proof of a depth.** Let d = h(n) > 0, F the face of M with the normal n, and p = d n the foot of the origin on its plane. Suppose
//! that another unit direction m, at an angle t from n, were better: h(m) < d.
//! - F holds a disc of radius r about p. So h(m) >= d cos t + r sin t, and h(m) < d needs tan(t / 2) > r / d.
//! - A and B hold balls about their centres, so that M holds one of radius R about c = c_A - c_B. So h(m) >= m . c + R, and
//!   h(m) < d needs an angle between m and -c whose cosine exceeds (R - d) / |c|: below some angle u. If |c| <= R - d there
//!   is none.
//! With v the angle between n and -c, t < u + v: where 2 atan(r / d) >= u + v nothing is better than n. A resting contact is
//! a small depth in a large face, so that r / d is large and this is all there is to do: some thirty operations that need
//! no knowledge of any other face, edge or corner. It does not matter how n was found, so that a guess changes the cost only.
//!
//! Where the foot is within about a depth of the border of F the proof may fail, as it does for deep overlaps. Then the
//! polytope of the corners of F and of the corner farthest behind it is expanded until its bounds meet
//! (`general::depth_from_face`); mostly its first faces are far enough already. Where the walk is lost among pieces that
//! coincide to rounding, the general pair answers.
//!
//! Every answer is checked. One pass over the corners of both bodies shows that none is beyond the planes of contact, and counts
//! those that lie in them: where more than the walk's own do, the witness points go to the middle of what touches. The face of
//! the last step needs less: where all edges that leave it go down, a convex body has nothing else as far.
//!
//! References: Gilbert and Foo, IEEE Trans. Robotics and Automation 6 (1990) 53, for the difference body; Lin and Canny,
//! ICRA 1991, for walks over features; Ericson, *Real-Time Collision Detection* (2005), 5.1.

mod walk;

use super::general::{contact_general, depth_from_face, in_the_middle};
use crate::contact::NotConverged;
use crate::{Contact, Polyhedron, Pose, Shape, tolerance};
use glam::DVec3;
use walk::{Feature, Pair, Stop, Walked};

/// The contact of two polyhedra, begun from a direction that is thought to be near the normal. `None` as soon as they are
/// known to be farther apart than `limit`.
#[inline(never)]
pub(super) fn contact_polyhedra(
    a: &Shape,
    b: &Shape,
    [first, second]: [&Polyhedron; 2],
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    let pair = Pair::new(first, second, pose_ab);
    let guess = guess.and_then(DVec3::try_normalize);
    let start = guess.unwrap_or_else(|| {
        let (centre, _) = pair.inner_ball();
        if centre.length() > tolerance::COINCIDENT * pair.size { -centre.normalize() } else { DVec3::X }
    });
    let (farthest, gap) = pair.farthest(start);
    if gap > limit {
        return Ok(None);
    }
    let ready = |stop: Stop, flat: bool| {
        let Stop { normal, gap, point_a, .. } = stop;
        let contact = Contact { normal, separation: gap, point_a, point_b: point_a + normal * gap };
        if flat { in_the_middle(a.into(), b.into(), pose_ab, contact, pair.size) } else { contact }
    };
    // The face of the last step is mostly the face of this one.
    if guess.is_some()
        && let Some(stop) = pair.face_near(farthest, start)
        && let Some(flat) = if pair.stands_alone(&stop) { Some(false) } else { lies_flat(&pair, &stop) }
        && (stop.gap >= 0.0 || is_least_depth(&pair, &stop))
    {
        return Ok((stop.gap <= limit).then(|| ready(stop, flat)));
    }
    let stop = match pair.walk(start, farthest, limit) {
        Walked::Beyond => return Ok(None),
        Walked::Stationary(stop) => stop,
        Walked::Lost => return contact_general(a, b, pose_ab, Some(start), limit),
    };
    let Some(flat) = lies_flat(&pair, &stop) else { return contact_general(a, b, pose_ab, Some(stop.normal), limit) };
    if stop.gap < 0.0 && !is_least_depth(&pair, &stop) {
        return depth_from_face(a, b, pose_ab, stop.normal, corners(&pair, &stop));
    }
    Ok(Some(ready(stop, flat)))
}

/// Whether more lies in the planes of contact than what the walk ended with; `None` if something is beyond them.
fn lies_flat(pair: &Pair, stop: &Stop) -> Option<bool> {
    let Stop { feature, normal, gap, point_a, .. } = *stop;
    let height_a = normal.dot(point_a);
    let height_b = normal.dot(pair.shift) - height_a - gap;
    // Points close together give their direction with the rounding of their places over their distance.
    let excess = match stop.room {
        Some(_) => tolerance::EXACT * pair.size,
        None => tolerance::EXACT * pair.size * (1.0 + pair.size / gap.abs().max(tolerance::EXACT * pair.size)).min(1e4),
    };
    let range = |height: f64, radius: f64| [height - tolerance::LIES_FLAT * radius, height + excess];
    let heights = [range(height_a, pair.a.bounding_radius()), range(height_b, pair.b.bounding_radius())];
    let [n_a, n_b] = Polyhedron::n_between([pair.a, pair.b], [normal, pair.as_b_sees(normal)], heights)?;
    Some(match feature {
        Feature::FaceOfA(..) => n_b > 1,
        Feature::FaceOfB(..) => n_a > 1,
        Feature::Edges(..) => n_a > 2 || n_b > 2,
        _ => false,
    })
}

/// Whether a depth is shown to be the least by its disc and the ball inside: see the head of the file.
fn is_least_depth(pair: &Pair, stop: &Stop) -> bool {
    let (centre, radius) = pair.inner_ball();
    let distance = centre.length();
    let depth = -stop.gap;
    let Some(room) = stop.room else { return false };
    if distance <= radius - depth {
        return true;
    }
    let (cosine_u, cosine_v) = ((radius - depth) / distance, -stop.normal.dot(centre) / distance);
    // Half a turn and more cannot be excluded.
    if room <= 0.0 || cosine_u + cosine_v <= 0.0 {
        return false;
    }
    let sines = ((1.0 - cosine_u * cosine_u).max(0.0) * (1.0 - cosine_v * cosine_v).max(0.0)).sqrt();
    let (r, d) = (room * room, depth * depth);
    (cosine_u * cosine_v - sines) * (r + d) >= d - r
}

/// Three corners of the face of M where a walk ended, around the foot of the origin: points of a, and of b in a's frame.
fn corners(pair: &Pair, stop: &Stop) -> [[DVec3; 2]; 3] {
    let of_a = |v: u32| pair.a.vertices()[v as usize];
    let of_b = |v: u32| pair.turn * pair.b.vertices()[v as usize] + pair.shift;
    match stop.feature {
        Feature::FaceOfA(face, b) => {
            let b = of_b(b);
            around(pair.a, face, b).map(|v| [of_a(v), b])
        }
        Feature::FaceOfB(a, face) => {
            let a = of_a(a);
            around(pair.b, face, pair.turn.transpose() * (a - pair.shift)).map(|v| [a, of_b(v)])
        }
        Feature::Edges(edge_a, edge_b) => {
            let ([p, q], [r, s]) =
                (pair.a.edges()[edge_a as usize].vertices.map(of_a), pair.b.edges()[edge_b as usize].vertices.map(of_b));
            // The diagonal from q - r to p - s parts the parallelogram.
            let (first, second, diagonal) = ([p, r], [q, s], [[q, r], [p, s]]);
            let w = |[a, b]: [DVec3; 2]| a - b;
            let across = (w(diagonal[1]) - w(diagonal[0])).cross(stop.normal);
            let foot = -stop.normal * stop.gap;
            let side = |x: DVec3| across.dot(x - w(diagonal[0]));
            let near = if (side(foot) < 0.0) == (side(w(first)) < 0.0) { first } else { second };
            [near, diagonal[0], diagonal[1]]
        }
        Feature::Corners(a, b) => [[of_a(a), of_b(b)]; 3],
        Feature::EdgeOfA(edge, b) => {
            let [p, q] = pair.a.edges()[edge as usize].vertices.map(of_a);
            [[p, of_b(b)], [q, of_b(b)], [p, of_b(b)]]
        }
        Feature::EdgeOfB(a, edge) => {
            let [r, s] = pair.b.edges()[edge as usize].vertices.map(of_b);
            [[of_a(a), r], [of_a(a), s], [of_a(a), r]]
        }
    }
}

/// The triangle of a face, cut into a fan, that a point is over.
fn around(polyhedron: &Polyhedron, face: u32, point: DVec3) -> [u32; 3] {
    let face = &polyhedron.faces()[face as usize];
    let place = |k: usize| polyhedron.vertices()[face.vertices[k] as usize];
    let last = face.vertices.len() - 1;
    let is_left = |k: usize| face.normal.dot((place(k) - place(0)).cross(point - place(0))) >= 0.0;
    let k = (2..last).find(|&k| !is_left(k)).unwrap_or(last);
    [face.vertices[0], face.vertices[k - 1], face.vertices[k]]
}
