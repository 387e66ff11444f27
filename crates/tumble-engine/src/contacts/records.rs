//! The contacts as an observer sees them: what the last step left in the contact history. Nothing is searched or evaluated
//! again, so what is shown is what acted.

use super::ContactLists;
use super::balls::place_of_pair;
use super::respond::Parties;
use crate::law::LawTable;
use crate::observe::{ContactRecord, ElasticEnergy};
use crate::state::{BlockContacts, ContactMemory, State};
use glam::DVec3;

/// Is shown contacts, one after the other.
pub type Visitor<'a> = dyn FnMut(&ContactRecord, ElasticEnergy) + 'a;

impl ContactLists {
    /// Shows every touching contact as the last step left it, with the energy in its springs.
    pub fn visit(&self, state: &State, table: &LawTable, show: &mut Visitor) {
        let rows = &self.bodies.rows;
        for list in 0..4 {
            for ((index, block), contacts) in self.blocks.iter().enumerate().zip(&state.solver.soft().contacts) {
                let touches = block.touches(list);
                let history = contacts.lists()[list];
                for (contact, touch) in touches.iter().enumerate() {
                    let a = index * self.block_size + touch.a as usize;
                    let b = touch.b as usize;
                    let (body_a, body_b) = (&rows[a], &rows[b]);
                    let mut memory = history.get(contact);
                    let coefficients = table.get(body_a.material(), body_b.material());
                    let effective_radius = body_a.radius() / (1.0 + body_a.radius() / body_b.radius());
                    if !history.groups.place {
                        let place = place_of_pair(&Parties::gather(|_| body_a), &Parties::gather(|_| body_b));
                        memory.normal = place.normal.into();
                        memory.arm = place.arm.into();
                        memory.depth = place.depth;
                        memory.normal_energy = table.normal_energy(coefficients, place.depth, effective_radius);
                    }
                    let at_wall = BlockContacts::is_at_walls(list);
                    let point = body_a.position() + memory.arm;
                    let record = ContactRecord {
                        a,
                        partner: self.bodies.partner(b),
                        point,
                        normal: memory.normal,
                        overlap: memory.depth,
                        branch: if at_wall { memory.arm } else { body_b.position() - body_a.position() },
                        force: memory.force,
                        couple: memory.couple,
                    };
                    show(&record, springs(table, coefficients, effective_radius, &memory));
                }
            }
        }
    }
}

/// The energy in the springs of a contact.
fn springs(
    table: &LawTable,
    coefficients: &crate::law::Coefficients<f64>,
    effective_radius: f64,
    memory: &ContactMemory,
) -> ElasticEnergy {
    let held = |torque: f64, stiffness: f64| if stiffness > 0.0 { 0.5 * torque * torque / stiffness } else { 0.0 };
    let mut rolling = 0.0;
    if table.rolling && memory.rolling_torque != DVec3::ZERO {
        // The rolling spring follows the stiffness of the contact as the friction spring does.
        let stiffness = coefficients.rolling_stiffness * effective_radius.powi(2) * memory.tangential_stiffness
            / coefficients.tangential_stiffness;
        rolling = held(memory.rolling_torque.length(), stiffness);
    }
    ElasticEnergy {
        normal: memory.normal_energy,
        tangential: held(memory.tangential_force.length(), memory.tangential_stiffness)
            + held(memory.patch.torque, memory.patch.stiffness),
        rolling,
    }
}
