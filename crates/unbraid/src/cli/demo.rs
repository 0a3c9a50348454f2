//! `unbraid demo`: the whole story on built-in data, in a few minutes on two cores.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;
use unbraid::Error;
use unbraid::config::{Config, Plan};
use unbraid::rng::Rng;
use unbraid::run::Run;
use unbraid::score::save;
use unbraid::traverse::Span;
use unbraid::{card, encode, models};
use unbraid_measure::scoring::{Options, Report, metrics_named};

use super::args::Demo;
use super::score::judge;
use super::train::{set_up, train_with_progress};
use super::traverse::Pictures;
use super::{Output, table};

/// Small enough for minutes, and enough for the codes to come apart.
const CONFIG: &str = include_str!("demo.toml");

pub(super) fn run(options: &Demo, output: Output) -> Result<ExitCode> {
    let start = Instant::now();
    let config = Config::from_table(CONFIG.parse()?)?;
    set_up(&config)?;
    let plan = config.resolve()?;
    let run = open_or_create(options, &plan)?;
    if !run.is_finished()? {
        output.note(&format!(
            "Training a {} on `{}`: {} images whose {} true factors are known to us, not to it.",
            plan.entry.info.title,
            plan.config.data_name(),
            plan.task.rows,
            plan.data.factors().len()
        ));
        if let Some(code) = train_with_progress(&run, &plan, output)? {
            return Ok(code);
        }
    }
    let learner = run.learner(&plan)?;
    let codes = encode::of_run(&run, &plan, &*learner)?;
    let metrics = metrics_named(&plan.config.score.metrics)?;
    let report = judge(&codes, &metrics, Options::default(), output)?;
    let scores = report.to_json();
    save(&run, scores.clone())?;
    let picture = run.traversal();
    let pictures = Pictures {
        run: &run,
        plan: &plan,
        learner: &*learner,
        codes: &codes,
        row: codes.rows() / 2,
        span: Span::Quantile,
        sheet: picture.clone(),
    };
    pictures.draw(output)?;
    card::write(&run, &plan)?;

    let text = format!(
        "\nScores, 1 is perfect; `pca` is the floor, a linear code of the same size:\n\n{}\n\
         What each code does: {}\nThe run:             {}\nTook {:.0} s.\n",
        comparison(&[("pca", floor(&plan, output)?), (plan.config.model_name(), report)]),
        picture.display(),
        run.directory().display(),
        start.elapsed().as_secs_f64()
    );
    output.result(&text, || {
        json!({"format": 1, "run": run.directory(), "picture": picture, "scores": scores["scores"]})
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
fn floor(plan: &Plan, output: Output) -> Result<Report> {
    let rng = Rng::new(plan.config.seed);
    let latents = plan.config.model.get("latents").cloned();
    let settings = latents.map(|latents| ("latents".to_string(), latents)).into_iter().collect();
    let mut pca = (models::find("pca")?.build)(&settings, &plan.task, &rng)?;
    pca.fit(&*plan.data, &rng)?;
    let rows = encode::rows(&*plan.data, plan.config.score.rows, &rng);
    let codes = encode::encode(&*pca, &*plan.data, &rows)?;
    judge(&codes, &metrics_named(&plan.config.score.metrics)?, Options::default(), output)
}

/// A line per metric, a column per model.
fn comparison(models: &[(&str, Report)]) -> String {
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(models.iter().map(|(name, _)| (*name).to_string()));
    for i in 0..models.first().map_or(0, |(_, report)| report.outcomes.len()) {
        let value = |report: &Report| match &report.outcomes[i].score {
            Ok(score) => format!("{:.3}", score.value),
            Err(_) => "-".into(),
        };
        let mut row = vec![models[0].1.outcomes[i].metric.info().name.to_string()];
        row.extend(models.iter().map(|(_, report)| value(report)));
        rows.push(row);
    }
    table(&rows)
}
