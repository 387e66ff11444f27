//! `tumble plot`: charts of a run as SVG and PNG.

use crate::arguments::{PlotArguments, PlotFormat};
use crate::failure::Failure;
use std::fs;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use tumble_io::atomic_file;
use tumble_io::file_error::FileError;
use tumble_io::run_directory::RunDirectory;
use tumble_pictures::plots::{Missing, Plot, PlotKind, Plots};
use tumble_pictures::raster::rasterise;

/// Draws the plots of a run.
pub fn plot(arguments: &PlotArguments) -> Result<(), Failure> {
    let directory = RunDirectory::open(&arguments.directory)?;
    let Plots { plots, missing, damage } = Plots::of(&directory);
    check_names(&arguments.what, &plots)?;
    let wanted = |name: &str, kind: PlotKind| {
        let is_all = arguments.what.is_empty() || arguments.what.iter().any(|what| what == "all");
        is_all || arguments.what.iter().any(|what| what == name || what == kind.name())
    };
    let chosen: Vec<&Plot> = plots.iter().filter(|plot| wanted(&plot.name, plot.kind)).collect();
    // What the scene left out is told only to those who ask for it by name.
    let is_asked = |missing: &&Missing| {
        wanted("", missing.kind)
            && (!missing.is_by_choice || arguments.what.iter().any(|what| what == missing.kind.name()))
    };
    let told = missing.iter().filter(is_asked);
    let told = told.map(|missing| format!("no plot of {}: {}", missing.kind.name(), missing.why));
    // Only histograms show the trajectory.
    let is_trajectory_shown = wanted("", PlotKind::Histograms) || chosen.iter().any(|p| p.kind == PlotKind::Histograms);
    let complaints: Vec<String> = damage.into_iter().filter(|_| is_trajectory_shown).chain(told).collect();
    if chosen.is_empty() {
        let complaints =
            if complaints.is_empty() { "there is nothing to plot".to_owned() } else { complaints.join("\n") };
        return Err(Failure::input(complaints));
    }
    let written = write(arguments, &directory, &chosen)?;
    for complaint in complaints {
        // Nobody may be there to hear it; the other plots are there all the same.
        let _ = writeln!(stderr(), "warning: {complaint}");
    }
    let mut out = stdout().lock();
    for path in written {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

/// Refuses what is neither a kind nor the name of a plot of this run.
fn check_names(what: &[String], plots: &[Plot]) -> Result<(), Failure> {
    let kinds = || PlotKind::ALL.iter().map(|kind| kind.name());
    let is_known =
        |name: &str| name == "all" || kinds().any(|kind| kind == name) || plots.iter().any(|p| p.name == name);
    match what.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => {
            let kinds: Vec<&str> = kinds().collect();
            let names: Vec<&str> = plots.iter().map(|plot| plot.name.as_str()).collect();
            Err(Failure::input(format!(
                "there is no plot `{name}`; --what takes all, {}, or the name of one plot of this run: {}",
                kinds.join(", "),
                names.join(", ")
            )))
        }
    }
}

/// Writes the plots and returns the files.
fn write(arguments: &PlotArguments, directory: &RunDirectory, plots: &[&Plot]) -> Result<Vec<PathBuf>, Failure> {
    let mut written = Vec::new();
    let mut put = |path: PathBuf, content: &[u8]| -> Result<(), Failure> {
        atomic_file::replace_with(&path, content)?;
        written.push(path);
        Ok(())
    };
    let output = arguments.output.clone().unwrap_or_else(|| directory.plots_path());
    if let Some(format) = format_of(&output)? {
        let [plot] = plots else {
            let names: Vec<&str> = plots.iter().map(|plot| plot.name.as_str()).collect();
            return Err(Failure::input(format!(
                "{} holds one plot, but {} are chosen: take one with --what ({}), or name a directory",
                output.display(),
                plots.len(),
                names.join(", ")
            )));
        };
        if arguments.format.is_some_and(|asked| asked != format) {
            return Err(Failure::input(format!("--format and the ending of {} do not agree", output.display())));
        }
        let svg = plot.chart.to_svg();
        match format {
            PlotFormat::Png => put(output, &png(&svg, arguments.width)?)?,
            PlotFormat::Svg | PlotFormat::Both => put(output, svg.as_bytes())?,
        }
        return Ok(written);
    }
    fs::create_dir_all(&output).map_err(FileError::of("create", &output))?;
    let format = arguments.format.unwrap_or(PlotFormat::Both);
    for plot in plots {
        let svg = plot.chart.to_svg();
        if format != PlotFormat::Png {
            put(output.join(format!("{}.svg", plot.name)), svg.as_bytes())?;
        }
        if format != PlotFormat::Svg {
            put(output.join(format!("{}.png", plot.name)), &png(&svg, arguments.width)?)?;
        }
    }
    Ok(written)
}

/// What the ending of a file asks for; `None` for a directory.
fn format_of(path: &Path) -> Result<Option<PlotFormat>, Failure> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let is_directory = path.is_dir() || path.to_string_lossy().ends_with(['/', '\\']);
    match ending.as_deref() {
        _ if is_directory => Ok(None),
        None => Ok(None),
        Some("svg") => Ok(Some(PlotFormat::Svg)),
        Some("png") => Ok(Some(PlotFormat::Png)),
        Some(other) => Err(Failure::input(format!(
            "{} ends in .{other}: plots are .svg or .png; end the name of a directory in /",
            path.display()
        ))),
    }
}

/// A chart in pixels.
pub fn png(svg: &str, width: u32) -> Result<Vec<u8>, Failure> {
    rasterise(svg, width).and_then(|pixels| pixels.to_png()).map_err(|error| Failure::Machine(error.into()))
}
