//! A1: how scores are spread, by method.

use super::finding::{Cell, Drawn, Finding, Grid, Picture};
use super::pictures::{Content, Panels};
use super::statistics::quantile;
use super::{Analysis, Subject, file_name};

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A1",
    title: "Scores by method",
    about: "All models of a method on a data set, whatever their strength and seed: the paper's figure 3, left. Boxes go from the \
            lower to the upper quartile; the thick line is the median.",
    find,
};

fn find(subject: &Subject) -> Option<Finding> {
    let models = subject.models;
    let mut found = Finding::default();
    let head = [
        "data",
        "metric",
        "method",
        "models",
        "median",
        "quarter",
        "three quarters",
        "worst",
        "best",
    ];
    let mut grid = Grid::new("a1-scores", "Scores by data set, metric and method", &head);
    let (mut overlapping, mut pairs) = (0, 0);
    for (data, name) in models.data.iter().enumerate() {
        let mut panels = Vec::new();
        for measure in models.scores() {
            let mut groups = vec![Vec::new(); models.methods.len()];
            models
                .having(data, &measure)
                .for_each(|(model, value)| groups[model.method].push(value));
            for (method, values) in
                groups.iter().enumerate().filter(|(_, values)| !values.is_empty())
            {
                let mut row =
                    [name, &measure.title, &models.methods[method]].map(Cell::words).to_vec();
                row.push(Cell::Count(values.len()));
                row.extend(
                    [0.5, 0.25, 0.75, 0.0, 1.0].map(|share| Cell::Number(quantile(values, share))),
                );
                grid.rows.push(row);
            }
            let spans: Vec<[f64; 2]> = groups
                .iter()
                .filter(|values| !values.is_empty())
                .map(|values| [quantile(values, 0.0), quantile(values, 1.0)])
                .collect();
            for (k, one) in spans.iter().enumerate() {
                let others = &spans[k + 1..];
                pairs += others.len();
                overlapping +=
                    others.iter().filter(|other| one[0] <= other[1] && other[0] <= one[1]).count();
            }
            let named = groups.into_iter().enumerate().map(|(k, values)| (k.to_string(), values));
            panels.push((measure.title, Content::Boxes(named.collect())));
        }
        let legend: Vec<String> =
            models.methods.iter().enumerate().map(|(k, name)| format!("{k} {name}")).collect();
        let title = format!("Scores by method on {name}");
        let drawn =
            Panels { title: &title, contents: panels, below: "method", legend: &legend }.draw();
        found.pictures.push(Picture {
            name: file_name(&["a1", name]),
            caption: format!("{title}. A dot is a model, where they are few."),
            drawn: Drawn::Marks(drawn),
        });
    }
    if pairs > 0 {
        found.said.push(format!(
            "Of {pairs} pairs of methods (on a data set, by a metric), {overlapping} overlap: the worst model of the one is no \
             better than the best of the other, and the other way round."
        ));
    }
    let any = !grid.rows.is_empty();
    found.grids.push(grid);
    any.then_some(found)
}
