//! Where a picture is taken from.
//!
//! A camera that frames something is found exactly: each side of the picture is a plane through the eye, the farthest
//! point beyond each plane decides, and the eye lies where the two planes of a pair touch their points. Left and right
//! want one distance, bottom and top another; the farther one serves both.

use super::tree::Ray;
use glam::{DVec2, DVec3};

/// Half of the angle between the shorter sides of a picture with perspective, as a tangent: 15 degrees, which is calm.
const USUAL_TANGENT: f64 = 0.268;

/// From where to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    /// From in front and above, a little from the right.
    ThreeQuarter,
    /// From -y.
    Front,
    /// From +y.
    Back,
    /// From -x.
    Left,
    /// From +x.
    Right,
    /// From +z, y upwards.
    Top,
    /// From -z, y upwards.
    Bottom,
    /// Along the diagonal of a cube, from +x, -y, +z.
    Isometric,
    /// Square to the section, from the side that is cut away.
    Section,
    /// Along a unit vector.
    Along(DVec3),
    /// From a point [m].
    From(DVec3),
}

impl Direction {
    /// The words for directions, in the order of the type.
    pub const NAMES: [&'static str; 9] = ["auto", "front", "back", "left", "right", "top", "bottom", "iso", "section"];

    /// The direction of a word.
    pub fn from_name(name: &str) -> Option<Direction> {
        Some(match name {
            "auto" => Direction::ThreeQuarter,
            "front" => Direction::Front,
            "back" => Direction::Back,
            "left" => Direction::Left,
            "right" => Direction::Right,
            "top" => Direction::Top,
            "bottom" => Direction::Bottom,
            "iso" => Direction::Isometric,
            "section" => Direction::Section,
            _ => return None,
        })
    }

    /// Unit vectors forward and upward for a camera that looks at a point.
    fn axes(self, target: DVec3) -> (DVec3, DVec3) {
        let from = |azimuth: f64, elevation: f64| {
            let (azimuth, elevation) = (azimuth.to_radians(), elevation.to_radians());
            let level = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
            -(level * elevation.cos() + DVec3::Z * elevation.sin())
        };
        let forward = match self {
            // Without a section there is nothing to look at squarely.
            Direction::ThreeQuarter | Direction::Section => from(-62.0, 24.0),
            Direction::Along(forward) => forward,
            Direction::Front => DVec3::Y,
            Direction::Back => -DVec3::Y,
            Direction::Left => DVec3::X,
            Direction::Right => -DVec3::X,
            Direction::Top => return (-DVec3::Z, DVec3::Y),
            Direction::Bottom => return (DVec3::Z, DVec3::Y),
            Direction::Isometric => from(-45.0, 35.264_389_682_754_654),
            Direction::From(eye) => (target - eye).try_normalize().unwrap_or(DVec3::Y),
        };
        // A camera that looks along the vertical has y upwards.
        let level = forward.cross(DVec3::Z).length() > 1e-6;
        (forward, if level { DVec3::Z } else { DVec3::Y })
    }
}

/// What a camera is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraPlan {
    /// From where.
    pub direction: Direction,
    /// At what [m]; `None`: the middle of what there is.
    pub look_at: Option<DVec3>,
    /// How much nearer than a picture that shows all [1].
    pub zoom: f64,
    /// Without perspective.
    pub is_orthographic: bool,
}

impl Default for CameraPlan {
    fn default() -> CameraPlan {
        CameraPlan { direction: Direction::ThreeQuarter, look_at: None, zoom: 1.0, is_orthographic: false }
    }
}

/// The part of a picture that is to be filled, each side as a share of the picture from its left or top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Left side.
    pub left: f64,
    /// Right side.
    pub right: f64,
    /// Upper side.
    pub top: f64,
    /// Lower side.
    pub bottom: f64,
}

/// A ball that a picture should show: centre [m] and radius [m].
pub type Subject = (DVec3, f64);

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    eye: DVec3,
    forward: DVec3,
    right: DVec3,
    up: DVec3,
    /// With perspective, tangents of half the angles across and upright; else half the width and height [m].
    reach: DVec2,
    is_orthographic: bool,
    width: u32,
    height: u32,
}

impl Camera {
    /// The camera of a plan for a picture of a size in pixels, that shows the subjects within the frame.
    pub fn framing(plan: &CameraPlan, width: u32, height: u32, frame: Frame, subjects: &[Subject]) -> Camera {
        let subjects: Vec<Subject> = subjects.iter().copied().filter(|(p, r)| p.is_finite() && r.is_finite()).collect();
        let lower = subjects.iter().fold(DVec3::INFINITY, |low, (p, r)| low.min(*p - *r));
        let upper = subjects.iter().fold(DVec3::NEG_INFINITY, |high, (p, r)| high.max(*p + *r));
        let middle = 0.5 * (lower + upper);
        let is_finite = middle.is_finite();
        let middle = if is_finite { middle } else { DVec3::ZERO };
        let size = if is_finite && lower != upper { 0.5 * lower.distance(upper) } else { 1.0 };
        let target = plan.look_at.unwrap_or(middle);
        let (forward, vertical) = plan.direction.axes(target);
        let right = forward.cross(vertical).normalize();
        let up = right.cross(forward);
        let aspect = f64::from(width) / f64::from(height);
        let tangents =
            USUAL_TANGENT * if aspect >= 1.0 { DVec2::new(aspect, 1.0) } else { DVec2::new(1.0, 1.0 / aspect) };
        let camera = |eye: DVec3, reach: DVec2| {
            let is_orthographic = plan.is_orthographic;
            Camera { eye, forward, right, up, reach: reach / plan.zoom, is_orthographic, width, height }
        };
        // Nothing, or a point, is framed as a ball of unit size.
        let subjects = if is_finite && lower != upper { subjects } else { vec![(middle, size)] };
        let view = |p: DVec3| DVec3::new(right.dot(p), up.dot(p), forward.dot(p));
        // The frame's sides in the picture, from -1 to 1, upwards positive.
        let sides = [2.0 * frame.left - 1.0, 2.0 * frame.right - 1.0, 1.0 - 2.0 * frame.bottom, 1.0 - 2.0 * frame.top];
        if plan.is_orthographic {
            let extreme = |axis: usize, sign: f64| {
                subjects.iter().map(|(p, r)| sign * view(*p)[axis] + r).fold(f64::NEG_INFINITY, f64::max) * sign
            };
            let (low, high) =
                (DVec2::new(extreme(0, -1.0), extreme(1, -1.0)), DVec2::new(extreme(0, 1.0), extreme(1, 1.0)));
            let share = DVec2::new(sides[1] - sides[0], sides[3] - sides[2]);
            let wanted = (high - low) / share;
            let half_height = wanted.y.max(wanted.x / aspect);
            let reach = DVec2::new(half_height * aspect, half_height);
            let centre = 0.5 * (low + high) - 0.5 * DVec2::new(sides[0] + sides[1], sides[2] + sides[3]) * reach;
            let at = if plan.look_at.is_some() { view(target).truncate() } else { centre };
            let distance = view(middle).z - 3.0 * size;
            return camera(right * at.x + up * at.y + forward * distance, reach);
        }
        if let Direction::From(eye) = plan.direction {
            return camera(eye, tangents);
        }
        // Planes through the eye (x, z of the view): a point is inside if s (x - eye_x) <= s t (z - eye_z) for side t and
        // sign s. The farthest point gives eye_x - t eye_z >= or <= h; both sides equal fix eye_x and eye_z.
        let pair = |axis: usize, low: f64, high: f64, reach: f64| {
            let side = |tangent: f64, sign: f64| {
                let beyond = |(p, r): &Subject| sign * (view(*p)[axis] - tangent * view(*p).z) + r * tangent.hypot(1.0);
                sign * subjects.iter().map(beyond).fold(f64::NEG_INFINITY, f64::max)
            };
            let (low_tangent, high_tangent) = (low * reach, high * reach);
            let (at_low, at_high) = (side(low_tangent, -1.0), side(high_tangent, 1.0));
            let depth = -(at_high - at_low) / (high_tangent - low_tangent);
            (depth, at_low, at_high, low_tangent, high_tangent)
        };
        let across = pair(0, sides[0], sides[1], tangents.x);
        let upright = pair(1, sides[2], sides[3], tangents.y);
        let depth = across.0.min(upright.0);
        // In the direction that has room to spare the subject is centred.
        let centred = |(_, at_low, at_high, low, high): (f64, f64, f64, f64, f64)| {
            0.5 * ((at_low + low * depth) + (at_high + high * depth))
        };
        let eye = right * centred(across) + up * centred(upright) + forward * depth;
        let eye = match plan.look_at {
            Some(target) => target - forward * (view(middle).z - depth),
            None => eye,
        };
        camera(eye, tangents)
    }

    /// Size of the picture in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Where the camera is [m]; without perspective, a point before the scene.
    pub fn eye(&self) -> DVec3 {
        self.eye
    }

    /// Unit vectors to the right, upwards and forwards.
    pub fn axes(&self) -> [DVec3; 3] {
        [self.right, self.up, self.forward]
    }

    /// The ray through a place of the picture in pixels, from its left upper corner.
    pub fn ray(&self, x: f64, y: f64) -> Ray {
        let across = (2.0 * x / f64::from(self.width) - 1.0) * self.reach.x;
        let upright = (1.0 - 2.0 * y / f64::from(self.height)) * self.reach.y;
        let offset = self.right * across + self.up * upright;
        if self.is_orthographic {
            Ray::new(self.eye + offset, self.forward)
        } else {
            Ray::new(self.eye, (self.forward + offset).normalize())
        }
    }

    /// Where a point is in the picture, in pixels, and how far along its ray [m]; `None` behind the camera.
    pub fn project(&self, point: DVec3) -> Option<(DVec2, f64)> {
        let from_eye = point - self.eye;
        let depth = from_eye.dot(self.forward);
        let (divisor, distance) = if self.is_orthographic { (1.0, depth) } else { (depth, from_eye.length()) };
        if divisor <= 0.0 {
            return None;
        }
        let place = DVec2::new(from_eye.dot(self.right), from_eye.dot(self.up)) / divisor / self.reach;
        let size = DVec2::new(f64::from(self.width), f64::from(self.height));
        Some((0.5 * (place * DVec2::new(1.0, -1.0) + 1.0) * size, distance))
    }

    /// The part of a segment before the camera.
    pub fn clip(&self, [a, b]: [DVec3; 2]) -> Option<[DVec3; 2]> {
        let (p, q) = ((a - self.eye).dot(self.forward), (b - self.eye).dot(self.forward));
        let near = 1e-6 * p.abs().max(q.abs());
        let at = |from: DVec3, to: DVec3, p: f64, q: f64| from + (to - from) * ((near - p) / (q - p));
        match (p > near, q > near) {
            (true, true) => Some([a, b]),
            (false, false) => None,
            (true, false) => Some([a, at(a, b, p, q)]),
            (false, true) => Some([at(a, b, p, q), b]),
        }
    }

    /// The distance at a share of the way between the pictures of two points: with perspective its inverse, and not it,
    /// is even along a line of the picture.
    pub fn between(&self, from: f64, to: f64, share: f64) -> f64 {
        if self.is_orthographic { from + share * (to - from) } else { ((1.0 - share) / from + share / to).recip() }
    }

    /// How long a pixel is at a point [m].
    pub fn pixel_at(&self, point: DVec3) -> f64 {
        let depth = if self.is_orthographic { 1.0 } else { (point - self.eye).dot(self.forward).max(0.0) };
        2.0 * self.reach.y * depth / f64::from(self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame { left: 0.05, right: 0.85, top: 0.1, bottom: 0.95 };

    #[test]
    fn subjects_fill_the_frame_and_stay_within() {
        let subjects: Vec<Subject> =
            (0..40).map(|k| (DVec3::new((k * 7 % 11) as f64, (k * 5 % 13) as f64, (k % 6) as f64), 0.5)).collect();
        for name in Direction::NAMES {
            for is_orthographic in [false, true] {
                let direction = Direction::from_name(name).unwrap();
                let plan = CameraPlan { direction, is_orthographic, ..CameraPlan::default() };
                let camera = Camera::framing(&plan, 400, 300, FRAME, &subjects);
                let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
                for (centre, radius) in &subjects {
                    for k in 0..200 {
                        let direction = DVec3::new((k as f64).sin(), (k as f64 * 1.3).cos(), (k as f64 * 0.7).sin());
                        let (place, _) = camera.project(*centre + direction.normalize() * *radius).unwrap();
                        (low, high) = (low.min(place), high.max(place));
                    }
                }
                let within =
                    low.x > 0.049 * 400.0 && high.x < 0.851 * 400.0 && low.y > 0.099 * 300.0 && high.y < 0.951 * 300.0;
                assert!(within, "{name}: {low} {high}");
                let fills = high.x - low.x > 0.76 * 400.0 || high.y - low.y > 0.81 * 300.0;
                assert!(fills, "{name}: {low} {high}");
            }
        }
    }

    #[test]
    fn rays_go_through_the_places_that_points_are_projected_to() {
        for is_orthographic in [false, true] {
            let plan = CameraPlan { is_orthographic, ..CameraPlan::default() };
            let camera = Camera::framing(&plan, 320, 200, FRAME, &[(DVec3::new(1.0, 2.0, 3.0), 2.0)]);
            let point = DVec3::new(1.3, 1.1, 2.2);
            let (place, distance) = camera.project(point).unwrap();
            assert!((camera.ray(place.x, place.y).at(distance) - point).length() < 1e-12);
        }
    }

    #[test]
    fn odd_subjects_still_give_a_camera() {
        for subjects in [vec![], vec![(DVec3::ZERO, 0.0)], vec![(DVec3::NAN, 1.0)]] {
            let camera = Camera::framing(&CameraPlan::default(), 64, 64, FRAME, &subjects);
            assert!(camera.ray(32.0, 32.0).direction.is_finite() && camera.axes()[0].is_finite());
        }
    }
}
