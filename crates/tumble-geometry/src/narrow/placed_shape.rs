//! A convex shape where it is, as the contacts with surfaces see it: how far it reaches in a direction, and what of it
//! reaches that far.
//!
//! What reaches farthest is a point, a straight line or a flat face. Rounding never lets a line or face be exactly
//! square to a direction, so all that is within a small height of the farthest point belongs to it
//! ([`crate::tolerance::LIES_FLAT`]). A box that lies on a plane is then met in the middle of its face and not at whichever
//! corner rounding made the lowest; when it tilts by more than that, the point goes to a corner at once, as it must.
//!
//! A body whose ends and sides bulge has nothing flat: it is met in its one farthest point, which moves as it tilts.
//!
//! Known limits: a round face is kept as a polygon of sixteen corners, which only matters where the edge of a surface
//! crosses it; a superquadric has no flat faces here, however large its exponents.

use super::convex::Convex;
use super::direction_fan::Extreme;
use super::yielding::YieldingBody;
use crate::shape::{Cylinder, Face, Polyhedron, Tablet, TruncatedCone};
use crate::{Pose, Shape, tolerance};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// Most corners of a face that are kept. A face with more keeps some of them, evenly chosen.
const MOST_CORNERS: usize = 16;

/// The part of a shape that is farthest along a direction: one corner for a point, two for a line, more for a face, in
/// order round it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    corners: [DVec3; MOST_CORNERS],
    n_corners: usize,
    /// The point, the middle of the line or the centroid of the face.
    pub middle: DVec3,
}

impl Patch {
    pub(crate) fn point(point: DVec3) -> Patch {
        Patch { corners: [point; MOST_CORNERS], n_corners: 1, middle: point }
    }

    pub(crate) fn line(start: DVec3, end: DVec3) -> Patch {
        let mut corners = [start; MOST_CORNERS];
        corners[1] = end;
        Patch { corners, n_corners: 2, middle: 0.5 * (start + end) }
    }

    /// A disc square to local z.
    fn disc(radius: f64, z: f64) -> Patch {
        let corners = std::array::from_fn(|k| {
            let (sine, cosine) = (2.0 * PI * k as f64 / MOST_CORNERS as f64).sin_cos();
            DVec3::new(radius * cosine, radius * sine, z)
        });
        Patch { corners, n_corners: MOST_CORNERS, middle: DVec3::new(0.0, 0.0, z) }
    }

    /// The corners.
    pub fn corners(&self) -> &[DVec3] {
        &self.corners[..self.n_corners]
    }

    /// Whether it is more than a point.
    pub fn is_flat(&self) -> bool {
        self.n_corners > 1
    }

    pub(crate) fn map(mut self, transform: impl Fn(DVec3) -> DVec3) -> Patch {
        for corner in &mut self.corners[..self.n_corners] {
            *corner = transform(*corner);
        }
        self.middle = transform(self.middle);
        self
    }

    /// The interval of `along . (x - origin)` over the points of the patch with `across . (x - origin) = 0`. Where no
    /// point has that, the place of the corner that comes nearest to it, if it comes within `tolerance`.
    pub fn cut(&self, origin: DVec3, across: DVec3, along: DVec3, tolerance: f64) -> Option<(f64, f64)> {
        let place = |corner: DVec3| (across.dot(corner - origin), along.dot(corner - origin));
        let mut interval: Option<(f64, f64)> = None;
        let mut take = |at: f64| {
            let (low, high) = interval.unwrap_or((at, at));
            interval = Some((low.min(at), high.max(at)));
        };
        let corners = self.corners();
        for (k, &corner) in corners.iter().enumerate() {
            let (side, at) = place(corner);
            if side.abs() <= tolerance {
                take(at);
            }
            let (next_side, next_at) = place(corners[(k + 1) % corners.len()]);
            if side * next_side < 0.0 {
                take(at + (next_at - at) * (side / (side - next_side)));
            }
        }
        interval
    }
}

/// What is measured of a body beyond a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeyondPlane {
    /// How deep it is [m].
    pub depth: f64,
    /// How fast that grows with the way into the plane [1].
    pub slope: f64,
    /// A point of the line in which it grows [m]. As the plane turns about another point, the depth grows by the slope times the way from there
    /// to that line, across the normal.
    pub point: DVec3,
}

/// Tells of a plane across a local unit direction, at a distance from the origin, what is measured of a body beyond it; `None` if the
/// body is not beyond it.
pub type Measured<'a> = dyn Fn(DVec3, f64) -> Option<BeyondPlane> + 'a;

/// A measure, and how well the lines in which it grows are known.
#[derive(Clone, Copy)]
pub(super) struct Measure<'a> {
    pub of: &'a Measured<'a>,
    /// Lines that are no farther apart are one [m].
    pub accuracy: f64,
}

/// A convex body in a pose.
pub(super) struct PlacedShape<'a> {
    /// The body.
    pub convex: Convex<'a>,
    /// How it gives way to a surface, if it does.
    pub yields: Option<&'a YieldingBody>,
    /// How deep it is beyond a plane, if that is not how far its farthest point is.
    pub measured: Option<Measure<'a>>,
    /// Where its local origin is [m].
    pub centre: DVec3,
    /// Radius of a ball about the centre that holds the shape, its thickness included [m].
    pub radius: f64,
    turn: DMat3,
}

impl<'a> PlacedShape<'a> {
    pub fn new(convex: impl Into<Convex<'a>>, pose: &Pose) -> PlacedShape<'a> {
        let convex = convex.into();
        PlacedShape {
            convex,
            yields: None,
            measured: None,
            centre: pose.position,
            radius: convex.solid_radius(),
            turn: DMat3::from_quat(pose.orientation),
        }
    }

    /// A local point, placed.
    #[inline]
    pub fn place(&self, local: DVec3) -> DVec3 {
        self.turn * local + self.centre
    }

    /// A placed point, local again.
    #[inline]
    pub fn local_point(&self, placed: DVec3) -> DVec3 {
        self.local_direction(placed - self.centre)
    }

    /// The local z axis, placed.
    #[inline]
    pub fn axis(&self) -> DVec3 {
        self.turn.z_axis
    }

    #[inline]
    pub fn local_direction(&self, direction: DVec3) -> DVec3 {
        self.turn.transpose() * direction
    }

    /// The point farthest along a direction.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        self.place(self.convex.support(self.local_direction(direction)))
    }

    /// The point farthest along a unit direction, against a plane across it at a level [m]: of a body that gives way, once it has done so
    /// by as much as it is beyond that plane.
    #[inline]
    pub fn support_beyond(&self, direction: DVec3, level: f64) -> DVec3 {
        let local = self.local_direction(direction);
        if self.measured.is_some() {
            return self.measured_beyond(direction, level).point;
        }
        let Some(body) = self.yields else { return self.place(self.convex.support(local)) };
        let given = body.against_plane(local, level - direction.dot(self.centre));
        self.place(given.farthest.point - local * given.bulge)
    }

    /// What is measured of it beyond a plane across a unit direction at a level [m], with that point of the line that is as deep; where nothing
    /// is, the farthest point, and how far it is from the plane, less than zero.
    pub fn measured_beyond(&self, direction: DVec3, level: f64) -> BeyondPlane {
        let local = self.local_direction(direction);
        let farthest = self.place(self.convex.support(local));
        let depth = direction.dot(farthest) - level;
        let measure = self.measured.filter(|_| depth > 0.0);
        match measure.and_then(|measure| (measure.of)(local, level - direction.dot(self.centre))) {
            Some(found) => {
                let point = self.place(found.point);
                BeyondPlane { point: point + direction * (level + found.depth - direction.dot(point)), ..found }
            }
            None => BeyondPlane { depth: depth.min(0.0), slope: 1.0, point: farthest },
        }
    }

    /// How fast the depth grows with the way into a plane through an origin, across the direction of a place [1].
    pub fn steepness(&self, at: &Extreme, origin: DVec3) -> f64 {
        if self.measured.is_none() {
            return 1.0;
        }
        self.measured_beyond(at.direction, at.direction.dot(origin)).slope
    }

    /// Whether contacts with it are those of its vertices, inside walls of revolution.
    pub fn by_vertices(&self) -> Option<&Polyhedron> {
        self.convex.shape.as_polyhedron().filter(|_| self.measured.is_none())
    }

    /// How far what of a body with flat faces only lies beyond a plane, across a unit direction at a level [m], reaches along some others,
    /// measured from an origin; minus infinity if nothing does. `None` for other bodies.
    pub fn reaches_beyond<const N: usize>(
        &self,
        direction: DVec3,
        level: f64,
        origin: DVec3,
        along: [DVec3; N],
    ) -> Option<[f64; N]> {
        let polyhedron = self.convex.shape.as_polyhedron()?;
        let (local, level) = (self.local_direction(direction), level - direction.dot(self.centre));
        let (axes, origin) = (along.map(|axis| self.local_direction(axis)), self.local_point(origin));
        let mut most = [f64::NEG_INFINITY; N];
        let mut take = |point: DVec3| {
            for (most, axis) in most.iter_mut().zip(&axes) {
                *most = most.max(axis.dot(point - origin));
            }
        };
        for edge in polyhedron.edges() {
            let [a, b] = edge.vertices.map(|vertex| polyhedron.vertices()[vertex as usize]);
            let (rise_a, rise_b) = (local.dot(a) - level, local.dot(b) - level);
            if rise_a <= 0.0 && rise_b <= 0.0 {
                continue;
            }
            let crossing = || a + (b - a) * (rise_a / (rise_a - rise_b));
            take(if rise_a > 0.0 { a } else { crossing() });
            take(if rise_b > 0.0 { b } else { crossing() });
        }
        Some(most)
    }

    /// All that is farthest along it.
    pub fn patch_beyond(&self, direction: DVec3, level: f64) -> Patch {
        if self.yields.is_some() || self.measured.is_some() {
            Patch::point(self.support_beyond(direction, level))
        } else {
            self.patch(direction)
        }
    }

    /// How far the shape reaches along a unit direction, measured from an origin.
    #[cfg(test)]
    pub fn reach(&self, direction: DVec3, origin: DVec3) -> f64 {
        direction.dot(self.support(direction) - origin)
    }

    /// Whether what is farthest along a unit direction is a point: what [`PlacedShape::patch`] says, found faster.
    pub fn reaches_with_a_point(&self, direction: DVec3) -> bool {
        if self.convex.bulging.is_some() {
            return true;
        }
        let flat = tolerance::LIES_FLAT * self.radius;
        match self.convex.shape.as_polyhedron() {
            Some(polyhedron) => polyhedron.n_farthest(self.local_direction(direction), flat) < 2,
            None => {
                !(self.convex.shape.lies_flat() || self.convex.shape.is_planar()) || !self.patch(direction).is_flat()
            }
        }
    }

    /// Normal of the plane of a unit direction and the axis, as long as the sine of the angle between them; `None` for a body
    /// that is round about no axis, about every axis, or that lies flat with a cap.
    pub fn meridian_across(&self, direction: DVec3) -> Option<DVec3> {
        let radius = self.convex.shape.radius_about_axis()?;
        let across = direction.cross(self.axis());
        (2.0 * radius * across.length() > tolerance::LIES_FLAT * self.radius).then_some(across)
    }

    /// All that is farthest along a unit direction.
    pub fn patch(&self, direction: DVec3) -> Patch {
        let flat = tolerance::LIES_FLAT * self.radius;
        let local = self.local_direction(direction);
        if let Some(bulging) = self.convex.bulging {
            return Patch::point(self.place(bulging.support(local)));
        }
        let shape = self.convex.shape;
        let patch = match shape {
            Shape::Sphere(_) | Shape::Superquadric(_) | Shape::Clump(_) => Patch::point(shape.support(local)),
            Shape::Cylinder(cylinder) => patch_of_cylinder(cylinder, local, flat),
            Shape::Disc(disc) => patch_of_cylinder(&disc.solid(), local, flat),
            Shape::Capsule(capsule) => {
                if 2.0 * capsule.half_height * local.z.abs() <= flat {
                    let end = DVec3::Z * capsule.half_height;
                    Patch::line(local * capsule.radius - end, local * capsule.radius + end)
                } else {
                    Patch::point(capsule.support(local))
                }
            }
            Shape::TruncatedCone(cone) => patch_of_cone(cone, local, flat),
            Shape::Tablet(tablet) => patch_of_tablet(tablet, local, flat),
            Shape::Polyhedron(polyhedron) => patch_of_polyhedron(polyhedron, local, flat),
            Shape::Polygon(polygon) => patch_of_polyhedron(polygon.solid(), local, flat),
        };
        patch.map(|point| self.place(point))
    }
}

fn patch_of_cylinder(cylinder: &Cylinder, direction: DVec3, flat: f64) -> Patch {
    let sideways = direction.truncate().length();
    if 2.0 * cylinder.radius * sideways <= flat {
        return Patch::disc(cylinder.radius, cylinder.half_height.copysign(direction.z));
    }
    let side = (direction.truncate() * (cylinder.radius / sideways)).extend(0.0);
    let end = DVec3::Z * cylinder.half_height;
    if 2.0 * cylinder.half_height * direction.z.abs() <= flat {
        return Patch::line(side - end, side + end);
    }
    Patch::point(side + end.copysign(DVec3::splat(direction.z)))
}

fn patch_of_cone(cone: &TruncatedCone, direction: DVec3, flat: f64) -> Patch {
    let sideways = direction.truncate().length();
    let (lower_z, upper_z) = (cone.lower_z(), cone.upper_z());
    let lower = cone.lower_radius * sideways + lower_z * direction.z;
    let upper = cone.upper_radius * sideways + upper_z * direction.z;
    let outward = if sideways > 0.0 { direction.truncate() / sideways } else { glam::DVec2::X };
    let at = |radius: f64, z: f64| (outward * radius).extend(z);
    let (radius, z) = if upper >= lower { (cone.upper_radius, upper_z) } else { (cone.lower_radius, lower_z) };
    if 2.0 * radius * sideways <= flat && radius > 0.0 {
        return Patch::disc(radius, z);
    }
    if (upper - lower).abs() <= flat {
        return Patch::line(at(cone.lower_radius, lower_z), at(cone.upper_radius, upper_z));
    }
    Patch::point(at(radius, z))
}

fn patch_of_tablet(tablet: &Tablet, direction: DVec3, flat: f64) -> Patch {
    let [lower, upper] = [false, true].map(|is_upper| tablet.end_support(direction, is_upper));
    if tablet.half_height > 0.0 && (upper - lower).dot(direction).abs() <= flat {
        return Patch::line(lower, upper);
    }
    Patch::point(tablet.support(direction))
}

/// All of a polyhedron that is within a height of its farthest vertex along a local unit direction.
pub(crate) fn patch_of_polyhedron(polyhedron: &Polyhedron, direction: DVec3, flat: f64) -> Patch {
    let vertices = polyhedron.vertices();
    let best = polyhedron.support_vertex(direction);
    let least = vertices[best].dot(direction) - flat;
    match polyhedron.n_farthest(direction, flat) {
        0 | 1 => return Patch::point(vertices[best]),
        2 => {
            let is_partner = |(index, vertex): &(usize, &DVec3)| *index != best && vertex.dot(direction) >= least;
            let partner = vertices.iter().enumerate().find(is_partner).map_or(best, |(index, _)| index);
            return Patch::line(vertices[best], vertices[partner]);
        }
        _ => {}
    }
    let facing = |a: &&Face, b: &&Face| a.normal.dot(direction).total_cmp(&b.normal.dot(direction));
    let Some(face) = polyhedron.faces().iter().max_by(facing) else { return Patch::point(vertices[best]) };
    let corner = |k: usize| vertices[face.vertices[k % face.vertices.len()] as usize];
    let n = face.vertices.len();
    let base = corner(0);
    let (mut area, mut moment) = (0.0, DVec3::ZERO);
    for k in 1..n.saturating_sub(1) {
        let (p, q) = (corner(k) - base, corner(k + 1) - base);
        let twice = face.normal.dot(p.cross(q));
        area += twice;
        moment += (p + q) * (twice / 3.0);
    }
    let middle = if area > 0.0 { base + moment / area } else { base };
    let n_corners = n.min(MOST_CORNERS);
    let corners = std::array::from_fn(|k| corner(k.min(n_corners - 1) * n / n_corners));
    Patch { corners, n_corners, middle }
}
