//! A run that was stopped in any way and resumed is the run that never stopped; and threads do not matter.

use crate::workshop::Workshop;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUN: [&str; 4] = ["run", "shaken.toml", "--quiet", "--out"];

fn run(workshop: &Workshop, name: &str, more: &[&str]) {
    let ended = workshop.tumble(&[&RUN[..], &[name], more].concat()).with_code(0);
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""), "a quiet run says nothing");
}

/// A run that never stopped, called `whole`.
fn with_whole_run() -> Workshop {
    let workshop = Workshop::with_scene();
    run(&workshop, "whole", &[]);
    // The scene does what it was written for.
    assert!(workshop.report("whole", "removed").parse::<u64>().unwrap() > 0);
    assert_eq!(workshop.report("whole", "inserted"), "190");
    assert_eq!(workshop.report("whole", "status"), "finished");
    workshop
}

#[test]
fn killed_runs_go_on_as_if_nothing_had_happened() {
    let workshop = with_whole_run();
    let mut child = workshop.start(&[&RUN[..], &["killed"]].concat());
    let mut seen = 0;
    // Killed thrice, each time somewhere after the next checkpoint.
    for time in 0..3 {
        workshop.wait_for_checkpoint_after("killed", seen);
        child.kill().unwrap();
        child.wait().unwrap();
        let was_killed = workshop.report("killed", "status") == "running";
        assert!(was_killed || time > 0, "the run was over before it could be killed");
        if !was_killed {
            break;
        }
        seen = crate::workshop::step_of(workshop.checkpoints("killed").last().unwrap());
        child = workshop.start(&["resume", "killed", "--quiet"]);
    }
    assert!(child.wait().unwrap().success());
    workshop.assert_same("killed", "whole");
}

#[cfg(unix)]
#[test]
fn interrupted_runs_write_a_checkpoint_and_go_on() {
    let workshop = with_whole_run();
    for (signal, name) in [("INT", "interrupted"), ("TERM", "terminated")] {
        let child = workshop.start(&[&RUN[..], &[name]].concat());
        workshop.wait_for_checkpoint_after(name, 0);
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(workshop.report(name, "status"), "interrupted");
        // The checkpoint is of the very step at which it stopped.
        let newest = crate::workshop::step_of(workshop.checkpoints(name).last().unwrap());
        assert_eq!(workshop.report(name, "steps"), newest.to_string());
        workshop.tumble(&["resume", name, "--quiet", "--threads", "3"]).with_code(0);
        workshop.assert_same(name, "whole");
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_still_places_its_grains_ends_at_the_first_signal() {
    let workshop = Workshop::new();
    workshop.tumble(&["new", "box"]).with_code(0);
    // Ten million grains take far longer to place than this test waits.
    let child = workshop
        .command(&[
            "run",
            "box.toml",
            "--set",
            "walls.box.box.to=[8, 8, 30]",
            "--set",
            "insert.pour.fill.region.box.to=[8, 8, 30]",
            "--set",
            "insert.pour.fill.count=10000000",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let asked = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(5), "it went on for {:?}", asked.elapsed());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("before the first step"), "{told}");
    assert!(!workshop.path("box-run").exists());
}

#[test]
fn finished_runs_can_be_taken_further() {
    let workshop = with_whole_run();
    // An eighth of the way, at a time that is on no grid of outputs: its last rows must go when it is taken further.
    run(&workshop, "longer", &["--set", "time.end=0.1501"]);
    workshop.tumble(&["resume", "longer"]).with_code(0).says("the run is finished").says("--until");
    workshop.tumble(&["resume", "longer", "--until", "100 ms"]).with_code(1).complains("before that");
    let rows = |workshop: &Workshop| {
        String::from_utf8(workshop.results("longer")["series.csv"].clone()).unwrap().lines().count()
    };
    let before = rows(&workshop);
    workshop.tumble(&["resume", "longer", "--until", "0.1501"]).with_code(0).complains("nothing to do");
    assert_eq!(rows(&workshop), before);
    workshop.tumble(&["resume", "longer", "--until", "300 ms", "--quiet"]).with_code(0);
    workshop.tumble(&["resume", "longer", "--until", "1.2 s"]).with_code(0).says("state hash");
    workshop.assert_same("longer", "whole");
}

#[test]
fn a_stream_without_a_count_goes_on_when_the_run_is_taken_further() {
    let workshop = Workshop::with_scene();
    let stream =
        "insert.rain.stream={ region={ box={ from='0 0 8 cm', to='4 4 10 cm' } }, rate='200 1/s', start='20 ms' }";
    run(&workshop, "further", &["--set", stream, "--set", "time.end=0.1"]);
    // It asked for no number of grains, so none is missing.
    let warnings = workshop.report("further", "warnings");
    assert!(!warnings.contains("stream"), "{warnings}");
    workshop.tumble(&["resume", "further", "--until", "0.2", "--quiet"]).with_code(0);
    run(&workshop, "straight", &["--set", stream, "--set", "time.end=0.2"]);
    for key in ["inserted", "state_hash", "warnings"] {
        assert_eq!(workshop.report("further", key), workshop.report("straight", key), "{key}");
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let workshop = Workshop::new();
    workshop.tumble(&["new", "box"]).with_code(0);
    // Work is handed out in blocks of some hundreds of grains: there must be many blocks, and collisions in all of them.
    let settings = [
        "insert.pour.fill.count=6000",
        "insert.pour.fill.region.box.to=8 8 20 cm",
        "insert.pour.velocity_spread=2 m/s",
        "time.end=5 ms",
        "output.interval=1 ms",
        "output.report=false",
    ];
    let settings: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    for threads in ["1", "2", "3", "8"] {
        let name = format!("on-{threads}");
        let run = ["run", "box.toml", "--quiet", "--threads", threads, "--out", &name];
        workshop.tumble(&[&run[..], &settings].concat()).with_code(0);
        assert_eq!(workshop.report(&name, "threads"), threads);
        workshop.assert_same(&name, "on-1");
    }
    assert!(workshop.report("on-1", "contacts").parse::<u64>().unwrap() > 100);
}

#[test]
fn outputs_and_checkpoints_leave_the_motion_alone() {
    let workshop = Workshop::with_scene();
    run(&workshop, "often", &["--set", "time.end=0.1"]);
    let rarely = ["output.interval=1", "output.checkpoint=off", "output.frames=off", "output.trajectory=0.03"];
    let settings: Vec<&str> = rarely.iter().flat_map(|setting| ["--set", setting]).collect();
    run(&workshop, "rarely", &[&["--set", "time.end=0.1"], settings.as_slice()].concat());
    assert_eq!(workshop.report("often", "state_hash"), workshop.report("rarely", "state_hash"));
    // Asked for or not, the first and the last moment are there.
    let series = String::from_utf8(workshop.results("rarely")["series.csv"].clone()).unwrap();
    assert_eq!(series.lines().count(), 3, "{series}");
    assert!(!workshop.path("rarely/frames/particles.pvd").exists());
}

#[test]
fn a_run_at_rest_ends_early() {
    let workshop = Workshop::with_scene();
    // The bound is so high that the first look after 50 ms ends the run, once the stream is done.
    let settings = ["--set", "stop.kinetic_energy=1e6", "--set", "stop.after=0.05", "--set", "time.end=0.5"];
    run(&workshop, "rest", &settings);
    let time: f64 = workshop.report("rest", "simulated_time").parse().unwrap();
    // 40 grains at 200 a second from 20 ms on take until 220 ms.
    assert!((0.2..0.3).contains(&time), "ended at {time} s");
    assert_eq!(workshop.report("rest", "message"), "the kinetic energy fell below its bound");
    workshop.tumble(&["resume", "rest", "--until", "0.4", "--quiet"]).with_code(0);
    run(&workshop, "straight", &["--set", "time.end=0.4"]);
    assert_eq!(workshop.report("rest", "state_hash"), workshop.report("straight", "state_hash"));
}

#[test]
fn streams_that_find_no_room_are_told() {
    let workshop = Workshop::with_scene();
    // A thousand grains do not fit into the stream's region in 50 ms.
    let settings = ["--set", "insert.rain.stream.rate=1e6 1/s", "--set", "insert.rain.stream.count=1000"];
    let ended = workshop.tumble(&[&["run", "shaken.toml", "--set", "time.end=0.05"], &settings[..]].concat());
    let ended = ended.with_code(0).says("warning").says("stream `rain` brought in");
    assert!(ended.stdout.contains("found no room"), "{}", ended.stdout);
    assert!(workshop.report("shaken-run", "warnings").contains("found no room"));
}
