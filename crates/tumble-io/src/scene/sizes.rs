//! Reads size distributions, and the moments that mass shares and mass flows need.

use super::reader::Reader;
use tumble_engine::boundary::insertion::SizeDistribution;

/// How far a normal reaches without cuts of its own, in standard deviations: one grain in two thousand is redrawn.
const REACH: f64 = 3.5;

/// Reads the size at `radius` or `diameter`, as radii; `None` if neither is there or it is wrong.
pub(crate) fn read_size(reader: &Reader) -> Option<SizeDistribution> {
    let (key, factor) = if reader.has("diameter") { ("diameter", 0.5) } else { ("radius", 1.0) };
    if !reader.has(key) {
        return None;
    }
    if !reader.is_table(key) {
        return Some(SizeDistribution::Fixed(factor * reader.quantity_not_table(key)?));
    }
    let table = reader.table(key)?;
    let read = [
        table.table("uniform").and_then(|t| uniform(&t, factor)),
        table.table("normal").and_then(|t| normal(&t, factor)),
        table.table("lognormal").and_then(|t| lognormal(&t, factor)),
        table.table("table").and_then(|t| size_table(&t, factor)),
    ];
    read.into_iter().flatten().next()
}

fn ordered(reader: &Reader, low: f64, high: f64) -> bool {
    if low >= high {
        let key = if reader.has("to") { "to" } else { "from" };
        reader.report_at(key, format!("the sizes go from {low} m to {high} m"), "`from` must be smaller than `to`");
    }
    low < high
}

fn uniform(reader: &Reader, factor: f64) -> Option<SizeDistribution> {
    let (low, high) = (reader.quantity("from"), reader.quantity("to"));
    let (low, high) = (low?, high?);
    ordered(reader, low, high).then_some(SizeDistribution::Uniform { low: factor * low, high: factor * high })
}

fn normal(reader: &Reader, factor: f64) -> Option<SizeDistribution> {
    let read = (reader.quantity("mean"), reader.quantity("deviation"), reader.quantity("from"), reader.quantity("to"));
    let (mean, deviation) = (read.0?, read.1?);
    let low = read.2.unwrap_or(mean - REACH * deviation);
    let high = read.3.unwrap_or(mean + REACH * deviation);
    if low <= 0.0 {
        reader.report_at(
            "deviation",
            format!("without a cut the sizes would begin at {low} m (mean - {REACH} deviations)"),
            "give `from`, the smallest size, or a smaller deviation",
        );
        return None;
    }
    if !ordered(reader, low, high) {
        return None;
    }
    if !reachable(reader, (low - mean) / deviation, (high - mean) / deviation) {
        return None;
    }
    let (mean, deviation, low, high) = (factor * mean, factor * deviation, factor * low, factor * high);
    Some(SizeDistribution::Normal { mean, deviation, low, high })
}

fn lognormal(reader: &Reader, factor: f64) -> Option<SizeDistribution> {
    let read = (reader.quantity("median"), reader.quantity("sigma"), reader.quantity("from"), reader.quantity("to"));
    let (median, sigma) = (read.0?, read.1?);
    let low = read.2.unwrap_or(median * (-REACH * sigma).exp());
    let high = read.3.unwrap_or(median * (REACH * sigma).exp());
    if !ordered(reader, low, high) || !reachable(reader, (low / median).ln() / sigma, (high / median).ln() / sigma) {
        return None;
    }
    Some(SizeDistribution::LogNormal { median: factor * median, sigma, low: factor * low, high: factor * high })
}

/// Sizes outside the cuts are drawn again; cuts that almost nothing passes would draw without end.
fn reachable(reader: &Reader, low: f64, high: f64) -> bool {
    // The bell at its highest point between the cuts, times their distance, bounds what passes from above.
    let top = if low > 0.0 {
        low
    } else if high < 0.0 {
        high
    } else {
        0.0
    };
    let passes = 0.4 * (-0.5 * top * top).exp() * (high - low).min(1.0);
    if passes < 1e-3 {
        reader.report_at(
            if reader.has("to") { "to" } else { "from" },
            "less than one size in a thousand falls between the cuts",
            "move the cuts, or use `uniform` between them",
        );
    }
    passes >= 1e-3
}

fn size_table(reader: &Reader, factor: f64) -> Option<SizeDistribution> {
    let read = (reader.quantities("sizes"), reader.quantities("shares"), reader.word("by"));
    let (sizes, mut shares) = (read.0?, read.1?);
    if sizes.is_empty() || sizes.len() != shares.len() {
        reader.report_at(
            "shares",
            format!("found {} sizes and {} shares", sizes.len(), shares.len()),
            "each size wants one share",
        );
        return None;
    }
    if read.2 == Some(1) {
        for (share, size) in shares.iter_mut().zip(&sizes) {
            // Relative to the first size, so that the cube of a small number does not underflow.
            *share /= (size / sizes[0]).powi(3);
        }
    }
    let total: f64 = shares.iter().sum();
    if total <= 0.0 {
        reader.report_at("shares", "all shares are zero", "at least one must be above 0");
        return None;
    }
    Some(SizeDistribution::Table {
        radii: sizes.iter().map(|s| factor * s).collect(),
        shares: shares.iter().map(|s| s / total).collect(),
    })
}

/// Largest radius [m].
pub(crate) fn largest(size: &SizeDistribution) -> f64 {
    match size {
        SizeDistribution::Fixed(radius) => *radius,
        SizeDistribution::Uniform { high, .. }
        | SizeDistribution::Normal { high, .. }
        | SizeDistribution::LogNormal { high, .. } => *high,
        SizeDistribution::Table { radii, .. } => radii.iter().fold(0.0, |m: f64, r| m.max(*r)),
    }
}

/// Mean of the radius cubed [m^3], by number. The cut distributions by Simpson's rule.
pub(crate) fn mean_cube(size: &SizeDistribution) -> f64 {
    match size {
        SizeDistribution::Fixed(radius) => radius.powi(3),
        // (high^4 - low^4) / (4 (high - low)), written so that close bounds lose no digits.
        SizeDistribution::Uniform { low, high } => (high + low) * (high * high + low * low) / 4.0,
        SizeDistribution::Normal { mean, deviation, low, high } => {
            weighted_mean(|t| mean + deviation * t, (low - mean) / deviation, (high - mean) / deviation)
        }
        SizeDistribution::LogNormal { median, sigma, low, high } => {
            weighted_mean(|t| median * (sigma * t).exp(), (low / median).ln() / sigma, (high / median).ln() / sigma)
        }
        SizeDistribution::Table { radii, shares } => radii.iter().zip(shares).map(|(r, s)| s * r.powi(3)).sum(),
    }
}

/// Mean of `radius(t)^3` for a standard normal t between two cuts.
fn weighted_mean(radius: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    // Beyond 9 deviations the bell is below 1e-17 of its top.
    let (low, high) = (low.max(-9.0), high.min(9.0));
    const INTERVALS: usize = 2000;
    let (mut sum, mut weight) = (0.0, 0.0);
    for i in 0..=INTERVALS {
        let t = low + (high - low) * i as f64 / INTERVALS as f64;
        let simpson = if i == 0 || i == INTERVALS { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
        let bell = simpson * (-0.5 * t * t).exp();
        sum += bell * radius(t).powi(3);
        weight += bell;
    }
    sum / weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_cubes_match_closed_forms() {
        let close = |a: f64, b: f64, tolerance: f64| assert!((a / b - 1.0).abs() < tolerance, "{a} is not {b}");
        let (low, high) = (1e-3f64, 3e-3f64);
        close(
            mean_cube(&SizeDistribution::Uniform { low, high }),
            (high.powi(4) - low.powi(4)) / (4.0 * (high - low)),
            1e-14,
        );
        // With wide cuts E[r^3] = m^3 + 3 m s^2 and median^3 exp(9 sigma^2 / 2). What lies beyond 8 deviations of the
        // weighted bell is below 1e-14; Simpson's error is far below that.
        let (mean, deviation) = (5.0, 0.5);
        close(
            mean_cube(&SizeDistribution::Normal { mean, deviation, low: 0.9, high: 9.1 }),
            mean.powi(3) + 3.0 * mean * deviation * deviation,
            1e-12,
        );
        let (median, sigma) = (2.0f64, 0.2f64);
        close(
            mean_cube(&SizeDistribution::LogNormal { median, sigma, low: 1e-3, high: 1e3 }),
            median.powi(3) * (4.5 * sigma * sigma).exp(),
            1e-12,
        );
        let table = SizeDistribution::Table { radii: vec![1.0, 2.0], shares: vec![0.75, 0.25] };
        close(mean_cube(&table), 0.75 + 0.25 * 8.0, 1e-15);
        assert_eq!(largest(&table), 2.0);
    }
}
