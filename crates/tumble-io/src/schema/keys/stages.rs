//! The declarations: the stages of a run.

use super::*;

pub(crate) static STAGE: TableSpec = TableSpec {
    name: "stage",
    doc: "A stage of the run: what changes at its beginning, and what ends it. What is not named stays as it was in the stage before, \
          or in the scene for the first one.",
    fields: &[
        optional("name", Kind::Text, "\"stage\" and its number", "Name in messages and outputs.", "\"discharge\""),
        required("end", Kind::Table(&STAGE_END), "What ends it.", "{ time = \"1 s\" }"),
        optional(
            "gravity",
            Kind::Vector(Dimension::ACCELERATION),
            "as before",
            "Acceleration of gravity from here on.",
            "[0, 0, \"-9.81 m/s2\"]",
        ),
        optional(
            "gravity_ramp",
            MOMENT,
            "0: at once",
            "Time in which gravity goes over from what it was, evenly; with `gravity`.",
            "\"0.1 s\"",
        ),
        optional(
            "drag",
            Kind::Quantity(Dimension::RATE, Bound::NOT_NEGATIVE),
            "as before",
            "Rate of a global drag from here on.",
            "\"2 1/s\"",
        ),
        optional(
            "step",
            Kind::Either(&[Kind::Word(AUTO), POSITIVE_TIME]),
            "as before; an automatic step is chosen anew",
            "Length of a step from here on.",
            "\"auto\"",
        ),
        optional(
            "law",
            Kind::Table(&LAW),
            "as before",
            "The contact law from here on. Contacts that it holds as the one before did keep the friction they are loaded with.",
            "{ linear = { stiffness = \"1e4 N/m\" } }",
        ),
        optional(
            "materials",
            Kind::Named(&STAGE_MATERIAL),
            "as before",
            "Properties of materials from here on, by the names of the materials.",
            "{ glass = { friction = 0.3 } }",
        ),
        optional(
            "interactions",
            Kind::List(&INTERACTION),
            "as before",
            "Contact properties of pairs of materials from here on; they replace all of before.",
            "[{ between = [\"glass\", \"steel\"], friction = 0.2 }]",
        ),
        optional(
            "walls",
            Kind::Named(&STAGE_WALL),
            "as before",
            "What becomes of walls, by their names.",
            "{ gate = { present = false } }",
        ),
        optional(
            "insert",
            Kind::Named(&STAGE_INSERT),
            "as before",
            "Which sources of grains are switched on or off, by their names.",
            "{ feed = { active = true } }",
        ),
        optional(
            "output",
            Kind::Table(&STAGE_OUTPUT),
            "as before",
            "How often something is written from here on.",
            "{ interval = \"1 ms\" }",
        ),
    ],
    alternatives: &[],
};

pub(crate) static STAGE_END: TableSpec = TableSpec {
    name: "stage_end",
    doc: "What ends a stage: the first of these that comes. Conditions besides `time` are looked at every 100 steps, and not while a \
          stream still brings a counted number of grains.",
    fields: &[
        optional(
            "time",
            POSITIVE_TIME,
            "no limit",
            "Time after the stage's beginning at which it ends in any case.",
            "\"2 s\"",
        ),
        optional(
            "kinetic_energy",
            Kind::Quantity(Dimension::ENERGY, Bound::POSITIVE),
            "not looked at",
            "It ends when the kinetic energy of all grains together is below this.",
            "\"1 uJ\"",
        ),
        optional(
            "force",
            Kind::Table(&END_FORCE),
            "not looked at",
            "It ends when the force of the grains on a wall is beyond a bound.",
            "{ wall = \"lid\", above = \"10 N\" }",
        ),
        optional(
            "grains",
            Kind::Table(&END_GRAINS),
            "not looked at",
            "It ends when the number of grains in the run is beyond a bound.",
            "{ below = 1 }",
        ),
        optional(
            "probe",
            Kind::Table(&END_PROBE),
            "not looked at",
            "It ends when what a probe measures is beyond a bound.",
            "{ name = \"packing\", column = \"packing_fraction\", above = 0.6 }",
        ),
        optional(
            "hold",
            MOMENT,
            "0",
            "Time for which a condition besides `time` must hold without a break.",
            "\"50 ms\"",
        ),
    ],
    alternatives: &[],
};

const FORCE: Kind = Kind::Quantity(Dimension::FORCE, Bound::NOT_NEGATIVE);
const BOUNDS: &[Alternatives] = &[Alternatives { keys: &["above", "below"], required: true }];

pub(crate) static END_FORCE: TableSpec = TableSpec {
    name: "end_by_force",
    doc: "A bound on the length of the force of the grains on a wall, on all faces of it together.",
    fields: &[
        required("wall", Kind::Name("wall"), "Name of the wall.", "\"lid\""),
        alternative("above", FORCE, "The force exceeds this.", "\"10 N\""),
        alternative("below", FORCE, "The force is less than this.", "\"1 mN\""),
    ],
    alternatives: BOUNDS,
};

const GRAINS: Kind = Kind::Count { least: 0, most: u32::MAX as u64 };

pub(crate) static END_GRAINS: TableSpec = TableSpec {
    name: "end_by_number",
    doc: "A bound on the number of grains in the run.",
    fields: &[
        alternative("above", GRAINS, "There are more.", "1000"),
        alternative("below", GRAINS, "There are fewer; `below = 1`: none is left.", "1"),
    ],
    alternatives: BOUNDS,
};

const VALUE: Kind = Kind::Quantity(Dimension::NUMBER, Bound::ANY);

pub(crate) static END_PROBE: TableSpec = TableSpec {
    name: "end_by_probe",
    doc: "A bound on what a probe of `output.probes` measures, in the unit of its column.",
    fields: &[
        required("name", Kind::Name("probe"), "Name of the probe.", "\"packing\""),
        required("column", Kind::Text, "Column of its table.", "\"packing_fraction\""),
        alternative("above", VALUE, "The value exceeds this.", "0.6"),
        alternative("below", VALUE, "The value is less than this.", "0.1"),
    ],
    alternatives: BOUNDS,
};

pub(crate) static STAGE_MATERIAL: TableSpec = TableSpec {
    name: "stage_material",
    doc: "What becomes of a material; its density stays.",
    fields: &[
        optional(
            "young",
            Kind::Quantity(Dimension::PRESSURE, Bound::POSITIVE),
            "as before",
            "Young's modulus.",
            "\"5 MPa\"",
        ),
        optional("restitution", RESTITUTION, "as before", "Coefficient of restitution between two of the kind.", "0.9"),
        optional("friction", FRICTION, "as before", "Coefficient of sliding friction between two of the kind.", "0.4"),
    ],
    alternatives: &[],
};

pub(crate) static STAGE_WALL: TableSpec = TableSpec {
    name: "stage_wall",
    doc: "What becomes of a wall.",
    fields: &[
        optional("present", Kind::Flag, "as before", "Whether it is there: a gate opens, a lid comes.", "false"),
        optional(
            "motion",
            MOTIONS,
            "as before",
            "How it moves, from where it is; times count from the beginning of the stage. `{ fixed = {} }` stops it.",
            "{ translate = { velocity = [0, 0, \"1 cm/s\"] } }",
        ),
        optional(
            "conveyor",
            Kind::Table(&CONVEYOR),
            "as before",
            "How its surface moves along itself; `{}` stops it.",
            "{ velocity = [\"1 m/s\", 0, 0] }",
        ),
        optional("material", Kind::Name("material"), "as before", "What it is made of.", "\"steel\""),
    ],
    alternatives: &[],
};

pub(crate) static STAGE_INSERT: TableSpec = TableSpec {
    name: "stage_insert",
    doc: "What becomes of a source of grains.",
    fields: &[required(
        "active",
        Kind::Flag,
        "Whether it is switched on. A fill, lattice or file comes in when it is; the times of a stream count from then.",
        "true",
    )],
    alternatives: &[],
};

pub(crate) static STAGE_OUTPUT: TableSpec = TableSpec {
    name: "stage_output",
    doc: "How often something is written from here on. What is not written at all in the first stage cannot begin later.",
    fields: &[
        optional("interval", POSITIVE_TIME, "as before", "Between rows of series.csv.", "\"10 ms\""),
        optional("frames", POSITIVE_TIME, "as before", "Between frames for ParaView.", "\"20 ms\""),
        optional("trajectory", POSITIVE_TIME, "as before", "Between frames of the compact trajectory.", "\"10 ms\""),
        optional("checkpoint", POSITIVE_TIME, "as before", "Between checkpoints.", "\"0.5 s\""),
    ],
    alternatives: &[],
};
