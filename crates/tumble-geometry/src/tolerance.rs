//! Every tolerance of the contact geometry. All are dimensionless; each says what it multiplies and why it has its
//! value.

/// Multiplies the size of a pair. Centres closer than this have no direction: the squares that would give it
/// underflow. Everything farther apart has an accurate normal.
pub const COINCIDENT: f64 = 1e-100;

/// Multiplies the largest length in a question (surface coordinates plus grain radius). Nearest points closer together
/// than this are one point. Rounding moves a nearest point by a few 1e-16 of that length; four orders above it, the
/// tolerance is still far below any length that matters to a contact.
pub const SAME_POINT: f64 = 1e-12;

/// Multiplies the longest edge of a triangle. A triangle whose height over that edge is smaller counts as degenerate:
/// its normal would be wrong by more than about 1e-16 / 1e-10 = 1e-6 rad. The same angle tells two segments of a profile
/// that lie on each other.
pub const DEGENERATE_TRIANGLE: f64 = 1e-10;

/// Angle [rad] between the normals of a contact with a sharp ring of a profile and another contact below which they are one, and of two contacts that
/// both stand though they are behind each other. Small enough that a force that turns by it at once does no harm.
pub const SAME_NORMAL: f64 = 0.05;

/// Multiplies the size of a grain. What of it is within this height of its farthest point along a direction reaches
/// equally far: a face or edge that lies flat on a wall. Far above rounding (1e-16 of the size, and 1e-12 where a
/// direction is itself an answer), far below any overlap that matters.
pub const LIES_FLAT: f64 = 1e-9;

/// Multiplies the size of a body. What of it is within this height of its farthest point is as far, as a depth sees it: a
/// fifth of the 1e-10 that a depth may be off.
pub const LEVEL: f64 = 2e-11;

/// Angle [rad] below which two pieces of a surface that meet are one flat piece, with no edge between them.
pub const FLAT_EDGE: f64 = 1e-9;

/// Multiplies the size of a grain. The ends of a line that lies flat on a curved wall are off one common meridian plane
/// by less than this: the square of that angle is what [`LIES_FLAT`] sees.
pub const SAME_AZIMUTH: f64 = 1e-6;

/// Multiplies the size of a grain. Where a grain meets the inside of a drum in several places close together, the
/// deepest may be missed for one that is less deep by this: far below any overlap, and a smaller value costs many
/// support points in every question.
pub const SMALLEST_HUMP: f64 = 1e-7;

/// Multiplies the size of a pair of polyhedra. A vertex no farther above a plane counts as below it when a region is cut
/// out. Rounding puts vertices and planes of turned bodies within a few 1e-16 of the size; faces that ought to lie in one
/// plane are then one face, and the volume gained is below 1e-14 of the size times their area.
pub const ON_PLANE: f64 = 1e-14;

/// Multiplies the size of a pair of polyhedra. A corner of the roof over a region no farther above a plane counts as below it.
/// Only what coplanar faces cost depends on it: the least that is above the rounding of faces that ought to lie in one plane,
/// since a depth is off by as much.
pub const ON_ROOF: f64 = 1e-15;

/// Relative error allowed in a region's volume, areas and moments where they come from quadrature. A tenth of what a
/// law's force may differ from the gradient of its energy (1e-6).
pub const REGION: f64 = 1e-7;

/// The same in a run, where a region is found for each contact and step. The worst errors found are 7e-5 of volume, area and
/// moment, and force and slope of the energy differ by 4e-5 at the median pose of the worst pair (the example
/// `region_cost`): far below what a time step of a twentieth of a contact's duration leaves.
pub const LAW_REGION: f64 = 1e-4;

/// Multiplies the size of a pair. Bounds of a separation this close have met: what is left is the rounding of sums of a
/// few products, a hundred times 1e-16 and some more for bodies several sizes apart.
pub const EXACT: f64 = 1e-13;

/// Multiplies the size of a pair. A weighted point of the difference body this close to the line of the normal shows that
/// the direction is stationary. The value is off by its square over a radius of curvature, so that it is exact.
pub const STATIONARY: f64 = 2e-10;

/// Multiplies the size of a pair. Bounds of the separation of curved bodies that are this close are accepted: ten times
/// closer than any use needs, and far enough above rounding to be reached.
pub const CERTIFIED: f64 = 1e-9;

/// Multiplies the depth. Lower bound of the depth that is accepted where many directions are (nearly) equally deep, the
/// answer is one of them to rounding, and a search from every open direction finds none that is less deep. A circle of
/// equal directions needs some 2 pi / sqrt(8 x 0.01), about 22, points of support for it.
pub const TIED_DEPTH: f64 = 1e-2;

/// Multiplies the size of a pair. Points of the difference body nearer to a plane than this span no volume.
pub const POLYTOPE_FLAT: f64 = 1e-12;

/// Multiplies the size of a pair. A point this little above a face of the growing polytope lies in its plane.
pub const POLYTOPE_COPLANAR: f64 = 1e-14;

/// Sine of an angle. A ray that meets a plane at a smaller one runs along it: over any distance within the shape it rises
/// by no more than the rounding of its own coordinates.
pub const GRAZING: f64 = 1e-15;

/// Multiplies 1, the gauge of a superquadric on its surface. An evaluation with nested powers errs by about as much, so
/// nearer to 1 there is nothing to find.
pub const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Cosine of the angle between a face and a neighbour beyond which the neighbour faces the other way and belongs to the
/// far side of a sharp edge.
pub const OPPOSITE_FACING: f64 = -0.5;

/// Multiplies the largest coordinate of a mesh plus the period, and is an angle besides [rad]. Corners of a rim this close to
/// those of the next image's rim are the same: what six digits in a file, or single precision, can do.
pub const SAME_RIM: f64 = 1e-6;

/// Multiplies the largest coordinate of a polyhedron that is given by its faces. Corners may be this far off a face's
/// plane and vertices this far above it: what six digits in a file can do.
pub const GIVEN_FACES: f64 = 1e-6;

/// Sine of an angle, and multiplies the largest distance of a corner from the origin. A polyhedron whose corners are this
/// close to those of a box is that box: rounding of its corners, some 1e-16, and a margin.
pub const RIGHT_ANGLE: f64 = 1e-14;

/// Multiplies a body's size and its largest moment. A centre or an axis that is right to this is kept, so that rounding
/// does not turn a body that a user has aligned.
pub const PRINCIPAL: f64 = 1e-12;

/// The same for a clump whose parts overlap, since its tensor is known no better.
pub const PRINCIPAL_OF_UNION: f64 = 1e-6;

/// Multiplies the size of a pair, and is an angle besides [rad]. Planar bodies lifted or tilted out of their plane by no
/// more than this are in it. Planar runs lock both at exactly zero; what is let through is the rounding of frames that
/// were multiplied together, a few 1e-16 each.
pub const IN_PLANE: f64 = 1e-12;

/// Multiplies the size of a pair. Corners of a polygon whose heights over a line differ by less lie on it together: a
/// side against a side, not a corner. Rounding moves such heights by a few 1e-16.
pub const SAME_HEIGHT: f64 = 1e-12;

/// Multiplies the largest coordinate of a hull's points. Triangles whose corners are this close to one plane are one face,
/// vertices this close are one vertex. Rounding puts points of a turned plane a few 1e-16 off it, and the plane through
/// three neighbours among a thousand points some ten times as far.
pub const COPLANAR: f64 = 1e-13;

/// Multiplies the largest coordinate of a hull's points. Points within this distance of a plane have no volume: their
/// thickness could be rounding. A hundred times [`COPLANAR`], so that the two sides of a thin body are never one face.
pub const FLAT: f64 = 1e-11;

/// Sine of the angle between two axes. Axes that make a smaller one are parallel: over any length within the bodies the
/// angle moves nothing by more than the rounding of its own coordinates.
pub const PARALLEL_AXES: f64 = 1e-15;

/// Sine of the angle between the planes through a point and each of two axes, and distance of the point from an axis over
/// its distance from the bodies' centres. Below it the line through the point that meets both axes is decided by the
/// rounding of the point, some 1e-16 over this.
pub const CO_PLANAR_AXES: f64 = 1e-9;
