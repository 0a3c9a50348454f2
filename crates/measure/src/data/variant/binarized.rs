//! Grey made black and white at random: each number is 1 with the chance it says.
//!
//! Likelihoods of MNIST and Omniglot are of such images. In training each look at a row is another draw
//! ([`Sampler::new`](crate::data::Sampler::new)); what is measured is drawn once, [`Binarized`].

use crate::data::{About, Dataset, Range, Shape};
use crate::factors::Factor;
use crate::rng::Rng;

/// Draw each number of 0..1 to be 0 or 1.
pub fn binarize(numbers: &mut [f32], rng: &mut Rng) {
    for number in numbers {
        *number = f32::from(u8::from(rng.uniform() < f64::from(*number)));
    }
}

/// A data set in black and white: the same draw of a row at each look.
pub struct Binarized<'a> {
    base: &'a dyn Dataset,
    rng: Rng,
}

impl<'a> Binarized<'a> {
    /// Drawn from this generator.
    pub fn new(base: &'a dyn Dataset, rng: Rng) -> Self {
        Self { base, rng }
    }
}

impl Dataset for Binarized<'_> {
    fn factors(&self) -> &[Factor] {
        self.base.factors()
    }

    fn shape(&self) -> Shape {
        Shape { range: Range::Binary, ..self.base.shape() }
    }

    fn len(&self) -> usize {
        self.base.len()
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        self.base.observe(index, out);
        binarize(out, &mut self.rng.at(index as u64));
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        self.base.values(index, out);
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        self.base.label(index)
    }

    fn about(&self) -> &About {
        self.base.about()
    }

    fn unlabelled(&self) -> usize {
        self.base.unlabelled()
    }

    fn is_labelled(&self, index: usize) -> bool {
        self.base.is_labelled(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_the_chance_of_one() {
        let mut numbers: Vec<f32> = [0.0, 0.25, 1.0].repeat(10_000);
        binarize(&mut numbers, &mut Rng::new(0));
        let share = |k: usize| numbers.iter().skip(k).step_by(3).sum::<f32>() / 10_000.0;
        assert_eq!((share(0), share(2)), (0.0, 1.0));
        assert!((share(1) - 0.25).abs() < 0.02, "{}", share(1));
        assert!(numbers.iter().all(|number| [0.0, 1.0].contains(number)));
    }

    #[test]
    fn a_row_is_drawn_once_and_rows_apart() {
        let source = crate::data::find("squares").unwrap();
        let squares = (source.open)(&toml::Table::new()).unwrap().0;
        let data = Binarized::new(&*squares, Rng::new(3));
        let observe = |row: usize| {
            let mut out = vec![0.0; data.shape().size()];
            data.observe(row, &mut out);
            out
        };
        assert_eq!(observe(7), observe(7));
        let grey = (0..data.len()).find(|&row| {
            let mut out = vec![0.0; 256];
            squares.observe(row, &mut out);
            out.iter().any(|number| *number > 0.0 && *number < 1.0)
        });
        let grey = grey.expect("some squares are grey");
        let other = Binarized::new(&*squares, Rng::new(4));
        let mut out = vec![0.0; 256];
        other.observe(grey, &mut out);
        assert_ne!(out, observe(grey));
    }
}
