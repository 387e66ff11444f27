//! The declarations of laws.

use super::*;
use tumble_geometry::common_plane::{EndBy, FacePoint};
use tumble_geometry::feng::{FengOptions, NearestBy, OverlapMeasure};
use tumble_geometry::narrow::ContactMethod;
use tumble_geometry::roots::QuarticBy;

pub(crate) static LAW: TableSpec = TableSpec {
    name: "law",
    doc: "The contact law. Restitution comes out as asked with either kind and either end of contact.",
    fields: &[
        alternative(
            "hertz_mindlin",
            Kind::Table(&HERTZ_MINDLIN),
            "Hertz's normal and Mindlin's tangential stiffness; the default.",
            "{ tangential = \"rescaled\" }",
        ),
        alternative("linear", Kind::Table(&LINEAR), "Linear spring and dashpot.", "{ stiffness = \"1e5 N/m\" }"),
        alternative(
            "volume",
            Kind::Table(&VOLUME),
            "The energy of a contact grows with the volume that the two bodies share.",
            "{ stiffness = \"1e5 N/m\" }",
        ),
        alternative(
            "pressure",
            Kind::Table(&PRESSURE),
            "A bed of springs under each face, for joints, masonry and soft faces: polyhedra and polygons.",
            "{ stiffness = \"1e9 Pa/m\" }",
        ),
        optional("contact_end", Kind::Word(CONTACT_END), "\"clamped\"", "When a damped contact ends.", "\"clamped\""),
        optional(
            "rolling",
            Kind::Either(&[Kind::Word(ROLLING_SPRING), Kind::Table(&ROLLING)]),
            "{ spring_dashpot = { damping = 0.3 } }",
            "How rolling resistance behaves where its coefficient is not zero.",
            "\"spring\"",
        ),
        optional(
            "contact_method",
            Kind::Word(CONTACT_METHOD),
            "\"exact\"",
            "How the contacts of grains that are not both spheres are found. The published methods do not conserve energy; \
             they are for comparison, and not for `volume`.",
            "\"exact\"",
        ),
        optional(
            "faces",
            Kind::Word(MET_FACES),
            "\"mean-depth\"",
            "How flat faces and straight sides are met under `hertz_mindlin` and `linear`.",
            "\"mean-depth\"",
        ),
        optional(
            "feng",
            Kind::Table(&FENG),
            "as published",
            "What of the method of Feng, Han & Owen is used; with `contact_method` \"feng-layered\" or \"feng-edge\" only.",
            "{ overlap = \"radial-axial\", weight = 1 }",
        ),
        optional(
            "common_plane",
            Kind::Table(&COMMON_PLANE),
            "as published",
            "How the common plane is searched for; with `contact_method` \"cundall\" or \"liu\" only.",
            "{ directions = 16 }",
        ),
        optional(
            "crown",
            Kind::Quantity(Dimension::NUMBER, Bound::NOT_NEGATIVE),
            "5e-4 unless `faces` is \"mean-depth\", then none",
            "With `faces = \"deepest-point\"` or \"sub-contacts\": by how much flat ends and straight sides of cylinders, cones, capsules and tablets bulge in contacts, over half of \
             the smaller of height and diameter; at most 0.1. 0: faces are exactly flat, and their contact point jumps from rim to rim.",
            "5e-4",
        ),
    ],
    alternatives: &[Alternatives { keys: &["hertz_mindlin", "linear", "volume", "pressure"], required: false }],
};

/// How faces are met, with [`SUB_CONTACTS`] and [`DEEPEST_POINT`] in their places.
pub(crate) const MET_FACES: &[Word] = &[
    word("mean-depth", "by how deep they are on average: faces rest, and the force belongs to an energy without kinks"),
    word(
        "sub-contacts",
        "at the corners of what two faces share, by their depths there, after Cundall: faces rest; energy is kept less well",
    ),
    word("deepest-point", "by their deepest point: cheaper, for grains that fly or roll; faces rock"),
];

/// The place of that word in [`MET_FACES`].
pub(crate) const SUB_CONTACTS: usize = 1;

/// The place of that word in [`MET_FACES`].
pub(crate) const DEEPEST_POINT: usize = 2;

pub(crate) const CONTACT_END: &[Word] = &[
    word("clamped", "when the normal force would turn to attraction"),
    word("open", "when the overlap is over; the dashpot may pull for a moment"),
];

/// The methods that geometry knows, in its order and words.
pub(crate) const CONTACT_METHOD: &[Word] = &{
    let mut words = [const { word("", "") }; ContactMethod::ALL.len()];
    let mut k = 0;
    while k < words.len() {
        words[k] = word(ContactMethod::ALL[k].name(), ContactMethod::ALL[k].description());
        k += 1;
    }
    words
};

pub(crate) static FENG: TableSpec = TableSpec {
    name: "feng",
    doc: "What of the method of Feng, Han & Owen is used. The book says what each choice costs and by how much it errs.",
    fields: &[
        optional(
            "overlap",
            Kind::Word(FENG_OVERLAP),
            "\"box\"",
            "Equation of the overlap that stands in for the depth.",
            "\"radial-axial\"",
        ),
        optional(
            "weight",
            POSITIVE_NUMBER,
            "2",
            "Factor of the overlap, the paper's lambda; contacts whose common perpendicular passes through both bodies do not have it.",
            "1",
        ),
        optional(
            "layers",
            FENG_PARTS,
            "8",
            "\"feng-layered\": layers between two bends of the region's outline.",
            "16",
        ),
        optional("edge_points", FENG_PARTS, "8", "\"feng-edge\": points on each arc of an edge.", "16"),
        optional(
            "quartic",
            Kind::Word(FENG_QUARTIC),
            "\"lin-bairstow\"",
            "How quartics are solved.",
            "\"closed-form\"",
        ),
        optional(
            "nearest",
            Kind::Word(FENG_NEAREST),
            "\"newton\"",
            "How the quick checks find the nearest point of an ellipse.",
            "\"quartic\"",
        ),
    ],
    alternatives: &[],
};

pub(crate) static COMMON_PLANE: TableSpec = TableSpec {
    name: "common_plane",
    doc: "How the common plane of Cundall or Liu is searched for. The book says how often each choice fails.",
    fields: &[
        optional(
            "start_angle",
            PLANE_ANGLE,
            "\"5 deg\"",
            "By how much the plane is tilted first; at most 45 degrees.",
            "\"5 deg\"",
        ),
        optional(
            "angle_limit",
            PLANE_ANGLE,
            "\"1e-6 rad\"",
            "The angle below which the search may end. Corners as near to the plane as this angle allows touch it together.",
            "\"0.01 deg\"",
        ),
        optional(
            "directions",
            Kind::Count { least: 4, most: 16 },
            "4",
            "In how many directions the plane is tilted: 4 as published, 8 or 16. In the planar mode there are two.",
            "8",
        ),
        optional(
            "gap_increment",
            POSITIVE_NUMBER,
            "1e-4",
            "\"liu\": the growth of the gap in an iteration below which the search may end, over the largest distance of a corner from \
             its centroid.",
            "1e-5",
        ),
        optional(
            "end",
            Kind::Word(PLANE_END),
            "\"both\"",
            "\"liu\": which of the two conditions end the search.",
            "\"either\"",
        ),
        optional(
            "face_point",
            Kind::Word(PLANE_FACE_POINT),
            "\"centroid\"",
            "\"liu\": the contact point of two faces.",
            "\"crossings\"",
        ),
    ],
    alternatives: &[],
};

const PLANE_ANGLE: Kind = Kind::Quantity(Dimension::ANGLE, Bound::POSITIVE);

pub(crate) const PLANE_END: &[Word] =
    &[word(EndBy::ALL[0].name(), EndBy::ALL[0].description()), word(EndBy::ALL[1].name(), EndBy::ALL[1].description())];

pub(crate) const PLANE_FACE_POINT: &[Word] = &[
    word(FacePoint::ALL[0].name(), FacePoint::ALL[0].description()),
    word(FacePoint::ALL[1].name(), FacePoint::ALL[1].description()),
];

const FENG_PARTS: Kind = Kind::Count { least: 1, most: FengOptions::MOST_PARTS as u64 };

pub(crate) const FENG_OVERLAP: &[Word] = &[
    word(OverlapMeasure::ALL[0].name(), OverlapMeasure::ALL[0].description()),
    word(OverlapMeasure::ALL[1].name(), OverlapMeasure::ALL[1].description()),
];

pub(crate) const FENG_QUARTIC: &[Word] = &[
    word(QuarticBy::ALL[0].name(), QuarticBy::ALL[0].description()),
    word(QuarticBy::ALL[1].name(), QuarticBy::ALL[1].description()),
    word(QuarticBy::ALL[2].name(), QuarticBy::ALL[2].description()),
];

pub(crate) const FENG_NEAREST: &[Word] = &[
    word(NearestBy::ALL[0].name(), NearestBy::ALL[0].description()),
    word(NearestBy::ALL[1].name(), NearestBy::ALL[1].description()),
];

pub(crate) const ROLLING_SPRING: &[Word] = &[word("spring", "stiffness k_t R^2 and no dashpot")];

pub(crate) static HERTZ_MINDLIN: TableSpec = TableSpec {
    name: "hertz_mindlin",
    doc: "Hertz's normal and Mindlin's no-slip tangential stiffness, from the materials' moduli.",
    fields: &[
        optional(
            "tangential",
            Kind::Word(MINDLIN_TANGENTIAL),
            "\"rescaled\"",
            "What the friction spring does when its stiffness changes under load.",
            "\"rescaled\"",
        ),
        optional(
            "curvature",
            Kind::Word(HERTZ_CURVATURE),
            "\"body\"",
            "What the radius of a contact is taken from.",
            "\"local\"",
        ),
    ],
    alternatives: &[],
};

pub(crate) const MINDLIN_TANGENTIAL: &[Word] = &[
    word("rescaled", "the force is scaled down with the stiffness and kept when it rises; never makes energy"),
    word("incremental", "the force is kept always, as in the textbooks; can make energy on unloading"),
];

/// What Hertz's radius is taken from.
pub(crate) const HERTZ_CURVATURE: &[Word] = &[
    word("body", "from the balls of the bodies' volumes"),
    word(
        "local",
        "from the curvatures of both surfaces where they touch, as an elliptic contact: spheres, ellipsoids and superquadrics with each \
         other and with planes; all else as \"body\"",
    ),
];

pub(crate) static LINEAR: TableSpec = TableSpec {
    name: "linear",
    doc: "Linear spring and dashpot; the materials' moduli play no part.",
    fields: &[
        required(
            "stiffness",
            Kind::Quantity(Dimension::STIFFNESS, Bound::POSITIVE),
            "Normal stiffness.",
            "\"1e5 N/m\"",
        ),
        optional(
            "tangential_ratio",
            POSITIVE_NUMBER,
            "2/7",
            "Tangential over normal stiffness; at 2/7 both springs of equal spheres swing alike.",
            "0.2857",
        ),
    ],
    alternatives: &[],
};

pub(crate) static VOLUME: TableSpec = TableSpec {
    name: "volume",
    doc: "Energy w(V) = c V^m of the volume V that two bodies share, with the force, the torque and the couple that follow \
          from it. Conserves energy for every shape and lets flat faces rest on each other; the materials' moduli play no \
          part. Restitution comes out as asked.",
    fields: &[
        required(
            "stiffness",
            Kind::Quantity(Dimension::STIFFNESS, Bound::POSITIVE),
            "Force over depth of two faces that share an area of `reference_length` squared, at a depth of 1 % of \
             `reference_length`.",
            "\"1e5 N/m\"",
        ),
        optional(
            "tangential_ratio",
            POSITIVE_NUMBER,
            "2/7",
            "Stiffness of the friction spring over `stiffness`.",
            "0.2857",
        ),
        optional(
            "exponent",
            POSITIVE_NUMBER,
            "1.5",
            "The exponent m: 1, 1.5 or 2. With 1 the force of two faces does not depend on depth and a box at rest \
             chatters; 1.5 rests quietly; with 2 the force of two faces grows linearly with depth, for thin flat shapes.",
            "1.5",
        ),
        optional(
            "reference_length",
            POSITIVE_LENGTH,
            "the diameter of the ball as large as the smallest grain",
            "The length at which `stiffness` holds.",
            "\"5 mm\"",
        ),
    ],
    alternatives: &[],
};

pub(crate) static PRESSURE: TableSpec = TableSpec {
    name: "pressure",
    doc: "Energy of an elastic foundation: twice the stiffness times the integral of the depth over the region that two bodies share. \
          Faces have a stiffness in proportion to their area and resist rocking as a bed of springs does; edges and corners are \
          softer. Conserves energy; the materials' moduli play no part. Restitution comes out as asked.",
    fields: &[
        required(
            "stiffness",
            Kind::Quantity(Dimension::STIFFNESS_PER_AREA, Bound::POSITIVE),
            "Stiffness of two faces over their area.",
            "\"1e9 Pa/m\"",
        ),
        optional(
            "tangential_ratio",
            POSITIVE_NUMBER,
            "2/7",
            "Stiffness of the friction spring over that of two faces as large as the square of the diameter of the ball as large as \
             the smallest grain.",
            "0.2857",
        ),
    ],
    alternatives: &[],
};

pub(crate) static ROLLING: TableSpec = TableSpec {
    name: "rolling",
    doc: "Elastic-plastic rolling resistance.",
    fields: &[alternative(
        "spring_dashpot",
        Kind::Table(&SPRING_DASHPOT),
        "A spring, and a dashpot below the limit.",
        "{ damping = 0.3 }",
    )],
    alternatives: &[Alternatives { keys: &["spring_dashpot"], required: true }],
};

pub(crate) static SPRING_DASHPOT: TableSpec = TableSpec {
    name: "spring_dashpot",
    doc: "A rolling spring of stiffness 2.25 k_n (mu_r R)^2, and a dashpot below the limit.",
    fields: &[optional(
        "damping",
        Kind::Quantity(Dimension::NUMBER, Bound::NOT_NEGATIVE),
        "0.3",
        "Fraction of critical damping.",
        "0.3",
    )],
    alternatives: &[],
};
