//! `unbraid demo`: the whole story on built-in data, in a few minutes on two cores. Train on labelled
//! concepts, find their graph, ask "what if", check the answers against the simulator, write the page.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use serde_json::{Value as Json, json};
use unbraid::Error;
use unbraid::data;
use unbraid::evaluate::encode;
use unbraid::models;
use unbraid::report::published;
use unbraid::rng::Rng;
use unbraid::run::config::Config;
use unbraid::run::files::{EFFECTS, GRAPH, REPORT};
use unbraid::run::score::Scoring;
use unbraid::run::{Plan, Run, TrainedRun};
use unbraid::watch::Nobody;

use super::args::Demo;
use super::intervene::described;
use super::progress::Screen;
use super::train::{set_up, train_with_progress};
use super::{Output, table};

/// Small enough for minutes, and enough for interventions to hold.
const CONFIG: &str = include_str!("demo.toml");

pub(super) fn run(options: &Demo, output: Output) -> Result<ExitCode> {
    let start = Instant::now();
    let config = Config::from_table(CONFIG.parse()?)?;
    set_up(&config)?;
    let plan = config.resolve()?;
    let run = open_or_create(options, &plan)?;
    if !run.is_finished()? {
        output.note(&format!(
            "Training a {} on `{}`: {} images of a pendulum, a light and its shadow, with labels. \
             Nobody tells it what causes what.",
            plan.entry.info.title,
            plan.config.data_name(),
            plan.task.rows,
        ));
        if let Some(code) = train_with_progress(&run, &plan, output)? {
            return Ok(code);
        }
    }
    let trained = TrainedRun::with(run, plan)?;
    let (run, plan) = (trained.run(), trained.plan());
    let scores = trained.report(None, &Screen::new(output))?;
    let graph = run.document(GRAPH)?.unwrap_or_default();
    let effects = run.document(EFFECTS)?.unwrap_or_default();
    let page = run.file(REPORT);
    let text = format!(
        "\nCodes and the concepts they stand for, 1 is perfect; pca is a linear code of the same size, and \
         published\nis the CausalVAE of the paper:\n\n{}\nThe graph, from labels alone:\n\n{}\nWhat if: every \
         concept set, held against the simulator on images never trained on:\n\n{}\nopen {}\n\nTook {:.0} s.\n",
        compared(&scores, &floor(plan, output)?),
        causes(&graph),
        described(&effects),
        page.display(),
        start.elapsed().as_secs_f64()
    );
    output.result(&text, || {
        json!({
            "format": 1, "run": run.directory().to_string_lossy(), "report": page.to_string_lossy(), "scores": scores["scores"],
            "graph": graph, "effects": effects,
        })
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The demo can be stopped and started again, but it never touches a run that is not its own.
fn open_or_create(options: &Demo, plan: &Plan) -> Result<Run> {
    if !Run::exists(&options.out) {
        return Ok(Run::create(&options.out, plan)?);
    }
    let run = Run::open(&options.out)?;
    let mut started = run.config().clone();
    started.train.threads = plan.config.train.threads;
    if started != plan.config {
        let reason = "holds a run that is not the demo's; choose another --out";
        return Err(Error::run(&options.out, reason).into());
    }
    Ok(run)
}

/// The scores of principal components on the same rows.
fn floor(plan: &Plan, output: Output) -> Result<Json> {
    let rng = Rng::new(plan.config.seed);
    let settings = format!("latents = {}", plan.task.label).parse()?;
    let pca = (models::find("pca")?.configure)(&settings, &plan.task)?;
    let mut pca = pca.build(&plan.task, &rng);
    pca.fit(&*plan.data, &rng, &Nobody)?;
    let rows = data::labelled_rows(&*plan.data, plan.config.score.rows, &rng);
    let screen = Screen::new(output);
    let mut codes = encode::encode(&*pca, &*plan.data, &rows, &screen)?;
    let how = Scoring::default();
    let metrics = how.metrics_or(&plan.config.score.metrics)?;
    Ok(how.judge(&mut codes, &metrics, &screen)?.to_json())
}

/// A line per metric: the floor, the run, the paper.
fn compared(scores: &Json, floor: &Json) -> String {
    let of = |scores: &Json, metric: &str| {
        let all = scores["scores"].as_array().cloned().unwrap_or_default();
        let plain = |score: &&Json| score["metric"] == metric && score["codes"].is_null();
        let found = all.iter().find(plain).and_then(|score| score["value"].as_f64());
        found.map_or("-".into(), |value| format!("{value:.3}"))
    };
    let mut rows = vec![["", "pca", "structural-vae", "published"].map(String::from).to_vec()];
    for metric in ["mic", "tic", "mcc"] {
        let paper = published::find("causal-vae", "pendulum", metric);
        rows.push(vec![
            metric.into(),
            of(floor, metric),
            of(scores, metric),
            paper.map_or("-".into(), |paper| format!("{:.3}", paper.value)),
        ]);
    }
    table(&rows)
}

/// The edges, and how many are wrong.
fn causes(graph: &Json) -> String {
    let word = |value: &Json| value.as_str().unwrap_or_default().to_string();
    let row = |edge: &Json| {
        let arrow = format!("{} -> {}", word(&edge["cause"]), word(&edge["effect"]));
        vec![arrow, word(&edge["principle"])]
    };
    let edges: Vec<_> = graph["edges"].as_array().into_iter().flatten().map(row).collect();
    format!("{}\n{} edges are wrong.\n", table(&edges), graph["shd"])
}
