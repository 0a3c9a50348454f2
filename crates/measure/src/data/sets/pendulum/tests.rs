use super::*;
use crate::data::testing::row as image;

fn pendulum(settings: &str) -> Box<dyn Dataset> {
    open(&settings.parse().unwrap()).unwrap().0
}

#[test]
fn the_splits_have_their_sizes_and_are_one_image_off_a_plain_quarter() {
    assert_eq!(pendulum("").len(), 7308);
    assert_eq!(pendulum("split = 'train'").len(), 5482);
    let test = pendulum("split = 'test'");
    assert_eq!(test.len(), 1826);
    assert_eq!(image(&*test, 0), image(&*pendulum(""), 4));
    let error = open(&"split = 'valid'".parse().unwrap()).err().unwrap().to_string();
    assert!(error.contains("`data.split`") && error.contains("train"), "{error}");
}

#[test]
fn file_name_labels_are_the_exact_ones_without_decimals() {
    let [exact, truncated] = ["", "labels = 'file-name'"].map(pendulum);
    let label = exact.label(1).unwrap();
    assert_eq!(label[..2], [-40.0, 61.0]);
    assert_eq!(truncated.label(1).unwrap(), label.iter().map(|v| v.trunc()).collect::<Vec<_>>());
    let mut values = [0.0; 4];
    truncated.values(1, &mut values);
    assert_eq!(label, values);
}

#[test]
fn setting_a_cause_changes_the_shadow_and_setting_the_shadow_changes_nothing_else() {
    let data = pendulum("");
    let mut factual = [0.0; 4];
    data.values(0, &mut factual);
    let what_if = |factor, value| data.counterfactual(0, &[Do { factor, value }]).unwrap();

    let light = what_if(1, 120.5);
    assert_eq!(light.values[..2], [-40.0, 120.5]);
    assert!(light.values[2] != factual[2] && light.values[3] != factual[3]);
    let overhead = what_if(1, 100.0);
    assert!((overhead.values[3] - 7.2).abs() < 0.1, "{:?}", overhead.values);

    let length = what_if(2, 6.0);
    assert_eq!(length.values, [factual[0], factual[1], 6.0, factual[3]]);
    let ground = 80 * SIDE;
    assert_eq!(length.observation[..ground], image(&*data, 0)[..ground]);
    assert_ne!(length.observation, image(&*data, 0));
}

#[test]
fn setting_what_is_so_already_changes_no_pixel() {
    let data = pendulum("");
    for index in (0..data.len()).step_by(101) {
        let mut values = [0.0; 4];
        data.values(index, &mut values);
        let dos = [0, 1, 2, 3].map(|factor| Do { factor, value: values[factor] });
        for dos in [&dos[..], &dos[..2], &dos[2..], &[]] {
            let same = data.counterfactual(index, dos).unwrap();
            assert_eq!(same.values, values);
            assert_eq!(same.observation, image(&*data, index));
        }
    }
}

#[test]
fn several_values_are_set_at_once_and_impossible_ones_refused() {
    let data = pendulum("");
    let dos = |pairs: &[(usize, f32)]| {
        let dos: Vec<Do> = pairs.iter().map(|&(factor, value)| Do { factor, value }).collect();
        data.counterfactual(0, &dos).map(|answer| answer.values)
    };
    let [length, position] = shadow([10.0, 90.0]).map(|v| v as f32);
    assert_eq!(dos(&[(0, 10.0), (1, 90.0)]).unwrap(), [10.0, 90.0, length, position]);
    assert_eq!(dos(&[(0, 10.0), (1, 90.0), (3, 5.0)]).unwrap(), [10.0, 90.0, length, 5.0]);
    for impossible in [(1, 0.0), (1, 200.0), (2, -1.0), (0, f32::NAN), (3, f32::INFINITY), (4, 0.0)]
    {
        assert_eq!(dos(&[impossible]), None, "{impossible:?}");
    }
    for extreme in [(1, 1e-30), (1, 199.999), (0, 1e30), (2, 1e30), (3, -1e30)] {
        assert!(dos(&[extreme]).is_some(), "{extreme:?}");
    }
}
