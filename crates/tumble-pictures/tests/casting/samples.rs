//! Stages to cast.

use glam::{DQuat, DVec2, DVec3};
use tumble_geometry::oracle::Sequence;
use tumble_geometry::{Aabb, Mesh, Part, Pose, Revolved, Shape, Surface};
use tumble_pictures::cast::walls::room;
use tumble_pictures::cast::{Bodies, Camera, CameraPlan, Frame, Grain, Section, Stage, Wall, Walls};
use tumble_pictures::colour::colour_of_kind;

/// Every shape, with a name, about 1 in radius.
pub fn shapes() -> Vec<(&'static str, Shape)> {
    let part =
        |shape: Shape, position: DVec3, orientation: DQuat| Part { shape, pose: Pose::new(position, orientation) };
    let rod = Shape::capsule(0.3, 1.4).unwrap();
    let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let corners: Vec<DVec2> = (0..5).map(|k| DVec2::from_angle(k as f64 * 1.2566)).collect();
    let golden = 0.5 * (1.0 + 5_f64.sqrt());
    let icosahedron: Vec<DVec3> = [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)]
        .into_iter()
        .flat_map(|(a, b)| [DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)])
        .map(|vertex| vertex * 0.55)
        .collect();
    vec![
        ("sphere", Shape::sphere(1.0).unwrap()),
        ("cylinder", Shape::cylinder(0.8, 1.3).unwrap()),
        ("capsule", Shape::capsule(0.55, 1.2).unwrap()),
        ("cone", Shape::truncated_cone(0.9, 0.35, 1.5).unwrap()),
        ("ellipsoid", Shape::superquadric(DVec3::new(1.1, 0.8, 0.5), 2.0, 2.0).unwrap()),
        ("superquadric", Shape::superquadric(DVec3::new(0.9, 0.9, 0.7), 4.0, 6.0).unwrap()),
        ("polyhedron", Shape::polyhedron(&icosahedron).unwrap()),
        ("box", Shape::cuboid(DVec3::new(1.5, 1.1, 0.9)).unwrap()),
        ("disc", Shape::disc(1.0, 0.5).unwrap()),
        ("polygon", Shape::polygon(&corners, 0.6).unwrap()),
        (
            "clump",
            Shape::clump(vec![part(rod.clone(), DVec3::ZERO, DQuat::IDENTITY), part(rod, DVec3::ZERO, turn)]).unwrap(),
        ),
        ("tablet", Shape::tablet(0.95, 0.9, 0.3).unwrap()),
    ]
}

pub fn plane(normal: DVec3, point: DVec3) -> Wall {
    let pose = Pose::new(point, DQuat::from_rotation_arc(DVec3::Z, normal));
    Wall { name: "plane".to_owned(), surface: Surface::HalfSpace.into(), pose, half_widths: [f64::INFINITY; 2] }
}

/// A tube with a closed end, along y.
pub fn drum() -> Wall {
    let surface = Surface::Revolved(Revolved::closed_cylinder(2.2, 1.5, true, true).unwrap());
    let pose = Pose::new(DVec3::new(0.0, 0.0, 1.2), DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    Wall { name: "drum".to_owned(), surface: surface.into(), pose, half_widths: [f64::INFINITY; 2] }
}

/// A trough of triangles.
pub fn trough() -> Wall {
    let vertices = [(-2.0, 1.4), (-0.8, -1.0), (0.8, -1.0), (2.0, 1.4)];
    let vertices = vertices.iter().flat_map(|&(x, z)| [DVec3::new(x, -1.8, z), DVec3::new(x, 1.8, z)]).collect();
    let triangles = (0..3).flat_map(|k| [[2 * k, 2 * k + 1, 2 * k + 2], [2 * k + 2, 2 * k + 1, 2 * k + 3]]).collect();
    let surface = Surface::Mesh(Mesh::new(vertices, triangles).unwrap());
    Wall { name: "trough".to_owned(), surface: surface.into(), pose: Pose::IDENTITY, half_widths: [f64::INFINITY; 2] }
}

/// Grains of the given shapes among walls.
pub fn stage(shapes: &[Shape], grains: &[Grain], walls: Vec<Wall>, section: Option<Section>) -> Stage {
    let bodies = Bodies::new(shapes, grains);
    let contents =
        walls.iter().filter_map(|wall| wall.surface.bounds(&wall.pose)).fold(bodies.bounds(), |a, b| a.join(&b));
    let walls_in = Walls::new(walls.clone(), &room(&contents, &walls));
    let colours = (0..grains.len()).map(colour_of_kind).collect();
    Stage {
        bodies,
        colours,
        walls: walls_in,
        cell: Vec::new(),
        has_grain_outlines: false,
        section,
        ghosts: None,
        grain_size: 2.0,
    }
}

/// One shape, turned a little, on a floor.
pub fn one(shape: &Shape, section: Option<Section>) -> Stage {
    let orientation = DQuat::from_euler(glam::EulerRot::XYZ, 0.5, -0.35, 0.4);
    let bounds = shape.bounds(&Pose::new(DVec3::ZERO, orientation));
    let pose = Pose::new(DVec3::new(0.0, 0.0, -bounds.lower.z), orientation);
    let grain = Grain { shape: 0, scale: 1.0, pose };
    stage(std::slice::from_ref(shape), &[grain], vec![plane(DVec3::Z, DVec3::ZERO)], section)
}

/// Mixed shapes in a cube, touching and overlapping at random.
pub fn heap(n: usize, seed: u64) -> (Vec<Shape>, Vec<Grain>) {
    let shapes: Vec<Shape> = shapes().into_iter().map(|(_, shape)| shape).collect();
    let mut sequence = Sequence::new(seed);
    let half_edge = 0.9 * (n as f64).cbrt();
    let grain =
        |k: usize| Grain { shape: k % shapes.len(), scale: sequence.between(0.6, 1.1), pose: sequence.pose(half_edge) };
    let grains = (0..n).map(grain).collect();
    (shapes, grains)
}

/// A camera for a stage.
pub fn camera(stage: &Stage, width: u32, height: u32, plan: &CameraPlan) -> Camera {
    let walls = Aabb::of_points(stage.walls.subjects());
    let corners = stage.bodies.bounds().join(&walls).corners().map(|corner| (corner, 0.0));
    Camera::framing(plan, width, height, Frame { left: 0.05, right: 0.95, top: 0.05, bottom: 0.95 }, &corners)
}
