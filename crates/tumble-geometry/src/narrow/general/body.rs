//! The cores of two bodies and the support of their difference M = A - B.
//!
//! Every core is a union of smooth pieces of its support function, told apart by a number: the vertices of a
//! polyhedron, the two rims of a cylinder or cone, the two ends of a capsule's axis, the two domes of a tablet (each with
//! its rim), the one surface of a superquadric or of a body that bulges.
//! A piece can be evaluated at any direction, also where another piece is farther, with its second derivative:
//!
//! - vertex: constant point, no curvature;
//! - rim of radius r: r / |d_perp| t t^T, with t the unit tangent of the rim;
//! - dome of radius R: R in every direction where the normal is one of the dome's, beyond that its rim;
//! - superquadric: two rank-one terms, one for each of the nested dual norms (see [`Superquadric`]);
//! - body of revolution that bulges: what its farthest point moves by, along the meridian and around the axis.

use crate::narrow::contact_smooth::{self, Settled};
use crate::narrow::convex::Convex;
use crate::narrow::revolution::{Bulging, Farthest};
use crate::shape::{Polyhedron, Superquadric, Tablet};
use crate::{Contact, Pose, Shape, tolerance};
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
    /// A tablet.
    Tablet(&'a Tablet),
    /// A superquadric, less a distance from its surface inwards.
    Superquadric(&'a Superquadric, f64),
    /// A polyhedron.
    Polyhedron(&'a Polyhedron),
    /// A body of revolution whose flat ends and straight sides bulge.
    Bulging(&'a Bulging),
}

/// Second derivative of a support function as a sum of up to two terms `weight * direction direction^T`.
pub(super) type Curvature = [(f64, DVec3); 2];

/// Share of an ellipsoid's rolling ball that is its margin. With all of it the core would have sharp ends.
const ROLLING: f64 = 0.75;

const FLAT: Curvature = [(0.0, DVec3::ZERO); 2];

impl<'a> Body<'a> {
    /// The core of a body and its margin. `None` for a clump, which is not convex.
    pub(super) fn new(convex: Convex<'a>) -> Option<(Body<'a>, f64)> {
        if let Some(bulging) = convex.bulging {
            return Some((Body::Bulging(bulging), 0.0));
        }
        let shape = convex.shape;
        let frustum =
            |c: crate::Cylinder| Body::Frustum { radius: [c.radius, c.radius], z: [-c.half_height, c.half_height] };
        Some(match shape {
            Shape::Sphere(s) => (Body::Point, s.radius),
            Shape::Capsule(c) => (Body::Segment(c.half_height), c.radius),
            Shape::Cylinder(c) => (frustum(*c), 0.0),
            Shape::TruncatedCone(c) => {
                (Body::Frustum { radius: [c.lower_radius, c.upper_radius], z: [c.lower_z(), c.upper_z()] }, 0.0)
            }
            // With half-balls for domes a capsule, whose core has no curvature that many directions could share.
            Shape::Tablet(t) if t.dome_height == t.radius => (Body::Segment(t.half_height), t.radius),
            Shape::Tablet(t) => (Body::Tablet(t), 0.0),
            Shape::Superquadric(s) => {
                let margin = if s.is_ellipsoid() { ROLLING * s.rolling_radius() } else { 0.0 };
                (Body::Superquadric(s, margin), margin)
            }
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
            Body::Frustum { .. } | Body::Tablet(_) | Body::Superquadric(..) | Body::Bulging(_) => true,
        }
    }

    /// What all pieces share in a unit direction.
    #[inline]
    fn facing(&self, d: DVec3) -> Facing {
        match self {
            Body::Point | Body::Segment(_) | Body::Polyhedron(_) => Facing { point: DVec3::ZERO, curvature: FLAT },
            Body::Frustum { .. } => {
                let rho = (d.x * d.x + d.y * d.y).sqrt();
                if rho <= 0.0 {
                    return Facing { point: DVec3::ZERO, curvature: FLAT };
                }
                let inverse = 1.0 / rho;
                let (x, y) = (d.x * inverse, d.y * inverse);
                let curvature = [(inverse, DVec3::new(-y, x, 0.0)), (0.0, DVec3::ZERO)];
                Facing { point: DVec3::new(x, y, 0.0), curvature }
            }
            Body::Tablet(_) => {
                let rho = (d.x * d.x + d.y * d.y).sqrt();
                let around = if rho > 0.0 { (1.0 / rho, DVec3::new(-d.y, d.x, 0.0) / rho) } else { FLAT[0] };
                Facing { point: d, curvature: [around, FLAT[1]] }
            }
            Body::Superquadric(s, margin) => {
                let (point, curvature) = s.support_and_curvature(d);
                Facing { point: point - d * *margin, curvature }
            }
            // What is the same all round goes into the second term, which has no direction.
            Body::Bulging(body) => {
                let Farthest { point, meridian, around, tangent, .. } = body.farthest(d);
                Facing { point, curvature: [(around - meridian, tangent), (meridian, DVec3::ZERO)] }
            }
        }
    }

    /// The piece that is farthest along a unit direction.
    #[inline]
    fn farthest(&self, d: DVec3, facing: &Facing) -> u32 {
        match self {
            Body::Point | Body::Superquadric(..) | Body::Bulging(_) => 0,
            Body::Segment(_) | Body::Tablet(_) => u32::from(d.z >= 0.0),
            Body::Frustum { radius, z } => {
                let rho = d.x * facing.point.x + d.y * facing.point.y;
                u32::from(z[1] * d.z + radius[1] * rho >= z[0] * d.z + radius[0] * rho)
            }
            Body::Polyhedron(p) => p.support_vertex(d) as u32,
        }
    }

    /// The point of a piece whose normal is the direction.
    #[inline]
    fn point(&self, facing: &Facing, piece: u32) -> DVec3 {
        match self {
            Body::Point => DVec3::ZERO,
            Body::Segment(half) => DVec3::new(0.0, 0.0, if piece == 1 { *half } else { -half }),
            Body::Frustum { radius, z } => {
                let k = piece as usize & 1;
                DVec3::new(facing.point.x * radius[k], facing.point.y * radius[k], z[k])
            }
            Body::Tablet(t) => t.end_support(facing.point, piece == 1),
            Body::Superquadric(..) | Body::Bulging(_) => facing.point,
            Body::Polyhedron(p) => p.vertices().get(piece as usize).copied().unwrap_or_default(),
        }
    }

    /// The curvature of one piece in the tangent plane: xx, xy, yy. `shared` is that which all pieces have a multiple of.
    #[inline]
    fn curvature(&self, facing: &Facing, shared: &[f64; 3], piece: u32) -> [f64; 3] {
        let factor = match self {
            Body::Point | Body::Segment(_) | Body::Polyhedron(_) => 0.0,
            Body::Frustum { radius, .. } => radius[piece as usize & 1],
            Body::Tablet(t) if t.faces_dome(facing.point, piece == 1) => {
                let radius = t.dome_radius();
                return [radius, 0.0, radius];
            }
            Body::Tablet(t) => t.radius,
            Body::Superquadric(_, margin) => return [shared[0] - margin, shared[1], shared[2] - margin],
            Body::Bulging(_) => {
                let (round, _) = facing.curvature[1];
                return [shared[0] + round, shared[1], shared[2] + round];
            }
        };
        shared.map(|term| factor * term)
    }

    /// The point farthest along a unit direction and its piece.
    #[inline]
    fn support(&self, d: DVec3) -> (DVec3, u32) {
        match self {
            Body::Point => (DVec3::ZERO, 0),
            Body::Segment(_) => {
                let piece = u32::from(d.z >= 0.0);
                (self.point(&Facing { point: DVec3::ZERO, curvature: FLAT }, piece), piece)
            }
            Body::Frustum { radius, z } => {
                let rho = (d.x * d.x + d.y * d.y).sqrt();
                let upper = z[1] * d.z + radius[1] * rho >= z[0] * d.z + radius[0] * rho;
                let (r, z) = if upper { (radius[1], z[1]) } else { (radius[0], z[0]) };
                let across = if rho > 0.0 { r / rho } else { 0.0 };
                (DVec3::new(d.x * across, d.y * across, z), u32::from(upper))
            }
            Body::Tablet(t) => {
                let is_upper = d.z >= 0.0;
                (t.end_support(d, is_upper), u32::from(is_upper))
            }
            Body::Superquadric(s, margin) => (s.support(d) - d * *margin, 0),
            Body::Bulging(body) => (body.support(d), 0),
            Body::Polyhedron(p) => {
                let vertex = p.support_vertex(d);
                (p.vertices()[vertex], vertex as u32)
            }
        }
    }
}

/// What the pieces of a core share in one direction: for a frustum the unit vector from the axis to its rims and a
/// curvature for rims of unit radius, for a tablet the direction itself and that curvature, for a superquadric its point and
/// curvature.
#[derive(Clone, Copy)]
struct Facing {
    point: DVec3,
    curvature: Curvature,
}

/// Two cores seen along one direction: every piece can be evaluated at little cost.
pub(super) struct PairFacing {
    a: Facing,
    b: Facing,
    /// Curvature of each body's pieces in the tangent plane: xx, xy, yy.
    curvature: [[f64; 3]; 2],
    /// The pieces that are farthest.
    pub(super) farthest: [u32; 2],
}

/// A direction in which h is stationary, known from what the bodies are: the axis of a cap, the common perpendicular of axes.
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

    /// The point of M farthest along a unit direction.
    #[inline]
    pub(super) fn support(&self, n: DVec3) -> Vertex {
        let (a, piece_a) = self.a.support(n);
        let (b, piece_b) = self.b.support(self.inverse * -n);
        let b = self.rotation * b + self.position;
        Vertex { a, b, w: a - b, pieces: [piece_a, piece_b] }
    }

    /// Both cores along a direction, with the tangent plane given by two unit vectors.
    #[inline]
    pub(super) fn facing(&self, n: DVec3, e1: DVec3, e2: DVec3) -> PairFacing {
        let local = self.inverse * -n;
        let (a, b) = (self.a.facing(n), self.b.facing(local));
        let mut curvature = [[0.0; 3]; 2];
        if self.a.is_curved() {
            curvature[0] = projected(&a.curvature, e1, e2);
        }
        if self.b.is_curved() {
            curvature[1] = projected(&b.curvature, self.inverse * e1, self.inverse * e2);
        }
        let farthest = [self.a.farthest(n, &a), self.b.farthest(local, &b)];
        PairFacing { a, b, curvature, farthest }
    }

    /// The point of given pieces of M.
    #[inline]
    pub(super) fn point(&self, facing: &PairFacing, pieces: [u32; 2]) -> Vertex {
        let a = self.a.point(&facing.a, pieces[0]);
        let b = self.rotation * self.b.point(&facing.b, pieces[1]) + self.position;
        Vertex { a, b, w: a - b, pieces }
    }

    /// The curvature of given pieces of M in the tangent plane: xx, xy, yy.
    #[inline]
    pub(super) fn curvature(&self, facing: &PairFacing, pieces: [u32; 2]) -> [f64; 3] {
        let p = self.a.curvature(&facing.a, &facing.curvature[0], pieces[0]);
        let q = self.b.curvature(&facing.b, &facing.curvature[1], pieces[1]);
        std::array::from_fn(|k| p[k] + q[k])
    }

    /// A direction in the symmetry planes of a superquadric that the given one is near, if it is no worse. Where the
    /// exponent is above 2 the surface is flat there: h rises with a power below 2 of the angle from the plane, and a
    /// minimum in it is not found by steps that assume a square.
    pub(super) fn in_symmetry_plane(&self, n: DVec3) -> Option<DVec3> {
        // Sine of the angle below which a plane is tried.
        const NEAR: f64 = 0.1;
        let flattened = |s: &Superquadric, d: DVec3| {
            let flat_z = s.n1 > 2.0 && d.z.abs() < NEAR;
            let flat_x = (s.n1 > 2.0 || s.n2 > 2.0) && d.x.abs() < NEAR;
            let flat_y = (s.n1 > 2.0 || s.n2 > 2.0) && d.y.abs() < NEAR;
            let keep = |flat: bool, c: f64| if flat { 0.0 } else { c };
            let snapped = DVec3::new(keep(flat_x, d.x), keep(flat_y, d.y), keep(flat_z, d.z));
            (snapped != d).then_some(snapped)
        };
        let value = |n: DVec3| self.support(n).w.dot(n);
        let mut best = n;
        if let Body::Superquadric(s, _) = self.a
            && let Some(snapped) = flattened(s, best).and_then(DVec3::try_normalize)
            && value(snapped) <= value(best)
        {
            best = snapped;
        }
        if let Body::Superquadric(s, _) = self.b
            && let Some(snapped) = flattened(s, self.inverse * best).and_then(DVec3::try_normalize)
        {
            let snapped = self.rotation * snapped;
            if value(snapped) <= value(best) {
                best = snapped;
            }
        }
        (best != n).then_some(best)
    }

    /// The directions in planes in which a or b is symmetric, near a given one.
    pub(super) fn symmetric_directions(&self, n: DVec3) -> Vec<DVec3> {
        // Component below which a plane is near.
        const NEAR: f64 = 0.3;
        let mut found = Vec::new();
        for turn in [DMat3::IDENTITY, self.rotation] {
            let own = turn.transpose() * n;
            for zeroed in 1..7 {
                let is_zeroed = |k: usize| zeroed >> k & 1 == 1;
                if (0..3).all(|k| !is_zeroed(k) || own[k].abs() < NEAR) {
                    let kept = DVec3::from_array(std::array::from_fn(|k| if is_zeroed(k) { 0.0 } else { own[k] }));
                    found.extend((turn * kept).try_normalize());
                }
            }
        }
        found
    }

    /// A direction in which h is stationary, from one near it, if both cores are smooth and none is less deep on the way: the iteration
    /// of [`crate::narrow::contact_smooth`], which is not misled where a surface is flat. Margins move points along their normals and change no
    /// directions, so that a point is as good as any ball about it.
    pub(super) fn settled(&self, n: DVec3) -> Option<Apex> {
        let smooth = |body: &Body| match body {
            Body::Superquadric(s, margin) => Some((**s, *margin)),
            Body::Point => {
                let radius = 0.5 * self.size;
                Some((Superquadric { semi_axes: DVec3::splat(radius), n1: 2.0, n2: 2.0 }, radius))
            }
            _ => None,
        };
        let ((a, margin_a), (b, margin_b)) = (smooth(&self.a)?, smooth(&self.b)?);
        let pair = contact_smooth::Pair::placed(&a, &b, self.rotation, self.position);
        let Settled::At(contact) = pair.settle(n, f64::INFINITY) else { return None };
        let Contact { normal, separation, point_a, point_b } = contact;
        let value = -separation - margin_a - margin_b;
        let is_no_worse = value <= self.support(n).w.dot(n) + tolerance::EXACT * self.size;
        is_no_worse.then(|| Apex { normal, value, a: point_a - normal * margin_a, b: point_b + normal * margin_b })
    }

    /// The common perpendicular of two cylinders' axes, if both its feet lie on them: h has a local minimum there. Rounding
    /// turns it when the axes are nearly parallel, but then h hardly depends on it: the product of both is of the order of
    /// rounding.
    pub(super) fn crossing(&self) -> Option<Apex> {
        let (Body::Frustum { radius: [r_a, other_a], z: z_a }, Body::Frustum { radius: [r_b, other_b], z: z_b }) =
            (&self.a, &self.b)
        else {
            return None;
        };
        if r_a != other_a || r_b != other_b {
            return None;
        }
        // a's axis is z; b's meets the perpendicular at a distance t from b's origin.
        let (axis, p) = (self.rotation.z_axis, self.position);
        let square = axis.x * axis.x + axis.y * axis.y;
        // A square this small has lost its digits.
        if square < f64::MIN_POSITIVE / f64::EPSILON {
            return None;
        }
        let t = -(axis.x * p.x + axis.y * p.y) / square;
        let foot = p + axis * t;
        // Written so that a foot that is not a number lies on nothing.
        if !(z_b[0] <= t && t <= z_b[1] && z_a[0] <= foot.z && foot.z <= z_a[1]) {
            return None;
        }
        let distance = (foot.x * foot.x + foot.y * foot.y).sqrt();
        let scale = 1.0 / square.sqrt();
        let side = if axis.x * p.y >= axis.y * p.x { scale } else { -scale };
        let normal = DVec3::new(-axis.y * side, axis.x * side, 0.0);
        let (a, b) = (DVec3::new(0.0, 0.0, foot.z) + normal * *r_a, foot - normal * *r_b);
        Some(Apex { normal, value: r_a + r_b - distance, a, b })
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

/// The parts of a curvature in the plane of two vectors.
#[inline]
fn projected(curvature: &Curvature, e1: DVec3, e2: DVec3) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (weight, direction) in curvature {
        let (x, y) = (direction.dot(e1), direction.dot(e2));
        sum[0] += weight * x * x;
        sum[1] += weight * x * y;
        sum[2] += weight * y * y;
    }
    sum
}
