//! Calibration: random networks are run on from random states until their norms have seen what they
//! will see. Twenty rounds of five steps; the first four steps of a round learn, the last one tells how
//! the variables are spread. In BISCUIT's version each variable is then pulled towards mean 0 and
//! standard deviation 1 of u, and networks that say too little are drawn again.

use ndarray::Array2;
use rayon::prelude::*;

use super::{Calibrated, Mechanism, Mechanisms, Noise, UNCAUSED, limit};
use crate::data::sets::voronoi::choices::Version;
use crate::data::sets::voronoi::graphs::Graphs;
use crate::data::sets::voronoi::network::Network;
use crate::rng::Rng;

const ROWS: usize = 10_000;
const ROUNDS: usize = 20;
/// Steps of a round that learn; one more does not.
const LEARNT: usize = 4;
/// How often a value is replaced before a step, as by an intervention, and how far the new one spreads.
const REPLACED: f64 = 0.15;
const REPLACEMENT: f32 = 0.5;

/// A variable in the making.
struct Making {
    before: Vec<usize>,
    now: Vec<usize>,
    network: Network,
    /// Taken from the mean of the network before it is divided by `spread`.
    centre: f64,
    spread: f64,
}

/// Columns of numbers, `[variables][rows]`.
type Columns = Vec<Vec<f32>>;

/// A system whose networks are calibrated.
struct Calibration {
    makings: Vec<Making>,
    waves: Vec<Vec<usize>>,
    noise: Noise,
}

pub(super) fn calibrated(graphs: &Graphs, version: Version, rng: &Rng) -> Calibrated {
    let noise = Noise::of(version);
    let mut system = Calibration { makings: makings(graphs, rng), waves: graphs.waves(), noise };
    let mut values = Columns::new();
    for round in 0..ROUNDS {
        let rng = rng.split("rounds").at(round as u64);
        values = system.start(&rng.split("start"));
        let mut halves = Columns::new();
        for step in 0..=LEARNT {
            let rng = rng.at(step as u64);
            replace(&mut values, &rng.split("replaced"));
            halves = system.step(&values, step < LEARNT, &rng.split("noise"));
            values = limited(&halves);
        }
        if version == Version::Biscuit {
            system.pull(round, &halves, &rng.split("again"));
        }
    }
    let halves = system.step(&values, false, &rng.split("last"));
    let finished = |making: Making| Mechanism {
        network: making.network.folded(making.centre as f32, making.spread as f32),
        before: making.before,
        now: making.now,
    };
    let of_variable = system.makings.into_iter().map(finished).collect();
    let order = graphs.order.clone();
    Calibrated { mechanisms: Mechanisms { of_variable, order, noise }, halves }
}

fn makings(graphs: &Graphs, rng: &Rng) -> Vec<Making> {
    let variables = graphs.order.len();
    let making = |variable: usize| {
        let [before, now] = graphs.causes(variable);
        let causes = before.len() + now.len();
        let mut rng = rng.split("weights").at(variable as u64);
        let network = Network::draw(causes, 2 * variables, &mut rng);
        Making { before, now, network, centre: 0.0, spread: 1.0 }
    };
    (0..variables).map(making).collect()
}

/// Some values are replaced at random.
fn replace(values: &mut Columns, rng: &Rng) {
    values.par_iter_mut().enumerate().for_each(|(variable, column)| {
        let mut rng = rng.at(variable as u64);
        for value in column {
            if rng.uniform() < REPLACED {
                *value = limit(REPLACEMENT * rng.normal());
            }
        }
    });
}

fn limited(numbers: &Columns) -> Columns {
    let column = |column: &Vec<f32>| column.iter().map(|number| limit(*number)).collect();
    numbers.par_iter().map(column).collect()
}

impl Calibration {
    /// Values that a round starts from.
    fn start(&self, rng: &Rng) -> Columns {
        let column = |variable: usize| {
            let mut rng = rng.at(variable as u64);
            (0..ROWS).map(|_| limit(self.noise.intervened * rng.normal())).collect()
        };
        (0..self.makings.len()).into_par_iter().map(column).collect()
    }

    /// One step without interventions; u / 2.
    fn step(&mut self, previous: &Columns, learning: bool, rng: &Rng) -> Columns {
        let own = self.noise.own;
        let mut numbers = vec![Vec::new(); self.makings.len()];
        for wave in &self.waves {
            let of_wave = self.makings.par_iter_mut().enumerate();
            let drawn: Vec<(usize, Vec<f32>)> = of_wave
                .filter(|(variable, _)| wave.contains(variable))
                .map(|(variable, making)| {
                    let mut rng = rng.at(variable as u64);
                    (variable, making.draw(previous, &numbers, learning, own, &mut rng))
                })
                .collect();
            for (variable, column) in drawn {
                numbers[variable] = column;
            }
        }
        numbers.iter_mut().flatten().for_each(|number| *number /= 2.0);
        numbers
    }

    /// After a round, from v = u / 2: centre += mean(v) / 2 · spread, spread *= √(2 std(v)), halfway
    /// towards what would make them 0 and 1. A network whose values fall into too few places is drawn
    /// again instead.
    fn pull(&mut self, round: usize, halves: &Columns, rng: &Rng) {
        let fewest = match round {
            0..=9 => 1.5,
            11..=14 => 1.9,
            _ => f64::NEG_INFINITY,
        };
        for (variable, (making, column)) in self.makings.iter_mut().zip(halves).enumerate() {
            if making.before.is_empty() && making.now.is_empty() {
                continue;
            }
            if entropy(column) < fewest {
                making.network.redraw(&mut rng.at(variable as u64));
                (making.centre, making.spread) = (0.0, 1.0);
                continue;
            }
            let (mean, deviation) = moments(column);
            making.centre += mean / 2.0 * making.spread;
            making.spread *= (2.0 * deviation).sqrt();
        }
    }
}

impl Making {
    /// u for every row.
    fn draw(
        &mut self,
        previous: &Columns,
        current: &Columns,
        learning: bool,
        own: f32,
        rng: &mut Rng,
    ) -> Vec<f32> {
        let columns = self.before.iter().map(|&cause| &previous[cause]);
        let columns: Vec<_> =
            columns.chain(self.now.iter().map(|&cause| &current[cause])).collect();
        if columns.is_empty() {
            return (0..ROWS).map(|_| UNCAUSED + rng.normal()).collect();
        }
        let causes = Array2::from_shape_fn((ROWS, columns.len()), |(row, k)| columns[k][row]);
        let mut numbers = self.network.respond(&causes, learning);
        let (centre, spread) = (self.centre as f32, self.spread as f32);
        for number in &mut numbers {
            *number = (*number - centre) / spread + own * rng.normal();
        }
        numbers
    }
}

/// Mean and standard deviation.
pub(crate) fn moments(numbers: &[f32]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().map(|v| f64::from(*v)).sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

/// Of how the numbers fall into 20 places between -2 and 2, in nats; at most ln 20 = 3.0.
pub(crate) fn entropy(numbers: &[f32]) -> f64 {
    let mut counts = [0_usize; 20];
    for number in numbers.iter().filter(|number| (-2.0..=2.0).contains(*number)) {
        counts[(((number + 2.0) * 5.0) as usize).min(19)] += 1;
    }
    let total = counts.iter().sum::<usize>().max(1) as f64;
    let term = |count: &usize| {
        let share = *count as f64 / total;
        -share * share.max(1e-5).ln()
    };
    counts.iter().map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_counts_places() {
        assert_eq!(entropy(&[0.1; 50]), 0.0);
        let spread: Vec<f32> = (0..20).map(|k| -1.9 + 0.2 * k as f32).collect();
        assert!((entropy(&spread) - 20.0_f64.ln()).abs() < 1e-9);
        assert!(
            (entropy(&[0.1, 0.3, 5.0, -7.0]) - 2.0_f64.ln()).abs() < 1e-9,
            "outside is left out"
        );
    }

    #[test]
    fn variables_are_spread_as_the_rule_of_biscuit_asks_for() {
        let (mut dull, mut spread) = (0, 0.0);
        for seed in 0..6 {
            let graphs = Graphs::draw(6, 0.0, 0.4, &Rng::new(seed));
            let made = calibrated(&graphs, Version::Biscuit, &Rng::new(seed));
            for column in &made.halves {
                let (mean, deviation) = moments(column);
                // The pull goes halfway in each round, and the last rows are of a step without
                // replaced values: no variable is exactly where it is pulled to.
                assert!(mean.abs() < 0.2 && (0.3..0.7).contains(&deviation), "{mean} {deviation}");
                assert!(entropy(column) > 1.5);
                dull += usize::from(entropy(column) < 1.9);
                spread += deviation / 36.0;
            }
        }
        assert!(dull <= 2 && (0.45..0.55).contains(&spread), "{dull} of 36; {spread}");
    }

    #[test]
    fn the_same_seed_gives_the_same_system() {
        let graphs = Graphs::draw(4, 0.5, 0.25, &Rng::new(1));
        let made = || calibrated(&graphs, Version::Citris, &Rng::new(1)).halves;
        assert_eq!(made(), made());
    }
}
