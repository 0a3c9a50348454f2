//! Writing the form of the released code of iVAE: x, s, u and, where they were drawn here, m and L.

use ndarray::Array2;

use super::Mixing;
use crate::error::Result;
use crate::npz::NpzWriter;

/// The arrays `x` `[rows, observed]`, `s` `[rows, sources]`, `u` `[rows, segments]` with a 1 in the
/// place of the segment, and of all segments the means `m` and the standard deviations `L`,
/// `[segments, sources]`.
pub(super) fn write(data: &Mixing, rows: &[usize], file: &mut NpzWriter) -> Result<()> {
    let mut table = |name: &str, numbers: &[f32], width: usize| {
        file.stream::<f32>(name, &[rows.len(), width], |sink| {
            rows.iter().try_for_each(|row| sink(&numbers[row * width..(row + 1) * width]))
        })
    };
    match &data.about.scaling {
        None => table("x", &data.observed, data.shape.channels)?,
        // In the units of the file that was read.
        Some(scaling) => {
            let mut observed = data.observed.clone();
            scaling.undo(&mut observed);
            table("x", &observed, data.shape.channels)?;
        }
    }
    if !data.factors.is_empty() {
        // The sources themselves, even where the factors are their sizes.
        table("s", &data.sources, data.factors.len())?;
    }
    // Never whole in memory: it can be many times what is observed.
    file.stream::<f32>("u", &[rows.len(), data.segments.count], |sink| {
        rows.iter().try_for_each(|row| sink(&data.one_hot(*row)))
    })?;
    if let Some(modulation) = &data.modulation {
        let mut by_segment = |name: &str, table: &Array2<f64>| {
            let numbers: Vec<f32> = table.iter().map(|number| *number as f32).collect();
            file.array(name, table.shape(), &numbers)
        };
        by_segment("m", &modulation.mean)?;
        by_segment("L", &modulation.spread)?;
    }
    Ok(())
}
