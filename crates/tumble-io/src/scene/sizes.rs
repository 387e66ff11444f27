//! Reads size distributions.

use super::reader::Reader;
use tumble_engine::boundary::insertion::{SizeDistribution, shares_by_number_from_mass};

/// How far a normal reaches without cuts of its own, in standard deviations: one grain in two thousand is redrawn.
const REACH: f64 = 3.5;

/// Reads the size at `radius` or `diameter`, as radii; `None` if neither is there or it is wrong.
pub(crate) fn read_size(reader: &Reader) -> Option<SizeDistribution> {
    let (key, factor) = if reader.has("diameter") { ("diameter", 0.5) } else { ("radius", 1.0) };
    read_length(reader, key, factor)
}

/// Reads a length that may be spread, times a factor; `None` if it is not there or wrong.
pub(crate) fn read_length(reader: &Reader, key: &'static str, factor: f64) -> Option<SizeDistribution> {
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

/// The same sizes, all multiplied by a factor.
pub(crate) fn scaled(sizes: &SizeDistribution, factor: f64) -> SizeDistribution {
    match sizes {
        SizeDistribution::Fixed(size) => SizeDistribution::Fixed(factor * size),
        SizeDistribution::Uniform { low, high } => SizeDistribution::Uniform { low: factor * low, high: factor * high },
        SizeDistribution::Normal { mean, deviation, low, high } => SizeDistribution::Normal {
            mean: factor * mean,
            deviation: factor * deviation,
            low: factor * low,
            high: factor * high,
        },
        SizeDistribution::LogNormal { median, sigma, low, high } => SizeDistribution::LogNormal {
            median: factor * median,
            sigma: *sigma,
            low: factor * low,
            high: factor * high,
        },
        SizeDistribution::Table { radii, shares } => {
            SizeDistribution::Table { radii: radii.iter().map(|r| factor * r).collect(), shares: shares.clone() }
        }
        SizeDistribution::OfSpecies { sizes, shares } => SizeDistribution::OfSpecies {
            sizes: sizes.iter().map(|sizes| scaled(sizes, factor)).collect(),
            shares: shares.clone(),
        },
    }
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
    let (mean, deviation, low, high) = (factor * mean, factor * deviation, factor * low, factor * high);
    checked(reader, SizeDistribution::Normal { mean, deviation, low, high })
}

fn lognormal(reader: &Reader, factor: f64) -> Option<SizeDistribution> {
    let read = (reader.quantity("median"), reader.quantity("sigma"), reader.quantity("from"), reader.quantity("to"));
    let (median, sigma) = (read.0?, read.1?);
    let low = read.2.unwrap_or(median * (-REACH * sigma).exp());
    let high = read.3.unwrap_or(median * (REACH * sigma).exp());
    if !ordered(reader, low, high) {
        return None;
    }
    let (median, low, high) = (factor * median, factor * low, factor * high);
    checked(reader, SizeDistribution::LogNormal { median, sigma, low, high })
}

/// Refuses what the engine could not draw from: cuts that almost nothing passes.
fn checked(reader: &Reader, size: SizeDistribution) -> Option<SizeDistribution> {
    match size.check() {
        Ok(()) => Some(size),
        Err(reason) => {
            let key = if reader.has("to") { "to" } else { "from" };
            reader.report_at(key, reason, "move the cuts, or use `uniform` between them");
            None
        }
    }
}

fn size_table(reader: &Reader, factor: f64) -> Option<SizeDistribution> {
    let read = (reader.quantities("sizes"), reader.quantities("shares"), reader.word("by"));
    let (sizes, shares) = (read.0?, read.1?);
    if sizes.is_empty() || sizes.len() != shares.len() {
        reader.report_at(
            "shares",
            format!("found {} sizes and {} shares", sizes.len(), shares.len()),
            "each size wants one share",
        );
        return None;
    }
    let total: f64 = shares.iter().sum();
    if total <= 0.0 {
        reader.report_at("shares", "all shares are zero", "at least one must be above 0");
        return None;
    }
    let shares = match read.2 {
        Some(1) => shares_by_number_from_mass(&sizes, &shares),
        _ => shares.iter().map(|s| s / total).collect(),
    };
    Some(SizeDistribution::Table { radii: sizes.iter().map(|s| factor * s).collect(), shares })
}
