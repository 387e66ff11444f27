//! `tumble info`: what a run, a scene or a checkpoint holds.

mod scene;

pub use scene::planned_grains;

use crate::arguments::InfoArguments;
use crate::check::told;
use crate::failure::Failure;
use crate::figures::{bytes, count, duration, list, number};
use crate::report::grains_in_words;
use std::fs::File;
use std::io::{Read, Write, stdout};
use std::path::Path;
use tumble_io::bounded_read;
use tumble_io::checkpoint;
use tumble_io::file_error::FileError;
use tumble_io::run_directory::RunDirectory;
use tumble_io::run_report::{RunReport, RunStatus};
use tumble_run::RunError;

/// Tells what a path holds.
pub fn info(arguments: &InfoArguments) -> Result<(), Failure> {
    let path = arguments.path.as_path();
    let text = if path.is_dir() {
        of_run(path)?
    } else if is_text(path)? {
        let scene = tumble_run::load_scene(path, &[]);
        let is_named_so = path.extension().is_some_and(|extension| extension == "toml");
        if let Err(RunError::Scene(error)) = &scene
            && !is_named_so
            && error.0.diagnostics.iter().any(|diagnostic| diagnostic.key.is_empty())
        {
            return Err(foreign(path));
        }
        scene::in_words(&told(scene, false)?)
    } else {
        match of_checkpoint(path) {
            // What is not even TOML and no checkpoint could be anything.
            Err(Failure::Input(_)) if !has_our_mark(path)? => return Err(foreign(path)),
            told => told?,
        }
    };
    Ok(stdout().write_all(text.as_bytes())?)
}

/// A file of someone else's.
fn foreign(path: &Path) -> Failure {
    Failure::input(format!("{} is not a Tumble checkpoint, nor a scene or the directory of a run", path.display()))
}

/// Whether a file begins as those that Tumble writes.
fn has_our_mark(path: &Path) -> Result<bool, FileError> {
    let mut beginning = Vec::new();
    let file = File::open(path).map_err(FileError::of("open", path))?;
    file.take(6).read_to_end(&mut beginning).map_err(FileError::of("read", path))?;
    Ok(beginning == b"TUMBLE")
}

/// Scenes are text, checkpoints are not.
fn is_text(path: &Path) -> Result<bool, FileError> {
    bounded_read::check_has_an_end(path).map_err(FileError::of("read", path))?;
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Ok(true);
    }
    let mut beginning = Vec::new();
    let file = File::open(path).map_err(FileError::of("open", path))?;
    file.take(4096).read_to_end(&mut beginning).map_err(FileError::of("read", path))?;
    Ok(!beginning.is_empty() && !beginning.contains(&0) && !beginning.starts_with(b"TUMBLE"))
}

fn of_run(root: &Path) -> Result<String, Failure> {
    let directory = RunDirectory::open(root)?;
    let report = directory.read_report()?;
    let mut text = format!("{}\n{}", title(&report), list(&run_entries(&report)));
    let checkpoints = directory.checkpoints()?;
    for (_, path) in &checkpoints {
        text += &match checkpoint::read_moment(path) {
            Ok((step, time)) => {
                format!("  checkpoint at step {} (t = {} s): {}\n", count(step), number(time), path.display())
            }
            Err(error) => format!("  warning: {error}\n"),
        };
    }
    text += &match report.status {
        RunStatus::Finished => format!("take it further:  tumble resume {} --until TIME\n", root.display()),
        _ => format!("go on:  tumble resume {}\n", root.display()),
    };
    Ok(text)
}

fn title(report: &RunReport) -> &str {
    if report.title.is_empty() { &report.scene } else { &report.title }
}

fn run_entries(report: &RunReport) -> Vec<(&'static str, String)> {
    let status = match report.status {
        RunStatus::Running => "running, or killed",
        RunStatus::Finished => "finished",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Failed => "failed",
    };
    let status = match &report.message {
        Some(message) => format!("{status}: {message}"),
        None => status.to_owned(),
    };
    let share = 100.0 * report.simulated_time / report.end_time;
    let mut entries = vec![
        ("status", status),
        (
            "progress",
            format!(
                "{share:.0} %: t = {} of {} s, {} steps",
                number(report.simulated_time),
                number(report.end_time),
                count(report.steps)
            ),
        ),
        ("time step", format!("{:.3e} s: {}", report.time_step, report.time_step_reason)),
        ("grains", grains_in_words(report)),
        ("contacts", count(report.contacts)),
        ("took", format!("{} on {} threads", duration(report.wall_seconds), report.threads)),
        ("speed", format!("{} particle-steps/s", number(report.particle_steps_per_second))),
        (
            "largest overlap",
            format!(
                "{} m, {} % of the smallest half width",
                number(report.largest_overlap.length),
                number(100.0 * report.largest_overlap.relative)
            ),
        ),
        ("ledger residual", format!("{} of the energy in play", number(report.ledger_residual_relative))),
        ("seed", report.seed.to_string()),
        ("state hash", report.state_hash.clone()),
        ("scene", report.scene.clone()),
        ("Tumble", report.tumble_version.clone()),
    ];
    if let Some(searches) = &report.plane_searches {
        entries.insert(8, ("plane searches", searches.in_words()));
    }
    for stage in &report.stages {
        entries.push(("stage", format!("`{}`, {}", stage.name, stage.in_words())));
    }
    for warning in &report.warnings {
        entries.push(("warning", warning.clone()));
    }
    entries
}

fn of_checkpoint(path: &Path) -> Result<String, Failure> {
    let (state, extra) = checkpoint::read(path)?;
    let length = path.metadata().map_err(FileError::of("read", path))?.len();
    let [with_walls, between_grains] = state.n_contacts();
    let entries = [
        ("step", count(state.step)),
        ("time", format!("{} s, in steps of {:.3e} s", number(state.time), state.time_step)),
        ("grains", format!("{} ({} left)", count(state.particles.len() as u64), count(state.n_removed))),
        (
            "contacts",
            format!("{} between grains, {} with walls", count(between_grains as u64), count(with_walls as u64)),
        ),
        ("state hash", RunReport::hash_text(state.hash())),
        ("size", bytes(length as f64)),
        ("Tumble", extra.tumble_version),
    ];
    Ok(format!("{}\n{}", path.display(), list(&entries)))
}
