//! Grains as rays see them: convex bodies, each in its place, in a tree of boxes.
//!
//! A clump is its parts. Shapes stand once, at scale 1; a ray is taken to a body's frame, from the point where it passes
//! the body's centre, so that a camera far away costs no digits.

use super::section::Section;
use super::tree::{Ray, Tree};
use glam::{DMat3, DVec3};
use tumble_geometry::{Aabb, Pose, Shape};

/// A grain to be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// Place in the list of shapes.
    pub shape: usize,
    /// Size relative to that shape [1].
    pub scale: f64,
    /// Where it is.
    pub pose: Pose,
}

/// A convex body in its place.
#[derive(Clone, Copy, Debug)]
struct Body {
    /// Place in the list of convex shapes.
    shape: u32,
    /// The grain it belongs to.
    grain: u32,
    scale: f64,
    centre: DVec3,
    /// Square of the radius of a ball about the centre that holds it [m^2].
    radius_squared: f64,
    /// From the world to the body's axes.
    turn: DMat3,
}

/// All grains of a picture.
#[derive(Clone, Debug)]
pub struct Bodies {
    shapes: Vec<Shape>,
    bodies: Vec<Body>,
    tree: Tree,
}

/// What a ray meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the ray [m].
    pub distance: f64,
    /// Outward unit normal.
    pub normal: DVec3,
    /// The body.
    pub body: u32,
    /// The grain.
    pub grain: u32,
    /// Whether it is a face made by a section.
    pub is_cut: bool,
}

/// No body: what a ray starts from that does not start from one.
pub const NO_BODY: u32 = u32::MAX;

impl Bodies {
    /// Grains with the shapes they may have. One that is nowhere (not finite, without size, or of no known shape) is left
    /// out.
    pub fn new(shapes: &[Shape], grains: &[Grain]) -> Bodies {
        // Each shape as its convex parts: where they begin in the list of convex shapes, and their poses.
        let mut convex: Vec<Shape> = Vec::new();
        let mut parts: Vec<Vec<(u32, Pose)>> = Vec::new();
        for shape in shapes {
            let first = convex.len() as u32;
            if let Shape::Clump(clump) = shape {
                convex.extend(clump.parts().iter().map(|part| part.shape.clone()));
                parts.push(clump.parts().iter().zip(first..).map(|(part, place)| (place, part.pose)).collect());
            } else {
                convex.push(shape.clone());
                parts.push(vec![(first, Pose::IDENTITY)]);
            }
        }
        let radii: Vec<f64> = convex.iter().map(Shape::solid_radius).collect();
        let (mut bodies, mut boxes) = (Vec::new(), Vec::new());
        for (number, grain) in grains.iter().enumerate() {
            let is_somewhere = grain.pose.position.is_finite()
                && grain.pose.orientation.is_finite()
                && grain.scale.is_finite()
                && grain.scale > 0.0;
            let Some(parts) = parts.get(grain.shape).filter(|_| is_somewhere) else { continue };
            for (shape, inner) in parts {
                let scaled = Pose::new(inner.position * grain.scale, inner.orientation);
                let pose = grain.pose.compose(&scaled);
                let turned = Pose::new(DVec3::ZERO, pose.orientation);
                let unit = convex[*shape as usize].bounds(&turned);
                boxes.push(Aabb {
                    lower: pose.position + unit.lower * grain.scale,
                    upper: pose.position + unit.upper * grain.scale,
                });
                bodies.push(Body {
                    shape: *shape,
                    grain: number as u32,
                    scale: grain.scale,
                    centre: pose.position,
                    radius_squared: (radii[*shape as usize] * grain.scale).powi(2),
                    turn: DMat3::from_quat(pose.orientation).transpose(),
                });
            }
        }
        Bodies { shapes: convex, bodies, tree: Tree::new(&boxes) }
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The box around all bodies.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    /// The ray in a body's frame at scale 1, and the distance at which that frame's line begins. `None` if it misses
    /// the ball around the body.
    #[inline]
    fn local(&self, body: &Body, ray: &Ray) -> Option<(DVec3, DVec3, f64)> {
        let offset = ray.origin - body.centre;
        let along = offset.dot(ray.direction);
        let nearest = offset - along * ray.direction;
        (nearest.length_squared() <= body.radius_squared)
            .then(|| (body.turn * (nearest / body.scale), body.turn * ray.direction, -along))
    }

    /// Between which distances a ray is inside a body.
    #[inline]
    fn chord(&self, body: &Body, ray: &Ray) -> Option<(f64, f64)> {
        let shape = &self.shapes[body.shape as usize];
        if let Shape::Sphere(_) = shape {
            // A ball's radius is that of the ball around it.
            let offset = ray.origin - body.centre;
            let along = offset.dot(ray.direction);
            let square = body.radius_squared - (offset - along * ray.direction).length_squared();
            return (square >= 0.0).then(|| (-along - square.sqrt(), -along + square.sqrt()));
        }
        let (origin, direction, start) = self.local(body, ray)?;
        let (enter, leave) = shape.chord(origin, direction)?;
        Some((start + enter * body.scale, start + leave * body.scale))
    }

    /// What a ray meets first between two distances. A body in which the ray starts is not met, except at a section.
    pub fn nearest(&self, ray: &Ray, to: f64, section: Option<&Section>, from_body: u32) -> Option<Hit> {
        let (from, to, is_cut_start) = match section.map(|section| section.kept(ray)) {
            Some(Some((from, end))) if from > 0.0 => (from, to.min(end), true),
            Some(Some((_, end))) => (0.0, to.min(end), false),
            Some(None) => return None,
            None => (0.0, to, false),
        };
        let mut best: Option<(f64, u32, bool)> = None;
        self.tree.walk(ray, from, to, |number, limit| {
            if number == from_body {
                return limit;
            }
            let Some((enter, leave)) = self.chord(&self.bodies[number as usize], ray) else { return limit };
            if enter >= from && enter <= limit {
                // Of bodies at the same place the one with the lower number is seen, whatever the order of the walk.
                if enter < limit || best.is_none_or(|(_, other, _)| number < other) {
                    best = Some((enter, number, false));
                }
                return enter;
            }
            if is_cut_start
                && enter < from
                && leave > from
                && best.is_none_or(|(d, other, _)| d > from || number < other)
            {
                best = Some((from, number, true));
                return from;
            }
            limit
        });
        let (distance, number, is_cut) = best?;
        let body = &self.bodies[number as usize];
        let normal = match section {
            Some(section) if is_cut => section.normal(),
            _ => self.normal(body, ray)?,
        };
        Some(Hit { distance, normal, body: number, grain: body.grain, is_cut })
    }

    /// Whether anything stands in a ray's way.
    pub fn is_blocked(&self, ray: &Ray, section: Option<&Section>, from_body: u32) -> bool {
        let (from, to) = match section.map(|section| section.kept(ray)) {
            Some(Some((from, to))) => (from.max(0.0), to),
            Some(None) => return false,
            None => (0.0, f64::INFINITY),
        };
        let mut is_blocked = false;
        self.tree.walk(ray, from, to, |number, limit| {
            if number != from_body
                && let Some((enter, leave)) = self.chord(&self.bodies[number as usize], ray)
                && leave > from
                && enter < limit
                // A ray that starts inside a body that overlaps its own is let out.
                && (enter >= 0.0 || from > 0.0)
            {
                is_blocked = true;
                return f64::NEG_INFINITY;
            }
            limit
        });
        is_blocked
    }

    fn normal(&self, body: &Body, ray: &Ray) -> Option<DVec3> {
        let (origin, direction, _) = self.local(body, ray)?;
        let entry = self.shapes[body.shape as usize].entry(origin, direction)?;
        Some(body.turn.transpose() * entry.normal)
    }
}
