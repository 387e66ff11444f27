use super::*;
use crate::Revolved;
use crate::narrow::contact;
use crate::oracle::Sequence;

const WITHIN: f64 = 1e-8;

fn way(sequence: &mut Sequence, position: DVec3, shift: DVec3, spin: f64) -> Steady {
    Steady {
        start: Pose::new(position, sequence.orientation()),
        shift,
        bend: DVec3::ZERO,
        turn: sequence.direction() * spin,
    }
}

/// Two bodies some way apart, the second aimed at the first more or less.
fn two_ways(sequence: &mut Sequence, spin: f64) -> [Steady; 2] {
    let from = sequence.direction() * sequence.between(2.5, 4.0);
    let shift = (sequence.point_in_cube(1.0) - from).normalize() * sequence.between(0.5, 2.0);
    let drift = sequence.point_in_cube(0.5);
    [way(sequence, DVec3::ZERO, drift, spin), way(sequence, from, shift + drift, spin)]
}

#[test]
fn balls_meet_where_the_quadratic_says() {
    let mut sequence = Sequence::new(1);
    let (a, b) = (Shape::sphere(0.4).unwrap(), Shape::sphere(0.7).unwrap());
    let mut met = 0;
    for _ in 0..2000 {
        let [first, second] = two_ways(&mut sequence, 3.0);
        let (offset, shift) = (second.start.position - first.start.position, second.shift - first.shift);
        let (closing, gap) = (offset.dot(shift), offset.length_squared() - 1.1 * 1.1);
        let discriminant = closing * closing - shift.length_squared() * gap;
        let expected =
            if closing < 0.0 && discriminant > 0.0 { gap / (discriminant.sqrt() - closing) } else { f64::INFINITY };
        match impact(&a, &first, &b, &second, 10.0, 1e-12).unwrap() {
            Impact::At { parameter, contact } => {
                met += 1;
                let speed = (discriminant.sqrt() / 1.1).max(1e-3);
                assert!((parameter - expected).abs() * speed < 2e-11, "{parameter} {expected}");
                assert!(contact.separation.abs() <= 1e-12);
                let normal = (second.pose(parameter).position - first.pose(parameter).position).normalize();
                assert!((contact.normal - normal).length() < 1e-12);
            }
            // A graze may take too many looks.
            Impact::NotBefore(until) => {
                assert!(until <= expected && (until == 10.0 || discriminant < 1e-4), "{until} {expected}")
            }
        }
    }
    assert!(met > 500, "{met}");
}

fn shapes() -> Vec<Shape> {
    vec![
        Shape::cylinder(0.5, 1.0).unwrap(),
        Shape::cuboid(DVec3::new(1.0, 0.7, 0.5)).unwrap(),
        Shape::superquadric(DVec3::new(0.6, 0.4, 0.5), 4.0, 3.0).unwrap(),
        Shape::capsule(0.3, 0.8).unwrap(),
        Shape::sphere(0.5).unwrap(),
    ]
}

/// Where bodies first overlap on a fine row of places, and by how much at most on the way there.
fn sampled(end: f64, separation: impl Fn(f64) -> f64) -> (Option<f64>, f64) {
    let n = 1500;
    let mut least = f64::INFINITY;
    for i in 0..=n {
        let parameter = end * f64::from(i) / f64::from(n);
        let now = separation(parameter);
        least = least.min(now);
        if now <= 0.0 {
            return (Some(parameter), least);
        }
    }
    (None, least)
}

#[test]
fn turning_bodies_of_all_kinds_meet_where_dense_sampling_says() {
    let mut sequence = Sequence::new(2);
    let (mut met, mut missed, mut unfinished) = (0, 0, 0);
    let shapes = shapes();
    for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
        for _ in 0..6 {
            let spin = sequence.between(0.0, 4.0);
            let [first, second] = two_ways(&mut sequence, spin);
            let end = 4.0;
            let at = |parameter: f64| {
                contact(a, b, &first.pose(parameter).relative(&second.pose(parameter))).unwrap().separation
            };
            let (expected, least) = sampled(end, at);
            match impact(a, &first, b, &second, end, WITHIN).unwrap() {
                Impact::At { parameter, contact } => {
                    met += 1;
                    assert!(contact.separation <= WITHIN && at(parameter).abs() <= 1.1 * WITHIN);
                    match expected {
                        Some(place) => {
                            assert!(
                                parameter <= place && parameter > place - 1.1 * end / 1500.0,
                                "{parameter} {place}"
                            );
                        }
                        // An overlap between two places is a small one.
                        None => assert!(least < 0.02, "{a:?} {b:?} {parameter}"),
                    }
                }
                Impact::NotBefore(until) if until < end => {
                    // Close all along.
                    unfinished += 1;
                    assert!(expected.is_none_or(|place| place >= until));
                }
                Impact::NotBefore(_) => {
                    missed += 1;
                    assert_eq!(expected, None, "{a:?} {b:?}");
                }
            }
        }
    }
    assert!(met > 40 && missed > 20 && unfinished < 3, "{met} {missed} {unfinished}");
}

#[test]
fn bodies_that_part_at_contact_are_not_found_and_those_inside_that_approach_are_found_at_once() {
    let mut sequence = Sequence::new(3);
    for shape in shapes() {
        let orientation = sequence.orientation();
        // Moved until they touch, and a little further.
        let apart = contact(&shape, &shape, &Pose::new(DVec3::X * 3.0, orientation)).unwrap();
        for overlap in [-1e-12, 1e-12, 1e-7] {
            let place = DVec3::X * 3.0 - apart.normal * (apart.separation + overlap);
            let still = Steady::still(Pose::IDENTITY);
            let parting = Steady {
                start: Pose::new(place, orientation),
                shift: apart.normal,
                bend: DVec3::ZERO,
                turn: sequence.direction() * 0.2,
            };
            let found = impact(&shape, &still, &shape, &parting, 1.0, WITHIN).unwrap();
            assert_eq!(found, Impact::NotBefore(1.0), "{shape:?} {overlap}");
            let closing = Steady { shift: -apart.normal, ..parting };
            let found = impact(&shape, &still, &shape, &closing, 1.0, WITHIN).unwrap();
            assert!(matches!(found, Impact::At { parameter: 0.0, .. }), "{shape:?} {overlap}: {found:?}");
        }
    }
}

#[test]
fn what_falls_on_a_floor_or_flies_in_a_drum_meets_it_where_dense_sampling_says() {
    let mut sequence = Sequence::new(4);
    let drum = Surface::Revolved(Revolved::closed_cylinder(2.0, 2.0, true, true).unwrap());
    let mut met = [0; 2];
    for shape in shapes() {
        for round in 0..12 {
            let surface = if round % 2 == 0 { &Surface::HalfSpace } else { &drum };
            let start = Pose::new(
                sequence.point_in_cube(0.8) + DVec3::Z * if round % 2 == 0 { 2.0 } else { 0.0 },
                sequence.orientation(),
            );
            let flight = Steady {
                start,
                shift: sequence.point_in_cube(1.5),
                bend: DVec3::NEG_Z * 2.0,
                turn: sequence.point_in_cube(2.0),
            };
            // The floor comes up, and the drum turns.
            let of_surface = if round % 2 == 0 {
                Steady { shift: DVec3::Z * 0.1, ..Steady::still(Pose::IDENTITY) }
            } else {
                Steady { turn: DVec3::Z * 0.5, ..Steady::still(Pose::IDENTITY) }
            };
            let end = 3.0;
            let at = |parameter: f64| {
                let mut found = Vec::new();
                let pose = of_surface.pose(parameter).relative(&flight.pose(parameter));
                contact_surface(&shape, surface, &pose, 5.0, &mut found);
                found.iter().map(|contact| contact.separation).fold(f64::INFINITY, f64::min)
            };
            let (expected, least) = sampled(end, at);
            match impact_surface(&shape, &flight, surface, &of_surface, end, WITHIN) {
                Impact::At { parameter, contact } => {
                    met[round % 2] += 1;
                    assert!(contact.separation <= WITHIN && at(parameter) <= 1.1 * WITHIN);
                    let place = expected.unwrap_or(f64::INFINITY);
                    assert!(parameter <= place, "{parameter} {place}");
                    assert!(parameter > place - 1.1 * end / 1500.0 || least < 0.02, "{shape:?}: {parameter} {place}");
                }
                Impact::NotBefore(until) => assert!(expected.is_none_or(|place| place >= until), "{shape:?} {until}"),
            }
        }
    }
    assert!(met[0] > 20 && met[1] > 20, "{met:?}");
}

#[test]
fn a_ball_thrown_up_comes_down_where_the_parabola_says() {
    let ball = Shape::sphere(0.5).unwrap();
    let floor = Steady::still(Pose::IDENTITY);
    // From contact, at 3 upwards with a bend of -2: back after 3, not at once.
    let thrown = Steady {
        start: Pose::from_position(DVec3::Z * 0.5),
        shift: DVec3::new(1.0, 0.0, 3.0),
        bend: DVec3::NEG_Z * 2.0,
        turn: DVec3::ZERO,
    };
    let found = impact_surface(&ball, &thrown, &Surface::HalfSpace, &floor, 5.0, 1e-12);
    let Impact::At { parameter, contact } = found else { panic!("{found:?}") };
    assert!((parameter - 3.0).abs() < 1e-11, "{parameter}");
    assert!((contact.point_b - DVec3::X * 3.0).length() < 1e-11);
}

/// A way that counts how often it is asked where the body is.
struct Counted<'a>(Steady, &'a std::cell::Cell<usize>);

impl Way for Counted<'_> {
    fn pose(&self, parameter: f64) -> Pose {
        self.1.set(self.1.get() + 1);
        self.0.pose(parameter)
    }

    fn carries(&self, parameter: f64, point: DVec3) -> DVec3 {
        self.0.carries(parameter, point)
    }

    fn fastest(&self, direction: DVec3, from: f64, to: f64, radius: f64) -> f64 {
        self.0.fastest(direction, from, to, radius)
    }

    fn fastest_at_all(&self, from: f64, to: f64, radius: f64) -> f64 {
        self.0.fastest_at_all(from, to, radius)
    }

    fn acceleration(&self, radius: f64) -> f64 {
        self.0.acceleration(radius)
    }

    fn spin(&self, parameter: f64) -> DVec3 {
        self.0.spin(parameter)
    }
}

#[test]
fn a_search_takes_a_few_dozen_poses_also_for_bodies_that_have_just_met() {
    let mut sequence = Sequence::new(6);
    let shapes = [Shape::cuboid(DVec3::splat(0.8)).unwrap(), Shape::cylinder(0.4, 1.0).unwrap()];
    let (mut sum, mut most) = (0, 0);
    for round in 0..400 {
        let shape = &shapes[round % 2];
        let [first, mut second] = two_ways(&mut sequence, 3.0);
        if round % 4 < 2 {
            // At contact, and parting.
            let apart = contact(shape, shape, &first.start.relative(&second.start)).unwrap();
            let normal = first.start.transform_vector(apart.normal);
            second.start.position -= normal * (apart.separation - 0.5 * WITHIN);
            second.shift = first.shift + sequence.point_in_cube(0.5) + normal;
        }
        let count = std::cell::Cell::new(0);
        impact(shape, &Counted(first, &count), shape, &second, 2.0, WITHIN).unwrap();
        (sum, most) = (sum + count.get(), most.max(count.get()));
    }
    assert!(sum < 400 * 60 && most < 600, "{} on average, {most} at most", sum as f64 / 400.0);
}
