//! The models of a study as analyses see them: which data, which method, which strength, which seed, and every number.

use std::collections::HashMap;
use std::ops::Range;

use unbraid_measure::tables::frame::{Frame, Values};

use super::measures::Measure;
use super::statistics::{self, Pairs};
use crate::error::{Error, Result};

/// Columns that are no setting.
const KNOWN: [&str; 9] =
    ["number", "run", "row", "data", "model", "seed", "representation", "metric", "value"];

/// The place of a number in [`Models::keys`].
pub(crate) type Key = usize;

/// A model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    /// The name of its run.
    pub(crate) run: String,
    /// The place of its data set in [`Models::data`].
    pub(crate) data: usize,
    /// The place of its method in [`Models::methods`].
    pub(crate) method: usize,
    /// The place of its strength among those of its method, in the order of the table.
    pub(crate) strength: usize,
    /// The place of its seed in [`Models::seeds`].
    pub(crate) seed: usize,
    /// By key; no number where there is none.
    numbers: Vec<f64>,
}

impl Model {
    /// A number, if it has it.
    pub(crate) fn number(&self, key: Key) -> Option<f64> {
        self.numbers.get(key).copied().filter(|value| value.is_finite())
    }
}

/// Every model of a study.
#[derive(Clone, Debug, Default)]
pub(crate) struct Models {
    /// Data sets, methods, and the strengths of each method, in the order of the table.
    pub(crate) data: Vec<String>,
    pub(crate) methods: Vec<String>,
    pub(crate) strengths: Vec<Vec<String>>,
    /// Every seed, in order.
    pub(crate) seeds: Vec<i64>,
    /// What is known of models: the representation it is of and the name of the number, as (`mean`, `mig`).
    keys: Vec<(String, String)>,
    pub(crate) all: Vec<Model>,
    /// The places of the models of each data set.
    of_data: Vec<Vec<usize>>,
}

impl Models {
    /// Read the tables that `study gather` writes, or others with the same columns.
    pub(crate) fn of(tables: &[Frame]) -> Result<Self> {
        let mut reading = Reading::default();
        for table in tables {
            reading.take(table)?;
        }
        Ok(reading.models())
    }

    /// The key of a number, if some model has it.
    pub(crate) fn key(&self, of: &str, metric: &str) -> Option<Key> {
        self.keys.iter().position(|(a, b)| a == of && b == metric)
    }

    /// The name of a number, without what it is of.
    pub(crate) fn name(&self, key: Key) -> &str {
        &self.keys[key].1
    }

    /// Every key of numbers of a representation.
    pub(crate) fn keys_of(&self, of: &str) -> impl Iterator<Item = Key> {
        (0..self.keys.len()).filter(move |key| self.keys[*key].0 == of)
    }

    /// The models of a data set.
    pub(crate) fn on(&self, data: usize) -> impl Iterator<Item = &Model> {
        self.of_data[data].iter().map(|place| &self.all[*place])
    }

    /// The models of a data set that have a number, with it.
    pub(crate) fn having<'a>(
        &'a self,
        data: usize,
        measure: &'a Measure,
    ) -> impl Iterator<Item = (&'a Model, f64)> {
        self.on(data).filter_map(|model| Some((model, measure.of(model)?)))
    }

    /// Two numbers of each model of a data set that has both.
    pub(crate) fn pairs(&self, data: usize, [x, y]: [&Measure; 2]) -> Pairs {
        let pair = |model: &Model| Some((x.of(model)?, y.of(model)?, model.seed));
        Pairs::of(&self.on(data).filter_map(pair).collect::<Vec<_>>())
    }

    /// A draw with each seed once.
    pub(crate) fn as_it_is(&self) -> Vec<f64> {
        vec![1.0; self.seeds.len()]
    }

    /// The place of a method and strength among all: what one can choose.
    pub(crate) fn choice(&self, model: &Model) -> usize {
        self.first_choice(model.method) + model.strength
    }

    /// How many choices there are.
    pub(crate) fn choices(&self) -> usize {
        self.first_choice(self.methods.len())
    }

    /// The choices of a method.
    pub(crate) fn choices_of(&self, method: usize) -> Range<usize> {
        self.first_choice(method)..self.first_choice(method + 1)
    }

    /// A choice in words: "β-VAE, 4".
    pub(crate) fn choice_name(&self, choice: usize) -> String {
        let method =
            (0..self.methods.len()).rev().find(|method| self.first_choice(*method) <= choice);
        let method = method.expect("choices begin with the first method");
        let strength = &self.strengths[method][choice - self.first_choice(method)];
        match strength.is_empty() {
            true => self.methods[method].clone(),
            false => format!("{}, {strength}", self.methods[method]),
        }
    }

    fn first_choice(&self, method: usize) -> usize {
        self.strengths[..method].iter().map(Vec::len).sum()
    }

    /// Mean and quartiles of a number over the seeds of each strength of a method, against its place, from 1.
    pub(crate) fn by_strength(
        &self,
        data: usize,
        method: usize,
        measure: &Measure,
    ) -> Vec<(f64, f64, [f64; 2])> {
        let of = |strength: usize| {
            let mine = self.having(data, measure);
            let mine =
                mine.filter(|(model, _)| (model.method, model.strength) == (method, strength));
            let values: Vec<f64> = mine.map(|(_, value)| value).collect();
            let middle = values.iter().sum::<f64>() / values.len().max(1) as f64;
            let quarter = |share| statistics::quantile(&values, share);
            (!values.is_empty()).then(|| (strength as f64 + 1.0, middle, [0.25, 0.75].map(quarter)))
        };
        (0..self.strengths[method].len()).filter_map(of).collect()
    }

    /// How many seeds the models of a data set have at least, and at most.
    pub(crate) fn seeds_on(&self, data: usize) -> [usize; 2] {
        let mut counts = vec![0; self.choices()];
        self.on(data).for_each(|model| counts[self.choice(model)] += 1);
        let there = || counts.iter().copied().filter(|count| *count > 0);
        [there().min().unwrap_or(0), there().max().unwrap_or(0)]
    }
}

/// Models while they are read: places of names are looked up.
#[derive(Default)]
struct Reading {
    models: Models,
    data: HashMap<String, usize>,
    methods: HashMap<String, usize>,
    strengths: HashMap<(usize, String), usize>,
    keys: HashMap<(String, String), usize>,
    places: HashMap<(usize, usize, usize, i64), usize>,
    seeds: Vec<i64>,
}

impl Reading {
    fn take(&mut self, table: &Frame) -> Result<()> {
        let column = |name: &str| {
            table.column(name).ok_or_else(|| {
                Error::Unable(format!(
                    "the table has no column `{name}`; it needs data, row, seed, representation, metric and value, as \
                     `unbraid study gather` writes them"
                ))
            })
        };
        let (data, row, seed) = (column("data")?, column("row")?, column("seed")?);
        let (of, metric, value) = (column("representation")?, column("metric")?, column("value")?);
        let (run, model) = (table.column("run"), table.column("model"));
        let settings: Vec<&Values> = table
            .columns
            .iter()
            .filter(|(name, _)| !KNOWN.contains(&name.as_str()))
            .map(|(_, values)| values)
            .collect();
        for k in 0..table.rows() {
            let Some(value) = value.number(k).filter(|value| value.is_finite()) else { continue };
            let data = place(&mut self.data, &mut self.models.data, data.text(k));
            // A study without rows has its methods in `model`.
            let named = Some(row.text(k)).filter(|name| !name.is_empty());
            let name = named.or_else(|| Some(model?.text(k))).unwrap_or_default();
            let method = place(&mut self.methods, &mut self.models.methods, name);
            let set = settings.iter().map(|values| values.text(k)).filter(|text| !text.is_empty());
            let strength = self.strength(method, set.collect::<Vec<_>>().join(", "));
            let seed = seed.number(k).unwrap_or(0.0) as i64;
            let at = *self.places.entry((data, method, strength, seed)).or_insert_with(|| {
                let run = run.map(|run| run.text(k)).unwrap_or_default();
                self.models.all.push(Model { run, data, method, strength, ..Model::default() });
                self.seeds.push(seed);
                self.models.all.len() - 1
            });
            let key = place(&mut self.keys, &mut self.models.keys, (of.text(k), metric.text(k)));
            let numbers = &mut self.models.all[at].numbers;
            numbers.resize(numbers.len().max(key + 1), f64::NAN);
            numbers[key] = value;
        }
        Ok(())
    }

    fn strength(&mut self, method: usize, name: String) -> usize {
        self.models.strengths.resize(self.models.methods.len(), vec![]);
        let names = &mut self.models.strengths[method];
        *self.strengths.entry((method, name.clone())).or_insert_with(|| {
            names.push(name);
            names.len() - 1
        })
    }

    /// The models, each with the place of its seed, by data set.
    fn models(mut self) -> Models {
        let mut seeds = self.seeds.clone();
        seeds.sort_unstable();
        seeds.dedup();
        for (model, seed) in self.models.all.iter_mut().zip(&self.seeds) {
            model.seed = seeds.binary_search(seed).expect("every seed is among all");
        }
        self.models.seeds = seeds;
        self.models.of_data = vec![Vec::new(); self.models.data.len()];
        for (place, model) in self.models.all.iter().enumerate() {
            self.models.of_data[model.data].push(place);
        }
        self.models
    }
}

/// The place of a name in a list, to which it is added if it is new.
fn place<N: Clone + Eq + std::hash::Hash>(
    places: &mut HashMap<N, usize>,
    names: &mut Vec<N>,
    name: N,
) -> usize {
    *places.entry(name).or_insert_with_key(|name| {
        names.push(name.clone());
        names.len() - 1
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A table of numbers of mean codes: data, row, strength, seed, metric, value.
    pub(crate) fn table(rows: &[(&str, &str, f64, i64, &str, f64)]) -> Frame {
        of(&rows
            .iter()
            .map(|row| (row.0, row.1, row.2, row.3, "mean", row.4, row.5))
            .collect::<Vec<_>>())
    }

    /// The same with what each number is of.
    pub(crate) fn of(rows: &[(&str, &str, f64, i64, &str, &str, f64)]) -> Frame {
        let words = |word: &dyn Fn(usize) -> String| {
            Values::Words((0..rows.len()).map(|k| Some(word(k))).collect())
        };
        let columns = vec![
            (
                "run".to_string(),
                words(&|k| format!("{}-{}-{}-{}", rows[k].0, rows[k].1, rows[k].2, rows[k].3)),
            ),
            ("row".into(), words(&|k| rows[k].1.into())),
            ("data".into(), words(&|k| rows[k].0.into())),
            ("seed".into(), Values::Whole(rows.iter().map(|row| Some(row.3)).collect())),
            ("model.beta".into(), Values::Numbers(rows.iter().map(|row| Some(row.2)).collect())),
            ("representation".into(), words(&|k| rows[k].4.into())),
            ("metric".into(), words(&|k| rows[k].5.into())),
            ("value".into(), Values::Numbers(rows.iter().map(|row| Some(row.6)).collect())),
        ];
        Frame { columns }
    }

    #[test]
    fn models_are_put_together_from_their_rows_and_several_tables() {
        let one = table(&[
            ("squares", "VAE", 1.0, 5, "mig", 0.25),
            ("squares", "VAE", 1.0, 5, "dci", 0.5),
            ("squares", "VAE", 4.0, 2, "mig", 0.75),
        ]);
        let two = table(&[
            ("cars3d", "PCA", 1.0, 9, "dci", f64::NAN),
            ("cars3d", "PCA", 1.0, 9, "mig", 0.1),
        ]);
        let models = Models::of(&[one, two]).unwrap();
        assert_eq!((models.all.len(), models.choices()), (3, 3));
        assert_eq!(
            (models.data.clone(), models.seeds.clone()),
            (vec!["squares".into(), "cars3d".into()], vec![2, 5, 9])
        );
        let (mig, dci) = (models.key("mean", "mig").unwrap(), models.key("mean", "dci").unwrap());
        assert_eq!((models.all[0].number(mig), models.all[0].number(dci)), (Some(0.25), Some(0.5)));
        assert_eq!((models.all[2].number(dci), models.all[0].seed), (None, 1));
        assert_eq!(
            [0, 1, 2].map(|k| models.choice_name(models.choice(&models.all[k]))),
            ["VAE, 1", "VAE, 4", "PCA, 1"]
        );
        let measure = &models.scores()[0];
        assert_eq!(measure.title, "MIG");
    }

    #[test]
    fn a_table_without_a_column_is_refused_by_its_name() {
        let mut table = table(&[]);
        table.columns.remove(2);
        assert!(Models::of(&[table]).unwrap_err().to_string().contains("has no column `data`"));
    }
}
