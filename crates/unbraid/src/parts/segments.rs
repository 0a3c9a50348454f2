//! Segments: one-hot labels of the segment of time a row belongs to.

use ndarray::Array2;

use crate::error::{Error, Result};

/// The segment of each row, from one-hot labels `[rows, segments]`; `None` if any label is not
/// one-hot.
pub fn segments(labels: &Array2<f32>) -> Option<Vec<usize>> {
    let segment = |row: ndarray::ArrayView1<f32>| {
        let place = row.iter().position(|number| *number == 1.0)?;
        let rest = row.iter().enumerate().all(|(k, number)| k == place || *number == 0.0);
        rest.then_some(place)
    };
    labels.rows().into_iter().map(segment).collect()
}

/// Refuse labels that are the same in every row.
pub fn check_vary(labels: &Array2<f32>) -> Result<()> {
    let vary = labels.columns().into_iter().any(|column| column.iter().any(|n| *n != column[0]));
    if vary {
        return Ok(());
    }
    Err(Error::Unable(
        "all rows have the same label (one segment), and sources are told apart by how they change \
         with the label; give two segments or more"
            .into(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn only_one_hot_rows_are_segments() {
        assert_eq!(segments(&array![[0.0, 1.0], [1.0, 0.0]]), Some(vec![1, 0]));
        for other in [array![[0.0, 0.0]], array![[1.0, 1.0]], array![[0.5, 1.0]]] {
            assert_eq!(segments(&other), None);
        }
    }

    #[test]
    fn one_label_for_all_is_refused() {
        assert!(check_vary(&array![[0.0, 1.0], [1.0, 0.0]]).is_ok());
        let refused = check_vary(&array![[1.0], [1.0]]).unwrap_err().to_string();
        assert!(refused.contains("two segments or more"), "{refused}");
    }
}
