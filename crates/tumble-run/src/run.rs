//! A run from its first step, or from a checkpoint, to its end.

use crate::account::streams_are_done;
use crate::course::Course;
use crate::observer::Observer;
use crate::records::Records;
use crate::schedule::{Moments, Schedule, Stop};
use crate::{RunError, VERSION, Watcher};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tumble_engine::boundary::insertion::Watch;
use tumble_engine::observe::{ContactRecord, Energies, Probe};
use tumble_engine::{Model, Simulation, State};
use tumble_io::checkpoint::{self, CheckpointExtra};
use tumble_io::run_directory::RunDirectory;
use tumble_io::run_report::{RunReport, RunStatus, StageReport};
use tumble_io::scene::{self, InputFile, OutputPlan, Scene, Stage, StopPlan};

/// The kinetic energy is held against its bound at every so many steps, whatever is written.
const ENERGY_EVERY: f64 = 100.0;
/// Name of the counter that tells whether the kinetic energy has ended the run.
pub(crate) const AT_REST: &str = "at_rest";

/// A moment of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Steps done.
    pub step: u64,
    /// Simulated time [s].
    pub time: f64,
}

impl Moment {
    /// The moment of a state.
    pub fn of(state: &State) -> Moment {
        Moment { step: state.step, time: state.time }
    }
}

/// How a run came to stand still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its time is over.
    Time,
    /// Its kinetic energy fell below the bound of the scene.
    AtRest,
    /// Its last stage is over.
    Stages,
    /// The watcher wanted it to stop.
    Interrupted,
}

/// What a run needs of its scene when its model is taken.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The scene, as the user named it.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) input_files: Vec<InputFile>,
    pub(crate) output: OutputPlan,
    /// Fingerprint of the scene and its inputs.
    pub(crate) fingerprint: u64,
    pub(crate) stop: StopPlan,
    pub(crate) stages: Vec<Stage>,
}

impl Origin {
    /// Goes to a stage of the run: the model is that of it, and so is what is written.
    pub(crate) fn enter_stage(&mut self, model: Model, stage: usize) -> Model {
        match self.stages.get_mut(stage).and_then(|stage| stage.change.take()) {
            Some((model, output)) => {
                self.output = output;
                model
            }
            None => model,
        }
    }

    pub(crate) fn of(scene: Scene, name: String) -> (Model, Origin) {
        let fingerprint = scene.fingerprint();
        // What is no longer needed is let go of: a list of grains can be as large as the state.
        let Scene { title, text, model, output, stop, stages, input_files, warnings: _ } = scene;
        (model, Origin { name, title, text, input_files, output, fingerprint, stop, stages })
    }
}

/// A run: a simulation with an end, observers and, if it is recorded, files.
///
/// ```
/// use tumble_run::{End, Run};
///
/// # let scene = "materials.glass = { preset = 'glass' }
/// #     particles.bead = { diameter = '5 mm' }
/// #     insert = [{ fill = { region = { ball = { centre = [0, 0, 0], radius = '2 cm' } }, count = 5 } }]
/// #     time = { end = '10 ms', step = '1 ms' }";
/// let mut run = Run::from_text(scene)?;
/// run.every(0.002, |simulation| assert!(simulation.time() <= 0.01))?;
/// run.run_until(0.005, &mut ())?;
/// assert_eq!(run.state().step, 5);
/// assert_eq!(run.run(&mut ())?, End::Time);
/// assert_eq!(run.state().step, 10);
/// # Ok::<(), tumble_run::RunError>(())
/// ```
#[derive(Debug)]
pub struct Run {
    simulation: Simulation,
    stop: Stop,
    /// Looks at the kinetic energy.
    energy: Option<Moments>,
    /// Whether the kinetic energy has ended the run. A checkpoint carries it on: the moments at which the energy is looked
    /// at do not come twice.
    at_rest: bool,
    /// Its stages, if it has some.
    course: Option<Course>,
    observers: Vec<Observer>,
    origin: Option<Origin>,
    records: Option<Records>,
}

/// Reads a scene from its file; overrides have the form `key.path=value`. If the file is the scene that a run has stored,
/// the files it names are those that the run has stored too.
///
/// ```
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("box.toml");
/// # let text = "title = 'A box'
/// #     materials.glass = { preset = 'glass' }
/// #     particles.bead = { diameter = '5 mm' }
/// #     insert = [{ fill = { region = { ball = { centre = [0, 0, 0], radius = '2 cm' } }, count = 5 } }]
/// #     time.end = '1 s'";
/// std::fs::write(&path, text).unwrap();
/// let scene = tumble_run::load_scene(&path, &["time.end=2 s".to_owned()])?;
/// assert_eq!((scene.title.as_str(), scene.stop.time), ("A box", 2.0));
/// # Ok::<(), tumble_run::RunError>(())
/// ```
pub fn load_scene(path: &Path, overrides: &[String]) -> Result<Scene, RunError> {
    load_scene_from(path, overrides, None)
}

/// The same; with the directory of a run, it begins with the grains, contacts and walls that this run has left, and what would
/// fill it at the start is switched off.
pub fn load_scene_from(path: &Path, overrides: &[String], from: Option<&Path>) -> Result<Scene, RunError> {
    let directory = path.parent().and_then(|root| RunDirectory::open(root).ok());
    match directory.filter(|directory| directory.scene_path() == path) {
        Some(directory) => crate::stored_run::stored_scene(&directory, overrides, from),
        None => Ok(scene::load_begun(path, overrides, from)?),
    }
}

impl Run {
    /// A run of a scene file, at its first step; overrides have the form `key.path=value`. Nothing is written before
    /// [`Run::record_in`].
    pub fn load(path: &Path, overrides: &[String]) -> Result<Run, RunError> {
        Run::from_scene(load_scene(path, overrides)?, &path.display().to_string())
    }

    /// A run of a scene that is given as text; files that it names are looked for in the working directory.
    pub fn from_text(text: &str) -> Result<Run, RunError> {
        Run::from_scene(scene::parse(text, "scene", Path::new(""), &[])?, "scene")
    }

    /// A run of a scene, which messages call by a name.
    pub fn from_scene(scene: Scene, name: &str) -> Result<Run, RunError> {
        Run::from_scene_watched(scene, name, &mut |_| ControlFlow::Continue(()))
    }

    /// The same; `watch` is told how far the grains of the start have found their places, and can end that.
    pub fn from_scene_watched(scene: Scene, name: &str, watch: &mut Watch) -> Result<Run, RunError> {
        for planned in &scene.output.probes {
            planned.probe.check(&scene.model)?;
        }
        let (model, mut origin) = Origin::of(scene, name.to_owned());
        let stop = Stop::new(&origin.stop, None);
        let simulation = Simulation::new_watched(model, watch)?;
        let course = Course::new(std::mem::take(&mut origin.stages), simulation.state());
        Ok(Run { course, ..Run::at(simulation, stop, Some(origin)) })
    }

    /// A run of a model. It has no end of its own and cannot be recorded, but [saved](Run::save).
    ///
    /// ```
    /// use tumble_run::{DVec3, Material, Model, Run, Shape, Sphere};
    ///
    /// let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 };
    /// let mut builder = Model::builder();
    /// let glass = builder.material(glass);
    /// let bead = builder.species("bead", &Shape::Sphere(Sphere { radius: 0.005 }), glass);
    /// builder.grain(bead, DVec3::new(0.0, 0.0, 0.1));
    /// let mut run = Run::from_model(builder.build()?)?;
    /// run.run_until(0.1, &mut ())?;
    /// let fallen = 0.1 - run.state().particles.position[0].z;
    /// let time = run.time();
    /// assert!((fallen - 0.5 * 9.81 * time * time).abs() < 1e-6);
    /// # Ok::<(), tumble_run::RunError>(())
    /// ```
    pub fn from_model(model: Model) -> Result<Run, RunError> {
        let stop = Stop { time: f64::INFINITY, kinetic_energy: None, after: 0.0 };
        Ok(Run::at(Simulation::new(model)?, stop, None))
    }

    /// A run of a scene that goes on from a checkpoint, without files.
    ///
    /// ```
    /// use tumble_run::{Run, load_scene};
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let (scene, saved) = (directory.path().join("scene.toml"), directory.path().join("a.checkpoint"));
    /// # let scene_text = "materials.glass = { preset = 'glass' }
    /// #     particles.bead = { diameter = '5 mm' }
    /// #     insert = [{ fill = { region = { ball = { centre = [0, 0, 0], radius = '2 cm' } }, count = 5 } }]
    /// #     time = { end = '10 ms', step = '1 ms' }";
    /// std::fs::write(&scene, scene_text).unwrap();
    /// let mut run = Run::load(&scene, &[])?;
    /// run.run_until(0.004, &mut ())?;
    /// run.save(&saved)?;
    /// let mut again = Run::from_checkpoint(load_scene(&scene, &[])?, &saved)?;
    /// assert_eq!(again.state().step, 4);
    /// run.run(&mut ())?;
    /// again.run(&mut ())?;
    /// assert_eq!(run.state_hash(), again.state_hash());
    /// # Ok::<(), tumble_run::RunError>(())
    /// ```
    pub fn from_checkpoint(scene: Scene, path: &Path) -> Result<Run, RunError> {
        let (state, extra) = checkpoint::read(path)?;
        let (model, mut origin) = Origin::of(scene, "the scene".to_owned());
        if extra.scene_hash != origin.fingerprint {
            return Err(RunError::OtherScene { checkpoint: path.to_owned(), scene: origin.name });
        }
        let stop = Stop::new(&origin.stop, None);
        let model = origin.enter_stage(model, Course::stage_of(&extra));
        let simulation = Simulation::resume(model, state)?;
        let course = Course::resumed(std::mem::take(&mut origin.stages), &extra, simulation.state(), false);
        let mut run = Run { course, ..Run::at(simulation, stop, Some(origin)) };
        run.at_rest = stop.kinetic_energy.is_some() && extra.counter(AT_REST) == Some(1);
        Ok(run)
    }

    /// A run at the moment of its simulation, of which all that is due is done.
    pub(crate) fn at(simulation: Simulation, stop: Stop, origin: Option<Origin>) -> Run {
        let state = simulation.state();
        let energy = stop.kinetic_energy.map(|_| Moments::after(ENERGY_EVERY * state.time_step, state));
        Run { simulation, stop, energy, at_rest: false, course: None, observers: Vec::new(), origin, records: None }
    }

    /// A run that goes on with its files.
    pub(crate) fn resumed(
        simulation: Simulation,
        stop: Stop,
        records: Records,
        course: Option<Course>,
        at_rest: bool,
    ) -> Run {
        Run { at_rest, course, records: Some(records), ..Run::at(simulation, stop, None) }
    }

    /// Makes a directory for the run, before its first step, and writes its first moment there. A directory that holds a run
    /// already is refused, or with `overwrite` cleared of that run.
    ///
    /// ```
    /// use tumble_run::{Run, StoredRun};
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let root = directory.path().join("run");
    ///
    /// # let scene = "materials.glass = { preset = 'glass' }
    /// #     particles.bead = { diameter = '5 mm' }
    /// #     insert = [{ fill = { region = { ball = { centre = [0, 0, 0], radius = '2 cm' } }, count = 5 } }]
    /// #     time = { end = '10 ms', step = '1 ms' }";
    /// let mut run = Run::from_text(scene)?;
    /// run.record_in(&root, false)?;
    /// run.run(&mut ())?;
    /// let hash = run.state_hash();
    /// drop(run);
    /// let stored = StoredRun::open(&root)?;
    /// assert_eq!(stored.report().unwrap().state_hash, format!("{hash:016x}"));
    /// # Ok::<(), tumble_run::RunError>(())
    /// ```
    pub fn record_in(&mut self, root: &Path, overwrite: bool) -> Result<(), RunError> {
        if let Some(records) = &self.records {
            return Err(RunError::Recorded { directory: records.directory.root().to_owned() });
        }
        let step = self.simulation.state().step;
        if step > 0 {
            return Err(RunError::NotAtStart { step });
        }
        let origin = self.origin.take().ok_or(RunError::NoScene)?;
        let directory = RunDirectory::create(root, overwrite)?;
        let course = self.course.as_ref();
        let records = Records::create(directory, origin, self.stop.time, &self.simulation, course)?;
        let records = self.records.insert(records);
        records.write_due(&self.simulation, course)?;
        records.write_checkpoint(&mut self.simulation, course, self.at_rest)?;
        records.schedule.pass(self.simulation.state());
        Ok(records.directory.has_begun()?)
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// What never changes.
    pub fn model(&self) -> &Model {
        self.simulation.model()
    }

    /// What changes.
    pub fn state(&self) -> &State {
        self.simulation.state()
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.simulation.time()
    }

    /// When it ends.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Title of the scene; empty where there is none.
    pub fn title(&self) -> &str {
        match (&self.records, &self.origin) {
            (Some(records), _) => &records.identity.title,
            (None, Some(origin)) => &origin.title,
            (None, None) => "",
        }
    }

    /// The scene, as the user named it; empty where there is none.
    pub fn scene_name(&self) -> &str {
        match (&self.records, &self.origin) {
            (Some(records), _) => &records.identity.scene,
            (None, Some(origin)) => &origin.name,
            (None, None) => "",
        }
    }

    /// What is written and how often; `None` for a run of a model.
    pub fn output_plan(&self) -> Option<&OutputPlan> {
        let of_scene = self.origin.as_ref().map(|origin| &origin.output);
        self.records.as_ref().map(|records| &records.output).or(of_scene)
    }

    /// Where it is recorded.
    pub fn directory(&self) -> Option<&RunDirectory> {
        self.records.as_ref().map(|records| &records.directory)
    }

    /// All touching contacts as they are now.
    ///
    /// ```
    /// use tumble_run::{DVec3, Material, Model, Partner, Run, Shape, Sphere};
    ///
    /// let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 };
    /// let mut builder = Model::builder();
    /// let glass = builder.material(glass);
    /// let bead = builder.species("bead", &Shape::Sphere(Sphere { radius: 0.005 }), glass);
    /// builder.grain(bead, DVec3::ZERO);
    /// builder.grain(bead, DVec3::X * 0.00999);
    /// let run = Run::from_model(builder.build()?)?;
    /// let contacts = run.contacts();
    /// assert_eq!(contacts.len(), 1);
    /// assert!(matches!(contacts[0].partner, Partner::Particle(_)));
    /// assert!((contacts[0].overlap - 1e-5).abs() < 1e-12);
    /// # Ok::<(), tumble_run::RunError>(())
    /// ```
    pub fn contacts(&self) -> Vec<ContactRecord> {
        self.simulation.contacts()
    }

    /// All energies as they are now.
    pub fn energies(&self) -> Energies {
        self.simulation.energies()
    }

    /// Rows of numbers that a probe measures now; [`Probe::columns`] names them.
    pub fn measure(&self, probe: &Probe) -> Result<Vec<Vec<f64>>, RunError> {
        probe.check(self.model())?;
        Ok(probe.rows(self.model(), self.state(), &self.contacts()))
    }

    /// A fingerprint of the whole state: equal for equal bits.
    pub fn state_hash(&self) -> u64 {
        self.simulation.state_hash()
    }

    /// Calls a function at the first step at or after every multiple of an interval [s]; at the start of a run also at once.
    /// It sees the run and cannot change it.
    pub fn every(&mut self, interval: f64, look: impl FnMut(&Simulation) + Send + 'static) -> Result<(), RunError> {
        self.observers.push(Observer::new(interval, &self.simulation, Box::new(look))?);
        Ok(())
    }

    /// Writes a checkpoint into a file, from which [`Run::from_checkpoint`] goes on to the bit.
    pub fn save(&self, path: &Path) -> Result<(), RunError> {
        self.simulation.check_health()?;
        let of_scene = self.origin.as_ref().map(|origin| origin.fingerprint);
        let scene_hash = self.records.as_ref().map(|records| records.scene_hash).or(of_scene).unwrap_or(0);
        let mut extra = CheckpointExtra::of(self.model(), VERSION, scene_hash);
        extra.set_counter(AT_REST, u64::from(self.at_rest));
        if let Some(course) = &self.course {
            course.note(&mut extra);
        }
        Ok(checkpoint::write(path, self.simulation.state(), &extra)?)
    }

    /// Does one step, and all that is due after it: observers look, files are written.
    pub fn step(&mut self) -> Result<(), RunError> {
        if let Err(error) = self.simulation.step() {
            return Err(match &self.records {
                Some(records) => records.keep_question(error).into(),
                None => error.into(),
            });
        }
        let comes_to_rest = self.comes_to_rest();
        self.at_rest |= comes_to_rest;
        let enters_stage = self.pass_stage()?;
        let state = self.simulation.state();
        if let Some(energy) = &mut self.energy {
            energy.pass(state);
        }
        for observer in &mut self.observers {
            observer.look(&self.simulation);
        }
        if let Some(records) = &mut self.records {
            records.account.stepped(&self.simulation);
            records.outputs.log_collisions(&self.simulation)?;
            if enters_stage || !records.schedule.is_idle(state) {
                let is_due = records.schedule.checkpoints.is_some_and(|moments| moments.are_due(state));
                let course = self.course.as_ref();
                records.write_due(&self.simulation, course)?;
                if is_due || enters_stage {
                    records.write_checkpoint(&mut self.simulation, course, self.at_rest)?;
                }
                records.schedule.pass(self.simulation.state());
            }
        }
        Ok(())
    }

    /// Steps until a simulated time [s], the run's end or the watcher's wish to stop, whichever comes first. The files of a
    /// recorded run stay open: [`Run::run`] concludes them.
    pub fn run_until(&mut self, time: f64, watcher: &mut dyn Watcher) -> Result<Option<End>, RunError> {
        let until = Stop { time, ..self.stop };
        loop {
            let state = self.simulation.state();
            if self.course.as_ref().is_some_and(Course::is_over) {
                return Ok(Some(End::Stages));
            }
            if self.stop.has_come(state) {
                return Ok(Some(End::Time));
            }
            if self.at_rest {
                return Ok(Some(End::AtRest));
            }
            if until.has_come(state) {
                return Ok(None);
            }
            if watcher.wants_stop() {
                return Ok(Some(End::Interrupted));
            }
            let stage = self.course.as_ref().map(Course::current);
            self.step()?;
            watcher.stepped(&self.simulation);
            if stage != self.course.as_ref().map(Course::current) {
                watcher.entered(&self.stages(), &self.simulation);
            }
        }
    }

    /// Runs to the end and concludes the files: a checkpoint, the last moment, the report.
    pub fn run(&mut self, watcher: &mut dyn Watcher) -> Result<End, RunError> {
        let ended = self.run_and_conclude(watcher);
        match (ended, &mut self.records) {
            (Err(why), Some(records)) => Err(records.broken(why, &mut self.simulation, self.course.as_ref())),
            (ended, _) => ended,
        }
    }

    fn run_and_conclude(&mut self, watcher: &mut dyn Watcher) -> Result<End, RunError> {
        self.write_report(RunStatus::Running, None)?;
        // There is always an end before this time.
        let end = self.run_until(f64::INFINITY, watcher)?.unwrap_or(End::Time);
        if let Some(records) = &mut self.records {
            records.conclude(end, &mut self.simulation, self.course.as_ref(), self.at_rest)?;
        }
        Ok(end)
    }

    fn write_report(&mut self, status: RunStatus, message: Option<String>) -> Result<(), RunError> {
        match &mut self.records {
            Some(records) => {
                records.write_report(&mut self.simulation, self.course.as_ref(), status, message).map(drop)
            }
            None => Ok(()),
        }
    }

    /// The report of a recorded run as it was last written.
    pub fn read_report(&self) -> Option<Result<RunReport, RunError>> {
        self.records.as_ref().map(|records| Ok(records.directory.read_report()?))
    }

    /// The newest checkpoint of a recorded run.
    pub fn newest_checkpoint(&self) -> Option<(PathBuf, Moment)> {
        let records = self.records.as_ref()?;
        records.last_checkpoint.map(|moment| (records.directory.checkpoint_path(moment.step), moment))
    }

    /// Stages that have begun, the present one last; none for a run without stages.
    pub fn stages(&self) -> Vec<StageReport> {
        self.course.as_ref().map(|course| course.report(self.time())).unwrap_or_default()
    }

    /// Name of the stage, its number from 1, and how many there are; `None` for a run without stages.
    pub fn stage(&self) -> Option<(&str, usize, usize)> {
        self.course.as_ref().map(|course| (course.name(), course.current() + 1, course.len()))
    }

    /// Goes on to the next stage if this one is over; whether it did.
    fn pass_stage(&mut self) -> Result<bool, RunError> {
        let plan = self.records.as_ref().map(|records| &records.output);
        let plan = plan.or(self.origin.as_ref().map(|origin| &origin.output));
        let (Some(course), Some(plan)) = (&mut self.course, plan) else { return Ok(false) };
        let Some((model, output)) = course.look(&self.simulation, plan) else { return Ok(false) };
        self.simulation.change(model)?;
        course.entered(self.simulation.state());
        match (&mut self.records, &mut self.origin) {
            (Some(records), _) => {
                records.schedule = Schedule::from_start(&output);
                records.output = output;
            }
            (None, Some(origin)) => origin.output = output,
            (None, None) => {}
        }
        Ok(true)
    }

    /// Whether the kinetic energy ends the run here. It is looked at at moments of its own, and not while grains are still
    /// to come: an empty box is at rest too.
    fn comes_to_rest(&self) -> bool {
        let (Some(bound), Some(moments)) = (self.stop.kinetic_energy, self.energy) else { return false };
        let state = self.simulation.state();
        moments.are_due(state)
            && state.time >= self.stop.after
            && streams_are_done(self.simulation.model(), state)
            && self.simulation.kinetic_energy() < bound
    }
}
