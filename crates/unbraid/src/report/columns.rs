//! What was observed: the columns of a user's files, and how they were scaled.

use unbraid_measure::data::Role;
use unbraid_measure::data::about::Channel;
use unbraid_measure::settings::Word;

use super::html::{Align, Html, code, element, prose, table};
use crate::run::Plan;

pub(super) fn columns(plan: &Plan) -> Html {
    let about = plan.data.about();
    let mut inside = Html::nothing();
    if !about.channels.is_empty() {
        if about.channels.iter().any(|channel| channel.role == Role::Observed) {
            inside += element("p", Html::from(scaled(plan)));
        }
        let heads = ["Column", "Kind", "Values", "Missing", "Role", "What is made of it"];
        let align = |head: &'static str| match head {
            "Missing" => (head, Align::Right),
            _ => (head, Align::Left),
        };
        inside += table(&heads.map(align), about.channels.iter().map(row));
    }
    for remark in &about.remarks {
        inside += element("p", prose(remark) + ".");
    }
    inside
}

fn scaled(plan: &Plan) -> String {
    let about = plan.data.about();
    let count = about.channels.iter().filter(|channel| channel.role == Role::Observed).count();
    let columns = if count == 1 { "column is" } else { "columns are" };
    match &about.scaling {
        None => format!("{count} {columns} observed, as they stand."),
        Some(scaling) => format!(
            "{count} {columns} observed, each brought to one scale (data.scale = \"{}\"); what is decoded is \
             told in the units of the file.",
            scaling.by
        ),
    }
}

fn row(channel: &Channel) -> Vec<Html> {
    vec![
        code(&channel.name),
        channel.holds.word().into(),
        channel.holds.span().into(),
        channel.missing.to_string().into(),
        channel.role.word().into(),
        prose(&channel.note),
    ]
}
