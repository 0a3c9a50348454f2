//! A7: is there a best method, or a best strength?

use std::collections::BTreeSet;

use super::by_choice::{ByChoice, Sorted, mean};
use super::finding::{Cell, Drawn, Finding, Grid, Picture};
use super::pictures::{Content, Panels};
use super::statistics::{Estimate, estimate};
use super::{Analysis, Subject, file_name};

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A7",
    title: "Scores by strength",
    about: "The mean of a score over seeds against the place of the strength (1 is the first of the method), with bands from the lower to the \
            upper quartile, and the method and strength with the best mean on each data set by each metric.",
    find,
};

fn find(subject: &Subject) -> Option<Finding> {
    let models = subject.models;
    if models.strengths.iter().all(|strengths| strengths.len() < 2) {
        return None;
    }
    let mut found = Finding::default();
    let head = ["data", "metric", "best method and strength", "mean", "second", "its mean"];
    let mut grid = Grid::new("a7-best", "The best method and strength by mean over seeds", &head);
    let (mut winners, mut methods) = (BTreeSet::new(), BTreeSet::new());
    let mut contests = 0;
    for (data, name) in models.data.iter().enumerate() {
        let mut panels = Vec::new();
        for measure in models.scores() {
            let by_choice = ByChoice::of(models, data, &measure);
            if let Some([best, second]) = podium(&by_choice, &models.as_it_is()) {
                contests += 1;
                winners.insert(best);
                methods.insert(
                    models.choice_name(best).rsplit_once(',').map(|parts| parts.0.to_string()),
                );
                let of = |choice| Cell::estimate(mean_of(subject, by_choice.values(choice)));
                let name_of = |choice| Cell::words(models.choice_name(choice));
                grid.rows.push(vec![
                    Cell::words(name),
                    Cell::words(&measure.title),
                    name_of(best),
                    of(best),
                    name_of(second),
                    of(second),
                ]);
            }
            let lines =
                (0..models.methods.len()).map(|method| models.by_strength(data, method, &measure));
            let lines = Content::Lines { lines: lines.collect(), logarithmic: false };
            panels.push((measure.title, lines));
        }
        let title = format!("Scores by strength on {name}");
        let drawn = Panels {
            title: &title,
            contents: panels,
            below: "place of the strength",
            legend: &models.methods,
        }
        .draw();
        found.pictures.push(Picture {
            name: file_name(&["a7", name]),
            caption: format!("{title}."),
            drawn: Drawn::Marks(drawn),
        });
    }
    found.said.push(format!(
        "Of {contests} pairs of a data set and a metric, {} different settings are best, of {} different methods.",
        winners.len(),
        methods.len()
    ));
    found.grids.push(grid);
    Some(found)
}

/// The two choices with the best means.
fn podium(by_choice: &ByChoice, even: &[f64]) -> Option<[usize; 2]> {
    let means = by_choice.means(even);
    let mut order: Vec<(f64, usize)> =
        means.iter().enumerate().filter_map(|(choice, mean)| Some(((*mean)?, choice))).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    Some([order.first()?.1, order.get(1)?.1])
}

fn mean_of(subject: &Subject, values: &Sorted) -> Option<Estimate> {
    let seeds = subject.models.seeds.len();
    estimate(seeds, [f64::MIN, f64::MAX], &subject.rng, |weights| mean(values, weights))
}
