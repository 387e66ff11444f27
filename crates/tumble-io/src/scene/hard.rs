//! Reads the solver and what hard solvers are told, and holds the rest of a scene against what its solver can do.

use super::reader::Reader;
use tumble_engine::hard::refused;
use tumble_engine::model::{
    CollapseRule, EventQueue, EventTimes, HardSettings, Model, NeighbourSearch, RestitutionModel, Solver,
};

/// Keys of `hard` that one solver alone asks for.
const OF_EVENTS: [&str; 4] = ["collapse", "event_times", "queue", "neighbours"];
const OF_STEPS: [&str; 2] = ["sweeps", "overlap"];
/// Probes that ask for contacts.
const OF_CONTACTS: [&str; 4] = ["coordination", "stress", "fabric", "contact_kinds"];

pub(crate) fn read_solver(scene: &Reader) -> (Solver, HardSettings) {
    let solver = scene.word("solver").map_or(Solver::default(), |word| Solver::ALL[word]);
    let mut hard = HardSettings::default();
    let Some(reader) = scene.table("hard") else { return (solver, hard) };
    if !solver.is_hard() {
        refuse(scene, "hard", solver, "give `solver = \"hard-events\"` or \"hard-stepped\", or leave it out");
    }
    if let Some(dependence) = reader.table("restitution") {
        if let Some(law) = dependence.table("power_law") {
            let speed = law.quantity("speed").unwrap_or(1.0);
            hard.restitution = RestitutionModel::PowerLaw { speed, exponent: law.quantity("exponent").unwrap_or(0.75) };
        }
        if let Some(law) = dependence.table("viscoelastic") {
            hard.restitution = RestitutionModel::Viscoelastic { speed: law.quantity("speed").unwrap_or(1.0) };
        }
    }
    if reader.is_text("collapse") {
        if reader.word_not_table("collapse").is_some() {
            hard.collapse = CollapseRule::Nothing;
        }
    } else if let Some(rule) = reader.table("collapse") {
        if let Some(table) = rule.table("contact_time") {
            hard.collapse = CollapseRule::ContactTime { duration: table.quantity("duration") };
        }
        if let Some(table) = rule.table("cut_off") {
            hard.collapse = CollapseRule::CutOff { speed: table.quantity("speed").unwrap_or(1.0) };
        }
        if let Some(table) = rule.table("sleep") {
            hard.collapse = CollapseRule::Sleep { speed: table.quantity("speed").unwrap_or(1.0) };
        }
    }
    if let Some(word) = reader.word("event_times") {
        hard.event_times = [EventTimes::Cascade, EventTimes::Bairstow][word];
    }
    if let Some(word) = reader.word("queue") {
        hard.queue = [EventQueue::Bounded, EventQueue::SortedList][word];
    }
    if let Some(word) = reader.word("neighbours") {
        let all = [NeighbourSearch::Auto, NeighbourSearch::AllPairs, NeighbourSearch::Cells, NeighbourSearch::Lists];
        hard.neighbours = all[word];
    }
    hard.sweeps = reader.count("sweeps").map_or(hard.sweeps, |sweeps| sweeps as u32);
    hard.overlap = reader.quantity("overlap").unwrap_or(hard.overlap);
    hard.average_after = reader.quantity("average_after").unwrap_or(hard.average_after);
    hard.log = reader.flag("log").unwrap_or(hard.log);
    (solver, hard)
}

/// Refuses what the solver of a scene without other faults cannot honour.
pub(crate) fn check_solver(scene: &Reader, model: &Model) {
    // Tables are opened once more, and what is wrong with them would be told twice.
    if scene.context.has_errors() {
        return;
    }
    let solver = model.solver;
    if let Some(reader) = scene.table("hard") {
        if !solver.is_hard() {
            let expected = "give `solver = \"hard-events\"` or \"hard-stepped\", or leave it out";
            refuse(scene, "hard", solver, expected);
        }
        let (foreign, whose): (&[&'static str], _) = match solver {
            Solver::Soft => (&[], solver),
            Solver::HardStepped => (&OF_EVENTS, Solver::HardEvents),
            Solver::HardEvents => (&OF_STEPS, Solver::HardStepped),
        };
        for key in foreign {
            if reader.has(key) {
                refuse(&reader, key, solver, &format!("it goes with `solver = \"{}\"`", whose.name()));
            }
        }
    }
    let hard = solver.is_hard();
    if hard && model.gravity_ramp > 0.0 {
        refuse(scene, "gravity_ramp", solver, "gravity goes over in steps of the soft solver only");
    }
    if hard && scene.has("law") {
        refuse(scene, "law", solver, "a law of springs goes with `solver = \"soft\"`; collisions go by the materials");
    }
    for list in ["materials", "interactions"] {
        for (_, table) in scene.tables(list) {
            if !hard && table.has("tangential_restitution") {
                refuse(
                    &table,
                    "tangential_restitution",
                    solver,
                    "it goes with the hard solvers; springs have their own",
                );
            }
            if hard && table.quantity("rolling_friction").is_some_and(|friction| friction > 0.0) {
                refuse(
                    &table,
                    "rolling_friction",
                    solver,
                    "it acts at contacts that last: leave it out, or take \"soft\"",
                );
            }
        }
    }
    if let Some(limits) = scene.table("limits").filter(|_| solver == Solver::HardEvents) {
        for key in ["overlap", "travel"].into_iter().filter(|key| limits.has(key)) {
            refuse(&limits, key, solver, "nothing overlaps there, and steps are as long as one likes: leave it out");
        }
    }
    if let Some(output) = scene.table("output") {
        for (_, probe) in output.tables("probes") {
            for key in OF_CONTACTS.into_iter().filter(|key| hard && probe.has(key)) {
                refuse(&probe, key, solver, "nothing touches for longer than a moment: take the probe `collisions`");
            }
            if !hard && probe.has("collisions") {
                refuse(&probe, "collisions", solver, "contacts take time there: take `stress` or `coordination`");
            }
        }
    }
    if !scene.context.has_errors()
        && let Some(reason) = refused(model)
    {
        scene.report_at("solver", reason, "another solver may, or leave it out");
    }
}

fn refuse(reader: &Reader, key: &'static str, solver: Solver, expected: &str) {
    let message = format!("found with `solver = \"{}\"`, which cannot honour it", solver.name());
    reader.report_at(key, message, expected);
}

/// The text of a scene for another solver: what only other solvers know (the law of springs, what hard solvers are told, probes of contacts) is
/// left out. Returns the text and the keys that were left out. A text that is no TOML comes back as it is, for the reader to complain.
pub fn for_solver(text: &str, solver: Solver) -> (String, Vec<String>) {
    let Ok(mut document) = text.parse::<toml_edit::DocumentMut>() else { return (text.to_owned(), Vec::new()) };
    let mut left_out = Vec::new();
    document["solver"] = toml_edit::value(solver.name());
    let whole = if solver.is_hard() { "law" } else { "hard" };
    if document.remove(whole).is_some() {
        left_out.push(whole.to_owned());
    }
    let foreign: &[&str] = match solver {
        Solver::Soft => &[],
        Solver::HardStepped => &OF_EVENTS,
        Solver::HardEvents => &OF_STEPS,
    };
    if let Some(hard) = document.get_mut("hard").and_then(|item| item.as_table_like_mut()) {
        for key in foreign {
            if hard.remove(key).is_some() {
                left_out.push(format!("hard.{key}"));
            }
        }
    }
    if !solver.is_hard() {
        let mut drop_from = |name: &str, table: &mut dyn toml_edit::TableLike| {
            if table.remove("tangential_restitution").is_some() {
                left_out.push(format!("{name}.tangential_restitution"));
            }
        };
        if let Some(materials) = document.get_mut("materials").and_then(|item| item.as_table_like_mut()) {
            for (name, material) in materials.iter_mut() {
                if let Some(table) = material.as_table_like_mut() {
                    drop_from(&format!("materials.{name}"), table);
                }
            }
        }
        each_table(document.get_mut("interactions"), &mut |table| drop_from("interactions", table));
    }
    let measures: &[&str] = if solver.is_hard() { &OF_CONTACTS } else { &["collisions"] };
    if let Some(output) = document.get_mut("output").and_then(|item| item.as_table_like_mut()) {
        let mut drop_probe = |table: &dyn toml_edit::TableLike| {
            let foreign = measures.iter().find(|key| table.contains_key(key));
            if let Some(key) = foreign {
                left_out.push(format!("output.probes.{key}"));
            }
            foreign.is_none()
        };
        match output.get_mut("probes") {
            Some(toml_edit::Item::ArrayOfTables(tables)) => tables.retain(|table| drop_probe(table)),
            Some(toml_edit::Item::Value(toml_edit::Value::Array(list))) => {
                list.retain(|value| value.as_inline_table().is_none_or(|table| drop_probe(table)));
            }
            _ => {}
        }
    }
    (document.to_string(), left_out)
}

/// Each table of a list, written in either form.
fn each_table(list: Option<&mut toml_edit::Item>, look: &mut dyn FnMut(&mut dyn toml_edit::TableLike)) {
    match list {
        Some(toml_edit::Item::ArrayOfTables(tables)) => tables.iter_mut().for_each(|table| look(table)),
        Some(toml_edit::Item::Value(toml_edit::Value::Array(list))) => {
            list.iter_mut().filter_map(|value| value.as_inline_table_mut()).for_each(|table| look(table));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "
        solver = 'hard-events'
        hard = { queue = 'bounded', log = true }
        law = { linear = { stiffness = 1e5 } }
        materials.glass = { density = 2500, tangential_restitution = 0.4 }
        interactions = [{ between = ['glass', 'glass'], tangential_restitution = 0.3 }]
        output.probes = [{ collisions = {} }, { fabric = {} }, { wall_loads = {} }]
    ";

    #[test]
    fn what_another_solver_does_not_know_is_left_out_and_told() {
        let (text, left_out) = for_solver(SCENE, Solver::Soft);
        let expected = [
            "hard",
            "materials.glass.tangential_restitution",
            "interactions.tangential_restitution",
            "output.probes.collisions",
        ];
        assert_eq!(left_out, expected);
        assert!(text.contains("stiffness") && text.contains("fabric") && !text.contains("collisions"), "{text}");
        assert!(text.contains("solver = \"soft\""), "{text}");
        let (text, left_out) = for_solver(SCENE, Solver::HardStepped);
        assert_eq!(left_out, ["law", "hard.queue", "output.probes.fabric"]);
        assert!(text.contains("log") && text.contains("0.3") && text.contains("wall_loads"), "{text}");
        assert_eq!(for_solver("no = = TOML", Solver::Soft), ("no = = TOML".to_owned(), Vec::new()));
    }
}
