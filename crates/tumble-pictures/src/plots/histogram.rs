//! Histograms of the last frame: speed, coordination, contact force, orientation.

use super::{PlotKind, Plots};
use crate::cast::Scenery;
use crate::chart::{Axis, Chart, Mark, Series};
use crate::colour::Field;
use crate::figures::quantity;
use tumble_io::trajectory::TrajectoryReader;

/// Adds the histograms of the last frame that can be read.
pub(super) fn plot(reader: &mut TrajectoryReader, plots: &mut Plots) {
    plots.damage.extend(reader.tail_in_words());
    let mut frame = None;
    // A frame may be damaged; the one before it tells nearly the same.
    for index in (0..reader.frames().len()).rev().take(3) {
        match reader.read_frame(index) {
            Ok(read) => {
                frame = Some(read);
                break;
            }
            Err(error) => plots.damage.push(error.to_string()),
        }
    }
    let Some(frame) = frame else {
        plots.miss(PlotKind::Histograms, "the trajectory has no frame that can be read".to_owned(), false);
        return;
    };
    let metadata = reader.metadata();
    let scenery = match Scenery::of(metadata) {
        Ok(scenery) => scenery,
        Err(error) => {
            plots.miss(PlotKind::Histograms, error.to_string(), false);
            return;
        }
    };
    // The same numbers as those that grains are coloured by; none where the trajectory does not hold them.
    let numbers = |field: Field| field.values(&frame, metadata, scenery.shapes()).unwrap_or_default();
    let moment = format!("at t = {}", quantity(frame.time, "s"));
    let add = |plots: &mut Plots, name: &str, title: &str, x: Axis, counts: Counts, what: &str| {
        let points = counts.points();
        let chart = Chart {
            title: format!("{title} {moment}"),
            x,
            y: Axis::new(what, "").counting(),
            series: vec![Series { name: what.to_owned(), points, mark: Mark::Steps, paint: None }],
            note: counts.note(),
        };
        plots.add(PlotKind::Histograms, name, chart);
    };
    let axis = Axis::new("speed", "m/s").from_zero();
    add(plots, "histogram-speed", "Speeds", axis, Counts::of(&numbers(Field::Speed)), "grains");
    if metadata.contacts {
        let axis = Axis { is_whole: true, ..Axis::new("contacts of a grain", "") };
        add(
            plots,
            "histogram-coordination",
            "Coordination",
            axis,
            Counts::of_whole(&numbers(Field::Coordination)),
            "grains",
        );
        let forces: Vec<f64> = frame.contacts.iter().map(|contact| f64::from(contact.force.length())).collect();
        let axis = Axis::new("size of the force", "N").from_zero();
        add(plots, "histogram-force", "Contact forces", axis, Counts::of(&forces), "contacts");
    } else {
        plots.miss(
            PlotKind::Histograms,
            "coordination and forces: the trajectory has no contacts; set `output.trajectory_contacts` to true"
                .to_owned(),
            true,
        );
    }
    // Balls and cubes have no long axis, and that of planar grains cannot rise.
    let angles = numbers(Field::Orientation).into_iter().filter(|angle| angle.is_finite());
    let tilts: Vec<f64> = angles.map(|angle| angle.to_radians().cos()).collect();
    if !(tilts.is_empty() || scenery.is_planar()) {
        let counts = Counts::between(&tilts, 0.0, 1.0, 20);
        let axis = Axis::new("|cos| of the angle between a grain's long axis and the vertical (z)", "");
        add(plots, "histogram-orientation", "Orientations", axis, counts, "grains");
    }
}

/// How many numbers fall between edges.
#[derive(Clone, Debug, PartialEq)]
struct Counts {
    lower: f64,
    width: f64,
    counts: Vec<u64>,
    n_strange: usize,
}

impl Counts {
    /// Numbers from zero to their largest. As many bins as twice the cube root of their number: narrow
    /// enough to show the shape, wide enough not to show chance (Rice's rule).
    fn of(numbers: &[f64]) -> Counts {
        let finite = || numbers.iter().copied().filter(|x| x.is_finite());
        let largest = finite().fold(0.0, f64::max);
        let upper = if largest > 0.0 { largest } else { 1.0 };
        let n_bins = (2.0 * (finite().count() as f64).cbrt()).ceil().clamp(5.0, 60.0) as usize;
        Counts::between(numbers, 0.0, upper, n_bins)
    }

    /// Whole numbers, each in the middle of a bin of its own as long as they are below a hundred.
    fn of_whole(numbers: &[f64]) -> Counts {
        let largest = numbers.iter().copied().fold(0.0, f64::max);
        let every = (largest / 100.0).ceil().max(1.0);
        let n_bins = (largest / every).floor() as usize + 1;
        Counts::between(numbers, -0.5, every * n_bins as f64 - 0.5, n_bins)
    }

    fn between(numbers: &[f64], lower: f64, upper: f64, n_bins: usize) -> Counts {
        let width = (upper - lower) / n_bins as f64;
        let mut counts = vec![0; n_bins];
        let mut n_strange = 0;
        for &x in numbers {
            if !x.is_finite() {
                n_strange += 1;
                continue;
            }
            // The largest number belongs to the last bin.
            let bin = ((x - lower) / width).floor().clamp(0.0, (n_bins - 1) as f64) as usize;
            counts[bin] += 1;
        }
        Counts { lower, width, counts, n_strange }
    }

    fn points(&self) -> Vec<[f64; 2]> {
        if self.counts.iter().all(|&count| count == 0) {
            return Vec::new();
        }
        let edge = |k: usize| self.lower + self.width * k as f64;
        let last = [edge(self.counts.len()), 0.0];
        self.counts.iter().enumerate().map(|(k, &count)| [edge(k), count as f64]).chain([last]).collect()
    }

    fn note(&self) -> String {
        match self.n_strange {
            0 => String::new(),
            n => format!("{n} left out: not a number."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_counted_once() {
        let numbers: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.37).collect();
        let counts = Counts::of(&numbers);
        assert_eq!((counts.counts.len(), counts.counts.iter().sum::<u64>()), (20, 1000));
        assert!(counts.counts.iter().all(|&count| count == 50), "{counts:?}");
        let counts = Counts::of(&[1.0, f64::NAN, 3.0, f64::INFINITY]);
        assert_eq!((counts.counts.iter().sum::<u64>(), counts.n_strange), (2, 2));
        assert_eq!(counts.note(), "2 left out: not a number.");
    }

    #[test]
    fn whole_numbers_stand_in_the_middle_of_their_bins() {
        let counts = Counts::of_whole(&[0.0, 3.0, 3.0, 6.0]);
        assert_eq!((counts.lower, counts.width, &counts.counts[..]), (-0.5, 1.0, &[1, 0, 0, 2, 0, 0, 1][..]));
        assert_eq!(Counts::of_whole(&[950.0, 0.0]).counts.iter().sum::<u64>(), 2);
        assert_eq!(Counts::of_whole(&[]).points(), Vec::<[f64; 2]>::new());
    }

    #[test]
    fn equal_numbers_and_none_do_no_harm() {
        assert_eq!(Counts::of(&[0.0, 0.0]).counts.iter().sum::<u64>(), 2);
        assert_eq!(Counts::of(&[2.0, 2.0]).counts.iter().sum::<u64>(), 2);
        assert!(Counts::of(&[]).points().is_empty());
        assert!(Counts::of(&[f64::NAN]).points().is_empty());
    }
}
