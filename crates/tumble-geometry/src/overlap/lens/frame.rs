//! The frame of a lens: its centre, the axes of its shadow, and its half widths and thickness as units of length.
//!
//! The curvatures of the two surfaces at the contact give axes and widths: t = T - 1/2 (k1 x^2 + k2 y^2). Where the surfaces are flat
//! they say nothing, and the widths are those of the bodies at first. The rim in the four directions of the axes then puts the centre
//! into the middle and mends the widths.

use super::body::Body;
use super::side::{OnRim, Side, rim};
use crate::lanes::Lanes;
use glam::{DMat3, DVec3};

/// Most times that the rim mends centre and widths, and that the centre is moved to where the lens is thickest.
const MOST_MENDINGS: usize = 3;
const MOST_MOVES: usize = 6;

/// A lens's frame. The origin is that of the bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Unit vectors: the axes of the shadow, and the normal.
    pub axes: DMat3,
    /// Half widths along the axes of the shadow, and the thickness in the middle [m].
    pub units: DVec3,
    /// The middle of the shadow, along its axes [m].
    pub middle: [f64; 2],
    /// Heights of the two sides in the middle [m], and how they change along the axes of the shadow.
    heights: [f64; 2],
    slopes: [[f64; 2]; 2],
    /// The axes as the bodies see them.
    seen: [DMat3; 2],
}

/// The two sides in the middle of the shadow, in the units of the frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Centre {
    pub heights: [f64; 2],
    /// How they change along both axes.
    pub slopes: [[f64; 2]; 2],
    /// The unit of heights [m].
    pub thickness: f64,
}

impl Frame {
    /// A frame about the place where a lens of about this thickness is thickest; `None` if there is no lens.
    pub fn new(bodies: &[Body; 2], normal: DVec3, depth: f64) -> Option<Frame> {
        let (u, v) = normal.any_orthonormal_pair();
        let mut frame = Frame {
            axes: DMat3::from_cols(u, v, normal),
            units: DVec3::new(1.0, 1.0, depth),
            middle: [0.0; 2],
            heights: [0.5 * depth, -0.5 * depth],
            slopes: [[0.0; 2]; 2],
            seen: [DMat3::ZERO; 2],
        };
        // Second derivatives of the thickness, the sign turned.
        let (mut uu, mut uv, mut vv) = (0.0, 0.0, 0.0);
        for body in bodies {
            let second = body.second_derivatives();
            let (u, v, rise) = (body.local(u), body.local(v), body.rise(body.local(normal)).abs());
            uu += u.dot(second * u) / rise;
            uv += u.dot(second * v) / rise;
            vv += v.dot(second * v) / rise;
        }
        let (half, mean) = (0.5 * (uu - vv), 0.5 * (uu + vv));
        let spread = half.hypot(uv);
        if spread > 1e-3 * mean {
            // Half of the angle whose cosine is half / spread.
            let cosine = (0.5 + 0.5 * half / spread).max(0.0).sqrt();
            let sine = (0.5 - 0.5 * half / spread).max(0.0).sqrt().copysign(uv);
            frame.axes = DMat3::from_cols(u * cosine + v * sine, v * cosine - u * sine, normal);
        }
        frame.seen = [bodies[0].sees(&frame.axes), bodies[1].sees(&frame.axes)];
        // No half width beyond those of the bodies.
        let least = |axis: usize| {
            let [a, b] = frame.seen;
            let width = bodies[0].half_width(a.col(axis)).min(bodies[1].half_width(b.col(axis)));
            2.0 * depth / (width * width)
        };
        let curvatures = [(mean + spread).max(least(0)), (mean - spread).max(least(1))];
        if !curvatures.iter().all(|k| k.is_finite()) {
            return None;
        }
        for _ in 0..MOST_MOVES {
            frame.look_at_centre(bodies)?;
            let thickness = frame.heights[0] - frame.heights[1];
            let widths = curvatures.map(|k| (2.0 * thickness.max(1e-3 * depth) / k).sqrt());
            let mut is_there = thickness > 0.0;
            for (axis, (curvature, width)) in curvatures.into_iter().zip(widths).enumerate() {
                let slope = frame.slopes[0][axis] - frame.slopes[1][axis];
                let step = (slope / curvature).clamp(-width, width);
                if step.abs() > 0.1 * width {
                    is_there = false;
                    frame.middle[axis] += step;
                }
            }
            if is_there {
                frame.units = DVec3::new(widths[0], widths[1], thickness);
                return Some(frame);
            }
        }
        None
    }

    /// Both bodies seen from the frame, in its units.
    #[inline]
    pub fn sides<'b>(&self, [a, b]: &'b [Body; 2]) -> [Side<'b>; 2] {
        [self.side(a, &self.seen[0]), self.side(b, &self.seen[1])]
    }

    #[inline]
    fn side<'b>(&self, body: &'b Body, seen: &DMat3) -> Side<'b> {
        Side {
            start: seen.x_axis * self.middle[0] + seen.y_axis * self.middle[1],
            first: seen.x_axis * self.units.x,
            second: seen.y_axis * self.units.y,
            up: seen.z_axis * self.units.z,
            body,
        }
    }

    /// Looks for the sides in the middle, from where they were.
    fn look_at_centre(&mut self, bodies: &[Body; 2]) -> Option<()> {
        for (k, body) in bodies.iter().enumerate() {
            let side = self.side(body, &self.seen[k]);
            let (height, slopes) = side.above_start(self.heights[k] / self.units.z)?;
            self.heights[k] = height * self.units.z;
            self.slopes[k] = [slopes[0] * self.units.z / self.units.x, slopes[1] * self.units.z / self.units.y];
        }
        Some(())
    }

    /// The sides in the middle.
    pub fn centre(&self) -> Centre {
        let DVec3 { x, y, z } = self.units;
        Centre {
            heights: self.heights.map(|height| height / z),
            slopes: self.slopes.map(|slopes| [slopes[0] * x / z, slopes[1] * y / z]),
            thickness: z,
        }
    }

    /// Mends centre and widths by the rim along the axes, and gives that rim.
    #[inline(always)]
    pub fn settle<L: Lanes, const ANY: bool>(&mut self, bodies: &[Body; 2], close: f64) -> Option<OnRim<L>> {
        let (cosine, sine) = super::directions::<L>(0);
        let mut mendings = 0;
        loop {
            let [upper, lower] = self.sides(bodies);
            let sides = [upper.in_lanes::<L, ANY>(), lower.in_lanes::<L, ANY>()];
            let height = 0.5 * (self.heights[0] + self.heights[1]) / self.units.z;
            // While it is mended the rim need not be good.
            let enough = if mendings < MOST_MENDINGS { close.max(1e-3) } else { close };
            let mut found = rim(&sides, cosine, sine, [L::splat(1.0), L::splat(height)], enough)?;
            let mut radius = [0.0; 4];
            found.radius.store(&mut radius);
            let shift = [0.5 * (radius[0] - radius[2]), 0.5 * (radius[1] - radius[3])];
            let growth = [0.5 * (radius[0] + radius[2]), 0.5 * (radius[1] + radius[3])];
            let is_round = shift.iter().all(|s| s.abs() < 0.05) && growth.iter().all(|g| (0.9..1.1).contains(g));
            if is_round || mendings == MOST_MENDINGS {
                if enough > close {
                    found = rim(&sides, cosine, sine, [found.radius, found.height], close)?;
                }
                return Some(found);
            }
            mendings += 1;
            let before = *self;
            self.middle[0] += shift[0] * self.units.x;
            self.middle[1] += shift[1] * self.units.y;
            self.units *= DVec3::new(growth[0], growth[1], 1.0);
            self.look_at_centre(bodies)?;
            let thickness = self.heights[0] - self.heights[1];
            if thickness > 0.0 {
                self.units.z = thickness;
            } else {
                // A slanting lens: the middle along each axis need not be in it.
                *self = before;
                mendings = MOST_MENDINGS;
            }
        }
    }
}
