//! Building the lists: neighbours, walls nearby, blocks.

use super::bodies::WallImage;
use super::mail::{Outbox, Senders};
use super::walls::WallFrame;
use super::{Block, Bodies, ContactLists, Wrench, block_size};
use crate::EngineError;
use crate::boundary::periodic::Ghosts;
use crate::broad::{Balls, Candidates, TooManyPairs, find_candidates};
use crate::law::LawTable;
use crate::model::Model;
use crate::state::State;
use glam::DVec3;
use rayon::prelude::*;
use tumble_geometry::narrow::MeshPatch;
use tumble_geometry::{Shape, Surface};

/// Whether contacts keep their order in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// They are those of this very list: a run goes on from a saved state.
    Kept,
    /// They are sorted as the pairs are: the list is new.
    New,
}

impl ContactLists {
    /// Builds the lists from the reference in the state, and lets them go on with the contacts kept there.
    pub(crate) fn build(
        &mut self,
        model: &Model,
        state: &mut State,
        table: &LawTable,
        order: Order,
    ) -> Result<(), EngineError> {
        // What the old lists hold is of no more use, and the search needs the room.
        (self.candidates, self.blocks, self.bodies) = (Candidates::default(), Vec::new(), Bodies::default());
        let (particles, soft) = (&state.particles, state.solver.soft());
        self.block_size = block_size(model, particles.len());
        let only_spheres = model.species.iter().all(|s| matches!(s.shape, Shape::Sphere(_)));
        self.shapes = if only_spheres && table.volume.is_none() {
            None
        } else {
            let mut shapes = self.shapes.take().unwrap_or_default();
            shapes.update(model, particles);
            Some(shapes)
        };
        self.smallest_half_width = match &self.shapes {
            Some(shapes) => shapes.smallest_half_width(),
            None => particles.radius.iter().copied().fold(f64::INFINITY, f64::min),
        };
        // Surfaces as they are met may reach a little beyond the shape.
        let reach: Vec<f64> = match &self.shapes {
            Some(shapes) => (0..particles.len()).map(|grain| shapes.get(grain).reach).collect(),
            None => Vec::new(),
        };
        let radii = if reach.is_empty() { &particles.radius } else { &reach };
        let skin = soft.skin + table.range;
        let ghosts = Ghosts::find(&model.domain, &soft.reference.positions, radii, skin)?;
        let find = |positions: &[DVec3], radii: &[f64], ids: &[u32]| {
            let balls = Balls { positions, radii, ids, n_owned: particles.len() };
            find_candidates(model.broad_phase, &balls, skin).map_err(|TooManyPairs { n_pairs }| {
                EngineError::Model(format!(
                    "{n_pairs} pairs of grains are nearer to each other than the skin of {:.6e} m, and lists end at 2^32; \
                     use a thinner skin",
                    soft.skin
                ))
            })
        };
        self.candidates = if ghosts.is_empty() {
            find(&soft.reference.positions, radii, &particles.id)?
        } else {
            let mut positions = soft.reference.positions.clone();
            let (mut radii, mut ids) = (radii.clone(), particles.id.clone());
            for (grain, shift) in ghosts.sources() {
                positions.push(positions[grain] + shift);
                radii.push(radii[grain]);
                ids.push(ids[grain]);
            }
            find(&positions, &radii, &ids)?
        };
        let wall_images = self.find_wall_candidates(model, state, radii);
        self.bodies = Bodies::named(particles, ghosts, wall_images);
        self.wake.clear();
        if self.shapes.is_some() {
            self.wake.resize(self.candidates.partner.len(), 0.0);
        }
        let has_meshes = model.walls.iter().any(|wall| matches!(wall.surface, Surface::Mesh(_)));
        self.make_blocks(model.walls.len(), has_meshes);
        self.attach(model, state, table, order);
        // Last, for while contacts go from the old lists to the new, memory holds the most.
        self.bodies.place(model, state, self.shapes.as_ref(), self.instructions);
        Ok(())
    }

    /// Lists for every grain the walls it is near, or their images, and returns all of these.
    fn find_wall_candidates(&mut self, model: &Model, state: &State, radii: &[f64]) -> Vec<WallImage> {
        let soft = state.solver.soft();
        let poses = &soft.reference.wall_poses;
        let mut images: Vec<WallImage> =
            (0..model.walls.len() as u32).map(|wall| WallImage { wall, shift: DVec3::ZERO }).collect();
        let frames = WallFrame::all(model, &self.walls, &images, |wall| poses[wall]);
        let bounds: Vec<_> = (0..poses.len()).map(|wall| self.walls.bounds(model, wall, &poses[wall])).collect();
        let walls = &self.walls;
        // A grain's place in the block, and the image of a wall.
        let near: Vec<Vec<(u32, WallImage)>> = soft
            .reference
            .positions
            .par_chunks(self.block_size)
            .zip(radii.par_chunks(self.block_size))
            .map(|(positions, radii)| {
                let (mut near, mut found, mut shifts) = (Vec::new(), Vec::new(), Vec::new());
                for (local, (&position, &radius)) in positions.iter().zip(radii).enumerate() {
                    for (wall, (frame, bounds)) in frames.iter().zip(&bounds).enumerate() {
                        walls.near(wall, bounds.as_ref(), position, radius + soft.skin, &mut shifts);
                        for &shift in &shifts {
                            if frame.is_near(position - shift, radius, soft.skin, &mut found) {
                                near.push((local as u32, WallImage { wall: wall as u32, shift }));
                            }
                        }
                    }
                }
                near
            })
            .collect();
        self.wall_start.clear();
        self.wall_candidate.clear();
        for (block, near) in near.iter().enumerate() {
            let mut entries = near.iter().peekable();
            for local in 0..self.block_size.min(state.particles.len() - block * self.block_size) {
                self.wall_start.push(self.wall_candidate.len() as u32);
                while let Some((_, image)) = entries.next_if(|entry| entry.0 == local as u32) {
                    let known = images.iter().position(|other| other == image).unwrap_or_else(|| {
                        images.push(*image);
                        images.len() - 1
                    });
                    self.wall_candidate.push(known as u32);
                }
            }
        }
        self.wall_start.push(self.wall_candidate.len() as u32);
        images
    }

    fn make_blocks(&mut self, n_walls: usize, has_meshes: bool) {
        let (n_owned, Candidates { start, partner }) = (self.bodies.n_owned, &self.candidates);
        let (wall_start, ghosts, block_size) = (&self.wall_start, &self.bodies.ghosts, self.block_size);
        self.blocks = (0..n_owned.div_ceil(block_size))
            .into_par_iter()
            .map(|index| {
                let first = index * block_size;
                let n_grains = block_size.min(n_owned - first);
                let partners = &partner[start[first] as usize..start[first + n_grains] as usize];
                let mail = Outbox::new(first, n_grains, partners);
                Block {
                    n_grains,
                    nearby: mail.blocks(n_owned, ghosts, block_size),
                    mail,
                    patches: match has_meshes {
                        true => vec![MeshPatch::default(); (wall_start[first + n_grains] - wall_start[first]) as usize],
                        false => Vec::new(),
                    },
                    wall_loads: vec![Wrench::default(); n_walls],
                    ..Block::default()
                }
            })
            .collect();
        self.senders = Senders::of(self.blocks.iter().map(|block| &block.mail), n_owned, block_size);
    }
}
