//! All phases against all pairs, on arrangements chosen to be awkward.

use super::*;
use crate::random::Random;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const PHASES: [BroadPhase; 4] =
    [BroadPhase::Auto, BroadPhase::Cells, BroadPhase::MultilevelCells, BroadPhase::SweepAndPrune];

#[derive(Clone, Debug, Default)]
struct Cloud {
    positions: Vec<DVec3>,
    radii: Vec<f64>,
    ids: Vec<u32>,
    n_ghosts: usize,
}

impl Cloud {
    fn balls(&self) -> Balls<'_> {
        let n_owned = self.positions.len() - self.n_ghosts;
        Balls { positions: &self.positions, radii: &self.radii, ids: &self.ids, n_owned }
    }

    /// Adds a grain, whose id is in no order.
    fn push(&mut self, position: DVec3, radius: f64) {
        self.ids.push((self.positions.len() as u32).reverse_bits());
        self.positions.push(position);
        self.radii.push(radius);
    }

    /// Grains at random in a cube, sizes spread evenly on a logarithmic scale between 1 / ratio and 1.
    fn random(n: usize, edge: f64, ratio: f64, random: &mut Random) -> Cloud {
        let mut cloud = Cloud::default();
        for _ in 0..n {
            let position = DVec3::new(random.unit(), random.unit(), random.unit()) * edge;
            cloud.push(position, ratio.powf(-random.unit()));
        }
        cloud
    }

    /// Adds images of all grains, shifted by one edge along each axis.
    fn with_images(mut self, edge: f64) -> Cloud {
        for axis in DVec3::AXES {
            for grain in 0..self.positions.len() - self.n_ghosts {
                self.positions.push(self.positions[grain] + axis * edge);
                self.radii.push(self.radii[grain]);
                self.ids.push(self.ids[grain]);
                self.n_ghosts += 1;
            }
        }
        self
    }
}

/// Straight from the definition, sharing no code with the phases but the reach.
fn by_definition(balls: &Balls, skin: f64) -> Vec<Vec<u32>> {
    let n_owned = balls.n_owned;
    let mut rows = vec![Vec::new(); n_owned];
    for (a, row) in rows.iter_mut().enumerate() {
        for b in 0..balls.positions.len() {
            let is_later = if b < n_owned { b > a } else { balls.ids[b] > balls.ids[a] };
            let reach = balls.radii[a] + balls.radii[b] + skin;
            if is_later && balls.positions[a].distance_squared(balls.positions[b]) <= reach * reach {
                row.push(b as u32);
            }
        }
    }
    rows
}

#[track_caller]
fn check(cloud: &Cloud, skin: f64) -> Candidates {
    let balls = cloud.balls();
    let expected = find_candidates(BroadPhase::AllPairs, &balls, skin).unwrap();
    let rows: Vec<Vec<u32>> = (0..balls.n_owned).map(|a| expected.of(a).to_vec()).collect();
    assert_eq!(rows, by_definition(&balls, skin), "all pairs");
    let mut workspace = BroadPhaseWorkspace::default();
    let mut found = Candidates::default();
    for phase in PHASES {
        // Twice, so that what is left in the workspace must not matter.
        for _ in 0..2 {
            workspace.find_candidates(phase, &balls, skin, &mut found).unwrap();
            assert_eq!(found, expected, "{phase:?} of {} balls, skin {skin}", balls.positions.len());
        }
    }
    expected
}

#[test]
fn no_grain_and_one_grain_have_no_pairs() {
    assert_eq!(check(&Cloud::default(), 0.1), Candidates { start: vec![0], partner: vec![] });
    let mut one = Cloud::default();
    one.push(DVec3::ONE, 1.0);
    assert_eq!(check(&one, 0.1), Candidates { start: vec![0, 0], partner: vec![] });
}

#[test]
fn a_grain_is_not_paired_with_its_own_image_and_a_pair_across_an_edge_stands_once() {
    // Two grains in a periodic cell of edge 2.1 along x: they touch across the edge only.
    let cloud = Cloud {
        positions: vec![
            DVec3::new(0.1, 0.0, 0.0),
            DVec3::new(2.0, 0.0, 0.0),
            DVec3::new(2.2, 0.0, 0.0),
            DVec3::new(-0.1, 0.0, 0.0),
        ],
        radii: vec![0.15; 4],
        ids: vec![0, 1, 0, 1],
        n_ghosts: 2,
    };
    assert_eq!(check(&cloud, 0.0), Candidates { start: vec![0, 1, 1], partner: vec![3] });
    let large = Cloud { radii: vec![5.0; 4], ..cloud };
    assert_eq!(check(&large, 0.0), Candidates { start: vec![0, 2, 2], partner: vec![1, 3] });
}

#[test]
fn all_phases_agree_on_clouds_of_many_densities() {
    let mut random = Random::from_seed(11);
    let mut n_pairs = 0;
    for edge in [1.0, 5.0, 12.0, 50.0, 1e4] {
        for ratio in [1.0, 3.0] {
            n_pairs += check(&Cloud::random(1500, edge, ratio, &mut random), 0.2).n_pairs();
        }
    }
    assert!(n_pairs > 1_000_000);
}

#[test]
fn all_phases_agree_on_wide_size_ranges() {
    let mut random = Random::from_seed(12);
    for ratio in [10.0, 1e3, 1e9] {
        for skin in [0.0, 1e-3, 1.0] {
            let pairs = check(&Cloud::random(1500, 12.0, ratio, &mut random), skin).n_pairs();
            assert!(pairs > 0);
        }
    }
    // One boulder in dust: it touches much of the dust, whatever its index.
    for boulder in [0, 750, 1499] {
        let mut cloud = Cloud::random(1500, 4.0, 1.0, &mut random);
        cloud.radii.iter_mut().for_each(|radius| *radius = 1e-3);
        cloud.radii[boulder] = 1.0;
        cloud.positions[boulder] = DVec3::splat(2.0);
        assert!(check(&cloud, 0.0).n_pairs() > 50);
        assert_eq!(choose(&cloud.balls(), 0.0), BroadPhase::MultilevelCells);
    }
}

#[test]
fn all_phases_agree_where_neighbours_on_a_lattice_just_touch() {
    // Distances equal the reach up to rounding, in cells whose edges are at the lattice planes, far from the origin.
    for (spacing, offset) in [(1.0, 0.0), (0.1, 0.0), (1.0 / 3.0, 1e6), (0.7e-6, 1.0), (1e3, -1e9)] {
        let mut cloud = Cloud::default();
        for i in 0..1000 {
            let cell = DVec3::new((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64);
            cloud.push(cell * spacing + offset, spacing / 2.0);
        }
        check(&cloud, 0.0);
        check(&cloud, spacing);
        cloud.radii.iter_mut().for_each(|radius| *radius = 0.4 * spacing);
        check(&cloud, 0.2 * spacing);
    }
}

#[test]
fn all_phases_agree_on_coincident_points() {
    let mut cloud = Cloud::default();
    for i in 0..300 {
        cloud.push(DVec3::splat((i % 3) as f64 * 0.25), 0.1);
    }
    assert_eq!(check(&cloud, 0.0).n_pairs(), 3 * 100 * 99 / 2);
    cloud.radii.fill(0.0);
    assert_eq!(check(&cloud, 0.0).n_pairs(), 3 * 100 * 99 / 2);
}

#[test]
fn outliers_and_clusters_far_apart_cost_no_memory_for_the_space_between() {
    let mut random = Random::from_seed(13);
    let mut cloud = Cloud::random(1200, 12.0, 2.0, &mut random);
    for far in [1e9, -1e9, 1e30, -1e200, f64::MAX] {
        for axis in DVec3::AXES {
            cloud.push(axis * far, 1.0);
            cloud.push(axis * far + 0.5, 1.0);
        }
    }
    check(&cloud, 0.1);

    let mut clusters = Cloud::default();
    for centre in 0..10 {
        let middle = random.direction() * 1e7 * (centre + 1) as f64;
        for _ in 0..120 {
            clusters.push(middle + random.direction() * random.between(0.0, 6.0), random.between(0.5, 1.0));
        }
    }
    assert!(check(&clusters, 0.1).n_pairs() > 1000);
}

#[test]
fn positions_that_are_not_finite_pair_with_nothing() {
    let mut random = Random::from_seed(14);
    let mut cloud = Cloud::random(600, 8.0, 3.0, &mut random);
    for (i, bad) in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY].into_iter().enumerate() {
        for axis in 0..3 {
            cloud.positions[40 * (3 * i + axis)][axis] = bad;
        }
    }
    cloud.radii[599] = f64::NAN;
    let found = check(&cloud, 0.1);
    assert!(found.of(0).is_empty() && found.partner.iter().all(|b| b % 40 != 0 || *b >= 480));
    cloud.positions.fill(DVec3::NAN);
    assert_eq!(check(&cloud, 0.1).n_pairs(), 0);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let mut random = Random::from_seed(15);
    let cloud = Cloud::random(20_000, 25.0, 20.0, &mut random).with_images(25.0);
    let on = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| {
            let found: Vec<Candidates> =
                PHASES[1..].iter().map(|&phase| find_candidates(phase, &cloud.balls(), 0.1).unwrap()).collect();
            (found, spatial_order(&cloud.positions, 1.0))
        })
    };
    let (single, order) = on(1);
    assert!(single[0].n_pairs() > 10_000);
    assert!(single.iter().all(|found| *found == single[0]));
    for n_threads in [2, 3, 8] {
        assert!(on(n_threads) == (single.clone(), order.clone()), "{n_threads} threads");
    }
}

#[test]
fn auto_takes_one_grid_for_equal_grains_and_levels_for_wide_mixtures() {
    let mut random = Random::from_seed(16);
    assert_eq!(choose(&Cloud::random(10, 5.0, 1.0, &mut random).balls(), 0.1), BroadPhase::AllPairs);
    assert_eq!(choose(&Cloud::random(1000, 5.0, 1.0, &mut random).balls(), 0.1), BroadPhase::Cells);
    assert_eq!(choose(&Cloud::random(1000, 5.0, 4.0, &mut random).balls(), 0.1), BroadPhase::Cells);
    assert_eq!(choose(&Cloud::random(1000, 5.0, 1000.0, &mut random).balls(), 0.01), BroadPhase::MultilevelCells);
}

#[test]
fn spatial_order_is_a_stable_permutation_that_brings_neighbours_together() {
    let mut random = Random::from_seed(17);
    let mut cloud = Cloud::random(8000, 20.0, 1.0, &mut random);
    cloud.positions[5] = DVec3::NAN;
    cloud.positions[6] = DVec3::splat(1e300);
    let order = spatial_order(&cloud.positions, 2.0);
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert!(sorted.iter().copied().eq(0..8000));
    assert_eq!(order[7999], 5);

    // Along the order most steps are as long as a cell; at random they would be as long as the cube.
    let step = |i: &[u32]| cloud.positions[i[0] as usize].distance(cloud.positions[i[1] as usize]);
    let mut steps: Vec<f64> = order[..7998].windows(2).map(step).collect();
    steps.sort_unstable_by(f64::total_cmp);
    assert!(steps[steps.len() / 2] < 2.0, "median step {}", steps[steps.len() / 2]);

    assert_eq!(spatial_order(&[DVec3::ONE; 5], 1.0), [0, 1, 2, 3, 4]);
    assert_eq!(spatial_order(&[], 1.0), [0u32; 0]);
    // A long channel is cut across, not along.
    let channel: Vec<DVec3> = (0..100).map(|i| DVec3::new(i as f64, (i % 2) as f64, 0.0)).collect();
    let order = spatial_order(&channel, 1.0);
    assert!(order.windows(2).all(|pair| pair[0].abs_diff(pair[1]) < 3), "{order:?}");
}

fn clouds() -> impl Strategy<Value = Cloud> {
    (0usize..300, any::<u64>(), 0.5..40.0f64, 1.0..2000.0f64, any::<bool>(), any::<bool>()).prop_map(
        |(n, seed, edge, ratio, with_images, outlier)| {
            let mut random = Random::from_seed(seed);
            let mut cloud = Cloud::random(n, edge, ratio, &mut random);
            if outlier && n > 0 {
                cloud.positions[n / 2] = random.direction() * 10f64.powf(random.between(0.0, 12.0));
            }
            if with_images { cloud.with_images(edge) } else { cloud }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_phases_find_the_same_pairs(cloud in clouds(), skin in 0.0..2.0f64) {
        check(&cloud, skin);
    }
}
