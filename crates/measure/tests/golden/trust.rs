//! Reading the golden set of trustworthy evaluation: its entries and the tables they are about.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ndarray::{Array2, ShapeBuilder};
use serde_json::Value;
use unbraid_measure::factors::Factor;
use unbraid_measure::representation::{Representation, Split};

/// A directory with an index.
pub(crate) struct Set {
    pub(crate) directory: PathBuf,
    pub(crate) entries: Vec<Value>,
    cases: BTreeMap<String, Case>,
}

/// The table of a case.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) table: Representation<'static>,
    /// Whether codes are labels.
    pub(crate) discrete: bool,
    /// Whether factors are.
    pub(crate) labels: bool,
    /// Why there is no table: codes beyond single precision, which the program refuses. Then `table` has zeros.
    pub(crate) refused: Option<String>,
}

/// The few cases of this crate, and all of them where they are at hand.
pub(crate) fn sets() -> Vec<Set> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![Set::open(&here.join("tests/golden/trust"))];
    match here.ancestors().map(|up| up.join("shared/golden/trust")).find(|path| path.exists()) {
        Some(shared) => found.push(Set::open(&shared)),
        None => eprintln!("skipped: no shared/golden/trust above {}", here.display()),
    }
    found
}

impl Set {
    fn open(directory: &Path) -> Self {
        let index = std::fs::read_to_string(directory.join("index.json")).unwrap();
        let index: Value = serde_json::from_str(&index).unwrap();
        let list = |name: &str| index[name].as_array().unwrap().clone();
        let cases = list("cases");
        let case = |case: &Value| (text(&case["case"]).to_string(), Case::open(directory, case));
        let cases = cases.iter().map(case).collect();
        Self { directory: directory.into(), entries: list("entries"), cases }
    }

    pub(crate) fn cases(&self) -> impl Iterator<Item = &Case> {
        self.cases.values()
    }

    pub(crate) fn case(&self, entry: &Value) -> &Case {
        &self.cases[text(&entry["case"])]
    }
}

impl Case {
    fn open(directory: &Path, case: &Value) -> Self {
        let codes = numbers(&directory.join(text(&case["codes_file"])));
        let values = numbers(&directory.join(text(&case["factors_file"]))).mapv(|v| v as f32);
        let whole = case["continuous_factors"] == false;
        let factor = |(k, column): (usize, ndarray::ArrayView1<f32>)| {
            let name = format!("factor-{k}");
            match whole {
                true => Factor::of_column(name, &column.to_vec(), true),
                false => Factor::continuous(name),
            }
        };
        let factors: Vec<Factor> = values.columns().into_iter().enumerate().map(factor).collect();
        let codes = codes.mapv(|code| code as f32);
        let nothing = Array2::zeros(codes.dim());
        let made = Representation::new(codes, values.clone(), factors.clone());
        let refused = made.as_ref().err().map(ToString::to_string);
        let table = made.unwrap_or_else(|_| Representation::new(nothing, values, factors).unwrap());
        let name = text(&case["case"]).to_string();
        Self { name, table, discrete: case["discrete_latents"] == true, labels: whole, refused }
    }

    /// The same, with the first four fifths of the rows as those that teach.
    pub(crate) fn parted(&self) -> Representation<'static> {
        let rows = self.table.rows();
        let train = (0.8 * rows as f64) as usize;
        let mut table = self.table.clone();
        table.protocol.split = Split::Ends { train, test: rows - train };
        table
    }
}

/// A matrix of any kind of numbers.
pub(crate) fn numbers(file: &Path) -> Array2<f64> {
    let bytes = std::fs::read(file).unwrap();
    let npy = npyz::NpyFile::new(&bytes[..]).unwrap();
    let columns_first = npy.order() == npyz::Order::Fortran;
    let shape = (npy.shape()[0] as usize, npy.shape()[1] as usize);
    let numbers: Vec<f64> = match npy.dtype().descr().as_str() {
        "'<f8'" => npy.into_vec::<f64>().unwrap(),
        "'<f4'" => npy.into_vec::<f32>().unwrap().into_iter().map(f64::from).collect(),
        "'<i4'" => npy.into_vec::<i32>().unwrap().into_iter().map(f64::from).collect(),
        other => panic!("{}: {other}", file.display()),
    };
    Array2::from_shape_vec(shape.set_f(columns_first), numbers).unwrap()
}

/// Whether a number is the one of an entry: within its tolerance or, where a fit is stopped early,
/// between where it was stopped and where it would end. No number where the original has none.
pub(crate) fn agrees(entry: &Value, found: Option<f64>) -> bool {
    let tolerance = entry["tolerance"].as_f64().unwrap_or(0.0);
    match (entry["expected"].as_f64(), found) {
        (Some(expected), Some(found)) => {
            let accepted = entry["accept"].as_array().is_some_and(|ends| {
                (ends[0].as_f64().unwrap()..=ends[1].as_f64().unwrap()).contains(&found)
            });
            accepted || (found - expected).abs() <= tolerance
        }
        (expected, found) => expected.is_none() && found.is_none(),
    }
}

/// What an entry asks for, in words.
pub(crate) fn wanted(entry: &Value) -> String {
    format!("{} +- {} {}", entry["expected"], entry["tolerance"], entry["accept"])
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} should be a string"))
}
