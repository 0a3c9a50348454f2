//! Interventions in pictures: rows as observed, as the model would have them, and as the simulator says
//! where the data are one.

use image::RgbImage;
use ndarray::{Array2, Axis};
use unbraid_measure::data::{Dataset, Do};

use super::{Command, Drawing, Entry, Section, Subject, no_decoder, tiles};
use crate::draw::picture::{PAPER, Sheet, Strip, tile};
use crate::draw::words::short;
use crate::error::Result;
use crate::intervene::{STOPS, answer};
use crate::model::batch::Seen;

/// Every concept set from low to high.
pub const FIGURE: Entry = Entry {
    files: &[("interventions.png", "concepts set to other values")],
    command: Command::Intervene,
    section: Section::Interventions,
    caption: "Factual, counterfactual, true counterfactual.",
    possible: |subject| subject.learner.dimensions().is_some() && subject.has_images(),
    draw: |subject| Ok(vec![Drawing::Sheet(grid(subject)?)]),
};

/// Some rows: as observed, as the model would have them, and as they would be.
pub fn sheet(subject: &Subject, rows: &[usize], dos: &[Do], what: &str) -> Result<Sheet> {
    let &Subject { learner, tested: data, .. } = subject;
    let seen = Seen::of(data, rows);
    let codes = learner.encode(&seen);
    let after = answer(learner, &codes, dos)?;
    let decoded = learner.decode(codes.view()).ok_or_else(no_decoder)?;
    let strip = |label: &str, remark: &str, images: &Array2<f32>| -> Result<Strip> {
        Ok(Strip {
            label: label.into(),
            remark: remark.into(),
            tiles: tiles(images, data.shape())?,
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
    Ok(Sheet { title: subject.title(what), columns, strips })
}

/// Every concept swept through its range for one row, with the truth below each sweep.
fn grid(subject: &Subject) -> Result<Sheet> {
    let &Subject { learner, tested: data, .. } = subject;
    let row = subject.row.unwrap_or(data.len() / 2);
    let seen = Seen::of(data, &[row]);
    let codes = learner.encode(&seen);
    let factual = tiles(&seen.observations, data.shape())?;
    let mut strips = Vec::new();
    for (factor, concept) in subject.concepts.get()?.iter().enumerate() {
        let stops = concept.sweep();
        let mut images = Vec::new();
        for &value in &stops {
            images.push(answer(learner, &codes, &[Do { factor, value }])?.observations);
        }
        let views: Vec<_> = images.iter().map(|image| image.view()).collect();
        let images = ndarray::concatenate(Axis(0), &views).expect("images of one shape");
        let all = [factual.clone(), tiles(&images, data.shape())?].concat();
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
    let title = subject.title("each row sets one concept, from low to high");
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
