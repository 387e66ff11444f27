//! Runs as a program drives them.

use std::path::Path;
use std::sync::{Arc, Mutex};
use tumble_run::{
    DVec3, End, Material, Model, Probe, ProbeQuantity, Run, RunError, RunStatus, Shape, Simulation, Sphere, StoredRun,
    Watcher,
};

/// Beads that fall on a floor.
const SCENE: &str = "
    title = 'Beads'
    materials.glass = { preset = 'glass', young = '1 MPa' }
    particles.bead = { diameter = '5 mm' }
    insert = [{ fill = { region = { box = { from = [0, 0, 0], to = '3 3 3 cm' } }, count = 30 } }]
    walls = [{ plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]
    time.end = '60 ms'
    output = { interval = '5 ms', checkpoint = '20 ms' }
";

/// The fingerprint of the scene's end, without any files.
fn end_of_scene() -> u64 {
    let mut run = Run::from_text(SCENE).unwrap();
    assert_eq!(run.run(&mut ()).unwrap(), End::Time);
    assert!(run.time() >= 0.06 && !run.contacts().is_empty());
    run.state_hash()
}

/// Wants a run to stop after so many steps.
struct StopAfter(u64);

impl Watcher for StopAfter {
    fn stepped(&mut self, _: &Simulation) {
        self.0 -= 1;
    }

    fn wants_stop(&mut self) -> bool {
        self.0 == 0
    }
}

fn rows(root: &Path) -> usize {
    std::fs::read_to_string(root.join("series.csv")).unwrap().lines().count()
}

#[test]
fn a_run_has_the_same_bits_recorded_stopped_and_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    let mut run = Run::from_text(SCENE).unwrap();
    run.record_in(&root, false).unwrap();
    assert_eq!(run.title(), "Beads");
    let twice = run.record_in(&directory.path().join("other"), false);
    assert!(matches!(twice, Err(RunError::Recorded { .. })), "{twice:?}");
    assert_eq!(run.run(&mut StopAfter(100)).unwrap(), End::Interrupted);
    assert_eq!(run.state().step, 100);
    // As long as it lives no other may write there.
    assert!(matches!(StoredRun::open(&root), Err(RunError::Directory(_))));
    drop(run);

    let stored = StoredRun::open(&root).unwrap();
    assert_eq!(stored.report().unwrap().status, RunStatus::Interrupted);
    assert!(!stored.is_finished());
    let mut run = stored.resume(None, &mut ()).unwrap();
    assert_eq!(run.state().step, 100);
    assert_eq!(run.run(&mut ()).unwrap(), End::Time);
    assert_eq!(run.state_hash(), end_of_scene());
    let report = run.read_report().unwrap().unwrap();
    assert_eq!(report.status, RunStatus::Finished);
    let (path, moment) = run.newest_checkpoint().unwrap();
    assert!(path.exists() && moment.step == run.state().step);
    // The header, twelve intervals and the start.
    assert_eq!(rows(&root), 14);
    drop(run);

    let time = report.simulated_time;
    let nothing = StoredRun::open(&root).unwrap().resume(Some(0.06), &mut ()).unwrap_err();
    assert!(matches!(nothing, RunError::NothingToDo { time: t } if t == time), "{nothing}");
    let beyond = StoredRun::open(&root).unwrap().resume(Some(0.03), &mut ()).unwrap_err();
    assert!(matches!(beyond, RunError::Beyond { until: 0.03, .. }), "{beyond}");
    assert_eq!(rows(&root), 14);
}

#[test]
fn observers_look_at_every_multiple_and_change_nothing() {
    let times = Arc::new(Mutex::new(Vec::new()));
    let seen = times.clone();
    let mut run = Run::from_text(SCENE).unwrap();
    run.every(0.01, move |simulation| seen.lock().unwrap().push(simulation.time())).unwrap();
    assert!(matches!(run.every(0.0, |_| ()), Err(RunError::Interval { .. })));
    assert!(matches!(run.every(f64::NAN, |_| ()), Err(RunError::Interval { .. })));
    assert_eq!(run.run_until(0.035, &mut ()).unwrap(), None);
    assert_eq!(times.lock().unwrap().len(), 4);
    run.run(&mut ()).unwrap();
    let times = times.lock().unwrap();
    assert_eq!(times.len(), 7);
    let step = run.state().time_step;
    for (number, &time) in times.iter().enumerate() {
        let wanted = 0.01 * number as f64;
        assert!(time >= wanted - 1e-6 * step && time < wanted + step, "{time} for {wanted}");
    }
    assert_eq!(run.state_hash(), end_of_scene());
}

#[test]
fn what_cannot_be_recorded_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    let mut run = Run::from_text(SCENE).unwrap();
    run.step().unwrap();
    assert!(matches!(run.record_in(&root, false), Err(RunError::NotAtStart { step: 1 })));
    let mut builder = Model::builder();
    let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 };
    let glass = builder.material(glass);
    let bead = builder.species("bead", &Shape::Sphere(Sphere { radius: 0.005 }), glass);
    builder.grain(bead, DVec3::ZERO);
    let mut run = Run::from_model(builder.build().unwrap()).unwrap();
    assert!(matches!(run.record_in(&root, false), Err(RunError::NoScene)));
    assert!(!root.exists());
}

#[test]
fn a_probe_measures_now() {
    let mut run = Run::from_text(SCENE).unwrap();
    run.run(&mut ()).unwrap();
    let probe = Probe { name: "coordination".into(), quantity: ProbeQuantity::Coordination, group: None };
    let rows = run.measure(&probe).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].len(), probe.columns(run.model()).len());
    assert_eq!(rows[0][0], run.time());
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    let scene = |text: &str| tumble_io::scene::parse(text, "s", Path::new(""), &[]).unwrap();
    let mut run = Run::from_scene(scene(SCENE), "s").unwrap();
    run.run_until(0.01, &mut ()).unwrap();
    run.save(&path).unwrap();
    let other = SCENE.replace("count = 30", "count = 29");
    let error = Run::from_checkpoint(scene(&other), &path).unwrap_err();
    assert!(matches!(error, RunError::OtherScene { .. }), "{error}");
    let mut again = Run::from_checkpoint(scene(SCENE), &path).unwrap();
    again.run(&mut ()).unwrap();
    assert_eq!(again.state_hash(), end_of_scene());
}

#[test]
fn a_scene_with_mistakes_is_refused_with_all_of_them() {
    let error = Run::from_text("time.end = '1 m'\nmaterials.a = { densty = 1 }").unwrap_err();
    let RunError::Scene(error) = error else { panic!("{error}") };
    let text = error.render(false);
    assert!(text.contains("densty") && text.contains("time.end"), "{text}");
}

#[test]
fn a_last_frame_stood_four_steps_behind_the_regular_one() {
    let frames = |end: &str| {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("run");
        let scene = SCENE
            .replace("'60 ms'", end)
            .replace("interval = '5 ms'", "interval = '5 ms', trajectory = '5 ms', vtk = false");
        let mut run = Run::from_text(&scene).unwrap();
        run.record_in(&root, false).unwrap();
        run.run(&mut ()).unwrap();
        let rows = rows(&root) - 1;
        let reader = tumble_io::trajectory::TrajectoryReader::open(&root.join("trajectory.tumble")).unwrap();
        let times: Vec<f64> = reader.frames().iter().map(|frame| frame.time).collect();
        (times.len(), rows, times[times.len() - 1])
    };
    // The table has a row of the end in any case.
    let (n_frames, n_rows, last) = frames("'60.2 ms'");
    assert_eq!((n_frames, n_rows), (13, 14));
    assert!((last - 0.06).abs() < 1e-4, "{last}");
    // Farther behind it is a moment of its own.
    let (n_frames, n_rows, last) = frames("'62 ms'");
    assert_eq!((n_frames, n_rows), (14, 14));
    assert!((last - 0.062).abs() < 1e-4, "{last}");
}

#[test]
fn a_run_shorter_than_the_interval_ended_without_a_frame_of_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    let scene = SCENE.replace("interval = '5 ms'", "interval = '5 ms', trajectory = '1000 s', vtk = false");
    let mut run = Run::from_text(&scene).unwrap();
    run.record_in(&root, false).unwrap();
    run.run(&mut ()).unwrap();
    let times = || -> Vec<f64> {
        let reader = tumble_io::trajectory::TrajectoryReader::open(&root.join("trajectory.tumble")).unwrap();
        reader.frames().iter().map(|frame| frame.time).collect()
    };
    assert!(matches!(times()[..], [0.0, end] if (end - 0.06).abs() < 1e-4), "{:?}", times());
    drop(run);
    // A run that goes on gives up the frame of its earlier end, as one that never stopped.
    let mut run = StoredRun::open(&root).unwrap().resume(Some(0.07), &mut ()).unwrap();
    run.run(&mut ()).unwrap();
    assert!(matches!(times()[..], [0.0, end] if (end - 0.07).abs() < 1e-4), "{:?}", times());
}
