//! The benchmark impacts of Chung & Ooi (2011), "Benchmark tests for verifying discrete element modelling codes at
//! particle impact level", Granular Matter 13:643, tests 1 to 7, with the Hertz-Mindlin law.
//!
//! Parameters: tests 1 to 4 as in the verification scripts of YADE, test 5 as in the examples of PySPH, tests 6 and 7 as in
//! the header of the test harness of LIGGGHTS.
//!
//! Figures: where a closed form exists (elastic impact, gross sliding) it gives the figure, and `expected_figures.rs`
//! holds every number of this file against it. The figures of sticking impacts have no closed form; they come from
//! integrating the equations of motion of a single sphere on a rigid plane with a program that shares no code with the
//! engine, and a second such program gave the same digits. They belong to this variant of the law:
//!
//! - the friction spring is loaded by increments, dF_t = -k_t v_t dt with k_t = 8 G* sqrt(R* overlap);
//! - its dashpot is 2 sqrt(5/6) beta sqrt(k_t m*) v_t and is off while the contact slides;
//! - the normal force does not become attractive, and the friction bound uses the whole normal force, dashpot included;
//! - the plane is rigid. In a scene, give it a modulus 1e6 times that of the sphere: E* and G* are then off by 1e-6.

/// Elastic constants and density of a sphere.
#[derive(Clone, Copy, Debug)]
pub struct SphereMaterial {
    /// The name in the paper.
    pub name: &'static str,
    /// Young's modulus [Pa].
    pub young_modulus: f64,
    /// Poisson's ratio [1].
    pub poisson_ratio: f64,
    /// Mass density [kg/m^3].
    pub density: f64,
}

/// What a sphere hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A sphere like itself.
    Twin,
    /// A fixed rigid plane.
    RigidPlane,
}

/// A head-on elastic impact.
#[derive(Clone, Copy, Debug)]
pub struct ElasticImpact {
    /// What the sphere is made of.
    pub material: SphereMaterial,
    /// Radius [m].
    pub radius: f64,
    /// Relative speed at first touch [m/s].
    pub speed: f64,
    /// What it hits.
    pub target: Target,
    /// Largest overlap [m].
    pub largest_overlap: f64,
    /// Largest force [N].
    pub largest_force: f64,
    /// Duration of the contact [s].
    pub duration: f64,
}

/// Tests 1 and 2, tolerance: 0.1 % on overlap, force and duration. The step must resolve the contact: the duration is
/// read off to within one step.
pub const ELASTIC_TOLERANCE: f64 = 1e-3;

/// Test 1: two equal spheres meet at 10 m/s each, so at 20 m/s. Figures: Hertz's theory.
pub const TEST_1: [ElasticImpact; 2] = [
    ElasticImpact {
        material: SphereMaterial { name: "glass", young_modulus: 48e9, poisson_ratio: 0.20, density: 2800.0 },
        radius: 0.010,
        speed: 20.0,
        target: Target::Twin,
        largest_overlap: 274.11e-6,
        largest_force: 10.697e3,
        duration: 40.34e-6,
    },
    ElasticImpact {
        material: SphereMaterial { name: "limestone", young_modulus: 20e9, poisson_ratio: 0.25, density: 2500.0 },
        radius: 0.010,
        speed: 20.0,
        target: Target::Twin,
        largest_overlap: 368.30e-6,
        largest_force: 7.108e3,
        duration: 54.20e-6,
    },
];

/// Test 2: a sphere hits a rigid plane at 0.2 m/s. Figures: Hertz's theory.
pub const TEST_2: [ElasticImpact; 2] = [
    ElasticImpact {
        material: SphereMaterial { name: "aluminium alloy", young_modulus: 70e9, poisson_ratio: 0.30, density: 2699.0 },
        radius: 0.1,
        speed: 0.2,
        target: Target::RigidPlane,
        largest_overlap: 49.717e-6,
        largest_force: 11.370e3,
        duration: 731.7e-6,
    },
    ElasticImpact {
        material: SphereMaterial { name: "magnesium alloy", young_modulus: 40e9, poisson_ratio: 0.35, density: 1800.0 },
        radius: 0.1,
        speed: 0.2,
        target: Target::RigidPlane,
        largest_overlap: 52.123e-6,
        largest_force: 7.233e3,
        duration: 767.1e-6,
    },
];

/// Aluminium oxide, tests 3 and 4.
pub const ALUMINIUM_OXIDE: SphereMaterial =
    SphereMaterial { name: "aluminium oxide", young_modulus: 380e9, poisson_ratio: 0.23, density: 4000.0 };

/// Cast iron, test 3.
pub const CAST_IRON: SphereMaterial =
    SphereMaterial { name: "cast iron", young_modulus: 100e9, poisson_ratio: 0.25, density: 7000.0 };

/// Test 3: a sphere hits a rigid plane head-on; the restitution that comes out is the one that was asked for.
pub struct RestitutionTest {
    /// What the spheres are made of.
    pub materials: [SphereMaterial; 2],
    /// Radius [m].
    pub radius: f64,
    /// Speed at first touch [m/s].
    pub speed: f64,
    /// Restitutions to ask for [1].
    pub restitutions: [f64; 9],
    /// Largest difference between asked and measured restitution [1]. It holds for the damping that belongs to the end of
    /// contact in use: the textbook damping with a clamped force would give 0.325 for 0.2 and 0.550 for 0.5.
    pub tolerance: f64,
}

/// Test 3.
pub const TEST_3: RestitutionTest = RestitutionTest {
    materials: [ALUMINIUM_OXIDE, CAST_IRON],
    radius: 2.5e-3,
    speed: 3.9,
    restitutions: [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
    tolerance: 1e-3,
};

/// Test 4: an aluminium oxide sphere hits a rigid plane at an angle, without spin. After the experiment of Kharaz, Gorham
/// & Salman (2001), Powder Technol. 120:281.
pub struct ObliqueTest {
    /// What the sphere is made of.
    pub material: SphereMaterial,
    /// Radius [m].
    pub radius: f64,
    /// Speed at first touch [m/s].
    pub speed: f64,
    /// Restitution [1].
    pub restitution: f64,
    /// Friction [1].
    pub friction: f64,
    /// Results by angle.
    pub results: [ObliqueResult; 11],
    /// Relative tolerance of impacts that slide throughout: the closed form is exact [1].
    pub sliding_tolerance: f64,
    /// Relative tolerance of tangential restitution and spin of impacts that stick at some time [1]. They depend on details
    /// of the law: two ways to treat the dashpot on sliding differ by 1.2 % in restitution and 3 % in spin here.
    pub sticking_tolerance: f64,
}

/// What comes out at one angle.
#[derive(Clone, Copy, Debug)]
pub struct ObliqueResult {
    /// Angle between velocity and plane normal [deg].
    pub angle: f64,
    /// Tangential restitution, v_t after over v_t before, and spin after [1, rad/s] with an incremental friction spring.
    pub incremental: (f64, f64),
    /// The same with a friction spring that is scaled down with its stiffness on unloading.
    pub rescaled: (f64, f64),
}

const fn sticking(angle: f64, incremental: (f64, f64), rescaled: (f64, f64)) -> ObliqueResult {
    ObliqueResult { angle, incremental, rescaled }
}

const fn sliding(angle: f64, tangential_restitution: f64, spin: f64) -> ObliqueResult {
    ObliqueResult { angle, incremental: (tangential_restitution, spin), rescaled: (tangential_restitution, spin) }
}

/// Test 4. Impacts above 32.5 degrees, tan(angle) > 3.5 friction (1 + restitution), slide throughout: tangential
/// restitution 1 - friction (1 + restitution) / tan(angle), spin 5/2 friction (1 + restitution) v_n / radius.
pub const TEST_4: ObliqueTest = ObliqueTest {
    material: ALUMINIUM_OXIDE,
    radius: 2.5e-3,
    speed: 3.9,
    restitution: 0.98,
    friction: 0.092,
    results: [
        sticking(5.0, (0.890, 37.0), (0.858, 48.0)),
        sticking(10.0, (0.718, 191.0), (0.715, 193.0)),
        sticking(15.0, (0.631, 372.0), (0.635, 368.0)),
        sticking(20.0, (0.612, 517.0), (0.623, 503.0)),
        sticking(25.0, (0.630, 611.0), (0.640, 594.0)),
        // Sticks for a moment only: both springs give the same to the digits shown.
        sticking(30.0, (0.6845, 615.0), (0.6845, 615.0)),
        sliding(40.0, 0.7829, 544.2),
        sliding(50.0, 0.8471, 456.7),
        sliding(60.0, 0.8948, 355.2),
        sliding(70.0, 0.9337, 243.0),
        sliding(80.0, 0.9679, 123.4),
    ],
    sliding_tolerance: 1e-3,
    sticking_tolerance: 0.02,
};

/// Test 5: elastic oblique impact on a rigid plane in the dimensionless form of Maw, Barber & Fawcett (1976): psi is the
/// tangential velocity of the contact point over friction times normal speed, before and after.
pub struct PsiTest {
    /// What the sphere is made of.
    pub material: SphereMaterial,
    /// Radius [m].
    pub radius: f64,
    /// Normal speed [m/s].
    pub normal_speed: f64,
    /// Friction [1].
    pub friction: f64,
    /// (psi before, psi after) for an incremental friction spring without dashpots. Entries such as 1/3 are exact
    /// fractions. Maw's continuum solution differs below psi = 2 and is not the reference.
    pub results: &'static [(f64, f64)],
    /// Largest difference of psi after [1]; the figures carry three decimals.
    pub tolerance: f64,
}

/// Test 5, spheres of steel and polyethylene. The contact slides throughout above psi = 7 for all materials and nearly so
/// from 5: psi after = psi before - 7, with the spin radius * spin / (friction * normal speed) = 5.
pub const TEST_5: [PsiTest; 2] = [
    PsiTest {
        material: SphereMaterial { name: "steel", young_modulus: 208e9, poisson_ratio: 0.30, density: 7850.0 },
        radius: 10e-6,
        normal_speed: 5.0,
        friction: 0.3,
        results: &[
            (1.0 / 3.0, 0.265),
            (2.0 / 3.0, 0.437),
            (4.0 / 3.0, 0.442),
            (2.0, -0.176),
            (10.0 / 3.0, -1.258),
            (14.0 / 3.0, -1.669),
            (20.0 / 3.0, -0.333),
            (8.0, 1.0),
            (10.0, 3.0),
            (40.0 / 3.0, 6.333),
        ],
        tolerance: 2e-3,
    },
    PsiTest {
        material: SphereMaterial { name: "polyethylene", young_modulus: 1e9, poisson_ratio: 0.40, density: 1400.0 },
        radius: 10e-6,
        normal_speed: 5.0,
        friction: 0.3,
        results: &[
            (1.0 / 3.0, 0.200),
            (2.0, -0.354),
            (10.0 / 3.0, -1.432),
            (14.0 / 3.0, -1.789),
            (20.0 / 3.0, -0.333),
            (8.0, 1.0),
            (10.0, 3.0),
            (40.0 / 3.0, 6.333),
        ],
        tolerance: 2e-3,
    },
];

/// From this psi on the figures of test 5 are those of gross sliding.
pub const PSI_OF_SLIDING: f64 = 20.0 / 3.0;

/// Dimensionless spin after gross sliding in test 5: radius * spin / (friction * normal speed) [1].
pub const PSI_SLIDING_SPIN: f64 = 5.0;

/// Tests 6 and 7: a sphere that only spins and falls on a plane. The branch of gross sliding does not depend on the
/// material; the sticking branch (about 2/7 of radius times spin, changed by the friction spring) has no figure here.
pub struct SpinTest {
    /// What the sphere is made of; the paper also uses copper.
    pub material: SphereMaterial,
    /// Radius [m].
    pub radius: f64,
    /// Normal speed [m/s].
    pub normal_speed: f64,
    /// Restitution [1].
    pub restitution: f64,
    /// Friction [1].
    pub friction: f64,
    /// Range of spins before the impact in the paper [rad/s].
    pub spins: (f64, f64),
    /// radius * spin / normal speed above which the contact slides throughout [1].
    pub sliding_above: f64,
    /// Tangential speed after gross sliding [m/s].
    pub sliding_speed: f64,
    /// Loss of spin in gross sliding [rad/s].
    pub sliding_spin_loss: f64,
    /// Relative tolerance of the sliding branch [1].
    pub tolerance: f64,
}

/// Tests 6 and 7.
pub const TESTS_6_7: SpinTest = SpinTest {
    material: SphereMaterial { name: "aluminium alloy", young_modulus: 70e9, poisson_ratio: 0.33, density: 2700.0 },
    radius: 0.1,
    normal_speed: 0.2,
    restitution: 0.5,
    friction: 0.4,
    spins: (0.175, 21.0),
    sliding_above: 2.1,
    sliding_speed: 0.12,
    sliding_spin_loss: 3.0,
    tolerance: 1e-3,
};
