//! The shapes of the grains at their true sizes, made once for each species and scale.

use crate::Particles;
use crate::integrator::rotation::Moments;
use crate::model::{Model, SpeciesIndex};
use glam::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use tumble_geometry::narrow::Revolution;
use tumble_geometry::narrow::crowned::measures;
use tumble_geometry::{Pose, Shape};
use wide::f64x4;

/// A shape at the size of some grain, with what the contact loop wants to know of it.
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
    /// Whether it is a sphere.
    pub(super) is_ball: bool,
    /// How fast its surface moves by turning, at most, for each unit of angular velocity [m] and of angular momentum
    /// [1/(kg m)]. Turning about an axis of revolution moves nothing.
    pub(super) swing_per_spin: f64,
    pub(super) swing_per_momentum: f64,
    /// The measures of a cylinder, crowned.
    pub(super) cylinder: Option<f64x4>,
    /// One over the moment of inertia across the z axis, by how much that about it is larger [1/(kg m^2)], the contact radius
    /// and the half-width [m]: what the contact of two bodies of revolution wants, in a row.
    pub(super) turning: f64x4,
    /// The grain as a body of revolution about its own z axis, if it is one, crowned.
    pub(super) revolution: Option<Revolution>,
}

/// A convex part of a grain.
#[derive(Clone, Debug)]
pub(super) struct SizedPart {
    pub(super) shape: Shape,
    /// Where it is in the grain.
    pub(super) pose: Pose,
    /// Radius of its bounding ball about the pose's origin [m].
    pub(super) radius: f64,
    /// The part as a body of revolution about its own z axis, if it is one, crowned. Discs meet in their plane only.
    pub(super) crowned: Option<Revolution>,
}

/// The shapes of all grains.
#[derive(Clone, Debug, Default)]
pub(super) struct ShapeTable {
    entries: Vec<SizedShape>,
    places: BTreeMap<(SpeciesIndex, u64), u32>,
    /// The entry of each grain.
    of: Vec<u32>,
    has_balls: bool,
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
        self.has_balls = self.entries.iter().any(|shape| shape.is_ball);
        self.smallest_half_width = self.entries.iter().fold(f64::INFINITY, |least, shape| least.min(shape.half_width));
    }

    /// Whether some grain is a plain sphere.
    #[inline]
    pub(super) fn has_balls(&self) -> bool {
        self.has_balls
    }

    /// Half of the smallest width of any grain [m].
    pub(super) fn smallest_half_width(&self) -> f64 {
        self.smallest_half_width
    }

    /// The shape of a grain.
    #[inline]
    pub(super) fn get(&self, grain: usize) -> &SizedShape {
        &self.entries[self.of[grain] as usize]
    }
}

impl SizedShape {
    pub(super) fn new(model: &Model, species: SpeciesIndex, scale: f64) -> SizedShape {
        let kind = &model.species[species as usize];
        let shape = if scale == 1.0 { kind.shape.clone() } else { kind.shape.scaled(scale) };
        let contact_radius = (kind.volume * 0.75 / PI).cbrt() * scale;
        let part = |shape: &Shape, pose: Pose| SizedPart {
            radius: shape.bounding_radius(),
            crowned: if shape.kind().is_planar() { None } else { Revolution::of(shape).map(|r| r.crowned()) },
            shape: shape.clone(),
            pose,
        };
        let parts = match &shape {
            Shape::Clump(clump) => clump.parts().iter().map(|p| part(&p.shape, p.pose)).collect(),
            convex => vec![part(convex, Pose::IDENTITY)],
        };
        let is_ball = matches!(shape, Shape::Sphere(_));
        let reach = if is_ball { 0.0 } else { shape.bounding_radius() };
        let revolution = if matches!(shape, Shape::Clump(_)) { None } else { parts[0].crowned };
        let turn_per_momentum = match model.moments(species, scale) {
            Moments::Isotropic(moment) => 1.0 / moment,
            Moments::Symmetric { axis, across, .. } if revolution.is_some() && axis == DVec3::Z => 1.0 / across,
            Moments::Symmetric { along, across, .. } => 1.0 / across + (1.0 / along - 1.0 / across).abs(),
            // The three turns of a drift together, each by its component of the momentum.
            Moments::Asymmetric(moments) => moments.recip().element_sum(),
        };
        let inverse_moments = model.moments(species, scale).about_axes().recip();
        let half_width = 0.5 * kind.smallest_width * scale;
        SizedShape {
            parts,
            cylinder: if let Shape::Cylinder(c) = &shape { Some(measures(c.radius, c.half_height)) } else { None },
            turning: f64x4::new([inverse_moments.x, inverse_moments.z - inverse_moments.x, contact_radius, half_width]),
            swing_per_spin: reach,
            swing_per_momentum: reach * turn_per_momentum,
            inverse_moments,
            contact_radius,
            half_width,
            is_ball,
            revolution,
        }
    }
}
