//! Contacts between grains: which candidates touch, and what they do, four contacts at a time.

use super::shaped::{ShapedTouch, is_shaped};
use super::{Block, BlockArrays, Body, Context, DeepContact, Parcel, Parting, Scratch, Wrench, forget};
use crate::law::{Kinematics, LawTable, Losses, Memory, Response, evaluate};
use crate::observe::Partner;
use crate::state::History;
use glam::DVec3;
use tumble_geometry::lanes::{Lanes, Vector, head, vector_row};
use wide::f64x4;

/// A touching pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// Place of a in the block.
    pub(super) local: u32,
    /// Body b.
    pub(super) partner: u32,
    /// Slot of the pair in the block.
    pub(super) slot: u32,
}

/// Finds the candidates that touch, in order, ends the contacts that touch no longer, and clears the block's sums.
#[inline(always)]
pub(super) fn find_touching(context: &Context, block: &mut Block, scratch: &mut Scratch, arrays: &mut BlockArrays) {
    let Scratch { wrench, touching, .. } = scratch;
    wrench.resize(arrays.force.len(), Wrench::default());
    let bodies = context.bodies;
    let first_slot = context.start[arrays.first];
    let partners = &context.partner[first_slot as usize..][..arrays.history.len()];
    let owned = &bodies[arrays.first..][..wrench.len()];
    let ends = &context.start[arrays.first + 1..][..wrench.len()];
    touching.clear();
    let mut slot = 0;
    for (local, ((a, &end), wrench)) in owned.iter().zip(ends).zip(wrench).enumerate() {
        *wrench = Wrench::default();
        let end = ((end - first_slot) as usize).min(partners.len());
        while slot < end {
            let partner = partners[slot];
            let b = &bodies[partner as usize];
            if touch(a, b) {
                touching.push(Touch { local: local as u32, partner, slot: slot as u32 });
            } else if arrays.history[slot].tangential_stiffness > 0.0 {
                end_in_slot(context, block, arrays, a, b, slot);
            }
            slot += 1;
        }
    }
    block.n_contacts = touching.len();
}

/// The same where some grains are no spheres: of the pairs that are awake. Those that may touch and are not both plain
/// spheres are listed for themselves.
pub(super) fn find_touching_near(
    context: &Context,
    block: &mut Block,
    scratch: &mut Scratch,
    arrays: &mut BlockArrays,
) {
    let Scratch { wrench, touching, shaped, .. } = scratch;
    wrench.clear();
    wrench.resize(arrays.force.len(), Wrench::default());
    touching.clear();
    shaped.clear();
    for place in 0..block.near.len() {
        let near = block.near[place].touch;
        let grain = arrays.first + near.local as usize;
        let (a, b) = (&context.bodies[grain], &context.bodies[near.partner as usize]);
        if is_shaped(context, grain, near.partner) {
            if touch(a, b) {
                shaped.push(ShapedTouch { near: place as u32, old: u32::MAX, n_old: 0 });
            }
        } else if touch(a, b) {
            touching.push(near);
        } else if arrays.history[near.slot as usize].tangential_stiffness > 0.0 {
            end_in_slot(context, block, arrays, a, b, near.slot as usize);
        }
    }
    block.n_contacts = touching.len();
}

/// Ends the contact in a slot.
#[cold]
fn end_in_slot(context: &Context, block: &mut Block, arrays: &mut BlockArrays, a: &Body, b: &Body, slot: usize) {
    let mut none = DVec3::ZERO;
    let rolling_torque = arrays.rolling.get_mut(slot).unwrap_or(&mut none);
    let (history, losses) = (&mut arrays.history[slot], &mut block.losses);
    end_contact(context.table, a, b, history, rolling_torque, context.dt, losses);
}

/// Whether two grains touch. One whose position is not a number touches nothing; the health check reports it.
#[inline(always)]
pub(super) fn touch(a: &Body, b: &Body) -> bool {
    let reach = a.radius() + b.radius();
    (b.position() - a.position()).length_squared() < reach * reach
}

/// Ends the contact of two grains that touched a step ago.
pub(super) fn end_contact(
    table: &LawTable,
    a: &Body,
    b: &Body,
    history: &mut History,
    rolling_torque: &mut DVec3,
    dt: f64,
    losses: &mut Losses<f64>,
) {
    let coefficients = table.get(a.material(), b.material());
    let normal = (b.position() - a.position()).normalize_or_zero();
    let swing = a.angular_velocity() * a.radius() + b.angular_velocity() * b.radius();
    let parting = Parting {
        effective_radius: a.radius() * b.radius() / (a.radius() + b.radius()),
        normal,
        velocity: a.velocity() - b.velocity() + swing.cross(normal),
        spin: a.angular_velocity() - b.angular_velocity(),
    };
    forget(coefficients, &parting, history, rolling_torque, dt, losses);
}

/// Two touching spheres, or four such pairs.
pub(super) struct PairGeometry<L> {
    /// From a to b.
    pub(super) normal: Vector<L>,
    pub(super) overlap: L,
    /// From the centres to the contact point, in the middle of the overlap [m].
    pub(super) arm_a: L,
    pub(super) arm_b: L,
    pub(super) effective_radius: L,
}

/// How grains move: one pair, or four in four lanes.
pub(super) struct PairMotion<L> {
    pub(super) spin_a: Vector<L>,
    pub(super) spin_b: Vector<L>,
    pub(super) velocity_a: Vector<L>,
    pub(super) velocity_b: Vector<L>,
    pub(super) mass_a: L,
    pub(super) mass_b: L,
}

impl<L: Lanes> PairGeometry<L> {
    #[inline(always)]
    pub(super) fn new(position_a: Vector<L>, radius_a: L, position_b: Vector<L>, radius_b: L) -> PairGeometry<L> {
        let offset = position_b - position_a;
        // Coincident centres have no normal: the pair then exerts no force and is reported as too deep.
        let distance_squared = offset.dot(offset).max(L::splat(f64::MIN_POSITIVE));
        let distance = distance_squared.sqrt();
        let reach = radius_a + radius_b;
        // Rounding can make the overlap of a touching pair zero, and then its stiffness too.
        let overlap = (reach - distance).max(reach * L::splat(f64::EPSILON));
        let half = L::splat(0.5) * overlap;
        PairGeometry {
            // The quotient does not wait for the root.
            normal: offset * (distance * (L::splat(1.0) / distance_squared)),
            overlap,
            arm_a: radius_a - half,
            arm_b: radius_b - half,
            effective_radius: radius_a * radius_b / reach,
        }
    }

    #[inline(always)]
    pub(super) fn kinematics(&self, m: &PairMotion<L>) -> Kinematics<L> {
        let swing = m.spin_a * self.arm_a + m.spin_b * self.arm_b;
        Kinematics {
            normal: self.normal,
            overlap: self.overlap,
            relative_velocity: m.velocity_a - m.velocity_b + swing.cross(self.normal),
            relative_spin: m.spin_a - m.spin_b,
            mean_twist: L::splat(0.5) * (m.spin_a + m.spin_b).dot(self.normal),
            effective_mass: m.mass_a * m.mass_b / (m.mass_a + m.mass_b),
            effective_radius: self.effective_radius,
        }
    }
}

/// Geometry and kinematics of one touching pair.
pub(super) fn one_pair(a: &Body, b: &Body) -> (PairGeometry<f64>, Kinematics<f64>) {
    let geometry = PairGeometry::new(a.position().into(), a.radius(), b.position().into(), b.radius());
    let motion = PairMotion {
        spin_a: a.angular_velocity().into(),
        spin_b: b.angular_velocity().into(),
        velocity_a: a.velocity().into(),
        velocity_b: b.velocity().into(),
        mass_a: a.mass(),
        mass_b: b.mass(),
    };
    let kinematics = geometry.kinematics(&motion);
    (geometry, kinematics)
}

/// Geometry and kinematics of four touching pairs, and the smaller radius of each.
#[inline(always)]
fn four_pairs(a: [&Body; 4], b: [&Body; 4]) -> (PairGeometry<f64x4>, Kinematics<f64x4>, f64x4) {
    // In this order, so that few numbers are alive at any time: the processor has sixteen registers.
    let (position_a, radius_a) = Vector::pack(a.map(|body| body.place));
    let (position_b, radius_b) = Vector::pack(b.map(|body| body.place));
    let geometry = PairGeometry::new(position_a, radius_a, position_b, radius_b);
    let smaller = radius_a.fast_min(radius_b);
    let (spin_a, _) = Vector::pack(a.map(|body| body.spin));
    let (spin_b, _) = Vector::pack(b.map(|body| body.spin));
    let (velocity_a, mass_a) = Vector::pack(a.map(|body| body.motion));
    let (velocity_b, mass_b) = Vector::pack(b.map(|body| body.motion));
    let motion = PairMotion { spin_a, spin_b, velocity_a, velocity_b, mass_a, mass_b };
    let kinematics = geometry.kinematics(&motion);
    (geometry, kinematics, smaller)
}

/// Evaluates the touching pairs of a block.
#[inline(always)]
pub(super) fn evaluate_touching<const HERTZ: bool, const ROLLING: bool>(
    context: &Context,
    block: &mut Block,
    scratch: &mut Scratch,
    arrays: &mut BlockArrays,
) {
    let Scratch { wrench, touching, .. } = scratch;
    let table = context.table;
    let mut lanes = Losses::<f64x4>::default();
    let (fours, rest) = touching.as_chunks::<4>();
    for four in fours {
        let bodies_a = four.each_ref().map(|touch| &context.bodies[arrays.first + touch.local as usize]);
        let bodies_b = four.each_ref().map(|touch| &context.bodies[touch.partner as usize]);
        let mixed;
        let coefficients = if table.is_uniform() {
            table.splat(0)
        } else {
            mixed = table.mixed(std::array::from_fn(|k| table.row(bodies_a[k].material(), bodies_b[k].material())));
            &mixed
        };
        let slots = four.each_ref().map(|touch| touch.slot as usize);
        let torques_before = ROLLING.then(|| slots.map(|slot| arrays.rolling[slot]));
        let histories = slots.map(|slot| &arrays.history[slot]);
        // All look-ups are done: what follows is one stretch without branches.
        let (geometry, kinematics, smaller_radius) = four_pairs(bodies_a, bodies_b);
        let memory = Memory::<f64x4>::pack(histories, torques_before);
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
            deliver(context, &mut block.outbox, wrench, arrays.first, touch, on_a, on_b);
        }
        let limit = f64x4::splat(context.overlap_limit) * smaller_radius;
        if geometry.overlap.greater(limit).any() && block.deep.is_none() {
            block.deep = deepest(context, arrays.first, four);
        }
    }
    let mut losses = Losses::default();
    for touch in rest {
        let (body_a, body_b) =
            (&context.bodies[arrays.first + touch.local as usize], &context.bodies[touch.partner as usize]);
        let (geometry, kinematics) = one_pair(body_a, body_b);
        let slot = touch.slot as usize;
        let memory = Memory::of(&arrays.history[slot], if ROLLING { arrays.rolling[slot] } else { DVec3::ZERO });
        let response = evaluate::<f64, HERTZ, ROLLING>(
            table,
            table.get(body_a.material(), body_b.material()),
            &kinematics,
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
        deliver(context, &mut block.outbox, wrench, arrays.first, touch, on_a, on_b);
        if geometry.overlap > context.overlap_limit * body_a.radius().min(body_b.radius()) && block.deep.is_none() {
            block.deep = deepest(context, arrays.first, std::slice::from_ref(touch));
        }
    }
    block.losses += losses;
    block.losses += lanes.sum();
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
pub(super) fn deliver(
    context: &Context,
    outbox: &mut Vec<Parcel>,
    wrench: &mut [Wrench],
    first: usize,
    touch: &Touch,
    on_a: Wrench,
    on_b: Wrench,
) {
    wrench[touch.local as usize] += on_a;
    match wrench.get_mut((touch.partner as usize).wrapping_sub(first)) {
        Some(wrench) => *wrench += on_b,
        None => {
            let target = context.owner(touch.partner);
            outbox.push(Parcel { target, force: head(on_b.force), torque: head(on_b.torque) });
        }
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
