//! Two crowned cylinders whose normal was known a moment ago: one pair, or four side by side.
//!
//! A crowned cylinder keeps its two rims; its caps are domes and its side is an arc, each bulging by a crown times half of
//! the smaller of height and diameter. Seen along a unit direction with components u along and s across the axis, its
//! farthest point lies at the distance rho from the axis and the height z,
//!
//!   rho = r min(s / S, 1) + (h / T) max(sqrt(1 - u^2) - sqrt(1 - T^2), 0),
//!   z = h clamp(u / T, -1, 1) + sign(u) (r / S) max(sqrt(1 - s^2) - sqrt(1 - S^2), 0),
//!
//! with S and T the sines of half of the angles of the domes and of the arc: one formula for caps, rims and sides, that is
//! continuous. Moved with the direction, the point goes by rho / s around the axis, and along the meridian by r / S on
//! a dome, h / T on the arc and nothing on a rim.
//!
//! So the gap n . d - h_a(n) - h_b(-n) has a continuous gradient W across n, the way from a's point to b's, and one step of
//! Newton's method is that of the two curvatures and the gap itself. A few steps from the last normal lead to the maximum.
//! A last step is one whose square does not count. Where the bulge grows with the depth, the depth is one more unknown: it follows from
//! the gap at the end of the step, and the step from where the points slip to at that depth.
//!
//! The proof that it is the largest is that of `certify.rs`. The bulge of a dome at a point is less than S times how far
//! the point is from the rim, so that the flat cap's bound holds with half of its weight; the same for the side.
//!
//! Where a step leaves the neighbourhood, does not end, or the proof does not hold, the lane says so and nothing in it
//! counts.

use super::ascend::LAST_STEP;
use super::warm::{Contacts, abs, below, normalized, signed};
use crate::lanes::{Lanes, Row, Vector};
use crate::tolerance;

/// Most looks at the gap before a lane is given up.
const MOST_LOOKS: usize = 8;

/// The sine of how far a normal may be from that of an end or the side to be thought to have been there.
const NEAR_FACE: f64 = 2e-3;

/// Where the depth that the surfaces give way by and the one that is found differ by less than this part of the bulge, a last
/// step is one whose square does not count.
const SAME_DEPTH: f64 = 1e-8;

/// A cylinder in each lane whose flat ends and side bulge.
#[derive(Clone, Copy, Debug)]
pub struct CrownedCylinders<L> {
    axis: Vector<L>,
    radius: L,
    half_height: L,
    /// The bulge at no depth, and the largest [m].
    least: L,
    most: L,
}

/// What [`CrownedCylinders`] wants to know of a cylinder whose bulge lies between two lengths, in a row.
pub(crate) fn measures(radius: f64, half_height: f64, [least, most]: [f64; 2]) -> Row {
    Row::new([radius, half_height, least, most])
}

impl<L: Lanes> CrownedCylinders<L> {
    /// Cylinders with these unit axes and their measures: [`crate::narrow::ContactBody::cylinder_measures`] or
    /// [`crate::narrow::YieldingBody::cylinder_measures`].
    #[inline(always)]
    pub fn gather(axis: Vector<L>, measures: impl FnMut(usize) -> Row) -> CrownedCylinders<L> {
        let (sizes, most) = L::gather_rows(measures);
        CrownedCylinders { axis, radius: sizes.x, half_height: sizes.y, least: sizes.z, most }
    }

    /// What they are at a depth, if the bulge grows by so much with it.
    #[inline(always)]
    fn at(&self, depth: L, growth: L) -> Bulged<L> {
        let wanted = self.least + growth * depth;
        let bulge = wanted.min(self.most);
        let (cap_sine, side_sine) = (sine_of_arc(self.radius, bulge), sine_of_arc(self.half_height, bulge));
        Bulged {
            axis: self.axis,
            radius: self.radius,
            half_height: self.half_height,
            bulge,
            per_depth: growth.only(self.most.greater(wanted)),
            cap_sine,
            dome: self.radius / cap_sine,
            side_sine,
            arc: self.half_height / side_sine,
        }
    }
}

/// The sine of half of the angle of an arc that bulges so much over its chord of a half-length.
#[inline(always)]
fn sine_of_arc<L: Lanes>(half_chord: L, bulge: L) -> L {
    let tangent = bulge / half_chord;
    (tangent + tangent) / (L::splat(1.0) + tangent * tangent)
}

/// A crowned cylinder in each lane.
#[derive(Clone, Copy, Debug)]
struct Bulged<L> {
    axis: Vector<L>,
    radius: L,
    half_height: L,
    /// By how much it bulges [m], and how that grows with the depth [1].
    bulge: L,
    per_depth: L,
    /// Sine of half of the angle of the domes, and one over their curvature [m].
    cap_sine: L,
    dome: L,
    /// The same of the side's arc.
    side_sine: L,
    arc: L,
}

impl<L: Lanes> Bulged<L> {
    #[inline(always)]
    fn bounding_radius(&self) -> L {
        (self.radius * self.radius + self.half_height * self.half_height).sqrt()
    }

    /// Radius of a ball that touches a cap or a side from within, where it is seen.
    #[inline(always)]
    fn ball_within(&self, view: &View<L>) -> L {
        view.left_on_cap.min(self.half_height).max(view.left_on_side.min(self.radius))
    }

    /// How far its rim reaches along a direction, and its smaller half-width.
    #[inline(always)]
    fn reach_and_inner(&self, view: &View<L>) -> L {
        self.radius * view.s + self.half_height * view.u + self.radius.min(self.half_height)
    }

    /// How far its rim reaches along a unit direction or its opposite [m].
    #[inline(always)]
    fn rim_reach(&self, direction: Vector<L>) -> L {
        let u = direction.dot(self.axis);
        let across = direction - self.axis * u;
        self.radius * across.dot(across).sqrt() + self.half_height * abs(u)
    }

    /// Radius of the largest patch on what is seen [m]: of an end its own, of the side none that matters here.
    #[inline(always)]
    fn face(&self, view: &View<L>) -> L {
        L::select(view.left_on_cap.greater(L::splat(0.0)), self.radius, self.radius + self.half_height)
    }

    /// By how much farther it reaches along a unit direction for each length of bulge: 0 on a rim, 1 in the middle of an end or the
    /// side.
    #[inline(always)]
    fn per_bulge(&self, direction: Vector<L>) -> L {
        let u = direction.dot(self.axis);
        let across = direction - self.axis * u;
        let over_cap = self.dome * bulge(self.cap_sine, across.dot(across));
        // One of the two is zero.
        (over_cap + self.arc * bulge(self.side_sine, u * u)) / self.bulge
    }

    /// What it shows along a unit direction.
    #[inline(always)]
    fn view(&self, direction: Vector<L>) -> View<L> {
        let u = direction.dot(self.axis);
        let across = direction - self.axis * u;
        let square = across.dot(across);
        let s = square.sqrt();
        let height = abs(u);
        let (on_dome, on_side) = (below(s, self.cap_sine), below(height, self.side_sine));
        let over_cap = self.dome * bulge(self.cap_sine, square);
        let over_side = self.arc * bulge(self.side_sine, u * u);
        let per_s = L::splat(1.0) / s.max(self.cap_sine);
        let around = (self.radius + over_side) * per_s;
        let z = (self.arc * u).min(self.half_height).max(-self.half_height) + signed(over_cap, u);
        let meridian = L::select(on_dome, self.dome, self.arc.only(on_side));
        View {
            per_bulge: (over_cap + over_side) / self.bulge,
            slip: Vector::select(on_dome, across * around, self.axis * (self.arc * u).only(on_side))
                * (L::splat(-1.0) / self.bulge),
            u: height,
            s,
            per_s,
            turn: self.axis.cross(direction),
            point: across * around + self.axis * z,
            reach: around * square + z * u,
            around,
            meridian,
            // On a dome the two are equal and the tangent of the ring has no direction.
            excess: ((around - meridian) * per_s * per_s).except(on_dome),
            scale: L::select(on_dome, self.cap_sine, L::select(on_side, self.side_sine, square)),
            to_edge: abs(s - self.cap_sine).min(abs(height - self.side_sine)),
            left_on_cap: (self.radius - around * s).only(on_dome),
            left_on_side: (self.half_height - abs(z)).only(on_side),
        }
    }
}

/// How far an arc of radius 1 reaches over its chord, at an angle from its middle: the difference of the cosines. They are given by
/// the sine of half of the angle and the square of the other's.
#[inline(always)]
fn bulge<L: Lanes>(sine: L, square: L) -> L {
    let largest = sine * sine;
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    (largest - square).max(zero) / ((one - square).max(zero).sqrt() + (one - largest).sqrt())
}

/// What a cylinder shows along a direction.
struct View<L: Lanes> {
    /// Size of the component along the axis, that across, and one over the latter, or over the sine of the dome.
    u: L,
    s: L,
    per_s: L,
    /// The tangent of its rings, times s.
    turn: Vector<L>,
    /// The farthest point, from the centre, and how far that is.
    point: Vector<L>,
    reach: L,
    /// How far the point goes with the direction: around the axis, along the meridian, and the difference over s^2.
    around: L,
    meridian: L,
    excess: L,
    /// A step is the last if its square is small against this, so that what is left of it is small against the radius, and
    /// if it does not pass from a dome, the arc or a rim to another: the least angle to where one ends.
    scale: L,
    to_edge: L,
    /// By how much farther the point is for each length of bulge: 0 on a rim, 1 in the middle of an end or the side.
    per_bulge: L,
    /// How far it goes along the surface for each length of bulge, nearly: towards the middle of an end or the side.
    slip: Vector<L>,
    /// How far the point is from the rim on a cap or a side; zero on a rim.
    left_on_cap: L,
    left_on_side: L,
}

impl<L: Lanes> View<L> {
    /// How far the point goes when the direction does.
    #[inline(always)]
    fn moved(&self, by: Vector<L>) -> Vector<L> {
        by * self.meridian + self.turn * (self.excess * self.turn.dot(by))
    }
}

/// What the two show along a normal, and the step from there to where the gap is stationary.
struct Look<L: Lanes> {
    a: View<L>,
    b: View<L>,
    gap: L,
    way: Vector<L>,
    /// Across the normal.
    e1: Vector<L>,
    e2: Vector<L>,
    step: Vector<L>,
    /// Radii of curvature of both together along e1 and e2 [m], and their determinant [m^2].
    xx: L,
    xy: L,
    yy: L,
    bend: L,
    /// Where the gap has a maximum near.
    ok: L::Mask,
}

impl<L: Lanes> Look<L> {
    /// The step that takes away a gradient.
    #[inline(always)]
    fn step_for(&self, way: Vector<L>) -> Vector<L> {
        let (gx, gy) = (way.dot(self.e1), way.dot(self.e2));
        let per_bend = L::splat(1.0) / self.bend;
        let (x, y) = ((self.yy * gx - self.xy * gy) * per_bend, (self.xx * gy - self.xy * gx) * per_bend);
        self.e1 * x + self.e2 * y
    }

    /// Where the step is so small that its square does not count.
    #[inline(always)]
    fn is_last(&self) -> L::Mask {
        let room = L::splat(LAST_STEP * LAST_STEP) * self.a.scale.min(self.b.scale);
        let to_edge = self.a.to_edge.min(self.b.to_edge);
        below(self.step.dot(self.step), room.min(to_edge * to_edge))
    }
}

/// Two unit vectors across another (Duff and others 2017).
#[inline(always)]
fn across<L: Lanes>(n: Vector<L>) -> (Vector<L>, Vector<L>) {
    let one = L::splat(1.0);
    let sign = signed(one, n.z);
    let a = -one / (sign + n.z);
    let b = n.x * n.y * a;
    let first = Vector { x: one + sign * n.x * n.x * a, y: sign * b, z: -sign * n.x };
    (first, Vector { x: b, y: sign + n.y * n.y * a, z: -n.y })
}

#[inline(always)]
fn look<L: Lanes>(a: &Bulged<L>, b: &Bulged<L>, offset: Vector<L>, normal: Vector<L>) -> Look<L> {
    let zero = L::splat(0.0);
    let (view_a, view_b) = (a.view(normal), b.view(-normal));
    let way = offset + view_b.point - view_a.point;
    let gap = normal.dot(offset) - view_a.reach - view_b.reach;
    let (e1, e2) = across(normal);
    let (ax, ay) = (view_a.turn.dot(e1), view_a.turn.dot(e2));
    let (bx, by) = (view_b.turn.dot(e1), view_b.turn.dot(e2));
    let even = view_a.meridian + view_b.meridian + gap;
    let xx = even + view_a.excess * ax * ax + view_b.excess * bx * bx;
    let xy = view_a.excess * ax * ay + view_b.excess * bx * by;
    let yy = even + view_a.excess * ay * ay + view_b.excess * by * by;
    let bend = xx * yy - xy * xy;
    let ok = L::both(bend.greater(zero), (xx + yy).greater(zero));
    let mut look = Look { a: view_a, b: view_b, gap, way, e1, e2, step: Vector::default(), xx, xy, yy, bend, ok };
    look.step = look.step_for(way);
    look
}

/// A normal brought back to that of an end or the side, where it is near: where the last contact was on one. Their arcs are as narrow as
/// contacts are shallow, bodies may turn by more than that in a step, and from the rims beside them Newton's steps miss them.
#[inline(always)]
fn back_onto_faces<L: Lanes>(axis_a: Vector<L>, axis_b: Vector<L>, guess: Vector<L>) -> Vector<L> {
    let (near, one) = (L::splat(NEAR_FACE * NEAR_FACE), L::splat(1.0));
    let (u_a, u_b) = (guess.dot(axis_a), guess.dot(axis_b));
    let (across_a, across_b) = (guess - axis_a * u_a, guess - axis_b * u_b);
    let (by_side_a, by_side_b) = (below(u_a * u_a, near), below(u_b * u_b, near));
    let square_to_both = axis_a.cross(axis_b);
    let is_crossed = L::both(L::both(by_side_a, by_side_b), square_to_both.dot(square_to_both).greater(near));
    let of_one_side = Vector::select(by_side_a, across_a, Vector::select(by_side_b, across_b, guess));
    let of_sides = Vector::select(is_crossed, square_to_both * signed(one, square_to_both.dot(guess)), of_one_side);
    let of_b = Vector::select(below(across_b.dot(across_b), near), axis_b * signed(one, u_b), of_sides);
    normalized(Vector::select(below(across_a.dot(across_a), near), axis_a * signed(one, u_a), of_b))
}

/// Contacts of cylinders that give way.
#[derive(Clone, Copy, Debug)]
pub struct Yielded<L> {
    /// Normal, separation and a's point; where the bulge grows, of the surfaces that give way by the depth that they are found at.
    pub contacts: Contacts<L>,
    /// How fast that depth grows with the way that the bodies go into each other [1].
    pub slope: L,
    /// Depth of the flat bodies along the normal [m].
    pub flat_depth: L,
    /// Radius of the patch in which they press on each other [m]; zero on a rim.
    pub patch_radius: L,
}

impl<L: Lanes> Yielded<L> {
    #[inline(always)]
    fn select(mask: L::Mask, yes: Yielded<L>, no: Yielded<L>) -> Yielded<L> {
        Yielded {
            contacts: Contacts {
                normal: Vector::select(mask, yes.contacts.normal, no.contacts.normal),
                separation: L::select(mask, yes.contacts.separation, no.contacts.separation),
                point_a: Vector::select(mask, yes.contacts.point_a, no.contacts.point_a),
            },
            slope: L::select(mask, yes.slope, no.slope),
            flat_depth: L::select(mask, yes.flat_depth, no.flat_depth),
            patch_radius: L::select(mask, yes.patch_radius, no.patch_radius),
        }
    }
}

/// The contacts along normals near to these, and in which lanes they are proven. `offset` goes from a's centre to b's. With a
/// `growth` above zero the bulge grows by so much with the depth and is taken off everywhere, so that what bulges are rims that give
/// way ([`crate::narrow::YieldingBody`]); `depth` is that of a moment ago.
#[inline(always)]
pub fn follow<L: Lanes>(
    a: &CrownedCylinders<L>,
    b: &CrownedCylinders<L>,
    offset: Vector<L>,
    guess: Vector<L>,
    depth: L,
    growth: f64,
) -> (Yielded<L>, L::Mask) {
    let (mut found, mut proven) = follow_from(a, b, offset, guess, depth, growth);
    if L::any(L::not(proven)) {
        let again = follow_from(a, b, offset, back_onto_faces(a.axis, b.axis, guess), depth, growth);
        found = Yielded::select(proven, found, again.0);
        proven = L::either(proven, again.1);
    }
    (found, proven)
}

/// The same from one normal.
#[inline(always)]
fn follow_from<L: Lanes>(
    a: &CrownedCylinders<L>,
    b: &CrownedCylinders<L>,
    offset: Vector<L>,
    guess: Vector<L>,
    depth: L,
    growth: f64,
) -> (Yielded<L>, L::Mask) {
    let (zero, one, half) = (L::splat(0.0), L::splat(1.0), L::splat(0.5));
    let taken_off = L::splat(if growth > 0.0 { 1.0 } else { 0.0 });
    let growth = L::splat(growth);
    let mut depth = depth.max(zero);
    let (mut body_a, mut body_b) = (a.at(depth, growth), b.at(depth, growth));
    let mut normal = guess;
    let (mut seen, mut found) = look_and_find(&body_a, &body_b, offset, normal, depth, taken_off);
    for _ in 1..MOST_LOOKS {
        let done = L::both(seen.is_last(), found.is_last);
        if !L::any(L::not(done)) {
            break;
        }
        // What a lane does must not depend on its neighbours.
        normal = Vector::select(done, normal, normalized(normal + seen.step));
        depth = L::select(done, depth, found.depth.max(zero));
        (body_a, body_b) = (a.at(depth, growth), b.at(depth, growth));
        (seen, found) = look_and_find(&body_a, &body_b, offset, normal, depth, taken_off);
    }
    let longer = normal + seen.step;
    let normal = longer * (L::splat(1.5) - half * longer.dot(longer));
    let gap = seen.gap + half * seen.way.dot(seen.step);
    let per_bulge = [body_a.per_bulge(normal), body_b.per_bulge(-normal)];
    let last = Found::of([&body_a, &body_b], per_bulge, gap, depth, taken_off);
    let point_a = onto_axes([&body_a, &body_b], offset, normal, seen.a.point + seen.a.moved(seen.step));
    let ends = L::both(L::both(seen.is_last(), found.is_last), seen.ok);
    // The radii of curvature of the relative gap have the product det A det B / det (A + B).
    let radii = seen.a.meridian * seen.a.around * (seen.b.meridian * seen.b.around);
    let patch = L::splat(2.0) * last.depth.max(zero) * (radii.max(zero) / seen.bend.max(L::splat(1e-300))).sqrt();
    let face = body_a.face(&seen.a).min(body_b.face(&seen.b));
    let flat_reach = body_a.rim_reach(normal) + body_b.rim_reach(normal);
    let yielded = Yielded {
        contacts: Contacts { normal, separation: -last.depth, point_a },
        slope: one / last.steep,
        flat_depth: flat_reach - normal.dot(offset),
        patch_radius: patch.min(face * face).sqrt(),
    };
    (yielded, L::both(ends, is_best(&body_a, &body_b, &seen, -gap)))
}

/// A contact point, seen from a's centre, moved across the normal until the line along the normal meets both axes: what
/// [`super::super::line_of_action`] does for other bodies, and why.
#[inline(always)]
fn onto_axes<L: Lanes>([a, b]: [&Bulged<L>; 2], offset: Vector<L>, normal: Vector<L>, point: Vector<L>) -> Vector<L> {
    let (across_a, across_b) = (normal.cross(a.axis), normal.cross(b.axis));
    let (square_a, square_b) = (across_a.dot(across_a), across_b.dot(across_b));
    let first_is_b = square_b.greater(square_a);
    let (first, second) =
        (Vector::select(first_is_b, across_b, across_a), Vector::select(first_is_b, across_a, across_b));
    let square = square_a.max(square_b);
    // Two ends that lie flat on each other are met in the middle.
    let (centre_a, tiny) = (Vector::default(), L::splat(tolerance::LIES_FLAT * tolerance::LIES_FLAT));
    let (own, others) = (Vector::select(first_is_b, offset, centre_a), Vector::select(first_is_b, centre_a, offset));
    let on_first = point - first * (first.dot(point - own) / square).only(square.greater(tiny));
    let along = normal.cross(first);
    let rate = second.dot(along);
    let is_across = (rate * rate).greater(tiny * square);
    let shift = (second.dot(others - on_first) / L::select(is_across, rate, L::splat(1.0))).only(is_across);
    let near = L::splat(tolerance::SAME_AZIMUTH) * (a.bounding_radius().max(b.bounding_radius()));
    let is_near = below(shift * shift * square, near * near);
    on_first + along * shift.only(is_near)
}

/// What bodies that have given way by a depth show along a normal, the depth that follows from it, and the step to the normal at that
/// depth.
#[inline(always)]
fn look_and_find<L: Lanes>(
    a: &Bulged<L>,
    b: &Bulged<L>,
    offset: Vector<L>,
    normal: Vector<L>,
    depth: L,
    taken_off: L,
) -> (Look<L>, Found<L>) {
    let mut seen = look(a, b, offset, normal);
    // The gap at the end of the step, where it is largest.
    let gap = seen.gap + (L::splat(0.5) * seen.way.dot(seen.step)).only(seen.ok);
    let found = Found::of([a, b], [seen.a.per_bulge, seen.b.per_bulge], gap, depth, taken_off);
    // Where surfaces give way by more, their points slip.
    let slip = seen.b.slip * b.per_depth - seen.a.slip * a.per_depth;
    seen.step = seen.step_for(seen.way + slip * (found.depth.max(L::splat(0.0)) - depth));
    (seen, found)
}

/// The depth that follows from what is seen.
struct Found<L: Lanes> {
    /// The depth at which the surfaces have given way by as much as they are deep.
    depth: L,
    /// How fast the depth that they give way by runs ahead of the one that is found.
    steep: L,
    is_last: L::Mask,
}

impl<L: Lanes> Found<L> {
    #[inline(always)]
    fn of([a, b]: [&Bulged<L>; 2], per_bulge: [L; 2], gap: L, depth: L, taken_off: L) -> Found<L> {
        let deep = -gap - taken_off * (a.bulge + b.bulge);
        let per_depth = a.per_depth * (per_bulge[0] - taken_off) + b.per_depth * (per_bulge[1] - taken_off);
        let steep = L::splat(1.0) - per_depth;
        let step = (deep - depth) / steep;
        let grows = L::either(a.per_depth.greater(L::splat(0.0)), b.per_depth.greater(L::splat(0.0)));
        let found = depth + step;
        let last = below(abs(step), L::splat(SAME_DEPTH) * (a.bulge + b.bulge));
        // What is apart does not give way.
        let apart = L::both(below(found, L::splat(0.0)), below(depth, L::splat(f64::MIN_POSITIVE)));
        Found { depth: found, steep, is_last: L::either(L::either(last, apart), L::not(grows)) }
    }
}

/// Where what was found is proven to be the best.
#[inline(always)]
fn is_best<L: Lanes>(a: &Bulged<L>, b: &Bulged<L>, seen: &Look<L>, depth: L) -> L::Mask {
    let (zero, half, two) = (L::splat(0.0), L::splat(0.5), L::splat(2.0));
    let proven = below(depth.max(zero), a.ball_within(&seen.a).max(b.ball_within(&seen.b)));
    let proven = L::either(proven, zero.greater(depth));
    if !L::any(L::not(proven)) {
        return proven;
    }
    let (mut xx, mut xy, mut yy) = (zero, zero, zero);
    for (body, view) in [(a, &seen.a), (b, &seen.b)] {
        let disc = view.around * view.per_s;
        let (x, y) = (view.turn.dot(seen.e1), view.turn.dot(seen.e2));
        let (along_x, along_y) = (body.axis.dot(seen.e1), body.axis.dot(seen.e2));
        xx += view.left_on_cap + disc * x * x + view.left_on_side * along_x * along_x;
        xy += disc * x * y + view.left_on_side * along_x * along_y;
        yy += view.left_on_cap + disc * y * y + view.left_on_side * along_y * along_y;
    }
    let (mean, difference) = (half * (xx + yy), half * (xx - yy));
    let lambda = mean - (difference * difference + xy * xy).sqrt();
    // Near the opposite direction: a body reaches at least as far as the ball in its middle, and its own point lies the
    // other way, off by no more than the turn times its distance from the middle.
    let reaches = a.reach_and_inner(&seen.a) + b.reach_and_inner(&seen.b);
    let sizes = a.bounding_radius() + b.bounding_radius();
    let turned = two * sizes * (depth / lambda).max(zero).sqrt();
    L::either(proven, L::both(lambda.greater(depth), below(two * depth + turned, reaches)))
}
