//! Two bodies of revolution: the largest gap over all directions, by the pieces of which the gap is made.
//!
//! With u and v the components of the normal along the two axes, the gap is n . (c_b - c_a) - f_a(u) - f_b(-v), each f the
//! support of a profile ([`profile`]): four numbers in (Feng's d, alpha, s1, s2) and two unknowns. Its pieces are points
//! (both bodies farthest with their straight sides; one with a cap), circles (one with its side) and areas (ring against
//! ring). The order of work:
//!
//! 1. the common normal of the two sides, if their lines cross within them, and the caps;
//! 2. Newton's method from a direction of the last step or from the best of a few ([`ascend`]);
//! 3. proof that what was found is the best ([`certify`]): for bodies apart any stationary direction is.
//!
//! Where no proof is found (depths comparable to the bodies, axes that coincide, thin bodies through each other) the general
//! algorithm answers. So no answer rests on the choice of directions.
//!
//! Reference: Feng, Han and Owen, *A generic contact detection framework for cylindrical particles in discrete element
//! modelling*, Comput. Methods Appl. Mech. Engrg. 315 (2017) 632, for the frame and the pieces.

mod ascend;
mod bulging;
mod certify;
pub mod crowned;
mod profile;
pub mod warm;

use super::convex::Convex;
use super::general::{contact_convex, in_the_middle};
use crate::contact::NotConverged;
use crate::{Contact, Cylinder, Pose, Shape, tolerance};
use ascend::{Ascent, Near, Stationary, ascend, between};
pub(crate) use bulging::{Bulging, Farthest};
use certify::is_best;
use glam::DVec3;
use profile::{Facing, First, Profile, Second, Side, Turned};
use warm::{Cylinders, Meeting, warm};

/// Around a guess: the angle [rad] by which a normal turns in a step of a run at most, and some more for caps, which are tried
/// only once.
const FROM_GUESS: Near = Near { side: 1e-3, cap: 0.02 };

/// Around any other direction.
const FROM_AFAR: Near = Near { side: tolerance::LIES_FLAT, cap: 0.35 };

/// How many directions a search is begun from before the general algorithm takes over.
const MOST_SEARCHES: usize = 3;

/// Two bodies of revolution, seen from a.
struct Pair<'p, A> {
    a: A,
    b: Second<'p>,
    size: f64,
}

impl<A: Side> Pair<'_, A> {
    /// The gap along a unit normal [m].
    #[inline]
    fn gap(&self, normal: DVec3) -> f64 {
        normal.dot(self.b.centre) - self.a.reach(normal) - self.b.reach(normal)
    }

    /// The same where it is known how the bodies stand to the normal.
    #[inline]
    fn gap_facing(&self, normal: DVec3, [a, b]: &[Facing; 2]) -> f64 {
        normal.dot(self.b.centre) - self.a.profile().reach(a.u, a.s) - self.b.profile.reach(b.u, b.s)
    }
}

/// The contact of two bodies of revolution, begun from a direction that is thought to be near the normal; `None` as soon as
/// they are known to be farther apart than `limit`. Other shapes go to [`super::contact_general`].
pub fn contact_revolution(
    shape_a: &Shape,
    shape_b: &Shape,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    if let (Shape::Cylinder(a), Shape::Cylinder(b), Some(guess)) = (shape_a, shape_b, guess.and_then(unit))
        && let Some(contact) = warm_cylinders(a, b, pose_ab, guess)
    {
        return Ok((contact.separation <= limit).then_some(contact));
    }
    let (a, b) = (Convex::from(shape_a), Convex::from(shape_b));
    let (Some(profile_a), Some(profile_b)) = (Profile::of(shape_a), Profile::of(shape_b)) else {
        return contact_convex(a, b, pose_ab, guess, limit);
    };
    contact_profiles([&profile_a, &profile_b], a, b, pose_ab, guess, limit)
}

/// The same where at least one of them may bulge.
pub(super) fn contact_bulging(
    revolutions: [&Revolution; 2],
    a: Convex,
    b: Convex,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    let found = contact_profiles(revolutions.map(|revolution| &revolution.0), a, b, pose_ab, guess, limit)?;
    Ok(found.map(|contact| sharpened(contact, a, b, pose_ab)))
}

/// The same contact with the gap along its normal told from the surfaces: a search measures it from the centres of arcs, which
/// for long rods and thin discs are up to a million times as large as the body.
fn sharpened(contact: Contact, a: Convex, b: Convex, pose_ab: &Pose) -> Contact {
    let normal = contact.normal;
    let own = a.support(normal);
    let other = pose_ab.transform_point(b.support(pose_ab.inverse_transform_vector(-normal)));
    let separation = (other - own).dot(normal);
    let (middle, half) = (0.5 * (contact.point_a + contact.point_b), normal * (0.5 * separation));
    Contact { normal, separation, point_a: middle - half, point_b: middle + half }
}

/// The contact of two bodies whose profiles are known.
#[inline]
fn contact_profiles(
    [profile_a, profile_b]: [&Profile; 2],
    a: Convex,
    b: Convex,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    let pair = Pair {
        a: First(profile_a),
        b: Second { profile: profile_b, centre: pose_ab.position, axis: pose_ab.orientation * DVec3::Z },
        size: profile_a.bounding_radius.max(profile_b.bounding_radius),
    };
    let middle = |contact| in_the_middle(a, b, pose_ab, contact, pair.size);
    match search(&pair, guess, limit, |contact| Some(middle(contact))) {
        Found::Beyond => Ok(None),
        Found::Contact(contact) => Ok((contact.separation <= limit).then_some(contact)),
        // Bounds that do not close from the best direction may close from another.
        Found::Nothing(best) => contact_convex(a, b, pose_ab, best.or(guess), limit).or_else(|open| {
            contact_convex(a, b, pose_ab, None, limit)
                .map_err(|other| if other.bound < open.bound { other } else { open })
        }),
    }
}

/// The contact of two cylinders from the normal of a moment ago, if that tells.
#[inline]
fn warm_cylinders(a: &Cylinder, b: &Cylinder, pose_ab: &Pose, guess: DVec3) -> Option<Contact> {
    // Not zero: clearing half a register compiles to an instruction that Valgrind 3.19 does not know.
    let zero = guess.z * 0.0;
    let axes = [DVec3::new(zero, zero, 1.0), pose_ab.orientation * DVec3::Z];
    let meeting = Meeting::of(guess.dot(axes[0]), guess.dot(axes[1]));
    let side =
        |c: &Cylinder, axis: DVec3| Cylinders { axis: axis.into(), radius: c.radius, half_height: c.half_height };
    let (a, b) = (side(a, axes[0]), side(b, axes[1]));
    let (found, proven) = warm::<f64>(meeting, &a, &b, pose_ab.position.into(), guess.into());
    proven.then(|| {
        let (normal, point_a) = (DVec3::from(found.normal), DVec3::from(found.point_a));
        Contact { normal, separation: found.separation, point_a, point_b: point_a + normal * found.separation }
    })
}

/// A body of revolution, made ready for many questions.
#[derive(Clone, Copy, Debug)]
pub struct Revolution(Profile);

impl Revolution {
    /// A shape, if it is a body of revolution about its local z axis.
    pub fn of(shape: &Shape) -> Option<Revolution> {
        Profile::of(shape).map(Revolution)
    }

    /// The gap to another along a unit direction [m]. `axes` are the two unit axes, `offset` goes from this one's origin to
    /// the other's.
    #[inline]
    pub fn gap_along(&self, other: &Revolution, axes: [DVec3; 2], offset: DVec3, direction: DVec3) -> f64 {
        self.pair(other, axes, offset).gap(direction)
    }

    /// The farthest point along a unit direction, from the origin [m].
    pub fn farthest(&self, axis: DVec3, direction: DVec3) -> DVec3 {
        let side = Turned { profile: &self.0, axis };
        let facing = side.facing(direction);
        let ring = self.0.ring(self.0.ring_at(facing.u));
        side.core_point(ring, facing.radial) + direction * ring.margin
    }

    /// A lower bound of the distance to another [m], and a unit direction in which it shows: of those between the nearest
    /// points of the axes, between the centres and along either axis the best, or the first that shows more than `enough`.
    pub fn apart_at_least(&self, other: &Revolution, axes: [DVec3; 2], offset: DVec3, enough: f64) -> (f64, DVec3) {
        let pair = self.pair(other, axes, offset);
        let between_axes = nearest_of_axes([self.0.ends(), other.0.ends()], axes, offset);
        let along = |axis: DVec3| axis * 1f64.copysign(axis.dot(offset));
        let directions = [between_axes.normalize_or_zero(), along(axes[0]), along(axes[1]), offset.normalize_or_zero()];
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        for direction in directions.into_iter().filter(|&direction| direction != DVec3::ZERO) {
            let gap = pair.gap(direction);
            if gap > best.0 {
                best = (gap, direction);
            }
            if gap > enough {
                break;
            }
        }
        best
    }

    /// The contact with another, apart or overlapping, in a frame with this one's origin: as [`contact_revolution`], faster
    /// where many questions are asked about the same bodies. `None` where that one would go beyond two profiles: to the
    /// middle of two faces, or to the general algorithm.
    pub fn contact(
        &self,
        other: &Revolution,
        axes: [DVec3; 2],
        offset: DVec3,
        guess: Option<DVec3>,
    ) -> Option<Contact> {
        match search(&self.pair(other, axes, offset), guess, f64::INFINITY, |_| None) {
            Found::Contact(contact) => Some(contact),
            Found::Beyond | Found::Nothing(_) => None,
        }
    }

    #[inline]
    fn pair<'p>(&'p self, other: &'p Revolution, axes: [DVec3; 2], offset: DVec3) -> Pair<'p, Turned<'p>> {
        Pair {
            a: Turned { profile: &self.0, axis: axes[0] },
            b: Second { profile: &other.0, centre: offset, axis: axes[1] },
            size: self.0.bounding_radius.max(other.0.bounding_radius),
        }
    }
}

/// The way from the axis of one body to that of another, each between two heights, where they are nearest (Ericson 2005,
/// section 5.1.9).
fn nearest_of_axes(ends: [(f64, f64); 2], axes: [DVec3; 2], offset: DVec3) -> DVec3 {
    let [(low_a, high_a), (low_b, high_b)] = ends;
    let cosine = axes[0].dot(axes[1]);
    let (along_a, along_b) = (offset.dot(axes[0]), offset.dot(axes[1]));
    let square = 1.0 - cosine * cosine;
    // Of parallel axes any point serves.
    let s = if square > tolerance::EXACT { (along_a - cosine * along_b) / square } else { along_a };
    let s = s.clamp(low_a, high_a);
    let t = (cosine * s - along_b).clamp(low_b, high_b);
    let s = (along_a + cosine * t).clamp(low_a, high_a);
    offset + axes[1] * t - axes[0] * s
}

enum Found {
    Beyond,
    Contact(Contact),
    /// Nothing that is proven: the best direction met.
    Nothing(Option<DVec3>),
}

/// Searches from a guess, then from the best of a few directions. `middle` puts the points of two faces that lie on each
/// other into the middle of what they share.
#[inline(always)]
fn search<A: Side>(
    pair: &Pair<A>,
    guess: Option<DVec3>,
    limit: f64,
    middle: impl Fn(Contact) -> Option<Contact>,
) -> Found {
    let mut best: Option<(f64, DVec3)> = None;
    if let Some(start) = guess.and_then(unit) {
        match conclude(pair, ascend(pair, start, FROM_GUESS, limit), &middle) {
            Found::Nothing(Some(normal)) => best = Some((pair.gap(normal), normal)),
            Found::Nothing(None) => return Found::Nothing(None),
            found => return found,
        }
    }
    from_afar(pair, best, limit, &middle)
}

/// A direction of unit length; what is given as one, up to rounding, is one.
#[inline(always)]
fn unit(direction: DVec3) -> Option<DVec3> {
    if (direction.length_squared() - 1.0).abs() <= tolerance::EXACT {
        Some(direction)
    } else {
        direction.try_normalize()
    }
}

/// Directions to begin from: the common normal of the sides, the axes, what of the line between the centres is across them,
/// and that line.
fn starts<A: Side>(pair: &Pair<A>) -> Starts {
    let mut starts = Starts::default();
    let offset = pair.b.centre;
    if let (Some(a), Some(b)) = (pair.a.profile().first_side(), pair.b.profile.first_side())
        && let Some(normal) = between(pair, [a, b], offset)
    {
        starts.add(pair, normal);
    }
    for axis in [pair.a.axis(), pair.b.axis] {
        let along = offset.dot(axis);
        starts.add(pair, axis * 1f64.copysign(along));
        if let Some(radial) = (offset - axis * along).try_normalize() {
            starts.add(pair, radial);
        }
    }
    if let Some(line) = offset.try_normalize() {
        starts.add(pair, line);
    }
    starts
}

/// Searches from the best of a few directions.
fn from_afar<A: Side>(
    pair: &Pair<A>,
    mut best: Option<(f64, DVec3)>,
    limit: f64,
    middle: &impl Fn(Contact) -> Option<Contact>,
) -> Found {
    // Of bodies far apart the line between the centres tells at once.
    if limit < f64::INFINITY && pair.b.centre.try_normalize().is_some_and(|line| pair.gap(line) > limit) {
        return Found::Beyond;
    }
    let mut starts = starts(pair);
    for _ in 0..MOST_SEARCHES {
        let Some((gap, start)) = starts.take_best() else { break };
        if gap > limit {
            return Found::Beyond;
        }
        match conclude(pair, ascend(pair, start, FROM_AFAR, limit), middle) {
            Found::Nothing(Some(normal)) => {
                let gap = pair.gap(normal);
                if best.is_none_or(|(largest, _)| gap > largest) {
                    best = Some((gap, normal));
                }
            }
            found => return found,
        }
    }
    Found::Nothing(best.map(|(_, normal)| normal))
}

/// The contact of a search that ended well and whose end is proven to be the best.
#[inline(always)]
fn conclude<A: Side>(pair: &Pair<A>, ascent: Ascent, middle: &impl Fn(Contact) -> Option<Contact>) -> Found {
    let found = match ascent {
        Ascent::Beyond => return Found::Beyond,
        Ascent::Stuck(normal) => return Found::Nothing(Some(normal)),
        Ascent::Stationary(found) => found,
    };
    let Stationary { normal, gap, points: [point_a, point_b], facings } = found;
    let contact = Contact { normal, separation: gap, point_a, point_b };
    let flat = [shows(pair.a.profile(), &facings[0]), shows(pair.b.profile, &facings[1])];
    // Lines that cross do so in a point.
    let cross = || pair.a.axis().cross(pair.b.axis).length_squared() > tolerance::LIES_FLAT * tolerance::LIES_FLAT;
    if flat[0] == Shown::Point || flat[1] == Shown::Point || flat == [Shown::Line; 2] && cross() {
        return if is_best(pair, &found) { Found::Contact(contact) } else { Found::Nothing(Some(normal)) };
    }
    let Some(contact) = middle(contact) else { return Found::Nothing(None) };
    let found = Stationary { points: [contact.point_a, contact.point_b], ..found };
    if is_best(pair, &found) { Found::Contact(contact) } else { Found::Nothing(Some(normal)) }
}

/// What of a body is farthest along a direction.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Point,
    Line,
    Disc,
}

#[inline]
fn shows(profile: &Profile, facing: &Facing) -> Shown {
    let flat = tolerance::LIES_FLAT * profile.bounding_radius;
    let ring = profile.ring(profile.ring_at(facing.u));
    if ring.radius > 0.0 && 2.0 * ring.radius * facing.s <= flat {
        return Shown::Disc;
    }
    if profile.side_near(facing.u, flat).is_some() { Shown::Line } else { Shown::Point }
}

/// Directions to begin from.
#[derive(Default)]
struct Starts {
    gaps: [f64; 8],
    normals: [DVec3; 8],
    len: usize,
}

impl Starts {
    #[inline]
    fn add<A: Side>(&mut self, pair: &Pair<A>, normal: DVec3) {
        if self.len < self.gaps.len() {
            self.gaps[self.len] = pair.gap(normal);
            self.normals[self.len] = normal;
            self.len += 1;
        }
    }

    /// The one with the largest gap, taken out.
    #[inline]
    fn take_best(&mut self) -> Option<(f64, DVec3)> {
        let mut best = 0;
        for k in 1..self.len {
            if self.gaps[k] > self.gaps[best] {
                best = k;
            }
        }
        if self.len == 0 {
            return None;
        }
        let taken = (self.gaps[best], self.normals[best]);
        self.len -= 1;
        self.gaps[best] = self.gaps[self.len];
        self.normals[best] = self.normals[self.len];
        Some(taken)
    }
}
