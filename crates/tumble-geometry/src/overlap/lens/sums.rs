//! The integrals over a lens: along its rim, and over its shadow.

use super::Four;
use super::frame::{Centre, Frame};
use super::side::Side;
use crate::lanes::{Lanes, Vector};
use crate::overlap::OverlapRegion;
use glam::DVec3;
use std::f64::consts::TAU;

/// Sums over directions, in the units of the frame and about its middle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RimSums {
    /// x cross dx/dphi, and |x|^2 dx/dphi with |x| in metres.
    area: DVec3,
    moment: DVec3,
}

impl RimSums {
    #[inline(always)]
    pub fn add<L: Lanes>(&mut self, rim: &Four, cosine: L, sine: L, units: DVec3) {
        let (radius, change) = (L::load(&rim.radius), L::load(&rim.radius_change));
        let x = Vector { x: radius * cosine, y: radius * sine, z: L::load(&rim.height) };
        let dx = Vector {
            x: change * cosine - radius * sine,
            y: change * sine + radius * cosine,
            z: L::load(&rim.height_change),
        };
        let metres = Vector { x: x.x * L::splat(units.x), y: x.y * L::splat(units.y), z: x.z * L::splat(units.z) };
        let (area, moment) = (x.cross(dx), dx * metres.dot(metres));
        self.area += DVec3::new(area.x.sum(), area.y.sum(), area.z.sum());
        self.moment += DVec3::new(moment.x.sum(), moment.y.sum(), moment.z.sum());
    }
}

/// Where rays are looked at, to which steps of both sides, and whether the area of the surface is wanted.
pub(super) struct Nodes<'r> {
    pub rule: &'r [(f64, f64)],
    pub enough: [f64; 2],
    pub with_surface_area: bool,
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

impl ShadowSums {
    /// Adds four rays. `None` if a side is not found on one of them.
    #[inline(always)]
    pub fn add<L: Lanes>(
        &mut self,
        rim: &Four,
        (cosine, sine): (L, L),
        sides: &[Side; 2],
        centre: &Centre,
        &Nodes { rule, enough, with_surface_area }: &Nodes,
    ) -> Option<()> {
        let (radius, height) = (L::load(&rim.radius), L::load(&rim.height));
        let [upper, lower] = sides;
        let rays = [upper.rays(cosine, sine), lower.rays(cosine, sine)];
        let arcs = [
            Arc::new(centre.heights[0], centre.slopes[0], (cosine, sine), radius, height, L::load(&rim.slopes[0])),
            Arc::new(centre.heights[1], centre.slopes[1], (cosine, sine), radius, height, L::load(&rim.slopes[1])),
        ];
        let (zero, thickness) = (L::splat(0.0), centre.thickness);
        let (mut volume, mut by_parts, mut outwards, mut upwards, mut area) = (zero, zero, zero, zero, zero);
        for &(node, weight) in rule {
            let (share, r) = (L::splat(weight), radius * L::splat(node));
            let above = upper.height(&rays[0], r, arcs[0].at(node), 1.0, enough[0])?;
            let below = lower.height(&rays[1], r, arcs[1].at(node), -1.0, enough[1])?;
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
        self.volume += (volume * shadow).sum();
        self.by_parts += 0.5 * (by_parts * shadow).sum();
        self.moment += DVec3::new((far * cosine).sum(), (far * sine).sum(), 0.5 * (upwards * shadow).sum());
        self.area += (area * shadow).sum();
        Some(())
    }

    pub fn total(parts: &[ShadowSums]) -> ShadowSums {
        parts.iter().fold(ShadowSums::default(), |sum, part| ShadowSums {
            volume: sum.volume + part.volume,
            by_parts: sum.by_parts + part.by_parts,
            moment: sum.moment + part.moment,
            area: sum.area + part.area,
        })
    }
}

/// Hermite's cubic for the height of a side from the middle of the lens to its rim.
struct Arc<L> {
    start: L,
    leaves: L,
    /// Coefficients of the square and the cube.
    square: L,
    cube: L,
}

impl<L: Lanes> Arc<L> {
    #[inline(always)]
    fn new(start: f64, slopes: [f64; 2], (cosine, sine): (L, L), radius: L, end: L, end_slope: L) -> Arc<L> {
        let start = L::splat(start);
        let leaves = (L::splat(slopes[0]) * cosine + L::splat(slopes[1]) * sine) * radius;
        let (arrives, rise) = (end_slope * radius, end - start);
        let (two, three) = (L::splat(2.0), L::splat(3.0));
        Arc { start, leaves, square: three * rise - two * leaves - arrives, cube: leaves + arrives - two * rise }
    }

    #[inline(always)]
    fn at(&self, node: f64) -> L {
        let x = L::splat(node);
        self.start + x * (self.leaves + x * (self.square + x * self.cube))
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
    /// From the sums of as many doublings of the directions.
    pub fn new(around: &[RimSums], within: &[ShadowSums], units: DVec3) -> Measures {
        let step = TAU / f64::from(2u32 << around.len());
        let (width, thickness) = (units.x * units.y * step, units.z);
        let shadow = ShadowSums::total(within);
        let (mut area, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        for sums in around {
            area += sums.area;
            moment += sums.moment;
        }
        Measures {
            volume: shadow.volume * width * thickness,
            moment: shadow.moment * units * (width * thickness),
            surface_area: shadow.area * width,
            // What the units do to a cross product.
            vector_area: area * DVec3::new(units.y * units.z, units.z * units.x, units.x * units.y) * (0.5 * step),
            first_moment: moment * units * (-0.5 * step),
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
