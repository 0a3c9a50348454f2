//! Where new codes are put: on vectors that no code is near (k-means++, Arthur and Vassilvitskii 2007).
//!
//! Most cells of most images show the same background. Vectors drawn evenly would put most codes on it, and leave
//! few for what there is to see.

use unbraid_measure::rng::Rng;

/// Vectors of `width` numbers, and how far each is from the nearest code, squared.
pub struct Seeds<'a> {
    vectors: &'a [f32],
    width: usize,
    apart: Vec<f32>,
}

impl<'a> Seeds<'a> {
    /// With the squared distance of each vector to the codes that there are; all 1 if there are none.
    pub fn new(vectors: &'a [f32], width: usize, apart: Vec<f32>) -> Self {
        Self { vectors, width, apart }
    }

    /// A vector, as likely as it is far from every code, squared; it is a code from now on.
    pub fn next(&mut self, rng: &mut Rng) -> &'a [f32] {
        let total: f64 = self.apart.iter().map(|apart| f64::from(*apart)).sum();
        let chosen = if total > 0.0 {
            let mut left = rng.uniform() * total;
            let passed = self.apart.iter().position(|apart| {
                left -= f64::from(*apart);
                left < 0.0
            });
            passed.unwrap_or(self.apart.len() - 1)
        } else {
            // All vectors are codes already.
            rng.below(self.apart.len())
        };
        let vector = &self.vectors[chosen * self.width..][..self.width];
        for (other, apart) in self.vectors.chunks_exact(self.width).zip(&mut self.apart) {
            *apart = apart.min(distance(other, vector));
        }
        vector
    }
}

/// ‖a − b‖²
pub fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rare_gets_a_code_before_what_is_common_gets_a_second() {
        let mut vectors = vec![0.0; 2 * 1000];
        vectors[500] = 3.0;
        vectors[1501] = -2.0;
        for seed in 0..20 {
            let mut seeds = Seeds::new(&vectors, 2, vec![1.0; 1000]);
            let rng = &mut Rng::new(seed);
            let mut found: Vec<[f32; 2]> = (0..3).map(|_| [seeds.next(rng)[0], 0.0]).collect();
            found.sort_by(|a, b| a[0].total_cmp(&b[0]));
            assert_eq!(found.iter().filter(|code| code[0] == 3.0).count(), 1, "{found:?}");
            seeds.next(rng);
        }
    }
}
