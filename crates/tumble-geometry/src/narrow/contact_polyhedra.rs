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
//!
//! With v the angle between n and -c, t < u + v: where 2 atan(r / d) >= u + v nothing is better than n. A resting contact is
//! a small depth in a large face, so that r / d is large and this is all there is to do: some thirty operations that need
//! no knowledge of any other face, edge or corner. It does not matter how n was found, so that a guess changes the cost only.
//!
//! Where the foot is within about a depth of the border of F the proof may fail, as it does for deep overlaps. Then the
//! polytope of the corners of F and of the corner farthest behind it is expanded until its bounds meet
//! (`general::depth_from_face`); mostly its first faces are far enough already. Where the walk is lost among pieces that
//! coincide to rounding it begins anew from the line of centres and from what the general pair finds, and in the last resort the
//! normals of all faces and all pairs of edges whose arcs cross are tried, which is complete.
//!
//! Every answer is checked. One pass over the corners of both bodies shows that none is beyond the planes of contact, and counts
//! those that lie in them: where more than the walk's own do, the witness points of an overlap go to the middle of what touches. The face of
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

/// What is known after a walk.
enum Known {
    /// The bodies are farther apart than the limit.
    Beyond,
    /// The answer, and proven.
    Contact(Contact),
    /// Nothing for certain.
    Unsure,
}

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
    let question = Question { a, b, pose_ab, pair: &pair, limit };
    let guess = guess.and_then(DVec3::try_normalize);
    let known = match guess {
        Some(guess) => question.begun_from(guess, true),
        None => question.begun_from(centre_line(&pair), false),
    };
    match known {
        Known::Beyond => Ok(None),
        Known::Contact(contact) => Ok(Some(contact)),
        Known::Unsure => question.otherwise(guess.is_some()),
    }
}

/// The direction between the centres.
fn centre_line(pair: &Pair) -> DVec3 {
    let (centre, _) = pair.inner_ball();
    if centre.length() > tolerance::COINCIDENT * pair.size { -centre.normalize() } else { DVec3::X }
}

/// What is asked.
struct Question<'q> {
    a: &'q Shape,
    b: &'q Shape,
    pose_ab: &'q Pose,
    pair: &'q Pair<'q>,
    limit: f64,
}

impl Question<'_> {
    #[inline(always)]
    fn ready(&self, stop: Stop, flat: bool) -> Contact {
        let Stop { normal, gap, point_a, .. } = stop;
        let contact = Contact { normal, separation: gap, point_a, point_b: point_a + normal * gap };
        if flat && gap < 0.0 { self.in_the_middle(contact) } else { contact }
    }

    fn in_the_middle(&self, contact: Contact) -> Contact {
        in_the_middle(self.a.into(), self.b.into(), self.pose_ab, contact, self.pair.size)
    }

    /// The answer as far as a walk from a unit direction tells it, which may be near the normal.
    #[inline(always)]
    fn begun_from(&self, start: DVec3, is_near: bool) -> Known {
        let pair = self.pair;
        let start_b = pair.as_b_sees(start);
        let farthest = pair.farthest(start, start_b);
        // The face of the last step is mostly the face of this one.
        if is_near
            && let Some(stop) = pair.face_near(farthest, start, start_b)
            && let Some(flat) = if pair.stands_alone(&stop) { Some(false) } else { lies_flat(pair, &stop) }
            && (stop.gap >= 0.0 || is_least_depth(pair, &stop))
        {
            return if stop.gap > self.limit { Known::Beyond } else { Known::Contact(self.ready(stop, flat)) };
        }
        self.walked(start, farthest)
    }

    /// The same where the face of the last step is not that of this one. It stays out of the way of those for which it is.
    #[inline(never)]
    fn walked(&self, start: DVec3, farthest: [u32; 2]) -> Known {
        let Question { a, b, pose_ab, pair, limit } = *self;
        if pair.gap(farthest, start) > limit {
            return Known::Beyond;
        }
        let stop = match pair.walk(start, farthest, limit) {
            Walked::Beyond => return Known::Beyond,
            Walked::Stationary(stop) => stop,
            Walked::Lost => return Known::Unsure,
        };
        let Some(flat) = lies_flat(pair, &stop) else { return Known::Unsure };
        if stop.gap >= 0.0 || is_least_depth(pair, &stop) {
            return Known::Contact(self.ready(stop, flat));
        }
        match depth_from_face(a, b, pose_ab, stop.normal, corners(pair, &stop)) {
            Ok(contact) if contact.separation <= 0.0 => {
                if contact.separation > limit {
                    Known::Beyond
                } else {
                    Known::Contact(self.on_planes(contact))
                }
            }
            // Bodies apart can look like this from behind.
            _ => Known::Unsure,
        }
    }

    /// The answer where a walk did not find it, from a guess or from the line of centres: where pieces of M coincide to
    /// rounding. Walks begin anew, and if need be all faces and pairs of edges are tried.
    #[cold]
    fn otherwise(&self, had_guess: bool) -> Result<Option<Contact>, NotConverged> {
        let Question { a, b, pose_ab, pair, limit } = *self;
        let within = |contact: Contact| (contact.separation <= limit).then_some(contact);
        if had_guess {
            match self.begun_from(centre_line(pair), false) {
                Known::Beyond => return Ok(None),
                Known::Contact(contact) => return Ok(Some(contact)),
                Known::Unsure => {}
            }
        }
        let general =
            contact_general(a, b, pose_ab, None, f64::INFINITY).map(|found| found.unwrap_or(Contact::NOWHERE));
        let best = general.unwrap_or_else(|open| open.best);
        match self.begun_from(best.normal, true) {
            Known::Beyond => return Ok(None),
            Known::Contact(contact) => return Ok(Some(contact)),
            Known::Unsure => {}
        }
        // Of bodies apart these directions are no answer, and there are many.
        if best.separation <= tolerance::LIES_FLAT * pair.size {
            let (gap, normal) = largest_gap_of_all(pair);
            if gap <= tolerance::EXACT * pair.size {
                return Ok(within(self.on_planes(self.in_the_middle(self.at_corner(normal, gap)))));
            }
        }
        general.map(|contact| within(self.on_planes(contact)))
    }

    /// The contact along a direction at a's farthest corner.
    fn at_corner(&self, normal: DVec3, gap: f64) -> Contact {
        let point_a = self.pair.a.support(normal);
        Contact { normal, separation: gap, point_a, point_b: point_a + normal * gap }
    }

    /// The contact of bodies that overlap or touch, at a corner if its point is not in the plane of contact: where needles touch along edges
    /// that are parallel to rounding, a middle or a simplex can miss it.
    fn on_planes(&self, contact: Contact) -> Contact {
        let corner = self.at_corner(contact.normal, contact.separation);
        let off = contact.normal.dot(contact.point_a - corner.point_a).abs();
        let touches = contact.separation <= tolerance::EXACT * self.pair.size;
        if touches && off > tolerance::LIES_FLAT * self.pair.size { corner } else { contact }
    }
}

/// The largest gap along the normals of all faces and the common perpendiculars of all pairs of edges whose arcs of normals cross,
/// and its direction.
fn largest_gap_of_all(pair: &Pair) -> (f64, DVec3) {
    let (a, b) = (pair.a, pair.b);
    let mut best = (f64::NEG_INFINITY, DVec3::X);
    let mut attempt = |n: DVec3| {
        let gap = pair.gap_along(n);
        if gap > best.0 {
            best = (gap, n);
        }
    };
    a.faces().iter().for_each(|face| attempt(face.normal));
    b.faces().iter().for_each(|face| attempt(-(pair.turn * face.normal)));
    for rib_a in &a.web().ribs {
        for rib_b in &b.web().ribs {
            let cross = rib_a.along.cross(pair.turn * rib_b.along).normalize_or_zero();
            for n in [cross, -cross] {
                // Both edges must be farthest; rounding decides for arcs that touch.
                let n_b = pair.as_b_sees(n);
                let is_on_arc = |inward: &[DVec3; 2], n: DVec3| inward.iter().all(|inward| inward.dot(n) <= ARC);
                if n != DVec3::ZERO && is_on_arc(&rib_a.inward, n) && is_on_arc(&rib_b.inward, n_b) {
                    attempt(n);
                }
            }
        }
    }
    best
}

/// Sine of an angle. A direction this little beyond the end of an arc is on it.
const ARC: f64 = 1e-9;

/// Whether more lies in the planes of contact than what the walk ended with; `None` if something is beyond them.
fn lies_flat(pair: &Pair, stop: &Stop) -> Option<bool> {
    let Stop { feature, normal, gap, point_a, .. } = *stop;
    let height_a = normal.dot(point_a);
    let height_b = normal.dot(pair.shift) - height_a - gap;
    // What is beyond is how far the gap may be off. Points close together give their direction only with the rounding of their
    // places over their distance; where that is too much something else must answer.
    let excess = 4.0 * tolerance::EXACT * pair.size;
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
#[inline(always)]
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
            let ([p, q], [r, s]) = (
                pair.a.edges()[edge_a as usize].vertices.map(of_a),
                pair.b.edges()[edge_b as usize].vertices.map(of_b),
            );
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
