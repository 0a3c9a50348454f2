//! A3: are the codes uncorrelated? Those that are drawn, and the means that are used.

use super::finding::{Cell, Drawn, Finding, Grid, Picture, said};
use super::measures::Measure;
use super::models::Models;
use super::pictures::{Content, Panels};
use super::statistics::{Estimate, Pairs, estimate};
use super::{Analysis, Subject, file_name};

pub(super) const ANALYSIS: Analysis = Analysis {
    id: "A3",
    title: "Correlation of the codes",
    about: "The total correlation of a Gaussian fitted to codes that are drawn from the posterior (sampled) and to posterior means, \
            against the strength (1 is the first of the method): the paper's figure 1. The tables give, for the total correlation and other \
            measures of dependence, the rank correlation with the strength over all models of a method. The capacity of an \
            AnnealedVAE works the other way: more of it is less regularised, and the paper leaves it out of its figure.",
    find,
};

/// Measures of dependence: what the results call them, and we.
const DEPENDENCE: [(&str, &str); 4] = [
    ("total-correlation", "TC"),
    ("wasserstein", "Wasserstein"),
    ("wasserstein/normalised", "Wasserstein, normalised"),
    ("mutual-info", "mutual information"),
];

fn find(subject: &Subject) -> Option<Finding> {
    let models = subject.models;
    let both = ["sampled", "mean"].map(|of| models.independence(of, "total-correlation"));
    let [Some(sampled), Some(mean)] = &both else { return None };
    let mut found = Finding::default();
    for (data, name) in models.data.iter().enumerate() {
        found.pictures.extend(draw(models, data, name, [sampled, mean]));
    }
    found.grids.push(with_strength(subject));
    if let Some(share) = larger(subject) {
        found.said.push(format!(
            "The means are more correlated than the samples in {} of models.",
            said(&share, true)
        ));
    }
    for (of, measure) in [("samples", sampled), ("means", mean)] {
        if let Some(rank) = trend(subject, measure) {
            found.said.push(format!(
                "The rank correlation of the strength with the TC of {of} is {} on average over data sets and methods (AnnealedVAE left \
                 out).",
                said(&rank, false)
            ));
        }
    }
    Some(found)
}

/// The share of models whose means are more correlated than their samples.
pub(super) fn larger(subject: &Subject) -> Option<Estimate> {
    let models = subject.models;
    let [sampled, mean] = [
        models.independence("sampled", "total-correlation")?,
        models.independence("mean", "total-correlation")?,
    ];
    estimate(models.seeds.len(), [0.0, 1.0], &subject.rng, |weights| {
        let above = |model| Some(f64::from(u8::from(mean.of(model)? > sampled.of(model)?)));
        let all = models.all.iter().filter_map(|model| Some((above(model)?, weights[model.seed])));
        super::statistics::mean(&all.collect::<Vec<_>>())
    })
}

/// The rank correlation of a number with the strength, averaged over data sets and methods but AnnealedVAE.
pub(super) fn trend(subject: &Subject, measure: &Measure) -> Option<Estimate> {
    let models = subject.models;
    let methods = (0..models.methods.len()).filter(|method| !is_reversed(&models.methods[*method]));
    let of = |method| (0..models.data.len()).map(move |data| with(models, (data, method), measure));
    subject.mean_rank(&methods.flat_map(of).collect::<Vec<_>>())
}

/// Whether more of its strength is less regularisation.
fn is_reversed(method: &str) -> bool {
    method.to_lowercase().contains("annealed")
}

/// The strength and a number of each model of a method on a data set.
fn with(models: &Models, (data, method): (usize, usize), measure: &Measure) -> Pairs {
    let mine = models.having(data, measure).filter(|(model, _)| model.method == method);
    let pairs = mine.map(|(model, value)| (model.strength as f64, value, model.seed));
    Pairs::of(&pairs.collect::<Vec<_>>())
}

fn with_strength(subject: &Subject) -> Grid {
    let models = subject.models;
    let title = "Rank correlation of dependence with the strength";
    let mut grid =
        Grid::new("a3-strength", title, &["data", "measure", "codes"]).and(models.methods.iter());
    for (data, name) in models.data.iter().enumerate() {
        for (metric, title) in DEPENDENCE {
            for of in ["sampled", "mean"] {
                let Some(measure) = models.independence(of, metric) else { continue };
                let mut row = [name.as_str(), title, of].map(Cell::words).to_vec();
                row.extend((0..models.methods.len()).map(|method| {
                    Cell::estimate(subject.rank(&with(models, (data, method), &measure)))
                }));
                grid.rows.push(row);
            }
        }
    }
    grid
}

/// TC against strength, of samples and of means, and the one against the other.
fn draw(models: &Models, data: usize, name: &str, both: [&Measure; 2]) -> Option<Picture> {
    let panel = |words: &str, measure: &Measure| {
        let lines = (0..models.methods.len())
            .map(|method| models.by_strength(data, method, measure))
            .collect();
        (format!("TC of {words}"), Content::Lines { lines, logarithmic: true })
    };
    let pair =
        |model: &super::models::Model| Some((model.method, both[0].of(model)?, both[1].of(model)?));
    let dots: Vec<_> = models.on(data).filter_map(pair).collect();
    if dots.is_empty() {
        return None;
    }
    let title = format!("Correlation of the codes on {name}");
    let panels = vec![
        panel("samples", both[0]),
        panel("means", both[1]),
        (
            "TC of means against TC of samples".into(),
            Content::Dots { dots, logarithmic: true, identity: true },
        ),
    ];
    let drawn =
        Panels { title: &title, contents: panels, below: "", legend: &models.methods }.draw();
    Some(Picture {
        name: file_name(&["a3", name]),
        caption: format!(
            "{title}: total correlation in nats against the place of the strength, mean over seeds, bands from the lower to the upper quartile. \
             Right: a dot is a model; above the line its means are more correlated than its samples."
        ),
        drawn: Drawn::Marks(drawn),
    })
}
