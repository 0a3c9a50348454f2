//! Responses: how a code answers to each factor, as its mean over the rows with each value.
//!
//! A code of its own for a factor rises along that factor and is flat along the others. Two factors
//! that are called x and y make a map, and a factor called shape with few values splits every
//! curve in one per shape: so Higgins et al. (2017) draw dSprites in their figure 7.

use ndarray::{Array2, ArrayView1, ArrayView2};
use unbraid_measure::factors::Factor;
use unbraid_measure::representation::Representation;

/// How many values or bins a curve has at most.
const POINTS: usize = 40;
/// How many bins a factor without a list of values is cut into.
const BINS: usize = 20;
/// How many cells a map has at most to each side.
const CELLS: usize = 16;
/// How many shapes are told apart by colour.
const SHAPES: usize = 6;

/// The rows where a factor has one value, or lies in one bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The value of the factor, or the middle of the bin.
    pub value: f32,
    /// The mean of the code.
    pub mean: f32,
    /// Its standard deviation: what the other factors do to it.
    pub deviation: f32,
}

/// The mean of a code over two factors that are places.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// `[y, x]`, from the smallest value to the largest; no number where there are no rows.
    pub means: Array2<f32>,
}

/// Which factors are drawn, and how.
#[derive(Clone, Debug)]
pub struct Responses<'a> {
    codes: ArrayView2<'a, f32>,
    values: ArrayView2<'a, f32>,
    known: &'a [Factor],
    /// The factors of the map: x and y.
    pub places: Option<(usize, usize)>,
    /// The factor by which curves are split.
    pub shape: Option<usize>,
    /// The factors with curves, as many as wanted.
    pub curved: Vec<usize>,
}

impl<'a> Responses<'a> {
    /// Find places and shape among the factors that vary.
    pub fn new(codes: &'a Representation) -> Self {
        let varying: Vec<usize> = (0..codes.factors.len())
            .filter(|&k| distinct(codes.values.column(k)).len() > 1)
            .collect();
        let find = |is: &dyn Fn(&str) -> bool| {
            let plain = |k: &usize| plain(&codes.factors[*k].name);
            varying.iter().copied().find(|k| is(&plain(k)))
        };
        let place = |letter: &str| {
            let names = ["", "pos", "position"]
                .map(|word| [format!("{word}{letter}"), format!("{letter}{word}")]);
            find(&|name| names.iter().flatten().any(|known| known == name))
        };
        let places = place("x").zip(place("y"));
        let few = |k: &usize| {
            let known = codes.factors[*k].size().is_some();
            known && distinct(codes.values.column(*k)).len() <= SHAPES
        };
        let mut shape = find(&|name| name.ends_with("shape")).filter(few);
        let in_map = |k: usize| places.is_some_and(|(x, y)| k == x || k == y);
        let mut curved: Vec<usize> =
            varying.iter().copied().filter(|&k| !in_map(k) && Some(k) != shape).collect();
        if curved.is_empty() {
            // Nothing is left to split.
            curved.extend(shape.take());
        }
        Self {
            codes: codes.codes.view(),
            values: codes.values.view(),
            known: &codes.factors,
            places,
            shape,
            curved,
        }
    }

    /// The name of a factor.
    pub fn name(&self, factor: usize) -> &str {
        &self.known[factor].name
    }

    /// What a value of a factor is called.
    pub fn called(&self, factor: usize, value: f32) -> String {
        self.known[factor].called(value)
    }

    /// Whether the values of a factor are words.
    pub fn has_words(&self, factor: usize) -> bool {
        !self.known[factor].words.is_empty()
    }

    /// The values of the factor that splits the curves; empty if none does.
    pub fn shapes(&self) -> Vec<f32> {
        self.shape.map(|k| distinct(self.values.column(k))).unwrap_or_default()
    }

    /// The curve of a code along a factor, or one per shape.
    pub fn curves(&self, latent: usize, factor: usize) -> Vec<Vec<Point>> {
        let bins = self.bins(factor, POINTS);
        let code = self.codes.column(latent);
        let Some(shape) = self.shape else { return vec![curve(&bins, code, |_| true)] };
        let shapes = self.values.column(shape);
        let of = |value: &f32| curve(&bins, code, |row| shapes[row] == *value);
        self.shapes().iter().map(of).collect()
    }

    /// The map of a code, where there are places.
    pub fn map(&self, latent: usize) -> Option<Map> {
        let (x, y) = self.places?;
        let (columns, rows) = (self.bins(x, CELLS), self.bins(y, CELLS));
        let shape = (rows.values.len(), columns.values.len());
        let mut sums = Array2::<f32>::zeros(shape);
        let mut counts = Array2::<f32>::zeros(shape);
        for (row, code) in self.codes.column(latent).iter().enumerate() {
            let cell = [rows.of_row[row], columns.of_row[row]];
            sums[cell] += code;
            counts[cell] += 1.0;
        }
        // Nothing over nothing is no number, as it should be.
        Some(Map { means: sums / counts })
    }

    /// Each value on its own if they are few and known, else bins of equal width.
    fn bins(&self, factor: usize, most: usize) -> Bins {
        let column = self.values.column(factor);
        let values = distinct(column);
        if self.known[factor].size().is_some() && values.len() <= most {
            let rank = |value: &f32| values.partition_point(|other| other < value);
            return Bins { of_row: column.iter().map(rank).collect(), values };
        }
        let count = most.min(BINS);
        let (low, high) = (values[0], values[values.len() - 1]);
        let width = (high - low) / count as f32;
        let bin = |value: &f32| (((value - low) / width) as usize).min(count - 1);
        let middle = |bin: usize| low + (bin as f32 + 0.5) * width;
        Bins { of_row: column.iter().map(bin).collect(), values: (0..count).map(middle).collect() }
    }
}

/// Rows by the value of a factor.
struct Bins {
    values: Vec<f32>,
    of_row: Vec<usize>,
}

/// Mean and deviation per bin over the rows that are taken; bins without any are left out.
fn curve(bins: &Bins, code: ArrayView1<f32>, taken: impl Fn(usize) -> bool) -> Vec<Point> {
    let mut sums = vec![(0.0f64, 0.0f64, 0.0f64); bins.values.len()];
    for (row, bin) in bins.of_row.iter().enumerate().filter(|(row, _)| taken(*row)) {
        let code = f64::from(code[row]);
        let (count, sum, squares) = &mut sums[*bin];
        (*count, *sum, *squares) = (*count + 1.0, *sum + code, *squares + code * code);
    }
    let point = |(value, (count, sum, squares)): (&f32, (f64, f64, f64))| {
        let mean = sum / count;
        // Rounding can take the variance of equal numbers a hair below zero.
        let deviation = (squares / count - mean * mean).max(0.0).sqrt();
        let point = Point { value: *value, mean: mean as f32, deviation: deviation as f32 };
        (count > 0.0).then_some(point)
    };
    bins.values.iter().zip(sums).filter_map(point).collect()
}

/// The different numbers of a column, sorted.
fn distinct(column: ArrayView1<f32>) -> Vec<f32> {
    let mut values = column.to_vec();
    values.sort_unstable_by(f32::total_cmp);
    values.dedup();
    values
}

/// A name in small letters without what joins its words.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use unbraid_measure::data;

    /// `squares` with codes that are known functions of its factors (x, y, side, brightness).
    fn squares() -> Representation<'static> {
        let (data, _) = data::open("squares", &toml::Table::new()).unwrap();
        let rows: Vec<usize> = (0..data.len()).collect();
        let values = data::values(&*data, &rows);
        let codes = Array2::from_shape_fn((rows.len(), 2), |(row, latent)| match latent {
            0 => values[[row, 0]] + 100.0 * values[[row, 1]],
            _ => 2.0 * values[[row, 2]] + if values[[row, 3]] > 0.5 { 1.0 } else { -2.0 },
        });
        Representation::new(codes, values, data.factors().to_vec()).unwrap()
    }

    #[test]
    fn curves_are_the_means_over_each_value() {
        let codes = squares();
        let responses = Responses::new(&codes);
        assert_eq!((responses.places, responses.shape), (Some((0, 1)), None));
        assert_eq!(responses.curved, [2, 3]);
        // Over the brightness the second term is -2, 1 and 1: 0 on average, spread by the root of 2.
        let curves = responses.curves(1, 2);
        assert_eq!(curves.len(), 1);
        let expected = [(4.0, 8.0), (6.0, 12.0), (8.0, 16.0)];
        for (point, (value, mean)) in curves[0].iter().zip(expected) {
            assert_eq!((point.value, point.mean), (value, mean));
            assert!((point.deviation - 2f32.sqrt()).abs() < 1e-5, "{point:?}");
        }
    }

    #[test]
    fn in_a_map_rows_are_y_and_columns_are_x() {
        let codes = squares();
        let map = Responses::new(&codes).map(0).unwrap();
        assert_eq!(map.means.dim(), (5, 9));
        assert_eq!(map.means[[0, 0]], 4.0 + 600.0);
        assert_eq!(map.means[[0, 8]], 12.0 + 600.0, "the last column is the largest x");
        assert_eq!(map.means[[4, 0]], 4.0 + 1000.0, "the last row is the largest y");
    }

    fn table(names: &[&str], values: Array2<f32>) -> Representation<'static> {
        let factor =
            |(k, name): (usize, &&str)| Factor::of_column(*name, &values.column(k).to_vec(), true);
        let factors = names.iter().enumerate().map(factor).collect();
        let codes = values.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
        Representation::new(codes, values, factors).unwrap()
    }

    #[test]
    fn places_and_shape_go_by_their_names() {
        let values = Array2::from_shape_fn((16, 5), |(row, k)| match k {
            4 => 7.0,
            k => (row >> k & 1) as f32,
        });
        let codes = table(&["object_shape", "posX", "Position-Y", "size", "still"], values);
        let responses = Responses::new(&codes);
        assert_eq!((responses.places, responses.shape), (Some((1, 2)), Some(0)));
        // The constant factor has no curve; the other has one per shape, a step of 1 apart.
        assert_eq!(responses.curved, [3]);
        let curves = responses.curves(0, 3);
        assert_eq!((curves.len(), responses.shapes()), (2, vec![0.0, 1.0]));
        assert_eq!(curves[1][0].mean - curves[0][0].mean, 1.0);
    }

    #[test]
    fn a_continuous_factor_is_cut_into_bins_and_empty_ones_are_left_out() {
        let values = Array2::from_shape_fn((101, 1), |(row, _)| match row {
            100 => 200.0,
            row => row as f32,
        });
        let mut codes = table(&["angle"], values);
        codes.factors = vec![Factor::continuous("angle")];
        let curves = Responses::new(&codes).curves(0, 0);
        // Twenty bins of width 10: ten with rows from 0 to 99, and the last.
        let middles: Vec<f32> = curves[0].iter().map(|point| point.value).collect();
        assert_eq!(middles.len(), 11);
        assert_eq!((middles[0], middles[10], curves[0][0].mean), (5.0, 195.0, 4.5));
    }

    #[test]
    fn a_lone_shape_has_a_curve_of_its_own() {
        let codes = table(&["shape"], Array2::from_shape_fn((4, 1), |(row, _)| (row % 2) as f32));
        let responses = Responses::new(&codes);
        assert_eq!((responses.shape, responses.curved), (None, vec![0]));
    }
}
