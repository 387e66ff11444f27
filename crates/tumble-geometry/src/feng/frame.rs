//! The four-parameter frame of two axes.
//!
//! With n2 reversed if n1 . n2 < 0, the x axis of both local frames is the common perpendicular
//!
//!   ex = n2 x n1 / sin(alpha),  ey_i = n_i x ex,  ez_i = n_i,
//!
//! and the distance d between the axes along ex, the angle alpha between them and the places s1, s2 of the feet of the
//! common perpendicular say all there is to say of the pair: o1 = c1 + s1 n1, o2 = c2 + s2 n2, o2 - o1 = d ex. In frame 1
//! the second axis is (0, sin(alpha), cos(alpha)).
//!
//! Equations (1) to (15) of Feng, Han and Owen (2017), of which (7), (9) and the rule for exchanging the two cylinders are
//! wrong in print. The transformations here go through c12 and c21, the centre of one in the frame of the other, which are
//! plain projections: s1 and s2, which grow without bound as the axes become parallel, are needed by none of them. The sine
//! is the length of a cross product, not the root of 1 - cos^2, and so has all its digits at any angle.

use crate::cross::accurate_cross;
use crate::tolerance::PARALLEL_AXES;
use glam::DVec3;

/// Two axes and the frames that are best for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FourParameterFrame {
    /// Signed distance between the axes along x, d [m].
    pub distance: f64,
    /// Cosine of the angle between the axes, from 0 to 1.
    pub cosine: f64,
    /// Sine of the angle between the axes, from 0 to 1.
    pub sine: f64,
    /// Centre of the second body in the frame of the first, c12 [m].
    pub centre_12: DVec3,
    /// Centre of the first body in the frame of the second, c21 [m].
    pub centre_21: DVec3,
    /// Centre of the first body [m].
    pub centre_1: DVec3,
    /// Centre of the second body [m].
    pub centre_2: DVec3,
    /// Unit vectors x, y and z of the first frame.
    pub axes_1: [DVec3; 3],
    /// Unit vectors x, y and z of the second frame.
    pub axes_2: [DVec3; 3],
}

impl FourParameterFrame {
    /// The frame of two bodies with centres c_i and unit axes n_i. `size` is a length of the bodies.
    pub fn new(centre_1: DVec3, axis_1: DVec3, centre_2: DVec3, axis_2: DVec3, size: f64) -> FourParameterFrame {
        let n1 = axis_1;
        let n2 = if n1.dot(axis_2) < 0.0 { -axis_2 } else { axis_2 };
        let between = centre_2 - centre_1;
        let cross = accurate_cross(n2, n1);
        let sine = cross.length();
        let (ex, n2, sine) = if sine > PARALLEL_AXES {
            (cross / sine, n2, sine)
        } else {
            let across = between - n1 * n1.dot(between);
            let is_beside = across.length() > PARALLEL_AXES * size;
            let ex = if is_beside { across.normalize() } else { n1.any_orthonormal_vector() };
            // What is left of a small difference is not quite across; a second time it is.
            ((ex - n1 * n1.dot(ex)).normalize(), n1, 0.0)
        };
        let cosine = if sine > 0.0 { n1.dot(n2).max(0.0) } else { 1.0 };
        let (ey1, ey2) = (n1.cross(ex), n2.cross(ex));
        let distance = ex.dot(between);
        FourParameterFrame {
            distance,
            cosine,
            sine,
            centre_12: DVec3::new(distance, ey1.dot(between), n1.dot(between)),
            centre_21: DVec3::new(-distance, -ey2.dot(between), -n2.dot(between)),
            centre_1,
            centre_2,
            axes_1: [ex, ey1, n1],
            axes_2: [ex, ey2, n2],
        }
    }

    /// Angle between the axes, from 0 to a right angle [rad].
    pub fn angle(&self) -> f64 {
        self.sine.atan2(self.cosine)
    }

    /// s1, from the first centre to the foot of the common perpendicular along the first axis [m]. Not finite for
    /// parallel axes.
    pub fn offset_1(&self) -> f64 {
        self.centre_21.y / self.sine
    }

    /// s2, the same on the second axis [m].
    pub fn offset_2(&self) -> f64 {
        -self.centre_12.y / self.sine
    }

    /// Whether both feet of the common perpendicular lie within half heights, equation (17): |s1| < h1 and |s2| < h2.
    pub fn has_feet_within(&self, half_height_1: f64, half_height_2: f64) -> bool {
        self.centre_21.y.abs() < half_height_1 * self.sine && self.centre_12.y.abs() < half_height_2 * self.sine
    }

    /// Takes a point of the second frame to the first: x1 = c12 + T12 x2.
    pub fn to_first(&self, x2: DVec3) -> DVec3 {
        let (c, s) = (self.cosine, self.sine);
        self.centre_12 + DVec3::new(x2.x, c * x2.y + s * x2.z, c * x2.z - s * x2.y)
    }

    /// Takes a point of the first frame to the second: x2 = c21 + T21 x1.
    pub fn to_second(&self, x1: DVec3) -> DVec3 {
        let (c, s) = (self.cosine, self.sine);
        self.centre_21 + DVec3::new(x1.x, c * x1.y - s * x1.z, c * x1.z + s * x1.y)
    }

    /// Takes a point of the first frame to the frame in which the axes were given.
    pub fn to_outer(&self, x1: DVec3) -> DVec3 {
        let [ex, ey, ez] = self.axes_1;
        self.centre_1 + ex * x1.x + ey * x1.y + ez * x1.z
    }

    /// Takes a point to the first frame.
    pub fn from_outer(&self, outer: DVec3) -> DVec3 {
        let from_centre = outer - self.centre_1;
        let [ex, ey, ez] = self.axes_1;
        DVec3::new(ex.dot(from_centre), ey.dot(from_centre), ez.dot(from_centre))
    }

    /// The frame in which the second body leads: angle and d stay, s1 and s2 change places, x and y turn round.
    pub fn swapped(&self) -> FourParameterFrame {
        let turned = |v: DVec3| DVec3::new(-v.x, -v.y, v.z);
        let axes = |[ex, ey, ez]: [DVec3; 3]| [-ex, -ey, ez];
        FourParameterFrame {
            distance: self.distance,
            cosine: self.cosine,
            sine: self.sine,
            centre_12: turned(self.centre_21),
            centre_21: turned(self.centre_12),
            centre_1: self.centre_2,
            centre_2: self.centre_1,
            axes_1: axes(self.axes_2),
            axes_2: axes(self.axes_1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Sequence;

    fn check(sequence: &mut Sequence, n1: DVec3, n2: DVec3) {
        let (c1, c2) = (sequence.point_in_cube(1.0), sequence.point_in_cube(1.0));
        let frame = FourParameterFrame::new(c1, n1, c2, n2, 1.0);
        let signed = if n1.dot(n2) < 0.0 { -n2 } else { n2 };
        for axes in [frame.axes_1, frame.axes_2] {
            let [x, y, z] = axes;
            assert!((x.cross(y) - z).length() < 1e-15, "{axes:?}");
            assert!(x.dot(n1).abs() < 1e-15 && x.dot(n2).abs() < 2e-15);
        }
        // The second axis in frame 1 is (0, sin, cos).
        let [ex, ey, ez] = frame.axes_1;
        let second = DVec3::new(ex.dot(signed), ey.dot(signed), ez.dot(signed));
        assert!((second - DVec3::new(0.0, frame.sine, frame.cosine)).length() < 2e-15);
        // A point goes round.
        let p = sequence.point_in_cube(2.0);
        let x1 = frame.from_outer(p);
        assert!((frame.to_outer(x1) - p).length() < 4e-15);
        let [ex2, ey2, ez2] = frame.axes_2;
        let x2 = frame.to_second(x1);
        assert!((c2 + ex2 * x2.x + ey2 * x2.y + ez2 * x2.z - p).length() < 4e-15);
        assert!((frame.to_first(x2) - x1).length() < 4e-15);
        assert!((x1.x - x2.x - frame.distance).abs() < 4e-15);
        // The other way round it is the same pair.
        let swapped = frame.swapped();
        let other = FourParameterFrame::new(c2, frame.axes_2[2], c1, n1, 1.0);
        assert!((swapped.distance - other.distance).abs() < 1e-15);
        assert!((swapped.centre_12 - other.centre_12).length() < 4e-15);
        assert!((swapped.centre_21 - other.centre_21).length() < 4e-15);
        let y2 = swapped.from_outer(p);
        assert!((y2 - DVec3::new(-x2.x, -x2.y, x2.z)).length() < 4e-15);
        assert!((swapped.to_second(y2) - DVec3::new(-x1.x, -x1.y, x1.z)).length() < 8e-15);
        if frame.sine > 1e-3 {
            // The common perpendicular joins the feet, and (11), (12) are what the projections are.
            let (s1, s2) = (frame.offset_1(), frame.offset_2());
            let (o1, o2) = (c1 + s1 * n1, c2 + s2 * signed);
            assert!((o2 - o1 - frame.distance * ex).length() < 1e-12);
            let (c, s) = (frame.cosine, frame.sine);
            assert!((frame.centre_12 - DVec3::new(frame.distance, -s2 * s, s1 - s2 * c)).length() < 1e-12);
            assert!((frame.centre_21 - DVec3::new(-frame.distance, s1 * s, s2 - s1 * c)).length() < 1e-12);
        }
    }

    #[test]
    fn the_transformations_agree_with_each_other_at_any_angle() {
        let mut sequence = Sequence::new(51);
        for round in 0..20_000 {
            let n1 = sequence.direction();
            let across = n1.cross(sequence.direction()).normalize();
            let angle = match round % 4 {
                0 => sequence.between(0.0, std::f64::consts::PI),
                1 => 10f64.powf(sequence.between(-17.0, 0.0)),
                2 => std::f64::consts::FRAC_PI_2 - 10f64.powf(sequence.between(-17.0, 0.0)),
                _ => 0.0,
            };
            let n2 = (n1 * angle.cos() + across * angle.sin()).normalize();
            check(&mut sequence, n1, n2);
        }
    }

    #[test]
    fn small_angles_keep_their_digits() {
        for power in 1..14 {
            let angle = 10f64.powi(-power);
            let frame = FourParameterFrame::new(
                DVec3::ZERO,
                DVec3::Z,
                DVec3::X,
                DVec3::new(0.0, angle.sin(), angle.cos()),
                1.0,
            );
            assert!((frame.angle() / angle - 1.0).abs() < 1e-15, "{power}");
        }
    }
}
