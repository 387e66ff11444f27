//! The declarations: kinds of grain, sizes, regions and how grains come in.

use super::*;

/// Grains are told apart by a number of 32 bits.
const NUMBER_OF_GRAINS: Kind = Kind::Count { least: 1, most: u32::MAX as u64 };

const RADIUS_DOC: &str = "Radius of the ball of the same volume (in the planar mode: of the disc of the same area); for a sphere its radius.";

pub(crate) static PARTICLES: TableSpec = TableSpec {
    name: "particles",
    doc: "A kind of grain: a shape made of a material, with its sizes. Sizes are wanted for the built-in \"sphere\"; a \
          named shape brings its own, and `radius` or `diameter` here replaces it, keeping proportions (a thickness too).",
    fields: &[
        optional(
            "shape",
            Kind::Name("shape"),
            "\"sphere\"",
            "The shape: \"sphere\" or a name from `shapes`.",
            "\"ball\"",
        ),
        optional(
            "material",
            Kind::Name("material"),
            "the only material, when there is one",
            "What it is made of.",
            "\"glass\"",
        ),
        alternative("radius", SIZE, RADIUS_DOC, "\"2.5 mm\""),
        alternative(
            "diameter",
            SIZE,
            "Twice the radius: every length of a distribution here is a diameter.",
            "\"5 mm\"",
        ),
    ],
    alternatives: &[Alternatives { keys: &["radius", "diameter"], required: false }],
};

pub(super) const SIZE: Kind = Kind::Either(&[POSITIVE_LENGTH, Kind::Table(&DISTRIBUTION)]);

pub(crate) static DISTRIBUTION: TableSpec = TableSpec {
    name: "distribution",
    doc: "How sizes are spread, by number unless said otherwise.",
    fields: &[
        alternative(
            "uniform",
            Kind::Table(&UNIFORM),
            "Any size between two alike.",
            "{ from = \"4 mm\", to = \"6 mm\" }",
        ),
        alternative("normal", Kind::Table(&NORMAL), "Normal with cuts.", "{ mean = \"5 mm\", deviation = \"0.5 mm\" }"),
        alternative(
            "lognormal",
            Kind::Table(&LOGNORMAL),
            "The logarithm is normal, with cuts.",
            "{ median = \"5 mm\", sigma = 0.2 }",
        ),
        alternative(
            "table",
            Kind::Table(&SIZE_TABLE),
            "Classes of fixed size with shares, as from a sieve.",
            "{ sizes = [\"4 mm\", \"6 mm\"], shares = [0.3, 0.7] }",
        ),
    ],
    alternatives: &[Alternatives { keys: &["uniform", "normal", "lognormal", "table"], required: true }],
};

pub(crate) static UNIFORM: TableSpec = TableSpec {
    name: "uniform",
    doc: "Any size between two alike.",
    fields: &[
        required("from", POSITIVE_LENGTH, "Smallest size.", "\"4 mm\""),
        required("to", POSITIVE_LENGTH, "Largest size.", "\"6 mm\""),
    ],
    alternatives: &[],
};

pub(crate) static NORMAL: TableSpec = TableSpec {
    name: "normal",
    doc: "A normal distribution; sizes outside the cuts are drawn again.",
    fields: &[
        required("mean", POSITIVE_LENGTH, "Mean size, before the cuts.", "\"5 mm\""),
        required("deviation", POSITIVE_LENGTH, "Standard deviation, before the cuts.", "\"0.5 mm\""),
        optional("from", POSITIVE_LENGTH, "mean - 3.5 deviations", "Smallest size.", "\"4 mm\""),
        optional("to", POSITIVE_LENGTH, "mean + 3.5 deviations", "Largest size.", "\"6 mm\""),
    ],
    alternatives: &[],
};

pub(crate) static LOGNORMAL: TableSpec = TableSpec {
    name: "lognormal",
    doc: "A lognormal distribution; sizes outside the cuts are drawn again.",
    fields: &[
        required("median", POSITIVE_LENGTH, "Median size.", "\"5 mm\""),
        required("sigma", POSITIVE_NUMBER, "Standard deviation of the natural logarithm.", "0.2"),
        optional("from", POSITIVE_LENGTH, "median exp(-3.5 sigma)", "Smallest size.", "\"3 mm\""),
        optional("to", POSITIVE_LENGTH, "median exp(3.5 sigma)", "Largest size.", "\"8 mm\""),
    ],
    alternatives: &[],
};

pub(crate) static SIZE_TABLE: TableSpec = TableSpec {
    name: "size_table",
    doc: "Classes of fixed size with shares.",
    fields: &[
        required("sizes", Kind::Quantities(Dimension::LENGTH, Bound::POSITIVE), "The sizes.", "[\"4 mm\", \"6 mm\"]"),
        required(
            "shares",
            Kind::Quantities(Dimension::NUMBER, Bound::NOT_NEGATIVE),
            "A share for each size; they need not add to 1.",
            "[0.3, 0.7]",
        ),
        optional("by", Kind::Word(SHARES_BY), "\"number\"", "What the shares are of.", "\"mass\""),
    ],
    alternatives: &[],
};

pub(crate) const SHARES_BY: &[Word] =
    &[word("number", "shares of the number of grains"), word("mass", "shares of the mass of the grains")];

pub(crate) static REGION: TableSpec = TableSpec {
    name: "region",
    doc: "A part of space.",
    fields: &[
        alternative(
            "box",
            Kind::Table(&BOX_REGION),
            "An axis-aligned box.",
            "{ from = [0, 0, 0], to = \"10 10 20 cm\" }",
        ),
        alternative(
            "cylinder",
            Kind::Table(&CYLINDER_REGION),
            "A flat-ended cylinder.",
            "{ from = [0, 0, 0], to = [0, 0, 1], radius = \"5 cm\" }",
        ),
        alternative("ball", Kind::Table(&BALL_REGION), "A ball.", "{ centre = [0, 0, 0], radius = \"5 cm\" }"),
    ],
    alternatives: &[Alternatives { keys: &["box", "cylinder", "ball"], required: true }],
};

pub(crate) static BOX_REGION: TableSpec = TableSpec {
    name: "box_region",
    doc: "An axis-aligned box.",
    fields: &[
        required("from", POSITION, "Smallest coordinates.", "[0, 0, 0]"),
        required("to", POSITION, "Largest coordinates.", "\"10 10 20 cm\""),
    ],
    alternatives: &[],
};

pub(crate) static CYLINDER_REGION: TableSpec = TableSpec {
    name: "cylinder_region",
    doc: "A flat-ended cylinder around the segment between two points.",
    fields: &[
        required("from", POSITION, "Centre of one end.", "[0, 0, 0]"),
        required("to", POSITION, "Centre of the other end.", "[0, 0, \"20 cm\"]"),
        required("radius", POSITIVE_LENGTH, "Radius.", "\"5 cm\""),
    ],
    alternatives: &[],
};

pub(crate) static BALL_REGION: TableSpec = TableSpec {
    name: "ball_region",
    doc: "A ball.",
    fields: &[
        required("centre", POSITION, "Centre.", "[0, 0, \"10 cm\"]"),
        required("radius", POSITIVE_LENGTH, "Radius.", "\"5 cm\""),
    ],
    alternatives: &[],
};

pub(crate) static INSERT: TableSpec = TableSpec {
    name: "insert",
    doc: "A source of grains. Whole grains lie inside its region, and none is ever put where it would overlap.",
    fields: &[
        optional("name", Kind::Text, "\"insert\" and its number", "Name in messages.", "\"feed\""),
        optional(
            "active",
            Kind::Flag,
            "true",
            "Whether it is switched on from the start; a stage can switch it on later.",
            "false",
        ),
        optional(
            "particles",
            Kind::Shares("kind of grain"),
            "the only kind of grain, when there is one",
            "Which kinds of grain, with shares if there are several.",
            "{ sand = 0.9, gravel = 0.1 }",
        ),
        optional(
            "shares_by",
            Kind::Word(SHARES_BY),
            "\"number\"",
            "What the shares in `particles` are of.",
            "\"mass\"",
        ),
        alternative(
            "lattice",
            Kind::Table(&LATTICE),
            "At the start, on a lattice.",
            "{ region = { box = { from = [0, 0, 0], to = [1, 1, 1] } } }",
        ),
        alternative(
            "fill",
            Kind::Table(&FILL),
            "At the start, at random places.",
            "{ region = { box = { from = [0, 0, 0], to = [1, 1, 1] } }, count = 500 }",
        ),
        alternative(
            "stream",
            Kind::Table(&STREAM),
            "From a time on, at random places, so many a second.",
            "{ region = { box = { from = [0, 0, 0], to = [1, 1, 1] } }, rate = \"2 kg/s\" }",
        ),
        alternative("file", Kind::File, "At the start, exactly the grains of a CSV file.", "\"grains.csv\""),
        alternative(
            "run",
            Kind::Either(&[Kind::File, Kind::Table(&OTHER_RUN)]),
            "At the start, the grains that another run has left, as they were: with their velocities, and the contacts between them \
             with the friction they are loaded with. A directory stands for its last moment.",
            "\"settled-run\"",
        ),
        optional(
            "max_overlap",
            Kind::Quantity(
                Dimension::NUMBER,
                Bound { low: 0.0, low_included: true, high: 1.0, high_included: false, reason: "" },
            ),
            "1e-6; 0.05 for `run`",
            "Largest overlap to accept in a file, as a fraction of the smallest half width of the two grains. Unless it is given, \
             grains may touch: rounded numbers are no overlap. Of a run, it is about what the grains did not touch there.",
            "0.01",
        ),
        optional(
            "velocity",
            Kind::Vector(Dimension::SPEED),
            "[0, 0, 0]",
            "Mean velocity of the new grains.",
            "[0, 0, \"-1 m/s\"]",
        ),
        optional(
            "velocity_spread",
            Kind::Quantity(Dimension::SPEED, Bound::NOT_NEGATIVE),
            "0",
            "Half-width of a uniform spread on each velocity component.",
            "\"0.1 m/s\"",
        ),
        optional(
            "angular_velocity",
            Kind::Vector(Dimension::ANGULAR_VELOCITY),
            "[0, 0, 0]",
            "Angular velocity of the new grains.",
            "[0, 0, \"60 rpm\"]",
        ),
        optional(
            "orientation",
            Kind::Either(&[Kind::Word(RANDOM), Kind::Rotation]),
            "\"random\"",
            "Orientation of the new grains.",
            "[1, 0, 0, 0]",
        ),
    ],
    alternatives: &[Alternatives { keys: &["lattice", "fill", "stream", "file", "run"], required: true }],
};

pub(crate) static OTHER_RUN: TableSpec = TableSpec {
    name: "other_run",
    doc: "What of another run comes in. The grains keep the order of their ids; kinds and walls are known by their names.",
    fields: &[
        required(
            "directory",
            Kind::File,
            "The directory of the run, or one of its checkpoints. A copy of the checkpoint is kept with this run.",
            "\"settled-run\"",
        ),
        optional(
            "time",
            MOMENT,
            "its last",
            "Its newest checkpoint that is not after this time. A run keeps its two newest; earlier moments are gone, for frames and \
             trajectory do not hold what contacts remember.",
            "\"0.5 s\"",
        ),
        optional(
            "region",
            Kind::Table(&REGION),
            "all",
            "Only grains whose centres lie there, before they are turned and moved.",
            "{ box = { from = [0, 0, 0], to = [1, 1, 1] } }",
        ),
        optional(
            "copies",
            Kind::Vector(Dimension::NUMBER),
            "[1, 1, 1]",
            "How many of it stand side by side along each axis.",
            "[2, 2, 1]",
        ),
        optional(
            "spacing",
            Kind::Vector(Dimension::LENGTH),
            "the periods of the run",
            "From one copy to the next. Copies of a periodic run touch as the run touched itself, and contacts go on there too.",
            "[\"10 cm\", \"10 cm\", 0]",
        ),
        optional("turn", Kind::Rotation, "not turned", "How all of it is turned about the origin.", "[1, 0, 0, 0]"),
        optional(
            "shift",
            Kind::Vector(Dimension::LENGTH),
            "[0, 0, 0]",
            "How far it is moved after that.",
            "[0, 0, \"5 cm\"]",
        ),
        optional("at_rest", Kind::Flag, "false", "Whether the grains come without their velocities.", "true"),
        optional(
            "walls",
            Kind::Flag,
            "false",
            "Whether walls of the same names begin where they were in the run: a lid that came down, a drum that turned.",
            "true",
        ),
    ],
    alternatives: &[],
};

pub(crate) const RANDOM: &[Word] = &[word("random", "every orientation alike")];

pub(crate) static LATTICE: TableSpec = TableSpec {
    name: "lattice",
    doc: "Grains on a lattice, layer by layer from the bottom.",
    fields: &[
        required("region", Kind::Table(&REGION), "Where.", "{ box = { from = [0, 0, 0], to = [1, 1, 1] } }"),
        optional(
            "arrangement",
            Kind::Word(ARRANGEMENT),
            "\"cubic\"",
            "Arrangement of the lattice.",
            "\"face_centred\"",
        ),
        optional(
            "spacing",
            POSITIVE_LENGTH,
            "just apart for the largest size",
            "Distance between neighbours.",
            "\"6 mm\"",
        ),
        optional("count", NUMBER_OF_GRAINS, "as many as fit", "How many.", "1000"),
    ],
    alternatives: &[],
};

pub(crate) const ARRANGEMENT: &[Word] = &[
    word("cubic", "simple cubic"),
    word("face_centred", "face-centred cubic"),
    word("hexagonal", "hexagonal layers, close packed"),
];

pub(crate) static FILL: TableSpec = TableSpec {
    name: "fill",
    doc: "Grains at random places.",
    fields: &[
        required("region", Kind::Table(&REGION), "Where.", "{ box = { from = [0, 0, 0], to = [1, 1, 1] } }"),
        alternative("count", NUMBER_OF_GRAINS, "How many, exactly.", "2000"),
        alternative(
            "fraction",
            Kind::Quantity(
                Dimension::NUMBER,
                Bound {
                    low: 0.0,
                    low_included: false,
                    high: 0.74,
                    high_included: false,
                    reason: "the densest packing of equal spheres fills 0.7405; at random places spheres reach about 0.36, compact shapes 0.25",
                },
            ),
            "Volume of the grains over volume of the region.",
            "0.3",
        ),
    ],
    alternatives: &[Alternatives { keys: &["count", "fraction"], required: true }],
};

pub(crate) static STREAM: TableSpec = TableSpec {
    name: "stream",
    doc: "Grains that come in while the run goes on. Without `duration` and `count` it lasts to the end of the run.",
    fields: &[
        required("region", Kind::Table(&REGION), "Where.", "{ box = { from = [0, 0, 0], to = [1, 1, 1] } }"),
        required(
            "rate",
            Kind::Either(&[
                Kind::Quantity(Dimension::RATE, Bound::POSITIVE),
                Kind::Quantity(Dimension::MASS_RATE, Bound::POSITIVE),
            ]),
            "Grains a second, or mass a second (turned into grains by their mean mass); a bare number is grains a second.",
            "\"500 1/s\"",
        ),
        optional("start", MOMENT, "0", "When it begins.", "\"0.1 s\""),
        alternative("duration", POSITIVE_TIME, "How long it lasts.", "\"1 s\""),
        alternative("count", NUMBER_OF_GRAINS, "How many in all.", "2000"),
    ],
    alternatives: &[Alternatives { keys: &["duration", "count"], required: false }],
};
