//! What can be wrong with geometry that a user supplies.

/// A surface or shape that cannot be built, and why. Numbers of corners, segments, vertices, triangles, faces, points and
/// parts count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GeometryError {
    /// A length that must be positive and finite is not.
    #[error("{quantity} is {value}; it must be a positive, finite length")]
    LengthNotPositive {
        /// What the length is.
        quantity: &'static str,
        /// The value found [m].
        value: f64,
    },
    /// A length that must be zero or more and finite is not.
    #[error("{quantity} is {value}; it must be a finite length of zero or more")]
    LengthNegative {
        /// What the length is.
        quantity: &'static str,
        /// The value found [m].
        value: f64,
    },
    /// Both ends of a cone have radius zero, so there is no surface.
    #[error("both radii of the cone are zero; at least one must be positive")]
    ConeWithoutRadius,
    /// Too few or too many sides.
    #[error("the {of} has {n_sides} sides; it can have 3 to {most}")]
    SideCount {
        /// What has the sides.
        of: &'static str,
        /// How many there are.
        n_sides: u32,
        /// The most there can be.
        most: u32,
    },
    /// A number of a random form that cannot be met.
    #[error("{quantity} is {value}; it must be {allowed}")]
    RandomForm {
        /// Which number.
        quantity: &'static str,
        /// The value found.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// No random form with so many corners was found.
    #[error("no {of} with {n_corners} corners was found in {n_draws} draws; ask for fewer")]
    RandomFormNotFound {
        /// What was looked for.
        of: &'static str,
        /// How many corners it should have.
        n_corners: usize,
        /// How many points were drawn.
        n_draws: usize,
    },
    /// The domes of a tablet are more than half-balls.
    #[error(
        "the dome of the tablet is {dome_height} high on a radius of {radius}; it can be at most a half-ball, as high as the radius"
    )]
    TabletDomeTooRound {
        /// Height of a dome [m].
        dome_height: f64,
        /// Radius of the band [m].
        radius: f64,
    },
    /// The domes of a tablet are together higher than it is thick.
    #[error(
        "two domes of {dome_height} have no room in a tablet {thickness} high; they can be at most half of it each"
    )]
    TabletDomesTooHigh {
        /// Height of a dome [m].
        dome_height: f64,
        /// Thickness of the whole [m].
        thickness: f64,
    },
    /// A profile without a segment.
    #[error("the profile has {n_corners} corners; it needs at least 2")]
    ProfileTooShort {
        /// How many corners there are.
        n_corners: usize,
    },
    /// A profile corner that is NaN or infinite.
    #[error("profile corner {corner} is ({rho}, {z}); both numbers must be finite")]
    ProfileNotFinite {
        /// Which corner.
        corner: usize,
        /// Its distance from the axis [m].
        rho: f64,
        /// Its height [m].
        z: f64,
    },
    /// A profile corner on the wrong side of the axis.
    #[error("profile corner {corner} has distance {rho} from the axis; it must be zero or more")]
    ProfileNegativeRadius {
        /// Which corner.
        corner: usize,
        /// Its distance from the axis [m].
        rho: f64,
    },
    /// A segment between two equal corners.
    #[error("profile segment {segment} has no length: corners {segment} and {next} coincide", next = segment + 1)]
    ProfileSegmentWithoutLength {
        /// Which segment.
        segment: usize,
    },
    /// A segment on the axis sweeps a line, not a surface.
    #[error("profile segment {segment} lies on the axis; one of its ends must be away from it")]
    ProfileSegmentOnAxis {
        /// Which segment.
        segment: usize,
    },
    /// Two successive segments that lie on each other.
    #[error("the profile turns back on itself at corner {corner}; its segments must not lie on each other")]
    ProfileTurnsBack {
        /// Which corner.
        corner: usize,
    },
    /// A mesh without triangles.
    #[error("the mesh has no triangles")]
    MeshEmpty,
    /// A mesh vertex that is NaN or infinite.
    #[error("mesh vertex {vertex} is ({x}, {y}, {z}); all three numbers must be finite")]
    MeshVertexNotFinite {
        /// Which vertex.
        vertex: usize,
        /// Its first coordinate [m].
        x: f64,
        /// Its second coordinate [m].
        y: f64,
        /// Its third coordinate [m].
        z: f64,
    },
    /// A triangle that names a vertex that is not there.
    #[error("mesh triangle {triangle} names vertex {vertex}, but there are only {n_vertices} (0 to {last})",
        last = n_vertices.saturating_sub(1))]
    MeshVertexMissing {
        /// Which triangle.
        triangle: usize,
        /// The vertex number found.
        vertex: u32,
        /// How many vertices there are.
        n_vertices: usize,
    },
    /// A triangle without area has no normal.
    #[error("mesh triangle {triangle} is degenerate: its corners coincide or lie on one line")]
    MeshTriangleDegenerate {
        /// Which triangle.
        triangle: usize,
    },
    /// More features than a contact's 32-bit feature number can tell apart.
    #[error(
        "the mesh has {n_triangles} triangles and {n_vertices} vertices; faces, edges and vertices together must stay below 2^32"
    )]
    MeshTooLarge {
        /// How many triangles there are.
        n_triangles: usize,
        /// How many vertices there are.
        n_vertices: usize,
    },
    /// A superquadric exponent below 2.
    #[error(
        "exponent {exponent} of the superquadric is {value}; it must be finite and at least 2, because below 2 the curvature is infinite and below 1 the body is not convex"
    )]
    SuperquadricExponent {
        /// Which exponent.
        exponent: &'static str,
        /// The value found [1].
        value: f64,
    },
    /// A polygon corner that is NaN or infinite.
    #[error("polygon corner {corner} is ({x}, {y}); both numbers must be finite")]
    CornerNotFinite {
        /// Which corner.
        corner: usize,
        /// Its first coordinate [m].
        x: f64,
        /// Its second coordinate [m].
        y: f64,
    },
    /// Too few corners for a polygon.
    #[error("the polygon has {n_corners} corners; it needs at least 3")]
    PolygonTooFewCorners {
        /// How many corners there are.
        n_corners: usize,
    },
    /// Corners on one line.
    #[error("the polygon has no area: its corners lie within {width:e} of one line")]
    PolygonWithoutArea {
        /// How far off the line they are at most [m].
        width: f64,
    },
    /// A corner inside the others' hull.
    #[error("the polygon is not convex: corner {corner} at ({x}, {y}) lies {depth:e} inside the hull of the others")]
    CornerInside {
        /// Which corner.
        corner: usize,
        /// Its first coordinate [m].
        x: f64,
        /// Its second coordinate [m].
        y: f64,
        /// How far inside [m].
        depth: f64,
    },
    /// A clump without parts.
    #[error("the clump has no parts; it needs at least 1")]
    ClumpEmpty,
    /// A clump within a clump.
    #[error("part {part} of the clump is a clump itself; put its parts into the outer clump")]
    ClumpNested {
        /// Which part.
        part: usize,
    },
    /// A part that has no place.
    #[error("part {part} of the clump has a position or orientation that is not finite, or an orientation of length 0")]
    ClumpPose {
        /// Which part.
        part: usize,
    },
    /// A point that is NaN or infinite.
    #[error("point {point} is ({x}, {y}, {z}); all three numbers must be finite")]
    PointNotFinite {
        /// Which point.
        point: usize,
        /// Its first coordinate [m].
        x: f64,
        /// Its second coordinate [m].
        y: f64,
        /// Its third coordinate [m].
        z: f64,
    },
    /// Too few (or far too many) points for a hull.
    #[error("there are {n_points} points; a convex hull needs at least 4 and fewer than 2^32")]
    HullPointCount {
        /// How many points there are.
        n_points: usize,
    },
    /// Points that enclose no volume.
    #[error(
        "the points enclose no volume: all lie within {thickness:e} of {flatness} (their largest coordinate is {size:e})"
    )]
    HullWithoutVolume {
        /// What they lie on.
        flatness: Flatness,
        /// How far off it they are at most [m].
        thickness: f64,
        /// The largest coordinate [m].
        size: f64,
    },
    /// Points so close to degenerate that no faces fit them to within rounding.
    #[error(
        "no convex polyhedron fits the {n_points} points to within rounding; they are too close to each other or to a plane"
    )]
    HullNotFound {
        /// How many points there are.
        n_points: usize,
    },
    /// A face with too few vertices, or one that names a vertex twice.
    #[error("face {face} has {n_vertices} different vertices in {n_named} places; it needs at least 3, each once")]
    FaceVertexCount {
        /// Which face.
        face: usize,
        /// How many different vertices it names.
        n_vertices: usize,
        /// How many it names in all.
        n_named: usize,
    },
    /// A face that names a vertex that is not there.
    #[error("face {face} names vertex {vertex}, but there are only {n_vertices} (0 to {last})",
        last = n_vertices.saturating_sub(1))]
    FaceVertexMissing {
        /// Which face.
        face: usize,
        /// The vertex number found.
        vertex: u32,
        /// How many vertices there are.
        n_vertices: usize,
    },
    /// A face without area has no plane.
    #[error("face {face} has no area: its corners coincide or lie on one line")]
    FaceWithoutArea {
        /// Which face.
        face: usize,
    },
    /// A face whose corners are not in one plane.
    #[error("face {face} is not flat: vertex {vertex} is {distance:e} off its plane")]
    FaceNotFlat {
        /// Which face.
        face: usize,
        /// The vertex that is farthest off.
        vertex: u32,
        /// How far [m].
        distance: f64,
    },
    /// A vertex beyond a face, so that the body is not convex.
    #[error("the polyhedron is not convex: vertex {vertex} is {distance:e} beyond face {face}")]
    NotConvex {
        /// Which face.
        face: usize,
        /// Which vertex.
        vertex: u32,
        /// How far beyond [m].
        distance: f64,
    },
    /// An edge that is not shared by exactly two faces.
    #[error(
        "the polyhedron is not closed: the edge from vertex {from} to vertex {to} belongs to {n_faces} faces, not 2"
    )]
    NotClosed {
        /// One end.
        from: u32,
        /// The other end.
        to: u32,
        /// How many faces have it.
        n_faces: usize,
    },
    /// Faces that close, but not to one ball.
    #[error("the faces do not close to one body: {n_vertices} vertices - {n_edges} edges + {n_faces} faces is not 2")]
    NotOneBody {
        /// How many vertices are used.
        n_vertices: usize,
        /// How many edges there are.
        n_edges: usize,
        /// How many faces there are.
        n_faces: usize,
    },
    /// A mesh with an edge that is not shared by two triangles.
    #[error(
        "the surface is not closed: the edge from {} to {} belongs to {n_triangles} triangle{}, not 2 ({n_edges} such edge{})",
        point(from), point(to), plural(*n_triangles), plural(*n_edges)
    )]
    SolidOpen {
        /// One end of the edge [m].
        from: [f64; 3],
        /// The other end [m].
        to: [f64; 3],
        /// How many triangles have it.
        n_triangles: usize,
        /// How many edges are not shared by two triangles.
        n_edges: usize,
    },
    /// Two triangles that do not agree on which side is inside.
    #[error(
        "the triangles at the edge from {} to {} run along it the same way: one of them is turned over",
        point(from),
        point(to)
    )]
    SolidTurned {
        /// One end of the edge [m].
        from: [f64; 3],
        /// The other end [m].
        to: [f64; 3],
    },
    /// A mesh in several pieces.
    #[error("the surface is in {n_bodies} pieces, one of them at {}; a solid has one surface", point(place))]
    SolidSeveralBodies {
        /// How many pieces there are.
        n_bodies: usize,
        /// A point of the second [m].
        place: [f64; 3],
    },
    /// A closed mesh without a volume.
    #[error("the surface encloses no volume: {volume:e}, with a size of {size:e}")]
    SolidWithoutVolume {
        /// The volume [m^3].
        volume: f64,
        /// The largest extent [m].
        size: f64,
    },
    /// A closed mesh whose triangles face inwards.
    #[error("the solid is inside out: its triangles run clockwise seen from outside, so that its volume is {volume:e}")]
    SolidInsideOut {
        /// The volume, below zero [m^3].
        volume: f64,
    },
    /// Triangles that pass through each other.
    #[error("the surface crosses itself: triangles {} and {} (counted from 0) pass through each other at {}", triangles[0], triangles[1], point(place))]
    SolidCrossesItself {
        /// Which triangles.
        triangles: [u32; 2],
        /// Where [m].
        place: [f64; 3],
    },
    /// A solid from which no convex parts can be cut.
    #[error("no convex parts could be cut from the solid")]
    SolidNotCut,
}

/// What points without a volume lie on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flatness {
    /// All in one place.
    Point,
    /// All on a line.
    Line,
    /// All in a plane.
    Plane,
}

impl std::fmt::Display for Flatness {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(match self {
            Flatness::Point => "one point",
            Flatness::Line => "one line",
            Flatness::Plane => "one plane",
        })
    }
}

/// A point for people to read.
fn point([x, y, z]: &[f64; 3]) -> String {
    let short = |value: f64| {
        // Six digits, without the zeros that rounding leaves at their end.
        let value: f64 = format!("{value:.5e}").parse().unwrap_or(value);
        format!("{value}")
    };
    format!("({}, {}, {})", short(*x), short(*y), short(*z))
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}
