use super::*;
use flate2::read::ZlibDecoder;
use glam::{DMat3, DQuat, DVec3};
use std::fs;
use std::io::Read;
use tumble_engine::boundary::wall::Wall;
use tumble_engine::model::Species;
use tumble_engine::observe::{ContactRecord, Partner};
use tumble_engine::state::WallState;
use tumble_engine::{Model, State};
use tumble_geometry::{Cylinder, Mesh, Polyhedron, Pose, Revolved, Shape, Surface};

/// A file taken apart again: its XML and what follows the underscore.
struct Parsed {
    xml: String,
    appended: Vec<u8>,
}

impl Parsed {
    fn of(path: &Path) -> Parsed {
        let bytes = fs::read(path).unwrap();
        let marker = b"<AppendedData encoding=\"raw\">\n_";
        let place = bytes.windows(marker.len()).position(|window| window == marker).unwrap() + marker.len();
        assert!(bytes.ends_with(b"\n</AppendedData>\n</VTKFile>\n"));
        Parsed { xml: String::from_utf8(bytes[..place].to_vec()).unwrap(), appended: bytes[place..].to_vec() }
    }

    /// Type, number of components and bytes of an array.
    fn array(&self, name: &str) -> (String, usize, Vec<u8>) {
        let line = self.xml.lines().find(|line| line.contains(&format!("Name=\"{name}\""))).unwrap();
        let attribute = |key: &str| line.split_once(&format!(" {key}=\"")).unwrap().1.split_once('"').unwrap().0;
        let at: usize = attribute("offset").trim().parse().unwrap();
        let word = |i: usize| u64::from_le_bytes(self.appended[at + 8 * i..][..8].try_into().unwrap()) as usize;
        let (n_blocks, whole, partial) = (word(0), word(1), word(2));
        let mut start = at + 8 * (3 + n_blocks);
        let mut bytes = Vec::new();
        for block in 0..n_blocks {
            let before = bytes.len();
            ZlibDecoder::new(&self.appended[start..start + word(3 + block)]).read_to_end(&mut bytes).unwrap();
            start += word(3 + block);
            let last = block + 1 == n_blocks;
            assert_eq!(bytes.len() - before, if last && partial > 0 { partial } else { whole });
        }
        (attribute("type").to_owned(), attribute("NumberOfComponents").parse().unwrap(), bytes)
    }

    fn floats(&self, name: &str) -> Vec<f64> {
        let (kind, _, bytes) = self.array(name);
        assert_eq!(kind, "Float64");
        bytes.chunks(8).map(|word| f64::from_le_bytes(word.try_into().unwrap())).collect()
    }

    fn integers(&self, name: &str) -> Vec<i64> {
        let (kind, _, bytes) = self.array(name);
        assert_eq!(kind, "Int64");
        bytes.chunks(8).map(|word| i64::from_le_bytes(word.try_into().unwrap())).collect()
    }

    fn vectors(&self, name: &str) -> Vec<DVec3> {
        assert_eq!(self.array(name).1, 3);
        self.floats(name).chunks(3).map(DVec3::from_slice).collect()
    }
}

fn sample_state(n: usize) -> State {
    let mut state = State { step: 250, time: 0.25, time_step: 1e-3, ..State::default() };
    for i in 0..n {
        let x = i as f64;
        let particles = &mut state.particles;
        particles.id.push(1_000_000 - i as u32);
        particles.species.push(i as u16 % 3);
        particles.scale.push(1.0);
        particles.radius.push(0.1 + 0.01 * x);
        particles.mass.push(0.1 * x);
        particles.inertia.push(1.0);
        particles.position.push(DVec3::new(x, -x, 1.0 / 3.0));
        particles.velocity.push(DVec3::new(0.0, 0.1, x));
        particles.orientation.push(DQuat::from_xyzw(0.1, 0.2, 0.3, x));
        particles.angular_velocity.push(DVec3::new(x, 0.0, -1.0));
        particles.angular_momentum.push(DVec3::ZERO);
        particles.force.push(DVec3::ZERO);
        particles.torque.push(DVec3::ZERO);
        particles.image.push([0; 3]);
    }
    state
}

fn sample_model() -> Model {
    crate::sample_model::model(Vec::new())
}

/// A sphere, a cylinder, and a box that was given in a frame turned by 90 degrees about z.
fn model_of_three_kinds() -> Model {
    let mut model = sample_model();
    let corners: Vec<DVec3> =
        (0..8).map(|k| DVec3::from_array([1, 2, 4].map(|bit| if k & bit == 0 { -0.5 } else { 0.5 }))).collect();
    let cuboid = Polyhedron::from_points(&corners).unwrap();
    model.species.push(Species::new("rod", &Shape::Cylinder(Cylinder { radius: 0.3, half_height: 1.0 }), 0));
    model.species.push(Species::new("cube", &Shape::Polyhedron(cuboid), 0));
    let turn = DQuat::from_xyzw(0.0, 0.0, 0.5f64.sqrt(), 0.5f64.sqrt());
    model.species[2].given_frame = Pose::new(DVec3::ZERO, turn);
    model
}

/// All that a frame can hold.
const ALL: FrameContents = FrameContents { contacts: true, surfaces: true };

fn contact(a: usize, partner: Partner, point: DVec3) -> ContactRecord {
    ContactRecord {
        a,
        partner,
        point,
        normal: DVec3::Z,
        overlap: 1e-6,
        branch: DVec3::ZERO,
        force: DVec3::new(0.0, 0.5, -2.0),
        couple: DVec3::ZERO,
    }
}

fn model_with(surfaces: Vec<(Surface, Pose)>) -> (Model, State) {
    let mut state = sample_state(0);
    let walls = surfaces
        .into_iter()
        .enumerate()
        .map(|(i, (surface, pose))| {
            state.walls.push(WallState::at_rest(pose));
            Wall { name: format!("wall {i}"), surface, pose, material: 0, ..Wall::default() }
        })
        .collect();
    (crate::sample_model::model(walls), state)
}

#[test]
fn particles_keep_every_bit() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("particles.vtp");
    let model = model_of_three_kinds();
    // 20,000 positions make two blocks, the second one not full.
    for n in [0, 1, 20_000] {
        let state = sample_state(n);
        let coordination: Vec<u32> = (0..n as u32).map(|i| i % 12).collect();
        write_particles(&path, &model, &state, &coordination).unwrap();
        let file = Parsed::of(&path);
        assert!(file.xml.contains(&format!("<Piece NumberOfPoints=\"{n}\" NumberOfVerts=\"{n}\" ")));
        assert_eq!(file.vectors("Points"), state.particles.position);
        assert_eq!(file.vectors("velocity"), state.particles.velocity);
        assert_eq!(file.vectors("angular_velocity"), state.particles.angular_velocity);
        assert_eq!(file.floats("radius"), state.particles.radius);
        assert_eq!(file.floats("mass"), state.particles.mass);
        // The frame in which a shape was given is the engine's for the first two kinds, turned by 90 degrees for the third.
        let turn = DQuat::from_xyzw(0.0, 0.0, 0.5f64.sqrt(), 0.5f64.sqrt());
        let (orientation, axes) = (file.floats("orientation"), file.floats("axes"));
        assert_eq!((file.array("orientation").1, file.array("axes").1), (4, 9));
        for (i, (&own, q)) in state.particles.orientation.iter().zip(orientation.chunks(4)).enumerate() {
            let given = if i % 3 == 2 { own * turn } else { own };
            assert_eq!([q[0], q[1], q[2], q[3]], [given.w, given.x, given.y, given.z]);
            let columns = DMat3::from_quat(given) * state.particles.radius[i];
            assert_eq!(axes[9 * i..9 * i + 9], columns.to_cols_array());
        }
        let shapes: Vec<u8> = (0..n).map(|i| [0, 1, 5][i % 3]).collect();
        assert_eq!(file.array("shape"), ("UInt8".to_owned(), 1, shapes));
        let bytes = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        assert_eq!(file.array("id"), ("UInt32".to_owned(), 1, bytes(&state.particles.id)));
        assert_eq!(file.array("coordination"), ("UInt32".to_owned(), 1, bytes(&coordination)));
        let species = state.particles.species.iter().flat_map(|s| s.to_le_bytes()).collect();
        assert_eq!(file.array("species"), ("UInt16".to_owned(), 1, species));
        assert_eq!(file.floats("TimeValue"), [state.time]);
        assert_eq!(file.array("step").2, 250u64.to_le_bytes());
        assert_eq!(file.integers("connectivity"), (0..n as i64).collect::<Vec<_>>());
        assert_eq!(file.integers("offsets"), (1..=n as i64).collect::<Vec<_>>());
    }
    let message = write_particles(&path, &model, &sample_state(2), &[1]).unwrap_err().to_string();
    assert!(message.contains("1 coordination numbers for 2 particles"), "{message}");
    let message = write_particles(&path, &sample_model(), &sample_state(2), &[1, 1]).unwrap_err().to_string();
    assert!(message.contains("a particle of species 1 of 1"), "{message}");
}

#[test]
fn surfaces_are_the_grains_where_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("surfaces.vtp");
    let model = model_of_three_kinds();
    let mut state = sample_state(6);
    let particles = &mut state.particles;
    particles.orientation.iter_mut().for_each(|q| *q = q.normalize());
    particles.scale = (0..6).map(|i| 0.5 + 0.1 * i as f64).collect();
    write_surfaces(&path, &model, &state).unwrap();
    let file = Parsed::of(&path);
    let (points, corners) = (file.vectors("Points"), file.integers("connectivity"));
    let ids: Vec<u32> = file.array("id").2.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(corners.len(), 3 * ids.len());
    assert_eq!(file.integers("offsets").last(), Some(&(corners.len() as i64)));
    for grain in 0..6 {
        let (centre, species) = (state.particles.position[grain], &model.species[grain % 3]);
        let mut volume = 0.0;
        let own = ids.iter().zip(corners.chunks(3)).filter(|(id, _)| **id == state.particles.id[grain]);
        for (_, triangle) in own {
            let [a, b, c] = [0, 1, 2].map(|k| points[triangle[k] as usize] - centre);
            volume += a.dot(b.cross(c)) / 6.0;
        }
        // Corners lie on the true surface, so flats lose a little volume of curved shapes and none of a box.
        let ratio = volume / (species.volume * state.particles.scale[grain].powi(3));
        let least = if grain % 3 == 2 { 1.0 - 1e-12 } else { 0.94 };
        assert!((least..1.0 + 1e-12).contains(&ratio), "grain {grain}: {ratio}");
    }
    let message = write_surfaces(&path, &sample_model(), &state).unwrap_err().to_string();
    assert!(message.contains("a particle of species 1 of 1"), "{message}");
}

#[test]
fn contacts_name_grains_by_id_and_walls_by_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("contacts.vtp");
    let contacts = [
        contact(0, Partner::Particle(2), DVec3::X),
        contact(1, Partner::Wall(0), DVec3::Y),
        contact(2, Partner::Wall(4), DVec3::Z),
    ];
    write_contacts(&path, &sample_state(3), &contacts).unwrap();
    let file = Parsed::of(&path);
    assert_eq!(file.integers("id_a"), [1_000_000, 999_999, 999_998]);
    assert_eq!(file.integers("id_b"), [999_998, -1, -5]);
    assert_eq!(file.vectors("Points"), [DVec3::X, DVec3::Y, DVec3::Z]);
    assert_eq!(file.vectors("normal"), [DVec3::Z; 3]);
    assert_eq!(file.vectors("force"), [DVec3::new(0.0, 0.5, -2.0); 3]);
    assert_eq!(file.floats("overlap"), [1e-6; 3]);

    write_contacts(&path, &sample_state(0), &[]).unwrap();
    assert!(Parsed::of(&path).vectors("Points").is_empty());
    let message = write_contacts(&path, &sample_state(1), &contacts).unwrap_err().to_string();
    assert!(message.contains("a contact of particle 2 of 1"), "{message}");
}

/// Area and corners of the drawn polygons, wall by wall.
fn drawn(file: &Parsed, n_walls: usize) -> Vec<(f64, Vec<DVec3>)> {
    let points = file.vectors("Points");
    let (connectivity, offsets) = (file.integers("connectivity"), file.integers("offsets"));
    let wall_of = file.array("wall").2;
    let mut walls = vec![(0.0, Vec::new()); n_walls];
    let mut start = 0;
    for (polygon, &end) in offsets.iter().enumerate() {
        let corners: Vec<DVec3> = connectivity[start..end as usize].iter().map(|&i| points[i as usize]).collect();
        start = end as usize;
        assert!(corners.len() >= 3);
        let wall = u32::from_le_bytes(wall_of[4 * polygon..][..4].try_into().unwrap()) as usize;
        let cross: DVec3 =
            (1..corners.len() - 1).map(|i| (corners[i] - corners[0]).cross(corners[i + 1] - corners[0])).sum();
        walls[wall].0 += 0.5 * cross.length();
        walls[wall].1.extend(corners);
    }
    walls
}

#[test]
fn walls_are_drawn_where_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("walls.vtp");
    let drum = Revolved::closed_cylinder(0.5, 1.0, true, true).unwrap();
    let cone = Revolved::cone(0.0, 0.3, 0.2).unwrap();
    let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], vec![[0, 1, 2], [0, 1, 3]]).unwrap();
    let pose = Pose::new(DVec3::new(3.0, -2.0, 1.0), DQuat::from_rotation_y(0.7));
    let tilted = Pose::new(DVec3::new(0.0, 0.0, -4.0), DQuat::from_rotation_x(0.2));
    let areas = [drum.area(), cone.area()];
    let surfaces = vec![
        (Surface::Revolved(drum), pose),
        (Surface::Revolved(cone), pose),
        (Surface::Mesh(mesh), pose),
        (Surface::HalfSpace, tilted),
    ];
    let (model, mut state) = model_with(surfaces);
    state.particles = sample_state(3).particles;
    write_walls(&path, &model, &state).unwrap();
    let file = Parsed::of(&path);
    let walls = drawn(&file, 4);

    for (wall, area) in areas.into_iter().enumerate() {
        // 64 flats in place of a circle: the perimeter is short by 1 - sin(pi/64)/(pi/64) = 4e-4, a disc's area by 1.6e-3.
        let short = 1.0 - walls[wall].0 / area;
        assert!((0.0..1.7e-3).contains(&short), "wall {wall}: {short}");
    }
    for &corner in &walls[0].1 {
        let local = pose.inverse_transform_point(corner);
        let rho = local.truncate().length();
        let on_mantle = (rho - 0.5).abs() < 1e-12 && local.z.abs() < 1.0 + 1e-12;
        let on_cap = rho < 1e-12 && (local.z.abs() - 1.0).abs() < 1e-12;
        assert!(on_mantle || on_cap, "{local}");
    }
    assert!((walls[2].0 - 1.0).abs() < 1e-12);
    assert_eq!(walls[2].1[1], pose.transform_point(DVec3::X));
    // The square lies in the plane and reaches beyond the shadow of every grain.
    let local: Vec<DVec3> = walls[3].1.iter().map(|&corner| tilted.inverse_transform_point(corner)).collect();
    assert!(local.iter().all(|corner| corner.z.abs() < 1e-12));
    for (centre, radius) in state.particles.position.iter().zip(&state.particles.radius) {
        let foot = tilted.inverse_transform_point(*centre);
        assert!(local[0].x < foot.x - radius && foot.x + radius < local[2].x);
        assert!(local[0].y < foot.y - radius && foot.y + radius < local[2].y);
    }
}

#[test]
fn a_lone_half_space_and_no_wall_at_all_are_valid() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("walls.vtp");
    let (model, state) = model_with(vec![(Surface::HalfSpace, Pose::IDENTITY)]);
    write_walls(&path, &model, &state).unwrap();
    assert_eq!(Parsed::of(&path).vectors("Points").len(), 4);
    let (model, state) = model_with(Vec::new());
    write_walls(&path, &model, &state).unwrap();
    assert!(Parsed::of(&path).vectors("Points").is_empty());
    let message = write_walls(&path, &model_with(vec![(Surface::HalfSpace, Pose::IDENTITY)]).0, &state).unwrap_err();
    assert!(message.to_string().contains("0 wall poses for 1 walls"), "{message}");
}

#[test]
fn an_index_lists_times_and_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("particles.pvd");
    write_pvd(&path, &[(0.0, "a&b \"c\".vtp".to_owned()), (1.0 / 3.0, "d.vtp".to_owned())]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("<DataSet timestep=\"0\" part=\"0\" file=\"a&amp;b &quot;c&quot;.vtp\"/>"), "{text}");
    assert!(text.contains("timestep=\"0.3333333333333333\" part=\"0\" file=\"d.vtp\""), "{text}");
}

#[test]
fn a_resumed_series_of_frames_is_the_uninterrupted_one() {
    let directory = tempfile::tempdir().unwrap();
    let (with_wall, _) = model_with(vec![(Surface::HalfSpace, Pose::IDENTITY)]);
    let model = Model { walls: with_wall.walls, ..model_of_three_kinds() };
    let write = |series: &mut FrameSeries, step: u64| {
        let walls = model_with(vec![(Surface::HalfSpace, Pose::IDENTITY)]).1.walls;
        let state = State { step, time: step as f64 * 1e-3, walls, ..sample_state(2) };
        series.write(&model, &state, &[1, 1], &[contact(0, Partner::Particle(1), DVec3::X)]).unwrap();
    };
    let contents = |directory: &Path| {
        let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    };
    let (whole, resumed) = (directory.path().join("whole"), directory.path().join("resumed"));
    let mut series = FrameSeries::create(&whole, ALL).unwrap();
    (0..4).for_each(|step| write(&mut series, step));
    // Four series of frames with an index each, and the names of the kinds.
    assert_eq!(contents(&whole).len(), 4 * 4 + 4 + 1);

    let mut series = FrameSeries::create(&resumed, ALL).unwrap();
    (0..4).for_each(|step| write(&mut series, step));
    fs::write(resumed.join("notes-000009.vtp"), "not a frame of the run").unwrap();
    let (mut series, damage) = FrameSeries::append_after(&resumed, ALL, 2).unwrap();
    assert_eq!(damage, None);
    assert_eq!((series.len(), contents(&resumed).len()), (2, 4 * 2 + 4 + 1 + 1));
    (2..4).for_each(|step| write(&mut series, step));
    fs::remove_file(resumed.join("notes-000009.vtp")).unwrap();
    assert_eq!(contents(&resumed), contents(&whole));

    let (none, damage) = FrameSeries::append_after(&directory.path().join("none yet"), ALL, 0).unwrap();
    assert!(none.is_empty() && damage.is_none());
}

#[test]
fn frames_that_are_gone_are_told_and_not_listed() {
    let directory = tempfile::tempdir().unwrap();
    let model = model_of_three_kinds();
    let write = |series: &mut FrameSeries, step: u64| {
        let state = State { step, time: step as f64, ..sample_state(2) };
        series.write(&model, &state, &[1, 1], &[contact(0, Partner::Particle(1), DVec3::X)]).unwrap();
    };
    let listed = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(directory.path().join(format!("{name}.pvd"))).unwrap();
        let files = text.lines().filter_map(|line| Some(line.split_once("file=\"")?.1.split_once('"')?.0.to_owned()));
        files.collect()
    };
    let mut series = FrameSeries::create(directory.path(), ALL).unwrap();
    (0..4).for_each(|step| write(&mut series, step));
    // One deleted, one cut short, and the first index too: the others know the times.
    fs::remove_file(directory.path().join("particles-000000.vtp")).unwrap();
    fs::write(directory.path().join("particles-000002.vtp"), "<?xml").unwrap();
    fs::remove_file(directory.path().join("contacts-000001.vtp")).unwrap();
    fs::remove_file(directory.path().join("particles.pvd")).unwrap();
    let (mut series, damage) = FrameSeries::append_after(directory.path(), ALL, 4).unwrap();
    let damage = damage.unwrap().to_string();
    assert!(damage.contains("of 4 frames, 2 are gone or not whole; new ones follow"), "{damage}");
    write(&mut series, 4);
    assert_eq!(listed("particles"), ["particles-000001.vtp", "particles-000003.vtp", "particles-000004.vtp"]);
    let numbers = [0, 2, 3, 4].map(|number| format!("contacts-{number:06}.vtp"));
    assert_eq!(listed("contacts"), numbers);
    let index = fs::read_to_string(directory.path().join("particles.pvd")).unwrap();
    assert!(index.contains("timestep=\"3\" part=\"0\" file=\"particles-000003.vtp\""), "{index}");

    // All of it deleted.
    fs::remove_dir_all(directory.path()).unwrap();
    let (mut series, damage) = FrameSeries::append_after(directory.path(), ALL, 5).unwrap();
    assert!(damage.is_some());
    write(&mut series, 5);
    assert_eq!(listed("particles"), ["particles-000005.vtp"]);
}
