//! Help, usage errors, and the commands that only print.

use crate::workshop::{Ended, Workshop};
use std::fs;
use std::process::Stdio;

const COMMANDS: [&str; 9] = ["new", "check", "run", "resume", "info", "contact", "pairs", "schema", "completions"];

#[test]
fn help_teaches_with_an_example() {
    let workshop = Workshop::new();
    let ended = workshop.tumble(&["--help"]).with_code(0).says("Exit codes").says("tumble new");
    for command in COMMANDS {
        assert!(ended.stdout.contains(command));
        workshop.tumble(&[command, "--help"]).with_code(0).says("Example").says(&format!("tumble {command}"));
    }
    workshop.tumble(&["--version"]).with_code(0).says(env!("CARGO_PKG_VERSION"));
}

#[test]
fn wrong_options_are_the_users_input() {
    let workshop = Workshop::with_scene();
    workshop.tumble(&[]).with_code(1).complains("Usage");
    workshop.tumble(&["rum"]).with_code(1).complains("run");
    workshop.tumble(&["run", "shaken.toml", "--thread", "2"]).with_code(1).complains("--threads");
    workshop.tumble(&["run", "shaken.toml", "--threads", "0"]).with_code(1).complains("0");
    workshop.tumble(&["resume", "x", "--until", "soon"]).with_code(1).complains("soon");
    workshop.tumble(&["resume", "x", "--until", "3 kg"]).with_code(1).complains("kg");
    workshop.tumble(&["resume", "x", "--until", "-1"]).with_code(1);
}

#[test]
fn every_template_runs() {
    let workshop = Workshop::new();
    let listed = workshop.tumble(&["new", "--list"]).with_code(0).stdout;
    let names: Vec<&str> = listed.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(names.len() >= 3, "{names:?}");
    for name in names {
        workshop.tumble(&["new", name, "--template", name]).with_code(0).says(&format!("tumble run {name}.toml"));
        let scene = format!("{name}.toml");
        workshop.tumble(&["check", &scene]).with_code(0).says("can be run");
        workshop.tumble(&["info", &scene]).with_code(0).says("materials").says("time step");
        let ended = workshop.tumble(&["run", &scene, "--set", "time.end=2 ms"]).with_code(0);
        assert!(ended.stdout.contains("state hash") && ended.stdout.contains("resume"), "{}", ended.stdout);
        let info = workshop.tumble(&["info", &format!("{name}-run")]).with_code(0).says("finished");
        assert!(info.stdout.contains(&workshop.report(&format!("{name}-run"), "state_hash")));
    }
    workshop.tumble(&["new", "box"]).with_code(1).complains("box.toml exists already");
    workshop.tumble(&["new", "x", "--template", "sphere"]).with_code(1).complains("there are: box");
    workshop.tumble(&["new", "no/such/place"]).with_code(1).complains("no/such/place.toml");
}

#[test]
fn a_scene_with_errors_is_told_all_of_them() {
    let workshop = Workshop::with_scene();
    let text = fs::read_to_string(workshop.path("shaken.toml")).unwrap();
    let wrong = text
        .replace("young = \"1 MPa\"", "yuong = \"1 MPa\"")
        .replace("[time]\nend = \"1.2 s\"", "[time]\nend = \"1.2 kg\"");
    fs::write(workshop.path("wrong.toml"), wrong).unwrap();
    for command in ["check", "run"] {
        let ended = workshop.tumble(&[command, "wrong.toml"]).with_code(1);
        let ended = ended.complains("yuong").complains("young").complains("wrong.toml:").complains("kg");
        assert!(ended.stderr.contains("2 errors"), "{}", ended.stderr);
    }
    assert!(!workshop.path("wrong-run").exists());
    workshop.tumble(&["check", "shaken.toml"]).with_code(0).says("190 grains");
    workshop.tumble(&["check", "shaken.toml", "--set", "seed=-1"]).with_code(1).complains("--set");
    workshop.tumble(&["check", "absent.toml"]).with_code(1).complains("absent.toml");
}

#[test]
fn check_does_not_call_a_scene_runnable_that_run_refuses() {
    let workshop = Workshop::new();
    workshop.tumble(&["new", "box"]).with_code(0);
    for (setting, complaint) in [
        ("insert.pour.fill.count=1000000", "use a larger region or fewer grains"),
        ("materials.glass.young=1e300", "time step"),
    ] {
        workshop.tumble(&["check", "box.toml", "--set", setting]).with_code(1).complains(complaint);
        workshop.tumble(&["run", "box.toml", "--set", setting]).with_code(1).complains(complaint);
    }
    fs::write(workshop.path("file"), "").unwrap();
    workshop.tumble(&["run", "box.toml", "--out", "file"]).with_code(1).complains("file is not a directory");
}

#[test]
fn the_reason_of_the_time_step_names_all_its_factors() {
    let workshop = Workshop::new();
    workshop.tumble(&["new", "box"]).with_code(0);
    for law in ["law={hertz_mindlin={}}", "law={linear={stiffness=1000}}"] {
        let run = ["run", "box.toml", "--quiet", "--overwrite", "--set", "time.end=0.1 ms", "--set", law];
        workshop.tumble(&run).with_code(0);
        let time_step: f64 = workshop.report("box-run", "time_step").parse().unwrap();
        let reason = workshop.report("box-run", "time_step_reason");
        let after = |words: &str| -> f64 {
            let rest = reason.split_once(words).unwrap_or_else(|| panic!("no `{words}` in {reason}")).1;
            rest.split([' ', ',']).next().unwrap().parse().unwrap()
        };
        let expected = after("contact time ") / after(", over ") * after(", times ");
        // The reason is printed with four and three digits.
        assert!((expected / time_step - 1.0).abs() < 2e-3, "{expected:.4e} against {time_step:.4e}: {reason}");
    }
}

#[test]
fn tables_and_schemas_are_printed() {
    let workshop = Workshop::new();
    workshop.tumble(&["pairs"]).with_code(0).says("half-space");
    let pairs: serde_json::Value = serde_json::from_str(&workshop.tumble(&["pairs", "--json"]).stdout).unwrap();
    assert_eq!(pairs[0]["a"], "sphere");
    let schema: serde_json::Value = serde_json::from_str(&workshop.tumble(&["schema"]).with_code(0).stdout).unwrap();
    assert!(schema["properties"]["materials"].is_object());
    workshop.tumble(&["schema", "--markdown"]).with_code(0).says("| ");
    for shell in ["bash", "zsh", "fish"] {
        workshop.tumble(&["completions", shell]).with_code(0).says("tumble");
    }
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    // Each prints more than a pipe holds or is cut off before it prints: the reading end is closed at once.
    let workshop = Workshop::with_scene();
    for arguments in
        [&["schema"][..], &["pairs"], &["new", "--list"], &["completions", "bash"], &["info", "shaken.toml"]]
    {
        let mut child = workshop.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = Ended::of(child.wait_with_output().unwrap());
        assert_eq!(ended.stderr, "", "{arguments:?}");
        assert_eq!(ended.code, Some(0), "{arguments:?}");
    }
}

#[test]
fn a_run_tells_what_it_does_and_left() {
    let workshop = Workshop::with_scene();
    let ended = workshop.tumble(&["run", "shaken.toml", "--set", "time.end=30 ms", "--out", "here"]).with_code(0);
    for text in ["Shaken", "time step", "Hertz", "here", "ledger residual", "largest overlap", "particle-steps/s"] {
        assert!(ended.stdout.contains(text), "no `{text}` in:\n{}", ended.stdout);
    }
    for file in
        ["scene.toml", "run.json", "series.csv", "probes/loads.csv", "frames/particles.pvd", "trajectory.tumble"]
    {
        assert!(workshop.path("here").join(file).is_file(), "{file}");
    }
    let series = fs::read_to_string(workshop.path("here/series.csv")).unwrap();
    assert!(series.starts_with("time_s,step,grains,contacts,"), "{series}");
    assert!(series.lines().nth(1).unwrap().starts_with("0,0,150,"), "{series}");
    // The stored scene holds what was laid over it.
    assert!(fs::read_to_string(workshop.path("here/scene.toml")).unwrap().contains("end = \"30 ms\""));
}
