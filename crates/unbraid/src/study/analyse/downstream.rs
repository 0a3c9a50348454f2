//! A10: do models with better scores do better on the downstream task?

use super::crossed::Crossed;
use super::finding::{Finding, said};
use super::statistics::Estimate;
use super::{Analysis, Subject};

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A10",
    title: "The downstream task",
    about: "The task is to tell each factor from the codes, with logistic regression (LR) or boosted trees (GBT) and 10 to 10,000 labelled rows. \
            Spearman's rank correlation of its mean test accuracy with the metrics, over all models of a data set: the paper's figure 5. \
            Efficiency is the accuracy with 100 rows divided by that with 10,000.",
    find,
};

fn find(subject: &Subject) -> Option<Finding> {
    let (scores, tasks) = (subject.models.scores(), subject.models.downstream());
    if tasks.is_empty() {
        return None;
    }
    let crossed = Crossed {
        id: "a10",
        title: "Metrics against the downstream task",
        of: "metric",
        rows: &scores,
        columns: &tasks,
    };
    let (grids, pictures) = (vec![crossed.grid(subject)], crossed.maps(subject));
    let mut found = Finding { grids, pictures, ..Finding::default() };
    for (words, efficient) in [("accuracy", false), ("efficiency", true)] {
        if let Some(rank) = overall(subject, efficient) {
            found.said.push(format!(
                "The mean rank correlation of metrics with {words} is {} over data sets, metrics and predictors.",
                said(&rank, false)
            ));
        }
    }
    Some(found)
}

/// The mean rank correlation of metrics with accuracies, or with efficiencies.
pub(super) fn overall(subject: &Subject, efficient: bool) -> Option<Estimate> {
    subject.once(if efficient { "a10 efficiency" } else { "a10 accuracy" }, || {
        let mut tasks = subject.models.downstream();
        tasks.retain(|task| task.title.starts_with("Efficiency") == efficient);
        subject.mean_rank_of(&subject.models.scores(), &tasks)
    })
}
