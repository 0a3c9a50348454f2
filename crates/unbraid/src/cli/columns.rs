//! The columns of a user's files, as tables and as JSON: what each holds, and what it is used for.

use serde_json::{Value as Json, json};
use unbraid::data::about::{About, Channel, Holds};
use unbraid_measure::settings::Word;

use super::{Output, table};

/// A line for each column and a sentence for each remark; empty for data of no files.
pub(super) fn text(about: &About) -> String {
    let mut parts = Vec::new();
    if !about.channels.is_empty() {
        let head = ["column", "kind", "values", "missing", "role", ""].map(String::from).to_vec();
        let rows = about.channels.iter().map(row);
        parts.push(table(&std::iter::once(head).chain(rows).collect::<Vec<_>>()));
        parts.push("\n".into());
    }
    for remark in &about.remarks {
        parts.push(format!("{remark}\n"));
    }
    if !about.remarks.is_empty() {
        parts.push("\n".into());
    }
    parts.concat()
}

fn row(channel: &Channel) -> Vec<String> {
    let missing = match channel.missing {
        0 => String::new(),
        count => count.to_string(),
    };
    vec![
        channel.name.clone(),
        channel.holds.word().into(),
        channel.holds.span(),
        missing,
        channel.role.word().into(),
        channel.note.clone(),
    ]
}

/// The same as comments of a configuration.
pub(super) fn comments(about: &About) -> String {
    let text = text(about);
    text.trim_end().lines().map(|line| format!("# {line}").trim_end().to_string() + "\n").collect()
}

/// The columns as JSON.
pub(super) fn document(about: &About) -> Json {
    let column = |channel: &Channel| {
        let mut column = json!({
            "name": channel.name,
            "kind": channel.holds.word(),
            "missing": channel.missing,
            "role": channel.role.word(),
            "note": channel.note,
        });
        match &channel.holds {
            Holds::Numbers { range, .. } => column["range"] = json!(range),
            Holds::Words { different, .. } => column["different"] = json!(different),
            Holds::Times(times) => column["range"] = json!(times),
            Holds::Mixed | Holds::Nothing => {}
        }
        column
    };
    about.channels.iter().map(column).collect()
}

/// Say what was left out of the data that are about to be used.
pub(super) fn tell(about: &About, output: Output) {
    for remark in &about.remarks {
        output.note(&format!("note: {remark}"));
    }
}
