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

/// Multiplies the size of a pair, and is an angle besides [rad]. Planar bodies lifted or tilted out of their plane by no
/// more than this are in it. Planar runs lock both at exactly zero; what is let through is the rounding of frames that
/// were multiplied together, a few 1e-16 each.
pub const IN_PLANE: f64 = 1e-12;

/// Multiplies the size of a pair. Corners of a polygon whose heights over a line differ by less lie on it together: a
/// side against a side, not a corner. Rounding moves such heights by a few 1e-16.
pub const SAME_HEIGHT: f64 = 1e-12;
