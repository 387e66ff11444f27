//! Scene files: TOML text to a validated [`Scene`].
//!
//! A scene is read in one pass that collects everything that is wrong with it. The keys are those declared in
//! [`crate::schema`]; each file beside this one reads one part of a scene.

mod context;
mod files;
mod finite_walls;
mod from_run;
mod groups;
mod hard;
mod insertions;
mod materials;
mod mesh_shapes;
mod motions;
mod names;
mod overrides;
mod particles;
mod planar;
mod planar_walls;
mod random_forms;
mod reader;
mod regions;
mod regular;
mod runs;
mod settings;
mod shapes;
mod sizes;
mod solids;
mod stages;
mod templates;
#[cfg(test)]
mod tests;
mod tree;
mod values;
mod walls;

pub use hard::for_solver;
pub use overrides::number_at;
pub(crate) use particles::size_of;
pub use templates::{Template, templates};
pub(crate) use values::normalised;

use crate::diagnostic::{Diagnostic, Location, Report, Severity, Source};
use crate::figures::number;
use crate::schema::SCENE;
use context::Context;
use files::{Files, Origin, plain_reason};
use particles::Kinds;
use planar::Plane;
use reader::Reader;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tree::parse_tree;
use tumble_engine::Model;
use tumble_engine::boundary::insertion::{Insertion, Plan};
use tumble_engine::law::LawKind;
use tumble_engine::observe::Probe;
use tumble_geometry::Shape;
use xxhash_rust::xxh3::Xxh3;

/// A scene that can be run.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What the scene is about; may be empty.
    pub title: String,
    /// The scene as TOML, overrides included. Read again, it gives the same model to the last bit.
    pub text: String,
    /// What is run.
    pub model: Model,
    /// What is written and how often.
    pub output: OutputPlan,
    /// When the run ends.
    pub stop: StopPlan,
    /// Its stages; none for a run that has only one. Model and output plan are those of the first.
    pub stages: Vec<Stage>,
    /// Files that the scene names, with their contents.
    pub input_files: Vec<InputFile>,
    /// What can be run but is perhaps not what was meant.
    pub warnings: Report,
}

impl Scene {
    /// A fingerprint of the scene's text and of the files it names: a checkpoint belongs to the scene with the same one.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = Xxh3::new();
        // Lengths keep what stands in one file apart from what stands in the next.
        let parts = self.input_files.iter().flat_map(|file| [file.as_written.as_bytes(), &file.bytes]);
        for part in std::iter::once(self.text.as_bytes()).chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.digest()
    }
}

/// What is written and how often, in simulated time.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputPlan {
    /// Between rows of the time series [s].
    pub series_interval: f64,
    /// Between frames for ParaView [s]; `None`: never.
    pub frame_interval: Option<f64>,
    /// Between frames of the compact trajectory [s]; `None`: never.
    pub trajectory_interval: Option<f64>,
    /// Whether the frames of the compact trajectory hold the contacts.
    pub trajectory_contacts: bool,
    /// Between checkpoints [s]; `None`: only at the end.
    pub checkpoint_interval: Option<f64>,
    /// Whether frames are written for ParaView at all.
    pub vtk: bool,
    /// Whether each frame has a second file with the contacts.
    pub contacts: bool,
    /// Whether each frame has a further file with the grains' surfaces.
    pub surfaces: bool,
    /// Whether the run is shown on one page at its end.
    pub report: bool,
    /// Measurements.
    pub probes: Vec<ProbePlan>,
}

/// A measurement and how often it is made.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbePlan {
    /// What is measured.
    pub probe: Probe,
    /// Between rows [s].
    pub interval: f64,
}

/// When the run ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopPlan {
    /// Simulated time at which it ends in any case [s].
    pub time: f64,
    /// Kinetic energy of all grains together below which it ends earlier [J]; `None`: time alone ends it.
    pub kinetic_energy: Option<f64>,
    /// Time before which the kinetic energy does not end it [s].
    pub after: f64,
}

/// A part of a run, with an end of its own.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The name it has in the scene.
    pub name: String,
    /// What is run from here on, and what is written; `None` for the first stage.
    pub change: Option<(Model, OutputPlan)>,
    /// What ends it.
    pub end: StageEnd,
}

/// What ends a stage: the first of these.
#[derive(Clone, Debug, PartialEq)]
pub struct StageEnd {
    /// Time after its beginning [s]; `None`: it may take as long as it likes.
    pub time: Option<f64>,
    /// Any of these.
    pub conditions: Vec<Condition>,
    /// For so long without a break [s].
    pub hold: f64,
}

/// A quantity beyond a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// What is held against the bound.
    pub held: Held,
    /// The bound, in SI.
    pub bound: Bound,
}

/// What can end a stage.
#[derive(Clone, Debug, PartialEq)]
pub enum Held {
    /// Kinetic energy of all grains together [J].
    KineticEnergy,
    /// Length of the force of the grains on a wall [N].
    Force {
        /// The wall.
        wall: String,
        /// Its surfaces, by their places in the model.
        faces: Vec<usize>,
    },
    /// Number of grains.
    Grains,
    /// What a probe measures.
    Probe {
        /// Place of the probe in the output plan.
        probe: usize,
        /// Place of the column in its table.
        column: usize,
        /// Probe and column, by name.
        name: String,
    },
}

/// A bound on a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// It is passed from below.
    Above(f64),
    /// It is passed from above.
    Below(f64),
}

impl StageEnd {
    /// In words: what is waited for, and how long.
    pub fn in_words(&self) -> String {
        let mut ways: Vec<String> = self.conditions.iter().map(Condition::in_words).collect();
        if self.hold > 0.0 {
            let held = format!("{} for {} s", ways.join(" or "), number(self.hold));
            ways = vec![held];
        }
        ways.extend(self.time.map(|time| format!("after {} s", number(time))));
        ways.join(", or ")
    }
}

impl Condition {
    /// In words.
    pub fn in_words(&self) -> String {
        let (what, unit) = match &self.held {
            Held::KineticEnergy => ("kinetic energy".to_owned(), " J"),
            Held::Force { wall, .. } => (format!("force on `{wall}`"), " N"),
            Held::Grains => ("number of grains".to_owned(), ""),
            Held::Probe { name, .. } => (name.clone(), ""),
        };
        match self.bound {
            Bound::Above(bound) => format!("{what} above {}{unit}", number(bound)),
            Bound::Below(bound) => format!("{what} below {}{unit}", number(bound)),
        }
    }
}

impl Bound {
    /// Whether a value is beyond.
    pub fn is_passed(self, value: f64) -> bool {
        match self {
            Bound::Above(bound) => value > bound,
            Bound::Below(bound) => value < bound,
        }
    }
}

/// A file that a scene names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// The name as the scene writes it.
    pub as_written: String,
    /// Where it was found.
    pub path: PathBuf,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// A scene that cannot be run, and everything that is wrong with it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SceneError(pub Report);

impl SceneError {
    /// The messages as text, each with the line it is about. Colour is for terminals.
    pub fn render(&self, colour: bool) -> String {
        self.0.render(colour)
    }
}

/// Reads a scene from a file. Overrides have the form `key.path=value`; files that the scene names are looked for
/// beside it.
///
/// ```
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("beads.toml");
/// # let text = "materials.glass = { preset = 'glass' }
/// #     particles.bead = { diameter = '5 mm' }
/// #     insert = [{ fill = { region = { ball = { centre = [0, 0, 0], radius = '2 cm' } }, count = 5 } }]
/// #     time.end = '0.5 s'";
/// # std::fs::write(&path, text).unwrap();
/// let scene = tumble_io::scene::load(&path, &["seed=7".to_owned()])?;
/// assert_eq!(scene.model.seed, 7);
/// assert_eq!(scene.model.insertions.len(), 1);
/// # Ok::<(), tumble_io::SceneError>(())
/// ```
pub fn load(path: &Path, overrides: &[String]) -> Result<Scene, SceneError> {
    load_begun(path, overrides, None)
}

/// The same; with the directory of a run, its grains and walls begin as that run has left them, and what would fill it at the
/// start is switched off.
pub fn load_begun(path: &Path, overrides: &[String], from: Option<&Path>) -> Result<Scene, SceneError> {
    let name = path.display().to_string();
    let bytes = crate::bounded_read::read(path, crate::bounded_read::LONGEST_SCENE);
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(|_| std::io::ErrorKind::InvalidData.into()));
    match text {
        Ok(text) => {
            let base = path.parent().unwrap_or(Path::new(""));
            read(&text, &name, Origin::Disk(base), overrides, from, &Context::default())
        }
        Err(error) => Err(SceneError(Report {
            sources: Vec::new(),
            diagnostics: vec![Diagnostic {
                severity: Severity::Error,
                key: String::new(),
                message: format!("cannot read the scene {name:?}: {}", plain_reason(&error)),
                at: None,
                expected: String::new(),
                help: Some("`tumble new NAME` writes a scene to start from".into()),
                also: None,
            }],
        })),
    }
}

/// Reads a scene from text.
///
/// ```
/// use std::path::Path;
/// use tumble_io::scene;
///
/// let text = "particles.bead = { diameter = '5 mm' }
///     insert = [{ fill = { region = { ball = { centre = [0, 0, 0], radius = '2 cm' } }, count = 5 } }]
///     time.end = '0.5 s'";
/// let scene = scene::parse(text, "box.toml", Path::new("."), &["time.end=1 s".to_owned()]);
/// let mistakes = scene.unwrap_err().render(false);
/// assert!(mistakes.contains("materials"), "{mistakes}");
///
/// let text = format!("materials.glass = {{ preset = 'glass' }}\n{text}");
/// let scene = scene::parse(&text, "box.toml", Path::new("."), &["time.end=1 s".to_owned()])?;
/// assert_eq!(scene.model.species[0].name, "bead");
/// assert_eq!(scene.stop.time, 1.0);
/// # Ok::<(), scene::SceneError>(())
/// ```
///
/// `file_name` stands in messages; files that the scene names are looked for in `base_dir`.
pub fn parse(text: &str, file_name: &str, base_dir: &Path, overrides: &[String]) -> Result<Scene, SceneError> {
    read(text, file_name, Origin::Disk(base_dir), overrides, None, &Context::default())
}

/// Reads a scene from text, with the contents of the files it names given by their names as written.
pub fn parse_with_inputs(
    text: &str,
    file_name: &str,
    overrides: &[String],
    inputs: &BTreeMap<String, Vec<u8>>,
) -> Result<Scene, SceneError> {
    parse_begun_with_inputs(text, file_name, overrides, None, inputs)
}

/// The same; with the directory of a run, on the disk, it begins as that run has ended: see [`load_begun`].
pub fn parse_begun_with_inputs(
    text: &str,
    file_name: &str,
    overrides: &[String],
    from: Option<&Path>,
    inputs: &BTreeMap<String, Vec<u8>>,
) -> Result<Scene, SceneError> {
    read(text, file_name, Origin::Memory(inputs), overrides, from, &Context::default())
}

fn read(
    text: &str,
    file_name: &str,
    origin: Origin,
    overrides: &[String],
    from: Option<&Path>,
    context: &Context,
) -> Result<Scene, SceneError> {
    let mut sources = vec![Source { name: file_name.to_string(), text: text.to_string() }];
    sources.extend(overrides.iter().map(|o| Source { name: "--set".into(), text: o.clone() }));
    let (mut tree, syntax_errors) = parse_tree(text, 0);
    // With a broken syntax half the keys may be missing; messages about them would only mislead.
    if !syntax_errors.is_empty() {
        return Err(SceneError(syntax_report(sources, syntax_errors)));
    }
    let mut document: Option<toml_edit::DocumentMut> = None;
    for (number, setting) in overrides.iter().enumerate() {
        let applied = overrides::parse_override(setting, number + 1).and_then(|parsed| {
            parsed.apply_to_tree(&mut tree)?;
            if document.is_none() {
                // The text has just been parsed without error, so it is a document.
                document = text.parse().ok();
            }
            if let Some(document) = &mut document {
                parsed.apply_to_text(document);
            }
            Ok(())
        });
        if let Err(diagnostic) = applied {
            context.report(*diagnostic);
        }
    }
    // A directory that is named on the command line is looked for from where that was given.
    let from = from.map(|run| std::path::absolute(run).unwrap_or_else(|_| run.to_owned()).display().to_string());
    if let Some(directory) = &from {
        sources.push(Source { name: "--from".into(), text: directory.clone() });
        let at = Location { source: sources.len() - 1, span: 0..directory.len() };
        let name = from_run::apply_to_tree(&mut tree, directory, &at);
        document = document.or_else(|| text.parse().ok());
        document.iter_mut().for_each(|document| from_run::apply_to_text(document, directory, &name));
    }
    let mut files = Files::new(origin, sources, from);
    let whole = Location { source: 0, span: 0..0 };
    let scene = Reader::open(context, &tree, &SCENE, String::new(), &whole);
    let title = scene.text("title").unwrap_or_default().to_string();
    if title.chars().any(char::is_control) {
        let what = "it has control characters, which would reach the terminals of those who read it".to_string();
        scene.report_at("title", what, "wants one line of plain text");
    }
    let written = stages::read_stages(&scene);
    let (model, output, stop, stages) = read_all_stages(&scene, &tree, &written, &mut files);
    let failed = context.has_errors();
    let (input_files, sources) = files.into_parts();
    let mut diagnostics = std::mem::take(&mut *context.diagnostics.borrow_mut());
    diagnostics.sort_by_key(|d| d.at.as_ref().map(|at| (at.source, at.span.start)));
    if failed {
        diagnostics.retain(|d| d.severity == Severity::Error);
        return Err(SceneError(Report { sources, diagnostics }));
    }
    let text = document.map_or_else(|| text.to_string(), |d| d.to_string());
    diagnostics.dedup();
    Ok(Scene { title, text, model, output, stop, stages, input_files, warnings: Report { sources, diagnostics } })
}

/// How far the largest grain of a scene reaches from its centre, its thickness included [m].
fn largest_reach(kinds: &Kinds, insertions: &[Insertion]) -> f64 {
    let over_bounding = |species: usize| {
        let shape = &kinds.list[species].shape;
        shape.solid_radius() / shape.bounding_radius()
    };
    let drawn = kinds.sizes.iter().enumerate().map(|(species, sizes)| sizes.largest() * over_bounding(species));
    let listed = insertions.iter().flat_map(|insertion| match &insertion.plan {
        Plan::List { grains, .. } => grains.iter().map(|g| g.radius * over_bounding(g.species as usize)).collect(),
        _ => Vec::new(),
    });
    drawn.chain(listed).fold(f64::MIN_POSITIVE, f64::max)
}

/// Reads the scene of each stage: that of the one before with its changes laid over.
fn read_all_stages(
    scene: &Reader,
    tree: &tree::Table,
    written: &[stages::Written],
    files: &mut Files,
) -> (Model, OutputPlan, StopPlan, Vec<Stage>) {
    let (context, longest) = (scene.context, stages::longest(written));
    let Some((first, later)) = written.split_first() else {
        let (model, output, stop) = read_parts(scene, None, files);
        return (model, output, stop, Vec::new());
    };
    if longest.is_none()
        && scene.table("time").is_none_or(|time| !time.has("end"))
        && let Some(endless) = written.iter().find(|stage| stage.time.is_none())
    {
        endless.report_endless();
    }
    let mut tree = tree.clone();
    let mut read_stage = |stage: &stages::Written| {
        if let Err(diagnostic) = stage.apply(&mut tree) {
            context.report(*diagnostic);
        }
        let whole = Location { source: 0, span: 0..0 };
        let scene = Reader::open(context, &tree, &SCENE, String::new(), &whole);
        // A scene without `time` has been reported above.
        let (model, output, stop) = read_parts(&scene, longest.or(Some(f64::INFINITY)), files);
        let end = stage.end(&model, &output.probes);
        (model, output, stop, end)
    };
    let (model, output, stop, end) = read_stage(first);
    let mut stages = vec![Stage { name: first.name.clone(), change: None, end }];
    for stage in later {
        // What is wrong with one stage is wrong with those after it.
        if context.has_errors() {
            break;
        }
        let (model, output, _, end) = read_stage(stage);
        stages.push(Stage { name: stage.name.clone(), change: Some((model, output)), end });
    }
    (model, output, stop, stages)
}

fn read_parts(scene: &Reader, longest: Option<f64>, files: &mut Files) -> (Model, OutputPlan, StopPlan) {
    let context = scene.context;
    let plane = Plane::read(scene);
    let law = materials::read_law(scene);
    let (solver, hard) = hard::read_solver(scene);
    let needs_moduli = match law.kind {
        LawKind::HertzMindlin { .. } => !solver.is_hard(),
        LawKind::Linear { .. } | LawKind::Volume { .. } | LawKind::Pressure { .. } => false,
    };
    let materials = materials::read_materials(scene, needs_moduli);
    let seed = scene.count("seed").unwrap_or(1);
    let kinds = particles::read_kinds(scene, seed, &materials, plane, files);
    for species in &kinds.list {
        if let Some(refused) = law.kind.refuses(&species.shape) {
            scene.report_at(
                "law",
                format!("`{}`: {refused}", species.name),
                if law.kind.goes_by_local_curvature() {
                    "take `curvature = \"body\"` for such shapes"
                } else {
                    "take `linear` or `hertz_mindlin` for other shapes"
                },
            );
        }
    }
    let (domain, shear_rate) = regions::read_domain(scene, plane);
    let (time_step, end) = settings::read_time(scene, longest);
    let around = insertions::Surroundings { materials: &materials, kinds: &kinds, domain: &domain, plane, end };
    let (mut insertions, walls_of_runs) = insertions::read_insertions(scene, &around, files);
    // A stage's motions begin with it, and when it ends is known only in the run.
    let known_end = longest.is_none().then_some(end);
    let reach = largest_reach(&kinds, &insertions);
    let mut walls = walls::read_walls(scene, &materials, plane, reach, known_end, files);
    runs::meet_walls(&mut insertions, &mut walls, &walls_of_runs);
    let gravity = scene.vector("gravity").unwrap_or(plane.default_gravity());
    plane.check_along(scene, "gravity", gravity);
    let gravity_ramp = scene.quantity("gravity_ramp").unwrap_or(0.0);
    let settings::Engine { broad_phase, skin, drag, turn_spheres } = settings::read_engine(scene);
    if !context.has_errors() {
        materials.names.warn_of_unused(context);
        kinds.names.warn_of_unused(context);
        let ends_somewhere = domain.edges.iter().any(|e| *e != tumble_engine::model::Edge::Open);
        if walls.is_empty() && gravity != glam::DVec3::ZERO && !ends_somewhere {
            context.warning("", None, "there is gravity but no wall: the grains will fall for ever", "add [[walls]]");
        }
        let rolls = materials.interactions.iter().any(|pair| pair.rolling_friction > 0.0);
        if rolls && !solver.is_hard() {
            let on_regions = matches!(law.kind, LawKind::Volume { .. } | LawKind::Pressure { .. });
            let no_spheres = !kinds.list.iter().any(|species| matches!(species.shape, Shape::Sphere(_)));
            if on_regions || no_spheres {
                let message = if on_regions {
                    "`rolling_friction` has no effect under this law"
                } else {
                    "`rolling_friction` has no effect: no grain is a sphere, and other shapes resist rolling by their shape"
                };
                context.warning("", None, message, "leave it out; it is for spheres under a depth law");
            }
        }
    }
    let (groups, group_names) = groups::read_groups(scene, &kinds);
    let (output, planes) = settings::read_output(scene, end, &group_names);
    if !context.has_errors() {
        group_names.warn_of_unused(context);
    }
    let stop = settings::read_stop(scene, end);
    let model = Model {
        materials: materials.list,
        interactions: materials.interactions,
        solver,
        hard,
        law,
        species: kinds.list,
        walls,
        gravity,
        gravity_ramp,
        planar: plane.is_on,
        domain,
        shear_rate,
        drag,
        insertions,
        broad_phase,
        skin,
        time_step,
        turn_spheres,
        seed,
        planes,
        groups,
        limits: settings::read_limits(scene),
    };
    hard::check_solver(scene, &model);
    for plane in &model.planes {
        if let Err(what) = plane.check(&model) {
            scene.report_at(
                "output",
                format!("the plane of the probe `{}`: {what}", plane.name),
                "see `flow` of a probe",
            );
        }
    }
    for planned in output.probes.iter().filter(|planned| planned.probe.group.is_some()) {
        if let Err(error) = planned.probe.check(&model) {
            scene.report_at("output", error.to_string(), "leave its `group` out");
        }
    }
    (model, output, stop)
}

/// Syntax errors in the order of the text, one for each line: the first on a line is the cause of the others.
fn syntax_report(sources: Vec<Source>, mut errors: Vec<Diagnostic>) -> Report {
    errors.sort_by_key(|d| d.at.as_ref().map(|at| at.span.start));
    let mut report = Report { sources, diagnostics: Vec::new() };
    for mut error in errors {
        if error.message.contains("must be quoted") {
            // The parser says the same of a value that is not there at all.
            let rest = error.at.as_ref().and_then(|at| report.sources[0].text.get(at.span.start..)).unwrap_or_default();
            if rest.lines().next().unwrap_or_default().trim().is_empty() {
                error.message = "this is not valid TOML: a value is missing".into();
            } else {
                error.help = Some("texts and quantities with units stand in quotes: radius = \"5 mm\"".into());
            }
        }
        let line = report.position(&error).map(|p| p.line);
        let seen = report.diagnostics.last().and_then(|d| report.position(d)).map(|p| p.line);
        if line.is_none() || line != seen {
            report.diagnostics.push(error);
        }
    }
    report
}
