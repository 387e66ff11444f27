//! The vertices of a polyhedron at pieces of a profile that turn away from it and end: part of profile_runs.rs.
//!
//! Inside a wall every vertex is a contact of its own (inside_revolved.rs). Where pieces turn away from the body, a vertex is as deep as it
//! is along the least of their normals and of those of their corners,
//!
//!   c = min over psi of n(psi) . (v - p),
//!
//! and no deeper than J, the depth of the whole body. At an open end the normals go on to half of a right angle beyond that of a plate on the
//! end, so that a vertex counts for nothing once it is no farther from the end than from the wall.
//!
//! An edge or face that is over a corner with no vertex near is met by J. With depths counted down, the azimuths at which J is as deep are
//! parts that grow and join, and
//!
//!   U = sum over vertices f(c) + what parts count that have no vertex yet,
//!
//! so that the largest J in a part counts down to where its first vertex comes to it: f(J) - f(c). Away from corners and ends the
//! largest J is that of a vertex and the two cancel: what is left is the sum over vertices. All of these depths change
//! continuously, and so does the energy. A body that is over the wall all around the axis has one more contact, on the far side, down
//! to where the second vertex comes.

use super::contact_convex_revolved::{Question, Wall};
use super::inside_revolved::Link;
use super::profile_passes::{Kind, Node, Ways};
use super::profile_runs::Run;
use crate::{Polyhedron, SurfaceContact, tolerance};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// Steps towards where an edge is nearest to a ring.
const N_APPROACHES: usize = 8;

/// A vertex that is through a run: its place among the contacts, its separation and its azimuth.
struct Through {
    index: usize,
    separation: f64,
    angle: f64,
}

impl Question<'_> {
    /// Appends the contacts of a polyhedron's vertices with a run, and takes off its other contacts what these stand for already; `nodes`
    /// are those of the run.
    pub(super) fn meet_run_with_vertices(
        &self,
        run: &Run,
        polyhedron: &Polyhedron,
        nodes: &[Node],
        out: &mut Vec<SurfaceContact>,
        ways: &mut Ways,
    ) {
        let mut through: Vec<Through> = Vec::new();
        for (index, &local) in polyhedron.vertices().iter().enumerate() {
            let vertex = self.body.place(local);
            let rho = vertex.truncate().length();
            if rho <= self.small {
                continue;
            }
            let Some((base, normal, separation)) = self.vertex_at_run(run, DVec2::new(rho, vertex.z)) else { continue };
            let normal = (vertex.truncate() * (normal.x / rho)).extend(normal.y);
            let feature = base.wrapping_add(self.features().wrapping_mul(index as u32));
            let feature = self.distinct_feature(feature, out);
            if separation < 0.0 {
                through.push(Through { index: out.len(), separation, angle: self.azimuth_of(vertex) });
            }
            out.push(SurfaceContact::new(feature, normal, separation, vertex + normal * separation));
        }
        through.sort_by(|a, b| a.separation.total_cmp(&b.separation));
        let mut last = None;
        for node in nodes.iter().filter(|node| last.replace(node.feature) != Some(node.feature)) {
            let Some(own) = out.iter().find(|contact| contact.feature == node.feature).copied() else { continue };
            let stands_for_it = match node.kind {
                Kind::Largest { basin, .. } => {
                    let mut within = through.iter().filter(|vertex| is_within(vertex.angle, basin)).peekable();
                    let deepest = within.peek().copied();
                    // No vertex is deeper than the body is.
                    for vertex in within.take_while(|vertex| vertex.separation < own.separation) {
                        out[vertex.index] = SurfaceContact { feature: out[vertex.index].feature, ..own };
                    }
                    deepest
                }
                Kind::Far { .. } => through.get(1),
                Kind::Around { .. } | Kind::Flat => None,
            };
            if let Some(vertex) = stands_for_it {
                let at = if vertex.separation < own.separation { own } else { out[vertex.index] };
                ways.links.push(Link { from: node.feature, to: None, at });
            }
        }
    }

    /// Where a place in the half-plane is with respect to a run: number of the feature, normal and separation; `None` if it is farther than the
    /// margin from being through.
    fn vertex_at_run(&self, run: &Run, place: DVec2) -> Option<(u32, DVec2, f64)> {
        let depth = |wall: &Wall| wall.toward.dot(place - wall.segment.start);
        let wall = run.walls.iter().min_by(|a, b| depth(a).total_cmp(&depth(b)))?;
        let is_other = |side: DVec2| side.distance(wall.toward) > tolerance::FLAT_EDGE;
        let sides = run.ridges.iter().flat_map(|ridge| ridge.sides.map(|side| (ridge, side)));
        let others = sides.filter(|(_, side)| is_other(*side));
        let depths = others.map(|(ridge, side)| (ridge, side, side.dot(place - ridge.place)));
        let least = depths.min_by(|a, b| a.2.total_cmp(&b.2));
        let on_wall = self.beyond(wall, place);
        let deepest = on_wall.map_or(depth(wall), |(_, _, separation)| -separation);
        match least {
            Some((ridge, side, least)) if least < deepest - self.small => {
                let feature = 2 * (self.revolved.segments().len() + ridge.corner) as u32;
                (least >= -self.margin).then_some((feature, side, -least))
            }
            _ => on_wall,
        }
    }
}

/// Whether an azimuth is between two others, whole turns apart or not.
fn is_within(angle: f64, [from, to]: [f64; 2]) -> bool {
    (angle - from).rem_euclid(2.0 * PI) <= to - from
}

/// Places at whose azimuths a polyhedron may be deepest in a run: vertices that are through, and where edges are nearest to the rings of its
/// corners.
pub(super) fn deepest_places(question: &Question, run: &Run, polyhedron: &Polyhedron) -> Vec<DVec3> {
    let vertices: Vec<DVec3> = polyhedron.vertices().iter().map(|&local| question.body.place(local)).collect();
    let is_near = |vertex: &DVec3| {
        let place = DVec2::new(vertex.truncate().length(), vertex.z);
        run.walls.iter().all(|wall| wall.toward.dot(place - wall.segment.start) >= -question.margin)
    };
    let mut places: Vec<DVec3> = vertices.iter().copied().filter(is_near).collect();
    for ridge in &run.ridges {
        for edge in polyhedron.edges() {
            let [a, b] = edge.vertices.map(|vertex| vertices[vertex as usize]);
            let (from, to) = (ridge.place.y - a.z, ridge.place.y - b.z);
            if from * to < 0.0 {
                let crossing = a + (b - a) * (from / (from - to));
                if crossing.truncate().length() >= ridge.place.x - question.margin {
                    places.push(nearest_to_ring(ridge.place, a, b - a, crossing));
                }
            }
        }
    }
    places
}

/// Where a line is nearest to a ring about the axis, from a place of it: the point of the ring and of the line are then in one meridian
/// plane, and what is between them is square to the line there.
fn nearest_to_ring(ring: DVec2, start: DVec3, along: DVec3, mut place: DVec3) -> DVec3 {
    for _ in 0..N_APPROACHES {
        let outward = place.with_z(0.0).normalize_or(DVec3::X);
        let across = DVec3::new(-outward.y, outward.x, 0.0);
        let in_plane = along.reject_from_normalized(across);
        let origin = outward * ring.x + DVec3::Z * ring.y;
        let next = start + along * (in_plane.dot(origin - start) / in_plane.length_squared());
        if !next.is_finite() || next.distance(place) > along.length() {
            break;
        }
        place = next;
    }
    place
}
