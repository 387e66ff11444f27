//! Walls through periodic edges: a wall with bounds stands in every period, and what touches an image of it touches the wall.
//!
//! Along an axis where the images of a wall join without moving against each other they are one surface: a mesh with its
//! images, a tube that goes on. A grain meets that surface once, from the cell around the middle of the wall, so the edges
//! between images are edges like all others. Along other axes (a mesh that turns about another axis, the ends of what has
//! ends) a grain meets every image that is near it.
//!
//! The image of a wall moves as the wall does: it turns about an axis one period away. A load on it is one on the wall, at
//! the place one period back.
//!
//! A surface of revolution that is longer than the period along its own axis is met where it is, without images along that axis,
//! unless it is a straight tube, which then has no ends.

use super::wall::{Motion, Wall};
use crate::model::{Domain, Model};
use glam::DVec3;
use tumble_geometry::tolerance::SAME_RIM;
use tumble_geometry::{Aabb, Pose, Revolved, Surface};

/// How a wall is met along a periodic axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Along {
    /// The axis is not periodic, or the surface has no bounds there.
    Single,
    /// The surface goes on from period to period.
    Joined,
    /// Each image stands for itself.
    Apart,
}

/// One wall in a periodic domain.
#[derive(Clone, Debug)]
struct PeriodicWall {
    present: bool,
    along: [Along; 3],
    /// Its surface joined to its images; `None` if it is joined to none.
    joined: Option<Surface>,
}

/// All walls in a periodic domain.
#[derive(Clone, Debug, Default)]
pub struct WallImages {
    walls: Vec<PeriodicWall>,
    periods: [Option<f64>; 3],
}

impl WallImages {
    /// How the walls of a model are met.
    pub fn new(model: &Model) -> WallImages {
        let Model { domain, walls, .. } = model;
        WallImages {
            walls: walls.iter().map(|wall| PeriodicWall::new(wall, domain)).collect(),
            periods: domain.periods(),
        }
    }

    /// The surface of a wall as it is met.
    pub fn surface<'a>(&'a self, model: &'a Model, wall: usize) -> &'a Surface {
        self.walls[wall].joined.as_ref().unwrap_or(&model.walls[wall].surface)
    }

    /// The bounds of the wall itself in a pose, if they decide which of its images are met.
    pub fn bounds(&self, model: &Model, wall: usize, pose: &Pose) -> Option<Aabb> {
        let has_images = self.walls[wall].along.iter().any(|&along| along != Along::Single);
        if has_images { model.walls[wall].surface.bounds(pose) } else { None }
    }

    /// Sets `shifts` to the ways from a wall to those of its images (itself is one) that a ball can be within a distance of. A wall
    /// that is not there has none.
    pub fn near(&self, wall: usize, bounds: Option<&Aabb>, centre: DVec3, distance: f64, shifts: &mut Vec<DVec3>) {
        shifts.clear();
        if !self.walls[wall].present {
            return;
        }
        shifts.push(DVec3::ZERO);
        let Some(bounds) = bounds else { return };
        for axis in 0..3 {
            let Some(period) = self.periods[axis] else { continue };
            let (lower, upper) = (bounds.lower[axis], bounds.upper[axis]);
            let place = centre[axis];
            let (first, last) = match self.walls[wall].along[axis] {
                Along::Single => continue,
                Along::Joined => {
                    let nearest = ((place - 0.5 * (lower + upper)) / period).round();
                    (nearest, nearest)
                }
                Along::Apart => {
                    (((place - distance - upper) / period).ceil(), ((place + distance - lower) / period).floor())
                }
            };
            // Each shift so far becomes several.
            let n_before = shifts.len();
            let mut image = first;
            while image <= last {
                for k in 0..n_before {
                    let mut shift = shifts[k];
                    shift[axis] = image * period;
                    shifts.push(shift);
                }
                image += 1.0;
            }
            shifts.drain(..n_before);
        }
    }
}

impl PeriodicWall {
    fn new(wall: &Wall, domain: &Domain) -> PeriodicWall {
        let mut along = [Along::Single; 3];
        let mut joined = None;
        let is_along = |direction: DVec3, axis: usize| direction.normalize_or_zero()[axis].abs() > 1.0 - 1e-12;
        // Images that turn about axes of their own move against each other.
        let keeps_together = |axis: usize| {
            wall.motion.parts().iter().all(|part| match *part {
                Motion::Rotate { axis: turns_about, speed, .. } => speed == 0.0 || is_along(turns_about, axis),
                Motion::Turn { axis: turns_about, .. } => is_along(turns_about, axis),
                _ => true,
            })
        };
        let to_local = |axis: usize, period: f64| wall.pose.orientation.conjugate() * (DVec3::AXES[axis] * period);
        let periods = domain.periods();
        match &wall.surface {
            Surface::HalfSpace => {}
            Surface::Mesh(mesh) => {
                let mut together = Vec::new();
                for (axis, period) in periods.iter().enumerate() {
                    let Some(period) = *period else { continue };
                    along[axis] = if keeps_together(axis) { Along::Joined } else { Along::Apart };
                    if along[axis] == Along::Joined {
                        together.push(to_local(axis, period));
                    }
                }
                if !together.is_empty() {
                    match mesh.with_images(&together) {
                        Ok(mesh) => joined = Some(Surface::Mesh(mesh)),
                        // Too many triangles for one mesh: each image for itself.
                        Err(_) => along = along.map(|a| if a == Along::Joined { Along::Apart } else { a }),
                    }
                }
            }
            Surface::Revolved(revolved) => {
                let own_axis = wall.pose.orientation * DVec3::Z;
                for (axis, period) in periods.iter().enumerate() {
                    let Some(period) = *period else { continue };
                    along[axis] = Along::Apart;
                    if !is_along(own_axis, axis) || !keeps_together(axis) {
                        continue;
                    }
                    let heights = revolved.profile().iter().map(|corner| corner[1]);
                    let (low, high) = heights.fold((f64::MAX, f64::MIN), |(l, h), z| (l.min(z), h.max(z)));
                    let same = SAME_RIM * (high - low + period);
                    match *revolved.profile() {
                        [[r, _], [s, _]] if r == s && high - low >= period - same => {
                            let (middle, half) = (0.5 * (low + high), (0.5 * (high - low)).max(1.5 * period));
                            let longer = Revolved::new(vec![[r, middle - half], [r, middle + half]]);
                            if let Ok(longer) = longer {
                                along[axis] = Along::Joined;
                                joined = Some(Surface::Revolved(longer));
                            }
                        }
                        _ if high - low > period + same => along[axis] = Along::Single,
                        _ => {}
                    }
                }
            }
        }
        PeriodicWall { present: wall.present, along, joined }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_geometry::Mesh;

    fn shifts(surface: Surface, motion: Motion, centre: DVec3, distance: f64) -> Vec<DVec3> {
        let wall = Wall { name: "wall".to_string(), surface, motion, ..Wall::default() };
        let domain = Domain {
            lower: DVec3::ZERO,
            upper: DVec3::new(2.0, 3.0, 1.0),
            edges: [crate::model::Edge::Periodic, crate::model::Edge::Periodic, crate::model::Edge::Open],
        };
        let images = WallImages { walls: vec![PeriodicWall::new(&wall, &domain)], periods: domain.periods() };
        let bounds = wall.surface.bounds(&wall.pose);
        let mut shifts = Vec::new();
        images.near(0, bounds.as_ref(), centre, distance, &mut shifts);
        shifts
    }

    #[test]
    fn a_grain_meets_joined_images_once_and_others_when_they_are_near() {
        let plate = || {
            let corners = [DVec3::ZERO, DVec3::X * 2.0, DVec3::new(2.0, 3.0, 0.0), DVec3::Y * 3.0];
            Surface::Mesh(Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap())
        };
        let turn = |axis: DVec3| Motion::Rotate { point: DVec3::ZERO, axis, speed: 1.0, start: 0.0, stop: 1.0 };
        let [edge, inside] = [DVec3::new(1.95, 1.5, 0.1), DVec3::new(1.0, 1.5, 0.1)];
        assert_eq!(shifts(plate(), Motion::Fixed, edge, 0.1), [DVec3::ZERO]);
        assert_eq!(shifts(plate(), Motion::Fixed, edge + DVec3::X * 0.1, 0.1), [DVec3::X * 2.0]);
        assert_eq!(shifts(plate(), turn(DVec3::X), edge, 0.1), [DVec3::ZERO]);
        assert_eq!(shifts(plate(), turn(DVec3::Y), edge, 0.1), [DVec3::ZERO, DVec3::X * 2.0]);
        assert_eq!(shifts(plate(), turn(DVec3::Y), inside, 0.1), [DVec3::ZERO]);
        assert_eq!(shifts(Surface::HalfSpace, Motion::Fixed, edge, 0.1), [DVec3::ZERO]);
        // A post near the origin, seen from all four corners of the domain.
        let post = || Surface::Revolved(Revolved::tube(0.1, 1.0).unwrap());
        for (x, image_x) in [(0.1, 0.0), (1.9, 2.0)] {
            for (y, image_y) in [(0.1, 0.0), (2.9, 3.0)] {
                let expected = [DVec3::new(image_x, image_y, 0.0)];
                assert_eq!(shifts(post(), Motion::Fixed, DVec3::new(x, y, 0.0), 0.2), expected);
            }
        }
        assert_eq!(shifts(post(), Motion::Fixed, DVec3::new(1.0, 1.5, 0.0), 0.2), []);
    }
}
