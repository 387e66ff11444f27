//! What can be typed after `tumble contact`.

use clap::Args;
use std::path::PathBuf;
use tumble_geometry::common_plane::{CommonPlaneChoices, CommonPlaneOptions, EndBy, FacePoint, SearchDirections};
use tumble_geometry::feng::{FengChoices, FengOptions, NearestBy, OverlapMeasure};
use tumble_geometry::roots::QuarticBy;
use tumble_io::units::{Dimension, parse_quantity};

/// Arguments of `tumble contact`.
#[derive(Debug, Args)]
pub struct ContactArguments {
    /// File of questions; `-` is the standard input
    #[arg(default_value = "-", hide_default_value = true)]
    pub file: PathBuf,
    /// How contacts are found
    #[arg(long, value_name = "METHOD", value_parser = method_names())]
    pub method: Option<String>,
    /// Ask for the bodies as runs meet them: flat ends and straight sides of bodies of revolution give way
    #[arg(long)]
    pub as_run: bool,
    /// By how much they bulge instead, over half of the smaller width, as with law.faces = "deepest-point" and "sub-contacts"
    #[arg(long, value_name = "SHARE", requires = "as_run", value_parser = crown)]
    pub crown: Option<f64>,
    /// Add the patch of flat faces: its corners with separations and shares, area, centroid, second moments
    #[arg(long)]
    pub patch: bool,
    /// What of the method of Feng, Han & Owen is used
    #[command(flatten)]
    pub feng: FengArguments,
    /// How a common plane is searched for
    #[command(flatten)]
    pub plane: CommonPlaneArguments,
}

/// How a common plane is searched for, of `tumble contact --method cundall` and `liu`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of the methods cundall and liu")]
pub struct CommonPlaneArguments {
    /// By how much the plane is tilted first [default: 5 deg]
    #[arg(long, value_name = "ANGLE", value_parser = angle)]
    pub start_angle: Option<f64>,
    /// The angle below which the search may end [default: 1e-6 rad]
    #[arg(long, value_name = "ANGLE", value_parser = angle)]
    pub angle_limit: Option<f64>,
    /// In how many directions it is tilted [default: 4]
    #[arg(long, value_name = "N", value_parser = ["4", "8", "16"])]
    pub directions: Option<String>,
    /// Growth of the gap below which the search may end, over the size, liu [default: 1e-4]
    #[arg(long, value_name = "SHARE", value_parser = weight)]
    pub gap_increment: Option<f64>,
    /// Which conditions end the search, liu [default: both]
    #[arg(long, value_name = "WHEN", value_parser = end_names())]
    pub end: Option<String>,
    /// The contact point of two faces, liu [default: centroid]
    #[arg(long, value_name = "POINT", value_parser = face_point_names())]
    pub face_point: Option<String>,
}

impl CommonPlaneArguments {
    /// The same in the terms of geometry.
    pub fn choices(&self) -> CommonPlaneChoices {
        // The parsers have let known names and numbers that fit through only.
        let is = |chosen: &Option<String>, name: &str| chosen.as_deref() == Some(name);
        CommonPlaneChoices {
            start_angle: self.start_angle,
            angle_limit: self.angle_limit,
            directions: self.directions.as_ref().and_then(|n| n.parse().ok()).and_then(SearchDirections::of),
            gap_increment: self.gap_increment,
            end: EndBy::ALL.into_iter().find(|known| is(&self.end, known.name())),
            face_point: FacePoint::ALL.into_iter().find(|known| is(&self.face_point, known.name())),
        }
    }
}

/// What of the method of Feng, Han & Owen is used, of `tumble contact --method feng-layered` and `feng-edge`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of the methods feng-layered and feng-edge")]
pub struct FengArguments {
    /// Equation of the overlap that stands in for the depth [default: box]
    #[arg(long, value_name = "EQUATION", value_parser = overlap_names())]
    pub overlap: Option<String>,
    /// Factor of the overlap, the paper's lambda [default: 2]
    #[arg(long, value_name = "FACTOR", value_parser = weight)]
    pub weight: Option<f64>,
    /// Layers between two bends of the region's outline, feng-layered [default: 8]
    #[arg(long, value_name = "N", value_parser = parts())]
    pub layers: Option<u64>,
    /// Points on each arc of an edge, feng-edge [default: 8]
    #[arg(long, value_name = "N", value_parser = parts())]
    pub edge_points: Option<u64>,
    /// How quartics are solved [default: lin-bairstow]
    #[arg(long, value_name = "WAY", value_parser = quartic_names())]
    pub quartic: Option<String>,
    /// How the quick checks find the nearest point of an ellipse [default: newton]
    #[arg(long, value_name = "WAY", value_parser = nearest_names())]
    pub nearest: Option<String>,
}

impl FengArguments {
    /// The same in the terms of geometry.
    pub fn choices(&self) -> FengChoices {
        // The parsers have let known names and numbers that fit through only.
        let is = |chosen: &Option<String>, name: &str| chosen.as_deref() == Some(name);
        FengChoices {
            measure: OverlapMeasure::ALL.into_iter().find(|known| is(&self.overlap, known.name())),
            factor: self.weight,
            n_layers: self.layers.map(|n| n as usize),
            n_points: self.edge_points.map(|n| n as usize),
            quartic_by: QuarticBy::ALL.into_iter().find(|known| is(&self.quartic, known.name())),
            nearest_by: NearestBy::ALL.into_iter().find(|known| is(&self.nearest, known.name())),
        }
    }
}

fn method_names() -> clap::builder::PossibleValuesParser {
    named(tumble_io::contact_query::methods().iter().map(|method| (method.name(), method.description())))
}

fn named(words: impl Iterator<Item = (&'static str, &'static str)>) -> clap::builder::PossibleValuesParser {
    words.map(|(name, help)| clap::builder::PossibleValue::new(name).help(help)).collect::<Vec<_>>().into()
}

fn overlap_names() -> clap::builder::PossibleValuesParser {
    named(OverlapMeasure::ALL.into_iter().map(|known| (known.name(), known.description())))
}

fn quartic_names() -> clap::builder::PossibleValuesParser {
    named(QuarticBy::ALL.into_iter().map(|known| (known.name(), known.description())))
}

fn nearest_names() -> clap::builder::PossibleValuesParser {
    named(NearestBy::ALL.into_iter().map(|known| (known.name(), known.description())))
}

fn end_names() -> clap::builder::PossibleValuesParser {
    named(EndBy::ALL.into_iter().map(|known| (known.name(), known.description())))
}

fn face_point_names() -> clap::builder::PossibleValuesParser {
    named(FacePoint::ALL.into_iter().map(|known| (known.name(), known.description())))
}

fn angle(text: &str) -> Result<f64, String> {
    let angle = parse_quantity(text, Dimension::ANGLE).map_err(|error| error.to_string())?;
    let range = CommonPlaneOptions::SMALLEST_ANGLE..=CommonPlaneOptions::LARGEST_ANGLE;
    if range.contains(&angle) { Ok(angle) } else { Err("expected an angle from 1e-12 rad to 45 deg".to_string()) }
}

fn parts() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=FengOptions::MOST_PARTS as u64)
}

fn weight(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(weight) if weight > 0.0 && weight.is_finite() => Ok(weight),
        _ => Err("expected a number above 0".to_string()),
    }
}

fn crown(text: &str) -> Result<f64, String> {
    let most = tumble_geometry::narrow::LARGEST_CROWN;
    match text.trim().parse::<f64>() {
        Ok(crown) if (0.0..=most).contains(&crown) => Ok(crown),
        _ => Err(format!("expected a number from 0 to {most}")),
    }
}
