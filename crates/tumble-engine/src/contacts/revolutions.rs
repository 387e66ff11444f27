//! Contacts of two bodies of revolution under a depth law: found one by one or, of cylinders whose normal is known from the
//! last step, four at a time; and their forces, four at a time.
//!
//! Flat ends and straight sides are met as if they bulged a little ([`Revolution::crowned`]). The point of a contact of two
//! faces then moves with their tilt. Between faces that are exactly flat it would jump from rim to rim, and a grain that
//! rests on its face would rock from step to step for ever, at the cost of the energy balance.
//!
//! Whether a contact goes through a lane or through the search is decided by the contact alone, and a lane's bits do not
//! depend on its neighbours; so neither do those of a run.

use super::near::{NearPair, Way};
use super::pairs::{Touch, deliver};
use super::shape_table::SizedShape;
use super::shaped::{LiveShapedContact, SURELY_APART, ShapedTouch};
use super::{Block, BlockArrays, Context, DeepContact, Wrench};
use crate::law::shaped::{Patch, ShapedContact, evaluate_patch};
use crate::law::{Coefficients, Kinematics, Losses, Memory};
use crate::observe::Partner;
use crate::state::{History, PatchMemory};
use glam::{DQuat, DVec3};
use tumble_geometry::Contact;
use tumble_geometry::lanes::{Lanes, Vector, head, row, tail, vector_row};
use tumble_geometry::narrow::Revolution;
use tumble_geometry::narrow::crowned::{CrownedCylinders, follow};
use wide::f64x4;

/// Two grains that are bodies of revolution: their axes say all about them.
pub(super) struct TwoRevolutions<'a> {
    shapes: [&'a Revolution; 2],
    axes: [DVec3; 2],
    /// From the centre of a to that of b [m].
    offset: DVec3,
    size: f64,
}

impl<'a> TwoRevolutions<'a> {
    #[inline]
    pub(super) fn new([a, b]: [&'a SizedShape; 2], axes: [DVec3; 2], offset: DVec3) -> Option<TwoRevolutions<'a>> {
        let (Some(first), Some(second)) = (&a.revolution, &b.revolution) else { return None };
        let size = a.parts[0].radius.max(b.parts[0].radius);
        Some(TwoRevolutions { shapes: [first, second], axes, offset, size })
    }

    /// Whether they are apart along a direction, whatever rounding does.
    #[inline]
    fn are_apart(&self, direction: DVec3) -> bool {
        self.shapes[0].gap_along(self.shapes[1], self.axes, self.offset, direction) > SURELY_APART * self.size
    }

    /// A distance that they are apart at least, and the direction in which that shows; `hint` is tried first.
    pub(super) fn apart_at_least(&self, hint: DVec3, enough: f64) -> (f64, DVec3) {
        let slack = SURELY_APART * self.size;
        let gap = |direction| self.shapes[0].gap_along(self.shapes[1], self.axes, self.offset, direction);
        let along_hint = if hint == DVec3::ZERO { f64::NEG_INFINITY } else { gap(hint) - slack };
        if along_hint > enough {
            return (along_hint, hint);
        }
        let (apart, direction) = self.shapes[0].apart_at_least(self.shapes[1], self.axes, self.offset, enough + slack);
        if apart - slack > along_hint { (apart - slack, direction) } else { (along_hint, hint) }
    }

    /// The contact, in a frame with its origin at a's centre, if the profiles tell.
    #[inline]
    fn contact(&self, guess: Option<DVec3>) -> Option<Contact> {
        self.shapes[0].contact(self.shapes[1], self.axes, self.offset, guess)
    }

    /// The contact of the crowned bodies next to one of the bodies themselves.
    fn contact_near(&self, contact: &Contact) -> Option<Contact> {
        self.shapes[0].contact_near(self.shapes[1], self.axes, self.offset, contact)
    }
}

/// The z axis of a body.
#[inline]
pub(super) fn axis_of(q: DQuat) -> DVec3 {
    DVec3::new(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y))
}

/// A contact that was found, or is being looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    pair: ShapedTouch,
    /// Normal, and the gap along it [m].
    normal: f64x4,
    /// From a's centre to the contact point [m].
    arm: f64x4,
}

/// Room to work in.
#[derive(Debug, Default)]
pub(super) struct Room {
    met: Vec<Met>,
    /// Of these, the cylinders that touched in the last step.
    cylinders: Vec<u32>,
}

/// What the shaped contacts of a block come from and go to.
pub(super) struct Exchange<'a> {
    pub(super) block: &'a mut Block,
    /// The contacts of the last step.
    pub(super) previous: &'a mut [LiveShapedContact],
    /// Force and torque of the block's grains.
    pub(super) wrench: &'a mut [Wrench],
}

impl Context<'_> {
    /// Evaluates the touching ones of these pairs of bodies of revolution, in their order.
    pub(super) fn evaluate_revolutions<const HERTZ: bool>(
        &self,
        pairs: &[ShapedTouch],
        exchange: &mut Exchange,
        arrays: &BlockArrays,
        room: &mut Room,
    ) {
        let Room { met, cylinders } = room;
        met.clear();
        cylinders.clear();
        for &pair in pairs {
            let NearPair { touch, way, hint } = exchange.block.near[pair.near as usize];
            let grain = arrays.first + touch.local as usize;
            if let Some(old) = exchange.previous.get(pair.old as usize) {
                if way == Way::Cylinders {
                    cylinders.push(met.len() as u32);
                    let guess = row(old.normal, 0.0);
                    met.push(Met { pair, normal: guess, arm: guess });
                    continue;
                }
                let guess = Some(old.normal);
                met.push(self.search(pair, touch, grain, guess, exchange.block));
                continue;
            }
            // A pair that did not touch is tried first along the direction in which it was last found apart.
            let two = self.two_revolutions(grain, touch.partner);
            if hint != DVec3::ZERO && two.is_some_and(|two| two.are_apart(hint)) {
                continue;
            }
            met.push(self.search(pair, touch, grain, None, exchange.block));
        }
        let (fours, rest) = cylinders.as_chunks::<4>();
        for four in fours {
            self.follow::<f64x4>(four, met, exchange.block, arrays.first);
        }
        for one in rest {
            self.follow::<f64>(std::slice::from_ref(one), met, exchange.block, arrays.first);
        }
        // What does not touch keeps the direction in which it is apart.
        met.retain(|met| {
            let touches = tail(met.normal) < 0.0;
            if !touches {
                exchange.block.near[met.pair.near as usize].hint = head(met.normal);
            }
            touches
        });
        let mut lanes = Losses::<f64x4>::default();
        let (fours, rest) = met.as_chunks::<4>();
        for four in fours {
            self.respond::<f64x4, HERTZ>(four, exchange, arrays.first, &mut lanes);
        }
        let mut losses = lanes.sum();
        for one in rest {
            self.respond::<f64, HERTZ>(std::slice::from_ref(one), exchange, arrays.first, &mut losses);
        }
        exchange.block.losses += losses;
    }

    /// Looks for a contact from a direction or from nothing.
    #[inline(never)]
    fn search(&self, pair: ShapedTouch, touch: Touch, grain: usize, guess: Option<DVec3>, block: &mut Block) -> Met {
        let two = self.two_revolutions(grain, touch.partner);
        let quick = two.as_ref().and_then(|two| two.contact(guess));
        let contact = quick.unwrap_or_else(|| {
            let contact = self.contact_of_parts(grain, touch.partner, guess, block);
            two.as_ref().and_then(|two| two.contact_near(&contact)).unwrap_or(contact)
        });
        let middle = 0.5 * (contact.point_a + contact.point_b);
        Met { pair, normal: row(contact.normal, contact.separation), arm: row(middle, 0.0) }
    }

    /// Finds contacts of cylinders again from their last normals.
    #[inline(always)]
    fn follow<L: Lanes>(&self, places: &[u32], met: &mut [Met], block: &mut Block, first: usize) {
        let Some(shapes) = self.shapes else { return };
        let touch = |k: usize| block.near[met[places[k] as usize].pair.near as usize].touch;
        let touches: [Touch; 4] = std::array::from_fn(|k| touch(k.min(L::N - 1)));
        let grains = touches.map(|touch| first + touch.local as usize);
        let owners = touches.map(|touch| self.owner(touch.partner) as usize);
        let side = |of: [usize; 4]| {
            let (axis, _) = L::gather_rows(|k| self.axes[of[k]]);
            CrownedCylinders::gather(axis, |k| shapes.get(of[k]).cylinder.unwrap_or_default())
        };
        let (position_a, _) = L::gather_rows(|k| self.bodies[grains[k]].place);
        let (position_b, _) = L::gather_rows(|k| self.bodies[touches[k].partner as usize].place);
        let (guess, _) = L::gather_rows(|k| met[places[k] as usize].normal);
        let (contacts, proven) = follow(&side(grains), &side(owners), position_b - position_a, guess);
        let middle = contacts.point_a + contacts.normal * (L::splat(0.5) * contacts.separation);
        for k in (0..L::N).filter(|&k| !L::holds(proven, k)) {
            let place = places[k] as usize;
            let guess = Some(head(met[place].normal));
            met[place] = self.search(met[place].pair, touches[k], grains[k], guess, block);
        }
        L::scatter_rows(contacts.normal, contacts.separation, |k, normal| {
            if L::holds(proven, k) {
                met[places[k] as usize].normal = normal;
            }
        });
        L::scatter_rows(middle, contacts.separation, |k, arm| {
            if L::holds(proven, k) {
                met[places[k] as usize].arm = arm;
            }
        });
    }

    /// Forces and new memories of contacts side by side.
    #[inline(always)]
    fn respond<L: Lanes, const HERTZ: bool>(
        &self,
        met: &[Met],
        exchange: &mut Exchange,
        first: usize,
        losses: &mut Losses<L>,
    ) {
        let Some(shapes) = self.shapes else { return };
        let Exchange { block, previous, wrench } = exchange;
        let touches: [Touch; 4] = std::array::from_fn(|k| block.near[met[k.min(L::N - 1)].pair.near as usize].touch);
        let grains = touches.map(|touch| first + touch.local as usize);
        let owners = touches.map(|touch| self.owner(touch.partner) as usize);
        let bodies = [grains.map(|a| &self.bodies[a]), touches.map(|touch| &self.bodies[touch.partner as usize])];
        let [a, b] = [(grains, bodies[0]), (owners, bodies[1])].map(|(of, bodies)| {
            let (position, _) = L::gather_rows(|k| bodies[k].place);
            let (velocity, mass) = L::gather_rows(|k| bodies[k].motion);
            let (spin, _) = L::gather_rows(|k| bodies[k].spin);
            let (axis, _) = L::gather_rows(|k| self.axes[of[k]]);
            let (turning, half_width) = L::gather_rows(|k| shapes.get(of[k]).turning);
            Bodies { position, velocity, mass, spin, axis, turning, half_width }
        });
        let (normal, separation) = L::gather_rows(|k| met[k].normal);
        let (arm_a, _) = L::gather_rows(|k| met[k].arm);
        let offset = b.position - a.position;
        let arm_b = arm_a - offset;
        let depth = -separation;
        // A new contact remembers nothing, and where it was then does not matter.
        let new = LiveShapedContact::default();
        let old: [&LiveShapedContact; 4] =
            std::array::from_fn(|k| previous.get(met[k.min(L::N - 1)].pair.old as usize).unwrap_or(&new));
        let (memory, patch) = (Memory::gather(|k| &old[k].history), Patch::gather(|k| &old[k].patch));
        let (normal_before, _) = L::gather_rows(|k| vector_row(old[k].normal));
        let (arm_before, _) = L::gather_rows(|k| vector_row(old[k].arm));

        let velocity_at = |arm: Vector<L>| a.velocity - b.velocity + a.spin.cross(arm) - b.spin.cross(arm - offset);
        let velocity_before = velocity_at(arm_before);
        let one = L::splat(1.0);
        let compliance =
            one / a.mass + one / b.mass + a.turned_by(arm_a.cross(normal)) + b.turned_by(arm_b.cross(normal));
        let (radius_a, radius_b) = (a.turning.z, b.turning.z);
        let effective_radius = radius_a * radius_b / (radius_a + radius_b);
        let contact = ShapedContact {
            kinematics: Kinematics {
                normal,
                overlap: depth,
                relative_velocity: velocity_at(arm_a),
                relative_spin: a.spin - b.spin,
                mean_twist: L::splat(0.5) * (a.spin + b.spin).dot(normal),
                effective_mass: one / compliance,
                effective_radius,
            },
            pitch: L::splat(0.0),
            patch_radius: (effective_radius * depth).sqrt(),
            twist_inertia: one / (a.turned_by(normal) + b.turned_by(normal)),
            velocity_before,
            approach_before: velocity_before.dot(normal_before),
        };
        let coefficients = if self.table.is_uniform() {
            let only = self.table.get(0, 0);
            Coefficients::gather(|_| only)
        } else {
            Coefficients::gather(|k| self.table.get(bodies[0][k].material(), bodies[1][k].material()))
        };
        let response =
            evaluate_patch::<L, HERTZ>(self.table, &coefficients, &contact, &memory, &patch, self.dt, losses);
        let force = response.force;
        let torque_a = arm_a.cross(force) + response.couple;
        let torque_b = force.cross(arm_b) - response.couple;
        let rows = |vector: Vector<L>, number: L| {
            let mut rows = [f64x4::ZERO; 4];
            L::scatter_rows(vector, number, |k, row| rows[k] = row);
            rows
        };
        let (forces, torques_a, torques_b) = (rows(force, depth), rows(torque_a, depth), rows(torque_b, depth));
        let springs = rows(response.memory.tangential_force, response.memory.tangential_stiffness);
        let mut patches = [PatchMemory::default(); 4];
        response.patch.scatter(|k, patch| patches[k] = patch);
        let first_slot = self.start[first];
        for k in 0..L::N {
            let on_a = Wrench { force: forces[k], torque: torques_a[k] };
            let on_b = Wrench { force: -forces[k], torque: torques_b[k] };
            deliver(self, &mut block.outbox, wrench, first, &touches[k], on_a, on_b);
            if let Some(old) = previous.get_mut(met[k].pair.old as usize) {
                old.is_continued();
            }
            block.shaped_contacts.push(LiveShapedContact {
                slot: first_slot + touches[k].slot,
                part_a: 0,
                part_b: 0,
                normal: head(met[k].normal),
                arm: head(met[k].arm),
                history: History {
                    tangential_force: head(springs[k]),
                    tangential_stiffness: tail(springs[k]),
                    normal_dashpot_force: response.memory.normal_dashpot_force.lane(k),
                    tangential_power: 0.0,
                },
                patch: patches[k],
            });
        }
        block.n_contacts += L::N;
        let half_width = a.half_width.min(b.half_width);
        let too_deep = depth.greater(L::splat(self.overlap_limit) * half_width);
        if L::any(too_deep) && block.deep.is_none() {
            block.deep = (0..L::N).find(|&k| L::holds(too_deep, k)).map(|k| DeepContact {
                a: grains[k],
                partner: Partner::Particle(owners[k]),
                relative_overlap: depth.lane(k) / half_width.lane(k),
            });
        }
    }
}

/// A grain in each lane.
struct Bodies<L> {
    position: Vector<L>,
    velocity: Vector<L>,
    mass: L,
    spin: Vector<L>,
    axis: Vector<L>,
    /// See [`SizedShape::turning`].
    turning: Vector<L>,
    half_width: L,
}

impl<L: Lanes> Bodies<L> {
    /// The work of a torque on the turning it causes: t . I^-1 t.
    #[inline(always)]
    fn turned_by(&self, torque: Vector<L>) -> L {
        let along = torque.dot(self.axis);
        self.turning.x * torque.dot(torque) + self.turning.y * along * along
    }
}
