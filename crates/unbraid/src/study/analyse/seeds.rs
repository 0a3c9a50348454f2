//! A2: seeds against strengths. Does a good run with a bad strength beat a bad run with a good one?

use std::ops::Range;

use super::by_choice::{ByChoice, beats, mean};
use super::finding::{Cell, Drawn, Finding, Grid, Picture, said};
use super::measures::Measure;
use super::models::Models;
use super::pictures::{Content, Panels};
use super::statistics::{self, Estimate, estimate};
use super::{Analysis, Subject, file_name};

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A2",
    title: "Seeds against strengths",
    about: "For each method: the chance that a random run with its worst strength scores higher than a random run with its best one \
            (by mean over seeds; equal scores count half). 0 % would mean that seeds do not matter, 50 % that strengths do not. Best and \
            worst are found on the same runs, so with few seeds the chance comes out too low. The pictures show the FactorVAE score, \
            as the paper's figure 3, right.",
    find,
};

fn find(subject: &Subject) -> Option<Finding> {
    let models = subject.models;
    let scores = models.scores();
    if models.seeds.len() < 2 || models.strengths.iter().all(|strengths| strengths.len() < 2) {
        return None;
    }
    let mut found = Finding::default();
    let mut grid = Grid::new(
        "a2-seeds",
        "A run with the worst strength beats one with the best, %",
        &["data", "metric"],
    )
    .and(models.methods.iter());
    for (data, name) in models.data.iter().enumerate() {
        for measure in &scores {
            let mut row = vec![Cell::words(name), Cell::words(&measure.title)];
            let by_choice = ByChoice::of(models, data, measure);
            row.extend((0..models.methods.len()).map(|method| {
                let choices = models.choices_of(method);
                let chance = estimate(models.seeds.len(), [0.0, 1.0], &subject.rng, |weights| {
                    reversal(&by_choice, choices.clone(), weights)
                });
                Cell::share(chance, None)
            }));
            grid.rows.push(row);
        }
        let shown =
            scores.iter().find(|measure| measure.title == "FactorVAE").unwrap_or(&scores[0]);
        found.pictures.push(by_strength(models, data, shown));
    }
    if let Some(chance) = overall(subject) {
        found.said.push(format!(
            "On average over data sets, metrics and methods, a run with the worst strength beats one with the best with a \
             chance of {}.",
            said(&chance, true)
        ));
    }
    found.grids.push(grid);
    Some(found)
}

/// The mean chance over all data sets, metrics and methods.
pub(super) fn overall(subject: &Subject) -> Option<Estimate> {
    let models = subject.models;
    let all = models.by_choice();
    let chance = |weights: &[f64]| {
        let of = |by_choice: &ByChoice| -> Vec<Option<f64>> {
            let methods = 0..models.methods.len();
            methods.map(|method| reversal(by_choice, models.choices_of(method), weights)).collect()
        };
        let chances = all.iter().flat_map(of).flatten().map(|chance| (chance, 1.0));
        statistics::mean(&chances.collect::<Vec<_>>())
    };
    subject.once("a2", || estimate(models.seeds.len(), [0.0, 1.0], &subject.rng, chance))
}

/// P(a run with the worst strength scores higher than one with the best), among the choices of a method.
fn reversal(by_choice: &ByChoice, choices: Range<usize>, weights: &[f64]) -> Option<f64> {
    let means =
        choices.filter_map(|choice| Some((mean(by_choice.values(choice), weights)?, choice)));
    let mut order: Vec<(f64, usize)> = means.collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (worst, best) = (order.first()?.1, order.last()?.1);
    if worst == best {
        return None;
    }
    beats(by_choice.values(worst), by_choice.values(best), weights)
}

/// A panel for each method, a box for each strength.
fn by_strength(models: &Models, data: usize, measure: &Measure) -> Picture {
    let panel = |method: usize| {
        let values = |strength: usize| -> Vec<f64> {
            let mine = models.having(data, measure);
            mine.filter(|(model, _)| (model.method, model.strength) == (method, strength))
                .map(|(_, value)| value)
                .collect()
        };
        let names = models.strengths[method].iter().enumerate();
        let boxes = names.map(|(k, name)| (name.clone(), values(k))).collect();
        (models.methods[method].clone(), Content::Boxes(boxes))
    };
    let title = format!("{} by strength on {}", measure.title, models.data[data]);
    let panels = (0..models.methods.len()).map(panel).collect();
    let drawn = Panels { title: &title, contents: panels, below: "strength", legend: &[] }.draw();
    Picture {
        name: file_name(&["a2", &models.data[data]]),
        caption: format!("{title}. What a box spans is due to seeds alone."),
        drawn: Drawn::Marks(drawn),
    }
}

#[cfg(test)]
mod tests {
    use super::super::models::tests::table;
    use super::*;

    #[test]
    fn the_chance_is_that_of_all_pairs_of_runs() {
        let mut rows = Vec::new();
        // Means 0.2 and 0.3; of nine pairs the worst wins (0.4 against 0.1 and 0.35) twice.
        for (seed, (low, high)) in [(0.1, 0.1), (0.1, 0.35), (0.4, 0.45)].into_iter().enumerate() {
            rows.push(("squares", "VAE", 1.0, seed as i64, "mig", low));
            rows.push(("squares", "VAE", 4.0, seed as i64, "mig", high));
        }
        let models = Models::of(&[table(&rows)]).unwrap();
        let by_choice = ByChoice::of(&models, 0, &models.scores()[0]);
        // Twice it wins, twice it is equal to 0.1.
        let chance = reversal(&by_choice, 0..2, &[1.0; 3]).unwrap();
        assert!((chance - (2.0 + 2.0 * 0.5) / 9.0).abs() < 1e-12, "{chance}");
        // The first seed alone: both are equal.
        assert_eq!(reversal(&by_choice, 0..2, &[3.0, 0.0, 0.0]), Some(0.5));
    }
}
