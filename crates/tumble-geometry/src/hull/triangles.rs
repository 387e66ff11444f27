//! The hull as triangles, decided by exact predicates alone.
//!
//! A point sees a triangle if it lies strictly above its plane. The seen triangles of a hull that is convex (coplanar
//! neighbours allowed) form a disc whose rim is never in line with the point, because the point is strictly above the
//! seen triangle at each rim edge: so every new triangle has an area, and the topology is that of a ball at all times. A
//! point of a removed triangle's list that is still outside sees one of the new triangles: if it did not, it would lie
//! in the cone from the new vertex over the old hull and, with the new vertex, strictly above the removed triangle, hence
//! between the new vertex and the old hull, which is inside.
//!
//! Distances in floating point choose which point comes next. A poor choice costs time, not correctness.

use crate::cross::doubled_area;
use glam::DVec3;
use robust::{Coord3D, orient3d};

/// Four points to begin with, or why there are none.
pub(super) enum Simplex {
    /// Four points with a volume, the first three counter-clockwise seen from outside.
    Solid([u32; 4]),
    /// All points are within this distance of one.
    Point(f64),
    /// All points are within this distance of a line.
    Line(f64),
    /// All points are within this distance of a plane.
    Plane(f64),
}

/// Negative if `d` lies strictly above the plane of a, b, c, which are counter-clockwise seen from above. Exact.
fn side(points: &[DVec3], [a, b, c]: [u32; 3], d: u32) -> f64 {
    let coordinates = |v: u32| {
        let DVec3 { x, y, z } = points[v as usize];
        Coord3D { x, y, z }
    };
    orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(d))
}

/// Four points that are far apart: the ends of the longest extent, the point farthest from their line, the point
/// farthest from that plane.
pub(super) fn first_simplex(points: &[DVec3], kept: &[u32], flat: f64) -> Simplex {
    let farthest = |distance: &dyn Fn(DVec3) -> f64| {
        kept.iter().fold((kept[0], f64::NEG_INFINITY), |best, &v| {
            let d = distance(points[v as usize]);
            if d > best.1 { (v, d) } else { best }
        })
    };
    let axis = (0..3).map(|k| {
        let (low, below) = farthest(&|p| -p[k]);
        let (high, above) = farthest(&|p| p[k]);
        (above + below, low, high)
    });
    let (_, a, _) = axis.fold((f64::NEG_INFINITY, 0, 0), |best, next| if next.0 > best.0 { next } else { best });
    let origin = points[a as usize];
    let (b, length) = farthest(&|p| p.distance(origin));
    if length <= flat {
        return Simplex::Point(length);
    }
    let along = (points[b as usize] - origin) / length;
    let (c, width) = farthest(&|p| (p - origin).cross(along).length());
    if width <= flat {
        return Simplex::Line(width);
    }
    let normal = doubled_area(origin, points[b as usize], points[c as usize]).normalize();
    let (d, thickness) = farthest(&|p| (p - origin).dot(normal).abs());
    let solid = side(points, [a, b, c], d);
    if thickness <= flat || solid == 0.0 {
        return Simplex::Plane(thickness);
    }
    Simplex::Solid(if solid > 0.0 { [a, b, c, d] } else { [a, c, b, d] })
}

struct Facet {
    /// Counter-clockwise seen from outside.
    vertices: [u32; 3],
    /// `neighbours[k]` is across the edge from vertex k to vertex k + 1.
    neighbours: [u32; 3],
    /// Points that see this facet and are waiting, the farthest last.
    outside: Vec<u32>,
    is_alive: bool,
}

/// The triangles of the hull, counter-clockwise seen from outside.
pub(super) fn triangle_hull(points: &[DVec3], kept: &[u32], [a, b, c, d]: [u32; 4]) -> Vec<[u32; 3]> {
    let facet = |vertices, neighbours| Facet { vertices, neighbours, outside: Vec::new(), is_alive: true };
    let mut facets = vec![
        facet([a, b, c], [1, 2, 3]),
        facet([b, a, d], [0, 3, 2]),
        facet([c, b, d], [0, 1, 3]),
        facet([a, c, d], [0, 2, 1]),
    ];
    let waiting: Vec<u32> = kept.iter().copied().filter(|v| ![a, b, c, d].contains(v)).collect();
    distribute(points, &mut facets, 0, waiting);
    let mut mark = vec![0u32; 4];
    let mut round = 0;
    let mut pending: Vec<u32> = (0..4).collect();
    while let Some(first) = pending.pop() {
        if !facets[first as usize].is_alive {
            continue;
        }
        let Some(eye) = facets[first as usize].outside.pop() else { continue };
        round += 1;
        // The seen disc, and its rim in the order of a walk around it: (edge, facet beyond, that facet's side).
        let mut orphans: Vec<u32> = Vec::new();
        let mut rim: Vec<([u32; 2], u32)> = Vec::new();
        let mut walk: Vec<(u32, usize, usize)> = vec![(first, 0, 3)];
        mark[first as usize] = round;
        orphans.append(&mut facets[first as usize].outside);
        facets[first as usize].is_alive = false;
        while let Some((index, turn, n_turns)) = walk.pop() {
            let Facet { vertices, neighbours, .. } = facets[index as usize];
            if n_turns > 1 {
                walk.push((index, (turn + 1) % 3, n_turns - 1));
            }
            let beyond = neighbours[turn];
            if mark[beyond as usize] == round {
                continue;
            }
            if side(points, facets[beyond as usize].vertices, eye) < 0.0 {
                mark[beyond as usize] = round;
                facets[beyond as usize].is_alive = false;
                orphans.append(&mut facets[beyond as usize].outside);
                let back = facets[beyond as usize].neighbours.iter().position(|&n| n == index).unwrap_or(0);
                // The edge just crossed needs no visit.
                walk.push((beyond, (back + 1) % 3, 2));
            } else {
                rim.push(([vertices[turn], vertices[(turn + 1) % 3]], beyond));
            }
        }
        let begin = facets.len() as u32;
        let n_new = rim.len() as u32;
        for (k, &([from, to], beyond)) in rim.iter().enumerate() {
            let k = k as u32;
            let (next, previous) = (begin + (k + 1) % n_new, begin + (k + n_new - 1) % n_new);
            // The side of the facet beyond that runs along this edge the other way.
            let across = &mut facets[beyond as usize];
            for side in 0..3 {
                if across.vertices[side] == to && across.vertices[(side + 1) % 3] == from {
                    across.neighbours[side] = begin + k;
                }
            }
            facets.push(facet([from, to, eye], [beyond, next, previous]));
            mark.push(0);
        }
        distribute(points, &mut facets, begin as usize, orphans);
        pending.extend((begin..begin + n_new).filter(|&f| !facets[f as usize].outside.is_empty()));
    }
    facets.iter().filter(|f| f.is_alive).map(|f| f.vertices).collect()
}

/// Gives each point to the first facet from `begin` on that sees it; points that none sees are inside.
fn distribute(points: &[DVec3], facets: &mut [Facet], begin: usize, waiting: Vec<u32>) {
    let mut farthest: Vec<f64> = vec![f64::NEG_INFINITY; facets.len() - begin];
    let planes: Vec<(DVec3, DVec3)> = facets[begin..]
        .iter()
        .map(|f| {
            let [a, b, c] = f.vertices.map(|v| points[v as usize]);
            (a, (b - a).cross(c - a))
        })
        .collect();
    for point in waiting {
        for (k, facet) in facets[begin..].iter_mut().enumerate() {
            if side(points, facet.vertices, point) < 0.0 {
                let (base, normal) = planes[k];
                let height = (points[point as usize] - base).dot(normal);
                facet.outside.push(point);
                if height > farthest[k] {
                    farthest[k] = height;
                } else {
                    let last = facet.outside.len() - 1;
                    facet.outside.swap(last - 1, last);
                }
                break;
            }
        }
    }
}
