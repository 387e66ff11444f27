//! Gauss's rules on [0, 1] for the weight x (Gauss and Jacobi's), and directions around the lens.

use std::sync::LazyLock;

/// Rules of 3, 5, 8 and 12 nodes, each exact to twice as high a degree less one: (node, weight).
pub(super) const RULES: [&[(f64, f64)]; 4] = [
    &[
        (0.212_340_538_239_152_94, 0.069_826_979_901_454_12),
        (0.590_533_135_559_265_3, 0.229_241_106_359_586_25),
        (0.911_412_040_487_296_1, 0.200_931_913_738_959_63),
    ],
    &[
        (0.098_535_085_798_826_43, 0.015_747_914_521_692_274),
        (0.304_535_726_646_363_9, 0.073_908_870_072_616_66),
        (0.562_025_189_752_614, 0.146_386_987_084_669_8),
        (0.801_986_582_126_391_8, 0.167_174_638_094_369_58),
        (0.960_190_142_948_531_3, 0.096_781_590_226_651_68),
    ],
    &[
        (0.044_633_955_289_969_85, 0.003_295_191_442_248_798_6),
        (0.144_366_257_042_145_56, 0.017_842_902_655_986_207),
        (0.286_824_757_144_430_5, 0.045_439_319_504_698_9),
        (0.454_813_315_196_573_36, 0.079_199_599_492_319_15),
        (0.628_067_835_416_727_7, 0.106_047_359_435_930_01),
        (0.785_691_520_604_369_2, 0.112_505_799_470_887_37),
        (0.908_676_392_100_206, 0.091_119_023_636_373_63),
        (0.982_220_084_852_636_5, 0.044_550_804_361_555_93),
    ],
    &[
        (0.021_562_063_165_850_36, 0.000_775_182_220_938_028_4),
        (0.071_057_898_735_588_99, 0.004_444_807_795_668_462),
        (0.145_447_456_235_064_1, 0.012_436_009_166_422_266),
        (0.240_401_110_474_772_94, 0.024_876_780_409_265_43),
        (0.350_399_349_722_745, 0.040_451_653_706_913_62),
        (0.469_049_150_687_182_34, 0.056_613_843_713_667_63),
        (0.589_454_918_798_542_3, 0.070_109_339_997_630_1),
        (0.704_619_115_737_419_8, 0.077_696_316_815_531_03),
        (0.807_848_945_470_146, 0.076_896_602_680_041),
        (0.893_145_509_116_523_4, 0.066_606_750_626_673_2),
        (0.955_553_536_844_592_3, 0.047_427_851_980_377_47),
        (0.991_460_945_011_572_6, 0.021_664_860_886_871_768),
    ],
];

/// Most doublings of the four directions that a lens begins with.
pub(super) const MOST_DOUBLINGS: usize = 7;

/// Directions come in fours, a quarter turn apart. (Cosine, sine) of the first of each four: 0; then 1/2; then 1/4 and 3/4; then 1/8,
/// 3/8, 5/8 and 7/8 of a right angle and so on, so that each doubling fills the gaps that the one before it left.
pub(super) static FIRST_OF_FOUR: LazyLock<Vec<(f64, f64)>> = LazyLock::new(|| {
    let mut first = vec![(1.0, 0.0)];
    for doubling in 1..=MOST_DOUBLINGS {
        let n = 1u32 << doubling;
        first.extend((0..n / 2).map(|k| {
            let (sine, cosine) = (std::f64::consts::FRAC_PI_2 * f64::from(2 * k + 1) / f64::from(n)).sin_cos();
            (cosine, sine)
        }));
    }
    first
});

/// Which four of directions has its first at `numerator` / 2^`doubling` of a right angle.
pub(super) fn four_at(numerator: usize, doubling: usize) -> usize {
    if numerator == 0 {
        return 0;
    }
    let odd = numerator >> numerator.trailing_zeros();
    let level = doubling - numerator.trailing_zeros() as usize;
    (1 << level) / 2 + odd / 2
}
