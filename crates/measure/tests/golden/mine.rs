//! The maximal information family against minepy: every statistic of two columns, whole matrices.

use std::collections::BTreeMap;

use serde_json::Value;
use unbraid_measure::metrics::Metric;
use unbraid_measure::metrics::maximal_information::{MaximalInformation, Statistic};
use unbraid_measure::npz::Npz;
use unbraid_measure::rng::Rng;
use unbraid_measure::stats::mine::{Axis, CharacteristicMatrix, Estimator, Mine, Search};
use unbraid_measure::watch::Stage;

use super::assert_close;
use super::set::{directory, entries, input, number, numbers, text, whole};

/// `mic` or `mic-e` with the settings of an entry.
pub(crate) fn mic(params: &Value) -> Box<dyn Metric> {
    Box::new(MaximalInformation { search: search(params), statistic: Statistic::Mic })
}

fn search(params: &Value) -> Search {
    let estimator = match text(&params["est"]) {
        "mic_approx" => Estimator::Approximate,
        "mic_e" => Estimator::Equicharacteristic,
        other => panic!("no estimator `{other}`"),
    };
    Search { alpha: number(&params["alpha"]), clumps: number(&params["c"]), estimator }
}

/// The statistics of two columns: more than metrics need, and each checks the whole matrix.
#[test]
fn every_statistic_of_the_characteristic_matrix_is_reproduced() {
    let mut pairs = Npz::open(directory().join("mic/pairs.npz")).unwrap();
    let mut matrices: BTreeMap<String, CharacteristicMatrix> = BTreeMap::new();
    let mut checked = 0;
    for entry in entries().iter().filter(|entry| entry["file"] == "mic/pairs.npz") {
        let params = &entry["params"];
        let matrix = matrices.entry(params.to_string()).or_insert_with(|| {
            let mut axis =
                |name: &str| Axis::new(&pairs.array(text(&params[name])).unwrap().into_floats());
            let (x, y) = (axis("x"), axis("y"));
            let mine = Mine::new(search(params), whole(&params["n"])).unwrap();
            mine.search(&x, &y, &|_| Ok(())).unwrap()
        });
        let found = match text(&entry["metric"]) {
            "mic" | "mic_e" => matrix.mic(),
            "tic" | "tic_e" => matrix.tic(),
            "tic_norm" | "tic_e_norm" => matrix.normalised_tic(),
            "mas" => matrix.mas(),
            "mev" => matrix.mev(),
            "mcn_eps0" => matrix.mcn(0.0),
            "gmic_p-1" => matrix.gmic(-1.0),
            other => panic!("no statistic `{other}`"),
        };
        let (expected, tolerance) = (number(&entry["expected"]), number(&entry["tolerance"]));
        assert!((found - expected).abs() <= tolerance, "{}: {found}", entry["id"]);
        checked += 1;
    }
    assert_eq!(checked, 756, "entries were lost, or are new");
}

#[test]
fn a_whole_characteristic_matrix_is_reproduced() {
    let example = directory().join("mic/characteristic_matrix_example.json");
    let example: Value = serde_json::from_str(&std::fs::read_to_string(example).unwrap()).unwrap();
    let mut pairs = Npz::open(directory().join("mic/pairs.npz")).unwrap();
    let mut column = |axis: &str| {
        pairs.array(&format!("{}__{axis}", text(&example["pair"]))).unwrap().into_floats()
    };
    let (x, y) = (column("x"), column("y"));
    for (name, estimator) in
        [("mic_approx", Estimator::Approximate), ("mic_e", Estimator::Equicharacteristic)]
    {
        let mine = Mine::new(Search::published(estimator), x.len()).unwrap();
        let matrix = mine.search(&Axis::new(&x), &Axis::new(&y), &|_| Ok(())).unwrap();
        let expected = example[name].as_array().unwrap();
        assert_eq!(matrix.rows().len(), expected.len());
        for (row, expected) in matrix.rows().iter().zip(expected) {
            assert_close(&example["pair"], row, &numbers(expected));
        }
    }
}

#[test]
fn mic_and_tic_of_every_code_and_factor_are_reproduced() {
    for entry in entries().iter().filter(|entry| text(&entry["metric"]).starts_with("mic_tic")) {
        for (statistic, name) in [(Statistic::Mic, "mic"), (Statistic::Tic, "tic_norm")] {
            let metric = MaximalInformation { search: search(&entry["params"]), statistic };
            let score = metric.score(&input(entry), &mut Rng::new(0), &Stage::unwatched()).unwrap();
            let matrix: Vec<f64> = score.matrix.unwrap().iter().copied().collect();
            let rows = entry["detail"][name].as_array().unwrap();
            assert_close(&entry["id"], &matrix, &rows.iter().flat_map(numbers).collect::<Vec<_>>());
        }
    }
}
