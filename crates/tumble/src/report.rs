//! What a run tells of itself: the report in `run.json`, the lines at its beginning and the table at its end.

use crate::figures::{count, counted, duration, list, number};
use crate::series::Sample;
use std::path::Path;
use std::time::Instant;
use tumble_engine::Simulation;
use tumble_engine::boundary::insertion::Plan;
use tumble_engine::law::LawKind;
use tumble_engine::{Model, State};
use tumble_io::checkpoint::CheckpointExtra;
use tumble_io::run_report::{OverlapReport, RunReport, RunStatus, cpu_seconds};

/// What a run has cost so far and the worst it has seen, over all its parts. A checkpoint carries it on.
#[derive(Debug)]
pub struct Account {
    particle_steps: u64,
    contact_steps: u64,
    overlap: OverlapReport,
    earlier_wall_seconds: f64,
    earlier_cpu_seconds: f64,
    began: Instant,
    cpu_at_start: Option<f64>,
}

impl Account {
    /// Begins with nothing.
    pub fn new() -> Account {
        Account {
            particle_steps: 0,
            contact_steps: 0,
            overlap: OverlapReport::default(),
            earlier_wall_seconds: 0.0,
            earlier_cpu_seconds: 0.0,
            began: Instant::now(),
            cpu_at_start: cpu_seconds(),
        }
    }

    /// Goes on from a checkpoint.
    pub fn of(extra: &CheckpointExtra) -> Account {
        let counter = |name: &str| extra.counter(name).unwrap_or(0);
        let real = |name: &str| f64::from_bits(counter(name));
        Account {
            particle_steps: counter("particle_steps"),
            contact_steps: counter("contact_steps"),
            overlap: OverlapReport { length: real("largest_overlap"), relative: real("largest_relative_overlap") },
            earlier_wall_seconds: real("wall_seconds"),
            earlier_cpu_seconds: real("cpu_seconds"),
            ..Account::new()
        }
    }

    /// Notes all of it for a checkpoint; numbers that are not whole as their bits.
    pub fn note(&self, extra: &mut CheckpointExtra) {
        extra.set_counter("particle_steps", self.particle_steps);
        extra.set_counter("contact_steps", self.contact_steps);
        extra.set_counter("largest_overlap", self.overlap.length.to_bits());
        extra.set_counter("largest_relative_overlap", self.overlap.relative.to_bits());
        extra.set_counter("wall_seconds", self.wall_seconds().to_bits());
        extra.set_counter("cpu_seconds", self.cpu_seconds().unwrap_or(0.0).to_bits());
    }

    /// Counts a step.
    pub fn stepped(&mut self, simulation: &Simulation) {
        self.particle_steps += simulation.state().particles.len() as u64;
        self.contact_steps += simulation.n_contacts() as u64;
    }

    /// Looks at an overlap.
    pub fn saw(&mut self, overlap: OverlapReport) {
        self.overlap.length = self.overlap.length.max(overlap.length);
        self.overlap.relative = self.overlap.relative.max(overlap.relative);
    }

    fn wall_seconds(&self) -> f64 {
        self.earlier_wall_seconds + self.began.elapsed().as_secs_f64()
    }

    fn cpu_seconds(&self) -> Option<f64> {
        Some(self.earlier_cpu_seconds + cpu_seconds()? - self.cpu_at_start?)
    }
}

/// What does not change while a run goes on.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Title of the scene.
    pub title: String,
    /// The scene file as the user named it.
    pub scene: String,
    /// Number of threads.
    pub threads: usize,
    /// Simulated time at which the run ends [s].
    pub end_time: f64,
    /// Time that `resume --until` has put in place of the scene's stop conditions [s].
    pub until: Option<f64>,
}

/// The report of a run as it stands.
pub fn report(
    identity: &Identity,
    account: &Account,
    simulation: &mut Simulation,
    status: RunStatus,
    message: Option<String>,
) -> RunReport {
    let now = Sample::of(simulation);
    let hash = simulation.state_hash();
    let (model, state) = (simulation.model(), simulation.state());
    let wall_seconds = account.wall_seconds();
    let rate = |n: u64| if wall_seconds > 0.0 { n as f64 / wall_seconds } else { 0.0 };
    let mut overlap = account.overlap;
    overlap.length = overlap.length.max(now.overlap.length);
    overlap.relative = overlap.relative.max(now.overlap.relative);
    RunReport {
        status,
        message,
        title: identity.title.clone(),
        scene: identity.scene.clone(),
        tumble_version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: model.seed,
        threads: identity.threads,
        time_step: state.time_step,
        time_step_reason: simulation.time_step_reason().to_owned(),
        end_time: identity.end_time,
        until: identity.until,
        steps: state.step,
        simulated_time: state.time(),
        wall_seconds,
        cpu_seconds: account.cpu_seconds(),
        particles: now.grains,
        inserted: now.inserted,
        removed: now.removed,
        particle_steps_per_second: rate(account.particle_steps),
        contact_steps_per_second: rate(account.contact_steps),
        contacts: now.contacts,
        largest_overlap: overlap,
        ledger: now.ledger.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
        ledger_residual: now.residual,
        ledger_residual_relative: now.relative_residual,
        warnings: if status == RunStatus::Finished { unfinished_streams(model, state) } else { Vec::new() },
        state_hash: RunReport::hash_text(hash),
    }
}

/// Streams that have not brought in all their grains, in words.
fn unfinished_streams(model: &Model, state: &State) -> Vec<String> {
    let mut warnings = Vec::new();
    for (insertion, inserter) in model.insertions.iter().zip(&state.inserters) {
        let Plan::Stream { count: asked, .. } = insertion.plan else { continue };
        // Of a stream that goes on as long as the run, those are missing that are due and found no room.
        let wanted = asked.unwrap_or(inserter.inserted + inserter.waiting);
        if inserter.inserted < wanted {
            let room = match inserter.waiting {
                0 => "the run ended before the rest was due".to_owned(),
                waiting => format!("{} found no room", counted(waiting, "grain")),
            };
            warnings.push(format!(
                "stream `{}` brought in {} of {} grains: {room}",
                insertion.name,
                count(inserter.inserted),
                count(wanted)
            ));
        }
    }
    warnings
}

/// Whether every stream has brought in all its grains.
pub fn streams_are_done(model: &Model, state: &State) -> bool {
    model.insertions.iter().zip(&state.inserters).all(|(insertion, inserter)| match insertion.plan {
        Plan::Stream { count, .. } => count.is_some_and(|count| inserter.inserted >= count),
        Plan::List { .. } | Plan::Lattice { .. } | Plan::Fill { .. } => true,
    })
}

/// The law of a model in words.
pub fn law_in_words(model: &Model) -> String {
    let kind = match model.law.kind {
        LawKind::Linear { normal_stiffness, .. } => {
            format!("linear spring and dashpot, {} N/m", number(normal_stiffness))
        }
        LawKind::HertzMindlin { .. } => "Hertz-Mindlin".to_owned(),
        LawKind::Volume { normal_stiffness, exponent, .. } => {
            format!("overlap volume, exponent {}, {} N/m", exponent.value(), number(normal_stiffness))
        }
    };
    let rolling = model.interactions.iter().any(|interaction| interaction.rolling_friction > 0.0);
    if rolling { format!("{kind}, with rolling resistance") } else { kind }
}

/// The lines at the beginning.
pub fn header(identity: &Identity, simulation: &Simulation, end_step: u64, directory: &Path) -> String {
    let (model, state) = (simulation.model(), simulation.state());
    let title = if identity.title.is_empty() { &identity.scene } else { &identity.title };
    let to_go = end_step.saturating_sub(state.step);
    let from = if state.step > 0 { format!("from t = {} s ", number(state.time())) } else { String::new() };
    let entries = [
        ("grains", count(state.particles.len() as u64)),
        ("walls", count(model.walls.len() as u64)),
        ("law", law_in_words(model)),
        ("time step", format!("{:.3e} s: {}", state.time_step, simulation.time_step_reason())),
        ("to do", format!("{from}to t = {} s, {}", number(identity.end_time), counted(to_go, "step"))),
        ("threads", identity.threads.to_string()),
        ("results", directory.display().to_string()),
    ];
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
                "{} m, {} % of a radius",
                number(report.largest_overlap.length),
                number(100.0 * report.largest_overlap.relative)
            ),
        ),
        ("ledger residual", format!("{} of the energy in play", number(report.ledger_residual_relative))),
        ("state hash", report.state_hash.clone()),
        ("results", shown.to_string()),
    ];
    for warning in &report.warnings {
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
