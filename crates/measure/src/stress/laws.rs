//! How the factors of the grid are distributed (Joshi et al. 2026, section 4): independent, correlated, or partly made of
//! each other.

use ndarray::Array2;

use crate::rng::Rng;

/// A law of the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// D1: independent and normal.
    Independent,
    /// D2: normal, each pair correlated by one half.
    Correlated,
    /// D3: one factor is a function of another.
    Redundant,
    /// D4: one factor is a function of two others.
    Mixed,
}

/// The correlation of each pair.
const CORRELATION: f32 = 0.5;

impl Law {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Independent, Self::Correlated, Self::Redundant, Self::Mixed];

    /// As the paper calls it.
    pub fn code(self) -> &'static str {
        ["D1", "D2", "D3", "D4"][self as usize]
    }

    /// In words.
    pub fn name(self) -> &'static str {
        ["independent", "correlated", "one made of another", "one made of two"][self as usize]
    }

    /// The fewest factors for which it means something.
    pub fn fewest(self) -> usize {
        if self == Self::Mixed { 3 } else { 2 }
    }

    /// So many rows of so many factors.
    pub fn draw(self, rows: usize, factors: usize, rng: &Rng) -> Array2<f32> {
        let mut rng = rng.split("law");
        let mut values = Array2::from_shape_simple_fn((rows, factors), || rng.normal());
        for mut row in values.rows_mut() {
            match self {
                Self::Independent => {}
                Self::Correlated => {
                    // √ρ of something common and √(1 - ρ) of its own.
                    let common = CORRELATION.sqrt() * rng.normal();
                    row.mapv_inplace(|own| common + (1.0 - CORRELATION).sqrt() * own);
                }
                Self::Redundant => row[1] = (2.0 * row[0].powi(3) - 0.1).tanh(),
                Self::Mixed => row[2] = row[0] * row[1],
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::mean;

    fn correlation(values: &Array2<f32>, a: usize, b: usize) -> f64 {
        let (a, b) = (values.column(a), values.column(b));
        mean(a.iter().zip(b).map(|(a, b)| f64::from(a * b)))
    }

    #[test]
    fn laws_are_what_they_say() {
        let draw = |law: Law| law.draw(20_000, 4, &Rng::new(0));
        assert!(correlation(&draw(Law::Independent), 0, 1).abs() < 0.03);
        assert!((correlation(&draw(Law::Correlated), 1, 3) - 0.5).abs() < 0.03);
        let of_one = draw(Law::Redundant);
        assert!(of_one.rows().into_iter().all(|r| r[1] == (2.0 * r[0].powi(3) - 0.1).tanh()));
        let of_two = draw(Law::Mixed);
        assert!(of_two.rows().into_iter().all(|r| r[2] == r[0] * r[1]));
        assert!(correlation(&of_two, 0, 2).abs() < 0.05);
    }
}
