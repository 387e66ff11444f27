//! Runs of several stages: what changes, what ends them, and that a restart in any of them gives the same bits.

use std::path::Path;
use tumble_run::{DVec3, End, Run, RunError, RunStatus, Simulation, StoredRun, Watcher};

/// Beads are poured in and rest, are shaken with little friction, get a second layer from a stream, and run out to the side.
const SCENE: &str = "
    materials.glass = { preset = 'glass', young = '1 MPa', restitution = 0.4 }
    particles.bead = { diameter = '5 mm' }
    gravity_ramp = '10 ms'
    insert = [
        { fill = { region = { box = { from = [0, 0, 0], to = '3 3 3 cm' } }, count = 30 } },
        { name = 'rain', active = false, stream = { region = { box = { from = '0 0 4 cm', to = '3 3 6 cm' } }, rate = '400 1/s', count = 10 } },
        { name = 'lump', active = false, fill = { region = { box = { from = '0 0 6 cm', to = '3 3 8 cm' } }, count = 5 } },
    ]
    walls = [
        { box = { from = [0, 0, 0], to = '3 3 20 cm', open = ['top', 'right'] } },
        { name = 'gate', plane = { point = '3 0 0 cm', normal = [-1, 0, 0] } },
        { name = 'lid', plane = { point = '0 0 19 cm', normal = [0, 0, -1] }, present = false },
    ]
    output = { interval = '5 ms', checkpoint = '7 ms', frames = 'off', probes = [{ name = 'touching', coordination = {} }] }
    [[stages]]
    name = 'fill'
    end = { kinetic_energy = '5 uJ', hold = '20 ms', time = '0.3 s' }
    [[stages]]
    name = 'shake'
    materials.glass.friction = 0.05
    walls.gate.motion = { vibrate = { amplitude = '1 0 0 mm', frequency = '100 Hz' } }
    end.time = '20 ms'
    [[stages]]
    name = 'rain'
    walls.gate.motion = { fixed = {} }
    insert = { rain = { active = true }, lump = { active = true } }
    walls.lid = { present = true, motion = { translate = { velocity = '0 0 -10 cm/s', start = '5 ms' } } }
    drag = '1 1/s'
    end = { probe = { name = 'touching', column = 'grains', above = 44 }, time = '0.1 s' }
    [[stages]]
    name = 'soft'
    law = { linear = { stiffness = '500 N/m' } }
    gravity = [0, 2, -9.81]
    gravity_ramp = '5 ms'
    end.time = '20 ms'
    [[stages]]
    name = 'open'
    gravity = [5, 0, -5]
    walls.gate.present = false
    output.interval = '1 ms'
    end = { force = { wall = 'gate', below = '1 N' }, time = '20 ms', hold = '15 ms' }
";

/// Wants a run to stop at a step.
struct StopAt(u64);

impl Watcher for StopAt {
    fn stepped(&mut self, simulation: &Simulation) {
        if simulation.state().step == self.0 {
            self.0 = 0;
        }
    }

    fn wants_stop(&mut self) -> bool {
        self.0 == 0
    }
}

fn recorded(root: &Path) -> Run {
    let mut run = Run::from_text(SCENE).unwrap();
    run.record_in(root, false).unwrap();
    run
}

#[test]
fn a_run_that_is_stopped_in_any_stage_goes_on_with_the_same_bits() {
    let directory = tempfile::tempdir().unwrap();
    let whole = directory.path().join("whole");
    let mut run = recorded(&whole);
    assert_eq!(run.run(&mut ()).unwrap(), End::Stages);
    let (hash, end) = (run.state_hash(), run.state().step);
    let report = run.read_report().unwrap().unwrap();
    assert_eq!(report.status, RunStatus::Finished);
    let names: Vec<&str> = report.stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names, ["fill", "shake", "rain", "soft", "open"]);
    for (stage, next) in report.stages.iter().zip(&report.stages[1..]) {
        assert_eq!(stage.ended, Some(next.began));
    }
    let why: Vec<&str> = report.stages.iter().map(|stage| stage.why.as_deref().unwrap()).collect();
    assert_eq!(why[0], "kinetic energy below 5.000e-6 J");
    assert_eq!(why[1], "after 0.02 s");
    assert_eq!(why[2], "touching, grains above 44");
    assert_eq!(why[4], "force on `gate` below 1 N");
    assert_eq!(run.state().particles.len(), 45);
    drop(run);

    let series = std::fs::read_to_string(whole.join("series.csv")).unwrap();
    // In every stage, at its very beginning (the step after the end of the one before), and in the middle.
    let step_of = |time: f64| {
        let row = series.lines().skip(1).map(|row| row.split(',').map(|n| n.parse().unwrap()).collect::<Vec<f64>>());
        row.filter(|row| row[0] <= time).map(|row| row[1] as u64).max().unwrap()
    };
    let mut places: Vec<u64> = report.stages.iter().skip(1).map(|stage| step_of(stage.began)).collect();
    places.extend(report.stages.iter().map(|stage| step_of(0.5 * (stage.began + stage.ended.unwrap())) + 3));
    for step in places {
        let root = directory.path().join(format!("stopped-{step}"));
        let mut run = recorded(&root);
        assert_eq!(run.run(&mut StopAt(step)).unwrap(), End::Interrupted, "at {step} of {end}");
        let stage = run.stage().unwrap().1;
        drop(run);
        let mut run = StoredRun::open(&root).unwrap().resume(None, &mut ()).unwrap();
        assert_eq!((run.state().step, run.stage().unwrap().1), (step, stage));
        assert_eq!(run.run(&mut ()).unwrap(), End::Stages);
        assert_eq!(run.state_hash(), hash, "stopped at {step}");
        assert_eq!(run.read_report().unwrap().unwrap().stages, report.stages);
        assert_eq!(std::fs::read_to_string(root.join("series.csv")).unwrap(), series, "stopped at {step}");
    }
}

#[test]
fn the_ledger_closes_over_every_change() {
    let mut run = Run::from_text(SCENE).unwrap();
    let mut stage = 0;
    while run.run_until(run.time() + 1e-3, &mut ()).unwrap().is_none() {
        let energies = run.energies();
        let residual = run.state().ledger.residual(&energies);
        assert!(residual < 5e-3, "{residual} at {} s in {:?}", run.time(), run.stage());
        stage = stage.max(run.stage().unwrap().1);
    }
    assert_eq!(stage, 5);
    assert!(run.state().ledger.changed != 0.0);
}

#[test]
fn motions_begin_where_the_wall_is_and_when_the_stage_does() {
    let scene = "
        materials.glass = { preset = 'glass', young = '1 MPa' }
        particles.bead = { diameter = '5 mm' }
        gravity = [0, 0, 0]
        insert = [{ fill = { region = { box = { from = [0, 0, 0], to = '3 3 3 cm' } }, count = 1 } }]
        walls = [{ name = 'plate', plane = { point = '0 0 -1 cm', normal = [0, 0, 1] },
                   motion = { translate = { velocity = '0 0 -1 m/s' } } }]
        time.step = '0.1 ms'
        stages = [
            { name = 'down', end.time = '10 ms' },
            { name = 'on', end.time = '10 ms' },
            { name = 'across', walls.plate.motion = { translate = { velocity = '2 0 0 m/s', start = '5 ms' } }, end.time = '10 ms' },
            { name = 'gone', walls.plate.present = false, end.time = '10 ms' },
            { name = 'back', walls.plate.present = true, end.time = '10 ms' },
        ]
    ";
    let mut run = Run::from_text(scene).unwrap();
    let mut at = |time: f64, x: f64, z: f64| {
        run.run_until(time, &mut ()).unwrap();
        let place = run.state().walls[0].pose.position;
        assert!((place - DVec3::new(x, 0.0, z)).length() < 1e-9, "{place} at {time}");
        run.state().walls[0].velocity
    };
    at(0.01, 0.0, -0.02);
    assert!((at(0.015, 0.0, -0.025) - DVec3::NEG_Z).length() < 1e-9);
    at(0.02, 0.0, -0.03);
    assert_eq!(at(0.025, 0.0, -0.03), DVec3::ZERO);
    at(0.03, 0.01, -0.03);
    // It is not there, and stays where it was.
    assert_eq!(at(0.04, 0.01, -0.03), DVec3::ZERO);
    at(0.045, 0.01, -0.03);
    at(0.05, 0.02, -0.03);
}

#[test]
fn a_wall_that_appears_among_grains_is_refused() {
    let scene = "
        materials.glass = { preset = 'glass', young = '1 MPa' }
        particles.bead = { diameter = '5 mm' }
        insert = [{ fill = { region = { box = { from = [0, 0, 0], to = '1 1 1 cm' } }, count = 3 } }]
        walls = [{ name = 'slab', plane = { point = '0 0 2 cm', normal = [0, 0, 1] }, present = false }]
        stages = [{ end.time = '1 ms' }, { walls.slab.present = true, end.time = '1 ms' }]
    ";
    let error = Run::from_text(scene).unwrap().run(&mut ()).unwrap_err();
    assert!(matches!(error, RunError::Engine(_)), "{error}");
    assert!(error.to_string().contains("the wall `slab` appears where grains are"), "{error}");
}

#[test]
fn the_time_of_the_run_ends_it_in_any_stage() {
    let scene = SCENE.replacen("[[stages]]", "time.end = '30 ms'\n    [[stages]]", 1);
    let mut run = Run::from_text(&scene).unwrap();
    assert_eq!(run.run(&mut ()).unwrap(), End::Time);
    assert_eq!(run.stage().map(|(name, number, of)| (name.to_owned(), number, of)), Some(("fill".into(), 1, 5)));
    assert!((0.03..0.031).contains(&run.time()), "{}", run.time());
}

#[test]
fn a_run_is_taken_further_than_its_last_stage() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    let mut run = recorded(&root);
    run.run(&mut ()).unwrap();
    let ended = run.time();
    drop(run);
    let mut run = StoredRun::open(&root).unwrap().resume(Some(ended + 0.01), &mut ()).unwrap();
    assert_eq!(run.run(&mut ()).unwrap(), End::Time);
    assert_eq!(run.stage().unwrap().1, 5);
}

#[test]
fn every_solver_lets_walls_come_and_go() {
    for solver in ["soft", "hard-stepped", "hard-events"] {
        let scene = format!(
            "solver = '{solver}'
            materials.glass = {{ preset = 'glass', young = '5 MPa', restitution = 1.0, friction = 0.0 }}
            particles.bead = {{ diameter = '2 mm' }}
            gravity = [0, 0, 0]
            insert = [{{ fill = {{ region = {{ box = {{ from = [0, 0, 0], to = '1 2 2 cm' }} }}, count = 40 }}, velocity_spread = '1 m/s' }}]
            walls = [
                {{ box = {{ from = [0, 0, 0], to = '2 2 2 cm' }} }},
                {{ name = 'divider', plane = {{ point = '1 0 0 cm', normal = [-1, 0, 0] }} }},
            ]
            output.report = false
            stages = [
                {{ name = 'apart', end.time = '20 ms' }},
                {{ name = 'together', walls.divider.present = false, end.time = '40 ms' }},
            ]"
        );
        let directory = tempfile::tempdir().unwrap();
        let mut run = Run::from_text(&scene).unwrap();
        run.record_in(&directory.path().join("run"), false).unwrap();
        let farthest = |run: &Run| run.state().particles.position.iter().map(|place| place.x).fold(0.0, f64::max);
        let energy = run.simulation().kinetic_energy();
        run.run_until(0.0199, &mut ()).unwrap();
        assert!(farthest(&run) < 0.0092, "{solver}: {}", farthest(&run));
        run.run_until(0.0301, &mut ()).unwrap();
        run.save(&directory.path().join("middle")).unwrap();
        run.run(&mut ()).unwrap();
        assert!(farthest(&run) > 0.0175, "{solver}: {}", farthest(&run));
        // What springs held when the wall went is gone with it, and booked.
        let all = run.energies().total() - run.state().ledger.changed;
        assert!((all / energy - 1.0).abs() < 3e-3, "{solver}: {all} of {energy} J");
        let scene = tumble_io::scene::parse(&scene, "scene", Path::new(""), &[]).unwrap();
        let mut again = Run::from_checkpoint(scene, &directory.path().join("middle")).unwrap();
        again.run(&mut ()).unwrap();
        assert_eq!(again.state_hash(), run.state_hash(), "{solver}");
    }
}

#[test]
fn gravity_that_grows_evenly_gives_the_speed_and_the_fall_that_it_must() {
    let scene = "
        materials.glass = { preset = 'glass' }
        particles.bead = { diameter = '5 mm' }
        gravity = [0, 0, -10]
        gravity_ramp = '0.1 s'
        insert = [{ fill = { region = { ball = { centre = [0, 0, 0], radius = '3 mm' } }, count = 1 } }]
        domain = { from = [-9, -9, -9], to = [9, 9, 9], edges = { z = 'remove' } }
        time.step = '0.1 ms'
        stages = [
            { end.time = '0.2 s' },
            { gravity = [0, 0, 10], gravity_ramp = '0.2 s', end.time = '0.2 s' },
            { gravity = [10, 0, 0], end.time = '0.1 s' },
        ]
    ";
    let mut run = Run::from_text(scene).unwrap();
    let start = run.state().particles.position[0];
    run.run_until(0.2, &mut ()).unwrap();
    // Over the ramp the speed is g t^2 / 2 T and the way g t^3 / 6 T; then as always.
    let (speed, way) = (0.5 + 1.0, 10.0 * 0.01 / 6.0 + 0.5 * 0.1 + 0.5 * 10.0 * 0.01);
    let p = &run.state().particles;
    assert!((p.velocity[0].z + speed).abs() < 1e-9, "{}", p.velocity[0]);
    assert!(((start - p.position[0]).z - way).abs() < 1e-6, "{}", p.position[0] - start);
    run.run_until(0.4, &mut ()).unwrap();
    // From -10 to 10: it weighs nothing on average.
    assert!((run.state().particles.velocity[0].z + speed).abs() < 1e-9);
    run.run(&mut ()).unwrap();
    let velocity = run.state().particles.velocity[0];
    assert!((velocity - DVec3::new(1.0, 0.0, -speed)).length() < 1e-9, "{velocity}");
    let residual = run.state().ledger.residual(&run.energies());
    assert!(residual < 1e-6, "{residual}");
}

/// Beads in a drum with lifters, between walls that move in every way that a solver knows.
fn driven(solver: &str, walls: &str, change: &str) -> String {
    format!(
        "solver = '{solver}'
        materials.glass = {{ preset = 'glass', young = '5 MPa', restitution = 0.6, friction = 0.3 }}
        particles.bead = {{ diameter = '4 mm' }}
        insert = [{{ fill = {{ region = {{ box = {{ from = '-1 -0.8 -1 cm', to = '1 0.8 1 cm' }} }}, count = 40 }} }}]
        output.report = false
        time.step = '20 us'
        stages = [{{ end.time = '30 ms' }}, {{ {change}, end.time = '30 ms' }}]
        [[walls]]
        name = 'drum'
        cylinder = {{ from = '0 -1 0 cm', to = '0 1 0 cm', radius = '3 cm', ends = 'closed' }}
        motion = [
            {{ rotate = {{ speed = '90 rpm', ramp = '20 ms' }} }},
            {{ vibrate = {{ amplitude = '0 0 0.2 mm', frequency = '40 Hz', phase = '90 deg' }} }},
        ]
        conveyor = {{ velocity = '0 5 0 cm/s' }}
        [[walls]]
        name = 'lifters'
        lifters = {{ from = '0 -1 0 cm', to = '0 1 0 cm', radius = '3 cm', count = 5, height = '6 mm', thickness = '1 mm' }}
        motion = {{ with = 'drum' }}
        [[walls]]
        name = 'rocker'
        plate = {{ centre = '0 0 -1.6 cm', normal = [0, 0, 1], size = ['8 mm', '2 cm'] }}
        motion = {{ swing = {{ amplitude = '20 deg', frequency = '20 Hz', axis = [0, 1, 0] }} }}
        {walls}"
    )
}

#[test]
fn walls_that_are_driven_in_every_way_go_on_with_the_same_bits() {
    let pressed = "
        [[walls]]
        name = 'weight'
        disc = { centre = '0 0 1.4 cm', normal = [0, 0, 1], radius = '8 mm' }
        motion = { free = { direction = [0, 0, 1], mass = '20 g', push = '-0.2 N' } }
        [[walls]]
        name = 'stamp'
        plate = { centre = '0 0 1.6 cm', normal = [0, 0, 1], size = ['3 mm', '3 mm'] }
        motion = [
            { servo = { direction = [0, 0, -1], stress = '10 kPa', ramp = '10 ms', max_speed = '50 cm/s' } },
            { translate = { velocity = '5 0 0 cm/s' } },
        ]";
    for (solver, walls) in [("soft", pressed), ("hard-stepped", ""), ("hard-events", "")] {
        let text = driven(solver, walls, "walls.drum.motion = { rotate = { speed = '-60 rpm' } }");
        let directory = tempfile::tempdir().unwrap();
        let mut run = Run::from_text(&text).unwrap();
        run.record_in(&directory.path().join("run"), false).unwrap();
        run.run_until(0.0201, &mut ()).unwrap();
        run.save(&directory.path().join("first")).unwrap();
        run.run_until(0.0451, &mut ()).unwrap();
        run.save(&directory.path().join("second")).unwrap();
        run.run(&mut ()).unwrap();
        let [drum, lifters] = [0, 1].map(|wall| run.state().walls[wall]);
        assert_eq!(drum.pose.orientation, lifters.pose.orientation, "{solver}");
        assert!(run.state().ledger.wall_work > 0.0, "{solver}");
        let residual = run.state().ledger.residual(&run.energies());
        assert!(residual < if solver == "soft" { 2e-3 } else { 1e-9 }, "{solver}: {residual}");
        for middle in ["first", "second"] {
            let scene = tumble_io::scene::parse(&text, "scene", Path::new(""), &[]).unwrap();
            let mut again = Run::from_checkpoint(scene, &directory.path().join(middle)).unwrap();
            again.run(&mut ()).unwrap();
            assert_eq!(again.state_hash(), run.state_hash(), "{solver}, {middle}");
        }
    }
}

#[test]
fn hard_solvers_name_the_wall_that_goes_by_its_load() {
    for (motion, what) in [
        ("free = { direction = [0, 0, 1], mass = '20 g' }", "is pushed as a body with a mass"),
        ("servo = { direction = [0, 0, -1], force = '1 N', max_speed = 1 }", "moves until grains press on it"),
    ] {
        let walls = format!(
            "[[walls]]\nname = 'lid'\nplane = {{ point = '0 0 2.5 cm', normal = [0, 0, -1] }}\nmotion = [{{ {motion} }}]"
        );
        let text = driven("hard-events", &walls, "drag = 0");
        let error = Run::from_text(&text).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("`lid`") && error.contains(what) && error.contains("hard-events"), "{error}");
    }
}

#[test]
fn lifters_that_come_later_stand_where_their_drum_has_taken_them() {
    let scene = |present: bool| {
        driven("hard-stepped", "", "walls.lifters.present = true")
            .replace("motion = { with = 'drum' }", &format!("motion = {{ with = 'drum' }}\npresent = {present}"))
    };
    let ended = |text: &str| {
        let mut run = Run::from_text(text).unwrap();
        run.run(&mut ()).unwrap();
        run.state().walls[1].pose
    };
    // Few grains are up there where they appear.
    let without_grains = |text: String| text.replace("count = 40", "count = 1");
    assert_eq!(ended(&without_grains(scene(true))), ended(&without_grains(scene(false))));
}
