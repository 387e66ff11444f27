//! What of the common-plane methods is to be used, and what someone may choose of them.

use thiserror::Error;

/// Which of the two methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Cundall's: the contact point is half way between the two nearest vertices, and the angle alone ends the search.
    Cundall,
    /// Liu's: the contact point goes by what touches, and two conditions end the search.
    Liu,
}

/// In how many directions the plane is tilted to find a better one. In the plane there are two, whatever is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchDirections {
    /// To both sides about two axes, as published.
    #[default]
    Four,
    /// About four axes.
    Eight,
    /// About eight axes.
    Sixteen,
}

impl SearchDirections {
    /// All, the default first.
    pub const ALL: [SearchDirections; 3] = [SearchDirections::Four, SearchDirections::Eight, SearchDirections::Sixteen];

    /// How many.
    pub const fn count(self) -> usize {
        match self {
            SearchDirections::Four => 4,
            SearchDirections::Eight => 8,
            SearchDirections::Sixteen => 16,
        }
    }

    /// Those of a number, if there are such.
    pub fn of(count: u64) -> Option<SearchDirections> {
        SearchDirections::ALL.into_iter().find(|known| known.count() as u64 == count)
    }
}

/// Which of Liu's two conditions must hold for the search to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndBy {
    /// The angle is small, and the gap has ceased to grow.
    #[default]
    Both,
    /// The angle is small, or the gap grows by little.
    Either,
}

impl EndBy {
    /// Both, the default first.
    pub const ALL: [EndBy; 2] = [EndBy::Both, EndBy::Either];

    /// Its name in scenes and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            EndBy::Both => "both",
            EndBy::Either => "either",
        }
    }

    /// What it means, in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            EndBy::Both => "when the angle is small and the gap grows by little",
            EndBy::Either => "when one of the two holds: fewer iterations, and most answers are off",
        }
    }
}

/// The contact point of two faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FacePoint {
    /// The centroid of what they share.
    #[default]
    Centroid,
    /// The mean of the points where their outlines cross, equations (16) and (17); where there are fewer than two, the
    /// centroid.
    Crossings,
}

impl FacePoint {
    /// Both, the default first.
    pub const ALL: [FacePoint; 2] = [FacePoint::Centroid, FacePoint::Crossings];

    /// Its name in scenes and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            FacePoint::Centroid => "centroid",
            FacePoint::Crossings => "crossings",
        }
    }

    /// What it is, in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            FacePoint::Centroid => "the centroid of what two faces share",
            FacePoint::Crossings => "equations (16) and (17), the mean of the points where their outlines cross",
        }
    }
}

/// What of the common-plane methods is to be used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommonPlaneOptions {
    /// Which of the two.
    pub version: Version,
    /// By how much the plane is tilted first [rad].
    pub start_angle: f64,
    /// The angle below which the search may end [rad]. Vertices that are as near to the plane as this angle allows touch
    /// it together.
    pub angle_limit: f64,
    /// In how many directions it is tilted.
    pub directions: SearchDirections,
    /// Liu's: the growth of the gap in an iteration below which the search may end, over the size of the larger body.
    pub gap_increment: f64,
    /// Liu's: which conditions end the search.
    pub end: EndBy,
    /// Liu's: the contact point of two faces.
    pub face_point: FacePoint,
}

impl CommonPlaneOptions {
    /// The classical method: 5 degrees, halved until below a millionth of a radian.
    pub const CUNDALL: CommonPlaneOptions = CommonPlaneOptions {
        version: Version::Cundall,
        start_angle: 5.0 * std::f64::consts::PI / 180.0,
        angle_limit: 1e-6,
        directions: SearchDirections::Four,
        gap_increment: 1e-4,
        end: EndBy::Both,
        face_point: FacePoint::Centroid,
    };

    /// The improved method.
    pub const LIU: CommonPlaneOptions = CommonPlaneOptions { version: Version::Liu, ..CommonPlaneOptions::CUNDALL };

    /// The largest angle to begin with [rad]: an eighth of a turn.
    pub const LARGEST_ANGLE: f64 = std::f64::consts::FRAC_PI_4;

    /// The smallest angle to end with [rad]: below it the gap changes by rounding.
    pub const SMALLEST_ANGLE: f64 = 1e-12;

    /// The options with what was chosen in place of the default.
    pub fn with(self, choices: &CommonPlaneChoices) -> Result<CommonPlaneOptions, RefusedPlaneChoice> {
        let &CommonPlaneChoices { start_angle, angle_limit, directions, gap_increment, end, face_point } = choices;
        let of_liu = gap_increment.is_some() || end.is_some() || face_point.is_some();
        if self.version == Version::Cundall && of_liu {
            return Err(RefusedPlaneChoice::OfLiu);
        }
        let chosen = CommonPlaneOptions {
            version: self.version,
            start_angle: start_angle.unwrap_or(self.start_angle),
            angle_limit: angle_limit.unwrap_or(self.angle_limit),
            directions: directions.unwrap_or(self.directions),
            gap_increment: gap_increment.unwrap_or(self.gap_increment),
            end: end.unwrap_or(self.end),
            face_point: face_point.unwrap_or(self.face_point),
        };
        let range = CommonPlaneOptions::SMALLEST_ANGLE..=CommonPlaneOptions::LARGEST_ANGLE;
        if !range.contains(&chosen.start_angle) || !range.contains(&chosen.angle_limit) {
            return Err(RefusedPlaneChoice::Angles);
        }
        Ok(chosen)
    }
}

/// What someone chose of a common-plane method; the rest is as the default has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommonPlaneChoices {
    /// By how much the plane is tilted first [rad].
    pub start_angle: Option<f64>,
    /// The angle below which the search may end [rad].
    pub angle_limit: Option<f64>,
    /// In how many directions it is tilted.
    pub directions: Option<SearchDirections>,
    /// The growth of the gap below which the search may end, over the size; Liu's.
    pub gap_increment: Option<f64>,
    /// Which conditions end the search; Liu's.
    pub end: Option<EndBy>,
    /// The contact point of two faces; Liu's.
    pub face_point: Option<FacePoint>,
}

impl CommonPlaneChoices {
    /// Nothing: all as the default has it.
    pub const NONE: CommonPlaneChoices = CommonPlaneChoices {
        start_angle: None,
        angle_limit: None,
        directions: None,
        gap_increment: None,
        end: None,
        face_point: None,
    };
}

/// A choice that the method does not have.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum RefusedPlaneChoice {
    /// The method is not a common-plane one.
    #[error("`{0}` has no common plane: its angles, directions and ending are chosen for `cundall` and `liu`")]
    NoPlane(&'static str),
    /// The second condition and the point of two faces are Liu's.
    #[error(
        "`cundall` ends by the angle alone and has one contact point: choose increment, end and face point for `liu`"
    )]
    OfLiu,
    /// An angle that is out of range.
    #[error("the angles of a common plane must be from 1e-12 rad to 45 degrees")]
    Angles,
}
