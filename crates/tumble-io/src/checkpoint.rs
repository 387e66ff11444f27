//! Checkpoints: a whole [`State`] on disk, bit for bit, from which a run goes on as if it had never stopped.
//!
//! A checkpoint replaces its predecessor atomically ([`crate::atomic_file`]), is checked against a checksum before
//! anything of it is believed, and carries beside the state what an exact resume needs: how long the append-only
//! files were when it was taken. The format is this project's own, written down in docs/formats.md.
//!
//! ```
//! use tumble_engine::State;
//! use tumble_io::checkpoint::{self, CheckpointExtra};
//! # let directory = tempfile::tempdir().unwrap();
//! # let path = directory.path().join("a.checkpoint");
//!
//! let state = State { step: 7, time: 0.07, time_step: 0.01, ..State::default() };
//! checkpoint::write(&path, &state, &CheckpointExtra::default())?;
//! let (read, _) = checkpoint::read(&path)?;
//! assert_eq!(read, state);
//! # Ok::<(), checkpoint::CheckpointError>(())
//! ```

mod contacts;
mod container;

use crate::atomic_file;
use crate::file_error::FileError;
use bytemuck::{Pod, Zeroable};
use container::{ContainerReader, ContainerWriter};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use tumble_engine::groups::Members;
use tumble_engine::model::{Domain, Edge, Model, Solver, Species};
use tumble_engine::particles::{FieldReader, FieldWriter};
use tumble_engine::state::{EventState, Reference, SoftState, SolverState, SteppedState, WallState};
use tumble_engine::{Particles, State};
use tumble_geometry::Pose;

/// What a checkpoint holds beside the state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckpointExtra {
    /// Version of Tumble that wrote the checkpoint.
    pub tumble_version: String,
    /// Hash of the scene and its inputs, so that a checkpoint is not continued with another scene.
    pub scene_hash: u64,
    /// Named counters in a fixed order: lengths of the append-only files [bytes] under their relative paths, frames
    /// written, and the like.
    pub counters: Vec<(String, u64)>,
    /// What the state knows by number only; `None` in checkpoints that did not note it.
    #[serde(default)]
    pub world: Option<World>,
}

/// What a state knows by number only, for another run that begins with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// The kinds of grain.
    pub kinds: Vec<KindOfGrain>,
    /// Names of the walls.
    pub walls: Vec<String>,
    /// Smallest and largest coordinates along the axes on which the space is periodic [m].
    pub periodic: [Option<[f64; 2]>; 3],
}

/// A kind of grain: its name, and what tells its shape from others, whatever its size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KindOfGrain {
    /// The name it has in the scene.
    pub name: String,
    /// Which sort of shape it has.
    pub shape: String,
    /// Volume, principal moments of inertia at unit density and smallest width where the bounding radius is 1.
    pub figures: [f64; 5],
}

impl World {
    /// That of a model.
    pub fn of(model: &Model) -> World {
        let Domain { lower, upper, edges } = &model.domain;
        World {
            kinds: model.species.iter().map(KindOfGrain::of).collect(),
            walls: model.walls.iter().map(|wall| wall.name.clone()).collect(),
            periodic: std::array::from_fn(|k| (edges[k] == Edge::Periodic).then(|| [lower[k], upper[k]])),
        }
    }

    /// The space, open where it is not periodic.
    pub fn domain(&self) -> Domain {
        let mut domain = Domain::UNBOUNDED;
        for (axis, ends) in self.periodic.iter().enumerate() {
            if let Some([lower, upper]) = *ends {
                (domain.lower[axis], domain.upper[axis], domain.edges[axis]) = (lower, upper, Edge::Periodic);
            }
        }
        domain
    }
}

impl KindOfGrain {
    /// That of a species.
    pub fn of(species: &Species) -> KindOfGrain {
        let radius = species.shape.bounding_radius();
        let DVec3 { x, y, z } = species.moments / radius.powi(5);
        KindOfGrain {
            name: species.name.clone(),
            shape: species.shape.name().to_owned(),
            figures: [species.volume / radius.powi(3), x, y, z, species.smallest_width / radius],
        }
    }

    /// Whether two kinds have the same shape, of whatever size, as far as one can tell.
    pub fn has_shape_of(&self, other: &KindOfGrain) -> bool {
        let alike = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs().max(1e-9);
        self.shape == other.shape && self.figures.iter().zip(&other.figures).all(alike)
    }
}

impl CheckpointExtra {
    /// For a state of a model.
    pub fn of(model: &Model, tumble_version: &str, scene_hash: u64) -> CheckpointExtra {
        let world = Some(World::of(model));
        CheckpointExtra { tumble_version: tumble_version.to_owned(), scene_hash, counters: Vec::new(), world }
    }

    /// The counter of this name, if there is one.
    pub fn counter(&self, name: &str) -> Option<u64> {
        self.counters.iter().find(|(known, _)| known == name).map(|&(_, value)| value)
    }

    /// Sets the counter of this name, adding it at the end if it is new.
    pub fn set_counter(&mut self, name: &str, value: u64) {
        match self.counters.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.counters.push((name.to_owned(), value)),
        }
    }
}

/// A checkpoint could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is something else.
    #[error("{} is not a Tumble checkpoint", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a later Tumble.
    #[error(
        "{} has checkpoint format {found}, this Tumble reads format {known}: use the newer Tumble that wrote it",
        path.display()
    )]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The format version this Tumble reads.
        known: u32,
    },
    /// The file was written by an earlier Tumble.
    #[error(
        "{} has checkpoint format {found}, this Tumble reads format {known}: use the older Tumble that wrote it",
        path.display()
    )]
    OlderFormat {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The format version this Tumble reads.
        known: u32,
    },
    /// The arrays have another byte order.
    #[error("{} was written on a machine with another byte order: continue the run on a machine of its kind", path.display())]
    OtherByteOrder {
        /// The file.
        path: PathBuf,
    },
    /// The file ends too early.
    #[error("{} is truncated: {present} of {} bytes are there", path.display(), total_or_unknown(total))]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Its length [bytes].
        present: u64,
        /// The length it should have [bytes]; `None`: too short to tell.
        total: Option<u64>,
    },
    /// The run was moved by a solver that this Tumble does not have.
    #[error(
        "{} is of a run with the solver `{found}`, which this Tumble does not know (it has {}): use the Tumble that wrote it",
        path.display(),
        solver_names()
    )]
    UnknownSolver {
        /// The file.
        path: PathBuf,
        /// The solver it names.
        found: String,
    },
    /// The bytes are not those that were written.
    #[error("{} is corrupted: its checksum does not fit its content", path.display())]
    Corrupted {
        /// The file.
        path: PathBuf,
    },
    /// The sections contradict each other.
    #[error("{} is inconsistent: {what}", path.display())]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// The contradiction.
        what: String,
    },
}

impl CheckpointError {
    /// Whether the file itself is damaged or no checkpoint at all, so that an earlier checkpoint is the better choice.
    /// A file of another format or machine, or one that may not be read, is not damaged.
    pub fn is_damage(&self) -> bool {
        match self {
            CheckpointError::Foreign { .. }
            | CheckpointError::Truncated { .. }
            | CheckpointError::Corrupted { .. }
            | CheckpointError::Inconsistent { .. } => true,
            CheckpointError::File(_)
            | CheckpointError::NewerFormat { .. }
            | CheckpointError::OlderFormat { .. }
            | CheckpointError::OtherByteOrder { .. }
            | CheckpointError::UnknownSolver { .. } => false,
        }
    }
}

fn total_or_unknown(total: &Option<u64>) -> String {
    total.map_or_else(|| "an unknown number of".to_owned(), |total| total.to_string())
}

fn solver_names() -> String {
    Solver::ALL.map(|solver| format!("`{}`", solver.name())).join(", ")
}

/// Writes a checkpoint. It is safely on disk under its name when this returns; on an error, what was there before is
/// still there.
pub fn write(path: &Path, state: &State, extra: &CheckpointExtra) -> Result<(), CheckpointError> {
    check_lengths(&state.particles).map_err(|what| CheckpointError::Inconsistent {
        path: path.to_owned(),
        what: format!("not written: {what}"),
    })?;
    Ok(atomic_file::replace(path, |file| encode(file, state, extra))?)
}

/// Reads a checkpoint. Nothing of a file is believed before its checksum is found right.
pub fn read(path: &Path) -> Result<(State, CheckpointExtra), CheckpointError> {
    read_from(ContainerReader::open(path)?)
}

/// Reads a checkpoint from its bytes; messages call it by a path.
pub fn read_bytes(path: &Path, bytes: Vec<u8>) -> Result<(State, CheckpointExtra), CheckpointError> {
    read_from(ContainerReader::in_memory(path, bytes)?)
}

fn read_from(mut reader: ContainerReader) -> Result<(State, CheckpointExtra), CheckpointError> {
    let extra = reader.section::<u8>("extra")?;
    let extra: CheckpointExtra =
        serde_json::from_slice(&extra).map_err(|error| reader.inconsistent(format!("section `extra`: {error}")))?;
    let state = decode_state(&mut reader)?;
    reader.finish()?;
    check_lengths(&state.particles).map_err(|what| reader.inconsistent(what))?;
    Ok((state, extra))
}

/// Step and time [s] of a checkpoint, which is checked as a whole.
pub fn read_moment(path: &Path) -> Result<(u64, f64), CheckpointError> {
    let mut reader = ContainerReader::open(path)?;
    reader.section::<u8>("extra")?;
    let Scalars { step, time, .. } = reader.single("scalars")?;
    Ok((step, time))
}

/// Scalars of the state that have no section of their own.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Scalars {
    step: u64,
    time: f64,
    time_remainder: f64,
    time_step: f64,
    random: [u64; 4],
    n_removed: u64,
    removed_mass: f64,
    next_id: u64,
}

// Each `let` below names every field and has no `..`: a field that is new in the engine does not compile here until
// it is stored and read back.

fn encode(file: impl Write + Seek, state: &State, extra: &CheckpointExtra) -> io::Result<()> {
    let mut writer = ContainerWriter::begin(file)?;
    encode_common(&mut writer, state, extra)?;
    writer.section("solver", state.solver.solver().name().as_bytes())?;
    match &state.solver {
        SolverState::Soft(soft) => encode_soft(&mut writer, soft)?,
        SolverState::Stepped(stepped) => encode_stepped(&mut writer, stepped)?,
        SolverState::Events(events) => encode_events(&mut writer, events)?,
    }
    writer.finish()
}

/// All but the solver's own.
fn encode_common<W: Write + Seek>(
    writer: &mut ContainerWriter<W>,
    state: &State,
    extra: &CheckpointExtra,
) -> io::Result<()> {
    let State {
        step,
        time,
        time_remainder,
        time_step,
        particles,
        walls,
        inserters,
        random,
        n_removed,
        removed_mass,
        departed,
        crossed,
        groups,
        next_id,
        ledger,
        former_gravity,
        solver: _,
    } = state;
    writer.section("extra", &serde_json::to_vec(extra)?)?;
    let scalars = Scalars {
        step: *step,
        time: *time,
        time_remainder: *time_remainder,
        time_step: *time_step,
        random: *random,
        n_removed: *n_removed,
        removed_mass: *removed_mass,
        next_id: u64::from(*next_id),
    };
    writer.section("scalars", &[scalars])?;
    particles.write_fields(writer)?;
    writer.section("walls", &walls.iter().map(wall_to_numbers).collect::<Vec<_>>())?;
    writer.section("inserters", inserters)?;
    writer.section("departed", departed)?;
    writer.section("crossed", crossed)?;
    let is_known: Vec<u8> = groups.iter().map(|members| u8::from(members.is_known)).collect();
    let counts: Vec<u64> = groups.iter().map(|members| members.ids.len() as u64).collect();
    writer.section("groups.known", &is_known)?;
    writer.section("groups.counts", &counts)?;
    writer.section_of_parts("groups.ids", groups.iter().map(|members| &members.ids[..]))?;
    writer.section("ledger", &[*ledger])?;
    writer.section("former_gravity", &[*former_gravity])
}

fn encode_soft<W: Write + Seek>(writer: &mut ContainerWriter<W>, soft: &SoftState) -> io::Result<()> {
    let SoftState { skin, contacts, reference } = soft;
    let Reference { builds, positions, wall_poses } = reference;
    writer.section("soft.skin", &[*skin])?;
    contacts::encode(writer, contacts)?;
    writer.section("soft.reference.builds", &[*builds])?;
    writer.section("soft.reference.positions", positions)?;
    writer.section("soft.reference.wall_poses", &wall_poses.iter().map(pose_to_numbers).collect::<Vec<_>>())
}

fn encode_stepped<W: Write + Seek>(writer: &mut ContainerWriter<W>, stepped: &SteppedState) -> io::Result<()> {
    let SteppedState { totals, skin, reference, reference_time, builds } = stepped;
    writer.section("hard.totals", &[*totals])?;
    writer.section("hard.skin", &[*skin])?;
    writer.section("hard.reference.positions", reference)?;
    writer.section("hard.reference.time", &[*reference_time])?;
    writer.section("hard.reference.builds", &[*builds])
}

fn encode_events<W: Write + Seek>(writer: &mut ContainerWriter<W>, events: &EventState) -> io::Result<()> {
    let EventState { totals, last_collision, asleep, n_fallen_asleep, n_woken } = events;
    writer.section("hard.totals", &[*totals])?;
    writer.section("hard.last_collision", last_collision)?;
    writer.section("hard.asleep", asleep)?;
    writer.section("hard.slept", &[[*n_fallen_asleep, *n_woken]])
}

impl<W: Write + Seek> FieldWriter for ContainerWriter<W> {
    type Error = io::Error;

    fn write<T: Pod>(&mut self, name: &'static str, values: &[T]) -> io::Result<()> {
        self.section(&format!("particles.{name}"), values)
    }
}

impl FieldReader for ContainerReader {
    type Error = CheckpointError;

    fn read<T: Pod>(&mut self, name: &'static str) -> Result<Vec<T>, CheckpointError> {
        self.section(&format!("particles.{name}"))
    }
}

fn decode_state(reader: &mut ContainerReader) -> Result<State, CheckpointError> {
    let Scalars { step, time, time_remainder, time_step, random, n_removed, removed_mass, next_id } =
        reader.single("scalars")?;
    let next_id =
        u32::try_from(next_id).map_err(|_| reader.inconsistent(format!("the next id, {next_id}, is too large")))?;
    // Fields are read in the order in which they are written here.
    Ok(State {
        step,
        time,
        time_remainder,
        time_step,
        random,
        n_removed,
        removed_mass,
        next_id,
        particles: Particles::read_fields(reader)?,
        walls: reader.section("walls")?.iter().map(wall_from_numbers).collect(),
        inserters: reader.section("inserters")?,
        departed: reader.section("departed")?,
        crossed: reader.section("crossed")?,
        groups: decode_groups(reader)?,
        ledger: reader.single("ledger")?,
        former_gravity: reader.single("former_gravity")?,
        solver: decode_solver(reader)?,
    })
}

fn decode_groups(reader: &mut ContainerReader) -> Result<Vec<Members>, CheckpointError> {
    let known = reader.section::<u8>("groups.known")?;
    let counts = reader.section::<u64>("groups.counts")?;
    let mut ids = reader.section::<u32>("groups.ids")?.into_iter();
    let total = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
    if counts.len() != known.len() || total != Some(ids.len() as u64) {
        return Err(reader.inconsistent("the groups do not have as many members as they say"));
    }
    let members = |(&known, &count): (&u8, &u64)| Members {
        is_known: known != 0,
        ids: ids.by_ref().take(count as usize).collect(),
    };
    Ok(known.iter().zip(&counts).map(members).collect())
}

fn decode_solver(reader: &mut ContainerReader) -> Result<SolverState, CheckpointError> {
    let name = reader.section::<u8>("solver")?;
    let Some(solver) = Solver::ALL.into_iter().find(|solver| solver.name().as_bytes() == name) else {
        let found = String::from_utf8_lossy(&name).into_owned();
        return Err(CheckpointError::UnknownSolver { path: reader.path().to_owned(), found });
    };
    match solver {
        Solver::Soft => Ok(SolverState::Soft(SoftState {
            skin: reader.single("soft.skin")?,
            contacts: contacts::decode(reader)?,
            reference: Reference {
                builds: reader.single("soft.reference.builds")?,
                positions: reader.section("soft.reference.positions")?,
                wall_poses: reader.section("soft.reference.wall_poses")?.iter().map(pose_from_numbers).collect(),
            },
        })),
        Solver::HardStepped => Ok(SolverState::Stepped(SteppedState {
            totals: reader.single("hard.totals")?,
            skin: reader.single("hard.skin")?,
            reference: reader.section("hard.reference.positions")?,
            reference_time: reader.single("hard.reference.time")?,
            builds: reader.single("hard.reference.builds")?,
        })),
        Solver::HardEvents => {
            let (totals, last_collision) = (reader.single("hard.totals")?, reader.section("hard.last_collision")?);
            let asleep = reader.section("hard.asleep")?;
            let [n_fallen_asleep, n_woken] = reader.single("hard.slept")?;
            Ok(SolverState::Events(EventState { totals, last_collision, asleep, n_fallen_asleep, n_woken }))
        }
    }
}

/// Every field of the particles has one element a particle, or the message says which has not.
fn check_lengths(particles: &Particles) -> Result<(), String> {
    particles.write_fields(&mut LengthCheck { n_particles: particles.len() })
}

struct LengthCheck {
    n_particles: usize,
}

impl FieldWriter for LengthCheck {
    type Error = String;

    fn write<T: Pod>(&mut self, name: &'static str, values: &[T]) -> Result<(), String> {
        match (values.len(), self.n_particles) {
            (length, n) if length == n => Ok(()),
            (length, n) => Err(format!("`particles.{name}` has {length} elements for {n} particles")),
        }
    }
}

fn pose_to_numbers(pose: &Pose) -> [f64; 7] {
    let Pose { position: p, orientation: q } = *pose;
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
}

fn pose_from_numbers(&[px, py, pz, x, y, z, w]: &[f64; 7]) -> Pose {
    Pose { position: DVec3::new(px, py, pz), orientation: DQuat::from_xyzw(x, y, z, w) }
}

fn wall_to_numbers(wall: &WallState) -> [f64; 31] {
    let WallState {
        pose,
        velocity,
        angular_velocity,
        force,
        torque,
        motion_pose,
        motion_time,
        travel,
        travel_speed,
        conveyor_power,
        present,
    } = wall;
    let mut numbers = [0.0; 31];
    numbers[..7].copy_from_slice(&pose_to_numbers(pose));
    for (place, vector) in [velocity, angular_velocity, force, torque].into_iter().enumerate() {
        vector.write_to_slice(&mut numbers[7 + 3 * place..]);
    }
    numbers[19..26].copy_from_slice(&pose_to_numbers(motion_pose));
    numbers[26] = *motion_time;
    numbers[27] = f64::from(u8::from(*present));
    numbers[28..].copy_from_slice(&[*travel, *travel_speed, *conveyor_power]);
    numbers
}

fn wall_from_numbers(numbers: &[f64; 31]) -> WallState {
    let vector = |place: usize| DVec3::from_slice(&numbers[7 + 3 * place..]);
    let pose = |first: usize| pose_from_numbers(&std::array::from_fn(|k| numbers[first + k]));
    WallState {
        pose: pose(0),
        velocity: vector(0),
        angular_velocity: vector(1),
        force: vector(2),
        torque: vector(3),
        motion_pose: pose(19),
        motion_time: numbers[26],
        travel: numbers[28],
        travel_speed: numbers[29],
        conveyor_power: numbers[30],
        present: numbers[27] != 0.0,
    }
}

#[cfg(test)]
mod tests;
