//! Published numbers, to stand beside ours: what was read in the paper itself, or in slides that print its
//! tables (the Higgins scores, the bounds of the Ladder VAE).

mod actions;
mod sequences;

/// A score that a paper reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The model, by its name in our registry, where it has one.
    pub model: &'static str,
    /// The data set, by its name in our registry.
    pub data: &'static str,
    /// The concepts or factors, where they are some of those the data have.
    pub concepts: Option<&'static str>,
    /// The metric, by its name in our registry.
    pub metric: &'static str,
    /// The mean, in the unit of the metric.
    pub value: f64,
    /// What is printed behind ±: the standard error, where the paper says what it is.
    pub error: f64,
    /// Where it is printed.
    pub source: &'static str,
}

/// What is published of this model on these data by this metric. Scores of one set of concepts among
/// several are not found: the name of the data does not say which set is meant.
pub fn find(model: &str, data: &str, metric: &str) -> Option<Published> {
    find_of(model, data, metric, None)
}

/// The same for one set of concepts.
pub fn find_of(model: &str, data: &str, metric: &str, concepts: Option<&str>) -> Option<Published> {
    let asked = |entry: &Published| {
        (entry.model, entry.data, entry.metric, entry.concepts) == (model, data, metric, concepts)
    };
    all().find(asked)
}

/// Every published number.
pub fn all() -> impl Iterator<Item = Published> {
    let higgins = HIGGINS.iter().map(|line| {
        let (model, value, error) = *line;
        let (value, error) = (value / 100.0, error / 100.0);
        let source = "Higgins et al., beta-VAE, ICLR 2017, Figure 6";
        let (data, metric) = ("dsprites", "higgins-score");
        let concepts = Some("four factors");
        Published { model, data, concepts, metric, value, error, source }
    });
    CAUSAL_VAE
        .iter()
        .flat_map(Line::entries)
        .chain(higgins)
        .chain(sequences::all())
        .chain(actions::all())
}

/// The Higgins score on dSprites, in percent, and what is printed behind ±. It asks for scale, orientation
/// and the two positions, so it does not stand beside scores that ask for shape too.
const HIGGINS: [(&str, f64, f64); 9] = [
    ("truth", 100.0, 0.0),
    ("raw", 45.75, 0.8),
    ("pca", 84.9, 0.4),
    ("ica", 42.03, 10.6),
    ("dc-ign", 99.3, 0.1),
    ("info-gan", 73.5, 0.9),
    ("untrained", 44.14, 2.5),
    ("vae", 61.58, 0.5),
    ("beta-vae", 99.23, 0.1),
];

/// The bound of log p(x), in nats, of a method of Sønderby et al., Ladder Variational Autoencoders, NIPS
/// 2016, by its name in their table and its number of layers.
pub fn log_likelihood(data: &str, method: &str, layers: usize) -> Option<f64> {
    let column = LADDER_METHODS.iter().position(|name| *name == method)?;
    let table: &[[f64; 4]] = match data {
        "omniglot" => &OMNIGLOT,
        "mnist" => &MNIST,
        _ => return None,
    };
    table.get(layers.checked_sub(1)?).map(|row| row[column]).filter(|value| value.is_finite())
}

const LADDER_METHODS: [&str; 4] = ["VAE", "VAE +BN", "VAE +BN +WU", "LVAE +BN +WU"];

/// From 1 to 5 layers.
const OMNIGLOT: [[f64; 4]; 5] = [
    [-111.21, -105.62, -104.51, f64::NAN],
    [-110.58, -105.51, -102.61, -102.63],
    [-111.26, -106.09, -102.52, -102.18],
    [-111.58, -105.66, -102.66, -102.21],
    [-110.46, -105.45, -102.48, -102.11],
];

/// Only that of five layers is printed as a number.
const MNIST: [[f64; 4]; 5] = {
    let mut table = [[f64::NAN; 4]; 5];
    table[4][3] = -82.12;
    table
};

/// A line of a table of MIC and TIC: each a mean and its standard error, in percent.
struct Line {
    model: &'static str,
    data: &'static str,
    concepts: Option<&'static str>,
    mic: (f64, f64),
    tic: (f64, f64),
}

impl Line {
    fn entries(&self) -> [Published; 2] {
        let &Self { model, data, concepts, mic, tic } = self;
        let source = "Yang et al., CausalVAE, CVPR 2021, Table 1";
        [("mic", mic), ("tic", tic)].map(|(metric, (mean, error))| Published {
            model,
            data,
            concepts,
            metric,
            value: mean / 100.0,
            error: error / 100.0,
            source,
        })
    }
}

const fn on(data: &'static str, model: &'static str, mic: (f64, f64), tic: (f64, f64)) -> Line {
    Line { model, data, concepts: None, mic, tic }
}

const fn of_faces(
    concepts: &'static str,
    model: &'static str,
    mic: (f64, f64),
    tic: (f64, f64),
) -> Line {
    Line { model, data: "celeba", concepts: Some(concepts), mic, tic }
}

/// Table 1 of CausalVAE: all images were trained on, and all were scored.
const CAUSAL_VAE: [Line; 20] = [
    on("pendulum", "causal-vae", (95.1, 2.4), (81.6, 1.9)),
    on("pendulum", "condition-vae", (93.8, 3.3), (80.5, 1.4)),
    on("pendulum", "beta-vae", (22.6, 4.6), (12.5, 2.2)),
    on("pendulum", "causal-vae-unsup", (21.2, 1.4), (12.0, 1.0)),
    on("pendulum", "ladder-vae", (22.4, 3.1), (12.8, 1.2)),
    on("flow", "causal-vae", (72.1, 1.3), (56.4, 1.6)),
    on("flow", "condition-vae", (75.5, 2.3), (56.5, 1.8)),
    on("flow", "beta-vae", (23.6, 3.2), (12.5, 0.6)),
    on("flow", "causal-vae-unsup", (22.8, 2.7), (12.4, 1.4)),
    on("flow", "ladder-vae", (34.3, 4.3), (24.4, 1.5)),
    of_faces("smile", "causal-vae", (83.7, 6.2), (71.6, 7.2)),
    of_faces("smile", "condition-vae", (78.8, 10.9), (66.1, 12.1)),
    of_faces("smile", "beta-vae", (22.5, 1.2), (9.92, 1.2)),
    of_faces("smile", "causal-vae-unsup", (27.2, 5.3), (14.6, 4.2)),
    of_faces("smile", "ladder-vae", (23.5, 3.0), (10.3, 1.6)),
    of_faces("beard", "causal-vae", (92.3, 5.6), (83.3, 8.6)),
    of_faces("beard", "condition-vae", (89.8, 6.2), (78.7, 7.7)),
    of_faces("beard", "beta-vae", (22.4, 1.9), (9.82, 2.2)),
    // As printed, though TIC can hardly exceed MIC: the two may be swapped.
    of_faces("beard", "causal-vae-unsup", (11.4, 1.5), (20.0, 2.2)),
    of_faces("beard", "ladder-vae", (23.5, 3.0), (8.1, 1.2)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use unbraid_measure::{data, metrics};

    #[test]
    fn a_number_is_found_by_model_data_and_metric_in_the_unit_of_the_metric() {
        let found = find("causal-vae", "pendulum", "mic").unwrap();
        assert!((found.value - 0.951).abs() < 1e-12 && (found.error - 0.024).abs() < 1e-12);
        let found = find("ladder-vae", "flow", "tic").unwrap();
        assert!((found.value - 0.244).abs() < 1e-12, "{found:?}");
        assert_eq!(find("causal-vae", "pendulum", "mcc"), None);
        assert_eq!(find("causal-vae", "squares", "mic"), None);
        assert_eq!(find("vae", "dsprites", "higgins-score"), None);
        let found = find_of("vae", "dsprites", "higgins-score", Some("four factors")).unwrap();
        assert!((found.value - 0.6158).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn faces_are_not_found_by_the_name_of_the_data_alone() {
        assert_eq!(find("causal-vae", "celeba", "mic"), None);
        assert_eq!(all().filter(|entry| entry.concepts == Some("smile")).count(), 10);
    }

    #[test]
    fn every_entry_names_data_and_a_metric_of_ours_and_lies_in_its_range() {
        assert_eq!(all().count(), 49 + 20 + 32 + 8);
        for entry in all() {
            assert!(data::find(entry.data).is_ok(), "{entry:?}");
            // Those of sequences are parts of `alignment`, and triplets.
            let of_sequences = sequences::all().any(|other| other == entry);
            let name = if of_sequences { "alignment" } else { entry.metric };
            // Accuracies of actions are of no metric: they are shares.
            let range = match actions::all().any(|other| other == entry) {
                true => 0.0..=1.0,
                false => {
                    let reading = metrics::find(name).unwrap().reading();
                    reading.low..=reading.high
                }
            };
            assert!(range.contains(&entry.value), "{entry:?}");
            assert!((0.0..0.2).contains(&entry.error), "{entry:?}");
        }
    }
}
