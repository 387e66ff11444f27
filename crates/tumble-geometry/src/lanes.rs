//! Numbers in lanes: what is done to every contact is written once and runs on one (`f64`) or on four at a time (`f64x4`).
//!
//! Every operation here is exact or correctly rounded lane by lane, so both give the same bits.

use glam::DVec3;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};
use wide::f64x4;

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
    /// How many lanes there are.
    const N: usize;
    /// A number for each lane, by its place.
    fn gather(of: impl FnMut(usize) -> f64) -> Self;
    /// The number in a lane.
    fn lane(self, place: usize) -> f64;
    /// A vector and a further number for each lane, from rows.
    fn gather_rows(of: impl FnMut(usize) -> f64x4) -> (Vector<Self>, Self);
    /// A vector and a further number for each lane, into rows.
    fn scatter_rows(vector: Vector<Self>, number: Self, to: impl FnMut(usize, f64x4));
    /// The same number in every lane.
    fn splat(value: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// The larger; the other one if this is not a number.
    fn max(self, other: Self) -> Self;
    /// The smaller; the other one if this is not a number.
    fn min(self, other: Self) -> Self;
    /// Where this is greater than the other.
    fn greater(self, other: Self) -> Self::Mask;
    /// All lanes together.
    fn sum(self) -> f64;
    /// Whether the mask is true in any lane.
    fn any(mask: Self::Mask) -> bool;
    /// Whether the mask is true in a lane.
    fn holds(mask: Self::Mask, place: usize) -> bool;
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
    fn gather_rows(mut of: impl FnMut(usize) -> f64x4) -> (Vector<f64>, f64) {
        let row = of(0);
        (head(row).into(), tail(row))
    }
    #[inline(always)]
    fn scatter_rows(vector: Vector<f64>, number: f64, mut to: impl FnMut(usize, f64x4)) {
        to(0, row(vector.into(), number));
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        self
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
    fn any(mask: bool) -> bool {
        mask
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

impl Lanes for f64x4 {
    type Mask = f64x4;
    const N: usize = 4;
    #[inline(always)]
    fn gather(of: impl FnMut(usize) -> f64) -> f64x4 {
        f64x4::new(std::array::from_fn(of))
    }
    #[inline(always)]
    fn lane(self, place: usize) -> f64 {
        self.to_array()[place]
    }
    #[inline(always)]
    fn gather_rows(of: impl FnMut(usize) -> f64x4) -> (Vector<f64x4>, f64x4) {
        Vector::pack(std::array::from_fn(of))
    }
    #[inline(always)]
    fn scatter_rows(vector: Vector<f64x4>, number: f64x4, mut to: impl FnMut(usize, f64x4)) {
        for (place, row) in vector.unpack_with(number).into_iter().enumerate() {
            to(place, row);
        }
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        self.reduce_add()
    }
    #[inline(always)]
    fn holds(mask: f64x4, place: usize) -> bool {
        mask.to_bitmask() & (1 << place) != 0
    }
    #[inline(always)]
    fn not(mask: f64x4) -> f64x4 {
        !mask
    }
    #[inline(always)]
    fn both(one: f64x4, other: f64x4) -> f64x4 {
        one & other
    }
    #[inline(always)]
    fn either(one: f64x4, other: f64x4) -> f64x4 {
        one | other
    }
    #[inline(always)]
    fn splat(value: f64) -> f64x4 {
        f64x4::splat(value)
    }
    #[inline(always)]
    fn sqrt(self) -> f64x4 {
        f64x4::sqrt(self)
    }
    #[inline(always)]
    fn max(self, other: f64x4) -> f64x4 {
        self.fast_max(other)
    }
    #[inline(always)]
    fn min(self, other: f64x4) -> f64x4 {
        self.fast_min(other)
    }
    #[inline(always)]
    fn greater(self, other: f64x4) -> f64x4 {
        self.simd_gt(other)
    }
    #[inline(always)]
    fn any(mask: f64x4) -> bool {
        mask.any()
    }
    #[inline(always)]
    fn select(mask: f64x4, yes: f64x4, no: f64x4) -> f64x4 {
        mask.bitselect(yes, no)
    }
    #[inline(always)]
    fn only(self, mask: f64x4) -> f64x4 {
        self & mask
    }
    #[inline(always)]
    fn except(self, mask: f64x4) -> f64x4 {
        self & !mask
    }
}

/// A vector for each lane.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vector<L> {
    /// First component.
    pub x: L,
    /// Second component.
    pub y: L,
    /// Third component.
    pub z: L,
}

impl<L: Lanes> Vector<L> {
    /// The same vector in every lane.
    #[inline(always)]
    pub fn splat(v: DVec3) -> Vector<L> {
        Vector { x: L::splat(v.x), y: L::splat(v.y), z: L::splat(v.z) }
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, other: Vector<L>) -> L {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// `yes` where the mask is true, `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Vector<L>, no: Vector<L>) -> Vector<L> {
        Vector { x: L::select(mask, yes.x, no.x), y: L::select(mask, yes.y, no.y), z: L::select(mask, yes.z, no.z) }
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, other: Vector<L>) -> Vector<L> {
        Vector {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

impl Vector<f64x4> {
    /// Four vectors, each followed by a further number, to one vector and one number for each lane.
    #[inline(always)]
    pub fn pack(rows: [f64x4; 4]) -> (Vector<f64x4>, f64x4) {
        let [x, y, z, w] = f64x4::transpose(rows);
        (Vector { x, y, z }, w)
    }

    /// The vectors of the four lanes, each followed by a number.
    #[inline(always)]
    pub fn unpack_with(self, w: f64x4) -> [f64x4; 4] {
        f64x4::transpose([self.x, self.y, self.z, w])
    }

    /// The vectors of the four lanes, each in a row whose last number has no meaning.
    #[inline(always)]
    pub fn unpack(self) -> [f64x4; 4] {
        self.unpack_with(self.z)
    }
}

/// A vector in a row whose last number has no meaning.
#[inline(always)]
pub fn vector_row(v: DVec3) -> f64x4 {
    // Not zero: clearing half a register compiles to an instruction that Valgrind 3.19 does not know.
    row(v, v.z)
}

/// A vector followed by a number.
#[inline(always)]
pub fn row(v: DVec3, w: f64) -> f64x4 {
    f64x4::new([v.x, v.y, v.z, w])
}

/// The vector at the head of a row.
#[inline(always)]
pub fn head(row: f64x4) -> DVec3 {
    let [x, y, z, _] = row.to_array();
    DVec3::new(x, y, z)
}

/// The number at the end of a row.
#[inline(always)]
pub fn tail(row: f64x4) -> f64 {
    row.to_array()[3]
}

impl From<DVec3> for Vector<f64> {
    #[inline(always)]
    fn from(v: DVec3) -> Vector<f64> {
        Vector { x: v.x, y: v.y, z: v.z }
    }
}

impl From<Vector<f64>> for DVec3 {
    #[inline(always)]
    fn from(v: Vector<f64>) -> DVec3 {
        DVec3::new(v.x, v.y, v.z)
    }
}

impl<L: Lanes> Add for Vector<L> {
    type Output = Vector<L>;
    #[inline(always)]
    fn add(self, other: Vector<L>) -> Vector<L> {
        Vector { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<L: Lanes> Sub for Vector<L> {
    type Output = Vector<L>;
    #[inline(always)]
    fn sub(self, other: Vector<L>) -> Vector<L> {
        Vector { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<L: Lanes> Neg for Vector<L> {
    type Output = Vector<L>;
    #[inline(always)]
    fn neg(self) -> Vector<L> {
        Vector { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<L: Lanes> Mul<L> for Vector<L> {
    type Output = Vector<L>;
    #[inline(always)]
    fn mul(self, factor: L) -> Vector<L> {
        Vector { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}
