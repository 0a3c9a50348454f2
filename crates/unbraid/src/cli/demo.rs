//! `unbraid demo`: the whole story on built-in data, in a few minutes on two cores.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use unbraid::config::{Config, Plan};
use unbraid::metrics::Outcome;
use unbraid::rng::Rng;
use unbraid::run::Run;
use unbraid::score::{metrics_named, save, score, to_json};
use unbraid::{card, encode, models};

use super::args::Demo;
use super::train::{set_threads, train_with_progress};
use super::{note, print, table, traverse};

/// Small enough for minutes, and enough for the codes to come apart.
const CONFIG: &str = include_str!("demo.toml");

pub(super) fn run(options: &Demo, quiet: bool) -> Result<ExitCode> {
    let start = Instant::now();
    let config = Config::from_table(CONFIG.parse()?)?;
    set_threads(&config);
    let plan = config.resolve()?;
    let run = match Run::exists(&options.out) {
        true => Run::open(&options.out)?,
        false => Run::create(&options.out, &plan)?,
    };
    note(
        quiet,
        &format!(
            "Training a {} on `{}`: {} images whose {} true factors are known to us, not to it.",
            plan.entry.info.title,
            plan.config.data_name(),
            plan.task.rows,
            plan.data.factors().len()
        ),
    );
    if !run.is_finished()?
        && let Some(code) = train_with_progress(&run, &plan, quiet)?
    {
        return Ok(code);
    }
    let learner = run.learner(&plan)?;
    let codes = encode::of_run(&run, &plan, &*learner)?;
    let outcomes = score(&codes, &metrics_named(&plan.config.score.metrics)?, 0);
    save(&run, to_json(&outcomes, codes.rows(), 0))?;
    let picture = traverse::draw(&run, &plan, &*learner, codes.rows() / 2, None)?;
    card::write(&run, &plan)?;

    print("\nScores, 1 is perfect; `pca` is the floor, a linear code of the same size:\n\n")?;
    print(&comparison(&[("pca", floor(&plan)?), (plan.config.model_name(), outcomes)]))?;
    print(&format!(
        "\nWhat each code does: {}\nThe run:             {}\nTook {:.0} s.\n",
        picture.display(),
        run.directory().display(),
        start.elapsed().as_secs_f64()
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// The scores of principal components on the same rows.
fn floor(plan: &Plan) -> Result<Vec<Outcome>> {
    let rng = Rng::new(plan.config.seed);
    let latents = plan.config.model.get("latents").cloned();
    let settings = latents.map(|latents| ("latents".to_string(), latents)).into_iter().collect();
    let mut pca = (models::find("pca")?.build)(&settings, &plan.task, &rng)?;
    pca.fit(&*plan.data, &rng)?;
    let rows = encode::rows(&*plan.data, plan.config.score.rows, &rng);
    let codes = encode::encode(&*pca, &*plan.data, &rows)?;
    Ok(score(&codes, &metrics_named(&plan.config.score.metrics)?, 0))
}

/// A line per metric, a column per model.
fn comparison(models: &[(&str, Vec<Outcome>)]) -> String {
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(models.iter().map(|(name, _)| (*name).to_string()));
    for i in 0..models.first().map_or(0, |(_, outcomes)| outcomes.len()) {
        let value = |outcomes: &Vec<Outcome>| match &outcomes[i].score {
            Ok(score) => format!("{:.3}", score.value),
            Err(_) => "-".into(),
        };
        let mut row = vec![models[0].1[i].metric.to_string()];
        row.extend(models.iter().map(|(_, outcomes)| value(outcomes)));
        rows.push(row);
    }
    table(&rows)
}
