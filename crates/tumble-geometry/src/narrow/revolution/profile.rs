//! The profile of a convex body of revolution, as its support function sees it.
//!
//! Seen along a unit direction with component u along the axis, the farthest part of the body belongs to one ring: a circle
//! of radius rho about the axis at height z, with a margin m around it. The support is
//!
//!   f(u) = rho sqrt(1 - u^2) + z u + m.
//!
//! A cylinder has two rings (its rims), a capsule two of radius 0 with a margin, a ball one; a cone has two rims. From the
//! top, u = 1, down to u = -1 the rings follow each other; where one gives way to the next the body has a straight side,
//! or none if the two meet in one point. A ring of radius above 0 at the top or bottom closes the body with a flat cap.
//!
//! [`Profile::crowned`] makes caps and straight sides bulge a little: a cap becomes the dome of a large ball, a side an arc
//! of a large circle, that is a ring whose radius is mostly below 0. The rims stay where they are, and no face is left.

use crate::{Shape, Tablet, tolerance};
use glam::{DVec2, DVec3};

/// Most rings of a profile.
pub(super) const MOST_RINGS: usize = 5;

/// A circle about the axis with a margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ring {
    /// Radius of the circle [m]; below zero where the far side of the circle bears the margin.
    pub radius: f64,
    /// Height of its plane over the body's origin [m].
    pub z: f64,
    /// How far the body reaches beyond the circle [m].
    pub margin: f64,
}

impl Ring {
    /// Its place in a half-plane through the axis.
    fn place(&self) -> DVec2 {
        DVec2::new(self.radius, self.z)
    }
}

/// The part of a surface that belongs to a ring, seen in a half-plane through the axis (distance from it, height): an arc,
/// or a point if its radius is zero. It says the same as the ring without its large centre distances, so that no digits
/// are lost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Arc {
    /// The middle of the arc, or its end on the axis [m].
    pub tip: DVec2,
    /// Unit normal there.
    pub normal: DVec2,
    /// Radius [m].
    pub radius: f64,
    /// Sine of the largest angle between its normals and that of the tip.
    pub sine: f64,
    /// Radius without a margin, of an arc that bulges over a flat end or a straight side; else zero [m].
    pub bulging: f64,
}

/// Where a profile that bulges is farthest along a direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnMeridian {
    /// The place in a half-plane through the axis [m].
    pub place: DVec2,
    /// How far it moves with the direction [m].
    pub meridian: f64,
    /// By how much farther it is for each length of bulge [1].
    pub per_bulge: f64,
}

impl Arc {
    /// The place whose normal is turned from that of the tip by an angle with this sine, of a body with a bulge.
    #[inline]
    pub fn farthest(&self, sine: f64, bulge: f64) -> OnMeridian {
        if self.radius == 0.0 {
            return OnMeridian { place: self.tip, meridian: 0.0, per_bulge: 0.0 };
        }
        let fall = sine * sine / (1.0 + (1.0 - sine * sine).max(0.0).sqrt());
        let tangent = DVec2::new(self.normal.y, -self.normal.x);
        OnMeridian {
            place: self.tip + (tangent * sine - self.normal * fall) * self.radius,
            meridian: self.radius,
            // Of an arc of radius R over a chord: (b - R) cos + R, with R = (c^2 / b + b) / 2.
            per_bulge: if self.bulging > 0.0 { (1.0 - self.bulging * fall / bulge).clamp(0.0, 1.0) } else { 0.0 },
        }
    }
}

/// A profile whose caps and sides bulge, and the arc of each of its rings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowned {
    pub profile: Profile,
    pub arcs: [Arc; MOST_RINGS],
}

/// Where one ring gives way to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// Axial component of the direction: that of the straight side's normal.
    pub u: f64,
    /// Length of the straight side [m]; zero where the two rings meet in a point.
    pub length: f64,
}

/// A convex body of revolution about its local z axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile {
    /// From the top down.
    rings: [Ring; MOST_RINGS],
    pub n_rings: usize,
    /// After each ring but the last.
    turns: [Turn; MOST_RINGS - 1],
    /// Radius of a ball that rolls along the inside everywhere [m]: the margin of a body without edges, else zero.
    rolling: f64,
    /// Radius of a ball about the origin that holds the body [m].
    pub bounding_radius: f64,
    /// By how much it bulges [m].
    pub bulge: f64,
}

impl Profile {
    /// The profile of a shape, if it is a body of revolution made of rings.
    #[inline]
    pub fn of(shape: &Shape) -> Option<Profile> {
        let ring = |radius: f64, z: f64, margin: f64| Ring { radius, z, margin };
        let two = |upper: Ring, lower: Ring, turn: Turn, rolling: f64, bounding_radius: f64| Profile {
            rings: [upper, lower, lower, lower, lower],
            n_rings: 2,
            turns: [turn; MOST_RINGS - 1],
            rolling,
            bounding_radius,
            bulge: 0.0,
        };
        let upright = |r: f64, h: f64| {
            two(ring(r, h, 0.0), ring(r, -h, 0.0), Turn { u: 0.0, length: 2.0 * h }, 0.0, (r * r + h * h).sqrt())
        };
        Some(match shape {
            Shape::Sphere(s) => {
                let centre = ring(0.0, 0.0, s.radius);
                Profile { n_rings: 1, ..two(centre, centre, Turn { u: 0.0, length: 0.0 }, s.radius, s.radius) }
            }
            Shape::Cylinder(c) => upright(c.radius, c.half_height),
            Shape::Disc(d) => upright(d.radius, d.half_thickness),
            Shape::Capsule(c) => {
                let (r, h) = (c.radius, c.half_height);
                two(ring(0.0, h, r), ring(0.0, -h, r), Turn { u: 0.0, length: 2.0 * h }, r, r + h)
            }
            Shape::TruncatedCone(c) => {
                let narrowing = c.lower_radius - c.upper_radius;
                let length = narrowing.hypot(c.height);
                two(
                    ring(c.upper_radius, c.upper_z(), 0.0),
                    ring(c.lower_radius, c.lower_z(), 0.0),
                    Turn { u: narrowing / length, length },
                    0.0,
                    shape.bounding_radius(),
                )
            }
            Shape::Tablet(t) => {
                /// Multiplies the radius of the band. Flatter domes belong to balls so large that digits are lost.
                const FLATTEST_DOME: f64 = 1e-3;
                if t.dome_height < FLATTEST_DOME * t.radius {
                    return None;
                }
                Profile::of_tablet(t)
            }
            Shape::Superquadric(_) | Shape::Polyhedron(_) | Shape::Polygon(_) | Shape::Clump(_) => return None,
        })
    }

    /// The profile of a tablet, however flat its domes are.
    fn of_tablet(t: &Tablet) -> Profile {
        let ring = |radius: f64, z: f64, margin: f64| Ring { radius, z, margin };
        let (r, h, c) = (t.radius, t.half_height, t.dome_height);
        let ball = t.dome_radius();
        // The domes are those of balls whose centres are below and above the middle; between them the rims of the band,
        // one above the other. A band of no height has a side of no length.
        let dome = ring(0.0, h + c - ball, ball);
        let (edge, band) = (Turn { u: 1.0 - c / ball, length: 0.0 }, Turn { u: 0.0, length: 2.0 * h });
        let lower = ring(0.0, -dome.z, ball);
        Profile {
            rings: [dome, ring(r, h, 0.0), ring(r, -h, 0.0), lower, lower],
            n_rings: 4,
            turns: [edge, band, Turn { u: -edge.u, length: 0.0 }, edge],
            rolling: 0.0,
            bounding_radius: r.hypot(h).max(h + c),
            bulge: 0.0,
        }
    }

    /// The profile of a shape whose caps and sides bulge, each by a share of the smaller half-width, between the same rims.
    /// A dome that is flatter than that bulges as much. `None` for what is not a body of revolution, has nothing flat, or is
    /// so flat a cone (or a tablet whose domes are so nearly half-balls) that its pieces would bulge into each other.
    pub fn of_crowned(shape: &Shape, crown: f64) -> Option<Crowned> {
        Profile::of_bulging(shape, crown * Profile::smaller_half_width(shape)?)
    }

    /// The same for a bulge that is given as a length.
    pub fn of_bulging(shape: &Shape, bulge: f64) -> Option<Crowned> {
        let Shape::Tablet(t) = shape else { return Profile::of(shape)?.crowned(bulge) };
        if t.dome_height == t.radius {
            return Profile::of(&Shape::Capsule(crate::Capsule { radius: t.radius, half_height: t.half_height }))?
                .crowned(bulge);
        }
        let flattest = Tablet { dome_height: t.dome_height.max(bulge), ..*t };
        let mut crowned = Profile::of_tablet(&flattest).crowned(bulge)?;
        if t.dome_height < bulge {
            let n = crowned.profile.n_rings.min(MOST_RINGS);
            for arc in [0, n - 1] {
                crowned.arcs[arc].bulging = crowned.arcs[arc].radius;
            }
        }
        Some(crowned)
    }

    /// Half of the smaller of height and diameter of a body of revolution [m].
    pub fn smaller_half_width(shape: &Shape) -> Option<f64> {
        match shape {
            Shape::Tablet(t) => Some(t.radius.min(t.half_thickness())),
            shape => Some(Profile::of(shape)?.half_width()),
        }
    }

    /// Half of the smaller of height and diameter [m].
    pub fn half_width(&self) -> f64 {
        let widest = self.rings[..self.n_rings].iter().map(|ring| ring.radius + ring.margin).fold(0.0, f64::max);
        let (top, bottom) = (self.ring(0), self.ring(self.n_rings - 1));
        widest.min(0.5 * (top.z + top.margin - bottom.z + bottom.margin))
    }

    /// The same body with caps and sides that bulge by a length between the same rims, if it has any and they can.
    pub fn crowned(&self, bulge: f64) -> Option<Crowned> {
        let has_sides = (0..self.n_rings - 1).any(|k| self.turn(k).length > 0.0);
        let [top, bottom] = [true, false].map(|top| self.cap(top));
        if !(bulge > 0.0 && (has_sides || top.is_some() || bottom.is_some())) {
            return None;
        }
        let mut arcs = [Arc::default(); MOST_RINGS];
        let mut crowned = Profile { n_rings: 0, bulge, ..*self };
        let mut push = |crowned: &mut Profile, ring: Ring, arc: Arc, u: f64| {
            arcs[crowned.n_rings.min(MOST_RINGS - 1)] = arc;
            crowned.push(ring, u);
        };
        // A cap bulges by the tangent of half of the angle at its rim times its radius.
        let dome = |cap: &Ring, up: f64| {
            let sine = sine_of_arc(cap.radius, bulge);
            let (ball, cosine) = (cap.radius / sine, (1.0 - sine * sine).sqrt());
            let tip = DVec2::new(0.0, cap.z + up * bulge);
            let arc = Arc { tip, normal: DVec2::new(0.0, up), radius: ball, sine, bulging: ball };
            (Ring { radius: 0.0, z: cap.z - up * ball * cosine, margin: ball }, arc, cosine)
        };
        if let Some(cap) = top {
            let (ring, arc, cosine) = dome(cap, 1.0);
            push(&mut crowned, ring, arc, cosine);
        }
        for k in 0..self.n_rings {
            let upper = *self.ring(k);
            let own = self.arc(k);
            if k + 1 == self.n_rings {
                push(&mut crowned, upper, own, -1.0);
                break;
            }
            let (Turn { u, length }, lower) = (*self.turn(k), self.ring(k + 1));
            if length == 0.0 {
                push(&mut crowned, upper, own, u);
                continue;
            }
            let sine = sine_of_arc(0.5 * length, bulge);
            let (arc, cosine) = (0.5 * length / sine, (1.0 - sine * sine).sqrt());
            let s = (1.0 - u * u).sqrt();
            let inward = arc * cosine;
            let (middle, normal) = (0.5 * (upper.place() + lower.place()), DVec2::new(s, u));
            let centre = middle - normal * inward;
            let side = Ring { radius: centre.x, z: centre.y, margin: arc + upper.margin };
            let tip = middle + normal * (bulge + upper.margin);
            let side_arc = Arc { tip, normal, radius: side.margin, sine, bulging: arc };
            push(&mut crowned, upper, own, u * cosine + s * sine);
            push(&mut crowned, side, side_arc, u * cosine - s * sine);
        }
        if let Some(cap) = bottom {
            let (ring, arc, cosine) = dome(cap, -1.0);
            crowned.turns[(crowned.n_rings - 1).min(MOST_RINGS - 2)].u = -cosine;
            push(&mut crowned, ring, arc, -1.0);
        }
        // An arc that bulges away from the origin is farthest from it in between, any other at its ends.
        let reach = |arc: &Arc| {
            let centre = arc.tip - arc.normal * arc.radius;
            if centre.dot(arc.normal) > 0.0 { centre.length() + arc.radius } else { 0.0 }
        };
        crowned.bounding_radius = arcs[..crowned.n_rings].iter().map(reach).fold(self.bounding_radius, f64::max);
        let turns = &crowned.turns[..crowned.n_rings - 1];
        turns.windows(2).all(|pair| pair[0].u > pair[1].u).then_some(Crowned { profile: crowned, arcs })
    }

    /// Where the same body with caps and sides that bulge by a length is farthest along a unit direction, given by its components
    /// across and along the axis, without making all of that body.
    #[inline]
    pub fn farthest_bulging(&self, bulge: f64, seen: DVec2) -> OnMeridian {
        let is_top = seen.y > 0.0;
        if let Some(cap) = self.cap(is_top) {
            let (sine, up) = (sine_of_arc(cap.radius, bulge), if is_top { 1.0 } else { -1.0 });
            if seen.x <= sine {
                let ball = cap.radius / sine;
                let tip = DVec2::new(0.0, cap.z + up * bulge);
                let dome = Arc { tip, normal: DVec2::new(0.0, up), radius: ball, sine, bulging: ball };
                return dome.farthest(seen.x * up, bulge);
            }
        }
        for k in 0..self.n_rings - 1 {
            let Turn { u, length } = *self.turn(k);
            if length == 0.0 {
                continue;
            }
            let normal = DVec2::new(if u == 0.0 { 1.0 } else { (1.0 - u * u).sqrt() }, u);
            let across = seen.dot(DVec2::new(normal.y, -normal.x));
            let sine = sine_of_arc(0.5 * length, bulge);
            if across.abs() <= sine && seen.dot(normal) > 0.0 {
                let (upper, lower, bulging) = (self.ring(k), self.ring(k + 1), 0.5 * length / sine);
                let tip = 0.5 * (upper.place() + lower.place()) + normal * (bulge + upper.margin);
                let side = Arc { tip, normal, radius: bulging + upper.margin, sine, bulging };
                return side.farthest(across, bulge);
            }
        }
        let arc = self.arc(self.ring_at(seen.y));
        arc.farthest(seen.dot(DVec2::new(arc.normal.y, -arc.normal.x)), bulge)
    }

    /// Axial components of the normals at which one piece of that body's surface gives way to the next, told one by one.
    pub fn bulging_turns(&self, bulge: f64, mut tell: impl FnMut(f64)) {
        for (is_top, up) in [(true, 1.0), (false, -1.0)] {
            if let Some(cap) = self.cap(is_top) {
                let sine = sine_of_arc(cap.radius, bulge);
                tell(up * (1.0 - sine * sine).sqrt());
            }
        }
        for k in 0..self.n_rings - 1 {
            let Turn { u, length } = *self.turn(k);
            if length == 0.0 {
                tell(u);
                continue;
            }
            let sine = sine_of_arc(0.5 * length, bulge);
            let (cosine, s) = ((1.0 - sine * sine).sqrt(), (1.0 - u * u).sqrt());
            tell(u * cosine + s * sine);
            tell(u * cosine - s * sine);
        }
    }

    /// The part of the surface that belongs to a ring of a body that has no arcs but round ends. An end without a rim goes
    /// on to where the arc of a side begins.
    fn arc(&self, index: usize) -> Arc {
        let ring = *self.ring(index);
        if ring.margin == 0.0 {
            return Arc { tip: ring.place(), normal: DVec2::Y, ..Arc::default() };
        }
        let (up, beside) = if index == 0 { (1.0, self.ring(1)) } else { (-1.0, self.ring(self.n_rings - 2)) };
        // A dome is measured from its rim, since the centre of its ball may be far away.
        let (sine, height) = if beside.margin == 0.0 {
            let (r, ball) = (beside.radius, ring.margin);
            (r / ball, beside.z + up * (r * r / (ball + (ball * ball - r * r).max(0.0).sqrt())))
        } else {
            (1.0, ring.z + up * ring.margin)
        };
        let tip = DVec2::new(0.0, height);
        Arc { tip, normal: DVec2::new(0.0, up), radius: ring.margin, sine, bulging: 0.0 }
    }

    /// Adds a ring below those that are there, and where it gives way to the next in a point.
    fn push(&mut self, ring: Ring, u: f64) {
        self.rings[self.n_rings..].fill(ring);
        if let Some(turns) = self.turns.get_mut(self.n_rings..) {
            turns.fill(Turn { u, length: 0.0 });
        }
        self.n_rings += 1;
    }

    /// A ring, counted from the top.
    #[inline]
    pub fn ring(&self, index: usize) -> &Ring {
        &self.rings[index.min(MOST_RINGS - 1)]
    }

    /// Where a ring gives way to the next.
    #[inline]
    pub fn turn(&self, index: usize) -> &Turn {
        &self.turns[index.min(MOST_RINGS - 2)]
    }

    /// The straight side within a distance of being square to a direction with axial component u, if there is one: the
    /// ring above it. `height` is that of one end of the side over the other, seen along the direction.
    #[inline]
    pub fn side_near(&self, u: f64, height: f64) -> Option<usize> {
        (0..self.n_rings - 1).find(|&k| {
            let turn = self.turn(k);
            turn.length > 0.0 && (u - turn.u).abs() * turn.length <= height
        })
    }

    /// Axial component of the normal of the topmost side, straight or an arc, if there is one.
    pub fn first_side(&self) -> Option<f64> {
        let side = (0..self.n_rings - 1).map(|k| self.turn(k)).find(|turn| turn.length > 0.0).map(|turn| turn.u);
        let is_arc = |k: &usize| self.ring(*k).radius < 0.0;
        side.or_else(|| (1..self.n_rings - 1).find(is_arc).map(|k| 0.5 * (self.turn(k - 1).u + self.turn(k).u)))
    }

    /// Heights of the ends of the side that is parallel to the axis, if there is one: the upper and the lower.
    pub fn upright_side(&self) -> Option<(f64, f64)> {
        (0..self.n_rings - 1)
            .find(|&k| self.turn(k).u == 0.0 && self.turn(k).length > 0.0)
            .map(|k| (self.ring(k).z, self.ring(k + 1).z))
    }

    /// Heights between which the rings are [m]: the lowest and the highest.
    pub fn ends(&self) -> (f64, f64) {
        let heights = self.rings[..self.n_rings].iter().map(|ring| ring.z);
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)))
    }

    /// Which ring is farthest along a direction with axial component u.
    #[inline]
    pub fn ring_at(&self, u: f64) -> usize {
        let mut index = 0;
        while index + 1 < self.n_rings && u < self.turn(index).u {
            index += 1;
        }
        index
    }

    /// How far the body reaches along a unit direction with axial component u and radial component s [m].
    #[inline]
    pub fn reach(&self, u: f64, s: f64) -> f64 {
        let ring = self.ring(self.ring_at(u));
        ring.radius * s + ring.z * u + ring.margin
    }

    /// The ring that closes the body at an end, if that end is a flat cap.
    #[inline]
    pub fn cap(&self, top: bool) -> Option<&Ring> {
        let ring = self.ring(if top { 0 } else { self.n_rings - 1 });
        (ring.radius > 0.0 && ring.margin == 0.0).then_some(ring)
    }

    /// Whether a ball of a radius q that touches the surface from within at a point lies inside the body. `rho` and `z` are
    /// the point's place in a half-plane through the axis, `normal` the unit normal there.
    #[inline]
    pub fn holds_ball(&self, q: f64, rho: f64, z: f64, [across, along]: [f64; 2]) -> bool {
        // A face with an outward normal m at a height above the point leaves room if q (1 - n . m) is below the height. Its
        // own face is level with the point up to rounding.
        let slack = tolerance::EXACT * self.bounding_radius;
        let has_room = |height: f64, cosine: f64| q * (1.0 - cosine) <= height + slack;
        if self.rolling > 0.0 {
            return q <= self.rolling;
        }
        let (top, bottom) = (self.ring(0), self.ring(self.n_rings - 1));
        if !(has_room(top.z + top.margin - z, along) && has_room(z - bottom.z + bottom.margin, -along)) {
            return false;
        }
        for k in 0..self.n_rings - 1 {
            let (Turn { u, length }, ring) = (*self.turn(k), self.ring(k));
            if length > 0.0 {
                let s = if u == 0.0 { 1.0 } else { (1.0 - u * u).sqrt() };
                let height = ring.radius * s + (ring.z - z) * u + ring.margin;
                let room = has_room(height - s * rho, s * across + u * along)
                    && has_room(height + s * rho, u * along - s * across);
                if !room {
                    return false;
                }
            }
        }
        // A dome is part of a ball that holds the body, and the arc of a side of one at every azimuth: the centre of the
        // smaller ball is no farther from its centre than the difference of the radii.
        self.rings[..self.n_rings].iter().filter(|ring| ring.margin > 0.0).all(|ring| {
            let (x, y) = (((rho - q * across).abs() - ring.radius).max(0.0), z - q * along - ring.z);
            let left = ring.margin - q + slack;
            left >= 0.0 && x * x + y * y <= left * left
        })
    }
}

/// The sine of half of the angle of an arc that bulges so much over its chord of a half-length, at most that of a quarter
/// turn.
pub(super) fn sine_of_arc(half_chord: f64, bulge: f64) -> f64 {
    let tangent = (bulge / half_chord).min(1.0);
    2.0 * tangent / (1.0 + tangent * tangent)
}

/// How a body stands to a direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facing {
    /// Component along the axis.
    pub u: f64,
    /// Component across it, and one over it.
    pub s: f64,
    pub per_s: f64,
    /// Unit vector of the latter.
    pub radial: DVec3,
}

/// One of the two bodies of a pair: its profile where it is. The direction it looks along is the normal for the first body
/// and its opposite for the second.
pub(super) trait Side {
    /// 1 for the first body, -1 for the second.
    const SIGN: f64;

    fn profile(&self) -> &Profile;

    /// Where its origin is [m].
    fn centre(&self) -> DVec3;

    /// Its unit axis.
    fn axis(&self) -> DVec3;

    /// How it stands to a unit normal.
    fn facing(&self, normal: DVec3) -> Facing;

    /// The farthest point of a ring, its margin left out.
    fn core_point(&self, ring: &Ring, radial: DVec3) -> DVec3;

    /// The tangent of its rings where they point in a radial direction.
    fn tangent(&self, radial: DVec3) -> DVec3;

    /// A vector without what is along the axis.
    #[inline]
    fn across(&self, vector: DVec3) -> DVec3 {
        vector - self.axis() * self.axis().dot(vector)
    }

    /// The axial component of the direction it looks along.
    #[inline]
    fn axial(&self, normal: DVec3) -> f64 {
        Self::SIGN * normal.dot(self.axis())
    }

    /// How far it reaches along the direction it looks along, from its origin [m].
    #[inline]
    fn reach(&self, normal: DVec3) -> f64 {
        self.profile().reach(self.axial(normal), self.across(normal).length())
    }

    /// The normal that it sees with an axial component u and a radial direction.
    #[inline]
    fn normal(&self, u: f64, radial: DVec3) -> DVec3 {
        (self.axis() * u + radial * (1.0 - u * u).max(0.0).sqrt()) * Self::SIGN
    }
}

/// The first body: in its own frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct First<'p>(pub &'p Profile);

impl Side for First<'_> {
    const SIGN: f64 = 1.0;

    #[inline]
    fn profile(&self) -> &Profile {
        self.0
    }

    #[inline]
    fn centre(&self) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn axis(&self) -> DVec3 {
        DVec3::Z
    }

    #[inline]
    fn facing(&self, normal: DVec3) -> Facing {
        let s = (normal.x * normal.x + normal.y * normal.y).sqrt();
        // Not zero: clearing half a register compiles to an instruction that Valgrind 3.19 does not know.
        let zero = normal.z * 0.0;
        let per_s = 1.0 / s.max(f64::MIN_POSITIVE);
        let radial = if s > 0.0 { normal.with_z(zero) * per_s } else { DVec3::X };
        Facing { u: normal.z, s, per_s, radial }
    }

    #[inline]
    fn core_point(&self, ring: &Ring, radial: DVec3) -> DVec3 {
        DVec3::new(radial.x * ring.radius, radial.y * ring.radius, ring.z)
    }

    #[inline]
    fn tangent(&self, radial: DVec3) -> DVec3 {
        DVec3::new(-radial.y, radial.x, radial.z)
    }

    #[inline]
    fn across(&self, vector: DVec3) -> DVec3 {
        DVec3::new(vector.x, vector.y, 0.0)
    }

    #[inline]
    fn axial(&self, normal: DVec3) -> f64 {
        normal.z
    }
}

/// The first body, turned: in a frame with its origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turned<'p> {
    pub profile: &'p Profile,
    pub axis: DVec3,
}

impl Side for Turned<'_> {
    const SIGN: f64 = 1.0;

    #[inline]
    fn profile(&self) -> &Profile {
        self.profile
    }

    #[inline]
    fn centre(&self) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn axis(&self) -> DVec3 {
        self.axis
    }

    #[inline]
    fn facing(&self, normal: DVec3) -> Facing {
        facing(self.axis, normal, normal.dot(self.axis))
    }

    #[inline]
    fn core_point(&self, ring: &Ring, radial: DVec3) -> DVec3 {
        radial * ring.radius + self.axis * ring.z
    }

    #[inline]
    fn tangent(&self, radial: DVec3) -> DVec3 {
        self.axis.cross(radial)
    }
}

/// How a body with an axis stands to a direction with an axial component u.
#[inline]
fn facing(axis: DVec3, direction: DVec3, u: f64) -> Facing {
    let across = direction - axis * u;
    let s = across.length();
    let per_s = 1.0 / s.max(f64::MIN_POSITIVE);
    let radial = if s > 0.0 { across * per_s } else { axis.any_orthonormal_vector() };
    Facing { u, s, per_s, radial }
}

/// The second body, seen from the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Second<'p> {
    pub profile: &'p Profile,
    pub centre: DVec3,
    pub axis: DVec3,
}

impl Side for Second<'_> {
    const SIGN: f64 = -1.0;

    #[inline]
    fn profile(&self) -> &Profile {
        self.profile
    }

    #[inline]
    fn centre(&self) -> DVec3 {
        self.centre
    }

    #[inline]
    fn axis(&self) -> DVec3 {
        self.axis
    }

    #[inline]
    fn facing(&self, normal: DVec3) -> Facing {
        facing(self.axis, -normal, -normal.dot(self.axis))
    }

    #[inline]
    fn core_point(&self, ring: &Ring, radial: DVec3) -> DVec3 {
        self.centre + radial * ring.radius + self.axis * ring.z
    }

    #[inline]
    fn tangent(&self, radial: DVec3) -> DVec3 {
        self.axis.cross(radial)
    }
}
