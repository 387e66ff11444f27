//! Seven families of flights of two balls, judged with twice the digits, and walls by closed forms and dense sampling.

use super::*;
use crate::random::Random;
use tumble_geometry::roots::real_roots_bracketed;

/// A number as the sum of two, with about 32 digits.
#[derive(Clone, Copy)]
struct Double(f64, f64);

impl Double {
    fn sum(a: f64, b: f64) -> Double {
        let s = a + b;
        let t = s - a;
        Double(s, (a - (s - t)) + (b - t))
    }

    fn plus(self, other: Double) -> Double {
        let (Double(s, e), Double(t, f)) = (Double::sum(self.0, other.0), Double::sum(self.1, other.1));
        let Double(s, e) = Double::sum(s, e + t);
        Double::sum(s, e + f)
    }

    fn times(self, other: Double) -> Double {
        let p = self.0 * other.0;
        let e = self.0.mul_add(other.0, -p) + (self.0 * other.1 + self.1 * other.0);
        Double::sum(p, e)
    }
}

/// The gap |flight|^2 - reach^2 and its slope, with twice the digits and rounded once.
fn gap(flight: &Flight, reach: f64, time: f64) -> (f64, f64) {
    let (t, half) = (Double(time, 0.0), Double(0.5, 0.0));
    let mut value = Double(-reach, 0.0).times(Double(reach, 0.0));
    let mut slope = Double(0.0, 0.0);
    for axis in 0..3 {
        let [r, v, a] = [flight.offset, flight.velocity, flight.acceleration].map(|vector| Double(vector[axis], 0.0));
        let offset = r.plus(t.times(v.plus(half.times(t).times(a))));
        let velocity = v.plus(t.times(a));
        value = value.plus(offset.times(offset));
        slope = slope.plus(offset.times(velocity));
    }
    (value.0, 2.0 * slope.0)
}

/// A moment at which balls meet.
#[derive(Clone, Copy, Debug)]
struct Truth {
    time: f64,
    /// Until when they go deeper, and how deep relative to the reach.
    deepest: f64,
    depth: f64,
}

/// All events before the horizon, up to the first that is deeper than 1e-9 of the reach. Extremes of the gap are roots of
/// a cubic, found by halving; between them the gap is monotone.
fn truth(flight: &Flight, reach: f64, horizon: f64) -> Vec<Truth> {
    let Flight { offset: r, velocity: v, acceleration: a } = *flight;
    let cubic = [2.0 * r.dot(v), 2.0 * (v.dot(v) + r.dot(a)), 3.0 * v.dot(a), a.dot(a), 0.0];
    let mut places = vec![0.0];
    for &root in real_roots_bracketed(cubic).as_slice() {
        let mut t = root;
        for _ in 0..4 {
            let (offset, velocity) = flight.at(t);
            let curvature = 2.0 * (velocity.dot(velocity) + offset.dot(a));
            let step = gap(flight, reach, t).1 / curvature;
            if step.is_finite() && step.abs() < 1e-3 * t.abs() {
                t -= step;
            }
        }
        if t > 0.0 && t < horizon {
            places.push(t);
        }
    }
    places.push(horizon);
    places.sort_by(f64::total_cmp);
    let mut events = Vec::new();
    for pair in places.windows(2) {
        let [start, end] = [pair[0], pair[1]];
        let (first, last) = (gap(flight, reach, start).0, gap(flight, reach, end).0);
        if last >= first || last >= 0.0 {
            continue;
        }
        let (mut low, mut high) = (start, end);
        if first > 0.0 {
            loop {
                let middle = 0.5 * (low + high);
                if middle <= low || middle >= high {
                    break;
                }
                if gap(flight, reach, middle).0 > 0.0 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
        }
        // An overlap that grows from the start is an event however little it grows.
        let depth = if start == 0.0 && first <= 0.0 { 1.0 } else { 0.5 * -last / (reach * reach) };
        events.push(Truth { time: low, deepest: end, depth });
        if depth > 1e-9 {
            break;
        }
    }
    events
}

/// What is wrong with an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Count {
    cases: usize,
    hits: usize,
    missed: usize,
    late: usize,
    early: usize,
    refired: usize,
    unfinished: usize,
}

impl Count {
    fn wrong(&self) -> usize {
        self.missed + self.late + self.early + self.refired
    }

    fn judge(&mut self, flight: &Flight, reach: f64, events: &[Truth], found: f64) {
        let deep = events.last().filter(|event| event.depth > 1e-9);
        self.hits += usize::from(deep.is_some());
        if found == NEVER {
            self.missed += usize::from(deep.is_some());
            return;
        }
        let (value, slope) = gap(flight, reach, found);
        let relative = value / (reach * reach);
        let at_start = events.first().is_some_and(|event| event.time == 0.0);
        let too_soon = found < 0.1 * events.first().map_or(NEVER, |event| event.time);
        if !at_start && too_soon && slope >= 0.0 && relative.abs() < 1e-13 {
            self.refired += 1;
        } else if relative > 1e-13 {
            self.early += 1;
        } else if let Some(event) = deep {
            // Deeper than where they meet, or after the overlap.
            let meeting = gap(flight, reach, event.time).0.min(0.0) / (reach * reach);
            let late = if at_start { found > 0.0 } else { relative < meeting - 1e-13 || found > event.deepest };
            self.late += usize::from(late);
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Family {
    Generic,
    Grazing,
    JustCollided,
    NearlyEqual,
    OnGrainAtRest,
    MicroBounce,
    Overlapping,
}

const FAMILIES: [Family; 7] = [
    Family::Generic,
    Family::Grazing,
    Family::JustCollided,
    Family::NearlyEqual,
    Family::OnGrainAtRest,
    Family::MicroBounce,
    Family::Overlapping,
];

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.normal(), random.normal(), random.normal())
}

/// Flight, reach and horizon.
fn draw(family: Family, random: &mut Random) -> (Flight, f64, f64) {
    let mut power = |low: f64, high: f64| 10f64.powf(random.between(low, high));
    match family {
        Family::Generic => {
            let distance = power(0.0, 0.7);
            let offset = random.direction() * distance;
            (Flight { offset, velocity: vector(random), acceleration: vector(random) }, 1.0, 10.0)
        }
        Family::Grazing => {
            let miss = power(-14.0, -4.0);
            let miss = if random.next_u64() & 1 == 0 { miss } else { -miss };
            let closest = random.direction();
            let velocity = vector(random).cross(closest);
            let (acceleration, when) = (vector(random) * 0.3, random.between(0.5, 3.0));
            // So that they come nearest there, and not farthest.
            let outward = velocity.length_squared() + acceleration.dot(closest);
            let acceleration = acceleration + closest * (2.0 * (-outward).max(0.0));
            let offset = closest * (1.0 + miss) - (velocity - acceleration * (0.5 * when)) * when;
            (Flight { offset, velocity: velocity - acceleration * when, acceleration }, 1.0, 2.0 * when)
        }
        Family::JustCollided => {
            let normal = random.direction();
            let rounding = [0.0, 2e-16, -2e-16, 1e-15, -1e-15][random.next_u64() as usize % 5];
            let velocity = vector(random) * 0.3;
            let velocity = velocity + normal * (2.0 * (-velocity.dot(normal)).max(0.0) + 1e-3);
            let acceleration = vector(random) * 0.5 - normal * random.between(0.5, 3.0);
            (Flight { offset: normal * (1.0 + rounding), velocity, acceleration }, 1.0, 10.0)
        }
        Family::NearlyEqual => {
            let (difference, distance) = (power(-13.0, -3.0), power(0.05, 0.7));
            let (offset, acceleration) = (random.direction() * distance, random.direction() * difference);
            // Half of them are aimed.
            let aim = if random.next_u64() & 1 == 0 { -offset } else { DVec3::ZERO };
            (Flight { offset, velocity: vector(random) + aim, acceleration }, 1.0, 20.0)
        }
        Family::OnGrainAtRest => {
            let (distance, speed) = (1e-3 * power(0.05, 1.0), power(-3.0, 0.0));
            let (offset, velocity) = (random.direction() * distance, random.direction() * speed);
            (Flight { offset, velocity, acceleration: DVec3::NEG_Z * 9.81 }, 1e-3, 0.5)
        }
        Family::MicroBounce => {
            let (up, along) = (power(-7.0, -3.0), power(-8.0, -4.0));
            let tilt = random.direction() * random.between(0.0, 0.5);
            let normal = (DVec3::Z + tilt).normalize();
            let velocity = normal * up + random.direction().cross(normal) * along;
            let rounding = [0.0, 2e-16, -2e-16][random.next_u64() as usize % 3];
            let offset = normal * (1e-3 * (1.0 + rounding));
            (Flight { offset, velocity, acceleration: DVec3::NEG_Z * 9.81 }, 1e-3, 0.5)
        }
        Family::Overlapping => {
            let overlap = power(-16.0, -10.0);
            let normal = random.direction();
            let velocity = vector(random);
            let velocity = velocity - normal * (2.0 * velocity.dot(normal).max(0.0) + 1e-6);
            (Flight { offset: normal * (1.0 - overlap), velocity, acceleration: vector(random) }, 1.0, 10.0)
        }
    }
}

/// The cascade and Bairstow's method over a number of cases of a family.
fn compare(family: Family, cases: usize) -> [Count; 2] {
    let mut random = Random::from_seed(family as u64 + 1);
    let mut counts = [Count { cases, ..Count::default() }; 2];
    for _ in 0..cases {
        let (flight, reach, horizon) = draw(family, &mut random);
        let events = truth(&flight, reach, horizon);
        counts[0].judge(&flight, reach, &events, balls_meet(&flight, reach, horizon));
        let lecture = bairstow(&flight, reach, flight.offset.length() / flight.velocity.length());
        if lecture.converged {
            let time = if lecture.time <= horizon { lecture.time } else { NEVER };
            counts[1].judge(&flight, reach, &events, time);
        } else {
            counts[1].unfinished += 1;
        }
    }
    counts
}

/// What the cascade gets right, and what Bairstow's method does not, as shares of all cases.
fn check_families(cases: usize) {
    for family in FAMILIES {
        let [cascade, lecture] = compare(family, cases);
        assert_eq!(cascade.wrong(), 0, "{family:?}: {cascade:?}");
        let share = |count: usize| count as f64 / cases as f64;
        let hits_expected = match family {
            Family::Generic => 0.05..0.3,
            Family::Grazing | Family::NearlyEqual => 0.2..0.6,
            Family::JustCollided => 0.8..0.95,
            Family::OnGrainAtRest => 0.03..0.2,
            Family::MicroBounce | Family::Overlapping => 0.999..1.1,
        };
        assert!(hits_expected.contains(&share(cascade.hits)), "{family:?}: {cascade:?}");
        // Measured: 43 % found again after a collision, 19 % in the smallest bounces, all overlaps but 0.1 % found too
        // late or not at all; 0.8 % of the grazes have no end. Elsewhere one or two in 20,000 are wrong.
        let as_measured = match family {
            Family::Generic | Family::NearlyEqual | Family::OnGrainAtRest => lecture.wrong() < cases / 2000,
            Family::Grazing => (0.001..0.02).contains(&share(lecture.unfinished)),
            Family::JustCollided => (0.35..0.5).contains(&share(lecture.refired)),
            Family::MicroBounce => (0.1..0.3).contains(&share(lecture.refired)),
            Family::Overlapping => (0.99..1.1).contains(&share(lecture.late + lecture.missed)),
        };
        assert!(as_measured, "{family:?}: {lecture:?}");
    }
}

#[test]
fn the_cascade_misses_nothing_and_finds_nothing_twice_where_bairstow_does() {
    check_families(20_000);
}

#[test]
#[ignore = "a million cases"]
fn the_cascade_misses_nothing_and_finds_nothing_twice_in_a_million_cases() {
    check_families(150_000);
}

#[test]
fn what_is_found_is_at_contact_to_the_last_digits() {
    for family in FAMILIES {
        let mut random = Random::from_seed(77);
        let (mut far, mut hits) = (0, 0);
        for _ in 0..5_000 {
            let (flight, reach, horizon) = draw(family, &mut random);
            let time = balls_meet(&flight, reach, horizon);
            if time == NEVER || time == 0.0 {
                continue;
            }
            hits += 1;
            let distance = flight.at(time).0.length() / reach - 1.0;
            // Where the way is long against the balls, so is its rounding.
            let way = flight.offset.length() + flight.velocity.length() * time;
            far += usize::from(distance.abs() > 4.0 * f64::EPSILON * (way / reach).max(1.0));
        }
        // Some turn back inside contact, and are found there.
        assert!(far * 100 <= hits, "{family:?}: {far} of {hits}");
    }
}

#[test]
fn balls_of_equal_acceleration_meet_where_the_quartic_says() {
    let mut random = Random::from_seed(3);
    let mut hits = 0;
    for _ in 0..20_000 {
        let offset = random.direction() * random.between(1.0, 5.0);
        let flight = Flight { offset, velocity: vector(&mut random) - offset * 0.5, acceleration: DVec3::ZERO };
        let by_quadratic = uniform_balls_meet(offset, flight.velocity, 1.0);
        let by_quartic = Squares { flight, square_reach: 1.0, sign: 1.0 };
        // Without the way out for straight flights.
        let nudged = Squares { flight: Flight { acceleration: DVec3::X * 1e-300, ..flight }, ..by_quartic };
        let by_quartic = nudged.first_event(1e3);
        if by_quadratic == NEVER || by_quartic == NEVER {
            // A graze may go either way.
            let closest =
                (offset - flight.velocity * (offset.dot(flight.velocity) / flight.velocity.length_squared())).length();
            assert!(by_quadratic == by_quartic || (closest - 1.0).abs() < 1e-14);
            continue;
        }
        hits += 1;
        assert!((by_quadratic - by_quartic).abs() < 1e-7 * by_quadratic.max(1e-9));
        assert!((flight.at(by_quadratic).0.length() - 1.0).abs() < 1e-14);
    }
    assert!(hits > 3_000, "{hits}");
}

#[test]
fn a_pair_that_has_just_collided_is_not_found_again_and_one_that_overlaps_is_found_now() {
    let n = DVec3::new(0.6, 0.8, 0.0);
    assert_eq!(uniform_balls_meet(n * (1.0 - 1e-15), n * 1e-9, 1.0), NEVER);
    assert_eq!(uniform_balls_meet(n * (1.0 - 1e-15), n * -1e-9, 1.0), 0.0);
    assert_eq!(uniform_balls_meet(n * 1.5, DVec3::ZERO, 1.0), NEVER);
    assert_eq!(uniform_balls_meet(n * 0.5, DVec3::ZERO, 1.0), NEVER);
    assert_eq!(ball_meets_plane(-1e-16, 1e-9, 0.0), NEVER);
    assert_eq!(ball_meets_plane(-1e-16, -1e-9, 0.0), 0.0);
    assert_eq!(ball_meets_plane(0.0, 0.0, 0.0), NEVER);
    // At rest on a floor: now, at no speed.
    assert_eq!(ball_meets_plane(0.0, 0.0, -9.81), 0.0);
}

/// The first event of a gap by looking at many places, each a step from the last; `None` if its sign is doubtful.
fn sampled(horizon: f64, gap: impl Fn(f64) -> f64) -> Option<f64> {
    let n = 20_000;
    let step = horizon / f64::from(n);
    let mut last = gap(0.0);
    for i in 1..=n {
        let time = step * f64::from(i);
        let now = gap(time);
        if now <= 0.0 && now < last {
            return Some(time);
        }
        last = now;
    }
    None
}

#[test]
fn planes_are_met_where_a_bouncing_ball_says() {
    // Dropped from 1 m, with 0.5 of its speed left, the next bounce is 2 e t0 later.
    let fall = (2.0f64 / 9.81).sqrt();
    assert!((ball_meets_plane(1.0, 0.0, -9.81) - fall).abs() < 1e-16);
    let rebound = 0.5 * 9.81 * fall;
    assert!((ball_meets_plane(0.0, rebound, -9.81) - fall).abs() < 1e-15);
    assert!((ball_meets_plane(-1e-17, rebound, -9.81) - fall).abs() < 1e-15);
    // A flight that is turned back before the plane; one that turns inside, and sinks back from there.
    assert_eq!(ball_meets_plane(1.0, -1.0, 1.0), NEVER);
    assert!((ball_meets_plane(-1.0, 1.0, -1.0) - 1.0).abs() < 1e-15);
    let mut random = Random::from_seed(4);
    for _ in 0..2_000 {
        let (start, speed, acceleration) = (random.between(-0.2, 1.0), random.normal(), random.normal());
        let gap = |t: f64| start + t * (speed + 0.5 * acceleration * t);
        let found = ball_meets_plane(start, speed, acceleration);
        match sampled(5.0, gap) {
            Some(time) => {
                assert!(found <= time && found > time - 6e-4, "{start} {speed} {acceleration}: {found} {time}")
            }
            None => assert!(found > 5.0 - 6e-4, "{start} {speed} {acceleration}: {found}"),
        }
    }
}

#[test]
fn cylinders_are_met_from_inside_and_outside_where_dense_sampling_says() {
    let mut random = Random::from_seed(5);
    let (mut met, mut missed) = (0, 0);
    for case in 0..1_000 {
        let axis = random.direction();
        let inside = case % 2 == 0;
        let place = random.direction().cross(axis).normalize() * random.between(0.0, 0.999);
        let offset = if inside { place } else { place * 2.0 + place.normalize() } + axis * random.normal();
        let acceleration = if case % 3 == 0 { DVec3::ZERO } else { vector(&mut random) };
        let flight = Flight { offset, velocity: vector(&mut random), acceleration };
        let gap = |t: f64| {
            let (offset, _) = flight.at(t);
            let distance = (offset - axis * axis.dot(offset)).length();
            if inside { 1.0 - distance } else { distance - 1.0 }
        };
        let horizon = 4.0;
        let found = if inside {
            ball_meets_tube(&flight, axis, 1.0, horizon)
        } else {
            ball_meets_cylinder(&flight, axis, 1.0, horizon)
        };
        let curvature = if found < NEVER { gap(found) } else { 0.0 };
        assert!(curvature.abs() < 1e-13 || found == 0.0, "{flight:?} {found} {curvature:e}");
        match sampled(horizon, gap) {
            Some(time) => {
                met += 1;
                assert!(found <= time && found > time - 3e-4, "{flight:?} {inside}: {found} {time}");
            }
            None => {
                missed += 1;
                // Dips between two samples are shallow.
                assert!(found > horizon - 3e-4 || gap(found + 1e-4) > -1e-7, "{flight:?} {inside}: {found}");
            }
        }
    }
    assert!(met > 300 && missed > 50, "{met} {missed}");
}

#[test]
fn walls_that_swing_are_met_where_dense_sampling_says() {
    let mut random = Random::from_seed(6);
    let (mut met, mut longest) = (0, 0);
    for _ in 0..500 {
        // A ball above a plate that shakes, its radius taken off.
        let (height, speed, gravity) = (random.between(0.0, 2.0), random.normal(), random.between(0.0, 10.0));
        let (amplitude, rate, phase) = (random.between(0.01, 0.5), random.between(1.0, 20.0), random.between(0.0, 6.0));
        let steps = std::cell::Cell::new(0);
        let gap = |t: f64| {
            steps.set(steps.get() + 1);
            let (sine, cosine) = (rate * t + phase).sin_cos();
            (
                height + t * (speed - 0.5 * gravity * t) - amplitude * (sine - phase.sin()),
                speed - gravity * t - amplitude * rate * cosine,
            )
        };
        let curvature = gravity + amplitude * rate * rate;
        let found = first_of_bounded(curvature, 1e-14, 1.0, gap);
        longest = longest.max(steps.get());
        match (found, sampled(1.0, |t| gap(t).0)) {
            (Search::Meets(found), Some(time)) => {
                met += 1;
                assert!(found <= time && found > time - 1e-4, "{found} {time}");
                assert!(gap(found).0.abs() < 1e-13 || gap(0.0).0 <= 0.0);
            }
            (Search::NotBefore(until), None) => assert_eq!(until, 1.0),
            // A dip between two samples, or an event at the very end.
            (Search::Meets(found), None) => assert!(found > 1.0 - 1e-4 || gap(found + 2.5e-5).0 > -1e-6),
            (none, Some(time)) => panic!("{none:?} {time}"),
        }
    }
    assert!(met > 100 && longest < 500, "{met} {longest}");
}

#[test]
fn a_wall_that_turns_is_met_at_contact_and_a_grain_that_leaves_it_is_not() {
    // A paddle through the origin that turns about z at 2 rad/s, and a ball of radius 0.1 at rest in its way, 1 m from the axis:
    // they meet when the sine of the angle that is left is 0.1.
    let paddle = |t: f64, offset: DVec3| {
        let (sine, cosine) = (2.0 * t).sin_cos();
        let normal = DVec3::new(-sine, cosine, 0.0);
        (normal.dot(offset) - 0.1, -2.0 * DVec3::new(cosine, sine, 0.0).dot(offset))
    };
    let Search::Meets(time) = first_of_bounded(4.0, 1e-15, 2.0, |t| paddle(t, DVec3::Y)) else { panic!() };
    assert!((time - 0.5 * 0.1f64.acos()).abs() < 1e-14);
    // It parts at 3 m/s from there, where the paddle follows with 2 m/s at most.
    let angle = 0.1f64.acos();
    let parting = |t: f64| {
        let normal = DVec3::new(-angle.sin(), angle.cos(), 0.0);
        let (sine, cosine) = (2.0 * t + angle).sin_cos();
        let offset = DVec3::Y + normal * (3.0 * t);
        let (now, turned) = (DVec3::new(-sine, cosine, 0.0), DVec3::new(cosine, sine, 0.0));
        (now.dot(offset) - 0.1, -2.0 * turned.dot(offset) + now.dot(normal) * 3.0)
    };
    assert_eq!(first_of_bounded(4.0 * 1.3 + 12.0, 1e-15, 0.1, parting), Search::NotBefore(0.1));
}
