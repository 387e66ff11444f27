//! Round numbers for scales: ticks of a colour bar, the length of a scale bar, quantities with a fitting prefix.

/// Round numbers across a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Where the ticks stand, in the units of the range, and what is written there.
    pub marks: Vec<(f64, String)>,
    /// The unit of what is written, with its prefix.
    pub unit: String,
}

impl Ticks {
    /// Ticks at multiples of 1, 2 or 5 times a power of ten, about `wanted` of them and at least two, with the unit's
    /// prefix chosen so that the numbers have few digits.
    pub fn across((low, high): (f64, f64), wanted: usize, unit: &str) -> Ticks {
        let span = high - low;
        if !(span > 0.0 && span.is_finite()) {
            return Ticks { marks: vec![(low, plain(low, 3))], unit: unit.to_owned() };
        }
        let (factor, prefix) = prefix_for(low.abs().max(high.abs()), unit);
        let mut step = step_for(span, wanted);
        let count = |step: f64| ((high / step + 1e-9).floor() - (low / step - 1e-9).ceil()) as i64 + 1;
        while count(step) < 2 {
            // 0.4 of 1, 2 or 5 leads to the next below.
            step = step_for(step * 0.4, 1);
        }
        let first = (low / step - 1e-9).ceil() as i64;
        let decimals = (-(step / factor).log10() + 1e-9).ceil().clamp(0.0, 9.0) as usize;
        let mark = |k: i64| {
            let value = (first + k) as f64 * step;
            (value, plain(value / factor, decimals))
        };
        Ticks { marks: (0..count(step)).map(mark).collect(), unit: format!("{prefix}{unit}") }
    }
}

/// The round step that divides a span into about `wanted` parts.
fn step_for(span: f64, wanted: usize) -> f64 {
    let rough = span / wanted.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * power >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    step * power
}

fn plain(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    // Minus zero is zero; a true minus sign is as wide as a digit.
    if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') {
        return text.trim_start_matches('-').to_owned();
    }
    text.replace('-', "\u{2212}")
}

/// A factor and the prefix that stands for it, for numbers up to `largest`.
fn prefix_for(largest: f64, unit: &str) -> (f64, &'static str) {
    const PREFIXES: [(f64, &str); 8] =
        [(1e-9, "n"), (1e-6, "µ"), (1e-3, "m"), (1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")];
    // Angles and plain numbers have no prefixes; kilometres and radians a millisecond would surprise.
    if unit.is_empty() || unit == "°" || unit == "rad/s" {
        return (1.0, "");
    }
    PREFIXES.into_iter().rev().find(|(factor, _)| *factor <= largest * (1.0 + 1e-9)).unwrap_or(PREFIXES[0])
}

/// A quantity with three digits and a fitting prefix: `12.3 ms`.
pub fn quantity(value: f64, unit: &str) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value} {unit}").trim_end().to_owned();
    }
    let (factor, prefix) = prefix_for(value.abs(), unit);
    let scaled = value / factor;
    let decimals = (2.0 - scaled.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let digits = plain(scaled, decimals);
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    format!("{digits} {prefix}{unit}").trim_end().to_owned()
}

/// The largest length 1, 2 or 5 times a power of ten that is no longer than `longest` [m], and its text.
pub fn scale_length(longest: f64) -> Option<(f64, String)> {
    if !(longest.is_finite() && longest > 0.0) {
        return None;
    }
    let power = 10f64.powf(longest.log10().floor());
    let step = [5.0, 2.0, 1.0].into_iter().find(|step| step * power <= longest * (1.0 + 1e-9))?;
    let length = step * power;
    // Centimetres are nobody's unit in a figure: 20 mm, not 2 cm.
    Some((length, quantity(length, "m")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: &Ticks) -> Vec<&str> {
        ticks.marks.iter().map(|mark| mark.1.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_within() {
        let ticks = Ticks::across((0.0, 1.0), 5, "m/s");
        assert_eq!((texts(&ticks), ticks.unit.as_str()), (vec!["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"], "m/s"));
        let ticks = Ticks::across((0.0, 0.0234), 5, "m");
        assert_eq!((texts(&ticks), ticks.unit.as_str()), (vec!["0", "5", "10", "15", "20"], "mm"));
        let ticks = Ticks::across((-0.3, 0.3), 4, "m/s");
        assert_eq!((texts(&ticks), ticks.unit.as_str()), (vec!["\u{2212}200", "0", "200"], "mm/s"));
        let ticks = Ticks::across((0.0, 90.0), 6, "°");
        assert_eq!(texts(&ticks), ["0", "20", "40", "60", "80"]);
        assert_eq!(texts(&Ticks::across((7.1, 7.9), 3, "")), ["7.2", "7.4", "7.6", "7.8"]);
        let mut low = 1e-9;
        while low < 1e9 {
            for span in [0.3, 1.0, 4.7] {
                let (from, to) = (low, low * (1.0 + span));
                let ticks = Ticks::across((from, to), 5, "N");
                assert!((2..=11).contains(&ticks.marks.len()), "{from} to {to}: {ticks:?}");
                assert!(ticks.marks.iter().all(|(v, _)| *v >= from * 0.999 && *v <= to * 1.001), "{ticks:?}");
                assert!(ticks.marks.iter().all(|(_, text)| text.chars().count() <= 7), "{ticks:?}");
            }
            low *= 7.3;
        }
    }

    #[test]
    fn ranges_without_a_width_have_one_tick() {
        assert_eq!(Ticks::across((2.0, 2.0), 5, "m").marks.len(), 1);
        assert_eq!(Ticks::across((f64::NAN, 2.0), 5, "m").marks.len(), 1);
    }

    #[test]
    fn lengths_and_quantities_read_well() {
        assert_eq!(scale_length(0.013), Some((0.01, "10 mm".to_owned())));
        assert_eq!(scale_length(0.99).map(|l| l.1), Some("500 mm".to_owned()));
        assert_eq!(scale_length(2.5e-6).map(|l| l.1), Some("2 µm".to_owned()));
        assert_eq!(scale_length(0.0), None);
        assert_eq!(quantity(0.35, "s"), "350 ms");
        assert_eq!(quantity(1.2345, "s"), "1.23 s");
        assert_eq!(quantity(0.0, "s"), "0 s");
    }
}
