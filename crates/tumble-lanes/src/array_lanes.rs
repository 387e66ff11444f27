//! Four lanes on any processor, as well as the compiler does it.

use crate::operators::operators;
use crate::{Lanes, Row, Vector};
use std::array::from_fn;

/// Four lanes in an array.
#[derive(Clone, Copy, Debug)]
pub struct ArrayLanes([f64; 4]);

impl ArrayLanes {
    #[inline(always)]
    fn with(self, other: ArrayLanes, of: impl Fn(f64, f64) -> f64) -> ArrayLanes {
        ArrayLanes(from_fn(|k| of(self.0[k], other.0[k])))
    }
}

operators!(
    ArrayLanes, |a, b|
    zero: ArrayLanes([0.0; 4]),
    add: a.with(b, |a, b| a + b),
    subtract: a.with(b, |a, b| a - b),
    multiply: a.with(b, |a, b| a * b),
    divide: a.with(b, |a, b| a / b),
    negate: ArrayLanes(a.0.map(|a| -a)),
);

impl Lanes for ArrayLanes {
    type Mask = [bool; 4];
    const N: usize = 4;
    #[inline(always)]
    fn gather(of: impl FnMut(usize) -> f64) -> ArrayLanes {
        ArrayLanes(from_fn(of))
    }
    #[inline(always)]
    fn lane(self, place: usize) -> f64 {
        self.0[place]
    }
    #[inline(always)]
    fn gather_rows(of: impl FnMut(usize) -> Row) -> (Vector<ArrayLanes>, ArrayLanes) {
        let rows: [Row; 4] = from_fn(of);
        let [x, y, z, w] = from_fn(|column| ArrayLanes(from_fn(|k| rows[k].0[column])));
        (Vector { x, y, z }, w)
    }
    #[inline(always)]
    fn scatter_rows(vector: Vector<ArrayLanes>, number: ArrayLanes, mut to: impl FnMut(usize, Row)) {
        for k in 0..4 {
            to(k, Row([vector.x.0[k], vector.y.0[k], vector.z.0[k], number.0[k]]));
        }
    }
    #[inline(always)]
    fn load(numbers: &[f64; 4]) -> ArrayLanes {
        ArrayLanes(*numbers)
    }
    #[inline(always)]
    fn store(self, to: &mut [f64; 4]) {
        *to = self.0;
    }
    #[inline(always)]
    fn splat(value: f64) -> ArrayLanes {
        ArrayLanes([value; 4])
    }
    #[inline(always)]
    fn sqrt(self) -> ArrayLanes {
        ArrayLanes(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn max(self, other: ArrayLanes) -> ArrayLanes {
        self.with(other, <f64 as Lanes>::max)
    }
    #[inline(always)]
    fn min(self, other: ArrayLanes) -> ArrayLanes {
        self.with(other, <f64 as Lanes>::min)
    }
    #[inline(always)]
    fn greater(self, other: ArrayLanes) -> [bool; 4] {
        from_fn(|k| self.0[k] > other.0[k])
    }
    #[inline(always)]
    fn at_least(self, other: ArrayLanes) -> [bool; 4] {
        from_fn(|k| self.0[k] >= other.0[k])
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        (self.0[0] + self.0[2]) + (self.0[1] + self.0[3])
    }
    #[inline(always)]
    fn bits(mask: [bool; 4]) -> u32 {
        let [a, b, c, d] = mask.map(u32::from);
        a | b << 1 | c << 2 | d << 3
    }
    #[inline(always)]
    fn not(mask: [bool; 4]) -> [bool; 4] {
        mask.map(|mask| !mask)
    }
    #[inline(always)]
    fn both(one: [bool; 4], other: [bool; 4]) -> [bool; 4] {
        from_fn(|k| one[k] & other[k])
    }
    #[inline(always)]
    fn either(one: [bool; 4], other: [bool; 4]) -> [bool; 4] {
        from_fn(|k| one[k] | other[k])
    }
    #[inline(always)]
    fn select(mask: [bool; 4], yes: ArrayLanes, no: ArrayLanes) -> ArrayLanes {
        ArrayLanes(from_fn(|k| if mask[k] { yes.0[k] } else { no.0[k] }))
    }
    #[inline(always)]
    fn only(self, mask: [bool; 4]) -> ArrayLanes {
        ArrayLanes::select(mask, self, ArrayLanes::default())
    }
    #[inline(always)]
    fn except(self, mask: [bool; 4]) -> ArrayLanes {
        ArrayLanes::select(mask, ArrayLanes::default(), self)
    }
}
