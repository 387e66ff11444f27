//! The part of a run that a group is: its grains alone, and the contacts they take part in.
//!
//! A contact with a wall belongs to its grain. One of two grains of the group belongs to the group; one of a grain of the group
//! with another is half its own: both have the same force, and half of the stress that it carries. So the stresses of groups that
//! share all grains between them add up to that of all.

use super::{ContactRecord, Partner};
use crate::{Particles, State};
use glam::DVec3;

/// The grains of a group, as a state of their own, and their contacts.
pub(super) struct Selection {
    /// With the grains of the group alone; walls, time and what is counted are as they were.
    pub state: State,
    /// Whether each grain of the whole state is one of them.
    pub members: Vec<bool>,
    /// Contacts with at least one grain of the group, as in the whole state.
    pub touching: Vec<ContactRecord>,
}

impl Selection {
    pub fn new(state: &State, contacts: &[ContactRecord], members: Vec<bool>) -> Selection {
        let touches = |contact: &&ContactRecord| {
            members[contact.a] || matches!(contact.partner, Partner::Particle(b) if members[b])
        };
        let touching = contacts.iter().filter(touches).copied().collect();
        let mut particles: Particles = state.particles.clone();
        particles.retain(&members);
        let alone = State {
            step: state.step,
            time: state.time,
            time_step: state.time_step,
            walls: state.walls.clone(),
            departed: state.departed.clone(),
            crossed: state.crossed.clone(),
            particles,
            ..State::default()
        };
        Selection { state: alone, members, touching }
    }

    /// Puts on the walls what the grains of the group press with, and nothing else.
    pub fn load_walls(&mut self) {
        for wall in &mut self.state.walls {
            (wall.force, wall.torque) = (DVec3::ZERO, DVec3::ZERO);
        }
        for contact in &self.touching {
            if let Partner::Wall(wall) = contact.partner {
                let wall = &mut self.state.walls[wall];
                wall.force -= contact.force;
                wall.torque -= (contact.point - wall.pose.position).cross(contact.force) + contact.couple;
            }
        }
    }

    /// The contacts with the weight that they have in sums over the group, seen from its grains, by their places in it. Who the
    /// partner is cannot be told of them.
    pub fn weighted(&self) -> Vec<ContactRecord> {
        let mut place = 0;
        let places: Vec<usize> = self
            .members
            .iter()
            .map(|&is_member| {
                place += usize::from(is_member);
                place.wrapping_sub(1)
            })
            .collect();
        let seen = |contact: &ContactRecord| {
            let mut seen = *contact;
            if let Partner::Particle(b) = contact.partner {
                if !(self.members[contact.a] && self.members[b]) {
                    seen.force *= 0.5;
                    seen.couple *= 0.5;
                }
                if !self.members[contact.a] {
                    // From the other's side: the branch begins at the nearest image of its centre, and which that is does not
                    // matter to sums over images.
                    (seen.a, seen.partner) = (b, Partner::Particle(contact.a));
                    (seen.normal, seen.branch) = (-contact.normal, -contact.branch);
                    (seen.force, seen.couple) = (-seen.force, -seen.couple);
                }
            }
            seen.a = places[seen.a];
            seen
        };
        self.touching.iter().map(seen).collect()
    }
}
