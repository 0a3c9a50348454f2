//! Networks and batches that no memory holds, refused before the first number of them is made.
//!
//! A weight takes 16 bytes in training: itself, its gradient, and Adam's two moments. An observation takes what the
//! layers make of it: measured as the growth of the peak memory of `unbraid train` between batches of 64 and 512,
//! 178 bytes for each pixel of dSprites and 219 of Shapes3D in a convolutional beta-VAE, 26 in a dense one.

use unbraid_measure::data::Shape;
use unbraid_measure::files::memory;

use crate::error::{Error, Result};

/// More weights are a typing error more likely than a wish.
const MOST_WEIGHTS: f64 = 5e8;
/// In training.
const BYTES: f64 = 16.0;
/// For each pixel that passes through convolutions.
const OF_A_PIXEL: f64 = 180.0;
/// For each number that passes through dense layers alone.
const OF_A_NUMBER: f64 = 25.0;
/// A setting that counts something has at most this.
pub const MOST: usize = 1_000_000;

/// The weights of dense layers of one width between so many numbers and so many.
pub fn of_dense(input: usize, width: usize, layers: usize, output: usize) -> f64 {
    let [input, width, layers, output] = [input, width, layers, output].map(|size| size as f64);
    (input + output + (layers - 1.0).max(0.0) * width) * width
}

/// Refuse a network of so many weights, which it has because of this setting.
pub fn check(setting: &str, value: usize, weights: f64) -> Result<()> {
    let refuse = |reason: String| Err(Error::setting(setting, format!("is {value}: {reason}")));
    if weights > MOST_WEIGHTS {
        return refuse(format!(
            "the network would have {weights:.0} weights, more than the {MOST_WEIGHTS:.0} that are allowed"
        ));
    }
    match free() {
        Some(free) if weights * BYTES > free => refuse(format!(
            "the network needs about {:.1} GB for its {weights:.0} weights, their gradients and moments, and {:.1} GB of \
             memory are free; make it smaller",
            weights * BYTES / 1e9,
            free / 1e9
        )),
        _ => Ok(()),
    }
}

/// The bytes of memory for each observation of a batch of this form, about.
pub fn of_observation(shape: Shape) -> f64 {
    let Shape { height, width, channels, .. } = shape;
    match height > 1 && width > 1 {
        true => (height * width) as f64 * OF_A_PIXEL + (height * width * channels) as f64 * 8.0,
        false => (height * width * channels) as f64 * OF_A_NUMBER,
    }
}

/// Refuse a batch that does not fit into memory.
pub fn check_batch(batch: usize, shape: Shape) -> Result<()> {
    match free() {
        Some(free) => batch_fits(batch, of_observation(shape), free),
        None => Ok(()),
    }
}

fn batch_fits(batch: usize, each: f64, free: f64) -> Result<()> {
    let needed = |batch: usize| batch as f64 * each;
    if needed(batch) <= free {
        return Ok(());
    }
    // Half of what is free leaves room for the network, as a power of two.
    let fits = 1 << (free / 2.0 / each).max(1.0).log2() as u32;
    Err(Error::setting(
        "train.batch",
        format!(
            "is {batch}: a step needs about {:.0} GB, and {:.1} GB of memory are free; a batch of {fits} needs {:.1}",
            needed(batch) / 1e9,
            free / 1e9,
            needed(fits) / 1e9
        ),
    ))
}

/// The memory that is there, in bytes, where the system says.
fn free() -> Option<f64> {
    memory::available().map(|bytes| bytes as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unbraid_measure::data::Range;

    #[test]
    fn weights_are_counted_and_too_many_refused() {
        // 10 to 20, 20 to 20, 20 to 5.
        assert_eq!(of_dense(10, 20, 2, 5), 700.0);
        check("model.width", 20, 700.0).unwrap();
        let said =
            check("model.width", 100_000, of_dense(1, 100_000, 3, 1)).unwrap_err().to_string();
        assert!(
            said.contains("`model.width` is 100000") && said.contains("20000200000 weights"),
            "{said}"
        );
    }

    const SQUARE: Shape = Shape { height: 64, width: 64, channels: 1, range: Range::Unit };

    #[test]
    fn a_batch_is_compared_with_the_memory_and_one_that_fits_is_named() {
        let each = of_observation(SQUARE);
        assert_eq!(each, 4096.0 * 188.0);
        batch_fits(64, each, 1e9).unwrap();
        let said = batch_fits(65_536, each, 7e9).unwrap_err().to_string();
        assert!(said.contains("needs about 50 GB, and 7.0 GB of memory are free"), "{said}");
        assert!(said.ends_with("a batch of 4096 needs 3.2"), "{said}");
    }
}
