//! Quantities with units: `"5 mm"` becomes 0.005 m.
//!
//! A quantity is a number followed by a product or quotient of units, each with an optional prefix and power:
//! `"2500 kg/m3"`, `"9.81 m/s^2"`, `"1 kg m-3"`, `"3 N*s/m"`, `"2 N/(m s)"`. Powers of ten are carried as an exponent
//! and joined to the digits before the number is rounded, so `"5 mm"` has the very bits of `0.005`.
//!
//! Radians and cycles are kept apart from plain numbers: an angular velocity may be written in rpm, rad/s or 1/s, but
//! not in Hz, and a frequency may be written in Hz or 1/s, but not in rpm. Either mistake would be off by 2 pi.

use std::fmt;

/// What a quantity measures: the powers of length, mass, time, angle and cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    length: i32,
    mass: i32,
    time: i32,
    angle: i32,
    cycle: i32,
}

const fn dimension(length: i32, mass: i32, time: i32) -> Dimension {
    Dimension { length, mass, time, angle: 0, cycle: 0 }
}

impl Dimension {
    /// A plain number [1].
    pub const NUMBER: Dimension = dimension(0, 0, 0);
    /// A length [m].
    pub const LENGTH: Dimension = dimension(1, 0, 0);
    /// An area [m^2].
    pub const AREA: Dimension = dimension(2, 0, 0);
    /// A mass [kg].
    pub const MASS: Dimension = dimension(0, 1, 0);
    /// A time [s].
    pub const TIME: Dimension = dimension(0, 0, 1);
    /// A speed [m/s].
    pub const SPEED: Dimension = dimension(1, 0, -1);
    /// An acceleration [m/s^2].
    pub const ACCELERATION: Dimension = dimension(1, 0, -2);
    /// A force [N].
    pub const FORCE: Dimension = dimension(1, 1, -2);
    /// A pressure or modulus [Pa].
    pub const PRESSURE: Dimension = dimension(-1, 1, -2);
    /// An energy [J].
    pub const ENERGY: Dimension = dimension(2, 1, -2);
    /// A mass density [kg/m^3].
    pub const DENSITY: Dimension = dimension(-3, 1, 0);
    /// A stiffness [N/m].
    pub const STIFFNESS: Dimension = dimension(0, 1, -2);
    /// A stiffness over area [Pa/m].
    pub const STIFFNESS_PER_AREA: Dimension = dimension(-2, 1, -2);
    /// A number a second [1/s].
    pub const RATE: Dimension = dimension(0, 0, -1);
    /// A mass a second [kg/s].
    pub const MASS_RATE: Dimension = dimension(0, 1, -1);
    /// A speed for each newton [m/(s N)].
    pub const MOBILITY: Dimension = dimension(0, -1, 1);
    /// An angle [rad].
    pub const ANGLE: Dimension = Dimension { angle: 1, ..Dimension::NUMBER };
    /// An angular velocity [rad/s].
    pub const ANGULAR_VELOCITY: Dimension = Dimension { angle: 1, ..Dimension::RATE };
    /// A frequency [Hz].
    pub const FREQUENCY: Dimension = Dimension { cycle: 1, ..Dimension::RATE };

    /// Name with article, SI unit and an example, where the dimension has a name.
    fn named(self) -> Option<(&'static str, &'static str, &'static str)> {
        const NAMED: &[(Dimension, &str, &str, &str)] = &[
            (Dimension::NUMBER, "a plain number", "1", "0.3"),
            (Dimension::LENGTH, "a length", "m", "5 mm"),
            (Dimension::AREA, "an area", "m2", "4 cm2"),
            (dimension(3, 0, 0), "a volume", "m3", "2 L"),
            (Dimension::MASS, "a mass", "kg", "20 g"),
            (Dimension::TIME, "a time", "s", "10 us"),
            (Dimension::SPEED, "a speed", "m/s", "2 m/s"),
            (Dimension::ACCELERATION, "an acceleration", "m/s2", "9.81 m/s2"),
            (Dimension::FORCE, "a force", "N", "2 kN"),
            (Dimension::PRESSURE, "a pressure", "Pa", "5 MPa"),
            (Dimension::ENERGY, "an energy", "J", "1 mJ"),
            (dimension(2, 1, -3), "a power", "W", "3 W"),
            (Dimension::DENSITY, "a density", "kg/m3", "2500 kg/m3"),
            (Dimension::STIFFNESS, "a stiffness", "N/m", "1e5 N/m"),
            (Dimension::STIFFNESS_PER_AREA, "a stiffness over area", "Pa/m", "1e9 Pa/m"),
            (Dimension::RATE, "a rate", "1/s", "100 1/s"),
            (Dimension::MASS_RATE, "a mass flow", "kg/s", "2 kg/s"),
            (Dimension::MOBILITY, "a speed for each newton", "m/(s N)", "1e-3 m/(s N)"),
            (Dimension::ANGLE, "an angle", "rad", "30 deg"),
            (Dimension::ANGULAR_VELOCITY, "an angular velocity", "rad/s", "100 rpm"),
            (Dimension::FREQUENCY, "a frequency", "Hz", "50 Hz"),
        ];
        NAMED.iter().find(|n| n.0 == self).map(|n| (n.1, n.2, n.3))
    }

    /// The dimension in words, with an article: "a length". Unnamed ones by their SI unit.
    pub fn in_words(self) -> String {
        match self.named() {
            Some((words, _, _)) => words.to_string(),
            None => format!("a quantity in {self}"),
        }
    }

    /// A quantity of this dimension, as one would write it: `5 mm`.
    pub fn example(self) -> String {
        match self.named() {
            Some((_, _, example)) => example.to_string(),
            None => format!("1 {self}"),
        }
    }

    /// Whether a quantity of this dimension may stand where `wanted` is wanted: the same, or the same with radians
    /// and cycles left unsaid.
    fn serves_as(self, wanted: Dimension) -> bool {
        let said = (self.angle, self.cycle);
        (self.length, self.mass, self.time) == (wanted.length, wanted.mass, wanted.time)
            && (said == (wanted.angle, wanted.cycle) || said == (0, 0))
    }

    fn times(self, other: Dimension, power: i32) -> Dimension {
        Dimension {
            length: self.length + power * other.length,
            mass: self.mass + power * other.mass,
            time: self.time + power * other.time,
            angle: self.angle + power * other.angle,
            cycle: self.cycle + power * other.cycle,
        }
    }
}

/// The SI unit of the dimension: `kg/m3`.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, unit, _)) = self.named() {
            return f.write_str(unit);
        }
        let mut separator = "";
        for (unit, power) in
            [("kg", self.mass), ("m", self.length), ("s", self.time), ("rad", self.angle), ("cycle", self.cycle)]
        {
            match power {
                0 => continue,
                1 => write!(f, "{separator}{unit}")?,
                _ => write!(f, "{separator}{unit}{power}")?,
            }
            separator = " ";
        }
        Ok(())
    }
}

/// Why a text is not the quantity that was wanted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UnitError {
    /// There is no number at the beginning.
    #[error("{0:?} does not begin with a number")]
    NoNumber(String),
    /// A unit that is not known, with the nearest known one.
    #[error("unknown unit {unit:?}{}", .nearest.as_ref().map(|n| format!("; did you mean {n:?}?")).unwrap_or_default())]
    UnknownUnit {
        /// The unit as written.
        unit: String,
        /// The nearest known unit, if one is near.
        nearest: Option<String>,
    },
    /// The text after the number is not a product of units.
    #[error("cannot read {0:?} as a unit")]
    Malformed(String),
    /// It measures something else.
    #[error("{text:?} is {}", .found.in_words())]
    WrongDimension {
        /// The quantity as written.
        text: String,
        /// What it measures.
        found: Dimension,
    },
    /// Too large for a number.
    #[error("{0:?} is out of range")]
    OutOfRange(String),
}

/// Reads a quantity and turns it into SI. A text without a unit is SI already.
pub fn parse_quantity(text: &str, wanted: Dimension) -> Result<f64, UnitError> {
    let (number, rest) = split_number(text.trim()).ok_or_else(|| UnitError::NoNumber(text.to_string()))?;
    in_si(number, &parse_unit(rest)?, rest.trim().is_empty(), text, wanted)
}

/// Reads three numbers with one unit, `"1 2 3 mm"` or `"1, 2, 3 mm"`, and turns them into SI.
pub fn parse_vector(text: &str, wanted: Dimension) -> Result<[f64; 3], UnitError> {
    let mut numbers = [""; 3];
    let mut rest = text;
    for number in &mut numbers {
        rest = rest.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        (*number, rest) = split_number(rest).ok_or_else(|| UnitError::NoNumber(rest.to_string()))?;
    }
    let unit = parse_unit(rest)?;
    let mut vector = [0.0; 3];
    for (component, number) in vector.iter_mut().zip(numbers) {
        *component = in_si(number, &unit, rest.trim().is_empty(), text, wanted)?;
    }
    Ok(vector)
}

/// A product of units: its dimension, and its size in SI as `factor * 10^exponent`.
struct Unit {
    dimension: Dimension,
    exponent: i32,
    factor: f64,
}

fn in_si(number: &str, unit: &Unit, bare: bool, text: &str, wanted: Dimension) -> Result<f64, UnitError> {
    if !bare && !unit.dimension.serves_as(wanted) {
        return Err(UnitError::WrongDimension { text: text.to_string(), found: unit.dimension });
    }
    let (digits, exponent) = match number.find(['e', 'E']) {
        Some(at) => (&number[..at], number[at + 1..].parse::<i32>().ok()),
        None => (number, Some(0)),
    };
    // Rust's reader rounds correctly, so joining the exponents first gives the bits of the plain SI literal.
    exponent
        .and_then(|e| e.checked_add(unit.exponent))
        .and_then(|e| format!("{digits}e{e}").parse::<f64>().ok())
        .map(|value| if unit.factor == 1.0 { value } else { value * unit.factor })
        .filter(|value| value.is_finite())
        .ok_or_else(|| UnitError::OutOfRange(text.to_string()))
}

/// Splits a text after the number it begins with.
fn split_number(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let digits_from = |start: usize| bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits_from(end);
    end += whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits_from(end + 1);
        if whole + fraction > 0 {
            end += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits_from((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    Some(text.split_at(end))
}

/// One unit symbol: name, dimension, decimal exponent, further factor, whether SI prefixes go with it.
type Symbol = (&'static str, Dimension, i32, f64, bool);

const SYMBOLS: &[Symbol] = &[
    ("m", Dimension::LENGTH, 0, 1.0, true),
    ("g", Dimension::MASS, -3, 1.0, true),
    ("t", Dimension::MASS, 3, 1.0, false),
    ("s", Dimension::TIME, 0, 1.0, true),
    ("min", Dimension::TIME, 0, 60.0, false),
    ("h", Dimension::TIME, 0, 3600.0, false),
    ("N", Dimension::FORCE, 0, 1.0, true),
    ("Pa", Dimension::PRESSURE, 0, 1.0, true),
    ("bar", Dimension::PRESSURE, 5, 1.0, true),
    ("J", Dimension::ENERGY, 0, 1.0, true),
    ("W", dimension(2, 1, -3), 0, 1.0, true),
    ("L", dimension(3, 0, 0), -3, 1.0, true),
    ("l", dimension(3, 0, 0), -3, 1.0, true),
    ("Hz", Dimension::FREQUENCY, 0, 1.0, true),
    ("rad", Dimension::ANGLE, 0, 1.0, true),
    ("deg", Dimension::ANGLE, 0, std::f64::consts::PI / 180.0, false),
    ("°", Dimension::ANGLE, 0, std::f64::consts::PI / 180.0, false),
    ("rev", Dimension::ANGLE, 0, std::f64::consts::TAU, false),
    ("rpm", Dimension::ANGULAR_VELOCITY, 0, std::f64::consts::TAU / 60.0, false),
    ("%", Dimension::NUMBER, -2, 1.0, false),
];

const PREFIXES: &[(&str, i32)] = &[
    ("n", -9),
    ("u", -6),
    ("µ", -6),
    ("μ", -6),
    ("m", -3),
    ("c", -2),
    ("d", -1),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
];

fn find_symbol(name: &str) -> Result<(Dimension, i32, f64), UnitError> {
    if let Some(symbol) = SYMBOLS.iter().find(|s| s.0 == name) {
        return Ok((symbol.1, symbol.2, symbol.3));
    }
    for (prefix, exponent) in PREFIXES {
        let Some(stem) = name.strip_prefix(prefix) else { continue };
        if let Some(symbol) = SYMBOLS.iter().find(|s| s.4 && s.0 == stem) {
            return Ok((symbol.1, symbol.2 + exponent, symbol.3));
        }
    }
    let mut nearest: Option<(usize, String)> = None;
    for symbol in SYMBOLS {
        let prefixes = [("", 0)].into_iter().chain(PREFIXES.iter().copied().filter(|_| symbol.4));
        for (prefix, _) in prefixes {
            let candidate = format!("{prefix}{}", symbol.0);
            let same_letters = candidate.to_lowercase() == name.to_lowercase();
            let distance = strsim::damerau_levenshtein(&candidate, name);
            // Units are short: one slip of the finger is near, and only in names that leave something to compare.
            if !same_letters && (distance > 1 || distance >= name.chars().count()) {
                continue;
            }
            let rank = 2 * distance - usize::from(same_letters);
            if nearest.as_ref().is_none_or(|n| rank < n.0) {
                nearest = Some((rank, candidate));
            }
        }
    }
    Err(UnitError::UnknownUnit { unit: name.to_string(), nearest: nearest.map(|n| n.1) })
}

fn parse_unit(text: &str) -> Result<Unit, UnitError> {
    let characters: Vec<char> = text.trim().chars().collect();
    let mut at = 0;
    let mut unit = Unit { dimension: Dimension::NUMBER, exponent: 0, factor: 1.0 };
    parse_product(&characters, &mut at, 1, &mut unit, text.trim())?;
    if at < characters.len() {
        return Err(UnitError::Malformed(text.trim().to_string()));
    }
    Ok(unit)
}

/// Reads factors up to the end or a closing bracket and multiplies them onto `unit`, all to the power `outer`.
fn parse_product(
    characters: &[char],
    at: &mut usize,
    outer: i32,
    unit: &mut Unit,
    text: &str,
) -> Result<(), UnitError> {
    let malformed = || UnitError::Malformed(text.to_string());
    let mut sign = 1;
    let mut operator_open = false;
    while let Some(&c) = characters.get(*at) {
        match c {
            c if c.is_whitespace() => *at += 1,
            '*' | '·' | '/' => {
                if operator_open || (c != '/' && *at == 0) {
                    return Err(malformed());
                }
                sign = if c == '/' { -1 } else { 1 };
                operator_open = true;
                *at += 1;
            }
            '(' => {
                *at += 1;
                let mut inner = Unit { dimension: Dimension::NUMBER, exponent: 0, factor: 1.0 };
                parse_product(characters, at, 1, &mut inner, text)?;
                if characters.get(*at) != Some(&')') {
                    return Err(malformed());
                }
                *at += 1;
                multiply(
                    unit,
                    (inner.dimension, inner.exponent, inner.factor),
                    outer * sign * read_power(characters, at),
                );
                (sign, operator_open) = (1, false);
            }
            ')' => break,
            '1' => {
                *at += 1;
                if characters.get(*at).is_some_and(|c| c.is_alphanumeric() || *c == '.') {
                    return Err(malformed());
                }
                (sign, operator_open) = (1, false);
            }
            c if c.is_alphabetic() || c == '°' || c == '%' => {
                let start = *at;
                while characters.get(*at).is_some_and(|c| c.is_alphabetic() || *c == '°' || *c == '%') {
                    *at += 1;
                }
                let name: String = characters[start..*at].iter().collect();
                let symbol = find_symbol(&name)?;
                multiply(unit, symbol, outer * sign * read_power(characters, at));
                (sign, operator_open) = (1, false);
            }
            _ => return Err(malformed()),
        }
    }
    if operator_open { Err(malformed()) } else { Ok(()) }
}

fn multiply(unit: &mut Unit, symbol: (Dimension, i32, f64), power: i32) {
    unit.dimension = unit.dimension.times(symbol.0, power);
    unit.exponent += power * symbol.1;
    if symbol.2 != 1.0 {
        unit.factor *= symbol.2.powi(power);
    }
}

/// Reads `2`, `-3`, `^2`, `^-3`, `²` or `³`; 1 where there is none. Powers are one digit.
fn read_power(characters: &[char], at: &mut usize) -> i32 {
    match characters.get(*at) {
        Some('²') => {
            *at += 1;
            return 2;
        }
        Some('³') => {
            *at += 1;
            return 3;
        }
        _ => {}
    }
    let mut look = *at;
    if characters.get(look) == Some(&'^') {
        look += 1;
    }
    let negative = characters.get(look) == Some(&'-');
    if negative {
        look += 1;
    }
    match characters.get(look).and_then(|c| c.to_digit(10)) {
        Some(digit) => {
            *at = look + 1;
            if negative { -(digit as i32) } else { digit as i32 }
        }
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    #[test]
    fn common_quantities_have_the_bits_of_their_si_literals() {
        for (text, dimension, value) in [
            ("5 mm", Dimension::LENGTH, 0.005),
            ("5mm", Dimension::LENGTH, 5e-3),
            ("0.3 um", Dimension::LENGTH, 0.3e-6),
            ("7 µm", Dimension::LENGTH, 7e-6),
            ("2500 kg/m3", Dimension::DENSITY, 2500.0),
            ("2.65 g/cm3", Dimension::DENSITY, 2650.0),
            ("1200 kg m-3", Dimension::DENSITY, 1200.0),
            ("1200 kg·m^-3", Dimension::DENSITY, 1200.0),
            ("70 GPa", Dimension::PRESSURE, 70e9),
            ("9.81 m/s2", Dimension::ACCELERATION, 9.81),
            ("9.81 m/s^2", Dimension::ACCELERATION, 9.81),
            ("9.81 m/s²", Dimension::ACCELERATION, 9.81),
            ("1e5 N/m", Dimension::STIFFNESS, 1e5),
            ("2 kN", Dimension::FORCE, 2000.0),
            ("50 Hz", Dimension::FREQUENCY, 50.0),
            ("50 1/s", Dimension::FREQUENCY, 50.0),
            ("10 us", Dimension::TIME, 1e-5),
            ("10µs", Dimension::TIME, 1e-5),
            ("2 min", Dimension::TIME, 120.0),
            ("3 1/s", Dimension::RATE, 3.0),
            ("3 /s", Dimension::RATE, 3.0),
            ("-4", Dimension::LENGTH, -4.0),
            ("50 %", Dimension::NUMBER, 0.5),
            ("3 N*s/m", Dimension::MASS_RATE, 3.0),
            ("2 m/(s N)", Dimension::MOBILITY, 2.0),
            ("2 m/s/N", Dimension::MOBILITY, 2.0),
            ("180 deg", Dimension::ANGLE, std::f64::consts::PI),
            ("60 rpm", Dimension::ANGULAR_VELOCITY, std::f64::consts::TAU),
            ("2 rad/s", Dimension::ANGULAR_VELOCITY, 2.0),
            ("2 1/s", Dimension::ANGULAR_VELOCITY, 2.0),
        ] {
            let read = parse_quantity(text, dimension).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(read.to_bits(), f64::to_bits(value), "{text}: {read:e} is not {value:e}");
        }
    }

    #[test]
    fn a_wrong_dimension_is_named() {
        let wrong = |text, wanted| parse_quantity(text, wanted).unwrap_err().to_string();
        assert_eq!(wrong("5 kg", Dimension::LENGTH), "\"5 kg\" is a mass");
        assert_eq!(wrong("5 m/s", Dimension::LENGTH), "\"5 m/s\" is a speed");
        assert_eq!(wrong("5 kg2 s", Dimension::LENGTH), "\"5 kg2 s\" is a quantity in kg2 s");
    }

    #[test]
    fn turns_and_cycles_are_not_mixed_up() {
        assert!(parse_quantity("3000 rpm", Dimension::FREQUENCY).is_err());
        assert!(parse_quantity("50 Hz", Dimension::ANGULAR_VELOCITY).is_err());
        assert!(parse_quantity("30 deg", Dimension::NUMBER).is_err());
    }

    #[test]
    fn what_is_not_a_quantity_is_refused() {
        for text in [
            "",
            "mm",
            "nan",
            "inf",
            "-inf m",
            "NaN m",
            "5 mm mm/",
            "5 *m",
            "5 m**s",
            "5 (m",
            "5 m)",
            "5 m 12s",
            "1e400 m",
            "5 mm!",
            "1e99999999999 m",
            ".",
            "-",
            "+ m",
            "e5",
        ] {
            assert!(parse_quantity(text, Dimension::LENGTH).is_err(), "{text:?} was read");
        }
    }

    #[test]
    fn an_unknown_unit_gets_a_suggestion() {
        assert_eq!(
            parse_quantity("5 Mpa", Dimension::PRESSURE).unwrap_err().to_string(),
            "unknown unit \"Mpa\"; did you mean \"MPa\"?"
        );
        assert_eq!(parse_quantity("5 zorkmid", Dimension::LENGTH).unwrap_err().to_string(), "unknown unit \"zorkmid\"");
    }

    #[test]
    fn three_numbers_share_a_unit() {
        assert_eq!(parse_vector("1 -2.5, 3e0 mm", Dimension::LENGTH), Ok([1e-3, -2.5e-3, 3e-3]));
        assert_eq!(parse_vector("0 0 -9.81", Dimension::ACCELERATION), Ok([0.0, 0.0, -9.81]));
        assert!(parse_vector("1 2 mm", Dimension::LENGTH).is_err());
        assert!(parse_vector("1 2 3 4 mm", Dimension::LENGTH).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_panics(text in "\\PC{0,24}") {
            let _ = parse_quantity(&text, Dimension::LENGTH);
            let _ = parse_vector(&text, Dimension::LENGTH);
        }

        #[test]
        fn a_written_number_comes_back(value in proptest::num::f64::NORMAL) {
            prop_assert_eq!(parse_quantity(&format!("{value:e} m"), Dimension::LENGTH), Ok(value));
            prop_assert_eq!(parse_quantity(&format!("{value}"), Dimension::LENGTH), Ok(value));
        }
    }
}
