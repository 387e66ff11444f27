//! Who says what of bodies that touch or do not.

use crate::bodies::{Round, even_hull, hull, posed, regular_solids};
use std::collections::BTreeMap;
use tumble_geometry::narrow::{ContactMethod, contact_by};
use tumble_geometry::oracle::{Sequence, box_of};
use tumble_geometry::peng_hanley::{Ending, PengHanley, Verdict, contact_peng_hanley, least_on_segment};
use tumble_geometry::{DQuat, DVec3, Polyhedron, Pose, Shape, Superquadric, contact};

const BOTH: [PengHanley; 2] = [PengHanley::AsPublished, PengHanley::Guarded];

fn method(version: PengHanley) -> &'static str {
    ContactMethod::PengHanley(version).name()
}

/// Table 1.
pub fn spheres(n: usize) {
    let cube = Shape::Polyhedron(box_of(DVec3::ONE));
    let ball = Shape::Superquadric(Superquadric { semi_axes: DVec3::ONE, n1: 2.0, n2: 2.0 });
    let shell = 24.0 + 22.0 * std::f64::consts::PI / 3.0;
    println!("method,outcome,count,expected,z,mismatches,within_rounding");
    for version in BOTH {
        let mut sequence = Sequence::new(1);
        let mut counts = [0usize; 3];
        let mut endings: BTreeMap<Ending, usize> = BTreeMap::new();
        let (mut mismatches, mut touching) = (0, 0);
        for _ in 0..n {
            let centre = sequence.point_in_cube(3.0);
            let pose = Pose::new(centre, DQuat::IDENTITY);
            let Some(found) = contact_peng_hanley(&cube, &ball, &pose, version) else { continue };
            *endings.entry(found.ending).or_default() += 1;
            let distance = (centre.abs() - DVec3::ONE).max(DVec3::ZERO).length();
            let is_inside = centre.abs().max_element() <= 1.0;
            let truth = if is_inside { 2 } else { usize::from(distance <= 1.0) };
            let said = match found.ending.verdict() {
                Verdict::Apart => 0,
                Verdict::Contact => 1,
                Verdict::Open if is_inside => 2,
                // Guarded, and left to the exact method.
                Verdict::Open => usize::from(contact(&cube, &ball, &pose).is_ok_and(|found| found.separation <= 0.0)),
            };
            counts[said] += 1;
            if said != truth {
                if (distance - 1.0).abs() < 1e-12 {
                    touching += 1;
                } else {
                    mismatches += 1;
                }
            }
        }
        let outcomes = ["cases 1/3/5: apart", "cases 2/4/6: contact", "case 8: centre inside"];
        for ((outcome, count), volume) in outcomes.into_iter().zip(counts).zip([208.0 - shell, shell, 8.0]) {
            let p = volume / 216.0;
            let expected = n as f64 * p;
            let z = (count as f64 - expected) / (expected * (1.0 - p)).sqrt();
            println!("{},{outcome},{count},{expected:.1},{z:.2},{mismatches},{touching}", method(version));
        }
        for (ending, count) in endings {
            println!("{},ending {},{count},,,,", method(version), ending.name());
        }
    }
}

/// The least gauge of a superquadric over the faces of a polyhedron, by searches within searches: each face in triangles, each triangle in
/// segments parallel to a side. Convex all along, so that nothing is missed.
fn least_gauge(polyhedron: &Polyhedron, body: &Superquadric, pose: &Pose) -> f64 {
    let gauge = |point: DVec3| body.gauge(pose.inverse_transform_point(point)).0;
    let both = |point: DVec3| {
        let (gauge, gradient) = body.gauge(pose.inverse_transform_point(point));
        (gauge, pose.transform_vector(gradient))
    };
    let mut least = polyhedron.vertices().iter().map(|v| gauge(*v)).fold(f64::INFINITY, f64::min);
    for face in polyhedron.faces() {
        let corner = |k: usize| polyhedron.vertices()[face.vertices[k] as usize];
        for k in 1..face.vertices.len() - 1 {
            let (a, b, c) = (corner(0), corner(k), corner(k + 1));
            let row = |s: f64| least_on_segment(both, a.lerp(b, s), a.lerp(c, s)).1;
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..70 {
                let (p, q) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
                let (at_p, at_q) = (row(p), row(q));
                least = least.min(at_p).min(at_q);
                if at_p <= at_q { high = q } else { low = p }
            }
        }
    }
    least
}

/// The five solids with three kinds of bodies, any way up in a box around them.
pub fn solids(n: usize, n_checked: usize) {
    println!(
        "solid,body,n,in_contact,published_wrong,published_open,guarded_wrong,guarded_to_exact,checked,exact_wrong,general_off,not_converged"
    );
    for (name, polyhedron) in regular_solids() {
        let a = Shape::Polyhedron(polyhedron.clone());
        for round in [Round::Sphere, Round::Ellipsoid, Round::Blocky] {
            let mut sequence = Sequence::new(2);
            let (mut in_contact, mut wrong, mut open) = (0, [0; 2], [0; 2]);
            let (mut exact_wrong, mut general_off, mut not_converged) = (0, 0, 0);
            for k in 0..n {
                let body = round.draw(&mut sequence);
                let b = Shape::Superquadric(body);
                // A box that holds all places of contact.
                let half_edge = polyhedron.bounding_radius() + 1.1 * b.bounding_radius();
                let pose = sequence.pose(half_edge);
                let Ok(exact) = contact(&a, &b, &pose) else {
                    not_converged += 1;
                    continue;
                };
                let touches = exact.separation <= 0.0;
                let is_sure = exact.separation.abs() > 1e-12;
                in_contact += usize::from(touches);
                for (index, version) in BOTH.into_iter().enumerate() {
                    let Some(found) = contact_peng_hanley(&a, &b, &pose, version) else { continue };
                    let verdict = found.ending.verdict();
                    open[index] += usize::from(verdict == Verdict::Open && found.ending != Ending::CentreInside);
                    let said = if touches { Verdict::Apart } else { Verdict::Contact };
                    wrong[index] += usize::from(is_sure && verdict == said);
                }
                if k < n_checked {
                    let inside = polyhedron.contains(pose.position);
                    let least = least_gauge(&polyhedron, &body, &pose);
                    let near = (least - 1.0).abs() < 1e-9;
                    exact_wrong += usize::from(!near && touches != (inside || least <= 1.0));
                    let general = contact_by(ContactMethod::General, &a, &b, &pose, None, f64::INFINITY);
                    let off = general.ok().flatten().map_or(f64::INFINITY, |g| (g.separation - exact.separation).abs());
                    general_off += usize::from(off > 1e-8 * polyhedron.bounding_radius());
                }
            }
            println!(
                "{name},{},{n},{in_contact},{},{},{},{},{},{exact_wrong},{general_off},{not_converged}",
                round.name(),
                wrong[0],
                open[0],
                wrong[1],
                open[1],
                n_checked.min(n)
            );
        }
    }
}

/// A kind of polyhedra, drawn anew for each pair.
type Draw = Box<dyn Fn(&mut Sequence) -> Polyhedron>;

/// Wrong verdicts.
pub fn failures(n: usize) {
    let solids = regular_solids();
    let regular = |name: &str| -> Draw {
        let solid = solids.iter().find(|(known, _)| *known == name).map(|(_, solid)| solid.clone());
        let solid = solid.unwrap_or_else(|| box_of(DVec3::ONE));
        Box::new(move |_| solid.clone())
    };
    let hulls = |n_points: usize, stretch: f64| -> Draw { Box::new(move |s| hull(s, n_points, stretch)) };
    let (near, deep) = ([1e-4, 5e-2], [5e-2, 0.3]);
    let mut families: Vec<(String, Draw, Round, [f64; 2])> = Vec::new();
    for (name, round) in [
        ("cube", Round::Sphere),
        ("tetrahedron", Round::Sphere),
        ("octahedron", Round::Sphere),
        ("dodecahedron", Round::Sphere),
        ("icosahedron", Round::Sphere),
        ("cube", Round::Ellipsoid),
        ("tetrahedron", Round::Ellipsoid),
        ("icosahedron", Round::Ellipsoid),
        ("cube", Round::Blocky),
        ("tetrahedron", Round::Blocky),
        ("icosahedron", Round::Blocky),
        ("icosahedron", Round::Prolate),
    ] {
        families.push((name.to_string(), regular(name), round, near));
    }
    let plate = || -> Draw { Box::new(|_| box_of(DVec3::new(1.0, 1.0, 0.1))) };
    families.push(("plate 10:10:1".to_string(), plate(), Round::Sphere, near));
    families.push(("plate 10:10:1".to_string(), plate(), Round::Blocky, near));
    families.push(("hulls of 40 points".to_string(), hulls(40, 1.0), Round::Sphere, near));
    families.push(("hulls of 40 points".to_string(), hulls(40, 1.0), Round::Blocky, near));
    families.push(("hulls of 150 points 3:1".to_string(), hulls(150, 3.0), Round::Blocky, near));
    families.push(("hulls of 150 points 3:1".to_string(), hulls(150, 3.0), Round::Prolate, near));
    families.push(("icosahedron deep".to_string(), regular("icosahedron"), Round::Blocky, deep));
    families.push(("hulls of 40 points deep".to_string(), hulls(40, 1.0), Round::Blocky, deep));
    for n_faces in [8, 16, 32, 64, 128, 256, 500] {
        let solid = even_hull(n_faces);
        let name = format!("even hull of {} faces", solid.faces().len());
        families.push((name, Box::new(move |_| solid.clone()), Round::Blocky, near));
    }
    println!(
        "polyhedron,body,overlapping,apart,missed,invented,no_common_edge,cut_short,most_switches,guarded_wrong,guarded_to_exact"
    );
    for (name, draw, round, range) in families {
        let mut sequence = Sequence::new(3);
        let (mut overlapping, mut apart, mut missed, mut invented) = (0, 0, 0, 0);
        let (mut no_edge, mut cut, mut most, mut guarded_wrong, mut to_exact) = (0, 0, 0, 0, 0);
        for k in 0..n {
            let (a, b) = (Shape::Polyhedron(draw(&mut sequence)), Shape::Superquadric(round.draw(&mut sequence)));
            let size = a.bounding_radius().max(b.bounding_radius());
            let distance = size * sequence.between_in_ratio(range[0], range[1]);
            let pose = posed(&a, &b, if k % 2 == 0 { distance } else { -distance }, &mut sequence);
            let Ok(exact) = contact(&a, &b, &pose) else { continue };
            let touches = exact.separation <= 0.0;
            *(if touches { &mut overlapping } else { &mut apart }) += 1;
            let [Some(published), Some(guarded)] = BOTH.map(|version| contact_peng_hanley(&a, &b, &pose, version))
            else {
                continue;
            };
            let verdict = published.ending.verdict();
            missed += usize::from(touches && verdict == Verdict::Apart);
            invented += usize::from(!touches && verdict == Verdict::Contact);
            no_edge += usize::from(published.ending == Ending::NoCommonEdge);
            cut += usize::from(published.ending == Ending::SearchCap);
            most = most.max(published.face_switches);
            let said = guarded.ending.verdict();
            guarded_wrong += usize::from(said == if touches { Verdict::Apart } else { Verdict::Contact });
            to_exact += usize::from(said == Verdict::Open);
        }
        println!(
            "{name},{},{overlapping},{apart},{missed},{invented},{no_edge},{cut},{most},{guarded_wrong},{to_exact}",
            round.name()
        );
    }
}
