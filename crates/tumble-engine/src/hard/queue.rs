//! The collision list: what comes next.
//!
//! Every entrant, a grain or whatever else has events, has one event at most, its next; entrants are numbers from 0.
//! Events come in the order of their times, and of entrants where times are equal, so that no list decides what happens.
//!
//! Two of them answer the same: [`BoundedQueue`], which runs use, and [`SortedList`], the list of the textbook, which says
//! whether the other is right.

mod bounded;
#[cfg(test)]
mod tests;

pub use bounded::BoundedQueue;

/// A list of coming events, one for each entrant.
pub trait EventList {
    /// A list for a number of entrants, none of which has an event.
    fn with_entrants(entrants: usize) -> Self;

    /// Gives an entrant its event, in place of any that it has [s]; infinity: it has none.
    fn set(&mut self, entrant: u32, time: f64);

    /// Takes out the first event: when, and whose.
    fn pop(&mut self) -> Option<(f64, u32)>;

    /// Calls with some of those whose events come next, the very next one first, as far as the list has them at hand: so that memory can be
    /// asked for ahead of use.
    fn upcoming(&self, _call: impl FnMut(u32)) {}
}

/// All events in a row, the first at the end. Each change moves what comes after it: slow and obvious.
#[derive(Clone, Debug, Default)]
pub struct SortedList {
    events: Vec<(f64, u32)>,
    times: Vec<f64>,
}

impl SortedList {
    fn place(&self, event: (f64, u32)) -> usize {
        self.events.partition_point(|&other| comes_before(event, other))
    }
}

impl EventList for SortedList {
    fn with_entrants(entrants: usize) -> SortedList {
        SortedList { events: Vec::with_capacity(entrants), times: vec![f64::INFINITY; entrants] }
    }

    fn set(&mut self, entrant: u32, time: f64) {
        let old = self.times[entrant as usize];
        if old < f64::INFINITY {
            let place = self.place((old, entrant));
            self.events.remove(place);
        }
        self.times[entrant as usize] = time;
        if time < f64::INFINITY {
            let place = self.place((time, entrant));
            self.events.insert(place, (time, entrant));
        }
    }

    fn pop(&mut self) -> Option<(f64, u32)> {
        let event = self.events.pop()?;
        self.times[event.1 as usize] = f64::INFINITY;
        Some(event)
    }
}

/// Whether one event is before another. Times are numbers.
#[inline]
fn comes_before(one: (f64, u32), other: (f64, u32)) -> bool {
    one.0 < other.0 || (one.0 == other.0 && one.1 < other.1)
}
