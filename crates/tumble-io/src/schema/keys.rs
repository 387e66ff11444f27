//! The declarations: the scene as a whole, and what is not grains, walls, laws or outputs.

mod grains;
mod hard;
mod laws;
mod outputs;
mod shapes;
mod stages;
mod walls;

pub(crate) use grains::*;
pub(crate) use hard::*;
pub(crate) use laws::*;
pub(crate) use outputs::*;
pub(crate) use shapes::*;
pub(crate) use stages::*;
pub(crate) use walls::*;

use super::{Alternatives, Bound, FieldSpec, Kind, Presence, TableSpec, Word};
use crate::units::Dimension;
use tumble_engine::model::Solver;

const fn required(key: &'static str, kind: Kind, doc: &'static str, example: &'static str) -> FieldSpec {
    FieldSpec { key, kind, presence: Presence::Required, doc, example }
}

const fn optional(
    key: &'static str,
    kind: Kind,
    default: &'static str,
    doc: &'static str,
    example: &'static str,
) -> FieldSpec {
    FieldSpec { key, kind, presence: Presence::Optional(default), doc, example }
}

const fn alternative(key: &'static str, kind: Kind, doc: &'static str, example: &'static str) -> FieldSpec {
    FieldSpec { key, kind, presence: Presence::Alternative, doc, example }
}

const fn word(word: &'static str, doc: &'static str) -> Word {
    Word { word, doc }
}

const POSITION: Kind = Kind::Vector(Dimension::LENGTH);
const POSITIVE_LENGTH: Kind = Kind::Quantity(Dimension::LENGTH, Bound::POSITIVE);
const POSITIVE_NUMBER: Kind = Kind::Quantity(Dimension::NUMBER, Bound::POSITIVE);
const POSITIVE_TIME: Kind = Kind::Quantity(Dimension::TIME, Bound::POSITIVE);
const MOMENT: Kind = Kind::Quantity(Dimension::TIME, Bound::NOT_NEGATIVE);
const RESTITUTION: Kind = Kind::Quantity(
    Dimension::NUMBER,
    Bound {
        low: 0.0,
        low_included: false,
        high: 1.0,
        high_included: true,
        reason: "a rebound cannot be faster than the impact, and no finite dashpot stops one dead",
    },
);
const FRICTION: Kind =
    Kind::Quantity(Dimension::NUMBER, Bound::NOT_NEGATIVE.because("friction opposes sliding, it cannot drive it"));

const TANGENTIAL_RESTITUTION: Kind = Kind::Quantity(
    Dimension::NUMBER,
    Bound {
        low: -1.0,
        low_included: true,
        high: 1.0,
        high_included: true,
        reason: "beyond, a collision would make energy",
    },
);

/// The scene file as a whole.
pub static SCENE: TableSpec = TableSpec {
    name: "scene",
    doc: "The scene file as a whole.",
    fields: &[
        optional("title", Kind::Text, "none", "What the scene is about.", "\"Beads in a box\""),
        optional(
            "seed",
            Kind::Count { least: 0, most: i64::MAX as u64 },
            "1",
            "Seed of all random numbers of the run.",
            "42",
        ),
        optional(
            "planar",
            Kind::Flag,
            "false",
            "Whether grains move in the x-y plane only: discs and polygons, turning about z.",
            "true",
        ),
        optional(
            "gravity",
            Kind::Vector(Dimension::ACCELERATION),
            "[0, 0, -9.81]; in the planar mode [0, -9.81, 0]",
            "Acceleration of gravity.",
            "[0, 0, \"-9.81 m/s2\"]",
        ),
        optional(
            "gravity_ramp",
            MOMENT,
            "0: from the start",
            "Time in which gravity grows evenly from nothing at the start. Soft solver only.",
            "\"0.1 s\"",
        ),
        required(
            "materials",
            Kind::Named(&MATERIAL),
            "What grains and walls are made of.",
            "{ glass = { preset = \"glass\" } }",
        ),
        optional(
            "interactions",
            Kind::List(&INTERACTION),
            "geometric means of the two materials' values",
            "Contact properties of pairs of materials.",
            "[{ between = [\"glass\", \"steel\"], friction = 0.2 }]",
        ),
        optional("solver", Kind::Word(SOLVER), "\"soft\"", "How grains are moved.", "\"soft\""),
        optional(
            "hard",
            Kind::Table(&HARD),
            "the defaults of its keys",
            "What hard solvers are told; not with `solver = \"soft\"`.",
            "{ sweeps = 4 }",
        ),
        optional(
            "law",
            Kind::Table(&LAW),
            "Hertz-Mindlin",
            "The contact law, the same for grains and walls.",
            "{ hertz_mindlin = {} }",
        ),
        optional(
            "shapes",
            Kind::Named(&SHAPE),
            "only the built-in \"sphere\"",
            "Shapes that kinds of grain refer to by name.",
            "{ ball = { sphere = { radius = \"5 mm\" } } }",
        ),
        required("particles", Kind::Named(&PARTICLES), "Kinds of grain.", "{ bead = { diameter = \"5 mm\" } }"),
        required(
            "insert",
            Kind::List(&INSERT),
            "How grains come into the run.",
            "[{ fill = { region = { ball = { centre = [0, 0, 0], radius = 1 } }, count = 10 } }]",
        ),
        optional(
            "walls",
            Kind::List(&WALL),
            "no walls",
            "What grains meet besides each other.",
            "[{ plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]",
        ),
        optional(
            "domain",
            Kind::Table(&DOMAIN),
            "space without an end",
            "The simulated space and what happens at its edge.",
            "{ from = [0, 0, 0], to = [1, 1, 1], edges = { x = \"periodic\" } }",
        ),
        optional(
            "time",
            Kind::Table(&TIME),
            "as long as its stages; needed without them",
            "How long the run is and how long a step.",
            "{ end = \"2 s\" }",
        ),
        optional(
            "stop",
            Kind::Table(&STOP),
            "only time ends the run",
            "What ends the run before its time.",
            "{ kinetic_energy = \"1 uJ\" }",
        ),
        optional(
            "stages",
            Kind::List(&STAGE),
            "a run of one stage",
            "What happens one after the other: fill, settle, open the gate, compress.",
            "[{ end = { kinetic_energy = \"1 uJ\", time = \"1 s\" } }, { walls = { gate = { present = false } }, end = { time = \"1 s\" } }]",
        ),
        optional(
            "groups",
            Kind::Named(&GROUP),
            "none",
            "Groups of grains that probes measure, by names of your choice.",
            "{ coarse = { particles = [\"gravel\"] } }",
        ),
        optional(
            "output",
            Kind::Table(&OUTPUT),
            "the defaults of its keys",
            "What is written and how often.",
            "{ interval = \"10 ms\" }",
        ),
        optional(
            "engine",
            Kind::Table(&ENGINE),
            "the defaults of its keys",
            "How the run is computed.",
            "{ broad_phase = \"cells\" }",
        ),
        optional(
            "limits",
            Kind::Table(&LIMITS),
            "the defaults of its keys",
            "What is taken as a sign that the run has become unstable.",
            "{ overlap = 0.3 }",
        ),
    ],
    alternatives: &[],
};

pub(crate) static MATERIAL: TableSpec = TableSpec {
    name: "material",
    doc: "What grains or walls are made of. Without a preset, density and Young's modulus must be given.",
    fields: &[
        optional(
            "preset",
            Kind::Word(PRESETS),
            "none",
            "Typical values to start from; the other keys replace them.",
            "\"glass\"",
        ),
        optional(
            "density",
            Kind::Quantity(Dimension::DENSITY, Bound::POSITIVE.because("grains have mass")),
            "from the preset",
            "Mass density of the solid, without pores between grains.",
            "\"2500 kg/m3\"",
        ),
        optional(
            "young",
            Kind::Quantity(Dimension::PRESSURE, Bound::POSITIVE.because("a solid resists compression")),
            "from the preset",
            "Young's modulus. A softer one than the real one allows longer steps, at the price of larger overlaps.",
            "\"5 MPa\"",
        ),
        optional(
            "poisson",
            Kind::Quantity(
                Dimension::NUMBER,
                Bound {
                    low: -1.0,
                    low_included: false,
                    high: 0.5,
                    high_included: false,
                    reason: "outside, the shear or the bulk modulus of an elastic solid would not be positive and finite",
                },
            ),
            "from the preset, or 0.3",
            "Poisson's ratio.",
            "0.22",
        ),
        optional(
            "restitution",
            RESTITUTION,
            "from the preset, or 0.8",
            "Speed after a head-on collision over speed before, between two of the kind.",
            "0.9",
        ),
        optional(
            "friction",
            FRICTION,
            "from the preset, or 0.5",
            "Coefficient of sliding friction between two of the kind.",
            "0.4",
        ),
        optional(
            "rolling_friction",
            FRICTION,
            "from the preset, or 0",
            "Coefficient of rolling friction between two of the kind; 0 switches rolling resistance off.",
            "0.01",
        ),
        optional(
            "tangential_restitution",
            TANGENTIAL_RESTITUTION,
            "0",
            "Hard solvers: sliding after a collision that does not slip over sliding before, reversed; -1: smooth, 1: perfectly rough.",
            "0.4",
        ),
    ],
    alternatives: &[],
};

/// Names of the presets; their values are in the reader of materials, held together by a test.
pub(crate) const PRESETS: &[Word] = &[
    word("glass", "soda-lime glass"),
    word("steel", "carbon steel"),
    word("aluminium", "aluminium alloy"),
    word("acrylic", "PMMA"),
    word("polyethylene", "high-density polyethylene"),
    word("rubber", "natural rubber"),
    word("sand", "quartz sand"),
    word("limestone", "limestone"),
    word("wood", "hardwood"),
];

pub(crate) static INTERACTION: TableSpec = TableSpec {
    name: "interaction",
    doc: "Contact properties of two materials. What is not given, here or for the pair at all, is the geometric mean of \
          the two materials' values: sqrt(a b).",
    fields: &[
        required(
            "between",
            Kind::PairOfNames("material"),
            "The two materials; the same one twice for contacts within it.",
            "[\"glass\", \"steel\"]",
        ),
        optional("restitution", RESTITUTION, "geometric mean", "Coefficient of restitution.", "0.7"),
        optional("friction", FRICTION, "geometric mean", "Coefficient of sliding friction.", "0.2"),
        optional("rolling_friction", FRICTION, "geometric mean", "Coefficient of rolling friction.", "0.005"),
        optional(
            "tangential_restitution",
            TANGENTIAL_RESTITUTION,
            "mean of the two",
            "Hard solvers: sliding after a collision that does not slip over sliding before, reversed; -1: smooth, 1: perfectly rough.",
            "0.4",
        ),
    ],
    alternatives: &[],
};

/// The solvers that the engine knows, in its order and words.
pub(crate) const SOLVER: &[Word] = &{
    let mut words = [const { word("", "") }; Solver::ALL.len()];
    let mut k = 0;
    while k < words.len() {
        words[k] = word(Solver::ALL[k].name(), Solver::ALL[k].description());
        k += 1;
    }
    words
};

pub(crate) static DOMAIN: TableSpec = TableSpec {
    name: "domain",
    doc: "The simulated space.",
    fields: &[
        required("from", POSITION, "Smallest coordinates.", "[0, 0, 0]"),
        required("to", POSITION, "Largest coordinates.", "[\"10 cm\", \"10 cm\", \"1 m\"]"),
        optional(
            "edges",
            Kind::Table(&EDGES),
            "all open",
            "What happens to a grain whose centre crosses an edge.",
            "{ x = \"periodic\" }",
        ),
        optional(
            "shear_rate",
            Kind::Quantity(Dimension::RATE, Bound::ANY),
            "0",
            "Hard solvers: rate of a simple shear that periodic edges impose, after Lees and Edwards: the mean velocity is `shear_rate` y along x.",
            "\"1 1/s\"",
        ),
    ],
    alternatives: &[],
};

pub(crate) static EDGES: TableSpec = TableSpec {
    name: "edges",
    doc: "What happens to a grain whose centre crosses an edge of the domain, axis by axis.",
    fields: &[
        optional("x", Kind::Word(EDGE), "\"open\"", "At the two edges across x.", "\"periodic\""),
        optional("y", Kind::Word(EDGE), "\"open\"", "At the two edges across y.", "\"open\""),
        optional("z", Kind::Word(EDGE), "\"open\"", "At the two edges across z.", "\"remove\""),
    ],
    alternatives: &[],
};

pub(crate) const EDGE: &[Word] = &[
    word("open", "nothing: it flies on"),
    word("remove", "it leaves the run"),
    word("periodic", "it comes in again at the other side"),
];

pub(crate) static TIME: TableSpec = TableSpec {
    name: "time",
    doc: "How long the run is and how long a step.",
    fields: &[
        optional(
            "end",
            POSITIVE_TIME,
            "the longest times of all stages together; needed without them",
            "Simulated time at which the run ends.",
            "\"2 s\"",
        ),
        optional(
            "step",
            Kind::Either(&[Kind::Word(AUTO), POSITIVE_TIME]),
            "\"auto\"",
            "Length of a step; automatic from stiffness, mass and speed.",
            "\"10 us\"",
        ),
        optional("safety", POSITIVE_NUMBER, "1", "Factor on the automatic step.", "0.5"),
        optional(
            "speed",
            Kind::Quantity(Dimension::SPEED, Bound::POSITIVE),
            "estimated from the scene",
            "Largest relative speed to expect, for the automatic step.",
            "\"2 m/s\"",
        ),
    ],
    alternatives: &[],
};

pub(crate) const AUTO: &[Word] = &[word("auto", "chosen by the engine")];

pub(crate) static STOP: TableSpec = TableSpec {
    name: "stop",
    doc: "What ends the run before its time.",
    fields: &[
        required(
            "kinetic_energy",
            Kind::Quantity(Dimension::ENERGY, Bound::POSITIVE),
            "The run ends when the kinetic energy of all grains together falls below this.",
            "\"1 uJ\"",
        ),
        optional("after", MOMENT, "0", "Not before this time, so that grains can begin to move.", "\"0.2 s\""),
    ],
    alternatives: &[],
};

pub(crate) static ENGINE: TableSpec = TableSpec {
    name: "engine",
    doc: "How the run is computed.",
    fields: &[
        optional(
            "broad_phase",
            Kind::Word(BROAD_PHASE),
            "\"auto\"",
            "How pairs that might touch are found; all ways give the same pairs.",
            "\"cells\"",
        ),
        optional(
            "skin",
            POSITIVE_LENGTH,
            "chosen by the engine",
            "Extra distance up to which pairs are listed, so that a list lasts several steps.",
            "\"0.5 mm\"",
        ),
        optional(
            "drag",
            Kind::Quantity(Dimension::RATE, Bound::NOT_NEGATIVE),
            "0",
            "Rate of a global drag: force = -drag * mass * velocity.",
            "\"2 1/s\"",
        ),
        optional(
            "turn_spheres",
            Kind::Flag,
            "false",
            "Whether frames show how spheres have turned, in runs of spheres alone. It changes nothing else and costs a tenth of a step.",
            "true",
        ),
    ],
    alternatives: &[],
};

pub(crate) const BROAD_PHASE: &[Word] = &[
    word("auto", "chosen from the number and the sizes of the grains"),
    word("all_pairs", "every pair: slow and simple"),
    word("cells", "a grid of cells as large as the largest grain"),
    word("multilevel_cells", "grids of several cell sizes, for wide size ranges"),
    word("sweep_and_prune", "sorted intervals along the widest axis"),
];

pub(crate) static LIMITS: TableSpec = TableSpec {
    name: "limits",
    doc: "Bounds that a healthy run does not reach; one that does is stopped.",
    fields: &[
        optional(
            "overlap",
            POSITIVE_NUMBER,
            "0.5",
            "Largest overlap, as a fraction of the smallest half width of the two grains.",
            "0.3",
        ),
        optional(
            "travel",
            POSITIVE_NUMBER,
            "0.2",
            "Largest distance a grain may move in one step, as a fraction of its radius.",
            "0.1",
        ),
        optional(
            "energy",
            POSITIVE_NUMBER,
            "0.1",
            "Largest residual of the energy ledger, as a fraction of the energy that went through the run.",
            "0.05",
        ),
    ],
    alternatives: &[],
};
