//! The types of the Python package: its functions are made when it is imported, so that no type
//! checker would see them without this file.

use serde_json::Value as Json;

use crate::{Result, docs::cell};

/// Where it lies.
pub(crate) const PATH: &str = "python/unbraid/__init__.pyi";

const HEAD: &str = "\
# Written by `cargo xtask docs`: one function per metric, as `_functions.function_of` makes them.
from collections.abc import Iterable, Sequence

import numpy.typing as npt

from ._errors import ArrayError, Error, MissingError, SettingError, UnknownError
from ._functions import Progress, metrics, score
from ._native import __version__
from ._scores import Score, Scores
from ._table import Blocks, Factors

";

/// What the package exports beside its metrics.
const NAMES: [&str; 10] = [
    "ArrayError",
    "Error",
    "MissingError",
    "Score",
    "Scores",
    "SettingError",
    "UnknownError",
    "__version__",
    "metrics",
    "score",
];

/// The whole file, from the metrics of `unbraid list --json`.
pub(crate) fn page(metrics: &[Json]) -> Result<String> {
    let name = |metric: &Json| cell(metric, "name").replace('-', "_");
    let exported = NAMES.map(String::from).into_iter().chain(metrics.iter().map(name));
    let exported: Vec<String> = exported.map(|name| format!("    \"{name}\",\n")).collect();
    let functions: Result<String> = metrics.iter().map(function).collect();
    Ok(format!("{HEAD}__all__ = [\n{}]\n{}", exported.concat(), functions?))
}

fn function(metric: &Json) -> Result<String> {
    let name = cell(metric, "name").replace('-', "_");
    let blocks = match name.as_str() {
        "alignment" => "blocks: Blocks | None = None, ",
        _ => "",
    };
    let parameters = match cell(metric, "needs") {
        "factors" | "split" => &format!(
            "codes: npt.ArrayLike, factors: Factors, {blocks}*, names: Sequence[str] | None = None, \
             seed: int = 0, bins: int = 20, train_rows: int | None = None, \
             test_rows: int | None = None, bootstrap: int = 0, progress: Progress | None = None"
        ),
        "codes" => {
            "codes: npt.ArrayLike, *, seed: int = 0, bins: int = 20, bootstrap: int = 0, \
             progress: Progress | None = None"
        }
        "siblings" => {
            "models: Iterable[npt.ArrayLike], kl: Iterable[npt.ArrayLike] | None = None, *, \
             seed: int = 0, progress: Progress | None = None"
        }
        "graphs" => "learned: npt.ArrayLike, true: npt.ArrayLike",
        other => {
            return Err(format!("metric `{name}` needs `{other}`, which stubs.rs does not know"));
        }
    };
    let parameters = parameters.replace(", ", ",\n    ");
    let summary = cell(metric, "summary");
    Ok(format!("\ndef {name}(\n    {parameters},\n) -> Score:\n    \"\"\"{summary}\"\"\"\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_a_function_with_the_parameters_of_what_it_needs() {
        let metric = |needs: &str| serde_json::json!({"name": "mcc-spearman", "summary": "ranks", "needs": needs});
        let written = page(&[metric("graphs")]).unwrap();
        assert!(written.contains("    \"score\",\n    \"mcc_spearman\",\n]\n"), "{written}");
        let function = "\ndef mcc_spearman(\n    learned: npt.ArrayLike,\n    \
                        true: npt.ArrayLike,\n) -> Score:\n    \"\"\"ranks\"\"\"\n";
        assert!(written.ends_with(function), "{written}");
        assert!(page(&[metric("split")]).unwrap().contains("    *,\n    names:"));
        assert!(page(&[metric("luck")]).is_err());
    }
}
