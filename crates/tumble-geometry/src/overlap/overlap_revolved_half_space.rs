//! A body of revolution (cylinder, capsule, truncated cone, tablet) and the half-space z <= 0.
//!
//! The body is cut in discs across its axis. The half-space leaves of each disc of radius R the segment of half angle phi, and
//!
//! V = int R^2 (phi - sin phi cos phi) dh,   section = int 2 R sin phi dh / s,
//!
//! h the height along the axis and s the sine of the angle between axis and wall normal. With g the depth of the disc's lowest
//! point below the plane and f the height of its highest point above it, tan(phi/2) = sqrt(g / f).
//!
//! Grains at rest are sunk in by 1e-10 of their size, and tilted by as little. So nothing here is a small difference of what is
//! given: g and f are known at the ends of a piece of the outline to rounding of themselves (by compensated sums), they vanish
//! exactly where a disc comes into the half-space or goes under, and between these places they are means of what they are
//! there, or products of sines for a dome. A tilt of any size is a tilt.
//!
//! - Cylinders: in phi all integrands are entire functions, and Kronrod's rule with 15 nodes has 1e-11.
//! - Cones and domes: phi begins like a square root where discs come in or go under, and h = from + (to - from) u^2 (3 - 2 u)
//!   makes everything smooth; a panel whose rules of 15 and 7 nodes differ is halved.
//!
//! Valid for every pose. Known limit: a region is good to 1e-10 of itself for the pose that is given, down to depths of 1e-9 of
//! the size and below; what the pose itself does not know, 1e-16 of the size, is not made up for.

use super::OverlapRegion;
use super::quadrature::KRONROD_15;
use crate::{Capsule, Cylinder, Pose, Tablet, TruncatedCone};
use glam::DVec3;
use std::f64::consts::PI;

/// Relative difference of the rules of 15 and 7 nodes below which the first has 1e-10.
const RULES_AGREE: f64 = 1e-9;

/// How often a panel is halved at most.
const MOST_HALVINGS: i32 = 5;

/// Sine of the tilt of an axis that is none: its square is still a number.
const UPRIGHT: f64 = 1e-150;

/// The part of a cylinder at z <= 0.
pub(super) fn overlap_cylinder_half_space(shape: &Cylinder, pose: &Pose) -> Option<OverlapRegion> {
    let mut sums = Sums::new(pose);
    let ends = [-shape.half_height, shape.half_height];
    sums.add_side(ends, [shape.radius, shape.radius]);
    sums.add_ends(ends, [shape.radius, shape.radius]);
    sums.region(pose)
}

/// The part of a truncated cone at z <= 0.
pub(super) fn overlap_cone_half_space(shape: &TruncatedCone, pose: &Pose) -> Option<OverlapRegion> {
    let mut sums = Sums::new(pose);
    let (ends, radii) = ([shape.lower_z(), shape.upper_z()], [shape.lower_radius, shape.upper_radius]);
    sums.add_side(ends, radii);
    sums.add_ends(ends, radii);
    sums.region(pose)
}

/// The part of a capsule at z <= 0.
pub(super) fn overlap_capsule_half_space(shape: &Capsule, pose: &Pose) -> Option<OverlapRegion> {
    let mut sums = Sums::new(pose);
    sums.add_side([-shape.half_height, shape.half_height], [shape.radius, shape.radius]);
    for side in [1.0, -1.0] {
        sums.add_dome(side, shape.half_height, shape.radius, [shape.radius, shape.half_height]);
    }
    sums.region(pose)
}

/// The part of a tablet at z <= 0.
pub(super) fn overlap_tablet_half_space(shape: &Tablet, pose: &Pose) -> Option<OverlapRegion> {
    let mut sums = Sums::new(pose);
    let (seam, centre) = (shape.half_height, shape.dome_centre());
    sums.add_side([-seam, seam], [shape.radius, shape.radius]);
    for side in [1.0, -1.0] {
        sums.add_dome(side, centre, shape.dome_radius(), [shape.radius, seam]);
    }
    sums.region(pose)
}

/// The sum of two products and a number, as good as if it were rounded once.
fn sum_of_products([a, b]: [(f64, f64); 2], c: f64) -> f64 {
    let product = |(x, y): (f64, f64)| {
        let rounded = x * y;
        (rounded, x.mul_add(y, -rounded))
    };
    let sum = |x: f64, y: f64| {
        let rounded = x + y;
        let part = rounded - x;
        (rounded, (x - (rounded - part)) + (y - part))
    };
    let ((p, p_rest), (q, q_rest)) = (product(a), product(b));
    let (first, first_rest) = sum(p, c);
    let (whole, rest) = sum(first, q);
    whole + (rest + first_rest + p_rest + q_rest)
}

/// phi - sin phi cos phi.
fn segment_share(phi: f64) -> f64 {
    if phi < 0.3 {
        let square = phi * phi;
        // 2 phi - sin 2 phi by its series: the next term is 1e-16 of the first.
        let terms = [-4.0 / 210.0, -4.0 / 156.0, -4.0 / 110.0, -4.0 / 72.0, -4.0 / 42.0, -4.0 / 20.0];
        let series = terms.iter().fold(1.0, |inner, term| 1.0 + term * square * inner);
        return 2.0 / 3.0 * phi * square * series;
    }
    let (sine, cosine) = phi.sin_cos();
    phi - sine * cosine
}

/// x / sin x.
fn over_sine(x: f64) -> f64 {
    if x.abs() < 1e-8 { 1.0 } else { x / x.sin() }
}

/// A disc where a piece of the outline begins or ends, or where the plane touches it.
#[derive(Clone, Copy, Debug)]
struct Disc {
    /// Share of the way from one end of the piece to the other, and what is left of it.
    way: [f64; 2],
    radius: f64,
    /// Height along the axis.
    height: f64,
    /// Depth of the lowest point below the plane, and height of the highest above it.
    below: f64,
    above: f64,
}

/// A disc of an integral: its radius, its height along the axis, the length along the axis that it stands for, how much of it
/// is below the plane and how much above, and the length of the outline over that along the axis.
struct Slice {
    radius: f64,
    height: f64,
    length: f64,
    half_angle: f64,
    outline: f64,
}

/// What is integrated over the discs.
#[derive(Clone, Copy, Debug, Default)]
struct Integrals {
    volume: f64,
    /// First moment of the volume, along the axis and across it.
    along: f64,
    across: f64,
    /// The section times the sine of the tilt, and its first moment.
    section: f64,
    section_along: f64,
    section_across: f64,
    side: f64,
}

impl Integrals {
    fn add(&mut self, slice: &Slice, weight: f64) {
        let Slice { radius, height, length, half_angle, outline } = *slice;
        let (sine, cosine) = half_angle.sin_cos();
        let length = weight * length;
        let area = radius * radius * segment_share(half_angle) * length;
        self.volume += area;
        self.along += area * height;
        self.across += 2.0 / 3.0 * (radius * sine).powi(3) * length;
        let strip = 2.0 * radius * sine * length;
        self.section += strip;
        self.section_along += strip * height;
        self.section_across += strip * radius * cosine;
        self.side += 2.0 * half_angle * radius * outline * length;
    }

    fn plus(&self, other: &Integrals) -> Integrals {
        Integrals {
            volume: self.volume + other.volume,
            along: self.along + other.along,
            across: self.across + other.across,
            section: self.section + other.section,
            section_along: self.section_along + other.section_along,
            section_across: self.section_across + other.section_across,
            side: self.side + other.side,
        }
    }
}

/// The plane as the discs see it, z = height + cosine h - sine x, x across the axis down the steepest way; and what is found.
struct Sums {
    height: f64,
    cosine: f64,
    sine: f64,
    integrals: Integrals,
    flat_ends: f64,
    /// The disc in the plane of a body whose axis is along the normal: its area, and its height along the axis.
    level: Option<(f64, f64)>,
}

impl Sums {
    fn new(pose: &Pose) -> Sums {
        let axis = pose.orientation * DVec3::Z;
        let across = axis.truncate().length();
        let length = across.hypot(axis.z);
        let sine = if across < UPRIGHT { 0.0 } else { across / length };
        Sums {
            height: pose.position.z,
            cosine: axis.z / length,
            sine,
            integrals: Integrals::default(),
            flat_ends: 0.0,
            level: None,
        }
    }

    /// A disc with how deep it reaches below the plane, and how high above.
    fn disc(&self, way: f64, radius: f64, height: f64) -> Disc {
        let (reach, along) = ((self.sine, radius), (self.cosine, height));
        Disc {
            way: [way, 1.0 - way],
            radius,
            height,
            below: sum_of_products([reach, (-along.0, along.1)], -self.height),
            above: sum_of_products([reach, along], self.height),
        }
    }

    /// Adds the side of a truncated cone or a cylinder.
    fn add_side(&mut self, heights: [f64; 2], radii: [f64; 2]) {
        let ends = [self.disc(0.0, radii[0], heights[0]), self.disc(1.0, radii[1], heights[1])];
        let length = heights[1] - heights[0];
        let between = |of: fn(&Disc) -> f64| {
            let values = ends.each_ref().map(of);
            ((values[0] > 0.0) != (values[1] > 0.0)).then(|| {
                let way = [values[0] / (values[0] - values[1]), values[1] / (values[1] - values[0])];
                let mean = |of: fn(&Disc) -> f64| way[1] * of(&ends[0]) + way[0] * of(&ends[1]);
                Disc { way, radius: mean(|d| d.radius), height: mean(|d| d.height), below: 0.0, above: 0.0 }
            })
        };
        let (comes, goes) = (between(|disc| disc.below), between(|disc| disc.above));
        // Between the two the discs are cut, and how far they are apart is no difference of the two.
        let apart = {
            let [a, b] = &ends;
            let crossed = a.radius * b.below - b.radius * a.below;
            2.0 * self.sine * crossed / ((a.below - b.below) * (a.above - b.above))
        };
        if let (0.0, Some(disc)) = (self.sine, comes) {
            self.level = Some((PI * disc.radius * disc.radius, disc.height));
        }
        let whole = |disc: Disc| 2.0 * self.sine * disc.radius;
        let comes = comes.map(|disc| Disc { above: whole(disc), ..disc });
        let goes = goes.map(|disc| Disc { below: whole(disc), ..disc });
        let mut breaks: Vec<Disc> = Vec::with_capacity(4);
        breaks.extend([Some(ends[0]), comes, goes, Some(ends[1])].into_iter().flatten());
        breaks.sort_by(|a, b| a.way[0].total_cmp(&b.way[0]));
        let slope = (radii[1] - radii[0]) / length;
        let outline = 1f64.hypot(slope);
        for (place, pair) in breaks.windows(2).enumerate() {
            let [from, to] = [pair[0], pair[1]];
            let (is_first, is_last) = (place == 0, place + 2 == breaks.len());
            let share = match (is_first, is_last) {
                (true, true) => 1.0,
                (true, false) => to.way[0],
                (false, true) => from.way[1],
                (false, false) => apart.abs(),
            };
            let width = share * length;
            if width.is_nan() || width <= 0.0 || from.below + to.below <= 0.0 {
                continue;
            }
            if from.above + to.above <= 0.0 {
                self.add_whole(width, |w| {
                    let radius = (1.0 - w) * from.radius + w * to.radius;
                    (radius, from.height + w * width, 1.0, outline)
                });
            } else if radii[0] == radii[1] {
                let before = self.integrals;
                self.add_cut_cylinder(&from, &to, width);
                if !is_first && !is_last {
                    // All of an ellipse, whose middle is on the axis: what rounding would put it aside by would tip a stack.
                    let section = PI * from.radius * from.radius * self.sine / self.cosine.abs();
                    let middle = from.height + 0.5 * width;
                    self.integrals.section = before.section + section;
                    self.integrals.section_along = before.section_along + section * middle;
                    self.integrals.section_across = before.section_across;
                }
            } else {
                let mean = |a: f64, b: f64, w: f64, v: f64| (v * a + w * b).max(0.0);
                self.add_cut(|w, v| Slice {
                    radius: mean(from.radius, to.radius, w, v),
                    height: from.height + w * width,
                    length: width,
                    half_angle: 2.0
                        * mean(from.below, to.below, w, v).sqrt().atan2(mean(from.above, to.above, w, v).sqrt()),
                    outline,
                });
            }
        }
    }

    /// Adds the flat ends' areas below the plane.
    fn add_ends(&mut self, heights: [f64; 2], radii: [f64; 2]) {
        for (height, radius) in heights.into_iter().zip(radii) {
            let disc = self.disc(0.0, radius, height);
            if disc.below > 0.0 {
                let half_angle = 2.0 * disc.below.sqrt().atan2(disc.above.max(0.0).sqrt());
                self.flat_ends += radius * radius * segment_share(half_angle);
            }
        }
    }

    /// Adds a dome at one end: a piece of a ball around a place on the axis, from its tip to a seam of a radius at a height.
    fn add_dome(&mut self, side: f64, centre: f64, radius: f64, [seam_radius, seam_height]: [f64; 2]) {
        let seam = seam_radius.atan2(seam_height - centre);
        let cosine = side * self.cosine;
        // How deep the whole ball is, and how high.
        let below = sum_of_products([(1.0, radius), (-cosine, centre)], -self.height).min(2.0 * radius);
        let above = sum_of_products([(1.0, radius), (cosine, centre)], self.height).min(2.0 * radius);
        if below.is_nan() || below <= 0.0 {
            return;
        }
        // Half the angle of the cap below the plane and the tilt of the dome, seen from the ball's centre, and what they lack of
        // half a turn.
        let cap = 2.0 * below.sqrt().atan2(above.max(0.0).sqrt());
        let cap_left = 2.0 * above.max(0.0).sqrt().atan2(below.sqrt());
        let (tilt, tilt_left) = (self.sine.atan2(-cosine), self.sine.atan2(cosine));
        let first = (cap - tilt).abs();
        let last = if cap < tilt_left { cap + tilt } else { cap_left + tilt_left };
        let disc = |angle: f64| (radius * angle.sin(), side * (centre + radius * angle.cos()));
        let mut add_whole = |from: f64, to: f64| {
            let width = to - from;
            if width > 0.0 {
                self.add_whole(width, |w| {
                    let (across, height) = disc(from + w * width);
                    (across, height, across, radius / across)
                });
            }
        };
        if cap > tilt {
            add_whole(0.0, first.min(seam));
        }
        if cap >= tilt_left {
            add_whole(last.min(seam), seam);
        }
        if self.sine == 0.0 {
            // By the same numbers as the side: of the two just one has the plane.
            let is_below = |radius: f64, height: f64| self.disc(0.0, radius, side * height).below > 0.0;
            if is_below(seam_radius, seam_height) != is_below(0.0, centre + radius) {
                let (across, height) = disc(first.min(seam));
                self.level = Some((PI * across * across, height));
            }
            return;
        }
        let all = 2.0 * cap.min(tilt).min(cap_left).min(tilt_left);
        // How far the seam is from either end, by the same numbers as the side: a strip that is narrower than the rounding of
        // an angle would otherwise get lost between the two.
        let at_seam = self.disc(0.0, seam_radius, side * seam_height);
        let near = |angle: f64, product: f64, other: f64| {
            let sine = product / (2.0 * radius * (0.5 * other).sin());
            if angle.abs() < 1e-3 && sine.abs() < 1e-3 { 2.0 * sine.asin() } else { angle }
        };
        let passed = if cap > tilt {
            near(seam - first, at_seam.above, cap_left + tilt_left - seam)
        } else {
            near(seam - first, at_seam.below, cap + tilt - seam)
        };
        let ahead = if cap < tilt_left {
            near(last - seam, at_seam.below, cap + seam - tilt)
        } else {
            near(last - seam, at_seam.above, seam + tilt - cap)
        };
        let (width, beyond) = if ahead <= 0.0 { (all, 0.0) } else { (passed.min(all), ahead) };
        if width.is_nan() || width <= 0.0 || passed <= 0.0 {
            return;
        }
        // What is below goes as the sines of half the angles from where the cap begins and to where it ends, what is above
        // as those from where the discs are all below and to where they are again.
        let (since_cap, since_whole) = (2.0 * (cap - tilt).max(0.0), 2.0 * (tilt - cap).max(0.0));
        let until_cap = 2.0 * (cap - tilt_left).max(0.0) + beyond;
        let until_whole = 2.0 * (tilt_left - cap).max(0.0) + beyond;
        self.add_cut(|w, v| {
            let (since, until) = (w * width, v * width);
            let (across, height) = disc(first + since);
            let sine = |angle: f64| (0.5 * angle).sin().max(0.0);
            let below = sine(since_cap + since) * sine(until_cap + until);
            let above = sine(since_whole + since) * sine(until_whole + until);
            Slice {
                radius: across,
                height,
                length: across * width,
                half_angle: 2.0 * below.sqrt().atan2(above.sqrt()),
                outline: radius / across,
            }
        });
    }

    /// Adds discs that are all below: radius, height, growth of the height and of the outline at a share of the way.
    fn add_whole(&mut self, width: f64, at: impl Fn(f64) -> (f64, f64, f64, f64)) {
        for (x, weight, _) in KRONROD_15 {
            let (radius, height, growth, outline) = at(0.5 * (1.0 + x));
            let length = 0.5 * weight * width * growth;
            let area = PI * radius * radius * length;
            self.integrals.volume += area;
            self.integrals.along += area * height;
            self.integrals.side += 2.0 * PI * radius * outline * length;
        }
    }

    /// Adds discs of a cylinder that are cut, in the half angle of their segments.
    fn add_cut_cylinder(&mut self, from: &Disc, to: &Disc, width: f64) {
        let half = |disc: &Disc| disc.below.max(0.0).sqrt().atan2(disc.above.max(0.0).sqrt());
        let (first, last) = (2.0 * half(from), 2.0 * half(to));
        // From the cosines, whose difference is known, not from the angles, which may be nearly the same.
        let cosines = self.cosine * width / (self.sine * from.radius);
        let turned = -2.0 * (cosines / (first.sin() + last.sin())).atan();
        let middle = (0.5 * (first + last)).sin();
        for (x, weight, _) in KRONROD_15 {
            let (w, v) = (0.5 * (1.0 + x), 0.5 * (1.0 - x));
            let half_angle = v * first + w * last;
            let way =
                w * (0.5 * (half_angle + first)).sin() / middle * over_sine(0.5 * turned) / over_sine(0.5 * w * turned);
            let slice = Slice {
                radius: from.radius,
                height: from.height + way * width,
                length: width * half_angle.sin() / middle * over_sine(0.5 * turned),
                half_angle,
                outline: 1.0,
            };
            self.integrals.add(&slice, 0.5 * weight);
        }
    }

    /// Adds discs that are cut, given by a share of the way and what is left of it.
    fn add_cut(&mut self, at: impl Fn(f64, f64) -> Slice) {
        let panel = |from: f64, width: f64| {
            let (mut fine, mut coarse) = (Integrals::default(), Integrals::default());
            for (x, weight, coarse_weight) in KRONROD_15 {
                let u = from + 0.5 * (1.0 + x) * width;
                let left = 1.0 - u;
                let slice = at(u * u * (3.0 - 2.0 * u), left * left * (1.0 + 2.0 * u));
                let growth = 3.0 * u * left * width;
                fine.add(&slice, weight * growth);
                coarse.add(&slice, coarse_weight * growth);
            }
            (fine, coarse)
        };
        let mut sums = Integrals::default();
        let mut open = vec![(0.0, 0)];
        while let Some((from, halvings)) = open.pop() {
            let width = 0.5f64.powi(halvings);
            let (fine, coarse) = panel(from, width);
            // What is a small part of the whole need not be as good.
            let whole = sums.plus(&fine);
            let differ = |fine: f64, coarse: f64, whole: f64| (fine - coarse).abs() > RULES_AGREE * whole;
            let is_rough =
                differ(fine.volume, coarse.volume, whole.volume) || differ(fine.section, coarse.section, whole.section);
            if is_rough && halvings < MOST_HALVINGS {
                open.extend([(from + 0.5 * width, halvings + 1), (from, halvings + 1)]);
            } else {
                sums = whole;
            }
        }
        self.integrals = self.integrals.plus(&sums);
    }

    fn region(&self, pose: &Pose) -> Option<OverlapRegion> {
        let found = &self.integrals;
        if found.volume.is_nan() || found.volume <= 0.0 {
            return None;
        }
        let axis = pose.orientation * DVec3::Z;
        // Down the steepest way across the axis.
        let down = if self.sine > 0.0 {
            (axis.truncate() * (self.cosine / self.sine)).extend(-self.sine)
        } else {
            DVec3::ZERO
        };
        let point = |h: f64, x: f64| pose.position + h * axis + x * down;
        let (section, middle) = match self.level {
            Some((area, height)) => (area, point(height, 0.0)),
            None if found.section > 0.0 => (
                found.section / self.sine,
                point(found.section_along / found.section, found.section_across / found.section),
            ),
            None => (0.0, pose.position),
        };
        let vector_area = DVec3::NEG_Z * section;
        Some(OverlapRegion {
            volume: found.volume,
            centroid: point(found.along / found.volume, found.across / found.volume),
            surface_area: found.side + self.flat_ends + section,
            vector_area,
            first_moment: middle.cross(vector_area),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::quadrature::{RayWorkspace, half_space_by_rays};
    use super::super::{Workspace, overlap_half_space_from};
    use super::*;
    use crate::oracle::Sequence;
    use crate::{Shape, Superquadric};
    use glam::DQuat;

    fn samples() -> [Shape; 6] {
        [
            Shape::Cylinder(Cylinder { radius: 0.6, half_height: 0.7 }),
            Shape::Capsule(Capsule { radius: 0.5, half_height: 0.6 }),
            Shape::TruncatedCone(TruncatedCone { lower_radius: 0.9, upper_radius: 0.3, height: 1.2 }),
            Shape::TruncatedCone(TruncatedCone { lower_radius: 0.0, upper_radius: 0.8, height: 1.0 }),
            Shape::Tablet(Tablet { radius: 0.8, half_height: 0.2, dome_height: 0.3 }),
            Shape::Superquadric(Superquadric { semi_axes: DVec3::new(0.9, 0.4, 0.6), n1: 2.0, n2: 2.0 }),
        ]
    }

    /// At a share of the height below the plane.
    fn sunk(shape: &Shape, orientation: DQuat, share: f64) -> Pose {
        let end = |direction: DVec3| (orientation * shape.support(orientation.inverse() * direction)).z;
        let (lowest, highest) = (end(DVec3::NEG_Z), end(DVec3::Z));
        Pose::new(DVec3::new(0.3, -0.2, -lowest - share * (highest - lowest)), orientation)
    }

    #[test]
    fn agrees_with_rays() {
        let (mut rays, mut workspace) = (RayWorkspace::default(), Workspace::default());
        for (k, shape) in samples().into_iter().enumerate() {
            let mut random = Sequence::new(7000 + k as u64);
            for _ in 0..20 {
                let pose = sunk(&shape, random.orientation(), random.between_in_ratio(1e-4, 0.98));
                let found = overlap_half_space_from(&shape, &pose, &mut workspace).unwrap().unwrap();
                let Ok(Some(truth)) = half_space_by_rays(&shape, &pose, 1e-8, &mut rays) else { continue };
                let area = truth.surface_area;
                for (name, error) in [
                    ("volume", (found.volume / truth.volume - 1.0).abs()),
                    ("centroid", (found.centroid - truth.centroid).length()),
                    ("surface area", (found.surface_area / area - 1.0).abs()),
                    ("vector area", (found.vector_area - truth.vector_area).length() / area),
                    ("first moment", (found.first_moment - truth.first_moment).length() / area),
                ] {
                    assert!(error < 1e-6, "{} {name}: {error:e} {pose:?}", shape.name());
                }
            }
        }
    }

    #[test]
    fn upright_lying_and_sunken_bodies() {
        let mut workspace = Workspace::default();
        for shape in samples() {
            let mass = shape.mass_properties();
            for orientation in [DQuat::IDENTITY, DQuat::from_rotation_x(PI), DQuat::from_rotation_y(0.5 * PI)] {
                let mut get = |pose: &Pose| overlap_half_space_from(&shape, pose, &mut workspace).unwrap();
                // Two parts that make a whole, one of them from the other side, and a tilt that is nearly none.
                let pose = sunk(&shape, orientation, 0.3);
                let over = DQuat::from_rotation_x(PI);
                let turned = Pose::new(over * pose.position, over * pose.orientation);
                let (part, rest) = (get(&pose).unwrap(), get(&turned).unwrap());
                assert!(((part.volume + rest.volume) / mass.volume - 1.0).abs() < 1e-8, "{}", shape.name());
                assert!((part.vector_area - rest.vector_area).length() < 1e-7 * part.surface_area, "{}", shape.name());
                for tilt in [1e-9, 1e-7, 1e-5] {
                    let tilted = Pose::new(pose.position, DQuat::from_rotation_x(tilt) * pose.orientation);
                    let near = get(&tilted).unwrap();
                    assert!((near.volume / part.volume - 1.0).abs() < 10.0 * tilt + 1e-8, "{} {tilt}", shape.name());
                    let change = (near.first_moment - part.first_moment).length() / part.surface_area;
                    assert!(change < 10.0 * tilt + 1e-7, "{} {tilt}: {change}", shape.name());
                }
                assert!(get(&sunk(&shape, orientation, -1e-3)).is_none());
                let whole = get(&sunk(&shape, orientation, 1.001)).unwrap();
                assert!((whole.volume / mass.volume - 1.0).abs() < 1e-8, "{}", shape.name());
                assert!(whole.vector_area.length() < 1e-12, "{}", shape.name());
            }
        }
    }

    /// Simpson's rule over [0, 1].
    fn integral(of: impl Fn(f64) -> f64) -> f64 {
        const N: usize = 400;
        let weight = |k: usize| if k == 0 || k == N { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
        (0..=N).map(|k| weight(k) * of(k as f64 / N as f64)).sum::<f64>() / (3.0 * N as f64)
    }

    /// The plane as discs see it, for numbers without rounding.
    fn seen(height: f64, cosine: f64, sine: f64) -> Sums {
        Sums { height, cosine, sine, integrals: Integrals::default(), flat_ends: 0.0, level: None }
    }

    /// Volume, section times sine, and the first moment of that across the axis, of the discs of a cone between its lower end
    /// and a height above that: by chords, each of a distance from the disc's lowest point, all of them sums of what is positive.
    fn by_chords(radius: f64, slope: f64, below: f64, [cosine, sine]: [f64; 2], to: f64) -> [f64; 3] {
        let disc = |t: f64| (radius + slope * t, (below - (cosine - sine * slope) * t).max(0.0) / sine);
        // Both substitutions take out the roots at the ends.
        let over_discs = |of: &dyn Fn(f64, f64) -> f64| {
            integral(|u| {
                let (radius, depth) = disc(to * (1.0 - u * u));
                2.0 * u * to * of(radius, depth)
            })
        };
        let chord = |radius: f64, y: f64| 2.0 * (y * (2.0 * radius - y)).max(0.0).sqrt();
        let area = |radius: f64, depth: f64| integral(|v| 2.0 * v * depth * chord(radius, depth * v * v));
        [over_discs(&area), over_discs(&chord), over_discs(&|radius, depth| chord(radius, depth) * (radius - depth))]
    }

    fn assert_ten_digits(found: f64, truth: f64, what: &str) {
        let error = (found / truth - 1.0).abs();
        assert!(error < 1e-10, "{what}: {found:e} is off by {error:.1e} from {truth:e}");
    }

    /// Thin wedges lost their digits at 1e-7 of the size, and a tilt below 1e-8 was none at all: grains that stand on an end under
    /// the volume law, sunk in by 1e-10 of their size, crept down slopes that they ought to stay on.
    #[test]
    fn cylinders_and_cones_sunk_in_by_a_billionth_keep_ten_digits() {
        for depth in [2f64.powi(-10), 2f64.powi(-20), 2f64.powi(-30), 2f64.powi(-36)] {
            for radii in [[1.0, 1.0], [1.0, 0.5], [0.5, 1.0]] {
                let slope = radii[1] - radii[0];
                // On a rim, tilted by much and by so little that the wedge goes over half the end or more; and on the side. The
                // numbers are such that nothing is rounded. (They need not be of a unit normal.)
                let even = depth / radii[0];
                for [cosine, sine] in [[0.75, 0.625], [1.0, even], [1.0, 0.75 * even], [slope + 0.25 * depth, 1.0]] {
                    let mut sums = seen(cosine * 0.5 + sine * radii[0] - depth, cosine, sine);
                    sums.add_side([-0.5, 0.5], radii);
                    let to = (depth / (cosine - sine * slope)).min(1.0);
                    let truth = by_chords(radii[0], slope, depth, [cosine, sine], to);
                    let case = |name: &str| format!("{name}, radii {radii:?}, depth {depth:.0e}, {cosine} {sine:e}");
                    let found = &sums.integrals;
                    assert_ten_digits(found.volume, truth[0], &case("volume"));
                    assert_ten_digits(found.section, truth[1], &case("section"));
                    let (moment, of_truth) = (found.section_across / found.section, truth[2] / truth[1]);
                    assert!((moment - of_truth).abs() < 1e-10, "{}: {moment} {of_truth}", case("moment"));
                }
            }
        }
    }

    #[test]
    fn capsules_and_tablets_sunk_in_by_a_billionth_keep_ten_digits() {
        let tablet = Tablet { radius: 0.75, half_height: 0.25, dome_height: 0.25 };
        let capsule = Capsule { radius: 0.5, half_height: 0.75 };
        for depth in [2f64.powi(-10), 2f64.powi(-20), 2f64.powi(-30), 2f64.powi(-36)] {
            // A dome, level and tilted: what is below is a cap of its ball, whatever the tilt.
            for tilt in [0.0, 0.5 * depth, 1e-3, 0.25] {
                let orientation = DQuat::from_rotation_x(PI) * DQuat::from_rotation_y(tilt);
                let cosine = Sums::new(&Pose::new(DVec3::ZERO, orientation)).cosine;
                for (radius, centre, is_tablet) in
                    [(tablet.dome_radius(), tablet.dome_centre(), true), (capsule.radius, capsule.half_height, false)]
                {
                    let pose = Pose::new(DVec3::Z * (radius - cosine * centre - depth), orientation);
                    let found = if is_tablet {
                        overlap_tablet_half_space(&tablet, &pose)
                    } else {
                        overlap_capsule_half_space(&capsule, &pose)
                    };
                    let found = found.unwrap();
                    // As deep as the rounded pose has it.
                    let depth = sum_of_products([(1.0, radius), (-cosine, centre)], -pose.position.z);
                    let cap = super::super::SphericalCap { radius, height: depth };
                    assert_ten_digits(found.volume, cap.volume(), &format!("volume at {depth:e}, {tilt}"));
                    let section = -found.vector_area.z;
                    assert_ten_digits(section, cap.base_area(), &format!("section at {depth:e}, {tilt}"));
                    // The line of force goes through the middle of the ball.
                    let aside = found.first_moment / section - (centre * (orientation * DVec3::Z)).cross(DVec3::NEG_Z);
                    assert!(aside.length() < 1e-10, "{aside} at {depth:e}, {tilt}");
                }
            }
            // On its side: half of a cap at either end and a trough between.
            let pose = Pose::new(DVec3::Z * (capsule.radius - depth), DQuat::from_rotation_y(0.5 * PI));
            let found = overlap_capsule_half_space(&capsule, &pose).unwrap();
            let cap = super::super::SphericalCap { radius: capsule.radius, height: depth };
            let chord = |y: f64| 2.0 * (y * (2.0 * capsule.radius - y)).sqrt();
            let trough = 2.0 * capsule.half_height * integral(|v| 2.0 * v * depth * chord(depth * v * v));
            assert_ten_digits(found.volume, cap.volume() + trough, &format!("trough at {depth:e}"));
            let section = cap.base_area() + 2.0 * capsule.half_height * chord(depth);
            assert_ten_digits(-found.vector_area.z, section, &format!("section of the trough at {depth:e}"));
        }
    }
}
