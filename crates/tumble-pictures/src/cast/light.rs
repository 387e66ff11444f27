//! Light and colour: a sun from behind the viewer's left shoulder, a sky, a little light from the viewer.
//!
//! Diffuse light after Lambert, a highlight after Blinn (1977). The sums are such that a surface in full light has the
//! colour that the colour bar shows.

use super::camera::Camera;
use super::visibility::Visibility;
use super::{Sample, Seen, Stage};
use crate::colour::Linear;
use crate::colour::space::linear_of_hex;
use glam::{DVec3, Vec4};
use std::f64::consts::TAU;

/// What stands behind everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Background {
    /// A pale gradient from sky to ground.
    #[default]
    Sky,
    /// White.
    White,
    /// Dark grey.
    Dark,
    /// Nothing: the picture is transparent there.
    Transparent,
}

impl Background {
    /// Every background.
    pub const ALL: [Background; 4] = [Background::Sky, Background::White, Background::Dark, Background::Transparent];

    /// Its name for users.
    pub fn name(self) -> &'static str {
        match self {
            Background::Sky => "sky",
            Background::White => "white",
            Background::Dark => "dark",
            Background::Transparent => "transparent",
        }
    }

    /// Whether it is dark, so that the strong must be bright.
    pub fn is_dark(self) -> bool {
        self == Background::Dark
    }

    /// Its colour at a share of the picture's height from the top; `None` where there is none.
    pub fn at(self, row: f32) -> Option<Linear> {
        let between = |top: u32, bottom: u32| linear_of_hex(top).lerp(linear_of_hex(bottom), row);
        match self {
            Background::Sky => Some(between(0xd3dfea, 0xf8f8f6)),
            Background::White => Some(Linear::ONE),
            Background::Dark => Some(between(0x1d232b, 0x2b333d)),
            Background::Transparent => None,
        }
    }
}

/// Tangent of the sun's half-angle: shadows are soft at their rims.
const SUN_SIZE: f64 = 0.045;
/// Strength of the sun, of the sky and of the light from the viewer.
const SUN: f32 = 0.78;
const SKY: f32 = 0.62;
const VIEWER: f32 = 0.10;
/// Strength and sharpness of highlights.
const GLOSS: f32 = 0.16;
const SHARPNESS: i32 = 48;
/// Opacity of a translucent wall seen face on, and edge on.
const GLASS_OPACITY: (f32, f32) = (0.04, 0.30);
/// Opacity of a ghost seen face on, and edge on.
const GHOST_OPACITY: (f32, f32) = (0.06, 0.45);
/// Opacity of the wall behind everything.
const BACK_OPACITY: f32 = 0.72;
/// Lines a grain's diameter across a face made by a section.
const HATCHES: f64 = 6.0;

/// Where light comes from and what walls look like.
pub(super) struct Light {
    sun: DVec3,
    sun_axes: [DVec3; 2],
    up: DVec3,
    is_dark: bool,
}

impl Light {
    pub(super) fn new(camera: &Camera, background: Background) -> Light {
        let [right, up, forward] = camera.axes();
        let sun = (-0.50 * right + 0.80 * up - 0.62 * forward).normalize();
        let (first, second) = sun.any_orthonormal_pair();
        Light { sun, sun_axes: [first, second], up, is_dark: background == Background::Dark }
    }

    /// The direction to a point of the sun's disc, from two numbers between 0 and 1.
    pub(super) fn sun_direction(&self, u: f64, v: f64) -> DVec3 {
        let (sine, cosine) = (TAU * v).sin_cos();
        let offset = SUN_SIZE * u.sqrt() * (cosine * self.sun_axes[0] + sine * self.sun_axes[1]);
        (self.sun + offset).normalize()
    }

    pub(super) fn outline(&self) -> Linear {
        linear_of_hex(if self.is_dark { 0xa9b8c6 } else { 0x4b5c6b })
    }

    fn wall(&self) -> Linear {
        linear_of_hex(if self.is_dark { 0x55636f } else { 0xdfe6ec })
    }

    /// Colour and opacity of a translucent wall.
    pub(super) fn glass(&self, normal: DVec3, direction: DVec3) -> (Linear, f32) {
        (linear_of_hex(if self.is_dark { 0x8ea3b5 } else { 0xb4c6d4 }), film(GLASS_OPACITY, normal, direction))
    }

    /// Colour and opacity of a grain that is only hinted at.
    pub(super) fn ghost(&self, normal: DVec3, direction: DVec3) -> (Linear, f32) {
        (linear_of_hex(if self.is_dark { 0xa9b8c6 } else { 0x7d8d9b }), film(GHOST_OPACITY, normal, direction))
    }

    /// Colour, premultiplied, and opacity of a sample.
    pub(super) fn shade(
        &self,
        stage: &Stage,
        camera: &Camera,
        sample: &Sample,
        seen: Visibility,
        is_edge: bool,
    ) -> Vec4 {
        let behind = match sample.seen {
            Seen::Nothing => Vec4::ZERO,
            Seen::Grain { grain, .. } => self.lit(colour_of(stage, grain), sample, seen, GLOSS).extend(1.0),
            Seen::Cut { grain } => self.cut(stage, camera, sample, grain, is_edge).extend(1.0),
            Seen::Wall { .. } => (self.lit(self.wall(), sample, seen, 0.0) * BACK_OPACITY).extend(BACK_OPACITY),
        };
        sample.clear * behind + sample.glass.extend(1.0 - sample.clear)
    }

    fn lit(&self, colour: Linear, sample: &Sample, seen: Visibility, gloss: f32) -> Linear {
        let towards_sun = sample.normal.dot(self.sun).max(0.0) as f32;
        let towards_sky = 0.5 + 0.5 * sample.normal.dot(self.up) as f32;
        let towards_viewer = -sample.normal.dot(sample.direction).min(0.0) as f32;
        let sky = Linear::new(0.93, 0.97, 1.0).lerp(Linear::new(0.74, 0.72, 0.70), 1.0 - towards_sky);
        let light = SUN * seen.sun * towards_sun * Linear::new(1.03, 1.0, 0.96)
            + SKY * seen.sky * sky
            + VIEWER * (0.3 + 0.7 * seen.sky) * towards_viewer;
        let half_way = (self.sun - sample.direction).normalize_or_zero();
        let highlight = gloss * seen.sun * (sample.normal.dot(half_way).max(0.0) as f32).powi(SHARPNESS);
        (colour * light + highlight).map(shoulder)
    }

    /// A face made by a section: flat, darker, hatched, in a direction that differs from grain to grain.
    fn cut(&self, stage: &Stage, camera: &Camera, sample: &Sample, grain: u32, is_edge: bool) -> Linear {
        let (first, second) = sample.normal.any_orthonormal_pair();
        // 0, 1, 2, 3 eighths of a turn from 45 degrees on, in an order that neighbours by number do not share.
        let angle = TAU / 8.0 * f64::from(1 + (grain.wrapping_mul(2_654_435_761) >> 30)) + 0.2;
        let along = sample.point.dot(first) * angle.cos() + sample.point.dot(second) * angle.sin();
        let pixel = camera.pixel_at(sample.point);
        let pitch = (stage.grain_size / HATCHES).max(6.0 * pixel);
        let from_line = ((along / pitch).rem_euclid(1.0) - 0.5).abs() * pitch;
        let cover = (0.5 + (0.11 * pitch - from_line) / pixel).clamp(0.0, 1.0) as f32;
        let flat = 0.62 * colour_of(stage, grain);
        let hatched = flat * (1.0 - 0.38 * cover);
        if is_edge { hatched * 0.35 } else { hatched }
    }
}

/// Opacity of a thin film from its opacities face on and edge on.
fn film((facing, edge_on): (f32, f32), normal: DVec3, direction: DVec3) -> f32 {
    let grazing = (1.0 - normal.dot(direction).abs()).clamp(0.0, 1.0) as f32;
    facing + (edge_on - facing) * grazing.powi(3)
}

fn colour_of(stage: &Stage, grain: u32) -> Linear {
    stage.colours.get(grain as usize).copied().unwrap_or_else(super::grey)
}

/// Brings bright light gently to its end, so that highlights keep their shape.
fn shoulder(light: f32) -> f32 {
    const START: f32 = 0.75;
    if light <= START { light } else { START + (1.0 - START) * ((light - START) / (1.0 - START)).tanh() }
}
