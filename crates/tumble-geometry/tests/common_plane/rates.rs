//! How often the common plane is off, by kinds of bodies and directions of tilt, against the largest gap. The bands hold both ways:
//! a method that is repaired in silence fails here as one that breaks does.

use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use tumble_geometry::common_plane::{CommonPlaneOptions, EndBy, EndedBy, SearchDirections, contact_common_plane};
use tumble_geometry::oracle::{Sequence, box_of, regular_tetrahedron};
use tumble_geometry::{Polyhedron, Pose, Shape, contact};

/// Of some pairs, how many are off by how much; in per cent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    /// Overlapping: the depth is off by more than 1, 10 and 100 %.
    pub overlapping: [f64; 3],
    /// Apart: the gap is.
    pub apart: [f64; 3],
    /// Apart, and said to overlap.
    pub false_contacts: f64,
    /// Off by more than 1 % if either condition ends the search.
    pub either: f64,
    /// The number of iterations ended the search.
    pub capped: f64,
    pub mean_iterations: f64,
    pub most_iterations: usize,
    /// The same if either condition ends it.
    pub mean_iterations_either: f64,
}

/// Two bodies in a random pose whose separation is a given one, or nearly, and what it is.
pub fn posed(a: &Shape, b: &Shape, separation: f64, sequence: &mut Sequence) -> (Pose, f64) {
    let (direction, orientation) = if a.is_planar() {
        let angles = [0.0, 1.0].map(|_| sequence.between(0.0, TAU));
        (DVec2::from_angle(angles[0]).extend(0.0), glam::DQuat::from_rotation_z(angles[1]))
    } else {
        (sequence.direction(), sequence.orientation())
    };
    let place = |distance: f64| Pose::new(direction * distance, orientation);
    let reach = a.bounding_radius() + b.bounding_radius();
    let (mut near, mut far) = (0.0, 1.1 * reach);
    while far - near > 1e-12 * reach {
        let middle = 0.5 * (near + far);
        let is_apart = contact(a, b, &place(middle)).unwrap().separation > 0.0;
        *(if is_apart { &mut far } else { &mut near }) = middle;
    }
    let touching = contact(a, b, &place(far)).unwrap();
    let pose = Pose::new(direction * far + touching.normal * separation, orientation);
    let truth = contact(a, b, &pose).unwrap().separation;
    (pose, truth)
}

/// Distances and depths, over the size.
const SHALLOW: [f64; 2] = [1e-3, 5e-2];
const DEEP: [f64; 2] = [5e-2, 0.3];

fn rates([a, b]: [&Shape; 2], directions: SearchDirections, depths: [f64; 2], n_pairs: usize, seed: u64) -> Rates {
    let mut sequence = Sequence::new(seed);
    let (both, either) = (
        CommonPlaneOptions { directions, ..CommonPlaneOptions::LIU },
        CommonPlaneOptions { directions, end: EndBy::Either, ..CommonPlaneOptions::LIU },
    );
    let mut rates = Rates::default();
    let (mut n, mut n_either, mut iterations, mut iterations_either) = ([0usize; 2], 0, 0, 0);
    for k in 0..n_pairs {
        let is_apart = k % 2 == 0;
        let distance = sequence.between_in_ratio(depths[0], depths[1]);
        let (pose, truth) = posed(a, b, if is_apart { distance } else { -distance }, &mut sequence);
        let found = contact_common_plane(a, b, &pose, &both).unwrap();
        assert!(matches!(found.ended_by, EndedBy::Both | EndedBy::Cap), "{found:?}");
        rates.capped += f64::from(found.ended_by == EndedBy::Cap);
        // No plane has a larger gap than the exact one: what overlaps is never said to be apart.
        let below = truth - found.contact.separation;
        assert!(below > -1e-9, "{truth} {found:?}");
        let error = below / truth.abs();
        n[usize::from(is_apart)] += 1;
        let counts = if is_apart { &mut rates.apart } else { &mut rates.overlapping };
        for (count, limit) in counts.iter_mut().zip([0.01, 0.1, 1.0]) {
            *count += f64::from(error > limit);
        }
        rates.false_contacts += f64::from(is_apart && found.contact.separation < 0.0);
        rates.most_iterations = rates.most_iterations.max(found.iterations);
        iterations += found.iterations;
        let early = contact_common_plane(a, b, &pose, &either).unwrap();
        iterations_either += early.iterations;
        n_either += usize::from((truth - early.contact.separation) / truth.abs() > 0.01);
    }
    let share = |count: f64, of: usize| 100.0 * count / of as f64;
    Rates {
        overlapping: rates.overlapping.map(|count| share(count, n[0])),
        apart: rates.apart.map(|count| share(count, n[1])),
        false_contacts: share(rates.false_contacts, n[1]),
        capped: share(rates.capped, n_pairs),
        either: share(n_either as f64, n_pairs),
        mean_iterations: iterations as f64 / n_pairs as f64,
        mean_iterations_either: iterations_either as f64 / n_pairs as f64,
        ..rates
    }
}

fn icosahedron() -> Polyhedron {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut points = Vec::new();
    for (x, y) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
        points.extend([DVec3::new(0.0, x, y), DVec3::new(x, y, 0.0), DVec3::new(y, 0.0, x)]);
    }
    Polyhedron::from_points(&points.iter().map(|p| *p * 0.5).collect::<Vec<_>>()).unwrap()
}

fn hull_of_twenty() -> Polyhedron {
    let mut sequence = Sequence::new(20);
    let points: Vec<DVec3> = (0..20).map(|_| sequence.direction() * sequence.between(0.8, 1.0)).collect();
    Polyhedron::from_points(&points).unwrap()
}

/// A convex polygon of three to eight corners, its width about one.
pub fn random_polygon(sequence: &mut Sequence) -> Shape {
    let n = 3 + (6.0 * sequence.unit()) as usize;
    let start = sequence.between(0.0, TAU);
    // A corner in each sector but for a quarter of it: convex, and never too slender.
    let corner = |k: usize, sequence: &mut Sequence| {
        let angle = start + TAU * (k as f64 + sequence.between(0.0, 0.75)) / n as f64;
        DVec2::new(0.5 * angle.cos(), 0.35 * angle.sin())
    };
    let corners: Vec<DVec2> = (0..n).map(|k| corner(k, sequence)).collect();
    Shape::polygon(&corners, 1.0).unwrap()
}

/// The pairs of bodies, by name. All have a width of about one.
pub fn pairs() -> Vec<(&'static str, Shape, Shape)> {
    let cube = Shape::Polyhedron(box_of(DVec3::splat(0.5)));
    let tetrahedron = Shape::Polyhedron(regular_tetrahedron(1.0));
    let icosahedron = Shape::Polyhedron(icosahedron());
    let plate = Shape::Polyhedron(box_of(DVec3::new(0.5, 0.5, 0.05)));
    let hull = Shape::Polyhedron(hull_of_twenty());
    vec![
        ("cube-cube", cube.clone(), cube.clone()),
        ("tetra-tetra", tetrahedron.clone(), tetrahedron.clone()),
        ("cube-tetra", cube, tetrahedron),
        ("icosa-icosa", icosahedron.clone(), icosahedron),
        ("plate-plate", plate.clone(), plate),
        ("hull20-hull20", hull.clone(), hull),
    ]
}

/// Per cent of overlapping pairs off by more than 1 % and by more than 100 %, of pairs apart likewise and said to overlap, and of
/// all off by more than 1 % if either condition ends the search: what 1500 pairs gave.
const MEASURED: [(&str, [[f64; 6]; 3]); 6] = [
    (
        "cube-cube",
        [[44.1, 18.7, 43.1, 19.3, 19.3, 79.0], [21.9, 9.1, 20.7, 6.5, 6.5, 63.3], [10.0, 2.7, 8.9, 2.0, 2.0, 54.7]],
    ),
    (
        "tetra-tetra",
        [[52.3, 26.0, 53.2, 26.4, 26.4, 81.5], [24.9, 9.3, 26.1, 9.3, 9.3, 61.7], [12.9, 3.9, 12.8, 2.5, 2.5, 52.3]],
    ),
    (
        "cube-tetra",
        [[46.7, 19.9, 44.5, 23.1, 23.1, 79.5], [22.1, 7.3, 22.0, 8.0, 8.0, 62.7], [10.7, 2.7, 9.2, 2.8, 2.8, 53.9]],
    ),
    (
        "icosa-icosa",
        [[59.2, 20.9, 57.5, 21.2, 21.2, 85.4], [26.5, 6.1, 29.6, 7.6, 7.6, 69.7], [12.4, 1.9, 12.4, 2.0, 2.0, 61.1]],
    ),
    (
        "plate-plate",
        [[49.2, 22.7, 48.7, 22.9, 22.9, 79.7], [24.9, 8.9, 24.7, 8.9, 8.9, 62.3], [11.3, 3.7, 12.3, 2.5, 2.5, 51.3]],
    ),
    (
        "hull20-hull20",
        [[56.8, 14.8, 57.6, 18.1, 18.1, 86.9], [29.2, 3.9, 30.1, 5.3, 5.3, 72.3], [13.5, 1.2, 12.4, 1.7, 1.7, 62.6]],
    ),
];

/// Four standard deviations of a share of `n` in per cent, and what the measured one itself may be off.
fn band(share: f64, n: usize) -> f64 {
    let p = (share / 100.0).clamp(0.01, 0.99);
    let deviation = |n: usize| p * (1.0 - p) / n as f64;
    400.0 * (deviation(n) + deviation(750)).sqrt()
}

fn rates_are_as_measured(n_pairs: usize, seed: u64) {
    println!(
        "| pair | directions | overlapping | apart | said to overlap | either | iterations, most, either | capped |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for ((name, a, b), (_, measured)) in pairs().into_iter().zip(MEASURED) {
        for (directions, measured) in SearchDirections::ALL.into_iter().zip(measured) {
            let r = rates([&a, &b], directions, SHALLOW, n_pairs, seed);
            let three = |[x, y, z]: [f64; 3]| format!("{x:.1} / {y:.1} / {z:.1}");
            println!(
                "| {name} | {} | {} | {} | {:.1} | {:.1} | {:.0}, {}, {:.0} | {:.2} |",
                directions.count(),
                three(r.overlapping),
                three(r.apart),
                r.false_contacts,
                r.either,
                r.mean_iterations,
                r.most_iterations,
                r.mean_iterations_either,
                r.capped
            );
            let found = [r.overlapping[0], r.overlapping[2], r.apart[0], r.apart[2], r.false_contacts, r.either];
            for (k, (found, measured)) in found.into_iter().zip(measured).enumerate() {
                let n = if k == 5 { n_pairs } else { n_pairs / 2 };
                assert!((found - measured).abs() < band(measured, n), "{name} {directions:?} {k}: {found} {measured}");
            }
            assert!(r.capped < 4.0 && r.mean_iterations < 100.0, "{r:?}");
        }
    }
}

#[test]
fn polyhedra_fail_as_often_as_was_measured() {
    rates_are_as_measured(200, 2);
}

#[test]
#[ignore = "minutes: the table of the book, 1500 pairs to a row"]
fn polyhedra_fail_as_often_as_was_measured_at_length() {
    rates_are_as_measured(1500, 1);
    let (_, a, b) = &pairs()[0];
    println!("cubes, deep: {:?}", rates([a, b], SearchDirections::Four, DEEP, 1500, 1));
    polygons(6000, 1);
}

/// In the plane there are no ridges to stall on: what is apart is found to be, by as much as it is. What overlaps ends on a wrong
/// local maximum at times.
fn polygons(n_pairs: usize, seed: u64) -> [f64; 2] {
    let mut sequence = Sequence::new(seed);
    [SHALLOW, DEEP].map(|depths| {
        let (mut wrong, mut worst, mut n_overlapping) = (0, 0.0f64, 0);
        for k in 0..n_pairs {
            let (a, b) = (random_polygon(&mut sequence), random_polygon(&mut sequence));
            let distance = sequence.between_in_ratio(depths[0], depths[1]);
            let (pose, truth) = posed(&a, &b, if k % 2 == 0 { distance } else { -distance }, &mut sequence);
            let found = contact_common_plane(&a, &b, &pose, &CommonPlaneOptions::LIU).unwrap();
            assert_eq!(found.ended_by, EndedBy::Both);
            let error = (truth - found.contact.separation) / truth.abs();
            assert!(error > -1e-9, "{truth} {found:?}");
            if truth > 0.0 {
                assert!(error < 5e-3, "{truth} {found:?}");
            } else {
                n_overlapping += 1;
                wrong += usize::from(error > 0.01);
                worst = worst.max(error);
            }
        }
        let share = 100.0 * wrong as f64 / n_overlapping as f64;
        println!("polygons at depths of {depths:?}: {share:.2} % of {n_overlapping} overlapping ones off, {:.0} % too deep at worst", 100.0 * worst);
        share
    })
}

#[test]
fn polygons_apart_are_never_wrong_and_overlapping_ones_seldom() {
    let [shallow, deep] = polygons(1000, 3);
    // What 6000 pairs gave: 0.6 and 6.3 %.
    assert!((shallow - 0.6).abs() < band(0.6, 500) && (deep - 6.3).abs() < band(6.3, 500), "{shallow} {deep}");
}
