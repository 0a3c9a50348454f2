//! The figure of an alignment: how well each set of latents predicts each variable. Good is a dark diagonal and
//! nothing beside it.

use serde_json::{Map, Value as Json};

use crate::draw::figure::{Figure, HeatMap, Scale};

/// The file of a run.
pub const FILE: &str = "sets.svg";

/// Draw the parts of an alignment score; nothing if they are of no sets.
pub fn drawn(parts: &Map<String, Json>, title: &str) -> Option<Figure> {
    let number = |key: &str| parts.get(key).and_then(Json::as_f64);
    // In the order of the factors, which is not that of the keys.
    let mut variables: Vec<&str> = Vec::new();
    let mut sets: Vec<&str> = Vec::new();
    for (set, variable) in parts.keys().filter_map(|key| key.strip_prefix("r2/")?.split_once('/')) {
        if !variables.contains(&variable) {
            variables.push(variable);
        }
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    if sets.is_empty() {
        return None;
    }
    let row = |set: &str| -> (String, Vec<Option<f64>>) {
        let count = number(&format!("codes/{set}")).unwrap_or(0.0);
        let r2 = |variable: &&str| number(&format!("r2/{set}/{variable}"));
        (format!("{set} ({count})"), variables.iter().map(r2).collect())
    };
    let (mut rows, mut cells): (Vec<_>, Vec<_>) = sets.iter().map(|set| row(set)).unzip();
    if let Some(count) = number("codes_rest") {
        let r2 = |variable: &&str| number(&format!("r2_rest/{variable}"));
        rows.push(format!("none of them ({count})"));
        cells.push(variables.iter().map(r2).collect());
    }
    let columns: Vec<String> = variables.iter().map(ToString::to_string).collect();
    let legend = "R2 of the variable above from the latents on the left (how many there are)";
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_set_and_variable_has_its_cell_and_other_scores_have_none() {
        let parts = json!({
            "r2/x/x": 0.98, "r2/x/y": 0.02, "r2/y/x": -0.01, "r2/y/y": 0.91, "codes/x": 2.0,
            "codes/y": 1.0, "codes_rest": 3.0, "r2_rest/x": 0.1, "r2_rest/y": 0.05,
        });
        let svg = drawn(parts.as_object().unwrap(), "t").unwrap().to_svg("t");
        for text in ["x (2)", "y (1)", "none of them (3)", "0.98", "0.02", "−0.01", "0.91", "0.05"]
        {
            assert!(svg.contains(&format!(">{text}</text>")), "{text} is missing: {svg}");
        }
        assert!(drawn(json!({"r2_diagonal": 1.0}).as_object().unwrap(), "t").is_none());
    }
}
