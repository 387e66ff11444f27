//! A run on one page: numbers, pictures, plots, the scene, and how to see more.
//!
//! The page stands alone: its style, plots and pictures are inside it, it runs no script and loads nothing from anywhere. It is light or dark as
//! its reader likes, and prints well.

mod base64;
mod portraits;

pub use portraits::{Picture, pictures_of};

use crate::figures::{count, quantity};
use crate::plots::Plots;
use crate::svg::push_escaped;
use std::fmt::Write as _;
use tumble_io::run_directory::RunDirectory;
use tumble_io::run_report::{RunReport, RunStatus};

const STYLE: &str = include_str!("page/style.css");
/// Of a scene that lists very many grains, this much is shown [bytes].
const MOST_SCENE: usize = 200_000;

/// What the page of a run is made of.
///
/// ```
/// use tumble_io::RunDirectory;
/// use tumble_pictures::page::Page;
/// # let directory = tempfile::tempdir().unwrap();
/// # let root = directory.path().join("run");
///
/// let directory = RunDirectory::create(&root, false)?;
/// directory.store_scene("# five beads")?;
/// let html = Page::of(&directory).to_html();
/// assert!(html.starts_with("<!DOCTYPE html>") && html.contains("five beads"));
/// # Ok::<(), tumble_io::RunDirectoryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Page {
    /// How the directory is named in the commands that the page shows.
    pub directory: String,
    /// What `run.json` says; `None` if it is not there or damaged.
    pub report: Option<RunReport>,
    /// The scene as it was run; `None` if it is not there.
    pub scene: Option<String>,
    /// The plots.
    pub plots: Plots,
    /// The pictures.
    pub pictures: Vec<Picture>,
    /// What could not be shown and why.
    pub problems: Vec<String>,
}

impl Page {
    /// Gathers what there is of a run. What cannot be read is told on the page.
    pub fn of(directory: &RunDirectory) -> Page {
        let mut problems = Vec::new();
        let mut told = |what: String| problems.push(what);
        let report = directory.read_report().map_err(|error| told(error.to_string())).ok();
        let scene = directory.load_scene().map_err(|error| told(error.to_string())).ok();
        let plots = Plots::of(directory);
        let (pictures, untold) = pictures_of(directory);
        untold.into_iter().for_each(told);
        Page { directory: directory.root().display().to_string(), report, scene, plots, pictures, problems }
    }

    /// The page as HTML.
    pub fn to_html(&self) -> String {
        let mut html = Html::default();
        let title = match &self.report {
            Some(report) if !report.title.is_empty() => report.title.clone(),
            Some(report) => report.scene.clone(),
            None => self.directory.clone(),
        };
        html.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
        html.text(&title);
        html.raw("</title>\n<style>\n").raw(STYLE).raw("</style>\n</head>\n<body>\n<header>\n<h1>");
        html.text(&title).raw("</h1>\n");
        if let Some(report) = &self.report {
            html.element("p", "soft", &standing(report));
        }
        html.raw("</header>\n<main>\n");
        self.write_notices(&mut html);
        if let Some(report) = &self.report {
            write_numbers(&mut html, report);
        }
        self.write_pictures(&mut html);
        self.write_plots(&mut html);
        if let Some(report) = &self.report {
            write_details(&mut html, report);
        }
        if let Some(scene) = &self.scene {
            html.raw("<section>\n<h2>Scene</h2>\n<pre>");
            html.text(beginning(scene, MOST_SCENE)).raw("</pre>\n");
            if scene.len() > MOST_SCENE {
                html.element("p", "soft", "The rest is in scene.toml.");
            }
            html.raw("</section>\n");
        }
        self.write_ways_on(&mut html);
        html.raw("</main>\n</body>\n</html>\n");
        html.0
    }

    fn write_notices(&self, html: &mut Html) {
        if let Some(report) = &self.report {
            if let Some(message) = &report.message {
                html.element("p", "notice", message);
            }
            for warning in &report.warnings {
                html.element("p", "notice", &format!("Warning: {warning}"));
            }
        }
        for problem in &self.problems {
            html.element("p", "notice", problem);
        }
        // The pictures and the plots may have met the same damage.
        for damage in self.plots.damage.iter().filter(|damage| !self.problems.contains(damage)) {
            html.element("p", "notice", damage);
        }
        for missing in self.plots.missing.iter().filter(|missing| !missing.is_by_choice) {
            html.element("p", "notice", &format!("Not plotted ({}): {}", missing.kind.name(), missing.why));
        }
    }

    fn write_pictures(&self, html: &mut Html) {
        if self.pictures.is_empty() {
            return;
        }
        html.raw("<section>\n<h2>Pictures</h2>\n<div class=\"grid pictures\">\n");
        for picture in &self.pictures {
            html.raw("<figure><img alt=\"").text(&picture.caption);
            // A String takes any write.
            let _ = write!(
                html.0,
                "\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,",
                picture.width, picture.height
            );
            html.raw(&base64::encode(&picture.png)).raw("\">");
            html.element("figcaption", "", &picture.caption).raw("</figure>\n");
        }
        html.raw("</div>\n</section>\n");
    }

    fn write_plots(&self, html: &mut Html) {
        if self.plots.plots.is_empty() {
            return;
        }
        html.raw("<section>\n<h2>Plots</h2>\n<div class=\"grid\">\n");
        for plot in &self.plots.plots {
            html.raw("<figure id=\"").text(&plot.name).raw("\">\n").raw(&plot.chart.to_svg()).raw("</figure>\n");
        }
        html.raw("</div>\n");
        for missing in self.plots.missing.iter().filter(|missing| missing.is_by_choice) {
            html.element("p", "soft", &format!("Not here ({}): {}.", missing.kind.name(), missing.why));
        }
        html.raw("</section>\n");
    }

    fn write_ways_on(&self, html: &mut Html) {
        let directory = shell_word(&self.directory);
        html.raw("<section>\n<h2>See more</h2>\n<pre>");
        for (command, what) in [
            (format!("tumble view {directory}"), "plays the run in the browser"),
            (format!("tumble render {directory} -o picture.png"), "draws a picture of any size"),
            (format!("tumble plot {directory}"), "writes these plots as SVG and PNG"),
            (format!("tumble info {directory}"), "tells what the run holds"),
            (format!("tumble resume {directory} --until TIME"), "takes it further"),
        ] {
            html.text(&format!("{command}\n    {what}\n"));
        }
        html.raw("</pre>\n</section>\n");
    }
}

/// How the run stands, in a sentence.
fn standing(report: &RunReport) -> String {
    let RunReport { scene, tumble_version, .. } = report;
    let stands = match report.status {
        RunStatus::Finished => "finished",
        RunStatus::Running => "still running, or killed",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Failed => "failed",
    };
    format!("{scene}: {stands} at t = {} · Tumble {tumble_version}", quantity(report.simulated_time, "s"))
}

fn write_numbers(html: &mut Html, report: &RunReport) {
    let share = |x: f64| quantity(x, "");
    let mut numbers = vec![
        ("grains", count(report.particles)),
        ("contacts", count(report.contacts)),
        ("simulated time", quantity(report.simulated_time, "s")),
        ("steps", count(report.steps)),
        ("time step", quantity(report.time_step, "s")),
        ("ledger residual", share(report.ledger_residual_relative)),
        (
            "largest overlap",
            format!(
                "{} ({} % of the smallest half width)",
                quantity(report.largest_overlap.length, "m"),
                share(100.0 * report.largest_overlap.relative)
            ),
        ),
        ("took", quantity(report.wall_seconds, "s")),
        ("grain steps a second", millions(report.particle_steps_per_second)),
        ("threads", report.threads.to_string()),
    ];
    if let Some(searches) = &report.plane_searches {
        numbers.push(("searches for common planes", searches.in_words()));
    }
    numbers.extend(report.stages.iter().map(|stage| ("stage", format!("{}: {}", stage.name, stage.in_words()))));
    html.raw("<dl class=\"numbers\">\n");
    for (name, value) in numbers {
        html.raw("<div>").element("dt", "", name).element("dd", "", &value).raw("</div>\n");
    }
    html.raw("</dl>\n");
}

fn write_details(html: &mut Html, report: &RunReport) {
    html.raw("<section>\n<h2>Energy ledger at the end</h2>\n<table>\n");
    let rest = ("residual_J".to_owned(), report.ledger_residual);
    for (name, value) in report.ledger.iter().chain([&rest]) {
        let words = name.strip_suffix("_J").unwrap_or(name).replace('_', " ");
        html.raw("<tr>").element("td", "", &words).element("td", "number", &quantity(*value, "J")).raw("</tr>\n");
    }
    html.raw("</table>\n</section>\n<section>\n<h2>Details</h2>\n<table>\n");
    let cpu = report.cpu_seconds.map_or("unknown".to_owned(), |seconds| quantity(seconds, "s"));
    let details = [
        ("seed", report.seed.to_string()),
        ("why the time step is so long", report.time_step_reason.clone()),
        ("grains inserted, removed", format!("{}, {}", count(report.inserted), count(report.removed))),
        ("processor time", cpu),
        ("fingerprint of the final state", report.state_hash.clone()),
    ];
    for (name, value) in details {
        html.raw("<tr>").element("td", "", name).element("td", "", &value).raw("</tr>\n");
    }
    html.raw("</table>\n</section>\n");
}

/// A page that is being written.
#[derive(Default)]
struct Html(String);

impl Html {
    /// Markup as it is.
    fn raw(&mut self, markup: &str) -> &mut Html {
        self.0.push_str(markup);
        self
    }

    /// A text that is no markup, whatever it holds.
    fn text(&mut self, text: &str) -> &mut Html {
        push_escaped(&mut self.0, text);
        self
    }

    /// An element with a text.
    fn element(&mut self, name: &str, class: &str, text: &str) -> &mut Html {
        self.raw("<").raw(name);
        if !class.is_empty() {
            self.raw(" class=\"").raw(class).raw("\"");
        }
        self.raw(">").text(text).raw("</").raw(name).raw(">\n")
    }
}

/// The first bytes of a text, up to a line end.
fn beginning(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = text.char_indices().map(|(place, _)| place).take_while(|&place| place <= most).last().unwrap_or(0);
    text[..end].rsplit_once('\n').map_or(&text[..end], |(whole, _)| whole)
}

fn millions(rate: f64) -> String {
    if rate >= 1e6 { format!("{:.1} million", rate / 1e6) } else { count(rate.max(0.0) as u64) }
}

/// A word as a shell takes it.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests;
