//! A run of several stages from the command line: a silo that is opened, and its moments as tables.

use crate::workshop::Workshop;

#[test]
fn a_silo_settles_is_opened_and_runs_empty() {
    let workshop = Workshop::new();
    workshop.tumble(&["new", "silo", "--template", "gate"]).with_code(0);
    workshop
        .tumble(&["info", "silo.toml"])
        .with_code(0)
        .says("kinetic energy below 2.000e-6 J for 0.02 s, or after 1 s");
    let settings = ["insert.0.fill.count=150", "output.vtk=false", "particles.grain.diameter=5 mm"];
    let run: Vec<&str> =
        ["run", "silo.toml"].into_iter().chain(settings.iter().flat_map(|&setting| ["--set", setting])).collect();
    let ended = workshop.tumble(&run).with_code(0);
    ended.says("`settle`, 1 of 2").says("`discharge`").says("number of grains below 1");
    let residual: f64 = workshop.report("silo-run", "ledger_residual_relative").parse().unwrap();
    assert!(residual < 1e-3, "{residual}");
    let series = std::fs::read_to_string(workshop.path("silo-run").join("series.csv")).unwrap();
    let column = |name: &str| {
        let place = series.lines().next().unwrap().split(',').position(|column| column == name).unwrap();
        series.lines().skip(1).map(|row| row.split(',').nth(place).unwrap().parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    let (stage, grains) = (column("stage"), column("grains"));
    assert_eq!((stage[0], grains[0]), (1.0, 150.0));
    assert_eq!((stage.last(), grains.last()), (Some(&2.0), Some(&0.0)));
    // What the gate had to carry came free when it was taken away.
    assert!(column("changed_J").last().is_some_and(|&changed| changed < 0.0));
    let mass = 150.0 * 1500.0 * std::f64::consts::PI / 6.0 * 0.005_f64.powi(3);
    let removed = *column("removed_kg").last().unwrap();
    assert!((removed / mass - 1.0).abs() < 1e-12, "{removed} of {mass} kg");
    let answered = workshop.tumble(&["analyse", "silo-run", "discharge"]).with_code(0);
    answered.says("Discharge").says("mass rate").says(" +- ").says(" kg/s");
    for name in ["discharge.csv", "discharge.json", "discharge.svg", "discharge.png"] {
        assert!(workshop.path("silo-run").join("analysis").join(name).exists(), "{name}");
    }
    // Nothing is left that could be a heap or touch.
    workshop.tumble(&["analyse", "silo-run", "repose"]).with_code(1).complains("0 grains are no heap");
    workshop.tumble(&["analyse", "silo-run"]).with_code(0).complains("no forces: nothing touches");
    workshop.tumble(&["info", "silo-run"]).with_code(0).says("`settle`, 0 to ");
    workshop.tumble(&["report", "silo-run"]).with_code(0);
    let page = std::fs::read_to_string(workshop.path("silo-run").join("report.html")).unwrap();
    assert!(page.contains("settle: 0 to "));
}

#[test]
fn the_grains_of_a_run_begin_another() {
    let workshop = Workshop::new();
    let scene = |insert: &str| {
        format!(
            "materials.glass = {{ preset = 'glass', young = '5 MPa' }}
             shapes.brick = {{ box = {{ size = '6 5 4 mm' }} }}
             shapes.tablet = {{ cylinder = {{ diameter = '6 mm', height = '3 mm' }} }}
             particles = {{ brick = {{ shape = 'brick' }}, tablet = {{ shape = 'tablet', radius = {{ uniform = {{ from = '2 mm', to = '3 mm' }} }} }} }}
             walls = [{{ box = {{ from = [0, 0, 0], to = '3 3 10 cm', open = ['top'] }} }}]
             output.vtk = false
             insert = [{insert}]
             time.end = '40 ms'"
        )
    };
    let fill = "{ particles = { brick = 0.5, tablet = 0.5 }, fill = { region = { box = { from = [0, 0, 0], to = '3 3 4 cm' } }, count = 20 } }";
    std::fs::write(workshop.path("fill.toml"), scene(fill)).unwrap();
    std::fs::write(workshop.path("again.toml"), scene("{ file = 'start/grains.csv', max_overlap = 0.2 }")).unwrap();
    workshop.tumble(&["run", "fill.toml"]).with_code(0);
    workshop.tumble(&["export", "fill-run", "-o", "start"]).with_code(0).says("20 rows");
    workshop.tumble(&["export", "fill-run", "--time", "-1"]).with_code(1);
    workshop.tumble(&["run", "again.toml", "--set", "time.end=1 us"]).with_code(0);
    workshop.tumble(&["export", "again-run", "--time", "1 us", "-o", "back"]).with_code(0);
    let table = |name: &str| std::fs::read_to_string(workshop.path(name).join("grains.csv")).unwrap();
    let (start, back) = (table("start"), table("back"));
    assert_eq!(start.lines().count(), 21);
    for (before, after) in start.lines().zip(back.lines()) {
        for (place, (a, b)) in before.split(',').zip(after.split(',')).enumerate() {
            match (a.parse::<f64>(), b.parse::<f64>()) {
                // Sizes and orientations go through other frames and back.
                (Ok(a), Ok(b)) => assert!((a - b).abs() <= 1e-12 * a.abs().max(1.0), "column {place}: {a} {b}"),
                _ => assert_eq!(a, b),
            }
        }
    }
}
