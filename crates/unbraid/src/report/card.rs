//! The model card: what a stranger who finds the run directory needs to know, in Markdown with the
//! header that model hubs read.

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::Value as Json;
use unbraid_measure::files;

use crate::draw::words::capitalised;
use crate::error::Result;
use crate::run::config::Plan;
use crate::run::scores;
use crate::run::{Run, VERSION};

/// Write `README.md` from what is in the run directory now.
pub fn write(run: &Run, plan: &Plan) -> Result<()> {
    Ok(files::write(run.card(), text(run, plan)?.as_bytes())?)
}

fn text(run: &Run, plan: &Plan) -> Result<String> {
    let info = plan.entry.info;
    let config = &plan.config;
    let data = config.data_name();
    let mut out = format!(
        "---\nlibrary_name: unbraid\ntags: [representation-learning, disentanglement, {}]\n\
         datasets: [{data}]\n---\n\n# {} on {data}\n\n{}.\n",
        info.name,
        info.title,
        capitalised(info.summary)
    );
    let shape = plan.task.shape;
    let settings = config.model_settings();
    let settings: Vec<String> = settings.iter().map(|(key, v)| format!("{key} {v}")).collect();
    let _ = write!(
        out,
        "\n| | |\n|---|---|\n| model | `{}` ({}) |\n| data | `{data}`, {} rows of {shape} |\n\
         | settings | {} |\n| steps | {} of batch {}, Adam at {} |\n| seed | {} |\n| made by | unbraid {} |\n",
        info.name,
        if info.paper.is_empty() { "ours" } else { info.paper },
        plan.task.rows,
        settings.join(", "),
        config.train.steps,
        config.train.batch,
        config.train.learning_rate,
        config.seed,
        VERSION,
    );
    if let Some(scores) = run.scores()? {
        out.push_str("\n## Scores\n\n| metric | value | rows |\n|---|---|---|\n");
        for score in scores["scores"].as_array().into_iter().flatten() {
            let name = scores::title(score);
            let value = match (&score["value"], &score["reason"]) {
                (Json::Number(value), _) => format!("{:.3}", value.as_f64().unwrap_or(f64::NAN)),
                (_, reason) => format!("not applicable: {}", reason.as_str().unwrap_or("unknown")),
            };
            let _ = writeln!(out, "| {name} | {value} | {} |", score["rows"]);
        }
    }
    if let Some(bound) = run.bound()? {
        let number = |key: &str| bound[key].as_f64().unwrap_or(f64::NAN);
        let _ = write!(
            out,
            "\n## Likelihood\n\nlog p(x) is at least {:.2} nats, by {} draws on {} rows{}.\n",
            number("bound"),
            bound["draws"],
            bound["rows"],
            if bound["held_out"] == true { " that were not trained on" } else { "" },
        );
    }
    out.push_str(&pictures(run));
    out.push_str(
        "\n## Files\n\n`run.toml` every setting; `log.jsonl` the loss terms; `model.safetensors` the \
         weights (dense weights are `[input, output]`); `resume/` the checkpoint; `tb/` TensorBoard \
         events; `representation.npz` codes and true values; `scores.json` the scores.\n",
    );
    Ok(out)
}

/// The pictures that have been drawn, under a heading each.
fn pictures(run: &Run) -> String {
    let codes = "each row walks one code, from low to high";
    let sections: [(&str, &[(PathBuf, &str)]); 5] = [
        (
            "Causes",
            &[
                (run.graph_figure(), "the learned graph, and the true one where it is known"),
                (run.interventions(), "concepts set to other values"),
            ],
        ),
        ("Codes", &[(run.traversal(), codes), (run.animation(), "the same walks, forth and back")]),
        (
            "Codes against factors",
            &[
                (run.matching_figure(), "each factor against the code it is matched to"),
                (run.factor_figure(), "the mean code over each factor"),
                (run.layers_figure(), "the codes of each layer, coloured by a factor"),
            ],
        ),
        ("Reconstructions", &[(run.reconstructions(), "observations above, decoded codes below")]),
        ("Training", &[(run.training_figure(), "the terms of the loss over the steps")]),
    ];
    let mut out = String::new();
    for (heading, pictures) in sections {
        let drawn: Vec<_> = pictures.iter().filter(|(path, _)| path.is_file()).collect();
        if !drawn.is_empty() {
            let _ = write!(out, "\n## {heading}\n");
        }
        for (path, words) in drawn {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let _ = write!(out, "\n![{words}]({name})\n");
        }
    }
    out
}
