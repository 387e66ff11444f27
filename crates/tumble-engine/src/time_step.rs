//! The automatic time step, with its reason.
//!
//! For every pair of species, and every species with every wall, at the smallest sizes that can occur:
//! - linear law: contact time pi sqrt(m / k) over 50. Where faces are met in their deepest point (`law.faces`) and faces or
//!   straight sides can lie flat on others, over 100: there the point of contact jumps from edge to edge, and each jump costs the
//!   ledger in proportion to the step; bodies of revolution bulge a little unless `law.crown` is 0, and do not jump. Inside a wall of revolution all corners of a
//!   polyhedron's face have a spring each: the stiffness counts as many times as they make its fastest swing stiffer than one
//!   corner at the end of the longest lever arm does;
//! - Hertz-Mindlin: contact time 2.868 (m^2 / (R E^2 v))^(1/5) over 20 at the largest expected speed v, and 0.15 of the time
//!   a Rayleigh wave takes around the grain, pi R sqrt(density / G) / (0.1631 nu + 0.8766). With local curvatures R of the contact
//!   time is that of the flattest places that can meet, which are the stiffest;
//! - either: multiplied by sqrt(1 + z^2) - z for the damping ratio z, which is what explicit damping costs in stability;
//! - volume law: as linear, with the stiffness that two faces have at a depth of 1 % of the reference length, and half as long
//!   where that stiffness grows for smaller depths (exponents below 2). Polyhedra without large faces have their own largest faces, and
//!   their largest sections (`time_step/sections.rs`) on the way to the depth of a collision at the largest expected speed; and friction springs, which do
//!   not get softer with them, a twentieth of pi sqrt(2/7 m / k_t): the surface of a ball moves as if it had 2/7 of its mass;
//! - law of pressure: as linear, with the stiffness of the largest faces that can meet;
//! - and no grain may travel more than 2 % of its smallest width in a step at the largest expected speed.
//!
//! The smallest of these is taken. m, R, E are those of the contact: R of the ball of equal volume, and m with the longest
//! lever arm that a contact can have on the grain, 1/m_c = 1/m + (r x n) . I^-1 (r x n) at the surface point r whose
//! normal is n. A cylinder's rim moves as if it had a fifth of its mass.

mod sections;

use crate::boundary::insertion::{Insertion, Plan};
use crate::law::coefficients::effective_young_modulus;
use crate::law::{Faces, LawKind, LawTable};
use crate::model::{Material, Model, Species};
use glam::DVec3;
use sections::Sections;
use std::f64::consts::PI;
use tumble_geometry::narrow::ContactBody;
use tumble_geometry::{Shape, Surface};

/// A time step and why it is that long.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Length of a step [s].
    pub time_step: f64,
    /// Which contact and which rule decided, in words.
    pub reason: String,
}

/// Chooses the time step of a model.
pub fn automatic(model: &Model, safety: f64, expected_speed: Option<f64>) -> Choice {
    let table = LawTable::new(model);
    let speed = expected_speed.unwrap_or_else(|| largest_speed(model));
    let smallest = smallest_radii(model);
    let mut best = Choice { time_step: f64::INFINITY, reason: "nothing moves in this scene".to_string() };
    let mut consider = |time_step: f64, reason: &dyn Fn() -> String| {
        if time_step < best.time_step {
            best = Choice { time_step, reason: reason() };
        }
    };
    let present: Vec<(usize, f64)> =
        smallest.iter().enumerate().filter_map(|(s, radius)| radius.map(|r| (s, r))).collect();
    let mut all_sections: Vec<Option<Sections>> = vec![None; model.species.len()];
    if let (LawKind::Volume { .. }, Some(law)) = (model.law.kind, table.volume) {
        for &(s, radius) in &present {
            let scale = radius / model.species[s].shape.bounding_radius();
            let largest = face_area(model, s, radius);
            all_sections[s] = Sections::of(&model.species[s], scale, law.reference.cbrt(), largest);
        }
    }
    for &(s, radius) in &present {
        let species = &model.species[s];
        let mass = contact_mass(model, s, radius);
        let (contact_radius, face) = (contact_radius(model, s, radius), face_area(model, s, radius));
        let flattest = flattest_counted(model, s, radius);
        let sections = all_sections[s].as_ref();
        let energy = |other_mass: f64| {
            let mass = self::mass(model, s, radius);
            0.5 * speed * speed / (1.0 / mass + 1.0 / other_mass)
        };
        let material = &model.materials[species.material as usize];
        for &(other, other_radius) in present.iter().filter(|(other, _)| *other >= s) {
            let other_material = model.species[other].material;
            let other_mass = self::contact_mass(model, other, other_radius);
            let other_contact_radius = self::contact_radius(model, other, other_radius);
            let contact = Contact {
                effective_mass: mass * other_mass / (mass + other_mass),
                effective_radius: (contact_radius * other_contact_radius / (contact_radius + other_contact_radius))
                    .max(1.0 / (flattest + flattest_counted(model, other, other_radius))),
                lies_flat: lies_flat(model, &species.shape) || lies_flat(model, &model.species[other].shape),
                springs: 1.0,
                face: face.min(face_area(model, other, other_radius)),
                sections: match (sections, &all_sections[other]) {
                    (Some(one), Some(other)) => Some(one.smaller(other)),
                    (one, other) => one.or(other.as_ref()).cloned(),
                },
                energy: energy(self::mass(model, other, other_radius)),
                materials: [material, &model.materials[other_material as usize]],
                damping_ratio: table.get(species.material, other_material).damping_ratio,
            };
            let (time_step, rule) = contact.time_step(model, &table, speed);
            consider(time_step, &|| {
                format!(
                    "{} against {} (radii {} and {}): {rule}",
                    species.name,
                    model.species[other].name,
                    metres(radius),
                    metres(other_radius)
                )
            });
        }
        for wall in &model.walls {
            let contact = Contact {
                effective_mass: wall.motion.free().map_or(mass, |(_, own)| mass / (1.0 + mass / own)),
                effective_radius: match wall.surface {
                    Surface::HalfSpace => contact_radius.max(1.0 / flattest),
                    Surface::Mesh(_) | Surface::Revolved(_) => contact_radius,
                },
                lies_flat: lies_flat(model, &species.shape),
                springs: springs(model, s, &wall.surface),
                face,
                sections: sections.cloned(),
                energy: energy(f64::INFINITY),
                materials: [material, &model.materials[wall.material as usize]],
                damping_ratio: table.get(species.material, wall.material).damping_ratio,
            };
            let (time_step, rule) = contact.time_step(model, &table, speed);
            consider(time_step, &|| {
                format!("{} (radius {}) against wall {}: {rule}", species.name, metres(radius), wall.name)
            });
        }
        if matches!(model.law.kind, LawKind::HertzMindlin { .. }) {
            let rayleigh = PI * contact_radius * (material.density / material.shear_modulus()).sqrt()
                / (0.1631 * material.poisson_ratio + 0.8766);
            consider(0.15 * rayleigh, &|| {
                format!(
                    "{} (radius {}): 0.15 of the Rayleigh time {rayleigh:.3e} s",
                    species.name,
                    metres(contact_radius)
                )
            });
        }
        if speed > 0.0 {
            let width = species.smallest_width * (radius / species.shape.bounding_radius());
            consider(0.02 * width / speed, &|| {
                format!("{} (smallest width {}): 2 % of it a step at {speed:.3} m/s", species.name, metres(width))
            });
        }
    }
    if best.time_step.is_infinite() {
        best.time_step = 1e-4;
    }
    best.time_step *= safety;
    if safety != 1.0 {
        best.reason += &format!(", times the safety factor {safety}");
    }
    best
}

struct Contact<'a> {
    effective_mass: f64,
    effective_radius: f64,
    /// Whether a face or a straight side of one can lie flat on the other.
    lies_flat: bool,
    /// How many times the stiffness counts.
    springs: f64,
    /// Area of the largest faces that can meet [m^2].
    face: f64,
    /// What takes the place of faces if one has no large ones.
    sections: Option<Sections>,
    /// Of a collision at the largest expected speed [J].
    energy: f64,
    materials: [&'a Material; 2],
    damping_ratio: f64,
}

impl Contact<'_> {
    fn time_step(&self, model: &Model, table: &LawTable, speed: f64) -> (f64, String) {
        let z = self.damping_ratio;
        let damping = (1.0 + z * z).sqrt() - z;
        let for_damping = if z > 0.0 { format!(", times {damping:.3} for damping") } else { String::new() };
        match model.law.kind {
            LawKind::Linear { normal_stiffness, .. } => {
                let normal_stiffness = self.springs * normal_stiffness;
                let duration = PI * (self.effective_mass / normal_stiffness).sqrt();
                let steps = if self.lies_flat { 100.0 } else { 50.0 };
                (
                    duration / steps * damping,
                    format!(
                        "contact time {duration:.3e} s of stiffness {normal_stiffness:.3e} N/m, over {steps}{for_damping}"
                    ),
                )
            }
            LawKind::Volume { normal_stiffness, exponent, tangential_ratio, .. } => {
                // The secant of the force of two faces at 1 % of the reference length.
                let of_faces = |face: f64| {
                    table.volume.map_or(normal_stiffness, |law| {
                        let depth = 0.01 * law.reference.cbrt();
                        law.pressure(face * depth) * face / depth
                    })
                };
                let duration = |mass: f64, stiffness: f64| PI * (mass / stiffness).sqrt();
                let steps = if exponent.value() < 2.0 { 100.0 } else { 50.0 };
                let (what, mass, stiffness, steps) = if let (Some(sections), Some(law)) =
                    (&self.sections, &table.volume)
                {
                    let mass = self.effective_mass;
                    // Caps, unlike faces, get softer for smaller depths whatever the exponent.
                    let of_sections = sections.stiffness(law, self.energy);
                    let candidates = [
                        ("faces", mass, of_faces(sections.largest_face), steps),
                        ("the flattest sides", mass, of_sections, 50.0),
                        ("friction springs", 2.0 / 7.0 * mass, tangential_ratio * normal_stiffness, 20.0),
                    ];
                    let step = |(_, mass, stiffness, steps): &(_, f64, f64, f64)| duration(*mass, *stiffness) / steps;
                    candidates.into_iter().min_by(|a, b| step(a).total_cmp(&step(b))).unwrap_or(candidates[0])
                } else {
                    // Never below what was asked for: friction springs have it.
                    ("faces", self.effective_mass, of_faces(self.face).max(normal_stiffness), steps)
                };
                let duration = duration(mass, stiffness);
                (
                    duration / steps * damping,
                    format!(
                        "contact time {duration:.3e} s of {what} of stiffness {stiffness:.3e} N/m, over {steps}{for_damping}"
                    ),
                )
            }
            LawKind::Pressure { stiffness_per_area, .. } => {
                let stiffness = stiffness_per_area * self.face;
                let duration = PI * (self.effective_mass / stiffness).sqrt();
                (
                    duration / 50.0 * damping,
                    format!(
                        "contact time {duration:.3e} s of faces of stiffness {stiffness:.3e} N/m, over 50{for_damping}"
                    ),
                )
            }
            LawKind::HertzMindlin { .. } => {
                let modulus = self.springs * effective_young_modulus(self.materials[0], self.materials[1]);
                // A contact at rest still has a sound speed: with no speed known, a thousandth of it.
                let density = self.materials[0].density;
                let v = if speed > 0.0 { speed } else { 1e-3 * (modulus / density).sqrt() };
                let duration =
                    2.868 * (self.effective_mass.powi(2) / (self.effective_radius * modulus.powi(2) * v)).powf(0.2);
                (
                    duration / 20.0 * damping,
                    format!(
                        "Hertz contact time {duration:.3e} s at {v:.3} m/s, E* = {modulus:.3e} Pa, over 20{for_damping}"
                    ),
                )
            }
        }
    }
}

pub(crate) fn mass(model: &Model, species: usize, radius: f64) -> f64 {
    let species = &model.species[species];
    let scale = radius / species.shape.bounding_radius();
    model.materials[species.material as usize].density * species.volume * scale.powi(3)
}

/// The least mass with which a grain of a species meets a contact, at the end of its longest lever arm [kg].
pub(crate) fn contact_mass(model: &Model, species: usize, radius: f64) -> f64 {
    let kind = &model.species[species];
    let mass = mass(model, species, radius);
    // I/m of the shape at its own scale; the lever's effect on the mass is the same at every scale.
    let gyration = kind.moments / kind.volume;
    mass / (1.0 + largest_lever(&kind.shape, gyration))
}

/// How many times the stiffness of a contact counts where all corners of a face touch a wall at once.
///
/// n springs of stiffness k hold a body by n k / m, and against rocking by no more than n k l / (2 m), with l the largest work of
/// a unit force at the end of a lever arm over that on the whole body: they share their torques between two axes. One spring
/// holds it by k (1 + l) / m at most.
fn springs(model: &Model, species: usize, surface: &Surface) -> f64 {
    let kind = &model.species[species];
    let corners = |part: &Shape| {
        part.as_polyhedron().and_then(|p| p.faces().iter().map(|face| face.vertices.len()).max()).unwrap_or(1)
    };
    let n = kind.shape.parts().map(|(part, _)| corners(part)).max().unwrap_or(1) as f64;
    if n == 1.0 || !matches!(surface, Surface::Revolved(_)) {
        return 1.0;
    }
    let lever = largest_lever(&kind.shape, kind.moments / kind.volume);
    (n * (0.5 * lever).max(1.0) / (1.0 + lever)).max(1.0)
}

/// The largest (r x n) . (I/m)^-1 (r x n) over surface points r and their normals n, from directions spread over the sphere.
fn largest_lever(shape: &Shape, gyration: DVec3) -> f64 {
    const N_DIRECTIONS: usize = 500;
    let golden_angle = PI * (3.0 - 5f64.sqrt());
    if shape.is_ball() {
        return 0.0;
    }
    let planar = shape.is_planar();
    let mut largest: f64 = 0.0;
    for (part, pose) in shape.parts() {
        for k in 0..N_DIRECTIONS {
            let z = if planar { 0.0 } else { 1.0 - (2 * k + 1) as f64 / N_DIRECTIONS as f64 };
            let rho = (1.0 - z * z).sqrt();
            let (sine, cosine) = (golden_angle * k as f64).sin_cos();
            let normal = DVec3::new(rho * cosine, rho * sine, z);
            let point = pose.transform_point(part.support(pose.inverse_transform_vector(normal)));
            let mut lever = point.cross(normal);
            if planar {
                lever = DVec3::Z * lever.z;
            }
            largest = largest.max((lever * lever / gyration).element_sum());
        }
    }
    largest
}

/// Whether a shape has faces or straight sides that can lie flat on others: those that bulge cannot.
pub(crate) fn lies_flat(model: &Model, shape: &Shape) -> bool {
    let (Faces::SubContacts { crown } | Faces::DeepestPoint { crown }) = model.law.acting_faces() else { return false };
    let is_flat = |part: &Shape| part.lies_flat() && ContactBody::new(part, crown).crown() == 0.0;
    match shape {
        Shape::Clump(clump) => clump.parts().iter().any(|part| is_flat(&part.shape)),
        convex => is_flat(convex),
    }
}

/// Radius of the ball as large as a grain [m].
pub(crate) fn contact_radius(model: &Model, species: usize, radius: f64) -> f64 {
    let kind = &model.species[species];
    if let Shape::Sphere(_) = kind.shape {
        return radius;
    }
    (kind.volume * 0.75 / PI).cbrt() * (radius / kind.shape.bounding_radius())
}

/// The least curvature that counts on a grain where the law goes by curvatures [1/m]; infinite where it does not.
fn flattest_counted(model: &Model, species: usize, radius: f64) -> f64 {
    let shape = &model.species[species].shape;
    if !model.law.kind.goes_by_local_curvature() {
        return f64::INFINITY;
    }
    let counted = shape.parts().filter_map(|(part, _)| part.flattest_counted());
    counted.fold(f64::INFINITY, f64::min) * (shape.bounding_radius() / radius)
}

/// Area of a grain's largest face, as if it were a plate of its smallest width [m^2].
fn face_area(model: &Model, species: usize, radius: f64) -> f64 {
    let kind = &model.species[species];
    kind.volume / kind.smallest_width * (radius / kind.shape.bounding_radius()).powi(2)
}

fn metres(length: f64) -> String {
    match length {
        l if l >= 1.0 => format!("{l:.3} m"),
        l if l >= 1e-3 => format!("{:.3} mm", l * 1e3),
        l => format!("{:.3} um", l * 1e6),
    }
}

/// The smallest radius of each species that any insertion can bring in [m].
fn smallest_radii(model: &Model) -> Vec<Option<f64>> {
    let mut smallest = vec![None; model.species.len()];
    let mut note = |species: usize, radius: f64| {
        let entry: &mut Option<f64> = &mut smallest[species];
        *entry = Some(entry.map_or(radius, |r| r.min(radius)));
    };
    for insertion in &model.insertions {
        match &insertion.plan {
            Plan::List { grains, .. } => grains.iter().for_each(|g| note(g.species as usize, g.radius)),
            Plan::Lattice { .. } | Plan::Fill { .. } | Plan::Stream { .. } => {
                insertion.species.iter().for_each(|&(s, _)| note(s as usize, insertion.smallest_radius(s)));
            }
        }
    }
    smallest
}

/// The smallest width of each species that any insertion can bring in [m].
pub(crate) fn smallest_widths(model: &Model) -> Vec<f64> {
    let radii = smallest_radii(model).into_iter().zip(&model.species);
    let width = |(radius, species): (Option<f64>, &Species)| {
        radius.map(|radius| species.smallest_width * (radius / species.shape.bounding_radius()))
    };
    radii.filter_map(width).collect()
}

/// Diameter of the ball as large as the smallest grain that any insertion can bring in [m]; 1 m if there is none.
pub fn smallest_diameter(model: &Model) -> f64 {
    let radii = smallest_radii(model);
    let volume = radii.iter().zip(&model.species).filter_map(|(radius, species)| {
        radius.map(|radius| species.volume * (radius / species.shape.bounding_radius()).powi(3))
    });
    let smallest = volume.fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { (6.0 * smallest / PI).cbrt() } else { 1.0 }
}

/// The largest relative speed to expect: that of insertion and walls, and of a fall from the highest to the lowest
/// place the scene names [m/s].
pub fn largest_speed(model: &Model) -> f64 {
    let mut points: Vec<DVec3> = Vec::new();
    let mut insertion_speed: f64 = 0.0;
    for insertion in &model.insertions {
        insertion_speed = insertion_speed.max(largest_insertion_speed(insertion));
        match &insertion.plan {
            Plan::List { grains, .. } => points.extend(grains.iter().map(|g| g.position)),
            Plan::Lattice { region, .. } | Plan::Fill { region, .. } | Plan::Stream { region, .. } => {
                points.extend(region.bounds().corners());
            }
        }
    }
    let mut wall_speed: f64 = 0.0;
    for wall in &model.walls {
        match wall.surface.bounds(&wall.pose) {
            Some(bounds) => points.extend(bounds.corners()),
            None => points.push(wall.pose.position),
        }
        wall_speed = wall_speed.max(wall.largest_speed() + wall.conveyor_speed());
    }
    let strength = model.gravity.length();
    let mut fall = 0.0;
    if strength > 0.0 {
        let down = model.gravity / strength;
        let heights = points.iter().map(|p| p.dot(down)).filter(|h| h.is_finite());
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        if high > low {
            fall = (2.0 * strength * (high - low)).sqrt();
        }
    }
    2.0 * insertion_speed + fall + wall_speed
}

fn largest_insertion_speed(insertion: &Insertion) -> f64 {
    match &insertion.plan {
        Plan::List { grains, .. } => grains.iter().map(|g| g.velocity.length()).fold(0.0, f64::max),
        Plan::Lattice { .. } | Plan::Fill { .. } | Plan::Stream { .. } => {
            insertion.velocity.length() + 3f64.sqrt() * insertion.velocity_spread
        }
    }
}
