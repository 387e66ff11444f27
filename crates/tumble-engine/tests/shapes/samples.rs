//! Every shape of the gates, about a metre in size, and the laws they are tried with. A further shape joins by one line.

use crate::support::{bead, interaction, linear, listed, on_threads, spheres};
use glam::{DQuat, DVec2, DVec3};
use tumble_engine::Model;
use tumble_engine::boundary::insertion::ListedGrain;
use tumble_engine::contacts::{ElasticWrench, elastic_wrench};
use tumble_engine::law::{ContactEnd, Faces, InteractionProperties, Law, LawKind, VolumeExponent};
use tumble_engine::model::{Limits, Species, SpeciesIndex, TimeStep};
use tumble_engine::random::Random;
use tumble_geometry::narrow::{DEFAULT_CROWN, has_patch};
use tumble_geometry::tolerance::{LAW_REGION, REGION};
use tumble_geometry::{
    Capsule, Clump, Cylinder, Disc, Part, Polygon, Polyhedron, Pose, Shape, Sphere, Superquadric, Tablet, TruncatedCone,
};

/// The shapes of space.
pub fn solids() -> Vec<(&'static str, Shape)> {
    let box_and_rod = vec![
        Part { shape: cuboid(0.5, 0.4, 0.3), pose: Pose::IDENTITY },
        Part {
            shape: Shape::Capsule(Capsule { radius: 0.1, half_height: 0.5 }),
            pose: Pose::new(DVec3::new(0.1, 0.0, 0.1), DQuat::from_rotation_y(0.6)),
        },
    ];
    vec![
        ("sphere", Shape::Sphere(Sphere { radius: 0.5 })),
        ("cylinder", Shape::Cylinder(Cylinder { radius: 0.4, half_height: 0.35 })),
        ("thin disc", Shape::Cylinder(Cylinder { radius: 0.7, half_height: 0.1 })),
        ("capsule", Shape::Capsule(Capsule { radius: 0.25, half_height: 0.35 })),
        ("cone", Shape::TruncatedCone(TruncatedCone { lower_radius: 0.5, upper_radius: 0.2, height: 0.7 })),
        ("tablet", Shape::Tablet(Tablet { radius: 0.5, half_height: 0.12, dome_height: 0.2 })),
        ("ellipsoid", superquadric(0.6, 0.45, 0.35, 2.0, 2.0)),
        ("superquadric", superquadric(0.5, 0.4, 0.45, 4.0, 3.0)),
        ("box", cuboid(1.0, 0.8, 0.6)),
        ("tetrahedron", tetrahedron(0.7)),
        ("two balls", Shape::Clump(Clump::from_trusted_parts(vec![lobe(-0.25), lobe(0.25)]))),
        ("box and rod", Shape::Clump(Clump::from_trusted_parts(box_and_rod))),
    ]
}

/// The shapes of the plane.
pub fn planar() -> Vec<(&'static str, Shape)> {
    let pentagon = [[0.5, -0.1], [0.3, 0.4], [-0.2, 0.45], [-0.5, 0.0], [0.0, -0.5]].map(DVec2::from_array);
    vec![
        ("disc", Shape::Disc(Disc { radius: 0.45, half_thickness: 0.2 })),
        ("polygon", Shape::Polygon(Polygon::from_trusted_corners(pentagon.to_vec(), 0.2))),
    ]
}

/// A box of edge lengths [m].
pub fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    let half = DVec3::new(x, y, z) / 2.0;
    let side = |bit: usize, k: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
    let vertices = (0..8).map(|k| half * DVec3::new(side(0, k), side(1, k), side(2, k))).collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Shape::Polyhedron(Polyhedron::from_trusted_faces(vertices, faces.iter().map(|f| f.to_vec()).collect()))
}

/// A tetrahedron with corners at every second corner of a cube of an edge [m].
pub fn tetrahedron(size: f64) -> Shape {
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let vertices = corners.iter().map(|&c| DVec3::from_array(c) * (size / 2.0)).collect();
    let faces = vec![vec![0, 1, 2], vec![0, 3, 1], vec![0, 2, 3], vec![1, 3, 2]];
    Shape::Polyhedron(Polyhedron::from_trusted_faces(vertices, faces))
}

fn superquadric(a: f64, b: f64, c: f64, n1: f64, n2: f64) -> Shape {
    Shape::Superquadric(Superquadric { semi_axes: DVec3::new(a, b, c), n1, n2 })
}

fn lobe(x: f64) -> Part {
    Part { shape: Shape::Sphere(Sphere { radius: 0.35 }), pose: Pose::from_position(DVec3::X * x) }
}

/// Stiffness of every law here [N/m].
pub const STIFFNESS: f64 = 1e7;

/// The depth law with linear springs.
pub fn depth_law() -> Law {
    linear(STIFFNESS, ContactEnd::Clamped)
}

/// How faces are met by sub-contacts.
pub const SUB_CONTACTS: Faces = Faces::SubContacts { crown: DEFAULT_CROWN };

/// The depth law by sub-contacts.
pub fn sub_contacts_law() -> Law {
    Law { faces: SUB_CONTACTS, ..depth_law() }
}

/// The volume law.
pub fn volume_law(exponent: VolumeExponent) -> Law {
    let kind = LawKind::Volume {
        normal_stiffness: STIFFNESS,
        tangential_ratio: 2.0 / 7.0,
        exponent,
        length: Some(0.8),
        region_tolerance: REGION,
    };
    Law { kind, ..depth_law() }
}

/// The law of pressure: faces of a square metre are as stiff as those of the other laws.
pub fn pressure_law() -> Law {
    let kind = LawKind::Pressure { stiffness_per_area: STIFFNESS, tangential_ratio: 2.0 / 7.0 };
    Law { kind, ..depth_law() }
}

/// Makes a test of a check for every law that claims to conserve energy, in a module of its own.
macro_rules! for_each_conserving_law {
    ($module:ident, $check:ident) => {
        mod $module {
            use crate::samples::{depth_law, volume_law};
            use tumble_engine::law::VolumeExponent;

            #[test]
            fn under_the_depth_law() {
                super::$check("depth", depth_law());
            }

            #[test]
            fn under_the_volume_law_with_exponent_1() {
                super::$check("volume, 1", volume_law(VolumeExponent::One));
            }

            #[test]
            fn under_the_volume_law_with_exponent_3_2() {
                super::$check("volume, 3/2", volume_law(VolumeExponent::ThreeHalves));
            }

            #[test]
            fn under_the_volume_law_with_exponent_2() {
                super::$check("volume, 2", volume_law(VolumeExponent::Two));
            }
        }
    };
}
pub(crate) use for_each_conserving_law;

/// Grains of some shapes in empty space.
pub fn model(shapes: &[Shape], law: Law, properties: InteractionProperties, time_step: f64) -> Model {
    let species = shapes.iter().map(|shape| Species::new(shape.name(), shape, 0)).collect();
    let planar = shapes.iter().all(|shape| shape.kind().is_planar());
    // Corners meet softly under the volume law: what is deep for a thin disc is no fault here.
    let limits = Limits { overlap: 2.0, ..Limits::default() };
    Model { species, planar, limits, ..spheres(law, bead(1e9), properties, TimeStep::Fixed(time_step)) }
}

/// Elastic and without friction.
pub fn elastic() -> InteractionProperties {
    interaction(1.0, 0.0)
}

/// A grain of a model's species at its own size.
pub fn grain(
    model: &Model,
    species: SpeciesIndex,
    pose: Pose,
    velocity: DVec3,
    angular_velocity: DVec3,
) -> ListedGrain {
    let radius = model.species[species as usize].shape.bounding_radius();
    let Pose { position, orientation } = pose;
    ListedGrain { species, radius, position, orientation, velocity, angular_velocity }
}

/// A model with grains in it.
pub fn with_grains(model: Model, grains: Vec<ListedGrain>) -> Model {
    Model { insertions: vec![listed(grains)], ..model }
}

/// An orientation, about z only in the plane.
pub fn orientation(model: &Model, random: &mut Random) -> DQuat {
    if model.planar { DQuat::from_rotation_z(random.between(0.0, 6.3)) } else { random.orientation() }
}

/// A direction, in the plane if the model is planar.
pub fn direction(model: &Model, random: &mut Random) -> DVec3 {
    let direction = random.direction();
    if model.planar { (direction * DVec3::new(1.0, 1.0, 0.0)).normalize() } else { direction }
}

/// Poses of two grains that overlap by a depth [m], to a few per cent, a at the origin; and what they do there. The overlap is
/// the first one meets on the way in from afar.
pub fn overlapping(model: &Model, depth: f64, random: &mut Random) -> ([Pose; 2], ElasticWrench) {
    let towards = direction(model, random);
    let orientations = [orientation(model, random), orientation(model, random)];
    let poses =
        |distance: f64| [Pose::new(DVec3::ZERO, orientations[0]), Pose::new(towards * distance, orientations[1])];
    let look = |distance: f64| elastic_wrench(model, [0, 1], poses(distance));
    let (mut near, mut far) = (0.0, 3.0);
    for _ in 0..40 {
        let middle = 0.5 * (near + far);
        let found = look(middle);
        if (found.depth / depth - 1.0).abs() < 0.05 {
            return (poses(middle), found);
        }
        if found.depth > depth { near = middle } else { far = middle }
    }
    (poses(far), look(far))
}

/// Poses at which the gradient of the depth law is looked at, over all pairs.
pub const N_GRADIENT_POSES: usize = 3_200;

/// How far a body is moved and turned around a closed loop [m, rad].
pub fn loop_size(_: &Model) -> f64 {
    0.01
}

/// Every unordered pair of shapes.
pub fn pairs(shapes: &[(&'static str, Shape)]) -> Vec<(String, [Shape; 2])> {
    let mut pairs = Vec::new();
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (name_b, b) in &shapes[i..] {
            pairs.push((format!("{name_a} - {name_b}"), [a.clone(), b.clone()]));
        }
    }
    pairs
}

/// Every pair of shapes of space and every pair of shapes of the plane.
pub fn every_pair() -> impl Iterator<Item = (String, [Shape; 2])> {
    pairs(&solids()).into_iter().chain(pairs(&planar()))
}

/// Whether the region that two shapes share is known to rounding, or as near to it as makes no difference.
pub fn has_exact_region([a, b]: &[Shape; 2]) -> bool {
    let is_ball = |shape: &Shape| matches!(shape, Shape::Sphere(_));
    let is_cylinder = |shape: &Shape| matches!(shape, Shape::Cylinder(_) | Shape::Disc(_));
    let is_cut = |shape: &Shape| matches!(shape, Shape::Polyhedron(_) | Shape::Disc(_) | Shape::Polygon(_));
    (is_ball(a) && is_ball(b)) || (is_cut(a) && is_cut(b)) || (is_cylinder(a) && is_cylinder(b))
}

/// The pairs that a law is tried with. Under the depth law all; under the law of pressure and by sub-contacts those of flat-faced shapes; under the volume law with its usual exponent each shape with
/// itself and with the next, because regions of curved bodies take long; and with another exponent, which changes nothing
/// but w(V), those pairs whose regions are exact.
pub fn pairs_for(law: &Law) -> Vec<(String, [Shape; 2])> {
    let (solids, planar) = (solids(), planar());
    match law.kind {
        LawKind::Volume { exponent: VolumeExponent::ThreeHalves, .. } => {
            let ring = |shapes: &[(&'static str, Shape)]| -> Vec<(String, [Shape; 2])> {
                let next = |k: usize| &shapes[(k + 1) % shapes.len()];
                let pair = |a: &(&'static str, Shape), b: &(&'static str, Shape)| {
                    (format!("{} - {}", a.0, b.0), [a.1.clone(), b.1.clone()])
                };
                (0..shapes.len()).flat_map(|k| [pair(&shapes[k], &shapes[k]), pair(&shapes[k], next(k))]).collect()
            };
            ring(&solids).into_iter().chain(ring(&planar)).collect()
        }
        LawKind::Volume { .. } => every_pair().filter(|(_, shapes)| has_exact_region(shapes)).collect(),
        LawKind::Pressure { .. } => {
            let knows = |shapes: &[Shape; 2]| shapes.iter().all(|shape| law.kind.refuses(shape).is_none());
            every_pair().filter(|(_, shapes)| knows(shapes)).collect()
        }
        LawKind::Linear { .. } | LawKind::HertzMindlin { .. } if matches!(law.faces, Faces::SubContacts { .. }) => {
            // All others are met by their deepest points.
            every_pair().filter(|(_, shapes)| shapes.iter().all(has_patch)).collect()
        }
        LawKind::Linear { .. } | LawKind::HertzMindlin { .. } => every_pair().collect(),
    }
}

/// The law as runs use it: regions of curved bodies to the tolerance of a run.
pub fn in_runs(law: Law) -> Law {
    let mut law = law;
    if let LawKind::Volume { region_tolerance, .. } = &mut law.kind {
        *region_tolerance = LAW_REGION;
    }
    law
}

/// Does work on many cases, each on one thread, as many at a time as there are processors; answers in the order of the cases.
/// Pools within pools would pile one case's stack on another's.
pub fn each_on_one_thread<T: Sync, R: Send>(cases: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let n_threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let next = std::sync::atomic::AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(case) = cases.get(index) else { return done };
            done.push((index, work(case)));
        }
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..n_threads).map(|_| scope.spawn(|| on_threads(1, take))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
