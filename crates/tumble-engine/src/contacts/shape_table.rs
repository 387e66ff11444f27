//! The shapes of the grains at their true sizes, made once for each species and scale: what a body is, and by how much its
//! flat ends and straight sides bulge, is decided here and holds against every partner and wall.

use crate::Particles;
use crate::integrator::rotation::Moments;
use crate::law::Faces;
use crate::model::{Model, SpeciesIndex};
use glam::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use tumble_geometry::lanes::Row;
use tumble_geometry::narrow::{ContactBody, Revolution, YieldingBody};
use tumble_geometry::overlap::has_depth_moments;
use tumble_geometry::{Pose, Shape};

/// A shape at the size of some grain, with what contacts want to know of it.
#[derive(Clone, Debug)]
pub(super) struct SizedShape {
    /// Convex parts: one, except for a clump.
    pub(super) parts: Vec<SizedPart>,
    /// One over the principal moments of inertia [1/(kg m^2)].
    pub(super) inverse_moments: DVec3,
    /// Radius of the ball of the same volume [m]: the radius of a Hertz contact.
    pub(super) contact_radius: f64,
    /// Half of the smallest width [m]: overlaps are measured against it.
    pub(super) half_width: f64,
    /// Radius of the bounding ball of the surface as it is met [m].
    pub(super) reach: f64,
    /// Whether it is a sphere.
    pub(super) is_ball: bool,
    /// How fast its surface moves by turning, at most, for each unit of angular velocity [m] and of angular momentum
    /// [1/(kg m)]. Turning about an axis of revolution moves nothing.
    pub(super) swing_per_spin: f64,
    pub(super) swing_per_momentum: f64,
    /// The measures of a cylinder that bulges or gives way.
    pub(super) cylinder: Option<Row>,
}

/// A convex part of a grain.
#[derive(Clone, Debug)]
pub(super) struct SizedPart {
    /// Its surface as it is met, before it gives way.
    pub(super) body: ContactBody,
    /// The same where flat ends and straight sides give way.
    pub(super) yielding: Option<YieldingBody>,
    /// Where it is in the grain.
    pub(super) pose: Pose,
    /// Whether it is a box.
    pub(super) is_box: bool,
    /// Whether it has flat faces only, so that its depth in others like it can be told on average.
    pub(super) has_faces: bool,
    /// Whether its curvature is known everywhere.
    pub(super) is_smooth: bool,
    /// Whether its frame is the grain's.
    pub(super) is_in_place: bool,
    /// Radius of its bounding ball about the pose's origin [m].
    pub(super) radius: f64,
}

/// The shapes of all grains.
#[derive(Clone, Debug, Default)]
pub(super) struct ShapeTable {
    entries: Vec<SizedShape>,
    places: BTreeMap<(SpeciesIndex, u64), u32>,
    /// The entry of each grain.
    of: Vec<u32>,
    smallest_half_width: f64,
}

impl ShapeTable {
    /// Looks up the shape of every grain; new ones are made.
    pub(super) fn update(&mut self, model: &Model, particles: &Particles) {
        self.of.clear();
        for (&species, &scale) in particles.species.iter().zip(&particles.scale) {
            let entries = &mut self.entries;
            let place = *self.places.entry((species, scale.to_bits())).or_insert_with(|| {
                entries.push(SizedShape::new(model, species, scale));
                entries.len() as u32 - 1
            });
            self.of.push(place);
        }
        self.smallest_half_width = self.entries.iter().fold(f64::INFINITY, |least, shape| least.min(shape.half_width));
    }

    /// Half of the smallest width of any grain [m].
    pub(super) fn smallest_half_width(&self) -> f64 {
        self.smallest_half_width
    }

    /// The place of a grain's shape among the entries.
    #[inline]
    pub(super) fn place(&self, grain: usize) -> u32 {
        self.of[grain]
    }

    /// The shape at a place.
    #[inline]
    pub(super) fn entry(&self, place: u32) -> &SizedShape {
        &self.entries[place as usize]
    }

    /// The shape of a grain.
    #[inline]
    pub(super) fn get(&self, grain: usize) -> &SizedShape {
        self.entry(self.of[grain])
    }
}

impl SizedShape {
    pub(super) fn new(model: &Model, species: SpeciesIndex, scale: f64) -> SizedShape {
        let kind = &model.species[species as usize];
        let shape = if scale == 1.0 { kind.shape.clone() } else { kind.shape.scaled(scale) };
        let (crown, gives_way) = match model.law.acting_faces() {
            Faces::MeanDepth => (0.0, true),
            Faces::SubContacts { crown } | Faces::DeepestPoint { crown } => (crown, false),
        };
        let part = |shape: &Shape, pose: Pose| {
            let body = ContactBody::new(shape, crown);
            let is_box = matches!(shape, Shape::Polyhedron(polyhedron) if polyhedron.cuboid().is_some());
            SizedPart {
                radius: body.bounding_radius(),
                has_faces: has_depth_moments(shape),
                is_smooth: shape.flattest_counted().is_some(),
                is_in_place: pose == Pose::IDENTITY,
                yielding: gives_way.then(|| YieldingBody::new(shape)),
                body,
                pose,
                is_box,
            }
        };
        let parts = match &shape {
            Shape::Clump(clump) => clump.parts().iter().map(|p| part(&p.shape, p.pose)).collect(),
            convex => vec![part(convex, Pose::IDENTITY)],
        };
        let is_ball = matches!(shape, Shape::Sphere(_));
        let is_clump = matches!(shape, Shape::Clump(_));
        let reach = if is_clump {
            parts.iter().map(|part: &SizedPart| part.pose.position.length() + part.radius).fold(0.0, f64::max)
        } else {
            parts[0].radius
        };
        let swing = if is_ball { 0.0 } else { reach };
        let turns_about_axis = !is_clump && parts[0].body.revolution().is_some();
        let moments = model.moments(species, scale);
        let turn_per_momentum = match moments {
            Moments::Isotropic(moment) => 1.0 / moment,
            Moments::Symmetric { axis, across, .. } if turns_about_axis && axis == DVec3::Z => 1.0 / across,
            Moments::Symmetric { along, across, .. } => 1.0 / across + (1.0 / along - 1.0 / across).abs(),
            // The three turns of a drift together, each by its component of the momentum.
            Moments::Asymmetric(moments) => moments.recip().element_sum(),
        };
        SizedShape {
            cylinder: if is_clump { None } else { parts[0].cylinder_measures() },
            swing_per_spin: swing,
            swing_per_momentum: swing * turn_per_momentum,
            inverse_moments: moments.about_axes().recip(),
            contact_radius: (kind.volume * 0.75 / PI).cbrt() * scale,
            half_width: 0.5 * kind.smallest_width * scale,
            reach,
            is_ball,
            parts,
        }
    }

    /// Whether it is one convex body.
    #[inline]
    pub(super) fn is_simple(&self) -> bool {
        self.parts.len() == 1
    }

    /// Whether it is one convex body in its own frame.
    #[inline]
    pub(super) fn is_whole(&self) -> bool {
        self.is_simple() && self.parts[0].is_in_place
    }

    /// The grain as a body of revolution about its own z axis, if it is one.
    #[inline]
    pub(super) fn revolution(&self) -> Option<&Revolution> {
        if self.parts.len() == 1 { self.parts[0].body.revolution() } else { None }
    }
}

impl SizedPart {
    fn cylinder_measures(&self) -> Option<Row> {
        self.yielding.as_ref().map_or_else(|| self.body.cylinder_measures(), YieldingBody::cylinder_measures)
    }

    /// Whether it has flat ends or straight sides that give way.
    #[inline]
    pub(super) fn yields(&self) -> bool {
        self.yielding.as_ref().is_some_and(YieldingBody::yields)
    }

    /// Where it is if the grain is there.
    #[inline]
    pub(super) fn placed(&self, grain: &Pose) -> Pose {
        if self.is_in_place { *grain } else { grain.compose(&self.pose) }
    }
}
