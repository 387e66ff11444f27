//! The declarations: walls and their motions.

use super::*;

pub(crate) static WALL: TableSpec = TableSpec {
    name: "wall",
    doc: "A wall. Planes and boxes are solid behind their surface; cylinders, cones, meshes, lines and arcs are thin shells that \
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
        optional(
            "motion",
            Kind::Table(&MOTION),
            "it does not move",
            "How it moves.",
            "{ rotate = { speed = \"30 rpm\" } }",
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
        keys: &["plane", "box", "cylinder", "cone", "mesh", "line", "arc"],
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

pub(crate) static MOTION: TableSpec = TableSpec {
    name: "motion",
    doc: "How a wall moves.",
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
            "servo",
            Kind::Table(&SERVO),
            "Pressed on the grains with a wanted force.",
            "{ direction = [0, 0, -1], force = \"10 N\", max_speed = \"5 cm/s\" }",
        ),
        alternative("fixed", Kind::Table(&EMPTY), "Not at all: a stage stops a wall with it.", "{}"),
    ],
    alternatives: &[Alternatives { keys: &["translate", "rotate", "vibrate", "servo", "fixed"], required: true }],
};

const START_DOC: &str = "When it begins.";
const STOP_DOC: &str = "When it ends.";

pub(crate) static TRANSLATE: TableSpec = TableSpec {
    name: "translate",
    doc: "Motion at a constant velocity.",
    fields: &[
        required("velocity", Kind::Vector(Dimension::SPEED), "Velocity.", "[0, 0, \"1 cm/s\"]"),
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
            "that of the cylinder or cone, z for a line or an arc",
            "Direction of the axis.",
            "[0, 1, 0]",
        ),
        optional("point", POSITION, "the wall's own centre", "A point of the axis.", "[0, 0, 0]"),
        optional("start", MOMENT, "0", START_DOC, "\"0.5 s\""),
        optional("stop", MOMENT, "never", STOP_DOC, "\"2 s\""),
    ],
    alternatives: &[],
};

pub(crate) static VIBRATE: TableSpec = TableSpec {
    name: "vibrate",
    doc: "Displacement = amplitude * sin(2 pi frequency (t - start)).",
    fields: &[
        required("amplitude", Kind::Vector(Dimension::LENGTH), "Amplitude and direction.", "[0, 0, \"1 mm\"]"),
        required("frequency", Kind::Quantity(Dimension::FREQUENCY, Bound::POSITIVE), "Cycles a second.", "\"50 Hz\""),
        optional("start", MOMENT, "0", START_DOC, "\"0.5 s\""),
        optional("stop", MOMENT, "never", STOP_DOC, "\"2 s\""),
    ],
    alternatives: &[],
};

pub(crate) static SERVO: TableSpec = TableSpec {
    name: "servo",
    doc: "The wall moves along a direction until the grains press back with the wanted force: \
          speed = gain * (force - load), at most `max_speed` either way.",
    fields: &[
        required("direction", Kind::Direction, "Direction in which the wall presses on the grains.", "[0, 0, -1]"),
        required("force", Kind::Quantity(Dimension::FORCE, Bound::POSITIVE), "Force to press with.", "\"10 N\""),
        required("max_speed", Kind::Quantity(Dimension::SPEED, Bound::POSITIVE), "Largest speed.", "\"5 cm/s\""),
        optional(
            "gain",
            Kind::Quantity(Dimension::MOBILITY, Bound::POSITIVE),
            "max_speed / force: full speed while nothing presses back",
            "Speed for each newton that is missing.",
            "\"1 mm/(s N)\"",
        ),
    ],
    alternatives: &[],
};
