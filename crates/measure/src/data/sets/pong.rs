//! `pong`: Interventional Pong of CITRIS, played by its rules and drawn on the fly.

use ndarray::Array2;
use toml::Table;

use crate::data::drawing::field::SIDE;
use crate::data::simulation::{Column, Moment, Simulated, Simulator};
use crate::data::{Done, Opened, Range, Shape, Source, World};
use crate::error::Result;
use crate::factors::Factor;
use crate::info::Info;
use crate::rng::Rng;
use crate::settings;

mod choices;
mod drawing;
mod physics;

use choices::{Rules, Settings};
use drawing::{CHANNELS, Drawing, Scene};
use physics::{POINTS, SPEED, State, TARGETS};

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "pong",
        title: "Interventional Pong",
        summary: "two paddles and a ball, with interventions: a causal system over time; 32x32",
        paper: "Lippe et al., CITRIS: Causal Identifiability from Temporal Intervened Sequences, \
                2022",
        page: "\
A game of Pong that plays itself: the paddles follow the ball, the ball bounces off walls and
paddles, and whoever misses it gives the other a point. In more than half of the steps somebody
interferes: the ball is put elsewhere, turned, or a paddle is pushed. The task is to find the
variables of the game from frames and from which of them was interfered with.

Frames are 4x32x32, values 0 to 1: red, green, blue, and a fourth channel that shows, black on
white, where the ball will be a step later; without it the direction could not be seen.

| factor         | values     | intervened on | meaning                                          |
| -------------- | ---------- | ------------- | ------------------------------------------------ |
| ball-vel-dir   | 0 to 2 pi  | yes           | direction of the ball, 0 is up, pi/2 is right    |
| ball-x         | -1 to 1    | yes           | where the ball is; the field is 2 wide           |
| ball-y         | -1 to 1    | yes           | the same, upwards                                |
| paddle-left-y  | -1 to 1    | yes           | middle of the left, blue paddle                  |
| paddle-right-y | -1 to 1    | yes           | middle of the right, green paddle                |
| score-left     | 0 to 4     | never         | points; at the fifth of either both begin at 0   |
| score-right    | 0 to 4     | never         |                                                  |

Every row but the last has a next one, with the factors that the step to it intervenes on: at most
one. Who causes whom from one frame to the next (the direction, say, is turned by a paddle that is
in the way) is the temporal graph.

Settings:
- part: \"train\", \"val\" and \"test\" are sequences; \"val_indep\" and \"test_indep\" are frames
  whose factors are drawn one by one, to measure with; \"val_triplets\" and \"test_triplets\" have
  rows in threes: two frames of the sequence, and a mixture that has some factors of the second.
- frames: length of the training sequence. The other sequences and the triplets are a tenth of it,
  single frames a quarter.
- seed: everything is drawn from it. Each part is a game of its own, and the same whether or not the
  others are opened.
- interventions: \"released\" as the script of CITRIS has it, in 56 % of the steps; or \"paper\" as
  its appendix says, in 65 % of them and with other noises.

Good to know:
- Interventions on the ball forget what was. Those on a paddle do not: they push it up or down from
  where it was.
- Nobody intervenes on the scores, so that interventions cannot tell them apart. Measure the five
  others by themselves as well.
- A point sets ball and paddles anew, which makes ball-x and the direction causes of nearly all.
- The published arrays have an eighth column, ball_vel_magn, always 2. It is left out here, and
  `unbraid data make` writes it. Positions are stored in pixels there, and as x / 16 - 1 here.
- The random numbers are not those of NumPy: the game is the same, but not the moves.

Checked against the frames that the released script drew: from their latents all are drawn again,
no byte more than 2 of 255 grey levels apart. Its steps, too, are those of our rules, up to noise
of the size that the rules have.

The script is published under the BSD 3-clause Clear licence. Cite: Phillip Lippe, Sara Magliacane,
Sindy Löwe, Yuki M. Asano, Taco Cohen, Efstratios Gavves, CITRIS: Causal Identifiability from
Temporal Intervened Sequences, ICML 2022.",
    },
    open,
    publication: None,
};

/// The factors that are positions, published in pixels.
const POSITIONS: [&str; 4] = ["ball-x", "ball-y", "paddle-left-y", "paddle-right-y"];
/// Half the field: a position in pixels is `16 · value + 16`.
const HALF: f32 = 16.0;
/// How many factors there are.
const FACTORS: usize = 7;
/// Which factors cause which a step later; by column of the factors. A point sets paddles and ball
/// anew, and is decided by the place and the direction of the ball.
const CAUSES: [&[usize]; FACTORS] = [
    &[0, 1, 2, 3, 4],
    &[0, 1, 2, 3, 4],
    &[0, 1, 2],
    &[0, 1, 2, 3],
    &[0, 1, 2, 4],
    &[0, 1, 5, 6],
    &[0, 1, 5, 6],
];

fn open(given: &Table) -> Result<Opened> {
    let settings: Settings = settings::parse("data", given)?;
    let data =
        Simulated::record(Pong::new(Rules::of(settings.interventions)), &settings.recording)?;
    Ok((Box::new(data), settings::to_table(&settings)))
}

struct Pong {
    rules: Rules,
    drawing: Drawing,
    factors: Vec<Factor>,
    columns: Vec<Column>,
    temporal: Array2<bool>,
}

impl Pong {
    fn new(rules: Rules) -> Self {
        let score = |name: &str| Factor::discrete(name, (0..POINTS).map(f32::from));
        let mut factors = vec![Factor::angle("ball-vel-dir")];
        factors.extend(POSITIONS.map(Factor::continuous));
        factors.extend(["score-left", "score-right"].map(score));
        let column = |(k, factor): (usize, &Factor)| {
            let in_pixels = POSITIONS.contains(&factor.name.as_str());
            let (scale, offset) = if in_pixels { (HALF, HALF) } else { (1.0, 0.0) };
            Column::of(&factor.name.replace('-', "_"), k, scale, offset)
        };
        let mut columns: Vec<Column> = factors.iter().enumerate().map(column).collect();
        columns.insert(1, Column::constant("ball_vel_magn", SPEED as f32));
        let temporal = Array2::from_shape_fn((FACTORS, FACTORS), |(i, j)| CAUSES[j].contains(&i));
        Self { rules, drawing: Drawing::new(), factors, columns, temporal }
    }
}

impl State {
    /// Pixels from the values of factors. Scores that are none are taken for the nearest ones.
    fn of(values: &[f32]) -> Self {
        let pixels = |k: usize| f64::from(values[k]).mul_add(HALF.into(), HALF.into());
        Self {
            direction: values[0].into(),
            x: pixels(1),
            y: pixels(2),
            paddles: [3, 4].map(pixels),
            scores: [5, 6].map(|k| (values[k].round() as u8).min(POINTS - 1)),
        }
    }

    /// The values of the factors.
    fn values(&self) -> Vec<f32> {
        let position = |pixels: f64| (pixels / f64::from(HALF) - 1.0) as f32;
        let Self { direction, x, y, paddles: [left, right], scores } = *self;
        let numbers = [direction as f32, position(x), position(y), position(left), position(right)];
        numbers.into_iter().chain(scores.map(f32::from)).collect()
    }
}

impl World for Pong {
    fn draw(&self, values: &[f32], out: &mut [f32]) {
        let pixels = |k: usize| values[k].mul_add(HALF, HALF);
        let scene = Scene {
            direction: values[0],
            ball: [1, 2].map(pixels),
            paddles: [3, 4].map(pixels),
            scores: [values[5], values[6]],
        };
        self.drawing.draw(&scene, out);
    }

    /// What is set is set after the step, and not held to what the game allows.
    fn step(&self, values: &[f32], done: Done, rng: &mut Rng) -> Vec<f32> {
        let mut next = State::of(values).step(&self.rules, rng).0.values();
        done.put_into(&mut next);
        next
    }
}

impl Simulator for Pong {
    fn factors(&self) -> &[Factor] {
        &self.factors
    }

    fn shape(&self) -> Shape {
        Shape { channels: CHANNELS, height: SIDE, width: SIDE, range: Range::Unit }
    }

    fn temporal_graph(&self) -> &Array2<bool> {
        &self.temporal
    }

    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn intervened(&self) -> Vec<bool> {
        (0..FACTORS).map(|factor| factor < TARGETS.len()).collect()
    }

    fn independent(&self, rng: &mut Rng) -> Vec<f32> {
        State::independent(rng).values()
    }

    fn advance(&self, values: &[f32], rng: &mut Rng) -> Moment {
        let before = State::of(values);
        let (mut state, anew) = before.step(&self.rules, rng);
        let mut targets = vec![0.0; FACTORS];
        if rng.uniform() < self.rules.chance {
            let chosen = rng.below(TARGETS.len());
            state.intervene(TARGETS[chosen], &before, anew, &self.rules, rng);
            targets[chosen] = 1.0;
        }
        Moment { values: state.values(), targets, action: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
