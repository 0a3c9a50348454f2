//! A8: do good settings of one data set stay good on another, or by another metric?

use crate::draw::figure::{HeatMap, Scale};

use super::by_choice::ByChoice;
use super::finding::{Cell, Drawn, Finding, Grid, Picture, said};
use super::models::Models;
use super::statistics::{Estimate, Pairs, estimate, mean};
use super::{Analysis, Subject, file_name, titles};

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A8",
    title: "Transfer of settings",
    about: "For each setting (method and strength) the mean of a score over seeds; Spearman's rank correlation over settings of these means \
            between two data sets by one metric, and between two metrics on one data set.",
    find,
};

/// The mean of a score over seeds, for each setting.
type Means = Vec<Option<f64>>;

fn find(subject: &Subject) -> Option<Finding> {
    if subject.models.choices() < 3 {
        return None;
    }
    let mut found = Finding::default();
    if subject.models.data.len() > 1 {
        found.grids.push(grid(subject));
    }
    found.pictures = maps(subject.models);
    if let Some(rank) = between_data(subject) {
        found.said.push(format!(
            "Between two data sets the ranks of settings have a correlation of {} on average over pairs and metrics.",
            said(&rank, false)
        ));
    }
    (!found.pictures.is_empty()).then_some(found)
}

/// Each pair of data sets by each metric.
fn grid(subject: &Subject) -> Grid {
    let models = subject.models;
    let mut grid = Grid::new(
        "a8-data",
        "Rank correlation of settings between data sets",
        &["metric", "one", "other", "rank correlation"],
    );
    for measure in models.scores() {
        let sets = 0..models.data.len();
        let sets: Vec<_> = sets.map(|data| ByChoice::of(models, data, &measure)).collect();
        for one in 0..sets.len() {
            for other in one + 1..sets.len() {
                let of = |weights: &[f64]| {
                    let [x, y] = [one, other].map(|data| sets[data].means(weights));
                    rank(&x, &y)
                };
                let rank = estimate(models.seeds.len(), [-1.0, 1.0], &subject.rng, of);
                let words =
                    [&measure.title, &models.data[one], &models.data[other]].map(Cell::words);
                grid.rows.push(words.into_iter().chain([Cell::estimate(rank)]).collect());
            }
        }
    }
    grid
}

/// A map for each metric over data sets, and one for each data set over metrics.
fn maps(models: &Models) -> Vec<Picture> {
    let (scores, even) = (models.scores(), models.as_it_is());
    let map = |(name, title): (String, String), names: &[String], means: Vec<Means>| {
        let row = |one: &Means| means.iter().map(|other| rank(one, other)).collect();
        let cells = means.iter().map(row).collect();
        let drawn = HeatMap {
            title: &title,
            legend: "",
            rows: names,
            columns: names,
            cells,
            scale: Scale::Correlation,
            framed: vec![],
        }
        .draw();
        Picture { name, caption: format!("{title}."), drawn: Drawn::Marks(drawn) }
    };
    let mut pictures = Vec::new();
    for measure in scores.iter().filter(|_| models.data.len() > 1) {
        let title = format!("{}: rank correlation of settings between data sets, %", measure.title);
        let means =
            (0..models.data.len()).map(|data| ByChoice::of(models, data, measure).means(&even));
        let name = file_name(&["a8", &measure.title]);
        pictures.push(map((name, title), &models.data, means.collect()));
    }
    for (data, name) in models.data.iter().enumerate().filter(|_| scores.len() > 1) {
        let title = format!("Rank correlation of settings between metrics on {name}, %");
        let means = scores.iter().map(|measure| ByChoice::of(models, data, measure).means(&even));
        let name = file_name(&["a8-metrics", name]);
        pictures.push(map((name, title), &titles(&scores), means.collect()));
    }
    pictures
}

/// The mean over metrics and pairs of data sets.
pub(super) fn between_data(subject: &Subject) -> Option<Estimate> {
    let (sets, all) = (subject.models.data.len(), subject.models.by_choice());
    let rank_of = |weights: &[f64]| {
        let means: Vec<Means> = all.iter().map(|by_choice| by_choice.means(weights)).collect();
        let mut all = Vec::new();
        for means in means.chunks(sets) {
            for (k, one) in means.iter().enumerate() {
                let ranks = means[k + 1..].iter().filter_map(|other| rank(one, other));
                all.extend(ranks.map(|rank| (rank, 1.0)));
            }
        }
        mean(&all)
    };
    let seeds = subject.models.seeds.len();
    subject.once("a8", || estimate(seeds, [-1.0, 1.0], &subject.rng, rank_of))
}

/// The rank correlation over settings of two lists of means.
fn rank(x: &Means, y: &Means) -> Option<f64> {
    let pairs = x.iter().zip(y).filter_map(|(x, y)| Some(((*x)?, (*y)?, 0)));
    Pairs::of(&pairs.collect::<Vec<_>>()).spearman(&[1.0])
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
        let [x, y] = [0, 1].map(|data| ByChoice::of(&models, data, measure).means(&[1.0; 2]));
        let found = rank(&x, &y).unwrap();
        assert!((found - 0.8).abs() < 1e-12, "{found}");
    }
}
