//! The edge representation of the common region: the convex hull of the curves in which bases meet the other cylinder.
//!
//! At most two bases are taken: both of one cylinder if both meet the other, otherwise one of each. Where only one base
//! takes part, the far end of the region along that base's axis joins as a point. The region of two long rods has no base in it
//! (the paper holds that there is always one); its farthest points along the axes of both frames stand for it.
//!
//! No hull of points in general is needed: the outline of a base is a convex ring and, the region being on one side of the
//! base's plane, a face of the hull. One ring and a point make a pyramid; two rings make a drum, whose belt of triangles is
//! found by walking around both at once, in as many steps as there are points ([`super::drum`]).
//!
//! An approximation from within, for every edge between the two sides is left out: less than a hundredth of the volume is
//! missing for thin discs, about half of it for long rods, and nearly all where a base cuts a corner off a side contact. Feng,
//! Han and Owen (2017), section 3.4.

use super::drum::{Faces, Ring};
use super::layered::FengRegion;
use super::region::Pair;
use super::slice::SlicePlane;
use crate::{Aabb, Polyhedron, convex_hull};
use glam::{DVec2, DVec3};

/// A base that meets the other cylinder.
struct Base {
    outline: Vec<DVec3>,
    /// 1 for the upper base.
    side: f64,
}

impl Base {
    /// Its outline as a face of the hull.
    fn ring(&self, place: impl Fn(DVec3) -> DVec3) -> Ring {
        let mut points: Vec<DVec3> = self.outline.iter().copied().map(place).collect();
        // Seen from outside the lower base goes round the other way.
        if self.side < 0.0 {
            points.reverse();
        }
        Ring(points)
    }
}

/// The bases of the first cylinder that meet the second, in the first frame.
fn bases(pair: &Pair, n_points: usize) -> [Option<Base>; 2] {
    [-1.0, 1.0].map(|side| {
        let slice = pair.slice(side * pair.first.half_height)?;
        Some(Base { outline: slice.outline(n_points), side })
    })
}

/// The region as a hull; `None` if it has no volume.
pub(super) fn edge_region(pair: &Pair, n_points: usize) -> Option<FengRegion> {
    edges(pair, n_points)?.region()
}

/// What stands for the region.
pub(super) enum Edges {
    /// Two bases.
    Drum(Ring, Ring),
    /// A base and the far end.
    Pyramid(Ring, DVec3),
    /// The farthest points of a region without a base.
    Ends(Vec<DVec3>),
}

/// The edges of a region, in the first frame.
pub(super) fn edges(pair: &Pair, n_points: usize) -> Option<Edges> {
    let swapped = pair.swapped();
    // A point of the swapped frame: its second frame is the first one with x and y turned round.
    let back = |p: DVec3| {
        let q = swapped.frame.to_second(p);
        DVec3::new(-q.x, -q.y, q.z)
    };
    let same = |p: DVec3| p;
    let own = bases(pair, n_points);
    if let [Some(lower), Some(upper)] = &own {
        return Some(Edges::Drum(lower.ring(same), upper.ring(same)));
    }
    let others = bases(&swapped, n_points);
    if let [Some(lower), Some(upper)] = &others {
        return Some(Edges::Drum(lower.ring(back), upper.ring(back)));
    }
    let one_of = |bases: [Option<Base>; 2]| bases.into_iter().flatten().next();
    Some(match (one_of(own), one_of(others)) {
        (Some(one), Some(other)) => Edges::Drum(one.ring(same), other.ring(back)),
        (Some(one), None) => Edges::Pyramid(one.ring(same), peak(pair, -one.side)?),
        (None, Some(other)) => Edges::Pyramid(other.ring(back), back(peak(&swapped, -other.side)?)),
        (None, None) => {
            let mut points = vec![peak(pair, -1.0)?, peak(pair, 1.0)?];
            points.extend([back(peak(&swapped, -1.0)?), back(peak(&swapped, 1.0)?)]);
            points.extend(ends_across(pair));
            Edges::Ends(points)
        }
    })
}

impl Edges {
    /// All points of the edges.
    pub fn points(&self) -> Vec<DVec3> {
        match self {
            Edges::Drum(a, b) => a.0.iter().chain(&b.0).copied().collect(),
            Edges::Pyramid(base, tip) => base.0.iter().copied().chain([*tip]).collect(),
            Edges::Ends(points) => points.clone(),
        }
    }

    /// Their hull; `None` if it has no volume.
    pub fn region(&self) -> Option<FengRegion> {
        let points = self.points();
        // Near the origin a thin region keeps its digits.
        let centre = points.iter().sum::<DVec3>() / points.len() as f64;
        let (volume, centroid, surface_area) = match self {
            Edges::Drum(a, b) => Faces::of_drum(a, b, centre).measures(),
            Edges::Pyramid(base, tip) => Faces::of_pyramid(base, *tip, centre).measures(),
            Edges::Ends(points) => {
                let near: Vec<DVec3> = points.iter().map(|p| *p - centre).collect();
                let hull = convex_hull(&near).ok()?;
                let mass = hull.mass_properties();
                (mass.volume, mass.centroid + centre, surface_area(&hull))
            }
        };
        // What is flat to rounding has no centre.
        let size = points.iter().map(|p| (*p - centre).abs().max_element()).fold(0.0, f64::max);
        let radii = || points.iter().map(|p| p.truncate().length());
        let least = if surrounds_axis(&points) { 0.0 } else { radii().fold(f64::INFINITY, f64::min) };
        (volume > f64::EPSILON * size * surface_area).then(|| FengRegion {
            volume,
            centroid,
            surface_area,
            bounds: Aabb::of_points(points.iter().copied()),
            radial_range: (least, radii().fold(0.0, f64::max)),
            n_parts: points.len(),
        })
    }
}

/// Whether the hull of some points meets the z axis: no direction of the plane has all of them on one side.
fn surrounds_axis(points: &[DVec3]) -> bool {
    use std::f64::consts::PI;
    let mut angles: Vec<f64> =
        points.iter().map(|p| p.truncate()).filter(|p| *p != DVec2::ZERO).map(|p| p.y.atan2(p.x)).collect();
    angles.sort_by(f64::total_cmp);
    let (Some(&first), Some(&last)) = (angles.first(), angles.last()) else { return true };
    angles.windows(2).all(|pair| pair[1] - pair[0] < PI) && first + 2.0 * PI - last < PI
}

/// The far end of the region along the first axis, upwards or downwards, where both sides meet and no base.
///
/// With y and w the distances of a point from the planes of the axes, z grows with c y - w, and what is common is where
/// sqrt(r1^2 - y^2) + sqrt(r2^2 - w^2) >= |d|. At the end both gradients lie along one line: with w = -r2 t
///
///   y = r1 c t / q,   sqrt(1 - t^2) (r1 / q + r2) = |d|,   q^2 = 1 - s^2 t^2,
///
/// one zero of a falling function of t from 0 to 1.
fn peak(pair: &Pair, side: f64) -> Option<DVec3> {
    let Pair { frame, first, second, .. } = pair;
    let (c, s, d) = (frame.cosine, frame.sine, frame.distance.abs());
    // (1 - t^2) and q^2 without cancellation; at right angles the two are one.
    let cosines = |t: f64| {
        let rest = (1.0 - t) * (1.0 + t);
        let q = (rest + c * c * t * t).sqrt();
        (if c > 0.0 { rest.sqrt() / q } else { 1.0 }, rest.sqrt(), q)
    };
    let (mut lower, mut upper) = (0.0, 1.0);
    for _ in 0..60 {
        let t = 0.5 * (lower + upper);
        let (cosine_1, cosine_2, _) = cosines(t);
        if first.radius * cosine_1 + second.radius * cosine_2 > d {
            lower = t;
        } else {
            upper = t;
        }
    }
    let (_, _, q) = cosines(lower);
    let y = if c > 0.0 { side * first.radius * c * lower / q } else { 0.0 };
    let w = -side * second.radius * lower;
    let z = frame.centre_12.z + (c * (y - frame.centre_12.y) - w) / s;
    let point = SlicePlane::new(pair, z).middle(y);
    let is_between_bases = z.abs() <= first.half_height && frame.to_second(point).z.abs() <= second.half_height;
    if is_between_bases {
        return Some(point);
    }
    // A base that ends the region, and meets the other cylinder in less than rounding leaves.
    let extent = pair.extent()?;
    Some(if side > 0.0 { extent.highest } else { extent.lowest })
}

/// The farthest points along x and along the y axes of both frames, of a region that no base cuts.
fn ends_across(pair: &Pair) -> [DVec3; 6] {
    let Pair { frame, first, second, .. } = pair;
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

pub(super) fn surface_area(hull: &Polyhedron) -> f64 {
    hull.faces()
        .iter()
        .map(|face| {
            let corner = |k: usize| hull.vertices()[face.vertices[k] as usize];
            let fan = (1..face.vertices.len() - 1).map(|k| (corner(k) - corner(0)).cross(corner(k + 1) - corner(0)));
            0.5 * fan.sum::<DVec3>().length()
        })
        .sum()
}
