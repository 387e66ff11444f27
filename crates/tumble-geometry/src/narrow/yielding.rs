//! Bodies of revolution whose flat ends and straight sides give way towards their rims by as much as they are pressed.
//!
//! The deepest point of two faces says where they touch only while they are tilted, and jumps from rim to rim as they are not. A crown
//! takes that away ([`super::contact_body`]), but one of a fixed size resists rocking in proportion to the load, so that towers
//! buckle, and is felt where nothing presses. Here the crown has the size of the depth: with the bulge
//!
//!   b = least + growth depth,  at most `most`,
//!
//! of ends and sides over their rims, taken off everywhere so that the middle of a face stays in place and its rim falls back by b,
//! the depth is the solution of
//!
//!   depth = D(b),  D(b) = (depth of the bodies that bulge by b) - b_a - b_b.
//!
//! D falls with b, so there is one. It is a function of the pose alone, without kinks where faces, sides and rims give way to each
//! other, and of degree one in lengths. By the envelope theorem, with s = dD/db from the two surfaces at the normal, its slope is that
//! of the depth of rigid bodies, a unit force along the normal through the contact point, times 1 / (1 - growth s). So a law on
//! this depth conserves energy, and no force turns a body of revolution about its own axis.
//!
//! With growth 1/2 two ends of radius r resist rocking with k r^2 / 2, as an even bed of springs of the stiffness k does, whatever the
//! load; one on a plane with k r^2. A rim on a plane at 45 degrees has 2/3 of its depth, the middle of a face or a side all of it.
//! An edge lifts at a tilt of depth / r, as it does under an even bed of springs.

use super::contact_body::{ContactBody, LARGEST_CROWN, contact_bodies_by};
use super::contact_convex_surface::{contact_body_surface, contact_convex_surface};
use super::convex::Convex;
use super::general::contact_convex;
use super::line_of_action::onto_axes;
use super::method::ContactMethod;
use super::placed_shape::PlacedShape;
use super::revolution::crowned::measures;
use super::revolution::{Bulging, Farthest, Revolution, contact_bulging};
use crate::contact::NotConverged;
use crate::lanes::Row;
use crate::{Capsule, Contact, Pose, Shape, Surface, SurfaceContact};
use glam::DVec3;

/// How fast rims give way with the depth.
pub const GROWTH: f64 = 0.5;

/// The bulge at no depth, over half of the smaller of height and diameter: so small that nothing feels it, and large enough that
/// faces in first touch have a normal.
const LEAST_CROWN: f64 = 1e-6;

/// Where the depth that surfaces give way by and the one that is found differ by less than this part of it, a last step is one whose
/// square does not count.
const SAME_DEPTH: f64 = 1e-9;

/// The same against a plane, where looks are cheap and searches go by the place.
const SAME_DEPTH_AT_PLANE: f64 = 1e-12;

/// Most looks until the two depths agree. Steps that do not lead there are halved.
const MOST_LOOKS: usize = 60;

/// A convex body whose flat ends and straight sides give way, if it is a body of revolution that has any; else the shape as it is.
#[derive(Clone, Debug)]
pub struct YieldingBody {
    flat: ContactBody,
    least: f64,
    most: f64,
    /// The surface at no depth.
    first: ContactBody,
    /// The profile that bulges, if it is the same one however much it does.
    profile: Option<Revolution>,
}

/// How a body has given way to a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct AgainstPlane {
    /// How far beyond the plane it is then [m]; below zero if it is not.
    pub depth: f64,
    /// As in [`Yielded`] [1].
    pub slope: f64,
    /// By how much it bulges, which is taken off everywhere [m].
    pub bulge: f64,
    /// Where its surface is farthest towards the plane before that.
    pub farthest: Farthest,
}

/// How a body stands to a contact that it gives way in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Given {
    /// By how much it bulges, which is taken off everywhere [m].
    bulge: f64,
    /// How the depth changes for each length of depth that it gives way by [1]: at most 0.
    per_depth: f64,
    /// By how much farther it reaches in the direction of the contact than the shape as it is [m].
    over: f64,
}

/// A contact of bodies that give way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yielded {
    /// Where the bodies touch once they have given way: the separation is minus the depth that the law has.
    pub contact: Contact,
    /// How fast that depth grows with the way that the bodies go into each other [1]: 1 where nothing gives way.
    pub slope: f64,
    /// Depth of the shapes as they are along the normal [m].
    pub flat_depth: f64,
    /// Radius of the patch in which they press on each other [m]; zero if that is not known.
    pub patch_radius: f64,
}

impl Yielded {
    /// A contact in which nothing gives way.
    pub fn rigid(contact: Contact) -> Yielded {
        Yielded { contact, slope: 1.0, flat_depth: -contact.separation, patch_radius: 0.0 }
    }
}

impl YieldingBody {
    /// A convex shape.
    pub fn new(shape: &Shape) -> YieldingBody {
        let flat = ContactBody::new(shape, 0.0);
        // The largest crown that leaves the body convex.
        let mut crown = LARGEST_CROWN;
        let mut most = ContactBody::new(shape, crown).bulge();
        while most == 0.0 && crown > 2.0 * LEAST_CROWN && flat.revolution().is_some() {
            crown *= 0.5;
            most = ContactBody::new(shape, crown).bulge();
        }
        let least = if most > 0.0 { most * (LEAST_CROWN / crown) } else { 0.0 };
        let first = if most > 0.0 { ContactBody::bulging(shape, least) } else { flat.clone() };
        let profile = match shape {
            Shape::Tablet(t) if t.dome_height == t.radius => {
                Revolution::of(&Shape::Capsule(Capsule { radius: t.radius, half_height: t.half_height }))
            }
            // Its domes become those of what bulges.
            Shape::Tablet(t) if t.dome_height < most => None,
            _ => flat.revolution().copied(),
        };
        YieldingBody { flat, least, most, first, profile }
    }

    /// The shape as it is.
    pub fn flat(&self) -> &ContactBody {
        &self.flat
    }

    /// Whether it has anything that gives way.
    pub fn yields(&self) -> bool {
        self.most > 0.0
    }

    /// Where it is farthest along a local unit direction when it bulges by a length.
    #[inline]
    fn farthest(&self, bulge: f64, direction: DVec3) -> Farthest {
        match &self.profile {
            Some(profile) => profile.farthest_bulging(bulge, direction),
            None => ContactBody::bulging(self.flat.shape(), bulge).farthest(direction),
        }
    }

    /// Tells the axial components of the normals at which one piece of that surface gives way to the next.
    pub(super) fn turns(&self, bulge: f64, mut tell: impl FnMut(f64)) {
        match &self.profile {
            Some(profile) => profile.bulging_turns(bulge, tell),
            None => ContactBody::bulging(self.flat.shape(), bulge).turns().into_iter().for_each(&mut tell),
        }
    }

    /// How it gives way to a plane at a distance from its origin along a local unit direction.
    ///
    /// The depth at which the surface is seen falls with the one that it has given way by, and the more slowly the larger that is:
    /// Newton's steps come from below.
    #[inline]
    pub(super) fn against_plane(&self, direction: DVec3, distance: f64) -> AgainstPlane {
        let mut depth = 0.0;
        let mut seen = AgainstPlane { depth, slope: 1.0, bulge: 0.0, farthest: Farthest::default() };
        for _ in 0..MOST_LOOKS {
            let bulge = self.bulge(depth);
            let farthest = self.farthest(bulge, direction);
            let deep = farthest.point.dot(direction) - distance - bulge;
            let grows = if self.least + GROWTH * depth < self.most { GROWTH } else { 0.0 };
            let slope = 1.0 / (1.0 - grows * (farthest.per_bulge - 1.0));
            let next = depth + (deep - depth) * slope;
            seen = AgainstPlane { depth: next, slope, bulge, farthest };
            if depth == 0.0 && deep <= 0.0 {
                return AgainstPlane { depth: deep, ..seen };
            }
            if (next - depth).abs() <= SAME_DEPTH_AT_PLANE * next {
                break;
            }
            depth = next.max(0.0);
        }
        seen
    }

    /// By how much it bulges at a depth [m].
    pub(super) fn bulge(&self, depth: f64) -> f64 {
        (self.least + GROWTH * depth.max(0.0)).min(self.most)
    }

    /// Its surface at a depth, before the bulge is taken off.
    pub(super) fn at(&self, depth: f64) -> SurfaceAt<'_> {
        let bulging = || match &self.profile {
            Some(profile) => profile.bulging(self.bulge(depth)),
            None => Bulging::by_length(self.flat.shape(), self.bulge(depth)),
        };
        SurfaceAt { flat: &self.flat, bulging: if self.yields() { bulging() } else { None } }
    }

    /// The row that [`super::crowned::CrownedCylinders`] wants to know of a cylinder that gives way; `None` for all others.
    pub fn cylinder_measures(&self) -> Option<Row> {
        match self.flat.shape() {
            Shape::Cylinder(c) if self.yields() => Some(measures(c.radius, c.half_height, [self.least, self.most])),
            _ => None,
        }
    }

    /// What it gives at a depth in a contact along a local unit direction, with its surface there.
    fn given(&self, surface: &SurfaceAt, depth: f64, direction: DVec3) -> Given {
        let Some(bulging) = &surface.bulging else { return Given::default() };
        let Farthest { point, per_bulge, .. } = bulging.farthest(direction);
        let grows = if self.least + GROWTH * depth < self.most { GROWTH } else { 0.0 };
        let over = point.dot(direction) - self.flat.reach_along(direction);
        Given { bulge: bulging.bulge(), per_depth: grows * (per_bulge - 1.0), over }
    }

    /// How its surface at a depth is curved where it is farthest along a local unit direction; `None` if that is not known.
    fn radii(&self, surface: &SurfaceAt, direction: DVec3) -> Option<Radii> {
        match &surface.bulging {
            None => self.flat.radii(direction),
            Some(bulging) => self.flat.radii_at(&bulging.farthest(direction), direction),
        }
    }
}

/// A body's surface at a depth, before the bulge is taken off.
pub(super) struct SurfaceAt<'a> {
    flat: &'a ContactBody,
    /// What it has become, if it bulges.
    bulging: Option<Bulging>,
}

impl SurfaceAt<'_> {
    /// What convex algorithms are given.
    pub fn convex(&self) -> Convex<'_> {
        match &self.bulging {
            None => self.flat.convex(),
            bulging => Convex { shape: self.flat.shape(), bulging: bulging.as_ref() },
        }
    }

    /// The body as others of revolution meet it.
    fn revolution(&self) -> Option<&Revolution> {
        self.bulging.as_ref().map_or_else(|| self.flat.revolution(), |bulging| Some(bulging.revolution()))
    }
}

/// What is seen of a contact at a depth.
struct Seen {
    /// Depth once the bulges are taken off [m].
    depth: f64,
    /// How it changes with the depth that the bodies give way by [1].
    per_depth: f64,
}

/// A depth at which bodies have given way by as much as they are deep.
struct Settled {
    depth: f64,
    slope: f64,
}

impl Settled {
    /// A contact that was seen there, as one of this depth.
    fn contact(&self, seen: &Contact) -> Contact {
        let Contact { normal, point_a, point_b, .. } = *seen;
        let (middle, half) = (0.5 * (point_a + point_b), normal * (0.5 * self.depth));
        Contact { normal, separation: -self.depth, point_a: middle + half, point_b: middle - half }
    }
}

/// The depth at which bodies have given way by as much as they are deep, from one of a moment ago, by looks at the contact at given
/// depths: the last look was there. `None` if they do not touch.
fn settle<E>(start: f64, mut look: impl FnMut(f64) -> Result<Seen, E>) -> Result<Option<Settled>, E> {
    // It lies between these two.
    let (mut low, mut high) = (0.0_f64, f64::INFINITY);
    let mut depth = start.max(0.0);
    for _ in 0..MOST_LOOKS {
        let seen = look(depth)?;
        let steep = 1.0 - seen.per_depth;
        let next = depth + (seen.depth - depth) / steep;
        if depth == 0.0 && seen.depth <= 0.0 {
            return Ok(None);
        }
        let is_between = high.is_finite() && high - low <= SAME_DEPTH * high;
        if (next - depth).abs() <= SAME_DEPTH * depth.max(next) || is_between {
            return Ok((next > 0.0).then_some(Settled { depth: next, slope: 1.0 / steep }));
        }
        if seen.depth > depth {
            low = low.max(depth);
        } else {
            high = high.min(depth);
        }
        depth = if next > low && next < high {
            next
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            2.0 * depth.max(next)
        };
    }
    Ok(None)
}

/// The contact of two bodies that give way, as [`contact_bodies_by`], begun from a direction that is thought to be near the normal and
/// from the depth of a moment ago, or zero. Where they do not touch it is that of the shapes as they are, with a separation that
/// is not negative.
pub fn contact_yielding(
    method: ContactMethod,
    a: &YieldingBody,
    b: &YieldingBody,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    start: f64,
) -> Result<Yielded, NotConverged> {
    let ask_flat = |guess: Option<DVec3>| {
        contact_bodies_by(method, &a.flat, &b.flat, pose_ab, guess, f64::INFINITY)
            .map(|contact| contact.unwrap_or(Contact::NOWHERE))
    };
    let ask = |a: &SurfaceAt, b: &SurfaceAt, guess: Option<DVec3>| {
        let found = match (a.revolution(), b.revolution()) {
            (Some(first), Some(second)) if method != ContactMethod::General => {
                contact_bulging([first, second], a.convex(), b.convex(), pose_ab, guess, f64::INFINITY)
            }
            _ => contact_convex(a.convex(), b.convex(), pose_ab, guess, f64::INFINITY),
        };
        found.map(|contact| contact.unwrap_or(Contact::NOWHERE))
    };
    let (mut guess, mut start) = (guess, start);
    if !(a.yields() || b.yields()) || start <= 0.0 {
        let flat = ask_flat(guess)?;
        if flat.separation >= 0.0 || !(a.yields() || b.yields()) {
            return Ok(Yielded::rigid(flat));
        }
        guess = Some(flat.normal);
        start = -flat.separation;
    }
    let mut last = None;
    let settled = settle(start, |depth| {
        let (surface_a, surface_b) = (a.at(depth), b.at(depth));
        let contact = ask(&surface_a, &surface_b, guess)?;
        guess = Some(contact.normal);
        let of_a = a.given(&surface_a, depth, contact.normal);
        let of_b = b.given(&surface_b, depth, pose_ab.inverse_transform_vector(-contact.normal));
        let deep = -contact.separation - of_a.bulge - of_b.bulge;
        let flat_depth = -contact.separation - of_a.over - of_b.over;
        last = Some((contact, flat_depth, [surface_a, surface_b]));
        Ok(Seen { depth: deep, per_depth: of_a.per_depth + of_b.per_depth })
    })?;
    match settled.zip(last) {
        Some((settled, (seen, flat_depth, [surface_a, surface_b]))) => {
            let Contact { normal, separation, point_a, point_b } = settled.contact(&seen);
            let radii_b = b.radii(&surface_b, pose_ab.inverse_transform_vector(-normal));
            let radii_b = radii_b.map(|radii| radii.turned(|v| pose_ab.transform_vector(v)));
            let patch_radius = patch_radius(settled.depth, normal, [a.radii(&surface_a, normal), radii_b]);
            let bodies =
                [(a, &Pose::IDENTITY), (b, pose_ab)].map(|(body, pose)| PlacedShape::new(body.flat.convex(), pose));
            let size = a.flat.bounding_radius().max(b.flat.bounding_radius());
            let middle = onto_axes(0.5 * (point_a + point_b), normal, [&bodies[0], &bodies[1]], size);
            let half = normal * (0.5 * separation);
            let contact = Contact { normal, separation, point_a: middle - half, point_b: middle + half };
            Ok(Yielded { contact, slope: settled.slope, flat_depth, patch_radius })
        }
        None => {
            let flat = ask_flat(guess)?;
            Ok(Yielded::rigid(Contact { separation: flat.separation.max(0.0), ..flat }))
        }
    }
}

/// A contact of a body that gives way with a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct YieldedSurface {
    /// Where the body touches once it has given way: the separation is minus the depth that the law has.
    pub contact: SurfaceContact,
    /// As in [`Yielded`].
    pub slope: f64,
    /// As in [`Yielded`] [m].
    pub flat_depth: f64,
    /// As in [`Yielded`] [m].
    pub patch_radius: f64,
}

impl YieldedSurface {
    /// A contact in which nothing gives way.
    pub fn rigid(contact: SurfaceContact) -> YieldedSurface {
        YieldedSurface { contact, slope: 1.0, flat_depth: -contact.separation, patch_radius: 0.0 }
    }

    /// What a contact is that was found with a body that gives way in a pose.
    fn of(body: &YieldingBody, contact: &SurfaceContact, pose: &Pose) -> YieldedSurface {
        let direction = pose.inverse_transform_vector(contact.normal);
        let distance = contact.normal.dot(contact.point - pose.position);
        let AgainstPlane { depth, slope, farthest, .. } = body.against_plane(direction, distance);
        let radii = body.flat.radii_at(&farthest, direction).map(|radii| radii.turned(|v| pose.transform_vector(v)));
        YieldedSurface {
            contact: *contact,
            slope,
            flat_depth: body.flat.reach_along(direction) - distance,
            patch_radius: patch_radius(depth, contact.normal, [radii, Some(Radii::Flat)]),
        }
    }
}

/// Appends every contact of a body that gives way with a surface that overlap, as
/// [`contact_body_surface`](super::contact_body_surface) for one that does not. `room` is a list to work with.
///
/// Along every normal the body gives way by as much as it is deep there. A contact is where the depth is stationary, as for a
/// body that does not, and so is a pass.
pub fn contact_yielding_surface(
    body: &YieldingBody,
    surface: &Surface,
    pose: &Pose,
    room: &mut Vec<SurfaceContact>,
    out: &mut Vec<YieldedSurface>,
) {
    room.clear();
    if !body.yields() {
        contact_body_surface(&body.flat, surface, pose, 0.0, room);
        room.retain(|contact| contact.separation < 0.0);
        out.extend(room.iter().copied().map(YieldedSurface::rigid));
        return;
    }
    if let Surface::HalfSpace = surface {
        room.extend(half_space(body, pose));
    } else {
        let mut placed = PlacedShape::new(body.first.convex(), pose);
        placed.yields = Some(body);
        contact_convex_surface(&placed, surface, 0.0, room);
        room.retain(|contact| contact.separation < 0.0);
    }
    out.extend(room.iter().map(|contact| YieldedSurface::of(body, contact, pose)));
}

/// The contact with a half-space: its normal is known.
fn half_space(body: &YieldingBody, pose: &Pose) -> Option<SurfaceContact> {
    let direction = pose.inverse_transform_vector(DVec3::NEG_Z);
    let AgainstPlane { depth, farthest, .. } = body.against_plane(direction, pose.position.z);
    let point = pose.transform_point(farthest.point).with_z(0.0);
    (depth > 0.0).then(|| SurfaceContact::new(0, DVec3::NEG_Z, -depth, point))
}

/// How a surface is curved where it is touched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Radii {
    /// Not at all.
    Flat,
    /// As a body of revolution: along the meridian, around the axis, the unit vector around it, and the radius of the face on which
    /// the point lies, infinite if it is none [m].
    Round {
        /// Along the meridian [m].
        meridian: f64,
        /// Around the axis [m].
        around: f64,
        /// Unit vector around the axis.
        tangent: DVec3,
        /// Radius of the face [m].
        face: f64,
    },
}

impl Radii {
    fn turned(self, turn: impl Fn(DVec3) -> DVec3) -> Radii {
        match self {
            Radii::Flat => Radii::Flat,
            Radii::Round { meridian, around, tangent, face } => {
                Radii::Round { meridian, around, tangent: turn(tangent), face }
            }
        }
    }
}

/// Radius of the patch in which two surfaces press on each other at a depth [m]; zero if they are not known.
fn patch_radius(depth: f64, normal: DVec3, radii: [Option<Radii>; 2]) -> f64 {
    let [Some(a), Some(b)] = radii else { return 0.0 };
    let (e1, e2) = normal.any_orthonormal_pair();
    let tensor = |radii: &Radii| match *radii {
        Radii::Flat => None,
        Radii::Round { meridian, around, tangent, face } => {
            let (x, y) = (tangent.dot(e1), tangent.dot(e2));
            let excess = around - meridian;
            Some(([meridian + excess * x * x, excess * x * y, meridian + excess * y * y], meridian * around, face))
        }
    };
    let (product, face) = match (tensor(&a), tensor(&b)) {
        (None, None) => return 0.0,
        (Some((_, product, face)), None) | (None, Some((_, product, face))) => (product, face),
        (Some((s, product_a, face_a)), Some((t, product_b, face_b))) => {
            let sum = [s[0] + t[0], s[1] + t[1], s[2] + t[2]];
            let both = sum[0] * sum[2] - sum[1] * sum[1];
            (product_a * product_b / both.max(f64::MIN_POSITIVE), face_a.min(face_b))
        }
    };
    (2.0 * depth.max(0.0) * product.max(0.0).sqrt()).sqrt().min(face)
}

#[cfg(test)]
mod tests;
