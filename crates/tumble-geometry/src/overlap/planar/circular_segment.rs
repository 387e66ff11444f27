//! The part of a disc beyond a chord.
//!
//! With radius r and the angle t that the arc spans at the centre, 0 <= t <= 2 pi: area r^2 (t - sin t) / 2, arc r t,
//! chord 2 r sin(t / 2), first moment about the centre along the bisector 2 r^3 sin^3(t / 2) / 3. A small t - sin t is
//! summed as its series, because the difference would lose all digits.

/// A segment of a disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CircularSegment {
    /// Radius of the disc [m].
    pub radius: f64,
    /// Angle of the arc [rad], from 0 to 2 pi.
    pub angle: f64,
}

impl CircularSegment {
    /// The segment of a given height over its chord [m], from 0 to twice the radius.
    pub fn of_height(radius: f64, height: f64) -> CircularSegment {
        let quarter = (0.5 * height / radius).clamp(0.0, 1.0).sqrt().asin();
        CircularSegment { radius, angle: 4.0 * quarter }
    }

    /// Area [m^2].
    pub fn area(&self) -> f64 {
        0.5 * self.radius * self.radius * excess_over_sine(self.angle)
    }

    /// Length of the arc [m].
    pub fn arc_length(&self) -> f64 {
        self.radius * self.angle
    }

    /// Length of the chord [m].
    pub fn chord(&self) -> f64 {
        2.0 * self.radius * (0.5 * self.angle).sin()
    }

    /// Height of the centroid over the chord [m], good to 1e-16 of the radius.
    pub fn centroid_height(&self) -> f64 {
        let height = self.moment() / self.area() - self.radius * (0.5 * self.angle).cos();
        // An arc so short that its area is rounded to nothing has no height either.
        if height.is_nan() { 0.0 } else { height.max(0.0) }
    }

    /// First moment of the area about the disc's centre, towards the middle of the arc [m^3].
    pub fn moment(&self) -> f64 {
        self.chord().powi(3) / 12.0
    }
}

/// t - sin t, to a few 1e-16 of itself.
fn excess_over_sine(t: f64) -> f64 {
    if t >= 1.0 {
        return t - t.sin();
    }
    // t^3 / 6 (1 - t^2 / (4 5) (1 - t^2 / (6 7) (1 - ...))); the first term left out is below 1e-17 of the sum.
    let square = t * t;
    let nested =
        [342.0, 272.0, 210.0, 156.0, 110.0, 72.0, 42.0, 20.0].iter().fold(1.0, |sum, d| 1.0 - square / d * sum);
    t * square / 6.0 * nested
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn whole_half_and_thin() {
        let whole = CircularSegment::of_height(2.0, 4.0);
        assert!((whole.area() - 4.0 * PI).abs() < 1e-14 && (whole.arc_length() - 4.0 * PI).abs() < 1e-14);
        let half = CircularSegment::of_height(2.0, 2.0);
        assert!((half.area() - 2.0 * PI).abs() < 1e-14 && (half.chord() - 4.0).abs() < 1e-14);
        // The centroid of a half disc is 4 r / (3 pi) from the centre.
        assert!((half.moment() / half.area() - 8.0 / (3.0 * PI)).abs() < 1e-15);
        assert!((half.centroid_height() - 8.0 / (3.0 * PI)).abs() < 1e-15);
        assert_eq!(CircularSegment { radius: 1.0, angle: 1e-120 }.centroid_height(), 0.0);
        // A thin one is nearly a parabola: area 4/3 h sqrt(2 r h) (1 - 3 h / (20 r) - ...).
        for power in 10..60 {
            let h = 0.5f64.powi(power);
            let expected = 4.0 / 3.0 * h * (2.0 * h).sqrt() * (1.0 - 0.15 * h);
            let relative = CircularSegment::of_height(1.0, h).area() / expected - 1.0;
            assert!(relative.abs() < 0.1 * h * h + 1e-15, "{h}: {relative}");
        }
    }

    #[test]
    fn the_series_meets_the_difference() {
        for k in 0..100 {
            let t = 0.9 + 0.001 * k as f64;
            assert!((excess_over_sine(t) / (t - t.sin()) - 1.0).abs() < 2e-15, "{t}");
        }
        let (below, above) = (1.0 - f64::EPSILON, 1.0);
        assert!((excess_over_sine(above) - excess_over_sine(below)).abs() < 4e-16);
    }
}
