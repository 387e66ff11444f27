//! `tumble check`: everything that is wrong with a scene. And how every command reads one.

use crate::arguments::CheckArguments;
use crate::failure::Failure;
use crate::figures::counted;
use crate::info::planned_grains;
use crate::placing;
use std::io::{IsTerminal, Write, stderr, stdout};
use tumble_engine::Model;
use tumble_engine::model::TimeStep;
use tumble_engine::time_step::{self, Choice};
use tumble_io::scene::{Scene, SceneError};
use tumble_run::{RunError, load_scene};

/// Reads a scene and says what is wrong, or that it can be run. Whether the grains have room and the domain is long enough
/// shows only when the run is set up, so that is done too.
pub fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let scene = told(load_scene(&arguments.scene, &arguments.set), false)?;
    let model = &scene.model;
    let choice = chosen_time_step(model);
    placing::start(model.clone(), false)?;
    writeln!(
        stdout(),
        "{} can be run: {}, {}, {}, time step {:.3e} s",
        arguments.scene.display(),
        planned_grains(model, scene.stop.time),
        counted(model.species.len() as u64, "kind"),
        counted(model.walls.len() as u64, "wall"),
        choice.time_step,
    )?;
    Ok(())
}

/// A scene that was read and can be measured; errors, and unless quiet warnings, are told on the standard error.
pub fn told(read: Result<Scene, RunError>, quiet: bool) -> Result<Scene, Failure> {
    let scene = match read {
        Err(RunError::Scene(error)) => return Err(tell_mistakes(&error)),
        read => read?,
    };
    for planned in &scene.output.probes {
        planned.probe.check(&scene.model)?;
    }
    if !quiet && !scene.warnings.diagnostics.is_empty() {
        let _ = writeln!(stderr(), "{}\n", scene.warnings.render(wants_colour()));
    }
    Ok(scene)
}

/// Says everything that is wrong with a scene.
pub fn tell_mistakes(error: &SceneError) -> Failure {
    let n_errors = error.0.diagnostics.len() as u64;
    let _ = writeln!(stderr(), "{}\n\n{}", error.render(wants_colour()), counted(n_errors, "error"));
    Failure::Told
}

fn wants_colour() -> bool {
    stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The time step a run of this model will have, and why.
pub fn chosen_time_step(model: &Model) -> Choice {
    match model.time_step {
        TimeStep::Fixed(time_step) => Choice { time_step, reason: "set in the scene".to_owned() },
        TimeStep::Automatic { safety, speed } => time_step::automatic(model, safety, speed),
    }
}
