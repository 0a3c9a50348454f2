//! What a model of actions has found: which action led from one image to another, and what each does to an image.

use serde_json::Value as Json;

use super::embedded::figure;
use super::html::{Align, Html, classed, element, name, number, table};
use crate::draw::words::grouped;
use crate::error::Result;
use crate::figures::{acts, confusion};
use crate::run::Run;
use crate::run::files::{ACTED, ACTIONS};

pub(super) fn actions(run: &Run) -> Result<Html> {
    let mut out = Html::nothing();
    if let Some(told) = run.document(ACTIONS)? {
        out += retrieved(&told)
            + figure(
                &run.file(confusion::FILE),
                "which factor is told beside the one that was changed",
                "Each row is a factor that was changed, with its number of pairs, and says how often each factor is told; a good method is dark on the \
                 diagonal. The last column is the share with the right direction of those told the right factor.",
            )?;
    }
    if let Some(acted) = run.document(ACTED)? {
        out += done(&acted);
    }
    let drawn = figure(
        &run.file(acts::FILE),
        "what each action does to an image",
        "A column for each action: an image before it, the cells of the code that the model says it touches, the image \
         the model makes, the true one, and which cells depend on which.",
    )?;
    if !drawn.is_nothing() {
        out += classed("div", "large", drawn);
    }
    Ok(out)
}

/// How often the action and its factor are told right.
fn retrieved(told: &Json) -> Html {
    let pairs = told["action"]["rows"].as_u64().unwrap_or(0);
    let mut said = format!(
        "Of {} pairs of images that were not trained on, each one action apart, the model says which action led from the \
         first to the second.",
        grouped(pairs)
    );
    if let Some(same) = told["same_code"].as_f64().filter(|same| *same > 0.0) {
        said += &format!(
            " In {:.1} % both have one code, so nothing can be told of them.",
            100.0 * same
        );
    }
    let columns = [
        ("Told", Align::Left),
        ("Accuracy", Align::Right),
        ("Balanced", Align::Right),
        ("Always the most frequent", Align::Right),
    ];
    let kinds = [("Action", "action"), ("Factor", "factor")];
    let rows = kinds.into_iter().filter(|(_, key)| told[*key].is_object()).map(|(title, key)| {
        let numbers = ["accuracy", "balanced", "majority"].map(|of| number(told[key][of].as_f64()));
        [Html::from(title)].into_iter().chain(numbers).collect()
    });
    element("p", said) + table(&columns, rows)
}

/// How often the image after an action is the right one.
fn done(acted: &Json) -> Html {
    let said = "The model then did each action itself. Its image is right if, of all true images that differ from the \
                expected one in one factor at most, none is nearer to it than the expected one. Reconstructions of the true \
                images are read in the same way, and say what this decoder can reach.";
    let columns = [
        ("Action", Align::Left),
        ("Images", Align::Right),
        ("Right", Align::Right),
        ("Reconstructions right", Align::Right),
    ];
    let mut out = element("p", said);
    for (key, words) in
        [("once", "Once".to_string()), ("often", format!("{} times", acted["times"]))]
    {
        let of = &acted[key];
        if !of.is_object() {
            continue;
        }
        let row = |one: &Json| {
            let images = one["images"].as_f64().unwrap_or(0.0);
            let share = |key: &str| {
                number(one[key].as_f64().filter(|_| images > 0.0).map(|count| count / images))
            };
            let title = name(one["name"].as_str().unwrap_or_default());
            vec![title, counted(&one["images"]), share("right"), share("reconstructions_right")]
        };
        let mut rows: Vec<Vec<Html>> =
            of["actions"].as_array().into_iter().flatten().map(row).collect();
        let [right, floor] = ["right", "floor"].map(|key| number(of[key].as_f64()));
        rows.push(vec!["all".into(), counted(&of["images"]), right, floor]);
        out += element("h3", words) + table(&columns, rows);
    }
    if let Some(ratio) = acted["once"]["error_ratio"].as_f64() {
        out += element(
            "p",
            format!(
                "Done once, the squared error of an image is {ratio:.2} times that of reconstructions."
            ),
        );
    }
    out
}

/// How many.
fn counted(number: &Json) -> Html {
    grouped(number.as_u64().unwrap_or(0)).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shares_stand_beside_what_the_decoder_can_reach() {
        let acted = json!({"times": 5, "once": {"images": 4, "right": 0.75, "floor": 1.0, "error_ratio": 1.5,
            "actions": [{"name": "<x>+", "images": 4, "right": 3, "reconstructions_right": 4}]}});
        let text = done(&acted).into_string();
        for words in ["&lt;x&gt;+", "0.75", "Once", "1.50 times"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(!text.contains("5 times"));
    }

    #[test]
    fn pairs_of_one_code_are_said() {
        let of = json!({"accuracy": 0.5, "balanced": 0.4, "majority": 0.3, "rows": 1234});
        let text =
            retrieved(&json!({"action": of, "factor": null, "same_code": 0.031})).into_string();
        assert!(text.contains("3.1 %") && !text.contains("Factor"), "{text}");
        let text = retrieved(&json!({"action": of, "factor": of, "same_code": 0.0})).into_string();
        assert!(!text.contains("one code") && text.contains("Factor"), "{text}");
    }
}
