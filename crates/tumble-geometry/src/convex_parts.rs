//! Convex parts of a solid, cut from it by planes: an approximate convex decomposition.
//!
//! The concavity of a piece is the volume that its convex hull adds to it. The piece with the largest is cut in two by that plane,
//! of a list, which leaves the least concavity: that of both, and `BALANCE` of the larger besides. (No cut through a ring makes its hulls
//! smaller at first, but one through its middle makes halves that the next cuts can better.) It ends when hulls add no more than a share
//! of the solid, or when there are as many pieces as asked for. The parts are the hulls of the pieces: exact for what planes can cut into convex pieces, such as an
//! L; for round hollows they fill up what is between their corners.
//!
//! A piece is the solid within some half-spaces. Its volume is that of the signed tetrahedra from one point over the triangles of
//! the surface, cut by the planes; the corners of its hull are among the corners of the triangles, cut likewise, and the points
//! where three planes meet inside the solid. Nothing has to be triangulated anew.
//!
//! Planes that are tried: those of the triangles at edges that are hollow, and half way between the two; across the axes, at
//! several places; and through the centre of the piece, turned about each axis.
//!
//! How it fails: greedily, it may need more parts than the least number; a piece may hold two bodies until a later cut parts
//! them.

use crate::error::GeometryError;
use crate::shape::Part;
use crate::solid::Solid;
use crate::{Aabb, Polyhedron, Pose, Shape};
use glam::DVec3;

/// Most parts of a solid.
pub const MOST_PARTS: usize = 64;
/// Hulls that add no more than this share of the solid's volume are good enough [1].
const GOOD_ENOUGH: f64 = 1e-3;
/// How much the larger concavity of two pieces counts besides their sum [1].
const BALANCE: f64 = 0.2;
/// A corner this near to a plane, over the size of the solid, lies on it [1].
const ON_PLANE: f64 = 1e-10;
/// Cuts across each axis, and turned about each, that are tried.
const CUTS_ACROSS: usize = 9;
const CUTS_ABOUT: usize = 8;
/// Hollow edges, the sharpest and longest first, whose planes are tried.
const HOLLOW_EDGES: usize = 24;

/// The convex parts of a solid.
#[derive(Clone, Debug)]
pub struct ConvexParts {
    /// The parts, each in a frame at its own centre.
    pub parts: Vec<Part>,
    /// Volume of all hulls together over that of the solid, less one [1]: a bound for what their union adds.
    pub added_volume: f64,
}

/// A plane with a unit normal: everything at or below the offset is behind it.
#[derive(Clone, Copy, Debug)]
struct Plane {
    normal: DVec3,
    offset: f64,
}

impl Plane {
    fn flipped(self) -> Plane {
        Plane { normal: -self.normal, offset: -self.offset }
    }
}

/// A polygon of the surface, with its outward normal.
#[derive(Clone, Debug)]
struct Facet {
    corners: Vec<DVec3>,
    normal: DVec3,
}

/// What of the solid is behind some planes.
struct Piece {
    planes: Vec<Plane>,
    facets: Vec<Facet>,
    /// Tetrahedra, each with the sign of its volume.
    tetrahedra: Vec<(f64, [DVec3; 4])>,
    volume: f64,
    hull: Polyhedron,
    hull_volume: f64,
    /// No plane makes it better.
    is_final: bool,
}

impl Piece {
    fn concavity(&self) -> f64 {
        self.hull_volume - self.volume
    }
}

/// Cuts a solid into at most so many convex parts; fewer where their hulls add almost nothing.
pub fn convex_parts(solid: &Solid, most_parts: usize) -> Result<ConvexParts, GeometryError> {
    let work = Work::new(solid);
    let mut pieces = vec![work.whole().ok_or(GeometryError::SolidNotCut)?];
    let total = solid.mass_properties().volume;
    while pieces.len() < most_parts.clamp(1, MOST_PARTS) {
        let added: f64 = pieces.iter().map(Piece::concavity).sum();
        let worst = (0..pieces.len())
            .filter(|&k| !pieces[k].is_final)
            .max_by(|&i, &j| pieces[i].concavity().total_cmp(&pieces[j].concavity()).then(j.cmp(&i)));
        let Some(worst) = worst.filter(|_| added > GOOD_ENOUGH * total) else { break };
        match work.cut_in_two(&pieces[worst]) {
            Some([one, other]) => {
                pieces[worst] = one;
                pieces.push(other);
            }
            None => pieces[worst].is_final = true,
        }
    }
    let part = |piece: &Piece| {
        let centre = piece.hull.mass_properties().centroid;
        let points: Vec<DVec3> = piece.hull.vertices().iter().map(|v| *v - centre).collect();
        Ok(Part { shape: Shape::polyhedron(&points)?, pose: Pose::from_position(centre) })
    };
    let hulls: f64 = pieces.iter().map(|piece| piece.hull_volume).sum();
    let parts = pieces.iter().map(part).collect::<Result<Vec<Part>, GeometryError>>()?;
    Ok(ConvexParts { parts, added_volume: hulls / total - 1.0 })
}

/// The solid, and what is the same for all its pieces.
struct Work<'a> {
    solid: &'a Solid,
    size: f64,
    hollow: Vec<Plane>,
}

impl<'a> Work<'a> {
    fn new(solid: &'a Solid) -> Work<'a> {
        let size = Aabb::of_points(solid.mesh().vertices().iter().copied()).extent().max_element();
        Work { solid, size, hollow: hollow_planes(solid, size) }
    }

    fn whole(&self) -> Option<Piece> {
        let mesh = self.solid.mesh();
        let base = self.solid.mass_properties().centroid;
        let triangles = 0..mesh.triangles().len() as u32;
        let facets: Vec<Facet> =
            triangles.clone().map(|t| Facet { corners: mesh.corners(t).to_vec(), normal: mesh.normal(t) }).collect();
        let tetrahedra = triangles
            .map(|t| {
                let [a, b, c] = mesh.corners(t);
                ((a - base).dot((b - base).cross(c - base)).signum(), [base, a, b, c])
            })
            .collect();
        self.piece(Vec::new(), facets, tetrahedra, self.solid.mass_properties().volume)
    }

    fn piece(
        &self,
        planes: Vec<Plane>,
        facets: Vec<Facet>,
        tetrahedra: Vec<(f64, [DVec3; 4])>,
        volume: f64,
    ) -> Option<Piece> {
        let hull = self.hull(&planes, &facets, None)?;
        let hull_volume = hull.mass_properties().volume;
        Some(Piece { planes, facets, tetrahedra, volume, hull, hull_volume, is_final: false })
    }

    /// The two pieces behind and before the plane that leaves the least concavity.
    fn cut_in_two(&self, piece: &Piece) -> Option<[Piece; 2]> {
        let mut best: Option<(f64, Plane)> = None;
        for plane in self.candidates(piece) {
            let behind: f64 = piece.tetrahedra.iter().map(|(sign, t)| sign * self.volume_behind(t, plane)).sum();
            // Nothing, or all of it, is behind.
            if !(behind > 1e-9 * piece.volume && behind < (1.0 - 1e-9) * piece.volume) {
                continue;
            }
            let hulls = [plane, plane.flipped()].map(|side| {
                let facets = self.clipped(&piece.facets, side);
                Some(self.hull(&piece.planes, &facets, Some(side))?.mass_properties().volume)
            });
            let [Some(one), Some(other)] = hulls else { continue };
            let (one, other) = (one - behind, other - (piece.volume - behind));
            let left = one + other + BALANCE * one.max(other);
            // A plane that is better by rounding only is not better.
            if best.is_none_or(|(least, _)| left < least - 1e-9 * piece.hull_volume) {
                best = Some((left, plane));
            }
        }
        let (least, plane) = best?;
        if least > (1.0 + BALANCE) * piece.concavity() - 1e-6 * piece.hull_volume {
            return None;
        }
        let cut = |side: Plane| {
            let tetrahedra = self.cut_tetrahedra(&piece.tetrahedra, side);
            let volume = tetrahedra.iter().map(|(sign, t)| sign * volume_of(t)).sum();
            let planes: Vec<Plane> = piece.planes.iter().copied().chain([side]).collect();
            self.piece(planes, self.clipped(&piece.facets, side), tetrahedra, volume)
        };
        Some([cut(plane)?, cut(plane.flipped())?])
    }

    fn candidates(&self, piece: &Piece) -> Vec<Plane> {
        let bounds = Aabb::of_points(piece.hull.vertices().iter().copied());
        let centre = piece.hull.mass_properties().centroid;
        let mut planes = self.hollow.clone();
        for (axis, normal) in DVec3::AXES.into_iter().enumerate() {
            for k in 1..=CUTS_ACROSS {
                let share = k as f64 / (CUTS_ACROSS + 1) as f64;
                planes.push(Plane { normal, offset: bounds.lower[axis] + share * bounds.extent()[axis] });
            }
            let (u, v) = (DVec3::AXES[(axis + 1) % 3], DVec3::AXES[(axis + 2) % 3]);
            for k in 0..CUTS_ABOUT {
                let (sine, cosine) = (std::f64::consts::PI * (k as f64 + 0.5) / CUTS_ABOUT as f64).sin_cos();
                let normal = cosine * u + sine * v;
                planes.push(Plane { normal, offset: normal.dot(centre) });
            }
        }
        planes
    }

    /// Height of a point over a plane; zero if it lies on it.
    fn height(&self, point: DVec3, plane: Plane) -> f64 {
        let height = plane.normal.dot(point) - plane.offset;
        if height.abs() <= ON_PLANE * self.size { 0.0 } else { height }
    }

    /// What of some facets is behind a plane. A facet in the plane belongs to the side on which the solid is.
    fn clipped(&self, facets: &[Facet], plane: Plane) -> Vec<Facet> {
        let mut behind = Vec::with_capacity(facets.len());
        for facet in facets {
            let heights: Vec<f64> = facet.corners.iter().map(|c| self.height(*c, plane)).collect();
            let (lowest, highest) =
                heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), h| (a.min(*h), b.max(*h)));
            let is_in_plane = lowest == 0.0 && highest == 0.0;
            if is_in_plane && facet.normal.dot(plane.normal) > 0.0 || highest <= 0.0 && lowest < 0.0 {
                behind.push(facet.clone());
            } else if lowest < 0.0 {
                let mut corners = Vec::with_capacity(heights.len() + 1);
                for (k, &corner) in facet.corners.iter().enumerate() {
                    let next = (k + 1) % heights.len();
                    if heights[k] <= 0.0 {
                        corners.push(corner);
                    }
                    if heights[k] * heights[next] < 0.0 {
                        let share = heights[k] / (heights[k] - heights[next]);
                        corners.push(corner + share * (facet.corners[next] - corner));
                    }
                }
                behind.push(Facet { corners, normal: facet.normal });
            }
        }
        behind
    }

    /// The hull of the solid behind some planes and one more, given what of its surface is there.
    fn hull(&self, planes: &[Plane], facets: &[Facet], last: Option<Plane>) -> Option<Polyhedron> {
        let mut points: Vec<DVec3> = facets.iter().flat_map(|facet| &facet.corners).map(|c| *c + DVec3::ZERO).collect();
        points.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)));
        points.dedup();
        let all: Vec<Plane> = planes.iter().copied().chain(last).collect();
        for i in 0..all.len() {
            for j in 0..i {
                for k in 0..j {
                    if let Some(corner) = meeting_point([all[i], all[j], all[k]])
                        && all.iter().all(|plane| self.height(corner, *plane) <= 0.0)
                        && self.solid.contains(corner)
                    {
                        points.push(corner);
                    }
                }
            }
        }
        Polyhedron::from_points(&points).ok()
    }

    fn volume_behind(&self, tetrahedron: &[DVec3; 4], plane: Plane) -> f64 {
        let mut parts = Vec::with_capacity(3);
        self.cut_tetrahedron(tetrahedron, plane, |t| parts.push(volume_of(&t)));
        parts.iter().sum()
    }

    fn cut_tetrahedra(&self, tetrahedra: &[(f64, [DVec3; 4])], plane: Plane) -> Vec<(f64, [DVec3; 4])> {
        let mut behind = Vec::with_capacity(tetrahedra.len());
        for (sign, tetrahedron) in tetrahedra {
            self.cut_tetrahedron(tetrahedron, plane, |t| behind.push((*sign, t)));
        }
        behind
    }

    /// What of a tetrahedron is behind a plane: nothing, or up to three tetrahedra.
    fn cut_tetrahedron(&self, corners: &[DVec3; 4], plane: Plane, mut keep: impl FnMut([DVec3; 4])) {
        let mut sorted = corners.map(|corner| (self.height(corner, plane), corner));
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let between = |i: usize, j: usize| {
            let ((hi, pi), (hj, pj)) = (sorted[i], sorted[j]);
            pi + (hi / (hi - hj)) * (pj - pi)
        };
        let [a, b, c, d] = sorted.map(|(_, corner)| corner);
        // A prism with ends p and q, corner over corner.
        let mut prism = |p: [DVec3; 3], q: [DVec3; 3]| {
            keep([p[0], p[1], p[2], q[2]]);
            keep([p[0], p[1], q[1], q[2]]);
            keep([p[0], q[0], q[1], q[2]]);
        };
        match sorted.iter().filter(|(height, _)| *height < 0.0).count() {
            0 => {}
            _ if sorted[3].0 <= 0.0 => keep([a, b, c, d]),
            1 => keep([a, between_or(&sorted, 0, 1), between_or(&sorted, 0, 2), between_or(&sorted, 0, 3)]),
            2 => prism([a, between_or(&sorted, 0, 2), between(0, 3)], [b, between_or(&sorted, 1, 2), between(1, 3)]),
            _ => prism([a, b, c], [between(0, 3), between(1, 3), between(2, 3)]),
        }
    }
}

/// Where the edge from a corner behind the plane to one on it or before it meets the plane.
fn between_or(sorted: &[(f64, DVec3); 4], i: usize, j: usize) -> DVec3 {
    let ((hi, pi), (hj, pj)) = (sorted[i], sorted[j]);
    if hj <= 0.0 { pj } else { pi + (hi / (hi - hj)) * (pj - pi) }
}

fn volume_of([a, b, c, d]: &[DVec3; 4]) -> f64 {
    (*b - *a).dot((*c - *a).cross(*d - *a)).abs() / 6.0
}

/// Where three planes meet; `None` if they do so nowhere or along a line.
fn meeting_point([p, q, r]: [Plane; 3]) -> Option<DVec3> {
    let determinant = p.normal.dot(q.normal.cross(r.normal));
    (determinant.abs() > 1e-9).then(|| {
        (p.offset * q.normal.cross(r.normal)
            + q.offset * r.normal.cross(p.normal)
            + r.offset * p.normal.cross(q.normal))
            / determinant
    })
}

/// The planes at the hollow edges of a solid: of both triangles, and the one half way between them, each once.
fn hollow_planes(solid: &Solid, size: f64) -> Vec<Plane> {
    let mesh = solid.mesh();
    let mut sides: Vec<([u32; 2], u32)> = Vec::new();
    for (index, &[a, b, c]) in mesh.triangles().iter().enumerate() {
        sides.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], index as u32)));
    }
    sides.sort_unstable();
    let mut edges: Vec<(f64, [u32; 2], [u32; 2])> = Vec::new();
    for pair in sides.chunk_by(|a, b| a.0 == b.0) {
        let &[(ends, one), (_, other)] = pair else { continue };
        let off = mesh.corners(other).map(|c| mesh.normal(one).dot(c - mesh.corners(one)[0]));
        // The far corner of the one is before the plane of the other.
        if off.iter().copied().fold(0.0, f64::max) > ON_PLANE.sqrt() * size {
            let length = mesh.vertices()[ends[0] as usize].distance(mesh.vertices()[ends[1] as usize]);
            let turn = mesh.normal(one).angle_between(mesh.normal(other));
            edges.push((turn * length, ends, [one, other]));
        }
    }
    edges.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut planes: Vec<Plane> = Vec::new();
    for (_, ends, triangles) in edges.into_iter().take(HOLLOW_EDGES) {
        let [m, n] = triangles.map(|t| mesh.normal(t));
        let place = mesh.vertices()[ends[0] as usize];
        for normal in [m, n, (m - n).normalize_or_zero()] {
            let plane = Plane { normal, offset: normal.dot(place) };
            let is_same = |other: &Plane| {
                let other = if other.normal.dot(normal) < 0.0 { other.flipped() } else { *other };
                other.normal.distance(normal) < 1e-9 && (other.offset - plane.offset).abs() < 1e-9 * size
            };
            if normal != DVec3::ZERO && !planes.iter().any(is_same) {
                planes.push(plane);
            }
        }
    }
    planes
}

#[cfg(test)]
mod tests;
