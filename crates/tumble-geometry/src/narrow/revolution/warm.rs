//! Two cylinders whose normal was known a moment ago: one pair, or four side by side.
//!
//! The old normal tells which pieces meet ([`Meeting`]), and within one piece the work is always the same:
//!
//! - rims, or a rim and a side: two or three steps of Newton's method of `ascend.rs`. A side keeps the normal to the circle
//!   around its axis, and the step to that circle's tangent;
//! - two sides: their common perpendicular. Where it is beyond an end, the nearest points of the axes tell which rim meets
//!   which side;
//! - a cap and a rim: the cap's normal. A side that lies on a cap up to a small angle meets its rim: with the side across the
//!   normal, S the sine of the angle from the cap's axis within that plane, t that of the least angle, and B how far the side
//!   passes from the cap's middle, the gap is stationary where B = r S / sqrt(t^2 + S^2), up to S, so that
//!   S = t B / sqrt(r^2 - B^2) is where Newton's method starts.
//!
//! Then the proof of `certify.rs`. Where a step leaves its piece, does not end, or the proof does not hold, the lane says
//! so and nothing in it counts; the search answers. So this is a shorter way to the same answers, not another method.

use super::ascend::LAST_STEP;
use crate::lanes::{Lanes, Vector};
use crate::tolerance;

/// A cylinder in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Cylinders<L> {
    /// Unit axis.
    pub axis: Vector<L>,
    /// Radius [m].
    pub radius: L,
    /// Half of the height [m].
    pub half_height: L,
}

/// A contact in each lane, in a frame with its origin at a's centre.
#[derive(Clone, Copy, Debug)]
pub struct Contacts<L> {
    /// Unit normal, from a to b.
    pub normal: Vector<L>,
    /// Gap along it [m], negative where they overlap.
    pub separation: L,
    /// Witness point on a; that on b is the separation along the normal away.
    pub point_a: Vector<L>,
}

/// Which pieces meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// Two rims, or a rim and a side.
    Rims,
    /// Two sides.
    Sides,
    /// A cap and a rim.
    Cap,
}

impl Meeting {
    /// Which pieces meet along a unit normal with these components along the two axes.
    #[inline(always)]
    pub fn of(along_a: f64, along_b: f64) -> Meeting {
        if along_a.abs().max(along_b.abs()) > ON_CAP {
            Meeting::Cap
        } else if along_a.abs().max(along_b.abs()) <= ON_SIDE {
            Meeting::Sides
        } else {
            Meeting::Rims
        }
    }
}

/// Component of a normal along an axis below which it is that of the side: the angle by which a normal turns in a step of a
/// run at most, 1e-3, and its rounding.
const ON_SIDE: f64 = 1.0001e-3;

/// Component of a normal along an axis above which it is that of a cap: an angle of 0.02.
const ON_CAP: f64 = 0.9998;

/// Square of the sine of the angle between two axes below which their common perpendicular is left to the search: above it
/// no more than three digits are lost.
const NEARLY_PARALLEL: f64 = 1e-6;

/// The contacts along normals near to these, and in which lanes they are proven. `offset` goes from a's centre to b's.
#[inline(always)]
pub fn warm<L: Lanes>(
    meeting: Meeting,
    a: &Cylinders<L>,
    b: &Cylinders<L>,
    offset: Vector<L>,
    guess: Vector<L>,
) -> (Contacts<L>, L::Mask) {
    match meeting {
        Meeting::Rims => rims(a, b, offset, guess),
        Meeting::Sides => sides(a, b, offset, guess),
        Meeting::Cap => cap(a, b, offset, guess),
    }
}

#[inline(always)]
pub(super) fn abs<L: Lanes>(value: L) -> L {
    value.max(-value)
}

/// A size with the sign of another number.
#[inline(always)]
pub(super) fn signed<L: Lanes>(size: L, like: L) -> L {
    L::select(like.greater(L::splat(0.0)), size, -size)
}

#[inline(always)]
pub(super) fn normalized<L: Lanes>(v: Vector<L>) -> Vector<L> {
    v * (L::splat(1.0) / v.dot(v).sqrt())
}

/// How a cylinder stands to a direction.
struct Stand<L> {
    /// Components along and across the axis, and one over the latter.
    u: L,
    s: L,
    per_s: L,
    /// Unit vectors across the axis: towards the direction, and along the rims.
    radial: Vector<L>,
    tangent: Vector<L>,
}

impl<L: Lanes> Stand<L> {
    #[inline(always)]
    fn new(axis: Vector<L>, direction: Vector<L>) -> Stand<L> {
        let u = direction.dot(axis);
        let across = direction - axis * u;
        // Once more: near the axis, rounding would leave a part along it.
        let across = across - axis * across.dot(axis);
        let s = across.dot(across).sqrt();
        let per_s = L::splat(1.0) / s.max(L::splat(f64::MIN_POSITIVE));
        let radial = across * per_s;
        Stand { u, s, per_s, radial, tangent: axis.cross(radial) }
    }
}

impl<L: Lanes> Cylinders<L> {
    #[inline(always)]
    fn bounding_radius(&self) -> L {
        (self.radius * self.radius + self.half_height * self.half_height).sqrt()
    }

    /// Where what is farthest along a direction is one point of a rim, to rounding.
    #[inline(always)]
    fn shows_a_point(&self, stand: &Stand<L>) -> L::Mask {
        let flat = L::splat(0.5 * tolerance::LIES_FLAT) * self.bounding_radius();
        L::both((self.radius * stand.s).greater(flat), (self.half_height * abs(stand.u)).greater(flat))
    }

    /// How far it reaches along a direction, and its smaller half-width.
    #[inline(always)]
    fn reach_and_inner(&self, stand: &Stand<L>) -> L {
        self.radius * stand.s + self.half_height * abs(stand.u) + self.radius.min(self.half_height)
    }
}

/// Where one number is below another, and both are numbers.
#[inline(always)]
pub(super) fn below<L: Lanes>(smaller: L, larger: L) -> L::Mask {
    larger.greater(smaller)
}

/// Two cylinders of which at most one in each lane is held at its side.
struct Rims<'c, L: Lanes> {
    a: &'c Cylinders<L>,
    b: &'c Cylinders<L>,
    offset: Vector<L>,
    side_a: L::Mask,
    side_b: L::Mask,
    /// Heights of the rims.
    rim_a: L,
    rim_b: L,
}

/// What the two show along a normal, and the step from there to where the gap is stationary.
struct Look<L: Lanes> {
    stand_a: Stand<L>,
    stand_b: Stand<L>,
    /// The farthest points, and their heights along the axes.
    point_a: Vector<L>,
    point_b: Vector<L>,
    z_a: L,
    z_b: L,
    way: Vector<L>,
    gap: L,
    /// rho / s of the rims.
    bend_a: L,
    bend_b: L,
    /// Across the normal: along a's rim, and square to it; the components of b's tangent along these.
    e1: Vector<L>,
    e2: Vector<L>,
    tx: L,
    ty: L,
    step: Vector<L>,
    step_squared: L,
    /// Where the gap has a maximum near.
    ok: L::Mask,
}

impl<L: Lanes> Look<L> {
    /// Where the step is a last one: its square does not count.
    #[inline(always)]
    fn is_last(&self) -> L::Mask {
        let room = L::splat(LAST_STEP) * self.stand_a.s.min(self.stand_b.s);
        below(self.step_squared, room * room)
    }
}

impl<L: Lanes> Rims<'_, L> {
    #[inline(always)]
    fn any_side(&self) -> bool {
        L::any(L::either(self.side_a, self.side_b))
    }

    /// A direction of unit length, across the axes of sides.
    #[inline(always)]
    fn held(&self, direction: Vector<L>) -> Vector<L> {
        if !self.any_side() {
            return normalized(direction);
        }
        let n = direction - self.a.axis * direction.dot(self.a.axis).only(self.side_a);
        normalized(n - self.b.axis * n.dot(self.b.axis).only(self.side_b))
    }

    #[inline(always)]
    fn look(&self, normal: Vector<L>) -> Look<L> {
        let Rims { a, b, offset, side_a, side_b, rim_a, rim_b } = *self;
        let zero = L::splat(0.0);
        let (stand_a, stand_b) = (Stand::new(a.axis, normal), Stand::new(b.axis, -normal));
        let (ring_a, ring_b) = (stand_a.radial * a.radius, offset + stand_b.radial * b.radius);
        // A side is met where the other's rim is.
        let (mut z_a, mut z_b) = (rim_a, rim_b);
        if self.any_side() {
            z_a = L::select(side_a, a.axis.dot(ring_b + b.axis * rim_b), rim_a);
            z_b = L::select(side_b, b.axis.dot(ring_a + a.axis * rim_a - offset), rim_b);
        }
        let (point_a, point_b) = (ring_a + a.axis * z_a, ring_b + b.axis * z_b);
        let way = point_b - point_a;
        let gap =
            normal.dot(offset) - (a.radius * stand_a.s + z_a * stand_a.u) - (b.radius * stand_b.s + z_b * stand_b.u);
        let (e1, e2) = (stand_a.tangent, normal.cross(stand_a.tangent));
        let (gx, gy) = (way.dot(e1), way.dot(e2));
        let (tx, ty) = (stand_b.tangent.dot(e1), stand_b.tangent.dot(e2));
        let (bend_a, bend_b) = (a.radius * stand_a.per_s, b.radius * stand_b.per_s);
        let (xx, xy, yy) = (bend_a + bend_b * tx * tx + gap, bend_b * tx * ty, bend_b * ty * ty + gap);
        // Both angles free; or one, along the tangent of the rim whose side is held.
        let (mut bend, mut x, mut y) = (xx * yy - xy * xy, yy * gx - xy * gy, xx * gy - xy * gx);
        let mut ok = (xx + yy).greater(zero);
        if self.any_side() {
            let slope = gx * tx + gy * ty;
            bend = L::select(side_a, xx, L::select(side_b, bend_a * tx * tx + bend_b + gap, bend));
            x = L::select(side_a, gx, L::select(side_b, slope * tx, x));
            y = L::select(side_a, zero, L::select(side_b, slope * ty, y));
            ok = L::either(ok, L::either(side_a, side_b));
        }
        let per_bend = L::splat(1.0) / bend;
        let (x, y) = (x * per_bend, y * per_bend);
        let step = e1 * x + e2 * y;
        let (step_squared, ok) = (x * x + y * y, L::both(ok, bend.greater(zero)));
        Look {
            stand_a,
            stand_b,
            point_a,
            point_b,
            z_a,
            z_b,
            way,
            gap,
            bend_a,
            bend_b,
            e1,
            e2,
            tx,
            ty,
            step,
            step_squared,
            ok,
        }
    }

    /// Where what was found is proven to be the best, for bodies that overlap: see `certify.rs`.
    #[inline(always)]
    fn is_best(&self, look: &Look<L>, depth: L, left_a: L, left_b: L) -> L::Mask {
        let Rims { a, b, side_a, side_b, .. } = *self;
        let (zero, half, two) = (L::splat(0.0), L::splat(0.5), L::splat(2.0));
        let Look { tx, ty, .. } = *look;
        let (mut xx, mut xy, mut yy) = (a.radius + b.radius * tx * tx, b.radius * tx * ty, b.radius * ty * ty);
        let mut proven = zero.greater(depth);
        if self.any_side() {
            // A ball that touches the side from within.
            let in_a = L::both(side_a, below(depth, left_a.min(a.radius)));
            let in_b = L::both(side_b, below(depth, left_b.min(b.radius)));
            proven = L::either(proven, L::either(in_a, in_b));
            // The segment along a side.
            let (room_a, room_b) = ((two * left_a).only(side_a), (two * left_b).only(side_b));
            let (along_x, along_y) = (b.axis.dot(look.e1), b.axis.dot(look.e2));
            xx += room_b * along_x * along_x;
            xy += room_b * along_x * along_y;
            yy += room_a + room_b * along_y * along_y;
        }
        let (mean, difference) = (half * (xx + yy), half * (xx - yy));
        let lambda = mean - (difference * difference + xy * xy).sqrt();
        // Near the opposite direction: a body reaches at least as far as the ball in its middle, and its own point lies the
        // other way, off by no more than the turn times its distance from the middle.
        let sizes = a.bounding_radius() + b.bounding_radius();
        let reaches = a.reach_and_inner(&look.stand_a) + b.reach_and_inner(&look.stand_b);
        let turned = two * sizes * (depth / lambda).max(zero).sqrt();
        L::either(proven, L::both(lambda.greater(depth), below(two * depth + turned, reaches)))
    }
}

/// Rims and sides as the guess shows them.
#[inline(always)]
fn rims<L: Lanes>(a: &Cylinders<L>, b: &Cylinders<L>, offset: Vector<L>, guess: Vector<L>) -> (Contacts<L>, L::Mask) {
    let (along_a, along_b) = (guess.dot(a.axis), -guess.dot(b.axis));
    let pair = Rims {
        a,
        b,
        offset,
        side_a: below(abs(along_a), L::splat(ON_SIDE)),
        side_b: below(abs(along_b), L::splat(ON_SIDE)),
        rim_a: signed(a.half_height, along_a),
        rim_b: signed(b.half_height, along_b),
    };
    follow(&pair, guess)
}

/// Follows the gap from a direction.
#[inline(always)]
fn follow<L: Lanes>(pair: &Rims<L>, guess: Vector<L>) -> (Contacts<L>, L::Mask) {
    let (zero, half) = (L::splat(0.0), L::splat(0.5));
    let Rims { a, b, .. } = *pair;
    // What a lane does must not depend on its neighbours: without a side, the guess stays as it is.
    let first = Vector::select(L::either(pair.side_a, pair.side_b), pair.held(guess), guess);
    let near = pair.look(first);
    let mut normal = pair.held(first + near.step);
    let mut look = pair.look(normal);
    if L::any(L::not(look.is_last())) {
        normal = Vector::select(look.is_last(), normal, pair.held(normal + look.step));
        look = pair.look(normal);
    }
    let stays_a = L::either(pair.side_a, (look.stand_a.u * pair.rim_a).greater(zero));
    let stays_b = L::either(pair.side_b, (look.stand_b.u * pair.rim_b).greater(zero));
    let ends = L::both(L::both(near.ok, look.ok), look.is_last());
    // The two touch in a point, within a side.
    let (left_a, left_b) = (a.half_height - abs(look.z_a), b.half_height - abs(look.z_b));
    let on_a = L::select(pair.side_a, left_a, L::splat(1.0)).greater(zero);
    let on_b = L::select(pair.side_b, left_b, L::splat(1.0)).greater(zero);
    let is_point = L::either(
        L::both(L::not(pair.side_a), a.shows_a_point(&look.stand_a)),
        L::both(L::not(pair.side_b), b.shows_a_point(&look.stand_b)),
    );
    let ok = L::both(L::both(ends, is_point), L::both(L::both(stays_a, stays_b), L::both(on_a, on_b)));

    let longer = normal + look.step;
    let normal = longer * (L::splat(1.5) - half * longer.dot(longer));
    let separation = look.gap + half * look.way.dot(look.step);
    // A rim's point moves by rho / s along its tangent.
    let (tangent_a, tangent_b) = (look.stand_a.tangent, look.stand_b.tangent);
    let point_a = look.point_a + tangent_a * (look.bend_a * tangent_a.dot(look.step));
    let point_b = look.point_b - tangent_b * (look.bend_b * tangent_b.dot(look.step));
    let point_a = Vector::select(pair.side_a, point_b - normal * separation, point_a);
    let best = pair.is_best(&look, -separation, left_a, left_b);
    (Contacts { normal, separation, point_a }, L::both(ok, best))
}

#[inline(always)]
fn sides<L: Lanes>(a: &Cylinders<L>, b: &Cylinders<L>, offset: Vector<L>, guess: Vector<L>) -> (Contacts<L>, L::Mask) {
    let one = L::splat(1.0);
    let across = a.axis.cross(b.axis);
    let square = across.dot(across);
    let normal = across * signed(one / square.sqrt(), across.dot(guess));
    let cosine = a.axis.dot(b.axis);
    let (along_a, along_b) = (offset.dot(a.axis), offset.dot(b.axis));
    let per_square = one / square;
    let (z_a, z_b) = ((along_a - cosine * along_b) * per_square, (cosine * along_a - along_b) * per_square);
    let separation = normal.dot(offset) - a.radius - b.radius;
    let (left_a, left_b) = (a.half_height - abs(z_a), b.half_height - abs(z_b));
    // A ball as large as the depth in one of them; for bodies apart that is no more than being within the sides.
    let depth = (-separation).max(L::splat(0.0));
    let proven = L::either(below(depth, left_a.min(a.radius)), below(depth, left_b.min(b.radius)));
    let within = below(L::splat(0.0), left_a.min(left_b));
    let ok = L::both(L::both(within, proven), square.greater(L::splat(NEARLY_PARALLEL)));
    let crossing = Contacts { normal, separation, point_a: normal * a.radius + a.axis * z_a };
    if !L::any(L::not(ok)) {
        return (crossing, ok);
    }
    // The nearest points of the axes (Ericson 2005, section 5.1.9): of parallel ones any.
    let clamped = |z: L, h: L| z.min(h).max(-h);
    let inside = |z: L, h: L| below(abs(z), h);
    let end_a = clamped(z_a, a.half_height);
    let on_b = cosine * end_a - along_b;
    let side_b = inside(on_b, b.half_height);
    let end_b = clamped(on_b, b.half_height);
    let on_a = along_a + cosine * end_b;
    let side_a = L::both(L::not(side_b), inside(on_a, a.half_height));
    let pair =
        Rims { a, b, offset, side_a, side_b, rim_a: signed(a.half_height, end_a), rim_b: signed(b.half_height, end_b) };
    either(crossing, ok, follow(&pair, guess))
}

/// The first contacts where they are proven, the others elsewhere.
#[inline(always)]
fn either<L: Lanes>(
    first: Contacts<L>,
    proven: L::Mask,
    (other, other_proven): (Contacts<L>, L::Mask),
) -> (Contacts<L>, L::Mask) {
    let contacts = Contacts {
        normal: Vector::select(proven, first.normal, other.normal),
        separation: L::select(proven, first.separation, other.separation),
        point_a: Vector::select(proven, first.point_a, other.point_a),
    };
    (contacts, L::either(proven, other_proven))
}

#[inline(always)]
fn cap<L: Lanes>(a: &Cylinders<L>, b: &Cylinders<L>, offset: Vector<L>, guess: Vector<L>) -> (Contacts<L>, L::Mask) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let (along_a, along_b) = (guess.dot(a.axis), guess.dot(b.axis));
    // Seen from the body whose cap it is: the other, and the direction towards it.
    let of_a = abs(along_a).greater(abs(along_b));
    let pick = |yes: L, no: L| L::select(of_a, yes, no);
    let (axis, other_axis) = (Vector::select(of_a, a.axis, b.axis), Vector::select(of_a, b.axis, a.axis));
    let own = Cylinders { axis, radius: pick(a.radius, b.radius), half_height: pick(a.half_height, b.half_height) };
    let other = Cylinders {
        axis: other_axis,
        radius: pick(b.radius, a.radius),
        half_height: pick(b.half_height, a.half_height),
    };
    let to_other = Vector::select(of_a, offset, -offset);
    let outward = axis * signed(one, pick(along_a, -along_b));
    let stand = Stand::new(other_axis, -outward);
    let point = to_other + stand.radial * other.radius + other_axis * signed(other.half_height, stand.u);
    let reach = other.radius * stand.s + other.half_height * abs(stand.u);
    let separation = to_other.dot(outward) - reach - own.half_height;
    let across = point - outward * point.dot(outward);
    let rho = across.dot(across).sqrt();
    let left = own.radius - rho;
    let depth = (-separation).max(zero);
    let proven = below(depth, own.half_height.min(left));
    let ok = L::both(proven, L::both(left.greater(zero), other.shows_a_point(&stand)));
    // The other's point lies the separation outward of the cap's.
    let normal = Vector::select(of_a, outward, -outward);
    let point_a = Vector::select(of_a, point - outward * separation, offset + point);
    let over_cap = Contacts { normal, separation, point_a };
    if !L::any(L::not(ok)) {
        return (over_cap, ok);
    }
    // A rim after all, or one against a side.
    let side_a = below(abs(along_a), L::splat(ON_SIDE));
    let side_b = below(abs(along_b), L::splat(ON_SIDE));
    let in_plane = outward - other_axis * outward.dot(other_axis);
    let e0 = normalized(in_plane);
    let e1 = other_axis.cross(e0);
    let passes = to_other.dot(e1);
    let room = (own.radius * own.radius - passes * passes).max(L::splat(f64::MIN_POSITIVE));
    let sine = abs(outward.dot(other_axis)) * passes / room.sqrt();
    let towards_rim = e0 + e1 * sine;
    let towards_rim = Vector::select(of_a, towards_rim, -towards_rim);
    let start = Vector::select(L::either(side_a, side_b), towards_rim, guess);
    let pair = Rims {
        a,
        b,
        offset,
        side_a,
        side_b,
        rim_a: signed(a.half_height, along_a),
        rim_b: signed(b.half_height, -along_b),
    };
    either(over_cap, ok, follow(&pair, start))
}
