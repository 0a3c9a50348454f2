//! Rows that lie ready, in memory or in a file of the library: what all data sets have in common
//! that are not drawn. Bytes stay bytes, a quarter of the memory that the same numbers take as
//! floats.

use std::fs::File;

use ndarray::Array2;

use crate::data::storage::places::Places;
use crate::data::{About, Dataset, Range, Shape, Transition, Triplet};
use crate::factors::{Factor, Kind};

/// Observations and, where known, the values of their factors.
pub(crate) struct Stored {
    shape: Shape,
    rows: usize,
    numbers: Numbers,
    factors: Vec<Factor>,
    /// [rows, factors]
    values: Vec<f32>,
    /// Where each combination of values is, if every one is there once.
    places: Option<Places>,
    steps: Steps,
    /// `[triplets, factors]`: where the third row of a triplet has the value of the second; empty where
    /// rows are not in threes.
    from_second: Vec<bool>,
    temporal: Option<Array2<bool>>,
    about: About,
    /// Which rows have a factor without a value; empty if none has.
    unlabelled: Vec<bool>,
}

/// What is known of the steps from each row to the next. Empty lists say that nothing is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// `[rows]`: whether the row after this one follows it in time.
    pub follows: Vec<bool>,
    /// `[rows, factors]`: 1 where the step from this row intervenes on the factor.
    pub targets: Vec<f32>,
    /// `[rows, action]`: what is done in the step from this row.
    pub actions: Vec<f32>,
}

impl Steps {
    /// Whether the lists are of this many rows.
    pub(crate) fn fits(&self, rows: usize) -> bool {
        let whole = |length: usize| length == 0 || (rows > 0 && length.is_multiple_of(rows));
        let follows = self.follows.is_empty() || self.follows.len() == rows;
        // The last row has nothing behind it.
        follows
            && self.follows.last() != Some(&true)
            && whole(self.targets.len())
            && whole(self.actions.len())
    }
}

/// Numbers by row, then pixel, then channel.
enum Numbers {
    Bytes {
        bytes: Vec<u8>,
        /// The byte that means 1.
        one: f32,
    },
    Floats(Vec<f32>),
    /// Bytes that stay on disk. Read by position, so that threads share the file.
    File {
        file: File,
        /// The row of the file that is the first here.
        first: usize,
        /// The byte that means 1.
        one: f32,
    },
}

impl Stored {
    /// Images as bytes, [rows, height, width, channels], of which 255 means one; or, where `bits`
    /// allows it and there are only zeros and ones, one means one.
    pub(crate) fn bytes(bytes: Vec<u8>, size: [usize; 3], bits: bool) -> Self {
        let mut present = [false; 256];
        for &byte in &bytes {
            present[usize::from(byte)] = true;
        }
        let only = |largest: usize| (1..256).all(|byte| byte == largest || !present[byte]);
        let (one, range) = match (bits && only(1), only(255)) {
            (true, _) => (1.0, Range::Binary),
            (_, true) => (255.0, Range::Binary),
            _ => (255.0, Range::Unit),
        };
        Self::new(bytes.len(), Numbers::Bytes { bytes, one }, size, range)
    }

    /// Images as floats, [rows, height, width, channels], finite.
    pub(crate) fn floats(floats: Vec<f32>, size: [usize; 3]) -> Self {
        let all = |test: fn(f32) -> bool| floats.iter().all(|number| test(*number));
        let range = match (all(|v| v == 0.0 || v == 1.0), all(|v| (0.0..=1.0).contains(&v))) {
            (true, _) => Range::Binary,
            (_, true) => Range::Unit,
            _ => Range::Real,
        };
        Self::new(floats.len(), Numbers::Floats(floats), size, range)
    }

    /// Vectors, [rows, width], finite.
    pub(crate) fn vectors(floats: Vec<f32>, width: usize) -> Self {
        Self::new(floats.len(), Numbers::Floats(floats), [1, 1, width], Range::Real)
    }

    /// Images as bytes in a file, [rows, height, width, channels]: those of its rows that count.
    pub(crate) fn file(
        file: File,
        rows: std::ops::Range<usize>,
        size: [usize; 3],
        one: f32,
        binary: bool,
    ) -> Self {
        let range = if binary { Range::Binary } else { Range::Unit };
        let count = rows.len() * size.iter().product::<usize>();
        Self::new(count, Numbers::File { file, first: rows.start, one }, size, range)
    }

    fn new(count: usize, numbers: Numbers, size: [usize; 3], range: Range) -> Self {
        let [height, width, channels] = size;
        let shape = Shape { channels, height, width, range };
        let rows = count / shape.size();
        let (factors, values, steps) = (Vec::new(), Vec::new(), Steps::default());
        let (from_second, temporal) = (Vec::new(), None);
        let (places, about, unlabelled) = (None, About::default(), Vec::new());
        Self {
            shape,
            rows,
            numbers,
            factors,
            values,
            places,
            steps,
            from_second,
            temporal,
            about,
            unlabelled,
        }
    }

    /// Add the factors: their names, their values as [rows, factors], and which of them are whole
    /// numbers by nature. A value that is not known is no number.
    pub(crate) fn with_values(
        mut self,
        names: &[String],
        values: Vec<f32>,
        whole: &[bool],
    ) -> Self {
        let known = |value: &f32| !value.is_nan();
        let column =
            |k: usize| values.iter().skip(k).step_by(names.len()).copied().filter(known).collect();
        let factor = |(k, name): (usize, &String)| {
            let column: Vec<f32> = column(k);
            Factor::of_column(name, &column, whole[k])
        };
        self.factors = names.iter().enumerate().map(factor).collect();
        self.places = Places::of(&self.factors, &values);
        let width = names.len().max(1);
        if values.iter().any(|value| value.is_nan()) {
            let unknown = |row: &[f32]| row.iter().any(|value| value.is_nan());
            self.unlabelled = values.chunks(width).map(unknown).collect();
        }
        self.values = values;
        self
    }

    /// Say what the values of each factor are called, where they are words.
    pub(crate) fn with_words(mut self, words: Vec<Vec<String>>) -> Self {
        for (factor, words) in self.factors.iter_mut().zip(words) {
            factor.words = words;
        }
        self
    }

    /// Say what became of the files these rows are from.
    pub(crate) fn with_about(mut self, about: About) -> Self {
        self.about = about;
        self
    }

    /// Correct what the columns were taken for, where more is known of a factor.
    pub(crate) fn with_kinds(mut self, known: impl Fn(&Factor) -> Option<Kind>) -> Self {
        for factor in &mut self.factors {
            if let Some(kind) = known(factor) {
                factor.kind = kind;
            }
        }
        self.places = Places::of(&self.factors, &self.values);
        self
    }

    /// Say that rows come in threes, and which values the third has of the second: `[triplets,
    /// factors]`.
    pub(crate) fn with_triplets(mut self, from_second: Vec<bool>) -> Self {
        self.from_second = from_second;
        self
    }

    /// Add the graph from factors to those a step later.
    pub(crate) fn with_temporal_graph(mut self, graph: Option<Array2<bool>>) -> Self {
        self.temporal = graph;
        self
    }

    /// Add the steps from row to row.
    pub(crate) fn with_steps(mut self, steps: Steps) -> Self {
        self.steps = steps;
        self
    }
}

impl Dataset for Stored {
    fn factors(&self) -> &[Factor] {
        &self.factors
    }

    fn shape(&self) -> Shape {
        self.shape
    }

    fn len(&self) -> usize {
        self.rows
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        let (size, channels) = (self.shape.size(), self.shape.channels);
        let row = index * size..(index + 1) * size;
        match &self.numbers {
            Numbers::Bytes { bytes, one } => {
                channel_by_channel(&bytes[row], channels, out, |byte| f32::from(byte) / one);
            }
            Numbers::Floats(floats) => channel_by_channel(&floats[row], channels, out, |v| v),
            Numbers::File { file, first, one } => {
                let mut bytes = vec![0; size];
                match read_at(file, &mut bytes, ((first + index) * size) as u64) {
                    Ok(()) => {
                        channel_by_channel(&bytes, channels, out, |byte| f32::from(byte) / one);
                    }
                    // The disk fails, or someone cut the file after it was opened. Training stops
                    // at the first loss that is no number, and says so.
                    Err(_) => out.fill(f32::NAN),
                }
            }
        }
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        let width = self.factors.len();
        out.copy_from_slice(&self.values[index * width..(index + 1) * width]);
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        let mut values = vec![0.0; self.factors.len()];
        self.values(index, &mut values);
        (!values.is_empty() && self.is_labelled(index)).then_some(values)
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn unlabelled(&self) -> usize {
        self.unlabelled.iter().filter(|unknown| **unknown).count()
    }

    fn is_labelled(&self, index: usize) -> bool {
        !self.unlabelled.get(index).copied().unwrap_or(false)
    }

    fn find(&self, values: &[f32]) -> Option<usize> {
        self.places.as_ref()?.find(values)
    }

    fn next(&self, index: usize) -> Option<Transition> {
        let row = |numbers: &[f32]| {
            let width = numbers.len() / self.rows;
            numbers[index * width..(index + 1) * width].to_vec()
        };
        self.steps.follows.get(index).copied().unwrap_or(false).then(|| Transition {
            index: index + 1,
            targets: row(&self.steps.targets),
            action: row(&self.steps.actions),
        })
    }

    fn temporal_graph(&self) -> Option<&Array2<bool>> {
        self.temporal.as_ref()
    }

    fn triplet(&self, number: usize) -> Option<Triplet> {
        let width = self.factors.len();
        let from_second = self.from_second.get(number * width..(number + 1) * width)?.to_vec();
        let rows = [0, 1, 2].map(|k| number * 3 + k);
        (!from_second.is_empty()).then_some(Triplet { rows, from_second })
    }
}

#[cfg(unix)]
fn read_at(file: &File, out: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut out: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !out.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, out, offset)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => (out, offset) = (&mut out[count..], offset + count as u64),
        }
    }
    Ok(())
}

/// From [pixels, channels] to [channels, pixels].
fn channel_by_channel<T: Copy>(
    row: &[T],
    channels: usize,
    out: &mut [f32],
    number: impl Fn(T) -> f32,
) {
    for (channel, plane) in out.chunks_exact_mut(row.len() / channels).enumerate() {
        let numbers = row.iter().skip(channel).step_by(channels);
        plane.iter_mut().zip(numbers).for_each(|(slot, value)| *slot = number(*value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(data: &Stored, index: usize) -> Vec<f32> {
        let mut out = vec![f32::NAN; data.shape().size()];
        data.observe(index, &mut out);
        out
    }

    #[test]
    fn the_range_follows_from_the_bytes() {
        let image = |bytes: &[u8], bits| Stored::bytes(bytes.to_vec(), [1, 2, 1], bits);
        let range = |bytes: &[u8], bits| image(bytes, bits).shape().range;
        assert_eq!(range(&[0, 1, 1, 0], true), Range::Binary);
        assert_eq!(range(&[0, 1, 1, 0], false), Range::Unit);
        assert_eq!(range(&[0, 255, 255, 0], true), Range::Binary);
        assert_eq!(range(&[0, 255, 1, 0], true), Range::Unit);
        assert_eq!(row(&image(&[0, 1, 1, 0], true), 0), [0.0, 1.0]);
        assert_eq!(row(&image(&[0, 51, 255, 0], true), 0), [0.0, 0.2]);
        assert_eq!(row(&image(&[0, 51, 255, 0], true), 1), [1.0, 0.0]);
    }

    #[test]
    fn the_range_follows_from_the_floats() {
        let range = |numbers: &[f32]| Stored::floats(numbers.to_vec(), [1, 2, 1]).shape().range;
        assert_eq!(range(&[0.0, 1.0]), Range::Binary);
        assert_eq!(range(&[0.0, 0.5]), Range::Unit);
        assert_eq!(range(&[0.0, -0.5]), Range::Real);
        assert_eq!(Stored::vectors(vec![0.0, 1.0], 2).shape().range, Range::Real);
    }

    #[test]
    fn channels_come_first_on_the_way_out() {
        let colours = Stored::bytes(vec![1, 2, 3, 4, 5, 6], [1, 2, 3], true);
        let levels: Vec<f32> = row(&colours, 0).iter().map(|v| v * 255.0).collect();
        assert_eq!(levels, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }

    #[test]
    fn values_are_labels_and_without_values_there_are_none() {
        let plain = Stored::vectors(vec![0.5; 4], 2);
        assert_eq!((plain.len(), plain.label(0)), (2, None));
        let names = ["a".to_string(), "b".to_string()];
        let known = plain.with_values(&names, vec![1.0, 2.0, 3.0, 4.0], &[true, false]);
        assert_eq!(known.label(1), Some(vec![3.0, 4.0]));
        assert_eq!(known.factors()[0].size(), Some(2));
        assert_eq!(known.factors()[1].size(), None);
    }
}
