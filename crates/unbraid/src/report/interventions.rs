//! What if: what happens to observations when a concept is set to another value.

use serde_json::Value as Json;

use super::embedded::figures;
use super::html::{Align, Html, classed, element, name, number, small_number, table};
use crate::draw::words::grouped;
use crate::error::Result;
use crate::figures::Section;
use crate::run::Run;
use crate::run::files::EFFECTS;

pub(super) fn interventions(run: &Run) -> Result<Html> {
    let picture = figures(run, &[Section::Interventions])?;
    let mut out = match picture.is_nothing() {
        true => picture,
        false => classed("div", "large", picture),
    };
    if let Some(effects) = run.document(EFFECTS)? {
        out += measured(&effects);
    }
    Ok(out)
}

/// The tables: pictures first, then what moved that should, then what moved that should not.
fn measured(effects: &Json) -> Html {
    let concepts: Vec<&Json> = effects["concepts"].as_array().into_iter().flatten().collect();
    if concepts.is_empty() {
        return Html::nothing();
    }
    lead(effects)
        + pictures(&concepts)
        + descendants(&concepts)
        + others(&concepts)
        + reader(effects)
}

fn lead(effects: &Json) -> Html {
    let mut said = "Each concept was set to other values".to_string();
    if let Some(rows) = effects["rows"].as_u64() {
        said += &[" in ", &grouped(rows), " observations"].concat();
    }
    said += ", and the pictures the model makes of it were compared with those the true mechanism makes.";
    let mut out = Html::from(said);
    if let Some(error) = effects["reconstruction_error"].as_f64() {
        out += " Without any intervention the squared error of a pixel is ";
        out += small_number(Some(error));
        out += ".";
    }
    element("p", out)
}

fn named(value: &Json) -> Html {
    name(value["name"].as_str().unwrap_or_default())
}

/// How far the pictures are from the truth.
fn pictures(concepts: &[&Json]) -> Html {
    let columns = [
        ("Concept that is set", Align::Left),
        ("Read back (correlation)", Align::Right),
        ("Squared error of a pixel", Align::Right),
        ("Times that of reconstructions", Align::Right),
    ];
    let row = |concept: &&Json| {
        let (error, ratio) = (&concept["image_error"], &concept["image_error_ratio"]);
        let reached = number(concept["reached"].as_f64());
        vec![named(concept), reached, small_number(error.as_f64()), number(ratio.as_f64())]
    };
    table(&columns, concepts.iter().map(row))
}

/// What should follow a concept that is set, and how well it does.
fn descendants(concepts: &[&Json]) -> Html {
    let rows =
        beneath(concepts, "descendants", |effect| vec![number(effect["correlation"].as_f64())]);
    if rows.is_empty() {
        return Html::nothing();
    }
    let columns = [
        ("Set", Align::Left),
        ("What follows from it", Align::Left),
        ("Correlation", Align::Right),
    ];
    element("p", "What should move with it, and how closely its movement follows the true one:")
        + table(&columns, rows)
}

/// What should stay where it is, and how far it moves, in shares of its range.
fn others(concepts: &[&Json]) -> Html {
    let rows = beneath(concepts, "others", |other| {
        vec![percent(&other["movement"]), percent(&other["floor"])]
    });
    if rows.is_empty() {
        return Html::nothing();
    }
    let columns = [
        ("Set", Align::Left),
        ("What does not follow from it", Align::Left),
        ("Moves by", Align::Right),
        ("Floor", Align::Right),
    ];
    element(
        "p",
        "What should stay, and how far it moves all the same, as a share of its range. The floor is \
         what is read without any movement:",
    ) + table(&columns, rows)
}

/// A row for each concept and each of a list of it; a concept is named once.
fn beneath(concepts: &[&Json], key: &str, cells: impl Fn(&Json) -> Vec<Html>) -> Vec<Vec<Html>> {
    let mut rows = Vec::new();
    for concept in concepts {
        for (place, one) in concept[key].as_array().into_iter().flatten().enumerate() {
            let set = if place == 0 { named(concept) } else { Html::nothing() };
            rows.push([vec![set, named(one)], cells(one)].concat());
        }
    }
    rows
}

/// By how much the reader of values errs: below that, nothing can be told.
fn reader(effects: &Json) -> Html {
    let errors = effects["reader"].as_object().into_iter().flatten();
    let item =
        |(name, error): (&String, &Json)| Some(format!("{name} {:.1} %", 100.0 * error.as_f64()?));
    let errors: Vec<String> = errors.filter_map(item).collect();
    match errors.is_empty() {
        true => Html::nothing(),
        false => classed(
            "p",
            "small",
            format!(
                "Values are read off the pictures by a reader of its own, which errs by this share \
                 of the range: {}.",
                errors.join(", ")
            ),
        ),
    }
}

fn percent(share: &Json) -> Html {
    share.as_f64().map_or("–".into(), |share| format!("{:.1} %", 100.0 * share).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_null_is_a_dash_and_what_is_missing_is_left_out() {
        let effects = json!({"format": 1, "rows": 1200, "reader": {}, "concepts": [
            {"name": "<light>", "image_error": null, "image_error_ratio": 1.5, "descendants": [],
             "others": [{"name": "pendulum", "movement": 0.012, "floor": null}]}
        ]});
        let text = measured(&effects).into_string();
        assert!(text.contains("1,200 observations") && text.contains("&lt;light&gt;"), "{text}");
        assert!(text.contains(">1.2 %</td><td class=\"number\">–</td>"), "{text}");
        assert!(!text.contains("Correlation") && !text.contains("reader"), "{text}");
    }
}
