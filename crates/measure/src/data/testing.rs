//! What the tests of data sets share.

use std::fmt::Display;
use std::path::Path;

use super::Dataset;
use super::storage::library::{Publication, import_to, open_at};
use crate::watch::Stage;

/// One observation. Filled with what is no number first, so that a pixel left out is seen.
pub(crate) fn row(data: &dyn Dataset, index: usize) -> Vec<f32> {
    let mut out = vec![f32::NAN; data.shape().size()];
    data.observe(index, &mut out);
    out
}

/// That something fails, with all these parts in its message.
#[track_caller]
pub(crate) fn assert_refused<T, E: Display>(result: Result<T, E>, parts: &[&str]) {
    let error = result.err().expect("this should be refused").to_string();
    for part in parts {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
}

/// Import published files, whatever their checksums, and open all rows; a refused import leaves
/// nothing behind.
pub(crate) fn import(publication: &Publication, from: &Path) -> Result<Box<dyn Dataset>, String> {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("imported");
    let done = import_to(publication, from, &target, true, &Stage::unwatched());
    assert!(done.is_ok() || std::fs::read_dir(dir.path()).unwrap().next().is_none());
    done.map_err(|error| error.to_string())?;
    Ok(open_at(&target, "all").unwrap())
}
