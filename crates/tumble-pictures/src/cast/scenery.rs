//! From a trajectory to what is to be seen.

use super::bodies::{Bodies, Grain};
use super::section::Section;
use super::walls::{self, Wall, Walls};
use super::{Stage, camera};
use crate::colour::Linear;
use glam::{DQuat, DVec3};
use std::sync::Arc;
use tumble_geometry::{Aabb, GeometryError, Pose, Shape, Surface};
use tumble_io::trajectory::{ContactPartner, DomainMetadata, TrajectoryFrame, TrajectoryMetadata};

/// Shares of the grains that may lie outside the middle from which strays are judged.
const STRAYS: f64 = 0.01;
/// Strays farther from the middle than this many of its widths are left out of the frame.
const STRAY_REACH: f64 = 0.6;
/// Radius of the strongest link of a force chain, in diameters of a grain.
const CHAIN_RADIUS: f64 = 0.22;

/// A trajectory's description does not make sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneryError {
    /// A shape is impossible.
    #[error("the trajectory's kind of grain `{name}` has an impossible shape: {source}")]
    Shape {
        /// The kind.
        name: String,
        /// What is wrong.
        source: GeometryError,
    },
    /// A wall is impossible.
    #[error("the trajectory's wall `{name}` is impossible: {source}")]
    Wall {
        /// The wall.
        name: String,
        /// What is wrong.
        source: GeometryError,
    },
}

/// Which walls are drawn.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum WallChoice {
    /// All.
    #[default]
    All,
    /// None.
    None,
    /// Those with these names; `box` means all faces of a box, `box.left` one.
    Named(Vec<String>),
}

impl WallChoice {
    /// Whether a wall is drawn.
    pub fn has(&self, name: &str) -> bool {
        let begins = |wanted: &String| {
            name.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        match self {
            WallChoice::All => true,
            WallChoice::None => false,
            WallChoice::Named(names) => names.iter().any(begins),
        }
    }
}

/// What a trajectory's description says, as geometry.
#[derive(Clone, Debug)]
pub struct Scenery {
    shapes: Vec<Shape>,
    walls: Vec<(String, Arc<Surface>, [f64; 2])>,
    /// Ends of the simulated space [m], infinite where it has none, if it is periodic.
    cell: Option<Aabb>,
    /// Along each axis, after which length the space begins anew [m]; zero where it does not.
    periods: DVec3,
}

fn periods(domain: &DomainMetadata) -> DVec3 {
    let period = |axis: usize| match (domain.periodic[axis], domain.lower[axis], domain.upper[axis]) {
        (true, Some(lower), Some(upper)) if upper > lower && (upper - lower).is_finite() => upper - lower,
        _ => 0.0,
    };
    DVec3::from_array([0, 1, 2].map(period))
}

/// The ends of a space of which an axis is periodic.
fn cell(domain: &DomainMetadata) -> Option<Aabb> {
    let end = |ends: [Option<f64>; 3], open: f64| {
        DVec3::from_array(ends.map(|end| end.filter(|end| end.is_finite()).unwrap_or(open)))
    };
    let (lower, upper) = (end(domain.lower, f64::NEG_INFINITY), end(domain.upper, f64::INFINITY));
    (domain.periodic.contains(&true) && lower.cmplt(upper).all()).then_some(Aabb { lower, upper })
}

impl Scenery {
    /// Reads a description; its numbers are checked, for a file may come from anywhere.
    pub fn of(metadata: &TrajectoryMetadata) -> Result<Scenery, SceneryError> {
        let shape = |species: &tumble_io::trajectory::SpeciesMetadata| {
            species.shape.to_shape().map_err(|source| SceneryError::Shape { name: species.name.clone(), source })
        };
        let wall = |wall: &tumble_io::trajectory::WallMetadata| {
            let surface = wall.surface.to_surface();
            let surface = surface.map_err(|source| SceneryError::Wall { name: wall.name.clone(), source })?;
            let half_widths = wall.half_widths.unwrap_or_default().map(|width| {
                // A file may hold anything.
                width.filter(|width| width.is_finite() && *width > 0.0).unwrap_or(f64::INFINITY)
            });
            Ok((wall.name.clone(), Arc::new(surface), half_widths))
        };
        Ok(Scenery {
            shapes: metadata.species.iter().map(shape).collect::<Result<_, _>>()?,
            walls: metadata.walls.iter().map(wall).collect::<Result<_, _>>()?,
            cell: cell(&metadata.domain),
            periods: periods(&metadata.domain),
        })
    }

    /// The kinds' shapes.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// Names of the walls.
    pub fn wall_names(&self) -> impl Iterator<Item = &str> {
        self.walls.iter().map(|(name, ..)| name.as_str())
    }

    /// Whether all grains are planar: such a scene is looked at along z.
    pub fn is_planar(&self) -> bool {
        !self.shapes.is_empty() && self.shapes.iter().all(|shape| shape.kind().is_planar())
    }

    fn radius(&self, frame: &TrajectoryFrame, grain: usize) -> f64 {
        let shape = frame.species.get(grain).and_then(|&species| self.shapes.get(usize::from(species)));
        shape.map_or(0.0, Shape::bounding_radius) * frame.scale.get(grain).copied().map_or(0.0, f64::from)
    }

    /// Centres and radii of a frame's grains, strays left out: a few grains that flew away do not shrink the picture of
    /// the rest.
    pub fn subjects(&self, frame: &TrajectoryFrame) -> Vec<camera::Subject> {
        let mut radii = vec![0.0; self.shapes.len()];
        for (radius, shape) in radii.iter_mut().zip(&self.shapes) {
            *radius = shape.bounding_radius();
        }
        let grains = frame.position.iter().zip(frame.species.iter().zip(&frame.scale));
        let subject = |(place, (&species, &scale)): (&glam::Vec3, (&u16, &f32))| {
            let radius = radii.get(usize::from(species)).copied().unwrap_or(0.0) * f64::from(scale);
            (frame.origin + place.as_dvec3(), radius)
        };
        let mut subjects: Vec<camera::Subject> =
            grains.map(subject).filter(|(p, r)| p.is_finite() && r.is_finite()).collect();
        if subjects.is_empty() {
            return subjects;
        }
        let (mut lower, mut upper) = (DVec3::ZERO, DVec3::ZERO);
        for axis in 0..3 {
            let mut places: Vec<f64> = subjects.iter().map(|(p, _)| p[axis]).collect();
            places.sort_unstable_by(f64::total_cmp);
            let out = ((places.len() - 1) as f64 * STRAYS) as usize;
            (lower[axis], upper[axis]) = (places[out], places[places.len() - 1 - out]);
        }
        let reach =
            STRAY_REACH * (upper - lower).max_element() + 2.0 * subjects.iter().map(|s| s.1).fold(0.0, f64::max);
        subjects.retain(|(p, _)| p.cmpge(lower - reach).all() && p.cmple(upper + reach).all());
        subjects
    }

    /// The walls of a frame that are there.
    pub fn walls(&self, frame: &TrajectoryFrame, choice: &WallChoice) -> Vec<Wall> {
        let placed = self.walls.iter().zip(&frame.wall_poses);
        let wanted = placed.filter(|((name, ..), _)| choice.has(name));
        wanted
            .filter_map(|((name, surface, half_widths), pose)| {
                let wall =
                    |pose| Wall { name: name.clone(), surface: Arc::clone(surface), pose, half_widths: *half_widths };
                pose.map(wall)
            })
            .collect()
    }

    /// The box of a frame's grains (strays left out) and of its walls that have bounds.
    pub fn contents(&self, frame: &TrajectoryFrame, walls: &[Wall]) -> Aabb {
        let grains = self.subjects(frame).iter().fold(Aabb::EMPTY, |all, (p, r)| all.join(&Aabb::of_ball(*p, *r)));
        walls
            .iter()
            .filter_map(Wall::bounds)
            .chain(self.cell_within(None))
            .fold(grains, |all, bounds| all.join(&bounds))
    }

    /// The periodic cell, ended by a room where it has no end of its own; without a room, only a cell that needs none.
    fn cell_within(&self, room: Option<&Aabb>) -> Option<Aabb> {
        let cell = self.cell?;
        let room = room.copied().unwrap_or(cell);
        let end = |own: DVec3, room: DVec3| {
            DVec3::from_array([0, 1, 2].map(|axis| if own[axis].is_finite() { own[axis] } else { room[axis] }))
        };
        let cell = Aabb { lower: end(cell.lower, room.lower), upper: end(cell.upper, room.upper) };
        (cell.lower.is_finite() && cell.upper.is_finite()).then_some(cell)
    }

    /// The edges of the periodic cell in a room [m]; of a planar scene, those around its plane.
    pub fn cell_edges(&self, room: &Aabb) -> Vec<[DVec3; 2]> {
        let Some(Aabb { lower, upper }) = self.cell_within(Some(room)) else { return Vec::new() };
        let middle = 0.5 * (lower.z + upper.z);
        let heights = if self.is_planar() { vec![middle] } else { vec![lower.z, upper.z] };
        let round = [(lower.x, lower.y), (upper.x, lower.y), (upper.x, upper.y), (lower.x, upper.y)];
        let ring = |z: f64| (0..4).map(move |k| [round[k], round[(k + 1) % 4]].map(|(x, y)| DVec3::new(x, y, z)));
        let mut edges: Vec<[DVec3; 2]> = heights.iter().flat_map(|&z| ring(z)).collect();
        if !self.is_planar() {
            edges.extend(round.map(|(x, y)| [lower.z, upper.z].map(|z| DVec3::new(x, y, z))));
        }
        edges
    }

    /// What is to be seen of a frame: grains in the given colours, and walls in a room (see [`walls::room`]).
    pub fn stage(
        &self,
        frame: &TrajectoryFrame,
        colours: Vec<Linear>,
        walls: Vec<Wall>,
        contents: &Aabb,
        section: Option<Section>,
    ) -> Stage {
        let grains: Vec<Grain> = (0..frame.id.len()).map_while(|grain| self.grain(frame, grain)).collect();
        let room = walls::room(contents, &walls);
        Stage {
            bodies: Bodies::new(&self.shapes, &grains),
            colours,
            walls: Walls::new(walls, &room),
            cell: self.cell_edges(&room),
            has_grain_outlines: self.is_planar(),
            section,
            ghosts: None,
            grain_size: self.grain_size(frame),
        }
    }

    fn grain(&self, frame: &TrajectoryFrame, grain: usize) -> Option<Grain> {
        let position = frame.origin + frame.position.get(grain)?.as_dvec3();
        let orientation = frame.orientation.get(grain)?.as_dquat().normalize();
        Some(Grain {
            shape: usize::from(*frame.species.get(grain)?),
            scale: f64::from(*frame.scale.get(grain)?),
            pose: Pose::new(position, orientation),
        })
    }

    /// The median diameter of a frame's grains' bounding balls [m].
    pub fn grain_size(&self, frame: &TrajectoryFrame) -> f64 {
        let mut diameters: Vec<f64> = (0..frame.id.len()).map(|grain| 2.0 * self.radius(frame, grain)).collect();
        diameters.sort_unstable_by(f64::total_cmp);
        let median = diameters.get(diameters.len() / 2).copied().unwrap_or(1.0);
        if median > 0.0 && median.is_finite() { median } else { 1.0 }
    }

    /// The way from a point to the image of another that is nearest to it [m].
    fn way(&self, from: DVec3, to: DVec3) -> DVec3 {
        let way = to - from;
        let turns = (way / self.periods).round();
        way - self.periods * DVec3::select(self.periods.cmpgt(DVec3::ZERO), turns, DVec3::ZERO)
    }

    /// The forces of a frame: a rod for each contact, from centre to centre or to the wall, its cross-section in
    /// proportion to the force. A rod across a periodic edge goes on beyond it. Also gives the forces [N].
    pub fn force_chains(&self, frame: &TrajectoryFrame) -> (Vec<Shape>, Vec<Grain>, Vec<f64>) {
        let force = |contact: &tumble_io::trajectory::ContactRecord| f64::from(contact.force.length());
        let strongest = frame.contacts.iter().map(force).filter(|f| f.is_finite()).fold(0.0, f64::max);
        let largest = CHAIN_RADIUS * self.grain_size(frame);
        let place = |grain: u32| frame.position.get(grain as usize).map(|p| frame.origin + p.as_dvec3());
        let (mut shapes, mut rods, mut forces) = (Vec::new(), Vec::new(), Vec::new());
        for contact in &frame.contacts {
            let end = match contact.b {
                ContactPartner::Grain(b) => place(b),
                ContactPartner::Wall(_) => Some(frame.origin + contact.point.as_dvec3()),
            };
            let (Some(start), Some(end)) = (place(contact.a), end) else { continue };
            let end = start + self.way(start, end);
            let (length, share) = (start.distance(end), force(contact) / strongest);
            let Ok(shape) = Shape::capsule(largest * share.sqrt(), length) else { continue };
            let Some(along) = (end - start).try_normalize() else { continue };
            rods.push(Grain {
                shape: shapes.len(),
                scale: 1.0,
                pose: Pose::new(0.5 * (start + end), DQuat::from_rotation_arc(DVec3::Z, along)),
            });
            shapes.push(shape);
            forces.push(force(contact));
        }
        (shapes, rods, forces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_across_a_periodic_edge_is_the_short_one() {
        let domain = DomainMetadata {
            lower: [Some(-1.0), Some(0.0), None],
            upper: [Some(1.0), Some(3.0), Some(1.0)],
            periodic: [true, false, true],
        };
        let scenery = Scenery { shapes: Vec::new(), walls: Vec::new(), cell: cell(&domain), periods: periods(&domain) };
        let (a, b) = (DVec3::new(0.9, 0.1, 0.1), DVec3::new(-0.9, 2.9, 5.1));
        // Only x comes round: y is not periodic, and z has no lower end.
        assert!((scenery.way(a, b) - DVec3::new(0.2, 2.8, 5.0)).abs().max_element() < 1e-12);
        assert!((scenery.way(a, b) + scenery.way(b, a)).abs().max_element() < 1e-12);
    }
}
