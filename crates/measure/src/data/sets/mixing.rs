//! `mixing`: independent nonstationary sources, whose scale changes by segment, mixed by a small
//! network; the problem of time-contrastive learning and of iVAE. Both generators share one form,
//!
//! ```text
//! s = L[segment] * noise + m[segment],   x = f(… f(f(s A₁) A₂) …) A_layers
//! ```
//!
//! "f after every layer but the last" (iVAE) and "f before every matrix but the first" (TCL) are
//! the same network. What differs are the range of L, which axis of a matrix has unit norm, and
//! the whitening.

use rayon::prelude::*;
use toml::Table;

use crate::data::about::About;
use crate::data::sets::columns::{self, reading_page};
use crate::data::{Dataset, Opened, Range, Shape, Source};
use crate::error::Result;
use crate::factors::Factor;
use crate::info::Info;
use crate::npz::NpzWriter;
use crate::rng::Rng;
use crate::settings;

mod checks;
mod choices;
mod files;
mod matrices;
mod network;
mod published;
mod sources;
mod whitening;

use choices::{Settings, Truth};
use network::Network;
use sources::Modulation;
use whitening::Whitening;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "mixing",
        title: "Mixing",
        summary: "nonlinear ICA: nonstationary sources mixed by a network; or your time series",
        paper: "Hyvärinen and Morioka, NeurIPS 2016; Khemakhem et al., iVAE, AISTATS 2020",
        page: concat!(
            "\
Nonlinear independent component analysis (ICA): the observation is a smooth mixture of independent
sources, and the task is to recover them. That is impossible from the mixture alone. It is possible
if the scale of the sources changes over time with a known auxiliary variable: time is cut into
segments, and the label of a row is its segment.

In each segment a source is noise of unit variance times the standard deviation of that segment.
The sources are then mixed by a network whose matrices are easy to invert: entries from -1 to 1,
made unit norm, and a condition number no larger than that of the best quarter of 10,000 such
matrices.

| setting       | ivae      | tcl        | meaning                                                 |
| ------------- | --------- | ---------- | ------------------------------------------------------- |
| sources       | 5         | 20         | how many sources; the factors s0, s1, ...               |
| observed      | = sources | = sources  | how many numbers are observed, not fewer than sources   |
| segments      | 40        | 256        | how many segments                                       |
| points        | 1000      | 512        | rows in each segment                                    |
| layers        | 3         | 5          | matrices, with an activation between; 1 is linear ICA   |
| prior         | gaussian  | laplace    | the noise; or \"hyperbolic-secant\"                       |
| activation    | xtanh     | leaky-relu | the nonlinearity; or \"sigmoid\", \"none\"                  |
| slope         | 0.1       | 0.2        | xtanh is tanh(v) + slope v; leaky-relu below zero       |
| repeat        | true      | false      | the same matrix in every layer                          |
| whiten        | false     | true       | remove means and correlations from what is observed     |
| (spread)      | 0.5 to 3  | 0 to 1     | the standard deviations, uniformly                      |

Settings:
- generator: \"ivae\" or \"tcl\", the released code of iVAE or of time-contrastive learning. It sets
  the defaults of the other settings, those that are 0 or \"auto\", as in the table.
- seed: everything is drawn from it.
- fresh: true for held-out rows: the same scales, network and whitening, but other noise.
- factors: \"source\", or \"size\" for the magnitude of each source. Time-contrastive learning
  recovers only the magnitude, not the sign; score it with \"size\".
- uncentered: true for means from -5 to 5 in every segment.
- staircase: true for a first source with the means 0, 3, 6, ... in random order, which the mixing
  passes on; a counterexample to time-contrastive learning. The other means are 0 (-1 to 1 if
  uncentered).
- noisy: the standard deviation of noise added to what is observed.
- discrete: true for binary observations, 1 with probability sigmoid(x).
- path: a file to read in place of all this, see below; only `whiten`, `factors` and these count:
  - segment: the array or column that says to which segment a row belongs. \"\" looks for `segment`
    (and in arrays for `u`).
  - segment_length: or cut the rows into segments of this many. A shorter rest is dropped.
  - source_columns: of a .csv or .parquet file, the columns with the true sources.
  - scale and the settings of columns, at the end of this page.

The published experiment with discrete data is

```toml
[data]
name = \"mixing\"
discrete = true
sources = 10
observed = 100
segments = 20
points = 3000
layers = 1
```

Models see the segment as a one-hot label.

Your own time series, in time order: [time, channels] as the array `x` of an .npz file or as .npy,
or channels as columns of a .csv or .parquet file.

```python
np.savez(\"mine.npz\", x=x)                    # and set data.segment_length, or
np.savez(\"mine.npz\", x=x, segment=segment)   # a whole number per row
```

Channels are scaled (`scale`): the mean of each becomes 0 and its standard deviation 1.

Files of the released code of iVAE are read as they are, without a scale: `x`, `s` (sources) and `u`
(one column per segment, or a number per row). `unbraid data make mixing --out FILE.npz` writes that
form, with the means `m` and standard deviations `L` of the segments. Without sources you can train,
but not score against them; where they are known of some rows only, the others are left out of
scores. A constant channel of an array is refused; so is whitening where a column is a linear
combination of others. With one segment nothing changes over time: such data open, but no model of
segments can learn from them.

How good is a score? The observations themselves reach an MCC of about 0.56 on the ivae problem.
It varies with the seed, from 0.41 to 0.67 over the seeds 0 to 9: compare models on the same
seeds, and on several. `part` of `[data.variant]` splits the rows at random, so that every segment
is in every part; the labels stay.

The data have the distribution of those of the released code, but not the same random numbers: its
generator is NumPy's. The hyperbolic secant has unit variance here and 2.47 there. With
`staircase` the quarter of best matrices is that of matrices which pass the first source on; the
released code compares with others, and forgets the form where `repeat` is on. Matrices larger than
32x32 are compared with fewer than 10,000 others, 100 at least.

Cite: Hyvärinen and Morioka, Unsupervised Feature Extraction by Time-Contrastive Learning and
Nonlinear ICA, NeurIPS 2016; Khemakhem, Kingma, Monti and Hyvärinen, Variational Autoencoders and
Nonlinear ICA: A Unifying Framework, AISTATS 2020.

Settings of a file, of which arrays take only `scale` and `kept`:
",
            reading_page!()
        ),
    },
    open,
    publication: None,
};

fn open(given: &Table) -> Result<Opened> {
    let settings: Settings = settings::parse("data", given)?;
    if !settings.path.is_empty() {
        checks::nothing_to_generate(given)?;
        checks::one_kind_of_segment(&settings)?;
        let settings = Settings { whiten: settings.whiten.or(false), ..settings };
        let (data, settings) = files::read(&settings)?;
        return Ok((Box::new(data), columns::spelled_out(&settings)));
    }
    checks::nothing_to_read(&settings)?;
    let settings = settings.resolved();
    checks::generated(&settings)?;
    let mut all = columns::spelled_out(&settings);
    // What is drawn has no columns to speak of.
    let reads = |key: &str| columns::Reading::KEYS.into_iter().any(|known| known == key);
    all.retain(|key, _| key == "ignore" || !reads(key));
    Ok((Box::new(generate(&settings)?), all))
}

/// What is observed, `[rows, width]`.
struct Observed {
    numbers: Vec<f32>,
    width: usize,
    range: Range,
}

/// What is known of the sources.
struct Sources {
    /// `[rows, sources]`, or empty where they are not known.
    values: Vec<f32>,
    names: Vec<String>,
    truth: Truth,
    /// Known where it was drawn here.
    modulation: Option<Modulation>,
}

/// To which segment each row belongs, and how many there are.
struct Segments {
    of_row: Vec<u32>,
    count: usize,
}

/// Sources, what is observed of them, and the segment of each row.
struct Mixing {
    factors: Vec<Factor>,
    shape: Shape,
    observed: Vec<f32>,
    sources: Vec<f32>,
    truth: Truth,
    modulation: Option<Modulation>,
    segments: Segments,
    about: About,
}

impl Mixing {
    fn new(observed: Observed, sources: Sources, segments: Segments) -> Self {
        let Observed { numbers, width, range } = observed;
        let Sources { values, names, truth, modulation } = sources;
        let name = |name: String| match truth {
            Truth::Source => name,
            Truth::Size => format!("size-{name}"),
        };
        Self {
            factors: names.into_iter().map(|source| Factor::continuous(name(source))).collect(),
            shape: Shape { channels: width, height: 1, width: 1, range },
            observed: numbers,
            sources: values,
            truth,
            modulation,
            segments,
            about: About::default(),
        }
    }

    fn with_about(mut self, about: About) -> Self {
        self.about = about;
        self
    }

    /// 1 in the place of the segment.
    fn one_hot(&self, row: usize) -> Vec<f32> {
        let mut label = vec![0.0; self.segments.count];
        label[self.segments.of_row[row] as usize] = 1.0;
        label
    }
}

impl Dataset for Mixing {
    fn factors(&self) -> &[Factor] {
        &self.factors
    }

    fn shape(&self) -> Shape {
        self.shape
    }

    fn len(&self) -> usize {
        self.segments.of_row.len()
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        let width = self.shape.channels;
        out.copy_from_slice(&self.observed[index * width..(index + 1) * width]);
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        let width = self.factors.len();
        out.copy_from_slice(&self.sources[index * width..(index + 1) * width]);
        if self.truth == Truth::Size {
            for value in out {
                *value = value.abs();
            }
        }
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        Some(self.one_hot(index))
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn unlabelled(&self) -> usize {
        // Only a file can lack some.
        match self.sources.iter().any(|value| value.is_nan()) {
            false => 0,
            true => (0..self.len()).filter(|row| !self.is_labelled(*row)).count(),
        }
    }

    fn is_labelled(&self, index: usize) -> bool {
        let width = self.factors.len();
        self.sources[index * width..(index + 1) * width].iter().all(|value| !value.is_nan())
    }

    fn write_published(&self, rows: &[usize], file: &mut NpzWriter) -> Result<bool> {
        published::write(self, rows, file)?;
        Ok(true)
    }
}

/// s0, s1, ...
fn numbered(sources: usize) -> Vec<String> {
    (0..sources).map(|k| format!("s{k}")).collect()
}

fn generate(settings: &Settings) -> Result<Mixing> {
    let rng = Rng::new(settings.seed).split("mixing");
    let modulation = Modulation::draw(settings, &rng.split("modulation"));
    let network = Network::draw(settings, &rng.split("network"))?;
    let draw = |fresh: bool| rows(settings, &modulation, &network, &rng.split(purpose(fresh)));
    let (values, mut observed) = draw(settings.fresh);
    if settings.whiten.is_on() {
        // A model trained on some rows is used on fresh ones: both are whitened by the former.
        let whitening = match settings.fresh {
            false => Whitening::fit(&observed, settings.observed)?,
            true => Whitening::fit(&draw(false).1, settings.observed)?,
        };
        whitening.apply(&mut observed);
    }
    let range = if settings.discrete { Range::Binary } else { Range::Real };
    let names = numbered(settings.sources);
    let row = 0..settings.segments * settings.points;
    let of_row = row.map(|row| (row / settings.points) as u32).collect();
    Ok(Mixing::new(
        Observed { numbers: observed, width: settings.observed, range },
        Sources { values, names, truth: settings.factors, modulation: Some(modulation) },
        Segments { of_row, count: settings.segments },
    ))
}

/// What the noise is for.
fn purpose(fresh: bool) -> &'static str {
    if fresh { "fresh" } else { "first" }
}

/// The sources and what is observed of them, by row. Each segment has generators of its own, so
/// that threads do not change the result.
fn rows(
    settings: &Settings,
    modulation: &Modulation,
    network: &Network,
    rng: &Rng,
) -> (Vec<f32>, Vec<f32>) {
    let (noise, disturbance) = (rng.split("sources"), rng.split("observations"));
    let count = settings.segments * settings.points;
    let mut sources = vec![0.0; count * settings.sources];
    let mut observed = vec![0.0; count * settings.observed];
    let of_segment = sources.par_chunks_mut(settings.points * settings.sources);
    let segments = of_segment.zip(observed.par_chunks_mut(settings.points * settings.observed));
    segments.enumerate().for_each(|(segment, (sources, observed))| {
        modulation.fill(segment, settings.prior, &mut noise.at(segment as u64), sources);
        network.mix(sources, observed);
        network::disturb(settings, &mut disturbance.at(segment as u64), observed);
    });
    (sources, observed)
}

#[cfg(test)]
mod tests;
