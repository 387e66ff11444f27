//! Numbers as a picture shows them: round steps between ticks, prefixes of units, few digits, true minus signs.
//!
//! Steps are 1, 2 or 5 times a power of ten. Numbers are shown in the prefix of their unit that keeps them below a thousand; what has
//! no prefix gets a power of ten beside its unit where it is very small or large.

pub use tumble_io::figures::count;

/// The smallest of 1, 2, 5 times a power of ten that is not below a length.
pub(crate) fn round_step(length: f64) -> f64 {
    let power = 10f64.powf(length.log10().floor());
    let fraction = length / power;
    let digit = [1.0, 2.0, 5.0].into_iter().find(|&digit| fraction <= digit * (1.0 + 1e-9)).unwrap_or(10.0);
    digit * power
}

/// A multiple of a round step, with the digits that tell it from its neighbours.
pub(crate) fn tick_text(value: f64, step: f64) -> String {
    let decimals = (-step.log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize;
    signed(format!("{value:.decimals$}"))
}

/// Units that take a prefix, with the largest power of ten that is usual with them.
const PREFIXED: [(&str, i32); 7] = [("s", 0), ("m", 3), ("J", 12), ("N", 12), ("Pa", 12), ("m/s", 3), ("N m", 12)];
const PREFIXES: [(i32, &str); 10] =
    [(-15, "f"), (-12, "p"), (-9, "n"), (-6, "µ"), (-3, "m"), (0, ""), (3, "k"), (6, "M"), (9, "G"), (12, "T")];

/// By what numbers of a size are divided before they are shown, and the unit that they then have: `mJ`, `10⁻⁶ m²/s²`, or nothing.
pub(crate) fn shown_unit(unit: &str, size: f64) -> (f64, String) {
    let plain = pretty_unit(unit);
    if size == 0.0 || !size.is_finite() {
        return (1.0, plain);
    }
    let thousands = 3 * ((size.log10() + 1e-9).floor() as i32).div_euclid(3);
    if let Some(&(_, largest)) = PREFIXED.iter().find(|(name, _)| *name == unit)
        && let Some((power, prefix)) = PREFIXES.iter().find(|(power, _)| *power == thousands.min(largest))
    {
        return (10f64.powi(*power), format!("{prefix}{plain}"));
    }
    if (1e-2..1e5).contains(&size) {
        return (1.0, plain);
    }
    let gap = if plain.is_empty() { "" } else { " " };
    (10f64.powi(thousands), format!("{}{gap}{plain}", power_of_ten(thousands)))
}

/// `m^2/s^2` as `m²/s²`.
pub(crate) fn pretty_unit(unit: &str) -> String {
    unit.replace("^2", "²").replace("^3", "³").replace(' ', "\u{a0}")
}

/// `10⁻⁶`; 1 and 10 as they are.
pub(crate) fn power_of_ten(exponent: i32) -> String {
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
    let (mut factor, mut shown_in) = shown_unit(unit, x.abs());
    if unit.is_empty() && factor != 1.0 {
        // One digit before the point, as plain numbers are written.
        let exponent = (x.abs().log10() + 1e-9).floor() as i32;
        (factor, shown_in) = (10f64.powi(exponent), power_of_ten(exponent));
    }
    let shown = x / factor;
    let decimals = if shown == 0.0 { 0 } else { (2 - shown.abs().log10().floor() as i32).clamp(0, 9) as usize };
    let digits = format!("{shown:.decimals$}");
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    let digits = signed(digits.to_owned());
    match shown_in.as_str() {
        "" => digits,
        power if power.starts_with("10") => format!("{digits}·{power}"),
        unit => format!("{digits} {unit}"),
    }
}

/// Times as all pictures of a film write them: in one unit and with as many digits, so that the text does not jump.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    factor: f64,
    unit: String,
    decimals: usize,
}

impl Clock {
    /// The shortest way of writing by which the times [s] can be told from each other; `None` for one time alone.
    pub fn of(times: &[f64]) -> Option<Clock> {
        let mut sorted: Vec<f64> = times.iter().copied().filter(|time| time.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.dedup();
        let largest = sorted.iter().fold(0.0_f64, |most, time| most.max(time.abs()));
        let gap = sorted.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        if !gap.is_finite() {
            return None;
        }
        let (factor, unit) = shown_unit("s", largest);
        // Whole to a hundredth of the step between two frames, or two digits of it where the steps are odd.
        let is_enough = |decimals: &usize| {
            let scale = 10f64.powi(*decimals as i32) / factor;
            sorted.iter().all(|time| (time * scale - (time * scale).round()).abs() < 0.01 * gap * scale)
                || gap * scale >= 10.0
        };
        Some(Clock { factor, unit, decimals: (0..9).find(is_enough).unwrap_or(9) })
    }

    /// A time [s] with its unit.
    pub fn text(&self, time: f64) -> String {
        format!("{} {}", signed(format!("{:.*}", self.decimals, time / self.factor)), self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_take_their_prefix_or_a_power() {
        let shown = |unit: &str, size: f64| shown_unit(unit, size).1;
        assert_eq!(shown("Pa", 2.5e6), "MPa");
        assert_eq!(shown("m", 2.5e-7), "nm");
        assert_eq!(shown("kg/m^3", 1500.0), "kg/m³");
        assert_eq!(shown("m^2/s^2", 4e-5), "10⁻⁶ m²/s²");
        assert_eq!(shown("", 4e-5), "10⁻⁶");
        assert_eq!(shown("s", 1e-30), "10⁻³⁰ s");
        assert_eq!(shown("s", 7200.0), "s");
    }

    #[test]
    fn quantities_read_well() {
        assert_eq!(quantity(0.00125, "J"), "1.25 mJ");
        assert_eq!(quantity(3.2e-7, ""), "3.2·10⁻⁷");
        assert_eq!(quantity(0.5, ""), "0.5");
        assert_eq!(quantity(f64::NAN, "J"), "NaN J");
        assert_eq!(quantity(f64::NEG_INFINITY, "J"), "−inf J");
        assert_eq!(quantity(0.0, "s"), "0 s");
        assert_eq!(quantity(0.35, "s"), "350 ms");
        assert_eq!(quantity(1.2345, "s"), "1.23 s");
        assert_eq!(quantity(-1.2345, "m/s"), "−1.23 m/s");
    }

    #[test]
    fn the_captions_of_a_film_keep_their_digits() {
        let texts = |times: &[f64]| -> Vec<String> {
            let clock = Clock::of(times).unwrap();
            times.iter().map(|&time| clock.text(time)).collect()
        };
        assert_eq!(texts(&[0.0, 0.05, 0.1]), ["0 ms", "50 ms", "100 ms"]);
        assert_eq!(texts(&[0.95, 1.0, 1.05]), ["0.95 s", "1.00 s", "1.05 s"]);
        // Frames fall on steps, not on round times.
        assert_eq!(texts(&[0.5000213, 1.0000071, 1.5]), ["0.5 s", "1.0 s", "1.5 s"]);
        assert_eq!(texts(&[0.0, 0.0123, 1.7]), ["0.000 s", "0.012 s", "1.700 s"]);
        assert_eq!(Clock::of(&[1.0, 1.0]), None);
    }

    #[test]
    fn ticks_have_the_digits_of_their_step() {
        assert_eq!(tick_text(3.0, 1.0), "3");
        assert_eq!(tick_text(0.6, 0.2), "0.6");
        assert_eq!(tick_text(-0.05, 0.05), "−0.05");
        assert_eq!(tick_text(-0.0, 0.5), "0.0");
    }
}
