//! The table of figures: Tumble against parry, and against coal if it is there.

use crate::coal::{Asked, Coal};
use crate::sets::Set;
use crate::solver::{Question, Solver};
use std::path::Path;

/// Answers and times every set, and prints a line for each. `coal` is the program that asks coal.
pub fn table(sets: &[Set], rounds: usize, coal: Option<&Path>) -> Result<(), String> {
    let mut coal = coal.map(Coal::start).transpose()?;
    print_heads(coal.is_some());
    let mut by_parry = Slower::new("parry");
    let mut by_coal = Slower::new("coal");
    for set in sets {
        let question = Question::new(set)?;
        if let Some(coal) = &mut coal {
            coal.take(set)?;
        }
        let times = question.nanoseconds(rounds, coal.as_mut())?;
        let [cold, warm, touching, parry_contact, parry_distance] = times.solvers;
        let [for_cold, for_warm, for_touching, for_contact, for_distance] =
            Solver::ALL.map(|solver| question.judge(solver));
        print!(
            "{:18} | {:4} {:8.1e} {:8.0} {:8.0} {:8.0}",
            set.name,
            for_cold.bad() + for_warm.bad() + for_touching.bad(),
            for_cold.largest_error.max(for_warm.largest_error),
            cold,
            warm,
            touching
        );
        let own = [touching, cold];
        let bad = [for_contact.bad(), for_distance.bad()];
        print_rival(bad, for_distance.largest_error, own, [parry_contact, parry_distance]);
        by_parry.note(&set.name, own, [parry_contact, parry_distance]);
        if let (Some(coal), Some(rival)) = (&mut coal, times.coal) {
            let contact = question.judge_answers(&coal.answers(Asked::Contact, set.pairs.len())?);
            let distance = question.judge_answers(&coal.answers(Asked::Distance, set.pairs.len())?);
            print_rival([contact.bad(), distance.bad()], distance.largest_error, own, rival);
            by_coal.note(&set.name, own, rival);
        }
        println!();
    }
    by_parry.print();
    if coal.is_some() {
        by_coal.print();
    }
    Ok(())
}

/// Two lines above the table.
fn print_heads(with_coal: bool) {
    let rivals: &[&str] = if with_coal { &["parry", "coal"] } else { &["parry"] };
    print!("{:18} | {:^40}", "", "Tumble: distance, contact only");
    for rival in rivals {
        print!(" | {:^35} | {:^16}", format!("{rival}: contact only, distance"), format!("over {rival}"));
    }
    print!("\n{:18} | {:>4} {:>8} {:>8} {:>8} {:>8}", "set", "bad", "error", "cold ns", "warm ns", "cont. ns");
    for _ in rivals {
        print!(" | {:>4} {:>4} {:>8} {:>8} {:>8}", "bad", "bad", "error", "cont. ns", "dist. ns");
        print!(" | {:>7} {:>8}", "contact", "distance");
    }
    println!();
}

/// A rival's columns: bad answers and times for contacts only and for distances, the largest error for distances, and
/// Tumble's times over the rival's.
fn print_rival(bad: [usize; 2], largest_error: f64, own: [f64; 2], rival: [f64; 2]) {
    print!(" | {:4} {:4} {largest_error:8.1e} {:8.0} {:8.0}", bad[0], bad[1], rival[0], rival[1]);
    print!(" | {:7.2} {:8.2}", own[0] / rival[0], own[1] / rival[1]);
}

/// The sets in which Tumble takes longer than a rival, asked for contacts only and for distances.
struct Slower {
    rival: &'static str,
    sets: [Vec<String>; 2],
}

impl Slower {
    fn new(rival: &'static str) -> Slower {
        Slower { rival, sets: [Vec::new(), Vec::new()] }
    }

    fn note(&mut self, set: &str, own: [f64; 2], rival: [f64; 2]) {
        for (sets, (own, rival)) in self.sets.iter_mut().zip(own.into_iter().zip(rival)) {
            if own > rival {
                sets.push(format!("{set} ({:.2})", own / rival));
            }
        }
    }

    fn print(&self) {
        for (sets, question) in self.sets.iter().zip(["asked for contacts only", "asked for distances too"]) {
            let list = if sets.is_empty() { "none".to_string() } else { sets.join(", ") };
            println!("slower than {} {question}: {list}", self.rival);
        }
    }
}
