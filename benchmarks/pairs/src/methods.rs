//! Methods for two polyhedra, held against each other on pairs whose answers are known ([`crate::known_pairs`]): walks, common
//! planes, support points with an expanding polytope, separating axes. The table goes into the book by the same command.
//!
//! Everybody is asked for the separation, apart or not, of the same pairs, and takes turns with the others at every few of them.

use crate::coal::{Asked, Coal};
use crate::known_pairs::{Family, families};
use crate::method_table::{self, Column};
use crate::rival::Rival;
use crate::separating_axes::{Projected, largest_gap};
use crate::sets::{Pair, Set};
use crate::solver::cpu_nanoseconds;
use glam::DVec3;
use std::hint::black_box;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tumble_geometry::common_plane::{CommonPlaneOptions, EndedBy, contact_common_plane};
use tumble_geometry::contact::NotConverged;
use tumble_geometry::narrow::{contact_from, contact_general};
use tumble_geometry::{Contact, Shape};

/// Pairs timed at once.
const CHUNK: usize = 25;

/// Multiplies the size: no separation that is asked comes near it.
const FAR: f64 = 1e3;

/// A way to find the contact of two polyhedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Tumble's own: a walk over what touches, with a proof.
    Exact,
    /// The same from a direction near the true normal.
    ExactWarm,
    /// Tumble's general pair: distance by Gilbert, Johnson and Keerthi, depth by an expanding polytope.
    General,
    /// parry's, of the same kind.
    Parry,
    /// coal's, of the same kind.
    Coal,
    /// All separating axes.
    SeparatingAxes,
    /// Cundall's common plane.
    Cundall,
    /// Liu's common plane.
    Liu,
}

impl Method {
    /// All of them, in the order of the table.
    pub const ALL: [Method; 8] = [
        Method::Exact,
        Method::ExactWarm,
        Method::General,
        Method::Parry,
        Method::Coal,
        Method::SeparatingAxes,
        Method::Cundall,
        Method::Liu,
    ];

    /// What it is called in the table.
    pub fn name(self) -> &'static str {
        match self {
            Method::Exact => "`exact`",
            Method::ExactWarm => "`exact`, warm",
            Method::General => "`general`, GJK and EPA",
            Method::Parry => "parry, GJK and EPA",
            Method::Coal => "coal, GJK and EPA",
            Method::SeparatingAxes => "SAT",
            Method::Cundall => "`cundall`",
            Method::Liu => "`liu`",
        }
    }
}

/// One answer.
#[derive(Clone, Copy, Debug)]
struct Answer {
    separation: f64,
    normal: DVec3,
    /// Tilts of a plane, or axes tried, of those who tell.
    iterations: Option<usize>,
    /// Whether the method says of its own answer that it did not get to the end.
    cut_short: bool,
}

/// How a method fared with some pairs.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Overlapping, but said to be apart.
    pub missed: usize,
    /// Apart, but said to overlap.
    pub invented: usize,
    /// Said not to have converged, with an answer nevertheless.
    pub cut_short: usize,
    /// No answer: none given, not a number, or a panic.
    pub without_answer: usize,
    /// Angle between the normal and the true one, of each answer [deg].
    pub angles: Vec<f64>,
    /// Error of the separation over the size, of each answer [1].
    pub errors: Vec<f64>,
    /// Iterations of each answer, of those who tell.
    pub iterations: Vec<f64>,
    /// CPU time a question [ns], and the pairs that it was measured on.
    pub nanoseconds: f64,
    /// How many pairs were asked.
    pub n_pairs: usize,
}

impl Record {
    fn judge(&mut self, pair: &Pair, size: f64, answer: Option<Answer>) {
        self.n_pairs += 1;
        // Far beyond all that is asked are numbers that stand for none, as coal has them.
        let is_one = |a: &Answer| a.separation.abs() < FAR * size && a.normal.is_finite();
        let Some(answer) = answer.filter(is_one) else {
            self.without_answer += 1;
            return;
        };
        self.missed += usize::from(pair.separation < 0.0 && answer.separation >= 0.0);
        self.invented += usize::from(pair.separation > 0.0 && answer.separation < 0.0);
        self.cut_short += usize::from(answer.cut_short);
        self.angles.push(pair.normal.cross(answer.normal).length().atan2(pair.normal.dot(answer.normal)).to_degrees());
        self.errors.push((answer.separation - pair.separation).abs() / size);
        self.iterations.extend(answer.iterations.map(|n| n as f64));
    }

    /// This one and another, of other pairs.
    pub fn with(mut self, other: &Record) -> Record {
        let n_pairs = self.n_pairs + other.n_pairs;
        let time = self.nanoseconds * self.n_pairs as f64 + other.nanoseconds * other.n_pairs as f64;
        self.nanoseconds = time / (n_pairs as f64).max(1.0);
        self.n_pairs = n_pairs;
        self.missed += other.missed;
        self.invented += other.invented;
        self.cut_short += other.cut_short;
        self.without_answer += other.without_answer;
        self.angles.extend(&other.angles);
        self.errors.extend(&other.errors);
        self.iterations.extend(&other.iterations);
        self
    }
}

/// Some pairs, ready for every method.
struct Asking<'a> {
    set: &'a Set,
    shapes: [Shape; 2],
    projected: [Projected; 2],
    rival: Option<Rival>,
}

impl<'a> Asking<'a> {
    fn new(set: &'a Set) -> Result<Asking<'a>, String> {
        let shapes = [set.body_a.shape(), set.body_b.shape()];
        let [Shape::Polyhedron(a), Shape::Polyhedron(b)] = &shapes else {
            return Err(format!("{}: not two polyhedra", set.name));
        };
        let projected = [Projected::new(a), Projected::new(b)];
        let rival = Rival::new(&set.body_a, &set.body_b, &set.pairs);
        if rival.is_none() && cfg!(feature = "parry") {
            return Err(format!("{}: parry refuses a shape", set.name));
        }
        Ok(Asking { set, shapes, projected, rival })
    }

    fn size(&self) -> f64 {
        self.shapes[0].bounding_radius().max(self.shapes[1].bounding_radius())
    }

    /// The answer to one pair; coal has a process of its own.
    fn answer(&self, method: Method, index: usize) -> Option<Answer> {
        let ([a, b], pair) = (&self.shapes, &self.set.pairs[index]);
        let plane = |options| {
            let found = contact_common_plane(a, b, &pair.pose_ab, &options)?;
            let Contact { separation, normal, .. } = found.contact;
            let cut_short = found.ended_by == EndedBy::Cap;
            Some(Answer { separation, normal, iterations: Some(found.iterations), cut_short })
        };
        match method {
            Method::Exact => told(contact_from(a, b, &pair.pose_ab, None).map(Some)),
            Method::ExactWarm => told(contact_from(a, b, &pair.pose_ab, Some(pair.guess)).map(Some)),
            Method::General => told(contact_general(a, b, &pair.pose_ab, None, f64::INFINITY)),
            Method::Parry => {
                let (separation, normal) = self.rival.as_ref()?.answer(index, f64::MAX)?;
                Some(Answer { separation, normal, iterations: None, cut_short: false })
            }
            Method::Coal => None,
            Method::SeparatingAxes => {
                let found = largest_gap(&self.projected[0], &self.projected[1], &pair.pose_ab);
                let (separation, normal) = (found.gap, found.normal);
                Some(Answer { separation, normal, iterations: Some(found.n_axes), cut_short: false })
            }
            Method::Cundall => plane(CommonPlaneOptions::CUNDALL),
            Method::Liu => plane(CommonPlaneOptions::LIU),
        }
    }

    /// How the methods fare, and how long they take. Where coal is not there its record is empty.
    fn records(&self, rounds: usize, mut coal: Option<&mut Coal>) -> Result<[Record; Method::ALL.len()], String> {
        let n_pairs = self.set.pairs.len();
        let mut records: [Record; Method::ALL.len()] = Default::default();
        for (method, record) in Method::ALL.into_iter().zip(&mut records) {
            if method == Method::Coal {
                let Some(coal) = coal.as_deref_mut() else { continue };
                coal.take(self.set)?;
                for (pair, found) in self.set.pairs.iter().zip(coal.answers(Asked::Distance, n_pairs)?) {
                    let answer = found.map(|(separation, normal)| Answer {
                        separation,
                        normal,
                        iterations: None,
                        cut_short: false,
                    });
                    record.judge(pair, self.size(), answer);
                }
                continue;
            }
            for (index, pair) in self.set.pairs.iter().enumerate() {
                let answer = catch_unwind(AssertUnwindSafe(|| self.answer(method, index))).unwrap_or(None);
                record.judge(pair, self.size(), answer);
            }
        }
        for start in (0..n_pairs).step_by(CHUNK) {
            let chunk = start..n_pairs.min(start + CHUNK);
            let mut fastest = [f64::INFINITY; Method::ALL.len()];
            for _ in 0..rounds {
                for (method, fastest) in Method::ALL.into_iter().zip(&mut fastest) {
                    let time = match (method, coal.as_deref_mut()) {
                        (Method::Coal, Some(coal)) => coal.nanoseconds(Asked::Distance, chunk.clone(), 1)?,
                        (Method::Coal, None) => f64::NAN,
                        _ => self.nanoseconds(method, chunk.clone()),
                    };
                    *fastest = fastest.min(time);
                }
            }
            for (record, fastest) in records.iter_mut().zip(fastest) {
                record.nanoseconds += fastest / n_pairs as f64;
            }
        }
        Ok(records)
    }

    fn nanoseconds(&self, method: Method, pairs: Range<usize>) -> f64 {
        let begin = cpu_nanoseconds();
        for index in pairs {
            let _ = catch_unwind(AssertUnwindSafe(|| black_box(self.answer(method, black_box(index)))));
        }
        cpu_nanoseconds() - begin
    }
}

/// An answer of Tumble's, or the best it has where it did not converge.
fn told(found: Result<Option<Contact>, NotConverged>) -> Option<Answer> {
    let (contact, cut_short) = match found {
        Ok(contact) => (contact?, false),
        Err(unsure) => (unsure.best, true),
    };
    Some(Answer { separation: contact.separation, normal: contact.normal, iterations: None, cut_short })
}

/// Asks everybody everything, prints the table and writes it into the book. Of the pairs only a `share` is asked; the book is left alone
/// if that is not all.
pub fn table(rounds: usize, share: f64, coal: Option<&Path>) -> Result<(), String> {
    let mut coal = coal.map(Coal::start).transpose()?;
    let mut columns: Vec<Column> = Vec::new();
    for family in families()? {
        eprintln!("{}", family.name);
        columns.push(column(&family, rounds, share, coal.as_mut())?);
    }
    let methods: Vec<Method> =
        Method::ALL.into_iter().filter(|&method| method != Method::Coal || coal.is_some()).collect();
    let text = method_table::markdown(&columns, &methods);
    println!("{text}");
    if share < 1.0 {
        println!("Not all pairs were asked: the book is left as it is.");
        return Ok(());
    }
    method_table::put_into_book(&text)
}

/// The records of a family, by group and method.
fn column(family: &Family, rounds: usize, share: f64, mut coal: Option<&mut Coal>) -> Result<Column, String> {
    let mut records = Vec::new();
    for set in &family.sets(share)? {
        records.push(Asking::new(set)?.records(rounds, coal.as_deref_mut())?);
    }
    Ok(Column { family: family.name, records })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known_pairs::GROUPS;

    #[test]
    fn exact_answers_are_right_separating_axes_too_where_bodies_overlap_and_planes_never_miss() {
        for family in families().unwrap() {
            let records = column(&family, 1, 0.01, None).unwrap().records;
            for (group, records) in GROUPS.iter().zip(records) {
                for (method, record) in Method::ALL.into_iter().zip(records) {
                    let worst = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
                    let is_exact = match method {
                        Method::Exact | Method::ExactWarm | Method::General => true,
                        Method::SeparatingAxes => group.overlap,
                        Method::Parry | Method::Coal | Method::Cundall | Method::Liu => false,
                    };
                    if is_exact {
                        let failed = record.missed + record.invented + record.cut_short + record.without_answer;
                        assert_eq!(failed, 0, "{} {} {method:?}", family.name, group.name);
                        assert!(worst(&record.errors) < 1e-13, "{} {} {method:?}", family.name, group.name);
                        assert!(worst(&record.angles) < 1e-5, "{} {} {method:?}", family.name, group.name);
                    }
                    assert!(record.missed == 0 || matches!(method, Method::Parry | Method::Coal));
                    let tells = matches!(method, Method::SeparatingAxes | Method::Cundall | Method::Liu);
                    assert_eq!(record.iterations.len(), if tells { record.n_pairs } else { 0 });
                }
            }
        }
    }
}
