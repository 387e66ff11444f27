//! Balls, whose answers are known to the last digits.

use glam::DVec3;
use tumble_geometry::narrow::{self, contact_surface};
use tumble_geometry::oracle::{self, Sequence};
use tumble_geometry::overlap::{overlap, overlap_half_space};
use tumble_geometry::{Contact, Mesh, Pose, Revolved, Shape, Sphere, Surface, SurfaceContact};

/// Metres, from a micrometre to a kilometre.
const SCALES: [f64; 4] = [1e-6, 1e-3, 1.0, 1e3];

fn contact(a: &Shape, b: &Shape, pose_ab: &Pose) -> Contact {
    narrow::contact(a, b, pose_ab).unwrap()
}

fn sphere(radius: f64) -> Shape {
    Shape::Sphere(Sphere { radius })
}

/// Pairs that are apart, touching, overlapping a little, deep, contained, concentric, with sizes up to 1 : 1000.
fn pairs(seed: u64) -> Vec<(Shape, Shape, Pose)> {
    let mut random = Sequence::new(seed);
    let mut pairs = Vec::new();
    for case in 0..300 {
        let (radius_a, radius_b) = (random.between_in_ratio(0.03, 1.0), random.between_in_ratio(0.001, 1.0));
        let sum = radius_a + radius_b;
        let distance = match case % 6 {
            0 => sum * random.between(1.1, 3.0),
            1 => sum,
            2 => sum * (1.0 - random.between_in_ratio(1e-9, 1e-2)),
            3 => sum * random.unit(),
            4 => (radius_a - radius_b).abs() * random.unit(),
            _ => 0.0,
        };
        let pose = Pose::new(random.direction() * distance, random.orientation());
        pairs.push((sphere(radius_a), sphere(radius_b), pose));
    }
    pairs
}

fn size(a: &Shape, b: &Shape) -> f64 {
    a.bounding_radius().max(b.bounding_radius())
}

fn inverse(pose: &Pose) -> Pose {
    pose.relative(&Pose::IDENTITY)
}

fn concentric(pose: &Pose) -> bool {
    pose.position.length() == 0.0
}

#[test]
fn the_answer_is_consistent_with_itself() {
    for (a, b, pose) in pairs(1) {
        let Contact { normal, separation, point_a, point_b } = contact(&a, &b, &pose);
        let size = size(&a, &b);
        assert!((normal.length() - 1.0).abs() < 1e-14);
        assert!((point_b - point_a - separation * normal).length() < 1e-14 * size);
        assert!((point_a.length() - a.bounding_radius()).abs() < 1e-14 * size);
        assert!((point_b.distance(pose.position) - b.bounding_radius()).abs() < 1e-14 * size);
        // Moving b by -separation along the normal makes the bodies touch.
        let moved = Pose::new(pose.position - separation * normal, pose.orientation);
        assert!(contact(&a, &b, &moved).separation.abs() < 1e-14 * size);
    }
}

#[test]
fn the_answer_agrees_with_the_definition() {
    for (case, (a, b, pose)) in pairs(2).into_iter().enumerate().filter(|(case, _)| case % 3 != 1) {
        let found = contact(&a, &b, &pose);
        let (separation, direction) = oracle::largest_gap(&a, &b, &pose);
        let size = size(&a, &b);
        assert!((found.separation - separation).abs() < 1e-12 * size, "case {case}: {found:?} {separation}");
        assert!((oracle::gap_along(&a, &b, &pose, found.normal) - separation).abs() < 1e-12 * size, "case {case}");
        // A value that is good to 1e-16 of the size fixes the direction to about sqrt(2e-16 size / distance).
        let distance = pose.position.length();
        if distance > 1e-3 * size {
            assert!((found.normal - direction).length() < 1e-6, "case {case}");
        }
    }
}

#[test]
fn swapping_the_bodies_turns_the_answer_round() {
    for (a, b, pose) in pairs(3).into_iter().filter(|(_, _, pose)| !concentric(pose)) {
        let size = size(&a, &b);
        let one = contact(&a, &b, &pose);
        let other = contact(&b, &a, &inverse(&pose));
        // Turning the centre to the other frame rounds a distance of up to 6 sizes by up to 1e-15 of itself.
        assert!((one.separation - other.separation).abs() < 6e-15 * size);
        // The direction between close centres is known no better than the rounding of their distance.
        let angle = 1e-15 * size / pose.position.length() + 1e-15;
        assert!((one.normal + pose.transform_vector(other.normal)).length() < 4.0 * angle);
        assert!((one.point_a - pose.transform_point(other.point_b)).length() < 4.0 * angle * size);
        assert!((one.point_b - pose.transform_point(other.point_a)).length() < 4.0 * angle * size);

        // A touch is not told from a gap.
        let depth = -contact(&a, &b, &pose).separation;
        if depth > 1e-12 * size {
            let one = overlap(&a, &b, &pose).unwrap().unwrap();
            let other = overlap(&b, &a, &inverse(&pose)).unwrap().unwrap();
            // Turning the centre to the other frame rounds the distance by up to 1e-15 of itself (the quaternion's
            // length alone by 2e-16, twice), and the volume goes with the square of the depth.
            let relative = 4e-15 * size / depth + 1e-14;
            assert!((one.volume / other.volume - 1.0).abs() < relative);
            assert!((one.surface_area / other.surface_area - 1.0).abs() < relative);
            assert!((one.centroid - pose.transform_point(other.centroid)).length() < 1e-14 * size);
        }
    }
}

#[test]
fn moving_both_bodies_moves_the_answer() {
    let mut random = Sequence::new(4);
    for (a, b, pose) in pairs(4).into_iter().filter(|(_, _, pose)| pose.position.length() > 1e-3) {
        let one = contact(&a, &b, &pose);
        let world_a = random.pose(2.0);
        let world_b =
            Pose::new(world_a.transform_point(pose.position), (world_a.orientation * pose.orientation).normalize());
        let other = contact(&a, &b, &world_a.relative(&world_b));
        // Positions of size 4 are rounded to 4e-16.
        assert!((one.separation - other.separation).abs() < 4e-15);
        assert!((one.normal - other.normal).length() < 4e-15 / pose.position.length() + 1e-14);
    }
}

#[test]
fn the_unit_of_length_does_not_matter() {
    for (a, b, pose) in pairs(5) {
        let one = contact(&a, &b, &pose);
        let region = overlap(&a, &b, &pose).unwrap();
        let size = size(&a, &b);
        for scale in SCALES {
            let (a, b) = (a.scaled(scale), b.scaled(scale));
            let scaled = Pose::new(pose.position * scale, pose.orientation);
            let other = contact(&a, &b, &scaled);
            assert!((other.separation / scale - one.separation).abs() < 1e-15 * size);
            assert!((other.normal - one.normal).length() < 1e-15);
            assert!((other.point_a / scale - one.point_a).length() < 1e-15 * size);
            if one.separation < -1e-12 * size {
                let (region, other) = (region.unwrap(), overlap(&a, &b, &scaled).unwrap().unwrap());
                let relative = 8e-16 * size / -one.separation + 1e-14;
                assert!((other.volume / scale.powi(3) / region.volume - 1.0).abs() < relative);
                assert!((other.surface_area / scale.powi(2) / region.surface_area - 1.0).abs() < relative);
                assert!((other.centroid / scale - region.centroid).length() < 1e-14 * size);
            }
        }
    }
}

#[test]
fn volume_is_shared_exactly_when_the_bodies_overlap() {
    for (a, b, pose) in pairs(6) {
        let separation = contact(&a, &b, &pose).separation;
        if separation.abs() > 1e-15 * size(&a, &b) {
            assert_eq!(overlap(&a, &b, &pose).unwrap().is_some(), separation < 0.0);
        }
        if let Some(region) = overlap(&a, &b, &pose).unwrap() {
            assert!(region.volume <= a.volume().min(b.volume()) * (1.0 + 1e-15));
            // No body of this volume has less surface than a ball.
            let ball = (36.0 * std::f64::consts::PI * region.volume * region.volume).cbrt();
            assert!(region.surface_area >= ball * (1.0 - 1e-14));
        }
    }
}

#[test]
fn nothing_jumps_along_a_slow_slide() {
    // b passes through a, a hair beside its centre, from one side to the other and through containment.
    const N_STEPS: usize = 20_000;
    let (a, b) = (sphere(1.0), sphere(0.4));
    let at = |k: usize| {
        let x = -2.0 + 4.0 * k as f64 / N_STEPS as f64;
        let pose = Pose::from_position(DVec3::new(x, 0.3, 0.1));
        (contact(&a, &b, &pose).separation, overlap(&a, &b, &pose).unwrap().map_or(0.0, |region| region.volume))
    };
    let step = 4.0 / N_STEPS as f64;
    for k in 0..N_STEPS {
        let ((separation, volume), (next_separation, next_volume)) = (at(k), at(k + 1));
        assert!((next_separation - separation).abs() <= step * (1.0 + 1e-9));
        // The volume cannot grow faster than the cross-section of the smaller ball sweeps.
        assert!((next_volume - volume).abs() <= step * std::f64::consts::PI * 0.16 * (1.0 + 1e-9));
    }
}

/// One surface of each kind, with features of size 1.
fn surfaces() -> Vec<Surface> {
    let (vertices, triangles) = oracle::cube_triangles(0.7);
    vec![
        Surface::HalfSpace,
        Surface::Revolved(Revolved::closed_cylinder(0.8, 0.6, true, false).unwrap()),
        Surface::Revolved(Revolved::cone(0.2, 1.0, 0.5).unwrap()),
        Surface::Mesh(Mesh::new(vertices, triangles).unwrap()),
    ]
}

fn scaled(surface: &Surface, scale: f64) -> Surface {
    match surface {
        Surface::HalfSpace => Surface::HalfSpace,
        Surface::Revolved(revolved) => {
            let profile = revolved.profile().iter().map(|corner| corner.map(|x| x * scale));
            Surface::Revolved(Revolved::new(profile.collect()).unwrap())
        }
        Surface::Mesh(mesh) => {
            let vertices = mesh.vertices().iter().map(|vertex| *vertex * scale);
            Surface::Mesh(Mesh::new(vertices.collect(), mesh.triangles().to_vec()).unwrap())
        }
    }
}

fn surface_contacts(shape: &Shape, surface: &Surface, pose: &Pose, margin: f64) -> Vec<SurfaceContact> {
    let mut out = Vec::new();
    contact_surface(shape, surface, pose, margin, &mut out);
    out
}

#[test]
fn contacts_with_surfaces_do_not_depend_on_the_unit_of_length() {
    for surface in surfaces() {
        let mut random = Sequence::new(8);
        for _ in 0..300 {
            let (pose, radius) = (random.pose(1.2), random.between(0.05, 0.4));
            let one = surface_contacts(&sphere(radius), &surface, &pose, 0.1);
            for scale in SCALES {
                let moved = Pose::new(pose.position * scale, pose.orientation);
                let other = surface_contacts(&sphere(radius * scale), &scaled(&surface, scale), &moved, 0.1 * scale);
                assert_eq!(one.len(), other.len(), "{} {scale}", surface.name());
                for (one, other) in one.iter().zip(&other) {
                    assert_eq!(one.feature, other.feature);
                    assert!((other.separation / scale - one.separation).abs() < 1e-14);
                    assert!((other.normal - one.normal).length() < 1e-12);
                    assert!((other.point / scale - one.point).length() < 1e-14);
                }
            }
        }
    }
}

#[test]
fn contacts_with_surfaces_are_consistent_and_within_the_margin() {
    for surface in surfaces() {
        let mut random = Sequence::new(9);
        let mut n_found = 0;
        for _ in 0..2000 {
            let (pose, radius, margin) = (random.pose(1.2), random.between(0.05, 0.4), random.between(0.0, 0.2));
            let all = surface_contacts(&sphere(radius), &surface, &pose, f64::INFINITY);
            let found = surface_contacts(&sphere(radius), &surface, &pose, margin);
            let expected: Vec<_> = all.iter().filter(|contact| contact.separation <= margin).copied().collect();
            assert_eq!(found, expected, "{}", surface.name());
            n_found += found.len();
            for contact in &found {
                let on_grain = contact.point_on_grain();
                assert!((on_grain.distance(pose.position) - radius).abs() < 1e-14);
                assert!((contact.normal.length() - 1.0).abs() < 1e-13);
            }
        }
        assert!(n_found > 200, "{}", surface.name());
    }
}

#[test]
fn the_least_separation_from_a_surface_does_not_jump() {
    for surface in surfaces() {
        let mut random = Sequence::new(10);
        for _ in 0..40 {
            let (from, to) = (random.point_in_cube(1.3), random.point_in_cube(1.3));
            let least = |k: usize| {
                let centre = from.lerp(to, k as f64 / 500.0);
                surface_contacts(&sphere(0.1), &surface, &Pose::from_position(centre), f64::INFINITY)
                    .iter()
                    .map(|contact| contact.separation)
                    .fold(f64::INFINITY, f64::min)
            };
            let step = from.distance(to) / 500.0;
            for k in 0..500 {
                assert!((least(k + 1) - least(k)).abs() <= step + 1e-13, "{}", surface.name());
            }
        }
    }
}

#[test]
fn a_large_ball_is_like_a_half_space() {
    // The lens with a ball of radius R tends to the cap as 1 / R.
    let pose = Pose::from_position(DVec3::new(0.0, 0.0, 0.6));
    let cap = overlap_half_space(&sphere(1.0), &pose).unwrap().unwrap();
    for radius in [1e3, 1e6] {
        let centre = Pose::from_position(DVec3::new(0.0, 0.0, -radius - 0.6));
        let lens = overlap(&sphere(1.0), &sphere(radius), &centre).unwrap().unwrap();
        assert!((lens.volume / cap.volume - 1.0).abs() < 2.0 / radius);
        assert!((lens.surface_area / cap.surface_area - 1.0).abs() < 2.0 / radius);
        assert!((lens.centroid + DVec3::Z * 0.6 - cap.centroid).length() < 2.0 / radius);
    }
}
