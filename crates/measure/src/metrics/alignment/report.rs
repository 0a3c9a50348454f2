//! The numbers that are told of the matrix of sets (rows) and factors (columns):
//!
//! ```text
//! diagonal = mean_s M_ss          separation = mean_s max_{v ≠ s} M_sv
//! ```
//!
//! Where the method was to find some factors only, its targets, s goes over these. v goes over the
//! others of them too, since a method cannot be blamed for factors that it was told nothing about,
//! and in `separation_all` over all other factors. The codes that belong to no factor have a row of
//! their own then, which should tell of the factors that are no targets.

use ndarray::Array2;

use super::Sets;
use crate::stats::mean;

type Parts = Vec<(String, f64)>;

/// What was found.
#[derive(Debug)]
pub(super) struct Report<'a> {
    /// The name of each factor that has a set.
    pub(super) names: Vec<&'a str>,
    pub(super) sets: &'a Sets,
    /// R², `[sets, factors]`; below, where there are targets, the row of the rest.
    pub(super) r2: Array2<f64>,
    /// Spearman's correlation, likewise.
    pub(super) ranks: Array2<f64>,
    /// Whether each factor is a target, where that is known.
    pub(super) targets: Option<Vec<bool>>,
    /// Whether the matrix is to be told as well.
    pub(super) matrix: bool,
}

impl Report<'_> {
    /// The diagonal of R².
    pub(super) fn value(&self) -> f64 {
        mean(diagonal(&self.r2, &self.counted()))
    }

    /// All numbers by name.
    pub(super) fn parts(&self) -> Parts {
        let mut parts = self.means();
        parts.extend(self.of_factors());
        if self.targets.is_some() {
            parts.extend(self.of_the_rest());
        }
        if self.matrix {
            parts.extend(self.entries());
        }
        parts
    }

    /// The factors whose sets count: the targets, or all.
    fn counted(&self) -> Vec<usize> {
        let counts = |&k: &usize| self.targets.as_ref().is_none_or(|targets| targets[k]);
        self.all().into_iter().filter(counts).collect()
    }

    fn all(&self) -> Vec<usize> {
        (0..self.names.len()).collect()
    }

    /// What separation is called, and which factors are the others; a factor that is alone has none
    /// to be separated from.
    fn separations(&self) -> Vec<(&'static str, Vec<usize>)> {
        let mut kinds = vec![("separation", self.counted())];
        if self.targets.is_some() {
            kinds.push(("separation_all", self.all()));
        }
        kinds.retain(|(_, others)| others.len() > 1);
        kinds
    }

    fn means(&self) -> Parts {
        let mut parts = Vec::new();
        let counted = self.counted();
        for (name, matrix) in [("r2", &self.r2), ("spearman", &self.ranks)] {
            parts.push((format!("{name}_diagonal"), mean(diagonal(matrix, &counted))));
            for (kind, others) in self.separations() {
                let found = separation(matrix, &counted, &others);
                parts.push((format!("{name}_{kind}"), mean(found)));
            }
        }
        parts
    }

    fn of_factors(&self) -> Parts {
        let mut parts = Vec::new();
        let counted = self.counted();
        for (k, name) in self.names.iter().enumerate() {
            if counted.contains(&k) {
                parts.push((format!("r2_diagonal/{name}"), self.r2[[k, k]]));
                for (kind, others) in self.separations() {
                    let found = separation(&self.r2, &[k], &others)[0];
                    parts.push((format!("r2_{kind}/{name}"), found));
                }
            }
            parts.push((format!("codes/{name}"), self.sets.own[k].len() as f64));
        }
        parts
    }

    fn of_the_rest(&self) -> Parts {
        let mut parts = vec![("codes_rest".to_owned(), self.sets.rest.len() as f64)];
        for (what, matrix) in [("r2", &self.r2), ("spearman", &self.ranks)] {
            let row = matrix.row(self.names.len());
            let named = self.names.iter().zip(row);
            parts.extend(named.map(|(name, entry)| (format!("{what}_rest/{name}"), *entry)));
        }
        parts
    }

    /// R² as `r2/SET/FACTOR`, a set by the name of its factor. A factor that is no target has a row
    /// only if codes were assigned to it.
    fn entries(&self) -> Parts {
        let counted = self.counted();
        let shown = |&s: &usize| counted.contains(&s) || !self.sets.own[s].is_empty();
        let entry = |s: usize, k: usize| {
            (format!("r2/{}/{}", self.names[s], self.names[k]), self.r2[[s, k]])
        };
        let rows = self.all().into_iter().filter(shown);
        rows.flat_map(|s| (0..self.names.len()).map(move |k| entry(s, k))).collect()
    }
}

fn diagonal(matrix: &Array2<f64>, sets: &[usize]) -> Vec<f64> {
    sets.iter().map(|&s| matrix[[s, s]]).collect()
}

/// The largest entry of each of these rows, in the columns of others, off the diagonal.
fn separation(matrix: &Array2<f64>, sets: &[usize], others: &[usize]) -> Vec<f64> {
    let largest = |&s: &usize| {
        let others = others.iter().filter(|k| **k != s);
        others.map(|&k| matrix[[s, k]]).fold(f64::NEG_INFINITY, f64::max)
    };
    sets.iter().map(largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn separation_is_the_largest_entry_beside_the_diagonal_even_below_zero() {
        let matrix = array![[0.9, -0.2, -0.1], [0.3, 0.8, 0.4], [0.0, 0.7, 0.1]];
        assert_eq!(separation(&matrix, &[0, 1, 2], &[0, 1, 2]), [-0.1, 0.4, 0.7]);
        assert_eq!(separation(&matrix, &[0, 2], &[0, 2]), [-0.1, 0.0]);
        assert_eq!(diagonal(&matrix, &[0, 1, 2]), [0.9, 0.8, 0.1]);
    }

    /// Factors a, b and c of which a and b are targets; the codes of c belong to none.
    fn report(sets: &Sets, targets: Option<Vec<bool>>) -> Report<'_> {
        let r2 = array![[0.9, 0.1, 0.6], [0.3, 0.7, 0.2], [0.0, 0.0, 0.0], [0.05, 0.0, 0.8]];
        let names = vec!["a", "b", "c"];
        Report { names, sets, ranks: r2.clone(), r2, targets, matrix: true }
    }

    #[test]
    fn targets_alone_make_the_diagonal_and_separation_counts_others_where_said() {
        let sets = Sets { own: vec![vec![0], vec![1, 2], vec![]], rest: vec![3, 4] };
        let report = report(&sets, Some(vec![true, true, false]));
        assert!((report.value() - 0.8).abs() < 1e-12);
        let parts = report.parts();
        let part = |name: &str| parts.iter().find(|(part, _)| part == name).map(|(_, p)| *p);
        for (name, expected) in [
            ("r2_diagonal", 0.8),
            ("r2_separation", 0.2),
            ("r2_separation_all", 0.45),
            ("spearman_separation_all", 0.45),
            ("r2_separation/a", 0.1),
            ("r2_separation_all/a", 0.6),
            ("codes_rest", 2.0),
            ("codes/c", 0.0),
            ("r2_rest/c", 0.8),
            ("spearman_rest/a", 0.05),
            ("r2/b/a", 0.3),
        ] {
            let found = part(name).unwrap_or_else(|| panic!("no {name}"));
            assert!((found - expected).abs() < 1e-12, "{name} is {found}, not {expected}");
        }
        // Nothing that is no target is asked for, and an empty set that nobody wanted has no row.
        assert_eq!((part("r2_diagonal/c"), part("r2/c/a")), (None, None));
    }

    #[test]
    fn one_target_is_separated_from_other_factors_only() {
        let sets = Sets { own: vec![vec![0], vec![], vec![]], rest: vec![] };
        let parts = report(&sets, Some(vec![true, false, false])).parts();
        let has = |name: &str| parts.iter().any(|(part, _)| part == name);
        assert!(has("r2_separation_all") && !has("r2_separation"), "{parts:?}");
    }

    #[test]
    fn without_targets_all_factors_count_and_nothing_is_told_of_the_rest() {
        let sets = Sets { own: vec![vec![0], vec![1], vec![2]], rest: vec![3] };
        let report = report(&sets, None);
        assert!((report.value() - 1.6 / 3.0).abs() < 1e-12);
        let names: Vec<String> = report.parts().into_iter().map(|(name, _)| name).collect();
        assert!(names.iter().all(|name| !name.contains("rest") && !name.contains("_all")));
    }
}
