//! What a run does when a checkpoint is damaged, a directory cannot be written or the disk is full.

use crate::workshop::Workshop;
use std::fs;
use std::path::Path;
use std::process::Command;

const SHORT: [&str; 5] = ["run", "shaken.toml", "--quiet", "--set", "time.end=0.1"];

/// A finished run called `run`, a second one called `reference` that goes on to 0.2 s, and what to resume with.
fn with_runs() -> Workshop {
    let workshop = Workshop::with_scene();
    workshop.tumble(&[&SHORT[..], &["--out", "run"]].concat()).with_code(0);
    workshop.tumble(&["run", "shaken.toml", "--quiet", "--set", "time.end=0.2", "--out", "reference"]).with_code(0);
    workshop
}

const GO_ON: [&str; 4] = ["resume", "run", "--until", "0.2"];

fn check_fall_back(damage: impl Fn(&Path), message: &str) {
    let workshop = with_runs();
    let checkpoints = workshop.checkpoints("run");
    let [earlier, newest] = checkpoints.as_slice() else { panic!("two checkpoints are kept: {checkpoints:?}") };
    damage(newest);
    let ended = workshop.tumble(&["info", newest.to_str().unwrap()]).with_code(1);
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
    workshop.tumble(&GO_ON).with_code(0).complains(message).complains("going back to an earlier checkpoint");
    workshop.assert_same("run", "reference");

    // With no good checkpoint left there is nothing to go on from.
    let workshop = with_runs();
    workshop.checkpoints("run").iter().for_each(|path| damage(path));
    let name = earlier.file_name().unwrap().to_str().unwrap();
    workshop.tumble(&GO_ON).with_code(1).complains("no checkpoint to go on from").complains(name);
}

#[test]
fn a_truncated_checkpoint_is_passed_over() {
    check_fall_back(
        |path| {
            let bytes = fs::read(path).unwrap();
            fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        },
        "is truncated",
    );
}

#[test]
fn a_corrupted_checkpoint_is_passed_over() {
    check_fall_back(
        |path| {
            let mut bytes = fs::read(path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
            fs::write(path, &bytes).unwrap();
        },
        "is corrupted",
    );
}

#[test]
fn a_foreign_checkpoint_is_passed_over() {
    check_fall_back(|path| fs::write(path, b"\x7fELF\0\0\0\0 something else").unwrap(), "is not a Tumble checkpoint");
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let workshop = with_runs();
    let scene = workshop.path("run/scene.toml");
    let text = fs::read_to_string(&scene).unwrap();
    fs::write(&scene, text.replace("seed = 5", "seed = 6")).unwrap();
    workshop.tumble(&GO_ON).with_code(1).complains("the scene or one of its inputs was changed");
}

#[test]
fn an_earlier_run_is_not_replaced_by_accident() {
    let workshop = with_runs();
    let before = workshop.results("run");
    workshop.tumble(&[&SHORT[..], &["--out", "run"]].concat()).with_code(1).complains("--overwrite");
    let unplaceable = ["--set", "insert.heap.fill.count=100000", "--out", "run", "--overwrite"];
    workshop.tumble(&[&SHORT[..], &unplaceable].concat()).with_code(1).complains("heap");
    assert!(workshop.results("run") == before, "a scene that cannot be run took an earlier run away");
    let other = ["--set", "seed=9", "--out", "run", "--overwrite"];
    workshop.tumble(&[&SHORT[..], &other].concat()).with_code(0);
    assert!(workshop.results("run") != before);
    workshop.tumble(&["resume", "nowhere"]).with_code(1).complains("there is no directory nowhere");
}

#[test]
fn an_unstable_run_says_so_and_keeps_its_good_checkpoints() {
    let workshop = Workshop::with_scene();
    let settings = ["--set", "time.step=1e-3", "--set", "output.checkpoint=2e-3"];
    let ended = workshop.tumble(&[&SHORT[..], &["--out", "wild"], &settings].concat()).with_code(1);
    let ended = ended.complains("the run became unstable").complains("the last good checkpoint is");
    assert_eq!(workshop.report("wild", "status"), "failed");
    assert!(workshop.report("wild", "message").contains("unstable"));
    let newest = workshop.checkpoints("wild").last().unwrap().clone();
    assert!(ended.stderr.contains(newest.file_name().unwrap().to_str().unwrap()), "{}", ended.stderr);
    workshop.tumble(&["info", newest.to_str().unwrap()]).with_code(0).says("state hash");
}

/// A small file system in memory; `None` where one may not be mounted.
struct SmallDisk<'a>(&'a Path);

impl SmallDisk<'_> {
    fn mount<'a>(path: &'a Path, options: &str) -> Option<SmallDisk<'a>> {
        fs::create_dir(path).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(path).output();
        let is_mounted = mounted.is_ok_and(|output| output.status.success());
        if !is_mounted {
            eprintln!("skipped: no file system can be mounted here");
        }
        is_mounted.then_some(SmallDisk(path))
    }

    fn remount(&self, options: &str) {
        let done = Command::new("mount").args(["-o", &format!("remount,{options}")]).arg(self.0).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_loses_no_checkpoint() {
    let workshop = Workshop::with_scene();
    let path = workshop.path("disk");
    let Some(disk) = SmallDisk::mount(&path, "size=600k") else { return };
    let run = ["run", "shaken.toml", "--quiet", "--set", "time.end=0.3", "--out"];
    workshop.tumble(&[&run[..], &["disk/run"]].concat()).with_code(2).complains("the disk is full");
    let newest = workshop.checkpoints("disk/run").last().unwrap().clone();
    assert!(crate::workshop::step_of(&newest) > 0);
    workshop.tumble(&["info", newest.to_str().unwrap()]).with_code(0);
    disk.remount("size=100m");
    workshop.tumble(&["resume", "disk/run", "--quiet"]).with_code(0);
    workshop.tumble(&[&run[..], &["reference"]].concat()).with_code(0);
    workshop.assert_same("disk/run", "reference");
}

#[test]
fn a_full_disk_leaves_no_half_a_picture() {
    let workshop = Workshop::with_scene();
    workshop.tumble(&["run", "shaken.toml", "--out", "run", "--quiet", "--set", "time.end=0.03"]).with_code(0);
    let path = workshop.path("disk");
    let Some(_disk) = SmallDisk::mount(&path, "size=8k") else { return };
    let draw = ["render", "run", "--size", "320x240", "--quality", "draft", "--frame", "all", "-o"];
    for output in ["disk/film.gif", "disk/film.webp"] {
        workshop.tumble(&[&draw[..], &[output]].concat()).with_code(2).complains("the disk is full");
    }
    let last = ["render", "run", "--size", "320x240", "--quality", "draft", "-o", "disk/a.png"];
    workshop.tumble(&last).with_code(2).complains("the disk is full");
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
}

#[test]
fn a_directory_that_cannot_be_written_is_the_machines_fault() {
    let workshop = Workshop::with_scene();
    let path = workshop.path("disk");
    let Some(disk) = SmallDisk::mount(&path, "size=1m") else { return };
    disk.remount("ro");
    workshop.tumble(&[&SHORT[..], &["--out", "disk/run"]].concat()).with_code(2).complains("disk/run");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_the_machines_fault() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Workshop::new().command(&["pairs"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
