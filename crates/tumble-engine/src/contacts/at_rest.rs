//! What two grains do to each other at rest: the elastic part of the law as a function of two poses, without a run.

use super::shape_table::SizedShape;
use super::shaped::Meeting;
use super::shaped::{PlacedParts, Side};
use crate::Model;
use crate::law::shaped::evaluate_shaped;
use crate::law::{LawTable, Losses, Memory};
use crate::model::SpeciesIndex;
use crate::state::{History, PatchMemory};
use glam::DVec3;
use tumble_geometry::Pose;

/// Energy, force and torque of two grains at rest that overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElasticWrench {
    /// Energy in the normal springs [J].
    pub energy: f64,
    /// Force on a [N]; b feels the opposite.
    pub force: DVec3,
    /// Torque on a about its centre [N m].
    pub torque_a: DVec3,
    /// Torque on b about its centre [N m].
    pub torque_b: DVec3,
    /// Deepest overlap [m].
    pub depth: f64,
}

/// What grains of two species at scale 1 do to each other at rest in two poses. All zero if they are apart.
/// Under the volume law regions are found to [`tumble_geometry::tolerance::REGION`], finer than in a run
/// ([`tumble_geometry::tolerance::LAW_REGION`]): this is the law itself.
pub fn elastic_wrench(model: &Model, species: [SpeciesIndex; 2], poses: [Pose; 2]) -> ElasticWrench {
    let table = LawTable::new(model);
    let shapes = species.map(|species| SizedShape::new(model, species, 1.0));
    let materials = species.map(|species| model.species[species as usize].material);
    let [side_a, side_b] = [0, 1].map(|k| {
        let kind = &model.species[species[k] as usize];
        let mass = kind.volume * model.materials[kind.material as usize].density;
        Side::at_rest(&poses[k], mass, shapes[k].inverse_moments)
    });
    let radii = [shapes[0].contact_radius, shapes[1].contact_radius];
    let radius = radii[0] * radii[1] / (radii[0] + radii[1]);
    let mut workspace = table.workspace();
    let mut sum = ElasticWrench::default();
    for a in &shapes[0].parts {
        for b in &shapes[1].parts {
            let parts = PlacedParts { a, b, pose_a: poses[0].compose(&a.pose), pose_b: poses[1].compose(&b.pose) };
            let Some(meeting): Option<Meeting> = parts.look(None, &table, radius, &mut workspace) else { continue };
            let contact = meeting.kinematics(&side_a, &side_b, radius, None);
            let (memory, patch) = (Memory::of(&History::default(), DVec3::ZERO), PatchMemory::default());
            let coefficients = table.get(materials[0], materials[1]);
            let losses = &mut Losses::default();
            let response = if table.hertz {
                evaluate_shaped::<true>(&table, coefficients, &contact, meeting.volume, &memory, &patch, 0.0, losses)
            } else {
                evaluate_shaped::<false>(&table, coefficients, &contact, meeting.volume, &memory, &patch, 0.0, losses)
            };
            let (force, couple) = (DVec3::from(response.force), DVec3::from(response.couple));
            sum.energy += response.normal_energy;
            sum.force += force;
            sum.torque_a += (meeting.point - poses[0].position).cross(force) + couple;
            sum.torque_b -= (meeting.point - poses[1].position).cross(force) + couple;
            sum.depth = sum.depth.max(meeting.depth);
        }
    }
    sum
}
