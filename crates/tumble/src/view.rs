//! `tumble view`, and how `tumble run --view` is watched.

use crate::arguments::{ViewArguments, WatchArguments};
use crate::browser;
use crate::check::told;
use crate::failure::Failure;
use crate::interrupt;
use crate::placing;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use tumble_io::bounded_read;
use tumble_io::file_error::FileError;
use tumble_io::run_directory::{RunDirectory, TRAJECTORY};
use tumble_io::scene::OutputPlan;
use tumble_io::trajectory::{TrajectoryMetadata, TrajectoryWriter, is_trajectory};
use tumble_run::load_scene;
use tumble_viewer::{Options, Server, ShownRun, ViewerError};

/// How long Ctrl-C may go unnoticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// Shows runs and scenes until the user ends it.
pub fn view(arguments: &ViewArguments) -> Result<(), Failure> {
    interrupt::listen()?;
    let mut shown = Vec::new();
    // The states of scenes are kept in temporary directories, which go when this function ends.
    let mut kept = Vec::new();
    for path in &arguments.paths {
        let (mut run, directory) = of_path(path, &arguments.set)?;
        if shown.iter().any(|other: &ShownRun| other.name == run.name) {
            run.name = path.display().to_string();
        }
        shown.push(run);
        kept.extend(directory);
    }
    let names = shown.iter().map(|run| run.name.as_str()).collect::<Vec<_>>().join(", ");
    let server = serve(shown, &Options { host: arguments.host.clone(), port: arguments.port.unwrap_or(0) })?;
    interrupt::run_begins();
    writeln!(stdout(), "{names} at {}\nCtrl-C ends it", server.url())?;
    stdout().flush()?;
    if !arguments.no_open {
        browser::open(&server.url());
    }
    wait();
    Ok(())
}

/// A run that is watched, or is not.
#[derive(Debug)]
pub struct Watching {
    server: Option<Server>,
    quiet: bool,
}

impl Watching {
    /// Begins to show what will be in the directory of a run, if that is wanted.
    pub fn begin(
        arguments: &WatchArguments,
        root: &Path,
        output: &OutputPlan,
        quiet: bool,
    ) -> Result<Watching, Failure> {
        if !arguments.view {
            return Ok(Watching { server: None, quiet });
        }
        if output.trajectory_interval.is_none() {
            return Err(Failure::input(
                "--view shows the trajectory, which this scene does not write: give `output.trajectory` an interval, \
                 for instance with --set 'output.trajectory=10 ms'",
            ));
        }
        let shown =
            ShownRun { name: name_of(root), trajectory: root.join(TRAJECTORY), directory: Some(root.to_owned()) };
        let options = Options { port: arguments.port.unwrap_or(0), ..Options::default() };
        let server = serve(vec![shown], &options)?;
        if !quiet {
            let _ = writeln!(stdout(), "watch it at {}", server.url());
            let _ = stdout().flush();
        }
        if !arguments.no_open {
            browser::open(&server.url());
        }
        Ok(Watching { server: Some(server), quiet })
    }

    /// Leaves the page open after the run until the user ends it, if there is a user to do so.
    pub fn stay(self) {
        let Some(server) = self.server.filter(|_| stdout().is_terminal()) else { return };
        if !self.quiet {
            let _ = writeln!(stdout(), "the page stays at {} until Ctrl-C", server.url());
        }
        wait();
    }
}

fn wait() {
    while !interrupt::requested() {
        std::thread::sleep(PATIENCE);
    }
}

fn serve(shown: Vec<ShownRun>, options: &Options) -> Result<Server, Failure> {
    let server = Server::start(shown, options).map_err(|error| match error {
        ViewerError::Listen { .. } => Failure::Input(error.into()),
        ViewerError::Start(_) => Failure::Machine(error.into()),
    })?;
    if !server.is_local() {
        let _ = writeln!(
            stderr(),
            "warning: everybody who can reach {} can see these runs; without --host, only this machine can",
            server.address()
        );
    }
    Ok(server)
}

/// What a path stands for: a run, a trajectory alone, or a scene, whose first state is put in a temporary directory.
fn of_path(path: &Path, set: &[String]) -> Result<(ShownRun, Option<TempDir>), Failure> {
    if path.is_dir() {
        let trajectory = path.join(TRAJECTORY);
        if let Err(error) = RunDirectory::open(path)
            && !trajectory.exists()
        {
            return Err(error.into());
        }
        return Ok((ShownRun { name: name_of(path), trajectory, directory: Some(path.to_owned()) }, None));
    }
    bounded_read::check_has_an_end(path).map_err(FileError::of("read", path))?;
    if is_trajectory(path)? {
        return Ok((ShownRun { name: name_of(path), trajectory: path.to_owned(), directory: None }, None));
    }
    let scene = told(load_scene(path, set), false)?;
    let directory = tempfile::tempdir().map_err(FileError::of("create", &std::env::temp_dir()))?;
    let trajectory = directory.path().join(TRAJECTORY);
    let simulation = placing::start(scene.model, false)?;
    let metadata = TrajectoryMetadata::of(simulation.model(), &scene.title, env!("CARGO_PKG_VERSION"));
    let mut writer = TrajectoryWriter::create(&trajectory, &metadata)?;
    writer.write_frame(simulation.state(), &simulation.contacts())?;
    Ok((ShownRun { name: name_of(path), trajectory, directory: None }, Some(directory)))
}

/// The last part of a path, as a page calls it.
fn name_of(path: &Path) -> String {
    let whole = path.canonicalize();
    let name = whole.as_deref().unwrap_or(path).file_name();
    name.map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
