//! The graph: what was learned about causes and effects, edge by edge, and by what each was turned.

use serde_json::Value as Json;

use super::embedded::figures;
use super::html::{Align, Html, classed, element, name, number, table};
use crate::draw::words::listed;
use crate::error::Result;
use crate::figures::Section;
use crate::run::Run;
use crate::run::files::GRAPH;

pub(super) fn graph(run: &Run) -> Result<Html> {
    let document = run.document(GRAPH)?;
    let mut out = document.as_ref().map_or(Html::nothing(), verdict);
    out += figures(run, &[Section::Graph])?;
    if let Some(document) = &document {
        out += edges(document) + missed(document) + separations(document) + others(document);
    }
    Ok(out)
}

/// How near it is to the true one, in a sentence; nothing where the truth is not known.
fn verdict(document: &Json) -> Html {
    let mut said = Vec::new();
    if let Some(distance) = document["shd"].as_f64() {
        said.push(match distance {
            0.0 => "The learned graph is the true one.".to_string(),
            1.0 => "The learned graph is one edge away from the true one: one is missing, extra or \
                    reversed (SHD 1)."
                .to_string(),
            _ => format!(
                "The learned graph is {distance} edges away from the true one: so many are missing, \
                 extra or reversed (SHD)."
            ),
        });
    }
    let share = |key: &str| document[key].as_f64().map(|share| format!("{:.0} %", 100.0 * share));
    if let (Some(precision), Some(recall)) = (share("precision"), share("recall")) {
        said.push(format!(
            "{precision} of its edges are true (precision), and it has {recall} of the true edges \
             (recall)."
        ));
    }
    match said.is_empty() {
        true => element("p", "What the true graph is, is not known here."),
        false => element("p", said.join(" ")),
    }
}

/// A row for each edge: how strong it is, why it points where it points, and whether it is true.
fn edges(document: &Json) -> Html {
    let edges: Vec<&Json> = document["edges"].as_array().into_iter().flatten().collect();
    if edges.is_empty() {
        return element("p", "It has no edges.");
    }
    let truth = Truth::of(document);
    let mut columns =
        vec![("Cause", Align::Left), ("Effect", Align::Left), ("Strength", Align::Right)];
    if truth.is_some() {
        columns.push(("In the true graph", Align::Left));
    }
    columns.push(("What turned it this way", Align::Left));
    let row = |edge: &&Json| {
        let word = |key: &str| edge[key].as_str().unwrap_or_default();
        let (cause, effect) = (word("cause"), word("effect"));
        let arrow = classed("span", "name", classed("span", "arrow", "→ ") + effect);
        let mut cells = vec![name(cause), arrow, number(edge["strength"].as_f64())];
        cells.extend(truth.as_ref().map(|truth| truth.of_edge(cause, effect)));
        cells.push(edge["principle"].as_str().unwrap_or("–").into());
        cells
    };
    classed("div", "edges", table(&columns, edges.iter().map(row)))
}

/// Why other pairs have no edge, where that is known.
fn separations(document: &Json) -> Html {
    let said = document["separations"].as_array().into_iter().flatten();
    let said: Vec<&str> = said.filter_map(Json::as_str).collect();
    match said.is_empty() {
        true => Html::nothing(),
        false => element("p", format!("No edge elsewhere: {}.", said.join("; "))),
    }
}

/// What other learners make of the same labels.
fn others(document: &Json) -> Html {
    let one = |other: &Json| Some((other["name"].as_str()?.to_string(), other["shd"].as_f64()?));
    let others: Vec<(String, f64)> =
        document["others"].as_array().into_iter().flatten().filter_map(one).collect();
    if others.is_empty() {
        return Html::nothing();
    }
    let rows = others.iter().map(|(name, distance)| {
        vec![Html::from(name.as_str()), format!("{distance:.0}").as_str().into()]
    });
    let columns =
        [("Other learners, on the same labels", Align::Left), ("Wrong edges", Align::Right)];
    table(&columns, rows)
}

/// The true edges that were not found in either direction.
fn missed(document: &Json) -> Html {
    let Some(truth) = Truth::of(document) else { return Html::nothing() };
    let edges: Vec<&Json> = document["edges"].as_array().into_iter().flatten().collect();
    let found =
        |a: &str, b: &str| edges.iter().any(|edge| edge["cause"] == a && edge["effect"] == b);
    let missing = truth.edges().filter(|(a, b)| !found(a, b) && !found(b, a));
    let missing: Vec<String> = missing.map(|(a, b)| format!("{a} → {b}")).collect();
    match missing.is_empty() {
        true => Html::nothing(),
        false => classed("p", "small", format!("True, but not found: {}.", listed(&missing))),
    }
}

/// The true graph, row = cause.
struct Truth<'a> {
    names: Vec<&'a str>,
    matrix: &'a Json,
}

impl<'a> Truth<'a> {
    fn of(document: &'a Json) -> Option<Self> {
        let names = document["names"].as_array()?.iter().filter_map(Json::as_str).collect();
        document["true"].is_array().then(|| Self { names, matrix: &document["true"] })
    }

    fn has(&self, cause: &str, effect: &str) -> bool {
        self.edges().any(|edge| edge == (cause, effect))
    }

    fn edges(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let count = self.names.len();
        let pairs = (0..count * count).map(move |cell| (cell / count, cell % count));
        let is_edge = |&(i, j): &(usize, usize)| self.matrix[i][j].as_f64().unwrap_or(0.0) != 0.0;
        pairs.filter(is_edge).map(|(i, j)| (self.names[i], self.names[j]))
    }

    fn of_edge(&self, cause: &str, effect: &str) -> Html {
        match (self.has(cause, effect), self.has(effect, cause)) {
            (true, _) => "yes".into(),
            (false, true) => classed("span", "wrong", "the other way round"),
            (false, false) => classed("span", "wrong", "no"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document() -> Json {
        json!({
            "format": 1, "names": ["a", "b", "c"], "shd": 2, "precision": 0.5, "recall": null,
            "true": [[0, 1, 0], [0, 0, 0], [0, 1, 0]],
            "edges": [{"cause": "b", "effect": "a", "strength": 0.4, "principle": "<guess>"}],
        })
    }

    #[test]
    fn an_edge_says_whether_it_is_true_and_what_is_missing_is_said() {
        let text = edges(&document()).into_string();
        assert!(text.contains("the other way round") && text.contains("&lt;guess&gt;"), "{text}");
        assert!(missed(&document()).into_string().contains("not found: c → b."));
    }

    #[test]
    fn numbers_that_are_not_there_are_not_spoken_of() {
        let text = verdict(&document()).into_string();
        assert!(text.contains("2 edges away") && !text.contains("precision"), "{text}");
        let unknown = verdict(&json!({"shd": null}));
        assert!(unknown.into_string().contains("not known"));
    }
}
