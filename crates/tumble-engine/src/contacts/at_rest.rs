//! What two grains do to each other at rest: the elastic part of the law as a function of two poses, without a run. Finder and
//! law are those of a step.

use super::balls::{kinematics, place_of_pair};
use super::bodies::{Body, Frame};
use super::near::NONE;
use super::respond::{Parties, Touch};
use super::respond_shapes::{ShapedParties, ShapedPlace};
use super::shape_table::SizedShape;
use super::shapes::ShapedPair;
use crate::Model;
use crate::law::shaped::{Patch, evaluate_shaped};
use crate::law::{LawTable, Losses, Memory, evaluate};
use crate::model::SpeciesIndex;
use glam::DVec3;
use tumble_geometry::Pose;
use tumble_geometry::common_plane::PlaneSearches;
use tumble_geometry::lanes::{Vector, row};

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

impl ElasticWrench {
    fn add(&mut self, energy: f64, force: DVec3, couple: DVec3, [arm_a, arm_b]: [DVec3; 2], depth: f64) {
        self.energy += energy;
        self.force += force;
        self.torque_a += arm_a.cross(force) + couple;
        self.torque_b -= arm_b.cross(force) + couple;
        self.depth = self.depth.max(depth);
    }
}

/// What grains of two species at scale 1 do to each other at rest in two poses. All zero if they are apart.
/// Under the volume law regions are found to [`tumble_geometry::tolerance::REGION`], finer than in a run
/// ([`tumble_geometry::tolerance::LAW_REGION`]), unless the law of the model says otherwise: this is the law itself.
///
/// ```
/// use tumble_engine::{DVec3, Material, Model, elastic_wrench};
/// use tumble_geometry::{Pose, Shape, Sphere};
///
/// let mut builder = Model::builder();
/// let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 };
/// let glass = builder.material(glass);
/// let bead = builder.species("bead", &Shape::Sphere(Sphere { radius: 0.005 }), glass);
/// builder.grain(bead, DVec3::ZERO);
/// let model = builder.build()?;
/// let wrench = elastic_wrench(&model, [bead, bead], [Pose::IDENTITY, Pose::from_position(DVec3::X * 0.0099)]);
/// assert!((wrench.depth - 1e-4).abs() < 1e-12);
/// assert!(wrench.force.x < 0.0 && wrench.energy > 0.0);
/// assert_eq!(wrench.torque_a, DVec3::ZERO);
/// # Ok::<(), tumble_engine::EngineError>(())
/// ```
pub fn elastic_wrench(model: &Model, species: [SpeciesIndex; 2], poses: [Pose; 2]) -> ElasticWrench {
    let table = LawTable::new(model);
    let shapes = species.map(|species| SizedShape::new(model, species, 1.0));
    let [(body_a, frame_a), (body_b, frame_b)] = [0, 1].map(|k| at_rest(model, species[k], &shapes[k], &poses[k]));
    let coefficients = table.get(body_a.material(), body_b.material());
    let (mut sum, mut losses) = (ElasticWrench::default(), Losses::default());
    let new = Memory::<f64>::default();
    if table.volume.is_none() && shapes.iter().all(|shape| shape.is_ball) {
        let (a, b) = (Parties::<f64>::gather(|_| &body_a), Parties::gather(|_| &body_b));
        let place = place_of_pair(&a, &b);
        if body_a.position().distance(body_b.position()) < body_a.radius() + body_b.radius() {
            let arm_b = place.arm - (b.position - a.position);
            let kinematics = kinematics(&a, &b, &place, arm_b);
            let response = if table.hertz {
                evaluate::<f64, true, false>(&table, coefficients, &kinematics, &new, 0.0, &mut losses)
            } else {
                evaluate::<f64, false, false>(&table, coefficients, &kinematics, &new, 0.0, &mut losses)
            };
            let arms = [place.arm.into(), arm_b.into()];
            sum.add(response.normal_energy, response.force.into(), DVec3::ZERO, arms, place.depth);
        }
        return sum;
    }
    let mut workspace = table.workspace();
    let offset = poses[1].position - poses[0].position;
    let pair = ShapedPair::new([&shapes[0], &shapes[1]], poses.map(|pose| pose.orientation), offset);
    let a = ShapedParties::<f64>::gather(|_| &body_a, |_| &frame_a);
    let b = ShapedParties::<f64>::gather(|_| &body_b, |_| &frame_b);
    for (part_a, part_b) in pair.all_parts() {
        let looked = pair.parts(part_a, part_b).look(None, &table, &mut workspace, &mut PlaneSearches::default());
        let (Some(meeting), _, _) = looked else { continue };
        let found = meeting.found(Touch::default(), [part_a as u16, part_b as u16], 0, NONE);
        let place = ShapedPlace::<f64>::gather(|_| &found, Vector::default(), Vector::default());
        let (contact, arm_b) = place.contact(&table, &a, &b);
        let patch = Patch::<f64>::default();
        let response = if table.hertz {
            evaluate_shaped::<f64, true>(&table, coefficients, &contact, &new, &patch, 0.0, &mut losses)
        } else {
            evaluate_shaped::<f64, false>(&table, coefficients, &contact, &new, &patch, 0.0, &mut losses)
        };
        let arms = [meeting.arm, arm_b.into()];
        sum.add(response.normal_energy, response.force.into(), response.couple.into(), arms, meeting.depth);
    }
    sum
}

/// A grain of a species at scale 1 that does not move.
fn at_rest(model: &Model, species: SpeciesIndex, shape: &SizedShape, pose: &Pose) -> (Body, Frame) {
    let kind = &model.species[species as usize];
    let mass = kind.volume * model.materials[kind.material as usize].density;
    let body = Body {
        place: row(pose.position, shape.reach),
        motion: row(DVec3::ZERO, 1.0 / mass),
        spin: row(DVec3::ZERO, f64::from(kind.material)),
    };
    (body, Frame::of(pose.orientation, shape.inverse_moments, [shape.contact_radius, shape.half_width], 0))
}
