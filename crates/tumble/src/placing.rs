//! The start of a run, with a look at how far its grains have found their places: a live bar on a terminal, else a plain
//! line every few seconds; nothing if it takes no longer than a moment.

use crate::failure::Failure;
use crate::figures::{count, duration};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write, stderr};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tumble_engine::boundary::insertion::{Placing, Watch};
use tumble_engine::{Model, Simulation};

/// How long nothing is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks of the live bar.
const LIVE_INTERVAL: Duration = Duration::from_millis(250);
/// Between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);

/// Starts a run and shows how far its fills have come, unless quiet. Ctrl-C ends the program here: there is nothing to save.
pub fn start(model: Model, quiet: bool) -> Result<Simulation, Failure> {
    Ok(watched(quiet, |watch| Simulation::new_watched(model, watch))?)
}

/// The same for any way to start one.
pub fn watched<T>(quiet: bool, start: impl FnOnce(&mut Watch) -> T) -> T {
    let mut display = Display::new();
    let started = start(&mut |placing| {
        if !quiet {
            display.show(placing);
        }
        ControlFlow::Continue(())
    });
    if let Some(bar) = display.bar {
        bar.finish_and_clear();
    }
    started
}

/// What is shown of the fills of a run.
struct Display {
    /// The insertion at hand, and when it began.
    insertion: String,
    begin: Instant,
    next_look: Instant,
    is_live: bool,
    /// There once something has been shown live.
    bar: Option<ProgressBar>,
}

impl Display {
    fn new() -> Display {
        let now = Instant::now();
        Display {
            insertion: String::new(),
            begin: now,
            next_look: now + PATIENCE,
            is_live: stderr().is_terminal(),
            bar: None,
        }
    }

    fn show(&mut self, placing: &Placing) {
        let now = Instant::now();
        if self.insertion != placing.insertion {
            placing.insertion.clone_into(&mut self.insertion);
            self.begin = now;
        }
        if now < self.next_look {
            return;
        }
        let text = line(placing, now.duration_since(self.begin).as_secs_f64());
        if self.is_live {
            self.next_look = now + LIVE_INTERVAL;
            let bar = self.bar.get_or_insert_with(|| {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
                    bar.set_style(style);
                }
                bar
            });
            bar.set_length(placing.n_wanted);
            bar.set_position(placing.n_placed);
            bar.set_message(text);
        } else {
            self.next_look = now + PLAIN_INTERVAL;
            // A run does not stop because nobody watches it.
            let _ = writeln!(stderr(), "{text}");
        }
    }
}

/// How many grains have their places, and about how long it takes still: no less than if all went as fast as so far.
fn line(placing: &Placing, elapsed: f64) -> String {
    let Placing { n_placed, n_wanted, .. } = *placing;
    let text = format!("placing grains  {} of {}", count(n_placed), count(n_wanted));
    if n_placed == 0 {
        return text;
    }
    let left = elapsed * (n_wanted - n_placed) as f64 / n_placed as f64;
    format!("{text}  {:.0} %  at least {} left", 100.0 * n_placed as f64 / n_wanted as f64, duration(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_how_many_are_placed_and_how_long_it_takes_still() {
        let at = |n_placed: u64| Placing { insertion: "feed", n_placed, n_wanted: 20_000 };
        assert_eq!(line(&at(0), 1.0), "placing grains  0 of 20,000");
        assert_eq!(line(&at(5_000), 2.0), "placing grains  5,000 of 20,000  25 %  at least 6.0 s left");
    }
}
