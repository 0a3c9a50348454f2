//! Predicting numbers from one other number without assuming a shape: each bin of it predicts its
//! mean.

use ndarray::{Array2, ArrayView1, ArrayView2};

/// What `inputs` predict of `outputs` `[rows, outputs]`, at other values of the input: `[values,
/// outputs]`. There are at most 2 ∛rows bins (Rice's rule): more would follow the curve closer, and
/// average less noise away. An input with no more different values than that has a bin for each;
/// otherwise bins hold about equally many of the inputs, and equal inputs are never parted.
pub fn predict(
    inputs: ArrayView1<f32>,
    outputs: ArrayView2<f32>,
    values: ArrayView1<f32>,
) -> Array2<f64> {
    let most = (2.0 * (inputs.len() as f64).cbrt()).ceil() as usize;
    let starts = starts(inputs, most);
    let bin = |value: f32| starts.partition_point(|start| *start <= value);
    let mut means = Array2::zeros((starts.len() + 1, outputs.ncols()));
    let mut counts = vec![0.0; means.nrows()];
    for (input, outputs) in inputs.iter().zip(outputs.rows()) {
        let bin = bin(*input);
        counts[bin] += 1.0;
        means.row_mut(bin).zip_mut_with(&outputs, |sum, output| *sum += f64::from(*output));
    }
    for (mut mean, count) in means.rows_mut().into_iter().zip(counts) {
        mean /= count;
    }
    let mut predicted = Array2::zeros((values.len(), outputs.ncols()));
    for (mut predicted, value) in predicted.rows_mut().into_iter().zip(values) {
        predicted.assign(&means.row(bin(*value)));
    }
    predicted
}

/// The smallest input of each bin but the first, rising.
fn starts(inputs: ArrayView1<f32>, most: usize) -> Vec<f32> {
    let mut sorted = inputs.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let mut different = sorted.clone();
    different.dedup();
    if different.len() <= most {
        return different.split_off(1);
    }
    let mut starts: Vec<f32> = (1..most).map(|bin| sorted[bin * sorted.len() / most]).collect();
    starts.dedup();
    // What starts with the smallest of all is the first bin.
    starts.retain(|start| *start > sorted[0]);
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use ndarray::{Array1, array};

    #[test]
    fn bins_have_equal_counts_and_equal_inputs_share_one() {
        let inputs: Array1<f32> = (0..12).map(|i| i as f32).collect();
        assert_eq!(starts(inputs.view(), 4), [3.0, 6.0, 9.0]);
        let repeated = array![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 5.0, 6.0, 7.0];
        assert_eq!(starts(repeated.view(), 4), [5.0]);
        assert_eq!(starts(repeated.view(), 5), [1.0, 5.0, 6.0, 7.0]);
        assert_eq!(starts(array![2.0, 2.0].view(), 3), [0.0; 0]);
    }

    #[test]
    fn each_value_of_a_discrete_input_predicts_its_mean() {
        let inputs = array![1.0, 2.0, 1.0, 7.0, 2.0];
        let outputs = array![[1.0, 0.0], [5.0, 0.0], [3.0, 1.0], [9.0, 0.0], [5.0, 3.0]];
        let found = predict(inputs.view(), outputs.view(), array![7.0, 1.0, 2.0, 3.0, -4.0].view());
        let expected = array![[9.0, 0.0], [2.0, 0.5], [5.0, 1.5], [5.0, 1.5], [2.0, 0.5]];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_curve_is_followed_and_noise_predicts_the_mean() {
        let mut rng = Rng::new(0);
        let x: Array1<f32> = (0..8000).map(|_| 4.0 * rng.uniform() as f32 - 2.0).collect();
        let y = Array2::from_shape_fn((8000, 2), |(row, k)| [x[row].powi(2), rng.normal()][k]);
        let found = predict(x.view(), y.view(), x.view());
        let error = |k: usize| {
            let pairs = found.column(k).into_iter().zip(y.column(k));
            pairs.map(|(found, y)| (found - f64::from(*y)).powi(2)).sum::<f64>() / 8000.0
        };
        // The variances are 1.42 and 1.
        assert!(error(0) < 0.01, "{}", error(0));
        assert!((error(1) - 1.0).abs() < 0.03, "{}", error(1));
    }
}
