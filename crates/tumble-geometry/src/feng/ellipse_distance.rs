//! How near an ellipse comes to the origin, with its axes along x and y.
//!
//! Appendix 1 of Feng, Han and Owen (2017), corrected: by Newton's method on F(theta) = 0, F half the slope of the squared
//! distance over the parameter, or by the roots of a quartic.
//!
//! By symmetry the centre may be taken to the first quadrant and the nearest point of the edge sought in the quadrant
//! towards the origin, where F has one zero only, with rising F: the minimum. Newton's method is kept between bounds, so
//! that it cannot end at one of the other stationary points.

use crate::roots::QuarticBy;

/// An ellipse with half axes along x and y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    /// Centre along x [m].
    pub x: f64,
    /// Centre along y [m].
    pub y: f64,
    /// Half axis along x [m].
    pub half_axis_x: f64,
    /// Half axis along y [m].
    pub half_axis_y: f64,
}

/// How the nearest point of an ellipse is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NearestBy {
    /// Newton's method between bounds.
    #[default]
    Newton,
    /// The roots of the quartic, found in this way.
    Quartic(QuarticBy),
}

impl NearestBy {
    /// Both ways, the default first.
    pub const ALL: [NearestBy; 2] = [NearestBy::Newton, NearestBy::Quartic(QuarticBy::LinBairstow)];

    /// Its name in scenes and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            NearestBy::Newton => "newton",
            NearestBy::Quartic(_) => "quartic",
        }
    }

    /// What it does, in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            NearestBy::Newton => "Newton's method, kept between bounds",
            NearestBy::Quartic(_) => "the roots of a quartic, solved as `quartic` says",
        }
    }
}

impl Ellipse {
    /// Whether the origin lies inside or on the edge.
    pub fn contains_origin(&self) -> bool {
        let (x, y) = (self.x * self.half_axis_y, self.y * self.half_axis_x);
        let product = self.half_axis_x * self.half_axis_y;
        // An ellipse without width contains the origin if it passes through it.
        x * x + y * y <= product * product && self.x.abs() <= self.half_axis_x && self.y.abs() <= self.half_axis_y
    }

    /// Distance of the origin from the filled ellipse [m]: zero inside.
    pub fn distance(&self, by: NearestBy) -> f64 {
        if self.contains_origin() { 0.0 } else { self.edge_distance(by) }
    }

    /// Distance of the origin from the edge [m], as printed in equation (18). Not zero inside: a check that asks for it
    /// takes a large disc around a thin rod for one that does not touch it.
    pub fn edge_distance(&self, by: NearestBy) -> f64 {
        match by {
            NearestBy::Newton => self.edge_distance_newton(),
            NearestBy::Quartic(by) => self.edge_distance_quartic(by),
        }
    }

    /// Squared distance from the origin of the edge point with the given cosine and sine of the parameter, the centre in
    /// the first quadrant and the point towards the origin.
    fn squared(&self, cosine: f64, sine: f64) -> f64 {
        let (x, y) = (self.x.abs() - self.half_axis_x * cosine, self.y.abs() - self.half_axis_y * sine);
        x * x + y * y
    }

    fn edge_distance_newton(&self) -> f64 {
        let (a, b, x, y) = (self.half_axis_x, self.half_axis_y, self.x.abs(), self.y.abs());
        // F at 0 is -b y and at a right angle a x.
        let (mut lower, mut upper) = (0.0, std::f64::consts::FRAC_PI_2);
        let mut theta = (a * y).atan2(b * x);
        if !(theta > lower && theta < upper) {
            theta = 0.5 * (lower + upper);
        }
        // Newton's method takes about five steps; halving would take 53.
        for _ in 0..100 {
            let (s, c) = theta.sin_cos();
            let value = (b * b - a * a) * s * c + a * x * s - b * y * c;
            let slope = (b * b - a * a) * (c * c - s * s) + a * x * c + b * y * s;
            if value < 0.0 {
                lower = theta;
            } else {
                upper = theta;
            }
            let newton = theta - value / slope;
            let next = if newton > lower && newton < upper { newton } else { 0.5 * (lower + upper) };
            if (next - theta).abs() <= f64::EPSILON {
                break;
            }
            theta = next;
        }
        self.squared(theta.cos(), theta.sin()).sqrt()
    }

    fn edge_distance_quartic(&self, by: QuarticBy) -> f64 {
        let (a, b, x, y) = (self.half_axis_x, self.half_axis_y, self.x.abs(), self.y.abs());
        // Of the parameter towards the origin, hence the sign of beta and gamma.
        let (alpha, beta, gamma) = (a * a - b * b, -a * x, -b * y);
        let roots = by.real_roots([
            -beta * beta,
            -2.0 * alpha * beta,
            beta * beta + gamma * gamma - alpha * alpha,
            2.0 * alpha * beta,
            alpha * alpha,
        ]);
        // The ends of the axes stand in where the quartic vanishes altogether or a double root was rounded away.
        roots
            .as_slice()
            .iter()
            .copied()
            .chain([0.0, 1.0])
            .map(|root| root.clamp(0.0, 1.0))
            .map(|cosine| self.squared(cosine, (1.0 - cosine * cosine).sqrt()))
            .fold(f64::INFINITY, f64::min)
            .sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Sequence;

    /// The definition, by trying.
    fn by_trying(ellipse: &Ellipse) -> f64 {
        const N: usize = 4000;
        (0..N)
            .map(|k| {
                let (s, c) = (2.0 * std::f64::consts::PI * k as f64 / N as f64).sin_cos();
                (ellipse.x + ellipse.half_axis_x * c).hypot(ellipse.y + ellipse.half_axis_y * s)
            })
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn both_ways_find_the_nearest_point() {
        let mut sequence = Sequence::new(52);
        for round in 0..20_000 {
            let half_axis_x = sequence.between_in_ratio(0.1, 10.0);
            let ratio = match round % 5 {
                0 => 0.0,
                1 => 1.0 - 10f64.powf(sequence.between(-16.0, -1.0)),
                2 => 10f64.powf(sequence.between(-16.0, -1.0)),
                _ => sequence.unit(),
            };
            let place = |sequence: &mut Sequence| match (sequence.unit() * 8.0) as u32 {
                0 => 0.0,
                1 => sequence.between(-1e-9, 1e-9),
                _ => sequence.between(-10.0, 10.0),
            };
            let (x, y) = (place(&mut sequence), place(&mut sequence));
            let ellipse = Ellipse { x, y, half_axis_x, half_axis_y: half_axis_x * ratio };
            let newton = ellipse.edge_distance(NearestBy::Newton);
            for by in QuarticBy::ALL {
                let quartic = ellipse.edge_distance(NearestBy::Quartic(by));
                assert!((newton - quartic).abs() < 1e-12 * 10.0, "{by:?} {ellipse:?} {newton} {quartic}");
            }
            if round % 10 == 0 || round % 10 == 7 {
                let tried = by_trying(&ellipse);
                assert!(newton <= tried + 1e-12 && newton > tried - 0.01, "{ellipse:?} {newton} {tried}");
            }
        }
    }

    #[test]
    fn inside_is_no_distance() {
        let ellipse = Ellipse { x: 0.5, y: -0.2, half_axis_x: 2.0, half_axis_y: 1.0 };
        assert_eq!(ellipse.distance(NearestBy::Newton), 0.0);
        assert!(ellipse.edge_distance(NearestBy::Newton) > 0.7);
        let segment = Ellipse { x: 0.5, y: 0.0, half_axis_x: 2.0, half_axis_y: 0.0 };
        assert!(segment.contains_origin());
        assert!(!Ellipse { y: 1e-9, ..segment }.contains_origin());
    }
}
