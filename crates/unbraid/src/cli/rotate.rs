//! `unbraid rotate`: the same loss, other codes. Why no unsupervised training can promise
//! disentangled codes.

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::json;
use unbraid::Error;
use unbraid::evaluate::encode;
use unbraid::model::batch::Seen;
use unbraid::model::rotation::{Bound, bounds, direction};
use unbraid::report::card;
use unbraid::rng::Rng;
use unbraid::run::Run;
use unbraid::run::config::Plan;
use unbraid::run::scores::save;
use unbraid_measure::scoring::{Options, Report, metrics_named};

use super::args::Rotate;
use super::score::judge;
use super::train::set_up_reader;
use super::{Output, table};

/// How many rows the loss is measured on.
const ROWS: usize = 2048;

pub(super) fn run(options: &Rotate, output: Output) -> Result<()> {
    let run = Run::open(&options.run)?;
    if run.config().rotation.is_some() {
        bail!("these codes are turned already; give the run they were made from");
    }
    set_up_reader(run.config());
    let out = options.out.clone().unwrap_or_else(|| beside(&options.run));
    Run::check_free(&out)?;
    let names = &run.config().score.metrics;
    let metrics = metrics_named(if options.metrics.is_empty() { names } else { &options.metrics })?;
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    let codes = encode::of_run(&run, &plan, &*learner)?;
    let rng = Rng::new(plan.config.seed).split("rotate");
    let rows = encode::rows(&*plan.data, ROWS, &rng);
    let posterior = encode::posterior(&*learner, &*plan.data, &rows)?;
    if posterior.kl.is_some() {
        return Err(other_prior(&plan).into());
    }
    let v = direction(&posterior.kl_per_latent().ok_or_else(|| no_posterior(&plan))?);
    let seen = Seen::of(&*plan.data, &rows);
    let losses = bounds(&*learner, &v, &seen, noise(&plan), &mut rng.split("draws"));
    let losses = losses.ok_or_else(|| no_posterior(&plan))?;

    let mut config = plan.config.clone();
    config.rotation = Some(v);
    let turned_plan = config.resolve()?;
    let turned = run.turned(&out, &turned_plan)?;
    let turned_codes = encode::of_run(&turned, &turned_plan, &*turned.learner(&turned_plan)?)?;
    let reports = [
        judge(&codes, &metrics, Options::default(), output)?,
        judge(&turned_codes, &metrics, Options::default(), output)?,
    ];
    save(&turned, reports[1].to_json())?;
    card::write(&turned, &turned_plan)?;
    show(&losses, &reports, &turned, output)
}

fn beside(run: &std::path::Path) -> PathBuf {
    let mut name = run.file_name().unwrap_or_default().to_os_string();
    name.push("-rotated");
    run.with_file_name(name)
}

fn other_prior(plan: &Plan) -> Error {
    Error::Unable(format!(
        "`{}` has a prior other than N(0, I), which a turn would change (that is how labels of time make \
         codes identifiable); the demonstration needs a model with the prior N(0, I), such as `vae`",
        plan.entry.info.name
    ))
}

fn no_posterior(plan: &Plan) -> Error {
    let name = plan.entry.info.name;
    Error::Unable(format!("`{name}` has no posterior to turn; any VAE has one"))
}

/// The noise of a Gaussian likelihood; nothing for a Bernoulli one.
fn noise(plan: &Plan) -> Option<f64> {
    let model = &plan.config.model;
    let gaussian = model.get("likelihood").and_then(|word| word.as_str()) == Some("gaussian");
    gaussian.then(|| model.get("noise").and_then(toml::Value::as_float)).flatten()
}

fn show(losses: &[Bound; 2], reports: &[Report; 2], turned: &Run, output: Output) -> Result<()> {
    let numbers = |of: &dyn Fn(&Bound) -> f64| losses.each_ref().map(of);
    let mut lines = vec![
        ("negative evidence bound", numbers(&|bound| bound.reconstruction + bound.kl).map(Some)),
        ("  reconstruction", numbers(&|bound| bound.reconstruction).map(Some)),
        ("  kl", numbers(&|bound| bound.kl).map(Some)),
    ];
    for (before, after) in reports[0].outcomes.iter().zip(&reports[1].outcomes) {
        let value = |score: &unbraid_measure::Result<unbraid::metrics::Score>| {
            score.as_ref().ok().map(|score| score.value)
        };
        lines.push((before.metric.info().name, [value(&before.score), value(&after.score)]));
    }
    let mut rows = vec![vec![String::new(), "before".into(), "rotated".into()]];
    for (name, values) in &lines {
        let word = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
        rows.push(vec![(*name).into(), word(values[0]), word(values[1])]);
    }
    let text = format!("{}\n{}\n", table(&rows), turned.directory().display());
    output.result(&text, || {
        let row = |(name, [before, after]): &(&str, [Option<f64>; 2])| {
            json!({"row": name.trim(), "before": before, "rotated": after})
        };
        let rows: Vec<_> = lines.iter().map(row).collect();
        json!({"format": 1, "run": turned.directory(), "rows": rows})
    })
}
