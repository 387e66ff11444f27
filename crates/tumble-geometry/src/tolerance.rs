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
pub const FLAT: f64 = 1e-12;

/// Multiplies the size of a pair. A point this little above a face of the growing polytope lies in its plane.
pub const COPLANAR: f64 = 1e-14;
