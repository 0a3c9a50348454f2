//! Who causes whom: a random order of the variables, edges within a frame that follow this order, and
//! edges from a frame to the next.

use ndarray::Array2;

use crate::rng::Rng;

/// The causes of every variable, within a frame and a frame before. Entry `[i, j]` is "i causes j".
pub(super) struct Graphs {
    /// Causes before effects.
    pub(super) order: Vec<usize>,
    pub(super) instant: Array2<bool>,
    /// A variable need not cause itself.
    pub(super) temporal: Array2<bool>,
}

impl Graphs {
    /// Every edge that the order allows is there with probability `instant`, every edge over time with
    /// `temporal`; the latter are drawn again, on top of what is there, until each variable has a cause
    /// (two from a probability of one half on). At probability 0 there are none.
    pub(super) fn draw(variables: usize, instant: f64, temporal: f64, rng: &Rng) -> Self {
        let order = rng.split("order").permutation(variables);
        let mut coins = rng.split("instant");
        let mut within = Array2::from_elem((variables, variables), false);
        for (place, &cause) in order.iter().enumerate() {
            for &effect in &order[place + 1..] {
                within[[cause, effect]] = coins.uniform() < instant;
            }
        }
        let mut coins = rng.split("temporal");
        let mut over_time =
            Array2::from_shape_simple_fn((variables, variables), || coins.uniform() < temporal);
        let fewest = if temporal >= 0.5 { 2 } else { 1 };
        for mut causes in over_time.columns_mut() {
            while temporal > 0.0 && causes.iter().filter(|edge| **edge).count() < fewest {
                causes.mapv_inplace(|edge| edge | (coins.uniform() < temporal));
            }
        }
        Self { order, instant: within, temporal: over_time }
    }

    /// The edges within a frame, cause first.
    pub(super) fn instant_edges(&self) -> Vec<(usize, usize)> {
        self.instant.indexed_iter().filter(|(_, edge)| **edge).map(|(place, _)| place).collect()
    }

    /// The causes of one variable in the frame before, and in the same frame.
    pub(super) fn causes(&self, variable: usize) -> [Vec<usize>; 2] {
        [&self.temporal, &self.instant].map(|graph| {
            let edges = graph.column(variable).into_iter().enumerate();
            edges.filter(|(_, edge)| **edge).map(|(cause, _)| cause).collect()
        })
    }

    /// The variables in waves: each has all its causes within the frame in waves before its own, so that
    /// those of one wave can be computed at the same time.
    pub(super) fn waves(&self) -> Vec<Vec<usize>> {
        let mut wave_of = vec![0; self.order.len()];
        let mut waves: Vec<Vec<usize>> = Vec::new();
        for &variable in &self.order {
            let [_, causes] = self.causes(variable);
            let wave = causes.iter().map(|&cause| wave_of[cause] + 1).max().unwrap_or(0);
            wave_of[variable] = wave;
            waves.resize(waves.len().max(wave + 1), Vec::new());
            waves[wave].push(variable);
        }
        waves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(instant: f64, temporal: f64) -> Vec<Graphs> {
        (0..200).map(|seed| Graphs::draw(6, instant, temporal, &Rng::new(seed))).collect()
    }

    fn density(graphs: &[Graphs], edges: impl Fn(&Graphs) -> usize, places: usize) -> f64 {
        graphs.iter().map(edges).sum::<usize>() as f64 / (graphs.len() * places) as f64
    }

    #[test]
    fn edges_within_a_frame_follow_the_order_and_have_their_density() {
        let graphs = drawn(0.5, 0.25);
        let density = density(&graphs, |graphs| graphs.instant_edges().len(), 15);
        assert!((density - 0.5).abs() < 0.04, "{density}");
        for graphs in &graphs {
            let place = |variable| graphs.order.iter().position(|v| *v == variable);
            assert!(graphs.instant_edges().iter().all(|(from, to)| place(*from) < place(*to)));
            let waves = graphs.waves();
            let wave = |variable| waves.iter().position(|wave| wave.contains(&variable));
            assert!(graphs.instant_edges().iter().all(|(from, to)| wave(*from) < wave(*to)));
            assert_eq!(waves.concat().len(), 6);
        }
        assert!(drawn(0.0, 0.4).iter().all(|graphs| graphs.waves().len() == 1));
    }

    #[test]
    fn every_variable_has_a_cause_over_time_unless_there_are_no_edges_at_all() {
        for (probability, fewest) in [(0.25, 1), (0.4, 1), (0.5, 2), (1.0, 2), (0.0, 0)] {
            let graphs = drawn(0.0, probability);
            let causes = |graphs: &Graphs, variable| graphs.causes(variable)[0].len();
            let least = graphs.iter().flat_map(|g| (0..6).map(move |v| causes(g, v))).min();
            assert_eq!(least, Some(if probability == 1.0 { 6 } else { fewest }));
        }
        // A column that would be empty, .6^6 of them, is drawn until it is not.
        let count = |graphs: &Graphs| graphs.temporal.iter().filter(|edge| **edge).count();
        let density = density(&drawn(0.0, 0.4), count, 36);
        let expected = 0.4 / (1.0 - 0.6_f64.powi(6));
        assert!((density - expected).abs() < 0.02, "{density} {expected}");
    }
}
