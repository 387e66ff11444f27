//! Superquadrics with each other and with all that is round: random, nearly touching, deep, contained and aligned pairs with exponents
//! up to 20 and aspect ratios up to 10. No panic, no NaN, no endless loop, none that does not settle, and no direction with a larger gap.

use glam::{DQuat, DVec3};
use tumble_geometry::contact::NotConverged;
use tumble_geometry::oracle::{self, Sequence};
use tumble_geometry::{Capsule, Contact, Cylinder, Pose, Shape, Sphere, Superquadric, Tablet, TruncatedCone, narrow};

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

/// What every answer must be: finite, of unit normal, with points and a separation that belong to it.
fn check(a: &Shape, b: &Shape, pose: &Pose, found: &Contact, label: &dyn Fn() -> String) {
    let Contact { normal, separation, point_a, point_b } = *found;
    let size = a.bounding_radius().max(b.bounding_radius()) + pose.position.length();
    assert!(normal.is_finite() && separation.is_finite() && point_a.is_finite() && point_b.is_finite(), "{}", label());
    assert!((normal.length() - 1.0).abs() < 1e-12, "{}", label());
    assert!((point_b - point_a - normal * separation).length() < 1e-12 * size, "{}", label());
    let gap = oracle::gap_along(a, b, pose, normal);
    assert!((gap - separation).abs() < 1e-11 * size, "{}: gap {gap}, separation {separation}", label());
    let height = a.support(normal).dot(normal);
    assert!((point_a.dot(normal) - height).abs() < 1e-9 * size, "{}: {height}", label());
}

/// How many pairs of a kind were not answered. Each is asked from nothing, and from a normal that is a little off.
fn n_open(kind: &str, seed: u64, n_pairs: usize) -> usize {
    let mut random = Sequence::new(seed);
    let mut n_open = 0;
    for case in 0..n_pairs {
        let (a, b, pose) = pair(&mut random, case, kind);
        let label = || format!("case {case}: {a:?} {b:?} {pose:?}");
        let turn = random.between_in_ratio(1e-6, 0.1) * random.direction();
        let size = a.bounding_radius().max(b.bounding_radius());
        let mut note = |open: NotConverged| {
            n_open += 1;
            println!("open by {:.1e} of the size, {}", open.bound / size, label());
            assert!(open.bound.is_finite(), "{}", label());
            open.best
        };
        let found = narrow::contact(&a, &b, &pose).unwrap_or_else(&mut note);
        check(&a, &b, &pose, &found, &label);
        let guess = Some((found.normal + turn).normalize());
        let again = narrow::contact_from(&a, &b, &pose, guess).unwrap_or_else(&mut note);
        check(&a, &b, &pose, &again, &label);
        let off = (again.separation - found.separation).abs();
        // Where many directions tie, the depth is proven to 1 % only.
        assert!(off < 2e-9 * size || off < 0.01 * found.separation.abs(), "{}: {off:.1e}", label());
    }
    n_open
}

#[test]
fn random_and_degenerate_pairs_are_answered() {
    for kind in PARTNERS {
        // A superquadric and a tablet across each other, both about one point, are told to 1e-4 only.
        let allowed = usize::from(kind == "tablet");
        assert!(n_open(kind, 1, 2_000) <= allowed, "{kind}");
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
        let label = || format!("{a:?} {b:?} {pose:?}");
        let found = narrow::contact(&a, &b, &pose).unwrap();
        check(&a, &b, &pose, &found, &label);
        for _ in 0..200 {
            let turn = random.between_in_ratio(1e-6, 0.1) * random.direction();
            let again = narrow::contact_from(&a, &b, &pose, Some(found.normal + turn)).unwrap();
            check(&a, &b, &pose, &again, &label);
        }
    }
}

/// `cargo test --release -p tumble-geometry --test smooth_pair -- --ignored --nocapture`
#[test]
#[ignore = "a quarter of an hour: the full million of each kind"]
fn a_million_random_and_degenerate_pairs_are_answered() {
    let found = PARTNERS.map(|kind| (kind, n_open(kind, 2, 1_000_000)));
    println!("{found:?}");
    assert!(found.iter().all(|(_, n_open)| *n_open == 0), "{found:?}");
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
