//! From the triangles of a hull to whole faces.
//!
//! Beginning with the largest triangle, a face grows over its neighbours as long as all their corners lie within the
//! tolerance of its plane. Large triangles first, because their planes are the least disturbed by rounding; the slivers
//! that rounding leaves between and within faces are taken up by them. A vertex that is left with fewer than three faces
//! and in line with its neighbours is no vertex.

use crate::cross::doubled_area;
use crate::tolerance::OPPOSITE_FACING;
use glam::DVec3;

/// The faces, each as a loop of vertices counter-clockwise from outside; `None` if some merged region is no disc.
pub(super) fn merged_faces(points: &[DVec3], facets: &[[u32; 3]], tolerance: f64) -> Option<Vec<Vec<u32>>> {
    let corners = |f: usize| facets[f].map(|v| points[v as usize]);
    let neighbours = adjacency(facets)?;
    // Twice the vector area of each triangle.
    let areas: Vec<DVec3> = (0..facets.len())
        .map(|f| {
            let [a, b, c] = corners(f);
            doubled_area(a, b, c)
        })
        .collect();
    let mut order: Vec<usize> = (0..facets.len()).collect();
    order.sort_by(|&f, &g| areas[g].length_squared().total_cmp(&areas[f].length_squared()).then(f.cmp(&g)));
    let mut face_of = vec![u32::MAX; facets.len()];
    let mut n_faces = 0;
    for seed in order {
        if face_of[seed] != u32::MAX {
            continue;
        }
        let normal = areas[seed].try_normalize()?;
        let base = corners(seed)[0];
        let mut stack = vec![seed];
        face_of[seed] = n_faces;
        while let Some(f) = stack.pop() {
            for &g in &neighbours[f] {
                let g = g as usize;
                if face_of[g] != u32::MAX {
                    continue;
                }
                let is_in_plane = corners(g).iter().all(|p| (*p - base).dot(normal).abs() <= tolerance);
                // The far side of a sharp edge may lie within the tolerance as well; it faces the other way.
                let is_sliver = {
                    let [a, b, c] = corners(g);
                    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
                    areas[g].length() <= longest * tolerance
                };
                if is_in_plane && (is_sliver || areas[g].dot(normal) > OPPOSITE_FACING * areas[g].length()) {
                    face_of[g] = n_faces;
                    stack.push(g);
                }
            }
        }
        n_faces += 1;
    }
    let mut loops = boundary_loops(facets, &face_of, &neighbours, n_faces as usize)?;
    drop_vertices_on_edges(points, &mut loops, tolerance);
    Some(loops)
}

/// The neighbour of each triangle across each of its edges; `None` if an edge is not shared by two.
fn adjacency(facets: &[[u32; 3]]) -> Option<Vec<[u32; 3]>> {
    let mut directed: Vec<([u32; 2], u32)> = facets
        .iter()
        .enumerate()
        .flat_map(|(f, &[a, b, c])| [[a, b], [b, c], [c, a]].map(|edge| (edge, f as u32)))
        .collect();
    directed.sort_unstable();
    let across = |from: u32, to: u32| {
        let place = directed.binary_search_by(|(edge, _)| edge.cmp(&[to, from])).ok()?;
        Some(directed[place].1)
    };
    facets.iter().map(|&[a, b, c]| Some([across(a, b)?, across(b, c)?, across(c, a)?])).collect()
}

/// The rim of each face's region; `None` if a rim is not one simple loop.
fn boundary_loops(
    facets: &[[u32; 3]],
    face_of: &[u32],
    neighbours: &[[u32; 3]],
    n_faces: usize,
) -> Option<Vec<Vec<u32>>> {
    let mut rims: Vec<Vec<[u32; 2]>> = vec![Vec::new(); n_faces];
    for (f, vertices) in facets.iter().enumerate() {
        for k in 0..3 {
            if face_of[neighbours[f][k] as usize] != face_of[f] {
                rims[face_of[f] as usize].push([vertices[k], vertices[(k + 1) % 3]]);
            }
        }
    }
    rims.into_iter()
        .map(|mut rim| {
            rim.sort_unstable();
            // A vertex from which two rim edges start is a pinch.
            if rim.len() < 3 || rim.windows(2).any(|pair| pair[0][0] == pair[1][0]) {
                return None;
            }
            let mut ring = vec![rim[0][0]];
            let mut at = rim[0][1];
            while at != ring[0] {
                if ring.len() > rim.len() {
                    return None;
                }
                ring.push(at);
                at = rim[rim.binary_search_by(|edge| edge[0].cmp(&at)).ok()?][1];
            }
            (ring.len() == rim.len()).then_some(ring)
        })
        .collect()
}

/// Takes out vertices that belong to two faces only and are in line with their neighbours there.
fn drop_vertices_on_edges(points: &[DVec3], loops: &mut [Vec<u32>], tolerance: f64) {
    let mut n_faces = vec![0u32; points.len()];
    for &v in loops.iter().flatten() {
        n_faces[v as usize] += 1;
    }
    let mut is_dropped = vec![false; points.len()];
    // Both faces see the same run of vertices, so the decision is made once, in the loop that comes first.
    for ring in loops.iter() {
        let n = ring.len();
        let Some(start) = (0..n).find(|&k| n_faces[ring[k] as usize] > 2) else { continue };
        let mut last = ring[start];
        for k in 1..n {
            let v = ring[(start + k) % n];
            if n_faces[v as usize] > 2 {
                last = v;
                continue;
            }
            if is_dropped[v as usize] {
                continue;
            }
            // In line with the last vertex kept and the next one that will surely stay.
            let next = (k + 1..=n).map(|j| ring[(start + j) % n]).find(|&w| n_faces[w as usize] > 2);
            let ahead = next.unwrap_or(ring[start]);
            let (from, to, p) = (points[last as usize], points[ahead as usize], points[v as usize]);
            let off = (p - from).cross((to - from).normalize_or_zero()).length();
            if off <= tolerance && (p - from).dot(to - from) > 0.0 {
                is_dropped[v as usize] = true;
            } else {
                last = v;
            }
        }
    }
    for ring in loops.iter_mut() {
        ring.retain(|&v| !is_dropped[v as usize]);
    }
}
