//! Two cylinders from the normal of a moment ago: one pair and four side by side give the same bits, and what is called
//! proven is what the general algorithm finds. The same for crowned cylinders, against their definition.

use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use tumble_geometry::lanes::{Instructions, Kernel, Lanes, Vector};
use tumble_geometry::narrow::crowned::{CrownedCylinders, follow};
use tumble_geometry::narrow::warm::{Contacts, Cylinders, Meeting, warm};
use tumble_geometry::narrow::{ContactBody, DEFAULT_CROWN, contact_bodies, contact_general};
use tumble_geometry::oracle::{Sequence, gap_along};
use tumble_geometry::{Contact, Cylinder, Pose, Shape};

/// Multiplies the size: what the general algorithm promises.
const AGREE: f64 = 1e-9;

struct Case {
    a: Cylinder,
    b: Cylinder,
    pose: Pose,
    expected: Contact,
    guess: DVec3,
    meeting: Meeting,
}

fn cylinder(height_to_diameter: f64) -> Cylinder {
    let diameter = (4.0 / (std::f64::consts::PI * height_to_diameter)).cbrt();
    Cylinder { radius: 0.5 * diameter, half_height: 0.5 * diameter * height_to_diameter }
}

/// Pairs that overlap a little or are a little apart, with a normal that is off by `spread`.
fn cases(n: usize, spread: f64, sequence: &mut Sequence) -> Vec<Case> {
    let ratios = [0.025, 0.5, 1.0, 5.0, 50.0];
    let mut cases = Vec::new();
    while cases.len() < n {
        let mut pick = || cylinder(ratios[(sequence.between(0.0, 5.0) as usize).min(4)]);
        let (a, b) = (pick(), pick());
        let (shape_a, shape_b) = (Shape::Cylinder(a), Shape::Cylinder(b));
        let reach = shape_a.bounding_radius() + shape_b.bounding_radius();
        let mut pose = Pose::new(sequence.direction() * (0.7 * reach), sequence.orientation());
        let general = |pose: &Pose| contact_general(&shape_a, &shape_b, pose, None, f64::INFINITY).ok().flatten();
        let Some(first) = general(&pose) else { continue };
        let thin = a.radius.min(a.half_height).min(b.radius).min(b.half_height);
        pose.position -= first.normal * (first.separation - thin * sequence.between(-0.02, 0.02));
        let Some(expected) = general(&pose) else { continue };
        let guess = (expected.normal + sequence.direction() * spread).normalize();
        let meeting = Meeting::of(guess.z, guess.dot(pose.orientation * DVec3::Z));
        cases.push(Case { a, b, pose, expected, guess, meeting });
    }
    cases
}

/// Pairs that lie on each other up to a small angle: a side or a cap on a cap, a side along a side.
fn aligned_cases(n: usize, sequence: &mut Sequence) -> Vec<Case> {
    let ratios = [0.5, 1.0, 5.0];
    let mut cases = Vec::new();
    while cases.len() < n {
        let mut pick = || cylinder(ratios[(sequence.between(0.0, 3.0) as usize).min(2)]);
        let (a, b) = (pick(), pick());
        let (shape_a, shape_b) = (Shape::Cylinder(a), Shape::Cylinder(b));
        let tilt = DQuat::from_scaled_axis(sequence.direction() * sequence.between_in_ratio(1e-7, 1e-2));
        let across = DQuat::from_axis_angle(DVec3::X, if sequence.between(0.0, 1.0) < 0.5 { FRAC_PI_2 } else { 0.0 });
        let along_side = sequence.between(0.0, 1.0) < 0.3;
        let away = a.radius + b.radius + a.half_height + b.half_height;
        let beside = DVec3::new(sequence.between(-1.0, 1.0) * a.radius, sequence.between(-1.0, 1.0) * a.radius, away);
        let place =
            if along_side { DVec3::new(away, 0.0, sequence.between(-1.0, 1.0) * a.half_height) } else { beside };
        let mut pose = Pose::new(place, tilt * across);
        let general = |pose: &Pose| contact_general(&shape_a, &shape_b, pose, None, f64::INFINITY).ok().flatten();
        let Some(first) = general(&pose) else { continue };
        let thin = a.radius.min(a.half_height).min(b.radius).min(b.half_height);
        pose.position -= first.normal * (first.separation + thin * sequence.between_in_ratio(1e-5, 1e-2));
        let Some(expected) = general(&pose) else { continue };
        let guess = (expected.normal + sequence.direction() * 1e-7).normalize();
        let meeting = Meeting::of(guess.z, guess.dot(pose.orientation * DVec3::Z));
        cases.push(Case { a, b, pose, expected, guess, meeting });
    }
    cases
}

fn ask<L: Lanes>(meeting: Meeting, cases: &[&Case]) -> (Contacts<L>, L::Mask) {
    let vector = |of: &dyn Fn(&Case) -> DVec3| Vector {
        x: L::gather(|k| of(cases[k]).x),
        y: L::gather(|k| of(cases[k]).y),
        z: L::gather(|k| of(cases[k]).z),
    };
    let side = |axis: Vector<L>, of: &dyn Fn(&Case) -> Cylinder| Cylinders {
        axis,
        radius: L::gather(|k| of(cases[k]).radius),
        half_height: L::gather(|k| of(cases[k]).half_height),
    };
    let a = side(vector(&|_| DVec3::Z), &|case| case.a);
    let b = side(vector(&|case| case.pose.orientation * DVec3::Z), &|case| case.b);
    warm(meeting, &a, &b, vector(&|case| case.pose.position), vector(&|case| case.guess))
}

/// The numbers of each lane, where they are proven.
fn lanes<L: Lanes>((contacts, proven): (Contacts<L>, L::Mask)) -> Vec<Option<[f64; 7]>> {
    let Contacts { normal, separation, point_a } = contacts;
    let numbers = [normal.x, normal.y, normal.z, separation, point_a.x, point_a.y, point_a.z];
    (0..L::N).map(|k| L::holds(proven, k).then(|| numbers.map(|number| number.lane(k)))).collect()
}

struct Warm<'a> {
    meeting: Meeting,
    cases: &'a [&'a Case],
}

impl Kernel for Warm<'_> {
    type Output = Vec<Option<[f64; 7]>>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        lanes(ask::<L>(self.meeting, self.cases))
    }
}

struct Crowned<'a> {
    cases: &'a [&'a Case],
}

impl Kernel for Crowned<'_> {
    type Output = Vec<Option<[f64; 7]>>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        lanes(ask_crowned::<L>(self.cases, &|case| case.guess))
    }
}

/// The share of the cases that is proven, each checked against the general answer.
fn proven_share(cases: &[Case]) -> f64 {
    let mut n_proven = 0;
    for case in cases {
        let (found, proven) = ask::<f64>(case.meeting, &[case]);
        if !proven {
            continue;
        }
        n_proven += 1;
        let (shape_a, shape_b) = (Shape::Cylinder(case.a), Shape::Cylinder(case.b));
        let size = shape_a.bounding_radius().max(shape_b.bounding_radius());
        let context =
            || format!("{:?} {:?} {:?} {:?}: {found:?} {:?}", case.a, case.b, case.pose, case.meeting, case.expected);
        let normal = DVec3::from(found.normal);
        assert!((found.separation - case.expected.separation).abs() <= AGREE * size, "{}", context());
        let gap = gap_along(&shape_a, &shape_b, &case.pose, normal);
        assert!((gap - found.separation).abs() <= 1e-12 * size, "{gap}: {}", context());
        // The points are where each body is farthest, and the force has no torque about either axis.
        let point_a = DVec3::from(found.point_a);
        let own = case.pose.inverse_transform_vector(-normal);
        let point_b = case.pose.inverse_transform_point(point_a + normal * found.separation);
        let on_a = normal.dot(shape_a.support(normal) - point_a);
        let on_b = own.dot(shape_b.support(own) - point_b);
        assert!(on_a.abs() <= 1e-12 * size && on_b.abs() <= 1e-12 * size, "{on_a} {on_b}: {}", context());
        let (about_a, about_b) = (point_a.cross(normal).z, point_b.cross(own).z);
        assert!(about_a.abs() <= 1e-12 * size && about_b.abs() <= 1e-12 * size, "{about_a} {about_b}: {}", context());
    }
    n_proven as f64 / cases.len() as f64
}

#[test]
fn what_is_proven_is_what_the_general_algorithm_finds() {
    let mut sequence = Sequence::new(31);
    for (spread, least_proven) in [(1e-9, 0.97), (1e-6, 0.97), (1e-4, 0.97), (1e-2, 0.3)] {
        let share = proven_share(&cases(3000, spread, &mut sequence));
        println!("normals off by {spread:e}: {share} proven");
        assert!(share >= least_proven, "only {share} of the pairs with normals off by {spread:e}");
    }
}

#[test]
fn bodies_that_lie_on_each_other_are_right() {
    let share = proven_share(&aligned_cases(6000, &mut Sequence::new(33)));
    println!("{share} proven");
    assert!(share >= 0.93, "only {share}");
}

#[test]
fn four_side_by_side_are_as_one_by_one() {
    let mut sequence = Sequence::new(32);
    let mut cases = cases(2000, 1e-5, &mut sequence);
    cases.extend(aligned_cases(2000, &mut sequence));
    for meeting in [Meeting::Rims, Meeting::Sides, Meeting::Cap] {
        let of_this: Vec<&Case> = cases.iter().filter(|case| case.meeting == meeting).collect();
        assert!(of_this.len() > 100, "{meeting:?} {}", of_this.len());
        for four in of_this.as_chunks::<4>().0 {
            let alone = four.map(|case| Warm { meeting, cases: &[case] }.run::<f64>()[0]);
            for instructions in [Instructions::PORTABLE, Instructions::best()] {
                let together = instructions.run(Warm { meeting, cases: four });
                assert_eq!(together, alone, "{meeting:?} {instructions:?}");
            }
        }
    }
}

/// Multiplies the size: the search measures from the centres of balls that are up to 1e5 times as large.
const LARGE_BALLS: f64 = 1e-10;

/// How far a crowned cylinder reaches along a unit direction: each cap a part of the ball through its rim and a point that is
/// the bulge over its middle, and the side an arc in the same way.
fn crowned_reach(cylinder: &Cylinder, direction: DVec3) -> f64 {
    let Cylinder { radius, half_height } = *cylinder;
    let bulge = DEFAULT_CROWN * radius.min(half_height);
    let from_axis = direction.truncate().length().atan2(direction.z.abs());
    let ball = |half_chord: f64| (half_chord * half_chord + bulge * bulge) / (2.0 * bulge);
    let angle = |half_chord: f64| 2.0 * (bulge / half_chord).atan();
    let (sine, cosine) = from_axis.sin_cos();
    // A large ball whose farthest point from the middle is at `reach`, seen at an angle from there.
    let round = |reach: f64, ball: f64, angle: f64| reach * angle.cos() + 2.0 * ball * (0.5 * angle).sin().powi(2);
    let from_side = direction.z.abs().atan2(direction.truncate().length());
    if from_axis < angle(radius) {
        round(half_height + bulge, ball(radius), from_axis)
    } else if from_side < angle(half_height) {
        round(radius + bulge, ball(half_height), from_side)
    } else {
        half_height * cosine + radius * sine
    }
}

fn crowned_gap(case: &Case, normal: DVec3) -> f64 {
    let own = case.pose.inverse_transform_vector(-normal);
    normal.dot(case.pose.position) - crowned_reach(&case.a, normal) - crowned_reach(&case.b, own)
}

fn ask_crowned<L: Lanes>(cases: &[&Case], guess: &dyn Fn(&Case) -> DVec3) -> (Contacts<L>, L::Mask) {
    let vector = |of: &dyn Fn(&Case) -> DVec3| Vector {
        x: L::gather(|k| of(cases[k]).x),
        y: L::gather(|k| of(cases[k]).y),
        z: L::gather(|k| of(cases[k]).z),
    };
    let row = |cylinder: Cylinder| crowned(cylinder).cylinder_measures().unwrap();
    let a = CrownedCylinders::gather(vector(&|_| DVec3::Z), |k| row(cases[k].a));
    let b = CrownedCylinders::gather(vector(&|case| case.pose.orientation * DVec3::Z), |k| row(cases[k].b));
    let (found, proven) = follow(&a, &b, vector(&|case| case.pose.position), vector(guess), L::splat(0.0), 0.0);
    (found.contacts, proven)
}

fn crowned(cylinder: Cylinder) -> ContactBody {
    ContactBody::new(&Shape::Cylinder(cylinder), DEFAULT_CROWN)
}

/// The contact of two crowned cylinders by the search, from nothing but what the cylinders do.
fn searched(case: &Case) -> Option<(Contact, bool)> {
    let [a, b] = [case.a, case.b].map(crowned);
    let axes = [DVec3::Z, case.pose.orientation * DVec3::Z];
    let proven = a.revolution()?.contact(b.revolution()?, axes, case.pose.position, None);
    let found = proven.or_else(|| contact_bodies(&a, &b, &case.pose, None, f64::INFINITY).ok()?)?;
    Some((found, proven.is_some()))
}

#[test]
fn crowned_cylinders_are_found_by_their_definition() {
    let mut sequence = Sequence::new(34);
    let mut cases = cases(4000, 1e-4, &mut sequence);
    cases.extend(aligned_cases(6000, &mut sequence));
    let (mut n_searched, mut n_proven, mut n_followed) = (0, 0, 0);
    for (index, case) in cases.iter().enumerate() {
        let size = Shape::Cylinder(case.a).bounding_radius().max(Shape::Cylinder(case.b).bounding_radius());
        let bulges = [case.a, case.b].map(|c| DEFAULT_CROWN * c.radius.min(c.half_height));
        let Some((expected, proven)) = searched(case) else { continue };
        n_searched += 1;
        n_proven += usize::from(proven);
        let context =
            || format!("case {index}: {:?} {:?} {:?}: {expected:?} {:?}", case.a, case.b, case.pose, case.expected);
        // The gap is that of the definition, no other direction has a larger one, and it is as much less than that of the
        // cylinders themselves as they bulge.
        let gap = crowned_gap(case, expected.normal);
        assert!((gap - expected.separation).abs() <= LARGE_BALLS * size, "{gap:e}: {}", context());
        let less = case.expected.separation - gap;
        assert!(less >= -AGREE * size && less <= bulges[0] + bulges[1] + AGREE * size, "{less:e}: {}", context());
        for off in [1e-2, 1e-4, 1e-6] {
            let other = (expected.normal + sequence.direction() * off).normalize();
            let beside = crowned_gap(case, other);
            assert!(beside <= gap + LARGE_BALLS * size, "{beside:e} {gap:e} at {off:e}: {}", context());
        }
        // From a normal that is off by what a grain turns in a step.
        let turn = sequence.direction() * sequence.between_in_ratio(1e-9, 1e-4);
        let near = (expected.normal + turn).normalize();
        let (found, is_proven) = ask_crowned::<f64>(&[case], &|_| near);
        if !is_proven {
            continue;
        }
        n_followed += 1;
        assert!((found.separation - gap).abs() <= LARGE_BALLS * size, "{found:?}: {}", context());
        let (normal, point_a) = (DVec3::from(found.normal), DVec3::from(found.point_a));
        let own = case.pose.inverse_transform_vector(-normal);
        let point_b = case.pose.inverse_transform_point(point_a + normal * found.separation);
        let (about_a, about_b) = (point_a.cross(normal).z, point_b.cross(own).z);
        assert!(about_a.abs() <= 1e-12 * size && about_b.abs() <= 1e-11 * size, "{about_a} {about_b}: {}", context());
    }
    println!("{n_searched} found, {n_proven} of them proven, {n_followed} followed, of {}", cases.len());
    let share = |n: usize| n as f64 / cases.len() as f64;
    assert!(share(n_searched) > 0.999 && share(n_proven) > 0.9 && share(n_followed) > 0.9);
}

#[test]
fn four_crowned_side_by_side_are_as_one_by_one() {
    let mut sequence = Sequence::new(35);
    let mut cases = cases(2000, 1e-5, &mut sequence);
    cases.extend(aligned_cases(2000, &mut sequence));
    let all: Vec<&Case> = cases.iter().collect();
    let mut n_proven = 0;
    for four in all.as_chunks::<4>().0 {
        let alone = four.map(|case| Crowned { cases: &[case] }.run::<f64>()[0]);
        n_proven += alone.iter().flatten().count();
        for instructions in [Instructions::PORTABLE, Instructions::best()] {
            assert_eq!(instructions.run(Crowned { cases: four }), alone, "{instructions:?}");
        }
    }
    assert!(n_proven > 3000, "{n_proven}");
}
