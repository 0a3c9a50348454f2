//! Every command and option of the program, in one place.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use unbraid::study::choose::{By, UDR_ROWS};
use unbraid_kernels::Cpu;
use unbraid_measure::settings::Word;

/// Learn disentangled and causal representations, and measure how good they are.
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

    /// The instruction set to compute with: `portable`, or one that this processor has.
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
    /// Train, score and visualise a model on built-in data, in a few minutes.
    Demo(Demo),
    /// List the models, the data sets or the metrics.
    List(List),
    /// Show the page of a model, a data set or a metric.
    Show {
        /// A name from `unbraid list`.
        name: String,
    },
    /// Inspect, export, import and download data sets.
    #[command(subcommand)]
    Data(Data),
    /// Train a model into a run directory.
    Train(Train),
    /// Encode observations: write the codes of a run.
    Encode(Encode),
    /// Score representations: the codes of a run, or your own.
    Score(Score),
    /// Estimate the log-likelihood of data under a trained model, by the IWAE bound of log p(x).
    Evaluate(Evaluate),
    /// Draw latent traversals, reconstructions, and codes against factors.
    Traverse(Traverse),
    /// Intervene on concepts and decode the counterfactuals.
    Intervene(Intervene),
    /// Show the learned causal graph of a run beside the true one.
    Graph(Graph),
    /// Write a report of a run as one HTML file: scores, figures, and how to reproduce it.
    Report(Report),
    /// Tell which action led from one observation to another.
    Retrieve(Retrieve),
    /// Rotate the latents of a run: the same ELBO, lower scores (the impossibility result).
    Rotate(Rotate),
    /// Try the metrics on codes of which it is known what they are: which can be trusted, and where
    Stress(Stress),
    /// Look whether a run, a study or imported data are whole, and what a resume would do.
    Check(Check),
    /// Plan, run and tabulate many runs from one file.
    #[command(subcommand)]
    Study(Study),
    /// Reproduce a published experiment: its tables and figures, ours beside the published.
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
    /// The run directory.
    #[arg(long, value_name = "DIRECTORY", default_value = "runs/demo")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// A run directory, a study, or the name of a data set.
    pub(crate) what: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// What to list; everything if left out.
    pub(crate) what: Option<Listed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// Models and baselines.
    Models,
    /// Data sets, with their ground-truth factors where these are known.
    Data,
    /// Metrics of representations.
    Metrics,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Data {
    /// Write a data set as .npz: images (or observations), factor values, names; or as it is published.
    Make(DataMake),
    /// Draw a sheet of images: random rows, then each factor varied on its own.
    Preview(DataPreview),
    /// Describe a data set: rows, shape, factors, and the supervision it supports.
    Info(DataChoice),
    /// Import published files: check them, and convert them for fast reading.
    Import(DataImport),
    /// Download published files that have a public address, and import them.
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
    /// Write pairs of rows a step apart, before and after an action; `--set
    /// variant.transitions.part=test` and its like say which.
    #[arg(long)]
    pub(crate) transitions: bool,
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
    /// Accept files whose length or checksum differs from the published one.
    #[arg(long)]
    pub(crate) unchecked: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DataFetch {
    /// A name from `unbraid list data`.
    pub(crate) name: String,
    /// Take files of which no checksum is known as they come.
    #[arg(long)]
    pub(crate) trust: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DataPreview {
    #[command(flatten)]
    pub(crate) data: DataChoice,
    /// The image to write.
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
    /// Set any key, as in `--set model.beta=8`.
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The run directory.
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) out: Option<PathBuf>,
    /// Resume a run that was stopped or killed (or start it).
    #[arg(long)]
    pub(crate) resume: bool,
    /// Check everything and print the resolved configuration, without training.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Encode {
    /// The run directory.
    pub(crate) run: PathBuf,
    /// Data to encode other than the training data: a name, an .npz or .npy file, or a folder of
    /// images.
    #[arg(long)]
    pub(crate) data: Option<String>,
    /// A setting of these data, as in `--set variant.part=test`.
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
    /// The run directory; or leave it out and give --codes and --factors. Several runs that differ in
    /// their seed are scored one by one, and then asked whether they agree (UDR), which needs no labels.
    #[arg(
        value_name = "RUN",
        required_unless_present_any = ["codes", "graph"],
        conflicts_with_all = ["codes", "graph"]
    )]
    pub(crate) run: Vec<PathBuf>,
    /// Your codes, [rows, latents]: .npy, .npz (array `codes`, or FILE.npz:NAME), .csv or .parquet.
    /// Several files are several models of the same rows, for `udr`.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(crate) codes: Vec<PathBuf>,
    /// The ground-truth factors of the same rows, [rows, factors], numbers or words, in the same
    /// formats.
    #[arg(long, requires = "codes", value_name = "FILE")]
    pub(crate) factors: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: Scoring,
    /// The KL divergence of each latent, one row per model, for `udr`.
    #[arg(long, requires = "codes", value_name = "FILE")]
    pub(crate) kl: Option<PathBuf>,
    /// The factor of each code, by name or number, comma-separated, `-` for none, for
    /// `alignment`.
    #[arg(long, requires = "factors", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) blocks: Option<Vec<String>>,
    /// A learned adjacency matrix, row = cause, for `shd`.
    #[arg(long, requires = "true_graph", value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// The true adjacency matrix, row = cause, for `shd`.
    #[arg(long, requires = "graph", value_name = "FILE")]
    pub(crate) true_graph: Option<PathBuf>,
}

/// Which metrics are computed, and how.
#[derive(Debug, Args)]
pub(crate) struct Scoring {
    /// Metrics by name, comma-separated, or `all`.
    #[arg(long, value_delimiter = ',')]
    pub(crate) metrics: Vec<String>,
    /// Metrics to compute also on samples of the posterior, for models that have one.
    #[arg(long, value_delimiter = ',', requires = "run")]
    pub(crate) sampled: Vec<String>,
    /// The seed of random metrics, of the train/test split and of the bootstrap.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many bins of equal width codes and continuous factors are discretised into.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) bins: u32,
    /// Train predictors on the first N rows (metrics without predictors see only these); a random two
    /// thirds if left out.
    #[arg(long, value_name = "N")]
    pub(crate) train_rows: Option<usize>,
    /// Test predictors on the last M rows.
    #[arg(long, value_name = "M")]
    pub(crate) test_rows: Option<usize>,
    /// Score the codes also in N other orders, in which they know nothing of their rows: what chance would score, as a
    /// 95 % interval; 39 for quick metrics if left out, 0 for none.
    #[arg(long, value_name = "N")]
    pub(crate) null: Option<usize>,
    /// Look at the codes directly, and say of each score whether it can be believed, and why.
    #[arg(long)]
    pub(crate) doctor: bool,
    /// Bootstrap: score N resamples of the rows and give the 95 % interval.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) bootstrap: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    /// The run directory of a model with an ELBO, such as `vae` or `ladder-vae`.
    pub(crate) run: PathBuf,
    /// Importance samples of z per row. 1 gives the ELBO; papers report the IWAE bound with 5000.
    #[arg(long, value_name = "DRAWS", default_value_t = 5000, value_parser = at_least_one)]
    pub(crate) bound: usize,
    /// A random sample of this many rows, held-out ones if there are any; all if left out.
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
    /// The row (of those that are scored) whose latents are traversed; the middle one if left out.
    #[arg(long)]
    pub(crate) row: Option<usize>,
    /// The range of a traversal.
    #[arg(long, default_value = "quantile")]
    pub(crate) range: Range,
    /// The sheet of traversals; RUN/traversal.png if left out. The other figures go into RUN.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Intervene {
    /// The run directory of a model with labelled concepts, such as `causal-vae`.
    pub(crate) run: PathBuf,
    /// Set a concept to a value in the units of the data, as in `--do light=80`; may be repeated.
    #[arg(long = "do", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) set: Vec<String>,
    /// The factual row; some random rows if left out.
    #[arg(long)]
    pub(crate) row: Option<usize>,
    /// Intervene on every concept over its range, on one sheet.
    #[arg(long, conflicts_with = "set")]
    pub(crate) grid: bool,
    /// Compare the effects of every intervention with the simulator's, over many rows.
    #[arg(long, conflicts_with_all = ["set", "grid", "row"])]
    pub(crate) effects: bool,
    /// Put these factors of one row into another, by exchanging their latents: `--swap ball-x,ball-y --from 3
    /// --into 7`.
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires_all = ["from", "into"])]
    pub(crate) swap: Vec<String>,
    /// The row that the factors of `--swap` are taken from.
    #[arg(long, value_name = "ROW", requires = "swap")]
    pub(crate) from: Option<usize>,
    /// The row that they are put into.
    #[arg(long, value_name = "ROW", requires = "swap")]
    pub(crate) into: Option<usize>,
    /// Judge what actions touch, as a model such as `biscuit-vae` has learned it, and draw where.
    #[arg(long, conflicts_with_all = ["set", "grid", "effects", "row", "swap"])]
    pub(crate) interactions: bool,
    /// Judge exchanges of latents by the triplets of the data: two images and their true mixture.
    #[arg(long, conflicts_with_all = ["set", "grid", "effects", "row", "swap"])]
    pub(crate) triplets: bool,
    /// Set a variable in the first step and see what follows, as in `--target ball-x=0.5`; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", conflicts_with_all = ["set", "grid", "effects", "swap", "interactions", "triplets"])]
    pub(crate) target: Vec<String>,
    /// Act, and see what follows, as in `--action 0.2,-0.5`; once for each step, the last one goes on.
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true, conflicts_with_all = ["set", "grid", "effects", "swap", "interactions", "triplets", "target"])]
    pub(crate) action: Vec<String>,
    /// Do an action by its name, as in `--act scale+`, and see what becomes of the image of `--row`.
    #[arg(long, value_name = "ACTION", allow_hyphen_values = true, conflicts_with_all = ["set", "grid", "effects", "swap", "interactions", "triplets", "target", "action"])]
    pub(crate) act: Option<String>,
    /// Judge the images that a model such as `ct-vae` makes of actions by the true ones, and draw one of each.
    #[arg(long, conflicts_with_all = ["set", "grid", "effects", "swap", "interactions", "triplets", "target", "action", "act", "row"])]
    pub(crate) acts: bool,
    /// How many steps to follow, or how often to act; alone, with nothing done.
    #[arg(long, visible_alias = "times", conflicts_with_all = ["set", "grid", "effects", "swap", "interactions", "triplets"])]
    pub(crate) steps: Option<usize>,
    /// The image; if left out RUN/counterfactual.png, with --grid RUN/interventions.png, with --swap RUN/swap.png, and
    /// RUN/rollout.png of steps.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run directory. Missing scores and figures are made first.
    pub(crate) run: PathBuf,
    /// The report; RUN/report.html if left out.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Graph {
    /// The run directory of a model that learns a graph, such as `causal-vae`.
    pub(crate) run: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Retrieve {
    /// The run directory of a model that tells actions, such as `ct-vae`.
    pub(crate) run: PathBuf,
    /// The observation before, and again for the one after; without rows every pair of the test part is judged.
    #[arg(long, num_args = 1)]
    pub(crate) row: Vec<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct Rotate {
    /// The run directory of a model with a Gaussian posterior, such as any VAE.
    pub(crate) run: PathBuf,
    /// The directory of the rotated run; RUN-rotated if left out.
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) out: Option<PathBuf>,
    /// Metrics by name, comma-separated, or `all`; those of the run if left out.
    #[arg(long, value_delimiter = ',')]
    pub(crate) metrics: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Stress {
    /// Where the table and the pictures go.
    #[arg(long, value_name = "DIRECTORY", default_value = "stress")]
    pub(crate) out: PathBuf,
    /// Metrics by name, comma-separated; all that ask something of codes and factors if left out.
    #[arg(long, value_delimiter = ',')]
    pub(crate) metrics: Vec<String>,
    /// How many rows are scored, comma-separated.
    #[arg(long, value_delimiter = ',', default_value = "200,1000")]
    pub(crate) rows: Vec<usize>,
    /// How many factors there are.
    #[arg(long, default_value_t = 5)]
    pub(crate) factors: usize,
    /// How many tables of each kind are drawn.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) tables: u64,
    /// The seed of the draws.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Study {
    /// Check every run of a study file and write the study directory.
    Plan {
        /// The study file: a configuration with [[rows]] and [vary]; see studies/unsupervised.toml.
        file: PathBuf,
        /// The study directory.
        #[arg(long, value_name = "DIRECTORY")]
        out: PathBuf,
        /// Set any key of every run, as in `--set train.steps=100`.
        #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
        set: Vec<String>,
        /// Data sets whose runs are left out, comma-separated. The others keep their numbers.
        #[arg(long, value_name = "DATA", value_delimiter = ',')]
        leave_out: Vec<String>,
    },
    /// Train and score the runs that are not done yet. Can be started any number of times, on any machine
    /// that sees the directory; a stopped study is resumed.
    Work(Work),
    /// Have a cluster work on a study.
    Submit(Submit),
    /// Show how far it is: rows, failures, workers.
    Status {
        /// The study directory.
        directory: PathBuf,
        /// Every run, not only rows.
        #[arg(long)]
        runs: bool,
        /// Look again every few seconds, until all is done.
        #[arg(long)]
        watch: bool,
    },
    /// Tabulate the finished runs, at any time: mean ± standard deviation over seeds, and every number as
    /// results.csv and results.parquet. Logged terms are averaged over the last tenth of the log.
    Gather {
        /// The study directory.
        directory: PathBuf,
    },
    /// Ask the questions of Locatello et al. 2019 of the finished runs: what explains scores, do metrics agree, what tells
    /// a good model. Writes a page with figures and tables, and each of them as a file.
    Analyse {
        /// The study directory; may be left out where --table names what to analyse.
        #[arg(required_unless_present = "table")]
        directory: Option<PathBuf>,
        /// Tables with the columns of results.parquet, in place of those of the study; several are put together.
        #[arg(long, value_name = "FILE")]
        table: Vec<PathBuf>,
        /// Where the page and its files are written; DIRECTORY/analysis if left out.
        #[arg(long, value_name = "DIRECTORY")]
        out: Option<PathBuf>,
    },
    /// Which run to use: by seeds that agree (UDR), by a few labels, by other data, by the losses; and how far
    /// that is from the best run, where labels are known.
    Choose(Choose),
}

/// How to choose a run of a study.
#[derive(Debug, Args)]
pub(crate) struct Choose {
    /// The study directory.
    pub(crate) directory: PathBuf,
    /// Ways to choose, comma-separated: udr, labels, transfer, elbo, reconstruction, kl, random; all that are possible
    /// if left out.
    #[arg(long, value_name = "WAY", value_delimiter = ',', value_parser = By::named)]
    pub(crate) by: Vec<By>,
    /// How many labelled rows there are; several numbers, comma-separated, are compared [default: 100,1000].
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = at_least_one)]
    pub(crate) labels: Vec<usize>,
    /// The metric of the regret, by which labels choose too [default: the first of dci, mig, factor-vae-score,
    /// beta-vae-score, sap and modularity that the runs have; labels choose by mig where it teaches predictors].
    #[arg(long)]
    pub(crate) metric: Option<String>,
    /// How many rows each run encodes for UDR.
    #[arg(long, value_name = "N", default_value_t = UDR_ROWS, value_parser = at_least_one)]
    pub(crate) rows: usize,
    /// The seed of the labelled rows that are drawn, and of the run that a transfer takes.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

/// How to work on a study.
#[derive(Debug, Args)]
pub(crate) struct Work {
    /// The study directory.
    pub(crate) directory: PathBuf,
    /// How many runs in parallel, each with its share of the cores.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: u16,
    /// The threads of each run, where it does not say itself [default: the cores, shared].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Which of many workers this is: each begins at another run. Any of them works on all.
    #[arg(long, value_name = "I", default_value_t = 0)]
    pub(crate) shard: u32,
    /// Only runs of this name; `*` stands for anything.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) only: Option<String>,
    /// How often a run that failed is tried again.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) retries: u16,
    /// Try again what failed too often: failures before now do not count.
    #[arg(long)]
    pub(crate) again: bool,
    /// Do not wait for other workers, to take over what they leave.
    #[arg(long)]
    pub(crate) no_wait: bool,
}

/// What is asked of a cluster.
#[derive(Debug, Args)]
pub(crate) struct Submit {
    /// The study directory.
    pub(crate) directory: PathBuf,
    /// What runs the workers.
    #[arg(long, default_value = "local")]
    pub(crate) engine: Engine,
    /// How many workers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) shards: u32,
    /// The cores of each worker.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) cores: u16,
    /// The memory of each worker, as Slurm writes it.
    #[arg(long, value_name = "SIZE", default_value = "4G")]
    pub(crate) memory: String,
    /// The time after which Slurm ends a worker, hours:minutes:seconds; its runs are resumed.
    #[arg(long, value_name = "TIME", default_value = "24:00:00")]
    pub(crate) time: String,
    /// The partition of Slurm [default: the cluster's].
    #[arg(long, value_name = "NAME")]
    pub(crate) partition: Option<String>,
    /// The address of a Ray cluster [default: Ray's own search, or one on this machine].
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) address: Option<String>,
    /// Only print what would be submitted.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// What runs workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Processes of this machine.
    Local,
    /// Slurm: an array of jobs.
    Slurm,
    /// Ray: a task for each worker; needs `pip install unbraid[ray]`.
    Ray,
}

#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    /// The experiment; lists all if left out.
    pub(crate) name: Option<String>,
    /// Fewer runs: takes minutes.
    #[arg(long)]
    pub(crate) quick: bool,
    /// How many data sets each number is averaged over, in place of the experiment's.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) seeds: Option<u16>,
    /// One part of it alone, by the name of its directory.
    #[arg(long, value_name = "NAME", requires = "name")]
    pub(crate) part: Option<String>,
    /// The directory of runs, tables and figures [default: runs/NAME].
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) out: Option<PathBuf>,
    /// How many runs in parallel [default: one per core].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Range {
    /// Between the 2.5 % and the 97.5 % quantile of the posterior means.
    Quantile,
    /// Between the same quantiles of the standard normal prior: -1.96 to 1.96.
    Prior,
    /// From the smallest to the largest posterior mean.
    MinMax,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Time one training step on random images: the median of many.
    Step(BenchOptions),
    /// Time the encoding of a batch of random images: the median of many.
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
    /// Batch size.
    #[arg(long, default_value_t = 64)]
    pub(crate) batch: usize,
    /// How many repetitions.
    #[arg(long, default_value_t = 20)]
    pub(crate) steps: usize,
    /// Threads; 0 for all that the machine has.
    #[arg(long, default_value_t = 0)]
    pub(crate) threads: usize,
    /// A setting of the model, as in `train`: --set model.net=conv4
    #[arg(long, value_name = "MODEL.KEY=VALUE")]
    pub(crate) set: Vec<String>,
}
