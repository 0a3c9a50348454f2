//! `pendulum`: a pendulum and a light throw a shadow; two causes, two effects, 7,308 images, drawn
//! on the fly. The geometry is that of the script of CausalVAE; `drawing` does what Matplotlib did.

use std::f64::consts::PI;

use toml::Table;

use crate::data::drawing::grid::Grid;
use crate::data::drawing::plot::SIDE;
use crate::data::drawing::scripts::{Labels, Settings, Split};
use crate::data::{Counterfactual, Dataset, Do, Opened, Range, Shape, Source};
use crate::error::Result;
use crate::factors::Factor;
use crate::graph::Graph;
use crate::info::Info;
use crate::settings;

mod drawing;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "pendulum",
        title: "Pendulum",
        summary: "a pendulum and a light throw a shadow: causes and effects; 7,308 of 96x96",
        paper: "Yang et al., CausalVAE, CVPR 2021",
        page: "\
A red ball swings on a rod, an orange light shines from above, a black bar on the ground is the
shadow. 7,308 images, 4x96x96 (red, green, blue, and an opacity that is always 1), values 0 to 1,
drawn on the fly.

| factor          | values        | meaning                                                     |
| --------------- | ------------- | ----------------------------------------------------------- |
| pendulum        | 84, -40..43   | angle of the rod, in steps of pi/200, 0 hangs straight down |
| light           | 87, 60..147   | angle of the light, in steps of pi/200, 100 is overhead     |
| shadow-length   | 3 to 12.6     | length of the shadow, at least 3                            |
| shadow-position | 2.0 to 19.6   | middle of the shadow; the picture is 20 wide                |

Pendulum and light are the causes of both shadow factors; there are no other edges. Every pair of
pendulum and light occurs once, without 100, where the formula of the original divides by zero.

Counterfactuals are exact: an intervention on the pendulum or the light changes the shadow, and one
on the shadow changes nothing else. The light must stay above the ground (between 0 and 200) and a
length cannot be negative.

Settings:
- split: \"all\", or the published \"train\" (5,482 images) or \"test\" (1,826). Every fourth image
  is a test image, except the very first one; so every test image has its neighbours in training.
- labels: \"exact\", or \"file-name\" as in the published files, whose names hold the four values
  without their decimals.

In the picture the shadow begins and ends at whole pixels, as in the original, so that small changes
of its values may not be seen.

Checked against images drawn by the original script: on average 0.00006 of full scale apart, at most
3 of 255 grey levels in any pixel.

The script is published under the MIT licence. Cite: Yang, Liu, Chen, Shen, Hao, Wang, CausalVAE:
Disentangled Representation Learning via Neural Structural Causal Models, CVPR 2021.",
    },
    open,
    publication: None,
};

/// How CausalVAE scales the labels before its prior sees them: (label − first) / second, for
/// pendulum, light, shadow-length and shadow-position.
pub const LABEL_SCALING: [[f32; 2]; 4] = [[0.0, 44.0], [100.0, 40.0], [6.5, 3.5], [10.0, 5.0]];

/// The shortest shadow, that of the ball alone.
const SHORTEST: f64 = 3.0;
/// The height of the ground.
const GROUND: f64 = -0.5;
/// Where the rod is fixed.
const PIVOT: [f64; 2] = [10.0, 10.5];

fn open(given: &Table) -> Result<Opened> {
    let settings: Settings = settings::parse("data", given)?;
    let causes = vec![
        Factor::discrete("pendulum", (-40..=43).map(|step| step as f32)),
        Factor::discrete("light", (60..=147).filter(|step| *step != 100).map(|step| step as f32)),
    ];
    let effects = ["shadow-length", "shadow-position"].map(Factor::continuous);
    let factors = [causes.clone(), effects.to_vec()].concat();
    let names = factors.iter().map(|factor| &factor.name);
    let graph = Graph::new(names, &[(0, 2), (0, 3), (1, 2), (1, 3)])?;
    let causes = Grid::new(causes)?;
    let rows = (0..causes.len()).filter(|row| has(settings.split, *row)).collect();
    let pendulum = Pendulum { factors, graph, causes, rows, labels: settings.labels };
    Ok((Box::new(pendulum), settings::to_table(&settings)))
}

/// The script counts to four and then starts over, but its first round is one image longer.
fn has(split: Split, row: usize) -> bool {
    let test = row >= 4 && row.is_multiple_of(4);
    match split {
        Split::All => true,
        Split::Train => !test,
        Split::Test => test,
    }
}

struct Pendulum {
    factors: Vec<Factor>,
    graph: Graph,
    causes: Grid,
    /// The images of this split, by their place among all 7,308.
    rows: Vec<usize>,
    labels: Labels,
}

impl Pendulum {
    /// The angles of pendulum and light.
    fn causes(&self, index: usize) -> [f32; 2] {
        let mut causes = [0.0; 2];
        self.causes.values(self.rows[index], &mut causes);
        causes
    }
}

impl Dataset for Pendulum {
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
        let mut values = [0.0; 4];
        self.values(index, &mut values);
        drawing::draw(values, out);
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        let causes = self.causes(index);
        out[..2].copy_from_slice(&causes);
        out[2..].copy_from_slice(&shadow(causes).map(|value| value as f32));
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        let causes = self.causes(index);
        let shadow = match self.labels {
            Labels::Exact => shadow(causes),
            Labels::FileName => shadow(causes).map(f64::trunc),
        };
        Some(causes.into_iter().chain(shadow.map(|value| value as f32)).collect())
    }

    fn graph(&self) -> Option<&Graph> {
        Some(&self.graph)
    }

    fn counterfactual(&self, index: usize, dos: &[Do]) -> Option<Counterfactual> {
        let set: [_; 4] = Do::by_factor(dos)?;
        let [pendulum, light] = self.causes(index);
        let causes = [set[0].unwrap_or(pendulum), set[1].unwrap_or(light)];
        let [length, position] = shadow(causes).map(|value| value as f32);
        let effects = [set[2].unwrap_or(length), set[3].unwrap_or(position)];
        let values = [causes[0], causes[1], effects[0], effects[1]];
        let above_ground = causes[1] > 0.0 && causes[1] < 200.0;
        if !above_ground || effects[0] < 0.0 || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut observation = vec![0.0; self.shape().size()];
        drawing::draw(values, &mut observation);
        Some(Counterfactual { values: values.to_vec(), observation })
    }
}

/// The mechanism: length and middle of the shadow that the rod, made longer by the radius of the
/// ball, throws on the ground.
fn shadow([pendulum, light]: [f32; 2]) -> [f64; 2] {
    let from = projection(light, PIVOT, GROUND);
    let to = projection(light, along_rod(pendulum, 9.5), GROUND);
    [(from - to).abs().max(SHORTEST), f64::midpoint(from, to)]
}

/// The point at this distance from the pivot on the rod.
fn along_rod(pendulum: f32, distance: f64) -> [f64; 2] {
    let (sin, cos) = radians(pendulum).sin_cos();
    [PIVOT[0] + distance * sin, PIVOT[1] - distance * cos]
}

/// The x at which the ray of light through a point passes a height.
fn projection(light: f32, [x, y]: [f64; 2], height: f64) -> f64 {
    // As in the script, in this order: truncated labels depend on the last digit.
    let slope = radians(light).tan();
    (height - (y - x * slope)) / slope
}

fn radians(step: f32) -> f64 {
    f64::from(step) * PI / 200.0
}

#[cfg(test)]
mod tests;
