//! The data set of a simulator: its states are simulated when it is opened, its frames drawn when they
//! are asked for. A state is a few numbers and a frame is thousands, so that a hundred thousand rows
//! take a few megabytes and a fraction of a second.

use ndarray::Array2;

use super::published;
use super::{Form, Moment, Recording, Simulator};
use crate::data::{Dataset, Shape, Transition, Triplet, World};
use crate::error::Result;
use crate::factors::Factor;
use crate::graph::Graph;
use crate::npz::NpzWriter;
use crate::rng::Rng;
use crate::settings::Word;

/// A part of what a simulator makes.
pub(crate) struct Simulated<S> {
    pub(super) simulator: S,
    form: Form,
    rows: usize,
    states: States,
}

/// The numbers of all rows.
#[derive(Default)]
struct States {
    /// `[rows, factors]`
    values: Vec<f32>,
    /// Sequences: `[rows, factors]`, 1 where the step to this row intervened. Triplets: `[triplets,
    /// factors]`, 1 where the mixture has the value of the second frame.
    targets: Vec<f32>,
    /// `[rows, numbers]`, what was done to get to this row; empty where nothing is.
    actions: Vec<f32>,
}

impl<S: Simulator> Simulated<S> {
    /// Simulate a part.
    pub(crate) fn record(simulator: S, recording: &Recording) -> Result<Self> {
        recording.check()?;
        let Recording { part, frames, seed } = *recording;
        let (form, count, root) = (part.form(), part.size(frames), Rng::new(seed));
        let mut rng = root.split(part.word());
        let states = match form {
            Form::Sequence => States::of(sequence(&simulator, count, rng)),
            Form::Independent => {
                let values = (0..count).flat_map(|_| simulator.independent(&mut rng)).collect();
                States { values, ..States::default() }
            }
            Form::Triplets(of) => {
                let moments = sequence(&simulator, of.size(frames), root.split(of.word()));
                let frames: Vec<Vec<f32>> = moments.map(|moment| moment.values).collect();
                mixtures(&frames, &simulator.intervened(), count, &mut rng)
            }
        };
        let rows = states.values.len() / simulator.factors().len();
        Ok(Self { simulator, form, rows, states })
    }
}

/// The first state is where the sequence comes from; it is no row.
fn sequence<S: Simulator>(
    simulator: &S,
    count: usize,
    mut rng: Rng,
) -> impl Iterator<Item = Moment> {
    let mut state = simulator.start(&mut rng);
    (0..count).map(move |_| {
        let moment = simulator.advance(&state, &mut rng);
        state.clone_from(&moment.values);
        moment
    })
}

impl States {
    fn of(moments: impl Iterator<Item = Moment>) -> Self {
        let mut states = Self::default();
        for Moment { values, targets, action } in moments {
            states.values.extend(values);
            states.targets.extend(targets);
            states.actions.extend(action);
        }
        states
    }
}

/// Two different frames each time, and a coin per factor that is ever intervened on; the coins are
/// thrown again if all say the same frame. The other factors are those of the first frame.
fn mixtures(frames: &[Vec<f32>], intervened: &[bool], count: usize, rng: &mut Rng) -> States {
    let mut states = States::default();
    for _ in 0..count {
        let pair = rng.distinct(2, frames.len());
        let [first, second] = [&frames[pair[0]], &frames[pair[1]]];
        let mask = loop {
            let coin = |free: &bool| rng.below(2) == 1 && *free;
            let mask: Vec<bool> = intervened.iter().map(coin).collect();
            if mask.contains(&true) && mask.contains(&false) {
                break mask;
            }
        };
        let choose = |k: usize| if mask[k] { second[k] } else { first[k] };
        states.values.extend(first);
        states.values.extend(second);
        states.values.extend((0..mask.len()).map(choose));
        states.targets.extend(mask.iter().map(|second| f32::from(u8::from(*second))));
    }
    states
}

impl<S: Simulator> Simulated<S> {
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// The values of a row.
    pub(super) fn state(&self, row: usize) -> &[f32] {
        let width = self.simulator.factors().len();
        &self.states.values[row * width..(row + 1) * width]
    }

    /// Row of a sequence, or number of a triplet.
    pub(super) fn targets(&self, row: usize) -> &[f32] {
        let width = self.simulator.factors().len();
        &self.states.targets[row * width..(row + 1) * width]
    }

    /// What was done to get to this row, where the world is acted on.
    pub(super) fn action(&self, row: usize) -> Option<&[f32]> {
        let width = self.states.actions.len() / self.rows;
        (width > 0).then(|| &self.states.actions[row * width..(row + 1) * width])
    }
}

impl<S: Simulator + 'static> Dataset for Simulated<S> {
    fn factors(&self) -> &[Factor] {
        self.simulator.factors()
    }

    fn shape(&self) -> Shape {
        self.simulator.shape()
    }

    fn len(&self) -> usize {
        self.rows
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        self.simulator.draw(self.state(index), out);
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        out.copy_from_slice(self.state(index));
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        Some(self.state(index).to_vec())
    }

    fn next(&self, index: usize) -> Option<Transition> {
        let next = index + 1;
        (self.form == Form::Sequence && next < self.rows).then(|| Transition {
            index: next,
            targets: self.targets(next).to_vec(),
            action: self.action(next).unwrap_or_default().to_vec(),
        })
    }

    fn temporal_graph(&self) -> Option<&Array2<bool>> {
        Some(self.simulator.temporal_graph())
    }

    fn triplet(&self, number: usize) -> Option<Triplet> {
        let Form::Triplets(_) = self.form else { return None };
        (number < self.rows / 3).then(|| Triplet {
            rows: [0, 1, 2].map(|k| number * 3 + k),
            from_second: self.targets(number).iter().map(|mark| *mark == 1.0).collect(),
        })
    }

    fn world(&self) -> Option<&dyn World> {
        Some(&self.simulator)
    }

    fn graph(&self) -> Option<&Graph> {
        self.simulator.graph()
    }

    fn write_published(&self, rows: &[usize], file: &mut NpzWriter) -> Result<bool> {
        published::write(self, rows, file)
    }
}
