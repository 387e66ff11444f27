//! The energy of a body in a wall, the sum of f(depth) over its contacts less that over their passes, has no steps, and the
//! force that follows from the contacts is its slope.

use crate::samples::*;
use glam::{DQuat, DVec3};
use std::cell::RefCell;
use std::f64::consts::{FRAC_PI_2, PI};
use tumble_geometry::narrow::{
    BeyondPlane, contact_body_surface, contact_mean_depth_surface, contact_measured_surface,
};
use tumble_geometry::oracle::Sequence;
use tumble_geometry::overlap::{Slope, Workspace, depth_moments_half_space, overlap_half_space_from};
use tumble_geometry::{
    Capsule, ContactBody, Cylinder, DEFAULT_CROWN, Mesh, Pose, Revolved, Shape, Sphere, Superquadric, Surface,
    SurfaceContact, Tablet, TruncatedCone,
};

/// A body at a wall, under a law whose energy is half of the square of the depth.
pub struct Meeting<'a> {
    pub body: &'a ContactBody,
    pub surface: &'a Surface,
    pub depth: Depth,
}

/// Which depth counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Depth {
    /// That of the farthest point.
    Farthest,
    /// The mean one of what of the body lies beyond a plane.
    Mean,
    /// The volume of that: the energy is the volume itself.
    Volume,
    /// The integral of the depth over that, which is the energy.
    Integral,
}

/// A contact or pass, its energy, and what it does to the body.
struct Part {
    energy: f64,
    force: DVec3,
    /// About the origin.
    torque: DVec3,
}

impl Meeting<'_> {
    /// Contacts and passes.
    fn parts(&self, pose: &Pose) -> Vec<Part> {
        let mut found = Vec::new();
        let by_depth = |(contact, slope): (&SurfaceContact, f64)| {
            let depth = contact.separation.min(0.0);
            let force = contact.normal * (contact.weight * slope * depth);
            Part { energy: 0.5 * contact.weight * depth * depth, force, torque: contact.point.cross(force) }
        };
        let shape = self.body.shape();
        match self.depth {
            Depth::Farthest => {
                contact_body_surface(self.body, self.surface, pose, 0.0, &mut found);
                found.iter().map(|contact| by_depth((contact, 1.0))).collect()
            }
            Depth::Mean => {
                let (mut yielded, mut workspace) = (Vec::new(), Workspace::default());
                contact_mean_depth_surface(shape, self.surface, pose, &mut workspace, &mut found, &mut yielded);
                yielded.iter().map(|y| by_depth((&y.contact, y.slope))).collect()
            }
            Depth::Volume | Depth::Integral => {
                let workspace = RefCell::new(Workspace::default());
                let beyond = |pose: &Pose, point: DVec3, normal: DVec3| {
                    self.beyond(pose, point, normal, &mut workspace.borrow_mut())
                };
                let area = PI * shape.bounding_radius().powi(2);
                let measure = |direction: DVec3, distance: f64| {
                    let (v, Slope { shift, turn }) = beyond(&Pose::IDENTITY, direction * distance, direction)?;
                    let (depth, slope, point) =
                        (v / area, shift.length() / area, shift.cross(turn) / shift.length_squared());
                    let root = depth.sqrt();
                    Some(match self.depth {
                        Depth::Integral => BeyondPlane { depth: root, slope: 0.5 * slope / root, point },
                        _ => BeyondPlane { depth, slope, point },
                    })
                };
                let accuracy = shape.bounding_radius() * if is_by_quadrature(shape) { 1e-8 } else { 2e-11 };
                contact_measured_surface(shape, self.surface, pose, &measure, accuracy, &mut found);
                let part = |contact: &SurfaceContact| {
                    let (v, Slope { shift, turn }) = beyond(pose, contact.point, contact.normal)?;
                    let weight = contact.weight;
                    Some(Part { energy: weight * v, force: -weight * shift, torque: -weight * turn })
                };
                found.iter().filter_map(part).collect()
            }
        }
    }

    /// What is measured of the body beyond a plane, and how that changes.
    fn beyond(&self, pose: &Pose, point: DVec3, normal: DVec3, workspace: &mut Workspace) -> Option<(f64, Slope)> {
        let plane = Pose::new(point, DQuat::from_rotation_arc(DVec3::Z, -normal));
        let (shape, seen) = (self.body.shape(), plane.relative(pose));
        if let Depth::Integral = self.depth {
            let moments = depth_moments_half_space(shape, &seen, workspace)?.transformed(&plane);
            return (moments.depth_integral > 0.0).then_some((moments.depth_integral, moments.depth_slope));
        }
        let region = overlap_half_space_from(shape, &seen, workspace).unwrap_or_else(|unresolved| unresolved.best)?;
        let region = region.transformed(&plane);
        (region.volume > 0.0 && region.vector_area.length() > 0.0)
            .then_some((region.volume, Slope { shift: region.vector_area, turn: region.first_moment }))
    }

    pub fn energy(&self, pose: &Pose) -> f64 {
        self.parts(pose).iter().map(|part| part.energy).sum()
    }

    /// Force on the body, and torque about its centre.
    pub fn wrench(&self, pose: &Pose) -> (DVec3, DVec3) {
        let parts = self.parts(pose);
        let sum = |of: fn(&Part) -> DVec3| parts.iter().map(of).sum::<DVec3>();
        let force = sum(|part| part.force);
        (force, sum(|part| part.torque) - pose.position.cross(force))
    }

    /// The largest jump of the energy along a path from 0 to 1, over the largest energy met, and where it is. The steps of a path that
    /// the slope explains least are halved until nothing but a jump is left of them.
    pub fn largest_jump(&self, path: impl Fn(f64) -> Pose, n_steps: usize) -> (f64, f64) {
        const N_LOOKED_INTO: usize = 12;
        let energy = |t: f64| self.energy(&path(t));
        let energies: Vec<f64> = (0..=n_steps).map(|k| energy(k as f64 / n_steps as f64)).collect();
        let most = energies.iter().fold(0.0_f64, |most, e| most.max(*e));
        assert!(most > 0.0, "no contact");
        // What a straight line through the neighbours leaves.
        let bend = |k: usize| {
            let before = if k > 0 { energies[k] - energies[k - 1] } else { f64::INFINITY };
            let after = if k + 2 <= n_steps { energies[k + 2] - energies[k + 1] } else { f64::INFINITY };
            let step = energies[k + 1] - energies[k];
            (step - before).abs().min((step - after).abs())
        };
        let mut steps: Vec<usize> = (0..n_steps).collect();
        steps.sort_by(|a, b| bend(*b).total_cmp(&bend(*a)));
        let mut jump = (0.0, 0.0);
        for k in steps.into_iter().take(N_LOOKED_INTO) {
            let (mut low, mut high) = (k as f64 / n_steps as f64, (k + 1) as f64 / n_steps as f64);
            let (mut at_low, mut at_high) = (energies[k], energies[k + 1]);
            while high - low > 1e-13 {
                let middle = 0.5 * (low + high);
                let at_middle = energy(middle);
                if (at_middle - at_low).abs() > (at_high - at_middle).abs() {
                    (high, at_high) = (middle, at_middle);
                } else {
                    (low, at_low) = (middle, at_middle);
                }
            }
            if (at_high - at_low).abs() > jump.0 {
                jump = ((at_high - at_low).abs(), low);
            }
        }
        (jump.0 / most, jump.1)
    }

    /// The largest difference between force and torque and the slopes of the energy, over the force; lengths about one.
    pub fn gradient_error(&self, pose: &Pose, h: f64) -> f64 {
        let (force, torque) = self.wrench(pose);
        let energy = |motion: DVec3, turn: DVec3| {
            self.energy(&Pose::new(pose.position + motion, DQuat::from_scaled_axis(turn) * pose.orientation))
        };
        let slope = |motion: DVec3, turn: DVec3| {
            let at = |k: f64| energy(motion * (k * h), turn * (k * h));
            (at(-2.0) - 8.0 * at(-1.0) + 8.0 * at(1.0) - at(2.0)) / (12.0 * h)
        };
        let forces = DVec3::AXES.map(|axis| (slope(axis, DVec3::ZERO) + force.dot(axis)).abs());
        let torques = DVec3::AXES.map(|axis| (slope(DVec3::ZERO, axis) + torque.dot(axis)).abs());
        forces.into_iter().chain(torques).fold(0.0, f64::max) / force.length()
    }
}

/// Whether regions of a shape beyond a plane come from quadrature.
pub fn is_by_quadrature(shape: &Shape) -> bool {
    matches!(shape, Shape::Superquadric(s) if s.n1 != 2.0 || s.n2 != 2.0)
}

/// Bodies as runs meet them, of size about one.
pub fn bodies() -> Vec<(&'static str, ContactBody)> {
    let superquadric =
        |n1: f64, n2: f64| Shape::Superquadric(Superquadric { semi_axes: DVec3::new(0.5, 0.7, 0.9), n1, n2 });
    let shapes = [
        ("sphere", Shape::Sphere(Sphere { radius: 0.7 })),
        ("cylinder", Shape::Cylinder(Cylinder { radius: 0.5, half_height: 0.5 })),
        ("coin", Shape::Cylinder(Cylinder { radius: 0.9, half_height: 0.08 })),
        ("rod", Shape::Cylinder(Cylinder { radius: 0.12, half_height: 1.0 })),
        ("cone", Shape::TruncatedCone(TruncatedCone { lower_radius: 0.7, upper_radius: 0.3, height: 0.9 })),
        ("tablet", Shape::Tablet(Tablet { radius: 0.6, half_height: 0.15, dome_height: 0.25 })),
        ("capsule", Shape::Capsule(Capsule { radius: 0.3, half_height: 0.6 })),
        ("ellipsoid", superquadric(2.0, 2.0)),
        ("superquadric", superquadric(4.0, 3.0)),
        ("cube", Shape::Polyhedron(cuboid(DVec3::splat(0.5)))),
        ("slab", Shape::Polyhedron(cuboid(DVec3::new(0.9, 0.6, 0.05)))),
        ("tetrahedron", Shape::Polyhedron(tetrahedron())),
    ];
    shapes.into_iter().map(|(name, shape)| (name, ContactBody::new(&shape, DEFAULT_CROWN))).collect()
}

/// A wall, and a place of it by two numbers from 0 to 1, with the normal into the wall there.
pub type Room = (&'static str, Surface, fn(f64, f64) -> (DVec3, DVec3));

pub fn rooms() -> Vec<Room> {
    fn around(angle: f64, rho: f64, z: f64, along: f64, up: f64) -> (DVec3, DVec3) {
        let outward = DVec3::new(angle.cos(), angle.sin(), 0.0);
        (outward * rho + DVec3::Z * z, outward * along + DVec3::Z * up)
    }
    vec![
        ("tube", tube(3.75, 50.0), |a, z| around(2.0 * PI * a, 3.75, 4.0 * z - 2.0, 1.0, 0.0)),
        ("wide tube", tube(30.0, 50.0), |a, z| around(2.0 * PI * a, 30.0, 4.0 * z - 2.0, 1.0, 0.0)),
        ("cone", Surface::Revolved(Revolved::cone(1.0, 61.0, 30.0).unwrap()), |a, z| {
            // At 45 degrees, radius 31 + height.
            let height = -25.0 + 2.0 * z;
            let s = 0.5f64.sqrt();
            around(2.0 * PI * a, 31.0 + height, height, s, -s)
        }),
    ]
}

/// A body put against a wall so that it is this deep in its deepest place, as a plane at that place sees it.
pub fn put(body: &ContactBody, (place, normal): (DVec3, DVec3), orientation: DQuat, depth: f64) -> Pose {
    let local = orientation.inverse() * normal;
    Pose::new(place - normal * (body.reach_along(local) - depth), orientation)
}

/// A body put into the edge of a drum of radius 3 and half length 2.5, by its depths in the side at an angle and in the end.
pub fn put_into_edge(body: &ContactBody, angle: f64, orientation: DQuat, depths: [f64; 2]) -> Pose {
    let outward = DVec3::new(angle.cos(), angle.sin(), 0.0);
    let reach = |normal: DVec3| body.reach_along(orientation.inverse() * normal);
    let place = outward * (3.0 - reach(outward) + depths[0]) + DVec3::Z * (2.5 - reach(DVec3::Z) + depths[1]);
    Pose::new(place, orientation)
}

/// The reported case, with its lengths in millimetres: a cylinder 8 mm long and wide, 0.1 mm deep in a tube of 30 mm.
#[test]
fn a_cylinder_that_turns_across_a_tube_has_no_step_in_its_energy() {
    let shape = Shape::Cylinder(Cylinder { radius: 4.0, half_height: 4.0 });
    let surface = tube(30.0, 500.0);
    for crown in [0.0, DEFAULT_CROWN, 0.01] {
        let body = ContactBody::new(&shape, crown);
        let meeting = Meeting { body: &body, surface: &surface, depth: Depth::Farthest };
        let path = |t: f64| {
            let yaw = DQuat::from_rotation_x(FRAC_PI_2 * t);
            put(&body, (DVec3::X * 30.0, DVec3::X), yaw, 0.1)
        };
        let (jump, at) = meeting.largest_jump(path, 2000);
        println!("crown {crown}: {jump:.1e} of the largest energy at a yaw of {}", FRAC_PI_2 * at);
        assert!(jump < 1e-9, "crown {crown}: {jump:e} at {at}");
    }
}

#[test]
fn bodies_of_every_shape_that_turn_and_slide_inside_walls_have_no_steps_in_their_energy() {
    let mut worst = (0.0, String::new());
    for (room, surface, wall) in rooms() {
        for (name, body) in bodies() {
            let meeting = Meeting { body: &body, surface: &surface, depth: Depth::Farthest };
            for seed in 0..4 {
                let mut random = Sequence::new(100 + seed);
                let (start, axis) = (random.orientation(), random.direction());
                let begin = [random.unit(), random.unit()];
                // Along and across the wall to begin with, and turning any way.
                let start = if seed % 2 == 0 { start } else { DQuat::from_rotation_z(2.0 * PI * begin[0]) };
                let depth = [0.01, 0.03][seed as usize / 2];
                let path = |t: f64| {
                    let orientation = DQuat::from_axis_angle(axis, 1.5 * t) * start;
                    put(&body, wall(begin[0] + 0.1 * t, begin[1] + 0.1 * t), orientation, depth)
                };
                let (jump, at) = meeting.largest_jump(path, 400);
                if jump > worst.0 {
                    worst = (jump, format!("{name} in a {room}, {seed}, at {at}"));
                }
                if jump > 1e-9 {
                    println!("{name} in a {room} {seed}: {jump:e} at {at}");
                }
            }
        }
    }
    println!("{:.1e}: {}", worst.0, worst.1);
    assert!(worst.0 < 1e-9, "{:e}: {}", worst.0, worst.1);
}

#[test]
fn bodies_of_every_shape_that_go_into_the_edge_of_a_drum_have_no_steps_in_their_energy() {
    let surface = closed_drum(3.0, 2.5);
    let mut worst = (0.0, String::new());
    for (name, body) in bodies() {
        let meeting = Meeting { body: &body, surface: &surface, depth: Depth::Farthest };
        for seed in 0..6 {
            let mut random = Sequence::new(200 + seed);
            let (start, axis) = (random.orientation(), random.direction());
            let path = |t: f64| {
                let orientation = DQuat::from_axis_angle(axis, 0.5 * t) * start;
                put_into_edge(&body, 1.0 + 0.2 * t, orientation, [0.03 - 0.04 * t, 0.04 * t - 0.01])
            };
            let (jump, at) = meeting.largest_jump(path, 400);
            if jump > worst.0 {
                worst = (jump, format!("{name}, {seed}, at {at}"));
            }
        }
    }
    println!("{:.1e}: {}", worst.0, worst.1);
    assert!(worst.0 < 1e-9, "{:e}: {}", worst.0, worst.1);
}

#[test]
fn force_and_torque_of_bodies_inside_walls_are_the_slope_of_their_energy() {
    for (room, surface, wall) in rooms() {
        for (name, body) in bodies() {
            let meeting = Meeting { body: &body, surface: &surface, depth: Depth::Farthest };
            let mut random = Sequence::new(7);
            let mut errors: Vec<f64> = (0..40)
                .map(|_| {
                    let depth = random.between(0.01, 0.04);
                    let place = wall(random.unit(), random.unit());
                    let pose = put(&body, place, random.orientation(), depth);
                    [1e-2, 2e-3].map(|h| meeting.gradient_error(&pose, h * depth)).into_iter().fold(f64::MAX, f64::min)
                })
                .collect();
            errors.sort_by(f64::total_cmp);
            let n_off = errors.iter().filter(|e| **e > 1e-6).count();
            println!("{name} in a {room}: median {:.1e}, {n_off} at a switch", errors[errors.len() / 2]);
            assert!(n_off <= 4 && errors[errors.len() / 2] < 1e-6, "{name} in a {room}: {errors:?}");
        }
    }
}

/// A strip along y whose profile (x, z) is given, cut into triangles, finely along y.
fn strip(profile: &[(f64, f64)], n: u32) -> Surface {
    let vertices = profile
        .iter()
        .flat_map(|&(x, z)| (0..=n).map(move |j| DVec3::new(x, 8.0 * (f64::from(j) / f64::from(n) - 0.5), z)));
    let triangles = (0..profile.len() as u32 - 1).flat_map(|i| {
        (0..n).flat_map(move |j| {
            let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| i * (n + 1) + j);
            [[a, b, c], [a, c, d]]
        })
    });
    Surface::Mesh(Mesh::new(vertices.collect(), triangles.collect()).unwrap())
}

/// A pyramid with five sides whose top is at the origin.
fn peak(steepness: f64) -> Surface {
    let rim = |k: u32| {
        let angle = 0.4 * PI * f64::from(k) + 0.3;
        DVec3::new(5.0 * angle.cos(), 5.0 * angle.sin(), -5.0 * steepness)
    };
    let vertices = [DVec3::ZERO].into_iter().chain((0..5).map(rim)).collect();
    let triangles = (0..5).map(|k| [0, 1 + k, 1 + (k + 1) % 5]).collect();
    Surface::Mesh(Mesh::new(vertices, triangles).unwrap())
}

/// Grounds to roll over, most of them hollow.
fn grounds() -> Vec<(&'static str, Surface)> {
    let arc = |n: u32, radius: f64| -> Vec<(f64, f64)> {
        (0..=n)
            .map(|k| {
                let angle = 1.2 * (f64::from(k) / f64::from(n) - 0.5);
                (radius * angle.sin(), radius * (1.0 - angle.cos()))
            })
            .collect()
    };
    let waves = |height: f64| -> Vec<(f64, f64)> {
        (0..=60).map(|k| (0.1 * f64::from(k) - 3.0, height * (0.9 * f64::from(k)).sin())).collect()
    };
    vec![
        ("flat floor", strip(&[(-4.0, 0.0), (-0.3, 0.0), (0.7, 0.0), (4.0, 0.0)], 7)),
        ("shallow groove", strip(&[(-4.0, 0.16), (0.0, 0.0), (4.0, 0.16)], 5)),
        ("groove", strip(&[(-4.0, 2.0), (0.0, 0.0), (4.0, 2.0)], 5)),
        ("ridge", strip(&[(-4.0, -0.4), (0.0, 0.0), (4.0, -0.4)], 5)),
        ("peak", peak(0.15)),
        ("coarse trough", strip(&arc(12, 3.0), 9)),
        ("fine trough", strip(&arc(80, 3.0), 9)),
        ("waves", strip(&waves(0.02), 9)),
        ("gentle waves", strip(&waves(0.003), 9)),
    ]
}

#[test]
fn a_ball_that_rolls_over_a_mesh_has_no_steps_in_its_energy_and_its_force_is_the_slope() {
    let body = ContactBody::new(&Shape::Sphere(Sphere { radius: 0.7 }), DEFAULT_CROWN);
    for (name, surface) in grounds().into_iter().filter(|(name, _)| *name != "peak") {
        let meeting = Meeting { body: &body, surface: &surface, depth: Depth::Farthest };
        let (mut largest, mut at) = (0.0, 0.0);
        let mut n_off = 0;
        for (seed, depth) in [(0, 0.003), (1, 0.02), (2, 0.06)] {
            let mut random = Sequence::new(seed);
            let (y, drift) = (random.between(-1.0, 1.0), random.between(-0.3, 0.3));
            let height = |x: f64| if name.ends_with("trough") { 3.0 - (9.0 - x * x).sqrt() } else { 0.0 };
            let path = |t: f64| {
                let x = 3.0 * (t - 0.5);
                Pose::from_position(DVec3::new(x, y + drift * t, 0.7 - depth + height(0.77 * x)))
            };
            let jump = meeting.largest_jump(path, 1500);
            (largest, at) = if jump.0 > largest { jump } else { (largest, at) };
            for _ in 0..60 {
                let pose = path(random.unit() * 0.9 + 0.05);
                let is_touching = meeting.energy(&pose) > 1e-6;
                let error =
                    [1e-2, 1e-3].map(|h| meeting.gradient_error(&pose, h * depth)).into_iter().fold(f64::MAX, f64::min);
                n_off += usize::from(is_touching && error > 1e-6);
            }
        }
        println!("{name}: {largest:.1e} at {at}, {n_off} of 180 at a switch");
        assert!(largest < 1e-9, "{name}: {largest:e} at {at}");
        assert!(n_off <= 9, "{name}: {n_off}");
    }
}

#[test]
fn a_ball_in_a_finely_divided_trough_or_bowl_is_held_as_in_a_smooth_one() {
    let body = ContactBody::new(&Shape::Sphere(Sphere { radius: 0.7 }), DEFAULT_CROWN);
    let smooth = tube(3.0, 10.0);
    let energy = |surface: &Surface, pose: Pose| Meeting { body: &body, surface, depth: Depth::Farthest }.energy(&pose);
    let divided = grounds().into_iter().find(|(name, _)| *name == "fine trough").unwrap().1;
    // A bowl whose profile is cut up.
    let bowl = |n: u32| {
        let corner = |k: u32| {
            let angle = FRAC_PI_2 * f64::from(k) / f64::from(n);
            [3.0 * angle.sin(), 3.0 * (1.0 - angle.cos())]
        };
        Surface::Revolved(Revolved::new((0..=n).map(corner).collect()).unwrap())
    };
    let ball = |x: f64, depth: f64| DVec3::new((2.3 + depth) * x.sin(), 0.0, 3.0 - (2.3 + depth) * x.cos());
    let (fine, coarse) = (bowl(100), bowl(9));
    for k in 0..50 {
        let x = 0.004 * f64::from(k);
        let depth = 0.02;
        let in_tube = energy(&smooth, Pose::from_position(DVec3::X * (2.3 + depth)));
        let in_trough = energy(&divided, Pose::from_position(ball(x, depth)));
        let in_bowl = energy(&fine, Pose::from_position(ball(x + 0.5, depth)));
        // The facets stand off the round wall by r angle^2 / 8 of each: 8.4e-5 and 9e-5.
        assert!((in_trough / in_tube - 1.0).abs() < 0.02, "{x}: {in_trough} {in_tube}");
        assert!((in_bowl / in_tube - 1.0).abs() < 0.02, "{x}: {in_bowl} {in_tube}");
    }
    for surface in [&fine, &coarse] {
        let path = |t: f64| Pose::from_position(ball(0.3 + t, 0.03));
        let (jump, at) = Meeting { body: &body, surface, depth: Depth::Farthest }.largest_jump(path, 2000);
        assert!(jump < 1e-9, "{jump:e} at {at}");
    }
}

/// A body that turns and slides over a ground, by a seed: how deep its lowest point is below a plane.
fn over_ground<'a>(body: &'a ContactBody, name: &'a str, seed: u64) -> impl Fn(f64) -> Pose + 'a {
    let mut random = Sequence::new(300 + seed);
    let (start, axis) = (random.orientation(), random.direction());
    // Flat on the ground to begin with, and turning any way.
    let start = if seed.is_multiple_of(2) { start } else { DQuat::IDENTITY };
    let (y, drift, turn) = (random.between(-1.0, 1.0), random.between(-0.3, 0.3), random.between(0.0, 0.5));
    // No more than a twelfth of half of the least width.
    let least = DVec3::AXES.iter().map(|&axis| body.reach_along(axis)).fold(0.5, f64::min);
    let depth = f64::min([0.003, 0.01, 0.02][seed as usize % 3], least / 12.0);
    move |t: f64| {
        let orientation = DQuat::from_axis_angle(axis, turn * t) * start;
        let width = match name {
            "coarse trough" | "fine trough" => 1.2,
            "ridge" | "peak" => 0.3,
            _ => 3.0,
        };
        let x = width * (t - 0.5);
        let y = y + drift * t;
        let reach = |direction: DVec3| body.reach_along(orientation.inverse() * direction);
        let directions = (0..=16).flat_map(|i| {
            (0..=16).map(move |j| {
                let [x, y] = [i, j].map(|k| (f64::from(k) / 8.0 - 1.0) * 0.3);
                DVec3::new(x, y, -1.0).normalize()
            })
        });
        // As deep as that in every direction in which the top can be met.
        let under =
            |y: f64, direction: DVec3| (depth - reach(direction) - direction.x * x - direction.y * y) / direction.z;
        let height = match name {
            "ridge" => directions.filter(|d| d.y.abs() < 1e-9).map(|d| under(0.0, d)).fold(f64::MAX, f64::min),
            "peak" => directions.map(|d| under(0.2 * y, d)).fold(f64::MAX, f64::min),
            // As deep below the surface as that in the deepest of some places.
            _ => {
                let surface = |x: f64| match name {
                    "coarse trough" | "fine trough" => 3.0 - (9.0 - x * x).max(0.0).sqrt(),
                    "groove" => 0.5 * x.abs(),
                    "shallow groove" => 0.04 * x.abs(),
                    "waves" => 0.02,
                    "gentle waves" => 0.003,
                    _ => 0.0,
                };
                let needed = (0..=40).map(|k| {
                    let angle = (f64::from(k) / 20.0 - 1.0) * 0.5;
                    let local = orientation.inverse() * DVec3::new(angle.sin(), 0.0, -angle.cos());
                    let point = orientation * body.support(local);
                    surface(x + point.x) - point.z
                });
                needed.fold(f64::MIN, f64::max) - depth
            }
        };
        Pose::new(DVec3::new(x, if name == "peak" { 0.2 * y } else { y }, height), orientation)
    }
}

/// Every body over every ground; those with flat faces only by their mean depth too.
fn for_each_over_a_mesh(mut check: impl FnMut(&str, &str, Meeting)) {
    for (ground, surface) in grounds() {
        for (name, body) in bodies() {
            check(ground, name, Meeting { body: &body, surface: &surface, depth: Depth::Farthest });
            if body.shape().as_polyhedron().is_some() {
                check(ground, name, Meeting { body: &body, surface: &surface, depth: Depth::Mean });
            }
        }
    }
}

#[test]
fn bodies_of_every_shape_that_turn_and_slide_over_meshes_have_no_steps_in_their_energy() {
    let mut n_off = 0;
    for_each_over_a_mesh(|ground, name, meeting| {
        let mut worst = (0.0, 0, 0.0);
        for seed in 0..4 {
            let (jump, at) = meeting.largest_jump(over_ground(meeting.body, ground, seed), 120);
            worst = if jump > worst.0 { (jump, seed, at) } else { worst };
        }
        if worst.0 > 1e-7 {
            println!("{name} over a {ground}, {:?}: {worst:?}", meeting.depth);
            n_off += 1;
        }
    });
    assert_eq!(n_off, 0);
}

#[test]
fn force_and_torque_of_bodies_on_meshes_are_the_slope_of_their_energy() {
    for_each_over_a_mesh(|ground, name, meeting| {
        let mut random = Sequence::new(8);
        let mut errors: Vec<f64> = (0..36)
            .map(|k| over_ground(meeting.body, ground, k % 6)(random.between(0.05, 0.95)))
            .filter(|pose| meeting.energy(pose) > 1e-7)
            .map(|pose| [1e-4, 1e-5].map(|h| meeting.gradient_error(&pose, h)).into_iter().fold(f64::MAX, f64::min))
            .collect();
        errors.sort_by(f64::total_cmp);
        let n_off = errors.iter().filter(|e| **e > 1e-5).count();
        let what = format!("{name} over a {ground}, {:?}", meeting.depth);
        println!("{what}: median {:.1e}, {n_off} of {} at a switch", errors[errors.len() / 2], errors.len());
        assert!(errors.len() >= 3 && n_off <= errors.len() / 5, "{what}: {errors:?}");
    });
}

#[test]
fn bodies_in_a_finely_divided_trough_are_held_as_in_a_smooth_one() {
    let smooth = tube(3.0, 10.0);
    let divided = grounds().into_iter().find(|(name, _)| *name == "fine trough").unwrap().1;
    // Inside a wall of revolution every corner of a polyhedron bears on its own.
    for (name, body) in bodies().into_iter().filter(|(_, body)| body.shape().as_polyhedron().is_none()) {
        for seed in 0..6 {
            for k in 1..20 {
                let pose = over_ground(&body, "fine trough", seed)(f64::from(k) / 20.0);
                // The trough lies along y below its axis at a height of 3.
                let stand = DQuat::from_rotation_x(-FRAC_PI_2);
                let in_tube = Pose::new(stand * (pose.position - DVec3::Z * 3.0), stand * pose.orientation);
                let [a, b] = [(&divided, pose), (&smooth, in_tube)]
                    .map(|(surface, pose)| Meeting { body: &body, surface, depth: Depth::Farthest }.energy(&pose));
                let depth = (2.0 * b).sqrt();
                // The facets stand off the round wall by 8.4e-5.
                assert!((a.sqrt() - b.sqrt()).abs() < 2e-4, "{name}, {seed}, {k}: {a:e} {b:e} {depth}");
            }
        }
    }
}
