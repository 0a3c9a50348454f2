//! `unbraid_measure::Error` as the exceptions of `python/unbraid/_errors.py`.

use pyo3::PyErr;
use unbraid_measure::Error;

/// Defined in Python, because there an exception can have two bases: an `ArrayError` is also a
/// `ValueError`.
mod classes {
    pyo3::import_exception!(unbraid._errors, Error);
    pyo3::import_exception!(unbraid._errors, ArrayError);
    pyo3::import_exception!(unbraid._errors, MissingError);
    pyo3::import_exception!(unbraid._errors, SettingError);
    pyo3::import_exception!(unbraid._errors, UnknownError);
}

/// The exception for an error, with its sentence.
pub(crate) fn exception(error: &Error) -> PyErr {
    let sentence = error.to_string();
    match error {
        // The sentence of the library names a command of the program.
        Error::Unknown { kind, name, hint, .. } => classes::UnknownError::new_err(format!(
            "unknown {kind} `{name}`{hint} (`unbraid.metrics()` lists all)"
        )),
        Error::Setting { .. } => classes::SettingError::new_err(sentence),
        Error::Missing(_) | Error::NotHere(_) => classes::MissingError::new_err(sentence),
        Error::Array(_) => classes::ArrayError::new_err(sentence),
        Error::Io { .. } | Error::Format { .. } | Error::Stopped => {
            classes::Error::new_err(sentence)
        }
    }
}
