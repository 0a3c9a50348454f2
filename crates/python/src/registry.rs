//! What the metrics say of themselves: the package makes a function of each.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use unbraid_measure::metrics::{METRICS, Metric};

/// Every metric in the order of the docs: name, title, summary, paper, page, reading, needs.
#[pyfunction]
pub(crate) fn metrics(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    METRICS.iter().map(|metric| entry(py, *metric)).collect()
}

fn entry<'py>(py: Python<'py>, metric: &dyn Metric) -> PyResult<Bound<'py, PyDict>> {
    let info = metric.info();
    let entry = PyDict::new(py);
    for (key, text) in [
        ("name", info.name),
        ("title", info.title),
        ("summary", info.summary),
        ("paper", info.paper),
        ("page", info.page),
        ("reading", &metric.reading().to_string()),
        ("needs", &metric.needs().to_string()),
    ] {
        entry.set_item(key, text)?;
    }
    Ok(entry)
}
