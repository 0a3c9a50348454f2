//! `unbraid data info`: what a data set holds and what it can give.

use anyhow::Result;
use serde_json::{Value as Json, json};
use unbraid::data::storage::library::Publication;
use unbraid::data::{self, Dataset, Glance, Pairs, Range, Sampler, Supervision, Window};
use unbraid::draw::words::grouped;
use unbraid::factors::{Factor, Kind};
use unbraid::rng::Rng;

use super::args::DataChoice;
use super::{Output, columns, table};

/// A list of values longer than this is shortened.
const SHOWN: usize = 6;

/// Print rows, shape, factors and capabilities.
pub(super) fn run(choice: &DataChoice, output: Output) -> Result<()> {
    if let Some(glance) = super::data::glance(&choice.name, &choice.set)? {
        let text = glance_text(&choice.name, &glance);
        return output.result(&text, || glance_document(&choice.name, &glance));
    }
    let data = super::data::open(&choice.name, &choice.set)?;
    let publication = data::find(&choice.name).ok().and_then(|source| source.publication);
    let text = text(&choice.name, &*data, publication);
    output.result(&text, || document(&choice.name, &*data, publication))
}

/// What a look through a large file says.
fn glance_text(name: &str, glance: &Glance) -> String {
    let able: Vec<&str> =
        glance_gives(glance).into_iter().filter(|(_, a)| *a).map(|(n, _)| n).collect();
    let able = if able.is_empty() { "observations only".into() } else { able.join(", ") };
    format!(
        "{name}: {} rows of {}, {}\n\n{}it can give: {able}\n",
        grouped(glance.rows as u64),
        glance.shape,
        range(glance.shape.range).1,
        columns::text(&glance.about)
    )
}

fn glance_gives(glance: &Glance) -> [(&'static str, bool); 2] {
    [("labels", glance.labels), ("sequences", glance.sequences)]
}

fn glance_document(name: &str, glance: &Glance) -> Json {
    let Glance { rows, shape, about, .. } = glance;
    let able: serde_json::Map<String, Json> = glance_gives(glance)
        .map(|(name, able)| (name.to_string(), Json::Bool(able)))
        .into_iter()
        .collect();
    json!({
        "format": 1,
        "name": name,
        "rows": rows,
        "shape": [shape.channels, shape.height, shape.width],
        "range": range(shape.range).0,
        "capabilities": able,
        "columns": columns::document(about),
        "remarks": about.remarks,
    })
}

/// What can be asked of a data set, and whether this one has it.
fn capabilities(data: &dyn Dataset) -> [(&'static str, bool); 7] {
    // A sampler refuses what the data cannot give, as training does.
    let gives = |what| Sampler::new(data, what, false, Rng::new(0)).is_ok();
    [
        ("labels", gives(Supervision::Labels)),
        ("pairs", gives(Supervision::Pairs(Pairs::DEFAULT))),
        ("sequences", gives(Supervision::Time(Window::TRANSITION))),
        ("targets", gives(Supervision::Targets(Window::TRANSITION))),
        ("actions", gives(Supervision::Actions(Window::TRANSITION))),
        ("graph", data.graph().is_some()),
        ("counterfactuals", data.counterfactual(0, &[]).is_some()),
    ]
}

fn range(range: Range) -> (&'static str, &'static str) {
    match range {
        Range::Binary => ("binary", "0 or 1"),
        Range::Unit => ("unit", "from 0 to 1"),
        Range::Real => ("real", "any number"),
    }
}

fn text(name: &str, data: &dyn Dataset, publication: Option<&Publication>) -> String {
    let shape = data.shape();
    let rows = grouped(data.len() as u64);
    let mut parts = vec![format!("{name}: {rows} rows of {shape}, {}\n\n", range(shape.range).1)];
    parts.push(columns::text(data.about()));
    parts.push(match data.factors() {
        [] => "no factors are known: it can be learned from, but not measured against\n".into(),
        factors => {
            let head = ["factor", "kind", "values"].map(String::from).to_vec();
            let rows = factors.iter().map(factor_row);
            table(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
        }
    });
    let able = capabilities(data).into_iter().filter(|(_, able)| *able).map(|(name, _)| name);
    let able: Vec<&str> = able.collect();
    let able = if able.is_empty() { "observations only".into() } else { able.join(", ") };
    parts.push(format!("\nit can give: {able}\n"));
    if !data.actions().is_empty() {
        parts.push(format!("actions: {}\n", data.actions().join(", ")));
    }
    if let Some(graph) = data.graph() {
        let names = graph.names();
        let edges = (0..graph.len()).flat_map(|effect| {
            let causes = graph.parents(effect).into_iter();
            causes.map(move |cause| format!("{} → {}", names[cause], names[effect]))
        });
        parts.push(format!("true graph: {}\n", edges.collect::<Vec<_>>().join(", ")));
    }
    if let Some(Publication { licence, citation, .. }) = publication {
        parts.push(format!("licence: {licence}\ncite: {citation}\n"));
    }
    parts.concat()
}

fn factor_row(factor: &Factor) -> Vec<String> {
    let (kind, values) = match &factor.kind {
        Kind::Continuous => ("continuous", String::new()),
        Kind::Angle => ("angle", String::new()),
        Kind::Discrete(values) => {
            let number = |value: &f32| factor.called(*value);
            let shown = match values.len() {
                0..=SHOWN => values.iter().map(number).collect::<Vec<_>>().join(", "),
                count => {
                    let first = values[..3].iter().map(number).collect::<Vec<_>>().join(", ");
                    format!("{first}, … {}", number(&values[count - 1]))
                }
            };
            ("discrete", format!("{}: {shown}", values.len()))
        }
    };
    vec![factor.name.clone(), kind.into(), values]
}

fn document(name: &str, data: &dyn Dataset, publication: Option<&Publication>) -> Json {
    let shape = data.shape();
    let factor = |factor: &Factor| match &factor.kind {
        Kind::Continuous => json!({"name": factor.name, "kind": "continuous"}),
        Kind::Angle => json!({"name": factor.name, "kind": "angle"}),
        Kind::Discrete(values) => {
            let mut about = json!({
                "name": factor.name, "kind": "discrete", "size": values.len(), "values": values,
            });
            if !factor.words.is_empty() {
                about["words"] = json!(factor.words);
            }
            about
        }
    };
    let able: serde_json::Map<String, Json> = capabilities(data)
        .into_iter()
        .map(|(name, able)| (name.to_string(), Json::Bool(able)))
        .collect();
    let mut document = json!({
        "format": 1,
        "name": name,
        "rows": data.len(),
        "shape": [shape.channels, shape.height, shape.width],
        "range": range(shape.range).0,
        "factors": data.factors().iter().map(factor).collect::<Vec<_>>(),
        "capabilities": able,
    });
    if !data.actions().is_empty() {
        document["actions"] = data.actions().into();
    }
    let about = data.about();
    if !about.channels.is_empty() {
        document["columns"] = columns::document(about);
    }
    if !about.remarks.is_empty() {
        document["remarks"] = json!(about.remarks);
    }
    if data.unlabelled() > 0 {
        document["unlabelled"] = data.unlabelled().into();
    }
    if let Some(publication) = publication {
        document["licence"] = publication.licence.into();
        document["citation"] = publication.citation.into();
    }
    document
}
