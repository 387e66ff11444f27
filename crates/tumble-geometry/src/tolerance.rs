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
/// its normal would be wrong by more than about 1e-16 / 1e-10 = 1e-6 rad.
pub const DEGENERATE_TRIANGLE: f64 = 1e-10;
