//! A body of revolution as the layers see it: stretches along its axis, each a piece of a cone or of a ball.
//!
//! Heights are counted from the middle of the body, along the axis of the four-parameter frame, which may be against its own.

use crate::Shape;

/// What a stretch of a body's surface is a piece of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// Radius at the height zero, and its growth with height; a cylinder if it does not grow.
    Cone { radius: f64, slope: f64 },
    /// Height of the centre, and radius.
    Ball { centre: f64, radius: f64 },
}

/// A stretch of the surface between two heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    pub from: f64,
    pub to: f64,
    pub form: Form,
}

impl Stretch {
    /// Radius at a height.
    fn radius(&self, z: f64) -> f64 {
        match self.form {
            Form::Cone { radius, slope } => (radius + slope * z).max(0.0),
            Form::Ball { centre, radius } => {
                let rise = z - centre;
                ((radius - rise) * (radius + rise)).max(0.0).sqrt()
            }
        }
    }

    /// Radius over the cosine of the side's slope at a height: area of the side for each unit of height and angle.
    fn area_rate(&self, z: f64) -> f64 {
        match self.form {
            Form::Cone { slope, .. } => self.radius(z) * (1.0 + slope * slope).sqrt(),
            Form::Ball { radius, .. } => radius,
        }
    }

    /// How far it reaches along a direction with the given parts along and across the axis.
    fn reach(&self, along: f64, across: f64) -> f64 {
        let at = |z: f64| along * z + across * self.radius(z);
        let ends = at(self.from).max(at(self.to));
        match self.form {
            Form::Ball { centre, radius } => {
                let z = centre + radius * along;
                if z > self.from && z < self.to { along * centre + radius } else { ends }
            }
            Form::Cone { .. } => ends,
        }
    }

    fn reversed(self) -> Stretch {
        let form = match self.form {
            Form::Cone { radius, slope } => Form::Cone { radius, slope: -slope },
            Form::Ball { centre, radius } => Form::Ball { centre: -centre, radius },
        };
        Stretch { from: -self.to, to: -self.from, form }
    }
}

/// A body of revolution.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RoundBody {
    /// From below upwards, without gaps.
    pub stretches: Vec<Stretch>,
    /// Its largest radius [m].
    pub radius: f64,
    /// Half of its height [m].
    pub half_height: f64,
    /// Local height of its middle along its own axis [m].
    pub middle: f64,
    /// Whether the lower and the upper end are flat.
    pub is_flat: [bool; 2],
}

impl RoundBody {
    /// A cylinder, capsule, cone or tablet; `None` for any other shape.
    pub fn of(shape: &Shape) -> Option<RoundBody> {
        let straight = |from, to, radius| Stretch { from, to, form: Form::Cone { radius, slope: 0.0 } };
        let domed = |radius: f64, half_height: f64, tip: f64, ball: f64| RoundBody {
            stretches: vec![
                Stretch { from: -tip, to: -half_height, form: Form::Ball { centre: ball - tip, radius: ball } },
                straight(-half_height, half_height, radius),
                Stretch { from: half_height, to: tip, form: Form::Ball { centre: tip - ball, radius: ball } },
            ],
            radius,
            half_height: tip,
            middle: 0.0,
            is_flat: [false; 2],
        };
        Some(match shape {
            Shape::Cylinder(c) => RoundBody {
                stretches: vec![straight(-c.half_height, c.half_height, c.radius)],
                radius: c.radius,
                half_height: c.half_height,
                middle: 0.0,
                is_flat: [true; 2],
            },
            Shape::Capsule(c) => domed(c.radius, c.half_height, c.half_height + c.radius, c.radius),
            Shape::Tablet(t) => domed(t.radius, t.half_height, t.half_thickness(), t.dome_radius()),
            Shape::TruncatedCone(c) => {
                let half_height = 0.5 * c.height;
                let form = Form::Cone {
                    radius: 0.5 * (c.lower_radius + c.upper_radius),
                    slope: (c.upper_radius - c.lower_radius) / c.height,
                };
                RoundBody {
                    stretches: vec![Stretch { from: -half_height, to: half_height, form }],
                    radius: c.lower_radius.max(c.upper_radius),
                    half_height,
                    middle: 0.5 * (c.lower_z() + c.upper_z()),
                    is_flat: [c.lower_radius > 0.0, c.upper_radius > 0.0],
                }
            }
            Shape::Sphere(_)
            | Shape::Superquadric(_)
            | Shape::Polyhedron(_)
            | Shape::Disc(_)
            | Shape::Polygon(_)
            | Shape::Clump(_) => return None,
        })
    }

    /// The body upside down.
    pub fn reversed(&self) -> RoundBody {
        RoundBody {
            stretches: self.stretches.iter().rev().map(|stretch| stretch.reversed()).collect(),
            middle: -self.middle,
            is_flat: [self.is_flat[1], self.is_flat[0]],
            ..*self
        }
    }

    fn stretch(&self, z: f64) -> Option<&Stretch> {
        self.stretches.iter().find(|stretch| z <= stretch.to).or(self.stretches.last())
    }

    /// Radius at a height [m].
    pub fn radius_at(&self, z: f64) -> f64 {
        self.stretch(z).map_or(0.0, |stretch| stretch.radius(z))
    }

    /// Area of the side for each unit of height and angle at a height [m].
    pub fn area_rate(&self, z: f64) -> f64 {
        self.stretch(z).map_or(0.0, |stretch| stretch.area_rate(z))
    }

    /// Support function of a direction with the given parts along and across the axis [m].
    pub fn reach(&self, along: f64, across: f64) -> f64 {
        self.stretches.iter().map(|stretch| stretch.reach(along, across)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The radius where the side is parallel to the axis, if a height lies within such a stretch.
    pub fn straight_radius_at(&self, z: f64) -> Option<f64> {
        self.stretches.iter().filter(|stretch| z > stretch.from && z < stretch.to).find_map(|stretch| {
            match stretch.form {
                Form::Cone { radius, slope: 0.0 } => Some(radius),
                Form::Cone { .. } | Form::Ball { .. } => None,
            }
        })
    }

    /// Heights where the side bends, the ends among them.
    pub fn joints(&self) -> impl Iterator<Item = f64> {
        let first = self.stretches.first().map(|stretch| stretch.from);
        first.into_iter().chain(self.stretches.iter().map(|stretch| stretch.to))
    }
}
