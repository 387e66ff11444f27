//! Vectors in lanes.

use crate::{Lanes, Row};
use glam::DVec3;
use std::ops::{Add, Mul, Neg, Sub};

/// A vector for each lane.
#[derive(Clone, Copy, Debug)]
pub struct Vector<L> {
    /// First component.
    pub x: L,
    /// Second component.
    pub y: L,
    /// Third component.
    pub z: L,
}

impl<L: Default> Default for Vector<L> {
    #[inline(always)]
    fn default() -> Vector<L> {
        Vector { x: L::default(), y: L::default(), z: L::default() }
    }
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

    /// A vector for each lane from three columns.
    #[inline(always)]
    pub fn load(columns: &[[f64; 4]]) -> Vector<L> {
        Vector { x: L::load(&columns[0]), y: L::load(&columns[1]), z: L::load(&columns[2]) }
    }

    /// The vectors of the lanes into three columns.
    #[inline(always)]
    pub fn store(self, columns: &mut [[f64; 4]]) {
        self.x.store(&mut columns[0]);
        self.y.store(&mut columns[1]);
        self.z.store(&mut columns[2]);
    }

    /// The vector in a lane.
    #[inline(always)]
    pub fn lane(self, place: usize) -> DVec3 {
        DVec3::new(self.x.lane(place), self.y.lane(place), self.z.lane(place))
    }

    /// Vectors, each followed by a further number, to one vector and one number for each lane. With one lane, that is the
    /// first.
    #[inline(always)]
    pub fn pack(rows: [Row; 4]) -> (Vector<L>, L) {
        L::gather_rows(|place| rows[place])
    }

    /// The vectors of the lanes, each followed by a number; rows beyond the lanes that there are hold zeros.
    #[inline(always)]
    pub fn unpack_with(self, number: L) -> [Row; 4] {
        let mut rows = [Row::ZERO; 4];
        L::scatter_rows(self, number, |place, row| rows[place] = row);
        rows
    }

    /// The vectors of the lanes, each in a row whose last number has no meaning.
    #[inline(always)]
    pub fn unpack(self) -> [Row; 4] {
        self.unpack_with(self.z)
    }
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
