use super::*;
use crate::narrow;
use crate::oracle::Sequence;
use crate::overlap::quadrature::{RayWorkspace, overlap_by_rays};
use crate::{Contact, Shape};
use glam::DQuat;
use std::f64::consts::{FRAC_PI_2, PI};

const FINE: f64 = 1e-10;

fn cylinder(radius: f64, half_height: f64) -> Cylinder {
    Cylinder { radius, half_height }
}

/// Of volume 8 and a ratio of height to diameter.
fn of_ratio(ratio: f64) -> Cylinder {
    let radius = (4.0 / (PI * ratio)).cbrt();
    cylinder(radius, radius * ratio)
}

fn contact(a: &Cylinder, b: &Cylinder, pose: &Pose) -> Contact {
    narrow::contact(&Shape::Cylinder(*a), &Shape::Cylinder(*b), pose).unwrap_or_else(|unsure| unsure.best)
}

fn found(a: &Cylinder, b: &Cylinder, pose: &Pose) -> OverlapRegion {
    overlap_cylinders(a, b, pose, FINE).unwrap().unwrap()
}

/// The largest relative difference of two regions: volume, surface area, vector area, first moment, centroid.
fn difference(x: &OverlapRegion, y: &OverlapRegion, size: f64) -> f64 {
    let area = y.surface_area;
    [
        (x.volume - y.volume).abs() / y.volume,
        (x.surface_area - area).abs() / area,
        (x.vector_area - y.vector_area).length() / area,
        (x.first_moment - y.first_moment).length() / (area * size),
        (x.centroid - y.centroid).length() / size,
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

/// A random overlapping pair, from deep to a depth of 1e-4 of the size.
fn random_pair(random: &mut Sequence) -> Option<(Cylinder, Cylinder, Pose, Contact)> {
    let [a, b] = [(); 2].map(|()| of_ratio(random.between_in_ratio(0.025, 50.0)));
    let reach = a.radius.hypot(a.half_height) + b.radius.hypot(b.half_height);
    let orientation = random.orientation();
    let start = Pose::new(random.direction() * (reach * random.unit()), orientation);
    let deep = contact(&a, &b, &start);
    if deep.separation >= 0.0 {
        return None;
    }
    let keep = random.between_in_ratio(1e-4, 1.0);
    let pose = Pose::new(start.position - deep.normal * deep.separation * (1.0 - keep), orientation);
    let contact = contact(&a, &b, &pose);
    (contact.separation < 0.0).then_some((a, b, pose, contact))
}

#[test]
fn crossed_cylinders_share_steinmetz_body() {
    for (radius, turn) in [(1.0, 0.0), (0.3, 1.1)] {
        let long = cylinder(radius, 5.0 * radius);
        let pose = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(turn) * DQuat::from_rotation_x(FRAC_PI_2));
        let region = found(&long, &long, &pose);
        assert!((region.volume / (16.0 / 3.0 * radius.powi(3)) - 1.0).abs() < 1e-13, "{region:?}");
        assert!((region.surface_area / (16.0 * radius * radius) - 1.0).abs() < 1e-13, "{region:?}");
        assert!(region.centroid.length() < 1e-14);
    }
}

#[test]
fn slices_agree_with_rays() {
    let mut random = Sequence::new(1);
    let mut rays = RayWorkspace::default();
    let (mut n_pairs, mut n_unsure, mut worst): (usize, usize, f64) = (0, 0, 0.0);
    while n_pairs < 300 {
        let Some((a, b, pose, contact)) = random_pair(&mut random) else { continue };
        n_pairs += 1;
        let region = found(&a, &b, &pose);
        let (shape_a, shape_b) = (Shape::Cylinder(a), Shape::Cylinder(b));
        let Ok(Some(other)) = overlap_by_rays(&shape_a, &shape_b, &pose, &contact, 1e-7, &mut rays) else {
            n_unsure += 1;
            continue;
        };
        let error = difference(&region, &other, a.radius.hypot(a.half_height));
        worst = worst.max(error);
        if error > 1e-6 {
            println!("{error:e} {a:?} {b:?} {pose:?} {contact:?}\n{region:?}\n{other:?}");
        }
    }
    println!("{n_pairs} pairs, {n_unsure} of which the rays were not sure, worst {worst:.1e}");
}

#[test]
fn leak_statistics() {
    let mut random = Sequence::new(1);
    let mut leaks: [Vec<f64>; 4] = Default::default();
    let mut n_shown = 0;
    let mut n_pieces = 0;
    let mut n = 0;
    while n < 20000 {
        let Some((a, b, pose, _)) = random_pair(&mut random) else { continue };
        n += 1;
        let (pair, _) = Pair::new(&a, &b, &pose);
        let breaks = Breaks::new(&pair, pair.range());
        n_pieces += breaks.pieces().count();
        let mut last = 0.0;
        let mut rel = 0.0;
        for (k, rule) in RULES.iter().enumerate() {
            let mut sums = Sums::default();
            breaks.pieces().for_each(|piece| pair.integrate(piece, rule, &mut sums));
            let (region, leak) = wrench::region(&pair, &sums);
            leaks[k].push(leak);
            last = leak;
            rel = 1e-14 * pair.size() * region.surface_area / region.volume;
        }
        if last > rel.max(1e-11) && n_shown < 12 {
            n_shown += 1;
            println!("leak {last:e} rel {rel:e} r {:?} h {:?} c {:?} sine {} cos {}", pair.radius, pair.half_height, pair.centre, pair.sine, pair.cosine);
            for piece in breaks.pieces() {
                let mut sums = Sums::default();
                pair.integrate(piece, &RULES[3], &mut sums);
                let m = 0.5 * (piece[0] + piece[1]);
                let w = [0, 1].map(|k| { let x = m - pair.axis(k); (pair.radius[k] * pair.radius[k] - x * x).sqrt() });
                println!("   {piece:?} V {:e} n {} mid w {w:?}", sums.volume, slice::Polygon::shared(&pair, w).n_corners);
            }
        }
    }
    for l in &mut leaks {
        l.sort_by(f64::total_cmp);
        let q = |p: f64| l[((l.len() - 1) as f64 * p) as usize];
        println!("median {:.1e} p90 {:.1e} p99 {:.1e} p99.9 {:.1e} worst {:.1e}", q(0.5), q(0.9), q(0.99), q(0.999), q(1.0));
    }
    println!("pieces {}", n_pieces as f64 / n as f64);
}
