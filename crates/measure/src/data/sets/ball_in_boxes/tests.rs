use super::*;
use crate::data::testing::{assert_refused, row};
use crate::data::{Dataset, Do};

fn boxes(settings: &str) -> Box<dyn Dataset> {
    open(&settings.parse().unwrap()).unwrap().0
}

fn levels(values: [f32; 3], x: usize, y: usize) -> [u8; 3] {
    let mut out = vec![f32::NAN; 3 * PLANE];
    Boxes::new().draw(&values, &mut out);
    [0, 1, 2].map(|k| (out[k * PLANE + field::row(y) * SIDE + x] * 255.0).round() as u8)
}

#[test]
fn the_ball_is_in_its_box_behind_its_walls() {
    let values = [0.0, scaled(0, 8.0), scaled(1, 10.0)];
    for inside in [[7, 9], [8, 10]] {
        assert_eq!(levels(values, inside[0], inside[1]), [255, 0, 0]);
        let over = [1.0, values[1], values[2]];
        assert_eq!(levels(over, inside[0] + 16, inside[1]), [255, 0, 0]);
        assert_eq!(levels(over, inside[0], inside[1]), [230; 3]);
    }
    assert_eq!([levels(values, 14, 20), levels(values, 17, 20)], [[230; 3]; 2]);
    assert_eq!([levels(values, 15, 20), levels(values, 16, 3)], [[26; 3]; 2]);
    assert_eq!(
        [levels(values, 1, 1), levels(values, 0, 5), levels(values, 31, 0)],
        [[26; 3], [25; 3], [24; 3]]
    );
}

#[test]
fn positions_fill_most_of_one() {
    for (axis, [low, high]) in [X, Y].into_iter().enumerate() {
        assert!((scaled(axis, low) + scaled(axis, high)).abs() < 1e-6);
        assert!((0.98..1.0).contains(&scaled(axis, high)), "{}", scaled(axis, high));
        assert!((pixels(axis, scaled(axis, 5.0)) - 5.0).abs() < 1e-5);
    }
}

#[test]
fn interventions_turn_the_box_over_and_come_as_often_as_they_should() {
    let data = boxes("frames = 40000");
    let mut counts = [0.0; 3];
    for index in 0..data.len() - 1 {
        let step = data.next(index).unwrap();
        let [before, after] = [index, index + 1].map(|index| data.label(index).unwrap());
        assert_eq!((before[0] != after[0]), step.targets[0] == 1.0);
        assert!(step.targets.iter().sum::<f32>() <= 1.0 && step.index == index + 1);
        counts.iter_mut().zip(step.targets).for_each(|(count, target)| *count += target);
    }
    let [side, x, y] = counts.map(|count| count / 40000.0);
    assert!((side - 0.18).abs() < 0.01 && (y - 0.18).abs() < 0.01 && x == 0.0, "{side} {x} {y}");
}

#[test]
fn a_step_wanders_unless_something_is_set() {
    let (world, mut rng) = (Boxes::new(), Rng::new(3));
    let from = [1.0, 0.0, 0.0];
    let steps: Vec<Vec<f32>> =
        (0..4000).map(|_| world.step(&from, Done::Action(&[1.0]), &mut rng)).collect();
    assert!(steps.iter().all(|step| step[0] == 1.0));
    let deviation = (steps.iter().map(|step| step[2] * step[2]).sum::<f32>() / 4000.0).sqrt();
    assert!((deviation * 0.79 * 16.0 - NOISE).abs() < 0.1, "{deviation}");
    let set = [Do { factor: 0, value: 0.0 }, Do { factor: 1, value: 0.5 }];
    assert_eq!(world.step(&from, Done::Set(&set), &mut rng)[..2], [0.0, 0.5]);
}

#[test]
fn parts_have_their_sizes_and_are_the_same_for_the_same_seed() {
    let open = |more: &str| boxes(&format!("frames = 400\n{more}"));
    for (part, rows) in [("train", 400), ("test", 40), ("val_indep", 100), ("val_triplets", 120)] {
        let [one, two] = [0, 0].map(|_| open(&format!("part = '{part}'")));
        assert_eq!((one.len(), two.len()), (rows, rows), "{part}");
        assert_eq!(row(&*one, rows - 1), row(&*two, rows - 1), "{part}");
        let other = open(&format!("part = '{part}'\nseed = 1"));
        assert_ne!(one.label(rows - 1), other.label(rows - 1), "{part}");
    }
    assert_refused(super::open(&"frames = 19".parse().unwrap()), &["`data.frames`", "19"]);
    assert_refused(super::open(&"part = 'tests'".parse().unwrap()), &["`data.part`", "test_indep"]);
}
