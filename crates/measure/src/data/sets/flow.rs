//! `flow`: a ball raises the water in a cup, and the water pours out of a hole; 8,100 images, drawn
//! on the fly. The geometry is that of the script of CausalVAE; `plot` does what Matplotlib did.

use toml::Table;

use crate::data::drawing::grid::Grid;
use crate::data::drawing::plot::SIDE;
use crate::data::drawing::scripts::{Labels, Settings};
use crate::data::{Counterfactual, Dataset, Do, Opened, Range, Shape, Source};
use crate::error::Result;
use crate::factors::Factor;
use crate::graph::Graph;
use crate::info::Info;
use crate::rng::Rng;
use crate::settings;

mod drawing;
mod files;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "flow",
        title: "Flow",
        summary: "a ball raises the water that pours out of a cup: a causal chain; 8,100 of 96x96",
        paper: "Yang et al., CausalVAE, CVPR 2021",
        page: "\
A cup of water with a red ball in it and a hole in its right side. The ball raises the water, and
the higher the water the farther it pours out. 8,100 images, 4x96x96 (red, green, blue, and an
opacity that is always 1), values 0 to 1, drawn on the fly.

| factor       | values       | meaning                                                           |
| ------------ | ------------ | ----------------------------------------------------------------- |
| ball         | 30, 5..34    | radius of the ball, in thirtieths; the picture is 20 wide         |
| water-height | 1.0 to 5.4   | height of the water above 5                                       |
| water-flow   | 17.2 to 66.1 | how far the water has come when it is 0.5 above the bottom, in    |
|              |              | tenths, counted from the hole                                     |
| hole         | 9, 6..14     | height of the hole, in thirds                                     |

Graph: ball -> water-height -> water-flow <- hole. The height is (ball/30)^3 plus the water poured
in, 1.0 to 3.9 in steps of 0.1, which is not among the factors; the flow is
10 sqrt(2 0.98 height (hole/3 - 0.5)). Every triple of ball, water poured in and hole occurs once.

The stream that is drawn reaches a little farther than the factor says: the script adds to 0.98 the
larger of 0.01 and 0.01 |n|, n from the standard normal distribution. Here n is a fixed number for
each row, so that a row is always the same image; the script draws it anew in every run.

Counterfactuals are exact and keep the exogenous variables, the water poured in and the noise. An
intervention on the ball changes height and flow, one on the height changes the flow, and one on the
flow changes only the stream. The ball must fit the cup (more than 0, at most 75) and so must the
water (height 0 to 14); the hole must be above 1.5 and below 55, and a flow cannot be negative.

Settings:
- split: \"all\" 8,100 images, or what is left of them as files: \"train\" (5,254) or \"test\"
  (1,620). The script renders 8,100 images and saves every fifth one as a test image, but a file is
  named after the four values without their decimals, so that different images get the same name
  and the later one replaces the earlier. 824 names occur in both train and test, so that half of
  the test labels have been seen in training.
- labels: \"exact\", or \"file-name\" as in the published files.

Checked against the 6,874 images that the original script left: outside the stream on average
0.00007 of full scale apart, at most 3 of 255 grey levels in any pixel; the stream, whose noise
differs, adds 0.00003 to the average.

The script is published under the MIT licence. Cite: Yang, Liu, Chen, Shen, Hao, Wang, CausalVAE:
Disentangled Representation Learning via Neural Structural Causal Models, CVPR 2021.",
    },
    open,
    publication: None,
};

/// How CausalVAE scales the labels before its prior sees them: (label − first) / second, for ball,
/// water-height, water-flow and hole.
pub const LABEL_SCALING: [[f32; 2]; 4] = [[20.0, 15.0], [2.0, 2.0], [59.5, 26.5], [10.5, 4.5]];

/// What the script takes for twice the pull of the earth, halved.
const GRAVITY: f64 = 0.98;
/// The height at which the flow is measured and the stream ends.
const STREAM_END: f64 = 0.5;
/// The most water that the cup holds above 5.
const FULL: f64 = 14.0;

fn open(given: &Table) -> Result<Opened> {
    let settings: Settings = settings::parse("data", given)?;
    let steps = |from: u8, to: u8| (from..=to).map(f32::from);
    let (ball, hole) =
        (Factor::discrete("ball", steps(5, 34)), Factor::discrete("hole", steps(6, 14)));
    let exogenous =
        Grid::new(vec![ball.clone(), Factor::discrete("poured", steps(10, 39)), hole.clone()])?;
    let effects = ["water-height", "water-flow"].map(Factor::continuous);
    let [height, flow] = effects;
    let factors = vec![ball, height, flow, hole];
    let names = factors.iter().map(|factor| &factor.name);
    let graph = Graph::new(names, &[(0, 1), (1, 2), (3, 2)])?;
    let noise = Rng::new(0).split("flow");
    let mut data =
        Flow { factors, graph, exogenous, rows: Vec::new(), labels: settings.labels, noise };
    data.rows = files::rows(settings.split, data.exogenous.len(), |row| data.name(row));
    Ok((Box::new(data), settings::to_table(&settings)))
}

struct Flow {
    factors: Vec<Factor>,
    graph: Graph,
    /// Ball, water poured in (in tenths) and hole.
    exogenous: Grid,
    /// The images of this split, by their place among all 8,100.
    rows: Vec<usize>,
    labels: Labels,
    /// Split by the place of the image.
    noise: Rng,
}

impl Flow {
    /// The ball, the water poured in, the hole.
    fn exogenous(&self, row: usize) -> [f32; 3] {
        let mut values = [0.0; 3];
        self.exogenous.values(row, &mut values);
        values
    }

    /// The four factors of one of all 8,100 images, exactly.
    fn exact(&self, row: usize) -> [f64; 4] {
        let [ball, poured, hole] = self.exogenous(row).map(f64::from);
        let height = height(ball, poured);
        [ball, height, flow(height, hole), hole]
    }

    /// The numbers in the name of the file: no decimals.
    fn name(&self, row: usize) -> [i32; 4] {
        self.exact(row).map(|value| value as i32)
    }

    /// What the script adds to the pull of the earth in one image.
    fn disturbance(&self, row: usize) -> f64 {
        0.01 * f64::from(self.noise.at(row as u64).normal()).abs().max(1.0)
    }
}

impl Dataset for Flow {
    fn factors(&self) -> &[Factor] {
        &self.factors
    }

    fn shape(&self) -> Shape {
        Shape { channels: 4, height: SIDE, width: SIDE, range: Range::Unit }
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        let row = self.rows[index];
        let values = self.exact(row).map(|value| value as f32);
        drawing::draw(values, self.disturbance(row), out);
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        out.copy_from_slice(&self.exact(self.rows[index]).map(|value| value as f32));
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        let row = self.rows[index];
        Some(match self.labels {
            Labels::Exact => self.exact(row).map(|value| value as f32).to_vec(),
            Labels::FileName => self.name(row).map(|value| value as f32).to_vec(),
        })
    }

    fn graph(&self) -> Option<&Graph> {
        Some(&self.graph)
    }

    fn counterfactual(&self, index: usize, dos: &[Do]) -> Option<Counterfactual> {
        let set: [_; 4] = Do::by_factor(dos)?;
        let row = self.rows[index];
        let [ball, poured, hole] = self.exogenous(row);
        let (ball, hole) = (set[0].unwrap_or(ball), set[3].unwrap_or(hole));
        // What follows is computed from the exact height; a height that is set is exact as it is.
        let exact = set[1].map_or_else(|| height(ball.into(), poured.into()), f64::from);
        let flow = set[2].unwrap_or_else(|| flow(exact, hole.into()) as f32);
        let values = [ball, exact as f32, flow, hole];
        let possible = ball > 0.0
            && ball <= 75.0
            && (0.0..=FULL).contains(&exact)
            && (0.0..f32::INFINITY).contains(&flow)
            && hole > 1.5
            && hole < 55.0;
        if !possible {
            return None;
        }
        let mut observation = vec![0.0; self.shape().size()];
        drawing::draw(values, self.disturbance(row), &mut observation);
        Some(Counterfactual { values: values.to_vec(), observation })
    }
}

/// The mechanism of the height: a larger ball displaces more water.
fn height(ball: f64, poured: f64) -> f64 {
    (ball / 30.0).powf(3.0) + poured / 10.0
}

/// The mechanism of the flow, in tenths: how far water of this pressure gets while it falls.
fn flow(height: f64, hole: f64) -> f64 {
    // As in the script, in this order: truncated labels depend on the last digit.
    (2.0 * GRAVITY * height * (hole / 3.0 - STREAM_END)).sqrt() * 10.0
}

#[cfg(test)]
mod tests;
