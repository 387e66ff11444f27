//! Runs that begin with what other runs have left: grains, contacts with their springs, walls.

use std::path::Path;
use tumble_run::{DVec3, Partner, Run, RunError, StoredRun, load_scene, load_scene_from};

/// Grains on a slope that friction holds, of spheres, cubes and rods.
const SLOPE: &str = "
    materials.glass = { preset = 'glass', young = '2 MPa', friction = 0.6, rolling_friction = 0.1, restitution = 0.3 }
    shapes.cube = { box = { size = '5 5 5 mm' } }
    shapes.rod = { cylinder = { diameter = '4 mm', height = '6 mm' } }
    particles = { bead = { diameter = '5 mm' }, cube = { shape = 'cube' }, rod = { shape = 'rod' } }
    gravity = [2, 0, -9.6]
    walls = [{ box = { from = [0, 0, 0], to = '3 3 9 cm', open = ['top'] } }]
    output = { vtk = false, report = false, trajectory = 'off' }
";
const POURED: &str = "
    insert = [{ particles = { bead = 1, cube = 1, rod = 1 },
                fill = { region = { box = { from = [0, 0, 0], to = '3 3 4 cm' } }, count = 24 } }]
    stages = [{ end.time = '90 ms' }, { drag = '500 1/s', end.time = '60 ms' }]
";

/// Runs a scene in a directory to its end.
fn recorded(root: &Path, scene: &str) -> Run {
    let mut run = Run::from_text(scene).unwrap();
    run.record_in(root, false).unwrap();
    run.run(&mut ()).unwrap();
    run
}

/// A scene that begins with a run, which is named by an absolute path.
fn begun(scene: &str, insert: &str, root: &Path) -> Result<Run, RunError> {
    let insert = insert.replace("DIR", &root.display().to_string());
    Run::from_text(&format!("{scene}\ninsert = [{insert}]\ntime.end = '10 ms'"))
}

/// Contacts by the ids of what touches, with the forces on the first of the two.
fn forces(run: &Run) -> Vec<((u32, String), DVec3, DVec3)> {
    let (model, ids) = (run.model(), &run.state().particles.id);
    let mut forces: Vec<_> = run
        .contacts()
        .iter()
        .map(|contact| {
            let a = ids[contact.a];
            let (key, sign) = match contact.partner {
                Partner::Particle(b) if ids[b] < a => ((ids[b], format!("grain {a}")), -1.0),
                Partner::Particle(b) => ((a, format!("grain {}", ids[b])), 1.0),
                Partner::Wall(wall) => ((a, model.walls[wall].name.clone()), 1.0),
            };
            (key, sign * contact.force, contact.point)
        })
        .collect();
    forces.sort_by(|a, b| a.0.cmp(&b.0).then(a.2.x.total_cmp(&b.2.x)).then(a.2.y.total_cmp(&b.2.y)));
    forces
}

#[test]
fn contacts_go_on_with_the_friction_they_were_loaded_with() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("poured");
    let before = recorded(&root, &format!("{SLOPE}{POURED}"));
    let after = begun(SLOPE, "{ run = 'DIR' }", &root).unwrap();
    assert_eq!(after.state().time, 0.0);
    let (theirs, ours) = (forces(&before), forces(&after));
    assert!(theirs.len() > 20, "{}", theirs.len());
    assert_eq!(ours.len(), theirs.len());
    let largest = theirs.iter().map(|(_, force, _)| force.length()).fold(0.0, f64::max);
    for ((key, force, _), (our_key, our_force, _)) in theirs.iter().zip(&ours) {
        assert_eq!(key, our_key);
        assert!((*force - *our_force).length() < 1e-4 * largest, "{key:?}: {force} and {our_force}");
    }
    let (e, f) = (before.energies().elastic, after.energies().elastic);
    assert!(e.tangential > 0.0 && e.rolling > 0.0);
    for (a, b) in [(e.normal, f.normal), (e.tangential, f.tangential), (e.rolling, f.rolling)] {
        assert!((a / b - 1.0).abs() < 1e-4, "{a} and {b} J");
    }
    assert_eq!(after.state().particles.id.len(), 24);

    // A grain's memory makes the difference: from a table of the same grains friction begins with nothing.
    let exported = directory.path().join("exported");
    tumble_io::state_tables::write(&exported, before.simulation()).unwrap();
    let insert = "{ file = 'DIR/grains.csv', max_overlap = 0.2 }";
    let without = begun(SLOPE, insert, &exported).unwrap();
    assert_eq!(without.energies().elastic.tangential, 0.0);
}

#[test]
fn a_run_begun_from_another_is_resumed_to_the_same_bits_when_that_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let (poured, scene) = (directory.path().join("poured"), directory.path().join("scene.toml"));
    drop(recorded(&poured, &format!("{SLOPE}{POURED}")));
    std::fs::write(&scene, format!("{SLOPE}\ninsert = [{{ run = 'poured' }}]\ntime.end = '10 ms'")).unwrap();
    let mut whole = Run::load(&scene, &[]).unwrap();
    whole.run(&mut ()).unwrap();
    let residual = whole.state().ledger.residual(&whole.energies());
    assert!(residual < 1e-3, "{residual}");
    let root = directory.path().join("cut");
    let mut run = Run::load(&scene, &[]).unwrap();
    run.record_in(&root, false).unwrap();
    run.run_until(0.004, &mut ()).unwrap();
    drop(run);
    std::fs::remove_dir_all(&poured).unwrap();
    let mut run = StoredRun::open(&root).unwrap().resume(None, &mut ()).unwrap();
    run.run(&mut ()).unwrap();
    assert_eq!(run.state_hash(), whole.state_hash());
    // What is kept can be run again too.
    let mut again = Run::load(&root.join("scene.toml"), &[]).unwrap();
    again.run(&mut ()).unwrap();
    assert_eq!(again.state_hash(), whole.state_hash());
}

#[test]
fn copies_of_a_periodic_bed_touch_as_it_touched_itself() {
    let scene = |across: u32| {
        format!(
            "materials.glass = {{ preset = 'glass', young = '2 MPa', friction = 0.5 }}
             particles.bead = {{ diameter = '5 mm' }}
             gravity = [1, 0.5, -9.7]
             walls = [{{ name = 'floor', plane = {{ point = [0, 0, 0], normal = [0, 0, 1] }} }}]
             domain = {{ from = [0, 0, 0], to = '{} {} 20 cm', edges = {{ x = 'periodic', y = 'periodic' }} }}
             output = {{ vtk = false, report = false, trajectory = 'off' }}",
            3 * across,
            3 * across
        )
    };
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bed");
    let poured = "insert = [{ fill = { region = { box = { from = [0, 0, 0], to = '3 3 3 cm' } }, count = 60 } }]
        stages = [{ end.time = '0.12 s' }, { drag = '500 1/s', end.time = '40 ms' }]";
    let bed = recorded(&root, &format!("{}\n{poured}", scene(1)));
    let same = begun(&scene(1), "{ run = 'DIR' }", &root).unwrap();
    let four = begun(&scene(2), "{ run = { directory = 'DIR', copies = [2, 2, 1] } }", &root).unwrap();
    let counts = |run: &Run| (run.state().particles.len(), run.contacts().len());
    let (n, n_contacts) = counts(&bed);
    assert!(n_contacts > 80, "{n_contacts}");
    assert_eq!(counts(&same), (n, n_contacts));
    assert_eq!(counts(&four), (4 * n, 4 * n_contacts));
    let energies = |run: &Run| {
        let energies = run.energies();
        [energies.translation, energies.elastic.normal, energies.elastic.tangential]
    };
    for (copies, run) in [(1.0, &same), (4.0, &four)] {
        for (one, all) in energies(&bed).into_iter().zip(energies(run)) {
            assert!(one > 0.0 && (all / (copies * one) - 1.0).abs() < 1e-4, "{copies}: {all} of {one} J each");
        }
    }
    // Where the space ends, contacts across its edge have ended too.
    let open = scene(2).replace("x = 'periodic'", "x = 'remove'");
    let open = begun(&open, "{ run = { directory = 'DIR', copies = [2, 2, 1] } }", &root).unwrap();
    assert!(open.contacts().len() < 4 * n_contacts);
}

#[test]
fn what_is_turned_and_moved_keeps_its_springs() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("poured");
    let before = recorded(&root, &format!("{SLOPE}{POURED}"));
    // A quarter turn about y takes the floor to the plane x = 0, then 10 cm up.
    let turned = SLOPE.replace("gravity = [2, 0, -9.6]", "gravity = [-9.6, 0, -2]").replace(
        "{ from = [0, 0, 0], to = '3 3 9 cm', open = ['top'] }",
        "{ from = '0 0 7 cm', to = '9 3 10 cm', open = ['right'] }",
    );
    let insert = "{ run = { directory = 'DIR', turn = { axis = [0, 1, 0], angle = '90 deg' }, shift = '0 0 10 cm' } }";
    let after = begun(&turned, insert, &root).unwrap();
    let pairs = |run: &Run| {
        let pairs = forces(run).into_iter().filter(|((_, other), ..)| other.starts_with("grain"));
        pairs.map(|(key, force, _)| (key, force)).collect::<Vec<_>>()
    };
    let largest = forces(&before).iter().map(|(_, force, _)| force.length()).fold(0.0, f64::max);
    let mut theirs = pairs(&before);
    let mut ours = pairs(&after);
    assert_eq!(theirs.len(), ours.len());
    // Corners of a patch are in the order of their places, which turn.
    theirs.iter_mut().for_each(|(_, force)| *force = DVec3::new(force.z, force.y, -force.x));
    for list in [&mut theirs, &mut ours] {
        list.sort_by(|a, b| a.0.cmp(&b.0).then((a.1.x + a.1.y).total_cmp(&(b.1.x + b.1.y))));
    }
    for ((key, force), (our_key, our_force)) in theirs.iter().zip(&ours) {
        assert_eq!(key, our_key);
        assert!((*force - *our_force).length() < 1e-4 * largest, "{key:?}: {force} and {our_force}");
    }
}

#[test]
fn a_region_and_a_moment_of_a_run_come_in() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("poured");
    let scene = format!("{SLOPE}{POURED}").replace("trajectory = 'off'", "trajectory = 'off', checkpoint = '20 ms'");
    let before = recorded(&root, &scene);
    let region = "region = { box = { from = [0, 0, 0], to = '1.5 3 9 cm' } }";
    let after = begun(SLOPE, &format!("{{ run = {{ directory = 'DIR', {region}, at_rest = true }} }}"), &root).unwrap();
    let inside = before.state().particles.position.iter().filter(|x| x.x <= 0.015).count();
    assert!((3..22).contains(&inside), "{inside}");
    assert_eq!(after.state().particles.len(), inside);
    assert_eq!(after.simulation().kinetic_energy(), 0.0);
    let earlier = begun(SLOPE, "{ run = { directory = 'DIR', time = 0.145 } }", &root).unwrap();
    assert_ne!(earlier.state().particles.position, before.state().particles.position);
    let refused = |insert: &str| begun(SLOPE, insert, &root).unwrap_err().to_string();
    let error = refused("{ run = { directory = 'DIR', time = '0.1 s' } }");
    assert!(error.contains("it has no checkpoint so early; its earliest is of t = 0."), "{error}");
    let error = refused("{ run = { directory = 'DIR', region = { ball = { centre = [1, 1, 1], radius = 0.1 } } } }");
    assert!(error.contains("no grain of the run has its centre in the region"), "{error}");
    assert!(error.contains("their centres are between ("), "{error}");
    let error = refused("{ run = { directory = 'DIR', copies = [2, 1, 1] } }");
    assert!(error.contains("nothing says how far apart copies along x are"), "{error}");
    let error = refused("{ run = 'DIR/nowhere' }");
    assert!(error.contains("there is no such directory"), "{error}");
    let error = refused("{ run = 'DIR', particles = 'bead' }");
    assert!(error.contains("grains of a run are what they were"), "{error}");
    // Copies that reach into each other are refused like any grains that do.
    let error = refused("{ run = { directory = 'DIR', copies = [2, 1, 1], spacing = [0.02, 0, 0] } }");
    assert!(error.contains("overlaps"), "{error}");
}

#[test]
fn kinds_are_known_by_their_names_and_shapes() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("poured");
    let before = recorded(&root, &format!("{SLOPE}{POURED}"));
    // The names come in another order, and one more is there.
    let more = SLOPE.replace("{ bead =", "{ aaa = { diameter = '1 mm' }, bead =");
    let after = begun(&more, "{ run = 'DIR' }", &root).unwrap();
    let named = |run: &Run| {
        let p = &run.state().particles;
        let mut kinds: Vec<_> =
            p.id.iter().zip(&p.species).map(|(&id, &s)| (id, run.model().species[s as usize].name.clone())).collect();
        kinds.sort();
        kinds
    };
    assert_eq!(named(&after), named(&before));
    let refused = |scene: &str| begun(scene, "{ run = 'DIR' }", &root).unwrap_err().to_string();
    let error = refused(&SLOPE.replace("cube = { shape = 'cube' }", "cubes = { shape = 'cube' }"));
    assert!(error.contains("has grains of the kind \"cube\", which is not here"), "{error}");
    assert!(error.contains("here is \"cubes\""), "{error}");
    let error = refused(&SLOPE.replace("'5 5 5 mm'", "'5 5 4 mm'"));
    assert!(error.contains("has other proportions there"), "{error}");
    let error = refused(&SLOPE.replace(
        "cube = { box = { size = '5 5 5 mm' } }",
        "cube = { cylinder = { diameter = '5 mm', height = '5 mm' } }",
    ));
    assert!(error.contains("there and a cylinder here"), "{error}");
}

#[test]
fn walls_begin_where_they_were() {
    let scene = |rest: &str| {
        format!(
            "materials.glass = {{ preset = 'glass', young = '2 MPa' }}
             particles.bead = {{ diameter = '5 mm' }}
             walls = [{{ box = {{ from = [0, 0, 0], to = '2 2 9 cm', open = ['top'] }} }},
                      {{ name = 'lid', plane = {{ point = '0 0 8 cm', normal = [0, 0, -1] }},
                         motion = {{ servo = {{ direction = [0, 0, -1], force = '1 N', max_speed = '0.6 m/s' }} }} }}]
             output = {{ vtk = false, report = false, trajectory = 'off' }}
             {rest}"
        )
    };
    let directory = tempfile::tempdir().unwrap();
    let (root, file) = (directory.path().join("pressed"), directory.path().join("scene.toml"));
    let fill =
        "insert = [{ name = 'pour', fill = { region = { box = { from = [0, 0, 0], to = '2 2 4 cm' } }, count = 20 } }]";
    let before = recorded(&root, &scene(&format!("{fill}\ntime.end = '0.15 s'")));
    let lid = |run: &Run| run.state().walls.last().unwrap().pose.position.z;
    assert!(lid(&before) < 0.03, "{}", lid(&before));
    let insert = format!("insert = [{{ run = '{}' }}]\ntime.end = '1 ms'", root.display());
    assert_eq!(lid(&Run::from_text(&scene(&insert)).unwrap()), 0.08);
    // The same from the command line: what filled the scene at the start is switched off, and walls come along.
    std::fs::write(&file, scene(&format!("{fill}\ntime.end = '1 ms'"))).unwrap();
    let scene = load_scene_from(&file, &[], Some(&root)).unwrap();
    assert!(scene.text.contains("active = false") && scene.text.contains("walls = true"), "{}", scene.text);
    let mut run = Run::from_scene(scene, "scene").unwrap();
    assert_eq!((lid(&run), run.state().particles.len()), (lid(&before), 20));
    // The lid begins at rest, so that its dashpots do a little less.
    let pressing = |run: &Run| run.state().walls.last().unwrap().force.z;
    assert!((pressing(&run) / pressing(&before) - 1.0).abs() < 1e-2, "{} N", pressing(&run));
    run.record_in(&directory.path().join("after"), false).unwrap();
    run.run(&mut ()).unwrap();
    // Taken from there once more, by the scene that is kept with the run.
    let again = load_scene_from(&directory.path().join("after/scene.toml"), &[], Some(&directory.path().join("after")));
    let again = Run::from_scene(again.unwrap(), "scene").unwrap();
    assert_eq!(lid(&again), lid(&run));
    let kept = load_scene(&directory.path().join("after/scene.toml"), &[]).unwrap();
    assert_eq!(lid(&Run::from_scene(kept, "scene").unwrap()), lid(&before));
}

#[test]
fn runs_of_every_solver_begin_from_those_of_every_other() {
    let scene = |solver: &str, insert: &str| {
        format!(
            "solver = '{solver}'
             materials.glass = {{ preset = 'glass', young = '5 MPa', restitution = 0.9, friction = 0.1 }}
             particles.bead = {{ diameter = '2 mm' }}
             gravity = [0, 0, 0]
             walls = [{{ box = {{ from = [0, 0, 0], to = '2 2 2 cm' }} }}]
             output = {{ vtk = false, report = false, trajectory = 'off' }}
             insert = [{insert}]
             time.end = '5 ms'"
        )
    };
    let fill = "{ fill = { region = { box = { from = [0, 0, 0], to = '2 2 2 cm' } }, count = 100 }, velocity_spread = '1 m/s' }";
    let directory = tempfile::tempdir().unwrap();
    for from in ["soft", "hard-stepped", "hard-events"] {
        let root = directory.path().join(from);
        let before = recorded(&root, &scene(from, fill));
        for to in ["soft", "hard-stepped", "hard-events"] {
            // Grains of hard stepped runs overlap a little, and springs do not mind.
            let insert = format!("{{ run = '{}', max_overlap = 0.3 }}", root.display());
            let mut run = match Run::from_text(&scene(to, &insert)) {
                Err(error) if to == "hard-events" && from != to => {
                    assert!(error.to_string().contains("overlap at the start"), "{from} to {to}: {error}");
                    continue;
                }
                run => run.unwrap(),
            };
            let (a, b) = (before.simulation().kinetic_energy(), run.simulation().kinetic_energy());
            assert!((a / b - 1.0).abs() < 1e-12, "{from} to {to}: {a} and {b} J");
            run.run(&mut ()).unwrap();
            let residual = run.state().ledger.residual(&run.energies());
            assert!(residual < 2e-3, "{from} to {to}: {residual}");
        }
    }
}

#[test]
fn a_run_comes_in_at_the_beginning_of_a_stage() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("poured");
    let before = recorded(&root, &format!("{SLOPE}{POURED}"));
    let stages = format!(
        "{SLOPE}
        insert = [{{ name = 'bed', active = false, run = '{}' }}]
        stages = [{{ end.time = '1 ms' }}, {{ insert.bed.active = true, end.time = '10 ms' }}]",
        root.display()
    );
    let mut run = Run::from_text(&stages).unwrap();
    assert_eq!(run.state().particles.len(), 0);
    run.run_until(0.0011, &mut ()).unwrap();
    assert_eq!(run.state().particles.len(), 24);
    let (e, f) = (before.energies().elastic.tangential, run.energies().elastic.tangential);
    assert!((f / e - 1.0).abs() < 0.1, "{e} and {f} J");
    run.run(&mut ()).unwrap();
    let residual = run.state().ledger.residual(&run.energies());
    assert!(residual < 1e-3, "{residual}");
}

#[test]
fn another_law_keeps_the_friction_that_contacts_are_loaded_with() {
    // A box on a slope, which weighs m g_x along it.
    let scene = "
        materials.glass = { density = 2500, young = '2 MPa', friction = 0.6 }
        shapes.cube = { box = { size = '10 10 10 mm' } }
        particles.cube = { shape = 'cube' }
        gravity = [2, 0, -9.6]
        walls = [{ name = 'floor', plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]
        insert = [{ orientation = [1, 0, 0, 0], fill = { region = { box = { from = [0, 0, 0], to = '18 18 18 mm' } }, count = 1 } }]
        engine.drag = '100 1/s'
        stages = [{ end.time = '0.3 s' }, { law = { linear = { stiffness = '5 kN/m' } }, end.time = '1 ms' }]
    ";
    let mut run = Run::from_text(scene).unwrap();
    let weight = 2500.0 * 1e-6 * 2.0;
    let friction = |run: &Run| run.contacts().iter().map(|contact| contact.force.x).sum::<f64>();
    run.run_until(0.2999, &mut ()).unwrap();
    assert!((friction(&run) / weight + 1.0).abs() < 1e-3, "{} N", friction(&run));
    while run.stage().unwrap().1 < 2 {
        run.step().unwrap();
    }
    assert!((friction(&run) / weight + 1.0).abs() < 1e-3, "{} N after the change", friction(&run));
}
