//! What can be typed after `tumble`.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;
use tumble_io::units::{Dimension, parse_quantity};

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
  tumble run pour.toml --view        watch it in the browser as it computes

Results in DIR (by default the scene's name with -run):
  run.json           what it was and what it cost
  series.csv         energies and counts over time
  probes/            measurements that the scene asks for
  frames/            for ParaView: open particles.pvd
  trajectory.tumble  for viewers
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
all the scene's stop conditions.")]
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

    /// Answer contact questions, one JSON object a line
    #[command(after_help = "\
Example:
  tumble contact questions.jsonl > answers.jsonl

A question is one line, broken here to be read:
  {\"id\": \"1\",
   \"A\": {\"shape\": {\"type\": \"sphere\", \"r\": 1},
         \"pose\": {\"position\": [0, 0, 0], \"quaternion\": [1, 0, 0, 0]}},
   \"B\": {\"shape\": {\"type\": \"sphere\", \"r\": 1},
         \"pose\": {\"position\": [0, 0, 1.9], \"quaternion\": [1, 0, 0, 0]}}}

Each line is answered by one line, with the same id. A line that cannot be \
answered yields {\"id\": ..., \"error\": ...}; the others are answered all the \
same, and the exit code is then 1.")]
    Contact(ContactArguments),

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
    /// Replace the run that DIR holds
    #[arg(long)]
    pub overwrite: bool,
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

/// Arguments of `tumble contact`.
#[derive(Debug, Args)]
pub struct ContactArguments {
    /// File of questions; `-` is the standard input
    #[arg(default_value = "-", hide_default_value = true)]
    pub file: PathBuf,
    /// How contacts are found
    #[arg(long, value_name = "METHOD", value_parser = method_names())]
    pub method: Option<String>,
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

fn method_names() -> clap::builder::PossibleValuesParser {
    tumble_io::contact_query::methods()
        .iter()
        .map(|method| clap::builder::PossibleValue::new(method.name).help(method.description))
        .collect::<Vec<_>>()
        .into()
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
