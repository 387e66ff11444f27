//! `tumble check`: everything that is wrong with a scene. And how every command reads one.

use crate::arguments::CheckArguments;
use crate::failure::Failure;
use crate::figures::{counted, duration, list, number};
use crate::info::planned_grains;
use crate::placing;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::time::{Duration, Instant};
use tumble_engine::model::TimeStep;
use tumble_engine::time_step::{self, Choice};
use tumble_engine::{Model, Simulation, State};
use tumble_geometry::Surface;
use tumble_io::scene::{Scene, SceneError};
use tumble_run::{RunError, Stop, load_scene, slips};

/// Steps before a trial.
const WARM_UP: u64 = 3;
/// Steps of a trial, at most.
const MOST_TRIED: u64 = 200;
/// How long a trial takes, about.
const TRIAL: Duration = Duration::from_millis(100);

/// Reads a scene and says what is wrong, or that it can be run, how long that takes and what is likely a slip. Whether the grains have
/// room and the domain is long enough shows only when the run is set up, so that is done too.
pub fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let scene = told(load_scene(&arguments.scene, &arguments.set), false)?;
    let model = &scene.model;
    let choice = chosen_time_step(model);
    let mut simulation = placing::start(model.clone(), false)?;
    writeln!(
        stdout(),
        "{} can be run: {}, {}, {}, time step {:.3e} s",
        arguments.scene.display(),
        planned_grains(model, scene.stop.time),
        counted(model.species.len() as u64, "kind"),
        counted(model.walls.len() as u64, "wall"),
        choice.time_step,
    )?;
    let steps = Stop::new(&scene.stop, None).steps_left(simulation.state());
    let mut entries = vec![("to do", format!("{} to t = {} s", counted(steps, "step"), number(scene.stop.time)))];
    if let Some((n_tried, each)) = trial(&mut simulation) {
        entries.push((
            "time",
            format!(
                "about {} on {} as fast as the first {}; grains and contacts that come later take more",
                duration(each * steps as f64),
                counted(rayon::current_num_threads() as u64, "thread"),
                counted(n_tried, "step")
            ),
        ));
    }
    if matches!(model.time_step, TimeStep::Fixed(_)) && !model.solver.is_hard() {
        let automatic = time_step::automatic(model, 1.0, None).time_step;
        let share = number(choice.time_step / automatic);
        entries.push(("step", format!("{share} of the automatic one, {automatic:.3e} s")));
    }
    entries.extend(meshes(model, simulation.state()).into_iter().map(|mesh| ("mesh", mesh)));
    entries.extend(slips(&scene).into_iter().map(|slip| ("warning", slip)));
    write!(stdout(), "{}", list(&entries))?;
    Ok(())
}

/// How many steps a run was tried over, and how long each took [s]; `None` if it could not go on. A run that fails in its first steps
/// says so when it is run, with all that belongs to it.
fn trial(simulation: &mut Simulation) -> Option<(u64, f64)> {
    // The first steps build what later ones use.
    for _ in 0..WARM_UP {
        simulation.step().ok()?;
    }
    let start = Instant::now();
    let mut n_steps = 0;
    while n_steps < MOST_TRIED && start.elapsed() < TRIAL {
        simulation.step().ok()?;
        n_steps += 1;
    }
    (n_steps > 0).then(|| (n_steps, start.elapsed().as_secs_f64() / n_steps as f64))
}

/// How large each mesh is, by itself and against the grains.
fn meshes(model: &Model, state: &State) -> Vec<String> {
    let largest = state.particles.radius.iter().copied().fold(0.0, f64::max);
    let meshes = model.walls.iter().filter_map(|wall| match &wall.surface {
        Surface::Mesh(_) => Some((&wall.name, wall.surface.bounds(&wall.pose)?.extent())),
        _ => None,
    });
    meshes
        .map(|(name, extent)| {
            let [x, y, z] = extent.to_array().map(number);
            let wide = if largest > 0.0 {
                format!(", {} times as wide as the largest grain", number(extent.max_element() / (2.0 * largest)))
            } else {
                String::new()
            };
            format!("`{name}` is {x} x {y} x {z} m{wide}")
        })
        .collect()
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
