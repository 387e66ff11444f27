//! A slice of the common region at a height z1 of the first cylinder: a circle cut by an ellipse and by two lines.
//!
//! In the division-free form, which holds at every angle between the axes (with Y, Z the centre of the second cylinder),
//!
//!   x^2 + y^2 <= r1^2,   (x - d)^2 + w^2 <= r2^2,   |v| <= h2,
//!   w = cos(alpha) (y - Y) - sin(alpha) (z - Z),   v = sin(alpha) (y - Y) + cos(alpha) (z - Z).
//!
//! At each y that is one interval of x, between arcs of the circle and of the ellipse. The slice is cut at the y where arcs
//! meet (roots of a quartic, appendix 2 of Feng, Han and Owen, 2017, in y) and where they turn round; between two cuts each
//! side is one arc. Arcs stay arcs: with w = r2 sin(phi) area and moments are integrals of low powers of sine and cosine
//! over phi, exact to rounding by Gauss's rule. The arc's range of phi over cos(alpha) comes from the chord, so that it does
//! not cancel as the ellipse becomes a strip (axes at right angles).

use super::gauss;
use super::region::Pair;
use crate::roots::{QuarticBy, RealRoots};
use glam::{DVec2, DVec3};

/// The plane of a slice.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlicePlane {
    z: f64,
    /// Radius and place along x of the circle and the ellipse.
    curves: [Curve; 2],
    /// v = slope y + level must be within the half height.
    slope: f64,
    level: f64,
    half_height: f64,
    quartic_by: QuarticBy,
}

/// (x - centre)^2 + (slope y - level)^2 = radius^2.
#[derive(Clone, Copy, Debug)]
struct Curve {
    centre: f64,
    radius: f64,
    slope: f64,
    level: f64,
}

impl Curve {
    fn sine(&self, y: f64) -> f64 {
        ((self.slope * y - self.level) / self.radius).clamp(-1.0, 1.0)
    }

    /// Half of the width along x at y.
    fn half_width(&self, y: f64) -> f64 {
        let w = self.slope * y - self.level;
        ((self.radius - w) * (self.radius + w)).max(0.0).sqrt()
    }

    /// Slope of the half width over y; infinite at the ends.
    fn half_width_slope(&self, y: f64) -> f64 {
        let w = self.slope * y - self.level;
        if w == 0.0 || self.slope == 0.0 { 0.0 } else { -self.slope * w / self.half_width(y) }
    }

    /// The y between which the curve has points.
    fn range(&self) -> (f64, f64) {
        if self.slope > 0.0 {
            ((self.level - self.radius) / self.slope, (self.level + self.radius) / self.slope)
        } else if self.level.abs() < self.radius {
            (f64::NEG_INFINITY, f64::INFINITY)
        } else {
            (1.0, -1.0)
        }
    }

    /// The piece of one side of the curve between two y.
    fn arc(&self, side: f64, from: f64, to: f64) -> Arc {
        let (w0, w1) = (self.sine(from), self.sine(to));
        let (u0, u1) = ((1.0 - w0 * w0).sqrt(), (1.0 - w1 * w1).sqrt());
        let tangent = if u0 + u1 > 0.0 { (w0 + w1) / (u0 + u1) } else { 0.0 };
        // sin(range / 2) / slope.
        let half = 0.5 * (to - from) / self.radius * (1.0 + tangent * tangent).sqrt();
        let sine = (self.slope * half).min(1.0);
        let range = if sine < 1e-4 { 2.0 * half * (1.0 + sine * sine / 6.0) } else { 2.0 * sine.asin() / self.slope };
        Arc { curve: *self, side, from, start: w0.atan2(u0), range }
    }
}

/// A piece of one side of a curve, by the angle phi from its start.
#[derive(Clone, Copy, Debug)]
struct Arc {
    curve: Curve,
    /// -1 on the left, 1 on the right.
    side: f64,
    from: f64,
    start: f64,
    /// Range of phi over the curve's slope.
    range: f64,
}

impl Arc {
    /// The point at a share of the range, and dy over the share.
    fn at(&self, share: f64) -> (DVec2, f64) {
        let Curve { centre, radius, slope, .. } = self.curve;
        let turn = share * self.range * slope;
        let cosine = (self.start + turn).cos();
        let half = 0.5 * turn;
        // sin(half) / slope * 2.
        let chord = if half < 1e-4 { share * self.range * (1.0 - half * half / 6.0) } else { 2.0 * half.sin() / slope };
        let y = self.from + radius * chord * (self.start + half).cos();
        (DVec2::new(centre + self.side * radius * cosine, y), radius * cosine * self.range)
    }

    fn x(&self, y: f64) -> f64 {
        self.curve.centre + self.side * self.curve.half_width(y)
    }

    /// Integrals of x, x^2 / 2 and x y over y, with x from a reference.
    fn integrals(&self, reference: f64) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for (share, weight) in gauss::nodes(0.0, 1.0) {
            let (DVec2 { x, y }, dy) = self.at(share);
            let x = x - reference;
            sums[0] += weight * dy * x;
            sums[1] += weight * dy * 0.5 * x * x;
            sums[2] += weight * dy * x * y;
        }
        sums
    }
}

/// What lies between two neighbouring cuts.
#[derive(Clone, Copy, Debug)]
struct Strip {
    left: Arc,
    right: Arc,
    to: f64,
}

/// A slice of the common region.
#[derive(Clone, Debug, Default)]
pub(super) struct Slice {
    strips: Vec<Strip>,
    /// Height along the first axis [m].
    pub z: f64,
    /// Area [m^2].
    pub area: f64,
    /// Integral of (x, y) over it [m^3].
    pub moment: DVec2,
    /// Least x and y [m].
    pub lower: DVec2,
    /// Largest x and y [m].
    pub upper: DVec2,
    /// Least distance from the first axis [m], to the fineness of a few points an arc.
    pub least_radius: f64,
    /// Largest distance from the first axis [m], likewise.
    pub largest_radius: f64,
    /// Area of the sides of both cylinders for each unit of height [m].
    pub side_area_rate: f64,
}

impl SlicePlane {
    pub fn new(pair: &Pair, z: f64) -> SlicePlane {
        let frame = &pair.frame;
        let (c, s) = (frame.cosine, frame.sine);
        let (y, rise) = (frame.centre_12.y, z - frame.centre_12.z);
        SlicePlane {
            z,
            curves: [
                Curve { centre: 0.0, radius: pair.first.radius, slope: 1.0, level: 0.0 },
                Curve { centre: frame.distance, radius: pair.second.radius, slope: c, level: c * y + s * rise },
            ],
            slope: s,
            level: c * rise - s * y,
            half_height: pair.second.half_height,
            quartic_by: pair.quartic_by,
        }
    }

    /// The y between which all three bounds have points, if any.
    fn range(&self) -> Option<(f64, f64)> {
        let lines = if self.slope > 0.0 {
            ((-self.half_height - self.level) / self.slope, (self.half_height - self.level) / self.slope)
        } else if self.level.abs() <= self.half_height {
            (f64::NEG_INFINITY, f64::INFINITY)
        } else {
            return None;
        };
        let [(a0, a1), (b0, b1)] = self.curves.map(|curve| curve.range());
        let (from, to) = (a0.max(b0).max(lines.0), a1.min(b1).min(lines.1));
        (from <= to).then_some((from, to))
    }

    /// How far circle and ellipse overlap along x at y; negative if they do not.
    fn reach(&self, y: f64) -> f64 {
        let [first, second] = &self.curves;
        first.half_width(y) + second.half_width(y) - second.centre.abs()
    }

    /// The y at which circle and ellipse overlap most along x, and by how much. The overlap is concave in y.
    pub fn deepest(&self) -> Option<(f64, f64)> {
        let (mut from, mut to) = self.range()?;
        let [first, second] = &self.curves;
        for _ in 0..60 {
            let y = 0.5 * (from + to);
            if first.half_width_slope(y) + second.half_width_slope(y) > 0.0 {
                from = y;
            } else {
                to = y;
            }
        }
        let y = 0.5 * (from + to);
        Some((y, self.reach(y)))
    }

    /// The middle of what is common along x at y.
    pub fn middle(&self, y: f64) -> DVec3 {
        let [first, second] = &self.curves;
        let (a, b, d) = (first.half_width(y), second.half_width(y), second.centre);
        DVec3::new(0.5 * ((-a).max(d - b) + a.min(d + b)), y, self.z)
    }

    /// The y where circle and ellipse cross: from the difference of their equations 2 d x = g(y), a quadratic, and
    /// g^2 = 4 d^2 (r1^2 - y^2).
    fn crossings(&self) -> RealRoots {
        let [first, second] = &self.curves;
        let d = second.centre;
        let g0 = (first.radius - second.radius) * (first.radius + second.radius) + d * d + second.level * second.level;
        let g1 = -2.0 * second.slope * second.level;
        // cos^2 - 1 without cancellation.
        let g2 = -self.slope * self.slope;
        if d == 0.0 {
            return self.quartic_by.real_roots([g0, g1, g2, 0.0, 0.0]);
        }
        let w = 4.0 * d * d;
        let a0 = (g0 - 2.0 * d * first.radius) * (g0 + 2.0 * d * first.radius);
        self.quartic_by.real_roots([a0, 2.0 * g0 * g1, g1 * g1 + 2.0 * g0 * g2 + w, 2.0 * g1 * g2, g2 * g2])
    }

    /// The slice, if it has an area.
    pub fn cut(&self) -> Option<Slice> {
        let (from, to) = self.range()?;
        let [first, second] = &self.curves;
        let turn = second.level / second.slope;
        let crossings = self.crossings();
        let mut cuts: Vec<f64> = [from, to, 0.0, turn]
            .into_iter()
            .chain(crossings.as_slice().iter().copied())
            .filter(|y| *y >= from && *y <= to)
            .collect();
        cuts.sort_by(f64::total_cmp);
        let mut slice = Slice::empty(self.z);
        for pair in cuts.windows(2).filter(|pair| pair[1] > pair[0]) {
            let (from, to) = (pair[0], pair[1]);
            let middle = 0.5 * (from + to);
            if self.reach(middle) <= 0.0 {
                continue;
            }
            let (a, b, d) = (first.half_width(middle), second.half_width(middle), second.centre);
            let (left, right) = (usize::from(d - b > -a), usize::from(d + b < a));
            slice.add(Strip {
                left: self.curves[left].arc(-1.0, from, to),
                right: self.curves[right].arc(1.0, from, to),
                to,
            });
        }
        (slice.area > 0.0).then_some(slice)
    }
}

impl Slice {
    /// Nothing at a height.
    pub fn empty(z: f64) -> Slice {
        Slice { z, lower: DVec2::INFINITY, upper: DVec2::NEG_INFINITY, least_radius: f64::INFINITY, ..Slice::default() }
    }

    /// Takes the ends p, q of a chord along x into bounds and distances.
    pub fn take_chord(&mut self, p: DVec2, q: DVec2) {
        self.lower = self.lower.min(p);
        self.upper = self.upper.max(q);
        self.least_radius = self.least_radius.min(DVec2::new(0f64.min(q.x).max(p.x), p.y).length());
        self.largest_radius = self.largest_radius.max(p.length()).max(q.length());
    }

    fn add(&mut self, strip: Strip) {
        // From its own middle a thin strip keeps its centre.
        let middle = 0.5 * (strip.left.from + strip.to);
        let reference = 0.5 * (strip.left.x(middle) + strip.right.x(middle));
        let (left, right) = (strip.left.integrals(reference), strip.right.integrals(reference));
        let area = right[0] - left[0];
        self.area += area;
        self.moment += DVec2::new(right[1] - left[1] + reference * area, right[2] - left[2]);
        // Arcs turn round at cuts only, so that their ends are the bounds.
        for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let y = strip.left.from + (strip.to - strip.left.from) * share;
            self.take_chord(DVec2::new(strip.left.x(y), y), DVec2::new(strip.right.x(y), y));
        }
        // On the side of either cylinder dA = r dphi dz / cos of the angle between its axis and z.
        self.side_area_rate +=
            strip.left.curve.radius * strip.left.range + strip.right.curve.radius * strip.right.range;
        self.strips.push(strip);
    }

    /// Points around the edge, `n_points` to an arc, counter-clockwise seen from above: a convex ring.
    pub fn outline(&self, n_points: usize) -> Vec<DVec3> {
        let arcs = self.strips.iter().flat_map(|strip| [&strip.left, &strip.right]);
        let mut points: Vec<DVec2> =
            arcs.flat_map(|arc| (0..=n_points).map(|k| arc.at(k as f64 / n_points as f64).0)).collect();
        points.sort_unstable_by(|p, q| p.y.total_cmp(&q.y).then(p.x.total_cmp(&q.x)));
        let size = (self.upper - self.lower).max_element();
        let mut ring = Vec::with_capacity(points.len());
        ring.extend(convex_chain(points.iter(), size));
        ring.extend(convex_chain(points.iter().rev(), size));
        ring.dedup_by(|q, p| are_one(*p, *q, size));
        if ring.len() > 1 && are_one(ring[0], ring[ring.len() - 1], size) {
            ring.pop();
        }
        ring.into_iter().map(|p| p.extend(self.z)).collect()
    }
}

/// Whether two points are so near each other that rounding decides in which direction one lies from the other.
fn are_one(p: DVec2, q: DVec2, size: f64) -> bool {
    const ROUNDING: f64 = 1e-9;
    (p - q).abs().max_element() <= ROUNDING * size
}

/// What of a row of points turns left at each of them. Where arcs turn round, rounding leaves points inside the hull.
fn convex_chain<'a>(points: impl Iterator<Item = &'a DVec2>, size: f64) -> Vec<DVec2> {
    let mut chain: Vec<DVec2> = Vec::with_capacity(64);
    for &point in points {
        if chain.last().is_some_and(|last| are_one(*last, point, size)) {
            continue;
        }
        while let [.., before, last] = chain.as_slice()
            && (*last - *before).perp_dot(point - *last) <= 0.0
        {
            chain.pop();
        }
        chain.push(point);
    }
    chain
}
