//! Whole scenes: good ones, bad ones with their messages, templates.

use super::*;
use crate::checkpoint::{self, CheckpointExtra};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;
use std::fs;
use tumble_engine::Simulation;
use tumble_engine::boundary::insertion::{Amount, Plan, SizeDistribution};
use tumble_engine::boundary::wall::Motion;
use tumble_geometry::narrow::ContactMethod;
use tumble_geometry::{Shape, Surface};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenes").join(name)
}

fn scenes_in(folder_name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(folder_name)).unwrap();
    let mut found: Vec<_> =
        entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    found.sort();
    found
}

/// All of a scene that must come back when it is read again.
fn contents(scene: &Scene) -> String {
    format!("{}\n{:?}\n{:?}\n{:?}", scene.title, scene.model, scene.output, scene.stop)
}

const GAS: &str = "materials.glass = { preset = \"glass\" }\nparticles.bead = { radius = \"5 mm\" }\ntime.end = 1\n";

fn parse_text(text: &str) -> Result<Scene, SceneError> {
    parse_with_inputs(text, "scene.toml", &[], &BTreeMap::new())
}

#[test]
fn good_scenes_are_read_and_come_back_from_what_is_stored() {
    let scenes = scenes_in("good");
    assert!(scenes.len() >= 4);
    for path in scenes {
        let scene = load(&path, &[]).unwrap_or_else(|e| panic!("{}:\n{e}", path.display()));
        let inputs = scene.input_files.iter().map(|f| (f.as_written.clone(), f.bytes.clone())).collect();
        let again = parse_with_inputs(&scene.text, "stored.toml", &[], &inputs).unwrap();
        assert_eq!(contents(&again), contents(&scene), "{}", path.display());
    }
}

#[test]
fn a_scene_with_overrides_comes_back_from_what_is_stored() {
    for template in templates() {
        let planar = parse_text(template.text).unwrap().model.planar;
        let settings = [
            "time.step=1.1e-5",
            if planar { "gravity=[0, \"-1.6 m/s2\", 0]" } else { "gravity=[0, 0, \"-1.6 m/s2\"]" },
            "insert.0.fill.count=50",
            "seed=99",
            "engine.drag=0.1 1/s",
            "limits.overlap=0.25",
            "output.probes=[{ coordination = {} }]",
        ]
        .map(String::from);
        let scene = parse(template.text, "scene.toml", Path::new(""), &settings)
            .unwrap_or_else(|e| panic!("{}:\n{e}", template.name));
        assert_eq!(scene.model.seed, 99);
        assert_eq!(scene.model.gravity.min_element(), -1.6);
        assert_eq!(scene.model.limits.overlap, 0.25);
        let again = parse_text(&scene.text).unwrap_or_else(|e| panic!("{}:\n{e}", scene.text));
        assert_eq!(contents(&again), contents(&scene), "{}", scene.text);
    }
}

#[test]
fn the_method_of_contacts_is_read_by_its_name() {
    let scene = format!(
        "{GAS}insert = [{{ fill = {{ region = {{ ball = {{ centre = [0, 0, 0], radius = 1 }} }}, count = 5 }} }}]\n"
    );
    assert_eq!(parse_text(&scene).unwrap().model.law.contact_method, ContactMethod::Exact);
    for method in ContactMethod::ALL {
        let scene = parse_text(&format!("law.contact_method = \"{}\"\n{scene}", method.name())).unwrap();
        assert_eq!(scene.model.law.contact_method, method);
    }
}

#[test]
fn what_the_radius_of_hertz_is_taken_from_is_read() {
    use tumble_engine::law::{Curvature, LawKind, MindlinTangential};
    let scene = format!(
        "{GAS}insert = [{{ fill = {{ region = {{ ball = {{ centre = [0, 0, 0], radius = 1 }} }}, count = 5 }} }}]\n"
    );
    let with = |hertz: &str| parse_text(&format!("law.hertz_mindlin = {{ {hertz} }}\n{scene}")).unwrap().model.law.kind;
    let rescaled = |curvature| LawKind::HertzMindlin { tangential: MindlinTangential::Rescaled, curvature };
    assert_eq!(with(""), rescaled(Curvature::Body));
    assert_eq!(with("curvature = \"body\""), rescaled(Curvature::Body));
    assert_eq!(with("curvature = \"local\""), rescaled(Curvature::Local));
}

#[test]
fn what_is_chosen_of_the_published_method_is_read() {
    use tumble_geometry::feng::{FengOptions, Layers, NearestBy, OverlapMeasure, Representation};
    use tumble_geometry::roots::QuarticBy;
    let scene = format!(
        "{GAS}insert = [{{ fill = {{ region = {{ ball = {{ centre = [0, 0, 0], radius = 1 }} }}, count = 5 }} }}]\n"
    );
    let with = |law: &str| parse_text(&format!("law = {{ {law} }}\n{scene}")).unwrap().model.law.contact_method;
    assert_eq!(with("contact_method = \"feng-layered\", feng = {}"), ContactMethod::FENG_LAYERED);
    let layered = FengOptions {
        representation: Representation::Layered(Layers::Count(20)),
        measure: OverlapMeasure::RadialAxial,
        factor: 1.25,
        nearest_by: NearestBy::Quartic(QuarticBy::Bracketed),
        quartic_by: QuarticBy::Bracketed,
    };
    let common = "overlap = \"radial-axial\", weight = 1.25, quartic = \"bracketed\", nearest = \"quartic\"";
    let read = with(&format!("contact_method = \"feng-layered\", feng = {{ layers = 20, {common} }}"));
    assert_eq!(read, ContactMethod::Feng(layered));
    let edge = FengOptions { representation: Representation::Edge { n_points: 3 }, ..layered };
    let read = with(&format!("contact_method = \"feng-edge\", feng = {{ edge_points = 3, {common} }}"));
    assert_eq!(read, ContactMethod::Feng(edge));
}

#[test]
fn what_is_chosen_of_a_common_plane_is_read() {
    use tumble_geometry::common_plane::{CommonPlaneOptions, EndBy, FacePoint, SearchDirections, Version};
    let scene = format!(
        "{GAS}insert = [{{ fill = {{ region = {{ ball = {{ centre = [0, 0, 0], radius = 1 }} }}, count = 5 }} }}]\n"
    );
    let with = |law: &str| parse_text(&format!("law = {{ {law} }}\n{scene}")).unwrap().model.law.contact_method;
    assert_eq!(with("contact_method = \"cundall\", common_plane = {}"), ContactMethod::CUNDALL);
    let angles = "start_angle = 0.1, angle_limit = 1e-5, directions = 8";
    let cundall = CommonPlaneOptions {
        start_angle: 0.1,
        angle_limit: 1e-5,
        directions: SearchDirections::Eight,
        ..CommonPlaneOptions::CUNDALL
    };
    let read = with(&format!("contact_method = \"cundall\", common_plane = {{ {angles} }}"));
    assert_eq!(read, ContactMethod::CommonPlane(cundall));
    let liu = CommonPlaneOptions {
        version: Version::Liu,
        gap_increment: 1e-3,
        end: EndBy::Either,
        face_point: FacePoint::Crossings,
        ..cundall
    };
    let more = "gap_increment = 1e-3, end = \"either\", face_point = \"crossings\"";
    let read = with(&format!("contact_method = \"liu\", common_plane = {{ {angles}, {more} }}"));
    assert_eq!(read, ContactMethod::CommonPlane(liu));
}

/// Each `bad/NAME.toml` is refused with the messages of `bad/NAME.expected`. Lines `#--set X` at its top are
/// overrides. With TUMBLE_BLESS=1 in the environment the expected messages are written instead of compared.
#[test]
fn bad_scenes_are_refused_with_their_messages() {
    let scenes = scenes_in("bad");
    assert!(scenes.len() >= 30, "only {} bad scenes", scenes.len());
    let bless = std::env::var_os("TUMBLE_BLESS").is_some_and(|v| v == "1");
    let mut wrong = Vec::new();
    for path in scenes {
        let text = fs::read_to_string(&path).unwrap();
        let settings: Vec<String> = text.lines().map_while(|l| l.strip_prefix("#--set ")).map(String::from).collect();
        let name = path.file_name().unwrap().to_str().unwrap();
        let error = match parse(&text, name, path.parent().unwrap(), &settings) {
            Ok(_) => panic!("{name} was read"),
            Err(error) => error,
        };
        let said = format!("{error}\n");
        assert!(!said.contains('\u{1b}'), "{name}: colour in plain text");
        for diagnostic in &error.0.diagnostics {
            assert!(error.0.position(diagnostic).is_some(), "{name}: no place: {diagnostic:?}");
        }
        let expected = path.with_extension("expected");
        if bless {
            fs::write(&expected, &said).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != said {
            wrong.push(format!("{name} now says\n{said}"));
        }
    }
    assert!(wrong.is_empty(), "{}\nTUMBLE_BLESS=1 accepts these messages", wrong.join("\n"));
}

#[test]
fn every_declared_key_is_read_and_shown_in_a_good_scene() {
    let context = Context::default();
    for path in scenes_in("good") {
        let text = fs::read_to_string(&path).unwrap();
        let origin = Origin::Disk(path.parent().unwrap());
        assert!(read(&text, "scene.toml", origin, &[], None, &context).is_ok());
    }
    // A run to begin with is no file of text.
    let directory = tempfile::tempdir().unwrap();
    let text = format!(
        "{GAS}insert = [{{ fill = {{ region = {{ box = {{ from = [0, 0, 0], to = [1, 1, 1] }} }}, count = 3 }} }}]"
    );
    let simulation = Simulation::new(parse_text(&text).unwrap().model).unwrap();
    let extra = CheckpointExtra::of(simulation.model(), "0.1.0", 7);
    checkpoint::write(&directory.path().join("settled.checkpoint"), simulation.state(), &extra).unwrap();
    let text = format!(
        "{GAS}[[insert]]
        [insert.run]
        directory = 'settled.checkpoint'
        time = 1
        region = {{ box = {{ from = [0, 0, 0], to = [1, 1, 1] }} }}
        copies = [2, 1, 1]
        spacing = [2, 0, 0]
        turn = {{ axis = [0, 0, 1], angle = '90 deg' }}
        shift = [0, 0, 1]
        at_rest = true
        walls = true"
    );
    let read_run = read(&text, "scene.toml", Origin::Disk(directory.path()), &[], None, &context).unwrap();
    let Plan::List { grains, .. } = &read_run.model.insertions[0].plan else { panic!() };
    assert_eq!(grains.len(), 6);
    let declared: BTreeSet<_> =
        SCENE.all_tables().iter().flat_map(|t| t.fields.iter().map(|f| (t.name, f.key))).collect();
    let (asked, present) = (context.asked.borrow(), context.present.borrow());
    let unread: Vec<_> = declared.iter().filter(|k| !asked.contains(*k)).collect();
    assert!(unread.is_empty(), "declared but never read: {unread:?}");
    let unshown: Vec<_> = declared.iter().filter(|k| !present.contains(*k)).collect();
    assert!(unshown.is_empty(), "in no good scene: {unshown:?}");
}

#[test]
fn templates_are_read_without_warnings() {
    for template in templates() {
        let scene = parse_text(template.text).unwrap_or_else(|e| panic!("{}:\n{e}", template.name));
        assert_eq!(scene.warnings.diagnostics, [], "{}:\n{}", template.name, scene.warnings);
        assert_eq!(scene.text, template.text);
    }
    assert_eq!(templates().iter().find(|t| t.name == "minimal").unwrap().text.lines().count(), 5);
}

#[test]
fn five_lines_make_a_whole_model() {
    let scene = parse_text(templates().iter().find(|t| t.name == "minimal").unwrap().text).unwrap();
    let model = &scene.model;
    assert_eq!(model.materials[0].young_modulus, 5e6);
    assert_eq!(model.species[0].shape.bounding_radius(), 0.0025);
    assert_eq!(model.gravity, glam::DVec3::new(0.0, 0.0, -9.81));
    let names: Vec<_> = model.walls.iter().map(|w| w.name.as_str()).collect();
    assert_eq!(names, ["wall1.left", "wall1.right", "wall1.front", "wall1.back", "wall1.bottom"]);
    for wall in &model.walls {
        // The middle of the box is on the free side of every wall.
        let middle = glam::DVec3::new(0.05, 0.05, 0.1);
        assert!(wall.pose.inverse_transform_point(middle).z > 0.04, "{} faces away", wall.name);
    }
    assert!(matches!(model.insertions[0].plan, Plan::Fill { amount: Amount::Count(1000), .. }));
    assert_eq!(model.insertions[0].size, SizeDistribution::Fixed(0.0025));
    assert_eq!((scene.stop.time, scene.output.series_interval), (0.5, 0.005));
}

#[test]
fn pairs_take_the_geometric_mean_unless_they_are_given() {
    let scene =
        load(&folder("good").join("settings.toml"), &["materials.third={ preset = \"wood\", friction = 0.9 }".into()])
            .unwrap();
    let model = &scene.model;
    let index = |name: &str| model.materials.iter().position(|m| m.name == name).unwrap() as u16;
    let (glass, wood, third) = (index("glass"), index("wood"), index("third"));
    assert_eq!(model.interaction(glass, wood).friction, 0.35);
    assert_eq!(model.interaction(wood, glass), model.interaction(glass, wood));
    assert_eq!(model.interaction(glass, glass).friction, 0.3);
    assert_eq!(model.interaction(glass, third).friction, (0.3f64 * 0.9).sqrt());
    assert_eq!(model.interaction(wood, third).restitution, 0.5);
}

#[test]
fn a_mixture_of_sizes_keeps_count_and_shares() {
    let scene = load(&folder("good").join("grains.toml"), &[]).unwrap();
    let mixture: Vec<_> = scene.model.insertions.iter().filter(|i| i.name.starts_with("mixture")).collect();
    let names: Vec<_> = mixture.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["mixture.marble", "mixture.resized", "mixture.uniform"], "largest first");
    let counts: Vec<u64> = mixture
        .iter()
        .map(|i| match i.plan {
            Plan::Fill { amount: Amount::Count(n), .. } => n,
            ref other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(counts.iter().sum::<u64>(), 500);
    // Shares by mass, one density: numbers go as share / mean cube of the radius (in mm).
    let weights = [0.5 / 512.0, 0.25 / 27.0, 0.25 / ((2.0f64.powi(4) - 1.0) / 4.0)];
    let total: f64 = weights.iter().sum();
    for (count, weight) in counts.iter().zip(weights) {
        assert!((*count as f64 - 500.0 * weight / total).abs() < 1.0, "{counts:?}");
    }
    let lattice = &scene.model.insertions[0];
    assert_eq!(lattice.species.iter().map(|s| s.1).sum::<f64>(), 1.0);
    assert_eq!(lattice.species.len(), 3, "kinds of one size stay together");
}

#[test]
fn shares_by_mass_and_streams_by_mass_use_the_mean_mass() {
    let scene = load(&folder("good").join("grains.toml"), &[]).unwrap();
    let find = |name: &str| scene.model.insertions.iter().find(|i| i.name == name).unwrap();
    let SizeDistribution::Table { radii, shares } = &find("fraction").size else { panic!() };
    assert_eq!(radii, &[0.001, 0.002, 0.004]);
    // 1, 2, 1 by mass over 1, 8, 64 in volume.
    let numbers = [1.0, 0.25, 1.0 / 64.0];
    for (share, number) in shares.iter().zip(numbers) {
        assert!((share - number / 1.265625).abs() < 1e-15);
    }
    let Plan::Stream { rate, count, .. } = find("by mass").plan else { panic!() };
    assert_eq!(count, Some(50));
    // 10 g/s over 2650 kg/m3 (4/3) pi E[r^3]; cuts at 3.5 sigma move E[r^3] of the lognormal by less than 2 %.
    let mass = 2650.0 * 4.0 / 3.0 * std::f64::consts::PI * (2e-3f64).powi(3) * (4.5f64 * 0.04).exp();
    assert!((rate * mass / 0.01 - 1.0).abs() < 0.02, "{rate}");
    let Plan::Stream { rate, count, start, .. } = find("by number").plan else { panic!() };
    assert_eq!((rate, count, start), (500.0, Some(100), 0.1));
}

#[test]
fn listed_grains_take_what_the_file_leaves_out_from_the_scene() {
    let scene = load(&folder("good").join("grains.toml"), &[]).unwrap();
    let lists: Vec<_> = scene
        .model
        .insertions
        .iter()
        .filter_map(
            |i| if let Plan::List { grains, max_overlap } = &i.plan { Some((grains, max_overlap)) } else { None },
        )
        .collect();
    assert_eq!((lists[0].0.len(), *lists[0].1), (2, 0.01));
    assert_eq!(lists[0].0.get(1).radius, 0.005);
    assert_eq!(scene.model.species[lists[0].0.get(1).species as usize].name, "gravel");
    assert_eq!(lists[1].0.get(0).radius, 0.002);
    assert_eq!(scene.input_files.len(), 2);
}

#[test]
fn walls_stand_and_move_as_said() {
    let scene = load(&folder("good").join("walls.toml"), &[]).unwrap();
    let find = |name: &str| scene.model.walls.iter().find(|w| w.name == name).unwrap();
    let normal = find("floor").pose.orientation * glam::DVec3::Z;
    assert!((normal - glam::DVec3::new(0.0, 1.0, 2.0).normalize()).length() < 1e-15);
    assert!(scene.model.walls.iter().all(|w| w.name != "box.top" && w.name != "box.front"));
    let tube = find("wall3");
    assert_eq!(tube.pose.position, glam::DVec3::new(0.0, 0.0, 0.1));
    let Motion::Rotate { point, axis, speed, .. } = tube.motion else { panic!() };
    assert_eq!((point, axis), (tube.pose.position, glam::DVec3::Z));
    assert!((speed + std::f64::consts::PI).abs() < 1e-15);
    let Surface::Mesh(mesh) = &find("blade").surface else { panic!() };
    // 100 units of 1 mm: a tenth of a metre squared.
    assert!((mesh.area() - 0.01).abs() < 1e-16);
    let Motion::Servo { gain, .. } = find("lid").motion else { panic!() };
    assert_eq!(gain, 1e-3);
}

#[test]
fn a_size_is_that_of_the_ball_of_the_same_volume() {
    let scene = load(&folder("good").join("shapes.toml"), &[]).unwrap();
    let model = &scene.model;
    let find = |name: &str| model.species.iter().position(|s| s.name == name).unwrap();
    let ball = |radius: f64| 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    // A rod of radius 1 mm and height 10 mm, made as large as a ball of radius 2 mm; its proportions are kept.
    let Shape::Cylinder(rod) = &model.species[find("rod")].shape else { panic!() };
    assert!((rod.half_height / rod.radius - 5.0).abs() < 1e-12);
    assert!((rod.volume() / ball(0.002) - 1.0).abs() < 1e-12);
    // Insertions speak of bounding radii: pills between the sizes of balls of 1.5 and 2 mm.
    let pill = find("pill");
    let species = &model.species[pill];
    assert!((species.shape.bounding_radius() - 1.0).abs() < 1e-12);
    let insertion = model.insertions.iter().find(|i| i.species.iter().any(|s| s.0 as usize == pill)).unwrap();
    let SizeDistribution::Uniform { low, high } = insertion.size else { panic!("{:?}", insertion.size) };
    assert!((species.volume * low.powi(3) / ball(0.0015) - 1.0).abs() < 1e-12);
    assert!((species.volume * high.powi(3) / ball(0.002) - 1.0).abs() < 1e-12);
    // A table's radius means the same; without sizes of its own a shape is as large as it is given.
    let Plan::List { grains, .. } = &model.insertions.last().unwrap().plan else { panic!() };
    for (grain, radius) in grains.iter().zip([0.002, 0.003, 0.001]) {
        let species = &model.species[grain.species as usize];
        let volume = species.volume * (grain.radius / species.shape.bounding_radius()).powi(3);
        assert!((volume / ball(radius) - 1.0).abs() < 1e-12, "{}", species.name);
    }
    let Shape::Cylinder(tablet) = &model.species[find("tablet")].shape else { panic!() };
    assert_eq!((tablet.radius, tablet.half_height), (0.004, 0.0015));
}

#[test]
fn lengths_of_cylinders_are_spread_each_on_its_own() {
    let text = |seed: u64| {
        let normal = "{ normal = { mean = \"10 mm\", deviation = \"2.5 mm\", from = \"4 mm\", to = \"16 mm\" } }";
        format!(
            "seed = {seed}\nmaterials.wood = {{ density = \"700 kg/m3\", young = \"5 MPa\" }}\n\
             shapes.pellet.cylinder = {{ diameter = {normal}, height = {normal}, variants = 200 }}\n\
             particles = {{ pellet = {{ shape = \"pellet\" }}, bead = {{ diameter = \"8 mm\" }} }}\n\
             insert = [{{ particles = {{ pellet = 3, bead = 1 }}, fill = {{ region = {{ box = {{ from = [0, 0, 0], \
             to = [1, 1, 1] }} }}, count = 800 }} }}]\ntime.end = 1\n"
        )
    };
    let model = parse_text(&text(1)).unwrap().model;
    let lengths: Vec<[f64; 2]> = (model.species.iter())
        .filter_map(|species| match species.shape {
            Shape::Cylinder(c) => Some([2.0 * c.radius, 2.0 * c.half_height]),
            _ => None,
        })
        .collect();
    assert_eq!((lengths.len(), model.species.len()), (200, 201));
    assert_eq!([0, 1, 200].map(|k| model.species[k].name.as_str()), ["bead", "pellet 1", "pellet 200"]);
    let mean = |f: &dyn Fn(&[f64; 2]) -> f64| lengths.iter().map(f).sum::<f64>() / 200.0;
    for k in [0, 1] {
        assert!(lengths.iter().all(|l| (0.004..=0.016).contains(&l[k])));
        // Cut at 2.4 deviations a normal keeps 0.956 of its deviation.
        assert!((mean(&|l| l[k]) / 0.01 - 1.0).abs() < 0.01);
        let deviation = mean(&|l| (l[k] - 0.01).powi(2)).sqrt();
        assert!((deviation / (0.956 * 0.0025) - 1.0).abs() < 0.03, "{deviation}");
    }
    // Independent: five deviations of the correlation of 200 random pairs.
    let correlation = mean(&|l| (l[0] - 0.01) * (l[1] - 0.01)) / (0.956 * 0.0025_f64).powi(2);
    assert!(correlation.abs() < 5.0 / 200_f64.sqrt(), "{correlation}");
    // The variants come in together, each as large as it is, with the share of their kind.
    let pellets = &model.insertions[0];
    assert_eq!(model.insertions.len(), 2);
    assert!(matches!(pellets.plan, Plan::Fill { amount: Amount::Count(600), .. }));
    let SizeDistribution::OfSpecies { sizes, .. } = &pellets.size else { panic!("{:?}", pellets.size) };
    for (&(species, _), sizes) in pellets.species.iter().zip(sizes) {
        assert_eq!(*sizes, SizeDistribution::Fixed(model.species[species as usize].shape.bounding_radius()));
    }
    // By the seed.
    let shapes = |seed: u64| parse_text(&text(seed)).unwrap().model.species.into_iter().map(|s| s.shape).collect();
    let (first, again, other): (Vec<Shape>, Vec<Shape>, Vec<Shape>) = (shapes(1), shapes(1), shapes(2));
    assert!(first == again && first != other);
}

#[test]
fn variants_had_the_largest_of_their_sizes_all_of_them() {
    let model = parse_text(
        "materials.stone = { preset = \"limestone\" }\n\
         shapes.gravel.rock = { vertices = 12, diameter = \"10 mm\", variants = 3 }\n\
         particles.gravel = { shape = \"gravel\", diameter = { uniform = { from = \"8 mm\", to = \"12 mm\" } } }\n\
         insert = [{ fill = { region = { box = { from = [0, 0, 0], to = \"20 20 20 cm\" } }, count = 60 } }]\n\
         walls = [{ plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]\ntime.end = 1\n",
    )
    .unwrap()
    .model;
    assert_eq!((model.insertions.len(), model.species.len()), (1, 3));
    let simulation = tumble_engine::Simulation::new(model).unwrap();
    // As diameters of balls of the same volume, which is how the sizes of rocks are given.
    let particles = &simulation.state().particles;
    let diameters: Vec<f64> = (0..particles.len())
        .map(|index| {
            let species = &simulation.model().species[usize::from(particles.species[index])];
            let volume = species.volume * particles.scale[index].powi(3);
            2.0 * (0.75 * volume / std::f64::consts::PI).cbrt()
        })
        .collect();
    assert_eq!(diameters.len(), 60);
    let mean = diameters.iter().sum::<f64>() / 60.0;
    assert!(diameters.iter().all(|d| (0.008 - 1e-9..=0.012 + 1e-9).contains(d)), "{diameters:?}");
    // Four deviations of the mean of sixty.
    assert!((mean - 0.010).abs() < 4.0 * 0.004 / 12_f64.sqrt() / 60_f64.sqrt(), "{mean}");
}

#[test]
fn every_variant_has_a_form_of_its_own_by_the_seed() {
    let text = |shape: &str, scene_seed: u64| {
        format!(
            "seed = {scene_seed}\nmaterials.stone = {{ preset = \"limestone\" }}\nshapes.gravel = {{ {shape} }}\n\
             planar = {}\nparticles.gravel = {{ shape = \"gravel\" }}\ninsert = [{{ fill = {{ region = {{ box = {{ \
             from = [0, 0, 0], to = [1, 1, {}] }} }}, count = 20 }} }}]\nwalls = [{{ plane = {{ point = [0, 0, 0], \
             normal = [0, 1, 0] }} }}]\ntime.end = 1\n",
            shape.contains("polygon"),
            if shape.contains("polygon") { 0 } else { 1 },
        )
    };
    let shapes = |shape: &str, seed: u64| -> Vec<Shape> {
        let scene = parse_text(&text(shape, seed)).unwrap_or_else(|e| panic!("{e}"));
        scene.model.species.into_iter().map(|s| s.shape).collect()
    };
    for form in [
        "rock = { vertices = 12, diameter = \"8 mm\"",
        "random_polygon = { corners = 7, thickness = 1, diameter = \"8 mm\"",
    ] {
        let of = |rest: &str, seed: u64| shapes(&format!("{form}{rest} }}"), seed);
        let eight = of(", variants = 8", 1);
        assert_eq!(eight.len(), 8);
        for (i, one) in eight.iter().enumerate() {
            assert!(eight[i + 1..].iter().all(|other| one != other));
        }
        // The same again, from another seed others; more variants begin with the same ones; a seed of their own frees them of
        // the scene's.
        assert_eq!(eight, of(", variants = 8", 1));
        assert_ne!(eight, of(", variants = 8", 2));
        assert_eq!(eight[..3], of(", variants = 3", 1));
        assert_eq!(of(", seed = 9, variants = 2", 1), of(", seed = 9, variants = 2", 5));
        assert_eq!(of("", 1), eight[..1]);
    }
    // As large as said: a ball of 8 mm.
    let scene = parse_text(&text("rock = { vertices = 12, diameter = \"8 mm\" }", 1)).unwrap();
    let ball = std::f64::consts::PI / 6.0 * 0.008f64.powi(3);
    assert!((scene.model.species[0].volume / ball - 1.0).abs() < 1e-12);
    let Shape::Polyhedron(rock) = &scene.model.species[0].shape else { panic!() };
    assert_eq!(rock.vertices().len(), 12);
    let named = parse_text(&text("rock = { vertices = 12, diameter = \"8 mm\", variants = 2 }", 1)).unwrap();
    assert_eq!(named.model.species[1].name, "gravel 2");
}

#[test]
fn a_solid_from_a_file_keeps_its_hollows_and_its_mass() {
    let scene = load(&folder("good").join("forms.toml"), &[]).unwrap();
    let find = |name: &str| scene.model.species.iter().find(|s| s.name == name).unwrap();
    // An L of 6 cubic millimetres; its hull fills the corner up by 3.
    let bracket = find("bracket");
    let Shape::Clump(clump) = &bracket.shape else { panic!() };
    assert_eq!(clump.parts().len(), 2);
    assert!((bracket.volume / 6e-9 - 1.0).abs() < 1e-12);
    // About an axis along its thickness through the centre: two bars of 3 by 1 and 1 by 3.
    let (areas, centres) = ([3.0, 3.0], [glam::DVec2::new(1.5, 0.5), glam::DVec2::new(0.5, 2.5)]);
    let centre = (3.0 * centres[0] + 3.0 * centres[1]) / 6.0;
    let polar: f64 = (0..2).map(|k| areas[k] * ((9.0 + 1.0) / 12.0 + centres[k].distance_squared(centre))).sum();
    assert!((bracket.moments.max_element() / (polar * 1e-15) - 1.0).abs() < 1e-9, "{} {polar}", bracket.moments);
    let block = find("block");
    assert!(matches!(block.shape, Shape::Polyhedron(_)) && (block.volume / 9e-9 - 1.0).abs() < 1e-12);
    let said = scene.warnings.render(false);
    assert!(said.contains("the convex hull of bracket.obj has 50.0 % more volume than the mesh"), "{said}");
    assert!(!said.contains("convex parts"), "{said}");
}

#[test]
fn orientations_speak_of_the_frame_in_which_a_shape_is_given() {
    let scene = load(&folder("good").join("shapes.toml"), &[]).unwrap();
    let model = &scene.model;
    let tetrahedron = model.species.iter().position(|s| s.name == "tetrahedron").unwrap();
    let species = &model.species[tetrahedron];
    let Shape::Polyhedron(polyhedron) = &species.shape else { panic!() };
    let given = [glam::DVec3::ZERO, glam::DVec3::X, glam::DVec3::Y, glam::DVec3::Z].map(|v| 0.004 * v);
    // The centre of mass of the given vertices is their mean.
    let centre = given.iter().sum::<glam::DVec3>() / 4.0;
    let check = |orientation: glam::DQuat, scale: f64, asked: glam::DQuat| {
        for vertex in given {
            // As the user sees it: about the centre of mass, turned as asked.
            let seen = asked * (scale * (vertex - centre));
            let nearest =
                polyhedron.vertices().iter().map(|v| (orientation * (scale * *v)).distance(seen)).fold(1.0, f64::min);
            assert!(nearest < 1e-12, "{vertex} is off by {nearest}");
        }
    };
    let standing = model
        .insertions
        .iter()
        .find(|i| i.name.starts_with("standing") && i.species[0].0 as usize == tetrahedron)
        .unwrap();
    check(standing.orientation.unwrap(), 1.0, glam::DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let Plan::List { grains, .. } = &model.insertions.last().unwrap().plan else { panic!() };
    let scale = grains.get(0).radius / species.shape.bounding_radius();
    check(grains.get(0).orientation, scale, glam::DQuat::IDENTITY);
}

#[test]
fn hulls_that_change_what_was_given_are_told() {
    let text = format!(
        "{GAS}insert = [{{ particles = \"stone\", fill = {{ region = {{ ball = {{ centre = [0, 0, 0], radius = 9 }} }}, count = 1 }} }}]\n\
         walls = [{{ plane = {{ point = [0, 0, -9], normal = [0, 0, 1] }} }}]\n\
         [shapes]\nstone = {{ polyhedron = {{ vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.2, 0.2, 0.2]] }} }}\n\
         [particles]\nstone = {{ shape = \"stone\" }}\n"
    )
    .replace("particles.bead = { radius = \"5 mm\" }\n", "");
    let scene = parse_text(&text).unwrap_or_else(|e| panic!("{e}"));
    let said: Vec<_> = scene.warnings.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(said, ["1 of the 5 points are no corners of their convex hull"]);
    // A cube of which one corner is pushed in: the hull fills it up again by a third of a cube's corner.
    let obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 0.5 0.5 0.5\nv 0 1 1\n\
               f 4 3 2 1\nf 1 2 6 5\nf 1 5 8 4\nf 5 6 7\nf 5 7 8\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\n";
    let inputs = BTreeMap::from([("stone.obj".to_string(), obj.as_bytes().to_vec())]);
    let start = text.find("vertices").unwrap();
    let end = text[start..].find(" } }\n").unwrap() + start;
    let with_mesh = format!("{}mesh = \"stone.obj\"{}", &text[..start], &text[end..]);
    let scene = parse_with_inputs(&with_mesh, "scene.toml", &[], &inputs).unwrap_or_else(|e| panic!("{e}"));
    let said = scene.warnings.render(false);
    assert!(said.contains("the convex hull of stone.obj has"), "{said}");
    assert!(said.contains("% more volume than the mesh"), "{said}");
}

#[test]
fn a_planar_scene_stays_in_the_plane() {
    let scene = load(&folder("good").join("planar.toml"), &[]).unwrap();
    let model = &scene.model;
    assert!(model.planar);
    assert_eq!(model.gravity, glam::DVec3::new(0.0, -9.81, 0.0));
    let names: Vec<_> = model.walls.iter().map(|w| w.name.as_str()).collect();
    assert_eq!(names, ["wall1.front", "drum", "ramp"], "a box has no bottom and no top");
    // A wedge of 8 by 6 mm has the area of a disc of that area; buttons are drawn by the size of theirs.
    let coins = &model.insertions[0];
    let Plan::Fill { region, amount: Amount::Fraction(fraction) } = &coins.plan else { panic!() };
    // A fraction of the region's area: its depth is the thickness of the coins.
    assert!((region.volume() - 0.2 * 0.1 * 0.002).abs() < 1e-15);
    assert_eq!(*fraction, 0.2);
    let simulation = tumble_engine::Simulation::new(model.clone()).unwrap();
    let particles = &simulation.state().particles;
    let n_coins = (0.2 * 0.2 * 0.1 / (std::f64::consts::PI * 0.004f64.powi(2))).round() as usize;
    assert_eq!(particles.len(), n_coins + 30 + 20);
    assert!(particles.position.iter().all(|p| p.z == 0.0));
    assert!(particles.velocity.iter().all(|v| v.z == 0.0));
    assert!(particles.angular_velocity.iter().all(|w| w.x == 0.0 && w.y == 0.0));
    assert!(particles.orientation.iter().all(|q| q.x == 0.0 && q.y == 0.0));
}

#[test]
fn presets_are_physical() {
    for preset in crate::schema::PRESETS {
        let text = format!(
            "{GAS}insert = [{{ fill = {{ region = {{ ball = {{ centre = [0, 0, 0], radius = 1 }} }}, count = 5 }} }}]\n"
        );
        let settings = [format!("materials.glass={{ preset = {:?} }}", preset.word)];
        let scene = parse_with_inputs(&text, "scene.toml", &settings, &BTreeMap::new()).unwrap();
        let m = &scene.model.materials[0];
        assert!(m.density > 100.0 && m.density < 20e3 && m.young_modulus > 1e6 && m.young_modulus < 1e12);
        assert!(m.poisson_ratio > 0.0 && m.poisson_ratio < 0.5);
        let i = scene.model.interaction(0, 0);
        assert!(i.restitution > 0.0 && i.restitution <= 1.0 && i.friction > 0.0 && i.friction < 1.0);
    }
}

#[test]
fn doubtful_scenes_are_read_with_warnings() {
    let text = format!(
        "{GAS}materials.lead = {{ preset = \"steel\" }}\nshapes.egg = {{ sphere = {{ radius = 1 }} }}\n\
         particles.bead.material = \"glass\"\nparticles.spare = {{ radius = 1, material = \"glass\" }}\n\
         domain = {{ from = [0, 0, 0], to = [1, 1, 1] }}\n\
         insert = [{{ particles = \"bead\", fill = {{ region = {{ ball = {{ centre = [0, 0, 0], radius = 1 }} }}, count = 5 }} }}]\n"
    )
    .replace("particles.bead = { radius = \"5 mm\" }", "particles.bead.radius = \"5 mm\"");
    let scene = parse_text(&text).unwrap();
    let said: Vec<_> = scene.warnings.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "there is gravity but no wall: the grains will fall for ever",
            "the material \"lead\" is not used",
            "the shape \"egg\" is not used",
            "the kind of grain \"spare\" is not used",
            "the domain has no effect: all its edges are open",
        ]
    );
    assert!(scene.warnings.render(false).contains("warning: materials.lead: the material"));
}

#[test]
fn rolling_friction_that_does_nothing_is_told() {
    let gas = format!(
        "{GAS}insert = [{{ fill = {{ region = {{ ball = {{ centre = [0, 0, 0], radius = 1 }} }}, count = 5 }} }}]\n"
    );
    let rolling = gas.replace("\"glass\" }", "\"glass\", rolling_friction = 0.1 }");
    let said = |text: &str| {
        let scene = parse_text(text).unwrap();
        scene.warnings.diagnostics.iter().any(|d| d.message.contains("`rolling_friction` has no effect"))
    };
    assert!(!said(&gas) && !said(&rolling));
    assert!(said(&format!("{rolling}law.volume = {{ stiffness = \"1e5 N/m\" }}\n")));
    let cubes = rolling.replace("{ radius = \"5 mm\" }", "{ shape = \"cube\" }");
    assert!(said(&format!("{cubes}shapes.cube = {{ box = {{ size = \"4 4 4 mm\" }} }}\n")));
}

#[test]
fn a_missing_scene_file_is_said_plainly() {
    let error = load(Path::new("no/such/scene.toml"), &[]).unwrap_err().to_string();
    assert!(error.starts_with("error: cannot read the scene \"no/such/scene.toml\": there is no such file"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    /// Damaged scenes are read or refused, never a panic.
    #[test]
    fn damaged_scenes_do_not_panic(
        which in 0usize..4, at in 0.0f64..1.0, remove in 0usize..12, insert in "[ \\]\\[{}\"=.,a-z0-9\n-]{0,6}",
    ) {
        let path = &scenes_in("good")[which];
        let text = fs::read_to_string(path).unwrap();
        let start = (at * text.len() as f64) as usize;
        let (Some(before), Some(after)) = (text.get(..start), text.get((start + remove).min(text.len())..)) else {
            return Ok(());
        };
        if let Err(error) = parse(&format!("{before}{insert}{after}"), "scene.toml", path.parent().unwrap(), &[]) {
            prop_assert!(!error.render(true).is_empty());
        }
    }
}
