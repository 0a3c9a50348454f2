//! Encoding: rows of a data set through a trained method, beside their true values.

use ndarray::{Array2, ArrayView2, Axis, concatenate};
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::learner::{Learner, Posterior};

/// How many observations are held at once; 96x96x4 images are 38 MB of them.
const CHUNK: usize = 256;

/// The codes of these rows with their values and, where codes are drawn, the KL of each latent.
pub fn encode(
    learner: &dyn Learner,
    data: &dyn Dataset,
    rows: &[usize],
    watch: &dyn Watch,
) -> Result<Representation<'static>> {
    let posterior = posterior(learner, data, rows, watch)?;
    let kl = posterior.kl_per_latent();
    let mut codes = beside_values(posterior.mean, learner, data, rows)?;
    codes.readings.kl = kl.map(|kl| kl.into_iter().map(f64::from).collect());
    Ok(codes)
}

/// Which factor each code is of, and the graphs, where codes stand for factors.
fn add_concepts(codes: &mut Representation, learner: &dyn Learner, data: &dyn Dataset) {
    codes.readings.blocks = learner.blocks();
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
pub fn posterior(
    learner: &dyn Learner,
    data: &dyn Dataset,
    rows: &[usize],
    watch: &dyn Watch,
) -> Result<Posterior> {
    let stage = Stage::new(watch, "encoding");
    let encode = |chunk: &[usize]| {
        let posterior = learner.posterior(&Seen::of(data, chunk));
        stage.advance(chunk.len() as f64 / rows.len() as f64)?;
        Ok(posterior)
    };
    let parts: Vec<Posterior> = rows.chunks(CHUNK).map(encode).collect::<Result<_>>()?;
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

/// One draw from the posterior of each of these rows, for methods that have one.
pub fn drawn(
    learner: &dyn Learner,
    data: &dyn Dataset,
    rows: &[usize],
    rng: &mut Rng,
    watch: &dyn Watch,
) -> Result<Option<Representation<'static>>> {
    let sampled = match sampled(learner, data, rows, rng, watch)? {
        Some(sampled) => Some(sampled),
        None => posterior(learner, data, rows, watch)?.draw(rng),
    };
    sampled.map(|sampled| beside_values(sampled, learner, data, rows)).transpose()
}

fn beside_values(
    codes: Array2<f32>,
    learner: &dyn Learner,
    data: &dyn Dataset,
    rows: &[usize],
) -> Result<Representation<'static>> {
    let (values, factors) = (data::values(data, rows), data.factors().to_vec());
    let mut codes = Representation::new(codes, values, factors)?;
    add_concepts(&mut codes, learner, data);
    Ok(codes)
}

/// The same where the posterior is not Gaussian.
fn sampled(
    learner: &dyn Learner,
    data: &dyn Dataset,
    rows: &[usize],
    rng: &Rng,
    watch: &dyn Watch,
) -> Result<Option<Array2<f32>>> {
    let stage = Stage::new(watch, "encoding");
    let mut parts = Vec::new();
    for (number, chunk) in rows.chunks(CHUNK).enumerate() {
        let rng = rng.at(number as u64);
        let Some(part) = learner.drawn(&Seen::of(data, chunk), &rng) else { return Ok(None) };
        parts.push(part);
        stage.advance(chunk.len() as f64 / rows.len() as f64)?;
    }
    let parts: Vec<_> = parts.iter().map(|part| part.view()).collect();
    Ok(concatenate(Axis(0), &parts).ok())
}

/// Draws from posteriors where there are such, else codes: what an alignment is measured on, as in its papers. The
/// mean of a latent that tells nothing still moves a little with what others tell, and once it is divided by its
/// small spread that would count.
pub fn drawn_or_mean(
    learner: &dyn Learner,
    data: &dyn Dataset,
    rows: &[usize],
    rng: &Rng,
    watch: &dyn Watch,
) -> Result<Representation<'static>> {
    match drawn(learner, data, rows, &mut rng.clone(), watch)? {
        Some(codes) => Ok(codes),
        None => encode(learner, data, rows, watch),
    }
}
