//! A plane that cuts the picture open.

use super::tree::Ray;
use glam::DVec3;
use tumble_io::units::{Dimension, parse_quantity};

/// Keeps everything with `normal . x <= offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    normal: DVec3,
    offset: f64,
}

/// A section as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SectionPlan {
    /// What is kept is given.
    Kept(Section),
    /// The half on the camera's side goes.
    TowardsCamera(Section),
}

impl Section {
    /// Keeps everything with `normal . x <= offset`; `None` if the normal has no direction or a number is not finite.
    pub fn new(normal: DVec3, offset: f64) -> Option<Section> {
        let length = normal.length();
        (length.is_finite() && length > 0.0 && offset.is_finite())
            .then(|| Section { normal: normal / length, offset: offset / length })
    }

    /// The unit normal, pointing to what is cut away.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// How far a point lies in what is cut away [m]; below zero, in what is kept.
    pub fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// Between which distances a ray is in what is kept.
    pub fn kept(&self, ray: &Ray) -> Option<(f64, f64)> {
        let (height, rise) = (self.height(ray.origin), self.normal.dot(ray.direction));
        let crossing = -height / rise;
        if rise > 0.0 {
            (crossing > 0.0).then_some((0.0, crossing))
        } else if rise < 0.0 {
            Some((crossing.max(0.0), f64::INFINITY))
        } else {
            (height <= 0.0).then_some((0.0, f64::INFINITY))
        }
    }

    /// The part of a segment that is kept.
    pub fn clip(&self, [a, b]: [DVec3; 2]) -> Option<[DVec3; 2]> {
        let (p, q) = (self.height(a), self.height(b));
        match (p <= 0.0, q <= 0.0) {
            (true, true) => Some([a, b]),
            (false, false) => None,
            (true, false) => Some([a, a + (b - a) * (p / (p - q))]),
            (false, true) => Some([a + (b - a) * (p / (p - q)), b]),
        }
    }
}

impl SectionPlan {
    /// Reads `x=5mm`, `z<0.1`, `y > 2 cm` or `nx,ny,nz,d`.
    pub fn from_text(text: &str) -> Result<SectionPlan, String> {
        const FORMS: &str =
            "a section is like `x=0.01`, `y=5mm`, `z<2cm` (keeps what lies below) or `nx,ny,nz,d` (keeps n.x <= d)";
        let length = |text: &str| {
            let text = text.trim();
            text.parse::<f64>()
                .ok()
                .map_or_else(|| parse_quantity(text, Dimension::LENGTH).map_err(|e| e.to_string()), Ok)
        };
        let refused = || format!("`{text}` is no section: {FORMS}");
        let Some(place) = text.find(['=', '<', '>']) else {
            let numbers: Vec<f64> = text.split(',').map(length).collect::<Result<_, _>>().map_err(|_| refused())?;
            let [x, y, z, d] = numbers[..] else { return Err(refused()) };
            return Section::new(DVec3::new(x, y, z), d).map(SectionPlan::Kept).ok_or_else(refused);
        };
        let axis = match text[..place].trim() {
            "x" => DVec3::X,
            "y" => DVec3::Y,
            "z" => DVec3::Z,
            _ => return Err(refused()),
        };
        let offset =
            length(text[place + 1..].trim_start_matches('=')).map_err(|why| format!("{}; {why}", refused()))?;
        let section = |sign: f64| Section::new(sign * axis, sign * offset).ok_or_else(refused);
        Ok(match &text[place..=place] {
            "<" => SectionPlan::Kept(section(1.0)?),
            ">" => SectionPlan::Kept(section(-1.0)?),
            _ => SectionPlan::TowardsCamera(section(1.0)?),
        })
    }

    /// The direction in which a camera looks at it squarely. Of a section that goes with the camera, that from the front,
    /// the right or above.
    pub fn squarely(self) -> DVec3 {
        match self {
            SectionPlan::Kept(section) => -section.normal,
            SectionPlan::TowardsCamera(section) => {
                let normal = section.normal;
                let is_seen_from_below = normal.y.abs() > normal.x.abs().max(normal.z.abs());
                if is_seen_from_below == (normal[normal.abs().max_position()] > 0.0) { normal } else { -normal }
            }
        }
    }

    /// How far a point is from its plane, on either side [m].
    pub fn distance(self, point: DVec3) -> f64 {
        let (SectionPlan::Kept(section) | SectionPlan::TowardsCamera(section)) = self;
        section.height(point).abs()
    }

    /// The section for a camera at a place.
    pub fn seen_from(self, eye: DVec3) -> Section {
        match self {
            SectionPlan::Kept(section) => section,
            SectionPlan::TowardsCamera(section) if section.height(eye) >= 0.0 => section,
            SectionPlan::TowardsCamera(section) => Section { normal: -section.normal, offset: -section.offset },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_read_and_nonsense_is_refused() {
        let kept = |text: &str| SectionPlan::from_text(text).unwrap().seen_from(DVec3::new(1.0, 1.0, 1.0));
        assert_eq!(kept("x=0.01"), Section { normal: DVec3::X, offset: 0.01 });
        assert_eq!(kept("y = 5 mm"), Section { normal: DVec3::Y, offset: 0.005 });
        assert_eq!(kept("y=2"), Section { normal: -DVec3::Y, offset: -2.0 });
        assert_eq!(kept("z<2cm"), Section { normal: DVec3::Z, offset: 0.02 });
        assert_eq!(kept("z>=2cm"), Section { normal: -DVec3::Z, offset: -0.02 });
        assert_eq!(kept("0,0,2,1"), Section { normal: DVec3::Z, offset: 0.5 });
        for bad in ["", "x", "w=1", "x=", "x=5kg", "1,2,3", "0,0,0,1", "a,b,c,d", "x=nan", "x=1 2"] {
            let message = SectionPlan::from_text(bad).unwrap_err();
            assert!(message.contains("section is like"), "{bad}: {message}");
        }
    }

    #[test]
    fn a_camera_looks_squarely_at_a_section_from_where_one_expects_it() {
        let squarely = |text: &str| SectionPlan::from_text(text).unwrap().squarely();
        assert_eq!(squarely("y=1"), DVec3::Y);
        assert_eq!(squarely("x=1"), -DVec3::X);
        assert_eq!(squarely("z=1"), -DVec3::Z);
        assert_eq!(squarely("y<1"), -DVec3::Y);
        assert_eq!(squarely("0,0,2,1"), -DVec3::Z);
    }

    #[test]
    fn a_ray_and_a_segment_are_kept_on_one_side() {
        let section = Section::new(DVec3::Z, 1.0).unwrap();
        let ray = |z: f64, direction: DVec3| Ray::new(DVec3::new(0.0, 0.0, z), direction);
        assert_eq!(section.kept(&ray(3.0, -DVec3::Z)), Some((2.0, f64::INFINITY)));
        assert_eq!(section.kept(&ray(0.0, DVec3::Z)), Some((0.0, 1.0)));
        assert_eq!(section.kept(&ray(3.0, DVec3::Z)), None);
        assert_eq!(section.kept(&ray(3.0, DVec3::X)), None);
        assert_eq!(section.kept(&ray(0.5, DVec3::X)), Some((0.0, f64::INFINITY)));
        assert_eq!(section.clip([DVec3::ZERO, DVec3::Z * 2.0]), Some([DVec3::ZERO, DVec3::Z]));
        assert_eq!(section.clip([DVec3::Z * 2.0, DVec3::Z * 3.0]), None);
    }
}
