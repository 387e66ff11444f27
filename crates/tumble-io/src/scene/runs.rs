//! Reads what comes in from another run: its grains with their contacts, and where its walls were.
//!
//! What a run leaves to others are its checkpoints. The one that is taken is an input of the scene like any other file: a copy
//! of it is kept with the run that begins from it.

use super::files::{Files, Origin};
use super::insertions::Surroundings;
use super::reader::Reader;
use super::regions::read_region;
use super::{plain_reason, planar::Plane};
use crate::checkpoint::{self, CheckpointExtra, KindOfGrain};
use crate::diagnostic::nearest;
use crate::figures::number;
use crate::run_directory::RunDirectory;
use glam::{DQuat, DVec3};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tumble_engine::State;
use tumble_engine::boundary::insertion::{GrainList, Handover, Insertion, Plan};
use tumble_engine::boundary::wall::Wall;
use tumble_engine::model::SpeciesIndex;
use tumble_geometry::Pose;

/// A moment of another run.
#[derive(Debug)]
pub(crate) struct OtherRun {
    state: State,
    extra: CheckpointExtra,
}

/// What comes in from another run.
pub(crate) struct FromRun {
    pub grains: GrainList,
    /// Names of the walls there, and where they were if walls here are to begin there.
    pub walls: Vec<(String, Option<Pose>)>,
}

/// Grains of a run are numbered as the insertion that brings them in: which it is, and the walls there.
pub(crate) type WallsOfRuns = Vec<(usize, Vec<(String, Option<Pose>)>)>;

/// Reads the run at the key `run`.
pub(crate) fn read_run(reader: &Reader, around: &Surroundings, files: &mut Files) -> Option<FromRun> {
    for key in ["particles", "shares_by", "velocity", "velocity_spread", "angular_velocity", "orientation"] {
        if reader.has(key) {
            reader.report_at(key, "grains of a run are what they were, and move as they did", "leave it out");
        }
    }
    let table = if reader.is_text("run") { None } else { Some(reader.table("run")?) };
    let (place, key) = match &table {
        Some(table) => (table, "directory"),
        None => (reader, "run"),
    };
    let vector = |key| table.as_ref().and_then(|table| table.vector(key));
    let flag = |key| table.as_ref().and_then(|table| table.flag(key)).unwrap_or(false);
    let time = table.as_ref().and_then(|table| table.quantity("time"));
    let region = match table.as_ref().filter(|table| table.has("region")) {
        // In the planar mode grains are at z = 0, whatever the region's depth.
        Some(table) => Some(read_region(table, Plane { is_on: false })?),
        None => None,
    };
    let turn = table.as_ref().and_then(|table| table.rotation("turn")).unwrap_or(DQuat::IDENTITY);
    let shift = vector("shift").unwrap_or(DVec3::ZERO);
    if let Some(table) = &table {
        around.plane.check_turn(table, "turn", turn);
        around.plane.check_along(table, "shift", shift);
    }
    let (copies, spacing) = (read_copies(table.as_ref()), vector("spacing"));
    let (at_rest, takes_walls) = (flag("at_rest"), flag("walls"));
    let other = files.open_run(place, key, time)?;
    let (copies, name) = (copies?, place.text(key)?);
    let Some(world) = &other.extra.world else {
        place.report_at(
            key,
            format!("{name:?} is of an older Tumble, whose checkpoints do not name the kinds of grain"),
            "take `tumble export` of that Tumble and `insert.file`",
        );
        return None;
    };
    let from = world.domain();
    let mut step = spacing.unwrap_or(DVec3::ZERO);
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        if let (None, Some(period)) = (spacing, from.periods()[axis]) {
            step[axis] = period;
        }
        if copies[axis] > 1 && step[axis] <= 0.0 {
            table.iter().for_each(|table| {
                table.report_at(
                    "copies",
                    format!("nothing says how far apart copies along {name} are"),
                    "the run is not periodic there: add `spacing`, such as spacing = [\"10 cm\", 0, 0]",
                );
            });
            return None;
        }
    }
    let species: Vec<Option<SpeciesIndex>> = world
        .kinds
        .iter()
        .map(|kind| around.kinds.list.iter().position(|here| here.name == kind.name))
        .map(|found| found.map(|found| found as SpeciesIndex))
        .collect();
    let handover =
        Handover { species: &species, from, to: around.domain, region, turn, shift, copies, spacing: step, at_rest };
    let grains = match handover.grains(&other.state) {
        Ok(grains) => grains,
        Err(missing) => {
            let known = around.kinds.list.iter().map(|kind| kind.name.as_str());
            let theirs = world.kinds.get(usize::from(missing)).map_or("?", |kind| kind.name.as_str());
            let expected = match nearest(theirs, known.clone()) {
                Some(near) => format!("here is {near:?}: give it the name it has there"),
                None => format!("here are: {}", known.collect::<Vec<_>>().join(", ")),
            };
            place.report_at(key, format!("{name:?} has grains of the kind {theirs:?}, which is not here"), expected);
            return None;
        }
    };
    if grains.is_empty() {
        let (at, what) = match &table {
            Some(table) if region.is_some() && !other.state.particles.is_empty() => {
                (table, "no grain of the run has its centre in the region")
            }
            _ => (place, "the run has no grains at that moment"),
        };
        at.report_at(if region.is_some() { "region" } else { key }, what, describe_extent(&other.state));
        return None;
    }
    if !have_same_shapes(place, key, around, &grains, &species, &world.kinds) {
        return None;
    }
    let pose = |wall: usize| other.state.walls.get(wall).map(|wall| wall.pose).filter(|_| takes_walls);
    let walls = world.walls.iter().enumerate().map(|(wall, name)| (name.clone(), pose(wall))).collect();
    Some(FromRun { grains, walls })
}

fn describe_extent(state: &State) -> String {
    let position = &state.particles.position;
    if position.is_empty() {
        return "take another moment".into();
    }
    let lower = position.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let upper = position.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let told = |p: DVec3| p.to_array().map(number).join(", ");
    format!("their centres are between ({}) m and ({}) m", told(lower), told(upper))
}

/// How many copies along each axis.
fn read_copies(table: Option<&Reader>) -> Option<[u32; 3]> {
    let Some((table, copies)) = table.and_then(|table| Some((table, table.vector("copies")?))) else {
        return Some([1; 3]);
    };
    if copies.to_array().iter().all(|&n| n.fract() == 0.0 && (1.0..=1000.0).contains(&n)) {
        return Some(copies.to_array().map(|n| n as u32));
    }
    table.report_at("copies", format!("found {copies}"), "wants three whole numbers from 1 to 1000, such as [2, 2, 1]");
    None
}

/// Marks the kinds that come in as used, and refuses those that have another shape here.
fn have_same_shapes(
    reader: &Reader,
    key: &'static str,
    around: &Surroundings,
    grains: &GrainList,
    species: &[Option<SpeciesIndex>],
    theirs: &[KindOfGrain],
) -> bool {
    let mut comes = vec![false; around.kinds.list.len()];
    (0..grains.len()).for_each(|place| comes[usize::from(grains.species_of(place))] = true);
    let mut all_alike = true;
    for (there, here) in species.iter().enumerate() {
        let Some(here) = here.map(usize::from).filter(|&here| comes[here]) else { continue };
        let kind = around.kinds.species.iter().position(|range| range.contains(&here));
        kind.into_iter().for_each(|kind| around.kinds.names.mark_used(kind));
        let ours = KindOfGrain::of(&around.kinds.list[here]);
        if !ours.has_shape_of(&theirs[there]) {
            let what = if ours.shape == theirs[there].shape {
                format!("the {} {:?} has other proportions there", ours.shape, ours.name)
            } else {
                format!("{:?} is a {} there and a {} here", ours.name, theirs[there].shape, ours.shape)
            };
            reader.report_at(key, what, "a kind that comes in from a run has the shape it has there");
            all_alike = false;
        }
    }
    all_alike
}

/// Tells the grains of runs the numbers that walls have here, and puts walls where they were in the run if that is wanted.
pub(crate) fn meet_walls(insertions: &mut [Insertion], walls: &mut [Wall], of_runs: &WallsOfRuns) {
    for (insertion, theirs) in of_runs {
        let here = |there: u32| {
            let (name, _) = theirs.get(there as usize)?;
            walls.iter().position(|wall| &wall.name == name).map(|wall| wall as u32)
        };
        if let Plan::List { grains, .. } = &mut insertions[*insertion].plan
            && let Some(contacts) = grains.carried_mut()
        {
            contacts.renumber_walls(here);
        }
        for wall in walls.iter_mut() {
            if let Some((_, Some(pose))) = theirs.iter().find(|(name, _)| *name == wall.name) {
                wall.pose = *pose;
            }
        }
    }
}

impl Files<'_> {
    /// The moment of the run at a key: its last checkpoint, or the newest that is not after a time [s]. What cannot be had is
    /// reported.
    pub fn open_run(&mut self, reader: &Reader, key: &'static str, time: Option<f64>) -> Option<Rc<OtherRun>> {
        let name = reader.text(key)?.to_owned();
        let as_written = match time {
            Some(time) => format!("{name} at {time} s"),
            None => name.clone(),
        };
        if let Some((_, other)) = self.runs.iter().find(|(known, _)| *known == as_written) {
            return Some(other.clone());
        }
        let found = match self.origin {
            Origin::Disk(base) => find_checkpoint(&base.join(&name), time),
            Origin::Memory(map) => match map.get(&as_written) {
                None if self.on_disk.as_ref() == Some(&name) => find_checkpoint(Path::new(&name), time),
                Some(bytes) => Ok((PathBuf::from(&as_written), bytes.clone())),
                None => Err("it is not among the stored files".to_owned()),
            },
        };
        let read = found.and_then(|(path, bytes)| {
            let read = checkpoint::read_bytes(Path::new(&name), bytes.clone()).map_err(|error| error.to_string())?;
            Ok((path, bytes, read))
        });
        match read {
            Ok((path, bytes, (state, extra))) => {
                let other = Rc::new(OtherRun { state, extra });
                self.keep(as_written.clone(), path, bytes);
                self.runs.push((as_written, other.clone()));
                Some(other)
            }
            Err(reason) => {
                let expected = "wants the directory of a run, or one of its checkpoints, relative to the scene file";
                let at = if time.is_some() && reason.starts_with("it has no checkpoint") { "time" } else { key };
                reader.report_at(at, format!("cannot begin with {name:?}: {reason}"), expected);
                None
            }
        }
    }
}

/// The checkpoint of a run, and its bytes.
fn find_checkpoint(path: &Path, time: Option<f64>) -> Result<(PathBuf, Vec<u8>), String> {
    let bytes_of = |path: &Path| std::fs::read(path).map_err(|error| plain_reason(&error));
    if path.is_file() {
        return Ok((path.to_owned(), bytes_of(path)?));
    }
    if !path.exists() {
        return Err("there is no such directory".to_owned());
    }
    let directory = RunDirectory::open(path).map_err(|error| error.to_string())?;
    let mut earliest = None;
    let mut damage = None;
    // The newest comes first.
    for (_, file) in directory.checkpoints().map_err(|error| error.to_string())? {
        match checkpoint::read_moment(&file) {
            Ok((_, moment)) if time.is_none_or(|time| moment <= time) => {
                let bytes = bytes_of(&file)?;
                return Ok((file, bytes));
            }
            Ok((_, moment)) => earliest = Some(moment),
            Err(error) if error.is_damage() => damage = Some(error.to_string()),
            Err(error) => return Err(error.to_string()),
        }
    }
    Err(match (earliest, damage) {
        (Some(earliest), _) => format!(
            "it has no checkpoint so early; its earliest is of t = {} s, for a run keeps its two newest (save others by \
             copying them, and name the copy)",
            number(earliest)
        ),
        (None, Some(damage)) => damage,
        (None, None) => "it has no checkpoint".to_owned(),
    })
}
