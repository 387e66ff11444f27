//! Walls whose surfaces move along themselves, as contacts see them, and the power of that motion.

use super::ContactLists;
use super::bodies::WallImage;
use crate::boundary::conveyor::Conveyor;
use crate::model::Model;
use crate::observe::Partner;
use crate::state::{BlockContacts, State, WallState};
use glam::DVec3;
use tumble_geometry::Pose;

/// How the surfaces of walls and their images move along themselves; empty if none does.
#[derive(Debug, Default)]
pub(super) struct Surfaces(Vec<Option<(Pose, Conveyor)>>);

impl Surfaces {
    /// Those of walls and their images, where they are now.
    pub(super) fn of(model: &Model, images: &[WallImage], walls: &[WallState]) -> Surfaces {
        if model.walls.iter().all(|wall| wall.conveyor.is_none()) {
            return Surfaces::default();
        }
        let of_image = |image: &WallImage| {
            let wall = image.wall as usize;
            let Pose { position, orientation } = walls[wall].pose;
            Some((Pose::new(position + image.shift, orientation), model.walls[wall].conveyor?))
        };
        Surfaces(images.iter().map(of_image).collect())
    }

    /// Whether no surface moves along itself.
    #[inline(always)]
    pub(super) fn are_still(&self) -> bool {
        self.0.is_empty()
    }

    /// How fast the surface of a body moves along itself at a point whose normal is given [m/s].
    pub(super) fn along(&self, body: usize, first_wall: usize, point: DVec3, normal: DVec3) -> DVec3 {
        match body.checked_sub(first_wall).and_then(|image| self.0.get(image)) {
            Some(Some((pose, conveyor))) => conveyor.along(pose, point, normal),
            _ => DVec3::ZERO,
        }
    }
}

impl ContactLists {
    /// Notes the power on the grains of walls whose surfaces move along themselves, contact by contact.
    pub(crate) fn book_conveyors(&self, model: &Model, state: &mut State) {
        let surfaces = Surfaces::of(model, &self.bodies.wall_images, &state.walls);
        if surfaces.are_still() {
            return;
        }
        let mut power = vec![0.0; state.walls.len()];
        let first_wall = self.bodies.first_wall();
        for (index, (block, contacts)) in self.blocks.iter().zip(&state.solver.soft().contacts).enumerate() {
            for list in (0..4).filter(|&list| BlockContacts::is_at_walls(list)) {
                let history = contacts.lists()[list];
                for (contact, touch) in block.touches(list).iter().enumerate() {
                    let Partner::Wall(wall) = self.bodies.partner(touch.b as usize) else { continue };
                    if model.walls[wall].conveyor.is_none() {
                        continue;
                    }
                    let memory = history.get(contact);
                    let point = self.bodies.rows[index * self.block_size + touch.a as usize].position() + memory.arm;
                    let conveyed = surfaces.along(touch.b as usize, first_wall, point, memory.normal);
                    power[wall] += memory.force.dot(conveyed);
                }
            }
        }
        for (wall, power) in state.walls.iter_mut().zip(power) {
            wall.conveyor_power = power;
        }
    }
}
