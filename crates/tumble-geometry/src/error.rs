//! What can be wrong with geometry that a user supplies.

/// A surface that cannot be built, and why. Numbers of corners, segments, vertices and triangles count from 0.
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
}
