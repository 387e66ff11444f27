//! Every way to have four lanes gives, lane by lane, the bits of one.

use super::array_lanes::ArrayLanes;
use super::*;
use glam::DVec3;

/// Where rounding, signs and what is not a number go wrong, if anywhere.
const SPECIAL: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    f64::MAX,
    f64::MIN,
    f64::EPSILON,
    1.0 + f64::EPSILON,
    1.0 / 3.0,
];

/// The generator xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number of the kind that contacts have, any number at all, or a special one.
    fn number(&mut self) -> f64 {
        match self.next() % 4 {
            0 => SPECIAL[(self.next() % 16) as usize],
            1 => f64::from_bits(self.next()),
            _ => (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 2.0,
        }
    }
}

/// Two numbers for each lane, and a truth value.
type Case = [(f64, f64, bool); 4];

/// Every pair of special numbers, and many others.
fn cases() -> Vec<Case> {
    let mut random = Random(20_261_117);
    let mut pairs: Vec<(f64, f64)> = SPECIAL.iter().flat_map(|&a| SPECIAL.map(|b| (a, b))).collect();
    pairs.extend((0..20_000).map(|_| (random.number(), random.number())));
    pairs.as_chunks::<4>().0.iter().map(|four| four.map(|(a, b)| (a, b, random.next().is_multiple_of(2)))).collect()
}

/// The bits of a number. Which of the numbers that are not a number an operation gives is not said.
fn bits(number: f64) -> u64 {
    if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() }
}

/// What every operation gives in each lane, in a fixed order.
struct EveryOperation<'a> {
    cases: &'a [Case],
}

impl Kernel for EveryOperation<'_> {
    type Output = Vec<[Vec<u64>; 4]>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<[Vec<u64>; 4]> {
        let mut all = Vec::new();
        for case in self.cases {
            let mut found: [Vec<u64>; 4] = Default::default();
            // One lane goes through the places, four take them at once.
            for first in (0..4).step_by(L::N) {
                let (numbers, truths) = operations::<L>(|k| case[first + k]);
                for k in 0..L::N {
                    found[first + k].extend(numbers.iter().map(|x| bits(x.lane(k))));
                    found[first + k].extend(truths.iter().map(|&mask| u64::from(L::holds(mask, k))));
                    found[first + k].extend(truths.iter().map(|&mask| u64::from(L::bits(mask) >> k & 1)));
                }
                for &mask in &truths {
                    assert_eq!(L::any(mask), (0..L::N).any(|k| L::holds(mask, k)));
                    assert!(L::bits(mask) < 1 << L::N);
                }
            }
            all.push(found);
        }
        all
    }
}

#[inline(always)]
fn operations<L: Lanes>(of: impl Fn(usize) -> (f64, f64, bool)) -> (Vec<L>, Vec<L::Mask>) {
    let (a, b) = (L::gather(|k| of(k).0), L::gather(|k| of(k).1));
    let mask = L::gather(|k| f64::from(u8::from(of(k).2))).greater(L::splat(0.5));
    let mut added = a;
    added += b;
    let numbers = vec![
        a,
        b,
        a + b,
        a - b,
        a * b,
        a / b,
        -a,
        added,
        L::default(),
        L::splat(0.1),
        a.sqrt(),
        a.max(b),
        a.min(b),
        L::select(mask, a, b),
        a.only(mask),
        a.except(mask),
    ];
    let (greater, at_least) = (a.greater(b), a.at_least(b));
    let truths = vec![
        mask,
        greater,
        at_least,
        L::not(greater),
        L::both(mask, greater),
        L::either(mask, greater),
        L::both(mask, L::not(at_least)),
    ];
    (numbers, truths)
}

#[test]
fn every_operation_of_four_lanes_gives_the_bits_of_one() {
    let cases = cases();
    let one = EveryOperation { cases: &cases }.run::<f64>();
    assert!(one.len() > 5000 && one.iter().flatten().all(|numbers| numbers.len() == 30));
    assert_eq!(EveryOperation { cases: &cases }.run::<ArrayLanes>(), one, "in an array");
    assert_eq!(EveryOperation { cases: &cases }.run::<Portable4>(), one, "portable");
    assert_eq!(Instructions::PORTABLE.run(EveryOperation { cases: &cases }), one, "asked for as portable");
    assert_eq!(dispatch(EveryOperation { cases: &cases }), one, "{}", Instructions::best().name());
}

#[test]
fn larger_and_smaller_are_the_other_where_one_is_not_a_number_and_among_zeros() {
    assert_eq!(Lanes::max(f64::NAN, 1.0), 1.0);
    assert!(Lanes::max(1.0, f64::NAN).is_nan());
    assert!(Lanes::min(1.0, f64::NAN).is_nan());
    assert_eq!(Lanes::max(0.0, -0.0).to_bits(), (-0.0f64).to_bits());
    assert_eq!(Lanes::min(-0.0, 0.0).to_bits(), 0.0f64.to_bits());
}

/// Sums, of which the order matters.
struct Sums<'a>(&'a [[f64; 4]]);

impl Kernel for Sums<'_> {
    type Output = Vec<u64>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<u64> {
        self.0.iter().map(|four| bits(L::gather(|k| four[k]).sum())).collect()
    }
}

#[test]
fn four_lanes_are_summed_in_the_same_order() {
    let mut random = Random(7);
    let fours: Vec<[f64; 4]> = (0..4000).map(|_| std::array::from_fn(|_| random.number())).collect();
    let expected: Vec<u64> = fours.iter().map(|&[a, b, c, d]| bits((a + c) + (b + d))).collect();
    assert_eq!(Sums(&fours).run::<ArrayLanes>(), expected);
    assert_eq!(Sums(&fours).run::<Portable4>(), expected);
    assert_eq!(dispatch(Sums(&fours)), expected);
}

/// Rows into lanes, something done to them, and back into rows.
struct Rows<'a>(&'a [[Row; 4]]);

impl Kernel for Rows<'_> {
    type Output = Vec<[u64; 4]>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<[u64; 4]> {
        let mut all = Vec::new();
        for rows in self.0 {
            for first in (0..4).step_by(L::N) {
                let (vector, number) = L::gather_rows(|k| rows[first + k]);
                let (again, also) = Vector::<L>::pack(std::array::from_fn(|k| rows[(first + k) % 4]));
                let turned = Vector::select(number.greater(L::splat(0.0)), vector, again + -again);
                let results = [
                    vector.unpack_with(number),
                    vector.cross(turned).unpack(),
                    (turned * vector.dot(turned) - Vector::splat(DVec3::new(1.0, 2.0, 3.0))).unpack_with(also),
                ];
                L::scatter_rows(vector, number, |k, row| assert_eq!(row.0.map(bits), rows[first + k].0.map(bits)));
                for k in 0..L::N {
                    assert_eq!(vector.lane(k).to_array().map(bits), head(rows[first + k]).to_array().map(bits));
                    all.extend(results.map(|rows| rows[k].0.map(bits)));
                }
            }
        }
        all
    }
}

#[test]
fn rows_go_into_lanes_and_come_back() {
    let mut random = Random(11);
    let rows: Vec<[Row; 4]> =
        (0..2000).map(|_| std::array::from_fn(|_| Row(std::array::from_fn(|_| random.number())))).collect();
    let one = Rows(&rows).run::<f64>();
    assert_eq!(Rows(&rows).run::<ArrayLanes>(), one);
    assert_eq!(Rows(&rows).run::<Portable4>(), one);
    assert_eq!(dispatch(Rows(&rows)), one);
}

#[test]
fn a_row_is_a_vector_and_a_number() {
    assert_eq!((size_of::<Row>(), align_of::<Row>()), (32, 32));
    let v = DVec3::new(1.0, -2.0, 3.0);
    let mut sum = row(v, 4.0);
    assert_eq!((head(sum), tail(sum), head(vector_row(v))), (v, 4.0, v));
    sum += Row::new([0.5; 4]);
    assert_eq!(sum, row(v, 4.0) + Row([0.5; 4]));
    assert_eq!((-(sum - row(v, 4.0))).to_array(), [-0.5; 4]);
    assert_eq!(Row::default(), Row::ZERO);
}

#[test]
fn the_best_instructions_are_those_that_the_processor_has() {
    #[cfg(target_arch = "x86_64")]
    assert_eq!(Instructions::best() != Instructions::PORTABLE, std::arch::is_x86_feature_detected!("avx2"));
    assert_eq!(Instructions::default(), Instructions::best());
}
