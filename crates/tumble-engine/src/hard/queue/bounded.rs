//! A bounded priority queue (Paul, *J. Comput. Phys.* 221 (2007) 615): time is cut into equal slots, the events of a slot are
//! linked in no order, and only those of the present slot are sorted, by a heap of a few. So the cost of an event does not
//! grow with the number of them. Slots are used in a circle; what is beyond them waits apart and is looked at once a round.
//!
//! The width of the slots changes nothing but the cost. It is chosen from the events that are there when the first is asked
//! for, and again when a round shows that slots hold too many or too few.

use super::{EventList, comes_before};
use tumble_geometry::lanes::prefetch;

/// Where an entrant's event is.
const NOWHERE: u32 = u32::MAX;
const IN_HEAP: u32 = u32::MAX - 1;
const BEYOND: u32 = u32::MAX - 2;
/// The end of a list of entrants.
const NONE: u32 = u32::MAX;

/// The present slot before the first event is asked for: all are beyond.
const NOT_BEGUN: i64 = i64::MIN / 4;
/// Events a slot is meant to hold: fewer leave slots empty that are passed in vain, more make the heap deep.
const EVENTS_A_SLOT: f64 = 3.0;
/// Slots are made anew when they hold more or fewer than this many times what they are meant to.
const SLACK: f64 = 4.0;

/// An entrant's event and its neighbours in the list it is in.
#[derive(Clone, Copy, Debug)]
struct Node {
    time: f64,
    /// The slot, or one of the places that are none.
    place: u32,
    next: u32,
    /// The one before, or the place in the heap.
    previous: u32,
}

/// The collision list of runs.
#[derive(Clone, Debug)]
pub struct BoundedQueue {
    nodes: Vec<Node>,
    /// The first entrant of each slot; as many slots as a power of two.
    slots: Vec<u32>,
    /// The first entrant beyond the slots.
    beyond: u32,
    /// Events up to the end of the present slot, as a binary heap.
    pub(super) heap: Vec<(f64, u32)>,
    /// One over the width of a slot [1/s].
    per_width: f64,
    /// The present slot, counted from time zero.
    present: i64,
    /// The slot at which what is beyond is looked at.
    round_ends: i64,
    /// How many events are in slots, and beyond them.
    in_slots: usize,
    n_beyond: usize,
    /// Whether slots have a width yet.
    ready: bool,
    /// Events taken out and slots passed since the width was judged.
    pub(super) popped: usize,
    pub(super) passed: usize,
}

impl EventList for BoundedQueue {
    fn with_entrants(entrants: usize) -> BoundedQueue {
        let empty = Node { time: f64::INFINITY, place: NOWHERE, next: NONE, previous: NONE };
        BoundedQueue {
            nodes: vec![empty; entrants],
            slots: vec![NONE; entrants.max(16).next_power_of_two()],
            beyond: NONE,
            heap: Vec::with_capacity(64),
            per_width: 1.0,
            present: NOT_BEGUN,
            round_ends: NOT_BEGUN,
            in_slots: 0,
            n_beyond: 0,
            ready: false,
            popped: 0,
            passed: 0,
        }
    }

    #[inline]
    fn set(&mut self, entrant: u32, time: f64) {
        debug_assert!(!time.is_nan());
        self.remove(entrant);
        self.nodes[entrant as usize].time = time;
        if time < f64::INFINITY {
            self.insert(entrant, time);
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<(f64, u32)> {
        if self.heap.is_empty() {
            self.fill_heap();
        }
        let event = *self.heap.first()?;
        self.remove_from_heap(0);
        let node = &mut self.nodes[event.1 as usize];
        node.place = NOWHERE;
        node.time = f64::INFINITY;
        self.popped += 1;
        Some(event)
    }

    #[inline]
    fn upcoming(&self, mut call: impl FnMut(u32)) {
        for &(_, entrant) in self.heap.iter().take(3) {
            call(entrant);
        }
        for ahead in 1..=2 {
            let first = self.slots[(self.present + ahead) as usize & (self.slots.len() - 1)];
            if first != NONE {
                prefetch(&self.nodes[first as usize]);
                call(first);
            }
        }
    }
}

impl BoundedQueue {
    #[inline]
    fn insert(&mut self, entrant: u32, time: f64) {
        // Later times are never in earlier slots: a product is rounded the same way for both.
        let slot = time * self.per_width;
        if slot < (self.present + 1) as f64 {
            self.push_on_heap((time, entrant));
        } else if slot < (self.present + self.slots.len() as i64) as f64 {
            self.push_in_slot(entrant, slot as i64);
        } else {
            self.push_beyond(entrant);
        }
    }

    #[inline]
    fn push_in_slot(&mut self, entrant: u32, slot: i64) {
        let place = slot as usize & (self.slots.len() - 1);
        let first = std::mem::replace(&mut self.slots[place], entrant);
        self.link(entrant, place as u32, first);
        self.in_slots += 1;
    }

    fn push_beyond(&mut self, entrant: u32) {
        let first = std::mem::replace(&mut self.beyond, entrant);
        self.link(entrant, BEYOND, first);
        self.n_beyond += 1;
    }

    /// Makes an entrant the first of a list whose first was another.
    #[inline]
    fn link(&mut self, entrant: u32, place: u32, first: u32) {
        if first != NONE {
            self.nodes[first as usize].previous = entrant;
        }
        let node = &mut self.nodes[entrant as usize];
        node.place = place;
        node.next = first;
        node.previous = NONE;
    }

    #[inline]
    fn remove(&mut self, entrant: u32) {
        let Node { place, next, previous, .. } = self.nodes[entrant as usize];
        match place {
            NOWHERE => return,
            IN_HEAP => self.remove_from_heap(previous as usize),
            _ => {
                if next != NONE {
                    self.nodes[next as usize].previous = previous;
                }
                if previous != NONE {
                    self.nodes[previous as usize].next = next;
                } else if place == BEYOND {
                    self.beyond = next;
                } else {
                    self.slots[place as usize] = next;
                }
                if place == BEYOND {
                    self.n_beyond -= 1;
                } else {
                    self.in_slots -= 1;
                }
            }
        }
        self.nodes[entrant as usize].place = NOWHERE;
    }

    /// Goes on to the next slot that has events, and puts these on the heap, which is empty.
    fn fill_heap(&mut self) {
        self.judge_width();
        while self.heap.is_empty() {
            if self.in_slots == 0 {
                if self.n_beyond == 0 {
                    return;
                }
                // Straight to the first that is beyond.
                let mut first = f64::INFINITY;
                let mut entrant = self.beyond;
                while entrant != NONE {
                    first = first.min(self.nodes[entrant as usize].time);
                    entrant = self.nodes[entrant as usize].next;
                }
                let slot = (first * self.per_width).floor();
                if slot.abs() > 1e15 {
                    // Slots so narrow that they cannot be counted: wide enough for the first to be in one of the first.
                    self.distribute(first.abs() * 1e-6);
                    continue;
                }
                // What is before zero is at once.
                self.present = (slot as i64).max(0);
                self.begin_round();
                continue;
            }
            self.present += 1;
            self.passed += 1;
            if self.present == self.round_ends {
                self.begin_round();
            }
            let place = self.present as usize & (self.slots.len() - 1);
            let mut entrant = std::mem::replace(&mut self.slots[place], NONE);
            while entrant != NONE {
                let Node { time, next, .. } = self.nodes[entrant as usize];
                self.in_slots -= 1;
                self.push_on_heap((time, entrant));
                entrant = next;
            }
        }
    }

    /// Puts what is beyond the slots into those that have become free.
    fn begin_round(&mut self) {
        let n = self.slots.len() as i64;
        self.round_ends = (self.present.div_euclid(n) + 1) * n;
        let mut entrant = std::mem::replace(&mut self.beyond, NONE);
        self.n_beyond = 0;
        while entrant != NONE {
            let Node { time, next, .. } = self.nodes[entrant as usize];
            self.insert(entrant, time);
            entrant = next;
        }
    }

    /// Gives slots another width if they hold too many events or too few, and one for the first time.
    fn judge_width(&mut self) {
        if !self.ready {
            let width = self.width_by_times();
            self.distribute(width);
        } else if self.popped >= self.nodes.len().max(4096) {
            let held = self.popped as f64 / self.passed.max(1) as f64;
            if !(EVENTS_A_SLOT / SLACK..EVENTS_A_SLOT * SLACK).contains(&held) {
                let change = (EVENTS_A_SLOT / held).clamp(1e-3, 1e3);
                self.distribute(change / self.per_width);
            }
            self.popped = 0;
            self.passed = 0;
        }
    }

    /// The width of slots that would hold as many events as they are meant to if entrants had their next event as soon, on
    /// average, as they have this one.
    fn width_by_times(&self) -> f64 {
        let mut times: Vec<f64> = self.nodes.iter().map(|node| node.time).filter(|time| time.is_finite()).collect();
        if times.len() < 2 {
            return 1.0;
        }
        let first = times.iter().copied().fold(f64::INFINITY, f64::min);
        let n = times.len();
        let (_, &mut middle, _) = times.select_nth_unstable_by(n / 2, f64::total_cmp);
        let last = times.iter().copied().fold(first, f64::max);
        let span = if middle > first { middle - first } else { last - first };
        if span > 0.0 { EVENTS_A_SLOT * span / n as f64 } else { 1.0 }
    }

    /// Puts all events where they belong with slots of a width.
    fn distribute(&mut self, width: f64) {
        self.slots.fill(NONE);
        self.heap.clear();
        self.beyond = NONE;
        self.in_slots = 0;
        self.n_beyond = 0;
        self.popped = 0;
        self.passed = 0;
        self.ready = true;
        self.per_width = 1.0 / width.max(f64::MIN_POSITIVE);
        self.present = NOT_BEGUN;
        self.round_ends = NOT_BEGUN;
        for entrant in 0..self.nodes.len() as u32 {
            if self.nodes[entrant as usize].time < f64::INFINITY {
                self.push_beyond(entrant);
            } else {
                self.nodes[entrant as usize].place = NOWHERE;
            }
        }
    }

    #[inline]
    fn push_on_heap(&mut self, event: (f64, u32)) {
        self.heap.push(event);
        self.nodes[event.1 as usize].place = IN_HEAP;
        self.rise(self.heap.len() - 1, event);
    }

    fn remove_from_heap(&mut self, at: usize) {
        let Some(last) = self.heap.pop() else { return };
        if at == self.heap.len() {
            return;
        }
        // The last takes the free place, and goes up or down from there.
        if at > 0 && comes_before(last, self.heap[(at - 1) / 2]) {
            self.rise(at, last);
        } else {
            self.sink(at, last);
        }
    }

    fn rise(&mut self, mut at: usize, event: (f64, u32)) {
        while at > 0 {
            let above = (at - 1) / 2;
            if !comes_before(event, self.heap[above]) {
                break;
            }
            self.put(at, self.heap[above]);
            at = above;
        }
        self.put(at, event);
    }

    fn sink(&mut self, mut at: usize, event: (f64, u32)) {
        loop {
            let mut below = 2 * at + 1;
            if below >= self.heap.len() {
                break;
            }
            if below + 1 < self.heap.len() && comes_before(self.heap[below + 1], self.heap[below]) {
                below += 1;
            }
            if !comes_before(self.heap[below], event) {
                break;
            }
            self.put(at, self.heap[below]);
            at = below;
        }
        self.put(at, event);
    }

    #[inline]
    fn put(&mut self, at: usize, event: (f64, u32)) {
        self.heap[at] = event;
        self.nodes[event.1 as usize].previous = at as u32;
    }
}
