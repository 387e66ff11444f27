//! How what has lanes is kept in memory: rows of four numbers, a vector and one more.

use glam::DVec3;
use std::ops::{Add, AddAssign, Neg, Sub};

/// Four numbers side by side in memory: a vector and a further number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Row(pub [f64; 4]);

impl Row {
    /// Four zeros.
    pub const ZERO: Row = Row([0.0; 4]);

    /// Four numbers.
    #[inline(always)]
    pub const fn new(numbers: [f64; 4]) -> Row {
        Row(numbers)
    }

    /// The four numbers.
    #[inline(always)]
    pub const fn to_array(self) -> [f64; 4] {
        self.0
    }
}

/// A vector in a row whose last number has no meaning.
#[inline(always)]
pub fn vector_row(v: DVec3) -> Row {
    // Not zero: clearing half a register compiles to an instruction that Valgrind 3.19 does not know.
    row(v, v.z)
}

/// A vector followed by a number.
#[inline(always)]
pub fn row(v: DVec3, w: f64) -> Row {
    Row([v.x, v.y, v.z, w])
}

/// The vector at the head of a row.
#[inline(always)]
pub fn head(row: Row) -> DVec3 {
    let [x, y, z, _] = row.0;
    DVec3::new(x, y, z)
}

/// The number at the end of a row.
#[inline(always)]
pub fn tail(row: Row) -> f64 {
    row.0[3]
}

impl Add for Row {
    type Output = Row;
    #[inline(always)]
    fn add(self, other: Row) -> Row {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Row([a + e, b + f, c + g, d + h])
    }
}

impl Sub for Row {
    type Output = Row;
    #[inline(always)]
    fn sub(self, other: Row) -> Row {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Row([a - e, b - f, c - g, d - h])
    }
}

impl Neg for Row {
    type Output = Row;
    #[inline(always)]
    fn neg(self) -> Row {
        let [a, b, c, d] = self.0;
        Row([-a, -b, -c, -d])
    }
}

impl AddAssign for Row {
    #[inline(always)]
    fn add_assign(&mut self, other: Row) {
        *self = *self + other;
    }
}
