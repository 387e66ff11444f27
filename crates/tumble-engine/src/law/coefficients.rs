//! What a pair of materials needs at every contact, worked out once.
//!
//! Both laws have the form
//!   normal force      k_n S overlap + c_n sqrt(m S) approach
//!   friction spring   k_t S, dashpot c_t sqrt(m S)
//! with S = 1 for the linear law and S = sqrt(R* overlap) for Hertz-Mindlin, m the effective mass:
//! - linear: c = 2 z sqrt(k)
//! - Hertz-Mindlin: k_n = 4/3 E*, k_t = 8 G*, c_n = sqrt(5) z sqrt(k_n) and c_t = sqrt(5) z sqrt(2/3 k_t), Tsuji's damping
//!   with z from [`super::damping_ratio`].

use super::{InteractionProperties, Law, LawKind, MindlinTangential, RollingModel, damping_ratio};
use crate::Model;
use crate::model::{Material, MaterialIndex};

/// Law coefficients of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// Normal stiffness factor k_n [N/m or N/m^2].
    pub normal_stiffness: f64,
    /// Tangential stiffness factor k_t [N/m or N/m^2].
    pub tangential_stiffness: f64,
    /// Normal damping factor c_n [sqrt(N/m) or sqrt(N)/m].
    pub normal_damping: f64,
    /// Tangential damping factor c_t [sqrt(N/m) or sqrt(N)/m].
    pub tangential_damping: f64,
    /// Coefficient of sliding friction [1].
    pub friction: f64,
    /// Coefficient of rolling friction [1].
    pub rolling_friction: f64,
    /// Rolling stiffness over S R*^2 [N/m or N/m^2].
    pub rolling_stiffness: f64,
    /// Rolling dashpot as a fraction of critical damping [1].
    pub rolling_damping: f64,
    /// Damping ratio of the normal contact [1].
    pub damping_ratio: f64,
}

/// All coefficients of a run, and the switches of its law.
#[derive(Clone, Debug)]
pub struct LawTable {
    coefficients: Vec<Coefficients>,
    n_materials: usize,
    /// Whether stiffness grows with overlap (Hertz-Mindlin).
    pub hertz: bool,
    /// Whether any pair resists rolling.
    pub rolling: bool,
    /// Whether the normal force is never attractive.
    pub clamped: bool,
    /// Whether spring forces are scaled down when the stiffness falls.
    pub rescaled: bool,
}

impl LawTable {
    /// Works out the coefficients of every pair of materials.
    pub fn new(model: &Model) -> LawTable {
        let n = model.materials.len();
        let coefficients = (0..n * n)
            .map(|k| coefficients(&model.law, &model.materials[k / n], &model.materials[k % n], &model.interactions[k]))
            .collect();
        LawTable {
            coefficients,
            n_materials: n,
            hertz: matches!(model.law.kind, LawKind::HertzMindlin { .. }),
            rolling: model.interactions.iter().any(|p| p.rolling_friction > 0.0),
            clamped: model.law.end == super::ContactEnd::Clamped,
            rescaled: matches!(model.law.kind, LawKind::HertzMindlin { tangential: MindlinTangential::Rescaled }),
        }
    }

    /// Coefficients of a pair of materials.
    #[inline(always)]
    pub fn get(&self, a: MaterialIndex, b: MaterialIndex) -> &Coefficients {
        &self.coefficients[a as usize * self.n_materials + b as usize]
    }
}

fn coefficients(law: &Law, a: &Material, b: &Material, properties: &InteractionProperties) -> Coefficients {
    let z = damping_ratio(properties.restitution, law.end);
    let (normal_stiffness, tangential_stiffness, normal_damping, tangential_damping) = match law.kind {
        LawKind::Linear { normal_stiffness, tangential_ratio } => {
            let tangential = tangential_ratio * normal_stiffness;
            (normal_stiffness, tangential, 2.0 * z * normal_stiffness.sqrt(), 2.0 * z * tangential.sqrt())
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
