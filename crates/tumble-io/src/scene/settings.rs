//! Reads time, stop, output, engine and limits.

use super::names::Names;
use super::planar::Plane;
use super::reader::Reader;
use super::regions::read_region;
use super::{OutputPlan, ProbePlan, StopPlan};
use glam::DVec3;
use tumble_engine::broad::BroadPhase;
use tumble_engine::crossings::{CountingPlane, Extent};
use tumble_engine::model::{Limits, TimeStep};
use tumble_engine::observe::{Probe, ProbeQuantity};
use tumble_engine::region::Region;

/// What is measured is measured in a volume, in the planar mode too.
const SOLID: Plane = Plane { is_on: false };

/// Time step and end of the run, which lasts so long at most where nothing is said of that [s].
pub(crate) fn read_time(scene: &Reader, longest: Option<f64>) -> (TimeStep, f64) {
    let automatic = TimeStep::Automatic { safety: 1.0, speed: None };
    let Some(reader) = scene.table("time") else {
        if longest.is_none() && !scene.has("time") {
            scene.report_missing("time");
        }
        return (automatic, longest.unwrap_or(1.0));
    };
    if longest.is_none() && !reader.has("end") {
        reader.report_missing("end");
    }
    let end = reader.quantity("end").or(longest).unwrap_or(1.0);
    let (safety, speed) = (reader.quantity("safety"), reader.quantity("speed"));
    let step = match reader.word_or_quantity("step") {
        Some(Err(step)) => {
            for (key, given) in [("safety", safety.is_some()), ("speed", speed.is_some())] {
                if given {
                    let message = "the step is given, so this has no effect";
                    let expected = "it goes with an automatic step";
                    scene.context.warning(&reader.key_path(key), reader.place(key), message, expected);
                }
            }
            if step > end {
                reader.report_at("step", format!("a step of {step} s is longer than the run"), "must be below `end`");
            }
            TimeStep::Fixed(step)
        }
        Some(Ok(_)) | None => TimeStep::Automatic { safety: safety.unwrap_or(1.0), speed },
    };
    (step, end)
}

pub(crate) fn read_stop(scene: &Reader, end: f64) -> StopPlan {
    let mut plan = StopPlan { time: end, kinetic_energy: None, after: 0.0 };
    if let Some(reader) = scene.table("stop") {
        plan.kinetic_energy = reader.quantity("kinetic_energy");
        plan.after = reader.quantity("after").unwrap_or(0.0);
    }
    plan
}

/// What is written, and the planes through which grains are counted for it.
pub(crate) fn read_output(scene: &Reader, end: f64, groups: &Names) -> (OutputPlan, Vec<CountingPlane>) {
    let mut planes = Vec::new();
    let mut plan = OutputPlan {
        series_interval: end / 100.0,
        frame_interval: Some(end / 50.0),
        trajectory_interval: Some(end / 100.0),
        trajectory_contacts: true,
        checkpoint_interval: Some(end / 10.0),
        vtk: true,
        contacts: true,
        surfaces: false,
        report: true,
        probes: Vec::new(),
    };
    let Some(reader) = scene.table("output") else { return (plan, planes) };
    plan.series_interval = reader.quantity("interval").unwrap_or(plan.series_interval);
    let interval = |key, default| match reader.word_or_quantity(key) {
        Some(Ok(_)) => None,
        Some(Err(interval)) => Some(interval),
        None => default,
    };
    plan.frame_interval = interval("frames", plan.frame_interval);
    plan.trajectory_interval = interval("trajectory", plan.trajectory_interval);
    plan.trajectory_contacts = reader.flag("trajectory_contacts").unwrap_or(true);
    plan.checkpoint_interval = interval("checkpoint", plan.checkpoint_interval);
    plan.vtk = reader.flag("vtk").unwrap_or(true);
    plan.contacts = reader.flag("contacts").unwrap_or(true);
    plan.surfaces = reader.flag("surfaces").unwrap_or(false);
    plan.report = reader.flag("report").unwrap_or(true);
    let mut names = Names::new("probe");
    for (number, (_, probe)) in reader.tables("probes").into_iter().enumerate() {
        let interval = probe.quantity("interval").unwrap_or(plan.series_interval);
        let quantity = read_quantity(&probe, &mut planes);
        let group = probe
            .text("group")
            .and_then(|name| groups.resolve(scene.context, name, probe.place("group")?, &probe.key_path("group")));
        let given = probe.text("name");
        let kind = quantity.map_or("probe", |(kind, _)| kind);
        let name = given.map_or_else(|| format!("{kind}{}", number + 1), String::from);
        names.add_new(scene.context, &name, &probe.key_path("name"), probe.place("name").unwrap_or(probe.at));
        check_file_name(&probe, &name);
        if let Some((_, quantity)) = quantity {
            if let ProbeQuantity::Flow { plane } = quantity {
                planes[plane].name.clone_from(&name);
            }
            plan.probes.push(ProbePlan { probe: Probe { name, quantity, group }, interval });
        }
    }
    (plan, planes)
}

/// A probe's table is a file called after it.
fn check_file_name(probe: &Reader, name: &str) {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        let expected = "it becomes a file name: letters, digits, _, - and spaces";
        probe.report_at("name", format!("found {name:?}"), expected);
    }
}

/// The word for what a probe measures, and what that is. Planes that it counts at are added to those there are.
fn read_quantity(probe: &Reader, planes: &mut Vec<CountingPlane>) -> Option<(&'static str, ProbeQuantity)> {
    if probe.table("coordination").is_some() {
        return Some(("coordination", ProbeQuantity::Coordination));
    }
    if let Some(t) = probe.table("packing_fraction") {
        return Some(("packing_fraction", ProbeQuantity::PackingFraction { region: read_region(&t, SOLID)? }));
    }
    if let Some(t) = probe.table("stress") {
        return Some(("stress", ProbeQuantity::Stress { region: read_region(&t, SOLID)? }));
    }
    if let Some(t) = probe.table("fabric") {
        return Some(("fabric", ProbeQuantity::Fabric { region: read_region(&t, SOLID) }));
    }
    if let Some(t) = probe.table("profile") {
        let (region, axis, bins) = read_slices(&t)?;
        return Some(("profile", ProbeQuantity::Profile { region, axis, bins }));
    }
    if let Some(t) = probe.table("alignment") {
        let (region, axis, bins) = read_slices(&t)?;
        return Some(("alignment", ProbeQuantity::Alignment { region, axis, bins }));
    }
    if probe.table("contact_kinds").is_some() {
        return Some(("contact_kinds", ProbeQuantity::ContactKinds));
    }
    if probe.table("collisions").is_some() {
        return Some(("collisions", ProbeQuantity::Collisions));
    }
    if let Some(t) = probe.table("flow") {
        planes.push(read_plane(&t)?);
        return Some(("flow", ProbeQuantity::Flow { plane: planes.len() - 1 }));
    }
    if probe.table("track").is_some() {
        return Some(("track", ProbeQuantity::Track));
    }
    if probe.table("motion").is_some() {
        return Some(("motion", ProbeQuantity::Motion));
    }
    if probe.table("removed").is_some() {
        return Some(("removed", ProbeQuantity::Removed));
    }
    probe.table("wall_loads").map(|_| ("wall_loads", ProbeQuantity::WallLoads))
}

/// A plane or a part of one through which grains are counted.
fn read_plane(table: &Reader) -> Option<CountingPlane> {
    let (point, normal) = (table.vector("point"), table.direction("normal"));
    let (radius, sides, along) = (table.quantity("radius"), table.quantities("size"), table.direction("along"));
    let (point, normal) = (point?, normal?);
    if along.is_some() && !table.has("size") {
        table.report_at("along", "only a rectangle has sides", "it goes with `size`");
    }
    let extent = match (radius, sides) {
        (Some(radius), _) => Extent::Disc { radius },
        (None, Some(sides)) => {
            let [a, b] = sides[..] else {
                table.report_at(
                    "size",
                    format!("found {} lengths", sides.len()),
                    "wants two, such as [\"4 cm\", \"2 cm\"]",
                );
                return None;
            };
            let first = if normal.cross(DVec3::X).length() > 0.1 { DVec3::X } else { DVec3::Y };
            let wanted = along.unwrap_or(first);
            let across = wanted.dot(normal);
            if along.is_some() && across.abs() > 1e-6 {
                table.report_at(
                    "along",
                    "the side does not lie in the plane",
                    "it must be at right angles to `normal`",
                );
            }
            let along = (wanted - normal * across).normalize();
            Extent::Rectangle { along, half_sides: [0.5 * a, 0.5 * b] }
        }
        (None, None) if table.has("size") || table.has("radius") => return None,
        (None, None) => Extent::Whole,
    };
    Some(CountingPlane { name: String::new(), point, normal, extent })
}

/// A box, the axis along which it is sliced and the number of slices.
fn read_slices(table: &Reader) -> Option<(Region, usize, usize)> {
    let (region, axis) = (read_region(table, SOLID), table.word("axis").unwrap_or(2));
    let bins = table.count("bins").unwrap_or(20) as usize;
    let region = region?;
    if !matches!(region, Region::Box { .. }) {
        table.report_at("region", "only a box can be sliced", "wants { box = { from = ..., to = ... } }");
    }
    Some((region, axis, bins))
}

/// Broad phase, skin and drag.
pub(crate) fn read_engine(scene: &Reader) -> Engine {
    let mut engine = Engine { broad_phase: BroadPhase::Auto, skin: None, drag: 0.0, turn_spheres: false };
    let Some(reader) = scene.table("engine") else { return engine };
    let phases = [
        BroadPhase::Auto,
        BroadPhase::AllPairs,
        BroadPhase::Cells,
        BroadPhase::MultilevelCells,
        BroadPhase::SweepAndPrune,
    ];
    if let Some(word) = reader.word("broad_phase") {
        engine.broad_phase = phases[word];
    }
    engine.skin = reader.quantity("skin");
    engine.drag = reader.quantity("drag").unwrap_or(0.0);
    engine.turn_spheres = reader.flag("turn_spheres").unwrap_or(false);
    engine
}

/// How the run is computed.
pub(crate) struct Engine {
    pub broad_phase: BroadPhase,
    pub skin: Option<f64>,
    pub drag: f64,
    pub turn_spheres: bool,
}

pub(crate) fn read_limits(scene: &Reader) -> Limits {
    let mut limits = Limits::default();
    if let Some(reader) = scene.table("limits") {
        limits.overlap = reader.quantity("overlap").unwrap_or(limits.overlap);
        limits.travel = reader.quantity("travel").unwrap_or(limits.travel);
        limits.energy = reader.quantity("energy").unwrap_or(limits.energy);
    }
    limits
}
