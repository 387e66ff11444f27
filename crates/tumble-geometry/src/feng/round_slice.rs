//! A slice of what two bodies of revolution share, at a height of the first: a circle cut by pieces of conics.
//!
//! On each stretch of the second body the square of its half width along x is, at a given height, a product of two linear
//! functions of y: of a cone (rho - w)(rho + w), with rho its radius and w the distance from the plane of its axis and x, and of a
//! ball (R - y')(R + y'), with R the radius of the circle in which the slice cuts it. So the slice has arcs of ellipses,
//! parabolas and hyperbolas, and a circle meets each in the roots of a quartic. The linear functions have no roots but where an
//! arc turns round: with the distance from there as a square, y = y0 + u^2, Gauss's rule gives area and moments to 1e-9 of them.

use super::gauss;
use super::revolved::RoundPair;
use super::round_body::{Form, Stretch};
use super::slice::Slice;
use glam::{DVec2, DVec3};

/// level + slope y.
#[derive(Clone, Copy, Debug)]
struct Linear {
    level: f64,
    slope: f64,
}

impl Linear {
    fn at(&self, y: f64) -> f64 {
        self.level + self.slope * y
    }

    fn zero(&self) -> f64 {
        -self.level / self.slope
    }
}

/// (x - centre)^2 = product of the factors, between two y.
#[derive(Clone, Copy, Debug)]
struct Conic {
    centre: f64,
    factors: [Linear; 2],
    /// One and the coefficient of y^2 in the product together, without cancellation.
    roundness: f64,
    /// Half width times the area of the surface for each unit of y and of height.
    area: Linear,
    from: f64,
    to: f64,
}

impl Conic {
    /// Of a stretch of the second body, in the plane at z; `None` if the plane misses it.
    fn of(stretch: &Stretch, pair: &RoundPair, z: f64) -> Option<Conic> {
        let frame = &pair.frame;
        let (c, s, d) = (frame.cosine, frame.sine, frame.distance);
        let (y, rise) = (frame.centre_12.y, z - frame.centre_12.z);
        // Height and distance from the plane of axis and x, of the second body, over y.
        let v = Linear { level: c * rise - s * y, slope: s };
        let w = Linear { level: -(c * y + s * rise), slope: c };
        let (factors, roundness, area) = match stretch.form {
            Form::Cone { radius, slope } => {
                let rho = Linear { level: radius + slope * v.level, slope: slope * v.slope };
                let steepness = 1.0 + slope * slope;
                let side = steepness.sqrt();
                (
                    [
                        Linear { level: rho.level - w.level, slope: rho.slope - w.slope },
                        Linear { level: rho.level + w.level, slope: rho.slope + w.slope },
                    ],
                    s * s * steepness,
                    Linear { level: rho.level * side, slope: rho.slope * side },
                )
            }
            Form::Ball { centre, radius } => {
                let above = rise - c * centre;
                let square = (radius - above) * (radius + above);
                if square <= 0.0 {
                    return None;
                }
                let (cut, middle) = (square.sqrt(), y + s * centre);
                (
                    [Linear { level: cut + middle, slope: -1.0 }, Linear { level: cut - middle, slope: 1.0 }],
                    0.0,
                    Linear { level: radius, slope: 0.0 },
                )
            }
        };
        let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
        let within = [
            Linear { level: v.level - stretch.from, slope: v.slope },
            Linear { level: stretch.to - v.level, slope: -v.slope },
            factors[0],
            factors[1],
        ];
        for bound in within {
            if bound.slope > 0.0 {
                from = from.max(bound.zero());
            } else if bound.slope < 0.0 {
                to = to.min(bound.zero());
            } else if bound.level < 0.0 {
                return None;
            }
        }
        (from < to).then_some(Conic { centre: d, factors, roundness, area, from, to })
    }

    fn circle(radius: f64, area_rate: f64) -> Conic {
        Conic {
            centre: 0.0,
            factors: [Linear { level: radius, slope: -1.0 }, Linear { level: radius, slope: 1.0 }],
            roundness: 0.0,
            area: Linear { level: area_rate, slope: 0.0 },
            from: -radius,
            to: radius,
        }
    }

    fn half_width(&self, y: f64) -> f64 {
        (self.factors[0].at(y) * self.factors[1].at(y)).max(0.0).sqrt()
    }

    fn half_width_slope(&self, y: f64) -> f64 {
        let [a, b] = &self.factors;
        let rise = a.slope * b.at(y) + a.at(y) * b.slope;
        if rise == 0.0 { 0.0 } else { 0.5 * rise / self.half_width(y) }
    }

    /// Where it is widest, if between its ends it turns round.
    fn turn(&self) -> Option<f64> {
        let [a, b] = &self.factors;
        (a.slope * b.slope < 0.0).then(|| -0.5 * (a.level * b.slope + b.level * a.slope) / (a.slope * b.slope))
    }

    /// Of one side between two y, with x from a reference: integrals of x, x^2 / 2 and x y over y, and the area of the
    /// surface for each unit of height.
    fn integrals(&self, side: f64, from: f64, to: f64, reference: f64) -> [f64; 4] {
        let mut sums = [0.0; 4];
        let mut take = |y: f64, weight: f64| {
            let half = self.half_width(y);
            let x = self.centre + side * half - reference;
            sums[0] += weight * x;
            sums[1] += weight * 0.5 * x * x;
            sums[2] += weight * x * y;
            if half > 0.0 {
                sums[3] += weight * self.area.at(y) / half;
            }
        };
        let middle = 0.5 * (from + to);
        for (end, sign) in [(from, 1.0), (to, -1.0)] {
            // The nearest place beyond the end where the curve turns round.
            let turns = self.factors.iter().filter(|factor| factor.slope * sign > 0.0).map(Linear::zero);
            let turn = turns.map(|turn| sign * (end - turn)).fold(f64::INFINITY, f64::min).max(0.0);
            let length = sign * (middle - end);
            if turn < 100.0 * length {
                let start = turn.sqrt();
                for (u, weight) in gauss::nodes(start, (turn + length).sqrt()) {
                    take(end + sign * (u - start) * (u + start), 2.0 * u * weight);
                }
            } else {
                for (t, weight) in gauss::nodes(0.0, length) {
                    take(end + sign * t, weight);
                }
            }
        }
        sums
    }
}

/// The plane of a slice.
pub(super) struct RoundPlane<'a> {
    pair: &'a RoundPair,
    z: f64,
    circle: Conic,
    /// Of the second body, by ascending y.
    conics: [Option<Conic>; 3],
}

impl<'a> RoundPlane<'a> {
    pub fn new(pair: &'a RoundPair, z: f64) -> RoundPlane<'a> {
        let mut conics = [None; 3];
        for (conic, stretch) in conics.iter_mut().zip(&pair.second.stretches) {
            *conic = Conic::of(stretch, pair, z);
        }
        let circle = Conic::circle(pair.first.radius_at(z), pair.first.area_rate(z));
        RoundPlane { pair, z, circle, conics }
    }

    fn conics(&self) -> impl Iterator<Item = &Conic> {
        self.conics.iter().flatten()
    }

    /// The conic of the second body at y.
    fn conic(&self, y: f64) -> Option<&Conic> {
        self.conics().find(|conic| y <= conic.to).or(self.conics().last())
    }

    /// The y between which both bodies have points, and how far they are apart along y if there are none.
    fn range(&self) -> (f64, f64) {
        let from = self.conics().map(|conic| conic.from).fold(f64::INFINITY, f64::min);
        let to = self.conics().map(|conic| conic.to).fold(f64::NEG_INFINITY, f64::max);
        (from.max(self.circle.from), to.min(self.circle.to))
    }

    /// How far the bodies overlap along x at y; negative if they do not.
    fn reach(&self, y: f64) -> f64 {
        let second = self.conic(y).map_or(0.0, |conic| conic.half_width(y));
        self.circle.half_width(y) + second - self.pair.frame.distance.abs()
    }

    fn reach_slope(&self, y: f64) -> f64 {
        self.circle.half_width_slope(y) + self.conic(y).map_or(0.0, |conic| conic.half_width_slope(y))
    }

    /// The y at which the bodies overlap most along x, and by how much. The overlap is concave in y. Where they have no y in
    /// common, as much less than any overlap as they are apart.
    pub fn deepest(&self) -> (f64, f64) {
        let (mut from, mut to) = self.range();
        if from > to {
            let far = self.pair.frame.distance.abs() + self.pair.first.radius + self.pair.second.radius;
            return (0.5 * (from + to), -far - (from - to));
        }
        for _ in 0..52 {
            let y = 0.5 * (from + to);
            if self.reach_slope(y) > 0.0 {
                from = y;
            } else {
                to = y;
            }
        }
        let y = 0.5 * (from + to);
        (y, self.reach(y))
    }

    /// Whether the bodies overlap along x at any y.
    pub fn has_overlap(&self) -> bool {
        let (mut from, mut to) = self.range();
        for _ in 0..52 {
            if from > to {
                return false;
            }
            let y = 0.5 * (from + to);
            let (reach, slope) = (self.reach(y), self.reach_slope(y));
            if reach > 0.0 {
                return true;
            }
            // Below its tangent everywhere.
            if reach + slope.abs() * (to - from) < 0.0 {
                return false;
            }
            if slope > 0.0 {
                from = y;
            } else {
                to = y;
            }
        }
        false
    }

    /// The middle of what is common along x at y.
    pub fn middle(&self, y: f64) -> DVec3 {
        let (a, d) = (self.circle.half_width(y), self.pair.frame.distance);
        let b = self.conic(y).map_or(0.0, |conic| conic.half_width(y));
        DVec3::new(0.5 * ((-a).max(d - b) + a.min(d + b)), y, self.z)
    }

    /// The y where the circle crosses a conic, as in the slice of two cylinders.
    fn crossings(&self, conic: &Conic) -> crate::roots::RealRoots {
        let (radius, d) = (self.circle.to, conic.centre);
        let [a, b] = &conic.factors;
        let g0 = radius * radius + d * d - a.level * b.level;
        let g1 = -(a.level * b.slope + b.level * a.slope);
        let g2 = -conic.roundness;
        if d == 0.0 {
            return self.pair.quartic_by.real_roots([g0, g1, g2, 0.0, 0.0]);
        }
        let a0 = (g0 - 2.0 * d * radius) * (g0 + 2.0 * d * radius);
        let a2 = g1 * g1 + 2.0 * g0 * g2 + 4.0 * d * d;
        self.pair.quartic_by.real_roots([a0, 2.0 * g0 * g1, a2, 2.0 * g1 * g2, g2 * g2])
    }

    /// The slice, if it has an area.
    pub fn cut(&self) -> Option<Slice> {
        let (from, to) = self.range();
        let mut cuts = vec![from, to, 0.0];
        for conic in self.conics() {
            cuts.extend([conic.from, conic.to]);
            cuts.extend(conic.turn());
            cuts.extend(self.crossings(conic).as_slice());
        }
        cuts.retain(|y| *y >= from && *y <= to);
        cuts.sort_by(f64::total_cmp);
        let mut slice = Slice::empty(self.z);
        for pair in cuts.windows(2).filter(|pair| pair[1] > pair[0]) {
            let middle = 0.5 * (pair[0] + pair[1]);
            if self.reach(middle) > 0.0
                && let Some(conic) = self.conic(middle)
            {
                self.add(&mut slice, conic, pair[0], pair[1]);
            }
        }
        (slice.area > 0.0).then_some(slice)
    }

    /// What lies between two neighbouring cuts.
    fn add(&self, slice: &mut Slice, conic: &Conic, from: f64, to: f64) {
        let middle = 0.5 * (from + to);
        let (a, b, d) = (self.circle.half_width(middle), conic.half_width(middle), conic.centre);
        let left = if d - b > -a { conic } else { &self.circle };
        let right = if d + b < a { conic } else { &self.circle };
        let left_x = |y: f64| left.centre - left.half_width(y);
        let right_x = |y: f64| right.centre + right.half_width(y);
        // From its own middle a thin strip keeps its centre.
        let reference = 0.5 * (left_x(middle) + right_x(middle));
        let (p, q) = (left.integrals(-1.0, from, to, reference), right.integrals(1.0, from, to, reference));
        let area = q[0] - p[0];
        slice.area += area;
        slice.moment += DVec2::new(q[1] - p[1] + reference * area, q[2] - p[2]);
        slice.side_area_rate += p[3] + q[3];
        for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let y = from + (to - from) * share;
            slice.take_chord(DVec2::new(left_x(y), y), DVec2::new(right_x(y), y));
        }
    }
}
