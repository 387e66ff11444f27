//! The clump: convex parts held together rigidly. Parts may overlap.

use super::Shape;
use crate::Pose;
use crate::mass::{MassProperties, union_of_parts};
use crate::ray::{Exit, hull, line_in};
use glam::DVec3;
use std::sync::{Arc, OnceLock};

/// Convex parts held together rigidly. Copies share their data.
#[derive(Clone)]
pub struct Clump {
    parts: Arc<[Part]>,
    /// Mass properties, and whether parts overlap. Found when first asked for, since overlaps take a cubature.
    properties: Arc<OnceLock<(MassProperties, bool)>>,
}

impl PartialEq for Clump {
    fn eq(&self, other: &Clump) -> bool {
        self.parts == other.parts
    }
}

impl std::fmt::Debug for Clump {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.debug_struct("Clump").field("parts", &self.parts).finish()
    }
}

/// One part of a clump.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its shape; never a clump.
    pub shape: Shape,
    /// Where it is in the clump.
    pub pose: Pose,
}

impl Clump {
    /// A clump of parts that are known to be convex (no clumps among them).
    pub fn from_trusted_parts(parts: Vec<Part>) -> Clump {
        Clump { parts: parts.into(), properties: Arc::default() }
    }

    /// The same with mass properties that are known already.
    pub(crate) fn with_properties(parts: Vec<Part>, properties: MassProperties, is_overlapping: bool) -> Clump {
        Clump { parts: parts.into(), properties: Arc::new(OnceLock::from((properties, is_overlapping))) }
    }

    /// The parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The point of the parts' common hull farthest along a direction.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let points = self
            .parts
            .iter()
            .map(|part| part.pose.transform_point(part.shape.support(part.pose.inverse_transform_vector(direction))));
        let farther = |best: DVec3, p: DVec3| if p.dot(direction) > best.dot(direction) { p } else { best };
        points.reduce(farther).unwrap_or_default()
    }

    /// Where a ray from inside leaves the union of the parts, and the part it leaves last.
    pub fn exit(&self, origin: DVec3, direction: DVec3) -> Exit {
        let mut exit = Exit { distance: 0.0, normal: direction, piece: 0 };
        let mut is_used = vec![false; self.parts.len()];
        // From part to part: each begins where the ray is still inside some part before it.
        loop {
            let before = exit.distance;
            for (index, part) in self.parts.iter().enumerate() {
                if is_used[index] {
                    continue;
                }
                let (start, along) = line_in(&part.pose, origin, direction);
                let Some((entry, leave)) = part.shape.chord(start, along) else {
                    is_used[index] = true;
                    continue;
                };
                if entry <= exit.distance && leave > exit.distance {
                    let from = entry.max(0.0);
                    let last = part.shape.exit(start + from * along, along);
                    let normal = part.pose.transform_vector(last.normal);
                    exit = Exit { distance: from + last.distance, normal, piece: index as u32 };
                    is_used[index] = true;
                }
            }
            if exit.distance <= before {
                return exit;
            }
        }
    }

    /// Where a line enters the first part and leaves the last.
    pub fn chord(&self, origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
        self.parts.iter().fold(None, |all, part| {
            let (start, along) = line_in(&part.pose, origin, direction);
            hull(all, part.shape.chord(start, along))
        })
    }

    /// Where a line first enters a part, and which.
    pub fn entry(&self, origin: DVec3, direction: DVec3) -> Option<Exit> {
        let mut first: Option<Exit> = None;
        for (index, part) in self.parts.iter().enumerate() {
            let (start, along) = line_in(&part.pose, origin, direction);
            if let Some(entry) = part.shape.entry(start, along)
                && first.is_none_or(|first| entry.distance < first.distance)
            {
                let normal = part.pose.transform_vector(entry.normal);
                first = Some(Exit { distance: entry.distance, normal, piece: index as u32 });
            }
        }
        first
    }

    /// Whether a point lies inside a part.
    pub fn contains(&self, point: DVec3) -> bool {
        self.parts.iter().any(|part| part.shape.contains(part.pose.inverse_transform_point(point)))
    }

    /// Volume, centre and tensor of inertia at unit density of the parts' union: overlaps count once, to 1e-5.
    /// Exact if no parts overlap.
    pub fn mass_properties(&self) -> MassProperties {
        self.properties.get_or_init(|| union_of_parts(&self.parts)).0
    }

    /// Whether parts overlap, or come so close that their boxes do.
    pub fn is_overlapping(&self) -> bool {
        self.properties.get_or_init(|| union_of_parts(&self.parts)).1
    }

    /// Largest distance of a point of the parts from the local origin [m].
    pub fn bounding_radius(&self) -> f64 {
        self.parts
            .iter()
            .map(|part| part.shape.farthest_from(part.pose.inverse_transform_point(DVec3::ZERO)))
            .fold(0.0, f64::max)
    }

    /// The same clump, all lengths multiplied by a factor.
    pub fn scaled(&self, factor: f64) -> Clump {
        let scaled = |part: &Part| Part {
            shape: part.shape.scaled(factor),
            pose: Pose::new(part.pose.position * factor, part.pose.orientation),
        };
        // Found once for all sizes: a cubature for each would cost time and give other last digits.
        let (properties, is_overlapping) = *self.properties.get_or_init(|| union_of_parts(&self.parts));
        let properties = OnceLock::from((properties.scaled(factor), is_overlapping));
        Clump { parts: self.parts.iter().map(scaled).collect(), properties: Arc::new(properties) }
    }
}
