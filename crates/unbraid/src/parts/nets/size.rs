//! Networks that no memory holds, refused before the first number of them is made.
//!
//! A weight takes 16 bytes in training: itself, its gradient, and Adam's two moments.

use std::fs;

use crate::error::{Error, Result};

/// More weights are a typing error more likely than a wish.
const MOST_WEIGHTS: f64 = 5e8;
/// In training.
const BYTES: f64 = 16.0;
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

/// The memory that is there, in bytes, where the system says.
fn free() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
