//! What a run left: time series, the state of a checkpoint, the frames of its trajectory, tables of its probes. Each is read when it
//! is asked for, and what is not there is named with the key of the scene that makes it.

use super::discharge::discharge;
use super::grains::{self, Frame};
use super::packing::in_core;
use super::{Outflow, state_of};
use crate::stored_run::stored_scene;
use crate::{DVec3, RunDirectory, RunError, Simulation, State, Surface, snapshot};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use tumble_engine::observe::ProbeQuantity;
use tumble_io::Table;
use tumble_io::scene::Scene;
use tumble_io::trajectory::TrajectoryReader;

/// So many grains of all frames together are kept in memory; of longer trajectories every second, third, ... frame is read.
const MOST_GRAINS: u64 = 3_000_000;
/// Shares of a bed's height between which its density before a discharge is taken: above a hopper's cone.
const BEFORE_DISCHARGE: [f64; 2] = [0.5, 0.85];

/// What an analysis is asked to look at, where it could look at several things.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// Simulated time of the moment to look at [s]; `None`: the end.
    pub time: Option<f64>,
    /// Simulated time from which frames are looked at [s].
    pub from: Option<f64>,
    /// Simulated time until which frames are looked at [s].
    pub until: Option<f64>,
    /// The kind of grain whose mixing with the others is asked for.
    pub kind: Option<String>,
    /// The wall that turns or presses.
    pub wall: Option<String>,
}

/// What a run left.
pub struct Evidence {
    root: PathBuf,
    directory: RunDirectory,
    wishes: Wishes,
    simulation: OnceCell<Result<Simulation, String>>,
}

impl Evidence {
    /// That of the run in a directory.
    pub fn of(root: &Path, wishes: &Wishes) -> Result<Evidence, RunError> {
        let directory = RunDirectory::open(root)?;
        Ok(Evidence { root: root.to_owned(), directory, wishes: wishes.clone(), simulation: OnceCell::new() })
    }

    /// The directory of the run.
    pub fn directory(&self) -> &RunDirectory {
        &self.directory
    }

    /// The run at a checkpoint: the last, or the last that is not after the time asked for.
    pub fn simulation(&self) -> Result<&Simulation, String> {
        let read = || {
            let at = snapshot(&self.root, self.wishes.time);
            // Frames go further back than checkpoints, and have the same model.
            at.or_else(|why| if self.has_frames() { snapshot(&self.root, None) } else { Err(why) })
                .map_err(|error| error.to_string())
        };
        self.simulation.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    fn has_frames(&self) -> bool {
        self.directory.trajectory_path().exists()
    }

    /// The grains at the moment asked for: that of a checkpoint, or nearer to it of a frame of the trajectory.
    pub fn state(&self) -> Result<Cow<'_, State>, String> {
        let simulation = self.simulation()?;
        let state = simulation.state();
        let Some(time) = self.wishes.time.filter(|_| self.has_frames()) else { return Ok(Cow::Borrowed(state)) };
        let mut reader = self.trajectory()?;
        let before = reader.frames().iter().rposition(|frame| frame.time <= time * (1.0 + 1e-9));
        let Some(index) = before else { return Err(format!("the trajectory has no frame before {time} s")) };
        if state.time <= time && state.time >= reader.frames()[index].time {
            return Ok(Cow::Borrowed(state));
        }
        let frame = reader.read_frame(index).map_err(|error| error.to_string())?;
        state_of(simulation.model(), &frame).map(Cow::Owned)
    }

    /// The time series.
    pub fn series(&self) -> Result<Table, String> {
        Table::read(&self.directory.series_path()).map_err(|error| error.to_string())
    }

    fn trajectory(&self) -> Result<TrajectoryReader, String> {
        let path = self.directory.trajectory_path();
        if !path.exists() {
            return Err("the run has no trajectory: `output.trajectory = \"10 ms\"` makes one".to_owned());
        }
        TrajectoryReader::open(&path).map_err(|error| error.to_string())
    }

    /// The frames of the trajectory in the time asked for, that have grains.
    pub fn frames(&self) -> Result<Vec<State>, String> {
        let simulation = self.simulation()?;
        let mut reader = self.trajectory()?;
        let Wishes { time, from, until, .. } = &self.wishes;
        let (from, until) = (from.unwrap_or(0.0), until.or(*time).unwrap_or(f64::INFINITY));
        let wanted: Vec<usize> = (0..reader.frames().len())
            .filter(|&index| {
                let frame = &reader.frames()[index];
                frame.n_particles > 0 && frame.time >= from * (1.0 - 1e-9) && frame.time <= until * (1.0 + 1e-9)
            })
            .collect();
        let n_grains: u64 = wanted.iter().map(|&index| u64::from(reader.frames()[index].n_particles)).sum();
        let every = n_grains.div_ceil(MOST_GRAINS).max(1) as usize;
        let mut states: Vec<State> = Vec::new();
        for index in wanted.into_iter().step_by(every) {
            let frame = reader.read_frame(index).map_err(|error| error.to_string())?;
            states.push(state_of(simulation.model(), &frame)?);
        }
        // The last frame of a run stands off the regular ones.
        if let [.., third, second, last] = &states[..]
            && last.time - second.time < 0.95 * (second.time - third.time)
        {
            states.pop();
        }
        Ok(states)
    }

    fn scene(&self) -> Result<Scene, String> {
        stored_scene(&self.directory, &[], None).map_err(|error| error.to_string())
    }

    fn probe(&self, is_wanted: impl Fn(&ProbeQuantity) -> bool) -> Result<Option<Table>, String> {
        let scene = self.scene()?;
        let Some(planned) = scene.output.probes.iter().find(|planned| is_wanted(&planned.probe.quantity)) else {
            return Ok(None);
        };
        let path = self.directory.probe_path(&planned.probe.name);
        Table::read(&path).map(Some).map_err(|error| error.to_string())
    }

    /// What the walls bore and where they were.
    pub fn probe_of_wall_loads(&self) -> Result<Table, String> {
        let found = self.probe(|quantity| matches!(quantity, ProbeQuantity::WallLoads))?;
        found.ok_or_else(|| {
            "the run has no probe of its walls: `output.probes = [{ name = \"loads\", wall_loads = {} }]` makes one"
                .to_owned()
        })
    }

    /// The stress in a region, if there is a probe of it.
    pub fn probe_of_stress(&self) -> Option<Table> {
        self.probe(|quantity| matches!(quantity, ProbeQuantity::Stress { .. })).ok().flatten()
    }

    /// How the run discharged through its opening, whose width [m] is measured at its walls unless it is given.
    pub fn outflow(&self, opening: Option<f64>) -> Result<Outflow, String> {
        let found = discharge(&self.series()?)?;
        let rate = &found.answers[0];
        let first_left =
            found.answers.iter().find(|answer| answer.name == "first grain left at").map_or(0.0, |a| a.value);
        let simulation = self.simulation()?;
        let model = simulation.model();
        let opening = match opening {
            Some(opening) => opening,
            None => self.narrowest(simulation)?,
        };
        let mut reader = self.trajectory()?;
        let before = reader.frames().iter().rposition(|frame| frame.time <= first_left);
        let Some(index) = before else {
            return Err("no frame of the trajectory shows the bed before it runs out".to_owned());
        };
        let frame = reader.read_frame(index).map_err(|error| error.to_string())?;
        let bed = state_of(model, &frame)?;
        let seen = Frame::of(model, &bed)?;
        let slices = seen.fractions(model, &bed)?;
        let height = seen.height();
        let upper: Vec<f64> = slices
            .iter()
            .filter(|slice| slice[0] > BEFORE_DISCHARGE[0] * height && slice[0] < BEFORE_DISCHARGE[1] * height)
            .map(|slice| slice[1])
            .collect();
        let upper = if upper.is_empty() { in_core(&slices, height) } else { upper };
        if upper.is_empty() {
            return Err("the bed is too low to measure its density before it runs out".to_owned());
        }
        let grains = &bed.particles;
        let volume: f64 = (0..grains.len())
            .map(|grain| model.species[grains.species[grain] as usize].volume * grains.scale[grain].powi(3))
            .sum();
        let density = grains.mass.iter().sum::<f64>() / volume;
        Ok(Outflow {
            opening,
            rate: (rate.value, rate.error.unwrap_or(f64::NAN)),
            bulk_density: density * upper.iter().sum::<f64>() / upper.len() as f64,
            diameter: grains::mean_diameter(model, grains),
            gravity: model.gravity_at(simulation.state()).length(),
        })
    }

    /// Twice the smallest radius of the upright walls of revolution [m].
    fn narrowest(&self, simulation: &Simulation) -> Result<f64, String> {
        let (model, state) = (simulation.model(), simulation.state());
        let up = grains::up(model, state)?;
        let radii = model.walls.iter().zip(&state.walls).filter_map(|(wall, now)| match &wall.surface {
            Surface::Revolved(revolved) if now.present && (now.pose.orientation * DVec3::Z).dot(up).abs() > 0.999 => {
                revolved.profile().iter().map(|point| point[0]).filter(|radius| *radius > 0.0).min_by(f64::total_cmp)
            }
            _ => None,
        });
        let radius = radii.min_by(f64::total_cmp);
        radius.map(|radius| 2.0 * radius).ok_or_else(|| {
            "no upright wall of revolution has an opening whose width could be measured: say it with --opening"
                .to_owned()
        })
    }
}
