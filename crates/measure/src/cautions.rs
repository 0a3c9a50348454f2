//! What to keep in mind when reading scores of a table: the known ways in which metrics mislead,
//! found in the data before anyone is misled.

use std::collections::HashMap;

use ndarray::ArrayView1;

use crate::factors::Kind;
use crate::metrics::{Metric, Needs};
use crate::representation::Representation;
use crate::stats::{is_constant, mean};

/// Fewer rows make most scores guesses: information and accuracy are then fitted noise.
const FEW_ROWS: usize = 1_000;
/// How many codes a warning names; raw pixels have thousands.
const NAMED: usize = 12;
/// Codes with a smaller standard deviation have collapsed; the study prunes them at this value.
const STILL: f64 = 0.05;
/// Metrics for which a factor without a list of values is cut into bins.
const IN_BINS: [&str; 22] = [
    "aam",
    "beta-vae-score",
    "dci",
    "dci-gbt",
    "dcimig",
    "downstream-gbt",
    "downstream-lr",
    "explicitness",
    "factor-vae-score",
    "fairness",
    "higgins-score",
    "infomec",
    "infomec-iqr",
    "irs",
    "jemmig",
    "mig",
    "mig-sup",
    "modularity",
    "mutual-info",
    "sap",
    "unified",
    "dci-es",
];
/// A whole-number factor with more values than this share of the rows was probably not meant to be
/// a list of classes.
const CLASSES_PER_ROW: f64 = 0.2;

/// The warnings for a table and these metrics, a sentence each.
pub fn of(table: &Representation, metrics: &[&'static dyn Metric]) -> Vec<String> {
    let judges_factors =
        metrics.iter().any(|metric| matches!(metric.needs(), Needs::Factors | Needs::Split));
    let judges_factors = judges_factors && !table.factors.is_empty();
    let mut found = about_codes(table);
    if judges_factors {
        let cut = metrics.iter().filter(|metric| IN_BINS.contains(&metric.info().name));
        let cut: Vec<&str> = cut.map(|metric| metric.info().name).collect();
        found.extend(about_factors(table, &cut));
    }
    if judges_factors && table.rows() < FEW_ROWS {
        found.push(format!(
            "only {} rows: information and accuracy of so few are partly noise; score {FEW_ROWS} \
             or more, or resample the rows for intervals",
            table.rows()
        ));
    }
    found
}

fn about_codes(table: &Representation) -> Vec<String> {
    let (mut dead, mut still) = (Vec::new(), Vec::new());
    for (j, column) in table.codes.columns().into_iter().enumerate() {
        if is_constant(column) {
            dead.push(j);
        } else if deviation(column) < STILL {
            still.push(j);
        }
    }
    let mut found = Vec::new();
    if !dead.is_empty() {
        found.push(format!(
            "{} never changes: some metrics count it as a failure, some leave it out, some refuse",
            codes(&dead)
        ));
    }
    if !still.is_empty() {
        found.push(format!(
            "{} hardly changes (standard deviation below {STILL}): a collapsed code, whose noise \
             metrics that rescale codes may take for a signal",
            codes(&still)
        ));
    }
    found
}

/// `cut` are the metrics for which continuous factors become bins.
fn about_factors(table: &Representation, cut: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut continuous = Vec::new();
    for (factor, column) in table.factors.iter().zip(table.values.columns()) {
        let name = &factor.name;
        match &factor.kind {
            _ if is_constant(column) => found.push(format!(
                "factor `{name}` never changes in these rows: nothing can be said about it, and \
                 most metrics refuse; leave this column out"
            )),
            Kind::Continuous | Kind::Angle => continuous.push(name.as_str()),
            Kind::Discrete(values)
                if values.len() as f64 > CLASSES_PER_ROW * table.rows() as f64 =>
            {
                found.push(format!(
                    "factor `{name}` has {} different whole numbers in {} rows, each taken as a \
                     class; if it is a quantity, give it as floats",
                    values.len(),
                    table.rows()
                ));
            }
            Kind::Discrete(_) => {}
        }
    }
    if !continuous.is_empty() && !cut.is_empty() {
        let (factors, verb) = match &continuous[..] {
            [one] => (format!("factor `{one}`"), "is"),
            many => (format!("factors {}", named(many)), "are"),
        };
        found.push(format!(
            "{factors} {verb} continuous: {} cut what has no classes into {} bins of equal width",
            some(cut),
            table.protocol.bins
        ));
    }
    found.extend(together(table));
    found
}

/// `a`, `b` and 3 more.
fn named(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(NAMED) {
        0 => quoted.join(", "),
        more => format!("{} and {more} more", quoted.join(", ")),
    }
}

/// The metrics by their names, the first of them.
fn some(metrics: &[&str]) -> String {
    match metrics {
        [first, second, third, _, ..] => format!("{first}, {second}, {third} and others"),
        few => few.join(" and "),
    }
}

/// Factors that rename each other: whatever tells one tells the other.
fn together(table: &Representation) -> Vec<String> {
    let mut found = Vec::new();
    for k in 0..table.factors.len() {
        for other in k + 1..table.factors.len() {
            let (a, b) = (table.values.column(k), table.values.column(other));
            if !is_constant(a) && (a == b || (renames(a, b) && renames(b, a))) {
                found.push(format!(
                    "factors `{}` and `{}` always change together: no metric can tell them apart, \
                     and each counts",
                    table.factors[k].name, table.factors[other].name
                ));
            }
        }
    }
    found
}

/// Whether each value of `a` comes with one value of `b` only. Values that hardly repeat would do
/// so by themselves, and do not count.
fn renames(a: ArrayView1<f32>, b: ArrayView1<f32>) -> bool {
    // Adding zero makes -0 and 0 one key.
    let key = |value: &f32| (value + 0.0).to_bits();
    let mut partner = HashMap::new();
    let one_each = a.iter().zip(b).all(|(a, b)| *partner.entry(key(a)).or_insert(key(b)) == key(b));
    one_each && partner.len() * 2 <= a.len()
}

fn deviation(column: ArrayView1<f32>) -> f64 {
    let numbers = || column.iter().copied().map(f64::from);
    let middle = mean(numbers());
    mean(numbers().map(|value| (value - middle).powi(2))).sqrt()
}

/// "code 3", or "each of codes 1, 2, 5".
fn codes(numbers: &[usize]) -> String {
    let list: Vec<String> = numbers.iter().take(NAMED).map(ToString::to_string).collect();
    match (&list[..], numbers.len().saturating_sub(NAMED)) {
        ([one], _) => format!("code {one}"),
        (many, 0) => format!("each of codes {}", many.join(", ")),
        (many, more) => format!("each of codes {} and {more} more", many.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use crate::metrics::METRICS;
    use ndarray::Array2;

    /// Codes: good, dead, still. Factors: two that go together, a constant, a continuous one, and
    /// whole numbers that never repeat.
    fn table(rows: usize) -> Representation<'static> {
        let codes = Array2::from_shape_fn((rows, 3), |(row, j)| {
            [row as f32, 7.0, 0.01 * (row % 2) as f32][j]
        });
        let values = Array2::from_shape_fn((rows, 5), |(row, k)| {
            let color = (row % 3) as f32;
            [color, 5.0 - color, 1.0, (row as f32).sin(), row as f32][k]
        });
        let of = |k: usize, name: &str, whole: bool| {
            Factor::of_column(name, &values.column(k).to_vec(), whole)
        };
        let factors = vec![
            of(0, "color", true),
            of(1, "shade", true),
            of(2, "size", true),
            of(3, "angle", false),
            of(4, "id", true),
        ];
        Representation::new(codes, values, factors).unwrap()
    }

    #[test]
    fn thousands_of_codes_are_not_all_named() {
        let all: Vec<usize> = (0..1024).collect();
        assert_eq!(codes(&all[..1]), "code 0");
        assert!(codes(&all[..12]).ends_with("10, 11"));
        assert!(codes(&all).ends_with("10, 11 and 1012 more"));
    }

    #[test]
    fn each_known_trap_is_named_once() {
        let found = of(&table(500), METRICS);
        let expected = [
            "code 1 never changes",
            "code 2 hardly changes",
            "factor `size` never changes",
            "factor `id` has 500 different whole numbers in 500 rows",
            "factor `angle` is continuous: ",
            "factors `color` and `shade` always change together",
            "only 500 rows",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    }

    #[test]
    fn a_good_table_has_no_warnings() {
        let rows = 2000;
        let values = Array2::from_shape_fn((rows, 2), |(row, k)| [row % 4, row / 4 % 5][k] as f32);
        let factors = (0..2)
            .map(|k| Factor::of_column(format!("f{k}"), &values.column(k).to_vec(), true))
            .collect();
        let table = Representation::new(values.clone(), values, factors).unwrap();
        assert_eq!(of(&table, METRICS), [""; 0]);
    }
}
