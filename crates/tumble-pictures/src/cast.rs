//! Pictures of grains and walls by casting rays at their true shapes, on any machine.
//!
//! In passes over the pixels, each of which looks only at what the passes before it left:
//!
//! 1. one ray through each pixel finds what is seen: a grain, a face made by a section, or the farthest wall with the
//!    translucent walls before it. Before a grain a wall has no colour, only edges: the grain's own has a meaning;
//! 2. from each of these points a few rays go to the sun, which is a disc, and a few short ones over the half-space above
//!    the surface (`visibility`). Sixteen patterns of rays stand in blocks of four by four pixels, and are then averaged
//!    over the block within one surface, so that few rays a pixel give smooth shades (interleaved sampling: Keller and
//!    Heidrich, 2001);
//! 3. light and colour (`light`); pixels at an edge are cast again with several rays each;
//! 4. outlines of the walls, background, bytes.
//!
//! Nothing is random and no pixel waits for another, so any number of threads gives the same picture.
//!
//! Valid for opaque grains and thin walls. Walls cast no shadow. Known to fail: details smaller than a pixel may be missed
//! between the rays of a pixel that is not recognised as an edge.

pub mod bodies;
pub mod camera;
mod light;
mod outline;
mod scenery;
pub mod section;
pub mod tree;
mod visibility;
pub mod walls;

pub use bodies::{Bodies, Grain};
pub use camera::{Camera, CameraPlan, Direction, Frame};
pub use light::Background;
pub use scenery::{Scenery, SceneryError, WallChoice};
pub use section::{Section, SectionPlan};
pub use walls::{Wall, Walls};

use crate::colour::Linear;
use crate::colour::space::{bytes_of_linear, linear_of_hex, srgb_of_linear};
use crate::pixels::Pixels;
use bodies::NO_BODY;
use glam::{DVec3, Vec4};
use light::Light;
use rayon::prelude::*;
use tree::Ray;
use tumble_geometry::Crossing;
use visibility::Visibility;
use walls::Sheet;

/// What is to be seen.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The grains.
    pub bodies: Bodies,
    /// The grains' colours in linear light.
    pub colours: Vec<Linear>,
    /// The walls.
    pub walls: Walls,
    /// Edges of the space that repeats itself [m].
    pub cell: Vec<[DVec3; 2]>,
    /// Whether each grain has a dark rim: flat grains of one colour are else one patch.
    pub has_grain_outlines: bool,
    /// What cuts it open.
    pub section: Option<Section>,
    /// Grains of which only the surface nearest to the viewer is seen, as if of thin glass; they cast no shadow.
    pub ghosts: Option<Bodies>,
    /// A usual diameter of a grain [m].
    pub grain_size: f64,
}

/// How much work goes into a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Quality {
    /// A quick look.
    Draft,
    /// For use.
    #[default]
    Normal,
    /// For print.
    Fine,
}

impl Quality {
    /// Rays a pixel to the sun.
    fn sun_rays(self) -> u32 {
        match self {
            Quality::Draft => 1,
            Quality::Normal => 3,
            Quality::Fine => 8,
        }
    }

    /// Rays a pixel over the half-space above a surface.
    fn sky_rays(self) -> u32 {
        match self {
            Quality::Draft => 2,
            Quality::Normal => 6,
            Quality::Fine => 16,
        }
    }

    /// Rays for a pixel at an edge.
    fn edge_rays(self) -> u32 {
        match self {
            Quality::Draft => 3,
            Quality::Normal => 9,
            Quality::Fine => 25,
        }
    }
}

/// What is seen through a point of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Seen {
    /// The background.
    Nothing,
    /// A grain.
    Grain { body: u32, grain: u32 },
    /// A face of a grain made by the section.
    Cut { grain: u32 },
    /// The farthest wall, with no grain before it.
    Wall { wall: u32 },
}

/// What one ray of the picture found.
#[derive(Clone, Copy, Debug)]
struct Sample {
    seen: Seen,
    distance: f64,
    point: DVec3,
    normal: DVec3,
    direction: DVec3,
    /// Light of the translucent walls before it.
    glass: Linear,
    /// What share of the light from behind they let through.
    clear: f32,
    /// Which walls these are: pixels with other walls are at an edge.
    signature: u32,
}

/// Vecs that a thread uses again.
#[derive(Default)]
struct Scratch {
    crossings: Vec<Crossing>,
    sheets: Vec<Sheet>,
}

/// Width of the walls' outlines in pixels, at a picture 960 high.
const OUTLINE_WIDTH: f64 = 1.6;
/// Opacity of the outlines.
const OUTLINE_OPACITY: f32 = 0.75;
/// Opacity of the edges of a periodic cell.
const CELL_OPACITY: f32 = 0.45;
/// Width of the lines along which a section cuts walls, in outlines of a wall, and their opacity.
const CUT_WIDTH: f64 = 2.0;
const CUT_OPACITY: f32 = 0.95;
/// Width of the rims of flat grains in pixels, at a picture 960 high, and what is left of the light there.
const RIM_WIDTH: f64 = 1.3;
const RIM_LIGHT: f32 = 0.35;

/// Casts a picture.
pub fn cast(stage: &Stage, camera: &Camera, quality: Quality, background: Background) -> Pixels {
    let (width, height) = camera.size();
    let columns = width as usize;
    let n_pixels = columns * height as usize;
    let light = Light::new(camera, background);

    let mut samples: Vec<Sample> = Vec::with_capacity(n_pixels);
    (0..n_pixels)
        .into_par_iter()
        .with_min_len(256)
        .map_init(Scratch::default, |scratch, pixel| {
            let ray = camera.ray((pixel % columns) as f64 + 0.5, (pixel / columns) as f64 + 0.5);
            sample(stage, &light, &ray, scratch)
        })
        .collect_into_vec(&mut samples);

    let raw = visibility::cast(stage, &light, columns, &samples, quality);
    let once = visibility::smooth(columns, &samples, &raw, visibility::BLOCK);
    let smooth = visibility::smooth(columns, &samples, &once, visibility::NEIGHBOURS);

    let mut colours: Vec<Vec4> = Vec::with_capacity(n_pixels);
    (0..n_pixels)
        .into_par_iter()
        .with_min_len(256)
        .map_init(Scratch::default, |scratch, pixel| {
            if is_edge(&samples, columns, pixel) {
                return edge_colour(stage, camera, &light, &samples, &smooth, columns, pixel, quality, scratch);
            }
            light.shade(stage, camera, &samples[pixel], smooth[pixel], false)
        })
        .collect_into_vec(&mut colours);

    let line_width = (OUTLINE_WIDTH * f64::from(height) / 960.0).max(1.0);
    let hidden = |pixel: usize| match samples[pixel].seen {
        Seen::Grain { .. } | Seen::Cut { .. } => samples[pixel].distance,
        Seen::Nothing | Seen::Wall { .. } => f64::INFINITY,
    };
    let section = stage.section.as_ref();
    let mut lines = outline::coverage(camera, stage.walls.outlines(), section, line_width, hidden);
    lines.iter_mut().for_each(|line| *line *= OUTLINE_OPACITY);
    let mut draw = |segments: &[[DVec3; 2]], section: Option<&Section>, width: f64, opacity: f32| {
        let more = outline::coverage(camera, segments, section, width, hidden);
        lines.iter_mut().zip(more).for_each(|(line, more)| *line = line.max(more * opacity));
    };
    if !stage.cell.is_empty() {
        draw(&stage.cell, section, line_width, CELL_OPACITY);
    }
    if let Some(section) = section {
        draw(&stage.walls.cuts(section), None, CUT_WIDTH * line_width, CUT_OPACITY);
    }
    if stage.has_grain_outlines {
        draw_rims(&samples, columns, (RIM_WIDTH * f64::from(height) / 960.0).max(0.7), &mut colours);
    }
    let mut rgba = Vec::with_capacity(4 * n_pixels);
    for (pixel, colour) in colours.iter().enumerate() {
        let line = lines[pixel];
        let drawn = *colour * (1.0 - line) + light.outline().extend(1.0) * line;
        let row = (pixel / columns) as f32 / (height.max(2) - 1) as f32;
        match background.at(row) {
            Some(behind) => {
                rgba.extend(bytes_of_linear(drawn.truncate() + behind * (1.0 - drawn.w)));
                rgba.push(255);
            }
            None => {
                let opaque = if drawn.w > 0.0 { drawn.truncate() / drawn.w } else { Linear::ZERO };
                rgba.extend(bytes_of_linear(opaque));
                rgba.push((drawn.w.clamp(0.0, 1.0) * 255.0).round() as u8);
            }
        }
    }
    Pixels { width, height, rgba }
}

/// The distance to what is seen through each pixel's middle [m]; infinite where that is the background or a wall.
pub fn depths(stage: &Stage, camera: &Camera) -> Vec<f64> {
    let (width, height) = camera.size();
    let mut depths = Vec::new();
    (0..width as usize * height as usize)
        .into_par_iter()
        .map(|pixel| {
            let (row, column) = (pixel / width as usize, pixel % width as usize);
            let ray = camera.ray(column as f64 + 0.5, row as f64 + 0.5);
            let hit = stage.bodies.nearest(&ray, f64::INFINITY, stage.section.as_ref(), NO_BODY);
            hit.map_or(f64::INFINITY, |hit| hit.distance)
        })
        .collect_into_vec(&mut depths);
    depths
}

fn sample(stage: &Stage, light: &Light, ray: &Ray, scratch: &mut Scratch) -> Sample {
    let section = stage.section.as_ref();
    let hit = stage.bodies.nearest(ray, f64::INFINITY, section, NO_BODY);
    let limit = hit.map_or(f64::INFINITY, |hit| hit.distance);
    stage.walls.sheets(ray, limit, section, &mut scratch.crossings, &mut scratch.sheets);
    let (seen, distance, normal) = match hit {
        Some(hit) if hit.is_cut => (Seen::Cut { grain: hit.grain }, hit.distance, hit.normal),
        Some(hit) => (Seen::Grain { body: hit.body, grain: hit.grain }, hit.distance, hit.normal),
        None => match scratch.sheets.pop() {
            Some(sheet) => (Seen::Wall { wall: sheet.wall }, sheet.distance, sheet.normal),
            None => (Seen::Nothing, f64::INFINITY, -ray.direction),
        },
    };
    let (mut glass, mut clear, mut signature) = (Linear::ZERO, 1.0, 0_u32);
    if matches!(seen, Seen::Grain { .. } | Seen::Cut { .. }) {
        // What has a colour of its own is seen as it is, through any wall and any ghost.
        return Sample {
            seen,
            distance,
            point: ray.at(distance),
            normal,
            direction: ray.direction,
            glass,
            clear,
            signature,
        };
    }
    let mut pass = |(colour, opacity): (Linear, f32), number: u32| {
        glass += clear * opacity * colour;
        clear *= 1.0 - opacity;
        signature = signature.wrapping_mul(31).wrapping_add(number);
    };
    let mut ghost = stage.ghosts.as_ref().and_then(|ghosts| ghosts.nearest(ray, distance, section, NO_BODY));
    for sheet in &scratch.sheets {
        if let Some(ghost) = ghost.take_if(|ghost| ghost.distance < sheet.distance) {
            pass(light.ghost(ghost.normal, ray.direction), !ghost.body);
        }
        pass(light.glass(sheet.normal, ray.direction), sheet.wall + 1);
    }
    if let Some(ghost) = ghost {
        pass(light.ghost(ghost.normal, ray.direction), !ghost.body);
    }
    let point = if distance.is_finite() { ray.at(distance) } else { ray.origin };
    Sample { seen, distance, point, normal, direction: ray.direction, glass, clear, signature }
}

impl Sample {
    /// Whether two samples lie on one smooth piece of one thing.
    fn is_alike(&self, other: &Sample, cosine: f64) -> bool {
        self.seen == other.seen && self.normal.dot(other.normal) > cosine
    }
}

/// Normals that differ by more than 18 degrees from one pixel to the next belong to different faces.
const SAME_FACE_COSINE: f64 = 0.95;

fn is_edge(samples: &[Sample], columns: usize, pixel: usize) -> bool {
    let here = &samples[pixel];
    let (row, column) = (pixel / columns, pixel % columns);
    let differs = |other: usize| {
        let other = &samples[other];
        other.signature != here.signature
            || !(here.is_alike(other, SAME_FACE_COSINE) || here.seen == Seen::Nothing && other.seen == Seen::Nothing)
    };
    let last_row = samples.len() / columns - 1;
    column > 0 && differs(pixel - 1)
        || column + 1 < columns && differs(pixel + 1)
        || row > 0 && differs(pixel - columns)
        || row < last_row && differs(pixel + columns)
}

/// Darkens the rims of grains: pixels nearer to another grain, or to none, than a width.
fn draw_rims(samples: &[Sample], columns: usize, width: f64, colours: &mut [Vec4]) {
    let rows = samples.len() / columns;
    let reach = (width + 0.5).ceil() as isize;
    let grain = |pixel: usize| match samples[pixel].seen {
        Seen::Grain { grain, .. } | Seen::Cut { grain } => Some(grain),
        Seen::Nothing | Seen::Wall { .. } => None,
    };
    colours.par_iter_mut().enumerate().with_min_len(256).for_each(|(pixel, colour)| {
        let Some(own) = grain(pixel) else { return };
        let (row, column) = ((pixel / columns) as isize, (pixel % columns) as isize);
        let mut nearest = f64::INFINITY;
        for down in -reach..=reach {
            for across in -reach..=reach {
                let (r, c) = (row + down, column + across);
                let is_inside = (0..rows as isize).contains(&r) && (0..columns as isize).contains(&c);
                if is_inside && grain(r as usize * columns + c as usize) != Some(own) {
                    nearest = nearest.min((down as f64).hypot(across as f64));
                }
            }
        }
        // The border runs half a pixel before the middle of the first that is another's.
        let cover = (width + 1.0 - nearest).clamp(0.0, 1.0) as f32;
        *colour = (colour.truncate() * (1.0 - cover * (1.0 - RIM_LIGHT))).extend(colour.w);
    });
}

/// Casts a pixel with several rays. Their light comes from the pixels around that show the same.
#[expect(clippy::too_many_arguments)]
fn edge_colour(
    stage: &Stage,
    camera: &Camera,
    light: &Light,
    samples: &[Sample],
    smooth: &[Visibility],
    columns: usize,
    pixel: usize,
    quality: Quality,
    scratch: &mut Scratch,
) -> Vec4 {
    let (row, column) = (pixel / columns, pixel % columns);
    let rows = samples.len() / columns;
    let n = quality.edge_rays();
    let mut sum = Vec4::ZERO;
    for k in 0..n {
        let (x, y) = visibility::even_point(k, n);
        let ray = camera.ray(column as f64 + x, row as f64 + y);
        let found = sample(stage, light, &ray, scratch);
        // The pixel around whose surface is most like this one.
        let mut best: Option<(f64, Visibility)> = None;
        for near_row in row.saturating_sub(1)..=(row + 1).min(rows - 1) {
            for near_column in column.saturating_sub(1)..=(column + 1).min(columns - 1) {
                let near = near_row * columns + near_column;
                let likeness = samples[near].normal.dot(found.normal);
                if samples[near].seen == found.seen && best.is_none_or(|(most, _)| likeness > most) {
                    best = Some((likeness, smooth[near]));
                }
            }
        }
        let seen = best.map_or_else(|| visibility::at(stage, light, &found, 0, quality), |(_, visibility)| visibility);
        sum += light.shade(stage, camera, &found, seen, true);
    }
    sum / n as f32
}

/// The colour of text on a background, in sRGB.
pub fn ink(background: Background) -> &'static str {
    match background.at(1.0) {
        Some(behind) if srgb_of_linear(behind.y) < 0.4 => "#e8ecf0",
        _ => "#22303c",
    }
}

/// A neutral grey for grains without a value.
pub fn grey() -> Linear {
    linear_of_hex(0x9aa5ad)
}
