//! From frames of a trajectory to finished pictures.

use glam::{DVec3, Quat, Vec3};
use tumble_geometry::Pose;
use tumble_io::trajectory::{
    ContactPartner, ContactRecord, DomainMetadata, FrameMetadata, ShapeMetadata, SpeciesMetadata, SurfaceMetadata,
    TrajectoryFrame, TrajectoryMetadata, WallMetadata,
};
use tumble_pictures::cast::{CameraPlan, Direction, SectionPlan};
use tumble_pictures::colour::{Field, FieldError};
use tumble_pictures::portrait::{Look, PortraitError, Portraitist, SettingSearch};

fn metadata(contacts: bool) -> TrajectoryMetadata {
    let species = |name: &str, shape: ShapeMetadata| SpeciesMetadata {
        name: name.to_owned(),
        shape,
        given_frame: FrameMetadata::default(),
        bounding_radius: 0.005,
    };
    TrajectoryMetadata {
        title: "test".to_owned(),
        tumble_version: "0".to_owned(),
        contacts,
        species: vec![
            species("bead", ShapeMetadata::Sphere { radius: 0.005 }),
            species("rod", ShapeMetadata::Cylinder { radius: 0.002, height: 0.008 }),
        ],
        walls: vec![WallMetadata { name: "floor".to_owned(), surface: SurfaceMetadata::HalfSpace, half_widths: None }],
        domain: DomainMetadata { lower: [None; 3], upper: [None; 3], periodic: [false; 3] },
    }
}

/// A bead at rest on the floor and a rod that lies along x on it, moving.
fn frame() -> TrajectoryFrame {
    TrajectoryFrame {
        step: 7,
        time: 0.25,
        origin: DVec3::new(1.0, 0.0, 0.0),
        wall_poses: vec![Some(Pose::IDENTITY)],
        id: vec![3, 9],
        scale: vec![1.0, 1.0],
        position: vec![Vec3::new(0.0, 0.0, 0.005), Vec3::new(0.0, 0.0, 0.012)],
        velocity: vec![Vec3::ZERO, Vec3::new(0.3, 0.0, -0.4)],
        orientation: vec![Quat::IDENTITY, Quat::from_rotation_y(std::f32::consts::FRAC_PI_2)],
        species: vec![0, 1],
        angular_velocity: vec![Vec3::ZERO, Vec3::new(0.0, 2.0, 0.0)],
        contacts: vec![
            ContactRecord {
                a: 0,
                b: ContactPartner::Wall(0),
                point: Vec3::ZERO,
                force: Vec3::new(0.0, 0.0, 2.0),
                overlap: 1e-5,
            },
            ContactRecord {
                a: 1,
                b: ContactPartner::Grain(0),
                point: Vec3::new(0.0, 0.0, 0.01),
                force: Vec3::new(0.0, 0.0, 0.5),
                overlap: 3e-5,
            },
        ],
    }
}

fn values(field: Field, contacts: bool) -> Result<Vec<f64>, FieldError> {
    let metadata = metadata(contacts);
    let shapes: Vec<_> = metadata.species.iter().map(|species| species.shape.to_shape().unwrap()).collect();
    field.values(&frame(), &metadata, &shapes)
}

#[test]
fn fields_have_the_values_of_the_frame() {
    let near = |field: Field, right: [f64; 2]| {
        let found = values(field, true).unwrap();
        for (found, right) in found.iter().zip(right) {
            assert!(
                (found - right).abs() <= 1e-6 * right.abs().max(1e-3) || found.is_nan() && right.is_nan(),
                "{field:?}: {found}"
            );
        }
    };
    near(Field::Species, [0.0, 1.0]);
    near(Field::Speed, [0.0, 0.5]);
    near(Field::VelocityZ, [0.0, -0.4]);
    near(Field::AngularSpeed, [0.0, 2.0]);
    near(Field::Orientation, [f64::NAN, 90.0]);
    near(Field::Force, [2.5, 0.5]);
    near(Field::Overlap, [3e-5, 3e-5]);
    near(Field::Coordination, [2.0, 1.0]);
    near(Field::Size, [0.01, 2.0 * (0.75 * 0.002_f64.powi(2) * 0.008).cbrt()]);
    near(Field::Id, [3.0, 9.0]);
    near(Field::Height, [0.005, 0.012]);
    near(Field::Constant, [0.0, 0.0]);
    let heading = values(Field::Heading, true).unwrap()[1];
    assert!(heading.min(180.0 - heading) < 1e-3, "{heading}");
}

#[test]
fn fields_of_contacts_are_refused_where_there_are_none() {
    for field in [Field::Force, Field::Overlap, Field::Coordination] {
        let message = values(field, false).unwrap_err().to_string();
        assert!(message.contains(field.name()) && message.contains("needs contacts"), "{message}");
    }
}

#[test]
fn angular_speed_is_refused_for_what_the_file_does_not_keep_and_not_for_rest() {
    let look = Look { width: 32, height: 24, colour: Some(Field::AngularSpeed), ..Look::default() };
    let message = Portraitist::new(&metadata(false), false, look.clone()).unwrap_err().to_string();
    assert!(message.contains("angular_speed") && message.contains("format 1"), "{message}");
    let rest = TrajectoryFrame { angular_velocity: vec![Vec3::ZERO; 2], contacts: Vec::new(), ..frame() };
    let painter = Portraitist::new(&metadata(false), true, look).unwrap();
    let mut search = SettingSearch::default();
    painter.look_at(&rest, &mut search).unwrap();
    painter.portrait(&rest, &painter.setting(&search)).unwrap();
}

#[test]
fn force_chains_across_a_periodic_edge_are_short() {
    let mut periodic = metadata(true);
    periodic.domain = DomainMetadata {
        lower: [Some(0.0), None, None],
        upper: [Some(2.0), None, None],
        periodic: [true, false, false],
    };
    let mut across = frame();
    // Each 4 mm from its side of the edge; the domain is 2 m long.
    across.position = vec![Vec3::new(0.996, 0.0, 0.005), Vec3::new(-0.996, 0.0, 0.005)];
    across.contacts.remove(0);
    let painter = Portraitist::new(&periodic, true, Look { force_chains: true, ..Look::default() }).unwrap();
    let (shapes, rods, _) = painter.scenery().force_chains(&across);
    assert_eq!((shapes.len(), rods.len()), (1, 1));
    assert!(shapes[0].bounding_radius() < 0.01, "{:?}", shapes[0]);
    // From the second grain, at 0.004, to the image of the first, at -0.004.
    assert!((rods[0].pose.position - DVec3::new(0.0, 0.0, 0.005)).length() < 1e-6, "{:?}", rods[0]);
}

fn portrait(look: Look) -> Result<tumble_pictures::Pixels, PortraitError> {
    let painter = Portraitist::new(&metadata(true), true, look)?;
    let mut search = SettingSearch::default();
    painter.look_at(&frame(), &mut search)?;
    painter.portrait(&frame(), &painter.setting(&search))
}

#[test]
fn a_portrait_shows_grains_walls_and_bars() {
    let small = Look { width: 320, height: 240, ..Look::default() };
    let plain =
        portrait(Look { bars: false, walls: tumble_pictures::cast::WallChoice::None, ..small.clone() }).unwrap();
    let with_bars = portrait(Look { walls: tumble_pictures::cast::WallChoice::None, ..small.clone() }).unwrap();
    let with_walls = portrait(Look { bars: false, ..small.clone() }).unwrap();
    assert!(plain != with_bars && plain != with_walls);
    for field in Field::ALL {
        let picture = portrait(Look { colour: Some(field), ..small.clone() }).unwrap();
        assert_eq!(picture.rgba.len(), 4 * 320 * 240);
    }
    let chains = portrait(Look { force_chains: true, ..small.clone() }).unwrap();
    assert!(chains != with_bars);
    assert!(matches!(portrait(Look { width: 0, ..small }), Err(PortraitError::Picture(_))));
}

#[test]
fn one_kind_alone_is_coloured_by_its_speed() {
    let mut single = metadata(true);
    assert_eq!(Field::usual(&single), Field::Species);
    single.species.truncate(1);
    assert_eq!(Field::usual(&single), Field::Speed);
}

#[test]
fn a_section_that_meets_nothing_says_so() {
    let complaint = |text: &str| {
        let section = Some(SectionPlan::from_text(text).unwrap());
        let painter = Portraitist::new(&metadata(true), true, Look { section, ..Look::default() }).unwrap();
        let mut search = SettingSearch::default();
        painter.look_at(&frame(), &mut search).unwrap();
        painter.setting(&search).complaint().map(str::to_owned)
    };
    assert_eq!(complaint("z=5mm"), None);
    let all = complaint("z<-1cm").unwrap();
    assert!(all.contains("meets no grain: everything is cut away; what there is lies from z = 0 m to"), "{all}");
    assert!(complaint("z<1").unwrap().contains("nothing is cut away"));
}

#[test]
fn a_camera_that_looks_at_a_section_wants_one() {
    let camera = CameraPlan { direction: Direction::Section, ..CameraPlan::default() };
    let message = Portraitist::new(&metadata(true), true, Look { camera, ..Look::default() }).unwrap_err().to_string();
    assert!(message.contains("--section y=5mm"), "{message}");
}

#[test]
fn an_impossible_description_is_refused_by_name() {
    let mut impossible = metadata(true);
    impossible.species[1].shape = ShapeMetadata::Cylinder { radius: -1.0, height: 1.0 };
    let message = Portraitist::new(&impossible, true, Look::default()).unwrap_err().to_string();
    assert!(message.contains("`rod`") && message.contains("-1"), "{message}");
}
