//! A5: how much of the variance of a score do method and strength explain? What is left is due to seeds.

use super::finding::{Cell, Finding, Grid, said};
use super::measures::Measure;
use super::models::Models;
use super::statistics::{Estimate, estimate, explained, mean};
use super::{Analysis, Subject, published, titles};

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A5",
    title: "What explains the variance of scores",
    about: "The share R² = 1 − SS within / SS total of the variance of a score over the models of a data set that the objective explains, and \
            that objective and strength explain together; the rest is due to seeds. The paper's tables print R² without saying more: we take \
            all models and do not adjust. With few seeds R² is too large, by about (groups − 1)/(models − 1) if nothing explains anything, so \
            the adjusted R² stands beside it, which would be zero then.",
    find,
};

/// What models are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Objective,
    ObjectiveAndStrength,
}

/// R², or the adjusted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain = 0,
    Adjusted = 1,
}

fn find(subject: &Subject) -> Option<Finding> {
    let models = subject.models;
    let scores = models.scores();
    let mut found = Finding::default();
    for (by, name, words) in [
        (By::Objective, "a5-objective", "the objective"),
        (By::ObjectiveAndStrength, "a5-objective-and-strength", "objective and strength"),
    ] {
        for (kind, ending, word) in
            [(Kind::Plain, "", "R²"), (Kind::Adjusted, "-adjusted", "adjusted R²")]
        {
            let title = format!("Variance explained by {words}, {word}, %");
            let mut grid =
                Grid::new(&format!("{name}{ending}"), title, &["data"]).and(titles(&scores));
            for (data, data_name) in models.data.iter().enumerate() {
                let cell = |measure: &Measure| {
                    let of = |weights: &[f64]| share(models, data, measure, (by, kind), weights);
                    let ours = estimate(models.seeds.len(), range(kind), &subject.rng, of);
                    let with_strength = by == By::ObjectiveAndStrength;
                    let theirs = published::explained(with_strength, data_name, &measure.title);
                    Cell::share(ours, theirs.filter(|_| kind == Kind::Plain))
                };
                let row = std::iter::once(Cell::words(data_name)).chain(scores.iter().map(cell));
                grid.rows.push(row.collect());
            }
            found.grids.push(grid);
        }
        if let Some(share) = overall(subject, by, Kind::Adjusted) {
            let theirs = theirs(subject, by).map(|share| {
                format!(
                    "; the paper's shares of the same data sets and metrics have a mean of {:.0} %",
                    share * 100.0
                )
            });
            found.said.push(format!(
                "On average over data sets and metrics, {words} explain{} {} of the variance (adjusted){}.",
                if by == By::Objective { "s" } else { "" },
                said(&share, true),
                theirs.unwrap_or_default()
            ));
        }
    }
    found
        .grids
        .iter()
        .any(|grid| grid.rows.iter().flatten().any(|cell| matches!(cell, Cell::Estimate { .. })))
        .then_some(found)
}

/// An adjusted share may be below zero.
fn range(kind: Kind) -> [f64; 2] {
    if kind == Kind::Plain { [0.0, 1.0] } else { [-1.0, 1.0] }
}

fn share(
    models: &Models,
    data: usize,
    measure: &Measure,
    (by, kind): (By, Kind),
    weights: &[f64],
) -> Option<f64> {
    let group = |model| match by {
        By::Objective => Some(model).map(|model: &super::models::Model| model.method),
        By::ObjectiveAndStrength => Some(models.choice(model)),
    };
    let values = models.having(data, measure);
    let values: Vec<_> = values
        .filter_map(|(model, value)| Some((group(model)?, value, weights[model.seed])))
        .filter(|(.., weight)| *weight > 0.0)
        .collect();
    Some(explained(&values)?[kind as usize])
}

/// The mean share over data sets and metrics.
pub(super) fn overall(subject: &Subject, by: By, kind: Kind) -> Option<Estimate> {
    let (models, scores) = (subject.models, subject.models.scores());
    let of = |weights: &[f64]| {
        let pairs =
            (0..models.data.len()).flat_map(|data| scores.iter().map(move |one| (data, one)));
        let shares = pairs.filter_map(|(data, one)| share(models, data, one, (by, kind), weights));
        mean(&shares.map(|share| (share, 1.0)).collect::<Vec<_>>())
    };
    subject.once(&format!("a5 {by:?} {kind:?}"), || {
        estimate(models.seeds.len(), range(kind), &subject.rng, of)
    })
}

/// The mean of the published shares of these data sets and metrics.
pub(super) fn theirs(subject: &Subject, by: By) -> Option<f64> {
    let (models, scores) = (subject.models, subject.models.scores());
    let pairs = models.data.iter().flat_map(|data| scores.iter().map(move |one| (data, one)));
    let shares = pairs.filter_map(|(data, one)| {
        published::explained(by == By::ObjectiveAndStrength, data, &one.title)
    });
    mean(&shares.map(|share| (share, 1.0)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::super::models::tests::table;
    use super::*;

    /// Scores that are the sum of parts: method ±a, strength ±b, seed ±c. Each explains its square.
    #[test]
    fn shares_of_a_constructed_study_are_known() {
        let (a, b, c) = (0.3, 0.2, 0.1);
        let mut rows = Vec::new();
        for (method, one) in [("VAE", -a), ("TCVAE", a)] {
            for (strength, two) in [(1.0, -b), (4.0, b)] {
                for (seed, three) in [-c, c, -c, c].into_iter().enumerate() {
                    rows.push((
                        "dsprites",
                        method,
                        strength,
                        seed as i64,
                        "mig",
                        0.5 + one + two + three,
                    ));
                }
            }
        }
        let models = Models::of(&[table(&rows)]).unwrap();
        let of = |by, kind| share(&models, 0, &models.scores()[0], (by, kind), &[1.0; 4]).unwrap();
        let all = a * a + b * b + c * c;
        assert!((of(By::Objective, Kind::Plain) - a * a / all).abs() < 1e-12);
        let both = (a * a + b * b) / all;
        assert!((of(By::ObjectiveAndStrength, Kind::Plain) - both).abs() < 1e-12);
        let adjusted = 1.0 - (1.0 - both) * 15.0 / 12.0;
        assert!((of(By::ObjectiveAndStrength, Kind::Adjusted) - adjusted).abs() < 1e-12);
    }
}
