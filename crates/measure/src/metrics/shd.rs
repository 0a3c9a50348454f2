//! Structural Hamming distance (Tsamardinos, Brown and Aliferis 2006, Machine Learning 65), as used
//! for learned causal graphs (NOTEARS, Zheng et al. 2018, arXiv:1803.01422; CITRIS, Lippe et al.
//! 2022, arXiv:2202.03169):
//!
//! ```text
//! SHD = missing + extra + reversed edges
//! ```
//!
//! It is defined on directed edges here, so that a learned graph need not be acyclic: an edge in
//! both directions is two edges. CITRIS calls precision and recall 0 where there is nothing to
//! share; two graphs without edges have 1 here.

use ndarray::Array2;

use super::{Better, Metric, Needs, Reading, Score};
use crate::causal::graph_distance::GraphDistance;
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

How many edges of a learned causal graph are wrong.

## How

An edge is learned if its absolute weight is above 0.3. The distance counts the edges to add, to
remove and to reverse until the learned graph is the true one; a reversal counts once. Self-loops
are ignored. An edge learned in both directions is two edges. Codes and factors are not used, so
neither continuous nor constant factors matter.

## Reading it

From 0 upwards; 0: the graphs are equal. A graph without edges scores the number of true edges, and
no acyclic graph with n nodes scores above n (n - 1) / 2. The parts `missing`, `extra` and
`reversed` add up to the distance; `precision` is the share of learned edges that are true, `recall`
the share of true edges that were learned, a reversed edge counting as wrong in both, and `f1` their
harmonic mean. A share of nothing is 1 if neither graph has an edge, and 0 otherwise.

## Cautions

- Edge weights depend on the scale of the variables. 0.3 is the threshold that NOTEARS uses for
  linear models of data with unit noise; edge probabilities are better cut at 0.5.
- Learning no edge at all beats a poor guess where true edges are few; read `recall` beside it.
- A graph can be wrong by this distance and yet be Markov equivalent to the true one: from
  observational data alone, some edges cannot be oriented.
- Node i of the learned graph must be node i of the true one.

## Reference

Tsamardinos, Brown and Aliferis, The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65, 2006; threshold of Zheng et al., DAGs with NO TEARS, 2018,
arXiv:1803.01422.";

/// Structural Hamming distance.
#[derive(Clone, Copy, Debug)]
pub struct Shd {
    /// A learned edge is one whose absolute weight is above this.
    pub threshold: f64,
}

impl Shd {
    /// With the threshold of NOTEARS.
    pub const NOTEARS: Self = Self { threshold: 0.3 };
}

impl Metric for Shd {
    fn info(&self) -> Info {
        Info {
            name: "shd",
            title: "Structural Hamming distance",
            summary: "how many edges of the learned graph are missing, extra or reversed",
            paper: "Tsamardinos, Brown and Aliferis, The max-min hill-climbing algorithm, 2006",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "every edge of the learned graph is right";
        Reading { low: 0.0, high: f64::INFINITY, better: Better::Lower, line }
    }

    fn needs(&self) -> Needs {
        Needs::Graphs
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        let readings = &representation.readings;
        let (Some(learned), Some(truth)) = (&readings.learned_graph, &readings.true_graph) else {
            let missing = match (&readings.learned_graph, &readings.true_graph) {
                (None, None) => "there is neither a learned graph nor a true one",
                (None, _) => "there is no learned graph",
                _ => "there is no true graph",
            };
            return Err(Error::Missing(format!(
                "{missing}; give both, with --graph and --true-graph"
            )));
        };
        if let Some((edge, strength)) = learned.indexed_iter().find(|(_, s)| !s.is_finite()) {
            return Err(Error::Array(format!(
                "edge {} -> {} of the learned graph has strength {strength}; every strength must \
                 be finite",
                edge.0, edge.1
            )));
        }
        let learned = learned.mapv(|strength| strength.abs() > self.threshold);
        let nodes = truth.len();
        let truth = Array2::from_shape_fn((nodes, nodes), |(i, j)| truth.has_edge(i, j));
        let distance = GraphDistance::between(learned.view(), truth.view())?;
        let parts = [
            ("precision", distance.precision()),
            ("recall", distance.recall()),
            ("f1", distance.f1()),
            ("missing", distance.missing as f64),
            ("extra", distance.extra as f64),
            ("reversed", distance.reversed as f64),
        ];
        Ok(Score {
            value: distance.hamming() as f64,
            parts: parts.map(|(name, number)| (name.to_string(), number)).into(),
            matrix: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use crate::graph::Graph;
    use ndarray::array;

    fn score(learned: Option<Array2<f64>>, truth: Option<Graph>) -> Result<Score> {
        let column = array![[0.0f32], [1.0]];
        let mut table =
            Representation::new(column.clone(), column, vec![Factor::continuous("a")]).unwrap();
        table.readings.learned_graph = learned;
        table.readings.true_graph = truth;
        Shd::NOTEARS.score(&table, &mut Rng::new(0), &Stage::unwatched())
    }

    fn chain() -> Graph {
        Graph::new(["a", "b", "c"], &[(0, 1), (1, 2)]).unwrap()
    }

    #[test]
    fn strengths_are_cut_whatever_their_sign_and_cause_comes_first() {
        let learned = array![[9.0, -0.4, 0.3], [0.0, 0.0, 0.29], [0.0, 0.31, 0.0]];
        let score = score(Some(learned), Some(chain())).unwrap();
        // 0 -> 1 is right, 1 -> 2 was learned as 2 -> 1, 0 -> 2 is not above the threshold.
        assert_eq!(score.value, 1.0);
        let expected = [
            ("precision", 0.5),
            ("recall", 0.5),
            ("f1", 0.5),
            ("missing", 0.0),
            ("extra", 0.0),
            ("reversed", 1.0),
        ];
        assert_eq!(score.parts, expected.map(|(name, number)| (name.to_string(), number)));
    }

    #[test]
    fn what_is_missing_or_does_not_fit_is_said() {
        let message = |found: Result<Score>| found.unwrap_err().to_string();
        let none = message(score(None, None));
        assert!(none.contains("neither") && none.contains("--true-graph"), "{none}");
        assert!(message(score(None, Some(chain()))).contains("no learned graph"));
        assert!(message(score(Some(Array2::zeros((3, 3))), None)).contains("no true graph"));
        assert!(matches!(score(None, None), Err(Error::Missing(_))));
        let nan = array![[0.0, f64::NAN], [0.0, 0.0]];
        assert!(message(score(Some(nan), Some(chain()))).contains("0 -> 1"));
        let small = message(score(Some(Array2::zeros((2, 2))), Some(chain())));
        assert!(small.contains("(2, 2)") && small.contains("(3, 3)"), "{small}");
    }
}
