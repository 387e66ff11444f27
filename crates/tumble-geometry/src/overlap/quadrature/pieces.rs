//! Two convex bodies as one list of constraints about a common origin: the planes of both, and at most one curved
//! surface of each. The region they share is where all constraints hold.

use super::curved::{Curved, Quadric};
use super::superquadric_norm::SuperquadricNorm;
use crate::overlap::clipped_polyhedron::Owner;
use crate::{Capsule, Cylinder, Polyhedron, Pose, Shape, Superquadric, Tablet, TruncatedCone};
use glam::{DMat3, DVec3};

/// The half-space `normal . x <= depth`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub normal: DVec3,
    pub depth: f64,
    pub owner: Owner,
    /// Whether it stays even where it bounds nothing: the ends of a cone keep its other half out.
    pub is_kept: bool,
}

/// The constraints of a region.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    pub planes: Vec<Plane>,
    pub curved: [Option<(Curved, Owner)>; 2],
}

impl Pieces {
    pub fn clear(&mut self) {
        self.planes.clear();
        self.curved = [None; 2];
    }

    /// Adds the half-space z <= 0 of a frame whose origin is seen at `-origin`.
    pub fn add_half_space(&mut self, owner: Owner, origin: DVec3) {
        self.planes.push(Plane { normal: DVec3::Z, depth: -origin.z, owner, is_kept: false });
    }

    /// Adds a convex shape in a pose, everything seen from `origin`. False for a shape that is not convex.
    pub fn add(&mut self, shape: &Shape, owner: Owner, pose: &Pose, origin: DVec3) -> bool {
        let turn = DMat3::from_quat(pose.orientation);
        let centre = pose.position - origin;
        match shape {
            Shape::Sphere(sphere) => self.bend(Curved::Quadric(Quadric::ball(centre, sphere.radius)), owner),
            Shape::Cylinder(cylinder) => self.add_cylinder(cylinder, owner, centre, &turn),
            Shape::Capsule(capsule) => self.add_capsule(capsule, owner, centre, &turn),
            Shape::TruncatedCone(cone) => self.add_cone(cone, owner, centre, &turn),
            Shape::Tablet(tablet) => self.add_tablet(tablet, owner, centre, &turn),
            Shape::Superquadric(superquadric) => self.add_superquadric(superquadric, owner, centre, &turn),
            Shape::Polyhedron(polyhedron) => self.add_polyhedron(polyhedron, owner, centre, &turn),
            Shape::Disc(disc) => self.add_cylinder(&disc.solid(), owner, centre, &turn),
            Shape::Polygon(polygon) => self.add_polyhedron(polygon.solid(), owner, centre, &turn),
            Shape::Clump(_) => return false,
        }
        true
    }

    fn bend(&mut self, curved: Curved, owner: Owner) {
        let free = usize::from(self.curved[0].is_some());
        self.curved[free] = Some((curved, owner));
    }

    fn add_cylinder(&mut self, shape: &Cylinder, owner: Owner, centre: DVec3, turn: &DMat3) {
        let axis = turn.z_axis;
        self.bend(Curved::Quadric(Quadric::cone(centre, axis, shape.radius, 0.0)), owner);
        let middle = axis.dot(centre);
        self.planes.push(Plane { normal: axis, depth: middle + shape.half_height, owner, is_kept: false });
        self.planes.push(Plane { normal: -axis, depth: shape.half_height - middle, owner, is_kept: false });
    }

    fn add_capsule(&mut self, shape: &Capsule, owner: Owner, centre: DVec3, turn: &DMat3) {
        let axis = turn.z_axis;
        let middle = axis.dot(centre);
        let reach = axis * shape.half_height;
        let quadrics = [
            Quadric::cone(centre, axis, shape.radius, 0.0),
            Quadric::ball(centre + reach, shape.radius),
            Quadric::ball(centre - reach, shape.radius),
        ];
        let seams = [middle + shape.half_height, middle - shape.half_height];
        self.bend(Curved::RoundEnded { quadrics, axis, seams, centres: seams }, owner);
    }

    fn add_tablet(&mut self, shape: &Tablet, owner: Owner, centre: DVec3, turn: &DMat3) {
        let axis = turn.z_axis;
        let middle = axis.dot(centre);
        let (reach, radius) = (shape.dome_centre(), shape.dome_radius());
        let quadrics = [
            Quadric::cone(centre, axis, shape.radius, 0.0),
            Quadric::ball(centre + axis * reach, radius),
            Quadric::ball(centre - axis * reach, radius),
        ];
        let seams = [middle + shape.half_height, middle - shape.half_height];
        let centres = [middle + reach, middle - reach];
        self.bend(Curved::RoundEnded { quadrics, axis, seams, centres }, owner);
    }

    fn add_cone(&mut self, shape: &TruncatedCone, owner: Owner, centre: DVec3, turn: &DMat3) {
        let axis = turn.z_axis;
        let slope = (shape.upper_radius - shape.lower_radius) / shape.height;
        let radius = shape.lower_radius - slope * shape.lower_z();
        self.bend(Curved::Quadric(Quadric::cone(centre, axis, radius, slope)), owner);
        let middle = axis.dot(centre);
        self.planes.push(Plane { normal: axis, depth: middle + shape.upper_z(), owner, is_kept: true });
        self.planes.push(Plane { normal: -axis, depth: -(middle + shape.lower_z()), owner, is_kept: true });
    }

    fn add_superquadric(&mut self, shape: &Superquadric, owner: Owner, centre: DVec3, turn: &DMat3) {
        let curved = if shape.n1 == 2.0 && shape.n2 == 2.0 {
            Curved::Quadric(Quadric::ellipsoid(centre, turn, shape.semi_axes))
        } else {
            Curved::Superquadric(SuperquadricNorm::new(shape, centre, turn))
        };
        self.bend(curved, owner);
    }

    fn add_polyhedron(&mut self, shape: &Polyhedron, owner: Owner, centre: DVec3, turn: &DMat3) {
        self.planes.extend(shape.faces().iter().map(|face| {
            let normal = *turn * face.normal;
            Plane { normal, depth: face.offset + normal.dot(centre), owner, is_kept: false }
        }));
    }

    /// The largest of all constraints at a point, below zero inside, about a distance near the surface; its gradient.
    pub fn depth(&self, point: DVec3) -> (f64, DVec3) {
        let mut worst = (f64::NEG_INFINITY, DVec3::ZERO);
        for plane in &self.planes {
            let value = plane.normal.dot(point) - plane.depth;
            if value > worst.0 {
                worst = (value, plane.normal);
            }
        }
        for (curved, _) in self.curved.iter().flatten() {
            let found = curved.depth(point);
            if found.0 > worst.0 {
                worst = found;
            }
        }
        worst
    }

    /// Where a ray from the origin leaves the region, and how much farther it would go without the constraint that ends
    /// it, relative to the distance.
    pub fn exit(&self, direction: DVec3, relative_tolerance: f64) -> (f64, f64) {
        let (mut first, mut second) = (f64::INFINITY, f64::INFINITY);
        let mut add = |t: f64| {
            if t < first {
                second = first;
                first = t;
            } else if t < second {
                second = t;
            }
        };
        for plane in &self.planes {
            let slope = plane.normal.dot(direction);
            if slope > 0.0 {
                add(plane.depth / slope);
            }
        }
        for (curved, _) in self.curved.iter().flatten() {
            add(curved.exit(direction, relative_tolerance));
        }
        (first, if first > 0.0 { second / first - 1.0 } else { 0.0 })
    }
}
