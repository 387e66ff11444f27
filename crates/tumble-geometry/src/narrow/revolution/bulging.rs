//! A convex body of revolution whose flat ends and straight sides bulge, as anything but another body of revolution meets
//! it: the point that is farthest along a direction, and how that point moves when the direction turns.
//!
//! The profile is a chain of arcs and rims ([`super::profile`]): domes of large balls over the ends, arcs of large circles
//! for the sides, and the rims between them, which stay where they are. Every direction belongs to one of them. Seen from
//! the tip of an arc with radius R and unit normal m, the farthest point along a direction at an angle t from m is
//!
//!   tip + R sin(t) tangent - R (1 - cos(t)) m,
//!
//! which keeps all digits however large R is. So the point moves without a jump wherever the direction goes, by R along the
//! meridian on an arc and by nothing on a rim, and around the axis by its distance from the axis over the sine of the angle
//! between axis and direction.

use super::Revolution;
use super::profile::{Arc, Crowned, MOST_RINGS, OnMeridian, Profile};
use crate::Shape;
use glam::{DVec2, DVec3};

/// A body of revolution about its local z axis that bulges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bulging {
    revolution: Revolution,
    arcs: [Arc; MOST_RINGS],
}

/// The farthest point along a direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Farthest {
    /// The point [m].
    pub point: DVec3,
    /// How far it moves with the direction along the meridian and around the axis [m]. On the axis the two are equal.
    pub meridian: f64,
    pub around: f64,
    /// Unit vector around the axis; zero on the axis.
    pub tangent: DVec3,
    /// By how much farther it is for each length that the body bulges more [1]: from 0 at a rim to 1 in the middle of an end or a
    /// side.
    pub per_bulge: f64,
}

impl Bulging {
    /// A shape with a bulge over half of its smaller width; `None` if it has nothing that could bulge.
    pub(crate) fn new(shape: &Shape, crown: f64) -> Option<Bulging> {
        Some(Bulging::of(Profile::of_crowned(shape, crown)?))
    }

    /// The same with a bulge [m].
    pub(crate) fn by_length(shape: &Shape, bulge: f64) -> Option<Bulging> {
        Some(Bulging::of(Profile::of_bulging(shape, bulge)?))
    }

    fn of(Crowned { profile, arcs }: Crowned) -> Bulging {
        Bulging { revolution: Revolution(profile), arcs }
    }

    /// The body as others of its kind meet it.
    pub(crate) fn revolution(&self) -> &Revolution {
        &self.revolution
    }

    /// By how much it bulges [m].
    pub(crate) fn bulge(&self) -> f64 {
        self.revolution.0.bulge
    }

    /// Radius of a ball about the origin that holds the body [m].
    pub(crate) fn bounding_radius(&self) -> f64 {
        self.revolution.0.bounding_radius
    }

    /// Axial components of the normals at which one piece of the surface gives way to the next.
    pub(crate) fn turns(&self) -> impl Iterator<Item = f64> {
        let profile = &self.revolution.0;
        (0..profile.n_rings - 1).map(|k| profile.turn(k).u)
    }

    /// Where an arc has the normal of a direction with components across and along the axis: the sine of the angle from its
    /// tip, if it is one of its normals.
    #[inline]
    fn on_arc(arc: &Arc, direction: DVec2) -> Option<f64> {
        let (sine, cosine) = (direction.dot(tangent(arc)), direction.dot(arc.normal));
        (arc.radius > 0.0 && sine.abs() <= arc.sine && cosine > 0.0).then_some(sine)
    }

    /// The point that is farthest along a local unit direction.
    #[inline]
    pub(crate) fn support(&self, direction: DVec3) -> DVec3 {
        self.farthest(direction).point
    }

    /// The same, and how it moves.
    #[inline]
    pub(crate) fn farthest(&self, direction: DVec3) -> Farthest {
        let across = direction.truncate();
        let s = across.length();
        let seen = DVec2::new(s, direction.z);
        let arcs = &self.arcs[..self.revolution.0.n_rings.min(MOST_RINGS)];
        // Sides before ends: a round end has all the normals that the side beside it leaves.
        let (ends, sides) = match arcs {
            [first, sides @ .., last] => ([first, last], sides),
            _ => {
                return Farthest {
                    point: DVec3::ZERO,
                    meridian: 0.0,
                    around: 0.0,
                    tangent: DVec3::ZERO,
                    per_bulge: 0.0,
                };
            }
        };
        let mut found = OnMeridian { place: DVec2::ZERO, meridian: 0.0, per_bulge: 0.0 };
        let mut highest = f64::NEG_INFINITY;
        for arc in sides.iter().chain(ends) {
            if let Some(sine) = Bulging::on_arc(arc, seen) {
                found = arc.farthest(sine, self.bulge());
                break;
            }
            if arc.radius == 0.0 && arc.tip.dot(seen) > highest {
                highest = arc.tip.dot(seen);
                found.place = arc.tip;
            }
        }
        Farthest::of(found, across, s)
    }
}

impl Farthest {
    /// A place in the half-plane of a direction with a part across the axis, which is s long.
    #[inline]
    fn of(OnMeridian { place, meridian, per_bulge }: OnMeridian, across: DVec2, s: f64) -> Farthest {
        if s > 0.0 {
            let radial = across / s;
            let point = (radial * place.x).extend(place.y);
            let tangent = DVec3::new(-radial.y, radial.x, 0.0);
            Farthest { point, meridian, around: place.x / s, tangent, per_bulge }
        } else {
            let point = DVec3::new(0.0, 0.0, place.y);
            Farthest { point, meridian, around: meridian, tangent: DVec3::ZERO, per_bulge }
        }
    }
}

impl Revolution {
    /// Where it would be farthest along a local unit direction if its ends and sides bulged by a length.
    #[inline]
    pub(crate) fn farthest_bulging(&self, bulge: f64, direction: DVec3) -> Farthest {
        let across = direction.truncate();
        let s = across.length();
        Farthest::of(self.0.farthest_bulging(bulge, DVec2::new(s, direction.z)), across, s)
    }

    /// The body whose ends and sides bulge by a length, if it has any.
    pub(crate) fn bulging(&self, bulge: f64) -> Option<Bulging> {
        Some(Bulging::of(self.0.crowned(bulge)?))
    }

    /// Tells the axial components of the normals at which one piece of that surface gives way to the next.
    pub(crate) fn bulging_turns(&self, bulge: f64, tell: impl FnMut(f64)) {
        self.0.bulging_turns(bulge, tell);
    }
}

/// Unit vector along an arc at its tip, away from the axis for a dome.
#[inline]
fn tangent(arc: &Arc) -> DVec2 {
    DVec2::new(arc.normal.y, -arc.normal.x)
}
