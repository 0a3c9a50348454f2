//! Where it comes from: versions, settings, commands to repeat it, and the files.

use toml::Value;
use unbraid_measure::files::read_text;

use super::html::{Align, Html, classed, code, element, table};
use crate::draw::words::size;
use crate::error::Result;
use crate::run::config;
use crate::run::files::{REPORT, SETTINGS};
use crate::run::{Run, VERSION};

pub(super) fn provenance(run: &Run) -> Result<Html> {
    let settings = read_text(run.file(SETTINGS))?;
    let folded = element("summary", "Every setting: run.toml") + element("pre", settings);
    Ok(element("p", versions(run)?)
        + element("p", "To repeat it, with the settings below as run.toml:")
        + classed("pre", "commands", commands(run))
        + element("details", folded)
        + contents(run))
}

/// What started the run, and what wrote this page.
fn versions(run: &Run) -> Result<Html> {
    let table = config::read_table(&run.file(SETTINGS))?;
    let started = table.get("unbraid").and_then(Value::as_str).unwrap_or("of an unknown version");
    let threads = run.config().train.threads;
    Ok(match started == VERSION {
        true => Html::from(format!("Trained and reported by unbraid {VERSION}")),
        false => Html::from(format!("Trained by unbraid {started}, reported by {VERSION}")),
    } + format!(
        ", with seed {} on {threads} {}. Equal settings on an equal machine give equal weights, byte \
         for byte.",
        run.config().seed,
        if threads == 1 { "thread" } else { "threads" },
    ))
}

/// The command lines; a `run.toml` is a configuration like any other.
fn commands(run: &Run) -> String {
    let settings = quoted(&run.file(SETTINGS).display().to_string());
    format!(
        "unbraid train {settings} --out again\nunbraid score again\nunbraid traverse again\n\
         unbraid report again\n"
    )
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn contents(run: &Run) -> Html {
    let columns = [("File", Align::Left), ("What it is", Align::Left), ("Size", Align::Right)];
    // The page would have to know its own size before it is written.
    let others = run.contents().into_iter().filter(|content| content.name != REPORT);
    let row = |content: crate::run::Content| {
        vec![code(content.name), content.words.into(), size(content.bytes).into()]
    };
    let place = run.directory().display().to_string();
    element("p", Html::from("The files of the run, in ") + code(&place) + ":")
        + table(&columns, others.map(row))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_path_with_a_space_is_one_word() {
        assert_eq!(quoted("runs/a/run.toml"), "runs/a/run.toml");
        assert_eq!(quoted("it's here"), r"'it'\''s here'");
    }
}
