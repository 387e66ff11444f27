//! The surfaces of smooth shapes to second order, for laws that go by curvature.

use super::{Level, Shape};
use glam::DVec3;

impl Shape {
    /// The surface of a sphere or superquadric near a point of it, up to a factor that makes its gradient the outward unit normal: second
    /// derivatives across it are those of the surface [1/m]. `None` for shapes with edges, flat faces or straight sides, and for
    /// superquadrics whose curvature has no one value at the poles.
    #[inline]
    pub fn surface_near(&self, point: DVec3) -> Option<Level> {
        match self {
            Shape::Sphere(ball) => Some(Level {
                value: 1.0,
                gradient: point.try_normalize()?,
                diagonal: DVec3::splat(1.0 / ball.radius),
                xy: 0.0,
            }),
            Shape::Superquadric(body) if body.has_curvature_at_poles() => Some(body.on_surface(point).1),
            _ => None,
        }
    }

    /// The least curvature that an ellipsoid of the same half axes has anywhere [1/m], if [`Shape::surface_near`] knows the shape.
    pub fn flattest_counted(&self) -> Option<f64> {
        match self {
            Shape::Sphere(ball) => Some(1.0 / ball.radius),
            Shape::Superquadric(body) if body.has_curvature_at_poles() => {
                Some(body.semi_axes.min_element() / body.semi_axes.max_element().powi(2))
            }
            _ => None,
        }
    }

    /// Whether it is a superquadric that is no ellipsoid: the curvature vanishes on its axes.
    #[inline]
    pub fn has_flat_points(&self) -> bool {
        matches!(self, Shape::Superquadric(body) if !body.is_ellipsoid())
    }
}
