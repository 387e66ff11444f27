//! Four lanes on every x86-64 processor, in two halves.
//!
//! Soundness: all intrinsics here are of SSE and SSE2, which are part of x86-64, and this file is compiled for nothing else.
//! Loads and stores go to whole rows.

use crate::operators::operators;
use crate::{Lanes, Row, Vector};
use std::arch::x86_64::*;
use std::array::from_fn;

/// Four lanes in two registers.
#[derive(Clone, Copy, Debug)]
pub struct Sse2Lanes(__m128d, __m128d);

/// A function of halves on both.
macro_rules! halves {
    ($function:ident, $a:expr) => {{
        let a = $a;
        // SAFETY: see the top of the file.
        unsafe { Sse2Lanes($function(a.0), $function(a.1)) }
    }};
    ($function:ident, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        // SAFETY: see the top of the file.
        unsafe { Sse2Lanes($function(a.0, b.0), $function(a.1, b.1)) }
    }};
}

impl Sse2Lanes {
    #[inline(always)]
    fn to_row(self) -> Row {
        let mut row = Row::ZERO;
        // SAFETY: a row has four numbers and is aligned to more than sixteen bytes.
        unsafe {
            _mm_store_pd(row.0.as_mut_ptr(), self.0);
            _mm_store_pd(row.0.as_mut_ptr().add(2), self.1);
        }
        row
    }

    #[inline(always)]
    fn from_row(row: &Row) -> Sse2Lanes {
        // SAFETY: as above.
        unsafe { Sse2Lanes(_mm_load_pd(row.0.as_ptr()), _mm_load_pd(row.0.as_ptr().add(2))) }
    }
}

/// Rows to columns or back.
#[inline(always)]
fn transpose([a, b, c, d]: [Sse2Lanes; 4]) -> [Sse2Lanes; 4] {
    // SAFETY: see the top of the file.
    unsafe {
        [
            Sse2Lanes(_mm_unpacklo_pd(a.0, b.0), _mm_unpacklo_pd(c.0, d.0)),
            Sse2Lanes(_mm_unpackhi_pd(a.0, b.0), _mm_unpackhi_pd(c.0, d.0)),
            Sse2Lanes(_mm_unpacklo_pd(a.1, b.1), _mm_unpacklo_pd(c.1, d.1)),
            Sse2Lanes(_mm_unpackhi_pd(a.1, b.1), _mm_unpackhi_pd(c.1, d.1)),
        ]
    }
}

operators!(
    Sse2Lanes, |a, b|
    zero: Sse2Lanes::splat(0.0),
    add: halves!(_mm_add_pd, a, b),
    subtract: halves!(_mm_sub_pd, a, b),
    multiply: halves!(_mm_mul_pd, a, b),
    divide: halves!(_mm_div_pd, a, b),
    negate: halves!(_mm_xor_pd, a, Sse2Lanes::splat(-0.0)),
);

impl Lanes for Sse2Lanes {
    type Mask = Sse2Lanes;
    const N: usize = 4;
    #[inline(always)]
    fn gather(of: impl FnMut(usize) -> f64) -> Sse2Lanes {
        let [a, b, c, d] = from_fn(of);
        // SAFETY: see the top of the file.
        unsafe { Sse2Lanes(_mm_setr_pd(a, b), _mm_setr_pd(c, d)) }
    }
    #[inline(always)]
    fn lane(self, place: usize) -> f64 {
        self.to_row().0[place]
    }
    #[inline(always)]
    fn gather_rows(of: impl FnMut(usize) -> Row) -> (Vector<Sse2Lanes>, Sse2Lanes) {
        let rows: [Row; 4] = from_fn(of);
        let [x, y, z, w] = transpose(rows.each_ref().map(Sse2Lanes::from_row));
        (Vector { x, y, z }, w)
    }
    #[inline(always)]
    fn scatter_rows(vector: Vector<Sse2Lanes>, number: Sse2Lanes, mut to: impl FnMut(usize, Row)) {
        for (place, row) in transpose([vector.x, vector.y, vector.z, number]).into_iter().enumerate() {
            to(place, row.to_row());
        }
    }
    #[inline(always)]
    fn load(numbers: &[f64; 4]) -> Sse2Lanes {
        // SAFETY: see the top of the file; there are four numbers, and any alignment serves.
        unsafe { Sse2Lanes(_mm_loadu_pd(numbers.as_ptr()), _mm_loadu_pd(numbers.as_ptr().add(2))) }
    }
    #[inline(always)]
    fn store(self, to: &mut [f64; 4]) {
        // SAFETY: see the top of the file; there are four numbers, and any alignment serves.
        unsafe {
            _mm_storeu_pd(to.as_mut_ptr(), self.0);
            _mm_storeu_pd(to.as_mut_ptr().add(2), self.1);
        }
    }
    #[inline(always)]
    fn splat(value: f64) -> Sse2Lanes {
        // SAFETY: see the top of the file.
        unsafe { Sse2Lanes(_mm_set1_pd(value), _mm_set1_pd(value)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Sse2Lanes {
        halves!(_mm_sqrt_pd, self)
    }
    #[inline(always)]
    fn max(self, other: Sse2Lanes) -> Sse2Lanes {
        halves!(_mm_max_pd, self, other)
    }
    #[inline(always)]
    fn min(self, other: Sse2Lanes) -> Sse2Lanes {
        halves!(_mm_min_pd, self, other)
    }
    #[inline(always)]
    fn greater(self, other: Sse2Lanes) -> Sse2Lanes {
        halves!(_mm_cmpgt_pd, self, other)
    }
    #[inline(always)]
    fn at_least(self, other: Sse2Lanes) -> Sse2Lanes {
        halves!(_mm_cmpge_pd, self, other)
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        let [a, b, c, d] = self.to_row().0;
        (a + c) + (b + d)
    }
    #[inline(always)]
    fn bits(mask: Sse2Lanes) -> u32 {
        // SAFETY: see the top of the file.
        unsafe { (_mm_movemask_pd(mask.0) | _mm_movemask_pd(mask.1) << 2) as u32 }
    }
    #[inline(always)]
    fn any(mask: Sse2Lanes) -> bool {
        // SAFETY: see the top of the file.
        unsafe { _mm_movemask_pd(_mm_or_pd(mask.0, mask.1)) != 0 }
    }
    #[inline(always)]
    fn not(mask: Sse2Lanes) -> Sse2Lanes {
        halves!(_mm_andnot_pd, mask, Sse2Lanes::splat(f64::from_bits(u64::MAX)))
    }
    #[inline(always)]
    fn both(one: Sse2Lanes, other: Sse2Lanes) -> Sse2Lanes {
        halves!(_mm_and_pd, one, other)
    }
    #[inline(always)]
    fn either(one: Sse2Lanes, other: Sse2Lanes) -> Sse2Lanes {
        halves!(_mm_or_pd, one, other)
    }
    #[inline(always)]
    fn select(mask: Sse2Lanes, yes: Sse2Lanes, no: Sse2Lanes) -> Sse2Lanes {
        Sse2Lanes::either(yes.only(mask), no.except(mask))
    }
    #[inline(always)]
    fn only(self, mask: Sse2Lanes) -> Sse2Lanes {
        halves!(_mm_and_pd, mask, self)
    }
    #[inline(always)]
    fn except(self, mask: Sse2Lanes) -> Sse2Lanes {
        halves!(_mm_andnot_pd, mask, self)
    }
}
