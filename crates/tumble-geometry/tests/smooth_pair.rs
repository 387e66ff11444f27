//! Superquadrics with each other, with all that is round and with walls: random, nearly touching, deep, contained and aligned pairs with exponents
//! up to 20 and aspect ratios up to 10. No panic, no NaN, no endless loop, none that does not settle, and no direction with a larger gap.

use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_1_SQRT_2;
use tumble_geometry::contact::NotConverged;
use tumble_geometry::narrow::contact_surface;
use tumble_geometry::oracle::{self, Sequence};
use tumble_geometry::{
    Capsule, Contact, Cylinder, Mesh, Pose, Revolved, Shape, Sphere, Superquadric, Surface, SurfaceContact, Tablet,
    TruncatedCone, narrow,
};

/// What a superquadric meets.
const PARTNERS: [&str; 6] = ["superquadric", "sphere", "cylinder", "capsule", "cone", "tablet"];

/// Exponents: the usual ones, their mixtures, and any from 2 to 20.
fn exponents(random: &mut Sequence) -> (f64, f64) {
    const USUAL: [f64; 6] = [2.0, 2.5, 4.0, 8.0, 12.0, 20.0];
    let mut usual = || USUAL[(random.unit() * USUAL.len() as f64) as usize];
    let (one, other) = (usual(), usual());
    match (random.unit() * 3.0) as u32 {
        0 => (one, one),
        1 => (one, other),
        _ => (random.between(2.0, 20.0), random.between(2.0, 20.0)),
    }
}

fn superquadric(random: &mut Sequence) -> Shape {
    let (n1, n2) = exponents(random);
    let mut axis = || random.between_in_ratio(0.1, 1.0);
    let semi_axes = DVec3::new(axis(), axis(), axis());
    // A third are round about an axis.
    let semi_axes = if semi_axes.z > 0.5 { DVec3::new(semi_axes.x, semi_axes.x, semi_axes.z) } else { semi_axes };
    Shape::Superquadric(Superquadric { semi_axes, n1, n2 })
}

fn partner(random: &mut Sequence, kind: &str) -> Shape {
    let mut length = || random.between_in_ratio(0.1, 1.0);
    let (radius, half_height) = (length(), length());
    match kind {
        "superquadric" => superquadric(random),
        "sphere" => Shape::Sphere(Sphere { radius }),
        "cylinder" => Shape::Cylinder(Cylinder { radius, half_height }),
        "capsule" => Shape::Capsule(Capsule { radius, half_height }),
        "cone" => {
            let cone =
                TruncatedCone { lower_radius: radius, upper_radius: radius * random.unit(), height: half_height };
            Shape::TruncatedCone(cone)
        }
        _ => Shape::Tablet(Tablet { radius, half_height, dome_height: radius * random.between_in_ratio(1e-2, 1.0) }),
    }
}

/// Axes along axes, or nearly.
fn aligned(random: &mut Sequence) -> DQuat {
    let mut quarter = || f64::floor(4.0 * random.unit()) * std::f64::consts::FRAC_PI_2;
    let turned = DQuat::from_euler(glam::EulerRot::XYZ, quarter(), quarter(), quarter());
    let tilt = if random.unit() < 0.5 { 0.0 } else { random.between_in_ratio(1e-12, 1e-3) };
    (DQuat::from_axis_angle(random.direction(), tilt) * turned).normalize()
}

/// Two bodies and where the second is: anywhere, deep, nearly touching, aligned, concentric, contained.
fn pair(random: &mut Sequence, case: usize, kind: &str) -> (Shape, Shape, Pose) {
    let (a, b) = (superquadric(random), partner(random, kind));
    let ratio = if random.unit() < 0.3 { random.between_in_ratio(0.1, 10.0) } else { 1.0 };
    let b = b.scaled(ratio);
    let reach = a.bounding_radius() + b.bounding_radius();
    let axis = DVec3::AXES[(random.unit() * 3.0) as usize];
    let pose = match case % 8 {
        0 => Pose::new(random.direction() * (reach * random.unit()), random.orientation()),
        1 => Pose::new(random.direction() * (reach * 0.2 * random.unit()), random.orientation()),
        2 | 3 => touching(random, &a, &b, None),
        4 => touching(random, &a, &b, Some(axis)),
        5 => Pose::new(DVec3::ZERO, if random.unit() < 0.5 { aligned(random) } else { random.orientation() }),
        6 => Pose::new(axis * (reach * random.between(-1.2, 1.2)), aligned(random)),
        _ => Pose::new(random.point_in_cube(0.3 * reach), aligned(random)),
    };
    let scale = [1.0, 1e-6, 1e3, 1e-3][case / 8 % 4];
    (a.scaled(scale), b.scaled(scale), Pose::new(pose.position * scale, pose.orientation))
}

/// b brought along a line until the gap along that line is small, of either sign, or zero.
fn touching(random: &mut Sequence, a: &Shape, b: &Shape, axis: Option<DVec3>) -> Pose {
    let orientation = if axis.is_some() { aligned(random) } else { random.orientation() };
    let direction = axis.unwrap_or_else(|| random.direction());
    let gap = oracle::gap_along(a, b, &Pose::new(DVec3::ZERO, orientation), direction);
    let offset = match (random.unit() * 3.0) as u32 {
        0 => 0.0,
        1 => random.between_in_ratio(1e-12, 1e-2),
        _ => -random.between_in_ratio(1e-12, 1e-2),
    };
    Pose::new(direction * (offset * a.bounding_radius().max(b.bounding_radius()) - gap), orientation)
}

/// What every answer must be: finite, of unit normal, with points and a separation that belong to it. Says what is not.
fn fault(a: &Shape, b: &Shape, pose: &Pose, found: &Contact) -> Option<String> {
    let Contact { normal, separation, point_a, point_b } = *found;
    let size = a.bounding_radius().max(b.bounding_radius()) + pose.position.length();
    if !(normal.is_finite() && separation.is_finite() && point_a.is_finite() && point_b.is_finite()) {
        return Some(format!("not finite: {found:?}"));
    }
    let (gap, height) = (oracle::gap_along(a, b, pose, normal), a.support(normal).dot(normal));
    let parts = [
        ("normal", (normal.length() - 1.0).abs(), 1e-12),
        ("points", (point_b - point_a - normal * separation).length() / size, 1e-12),
        ("gap", (gap - separation).abs() / size, 1e-11),
        ("height", (point_a.dot(normal) - height).abs() / size, 1e-9),
    ];
    let off = parts.into_iter().find(|(_, off, allowed)| off >= allowed);
    off.map(|(name, off, _)| format!("{name} off by {off:.1e}: {found:?}"))
}

fn check(a: &Shape, b: &Shape, pose: &Pose, found: &Contact) {
    let fault = fault(a, b, pose, found);
    assert!(fault.is_none(), "{fault:?}: {a:?} {b:?} {pose:?}");
}

/// How many pairs of a kind were not answered, or wrongly. Each is asked from nothing, and from a normal that is a little off.
fn n_faults(kind: &str, seed: u64, n_pairs: usize) -> usize {
    let mut random = Sequence::new(seed);
    let mut n_faults = 0;
    for case in 0..n_pairs {
        let (a, b, pose) = pair(&mut random, case, kind);
        let turn = random.between_in_ratio(1e-6, 0.1) * random.direction();
        let size = a.bounding_radius().max(b.bounding_radius());
        let mut tell = |what: String| {
            n_faults += 1;
            println!("{kind} case {case}: {what}, {a:?} {b:?} {pose:?}");
        };
        let mut ask = |guess: Option<DVec3>| {
            let found = narrow::contact_from(&a, &b, &pose, guess).unwrap_or_else(|open: NotConverged| {
                tell(format!("open by {:.1e} of the size", open.bound / size));
                open.best
            });
            if let Some(fault) = fault(&a, &b, &pose, &found) {
                tell(fault);
            }
            found
        };
        let found = ask(None);
        let again = ask(Some((found.normal + turn).normalize()));
        let off = (again.separation - found.separation).abs();
        // Where many directions tie, the depth is proven to 1 % only.
        if !(off < 2e-9 * size || off < 0.01 * found.separation.abs()) {
            tell(format!("two answers, {:.1e} of the size apart", off / size));
        }
    }
    n_faults
}

#[test]
fn random_and_degenerate_pairs_are_answered() {
    for kind in PARTNERS {
        assert_eq!(n_faults(kind, 1, 2_000), 0, "{kind}");
    }
}

#[test]
fn two_that_are_round_about_nearly_one_axis_are_answered() {
    let body =
        |x: f64, z: f64, n1: f64| Shape::Superquadric(Superquadric { semi_axes: DVec3::new(x, x, z), n1, n2: 2.0 });
    let (a, b) = (body(0.157, 0.522, 2.5), body(0.0301, 0.151, 20.0));
    for tilt in [0.0, 1e-12, 1e-10, 1e-8, 1e-4] {
        let orientation = DQuat::from_rotation_x(std::f64::consts::PI + tilt);
        let found = narrow::contact(&a, &b, &Pose::new(DVec3::ZERO, orientation)).unwrap();
        assert!((found.separation + 0.157 + 0.0301).abs() < 1e-6, "{tilt}: {found:?}");
    }
}

/// Pairs of a million that were not answered once, or not rightly.
#[test]
fn flat_sides_that_face_each_other_and_axes_that_nearly_agree_are_answered() {
    let body = |[x, y, z]: [f64; 3], n1: f64, n2: f64| {
        Shape::Superquadric(Superquadric { semi_axes: DVec3::new(x, y, z), n1, n2 })
    };
    let cases = [
        (
            body([0.0001247512299029256, 0.00010909374990903753, 0.0002562413723931319], 12.0, 12.0),
            body([0.0009563611413298704, 0.0006000567379672233, 0.0002882612427730103], 12.0, 12.0),
            DVec3::new(0.0, 0.0, 0.001212602515907948),
            DQuat::from_xyzw(-0.7071067955911694, -6.70740277484415e-9, 0.7071067667819244, -3.6521779291339537e-8),
        ),
        (
            body([0.1572145765382671, 0.1572145765382671, 0.5219091252556861], 2.5, 2.0),
            body([0.030126578921327005, 0.030126578921327005, 0.15076926215050587], 20.0, 2.0),
            DVec3::ZERO,
            DQuat::from_xyzw(-8.419153643998177e-11, -1.0, -5.435389209751508e-11, -4.752501242849054e-11),
        ),
    ];
    let cases = cases.into_iter().chain([
        (
            body([2.3395014954778244e-7, 1.4545316555140994e-7, 3.9272567048612466e-7], 2.0, 4.0),
            body([1.3089841999017834e-7, 5.667875532725244e-7, 1.4881971168130636e-7], 2.0, 20.0),
            DVec3::new(0.0, 0.0, 5.236240904999703e-7),
            DQuat::from_xyzw(-2.9246332429449076e-11, -0.7071067812395747, -6.592670457529725e-11, -0.7071067811335204),
        ),
        (
            body([0.00019390425987475177, 0.00010638763337639512, 0.0001324425855349941], 2.0, 2.0),
            body([0.00019368494037317653, 0.0002711127440170596, 0.00010471057640434055], 2.0, 2.0),
            DVec3::new(-3.4595442627984934e-5, 6.934368709396318e-5, 1.6378833380301893e-5),
            DQuat::from_xyzw(-0.3081120253701846, 0.8139307442482739, 0.3509827908544333, -0.3455355320567867),
        ),
        (
            body([0.00044999877134735427, 0.00044999877134735427, 0.0005008223301761387], 2.0, 2.0),
            body(
                [0.0004964597598484918, 0.00024439423548105376, 0.00019881656276207104],
                2.340957237615826,
                13.198387405117504,
            ),
            DVec3::ZERO,
            DQuat::from_xyzw(0.5000000000000001, -0.5, 0.5000000000000002, -0.49999999999999994),
        ),
    ]);
    let cases = cases.chain([(
        body([8.247940359799937e-7, 8.247940359799937e-7, 5.92797388980769e-7], 2.0, 2.0),
        Shape::sphere(5.220095808136544e-7).unwrap(),
        DVec3::new(0.0, -1.213740507465301e-6, 0.0),
        DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0),
    )]);
    let mut random = Sequence::new(4);
    for (a, b, position, orientation) in cases {
        let pose = Pose::new(position, orientation);
        let found = narrow::contact(&a, &b, &pose).unwrap();
        check(&a, &b, &pose, &found);
        for _ in 0..200 {
            let turn = random.between_in_ratio(1e-6, 0.1) * random.direction();
            let again = narrow::contact_from(&a, &b, &pose, Some(found.normal + turn)).unwrap();
            check(&a, &b, &pose, &again);
        }
    }
}

/// Pairs of a million whose bounds did not close by the polytope, nor by cells with the second-order search alone.
#[test]
fn flat_sides_about_an_axis_that_is_nearly_that_of_a_rim_are_answered() {
    let body = |[x, y, z]: [f64; 3], n1: f64, n2: f64| {
        Shape::Superquadric(Superquadric { semi_axes: DVec3::new(x, y, z), n1, n2 })
    };
    let cylinder = |radius: f64, half_height: f64| Shape::Cylinder(Cylinder { radius, half_height });
    let cases = [
        (
            body([124.02530556114577, 124.02530556114577, 709.2830342511874], 12.0, 2.0),
            cylinder(216.7854571145733, 203.92432725433457),
            DVec3::ZERO,
            DQuat::from_xyzw(1.2743624244705493e-11, -1.0, -4.14961331188842e-13, 6.269489026546568e-11),
            124.02530556114577 + 216.7854571145733,
        ),
        (
            body([552.1905700448996, 213.35601937811367, 213.90244722372006], 2.0, 8.0),
            cylinder(180.40732996950814, 173.20885070113485),
            DVec3::ZERO,
            DQuat::from_xyzw(1.6653345369377353e-16, -FRAC_1_SQRT_2, 5.551115123125784e-17, -FRAC_1_SQRT_2),
            213.35601937811367 + 180.40732996950814,
        ),
        (
            body([2.431990065727775e-7, 2.431990065727775e-7, 7.314151533677609e-7], 20.0, 2.0),
            cylinder(1.5152907676256162e-7, 1.0501262749154708e-7),
            DVec3::ZERO,
            DQuat::from_xyzw(0.7071067937723107, -0.707106768600763, -1.0243883864693248e-7, -1.3933000145574464e-7),
            2.431990065727775e-7 + 1.5152907676256162e-7,
        ),
        (
            body(
                [0.00010904042030865125, 0.00010904042030865125, 0.0009778367367870007],
                16.826260317040393,
                18.359796132523748,
            ),
            Shape::Tablet(Tablet {
                radius: 1.2248375650033158e-5,
                half_height: 1.1554004676617464e-5,
                dome_height: 4.580355506700294e-6,
            }),
            DVec3::new(0.0, 0.00012128879596150418, 0.0),
            DQuat::from_xyzw(1.0, -0.0, 0.0, 6.123233995736766e-17),
            0.0,
        ),
    ];
    let mut random = Sequence::new(6);
    for (a, b, position, orientation, depth) in cases {
        let pose = Pose::new(position, orientation);
        let size = a.bounding_radius().max(b.bounding_radius());
        let found = narrow::contact(&a, &b, &pose).unwrap();
        check(&a, &b, &pose, &found);
        assert!((found.separation + depth).abs() < 1e-7 * size, "{found:?}");
        for _ in 0..10 {
            let turn = random.between_in_ratio(1e-6, 0.1) * random.direction();
            let again = narrow::contact_from(&a, &b, &pose, Some(found.normal + turn)).unwrap();
            check(&a, &b, &pose, &again);
            assert!((again.separation - found.separation).abs() < 2e-9 * size, "{again:?}");
        }
    }
}

/// How many superquadrics at a wall (a plane, a triangle with its edges and corners, a tube) were met wrongly.
fn n_faults_at_walls(kind: &str, seed: u64, n_pairs: usize) -> usize {
    let mut random = Sequence::new(seed);
    let mut n_faults = 0;
    let mut found = Vec::new();
    for case in 0..n_pairs {
        let body = superquadric(&mut random);
        let size = body.bounding_radius();
        let orientation = if case % 3 == 0 { aligned(&mut random) } else { random.orientation() };
        let corners: [DVec3; 3] = std::array::from_fn(|_| random.point_in_cube(1.0) * (2.0 * size));
        let place = random.point_in_cube(1.0) * (2.5 * size);
        let (surface, corners) = match kind {
            "plane" => (Surface::HalfSpace, None),
            "triangle" => match Mesh::new(corners.to_vec(), vec![[0, 1, 2]]) {
                Ok(mesh) => (Surface::Mesh(mesh), Some(corners)),
                Err(_) => continue,
            },
            _ => {
                let length = random.between(0.5, 3.0) * size;
                (Surface::Revolved(Revolved::tube(random.between(0.5, 3.0) * size, length).unwrap()), None)
            }
        };
        let pose = Pose::new(place, orientation);
        let mut tell = |what: String| {
            n_faults += 1;
            println!("{kind} case {case}: {what}, {body:?} {corners:?} {pose:?}");
        };
        found.clear();
        contact_surface(&body, &surface, &pose, 10.0 * size, &mut found);
        let reach =
            |normal: DVec3| pose.transform_point(body.support(pose.inverse_transform_vector(normal))).dot(normal);
        for contact in &found {
            let SurfaceContact { normal, separation, point, .. } = *contact;
            if !(point.is_finite() && separation.is_finite() && (normal.length() - 1.0).abs() < 1e-12) {
                tell(format!("{contact:?}"));
            }
        }
        let least = found.iter().min_by(|a, b| a.separation.total_cmp(&b.separation));
        match (kind, least) {
            ("plane", Some(contact)) => {
                let off = (contact.separation + reach(DVec3::NEG_Z)).abs() / size;
                if off > 1e-14 {
                    tell(format!("height off by {off:.1e}"));
                }
            }
            // Apart, the gap along any direction is a lower bound of the distance: along the normal it is the distance.
            ("triangle", Some(contact)) if contact.separation > 0.0 => {
                let normal = contact.normal;
                let nearest = corners.unwrap_or_default().map(|corner| corner.dot(normal));
                let gap = nearest.into_iter().fold(f64::INFINITY, f64::min) - reach(normal);
                let off = (contact.separation - gap).abs() / size;
                if off > 1e-9 {
                    tell(format!("gap off by {off:.1e}: {contact:?}"));
                }
            }
            // Sunk in deep it may not be met; apart it must be.
            ("triangle", None) => {
                let [a, b, c] = corners.unwrap_or_default();
                let is_inside = |point: DVec3| {
                    let own = pose.inverse_transform_point(point);
                    matches!(&body, Shape::Superquadric(body) if body.contains(own))
                };
                let share = |k: u32| f64::from(k) / 300.0;
                let on_sides =
                    (0..300).any(|k| [(a, b), (b, c), (c, a)].iter().any(|(p, q)| is_inside(p.lerp(*q, share(k)))));
                let within =
                    (0..300).any(|i| (0..300 - i).any(|j| is_inside(a + (b - a) * share(i) + (c - a) * share(j))));
                if !on_sides && !within {
                    tell("nothing is met".into());
                }
            }
            ("plane", None) => tell("nothing is met".into()),
            _ => {}
        }
    }
    n_faults
}

#[test]
fn superquadrics_at_walls_are_answered() {
    for kind in ["plane", "triangle", "tube"] {
        assert_eq!(n_faults_at_walls(kind, 5, 1_000), 0, "{kind}");
    }
}

/// A million pairs of each kind: `cargo test --release -p tumble-geometry --test smooth_pair -- --ignored --nocapture`.
mod a_million {
    use super::{n_faults, n_faults_at_walls};

    macro_rules! kinds {
        ($count:ident: $($kind:ident),*) => { $(
            #[test]
            #[ignore = "some minutes: the full million"]
            fn $kind() {
                assert_eq!($count(stringify!($kind), 2, 1_000_000), 0);
            }
        )* };
    }

    kinds!(n_faults: superquadric, sphere, cylinder, capsule, cone, tablet);
    kinds!(n_faults_at_walls: plane, triangle, tube);
}

/// No direction near the answer, nor of many all over, has a larger gap.
#[test]
fn no_direction_has_a_larger_gap() {
    let mut random = Sequence::new(3);
    for case in 0..400 {
        let (a, b, pose) = pair(&mut random, case, PARTNERS[case % 2]);
        let size = a.bounding_radius().max(b.bounding_radius());
        let found = narrow::contact(&a, &b, &pose).unwrap();
        let golden_angle = std::f64::consts::PI * (3.0 - 5f64.sqrt());
        let spread = (0..2_000).map(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / 2_000.0;
            let (sine, cosine) = (golden_angle * k as f64).sin_cos();
            DVec3::new((1.0 - z * z).sqrt() * cosine, (1.0 - z * z).sqrt() * sine, z)
        });
        let near = (0..200).map(|k| (found.normal + random.direction() * 10f64.powf(-0.03 * f64::from(k))).normalize());
        let largest = spread.chain(near).map(|n| oracle::gap_along(&a, &b, &pose, n)).fold(f64::NEG_INFINITY, f64::max);
        let allowed = (1e-9 * size).max(0.01 * -found.separation * f64::from(u8::from(case % 8 == 5)));
        assert!(largest <= found.separation + allowed, "case {case}: {a:?} {b:?} {pose:?}: {largest} {found:?}");
    }
}
