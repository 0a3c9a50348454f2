//! Quantiles of numbers that pass by once: every number is kept until there are too many, then every
//! second, every fourth and so on, so that what is kept is spread evenly over the file.

/// How many numbers are kept at most.
const KEPT: usize = 1 << 15;

/// Numbers evenly spread over a column.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    numbers: Vec<f64>,
    stride: usize,
    seen: usize,
}

impl Default for Sample {
    fn default() -> Self {
        Self { numbers: Vec::new(), stride: 1, seen: 0 }
    }
}

impl Sample {
    pub(super) fn see(&mut self, number: f64) {
        if self.seen.is_multiple_of(self.stride) {
            if self.numbers.len() == KEPT {
                let mut place = 0..;
                self.numbers
                    .retain(|_| place.next().is_some_and(|place: usize| place.is_multiple_of(2)));
                self.stride *= 2;
            }
            if self.seen.is_multiple_of(self.stride) {
                self.numbers.push(number);
            }
        }
        self.seen += 1;
    }

    /// The number that this share of the others is below, between two of them if need be.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.numbers.clone();
        sorted.sort_by(f64::total_cmp);
        let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
        let place = share * last as f64;
        let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
        low + (high - low) * place.fract()
    }
}
