use std::collections::HashSet;

use super::*;
use crate::data::testing::row as image;

fn data(settings: &str) -> Box<dyn Dataset> {
    open(&settings.parse().unwrap()).unwrap().0
}

fn values(data: &dyn Dataset, index: usize) -> [f32; 4] {
    let mut values = [0.0; 4];
    data.values(index, &mut values);
    values
}

fn levels(image: &[f32], row: usize, column: usize) -> [u8; 4] {
    [0, 1, 2, 3].map(|k| (image[(k * SIDE + row) * SIDE + column] * 255.0).round() as u8)
}

#[test]
fn the_first_and_the_last_row_are_those_of_the_script() {
    let all = data("");
    assert_eq!(all.len(), 8100);
    let near = |index, expected: [f32; 4]| {
        let values = values(&*all, index);
        let close = values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(close, "row {index}: {values:?}");
    };
    // (5/30)³ + 1 and 10·sqrt(1.96 · 1.00463 · 1.5).
    near(0, [5.0, 1.00463, 17.18607, 6.0]);
    near(1, [5.0, 1.00463, 18.99992, 7.0]);
    near(9, [5.0, 1.10463, 18.02119, 6.0]);
    near(8099, [34.0, 5.35570, 66.1349, 14.0]);
}

#[test]
fn truncated_names_collide_so_that_files_are_lost_and_labels_are_in_both_splits() {
    let [train, test] =
        ["train", "test"].map(|split| data(&format!("split = '{split}'\nlabels = 'file-name'")));
    assert_eq!([train.len(), test.len()], [5254, 1620]);
    let names = |data: &dyn Dataset| -> HashSet<Vec<i32>> {
        let name = |index| data.label(index).unwrap().iter().map(|v| *v as i32).collect();
        (0..data.len()).map(name).collect()
    };
    let [train_names, test_names] = [names(&*train), names(&*test)];
    assert_eq!([train_names.len(), test_names.len()], [5254, 1620], "a name is one file");
    assert_eq!(train_names.intersection(&test_names).count(), 824);
    // The fifth image is the first for testing.
    assert_eq!(image(&*test, 0), image(&*data(""), 4));
}

#[test]
fn file_name_labels_are_the_exact_ones_without_decimals() {
    let [exact, truncated] = ["", "labels = 'file-name'"].map(data);
    for index in (0..exact.len()).step_by(97) {
        let label = exact.label(index).unwrap();
        assert_eq!(label, values(&*exact, index));
        let whole: Vec<f32> = label.iter().map(|value| value.trunc()).collect();
        assert_eq!(truncated.label(index).unwrap(), whole, "row {index}");
        assert_eq!(values(&*truncated, index)[..], label, "values stay exact");
    }
}

#[test]
fn every_object_is_in_its_place() {
    let all = data("");
    let (black, blue) = ([0, 0, 0, 255], [135, 206, 250, 255]);
    // The largest ball, the least water, the lowest hole.
    let index = 29 * 270;
    let picture = image(&*all, index);
    assert_eq!(levels(&picture, 5, 50), [255; 4], "the ground is white and opaque");
    assert_eq!(levels(&picture, 30, 23), black, "the left side of the cup");
    assert_eq!(levels(&picture, 30, 42), black, "the right side of the cup");
    assert_eq!(levels(&picture, 15, 23), [128, 128, 128, 255], "its rim");
    // Centre (5.5, 1.63) is pixel (32.5, 79.4).
    assert_eq!(levels(&picture, 79, 32), [178, 34, 34, 255], "the ball");
    assert_eq!(levels(&picture, 70, 32), blue, "the water");
    // 5 + 2.4557 is 57.88 pixels from above, moved to 58.5, with an edge that begins at 57.83.
    assert_eq!(levels(&picture, 57, 32), [235, 247, 254, 255]);
    assert_eq!(levels(&picture, 56, 32), [255; 4]);
    assert_eq!(levels(&picture, 77, 42), blue, "the hole, full of water");
    assert_eq!(levels(&picture, 84, 15), [43, 43, 43, 255], "the ground line");
    assert_eq!(levels(&picture, 85, 15), [255; 4]);
}

#[test]
fn the_stream_reaches_farther_than_the_flow_says_by_the_noise_of_the_row() {
    let (flow, _) = open(&Table::new()).unwrap();
    let again = data("");
    assert_eq!(image(&*flow, 123), image(&*again, 123));
    let noise = Rng::new(0).split("flow");
    let disturbance = |row: u64| 0.01 * f64::from(noise.at(row).normal()).abs().max(1.0);
    let rows: Vec<f64> = (0..1000).map(disturbance).collect();
    // |n| is above 1 in 317 of 1,000 cases.
    let above = rows.iter().filter(|value| **value > 0.01).count();
    assert!((270..370).contains(&above), "{above}");
    let mut drawn = vec![0.0; 4 * SIDE * SIDE];
    drawing::draw(values(&*flow, 123), disturbance(123), &mut drawn);
    assert_eq!(drawn, image(&*flow, 123));
    drawing::draw(values(&*flow, 123), 0.0, &mut drawn);
    assert_ne!(drawn, image(&*flow, 123));
}

#[test]
fn a_cause_moves_its_effects_along_the_chain() {
    let all = data("");
    let index = 10 * 270 + 12 * 9 + 4;
    let factual = values(&*all, index);
    let what_if = |factor, value| all.counterfactual(index, &[Do { factor, value }]).unwrap();

    // Ball 15, poured 22, hole 10.
    assert_eq!([factual[0], factual[3]], [15.0, 10.0]);
    let ball = what_if(0, 30.0).values;
    assert!((ball[1] - 3.2).abs() < 1e-6, "the water poured in is kept: {ball:?}");
    assert_eq!(ball[2], flow(height(30.0, 22.0), 10.0) as f32);
    let height = what_if(1, 4.0).values;
    assert_eq!(height, [15.0, 4.0, flow(4.0, 10.0) as f32, 10.0]);
    let hole = what_if(3, 6.0).values;
    assert_eq!(hole[..2], factual[..2]);
    assert!(hole[2] < factual[2]);

    let stream = what_if(2, 60.0);
    assert_eq!(stream.values, [factual[0], factual[1], 60.0, factual[3]]);
    let picture = image(&*all, index);
    let changed = |place: usize| stream.observation[place] != picture[place];
    let columns: Vec<usize> =
        (0..picture.len()).filter(|k| changed(*k)).map(|k| k % SIDE).collect();
    assert!(!columns.is_empty() && columns.iter().all(|column| *column >= 40));
}

#[test]
fn setting_what_is_so_already_changes_no_pixel() {
    let all = data("");
    for index in (0..all.len()).step_by(131) {
        let values = values(&*all, index);
        // The height is not set alone: it is exact to more digits than a value holds.
        for set in [&[0][..], &[3], &[2], &[0, 3], &[0, 1, 2, 3], &[]] {
            let dos: Vec<Do> =
                set.iter().map(|&factor| Do { factor, value: values[factor] }).collect();
            let same = all.counterfactual(index, &dos).unwrap();
            assert_eq!(same.values, values);
            assert_eq!(same.observation, image(&*all, index));
        }
    }
}

#[test]
fn impossible_values_are_refused_and_extreme_ones_drawn() {
    let all = data("");
    let dos = |factor, value| all.counterfactual(0, &[Do { factor, value }]);
    let nan = f32::NAN;
    for (factor, value) in [
        (0, 0.0),
        (0, 75.1),
        (0, nan),
        (1, -0.1),
        (1, 14.1),
        (1, nan),
        (2, -1.0),
        (2, f32::INFINITY),
        (2, nan),
        (3, 1.5),
        (3, 55.0),
        (3, nan),
        (4, 1.0),
    ] {
        assert_eq!(dos(factor, value), None, "{factor} {value}");
    }
    for (factor, value) in
        [(0, 1e-20), (0, 60.0), (1, 0.0), (1, 14.0), (2, 0.0), (2, 1e30), (3, 1.51), (3, 54.9)]
    {
        let drawn = dos(factor, value).unwrap();
        let whole = drawn.observation.iter().all(|pixel| (0.0..=1.0).contains(pixel));
        assert!(whole, "{factor} {value}");
    }
}
