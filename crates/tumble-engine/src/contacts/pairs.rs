//! Contacts between grains: which candidates touch, and what they do, four contacts at a time.

use super::{Block, BlockArrays, Body, Context, DeepContact, Parcel, Wrench, forget};
use crate::law::lanes::{Lanes, Vector, head, vector_row};
use crate::law::{Kinematics, Losses, Memory, Response, evaluate};
use crate::observe::Partner;
use crate::state::History;
use glam::DVec3;
use wide::f64x4;

/// A touching pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// Place of a in the block.
    local: u32,
    /// Body b.
    partner: u32,
    /// Slot of the pair in the block.
    slot: u32,
}

/// Finds the candidates that touch, in order, ends the contacts that touch no longer, and clears the block's sums.
#[inline(always)]
pub(super) fn find_touching(context: &Context, block: &mut Block, arrays: &mut BlockArrays) {
    let bodies = context.bodies;
    let first_slot = context.start[arrays.first];
    let partners = &context.partner[first_slot as usize..][..arrays.history.len()];
    let owned = &bodies[arrays.first..][..block.wrench.len()];
    let ends = &context.start[arrays.first + 1..][..block.wrench.len()];
    block.touching.clear();
    let mut slot = 0;
    for (local, ((a, &end), wrench)) in owned.iter().zip(ends).zip(&mut block.wrench).enumerate() {
        *wrench = Wrench::default();
        let end = ((end - first_slot) as usize).min(partners.len());
        while slot < end {
            let partner = partners[slot];
            let b = &bodies[partner as usize];
            let offset = b.position() - a.position();
            let distance_squared = offset.length_squared();
            let reach = a.radius() + b.radius();
            // Written so that a position that is not a number touches nothing; the health check reports it.
            if distance_squared < reach * reach {
                block.touching.push(Touch { local: local as u32, partner, slot: slot as u32 });
            } else if arrays.history[slot].tangential_stiffness > 0.0 {
                let mut none = DVec3::ZERO;
                let rolling_torque = arrays.rolling.get_mut(slot).unwrap_or(&mut none);
                end_contact(context, a, b, &mut arrays.history[slot], rolling_torque, &mut block.losses);
            }
            slot += 1;
        }
    }
    block.n_contacts = block.touching.len();
}

#[cold]
fn end_contact(
    context: &Context,
    a: &Body,
    b: &Body,
    history: &mut History,
    rolling_torque: &mut DVec3,
    losses: &mut Losses<f64>,
) {
    let coefficients = context.table.get(a.material(), b.material());
    let normal = (b.position() - a.position()).normalize_or_zero();
    let approach = (a.velocity() - b.velocity()).dot(normal);
    let effective_radius = a.radius() * b.radius() / (a.radius() + b.radius());
    forget(coefficients, effective_radius, approach, history, rolling_torque, context.dt, losses);
}

/// Two touching spheres, or four such pairs.
pub(super) struct PairGeometry<L> {
    /// From a to b.
    pub(super) normal: Vector<L>,
    pub(super) overlap: L,
    /// From the centres to the contact point, in the middle of the overlap [m].
    pub(super) arm_a: L,
    pub(super) arm_b: L,
}

/// Where a grain is and how it moves, or four grains in four lanes.
pub(super) struct Grain<L> {
    position: Vector<L>,
    radius: L,
    velocity: Vector<L>,
    mass: L,
    angular_velocity: Vector<L>,
}

impl Grain<f64> {
    pub(super) fn of(body: &Body) -> Grain<f64> {
        Grain {
            position: body.position().into(),
            radius: body.radius(),
            velocity: body.velocity().into(),
            mass: body.mass(),
            angular_velocity: body.angular_velocity().into(),
        }
    }
}

impl Grain<f64x4> {
    #[inline(always)]
    fn pack(bodies: [&Body; 4]) -> Grain<f64x4> {
        let (position, radius) = Vector::pack(bodies.map(|b| b.place));
        let (velocity, mass) = Vector::pack(bodies.map(|b| b.motion));
        let (angular_velocity, _) = Vector::pack(bodies.map(|b| b.spin));
        Grain { position, radius, velocity, mass, angular_velocity }
    }
}

impl<L: Lanes> PairGeometry<L> {
    #[inline(always)]
    pub(super) fn new(a: &Grain<L>, b: &Grain<L>) -> PairGeometry<L> {
        let offset = b.position - a.position;
        let distance = offset.dot(offset).sqrt();
        let overlap = a.radius + b.radius - distance;
        let half = L::splat(0.5) * overlap;
        // Coincident centres have no normal: the pair then exerts no force and is reported as too deep.
        let inverse = L::splat(1.0) / distance.max(L::splat(f64::MIN_POSITIVE));
        PairGeometry { normal: offset * inverse, overlap, arm_a: a.radius - half, arm_b: b.radius - half }
    }

    #[inline(always)]
    pub(super) fn kinematics(&self, a: &Grain<L>, b: &Grain<L>) -> Kinematics<L> {
        let swing = a.angular_velocity * self.arm_a + b.angular_velocity * self.arm_b;
        Kinematics {
            normal: self.normal,
            overlap: self.overlap,
            relative_velocity: a.velocity - b.velocity + swing.cross(self.normal),
            relative_spin: a.angular_velocity - b.angular_velocity,
            mean_twist: L::splat(0.5) * (a.angular_velocity + b.angular_velocity).dot(self.normal),
            effective_mass: a.mass * b.mass / (a.mass + b.mass),
            effective_radius: a.radius * b.radius / (a.radius + b.radius),
        }
    }
}

/// Evaluates the touching pairs of a block.
#[inline(always)]
pub(super) fn evaluate_touching<const HERTZ: bool, const ROLLING: bool>(
    context: &Context,
    block: &mut Block,
    arrays: &mut BlockArrays,
) {
    let touching = std::mem::take(&mut block.touching);
    let table = context.table;
    let mut lanes = Losses::<f64x4>::default();
    let (fours, rest) = touching.as_chunks::<4>();
    for four in fours {
        let bodies_a = four.each_ref().map(|touch| &context.bodies[arrays.first + touch.local as usize]);
        let bodies_b = four.each_ref().map(|touch| &context.bodies[touch.partner as usize]);
        let (a, b) = (Grain::pack(bodies_a), Grain::pack(bodies_b));
        let geometry = PairGeometry::new(&a, &b);
        let mixed;
        let coefficients = if table.is_uniform() {
            table.splat(0)
        } else {
            mixed = table.mixed(std::array::from_fn(|k| table.row(bodies_a[k].material(), bodies_b[k].material())));
            &mixed
        };
        let slots = four.each_ref().map(|touch| touch.slot as usize);
        let torques_before = ROLLING.then(|| slots.map(|slot| arrays.rolling[slot]));
        let memory = Memory::<f64x4>::pack(slots.map(|slot| &arrays.history[slot]), torques_before);
        let kinematics = geometry.kinematics(&a, &b);
        let response =
            evaluate::<f64x4, HERTZ, ROLLING>(table, coefficients, &kinematics, &memory, context.dt, &mut lanes);
        for (slot, history) in slots.into_iter().zip(response.memory.histories()) {
            arrays.history[slot] = history;
        }
        if ROLLING {
            for (slot, torque) in slots.into_iter().zip(response.memory.rolling_torque.unpack()) {
                arrays.rolling[slot] = head(torque);
            }
        }
        let (torque_a, torque_b) = torques::<f64x4, ROLLING>(&geometry, &response);
        let (force, torque_a, torque_b) = (response.force.unpack(), torque_a.unpack(), torque_b.unpack());
        for (k, touch) in four.iter().enumerate() {
            let on_a = Wrench { force: force[k], torque: torque_a[k] };
            let on_b = Wrench { force: -force[k], torque: torque_b[k] };
            deliver(context, block, arrays.first, touch, on_a, on_b);
        }
        let limit = f64x4::splat(context.overlap_limit) * a.radius.fast_min(b.radius);
        if geometry.overlap.greater(limit).any() && block.deep.is_none() {
            block.deep = deepest(context, arrays.first, four);
        }
    }
    let mut losses = Losses::default();
    for touch in rest {
        let (body_a, body_b) =
            (&context.bodies[arrays.first + touch.local as usize], &context.bodies[touch.partner as usize]);
        let (a, b) = (Grain::of(body_a), Grain::of(body_b));
        let geometry = PairGeometry::new(&a, &b);
        let slot = touch.slot as usize;
        let memory = Memory::of(&arrays.history[slot], if ROLLING { arrays.rolling[slot] } else { DVec3::ZERO });
        let response = evaluate::<f64, HERTZ, ROLLING>(
            table,
            table.get(body_a.material(), body_b.material()),
            &geometry.kinematics(&a, &b),
            &memory,
            context.dt,
            &mut losses,
        );
        arrays.history[slot] = response.memory.history();
        if ROLLING {
            arrays.rolling[slot] = response.memory.rolling_torque.into();
        }
        let (torque_a, torque_b) = torques::<f64, ROLLING>(&geometry, &response);
        let force = vector_row(response.force.into());
        let on_a = Wrench { force, torque: vector_row(torque_a.into()) };
        let on_b = Wrench { force: -force, torque: vector_row(torque_b.into()) };
        deliver(context, block, arrays.first, touch, on_a, on_b);
        if geometry.overlap > context.overlap_limit * a.radius.min(b.radius) && block.deep.is_none() {
            block.deep = deepest(context, arrays.first, std::slice::from_ref(touch));
        }
    }
    block.losses += losses;
    block.losses += lanes.sum();
    block.touching = touching;
}

/// Torques of a contact on a and b about their centres.
#[inline(always)]
fn torques<L: Lanes, const ROLLING: bool>(
    geometry: &PairGeometry<L>,
    response: &Response<L>,
) -> (Vector<L>, Vector<L>) {
    let moment = geometry.normal.cross(response.force);
    let (torque_a, torque_b) = (moment * geometry.arm_a, moment * geometry.arm_b);
    if ROLLING { (torque_a + response.couple, torque_b - response.couple) } else { (torque_a, torque_b) }
}

/// Adds a contact's forces to its grains; those of other blocks get theirs by post.
#[inline(always)]
fn deliver(context: &Context, block: &mut Block, first: usize, touch: &Touch, on_a: Wrench, on_b: Wrench) {
    block.wrench[touch.local as usize] += on_a;
    match block.wrench.get_mut((touch.partner as usize).wrapping_sub(first)) {
        Some(wrench) => *wrench += on_b,
        None => block.outbox.push(Parcel { target: context.owner(touch.partner), wrench: on_b }),
    }
}

/// The deepest of some contacts.
#[cold]
fn deepest(context: &Context, first: usize, touches: &[Touch]) -> Option<DeepContact> {
    let relative_overlap = |touch: &Touch| {
        let (a, b) = (&context.bodies[first + touch.local as usize], &context.bodies[touch.partner as usize]);
        let distance = (b.position() - a.position()).length();
        (a.radius() + b.radius() - distance) / a.radius().min(b.radius())
    };
    touches
        .iter()
        .map(|touch| DeepContact {
            a: first + touch.local as usize,
            partner: Partner::Particle(context.owner(touch.partner) as usize),
            relative_overlap: relative_overlap(touch),
        })
        .max_by(|x, y| x.relative_overlap.total_cmp(&y.relative_overlap))
}
