//! Reads how grains come into the run.
//!
//! The engine draws the sizes of one insertion from one distribution. A mixture of kinds with different sizes is
//! therefore handed over as several insertions, the largest grains first (they find room less easily): a count is
//! split exactly, a stream runs as several streams side by side.

use super::files::Files;
use super::materials::Materials;
use super::names::Names;
use super::particles::Kinds;
use super::planar::Plane;
use super::reader::Reader;
use super::regions::{check_inside, outside, read_region};
use super::runs::{FromRun, WallsOfRuns, read_run};
use crate::diagnostic::{Diagnostic, Location, Severity};
use crate::particle_file::{ParticleRow, read_particles};
use crate::units::Dimension;
use glam::{DQuat, DVec3};
use std::rc::Rc;
use tumble_engine::boundary::insertion::{Amount, GrainList, Insertion, Lattice, ListedGrain, Plan, SizeDistribution};
use tumble_engine::model::{Domain, SpeciesIndex};
use tumble_engine::region::Region;
use tumble_geometry::Pose;

/// Overlap that grains of a file may have unless the scene says otherwise, over the smallest half width [1]. They touch: numbers
/// in a file are rounded, and cubes 10 mm wide at 5, 15 and 25 mm overlap by 1e-18 m.
const TOUCHING: f64 = 1e-6;

/// Overlap that grains of another run may have with what they did not touch there unless the scene says otherwise, over the
/// smallest half width [1]: walls that stand where they did, and grains of the next copy, are met about as deep as before.
const PRESSED: f64 = 0.05;

/// What insertions are read against.
pub(crate) struct Surroundings<'a> {
    pub materials: &'a Materials,
    pub kinds: &'a Kinds,
    pub domain: &'a Domain,
    pub plane: Plane,
    /// Time at which the run ends [s].
    pub end: f64,
}

/// The sources of grains, and of those that are runs where walls were there.
pub(crate) fn read_insertions(
    scene: &Reader,
    around: &Surroundings,
    files: &mut Files,
) -> (Vec<Insertion>, WallsOfRuns) {
    let mut names = Names::new("insertion");
    let (mut insertions, mut walls) = (Vec::new(), WallsOfRuns::new());
    for (number, (_, reader)) in scene.tables("insert").into_iter().enumerate() {
        let name = reader.text("name").map_or_else(|| format!("insert{}", number + 1), String::from);
        let place = reader.place("name").unwrap_or(reader.at);
        names.add_new(scene.context, &name, &reader.key_path("name"), place);
        if let Some(of_run) = read_insertion(&reader, name, around, files, &mut insertions) {
            walls.push((insertions.len() - 1, of_run));
        }
    }
    (insertions, walls)
}

/// Where walls were in the run that the grains come from, if they come from one.
type WallsThere = Vec<(String, Option<Pose>)>;

fn read_insertion(
    reader: &Reader,
    name: String,
    around: &Surroundings,
    files: &mut Files,
    insertions: &mut Vec<Insertion>,
) -> Option<WallsThere> {
    let velocity = reader.vector("velocity").unwrap_or(DVec3::ZERO);
    let velocity_spread = reader.quantity("velocity_spread").unwrap_or(0.0);
    let angular_velocity = reader.vector("angular_velocity").unwrap_or(DVec3::ZERO);
    let orientation = if reader.is_text("orientation") {
        reader.word_not_table("orientation");
        None
    } else {
        reader.rotation("orientation")
    };
    around.plane.check_along(reader, "velocity", velocity);
    around.plane.check_about(reader, "angular_velocity", angular_velocity);
    if let Some(orientation) = orientation {
        around.plane.check_turn(reader, "orientation", orientation);
    }
    let active = reader.flag("active").unwrap_or(true);
    let max_overlap = reader.quantity("max_overlap");
    let by_mass = reader.word("shares_by") == Some(1);
    let template = |name: String, plan, species: Vec<(SpeciesIndex, f64)>, size| Insertion {
        name,
        plan,
        species,
        size,
        velocity,
        velocity_spread,
        angular_velocity,
        orientation,
        active,
    };
    let of_list = |grains: GrainList, max_overlap: f64| {
        let mut species: Vec<SpeciesIndex> = (0..grains.len()).map(|place| grains.species_of(place)).collect();
        species.sort_unstable();
        species.dedup();
        let size = SizeDistribution::Fixed(grains.iter().fold(0.0, |m: f64, g| m.max(g.radius)));
        let species = species.into_iter().map(|s| (s, 1.0)).collect();
        template(name.clone(), Plan::List { grains, max_overlap }, species, size)
    };
    if reader.has("run") {
        let FromRun { grains, walls } = read_run(reader, around, files)?;
        insertions.push(of_list(grains, max_overlap.unwrap_or(PRESSED)));
        return Some(walls);
    }
    if reader.has("file") {
        let defaults = ListedGrain {
            species: 0,
            radius: 0.0,
            position: DVec3::ZERO,
            orientation: orientation.unwrap_or(DQuat::IDENTITY),
            velocity,
            angular_velocity,
        };
        if let Some(grains) = read_file(reader, around, files, &defaults) {
            insertions.push(of_list(grains.into(), max_overlap.unwrap_or(TOUCHING)));
        }
        return None;
    }
    if max_overlap.is_some() {
        let message = "grains overlap only where a file or a run says so";
        reader.report_at("max_overlap", message, "it goes with `file` and `run` only");
    }
    let shares = read_shares(reader, around, by_mass);
    let request = read_request(reader, around, shares.as_deref());
    let (Some(shares), Some(request)) = (shares, request) else { return None };
    let groups = group_alike(&shares, around.kinds, orientation.is_some());
    if groups.len() > 1 && matches!(request, Request::Lattice { .. }) {
        let first = &around.kinds.sizes[groups[0][0].0];
        let (message, expected) = if groups.iter().all(|g| &around.kinds.sizes[g[0].0] == first) {
            (
                "the kinds on this lattice have different principal axes",
                "give each its own lattice, or no `orientation`",
            )
        } else {
            (
                "the kinds on this lattice differ in size",
                "a lattice wants grains of one size (or one distribution of sizes)",
            )
        };
        reader.report_at("particles", message, expected);
        return None;
    }
    let widest = groups.first().map_or(0.0, |g| largest(g, around.kinds));
    if !reader.context.has_errors() && in_depth(request.region(), widest, around.plane).inset(widest).is_none() {
        reader.report_at(
            request.key(),
            format!("the region is too small for its grains, the largest of which needs a ball of radius {widest} m"),
            "whole grains must fit into the region",
        );
    }
    for (group, plan) in groups.iter().zip(request.split(&groups, around.kinds)) {
        let Some(plan) = plan else { continue };
        let first = group.first().map(|&(kind, _)| &around.kinds.list[kind]);
        // The engine knows the principal axes, the scene the frame in which the shape was given.
        let orientation = match (orientation, first) {
            (Some(given), Some(species)) => Some(given * species.given_frame.orientation.inverse()),
            (given, _) => given,
        };
        let name = match (groups.len(), group.first()) {
            (2.., Some(&(first, _))) => format!("{name}.{}", around.kinds.list[first].name),
            _ => name.clone(),
        };
        let size = sizes_of(group, around.kinds);
        let species = group.iter().map(|&(k, share)| (k as SpeciesIndex, share)).collect();
        let half_depth = first.map_or(0.0, |species| {
            species.shape.half_thickness().unwrap_or(0.0) * size.largest() / species.shape.bounding_radius()
        });
        let plan = plan_in_depth(plan, half_depth, around.plane);
        insertions.push(Insertion { orientation, ..template(name, plan, species, size) });
    }
    None
}

/// The species with their shares by number, adding to 1. The variants of a kind share its part equally.
fn read_shares(reader: &Reader, around: &Surroundings, by_mass: bool) -> Option<Vec<(usize, f64)>> {
    let mut shares = Vec::new();
    if reader.has("particles") {
        let mut all_known = true;
        for (name, share, at, path) in reader.shares("particles")? {
            match around.kinds.names.resolve(reader.context, name, at, &path) {
                Some(kind) => shares.push((kind, share)),
                None => all_known = false,
            }
        }
        if !all_known {
            return None;
        }
    } else {
        shares.push((around.kinds.names.only(reader, "particles")?, 1.0));
    }
    if by_mass {
        for (kind, share) in &mut shares {
            let species = around.kinds.species[*kind].clone();
            let n = species.len() as f64;
            *share /= species.map(|s| around.kinds.mean_mass(s, around.materials)).sum::<f64>() / n;
        }
    }
    let total: f64 = shares.iter().map(|s| s.1).sum();
    let variants = |(kind, share): (usize, f64)| {
        let species = around.kinds.species[kind].clone();
        let part = share / total / species.len() as f64;
        species.map(move |s| (s, part))
    };
    Some(shares.into_iter().flat_map(variants).collect())
}

/// Kinds that the engine can draw together, the largest first: of the same size distribution, of the same thickness in
/// the planar mode, and where they have an orientation, of the same principal axes.
fn group_alike(shares: &[(usize, f64)], kinds: &Kinds, by_frame: bool) -> Vec<Vec<(usize, f64)>> {
    let alike = |a: usize, b: usize| {
        let (first, second) = (&kinds.list[a], &kinds.list[b]);
        (kinds.sizes[a] == kinds.sizes[b] || kinds.are_variants(a, b))
            && first.shape.half_thickness() == second.shape.half_thickness()
            && (!by_frame || first.given_frame.orientation == second.given_frame.orientation)
    };
    let mut groups: Vec<Vec<(usize, f64)>> = Vec::new();
    for &share in shares {
        match groups.iter_mut().find(|g| alike(g[0].0, share.0)) {
            Some(group) => group.push(share),
            None => groups.push(vec![share]),
        }
    }
    groups.sort_by(|a, b| largest(b, kinds).total_cmp(&largest(a, kinds)));
    groups
}

/// Largest bounding radius of a group [m].
fn largest(group: &[(usize, f64)], kinds: &Kinds) -> f64 {
    group.iter().map(|&(species, _)| kinds.sizes[species].largest()).fold(0.0, f64::max)
}

/// The sizes of a group: those that all have, or of variants each its own.
fn sizes_of(group: &[(usize, f64)], kinds: &Kinds) -> SizeDistribution {
    let Some(&(first, _)) = group.first() else { return SizeDistribution::Fixed(1.0) };
    if group.iter().all(|&(species, _)| kinds.sizes[species] == kinds.sizes[first]) {
        return kinds.sizes[first].clone();
    }
    SizeDistribution::OfSpecies {
        sizes: group.iter().map(|&(species, _)| kinds.sizes[species].clone()).collect(),
        shares: group.iter().map(|&(_, share)| share).collect(),
    }
}

/// A region of the planar mode with so much depth on either side of the plane, whatever depth it was given; in space, the
/// region itself.
fn in_depth(region: &Region, half_depth: f64, plane: Plane) -> Region {
    let across = |point: DVec3, z: f64| DVec3::new(point.x, point.y, z);
    match *region {
        Region::Box { lower, upper } if plane.is_on => {
            Region::Box { lower: across(lower, -half_depth), upper: across(upper, half_depth) }
        }
        // A little more, for a ball that just fits between the ends of a cylinder counts as too large.
        Region::Cylinder { from, to, radius } if plane.is_on => {
            let half_depth = half_depth * (1.0 + 1e-9);
            Region::Cylinder { from: across(from, -half_depth), to: across(to, half_depth), radius }
        }
        Region::Box { .. } | Region::Cylinder { .. } | Region::Ball { .. } => *region,
    }
}

/// The plan with the region's depth that of the grains, so that volumes are areas times that depth.
fn plan_in_depth(plan: Plan, half_depth: f64, plane: Plane) -> Plan {
    match plan {
        Plan::List { .. } => plan,
        Plan::Lattice { region, lattice, spacing, count } => {
            Plan::Lattice { region: in_depth(&region, half_depth, plane), lattice, spacing, count }
        }
        Plan::Fill { region, amount } => Plan::Fill { region: in_depth(&region, half_depth, plane), amount },
        Plan::Stream { region, rate, start, count } => {
            Plan::Stream { region: in_depth(&region, half_depth, plane), rate, start, count }
        }
    }
}

/// Reads the region of an insertion and refuses one that makes no sense there.
fn read_place(table: &Reader, around: &Surroundings) -> Option<Region> {
    let region = read_region(table, around.plane)?;
    match region {
        Region::Ball { .. } if around.plane.is_on => {
            table.report_at("region", "the scene is planar, and a ball is not", "use a cylinder along z");
            return None;
        }
        Region::Cylinder { from, to, .. } => around.plane.check_upright(table, "region", to - from),
        Region::Box { .. } | Region::Ball { .. } => {}
    }
    check_inside(table, &region, around.domain);
    Some(region)
}

/// An insertion as it was asked for, before it is split by size.
enum Request {
    Lattice { region: Region, lattice: Lattice, spacing: Option<f64>, count: Option<u64> },
    Fill { region: Region, amount: Amount },
    Stream { region: Region, rate: f64, start: f64, count: Option<u64> },
}

fn read_request(reader: &Reader, around: &Surroundings, shares: Option<&[(usize, f64)]>) -> Option<Request> {
    if let Some(table) = reader.table("lattice") {
        let arrangement = table.word("arrangement").unwrap_or(0);
        let (spacing, count) = (table.quantity("spacing"), table.count("count"));
        let region = read_place(&table, around)?;
        let lattice = [Lattice::Cubic, Lattice::FaceCentred, Lattice::Hexagonal][arrangement];
        return Some(Request::Lattice { region, lattice, spacing, count });
    }
    if let Some(table) = reader.table("fill") {
        let (count, fraction) = (table.count("count"), table.quantity("fraction"));
        let region = read_place(&table, around)?;
        let is_fixed = |kind: usize| matches!(around.kinds.sizes[kind], SizeDistribution::Fixed(_));
        if around.plane.is_on && fraction.is_some() && !shares.unwrap_or_default().iter().all(|s| is_fixed(s.0)) {
            table.report_at(
                "fraction",
                "the sizes are spread, and thickness with them: volumes are no areas",
                "in a planar scene give a `count`",
            );
        }
        let amount = count.map(Amount::Count).or(fraction.map(Amount::Fraction))?;
        return Some(Request::Fill { region, amount });
    }
    let table = reader.table("stream")?;
    let (rate, start) = (table.quantity_of_either("rate"), table.quantity("start").unwrap_or(0.0));
    let (count, duration) = (table.count("count"), table.quantity("duration"));
    let region = read_place(&table, around)?;
    let (dimension, mut rate) = rate?;
    if dimension == Dimension::MASS_RATE {
        let mean_mass: f64 = shares?.iter().map(|&(k, s)| s * around.kinds.mean_mass(k, around.materials)).sum();
        rate /= mean_mass;
    }
    // What is within a millionth of a whole number was meant to be one; `as` saturates.
    let within = |duration: f64| (rate * duration * (1.0 + 1e-12) + 1e-6).floor() as u64;
    let count = count.or(duration.map(within));
    if count.unwrap_or_else(|| within((around.end - start).max(0.0))) == 0 {
        let key = if table.has("duration") { "duration" } else { "rate" };
        table.report_at(key, "no grain comes in within that time", "raise the rate or the time");
        return None;
    }
    if start >= around.end {
        table.report_at("start", "the stream begins after the end of the run", "it must be smaller than `time.end`");
    }
    Some(Request::Stream { region, rate, start, count })
}

impl Request {
    fn region(&self) -> &Region {
        match self {
            Request::Lattice { region, .. } | Request::Fill { region, .. } | Request::Stream { region, .. } => region,
        }
    }

    fn key(&self) -> &'static str {
        match self {
            Request::Lattice { .. } => "lattice",
            Request::Fill { .. } => "fill",
            Request::Stream { .. } => "stream",
        }
    }

    /// The plan of each group; `None` for a group that gets no grain.
    fn split(&self, groups: &[Vec<(usize, f64)>], kinds: &Kinds) -> Vec<Option<Plan>> {
        let weights: Vec<f64> = groups.iter().map(|g| g.iter().map(|s| s.1).sum()).collect();
        match *self {
            Request::Lattice { region, lattice, spacing, count } => {
                groups.iter().map(|_| Some(Plan::Lattice { region, lattice, spacing, count })).collect()
            }
            Request::Fill { region, amount: Amount::Count(count) } => split_count(count, &weights)
                .into_iter()
                .map(|n| (n > 0).then_some(Plan::Fill { region, amount: Amount::Count(n) }))
                .collect(),
            Request::Fill { region, amount: Amount::Fraction(fraction) } => {
                if groups.len() == 1 {
                    return vec![Some(Plan::Fill { region, amount: Amount::Fraction(fraction) })];
                }
                let volume = |g: &Vec<(usize, f64)>| g.iter().map(|&(k, s)| s * kinds.mean_volume(k)).sum::<f64>();
                let total: f64 = groups.iter().map(volume).sum();
                let part = |g| Amount::Fraction(fraction * volume(g) / total);
                groups.iter().map(|g| Some(Plan::Fill { region, amount: part(g) })).collect()
            }
            Request::Stream { region, rate, start, count } => {
                if groups.len() == 1 {
                    return vec![Some(Plan::Stream { region, rate, start, count })];
                }
                let counts = count.map(|count| split_count(count, &weights));
                let total: f64 = weights.iter().sum();
                weights
                    .iter()
                    .enumerate()
                    .map(|(group, w)| {
                        let count = counts.as_ref().map(|counts| counts[group]);
                        let has_any = count.map_or(*w > 0.0, |n| n > 0);
                        has_any.then_some(Plan::Stream { region, rate: rate * w / total, start, count })
                    })
                    .collect()
            }
        }
    }
}

/// Splits a count by weights; the parts add to it exactly (largest remainders).
fn split_count(count: u64, weights: &[f64]) -> Vec<u64> {
    let total: f64 = weights.iter().sum();
    let ideal: Vec<f64> = weights.iter().map(|w| count as f64 * w / total).collect();
    let mut parts: Vec<u64> = ideal.iter().map(|x| x.floor() as u64).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| ideal[b].fract().total_cmp(&ideal[a].fract()));
    let mut rest = count.saturating_sub(parts.iter().sum());
    for &part in order.iter().cycle() {
        if rest == 0 {
            break;
        }
        parts[part] += 1;
        rest -= 1;
    }
    parts
}

/// The rows of the table of grains at a key, with its name and bytes; what is wrong with it is reported with its lines. One
/// without rows is refused.
pub(crate) fn read_rows(
    reader: &Reader,
    key: &'static str,
    files: &mut Files,
) -> Option<(String, Rc<Vec<u8>>, Vec<ParticleRow>)> {
    let path = reader.key_path(key);
    let (source_name, bytes) = files.open(reader, key)?;
    let rows = match read_particles(&bytes) {
        Ok(rows) => rows,
        Err(errors) => {
            let source = files.as_source(&source_name, &bytes);
            for e in errors {
                let at = Location { source, span: e.span.clone() };
                let column = if e.column.is_empty() { String::new() } else { format!(", column {:?}", e.column) };
                let message = format!("{source_name}, line {}{column}: {}", e.line, e.what);
                reader.context.error(&path, &at, message, e.expected);
            }
            return None;
        }
    };
    if rows.is_empty() {
        reader.report_at(key, format!("{source_name} holds no grains"), "a header and at least one row");
        return None;
    }
    Some((source_name, bytes, rows))
}

fn read_file(
    reader: &Reader,
    around: &Surroundings,
    files: &mut Files,
    defaults: &ListedGrain,
) -> Option<Vec<ListedGrain>> {
    let path = reader.key_path("file");
    let (source_name, bytes, rows) = read_rows(reader, "file", files)?;
    let mut default_kind = None;
    if reader.has("particles") {
        let shares = reader.shares("particles")?;
        for (name, _, at, path) in &shares {
            default_kind = Some(around.kinds.names.resolve(reader.context, name, at, path)?);
        }
        if let Some(kind) = default_kind.filter(|&kind| around.kinds.species[kind].len() > 1) {
            let n = around.kinds.species[kind].len();
            let name = &around.kinds.list[around.kinds.species[kind].start].name;
            let expected = format!("give the file a column `species` with names such as {name:?}");
            reader.report_at("particles", format!("the kind has {n} variants"), expected);
            return None;
        }
        if shares.len() > 1 {
            let expected = "name one kind, or give the file a column `species`";
            reader.report_at("particles", "a file has no use for shares", expected);
            return None;
        }
    } else if rows[0].species.is_none() {
        default_kind = Some(around.kinds.names.only(reader, "particles")?);
    }
    let default_kind = default_kind.map(|kind| around.kinds.species[kind].start);
    let mut grains = Vec::with_capacity(rows.len());
    let mut errors = Vec::new();
    for row in &rows {
        let mut fail = |message: String, expected: String| {
            errors.push((row.span.clone(), format!("{source_name}, line {}: {message}", row.line), expected));
        };
        let kind = match &row.species {
            Some(name) => match around.kinds.list.iter().position(|s| &s.name == name) {
                Some(species) => {
                    let kind = around.kinds.species.iter().position(|range| range.contains(&species));
                    kind.into_iter().for_each(|kind| around.kinds.names.mark_used(kind));
                    species
                }
                None => {
                    let known: Vec<_> = around.kinds.list.iter().map(|s| s.name.as_str()).collect();
                    fail(format!("there is no kind of grain called {name:?}"), format!("known: {}", known.join(", ")));
                    continue;
                }
            },
            None => default_kind.unwrap_or(0),
        };
        let radius = match (row.radius, &around.kinds.sizes.get(kind)) {
            (Some(size), _) => size * around.kinds.bounding_over_size.get(kind).copied().unwrap_or(1.0),
            (None, Some(SizeDistribution::Fixed(radius))) => *radius,
            (None, _) => {
                let what = "the grain has no size: its kind has a distribution and the file no column `radius`";
                fail(what.to_string(), "add a column `radius` or `diameter`".into());
                break;
            }
        };
        if let Some(where_it_is) = outside(row.position, around.domain) {
            fail(where_it_is, "grains must come in inside the domain".into());
        }
        let orientation = row.orientation.unwrap_or(defaults.orientation);
        let velocity = row.velocity.unwrap_or(defaults.velocity);
        let angular_velocity = row.angular_velocity.unwrap_or(defaults.angular_velocity);
        if let Some(fault) = around.plane.fault_of_grain(row.position, orientation, velocity, angular_velocity) {
            fail(fault, "the scene is planar: grains stay in the plane z = 0".into());
        }
        // The engine knows the principal axes, the table the frame in which the shape was given.
        let given_frame = around.kinds.list.get(kind).map_or(DQuat::IDENTITY, |s| s.given_frame.orientation);
        grains.push(ListedGrain {
            species: kind as SpeciesIndex,
            radius,
            position: row.position,
            orientation: orientation * given_frame.inverse(),
            velocity,
            angular_velocity,
        });
    }
    if errors.is_empty() {
        return Some(grains);
    }
    let source = files.as_source(&source_name, &bytes);
    // A file that is wrong throughout would give a message for each line.
    for (span, message, expected) in errors.into_iter().take(10) {
        reader.context.report(Diagnostic {
            severity: Severity::Error,
            key: path.clone(),
            message,
            at: Some(Location { source, span }),
            expected,
            help: None,
            also: None,
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::split_count;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    #[test]
    fn counts_are_split_by_largest_remainder() {
        assert_eq!(split_count(10, &[0.5, 0.5]), [5, 5]);
        assert_eq!(split_count(10, &[1.0, 1.0, 1.0]), [4, 3, 3]);
        assert_eq!(split_count(1, &[0.3, 0.7]), [0, 1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn parts_add_to_the_whole(count in 0u64..1_000_000, weights in proptest::collection::vec(1e-6f64..1e6, 1..6)) {
            let parts = split_count(count, &weights);
            prop_assert_eq!(parts.iter().sum::<u64>(), count);
            let total: f64 = weights.iter().sum();
            for (part, weight) in parts.iter().zip(&weights) {
                prop_assert!((*part as f64 - count as f64 * weight / total).abs() < 1.0 + 1e-6);
            }
        }
    }
}
