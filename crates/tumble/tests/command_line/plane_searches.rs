//! What a user is told of the searches of a common plane.

use crate::workshop::Workshop;

/// Hexagons that fall on each other and on a line.
const SCENE: &str = r#"
planar = true
seed = 3
materials.wood = { density = "700 kg/m3", restitution = 0.3, friction = 0.3 }
law = { linear = { stiffness = "1e4 N/m" }, contact_method = "liu" }
shapes.nut = { regular_polygon = { sides = 6, radius = "5 mm", thickness = "4 mm" } }
particles.nut = { shape = "nut" }
insert = [{ fill = { region = { box = { from = "0 0 0 cm", to = "4 8 0 cm" } }, count = 12 }, velocity = [0, "-0.5 m/s", 0] }]
walls = [{ box = { from = "0 0 0 cm", to = "4 20 0 cm", open = ["front", "back"] } }]
gravity = [0, "-9.81 m/s2", 0]
time.end = "60 ms"
output = { interval = "2 ms", checkpoint = "20 ms", vtk = false }
"#;

#[test]
fn a_run_tells_its_iterations_the_same_on_any_threads_and_after_a_restart() {
    let workshop = Workshop::new();
    std::fs::write(workshop.path("nuts.toml"), SCENE).unwrap();
    let ended = workshop.tumble(&["run", "nuts.toml", "--threads", "1"]).with_code(0);
    ended.says("plane searches").says("iterations on average");
    let searches = |run: &str| workshop.report(run, "plane_searches");
    let told: serde_json::Value = serde_json::from_str(&searches("nuts-run")).unwrap();
    let figure = |key: &str| told[key].as_f64().unwrap();
    assert!(figure("searches") > 100.0 && figure("most_iterations") >= figure("mean_iterations"), "{told}");
    assert!(figure("mean_iterations") > 17.0, "{told}");
    let series = std::fs::read_to_string(workshop.path("nuts-run/series.csv")).unwrap();
    let last: Vec<&str> = series.lines().last().unwrap().split(',').collect();
    let columns: Vec<&str> = series.lines().next().unwrap().split(',').collect();
    let of = |name: &str| last[columns.iter().position(|&column| column == name).unwrap()].parse::<f64>().unwrap();
    assert_eq!(of("plane_searches"), figure("searches"));
    assert_eq!(of("plane_iterations"), figure("iterations"));
    assert_eq!(of("plane_cut_short"), figure("cut_short"));
    workshop.tumble(&["info", "nuts-run"]).with_code(0).says("plane searches");
    workshop
        .tumble(&["plot", "nuts-run", "--what", "iterations", "--format", "svg"])
        .with_code(0)
        .says("iterations.svg");

    workshop.tumble(&["run", "nuts.toml", "--threads", "2", "--out", "two"]).with_code(0);
    assert_eq!(searches("two"), searches("nuts-run"));
    workshop.tumble(&["run", "nuts.toml", "--out", "parts", "--set", "time.end=60 ms", "--threads", "1"]).with_code(0);
    let newest = workshop.checkpoints("parts").pop().unwrap();
    std::fs::remove_file(newest).unwrap();
    workshop.tumble(&["resume", "parts"]).with_code(0);
    assert_eq!(searches("parts"), searches("nuts-run"));
    assert_eq!(std::fs::read_to_string(workshop.path("parts/series.csv")).unwrap(), series);

    // Contacts that are found otherwise have no such figures.
    let exact = ["run", "nuts.toml", "--out", "exact", "--set", "law.contact_method=exact"];
    assert!(!workshop.tumble(&exact).with_code(0).stdout.contains("plane searches"));
    let run = std::fs::read_to_string(workshop.path("exact/run.json")).unwrap();
    let series = std::fs::read_to_string(workshop.path("exact/series.csv")).unwrap();
    assert!(!run.contains("plane") && !series.contains("plane"));
}
