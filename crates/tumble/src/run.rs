//! `tumble run` and `tumble resume`.

use crate::arguments::{Manner, ResumeArguments, RunArguments};
use crate::check::{tell_mistakes, told};
use crate::failure::Failure;
use crate::figures::number;
use crate::interrupt;
use crate::onlooker::Onlooker;
use crate::page;
use crate::placing;
use crate::report::{self, Left};
use crate::view::Watching;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use tumble_io::run_directory::RunDirectory;
use tumble_io::run_report::RunReport;
use tumble_io::scene::Scene;
use tumble_run::{End, Run, RunError, StoredRun, load_scene_from};

/// Runs a scene from its beginning.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let scene = load_scene_from(&arguments.scene, &arguments.set, arguments.from.as_deref());
    let scene = told(scene, arguments.manner.quiet)?;
    let root = arguments.out.clone().unwrap_or_else(|| default_directory(&arguments.scene));
    run_scene(arguments, scene, &root)
}

/// Runs a scene that was read, into a directory.
pub fn run_scene(arguments: &RunArguments, scene: Scene, root: &Path) -> Result<(), Failure> {
    let quiet = arguments.manner.quiet;
    // Placing many grains takes a while: say at once that the directory is taken. It is made only when the grains are
    // placed, so that a scene that cannot be run neither leaves a directory behind nor replaces an earlier run.
    if !arguments.overwrite && RunDirectory::open(root).is_ok() {
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
    with_threads(arguments.manner, || {
        let output = scene.output.clone();
        let name = arguments.scene.display().to_string();
        let mut run = placing::watched(quiet, |watch| Run::from_scene_watched(scene, &name, watch))?;
        // Before anything is written, for the port may be taken.
        let watching = Watching::begin(&arguments.watch, root, &output, quiet)?;
        interrupt::run_begins();
        run.record_in(root, arguments.overwrite)?;
        to_the_end(run, root, quiet)?;
        watching.stay();
        Ok(())
    })
}

/// Goes on with a run.
pub fn resume(arguments: &ResumeArguments) -> Result<(), Failure> {
    let quiet = arguments.manner.quiet;
    let stored = match StoredRun::open(&arguments.directory) {
        Err(RunError::Scene(error)) => return Err(tell_mistakes(&error)),
        stored => stored?,
    };
    if arguments.until.is_none()
        && let Some(report) = stored.report().filter(|_| stored.is_finished())
    {
        return tell_finished(report, &arguments.directory, quiet);
    }
    interrupt::listen()?;
    with_threads(arguments.manner, || {
        let watching = Watching::begin(&arguments.watch, &arguments.directory, stored.output_plan(), quiet)?;
        interrupt::run_begins();
        match stored.resume(arguments.until, &mut Onlooker::before_start(quiet)) {
            Err(error @ RunError::NothingToDo { .. }) => tell(quiet, &error.to_string()),
            run => to_the_end(run?, &arguments.directory, quiet)?,
        }
        watching.stay();
        Ok(())
    })
}

/// Runs to the end and says how it went.
fn to_the_end(mut run: Run, root: &Path, quiet: bool) -> Result<(), Failure> {
    if !quiet {
        // A run does not stop because nobody reads what it prints.
        let _ = writeln!(stdout(), "{}", report::header(&run, root));
    }
    let mut onlooker = Onlooker::of(&run, quiet);
    let ended = run.run(&mut onlooker);
    onlooker.finish();
    let time = number(run.time());
    match ended? {
        End::Interrupted => {
            let shown = root.display();
            tell(
                quiet,
                &format!("interrupted at t = {time} s; a checkpoint was written\ngo on:  tumble resume {shown}"),
            );
            Err(Failure::Interrupted)
        }
        end => {
            let has_page = write_page(&run, quiet);
            if let Some(report) = run.read_report().filter(|_| !quiet) {
                let title = if end == End::AtRest { format!("at rest at t = {time} s") } else { "done".to_owned() };
                let plan = run.output_plan();
                let left = Left {
                    trajectory: plan.is_some_and(|plan| plan.trajectory_interval.is_some()),
                    frames: plan.is_some_and(|plan| plan.vtk && plan.frame_interval.is_some()),
                    page: has_page,
                };
                let _ = write!(stdout(), "{title}\n{}", report::summary(&report?, root, left));
            }
            Ok(())
        }
    }
}

/// Shows the run on one page, if the scene wants that. The run is done and all that it is asked for is written: if this
/// fails, it is told and no more. Returns whether there is a page.
fn write_page(run: &Run, quiet: bool) -> bool {
    let Some(directory) = run.directory().filter(|_| run.output_plan().is_some_and(|plan| plan.report)) else {
        return false;
    };
    let written = page::write_beside_run(directory);
    if let Err(error) = &written {
        tell(quiet, &format!("warning: the page that shows the run could not be written: {error}"));
    }
    written.is_ok()
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

/// The scene's name with `-run`, where the command was given.
pub fn default_directory(scene: &Path) -> PathBuf {
    let name = scene.file_stem().unwrap_or_default().to_string_lossy();
    PathBuf::from(format!("{name}-run"))
}

/// Does something with as many threads as were asked for.
pub fn with_threads<T: Send>(manner: Manner, work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = manner.threads.map_or_else(all, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        Failure::Machine(anyhow::Error::new(error).context(format!("cannot start {threads} threads")))
    })?;
    pool.install(work)
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
