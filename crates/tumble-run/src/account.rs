//! What a run has cost, and its report in `run.json`.

use crate::VERSION;
use crate::course::{Course, stage_number};
use crate::series::Sample;
use std::time::Instant;
use tumble_engine::Simulation;
use tumble_engine::boundary::insertion::{Insertion, Plan};
use tumble_engine::model::SpeciesIndex;
use tumble_engine::observe::overlap::Between;
use tumble_engine::{Model, State};
use tumble_geometry::common_plane::PlaneSearches;
use tumble_io::checkpoint::CheckpointExtra;
use tumble_io::figures::{count, counted, number};
use tumble_io::run_report::{
    CollisionReport, OverlapReport, PlaneSearchReport, RunReport, RunStatus, WorkedOn, cpu_seconds,
};

/// Names of the counters of searches for common planes.
const PLANE_COUNTERS: [&str; 4] = ["plane_searches", "plane_iterations", "plane_most_iterations", "plane_cut_short"];

/// What a run has cost so far and the worst it has seen, over all its parts. A checkpoint carries it on.
#[derive(Debug)]
pub(crate) struct Account {
    particle_steps: u64,
    contact_steps: u64,
    overlap: OverlapReport,
    /// Between what the relative overlap was largest.
    deepest: Option<Between>,
    /// `None` unless contacts are found by common planes.
    pub(crate) plane_searches: Option<PlaneSearches>,
    earlier_wall_seconds: f64,
    earlier_cpu_seconds: f64,
    began: Instant,
    cpu_at_start: Option<f64>,
}

impl Account {
    /// Begins with nothing.
    pub(crate) fn new(simulation: &Simulation) -> Account {
        Account {
            particle_steps: 0,
            contact_steps: 0,
            overlap: OverlapReport::default(),
            deepest: None,
            plane_searches: simulation.plane_searches().map(|_| PlaneSearches::default()),
            earlier_wall_seconds: 0.0,
            earlier_cpu_seconds: 0.0,
            began: Instant::now(),
            cpu_at_start: cpu_seconds(),
        }
    }

    /// Goes on from a checkpoint.
    pub(crate) fn of(extra: &CheckpointExtra, simulation: &Simulation) -> Account {
        let counter = |name: &str| extra.counter(name).unwrap_or(0);
        let real = |name: &str| f64::from_bits(counter(name));
        Account {
            particle_steps: counter("particle_steps"),
            contact_steps: counter("contact_steps"),
            overlap: OverlapReport { length: real("largest_overlap"), relative: real("largest_relative_overlap") },
            deepest: unpacked(counter("deepest_overlap_between")),
            earlier_wall_seconds: real("wall_seconds"),
            earlier_cpu_seconds: real("cpu_seconds"),
            plane_searches: simulation.plane_searches().map(|_| {
                let [n_searches, n_iterations, most_iterations, n_cut_short] = PLANE_COUNTERS.map(counter);
                PlaneSearches { n_searches, n_iterations, most_iterations, n_cut_short }
            }),
            ..Account::new(simulation)
        }
    }

    /// Notes all of it for a checkpoint; numbers that are not whole as their bits.
    pub(crate) fn note(&self, extra: &mut CheckpointExtra) {
        extra.set_counter("particle_steps", self.particle_steps);
        extra.set_counter("contact_steps", self.contact_steps);
        extra.set_counter("largest_overlap", self.overlap.length.to_bits());
        extra.set_counter("largest_relative_overlap", self.overlap.relative.to_bits());
        extra.set_counter("deepest_overlap_between", packed(self.deepest));
        if let Some(PlaneSearches { n_searches, n_iterations, most_iterations, n_cut_short }) = self.plane_searches {
            let counts = [n_searches, n_iterations, most_iterations, n_cut_short];
            PLANE_COUNTERS.iter().zip(counts).for_each(|(name, count)| extra.set_counter(name, count));
        }
        extra.set_counter("wall_seconds", self.wall_seconds().to_bits());
        extra.set_counter("cpu_seconds", self.cpu_seconds().unwrap_or(0.0).to_bits());
    }

    /// Counts a step.
    pub(crate) fn stepped(&mut self, simulation: &Simulation) {
        self.particle_steps += simulation.state().particles.len() as u64;
        self.contact_steps += simulation.n_contacts() as u64;
        if let (Some(all), Some(now)) = (&mut self.plane_searches, simulation.plane_searches()) {
            *all += now;
        }
    }

    /// Looks at the overlaps of a moment.
    pub(crate) fn saw(&mut self, now: &Sample) {
        (self.overlap, self.deepest) = self.with(now);
    }

    /// The largest overlaps, those of a further moment among them, and between what the relative one was.
    fn with(&self, now: &Sample) -> (OverlapReport, Option<Between>) {
        let is_deeper = now.overlap.relative > self.overlap.relative;
        let overlap = OverlapReport {
            length: self.overlap.length.max(now.overlap.length),
            relative: self.overlap.relative.max(now.overlap.relative),
        };
        (overlap, if is_deeper { now.deepest } else { self.deepest })
    }

    fn wall_seconds(&self) -> f64 {
        self.earlier_wall_seconds + self.began.elapsed().as_secs_f64()
    }

    fn cpu_seconds(&self) -> Option<f64> {
        Some(self.earlier_cpu_seconds + cpu_seconds()? - self.cpu_at_start?)
    }
}

/// A pair of kinds as a number that a checkpoint keeps: 0 for none, else one more than the species, its partner, and whether that is
/// a wall.
fn packed(between: Option<Between>) -> u64 {
    match between {
        None => 0,
        Some(Between::Grains(a, b)) => (u64::from(a) + 1) | u64::from(b) << 17,
        Some(Between::Wall(a, wall)) => (u64::from(a) + 1) | (wall as u64) << 17 | WALL_BIT,
    }
}

/// Set in a packed pair whose second is a wall.
const WALL_BIT: u64 = 1 << 63;

fn unpacked(number: u64) -> Option<Between> {
    let a = (number & 0x1_ffff).checked_sub(1)? as SpeciesIndex;
    let other = (number & !WALL_BIT) >> 17;
    Some(if number & WALL_BIT != 0 {
        Between::Wall(a, other as usize)
    } else {
        Between::Grains(a, other as SpeciesIndex)
    })
}

/// What does not change while a run goes on.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// Title of the scene.
    pub(crate) title: String,
    /// The scene file as the user named it.
    pub(crate) scene: String,
    /// Number of threads.
    pub(crate) threads: usize,
    /// Simulated time at which the run ends [s].
    pub(crate) end_time: f64,
    /// The versions of Tumble that worked on the run, this one the last.
    pub(crate) versions: Vec<WorkedOn>,
    /// What was found missing or damaged when the run was resumed.
    pub(crate) damage: Vec<String>,
    /// Time that `resume --until` has put in place of the scene's stop conditions [s].
    pub(crate) until: Option<f64>,
}

/// The report of a run as it stands.
pub(crate) fn report(
    identity: &Identity,
    account: &Account,
    simulation: &mut Simulation,
    course: Option<&Course>,
    status: RunStatus,
    message: Option<String>,
) -> RunReport {
    let now = Sample::of(simulation, account.plane_searches, stage_number(course));
    let hash = simulation.state_hash();
    let (model, state) = (simulation.model(), simulation.state());
    let wall_seconds = account.wall_seconds();
    let rate = |n: u64| if wall_seconds > 0.0 { n as f64 / wall_seconds } else { 0.0 };
    let (overlap, deepest) = account.with(&now);
    let mut warnings: Vec<String> =
        deepest.and_then(|between| between.warning(model, overlap.relative)).into_iter().collect();
    if status == RunStatus::Finished {
        warnings.extend(unfinished_streams(model, state));
        warnings.extend(empty_groups(model, state));
        warnings.extend(unexplained(now.relative_residual));
    }
    RunReport {
        status,
        message,
        title: identity.title.clone(),
        scene: identity.scene.clone(),
        tumble_version: VERSION.to_owned(),
        versions: identity.versions.clone(),
        seed: model.seed,
        threads: identity.threads,
        time_step: state.time_step,
        time_step_reason: simulation.time_step_reason().to_owned(),
        end_time: identity.end_time,
        until: identity.until,
        steps: state.step,
        simulated_time: state.time,
        wall_seconds,
        cpu_seconds: account.cpu_seconds(),
        particles: now.grains,
        inserted: now.inserted,
        removed: now.removed,
        particle_steps_per_second: rate(account.particle_steps),
        contact_steps_per_second: rate(account.contact_steps),
        contacts: now.contacts,
        largest_overlap: overlap,
        plane_searches: account.plane_searches.map(|searches| PlaneSearchReport {
            searches: searches.n_searches,
            iterations: searches.n_iterations,
            mean_iterations: searches.mean_iterations().unwrap_or(0.0),
            most_iterations: searches.most_iterations,
            cut_short: searches.n_cut_short,
        }),
        collisions: now.collisions.map(|totals| CollisionReport {
            pairs: totals.n_pairs,
            walls: totals.n_walls,
            collapsing: totals.n_collapsing,
            sleep: now.sleep,
        }),
        stages: course.map(|course| course.report(now.time)).unwrap_or_default(),
        ledger: now.ledger.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
        ledger_residual: now.residual,
        ledger_residual_relative: now.relative_residual,
        warnings,
        damage: identity.damage.clone(),
        state_hash: RunReport::hash_text(hash),
    }
}

/// Share of the energy in play beyond which what the ledger leaves unexplained is told.
const MOST_UNEXPLAINED: f64 = 0.01;

/// What the ledger leaves unexplained at the end, if it is more than a trace.
fn unexplained(share: f64) -> Option<String> {
    (share.abs() > MOST_UNEXPLAINED).then(|| {
        format!(
            "{:.1} % of the energy in play are not explained by the ledger: results may be off by as much. A shorter step (`time.safety = 0.5`) \
             tells whether it is the step; else the law does not suit the shapes (`tumble info` on the scene names both)",
            100.0 * share.abs()
        )
    })
}

/// Streams that have not brought in all their grains, in words.
fn unfinished_streams(model: &Model, state: &State) -> Vec<String> {
    let mut warnings = Vec::new();
    for (insertion, inserter) in model.insertions.iter().zip(&state.inserters) {
        let Plan::Stream { count: asked, .. } = insertion.plan else { continue };
        // Of a stream that goes on as long as the run, those are missing that are due and found no room.
        if !insertion.active {
            continue;
        }
        let wanted = asked.map_or(inserter.inserted + inserter.waiting, |asked| asked + inserter.before);
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

/// Groups that nobody was in at the moment that they go by, in words.
fn empty_groups(model: &Model, state: &State) -> Vec<String> {
    let groups = model.groups.iter().zip(&state.groups);
    let told = groups.filter_map(|(group, members)| {
        let at = group.at?;
        let name = &group.name;
        match (members.is_known, members.ids.is_empty()) {
            (true, true) => Some(format!("no grain was in the group `{name}` at t = {} s", number(at))),
            (false, _) => {
                Some(format!("the run ended before t = {} s, when the group `{name}` would have begun", number(at)))
            }
            (true, false) => None,
        }
    });
    told.collect()
}

/// Whether every stream of a counted number of grains has brought in all of them.
pub(crate) fn streams_have_come(model: &Model, state: &State) -> bool {
    model.insertions.iter().zip(&state.inserters).all(|(insertion, inserter)| match insertion.plan {
        Plan::Stream { count: Some(count), .. } if insertion.active => inserter.inserted >= inserter.before + count,
        _ => true,
    })
}

/// Whether every stream has brought in all its grains: none goes on for ever.
pub(crate) fn streams_are_done(model: &Model, state: &State) -> bool {
    let goes_on =
        |insertion: &Insertion| insertion.active && matches!(insertion.plan, Plan::Stream { count: None, .. });
    !model.insertions.iter().any(goes_on) && streams_have_come(model, state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_kinds_come_back_from_a_checkpoint() {
        let pairs =
            [None, Some(Between::Grains(0, 0)), Some(Between::Grains(u16::MAX, 7)), Some(Between::Wall(3, 1 << 20))];
        for between in pairs {
            assert_eq!(unpacked(packed(between)), between);
        }
    }
}
