//! The declarations of what hard solvers are told.

use super::*;

const POSITIVE_SPEED: Kind = Kind::Quantity(Dimension::SPEED, Bound::POSITIVE);

pub(crate) static HARD: TableSpec = TableSpec {
    name: "hard",
    doc: "What the solvers \"hard-stepped\" and \"hard-events\" are told besides restitution, friction and tangential restitution of the materials.",
    fields: &[
        optional(
            "restitution",
            Kind::Table(&SPEED_DEPENDENCE),
            "the same at any speed",
            "How restitution depends on the speed of an impact.",
            "{ viscoelastic = { speed = \"1 m/s\" } }",
        ),
        optional(
            "collapse",
            Kind::Either(&[Kind::Word(NO_RULE), Kind::Table(&COLLAPSE)]),
            "{ contact_time = {} }",
            "\"hard-events\": what is done about inelastic collapse, infinitely many collisions in a finite time.",
            "{ cut_off = { speed = \"1 mm/s\" } }",
        ),
        optional(
            "event_times",
            Kind::Word(EVENT_TIMES),
            "\"cascade\"",
            "\"hard-events\": how the times of collisions are found where accelerations differ.",
            "\"cascade\"",
        ),
        optional(
            "queue",
            Kind::Word(EVENT_QUEUE),
            "\"bounded\"",
            "\"hard-events\": how the next event is found; both ways give the same events.",
            "\"bounded\"",
        ),
        optional(
            "neighbours",
            Kind::Word(NEIGHBOURS),
            "\"auto\"",
            "\"hard-events\": which grains are looked at for the next collision of a grain.",
            "\"cells\"",
        ),
        optional(
            "sweeps",
            Kind::Count { least: 1, most: 1000 },
            "1",
            "\"hard-stepped\": how often a step goes over the pairs that overlap.",
            "4",
        ),
        optional(
            "overlap",
            Kind::Quantity(
                Dimension::NUMBER,
                Bound {
                    low: 0.0,
                    low_included: false,
                    high: 0.1,
                    high_included: true,
                    reason: "runs with larger overlaps at collisions gain energy without bound",
                },
            ),
            "0.002",
            "\"hard-stepped\": mean overlap at collisions, over the width of the grains, that the automatic step aims at.",
            "0.005",
        ),
        optional(
            "average_after",
            MOMENT,
            "0",
            "From when on collisions are added up for the averages of the probe `collisions`.",
            "\"2 s\"",
        ),
        optional(
            "log",
            Kind::Flag,
            "false",
            "Whether every collision is written to collisions.csv: when, who, where, normal, impulse, speed of approach, loss.",
            "true",
        ),
    ],
    alternatives: &[],
};

pub(crate) static SPEED_DEPENDENCE: TableSpec = TableSpec {
    name: "speed_dependence",
    doc: "How restitution depends on the speed of an impact. Slow impacts are nearly elastic, so that there is no inelastic collapse.",
    fields: &[
        alternative(
            "power_law",
            Kind::Table(&POWER_LAW),
            "1 - (1 - e) (v / speed)^exponent below a speed, and e above it.",
            "{ speed = \"1 m/s\" }",
        ),
        alternative(
            "viscoelastic",
            Kind::Table(&AT_SPEED),
            "As viscoelastic spheres, with the materials' restitution at a speed.",
            "{ speed = \"1 m/s\" }",
        ),
    ],
    alternatives: &[Alternatives { keys: &["power_law", "viscoelastic"], required: true }],
};

pub(crate) static POWER_LAW: TableSpec = TableSpec {
    name: "power_law",
    doc: "Restitution 1 - (1 - e) (v / speed)^exponent below a speed.",
    fields: &[
        required("speed", POSITIVE_SPEED, "Speed from which on the materials' restitution holds.", "\"1 m/s\""),
        optional("exponent", POSITIVE_NUMBER, "0.75", "How fast impacts become elastic below it.", "0.75"),
    ],
    alternatives: &[],
};

pub(crate) static AT_SPEED: TableSpec = TableSpec {
    name: "at_speed",
    doc: "A speed of approach.",
    fields: &[required("speed", POSITIVE_SPEED, "The speed.", "\"1 m/s\"")],
    alternatives: &[],
};

pub(crate) static COLLAPSE: TableSpec = TableSpec {
    name: "collapse",
    doc: "What is done about inelastic collapse. How often the rule took part is in series.csv.",
    fields: &[
        alternative(
            "contact_time",
            Kind::Table(&CONTACT_TIME),
            "A collision that follows the last one of either grain within a time loses nothing; the default.",
            "{ duration = \"1 us\" }",
        ),
        alternative("cut_off", Kind::Table(&AT_SPEED), "Impacts below a speed lose nothing.", "{ speed = \"1 mm/s\" }"),
        alternative(
            "sleep",
            Kind::Table(&AT_SPEED),
            "Balls that come to lie on walls or on sleepers, slower than a speed, sleep there until something faster hits them or what bears them has gone; impacts below a tenth of it lose nothing. Walls do not feel the weight of sleepers.",
            "{ speed = \"5 mm/s\" }",
        ),
    ],
    alternatives: &[Alternatives { keys: &["contact_time", "cut_off", "sleep"], required: true }],
};

pub(crate) static CONTACT_TIME: TableSpec = TableSpec {
    name: "contact_time",
    doc: "How long a contact lasts in fact.",
    fields: &[optional("duration", POSITIVE_TIME, "a hundred thousandth of a step", "That time.", "\"1 us\"")],
    alternatives: &[],
};

pub(crate) const NO_RULE: &[Word] = &[word("none", "nothing: a run that collapses is stopped with a message")];

pub(crate) const EVENT_TIMES: &[Word] = &[
    word("cascade", "by the derivatives of the distance, one after the other: none is missed, none found twice"),
    word("bairstow", "by Bairstow's method, as in Wassgren's lecture: for comparison"),
];

pub(crate) const EVENT_QUEUE: &[Word] =
    &[word("bounded", "a bounded priority queue"), word("sorted-list", "a sorted list: slow and plain")];

pub(crate) const NEIGHBOURS: &[Word] = &[
    word("auto", "chosen by the solid fraction"),
    word("all-pairs", "all grains: slow and simple"),
    word("cells", "those in the neighbouring cells"),
    word("lists", "those in a list of near neighbours"),
];
