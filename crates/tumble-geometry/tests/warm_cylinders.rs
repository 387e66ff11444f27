//! Two cylinders from the normal of a moment ago: one pair and four side by side give the same bits, and what is called
//! proven is what the general algorithm finds.

use glam::DVec3;
use tumble_geometry::lanes::{Lanes, Vector};
use tumble_geometry::narrow::contact_general;
use tumble_geometry::narrow::warm::{Contacts, Cylinders, Meeting, warm};
use tumble_geometry::oracle::{Sequence, gap_along};
use tumble_geometry::{Contact, Cylinder, Pose, Shape};
use wide::f64x4;

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

fn lane<L: Lanes>(contacts: &Contacts<L>, k: usize) -> [f64; 7] {
    let Contacts { normal, separation, point_a } = *contacts;
    [normal.x, normal.y, normal.z, separation, point_a.x, point_a.y, point_a.z].map(|number| number.lane(k))
}

#[test]
fn what_is_proven_is_what_the_general_algorithm_finds() {
    let mut sequence = Sequence::new(31);
    for (spread, least_proven) in [(1e-9, 0.97), (1e-6, 0.97), (1e-4, 0.96), (1e-2, 0.2)] {
        let cases = cases(3000, spread, &mut sequence);
        let mut n_proven = 0;
        for case in &cases {
            let (found, proven) = ask::<f64>(case.meeting, &[case]);
            if !proven {
                continue;
            }
            n_proven += 1;
            let (shape_a, shape_b) = (Shape::Cylinder(case.a), Shape::Cylinder(case.b));
            let size = shape_a.bounding_radius().max(shape_b.bounding_radius());
            let context = || {
                format!("{:?} {:?} {:?} {:?}: {found:?} {:?}", case.a, case.b, case.pose, case.meeting, case.expected)
            };
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
            assert!(
                about_a.abs() <= 1e-12 * size && about_b.abs() <= 1e-12 * size,
                "{about_a} {about_b}: {}",
                context()
            );
        }
        let share = n_proven as f64 / cases.len() as f64;
        println!("normals off by {spread:e}: {share} proven");
        assert!(share >= least_proven, "only {share} of the pairs with normals off by {spread:e}");
    }
}

#[test]
fn four_side_by_side_are_as_one_by_one() {
    let mut sequence = Sequence::new(32);
    let cases = cases(2000, 1e-5, &mut sequence);
    for meeting in [Meeting::Rims, Meeting::Sides, Meeting::Cap] {
        let of_this: Vec<&Case> = cases.iter().filter(|case| case.meeting == meeting).collect();
        assert!(of_this.len() > 100, "{meeting:?} {}", of_this.len());
        for four in of_this.as_chunks::<4>().0 {
            let (found, proven) = ask::<f64x4>(meeting, four);
            for (k, case) in four.iter().enumerate() {
                let (alone, alone_proven) = ask::<f64>(meeting, &[case]);
                assert_eq!(f64x4::holds(proven, k), alone_proven);
                if alone_proven {
                    assert_eq!(lane(&found, k), lane(&alone, 0), "{meeting:?}");
                }
            }
        }
    }
}
