//! `unbraid rotate`: the same loss, other codes. Why no unsupervised training can promise
//! disentangled codes.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;
use unbraid::model::rotation::Bound;
use unbraid::run::score::Scoring;
use unbraid::run::{Rotated, Run};

use super::args::Rotate;
use super::progress::Screen;
use super::{Output, loaded, table};

/// What scripts know the negative ELBO by.
const ELBO: &str = "negative evidence bound";

pub(super) fn run(options: &Rotate, output: Output) -> Result<()> {
    let out = options.out.clone().unwrap_or_else(|| beside(&options.run));
    let how = Scoring { metrics: options.metrics.clone(), ..Scoring::default() };
    let run = Run::open(&options.run)?;
    run.check_can_rotate(&out, &how)?;
    let found = loaded(run)?.rotate(&out, &how, &Screen::new(output))?;
    show(&found, output)
}

fn beside(run: &std::path::Path) -> PathBuf {
    let mut name = run.file_name().unwrap_or_default().to_os_string();
    name.push("-rotated");
    run.with_file_name(name)
}

fn show(found: &Rotated, output: Output) -> Result<()> {
    let Rotated { run: turned, losses, reports } = found;
    let numbers = |of: &dyn Fn(&Bound) -> f64| losses.each_ref().map(of);
    let mut lines = vec![
        (ELBO, numbers(&|bound| bound.reconstruction + bound.kl).map(Some)),
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
        let name = if *name == ELBO { "negative ELBO" } else { name };
        rows.push(vec![name.into(), word(values[0]), word(values[1])]);
    }
    let text = format!("{}\n{}\n", table(&rows), turned.directory().display());
    output.result(&text, || {
        let row = |(name, [before, after]): &(&str, [Option<f64>; 2])| {
            json!({"row": name.trim(), "before": before, "rotated": after})
        };
        let rows: Vec<_> = lines.iter().map(row).collect();
        json!({"format": 1, "run": turned.directory().to_string_lossy(), "rows": rows})
    })
}
