//! How fast grains left, from the time series of a run.

use super::fit::{PARTS, slope_of_series};
use super::{Analysis, Answer, Shown};
use tumble_io::Table;

/// Shares of what left between which a discharge is steady: not while it begins, and not when the last layers slide.
const STEADY: [f64; 2] = [0.1, 0.7];

/// How fast grains left, from the time series of a run.
///
/// ```
/// use tumble_io::{Table, TableWriter};
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("series.csv");
/// let mut writer = TableWriter::create(&path, &["time_s", "removed", "removed_kg"])?;
/// for row in 0..200 {
///     let time = 0.01 * f64::from(row);
///     writer.row(&[time, (50.0 * time).floor(), 0.2 * (time - 0.5).max(0.0)])?;
/// }
/// writer.flush()?;
/// let found = tumble_run::analysis::discharge(&Table::read(&path)?).unwrap();
/// assert!((found.answers[0].value - 0.2).abs() < 1e-9);
/// # Ok::<(), tumble_io::table::TableError>(())
/// ```
pub fn discharge(series: &Table) -> Result<Analysis, String> {
    let column = |name: &str| series.column(name).ok_or_else(|| format!("series.csv has no column `{name}`"));
    let (time, number, mass) = (column("time_s")?, column("removed")?, column("removed_kg")?);
    let total = mass.last().copied().unwrap_or(0.0);
    if total <= 0.0 {
        return Err("no grain has left the run: `domain.edges` takes them out with \"remove\"".to_owned());
    }
    let steady: Vec<usize> =
        (0..time.len()).filter(|&row| (STEADY[0] * total..=STEADY[1] * total).contains(&mass[row])).collect();
    if steady.len() < 2 * PARTS {
        let wanted = "a shorter `output.interval` gives more";
        return Err(format!("only {} rows of series.csv are from the steady part; {wanted}", steady.len()));
    }
    let of = |values: &[f64]| steady.iter().map(|&row| values[row]).collect::<Vec<f64>>();
    let (times, masses, numbers) = (of(time), of(mass), of(number));
    let (mass_rate, number_rate) = (slope_of_series(&times, &masses), slope_of_series(&times, &numbers));
    let first = (0..time.len()).find(|&row| mass[row] > 0.0).unwrap_or(0);
    let answers = vec![
        Answer::fitted("mass rate", mass_rate, "kg/s"),
        Answer::fitted("grains a second", number_rate, "1/s"),
        Answer::counted("mass that left", total, "kg"),
        Answer::counted("first grain left at", time[first], "s"),
        Answer::counted("steady from", times[0], "s"),
        Answer::counted("steady until", times[times.len() - 1], "s"),
    ];
    Ok(Analysis {
        title: "Discharge".to_owned(),
        answers,
        columns: super::named(&["time_s", "removed", "removed_kg"]),
        rows: (0..time.len()).map(|row| vec![time[row], number[row], mass[row]]).collect(),
        shown: Shown::lines(0, &[2]),
        note: format!(
            "A line through the rows in which {:.0} to {:.0} % of what left had left; the error from lines through its {PARTS} parts.",
            100.0 * STEADY[0],
            100.0 * STEADY[1]
        ),
    })
}
