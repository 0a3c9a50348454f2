use super::*;
use crate::data::{self, Do};

/// Every error here is about `[data.variant]` of dsprites.
fn refusal(name: &str, variant: &str) -> String {
    let settings = format!("[variant]\n{variant}").parse().unwrap();
    data::open(name, &settings).err().unwrap_or_else(|| panic!("{variant} was taken")).to_string()
}

fn open(name: &str, variant: &str) -> Box<dyn Dataset> {
    data::open(name, &format!("[variant]\n{variant}").parse().unwrap()).unwrap().0
}

fn values(data: &dyn Dataset, row: usize) -> Vec<f32> {
    data::values(data, &[row]).row(0).to_vec()
}

#[test]
fn only_named_factors_are_told_and_the_others_vary_unseen() {
    let data = open("squares", "only = [\"y\", \"x\"]");
    let names: Vec<&str> = data.factors().iter().map(|factor| factor.name.as_str()).collect();
    let hidden = open("squares", "hide = [\"side\", \"brightness\"]");
    assert_eq!((names.len(), data.len()), (2, hidden.len()));
    assert_eq!(data.factors(), hidden.factors());
    assert_eq!(data.label(7), hidden.label(7));
    let both = refusal("squares", "only = [\"x\"]\nhide = [\"y\"]");
    assert!(both.contains("cannot be joined"), "{both}");
    assert!(refusal("squares", "only = [\"colour\"]").contains("colour"));
}

#[test]
fn kept_and_fixed_values_are_what_is_left() {
    let data =
        open("dsprites", "keep = { shape = [1, 3], posX = \"0..0.5\" }\nfix = { scale = 1 }");
    assert_eq!(data.len(), 2 * 40 * 16 * 32);
    let names: Vec<&str> = data.factors().iter().map(|factor| factor.name.as_str()).collect();
    assert_eq!(names, ["shape", "orientation", "posX", "posY"]);
    assert_eq!(data.factors()[0].kind, Factor::discrete("shape", [1.0, 3.0]).kind);
    assert_eq!(data.factors()[0].called(3.0), "heart");
    assert_eq!(data.label(0).unwrap().len(), 4);

    let plain = (data::find("dsprites").unwrap().open)(&Table::new()).unwrap().0;
    let row = data.find(&[3.0, 0.0, 0.0, 1.0]).unwrap();
    let same = plain.find(&[3.0, 1.0, 0.0, 0.0, 1.0]).unwrap();
    let images = [data::observations(&*data, &[row]), data::observations(&*plain, &[same])];
    assert_eq!(images[0], images[1]);
    assert_eq!(data.find(&[2.0, 0.0, 0.0, 1.0]), None);
}

#[test]
fn a_hidden_factor_still_varies() {
    let (data, plain) = (open("squares", "hide = [\"x\", \"side\"]"), open("squares", ""));
    assert_eq!((data.len(), data.factors().len()), (405, 2));
    assert_eq!(
        values(&*data, 404),
        values(&*plain, 404)[1..].iter().step_by(2).copied().collect::<Vec<_>>()
    );
    assert_eq!(data.label(404), Some(values(&*data, 404)));
    assert_eq!(data.find(&values(&*data, 0)), None);
    assert_eq!(data::observations(&*data, &[17, 300]), data::observations(&*plain, &[17, 300]));
    assert!(open("squares", "hide = [\"x\", \"y\", \"side\", \"brightness\"]").label(0).is_none());
}

#[test]
fn held_out_rows_and_the_rest_are_all_rows() {
    let without = "without = [{ side = 8, x = \"8..\" }, { brightness = [0.4, 0.7], y = 6 }]";
    let rest = open("squares", without);
    let held_out = open("squares", &format!("{without}\ntake = \"held-out\""));
    // 5·5·3 of the first kind, 9·3·2 of the second, 5·2 of both.
    assert_eq!((rest.len(), held_out.len()), (405 - 119, 75 + 54 - 10));
    let is_held_out =
        |v: &[f32]| (v[2] == 8.0 && v[0] >= 8.0) || (v[1] == 6.0 && (v[3] == 0.4 || v[3] == 0.7));
    assert!((0..rest.len()).all(|row| !is_held_out(&values(&*rest, row))));
    assert!((0..held_out.len()).all(|row| is_held_out(&values(&*held_out, row))));
    assert_eq!(rest.find(&values(&*rest, 0)), None, "pairs would need what is held out");
}

#[test]
fn parts_are_disjoint_complete_and_as_large_as_asked() {
    let part = |part: &str, more: &str| open("squares", &format!("part = \"{part}\"\n{more}"));
    let parts = ["train", "validation", "test"].map(|name| part(name, ""));
    assert_eq!(parts.each_ref().map(|part| part.len()), [324, 41, 40]);
    let mut all: Vec<Vec<u32>> = Vec::new();
    for part in &parts {
        let bits = |row| values(&**part, row).iter().map(|v| v.to_bits()).collect();
        all.extend((0..part.len()).map(bits));
    }
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 405);

    // A row is in the same part whatever else is asked for.
    let (left, all) = (part("test", "keep = { x = \"..8\" }"), &parts[2]);
    let kept = (0..all.len()).map(|row| values(&**all, row)).filter(|values| values[0] <= 8.0);
    assert_eq!(
        kept.collect::<Vec<_>>(),
        (0..left.len()).map(|row| values(&*left, row)).collect::<Vec<_>>()
    );
    let rows: Vec<usize> = (0..40).collect();
    let (other, all) = (part("test", "seed = 1"), &parts[2]);
    assert_ne!(data::values(&*other, &rows), data::values(&**all, &rows));
    assert_eq!(part("train", "fractions = [1, 0, 0]").len(), 405);
}

#[test]
fn correlated_draws_follow_their_distribution() {
    // Positions 4 to 12 and 6 to 10, nine and five values.
    let sigma = 0.25;
    let data =
        open("squares", &format!("correlate = [{{ factors = [\"x\", \"y\"], sigma = {sigma} }}]"));
    assert_eq!((data.len(), data.factors().len()), (405, 4));
    let weight = |a: usize, b: usize| {
        (-(a as f64 / 8.0 - b as f64 / 4.0).powi(2) / (2.0 * sigma * sigma)).exp()
    };
    let total: f64 = (0..45).map(|k| weight(k / 5, k % 5)).sum();
    // The rows are the first 405 of endless draws.
    let draws = 40_000;
    let (mut counts, mut sides) = ([0_u32; 45], [0_u32; 3]);
    for row in 0..draws {
        let values = values(&*data, row);
        counts[((values[0] - 4.0) * 5.0 + values[1] - 6.0) as usize] += 1;
        sides[(values[2] / 2.0) as usize - 2] += 1;
    }
    let expected = |k: usize| f64::from(draws as u32) * weight(k / 5, k % 5) / total;
    // Pearson's statistic with 44 degrees of freedom is above 90 once in 20,000 times.
    let distance: f64 =
        (0..45).map(|k| (f64::from(counts[k]) - expected(k)).powi(2) / expected(k)).sum();
    assert!(distance < 90.0, "{distance}");
    assert!(sides.iter().all(|count| count.abs_diff(13_333) < 500), "{sides:?}");

    let correlation = |p: &dyn Fn(usize) -> f64| {
        let mean = |f: &dyn Fn(f64, f64) -> f64| {
            let total: f64 = (0..45).map(p).sum();
            (0..45).map(|k| p(k) * f((k / 5) as f64, (k % 5) as f64)).sum::<f64>() / total
        };
        let (x, y) = (mean(&|x, _| x), mean(&|_, y| y));
        let (xx, yy) = (mean(&|x, _| x * x) - x * x, mean(&|_, y| y * y) - y * y);
        (mean(&|x, y| x * y) - x * y) / (xx * yy).sqrt()
    };
    let (drawn, exact) = (correlation(&|k| f64::from(counts[k])), correlation(&expected));
    assert!(exact > 0.5, "{exact}");
    assert!((drawn - exact).abs() < 0.015, "{drawn} is not {exact}");
}

#[test]
fn sizes_change_the_images_alone() {
    let (small, plain) = (open("dsprites", "size = 32"), open("dsprites", ""));
    assert_eq!(small.shape().to_string(), "1x32x32");
    assert_eq!((small.shape().range, small.len()), (data::Range::Unit, plain.len()));
    let (image, large) = (data::observations(&*small, &[99]), data::observations(&*plain, &[99]));
    assert!((image.sum() * 4.0 - large.sum()).abs() < 1e-3);
    assert_eq!(small.find(&values(&*plain, 99)), Some(99));
    assert_eq!(open("dsprites", "size = 64").shape(), plain.shape());
}

#[test]
fn counterfactuals_and_graphs_follow_the_columns() {
    let resized = open("pendulum", "size = 24\npart = \"test\"");
    assert!(resized.graph().is_some() && resized.label(0).is_some());
    let same = resized.counterfactual(5, &[]).unwrap();
    assert_eq!(same.values, values(&*resized, 5));
    assert_eq!(same.observation, data::observations(&*resized, &[5]).row(0).to_vec());

    // The light is the first factor once the pendulum is hidden.
    let hidden = open("pendulum", "hide = [\"pendulum\"]");
    assert!(hidden.graph().is_none());
    let moved = hidden.counterfactual(5, &[Do { factor: 0, value: 120.0 }]).unwrap();
    assert_eq!((moved.values.len(), moved.values[0]), (3, 120.0));
    assert_ne!(moved.values[1..], values(&*hidden, 5)[1..]);
    assert!(hidden.counterfactual(5, &[Do { factor: 3, value: 1.0 }]).is_none());
}

#[test]
fn what_cannot_be_is_refused_before_use() {
    let cases = [
        ("sise = 3", "`data.variant.sise` is unknown; did you mean `size`?"),
        ("size = 9999", "`data.variant.size` is 9999; it must be at most 4096"),
        ("keep = { shape = 4 }", "`data.variant.keep.shape` is never 4; its values are 1, 2, 3"),
        ("fix = { color = 1 }", "`data.variant.fix` has `color`, which is no factor"),
        ("fix = { scale = [0.5, 1] }", "`data.variant.fix.scale` must be one number"),
        ("fix = { scale = 1 }\nkeep = { scale = 1 }", "fix.scale` is also in `data.variant.keep`"),
        ("fix = { scale = 1 }\nhide = [\"scale\"]", "fix.scale` is also in `data.variant.hide`"),
        (
            "hide = [\"shap\"]",
            "`data.variant.hide` has `shap`, which is no factor; did you mean `shape`",
        ),
        ("take = \"held-out\"", "`data.variant.take` is \"held-out\", but"),
        ("without = [{}]", "`data.variant.without` has an entry without factors"),
        ("without = [{ shape = \"..\" }]", "`data.variant.without` holds out every row"),
        (
            "keep = { shape = 1 }\nwithout = [{ scale = 1 }, { shape = 2 }]",
            "`data.variant.without` has no row for its entry 2",
        ),
        ("part = \"dev\"", "`data.variant.part` cannot be \"dev\""),
        (
            "fractions = [0.8, 0.1, 0.2]",
            "`data.variant.fractions` is [0.8, 0.1, 0.2]; the three must",
        ),
        ("part = \"test\"\nfractions = [1, 0, 0]", "`data.variant.part` has no rows"),
        (
            "correlate = [{ factors = [\"posX\", \"posX\"], sigma = 1 }]",
            "`data.variant.correlate` has `posX` twice",
        ),
        (
            "correlate = [{ factors = [\"posX\", \"posY\"], sigma = 0 }]",
            "`data.variant.correlate` has sigma = 0; it must be a number above 0",
        ),
        ("correlate = [{ factors = [\"posX\", \"posY\"] }]", "missing field `sigma`"),
        (
            "fix = { posX = 0 }\ncorrelate = [{ factors = [\"posX\", \"posY\"], sigma = 1 }]",
            "`data.variant.correlate` has `posX`, which takes one value only",
        ),
        (
            "part = \"train\"\ncorrelate = [{ factors = [\"posX\", \"posY\"], sigma = 1 }]",
            "cannot be used together with `data.variant.part`",
        ),
    ];
    for (variant, expected) in cases {
        let error = refusal("dsprites", variant);
        assert!(error.contains(expected), "{variant}: {error}");
    }
    let error =
        refusal("pendulum", "correlate = [{ factors = [\"light\", \"pendulum\"], sigma = 1 }]");
    assert!(error.contains("needs data in which every combination"), "{error}");
    let error = refusal("pendulum", "keep = { shadow-length = 3 }");
    assert!(error.contains("takes any number, so give a range"), "{error}");
    let error = refusal("pendulum", "keep = { pendulum = 43, shadow-length = \"12..\" }");
    assert!(error.contains("leave no rows"), "{error}");
    let error = data::open("squares", &"variant = 3".parse().unwrap()).err().unwrap().to_string();
    assert!(error.contains("must be a section: [data.variant]"), "{error}");
}

#[test]
fn settings_are_spelled_out_and_without_a_variant_there_is_none() {
    let given = "seed = 3\n[variant]\nsize = 32\nkeep = { shape = [1, 2] }".parse().unwrap();
    let (data, all) = data::open("noisy-dsprites", &given).unwrap();
    assert_eq!(all["seed"].as_integer(), Some(3));
    assert_eq!(all["variant"]["part"].as_str(), Some("all"));
    assert_eq!(all["variant"]["keep"]["shape"].as_array().unwrap().len(), 2);
    // As it is written to a file and read again.
    let text = toml::to_string(&all).unwrap();
    let (again, same) = data::open("noisy-dsprites", &text.parse().unwrap()).unwrap();
    assert_eq!((all, data.len(), data.shape()), (same, again.len(), again.shape()));
    let (_, plain) = data::open("squares", &Table::new()).unwrap();
    assert!(plain.is_empty());
}

#[test]
fn the_page_fits_its_lines() {
    assert!(PAGE.lines().all(|line| line.chars().count() <= 100));
    // Every key is in the table of the page, and nothing else is.
    let keys = settings::to_table(&Settings::default());
    let listed: Vec<&str> = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_whitespace().next())
        .filter(|key| !["key", "-----------"].contains(key))
        .collect();
    assert_eq!(listed, keys.keys().map(String::as_str).collect::<Vec<_>>());
}
