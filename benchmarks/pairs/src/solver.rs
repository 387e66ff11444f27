//! Who answers, and how long it takes.

use crate::judge::Tally;
use crate::rival::Rival;
use crate::sets::Set;
use std::hint::black_box;
use std::time::Instant;
use tumble_geometry::Shape;
use tumble_geometry::narrow::{contact, contact_from};

/// Passes over a set in one measurement.
const PASSES: usize = 3;

/// A way to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// Tumble, knowing nothing.
    Cold,
    /// Tumble, begun from a direction near the true normal.
    Warm,
    /// parry, asked for contacts only: for bodies apart it may stop once it knows that they are.
    Parry,
    /// parry, asked for the distance of bodies apart too, as Tumble is.
    ParryDistance,
}

impl Solver {
    /// All of them, in the order of the table.
    pub const ALL: [Solver; 4] = [Solver::Cold, Solver::Warm, Solver::Parry, Solver::ParryDistance];

    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Cold => "cold",
            Solver::Warm => "warm",
            Solver::Parry => "parry",
            Solver::ParryDistance => "parry-distance",
        }
    }
}

/// A set, ready to be answered.
pub struct Question<'a> {
    set: &'a Set,
    a: Shape,
    b: Shape,
    rival: Rival,
}

impl<'a> Question<'a> {
    /// The set in both forms.
    pub fn new(set: &'a Set) -> Result<Question<'a>, String> {
        let rival = Rival::new(&set.body_a, &set.body_b, &set.pairs);
        let rival = rival.ok_or_else(|| format!("{}: parry refuses a shape", set.name))?;
        Ok(Question { set, a: set.body_a.shape(), b: set.body_b.shape(), rival })
    }

    /// Answers every pair once and throws the answers away.
    pub fn pass(&self, solver: Solver) {
        let (a, b) = (&self.a, &self.b);
        match solver {
            Solver::Cold => {
                for pair in &self.set.pairs {
                    let _ = black_box(contact(black_box(a), black_box(b), &pair.pose_ab));
                }
            }
            Solver::Warm => {
                for pair in &self.set.pairs {
                    let _ = black_box(contact_from(black_box(a), black_box(b), &pair.pose_ab, Some(pair.guess)));
                }
            }
            Solver::Parry => {
                for index in 0..self.set.pairs.len() {
                    black_box(self.rival.contact(black_box(index), 0.0));
                }
            }
            Solver::ParryDistance => {
                for index in 0..self.set.pairs.len() {
                    black_box(self.rival.contact(black_box(index), f64::MAX));
                }
            }
        }
    }

    /// Nanoseconds a pair for each solver: rounds in turn, so that all see the same machine, and the fastest of each.
    pub fn nanoseconds(&self, rounds: usize) -> [f64; Solver::ALL.len()] {
        let mut fastest = [f64::INFINITY; Solver::ALL.len()];
        for _ in 0..rounds {
            for (solver, fastest) in Solver::ALL.into_iter().zip(&mut fastest) {
                let start = Instant::now();
                (0..PASSES).for_each(|_| self.pass(solver));
                let spent = start.elapsed().as_nanos() as f64 / (PASSES * self.set.pairs.len()) as f64;
                *fastest = fastest.min(spent);
            }
        }
        fastest
    }

    /// How good a solver's answers are.
    pub fn judge(&self, solver: Solver) -> Tally {
        let mut tally = Tally::default();
        for (index, pair) in self.set.pairs.iter().enumerate() {
            let guess = (solver == Solver::Warm).then_some(pair.guess);
            let found = match solver {
                Solver::Cold | Solver::Warm => match contact_from(&self.a, &self.b, &pair.pose_ab, guess) {
                    Ok(found) => Some((found.separation, found.normal)),
                    Err(_) => {
                        tally.not_converged += 1;
                        continue;
                    }
                },
                Solver::Parry => self.rival.answer(index, 0.0),
                Solver::ParryDistance => self.rival.answer(index, f64::MAX),
            };
            tally.judge(&self.a, &self.b, pair, found);
        }
        tally
    }
}
