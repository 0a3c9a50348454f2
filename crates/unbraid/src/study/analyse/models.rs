//! The models of a study as analyses see them: which data, which method, which strength, which seed, and every number.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use unbraid_measure::tables::frame::{Frame, Values};

use crate::error::{Error, Result};

/// Columns that are no setting.
const KNOWN: [&str; 9] =
    ["number", "run", "row", "data", "model", "seed", "representation", "metric", "value"];

/// A number of a model: the representation it is of and its name, as (`mean`, `mig`).
pub(crate) type Key = (String, String);

/// A model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    /// The place of its data set in [`Models::data`].
    pub(crate) data: usize,
    /// The place of its method in [`Models::methods`].
    pub(crate) method: usize,
    /// The place of its strength among those of its method, in the order of the table.
    pub(crate) strength: usize,
    /// Its seed.
    pub(crate) seed: i64,
    numbers: HashMap<Key, f64>,
}

impl Model {
    /// A number, if it has it.
    pub(crate) fn number(&self, key: &Key) -> Option<f64> {
        self.numbers.get(key).copied()
    }

    /// Method and strength: what one can choose.
    pub(crate) fn choice(&self) -> (usize, usize) {
        (self.method, self.strength)
    }
}

/// Every model of a study.
#[derive(Clone, Debug, Default)]
pub(crate) struct Models {
    /// Data sets, methods, and the strengths of each method, in the order of the table.
    pub(crate) data: Vec<String>,
    pub(crate) methods: Vec<String>,
    pub(crate) strengths: Vec<Vec<String>>,
    pub(crate) all: Vec<Model>,
}

impl Models {
    /// Read the table that `study gather` writes, or one with the same columns.
    pub(crate) fn of(table: &Frame) -> Result<Self> {
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
        let settings: Vec<&(String, Values)> =
            table.columns.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str())).collect();
        let mut models = Self::default();
        let mut places: HashMap<(usize, usize, usize, i64), usize> = HashMap::new();
        for k in 0..table.rows() {
            let Some(value) = value.number(k).filter(|value| value.is_finite()) else { continue };
            let set = settings.iter().map(|(_, values)| values.text(k));
            let strength: Vec<String> = set.filter(|text| !text.is_empty()).collect();
            let data = place(&mut models.data, data.text(k));
            let method = place(&mut models.methods, row.text(k));
            models.strengths.resize(models.methods.len(), vec![]);
            let strength = place(&mut models.strengths[method], strength.join(", "));
            let seed = seed.number(k).unwrap_or(0.0) as i64;
            let at = *places.entry((data, method, strength, seed)).or_insert_with(|| {
                models.all.push(Model { data, method, strength, seed, ..Model::default() });
                models.all.len() - 1
            });
            models.all[at].numbers.insert((of.text(k), metric.text(k)), value);
        }
        Ok(models)
    }

    /// Those of a data set.
    pub(crate) fn of_data(&self, data: usize) -> Vec<&Model> {
        self.all.iter().filter(|model| model.data == data).collect()
    }

    /// Every seed.
    pub(crate) fn seeds(&self) -> Vec<i64> {
        self.all.iter().map(|model| model.seed).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Which of these numbers some model has.
    pub(crate) fn having(&self, keys: &[Key]) -> Vec<Key> {
        let has = |key: &&Key| self.all.iter().any(|model| model.number(key).is_some());
        keys.iter().filter(has).cloned().collect()
    }

    /// The mean over seeds of a number, by method and strength, on a data set.
    pub(crate) fn means(&self, data: usize, key: &Key) -> BTreeMap<(usize, usize), f64> {
        let mut sums: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
        for model in self.all.iter().filter(|model| model.data == data) {
            if let Some(value) = model.number(key) {
                let sum = sums.entry(model.choice()).or_default();
                *sum = (sum.0 + value, sum.1 + 1.0);
            }
        }
        sums.into_iter().map(|(choice, (sum, count))| (choice, sum / count)).collect()
    }
}

/// The place of a name in a list, to which it is added if it is new.
fn place(names: &mut Vec<String>, name: String) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}
