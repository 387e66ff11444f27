//! Axes: which stretch of numbers is shown, where the ticks stand and what they are called.
//!
//! Ticks stand at 1, 2 or 5 times a power of ten. Numbers are shown in the prefix of their unit that keeps them below a thousand; what
//! has no prefix gets a power of ten beside its unit.

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
        let step = nice_step((upper - lower) / n_ticks.max(1) as f64);
        let step = if axis.is_whole { step.max(1.0) } else { step };
        if !is_tight {
            // Ends that are ticks to rounding stay where they are.
            lower = (lower / step + 1e-9).floor() * step;
            upper = (upper / step - 1e-9).ceil() * step;
        }
        let (factor, title) = unit_shown(axis, lower.abs().max(upper.abs()));
        let decimals = (-(step / factor).log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize;
        let (first, last) = ((lower / step - 1e-9).ceil(), (upper / step + 1e-9).floor());
        let ticks = (0..=(last - first).clamp(0.0, 1000.0) as usize).map(|k| {
            let value = (first + k as f64) * step;
            ((value - lower) / (upper - lower), signed(format!("{:.decimals$}", value / factor)))
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
        let unit = if axis.unit.is_empty() { String::new() } else { format!(" [{}]", pretty_unit(&axis.unit)) };
        Ruler {
            scale: Scale::Logarithmic,
            lower: f64::from(lower),
            upper: f64::from(upper),
            ticks: ticks.collect(),
            title: format!("{}{unit}", axis.label),
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

/// The smallest of 1, 2, 5 times a power of ten that is not below a length.
fn nice_step(length: f64) -> f64 {
    let power = 10f64.powf(length.log10().floor());
    let fraction = length / power;
    let digit = [1.0, 2.0, 5.0].into_iter().find(|&digit| fraction <= digit * (1.0 + 1e-9)).unwrap_or(10.0);
    digit * power
}

/// Units that take a prefix, with the largest power of ten that is usual with them.
const PREFIXED: [(&str, i32); 7] = [("s", 0), ("m", 3), ("J", 12), ("N", 12), ("Pa", 12), ("m/s", 3), ("N m", 12)];
const PREFIXES: [(i32, &str); 10] =
    [(-15, "f"), (-12, "p"), (-9, "n"), (-6, "µ"), (-3, "m"), (0, ""), (3, "k"), (6, "M"), (9, "G"), (12, "T")];

/// By what numbers of a size are divided before they are shown, and what then stands beside the axis.
fn unit_shown(axis: &Axis, size: f64) -> (f64, String) {
    let (label, unit) = (&axis.label, pretty_unit(&axis.unit));
    let plain = if unit.is_empty() { label.clone() } else { format!("{label} [{unit}]") };
    if size == 0.0 {
        return (1.0, plain);
    }
    let thousands = 3 * ((size.log10() + 1e-9).floor() as i32).div_euclid(3);
    if let Some(&(_, largest)) = PREFIXED.iter().find(|(name, _)| *name == axis.unit)
        && let Some((power, prefix)) = PREFIXES.iter().find(|(power, _)| *power == thousands.min(largest))
    {
        return (10f64.powi(*power), format!("{label} [{prefix}{unit}]"));
    }
    if (1e-2..1e5).contains(&size) {
        return (1.0, plain);
    }
    let gap = if unit.is_empty() { "" } else { " " };
    (10f64.powi(thousands), format!("{label} [{}{gap}{unit}]", power_of_ten(thousands)))
}

/// `m^2/s^2` as `m²/s²`.
fn pretty_unit(unit: &str) -> String {
    unit.replace("^2", "²").replace("^3", "³").replace(' ', "\u{a0}")
}

/// `10⁻⁶`; 1 and 10 as they are.
fn power_of_ten(exponent: i32) -> String {
    match exponent {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        _ => format!("10{}", superscript(exponent)),
    }
}

fn superscript(number: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => c.to_digit(10).and_then(|digit| char::from_u32(0x2070 + digit)).unwrap_or(c),
    };
    number.to_string().chars().map(raised).collect()
}

/// A number with a true minus, and no minus before nothing.
fn signed(text: String) -> String {
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// A number with its unit for people, as in `1.25 mJ` or `3.2·10⁻⁷`.
pub fn quantity(x: f64, unit: &str) -> String {
    if !x.is_finite() {
        return format!("{x} {}", pretty_unit(unit)).trim_end().to_owned();
    }
    let (mut factor, mut title) = unit_shown(&Axis::new("", unit), x.abs());
    if unit.is_empty() && factor != 1.0 {
        // One digit before the point, as plain numbers are written.
        let exponent = (x.abs().log10() + 1e-9).floor() as i32;
        (factor, title) = (10f64.powi(exponent), power_of_ten(exponent));
    }
    let shown = x / factor;
    let decimals = if shown == 0.0 { 0 } else { (2 - shown.abs().log10().floor() as i32).clamp(0, 9) as usize };
    let digits = format!("{shown:.decimals$}");
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    let digits = signed(digits.to_owned());
    let title = title.trim().trim_start_matches('[').trim_end_matches(']').trim();
    match title {
        "" => digits,
        power if power.starts_with("10") => format!("{digits}·{power}"),
        unit => format!("{digits} {unit}"),
    }
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

    #[test]
    fn units_take_their_prefix_or_a_power() {
        let shown = |label: &str, unit: &str, size: f64| unit_shown(&Axis::new(label, unit), size).1;
        assert_eq!(shown("pressure", "Pa", 2.5e6), "pressure [MPa]");
        assert_eq!(shown("overlap", "m", 2.5e-7), "overlap [nm]");
        assert_eq!(shown("density", "kg/m^3", 1500.0), "density [kg/m³]");
        assert_eq!(shown("temperature", "m^2/s^2", 4e-5), "temperature [10⁻⁶ m²/s²]");
        assert_eq!(shown("share", "", 4e-5), "share [10⁻⁶]");
        assert_eq!(shown("time", "s", 1e-30), "time [10⁻³⁰ s]");
        assert_eq!(quantity(0.00125, "J"), "1.25 mJ");
        assert_eq!(quantity(3.2e-7, ""), "3.2·10⁻⁷");
        assert_eq!(quantity(0.5, ""), "0.5");
        assert_eq!(quantity(f64::NAN, "J"), "NaN J");
        assert_eq!(quantity(0.0, "s"), "0 s");
    }
}
