//! Reads the solver and what hard solvers are told, and holds the rest of a scene against what its solver can do.

use super::reader::Reader;
use tumble_engine::hard::refused;
use tumble_engine::model::{
    CollapseRule, EventQueue, EventTimes, HardSettings, Model, NeighbourSearch, RestitutionModel, Solver,
};

/// Keys of `hard` that one solver alone asks for.
const OF_EVENTS: [&str; 4] = ["collapse", "event_times", "queue", "neighbours"];
const OF_STEPS: [&str; 2] = ["sweeps", "overlap"];

pub(crate) fn read_solver(scene: &Reader) -> (Solver, HardSettings) {
    let solver = scene.word("solver").map_or(Solver::default(), |word| Solver::ALL[word]);
    let mut hard = HardSettings::default();
    let Some(reader) = scene.table("hard") else { return (solver, hard) };
    if !solver.is_hard() {
        refuse(scene, "hard", "found", solver, "give `solver = \"hard-events\"` or \"hard-stepped\", or leave it out");
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
        let speed = |table: &Reader| table.quantity("speed").unwrap_or(1.0);
        if let Some(table) = rule.table("contact_time") {
            hard.collapse = CollapseRule::ContactTime { duration: table.quantity("duration") };
        }
        if let Some(table) = rule.table("cut_off") {
            hard.collapse = CollapseRule::CutOff { speed: speed(&table) };
        }
        if let Some(table) = rule.table("sleep") {
            hard.collapse = CollapseRule::Sleep { speed: speed(&table) };
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
    let (foreign, whose): (&[&'static str], _) = match solver {
        Solver::Soft => (&[], solver),
        Solver::HardStepped => (&OF_EVENTS, Solver::HardEvents),
        Solver::HardEvents => (&OF_STEPS, Solver::HardStepped),
    };
    for key in foreign {
        if reader.has(key) {
            refuse(&reader, key, "found", solver, &format!("it goes with `solver = \"{}\"`", whose.name()));
        }
    }
    (solver, hard)
}

/// Refuses what the solver of a scene cannot honour.
pub(crate) fn check_solver(scene: &Reader, model: &Model) {
    let solver = model.solver;
    let hard = solver.is_hard();
    if hard && scene.has("law") {
        refuse(
            scene,
            "law",
            "found",
            solver,
            "a law of springs goes with `solver = \"soft\"`; collisions go by the materials",
        );
    }
    for list in ["materials", "interactions"] {
        for (_, table) in scene.tables(list) {
            if !hard && table.has("tangential_restitution") {
                refuse(
                    &table,
                    "tangential_restitution",
                    "found",
                    solver,
                    "it goes with the hard solvers; springs have their own",
                );
            }
            if hard && table.quantity("rolling_friction").is_some_and(|friction| friction > 0.0) {
                refuse(
                    &table,
                    "rolling_friction",
                    "found",
                    solver,
                    "it acts at contacts that last: leave it out, or take \"soft\"",
                );
            }
        }
    }
    if let Some(output) = scene.table("output") {
        let of_contacts = ["coordination", "stress", "fabric", "contact_kinds"];
        for (_, probe) in output.tables("probes") {
            for key in of_contacts.into_iter().filter(|key| hard && probe.has(key)) {
                refuse(
                    &probe,
                    key,
                    "found",
                    solver,
                    "nothing touches for longer than a moment: take the probe `collisions`",
                );
            }
            if !hard && probe.has("collisions") {
                refuse(
                    &probe,
                    "collisions",
                    "found",
                    solver,
                    "contacts take time there: take `stress` or `coordination`",
                );
            }
        }
    }
    if !scene.context.has_errors()
        && let Some(reason) = refused(model)
    {
        scene.report_at("solver", reason, "another solver may, or leave it out");
    }
}

fn refuse(reader: &Reader, key: &'static str, found: &str, solver: Solver, expected: &str) {
    let message = format!("{found} with `solver = \"{}\"`, which cannot honour it", solver.name());
    reader.report_at(key, message, expected);
}
