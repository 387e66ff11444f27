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
//! Resting contacts are proven by the first, which takes three operations. Deep ones that are not are left to the general pair, which expands a
//! polytope until its bounds meet; what it finds is compared with the walk's.
//!
//! Begun from the normal of the last step the walk looks at one piece. Measured (ellipsoids with a cube, and with hulls of 20 corners; callgrind): see
//! `benchmarks/pairs`.
//!
//! References: Mirtich, *V-Clip: fast and robust polyhedral collision detection*, ACM Trans. Graphics 17 (1998) 177, for the walk; Peng and
//! Hanley, Powder Technology 356 (2019) 11, for the pair; Blaschke, *Kreis und Kugel* (1916), for rolling balls.

mod round;
mod walk;

use super::general::contact_general;
use crate::contact::NotConverged;
use crate::{Contact, Polyhedron, Pose, Shape, Superquadric, tolerance};
use glam::DVec3;
use round::Round;
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
    match known(a, b, pose_ab, guess, limit) {
        Known::Beyond => Ok(None),
        Known::Contact(contact) => Ok(Some(contact)),
        Known::Local(contact) => deepest(a, b, pose_ab, Some(&contact), limit),
        Known::Nothing => deepest(a, b, pose_ab, None, limit),
    }
}

/// What a walk tells, in a's frame, begun from a unit direction or from nothing.
fn known(a: &Shape, b: &Shape, pose_ab: &Pose, guess: Option<DVec3>, limit: f64) -> Known {
    match (a, b) {
        (Shape::Polyhedron(polyhedron), Shape::Superquadric(round)) => find(polyhedron, round, pose_ab, guess, limit),
        (Shape::Superquadric(round), Shape::Polyhedron(polyhedron)) => {
            let pose = pose_ab.relative(&Pose::IDENTITY);
            let guess = guess.map(|n| -pose_ab.inverse_transform_vector(n));
            match find(polyhedron, round, &pose, guess, limit) {
                Known::Contact(contact) => Known::Contact(turned(&contact, pose_ab)),
                Known::Local(contact) => Known::Local(turned(&contact, pose_ab)),
                other => other,
            }
        }
        _ => Known::Nothing,
    }
}

/// What is known after a walk, in the polyhedron's frame.
enum Known {
    /// The bodies are farther apart than the limit.
    Beyond,
    /// The answer, and proven.
    Contact(Contact),
    /// A local minimum of bodies that overlap.
    Local(Contact),
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
        Walked::Lost => Known::Nothing,
        Walked::Stationary(stop) => {
            let Stop { normal, gap, point, .. } = stop;
            let contact = Contact { normal, separation: gap, point_a: point, point_b: point + normal * gap };
            if gap >= 0.0 || is_least_depth(&pair, &stop) { Known::Contact(contact) } else { Known::Local(contact) }
        }
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

/// The contact where a walk did not prove it: of what the general pair finds, what a walk from there does and a local minimum that is known, the
/// one with the largest gap. The general pair proves its depth to a share of the size; the walk is exact.
#[cold]
fn deepest(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    local: Option<&Contact>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    let guess = local.map(|contact| contact.normal);
    let general = contact_general(a, b, pose_ab, guess, f64::INFINITY).map(|found| found.unwrap_or(Contact::NOWHERE));
    let (mut best, bound) = match general {
        Ok(contact) => (contact, None),
        Err(open) => (open.best, Some(open.bound)),
    };
    let (walked, is_proven) = match known(a, b, pose_ab, Some(best.normal), f64::INFINITY) {
        Known::Contact(contact) => (Some(contact), true),
        Known::Local(contact) => (Some(contact), false),
        Known::Beyond | Known::Nothing => (None, false),
    };
    if is_proven && let Some(contact) = walked {
        return Ok(Some(contact).filter(|contact| contact.separation <= limit));
    }
    for contact in local.copied().into_iter().chain(walked) {
        if contact.separation >= best.separation {
            best = contact;
        }
    }
    match bound {
        None => Ok(Some(best).filter(|contact| contact.separation <= limit)),
        Some(bound) => Err(NotConverged { best, bound }),
    }
}
