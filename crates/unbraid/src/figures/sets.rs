//! The figure of an alignment: how well each set of latents predicts each variable. Good is a dark diagonal and
//! nothing beside it.

use serde_json::{Map, Value as Json};

use crate::draw::figure::{Anchor, Colour, Figure, INK, PALE, text_width};

/// The file of a run.
pub const FILE: &str = "sets.svg";

const CELL: [f64; 2] = [64.0, 34.0];
const TOP: f64 = 66.0;
const DARK: [f64; 3] = [0.0, 94.0, 150.0];
const LIGHT: [f64; 3] = [243.0, 244.0, 246.0];

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
    let mut rows: Vec<(String, Vec<Option<f64>>)> = sets.iter().map(|set| row(set)).collect();
    if let Some(count) = number("codes_rest") {
        let r2 = |variable: &&str| number(&format!("r2_rest/{variable}"));
        rows.push((format!("none of them ({count})"), variables.iter().map(r2).collect()));
    }
    Some(draw(&variables, &rows, title))
}

fn draw(variables: &[&str], rows: &[(String, Vec<Option<f64>>)], title: &str) -> Figure {
    let longest = |names: &mut dyn Iterator<Item = &str>| {
        names.map(|name| text_width(name, 12.0)).fold(0.0, f64::max)
    };
    let left = longest(&mut rows.iter().map(|(name, _)| name.as_str())) + 34.0;
    let [across, down] = CELL;
    let across = across.max(longest(&mut variables.iter().copied()) + 12.0);
    let below = TOP + 24.0 + rows.len() as f64 * down;
    let width = (left + variables.len() as f64 * across + 18.0).max(560.0);
    let mut figure = Figure::new(width, below + 18.0);
    figure.text((18.0, 30.0), 16.0, INK, Anchor::Start, title);
    let legend = "R2 of the variable above from the latents on the left (how many there are)";
    figure.text((18.0, 50.0), 12.0, PALE, Anchor::Start, legend);
    for (k, name) in variables.iter().enumerate() {
        let x = left + (k as f64 + 0.5) * across;
        figure.text((x, TOP + 16.0), 12.0, INK, Anchor::Middle, name);
    }
    for (place, (name, numbers)) in rows.iter().enumerate() {
        let top = TOP + 24.0 + place as f64 * down;
        figure.text((left - 10.0, top + 0.62 * down), 12.0, INK, Anchor::End, name);
        for (k, r2) in numbers.iter().enumerate() {
            let Some(r2) = *r2 else { continue };
            let share = r2.clamp(0.0, 1.0);
            let blend = |k: usize| (LIGHT[k] + (DARK[k] - LIGHT[k]) * share).round() as u8;
            let x = left + k as f64 * across;
            let ground = Colour(blend(0), blend(1), blend(2));
            figure.rectangle([x + 1.0, top + 1.0, across - 2.0, down - 2.0], ground);
            let ink = if share > 0.5 { Colour(255, 255, 255) } else { INK };
            let middle = (x + across / 2.0, top + 0.62 * down);
            // Not "-0.00".
            let rounded = (r2 * 100.0).round() / 100.0 + 0.0;
            figure.text(middle, 12.0, ink, Anchor::Middle, &format!("{rounded:.2}"));
        }
    }
    figure
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
        for text in ["x (2)", "y (1)", "none of them (3)", "0.98", "0.02", "-0.01", "0.91", "0.05"]
        {
            assert!(svg.contains(&format!(">{text}</text>")), "{text} is missing: {svg}");
        }
        assert!(drawn(json!({"r2_diagonal": 1.0}).as_object().unwrap(), "t").is_none());
    }
}
