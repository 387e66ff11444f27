//! Holds the expected figures against theory, so that a slip in copying one is found before the engine is blamed.

mod expected;

use expected::chung_ooi::{self, ElasticImpact, PSI_OF_SLIDING, PSI_SLIDING_SPIN, SphereMaterial, Target};
use expected::sphere_basics;
use std::f64::consts::PI;

fn assert_close(found: f64, figure: f64, relative: f64, what: &str) {
    assert!((found - figure).abs() <= relative * figure.abs(), "{what}: {found} instead of {figure}");
}

fn assert_physical(material: &SphereMaterial) {
    assert!(material.young_modulus > 0.0 && material.density > 0.0, "{}", material.name);
    assert!(material.poisson_ratio > -1.0 && material.poisson_ratio < 0.5, "{}", material.name);
}

/// Largest overlap, largest force and duration of an elastic impact after Hertz.
fn hertz(impact: &ElasticImpact) -> (f64, f64, f64) {
    let material = &impact.material;
    let mass = material.density * 4.0 / 3.0 * PI * impact.radius.powi(3);
    let modulus = material.young_modulus / (1.0 - material.poisson_ratio.powi(2));
    // Two equal spheres halve all three.
    let share = if impact.target == Target::Twin { 0.5 } else { 1.0 };
    let (mass, modulus, radius) = (mass * share, modulus * share, impact.radius * share);
    let v = impact.speed;
    let overlap = (15.0 * mass * v * v / (16.0 * modulus * radius.sqrt())).powf(0.4);
    let force = 4.0 / 3.0 * modulus * radius.sqrt() * overlap.powf(1.5);
    // 2 times the integral of dx / sqrt(1 - x^(5/2)) from 0 to 1 = 2 sqrt(pi) Gamma(7/5) / Gamma(9/10).
    (overlap, force, 2.943_275 * overlap / v)
}

#[test]
fn elastic_impacts_are_those_of_hertz() {
    for impact in chung_ooi::TEST_1.iter().chain(&chung_ooi::TEST_2) {
        assert_physical(&impact.material);
        let (overlap, force, duration) = hertz(impact);
        // Half a unit of the last digit that is given.
        assert_close(overlap, impact.largest_overlap, 2e-5, impact.material.name);
        assert_close(force, impact.largest_force, 8e-5, impact.material.name);
        assert_close(duration, impact.duration, 2e-4, impact.material.name);
    }
}

#[test]
fn oblique_impacts_that_slide_follow_the_closed_form() {
    let test = &chung_ooi::TEST_4;
    let impulse = test.friction * (1.0 + test.restitution);
    let mut n_sliding = 0;
    for result in &test.results {
        let (sin, cos) = result.angle.to_radians().sin_cos();
        let (normal, tangential) = (test.speed * cos, test.speed * sin);
        let slides = sin / cos > 3.5 * impulse;
        for (tangential_restitution, spin) in [result.incremental, result.rescaled] {
            if slides {
                assert_close(1.0 - impulse * cos / sin, tangential_restitution, 1e-4, "tangential restitution");
                assert_close(2.5 * impulse * normal / test.radius, spin, 3e-4, "spin");
            }
            // Sliding or not, one tangential impulse makes both: I spin = radius * m (v_t - v_t').
            let lost = tangential * (1.0 - tangential_restitution);
            // Rounding of a restitution given to three or four decimals, and of a spin given to a unit.
            let rounding = 2.5 * tangential * 5e-4 / test.radius + 0.5;
            assert!((2.5 * lost / test.radius - spin).abs() <= rounding, "{result:?}");
        }
        n_sliding += usize::from(slides);
    }
    assert_eq!(n_sliding, 5);
    assert_physical(&test.material);
}

#[test]
fn psi_after_sliding_is_psi_before_less_seven() {
    for test in &chung_ooi::TEST_5 {
        assert_physical(&test.material);
        assert!(test.radius > 0.0 && test.normal_speed > 0.0 && test.friction > 0.0);
        let mut n_sliding = 0;
        for &(before, after) in test.results {
            // Friction can change psi by no more than 3.5 (1 + e) = 7.
            assert!(before - after <= 7.0 + 5e-4, "{} {before}", test.material.name);
            if before >= PSI_OF_SLIDING {
                assert!((before - 7.0 - after).abs() <= 5e-4, "{} {before} {after}", test.material.name);
                n_sliding += 1;
            } else {
                assert!(before - after < 7.0 - test.tolerance);
            }
        }
        assert_eq!(n_sliding, 4);
    }
    // Of the 7, 2 are translation and 5 are spin: m : m r^2 / I = 1 : 5/2.
    assert_close(7.0 * 2.5 / 3.5, PSI_SLIDING_SPIN, 1e-15, "spin");
}

#[test]
fn spinning_impacts_that_slide_follow_the_closed_form() {
    let test = &chung_ooi::TESTS_6_7;
    assert_physical(&test.material);
    let impulse = test.friction * (1.0 + test.restitution) * test.normal_speed;
    assert_close(3.5 * impulse / test.normal_speed, test.sliding_above, 1e-12, "bound of sliding");
    assert_close(impulse, test.sliding_speed, 1e-12, "speed");
    assert_close(2.5 * impulse / test.radius, test.sliding_spin_loss, 1e-12, "loss of spin");
    // The paper's spins reach from sticking far into sliding.
    let (slowest, fastest) = test.spins;
    let bound = test.sliding_above * test.normal_speed / test.radius;
    assert!(slowest < bound && bound < fastest);
}

#[test]
fn sliding_ball_obeys_its_equations_of_motion() {
    let (v, mu, g) = (2.0, 0.3, 9.81);
    let end = sphere_basics::sliding_to_rolling(v, mu, g);
    // Friction brakes the centre by mu g and spins the sphere up by 5/2 mu g / r until the contact point rests.
    assert_close(v - mu * g * end.time, end.speed, 1e-14, "speed");
    assert_close(2.5 * mu * g * end.time, end.speed, 1e-14, "spin");
    assert_close(v * end.time - 0.5 * mu * g * end.time.powi(2), end.distance, 1e-14, "distance");
    assert_close(1.4 * end.speed.powi(2) / v.powi(2), end.energy_share, 1e-14, "energy");
}

#[test]
fn bounces_take_as_long_as_their_heights_say() {
    let (h, e, g) = (0.5, 0.8, 9.81);
    let fall = |height: f64| (2.0 * height / g).sqrt();
    let flights: f64 = (1..400).map(|n| 2.0 * fall(sphere_basics::bounce_height(h, e, n))).sum();
    assert_close(fall(h) + flights, sphere_basics::bouncing_time(h, e, g), 1e-12, "stop");
}

#[test]
fn incline_changes_from_rolling_to_sliding_without_a_jump() {
    let (mu, r, g): (f64, f64, f64) = (0.2, 0.01, 9.81);
    let limit = (3.5 * mu).atan();
    let (below, above) =
        (sphere_basics::on_incline(limit - 1e-9, mu, r, g), sphere_basics::on_incline(limit + 1e-9, mu, r, g));
    assert!(below.rolls && !above.rolls);
    assert_close(below.acceleration, above.acceleration, 1e-7, "acceleration");
    assert_close(below.angular_acceleration, above.angular_acceleration, 1e-7, "angular acceleration");
}

#[test]
fn impact_lines_meet_where_sliding_ends() {
    for sphere in &sphere_basics::FOERSTER {
        let end = 3.5 * sphere.friction * (1.0 + sphere.restitution);
        let cross = end / (1.0 + sphere.rotational_restitution);
        assert_close(sphere.ratio_after(cross), -sphere.rotational_restitution * cross, 1e-12, sphere.name);
        assert_close(sphere.ratio_after(2.0 * end), end, 1e-12, sphere.name);
        assert_close(sphere.ratio_after(0.1 * cross), -0.1 * sphere.rotational_restitution * cross, 1e-12, sphere.name);
    }
}
