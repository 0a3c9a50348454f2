//! `unbraid bench step` and `unbraid bench encode`: milliseconds per training step and per batch.

use anyhow::Result;
use serde_json::json;
use toml::{Table, Value};
use unbraid::data::{Range, Shape};
use unbraid::run::bench::{self, Workload};
use unbraid::run::config;
use unbraid::{Error, models};

use super::Output;
use super::args::{Bench, BenchOptions};

pub(super) fn run(bench: &Bench, output: Output) -> Result<()> {
    let (what, options) = match bench {
        Bench::Step(options) => ("step", options),
        Bench::Encode(options) => ("encode", options),
    };
    let entry = models::find(&options.model)?;
    if !entry.takes_steps {
        let reason =
            format!("`{}` is fitted at once; only what takes steps is timed", options.model);
        return Err(Error::Unable(reason).into());
    }
    if options.batch == 0 || options.steps == 0 {
        return Err(Error::Unable("--batch and --steps must be at least 1".into()).into());
    }
    if options.threads > 0 {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(options.threads);
        builder.build_global()?;
    }
    let (batch, repeats) = (options.batch, options.steps);
    let shape = parse_shape(&options.shape)?;
    let workload = Workload { entry, settings: settings(options)?, shape, batch, repeats };
    let time = if what == "step" { workload.step()? } else { workload.encode()? };
    let per_second = batch as f64 / time.milliseconds * 1e3;
    let memory = bench::peak_memory();
    let text = format!(
        "{} {} batch {batch}: {:.2} ms per {what} (best {:.2}), {per_second:.0} images/s, \
         {memory:.0} MB\n",
        options.model, options.shape, time.milliseconds, time.best_milliseconds,
    );
    output.result(&text, || {
        json!({
            "format": 1, "model": options.model, "shape": options.shape, "batch": batch,
            (format!("ms_per_{what}")): time.milliseconds,
            (format!("best_ms_per_{what}")): time.best_milliseconds,
            "images_per_second": per_second, "peak_rss_mb": memory, "steps": repeats,
            "threads": rayon::current_num_threads(), "cpu": unbraid_kernels::Cpu::best().name(),
        })
    })
}

/// The `--set model.key=value` as a table.
fn settings(options: &BenchOptions) -> Result<Table> {
    let mut table = Table::new();
    for assignment in &options.set {
        config::set(&mut table, assignment)?;
    }
    let model = table.remove("model").unwrap_or_else(|| Value::Table(Table::new()));
    match (table.keys().next(), model) {
        (None, Value::Table(model)) => Ok(model),
        (key, _) => {
            let key = key.map_or("model", String::as_str);
            Err(Error::setting(key, "cannot be set here; only model.… can").into())
        }
    }
}

fn parse_shape(text: &str) -> Result<Shape> {
    let numbers: Option<Vec<usize>> =
        text.split('x').map(|n| n.parse().ok().filter(|n| *n > 0)).collect();
    if let Some(&[channels, height, width]) = numbers.as_deref() {
        return Ok(Shape { channels, height, width, range: Range::Unit });
    }
    let reason = format!("`{text}` is no shape; write channels x height x width: 1x64x64");
    Err(Error::Unable(reason).into())
}
