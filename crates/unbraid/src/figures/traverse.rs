//! Traversals: walk one code while the others stay, and look at what changes.

use image::RgbImage;
use ndarray::{Array2, ArrayView1, Axis};
use unbraid_measure::data::{Dataset, Shape};
use unbraid_measure::representation::Representation;
use unbraid_measure::stats::correlation;
use unbraid_measure::watch::Nobody;

use super::{Command, Drawing, Entry, Section, no_decoder, tiles};
use crate::draw::animation;
use crate::draw::picture::{Sheet, Strip};
use crate::error::Result;
use crate::evaluate::encode;
use crate::evaluate::latents::{Latent, by_importance};
pub use crate::evaluate::walk::Span;
use crate::evaluate::walk::values;
use crate::model::learner::Learner;

/// How many pictures a walk has on a sheet.
const COLUMNS: usize = 9;
/// How many different pictures an animated walk has; forth and back these are 24 frames.
const MOMENTS: usize = 13;
/// How many codes a sheet shows at most; raw pixels have thousands.
const MOST: usize = 20;

/// Latent traversals, as a sheet and moving.
pub const FIGURE: Entry = Entry {
    files: &[
        ("traversal.png", "each row walks one code, from low to high"),
        ("traversal.gif", "the same walks, forth and back"),
    ],
    command: Command::Traverse,
    section: Section::Codes,
    caption: "Each row walks one code of one observation from low to high while the others stay. Codes are \
              in the order of how much they tell; a pale one tells next to nothing.",
    possible: |subject| subject.has_images(),
    draw: |subject| {
        let codes = subject.codes.get()?;
        let row = subject.row.unwrap_or(codes.rows() / 2);
        let sheet = |route: &Route, title: &str| {
            let walks = walks(subject.learner, codes, route)?;
            sheet(&walks, subject.data.shape(), subject.title(title))
        };
        let still = Route::for_a_sheet(row, subject.span);
        let moving = Route::for_an_animation(row, subject.span);
        Ok(vec![
            Drawing::Sheet(sheet(&still, "each row walks one code")?),
            Drawing::Frames(animation::frames(&sheet(&moving, "each tile walks one code")?)),
        ])
    },
};

/// What is walked, and how.
#[derive(Clone, Debug)]
pub struct Route {
    /// The row whose codes are walked.
    pub base: usize,
    /// From where to where.
    pub span: Span,
    /// Where it stops, as shares of the way.
    pub stops: Vec<f32>,
}

impl Route {
    /// Even steps, for a sheet.
    pub fn for_a_sheet(base: usize, span: Span) -> Self {
        let stops = (0..COLUMNS).map(|i| i as f32 / (COLUMNS - 1) as f32).collect();
        Self { base, span, stops }
    }

    /// More steps, slow at the ends, for an animation.
    pub fn for_an_animation(base: usize, span: Span) -> Self {
        Self { base, span, stops: animation::eased(MOMENTS) }
    }
}

/// One walk: a code from its low to its high end.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Which code, and how much it tells.
    pub latent: Latent,
    /// The factor it follows most closely, with the Spearman correlation.
    pub follows: Option<(String, f64)>,
    /// The values it is set to.
    pub values: Vec<f32>,
    /// What is decoded at each, `[values, numbers]`.
    pub frames: Array2<f32>,
}

/// Walk every code of a row, the one that tells most first.
pub fn walks(learner: &dyn Learner, codes: &Representation, route: &Route) -> Result<Vec<Walk>> {
    route.span.check(codes)?;
    let mut shown = by_importance(codes);
    shown.truncate(MOST);
    let columns: Vec<usize> = shown.iter().map(|latent| latent.index).collect();
    let followed =
        correlation::spearman(codes.codes.select(Axis(1), &columns).view(), codes.values.view());
    let walk = |(latent, followed): (Latent, ArrayView1<f64>)| {
        let values = values(codes.codes.column(latent.index), route.span, &route.stops);
        let mut set = codes.codes.select(Axis(0), &vec![route.base; values.len()]);
        set.column_mut(latent.index).assign(&ArrayView1::from(&values));
        let from = codes.codes.row(route.base).to_vec();
        let frames = learner.decode_changed(&from, set.view()).ok_or_else(no_decoder)?;
        let names = codes.factors.iter().map(|factor| factor.name.clone());
        let follows = names
            .zip(followed.iter().copied())
            .filter(|(_, correlation)| correlation.is_finite())
            .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        Ok(Walk { latent, follows, values, frames })
    };
    shown.into_iter().zip(followed.rows()).map(walk).collect()
}

/// The walks as a picture: a row a code, labelled with what it tells and the factor it moves.
pub fn sheet(walks: &[Walk], shape: Shape, title: String) -> Result<Sheet> {
    let strip = |walk: &Walk| {
        let tiles = tiles(&walk.frames, shape)?;
        let faded = walk.latent.is_dead();
        let remark = match &walk.follows {
            _ if faded => "unused".into(),
            Some((name, correlation)) => format!("{name} {correlation:+.2}"),
            None => String::new(),
        };
        let label = format!("z{}   {}", walk.latent.index, walk.latent.amount());
        Ok(Strip { label, remark, faded, tiles })
    };
    let strips = walks.iter().map(strip).collect::<Result<_>>()?;
    Ok(Sheet { title, columns: vec![], strips })
}

/// A small traversal for watching a training, or nothing where there is nothing to see.
pub fn thumbnail(learner: &dyn Learner, data: &dyn Dataset) -> Option<RgbImage> {
    let rows: Vec<usize> = (0..data.len()).step_by(data.len().div_ceil(256)).collect();
    let codes = encode::encode(learner, data, &rows, &Nobody).ok()?;
    let route = Route::for_a_sheet(rows.len() / 2, Span::Quantile);
    let walks = walks(learner, &codes, &route).ok()?;
    Some(sheet(&walks, data.shape(), String::new()).ok()?.draw())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use unbraid_measure::data::Range;

    use crate::evaluate::latents::Importance;

    #[test]
    fn a_row_is_labelled_with_its_kl_and_a_dead_one_is_faded() {
        let walk = |index: usize, kl: f32| Walk {
            latent: Latent { index, importance: Importance::Kl(kl) },
            follows: Some(("x".into(), -0.97)),
            values: vec![0.0],
            frames: array![[0.0, 1.0, 0.0, 1.0]],
        };
        let shape = Shape { channels: 1, height: 2, width: 2, range: Range::Unit };
        let sheet = sheet(&[walk(3, 2.414), walk(0, 0.004)], shape, String::new()).unwrap();
        let [told, dead] = &sheet.strips[..] else { panic!("two rows") };
        assert_eq!((told.label.as_str(), told.remark.as_str()), ("z3   KL 2.41", "x -0.97"));
        assert_eq!((dead.label.as_str(), dead.remark.as_str()), ("z0   KL < 0.01", "unused"));
        assert!(dead.faded && !told.faded);
    }
}
