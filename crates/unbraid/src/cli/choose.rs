//! `unbraid study choose`: which run to use, and how sure that is.

use std::process::ExitCode;

use anyhow::Result;
use unbraid::study::choose::{Answer, Choice, OfData, Question};
use unbraid::study::{Cell, Study};

use super::args::Choose;
use super::progress::Screen;
use super::{Output, table};

pub(super) fn run(options: &Choose, output: Output) -> Result<ExitCode> {
    let study = Study::open(&options.directory)?;
    let question = Question {
        by: options.by.clone(),
        metric: options.metric.clone(),
        labels: options.labels.clone(),
        rows: options.rows,
        seed: options.seed,
    };
    let screen = Screen::heeding_signals(output)?;
    let answer = match study.choose(&question, &screen) {
        Err(_) if screen.signal().is_some() => {
            let code = screen.exit_code();
            drop(screen);
            output.note("stopped; what was computed is kept, and the same command goes on");
            return Ok(code);
        }
        other => other?,
    };
    drop(screen);
    output.result(&text(&answer), || answer.to_json())?;
    for data in &answer.data {
        for note in &data.notes {
            output.note(&format!("note: {}: {note}", data.data));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One table, then what the best runs are.
fn text(answer: &Answer) -> String {
    let many = answer.data.len() > 1;
    let known = answer.data.iter().any(|data| data.best.is_some());
    let mut head = vec!["chosen by", "value", "method", "seed"];
    if many {
        head.insert(0, "data");
    }
    if known {
        head.extend([answer.metric, "regret"]);
    }
    head.push("run");
    let mut rows: Vec<Vec<String>> = vec![head.into_iter().map(String::from).collect()];
    for data in &answer.data {
        let line = |choice: &Choice| {
            let mut line = line(choice, known);
            if many {
                line.insert(0, data.data.clone());
            }
            line
        };
        rows.extend(data.choices.iter().map(line));
    }
    let bests: String = answer.data.iter().map(|data| best(data, answer.metric)).collect();
    format!("{}\n{bests}", table(&rows))
}

fn line(choice: &Choice, known: bool) -> Vec<String> {
    let by = match choice.share {
        Some([times, draws]) => format!("{} ({times} of {draws} draws)", choice.by),
        None => choice.by.clone(),
    };
    let or_dash = |word: Option<String>| word.unwrap_or_else(|| "-".into());
    let run = choice.run.as_ref();
    let mut line = vec![
        by,
        or_dash(choice.value.map(number)),
        or_dash(run.map(|run| run.setting.clone())),
        or_dash(run.map(|run| run.seed.to_string())),
    ];
    if known {
        line.push(or_dash(choice.score.as_ref().map(|score| number(score.mean()))));
        line.push(or_dash(choice.regret.as_ref().map(spread)));
    }
    line.push(or_dash(run.map(|run| run.directory.display().to_string())));
    line
}

fn number(value: f64) -> String {
    unbraid::draw::words::three_digits(value, 2)
}

fn spread(cell: &Cell) -> String {
    match cell.values.len() {
        1 => number(cell.mean()),
        _ => format!("{} ± {}", number(cell.mean()), number(cell.deviation())),
    }
}

/// What regret is measured from, and against.
fn best(data: &OfData, metric: &str) -> String {
    let (name, candidates) = (&data.data, data.candidates);
    match (&data.best, &data.random) {
        (Some((run, score)), Some(random)) => format!(
            "{name}: the best of {candidates} runs by {metric} has {}: {}; one drawn at random misses it by {}\n",
            number(*score),
            run.run,
            number(random.mean()),
        ),
        _ => format!("{name}: {candidates} runs without known scores, so regret is not known\n"),
    }
}
