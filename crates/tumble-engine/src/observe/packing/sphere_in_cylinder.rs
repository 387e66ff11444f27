//! Volume of a sphere inside a flat-ended cylinder.
//!
//! A plane at right angles to the cylinder's axis, at height z above the centre of a sphere of radius R, cuts a disc of
//! radius sqrt(R^2 - z^2) from the sphere and a disc of radius r from the cylinder, at the distance d of the centre from
//! the axis. Their common area is nothing, one of the discs, or a lens of two circular segments. Where it is a disc the
//! integral over z is taken in closed form; the lens has no elementary antiderivative (the result holds incomplete
//! elliptic integrals, cf. Lamarche & Leroy 1990, Comput. Phys. Commun. 59:359) and is integrated numerically.
//!
//! The lens begins and ends like the 3/2 power of the distance to a break point. With z = m - h cos(t) the integrand is
//! smooth in t up to the ends, so Gauss-Legendre rules converge fast; an interval is halved until the two halves repeat
//! the whole to 1e-13 R^3. Error: below 1e-12 of the sphere's volume.

use glam::DVec3;
use std::f64::consts::PI;

/// Volume of the part of a sphere that lies in a cylinder [m^3].
pub(super) fn sphere_in_cylinder(centre: DVec3, radius: f64, from: DVec3, to: DVec3, cylinder_radius: f64) -> f64 {
    let length = from.distance(to);
    if length == 0.0 {
        return 0.0;
    }
    let axis = (to - from) / length;
    let height = (centre - from).dot(axis);
    let distance = (centre - from - axis * height).length() / radius;
    let z0 = (-height / radius).max(-1.0);
    let z1 = ((length - height) / radius).min(1.0);
    if z1 <= z0 {
        return 0.0;
    }
    unit_sphere(distance, cylinder_radius / radius, z0, z1) * radius.powi(3)
}

/// The same for a unit sphere about the origin, between two heights in [-1, 1].
fn unit_sphere(distance: f64, cylinder_radius: f64, z0: f64, z1: f64) -> f64 {
    // Heights at which the sphere's disc has a given radius.
    let height_of = |disc: f64| if disc < 1.0 { ((1.0 - disc) * (1.0 + disc)).sqrt() } else { 0.0 };
    // Above `inner` the smaller disc is the sphere's, and inside the cylinder if the centre is; below `outer` it is the
    // cylinder's; between them is the lens.
    let inner = height_of((distance - cylinder_radius).abs());
    let outer = height_of(distance + cylinder_radius);
    let between = |low: f64, high: f64| (low.max(z0), high.min(z1));
    let mut volume = 0.0;
    for (low, high) in [between(-1.0, -inner), between(inner, 1.0)] {
        if low < high && distance < cylinder_radius {
            volume += PI * (high - low) * (1.0 - (high * high + high * low + low * low) / 3.0);
        }
    }
    let (low, high) = between(-outer, outer);
    if low < high {
        volume += PI * cylinder_radius * cylinder_radius * (high - low);
    }
    for (low, high) in [between(-inner, -outer), between(outer, inner)] {
        if low < high {
            let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
            let integrand = |t: f64| {
                let z = middle - half * t.cos();
                let disc = ((1.0 - z) * (1.0 + z)).max(0.0).sqrt();
                half * t.sin() * lens(disc, cylinder_radius, distance)
            };
            volume += integrate(&integrand, 0.0, PI);
        }
    }
    volume
}

/// Area that two discs share whose edges cross; at the ends of that range whatever is left of it.
fn lens(a: f64, b: f64, distance: f64) -> f64 {
    // Distances of the common chord from the two centres, and half its length.
    let from_a = ((distance * distance + (a - b) * (a + b)) / (2.0 * distance)).clamp(-a, a);
    let from_b = distance - from_a;
    let half_chord = ((a - from_a) * (a + from_a)).sqrt();
    segment(a, half_chord.atan2(from_a)) + segment(b, half_chord.atan2(from_b))
}

/// Area of the circular segment of a half angle.
fn segment(radius: f64, half_angle: f64) -> f64 {
    let t = 2.0 * half_angle;
    let excess = if t < 0.5 {
        // t - sin t cancels for the flat segment of a large cylinder; the next term of the series is below 1e-17.
        let s = t * t;
        t * s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0)))))
    } else {
        t - t.sin()
    };
    0.5 * radius * radius * excess
}

/// Positive nodes and weights of the 16-point Gauss-Legendre rule on [-1, 1].
const GAUSS_LEGENDRE: [(f64, f64); 8] = [
    (0.09501250983763744, 0.1894506104550685),
    (0.2816035507792589, 0.18260341504492358),
    (0.45801677765722737, 0.16915651939500254),
    (0.6178762444026438, 0.14959598881657674),
    (0.755404408355003, 0.12462897125553388),
    (0.8656312023878318, 0.09515851168249279),
    (0.9445750230732326, 0.062253523938647894),
    (0.9894009349916499, 0.027152459411754096),
];

fn gauss_legendre(f: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let sum: f64 = GAUSS_LEGENDRE.iter().map(|&(x, w)| w * (f(middle - half * x) + f(middle + half * x))).sum();
    half * sum
}

/// Adaptive integral: halves an interval until that changes nothing.
fn integrate(f: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    fn refine(f: &impl Fn(f64) -> f64, from: f64, to: f64, whole: f64, halvings_left: u32) -> f64 {
        let middle = 0.5 * (from + to);
        let (left, right) = (gauss_legendre(f, from, middle), gauss_legendre(f, middle, to));
        // The integrand is of order 1. Twenty halvings leave an interval of 3e-6, on which it contributes less than
        // the tolerance in any case.
        if (left + right - whole).abs() <= 1e-13 || halvings_left == 0 {
            return left + right;
        }
        refine(f, from, middle, left, halvings_left - 1) + refine(f, middle, to, right, halvings_left - 1)
    }
    refine(f, from, to, gauss_legendre(f, from, to), 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const WHOLE: f64 = 4.0 / 3.0 * PI;

    #[test]
    fn the_rule_is_exact_for_polynomials_of_degree_31() {
        for degree in [0, 2, 10, 30] {
            let value = gauss_legendre(&|x: f64| x.powi(degree), -1.0, 1.0);
            assert!((value - 2.0 / (degree + 1) as f64).abs() < 1e-15, "{degree} {value}");
        }
        let odd = gauss_legendre(&|x: f64| (x + 0.5).powi(31), -1.0, 1.0);
        let exact = (1.5f64.powi(32) - 0.5f64.powi(32)) / 32.0;
        assert!((odd / exact - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_sphere_on_the_axis_loses_the_known_ring() {
        // Napkin ring: what a coaxial bore of radius r leaves of the unit sphere is 4/3 pi (1 - r^2)^(3/2).
        for r in [0.1, 0.5, 0.9, 0.999] {
            let part = unit_sphere(0.0, r, -1.0, 1.0);
            let expected = WHOLE - WHOLE * (1.0 - r * r).powf(1.5);
            assert!((part - expected).abs() < 1e-14, "{r} {part} {expected}");
        }
        assert!((unit_sphere(0.3, 2.0, -1.0, 1.0) - WHOLE).abs() < 1e-15);
        assert_eq!(unit_sphere(3.0, 1.0, -1.0, 1.0), 0.0);
    }

    #[test]
    fn vivianis_solid_has_its_classical_volume() {
        // A cylinder of radius 1/2 whose axis is 1/2 off the centre of the unit sphere: (2/3) (pi - 4/3), a
        // case in which all break points fall together.
        let part = unit_sphere(0.5, 0.5, -1.0, 1.0);
        assert!((part - 2.0 / 3.0 * (PI - 4.0 / 3.0)).abs() < 1e-13, "{part}");
    }

    #[test]
    fn a_huge_cylinder_cuts_like_a_plane() {
        // With the axis at the distance R = r from the centre: half the sphere without a sliver. The sliver between
        // plane and mantle is y^2 / (2 R) wide; over the central disc that makes pi / (8 R).
        let big = 1e6;
        let part = unit_sphere(big, big, -1.0, 1.0);
        let expected = WHOLE / 2.0 - PI / (8.0 * big);
        assert!((part - expected).abs() < 1e-11, "{part} {expected}");
    }

    #[test]
    fn the_halves_of_a_cut_cylinder_add_up() {
        let mut random = Random::from_seed(31);
        for _ in 0..200 {
            let (d, r) = (random.between(0.0, 2.0), random.between(0.05, 2.0));
            let cut = random.between(-1.0, 1.0);
            let whole = unit_sphere(d, r, -1.0, 1.0);
            let parts = unit_sphere(d, r, -1.0, cut) + unit_sphere(d, r, cut, 1.0);
            assert!((whole - parts).abs() < 2e-13, "{d} {r} {cut} {whole} {parts}");
        }
    }

    #[test]
    fn nearly_coinciding_break_points_do_not_spoil_it() {
        // The two ends of the lens come close to each other, to z = 0 or to the pole; compared with many small
        // midpoint steps in t, whose error is of order 1e-9 here.
        for (d, r) in [(1e-6, 0.5), (1e-3, 0.99), (0.5, 0.500001), (0.5, 0.4999), (0.7, 0.2999), (1.2, 0.2001)] {
            let part = unit_sphere(d, r, -1.0, 1.0);
            let n = 400_000;
            let brute: f64 = (0..n)
                .map(|k| {
                    let t = (k as f64 + 0.5) * PI / n as f64;
                    let a = t.sin();
                    let area = if a + r <= d {
                        0.0
                    } else if d <= (a - r).abs() {
                        PI * a.min(r).powi(2)
                    } else {
                        lens(a, r, d)
                    };
                    area * t.sin() * PI / n as f64
                })
                .sum();
            assert!((part - brute).abs() < 1e-8, "{d} {r} {part} {brute}");
            // Cut elsewhere, the rules see other nodes: agreement shows that they have converged.
            let cut = 0.123;
            let parts = unit_sphere(d, r, -1.0, cut) + unit_sphere(d, r, cut, 1.0);
            assert!((part - parts).abs() < 1e-12, "{d} {r} {part} {parts}");
        }
    }

    #[test]
    fn tilted_cylinder_matches_random_points() {
        let mut random = Random::from_seed(32);
        let (from, to, r) = (DVec3::new(-0.5, 0.2, -0.1), DVec3::new(0.6, 0.5, 0.7), 0.4);
        let (centre, radius) = (DVec3::new(0.3, 0.1, 0.4), 0.5);
        let (n, mut n_inside) = (400_000, 0);
        let axis = (to - from).normalize();
        for _ in 0..n {
            let p = centre + random.direction() * radius * random.unit().cbrt() - from;
            let along = p.dot(axis);
            n_inside += usize::from(along > 0.0 && along < from.distance(to) && (p - axis * along).length() < r);
        }
        let share = sphere_in_cylinder(centre, radius, from, to, r) / (WHOLE * radius.powi(3));
        let error = (n_inside as f64 / n as f64 - share).abs();
        // Four standard errors.
        assert!(share > 0.2 && share < 0.8 && error < 4.0 * (share * (1.0 - share) / n as f64).sqrt());
    }
}
