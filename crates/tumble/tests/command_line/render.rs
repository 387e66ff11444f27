//! `tumble render`: pictures, films, and what is said when there is nothing to draw.

use crate::workshop::Workshop;
use std::fs;

/// A workshop with a short run.
fn with_run() -> Workshop {
    let workshop = Workshop::with_scene();
    let run = [
        "run",
        "shaken.toml",
        "--out",
        "run",
        "--quiet",
        "--set",
        "time.end=0.03",
        "--set",
        "output.trajectory=0.0015",
    ];
    workshop.tumble(&run).with_code(0);
    workshop
}

fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["render", "run", "--size", "96x72", "--quality", "draft"], more].concat()
}

#[test]
fn pictures_and_films_are_drawn() {
    let workshop = with_run();
    workshop.tumble(&small(&[])).with_code(0).says("run.png: 1 picture");
    assert!(fs::read(workshop.path("run.png")).unwrap().starts_with(b"\x89PNG"));
    let words =
        ["--colour", "by", "speed", "--camera", "top", "--section", "z<1", "--background", "dark", "-o", "a.png"];
    workshop.tumble(&small(&words)).with_code(0);
    workshop.tumble(&small(&["--frame", "all", "-o", "film.gif", "--every", "10"])).with_code(0).says("frames");
    assert!(fs::read(workshop.path("film.gif")).unwrap().starts_with(b"GIF89a"));
    workshop.tumble(&small(&["--frame", "all", "-o", "film.webp", "--every", "10"])).with_code(0);
    let webp = fs::read(workshop.path("film.webp")).unwrap();
    assert!(webp.starts_with(b"RIFF") && webp[8..12] == *b"WEBP");
    workshop.tumble(&small(&["--frame", "all", "-o", "film/", "--every", "10"])).with_code(0);
    assert!(workshop.path("film/frame-000000.png").is_file() && workshop.path("film/frame-000002.png").is_file());
    // The same picture with any number of threads.
    for threads in ["1", "2", "3"] {
        let name = format!("{threads}.png");
        workshop.tumble(&small(&["--threads", threads, "-o", &name])).with_code(0);
        assert_eq!(fs::read(workshop.path(&name)).unwrap(), fs::read(workshop.path("run.png")).unwrap());
    }
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let workshop = with_run();
    let refused = |words: &[&str], message: &str| {
        workshop.tumble(&small(words)).with_code(1).complains(message);
    };
    refused(&["--colour", "vellocity"], "did you mean");
    refused(&["--camera", "above"], "a camera is auto, front");
    refused(&["--camera", "1,2"], "a point is like");
    refused(&["--section", "w=1"], "is no section");
    refused(&["--frame", "1000"], "numbered from 0 to");
    refused(&["--frame", "some"], "`last` or `all`");
    refused(&["--range", "2:1"], "a range is like");
    refused(&["-o", "a.tiff"], "suffix .tiff");
    refused(&["-o", "a"], "no suffix");
    refused(&["-o", "nowhere/a.png"], "there is no directory nowhere");
    refused(&["--frame", "all", "-o", "a.png"], "there are several frames");
    refused(&["--walls", "roof"], "no wall is called `roof`");
    workshop.tumble(&["render", "run", "--size", "0x7"]).with_code(1).complains("a size is like");
    workshop.tumble(&["render", "nothing"]).with_code(1).complains("there is no directory nothing");
    workshop.tumble(&["render", "shaken.toml"]).with_code(1).complains("is not a Tumble trajectory");
    fs::remove_file(workshop.path("run/trajectory.tumble")).unwrap();
    refused(&[], "`output.trajectory`");
}

#[test]
fn a_damaged_trajectory_shows_what_there_is() {
    let workshop = with_run();
    let path = workshop.path("run/trajectory.tumble");
    let whole = fs::read(&path).unwrap();
    // Cut inside the last frame: it is missing, and that is said.
    fs::write(&path, &whole[..whole.len() - 10]).unwrap();
    workshop.tumble(&small(&["-o", "a.png"])).with_code(0).complains("the file ends inside a frame");
    // A byte of the last payload: the frame is there but cannot be read.
    let mut flipped = whole.clone();
    let n = flipped.len();
    flipped[n - 5] ^= 1;
    fs::write(&path, &flipped).unwrap();
    workshop.tumble(&small(&["-o", "b.png"])).with_code(0).complains("an earlier one is shown");
    workshop.tumble(&small(&["--frame", "20", "-o", "c.png"])).with_code(1).complains("damaged");
    assert!(workshop.path("b.png").exists() && !workshop.path("c.png").exists());
    workshop
        .tumble(&small(&["--frame", "all", "-o", "film.gif", "--every", "5"]))
        .with_code(0)
        .complains("it is left out");
    // Nothing but the beginning.
    let header = whole.windows(4).position(|bytes| bytes == b"TFRM").unwrap();
    fs::write(&path, &whole[..header + 20]).unwrap();
    workshop.tumble(&small(&[])).with_code(1).complains("has no whole frame");
}
