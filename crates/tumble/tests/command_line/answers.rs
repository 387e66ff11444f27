//! `tumble analyse` over runs with known answers, and over several runs at once.

use crate::workshop::Workshop;
use std::fs;

/// A drum with two kinds of grain, each on its own side, that turns for a while.
const DRUM: &str = r#"
title = "Two kinds in a drum"
materials.glass = { density = "2500 kg/m3", young = "2 MPa", friction = 0.5 }
particles.left = { diameter = "6 mm" }
particles.right = { diameter = "6 mm" }
walls = [{ name = "drum", cylinder = { from = "0 -1 0 cm", to = "0 1 0 cm", radius = "5 cm", ends = "closed" }, motion = { rotate = { speed = "40 rpm", start = "0.1 s" } } }]
insert = [
    { particles = "left", fill = { region = { box = { from = "-3.4 -1 -3.2 cm", to = "-0.1 1 3 cm" } }, count = 70 } },
    { particles = "right", fill = { region = { box = { from = "0.1 -1 -3.2 cm", to = "3.4 1 3 cm" } }, count = 70 } },
]
output = { interval = "5 ms", trajectory = "10 ms", vtk = false, report = false, probes = [{ name = "loads", wall_loads = {}, interval = "5 ms" }] }
time.end = "0.6 s"
"#;

/// The value of an answer of a run, and its standard error.
fn answer(workshop: &Workshop, file: &str, name: &str) -> (f64, Option<f64>) {
    let text = fs::read_to_string(workshop.path(file)).unwrap();
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    let found = whole["answers"].as_array().unwrap().iter().find(|answer| answer["name"] == name);
    let found = found.unwrap_or_else(|| panic!("no `{name}` in {text}"));
    (found["value"].as_f64().unwrap(), found["standard_error"].as_f64())
}

#[test]
fn a_drum_tells_its_angle_its_power_and_its_mixing() {
    let workshop = Workshop::new();
    fs::write(workshop.path("drum.toml"), DRUM).unwrap();
    workshop.tumble(&["run", "drum.toml", "--quiet"]).with_code(0);
    let ended = workshop.tumble(&["analyse", "drum-run"]).with_code(0);
    let ended = ended.says("dynamic angle").says("Lacey index of `left` and `right`").says("decay of the tail");
    ended.complains("no discharge: no grain has left").complains("no order: balls");
    let (angle, error) = answer(&workshop, "drum-run/analysis/drum.json", "dynamic angle");
    assert!((10.0..60.0).contains(&angle) && error.is_some_and(|error| error < 10.0), "{angle} {error:?}");
    // The drum does what keeps the centre of mass aside, within what swings.
    let (power, _) = answer(&workshop, "drum-run/analysis/drum.json", "power");
    let (lever, _) = answer(&workshop, "drum-run/analysis/drum.json", "weight times lever times speed");
    assert!((power / lever - 1.0).abs() < 0.35, "{power} W, {lever} W");
    let (mixed, _) = answer(&workshop, "drum-run/analysis/mixing.json", "Lacey index of `left` and `right`");
    // Apart at the first frame.
    let course = fs::read_to_string(workshop.path("drum-run/analysis/mixing.csv")).unwrap();
    let first: f64 = course.lines().nth(1).unwrap().split(',').nth(1).unwrap().parse().unwrap();
    assert!(first < 0.4 && mixed > first, "{first} {mixed}");
    for name in ["drum", "mixing", "forces", "displacement"] {
        for ending in ["csv", "json", "svg", "png"] {
            assert!(workshop.path(&format!("drum-run/analysis/{name}.{ending}")).exists(), "{name}.{ending}");
        }
    }
    // An earlier moment, of which there is a frame and no checkpoint.
    workshop
        .tumble(&["analyse", "drum-run", "mixing", "--time", "50 ms", "--kind", "left", "-o", "early"])
        .with_code(0);
    let (early, _) = answer(&workshop, "early/mixing.json", "Lacey index of `left` among the others");
    assert!(early < 0.5, "{early}");
    for (arguments, complaint) in [
        (&["analyse", "drum-run", "mixing", "--kind", "green"][..], "there is no kind `green`; there are: left, right"),
        (
            &["analyse", "drum-run", "repos"],
            "`repos` is neither a directory nor a question; the questions are discharge",
        ),
        (&["analyse", "repose"], "name the directory of a run too"),
        (&["analyse", "drum-run", "drum", "--wall", "lid"], "no wall `lid` turns"),
        (&["analyse", "drum-run", "stress-strain"], "no wall has moved"),
        (&["analyse", "drum-run", "beverloo"], "no grain has left"),
        (&["analyse", "drum-run", "drum", "--from", "0.55 s"], "frames show grains in the drum"),
    ] {
        workshop.tumble(arguments).with_code(1).complains(complaint);
    }
}

#[test]
fn a_sweep_is_one_table() {
    let workshop = Workshop::new();
    let scene = r#"
        materials.grain = { density = "2500 kg/m3", young = "2 MPa", friction = 0.3 }
        particles.grain = { diameter = "6 mm" }
        walls = [{ name = "bin", box = { from = [0, 0, 0], to = "4 4 30 cm", open = ["top"] } }]
        insert = [{ fill = { region = { box = { from = [0, 0, 0], to = "4 4 20 cm" } }, count = 450 } }]
        output = { vtk = false, report = false, trajectory = "off" }
        time.end = "0.22 s"
    "#;
    fs::write(workshop.path("bin.toml"), scene).unwrap();
    for friction in ["0.1", "0.6"] {
        let (out, set) = (format!("mu-{friction}"), format!("materials.grain.friction={friction}"));
        workshop.tumble(&["run", "bin.toml", "--quiet", "--out", &out, "--set", &set]).with_code(0);
    }
    let by = "materials.grain.friction";
    let asked = ["analyse", "mu-0.6", "mu-0.1", "packing", "forces", "--by", by];
    workshop.tumble(&asked).with_code(0).says("mu-0.1  materials.grain.friction = 0.1").says("packing fraction");
    let table = fs::read_to_string(workshop.path("analysis/packing.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..4], ["run", by, "packing fraction", "packing fraction error"]);
    assert_eq!((rows.len(), rows[1][0], rows[1][1], rows[2][1]), (3, "mu-0.6", "0.6", "0.1"));
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    // Grains that slide more easily pack more densely.
    assert!(number(2, 2) > number(1, 2) && (0.4..0.7).contains(&number(1, 2)), "{table}");
    assert!(number(1, 3) > 0.0 && number(1, 3) < 0.1);
    let whole: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(workshop.path("analysis/packing.json")).unwrap()).unwrap();
    assert_eq!(whole["runs"][0]["by"][by], 0.6);
    assert_eq!(whole["runs"][1]["answers"][0]["value"], number(2, 2));
    for name in ["analysis/packing.svg", "analysis/packing.png", "analysis/forces.csv", "mu-0.1/analysis/forces.json"] {
        assert!(workshop.path(name).exists(), "{name}");
    }
    workshop
        .tumble(&["analyse", "mu-0.1", "mu-0.6", "packing", "--by", "materials.grain.colour"])
        .with_code(1)
        .complains("the scene of mu-0.1 has no number at `materials.grain.colour`");
    workshop.tumble(&["analyse", "mu-0.1", "mu-0.6", "displacement"]).with_code(1).complains("output.trajectory");
}

#[test]
fn discharges_through_openings_give_back_the_law_that_they_follow() {
    let workshop = Workshop::new();
    workshop.tumble(&["new", "silo", "--template", "gate"]).with_code(0);
    let settings =
        ["insert.0.fill.count=250", "output.vtk=false", "output.report=false", "materials.grain.young=1 MPa"];
    let run: Vec<&str> = ["run", "silo.toml", "--quiet", "--out", "a"]
        .into_iter()
        .chain(settings.iter().flat_map(|&setting| ["--set", setting]))
        .collect();
    workshop.tumble(&run).with_code(0);
    // Three discharges whose rates are by the law, from the one that was run: C = 0.6, k = 1.5.
    let (density, diameter, gravity) = (750.0, 0.005, 9.81_f64);
    let openings: [f64; 3] = [0.02, 0.03, 0.045];
    for (name, opening) in ["a", "b", "c"].into_iter().zip(openings) {
        if name != "a" {
            copy(&workshop.path("a"), &workshop.path(name));
        }
        let rate = 0.6 * density * gravity.sqrt() * (opening - 1.5 * diameter).powf(2.5);
        let path = workshop.path(name).join("series.csv");
        let table = fs::read_to_string(&path).unwrap();
        let columns: Vec<&str> = table.lines().next().unwrap().split(',').collect();
        let [time, mass] = ["time_s", "removed_kg"].map(|name| columns.iter().position(|c| *c == name).unwrap());
        let mut written = table.lines().next().unwrap().to_owned() + "\n";
        for line in table.lines().skip(1) {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            let since = (cells[time].parse::<f64>().unwrap() - 0.3).max(0.0);
            cells[mass] = (rate * since).to_string();
            written += &(cells.join(",") + "\n");
        }
        fs::write(&path, written).unwrap();
    }
    let asked = ["analyse", "a", "b", "c", "beverloo", "--opening", "2 cm,30 mm,0.045"];
    workshop.tumble(&asked).with_code(0).says("exponent if k = 1.4");
    let density_found = answer(&workshop, "analysis/beverloo.json", "bulk density").0;
    assert!((500.0..1000.0).contains(&density_found), "{density_found} kg/m^3");
    let constant = answer(&workshop, "analysis/beverloo.json", "C").0 * density_found / density;
    let size = answer(&workshop, "analysis/beverloo.json", "mean diameter").0;
    let k = answer(&workshop, "analysis/beverloo.json", "k").0 * size / diameter;
    assert!((constant / 0.6 - 1.0).abs() < 1e-3 && (k / 1.5 - 1.0).abs() < 1e-3, "{constant} {k}");
    // Without openings they are measured at the walls, and these are all of one width.
    workshop.tumble(&["analyse", "a", "b", "c", "beverloo"]).with_code(1).complains("three are wanted");
    workshop
        .tumble(&["analyse", "a", "b", "c", "beverloo", "--opening", "24 mm,30 mm"])
        .with_code(1)
        .complains("2 openings are given for 3 runs");
}

/// Copies a directory with all that is in it.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn examples_are_short_and_run() {
    let workshop = Workshop::new();
    let scenes = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let pages = scenes.join("../docs/src/examples");
    let mut n_examples = 0;
    for page in fs::read_dir(pages).unwrap() {
        let text = fs::read_to_string(page.unwrap().path()).unwrap();
        assert!(text.contains("tumble analyse"), "an example without an answer:\n{text}");
        for name in
            text.split("](../../../scenes/").skip(1).filter_map(|rest| rest.split_once(')')).map(|(name, _)| name)
        {
            let scene = scenes.join(name);
            let n_lines = fs::read_to_string(&scene).unwrap().lines().count();
            assert!(n_lines <= 60, "{name} has {n_lines} lines");
            let settings = ["time.end=1 ms", "output.vtk=false", "output.report=false"];
            let run: Vec<&str> = ["run", scene.to_str().unwrap(), "--quiet", "--overwrite", "--out", "example"]
                .into_iter()
                .chain(settings.iter().flat_map(|&setting| ["--set", setting]))
                .collect();
            workshop.tumble(&run).with_code(0);
            n_examples += 1;
        }
    }
    assert!(n_examples >= 7, "only {n_examples} examples were found");
}

#[test]
fn the_lifters_of_a_drum_were_left_out_of_its_power() {
    let workshop = Workshop::new();
    let lifters = r#"walls = [
        { name = "lifters", lifters = { from = "0 -1 0 cm", to = "0 1 0 cm", radius = "5 cm", count = 6, height = "1 cm" }, motion = { with = "drum" } },
        "#;
    fs::write(workshop.path("drum.toml"), DRUM.replace("walls = [", lifters)).unwrap();
    workshop.tumble(&["run", "drum.toml", "--quiet"]).with_code(0);
    workshop.tumble(&["analyse", "drum-run", "drum"]).with_code(0).says("power");
    let (power, _) = answer(&workshop, "drum-run/analysis/drum.json", "power");
    let (begins, _) = answer(&workshop, "drum-run/analysis/drum.json", "steady from");
    let table = fs::read_to_string(workshop.path("drum-run/probes/loads.csv")).unwrap();
    let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let header = rows.next().unwrap();
    let place = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let rows: Vec<Vec<f64>> = rows.map(|row| row.iter().map(|cell| cell.parse().unwrap()).collect()).collect();
    let steady: Vec<&Vec<f64>> = rows.iter().filter(|row| row[place("time_s")] >= begins).collect();
    let mean = |name: &str| steady.iter().map(|row| row[place(name)]).sum::<f64>() / steady.len() as f64;
    let (drum, lifters) = (mean("drum_power_W"), mean("lifters_power_W"));
    assert!((power / (drum + lifters) - 1.0).abs() < 1e-9 && lifters > 0.1 * drum, "{power} W: {drum} W, {lifters} W");
}
