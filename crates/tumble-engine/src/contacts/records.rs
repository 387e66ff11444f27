//! The contacts as an observer sees them: evaluated with a step of no length, nothing committed.

use super::pairs::{one_pair, touch};
use super::shape_table::SizedShape;
use super::shaped::{ShapedPair, Side};
use super::walls::{LiveWallContact, WallFrame};
use super::{Body, ContactLists};
use crate::law::shaped::{ShapedResponse, evaluate_shaped};
use crate::law::{LawTable, Losses, Memory, Response, evaluate};
use crate::model::Model;
use crate::observe::{ContactRecord, ElasticEnergy, Partner};
use crate::state::State;
use glam::{DQuat, DVec3};
use tumble_geometry::lanes::row;
use tumble_geometry::{Pose, SurfaceContact};

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
                let is_shaped = self.general_shape(a, table).or_else(|| self.general_shape(b, table)).is_some();
                if is_shaped || !touch(&body_a, &body_b) {
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
        self.visit_shaped::<HERTZ>(model, state, table, show);
        let walls = WallFrame::all(model, &state.walls, None);
        let mut found = Vec::new();
        for contact in self.blocks.iter().flat_map(|block| &block.wall_contacts) {
            let a = contact.particle as usize;
            let body = Body::of(model, &state.particles, a);
            let frame = &walls[contact.wall as usize];
            if let Some(shape) = self.general_shape(a, table) {
                let seen = ShapedAtWall { a, body: &body, shape, orientation: state.particles.orientation[a] };
                seen.visit::<HERTZ>(frame, contact, state, table, &mut found, show);
                continue;
            }
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

impl ContactLists {
    /// The shape of a grain that takes the general path; `None` for a plain sphere.
    fn general_shape(&self, grain: usize, table: &LawTable) -> Option<&SizedShape> {
        let shape = self.shapes.as_ref()?.get(grain);
        (table.volume.is_some() || !shape.is_ball).then_some(shape)
    }

    /// Shows the contacts of grains that are not both spheres.
    fn visit_shaped<const HERTZ: bool>(&self, model: &Model, state: &State, table: &LawTable, show: &mut Visitor) {
        let (Some(shapes), n) = (&self.shapes, state.particles.len()) else { return };
        for contact in self.blocks.iter().flat_map(|block| &block.shaped_contacts) {
            let a = self.grain_of_slot(contact.slot);
            let partner = self.candidates.partner[contact.slot as usize];
            let b = self.owner(partner) as usize;
            let (body_a, mut body_b) = (Body::of(model, &state.particles, a), Body::of(model, &state.particles, b));
            if partner as usize >= n {
                body_b.place += row(self.ghosts.shift[partner as usize - n], 0.0);
            }
            let orientation = &state.particles.orientation;
            let pair =
                ShapedPair::new([&body_a, &body_b], [orientation[a], orientation[b]], [shapes.get(a), shapes.get(b)]);
            let (part_a, part_b) = (contact.part_a as usize, contact.part_b as usize);
            let Some(meeting) = pair.look(part_a, part_b, contact.normal, table) else { continue };
            let response = evaluate_shaped::<HERTZ>(
                table,
                table.get(body_a.material(), body_b.material()),
                &meeting.kinematics(&pair.a, &pair.b, pair.contact_radius, None),
                meeting.volume,
                &Memory::of(&contact.history, DVec3::ZERO),
                &contact.patch,
                0.0,
                &mut Losses::default(),
            );
            let record = ContactRecord {
                a,
                partner: Partner::Particle(b),
                point: meeting.point,
                normal: meeting.normal,
                overlap: meeting.depth,
                branch: body_b.position() - body_a.position(),
                force: response.force.into(),
            };
            show(&record, elastic_shaped(&response));
        }
    }
}

/// A grain of any shape that touches a wall.
struct ShapedAtWall<'a> {
    a: usize,
    body: &'a Body,
    shape: &'a SizedShape,
    orientation: DQuat,
}

impl ShapedAtWall<'_> {
    fn visit<const HERTZ: bool>(
        &self,
        frame: &WallFrame,
        contact: &LiveWallContact,
        state: &State,
        table: &LawTable,
        found: &mut Vec<SurfaceContact>,
        show: &mut Visitor,
    ) {
        let Some(part) = self.shape.parts.get(contact.part as usize) else { return };
        let (pose, radius) = (Pose::new(self.body.position(), self.orientation), self.shape.contact_radius);
        frame.contacts_of_part(part, &pose, table, found);
        let Some(place) = found.iter().find(|c| c.feature == contact.feature) else { return };
        let mut workspace = table.workspace();
        let Some(meeting) = frame.meeting(part, &pose, place, table, radius, &mut workspace) else { return };
        let side = Side::of(self.body, self.orientation, self.shape);
        let wall_side = Side::of_wall(&state.walls[contact.wall as usize]);
        let response = evaluate_shaped::<HERTZ>(
            table,
            table.get(self.body.material(), frame.material),
            &meeting.kinematics(&side, &wall_side, radius, None),
            meeting.volume,
            &Memory::of(&contact.history, DVec3::ZERO),
            &contact.patch,
            0.0,
            &mut Losses::default(),
        );
        let record = ContactRecord {
            a: self.a,
            partner: Partner::Wall(contact.wall as usize),
            point: meeting.point,
            normal: meeting.normal,
            overlap: meeting.depth,
            branch: meeting.point - self.body.position(),
            force: response.force.into(),
        };
        show(&record, elastic_shaped(&response));
    }
}

fn elastic_shaped(response: &ShapedResponse<f64>) -> ElasticEnergy {
    ElasticEnergy { normal: response.normal_energy, tangential: response.tangential_energy, rolling: 0.0 }
}

fn elastic(response: &Response<f64>) -> ElasticEnergy {
    ElasticEnergy {
        normal: response.normal_energy,
        tangential: response.tangential_energy,
        rolling: response.rolling_energy,
    }
}
