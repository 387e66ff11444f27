//! A frame of a trajectory as a finished picture: grains in colours of a field, walls, colour bar, scale bar, time.
//!
//! What all frames of a film must share (camera, room, range of the colours) is a [`Setting`], found from a few of them.

use crate::cast::camera::Subject;
use crate::cast::{
    self, Background, Bodies, Camera, CameraPlan, Direction, Frame, Quality, Scenery, SceneryError, Section,
    SectionPlan, Stage, WallChoice, walls,
};
use crate::colour::field::{part_of_map, robust_range};
use crate::colour::space::bytes_of_linear;
use crate::colour::{ColourMap, Field, FieldError, Linear, colour_of_kind};
use crate::figures::{Clock, quantity};
use crate::legend::{Legend, Scale};
use crate::pixels::{PictureError, Pixels};
use glam::DVec3;
use tumble_geometry::Aabb;
use tumble_io::trajectory::{TrajectoryFrame, TrajectoryMetadata};

/// Values that are kept of each frame to find a range: enough for percentiles that do not show chance, and few enough
/// that every frame of a film can give its share.
const VALUES_OF_A_FRAME: usize = 10_000;

/// How much of the background stands behind the words of the legend.
const GROUND_OPACITY: f32 = 0.82;

/// How a picture is to look.
#[derive(Clone, Debug)]
pub struct Look {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// From where.
    pub camera: CameraPlan,
    /// What the grains are coloured by; `None`: their kinds, or their speed if there is only one kind.
    pub colour: Option<Field>,
    /// The colours; `None`: those that suit the field.
    pub map: Option<ColourMap>,
    /// Values at the ends of the colours; `None`: from the 1st to the 99th percentile.
    pub range: Option<(f64, f64)>,
    /// What cuts the picture open.
    pub section: Option<SectionPlan>,
    /// What stands behind.
    pub background: Background,
    /// How much work goes into it.
    pub quality: Quality,
    /// Which walls are drawn.
    pub walls: WallChoice,
    /// Whether there are a colour bar, a scale bar and the time.
    pub bars: bool,
    /// Whether forces are drawn, and grains only hinted at.
    pub force_chains: bool,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            width: 1280,
            height: 960,
            camera: CameraPlan::default(),
            colour: None,
            map: None,
            range: None,
            section: None,
            background: Background::default(),
            quality: Quality::default(),
            walls: WallChoice::default(),
            bars: true,
            force_chains: false,
        }
    }
}

/// A portrait could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PortraitError {
    /// The trajectory's description does not make sense.
    #[error(transparent)]
    Scenery(#[from] SceneryError),
    /// The field cannot be had.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// The camera is to look at a section and there is none.
    #[error("a camera that looks at the section wants one: give its plane too, as in `--section y=5mm`")]
    NoSection,
    /// The picture cannot be made.
    #[error(transparent)]
    Picture(#[from] PictureError),
}

/// Makes portraits of the frames of one trajectory.
///
/// ```
/// use tumble_io::trajectory::{TrajectoryMetadata, TrajectoryReader, TrajectoryWriter};
/// use tumble_pictures::portrait::{Look, Portraitist, SettingSearch};
/// # use tumble_engine::{DVec3, Material, Model, Simulation};
/// # use tumble_geometry::{Shape, Sphere};
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("trajectory.tumble");
/// # let mut builder = Model::builder();
/// # let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 };
/// # let glass = builder.material(glass);
/// # let bead = builder.species("bead", &Shape::Sphere(Sphere { radius: 0.005 }), glass);
/// # builder.grain(bead, DVec3::ZERO).grain(bead, DVec3::X * 0.00999);
/// # let simulation = Simulation::new(builder.build().unwrap()).unwrap();
/// # let metadata = TrajectoryMetadata::of(simulation.model(), "two beads", "0.1.0");
/// # TrajectoryWriter::create(&path, &metadata).unwrap().write_frame(simulation.state(), &simulation.contacts()).unwrap();
///
/// let mut trajectory = TrajectoryReader::open(&path).unwrap();
/// let frame = trajectory.read_frame(0).unwrap();
/// let look = Look { width: 160, height: 120, ..Look::default() };
/// let portraitist = Portraitist::new(trajectory.metadata(), trajectory.has_spins(), look)?;
/// // What all pictures of a film share is found from some frames: here from the only one.
/// let mut search = SettingSearch::default();
/// portraitist.look_at(&frame, &mut search)?;
/// let picture = portraitist.portrait(&frame, &portraitist.setting(&search))?;
/// assert!(picture.to_png()?.starts_with(b"\x89PNG"));
/// # Ok::<(), tumble_pictures::portrait::PortraitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Portraitist {
    metadata: TrajectoryMetadata,
    scenery: Scenery,
    look: Look,
}

/// What the pictures of a film share.
#[derive(Clone, Debug)]
pub struct Setting {
    contents: Aabb,
    range: (f64, f64),
    camera: Camera,
    /// How times are written.
    clock: Option<Clock>,
    /// Whether a grain has no value of the field.
    has_none: bool,
    /// What is wrong with the section.
    complaint: Option<String>,
    /// The section, on the side that the camera was on when it was chosen.
    section: Option<Section>,
    middle: DVec3,
}

/// A setting that is being found.
#[derive(Clone, Debug, Default)]
pub struct SettingSearch {
    n_frames: usize,
    contents: Option<Aabb>,
    values: Vec<f64>,
    subjects: Vec<Subject>,
    walls: Vec<Vec<cast::Wall>>,
    times: Vec<f64>,
    has_none: bool,
    /// Whether the section's plane meets a grain.
    is_cut: bool,
}

impl SettingSearch {
    /// Of all frames that will be drawn, when they are [s]: the times on the pictures are written alike.
    pub fn know_times(&mut self, times: impl IntoIterator<Item = f64>) {
        self.times.extend(times);
    }

    /// Whether no frame has been looked at.
    pub fn is_empty(&self) -> bool {
        self.n_frames == 0
    }
}

/// Every k-th of the values of a frame, and the least and the greatest: some ranges are those of all values.
fn share_of(values: &[f64]) -> impl Iterator<Item = f64> {
    let every = values.len().div_ceil(VALUES_OF_A_FRAME).max(1);
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let ends = [finite().min_by(f64::total_cmp), finite().max_by(f64::total_cmp)];
    values.iter().copied().step_by(every).chain(ends.into_iter().flatten())
}

impl Setting {
    /// What is wrong with what was asked for, if a picture can be made all the same.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }
}

/// What to say of a section that meets no grain.
fn missed(section: &Section, contents: &Aabb) -> Option<String> {
    let heights = contents.corners().map(|corner| section.height(corner));
    let (low, high) = heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    let what = match (low > 0.0, high < 0.0) {
        (true, _) => "everything is cut away",
        (_, true) => "nothing is cut away",
        _ => "it passes between them",
    };
    let normal = section.normal();
    let axis = normal.abs().max_position();
    let where_they_are = if normal[axis].abs() > 0.999 {
        let name = ["x", "y", "z"][axis];
        // Coordinates in single precision are nothing by rounding only.
        let is_nothing = |end: f64| end.abs() < 1e-6 * contents.extent()[axis];
        let ends = [contents.lower[axis], contents.upper[axis]]
            .map(|end| quantity(if is_nothing(end) { 0.0 } else { end }, "m"));
        format!("; what there is lies from {name} = {} to {}", ends[0], ends[1])
    } else {
        String::new()
    };
    contents.lower.is_finite().then(|| format!("the section meets no grain: {what}{where_they_are}"))
}

impl Portraitist {
    /// For a trajectory, whether its frames hold angular velocities, and a look.
    pub fn new(metadata: &TrajectoryMetadata, has_spins: bool, look: Look) -> Result<Portraitist, PortraitError> {
        let field = if look.force_chains { Field::Force } else { look.colour.unwrap_or(Field::usual(metadata)) };
        field.check(metadata, has_spins)?;
        if look.camera.direction == Direction::Section && look.section.is_none() {
            return Err(PortraitError::NoSection);
        }
        Ok(Portraitist { scenery: Scenery::of(metadata)?, metadata: metadata.clone(), look })
    }

    /// What the grains are coloured by.
    fn field(&self) -> Field {
        self.look.colour.unwrap_or(Field::usual(&self.metadata))
    }

    /// The trajectory's shapes and walls.
    pub fn scenery(&self) -> &Scenery {
        &self.scenery
    }

    /// Looks at a frame to find what all frames are to share.
    pub fn look_at(&self, frame: &TrajectoryFrame, search: &mut SettingSearch) -> Result<(), PortraitError> {
        let walls = self.scenery.walls(frame, &self.look.walls);
        let contents = self.scenery.contents(frame, &walls);
        search.contents = Some(search.contents.map_or(contents, |known| known.join(&contents)));
        let values = self.values(frame)?;
        search.has_none |= values.iter().any(|value| value.is_nan());
        if self.look.range.is_none() {
            search.values.extend(share_of(&values));
        }
        search.times.push(frame.time);
        let subjects = self.scenery.subjects(frame);
        if let Some(section) = self.look.section {
            search.is_cut |= subjects.iter().any(|(centre, radius)| section.distance(*centre) <= *radius);
        }
        search.subjects = if search.n_frames == 0 { subjects } else { Vec::new() };
        search.walls.push(walls);
        search.n_frames += 1;
        Ok(())
    }

    /// What frames share, from those looked at.
    pub fn setting(&self, search: &SettingSearch) -> Setting {
        let contents = search.contents.unwrap_or(Aabb::EMPTY);
        // One frame is framed by its grains, several by the box that holds them all.
        let corners = || contents.corners().map(|corner| (corner, 0.0));
        let mut subjects: Vec<Subject> =
            if search.n_frames == 1 { search.subjects.clone() } else { corners().to_vec() };
        let mut outlines = Vec::new();
        for placed in &search.walls {
            let room = walls::room(&contents, placed);
            outlines.extend_from_slice(cast::Walls::new(placed.clone(), &room).outlines());
        }
        let room = search.walls.last().map(|walls| walls::room(&contents, walls));
        outlines.extend(room.iter().flat_map(|room| self.scenery.cell_edges(room)));
        let mut plan = self.look.camera;
        if let (Direction::Section, Some(section)) = (plan.direction, self.look.section) {
            plan.direction = Direction::Along(section.squarely());
        }
        if self.scenery.is_planar() && plan.direction == Direction::ThreeQuarter {
            plan = CameraPlan { direction: Direction::Top, is_orthographic: true, ..plan };
        }
        let frame = if self.look.bars {
            let kept_free = self.legend_width() / f64::from(self.look.width);
            // However wide the legend, half of the picture is the grains'.
            Frame { left: 0.03, right: (0.985 - kept_free).max(0.5), top: 0.06, bottom: 0.92 }
        } else {
            Frame { left: 0.03, right: 0.97, top: 0.03, bottom: 0.97 }
        };
        let ends = |outlines: &[[DVec3; 2]]| outlines.iter().flatten().map(|end| (*end, 0.0)).collect::<Vec<_>>();
        let framing = |outlines: &[[DVec3; 2]], subjects: &[Subject]| {
            let all = [subjects, &ends(outlines)].concat();
            Camera::framing(&plan, self.look.width, self.look.height, frame, &all)
        };
        let mut camera = framing(&outlines, &subjects);
        let section = self.look.section.map(|section| section.seen_from(camera.eye()));
        if let Some(section) = &section {
            // What is cut away needs no room.
            subjects.retain(|(centre, radius)| section.height(*centre) <= *radius);
            outlines = outlines.into_iter().filter_map(|outline| section.clip(outline)).collect();
            camera = framing(&outlines, &subjects);
        }
        let middle = 0.5 * (contents.lower + contents.upper);
        let field = if self.look.force_chains { Field::Force } else { self.field() };
        let range = self.look.range.unwrap_or_else(|| robust_range(field, &search.values));
        Setting {
            contents,
            range,
            camera,
            clock: Clock::of(&search.times),
            has_none: search.has_none,
            complaint: section.filter(|_| !search.is_cut).and_then(|section| missed(&section, &contents)),
            section,
            middle: if middle.is_finite() { middle } else { DVec3::ZERO },
        }
    }

    fn values(&self, frame: &TrajectoryFrame) -> Result<Vec<f64>, FieldError> {
        if self.look.force_chains {
            // Asked for by its contacts: the error is that of a field that needs them.
            Field::Force.values(frame, &self.metadata, self.scenery.shapes())?;
            return Ok(self.scenery.force_chains(frame).2);
        }
        self.field().values(frame, &self.metadata, self.scenery.shapes())
    }

    fn map(&self) -> ColourMap {
        self.look
            .map
            .unwrap_or_else(|| if self.look.force_chains { self.map_of_chains() } else { self.field().usual_map() })
    }

    /// The strong must stand out: dark on a light ground, bright on a dark one.
    fn map_of_chains(&self) -> ColourMap {
        if self.look.background.is_dark() { ColourMap::Glow } else { ColourMap::Embers }
    }

    fn part_of_map(&self, range: (f64, f64)) -> (f64, f64) {
        if self.look.force_chains { (0.0, 1.0) } else { part_of_map(self.field(), range) }
    }

    fn colours(&self, values: &[f64], (low, high): (f64, f64)) -> Vec<Linear> {
        let field = self.field();
        let map = self.map();
        let part = self.part_of_map((low, high));
        let colour = |&value: &f64| match field {
            Field::Species if !self.look.force_chains => colour_of_kind(value as usize),
            Field::Constant if !self.look.force_chains => colour_of_kind(4),
            _ if value.is_finite() => {
                map.at(part.0 + (part.1 - part.0) * ((value - low) / (high - low)).clamp(0.0, 1.0))
            }
            _ => cast::grey(),
        };
        values.iter().map(colour).collect()
    }

    /// What is to be seen of a frame.
    pub fn stage(&self, frame: &TrajectoryFrame, setting: &Setting) -> Result<Stage, PortraitError> {
        let colours = self.colours(&self.values(frame)?, setting.range);
        let walls = self.scenery.walls(frame, &self.look.walls);
        let section = setting.section;
        let mut stage = self.scenery.stage(frame, colours, walls, &setting.contents, section);
        if self.look.force_chains {
            let (shapes, rods, _) = self.scenery.force_chains(frame);
            stage.ghosts = Some(std::mem::replace(&mut stage.bodies, Bodies::new(&shapes, &rods)));
        }
        Ok(stage)
    }

    /// The picture of a frame.
    pub fn portrait(&self, frame: &TrajectoryFrame, setting: &Setting) -> Result<Pixels, PortraitError> {
        // Refuses impossible sizes before any work.
        Pixels::filled(self.look.width, self.look.height, [0; 4])?;
        let stage = self.stage(frame, setting)?;
        let mut picture = cast::cast(&stage, &setting.camera, self.look.quality, self.look.background);
        if self.look.bars {
            let legend = self.legend(frame, setting);
            let (width, height) = (f64::from(self.look.width), f64::from(self.look.height));
            let last_row = (self.look.height.max(2) - 1) as f32;
            for ground in legend.grounds(width, height) {
                let colour = |row: u32| self.look.background.at(row as f32 / last_row).map(bytes_of_linear);
                picture.fade(ground, GROUND_OPACITY, colour);
            }
            let overlay = legend.draw(self.look.width, self.look.height)?;
            picture.lay_over(&overlay, 0, 0);
        }
        Ok(picture)
    }

    /// Width that the meaning of the colours takes at the right [pixels].
    fn legend_width(&self) -> f64 {
        let size = (f64::from(self.look.width), f64::from(self.look.height));
        match self.field() {
            Field::Species if !self.look.force_chains => {
                let kinds = self.metadata.species.iter().map(|species| species.name.as_str());
                Legend::width_of_kinds(kinds, size)
            }
            Field::Constant if !self.look.force_chains => 0.0,
            _ => Legend::width_of_numbers(size),
        }
    }

    fn legend(&self, frame: &TrajectoryFrame, setting: &Setting) -> Legend {
        let field = self.field();
        let scale = if self.look.force_chains {
            Scale::Numbers {
                title: "contact force".to_owned(),
                unit: "N".to_owned(),
                map: self.map(),
                range: setting.range,
                part: (0.0, 1.0),
                is_whole: false,
                none: None,
            }
        } else if field == Field::Species {
            // Kinds that are there, in the order of the scene.
            let is_there = |kind: &usize| frame.species.iter().any(|&species| usize::from(species) == *kind);
            let kinds = (0..self.metadata.species.len()).filter(is_there);
            Scale::Kinds(kinds.map(|kind| (self.metadata.species[kind].name.clone(), colour_of_kind(kind))).collect())
        } else if field == Field::Constant {
            Scale::None
        } else {
            Scale::Numbers {
                title: field.title().to_owned(),
                unit: field.unit().to_owned(),
                map: self.map(),
                range: setting.range,
                part: self.part_of_map(setting.range),
                is_whole: field.is_whole(),
                none: field.words_for_none().filter(|_| setting.has_none),
            }
        };
        let pixel = setting.camera.pixel_at(setting.middle);
        let time = setting.clock.as_ref().map_or_else(|| quantity(frame.time, "s"), |clock| clock.text(frame.time));
        let [right, up, _] = setting.camera.axes();
        Legend { scale, time, axes: [right, up], pixel, ink: cast::ink(self.look.background) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_that_starts_at_rest_has_the_range_of_all_its_frames() {
        let (rest, motion) = (vec![0.0; 100_000], (0..100_000).map(|k| f64::from(k) * 1e-5).collect::<Vec<_>>());
        let mut values = Vec::new();
        for frame in [&rest, &rest, &rest, &motion, &motion] {
            values.extend(share_of(frame));
        }
        assert!(values.len() < 6 * VALUES_OF_A_FRAME, "{}", values.len());
        let (low, high) = robust_range(Field::Speed, &values);
        assert!(low == 0.0 && (0.95..1.0).contains(&high), "{low} {high}");
    }

    #[test]
    fn the_ends_of_a_frames_values_are_always_kept() {
        let mut values = vec![1.0; 3 * VALUES_OF_A_FRAME];
        (values[1], values[2], values[4]) = (-7.0, 9.0, f64::NAN);
        let ends = share_of(&values).fold((0.0_f64, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)));
        assert_eq!(ends, (-7.0, 9.0));
        assert_eq!(share_of(&[]).count(), 0);
    }
}
