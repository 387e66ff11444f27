//! Where the polygon that two rectangles share changes its kind: where a corner of one lies on an edge of the other.
//!
//! The corners of the rectangles run along the rims. A rim (circle of radius r about its axis, at a height along it) meets
//! an end of the other cylinder in a line y = const, and the other's side where
//!
//! f = (x - d)^2 + (c y + k)^2 - R^2 = 0   on   x^2 + y^2 = r^2.
//!
//! On the half circle away from the other axis f is concave in y; on the half towards it f is convex but for the middle
//! |y| < y*, (r^2 - y*^2)^(3/2) = d r^2 / s^2, where it is concave. So each part has at most two roots, and one more place
//! is enough to tell them apart. A break that is missed or misplaced by u costs about u^2 of the integrals' digits.

use super::Pair;

/// Two ends, two rims to each cylinder, and on each rim four roots and four corners.
const N_PLACES: usize = 2 + 4 * 8;

/// Places along x, from left to right.
pub(super) struct Breaks {
    places: [f64; N_PLACES],
    n_places: usize,
}

impl Breaks {
    pub fn new(pair: &Pair, range: [f64; 2]) -> Breaks {
        let mut breaks = Breaks { places: [0.0; N_PLACES], n_places: 0 };
        let [from, to] = range;
        breaks.push(from);
        breaks.push(to);
        for body in [0, 1] {
            for side in [-1.0, 1.0] {
                let axis = pair.axis(body);
                Rim::new(pair, body, side).for_each_break(|x| {
                    let x = axis + x;
                    if x > from && x < to {
                        breaks.push(x);
                    }
                });
            }
        }
        if let Some(places) = breaks.places.get_mut(..breaks.n_places) {
            places.sort_unstable_by(f64::total_cmp);
        }
        breaks
    }

    fn push(&mut self, x: f64) {
        if let Some(place) = self.places.get_mut(self.n_places) {
            *place = x;
            self.n_places += 1;
        }
    }

    /// The pieces between the places.
    pub fn pieces(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.places[..self.n_places].windows(2).map(|ends| [ends[0], ends[1]]).filter(|[from, to]| from < to)
    }
}

/// A rim seen in the frame of its own axis, and the other cylinder.
struct Rim {
    radius: f64,
    /// The other axis, along x.
    distance: f64,
    other_radius: f64,
    other_half_height: f64,
    /// Across the other axis: cosine y + across.
    cosine: f64,
    across: f64,
    /// Along the other axis: sine y + along.
    sine: f64,
    along: f64,
}

impl Rim {
    fn new(pair: &Pair, body: usize, side: f64) -> Rim {
        let (c, s, centre) = (pair.cosine, pair.sine, pair.centre);
        let height = side * pair.half_height[body];
        let other = 1 - body;
        let (distance, sine, across, along) = if body == 0 {
            let (y, z) = (-centre.y, height - centre.z);
            (centre.x, s, c * y - s * z, s * y + c * z)
        } else {
            (-centre.x, -s, s * height + centre.y, c * height + centre.z)
        };
        Rim {
            radius: pair.radius[body],
            distance,
            other_radius: pair.radius[other],
            other_half_height: pair.half_height[other],
            cosine: c,
            across,
            sine,
            along,
        }
    }

    /// Reports x, from the rim's own axis.
    fn for_each_break(&self, mut report: impl FnMut(f64)) {
        let r = self.radius;
        let (mut from, mut to) = (-r, r);
        if self.sine == 0.0 {
            if self.along.abs() > self.other_half_height {
                return;
            }
        } else {
            let ends = [-1.0, 1.0].map(|side| (side * self.other_half_height - self.along) / self.sine);
            from = from.max(ends[0].min(ends[1]));
            to = to.min(ends[0].max(ends[1]));
            if from >= to {
                return;
            }
            for y in ends.into_iter().filter(|y| y.abs() < r) {
                let x = self.half_chord(y);
                [x, -x].into_iter().filter(|&x| self.height(x, y) <= 0.0).for_each(&mut report);
            }
        }
        let inflection_squared =
            r * r - (self.distance.abs() * r * r / (self.sine * self.sine)).cbrt().powi(2).max(f64::MIN_POSITIVE);
        let inflection = if inflection_squared > 0.0 { inflection_squared.sqrt() } else { 0.0 };
        let towards = if self.distance < 0.0 { -1.0 } else { 1.0 };
        let mut look = |from: f64, to: f64, half: f64, convexity: f64| {
            if from < to {
                HalfRim { rim: self, half, convexity }
                    .roots(from, to, |y| report(self.polished(half * self.half_chord(y), y)));
            }
        };
        look(from, to, -towards, -1.0);
        look(from, to.min(-inflection), towards, 1.0);
        if inflection > 0.0 {
            look(from.max(-inflection), to.min(inflection), towards, -1.0);
        }
        look(from.max(inflection), to, towards, 1.0);
    }

    /// A root moved along the circle by Newton's method. Near |y| = r a half chord has half the digits of y.
    fn polished(&self, x: f64, y: f64) -> f64 {
        let (mut x, mut y) = (x, y);
        for _ in 0..2 {
            let growth = 2.0 * (x * self.cosine * (self.cosine * y + self.across) - y * (x - self.distance));
            let turn = -self.height(x, y) / growth;
            // At a double root it would lead away.
            if turn.is_nan() || turn.abs() > 1e-6 {
                return x;
            }
            (x, y) = (x - turn * y, y + turn * x);
        }
        x
    }

    fn half_chord(&self, y: f64) -> f64 {
        ((self.radius - y) * (self.radius + y)).max(0.0).sqrt()
    }

    /// f: negative within the other's side.
    fn height(&self, x: f64, y: f64) -> f64 {
        let (along, across) = (x - self.distance, self.cosine * y + self.across);
        along * along + (across - self.other_radius) * (across + self.other_radius)
    }
}

/// Half a rim, x of one sign, on a part where f curves one way.
struct HalfRim<'a> {
    rim: &'a Rim,
    half: f64,
    /// 1 where f is convex, -1 where it is concave.
    convexity: f64,
}

impl HalfRim<'_> {
    /// The convex one of f and -f, and its slope.
    fn at(&self, y: f64) -> (f64, f64) {
        let rim = self.rim;
        let x = self.half * rim.half_chord(y);
        let slope = 2.0 * (rim.cosine * (rim.cosine * y + rim.across) - y * (x - rim.distance) / x);
        (self.convexity * rim.height(x, y), self.convexity * slope)
    }

    fn roots(&self, from: f64, to: f64, mut report: impl FnMut(f64)) {
        const N_HALVINGS: usize = 60;
        let (mut from, mut to) = (from, to);
        let ends = [self.at(from).0, self.at(to).0];
        if ends[0] * ends[1] < 0.0 {
            report(self.root([from, to], ends[0] > 0.0));
            return;
        }
        if ends[0] <= 0.0 {
            return;
        }
        // Both ends are above: the lowest point between them may be below.
        for _ in 0..N_HALVINGS {
            let middle = 0.5 * (from + to);
            let (height, slope) = self.at(middle);
            if height < 0.0 {
                report(self.root([from, middle], true));
                report(self.root([middle, to], false));
                return;
            }
            // The tangent is a lower bound.
            if slope > 0.0 {
                if height - slope * (middle - from) > 0.0 {
                    return;
                }
                to = middle;
            } else {
                if height + slope * (to - middle) > 0.0 || slope.is_nan() {
                    return;
                }
                from = middle;
            }
        }
    }

    /// Newton's method, held within the bounds by halving.
    fn root(&self, bounds: [f64; 2], falls: bool) -> f64 {
        const N_STEPS: usize = 60;
        let [mut from, mut to] = bounds;
        let mut y = 0.5 * (from + to);
        for _ in 0..N_STEPS {
            let (height, slope) = self.at(y);
            if (height > 0.0) == falls {
                from = y
            } else {
                to = y
            }
            let newton = y - height / slope;
            let next = if newton > from && newton < to { newton } else { 0.5 * (from + to) };
            if (next - y).abs() <= 2.0 * f64::EPSILON * self.rim.radius {
                return next;
            }
            y = next;
        }
        y
    }
}
