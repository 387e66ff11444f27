//! A convex polyhedron and a superquadric.
//!
//! With h the support functions, c the centre of the superquadric seen from the polyhedron and f(n) = h_P(n) + h_S(n) - n . c, the separation is
//! minus the least f over all directions. f is smooth but where the polyhedron goes from one vertex to another: the pieces are its faces (a
//! point of the sphere of directions), edges (an arc) and vertices (an area). A walk over them ([`walk`]) ends at a local minimum of f, against the smooth
//! support of the superquadric ([`round`]).
//!
//! **Apart**, f < 0, that is the distance, and proven by its two points.
//!
//! **Overlapping** by d, f may have several local minima. That the one found is the least is proven in one of two ways. If a point is at
//! least d inside a body, then all translations that part a point there from it are as long, so that d is the depth.
//! - An edge or a vertex touches at e. If a ball of radius d about e is inside the superquadric, nothing is less. Such a ball touches its
//!   surface where the superquadric is deepest, so that this needs no more than a ball of that radius that does not leave the body there
//!   (`Round::inner_ball`). A face is touched below e by the same ball.
//! - A face is touched. If a ball of radius r is inside the superquadric where it is deepest, and its centre at least d - r below every face, nothing is
//!   less. That is one pass over the faces.
//!
//! Resting contacts are proven by the first, which takes three operations. For deep ones that are not, the directions of all vertices, edges and faces
//! are cut up until nothing can be less ([`strata`]), from what the general pair finds; that takes some ten times as long. Where the walk is lost the general
//! pair says whether the bodies are apart.
//!
//! Begun from the normal of the last step the walk looks at one piece. Measured (ellipsoids with a cube, and with hulls of 20 corners; callgrind): see
//! `benchmarks/pairs`.
//!
//! References: Mirtich, *V-Clip: fast and robust polyhedral collision detection*, ACM Trans. Graphics 17 (1998) 177, for the walk; Peng and
//! Hanley, Powder Technology 356 (2019) 11, for the pair; Blaschke, *Kreis und Kugel* (1916), for rolling balls.

mod round;
mod strata;
mod walk;

use super::general::contact_general;
use crate::contact::NotConverged;
use crate::{Contact, Polyhedron, Pose, Shape, Superquadric, tolerance};
use glam::DVec3;
use round::Round;
use strata::least_of_all;
use walk::{Pair, Piece, Stop, Walked};

/// The contact of a polyhedron and a superquadric, either way round, begun from a direction that is thought to be near the normal. `None` as soon
/// as they are known to be farther apart than `limit`.
pub(super) fn contact_polyhedron_superquadric(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    let guess = guess.and_then(DVec3::try_normalize);
    let known = match (a, b) {
        (Shape::Polyhedron(polyhedron), Shape::Superquadric(round)) => find(polyhedron, round, pose_ab, guess, limit),
        (Shape::Superquadric(round), Shape::Polyhedron(polyhedron)) => {
            let pose = pose_ab.relative(&Pose::IDENTITY);
            let guess = guess.map(|n| -pose_ab.inverse_transform_vector(n));
            match find(polyhedron, round, &pose, guess, limit) {
                Known::Contact(contact) => Known::Contact(turned(&contact, pose_ab)),
                Known::Open(contact, bound) => Known::Open(turned(&contact, pose_ab), bound),
                other => other,
            }
        }
        _ => Known::Nothing,
    };
    match known {
        Known::Beyond => Ok(None),
        Known::Contact(contact) => Ok(Some(contact)),
        Known::Open(best, bound) => Err(NotConverged { best, bound }),
        Known::Nothing => contact_general(a, b, pose_ab, guess, limit),
    }
}

/// What is known after a walk, in the polyhedron's frame.
enum Known {
    /// The bodies are farther apart than the limit.
    Beyond,
    /// The answer, and proven.
    Contact(Contact),
    /// The best that was found of bodies that overlap, and how far its depth may be off [m].
    Open(Contact, f64),
    /// Nothing for certain.
    Nothing,
}

/// A contact from a polyhedron b to a superquadric a, as a sees it.
fn turned(contact: &Contact, pose_ab: &Pose) -> Contact {
    Contact {
        normal: -pose_ab.transform_vector(contact.normal),
        separation: contact.separation,
        point_a: pose_ab.transform_point(contact.point_b),
        point_b: pose_ab.transform_point(contact.point_a),
    }
}

fn find(polyhedron: &Polyhedron, body: &Superquadric, pose: &Pose, guess: Option<DVec3>, limit: f64) -> Known {
    let round = Round::new(body, pose);
    let size = polyhedron.bounding_radius().max(body.semi_axes.max_element());
    let pair = Pair { polyhedron, round: &round, size, limit };
    let walked = match guess {
        Some(n) => pair.walk(pair.piece_near(n), n),
        None if limit < f64::INFINITY && is_beyond(&pair) => Walked::Beyond,
        None => match polyhedron.web().face_towards(pose.position, 0) {
            Some(face) => pair.walk(Piece::Face(face), DVec3::X),
            None => {
                let n = pose.position.normalize_or(DVec3::X);
                pair.walk(Piece::Vertex(polyhedron.support_vertex(n) as u32), n)
            }
        },
    };
    match walked {
        Walked::Beyond => Known::Beyond,
        Walked::Stationary(stop) if stop.gap >= 0.0 || is_least_depth(&pair, &stop) => Known::Contact(stop.contact()),
        Walked::Stationary(stop) => of_all_strata(&pair, pose, body, Some(stop)),
        Walked::Lost => of_all_strata(&pair, pose, body, None),
    }
}

/// The answer of all strata to bodies that overlap, from a local minimum or from nothing.
#[cold]
fn of_all_strata(pair: &Pair, pose: &Pose, body: &Superquadric, start: Option<Stop>) -> Known {
    let (a, b) = (Shape::Polyhedron(pair.polyhedron.clone()), Shape::Superquadric(*body));
    // A local minimum near a direction, or a better one: what the general pair finds, and the walk from there.
    let settle = |n: Option<DVec3>| {
        let found = contact_general(&a, &b, pose, n, f64::INFINITY).unwrap_or_else(|open| Some(open.best))?;
        let Contact { normal, separation: gap, point_a: point, .. } = found;
        let piece = pair.piece_near(normal);
        let stop = Stop { piece, normal, gap, point };
        match pair.walk(piece, normal) {
            Walked::Stationary(walked) if walked.gap >= gap => Some(walked),
            _ => Some(stop),
        }
    };
    let settled = settle(start.map(|stop| stop.normal));
    let best = match (start, settled) {
        (Some(start), Some(settled)) if start.gap >= settled.gap => start,
        (_, Some(settled)) => settled,
        (Some(start), None) => start,
        (None, None) => return Known::Nothing,
    };
    // Apart, which the general pair proves or not.
    if best.gap >= 0.0 {
        return Known::Nothing;
    }
    match least_of_all(pair, best, |n| settle(Some(n))) {
        Ok(stop) if stop.gap > pair.limit => Known::Beyond,
        Ok(stop) => Known::Contact(stop.contact()),
        Err((stop, bound)) => Known::Open(stop.contact(), bound),
    }
}

/// Whether the line of the centres shows at once that the bodies are farther apart than the limit.
#[inline]
fn is_beyond(pair: &Pair) -> bool {
    let Some(n) = (pair.round.centre - pair.polyhedron.web().inner_centre).try_normalize() else { return false };
    n.dot(pair.round.centre - pair.round.farthest(n) - pair.polyhedron.support(n)) > pair.limit
}

/// Whether a depth is shown to be the least: see the head of the file.
#[inline]
fn is_least_depth(pair: &Pair, stop: &Stop) -> bool {
    let (depth, n) = (-stop.gap, stop.normal);
    let radius = pair.round.inner_ball(n);
    if depth <= radius {
        return true;
    }
    let Piece::Face(_) = stop.piece else { return false };
    let core = stop.point + n * (stop.gap + radius);
    let least = depth - radius - tolerance::EXACT * pair.size;
    pair.polyhedron.faces().iter().all(|face| face.offset - face.normal.dot(core) >= least)
}
