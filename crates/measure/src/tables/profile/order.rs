//! Whether a column goes on from row to row, as times and row numbers do.

/// How much even steps may differ, as a share of a step: what is left of digits cut off.
const UNEVEN: f64 = 0.01;

/// The steps between numbers that follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    last: Option<f64>,
    least: f64,
    most: f64,
    steps: usize,
}

impl Default for Order {
    fn default() -> Self {
        Self { last: None, least: f64::INFINITY, most: f64::NEG_INFINITY, steps: 0 }
    }
}

impl Order {
    pub(super) fn see(&mut self, number: f64) {
        if let Some(last) = self.last {
            let step = number - last;
            self.least = self.least.min(step);
            self.most = self.most.max(step);
            self.steps += 1;
        }
        self.last = Some(number);
    }

    /// Whether each number is larger than the one before.
    pub(super) fn always_rises(&self) -> bool {
        self.steps > 0 && self.least > 0.0
    }

    /// Whether all steps are the same, up or down.
    pub(super) fn is_even(&self) -> bool {
        let step = self.least.abs().max(self.most.abs());
        self.steps > 0 && step > 0.0 && self.most - self.least <= UNEVEN * step
    }
}
