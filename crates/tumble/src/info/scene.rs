//! What a scene holds, in words.

use crate::check::chosen_time_step;
use crate::figures::{bytes, columns, counted, list, number};
use crate::report::law_in_words;
use glam::DVec3;
use tumble_engine::boundary::course::Course;
use tumble_engine::boundary::insertion::{Amount, Insertion, Plan, SizeDistribution, due};
use tumble_engine::boundary::wall::Motion;
use tumble_engine::law::{LawKind, LawTable};
use tumble_engine::model::{Edge, SpeciesIndex};
use tumble_engine::state::InserterState;
use tumble_engine::{Model, State};
use tumble_geometry::{Clump, Shape};
use tumble_io::scene::Scene;
use tumble_run::Stop;

/// Memory a grain may take with its share of contacts and lists [bytes]: what the engine is held to.
const BYTES_A_GRAIN: f64 = 1024.0;

const AXES: [&str; 3] = ["x", "y", "z"];

/// How many grains a model will have, as far as that is known before they are placed.
struct Planned {
    n_grains: f64,
    is_exact: bool,
}

fn planned(model: &Model, end: f64) -> Planned {
    let mut planned = Planned { n_grains: 0.0, is_exact: true };
    for insertion in &model.insertions {
        match &insertion.plan {
            Plan::List { grains, .. } => planned.n_grains += grains.len() as f64,
            Plan::Lattice { count: Some(count), .. }
            | Plan::Fill { amount: Amount::Count(count), .. }
            | Plan::Stream { count: Some(count), .. } => planned.n_grains += *count as f64,
            Plan::Stream { count: None, .. } => {
                planned.n_grains += due(insertion, &InserterState::default(), end) as f64
            }
            Plan::Fill { amount: Amount::Fraction(fraction), region } => {
                planned.n_grains += fraction * region.volume() / mean_volume(model, insertion);
                planned.is_exact = false;
            }
            Plan::Lattice { count: None, region, spacing, .. } => {
                let spacing = spacing.unwrap_or(2.0 * insertion.size.largest());
                planned.n_grains += region.volume() / spacing.powi(3);
                planned.is_exact = false;
            }
        }
    }
    planned
}

/// Mean volume of a grain of an insertion [m^3].
fn mean_volume(model: &Model, insertion: &Insertion) -> f64 {
    let total: f64 = insertion.species.iter().map(|(_, share)| share).sum();
    let of_unit_radius = |index: SpeciesIndex| {
        let species = &model.species[index as usize];
        species.volume / species.shape.bounding_radius().powi(3)
    };
    if let SizeDistribution::OfSpecies { sizes, .. } = &insertion.size {
        let volumes = insertion.species.iter().zip(sizes);
        let volume = |(index, share): (SpeciesIndex, f64), sizes: &SizeDistribution| {
            share / total * of_unit_radius(index) * sizes.mean_volume_factor()
        };
        return volumes.map(|(&species, sizes)| volume(species, sizes)).sum();
    }
    let mean: f64 = insertion.species.iter().map(|&(index, share)| share / total * of_unit_radius(index)).sum();
    mean * insertion.size.mean_volume_factor()
}

/// How many grains a model will have by the end of a run that lasts so long [s], in words.
pub fn planned_grains(model: &Model, end: f64) -> String {
    let planned = planned(model, end);
    let n = counted(planned.n_grains.round() as u64, "grain");
    if planned.is_exact { n } else { format!("about {n}") }
}

/// A scene in words.
pub fn in_words(scene: &Scene) -> String {
    let model = &scene.model;
    let choice = chosen_time_step(model);
    let stop = Stop::new(&scene.stop, None);
    let steps = stop.steps_left(&State { time_step: choice.time_step, ..State::default() });
    let memory = planned(model, scene.stop.time).n_grains * BYTES_A_GRAIN;
    let mut end = format!("{} s, {}", number(stop.time), counted(steps, "step"));
    if let Some(energy) = stop.kinetic_energy {
        end += &format!(
            "\nor when the kinetic energy is below {} J, from t = {} s on",
            number(energy),
            number(stop.after)
        );
    }
    let entries = [
        ("grains", format!("{}, up to {} of memory", planned_grains(model, scene.stop.time), bytes(memory))),
        ("time step", format!("{:.3e} s: {}", choice.time_step, choice.reason)),
        ("end", end),
        ("gravity", format!("{} m/s2{}", vector(model.gravity), if model.planar { ", in the x-y plane" } else { "" })),
        ("domain", domain(model)),
        law_in_words(model),
        ("seed", model.seed.to_string()),
    ];
    let title = if scene.title.is_empty() { "a scene without a title" } else { &scene.title };
    let mut text = format!("{title}\n{}", list(&entries));
    for (name, table) in [
        ("materials", materials(model)),
        ("interactions", interactions(model)),
        ("kinds of grain", species(model)),
        ("walls", walls(model)),
        ("insertions", insertions(model)),
        ("stages", stages(scene)),
        ("outputs", outputs(scene)),
    ] {
        if !table.is_empty() {
            text += &format!("\n{name}\n{}", indented(&table));
        }
    }
    text
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn vector(v: DVec3) -> String {
    format!("({}, {}, {})", number(v.x), number(v.y), number(v.z))
}

fn domain(model: &Model) -> String {
    let axis = |k: usize| {
        let edge = match model.domain.edges[k] {
            Edge::Open => return format!("{}: open", AXES[k]),
            Edge::Remove => "grains leave",
            Edge::Periodic => "periodic",
        };
        format!("{}: {} to {} m, {edge}", AXES[k], number(model.domain.lower[k]), number(model.domain.upper[k]))
    };
    [axis(0), axis(1), axis(2)].join("; ")
}

/// A table; empty if it has no row but its header.
fn table<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let all: Vec<[String; N]> = std::iter::once(header.map(String::from)).chain(rows).collect();
    if all.len() > 1 { columns(&all) } else { String::new() }
}

fn stages(scene: &Scene) -> String {
    let rows = scene.stages.iter().map(|stage| [stage.name.clone(), stage.end.in_words()]);
    table(["name", "ends"], rows)
}

fn materials(model: &Model) -> String {
    let rows = model.materials.iter().map(|material| {
        [
            material.name.clone(),
            format!("{} kg/m3", number(material.density)),
            format!("{} Pa", number(material.young_modulus)),
            number(material.poisson_ratio),
        ]
    });
    table(["name", "density", "Young's modulus", "Poisson's ratio"], rows)
}

fn interactions(model: &Model) -> String {
    let coefficients = LawTable::new(model);
    // Hertz's stiffness grows with the root of overlap times radius, so its factor has another unit.
    let unit = match model.law.kind {
        LawKind::Linear { .. } | LawKind::Volume { .. } | LawKind::Pressure { .. } => "N/m",
        LawKind::HertzMindlin { .. } => "N/m2",
    };
    let n = model.materials.len() as u16;
    let pairs = (0..n).flat_map(|a| (a..n).map(move |b| (a, b)));
    let rows = pairs.map(|(a, b)| {
        let asked = model.interaction(a, b);
        let derived = coefficients.get(a, b);
        [
            format!("{} - {}", model.materials[a as usize].name, model.materials[b as usize].name),
            number(asked.restitution),
            number(asked.friction),
            number(asked.rolling_friction),
            format!("{} {unit}", number(derived.normal_stiffness)),
            format!("{} {unit}", number(derived.tangential_stiffness)),
            number(derived.damping_ratio),
        ]
    });
    let header =
        ["between", "restitution", "friction", "rolling", "normal stiffness", "tangential stiffness", "damping ratio"];
    table(header, rows)
}

fn species(model: &Model) -> String {
    let rows = model.species.iter().enumerate().map(|(index, species)| {
        let material = &model.materials[species.material as usize].name;
        let comes_in = |insertion: &&Insertion| insertion.species.iter().any(|&(s, _)| usize::from(s) == index);
        let mut sizes =
            model.insertions.iter().filter(comes_in).map(|insertion| insertion.sizes_of(index as SpeciesIndex));
        let is_spread = |size: &&SizeDistribution| !matches!(size, SizeDistribution::Fixed(_));
        let shape = match sizes.find(is_spread) {
            // At scale 1 such a shape reaches a metre; its mean size tells more.
            Some(size) => {
                let mean = species.shape.scaled(size.mean() / species.shape.bounding_radius());
                format!("{} on average", shape_in_words(&mean))
            }
            None => shape_in_words(&species.shape),
        };
        [species.name.clone(), shape, material.clone()]
    });
    table(["name", "shape", "material"], rows)
}

/// A shape with its lengths.
fn shape_in_words(shape: &Shape) -> String {
    let m = |length: f64| format!("{} m", number(length));
    match shape {
        Shape::Sphere(s) => format!("sphere, diameter {}", m(2.0 * s.radius)),
        Shape::Cylinder(c) => format!("cylinder, diameter {}, height {}", m(2.0 * c.radius), m(2.0 * c.half_height)),
        Shape::Capsule(c) => {
            format!("capsule, diameter {}, length {}", m(2.0 * c.radius), m(2.0 * (c.half_height + c.radius)))
        }
        Shape::TruncatedCone(c) => {
            format!("cone, radii {} and {}, height {}", m(c.lower_radius), m(c.upper_radius), m(c.height))
        }
        Shape::Tablet(t) => format!(
            "tablet, diameter {}, height {}, domes {}",
            m(2.0 * t.radius),
            m(2.0 * t.half_thickness()),
            m(t.dome_height)
        ),
        Shape::Superquadric(s) => {
            format!("superquadric, half axes {} m, n1 {}, n2 {}", vector(s.semi_axes), number(s.n1), number(s.n2))
        }
        Shape::Polyhedron(p) => {
            let (faces, vertices) = (p.faces().len() as u64, p.vertices().len() as u64);
            format!("polyhedron, {}, {vertices} vertices, reach {}", counted(faces, "face"), m(p.bounding_radius()))
        }
        Shape::Disc(d) => format!("disc, diameter {}, thickness {}", m(2.0 * d.radius), m(2.0 * d.half_thickness)),
        Shape::Polygon(p) => format!(
            "polygon, {}, reach {}, thickness {}",
            counted(p.corners().len() as u64, "corner"),
            m(shape.bounding_radius()),
            m(2.0 * p.half_thickness())
        ),
        Shape::Clump(c) => format!("clump of {}, reach {}", parts_in_words(c), m(shape.bounding_radius())),
    }
}

/// How many parts of each shape.
fn parts_in_words(clump: &Clump) -> String {
    let mut names: Vec<&str> = clump.parts().iter().map(|part| part.shape.name()).collect();
    let all = names.clone();
    names.sort_unstable();
    names.dedup();
    let many = |name: &&str| counted(all.iter().filter(|other| *other == name).count() as u64, name);
    names.iter().map(many).collect::<Vec<_>>().join(", ")
}

fn walls(model: &Model) -> String {
    let rows = model.walls.iter().enumerate().map(|(index, wall)| {
        let mut motion = motion_in_words(&wall.motion);
        if let Some(lead) = wall.group.filter(|_| !wall.leads(index)) {
            motion = format!("with {}", model.walls[lead].name);
        }
        if wall.conveyor.is_some() {
            motion += ", its surface moves along itself";
        }
        let material = &model.materials[wall.material as usize].name;
        [wall.name.clone(), wall.surface.name().to_owned(), material.clone(), motion]
    });
    table(["name", "surface", "material", "motion"], rows)
}

fn motion_in_words(motion: &Motion) -> String {
    let to_and_fro = |course: &Course| match course {
        Course::Ramp { from, to, .. } => format!("from {} to {}", number(*from), number(*to)),
        Course::Swing { amplitude, frequency, .. } => {
            format!("by {} at {} Hz", number(*amplitude), number(*frequency))
        }
        Course::Table { .. } => "as a table says".to_owned(),
    };
    match motion {
        Motion::Fixed => "fixed".to_owned(),
        Motion::Translate { velocity, .. } => format!("moves at {} m/s", vector(*velocity)),
        Motion::Rotate { speed, .. } => format!("turns at {} rad/s", number(*speed)),
        Motion::Vibrate { amplitude, frequency, .. } => {
            format!("vibrates by {} m at {} Hz", number(amplitude.length()), number(*frequency))
        }
        Motion::Slide { course, .. } => format!("moves {}", to_and_fro(course)),
        Motion::Turn { course, .. } => format!("turns {}", to_and_fro(course)),
        Motion::Servo { force, .. } => format!("presses with {} N", number(*force)),
        Motion::Free { mass, .. } => format!("is pushed, with {} kg", number(*mass)),
        Motion::Sum(parts) => parts.iter().map(motion_in_words).collect::<Vec<_>>().join(", "),
    }
}

fn insertions(model: &Model) -> String {
    let rows = model.insertions.iter().map(|insertion| {
        let plan = match &insertion.plan {
            Plan::List { grains, .. } => format!("a list of {}", counted(grains.len() as u64, "grain")),
            Plan::Lattice { count: Some(n), .. } => format!("a lattice of {}", counted(*n, "grain")),
            Plan::Lattice { count: None, .. } => "a lattice, as many grains as fit".to_owned(),
            Plan::Fill { amount: Amount::Count(n), .. } => format!("{} at random", counted(*n, "grain")),
            Plan::Fill { amount: Amount::Fraction(fraction), .. } => {
                format!("{} % of the region at random", number(100.0 * fraction))
            }
            Plan::Stream { rate, start, count, .. } => format!(
                "a stream{}, {} a second from t = {} s on",
                count.map_or(String::new(), |n| format!(" of {}", counted(n, "grain"))),
                number(*rate),
                number(*start)
            ),
        };
        let comes_in = |s: usize| match &insertion.plan {
            Plan::List { grains, .. } => grains.iter().any(|grain| grain.species as usize == s),
            _ => insertion.species.iter().any(|&(species, _)| species as usize == s),
        };
        let kinds: Vec<&str> =
            (0..model.species.len()).filter(|&s| comes_in(s)).map(|s| model.species[s].name.as_str()).collect();
        [insertion.name.clone(), plan, kinds.join(", ")]
    });
    table(["name", "what", "kinds"], rows)
}

fn outputs(scene: &Scene) -> String {
    let plan = &scene.output;
    let every = |interval: Option<f64>| interval.map_or("none".to_owned(), |s| format!("every {} s", number(s)));
    let with_surfaces = if plan.surfaces { ", with surfaces" } else { "" };
    let mut entries = vec![
        ["time series".to_owned(), every(Some(plan.series_interval))],
        ["frames".to_owned(), every(plan.frame_interval.filter(|_| plan.vtk)) + with_surfaces],
        ["trajectory".to_owned(), every(plan.trajectory_interval)],
        ["checkpoints".to_owned(), plan.checkpoint_interval.map_or("at the end".to_owned(), |i| every(Some(i)))],
    ];
    for planned in &plan.probes {
        entries.push([format!("probe {}", planned.probe.name), every(Some(planned.interval))]);
    }
    if !scene.input_files.is_empty() {
        let names: Vec<&str> = scene.input_files.iter().map(|file| file.as_written.as_str()).collect();
        entries.push(["files read".to_owned(), names.join(", ")]);
    }
    columns(&entries)
}
