//! Writes one step of a β-VAE (weights, images, noise, loss and gradients) as safetensors, for
//! `bench/gradients.py`, which computes the same with PyTorch.
//!
//!     cargo run --release -p unbraid --example export_gradients -- conv4 1x64x64 out.safetensors

use burn::optim::GradientsParams;
use unbraid::Error;
use unbraid::compute::device;
use unbraid::data::{Draw, Range, Shape};
use unbraid::model::batch::{Batch, numbers};
use unbraid::model::weights::{self, Weight, Weights};
use unbraid::model::{Model, Settings, Step, Task};
use unbraid::models::beta_vae::{BetaVae, Config};
use unbraid::parts::nets::autoencoder::Net;
use unbraid::rng::Rng;
use unbraid_measure::settings::Word;

const BATCH: usize = 64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [net, shape, out] = &arguments[..] else {
        return Err(Error::Unable("usage: export_gradients NET SHAPE FILE".into()).into());
    };
    let sizes: Vec<usize> = shape.split('x').map(str::parse).collect::<Result<_, _>>()?;
    let shape = Shape { channels: sizes[0], height: sizes[1], width: sizes[2], range: Range::Unit };
    let task = Task::observing(shape, BATCH);
    let mut config = Config::default();
    config.net.net = Net::named(net).map_err(|reason| Error::setting("model.net", reason))?;
    config.resolve(&task)?;

    let rng = Rng::new(0);
    let device = device::training();
    let model = BetaVae::init(&config, &task, &rng.split("weights"), &device);
    let mut pixels = rng.split("pixels");
    let view: Vec<f32> = (0..BATCH * shape.size()).map(|_| pixels.uniform() as f32).collect();
    let draw = Draw { count: BATCH, views: vec![view.clone()], ..Draw::default() };
    let step = || Step::new(0, 1, &rng.split("noise"));
    let noise = numbers(step().noise([BATCH, 10], &device));
    let loss = model.loss(&Batch::new(&draw, shape, &device), &mut step());

    let mut arrays = Weights::new();
    for (name, weight) in weights::of(&model) {
        arrays.insert(format!("weight.{name}"), weight);
    }
    let row = |values: Vec<f32>| Weight { shape: vec![values.len()], values };
    arrays.insert("x".into(), row(view));
    arrays.insert("noise".into(), row(noise));
    arrays.insert("loss".into(), row(numbers(loss.total.clone())));
    let gradients = GradientsParams::from_grads(loss.total.backward(), &model);
    for (name, gradient) in weights::gradients(&model, gradients) {
        arrays.insert(format!("gradient.{name}"), gradient);
    }
    std::fs::write(out, weights::to_bytes(&arrays, &[], "{}"))?;
    Ok(())
}
