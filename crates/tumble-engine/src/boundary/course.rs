//! How far a motion has come and how fast it is, as a function of time: ramps of speed, swings, and tables of what was measured.

use std::f64::consts::TAU;
use std::sync::Arc;

/// How far a motion has come [m or rad], as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// The speed goes over from one to another at a constant rate, and stays there.
    Ramp {
        /// Speed at the start [m/s or rad/s].
        from: f64,
        /// Speed after the ramp [m/s or rad/s].
        to: f64,
        /// How long the speed takes to change [s].
        over: f64,
        /// When it begins [s].
        start: f64,
        /// When it ends [s]; infinity: never.
        stop: f64,
    },
    /// To and fro: amplitude * (sin(2 pi frequency (t - start) + phase) - sin(phase)), which begins where the wall is.
    Swing {
        /// Amplitude [m or rad].
        amplitude: f64,
        /// Frequency [Hz].
        frequency: f64,
        /// Phase at the start [rad].
        phase: f64,
        /// When it begins [s].
        start: f64,
        /// When it ends [s]; infinity: never.
        stop: f64,
    },
    /// As a table says.
    Table {
        /// The table.
        table: Arc<CourseTable>,
        /// The time that is zero in the table [s].
        start: f64,
    },
}

/// What a table of a motion gives between one row and the next: value + rate t + change t^2 / 2, t counted from the row.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Knot {
    time: f64,
    value: f64,
    rate: f64,
    change: f64,
}

/// A motion from a table. Before its first row and after its last nothing moves.
#[derive(Clone, Debug, PartialEq)]
pub struct CourseTable {
    /// One for each row; the last has come to rest.
    knots: Vec<Knot>,
    /// Whether it begins anew at its end, from where it came to.
    repeats: bool,
}

impl CourseTable {
    /// From times [s], ascending, and where the wall is at each [m or rad]: between them it goes at a constant speed. What counts is
    /// how far it is from the first place. `None` if there are fewer than two rows, or times do not ascend.
    pub fn of_places(times: &[f64], places: &[f64], repeats: bool) -> Option<CourseTable> {
        let mut table = CourseTable::still(times, places, repeats)?;
        for k in 0..times.len() {
            table.knots[k].value = places[k] - places[0];
            if k + 1 < times.len() {
                table.knots[k].rate = (places[k + 1] - places[k]) / (times[k + 1] - times[k]);
            }
        }
        Some(table)
    }

    /// From times [s], ascending, and how fast the wall is at each [m/s or rad/s]: between them the speed changes at a constant rate.
    /// `None` if there are fewer than two rows, or times do not ascend.
    pub fn of_speeds(times: &[f64], speeds: &[f64], repeats: bool) -> Option<CourseTable> {
        let mut table = CourseTable::still(times, speeds, repeats)?;
        for k in 0..times.len() - 1 {
            let (length, rise) = (times[k + 1] - times[k], speeds[k + 1] - speeds[k]);
            table.knots[k].rate = speeds[k];
            table.knots[k].change = rise / length;
            table.knots[k + 1].value = table.knots[k].value + 0.5 * (speeds[k] + speeds[k + 1]) * length;
        }
        Some(table)
    }

    fn still(times: &[f64], values: &[f64], repeats: bool) -> Option<CourseTable> {
        let are_numbers = times.iter().chain(values).all(|x| x.is_finite());
        if times.len() < 2 || times.len() != values.len() || !are_numbers || !times.is_sorted_by(|a, b| a < b) {
            return None;
        }
        let knots = times.iter().map(|&time| Knot { time, value: 0.0, rate: 0.0, change: 0.0 }).collect();
        Some(CourseTable { knots, repeats })
    }

    /// The time of the last row [s].
    pub fn end(&self) -> f64 {
        self.knots[self.knots.len() - 1].time
    }

    /// The row that holds at a time of the table, the time since then, and what earlier rounds have come to.
    fn at(&self, time: f64) -> Option<(&Knot, f64, f64)> {
        let (first, last) = (&self.knots[0], &self.knots[self.knots.len() - 1]);
        let mut time = time;
        let mut come = 0.0;
        if self.repeats && time >= last.time {
            let rounds = ((time - first.time) / (last.time - first.time)).floor();
            time = (time - rounds * (last.time - first.time)).clamp(first.time, last.time);
            come = rounds * last.value;
        }
        let after = self.knots.partition_point(|knot| knot.time <= time);
        let knot = &self.knots[after.checked_sub(1)?];
        Some((knot, time - knot.time, come))
    }

    fn value(&self, time: f64) -> f64 {
        self.at(time).map_or(0.0, |(knot, t, come)| come + knot.value + t * (knot.rate + 0.5 * knot.change * t))
    }

    fn rate(&self, time: f64) -> f64 {
        self.at(time).map_or(0.0, |(knot, t, _)| knot.rate + knot.change * t)
    }

    fn spans(&self) -> impl Iterator<Item = (&Knot, f64)> {
        self.knots.windows(2).map(|pair| (&pair[0], pair[1].time - pair[0].time))
    }
}

impl Course {
    /// How far it has come at a time [m or rad].
    pub fn value(&self, time: f64) -> f64 {
        match self {
            &Course::Ramp { from, to, over, start, stop } => {
                let elapsed = time.clamp(start, stop) - start;
                let rising = elapsed.min(over);
                let gained = if over > 0.0 { 0.5 * (to - from) * rising * rising / over } else { 0.0 };
                from * rising + gained + to * (elapsed - rising)
            }
            &Course::Swing { amplitude, frequency, phase, start, stop } => {
                let elapsed = time.clamp(start, stop) - start;
                amplitude * ((TAU * frequency * elapsed + phase).sin() - phase.sin())
            }
            Course::Table { table, start } => table.value(time - start),
        }
    }

    /// How fast it is at a time and right after it [m/s or rad/s].
    pub fn rate(&self, time: f64) -> f64 {
        match self {
            &Course::Ramp { from, to, over, start, stop } => {
                if !(time >= start && time < stop) {
                    0.0
                } else if time - start < over {
                    from + (to - from) * (time - start) / over
                } else {
                    to
                }
            }
            &Course::Swing { amplitude, frequency, phase, start, stop } => {
                if !(time >= start && time < stop) {
                    return 0.0;
                }
                let angular = TAU * frequency;
                amplitude * angular * (angular * (time - start) + phase).cos()
            }
            Course::Table { table, start } => table.rate(time - start),
        }
    }

    /// The largest speed it ever has [m/s or rad/s].
    pub fn largest_rate(&self) -> f64 {
        match self {
            Course::Ramp { from, to, .. } => from.abs().max(to.abs()),
            Course::Swing { amplitude, frequency, .. } => TAU * frequency * amplitude.abs(),
            Course::Table { table, .. } => table
                .spans()
                .map(|(knot, length)| knot.rate.abs().max((knot.rate + knot.change * length).abs()))
                .fold(0.0, f64::max),
        }
    }

    /// How fast the speed changes at most, but for jumps [m/s^2 or rad/s^2].
    pub fn largest_change(&self) -> f64 {
        match self {
            &Course::Ramp { from, to, over, .. } => {
                if over > 0.0 {
                    (to - from).abs() / over
                } else {
                    0.0
                }
            }
            Course::Swing { amplitude, frequency, .. } => amplitude.abs() * (TAU * frequency).powi(2),
            Course::Table { table, .. } => table.spans().map(|(knot, _)| knot.change.abs()).fold(0.0, f64::max),
        }
    }

    /// Whether the speed may jump between two times.
    pub fn may_jump_within(&self, from: f64, to: f64) -> bool {
        let within = |time: f64| time > from && time < to;
        match self {
            Course::Ramp { start, stop, .. } | Course::Swing { start, stop, .. } => within(*start) || within(*stop),
            Course::Table { table, start } => {
                // A table that repeats may jump wherever it begins anew.
                (table.repeats && to - start > table.end()) || table.knots.iter().any(|knot| within(start + knot.time))
            }
        }
    }

    /// The same, begun later by a time [s].
    pub(super) fn delay(&mut self, by: f64) {
        match self {
            Course::Ramp { start, stop, .. } | Course::Swing { start, stop, .. } => {
                *start += by;
                *stop += by;
            }
            Course::Table { start, .. } => *start += by,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn courses() -> Vec<Course> {
        let (times, speeds) = ([0.5, 1.0, 2.5, 3.0], [1.0, -2.0, 0.5, 0.0]);
        let table = |repeats| CourseTable::of_speeds(&times, &speeds, repeats).unwrap();
        let places = |repeats| CourseTable::of_places(&times, &[0.3, 0.1, 0.7, 0.4], repeats).unwrap();
        vec![
            Course::Ramp { from: -1.0, to: 3.0, over: 2.0, start: 0.4, stop: 3.5 },
            Course::Ramp { from: 0.0, to: 3.0, over: 0.0, start: 0.4, stop: f64::INFINITY },
            Course::Swing { amplitude: 0.2, frequency: 1.3, phase: 0.25 * PI, start: 0.3, stop: 3.1 },
            Course::Table { table: Arc::new(table(false)), start: 0.2 },
            Course::Table { table: Arc::new(table(true)), start: -0.2 },
            Course::Table { table: Arc::new(places(false)), start: 0.2 },
            Course::Table { table: Arc::new(places(true)), start: 0.2 },
        ]
    }

    #[test]
    fn every_course_goes_as_far_as_its_speed_says() {
        for course in courses() {
            let (n, length) = (400_000, 8.0);
            let step = length / f64::from(n);
            let (mut come, mut fastest): (f64, f64) = (0.0, 0.0);
            for k in 0..n {
                let rate = course.rate((f64::from(k) + 0.5) * step);
                come += rate * step;
                fastest = fastest.max(rate.abs());
            }
            let far = course.value(length) - course.value(0.0);
            assert!((far - come).abs() < 1e-4, "{course:?}: {far} against {come}");
            let largest = course.largest_rate();
            assert!(fastest <= largest * (1.0 + 1e-12) && fastest > 0.99 * largest, "{course:?}: {fastest}, {largest}");
        }
    }

    #[test]
    fn speeds_jump_only_where_that_is_said() {
        for course in courses() {
            let (n, step) = (8000, 1e-3);
            for k in 0..n {
                let time = f64::from(k) * step + 1e-7;
                let change = (course.rate(time + step) - course.rate(time)).abs();
                let smooth = course.largest_change() * step * (1.0 + 1e-9) + 1e-12;
                assert!(
                    change <= smooth || course.may_jump_within(time, time + step),
                    "{course:?} at {time}: {change}"
                );
            }
        }
    }

    #[test]
    fn a_table_that_makes_no_sense_is_none() {
        assert!(CourseTable::of_places(&[0.0], &[1.0], false).is_none());
        assert!(CourseTable::of_places(&[0.0, 0.0], &[1.0, 2.0], false).is_none());
        assert!(CourseTable::of_speeds(&[0.0, 2.0, 1.0], &[1.0, 2.0, 3.0], false).is_none());
        assert!(CourseTable::of_speeds(&[0.0, f64::NAN], &[1.0, 2.0], false).is_none());
    }
}
