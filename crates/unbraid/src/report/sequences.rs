//! What a model of sequences has found: which latents stand for what, how images mix, what actions touch, and what
//! causes what at the next step.

use serde_json::Value as Json;

use super::embedded::figure;
use super::html::{Align, Html, element, name, number, table};
use crate::error::Result;
use crate::figures::{interactions, sets, temporal, triplets};
use crate::run::Run;
use crate::run::files::{INTERACTIONS, TEMPORAL, TRIPLETS};

pub(super) fn sequences(run: &Run) -> Result<Html> {
    let mut out = figure(
        &run.file(sets::FILE),
        "how well each set of latents predicts each variable",
        "Each set of latents should predict its own variable, on the diagonal, and no other.",
    )?;
    if let Some(document) = run.document(TRIPLETS)? {
        out += figure(
            &run.file(triplets::FILE),
            "two images, their mixture by the model, and the true one",
            "Some variables of the second image, put into the first by their latents.",
        )? + mixed(&document);
    }
    if let Some(document) = run.document(INTERACTIONS)? {
        out += figure(
            &run.file(interactions::FILE),
            "where an action touches each variable",
            "Where an action must be to touch each variable, learned and true.",
        )? + touched(&document);
    }
    if let Some(document) = run.document(TEMPORAL)? {
        out += figure(
            &run.file(temporal::FILE),
            "what causes what at the next step",
            "Found by leaving out one variable after the other when the next step is predicted.",
        )? + verdict(&document);
    }
    Ok(out)
}

/// Per variable, how far mixtures are from the true ones.
fn mixed(document: &Json) -> Html {
    let columns = [("Variable", Align::Left), ("Distance", Align::Right), ("Floor", Align::Right)];
    let factors = document["factors"].as_array().into_iter().flatten();
    let cells = |words: Html, one: &Json| {
        vec![words, number(one["distance"].as_f64()), number(one["floor"].as_f64())]
    };
    let mut rows: Vec<Vec<Html>> =
        factors.map(|one| cells(name(one["name"].as_str().unwrap_or_default()), one)).collect();
    rows.push(cells("mean".into(), document));
    element(
        "p",
        "How far each variable of a mixture is from the true one, read by a network that was taught on true \
         images; the floor is its own error on true mixtures:",
    ) + table(&columns, rows)
}

/// Per variable, how well interactions are told.
fn touched(document: &Json) -> Html {
    let columns = [("Variable", Align::Left), ("Latent", Align::Right), ("F1", Align::Right)];
    let factors = document["factors"].as_array().into_iter().flatten();
    let row = |one: &Json| {
        let latent = one["latent"].as_u64().map_or("–".into(), |latent| latent.to_string());
        vec![
            name(one["name"].as_str().unwrap_or_default()),
            latent.into(),
            number(one["f1"].as_f64()),
        ]
    };
    element("p", "How well the learned interactions tell which variables an action touched:")
        + table(&columns, factors.map(row))
}

/// How near the temporal graph is to the true one.
fn verdict(document: &Json) -> Html {
    let distance = |of: &str| document[of]["shd"].as_f64();
    match (distance("learned"), distance("on_true_values")) {
        (Some(learned), Some(truth)) => element(
            "p",
            format!(
                "{learned} edges between variables are missing, extra or reversed (SHD); the same search on the \
                 true values is wrong about {truth}."
            ),
        ),
        _ => Html::nothing(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_stand_beside_their_floor_and_what_is_missing_is_a_dash() {
        let document = json!({"distance": 0.05, "floor": 0.01,
            "factors": [{"name": "<x>", "distance": null, "floor": 0.02}]});
        let text = mixed(&document).into_string();
        assert!(
            text.contains("&lt;x&gt;") && text.contains("0.05") && text.contains("–"),
            "{text}"
        );
        let graph = json!({"learned": {"shd": 3}, "on_true_values": {"shd": 1}});
        assert!(verdict(&graph).into_string().contains("3 edges"));
        assert!(verdict(&json!({})).is_nothing());
    }
}
