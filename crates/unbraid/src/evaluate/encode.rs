//! Encoding: rows of a data set through a trained method, beside their true values.

use ndarray::{Array2, ArrayView2, Axis, concatenate};
pub use unbraid_measure::data::rows;
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;

use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::learner::{Learner, Posterior};
use crate::run::Run;
use crate::run::config::Plan;

/// How many observations are held at once; 96x96x4 images are 38 MB of them.
const CHUNK: usize = 256;

/// The codes of these rows with their values and, where codes are drawn, the KL of each latent.
pub fn encode(
    learner: &dyn Learner,
    data: &dyn Dataset,
    rows: &[usize],
) -> Result<Representation<'static>> {
    let posterior = posterior(learner, data, rows)?;
    let kl = posterior.kl_per_latent();
    let (values, factors) = (data::values(data, rows), data.factors().to_vec());
    let mut codes = Representation::new(posterior.mean, values, factors)?;
    codes.readings.kl = kl.map(|kl| kl.into_iter().map(f64::from).collect());
    add_concepts(&mut codes, learner, data);
    Ok(codes)
}

/// Which factor each code is of, and the graphs, where codes stand for factors.
fn add_concepts(codes: &mut Representation, learner: &dyn Learner, data: &dyn Dataset) {
    let Some(dimensions) = learner.dimensions() else { return };
    let factors = data.factors().len();
    if codes.codes.ncols() != dimensions * factors {
        return;
    }
    let blocks = (0..codes.codes.ncols()).map(|code| Some(code / dimensions)).collect();
    codes.readings.blocks = Some(blocks);
    codes.readings.learned_graph = learner.graph().map(|graph| graph.present().mapv(f64::from));
    codes.readings.true_graph = data.graph().cloned();
}

/// What these rows are encoded to.
pub fn posterior(learner: &dyn Learner, data: &dyn Dataset, rows: &[usize]) -> Result<Posterior> {
    let encode = |chunk: &[usize]| learner.posterior(&Seen::of(data, chunk));
    let parts: Vec<Posterior> = rows.chunks(CHUNK).map(encode).collect();
    if parts.is_empty() {
        return Err(Error::Unable("there are no rows to encode".into()));
    }
    let stack = |parts: Vec<ArrayView2<f32>>| {
        concatenate(Axis(0), &parts).expect("every chunk has the same latents")
    };
    let all = |which: fn(&Posterior) -> Option<&Array2<f32>>| {
        let found: Vec<_> = parts.iter().filter_map(which).map(|part| part.view()).collect();
        (!found.is_empty()).then(|| stack(found))
    };
    Ok(Posterior {
        mean: stack(parts.iter().map(|part| part.mean.view()).collect()),
        deviation: all(|part| part.deviation.as_ref()),
        kl: all(|part| part.kl.as_ref()),
    })
}

/// As [`of_run`], but nothing is written.
pub fn of_plan(plan: &Plan, learner: &dyn Learner) -> Result<Representation<'static>> {
    let rng = Rng::new(plan.config.seed).split("score");
    let rows = rows(&*plan.data, plan.config.score.rows, &rng);
    encode(learner, &*plan.data, &rows)
}

/// As [`of_plan`], but one draw from the posterior of each row, for methods that have one.
pub fn drawn_of_plan(
    plan: &Plan,
    learner: &dyn Learner,
) -> Result<Option<Representation<'static>>> {
    let rng = Rng::new(plan.config.seed).split("score");
    let rows = rows(&*plan.data, plan.config.score.rows, &rng);
    let posterior = posterior(learner, &*plan.data, &rows)?;
    let Some(codes) = posterior.draw(&mut rng.split("draws")) else { return Ok(None) };
    let factors = plan.data.factors().to_vec();
    Ok(Some(Representation::new(codes, data::values(&*plan.data, &rows), factors)?))
}

/// The codes by which a run is scored, written into its directory. Made anew each time: the data
/// of a user may have changed since.
pub fn of_run(run: &Run, plan: &Plan, learner: &dyn Learner) -> Result<Representation<'static>> {
    let representation = of_plan(plan, learner)?;
    representation.save(run.representation_file())?;
    Ok(representation)
}
