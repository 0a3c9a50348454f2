//! Mean and variance of numbers that pass by once, by Welford's updates:
//! m += (x − m)/n, s += (x − m_before)(x − m). Sums of squares would lose what is small beside the mean.

/// Count, mean, spread and range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    count: usize,
    mean: f64,
    squares: f64,
    low: f64,
    high: f64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0, mean: 0.0, squares: 0.0, low: f64::INFINITY, high: f64::NEG_INFINITY }
    }
}

impl Moments {
    pub(super) fn see(&mut self, number: f64) {
        self.count += 1;
        let before = number - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (number - self.mean);
        self.low = self.low.min(number);
        self.high = self.high.max(number);
    }

    /// How many numbers.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Their mean.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Their standard deviation, as of all there are.
    pub fn deviation(&self) -> f64 {
        (self.squares / self.count.max(1) as f64).sqrt()
    }

    /// The smallest and the largest.
    pub fn range(&self) -> [f64; 2] {
        [self.low, self.high]
    }
}
