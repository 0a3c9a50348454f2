//! Writing the arrays of CITRIS: `images` u8, `latents` and `targets` by published column, `keys`.

use super::simulated::Simulated;
use super::{Form, Simulator};
use crate::data::{self, Dataset, Range};
use crate::error::Result;
use crate::npz::NpzWriter;

/// How many frames are drawn at once while writing: bounds the memory.
const CHUNK: usize = 256;

/// A published column: `published = value · scale + offset`, where the value is that of a factor, or 0
/// for a column that is always the same.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) key: String,
    pub(crate) factor: Option<usize>,
    pub(crate) scale: f32,
    pub(crate) offset: f32,
}

impl Column {
    /// A factor in its published units.
    pub(crate) fn of(key: &str, factor: usize, scale: f32, offset: f32) -> Self {
        Self { key: key.into(), factor: Some(factor), scale, offset }
    }

    /// A column without a factor.
    pub(crate) fn constant(key: &str, value: f32) -> Self {
        Self { key: key.into(), factor: None, scale: 0.0, offset: value }
    }

    /// The published number of a state.
    pub(crate) fn publish(&self, values: &[f32]) -> f32 {
        self.factor.map_or(0.0, |factor| values[factor]) * self.scale + self.offset
    }
}

/// Write these rows, if the published form can hold them: a stretch of a sequence, whole triplets, or
/// any single frames. A sequence with gaps would come back as one without.
pub(super) fn write<S: Simulator + 'static>(
    data: &Simulated<S>,
    rows: &[usize],
    file: &mut NpzWriter,
) -> Result<bool> {
    let in_order = rows.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    let in_threes = |three: &[usize]| {
        three.len() == 3 && three[0].is_multiple_of(3) && three.windows(2).all(|p| p[0] + 1 == p[1])
    };
    let fits = match data.form() {
        Form::Sequence => in_order,
        Form::Independent => true,
        Form::Triplets(_) => rows.chunks(3).all(in_threes),
    };
    // Frames are bytes there: what is no picture has no place.
    if !fits || rows.is_empty() || data.shape().range != Range::Unit {
        return Ok(false);
    }
    let lead: &[usize] = match data.form() {
        Form::Triplets(_) => &[rows.len() / 3, 3],
        _ => &[rows.len()],
    };
    images(data, rows, lead, file)?;
    let columns = data.simulator.columns();
    file.stream::<f32>("latents", &[lead, &[columns.len()]].concat(), |sink| {
        rows.iter().try_for_each(|&row| {
            let values = data.state(row);
            sink(&columns.iter().map(|column| column.publish(values)).collect::<Vec<f32>>())
        })
    })?;
    targets(data, rows, file)?;
    let keys: Vec<String> = columns.iter().map(|column| column.key.clone()).collect();
    file.strings("keys", &keys)?;
    Ok(true)
}

/// u8 `[rows, height, width, channels]`, or `[triplets, 3, height, width, channels]`.
fn images<S: Simulator + 'static>(
    data: &Simulated<S>,
    rows: &[usize],
    lead: &[usize],
    file: &mut NpzWriter,
) -> Result<()> {
    let [channels, height, width] = data.shape().axes();
    let plane = height * width;
    file.stream::<u8>("images", &[lead, &[height, width, channels]].concat(), |sink| {
        let mut bytes = vec![0; channels * plane];
        rows.chunks(CHUNK).try_for_each(|chunk| {
            data::observations(data, chunk).rows().into_iter().try_for_each(|frame| {
                for (i, &number) in frame.iter().enumerate() {
                    bytes[i % plane * channels + i / plane] = (number * 255.0).round() as u8;
                }
                sink(&bytes)
            })
        })
    })
}

/// Sequences: f32 `[rows - 1, columns]`, row t the step from row t to the next, with `actions`
/// `[rows, numbers]` where there are any, row t what led to row t. Single frames: ones. Triplets: u8
/// `[triplets, columns]`, 1 where the mixture has the value of the second frame.
fn targets<S: Simulator + 'static>(
    data: &Simulated<S>,
    rows: &[usize],
    file: &mut NpzWriter,
) -> Result<()> {
    let columns = data.simulator.columns();
    let by_column = |marks: &[f32]| -> Vec<f32> {
        columns.iter().map(|column| column.factor.map_or(0.0, |factor| marks[factor])).collect()
    };
    match data.form() {
        Form::Independent => {
            let ones = vec![1.0_f32; rows.len() * columns.len()];
            file.array("targets", &[rows.len(), columns.len()], &ones)
        }
        Form::Sequence => {
            file.stream::<f32>("targets", &[rows.len() - 1, columns.len()], |sink| {
                rows[1..].iter().try_for_each(|&row| sink(&by_column(data.targets(row))))
            })?;
            let Some(width) = data.action(rows[0]).map(<[f32]>::len) else { return Ok(()) };
            file.stream::<f32>("actions", &[rows.len(), width], |sink| {
                let published = |row| Some(data.simulator.publish_action(data.action(row)?));
                rows.iter().try_for_each(|&row| published(row).map_or(Ok(()), |a| sink(&a)))
            })
        }
        Form::Triplets(_) => {
            file.stream::<u8>("targets", &[rows.len() / 3, columns.len()], |sink| {
                rows.iter().step_by(3).try_for_each(|&row| {
                    let mask = by_column(data.targets(row / 3));
                    sink(&mask.iter().map(|mark| *mark as u8).collect::<Vec<u8>>())
                })
            })
        }
    }
}
