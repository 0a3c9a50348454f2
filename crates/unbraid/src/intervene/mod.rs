//! Interventions: what rows would have been, had some concepts had other values; as numbers and as
//! pictures, beside what the simulator says where the data are one.

pub mod effects;
pub mod graph;
mod reader;

use image::RgbImage;
use ndarray::{Array2, Axis};
use unbraid_measure::data::{self, Dataset, Do};

use crate::draw::picture::{PAPER, Sheet, Strip, tile};
use crate::error::{Error, Result};
use crate::figures::traverse::no_image;
use crate::model::batch::Seen;
use crate::model::learner::{Intervened, Learner};
use crate::parts::concepts::scaling;

/// Values of a sweep.
pub const STOPS: usize = 7;
/// The share of the rows left out at each end of a sweep.
const TAIL: f64 = 0.025;

/// A concept, by which an intervention is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Concept {
    /// Its name: that of the factor.
    pub name: String,
    /// The values it has in the data, rising.
    sorted: Vec<f32>,
}

impl Concept {
    /// Those of the data, in the order of the labels.
    pub fn all(data: &dyn Dataset, rows: &[usize]) -> Result<Vec<Self>> {
        let labels = data::labels(data, rows).ok_or_else(|| {
            Error::Unable("the data have no labels, so there are no concepts to set".into())
        })?;
        let concept = |(k, column): (usize, ndarray::ArrayView1<f32>)| {
            let mut sorted = column.to_vec();
            sorted.sort_by(f32::total_cmp);
            Self { name: scaling::name(data, k), sorted }
        };
        Ok(labels.axis_iter(Axis(1)).enumerate().map(concept).collect())
    }

    /// Its least and its largest value.
    pub fn range(&self) -> [f32; 2] {
        [self.quantile(0.0), self.quantile(1.0)]
    }

    /// The value below which this share of the rows is.
    pub fn quantile(&self, share: f64) -> f32 {
        self.sorted[((self.sorted.len() - 1) as f64 * share).round() as usize]
    }

    /// Even steps through nearly all of its range.
    pub fn sweep(&self) -> Vec<f32> {
        let (low, high) = (self.quantile(TAIL), self.quantile(1.0 - TAIL));
        let at = |k: usize| low + (high - low) * k as f32 / (STOPS - 1) as f32;
        (0..STOPS).map(at).collect()
    }
}

/// Read `name=value` texts; also says which values the data do not have.
pub fn parse(texts: &[String], known: &[Concept]) -> Result<(Vec<Do>, Vec<String>)> {
    let mut dos: Vec<Do> = Vec::new();
    let mut warnings = Vec::new();
    for text in texts {
        let form = || Error::Unable(format!("`--do {text}` is not of the form NAME=VALUE"));
        let (name, value) = text.split_once('=').ok_or_else(form)?;
        let (name, value) = (name.trim(), value.trim());
        let factor = known.iter().position(|concept| concept.name == name).ok_or_else(|| {
            let names = || known.iter().map(|concept| concept.name.as_str());
            let hint = unbraid_measure::info::did_you_mean(name, names());
            let all = names().collect::<Vec<_>>().join(", ");
            Error::Unable(format!("unknown concept `{name}`{hint} (known: {all})"))
        })?;
        let value: f32 =
            value.parse().ok().filter(|v: &f32| v.is_finite()).ok_or_else(|| {
                Error::Unable(format!("`--do {text}`: \"{value}\" is not a number"))
            })?;
        if dos.iter().any(|set| set.factor == factor) {
            return Err(Error::Unable(format!("`{name}` is set twice; it can have one value")));
        }
        let [low, high] = known[factor].range();
        if value < low || value > high {
            warnings.push(format!(
                "{name}={value} is outside of the data, where it goes from {low} to {high}: what \
                 the model says of it is a guess"
            ));
        }
        dos.push(Do { factor, value });
    }
    Ok((dos, warnings))
}

/// Why a method cannot intervene.
pub fn unable(learner: &dyn Learner) -> Result<()> {
    match learner.dimensions() {
        Some(_) => Ok(()),
        None => Err(Error::Unable(
            "the codes of this model do not stand for concepts, so none can be set; train \
             `causal-vae`, `structural-vae` or `condition-vae`, or walk codes with `unbraid traverse`"
                .into(),
        )),
    }
}

/// What the model says of these rows.
pub fn answer(learner: &dyn Learner, codes: &Array2<f32>, dos: &[Do]) -> Result<Intervened> {
    unable(learner)?;
    let after = learner.intervene(codes.view(), dos);
    after.ok_or_else(|| Error::Unable("this model cannot intervene".into()))
}

/// Some rows: as observed, as the model would have them, and as they would be.
pub fn sheet(
    learner: &dyn Learner,
    data: &dyn Dataset,
    rows: &[usize],
    dos: &[Do],
    title: String,
) -> Result<Sheet> {
    let seen = Seen::of(data, rows);
    let codes = learner.encode(&seen);
    let after = answer(learner, &codes, dos)?;
    let decoded = learner.decode(codes.view()).ok_or_else(crate::figures::traverse::no_decoder)?;
    let strip = |label: &str, remark: &str, images: &Array2<f32>| -> Result<Strip> {
        Ok(Strip {
            label: label.into(),
            remark: remark.into(),
            tiles: tiles(images, data)?,
            faded: false,
        })
    };
    let mut strips = vec![
        strip("factual", "as observed", &seen.observations)?,
        strip("reconstructed", "by the model", &decoded)?,
        strip("counterfactual", "by the model", &after.observations)?,
    ];
    if let Some(truth) = true_strip(data, rows, |_| dos.to_vec()) {
        strips.push(Strip {
            label: "counterfactual".into(),
            remark: "by the simulator".into(),
            ..truth
        });
    }
    let columns = rows.iter().map(|row| format!("row {row}")).collect();
    Ok(Sheet { title, columns, strips })
}

/// Every concept swept through its range for one row, with the truth below each sweep.
pub fn grid(
    learner: &dyn Learner,
    data: &dyn Dataset,
    row: usize,
    known: &[Concept],
    title: String,
) -> Result<Sheet> {
    let seen = Seen::of(data, &[row]);
    let codes = learner.encode(&seen);
    let factual = tiles(&seen.observations, data)?;
    let mut strips = Vec::new();
    for (factor, concept) in known.iter().enumerate() {
        let stops = concept.sweep();
        let mut images = Vec::new();
        for &value in &stops {
            images.push(answer(learner, &codes, &[Do { factor, value }])?.observations);
        }
        let views: Vec<_> = images.iter().map(|image| image.view()).collect();
        let images = ndarray::concatenate(Axis(0), &views).expect("images of one shape");
        let all = [factual.clone(), tiles(&images, data)?].concat();
        let [first, last] = [stops[0], stops[STOPS - 1]];
        let remark = format!("{} to {}", short(first), short(last));
        let label = format!("do {}", concept.name);
        strips.push(Strip { label, remark, tiles: all, faded: false });
        let set = |k: usize| vec![Do { factor, value: stops[k] }];
        if let Some(truth) = true_strip(data, &[row; STOPS], set) {
            let tiles = [vec![blank(&factual[0])], truth.tiles].concat();
            strips.push(Strip { remark: "by the simulator".into(), tiles, ..Strip::default() });
        }
    }
    let mut columns = vec!["factual".to_string()];
    columns.extend((0..STOPS).map(|k| match k {
        0 => "low".into(),
        k if k + 1 == STOPS => "high".into(),
        _ => String::new(),
    }));
    Ok(Sheet { title, columns, strips })
}

/// What the simulator says; nothing where the data are none. A blank where it says: impossible.
fn true_strip(data: &dyn Dataset, rows: &[usize], dos: impl Fn(usize) -> Vec<Do>) -> Option<Strip> {
    let mut observation = vec![0.0; data.shape().size()];
    data.observe(*rows.first()?, &mut observation);
    let any = tile(&observation, data.shape())?;
    let one = |(k, &row): (usize, &usize)| {
        let truth = data.counterfactual(row, &dos(k))?;
        tile(&truth.observation, data.shape())
    };
    let found: Vec<Option<RgbImage>> = rows.iter().enumerate().map(one).collect();
    if found.iter().all(Option::is_none) {
        return None;
    }
    let tiles = found.into_iter().map(|tile| tile.unwrap_or_else(|| blank(&any))).collect();
    Some(Strip { tiles, ..Strip::default() })
}

fn blank(like: &RgbImage) -> RgbImage {
    RgbImage::from_pixel(like.width(), like.height(), PAPER)
}

fn tiles(images: &Array2<f32>, data: &dyn Dataset) -> Result<Vec<RgbImage>> {
    let tiles = images.rows().into_iter().map(|row| tile(&row.to_vec(), data.shape()));
    tiles.collect::<Option<Vec<_>>>().ok_or_else(|| no_image(data.shape()))
}

/// A value with as many digits as matter.
pub fn short(value: f32) -> String {
    let digits = if value.abs() >= 100.0 {
        0
    } else if value.abs() >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Concept> {
        let concept =
            |name: &str, sorted: &[f32]| Concept { name: name.into(), sorted: sorted.into() };
        vec![concept("light", &[60.0, 100.0, 147.0]), concept("shadow", &[3.0, 4.0, 12.0])]
    }

    fn refused(texts: &[&str]) -> String {
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        parse(&texts, &known()).unwrap_err().to_string()
    }

    #[test]
    fn names_and_values_are_read_and_a_value_outside_is_told() {
        let texts = ["shadow=5".to_string(), "light = 200".to_string()];
        let (dos, warnings) = parse(&texts, &known()).unwrap();
        assert_eq!(dos, [Do { factor: 1, value: 5.0 }, Do { factor: 0, value: 200.0 }]);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("from 60 to 147"), "{warnings:?}");
    }

    #[test]
    fn mistakes_are_answered_with_the_way_out() {
        assert!(refused(&["ligth=1"]).contains("did you mean `light`?"));
        assert!(refused(&["light"]).contains("NAME=VALUE"));
        assert!(refused(&["light=dark"]).contains("is not a number"));
        assert!(refused(&["light=NaN"]).contains("is not a number"));
        assert!(refused(&["light=80", "light=90"]).contains("set twice"));
    }

    #[test]
    fn numbers_have_the_digits_that_matter() {
        assert_eq!([147.0, 12.5, 3.0, 0.126].map(short), ["147", "12.5", "3", "0.13"]);
    }
}
