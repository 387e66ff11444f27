//! The edge representation of the common region: the convex hull of the curves in which bases meet the other cylinder.
//!
//! At most two bases are taken: both of one cylinder if both meet the other, otherwise one of each. Where only one base
//! takes part, the far end of the region along that base's axis joins as a point. The region of two long rods has no base in it
//! (the paper holds that there is always one); its farthest points along the axes of both frames stand for it.
//!
//! An approximation from within, for every edge between the two sides is left out: less than a hundredth of the volume is
//! missing for thin discs, about half of it for long rods, and nearly all where a base cuts a corner off a side contact. Feng, Han and Owen (2017), section 3.4.

use super::layered::FengRegion;
use super::region::{Extent, Pair};
use super::slice::SlicePlane;
use crate::{Aabb, Polyhedron, convex_hull};
use glam::DVec3;

/// A base that meets the other cylinder.
struct Base {
    outline: Vec<DVec3>,
    /// 1 for the upper base.
    side: f64,
}

/// The bases of the first cylinder that meet the second, in the first frame.
fn bases(pair: &Pair, n_points: usize) -> Vec<Base> {
    let at = |side: f64| {
        let slice = pair.slice(side * pair.first.half_height)?;
        Some(Base { outline: slice.outline(n_points), side })
    };
    [at(-1.0), at(1.0)].into_iter().flatten().collect()
}

/// The region as a hull; `None` if it has no volume.
pub(super) fn edge_region(pair: &Pair, extent: &Extent, n_points: usize) -> Option<FengRegion> {
    let swapped = pair.swapped();
    // A point of the swapped frame: its second frame is the first one with x and y turned round.
    let back = |p: DVec3| {
        let q = swapped.frame.to_second(p);
        DVec3::new(-q.x, -q.y, q.z)
    };
    let (own, others) = (bases(pair, n_points), bases(&swapped, n_points));
    let mut points: Vec<DVec3> = Vec::new();
    let peak = |extent: &Extent, side: f64| if side > 0.0 { extent.lowest } else { extent.highest };
    match (own.as_slice(), others.as_slice()) {
        ([lower, upper], _) => points.extend(lower.outline.iter().chain(&upper.outline)),
        (_, [lower, upper]) => points.extend(lower.outline.iter().chain(&upper.outline).copied().map(back)),
        ([one], [other]) => {
            points.extend(&one.outline);
            points.extend(other.outline.iter().copied().map(back));
        }
        ([one], _) => {
            points.extend(&one.outline);
            points.push(peak(extent, one.side));
        }
        (_, [other]) => {
            points.extend(other.outline.iter().copied().map(back));
            points.push(back(peak(&swapped.extent()?, other.side)));
        }
        _ => {
            let across = swapped.extent()?;
            points.extend([extent.lowest, extent.highest, back(across.lowest), back(across.highest)]);
            points.extend(ends_across(pair));
        }
    }
    // Near the origin a thin region keeps its digits.
    let centre = points.iter().sum::<DVec3>() / points.len() as f64;
    let near: Vec<DVec3> = points.iter().map(|p| *p - centre).collect();
    let hull = convex_hull(&near).ok()?;
    let mass = hull.mass_properties();
    let radii = || points.iter().map(|p| p.truncate().length());
    let bounds = Aabb::of_points(points.iter().copied());
    let is_around_axis = bounds.lower.x < 0.0 && bounds.upper.x > 0.0 && bounds.lower.y < 0.0 && bounds.upper.y > 0.0;
    let crosses_axis = is_around_axis && hull.chord(-centre, DVec3::Z).is_some();
    (mass.volume > 0.0).then(|| FengRegion {
        volume: mass.volume,
        centroid: mass.centroid + centre,
        surface_area: surface_area(&hull),
        bounds,
        radial_range: (
            if crosses_axis { 0.0 } else { radii().fold(f64::INFINITY, f64::min) },
            radii().fold(0.0, f64::max),
        ),
        n_parts: points.len(),
    })
}

/// The farthest points along x and along the y axes of both frames, of a region that no base cuts.
fn ends_across(pair: &Pair) -> [DVec3; 6] {
    let Pair { frame, first, second } = pair;
    let (r1, r2, d) = (first.radius, second.radius, frame.distance);
    // sqrt(r^2 - y^2) + r' = |d| at the end, unless the other cylinder reaches beyond the axis.
    let end = |radius: f64, other: f64| {
        let missing = (d.abs() - other).max(0.0);
        ((radius - missing) * (radius + missing)).max(0.0).sqrt()
    };
    let at = |y: f64, w: f64| {
        let z = frame.centre_12.z + (frame.cosine * (y - frame.centre_12.y) - w) / frame.sine;
        SlicePlane::new(pair, z).middle(y)
    };
    let (y, w, z) = (end(r1, r2), end(r2, r1), frame.offset_1());
    let along_x = [(-r1).max(d - r2), r1.min(d + r2)].map(|x| DVec3::new(x, 0.0, z));
    [along_x[0], along_x[1], at(y, 0.0), at(-y, 0.0), at(0.0, w), at(0.0, -w)]
}

fn surface_area(hull: &Polyhedron) -> f64 {
    hull.faces()
        .iter()
        .map(|face| {
            let corner = |k: usize| hull.vertices()[face.vertices[k] as usize];
            let fan = (1..face.vertices.len() - 1).map(|k| (corner(k) - corner(0)).cross(corner(k + 1) - corner(0)));
            0.5 * fan.sum::<DVec3>().length()
        })
        .sum()
}
