//! Reads the stages of a run: what changes at the beginning of each, and what ends it.
//!
//! The scene of a stage is the scene with the changes of all stages up to it laid over, read as any other scene: what may
//! stand in a stage is what may stand in a scene, and a mistake is shown where it was written.

use super::overrides::lay_over;
use super::reader::Reader;
use super::tree::{Entry, Node, Table, Value};
use super::{Bound, Condition, Held, StageEnd};
use crate::diagnostic::{Diagnostic, Location, Severity, nearest};
use tumble_engine::Model;
use tumble_engine::observe::ProbeQuantity;

/// A stage as it is written.
pub(crate) struct Written<'a> {
    pub name: String,
    changes: Vec<Change>,
    end: Option<Reader<'a>>,
    /// Time after its beginning at which it ends in any case [s].
    pub time: Option<f64>,
}

/// A value that a stage lays over the scene.
struct Change {
    path: Vec<String>,
    /// Where its key was written.
    key_at: Location,
    node: Node,
}

/// The stages in their order; none where the scene has none.
pub(crate) fn read_stages<'a>(scene: &Reader<'a>) -> Vec<Written<'a>> {
    if !scene.has("stages") {
        return Vec::new();
    }
    let mut stages: Vec<Written> = Vec::new();
    for (number, (_, reader)) in scene.tables("stages").into_iter().enumerate() {
        let name = reader.text("name").map_or_else(|| format!("stage{}", number + 1), String::from);
        if stages.iter().any(|stage| stage.name == name) {
            reader.report_at("name", format!("there is a stage {name:?} already"), "stages need names of their own");
        }
        let end = reader.table("end");
        let time = end.as_ref().and_then(|end| end.quantity("time"));
        stages.push(Written { name, changes: changes_of(&reader), end, time });
    }
    if stages.is_empty() {
        scene.report_at("stages", "there is no stage", "leave `stages` out for a run of one stage");
    }
    if scene.has("stop") {
        scene.report_at("stop", "a run with stages ends with its last stage", "put this into `end` of that stage");
    }
    stages
}

/// How long all stages take at most [s]; `None` where one may take as long as it likes.
pub(crate) fn longest(stages: &[Written]) -> Option<f64> {
    stages.iter().map(|stage| stage.time).sum()
}

fn changes_of(reader: &Reader) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut change = |path: &[&str], entry: &Entry| {
        let path = path.iter().map(|&key| key.to_owned()).collect();
        changes.push(Change { path, key_at: entry.key_at.clone(), node: entry.node.clone() });
    };
    // In the order of the declaration. Values are read, and refused if they are wrong, where they have been laid over the scene.
    let plain: [(&'static str, &[&str]); 6] = [
        ("gravity", &["gravity"]),
        ("gravity_ramp", &["gravity_ramp"]),
        ("drag", &["engine", "drag"]),
        ("step", &["time", "step"]),
        ("law", &["law"]),
        ("interactions", &["interactions"]),
    ];
    let mut turns_at_once = None;
    for (key, path) in plain {
        if let Some(entry) = reader.entry(key) {
            change(path, entry);
            match key {
                "gravity" => turns_at_once = Some(entry),
                "gravity_ramp" if turns_at_once.take().is_none() => {
                    reader.report_at(key, "gravity does not change in this stage", "it goes with `gravity`");
                }
                _ => {}
            }
        }
    }
    if let Some(entry) = turns_at_once {
        let node = Node { at: entry.node.at.clone(), value: Value::Integer(Some(0)) };
        change(&["gravity_ramp"], &Entry { node, ..entry.clone() });
    }
    for key in ["materials", "walls", "insert"] {
        for (name, table) in reader.tables(key) {
            for entry in table.known_entries() {
                change(&[key, name, &entry.key], entry);
            }
        }
    }
    if let Some(table) = reader.table("output") {
        for entry in table.known_entries() {
            change(&["output", &entry.key], entry);
        }
    }
    changes
}

impl Written<'_> {
    /// Lays its changes over the scene of the stage before.
    pub fn apply(&self, scene: &mut Table) -> Result<(), Box<Diagnostic>> {
        self.changes.iter().try_for_each(|change| {
            if let [table, name, _] = change.path.as_slice()
                && let Some(Value::Table(named)) = scene.get(table).map(|entry| &entry.node.value)
                && named.get(name).is_none()
            {
                let known = named.entries.iter().map(|entry| entry.key.as_str());
                return Err(Box::new(Diagnostic {
                    severity: Severity::Error,
                    key: format!("stages.{table}.{name}"),
                    message: format!("there is no {name:?} in `{table}`"),
                    at: Some(change.key_at.clone()),
                    expected: one_of(name, known),
                    help: None,
                    also: None,
                }));
            }
            lay_over(scene, &change.path, &change.key_at, &change.node)
        })
    }

    /// What ends it, in a scene with this model and these probes.
    pub fn end(&self, model: &Model, probes: &[super::ProbePlan]) -> StageEnd {
        let mut stage_end = StageEnd { time: self.time, conditions: Vec::new(), hold: 0.0 };
        let Some(end) = &self.end else { return stage_end };
        stage_end.hold = end.quantity("hold").unwrap_or(0.0);
        if let Some(below) = end.quantity("kinetic_energy") {
            stage_end.conditions.push(Condition { held: Held::KineticEnergy, bound: Bound::Below(below) });
        }
        if let Some(force) = end.table("force") {
            let bound = bound_of(&force, |key| force.quantity(key));
            if let (Some(name), Some(bound)) = (force.text("wall"), bound) {
                let faces: Vec<usize> =
                    (0..model.walls.len()).filter(|&wall| belongs_to(&model.walls[wall].name, name)).collect();
                if faces.is_empty() {
                    let known = model.walls.iter().map(|wall| wall.name.as_str());
                    force.report_at("wall", format!("there is no wall {name:?}"), one_of(name, known));
                }
                stage_end.conditions.push(Condition { held: Held::Force { wall: name.to_owned(), faces }, bound });
            }
        }
        if let Some(grains) = end.table("grains")
            && let Some(bound) = bound_of(&grains, |key| grains.count(key).map(|count| count as f64))
        {
            stage_end.conditions.push(Condition { held: Held::Grains, bound });
        }
        if let Some(probe) = end.table("probe") {
            let bound = bound_of(&probe, |key| probe.quantity(key));
            let (name, column) = (probe.text("name"), probe.text("column"));
            if let (Some(name), Some(column), Some(bound)) = (name, column, bound)
                && let Some(held) = probe_column(&probe, name, column, model, probes)
            {
                stage_end.conditions.push(Condition { held, bound });
            }
        }
        if stage_end.hold > 0.0 && stage_end.conditions.is_empty() {
            end.report_at("hold", "there is nothing that could hold", "it goes with a condition besides `time`");
        }
        if stage_end.conditions.is_empty() && stage_end.time.is_none() {
            end.report_here("nothing ends this stage", "for example time = \"1 s\", or kinetic_energy = \"1 uJ\"");
        }
        stage_end
    }

    /// Reports that the stage might never end.
    pub fn report_endless(&self) {
        if let Some(end) = &self.end {
            end.report_here(
                format!("the stage {:?} might never end", self.name),
                "add `time`, the longest it may take, or `time.end` for the whole run",
            );
        }
    }
}

/// Whether a surface belongs to a wall of the scene: it is that wall, or a face of that box.
fn belongs_to(surface: &str, wall: &str) -> bool {
    surface.strip_prefix(wall).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn bound_of(reader: &Reader, value: impl Fn(&'static str) -> Option<f64>) -> Option<Bound> {
    let (above, below) = (reader.has("above"), reader.has("below"));
    match (above, below) {
        (true, false) => value("above").map(Bound::Above),
        (false, true) => value("below").map(Bound::Below),
        // Reported with the alternatives of the table.
        _ => None,
    }
}

fn one_of<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    match nearest(name, known.clone()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("there are: {}", known.collect::<Vec<_>>().join(", ")),
    }
}

fn probe_column(reader: &Reader, name: &str, column: &str, model: &Model, probes: &[super::ProbePlan]) -> Option<Held> {
    let Some(number) = probes.iter().position(|planned| planned.probe.name == name) else {
        let known = probes.iter().map(|planned| planned.probe.name.as_str());
        let expected =
            if probes.is_empty() { "there are none: add [[output.probes]]".into() } else { one_of(name, known) };
        reader.report_at("name", format!("there is no probe {name:?}"), expected);
        return None;
    };
    if matches!(
        probes[number].probe.quantity,
        ProbeQuantity::Profile { .. } | ProbeQuantity::Alignment { .. } | ProbeQuantity::Track
    ) {
        reader.report_at(
            "name",
            format!("{name:?} has several rows at a time"),
            "wants a probe with one row at a time",
        );
        return None;
    }
    let columns = probes[number].probe.columns(model);
    let place = columns.iter().position(|known| known == column);
    if place.is_none() {
        let known = columns.iter().map(String::as_str);
        reader.report_at("column", format!("its table has no column {column:?}"), one_of(column, known));
    }
    Some(Held::Probe { probe: number, column: place?, name: format!("{name}, {column}") })
}
