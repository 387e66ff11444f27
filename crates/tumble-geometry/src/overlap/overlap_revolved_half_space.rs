//! A body of revolution (cylinder, capsule, truncated cone, tablet) and the half-space z <= 0.
//!
//! The body is cut in discs across its axis. With R(h) the radius at height h along the axis and e the direction across
//! the axis that goes down most steeply, the half-space leaves of each disc the segment x . e >= d(h), d linear, of half
//! angle phi = acos(d / R), and
//!
//! V = int R^2 (phi - sin phi cos phi) dh,   section = int 2 R sin phi dh / s,
//!
//! s the sine of the angle between axis and wall normal (for round ends in the angle from the tip instead
//! of h). Where a disc comes into the half-space or goes under (d = R and
//! d = -R) both begin like powers of a square root; those heights are known in closed form, and h = from +
//! (to - from) u^2 (3 - 2 u) makes everything smooth between them. Kronrod's rule with 15 nodes then has 1e-7 or better
//! (the median is 1e-10), and all integrals have the same nodes.
//!
//! Valid for every pose. An axis within 1e-8 rad of the normal counts as along it: the first moment is then off by about
//! that share.

use super::OverlapRegion;
use super::quadrature::KRONROD_15;
use crate::{Capsule, Cylinder, Pose, Tablet, TruncatedCone};
use glam::DVec3;
use std::f64::consts::PI;

/// A smooth piece of the outline.
#[derive(Clone, Copy, Debug)]
enum Outline {
    /// Radius at height zero, and its slope.
    Straight(f64, f64),
    /// Height of the centre, and radius.
    Round(f64, f64),
}

impl Outline {
    /// The variable of the integral at a height: the height itself, or the angle from the tip of a ball, where the radius
    /// begins like a square root of the height.
    fn parameter(self, h: f64) -> f64 {
        match self {
            Outline::Straight(..) => h,
            Outline::Round(centre, radius) => {
                let rise = h - centre;
                -((radius - rise) * (radius + rise)).max(0.0).sqrt().atan2(rise)
            }
        }
    }

    /// Height, radius, and growth of the height with the variable.
    fn at(self, parameter: f64) -> (f64, f64, f64) {
        match self {
            Outline::Straight(radius, slope) => (parameter, (radius + slope * parameter).max(0.0), 1.0),
            Outline::Round(centre, radius) => {
                let (sine, cosine) = parameter.sin_cos();
                (centre + radius * cosine, -radius * sine, -radius * sine)
            }
        }
    }
}

/// A piece of the outline and the heights along the axis between which it lies.
type Piece = (Outline, [f64; 2]);

/// The part of a cylinder at z <= 0.
pub(super) fn overlap_cylinder_half_space(shape: &Cylinder, pose: &Pose) -> Option<OverlapRegion> {
    let ends = [-shape.half_height, shape.half_height];
    overlap_revolved(&[(Outline::Straight(shape.radius, 0.0), ends)], Some(ends), pose)
}

/// The part of a truncated cone at z <= 0.
pub(super) fn overlap_cone_half_space(shape: &TruncatedCone, pose: &Pose) -> Option<OverlapRegion> {
    let slope = (shape.upper_radius - shape.lower_radius) / shape.height;
    let ends = [shape.lower_z(), shape.upper_z()];
    let side = Outline::Straight(shape.lower_radius - slope * shape.lower_z(), slope);
    overlap_revolved(&[(side, ends)], Some(ends), pose)
}

/// The part of a capsule at z <= 0.
pub(super) fn overlap_capsule_half_space(shape: &Capsule, pose: &Pose) -> Option<OverlapRegion> {
    let (radius, seam) = (shape.radius, shape.half_height);
    let pieces = [
        (Outline::Straight(radius, 0.0), [-seam, seam]),
        (Outline::Round(seam, radius), [seam, seam + radius]),
        (Outline::Round(-seam, radius), [-seam - radius, -seam]),
    ];
    overlap_revolved(&pieces, None, pose)
}

/// The part of a tablet at z <= 0.
pub(super) fn overlap_tablet_half_space(shape: &Tablet, pose: &Pose) -> Option<OverlapRegion> {
    let (seam, tip) = (shape.half_height, shape.half_thickness());
    let (centre, radius) = (shape.dome_centre(), shape.dome_radius());
    let pieces = [
        (Outline::Straight(shape.radius, 0.0), [-seam, seam]),
        (Outline::Round(centre, radius), [seam, tip]),
        (Outline::Round(-centre, radius), [-tip, -seam]),
    ];
    overlap_revolved(&pieces, None, pose)
}

/// The plane as the discs see it: z = height + cosine h - sine x, x along e.
struct Cut {
    height: f64,
    cosine: f64,
    sine: f64,
}

/// What is left of a disc.
struct Segment {
    area: f64,
    /// First moment about the disc's centre, along e.
    moment: f64,
    half_angle: f64,
    half_chord: f64,
    /// Distance of the chord from the disc's centre, along e.
    distance: f64,
}

impl Cut {
    fn segment(&self, radius: f64, h: f64) -> Segment {
        let z = self.height + self.cosine * h;
        let reach = self.sine * radius;
        if z >= reach {
            return Segment { area: 0.0, moment: 0.0, half_angle: 0.0, half_chord: 0.0, distance: 0.0 };
        }
        if z <= -reach {
            return Segment { area: PI * radius * radius, moment: 0.0, half_angle: PI, half_chord: 0.0, distance: 0.0 };
        }
        // z and the reach are both lengths times the sine, which may be small.
        let scaled_chord = ((reach - z) * (reach + z)).sqrt();
        let half_angle = scaled_chord.atan2(z);
        let (distance, half_chord) = (z / self.sine, scaled_chord / self.sine);
        Segment {
            area: radius * radius * half_angle - half_chord * distance,
            moment: 2.0 / 3.0 * half_chord.powi(3),
            half_angle,
            half_chord,
            distance,
        }
    }

    /// Heights where the plane touches the outline's discs.
    fn tangents(&self, outline: Outline) -> [f64; 2] {
        match outline {
            Outline::Straight(radius, slope) => [1.0, -1.0]
                .map(|sign| (sign * self.sine * radius - self.height) / (self.cosine - sign * self.sine * slope)),
            Outline::Round(centre, radius) => {
                let q = self.height + self.cosine * centre;
                let across = ((radius - q) * (radius + q)).max(0.0).sqrt();
                [1.0, -1.0].map(|sign| centre - q * self.cosine + sign * self.sine * across)
            }
        }
    }
}

fn overlap_revolved(pieces: &[Piece], flat_ends: Option<[f64; 2]>, pose: &Pose) -> Option<OverlapRegion> {
    let axis = pose.orientation * DVec3::Z;
    let (level, sine) = (axis.truncate(), axis.truncate().length());
    let is_upright = sine < 1e-8;
    // Down the steepest way across the axis.
    let down = if is_upright { DVec3::ZERO } else { (level * (axis.z / sine)).extend(-sine) };
    let sine = if is_upright { 0.0 } else { sine };
    let cut = Cut { height: pose.position.z, cosine: if is_upright { axis.z.signum() } else { axis.z }, sine };
    let (mut volume, mut along, mut across) = (0.0, 0.0, 0.0);
    let (mut section, mut section_along, mut section_across) = (0.0, 0.0, 0.0);
    let mut side = 0.0;
    for &(outline, [from, to]) in pieces {
        let mut breaks = [from, to, from, to];
        for (place, tangent) in breaks[1..3].iter_mut().zip(cut.tangents(outline)) {
            *place = if tangent.is_finite() { tangent.clamp(from, to) } else { from };
        }
        breaks.sort_unstable_by(f64::total_cmp);
        for ends in breaks.windows(2) {
            let [from, to] = [ends[0], ends[1]].map(|h| outline.parameter(h));
            let width = to - from;
            let (middle, radius, _) = outline.at(0.5 * (from + to));
            if width.is_nan() || width <= 0.0 || cut.height + cut.cosine * middle >= sine * radius {
                continue;
            }
            for (x, weight, _) in KRONROD_15 {
                let u = 0.5 * (1.0 + x);
                let (h, radius, growth) = outline.at(from + width * u * u * (3.0 - 2.0 * u));
                let dh = weight * width * growth * 3.0 * u * (1.0 - u);
                let segment = cut.segment(radius, h);
                volume += segment.area * dh;
                along += segment.area * h * dh;
                across += segment.moment * dh;
                let strip = 2.0 * segment.half_chord * dh;
                section += strip;
                section_along += strip * h;
                section_across += strip * segment.distance;
                // Arc length times the length of the outline.
                side += 2.0
                    * segment.half_angle
                    * dh
                    * match outline {
                        Outline::Straight(_, slope) => radius * (1.0 + slope * slope).sqrt(),
                        Outline::Round(_, radius) => radius,
                    };
            }
        }
    }
    if volume.is_nan() || volume <= 0.0 {
        return None;
    }
    let point = |h: f64, x: f64| pose.position + h * axis + x * down;
    let mut surface_area = side;
    if let Some(ends) = flat_ends {
        for (&(outline, _), h) in pieces.iter().zip([ends[0]]).chain(pieces.iter().zip([ends[1]])) {
            if let Outline::Straight(radius, slope) = outline {
                surface_area += cut.segment((radius + slope * h).max(0.0), h).area;
            }
        }
    }
    let mut middle = pose.position;
    if is_upright {
        // One disc is the section, if the plane meets the body.
        let h = -cut.height / cut.cosine;
        let here = pieces.iter().find(|(_, ends)| ends[0] <= h && h <= ends[1]);
        section = here.map_or(0.0, |(outline, _)| match outline {
            Outline::Straight(radius, slope) => PI * (radius + slope * h).powi(2),
            Outline::Round(centre, radius) => PI * (radius - (h - centre)) * (radius + (h - centre)),
        });
        middle = point(h, 0.0);
    } else if section > 0.0 {
        middle = point(section_along / section, section_across / section);
        section /= sine;
    }
    let vector_area = DVec3::NEG_Z * section;
    Some(OverlapRegion {
        volume,
        centroid: point(along / volume, across / volume),
        surface_area: surface_area + section,
        vector_area,
        first_moment: middle.cross(vector_area),
    })
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
}
