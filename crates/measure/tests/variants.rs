//! What every variant of every data set promises.

mod promises;

use promises::{check_values, checked_observation, values};
use toml::Table;
use unbraid_measure::Result;
use unbraid_measure::data::{self, DATASETS, Dataset, Pairs, Sampler, Supervision};
use unbraid_measure::factors::{Factor, Kind};
use unbraid_measure::rng::Rng;

fn open(name: &str, variant: &str) -> Result<Box<dyn Dataset>> {
    let settings: Table = format!("[variant]\n{variant}").parse().unwrap();
    Ok(data::open(name, &settings)?.0)
}

/// The discrete factors with a choice: their names and values.
fn choices(data: &dyn Dataset) -> Vec<(String, Vec<f32>)> {
    let choice = |factor: &Factor| match &factor.kind {
        Kind::Discrete(values) if values.len() > 1 => Some((factor.name.clone(), values.clone())),
        _ => None,
    };
    data.factors().iter().filter_map(choice).collect()
}

/// Variants that make sense for these data, whatever they are.
fn variants(data: &dyn Dataset) -> Vec<String> {
    let choices = choices(data);
    let mut variants = vec![String::new(), "part = \"validation\"\nseed = 3".to_string()];
    if !data.shape().is_vector() {
        variants.extend([9, 100].map(|size| format!("size = {size}")));
    }
    if let [(first, values), .., (last, last_values)] = &choices[..] {
        let half = values[values.len() / 2];
        let low = last_values[0];
        variants.push(format!("keep = {{ {first} = \"..{half}\" }}\nfix = {{ {last} = {low} }}"));
        variants.push(format!("hide = [\"{first}\"]\nkeep = {{ {last} = [{low}] }}"));
        variants.push(format!("without = [{{ {first} = \"{half}..\", {last} = {low} }}]"));
        if data.find(&self::values(data, 0)).is_some() {
            if choices.len() == data.factors().len() {
                variants.push("transitions = { contexts = 3, balanced = true }".to_string());
            }
            variants.push(format!(
                "correlate = [{{ factors = [\"{first}\", \"{last}\"], sigma = 0.3 }}]"
            ));
        }
    }
    variants
}

/// Call `check` with every variant of every data set that opens without files.
fn every(check: impl Fn(&str, &dyn Dataset, &[usize])) {
    for source in DATASETS {
        let name = source.info.name;
        // Without the files it reads, a data set refuses to open.
        let Ok((plain, _)) = (source.open)(&Table::new()) else { continue };
        for variant in variants(&*plain) {
            let data = match open(name, &variant) {
                Ok(data) => data,
                Err(error) => panic!("{name} with {variant}: {error}"),
            };
            let mut rng = Rng::new(1);
            let mut rows = vec![0, data.len() - 1];
            rows.extend((0..20).map(|_| rng.below(data.len())));
            check(&format!("{name} with {variant}"), &*data, &rows);
        }
    }
}

#[test]
fn observations_are_whole_in_range_and_the_same_from_any_thread() {
    every(|name, data, rows| {
        let together = data::observations(data, rows);
        for (&row, image) in rows.iter().zip(together.rows()) {
            let alone = checked_observation(name, data, row);
            assert_eq!(image.to_vec(), alone, "{name} row {row}");
        }
    });
}

#[test]
fn values_are_declared_and_lead_back_to_their_row() {
    every(|name, data, rows| {
        for &row in rows {
            check_values(name, data, row);
            let label = data.label(row).map(|label| label.len());
            assert_eq!(label, data.label(0).map(|label| label.len()), "{name}");
            if let Some(graph) = data.graph() {
                let names = data.factors().iter().map(|factor| &factor.name);
                assert!(graph.names().iter().eq(names), "{name}");
                assert_eq!(
                    data.counterfactual(row, &[]).unwrap().values,
                    values(data, row),
                    "{name}"
                );
            }
        }
    });
}

#[test]
fn pairs_differ_in_exactly_one_factor() {
    every(|name, data, _| {
        let pairs = Supervision::Pairs(Pairs::DEFAULT);
        let Ok(sampler) = Sampler::new(data, pairs, false, Rng::new(2)) else { return };
        let mut rng = Rng::new(5);
        for row in sampler.draw(0, 8).rows {
            let partner = Pairs::DEFAULT.partner(data, row, &mut rng);
            let (a, b) = (values(data, row), values(data, partner));
            assert_eq!(a.iter().zip(&b).filter(|(a, b)| a != b).count(), 1, "{name} row {row}");
        }
    });
}

#[test]
fn restricted_grids_keep_their_pairs_and_others_say_that_they_have_none() {
    let pairs = |variant: &str| {
        let data = open("dsprites", variant).unwrap();
        let pairs = Supervision::Pairs(Pairs::DEFAULT);
        Sampler::new(&*data, pairs, false, Rng::new(0)).map(|sampler| sampler.draw(3, 8))
    };
    for variant in ["size = 16", "keep = { posX = \"0.2..0.4\" }\nfix = { shape = 3, scale = 1 }"] {
        assert_eq!(pairs(variant).unwrap().views.len(), 2, "{variant}");
    }
    let correlated = "correlate = [{ factors = [\"posX\", \"posY\"], sigma = 0.2 }]";
    for variant in
        ["hide = [\"shape\"]", "part = \"train\"", "without = [{ shape = 1 }]", correlated]
    {
        let error = pairs(variant).unwrap_err().to_string();
        assert!(error.contains("pairs that share factor values"), "{variant}: {error}");
    }
}

#[test]
fn a_column_of_the_users_own_splits_their_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.npz");
    let mut writer = unbraid_measure::npz::NpzWriter::create(&path).unwrap();
    writer.array("images", &[6, 2, 2], &(0..24).map(|k| k as u8 * 10).collect::<Vec<_>>()).unwrap();
    writer.array("values", &[6, 2], &[0, 5, 0, 6, 1, 5, 0, 7, 1, 9, 1, 6_i32]).unwrap();
    writer.strings("names", &["split".to_string(), "kind".to_string()]).unwrap();
    writer.finish().unwrap();
    let settings = format!("path = {path:?}\n[variant]\nfix = {{ split = 1 }}");
    let (test, _) = data::open("arrays", &settings.parse().unwrap()).unwrap();
    assert_eq!(test.factors(), [Factor::discrete("kind", [5.0, 6.0, 9.0])]);
    let kinds: Vec<Vec<f32>> = (0..test.len()).map(|row| values(&*test, row)).collect();
    assert_eq!(kinds, [[5.0], [9.0], [6.0]]);
    assert_eq!(test.label(1), Some(vec![9.0]));
    assert_eq!(data::observations(&*test, &[0])[[0, 0]], 80.0 / 255.0);
}

#[test]
fn a_split_is_the_same_with_any_number_of_threads() {
    let rows = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let data = open("dsprites", "part = \"test\"").unwrap();
            (data.len(), data::values(&*data, &(0..500).collect::<Vec<_>>()))
        })
    };
    assert_eq!(rows(1), rows(3));
    assert_eq!(rows(1).0, 73_728);
}
