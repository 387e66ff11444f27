//! The integrals over a lens: along its rim, and over its shadow.

use super::Four;
use super::frame::{Centre, Frame};
use super::rules::{MOST_NODES, Rule};
use super::side::{Side, SideInLanes, Within};
use crate::lanes::{Lanes, Vector};
use crate::overlap::OverlapRegion;
use glam::DVec3;
use std::f64::consts::TAU;
use std::ops::Add;

/// Sums over directions, in the units of the frame and about its middle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RimSums {
    /// x cross dx/dphi, and |x|^2 dx/dphi with |x| in metres.
    area: DVec3,
    moment: DVec3,
}

/// The same lane by lane.
#[derive(Clone, Copy, Default)]
pub(super) struct RimLanes<L> {
    area: Vector<L>,
    moment: Vector<L>,
}

impl<L: Lanes> RimLanes<L> {
    #[inline(always)]
    pub fn add(&mut self, rim: &Four, (cosine, sine): (L, L), units: DVec3) {
        let (radius, change) = (L::load(&rim.radius), L::load(&rim.radius_change));
        let x = Vector { x: radius * cosine, y: radius * sine, z: L::load(&rim.height) };
        let dx = Vector {
            x: change * cosine - radius * sine,
            y: change * sine + radius * cosine,
            z: L::load(&rim.height_change),
        };
        let metres = Vector { x: x.x * L::splat(units.x), y: x.y * L::splat(units.y), z: x.z * L::splat(units.z) };
        self.area = self.area + x.cross(dx);
        self.moment = self.moment + dx * metres.dot(metres);
    }

    #[inline(always)]
    pub fn sums(&self) -> RimSums {
        RimSums { area: sum(self.area), moment: sum(self.moment) }
    }
}

#[inline(always)]
fn sum<L: Lanes>(lanes: Vector<L>) -> DVec3 {
    DVec3::new(lanes.x.sum(), lanes.y.sum(), lanes.z.sum())
}

/// Where rays are looked at, from how far away one look finds either side, and whether the area of the surface is wanted.
pub(super) struct Nodes {
    pub rule: Rule,
    pub within: [Within; 2],
    pub with_surface_area: bool,
    /// The power of the radius, beside the square, by which the height of a side is guessed.
    powers: [u8; 2],
    /// That power of the nodes.
    raised: [[f64; MOST_NODES]; 2],
}

impl Nodes {
    pub fn new(rule: Rule, sides: &[Side; 2], tolerance: f64, with_surface_area: bool) -> Nodes {
        let powers = [0, 1].map(|side: usize| sides[side].likely_power());
        let mut raised = [[0.0; MOST_NODES]; 2];
        for (power, raised) in powers.iter().zip(&mut raised) {
            for (&(node, _), raised) in rule.iter().zip(raised) {
                let (square, cube) = (node * node, node * node * node);
                *raised = [cube, square * square, square * cube, cube * cube][usize::from(*power) - 3];
            }
        }
        let within = [0, 1].map(|side: usize| sides[side].within(tolerance, with_surface_area));
        Nodes { rule, within, with_surface_area, powers, raised }
    }
}

/// The same over the shadow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ShadowSums {
    pub volume: f64,
    /// The volume by parts.
    pub by_parts: f64,
    moment: DVec3,
    area: f64,
}

/// The same lane by lane.
#[derive(Clone, Copy, Default)]
pub(super) struct ShadowLanes<L> {
    volume: L,
    by_parts: L,
    moment: Vector<L>,
    area: L,
}

impl<L: Lanes> ShadowLanes<L> {
    /// Adds four rays. `None` if a side is not found on one of them.
    #[inline(always)]
    pub fn add<const ANY: bool>(
        &mut self,
        rim: &Four,
        (cosine, sine): (L, L),
        sides: &[SideInLanes<L, ANY>; 2],
        centre: &Centre,
        nodes: &Nodes,
    ) -> Option<()> {
        let &Nodes { rule, within, with_surface_area, powers, ref raised } = nodes;
        let (radius, height) = (L::load(&rim.radius), L::load(&rim.height));
        let [upper, lower] = sides;
        let rays = [upper.rays(cosine, sine), lower.rays(cosine, sine)];
        let arcs = [
            Arc::new(centre, 0, (cosine, sine), radius, height, L::load(&rim.slopes[0]), powers[0]),
            Arc::new(centre, 1, (cosine, sine), radius, height, L::load(&rim.slopes[1]), powers[1]),
        ];
        let (zero, thickness) = (L::splat(0.0), centre.thickness);
        let (mut volume, mut by_parts, mut outwards, mut upwards, mut area) = (zero, zero, zero, zero, zero);
        for (k, &(node, weight)) in rule.iter().enumerate() {
            let (share, r) = (L::splat(weight), radius * L::splat(node));
            let above = upper.height(&rays[0], r, arcs[0].at(node, raised[0][k]), 1.0, within[0])?;
            let below = lower.height(&rays[1], r, arcs[1].at(node, raised[1][k]), -1.0, within[1])?;
            let gap = (above.height - below.height) * share;
            volume += gap;
            by_parts += (below.slope - above.slope) * share * r;
            outwards += gap * L::splat(node);
            upwards += gap * (above.height + below.height);
            if with_surface_area {
                area += (upper.stretch(&above, [1.0, thickness]) + lower.stretch(&below, [-1.0, thickness])) * share;
            }
        }
        let shadow = radius * radius;
        let far = outwards * shadow * radius;
        self.volume += volume * shadow;
        self.by_parts += by_parts * shadow;
        self.moment = self.moment + Vector { x: far * cosine, y: far * sine, z: upwards * shadow };
        self.area += area * shadow;
        Some(())
    }

    #[inline(always)]
    pub fn sums(&self) -> ShadowSums {
        ShadowSums {
            volume: self.volume.sum(),
            by_parts: 0.5 * self.by_parts.sum(),
            moment: sum(self.moment) * DVec3::new(1.0, 1.0, 0.5),
            area: self.area.sum(),
        }
    }
}

impl Add for RimSums {
    type Output = RimSums;

    fn add(self, other: RimSums) -> RimSums {
        RimSums { area: self.area + other.area, moment: self.moment + other.moment }
    }
}

impl Add for ShadowSums {
    type Output = ShadowSums;

    fn add(self, other: ShadowSums) -> ShadowSums {
        ShadowSums {
            volume: self.volume + other.volume,
            by_parts: self.by_parts + other.by_parts,
            moment: self.moment + other.moment,
            area: self.area + other.area,
        }
    }
}

/// The height of a side from the middle of the lens to its rim, by its values and slopes at both ends: a straight line, a square and
/// another power. A cube is right where the side is nearly a parabola, the exponent where it is flat.
struct Arc<L> {
    start: L,
    leaves: L,
    /// Coefficients of the square and of the other power.
    square: L,
    other: L,
}

impl<L: Lanes> Arc<L> {
    #[inline(always)]
    fn new(centre: &Centre, side: usize, (cosine, sine): (L, L), radius: L, end: L, end_slope: L, power: u8) -> Arc<L> {
        let start = L::splat(centre.heights[side]);
        let slopes = centre.slopes[side];
        let leaves = (L::splat(slopes[0]) * cosine + L::splat(slopes[1]) * sine) * radius;
        let (rise, turn) = (end - start - leaves, end_slope * radius - leaves);
        let other = (turn - rise - rise) * L::splat(1.0 / f64::from(power - 2));
        Arc { start, leaves, square: rise - other, other }
    }

    #[inline(always)]
    fn at(&self, node: f64, raised: f64) -> L {
        let x = L::splat(node);
        self.start + x * (self.leaves + x * self.square) + self.other * L::splat(raised)
    }
}

/// What there is to know of a lens, along the axes of its frame and about its middle [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Measures {
    volume: f64,
    /// Integral of the place over the volume.
    moment: DVec3,
    surface_area: f64,
    vector_area: DVec3,
    first_moment: DVec3,
}

impl Measures {
    /// From the sums over the directions of so many doublings.
    pub fn new(doubling: usize, around: &RimSums, shadow: &ShadowSums, units: DVec3) -> Measures {
        let step = TAU / f64::from(4u32 << doubling);
        let (width, thickness) = (units.x * units.y * step, units.z);
        Measures {
            volume: shadow.volume * width * thickness,
            moment: shadow.moment * units * (width * thickness),
            surface_area: shadow.area * width,
            // What the units do to a cross product.
            vector_area: around.area
                * DVec3::new(units.y * units.z, units.z * units.x, units.x * units.y)
                * (0.5 * step),
            first_moment: around.moment * units * (-0.5 * step),
        }
    }

    /// The largest difference, relative to volume, areas and width.
    pub fn difference(&self, other: &Measures, units: DVec3) -> f64 {
        let width = units.x.max(units.y);
        let area = self.vector_area.length();
        [
            (self.volume - other.volume).abs() / self.volume,
            (self.moment - other.moment).length() / (self.volume * width),
            if self.surface_area > 0.0 {
                (self.surface_area - other.surface_area).abs() / self.surface_area
            } else {
                0.0
            },
            (self.vector_area - other.vector_area).length() / area,
            (self.first_moment - other.first_moment).length() / (area * width),
        ]
        .into_iter()
        .fold(0.0, f64::max)
    }

    /// The region in the outer frame, in which the frame's origin is there.
    pub fn region(&self, frame: &Frame, origin: DVec3, with_surface_area: bool) -> Option<OverlapRegion> {
        let middle = origin + frame.axes * DVec3::new(frame.middle[0], frame.middle[1], 0.0);
        let vector_area = frame.axes * self.vector_area;
        let region = OverlapRegion {
            volume: self.volume,
            centroid: middle + frame.axes * (self.moment / self.volume),
            surface_area: if with_surface_area { self.surface_area } else { f64::NAN },
            vector_area,
            first_moment: frame.axes * self.first_moment + middle.cross(vector_area),
        };
        (region.volume > 0.0 && region.first_moment.is_finite()).then_some(region)
    }
}
