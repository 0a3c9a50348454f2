//! What codes tell by themselves, where no factor is known, and what labels would add.

use serde_json::Value as Json;

use super::html::{Align, Html, element, prose, table};

/// So many latents are named.
const NAMED: usize = 12;

/// From `without_labels` of the scores; nothing where it is not there.
pub(super) fn alone(told: &Json) -> Html {
    let Some(latents) = told["latents"].as_u64() else { return Html::nothing() };
    let active = told["active"].as_u64().unwrap_or(0);
    let mut rows =
        vec![row("codes in use", format!("{active} of {latents}"), "those that tell something")];
    if let Some(share) = told["variance_kept"].as_f64() {
        let error = told["squared_error"].as_f64().unwrap_or(f64::NAN);
        let said = format!(
            "of the variance of what is observed is left after decoding; the squared error of a number is {error:.4}"
        );
        rows.push(row("reconstruction", format!("{:.0} %", 100.0 * share), &said));
    }
    if let Some(kl) = told["kl"].as_array() {
        let mut each: Vec<(usize, f64)> = kl.iter().filter_map(Json::as_f64).enumerate().collect();
        let sum: f64 = each.iter().map(|latent| latent.1).sum();
        each.sort_by(|a, b| b.1.total_cmp(&a.1));
        let words = |(k, kl): &(usize, f64)| format!("z{k} {kl:.2}");
        let said: Vec<String> = each.iter().take(NAMED).map(words).collect();
        rows.push(row("KL in nats", format!("{sum:.2}"), &said.join(", ")));
    }
    let columns = [("Without labels", Align::Left), ("", Align::Right), ("", Align::Left)];
    table(&columns, rows)
        + element(
            "p",
            prose(
                "With true values of some rows a run is also scored by what each code stands for: `data.factors` names \
                 columns of a table, `data.labels` the labels of pictures, and `values` is their array in an .npz. \
                 Without any, `unbraid score RUN RUN2 RUN3` says whether trainings with other seeds agree.",
            ),
        )
}

fn row(name: &str, value: String, said: &str) -> Vec<Html> {
    vec![name.into(), value.into(), said.into()]
}
