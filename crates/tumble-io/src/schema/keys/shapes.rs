//! The declarations: the shapes of grains.

use super::*;
use tumble_geometry::convex_parts::MOST_PARTS;
use tumble_geometry::shape::{MOST_POLYGON_CORNERS, MOST_ROCK_VERTICES, MOST_SIDES};

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

const PRISM_FORM: FieldSpec = alternative(
    "prism",
    Kind::Table(&PRISM),
    "A regular polygon drawn out to a column.",
    "{ sides = 6, edge = \"3 mm\", height = \"8 mm\" }",
);
const PYRAMID_FORM: FieldSpec = alternative(
    "pyramid",
    Kind::Table(&PYRAMID),
    "A pyramid on a regular polygon, pointed or cut off.",
    "{ sides = 4, edge = \"6 mm\", height = \"5 mm\" }",
);
const WEDGE_FORM: FieldSpec =
    alternative("wedge", Kind::Table(&WEDGE), "Half a box, cut from edge to edge.", "{ size = \"6 4 3 mm\" }");

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
        PRISM_FORM,
        PYRAMID_FORM,
        WEDGE_FORM,
        alternative(
            "rock",
            Kind::Table(&ROCK),
            "Random convex stones, each of another form.",
            "{ vertices = 20, diameter = \"8 mm\", roundness = 0.3, variants = 50 }",
        ),
        alternative(
            "clump",
            Kind::Table(&CLUMP),
            "Convex parts held together.",
            "{ parts = [{ sphere = { radius = \"2 mm\" } }] }",
        ),
        alternative(
            "mesh",
            Kind::Table(&MESH_SHAPE),
            "A solid from an STL or OBJ file, cut into convex parts.",
            "{ file = \"bracket.stl\", scale = \"1 mm\", parts = 8 }",
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
        alternative(
            "regular_polygon",
            Kind::Table(&REGULAR_POLYGON),
            "A polygon with equal sides and angles, for scenes with `planar = true`.",
            "{ sides = 6, edge = \"3 mm\", thickness = \"1 mm\" }",
        ),
        alternative(
            "random_polygon",
            Kind::Table(&RANDOM_POLYGON),
            "Random convex polygons, each of another form, for scenes with `planar = true`.",
            "{ corners = 7, diameter = \"8 mm\", thickness = \"1 mm\", roundness = 0.3, variants = 50 }",
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
            "prism",
            "pyramid",
            "wedge",
            "rock",
            "clump",
            "mesh",
            "disc",
            "polygon",
            "regular_polygon",
            "random_polygon",
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
        PRISM_FORM,
        PYRAMID_FORM,
        WEDGE_FORM,
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
            "prism",
            "pyramid",
            "wedge",
        ],
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

/// Of a prism, pyramid or regular polygon.
const SIDES: Kind = Kind::Count { least: 3, most: MOST_SIDES as u64 };

pub(crate) static PRISM: TableSpec = TableSpec {
    name: "prism",
    doc: "A column on a regular polygon about its own z axis, its middle at its origin, its first corner towards x.",
    fields: &[
        required("sides", SIDES, "How many sides the polygon has.", "6"),
        alternative("edge", POSITIVE_LENGTH, "Length of a side of the polygon.", "\"3 mm\""),
        alternative("radius", POSITIVE_LENGTH, "Distance from the axis to a corner.", "\"4 mm\""),
        required("height", POSITIVE_LENGTH, "Height from one end to the other.", "\"8 mm\""),
    ],
    alternatives: &[Alternatives { keys: &["edge", "radius"], required: true }],
};

pub(crate) static PYRAMID: TableSpec = TableSpec {
    name: "pyramid",
    doc: "A pyramid on a regular polygon about its own z axis, its first corner towards x; its origin is its centre of mass.",
    fields: &[
        required("sides", SIDES, "How many sides the base has.", "4"),
        alternative("edge", POSITIVE_LENGTH, "Length of a side of the base.", "\"6 mm\""),
        alternative("radius", POSITIVE_LENGTH, "Distance from the axis to a corner of the base.", "\"4 mm\""),
        optional(
            "upper_radius",
            Kind::Quantity(Dimension::LENGTH, Bound::NOT_NEGATIVE),
            "0, a point",
            "Distance from the axis to a corner of the upper end, where it is cut off.",
            "\"2 mm\"",
        ),
        required("height", POSITIVE_LENGTH, "Height.", "\"5 mm\""),
    ],
    alternatives: &[Alternatives { keys: &["edge", "radius"], required: true }],
};

pub(crate) static WEDGE: TableSpec = TableSpec {
    name: "wedge",
    doc: "The half of a box, with its middle at the origin, below the plane from the upper edge at low x to the lower edge at \
          high x: a doorstop that is high at low x.",
    fields: &[required("size", POSITION, "Whole lengths of the box along its own x, y and z.", "\"6 4 3 mm\"")],
    alternatives: &[],
};

const ROUNDNESS: FieldSpec = optional(
    "roundness",
    Kind::Quantity(
        Dimension::NUMBER,
        Bound {
            low: 0.0,
            low_included: true,
            high: 1.0,
            high_included: true,
            reason: "it is the share of the way from a sharp form to a round one",
        },
    ),
    "0, sharp",
    "How far the corners are taken from where a sharp form has them, 0, to where they are evenly spread over an ellipsoid \
     (in the plane, an ellipse), 1.",
    "0.3",
);

const FORM_VARIANTS: FieldSpec = optional(
    "variants",
    Kind::Count { least: 1, most: 1000 },
    "1",
    "How many different forms there are, all alike likely; more do not change the first ones.",
    "50",
);

const FORM_SEED: FieldSpec = optional(
    "seed",
    Kind::Count { least: 0, most: i64::MAX as u64 },
    "from the scene's seed and the shape's name",
    "Seed of the random forms.",
    "7",
);

const RATIOS: Kind = Kind::Quantities(Dimension::NUMBER, Bound::POSITIVE);

pub(crate) static ROCK: TableSpec = TableSpec {
    name: "rock",
    doc: "Random convex stones: so many vertices, proportions and a roundness; their origin is their centre of mass. With \
          `variants` the kind of grain comes in so many different ones.",
    fields: &[
        required(
            "vertices",
            Kind::Count { least: 4, most: MOST_ROCK_VERTICES as u64 },
            "How many vertices each has, exactly.",
            "20",
        ),
        alternative("radius", POSITIVE_LENGTH, "Radius of the ball of the same volume.", "\"4 mm\""),
        alternative("diameter", POSITIVE_LENGTH, "Diameter of the ball of the same volume.", "\"8 mm\""),
        optional(
            "aspect",
            RATIOS,
            "[1, 1, 1]",
            "Proportions of the box that just holds it, along its own x, y and z.",
            "[3, 2, 1.5]",
        ),
        ROUNDNESS,
        FORM_VARIANTS,
        FORM_SEED,
    ],
    alternatives: &[Alternatives { keys: &["radius", "diameter"], required: true }],
};

pub(crate) static CLUMP: TableSpec = TableSpec {
    name: "clump",
    doc: "Convex parts held together rigidly. They may overlap: what they share counts once in mass and inertia.",
    fields: &[
        alternative(
            "parts",
            Kind::List(&PART),
            "The parts.",
            "[{ sphere = { radius = \"2 mm\" } }, { sphere = { radius = \"2 mm\" }, position = [\"3 mm\", 0, 0] }]",
        ),
        alternative(
            "file",
            Kind::File,
            "A CSV file of balls as the parts: columns `x`, `y`, `z` and `radius` or `diameter`, in metres.",
            "\"stone.csv\"",
        ),
        optional(
            "scale",
            Kind::Quantity(Dimension::NUMBER, Bound::POSITIVE),
            "1",
            "Factor on the lengths of the file: 0.001 for one in millimetres.",
            "0.001",
        ),
    ],
    alternatives: &[Alternatives { keys: &["parts", "file"], required: true }],
};

pub(crate) const HULL: &[Word] = &[word("hull", "the convex hull of the whole, with the hull's mass")];

pub(crate) static MESH_SHAPE: TableSpec = TableSpec {
    name: "mesh_shape",
    doc: "A solid from a file: a closed surface in one piece, its triangles counter-clockwise seen from outside. What is none is \
          refused. It is cut into convex parts, whose hulls are held together as a clump with the mass and inertia of the solid itself.",
    fields: &[
        required("file", Kind::File, "The file, STL or OBJ, relative to the scene file.", "\"bracket.stl\""),
        optional("scale", POSITIVE_LENGTH, "\"1 m\"", "Length of one unit of the file.", "\"1 mm\""),
        optional(
            "parts",
            Kind::Either(&[
                Kind::Word(HULL),
                Kind::Quantity(
                    Dimension::NUMBER,
                    Bound {
                        low: 1.0,
                        low_included: true,
                        high: MOST_PARTS as f64,
                        high_included: true,
                        reason: "each part has contacts of its own, which cost time",
                    },
                ),
            ]),
            "16",
            "How many convex parts there may be; fewer are made where they add no more than a thousandth of the volume.",
            "8",
        ),
    ],
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

pub(crate) static REGULAR_POLYGON: TableSpec = TableSpec {
    name: "regular_polygon",
    doc: "A polygon with equal sides and angles in the x-y plane, its middle at its origin, its first corner towards x.",
    fields: &[
        required("sides", SIDES, "How many sides it has.", "6"),
        alternative("edge", POSITIVE_LENGTH, "Length of a side.", "\"3 mm\""),
        alternative("radius", POSITIVE_LENGTH, "Distance from the middle to a corner.", "\"4 mm\""),
        THICKNESS,
    ],
    alternatives: &[Alternatives { keys: &["edge", "radius"], required: true }],
};

pub(crate) static RANDOM_POLYGON: TableSpec = TableSpec {
    name: "random_polygon",
    doc: "Random convex polygons in the x-y plane, with the words of `rock`; their origin is their centre of mass.",
    fields: &[
        required(
            "corners",
            Kind::Count { least: 3, most: MOST_POLYGON_CORNERS as u64 },
            "How many corners each has, exactly.",
            "7",
        ),
        alternative("radius", POSITIVE_LENGTH, "Radius of the disc of the same area.", "\"4 mm\""),
        alternative("diameter", POSITIVE_LENGTH, "Diameter of the disc of the same area.", "\"8 mm\""),
        optional(
            "aspect",
            RATIOS,
            "[1, 1]",
            "Proportions of the rectangle that just holds it, along its own x and y.",
            "[2, 1]",
        ),
        ROUNDNESS,
        FORM_VARIANTS,
        FORM_SEED,
        THICKNESS,
    ],
    alternatives: &[Alternatives { keys: &["radius", "diameter"], required: true }],
};
