//! Lines through points, means, and how sure they are.

/// Parts in which a fit is made once more, for its error.
pub const PARTS: usize = 4;

/// A line through points by least squares, with the covariance of its two numbers as the scatter of the points gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Rise over run.
    pub slope: f64,
    /// Height at zero.
    pub height: f64,
    /// Variance of the slope.
    pub slope_variance: f64,
    /// Variance of the height.
    pub height_variance: f64,
    /// Covariance of both.
    pub covariance: f64,
}

impl Line {
    /// The line through points. With two points or fewer the variances are not known, and NaN.
    pub fn through(x: &[f64], y: &[f64]) -> Line {
        let n = x.len() as f64;
        let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
        let spread: f64 = x.iter().map(|x| (x - mean_x).powi(2)).sum();
        let common: f64 = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        let slope = common / spread;
        let height = mean_y - slope * mean_x;
        let rest: f64 = x.iter().zip(y).map(|(x, y)| (y - height - slope * x).powi(2)).sum();
        let variance = if x.len() > 2 { rest / (n - 2.0) } else { f64::NAN };
        Line {
            slope,
            height,
            slope_variance: variance / spread,
            height_variance: variance * (1.0 / n + mean_x * mean_x / spread),
            covariance: -variance * mean_x / spread,
        }
    }

    /// Standard error of the slope.
    pub fn slope_error(&self) -> f64 {
        self.slope_variance.sqrt()
    }
}

/// The slope of a line through points, and its standard error from the slopes of its parts: neighbouring points of a series are
/// not independent, so that what they scatter by would make it too small.
pub fn slope_of_series(x: &[f64], y: &[f64]) -> (f64, f64) {
    let part = x.len() / PARTS;
    let slopes: Vec<f64> =
        (0..PARTS).map(|k| Line::through(&x[k * part..(k + 1) * part], &y[k * part..(k + 1) * part]).slope).collect();
    (Line::through(x, y).slope, mean_with_error(&slopes).1)
}

/// The mean of a series and its standard error from the means of its parts.
pub fn mean_of_series(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let part = values.len() / PARTS;
    if part == 0 {
        return (mean, f64::NAN);
    }
    let means: Vec<f64> =
        (0..PARTS).map(|k| values[k * part..(k + 1) * part].iter().sum::<f64>() / part as f64).collect();
    (mean, mean_with_error(&means).1)
}

/// Mean of independent values and its standard error.
pub fn mean_with_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance / n).sqrt())
}

/// The value below which a share of all lies; they are put in order.
pub fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let place = (share * values.len().saturating_sub(1) as f64).round() as usize;
    values.get(place).copied().unwrap_or(f64::NAN)
}

/// The middle value, of an even number the mean of the two middle ones; they are put in order.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n => 0.5 * (values[(n - 1) / 2] + values[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_their_errors_are_those_of_the_textbook() {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| 3.0 - 0.5 * x).collect();
        let line = Line::through(&x, &y);
        assert!((line.slope + 0.5).abs() < 1e-12 && (line.height - 3.0).abs() < 1e-12);
        assert!(slope_of_series(&x, &y).1 < 1e-12);
        let (mean, error) = mean_with_error(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(mean, 2.5);
        assert!((error - (5.0_f64 / 3.0).sqrt() / 2.0).abs() < 1e-15);
        // Three points about y = x: residuals 1/6, -1/3, 1/6 of the best line, so that s^2 = 1/6 and the slope's error is 1/sqrt 12.
        let line = Line::through(&[0.0, 1.0, 2.0], &[0.0, 0.5, 2.0]);
        assert!((line.slope - 1.0).abs() < 1e-15 && (line.slope_error() - (1.0_f64 / 12.0).sqrt()).abs() < 1e-15);
        assert!((line.height_variance - (1.0 / 6.0) * (1.0 / 3.0 + 0.5)).abs() < 1e-15);
        assert!((line.covariance + 1.0 / 12.0).abs() < 1e-15);
        assert!(Line::through(&[0.0, 1.0], &[0.0, 1.0]).slope_error().is_nan());
        assert_eq!(quantile(&mut [3.0, 1.0, 2.0, 5.0, 4.0], 0.75), 4.0);
        assert_eq!((median(&mut [3.0, 1.0, 2.0, 5.0]), median(&mut [7.0])), (2.5, 7.0));
        assert!(mean_of_series(&[1.0]).1.is_nan() && mean_of_series(&[1.0, 1.0, 1.0, 1.0, 3.0]).1 == 0.0);
    }
}
