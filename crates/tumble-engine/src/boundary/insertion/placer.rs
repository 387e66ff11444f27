//! Finds room for grains among those that are there: their shapes themselves, not the balls around them.
//!
//! Bounding balls tell which grains can touch at all; of these the exact contact is asked for. Two spheres are decided by
//! their balls. Grains that are not spheres keep a small gap, so that they do not touch either where runs let flat ends
//! and straight sides bulge.

use super::ball_grid::{Ball, BallGrid, CLEARANCE};
use super::sized_shapes::{SizedShape, SizedShapes};
use super::{ClearOfWalls, Insertion, Surroundings, ball_is_clear, random_orientation};
use crate::model::{Domain, Edge, SpeciesIndex};
use crate::random::Random;
use crate::region::Region;
use glam::{DQuat, DVec3};
use tumble_geometry::contact::NotConverged;
use tumble_geometry::narrow::{are_apart, contact_sphere_sphere, contact_within};
use tumble_geometry::{Aabb, Contact, Pose, Shape, Sphere};

/// Steps in which a grain is slid into a hole.
const MOST_SLIDES: u32 = 30;

/// How far apart a slide leaves two grains, over the radius: a little gap leaves room to be pushed back from the other
/// side.
const SLIDING_GAP: f64 = 2e-3;

/// Largest turn in one slide [rad]: beyond it the contact that is slid away from is another one.
const MOST_TURN: f64 = 0.3;

/// Square of the radius of gyration that slides reckon with, over the square of the bounding radius: that of a ball.
const GYRATION: f64 = 0.4;

/// Poses of a grain that are tried before it counts as too large for a region that its bounding ball does not fit into.
const ORIENTATIONS_TRIED: u32 = 5000;

/// A grain without a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    /// Radius of the ball around it [m].
    pub(super) radius: f64,
    /// Its shape among those of the placer; `None` for a sphere.
    shape: Option<u32>,
}

impl Body {
    pub(super) fn is_sphere(&self) -> bool {
        self.shape.is_none()
    }
}

/// A grain that is not a sphere and has its place in the grid.
#[derive(Clone, Copy, Debug)]
struct Shaped {
    shape: u32,
    orientation: DQuat,
}

/// What the grid calls all spheres: they are known by their places.
const SPHERE: u32 = u32::MAX;

/// How a grain may turn while it is slid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turning {
    /// Its orientation is given.
    None,
    /// In the planar mode.
    AboutZ,
    /// Any way.
    Free,
}

/// Finds room for grains among those already there.
pub(super) struct Placer<'a> {
    domain: &'a Domain,
    is_planar: bool,
    clear_of_walls: &'a ClearOfWalls<'a>,
    grid: BallGrid,
    shapes: SizedShapes<'a>,
    /// By their names in the grid.
    shaped: Vec<Shaped>,
}

impl<'a> Placer<'a> {
    /// A placer that knows no grain yet.
    pub(super) fn empty(surroundings: &Surroundings<'a>) -> Placer<'a> {
        Placer {
            domain: surroundings.domain,
            is_planar: surroundings.planar,
            clear_of_walls: surroundings.clear_of_walls,
            grid: BallGrid::new(surroundings.domain),
            shapes: SizedShapes::new(surroundings.species),
            shaped: Vec::new(),
        }
    }

    /// A placer that knows the grains that are there and can touch one inside the region.
    pub(super) fn near(surroundings: &Surroundings<'a>, region: &Region) -> Placer<'a> {
        let mut placer = Placer::empty(surroundings);
        let existing = surroundings.existing;
        let periods = placer.grid.periods;
        let bounds = region.bounds();
        let (middle, half) = (0.5 * (bounds.lower + bounds.upper), 0.5 * bounds.extent());
        for (index, (&position, &radius)) in existing.position.iter().zip(&existing.radius).enumerate() {
            // The whole of a new grain is inside the region, or has its centre there where the domain is periodic; then
            // it reaches out by half a period at most, which is all there is.
            let near = (0..3).all(|axis| match periods[axis] {
                Some(period) if 2.0 * half[axis] >= 0.5 * period => true,
                Some(period) => {
                    let offset = position[axis] - middle[axis];
                    (offset - period * (offset / period).round()).abs() <= half[axis] + radius
                }
                None => (position[axis] - middle[axis]).abs() <= half[axis] + radius,
            });
            if near {
                let body = placer.body(existing.species[index], radius);
                placer.take(&body, &Pose::new(position, existing.orientation[index]));
            }
        }
        placer
    }

    /// A grain of a species and a bounding radius [m].
    pub(super) fn body(&mut self, species: SpeciesIndex, radius: f64) -> Body {
        Body { radius, shape: self.shapes.place_of(species, radius) }
    }

    /// Takes a place.
    pub(super) fn take(&mut self, body: &Body, pose: &Pose) {
        let name = match body.shape {
            None => SPHERE,
            Some(shape) => {
                self.shaped.push(Shaped { shape, orientation: pose.orientation });
                self.shaped.len() as u32 - 1
            }
        };
        self.grid.add(name, pose.position, body.radius);
    }

    /// Takes a place for a whole ball.
    pub(super) fn take_ball(&mut self, position: DVec3, radius: f64) {
        self.grid.add(SPHERE, position, radius);
    }

    /// A random point of the region to try a grain at: for a sphere one at which it is inside.
    pub(super) fn sample(&self, region: &Region, body: &Body, random: &mut Random) -> DVec3 {
        let centres = if body.shape.is_none() { self.centres(region, body.radius) } else { None };
        self.flattened(centres.as_ref().unwrap_or(region).sample(random))
    }

    /// Tries a grain at a random place with the orientation of an insertion, slid into a hole near by if it may turn in some
    /// way; the pose at which it fits, with its centre in the domain.
    pub(super) fn attempt(
        &self,
        region: &Region,
        body: &Body,
        insertion: &Insertion,
        sliding: Option<Turning>,
        random: &mut Random,
    ) -> Option<Pose> {
        let place = self.sample(region, body, random);
        let is_sphere = body.shape.is_none();
        // Most attempts are in vain, and to a sphere its orientation makes no difference.
        let mut pose = Pose::from_position(place);
        if !is_sphere {
            pose.orientation = insertion.draw_orientation(self.is_planar, random);
            pose.position = self.centre_at(region, body, place, pose.orientation)?;
        }
        if let Some(turning) = sliding {
            pose = self.slid(region, body, pose, turning)?;
        }
        self.fits(region, body, &pose).then(|| {
            let orientation =
                if is_sphere { insertion.draw_orientation(self.is_planar, random) } else { pose.orientation };
            Pose::new(self.wrapped(pose.position), orientation)
        })
    }

    /// The centre of a grain that was drawn at a point. Of a box all centres are taken alike at which the grain is inside:
    /// the point lies in the box as the centre does among them. `None` if there is none.
    fn centre_at(&self, region: &Region, body: &Body, mut place: DVec3, orientation: DQuat) -> Option<DVec3> {
        let (Region::Box { lower, upper }, Some(shape)) = (region, body.shape) else { return Some(place) };
        let bounds = self.shapes.get(shape).shape.bounds(&Pose::new(DVec3::ZERO, orientation));
        for axis in 0..if self.is_planar { 2 } else { 3 } {
            let length = upper[axis] - lower[axis];
            if self.grid.periods[axis].is_some_and(|period| spans(length, period)) {
                continue;
            }
            let room = length - (bounds.upper[axis] - bounds.lower[axis]);
            if room < 0.0 {
                return None;
            }
            place[axis] = lower[axis] - bounds.lower[axis] + (place[axis] - lower[axis]) / length * room;
        }
        Some(place)
    }

    /// Whether a grain fits at a pose: inside the region and the domain, apart from all other grains, from its own images
    /// and from walls. All of it is inside the region, except that it may reach through the periodic edges of a region
    /// that is as long as the period. In the planar mode the region's depth does not count.
    fn fits(&self, region: &Region, body: &Body, pose: &Pose) -> bool {
        self.is_inside(region, body, pose) && !self.touches_any(body, pose) && self.is_clear_of_walls(body, pose)
    }

    fn is_clear_of_walls(&self, body: &Body, pose: &Pose) -> bool {
        let wrapped = Pose::new(self.grid.wrapped(pose.position), pose.orientation);
        match body.shape {
            None => ball_is_clear(self.clear_of_walls, wrapped.position, body.radius),
            Some(shape) => {
                let own = self.shapes.get(shape);
                (self.clear_of_walls)(&own.shape, &wrapped, own.gap)
            }
        }
    }

    fn is_inside(&self, region: &Region, body: &Body, pose: &Pose) -> bool {
        if !self.fits_between_images(body.radius) || !self.is_in_domain(self.grid.wrapped(pose.position)) {
            return false;
        }
        match body.shape {
            None => self.centres(region, body.radius).is_some_and(|centres| centres.contains(pose.position)),
            Some(shape) => self.region_for(region, body).contains_shape(&self.shapes.get(shape).shape, pose),
        }
    }

    /// Whether a grain touches another, or comes so near that it may.
    fn touches_any(&self, body: &Body, pose: &Pose) -> bool {
        let own = self.look(body);
        let mut any = false;
        self.grid.visit_near(pose.position, body.radius + own.gap, |ball, offset| {
            let distance_squared = offset.length_squared();
            // Nothing is asked of two spheres that their radii do not tell.
            if own.shape.is_none() && ball.name == SPHERE {
                let reach = (body.radius + ball.radius) * CLEARANCE;
                any = distance_squared < reach * reach;
                return !any;
            }
            let other = self.look_at(ball);
            let reach = reach(&own, &other);
            if distance_squared < reach * reach {
                let deep = own.inner_radius + other.inner_radius;
                any = distance_squared < deep * deep || !are_apart_beyond(&own, pose, &other, offset);
            }
            !any
        });
        any
    }

    /// Slides a grain out of its deepest contact, and again until it has none; this finds the narrow holes that chance
    /// alone hits once in thousands of attempts. It moves and turns as a body would that is pushed at the contact. `None`
    /// if it does not come free; otherwise it may still be outside the region or in a wall.
    fn slid(&self, region: &Region, body: &Body, mut pose: Pose, turning: Turning) -> Option<Pose> {
        let own = self.look(body);
        for _ in 0..MOST_SLIDES {
            pose.position += self.way_into(region, body, &pose);
            let Some(contact) = self.deepest(&own, &pose) else { return Some(pose) };
            let way = -contact.separation + SLIDING_GAP * body.radius;
            // In the grain's own frame, as the contact is.
            let lever = match turning {
                Turning::None => DVec3::ZERO,
                Turning::AboutZ => DVec3::new(0.0, 0.0, contact.point_a.cross(contact.normal).z),
                Turning::Free if body.shape.is_none() => DVec3::ZERO,
                Turning::Free => contact.point_a.cross(contact.normal),
            };
            let gyration_squared = GYRATION * body.radius * body.radius;
            let push = way / (1.0 + lever.length_squared() / gyration_squared);
            let turn = (-lever * (push / gyration_squared)).clamp_length_max(MOST_TURN);
            pose.position -= self.flattened(pose.orientation * contact.normal) * push;
            if turn != DVec3::ZERO {
                pose.orientation = (pose.orientation * DQuat::from_scaled_axis(turn)).normalize();
            }
        }
        None
    }

    /// The contact with the least separation of those that are nearer than they may be, less the gap that the two keep;
    /// in the grain's own frame.
    fn deepest(&self, own: &Look, pose: &Pose) -> Option<Contact> {
        let mut deepest: Option<Contact> = None;
        self.grid.visit_near(pose.position, own.radius + own.gap, |ball, offset| {
            let least = deepest.map_or(0.0, |contact| contact.separation);
            if own.shape.is_none() && ball.name == SPHERE {
                let reach = (own.radius + ball.radius) * CLEARANCE + least;
                if reach > 0.0 && offset.length_squared() < reach * reach {
                    deepest = Some(contact_sphere_sphere(own.radius * CLEARANCE, ball.radius * CLEARANCE, -offset));
                }
                return true;
            }
            let other = self.look_at(ball);
            let reach = reach(own, &other);
            if offset.length_squared() < reach * reach {
                let found = match contact_beyond(own, pose, &other, offset, least) {
                    Ok(found) => found,
                    Err(not_converged) => Some(not_converged.best),
                };
                if let Some(contact) = found
                    && contact.separation < least
                {
                    deepest = Some(contact);
                }
            }
            true
        });
        deepest
    }

    /// What it takes to bring a grain that sticks out of a region back in [m], as far as that is plain.
    fn way_into(&self, region: &Region, body: &Body, pose: &Pose) -> DVec3 {
        let region = self.region_for(region, body);
        let bounds = match body.shape {
            None => Aabb::of_ball(pose.position, body.radius),
            Some(shape) => self.shapes.get(shape).shape.bounds(pose),
        };
        match region {
            Region::Box { lower, upper } => {
                (lower - bounds.lower).max(DVec3::ZERO) - (bounds.upper - upper).max(DVec3::ZERO)
            }
            Region::Cylinder { .. } | Region::Ball { .. } => DVec3::ZERO,
        }
    }

    fn look(&self, body: &Body) -> Look<'_> {
        match body.shape {
            None => Look {
                radius: body.radius,
                inner_radius: body.radius,
                gap: 0.0,
                orientation: DQuat::IDENTITY,
                shape: None,
            },
            Some(shape) => self.look_of(body.radius, shape, DQuat::IDENTITY),
        }
    }

    fn look_at(&self, ball: &Ball) -> Look<'_> {
        match self.shaped.get(ball.name as usize) {
            None => Look {
                radius: ball.radius,
                inner_radius: ball.radius,
                gap: 0.0,
                orientation: DQuat::IDENTITY,
                shape: None,
            },
            Some(shaped) => self.look_of(ball.radius, shaped.shape, shaped.orientation),
        }
    }

    fn look_of(&self, radius: f64, shape: u32, orientation: DQuat) -> Look<'_> {
        let SizedShape { shape, gap, inner_radius } = self.shapes.get(shape);
        Look { radius, inner_radius: *inner_radius, gap: *gap, orientation, shape: Some(shape) }
    }

    /// A region as a grain has it: with what lies beyond its periodic edges where it is as long as the period, and in the
    /// planar mode as deep as the grain.
    fn region_for(&self, region: &Region, body: &Body) -> Region {
        let depth = match body.shape {
            None => body.radius,
            Some(shape) => self.shapes.get(shape).shape.solid_radius(),
        };
        let region = if self.is_planar { across_plane(region, depth) } else { *region };
        self.through_periodic_edges(&region, body.radius)
    }

    /// A place as it is, or in the planar mode its foot in the plane.
    pub(super) fn flattened(&self, place: DVec3) -> DVec3 {
        if self.is_planar { DVec3::new(place.x, place.y, 0.0) } else { place }
    }

    /// The image of a place that lies in the domain.
    pub(super) fn wrapped(&self, place: DVec3) -> DVec3 {
        self.grid.wrapped(place)
    }

    /// Where in the region the centre of a ball may be; `None` if the ball is too large. All of the ball is inside,
    /// except that it may reach through the periodic edges of a region that is as long as the period. In the planar mode
    /// the region's depth does not count.
    fn centres(&self, region: &Region, radius: f64) -> Option<Region> {
        let region = if self.is_planar { across_plane(region, radius) } else { *region };
        self.through_periodic_edges(&region, radius).inset(radius)
    }

    /// A region with what lies within a distance beyond its periodic edges, where it is as long as the period.
    fn through_periodic_edges(&self, region: &Region, distance: f64) -> Region {
        let Region::Box { mut lower, mut upper } = *region else { return *region };
        for axis in 0..3 {
            if let Some(period) = self.grid.periods[axis]
                && spans(upper[axis] - lower[axis], period)
            {
                (lower[axis], upper[axis]) = (lower[axis] - distance, lower[axis] + period + distance);
            }
        }
        Region::Box { lower, upper }
    }

    /// Where in the region a ball may have its centre, or why there is no such place.
    pub(super) fn check_ball(&self, region: &Region, radius: f64) -> Result<Region, String> {
        self.centres(region, radius).ok_or_else(|| too_large(radius))
    }

    /// Refuses a grain that is too large for the region, whatever way it is turned.
    pub(super) fn check_fit(&self, region: &Region, body: &Body, orientation: Option<DQuat>) -> Result<(), String> {
        if self.centres(region, body.radius).is_some() {
            return Ok(());
        }
        let mut random = Random::from_seed(0);
        let fits = body.shape.is_some()
            && (0..ORIENTATIONS_TRIED).any(|_| {
                let orientation = orientation.unwrap_or_else(|| random_orientation(self.is_planar, &mut random));
                let place = self.sample(region, body, &mut random);
                let centre = self.centre_at(region, body, place, orientation);
                centre.is_some_and(|centre| self.is_inside(region, body, &Pose::new(centre, orientation)))
            });
        if fits { Ok(()) } else { Err(too_large(body.radius)) }
    }

    /// Whether a whole ball fits at a place: inside the domain, apart from the balls around all other grains, from its own
    /// images and from walls.
    pub(super) fn has_room(&self, position: DVec3, radius: f64) -> bool {
        self.is_in_domain(position)
            && self.fits_between_images(radius)
            && !self.grid.any_overlap(position, radius)
            && ball_is_clear(self.clear_of_walls, position, radius)
    }

    fn fits_between_images(&self, radius: f64) -> bool {
        self.grid.periods.iter().flatten().all(|period| 2.0 * radius * CLEARANCE <= *period)
    }

    /// Whether a grain with this centre stays in the run: not outside an edge where grains are removed.
    pub(super) fn is_in_domain(&self, position: DVec3) -> bool {
        let Domain { lower, upper, edges } = self.domain;
        (0..3).all(|axis| edges[axis] != Edge::Remove || (lower[axis]..=upper[axis]).contains(&position[axis]))
    }
}

/// A grain as another meets it.
#[derive(Clone, Copy, Debug)]
struct Look<'s> {
    radius: f64,
    inner_radius: f64,
    gap: f64,
    orientation: DQuat,
    /// `None` for a sphere.
    shape: Option<&'s Shape>,
}

/// Centres that are farther apart than this belong to grains that do not touch [m].
fn reach(own: &Look, other: &Look) -> f64 {
    (own.radius + other.radius) * CLEARANCE + own.gap + other.gap
}

/// Whether a grain at a pose keeps the gap to another that is `-offset` away.
fn are_apart_beyond(own: &Look, pose: &Pose, other: &Look, offset: DVec3) -> bool {
    with_shapes(own, pose, other, offset, |a, b, pose_ab| are_apart(a, b, pose_ab, own.gap + other.gap))
}

/// The contact of a grain at a pose with another that is `-offset` away, if its separation less the gap that the two keep is
/// below a limit. The separation told is without the gap, too; all is in the frame of the first.
fn contact_beyond(
    own: &Look,
    pose: &Pose,
    other: &Look,
    offset: DVec3,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    let gap = own.gap + other.gap;
    let found =
        with_shapes(own, pose, other, offset, |a, b, pose_ab| contact_within(a, b, pose_ab, None, gap + limit))?;
    Ok(found.map(|contact| Contact { separation: contact.separation - gap, ..contact }))
}

/// Asks something about the shapes of a grain at a pose and another that is `-offset` away, seen from the first.
fn with_shapes<T>(
    own: &Look,
    pose: &Pose,
    other: &Look,
    offset: DVec3,
    ask: impl FnOnce(&Shape, &Shape, &Pose) -> T,
) -> T {
    let [ball, other_ball] = [own, other].map(|look| Shape::Sphere(Sphere { radius: look.radius * CLEARANCE }));
    let pose_ab = Pose::new(DVec3::ZERO, pose.orientation).relative(&Pose::new(-offset, other.orientation));
    ask(own.shape.unwrap_or(&ball), other.shape.unwrap_or(&other_ball), &pose_ab)
}

/// The region with as much depth on either side of the plane z = 0 as a ball of this radius takes.
fn across_plane(region: &Region, radius: f64) -> Region {
    let at = |point: DVec3, z: f64| DVec3::new(point.x, point.y, z);
    match *region {
        Region::Box { lower, upper } => Region::Box { lower: at(lower, -radius), upper: at(upper, radius) },
        // More than the ball takes, for one that just fits between the ends of a cylinder counts as too large.
        Region::Cylinder { from, to, radius: around } => {
            Region::Cylinder { from: at(from, -2.0 * radius), to: at(to, 2.0 * radius), radius: around }
        }
        Region::Ball { .. } => *region,
    }
}

fn too_large(radius: f64) -> String {
    format!(
        "a grain of radius {radius:.4e} m does not fit into the region; make the region larger or the grain smaller"
    )
}

/// Whether a box is as long as the period, up to rounding.
fn spans(length: f64, period: f64) -> bool {
    length >= period * (1.0 - 1e-12)
}
