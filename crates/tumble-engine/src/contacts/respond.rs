//! From contacts to forces: the law over rows of contacts, four at a time, for pairs and walls, spheres and shapes alike; what
//! it gives is delivered to the bodies and kept in the contact history.

use super::bodies::Body;
use super::{Context, DeepContact, Wrench};
use crate::law::{Coefficients, LawTable, Losses};
use crate::state::{ContactHistory, ContactMemory, Groups};
use glam::DVec3;
use tumble_geometry::lanes::{Lanes, Vector, prefetch};

/// A contact's bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Touch {
    /// Place of a in the block.
    pub(super) a: u32,
    /// Body b.
    pub(super) b: u32,
    /// Where what falls on b is summed.
    pub(super) target: u32,
    /// Where the pair stands in the candidate list; of a wall, which one.
    pub(super) near: u32,
}

/// What the contacts of a block came to in a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    pub(super) losses: Losses<f64>,
    pub(super) n_contacts: usize,
    pub(super) deep: Option<DeepContact>,
    /// Contacts of spheres that no longer touch, ascending.
    pub(super) ended: Vec<u32>,
}

/// A body in each lane, as contacts of spheres see it.
pub(super) struct Parties<L> {
    pub(super) position: Vector<L>,
    pub(super) radius: L,
    pub(super) velocity: Vector<L>,
    pub(super) inverse_mass: L,
    pub(super) spin: Vector<L>,
}

impl<L: Lanes> Parties<L> {
    #[inline(always)]
    pub(super) fn gather<'b>(of: impl Fn(usize) -> &'b Body) -> Parties<L> {
        let (position, radius) = L::gather_rows(|k| of(k).place);
        let (velocity, inverse_mass) = L::gather_rows(|k| of(k).motion);
        let (spin, _) = L::gather_rows(|k| of(k).spin);
        Parties { position, radius, velocity, inverse_mass, spin }
    }
}

/// Where contacts are.
pub(super) struct Place<L> {
    /// From a to b.
    pub(super) normal: Vector<L>,
    /// Depth of the overlap [m].
    pub(super) depth: L,
    /// From a's centre to the contact point [m].
    pub(super) arm: Vector<L>,
}

impl<L: Lanes> Place<L> {
    /// Keeps it in the columns of a history, with the energy of the normal spring.
    #[inline(always)]
    pub(super) fn store(&self, columns: &mut [[f64; 4]], normal_energy: L) {
        self.normal.store(&mut columns[Groups::NORMAL..]);
        self.arm.store(&mut columns[Groups::ARM..]);
        self.depth.store(&mut columns[Groups::DEPTH]);
        normal_energy.store(&mut columns[Groups::NORMAL_ENERGY]);
    }
}

/// What contacts do.
pub(super) struct Answered<L> {
    /// Force on a [N].
    pub(super) force: Vector<L>,
    /// Couple on a besides [N m].
    pub(super) couple: Option<Vector<L>>,
    pub(super) arm_a: Vector<L>,
    pub(super) arm_b: Vector<L>,
    pub(super) depth: L,
    /// The smaller half-width of the two bodies [m].
    pub(super) half_width: L,
}

/// Up to four contacts side by side. Lanes beyond the last repeat it; what comes out of them is dropped.
pub(super) struct Four<'a> {
    /// The first grain of the block.
    first: usize,
    /// The first contact.
    begin: usize,
    /// How many contacts there are.
    n: usize,
    touches: &'a [Touch; 4],
}

impl Four<'_> {
    /// The lanes with a contact.
    #[inline(always)]
    pub(super) fn lanes(&self) -> u32 {
        (1 << self.n) - 1
    }

    /// The contact in a lane.
    #[inline(always)]
    pub(super) fn contact(&self, lane: usize) -> usize {
        self.begin + lane.min(self.n - 1)
    }

    /// Its body a.
    #[inline(always)]
    pub(super) fn a(&self, lane: usize) -> usize {
        self.first + self.touches[lane].a as usize
    }

    /// Its body b.
    #[inline(always)]
    pub(super) fn b(&self, lane: usize) -> usize {
        self.touches[lane].b as usize
    }
}

/// Contacts side by side, and what is known of them.
pub(super) struct Chunk<'a, L> {
    pub(super) four: Four<'a>,
    pub(super) coefficients: &'a Coefficients<L>,
    /// What they remember.
    pub(super) columns: &'a mut [[f64; 4]],
    pub(super) groups: Groups,
}

/// A law for one kind of contact: from where bodies are, how they move and what contacts remember, to forces.
pub(super) trait Law {
    /// Answers up to four contacts and keeps what they remember in their columns.
    fn answer<L: Lanes>(
        &self,
        context: &Context,
        chunk: &mut Chunk<L>,
        losses: &mut Losses<L>,
        answers: &mut Answers,
    ) -> Answered<L>;
}

/// With many grains a body is far away in memory, and is asked for so many contacts before its own.
pub(super) const FETCHED_AHEAD: usize = 32;

/// Where the forces of a block's contacts go.
pub(super) struct Forces<'a> {
    /// The first grain of the block.
    pub(super) first: usize,
    /// Force and torque on the block's grains, on those of others, and on walls.
    pub(super) wrench: &'a mut [Wrench],
    pub(super) answers: &'a mut Answers,
}

/// Answers all contacts of one kind in a block, delivers their forces and remembers.
#[inline(always)]
pub(super) fn respond<L: Lanes>(
    context: &Context,
    law: &impl Law,
    touches: &[Touch],
    history: &mut ContactHistory,
    forces: &mut Forces,
) {
    if touches.is_empty() {
        return;
    }
    let mut losses = Losses::<L>::default();
    // Without what the lanes beyond the last contact add.
    let mut before = losses;
    let only = context.table.is_uniform().then(|| Coefficients::<L>::gather(|_| context.table.at(0)));
    let groups = history.groups;
    let mut padded = [Touch::default(); 4];
    for (chunk, columns) in history.columns.chunks_exact_mut(groups.width()).enumerate() {
        let begin = chunk * 4;
        let left = &touches[begin..];
        let four = left.first_chunk().unwrap_or_else(|| {
            padded.fill(left[left.len() - 1]);
            padded[..left.len()].copy_from_slice(left);
            &padded
        });
        let four = Four { first: forces.first, begin, n: left.len().min(4), touches: four };
        if context.fetches_ahead
            && let Some(ahead) = left.get(FETCHED_AHEAD..FETCHED_AHEAD + 4)
        {
            ahead.iter().for_each(|touch| prefetch(&context.bodies[touch.b as usize]));
        }
        let mixed;
        let coefficients = match &only {
            Some(coefficients) => coefficients,
            None => {
                mixed = coefficients_of(context, &four);
                &mixed
            }
        };
        if four.n < 4 {
            before = losses;
        }
        let mut chunk = Chunk { four, coefficients, columns, groups };
        let answered = law.answer::<L>(context, &mut chunk, &mut losses, forces.answers);
        let Chunk { four, columns, .. } = chunk;
        deliver(context, &four, &answered, columns, forces);
        if four.n < 4 {
            let counts = L::splat(four.n as f64).greater(L::gather(|k| k as f64));
            losses = Losses::select(counts, &losses, &before);
            columns.iter_mut().for_each(|column| column[four.n..].fill(0.0));
        }
    }
    forces.answers.losses += losses.sum();
    forces.answers.n_contacts += touches.len();
}

/// Gives forces and torques to the bodies, and keeps the force for who looks.
#[inline(always)]
fn deliver<L: Lanes>(
    context: &Context,
    four: &Four,
    answered: &Answered<L>,
    columns: &mut [[f64; 4]],
    forces: &mut Forces,
) {
    let &Answered { force, couple, arm_a, arm_b, depth, half_width } = answered;
    force.store(&mut columns[Groups::FORCE..]);
    let (mut torque_a, mut torque_b) = (arm_a.cross(force), force.cross(arm_b));
    if let Some(couple) = couple {
        torque_a = torque_a + couple;
        torque_b = torque_b - couple;
    }
    let (force, torque_a, torque_b) = (force.unpack(), torque_a.unpack(), torque_b.unpack());
    for (k, touch) in four.touches.iter().enumerate() {
        if k >= four.n {
            break;
        }
        forces.wrench[touch.a as usize] += Wrench { force: force[k], torque: torque_a[k] };
        let on_b = &mut forces.wrench[touch.target as usize];
        on_b.force = on_b.force - force[k];
        on_b.torque += torque_b[k];
    }
    let too_deep = four.lanes() & L::bits(depth.greater(L::splat(context.overlap_limit) * half_width));
    if too_deep != 0 && forces.answers.deep.is_none() {
        let relative = depth / half_width;
        forces.answers.deep = (0..four.n).find(|k| too_deep & (1 << k) != 0).map(|k| DeepContact {
            a: four.a(k),
            partner: context.all.partner(four.b(k)),
            relative_overlap: relative.lane(k),
        });
    }
}

/// The coefficients of contacts between several materials. Most often all four are of the same two.
#[inline(always)]
fn coefficients_of<L: Lanes>(context: &Context, four: &Four) -> Coefficients<L> {
    let table = context.table;
    let row = |k: usize| table.row(context.bodies[four.a(k)].material(), context.bodies[four.b(k)].material());
    let rows: [usize; 4] = std::array::from_fn(|k| row(k.min(L::N - 1)));
    if rows.iter().all(|&row| row == rows[0]) {
        let only = table.at(rows[0]);
        Coefficients::gather(|_| only)
    } else {
        Coefficients::gather(|k| table.at(rows[k]))
    }
}

/// Books what is left in a contact that ended in this step: its forces still worked over half of the step, and what the
/// springs hold after that is lost. `conveyed` is how fast the surface of b moves along itself there [m/s].
pub(super) fn ending(
    table: &LawTable,
    [a, b]: [&Body; 2],
    effective_radius: f64,
    memory: &ContactMemory,
    conveyed: DVec3,
    dt: f64,
    losses: &mut Losses<f64>,
) {
    if memory.tangential_stiffness <= 0.0 {
        return;
    }
    let c = table.get(a.material(), b.material());
    let arm_b = memory.arm - (b.position() - a.position());
    let velocity = a.velocity_at(memory.arm) - b.velocity_at(arm_b) - conveyed;
    let spin = a.angular_velocity() - b.angular_velocity();
    let held = |force: DVec3, stiffness: f64| 0.5 * force.length_squared() / stiffness;
    losses.normal_dashpot += 0.5 * dt * velocity.dot(memory.normal) * memory.normal_dashpot_force;
    losses.tangential_dashpot += 0.5 * dt * memory.tangential_power.abs();
    losses.contact_end +=
        held(memory.tangential_force, memory.tangential_stiffness) - 0.5 * dt * memory.tangential_force.dot(velocity);
    if c.rolling_friction > 0.0 && memory.rolling_torque != DVec3::ZERO {
        let stiffness =
            c.rolling_stiffness * effective_radius.powi(2) * memory.tangential_stiffness / c.tangential_stiffness;
        losses.contact_end += held(memory.rolling_torque, stiffness) - 0.5 * dt * memory.rolling_torque.dot(spin);
    }
    let (patch, twist_rate) = (memory.patch, spin.dot(memory.normal));
    losses.tangential_dashpot += 0.5 * dt * (patch.dashpot.dot(velocity) + patch.twist_dashpot * twist_rate);
    if patch.stiffness > 0.0 {
        losses.contact_end +=
            0.5 * patch.torque * patch.torque / patch.stiffness - 0.5 * dt * patch.torque * twist_rate;
    }
}
