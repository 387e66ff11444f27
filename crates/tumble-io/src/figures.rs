//! Numbers in messages, as people read them.

/// A count with its thousands apart: 12,345.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and what is counted: `1 grain`, `2 grains`.
pub fn counted(n: u64, what: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{} {what}{ending}", count(n))
}

/// A number with four significant digits, with an exponent where it is very large or small.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    if !(1e-3..1e6).contains(&size) {
        return format!("{x:.3e}");
    }
    let decimals = (3 - size.log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(counted(1, "wall"), "1 wall");
        assert_eq!(counted(2000, "grain"), "2,000 grains");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(12.0), "12");
        assert_eq!(number(0.123_456), "0.1235");
        assert_eq!(number(123_456.7), "123457");
        assert_eq!(number(-1.5e-7), "-1.500e-7");
        assert_eq!(number(f64::NAN), "NaN");
    }
}
