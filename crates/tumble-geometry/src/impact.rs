//! The first place on their ways at which two bodies meet, by conservative advancement: where bodies are apart by some distance, they
//! do not meet before the fastest of their points could have come that far, so one may go on by as much, and look again.
//!
//! Ways are given by a parameter from zero to an end; what it is, is the caller's affair. Bodies meet where they are at or
//! inside contact *and* approach. Those that part are left alone, however deep inside, until they approach again: a pair that
//! has just met is not found a second time, and one that is inside and goes deeper is found at once.
//!
//! The distance along a normal that stays as it is, is a lower bound of the distance of convex bodies, and it falls no
//! faster than their points move along that normal. So bodies that move without turning are found in a few looks, and
//! those that cannot meet along a normal in one. Against surfaces that are not flat only the size of the movement counts.

#[cfg(test)]
mod tests;

use crate::contact::NotConverged;
use crate::narrow::contact_from;
use crate::{Contact, Pose, Shape, Surface, SurfaceContact, contact_surface};
use glam::{DQuat, DVec3};

/// How a body moves as a parameter grows.
pub trait Way {
    /// Where it is, and how it is turned.
    fn pose(&self, parameter: f64) -> Pose;

    /// How fast the point of the body that is at `point` is carried along, for each unit of the parameter.
    fn carries(&self, parameter: f64, point: DVec3) -> DVec3;

    /// A bound on how fast any point of the body no farther than `radius` from its origin is carried along a direction of unit
    /// length, anywhere between two parameters. It is negative if all are carried the other way.
    fn fastest(&self, direction: DVec3, from: f64, to: f64, radius: f64) -> f64;

    /// A bound on how fast any such point is carried at all.
    fn fastest_at_all(&self, from: f64, to: f64, radius: f64) -> f64;
}

/// The way of a body that is shifted along a parabola and turned steadily about its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    /// Where it begins.
    pub start: Pose,
    /// Shift of the origin for each unit of the parameter, at the beginning.
    pub shift: DVec3,
    /// By how much that changes for each unit of the parameter.
    pub bend: DVec3,
    /// Rotation vector for each unit of the parameter, in the outer frame.
    pub turn: DVec3,
}

impl Steady {
    /// A body that stays where it is.
    pub fn still(start: Pose) -> Steady {
        Steady { start, shift: DVec3::ZERO, bend: DVec3::ZERO, turn: DVec3::ZERO }
    }
}

impl Way for Steady {
    fn pose(&self, parameter: f64) -> Pose {
        Pose {
            position: self.start.position + (self.shift + self.bend * (0.5 * parameter)) * parameter,
            orientation: (DQuat::from_scaled_axis(self.turn * parameter) * self.start.orientation).normalize(),
        }
    }

    fn carries(&self, parameter: f64, point: DVec3) -> DVec3 {
        self.shift + self.bend * parameter + self.turn.cross(point - self.pose(parameter).position)
    }

    fn fastest(&self, direction: DVec3, from: f64, to: f64, radius: f64) -> f64 {
        // A parabola is fastest at an end; a point turns fastest where it is farthest from the axis.
        let bend = self.bend.dot(direction);
        self.shift.dot(direction) + (bend * from).max(bend * to) + self.turn.cross(direction).length() * radius
    }

    fn fastest_at_all(&self, from: f64, to: f64, radius: f64) -> f64 {
        let shift = |parameter: f64| (self.shift + self.bend * parameter).length();
        shift(from).max(shift(to)) + self.turn.length() * radius
    }
}

/// What is found on two ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Impact {
    /// The bodies meet.
    At {
        /// Where on their ways.
        parameter: f64,
        /// How they touch there, in the outer frame.
        contact: Contact,
    },
    /// They do not meet before this parameter. It is the end, unless the bodies are so close to each other for so long that the
    /// search took too many looks; then it has to be asked again from there.
    NotBefore(f64),
}

/// Looks after which a search is given up for the moment.
const MOST_LOOKS: usize = 2000;

/// Where shapes a and b meet first, from zero to `end`. Bodies closer than `within`, above zero, are at contact; what is
/// below a few 1e-9 of their size cannot be told for all shapes. Ways that bend alike are best given in a frame that bends with
/// them, where they are straight.
pub fn impact(
    a: &Shape,
    way_a: &impl Way,
    b: &Shape,
    way_b: &impl Way,
    end: f64,
    within: f64,
) -> Result<Impact, NotConverged> {
    let (radius_a, radius_b) = (a.bounding_radius(), b.bounding_radius());
    let (lever_a, lever_b) = (lever_of(a), lever_of(b));
    let mut guess: Option<DVec3> = None;
    advance(end, within, |parameter, look| {
        let (pose_a, pose_b) = (way_a.pose(parameter), way_b.pose(parameter));
        let fastest = |normal: DVec3| {
            way_a.fastest(normal, parameter, end, lever_a) + way_b.fastest(-normal, parameter, end, lever_b)
        };
        // Balls around both say enough while these are apart.
        let between = pose_b.position - pose_a.position;
        let distance = between.length();
        let apart = distance - radius_a - radius_b;
        if apart > within.max(0.05 * (radius_a + radius_b)) {
            look.goes_on(apart, fastest(between / distance));
            return Ok(());
        }
        let local = guess.map(|normal| pose_a.inverse_transform_vector(normal));
        let found = contact_from(a, b, &pose_a.relative(&pose_b), local)?;
        let contact = Contact {
            normal: pose_a.transform_vector(found.normal),
            separation: found.separation,
            point_a: pose_a.transform_point(found.point_a),
            point_b: pose_a.transform_point(found.point_b),
        };
        guess = Some(contact.normal);
        let parting = way_b.carries(parameter, contact.point_b) - way_a.carries(parameter, contact.point_a);
        look.touches(contact, parting.dot(contact.normal), fastest(contact.normal));
        Ok(())
    })
}

/// The same for a shape and a surface. Of several places at which they meet at once the deepest is told.
pub fn impact_surface(
    shape: &Shape,
    way: &impl Way,
    surface: &Surface,
    way_of_surface: &impl Way,
    end: f64,
    within: f64,
) -> Impact {
    let radius = shape.bounding_radius();
    let mut found: Vec<SurfaceContact> = Vec::new();
    let searched = advance(end, within, |parameter, look| {
        let (pose, pose_of_surface) = (way.pose(parameter), way_of_surface.pose(parameter));
        // Whatever of the surface the shape can meet is about as far from its origin as the shape itself.
        let lever = (pose.position - pose_of_surface.position).length() + 2.0 * radius;
        let of_surface = way_of_surface.fastest_at_all(parameter, end, lever + radius);
        let at_all = way.fastest_at_all(parameter, end, lever_of(shape)) + of_surface;
        // Of a half-space that does not turn only what is along its normal counts.
        let is_flat =
            *surface == Surface::HalfSpace && of_surface == way_of_surface.fastest_at_all(parameter, end, 0.0);
        found.clear();
        // Beyond this nothing is looked for.
        let margin = radius.max(within);
        contact_surface(shape, surface, &pose_of_surface.relative(&pose), margin, &mut found);
        if found.is_empty() || !is_flat {
            look.goes_on(margin, at_all);
        }
        for local in found.iter().filter(|contact| !contact.is_pass()) {
            let met = local.transformed(&pose_of_surface);
            let contact = Contact {
                normal: met.normal,
                separation: met.separation,
                point_a: met.point_on_grain(),
                point_b: met.point,
            };
            let parting = way_of_surface.carries(parameter, contact.point_b) - way.carries(parameter, contact.point_a);
            let fastest = if is_flat {
                way.fastest(contact.normal, parameter, end, lever_of(shape))
                    + way_of_surface.fastest(-contact.normal, parameter, end, 0.0)
            } else {
                at_all
            };
            look.touches(contact, parting.dot(contact.normal), fastest);
        }
        Ok(())
    });
    // Surfaces are met by formulas: nothing that could fail to converge is asked.
    searched.unwrap_or(Impact::NotBefore(0.0))
}

/// How far what a shape shows can be from where it turns about: a ball that turns shows the same.
fn lever_of(shape: &Shape) -> f64 {
    if matches!(shape, Shape::Sphere(_)) { 0.0 } else { shape.bounding_radius() }
}

/// What one look says.
struct Look {
    within: f64,
    /// How far one may go on.
    step: f64,
    meets: Option<Contact>,
}

impl Look {
    /// Nothing meets before a distance is covered at a speed.
    fn goes_on(&mut self, distance: f64, fastest: f64) {
        if fastest > 0.0 {
            self.step = self.step.min(distance / fastest);
        }
    }

    /// Bodies are near or touch; `parting` is how fast their distance grows.
    fn touches(&mut self, contact: Contact, parting: f64, fastest: f64) {
        if contact.separation <= self.within && parting < 0.0 {
            if self.meets.is_none_or(|other| contact.separation < other.separation) {
                self.meets = Some(contact);
            }
        } else {
            // Inside contact they part, and cannot have come back by more than what counts as contact after this.
            self.goes_on(contact.separation.max(self.within), fastest);
        }
    }
}

/// Goes on from look to look.
fn advance(
    end: f64,
    within: f64,
    mut at: impl FnMut(f64, &mut Look) -> Result<(), NotConverged>,
) -> Result<Impact, NotConverged> {
    let mut parameter = 0.0;
    for _ in 0..MOST_LOOKS {
        let mut look = Look { within, step: f64::INFINITY, meets: None };
        at(parameter, &mut look)?;
        if let Some(contact) = look.meets {
            return Ok(Impact::At { parameter, contact });
        }
        parameter += look.step;
        if parameter >= end {
            return Ok(Impact::NotBefore(end));
        }
    }
    Ok(Impact::NotBefore(parameter))
}
