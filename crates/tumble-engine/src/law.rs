//! Contact laws: pure functions of parameters, kinematics and history.
//!
//! One law serves grain-grain and grain-wall contacts alike: [`evaluate`] takes what is known of a contact and returns
//! force, couple, new memory and the energy that was lost. Only the solver commits the memory, so observing a run
//! cannot change it.

pub mod coefficients;
pub mod elliptic;
mod evaluate;
mod restitution;
pub mod shaped;

pub use coefficients::{Coefficients, LawTable};
pub use evaluate::{Kinematics, Losses, Memory, Response, evaluate};
pub use restitution::{damping_ratio, restitution};

use tumble_geometry::Shape;
use tumble_geometry::narrow::ContactMethod;
use tumble_geometry::overlap::has_depth_moments;

/// What two materials do to each other when they touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteractionProperties {
    /// Coefficient of restitution [1], above 0 and at most 1.
    pub restitution: f64,
    /// Coefficient of sliding friction [1].
    pub friction: f64,
    /// Coefficient of rolling friction [1]; 0 switches rolling resistance off.
    pub rolling_friction: f64,
    /// Coefficient of tangential restitution where a collision does not slip, between -1 (smooth) and 1 (perfectly rough) [1]. Hard
    /// solvers only.
    pub tangential_restitution: f64,
}

/// The contact law of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// The normal and tangential springs and dashpots.
    pub kind: LawKind,
    /// When a damped contact ends, and so which damping gives the restitution that was asked for.
    pub end: ContactEnd,
    /// How rolling resistance behaves where its coefficient is not zero.
    pub rolling: RollingModel,
    /// How the contacts of grains that are not both spheres are found. The volume law has no use for the published methods
    /// and takes them for the exact one.
    pub contact_method: ContactMethod,
    /// How flat faces and straight sides are met under a depth law. See [`Law::acting_faces`].
    pub faces: Faces,
}

/// How flat faces and straight sides are met under a depth law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Faces {
    /// By the mean depth of what two polyhedra or polygons share; flat ends and straight sides of bodies of revolution give way
    /// towards their rims in proportion to the depth. Faces rest, and the force belongs to an energy without kinks. The default.
    MeanDepth,
    /// By Cundall's sub-contacts: two polyhedra or polygons press on each other at the corners of what their faces share, each with its share
    /// of the stiffness and its own depth. Faces rest; no energy belongs to the force where patches change. All else by the deepest point.
    SubContacts {
        /// As with [`Faces::DeepestPoint`].
        crown: f64,
    },
    /// By the deepest point: a box rocks from corner to corner.
    DeepestPoint {
        /// By how much flat ends and straight sides of bodies of revolution bulge in contacts, over half of the smaller of height
        /// and diameter [1]; 0: not at all.
        crown: f64,
    },
}

impl Law {
    /// How faces are met in fact: as they are under the laws of volume and pressure, which let them rest by themselves, and with a
    /// published method, which knows flat bodies only.
    pub fn acting_faces(&self) -> Faces {
        let flat = self.kind.goes_by_region() || self.contact_method.is_published();
        if flat { Faces::DeepestPoint { crown: 0.0 } } else { self.faces }
    }
}

/// The springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LawKind {
    /// Linear spring and dashpot.
    Linear {
        /// Normal stiffness [N/m].
        normal_stiffness: f64,
        /// Tangential over normal stiffness [1].
        tangential_ratio: f64,
    },
    /// Hertz's normal and Mindlin's no-slip tangential stiffness, with damping that gives a constant restitution.
    HertzMindlin {
        /// What the friction spring does when its stiffness changes under load.
        tangential: MindlinTangential,
        /// What the radius of a contact is taken from.
        curvature: Curvature,
    },
    /// Energy w(V) of the volume V that two bodies share, with the whole wrench that follows from it: force, torque and the
    /// couple about the normal. Conserves energy for every shape, and lets flat faces rest on each other.
    Volume {
        /// Stiffness (force over depth) of two faces that share an area of `length` squared, at a depth of 1 % of `length`
        /// [N/m].
        normal_stiffness: f64,
        /// Stiffness of the friction spring over `normal_stiffness` [1].
        tangential_ratio: f64,
        /// How the energy grows with the volume.
        exponent: VolumeExponent,
        /// The length at which `normal_stiffness` holds [m]; `None`: the diameter of the ball as large as the smallest
        /// grain.
        length: Option<f64>,
        /// Relative error allowed in the volume and areas that curved bodies share
        /// ([`tumble_geometry::tolerance::LAW_REGION`] is for runs) [1]; those of flat-faced ones are exact.
        region_tolerance: f64,
    },
    /// A bed of springs: the energy of an elastic foundation, 2 kappa times the integral over the common region of the depth under its
    /// surface. Two faces of area A have the stiffness kappa A and resist rocking as such a bed does. For polyhedra and polygons.
    Pressure {
        /// Stiffness of two faces over their area, kappa [Pa/m].
        stiffness_per_area: f64,
        /// Stiffness of the friction spring over that of two faces of a square diameter of the smallest grain [1].
        tangential_ratio: f64,
    },
}

impl LawKind {
    /// Whether its energy is a function of the common region alone, met with faces as they are.
    pub fn goes_by_region(&self) -> bool {
        matches!(self, LawKind::Volume { .. } | LawKind::Pressure { .. })
    }

    /// Whether curvatures where bodies touch count.
    pub fn goes_by_local_curvature(&self) -> bool {
        matches!(self, LawKind::HertzMindlin { curvature: Curvature::Local, .. })
    }

    /// What is wrong with a shape under this law, if anything: the law of pressure knows flat faces only, and that of Hertz with local
    /// curvatures wants them to be known.
    pub fn refuses(&self, shape: &Shape) -> Option<String> {
        if let LawKind::Pressure { .. } = self {
            let (part, _) = shape.parts().find(|(part, _)| !has_depth_moments(part))?;
            let name = part.kind().name();
            return Some(format!(
                "a {name} is not made of flat faces, and the law of pressure knows polyhedra and polygons only"
            ));
        }
        let has_none = |part: &Shape| matches!(part, Shape::Superquadric(body) if !body.has_curvature_at_poles());
        (self.goes_by_local_curvature() && shape.parts().any(|(part, _)| has_none(part))).then(|| {
            "a superquadric with n1 = 2 and another n2 has no one curvature at its poles, and the law goes by local \
             curvatures"
                .to_owned()
        })
    }
}

/// The exponent m of a volume law, w proportional to V^m.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeExponent {
    /// 1: the force of two faces does not depend on their depth, so that a box at rest chatters. For comparison.
    One,
    /// 3/2: rests quietly; the default.
    ThreeHalves,
    /// 2: the force of two faces grows linearly with depth. For thin, flat shapes.
    Two,
}

impl VolumeExponent {
    /// The number [1].
    pub fn value(self) -> f64 {
        match self {
            VolumeExponent::One => 1.0,
            VolumeExponent::ThreeHalves => 1.5,
            VolumeExponent::Two => 2.0,
        }
    }
}

/// What Hertz's law takes the radius of a contact from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// From the balls of the bodies' volumes. The default.
    Body,
    /// From the curvatures of both surfaces where they touch, in full elliptic contact: spheres, ellipsoids and superquadrics with each
    /// other and with planes. All else as [`Curvature::Body`].
    Local,
}

/// What the friction spring of a Hertz-Mindlin contact does when its stiffness changes under load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MindlinTangential {
    /// The force is kept when stiffness rises and scaled down with it when it falls. Never makes energy; the default.
    Rescaled,
    /// The force is kept always (the textbook increments). Can make energy on unloading.
    Incremental,
}

/// When a damped contact ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactEnd {
    /// When the normal force would turn to attraction: it is never below zero. The default.
    Clamped,
    /// When the overlap is over: the dashpot may pull for a moment.
    Open,
}

/// Elastic-plastic rolling resistance (Ai et al. 2011).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RollingModel {
    /// Model C: stiffness 2.25 k_n (mu_r R)^2, and a dashpot below the limit.
    SpringDashpot {
        /// Fraction of critical damping [1].
        damping: f64,
    },
    /// Stiffness k_t R^2 and no dashpot.
    Spring,
}

impl Default for Law {
    /// Hertz-Mindlin, never attracting, rolling resistance (where asked for) by model C.
    fn default() -> Law {
        Law {
            kind: LawKind::HertzMindlin { tangential: MindlinTangential::Rescaled, curvature: Curvature::Body },
            end: ContactEnd::Clamped,
            rolling: RollingModel::SpringDashpot { damping: 0.3 },
            contact_method: ContactMethod::Exact,
            faces: Faces::MeanDepth,
        }
    }
}
