//! A place to run the binary in, and ways to look at what it leaves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The scene that most tests run.
pub const SHAKEN: &str = include_str!("shaken.toml");

/// How long a test waits for the binary before it gives up, on a machine that may be busy with other things.
const PATIENCE: Duration = Duration::from_secs(120);

/// A directory of its own for a test.
pub struct Workshop {
    directory: tempfile::TempDir,
}

impl Workshop {
    /// An empty one.
    pub fn new() -> Workshop {
        // A run forces its files to the disk at every checkpoint; in memory that costs nothing.
        let in_memory = tempfile::tempdir_in("/dev/shm");
        Workshop { directory: in_memory.or_else(|_| tempfile::tempdir()).unwrap() }
    }

    /// One with the scene `shaken.toml`.
    pub fn with_scene() -> Workshop {
        let workshop = Workshop::new();
        fs::write(workshop.path("shaken.toml"), SHAKEN).unwrap();
        workshop
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The command, not started yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tumble"));
        command.args(arguments).current_dir(self.directory.path()).env("NO_COLOR", "1").stdin(Stdio::null());
        command
    }

    /// Runs the command to its end.
    pub fn tumble(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command(arguments).output().unwrap())
    }

    /// Starts the command and leaves it running, silent.
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// What `run.json` says under a key.
    pub fn report(&self, run: &str, key: &str) -> String {
        let text = fs::read_to_string(self.path(run).join("run.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        match &report[key] {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    /// Names of a run's checkpoints, oldest first.
    pub fn checkpoints(&self, run: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.path(run).join("checkpoints")) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "checkpoint"));
        paths.sort();
        paths
    }

    /// Waits until a run has written a checkpoint of a step after `step`.
    pub fn wait_for_checkpoint_after(&self, run: &str, step: u64) {
        let start = Instant::now();
        while !self.checkpoints(run).iter().any(|path| step_of(path) > step) {
            assert!(start.elapsed() < PATIENCE, "no checkpoint after step {step} in {run}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Everything a run has left that must not depend on how it was interrupted, by relative path. The lock and the
    /// reports (which know how long the run took) are not part of it, nor are the checkpoints.
    pub fn results(&self, run: &str) -> BTreeMap<String, Vec<u8>> {
        let root = self.path(run);
        let mut results = BTreeMap::new();
        collect(&root, &root, &mut results);
        results
    }

    /// Asserts that two runs left the same files, byte for byte, and the same state.
    pub fn assert_same(&self, run: &str, reference: &str) {
        assert_eq!(self.report(run, "state_hash"), self.report(reference, "state_hash"), "{run}: state");
        let (found, expected) = (self.results(run), self.results(reference));
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected), "{run}: files");
        for (name, bytes) in &expected {
            assert!(&found[name] == bytes, "{run}: {name} differs from that of {reference}");
        }
        for key in ["steps", "particles", "inserted", "removed", "contacts", "ledger", "largest_overlap", "warnings"] {
            assert_eq!(self.report(run, key), self.report(reference, key), "{run}: {key}");
        }
    }
}

fn collect(root: &Path, directory: &Path, results: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if ["run.json", "report.html", "run.lock", "checkpoints", "scene.toml"].contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, results);
        } else {
            results.insert(name, fs::read(&path).unwrap());
        }
    }
}

/// The step in a checkpoint's name.
pub fn step_of(path: &Path) -> u64 {
    path.file_stem().unwrap().to_str().unwrap().strip_prefix("step-").unwrap().parse().unwrap()
}

/// What a command said and how it ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn of(output: Output) -> Ended {
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Asserts the exit code.
    pub fn with_code(self, code: i32) -> Ended {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that the standard error holds a text.
    pub fn complains(self, text: &str) -> Ended {
        assert!(self.stderr.contains(text), "no `{text}` in:\n{}", self.stderr);
        self
    }

    /// Asserts that the standard output holds a text.
    pub fn says(self, text: &str) -> Ended {
        assert!(self.stdout.contains(text), "no `{text}` in:\n{}", self.stdout);
        self
    }
}
