//! Axes: which stretch of numbers is shown, where the ticks stand and what they are called.
//!
//! How the numbers at the ticks read is told in [`crate::figures`].

use crate::figures::{power_of_ten, pretty_unit, round_step, shown_unit, tick_text};

/// How numbers become places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps for equal differences.
    Linear,
    /// Equal steps for equal ratios; numbers that are not above zero are not shown.
    Logarithmic,
}

/// What an axis shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The quantity in words.
    pub label: String,
    /// Its unit, as in `m/s` or `kg/m^3`; empty for plain numbers.
    pub unit: String,
    /// How numbers become places.
    pub scale: Scale,
    /// Whether zero is shown whatever the numbers are.
    pub from_zero: bool,
    /// Whether the numbers are counts, so that ticks stand at whole numbers.
    pub is_whole: bool,
}

impl Axis {
    /// A linear axis.
    pub fn new(label: &str, unit: &str) -> Axis {
        Axis { label: label.to_owned(), unit: unit.to_owned(), scale: Scale::Linear, from_zero: false, is_whole: false }
    }

    /// The same with zero in sight.
    pub fn from_zero(self) -> Axis {
        Axis { from_zero: true, ..self }
    }

    /// The same for counts: zero in sight and ticks at whole numbers.
    pub fn counting(self) -> Axis {
        Axis { from_zero: true, is_whole: true, ..self }
    }

    /// The same on a logarithmic scale.
    pub fn logarithmic(self) -> Axis {
        Axis { scale: Scale::Logarithmic, ..self }
    }

    /// What stands beside it if its numbers are shown in a unit.
    fn title_in(&self, unit: &str) -> String {
        if unit.is_empty() { self.label.clone() } else { format!("{} [{unit}]", self.label) }
    }
}

/// Numbers beyond this are drawn as if they were none: differences of them could overflow.
const LARGEST: f64 = 1e300;
/// Decades that a logarithmic axis shows at most; what is smaller stands at its lower end.
const MOST_DECADES: i32 = 8;
/// Numbers that differ by less than this share of their size are drawn as a constant: ticks would need more digits than
/// anyone reads.
const CONSTANT: f64 = 1e-6;

/// An axis with its stretch of numbers and its ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ruler {
    scale: Scale,
    /// Ends of the axis; on a logarithmic scale their decimal logarithms.
    lower: f64,
    upper: f64,
    /// The ticks: place from 0 to 1, and words.
    pub(super) ticks: Vec<(f64, String)>,
    /// What stands beside the axis.
    pub(super) title: String,
}

impl Ruler {
    /// The ruler for numbers, with about so many ticks. A tight one ends where the numbers end, another one at ticks.
    pub(super) fn new(axis: &Axis, numbers: impl Iterator<Item = f64>, n_ticks: usize, is_tight: bool) -> Ruler {
        let is_positive = |x: &f64| *x > 0.0;
        let shown = numbers.filter(|x| x.abs() <= LARGEST);
        match axis.scale {
            Scale::Linear => Ruler::linear(axis, extremes(shown), n_ticks, is_tight),
            Scale::Logarithmic => match extremes(shown.filter(is_positive)) {
                Some(ends) => Ruler::logarithmic(axis, ends, n_ticks),
                // Nothing that a logarithmic axis could show.
                None => Ruler::linear(axis, None, n_ticks, is_tight),
            },
        }
    }

    fn linear(axis: &Axis, ends: Option<(f64, f64)>, n_ticks: usize, is_tight: bool) -> Ruler {
        let (mut lower, mut upper) = ends.unwrap_or((0.0, 1.0));
        if axis.from_zero {
            (lower, upper) = (lower.min(0.0), upper.max(0.0));
        }
        let size = lower.abs().max(upper.abs());
        if upper - lower <= CONSTANT * size {
            let half = if size > 0.0 { 0.5 * size } else { 1.0 };
            let middle = 0.5 * (lower + upper);
            (lower, upper) = (middle - half, middle + half);
            if axis.from_zero && size == 0.0 {
                lower = 0.0;
            }
        }
        let step = round_step((upper - lower) / n_ticks.max(1) as f64);
        let step = if axis.is_whole { step.max(1.0) } else { step };
        if !is_tight {
            // Ends that are ticks to rounding stay where they are.
            lower = (lower / step + 1e-9).floor() * step;
            upper = (upper / step - 1e-9).ceil() * step;
        }
        let (factor, unit) = shown_unit(&axis.unit, lower.abs().max(upper.abs()));
        let title = axis.title_in(&unit);
        let (first, last) = ((lower / step - 1e-9).ceil(), (upper / step + 1e-9).floor());
        let ticks = (0..=(last - first).clamp(0.0, 1000.0) as usize).map(|k| {
            let value = (first + k as f64) * step;
            ((value - lower) / (upper - lower), tick_text(value / factor, step / factor))
        });
        Ruler { scale: Scale::Linear, lower, upper, ticks: ticks.collect(), title }
    }

    fn logarithmic(axis: &Axis, (smallest, largest): (f64, f64), n_ticks: usize) -> Ruler {
        let upper = (largest.log10() - 1e-9).ceil() as i32;
        let lower = ((smallest.log10() + 1e-9).floor() as i32).max(upper - MOST_DECADES);
        let (lower, upper) = if lower == upper { (lower - 1, upper) } else { (lower, upper) };
        let every = ((upper - lower) as usize).div_ceil(n_ticks.max(1)).max(1);
        let place = |exponent: i32| f64::from(exponent - lower) / f64::from(upper - lower);
        let ticks = (lower..=upper).rev().step_by(every).map(|exponent| (place(exponent), power_of_ten(exponent)));
        Ruler {
            scale: Scale::Logarithmic,
            lower: f64::from(lower),
            upper: f64::from(upper),
            ticks: ticks.collect(),
            title: axis.title_in(&pretty_unit(&axis.unit)),
        }
    }

    /// Place of a number, 0 at the lower and 1 at the upper end; `None` if it cannot be shown.
    pub(super) fn place(&self, x: f64) -> Option<f64> {
        let x = match self.scale {
            Scale::Linear => x,
            Scale::Logarithmic if x > 0.0 => x.log10().max(self.lower),
            Scale::Logarithmic => return None,
        };
        (x.abs() <= LARGEST).then(|| (x - self.lower) / (self.upper - self.lower))
    }
}

fn extremes(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    numbers.fold(None, |ends, x| Some(ends.map_or((x, x), |(low, high): (f64, f64)| (low.min(x), high.max(x)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ruler: &Ruler) -> Vec<&str> {
        ruler.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    fn ruler(axis: &Axis, numbers: &[f64]) -> Ruler {
        Ruler::new(axis, numbers.iter().copied(), 5, false)
    }

    #[test]
    fn ticks_are_round_and_ends_hold_all_numbers() {
        let axis = Axis::new("energy", "J");
        let found = ruler(&axis, &[0.0, 0.00137]);
        assert_eq!((labels(&found), found.title.as_str()), (vec!["0.0", "0.5", "1.0", "1.5"], "energy [mJ]"));
        let found = ruler(&axis, &[-2.2, 7.9]);
        assert_eq!((labels(&found), found.title.as_str()), (vec!["−5", "0", "5", "10"], "energy [J]"));
        for (low, high) in [(0.0, 1.0), (-3e-9, 2e-9), (1e12, 3.3e12), (0.6, 0.60001), (-1e299, 1e299)] {
            let found = ruler(&axis, &[low, f64::NAN, high, f64::INFINITY]);
            assert!((3..=12).contains(&found.ticks.len()), "{found:?}");
            for end in [low, high] {
                let place = found.place(end).unwrap();
                assert!((-1e-9..=1.0 + 1e-9).contains(&place), "{place}");
            }
            let mut seen = labels(&found);
            seen.dedup();
            assert_eq!(seen.len(), found.ticks.len(), "{found:?}");
        }
    }

    #[test]
    fn a_tight_axis_ends_with_the_numbers() {
        let found = Ruler::new(&Axis::new("time", "s"), [0.0, 0.33].into_iter(), 6, true);
        assert_eq!((found.place(0.0), found.place(0.33)), (Some(0.0), Some(1.0)));
        assert_eq!((labels(&found), found.title.as_str()), (vec!["0", "100", "200", "300"], "time [ms]"));
        assert_eq!(Ruler::new(&Axis::new("time", "s"), [0.0, 7200.0].into_iter(), 4, true).title, "time [s]");
    }

    #[test]
    fn constants_one_number_and_none_have_an_axis() {
        for numbers in [&[][..], &[0.0], &[3.0, 3.0], &[-1e-20], &[f64::NAN], &[1e200], &[0.6, 0.6 + 1e-12]] {
            for axis in [Axis::new("n", ""), Axis::new("n", "").from_zero(), Axis::new("n", "J").logarithmic()] {
                let found = ruler(&axis, numbers);
                assert!(found.ticks.len() >= 2, "{numbers:?}: {found:?}");
                for place in numbers.iter().filter_map(|&x| found.place(x)) {
                    assert!((-1e-9..=1.0 + 1e-9).contains(&place), "{numbers:?}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn counts_have_whole_ticks() {
        let axis = Axis::new("contacts", "").counting();
        assert_eq!(labels(&ruler(&axis, &[0.0, 1.0])), ["0", "1"]);
        assert_eq!(labels(&ruler(&axis, &[0.0, 0.0])), ["0", "1"]);
        assert_eq!(labels(&ruler(&axis, &[3.0])), ["0", "1", "2", "3"]);
        let tight = Ruler::new(&axis, [-0.5, 2.5].into_iter(), 7, true);
        assert_eq!(labels(&tight), ["0", "1", "2"]);
    }

    #[test]
    fn decades_are_powers_of_ten() {
        let axis = Axis::new("residual", "").logarithmic();
        let found = ruler(&axis, &[3e-7, 2e-4, 0.0, -1.0]);
        assert_eq!(labels(&found), ["10⁻³", "10⁻⁴", "10⁻⁵", "10⁻⁶", "10⁻⁷"]);
        assert_eq!((found.place(1e-7), found.place(1e-3), found.place(0.0)), (Some(0.0), Some(1.0), None));
        let wide = ruler(&axis, &[1e-300, 1.0]);
        assert!(wide.ticks.len() <= 7 && wide.place(1e-300) == Some(0.0), "{wide:?}");
    }
}
