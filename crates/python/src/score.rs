//! `score`: a table in, outcomes out.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use unbraid_measure::metrics::Score;
use unbraid_measure::representation::{Protocol, Split};
use unbraid_measure::scoring::{self, Options, Outcome, Report};

use crate::error::exception;
use crate::table::Table;
use crate::watched::watched;

/// The attributes of the `Options` of `python/unbraid/_functions.py`.
#[derive(FromPyObject)]
pub(crate) struct Asked {
    metrics: Vec<String>,
    seed: u64,
    bins: usize,
    /// How many first rows teach a predictor.
    train_rows: Option<usize>,
    /// How many last rows judge it.
    test_rows: Option<usize>,
    bootstrap: usize,
}

/// Judge a table. Returns an outcome per metric, the warnings, and the JSON document of both.
#[pyfunction]
#[pyo3(signature = (table, options, progress=None))]
pub(crate) fn score<'py>(
    py: Python<'py>,
    table: Table<'py>,
    options: Asked,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Vec<Bound<'py, PyDict>>, Vec<String>, String)> {
    let metrics = scoring::metrics_named(&options.metrics).map_err(|error| exception(&error))?;
    let split = Split::asked(options.train_rows, options.test_rows, table.rows(), options.seed);
    let protocol = Protocol { bins: options.bins, split };
    let table = table.representation(protocol).map_err(|error| exception(&error))?;
    let how = Options { seed: options.seed, bootstrap: options.bootstrap, ..Options::default() };
    let report =
        watched(py, progress.as_ref(), |watch| scoring::score(&table, &metrics, how, watch))?;
    let report = report.map_err(|error| exception(&error))?;
    let document = report.to_json().to_string();
    let Report { outcomes, warnings, .. } = report;
    let outcomes = outcomes.into_iter().map(|outcome| entry(py, outcome));
    Ok((outcomes.collect::<PyResult<_>>()?, warnings, document))
}

/// The fields of `Score`, and beside them the exception for whoever wants it raised.
fn entry(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyDict>> {
    let (score, error) = match outcome.score {
        Ok(score) => (Some(score), None),
        Err(error) => (None, Some(error)),
    };
    let entry = PyDict::new(py);
    entry.set_item("metric", outcome.metric.info().name)?;
    entry.set_item("value", score.as_ref().map(|score| score.value))?;
    let Score { parts, matrix, .. } = score.unwrap_or_default();
    let named = PyDict::new(py);
    for (name, part) in parts {
        named.set_item(name, part)?;
    }
    entry.set_item("parts", named)?;
    entry.set_item("matrix", matrix.map(|matrix| matrix.into_pyarray(py)))?;
    entry.set_item("interval", outcome.interval)?;
    entry.set_item("reading", outcome.metric.reading().to_string())?;
    entry.set_item("seconds", outcome.seconds)?;
    entry.set_item("reason", error.as_ref().map(ToString::to_string))?;
    entry.set_item("error", error.map(|error| exception(&error).into_value(py)))?;
    Ok(entry)
}
