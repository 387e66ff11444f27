//! A model piece by piece, for programs. Scenes are read by another crate.

use super::{
    Domain, Edge, HardSettings, Limits, Material, MaterialIndex, Model, Solver, Species, SpeciesIndex, TimeStep,
};
use crate::EngineError;
use crate::boundary::insertion::{Insertion, ListedGrain, Plan, SizeDistribution};
use crate::boundary::wall::Wall;
use crate::broad::BroadPhase;
use crate::law::{InteractionProperties, Law, LawKind};
use glam::{DQuat, DVec3};
use tumble_geometry::{Pose, Shape, Surface};

/// Makes a [`Model`]. What is not said is as in a scene: gravity points down, space has no end, contacts follow the
/// Hertz-Mindlin law, and the time step is chosen.
///
/// ```
/// use glam::DVec3;
/// use tumble_engine::model::{Material, Model};
/// use tumble_engine::Simulation;
/// use tumble_geometry::{Pose, Shape, Sphere, Surface};
///
/// let mut builder = Model::builder();
/// let glass = builder.material(Material {
///     name: "glass".into(),
///     density: 2500.0,
///     young_modulus: 5e6,
///     poisson_ratio: 0.25,
/// });
/// let bead = builder.species("bead", &Shape::Sphere(Sphere { radius: 0.005 }), glass);
/// builder.wall("floor", Surface::HalfSpace, Pose::IDENTITY, glass);
/// builder.grain(bead, DVec3::new(0.0, 0.0, 0.02));
/// let mut simulation = Simulation::new(builder.build()?)?;
/// simulation.step()?;
/// assert!(simulation.state().particles.velocity[0].z < 0.0);
/// # Ok::<(), tumble_engine::EngineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    model: Model,
    grains: Vec<ListedGrain>,
    max_overlap: f64,
    default_interaction: InteractionProperties,
    interactions: Vec<(MaterialIndex, MaterialIndex, InteractionProperties)>,
}

impl Model {
    /// Begins a model; [`ModelBuilder`] has an example.
    pub fn builder() -> ModelBuilder {
        ModelBuilder::default()
    }
}

impl Default for ModelBuilder {
    fn default() -> ModelBuilder {
        ModelBuilder {
            model: Model {
                materials: Vec::new(),
                interactions: Vec::new(),
                law: Law::default(),
                species: Vec::new(),
                walls: Vec::new(),
                gravity: DVec3::new(0.0, 0.0, -9.81),
                gravity_ramp: 0.0,
                planar: false,
                domain: Domain::UNBOUNDED,
                drag: 0.0,
                insertions: Vec::new(),
                broad_phase: BroadPhase::Auto,
                skin: None,
                time_step: TimeStep::Automatic { safety: 1.0, speed: None },
                solver: Solver::Soft,
                hard: HardSettings::default(),
                shear_rate: 0.0,
                turn_spheres: false,
                planes: Vec::new(),
                groups: Vec::new(),
                seed: 1,
                limits: Limits::default(),
            },
            grains: Vec::new(),
            max_overlap: 0.01,
            default_interaction: InteractionProperties {
                restitution: 0.8,
                friction: 0.5,
                rolling_friction: 0.0,
                tangential_restitution: 0.0,
            },
            interactions: Vec::new(),
        }
    }
}

impl ModelBuilder {
    /// Adds a material and returns its place.
    pub fn material(&mut self, material: Material) -> MaterialIndex {
        self.model.materials.push(material);
        last_place(self.model.materials.len())
    }

    /// Adds a kind of grain, at its own size, and returns its place.
    pub fn species(&mut self, name: &str, shape: &Shape, material: MaterialIndex) -> SpeciesIndex {
        self.model.species.push(Species::new(name, shape, material));
        last_place(self.model.species.len())
    }

    /// Adds a wall that stands still.
    pub fn wall(&mut self, name: &str, surface: Surface, pose: Pose, material: MaterialIndex) -> &mut Self {
        self.moving_wall(Wall { name: name.to_owned(), surface, pose, material, ..Wall::default() })
    }

    /// Adds a wall with its motion.
    pub fn moving_wall(&mut self, wall: Wall) -> &mut Self {
        self.model.walls.push(wall);
        self
    }

    /// Adds a grain of a kind at its own size, unturned and at rest, with its centre at a place [m].
    pub fn grain(&mut self, species: SpeciesIndex, position: DVec3) -> &mut Self {
        let of_species = self.model.species.get(species as usize);
        self.listed_grain(ListedGrain {
            species,
            // A kind that does not exist is told when the model is built.
            radius: of_species.map_or(1.0, |species| species.shape.bounding_radius()),
            position,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
        })
    }

    /// Adds a grain with size, orientation and motion.
    pub fn listed_grain(&mut self, grain: ListedGrain) -> &mut Self {
        self.grains.push(grain);
        self
    }

    /// Largest overlap that single grains may have at the start, as a fraction of the smallest half width of the
    /// two [1]; 0.01 if not set.
    pub fn max_overlap(&mut self, fraction: f64) -> &mut Self {
        self.max_overlap = fraction;
        self
    }

    /// How grains are moved, and what the hard solvers are told.
    pub fn solver(&mut self, solver: Solver, hard: HardSettings) -> &mut Self {
        self.model.solver = solver;
        self.model.hard = hard;
        self
    }

    /// Rate of the simple shear that periodic edges impose [1/s].
    pub fn shear_rate(&mut self, shear_rate: f64) -> &mut Self {
        self.model.shear_rate = shear_rate;
        self
    }

    /// Adds a fill, lattice, stream or list of grains.
    pub fn insertion(&mut self, insertion: Insertion) -> &mut Self {
        self.model.insertions.push(insertion);
        self
    }

    /// What two materials do to each other, in either order.
    pub fn interaction(&mut self, a: MaterialIndex, b: MaterialIndex, properties: InteractionProperties) -> &mut Self {
        self.interactions.push((a, b, properties));
        self
    }

    /// What all other pairs of materials do; if not set, restitution 0.8, friction 0.5 and no rolling resistance.
    pub fn default_interaction(&mut self, properties: InteractionProperties) -> &mut Self {
        self.default_interaction = properties;
        self
    }

    /// The contact law.
    pub fn law(&mut self, law: Law) -> &mut Self {
        self.model.law = law;
        self
    }

    /// Acceleration of gravity [m/s^2].
    pub fn gravity(&mut self, gravity: DVec3) -> &mut Self {
        self.model.gravity = gravity;
        self
    }

    /// Whether grains are discs and polygons that move in the x-y plane only.
    pub fn planar(&mut self, planar: bool) -> &mut Self {
        self.model.planar = planar;
        self
    }

    /// The simulated space and what happens at its edge.
    pub fn domain(&mut self, domain: Domain) -> &mut Self {
        self.model.domain = domain;
        self
    }

    /// Rate of a global drag [1/s].
    pub fn drag(&mut self, drag: f64) -> &mut Self {
        self.model.drag = drag;
        self
    }

    /// How candidate pairs are found.
    pub fn broad_phase(&mut self, broad_phase: BroadPhase) -> &mut Self {
        self.model.broad_phase = broad_phase;
        self
    }

    /// Extra distance up to which pairs are listed [m].
    pub fn skin(&mut self, skin: f64) -> &mut Self {
        self.model.skin = Some(skin);
        self
    }

    /// How long a step is.
    pub fn time_step(&mut self, time_step: TimeStep) -> &mut Self {
        self.model.time_step = time_step;
        self
    }

    /// Seed of all random numbers.
    pub fn seed(&mut self, seed: u64) -> &mut Self {
        self.model.seed = seed;
        self
    }

    /// What is taken as a sign that the run has become unstable.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        self.model.limits = limits;
        self
    }

    /// The model, or what is wrong with it.
    pub fn build(self) -> Result<Model, EngineError> {
        self.check().map_err(EngineError::Model)?;
        let ModelBuilder { mut model, grains, max_overlap, default_interaction, interactions } = self;
        let n = model.materials.len();
        model.interactions = vec![default_interaction; n * n];
        for (a, b, properties) in interactions {
            for (row, column) in [(a, b), (b, a)] {
                model.interactions[row as usize * n + column as usize] = properties;
            }
        }
        if let Some(first) = grains.first() {
            model.insertions.push(Insertion {
                name: "grains".to_owned(),
                species: vec![(first.species, 1.0)],
                size: SizeDistribution::Fixed(first.radius),
                plan: Plan::List { grains: grains.into(), max_overlap },
                velocity: DVec3::ZERO,
                velocity_spread: 0.0,
                angular_velocity: DVec3::ZERO,
                orientation: Some(DQuat::IDENTITY),
                active: true,
            });
        }
        Ok(model)
    }

    fn check(&self) -> Result<(), String> {
        let model = &self.model;
        for (what, n) in [("materials", model.materials.len()), ("kinds of grain", model.species.len())] {
            if n > usize::from(u16::MAX) {
                return Err(format!("there are {n} {what}; at most {} are possible", u16::MAX));
            }
        }
        for material in &model.materials {
            check_material(material)?;
        }
        self.check_interactions()?;
        check_law(&model.law)?;
        for species in &model.species {
            self.material_of(species.material, &format!("the kind of grain `{}`", species.name))?;
            if let Some(refused) = model.law.kind.refuses(&species.shape) {
                return Err(format!("the kind of grain `{}`: {refused}", species.name));
            }
            let kind = species.shape.kind();
            if kind.is_planar() != model.planar {
                let mode = if model.planar { "planar" } else { "not planar" };
                return Err(format!(
                    "the kind of grain `{}` is a {}, but the model is {mode}",
                    species.name,
                    kind.name()
                ));
            }
        }
        for wall in &model.walls {
            self.material_of(wall.material, &format!("the wall `{}`", wall.name))?;
        }
        for insertion in &model.insertions {
            for &(species, _) in &insertion.species {
                self.species_of(species, &format!("the insertion `{}`", insertion.name))?;
            }
        }
        for (number, grain) in self.grains.iter().enumerate() {
            let what = format!("grain {}", number + 1);
            self.species_of(grain.species, &what)?;
            if !(grain.position.is_finite() && grain.velocity.is_finite() && grain.angular_velocity.is_finite()) {
                return Err(format!("{what} has a place, velocity or spin that is not finite"));
            }
            above_zero(&format!("the radius of {what}"), grain.radius, "m")?;
        }
        self.check_space_and_time()
    }

    fn check_interactions(&self) -> Result<(), String> {
        let check = |pair: &str, properties: &InteractionProperties| {
            let &InteractionProperties { restitution, friction, rolling_friction, tangential_restitution } = properties;
            if !(restitution > 0.0 && restitution <= 1.0) {
                return Err(format!("the restitution of {pair} is {restitution}; it must be above 0 and at most 1"));
            }
            if !(-1.0..=1.0).contains(&tangential_restitution) {
                return Err(format!(
                    "the tangential restitution of {pair} is {tangential_restitution}; it must be between -1 and 1"
                ));
            }
            not_negative(&format!("the friction of {pair}"), friction, "")?;
            not_negative(&format!("the rolling friction of {pair}"), rolling_friction, "")
        };
        check("materials in general", &self.default_interaction)?;
        for (a, b, properties) in &self.interactions {
            let [name_a, name_b] = [self.material_of(*a, "an interaction")?, self.material_of(*b, "an interaction")?];
            check(&format!("`{name_a}` and `{name_b}`"), properties)?;
        }
        Ok(())
    }

    fn check_space_and_time(&self) -> Result<(), String> {
        let model = &self.model;
        if !model.gravity.is_finite() {
            return Err(format!("gravity is {} m/s^2; it must be finite", model.gravity));
        }
        not_negative("the drag", model.drag, "1/s")?;
        if let Some(skin) = model.skin {
            not_negative("the skin", skin, "m")?;
        }
        match model.time_step {
            TimeStep::Fixed(step) => above_zero("the time step", step, "s")?,
            TimeStep::Automatic { safety, speed } => {
                above_zero("the factor on the time step", safety, "")?;
                if let Some(speed) = speed {
                    above_zero("the speed that the time step is for", speed, "m/s")?;
                }
            }
        }
        let Domain { lower, upper, edges } = &model.domain;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let (low, high) = (lower[axis], upper[axis]);
            if low.is_nan() || high.is_nan() || low >= high {
                return Err(format!("the domain reaches from {low} m to {high} m along {name}"));
            }
            if edges[axis] == Edge::Periodic && !(low.is_finite() && high.is_finite()) {
                return Err(format!("the domain is periodic along {name}, but reaches from {low} m to {high} m"));
            }
        }
        Ok(())
    }

    fn material_of(&self, index: MaterialIndex, of: &str) -> Result<&str, String> {
        let n = self.model.materials.len();
        let material = self.model.materials.get(index as usize);
        material.map(|m| m.name.as_str()).ok_or_else(|| format!("{of} has material number {index}; there are {n}"))
    }

    fn species_of(&self, index: SpeciesIndex, of: &str) -> Result<(), String> {
        let n = self.model.species.len();
        if (index as usize) < n { Ok(()) } else { Err(format!("{of} is of kind number {index}; there are {n}")) }
    }
}

/// The place of the last of so many; [`ModelBuilder::build`] refuses more than can be counted.
fn last_place(n: usize) -> u16 {
    u16::try_from(n - 1).unwrap_or(u16::MAX)
}

fn check_material(material: &Material) -> Result<(), String> {
    let name = &material.name;
    above_zero(&format!("the density of `{name}`"), material.density, "kg/m^3")?;
    above_zero(&format!("Young's modulus of `{name}`"), material.young_modulus, "Pa")?;
    let ratio = material.poisson_ratio;
    if !(ratio > -1.0 && ratio <= 0.5) {
        return Err(format!("Poisson's ratio of `{name}` is {ratio}; it must be above -1 and at most 0.5"));
    }
    Ok(())
}

fn check_law(law: &Law) -> Result<(), String> {
    if law.kind.goes_by_local_curvature() && law.contact_method.is_published() {
        let name = law.contact_method.name();
        return Err(format!("the law of local curvatures goes with exact contacts, not with the method \"{name}\""));
    }
    match law.kind {
        LawKind::HertzMindlin { .. } => Ok(()),
        LawKind::Linear { normal_stiffness, tangential_ratio } => {
            above_zero("the normal stiffness", normal_stiffness, "N/m")?;
            not_negative("the ratio of the stiffnesses", tangential_ratio, "")
        }
        LawKind::Volume { normal_stiffness, tangential_ratio, region_tolerance, length, .. } => {
            above_zero("the normal stiffness", normal_stiffness, "N/m")?;
            not_negative("the ratio of the stiffnesses", tangential_ratio, "")?;
            above_zero("the tolerance of regions", region_tolerance, "")?;
            length.map_or(Ok(()), |length| above_zero("the length of the volume law", length, "m"))
        }
        LawKind::Pressure { stiffness_per_area, tangential_ratio } => {
            above_zero("the stiffness over area", stiffness_per_area, "Pa/m")?;
            not_negative("the ratio of the stiffnesses", tangential_ratio, "")
        }
    }
}

fn above_zero(what: &str, value: f64, unit: &str) -> Result<(), String> {
    let is_fine = value > 0.0 && value.is_finite();
    if is_fine {
        Ok(())
    } else {
        Err(format!("{what} is {value} {unit}").trim_end().to_owned() + "; it must be above zero")
    }
}

fn not_negative(what: &str, value: f64, unit: &str) -> Result<(), String> {
    let is_fine = value >= 0.0 && value.is_finite();
    if is_fine {
        Ok(())
    } else {
        Err(format!("{what} is {value} {unit}").trim_end().to_owned() + "; it must not be below zero")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Simulation;
    use tumble_geometry::{Disc, Sphere};

    fn glass() -> Material {
        Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 }
    }

    fn ball() -> Shape {
        Shape::Sphere(Sphere { radius: 0.005 })
    }

    /// One kind of ball, one ball.
    fn one_ball() -> ModelBuilder {
        let mut builder = Model::builder();
        let glass = builder.material(glass());
        let species = builder.species("bead", &ball(), glass);
        builder.grain(species, DVec3::Z * 0.1);
        builder
    }

    #[test]
    fn what_is_built_runs() {
        let mut builder = one_ball();
        builder.wall("floor", Surface::HalfSpace, Pose::IDENTITY, 0);
        let steel = builder.material(Material { name: "steel".into(), ..glass() });
        let slippery = InteractionProperties {
            restitution: 0.5,
            friction: 0.0,
            rolling_friction: 0.0,
            tangential_restitution: 0.0,
        };
        builder.interaction(0, steel, slippery);
        let model = builder.build().unwrap();
        assert_eq!((*model.interaction(0, 1), *model.interaction(1, 0)), (slippery, slippery));
        assert_eq!(model.interaction(0, 0).restitution, 0.8);
        let mut simulation = Simulation::new(model).unwrap();
        simulation.step().unwrap();
        let particles = &simulation.state().particles;
        assert_eq!((particles.len(), particles.radius[0], particles.scale[0]), (1, 0.005, 1.0));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |change: &dyn Fn(&mut ModelBuilder), expected: &str| {
            let mut builder = one_ball();
            change(&mut builder);
            let message = builder.build().unwrap_err().to_string();
            assert!(message.contains(expected), "`{expected}` is not in `{message}`");
        };
        check(
            &|b| {
                b.material(Material { density: 0.0, ..glass() });
            },
            "the density of `glass` is 0 kg/m^3",
        );
        check(
            &|b| {
                b.material(Material { young_modulus: f64::NAN, ..glass() });
            },
            "Young's modulus of `glass`",
        );
        check(
            &|b| {
                b.material(Material { poisson_ratio: 0.6, ..glass() });
            },
            "Poisson's ratio of `glass` is 0.6",
        );
        check(
            &|b| {
                b.species("rod", &ball(), 7);
            },
            "the kind of grain `rod` has material number 7; there are 1",
        );
        check(
            &|b| {
                b.wall("floor", Surface::HalfSpace, Pose::IDENTITY, 3);
            },
            "the wall `floor` has material",
        );
        check(
            &|b| {
                b.grain(4, DVec3::ZERO);
            },
            "grain 2 is of kind number 4; there are 1",
        );
        check(
            &|b| {
                b.grain(0, DVec3::NAN);
            },
            "grain 2 has a place",
        );
        let properties = InteractionProperties {
            restitution: 0.0,
            friction: 0.0,
            rolling_friction: 0.0,
            tangential_restitution: 0.0,
        };
        check(
            &|b| {
                b.interaction(0, 0, properties);
            },
            "the restitution of `glass` and `glass` is 0",
        );
        let properties = InteractionProperties {
            restitution: 0.5,
            friction: -1.0,
            rolling_friction: 0.0,
            tangential_restitution: 0.0,
        };
        check(
            &|b| {
                b.default_interaction(properties);
            },
            "the friction of materials in general is -1; it must",
        );
        check(
            &|b| {
                b.time_step(TimeStep::Fixed(-1.0));
            },
            "the time step is -1 s",
        );
        check(
            &|b| {
                b.drag(f64::INFINITY);
            },
            "the drag is inf 1/s",
        );
        check(
            &|b| {
                b.planar(true);
            },
            "`bead` is a sphere, but the model is planar",
        );
        let disc = Shape::Disc(Disc { radius: 1.0, half_thickness: 0.5 });
        check(
            &|b| {
                b.species("coin", &disc, 0);
            },
            "`coin` is a disc, but the model is not planar",
        );
        let edges = [Edge::Periodic, Edge::Open, Edge::Open];
        check(
            &|b| {
                b.domain(Domain { edges, ..Domain::UNBOUNDED });
            },
            "periodic along x",
        );
        let kind = LawKind::Linear { normal_stiffness: 0.0, tangential_ratio: 0.3 };
        check(
            &|b| {
                b.law(Law { kind, ..Law::default() });
            },
            "the normal stiffness is 0 N/m",
        );
    }
}
