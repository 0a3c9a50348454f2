#![expect(clippy::unreadable_literal, reason = "numbers as NumPy printed them")]

use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::array;

use super::*;
use crate::error::Error;

/// Columns of fractions without a pattern, and classes that depend on the first two and on noise.
fn data(rows: usize, columns: usize, classes: f64) -> (Array2<f32>, Vec<u32>) {
    let fraction = |(i, j): (usize, usize)| {
        ((i * 7919 + (j + 1) * (j + 1) * i * i * 31 + j * 17) % 1009) as f32 / 1009.0
    };
    let codes = Array2::from_shape_fn((rows, columns), fraction);
    let width = if columns > 1 { 3.8 } else { 2.8 };
    let class = |i: usize| {
        // In single precision up to here, as in the script that made the expected numbers.
        let sum = codes[[i, 0]] * 2.0 + if columns > 1 { codes[[i, 1]] } else { 0.0 };
        let noise = ((i * 37) % 101) as f64 / 101.0 * 0.8;
        ((f64::from(sum) + noise) * classes / width) as u32
    };
    let labels = (0..rows).map(class).collect();
    (codes, labels)
}

fn fit(codes: &Array2<f32>, classes: &[u32]) -> Classifier {
    Classifier::fit(&Columns::new(codes.view()), classes, &|| Ok(())).unwrap()
}

/// Eight rows to be judged.
fn judged(columns: usize) -> Array2<f32> {
    Array2::from_shape_fn((8, columns), |(i, j)| {
        ((i * (13 + 6 * j) + 5 * j + 3) % 23) as f32 / 23.0
    })
}

/// Against scikit-learn 1.9.1, `GradientBoostingClassifier().fit(codes, classes)`: probabilities
/// of `judged` that are the same for eight seeds, and importances that differ by up to 0.005.
#[test]
fn probabilities_are_those_of_scikit_learn() {
    let one = array![
        [9.703141294e-01, 2.891151171e-02, 7.743589038e-04],
        [3.459327056e-03, 1.695626251e-01, 8.269780479e-01],
        [3.375098280e-01, 6.605967917e-01, 1.893380310e-03],
        [1.043857046e-03, 2.119490843e-02, 9.777612345e-01],
        [1.019887138e-01, 8.945904639e-01, 3.420822332e-03],
        [6.791627501e-04, 1.072284638e-02, 9.885979909e-01],
        [4.834777603e-03, 9.925746971e-01, 2.590525277e-03],
        [9.915497463e-01, 7.960175788e-03, 4.900779464e-04]
    ];
    let two = array![
        [0.996254074, 0.003745926],
        [0.081572491, 0.918427509],
        [0.996887298, 0.003112702],
        [0.004059775, 0.995940225],
        [0.69151046, 0.30848954],
        [0.007485605, 0.992514395],
        [0.746272355, 0.253727645],
        [0.997500394, 0.002499606]
    ];
    // The fourth row depends on the seed there.
    let three = array![
        [9.610290600e-01, 3.833425495e-02, 6.366850122e-04],
        [5.602547709e-03, 9.763600320e-01, 1.803742026e-02],
        [5.937863816e-01, 4.059019675e-01, 3.116509409e-04],
        [f64::NAN, f64::NAN, f64::NAN],
        [9.409944463e-03, 9.872126369e-01, 3.377418672e-03],
        [2.100880193e-03, 2.392530210e-01, 7.586460988e-01],
        [2.563039402e-03, 9.955653590e-01, 1.871601552e-03],
        [9.950854427e-01, 4.613826130e-03, 3.007312038e-04]
    ];
    let cases = [
        (200, 3.0, vec![1.0], one),
        (200, 2.0, vec![0.78933, 0.21067], two),
        (400, 3.0, vec![0.52294, 0.37622, 0.10084], three),
    ];
    for (rows, classes, importances, expected) in cases {
        let width = importances.len();
        let (codes, labels) = data(rows, width, classes);
        let model = fit(&codes, &labels);
        let found = model.probabilities(judged(width).view());
        for (found, expected) in found.iter().zip(&expected).filter(|(_, e)| !e.is_nan()) {
            assert!((found - expected).abs() < 1e-8, "{width} columns: {found}, not {expected}");
        }
        for (found, expected) in model.importances.iter().zip(importances) {
            assert!((found - expected).abs() < 0.006, "{width} columns: {found}, not {expected}");
        }
    }
}

#[test]
fn what_it_fitted_is_what_it_predicts() {
    for classes in [2.0, 5.0] {
        let (codes, labels) = data(700, 3, classes);
        let model = fit(&codes, &labels);
        assert_eq!(model.predict(codes.view()), model.fitted);
        let right = model.fitted.iter().zip(&labels).filter(|(a, b)| a == b).count();
        assert!(right > 650, "{right} of 700");
        let probabilities = model.probabilities(codes.view());
        let most = |row: usize| {
            let row = probabilities.row(row);
            (0..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best }) as u32
        };
        assert!((0..700).all(|row| most(row) == model.fitted[row]));
    }
}

#[test]
fn the_order_of_columns_and_the_number_of_threads_change_nothing() {
    // The last column is the first again, so that many splits tie.
    let (three, labels) = data(600, 3, 4.0);
    let codes = three.select(Axis(1), &[0, 1, 2, 0]);
    let model = fit(&codes, &labels);
    let turned = codes.select(Axis(1), &[2, 0, 3, 1]);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let other = alone.install(|| fit(&turned, &labels));
    assert_eq!(other.predict(turned.view()), model.predict(codes.view()));
    let rows: Vec<f64> = [2, 0, 3, 1].map(|column| model.importances[column]).to_vec();
    assert_eq!(other.importances, rows);
}

#[test]
fn equal_columns_share_their_importance() {
    let (three, labels) = data(600, 3, 4.0);
    let alone = fit(&three, &labels).importances;
    let twice = fit(&three.select(Axis(1), &[0, 1, 2, 0]), &labels).importances;
    assert!((twice[0] / twice[3] - 1.0).abs() < 0.25, "{twice:?}");
    assert!((twice[0] + twice[3] - alone[0]).abs() < 0.01, "{twice:?} {alone:?}");
}

#[test]
fn without_anything_to_split_the_share_of_classes_decides() {
    let constant = Array2::from_elem((10, 2), 0.7);
    let model = fit(&constant, &[5, 5, 9, 9, 9, 2, 2, 5, 9, 9]);
    assert_eq!(model.importances, [0.0, 0.0]);
    assert_eq!(model.fitted, [9; 10]);
    assert!((model.probabilities(constant.view())[[0, 0]] - 0.2).abs() < 1e-9);
    // Of two equal classes the second, of more the first, as in scikit-learn.
    assert_eq!(fit(&constant, &[4, 4, 4, 4, 4, 6, 6, 6, 6, 6]).fitted, [6; 10]);
    assert_eq!(
        fit(&constant.slice_axis(Axis(0), (..9).into()).to_owned(), &[0, 0, 0, 1, 1, 1, 2, 2, 2])
            .fitted,
        [0; 9]
    );
}

#[test]
fn rows_of_one_class_teach_that_class() {
    let codes = array![[0.0], [1.0], [2.0]];
    let model = fit(&codes, &[7, 7, 7]);
    assert_eq!((model.predict(codes.view()), model.fitted.clone()), (vec![7; 3], vec![7; 3]));
    assert_eq!(model.probabilities(codes.view()), Array2::<f64>::ones((3, 1)));
    assert_eq!(model.importances, [0.0]);
}

#[test]
fn a_class_with_one_row_can_be_told() {
    let codes = Array2::from_shape_fn((40, 1), |(i, _)| i as f32);
    let classes: Vec<u32> = (0..40).map(|i| u32::from(i >= 20) + u32::from(i == 39)).collect();
    assert_eq!(fit(&codes, &classes).fitted, classes);
}

#[test]
fn shares_of_the_work_add_up_and_a_stop_is_heard() {
    let (codes, labels) = data(60, 2, 4.0);
    let columns = Columns::new(codes.view());
    let halves: Vec<u32> = labels.iter().map(|label| label % 2).collect();
    let tasks: [&[u32]; 3] = [&labels, &halves, &[3; 60]];
    let share = AtomicUsize::new(0);
    let advance = |part: f64| {
        share.fetch_add((part * 1e6) as usize, Ordering::Relaxed);
        Ok(())
    };
    assert_eq!(fit_each(&columns, &tasks, advance).unwrap().len(), 3);
    assert!((990_000..=1_000_000).contains(&share.load(Ordering::Relaxed)));
    let calls = AtomicUsize::new(0);
    let stop = || match calls.fetch_add(1, Ordering::Relaxed) {
        0..4 => Ok(()),
        _ => Err(Error::Stopped),
    };
    assert!(matches!(Classifier::fit(&columns, &labels, &stop), Err(Error::Stopped)));
    assert_eq!(calls.into_inner(), 5);
}
