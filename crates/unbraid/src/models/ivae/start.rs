//! The initialisation of an iVAE.
//!
//! From random weights the ELBO has many poor local optima, in which latents stay mixed. A flow has
//! the same generative model without noise and an exact likelihood, and is so much smaller that
//! L-BFGS finds the optimum from a few starts (`components/segment_flow.rs` of unbraid-measure).
//! The networks first imitate the flow by least squares; then they are trained on the ELBO alone.

use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use unbraid_measure::components::pca::Pca;
use unbraid_measure::components::segment_flow::{Options, Prior, SegmentFlow};
use unbraid_measure::data::{self, Dataset, Draw};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use super::{Beginning, Config, Ivae};
use crate::compute::device;
use crate::error::{Error, Result};
use crate::model::batch::{self, Batch, Seen};
use crate::model::optimizer::{Optimizer, Rates, Rule};
use crate::parts::distributions::likelihood::{Family, Likelihood};
use crate::parts::nets::fitted::Fitted;
use crate::parts::segments;

/// More rows than these do not improve the estimates of means, variances and sources.
const ROWS: usize = 200_000;
/// More variables than these are an image, whose covariance cannot be estimated from the rows.
const MOST_WHITENED: usize = 256;
/// The batch size of imitation, and its learning rate, which falls linearly to 0.
const BATCH: usize = 256;
const RATE: f64 = 3e-3;

/// Where training starts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start {
    /// At random weights.
    Random,
    /// At the true sources.
    Truth,
    /// At a flow; at random weights if the labels are no segments and no flow was asked for.
    Flow { options: Options, asked: bool },
}

impl Start {
    pub(super) fn new(config: &Config) -> Self {
        let options = Options {
            sources: config.latents,
            layers: config.layers,
            starts: config.flows,
            steps: 500,
            points: 100,
            refinement: 100,
            prior: Prior::Gaussian,
        };
        match (config.start, config.likelihood) {
            (Beginning::Truth, _) => Self::Truth,
            (Beginning::Flow, _) => Self::Flow { options, asked: true },
            (Beginning::Auto, Family::Gaussian) => Self::Flow { options, asked: false },
            (Beginning::Auto | Beginning::Random, _) => Self::Random,
        }
    }

    /// The codes to imitate, `[rows, latents]`, if any.
    fn codes(
        self,
        data: &dyn Dataset,
        rows: &[usize],
        seen: &Seen,
        (rng, watch): (&Rng, &dyn Watch),
    ) -> Result<Option<Array2<f32>>> {
        let labels = seen.labels.as_ref().expect("the sampler has refused data without labels");
        match self {
            Self::Random => Ok(None),
            Self::Truth => Ok(Some(data::values(data, rows))),
            Self::Flow { options, asked } => {
                let Some(segments) = segments::segments(labels) else {
                    return if asked { Err(no_segments()) } else { Ok(None) };
                };
                if !asked && options.sources > seen.observations.ncols() {
                    return Ok(None);
                }
                let x = seen.observations.view();
                let flow = SegmentFlow::fit(
                    x,
                    &segments,
                    options,
                    rng,
                    &Stage::new(watch, "fitting the flow"),
                )?;
                Ok(Some(flow.encode(x)))
            }
        }
    }
}

fn no_segments() -> Error {
    let reason = "cannot be \"flow\": the labels are no segments (not 1 in one place and 0 \
                  elsewhere); use \"random\"";
    Error::setting("model.start", reason)
}

/// Fit the whitening of the observations, and initialise the networks.
pub(super) fn prepare(
    mut model: Ivae,
    data: &dyn Dataset,
    rng: &Rng,
    watch: &dyn Watch,
) -> Result<Ivae> {
    let rows = data::rows(data, ROWS, rng);
    let seen = Seen::of(data, &rows);
    let labels = seen.labels.as_ref().expect("the sampler has refused data without labels");
    segments::check_vary(labels)?;
    if matches!(model.likelihood, Likelihood::Gaussian { .. }) {
        let White { centre, whitening, unwhitening } = White::of(seen.observations.view(), rng)?;
        let device = device::training();
        // z U + c = (z + c W) U: the mean of the inverse map is −c W.
        let back = Array1::from_vec(centre.clone()).dot(&whitening).mapv(|number| -number);
        model.whitening = Fitted::new(&centre, &whitening, &device);
        model.unwhitening = Fitted::new(&back.to_vec(), &unwhitening, &device);
    }
    match model.start.codes(data, &rows, &seen, (&rng.split("flow"), watch))? {
        None => Ok(model),
        Some(codes) => imitate(model, &seen, codes, (&rng.split("imitation"), watch)),
    }
}

/// The whitening x ↦ (x − centre) whitening.
struct White {
    centre: Vec<f32>,
    whitening: Array2<f32>,
    unwhitening: Array2<f32>,
}

impl White {
    /// ZCA whitening Vᵀ D^∓½ V, with the eigenvectors V and eigenvalues D of the covariance: of all
    /// whitenings the nearest to the identity, and symmetric. Many or collinear variables are only
    /// scaled to variance 1, one by one.
    fn of(x: ArrayView2<f32>, rng: &Rng) -> Result<Self> {
        let spread = x.std_axis(Axis(0), 0.0);
        if let Some(still) = spread.iter().position(|spread| *spread <= 0.0) {
            return Err(Error::Unable(format!(
                "observed number {still} (counted from 0) is the same in every row, so nothing can \
                 be learned from it; leave it out"
            )));
        }
        let size = x.ncols();
        if size <= MOST_WHITENED && x.nrows() > size {
            let pca = Pca::fit(x, size, &mut rng.split("whitening"))?;
            if pca.rank() == size {
                let scaled = |power: f32| {
                    let scales = Array1::from_vec(pca.variances.clone()).mapv(|v| v.powf(power));
                    pca.components.t().dot(&(&pca.components * &scales.insert_axis(Axis(1))))
                };
                let (whitening, unwhitening) = (scaled(-0.5), scaled(0.5));
                return Ok(Self { centre: pca.mean, whitening, unwhitening });
            }
        }
        let centre = x.mean_axis(Axis(0)).expect("there are rows").to_vec();
        let whitening = Array2::from_diag(&spread.mapv(f32::recip));
        Ok(Self { centre, whitening, unwhitening: Array2::from_diag(&spread) })
    }
}

/// The model after learning to encode to these codes, to decode them, and to fit its prior to them.
fn imitate(
    mut model: Ivae,
    seen: &Seen,
    mut codes: Array2<f32>,
    (rng, watch): (&Rng, &dyn Watch),
) -> Result<Ivae> {
    let latents = model.latents;
    if codes.ncols() != latents {
        return Err(Error::setting(
            "model.start",
            format!(
                "cannot be \"truth\": there are {} factors and {latents} latents",
                codes.ncols()
            ),
        ));
    }
    // A prior without means has sources of mean 0; the scale of a latent is arbitrary.
    let mean = codes.mean_axis(Axis(0)).expect("there are rows");
    let spread = codes.std_axis(Axis(0), 0.0);
    codes = (codes - mean) / spread.mapv(|spread| spread.max(f32::MIN_POSITIVE));
    let device = device::training();
    let mut optimizer = Optimizer::new(Rule::Adam);
    let steps = model.imitation;
    let stage = Stage::new(watch, "imitating the flow");
    for step in 0..steps {
        let mut rng = rng.at(step);
        let rows: Vec<usize> = (0..BATCH).map(|_| rng.below(codes.nrows())).collect();
        let of = |table: &Array2<f32>| table.select(Axis(0), &rows).into_raw_vec_and_offset().0;
        let draw = Draw {
            count: BATCH,
            views: vec![of(&seen.observations)],
            labels: seen.labels.as_ref().map(of).unwrap_or_default(),
            ..Draw::default()
        };
        let batch = Batch::new(&draw, model.task.shape, &device);
        let target = batch::matrix(&of(&codes), BATCH, latents, &device);
        let loss = model.distance(&batch, target);
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        let rate = RATE * (1.0 - step as f64 / steps as f64);
        model = optimizer.step(Rates::all(rate), model, gradients);
        stage.advance(1.0 / steps as f64)?;
    }
    Ok(model)
}

impl Ivae {
    /// The imitation loss: squared errors of encoding and decoding, the negative log-density of the
    /// codes under the prior, and a posterior standard deviation near that of the noise.
    fn distance(&self, batch: &Batch, codes: Tensor<2>) -> Tensor<1> {
        let (x, u) = (self.whitened(batch), batch.labels());
        let (q, p) = (self.posterior(x.clone(), u.clone()), self.prior(u));
        let encoded = (q.mean - codes.clone()).square();
        let narrow = (q.log_variance - 2.0 * self.noise.ln()).square();
        let expected = (codes.clone() - p.mean).square() * (p.log_variance.clone() * -1.0).exp();
        let decoded = (self.decoder.forward(codes) - x).square();
        let each = encoded + narrow * 0.1 + (expected + p.log_variance) * 0.5;
        each.sum_dim(1).mean() + decoded.sum_dim(1).mean()
    }
}
