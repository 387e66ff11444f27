//! A superquadric as a polyhedron sees it: its farthest points and their curvature along any direction, and its point nearest to
//! another.
//!
//! **Ellipsoids.** With A = R diag(a^2) R^T the support function is h(n) = sqrt(n^T A n), its point s = A n / h, its second derivative
//! (A - s s^T) / h. The point of the surface nearest to v has x_i = a_i^2 v_i / (a_i^2 + t), with t the largest root of
//! sum (a_i v_i / (a_i^2 + t))^2 = 1: above -min a_i^2 there is one, and it is the nearest of all, from inside too.
//!
//! **Other exponents.** Normals hardly change over flat sides, points do: so the nearest point is found by moving over the surface and not
//! over the normals. With the unit normal m at x, g = m . (v - x) and the curvature K of the surface, half the squared distance has the second
//! derivative 1 + g K in the tangent plane. K is no larger than 1 / (radius of the rolling ball), so that steps by Newton's method
//! are well conditioned for points outside and for those less deep than that.

use crate::{Pose, Superquadric};
use glam::{DMat3, DVec3};

/// A superquadric in the frame of a polyhedron.
pub(super) struct Round<'a> {
    body: &'a Superquadric,
    turn: DMat3,
    /// Its centre [m].
    pub centre: DVec3,
    /// A of the header, for an ellipsoid.
    form: Option<DMat3>,
}

/// The point of a surface that is nearest to another.
pub(super) struct Nearest {
    /// The point [m].
    pub point: DVec3,
    /// Outward unit normal there.
    pub outwards: DVec3,
}

impl<'a> Round<'a> {
    #[inline]
    pub fn new(body: &'a Superquadric, pose: &Pose) -> Round<'a> {
        let turn = DMat3::from_quat(pose.orientation);
        let form = (body.n1 == 2.0 && body.n2 == 2.0).then(|| {
            let half = DMat3::from_cols(
                turn.x_axis * body.semi_axes.x,
                turn.y_axis * body.semi_axes.y,
                turn.z_axis * body.semi_axes.z,
            );
            half * half.transpose()
        });
        Round { body, turn, centre: pose.position, form }
    }

    /// A vector in the superquadric's own frame.
    #[inline]
    pub fn own(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.turn.x_axis.dot(v), self.turn.y_axis.dot(v), self.turn.z_axis.dot(v))
    }

    /// Whether its flat sides make normals poor variables.
    #[inline]
    pub fn has_flat_sides(&self) -> bool {
        self.form.is_none()
    }

    /// The larger exponent.
    pub fn exponent(&self) -> f64 {
        self.body.n1.max(self.body.n2)
    }

    /// From the centre to the point farthest along a unit direction.
    #[inline]
    pub fn farthest(&self, n: DVec3) -> DVec3 {
        match &self.form {
            Some(form) => {
                let u = *form * n;
                u / n.dot(u).sqrt()
            }
            None => self.turn * self.body.support(self.own(n)),
        }
    }

    /// The same, and the second derivative of the support function along a direction across it.
    #[inline]
    pub fn bent(&self, n: DVec3, along: DVec3) -> (DVec3, f64) {
        match &self.form {
            Some(form) => {
                let u = *form * n;
                let h = n.dot(u).sqrt();
                let s = u / h;
                let across = along.dot(s);
                (s, (along.dot(*form * along) - across * across) / h)
            }
            None => {
                let (point, terms) = self.body.support_and_curvature(self.own(n));
                let along = self.own(along);
                let term = |(weight, direction): (f64, DVec3)| weight * direction.dot(along) * direction.dot(along);
                (self.turn * point, term(terms[0]) + term(terms[1]))
            }
        }
    }

    /// Radius of a ball that touches the surface from inside where its outward normal is n, and does not leave the body [m]; a lower bound.
    #[inline]
    pub fn inner_ball(&self, n: DVec3) -> f64 {
        match &self.form {
            // From the nearest point of the header: inside, t = -d h(n) is above minus the least half axis squared.
            Some(form) => self.body.inner_ball(n.dot(*form * n).sqrt()),
            None => self.body.rolling_radius(),
        }
    }

    /// The point of the surface that is nearest to a point, looked for from one on the surface, both seen from the polyhedron; `None` if there
    /// is no single one near.
    pub fn nearest(&self, v: DVec3, start: DVec3) -> Option<Nearest> {
        let own = self.own(v - self.centre);
        let found = if self.form.is_some() {
            nearest_of_ellipsoid(self.body.semi_axes, own)
        } else {
            nearest_of_superquadric(self.body, own, self.own(start - self.centre))
        }?;
        Some(Nearest { point: self.centre + self.turn * found.point, outwards: self.turn * found.outwards })
    }
}

/// Steps over the surface to where it is level with a line, at most.
const MOST_STEPS: usize = 10;

/// A step that is longer, in half axes, is not trusted.
const LONGEST: f64 = 0.3;

/// Sine of the angle between a line and the plane that touches the surface where these are level.
const LEVEL: f64 = 1e-11;

/// Multiplies the length at which a search has arrived: what is shorter is rounding.
const ROUNDING: f64 = 1e-5;

impl Round<'_> {
    /// The unit direction across a line in which the gap between the line and the surface is stationary and largest, and the point of the surface, seen
    /// from the centre, whose normal it is; looked for from a direction near by. `offset` is from the centre, reversed, to the line, `along`
    /// its unit direction; `None` where steps do not settle.
    ///
    /// As for the nearest point, the steps are over the surface. With the normal n at s, w = offset + s, P what is across the line and K the
    /// curvature, E^T P w vanishes in the tangent plane E, and its derivative there is E^T P E - (n . P w) K.
    pub fn level_with_line(&self, offset: DVec3, along: DVec3, near: DVec3, arrived: f64) -> Option<(DVec3, DVec3)> {
        let (offset, along) = (self.own(offset), self.own(along));
        let (mut s, mut level) = self.body.farthest(self.own(near));
        for _ in 0..MOST_STEPS {
            let n = level.gradient;
            let w = offset + s;
            let across = w - along * along.dot(w);
            let height = n.dot(across);
            let (e, f) = n.any_orthonormal_pair();
            let (p, q) = (e.dot(across), f.dot(across));
            let (ae, af) = (e.dot(along), f.dot(along));
            // The angle counts, and what is across may be as short as the bodies are deep in each other.
            let arrived = arrived.min(LEVEL * height.abs()).max(ROUNDING * arrived);
            if p.hypot(q) <= arrived && n.dot(along).abs() <= LEVEL {
                // Deeper than the surface is round it may be a maximum.
                let around = along.cross(n);
                let n = (n - along * n.dot(along)).normalize();
                return (height * level.along(around, around) < 1.0).then(|| (self.turn * n, self.turn * s));
            }
            let ee = 1.0 - ae * ae - height * level.along(e, e);
            let ef = -ae * af - height * level.along(e, f);
            let ff = 1.0 - af * af - height * level.along(f, f);
            let determinant = ee * ff - ef * ef;
            let step = (e * (ef * q - ff * p) + f * (ef * p - ee * q)) / determinant;
            let length = (step / self.body.semi_axes).abs().max_element();
            if length.is_nan() || length > LONGEST {
                return None;
            }
            (s, level) = self.body.on_surface(s + step);
        }
        None
    }
}

/// Relative change of p below which the root is found.
const SETTLED: f64 = 4e-16;

fn nearest_of_ellipsoid(a: DVec3, v: DVec3) -> Option<Nearest> {
    let (squares, product) = (a * a, a * v);
    // p(t) = |a v / (a^2 + t)|: 1 / p is nearly straight and bends one way, so that steps from the left of the root stay there.
    let mut t = (product.abs() - squares).max_element();
    for _ in 0..30 {
        let inverse = 1.0 / (squares + t);
        let term = product * inverse;
        let square = term * term;
        let p = (square.x + square.y + square.z).sqrt();
        let q = square.dot(inverse);
        let step = p * p * (p - 1.0) / q;
        if !step.is_finite() {
            return None;
        }
        t += step;
        if (p - 1.0).abs() <= SETTLED || step.abs() <= SETTLED * squares.max_element() {
            break;
        }
    }
    let inverse = 1.0 / (squares + t);
    let gradient = v * inverse;
    let outwards = gradient.try_normalize()?;
    Some(Nearest { point: squares * gradient, outwards })
}

/// Multiplies the size. What is left of the way over the surface; half its square over a radius is the error of the distance.
const ARRIVED: f64 = 1e-10;

/// A step of so many half axes leaves the surface by so little that one step along the ray leads back to it, to rounding.
const SHORT: f64 = 1e-3;

fn nearest_of_superquadric(body: &Superquadric, v: DVec3, start: DVec3) -> Option<Nearest> {
    let size = body.semi_axes.max_element();
    let (mut x, mut level) = body.on_surface(start);
    let mut square = (v - x).length_squared();
    for _ in 0..60 {
        let outwards = level.gradient;
        let rest = v - x;
        let height = outwards.dot(rest);
        let across = rest - outwards * height;
        if across.length() <= ARRIVED * size {
            return Some(Nearest { point: x, outwards });
        }
        let (e, f) = outwards.any_orthonormal_pair();
        let (ee, ff) = (1.0 + height * level.along(e, e), 1.0 + height * level.along(f, f));
        let ef = height * level.along(e, f);
        let determinant = ee * ff - ef * ef;
        if !(determinant > 0.0 && ee > 0.0) {
            return None;
        }
        let (p, q) = (across.dot(e), across.dot(f));
        let whole = (e * (ff * p - ef * q) + f * (ee * q - ef * p)) / determinant;
        let mut step = whole;
        let mut is_better = false;
        for _ in 0..40 {
            let (mut next, mut next_level) = body.on_surface(x + step);
            if (step / body.semi_axes).abs().max_element() > SHORT {
                (next, next_level) = body.on_surface(next);
            }
            let next_square = (v - next).length_squared();
            if next_square < square {
                (x, level, square, is_better) = (next, next_level, next_square, true);
                break;
            }
            step *= 0.5;
        }
        if !is_better {
            // Rounding: the distance cannot be told from that of a neighbour, but the step leads there.
            let (point, level) = body.on_surface(x + whole);
            return (across.length() <= 1e-7 * size).then_some(Nearest { point, outwards: level.gradient });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Sequence;

    fn random_body(sequence: &mut Sequence) -> Superquadric {
        let semi_axes = DVec3::new(1.0, sequence.between_in_ratio(0.2, 1.0), sequence.between_in_ratio(0.2, 1.0));
        let exponent = |sequence: &mut Sequence| if sequence.unit() < 0.3 { 2.0 } else { sequence.between(2.0, 20.0) };
        Superquadric { semi_axes, n1: exponent(sequence), n2: exponent(sequence) }
    }

    #[test]
    fn a_ball_of_the_inner_radius_does_not_leave_the_body() {
        let mut sequence = Sequence::new(9);
        for _ in 0..300 {
            let body = random_body(&mut sequence);
            let round = Round::new(&body, &Pose::IDENTITY);
            let n = sequence.direction();
            let radius = round.inner_ball(n);
            let centre = round.farthest(n) - n * radius;
            for _ in 0..300 {
                let m = sequence.direction();
                let reach = m.dot(round.farthest(m));
                assert!(reach >= centre.dot(m) + radius - 1e-12, "{body:?} {n} {m}");
            }
        }
    }

    #[test]
    fn nothing_of_the_surface_is_nearer_than_the_nearest_point() {
        let mut sequence = Sequence::new(10);
        let mut n_found = 0;
        for _ in 0..400 {
            let body = random_body(&mut sequence);
            let round = Round::new(&body, &Pose::IDENTITY);
            let n = sequence.direction();
            let on_surface = round.farthest(n);
            let v = on_surface + n * sequence.between(-0.9 * round.inner_ball(n), 1.0);
            let start = round.farthest((n + sequence.direction() * 0.3).normalize());
            let Some(found) = round.nearest(v, start) else { continue };
            n_found += 1;
            assert!((found.point - on_surface).length() < 1e-6, "{body:?} {v}");
            assert!((found.point - v).length() <= (on_surface - v).length() + 1e-14);
        }
        assert!(n_found > 390, "{n_found}");
    }
}
