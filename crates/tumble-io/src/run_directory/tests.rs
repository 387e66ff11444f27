use super::*;
use crate::run_report::RunStatus;

fn state_at(step: u64) -> State {
    State { step, time: step as f64 * 1e-5, time_step: 1e-5, ..State::default() }
}

fn names_in(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn steps(run: &RunDirectory) -> Vec<u64> {
    run.checkpoints().unwrap().iter().map(|(step, _)| *step).collect()
}

#[test]
fn a_directory_that_holds_a_run_is_refused_or_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("deep/run");
    let run = RunDirectory::create(&root, false).unwrap();
    run.store_scene("title = 'one'").unwrap();
    run.write_checkpoint(&state_at(5), &CheckpointExtra::default()).unwrap();
    run.has_begun().unwrap();
    drop(run);
    let message = RunDirectory::create(&root, false).unwrap_err().to_string();
    assert!(message.contains("already holds a run") && message.contains("tumble resume"), "{message}");
    assert_eq!(RunDirectory::open(&root).unwrap().load_scene().unwrap(), "title = 'one'");

    fs::write(root.join("my notes.txt"), "mine").unwrap();
    let run = RunDirectory::create(&root, true).unwrap();
    assert!(steps(&run).is_empty());
    assert!(!run.scene_path().exists());
    assert_eq!(
        names_in(&root),
        ["checkpoints", "frames", "inputs", "my notes.txt", "probes", "run.lock", "run.starting"]
    );
}

#[test]
fn files_that_are_not_of_a_run_are_never_replaced() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("scene.toml"), "the user's own").unwrap();
    for overwrite in [false, true] {
        let message = RunDirectory::create(directory.path(), overwrite).unwrap_err().to_string();
        assert!(message.contains("scene.toml exists and is not part of a run"), "{message}");
        assert_eq!(names_in(directory.path()), ["scene.toml"]);
    }
    assert!(matches!(RunDirectory::open(directory.path()), Err(RunDirectoryError::NoRun { .. })));
    assert!(matches!(RunDirectory::open(&directory.path().join("absent")), Err(RunDirectoryError::Absent { .. })));
}

#[test]
fn a_start_that_was_cut_off_stands_in_nobody_s_way() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    let cut_off = |cut: &dyn Fn()| {
        cut();
        let message = RunDirectory::open(&root).unwrap_err().to_string();
        assert!(message.contains("holds no run") && message.contains("`tumble run`"), "{message}");
        assert!(matches!(RunDirectory::open_for_writing(&root), Err(RunDirectoryError::NeverBegan { .. })));
        drop(RunDirectory::create(&root, false).unwrap());
        assert_eq!(names_in(&root), ["checkpoints", "frames", "inputs", "probes", "run.lock", "run.starting"]);
    };
    // Nothing but the lock; the mark too; all but the end of the start.
    cut_off(&|| {
        fs::create_dir(&root).unwrap();
        fs::write(root.join("run.lock"), "").unwrap();
    });
    cut_off(&|| {
        fs::remove_dir_all(&root).unwrap();
        fs::create_dir(&root).unwrap();
        ["run.lock", "run.starting"].iter().for_each(|name| fs::write(root.join(name), "").unwrap());
    });
    cut_off(&|| {
        let run = RunDirectory::create(&root, false).unwrap();
        run.store_scene("title = 'one'").unwrap();
        run.write_checkpoint(&state_at(0), &CheckpointExtra::default()).unwrap();
        run.write_report(&RunReport::default()).unwrap();
    });
    // An earlier run that was being replaced is gone.
    RunDirectory::create(&root, false).unwrap().has_begun().unwrap();
    cut_off(&|| drop(RunDirectory::create(&root, true).unwrap()));
}

#[test]
fn only_one_process_writes() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("run");
    let writer = RunDirectory::create(&root, false).unwrap();
    writer.store_scene("kept").unwrap();
    // One that only starts is not taken away either.
    assert!(matches!(RunDirectory::create(&root, false), Err(RunDirectoryError::InUse { .. })));
    writer.has_begun().unwrap();
    assert!(matches!(RunDirectory::open_for_writing(&root), Err(RunDirectoryError::InUse { .. })));
    assert!(matches!(RunDirectory::create(&root, true), Err(RunDirectoryError::InUse { .. })));
    assert_eq!(RunDirectory::open(&root).unwrap().load_scene().unwrap(), "kept");
    drop(writer);
    RunDirectory::open_for_writing(&root).unwrap();
}

#[test]
fn the_newest_two_checkpoints_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(directory.path(), false).unwrap();
    for (step, expected) in [(0, vec![0]), (10, vec![10, 0]), (20, vec![20, 10]), (1 << 50, vec![1 << 50, 20])] {
        let path = run.write_checkpoint(&state_at(step), &CheckpointExtra::default()).unwrap();
        assert_eq!(steps(&run), expected);
        assert_eq!(checkpoint::read(&path).unwrap().0.step, step);
    }
    // Taken up at step 20 again: the later one belongs to a future that is left.
    run.write_checkpoint(&state_at(30), &CheckpointExtra::default()).unwrap();
    assert_eq!(steps(&run), [30, 20]);
}

#[test]
fn no_checkpoint_goes_before_the_new_one_is_safe() {
    let directory = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(directory.path(), false).unwrap();
    for step in [10, 20] {
        run.write_checkpoint(&state_at(step), &CheckpointExtra::default()).unwrap();
    }
    // A directory in the place of the file: writing the checkpoint fails at its very last step, the renaming.
    fs::create_dir(run.checkpoint_path(30)).unwrap();
    fs::write(run.checkpoint_path(30).join("occupied"), "").unwrap();
    run.write_checkpoint(&state_at(30), &CheckpointExtra::default()).unwrap_err();
    fs::remove_dir_all(run.checkpoint_path(30)).unwrap();
    assert_eq!(steps(&run), [20, 10]);
    assert_eq!(run.newest_valid_checkpoint().unwrap().state.step, 20);
}

#[test]
fn damaged_checkpoints_are_passed_over_and_told() {
    let directory = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(directory.path(), false).unwrap();
    let message = run.newest_valid_checkpoint().unwrap_err().to_string();
    assert!(message.contains("holds no checkpoint to go on from. Nothing was changed"), "{message}");

    let extra = CheckpointExtra { scene_hash: 77, ..CheckpointExtra::default() };
    for step in [100, 200] {
        run.write_checkpoint(&state_at(step), &extra).unwrap();
    }
    fs::write(run.checkpoint_path(300), "something else").unwrap();
    let newest = fs::read(run.checkpoint_path(200)).unwrap();
    fs::write(run.checkpoint_path(200), &newest[..newest.len() / 2]).unwrap();
    let found = run.newest_valid_checkpoint().unwrap();
    assert_eq!((found.state.step, found.extra.scene_hash), (100, 77));
    assert_eq!(found.path, run.checkpoint_path(100));
    assert!(matches!(found.damaged[..], [CheckpointError::Foreign { .. }, CheckpointError::Truncated { .. }]));

    fs::write(run.checkpoint_path(100), "").unwrap();
    let message = run.newest_valid_checkpoint().unwrap_err().to_string();
    assert!(message.contains("is truncated: 0 of") && message.contains("is not a Tumble checkpoint"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_checkpoint_that_may_not_be_read_is_not_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(directory.path(), false).unwrap();
    run.write_checkpoint(&state_at(100), &CheckpointExtra::default()).unwrap();
    // Opening a directory works, reading it fails: an error of the file system, for root too.
    fs::create_dir(run.checkpoint_path(200)).unwrap();
    let error = run.newest_valid_checkpoint().unwrap_err();
    assert!(matches!(error, RunDirectoryError::Checkpoint(CheckpointError::File(_))), "{error}");
}

#[test]
fn inputs_are_found_under_the_paths_of_the_scene() {
    let directory = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(directory.path(), false).unwrap();
    assert!(run.inputs().unwrap().is_empty());
    run.store_input("meshes/drum.stl", b"an earlier one").unwrap();
    run.store_input("../other/drum.stl", b"solid two").unwrap();
    run.store_input("meshes/drum.stl", b"solid one").unwrap();
    run.store_input("..", b"no name").unwrap();
    run.has_begun().unwrap();
    drop(run);
    let run = RunDirectory::open(directory.path()).unwrap();
    assert_eq!(run.load_input("meshes/drum.stl").unwrap(), b"solid one");
    assert_eq!(run.load_input("../other/drum.stl").unwrap(), b"solid two");
    assert_eq!(run.load_input("..").unwrap(), b"no name");
    let copies = run.inputs().unwrap();
    assert_eq!(copies.len(), 3);
    assert!(copies.iter().all(|(_, copy)| copy.parent() == Some(&directory.path().join("inputs"))));
    let message = run.load_input("drum.stl").unwrap_err().to_string();
    assert!(message.contains("knows no copy of `drum.stl`"), "{message}");
    fs::write(run.input_index_path(), r#"[["mesh", "../../secret"]]"#).unwrap();
    assert!(matches!(run.inputs(), Err(RunDirectoryError::Damaged { .. })));
}

#[test]
fn the_report_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(directory.path(), false).unwrap();
    let report = RunReport { status: RunStatus::Finished, title: "drum".to_owned(), ..RunReport::default() };
    run.write_report(&report).unwrap();
    assert_eq!(run.read_report().unwrap(), report);
    fs::write(run.report_path(), "{").unwrap();
    assert!(run.read_report().unwrap_err().to_string().contains("run.json is damaged"));
}

#[test]
fn opening_for_writing_removes_half_written_files() {
    let directory = tempfile::tempdir().unwrap();
    RunDirectory::create(directory.path(), false).unwrap().has_begun().unwrap();
    let leftover = directory.path().join("checkpoints/.step-000000000010.checkpoint.partial");
    fs::write(&leftover, "half").unwrap();
    RunDirectory::open(directory.path()).unwrap();
    assert!(leftover.exists());
    RunDirectory::open_for_writing(directory.path()).unwrap();
    assert!(!leftover.exists());
}

#[test]
fn names_of_probes_cannot_leave_the_directory_or_collide() {
    let directory = tempfile::tempdir().unwrap();
    let run = RunDirectory::create(directory.path(), false).unwrap();
    let probes = directory.path().join("probes");
    assert_eq!(run.probe_path("stress at lid"), probes.join("stress at lid.csv"));
    assert_eq!(run.probe_path("../a/b"), probes.join("%2E.%2Fa%2Fb.csv"));
    assert_ne!(run.probe_path("a/b"), run.probe_path("a%2Fb"));
}
