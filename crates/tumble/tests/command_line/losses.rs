//! What a resumed run must not lose, though files of it are missing or damaged, and what it must tell.

use crate::workshop::Workshop;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const SHORT: [&str; 5] = ["run", "shaken.toml", "--quiet", "--set", "time.end=0.1"];
const GO_ON: [&str; 4] = ["resume", "run", "--until", "0.2"];

/// A finished run called `run`.
fn with_run() -> Workshop {
    let workshop = Workshop::with_scene();
    workshop.tumble(&[&SHORT[..], &["--out", "run"]].concat()).with_code(0);
    workshop
}

/// One that hardly goes beyond its start.
const BRIEF: [&str; 5] = ["run", "shaken.toml", "--quiet", "--set", "time.end=0.021"];

fn with_brief_run() -> Workshop {
    let workshop = Workshop::with_scene();
    workshop.tumble(&[&BRIEF[..], &["--out", "run"]].concat()).with_code(0);
    workshop
}

/// The run that never stopped, called `reference`.
fn add_reference(workshop: &Workshop) {
    workshop.tumble(&["run", "shaken.toml", "--quiet", "--set", "time.end=0.2", "--out", "reference"]).with_code(0);
}

/// The times in the first column of a table.
fn times(workshop: &Workshop, table: &str) -> Vec<f64> {
    let text = fs::read_to_string(workshop.path(table)).unwrap();
    text.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn a_finished_run_without_checkpoints_was_begun_anew() {
    let workshop = with_run();
    fs::remove_dir_all(workshop.path("run/checkpoints")).unwrap();
    let before = workshop.results("run");
    let ended = workshop.tumble(&GO_ON).with_code(1).complains("no checkpoint to go on from");
    ended.complains("Nothing was changed").complains("tumble run run/scene.toml --out");
    assert!(workshop.results("run") == before, "files were changed");
    assert_eq!(workshop.report("run", "status"), "finished");
    // What it says to do works.
    workshop.tumble(&["run", "run/scene.toml", "--quiet", "--out", "again"]).with_code(0);
    workshop.assert_same("again", "run");
}

#[test]
fn the_scene_of_a_run_was_not_found_with_its_inputs() {
    let workshop = Workshop::new();
    fs::create_dir(workshop.path("tables")).unwrap();
    fs::write(workshop.path("tables/grains.csv"), "x,y,z,radius\n0.02,0.02,0.02,0.002\n0.03,0.02,0.02,0.003\n")
        .unwrap();
    let scene = "materials.glass = { preset = 'glass', young = '5 MPa' }
        particles.bead = { diameter = '5 mm' }
        insert = [{ file = 'tables/grains.csv' }]
        walls = [{ plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]
        time.end = '20 ms'";
    fs::write(workshop.path("scene.toml"), scene).unwrap();
    workshop.tumble(&["run", "scene.toml", "--quiet", "--out", "run"]).with_code(0);
    fs::remove_dir_all(workshop.path("tables")).unwrap();
    workshop.tumble(&["run", "run/scene.toml", "--quiet", "--out", "again"]).with_code(0);
    workshop.assert_same("again", "run");
}

/// The files of a run that has just begun, in the order in which they are made.
const START: [&str; 13] = [
    "run.lock",
    "run.starting",
    "inputs",
    "probes",
    "frames",
    "checkpoints",
    "inputs/index.json",
    "scene.toml",
    "probes/loads.csv",
    "series.csv",
    "trajectory.tumble",
    "checkpoints/step-000000000000.checkpoint",
    "run.json",
];

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir(to).unwrap();
    } else {
        fs::copy(from, to).unwrap();
    }
}

#[test]
fn a_run_killed_while_it_began_was_in_limbo() {
    let workshop = with_brief_run();
    fs::write(workshop.path("run/run.starting"), "").unwrap();
    let newest = workshop.checkpoints("run").last().unwrap().clone();
    fs::rename(newest, workshop.path("run").join(START[11])).unwrap();
    for n_files in 0..=START.len() {
        let cut = workshop.path("cut");
        fs::create_dir(&cut).unwrap();
        START[..n_files].iter().for_each(|name| copy(&workshop.path("run").join(name), &cut.join(name)));
        workshop.tumble(&["resume", "cut"]).with_code(1).complains("cut holds no").complains("run");
        workshop.tumble(&[&BRIEF[..], &["--out", "cut"]].concat()).with_code(0);
        assert_eq!(workshop.report("cut", "state_hash"), workshop.report("run", "state_hash"));
        assert!(!cut.join("run.starting").exists());
        fs::remove_dir_all(&cut).unwrap();
    }
}

#[test]
fn a_run_killed_at_any_moment_of_its_start_can_be_run_or_resumed() {
    let workshop = with_brief_run();
    let (mut n_resumed, mut n_run) = (0, 0);
    for delay in (0..60).step_by(4) {
        let mut child = workshop.start(&[&BRIEF[..], &["--out", "killed"]].concat());
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
        let ended = workshop.tumble(&["resume", "killed", "--quiet"]);
        if ended.code == Some(0) {
            n_resumed += 1;
        } else {
            workshop.tumble(&[&BRIEF[..], &["--out", "killed"]].concat()).with_code(0);
            n_run += 1;
        }
        workshop.assert_same("killed", "run");
        fs::remove_dir_all(workshop.path("killed")).unwrap();
    }
    assert!(n_resumed + n_run > 0 && n_run > 0, "{n_resumed} resumed, {n_run} run anew");
}

#[test]
fn deleted_frames_and_trajectories_forbade_a_resume() {
    let workshop = with_run();
    add_reference(&workshop);
    fs::remove_dir_all(workshop.path("run/frames")).unwrap();
    fs::remove_file(workshop.path("run/trajectory.tumble")).unwrap();
    let ended = workshop.tumble(&GO_ON).with_code(0).complains("run/trajectory.tumble: it is gone");
    let ended = ended.complains("run/frames: of 3 frames, 3 are gone or not whole; new ones follow");
    assert_eq!(ended.stderr.matches("are gone or not whole").count(), 1, "{}", ended.stderr);
    assert_eq!(workshop.report("run", "state_hash"), workshop.report("reference", "state_hash"));
    assert!(workshop.report("run", "damage").contains("trajectory.tumble: it is gone"));

    // New frames have the numbers they would have had, and the index names those that are there.
    let (found, expected) = (workshop.results("run"), workshop.results("reference"));
    let newest = "frames/particles-000004.vtp";
    assert!(found[newest] == expected[newest], "the last frame differs");
    for (name, text) in found.iter().filter(|(name, _)| name.ends_with(".pvd")) {
        let text = String::from_utf8(text.clone()).unwrap();
        let listed: Vec<&str> =
            text.lines().filter_map(|line| Some(line.split_once("file=\"")?.1.split_once('"')?.0)).collect();
        assert_eq!(listed.len(), 2, "{name}: {text}");
        assert!(listed.iter().all(|file| found.contains_key(&format!("frames/{file}"))), "{name}: {text}");
    }
    // The trajectory can be looked at.
    workshop.tumble(&["render", "run", "--size", "64x48", "--quality", "draft", "-o", "a.png"]).with_code(0);
    // And it goes on from there without another word.
    let ended = workshop.tumble(&["resume", "run", "--until", "0.25"]).with_code(0);
    assert!(!ended.stderr.contains("it is gone"), "{}", ended.stderr);
}

#[test]
fn some_deleted_frames_were_still_listed() {
    let workshop = with_run();
    fs::remove_file(workshop.path("run/frames/particles-000000.vtp")).unwrap();
    workshop.tumble(&GO_ON).with_code(0).complains("of 3 frames, 1 are gone or not whole");
    let index = fs::read_to_string(workshop.path("run/frames/particles.pvd")).unwrap();
    assert!(!index.contains("particles-000000.vtp") && index.contains("particles-000001.vtp"), "{index}");
}

#[test]
fn damaged_tables_were_cut_without_a_word() {
    let workshop = with_run();
    add_reference(&workshop);
    let path = workshop.path("run/series.csv");
    let text = fs::read_to_string(&path).unwrap();
    // Half of the rows are lost, the last of them in the middle.
    fs::write(&path, &text[..text.len() / 2]).unwrap();
    fs::remove_file(workshop.path("run/probes/loads.csv")).unwrap();
    let ended = workshop.tumble(&GO_ON).with_code(0).complains("run/series.csv: it has ");
    ended.complains("the lost ones stay missing").complains("run/probes/loads.csv: it is gone; a new one begins here");
    assert!(workshop.report("run", "damage").contains("series.csv"));
    assert_eq!(workshop.report("run", "state_hash"), workshop.report("reference", "state_hash"));
    // Every row that is there is one of the whole run, and those of the new part are all there.
    let (found, whole) = (times(&workshop, "run/series.csv"), times(&workshop, "reference/series.csv"));
    assert!(found.iter().all(|time| whole.contains(time)), "{found:?}");
    let later = |times: &[f64]| times.iter().filter(|&&time| time > 0.1002).count();
    assert_eq!(later(&found), later(&whole));
    assert!(found.len() > later(&whole) + 5 && found.len() < whole.len());
}

#[test]
fn a_row_that_is_no_row_was_passed_over_without_a_word() {
    let workshop = with_run();
    let path = workshop.path("run/series.csv");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[4] = "#".repeat(lines[4].len());
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    workshop.tumble(&GO_ON).with_code(0).complains("run/series.csv: line 5: ").complains("it stays as it is");
    assert!(fs::read_to_string(&path).unwrap().contains(&lines[4]));
}

#[test]
fn a_damaged_trajectory_was_continued_behind_its_damage() {
    let workshop = with_run();
    add_reference(&workshop);
    let path = workshop.path("run/trajectory.tumble");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    // More than a frame, so that the next one cannot be found.
    let end = bytes.len() * 3 / 4;
    bytes[middle..end].fill(0);
    fs::write(&path, &bytes).unwrap();
    let ended = workshop.tumble(&GO_ON).with_code(0).complains("run/trajectory.tumble: after ");
    ended.complains("what cannot be read is dropped");
    assert_eq!(workshop.report("run", "state_hash"), workshop.report("reference", "state_hash"));
    // All frames can be read, the newest among them.
    let ended =
        workshop.tumble(&["render", "run", "--size", "64x48", "--quality", "draft", "-o", "a.png"]).with_code(0);
    assert!(!ended.stderr.contains("not shown") && !ended.stderr.contains("damaged"), "{}", ended.stderr);
}

#[test]
fn the_version_that_went_on_was_not_recorded() {
    let workshop = with_run();
    let version = env!("CARGO_PKG_VERSION");
    let versions = || serde_json::from_str::<serde_json::Value>(&workshop.report("run", "versions")).unwrap();
    assert_eq!(versions()[0]["version"], version);
    workshop.tumble(&["resume", "run", "--until", "0.12", "--quiet"]).with_code(0);
    assert_eq!(versions().as_array().unwrap().len(), 1, "the same version is named once");
    // As if an older one had begun it.
    let path = workshop.path("run/run.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(&format!("\"version\": \"{version}\""), "\"version\": \"0.0.1\"")).unwrap();
    workshop.tumble(&["resume", "run", "--until", "0.14", "--quiet"]).with_code(0);
    let found = versions();
    assert_eq!((&found[0]["version"], &found[0]["from_step"]), (&"0.0.1".into(), &0.into()));
    assert_eq!(found[1]["version"], version);
    let from = found[1]["from_time"].as_f64().unwrap();
    assert!((0.12..0.1201).contains(&from), "{found}");
    // Without a report, the checkpoint says who wrote it.
    fs::remove_file(&path).unwrap();
    workshop.tumble(&["resume", "run", "--until", "0.16", "--quiet"]).with_code(0);
    assert_eq!(versions()[0]["version"], version);
}

#[test]
fn a_quiet_resume_tells_of_damage_in_its_report() {
    let workshop = with_run();
    fs::remove_file(workshop.path("run/trajectory.tumble")).unwrap();
    let output = workshop.command(&[&GO_ON[..], &["--quiet"]].concat()).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(workshop.report("run", "damage").contains("trajectory.tumble: it is gone; a new one begins here"));
}
