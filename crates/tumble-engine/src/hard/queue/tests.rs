use super::*;
use crate::random::Random;

/// The same run of events through both lists: which event is next, at what time, and what is set then.
fn compare(entrants: usize, events: usize, seed: u64, mut ahead: impl FnMut(&mut Random) -> f64) {
    let mut random = Random::from_seed(seed);
    let mut queue = BoundedQueue::with_entrants(entrants);
    let mut list = SortedList::with_entrants(entrants);
    let mut now = 0.0;
    for entrant in 0..entrants as u32 {
        let time = ahead(&mut random);
        queue.set(entrant, time);
        list.set(entrant, time);
    }
    for event in 0..events {
        let (found, expected) = (queue.pop(), list.pop());
        assert_eq!(found, expected, "event {event}");
        let Some((time, entrant)) = found else { return };
        assert!(time >= now, "{time} after {now}");
        now = time;
        // The one whose event it was, a partner, and sometimes one that has none from now on.
        let partner = (random.next_u64() % entrants as u64) as u32;
        for entrant in [entrant, partner] {
            let time = now + ahead(&mut random);
            queue.set(entrant, time);
            list.set(entrant, time);
        }
        if event % 50 == 0 {
            let entrant = (random.next_u64() % entrants as u64) as u32;
            queue.set(entrant, f64::INFINITY);
            list.set(entrant, f64::INFINITY);
        }
    }
}

#[test]
fn both_lists_give_the_same_order() {
    compare(1, 100, 1, |r| r.unit());
    compare(2, 100, 2, |r| r.unit());
    compare(500, 30_000, 3, |r| -r.unit().ln());
    compare(500, 30_000, 4, |r| r.between(0.9, 1.1));
}

#[test]
fn both_lists_give_the_same_order_when_times_are_equal() {
    // Lattices: everything meets at once, and again at once.
    compare(300, 20_000, 5, |_| 1.0);
    compare(300, 20_000, 6, |r| (r.unit() * 3.0).floor());
    compare(300, 20_000, 7, |_| 0.0);
}

#[test]
fn both_lists_give_the_same_order_for_wild_times() {
    // Twenty decades, so that no width of slots serves.
    compare(300, 20_000, 8, |r| 10f64.powf(r.between(-12.0, 8.0)));
    compare(300, 20_000, 9, |r| 1e-300 * r.unit());
    compare(300, 20_000, 10, |r| 1e290 * r.unit());
    compare(300, 20_000, 11, |r| if r.next_u64() % 100 == 0 { f64::INFINITY } else { r.unit() });
}

#[test]
fn a_list_that_becomes_faster_or_slower_keeps_slots_of_a_few_events() {
    for factor in [1e-4, 1e4] {
        let mut random = Random::from_seed(12);
        let n = 2000u32;
        let mut queue = BoundedQueue::with_entrants(n as usize);
        let mut scale = 1.0;
        for entrant in 0..n {
            queue.set(entrant, -random.unit().ln());
        }
        for event in 0..100_000 {
            if event == 20_000 {
                scale = factor;
            }
            let (time, entrant) = queue.pop().unwrap();
            queue.set(entrant, time - scale * random.unit().ln());
        }
        assert!(queue.heap.len() < 100, "{}", queue.heap.len());
        let held = queue.popped as f64 / queue.passed as f64;
        assert!((0.3..20.0).contains(&held), "{factor}: {held}");
    }
}

#[test]
fn an_empty_list_has_nothing_and_takes_what_comes_later() {
    let mut queue = BoundedQueue::with_entrants(3);
    assert_eq!(queue.pop(), None);
    queue.set(2, 5.0);
    queue.set(0, 4.0);
    queue.set(0, 6.0);
    assert_eq!(queue.pop(), Some((5.0, 2)));
    queue.set(1, 5.0);
    assert_eq!(queue.pop(), Some((5.0, 1)));
    assert_eq!(queue.pop(), Some((6.0, 0)));
    assert_eq!(queue.pop(), None);
}
