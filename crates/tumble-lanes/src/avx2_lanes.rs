//! Four lanes in one register of a processor with AVX2.
//!
//! Soundness: nobody outside this crate can name [`Avx2Lanes`], and within it the type is named by nothing but
//! [`with_avx2`], which hands it to a kernel. So code that makes or uses lanes of this type, wherever the kernel may take it,
//! has come from a call of `with_avx2`, and that is unsafe: it must not be called unless the processor has AVX2. All
//! intrinsics here are of AVX, SSE2 and SSE, which AVX2 includes. Loads and stores go to whole rows.

use crate::operators::operators;
use crate::{Kernel, Lanes, Row, Vector};
use std::arch::x86_64::*;
use std::array::from_fn;

/// Four lanes in one register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2Lanes(__m256d);

/// Runs a kernel in a function that is compiled for AVX2, without FMA, into which all of it is inlined.
#[target_feature(enable = "avx2")]
pub(crate) fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2Lanes>()
}

/// A function of registers on lanes.
macro_rules! lanes {
    ($function:ident, $($lanes:expr),+) => {
        // SAFETY: see the top of the file.
        unsafe { Avx2Lanes($function($($lanes.0),+)) }
    };
}

impl Avx2Lanes {
    #[inline(always)]
    fn to_row(self) -> Row {
        let mut row = Row::ZERO;
        // SAFETY: a row has four numbers and is aligned to 32 bytes.
        unsafe { _mm256_store_pd(row.0.as_mut_ptr(), self.0) };
        row
    }
}

operators!(
    Avx2Lanes, |a, b|
    zero: Avx2Lanes::splat(0.0),
    add: lanes!(_mm256_add_pd, a, b),
    subtract: lanes!(_mm256_sub_pd, a, b),
    multiply: lanes!(_mm256_mul_pd, a, b),
    divide: lanes!(_mm256_div_pd, a, b),
    negate: lanes!(_mm256_xor_pd, a, Avx2Lanes::splat(-0.0)),
);

impl Lanes for Avx2Lanes {
    type Mask = Avx2Lanes;
    const N: usize = 4;
    #[inline(always)]
    fn gather(of: impl FnMut(usize) -> f64) -> Avx2Lanes {
        let [a, b, c, d] = from_fn(of);
        // SAFETY: see the top of the file.
        unsafe { Avx2Lanes(_mm256_setr_pd(a, b, c, d)) }
    }
    #[inline(always)]
    fn lane(self, place: usize) -> f64 {
        self.to_row().0[place]
    }
    #[inline(always)]
    fn gather_rows(of: impl FnMut(usize) -> Row) -> (Vector<Avx2Lanes>, Avx2Lanes) {
        let rows: [Row; 4] = from_fn(of);
        let [a, b, c, d] = rows.each_ref().map(|row| row.0.as_ptr());
        // SAFETY: see the top of the file; a row has two numbers from its start and two from its third.
        unsafe {
            // Halves of rows go together as they are loaded; that leaves four shuffles.
            let ac = _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_load_pd(a)), _mm_load_pd(c));
            let bd = _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_load_pd(b)), _mm_load_pd(d));
            let (x, y) = (_mm256_unpacklo_pd(ac, bd), _mm256_unpackhi_pd(ac, bd));
            let (a, b, c, d) = (a.add(2), b.add(2), c.add(2), d.add(2));
            let ac = _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_load_pd(a)), _mm_load_pd(c));
            let bd = _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(_mm_load_pd(b)), _mm_load_pd(d));
            let (z, w) = (_mm256_unpacklo_pd(ac, bd), _mm256_unpackhi_pd(ac, bd));
            (Vector { x: Avx2Lanes(x), y: Avx2Lanes(y), z: Avx2Lanes(z) }, Avx2Lanes(w))
        }
    }
    #[inline(always)]
    fn scatter_rows(vector: Vector<Avx2Lanes>, number: Avx2Lanes, mut to: impl FnMut(usize, Row)) {
        let (x, y, z, w) = (vector.x.0, vector.y.0, vector.z.0, number.0);
        // SAFETY: see the top of the file.
        let rows = unsafe {
            let (xy_ac, xy_bd) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y));
            let (zw_ac, zw_bd) = (_mm256_unpacklo_pd(z, w), _mm256_unpackhi_pd(z, w));
            [
                _mm256_permute2f128_pd::<0x20>(xy_ac, zw_ac),
                _mm256_permute2f128_pd::<0x20>(xy_bd, zw_bd),
                _mm256_permute2f128_pd::<0x31>(xy_ac, zw_ac),
                _mm256_permute2f128_pd::<0x31>(xy_bd, zw_bd),
            ]
        };
        // In a loop, so that what is done with a row is written once and inlined.
        for (place, row) in rows.into_iter().enumerate() {
            to(place, Avx2Lanes(row).to_row());
        }
    }
    #[inline(always)]
    fn load(numbers: &[f64; 4]) -> Avx2Lanes {
        // SAFETY: see the top of the file; there are four numbers, and any alignment serves.
        unsafe { Avx2Lanes(_mm256_loadu_pd(numbers.as_ptr())) }
    }
    #[inline(always)]
    fn store(self, to: &mut [f64; 4]) {
        // SAFETY: see the top of the file; there are four numbers, and any alignment serves.
        unsafe { _mm256_storeu_pd(to.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn splat(value: f64) -> Avx2Lanes {
        // SAFETY: see the top of the file.
        unsafe { Avx2Lanes(_mm256_set1_pd(value)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Avx2Lanes {
        lanes!(_mm256_sqrt_pd, self)
    }
    #[inline(always)]
    fn max(self, other: Avx2Lanes) -> Avx2Lanes {
        lanes!(_mm256_max_pd, self, other)
    }
    #[inline(always)]
    fn min(self, other: Avx2Lanes) -> Avx2Lanes {
        lanes!(_mm256_min_pd, self, other)
    }
    #[inline(always)]
    fn greater(self, other: Avx2Lanes) -> Avx2Lanes {
        // SAFETY: see the top of the file.
        unsafe { Avx2Lanes(_mm256_cmp_pd::<_CMP_GT_OQ>(self.0, other.0)) }
    }
    #[inline(always)]
    fn at_least(self, other: Avx2Lanes) -> Avx2Lanes {
        // SAFETY: see the top of the file.
        unsafe { Avx2Lanes(_mm256_cmp_pd::<_CMP_GE_OQ>(self.0, other.0)) }
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        let [a, b, c, d] = self.to_row().0;
        (a + c) + (b + d)
    }
    #[inline(always)]
    fn bits(mask: Avx2Lanes) -> u32 {
        // SAFETY: see the top of the file.
        unsafe { _mm256_movemask_pd(mask.0) as u32 }
    }
    #[inline(always)]
    fn not(mask: Avx2Lanes) -> Avx2Lanes {
        lanes!(_mm256_xor_pd, mask, Avx2Lanes::splat(f64::from_bits(u64::MAX)))
    }
    #[inline(always)]
    fn both(one: Avx2Lanes, other: Avx2Lanes) -> Avx2Lanes {
        lanes!(_mm256_and_pd, one, other)
    }
    #[inline(always)]
    fn either(one: Avx2Lanes, other: Avx2Lanes) -> Avx2Lanes {
        lanes!(_mm256_or_pd, one, other)
    }
    #[inline(always)]
    fn select(mask: Avx2Lanes, yes: Avx2Lanes, no: Avx2Lanes) -> Avx2Lanes {
        lanes!(_mm256_blendv_pd, no, yes, mask)
    }
    #[inline(always)]
    fn only(self, mask: Avx2Lanes) -> Avx2Lanes {
        lanes!(_mm256_and_pd, mask, self)
    }
    #[inline(always)]
    fn except(self, mask: Avx2Lanes) -> Avx2Lanes {
        lanes!(_mm256_andnot_pd, mask, self)
    }
}
