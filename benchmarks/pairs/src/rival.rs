//! The same questions for parry, through arrays: it has its own vectors.
//!
//! parry's cylinder has its axis along y, so its frame is turned; its ellipsoid is a support map of ours, as parry means
//! new convex shapes to be added.

use crate::sets::{Body, Pair};
use glam::{DQuat, DVec3};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::{DefaultQueryDispatcher, QueryDispatcher, details};
use parry3d_f64::shape::{Ball, ConvexPolyhedron, Cylinder, Shape, SupportMap};
use std::f64::consts::FRAC_PI_2;

/// An ellipsoid about the origin.
struct Ellipsoid {
    semi_axes: Vector,
}

impl SupportMap for Ellipsoid {
    fn local_support_point(&self, direction: Vector) -> Vector {
        let scaled = self.semi_axes * direction;
        self.semi_axes * scaled / scaled.length()
    }
}

enum Form {
    Shape(Box<dyn Shape>),
    Ellipsoid(Ellipsoid),
}

/// A set as parry sees it.
pub struct Rival {
    a: Form,
    b: Form,
    /// b seen from a, for each pair.
    poses: Vec<Pose>,
    /// From parry's frame of a to ours.
    turn_a: DQuat,
}

impl Rival {
    /// The set for parry; `None` if it does not take one of the shapes.
    pub fn new(body_a: &Body, body_b: &Body, pairs: &[Pair]) -> Option<Rival> {
        let (turn_a, turn_b) = (turn(body_a), turn(body_b));
        let poses = pairs.iter().map(|pair| {
            let orientation = (turn_a.inverse() * pair.pose_ab.orientation * turn_b).normalize();
            let position = turn_a.inverse() * pair.pose_ab.position;
            Pose::from_parts(Vector::from_array(position.to_array()), Rotation::from_array(orientation.to_array()))
        });
        Some(Rival { a: form(body_a)?, b: form(body_b)?, poses: poses.collect(), turn_a })
    }

    /// parry's answer to one pair; `None` when it says that the gap is larger than `prediction`, or finds nothing.
    #[inline]
    pub fn contact(&self, index: usize, prediction: f64) -> Option<parry3d_f64::query::Contact> {
        let pose = &self.poses[index];
        match (&self.a, &self.b) {
            (Form::Shape(a), Form::Shape(b)) => {
                DefaultQueryDispatcher.contact(pose, a.as_ref(), b.as_ref(), prediction).ok()?
            }
            (Form::Ellipsoid(a), Form::Shape(b)) => {
                details::contact_support_map_support_map(pose, a, b.as_support_map()?, prediction)
            }
            (Form::Shape(a), Form::Ellipsoid(b)) => {
                details::contact_support_map_support_map(pose, a.as_support_map()?, b, prediction)
            }
            (Form::Ellipsoid(a), Form::Ellipsoid(b)) => {
                details::contact_support_map_support_map(pose, a, b, prediction)
            }
        }
    }

    /// The same in our terms: separation, and unit normal in our frame of a.
    pub fn answer(&self, index: usize, prediction: f64) -> Option<(f64, DVec3)> {
        let contact = self.contact(index, prediction)?;
        Some((contact.dist, self.turn_a * DVec3::from_array(contact.normal1.to_array())))
    }
}

/// From parry's frame of a body to ours: only a cylinder's differs.
fn turn(body: &Body) -> DQuat {
    match body {
        Body::Cylinder(..) => DQuat::from_rotation_x(FRAC_PI_2),
        Body::Sphere(_) | Body::Ellipsoid(_) | Body::Hull(..) => DQuat::IDENTITY,
    }
}

fn form(body: &Body) -> Option<Form> {
    Some(match body {
        Body::Sphere(radius) => Form::Shape(Box::new(Ball::new(*radius))),
        Body::Cylinder(radius, height) => Form::Shape(Box::new(Cylinder::new(0.5 * height, *radius))),
        Body::Ellipsoid(axes) => Form::Ellipsoid(Ellipsoid { semi_axes: Vector::from_array(*axes) }),
        Body::Hull(vertices, faces) => {
            let points = vertices.iter().map(|v| Vector::from_array(*v)).collect();
            let triangles: Vec<[u32; 3]> =
                faces.iter().flat_map(|f| (1..f.len() - 1).map(|k| [f[0], f[k], f[k + 1]])).collect();
            Form::Shape(Box::new(ConvexPolyhedron::from_convex_mesh(points, &triangles)?))
        }
    })
}
