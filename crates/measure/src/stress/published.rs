//! The published grid: means over five tables of 1,000 rows with 5 factors, of which metrics saw 200 (Joshi et al., UAI 2026,
//! as stored beside their code under the MIT licence, copyright Shruti Joshi and co-authors). Where bent codes had a
//! hyperbolic sine of a cube in it, which ours have not, there is nothing to compare and the numbers are left out.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::{Encoder, Law};

const TABLE: &str = include_str!("published.csv");

/// The published mean of a metric, by our name of it.
pub fn published(law: Law, encoder: Encoder, metric: &str) -> Option<f64> {
    static READ: OnceLock<HashMap<[&str; 3], f64>> = OnceLock::new();
    let read = READ.get_or_init(|| {
        let line = |line: &'static str| {
            let words: Vec<&str> = line.split(',').collect();
            let mean = words[3].parse().expect("a number");
            ([words[0], words[1], words[2]], mean)
        };
        TABLE.lines().skip(1).map(line).collect()
    });
    read.get(&[law.code(), encoder.code(), metric]).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics;

    #[test]
    fn numbers_are_those_of_the_paper_and_metrics_are_ours() {
        let of = |metric| published(Law::Independent, Encoder::Dense, metric);
        assert_eq!((of("mcc"), of("mig-sup")), (Some(0.687), None));
        assert_eq!(published(Law::Independent, Encoder::Bent, "mcc"), None);
        let names = TABLE.lines().skip(1).map(|line| line.split(',').nth(2).unwrap());
        assert!(names.into_iter().all(|name| metrics::find(name).is_ok()));
    }
}
