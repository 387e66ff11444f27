//! The cores of two bodies and the support of their difference M = A - B.
//!
//! Every core is a union of smooth pieces of its support function, told apart by a number: the vertices of a
//! polyhedron, the two rims of a cylinder or cone, the two ends of a capsule's axis, the one surface of a superquadric.
//! A piece can be evaluated at any direction, also where another piece is farther, with its second derivative:
//!
//! - vertex: constant point, no curvature;
//! - rim of radius r: r / |d_perp| t t^T, with t the unit tangent of the rim;
//! - superquadric: two rank-one terms, one for each of the nested dual norms (see [`Superquadric`]).

use crate::shape::{Polyhedron, Superquadric};
use crate::{Pose, Shape};
use glam::{DMat3, DVec3};

/// A convex core in its own frame.
#[derive(Clone, Copy)]
pub(super) enum Body<'a> {
    /// The centre of a ball.
    Point,
    /// The axis of a capsule: its half-length.
    Segment(f64),
    /// Two parallel discs and what lies between them: radius and z of the lower and of the upper one.
    Frustum { radius: [f64; 2], z: [f64; 2] },
    /// A superquadric.
    Superquadric(&'a Superquadric),
    /// A polyhedron.
    Polyhedron(&'a Polyhedron),
}

/// Second derivative of a support function as a sum of up to two terms `weight * direction direction^T`.
pub(super) type Curvature = [(f64, DVec3); 2];

const FLAT: Curvature = [(0.0, DVec3::ZERO); 2];

impl<'a> Body<'a> {
    /// The core of a shape and its margin. `None` for a clump, which is not convex.
    pub(super) fn new(shape: &'a Shape) -> Option<(Body<'a>, f64)> {
        let frustum =
            |c: crate::Cylinder| Body::Frustum { radius: [c.radius, c.radius], z: [-c.half_height, c.half_height] };
        Some(match shape {
            Shape::Sphere(s) => (Body::Point, s.radius),
            Shape::Capsule(c) => (Body::Segment(c.half_height), c.radius),
            Shape::Cylinder(c) => (frustum(*c), 0.0),
            Shape::TruncatedCone(c) => {
                (Body::Frustum { radius: [c.lower_radius, c.upper_radius], z: [c.lower_z(), c.upper_z()] }, 0.0)
            }
            Shape::Superquadric(s) => (Body::Superquadric(s), 0.0),
            Shape::Polyhedron(p) => (Body::Polyhedron(p), 0.0),
            Shape::Disc(d) => (frustum(d.solid()), 0.0),
            Shape::Polygon(p) => (Body::Polyhedron(p.solid()), 0.0),
            Shape::Clump(_) => return None,
        })
    }

    /// Whether the support point moves with the direction without jumps anywhere.
    fn is_curved(&self) -> bool {
        match self {
            Body::Point | Body::Segment(_) | Body::Polyhedron(_) => false,
            Body::Frustum { .. } | Body::Superquadric(_) => true,
        }
    }

    /// The point farthest along a direction and its piece.
    #[inline]
    fn support(&self, d: DVec3) -> (DVec3, u32) {
        match self {
            Body::Point => (DVec3::ZERO, 0),
            Body::Segment(half) => {
                let upper = d.z >= 0.0;
                (DVec3::new(0.0, 0.0, if upper { *half } else { -half }), u32::from(upper))
            }
            Body::Frustum { radius, z } => {
                let rho = (d.x * d.x + d.y * d.y).sqrt();
                let upper = z[1] * d.z + radius[1] * rho >= z[0] * d.z + radius[0] * rho;
                let (r, z) = if upper { (radius[1], z[1]) } else { (radius[0], z[0]) };
                let across = if rho > 0.0 { r / rho } else { 0.0 };
                (DVec3::new(d.x * across, d.y * across, z), u32::from(upper))
            }
            Body::Superquadric(s) => (s.support(d), 0),
            Body::Polyhedron(p) => {
                let vertex = p.support_vertex(d);
                (p.vertices()[vertex], vertex as u32)
            }
        }
    }

    /// The point of a given piece whose normal is the direction, and the piece's second derivative there.
    #[inline]
    fn piece(&self, d: DVec3, piece: u32) -> (DVec3, Curvature) {
        match self {
            Body::Point => (DVec3::ZERO, FLAT),
            Body::Segment(half) => (DVec3::new(0.0, 0.0, if piece == 1 { *half } else { -half }), FLAT),
            Body::Frustum { radius, z } => {
                let k = piece as usize & 1;
                let rho = (d.x * d.x + d.y * d.y).sqrt();
                if rho <= 0.0 {
                    return (DVec3::new(0.0, 0.0, z[k]), FLAT);
                }
                let (x, y) = (d.x / rho, d.y / rho);
                let curvature = [(radius[k] / rho, DVec3::new(-y, x, 0.0)), (0.0, DVec3::ZERO)];
                (DVec3::new(x * radius[k], y * radius[k], z[k]), curvature)
            }
            Body::Superquadric(s) => s.support_and_curvature(d),
            Body::Polyhedron(p) => (p.vertices().get(piece as usize).copied().unwrap_or_default(), FLAT),
        }
    }
}

/// A direction in which the whole cap of a cylinder or cone is farthest, if it is the least of h.
pub(super) struct Apex {
    pub(super) normal: DVec3,
    pub(super) value: f64,
    pub(super) a: DVec3,
    pub(super) b: DVec3,
}

/// A point of M, as the difference of a point of each body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    /// Point of a.
    pub(super) a: DVec3,
    /// Point of b, in a's frame.
    pub(super) b: DVec3,
    /// a - b.
    pub(super) w: DVec3,
    /// The pieces of a and of b.
    pub(super) pieces: [u32; 2],
}

/// Two cores, seen from a.
pub(super) struct Pair<'a> {
    a: Body<'a>,
    b: Body<'a>,
    rotation: DMat3,
    inverse: DMat3,
    position: DVec3,
    /// The larger bounding radius of the two bodies: what tolerances multiply.
    pub(super) size: f64,
    /// Whether a core has a curved surface.
    pub(super) is_curved: bool,
}

impl<'a> Pair<'a> {
    pub(super) fn new(a: Body<'a>, b: Body<'a>, pose_ab: &Pose, size: f64) -> Pair<'a> {
        let rotation = DMat3::from_quat(pose_ab.orientation);
        Pair {
            a,
            b,
            rotation,
            inverse: rotation.transpose(),
            position: pose_ab.position,
            size,
            is_curved: a.is_curved() || b.is_curved(),
        }
    }

    /// From a's origin to b's.
    pub(super) fn centre_line(&self) -> DVec3 {
        self.position
    }

    /// The point of M farthest along a direction.
    #[inline]
    pub(super) fn support(&self, n: DVec3) -> Vertex {
        let (a, piece_a) = self.a.support(n);
        let (b, piece_b) = self.b.support(self.inverse * -n);
        let b = self.rotation * b + self.position;
        Vertex { a, b, w: a - b, pieces: [piece_a, piece_b] }
    }

    /// The point of given pieces of M whose normal is the direction, and the curvatures of the two pieces in a's frame.
    #[inline]
    pub(super) fn piece(&self, n: DVec3, pieces: [u32; 2]) -> (Vertex, [(f64, DVec3); 4]) {
        let (a, [a0, a1]) = self.a.piece(n, pieces[0]);
        let (b, [b0, b1]) = self.b.piece(self.inverse * -n, pieces[1]);
        let b = self.rotation * b + self.position;
        let turned = |(weight, direction): (f64, DVec3)| (weight, self.rotation * direction);
        (Vertex { a, b, w: a - b, pieces }, [a0, a1, turned(b0), turned(b1)])
    }

    /// The axis of a cylinder or cone near a direction, if the other body's farthest point against it lies over the cap.
    /// h has a cone there, the sum of the disc's r |n_perp| and what is smooth, and such a point proves its tip stationary.
    pub(super) fn apex(&self, n: DVec3) -> Option<Apex> {
        // Beyond this angle a smooth piece is as likely.
        const NEAR: f64 = 0.9;
        if let Body::Frustum { radius, z } = &self.a
            && n.z.abs() > NEAR
        {
            let end = usize::from(n.z > 0.0);
            let normal = DVec3::new(0.0, 0.0, n.z.signum());
            let (b, _) = self.b.support(self.inverse * -normal);
            let b = self.rotation * b + self.position;
            if b.x * b.x + b.y * b.y <= radius[end] * radius[end] {
                let a = DVec3::new(b.x, b.y, z[end]);
                return Some(Apex { normal, value: normal.z * (z[end] - b.z), a, b });
            }
        }
        if let Body::Frustum { radius, z } = &self.b {
            let axis = self.rotation.z_axis;
            let cosine = -axis.dot(n);
            if cosine.abs() > NEAR {
                let end = usize::from(cosine > 0.0);
                let normal = axis * -cosine.signum();
                let (a, _) = self.a.support(normal);
                let local = self.inverse * (a - self.position);
                if local.x * local.x + local.y * local.y <= radius[end] * radius[end] {
                    let b = self.rotation * DVec3::new(local.x, local.y, z[end]) + self.position;
                    return Some(Apex { normal, value: (a - b).dot(normal), a, b });
                }
            }
        }
        None
    }
}
