use super::*;
use crate::random::Random;

fn rule(e: f64, beta: f64, friction: f64) -> CollisionRule {
    CollisionRule { restitution: Restitution::Constant(e), tangential_restitution: beta, friction }
}

/// A ball of mass and diameter 1, for which K = I / (m R^2) is given.
fn ball(velocity: DVec3, shape_factor: f64) -> CollidingBall {
    CollidingBall {
        velocity,
        angular_velocity: DVec3::ZERO,
        per_mass: 1.0,
        per_inertia: 4.0 / shape_factor,
        radius: 0.5,
    }
}

/// A ball as a body like any other. The contact point is at `side` times the radius along the normal.
fn as_body(ball: &CollidingBall, side: DVec3) -> CollidingBody {
    CollidingBody {
        velocity: ball.velocity,
        angular_velocity: ball.angular_velocity,
        per_mass: ball.per_mass,
        per_inertia: DMat3::from_diagonal(DVec3::splat(ball.per_inertia)),
        arm: side * ball.radius,
    }
}

fn assert_near(found: DVec3, expected: DVec3, tolerance: f64) {
    assert!((found - expected).abs().max_element() <= tolerance, "{found} instead of {expected}");
}

fn energy(body: &CollidingBody, moving: &Moving) -> f64 {
    if body.per_mass == 0.0 {
        return 0.0;
    }
    let spin = moving.angular_velocity;
    let momentum = if body.per_inertia == DMat3::ZERO { DVec3::ZERO } else { body.per_inertia.inverse() * spin };
    0.5 * moving.velocity.length_squared() / body.per_mass + 0.5 * spin.dot(momentum)
}

fn before(body: &CollidingBody) -> Moving {
    Moving { velocity: body.velocity, angular_velocity: body.angular_velocity }
}

#[test]
fn two_oblique_collisions_of_walton_stick_and_slide() {
    let rule = rule(0.9, 0.4, 0.3);
    let at_rest = ball(DVec3::ZERO, 0.4);
    // By hand: J_n = 0.95, and J_t = 0.2 below mu J_n = 0.285, then 0.6 above it.
    let stick = collide_balls(&rule, DVec3::X, &ball(DVec3::new(1.0, 1.0, 0.0), 0.4), &at_rest).unwrap();
    assert!(!stick.impulse.slides);
    assert_near(stick.after[0].velocity, DVec3::new(0.05, 0.8, 0.0), 1e-15);
    assert_near(stick.after[1].velocity, DVec3::new(0.95, 0.2, 0.0), 1e-15);
    for moving in stick.after {
        assert_near(moving.angular_velocity, -DVec3::Z, 1e-15);
    }
    let kinetic = |c: &Collision| {
        c.after.iter().map(|m| 0.5 * (m.velocity.length_squared() + 0.1 * m.angular_velocity.length_squared())).sum()
    };
    let left: f64 = kinetic(&stick);
    assert!(
        (left - 0.8925).abs() < 1e-15
            && (1.0 - left - stick.impulse.normal_loss - stick.impulse.tangential_loss).abs() < 1e-15
    );

    let slide = collide_balls(&rule, DVec3::X, &ball(DVec3::new(1.0, 3.0, 0.0), 0.4), &at_rest).unwrap();
    assert!(slide.impulse.slides);
    assert_near(slide.after[0].velocity, DVec3::new(0.05, 2.715, 0.0), 1e-15);
    assert_near(slide.after[1].velocity, DVec3::new(0.95, 0.285, 0.0), 1e-15);
    for moving in slide.after {
        assert_near(moving.angular_velocity, DVec3::Z * -1.425, 1e-15);
    }
    // Sliding goes on with beta = -0.335: g_t' = 0.335 g_t.
    let surface = |c: &Collision| {
        let [a, b] = c.after;
        a.velocity - b.velocity + ((a.angular_velocity + b.angular_velocity) * 0.5).cross(DVec3::X)
    };
    assert!((surface(&slide).y - 0.335 * 3.0).abs() < 1e-15 && (surface(&stick).y + 0.4).abs() < 1e-15);
}

#[test]
fn a_disc_of_the_plane_sticks_with_a_third_of_its_reduced_mass() {
    // K = 1/2: J_t = (1 + beta0) m* K / (1 + K) g_t = 1.4 / 2 / 3.
    let rule = rule(0.9, 0.4, 0.5);
    let found = collide_balls(&rule, DVec3::X, &ball(DVec3::new(1.0, 1.0, 0.0), 0.5), &ball(DVec3::ZERO, 0.5)).unwrap();
    let tangential = 1.4 / 6.0;
    assert_near(found.impulse.on_a, -DVec3::new(0.95, tangential, 0.0), 1e-15);
    // I = 1/8: w = -J_t R / I.
    assert_near(found.after[0].angular_velocity, DVec3::Z * -4.0 * tangential, 2e-15);
    // The same by a body that can turn about z only.
    let planar = |ball: CollidingBall, side| CollidingBody {
        per_inertia: DMat3::from_diagonal(DVec3::Z * ball.per_inertia),
        ..as_body(&ball, side)
    };
    let body = collide(
        &rule,
        DVec3::X,
        &planar(ball(DVec3::new(1.0, 1.0, 0.0), 0.5), DVec3::X),
        &planar(ball(DVec3::ZERO, 0.5), -DVec3::X),
    )
    .unwrap();
    assert_near(body.impulse.on_a, found.impulse.on_a, 1e-15);
}

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.normal(), random.normal(), random.normal())
}

fn random_rule(random: &mut Random) -> CollisionRule {
    let friction = [0.0, 0.1, 1.0, 10.0, f64::INFINITY][random.next_u64() as usize % 5] * random.between(0.5, 1.5);
    rule(
        [0.0, 0.5, 1.0, random.unit()][random.next_u64() as usize % 4],
        [-1.0, 0.0, 1.0, random.between(-1.0, 1.0)][random.next_u64() as usize % 4],
        friction,
    )
}

fn random_ball(random: &mut Random) -> CollidingBall {
    let (mass, radius) = (random.between(0.1, 10.0), random.between(0.1, 2.0));
    CollidingBall {
        velocity: vector(random),
        angular_velocity: vector(random),
        per_mass: 1.0 / mass,
        per_inertia: 1.0 / (random.between(0.1, 2.0 / 3.0) * mass * radius * radius),
        radius,
    }
}

/// A body with any inertia tensor that a body can have, met at any point of it.
fn random_body(random: &mut Random) -> CollidingBody {
    let mass = random.between(0.1, 10.0);
    let half_axes = DVec3::new(random.between(0.05, 2.0), random.between(0.05, 2.0), random.between(0.05, 2.0));
    let square = half_axes * half_axes;
    let moments = DVec3::new(square.y + square.z, square.z + square.x, square.x + square.y) * (mass / 5.0);
    let turn = DMat3::from_quat(random.orientation());
    CollidingBody {
        velocity: vector(random),
        angular_velocity: vector(random),
        per_mass: 1.0 / mass,
        per_inertia: turn * DMat3::from_diagonal(moments.recip()) * turn.transpose(),
        arm: turn * (random.direction() * half_axes),
    }
}

#[test]
fn balls_are_bodies_like_any_other() {
    let mut random = Random::from_seed(1);
    for case in 0..20_000 {
        let (rule, normal) = (random_rule(&mut random), random.direction());
        let (a, mut b) = (random_ball(&mut random), random_ball(&mut random));
        if case % 3 == 0 {
            // A wall that moves.
            b = CollidingBall { per_mass: 0.0, per_inertia: 0.0, radius: 0.0, ..b };
        }
        let by_balls = collide_balls(&rule, normal, &a, &b);
        let by_bodies = collide(&rule, normal, &as_body(&a, normal), &as_body(&b, -normal));
        let (Some(balls), Some(bodies)) = (by_balls, by_bodies) else {
            assert_eq!(by_balls.is_some(), by_bodies.is_some());
            continue;
        };
        let speed = 10.0 + a.velocity.length() + b.velocity.length();
        assert_near(balls.impulse.on_a * a.per_mass, bodies.impulse.on_a * a.per_mass, 1e-14 * speed);
        for (one, other) in balls.after.iter().zip(bodies.after) {
            assert_near(one.velocity, other.velocity, 1e-14 * speed);
            assert_near(one.angular_velocity * 0.1, other.angular_velocity * 0.1, 1e-13 * speed);
        }
    }
}

#[test]
fn momentum_is_kept_about_any_point_and_energy_is_lost_by_the_formula() {
    let mut random = Random::from_seed(2);
    let (mut slid, mut stuck, mut coupled) = (0, 0, 0);
    for _ in 0..100_000 {
        let (rule, normal) = (random_rule(&mut random), random.direction());
        let (a, b) = (random_body(&mut random), random_body(&mut random));
        let Some(found) = collide(&rule, normal, &a, &b) else { continue };
        let impulse = found.impulse;
        if impulse.slides {
            slid += 1;
        } else {
            stuck += 1;
        }
        // What momentum is made of sets the rounding that is allowed.
        let contact = vector(&mut random);
        let momentum = |body: &CollidingBody, m: &Moving| m.velocity / body.per_mass;
        let about_origin = |body: &CollidingBody, m: &Moving| {
            (contact - body.arm).cross(momentum(body, m)) + body.per_inertia.inverse() * m.angular_velocity
        };
        let [after_a, after_b] = found.after;
        let (before_a, before_b) = (before(&a), before(&b));
        let size = momentum(&a, &before_a).length() + momentum(&b, &before_b).length() + impulse.on_a.length();
        assert_near(
            momentum(&a, &after_a) + momentum(&b, &after_b),
            momentum(&a, &before_a) + momentum(&b, &before_b),
            2e-15 * size,
        );
        let turn_size = size * (contact.length() + a.arm.length() + b.arm.length())
            + (a.per_inertia.inverse() * before_a.angular_velocity).length()
            + (b.per_inertia.inverse() * before_b.angular_velocity).length();
        assert_near(
            about_origin(&a, &after_a) + about_origin(&b, &after_b),
            about_origin(&a, &before_a) + about_origin(&b, &before_b),
            // The inertia tensor is inverted twice, and its moments differ by a factor of up to 1e3.
            1e-12 * turn_size,
        );
        let lost = energy(&a, &before_a) + energy(&b, &before_b) - energy(&a, &after_a) - energy(&b, &after_b);
        let scale = energy(&a, &before_a) + energy(&b, &before_b) + size * size * (a.per_mass + b.per_mass);
        assert!((lost - impulse.normal_loss - impulse.tangential_loss).abs() < 1e-12 * scale, "{lost} {impulse:?}");
        assert!(impulse.normal_loss >= 0.0 && impulse.tangential_loss >= 0.0, "{impulse:?}");
        // The approach is reversed as asked, and friction is inside its cone and pushes.
        let surface = |body: &CollidingBody, m: &Moving| m.velocity + m.angular_velocity.cross(body.arm);
        let parting = -(surface(&a, &after_a) - surface(&b, &after_b)).dot(normal);
        let e = rule.restitution.at(impulse.approach);
        assert!((parting - e * impulse.approach).abs() < 1e-12 * (10.0 + size * (a.per_mass + b.per_mass)));
        let pressing = -impulse.on_a.dot(normal);
        let across = (impulse.on_a + normal * pressing).length();
        assert!(pressing >= -1e-14 * size);
        if rule.friction.is_finite() {
            assert!(across <= rule.friction * pressing + 1e-13 * size, "{across} {pressing} {rule:?}");
        }
        if (pressing * impulse.approach).abs() > 0.0 && across > 0.0 {
            coupled += 1;
        }
    }
    assert!(slid > 5_000 && stuck > 5_000 && coupled > 10_000, "{slid} {stuck} {coupled}");
}

#[test]
fn prescribing_both_components_would_create_energy_where_this_rule_does_not() {
    // A rod met off its centre: normal and tangential motion are coupled. Newton's rule in both components, the impulse
    // that gives g' = -(e g_n, beta0 g_t), makes energy from nothing.
    let rod = CollidingBody {
        velocity: DVec3::new(1.0, -3.0, 0.0),
        angular_velocity: DVec3::ZERO,
        per_mass: 1.0,
        per_inertia: DMat3::from_diagonal(DVec3::splat(12.0)),
        arm: DVec3::new(0.35, 0.35, 0.0),
    };
    let answer = DMat3::from_cols(rod.answer(DVec3::X), rod.answer(DVec3::Y), rod.answer(DVec3::Z));
    let naive = -(answer.inverse() * DVec3::new(1.0, -6.0, 0.0));
    assert!(energy(&rod, &rod.after(naive)) > 1.1 * energy(&rod, &before(&rod)));
    let found = collide(&rule(0.0, 1.0, f64::INFINITY), DVec3::X, &rod, &CollidingBody::wall(DVec3::ZERO)).unwrap();
    assert!(energy(&rod, &found.after[0]) < energy(&rod, &before(&rod)));
}

#[test]
fn surfaces_that_part_do_not_collide_and_nothing_moves_two_walls() {
    let rule = rule(0.9, 0.4, 0.3);
    let (left, right) = (ball(-DVec3::X, 0.4), ball(DVec3::X, 0.4));
    assert_eq!(collide_balls(&rule, DVec3::X, &left, &right), None);
    assert_eq!(collide_balls(&rule, DVec3::X, &left, &left), None);
    assert!(collide_balls(&rule, DVec3::X, &right, &left).is_some());
    let [a, b] = [DVec3::X, -DVec3::X].map(CollidingBody::wall);
    assert_eq!(collide(&rule, DVec3::X, &a, &b), None);
}

#[test]
fn a_moving_wall_gives_what_it_moves_with() {
    // In the frame of a wall that comes at 1 m/s, a ball at rest approaches at 1 m/s and leaves at 0.5 m/s.
    let wall = CollidingBall { per_mass: 0.0, per_inertia: 0.0, radius: 0.0, ..ball(DVec3::X, 0.4) };
    let found = collide_balls(&rule(0.5, -1.0, 0.0), -DVec3::X, &ball(DVec3::ZERO, 0.4), &wall).unwrap();
    assert_near(found.after[0].velocity, DVec3::X * 1.5, 1e-15);
    assert_near(found.after[1].velocity, DVec3::X, 0.0);
}

#[test]
fn restitution_falls_with_speed_and_is_what_was_asked_where_it_was() {
    for (e, speed) in [(0.99, 0.01), (0.9, 1.0), (0.5, 3.0), (0.05, 10.0)] {
        let laws = [
            Restitution::viscoelastic(e, speed),
            Restitution::PowerLaw { restitution: e, speed, exponent: Restitution::USUAL_EXPONENT },
        ];
        for law in laws {
            assert!((law.at(speed) - e).abs() < 1e-14, "{law:?}");
            assert!((law.at(0.0) - 1.0).abs() < 1e-15);
            let mut last = 1.0;
            for step in 1..=400 {
                let now = law.at(speed * f64::from(step) / 100.0);
                assert!((0.0..=1.0).contains(&now) && now <= last, "{law:?}");
                last = now;
            }
        }
    }
    // The series of Ramirez, Poeschel, Brilliantov and Schwager (1999): 1 - C1 x^2 + C2 x^4, C2 = (3/5) C1^2.
    let Restitution::Viscoelastic { rate } = Restitution::viscoelastic(0.9, 1.0) else { unreachable!() };
    let speed = 1e-12f64;
    let square = rate * rate * speed.powf(0.2);
    let series = 1.0 - 1.15344 * square + 0.6 * 1.15344f64.powi(2) * square * square;
    assert!((Restitution::Viscoelastic { rate }.at(speed) - series).abs() < 1e-6 + square.powi(3));
}
