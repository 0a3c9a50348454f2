//! Whitening by principal components: z = D^(-1/2) Vᵀ (x - mean), so that the covariance is the
//! identity, as TCL does with all that it learns from.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::components::pca::Pca;
use crate::error::{Error, Result};
use crate::rng::Rng;

/// Fitted to one table, to be applied to others.
pub(super) struct Whitening {
    mean: Vec<f32>,
    /// D^(-1/2) Vᵀ, `[width, width]`
    map: Array2<f64>,
}

impl Whitening {
    /// Of rows of this width.
    pub(super) fn fit(rows: &[f32], width: usize) -> Result<Self> {
        let refuse = |problem: String| {
            let reason = format!("cannot be done: {problem}; set it to false, or observe less");
            Error::setting("data.whiten", reason)
        };
        let count = rows.len() / width;
        if count <= width {
            let problem = format!("{count} rows do not span the {width} directions");
            return Err(refuse(problem));
        }
        let table = ArrayView2::from_shape((count, width), rows)
            .map_err(|_| Error::Array("observations are not all of the same length".into()))?;
        // All components are wanted, which needs no random start.
        let pca = Pca::fit(table, width, &mut Rng::new(0))?;
        if pca.rank() < width {
            return Err(refuse(
                "the observations lie in fewer directions than they have numbers (one is computed \
                 from others, or never changes)"
                    .into(),
            ));
        }
        let Pca { mean, components, variances } = pca;
        let mut map = components.mapv(f64::from);
        for (mut direction, variance) in map.rows_mut().into_iter().zip(&variances) {
            direction /= f64::from(*variance).sqrt();
        }
        Ok(Self { mean, map })
    }

    /// Whiten rows in place.
    pub(super) fn apply(&self, rows: &mut [f32]) {
        rows.par_chunks_mut(self.mean.len()).for_each_init(Vec::new, |centred, row| {
            centred.clear();
            centred.extend(row.iter().zip(&self.mean).map(|(x, mean)| f64::from(x - mean)));
            for (slot, direction) in row.iter_mut().zip(self.map.rows()) {
                let sum: f64 = direction.iter().zip(&*centred).map(|(v, x)| v * x).sum();
                *slot = sum as f32;
            }
        });
    }
}
