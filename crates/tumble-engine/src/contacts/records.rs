//! The contacts as an observer sees them: evaluated with a step of no length, nothing committed.

use super::pairs::{one_pair, touch};
use super::walls::WallFrame;
use super::{Body, ContactLists};
use crate::law::lanes::row;
use crate::law::{LawTable, Losses, Memory, Response, evaluate};
use crate::model::Model;
use crate::observe::{ContactRecord, ElasticEnergy, Partner};
use crate::state::State;
use glam::DVec3;

/// Is shown contacts, one after the other.
pub type Visitor<'a> = dyn FnMut(&ContactRecord, ElasticEnergy) + 'a;

impl ContactLists {
    /// Shows every touching contact as it is now, with the energy in its springs.
    pub fn visit(&self, model: &Model, state: &State, table: &LawTable, show: &mut Visitor) {
        match (table.hertz, table.rolling) {
            (false, false) => self.visit_as::<false, false>(model, state, table, show),
            (false, true) => self.visit_as::<false, true>(model, state, table, show),
            (true, false) => self.visit_as::<true, false>(model, state, table, show),
            (true, true) => self.visit_as::<true, true>(model, state, table, show),
        }
    }

    fn visit_as<const HERTZ: bool, const ROLLING: bool>(
        &self,
        model: &Model,
        state: &State,
        table: &LawTable,
        show: &mut Visitor,
    ) {
        let mut ignored = Losses::default();
        let n = state.particles.len();
        for a in 0..n {
            let body_a = Body::of(model, &state.particles, a);
            for slot in self.row(a) {
                let partner = self.candidates.partner[slot];
                let b = self.owner(partner) as usize;
                let mut body_b = Body::of(model, &state.particles, b);
                if partner as usize >= n {
                    body_b.place += row(self.ghosts.shift[partner as usize - n], 0.0);
                }
                if !touch(&body_a, &body_b) {
                    continue;
                }
                let (geometry, kinematics) = one_pair(&body_a, &body_b);
                let rolling_torque = self.rolling.get(slot).copied().unwrap_or_default();
                let response = evaluate::<f64, HERTZ, ROLLING>(
                    table,
                    table.get(body_a.material(), body_b.material()),
                    &kinematics,
                    &Memory::of(&self.history[slot], rolling_torque),
                    0.0,
                    &mut ignored,
                );
                let normal = DVec3::from(geometry.normal);
                let record = ContactRecord {
                    a,
                    partner: Partner::Particle(b),
                    point: body_a.position() + normal * geometry.arm_a,
                    normal,
                    overlap: geometry.overlap,
                    branch: body_b.position() - body_a.position(),
                    force: response.force.into(),
                };
                show(&record, elastic(&response));
            }
        }
        let walls = WallFrame::all(model, &state.walls, None);
        let mut found = Vec::new();
        for contact in self.blocks.iter().flat_map(|block| &block.wall_contacts) {
            let a = contact.particle as usize;
            let body = Body::of(model, &state.particles, a);
            let frame = &walls[contact.wall as usize];
            frame.contacts(&body, &mut found);
            let Some(meeting) = found.iter().find(|c| c.feature == contact.feature) else { continue };
            let (kinematics, point, _) = frame.kinematics(&body, meeting);
            let response = evaluate::<f64, HERTZ, ROLLING>(
                table,
                table.get(body.material(), frame.material),
                &kinematics,
                &Memory::of(&contact.history, contact.rolling_torque),
                0.0,
                &mut ignored,
            );
            let record = ContactRecord {
                a,
                partner: Partner::Wall(contact.wall as usize),
                point,
                normal: meeting.normal,
                overlap: -meeting.separation,
                branch: point - body.position(),
                force: response.force.into(),
            };
            show(&record, elastic(&response));
        }
    }
}

fn elastic(response: &Response<f64>) -> ElasticEnergy {
    ElasticEnergy {
        normal: response.normal_energy,
        tangential: response.tangential_energy,
        rolling: response.rolling_energy,
    }
}
