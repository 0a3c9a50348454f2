//! `unbraid bench step`: milliseconds per training step.

use anyhow::Result;
use serde_json::json;
use unbraid::Error;
use unbraid::bench;
use unbraid::data::{Range, Shape};
use unbraid::models;

use super::Output;
use super::args::BenchStep;

pub(super) fn run(options: &BenchStep, output: Output) -> Result<()> {
    let entry = models::find(&options.model)?;
    if !entry.takes_steps {
        return Err(Error::Unable(format!("`{}` takes no training steps", options.model)).into());
    }
    if options.batch == 0 || options.steps == 0 {
        return Err(Error::Unable("--batch and --steps must be at least 1".into()).into());
    }
    let shape = parse_shape(&options.shape)?;
    let time = bench::step(entry, shape, options.batch, options.steps)?;
    let per_second = options.batch as f64 / time.milliseconds * 1e3;
    let memory = bench::peak_memory();
    let text = format!(
        "{} {} batch {}: {:.1} ms per step (best {:.1}), {per_second:.0} images/s, {memory:.0} MB\n",
        options.model, options.shape, options.batch, time.milliseconds, time.best_milliseconds,
    );
    output.result(&text, || {
        json!({
            "format": 1, "model": options.model, "shape": options.shape, "batch": options.batch,
            "ms_per_step": time.milliseconds, "best_ms_per_step": time.best_milliseconds,
            "images_per_second": per_second, "peak_rss_mb": memory, "steps": time.steps,
            "threads": rayon::current_num_threads(), "cpu": unbraid_kernels::cpu_features(),
        })
    })
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
