//! The declarations: walls and their motions.

use super::*;

pub(crate) static WALL: TableSpec = TableSpec {
    name: "wall",
    doc: "A wall. Planes and boxes are solid behind their surface, a solid box inside; all others are thin shells that \
          grains meet from either side.",
    fields: &[
        optional("name", Kind::Text, "\"wall\" and its number", "Name in messages and outputs.", "\"floor\""),
        optional(
            "material",
            Kind::Name("material"),
            "the only material, when there is one",
            "What it is made of.",
            "\"steel\"",
        ),
        alternative(
            "plane",
            Kind::Table(&PLANE),
            "Everything behind a plane.",
            "{ point = [0, 0, 0], normal = [0, 0, 1] }",
        ),
        alternative(
            "box",
            Kind::Table(&BOX_WALL),
            "Up to six planes around a box, seen from inside.",
            "{ from = [0, 0, 0], to = \"10 10 20 cm\", open = [\"top\"] }",
        ),
        alternative(
            "cylinder",
            Kind::Table(&CYLINDER_WALL),
            "A tube or a drum; grains may be inside or outside.",
            "{ from = [0, 0, 0], to = [0, 0, 1], radius = \"5 cm\" }",
        ),
        alternative(
            "cone",
            Kind::Table(&CONE),
            "An open, truncated cone.",
            "{ from = [0, 0, 0], to = [0, 0, 1], radius_from = \"1 cm\", radius_to = \"5 cm\" }",
        ),
        alternative(
            "mesh",
            Kind::Table(&MESH),
            "Triangles from an STL or OBJ file.",
            "{ file = \"blade.stl\", scale = \"1 mm\" }",
        ),
        alternative(
            "line",
            Kind::Table(&LINE),
            "A straight line, for scenes with `planar = true`.",
            "{ from = [0, 0, 0], to = \"10 2 0 cm\" }",
        ),
        alternative(
            "arc",
            Kind::Table(&ARC),
            "An arc or a whole circle, for scenes with `planar = true`.",
            "{ centre = [0, 0, 0], radius = \"5 cm\", from = \"180 deg\", to = \"360 deg\" }",
        ),
        alternative(
            "plate",
            Kind::Table(&PLATE),
            "A thin rectangle.",
            "{ centre = [0, 0, 0], normal = [0, 0, 1], size = [\"20 cm\", \"10 cm\"] }",
        ),
        alternative(
            "disc",
            Kind::Table(&DISC_WALL),
            "A thin disc or ring.",
            "{ centre = [0, 0, 0], normal = [0, 0, 1], radius = \"5 cm\" }",
        ),
        alternative(
            "solid_box",
            Kind::Table(&SOLID_BOX),
            "A box that grains meet from outside.",
            "{ from = [0, 0, 0], to = \"10 10 2 cm\" }",
        ),
        alternative(
            "lifters",
            Kind::Table(&LIFTERS),
            "Plates or bars around an axis, inside a drum.",
            "{ from = [0, 0, 0], to = [0, 1, 0], radius = \"20 cm\", count = 8, height = \"3 cm\" }",
        ),
        optional(
            "motion",
            MOTIONS,
            "it does not move",
            "How it moves; several motions in a list add up.",
            "{ rotate = { speed = \"30 rpm\" } }",
        ),
        optional(
            "conveyor",
            Kind::Table(&CONVEYOR),
            "it does not",
            "How its surface moves along itself, as a belt does, while the wall stays.",
            "{ velocity = [\"1 m/s\", 0, 0] }",
        ),
        optional(
            "present",
            Kind::Flag,
            "true",
            "Whether it is there from the start; a stage can let it come later.",
            "false",
        ),
    ],
    alternatives: &[Alternatives {
        keys: &["plane", "box", "cylinder", "cone", "mesh", "line", "arc", "plate", "disc", "solid_box", "lifters"],
        required: true,
    }],
};

pub(crate) static PLANE: TableSpec = TableSpec {
    name: "plane",
    doc: "A plane, solid behind.",
    fields: &[
        required("point", POSITION, "A point of the plane.", "[0, 0, 0]"),
        required("normal", Kind::Direction, "Direction from the plane towards the grains.", "[0, 0, 1]"),
    ],
    alternatives: &[],
};

pub(crate) static BOX_WALL: TableSpec = TableSpec {
    name: "box_wall",
    doc: "Six planes around a box, called NAME.left, NAME.right (across x), NAME.front, NAME.back (across y), \
          NAME.bottom, NAME.top (across z). The planes have no edges: above an open top the side walls go on.",
    fields: &[
        required("from", POSITION, "Smallest coordinates of the inside.", "[0, 0, 0]"),
        required("to", POSITION, "Largest coordinates of the inside.", "\"10 10 20 cm\""),
        optional("open", Kind::Words(FACES), "[]", "Faces that are left out.", "[\"top\"]"),
    ],
    alternatives: &[],
};

pub(crate) const FACES: &[Word] = &[
    word("left", "smallest x"),
    word("right", "largest x"),
    word("front", "smallest y"),
    word("back", "largest y"),
    word("bottom", "smallest z"),
    word("top", "largest z"),
];

pub(crate) static CYLINDER_WALL: TableSpec = TableSpec {
    name: "cylinder_wall",
    doc: "A thin cylindrical shell around the segment between two points.",
    fields: &[
        required("from", POSITION, "Centre of one end.", "[0, 0, 0]"),
        required("to", POSITION, "Centre of the other end.", "[0, 0, \"20 cm\"]"),
        required("radius", POSITIVE_LENGTH, "Radius.", "\"5 cm\""),
        optional("ends", Kind::Word(ENDS), "\"open\"", "Which ends are closed by a disc.", "\"closed\""),
    ],
    alternatives: &[],
};

pub(crate) const ENDS: &[Word] = &[
    word("open", "none: a tube"),
    word("closed", "both: a drum"),
    word("from", "the end at `from`"),
    word("to", "the end at `to`"),
];

pub(crate) static CONE: TableSpec = TableSpec {
    name: "cone",
    doc: "A thin conical shell without ends. One of the radii may be zero.",
    fields: &[
        required("from", POSITION, "Centre of one end.", "[0, 0, 0]"),
        required("to", POSITION, "Centre of the other end.", "[0, 0, \"20 cm\"]"),
        required(
            "radius_from",
            Kind::Quantity(Dimension::LENGTH, Bound::NOT_NEGATIVE),
            "Radius at `from`.",
            "\"1 cm\"",
        ),
        required("radius_to", Kind::Quantity(Dimension::LENGTH, Bound::NOT_NEGATIVE), "Radius at `to`.", "\"5 cm\""),
    ],
    alternatives: &[],
};

pub(crate) static MESH: TableSpec = TableSpec {
    name: "mesh",
    doc: "Triangles from a file: STL (text or binary) or OBJ.",
    fields: &[
        required("file", Kind::File, "The file, relative to the scene file.", "\"blade.stl\""),
        optional("scale", POSITIVE_LENGTH, "\"1 m\"", "Length of one unit of the file.", "\"1 mm\""),
        optional("position", POSITION, "[0, 0, 0]", "Where the file's origin is put.", "[0, 0, \"10 cm\"]"),
        optional(
            "rotation",
            Kind::Rotation,
            "[1, 0, 0, 0]",
            "How the file's frame is turned.",
            "{ axis = [0, 0, 1], angle = \"30 deg\" }",
        ),
    ],
    alternatives: &[],
};

pub(crate) static LINE: TableSpec = TableSpec {
    name: "line",
    doc: "A thin straight wall of the planar mode, from one point to another.",
    fields: &[
        required("from", POSITION, "One end.", "[0, 0, 0]"),
        required("to", POSITION, "The other end.", "\"10 2 0 cm\""),
    ],
    alternatives: &[],
};

const ANY_ANGLE: Kind = Kind::Quantity(Dimension::ANGLE, Bound::ANY);

pub(crate) static ARC: TableSpec = TableSpec {
    name: "arc",
    doc: "A thin round wall of the planar mode, counter-clockwise from one angle to another. Angles count from the x axis.",
    fields: &[
        required("centre", POSITION, "The centre.", "[0, 0, 0]"),
        required("radius", POSITIVE_LENGTH, "Radius.", "\"5 cm\""),
        optional("from", ANY_ANGLE, "0", "Angle at which it begins.", "\"180 deg\""),
        optional("to", ANY_ANGLE, "a whole turn after `from`", "Angle at which it ends, after `from`.", "\"360 deg\""),
    ],
    alternatives: &[],
};

pub(crate) static PLATE: TableSpec = TableSpec {
    name: "plate",
    doc: "A thin rectangle with edges; grains meet it from either side.",
    fields: &[
        required("centre", POSITION, "Its centre.", "[0, 0, \"5 cm\"]"),
        required("normal", Kind::Direction, "Direction across it.", "[0, 0, 1]"),
        required(
            "size",
            Kind::Quantities(Dimension::LENGTH, Bound::POSITIVE),
            "Length and width.",
            "[\"20 cm\", \"10 cm\"]",
        ),
        optional(
            "along",
            Kind::Direction,
            "level; x for a plate that lies flat",
            "Direction of its length, at right angles to `normal`.",
            "[0, 1, 0]",
        ),
    ],
    alternatives: &[],
};

pub(crate) static DISC_WALL: TableSpec = TableSpec {
    name: "disc_wall",
    doc: "A thin disc, or a ring; grains meet it from either side.",
    fields: &[
        required("centre", POSITION, "Its centre.", "[0, 0, \"5 cm\"]"),
        required("normal", Kind::Direction, "Direction of its axis.", "[0, 0, 1]"),
        required("radius", POSITIVE_LENGTH, "Radius.", "\"5 cm\""),
        optional(
            "hole",
            Kind::Quantity(Dimension::LENGTH, Bound::NOT_NEGATIVE),
            "0",
            "Radius of a hole in its middle.",
            "\"1 cm\"",
        ),
    ],
    alternatives: &[],
};

pub(crate) static SOLID_BOX: TableSpec = TableSpec {
    name: "solid_box",
    doc: "A box that is solid inside: no grain is put there.",
    fields: &[
        required("from", POSITION, "Smallest coordinates, before it is turned.", "[0, 0, 0]"),
        required("to", POSITION, "Largest coordinates, before it is turned.", "\"10 10 2 cm\""),
        optional(
            "rotation",
            Kind::Rotation,
            "[1, 0, 0, 0]",
            "How it is turned about its centre.",
            "{ axis = [0, 1, 0], angle = \"30 deg\" }",
        ),
    ],
    alternatives: &[],
};

pub(crate) static LIFTERS: TableSpec = TableSpec {
    name: "lifters",
    doc: "Plates, or with a thickness bars, that stand around an axis and reach inwards, as in a drum. `motion = { with = \"drum\" }` lets \
          them turn with it.",
    fields: &[
        required("from", POSITION, "One end of the axis.", "[0, 0, 0]"),
        required("to", POSITION, "The other end; they are as long.", "[0, \"30 cm\", 0]"),
        required("radius", POSITIVE_LENGTH, "From the axis to their feet: the radius of the drum.", "\"20 cm\""),
        required("count", Kind::Count { least: 1, most: 10_000 }, "How many.", "8"),
        required("height", POSITIVE_LENGTH, "How far they reach inwards from their feet.", "\"3 cm\""),
        optional(
            "thickness",
            Kind::Quantity(Dimension::LENGTH, Bound::NOT_NEGATIVE),
            "0: thin plates",
            "Thickness of bars.",
            "\"1 cm\"",
        ),
        optional("at", ANY_ANGLE, "0", "Angle about the axis at which the first one stands.", "\"15 deg\""),
        optional(
            "lean",
            ANY_ANGLE,
            "0",
            "How far each is turned about its foot, out of the direction to the axis.",
            "\"30 deg\"",
        ),
    ],
    alternatives: &[],
};

pub(crate) static CONVEYOR: TableSpec = TableSpec {
    name: "conveyor",
    doc: "How the surface of a wall moves along itself. Only the part of the velocity along the surface counts, place by place; \
          what friction it does is the work of the wall.",
    fields: &[
        optional(
            "velocity",
            Kind::Vector(Dimension::SPEED),
            "0",
            "Velocity; it turns with the wall.",
            "[\"1 m/s\", 0, 0]",
        ),
        optional(
            "around",
            Kind::Quantity(Dimension::ANGULAR_VELOCITY, Bound::ANY),
            "0",
            "Angular speed about an axis, as of a roller.",
            "\"60 rpm\"",
        ),
        optional(
            "axis",
            Kind::Direction,
            "that of the cylinder, cone, disc or lifters",
            "Direction of that axis.",
            "[0, 1, 0]",
        ),
        optional("point", POSITION, "the wall's own centre", "A point of that axis.", "[0, 0, 0]"),
    ],
    alternatives: &[],
};

/// One motion, or several that add up.
pub(super) const MOTIONS: Kind = Kind::Either(&[Kind::Table(&MOTION), Kind::List(&MOTION)]);

pub(crate) static MOTION: TableSpec = TableSpec {
    name: "motion",
    doc: "How a wall moves. Motions in a list add up: turns first, each about its axis as it stands in the scene and each turning \
          what those before it have turned, and displacements carry along what has been turned.",
    fields: &[
        alternative(
            "translate",
            Kind::Table(&TRANSLATE),
            "At a constant velocity.",
            "{ velocity = [0, 0, \"1 cm/s\"] }",
        ),
        alternative("rotate", Kind::Table(&ROTATE), "About a fixed axis.", "{ speed = \"30 rpm\" }"),
        alternative(
            "vibrate",
            Kind::Table(&VIBRATE),
            "To and fro as a sine.",
            "{ amplitude = [0, 0, \"1 mm\"], frequency = \"50 Hz\" }",
        ),
        alternative(
            "swing",
            Kind::Table(&SWING),
            "To and fro about an axis as a sine.",
            "{ amplitude = \"30 deg\", frequency = \"1 Hz\", axis = [0, 1, 0] }",
        ),
        alternative(
            "table",
            Kind::Table(&MOTION_TABLE),
            "As a table in a CSV file says.",
            "{ file = \"press.csv\", along = [0, 0, 1] }",
        ),
        alternative(
            "servo",
            Kind::Table(&SERVO),
            "Pressed on the grains with a wanted force.",
            "{ direction = [0, 0, -1], force = \"10 N\", max_speed = \"5 cm/s\" }",
        ),
        alternative(
            "free",
            Kind::Table(&FREE),
            "Pushed along a line by grains and gravity, as a body with a mass.",
            "{ direction = [0, 0, 1], mass = \"2 kg\" }",
        ),
        alternative(
            "with",
            Kind::Name("wall"),
            "As another wall moves, and together with it: what goes by the load goes by the load on all.",
            "\"drum\"",
        ),
        alternative("fixed", Kind::Table(&EMPTY), "Not at all: a stage stops a wall with it.", "{}"),
    ],
    alternatives: &[Alternatives {
        keys: &["translate", "rotate", "vibrate", "swing", "table", "servo", "free", "with", "fixed"],
        required: true,
    }],
};

const START_DOC: &str = "When it begins.";
const STOP_DOC: &str = "When it ends.";
const RAMP_DOC: &str = "How long the speed takes to change.";
const PHASE_DOC: &str =
    "Phase at the start; two motions across each other, one with 90 degrees, make a circle or an ellipse.";

pub(crate) static TRANSLATE: TableSpec = TableSpec {
    name: "translate",
    doc: "Motion at a constant velocity.",
    fields: &[
        required("velocity", Kind::Vector(Dimension::SPEED), "Velocity.", "[0, 0, \"1 cm/s\"]"),
        optional("ramp", MOMENT, "0", RAMP_DOC, "\"0.2 s\""),
        optional("from", Kind::Vector(Dimension::SPEED), "0", "Velocity at the beginning of the ramp.", "[0, 0, 0]"),
        optional("start", MOMENT, "0", START_DOC, "\"0.5 s\""),
        optional("stop", MOMENT, "never", STOP_DOC, "\"2 s\""),
    ],
    alternatives: &[],
};

pub(crate) static ROTATE: TableSpec = TableSpec {
    name: "rotate",
    doc: "Motion about a fixed axis.",
    fields: &[
        required(
            "speed",
            Kind::Quantity(Dimension::ANGULAR_VELOCITY, Bound::ANY),
            "Angular speed, positive by the right-hand rule.",
            "\"30 rpm\"",
        ),
        optional(
            "axis",
            Kind::Direction,
            "that of the cylinder, cone, disc or lifters, z for a line or an arc",
            "Direction of the axis.",
            "[0, 1, 0]",
        ),
        optional("point", POSITION, "the wall's own centre", "A point of the axis.", "[0, 0, 0]"),
        optional("ramp", MOMENT, "0", RAMP_DOC, "\"2 s\""),
        optional(
            "from",
            Kind::Quantity(Dimension::ANGULAR_VELOCITY, Bound::ANY),
            "0",
            "Angular speed at the beginning of the ramp.",
            "\"5 rpm\"",
        ),
        optional("start", MOMENT, "0", START_DOC, "\"0.5 s\""),
        optional("stop", MOMENT, "never", STOP_DOC, "\"2 s\""),
    ],
    alternatives: &[],
};

pub(crate) static SWING: TableSpec = TableSpec {
    name: "swing",
    doc: "Angle = amplitude * (sin(2 pi frequency (t - start) + phase) - sin(phase)).",
    fields: &[
        required("amplitude", ANY_ANGLE, "Amplitude.", "\"30 deg\""),
        required("frequency", Kind::Quantity(Dimension::FREQUENCY, Bound::POSITIVE), "Cycles a second.", "\"1 Hz\""),
        optional("phase", ANY_ANGLE, "0", PHASE_DOC, "\"90 deg\""),
        optional(
            "axis",
            Kind::Direction,
            "that of the cylinder, cone, disc or lifters, z for a line or an arc",
            "Direction of the axis.",
            "[0, 1, 0]",
        ),
        optional("point", POSITION, "the wall's own centre", "A point of the axis.", "[0, 0, 0]"),
        optional("start", MOMENT, "0", START_DOC, "\"0.5 s\""),
        optional("stop", MOMENT, "never", STOP_DOC, "\"2 s\""),
    ],
    alternatives: &[],
};

pub(crate) static MOTION_TABLE: TableSpec = TableSpec {
    name: "motion_table",
    doc: "A motion from a CSV file with the columns `time` and one of `position`, `velocity` (along a direction), `angle`, \
          `angular_velocity` (about an axis), in SI or in the unit that stands in brackets behind the name: `time [ms], position [mm]`. \
          Between rows the wall goes at a constant speed, or its speed changes at a constant rate; before the first and after the last it stands \
          still. Positions count from the first.",
    fields: &[
        required("file", Kind::File, "The file, relative to the scene file.", "\"press.csv\""),
        optional("along", Kind::Direction, "it turns", "Direction of positions and velocities.", "[0, 0, 1]"),
        optional(
            "axis",
            Kind::Direction,
            "that of the cylinder, cone, disc or lifters, z for a line or an arc",
            "Direction of the axis of angles.",
            "[0, 1, 0]",
        ),
        optional("point", POSITION, "the wall's own centre", "A point of that axis.", "[0, 0, 0]"),
        optional("start", MOMENT, "0", "The time that is zero in the table.", "\"0.5 s\""),
        optional("repeat", Kind::Flag, "false", "Whether it begins anew at its end, from where it came to.", "true"),
    ],
    alternatives: &[],
};

pub(crate) static FREE: TableSpec = TableSpec {
    name: "free",
    doc: "The wall is a body that moves along a line, pushed by grains and gravity; its energy is part of the ledger.",
    fields: &[
        required("direction", Kind::Direction, "Direction of the line.", "[0, 0, 1]"),
        required(
            "mass",
            Kind::Quantity(Dimension::MASS, Bound::POSITIVE),
            "Mass, of all walls together that move with it.",
            "\"2 kg\"",
        ),
        optional(
            "push",
            Kind::Quantity(Dimension::FORCE, Bound::ANY),
            "0",
            "Force along the direction besides.",
            "\"-5 N\"",
        ),
    ],
    alternatives: &[],
};

pub(crate) static VIBRATE: TableSpec = TableSpec {
    name: "vibrate",
    doc: "Displacement = amplitude * (sin(2 pi frequency (t - start) + phase) - sin(phase)).",
    fields: &[
        required("amplitude", Kind::Vector(Dimension::LENGTH), "Amplitude and direction.", "[0, 0, \"1 mm\"]"),
        required("frequency", Kind::Quantity(Dimension::FREQUENCY, Bound::POSITIVE), "Cycles a second.", "\"50 Hz\""),
        optional("phase", ANY_ANGLE, "0", PHASE_DOC, "\"90 deg\""),
        optional("start", MOMENT, "0", START_DOC, "\"0.5 s\""),
        optional("stop", MOMENT, "never", STOP_DOC, "\"2 s\""),
    ],
    alternatives: &[],
};

pub(crate) static SERVO: TableSpec = TableSpec {
    name: "servo",
    doc: "The wall moves along a direction until the grains press back with the wanted force: \
          speed = gain * (force - load), at most `max_speed` either way. With other motions in a list it keeps the load on a wall that is \
          sheared.",
    fields: &[
        required("direction", Kind::Direction, "Direction in which the wall presses on the grains.", "[0, 0, -1]"),
        alternative("force", Kind::Quantity(Dimension::FORCE, Bound::POSITIVE), "Force to press with.", "\"10 N\""),
        alternative(
            "stress",
            Kind::Quantity(Dimension::PRESSURE, Bound::POSITIVE),
            "Force to press with, over the area.",
            "\"5 kPa\"",
        ),
        optional(
            "area",
            Kind::Quantity(Dimension::AREA, Bound::POSITIVE),
            "that of the plate or disc",
            "Area that the stress acts on.",
            "\"100 cm2\"",
        ),
        required("max_speed", Kind::Quantity(Dimension::SPEED, Bound::POSITIVE), "Largest speed.", "\"5 cm/s\""),
        optional(
            "gain",
            Kind::Quantity(Dimension::MOBILITY, Bound::POSITIVE),
            "max_speed / force: full speed while nothing presses back",
            "Speed for each newton that is missing.",
            "\"1 mm/(s N)\"",
        ),
        optional("start", MOMENT, "0", "When it begins.", "\"0.5 s\""),
        optional("ramp", MOMENT, "0", "How long the force takes to change.", "\"2 s\""),
        optional(
            "from",
            Kind::Quantity(Dimension::FORCE, Bound::NOT_NEGATIVE),
            "0",
            "Force at the beginning of the ramp.",
            "\"1 N\"",
        ),
        optional(
            "from_stress",
            Kind::Quantity(Dimension::PRESSURE, Bound::NOT_NEGATIVE),
            "0",
            "Stress at the beginning of the ramp.",
            "\"1 kPa\"",
        ),
    ],
    alternatives: &[Alternatives { keys: &["force", "stress"], required: true }],
};
