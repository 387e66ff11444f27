//! Where two bodies of revolution touch: found one by one or, of crowned cylinders whose normal is known from the last step,
//! four at a time.
//!
//! Flat ends and straight sides give way towards their rims ([`tumble_geometry::narrow::YieldingBody`]), or are met as if they
//! bulged a little ([`tumble_geometry::narrow::ContactBody`]). The point of a contact of two faces then moves with their tilt. Between
//! faces that are exactly flat it would jump from rim to rim, and a grain that rests on its face would rock from step to step for
//! ever, at the cost of the energy balance.
//!
//! Whether a contact goes through a lane or through the search is decided by the contact alone, and a lane's bits do not
//! depend on its neighbours; so neither do those of a run.

use super::bodies::Frame;
use super::found::Found;
use super::meeting::Meeting;
use super::near::{NONE, NearShapes, SURELY_APART, Way};
use super::respond::Touch;
use super::shape_table::{ShapeTable, SizedShape};
use super::shapes::Awake;
use super::{Block, Context};
use crate::law::Faces;
use crate::state::ContactHistory;
use glam::DVec3;
use tumble_geometry::Contact;
use tumble_geometry::lanes::{Lanes, Row, Vector, head, row, tail};
use tumble_geometry::narrow::crowned::{CrownedCylinders, follow};
use tumble_geometry::narrow::{GROWTH, Revolution};

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
    fn new([a, b]: [&'a SizedShape; 2], axes: [DVec3; 2], offset: DVec3) -> Option<TwoRevolutions<'a>> {
        let (Some(first), Some(second)) = (a.revolution(), b.revolution()) else { return None };
        Some(TwoRevolutions { shapes: [first, second], axes, offset, size: a.reach.max(b.reach) })
    }

    /// The gap along a direction [m].
    #[inline]
    fn gap(&self, direction: DVec3) -> f64 {
        self.shapes[0].gap_along(self.shapes[1], self.axes, self.offset, direction)
    }

    /// A distance that they are apart at least, and the direction in which that shows; `hint` is tried first.
    pub(super) fn apart_at_least(&self, hint: DVec3, enough: f64) -> (f64, DVec3) {
        let slack = SURELY_APART * self.size;
        let along_hint = if hint == DVec3::ZERO { f64::NEG_INFINITY } else { self.gap(hint) - slack };
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
}

/// A contact that was found, or is being looked for.
#[derive(Clone, Copy, Debug)]
struct Met {
    pair: Awake,
    /// Unit normal; where a search begins, that of the last step.
    normal: DVec3,
    /// How they meet, if they do. Where a search begins, nothing.
    meeting: Option<Meeting>,
}

/// Room to work in.
#[derive(Debug, Default)]
pub(super) struct Room {
    met: Vec<Met>,
    /// Of these, the cylinders that touched in the last step, and how deep.
    cylinders: Vec<(u32, f64)>,
}

impl<'a> Context<'a> {
    /// A grain and a body, if both are bodies of revolution.
    #[inline]
    pub(super) fn two_revolutions(&self, grain: usize, partner: u32) -> Option<TwoRevolutions<'a>> {
        let shapes = self.shapes?;
        let frames = [&self.frames[grain], &self.frames[partner as usize]];
        TwoRevolutions::new(
            frames.map(|frame| shapes.entry(frame.shape)),
            frames.map(|frame| head(frame.axis())),
            self.bodies[partner as usize].position() - self.bodies[grain].position(),
        )
    }
}

/// Finds the contacts of these pairs of bodies of revolution, in their order.
#[inline(always)]
pub(super) fn find<L: Lanes>(
    context: &Context,
    pairs: &[Awake],
    block: &mut Block,
    history: &ContactHistory,
    first: usize,
    room: &mut Room,
    found: &mut Vec<Found>,
) {
    let Room { met, cylinders } = room;
    met.clear();
    cylinders.clear();
    for &pair in pairs {
        let NearShapes { a, b, way, hint, .. } = block.near_shapes[pair.near as usize];
        let grain = first + a as usize;
        if pair.old != NONE {
            let from = history.normal_and_law_depth(pair.old as usize);
            if way == Way::Cylinders {
                cylinders.push((met.len() as u32, from.1));
                met.push(Met { pair, normal: from.0, meeting: None });
            } else {
                met.push(search(context, pair, grain, b, Some(from), block));
            }
            continue;
        }
        // A pair that did not touch is tried first along the direction in which it was last found apart.
        let apart = |two: TwoRevolutions| two.gap(hint) > SURELY_APART * two.size + context.table.range;
        if hint != DVec3::ZERO && context.two_revolutions(grain, b).is_some_and(apart) {
            continue;
        }
        met.push(search(context, pair, grain, b, None, block));
    }
    for places in cylinders.chunks(L::N) {
        follow_cylinders::<L>(context, places, met, block, first);
    }
    for met in met.iter() {
        let NearShapes { a, b, target, slot, .. } = block.near_shapes[met.pair.near as usize];
        match &met.meeting {
            Some(meeting) => {
                found.push(meeting.found(Touch { a, b, target, near: slot }, [0, 0], 0, met.pair.old));
            }
            // What does not touch keeps the direction in which it is apart.
            None => block.near_shapes[met.pair.near as usize].hint = met.normal,
        }
    }
}

/// Looks for a contact from the normal and the depth of the last step, or from nothing.
#[inline(never)]
fn search(
    context: &Context,
    pair: Awake,
    grain: usize,
    partner: u32,
    from: Option<(DVec3, f64)>,
    block: &mut Block,
) -> Met {
    let guess = from.map(|(normal, _)| normal);
    let Some(both) = context.shaped_pair(grain, partner) else {
        return Met { pair, normal: DVec3::X, meeting: None };
    };
    let parts = both.parts(0, 0);
    let gives_way = parts.a.yields() || parts.b.yields();
    // What gives way and touched in the last step is asked for below. The others are most often apart.
    if from.is_none() || !gives_way {
        let quick = context.two_revolutions(grain, partner).and_then(|two| two.contact(guess));
        match quick {
            Some(Contact { normal, separation, point_a, point_b })
                if separation >= context.table.range || !gives_way =>
            {
                let touches = separation < context.table.range;
                let meeting = touches.then(|| Meeting::by_depth(normal, 0.5 * (point_a + point_b), -separation));
                return Met { pair, normal, meeting };
            }
            _ => {}
        }
    }
    let (meeting, normal, unsettled) = parts.look_at_surfaces(from, context.table);
    if let Some(bound) = unsettled {
        block.note_unsettled(context, grain, partner, [0, 0], bound);
    }
    Met { pair, normal, meeting }
}

#[inline(always)]
fn gather_cylinders<L: Lanes>(shapes: &ShapeTable, frames: [&Frame; 4]) -> CrownedCylinders<L> {
    let (axis, _) = L::gather_rows(|k| frames[k].axis());
    CrownedCylinders::gather(axis, |k| shapes.entry(frames[k].shape).cylinder.unwrap_or_default())
}

/// Finds contacts of cylinders again from their last normals and depths: as many as there are lanes, or fewer.
#[inline(always)]
fn follow_cylinders<L: Lanes>(
    context: &Context,
    places: &[(u32, f64)],
    met: &mut [Met],
    block: &mut Block,
    first: usize,
) {
    let Some(shapes) = context.shapes else { return };
    let n = places.len();
    let place = |k: usize| places[k.min(n - 1)].0 as usize;
    let near = |k: usize| block.near_shapes[met[place(k)].pair.near as usize];
    let bodies: [[usize; 2]; 4] = std::array::from_fn(|k| [first + near(k).a as usize, near(k).b as usize]);
    let a = gather_cylinders::<L>(shapes, bodies.map(|[a, _]| &context.frames[a]));
    let b = gather_cylinders::<L>(shapes, bodies.map(|[_, b]| &context.frames[b]));
    let (position_a, _) = L::gather_rows(|k| context.bodies[bodies[k][0]].place);
    let (position_b, _) = L::gather_rows(|k| context.bodies[bodies[k][1]].place);
    let (guess, depth) = L::gather_rows(|k| row(met[place(k)].normal, places[k.min(n - 1)].1));
    let growth = if context.table.faces == Faces::MeanDepth { GROWTH } else { 0.0 };
    let (found, proven) = follow(&a, &b, position_b - position_a, guess, depth, growth);
    let contacts = found.contacts;
    let middle = contacts.point_a + contacts.normal * (L::splat(0.5) * contacts.separation);
    let (mut normals, mut arms, mut regions) = ([Row::default(); 4], [Row::default(); 4], [Row::default(); 4]);
    L::scatter_rows(contacts.normal, found.flat_depth, |k, row| normals[k] = row);
    L::scatter_rows(middle, -contacts.separation / found.slope, |k, row| arms[k] = row);
    let region = Vector { x: L::splat(0.0), y: found.patch_radius, z: L::splat(0.0) };
    L::scatter_rows(region, found.slope, |k, row| regions[k] = row);
    let proven = L::bits(proven);
    for k in 0..n {
        let met = &mut met[places[k].0 as usize];
        if proven & (1 << k) != 0 {
            let (normal, overlap) = (head(normals[k]), tail(arms[k]));
            met.normal = normal;
            met.meeting = (-overlap < context.table.range).then(|| Meeting {
                normal,
                arm: head(arms[k]),
                depth: tail(normals[k]),
                overlap,
                region: regions[k],
            });
        } else {
            let from = Some((met.normal, places[k].1));
            *met = search(context, met.pair, bodies[k][0], bodies[k][1] as u32, from, block);
        }
    }
}
