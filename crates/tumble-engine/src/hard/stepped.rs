//! The stepped hard solver: move all grains, find those that overlap, let each pair that approaches collide once, in a fixed order.
//!
//! A step of length h is half a kick by gravity and drag, the collisions of what overlaps now, a drift at the velocity that they
//! left, and half a kick. Free flight is exact. What lies on something is stopped before it drifts, so it does not sink; impulses
//! on walls fall half a kick late, and the ledger books the work h/2 g . J that gravity does not do for it.
//!
//! Overlaps at collisions grow with the step, about half of what a pair approaches in it, and so does the error: stresses are low by 5 to
//! 7 % for each per cent of mean overlap in dense shear. With steps in which grains move a good part of their size the energy grows
//! without bound, so they are refused.
//!
//! Collisions are resolved one after the other, whatever the number of threads: each changes what the next one meets.

use super::images::{Images, PeriodicCell};
use super::rules::{CollisionRules, PairMeeting, collide_grains, collide_with_wall};
use super::sizes::SizedShapes;
use super::wall_boxes::WallBoxes;
use super::{
    CollisionRecord, add_mean_flow, add_to_totals, advance_clock, exchange, note_what_is_in_play, refuse_unhealthy,
    turn_freely,
};
use crate::boundary::wall::Wall;
use crate::boundary::wall_images::WallImages;
use crate::broad::{Balls, Candidates, TooManyPairs, find_candidates, spatial_order};
use crate::contacts::Unsettled;
use crate::observe::Partner;
use crate::state::{SolverState, SteppedState};
use crate::{EngineError, Model, Particles, State, health};
use glam::{DVec3, IVec3};
use rayon::prelude::*;
use tumble_geometry::narrow::{contact_surface, contact_within};
use tumble_geometry::{Pose, SurfaceContact};

/// Streams insert, and edges remove, every so many steps.
const EXCHANGE_EVERY: u64 = 50;
/// The run's health is looked at every so many steps.
const HEALTH_EVERY: u64 = 64;
/// The grains are sorted at every so many builds of the lists.
const SORT_EVERY: u64 = 16;
/// Grains in a block of parallel work; fixed, so that what is found does not depend on the number of threads.
const BLOCK: usize = 1024;
/// Root of the granular temperature times the step, over the width of grains, from which on runs blow up [1]. (Measured: sheared
/// discs at a solid fraction of 0.1 and a restitution of 0.9.)
const BLOWS_UP: f64 = 0.3;

/// What the stepped hard solver works with beside the state. All of it follows from model and state.
#[derive(Clone, Debug)]
pub(crate) struct Stepped {
    rules: CollisionRules,
    walls: WallImages,
    boxes: WallBoxes,
    shapes: SizedShapes,
    candidates: Candidates,
    images: Images,
    /// Which walls, and which of their images, each grain can meet.
    near_walls: Vec<Vec<(u32, DVec3)>>,
    /// Collisions of the last step, if they are to be told.
    pub log: Vec<CollisionRecord>,
}

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug)]
struct Overlap {
    a: u32,
    partner: OverlapPartner,
    /// Unit normal, from a to its partner.
    normal: DVec3,
    /// From the centre of a to the contact point [m].
    arm: DVec3,
    /// [m]
    depth: f64,
}

#[derive(Clone, Copy, Debug)]
enum OverlapPartner {
    /// A grain, and which image of it.
    Grain(u32, IVec3),
    /// A wall, and the way to which image of it [m].
    Wall(u32, DVec3),
}

impl Stepped {
    /// Begins with grains and walls in their places.
    pub fn begin(model: &Model, state: &mut State) -> Result<Stepped, EngineError> {
        add_mean_flow(model, state);
        let radii = &state.particles.radius;
        let mean = radii.iter().sum::<f64>() / radii.len().max(1) as f64;
        // A third of a radius: lists last for tens of steps of a flowing gas.
        let skin = model.skin.unwrap_or(if mean > 0.0 { mean / 3.0 } else { 0.0 });
        state.solver = SolverState::Stepped(SteppedState { skin, ..SteppedState::default() });
        let mut stepped = Stepped::without_lists(model);
        stepped.rebuild(model, state)?;
        Ok(stepped)
    }

    /// Goes on from a state that fits the model.
    pub fn resume(model: &Model, state: &State) -> Result<Stepped, EngineError> {
        let mut stepped = Stepped::without_lists(model);
        stepped.build(model, state)?;
        Ok(stepped)
    }

    /// Goes on from a state of another model.
    pub fn change(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        *self = Stepped::without_lists(model);
        self.rebuild(model, state)
    }

    fn without_lists(model: &Model) -> Stepped {
        Stepped {
            rules: CollisionRules::new(model),
            walls: WallImages::new(model),
            boxes: WallBoxes::new(model),
            shapes: SizedShapes::default(),
            candidates: Candidates::default(),
            images: Images::default(),
            near_walls: Vec::new(),
            log: Vec::new(),
        }
    }

    /// One step, from one moment at which positions and velocities are known to the next.
    pub fn step(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        if state.step.is_multiple_of(EXCHANGE_EVERY) {
            let (left, came) = exchange(model, state, &self.walls);
            if left.is_some() || came {
                self.rebuild(model, state)?;
            }
        }
        let dt = state.time_step;
        self.log.clear();
        let mut drag_loss = kick(model, &mut state.particles, 0.5 * dt);
        for wall in &mut state.walls {
            (wall.force, wall.torque, wall.conveyor_power) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        }
        self.collide(model, state)?;
        let turns = model.turn_spheres || !self.shapes.are_round();
        drift(model, &mut state.particles, dt, turns);
        drag_loss += kick(model, &mut state.particles, 0.5 * dt);
        state.ledger.drag += drag_loss;
        advance_clock(model, state);
        if self.outlived(model, state) {
            self.rebuild(model, state)?;
        }
        add_to_totals(model, state, dt);
        if state.step.is_multiple_of(HEALTH_EVERY) {
            self.check_health(model, state)?;
            note_what_is_in_play(model, state);
        }
        Ok(())
    }

    /// Whether the run is still sound.
    pub fn check_health(&self, model: &Model, state: &State) -> Result<(), EngineError> {
        let (p, dt) = (&state.particles, state.time_step);
        refuse_unhealthy(model, state)?;
        if p.is_empty() {
            return Ok(());
        }
        let cell = PeriodicCell::of(model);
        let beside = |i: usize| p.velocity[i] - cell.mean_flow(p.position[i]);
        let unstable = |what: String| Err(EngineError::Unstable { step: state.step, time: state.time, what });
        for i in 0..p.len() {
            let travel = beside(i).length() * dt / self.shapes.get(i).half_width;
            if travel > model.limits.travel {
                return unstable(format!(
                    "grain {} moves by {travel:.2} of half its smallest width in one step (limit {}); give a shorter `time.step`, or allow \
                     more by `limits.travel`",
                    p.id[i], model.limits.travel
                ));
            }
        }
        let n = p.len() as f64;
        let mean = (0..p.len()).map(beside).sum::<DVec3>() / n;
        let dimensions = if model.planar { 2.0 } else { 3.0 };
        let temperature = (0..p.len()).map(|i| (beside(i) - mean).length_squared()).sum::<f64>() / (n * dimensions);
        let width = 2.0 * (0..p.len()).map(|i| self.shapes.get(i).half_width).fold(f64::INFINITY, f64::min);
        let ratio = temperature.sqrt() * dt / width;
        if ratio > BLOWS_UP {
            return unstable(format!(
                "grains move by {ratio:.2} of their width in a step on average, and from {BLOWS_UP} on collisions add energy without \
                 bound; give `time.step` at most {:.3e} s, or let it be chosen",
                dt * BLOWS_UP / (3.0 * ratio)
            ));
        }
        Ok(())
    }

    /// Lets what overlaps and approaches collide, in the order of the grains, as many times over as there are sweeps.
    fn collide(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        let overlaps = self.find(model, state)?;
        let (cell, time, dt) = (PeriodicCell::of(model), state.time, state.time_step);
        let counts = time >= model.hard.average_after;
        for _ in 0..model.hard.sweeps {
            for overlap in &overlaps {
                let a = overlap.a as usize;
                let p = &mut state.particles;
                let material = |grain: usize, p: &Particles| model.species[p.species[grain] as usize].material;
                let (impulse, partner) = match overlap.partner {
                    OverlapPartner::Grain(b, image) => {
                        let b = b as usize;
                        let branch = p.position[b] + cell.shift(image, time) - p.position[a];
                        let meeting = PairMeeting {
                            normal: overlap.normal,
                            arms: [overlap.arm, overlap.arm - branch],
                            image_velocity: cell.velocity(image),
                        };
                        let rule = self.rules.get(material(a, p), material(b, p));
                        let Some(impulse) = collide_grains(model, rule, p, [a, b], &meeting) else { continue };
                        // What the image of a sheared edge gets and the grain itself does not is work of the edge.
                        state.ledger.wall_work += impulse.on_a.dot(meeting.image_velocity);
                        if counts {
                            let width = 2.0 * self.shapes.get(a).half_width.min(self.shapes.get(b).half_width);
                            let totals = &mut state.solver.stepped_mut().totals;
                            totals.add_pair(-branch, impulse.on_a);
                            totals.overlaps += overlap.depth / width;
                            totals.largest_overlap = totals.largest_overlap.max(overlap.depth / width);
                        }
                        (impulse, Partner::Particle(b))
                    }
                    OverlapPartner::Wall(wall, shift) => {
                        let wall = wall as usize;
                        let point = p.position[a] + overlap.arm - shift;
                        let conveyed = model.walls[wall]
                            .conveyor
                            .map_or(DVec3::ZERO, |c| c.along(&state.walls[wall].pose, point, overlap.normal));
                        let velocity = state.walls[wall].velocity_at(point) + conveyed;
                        let rule = self.rules.get(material(a, p), model.walls[wall].material);
                        let collided = collide_with_wall(model, rule, p, a, overlap.normal, overlap.arm, velocity);
                        let Some(impulse) = collided else { continue };
                        let wall_state = &mut state.walls[wall];
                        let on_wall = -impulse.on_a / dt;
                        wall_state.force += on_wall;
                        wall_state.conveyor_power -= on_wall.dot(conveyed);
                        wall_state.torque += (point - wall_state.pose.position).cross(on_wall);
                        state.ledger.wall_work += impulse.on_a.dot(velocity);
                        // Gravity's second half of a kick finds the grain at another velocity than its first did.
                        state.ledger.normal_dashpot -= 0.5 * dt * model.gravity.dot(-impulse.on_a);
                        if counts {
                            state.solver.stepped_mut().totals.n_walls += 1;
                        }
                        (impulse, Partner::Wall(wall))
                    }
                };
                state.ledger.normal_dashpot += impulse.normal_loss;
                state.ledger.slip += impulse.tangential_loss;
                if model.hard.log {
                    let point = state.particles.position[a] + overlap.arm;
                    self.log.push(CollisionRecord::new(
                        time,
                        &state.particles,
                        a,
                        partner,
                        [point, overlap.normal],
                        &impulse,
                    ));
                }
            }
        }
        Ok(())
    }

    /// All that overlaps now, in the order of the grains.
    fn find(&self, model: &Model, state: &State) -> Result<Vec<Overlap>, EngineError> {
        let n = state.particles.len();
        let blocks: Vec<Result<Vec<Overlap>, EngineError>> = (0..n.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let mut found = Vec::new();
                let mut at_walls = Vec::new();
                for a in block * BLOCK..n.min((block + 1) * BLOCK) {
                    for &b in self.candidates.of(a) {
                        self.find_pair(model, state, a, b as usize, &mut found)?;
                    }
                    self.find_at_walls(model, state, a, &mut at_walls, &mut found);
                }
                Ok(found)
            })
            .collect();
        let mut all = Vec::new();
        for block in blocks {
            all.extend(block?);
        }
        if let Some((overlap, ratio)) = self.too_deep(model, &all) {
            let p = &state.particles;
            let partner = match overlap.partner {
                OverlapPartner::Grain(b, _) => format!("grain {}", p.id[b as usize]),
                OverlapPartner::Wall(wall, _) => format!("wall {}", model.walls[wall as usize].name),
            };
            return Err(EngineError::Unstable {
                step: state.step,
                time: state.time,
                what: format!(
                    "grain {} and {partner} overlap by {ratio:.2} of the smallest half width (limit {}): one collision a step does not \
                     keep them apart; give a shorter `time.step` or more `hard.sweeps`",
                    p.id[overlap.a as usize], model.limits.overlap
                ),
            });
        }
        Ok(all)
    }

    fn too_deep<'a>(&self, model: &Model, overlaps: &'a [Overlap]) -> Option<(&'a Overlap, f64)> {
        let ratio = |overlap: &Overlap| {
            let own = self.shapes.get(overlap.a as usize).half_width;
            let width = match overlap.partner {
                OverlapPartner::Grain(b, _) => own.min(self.shapes.get(b as usize).half_width),
                OverlapPartner::Wall(..) => own,
            };
            overlap.depth / width
        };
        overlaps.iter().map(|overlap| (overlap, ratio(overlap))).find(|(_, ratio)| *ratio > model.limits.overlap)
    }

    fn find_pair(
        &self,
        model: &Model,
        state: &State,
        a: usize,
        b: usize,
        found: &mut Vec<Overlap>,
    ) -> Result<(), EngineError> {
        let p = &state.particles;
        let (b, image) = match b.checked_sub(p.len()) {
            None => (b, IVec3::ZERO),
            Some(ghost) => (self.images.list[ghost].0 as usize, self.images.list[ghost].1),
        };
        let mut offset = p.position[b] - p.position[a];
        if image != IVec3::ZERO {
            offset += PeriodicCell::of(model).shift(image, state.time);
        }
        let reach = p.radius[a] + p.radius[b];
        let squared = offset.length_squared();
        if squared >= reach * reach {
            return Ok(());
        }
        let partner = OverlapPartner::Grain(b as u32, image);
        let (shape_a, shape_b) = (self.shapes.get(a), self.shapes.get(b));
        if shape_a.is_round && shape_b.is_round {
            let distance = squared.sqrt();
            let normal = if distance > 0.0 { offset / distance } else { DVec3::X };
            let depth = reach - distance;
            // In the middle of what they share.
            let arm = normal * (p.radius[a] - 0.5 * depth);
            found.push(Overlap { a: a as u32, partner, normal, arm, depth });
            return Ok(());
        }
        let pose_a = Pose::new(DVec3::ZERO, p.orientation[a]);
        let pose_ab = pose_a.relative(&Pose::new(offset, p.orientation[b]));
        let contact = contact_within(&shape_a.shape, &shape_b.shape, &pose_ab, None, 0.0).map_err(|bad| {
            let unsettled = Unsettled { a, partner: Partner::Particle(b), parts: [0, 0], bound: bad.bound };
            health::unsettled(model, state, &unsettled)
        })?;
        if let Some(contact) = contact.filter(|contact| contact.separation < 0.0) {
            let turn = p.orientation[a];
            let arm = turn * (0.5 * (contact.point_a + contact.point_b));
            found.push(Overlap {
                a: a as u32,
                partner,
                normal: turn * contact.normal,
                arm,
                depth: -contact.separation,
            });
        }
        Ok(())
    }

    fn find_at_walls(
        &self,
        model: &Model,
        state: &State,
        a: usize,
        contacts: &mut Vec<SurfaceContact>,
        found: &mut Vec<Overlap>,
    ) {
        let p = &state.particles;
        for &(wall, shift) in &self.near_walls[a] {
            let pose = &state.walls[wall as usize].pose;
            let surface = self.walls.surface(model, wall as usize);
            let seen = pose.relative(&Pose::new(p.position[a] - shift, p.orientation[a]));
            contacts.clear();
            contact_surface(&self.shapes.get(a).shape, surface, &seen, 0.0, contacts);
            for contact in contacts.iter().filter(|contact| contact.separation < 0.0 && contact.weight > 0.0) {
                let contact = contact.transformed(pose);
                found.push(Overlap {
                    a: a as u32,
                    partner: OverlapPartner::Wall(wall, shift),
                    normal: contact.normal,
                    arm: contact.point + shift - p.position[a],
                    depth: -contact.separation,
                });
            }
        }
    }

    /// Makes the candidate lists anew around the present positions.
    fn rebuild(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        let cell = PeriodicCell::of(model);
        for grain in 0..state.particles.len() {
            state.ledger.wall_work += cell.bring_back(&mut state.particles, grain, state.time);
        }
        let time = state.time;
        let stepped = state.solver.stepped_mut();
        if stepped.builds.is_multiple_of(SORT_EVERY) {
            let largest = state.particles.radius.iter().copied().fold(0.0, f64::max);
            let order = spatial_order(&state.particles.position, 2.0 * largest + stepped.skin);
            state.particles.reorder(&order);
        }
        stepped.builds += 1;
        stepped.reference.clone_from(&state.particles.position);
        stepped.reference_time = time;
        self.build(model, state)
    }

    /// Builds the lists from the reference in the state.
    fn build(&mut self, model: &Model, state: &State) -> Result<(), EngineError> {
        let SolverState::Stepped(SteppedState { skin, reference, reference_time, .. }) = &state.solver else {
            unreachable!("a stepped run has its state")
        };
        let (skin, time, p) = (*skin, *reference_time, &state.particles);
        let cell = PeriodicCell::of(model);
        self.images = Images::find(&cell, reference, &p.radius, skin, time)?;
        let (mut positions, mut radii, mut ids) = (reference.clone(), p.radius.clone(), p.id.clone());
        for &(owner, image) in &self.images.list {
            positions.push(reference[owner as usize] + cell.shift(image, time));
            radii.push(p.radius[owner as usize]);
            ids.push(p.id[owner as usize]);
        }
        let balls = Balls { positions: &positions, radii: &radii, ids: &ids, n_owned: p.len() };
        self.candidates = find_candidates(model.broad_phase, &balls, skin).map_err(|TooManyPairs { n_pairs }| {
            EngineError::Model(format!("{n_pairs} pairs of grains are near each other, and lists end at 2^32"))
        })?;
        self.shapes.update(model, p);
        self.find_near_walls(model, state, reference, skin);
        Ok(())
    }

    /// Lists for every grain the walls, or images of walls, that it can meet before the lists are built again.
    fn find_near_walls(&mut self, model: &Model, state: &State, reference: &[DVec3], skin: f64) {
        let walls = &self.walls;
        // Where walls were when the lists were built, so that a resumed run has the same lists.
        let poses: Vec<Pose> = walls_at_reference(model, state);
        let bounds: Vec<_> = (0..poses.len()).map(|wall| walls.bounds(model, wall, &poses[wall])).collect();
        let radii = &state.particles.radius;
        self.near_walls = (0..reference.len())
            .into_par_iter()
            .map(|grain| {
                let (mut near, mut shifts, mut found) = (Vec::new(), Vec::new(), Vec::new());
                for wall in 0..poses.len() {
                    if self.boxes.is_beyond(wall, &poses[wall], reference[grain], radii[grain] + skin) {
                        continue;
                    }
                    walls.near(wall, bounds[wall].as_ref(), reference[grain], radii[grain] + skin, &mut shifts);
                    for &shift in &shifts {
                        found.clear();
                        let seen = poses[wall].inverse_transform_point(reference[grain] - shift);
                        walls.surface(model, wall).contacts_with_sphere(seen, radii[grain], skin, &mut found);
                        if !found.is_empty() {
                            near.push((wall as u32, shift));
                        }
                    }
                }
                near
            })
            .collect();
    }

    /// Whether the lists may miss pairs.
    fn outlived(&self, model: &Model, state: &State) -> bool {
        let SolverState::Stepped(SteppedState { skin, reference, reference_time, .. }) = &state.solver else {
            unreachable!("a stepped run has its state")
        };
        let elapsed = state.time - reference_time;
        let cell = PeriodicCell::of(model);
        // Beside the mean flow: what goes with it keeps its neighbours but for what the flow does over their distance.
        let farthest = state
            .particles
            .position
            .iter()
            .zip(reference)
            .map(|(now, then)| (now - then - cell.mean_flow(*then) * elapsed).length_squared())
            .fold(0.0, f64::max)
            .sqrt();
        let largest = state.particles.radius.iter().copied().fold(0.0, f64::max);
        let flow = model.shear_rate.abs() * elapsed * (2.0 * largest + skin);
        // A turning plane is as fast as one likes far from its axis: its lists last for one step.
        let is_endless = |wall: &Wall| wall.motion.turns() && wall.surface.bounds(&wall.pose).is_none();
        let speed = |wall: &Wall| if is_endless(wall) { f64::INFINITY } else { wall.largest_speed() };
        let walls = model.walls.iter().map(speed).fold(0.0, f64::max) * elapsed;
        2.0 * farthest + flow > *skin || farthest + walls > *skin
    }
}

/// Where the walls were when the lists were built.
fn walls_at_reference(model: &Model, state: &State) -> Vec<Pose> {
    let SolverState::Stepped(SteppedState { reference_time, .. }) = &state.solver else {
        unreachable!("a stepped run has its state")
    };
    let at_reference = |wall: &Wall| if wall.present { wall.placed(*reference_time).pose } else { wall.pose };
    model.walls.iter().map(at_reference).collect()
}

/// Gravity and drag for a time [s]. Returns the energy lost to drag [J].
fn kick(model: &Model, particles: &mut Particles, time: f64) -> f64 {
    let gained = model.gravity * time;
    for velocity in &mut particles.velocity {
        *velocity += gained;
    }
    if model.drag == 0.0 {
        return 0.0;
    }
    let keep = (-model.drag * time).exp();
    let mut lost = 0.0;
    for i in 0..particles.len() {
        lost += particles.kinetic_energy(i) * (1.0 - keep * keep);
        particles.velocity[i] *= keep;
        particles.angular_velocity[i] *= keep;
        particles.angular_momentum[i] *= keep;
    }
    lost
}

/// Free motion at the present velocities and spins for a time [s].
fn drift(model: &Model, particles: &mut Particles, time: f64, turns: bool) {
    let Particles { position, velocity, .. } = particles;
    position.par_iter_mut().zip(velocity.par_iter()).for_each(|(place, velocity)| *place += *velocity * time);
    if turns {
        turn_freely(model, particles, time);
    }
}
