//! The declarations: what is written and what is measured.

use super::*;

const INTERVAL_OR_OFF: Kind = Kind::Either(&[Kind::Word(OFF), POSITIVE_TIME]);

pub(crate) const OFF: &[Word] = &[word("off", "never")];

pub(crate) static OUTPUT: TableSpec = TableSpec {
    name: "output",
    doc: "What is written and how often, in simulated time.",
    fields: &[
        optional("interval", POSITIVE_TIME, "a hundredth of `time.end`", "Between rows of series.csv.", "\"10 ms\""),
        optional("frames", INTERVAL_OR_OFF, "a fiftieth of `time.end`", "Between frames for ParaView.", "\"20 ms\""),
        optional(
            "trajectory",
            INTERVAL_OR_OFF,
            "a hundredth of `time.end`",
            "Between frames of the compact trajectory.",
            "\"10 ms\"",
        ),
        optional(
            "trajectory_contacts",
            Kind::Flag,
            "true",
            "Whether the frames of the compact trajectory hold the contacts, with point, force and overlap.",
            "false",
        ),
        optional(
            "checkpoint",
            INTERVAL_OR_OFF,
            "a tenth of `time.end`",
            "Between checkpoints; one is always written at the end.",
            "\"0.5 s\"",
        ),
        optional("vtk", Kind::Flag, "true", "Whether frames are written for ParaView at all.", "true"),
        optional("contacts", Kind::Flag, "true", "Whether each frame has a second file with the contacts.", "false"),
        optional(
            "surfaces",
            Kind::Flag,
            "false",
            "Whether each frame has a further file with the grains' true surfaces as triangles.",
            "true",
        ),
        optional(
            "report",
            Kind::Flag,
            "true",
            "Whether the run is shown on one page, report.html, at its end.",
            "false",
        ),
        optional(
            "probes",
            Kind::List(&PROBE),
            "none",
            "Measurements, each with its own table.",
            "[{ coordination = {} }]",
        ),
    ],
    alternatives: &[],
};

pub(crate) static PROBE: TableSpec = TableSpec {
    name: "probe",
    doc: "A measurement.",
    fields: &[
        optional("name", Kind::Text, "the quantity and its number", "Name of its table.", "\"floor\""),
        optional("interval", POSITIVE_TIME, "`output.interval`", "Between its rows.", "\"1 ms\""),
        optional(
            "group",
            Kind::Name("group"),
            "all grains",
            "Only of the grains of this group. A contact between the group and others counts for the group; in `stress`, half of it.",
            "\"coarse\"",
        ),
        alternative("coordination", Kind::Table(&EMPTY), "Mean number of contacts a grain.", "{}"),
        alternative(
            "packing_fraction",
            Kind::Table(&IN_REGION),
            "Volume of the grains inside a region over its volume.",
            "{ region = { ball = { centre = [0, 0, 0], radius = 1 } } }",
        ),
        alternative(
            "stress",
            Kind::Table(&IN_REGION),
            "Stress tensor in a region, contact and kinetic parts.",
            "{ region = { ball = { centre = [0, 0, 0], radius = 1 } } }",
        ),
        alternative("fabric", Kind::Table(&FABRIC), "Fabric tensor of the contacts.", "{}"),
        alternative(
            "profile",
            Kind::Table(&PROFILE),
            "Solid fraction, bulk density and mean velocity in slices of a box.",
            "{ region = { box = { from = [0, 0, 0], to = [1, 1, 1] } }, axis = \"z\", bins = 20 }",
        ),
        alternative(
            "alignment",
            Kind::Table(&PROFILE),
            "Order parameter of the grains' own z axes about the axis of the slices, in slices of a box: 1 along it, -1/2 across it, 0 at random.",
            "{ region = { box = { from = [0, 0, 0], to = [1, 1, 1] } }, axis = \"z\", bins = 10 }",
        ),
        alternative(
            "contact_kinds",
            Kind::Table(&EMPTY),
            "Numbers of contacts by what touches: side, rim or end of cylinders, tablets and discs, and walls.",
            "{}",
        ),
        alternative(
            "collisions",
            Kind::Table(&EMPTY),
            "Hard solvers: collision rate, mean free time, granular temperature, and stress in kinetic and collisional parts.",
            "{}",
        ),
        alternative(
            "wall_loads",
            Kind::Table(&EMPTY),
            "Force and torque of the grains on every wall, the power of its motion on them, its place, velocity, spin, and how far it \
             has turned. Torques of a wall are about its place, those of all about the origin.",
            "{}",
        ),
        alternative(
            "flow",
            Kind::Table(&FLOW),
            "Grains that go through a plane: number and mass so far, each way, by kind, and how fast since the row before.",
            "{ point = [0, 0, 0], normal = [0, 0, -1] }",
        ),
        alternative(
            "track",
            Kind::Table(&EMPTY),
            "Every grain by itself, a row each, by ids: place (as if the domain had no edges), velocity, orientation, spin, force of its \
             contacts, kinetic energy, and number of its kind in alphabetical order.",
            "{}",
        ),
        alternative(
            "motion",
            Kind::Table(&EMPTY),
            "All grains together: number, mass, centre of mass, mean velocity, kinetic energies, temperature.",
            "{}",
        ),
        alternative(
            "removed",
            Kind::Table(&EMPTY),
            "Grains that left through edges of the domain: number and mass so far, by kind, and how fast since the row before.",
            "{}",
        ),
    ],
    alternatives: &[Alternatives {
        keys: &[
            "coordination",
            "packing_fraction",
            "stress",
            "fabric",
            "profile",
            "alignment",
            "contact_kinds",
            "collisions",
            "wall_loads",
            "flow",
            "track",
            "motion",
            "removed",
        ],
        required: true,
    }],
};

pub(crate) static EMPTY: TableSpec =
    TableSpec { name: "nothing", doc: "A table without keys: `{}`.", fields: &[], alternatives: &[] };

pub(crate) static GROUP: TableSpec = TableSpec {
    name: "group",
    doc: "Some of the grains: those for which all that is said holds. It goes by what is so whenever a row is written, or with `at` by what \
          was so at that moment: then the group follows its grains, wherever they go.",
    fields: &[
        optional("particles", Kind::Names("kind of grain"), "any", "Their kinds.", "[\"gravel\"]"),
        optional(
            "ids",
            Kind::Quantities(Dimension::NUMBER, Bound::NOT_NEGATIVE),
            "any",
            "Their ids: numbers from 0 in the order in which grains come in.",
            "[0, 17, 42]",
        ),
        optional(
            "region",
            Kind::Table(&REGION),
            "anywhere",
            "Where their centres are.",
            "{ box = { from = [0, 0, 0], to = [1, 1, 1] } }",
        ),
        optional(
            "at",
            MOMENT,
            "whenever a row is written",
            "The moment that decides. Before it, nobody is in the group.",
            "\"0.2 s\"",
        ),
    ],
    alternatives: &[],
};

pub(crate) static FLOW: TableSpec = TableSpec {
    name: "flow",
    doc: "A plane, or a disc or rectangle of it, through which the centres of grains are counted at every step.",
    fields: &[
        required("point", POSITION, "A point of the plane, and the centre of a disc or rectangle.", "[0, 0, \"1 cm\"]"),
        required("normal", Kind::Direction, "The direction that counts as forward.", "[0, 0, -1]"),
        alternative(
            "radius",
            POSITIVE_LENGTH,
            "A disc of this radius; without an extent the plane has no end.",
            "\"2 cm\"",
        ),
        alternative(
            "size",
            Kind::Quantities(Dimension::LENGTH, Bound::POSITIVE),
            "A rectangle with these two sides.",
            "[\"4 cm\", \"2 cm\"]",
        ),
        optional(
            "along",
            Kind::Direction,
            "as near to x as lies in the plane, or y where the normal is along x",
            "Direction of the rectangle's first side.",
            "[1, 0, 0]",
        ),
    ],
    alternatives: &[Alternatives { keys: &["radius", "size"], required: false }],
};

pub(crate) static IN_REGION: TableSpec = TableSpec {
    name: "in_region",
    doc: "Where it is measured.",
    fields: &[required("region", Kind::Table(&REGION), "Where.", "{ ball = { centre = [0, 0, 0], radius = 1 } }")],
    alternatives: &[],
};

pub(crate) static FABRIC: TableSpec = TableSpec {
    name: "fabric",
    doc: "Which contacts are counted.",
    fields: &[optional(
        "region",
        Kind::Table(&REGION),
        "everywhere",
        "Where.",
        "{ ball = { centre = [0, 0, 0], radius = 1 } }",
    )],
    alternatives: &[],
};

pub(crate) static PROFILE: TableSpec = TableSpec {
    name: "profile",
    doc: "How a box is sliced.",
    fields: &[
        required(
            "region",
            Kind::Table(&REGION),
            "The box that is sliced.",
            "{ box = { from = [0, 0, 0], to = [1, 1, 1] } }",
        ),
        optional("axis", Kind::Word(AXIS), "\"z\"", "Axis along which it is sliced.", "\"z\""),
        optional("bins", Kind::Count { least: 1, most: 100_000 }, "20", "Number of slices.", "20"),
    ],
    alternatives: &[],
};

pub(crate) const AXIS: &[Word] = &[word("x", "the x axis"), word("y", "the y axis"), word("z", "the z axis")];
