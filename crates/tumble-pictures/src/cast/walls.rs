//! Walls as rays see them: thin translucent sheets with outlines.
//!
//! A half-space has no edge. It is shown as the part of its plane that lies in a room around what there is to see and not
//! inside another half-space; the face of a box ends where the scene ends it.

use super::section::Section;
use super::tree::Ray;
use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::Arc;
use tumble_geometry::{Aabb, Crossing, Pose, Surface};

/// Straight pieces that stand for a circle in an outline.
const N_AROUND: usize = 96;
/// Edges of a mesh are outlined where its triangles meet at more than this angle: below, they stand for a curved face.
const FEATURE_ANGLE_COSINE: f64 = 0.87;
/// How far beyond what there is a room reaches where no wall bounds it, as a share of its mean width: sideways and down,
/// so that a floor catches shadows, and up, where little is needed.
const ROOM_MARGIN: f64 = 0.15;
const HEADROOM: f64 = 0.06;
/// A wall bounds the room if it is no farther beyond what there is than this share of the room's largest width.
const ROOM_REACH: f64 = 1.5;

/// A wall in its place.
#[derive(Clone, Debug)]
pub struct Wall {
    /// The name it has in the scene.
    pub name: String,
    /// Its surface in its own frame, shared by all frames of a film.
    pub surface: Arc<Surface>,
    /// Where it is.
    pub pose: Pose,
    /// How far a half-space is drawn from its origin along its local x and y [m]; infinite: as far as the room goes.
    pub half_widths: [f64; 2],
}

impl Wall {
    /// The box that the wall fills; `None` if it has no end.
    pub fn bounds(&self) -> Option<Aabb> {
        if !matches!(*self.surface, Surface::HalfSpace) {
            return self.surface.bounds(&self.pose);
        }
        let [x, y] = self.half_widths;
        let corner = |(across, along): (f64, f64)| self.pose.transform_point(DVec3::new(across * x, along * y, 0.0));
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(corner);
        (x.is_finite() && y.is_finite()).then(|| Aabb::of_points(corners))
    }

    /// What ends a half-space at its own sides.
    fn sides(&self) -> impl Iterator<Item = Solid> {
        let local = [(DVec3::X, self.half_widths[0]), (DVec3::Y, self.half_widths[1])];
        let pose = self.pose;
        local.into_iter().filter(|(_, width)| width.is_finite()).flat_map(move |(axis, width)| {
            let along = pose.transform_vector(axis);
            let middle = along.dot(pose.position);
            [Solid { normal: along, offset: middle - width }, Solid { normal: -along, offset: -middle - width }]
        })
    }
}

/// A half-space as solid where `normal . x <= offset`.
#[derive(Clone, Copy, Debug)]
struct Solid {
    normal: DVec3,
    offset: f64,
}

/// All walls of a picture.
#[derive(Clone, Debug)]
pub struct Walls {
    walls: Vec<Wall>,
    /// For each wall, what bounds its plane if it is a half-space.
    limits: Vec<Vec<Solid>>,
    /// For each wall, what is drawn of it if it is a half-space.
    polygons: Vec<Vec<DVec3>>,
    outlines: Vec<[DVec3; 2]>,
}

/// A place where a ray passes through a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// Distance along the ray [m].
    pub distance: f64,
    /// Unit normal, turned towards where the ray comes from.
    pub normal: DVec3,
    /// The wall.
    pub wall: u32,
}

fn solid(wall: &Wall) -> Option<Solid> {
    let normal = wall.pose.transform_vector(DVec3::Z);
    matches!(*wall.surface, Surface::HalfSpace).then(|| Solid { normal, offset: normal.dot(wall.pose.position) })
}

/// The room around what there is to see: widened to half-spaces near by, and by a margin elsewhere.
pub fn room(contents: &Aabb, walls: &[Wall]) -> Aabb {
    if !(contents.lower.is_finite() && contents.upper.is_finite()) {
        return Aabb { lower: -DVec3::ONE, upper: DVec3::ONE };
    }
    let extent = contents.extent();
    let largest = extent.max_element();
    let mean = extent.element_sum() / 3.0;
    let mean = if mean > 0.0 { mean } else { 1.0 };
    let mut room = contents.grown(ROOM_MARGIN * mean);
    room.upper.z = contents.upper.z + HEADROOM * mean;
    for solid in walls.iter().filter_map(solid) {
        let axis = solid.normal.abs().max_position();
        let slope = solid.normal[axis];
        if slope.abs() < 0.999 {
            continue;
        }
        let place = solid.offset / slope;
        if slope > 0.0
            && place <= contents.lower[axis] + 0.01 * largest
            && place > contents.lower[axis] - ROOM_REACH * largest
        {
            room.lower[axis] = place;
        } else if slope < 0.0
            && place >= contents.upper[axis] - 0.01 * largest
            && place < contents.upper[axis] + ROOM_REACH * largest
        {
            room.upper[axis] = place;
        }
    }
    room
}

impl Walls {
    /// Walls in a room.
    pub fn new(walls: Vec<Wall>, room: &Aabb) -> Walls {
        let walls: Vec<Wall> =
            walls.into_iter().filter(|w| w.pose.position.is_finite() && w.pose.orientation.is_finite()).collect();
        let slack = 1e-9 * room.extent().max_element();
        let sides = (0..3).flat_map(|axis| {
            let e = DVec3::AXES[axis];
            [
                Solid { normal: e, offset: room.lower[axis] - slack },
                Solid { normal: -e, offset: -room.upper[axis] - slack },
            ]
        });
        let sides: Vec<Solid> = sides.collect();
        let mut limits = Vec::with_capacity(walls.len());
        let (mut outlines, mut polygons) = (Vec::new(), Vec::with_capacity(walls.len()));
        for (number, wall) in walls.iter().enumerate() {
            let Some(own) = solid(wall) else {
                limits.push(Vec::new());
                polygons.push(Vec::new());
                outline_bounded(wall, &mut outlines);
                continue;
            };
            let others = walls.iter().enumerate().filter(|(other, _)| *other != number);
            let others =
                others.filter_map(|(_, other)| solid(other)).filter(|other| other.normal.dot(own.normal).abs() < 0.999);
            let others = others.map(|other| Solid { offset: other.offset - slack, ..other });
            let own_sides: Vec<Solid> =
                wall.sides().map(|side| Solid { offset: side.offset - slack, ..side }).collect();
            // The room ends a half-space only where the scene does not.
            let is_told = |room: &Solid| own_sides.iter().any(|side| side.normal.dot(room.normal).abs() > 0.999);
            let of_room = sides.iter().copied().filter(|s| s.normal.dot(own.normal).abs() < 0.999 && !is_told(s));
            let bounding: Vec<Solid> = of_room.chain(own_sides.iter().copied()).chain(others).collect();
            let polygon = plane_polygon(wall, &own, room, &bounding);
            outlines.extend((0..polygon.len()).map(|k| [polygon[k], polygon[(k + 1) % polygon.len()]]));
            limits.push(bounding);
            polygons.push(polygon);
        }
        Walls { walls, limits, polygons, outlines }
    }

    /// Segments along the walls' edges [m].
    pub fn outlines(&self) -> &[[DVec3; 2]] {
        &self.outlines
    }

    /// Segments along which a section cuts the walls [m].
    pub fn cuts(&self, section: &Section) -> Vec<[DVec3; 2]> {
        let mut cuts = Vec::new();
        for (wall, polygon) in self.walls.iter().zip(&self.polygons) {
            let place = |point: DVec3| wall.pose.transform_point(point);
            match &*wall.surface {
                Surface::HalfSpace => cuts.extend(cut_of(polygon, section)),
                Surface::Revolved(revolved) => {
                    let point = |[rho, z]: [f64; 2], k: usize| {
                        let (sine, cosine) = (TAU * (k % N_AROUND) as f64 / N_AROUND as f64).sin_cos();
                        place(DVec3::new(rho * cosine, rho * sine, z))
                    };
                    for pair in revolved.profile().windows(2) {
                        for k in 0..N_AROUND {
                            let quad =
                                [point(pair[0], k), point(pair[0], k + 1), point(pair[1], k + 1), point(pair[1], k)];
                            cuts.extend(cut_of(&[quad[0], quad[1], quad[2]], section));
                            cuts.extend(cut_of(&[quad[0], quad[2], quad[3]], section));
                        }
                    }
                }
                Surface::Mesh(mesh) => cuts.extend(mesh.triangles().iter().filter_map(|corners| {
                    cut_of(&corners.map(|corner| place(mesh.vertices()[corner as usize])), section)
                })),
            }
        }
        cuts
    }

    /// Points that a picture which shows the walls must show [m].
    pub fn subjects(&self) -> impl Iterator<Item = DVec3> {
        self.outlines.iter().flatten().copied()
    }

    /// Every wall that a ray passes through between two distances, near ones first.
    pub fn sheets(
        &self,
        ray: &Ray,
        to: f64,
        section: Option<&Section>,
        crossings: &mut Vec<Crossing>,
        out: &mut Vec<Sheet>,
    ) {
        out.clear();
        let Some((from, to)) = section.map_or(Some((0.0, to)), |s| s.kept(ray).map(|(from, end)| (from, to.min(end))))
        else {
            return;
        };
        for (number, wall) in self.walls.iter().enumerate() {
            crossings.clear();
            let origin = wall.pose.inverse_transform_point(ray.origin);
            let direction = wall.pose.inverse_transform_vector(ray.direction);
            wall.surface.crossings(origin, direction, crossings);
            for crossing in crossings.iter().filter(|c| c.distance > from && c.distance < to) {
                let place = ray.at(crossing.distance);
                if self.limits[number].iter().all(|limit| limit.normal.dot(place) >= limit.offset) {
                    let normal = wall.pose.transform_vector(crossing.normal);
                    let normal = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
                    out.push(Sheet { distance: crossing.distance, normal, wall: number as u32 });
                }
            }
        }
        out.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.wall.cmp(&b.wall)));
        // A ray through the edge between two triangles of a mesh meets one wall once.
        let pixel = 1e-9 * to.min(1e300).abs();
        out.dedup_by(|b, a| a.wall == b.wall && b.distance - a.distance <= pixel.min(1e-9 * a.distance.abs()));
    }
}

/// Where a plane cuts a convex polygon.
fn cut_of(polygon: &[DVec3], section: &Section) -> Option<[DVec3; 2]> {
    let edges = (0..polygon.len()).map(|k| (polygon[k], polygon[(k + 1) % polygon.len()]));
    let mut ends = edges.filter_map(|(a, b)| {
        let (p, q) = (section.height(a), section.height(b));
        ((p <= 0.0) != (q <= 0.0)).then(|| a + (b - a) * (p / (p - q)))
    });
    Some([ends.next()?, ends.next()?])
}

/// The part of a plane within a room and outside other solids, as a convex polygon.
fn plane_polygon(wall: &Wall, own: &Solid, room: &Aabb, limits: &[Solid]) -> Vec<DVec3> {
    let (u, v) = own.normal.any_orthonormal_pair();
    let middle = 0.5 * (room.lower + room.upper);
    let foot = middle - own.normal * (own.normal.dot(middle) - own.offset);
    // The square that is cut must hold the wall's own sides too.
    let own_reach: f64 = wall.half_widths.iter().filter(|width| width.is_finite()).sum();
    let reach = 2.0 * (room.extent().length() + own_reach + foot.distance(wall.pose.position));
    let mut polygon: Vec<DVec3> =
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(a, b)| foot + reach * (a * u + b * v)).to_vec();
    for limit in limits {
        let height = |p: DVec3| limit.normal.dot(p) - limit.offset;
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for k in 0..polygon.len() {
            let (a, b) = (polygon[k], polygon[(k + 1) % polygon.len()]);
            let (p, q) = (height(a), height(b));
            if p >= 0.0 {
                kept.push(a);
            }
            if (p >= 0.0) != (q >= 0.0) {
                kept.push(a + (b - a) * (p / (p - q)));
            }
        }
        polygon = kept;
    }
    polygon
}

fn outline_bounded(wall: &Wall, out: &mut Vec<[DVec3; 2]>) {
    match &*wall.surface {
        Surface::HalfSpace => {}
        Surface::Revolved(revolved) => {
            let profile = revolved.profile();
            for (corner, &[rho, z]) in profile.iter().enumerate() {
                if rho == 0.0 || is_smooth_corner(profile, corner) {
                    continue;
                }
                let point = |k: usize| {
                    let (sine, cosine) = (TAU * k as f64 / N_AROUND as f64).sin_cos();
                    wall.pose.transform_point(DVec3::new(rho * cosine, rho * sine, z))
                };
                out.extend((0..N_AROUND).map(|k| [point(k), point((k + 1) % N_AROUND)]));
            }
        }
        Surface::Mesh(mesh) => {
            // Each edge with its triangle, sorted so that the triangles of an edge come together.
            let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * mesh.triangles().len());
            for (triangle, corners) in mesh.triangles().iter().enumerate() {
                for k in 0..3 {
                    let (a, b) = (corners[k], corners[(k + 1) % 3]);
                    edges.push(([a.min(b), a.max(b)], triangle as u32));
                }
            }
            edges.sort_unstable();
            for shared in edges.chunk_by(|a, b| a.0 == b.0) {
                let is_flat = shared.len() == 2
                    && mesh.normal(shared[0].1).dot(mesh.normal(shared[1].1)).abs() > FEATURE_ANGLE_COSINE;
                if !is_flat {
                    out.push(shared[0].0.map(|vertex| wall.pose.transform_point(mesh.vertices()[vertex as usize])));
                }
            }
        }
    }
}

/// Whether a profile goes on at a corner without a bend that shows.
fn is_smooth_corner(profile: &[[f64; 2]], corner: usize) -> bool {
    let Some(before) = corner.checked_sub(1).and_then(|k| profile.get(k)) else { return false };
    let Some(after) = profile.get(corner + 1) else { return false };
    let here = glam::DVec2::from(profile[corner]);
    let (a, b) = ((here - glam::DVec2::from(*before)).normalize(), (glam::DVec2::from(*after) - here).normalize());
    a.dot(b) > 0.98
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn plane(normal: DVec3, point: DVec3) -> Wall {
        let pose = Pose::new(point, DQuat::from_rotation_arc(DVec3::Z, normal));
        Wall { name: String::new(), surface: Arc::new(Surface::HalfSpace), pose, half_widths: [f64::INFINITY; 2] }
    }

    #[test]
    fn the_face_of_a_box_ends_where_the_scene_ends_it() {
        let mut face = plane(DVec3::X, DVec3::new(0.0, 1.0, 15.0));
        face.half_widths = [15.0, 1.0];
        for height in [1.0, 20.0] {
            let contents = Aabb { lower: DVec3::ZERO, upper: DVec3::new(2.0, 2.0, height) };
            let walls = Walls::new(vec![face.clone()], &room(&contents, std::slice::from_ref(&face)));
            let bounds = Aabb::of_points(walls.subjects());
            assert!((bounds.upper - DVec3::new(0.0, 2.0, 30.0)).abs().max_element() < 1e-6, "{bounds:?}");
            assert!(bounds.lower.abs().max_element() < 1e-6, "{bounds:?}");
        }
        let bounds = face.bounds().unwrap();
        assert!((bounds.upper - DVec3::new(0.0, 2.0, 30.0)).abs().max_element() < 1e-12, "{bounds:?}");
    }

    #[test]
    fn the_planes_of_a_box_end_at_each_other() {
        let mut walls: Vec<Wall> = (0..2)
            .flat_map(|axis| {
                let e = DVec3::AXES[axis];
                [plane(e, DVec3::ZERO), plane(-e, 2.0 * e)]
            })
            .collect();
        walls.push(plane(DVec3::Z, DVec3::ZERO));
        let contents = Aabb { lower: DVec3::new(0.2, 0.3, 0.0), upper: DVec3::new(1.5, 1.7, 0.8) };
        let room = room(&contents, &walls);
        assert!((room.lower - DVec3::ZERO).abs().max_element() < 1e-9 && room.upper.x == 2.0 && room.upper.y == 2.0);
        assert!(room.upper.z > 0.8 && room.upper.z < 1.0);
        let walls = Walls::new(walls, &room);
        // Five faces of four sides.
        assert_eq!(walls.outlines().len(), 20);
        let (mut crossings, mut sheets) = (Vec::new(), Vec::new());
        let ray = Ray::new(DVec3::new(1.0, -5.0, 0.5), DVec3::Y);
        walls.sheets(&ray, f64::INFINITY, None, &mut crossings, &mut sheets);
        let distances: Vec<f64> = sheets.iter().map(|sheet| sheet.distance).collect();
        assert!((distances[0] - 5.0).abs() < 1e-12 && (distances[1] - 7.0).abs() < 1e-12, "{distances:?}");
        assert_eq!(sheets.len(), 2);
        let section = Section::new(-DVec3::Y, -1.0);
        walls.sheets(&ray, f64::INFINITY, section.as_ref(), &mut crossings, &mut sheets);
        assert_eq!(sheets.len(), 1);
        let above = Ray::new(DVec3::new(1.0, -5.0, 3.0), DVec3::Y);
        walls.sheets(&above, f64::INFINITY, None, &mut crossings, &mut sheets);
        assert!(sheets.is_empty());
    }
}
