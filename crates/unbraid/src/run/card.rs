//! The model card: what a stranger who finds the run directory needs to know, in Markdown with the
//! header that model hubs read.

use std::fmt::Write;
use std::fs;

use serde_json::Value as Json;
use unbraid_measure::settings::Word;

use super::directory::{Run, VERSION};
use super::plan::Plan;
use super::{files, score};
use crate::draw::words::capitalised;
use crate::error::Result;
use crate::figures::{Entry, FIGURES, Section};

/// Write `README.md` from what is in the run directory now, unless it says that already.
pub fn write(run: &Run, plan: &Plan) -> Result<()> {
    let text = text(run, plan)?;
    match fs::read(run.file(files::CARD)) {
        Ok(there) if there == text.as_bytes() => Ok(()),
        _ => run.write(files::CARD, text.as_bytes()),
    }
}

fn text(run: &Run, plan: &Plan) -> Result<String> {
    let info = plan.entry.info;
    let config = &plan.config;
    let data = config.data_name();
    let mut out = format!(
        "---\nlibrary_name: unbraid\ntags: [representation-learning, disentanglement, {}]\n\
         datasets: [{data}]\n---\n\n# {} on {}\n\n{}.\n",
        info.name,
        info.title,
        config.data_title(),
        capitalised(info.summary)
    );
    let shape = plan.task.shape;
    let settings = config.model_settings();
    let settings: Vec<String> = settings.iter().map(|(key, v)| format!("{key} {v}")).collect();
    let _ = write!(
        out,
        "\n| | |\n|---|---|\n| model | `{}` ({}) |\n| data | `{data}`, {} rows of {shape} |\n\
         | settings | {} |\n| steps | {} of batch {}, {} at {} |\n| seed | {} |\n| made by | unbraid {} |\n",
        info.name,
        if info.paper.is_empty() { "ours" } else { info.paper },
        plan.task.rows,
        settings.join(", "),
        config.train.steps,
        config.train.batch,
        capitalised(config.train.optimizer.word()),
        config.train.learning_rate,
        config.seed,
        VERSION,
    );
    if let Some(scores) = run.document(files::SCORES)? {
        out.push_str("\n## Scores\n\n| metric | value | rows |\n|---|---|---|\n");
        for score in scores["scores"].as_array().into_iter().flatten() {
            let name = score::title(score);
            let value = match (&score["value"], &score["reason"]) {
                (Json::Number(value), _) => format!("{:.3}", value.as_f64().unwrap_or(f64::NAN)),
                (_, reason) => format!("not applicable: {}", reason.as_str().unwrap_or("unknown")),
            };
            let _ = writeln!(out, "| {name} | {value} | {} |", score["rows"]);
        }
    }
    if let Some(bound) = run.document(files::BOUND)? {
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
    let drawn = |name: &str| FIGURES.iter().any(|entry| entry.files.iter().any(|f| f.0 == name));
    // Not itself: it would say something else when it is written again. Nor what is made of it.
    let apart = |name: &str| drawn(name) || name == files::CARD || name == files::REPORT;
    let others = run.contents().into_iter().filter(|file| !apart(file.name));
    let files: Vec<String> = others.map(|file| format!("`{}` {}", file.name, file.words)).collect();
    let _ =
        write!(out, "\n## Files\n\n{}. Dense weights are `[input, output]`.\n", files.join("; "));
    Ok(out)
}

/// The figures that have been drawn, under a heading each.
fn pictures(run: &Run) -> String {
    let mut figures: Vec<&Entry> = FIGURES.iter().collect();
    figures.sort_by_key(|figure| figure.section);
    let (mut out, mut above) = (String::new(), "");
    for figure in figures {
        let heading = heading(figure.section);
        for (name, words) in figure.files.iter().filter(|(name, _)| run.file(name).is_file()) {
            if heading != above {
                let _ = write!(out, "\n## {heading}\n");
                above = heading;
            }
            let _ = write!(out, "\n![{words}]({name})\n");
        }
    }
    out
}

fn heading(section: Section) -> &'static str {
    match section {
        Section::Graph | Section::Interventions => "Causes",
        Section::Codes => "Codes",
        Section::Alone => "Codes by themselves",
        Section::Matching | Section::Factors => "Codes against factors",
        Section::Reconstructions => "Reconstructions",
        Section::Training => "Training",
    }
}
