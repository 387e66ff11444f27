//! `tumble run` and `tumble resume`.

use crate::arguments::{Manner, ResumeArguments, RunArguments};
use crate::check::told;
use crate::failure::Failure;
use crate::figures::number;
use crate::info::{planned_grains, planned_number};
use crate::interrupt;
use crate::outputs::Outputs;
use crate::report::{Account, Identity};
use crate::schedule::{Schedule, Stop};
use crate::session::Session;
use crate::view::Watching;
use std::collections::BTreeMap;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use tumble_engine::{Model, Simulation};
use tumble_io::run_directory::{FoundCheckpoint, RunDirectory, RunDirectoryError};
use tumble_io::run_report::{RunReport, RunStatus};
use tumble_io::scene::{self, OutputPlan, Scene};

/// Runs a scene from its beginning.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let quiet = arguments.manner.quiet;
    let scene = told(scene::load(&arguments.scene, &arguments.set), quiet)?;
    let root = arguments.out.clone().unwrap_or_else(|| default_directory(&arguments.scene));
    // Placing many grains takes a while: say at once that the directory is taken. It is made only when the grains are
    // placed, so that a scene that cannot be run neither leaves a directory behind nor replaces an earlier run.
    if !arguments.overwrite && RunDirectory::open(&root).is_ok() {
        return Err(Failure::input(format!(
            "{} already holds a run: go on with it by `tumble resume`, replace it with --overwrite, or choose another \
             directory with --out",
            root.display()
        )));
    }
    if root.exists() && !root.is_dir() {
        return Err(Failure::input(format!("{} is not a directory: choose another with --out", root.display())));
    }
    interrupt::listen()?;
    with_threads(arguments.manner, |threads| {
        let name = arguments.scene.display().to_string();
        let plan = Plan::of(&scene, name, threads, None);
        // What is no longer needed is let go of: a list of grains can be as large as the state.
        let Scene { model, text, input_files, .. } = scene;
        if !quiet && takes_a_while(&model) {
            // Nothing else is to be seen until all grains have found their place.
            let _ = writeln!(stderr(), "placing {} ...", planned_grains(&model, 0.0));
        }
        let simulation = Simulation::new(model)?;
        // Before anything is written, for the port may be taken.
        let watching = Watching::begin(&arguments.watch, &root, &plan.output, quiet)?;
        interrupt::run_begins();
        let directory = RunDirectory::create(&root, arguments.overwrite)?;
        for input in input_files {
            directory.store_input(&input.as_written, &input.bytes)?;
        }
        directory.store_scene(&text)?;
        begin(directory, simulation, plan, quiet)?.run()?;
        watching.stay();
        Ok(())
    })
}

/// Goes on with a run.
pub fn resume(arguments: &ResumeArguments) -> Result<(), Failure> {
    let quiet = arguments.manner.quiet;
    let directory = RunDirectory::open_for_writing(&arguments.directory)?;
    let report = directory.read_report().ok();
    let until = arguments.until.or(report.as_ref().and_then(|report| report.until));
    if arguments.until.is_none()
        && let Some(report) = report.as_ref().filter(|r| r.status == RunStatus::Finished)
    {
        return tell_finished(report, &arguments.directory, quiet);
    }
    let scene = told(stored_scene(&directory)?, true)?;
    let name = report.map_or_else(|| directory.scene_path().display().to_string(), |report| report.scene);
    interrupt::listen()?;
    with_threads(arguments.manner, |threads| {
        let plan = Plan::of(&scene, name, threads, until);
        let watching = Watching::begin(&arguments.watch, &arguments.directory, &plan.output, quiet)?;
        let model = scene.model;
        let found = match directory.newest_valid_checkpoint() {
            // Killed before it wrote anything: nothing is lost by beginning anew.
            Err(RunDirectoryError::NoCheckpoint { damaged, .. }) if damaged.is_empty() => {
                tell(quiet, "there is no checkpoint yet: starting from the beginning");
                let simulation = Simulation::new(model)?;
                interrupt::run_begins();
                begin(directory, simulation, plan, quiet)?.run()?;
                watching.stay();
                return Ok(());
            }
            found => found?,
        };
        interrupt::run_begins();
        go_on(directory, found, model, plan, quiet)?.map_or(Ok(()), Session::run)?;
        watching.stay();
        Ok(())
    })
}

/// What a session needs to know of its scene.
struct Plan {
    identity: Identity,
    output: OutputPlan,
    stop: Stop,
    scene_hash: u64,
}

impl Plan {
    fn of(scene: &Scene, name: String, threads: usize, until: Option<f64>) -> Plan {
        let end_time = until.unwrap_or(scene.stop.time);
        Plan {
            identity: Identity { title: scene.title.clone(), scene: name, threads, end_time, until },
            output: scene.output.clone(),
            stop: Stop::new(&scene.stop, until),
            scene_hash: scene.fingerprint(),
        }
    }
}

/// A run at its first step, with its first moment written.
fn begin(directory: RunDirectory, simulation: Simulation, plan: Plan, quiet: bool) -> Result<Session, Failure> {
    let Plan { identity, output, stop, scene_hash } = plan;
    let mut session = Session {
        outputs: Outputs::create(&directory, &output, &identity.title, &simulation)?,
        schedule: Schedule::new(&output, &stop, simulation.state().time_step),
        directory,
        simulation,
        stop,
        identity,
        account: Account::new(),
        scene_hash,
        last_checkpoint: None,
        has_page: output.report,
        quiet,
    };
    session.write_first()?;
    Ok(session)
}

/// A run at a checkpoint; `None` if there is nothing left to do.
fn go_on(
    directory: RunDirectory,
    found: FoundCheckpoint,
    model: Model,
    plan: Plan,
    quiet: bool,
) -> Result<Option<Session>, Failure> {
    let Plan { identity, output, stop, scene_hash } = plan;
    for damage in &found.damaged {
        tell(quiet, &format!("warning: {damage}; going back to an earlier checkpoint"));
    }
    if found.extra.scene_hash != scene_hash {
        return Err(Failure::input(format!(
            "{} does not belong to {}: the scene or one of its inputs was changed since. Undo the change, or start a \
             new run with `tumble run`",
            found.path.display(),
            directory.scene_path().display()
        )));
    }
    let version = env!("CARGO_PKG_VERSION");
    if found.extra.tumble_version != version {
        let theirs = &found.extra.tumble_version;
        tell(quiet, &format!("warning: the run was begun by Tumble {theirs}; Tumble {version} may give other bits"));
    }
    let step = found.state.step;
    let end_step = stop.step(found.state.time_step);
    if identity.until.is_some() && end_step <= step {
        let shown = format!("the run has come to t = {} s already", number(found.state.time()));
        if end_step == step {
            tell(quiet, &format!("{shown}: there is nothing to do"));
            return Ok(None);
        }
        return Err(Failure::input(format!("{shown}: --until {} is before that", number(identity.end_time))));
    }
    let simulation = Simulation::resume(model, found.state)?;
    Ok(Some(Session {
        outputs: Outputs::append_after(&directory, &output, &simulation, &found.extra)?,
        schedule: Schedule::new(&output, &stop, simulation.state().time_step),
        directory,
        simulation,
        stop,
        identity,
        account: Account::of(&found.extra),
        scene_hash,
        last_checkpoint: Some(step),
        has_page: output.report,
        quiet,
    }))
}

fn tell(quiet: bool, text: &str) {
    if !quiet {
        let _ = writeln!(stderr(), "{text}");
    }
}

fn tell_finished(report: &RunReport, directory: &Path, quiet: bool) -> Result<(), Failure> {
    if !quiet {
        writeln!(
            stdout(),
            "the run is finished (t = {} s); to take it further:  tumble resume {} --until TIME",
            number(report.simulated_time),
            directory.display()
        )?;
    }
    Ok(())
}

/// The scene of a run as it was stored, with the files it names.
fn stored_scene(directory: &RunDirectory) -> Result<Result<Scene, scene::SceneError>, Failure> {
    let text = directory.load_scene()?;
    let mut inputs = BTreeMap::new();
    for (path, _) in directory.inputs()? {
        let content = directory.load_input(&path)?;
        inputs.insert(path, content);
    }
    Ok(scene::parse_with_inputs(&text, &directory.scene_path().display().to_string(), &[], &inputs))
}

/// Whether placing the grains at the start takes long enough to wonder: from here on, more than about a second.
fn takes_a_while(model: &Model) -> bool {
    planned_number(model, 0.0) > 30_000.0
}

/// The scene's name with `-run`, where the command was given.
fn default_directory(scene: &Path) -> PathBuf {
    let name = scene.file_stem().unwrap_or_default().to_string_lossy();
    PathBuf::from(format!("{name}-run"))
}

/// Does something with a number of threads.
pub fn with_threads<T: Send>(
    manner: Manner,
    work: impl FnOnce(usize) -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = manner.threads.map_or_else(all, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        Failure::Machine(anyhow::Error::new(error).context(format!("cannot start {threads} threads")))
    })?;
    pool.install(|| work(threads))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_go_beside_the_work_not_the_scene() {
        assert_eq!(default_directory(Path::new("scenes/box.toml")), Path::new("box-run"));
        assert_eq!(default_directory(Path::new("mix.v2.toml")), Path::new("mix.v2-run"));
    }
}
