//! The module `unbraid._native`: NumPy arrays to `unbraid-measure`, and its scores back to Python.
//! Conversion only. What users see is the package in `python/unbraid`, which is the one caller.

mod error;
mod registry;
mod score;
mod table;
mod watched;

/// The compiled half of the package `unbraid`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use super::registry::metrics;
    #[pymodule_export]
    use super::score::score;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python spells it so")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
