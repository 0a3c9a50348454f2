//! `unbraid check`: whether a run, a study or imported data are whole.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value as Json, json};
use unbraid::Error;
use unbraid::run::Run;
use unbraid::run::check::{self, Checked, State};
use unbraid::study::Study;
use unbraid_measure::data;
use unbraid_measure::data::storage::library;
use unbraid_measure::watch::Stage;

use super::args::Check;
use super::progress::Screen;
use super::{Output, table};

pub(super) fn run(options: &Check, output: Output) -> Result<ExitCode> {
    let place = &options.what;
    let (whole, text, document) = if Run::exists(place) {
        let found = check::check(place)?;
        (found.is_whole(), of_run(&found), found.to_json())
    } else if place.join("study.toml").is_file() {
        of_study(&Study::open(place)?, output)?
    } else if place.exists() {
        let reason = "is no run, no study, and not the name of a data set";
        return Err(Error::run(place, reason).into());
    } else {
        of_data(&place.to_string_lossy(), output)?
    };
    output.result(&text, || document)?;
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A line for each file, then what a resume would do.
fn of_run(found: &Checked) -> String {
    let line = |(path, state): &(std::path::PathBuf, State)| {
        vec![path.display().to_string(), in_words(state)]
    };
    let rows: Vec<Vec<String>> = found.files.iter().map(line).collect();
    format!("{}\n{}\n", table(&rows), found.resume)
}

fn in_words(state: &State) -> String {
    match state {
        State::Whole => "whole".into(),
        State::Unsealed => "readable; of an earlier version, without a checksum".into(),
        State::Damaged(reason) => format!("damaged: {reason}"),
    }
}

/// Every run that is there; only what is damaged is named.
fn of_study(study: &Study, output: Output) -> Result<(bool, String, Json)> {
    let screen = Screen::new(output);
    let stage = Stage::new(&screen, "checking");
    let (mut rows, mut documents, mut there) = (Vec::new(), Vec::new(), 0);
    for (k, run) in study.runs.iter().enumerate() {
        let directory = study.directory_of(run);
        if Run::exists(&directory) {
            there += 1;
            let found = check::check(&directory)?;
            let damaged =
                found.files.iter().filter(|(_, state)| matches!(state, State::Damaged(_)));
            rows.extend(
                damaged.map(|(path, state)| vec![path.display().to_string(), in_words(state)]),
            );
            if !found.is_whole() {
                documents.push(json!({ "run": run.name, "found": found.to_json() }));
            }
        }
        stage.advance((k + 1) as f64 / study.runs.len() as f64)?;
    }
    drop(screen);
    let damaged = documents.len();
    let said = match damaged {
        0 => format!("{there} of {} runs are there, and whole\n", study.runs.len()),
        _ => format!(
            "{}\n{damaged} of {there} runs are damaged; remove their directories, and `unbraid study work` trains them again\n",
            table(&rows)
        ),
    };
    let document =
        json!({ "format": 1, "whole": damaged == 0, "runs": there, "damaged": documents });
    Ok((damaged == 0, said, document))
}

/// A data set by its name.
fn of_data(name: &str, output: Output) -> Result<(bool, String, Json)> {
    let source = data::find(name)?;
    let name = source.info.name;
    if !library::has(name) {
        let said = match source.publication {
            Some(_) => "is not on this machine, so there is nothing to check",
            None => "is drawn as it is read, so there is nothing to check",
        };
        return Ok((true, format!("{name} {said}\n"), json!({ "format": 1, "whole": null })));
    }
    let screen = Screen::new(output);
    let checked = library::check_imported(name, &Stage::new(&screen, "checking"));
    drop(screen);
    let said = match checked? {
        true => "every file is as it was imported",
        false => {
            "was imported by an earlier version without checksums, so nobody can tell; import it again"
        }
    };
    Ok((true, format!("{name}: {said}\n"), json!({ "format": 1, "whole": true, "data": name })))
}
