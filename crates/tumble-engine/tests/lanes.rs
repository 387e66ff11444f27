//! The law on one contact and on four side by side: the same bits. And looking at a contact leaves its springs as they
//! are. (Its force may differ: a slip that has just ended at the limit is a spring at rest to one who looks.)

use glam::DVec3;
use tumble_engine::Model;
use tumble_engine::boundary::insertion::Insertion;
use tumble_engine::broad::BroadPhase;
use tumble_engine::law::{
    Coefficients, InteractionProperties, Kinematics, Law, LawKind, LawTable, Losses, Memory, Response, evaluate,
};
use tumble_engine::model::{Domain, Limits, Material, TimeStep};
use tumble_engine::random::Random;
use tumble_engine::state::History;
use tumble_geometry::lanes::{Vector, vector_row};
use wide::f64x4;

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
    let properties =
        |friction: f64, rolling_friction: f64| InteractionProperties { restitution: 0.7, friction, rolling_friction };
    LawTable::new(&Model {
        materials: vec![material("rough", 5e6), material("smooth", 7e7)],
        interactions: vec![properties(0.5, 0.1), properties(0.0, 0.0), properties(0.0, 0.0), properties(0.3, 0.0)],
        law: Law { kind, ..Law::default() },
        species: Vec::new(),
        walls: Vec::new(),
        gravity: DVec3::ZERO,
        planar: false,
        domain: Domain::UNBOUNDED,
        drag: 0.0,
        insertions: Vec::<Insertion>::new(),
        broad_phase: BroadPhase::Auto,
        skin: None,
        time_step: TimeStep::Fixed(TIME_STEP),
        seed: SEED,
        limits: Limits::default(),
    })
}

/// A contact that may be new or old, sticking or slipping.
fn contact(random: &mut Random, n_seen: usize) -> (Kinematics<f64>, History, DVec3) {
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
    let history = History {
        tangential_force: across(random.direction()) * random.between(0.0, 0.1),
        tangential_stiffness: random.between(10.0, 1e4),
        normal_dashpot_force: random.between(-0.1, 0.1),
        tangential_power: random.between(0.0, 0.1),
    };
    match n_seen % 3 {
        0 => (kinematics, History::default(), DVec3::ZERO),
        _ => (kinematics, history, across(random.direction()) * random.between(0.0, 1e-4)),
    }
}

fn lane(v: Vector<f64x4>, k: usize) -> [f64; 3] {
    [v.x.to_array()[k], v.y.to_array()[k], v.z.to_array()[k]]
}

/// Every number of an answer, in a fixed order.
fn numbers(response: &Response<f64>, losses: &Losses<f64>) -> Vec<f64> {
    let m = &response.memory;
    let vectors = [response.force, response.couple, m.tangential_force, m.rolling_torque];
    let mut all: Vec<f64> = vectors.iter().flat_map(|v| [v.x, v.y, v.z]).collect();
    all.extend([m.tangential_stiffness, m.normal_dashpot_force, m.tangential_power]);
    all.extend([response.normal_energy, response.tangential_energy, response.rolling_energy]);
    all.extend([losses.normal_dashpot, losses.tangential_dashpot, losses.slip, losses.rolling]);
    all.extend([losses.stiffness_change, losses.contact_end]);
    all
}

/// The same of one lane.
fn numbers_of_lane(response: &Response<f64x4>, losses: &Losses<f64x4>, k: usize) -> Vec<f64> {
    let m = &response.memory;
    let vectors = [response.force, response.couple, m.tangential_force, m.rolling_torque];
    let mut all: Vec<f64> = vectors.iter().flat_map(|v| lane(*v, k)).collect();
    let rest = [
        m.tangential_stiffness,
        m.normal_dashpot_force,
        m.tangential_power,
        response.normal_energy,
        response.tangential_energy,
        response.rolling_energy,
        losses.normal_dashpot,
        losses.tangential_dashpot,
        losses.slip,
        losses.rolling,
        losses.stiffness_change,
        losses.contact_end,
    ];
    all.extend(rest.map(|x| x.to_array()[k]));
    all
}

fn compare<const HERTZ: bool, const ROLLING: bool>(kind: LawKind) {
    let table = table(kind);
    let mut random = Random::from_seed(SEED);
    let mut n_slipping = 0;
    for round in 0..2000 {
        let contacts: [_; 4] = std::array::from_fn(|k| contact(&mut random, round + k));
        // Two lanes of the same pair of materials, two of others.
        let rows: [usize; 4] = [0, 0, 1, 3];
        let coefficients = rows.map(|row| table.get((row / 2) as u16, (row % 2) as u16));
        let vector = |of: &dyn Fn(&Kinematics<f64>) -> Vector<f64>| {
            Vector::pack(std::array::from_fn(|k| vector_row(of(&contacts[k].0).into()))).0
        };
        let number = |of: &dyn Fn(&Kinematics<f64>) -> f64| f64x4::new(std::array::from_fn(|k| of(&contacts[k].0)));
        let packed = Kinematics {
            normal: vector(&|c| c.normal),
            overlap: number(&|c| c.overlap),
            relative_velocity: vector(&|c| c.relative_velocity),
            relative_spin: vector(&|c| c.relative_spin),
            mean_twist: number(&|c| c.mean_twist),
            effective_mass: number(&|c| c.effective_mass),
            effective_radius: number(&|c| c.effective_radius),
        };
        let memory = Memory::<f64x4>::pack(
            std::array::from_fn(|k| &contacts[k].1),
            Some(std::array::from_fn(|k| contacts[k].2)),
        );
        let mut losses = Losses::default();
        let four = evaluate::<f64x4, HERTZ, ROLLING>(
            &table,
            &Coefficients::pack(coefficients),
            &packed,
            &memory,
            TIME_STEP,
            &mut losses,
        );
        for (k, (kinematics, history, torque)) in contacts.iter().enumerate() {
            let mut own = Losses::default();
            let memory = Memory::of(history, *torque);
            let one =
                evaluate::<f64, HERTZ, ROLLING>(&table, coefficients[k], kinematics, &memory, TIME_STEP, &mut own);
            n_slipping += usize::from(own.slip != 0.0);
            let expected: Vec<u64> = numbers(&one, &own).iter().map(|x| x.to_bits()).collect();
            let got: Vec<u64> = numbers_of_lane(&four, &losses, k).iter().map(|x| x.to_bits()).collect();
            assert_eq!(got, expected, "round {round}, lane {k}");
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
        let (kinematics, history, torque) = contact(&mut random, round);
        let mut losses = Losses::default();
        let memory = Memory::of(&history, torque);
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
        let energy = stepped.normal_energy + stepped.tangential_energy + stepped.rolling_energy;
        for loss in [seen.normal_dashpot, seen.tangential_dashpot, seen.slip, seen.rolling, seen.stiffness_change] {
            assert!(loss.abs() <= 1e-14 * energy, "round {round}: {loss}");
        }
    }
}
