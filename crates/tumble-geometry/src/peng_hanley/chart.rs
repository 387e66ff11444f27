//! The flow chart, on the graph of the faces that share edges.

use super::{Ending, PengHanley, PengHanleyContact, least_on_segment};
use crate::{Contact, Polyhedron, Pose, Superquadric};
use glam::{DMat3, DVec3};

/// A polyhedron, and a superquadric in its frame.
pub(super) struct Bodies<'a> {
    polyhedron: &'a Polyhedron,
    round: &'a Superquadric,
    turn: DMat3,
    centre: DVec3,
}

impl<'a> Bodies<'a> {
    /// The superquadric seen from the polyhedron.
    pub(super) fn new(polyhedron: &'a Polyhedron, round: &'a Superquadric, pose: &Pose) -> Bodies<'a> {
        Bodies { polyhedron, round, turn: DMat3::from_quat(pose.orientation), centre: pose.position }
    }

    /// The point of the superquadric deepest below a plane with a unit normal.
    fn deepest(&self, normal: DVec3) -> DVec3 {
        // It is the same turned about its centre by half a turn.
        self.centre - self.turn * self.round.support(self.turn.transpose() * normal)
    }

    /// The gauge of the superquadric, 1 on its surface, and its gradient.
    fn gauge(&self, point: DVec3) -> (f64, DVec3) {
        let (gauge, gradient) = self.round.gauge(self.turn.transpose() * (point - self.centre));
        (gauge, self.turn * gradient)
    }

    fn normal(&self, face: u32) -> DVec3 {
        self.polyhedron.faces()[face as usize].normal
    }

    /// How far a point is above a face.
    fn height(&self, face: u32, point: DVec3) -> f64 {
        let face = &self.polyhedron.faces()[face as usize];
        face.normal.dot(point) - face.offset
    }

    /// Of some faces the one that a point is highest above, if it is above one.
    fn highest(&self, faces: impl Iterator<Item = u32>, point: DVec3) -> Option<u32> {
        let above = faces.map(|face| (face, self.height(face, point))).filter(|(_, height)| *height > 0.0);
        above.fold(None, |best: Option<(u32, f64)>, next| best.filter(|b| b.1 >= next.1).or(Some(next))).map(|b| b.0)
    }

    fn all_faces(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.polyhedron.faces().len() as u32
    }

    /// The faces that share an edge with one.
    fn neighbours(&self, face: u32) -> impl Iterator<Item = u32> {
        let web = self.polyhedron.web();
        web.sides(face).iter().map(move |side| {
            let [left, right] = web.ribs[side.edge as usize].faces;
            if left == face { right } else { left }
        })
    }

    /// The edge that two faces share.
    fn common_edge(&self, one: u32, other: u32) -> Option<u32> {
        let web = self.polyhedron.web();
        web.sides(one).iter().map(|side| side.edge).find(|edge| web.ribs[*edge as usize].faces.contains(&other))
    }

    /// Whether the superquadric's centre is inside the polyhedron.
    fn is_inside(&self) -> bool {
        self.all_faces().all(|face| self.height(face, self.centre) <= 0.0)
    }

    /// The face whose normal is nearest to the line of the centres.
    fn initial_face(&self) -> u32 {
        let along = self.centre - self.polyhedron.centroid();
        let share = |face: u32| self.normal(face).dot(along);
        let best = self.all_faces().map(|face| (face, share(face)));
        best.fold((0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best }).0
    }

    /// (10): the face is the contact plane.
    fn on_face(&self, face: u32, point_b: DVec3) -> Contact {
        let (normal, separation) = (self.normal(face), self.height(face, point_b));
        Contact { normal, separation, point_a: point_b - normal * separation, point_b }
    }

    /// A contact plane through a point of the polyhedron.
    fn on_plane(&self, point_a: DVec3, normal: DVec3) -> Contact {
        let separation = normal.dot(self.deepest(normal) - point_a);
        Contact { normal, separation, point_a, point_b: point_a + normal * separation }
    }

    /// (11): half way between the faces of an edge.
    fn normal_of_edge(&self, edge: u32) -> DVec3 {
        let [left, right] = self.polyhedron.web().ribs[edge as usize].faces;
        (self.normal(left) + self.normal(right)).normalize_or(self.normal(left))
    }

    /// (12): the mean of the edges' directions towards a vertex.
    fn normal_of_vertex(&self, vertex: u32, edge: u32) -> DVec3 {
        let spokes = self.polyhedron.web().spokes(vertex);
        let towards: DVec3 = spokes.iter().map(|spoke| -spoke.along).sum();
        towards.normalize_or(self.normal_of_edge(edge))
    }

    /// The gap along a unit direction from the polyhedron to the superquadric.
    fn gap(&self, normal: DVec3) -> f64 {
        normal.dot(self.deepest(normal) - self.polyhedron.support(normal))
    }
}

/// A search, and how far it has come.
struct Search<'b, 'a> {
    bodies: &'b Bodies<'a>,
    version: PengHanley,
    face_switches: usize,
}

/// Goes through the chart.
pub(super) fn search(bodies: &Bodies, version: PengHanley) -> PengHanleyContact {
    let mut search = Search { bodies, version, face_switches: 0 };
    let (ending, contact) = search.run();
    PengHanleyContact { ending, contact, face_switches: search.face_switches }
}

impl Search<'_, '_> {
    fn is_guarded(&self) -> bool {
        self.version == PengHanley::Guarded
    }

    /// What the chart does not say, or a guard does not let pass.
    fn open(&self, ending: Ending) -> (Ending, Option<Contact>) {
        (if self.is_guarded() { Ending::Exact } else { ending }, None)
    }

    fn run(&mut self) -> (Ending, Option<Contact>) {
        let bodies = self.bodies;
        if bodies.is_inside() {
            return self.open(Ending::CentreInside);
        }
        let mut previous = bodies.initial_face();
        let deepest = bodies.deepest(bodies.normal(previous));
        if bodies.height(previous, deepest) > 0.0 {
            return (Ending::InitialFacePositive, None);
        }
        let Some(mut current) = bodies.highest(bodies.all_faces(), deepest) else {
            return (Ending::InitialFace, Some(bodies.on_face(previous, deepest)));
        };
        // The search has met at most two faces more than there are when it goes round in a circle.
        let cap = 2 * bodies.polyhedron.faces().len();
        while self.face_switches < cap {
            self.face_switches += 1;
            let deepest = bodies.deepest(bodies.normal(current));
            if bodies.height(current, deepest) > 0.0 {
                return (Ending::MaximalFacePositive, None);
            }
            let next = if self.is_guarded() {
                bodies.highest(bodies.all_faces(), deepest)
            } else {
                bodies.highest(bodies.neighbours(current), deepest)
            };
            let Some(next) = next else {
                return (Ending::MaximalFace, Some(bodies.on_face(current, deepest)));
            };
            if bodies.height(previous, deepest) > 0.0 {
                return match bodies.common_edge(previous, current) {
                    Some(edge) => self.at_edge(edge),
                    None => self.open(Ending::NoCommonEdge),
                };
            }
            (previous, current) = (current, next);
        }
        self.open(Ending::SearchCap)
    }

    /// The edge decides.
    fn at_edge(&self, edge: u32) -> (Ending, Option<Contact>) {
        let bodies = self.bodies;
        let rib = &bodies.polyhedron.web().ribs[edge as usize];
        let [start, end] = rib.ends.map(|vertex| bodies.polyhedron.vertices()[vertex as usize]);
        let (share, least) = least_on_segment(|point| bodies.gauge(point), start, end);
        let point = if share == 1.0 { end } else { start + (end - start) * share };
        let gradient = || bodies.gauge(point).1.try_normalize().map(|outwards| -outwards);
        if least > 1.0 {
            let is_proven = || gradient().is_some_and(|normal| bodies.gap(normal) > 0.0);
            if self.is_guarded() && !is_proven() {
                return (Ending::Exact, None);
            }
            return (Ending::SearchAndReturnApart, None);
        }
        let vertex = if share == 0.0 { Some(rib.ends[0]) } else { (share == 1.0).then_some(rib.ends[1]) };
        let ending = if vertex.is_some() { Ending::Vertex } else { Ending::Edge };
        let normal = if self.is_guarded() {
            // An edge through the very centre has no gradient.
            match gradient() {
                Some(normal) => normal,
                None => return (Ending::Exact, None),
            }
        } else {
            vertex.map_or_else(|| bodies.normal_of_edge(edge), |vertex| bodies.normal_of_vertex(vertex, edge))
        };
        (ending, Some(bodies.on_plane(point, normal)))
    }
}
