//! What a run tells of itself: the lines at its beginning and the table at its end.

use crate::figures::{count, counted, duration, list, number};
use std::path::Path;
use tumble_engine::Model;
use tumble_engine::law::LawKind;
use tumble_geometry::Shape;
use tumble_io::run_report::RunReport;
use tumble_run::Run;

/// By what grains act on each other, in words: a law of springs, or a solver without one.
pub fn law_in_words(model: &Model) -> (&'static str, String) {
    let solver = model.solver;
    if solver.is_hard() {
        return ("solver", format!("{}: {}", solver.name(), solver.description()));
    }
    let kind = match model.law.kind {
        LawKind::Linear { normal_stiffness, .. } => {
            format!("linear spring and dashpot, {} N/m", number(normal_stiffness))
        }
        LawKind::HertzMindlin { .. } => "Hertz-Mindlin".to_owned(),
        LawKind::Volume { normal_stiffness, exponent, .. } => {
            format!("overlap volume, exponent {}, {} N/m", exponent.value(), number(normal_stiffness))
        }
        LawKind::Pressure { stiffness_per_area, .. } => {
            format!("bed of springs, {} Pa/m", number(stiffness_per_area))
        }
    };
    // It is for spheres under a depth law.
    let rolling = model.interactions.iter().any(|interaction| interaction.rolling_friction > 0.0)
        && matches!(model.law.kind, LawKind::Linear { .. } | LawKind::HertzMindlin { .. })
        && model.species.iter().any(|species| matches!(species.shape, Shape::Sphere(_)));
    ("law", if rolling { format!("{kind}, with rolling resistance") } else { kind })
}

/// The lines at the beginning.
pub fn header(run: &Run, directory: &Path) -> String {
    let (model, state) = (run.model(), run.state());
    let title = if run.title().is_empty() { run.scene_name() } else { run.title() };
    let to_go = run.stop().steps_left(state);
    let from = if state.step > 0 { format!("from t = {} s ", number(state.time)) } else { String::new() };
    let entries = [
        ("grains", count(state.particles.len() as u64)),
        ("walls", count(model.walls.len() as u64)),
        law_in_words(model),
        ("time step", format!("{:.3e} s: {}", state.time_step, run.simulation().time_step_reason())),
        ("to do", format!("{from}to t = {} s, {}", number(run.stop().time), counted(to_go, "step"))),
        ("threads", rayon::current_num_threads().to_string()),
        ("results", directory.display().to_string()),
    ];
    let mut entries = entries.to_vec();
    if let Some((name, number, all)) = run.stage() {
        entries.insert(5, ("stage", format!("`{name}`, {number} of {all}")));
    }
    format!("{title}\n{}", list(&entries))
}

/// What a run left to look at.
pub struct Left {
    /// The trajectory.
    pub trajectory: bool,
    /// Frames for ParaView.
    pub frames: bool,
    /// The page.
    pub page: bool,
}

/// The table at the end.
pub fn summary(report: &RunReport, directory: &Path, left: Left) -> String {
    let shown = directory.display();
    let mut entries = vec![
        ("simulated", format!("{} s, {}", number(report.simulated_time), counted(report.steps, "step"))),
        ("took", duration(report.wall_seconds)),
        ("speed", format!("{} particle-steps/s", number(report.particle_steps_per_second))),
        ("grains", grains_in_words(report)),
        ("contacts", count(report.contacts)),
        (
            "largest overlap",
            format!(
                "{} m, {} % of the smallest half width",
                number(report.largest_overlap.length),
                number(100.0 * report.largest_overlap.relative)
            ),
        ),
        ("ledger residual", format!("{} of the energy in play", number(report.ledger_residual_relative))),
        ("state hash", report.state_hash.clone()),
        ("results", shown.to_string()),
    ];
    if let Some(collisions) = &report.collisions {
        // Nothing touches for longer than a moment.
        entries.splice(4..6, [("collisions", collisions.in_words())]);
    }
    if let Some(searches) = &report.plane_searches {
        entries.insert(6, ("plane searches", searches.in_words()));
    }
    for (place, stage) in report.stages.iter().enumerate() {
        entries.insert(1 + place, ("stage", format!("`{}`, {}", stage.name, stage.in_words())));
    }
    for warning in report.damage.iter().chain(&report.warnings) {
        entries.push(("warning", warning.clone()));
    }
    let mut text = list(&entries);
    if left.trajectory {
        text += &format!("look at it:  tumble view {shown}\n");
    }
    if left.page {
        text += &format!("read it:     {shown}/report.html\n");
    }
    if left.frames {
        text += &format!("ParaView:    {shown}/frames/particles.pvd\n");
    }
    text += &format!("go on:       tumble resume {shown} --until TIME\n");
    text
}

/// How many grains there are, and came and went.
pub fn grains_in_words(report: &RunReport) -> String {
    if report.removed > 0 {
        format!("{} ({} inserted, {} left)", count(report.particles), count(report.inserted), count(report.removed))
    } else {
        count(report.particles)
    }
}
