//! Runs of hard particles as a user meets them.

use crate::workshop::Workshop;

/// A gas in a box, under any solver.
const GAS: &str = r#"
gravity = [0, 0, 0]
materials.glass = { preset = "glass", young = "50 MPa", restitution = 0.9, friction = 0 }
law = { hertz_mindlin = {} }
particles.bead = { diameter = "4 mm" }
insert = [{ fill = { region = { box = { from = [0, 0, 0], to = "2 2 2 cm" } }, count = 40 }, velocity_spread = "1 m/s" }]
walls = [{ box = { from = [0, 0, 0], to = "2 2 2 cm" } }]
time.end = "40 ms"
output = { interval = "1 ms", probes = [{ coordination = {} }] }
"#;

#[test]
fn two_solvers_are_compared_in_a_table_and_plots() {
    let workshop = Workshop::new();
    std::fs::write(workshop.path("gas.toml"), GAS).unwrap();
    let compare = ["run", "gas.toml", "--compare-solvers", "soft,hard-stepped", "--out", "both"];
    let ended = workshop.tumble(&compare).with_code(0).says("soft and hard-stepped compared");
    ended
        .says("kinetic energy of translation [J]")
        .says("processor time")
        .complains("left out for `hard-stepped`, which does not know them: law, output.probes.coordination");
    for file in [
        "comparison.csv",
        "comparison-energies.svg",
        "comparison-differences.svg",
        "soft/run.json",
        "hard-stepped/run.json",
    ] {
        assert!(workshop.path("both").join(file).is_file(), "{file}");
    }
    // The same gas cools the same way: each collision takes as much in either.
    let text = std::fs::read_to_string(workshop.path("both/comparison.csv")).unwrap();
    let last: Vec<f64> = text.lines().last().unwrap().split(',').map(|number| number.parse().unwrap()).collect();
    assert_eq!(text.lines().next().unwrap().split(',').nth(1), Some("kinetic_energy_of_translation_soft_J"));
    let first: Vec<f64> = text.lines().nth(1).unwrap().split(',').map(|number| number.parse().unwrap()).collect();
    assert_eq!(first[1], first[2]);
    assert!(last[2] < 0.8 * first[2] && (last[2] / last[1] - 1.0).abs() < 0.25, "{first:?} {last:?}");
    workshop.tumble(&["run", "gas.toml", "--compare-solvers", "soft"]).with_code(1).complains("takes two of `soft`");
    workshop
        .tumble(&["run", "gas.toml", "--compare-solvers", "soft,lattice"])
        .with_code(1)
        .complains("no solver `lattice`");
}

#[test]
fn every_collision_is_logged_once_also_across_a_resume() {
    let workshop = Workshop::new();
    for solver in ["hard-stepped", "hard-events"] {
        let scene = GAS.replace("law = { hertz_mindlin = {} }", &format!("solver = '{solver}'\nhard.log = true"));
        std::fs::write(workshop.path("gas.toml"), scene.replace("{ coordination = {} }", "{ collisions = {} }"))
            .unwrap();
        let out = |name: &str| format!("{solver}-{name}");
        let ended = workshop.tumble(&["run", "gas.toml", "--out", &out("whole")]).with_code(0);
        ended.says(&format!("solver     {solver}: collisions that take no time")).says(" of grains, ");
        let half = ["run", "gas.toml", "--out", &out("half"), "--set", "output.checkpoint=10 ms"];
        workshop.tumble(&half).with_code(0);
        let log = |name: &str| std::fs::read_to_string(workshop.path(&out(name)).join("collisions.csv")).unwrap();
        let whole = log("whole");
        assert!(
            whole.starts_with("time_s,grain,other_grain,wall,") && whole.lines().count() > 100,
            "{}",
            whole.lines().count()
        );
        // Back to a checkpoint in the middle, and on from there.
        let checkpoints = workshop.path(&out("half")).join("checkpoints");
        let mut saved: Vec<_> = std::fs::read_dir(&checkpoints).unwrap().map(|entry| entry.unwrap().path()).collect();
        saved.sort();
        saved.iter().skip(saved.len() / 2).for_each(|path| std::fs::remove_file(path).unwrap());
        workshop.tumble(&["resume", &out("half"), "--until", "40 ms"]).with_code(0);
        assert_eq!(log("half"), whole);
    }
}

#[test]
fn the_scenes_of_hard_particles_run_and_close_their_ledgers() {
    let workshop = Workshop::new();
    let scenes = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    for (name, end, least) in
        [("cooling", "20 ms", 1000), ("shear", "12 s", 1000), ("shaken", "50 ms", 300), ("freezing", "5 s", 5000)]
    {
        let scene = scenes.join(name).with_extension("toml").display().to_string();
        let end = format!("time.end={end}");
        workshop.tumble(&["run", &scene, "--out", name, "--set", &end, "--set", "output.vtk=false"]).with_code(0);
        let number = |key: &str| workshop.report(name, key).parse::<f64>().unwrap();
        assert!(number("ledger_residual_relative") < 1e-11, "{name}: {}", number("ledger_residual_relative"));
        let series = std::fs::read_to_string(workshop.path(name).join("series.csv")).unwrap();
        let place = series.lines().next().unwrap().split(',').position(|column| column == "pair_collisions").unwrap();
        let collisions: f64 = series.lines().last().unwrap().split(',').nth(place).unwrap().parse().unwrap();
        assert!(collisions > f64::from(least), "{name}: {collisions}");
    }
}

#[test]
fn discs_on_a_galton_board_spread_as_coins_do() {
    let workshop = Workshop::new();
    let scene = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/galton.toml");
    // The first thirty of its discs.
    let scene = std::fs::read_to_string(scene).unwrap().replace("count = 50", "count = 30");
    std::fs::write(workshop.path("galton.toml"), scene).unwrap();
    let run = ["run", "galton.toml", "--out", "run", "--set", "time.end=2.2 s", "--set", "output.vtk=false"];
    workshop.tumble(&run).with_code(0);
    let bins = std::fs::read_to_string(workshop.path("run/probes/bins.csv")).unwrap();
    let last: Vec<Vec<f64>> =
        bins.lines().rev().take(11).map(|line| line.split(',').map(|n| n.parse().unwrap()).collect()).collect();
    let mean = |of: &dyn Fn(f64) -> f64| {
        let sum = |of: &dyn Fn(&[f64]) -> f64| last.iter().map(|row| of(row)).sum::<f64>();
        sum(&|row| of(row[2] / 0.012) * row[3]) / sum(&|row| row[3])
    };
    let n: f64 = last.iter().map(|row| row[3]).sum();
    let middle = mean(&|x| x);
    let variance = mean(&|x| (x - middle).powi(2));
    // Eight rows, half a bin to either side at each: a variance of 2, which thirty discs tell to a quarter of it. They remember something of
    // where they came from, and meet each other.
    assert!(n >= 26.0 && middle.abs() < 1.0, "{n} discs, {middle} bins beside the middle");
    assert!((1.0..3.4).contains(&variance), "variance {variance}");
}

#[test]
fn a_bed_falls_asleep_goes_on_sleeping_after_a_resume_and_says_so() {
    let workshop = Workshop::new();
    let scene = GAS
        .replace("gravity = [0, 0, 0]\n", "solver = 'hard-events'\nhard.collapse = { sleep = { speed = '1 cm/s' } }\n")
        .replace("law = { hertz_mindlin = {} }\n", "")
        .replace("restitution = 0.9", "restitution = 0.5")
        .replace("end = \"40 ms\"", "end = \"300 ms\"")
        .replace("count = 40", "count = 20")
        .replace("coordination", "collisions");
    std::fs::write(workshop.path("bed.toml"), scene).unwrap();
    let ended = workshop.tumble(&["run", "bed.toml", "--out", "whole"]).with_code(0);
    ended.says(" fell asleep, ").says(" sleep, and walls do not feel their weight");
    let half = ["run", "bed.toml", "--out", "half", "--set", "output.checkpoint=100 ms"];
    workshop.tumble(&half).with_code(0);
    // Back to a checkpoint in the middle, and on from there.
    let checkpoints = workshop.path("half/checkpoints");
    let mut saved: Vec<_> = std::fs::read_dir(&checkpoints).unwrap().map(|entry| entry.unwrap().path()).collect();
    saved.sort();
    saved.iter().skip(saved.len() / 2).for_each(|path| std::fs::remove_file(path).unwrap());
    workshop.tumble(&["resume", "half", "--until", "300 ms"]).with_code(0);
    assert_eq!(workshop.report("whole", "state_hash"), workshop.report("half", "state_hash"));
    let series = std::fs::read_to_string(workshop.path("whole/series.csv")).unwrap();
    let place = series.lines().next().unwrap().split(',').position(|column| column == "asleep").unwrap();
    let asleep: f64 = series.lines().last().unwrap().split(',').nth(place).unwrap().parse().unwrap();
    assert!(asleep > 10.0, "{asleep}");
}
