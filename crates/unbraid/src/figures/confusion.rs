//! The figure of action retrieval: which factor the method says was changed, beside the one that was. Good is a dark
//! diagonal; the last column says how often the direction is right too, where the factor is.

use serde_json::Value as Json;

use crate::draw::figure::{Figure, HeatMap, Scale};

/// The file of a run.
pub const FILE: &str = "confusion.svg";

/// Draw what is in `actions.json`: a row for each factor, or for each action where actions have no opposite.
pub fn drawn(document: &Json, title: &str) -> Option<Figure> {
    let actions = document["actions"].as_array()?;
    let told: Vec<Vec<f64>> = actions.iter().map(counts).collect();
    let of_factors = document["factor"].is_object();
    let name = |action: &Json| action["name"].as_str().unwrap_or_default().to_string();
    let names: Vec<String> = match of_factors {
        true => actions[..actions.len() / 2]
            .iter()
            .map(|action| name(action).trim_end_matches('+').to_string())
            .collect(),
        false => actions.iter().map(name).collect(),
    };
    let folds = names.len();
    // Actions of a factor are `folds` apart, and one after another where they are not folded.
    let rows_of = |row: usize| (row..actions.len()).step_by(folds);
    let mut cells = Vec::new();
    let mut rows = Vec::new();
    for (row, name) in names.iter().enumerate() {
        let pairs: f64 = rows_of(row).flat_map(|action| &told[action]).sum();
        let share = |count: f64, of: f64| (of > 0.0).then(|| count / of);
        let count = |column: usize| -> f64 {
            rows_of(row)
                .flat_map(|done| rows_of(column).map(move |said| (done, said)))
                .map(|(done, said)| told[done][said])
                .sum()
        };
        let mut line: Vec<Option<f64>> =
            (0..folds).map(|column| share(count(column), pairs)).collect();
        if of_factors {
            let right: f64 = rows_of(row).map(|action| told[action][action]).sum();
            line.push(share(right, count(row)));
        }
        rows.push(format!("{name} ({pairs})"));
        cells.push(line);
    }
    let mut columns = names;
    if of_factors {
        columns.push("direction".into());
    }
    let legend = match of_factors {
        true => "changed (pairs) against told; direction: right of those told right",
        false => "done (pairs) against told",
    };
    let map = HeatMap {
        title,
        legend,
        rows: &rows,
        columns: &columns,
        cells,
        scale: Scale::Share,
        framed: vec![],
    };
    Some(map.draw())
}

fn counts(action: &Json) -> Vec<f64> {
    action["told"].as_array().into_iter().flatten().filter_map(Json::as_f64).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn factors_are_folded_and_directions_are_of_those_told_right() {
        // Of 10 pairs of x, 8 are told as x, and 6 of these in the right direction.
        let document = json!({"factor": {}, "actions": [
            {"name": "x+", "told": [4, 1, 1, 0]}, {"name": "y+", "told": [0, 5, 0, 0]},
            {"name": "x-", "told": [1, 0, 2, 1]}, {"name": "y-", "told": [0, 0, 0, 0]},
        ]});
        let svg = drawn(&document, "t").unwrap().to_svg("t");
        for text in ["x (10)", "y (5)", "0.80", "0.20", "0.75", "1.00", "direction"] {
            assert!(svg.contains(&format!(">{text}</text>")), "{text} is missing: {svg}");
        }
    }

    #[test]
    fn actions_without_opposites_stay_apart() {
        let document = json!({"factor": null, "actions": [
            {"name": "turn", "told": [3, 1]}, {"name": "push", "told": [0, 0]},
        ]});
        let svg = drawn(&document, "t").unwrap().to_svg("t");
        for text in ["turn (4)", "push (0)", "0.75", "0.25", "–"] {
            assert!(svg.contains(&format!(">{text}</text>")), "{text} is missing: {svg}");
        }
        assert!(!svg.contains("direction"));
    }
}
