//! Who answers, and how long it takes.

use crate::coal::{Asked, Coal};
use crate::judge::Tally;
use crate::rival::Rival;
use crate::sets::Set;
use glam::DVec3;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::ops::Range;
use tumble_geometry::Shape;
use tumble_geometry::narrow::{contact, contact_from, contact_within};

/// Pairs measured at once: few, so that an interruption spoils little.
const CHUNK: usize = 250;

/// Passes over a chunk in one measurement: enough that reading the clock does not count.
const PASSES: usize = 4;

/// A way to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// Tumble, knowing nothing.
    Cold,
    /// Tumble, begun from a direction near the true normal.
    Warm,
    /// Tumble, asked for contacts only.
    Touching,
    /// parry, asked for contacts only: for bodies apart it may stop once it knows that they are.
    Parry,
    /// parry, asked for the distance of bodies apart too, as Tumble is.
    ParryDistance,
}

impl Solver {
    /// All of them, in the order of the table.
    pub const ALL: [Solver; 5] = [Solver::Cold, Solver::Warm, Solver::Touching, Solver::Parry, Solver::ParryDistance];

    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Cold => "cold",
            Solver::Warm => "warm",
            Solver::Touching => "touching",
            Solver::Parry => "parry",
            Solver::ParryDistance => "parry-distance",
        }
    }
}

/// CPU nanoseconds a pair.
pub struct Times {
    /// Of each solver, in the order of [`Solver::ALL`].
    pub solvers: [f64; Solver::ALL.len()],
    /// Of coal if it is there, in the order of [`Asked::ALL`].
    pub coal: Option<[f64; Asked::ALL.len()]>,
}

/// A set, ready to be answered.
pub struct Question<'a> {
    set: &'a Set,
    a: Shape,
    b: Shape,
    rival: Option<Rival>,
}

impl<'a> Question<'a> {
    /// The set in both forms.
    pub fn new(set: &'a Set) -> Result<Question<'a>, String> {
        let rival = Rival::new(&set.body_a, &set.body_b, &set.pairs);
        if rival.is_none() && cfg!(feature = "parry") {
            return Err(format!("{}: parry refuses a shape", set.name));
        }
        Ok(Question { set, a: set.body_a.shape(), b: set.body_b.shape(), rival })
    }

    /// Answers every pair once and throws the answers away.
    pub fn pass(&self, solver: Solver) {
        self.answer(solver, 0..self.set.pairs.len());
    }

    /// Answers some pairs and throws the answers away.
    fn answer(&self, solver: Solver, pairs: Range<usize>) {
        let (a, b) = (&self.a, &self.b);
        match solver {
            Solver::Cold => {
                for pair in &self.set.pairs[pairs] {
                    let _ = black_box(contact(black_box(a), black_box(b), &pair.pose_ab));
                }
            }
            Solver::Warm => {
                for pair in &self.set.pairs[pairs] {
                    let _ = black_box(contact_from(black_box(a), black_box(b), &pair.pose_ab, Some(pair.guess)));
                }
            }
            Solver::Touching => {
                for pair in &self.set.pairs[pairs] {
                    let _ = black_box(contact_within(black_box(a), black_box(b), &pair.pose_ab, None, 0.0));
                }
            }
            Solver::Parry => {
                for index in pairs {
                    black_box(self.rival.as_ref().map(|rival| rival.contact(black_box(index), 0.0)));
                }
            }
            Solver::ParryDistance => {
                for index in pairs {
                    black_box(self.rival.as_ref().map(|rival| rival.contact(black_box(index), f64::MAX)));
                }
            }
        }
    }

    /// CPU nanoseconds a pair for each solver. The solvers take turns at every few pairs, so that all see the same
    /// machine, and of several rounds the fastest counts, for each few pairs by themselves. coal must have taken the set.
    pub fn nanoseconds(&self, rounds: usize, mut coal: Option<&mut Coal>) -> Result<Times, String> {
        let n_pairs = self.set.pairs.len();
        let mut total = [0.0; Solver::ALL.len()];
        let mut total_coal = [0.0; Asked::ALL.len()];
        for start in (0..n_pairs).step_by(CHUNK) {
            let chunk = start..n_pairs.min(start + CHUNK);
            let mut fastest = [f64::INFINITY; Solver::ALL.len()];
            let mut fastest_coal = [f64::INFINITY; Asked::ALL.len()];
            for _ in 0..rounds {
                for (solver, fastest) in Solver::ALL.into_iter().zip(&mut fastest) {
                    let before = cpu_nanoseconds();
                    (0..PASSES).for_each(|_| self.answer(solver, chunk.clone()));
                    *fastest = fastest.min(cpu_nanoseconds() - before);
                }
                if let Some(coal) = coal.as_deref_mut() {
                    for (asked, fastest) in Asked::ALL.into_iter().zip(&mut fastest_coal) {
                        *fastest = fastest.min(coal.nanoseconds(asked, chunk.clone(), PASSES)?);
                    }
                }
            }
            total.iter_mut().zip(fastest).for_each(|(total, fastest)| *total += fastest);
            total_coal.iter_mut().zip(fastest_coal).for_each(|(total, fastest)| *total += fastest);
        }
        let questions = (PASSES * n_pairs) as f64;
        let coal = coal.is_some().then(|| total_coal.map(|total| total / questions));
        Ok(Times { solvers: total.map(|total| total / questions), coal })
    }

    /// How good answers from elsewhere are, one a pair.
    pub fn judge_answers(&self, answers: &[Option<(f64, DVec3)>]) -> Tally {
        let mut tally = Tally::default();
        for (pair, found) in self.set.pairs.iter().zip(answers) {
            tally.judge(&self.a, &self.b, pair, *found);
        }
        tally
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
                Solver::Touching => match contact_within(&self.a, &self.b, &pair.pose_ab, None, 0.0) {
                    Ok(found) => found.map(|found| (found.separation, found.normal)),
                    Err(_) => {
                        tally.not_converged += 1;
                        continue;
                    }
                },
                Solver::Parry => self.rival.as_ref().and_then(|rival| rival.answer(index, 0.0)),
                Solver::ParryDistance => self.rival.as_ref().and_then(|rival| rival.answer(index, f64::MAX)),
            };
            tally.judge(&self.a, &self.b, pair, found);
        }
        tally
    }
}

/// Time this thread has had of a processor [ns]. Time on the wall would count what other programs take.
pub fn cpu_nanoseconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}
