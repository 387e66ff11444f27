//! Free and forced rotation: the tennis racket, a symmetric body, Lagrange's top, and the way back.

use glam::{DQuat, DVec3};
use tumble_engine::integrator::rotation::Moments;

fn energy(moments: &Moments, q: DQuat, momentum: DVec3) -> f64 {
    0.5 * momentum.dot(moments.angular_velocity(q, momentum))
}

#[test]
fn moments_are_sorted_into_kinds() {
    assert_eq!(Moments::new(DVec3::new(2.0, 2.0, 2.0)), Moments::Isotropic(2.0));
    let rod = Moments::new(DVec3::new(5.0, 0.1, 5.0 + 1e-12));
    assert!(matches!(rod, Moments::Symmetric { axis: DVec3::Y, along: 0.1, .. }));
    assert_eq!(rod.about_axes().y, 0.1);
    let brick = DVec3::new(1.0, 2.0, 3.0);
    assert_eq!(Moments::new(brick).about_axes(), brick);
}

/// The tennis-racket top of the gate: I = (1, 2, 3), w = (0.01, 1, 0.01), w dt = 0.1, a million steps.
#[test]
fn an_asymmetric_top_keeps_its_energy_for_a_million_steps() {
    let moments = Moments::new(DVec3::new(1.0, 2.0, 3.0));
    let mut q = DQuat::from_xyzw(0.2, -0.4, 0.1, 0.9).normalize();
    let momentum = moments.angular_momentum(q, q * DVec3::new(0.01, 1.0, 0.01));
    let start = energy(&moments, q, momentum);
    let (mut largest, mut sum_late, mut flips, mut was_up) = (0.0_f64, 0.0, 0, true);
    const STEPS: usize = 1_000_000;
    for step in 0..STEPS {
        q = moments.drift(q, momentum, 0.1);
        let error = (energy(&moments, q, momentum) - start) / start;
        largest = largest.max(error.abs());
        if step >= STEPS - STEPS / 100 {
            sum_late += error;
        }
        let up = (q.conjugate() * momentum).y > 0.0;
        flips += usize::from(up != was_up);
        was_up = up;
    }
    let mean_late = sum_late / (STEPS / 100) as f64;
    println!("largest |dE|/E {largest:.2e}, mean of the last 1 % {mean_late:.2e}, {flips} flips");
    // The momentum is the same number throughout; only the length of q could change what it means.
    assert!((q.length() - 1.0).abs() < 1e-15);
    assert!(largest <= 1e-3, "{largest}");
    // No trend.
    assert!(mean_late.abs() < 0.02 * largest, "{mean_late} {largest}");
    // The unstable axis goes over and over; a method that damps ends on a stable one.
    assert!(flips > 1000, "{flips}");
}

#[test]
fn a_symmetric_body_is_exact_at_any_step() {
    let moments = Moments::new(DVec3::new(1.0, 1.0, 0.02));
    let start = DQuat::from_xyzw(0.1, 0.7, -0.3, 0.6).normalize();
    let momentum = moments.angular_momentum(start, DVec3::new(1.0, -2.0, 3.0));
    for step in [0.01, 0.1, 1.0] {
        let mut q = start;
        let n = (100.0 / step) as usize;
        for _ in 0..n {
            q = moments.drift(q, momentum, step);
        }
        let at_once = moments.drift(start, momentum, step * n as f64);
        // A few 1e-16 a step, and the exact motion otherwise.
        assert!((q - at_once).length().min((q + at_once).length()) < 1e-9, "{step}: {q} {at_once}");
        let error = energy(&moments, q, momentum) / energy(&moments, start, momentum) - 1.0;
        assert!(error.abs() < 1e-9, "{step}: {error}");
    }
}

#[test]
fn free_rotation_goes_back_the_way_it_came() {
    for moments in [DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, 1.0, 0.02), DVec3::splat(2.0)].map(Moments::new) {
        let start = DQuat::from_xyzw(0.1, 0.7, -0.3, 0.6).normalize();
        let momentum = moments.angular_momentum(start, DVec3::new(0.3, -1.0, 0.4));
        let mut q = start;
        for sign in [1.0, -1.0] {
            for _ in 0..10_000 {
                q = moments.drift(q, momentum * sign, 0.05);
            }
        }
        assert!((q - start).length() < 1e-8, "{moments:?}: {q} {start}");
    }
}

/// Lagrange's top: a symmetric body turning about a fixed point under gravity keeps its energy and the components
/// of its momentum along the vertical and along its own axis.
#[test]
fn a_lagrange_top_keeps_energy_and_both_axial_momenta() {
    let (across, along, weight_arm) = (1.0, 0.5, 1.0);
    for moments in [
        Moments::Symmetric { axis: DVec3::Z, along, across },
        // The same top through the splitting for three different moments.
        Moments::Asymmetric(DVec3::new(across, across, along)),
    ] {
        let mut q = DQuat::from_rotation_x(0.5);
        let mut momentum = moments.angular_momentum(q, q * DVec3::new(0.0, 0.2, 10.0));
        let torque = |q: DQuat| (q * DVec3::Z * weight_arm).cross(-DVec3::Z);
        let total = |q: DQuat, l: DVec3| energy(&moments, q, l) + weight_arm * (q * DVec3::Z).z;
        let (start, vertical) = (total(q, momentum), momentum.z);
        let own = (q.conjugate() * momentum).z;
        // w dt = 0.05 for a million steps.
        let h = 0.005;
        let mut largest: f64 = 0.0;
        for _ in 0..1_000_000 {
            momentum += torque(q) * (0.5 * h);
            q = moments.drift(q, momentum, h);
            momentum += torque(q) * (0.5 * h);
            largest = largest.max((total(q, momentum) / start - 1.0).abs());
        }
        let own_error = ((q.conjugate() * momentum).z / own - 1.0).abs();
        println!("{moments:?}: |dE|/E {largest:.2e}, L_z {:.1e}, own {own_error:.1e}", momentum.z / vertical - 1.0);
        assert!(largest < 5e-6, "{largest}");
        assert!((momentum.z / vertical - 1.0).abs() < 1e-12);
        // The splitting does not know of the symmetry: its own momentum oscillates with the step's square.
        let bound = if matches!(moments, Moments::Symmetric { .. }) { 1e-12 } else { 1e-6 };
        assert!(own_error < bound);
    }
}
