//! The declarations: the shapes of grains.

use super::*;

/// A shape that a kind of grain, or a part of a clump, can have.
const SPHERE_FORM: FieldSpec = alternative("sphere", Kind::Table(&SPHERE), "A ball.", "{ radius = \"5 mm\" }");
const CYLINDER_FORM: FieldSpec = alternative(
    "cylinder",
    Kind::Table(&CYLINDER),
    "A cylinder with flat ends: a disc, a pellet, a rod.",
    "{ diameter = \"8 mm\", height = \"3 mm\" }",
);
const CAPSULE_FORM: FieldSpec = alternative(
    "capsule",
    Kind::Table(&CAPSULE),
    "A cylinder with round ends.",
    "{ diameter = \"5 mm\", length = \"12 mm\" }",
);
const CONE_FORM: FieldSpec = alternative(
    "cone",
    Kind::Table(&CONE_SHAPE),
    "A cone, cut off or pointed.",
    "{ lower_radius = \"4 mm\", upper_radius = \"2 mm\", height = \"6 mm\" }",
);
const TABLET_FORM: FieldSpec = alternative(
    "tablet",
    Kind::Table(&TABLET),
    "A cylinder with domed ends, as pills are pressed.",
    "{ diameter = \"8 mm\", height = \"4 mm\", dome = \"1 mm\" }",
);
const SUPERQUADRIC_FORM: FieldSpec = alternative(
    "superquadric",
    Kind::Table(&SUPERQUADRIC),
    "An ellipsoid, or something between it and a box or a cylinder.",
    "{ half_axes = \"4 4 2 mm\", n1 = 3, n2 = 2 }",
);
const POLYHEDRON_FORM: FieldSpec = alternative(
    "polyhedron",
    Kind::Table(&POLYHEDRON),
    "The convex hull of points or of a mesh.",
    "{ mesh = \"stone.stl\", scale = \"1 mm\" }",
);
const BOX_FORM: FieldSpec =
    alternative("box", Kind::Table(&BOX_SHAPE), "A box with sharp edges.", "{ size = \"4 5 6 mm\" }");
const REGULAR_FORM: FieldSpec = alternative(
    "regular",
    Kind::Table(&REGULAR),
    "A regular polyhedron: tetrahedron, cube, octahedron, dodecahedron or icosahedron.",
    "{ faces = 12, edge = \"3 mm\" }",
);

pub(crate) static SHAPE: TableSpec = TableSpec {
    name: "shape",
    doc: "A shape with a name. Its own frame, which orientations speak of, is the one in which it is given here; its \
          place is that of its centre of mass.",
    fields: &[
        SPHERE_FORM,
        CYLINDER_FORM,
        CAPSULE_FORM,
        CONE_FORM,
        TABLET_FORM,
        SUPERQUADRIC_FORM,
        POLYHEDRON_FORM,
        BOX_FORM,
        REGULAR_FORM,
        alternative(
            "clump",
            Kind::Table(&CLUMP),
            "Convex parts held together.",
            "{ parts = [{ sphere = { radius = \"2 mm\" } }] }",
        ),
        alternative(
            "disc",
            Kind::Table(&DISC),
            "A disc, for scenes with `planar = true`.",
            "{ radius = \"5 mm\", thickness = \"1 mm\" }",
        ),
        alternative(
            "polygon",
            Kind::Table(&POLYGON),
            "A convex polygon, for scenes with `planar = true`.",
            "{ corners = [[0, 0], [\"4 mm\", 0], [0, \"3 mm\"]], thickness = \"1 mm\" }",
        ),
    ],
    alternatives: &[Alternatives {
        keys: &[
            "sphere",
            "cylinder",
            "capsule",
            "cone",
            "tablet",
            "superquadric",
            "polyhedron",
            "box",
            "regular",
            "clump",
            "disc",
            "polygon",
        ],
        required: true,
    }],
};

pub(crate) static PART: TableSpec = TableSpec {
    name: "part",
    doc: "One part of a clump.",
    fields: &[
        SPHERE_FORM,
        CYLINDER_FORM,
        CAPSULE_FORM,
        CONE_FORM,
        TABLET_FORM,
        SUPERQUADRIC_FORM,
        POLYHEDRON_FORM,
        BOX_FORM,
        REGULAR_FORM,
        optional("position", POSITION, "[0, 0, 0]", "Where the part's own origin is in the clump.", "[0, 0, \"3 mm\"]"),
        optional(
            "orientation",
            Kind::Rotation,
            "[1, 0, 0, 0]",
            "How the part is turned in the clump.",
            "{ axis = [0, 1, 0], angle = \"90 deg\" }",
        ),
    ],
    alternatives: &[Alternatives {
        keys: &["sphere", "cylinder", "capsule", "cone", "tablet", "superquadric", "polyhedron", "box", "regular"],
        required: true,
    }],
};

pub(crate) static SPHERE: TableSpec = TableSpec {
    name: "sphere",
    doc: "A ball.",
    fields: &[
        alternative("radius", POSITIVE_LENGTH, "Radius.", "\"5 mm\""),
        alternative("diameter", POSITIVE_LENGTH, "Diameter.", "\"10 mm\""),
    ],
    alternatives: &[Alternatives { keys: &["radius", "diameter"], required: true }],
};

pub(crate) static CYLINDER: TableSpec = TableSpec {
    name: "cylinder",
    doc: "A cylinder with flat ends about its own z axis, its middle at its origin. Its lengths can be spread, each on its \
          own: the kind of grain then comes in so many `variants`, all alike likely. (In a clump they are fixed.)",
    fields: &[
        alternative("radius", SIZE, "Radius, or how radii are spread.", "\"4 mm\""),
        alternative("diameter", SIZE, "Diameter, or how diameters are spread.", "\"8 mm\""),
        required("height", SIZE, "Height from one end to the other, or how heights are spread.", "\"3 mm\""),
        optional(
            "variants",
            Kind::Count { least: 2, most: 1000 },
            "100",
            "How many different cylinders stand for lengths that are spread.",
            "200",
        ),
    ],
    alternatives: &[Alternatives { keys: &["radius", "diameter"], required: true }],
};

pub(crate) static CAPSULE: TableSpec = TableSpec {
    name: "capsule",
    doc: "A cylinder with half a ball on each end, about its own z axis, its middle at its origin.",
    fields: &[
        alternative("radius", POSITIVE_LENGTH, "Radius.", "\"2.5 mm\""),
        alternative("diameter", POSITIVE_LENGTH, "Diameter.", "\"5 mm\""),
        required(
            "length",
            POSITIVE_LENGTH,
            "Length from tip to tip, the round ends included; more than the diameter.",
            "\"12 mm\"",
        ),
    ],
    alternatives: &[Alternatives { keys: &["radius", "diameter"], required: true }],
};

pub(crate) static CONE_SHAPE: TableSpec = TableSpec {
    name: "cone_shape",
    doc: "A cone about its own z axis, cut off flat at both ends; its origin is its centre of mass.",
    fields: &[
        required(
            "lower_radius",
            Kind::Quantity(Dimension::LENGTH, Bound::NOT_NEGATIVE),
            "Radius of the lower end.",
            "\"4 mm\"",
        ),
        optional(
            "upper_radius",
            Kind::Quantity(Dimension::LENGTH, Bound::NOT_NEGATIVE),
            "0, a point",
            "Radius of the upper end.",
            "\"2 mm\"",
        ),
        required("height", POSITIVE_LENGTH, "Height.", "\"6 mm\""),
    ],
    alternatives: &[],
};

pub(crate) static TABLET: TableSpec = TableSpec {
    name: "tablet",
    doc: "A cylindrical band with a cap of a ball on each end, about its own z axis, its middle at its origin.",
    fields: &[
        alternative("radius", POSITIVE_LENGTH, "Radius of the band.", "\"4 mm\""),
        alternative("diameter", POSITIVE_LENGTH, "Diameter of the band.", "\"8 mm\""),
        required(
            "height",
            POSITIVE_LENGTH,
            "Height of the whole, from the tip of one dome to that of the other.",
            "\"4 mm\"",
        ),
        required(
            "dome",
            Kind::Quantity(Dimension::LENGTH, Bound::NOT_NEGATIVE),
            "Height of each dome; at most the radius and half of the whole height. 0 makes a cylinder.",
            "\"1 mm\"",
        ),
    ],
    alternatives: &[Alternatives { keys: &["radius", "diameter"], required: true }],
};

const EXPONENT: Kind = Kind::Quantity(
    Dimension::NUMBER,
    Bound {
        low: 2.0,
        low_included: true,
        reason: "below 2 the surface has edges and tips without a radius of curvature, like an octahedron's: make those a polyhedron",
        ..Bound::ANY
    },
);

pub(crate) static SUPERQUADRIC: TableSpec = TableSpec {
    name: "superquadric",
    doc: "The points with (|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1 <= 1, where a, b, c are the half axes. With n1 = n2 = 2 \
          an ellipsoid; large exponents come near a box (both), a cylinder (n1 alone).",
    fields: &[
        required("half_axes", POSITION, "Half axes along its own x, y and z.", "\"4 4 2 mm\""),
        optional("n1", EXPONENT, "2", "Exponent between z and the section across it.", "4"),
        optional("n2", EXPONENT, "2", "Exponent within the section across z.", "4"),
    ],
    alternatives: &[],
};

pub(crate) static POLYHEDRON: TableSpec = TableSpec {
    name: "polyhedron",
    doc: "The convex hull of points, given here or by a mesh. Faces and edges are found from the points.",
    fields: &[
        alternative(
            "vertices",
            Kind::Points(Dimension::LENGTH, 3),
            "The points, at least four that do not lie in one plane.",
            "[[0, 0, 0], [\"4 mm\", 0, 0], [0, \"4 mm\", 0], [0, 0, \"4 mm\"]]",
        ),
        alternative("mesh", Kind::File, "A file, STL or OBJ, whose points are taken.", "\"stone.stl\""),
        optional("scale", POSITIVE_LENGTH, "\"1 m\"", "Length of one unit of the file.", "\"1 mm\""),
    ],
    alternatives: &[Alternatives { keys: &["vertices", "mesh"], required: true }],
};

pub(crate) static BOX_SHAPE: TableSpec = TableSpec {
    name: "box_shape",
    doc: "A box with sharp edges, its middle at its origin.",
    fields: &[required("size", POSITION, "Whole lengths along its own x, y and z.", "\"4 5 6 mm\"")],
    alternatives: &[],
};

pub(crate) static REGULAR: TableSpec = TableSpec {
    name: "regular",
    doc: "A regular polyhedron, its middle at its origin.",
    fields: &[
        required("faces", Kind::Count { least: 4, most: 20 }, "How many faces: 4, 6 (a cube), 8, 12 or 20.", "12"),
        alternative("edge", POSITIVE_LENGTH, "Length of an edge.", "\"3 mm\""),
        alternative("radius", POSITIVE_LENGTH, "Distance from the middle to a corner.", "\"4 mm\""),
    ],
    alternatives: &[Alternatives { keys: &["edge", "radius"], required: true }],
};

pub(crate) static CLUMP: TableSpec = TableSpec {
    name: "clump",
    doc: "Convex parts held together rigidly. They may overlap: what they share counts once in mass and inertia.",
    fields: &[required(
        "parts",
        Kind::List(&PART),
        "The parts.",
        "[{ sphere = { radius = \"2 mm\" } }, { sphere = { radius = \"2 mm\" }, position = [\"3 mm\", 0, 0] }]",
    )],
    alternatives: &[],
};

const THICKNESS: FieldSpec =
    required("thickness", POSITIVE_LENGTH, "Thickness across the plane, which gives mass.", "\"1 mm\"");

pub(crate) static DISC: TableSpec = TableSpec {
    name: "disc",
    doc: "A disc in the x-y plane, its middle at its origin.",
    fields: &[
        alternative("radius", POSITIVE_LENGTH, "Radius.", "\"5 mm\""),
        alternative("diameter", POSITIVE_LENGTH, "Diameter.", "\"10 mm\""),
        THICKNESS,
    ],
    alternatives: &[Alternatives { keys: &["radius", "diameter"], required: true }],
};

pub(crate) static POLYGON: TableSpec = TableSpec {
    name: "polygon",
    doc: "A convex polygon in the x-y plane: the hull of its corners.",
    fields: &[
        required(
            "corners",
            Kind::Points(Dimension::LENGTH, 2),
            "The corners, at least three that do not lie on one line, in any order.",
            "[[0, 0], [\"4 mm\", 0], [0, \"3 mm\"]]",
        ),
        THICKNESS,
    ],
    alternatives: &[],
};
