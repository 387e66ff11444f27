//! What a user is told of grains that overlap far.

use crate::workshop::Workshop;

/// A ball of something soft, thrown at a floor.
const SCENE: &str = r#"
materials.cork = { preset = "wood", young = "20 kPa" }
particles.ball = { radius = "5 mm" }
insert = [{ fill = { region = { box = { from = "-6 -6 0 mm", to = "6 6 11 mm" } }, count = 1 }, velocity = [0, 0, "-0.3 m/s"] }]
walls = [{ name = "floor", plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]
time.end = "40 ms"
output.interval = "1 ms"
"#;

#[test]
fn a_run_with_deep_overlaps_says_what_to_make_stiffer() {
    let workshop = Workshop::new();
    std::fs::write(workshop.path("soft.toml"), SCENE).unwrap();
    let warning = "of the smallest half width (ball against wall floor). Above 5 % grains are so soft";
    let advice = "raise the Young's modulus of cork (2.0e4 Pa now, about ";
    let ended = workshop.tumble(&["run", "soft.toml"]).with_code(0).says("% of the smallest half width");
    ended.says(warning).says(advice);
    assert!(workshop.report("soft-run", "warnings").contains(advice));
    workshop.tumble(&["info", "soft-run"]).with_code(0).says(warning);
    let page = std::fs::read_to_string(workshop.path("soft-run/report.html")).unwrap();
    assert!(page.contains("% of the smallest half width") && page.contains(warning), "no warning on the page");
    // A resumed run has not forgotten.
    workshop.tumble(&["resume", "soft-run", "--until", "50 ms"]).with_code(0).says(warning);
    // What is stiff enough is not talked about.
    let stiff = ["run", "soft.toml", "--out", "stiff", "--set", "materials.cork.young=20 MPa"];
    assert!(!workshop.tumble(&stiff).with_code(0).stdout.contains("warning"));
}

/// Ten cubes on each other, each where the one below it ends.
const TOWER: &str = r#"
materials.wood = { preset = "wood", young = "100 MPa" }
shapes.cube = { box = { size = "1 1 1 cm" } }
particles.cube = { shape = "cube" }
insert = [{ file = "tower.csv", orientation = [1, 0, 0, 0] }]
walls = [{ plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]
time.end = "1 ms"
"#;

#[test]
fn a_tower_of_touching_cubes_was_refused_for_rounding() {
    let workshop = Workshop::new();
    std::fs::write(workshop.path("tower.toml"), TOWER).unwrap();
    let tower = |apart: f64| {
        let rows = (0..10).map(|i| format!("0,0,{}\n", 0.005 + 0.01 * f64::from(i) * apart));
        std::fs::write(workshop.path("tower.csv"), format!("x,y,z\n{}", rows.collect::<String>())).unwrap();
    };
    tower(1.0);
    workshop.tumble(&["run", "tower.toml"]).with_code(0);
    tower(0.99);
    let refused = workshop.tumble(&["run", "tower.toml", "--overwrite"]).with_code(1);
    refused
        .complains("grain 1 overlaps grain 2 by 1.0067e-4 m (0.02 of the smallest half width)")
        .complains("allow a larger `max_overlap`");
}
