//! The first place on their ways at which two bodies meet, by conservative advancement: where bodies are apart by some distance, they
//! do not meet before the fastest of their points could have come that far, so one may go on by as much, and look again.
//!
//! Ways are given by a parameter from zero to an end; what it is, is the caller's affair. Bodies meet where they are at or
//! inside contact *and* approach. Those that part are left alone, however deep inside, until they approach again: a pair that
//! has just met is not found a second time, and one that is inside and goes deeper is found at once.
//!
//! The distance along any direction is a lower bound of the distance of convex bodies, and costs two support points. It is the
//! least of the heights of all points of one body over all points of the other, each of which bends by no more than a bound A on
//! the acceleration. So if it is g and h at two places, it is nowhere between them less than the chord of g and h, lowered by A/2
//! times the product of the ways to both. With that one goes on by about the root of the distance, not by the distance: bodies that
//! have just met are soon away from each other. The direction is the normal, and turns as the normal does: not at all, with one of the
//! bodies, whose face it belongs to, or as it turned since the last look; so bodies that meet are found in a few looks. Where bodies
//! or surfaces are not convex only the size of the movement counts.

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

    /// A bound on how fast the velocity of any such point changes.
    fn acceleration(&self, radius: f64) -> f64;

    /// How the body turns: rotation vector for each unit of the parameter, in the outer frame.
    fn spin(&self, parameter: f64) -> DVec3;
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

    fn acceleration(&self, radius: f64) -> f64 {
        self.bend.length() + self.turn.length_squared() * radius
    }

    fn spin(&self, _: f64) -> DVec3 {
        self.turn
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
    let are_convex = !matches!(a, Shape::Clump(_)) && !matches!(b, Shape::Clump(_));
    let bend = way_a.acceleration(lever_a) + way_b.acceleration(lever_b);
    // Where it was last looked, and the normal there.
    let mut last: Option<(f64, DVec3)> = None;
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
        let local = last.map(|(_, normal)| pose_a.inverse_transform_vector(normal));
        let found = contact_from(a, b, &pose_a.relative(&pose_b), local)?;
        let contact = Contact {
            normal: pose_a.transform_vector(found.normal),
            separation: found.separation,
            point_a: pose_a.transform_point(found.point_a),
            point_b: pose_a.transform_point(found.point_b),
        };
        let parting = way_b.carries(parameter, contact.point_b) - way_a.carries(parameter, contact.point_a);
        let parting = parting.dot(contact.normal);
        if !are_convex {
            let at_all = way_a.fastest_at_all(parameter, end, lever_a) + way_b.fastest_at_all(parameter, end, lever_b);
            look.touches(contact, parting, at_all);
            return Ok(());
        }
        let before = last.replace((parameter, contact.normal));
        if look.meets(contact, parting) {
            return Ok(());
        }
        let chords = Chords::new(contact.separation, within);
        let slowest = fastest(contact.normal);
        let sure = parameter + chords.sure(slowest);
        if sure >= end {
            look.went(end - parameter);
            return Ok(());
        }
        // Of the ways the normal may turn the one that leaves the bodies farthest apart.
        let since = before.map_or(DVec3::ZERO, |(place, normal)| normal.cross(contact.normal) / (parameter - place));
        let height_at = |turn: DVec3, place: f64| {
            let direction = DQuat::from_scaled_axis(turn * (place - parameter)) * contact.normal;
            height([a, b], [&way_a.pose(place), &way_b.pose(place)], direction)
        };
        let turns = [DVec3::ZERO, way_a.spin(parameter), way_b.spin(parameter), since];
        let (mut turn, mut farthest) = (DVec3::ZERO, f64::NEG_INFINITY);
        for one in turns {
            let found = height_at(one, sure);
            if found > farthest {
                (turn, farthest) = (one, found);
            }
        }
        let rate = turn.length();
        let horizon = (end - parameter).min(MOST_TURN / rate);
        let speed = way_a.fastest_at_all(parameter, end, lever_a) + way_b.fastest_at_all(parameter, end, lever_b);
        let reach = distance + speed * horizon + radius_a + radius_b;
        let bounds = Bounds {
            fastest: slowest + rate * (speed * horizon + reach),
            bend: bend + rate * (2.0 * speed + rate * reach),
        };
        let went = chords.follow(&bounds, [sure, parameter + horizon], farthest, |place| height_at(turn, place));
        look.went(went - parameter);
        Ok(())
    })
}

/// How far shape b is from shape a along a direction: the least of the heights of its points over those of a.
fn height([a, b]: [&Shape; 2], [pose_a, pose_b]: [&Pose; 2], direction: DVec3) -> f64 {
    let (local_a, local_b) = (pose_a.inverse_transform_vector(direction), pose_b.inverse_transform_vector(direction));
    (pose_b.position - pose_a.position).dot(direction) + b.support(-local_b).dot(local_b)
        - a.support(local_a).dot(local_a)
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
        // Of a half-space that does not turn only what is along its normal counts, and one contact tells of all.
        let is_flat = *surface == Surface::HalfSpace
            && of_surface == way_of_surface.fastest_at_all(parameter, end, 0.0)
            && !matches!(shape, Shape::Clump(_));
        found.clear();
        // Beyond this nothing is looked for.
        let margin = radius.max(within);
        contact_surface(shape, surface, &pose_of_surface.relative(&pose), margin, &mut found);
        if found.is_empty() || !is_flat {
            look.goes_on(margin, at_all);
        }
        let deepest = found.iter().map(|contact| contact.separation).fold(f64::INFINITY, f64::min);
        for local in found.iter().filter(|contact| !contact.is_pass()) {
            let met = local.transformed(&pose_of_surface);
            let contact = Contact {
                normal: met.normal,
                separation: met.separation,
                point_a: met.point_on_grain(),
                point_b: met.point,
            };
            let parting = way_of_surface.carries(parameter, contact.point_b) - way.carries(parameter, contact.point_a);
            let parting = parting.dot(contact.normal);
            if !is_flat {
                look.touches(contact, parting, at_all);
            } else if !look.meets(contact, parting) {
                let normal = contact.normal;
                let fastest = way.fastest(normal, parameter, end, lever_of(shape))
                    + way_of_surface.fastest(-normal, parameter, end, 0.0);
                let bend = way.acceleration(lever_of(shape)) + way_of_surface.acceleration(0.0);
                let chords = Chords::new(deepest, within);
                let went = chords.follow(&Bounds { fastest, bend }, [parameter, end], deepest, |place| {
                    let (pose, plane) = (way.pose(place), way_of_surface.pose(place));
                    let local = pose.inverse_transform_vector(normal);
                    (plane.position - pose.position).dot(normal) - shape.support(local).dot(local)
                });
                look.went(went - parameter);
            }
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

    /// Nothing meets on a way that has been followed.
    fn went(&mut self, way: f64) {
        self.step = self.step.min(way);
    }

    /// Whether bodies that are near or touch meet; `parting` is how fast their distance grows.
    fn meets(&mut self, contact: Contact, parting: f64) -> bool {
        let meets = contact.separation <= self.within && parting < 0.0;
        if meets && self.meets.is_none_or(|other| contact.separation < other.separation) {
            self.meets = Some(contact);
        }
        meets
    }

    /// The same, and where they do not, how far one may go on.
    fn touches(&mut self, contact: Contact, parting: f64, fastest: f64) {
        if !self.meets(contact, parting) {
            // Inside contact they part, and cannot have come back by more than what counts as contact after this.
            self.goes_on(contact.separation.max(self.within), fastest);
        }
    }
}

/// Bounds on how fast the height of one convex body over another falls along a direction, and on how fast that changes.
struct Bounds {
    fastest: f64,
    bend: f64,
}

impl Bounds {
    /// A bound below which heights are not, between two of them that are a step apart.
    fn lowest(&self, first: f64, second: f64, step: f64) -> f64 {
        let sag = 0.5 * self.bend * step * step;
        // first (1 - x) + second x - sag x (1 - x) is least here.
        let x =
            if sag > 0.0 { (0.5 + 0.5 * (first - second) / sag).clamp(0.0, 1.0) } else { f64::from(second < first) };
        first + (second - first) * x - sag * x * (1.0 - x)
    }
}

/// What heights are allowed, from a distance on at which bodies do not meet.
struct Chords {
    /// Nowhere on the way below this.
    floor: f64,
    above: f64,
    /// Where there is no use in going on along the same direction, and where to go if it leads below the floor.
    stop: f64,
    aim: f64,
}

/// Heights after which the direction is looked for anew, relative to the distance for which it was the normal.
const STALE: f64 = 0.05;
/// How much deeper bodies at contact that part may come before they are looked at again, relative to what counts as contact.
const DEEPER: f64 = 0.02;
/// Heights in a row that are looked at before the direction is looked for anew.
const MOST_HEIGHTS: usize = 60;
/// How far a direction is turned before it is looked for anew [rad].
const MOST_TURN: f64 = 0.5;

impl Chords {
    fn new(distance: f64, within: f64) -> Chords {
        let floor = if distance > DEEPER * within { 0.0 } else { distance - DEEPER * within };
        let (stop, aim) = if distance <= within {
            let half = floor.midpoint(distance);
            (half, half)
        } else {
            ((STALE * distance).max(0.5 * within), 0.4 * within)
        };
        Chords { floor, above: distance - floor, stop, aim }
    }

    /// How far one may go on at a speed.
    fn sure(&self, fastest: f64) -> f64 {
        if fastest > 0.0 { self.above / fastest } else { f64::INFINITY }
    }

    /// How far bodies whose height is known at the first of two places can go on to the second without meeting, as far as heights along
    /// the way tell.
    fn follow(&self, bounds: &Bounds, [from, end]: [f64; 2], first: f64, mut height: impl FnMut(f64) -> f64) -> f64 {
        let (mut place, mut above) = (from, first - self.floor);
        let mut trial = (2.0 * above / bounds.bend).sqrt();
        // Less and less of the first height counts while chords lead below the floor, so that they soon do not.
        let mut weight = 1.0;
        for _ in 0..MOST_HEIGHTS {
            let left = end - place;
            if left <= 0.0 || bounds.fastest <= 0.0 {
                return end;
            }
            if above + self.floor <= self.stop && place > from {
                break;
            }
            let sure = above / bounds.fastest;
            let step = trial.max(sure).min(left);
            let next = height(place + step) - self.floor;
            if step > sure && bounds.lowest(above, next, step) <= 0.0 {
                if next <= 0.0 {
                    let fall = weight * (above - (self.aim - self.floor).min(0.5 * above));
                    trial = step * fall / (fall - next);
                    weight *= 0.5;
                } else {
                    trial = 0.5 * step;
                }
                continue;
            }
            place += step;
            above = next;
            (trial, weight) = (2.0 * step, 1.0);
        }
        place
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
