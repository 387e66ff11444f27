//! The points of a circle in space that are farthest from the z axis: a cylinder's rim in a tube.
//!
//! Seen along z, a circle with centre c, radius r and unit axis e is an ellipse. Its half axes are r along m, the
//! horizontal unit vector square to e, and r |e_z| along q_xy, with q = e x m. Its points are
//! c + r (m cos t + q sin t), and with u = r c . m, v = r c . q_xy and w = r^2 (e_x^2 + e_y^2)
//!
//!   rho^2 = |c_xy|^2 + r^2 + 2 (u cos t + v sin t) - w sin^2 t.
//!
//! Let u, v >= 0 (by symmetry). With the multiplier mu of cos^2 + sin^2 = 1, cos t = u / mu and sin t = v / (w + mu) where rho is
//! stationary, and mu is a root of
//!
//!   N(mu) = (u / mu)^2 + (v / (w + mu))^2 = 1.
//!
//! - The largest rho belongs to the one root mu > 0. Every mu > 0 bounds it: rho^2 <= |c_xy|^2 + r^2 + mu + u^2 / mu +
//!   v^2 / (w + mu), so that a rim that stays clear of a wall is mostly known to do so before the root is found. The bound
//!   with mu = sqrt(u^2 + v^2), and w left out, needs no m: u^2 + v^2 = r^2 (|c_xy|^2 - (c_xy . e)^2).
//! - There is at most one other local maximum, on the other side (cos t < 0), and just where the axis passes inside the
//!   evolute of the ellipse, u^(2/3) + v^(2/3) < w^(2/3). It belongs to the root in -w < mu < 0 nearest to zero.
//!
//! Between its poles N^(-1/2) is a concave function of mu (by the inequality of Cauchy and Schwarz). So Newton's method for
//! N^(-1/2) = 1 goes monotonically to a root from any start between the pole at zero and the root.
//!
//! Valid for every circle, one seen edge on (a segment) or seen as a circle too. Known limit: where two stationary points
//! nearly merge (the axis close to the evolute) the steps are many and there is no answer ([`NearEvolute`]).
//!
//! References: Moré and Sorensen, *Computing a trust region step*, SIAM J. Sci. Stat. Comput. 4 (1983) 553, for the largest;
//! Martínez, *Local minimizers of quadratic functions on Euclidean balls and spheres*, SIAM J. Optim. 4 (1994) 159, for the
//! other.

use glam::{DVec2, DVec3};

/// Most steps of Newton's method. Three to five are usual.
const MOST_STEPS: usize = 30;

/// A circle in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rim {
    /// Centre [m].
    pub centre: DVec3,
    /// Unit vector square to its plane.
    pub axis: DVec3,
    /// Radius [m].
    pub radius: f64,
}

/// Stationary points are too close together to be told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NearEvolute;

impl Rim {
    /// Whether a point of the rim can be at least `distance` [m] from the z axis. A bound without roots or divisions.
    #[inline]
    pub fn may_reach(&self, distance: f64) -> bool {
        let centre = self.centre.truncate();
        let radius_squared = self.radius * self.radius;
        let along = centre.dot(self.axis.truncate());
        let missing = distance * distance - centre.length_squared() - radius_squared;
        let swing_squared = radius_squared * (centre.length_squared() - along * along);
        distance <= 0.0 || missing <= 0.0 || missing * missing <= 4.0 * swing_squared
    }

    /// The points at which the distance from the z axis is a local maximum, those that are at least `distance` [m] from it:
    /// the farthest first.
    pub fn farthest(&self, distance: f64) -> Result<[Option<DVec3>; 2], NearEvolute> {
        let r = self.radius;
        let (centre, tilt) = (self.centre.truncate(), self.axis.truncate());
        let sine_squared = tilt.length_squared();
        // Seen as a circle, every direction is an axis of it.
        let along = if sine_squared > 0.0 { tilt / sine_squared.sqrt() } else { DVec2::X };
        let m = along.perp().extend(0.0);
        let q = self.axis.cross(m);
        let (u, v) = (r * self.centre.dot(m), r * centre.dot(q.truncate()));
        let ellipse = Ellipse { u: u.abs(), v: v.abs(), w: r * r * sine_squared };
        let needed = if distance > 0.0 { distance * distance } else { 0.0 } - centre.length_squared() - r * r;
        let place = |(cosine, sine): (f64, f64)| {
            let cosine = if u < 0.0 { -cosine } else { cosine };
            self.centre + (m * cosine + q * sine.copysign(v)) * r
        };
        let far = |point: &DVec3| point.truncate().length_squared() - centre.length_squared() - r * r >= needed;
        let first = ellipse.largest(needed)?.map(place).filter(far);
        let second = ellipse.other(needed)?.map(place).filter(far);
        Ok([first, second])
    }
}

/// u cos t + v sin t - w / 2 sin^2 t, nothing negative [m^2]. What is called reach is twice that.
struct Ellipse {
    u: f64,
    v: f64,
    w: f64,
}

impl Ellipse {
    /// Cosine and sine where the reach is largest; `None` if it is less than `needed`.
    fn largest(&self, needed: f64) -> Result<Option<(f64, f64)>, NearEvolute> {
        let &Ellipse { u, v, w } = self;
        let start = u.max((u * u + v * v).sqrt() - w);
        if start <= 0.0 {
            return Ok(self.level(needed));
        }
        self.newton(start, 1.0, |mu, (cosine, sine)| mu + u * cosine + v * sine < needed)
    }

    /// Cosine (not positive) and sine of the other local maximum, if there is one; `None` for sure if it is less than `needed`.
    fn other(&self, needed: f64) -> Result<Option<(f64, f64)>, NearEvolute> {
        let &Ellipse { u, v, w } = self;
        // Since u cos t is not positive.
        if u + v >= w || 2.0 * v < needed {
            return Ok(None);
        }
        // u^(2/3) + v^(2/3) < w^(2/3), cubed twice.
        let (x, y) = (u / w * (u / w), v / w * (v / w));
        let inside = 1.0 - x - y;
        if inside * inside * inside <= 27.0 * x * y {
            return Ok(None);
        }
        if u <= 0.0 {
            return Ok(self.level(needed).map(|(cosine, sine)| (-cosine, sine)));
        }
        let found = self.newton(u, -1.0, |_, _| false)?;
        Ok(found.map(|(cosine, sine)| (-cosine, sine)))
    }

    /// Where u vanishes and v is less than w: both maxima have the same sine. Only there mu is zero.
    fn level(&self, needed: f64) -> Option<(f64, f64)> {
        let sine = if self.w > 0.0 { self.v / self.w } else { 0.0 };
        (self.v * sine >= needed).then(|| ((1.0 - sine * sine).max(0.0).sqrt(), sine))
    }

    /// The root |mu| of N(mu) = 1 on one side of zero, from a start between zero and it, as cosine and sine, neither of them
    /// negative. `None` as soon as `gives_up` says so.
    #[inline]
    fn newton(
        &self,
        start: f64,
        sign: f64,
        gives_up: impl Fn(f64, (f64, f64)) -> bool,
    ) -> Result<Option<(f64, f64)>, NearEvolute> {
        let mut mu = start;
        for _ in 0..MOST_STEPS {
            let across = self.w + sign * mu;
            let (cosine, sine) = (self.u / mu, self.v / across);
            if gives_up(mu, (cosine, sine)) {
                return Ok(None);
            }
            let norm_squared = cosine * cosine + sine * sine;
            let norm = norm_squared.sqrt();
            let slope = cosine * cosine / mu + sign * (sine * sine) / across;
            let step = norm_squared * ((norm_squared - 1.0) / (norm + 1.0)) / slope;
            // No slope, no number, or past the least N: the root is a double one as far as rounding can tell.
            if !(slope > 0.0 && step.is_finite() && across > 0.0) {
                return Err(NearEvolute);
            }
            if step <= 4.0 * f64::EPSILON * mu {
                return Ok(Some((cosine / norm, sine / norm)));
            }
            mu += step;
        }
        Err(NearEvolute)
    }
}
