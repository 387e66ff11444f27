//! How the forces at the contacts of a run are spread.

use super::fit::mean_with_error;
use super::{Analysis, Answer, Shown, named};
use crate::Simulation;

/// Classes of force.
const CLASSES: usize = 40;

/// How the forces at the contacts of a run are spread.
pub fn forces(simulation: &Simulation) -> Result<Analysis, String> {
    let forces: Vec<f64> = simulation.contacts().iter().map(|contact| contact.force.length()).collect();
    spread(forces)
}

fn spread(mut forces: Vec<f64>) -> Result<Analysis, String> {
    if forces.is_empty() {
        return Err("nothing touches at this moment".to_owned());
    }
    forces.sort_unstable_by(f64::total_cmp);
    let (mean, error) = mean_with_error(&forces);
    let largest = forces[forces.len() - 1];
    if mean == 0.0 {
        return Err("no contact carries a force at this moment".to_owned());
    }
    let n = forces.len() as f64;
    let squares: f64 = forces.iter().map(|force| force * force).sum();
    let width = largest / mean / CLASSES as f64;
    let mut counts = [0_u32; CLASSES];
    for force in &forces {
        counts[((force / mean / width) as usize).min(CLASSES - 1)] += 1;
    }
    // Beyond the mean the distribution falls as exp(-decay f / mean): the likeliest decay is one over the mean excess.
    let beyond: Vec<f64> = forces.iter().filter(|&&force| force > mean).map(|force| force / mean - 1.0).collect();
    let n_beyond = beyond.len() as f64;
    let decay = n_beyond / beyond.iter().sum::<f64>();
    let tail = |force: f64| if force < 1.0 { f64::NAN } else { n_beyond / n * decay * (-decay * (force - 1.0)).exp() };
    let rows = counts.iter().enumerate().map(|(class, &count)| {
        let force = (class as f64 + 0.5) * width;
        vec![force, f64::from(count) / (n * width), tail(force), f64::from(count)]
    });
    let mut answers = vec![
        Answer::fitted("mean force", (mean, error), "N"),
        Answer::counted("largest force", largest, "N"),
        Answer::counted("share above the mean", n_beyond / n, ""),
        // 1 if all are equal, 1/n if one carries all.
        Answer::counted("participation", (mean * n).powi(2) / (n * squares), ""),
        Answer::counted("contacts", n, ""),
    ];
    if beyond.len() > 2 {
        answers.insert(2, Answer::fitted("decay of the tail", (decay, decay / n_beyond.sqrt()), "over the mean"));
    }
    Ok(Analysis {
        title: "Contact forces".to_owned(),
        answers,
        columns: named(&["force_over_mean", "probability_density", "exponential_tail", "contacts"]),
        rows: rows.collect(),
        shown: Shown::Lines { x: 0, y: vec![1, 2], is_logarithmic: [false, true] },
        note: "Lengths of the forces of all contacts, with walls too. The tail is the likeliest exponential beyond the mean; its error \
               is that of so many independent forces."
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_engine::random::Random;

    #[test]
    fn the_tail_of_exponential_forces_has_their_decay() {
        let mut random = Random::from_seed(11);
        // exp(-f) over forces above zero: mean 1, decay 1 in units of it.
        let found = spread((0..20_000).map(|_| -3.0 * (1.0 - random.unit()).ln()).collect()).unwrap();
        let of = |name: &str| found.answers.iter().find(|answer| answer.name == name).unwrap();
        let decay = of("decay of the tail");
        let error = decay.error.unwrap();
        assert!((decay.value - 1.0).abs() < 4.0 * error && error < 0.02, "{decay:?}");
        assert!((of("mean force").value - 3.0).abs() < 4.0 * of("mean force").error.unwrap());
        // <f>^2 / <f^2> = 1/2, and 1/e lie above the mean.
        assert!((of("participation").value - 0.5).abs() < 0.02);
        assert!((of("share above the mean").value - (-1.0_f64).exp()).abs() < 0.015);
        assert!(spread(Vec::new()).is_err() && spread(vec![0.0; 3]).is_err());
        // All alike have no tail.
        assert!(spread(vec![2.0; 9]).unwrap().answers.iter().all(|answer| answer.name != "decay of the tail"));
    }
}
