//! The five results of the paper, and what this study says of each.
//!
//! A result holds or does not by a rule that was written before any study was analysed, and that stands beside it on the
//! page. Where an interval reaches across the border of its rule, the study is too small to tell.

use serde_json::{Value as Json, json};

use super::agreement::{self, Group};
use super::finding::said;
use super::selection::{self, Target};
use super::statistics::Estimate;
use super::variance::{self, By, Kind};
use super::{Subject, correlation, downstream, seeds, transfer, unsupervised};

/// What a study says of a published result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is so here too.
    Holds,
    /// It is not so here.
    DoesNotHold,
    /// Intervals are too wide.
    Open,
    /// The study has not the numbers for it.
    NotAsked,
}

impl Verdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds here",
            Self::DoesNotHold => "does not hold here",
            Self::Open => "cannot be told: the intervals reach across the border of the rule",
            Self::NotAsked => "not asked: the study has not the numbers for it",
        }
    }

    /// By two tests of which at most one can be true.
    fn of(holds: bool, does_not: bool) -> Self {
        match (holds, does_not) {
            (true, _) => Self::Holds,
            (_, true) => Self::DoesNotHold,
            _ => Self::Open,
        }
    }
}

/// A result of the paper with our evidence.
#[derive(Clone, Debug)]
pub struct Conclusion {
    /// A short name.
    pub title: &'static str,
    /// What the paper finds.
    pub claim: &'static str,
    /// When we say that it holds.
    pub rule: &'static str,
    /// What this study says of it.
    pub verdict: Verdict,
    /// Our numbers, a sentence each.
    pub evidence: Vec<String>,
    /// The analyses that belong to it.
    pub analyses: &'static [&'static str],
}

impl Conclusion {
    pub(super) fn to_json(&self) -> Json {
        json!({
            "title": self.title,
            "claim": self.claim,
            "rule": self.rule,
            "verdict": self.verdict.words(),
            "evidence": self.evidence,
            "analyses": self.analyses,
        })
    }
}

/// The five, in the order of the paper.
pub(super) fn draw(subject: &Subject) -> Vec<Conclusion> {
    vec![
        uncorrelated(subject),
        agreeing(subject),
        seeds_matter(subject),
        no_recipe(subject),
        no_efficiency(subject),
    ]
}

/// A sentence with a number, if it is known.
fn sentence(words: &str, found: Option<Estimate>, share: bool) -> Option<String> {
    Some(format!("{words} {}.", said(&found?, share)))
}

fn uncorrelated(subject: &Subject) -> Conclusion {
    let trend = |of: &str| {
        let measure = subject.models.independence(of, "total-correlation")?;
        correlation::trend(subject, &measure)
    };
    let (larger, sampled, mean) = (correlation::larger(subject), trend("sampled"), trend("mean"));
    let verdict = match (larger, sampled, mean) {
        (Some(larger), Some(sampled), Some(mean)) => Verdict::of(
            larger.is_above(0.5) && sampled.is_below(0.0) && !mean.is_below(0.0),
            larger.is_below(0.5) || mean.is_below(0.0) || sampled.is_above(0.0),
        ),
        _ => Verdict::NotAsked,
    };
    Conclusion {
        title: "Uncorrelated samples, correlated means",
        claim: "Stronger regularisation makes codes that are drawn from the posterior less correlated, but not the posterior means \
                that are used as the representation.",
        rule: "It holds if the means are more correlated than the samples in more than half of the models, and if with the strength the total \
               correlation falls for samples and does not fall for means, each with its whole interval.",
        verdict,
        evidence: [
            sentence(
                "Share of models whose means are more correlated than their samples:",
                larger,
                true,
            ),
            sentence(
                "Rank correlation of strength and total correlation, samples:",
                sampled,
                false,
            ),
            sentence("The same for means:", mean, false),
        ]
        .into_iter()
        .flatten()
        .collect(),
        analyses: &["A3"],
    }
}

fn agreeing(subject: &Subject) -> Conclusion {
    let [alike, other, modularity] = [Group::Alike, Group::Other, Group::Modularity]
        .map(|group| agreement::among(subject, group));
    let verdict = match (alike, other) {
        (Some(alike), Some(other)) => Verdict::of(
            other.is_above(0.0)
                && alike.is_above(other.value)
                && modularity.is_none_or(|rank| rank.is_below(other.value)),
            other.is_below(0.0)
                || alike.is_below(other.value)
                || modularity.is_some_and(|rank| rank.is_above(other.value)),
        ),
        _ => Verdict::NotAsked,
    };
    Conclusion {
        title: "Metrics agree in part",
        claim: "All metrics but Modularity are mildly correlated; BetaVAE with FactorVAE, and MIG with DCI, strongly.",
        rule: "It holds if the mean rank correlation of other pairs is above zero, that of the two pairs above it, and that of \
               Modularity with the others below it, each with its whole interval.",
        verdict,
        evidence: [
            sentence("BetaVAE with FactorVAE, and MIG with DCI:", alike, false),
            sentence("Other pairs without Modularity:", other, false),
            sentence("Modularity with the others:", modularity, false),
        ]
        .into_iter()
        .flatten()
        .collect(),
        analyses: &["A4"],
    }
}

fn seeds_matter(subject: &Subject) -> Conclusion {
    let objective = variance::overall(subject, By::Objective, Kind::Adjusted);
    let both = variance::overall(subject, By::ObjectiveAndStrength, Kind::Adjusted);
    let verdict = objective
        .map_or(Verdict::NotAsked, |share| Verdict::of(share.is_below(0.5), share.is_above(0.5)));
    let theirs = |by| {
        let share = variance::theirs(subject, by);
        share.map_or(String::new(), |share| {
            format!(" (published, unadjusted: {:.0} %)", share * 100.0)
        })
    };
    let shares = [
        ("objective alone", By::Objective, objective),
        ("objective and strength", By::ObjectiveAndStrength, both),
    ];
    let mut evidence: Vec<String> = shares
        .into_iter()
        .filter_map(|(words, by, share)| {
            let words =
                format!("Variance of scores explained by {words}, adjusted, mean{}:", theirs(by));
            sentence(&words, share, true)
        })
        .collect();
    let chance = "A random run with the worst strength beats one with the best with a chance of";
    evidence.extend(sentence(chance, seeds::overall(subject), true));
    Conclusion {
        title: "Seeds and strengths matter more than the method",
        claim: "Scores depend more on the random seed and on the strength of the regularisation than on the objective.",
        rule: "It holds if the objective explains less than half of the variance of scores, on average over data sets and metrics, with its whole \
               interval.",
        verdict,
        evidence,
        analyses: &["A1", "A2", "A5", "A7"],
    }
}

fn no_recipe(subject: &Subject) -> Conclusion {
    let rate = |same_metric, same_data| selection::rate(subject, Target { same_metric, same_data });
    let (same, data, both) = (rate(true, true), rate(true, false), rate(false, false));
    let best = unsupervised::best(subject);
    let verdict = match (same, both.or(data)) {
        (Some(same), Some(far)) => {
            let half = f64::midpoint(same.value, 0.5);
            let weak = best.is_none_or(|size| size.is_below(0.5));
            let strong = best.is_some_and(|size| size.is_above(0.5));
            Verdict::of(far.is_below(half) && weak, far.is_above(half) || strong)
        }
        _ => Verdict::NotAsked,
    };
    Conclusion {
        title: "No recipe to choose a model without labels",
        claim: "Good settings transfer to other data sets and metrics only in part, nothing that is known without labels tells good models from bad \
                ones, and good seeds do not transfer at all.",
        rule: "It holds if a setting that was chosen by another metric on another data set keeps less than half of the advantage over chance that \
               it has by the same metric on the same data set, and if nothing that is known without labels has a mean rank correlation beyond 0.5 with the \
               metrics, each with its whole interval.",
        verdict,
        evidence: [
            sentence(
                "A chosen setting beats a random one, same metric and data set (published 80.7 %):",
                same,
                true,
            ),
            sentence("Same metric, another data set (published 59.3 %):", data, true),
            sentence("Another metric, another data set (published 54.9 %):", both, true),
            sentence(
                "Rank correlation of settings between data sets:",
                transfer::between_data(subject),
                false,
            ),
            sentence(
                "Largest |mean rank correlation| of a number that needs no labels:",
                best,
                false,
            ),
        ]
        .into_iter()
        .flatten()
        .collect(),
        analyses: &["A6", "A8", "A9", "A13"],
    }
}

fn no_efficiency(subject: &Subject) -> Conclusion {
    let [accuracy, efficiency] =
        [false, true].map(|efficient| downstream::overall(subject, efficient));
    let verdict = efficiency
        .map_or(Verdict::NotAsked, |rank| Verdict::of(rank.is_below(0.3), rank.is_above(0.3)));
    Conclusion {
        title: "No fewer labels downstream",
        claim: "Higher scores do not reliably mean that a downstream task needs fewer labelled rows.",
        rule: "It holds if the mean rank correlation of metrics with the sample efficiency is below 0.3, with its whole interval.",
        verdict,
        evidence: [
            sentence("Mean rank correlation of metrics with efficiency:", efficiency, false),
            sentence("With accuracy:", accuracy, false),
        ]
        .into_iter()
        .flatten()
        .collect(),
        analyses: &["A10", "A11"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_needs_its_whole_interval() {
        let found = |value: f64, half: f64| Estimate {
            value,
            interval: Some([value - half, value + half]),
        };
        let of = |share: Estimate| Verdict::of(share.is_below(0.5), share.is_above(0.5));
        assert_eq!(of(found(0.3, 0.1)), Verdict::Holds);
        assert_eq!(of(found(0.7, 0.1)), Verdict::DoesNotHold);
        assert_eq!(of(found(0.45, 0.1)), Verdict::Open);
        assert_eq!(of(Estimate { value: 0.1, interval: None }), Verdict::Open);
    }
}
