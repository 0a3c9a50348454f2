//! Arrays without names of columns, scaled as columns are: the channels of a series.

use toml::{Table, Value};

use super::encoding::Encoding;
use super::uses::Use;
use super::{Reading, Scale, channels, kept};
use crate::data::about::{About, Scaling};
use crate::error::Result;
use crate::settings::Word;
use crate::tables::profile::Profile;

/// Numbers by row.
pub(in crate::data::sets) struct Matrix {
    pub(in crate::data::sets) numbers: Vec<f32>,
    pub(in crate::data::sets) rows: usize,
    pub(in crate::data::sets) width: usize,
}

/// Scale the channels, called x0, x1, ..., and say how; settings with every choice made.
pub(in crate::data::sets) fn scaled(
    matrix: &mut Matrix,
    reading: &Reading,
) -> Result<(About, Reading)> {
    let name = |k: usize| format!("x{k}");
    let width = matrix.width;
    let profile = |k: usize| {
        Profile::of_numbers(&name(k), matrix.numbers.iter().skip(k).step_by(width).copied())
    };
    let profiles: Vec<Profile> = (0..width).map(profile).collect();
    let fit = |profile: &Profile| match kept::encoding(reading, &profile.name)? {
        Some(found @ Encoding::Number { .. }) => Ok(found),
        _ => Encoding::of_numbers(profile, reading.scale),
    };
    let encodings: Vec<Encoding> = profiles.iter().map(fit).collect::<Result<_>>()?;
    let mut reading = reading.clone();
    let mut columns = Table::new();
    if reading.scale != Scale::None {
        for (profile, encoding) in profiles.iter().zip(&encodings) {
            let entry = kept::written(encoding).unwrap_or_default();
            columns.insert(profile.name.clone(), Value::Table(entry));
        }
    }
    reading.kept = kept::wrapped(reading.scale, columns);
    let scaling = (reading.scale != Scale::None).then(|| Scaling {
        by: reading.scale.word(),
        names: (0..width).map(name).collect(),
        offsets: encodings.iter().map(|encoding| encoding.scaling()[0]).collect(),
        scales: encodings.iter().map(|encoding| encoding.scaling()[1]).collect(),
    });
    if let Some(scaling) = &scaling {
        scaling.apply(&mut matrix.numbers);
    }
    let channels = profiles
        .iter()
        .zip(encodings)
        .map(|(profile, encoding)| channels::channel(profile, &Use::Observed(encoding), &[]))
        .collect();
    Ok((About { channels, scaling, remarks: vec![] }, reading))
}
