//! What of the published method is to be used, and what someone may choose of it.

use super::{Layers, NearestBy};
use crate::roots::QuarticBy;
use thiserror::Error;

/// How the common region is represented.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Representation {
    /// A stack of slices along the leading axis.
    Layered(Layers),
    /// The hull of the bases' edges, this many points to an arc.
    Edge {
        /// Points on each arc.
        n_points: usize,
    },
}

/// How the overlap is made of the region's extents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverlapMeasure {
    /// Equation (21): of the extents along x, y and z of the leading cylinder's frame.
    #[default]
    Box,
    /// Equation (22): of the extents along the leading cylinder's radius and axis.
    RadialAxial,
}

impl OverlapMeasure {
    /// Both, the default first.
    pub const ALL: [OverlapMeasure; 2] = [OverlapMeasure::Box, OverlapMeasure::RadialAxial];

    /// Its name in scenes and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            OverlapMeasure::Box => "box",
            OverlapMeasure::RadialAxial => "radial-axial",
        }
    }

    /// What it is made of, in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            OverlapMeasure::Box => "equation (21), of the region's extents along x, y and z of the leading body",
            OverlapMeasure::RadialAxial => "equation (22), of its extents along radius and axis of the leading body",
        }
    }
}

/// What of the published method is to be used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FengOptions {
    /// Representation of the region.
    pub representation: Representation,
    /// Equation of the overlap.
    pub measure: OverlapMeasure,
    /// Factor lambda of equations (21) and (22); 2 as published.
    pub factor: f64,
    /// How the third check of stage one finds the nearest point of an ellipse.
    pub nearest_by: NearestBy,
    /// How the quartics of slices are solved.
    pub quartic_by: QuarticBy,
}

impl FengOptions {
    /// Eight layers to a stretch without bends, and what was published otherwise.
    pub const LAYERED: FengOptions = FengOptions {
        representation: Representation::Layered(Layers::Count(8)),
        measure: OverlapMeasure::Box,
        factor: 2.0,
        nearest_by: NearestBy::Newton,
        quartic_by: QuarticBy::LinBairstow,
    };

    /// Edges of eight points to an arc, and what was published otherwise.
    pub const EDGE: FengOptions =
        FengOptions { representation: Representation::Edge { n_points: 8 }, ..FengOptions::LAYERED };

    /// The most layers to a stretch, and points to an arc, that can be chosen: beyond, rounding is all that is left to gain.
    pub const MOST_PARTS: usize = 1000;

    /// The options with what was chosen in place of the default.
    pub fn with(self, choices: &FengChoices) -> Result<FengOptions, RefusedChoice> {
        let representation = match (self.representation, choices.n_layers, choices.n_points) {
            (Representation::Layered(_), _, Some(_)) => return Err(RefusedChoice::PointsOfLayers),
            (Representation::Edge { .. }, Some(_), _) => return Err(RefusedChoice::LayersOfEdges),
            (Representation::Layered(_), Some(n), None) => Representation::Layered(Layers::Count(n)),
            (Representation::Edge { .. }, None, Some(n_points)) => Representation::Edge { n_points },
            (same, None, None) => same,
        };
        let quartic_by = choices.quartic_by.unwrap_or(self.quartic_by);
        let nearest_by = match choices.nearest_by.unwrap_or(self.nearest_by) {
            NearestBy::Newton => NearestBy::Newton,
            NearestBy::Quartic(_) => NearestBy::Quartic(quartic_by),
        };
        Ok(FengOptions {
            representation,
            measure: choices.measure.unwrap_or(self.measure),
            factor: choices.factor.unwrap_or(self.factor),
            nearest_by,
            quartic_by,
        })
    }
}

/// What someone chose of the published method; the rest is as the default has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FengChoices {
    /// Equation of the overlap.
    pub measure: Option<OverlapMeasure>,
    /// Factor lambda; above zero.
    pub factor: Option<f64>,
    /// Layers to a stretch without bends, from 1 to [`FengOptions::MOST_PARTS`].
    pub n_layers: Option<usize>,
    /// Points to an arc of an edge, likewise.
    pub n_points: Option<usize>,
    /// How quartics are solved.
    pub quartic_by: Option<QuarticBy>,
    /// How the nearest point of an ellipse is found. The way in a [`NearestBy::Quartic`] is that of `quartic_by`.
    pub nearest_by: Option<NearestBy>,
}

impl FengChoices {
    /// Nothing: all as the default has it.
    pub const NONE: FengChoices =
        FengChoices { measure: None, factor: None, n_layers: None, n_points: None, quartic_by: None, nearest_by: None };
}

/// A choice that the method does not have.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum RefusedChoice {
    /// The method is not that of Feng, Han and Owen.
    #[error(
        "`{0}` is not the method of Feng, Han & Owen: overlap, weight, layers, points of edges, quartic and nearest point are chosen for `feng-layered` and `feng-edge`"
    )]
    NotFeng(&'static str),
    /// Layers of the edge representation.
    #[error("`feng-edge` has no layers: choose the points of an edge, or `feng-layered`")]
    LayersOfEdges,
    /// Points of the layered representation.
    #[error("`feng-layered` has no points of edges: choose the number of layers, or `feng-edge`")]
    PointsOfLayers,
}
