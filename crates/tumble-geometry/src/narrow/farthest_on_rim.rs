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

#[cfg(test)]
mod tests {
    use super::super::contact_convex_revolved::Question;
    use super::super::placed_shape::PlacedShape;
    use super::{NearEvolute, Rim};
    use crate::oracle::Sequence;
    use crate::shape::TruncatedCone;
    use crate::{Cylinder, Pose, Revolved, Shape, SurfaceContact, tolerance};
    use glam::{DQuat, DVec3};
    use std::f64::consts::{FRAC_PI_2, PI};

    const N_POSES: usize = 42_000;
    const N_SHAPES: usize = 7;
    const N_WAYS: usize = 8;
    const N_PLACES: usize = 5;

    /// What separations, normals and points may differ by: of the tube's and the body's size together, and [rad].
    const SAME: f64 = 1e-12;

    /// A body in a tube about z.
    struct Case {
        shape: Shape,
        /// Radius and local height of both rims [m].
        rims: [(f64, f64); 2],
        /// Radius of the tube [m].
        tube: f64,
        pose: Pose,
        margin: f64,
    }

    /// A tilt that is nothing, rounding, or small.
    fn trifle(sequence: &mut Sequence) -> f64 {
        [0.0, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3][(6.0 * sequence.unit()) as usize]
    }

    /// An orientation: along the tube, across it, square to its wall, nearly so, and any.
    fn orientation(sequence: &mut Sequence, way: usize, azimuth: f64) -> DQuat {
        let turned = DQuat::from_rotation_z(azimuth);
        let tilt = DQuat::from_rotation_x(trifle(sequence)) * DQuat::from_rotation_y(trifle(sequence));
        match way {
            // Along the tube: the rims are seen as circles.
            0 => tilt,
            1 => DQuat::from_rotation_x(PI) * tilt,
            // Caps to the wall, side to the wall: the rims are seen as segments.
            2 => turned * DQuat::from_rotation_y(FRAC_PI_2) * tilt,
            3 => turned * DQuat::from_rotation_x(FRAC_PI_2) * tilt,
            // Exactly edge on: no rounding in the axis.
            4 => DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            _ => sequence.orientation(),
        }
    }

    /// A body of radius 1, mostly near the wall.
    fn case(sequence: &mut Sequence, k: usize) -> Case {
        let half_height = [0.025, 0.5, 1.0, 5.0, 50.0, 0.7, 1.2][k % N_SHAPES];
        let (shape, rims) = if k % N_SHAPES < 5 {
            let rims = [(1.0, -half_height), (1.0, half_height)];
            (Shape::Cylinder(Cylinder { radius: 1.0, half_height }), rims)
        } else {
            let upper_radius = if k.is_multiple_of(2) { 0.0 } else { 0.6 };
            let cone = TruncatedCone { lower_radius: 1.0, upper_radius, height: 2.0 * half_height };
            let rims = [(1.0, cone.lower_z()), (upper_radius, cone.upper_z())];
            (Shape::TruncatedCone(cone), rims)
        };
        let mut tube = sequence.between_in_ratio(1.2, 30.0);
        let azimuth = sequence.between(-PI, PI);
        let orientation = orientation(sequence, (k / N_SHAPES) % N_WAYS, azimuth);
        let axis = orientation * DVec3::Z;
        let outward = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        let place = match (k / (N_SHAPES * N_WAYS)) % N_PLACES {
            0 => outward * (tube * sequence.unit()),
            // A rim about the axis of the tube.
            1 => axis.with_z(0.0) * -rims[0].1 + outward * trifle(sequence),
            // The axis of the tube near the evolute of a rim, as the tube sees it.
            2 => {
                let (sine, cosine) = sequence.between(0.0, 2.0 * PI).sin_cos();
                let along = axis.truncate().normalize_or(glam::DVec2::X).extend(0.0);
                let flatness = axis.truncate().length_squared();
                // No farther than the tube is wide.
                let y = (flatness / axis.z.abs().max(1e-300) * sine.powi(3)).clamp(-tube, tube);
                let x = flatness * cosine.powi(3) * (1.0 + trifle(sequence));
                let rim = DVec3::Z.cross(along) * x + along * y;
                tube = (rim.length() + 1.0) * sequence.between(0.97, 1.01);
                rim - axis.with_z(0.0) * rims[0].1
            }
            // In the wall or beside it, and grazing it.
            place => {
                let body = PlacedShape::new(&shape, &Pose::new(DVec3::ZERO, orientation));
                let depth = if place == 3 { sequence.between(-0.1, 0.1) } else { sequence.between(-2e-9, 2e-9) };
                outward * (tube - body.reach(outward, DVec3::ZERO) + depth)
            }
        };
        let margin = if k.is_multiple_of(3) { 0.05 } else { 0.0 };
        let pose = Pose::new(place + DVec3::Z * sequence.between(-1.0, 1.0), orientation);
        Case { shape, rims, tube, pose, margin }
    }

    impl Case {
        /// All maxima in the tube.
        fn ask(&self) -> Vec<SurfaceContact> {
            let revolved = Revolved::new(vec![[self.tube, -100.0], [self.tube, 100.0]]).unwrap();
            let body = self.body();
            let mut found = Vec::new();
            let question = Question::new(&revolved, &body, self.margin);
            question.meet_wall(&question.wall(0, 0), &mut found, &mut Default::default());
            found
        }

        fn body(&self) -> PlacedShape<'_> {
            PlacedShape::new(&self.shape, &self.pose)
        }

        fn size(&self) -> f64 {
            self.tube + self.shape.bounding_radius()
        }

        fn reach(&self, direction: DVec3) -> f64 {
            self.body().reach(direction, DVec3::ZERO)
        }

        fn rims(&self) -> [Rim; 2] {
            let axis = self.pose.orientation * DVec3::Z;
            self.rims.map(|(radius, z)| Rim { centre: self.pose.position + axis * z, axis, radius })
        }
    }

    /// Largest distances from z along a circle, each by trying and then closing in: the local maxima and their points.
    fn maxima_by_trying(rim: &Rim) -> Vec<(f64, DVec3)> {
        const N: usize = 360;
        if rim.radius == 0.0 {
            return vec![(rim.centre.truncate().length(), rim.centre)];
        }
        let (p, q) = rim.axis.any_orthonormal_pair();
        let at = |t: f64| rim.centre + (p * t.cos() + q * t.sin()) * rim.radius;
        let rho = |t: f64| at(t).truncate().length();
        let angle = |k: usize| 2.0 * PI * k as f64 / N as f64;
        let tried: Vec<f64> = (0..N).map(|k| rho(angle(k))).collect();
        let tops = (0..N).filter(|&k| tried[k] > tried[(k + 1) % N] && tried[k] >= tried[(k + N - 1) % N]);
        tops.map(|k| {
            let (mut low, mut high) = (angle(k) - angle(1), angle(k) + angle(1));
            for _ in 0..100 {
                let third = (high - low) / 3.0;
                if rho(low + third) < rho(high - third) { low += third } else { high -= third }
            }
            (rho(0.5 * (low + high)), at(0.5 * (low + high)))
        })
        .collect()
    }

    #[test]
    fn contacts_in_a_tube_are_the_farthest_points_of_rims() {
        let mut sequence = Sequence::new(92);
        let (mut n, mut n_second) = (0, 0);
        for k in 0..N_POSES {
            let case = case(&mut sequence, k);
            let rho = case.pose.position.truncate().length();
            // Inside the tube and not around its axis.
            if rho >= case.tube || case.shape.bounding_radius() + case.margin >= case.tube + rho {
                continue;
            }
            let found = case.ask();
            let close = SAME * case.size();
            let maxima: Vec<_> = case.rims().iter().flat_map(maxima_by_trying).collect();
            let largest = maxima.iter().map(|maximum| maximum.0).fold(0.0, f64::max);
            let deepest = found.iter().map(|contact| contact.separation).fold(f64::INFINITY, f64::min);
            if case.tube - largest <= case.margin - close {
                let off = (deepest - (case.tube - largest)).abs();
                assert!(off <= close, "pose {k}: {deepest} instead of {}", case.tube - largest);
                n += 1;
                n_second += usize::from(found.len() > 1);
            } else {
                assert!(case.tube - largest <= case.margin + close || found.is_empty(), "pose {k}: {found:?}");
            }
            for (rho, point) in maxima {
                let separation = case.tube - rho;
                let outward = point.with_z(0.0) / rho;
                // The other rim may reach farther there.
                if separation > case.margin - close || case.body().reach(outward, point) > SAME {
                    continue;
                }
                let is_it = |contact: &SurfaceContact| {
                    // Trying finds a direction to the root of rounding at best.
                    (contact.separation - separation).abs() <= close && contact.normal.distance(outward) <= 1e-3
                };
                // One that rounding cannot tell from the way to a larger one is none.
                let is_on_the_way = |contact: &SurfaceContact| {
                    let turn = outward.truncate().angle_to(contact.normal.truncate());
                    let reach = |part: f64| case.reach(DQuat::from_rotation_z(turn * part) * outward);
                    (0..=1000).all(|part| reach(f64::from(part) / 1000.0) >= rho - close)
                };
                let is_met = found.iter().any(is_it) || found.iter().any(is_on_the_way);
                assert!(is_met, "pose {k}: nothing at {point:?}: {found:?}");
            }
            for contact in &found {
                let is_maximum = |rim: &Rim| {
                    let reach = |turn: f64| {
                        let normal = DQuat::from_rotation_z(turn) * contact.normal;
                        normal.dot(rim.centre) + rim.radius * normal.cross(rim.axis).length()
                    };
                    // What reaches equally far counts as the farthest.
                    let is_farthest = reach(0.0) >= case.tube - contact.separation - tolerance::LIES_FLAT * case.size();
                    is_farthest && [-1e-7, 1e-7].iter().all(|&turn| reach(turn) <= reach(0.0) + close)
                };
                assert!(case.rims().iter().any(is_maximum), "pose {k}: no maximum at {contact:?}");
            }
        }
        assert!(n > 15_000 && n_second > 4_000, "only {n} cases, {n_second} with several contacts");
    }

    #[test]
    fn a_rim_with_its_evolute_on_the_axis_is_right_or_refused() {
        let mut sequence = Sequence::new(93);
        let mut n_refused = 0;
        for k in 0..2000 {
            let axis = sequence.direction();
            let along = axis.truncate().normalize().extend(0.0);
            let across = DVec3::Z.cross(along);
            let flatness = axis.truncate().length_squared();
            // Every other time at a cusp.
            let angle = if k % 2 == 0 { FRAC_PI_2 * (k % 4) as f64 } else { sequence.between(0.0, 2.0 * PI) };
            let (sine, cosine) = angle.sin_cos();
            let centre = across * (flatness * cosine.powi(3)) + along * (flatness / axis.z.abs() * sine.powi(3));
            let rim = Rim { centre: centre * (1.0 + trifle(&mut sequence)), axis, radius: 1.0 };
            let largest = maxima_by_trying(&rim).iter().map(|maximum| maximum.0).fold(0.0, f64::max);
            match rim.farthest(0.0) {
                Ok([Some(point), _]) => {
                    let rho = point.truncate().length();
                    assert!((rho - largest).abs() <= SAME * largest, "rim {k}: {rho} instead of {largest}");
                }
                Ok([None, _]) => panic!("rim {k} is nowhere: {rim:?}"),
                Err(NearEvolute) => n_refused += 1,
            }
        }
        assert!(n_refused > 0 && n_refused < 1000, "{n_refused} are refused");
    }
}
