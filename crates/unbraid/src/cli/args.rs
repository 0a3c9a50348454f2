//! Every verb and option of the program, in one place.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use unbraid_kernels::Cpu;

/// Learn representations whose coordinates mean something, and measure whether they do.
#[derive(Debug, Parser)]
#[command(name = "unbraid", version = unbraid::run::VERSION, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 and 143 stopped by a \
signal (training can be resumed).\nEnvironment: NO_COLOR for plain text.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print results only: no progress, no notes.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// Print results as one JSON document.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// The instructions to compute with: `portable`, or what this processor has.
    #[arg(long, global = true, env = Cpu::VARIABLE, value_parser = cpu, hide_env_values = true)]
    pub(crate) cpu: Option<Cpu>,
}

fn cpu(name: &str) -> Result<Cpu, String> {
    let available = Cpu::available();
    let found = available.iter().copied().find(|cpu| cpu.name() == name);
    let names: Vec<&str> = available.iter().map(|cpu| cpu.name()).collect();
    found.ok_or_else(|| format!("this machine has {}", names.join(", ")))
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The whole story on built-in data in a few minutes: train, score, look.
    Demo(Demo),
    /// List the models, the data sets or the metrics.
    List(List),
    /// Explain a model, a data set or a metric.
    Show {
        /// A name from `unbraid list`.
        name: String,
    },
    /// Make and look at data.
    #[command(subcommand)]
    Data(Data),
    /// Train a model into a run directory.
    Train(Train),
    /// Turn observations into codes.
    Encode(Encode),
    /// Judge codes: those of a run, or your own.
    Score(Score),
    /// Say how likely a trained model finds the data, by a bound of log p(x).
    Evaluate(Evaluate),
    /// Draw what each code does: walks, reconstructions, codes against factors.
    Traverse(Traverse),
    /// Ask what would have been: set concepts and see what follows.
    Intervene(Intervene),
    /// Show the graph that a run has learned beside the true one.
    Graph(Graph),
    /// Write one page about a run: scores, pictures, how to repeat it; a single file of HTML.
    Report(Report),
    /// Turn the codes of a run so that its loss stays and its scores fall.
    Rotate(Rotate),
    /// Many runs from one file, and a table of them.
    #[command(subcommand)]
    Study(Study),
    /// Run a published experiment again: its tables and pictures, ours beside what is published.
    Reproduce(Reproduce),
    /// Measure speed.
    #[command(subcommand)]
    Bench(Bench),
    /// Print a completion script for a shell.
    Completions {
        /// Which shell.
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Where to put the run.
    #[arg(long, value_name = "DIRECTORY", default_value = "runs/demo")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// What to list; everything if left out.
    pub(crate) what: Option<Listed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// Methods that turn observations into codes.
    Models,
    /// Data sets with known factors.
    Data,
    /// Ways to judge codes.
    Metrics,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Data {
    /// Write a data set as .npz: images (or observations), values, names; or as it is published.
    Make(DataMake),
    /// Draw a sheet: random rows, then each factor on its own.
    Preview(DataPreview),
    /// Say what a data set holds: rows, shape, factors, and what it can give to a learner.
    Info(DataChoice),
    /// Convert published files once, for fast reading.
    Import(DataImport),
    /// Download published files where a public address is known, and import them.
    Fetch(DataFetch),
}

/// Which data, by name, file or folder, with settings.
#[derive(Debug, Args)]
pub(crate) struct DataChoice {
    /// A name from `unbraid list data`, an .npz or .npy file, or a folder of images.
    pub(crate) name: String,
    /// A setting of the data set, as in `--set split=test`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DataMake {
    #[command(flatten)]
    pub(crate) data: DataChoice,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// A random sample of this many rows instead of all in order.
    #[arg(long)]
    pub(crate) rows: Option<usize>,
    /// The seed of the sample.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct DataImport {
    /// A name from `unbraid list data`.
    pub(crate) name: String,
    /// The published file, or the directory that holds the published files.
    #[arg(long, value_name = "FILE_OR_DIRECTORY")]
    pub(crate) from: PathBuf,
    /// Take files whose length or checksum is not the published one.
    #[arg(long)]
    pub(crate) unchecked: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DataFetch {
    /// A name from `unbraid list data`.
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct DataPreview {
    #[command(flatten)]
    pub(crate) data: DataChoice,
    /// The picture to write.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// The seed of the random rows.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct Train {
    /// A configuration file; see studies/first.toml.
    pub(crate) config: Option<PathBuf>,
    /// The model, if not in the file.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The data set, if not in the file: a name, an .npz or .npy file, or a folder of images.
    #[arg(long)]
    pub(crate) data: Option<String>,
    /// The same as `--set train.steps=N`.
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(crate) steps: Option<u64>,
    /// The same as `--set seed=S`.
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(crate) seed: Option<u64>,
    /// Change any key, as in `--set model.beta=8`.
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The run directory.
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with a run that was stopped or killed (or start it).
    #[arg(long)]
    pub(crate) resume: bool,
    /// Check everything and print the resolved configuration, but do nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Encode {
    /// The run directory.
    pub(crate) run: PathBuf,
    /// Other data than it was trained on: a name, an .npz or .npy file, or a folder of images.
    #[arg(long)]
    pub(crate) data: Option<String>,
    /// A setting of the other data, as in `--set variant.part=test`.
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "data")]
    pub(crate) set: Vec<String>,
    /// The file to write; RUN/codes.npz if left out.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// A random sample of this many rows instead of all in order.
    #[arg(long)]
    pub(crate) rows: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct Score {
    /// The run directory; or leave it out and give --codes and --factors.
    #[arg(required_unless_present_any = ["codes", "graph"], conflicts_with_all = ["codes", "graph"])]
    pub(crate) run: Option<PathBuf>,
    /// Your codes, [rows, latents]: .npy, .npz (array `codes`, or FILE.npz:NAME), .csv or .parquet.
    /// Several files are several models of the same rows, for `udr`.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(crate) codes: Vec<PathBuf>,
    /// The true factors of the same rows, [rows, factors], numbers or words, in the same formats.
    #[arg(long, requires = "codes", value_name = "FILE")]
    pub(crate) factors: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: Scoring,
    /// The KL divergence of each code, a row for each model, for `udr`.
    #[arg(long, requires = "codes", value_name = "FILE")]
    pub(crate) kl: Option<PathBuf>,
    /// The factor of each code, by name or number with commas between, `-` for none, for
    /// `alignment`.
    #[arg(long, requires = "factors", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) blocks: Option<Vec<String>>,
    /// A learned graph, row = cause, for `shd`.
    #[arg(long, requires = "true_graph", value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// The true graph, row = cause, for `shd`.
    #[arg(long, requires = "graph", value_name = "FILE")]
    pub(crate) true_graph: Option<PathBuf>,
}

/// What is scored, and how.
#[derive(Debug, Args)]
pub(crate) struct Scoring {
    /// Metrics by name with commas between, or `all`.
    #[arg(long, value_delimiter = ',')]
    pub(crate) metrics: Vec<String>,
    /// Metrics to compute also on codes drawn from the posterior, for models that have one.
    #[arg(long, value_delimiter = ',', requires = "run")]
    pub(crate) sampled: Vec<String>,
    /// The seed of metrics that draw at random, of the split and of resampled rows.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many bins of equal width codes and continuous factors are cut into.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) bins: u32,
    /// Teach predictors on the first N rows (metrics without predictors see only these); two thirds
    /// drawn at random if left out.
    #[arg(long, value_name = "N")]
    pub(crate) train_rows: Option<usize>,
    /// Judge predictors on the last M rows.
    #[arg(long, value_name = "M")]
    pub(crate) test_rows: Option<usize>,
    /// Score N times on resampled rows and give the middle 95 %.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) bootstrap: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    /// The run directory of a model with a bound, such as `vae` or `ladder-vae`.
    pub(crate) run: PathBuf,
    /// How many draws of z each row is judged by. One is the bound of training; papers print 5000.
    #[arg(long, value_name = "DRAWS", default_value_t = 5000, value_parser = at_least_one)]
    pub(crate) bound: usize,
    /// A random sample of this many rows, of the held-out ones if there are any; all if left out.
    #[arg(long, value_parser = at_least_one)]
    pub(crate) rows: Option<usize>,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("it is a whole number from 1 up".into()),
        Ok(number) => Ok(number),
    }
}

#[derive(Debug, Args)]
pub(crate) struct Traverse {
    /// The run directory.
    pub(crate) run: PathBuf,
    /// The row (of those that are scored) whose codes are walked; the middle one if left out.
    #[arg(long)]
    pub(crate) row: Option<usize>,
    /// From where to where a code is walked.
    #[arg(long, default_value = "quantile")]
    pub(crate) range: Range,
    /// The sheet of walks; RUN/traversal.png if left out. The other pictures go into RUN.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Intervene {
    /// The run directory of a model of concepts, such as `causal-vae`.
    pub(crate) run: PathBuf,
    /// Set a concept to a value in the units of the data, as in `--do light=80`; as often as wanted.
    #[arg(long = "do", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) set: Vec<String>,
    /// The row that is asked about; some rows at random if left out.
    #[arg(long)]
    pub(crate) row: Option<usize>,
    /// Sweep every concept through its range, on one sheet.
    #[arg(long, conflicts_with = "set")]
    pub(crate) grid: bool,
    /// Judge every intervention against the simulator, over many rows.
    #[arg(long, conflicts_with_all = ["set", "grid", "row"])]
    pub(crate) effects: bool,
    /// The picture; RUN/interventions.png if left out.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run directory. Scores and pictures that are missing are made first.
    pub(crate) run: PathBuf,
    /// The page; RUN/report.html if left out.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Graph {
    /// The run directory of a model that learns a graph, such as `causal-vae`.
    pub(crate) run: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Rotate {
    /// The run directory of a model with a Gaussian posterior, such as any VAE.
    pub(crate) run: PathBuf,
    /// Where to put the turned run; RUN-rotated if left out.
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) out: Option<PathBuf>,
    /// Metrics by name with commas between, or `all`; those of the run if left out.
    #[arg(long, value_delimiter = ',')]
    pub(crate) metrics: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Study {
    /// Check every run of a study file and write the directory of the study.
    Plan {
        /// The study file: a configuration with [[rows]] and [vary]; see studies/unsupervised.toml.
        file: PathBuf,
        /// The directory of the study.
        #[arg(long, value_name = "DIRECTORY")]
        out: PathBuf,
        /// Change any key of every run, as in `--set train.steps=100`.
        #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
        set: Vec<String>,
    },
    /// Train and score what is not done yet. Stopped, it goes on where it was.
    Work {
        /// The directory of the study.
        directory: PathBuf,
        /// How many runs at once, each with its share of the cores.
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
        jobs: u16,
    },
    /// How far each run is.
    Status {
        /// The directory of the study.
        directory: PathBuf,
    },
    /// The table of what is done: mean ± standard deviation over seeds. Log terms are averaged over
    /// the last tenth of the log.
    Gather {
        /// The directory of the study.
        directory: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    /// The experiment; all are listed if it is left out.
    pub(crate) name: Option<String>,
    /// A few runs in place of all: minutes.
    #[arg(long)]
    pub(crate) quick: bool,
    /// How many data sets each number is averaged over, in place of what the experiment has.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) seeds: Option<u16>,
    /// Where runs, tables and pictures go [default: runs/NAME].
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) out: Option<PathBuf>,
    /// How many runs at once [default: one per core].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Range {
    /// Between the 2.5 % and the 97.5 % quantile of its means.
    Quantile,
    /// Between the same quantiles of the standard normal prior: -1.96 to 1.96.
    Prior,
    /// From its smallest mean to its largest.
    MinMax,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// The time of one training step on random images: the median of many.
    Step(BenchOptions),
    /// The time of encoding a batch of random images: the median of many.
    Encode(BenchOptions),
}

#[derive(Debug, Args)]
pub(crate) struct BenchOptions {
    /// The model.
    #[arg(long, default_value = "beta-vae")]
    pub(crate) model: String,
    /// Channels x height x width of an image.
    #[arg(long, default_value = "1x64x64")]
    pub(crate) shape: String,
    /// Images at once.
    #[arg(long, default_value_t = 64)]
    pub(crate) batch: usize,
    /// How many times to time it.
    #[arg(long, default_value_t = 20)]
    pub(crate) steps: usize,
    /// Threads; 0 takes what the machine has.
    #[arg(long, default_value_t = 0)]
    pub(crate) threads: usize,
    /// A setting of the model, as in `train`: --set model.net=conv4
    #[arg(long, value_name = "MODEL.KEY=VALUE")]
    pub(crate) set: Vec<String>,
}
