//! `tumble view`, and runs that are watched.

use crate::workshop::Workshop;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Long enough for some frames.
const END: &str = "time.end=50 ms";

/// A `tumble view` at work; ended by a friendly kill.
struct Viewing {
    child: Child,
    address: String,
    said: String,
}

impl Viewing {
    fn start(workshop: &Workshop, arguments: &[&str]) -> Viewing {
        let mut command = workshop.command(&[&["view", "--no-open"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut said).unwrap();
        let address = said.split("http://").nth(1).unwrap_or_else(|| panic!("no address in `{said}`"));
        let address = address.trim().trim_end_matches('/').to_owned();
        Viewing { child, address, said }
    }

    /// What the server answers: the status and the body.
    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        get(&self.address, path)
    }

    fn runs(&self) -> serde_json::Value {
        serde_json::from_slice(&self.get("/api/runs").1).unwrap()
    }

    /// Ends it, and returns its exit code and what it complained of.
    fn end(mut self) -> (Option<i32>, String) {
        let ended = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(ended.success());
        let code = self.child.wait().unwrap().code();
        let mut complaint = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
        (code, complaint)
    }
}

fn get(address: &str, path: &str) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let status = String::from_utf8_lossy(&answer[9..12]).parse().unwrap();
    (status, answer[head + 4..].to_vec())
}

#[test]
fn runs_and_scenes_are_served_on_loopback_until_ctrl_c() {
    let workshop = Workshop::with_scene();
    workshop.tumble(&["run", "shaken.toml", "--out", "a", "--quiet", "--set", END]).with_code(0);
    let viewing = Viewing::start(&workshop, &["a", "shaken.toml", "a/trajectory.tumble"]);
    assert!(viewing.address.starts_with("127.0.0.1:"), "{}", viewing.said);
    assert!(viewing.said.starts_with("a, shaken.toml, trajectory.tumble at "), "{}", viewing.said);
    let runs = viewing.runs();
    assert_eq!(runs[0]["status"], "finished");
    assert!(runs[0]["n_frames"].as_u64() > Some(1));
    assert_eq!(runs[1]["n_frames"], 1, "a scene is shown as it begins");
    assert_eq!(runs[2]["n_frames"], runs[0]["n_frames"]);
    assert_eq!(viewing.get("/api/runs/1/frames/0").0, 200);
    let series: serde_json::Value = serde_json::from_slice(&viewing.get("/api/runs/0/series").1).unwrap();
    assert_eq!(series[0]["name"], "time_s");
    assert_eq!(viewing.end(), (Some(0), String::new()));
}

#[test]
fn what_cannot_be_shown_is_refused_or_told() {
    let workshop = Workshop::with_scene();
    fs::create_dir(workshop.path("empty")).unwrap();
    fs::write(workshop.path("bad.toml"), "title = 3").unwrap();
    workshop.tumble(&["view", "absent", "--no-open"]).with_code(1).complains("absent");
    workshop.tumble(&["view", "empty", "--no-open"]).with_code(1).complains("empty holds no Tumble run");
    workshop.tumble(&["view", "bad.toml", "--no-open"]).with_code(1).complains("bad.toml");
    workshop.tumble(&["view"]).with_code(1);
    workshop
        .tumble(&["view", "shaken.toml", "--no-open", "--host", "203.0.113.7"])
        .with_code(1)
        .complains("cannot listen at 203.0.113.7");
    // A run that lost its trajectory is still a run: the page says what is missing.
    workshop.tumble(&["run", "shaken.toml", "--out", "a", "--quiet", "--set", END]).with_code(0);
    fs::remove_file(workshop.path("a/trajectory.tumble")).unwrap();
    let viewing = Viewing::start(&workshop, &["a"]);
    let runs = viewing.runs();
    assert!(runs[0]["missing"][0].as_str().unwrap().contains("There are no frames"), "{runs}");
    viewing.end();
}

#[test]
fn other_machines_can_look_only_when_told_so_and_after_a_warning() {
    let workshop = Workshop::with_scene();
    let viewing = Viewing::start(&workshop, &["shaken.toml", "--host", "0.0.0.0"]);
    assert_eq!(viewing.get("/api/runs").0, 200);
    let (code, complaint) = viewing.end();
    assert_eq!(code, Some(0));
    assert!(complaint.contains("warning: everybody who can reach 0.0.0.0:"), "{complaint}");
}

#[test]
fn watching_a_run_does_not_change_it() {
    let workshop = Workshop::with_scene();
    workshop.tumble(&["run", "shaken.toml", "--out", "alone", "--quiet", "--set", END]).with_code(0);
    let mut command =
        workshop.command(&["run", "shaken.toml", "--out", "watched", "--view", "--no-open", "--set", END]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = lines.next().unwrap().unwrap();
    let address = said.split("http://").nth(1).unwrap_or_else(|| panic!("no address in `{said}`"));
    let address = address.trim_end_matches('/').to_owned();
    // Ask for everything, over and over, for as long as it runs.
    let mut answered = 0;
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(120), "a run that nobody can end by Ctrl-C must end by itself");
        let asked = [
            "/api/runs",
            "/api/runs/0/frames",
            "/api/runs/0/frames/0",
            "/api/runs/0/frames/0/contacts",
            "/api/runs/0/series",
        ];
        for path in asked {
            // The last of them may come after the end.
            let Ok(mut stream) = TcpStream::connect(&address) else { continue };
            let _ = write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
            let mut answer = Vec::new();
            answered += usize::from(stream.read_to_end(&mut answer).is_ok_and(|length| length > 0));
        }
    }
    assert!(child.wait().unwrap().success());
    assert!(answered > 0);
    workshop.assert_same("watched", "alone");
    // A finished run that is taken further can be watched too.
    workshop.tumble(&["resume", "alone", "--until", "0.08", "--quiet"]).with_code(0);
    workshop
        .tumble(&["resume", "watched", "--until", "0.08", "--view", "--no-open"])
        .with_code(0)
        .says("watch it at http://127.0.0.1:");
    workshop.assert_same("watched", "alone");
}

#[test]
fn a_run_that_cannot_be_shown_is_not_begun() {
    let workshop = Workshop::with_scene();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let run = |more: &[&str]| workshop.tumble(&[&["run", "shaken.toml", "--out", "a"], more].concat());
    run(&["--view", "--no-open", "--port", &port]).with_code(1).complains("cannot listen at 127.0.0.1");
    run(&["--view", "--no-open", "--set", "output.trajectory=\"off\""])
        .with_code(1)
        .complains("--view shows the trajectory");
    run(&["--no-open"]).with_code(1).complains("--view");
    assert!(!workshop.path("a").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_opened_if_there_is_one_and_only_then() {
    use std::os::unix::fs::PermissionsExt;
    let workshop = Workshop::with_scene();
    // Not in the workshop, which may be where nothing can be executed.
    let tools = tempfile::tempdir().unwrap();
    let tool = tools.path().join("xdg-open");
    fs::write(&tool, "#!/bin/sh\necho \"$1\" > \"$OPENED\"\n").unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", tools.path().display());
    let run = |out: &str, display: &str, path: &str, more: &[&str]| {
        let opened = workshop.path(&format!("{out}.opened"));
        let arguments = [&["run", "shaken.toml", "--view", "--set", "time.end=25 ms", "--out", out], more].concat();
        let mut command = workshop.command(&arguments);
        command.env("PATH", path).env("DISPLAY", display).env("OPENED", &opened);
        command.env_remove("WAYLAND_DISPLAY").env_remove("WSL_DISTRO_NAME");
        assert!(command.output().unwrap().status.success());
        opened
    };
    let opened = run("a", ":9", &path, &[]);
    // Nobody waits for the browser, so it may come after the end of the run.
    let start = Instant::now();
    while !fs::read_to_string(&opened).is_ok_and(|text| text.ends_with('\n')) {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was opened");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(fs::read_to_string(opened).unwrap().starts_with("http://127.0.0.1:"));
    // By now these would have opened something too.
    let quiet = [run("b", ":9", &path, &["--no-open"]), run("c", "", &path, &[]), run("d", ":9", "/nowhere", &[])];
    std::thread::sleep(Duration::from_millis(300));
    assert!(quiet.iter().all(|opened| !opened.exists()), "no browser was wanted, or there is no screen, or no program");
}
