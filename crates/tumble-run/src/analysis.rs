//! Answers from what runs leave: how fast one ran out, how steep its heap is, how its grains are mixed, packed and ordered, how it
//! answers to load. Each comes with the numbers it was taken from and, where something was fitted or averaged, with a standard error.
//!
//! [`Question::answer`] asks one of a run as its directory has it; the functions beside it ask it of tables, states and frames.

mod beverloo;
mod discharge;
mod displacement;
mod drum;
mod evidence;
mod fit;
mod forces;
mod grains;
mod mixing;
mod order;
mod packing;
mod repose;
mod stress_strain;

pub use beverloo::{Outflow, beverloo};
pub use discharge::discharge;
pub use displacement::displacement;
pub use drum::drum;
pub use evidence::{Evidence, Wishes};
pub use forces::forces;
pub use grains::state_of;
pub use mixing::mixing;
pub use order::order;
pub use packing::{packing, pair_distribution};
pub use repose::{height_map, repose};
pub use stress_strain::stress_strain;

/// A number with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What it is.
    pub name: String,
    /// The number, in its unit.
    pub value: f64,
    /// Its standard error, where it was fitted or averaged and the error is known.
    pub error: Option<f64>,
    /// Unit; empty for a plain number.
    pub unit: &'static str,
}

impl Answer {
    /// A number that was fitted or averaged, with its standard error.
    fn fitted(name: &str, (value, error): (f64, f64), unit: &'static str) -> Answer {
        Answer { name: name.to_owned(), value, error: Some(error).filter(|error| error.is_finite()), unit }
    }

    /// A number that was counted or read off.
    fn counted(name: &str, value: f64, unit: &'static str) -> Answer {
        Answer { name: name.to_owned(), value, error: None, unit }
    }
}

/// How the numbers of an analysis are drawn. Columns are named by their places.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// Lines over a column.
    Lines {
        /// The column across.
        x: usize,
        /// The columns upwards.
        y: Vec<usize>,
        /// Whether the two axes are logarithmic.
        is_logarithmic: [bool; 2],
    },
    /// Coloured squares.
    Map {
        /// The column across.
        x: usize,
        /// The column upwards.
        y: usize,
        /// The column that gives the colour.
        value: usize,
        /// Side of a square, in the unit of both axes.
        width: f64,
    },
}

impl Shown {
    fn lines(x: usize, y: &[usize]) -> Shown {
        Shown::Lines { x, y: y.to_vec(), is_logarithmic: [false; 2] }
    }
}

/// What was found, and in which numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// What it is about.
    pub title: String,
    /// The answers, the main one first.
    pub answers: Vec<Answer>,
    /// Names of the columns, with units.
    pub columns: Vec<String>,
    /// The numbers that the answers were taken from, row by row.
    pub rows: Vec<Vec<f64>>,
    /// How they are drawn.
    pub shown: Shown,
    /// How it was found, in a sentence or two.
    pub note: String,
}

fn named(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|&column| column.to_owned()).collect()
}

/// What can be asked of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// How fast grains left.
    Discharge,
    /// How steep a heap is.
    Repose,
    /// How high grains reach everywhere.
    HeightMap,
    /// How steep the surface in a drum is.
    Drum,
    /// How grains are mixed.
    Mixing,
    /// How densely they are packed.
    Packing,
    /// How they lie around each other.
    PairDistribution,
    /// How their axes lie.
    Order,
    /// How contact forces are spread.
    Forces,
    /// How a bed answers to load.
    StressStrain,
    /// How far grains wander.
    Displacement,
}

impl Question {
    /// All of them.
    pub const ALL: [Question; 11] = [
        Question::Discharge,
        Question::Repose,
        Question::HeightMap,
        Question::Drum,
        Question::Mixing,
        Question::Packing,
        Question::PairDistribution,
        Question::Order,
        Question::Forces,
        Question::StressStrain,
        Question::Displacement,
    ];

    /// Its name, also of its files.
    pub fn name(self) -> &'static str {
        match self {
            Question::Discharge => "discharge",
            Question::Repose => "repose",
            Question::HeightMap => "height-map",
            Question::Drum => "drum",
            Question::Mixing => "mixing",
            Question::Packing => "packing",
            Question::PairDistribution => "pair-distribution",
            Question::Order => "order",
            Question::Forces => "forces",
            Question::StressStrain => "stress-strain",
            Question::Displacement => "displacement",
        }
    }

    /// Asks it of a run; what has no answer says why, and which key of the scene would make what is missing.
    pub fn answer(self, evidence: &Evidence, wishes: &Wishes) -> Result<Analysis, String> {
        let model = || Ok::<_, String>(evidence.simulation()?.model());
        match self {
            Question::Discharge => discharge(&evidence.series()?),
            Question::Repose => repose(model()?, &*evidence.state()?),
            Question::HeightMap => height_map(model()?, &*evidence.state()?),
            Question::Packing => packing(model()?, &*evidence.state()?),
            Question::PairDistribution => pair_distribution(model()?, &*evidence.state()?),
            Question::Order => order(model()?, &*evidence.state()?),
            Question::Forces => forces(evidence.simulation()?),
            Question::Drum => {
                let loads = evidence.probe_of_wall_loads().ok();
                drum(model()?, &evidence.frames()?, wishes.wall.as_deref(), loads.as_ref())
            }
            Question::Mixing => {
                let (model, state) = (model()?, evidence.state()?);
                let axis = drum::find(model, &state, wishes.wall.as_deref()).ok().map(|drum| (drum.point, drum.axis));
                // A single kind needs frames, several do without.
                let frames = evidence.frames().unwrap_or_default();
                mixing(model, &state, &frames, wishes.kind.as_deref(), axis)
            }
            Question::StressStrain => {
                let loads = evidence.probe_of_wall_loads()?;
                let stresses = evidence.probe_of_stress();
                stress_strain(model()?, &*evidence.state()?, &loads, stresses.as_ref(), wishes.wall.as_deref())
            }
            Question::Displacement => displacement(model()?, &evidence.frames()?),
        }
    }
}
