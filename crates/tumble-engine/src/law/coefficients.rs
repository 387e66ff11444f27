//! What a pair of materials needs at every contact, worked out once.
//!
//! Both laws have the form
//!   normal force      k_n S overlap + c_n sqrt(m S) approach
//!   friction spring   k_t S, dashpot c_t sqrt(m S)
//! with S = 1 for the linear law and S = sqrt(R* overlap) for Hertz-Mindlin, m the effective mass:
//! - linear: c = 2 z sqrt(k)
//! - Hertz-Mindlin: k_n = 4/3 E*, k_t = 8 G*, c_n = sqrt(5) z sqrt(k_n) and c_t = sqrt(5) z sqrt(2/3 k_t), Tsuji's damping
//!   with z from [`super::damping_ratio`].

use super::shaped::VolumeLaw;
use super::{ContactEnd, Faces, InteractionProperties, LawKind, MindlinTangential, RollingModel, damping_ratio};
use crate::Model;
use crate::model::{Material, MaterialIndex};
use crate::time_step::smallest_diameter;
use tumble_geometry::lanes::Lanes;
use tumble_geometry::narrow::ContactMethod;
use tumble_geometry::overlap::Workspace;
use tumble_geometry::tolerance::LAW_REGION;

/// Law coefficients of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients<L> {
    /// Normal stiffness factor k_n [N/m or N/m^2].
    pub normal_stiffness: L,
    /// Tangential stiffness factor k_t [N/m or N/m^2].
    pub tangential_stiffness: L,
    /// Normal damping factor c_n [sqrt(N/m) or sqrt(N)/m].
    pub normal_damping: L,
    /// Tangential damping factor c_t [sqrt(N/m) or sqrt(N)/m].
    pub tangential_damping: L,
    /// Coefficient of sliding friction [1].
    pub friction: L,
    /// Coefficient of rolling friction [1].
    pub rolling_friction: L,
    /// Rolling stiffness over S R*^2 [N/m or N/m^2].
    pub rolling_stiffness: L,
    /// Rolling dashpot as a fraction of critical damping [1].
    pub rolling_damping: L,
    /// Damping ratio of the normal contact [1].
    pub damping_ratio: L,
}

impl<L: Lanes> Coefficients<L> {
    /// The coefficients of contacts by their places.
    #[inline(always)]
    pub fn gather<'c>(of: impl Fn(usize) -> &'c Coefficients<f64>) -> Coefficients<L> {
        Coefficients {
            normal_stiffness: L::gather(|k| of(k).normal_stiffness),
            tangential_stiffness: L::gather(|k| of(k).tangential_stiffness),
            normal_damping: L::gather(|k| of(k).normal_damping),
            tangential_damping: L::gather(|k| of(k).tangential_damping),
            friction: L::gather(|k| of(k).friction),
            rolling_friction: L::gather(|k| of(k).rolling_friction),
            rolling_stiffness: L::gather(|k| of(k).rolling_stiffness),
            rolling_damping: L::gather(|k| of(k).rolling_damping),
            damping_ratio: L::gather(|k| of(k).damping_ratio),
        }
    }

    /// Those of contacts whose normal force is a factor times that of a depth d, while their energy is that of d: with an overlap of
    /// d over the factor. It is 1 where d grows as the bodies go into each other.
    #[inline(always)]
    pub fn with_factor<const HERTZ: bool>(&self, factor: L) -> Coefficients<L> {
        // Its square is the factor of the stiffness: the dashpot is that of the same damping ratio.
        let root = if HERTZ { factor * factor.sqrt().sqrt() } else { factor };
        Coefficients {
            normal_stiffness: self.normal_stiffness * (root * root),
            normal_damping: self.normal_damping * root,
            ..*self
        }
    }
}

/// All coefficients of a run, and the switches of its law.
#[derive(Clone, Debug)]
pub struct LawTable {
    coefficients: Vec<Coefficients<f64>>,
    n_materials: usize,
    /// Whether stiffness grows with overlap (Hertz-Mindlin).
    pub hertz: bool,
    /// Whether smooth bodies meet by their curvatures where they touch.
    pub local_curvature: bool,
    /// Whether any pair resists rolling.
    pub rolling: bool,
    /// The least normal force [N]: 0, or minus infinity if the dashpot may pull. (A number and not a switch, because
    /// the contact loop has no branches.)
    pub least_normal_force: f64,
    /// The least factor by which a spring force follows a falling stiffness: 0, or 1 if it does not follow.
    pub least_rescaling: f64,
    /// The law on the common region, if the run has one: on its volume or on the integral of its depth.
    pub volume: Option<VolumeLaw>,
    /// Whether it goes by the integral of the depth.
    pub by_depths: bool,
    /// How faces are met ([`super::Law::acting_faces`]).
    pub faces: Faces,
    /// How contacts of grains that are not both spheres are found.
    pub contact_method: ContactMethod,
    /// How far apart two surfaces can be and still act on each other [m]: 0, they must touch.
    pub range: f64,
}

impl LawTable {
    /// Whether contacts of bodies of revolution are found by their profiles, crowned, and go by depth.
    pub(crate) fn goes_by_profiles(&self) -> bool {
        self.volume.is_none() && self.contact_method == ContactMethod::Exact
    }

    /// Whether polyhedra and polygons are met otherwise than by their deepest point.
    #[inline]
    pub(crate) fn measures_faces(&self) -> bool {
        !matches!(self.faces, Faces::DeepestPoint { .. })
    }

    /// Whether a direction in which two bodies are apart shows that they do not touch. A common plane is found from the line of the
    /// centroids each time and can miss that direction: what it would find must not depend on what is remembered.
    pub(crate) fn trusts_directions(&self) -> bool {
        self.contact_method.has_exact_verdict()
    }

    /// Works out the coefficients of every pair of materials.
    pub fn new(model: &Model) -> LawTable {
        let n = model.materials.len();
        let coefficients: Vec<Coefficients<f64>> = (0..n * n)
            .map(|k| coefficients(model, &model.materials[k / n], &model.materials[k % n], &model.interactions[k]))
            .collect();
        LawTable {
            coefficients,
            n_materials: n,
            hertz: matches!(model.law.kind, LawKind::HertzMindlin { .. }),
            local_curvature: model.law.kind.goes_by_local_curvature(),
            rolling: model.interactions.iter().any(|p| p.rolling_friction > 0.0),
            least_normal_force: match model.law.end {
                ContactEnd::Clamped => 0.0,
                ContactEnd::Open => f64::NEG_INFINITY,
            },
            least_rescaling: match model.law.kind {
                LawKind::HertzMindlin { tangential: MindlinTangential::Rescaled, .. } => 0.0,
                LawKind::HertzMindlin { tangential: MindlinTangential::Incremental, .. }
                | LawKind::Linear { .. }
                | LawKind::Volume { .. }
                | LawKind::Pressure { .. } => 1.0,
            },
            volume: match model.law.kind {
                LawKind::Volume { normal_stiffness, exponent, length, region_tolerance, .. } => {
                    let length = length.unwrap_or_else(|| smallest_diameter(model));
                    Some(VolumeLaw::new(normal_stiffness, length, exponent, region_tolerance))
                }
                LawKind::Pressure { stiffness_per_area, .. } => Some(VolumeLaw::of_depths(stiffness_per_area)),
                LawKind::Linear { .. } | LawKind::HertzMindlin { .. } => None,
            },
            by_depths: matches!(model.law.kind, LawKind::Pressure { .. }),
            faces: model.law.acting_faces(),
            contact_method: match model.law.kind {
                kind if kind.goes_by_region() && model.law.contact_method.is_published() => ContactMethod::Exact,
                _ => model.law.contact_method,
            },
            range: 0.0,
        }
    }

    /// Room for finding the regions that bodies share, as accurately as the law wants them.
    pub fn workspace(&self) -> Workspace {
        Workspace::for_laws(self.volume.map_or(LAW_REGION, |law| law.region_tolerance))
    }

    /// Coefficients of a pair of materials.
    #[inline(always)]
    pub fn get(&self, a: MaterialIndex, b: MaterialIndex) -> &Coefficients<f64> {
        self.at(self.row(a, b))
    }

    /// Which row has the coefficients of a pair of materials.
    #[inline(always)]
    pub fn row(&self, a: MaterialIndex, b: MaterialIndex) -> usize {
        a as usize * self.n_materials + b as usize
    }

    /// Coefficients of a row.
    #[inline(always)]
    pub fn at(&self, row: usize) -> &Coefficients<f64> {
        &self.coefficients[row]
    }

    /// Energy of the normal spring of two spheres under a depth law [J].
    pub fn normal_energy(&self, c: &Coefficients<f64>, depth: f64, effective_radius: f64) -> f64 {
        if self.hertz {
            0.4 * c.normal_stiffness * (effective_radius * depth).sqrt() * depth * depth
        } else {
            0.5 * c.normal_stiffness * depth * depth
        }
    }

    /// Whether there is one row only.
    #[inline(always)]
    pub fn is_uniform(&self) -> bool {
        self.n_materials == 1
    }
}

fn coefficients(model: &Model, a: &Material, b: &Material, properties: &InteractionProperties) -> Coefficients<f64> {
    let law = &model.law;
    let z = damping_ratio(properties.restitution, law.end);
    let (normal_stiffness, tangential_stiffness, normal_damping, tangential_damping) = match law.kind {
        LawKind::Linear { normal_stiffness, tangential_ratio }
        | LawKind::Volume { normal_stiffness, tangential_ratio, .. } => {
            let tangential = tangential_ratio * normal_stiffness;
            (normal_stiffness, tangential, 2.0 * z * normal_stiffness.sqrt(), 2.0 * z * tangential.sqrt())
        }
        LawKind::Pressure { stiffness_per_area, tangential_ratio } => {
            let normal = stiffness_per_area * smallest_diameter(model).powi(2);
            let tangential = tangential_ratio * normal;
            (normal, tangential, 2.0 * z * normal.sqrt(), 2.0 * z * tangential.sqrt())
        }
        LawKind::HertzMindlin { .. } => {
            let normal = 4.0 / 3.0 * effective_young_modulus(a, b);
            let tangential = 8.0 * effective_shear_modulus(a, b);
            let alpha = 5f64.sqrt() * z;
            (normal, tangential, alpha * normal.sqrt(), alpha * (2.0 / 3.0 * tangential).sqrt())
        }
    };
    let (rolling_stiffness, rolling_damping) = match law.rolling {
        RollingModel::SpringDashpot { damping } => {
            // Hertz's tangent stiffness is 3/2 of its secant.
            let tangent = if matches!(law.kind, LawKind::HertzMindlin { .. }) { 1.5 } else { 1.0 };
            (2.25 * tangent * normal_stiffness * properties.rolling_friction.powi(2), damping)
        }
        RollingModel::Spring => (tangential_stiffness, 0.0),
    };
    Coefficients {
        normal_stiffness,
        tangential_stiffness,
        normal_damping,
        tangential_damping,
        friction: properties.friction,
        rolling_friction: properties.rolling_friction,
        rolling_stiffness,
        rolling_damping,
        damping_ratio: z,
    }
}

/// Young's modulus of a contact, 1 / ((1 - nu_a^2) / E_a + (1 - nu_b^2) / E_b) [Pa].
pub fn effective_young_modulus(a: &Material, b: &Material) -> f64 {
    let compliance = |m: &Material| (1.0 - m.poisson_ratio * m.poisson_ratio) / m.young_modulus;
    1.0 / (compliance(a) + compliance(b))
}

/// Shear modulus of a contact, 1 / ((2 - nu_a) / G_a + (2 - nu_b) / G_b) [Pa].
pub fn effective_shear_modulus(a: &Material, b: &Material) -> f64 {
    let compliance = |m: &Material| (2.0 - m.poisson_ratio) / m.shear_modulus();
    1.0 / (compliance(a) + compliance(b))
}
