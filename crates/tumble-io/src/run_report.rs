//! `run.json`: what a run was, how far it came and what it cost.

use crate::figures;
use serde::{Deserialize, Serialize};

/// The report of a run. It is rewritten at every checkpoint and at the end, so that a killed run leaves one too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// How the run stands.
    pub status: RunStatus,
    /// Why it stands so, where there is something to say: the error of a failed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Title of the scene.
    pub title: String,
    /// The scene file as the user named it.
    pub scene: String,
    /// Version of Tumble that worked on the run last.
    pub tumble_version: String,
    /// All versions of Tumble that worked on the run, in order.
    #[serde(default)]
    pub versions: Vec<WorkedOn>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Number of threads.
    pub threads: usize,
    /// Length of a step [s].
    #[serde(with = "number")]
    pub time_step: f64,
    /// Why the step is as long as it is.
    pub time_step_reason: String,
    /// Simulated time at which the run ends in any case [s].
    #[serde(with = "number")]
    pub end_time: f64,
    /// Simulated time that was put in place of all the scene's stop conditions when the run was resumed [s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Steps done.
    pub steps: u64,
    /// Simulated time [s].
    #[serde(with = "number")]
    pub simulated_time: f64,
    /// Time the run took by the clock, all its parts together [s].
    #[serde(with = "number")]
    pub wall_seconds: f64,
    /// Processor time the run took, all its parts and threads together [s]; `None` where the system does not tell.
    pub cpu_seconds: Option<f64>,
    /// Grains at the end.
    pub particles: u64,
    /// Grains inserted.
    pub inserted: u64,
    /// Grains removed at the domain's edges.
    pub removed: u64,
    /// Steps times grains, by second of the clock [1/s].
    #[serde(with = "number")]
    pub particle_steps_per_second: f64,
    /// Steps times contacts, by second of the clock [1/s].
    #[serde(with = "number")]
    pub contact_steps_per_second: f64,
    /// Touching contacts at the end.
    pub contacts: u64,
    /// Largest overlap of the whole run.
    pub largest_overlap: OverlapReport,
    /// Searches for common planes of the whole run; `None` unless contacts are found by these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane_searches: Option<PlaneSearchReport>,
    /// Collisions that take no time, of the part of the run over which they were added up; `None` where contacts take time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collisions: Option<CollisionReport>,
    /// Stages that have begun; empty for a run without stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageReport>,
    /// Every term of the energy ledger at the end [J], under the names they have in `series.csv`; an object in JSON.
    #[serde(with = "named_numbers")]
    pub ledger: Vec<(String, f64)>,
    /// What the ledger's terms leave unexplained [J].
    #[serde(with = "number")]
    pub ledger_residual: f64,
    /// The residual over the energy that went through the run [1].
    #[serde(with = "number")]
    pub ledger_residual_relative: f64,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// What was found missing or damaged of the run's own files when it was resumed.
    #[serde(default)]
    pub damage: Vec<String>,
    /// Fingerprint of the final state, 16 hexadecimal digits; equal for equal bits.
    pub state_hash: String,
}

/// A stage of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageReport {
    /// The name it has in the scene.
    pub name: String,
    /// Simulated time at which it began [s].
    #[serde(with = "number")]
    pub began: f64,
    /// Simulated time at which it ended [s]; `None` while it goes on.
    pub ended: Option<f64>,
    /// What ended it, in words.
    pub why: Option<String>,
}

impl StageReport {
    /// In a line, without the name.
    pub fn in_words(&self) -> String {
        let from = figures::number(self.began);
        match (self.ended, &self.why) {
            (Some(ended), Some(why)) => format!("{from} to {} s: {why}", figures::number(ended)),
            (Some(ended), None) => format!("{from} to {} s", figures::number(ended)),
            (None, _) => format!("from {from} s"),
        }
    }
}

/// Collisions that take no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollisionReport {
    /// Of two grains.
    pub pairs: u64,
    /// Of a grain with a wall.
    pub walls: u64,
    /// Those in which the rule against inelastic collapse took part.
    pub collapsing: u64,
    /// Of grains that sleep; `None` unless that is the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep: Option<SleepReport>,
}

/// Grains that sleep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SleepReport {
    /// How often a grain fell asleep.
    pub fell_asleep: u64,
    /// How often one was woken.
    pub woken: u64,
    /// How many sleep now.
    pub asleep: u64,
}

impl CollisionReport {
    /// In a line.
    pub fn in_words(&self) -> String {
        let mut words = format!("{} of grains, {} with walls", self.pairs, self.walls);
        if self.collapsing > 0 {
            words += &format!("; {} kept from inelastic collapse", self.collapsing);
        }
        if let Some(SleepReport { fell_asleep, woken, asleep }) = self.sleep {
            words += &format!("; {fell_asleep} fell asleep, {woken} were woken, {asleep} sleep");
            if asleep > 0 {
                words += ", and walls do not feel their weight";
            }
        }
        words
    }
}

/// A version of Tumble and from when on it worked on a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkedOn {
    /// The version.
    pub version: String,
    /// Steps that were done when it began.
    pub from_step: u64,
    /// Simulated time when it began [s].
    #[serde(with = "number")]
    pub from_time: f64,
}

impl WorkedOn {
    /// Adds a version that goes on from a moment to those that worked before it. Work after that moment is done anew, so
    /// who did it does not count.
    pub fn add(versions: &mut Vec<WorkedOn>, version: &str, step: u64, time: f64) {
        versions.retain(|earlier| earlier.from_step == 0 || earlier.from_step < step);
        if versions.last().is_none_or(|last| last.version != version) {
            versions.push(WorkedOn { version: version.to_owned(), from_step: step, from_time: time });
        }
    }
}

/// How a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// It goes on, or was killed.
    #[default]
    Running,
    /// It came to the end the scene asked for.
    Finished,
    /// The user stopped it; it can be resumed.
    Interrupted,
    /// It could not go on; the message says why.
    Failed,
}

/// An overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OverlapReport {
    /// Overlap [m].
    #[serde(with = "number")]
    pub length: f64,
    /// Overlap over the smallest half width of the two, which is a sphere's radius, half of a disc's thickness [1].
    /// It need not be the overlap of `length`.
    #[serde(with = "number")]
    pub relative: f64,
}

/// Searches for common planes, by the contact methods `cundall` and `liu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaneSearchReport {
    /// Searches.
    pub searches: u64,
    /// Iterations of all of them together.
    pub iterations: u64,
    /// Iterations of a search on average.
    #[serde(with = "number")]
    pub mean_iterations: f64,
    /// Iterations of the longest search.
    pub most_iterations: u64,
    /// Searches that were cut short, without converging.
    pub cut_short: u64,
}

impl PlaneSearchReport {
    /// All of it in words.
    pub fn in_words(&self) -> String {
        let PlaneSearchReport { searches, mean_iterations, most_iterations, cut_short, .. } = *self;
        format!(
            "{}: {} iterations on average, {} at most, {} cut short",
            figures::count(searches),
            figures::number(mean_iterations),
            figures::count(most_iterations),
            figures::count(cut_short)
        )
    }
}

impl RunReport {
    /// The fingerprint of a state as `state_hash` shows it.
    pub fn hash_text(hash: u64) -> String {
        format!("{hash:016x}")
    }
}

/// Numbers in JSON, which knows neither infinities nor NaN: both become null, and null is read as NaN. A run that
/// failed with such a number must still leave a report that can be read.
mod number {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.serialize_none() }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
    }
}

/// A list of names and numbers as a JSON object that keeps the list's order.
mod named_numbers {
    use serde::de::{MapAccess, Visitor};
    use serde::ser::SerializeMap;
    use serde::{Deserializer, Serializer};
    use std::fmt;

    pub(super) fn serialize<S: Serializer>(list: &[(String, f64)], serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(list.len()))?;
        for (name, value) in list {
            map.serialize_entry(name, &value.is_finite().then_some(*value))?;
        }
        map.end()
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, f64)>, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, f64)>;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object of numbers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut list = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Option<f64>>()? {
                    list.push((name, value.unwrap_or(f64::NAN)));
                }
                Ok(list)
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Processor time this process has used, user and system, all its threads together [s]. `None` where the system does
/// not tell.
pub fn cpu_seconds() -> Option<f64> {
    if cfg!(target_os = "linux") { cpu_seconds_in(&std::fs::read_to_string("/proc/self/stat").ok()?) } else { None }
}

/// Fields 14 and 15 of `/proc/PID/stat` (proc(5)), in clock ticks. Field 2 is the program's name in parentheses and
/// may itself hold spaces and parentheses, so counting begins after the last one.
fn cpu_seconds_in(stat: &str) -> Option<f64> {
    /// Linux tells user programs 100 ticks a second on every architecture that Rust's standard library supports,
    /// whatever its own clock does.
    const TICKS_PER_SECOND: f64 = 100.0;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some((ticks()? + ticks()?) as f64 / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> RunReport {
        RunReport {
            status: RunStatus::Failed,
            message: Some("grains 3 and 4 overlap too far".to_owned()),
            title: "drum".to_owned(),
            seed: u64::MAX,
            time_step: 1.25e-6,
            simulated_time: 0.1 + 0.2,
            cpu_seconds: Some(12.25),
            largest_overlap: OverlapReport { length: 1e-6, relative: 1e-3 },
            plane_searches: Some(PlaneSearchReport {
                searches: 2000,
                iterations: 81_234,
                mean_iterations: 40.617,
                most_iterations: 1000,
                cut_short: 3,
            }),
            collisions: None,
            ledger: vec![("slip".to_owned(), 0.125), ("drag".to_owned(), -1e-300)],
            state_hash: RunReport::hash_text(0xab),
            ..RunReport::default()
        }
    }

    #[test]
    fn a_report_reads_back() {
        let text = serde_json::to_string_pretty(&sample()).unwrap();
        assert_eq!(serde_json::from_str::<RunReport>(&text).unwrap(), sample());
        assert!(text.contains("\"state_hash\": \"00000000000000ab\""), "{text}");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["status"], "failed");
        assert_eq!(value["message"], "grains 3 and 4 overlap too far");
        assert_eq!(value["ledger"]["slip"], 0.125);
        assert_eq!(value["plane_searches"]["cut_short"], 3);
        let words = sample().plane_searches.unwrap().in_words();
        assert_eq!(words, "2,000: 40.62 iterations on average, 1,000 at most, 3 cut short");
        let without = RunReport { plane_searches: None, ..sample() };
        let text = serde_json::to_string(&without).unwrap();
        assert!(!text.contains("plane_searches"), "{text}");
        assert_eq!(serde_json::from_str::<RunReport>(&text).unwrap(), without);
    }

    #[test]
    fn versions_are_added_once_and_undone_work_is_not_counted() {
        let mut versions = Vec::new();
        let steps = |versions: &[WorkedOn]| -> Vec<(String, u64)> {
            versions.iter().map(|worked| (worked.version.clone(), worked.from_step)).collect()
        };
        WorkedOn::add(&mut versions, "1", 0, 0.0);
        WorkedOn::add(&mut versions, "1", 100, 1.0);
        WorkedOn::add(&mut versions, "2", 200, 2.0);
        WorkedOn::add(&mut versions, "3", 300, 3.0);
        assert_eq!(steps(&versions), [("1".to_owned(), 0), ("2".to_owned(), 200), ("3".to_owned(), 300)]);
        // Back to an earlier checkpoint.
        WorkedOn::add(&mut versions, "4", 200, 2.0);
        assert_eq!(steps(&versions), [("1".to_owned(), 0), ("4".to_owned(), 200)]);
    }

    #[test]
    fn a_report_with_nan_reads_back() {
        let ledger = vec![("slip".to_owned(), f64::NAN)];
        let report = RunReport { ledger_residual: f64::NAN, time_step: f64::INFINITY, ledger, ..sample() };
        let text = serde_json::to_string(&report).unwrap();
        assert!(text.contains("\"ledger_residual\":null"), "{text}");
        let back: RunReport = serde_json::from_str(&text).unwrap();
        assert!(back.ledger_residual.is_nan() && back.time_step.is_nan());
        assert!(back.ledger[0].1.is_nan());
        assert_eq!(back.seed, u64::MAX);
    }

    #[test]
    fn processor_time_is_found_behind_any_program_name() {
        let fields = "S 1 1 1 0 -1 4194304 100 0 0 0 250 75 0 0 20 0 1 0 100 0 0";
        for name in ["(tumble)", "(a b)", "(a) S 1 (b)", "()"] {
            assert_eq!(cpu_seconds_in(&format!("4711 {name} {fields}")), Some(3.25));
        }
        for broken in ["", "4711 (tumble) S 1", "4711 tumble S"] {
            assert_eq!(cpu_seconds_in(broken), None);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn work_shows_in_the_processor_time() {
        let before = cpu_seconds().unwrap();
        let start = std::time::Instant::now();
        // Work until the counter moves: a tick is 10 ms, and a loaded machine may take its time to grant one.
        while cpu_seconds().unwrap() <= before {
            std::hint::black_box((0..10_000u64).fold(1u64, |product, i| product.wrapping_mul(i | 1) ^ i));
            assert!(start.elapsed().as_secs() < 30, "30 s of work and no processor time");
        }
    }
}
