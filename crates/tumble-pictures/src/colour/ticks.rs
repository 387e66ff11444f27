//! Round numbers for scales: ticks of a colour bar, the length of a scale bar.

use crate::figures::{quantity, round_step, shown_unit, tick_text};

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
    pub fn across(range: (f64, f64), wanted: usize, unit: &str) -> Ticks {
        Ticks::no_closer_than(0.0, range, wanted, unit)
    }

    /// Ticks at whole numbers, as many as there are if these are few.
    pub fn whole(range: (f64, f64), wanted: usize) -> Ticks {
        Ticks::no_closer_than(1.0, range, wanted, "")
    }

    fn no_closer_than(closest: f64, (low, high): (f64, f64), wanted: usize, unit: &str) -> Ticks {
        let one = Ticks { marks: vec![(low, tick_text(low, 1e-3))], unit: unit.to_owned() };
        let span = high - low;
        // Steps of a span that is not normal have too few digits to divide it.
        if !(span > 0.0 && span.is_normal()) {
            return one;
        }
        let (factor, unit) = shown_unit(unit, low.abs().max(high.abs()));
        let mut step = round_step(span / wanted.max(1) as f64).max(closest);
        let count = |step: f64| ((high / step + 1e-9).floor() - (low / step - 1e-9).ceil()) as i64 + 1;
        while count(step) < 2 && step > closest {
            // 0.4 of 1, 2 or 5 leads to the next below.
            step = round_step(step * 0.4).max(closest);
            if !step.is_normal() {
                return one;
            }
        }
        let first = (low / step - 1e-9).ceil();
        let mark = |k: i64| {
            let value = (first + k as f64) * step;
            (value, tick_text(value / factor, step / factor))
        };
        let marks: Vec<(f64, String)> = (0..count(step)).map(mark).collect();
        if marks.is_empty() { one } else { Ticks { marks, unit } }
    }
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
    fn whole_numbers_have_no_half_ticks() {
        assert_eq!(texts(&Ticks::whole((0.0, 2.0), 6)), ["0", "1", "2"]);
        assert_eq!(texts(&Ticks::whole((0.0, 9.0), 6)), ["0", "2", "4", "6", "8"]);
        assert_eq!(texts(&Ticks::whole((3.6, 4.4), 6)), ["4"]);
    }

    #[test]
    fn ranges_without_a_width_have_one_tick() {
        assert_eq!(Ticks::across((2.0, 2.0), 5, "m").marks.len(), 1);
        assert_eq!(Ticks::across((f64::NAN, 2.0), 5, "m").marks.len(), 1);
        // Narrower than any normal number, and wider than any number.
        assert_eq!(Ticks::across((0.0, 1e-323), 5, "m").marks.len(), 1);
        assert_eq!(Ticks::across((-1e308, 1e308), 5, "m").marks.len(), 1);
        // As narrow as a normal number can be: whatever ticks there are lie within.
        let narrow = f64::MIN_POSITIVE;
        assert!(Ticks::across((0.0, narrow), 5, "m").marks.iter().all(|(value, _)| (0.0..=narrow).contains(value)));
        // So narrow that the ends are neighbours among the numbers.
        assert!(Ticks::across((1e9, 1e9_f64.next_up()), 5, "m").marks.len() < 12);
    }

    #[test]
    fn lengths_read_well() {
        assert_eq!(scale_length(0.013), Some((0.01, "10 mm".to_owned())));
        assert_eq!(scale_length(0.99).map(|l| l.1), Some("500 mm".to_owned()));
        assert_eq!(scale_length(2.5e-6).map(|l| l.1), Some("2 µm".to_owned()));
        assert_eq!(scale_length(0.0), None);
    }
}
