//! The cases of Peng and Hanley: each by hand or found at random, what the guards mend, and how often the chart fails.

use crate::sampling::{hull, posed, superquadric};
use glam::{DQuat, DVec3};
use std::collections::BTreeSet;
use tumble_geometry::narrow::{ContactMethod, contact_by};
use tumble_geometry::oracle::{Sequence, box_of};
use tumble_geometry::peng_hanley::{Ending, PengHanley, Verdict, contact_peng_hanley, has_cases};
use tumble_geometry::{Polyhedron, Pose, Shape, ShapeKind, Sphere, Superquadric, contact};

const BOTH: [PengHanley; 2] = [PengHanley::AsPublished, PengHanley::Guarded];

fn cube() -> Shape {
    Shape::Polyhedron(box_of(DVec3::ONE))
}

fn ball() -> Shape {
    Shape::Superquadric(Superquadric { semi_axes: DVec3::ONE, n1: 2.0, n2: 2.0 })
}

fn icosahedron() -> Polyhedron {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut points = Vec::new();
    for (x, y) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
        points.extend([DVec3::new(0.0, x, y), DVec3::new(x, y, 0.0), DVec3::new(y, 0.0, x)]);
    }
    Polyhedron::from_points(&points).unwrap()
}

#[test]
fn balls_around_a_cube_end_in_the_cases_they_must() {
    let at = |x: f64, y: f64, z: f64| Pose::from_position(DVec3::new(x, y, z));
    for (pose, ending, case) in [
        (at(2.5, 0.3, 0.2), Ending::InitialFacePositive, Some(1)),
        (at(1.9, 0.3, 0.2), Ending::InitialFace, Some(2)),
        (at(1.9, 1.8, 0.2), Ending::SearchAndReturnApart, Some(5)),
        (at(1.6, 1.7, 0.2), Ending::Edge, Some(6)),
        (at(1.5, 1.5, 1.4), Ending::Vertex, Some(6)),
        (at(0.5, 0.2, 0.1), Ending::CentreInside, Some(8)),
    ] {
        let found = contact_peng_hanley(&cube(), &ball(), &pose, PengHanley::AsPublished).unwrap();
        assert_eq!((found.ending, found.ending.case()), (ending, case), "{pose:?}");
        assert_eq!(found.contact.is_some(), ending.verdict() == Verdict::Contact);
    }
    // A face: the plane of contact is the face, the point is on the ball.
    let found = contact_peng_hanley(&cube(), &ball(), &at(1.9, 0.3, 0.2), PengHanley::AsPublished).unwrap();
    let contact = found.contact.unwrap();
    assert!((contact.separation + 0.1).abs() < 1e-12 && contact.normal == DVec3::X);
    assert!((contact.point_b - DVec3::new(0.9, 0.3, 0.2)).length() < 1e-12 && found.face_switches == 0);
}

#[test]
fn the_published_overlap_of_an_edge_does_not_vanish_at_first_touch_and_the_guarded_does() {
    // A unit ball that just touches the edge at an angle from the mean of the faces' normals: 1 - cos of it, in its radius.
    for (degrees, overlap) in [(20.0, 0.0603), (40.0, 0.2340)] {
        let angle = (45.0f64 + degrees).to_radians();
        let touching = DVec3::new(1.0, 1.0, 0.1) + DVec3::new(angle.cos(), angle.sin(), 0.0) * (1.0 - 1e-9);
        let pose = Pose::from_position(touching);
        let [published, guarded] =
            BOTH.map(|version| contact_peng_hanley(&cube(), &ball(), &pose, version).unwrap().contact.unwrap());
        assert!((published.separation + overlap).abs() < 1e-4, "{published:?}");
        assert!((published.normal - DVec3::new(1.0, 1.0, 0.0).normalize()).length() < 1e-12);
        assert!(guarded.separation < 0.0 && guarded.separation > -2e-9, "{guarded:?}");
        assert!((guarded.normal - (touching - DVec3::new(1.0, 1.0, 0.1)).normalize()).length() < 1e-7);
    }
}

#[test]
fn balls_around_a_cube_are_counted_as_the_volumes_say() {
    let (cube, ball) = (cube(), ball());
    let mut sequence = Sequence::new(11);
    let n = 30_000;
    let mut counts = [0usize; 3];
    for _ in 0..n {
        let centre = sequence.point_in_cube(3.0);
        let found = contact_peng_hanley(&cube, &ball, &Pose::from_position(centre), PengHanley::AsPublished).unwrap();
        let distance = (centre.abs() - DVec3::ONE).max(DVec3::ZERO).length();
        let truth = if centre.abs().max_element() <= 1.0 { 2 } else { usize::from(distance <= 1.0) };
        let said = match found.ending.verdict() {
            Verdict::Apart => 0,
            Verdict::Contact => 1,
            Verdict::Open => 2,
        };
        assert!(said == truth || (distance - 1.0).abs() < 1e-12, "{centre}: {found:?}");
        counts[said] += 1;
    }
    let shell = 24.0 + 22.0 * std::f64::consts::PI / 3.0;
    for (count, volume) in counts.into_iter().zip([208.0 - shell, shell, 8.0]) {
        let p = volume / 216.0;
        let z = (count as f64 - n as f64 * p) / (n as f64 * p * (1.0 - p)).sqrt();
        assert!(z.abs() < 4.0, "{counts:?}: {z}");
    }
}

/// Random pairs in the hard regime, a ten-thousandth to a twentieth of the size apart or deep: per cent of pairs apart that are said to
/// touch, of overlapping ones that are said to be apart, and of all that share no edge; and what endings there were. Guarded verdicts are all
/// right.
fn rates(
    solid: impl Fn(&mut Sequence) -> Polyhedron,
    round: impl Fn(&mut Sequence) -> Superquadric,
    n: usize,
) -> ([f64; 3], BTreeSet<Ending>) {
    let mut sequence = Sequence::new(12);
    let mut endings = BTreeSet::new();
    let (mut wrong, mut of) = ([0usize; 3], [0usize; 3]);
    for k in 0..n {
        let (a, b) = (Shape::Polyhedron(solid(&mut sequence)), Shape::Superquadric(round(&mut sequence)));
        let size = a.bounding_radius().max(b.bounding_radius());
        let distance = size * sequence.between_in_ratio(1e-4, 5e-2) * if k % 2 == 0 { 1.0 } else { -1.0 };
        let pose = posed(&a, &b, distance, &mut sequence);
        let is_apart = contact(&a, &b, &pose).unwrap().separation > 0.0;
        for version in BOTH {
            let found = contact_peng_hanley(&a, &b, &pose, version).unwrap();
            let verdict = found.ending.verdict();
            let is_wrong = verdict == if is_apart { Verdict::Contact } else { Verdict::Apart };
            assert!(found.contact.is_none_or(|c| c.separation <= 0.0 && c.normal.is_finite()), "{found:?}");
            if version == PengHanley::Guarded {
                assert!(!is_wrong, "{found:?} {pose:?}");
                continue;
            }
            endings.insert(found.ending);
            of[usize::from(!is_apart)] += 1;
            of[2] += 1;
            wrong[usize::from(!is_apart)] += usize::from(is_wrong);
            wrong[2] += usize::from(found.ending == Ending::NoCommonEdge);
        }
    }
    (std::array::from_fn(|k| 100.0 * wrong[k] as f64 / of[k] as f64), endings)
}

fn blocky(sequence: &mut Sequence) -> Superquadric {
    Superquadric { n1: sequence.between(2.0, 20.0), n2: sequence.between(2.0, 20.0), ..superquadric(sequence, 3.0) }
}

#[test]
fn the_chart_fails_as_often_as_it_does_and_the_guards_never() {
    let ([invented, missed, no_edge], endings) = rates(|_| icosahedron(), blocky, 400);
    println!("icosahedron: {invented} {missed} {no_edge} {endings:?}");
    assert!(invented > 1.0 && invented < 40.0 && no_edge > 5.0 && no_edge < 30.0 && missed < 2.0);
    let ([invented, missed, no_edge], more) = rates(|s| hull(s, 40, 1.5), blocky, 400);
    println!("hulls of 40 points: {invented} {missed} {no_edge} {more:?}");
    assert!(invented > 10.0 && invented < 60.0 && no_edge > 5.0 && no_edge < 40.0 && missed < 2.0);
    let ([invented, _, no_edge], few) = rates(|_| box_of(DVec3::ONE), blocky, 200);
    assert!(invented == 0.0 && no_edge == 0.0, "{invented} {no_edge}");
    let met: BTreeSet<Ending> = endings.into_iter().chain(more).chain(few).collect();
    let of_the_chart = Ending::ALL.into_iter().filter(|e| e.case().is_some_and(|case| case < 8));
    assert!(of_the_chart.chain([Ending::NoCommonEdge]).all(|ending| met.contains(&ending)), "{met:?}");
}

#[test]
fn bodies_can_be_exchanged_and_turned() {
    let mut sequence = Sequence::new(13);
    for k in 0..300 {
        let (a, b) =
            (Shape::Polyhedron(hull(&mut sequence, 12, 2.0)), Shape::Superquadric(superquadric(&mut sequence, 3.0)));
        let pose = posed(&a, &b, if k % 2 == 0 { -0.02 } else { 0.01 }, &mut sequence);
        for version in BOTH {
            let method = ContactMethod::PengHanley(version);
            let forwards = contact_peng_hanley(&a, &b, &pose, version).unwrap();
            let backwards = contact_peng_hanley(&b, &a, &pose.relative(&Pose::IDENTITY), version).unwrap();
            assert_eq!((forwards.ending, forwards.face_switches), (backwards.ending, backwards.face_switches));
            if let (Some(one), Some(other)) = (forwards.contact, backwards.contact) {
                // The place of the least F on an edge is known to the root of rounding; so are the gradient there and the overlap along it.
                assert!((one.separation - other.separation).abs() < 1e-7, "{one:?} {other:?}");
                assert!((pose.transform_vector(other.normal) + one.normal).length() < 1e-6, "{one:?} {other:?}");
                // Rounding moves points over flat sides, and not off them.
                let apart = pose.transform_point(other.point_b) - one.point_a;
                assert!(apart.dot(one.normal).abs() < 1e-7, "{one:?} {other:?}");
                assert!((one.point_b - one.point_a - one.separation * one.normal).length() < 1e-12);
            }
            let answer = contact_by(method, &a, &b, &pose, None, f64::INFINITY).unwrap().unwrap();
            match forwards.ending.verdict() {
                Verdict::Contact => assert_eq!(Some(answer), forwards.contact),
                Verdict::Apart => assert!(answer.separation >= 0.0),
                Verdict::Open => assert_eq!(answer, contact(&a, &b, &pose).unwrap()),
            }
        }
    }
}

#[test]
fn other_pairs_have_no_cases() {
    let (cube, sphere) = (cube(), Shape::Sphere(Sphere { radius: 1.0 }));
    let pose = Pose::new(DVec3::new(1.6, 1.7, 0.2), DQuat::IDENTITY);
    let as_sphere = contact_peng_hanley(&cube, &sphere, &pose, PengHanley::AsPublished);
    assert_eq!(as_sphere, contact_peng_hanley(&cube, &ball(), &pose, PengHanley::AsPublished));
    assert!(as_sphere.is_some() && has_cases(ShapeKind::Sphere, ShapeKind::Polyhedron));
    for (a, b) in [(&cube, &cube), (&sphere, &sphere)] {
        assert_eq!(contact_peng_hanley(a, b, &pose, PengHanley::AsPublished), None);
        assert!(!has_cases(a.kind(), b.kind()));
    }
}
