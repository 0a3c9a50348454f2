//! A8: do good settings of one data set stay good on another, or by another metric?

use super::finding::{Cell, Drawn, Finding, Grid, Picture, said};
use super::measures::Measure;
use super::models::Models;
use super::pictures::Map;
use super::statistics::{Estimate, estimate, mean, spearman};
use super::{Analysis, Subject, file_name, titles};
use crate::error::Result;

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A8",
    title: "Transfer of settings",
    about: "For each setting (method and strength) the mean of a score over seeds; Spearman's rank correlation over settings of these means \
            between two data sets by one metric, and between two metrics on one data set.",
    find,
};

/// A data set and a metric.
type Place<'a> = (usize, &'a Measure);

fn find(subject: &Subject) -> Result<Option<Finding>> {
    let models = subject.models;
    let scores = models.scores();
    if models.choices() < 3 {
        return Ok(None);
    }
    let mut found = Finding::default();
    let even = vec![1.0; models.seeds.len()];
    let sets = 0..models.data.len();
    let mut grid = Grid::new(
        "a8-data",
        "Rank correlation of settings between data sets",
        &["metric", "one", "other", "rank correlation"],
    );
    for measure in scores.iter().filter(|_| models.data.len() > 1) {
        for one in sets.clone() {
            for other in one + 1..models.data.len() {
                let of =
                    |weights: &[f64]| rank(models, [(one, measure), (other, measure)], weights);
                let rank = estimate(models.seeds.len(), [-1.0, 1.0], &subject.rng, of);
                let words =
                    [&measure.title, &models.data[one], &models.data[other]].map(Cell::words);
                grid.rows.push(words.into_iter().chain([Cell::estimate(rank)]).collect());
            }
        }
        let row = |one| {
            sets.clone()
                .map(move |other| (one, other))
                .map(|(one, other)| rank(models, [(one, measure), (other, measure)], &even))
        };
        let title = format!("{}: rank correlation of settings between data sets, %", measure.title);
        let cells = sets.clone().map(|one| row(one).collect()).collect();
        let map = Map { title: &title, rows: &models.data, columns: &models.data, cells };
        found.pictures.push(Picture {
            name: file_name(&["a8", &measure.title]),
            caption: format!("{title}."),
            drawn: Drawn::Marks(map.draw()),
        });
    }
    let names = titles(&scores);
    for (data, name) in models.data.iter().enumerate().filter(|_| scores.len() > 1) {
        let row = |one| {
            scores.iter().map(|other| rank(models, [(data, one), (data, other)], &even)).collect()
        };
        let title = format!("Rank correlation of settings between metrics on {name}, %");
        let map = Map {
            title: &title,
            rows: &names,
            columns: &names,
            cells: scores.iter().map(row).collect(),
        };
        found.pictures.push(Picture {
            name: file_name(&["a8-metrics", name]),
            caption: format!("{title}."),
            drawn: Drawn::Marks(map.draw()),
        });
    }
    if let Some(rank) = between_data(subject) {
        found.said.push(format!(
            "Between two data sets the ranks of settings have a correlation of {} on average over pairs and metrics.",
            said(&rank, false)
        ));
    }
    if !grid.rows.is_empty() {
        found.grids.push(grid);
    }
    Ok((!found.pictures.is_empty()).then_some(found))
}

/// The mean over metrics and pairs of data sets.
pub(super) fn between_data(subject: &Subject) -> Option<Estimate> {
    let (models, scores) = (subject.models, subject.models.scores());
    estimate(models.seeds.len(), [-1.0, 1.0], &subject.rng, |weights| {
        let mut all = Vec::new();
        for measure in &scores {
            for one in 0..models.data.len() {
                let others = one + 1..models.data.len();
                let ranks = others
                    .filter_map(|other| rank(models, [(one, measure), (other, measure)], weights));
                all.extend(ranks.map(|rank| (rank, 1.0)));
            }
        }
        mean(&all)
    })
}

/// The rank correlation over settings of the means at two places.
fn rank(models: &Models, [one, other]: [Place; 2], weights: &[f64]) -> Option<f64> {
    let [x, y] = [one, other].map(|(data, measure)| models.means(data, measure, weights));
    let pairs = x.into_iter().zip(y).filter_map(|(x, y)| Some((x?, y?, 1.0)));
    spearman(&pairs.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::super::models::tests::table;
    use super::*;

    #[test]
    fn ranks_are_those_of_means_over_seeds() {
        let mut rows = Vec::new();
        // Means on squares 1, 2, 3, 4, on cars3d 2, 1, 3, 4: one swap of neighbours, 1 - 6 · 2/(4 · 15) = 0.8.
        for (strength, [one, other]) in
            [[1.0, 2.0], [2.0, 1.0], [3.0, 3.0], [4.0, 4.0]].into_iter().enumerate()
        {
            for (seed, aside) in [-9.0, 9.0].into_iter().enumerate() {
                rows.push(("squares", "VAE", strength as f64, seed as i64, "mig", one + aside));
                rows.push(("cars3d", "VAE", strength as f64, seed as i64, "mig", other - aside));
            }
        }
        let models = Models::of(&[table(&rows)]).unwrap();
        let measure = &models.scores()[0];
        let found = rank(&models, [(0, measure), (1, measure)], &[1.0; 2]).unwrap();
        assert!((found - 0.8).abs() < 1e-12, "{found}");
    }
}
