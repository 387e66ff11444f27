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

/// Angle [rad] between the normals of two contacts of a ball with one surface below which they are one contact. Faces
/// that meet at such an angle are one face cut up or a finely divided curve. Large enough that a second contact begins
/// without a jump at any larger angle as long as the overlap stays below r 0.05^2 / 2, about 0.1 % of the radius; small
/// enough that a force that turns by it at once does no harm.
pub const SAME_NORMAL: f64 = 0.05;

/// Multiplies the size of a grain. What of it is within this height of its farthest point along a direction reaches
/// equally far: a face or edge that lies flat on a wall. Far above rounding (1e-16 of the size, and 1e-12 where a
/// direction is itself an answer), far below any overlap that matters.
pub const FLAT: f64 = 1e-9;

/// Angle [rad] below which two pieces of a surface that meet are one flat piece, with no edge between them.
pub const FLAT_EDGE: f64 = 1e-9;

/// Multiplies the size of a grain. The ends of a line that lies flat on a curved wall are off one common meridian plane
/// by less than this: the square of that angle is what [`FLAT`] sees.
pub const SAME_AZIMUTH: f64 = 1e-6;

/// Multiplies the size of a grain. Among several places where a grain meets the inside of a drum the deepest is found to
/// this: below [`FLAT`], so that two that are equally deep are seen to be.
pub const SMALLEST_HUMP: f64 = 1e-10;
