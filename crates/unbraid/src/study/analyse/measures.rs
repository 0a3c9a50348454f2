//! The numbers that analyses compare: supervised scores, numbers that need no labels, and what a downstream task gets.

use unbraid_measure::metrics::{self, Better, Needs};

use super::models::{Key, Model, Models};

/// The six metrics of the study, as its tables call them and as ours do.
const HEADLINES: [(&str, &str); 6] = [
    ("BetaVAE", "beta-vae-score"),
    ("FactorVAE", "factor-vae-score"),
    ("MIG", "mig"),
    ("DCI", "dci"),
    ("Modularity", "modularity"),
    ("SAP", "sap"),
];

/// What is known without labels: a name, what it is of, and the numbers of which it is the sum. The ELBO is negated, as
/// in the log: less is better of the first three.
const UNSUPERVISED: [(&str, &str, &[&str]); 9] = [
    ("Reconstruction", "training", &["reconstruction"]),
    ("KL", "training", &["kl"]),
    ("−ELBO", "training", &["reconstruction", "kl"]),
    ("TC (sampled)", "sampled", &["total-correlation"]),
    ("TC (mean)", "mean", &["total-correlation"]),
    ("Wasserstein (sampled)", "sampled", &["wasserstein"]),
    ("Wasserstein (mean)", "mean", &["wasserstein"]),
    ("MI (sampled)", "sampled", &["mutual-info"]),
    ("MI (mean)", "mean", &["mutual-info"]),
];

/// The two predictors of the downstream task, and how many rows they learn from.
const PREDICTORS: [(&str, &str); 2] = [("LR", "downstream-lr"), ("GBT", "downstream-gbt")];
const ROWS: [usize; 4] = [10, 100, 1000, 10_000];

/// A number of a model under a name: a sum of numbers that it has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measure {
    pub(crate) title: String,
    keys: Vec<Key>,
}

impl Measure {
    /// Its value of a model, if all numbers are there.
    pub(crate) fn of(&self, model: &Model) -> Option<f64> {
        self.keys.iter().map(|key| model.number(*key)).sum()
    }
}

impl Models {
    /// A number under a name.
    fn measure(&self, title: &str, of: &str, names: &[impl AsRef<str>]) -> Option<Measure> {
        let keys: Option<Vec<Key>> = names.iter().map(|name| self.key(of, name.as_ref())).collect();
        Some(Measure { title: title.into(), keys: keys? })
    }

    /// The scores of mean codes that need labels: the six of the study first, then others that are better if higher.
    pub(crate) fn scores(&self) -> Vec<Measure> {
        let of_study = HEADLINES.iter();
        let mut found: Vec<Measure> =
            of_study.filter_map(|(title, name)| self.measure(title, "mean", &[name])).collect();
        let other = |key: &Key| {
            let name = self.name(*key);
            let known = HEADLINES.iter().chain(&PREDICTORS).any(|(_, other)| *other == name);
            let metric = metrics::find(name).ok().filter(|_| !known);
            metric.is_some_and(|metric| {
                metric.reading().better == Better::Higher
                    && matches!(metric.needs(), Needs::Factors | Needs::Split)
            })
        };
        let others = self.keys_of("mean").filter(other);
        found.extend(others.map(|key| Measure { title: self.name(key).into(), keys: vec![key] }));
        found
    }

    /// What is known without labels.
    pub(crate) fn unsupervised(&self) -> Vec<Measure> {
        let of = |(title, of, names): &(&str, &str, &[&str])| self.measure(title, of, names);
        UNSUPERVISED.iter().filter_map(of).collect()
    }

    /// Accuracies of the downstream task by predictor and rows, then efficiencies: the accuracy with 100 rows divided
    /// by that with 10,000.
    pub(crate) fn downstream(&self) -> Vec<Measure> {
        let mut found = Vec::new();
        for (short, name) in PREDICTORS {
            found.extend(ROWS.iter().filter_map(|rows| {
                self.measure(&format!("{short}{rows}"), "mean", &[format!("{name}/test/{rows}")])
            }));
        }
        found.extend(PREDICTORS.iter().filter_map(|(short, _)| self.efficiency(short)));
        found
    }

    /// The efficiency of a predictor, `LR` or `GBT`.
    pub(crate) fn efficiency(&self, short: &str) -> Option<Measure> {
        let (short, name) = PREDICTORS.iter().find(|(known, _)| *known == short)?;
        let title = format!("Efficiency ({short})");
        self.measure(&title, "mean", &[format!("{name}/statistical_efficiency")])
    }

    /// A number of independence, by what it is of: (`sampled`, `total-correlation`).
    pub(crate) fn independence(&self, of: &str, metric: &str) -> Option<Measure> {
        self.measure(metric, of, &[metric])
    }
}

#[cfg(test)]
mod tests {
    use super::super::models::tests::of;
    use super::*;

    #[test]
    fn measures_are_found_in_the_order_of_the_study_and_sums_need_all_parts() {
        let row = |kind, metric, value| ("squares", "VAE", 1.0, 0, kind, metric, value);
        let table = of(&[
            row("mean", "mcc", 0.9),
            row("mean", "sap", 0.1),
            row("mean", "mig", 0.2),
            row("mean", "downstream-gbt", 0.5),
            row("mean", "downstream-gbt/test/100", 0.5),
            row("mean", "downstream-gbt/statistical_efficiency", 0.8),
            row("mean", "total-correlation", 0.3),
            row("training", "reconstruction", 20.0),
            row("training", "kl", 3.0),
        ]);
        let models = Models::of(&[table]).unwrap();
        let titles =
            |found: Vec<Measure>| found.into_iter().map(|one| one.title).collect::<Vec<_>>();
        assert_eq!(titles(models.scores()), ["MIG", "SAP", "mcc"]);
        assert_eq!(titles(models.unsupervised()), ["Reconstruction", "KL", "−ELBO", "TC (mean)"]);
        assert_eq!(titles(models.downstream()), ["GBT100", "Efficiency (GBT)"]);
        assert_eq!(models.unsupervised()[2].of(&models.all[0]), Some(23.0));
        assert_eq!(models.unsupervised()[2].of(&Model::default()), None);
    }
}
