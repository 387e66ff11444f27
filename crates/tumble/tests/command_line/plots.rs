//! `tumble plot` and `tumble report`.

use crate::workshop::Workshop;
use std::fs;

/// A workshop with a finished run called `out`.
fn with_run(set: &[&str]) -> Workshop {
    let workshop = Workshop::with_scene();
    let mut arguments = vec!["run", "shaken.toml", "--out", "out", "--quiet", "--set", "time.end=0.1"];
    set.iter().for_each(|value| arguments.extend(["--set", value]));
    workshop.tumble(&arguments).with_code(0);
    workshop
}

#[test]
fn a_run_ends_with_a_page_that_shows_every_plot() {
    let workshop = with_run(&["title=\"<script>alert(1)</script>\"", "output.report=true"]);
    let page = fs::read_to_string(workshop.path("out/report.html")).unwrap();
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script"));
    assert!(page.contains("src=\"data:image/png;base64,"), "no picture");
    let listed = workshop.tumble(&["plot", "out", "--format", "svg"]).with_code(0).stdout;
    assert!(listed.lines().count() >= 9, "{listed}");
    for path in listed.lines() {
        let svg = fs::read_to_string(workshop.path(path)).unwrap();
        assert!(page.contains(svg.as_str()), "{path} is not on the page");
    }
    // What the key of the scene turns off is not there, and asked for it is made.
    let workshop = with_run(&[]);
    assert!(!workshop.path("out/report.html").exists());
    workshop.tumble(&["report", "out"]).with_code(0).says("report.html");
    assert!(workshop.path("out/report.html").exists());
}

#[test]
fn plots_are_written_where_and_as_what_is_asked() {
    let workshop = with_run(&[]);
    let listed = workshop.tumble(&["plot", "out"]).with_code(0).stdout;
    for name in
        ["energies", "ledger-residual", "number-of-contacts", "overlap", "grains", "histogram-speed", "histogram-force"]
    {
        for ending in ["svg", "png"] {
            assert!(listed.contains(&format!("out/plots/{name}.{ending}")), "{listed}");
            assert!(fs::metadata(workshop.path(&format!("out/plots/{name}.{ending}"))).unwrap().len() > 1000);
        }
    }
    workshop.tumble(&["plot", "out", "--what", "energies", "-o", "e.png", "--width", "300"]).with_code(0).says("e.png");
    let png = fs::read(workshop.path("e.png")).unwrap();
    assert_eq!((&png[1..4], &png[16..20]), (&b"PNG"[..], &300u32.to_be_bytes()[..]));
    workshop.tumble(&["plot", "out", "--what", "histogram-speed,grains", "-o", "two", "--format", "svg"]).with_code(0);
    assert_eq!(fs::read_dir(workshop.path("two")).unwrap().count(), 2);
    let plot = |what: &str, output: &str| workshop.tumble(&["plot", "out", "--what", what, "-o", output]).with_code(1);
    plot("contacts", "one.svg").complains("2 are chosen: take one with --what (number-of-contacts, coordination)");
    plot("energy", "x").complains("there is no plot `energy`; --what takes all, energies, residual");
    plot("packing", "x").complains("`output.probes`");
    assert!(!workshop.path("one.svg").exists() && !workshop.path("x").exists());
}

#[test]
fn a_run_that_was_killed_is_plotted_as_far_as_it_came() {
    let workshop = with_run(&[]);
    for name in ["series.csv", "trajectory.tumble"] {
        let path = workshop.path("out").join(name);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 7]).unwrap();
    }
    fs::remove_file(workshop.path("out/run.json")).unwrap();
    let cut = "the file ends inside a frame after";
    let ended = workshop.tumble(&["plot", "out", "--format", "svg"]).with_code(0).says("energies.svg").complains(cut);
    assert!(ended.stdout.contains("histogram-speed.svg"), "{}", ended.stdout);
    // Plots that do not show the trajectory have nothing to say of it.
    let ended = workshop.tumble(&["plot", "out", "--format", "svg", "--what", "energies"]).with_code(0);
    assert_eq!(ended.stderr, "");
    let page = || {
        workshop.tumble(&["report", "out", "-o", "page.html"]).with_code(0).says("page.html");
        fs::read_to_string(workshop.path("page.html")).unwrap()
    };
    let text = page();
    assert!(text.contains("run.json"));
    assert_eq!(text.matches(cut).count(), 1, "the page must tell once that a frame is missing");
    assert!(text.contains("src=\"data:image/png;base64,"), "no picture");
    // The first frame is shown on the page, and its payload begins after a header of 88 bytes.
    let path = workshop.path("out/trajectory.tumble");
    let mut bytes = fs::read(&path).unwrap();
    let first = bytes.windows(4).position(|bytes| bytes == b"TFRM").unwrap();
    bytes[first + 90] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert!(page().contains("frame 0 is damaged"), "the page must tell of a damaged frame");
    fs::write(workshop.path("out/trajectory.tumble"), "something else").unwrap();
    workshop.tumble(&["plot", "out", "--format", "svg"]).with_code(0).complains("is not a Tumble trajectory");
}

#[test]
fn what_holds_no_run_is_refused() {
    let workshop = Workshop::with_scene();
    fs::create_dir(workshop.path("empty")).unwrap();
    for command in ["plot", "report"] {
        workshop.tumble(&[command, "empty"]).with_code(1).complains("holds no Tumble run");
        workshop.tumble(&[command, "nowhere"]).with_code(1).complains("nowhere");
    }
    assert_eq!(fs::read_dir(workshop.path("empty")).unwrap().count(), 0);
}

#[test]
fn a_run_without_outputs_says_what_would_make_them() {
    let workshop = with_run(&["output.trajectory=\"off\""]);
    let plot = |what: &str| workshop.tumble(&["plot", "out", "--what", what]).with_code(1);
    plot("histograms").complains("set `output.trajectory` to a time");
    plot("profiles").complains("profile = { region");
    // Among others, a kind that the scene left out is no reason to complain.
    let ended = workshop.tumble(&["plot", "out"]).with_code(0);
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_page_that_cannot_be_written_is_a_warning() {
    let workshop = Workshop::with_scene();
    let run = ["run", "shaken.toml", "--out", "out", "--set", "time.end=0.1", "--set", "output.report=true"];
    workshop.tumble(&run).with_code(0).says("read it:     out/report.html");
    let hash = workshop.report("out", "state_hash");
    // A directory in the page's place cannot be replaced by a file.
    fs::remove_file(workshop.path("out/report.html")).unwrap();
    fs::create_dir(workshop.path("out/report.html")).unwrap();
    fs::write(workshop.path("out/report.html/mine"), "x").unwrap();
    workshop.tumble(&["resume", "out", "--until", "0.15"]).with_code(0).complains("report.html");
    assert_eq!(workshop.report("out", "status"), "finished");
    assert_ne!(workshop.report("out", "state_hash"), hash);
}
