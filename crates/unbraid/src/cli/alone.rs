//! What `unbraid score` says where no factor is known: what codes tell by themselves, and what labels would add.

use unbraid::evaluate::unaided::Kept;
use unbraid::run::score::Scored;

use super::table;

/// So many columns are named.
const NAMED: usize = 12;

/// In words; nothing where factors are known.
pub(super) fn text(found: &Scored) -> String {
    let Some(told) = &found.unaided else { return String::new() };
    let mut rows = vec![["codes".to_string(), told.latents.to_string(), used(told.active)]];
    if let Some(kl) = &told.kl {
        let mut order: Vec<usize> = (0..kl.len()).collect();
        order.sort_by(|a, b| kl[*b].total_cmp(&kl[*a]));
        let each: Vec<String> =
            order.iter().take(NAMED).map(|k| format!("z{k} {:.2}", kl[*k])).collect();
        let sum = format!("{:.2}", kl.iter().sum::<f64>());
        rows.push(["KL".into(), sum, format!("nats in all; {}", each.join(", "))]);
    }
    if let Some(kept) = &told.kept {
        let said = format!(
            "of the variance of what is observed is left after decoding (squared error {:.4})",
            kept.squared_error
        );
        rows.push(["reconstruction".into(), format!("{:.0} %", 100.0 * kept.share), said]);
        rows.extend(columns(kept));
    }
    format!(
        "\nwithout labels:\n{}\n\
         With labels of some rows (data.factors of a table, data.labels of pictures, `values` of arrays; see `unbraid show \
         table`, `images`, `arrays`) a training is scored by what each code stands for. With other seeds beside it, \
         `unbraid score RUN RUN2 RUN3` says whether they agree.\n",
        table(&rows.into_iter().map(Vec::from).collect::<Vec<_>>())
    )
}

fn used(active: usize) -> String {
    match active {
        1 => "one of them tells something".into(),
        active => format!("{active} of them tell something"),
    }
}

/// The columns that are kept best and worst.
fn columns(kept: &Kept) -> Vec<[String; 3]> {
    let mut columns: Vec<_> = kept.columns.iter().collect();
    columns.sort_by(|a, b| b.1.total_cmp(&a.1));
    let said = |columns: &[&(String, f64)]| -> String {
        let one = |(name, share): &&(String, f64)| format!("{name} {:.0} %", 100.0 * share);
        columns.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let row = |word: &str, columns: &[&(String, f64)]| [word.into(), String::new(), said(columns)];
    match columns.len() {
        0 => vec![],
        count if count <= NAMED => vec![row("by column", &columns)],
        count => {
            vec![
                row("kept best", &columns[..NAMED / 2]),
                row("kept least", &columns[count - NAMED / 2..]),
            ]
        }
    }
}
