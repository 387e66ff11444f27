//! A word in time: what a scene will take, what is likely a slip, and input that is no scene at all.

use crate::workshop::{Ended, Workshop};
use std::fs;
use std::time::Instant;

const SCENE: &str = "
materials.glass = { density = '2500 kg/m3', young = '5 MPa' }
particles.bead = { diameter = '5 mm' }
insert = [{ name = 'pour', fill = { region = { box = { from = '0 0 0 cm', to = '10 10 10 cm' } }, count = 50 } }]
walls = [{ name = 'floor', plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]
output = { vtk = false, report = false }
time.end = '0.5 s'
";

fn check(scene: &str, set: &[&str]) -> Ended {
    let workshop = Workshop::new();
    fs::write(workshop.path("scene.toml"), scene).unwrap();
    let mut arguments = vec!["check", "scene.toml"];
    set.iter().for_each(|setting| arguments.extend(["--set", setting]));
    workshop.tumble(&arguments)
}

#[test]
fn a_check_tells_how_long_a_run_takes() {
    let ended = check(SCENE, &[]).with_code(0).says("to do").says(" steps to t = 0.5 s").says("as fast as the first");
    assert!(!ended.stdout.contains("warning"), "{}", ended.stdout);
    check(SCENE, &["time.step=1e-6"]).with_code(0).says("500,000 steps").says("of the automatic one");
    check(SCENE, &["time.step=1e-3"]).with_code(0).says("warning").says("a run may lose its energy or fly apart");
    check(SCENE, &["materials.glass.young=5"]).with_code(0).says("materials.glass.young is 5 Pa, below");
    check(SCENE, &["time.end=1e12"]).with_code(0).says("years of computing");
    let workshop = Workshop::new();
    fs::write(workshop.path("tray.obj"), "v 0 0 -1\nv 200 0 -1\nv 0 300 -1\nf 1 2 3\n").unwrap();
    fs::write(
        workshop.path("scene.toml"),
        SCENE.replace("plane = { point = [0, 0, 0], normal = [0, 0, 1] }", "mesh = { file = 'tray.obj' }"),
    )
    .unwrap();
    let ended = workshop.tumble(&["check", "scene.toml"]).with_code(0);
    ended.says("`floor` is 200 x 300 x 0 m").says("was it drawn in millimetres?");
}

#[test]
fn a_fill_behind_a_wall_names_it() {
    let turned = SCENE.replace("normal = [0, 0, 1]", "normal = [0, 0, -1]");
    check(&turned, &[]).with_code(1).complains("the region lies behind wall `floor`");
    // Between two plates that are nearer to each other than a grain is wide.
    let narrow = SCENE.replace("to = '10 10 10 cm'", "to = '10 10 20 cm'").replace(
        "walls = [{ name = 'floor', plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]",
        "walls = [{ name = 'tube', cylinder = { from = '5 5 -1 cm', to = '5 5 30 cm', radius = '20 cm' } }, { name = 'block', plane = { point = '0 0 19.9 cm', normal = [0, 0, 1] } }]",
    );
    check(&narrow, &[]).with_code(1).complains("behind wall `block`");
    // Room enough, and too many grains: no wall is to blame.
    let ended = check(SCENE, &["insert.pour.fill.count=100000"]).with_code(1);
    assert!(!ended.stderr.contains("wall `floor`"), "{}", ended.stderr);
}

#[test]
fn what_is_no_scene_is_refused_soon_and_in_few_words() {
    let workshop = Workshop::new();
    let many: String = (0..200_000).map(|k| format!("key{k} = {k}\n")).collect();
    fs::write(workshop.path("many.toml"), many).unwrap();
    fs::write(workshop.path("letter.txt"), "Dear all,\nthis is a letter.\n").unwrap();
    fs::write(workshop.path("picture.bin"), [0_u8, 1, 2, 250, 251].repeat(300)).unwrap();
    fs::write(workshop.path("title.toml"), format!("title = \"\\u001b[31mred\"\n{SCENE}")).unwrap();
    let start = Instant::now();
    let ended = workshop.tumble(&["check", "many.toml"]).with_code(1);
    assert!(ended.stderr.contains("199950 more unknown keys") && ended.stderr.len() < 60_000, "{}", ended.stderr.len());
    for (arguments, complaint) in [
        (["info", "letter.txt"], "letter.txt is not a Tumble checkpoint, nor a scene or the directory of a run"),
        (["info", "picture.bin"], "picture.bin is not a Tumble checkpoint"),
        (["check", "title.toml"], "title: it has control characters"),
    ] {
        let ended = workshop.tumble(&arguments).with_code(1).complains(complaint);
        assert!(!ended.stderr.contains('\u{1b}'));
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn a_hull_of_fifty_thousand_points_is_found_soon() {
    let workshop = Workshop::new();
    let turn = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let n = 50_001;
    let mut ball: String = (0..n)
        .map(|k| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(n);
            let (sine, cosine) = (turn * f64::from(k)).sin_cos();
            let radius = (1.0 - z * z).sqrt();
            format!("v {} {} {z}\n", radius * cosine, radius * sine)
        })
        .collect();
    (1..=n).step_by(3).for_each(|k| ball += &format!("f {k} {} {}\n", k + 1, k + 2));
    fs::write(workshop.path("ball.obj"), ball).unwrap();
    let scene = SCENE.replace("{ diameter = '5 mm' }", "{ shape = 'ball' }");
    let scene = format!("shapes.ball = {{ polyhedron = {{ mesh = 'ball.obj', scale = 0.0025 }} }}\n{scene}");
    fs::write(workshop.path("scene.toml"), scene.replace("count = 50", "count = 3")).unwrap();
    let start = Instant::now();
    workshop.tumble(&["check", "scene.toml"]).with_code(0).says("3 grains");
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_never_end_are_refused_at_once() {
    let workshop = Workshop::new();
    let pipe = workshop.path("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for file in ["/dev/zero", "pipe.toml"] {
        for command in ["check", "run", "info", "view"] {
            workshop.tumble(&[command, file]).with_code(1).complains("a pipe or a device, which may never end");
        }
    }
    let mesh = SCENE.replace("plane = { point = [0, 0, 0], normal = [0, 0, 1] }", "mesh = { file = '/dev/zero' }");
    check(&mesh, &[]).with_code(1).complains("a pipe or a device, which may never end");
    check(&SCENE.replace("fill = { region", "file = '/dev/zero', unused = { region"), &[])
        .with_code(1)
        .complains("a pipe or a device, which may never end");
}
