//! The system as a whole: mechanisms that move the variables, interventions, the mixing, and the tiles
//! that show the mixture. It is drawn from a seed, and then fixed.

use ndarray::Array2;

use super::choices::{Observations, Settings};
use super::graphs::Graphs;
use super::interventions::{Act, Habit, Robot};
use super::mechanisms::{Calibrated, Fate, Mechanisms, limit, unlimit};
use super::mixing::Flow;
use super::tiles::{self, Painting, SIDE};
use crate::data::simulation::{Column, Moment, Simulator};
use crate::data::{Done, Range, Shape, World};
use crate::error::Result;
use crate::factors::Factor;
use crate::graph::Graph;
use crate::rng::Rng;

/// How far independent frames spread, before the limit.
const INDEPENDENT: f32 = 0.5;

/// A system that moves on by itself and by interventions.
pub(super) struct System {
    factors: Vec<Factor>,
    columns: Vec<Column>,
    temporal: Array2<bool>,
    /// Where anything causes anything within a frame.
    instant: Option<Graph>,
    mechanisms: Mechanisms,
    habit: Habit,
    flow: Flow,
    painting: Painting,
    observations: Observations,
}

impl System {
    /// The system of these settings; its seed has a generator for each of its pieces.
    pub(super) fn draw(settings: &Settings) -> Result<Self> {
        let Settings { version, variables, .. } = *settings;
        let rng = Rng::new(settings.recording.seed).split("voronoi");
        let points = tiles::points(variables, &mut rng.split("points"));
        let habit = Habit::new(settings, &points, &rng.split("robot"));
        let [instant, temporal] = [settings.instant, settings.temporal].map(|edges| edges.or(0.0));
        let graphs = Graphs::draw(variables, instant, temporal, &rng.split("graphs"));
        let mechanisms = Mechanisms::draw(&graphs, version, &rng.split("mechanisms"));
        let Calibrated { mechanisms, halves } = mechanisms;
        let mut rows: Vec<f32> =
            (0..halves[0].len()).flat_map(|row| halves.iter().map(move |h| h[row])).collect();
        let flow = Flow::draw(variables, &mut rows, version, &rng.split("flow"));

        let names: Vec<String> = (0..variables).map(|k| format!("c{k}")).collect();
        let edges = graphs.instant_edges();
        let instant = match edges.is_empty() {
            true => None,
            false => Some(Graph::new(names.iter(), &edges)?),
        };
        let column = |(factor, name): (usize, &String)| Column::of(name, factor, 1.0, 0.0);
        Ok(Self {
            columns: names.iter().enumerate().map(column).collect(),
            factors: names.into_iter().map(Factor::continuous).collect(),
            temporal: graphs.temporal,
            instant,
            mechanisms,
            habit,
            flow,
            painting: Painting::new(&points),
            observations: settings.observations,
        })
    }

    /// The values mixed: about standard normal where the variables go by themselves.
    fn mix(&self, values: &[f32], mixed: &mut [f32]) {
        for (number, value) in mixed.iter_mut().zip(values) {
            *number = unlimit(*value);
        }
        self.flow.apply(mixed);
    }

    fn touched_by(&self, action: &[f32]) -> Option<Vec<bool>> {
        match (&self.habit, action) {
            (Habit::Robot(robot), &[x, y]) => Some(robot.touched([x, y])),
            _ => None,
        }
    }

    fn step_touching(&self, values: &[f32], touched: &[bool], rng: &mut Rng) -> Vec<f32> {
        let fate = |k: usize| if touched[k] { Fate::Intervened } else { Fate::Free };
        self.mechanisms.step(values, fate, rng)
    }
}

impl World for System {
    fn draw(&self, values: &[f32], out: &mut [f32]) {
        if self.observations == Observations::Vectors {
            return self.mix(values, out);
        }
        let mut mixed = [0.0; 16];
        let mixed = &mut mixed[..values.len()];
        self.mix(values, mixed);
        self.painting.draw(mixed.iter().map(|number| limit(number / 2.0)), out);
    }

    fn step(&self, values: &[f32], done: Done, rng: &mut Rng) -> Vec<f32> {
        match done {
            Done::Nothing => self.mechanisms.step(values, |_| Fate::Free, rng),
            Done::Set(dos) => {
                // The last one counts.
                let set = |k: usize| dos.iter().rev().find(|each| each.factor == k);
                let fate = |k: usize| set(k).map_or(Fate::Free, |each| Fate::Set(each.value));
                self.mechanisms.step(values, fate, rng)
            }
            Done::Action(action) => {
                let nobody = || vec![false; values.len()];
                let touched = self.touched_by(action).unwrap_or_else(nobody);
                self.step_touching(values, &touched, rng)
            }
        }
    }

    fn touched(&self, action: &[f32]) -> Option<Vec<bool>> {
        self.touched_by(action)
    }
}

impl Simulator for System {
    fn factors(&self) -> &[Factor] {
        &self.factors
    }

    fn shape(&self) -> Shape {
        match self.observations {
            Observations::Images => {
                Shape { channels: 3, height: SIDE, width: SIDE, range: Range::Unit }
            }
            Observations::Vectors => {
                Shape { channels: self.factors.len(), height: 1, width: 1, range: Range::Real }
            }
        }
    }

    fn temporal_graph(&self) -> &Array2<bool> {
        &self.temporal
    }

    fn graph(&self) -> Option<&Graph> {
        self.instant.as_ref()
    }

    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn publish_action(&self, action: &[f32]) -> Vec<f32> {
        action.iter().map(|place| Robot::published(*place)).collect()
    }

    fn intervened(&self) -> Vec<bool> {
        vec![true; self.factors.len()]
    }

    fn independent(&self, rng: &mut Rng) -> Vec<f32> {
        self.factors.iter().map(|_| limit(INDEPENDENT * rng.normal())).collect()
    }

    /// One step on from an independent frame, so that the first row has causes too.
    fn start(&self, rng: &mut Rng) -> Vec<f32> {
        let values = self.independent(rng);
        self.advance(&values, rng).values
    }

    fn advance(&self, values: &[f32], rng: &mut Rng) -> Moment {
        let Act { touched, action } = self.habit.act(values.len(), rng);
        let values = self.step_touching(values, &touched, rng);
        let targets = touched.iter().map(|touched| f32::from(u8::from(*touched))).collect();
        Moment { values, targets, action }
    }
}
