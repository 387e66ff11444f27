//! What can be done with numbers in lanes; and one lane, a plain number.

use crate::{Row, Vector, head, row, tail};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// One number for each lane.
pub trait Lanes:
    Copy
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
{
    /// One truth value for each lane.
    type Mask: Copy;
    /// How many lanes there are: one or four.
    const N: usize;
    /// A number for each lane, by its place.
    fn gather(of: impl FnMut(usize) -> f64) -> Self;
    /// The number in a lane.
    fn lane(self, place: usize) -> f64;
    /// A vector and a further number for each lane, from rows.
    fn gather_rows(of: impl FnMut(usize) -> Row) -> (Vector<Self>, Self);
    /// A vector and a further number for each lane, into rows.
    fn scatter_rows(vector: Vector<Self>, number: Self, to: impl FnMut(usize, Row));
    /// A number for each lane, side by side.
    fn load(numbers: &[f64; 4]) -> Self;
    /// The numbers of the lanes, side by side; what is beyond the lanes that there are stays as it is.
    fn store(self, to: &mut [f64; 4]);
    /// The same number in every lane.
    fn splat(value: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// The larger; the other one if this is not a number, if the other is not, or if they are equal.
    fn max(self, other: Self) -> Self;
    /// The smaller; the other one if this is not a number, if the other is not, or if they are equal.
    fn min(self, other: Self) -> Self;
    /// Where this is greater than the other.
    fn greater(self, other: Self) -> Self::Mask;
    /// Where this is the other or greater.
    fn at_least(self, other: Self) -> Self::Mask;
    /// All lanes together: (first + third) + (second + fourth).
    fn sum(self) -> f64;
    /// A mask as bits, the first lane the lowest.
    fn bits(mask: Self::Mask) -> u32;
    /// Whether the mask is true in any lane.
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        Self::bits(mask) != 0
    }
    /// Whether the mask is true in a lane.
    #[inline(always)]
    fn holds(mask: Self::Mask, place: usize) -> bool {
        Self::bits(mask) & (1 << place) != 0
    }
    /// Where it is false.
    fn not(mask: Self::Mask) -> Self::Mask;
    /// Where both are true.
    fn both(one: Self::Mask, other: Self::Mask) -> Self::Mask;
    /// Where one or both are true.
    fn either(one: Self::Mask, other: Self::Mask) -> Self::Mask;
    /// `yes` where the mask is true, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// This where the mask is true, zero elsewhere.
    fn only(self, mask: Self::Mask) -> Self;
    /// Zero where the mask is true, this elsewhere.
    fn except(self, mask: Self::Mask) -> Self;
}

impl Lanes for f64 {
    type Mask = bool;
    const N: usize = 1;
    #[inline(always)]
    fn gather(mut of: impl FnMut(usize) -> f64) -> f64 {
        of(0)
    }
    #[inline(always)]
    fn lane(self, _: usize) -> f64 {
        self
    }
    #[inline(always)]
    fn gather_rows(mut of: impl FnMut(usize) -> Row) -> (Vector<f64>, f64) {
        let row = of(0);
        (head(row).into(), tail(row))
    }
    #[inline(always)]
    fn scatter_rows(vector: Vector<f64>, number: f64, mut to: impl FnMut(usize, Row)) {
        to(0, row(vector.into(), number));
    }
    #[inline(always)]
    fn load(numbers: &[f64; 4]) -> f64 {
        numbers[0]
    }
    #[inline(always)]
    fn store(self, to: &mut [f64; 4]) {
        to[0] = self;
    }
    #[inline(always)]
    fn splat(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn max(self, other: f64) -> f64 {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn min(self, other: f64) -> f64 {
        if self < other { self } else { other }
    }
    #[inline(always)]
    fn greater(self, other: f64) -> bool {
        self > other
    }
    #[inline(always)]
    fn at_least(self, other: f64) -> bool {
        self >= other
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        self
    }
    #[inline(always)]
    fn bits(mask: bool) -> u32 {
        u32::from(mask)
    }
    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
    #[inline(always)]
    fn holds(mask: bool, _: usize) -> bool {
        mask
    }
    #[inline(always)]
    fn not(mask: bool) -> bool {
        !mask
    }
    #[inline(always)]
    fn both(one: bool, other: bool) -> bool {
        one & other
    }
    #[inline(always)]
    fn either(one: bool, other: bool) -> bool {
        one | other
    }
    #[inline(always)]
    fn select(mask: bool, yes: f64, no: f64) -> f64 {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn only(self, mask: bool) -> f64 {
        if mask { self } else { 0.0 }
    }
    #[inline(always)]
    fn except(self, mask: bool) -> f64 {
        if mask { 0.0 } else { self }
    }
}
