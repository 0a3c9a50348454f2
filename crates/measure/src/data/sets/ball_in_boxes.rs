//! `ball-in-boxes`: Ball-in-Boxes of CITRIS, the smallest world in which an intervention reaches only a
//! part of a variable; simulated and drawn on the fly.

use ndarray::Array2;
use toml::Table;

use crate::data::drawing::field::{self, BORDER, PLANE, SIDE, WALL, disc, paint_below_frame};
use crate::data::simulation::{Column, Moment, Recording, Simulated, Simulator};
use crate::data::{Done, Opened, Range, Shape, Source, World};
use crate::error::Result;
use crate::factors::Factor;
use crate::info::Info;
use crate::rng::Rng;
use crate::settings;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "ball-in-boxes",
        title: "Ball-in-Boxes",
        summary: "a ball in one of two boxes, thrown over at times: minimal causal variables; 32x32",
        paper: "Lippe et al., CITRIS: Causal Identifiability from Temporal Intervened Sequences, \
                2022",
        page: "\
A red ball wanders about in one of two boxes. At times somebody throws it over into the other box,
or puts it at another height; nobody moves it to the side within its box. Frames are 3x32x32, values
0 to 1.

| factor | values  | intervened on | meaning                                        |
| ------ | ------- | ------------- | ---------------------------------------------- |
| ball-b | 0, 1    | yes           | the left or the right box                      |
| ball-x | -1 to 1 | never         | where the ball is within its box, to the right |
| ball-y | -1 to 1 | yes           | the same, upwards                              |

The place of the ball from left to right is one variable of which an intervention reaches only the
box. What can be found from interventions is that part, the minimal causal variable; the place
within the box does not depend on interventions, and belongs to what is left over.

In each step x and y change by chance and stay within the box; the box stays the same. At most one
factor is intervened on, ball-b and ball-y in 18 % of the steps each: the box becomes the other one,
the height any height. Each factor causes itself, and no other.

Settings:
- part: \"train\", \"val\" and \"test\" are sequences; \"val_indep\" and \"test_indep\" are frames
  whose factors are drawn one by one, to measure with; \"val_triplets\" and \"test_triplets\" have
  rows in threes: two frames of the sequence, and a mixture that has some factors of the second.
- frames: length of the training sequence. The other sequences and the triplets are a tenth of it,
  single frames a quarter.
- seed: everything is drawn from it. Each part is a sequence of its own, and the same whether or not
  the others are opened.

Good to know:
- An intervention on ball-b does not forget what was: it turns it over.
- Positions are stored in pixels in the published arrays, and here as the loader of CITRIS scales
  them: x to (x / 8 - 1) / 0.57, y to (y / 16 - 1) / 0.79, so that they reach just short of 1.
- The random numbers are not those of NumPy: the world is the same, but not the moves.

Written after a description of the released script, and not compared with it: no published frames
were at hand. The drawing is that of `pong`, which was compared with its frames.

The script is published under the BSD 3-clause Clear licence. Cite: Phillip Lippe, Sara Magliacane,
Sindy Löwe, Yuki M. Asano, Taco Cohen, Efstratios Gavves, CITRIS: Causal Identifiability from
Temporal Intervened Sequences, ICML 2022.",
    },
    open,
    publication: None,
};

/// The radius of the ball, and where its centre may be within a box: it may touch the walls.
const RADIUS: f32 = 1.5;
const X: [f32; 2] = [3.5, 12.5];
const Y: [f32; 2] = [3.5, 28.5];
/// From one box to the other.
const APART: f32 = 16.0;
/// The columns of pixels of the wall between the boxes.
const MIDDLE: std::ops::Range<usize> = 15..17;
/// Standard deviation of what a step adds to x and y.
const NOISE: f32 = 1.5;
/// Neither of two coins of 0.2 says yes in 0.64 of the steps; else one of the two is taken.
const CHANCE: f64 = 1.0 - 0.8 * 0.8;
/// Half of a box and of the field, and the scaling of x and y: `(pixels / half - 1) / share`.
const SCALING: [[f32; 2]; 2] = [[8.0, 0.57], [16.0, 0.79]];
/// Red, green, blue of the ball.
const BALL: [u8; 3] = [255, 0, 0];

fn open(given: &Table) -> Result<Opened> {
    let recording: Recording = settings::parse("data", given)?;
    let data = Simulated::record(Boxes::new(), &recording)?;
    Ok((Box::new(data), settings::to_table(&recording)))
}

struct Boxes {
    /// The empty boxes, one of three equal planes.
    background: [f32; PLANE],
    factors: Vec<Factor>,
    columns: Vec<Column>,
    temporal: Array2<bool>,
}

impl Boxes {
    fn new() -> Self {
        let mut background = field::walled();
        for row in BORDER..SIDE - BORDER {
            background[row * SIDE..][MIDDLE].fill(WALL / 255.0);
        }
        let [x, y] = ["ball-x", "ball-y"].map(Factor::continuous);
        let position = |key: &str, factor: usize| {
            let [half, share] = SCALING[factor - 1];
            Column::of(key, factor, half * share, half)
        };
        Self {
            background,
            factors: vec![Factor::discrete("ball-b", [0.0, 1.0]), x, y],
            columns: vec![
                Column::of("ball_b", 0, 1.0, 0.0),
                position("ball_x", 1),
                position("ball_y", 2),
            ],
            temporal: Array2::from_shape_fn((3, 3), |(cause, effect)| cause == effect),
        }
    }
}

/// The value of a position in pixels; 0 is x, 1 is y.
fn scaled(axis: usize, pixels: f32) -> f32 {
    let [half, share] = SCALING[axis];
    (pixels / half - 1.0) / share
}

/// The inverse of [`scaled`].
fn pixels(axis: usize, value: f32) -> f32 {
    let [half, share] = SCALING[axis];
    (value * share + 1.0) * half
}

fn anywhere([low, high]: [f32; 2], rng: &mut Rng) -> f32 {
    low + (high - low) * rng.uniform() as f32
}

/// A step without interventions.
fn wander(values: &[f32], rng: &mut Rng) -> Vec<f32> {
    let mut moved = |axis: usize, [low, high]: [f32; 2]| {
        let to = pixels(axis, values[axis + 1]) + NOISE * rng.normal();
        scaled(axis, to.clamp(low, high))
    };
    vec![values[0], moved(0, X), moved(1, Y)]
}

impl World for Boxes {
    fn draw(&self, values: &[f32], out: &mut [f32]) {
        out.chunks_exact_mut(PLANE).for_each(|plane| plane.copy_from_slice(&self.background));
        let centre = [pixels(0, values[1]) + APART * values[0], pixels(1, values[2])];
        disc(centre, RADIUS, |place, share| {
            for (plane, level) in out.chunks_exact_mut(PLANE).zip(BALL) {
                paint_below_frame(plane, place, level, share);
            }
        });
    }

    /// What is set is set after the step, and not held to what the boxes allow.
    fn step(&self, values: &[f32], done: Done, rng: &mut Rng) -> Vec<f32> {
        let mut next = wander(values, rng);
        done.put_into(&mut next);
        next
    }
}

impl Simulator for Boxes {
    fn factors(&self) -> &[Factor] {
        &self.factors
    }

    fn shape(&self) -> Shape {
        Shape { channels: 3, height: SIDE, width: SIDE, range: Range::Unit }
    }

    fn temporal_graph(&self) -> &Array2<bool> {
        &self.temporal
    }

    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn intervened(&self) -> Vec<bool> {
        vec![true, false, true]
    }

    fn independent(&self, rng: &mut Rng) -> Vec<f32> {
        let side = rng.below(2) as f32;
        vec![side, scaled(0, anywhere(X, rng)), scaled(1, anywhere(Y, rng))]
    }

    fn advance(&self, values: &[f32], rng: &mut Rng) -> Moment {
        let mut next = wander(values, rng);
        let mut targets = vec![0.0; 3];
        if rng.uniform() < CHANCE {
            let target = [0, 2][rng.below(2)];
            next[target] = match target {
                0 => 1.0 - values[0],
                _ => scaled(1, anywhere(Y, rng)),
            };
            targets[target] = 1.0;
        }
        Moment { values: next, targets, action: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
