//! What can be typed after `tumble`.

mod contact;

pub use contact::ContactArguments;

use crate::render::options::{self, FrameChoice};
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use glam::DVec3;
use std::ffi::OsString;
use std::path::PathBuf;
use tumble_io::units::{Dimension, parse_quantity};
use tumble_pictures::cast::{Background, Direction, Quality};
use tumble_pictures::colour::ColourMap;

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the input must change: a scene, an option, a file that was named, a run that became unstable
  2    the machine's fault or Tumble's: a full disk, a directory that cannot be written
  130  interrupted by Ctrl-C; a checkpoint was written

A first run:
  tumble new pour
  tumble run pour.toml";

/// Simulates grains of real shape from one scene file.
#[derive(Debug, Parser)]
#[command(name = "tumble", version, after_help = EXIT_CODES, arg_required_else_help = true, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a scene file to start from
    #[command(after_help = "\
Examples:
  tumble new pour                    writes pour.toml
  tumble new drum --template drum
  tumble new --list                  shows the templates")]
    New(NewArguments),

    /// Read a scene and say everything that is wrong with it
    #[command(after_help = "\
Example:
  tumble check pour.toml --set time.step=1e-5")]
    Check(CheckArguments),

    /// Run a scene
    #[command(after_help = "\
Examples:
  tumble run pour.toml
  tumble run pour.toml --out long --set 'time.end=2 s' --set seed=7
  tumble run pour.toml --threads 4 --quiet
  tumble run press.toml --from pour-run   begins with what that run has left
  tumble run pour.toml --view        watch it in the browser as it computes
  tumble run gas.toml --compare-solvers hard-stepped,hard-events

Results in DIR (by default the scene's name with -run):
  run.json           what it was and what it cost
  series.csv         energies and counts over time
  probes/            measurements that the scene asks for
  frames/            for ParaView: open particles.pvd
  trajectory.tumble  for pictures and viewers
  report.html        all of it on one page
  checkpoints/       states to go on from

Ctrl-C stops after the step at hand and writes a checkpoint; `tumble resume \
DIR` goes on. The number of threads does not change the result.")]
    Run(RunArguments),

    /// Go on with a run that was interrupted or killed, or take a finished one further
    #[command(after_help = "\
Examples:
  tumble resume pour-run
  tumble resume pour-run --until '3 s'

The result is bit for bit that of a run that never stopped. --until replaces \
all the scene's stop conditions. It goes on from the newest good checkpoint; \
without one nothing is changed. Frames, trajectory and tables that were \
deleted or damaged are told, and go on from there.")]
    Resume(ResumeArguments),

    /// Show runs in the browser: play them, turn them, colour them, ask single grains
    #[command(after_help = "\
Examples:
  tumble view pour-run               opens a page that plays the run
  tumble view pour-run drum-run      side by side, with one camera and one clock
  tumble view pour.toml              the scene as it begins, without running it
  tumble view pour-run --no-open     prints the address; open it yourself

A run that is still going on is followed as it grows. In the page, ? lists the \
keys. Ctrl-C here ends it.

The page is inside this program and needs no network. It is served to this \
machine alone; --host 0.0.0.0 lets others look too, all who can reach the port.")]
    View(ViewArguments),

    /// Tell what a run, a scene or a checkpoint holds
    #[command(after_help = "\
Examples:
  tumble info pour-run
  tumble info pour.toml
  tumble info pour-run/checkpoints/step-000000010000.checkpoint")]
    Info(InfoArguments),

    /// Write a moment of a run as tables: grains, contacts and walls as CSV
    #[command(after_help = "\
Examples:
  tumble export settled-run                     the end, in settled-run/export/
  tumble export settled-run --time 0.2 -o start

A moment is a checkpoint: the last, or the last not after --time; a run keeps its two \
newest. Numbers are \
in SI units and read back to the same bits. To begin another run with the \
grains of this one, contacts and all, there is no need of tables:
  insert = [{ run = \"settled-run\" }]")]
    Export(ExportArguments),

    /// Draw a picture or a film of a run, on any machine, without a display
    #[command(after_help = "\
Examples:
  tumble render pour-run                             the last frame, as pour-run.png
  tumble render pour-run --frame 12 --colour speed -o fast.png
  tumble render pour-run --camera front --section y=0 -o cut.png
  tumble render pour-run --frame all --every 2 --fps 20 -o pour.gif
  tumble render pour-run --frame all -o film/        PNG frames for a film tool

Fields to colour by:
  species, speed, velocity_x, velocity_y, velocity_z, angular_speed, \
orientation, heading, force, overlap, coordination, size, id, height, constant

Cameras: auto (three quarters from above), front, back, left, right, top, \
bottom, iso, or a point like 10cm,-20cm,15cm. All frames of a film share one \
camera and one range of colours.

Sections: x=5mm cuts away what is nearer to the camera; z<2cm keeps what lies \
below; nx,ny,nz,d keeps n.x <= d.")]
    Render(Box<RenderArguments>),

    /// Plot a run: energies, contacts, profiles, histograms, as SVG and PNG
    #[command(after_help = "\
Examples:
  tumble plot pour-run                                  all plots, in pour-run/plots
  tumble plot pour-run --what energies,histograms
  tumble plot pour-run --what energies -o energies.svg
  tumble plot pour-run -o figures --format png --width 2400

What there is:
  energies    kinetic, potential, elastic, lost; what walls and insertion brought
  residual    what the energy ledger leaves unexplained
  contacts    number of contacts, contacts a grain; iterations of common planes
  overlap     largest overlap
  grains      number of grains
  packing     packing fraction           (a probe of the scene)
  probes      pressure, anisotropy, force on the walls, kinds of contact   (probes)
  profiles    solid fraction, velocity, temperature, order along an axis  (probes)
  histograms  speed, coordination, contact force, orientation in the last frame

A run that still goes on, or that was killed, is plotted as far as it came. \
What a run did not write cannot be plotted: a warning names the key of the scene.")]
    Plot(PlotArguments),

    /// Answer what runs were made for: discharge, repose, mixing, packing, forces
    #[command(after_help = "\
Examples:
  tumble analyse silo-run                    whatever has an answer
  tumble analyse silo-run discharge
  tumble analyse heap-run repose forces -o answers
  tumble analyse mu-* repose --by materials.glass.friction
                                             several runs in one table and plot
  tumble analyse d10 d14 d18 d22 beverloo    Beverloo's law through several discharges

Questions:
  discharge          mass and grains a second through edges that remove them
  repose             slope of a heap that stands free
  height-map         how high grains reach over every place
  drum               dynamic angle and power of a drum that turns
  mixing             Lacey's index of two kinds, or of halves; where each kind gathers
  packing            packing fraction by height
  pair-distribution  g(r), neighbours in the first shell
  order              S2 of the grains' axes, and about the upright by height
  forces             how contact forces are spread, and their exponential tail
  stress-strain      stiffness and friction angle of a bed that is pressed
  displacement       mean square displacement and diffusion
  beverloo           C, k and exponent of three discharges or more

Moments are that of the last checkpoint, or of --time; courses are taken from the \
trajectory, between --from and --until. What a run did not write is named with the \
key that makes it. Answers are printed with standard errors, and written with the \
numbers they come from as CSV, JSON and plots. A directory that is called like a \
question is written as ./NAME.")]
    Analyse(AnalyseArguments),

    /// Show a run on one page: numbers, pictures, plots and the scene, in report.html
    #[command(after_help = "\
Examples:
  tumble report pour-run
  tumble report pour-run -o pour.html

The page stands alone: it can be mailed, printed, and opened without a network. \
`tumble run` writes it at the end of each run, unless the scene says \
`output.report = false`.")]
    Report(ReportArguments),

    /// Answer contact questions, one JSON object a line
    #[command(after_help = "\
Example:
  tumble contact questions.jsonl > answers.jsonl
  tumble contact --as-run questions.jsonl
  tumble contact --patch questions.jsonl
  tumble contact --method feng-layered --layers 32 questions.jsonl
  tumble contact --method liu --directions 16 questions.jsonl
  tumble contact --method peng-hanley questions.jsonl

A question is one line, broken here to be read:
  {\"id\": \"1\",
   \"A\": {\"shape\": {\"type\": \"sphere\", \"r\": 1},
         \"pose\": {\"position\": [0, 0, 0], \"quaternion\": [1, 0, 0, 0]}},
   \"B\": {\"shape\": {\"type\": \"sphere\", \"r\": 1},
         \"pose\": {\"position\": [0, 0, 1.9], \"quaternion\": [1, 0, 0, 0]}}}

Each line is answered by one line, with the same id. A line that cannot be \
answered yields {\"id\": ..., \"error\": ...}; the others are answered all the \
same, and the exit code is then 1.")]
    Contact(Box<ContactArguments>),

    /// Show which pairs of shapes can meet, and how their contact is found
    #[command(after_help = "\
Examples:
  tumble pairs
  tumble pairs --json")]
    Pairs(PairsArguments),

    /// Print the keys of a scene file, as a JSON schema or as Markdown
    #[command(after_help = "\
Examples:
  tumble schema > scene.schema.json
  tumble schema --markdown | less")]
    Schema(SchemaArguments),

    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  tumble completions bash > ~/.local/share/bash-completion/completions/tumble
  tumble completions zsh > ~/.zfunc/_tumble")]
    Completions(CompletionsArguments),
}

/// Arguments of `tumble new`.
#[derive(Debug, Args)]
pub struct NewArguments {
    /// Name of the scene file; `.toml` is added if it is not there
    #[arg(required_unless_present = "list", value_parser = NonEmptyStringValueParser::new())]
    pub name: Option<String>,
    /// Which scene to start from (see --list)
    #[arg(long, value_name = "TEMPLATE")]
    pub template: Option<String>,
    /// List the templates
    #[arg(long, conflicts_with_all = ["name", "template"])]
    pub list: bool,
}

/// Arguments of `tumble check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The scene file
    pub scene: PathBuf,
    /// Lay a value over the scene, as in `time.step=1e-5`; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// How a run is carried out.
#[derive(Clone, Copy, Debug, Args)]
pub struct Manner {
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `tumble run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// The scene file
    pub scene: PathBuf,
    /// Directory for the results [default: the scene's name with -run]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How to run.
    #[command(flatten)]
    pub manner: Manner,
    /// Lay a value over the scene, as in `time.end='2 s'`; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Begin with the grains, contacts and walls that another run has left, in place of those that fill the scene at the start
    #[arg(long, value_name = "RUN", conflicts_with = "compare_solvers")]
    pub from: Option<PathBuf>,
    /// Replace the run that DIR holds
    #[arg(long)]
    pub overwrite: bool,
    /// Run the scene by two solvers into DIR/SOLVER each, and tell how they differ: a table, comparison.csv and plots
    #[arg(long, value_name = "SOLVER,SOLVER", value_delimiter = ',', conflicts_with = "view")]
    pub compare_solvers: Vec<String>,
    /// Whether and where to watch it.
    #[command(flatten)]
    pub watch: WatchArguments,
}

/// How a run is watched.
#[derive(Clone, Debug, Args)]
pub struct WatchArguments {
    /// Show the run in the browser while it computes; the result stays the same to the last bit
    #[arg(long)]
    pub view: bool,
    /// With --view: do not open the browser, only print the address
    #[arg(long, requires = "view")]
    pub no_open: bool,
    /// With --view: the port of the page [default: a free one]
    #[arg(long, value_name = "PORT", requires = "view")]
    pub port: Option<u16>,
}

/// Arguments of `tumble view`.
#[derive(Debug, Args)]
pub struct ViewArguments {
    /// Directories of runs, trajectories or scene files; several are shown side by side
    #[arg(required = true, value_name = "DIR|SCENE")]
    pub paths: Vec<PathBuf>,
    /// Do not open the browser, only print the address
    #[arg(long)]
    pub no_open: bool,
    /// The port of the page [default: a free one]
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// The address to listen at; any other than a loopback address lets other machines look
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1", value_parser = NonEmptyStringValueParser::new())]
    pub host: String,
    /// Lay a value over the scenes, as in `seed=7`; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Arguments of `tumble resume`.
#[derive(Debug, Args)]
pub struct ResumeArguments {
    /// Directory of the run
    pub directory: PathBuf,
    /// Simulated time to go on to, as in `3`, `'3 s'` or `'500 ms'`
    #[arg(long, value_name = "TIME", value_parser = simulated_time)]
    pub until: Option<f64>,
    /// How to run.
    #[command(flatten)]
    pub manner: Manner,
    /// Whether and where to watch it.
    #[command(flatten)]
    pub watch: WatchArguments,
}

/// Arguments of `tumble info`.
#[derive(Debug, Args)]
pub struct InfoArguments {
    /// Directory of a run, scene file, or checkpoint
    pub path: PathBuf,
}

/// Arguments of `tumble export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// Directory of a run
    pub directory: PathBuf,
    /// Simulated time, as in `3`, `'3 s'` or `'500 ms'`; the end if it is left out
    #[arg(long, value_name = "TIME", value_parser = simulated_time)]
    pub time: Option<f64>,
    /// Directory for the tables; `export` in that of the run if it is left out
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Arguments of `tumble analyse`.
#[derive(Debug, Args)]
pub struct AnalyseArguments {
    /// Directories of runs, and what is asked of them; all that has an answer if nothing is
    #[arg(required = true, value_name = "DIR|QUESTION")]
    pub words: Vec<PathBuf>,
    /// Simulated time of the moment to look at, as in `3` or `'500 ms'`; the end if it is left out
    #[arg(long, value_name = "TIME", value_parser = simulated_time)]
    pub time: Option<f64>,
    /// Simulated time from which the course is looked at
    #[arg(long, value_name = "TIME", value_parser = simulated_time)]
    pub from: Option<f64>,
    /// Simulated time until which the course is looked at
    #[arg(long, value_name = "TIME", value_parser = simulated_time)]
    pub until: Option<f64>,
    /// The kind of grain whose mixing with all others is asked for
    #[arg(long, value_name = "NAME")]
    pub kind: Option<String>,
    /// The wall that turns or presses, by its name in the scene
    #[arg(long, value_name = "NAME")]
    pub wall: Option<String>,
    /// Width of the opening for beverloo, as in `12 mm`; one for all runs or one for each, with commas between them
    #[arg(long, value_name = "LENGTH,..", value_delimiter = ',', value_parser = length)]
    pub opening: Vec<f64>,
    /// A key of the scenes that differs from run to run: a column of the table of several runs; may be given several times
    #[arg(long, value_name = "KEY")]
    pub by: Vec<String>,
    /// Directory for the answers; `analysis` in that of the run, of several runs `analysis` here
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Arguments of `tumble render`.
#[derive(Debug, Args)]
pub struct RenderArguments {
    /// Directory of a run, or its trajectory
    pub directory: PathBuf,
    /// Which frame: a number from 0, `first`, `last` or `all`
    #[arg(long, value_name = "N", default_value = "last", value_parser = options::frame_choice)]
    pub frame: FrameChoice,
    /// The picture (.png) or film (.gif, .webp, or a directory for PNG frames) [default: the run's name with .png]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What the grains are coloured by (listed below) [default: species, or speed if there is only one]
    #[arg(long, visible_alias = "color", value_name = "FIELD")]
    pub colour: Option<String>,
    /// The colours: viridis, batlow, cividis, diverging, wheel, grey, embers, glow [default: what suits the field]
    #[arg(long, value_name = "MAP", value_parser = options::map)]
    pub map: Option<ColourMap>,
    /// Values at the ends of the colours, in SI units [default: where 98 % of the values lie]
    #[arg(long, value_name = "LOW:HIGH", allow_hyphen_values = true, value_parser = options::range)]
    pub range: Option<(f64, f64)>,
    /// From where to look: a word or a point
    #[arg(long, value_name = "PLACE", default_value = "auto", allow_hyphen_values = true, value_parser = options::camera)]
    pub camera: Direction,
    /// The point in the middle of the picture [default: the middle of what there is]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = options::point)]
    pub look_at: Option<DVec3>,
    /// How much larger than a picture that shows all
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = options::positive)]
    pub zoom: f64,
    /// Without perspective
    #[arg(long)]
    pub orthographic: bool,
    /// Cut the picture open along a plane (see below)
    #[arg(long, value_name = "PLANE", allow_hyphen_values = true)]
    pub section: Option<String>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x960", value_parser = options::size)]
    pub size: (u32, u32),
    /// What stands behind: sky, white, dark, transparent
    #[arg(long, value_name = "NAME", default_value = "sky", value_parser = options::background)]
    pub background: Background,
    /// How much work goes into it: draft, normal, fine
    #[arg(long, value_name = "NAME", default_value = "normal", value_parser = options::quality)]
    pub quality: Quality,
    /// Draw only these walls, by their names in the scene
    #[arg(long, value_name = "NAME,..")]
    pub walls: Option<String>,
    /// Draw no walls
    #[arg(long, conflicts_with = "walls")]
    pub no_walls: bool,
    /// Draw neither colour bar nor scale bar nor time
    #[arg(long)]
    pub no_bars: bool,
    /// Draw the contact forces, as rods from centre to centre in grains of glass
    #[arg(long)]
    pub force_chains: bool,
    /// Frames a second of a film
    #[arg(long, value_name = "N", default_value = "25", value_parser = options::positive)]
    pub fps: f64,
    /// Draw every Nth frame of a film
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
    /// How to work.
    #[command(flatten)]
    pub manner: Manner,
}

/// What was typed, without the `by` of `--colour by speed`, which reads well and means nothing.
pub fn without_filler(typed: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    for word in typed {
        let follows_colour = words.last().is_some_and(|last| last == "--colour" || last == "--color");
        if !(follows_colour && word == "by") {
            words.push(word);
        }
    }
    words
}

/// Arguments of `tumble plot`.
#[derive(Debug, Args)]
pub struct PlotArguments {
    /// Directory of the run
    pub directory: PathBuf,
    /// Which plots: kinds from the list below, or names of single plots, with commas between them [default: all]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub what: Vec<String>,
    /// Directory for the plots, or a file that ends in .svg or .png for one of them [default: DIR/plots]
    #[arg(long = "output", short, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// As what the plots are written [default: both]
    #[arg(long, value_enum)]
    pub format: Option<PlotFormat>,
    /// Width of PNG files in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 1440, value_parser = clap::value_parser!(u32).range(100..=8000))]
    pub width: u32,
}

/// As what plots are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PlotFormat {
    /// Lines and text that can be scaled
    Svg,
    /// Pixels
    Png,
    /// One file of each
    Both,
}

/// Arguments of `tumble report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Directory of the run
    pub directory: PathBuf,
    /// The page [default: DIR/report.html]
    #[arg(long = "output", short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `tumble pairs`.
#[derive(Debug, Args)]
pub struct PairsArguments {
    /// As JSON, for programs
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `tumble schema`.
#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// A reference for people instead of a JSON schema
    #[arg(long)]
    pub markdown: bool,
}

/// Arguments of `tumble completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell
    pub shell: Shell,
}

fn length(text: &str) -> Result<f64, String> {
    let metres = parse_quantity(text, Dimension::LENGTH).map_err(|error| error.to_string())?;
    if metres > 0.0 { Ok(metres) } else { Err(format!("a length above zero is wanted, found {metres} m")) }
}

fn simulated_time(text: &str) -> Result<f64, String> {
    let seconds = match text.trim().parse::<f64>() {
        Ok(seconds) => seconds,
        Err(_) => parse_quantity(text, Dimension::TIME).map_err(|error| error.to_string())?,
    };
    if seconds.is_finite() && seconds > 0.0 {
        Ok(seconds)
    } else {
        Err(format!("a time above zero is wanted, found {seconds} s"))
    }
}
