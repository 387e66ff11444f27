//! What a block does in a step: find, respond, deliver, remember.

use super::balls::{self, RespondBalls};
use super::found::{self, Found, go_on};
use super::near;
use super::respond::{Answers, Forces, Touch, respond};
use super::respond_shapes::RespondShapes;
use super::revolutions;
use super::shapes::{self, ShapesRoom};
use super::walls::{self, WallsRoom};
use super::{Block, BlockArrays, Context, Scratch, Wrench};
use crate::state::{BlockContacts, ContactHistory, ContactKey};
use tumble_geometry::common_plane::PlaneSearches;
use tumble_geometry::lanes::{Kernel, Lanes, head};

/// All that a block does in a step.
pub(super) struct BlockWork<'w, 'a> {
    pub(super) context: &'w Context<'a>,
    pub(super) block: &'w mut Block,
    pub(super) scratch: &'w mut Scratch,
    pub(super) arrays: &'w mut BlockArrays<'a>,
}

impl Kernel for BlockWork<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let BlockWork { context, block, scratch, arrays } = self;
        let Scratch { wrench, begun, found, room, shapes, walls, workspace } = scratch;
        block.answers = Answers::default();
        block.unsettled = None;
        block.searches = PlaneSearches::default();
        if block.odometer.reading >= block.near_until {
            near::wake(context, block, arrays);
        }
        let (first, n) = (arrays.first, block.n_grains);
        let n_bodies = n + block.mail.len();
        wrench.clear();
        wrench.resize(n_bodies + context.n_walls, Wrench::default());
        let contacts = &mut *arrays.contacts;

        balls::find::<L>(context, block, &mut contacts.balls, first, begun);
        found.clear();
        if context.shapes.is_some() {
            if let Some(law) = context.table.volume {
                workspace.tolerance = law.region_tolerance;
            }
            shapes::find_awake(context, block, first, shapes);
            let ShapesRoom { by_parts, by_profiles, revolutions } = shapes;
            revolutions::find::<L>(context, by_profiles, block, &contacts.shapes, first, revolutions, found);
            shapes::find_by_parts(context, by_parts, block, &contacts.shapes, first, workspace, found);
            context.shapes_go_on(block, &mut contacts.shapes, first, found, room);
        }
        if block.near_walls.is_empty() {
            walls.clear();
        } else {
            let mut patches = std::mem::take(&mut block.patches);
            let histories = [&contacts.balls_at_walls, &contacts.shapes_at_walls];
            walls::find(context, block, histories, first, &mut patches, walls, workspace);
            block.patches = patches;
            context.walls_go_on(block, contacts, first, walls, room);
        }

        let BlockContacts { balls, balls_at_walls, shapes, shapes_at_walls } = contacts;
        let Block { answers, .. } = block;
        let mut forces = Forces { first, wrench, answers };
        let lists = [(None, &block.balls, balls), (Some(&walls.balls[..]), &block.balls_at_walls, balls_at_walls)];
        match (context.table.hertz, context.table.rolling) {
            (false, false) => respond_balls::<L, false, false>(context, lists, &mut forces),
            (false, true) => respond_balls::<L, false, true>(context, lists, &mut forces),
            (true, false) => respond_balls::<L, true, false>(context, lists, &mut forces),
            (true, true) => respond_balls::<L, true, true>(context, lists, &mut forces),
        }
        if context.shapes.is_some() {
            let lists =
                [(&found[..], &block.shapes, shapes), (&walls.shapes[..], &block.shapes_at_walls, shapes_at_walls)];
            if context.table.hertz {
                respond_shapes::<L, true>(context, lists, &mut forces);
            } else {
                respond_shapes::<L, false>(context, lists, &mut forces);
            }
        }

        if !block.answers.ended.is_empty() {
            balls::remove(block, &mut arrays.contacts.balls);
        }
        for ((wrench, force), torque) in wrench.iter().zip(arrays.force.iter_mut()).zip(arrays.torque.iter_mut()) {
            (*force, *torque) = (head(wrench.force), head(wrench.torque));
        }
        block.mail.put(&wrench[n..n_bodies]);
        block.wall_loads.copy_from_slice(&wrench[n_bodies..]);
    }
}

/// Contacts of one kind: where they were found, their bodies and their history.
type ContactList<'a, F> = (F, &'a Vec<Touch>, &'a mut ContactHistory);

#[inline(always)]
fn respond_balls<L: Lanes, const HERTZ: bool, const ROLLING: bool>(
    context: &Context,
    lists: [ContactList<Option<&[Found]>>; 2],
    forces: &mut Forces,
) {
    for (found, touches, history) in lists {
        respond::<L>(context, &RespondBalls::<HERTZ, ROLLING> { found }, touches, history, forces);
    }
}

#[inline(always)]
fn respond_shapes<L: Lanes, const HERTZ: bool>(
    context: &Context,
    lists: [ContactList<&[Found]>; 2],
    forces: &mut Forces,
) {
    for (found, touches, history) in lists {
        respond::<L>(context, &RespondShapes::<HERTZ> { found }, touches, history, forces);
    }
}

impl Context<'_> {
    /// Lets pairs of shapes go on with the contacts that were found.
    fn shapes_go_on(
        &self,
        block: &mut Block,
        history: &mut ContactHistory,
        first: usize,
        found: &mut [Found],
        room: &mut found::Room,
    ) {
        // Those of bodies of revolution and those found part by part stand one after the other.
        if !found.is_sorted_by_key(|found| found.touch.near) {
            found.sort_by_key(|found| (found.touch.near, found.point));
        }
        let key = |found: &Found| ContactKey {
            a: self.ids[first + found.touch.a as usize],
            b: self.ids[found.touch.b as usize],
            point: found.point,
        };
        let losses = &mut block.answers.losses;
        go_on(history, &mut block.shapes, found, room, key, |touch, history, contact| {
            self.end_placed(first, touch, history, contact, losses);
        });
    }

    /// Lets grains at walls go on with the contacts that were found.
    fn walls_go_on(
        &self,
        block: &mut Block,
        contacts: &mut BlockContacts,
        first: usize,
        walls: &WallsRoom,
        room: &mut found::Room,
    ) {
        let Block { balls_at_walls, shapes_at_walls, answers, .. } = block;
        let lists = [
            (&mut contacts.balls_at_walls, balls_at_walls, &walls.balls),
            (&mut contacts.shapes_at_walls, shapes_at_walls, &walls.shapes),
        ];
        let key = |found: &Found| ContactKey {
            a: self.ids[first + found.touch.a as usize],
            b: found.touch.near,
            point: found.point,
        };
        for (history, touches, found) in lists {
            go_on(history, touches, found, room, key, |touch, history, contact| {
                self.end_placed(first, touch, history, contact, &mut answers.losses);
            });
        }
    }
}
