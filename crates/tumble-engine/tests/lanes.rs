//! The law on one contact and on four side by side: the same bits. And looking at a contact leaves its springs as they
//! are. (Its force may differ: a slip that has just ended at the limit is a spring at rest to one who looks.)

use glam::DVec3;
use tumble_engine::Model;
use tumble_engine::boundary::insertion::Insertion;
use tumble_engine::broad::BroadPhase;
use tumble_engine::law::{
    Coefficients, InteractionProperties, Kinematics, Law, LawKind, LawTable, Losses, Memory, Response, evaluate,
};
use tumble_engine::model::{Domain, HardSettings, Limits, Material, Solver, TimeStep};
use tumble_engine::random::Random;
use tumble_geometry::lanes::{Instructions, Kernel, Lanes, Vector, vector_row};

const SEED: u64 = 20260301;
const TIME_STEP: f64 = 1e-5;

/// One material with rolling resistance and one that neither slips nor rolls against anything.
fn table(kind: LawKind) -> LawTable {
    let material = |name: &str, young_modulus: f64| Material {
        name: name.into(),
        density: 2500.0,
        young_modulus,
        poisson_ratio: 0.25,
    };
    let properties = |friction: f64, rolling_friction: f64| InteractionProperties {
        restitution: 0.7,
        friction,
        rolling_friction,
        tangential_restitution: 0.0,
    };
    LawTable::new(&Model {
        materials: vec![material("rough", 5e6), material("smooth", 7e7)],
        interactions: vec![properties(0.5, 0.1), properties(0.0, 0.0), properties(0.0, 0.0), properties(0.3, 0.0)],
        law: Law { kind, ..Law::default() },
        species: Vec::new(),
        walls: Vec::new(),
        gravity: DVec3::ZERO,
        gravity_ramp: 0.0,
        planar: false,
        domain: Domain::UNBOUNDED,
        drag: 0.0,
        insertions: Vec::<Insertion>::new(),
        broad_phase: BroadPhase::Auto,
        skin: None,
        time_step: TimeStep::Fixed(TIME_STEP),
        solver: Solver::Soft,
        hard: HardSettings::default(),
        shear_rate: 0.0,
        turn_spheres: false,
        seed: SEED,
        planes: Vec::new(),
        groups: Vec::new(),
        limits: Limits::default(),
    })
}

/// A contact that may be new or old, sticking or slipping.
fn contact(random: &mut Random, n_seen: usize) -> (Kinematics<f64>, Memory<f64>) {
    let normal = random.direction();
    let across = |v: DVec3| v - normal * normal.dot(v);
    let kinematics = Kinematics {
        normal: normal.into(),
        overlap: 10f64.powf(random.between(-8.0, -4.0)),
        relative_velocity: (random.direction() * random.between(0.0, 1.0)).into(),
        relative_spin: (random.direction() * random.between(0.0, 50.0)).into(),
        mean_twist: random.between(-20.0, 20.0),
        effective_mass: random.between(1e-5, 1e-3),
        effective_radius: random.between(1e-3, 5e-3),
    };
    let memory = Memory {
        tangential_force: (across(random.direction()) * random.between(0.0, 0.1)).into(),
        tangential_stiffness: random.between(10.0, 1e4),
        normal_dashpot_force: random.between(-0.1, 0.1),
        tangential_power: random.between(0.0, 0.1),
        rolling_torque: (across(random.direction()) * random.between(0.0, 1e-4)).into(),
    };
    (kinematics, if n_seen.is_multiple_of(3) { Memory::default() } else { memory })
}

/// A contact, its memory and its pair of materials.
type Contact = (Kinematics<f64>, Memory<f64>, [u16; 2]);

/// The law on contacts side by side.
struct Evaluation<'a, const HERTZ: bool, const ROLLING: bool> {
    table: &'a LawTable,
    contacts: &'a [Contact],
}

impl<const HERTZ: bool, const ROLLING: bool> Kernel for Evaluation<'_, HERTZ, ROLLING> {
    /// The bits of every number of each answer, in a fixed order.
    type Output = Vec<Vec<u64>>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Vec<u64>> {
        let Evaluation { table, contacts } = self;
        let vector =
            |of: &dyn Fn(&Kinematics<f64>) -> Vector<f64>| L::gather_rows(|k| vector_row(of(&contacts[k].0).into())).0;
        let number = |of: &dyn Fn(&Kinematics<f64>) -> f64| L::gather(|k| of(&contacts[k].0));
        let kinematics = Kinematics {
            normal: vector(&|c| c.normal),
            overlap: number(&|c| c.overlap),
            relative_velocity: vector(&|c| c.relative_velocity),
            relative_spin: vector(&|c| c.relative_spin),
            mean_twist: number(&|c| c.mean_twist),
            effective_mass: number(&|c| c.effective_mass),
            effective_radius: number(&|c| c.effective_radius),
        };
        let remembered =
            |of: &dyn Fn(&Memory<f64>) -> Vector<f64>| L::gather_rows(|k| vector_row(of(&contacts[k].1).into())).0;
        let memory = Memory {
            tangential_force: remembered(&|m| m.tangential_force),
            tangential_stiffness: L::gather(|k| contacts[k].1.tangential_stiffness),
            normal_dashpot_force: L::gather(|k| contacts[k].1.normal_dashpot_force),
            tangential_power: L::gather(|k| contacts[k].1.tangential_power),
            rolling_torque: remembered(&|m| m.rolling_torque),
        };
        let coefficients = Coefficients::gather(|k| table.get(contacts[k].2[0], contacts[k].2[1]));
        let mut losses = Losses::<L>::default();
        let response =
            evaluate::<L, HERTZ, ROLLING>(table, &coefficients, &kinematics, &memory, TIME_STEP, &mut losses);
        (0..L::N).map(|k| numbers(&response, &losses, k).iter().map(|x| x.to_bits()).collect()).collect()
    }
}

/// Every number of the answer in a lane, in a fixed order.
fn numbers<L: Lanes>(response: &Response<L>, losses: &Losses<L>, k: usize) -> Vec<f64> {
    let m = &response.memory;
    let vectors = [response.force, response.couple, m.tangential_force, m.rolling_torque];
    let mut all: Vec<f64> = vectors.iter().flat_map(|v| v.lane(k).to_array()).collect();
    let rest = [
        losses.slip,
        m.tangential_stiffness,
        m.normal_dashpot_force,
        m.tangential_power,
        response.normal_energy,
        losses.normal_dashpot,
        losses.tangential_dashpot,
        losses.rolling,
        losses.stiffness_change,
        losses.contact_end,
    ];
    all.extend(rest.map(|x| x.lane(k)));
    all
}

/// Where the loss by slip stands among the numbers.
const SLIP: usize = 12;

fn compare<const HERTZ: bool, const ROLLING: bool>(kind: LawKind) {
    let table = table(kind);
    let mut random = Random::from_seed(SEED);
    let mut n_slipping = 0;
    // Two lanes of the same pair of materials, two of others.
    let materials = [[0, 0], [0, 0], [0, 1], [1, 1]];
    for round in 0..2000 {
        let contacts: [Contact; 4] = std::array::from_fn(|k| {
            let (kinematics, memory) = contact(&mut random, round + k);
            (kinematics, memory, materials[k])
        });
        let of = |contacts| Evaluation::<HERTZ, ROLLING> { table: &table, contacts };
        let alone: Vec<_> = contacts.iter().flat_map(|one| of(std::slice::from_ref(one)).run::<f64>()).collect();
        n_slipping += alone.iter().filter(|numbers| numbers[SLIP] != 0).count();
        for instructions in [Instructions::PORTABLE, Instructions::best()] {
            assert_eq!(instructions.run(of(&contacts)), alone, "round {round}, {instructions:?}");
        }
    }
    // The inputs must reach both sides of the friction limit, or the comparison says little.
    assert!((1000..7000).contains(&n_slipping), "{n_slipping} of 8000 slip");
}

#[test]
fn four_lanes_give_the_bits_of_one() {
    let linear = LawKind::Linear { normal_stiffness: 1e4, tangential_ratio: 0.8 };
    compare::<true, true>(Law::default().kind);
    compare::<true, false>(Law::default().kind);
    compare::<false, true>(linear);
    compare::<false, false>(linear);
}

#[test]
fn looking_leaves_the_springs_alone() {
    let table = table(Law::default().kind);
    let coefficients = table.get(0, 0);
    let mut random = Random::from_seed(SEED);
    for round in 0..2000 {
        let (kinematics, memory) = contact(&mut random, round);
        let mut losses = Losses::default();
        let stepped = evaluate::<f64, true, true>(&table, coefficients, &kinematics, &memory, TIME_STEP, &mut losses);
        let mut seen = Losses::default();
        let looked = evaluate::<f64, true, true>(&table, coefficients, &kinematics, &stepped.memory, 0.0, &mut seen);
        // Turning by nothing rounds each component a few times.
        let close = |a: Vector<f64>, b: Vector<f64>| {
            let (a, b) = (DVec3::from(a), DVec3::from(b));
            (a - b).length() <= 1e-14 * a.length()
        };
        assert!(close(stepped.memory.tangential_force, looked.memory.tangential_force), "round {round}");
        assert!(close(stepped.memory.rolling_torque, looked.memory.rolling_torque), "round {round}");
        let spring = DVec3::from(stepped.memory.tangential_force).length_squared();
        let energy = stepped.normal_energy + 0.5 * spring / stepped.memory.tangential_stiffness;
        for loss in [seen.normal_dashpot, seen.tangential_dashpot, seen.slip, seen.rolling, seen.stiffness_change] {
            assert!(loss.abs() <= 1e-14 * energy, "round {round}: {loss}");
        }
    }
}
