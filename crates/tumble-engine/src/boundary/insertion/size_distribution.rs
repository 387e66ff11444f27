//! How the sizes of grains are spread. A size is the radius of the grain's bounding ball.

use crate::random::Random;

/// How sizes (bounding radii) are spread.
#[derive(Clone, Debug, PartialEq)]
pub enum SizeDistribution {
    /// All the same [m].
    Fixed(f64),
    /// Uniform by number between two radii [m].
    Uniform {
        /// Smallest [m].
        low: f64,
        /// Largest [m].
        high: f64,
    },
    /// Normal by number, redrawn outside the cuts.
    Normal {
        /// Mean [m].
        mean: f64,
        /// Standard deviation [m].
        deviation: f64,
        /// Smallest [m].
        low: f64,
        /// Largest [m].
        high: f64,
    },
    /// The logarithm is normal by number, redrawn outside the cuts.
    LogNormal {
        /// Median [m].
        median: f64,
        /// Standard deviation of the natural logarithm [1].
        sigma: f64,
        /// Smallest [m].
        low: f64,
        /// Largest [m].
        high: f64,
    },
    /// Classes of fixed size with their shares.
    Table {
        /// Radii [m].
        radii: Vec<f64>,
        /// Shares by number, one for each radius, adding to 1. (Shares by mass are turned into these when read.)
        shares: Vec<f64>,
    },
    /// Each species has sizes of its own, as shapes have whose proportions or forms are spread: one distribution for each species
    /// of the insertion, in its order. Draws without a species take one by the shares.
    OfSpecies {
        /// Sizes of each species.
        sizes: Vec<SizeDistribution>,
        /// Shares by number, those of the species.
        shares: Vec<f64>,
    },
}

/// Cuts must leave at least this share of the draws, or drawing would take too long.
const LEAST_KEPT: f64 = 1e-3;

/// Redraws after which a size is clamped to the cuts: never reached by a distribution that passes its check.
const MOST_REDRAWS: u32 = 100_000;

/// Standard deviations beyond which a normal density is nothing in double precision: exp(-40^2 / 2) underflows.
const TAIL: f64 = 38.0;

/// Intervals of Simpson's rule. At 40 or more to a standard deviation its error is below 1e-9 of the integral.
const INTERVALS: usize = 8192;

impl SizeDistribution {
    /// Whether sizes can be drawn from it; if not, what would be right.
    pub fn check(&self) -> Result<(), String> {
        let positive = |what: &str, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(format!("{what} is {value}; it must be positive and finite"))
            }
        };
        let ordered = |low: f64, high: f64| {
            positive("the smallest radius", low)?;
            positive("the largest radius", high)?;
            if low <= high {
                Ok(())
            } else {
                Err(format!("the smallest radius, {low} m, is above the largest, {high} m"))
            }
        };
        let spread = |what: &str, value: f64| {
            if value >= 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(format!("{what} is {value}; it must not be negative"))
            }
        };
        match self {
            SizeDistribution::Fixed(radius) => positive("the radius", *radius),
            SizeDistribution::Uniform { low, high } => ordered(*low, *high),
            SizeDistribution::Normal { mean, deviation, low, high } => {
                ordered(*low, *high)?;
                positive("the mean radius", *mean)?;
                spread("the standard deviation of the radius", *deviation)?;
                self.check_cuts(*low, *high)
            }
            SizeDistribution::LogNormal { median, sigma, low, high } => {
                ordered(*low, *high)?;
                positive("the median radius", *median)?;
                spread("the standard deviation of the logarithm of the radius", *sigma)?;
                self.check_cuts(*low, *high)
            }
            SizeDistribution::OfSpecies { sizes, shares } => {
                if sizes.is_empty() || sizes.len() != shares.len() {
                    return Err(format!(
                        "{} species have sizes and {} have shares; each wants both",
                        sizes.len(),
                        shares.len()
                    ));
                }
                for (row, (sizes, &share)) in sizes.iter().zip(shares).enumerate() {
                    sizes.check()?;
                    spread(&format!("share {} of the species", row + 1), share)?;
                }
                positive("the sum of the shares of the species", shares.iter().sum())
            }
            SizeDistribution::Table { radii, shares } => {
                if radii.is_empty() || radii.len() != shares.len() {
                    return Err(format!(
                        "a table of sizes has {} radii and {} shares; it needs one share for each radius",
                        radii.len(),
                        shares.len()
                    ));
                }
                for (row, (&radius, &share)) in radii.iter().zip(shares).enumerate() {
                    positive(&format!("radius {} of the table of sizes", row + 1), radius)?;
                    spread(&format!("share {} of the table of sizes", row + 1), share)?;
                }
                positive("the sum of the shares of the table of sizes", shares.iter().sum())
            }
        }
    }

    fn check_cuts(&self, low: f64, high: f64) -> Result<(), String> {
        let kept = self.kept_share();
        if kept >= LEAST_KEPT {
            return Ok(());
        }
        Err(format!(
            "the cuts at {low} m and {high} m leave a share of {kept:.1e} of the size distribution; they must leave at \
             least {LEAST_KEPT}"
        ))
    }

    /// A radius [m].
    pub fn draw(&self, random: &mut Random) -> f64 {
        match self {
            SizeDistribution::Fixed(radius) => *radius,
            SizeDistribution::Uniform { low, high } => random.between(*low, *high),
            SizeDistribution::Normal { mean, deviation, low, high } => {
                redrawn(*low, *high, || mean + deviation * random.normal())
            }
            SizeDistribution::LogNormal { median, sigma, low, high } => {
                redrawn(*low, *high, || median * (sigma * random.normal()).exp())
            }
            SizeDistribution::Table { radii, shares } => radii.get(by_share(shares, random)).copied().unwrap_or(0.0),
            SizeDistribution::OfSpecies { sizes, shares } => {
                sizes.get(by_share(shares, random)).map_or(0.0, |sizes| sizes.draw(random))
            }
        }
    }

    /// Smallest radius that can be drawn [m].
    pub fn smallest(&self) -> f64 {
        self.extreme(f64::INFINITY, f64::min, |low, _| low)
    }

    /// Largest radius that can be drawn [m].
    pub fn largest(&self) -> f64 {
        self.extreme(0.0, f64::max, |_, high| high)
    }

    fn extreme(&self, start: f64, better: fn(f64, f64) -> f64, cut: fn(f64, f64) -> f64) -> f64 {
        match self {
            SizeDistribution::Fixed(radius) => *radius,
            SizeDistribution::Uniform { low, high }
            | SizeDistribution::Normal { low, high, .. }
            | SizeDistribution::LogNormal { low, high, .. } => cut(*low, *high),
            SizeDistribution::Table { radii, shares } => {
                let possible = radii.iter().zip(shares).filter(|(_, share)| **share > 0.0);
                possible.map(|(radius, _)| *radius).fold(start, better)
            }
            SizeDistribution::OfSpecies { sizes, shares } => {
                let possible = sizes.iter().zip(shares).filter(|(_, share)| **share > 0.0);
                possible.map(|(sizes, _)| sizes.extreme(start, better, cut)).fold(start, better)
            }
        }
    }

    /// Mean radius by number [m].
    pub fn mean(&self) -> f64 {
        self.moment(1)
    }

    /// Mean of the cube of the radius by number [m^3]: times 4 pi / 3 the mean volume of a sphere.
    pub fn mean_volume_factor(&self) -> f64 {
        self.moment(3)
    }

    /// Mean of a power of the radius by number. Exact but for the normal and the lognormal, whose cuts are accounted
    /// for by quadrature.
    fn moment(&self, power: i32) -> f64 {
        match self {
            SizeDistribution::Fixed(radius) => radius.powi(power),
            SizeDistribution::Uniform { low, high } if low == high => low.powi(power),
            SizeDistribution::Uniform { low, high } => {
                (high.powi(power + 1) - low.powi(power + 1)) / (f64::from(power + 1) * (high - low))
            }
            SizeDistribution::Normal { mean, deviation, low, high } => {
                if *deviation == 0.0 {
                    return mean.powi(power);
                }
                let (from, to) = ((low - mean) / deviation, (high - mean) / deviation);
                normal_average(from, to, |z| (mean + deviation * z).powi(power))
            }
            SizeDistribution::LogNormal { median, sigma, low, high } => {
                if *sigma == 0.0 {
                    return median.powi(power);
                }
                let (from, to) = ((low / median).ln() / sigma, (high / median).ln() / sigma);
                normal_average(from, to, |z| (median * (sigma * z).exp()).powi(power))
            }
            SizeDistribution::Table { radii, shares } => {
                let sum: f64 = radii.iter().zip(shares).map(|(radius, share)| share * radius.powi(power)).sum();
                sum / shares.iter().sum::<f64>()
            }
            SizeDistribution::OfSpecies { sizes, shares } => {
                let sum: f64 = sizes.iter().zip(shares).map(|(sizes, share)| share * sizes.moment(power)).sum();
                sum / shares.iter().sum::<f64>()
            }
        }
    }

    /// Share of a normal or lognormal between its cuts.
    fn kept_share(&self) -> f64 {
        let (from, to) = match self {
            SizeDistribution::Normal { mean, deviation, low, high } => {
                ((low - mean) / deviation, (high - mean) / deviation)
            }
            SizeDistribution::LogNormal { median, sigma, low, high } => {
                ((low / median).ln() / sigma, (high / median).ln() / sigma)
            }
            _ => return 1.0,
        };
        // No spread at all: the one value is kept or not (0 / 0 where it stands on a cut).
        if from.is_nan() || to.is_nan() {
            return 1.0;
        }
        normal_integral(from, to, |_| 1.0)
    }
}

/// A place in a list of shares, each as likely as its share; the last one with any if rounding leaves something over.
fn by_share(shares: &[f64], random: &mut Random) -> usize {
    let mut left = random.unit() * shares.iter().sum::<f64>();
    let mut chosen = 0;
    for (place, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        chosen = place;
        left -= share;
        if left < 0.0 {
            break;
        }
    }
    chosen
}

/// Draws until a value lies between the cuts.
fn redrawn(low: f64, high: f64, mut draw: impl FnMut() -> f64) -> f64 {
    let mut radius = draw();
    for _ in 0..MOST_REDRAWS {
        if (low..=high).contains(&radius) {
            return radius;
        }
        radius = draw();
    }
    radius.max(low).min(high)
}

/// Mean of f(z) over a standard normal z between two bounds.
fn normal_average(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    if from == to {
        return f(from);
    }
    normal_integral(from, to, f) / normal_integral(from, to, |_| 1.0)
}

/// Integral of f(z) times the standard normal density between two bounds, by Simpson's rule.
fn normal_integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (from, to) = (from.clamp(-TAIL, TAIL), to.clamp(-TAIL, TAIL));
    let step = (to - from) / INTERVALS as f64;
    let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let value = |i: usize| {
        let z = from + step * i as f64;
        f(z) * density(z)
    };
    let ends = value(0) + value(INTERVALS);
    let odd: f64 = (1..INTERVALS).step_by(2).map(value).sum();
    let even: f64 = (2..INTERVALS).step_by(2).map(value).sum();
    (ends + 4.0 * odd + 2.0 * even) * step / 3.0
}

/// Shares by number, adding to 1, of classes whose shares by mass are given: a class of radius r has mass / r^3 as many
/// grains. (All classes are of the same density and shape.)
pub fn shares_by_number_from_mass(radii: &[f64], mass_shares: &[f64]) -> Vec<f64> {
    // Relative to the largest, so that micrometres do not underflow.
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let numbers: Vec<f64> =
        radii.iter().zip(mass_shares).map(|(radius, share)| share * (largest / radius).powi(3)).collect();
    let total: f64 = numbers.iter().sum();
    numbers.iter().map(|number| number / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples() -> Vec<SizeDistribution> {
        vec![
            SizeDistribution::Fixed(2e-3),
            SizeDistribution::Uniform { low: 1e-3, high: 4e-3 },
            SizeDistribution::Normal { mean: 2e-3, deviation: 5e-4, low: 1.8e-3, high: 4e-3 },
            SizeDistribution::LogNormal { median: 2e-3, sigma: 0.5, low: 1e-3, high: 3e-3 },
            SizeDistribution::Table { radii: vec![3e-3, 1e-3, 2e-3, 9e-3], shares: vec![0.2, 0.5, 0.3, 0.0] },
        ]
    }

    #[test]
    fn drawn_sizes_have_the_mean_and_the_mean_cube_and_stay_within_the_cuts() {
        for sizes in examples() {
            assert_eq!(sizes.check(), Ok(()));
            let mut random = Random::from_seed(41);
            let n = 100_000;
            let drawn: Vec<f64> = (0..n).map(|_| sizes.draw(&mut random)).collect();
            for (power, expected) in [(1, sizes.mean()), (3, sizes.mean_volume_factor())] {
                let values: Vec<f64> = drawn.iter().map(|r| r.powi(power)).collect();
                let mean = values.iter().sum::<f64>() / n as f64;
                let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
                // Four standard errors, and rounding of a sum of n equal terms.
                let allowed = 4.0 * (variance / n as f64).sqrt() + 1e-11 * mean;
                assert!((mean - expected).abs() <= allowed, "{sizes:?}: {mean} {expected}");
            }
            let within = sizes.smallest()..=sizes.largest();
            assert!(drawn.iter().all(|r| within.contains(r)), "{sizes:?}");
            // The extremes are nearly reached: within a tenth of the range.
            let range = sizes.largest() - sizes.smallest();
            assert!(drawn.iter().any(|r| *r <= sizes.smallest() + 0.1 * range), "{sizes:?}");
            assert!(drawn.iter().any(|r| *r >= sizes.largest() - 0.1 * range), "{sizes:?}");
        }
    }

    #[test]
    fn wide_cuts_give_the_textbook_moments() {
        // Normal: mean, mu^3 + 3 mu s^2. Lognormal: median exp(s^2 / 2), median^3 exp(9 s^2 / 2).
        let normal = SizeDistribution::Normal { mean: 1.0, deviation: 0.1, low: 1e-9, high: 3.0 };
        assert!((normal.mean() - 1.0).abs() < 1e-9);
        assert!((normal.mean_volume_factor() - 1.03).abs() < 1e-9);
        let lognormal = SizeDistribution::LogNormal { median: 1.0, sigma: 0.4, low: 1e-9, high: 1e9 };
        assert!((lognormal.mean() / 0.08f64.exp() - 1.0).abs() < 1e-9);
        assert!((lognormal.mean_volume_factor() / 0.72f64.exp() - 1.0).abs() < 1e-9);
        // Cut symmetrically, a normal keeps its mean; cut at the mean, it has the mean of a half-normal.
        let cut = SizeDistribution::Normal { mean: 1.0, deviation: 0.1, low: 0.95, high: 1.05 };
        assert!((cut.mean() - 1.0).abs() < 1e-12);
        let half = SizeDistribution::Normal { mean: 1.0, deviation: 0.1, low: 1.0, high: 5.0 };
        assert!((half.mean() - 1.0 - 0.1 * (2.0 / std::f64::consts::PI).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn no_spread_gives_the_one_size() {
        let mut random = Random::from_seed(42);
        for sizes in [
            SizeDistribution::Normal { mean: 1.0, deviation: 0.0, low: 1.0, high: 2.0 },
            SizeDistribution::LogNormal { median: 1.0, sigma: 0.0, low: 0.5, high: 1.0 },
            SizeDistribution::Uniform { low: 1.0, high: 1.0 },
        ] {
            assert_eq!(sizes.check(), Ok(()), "{sizes:?}");
            assert_eq!((sizes.draw(&mut random), sizes.mean(), sizes.mean_volume_factor()), (1.0, 1.0, 1.0));
        }
    }

    #[test]
    fn shares_by_mass_become_shares_by_number() {
        // Half the mass in grains of radius 1, half in radius 2: eight small ones to a large one.
        let shares = shares_by_number_from_mass(&[1e-6, 2e-6], &[0.5, 0.5]);
        assert!((shares[0] - 8.0 / 9.0).abs() < 1e-15 && (shares[1] - 1.0 / 9.0).abs() < 1e-15);
        // Drawn grains carry the masses asked for.
        let (radii, mass_shares) = (vec![1.0, 1.5, 3.0], [20.0, 50.0, 30.0]);
        let shares = shares_by_number_from_mass(&radii, &mass_shares);
        let sizes = SizeDistribution::Table { radii: radii.clone(), shares };
        let mut random = Random::from_seed(43);
        let mut mass = [0.0; 3];
        for _ in 0..200_000 {
            let radius = sizes.draw(&mut random);
            mass[radii.iter().position(|r| *r == radius).unwrap()] += radius.powi(3);
        }
        let total: f64 = mass.iter().sum();
        for (mass, share) in mass.iter().zip(mass_shares) {
            // About 4000 large grains are drawn: 1.6 % relative error, 0.5 % of the total; four of those.
            assert!((mass / total - share / 100.0).abs() < 0.02, "{mass} {share}");
        }
    }

    #[test]
    fn impossible_distributions_are_named() {
        let wrong = [
            (SizeDistribution::Fixed(0.0), "the radius is 0;"),
            (SizeDistribution::Uniform { low: 2.0, high: 1.0 }, "the smallest radius, 2 m, is above the largest, 1 m"),
            (SizeDistribution::Normal { mean: 1.0, deviation: -1.0, low: 0.5, high: 2.0 }, "is -1;"),
            (SizeDistribution::Normal { mean: 1.0, deviation: 0.01, low: 1.5, high: 2.0 }, "cuts at 1.5 m and 2 m"),
            (SizeDistribution::Normal { mean: 1.0, deviation: 0.0, low: 1.5, high: 2.0 }, "cuts at 1.5 m and 2 m"),
            (SizeDistribution::LogNormal { median: 1.0, sigma: f64::NAN, low: 0.5, high: 2.0 }, "is NaN;"),
            (SizeDistribution::Normal { mean: 1.0, deviation: 0.1, low: 0.5, high: f64::INFINITY }, "is inf;"),
            (SizeDistribution::Table { radii: vec![1.0], shares: vec![] }, "1 radii and 0 shares"),
            (SizeDistribution::Table { radii: vec![1.0, -1.0], shares: vec![0.5, 0.5] }, "radius 2 of the table"),
            (SizeDistribution::Table { radii: vec![1.0], shares: vec![0.0] }, "the sum of the shares"),
        ];
        for (sizes, text) in wrong {
            let message = sizes.check().unwrap_err();
            assert!(message.contains(text), "{message}");
        }
    }
}
