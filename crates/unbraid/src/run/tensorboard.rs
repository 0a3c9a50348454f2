//! TensorBoard event files: scalars and pictures, in the five messages they need.
//!
//! Written by hand because the crates for it are unmaintained; `tests/python.rs` reads the
//! files back with the real `tensorboard` package.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use image::RgbImage;
use prost::Message;
use unbraid_measure::{Error as MeasureError, files};

use crate::error::Result;
use crate::model::learner::Terms;

/// An event file being written.
pub struct Board {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Board {
    /// Start an event file in `directory`. TensorBoard then drops what the file of a process that
    /// was killed says about steps beyond `done`.
    pub fn open(directory: &Path, done: u64) -> Result<Self> {
        files::create_directory(directory)?;
        let seconds = now();
        // Two files of one second would overwrite each other; the process number keeps them apart.
        let name = format!("events.out.tfevents.{seconds:017.6}.unbraid.{}", std::process::id());
        let path = directory.join(name);
        let file =
            File::create(&path).map_err(|source| MeasureError::io("write", &path, &source))?;
        let mut board = Self { path, file: BufWriter::new(file) };
        board.event(0, What::FileVersion("brain.Event:2".into()))?;
        board.event(done + 1, What::SessionLog(SessionLog { status: SESSION_START }))?;
        Ok(board)
    }

    /// One point on each curve `train/<term>`.
    pub fn scalars(&mut self, step: u64, terms: &Terms) -> Result<()> {
        let value = |(name, value): &(Cow<str>, f32)| Value {
            tag: format!("train/{name}"),
            data: Some(Data::Scalar(*value)),
        };
        let values = terms.iter().map(value).collect();
        self.event(step, What::Summary(Summary { values }))
    }

    /// A picture.
    pub fn image(&mut self, step: u64, tag: &str, picture: &RgbImage) -> Result<()> {
        let mut png = std::io::Cursor::new(Vec::new());
        picture
            .write_to(&mut png, image::ImageFormat::Png)
            .expect("a picture in memory can be encoded");
        let image = Image {
            height: picture.height() as i32,
            width: picture.width() as i32,
            colorspace: 3, // RGB
            png: png.into_inner(),
        };
        let value = Value { tag: tag.into(), data: Some(Data::Image(image)) };
        self.event(step, What::Summary(Summary { values: vec![value] }))
    }

    /// One record: length, checksum of the length, event, checksum of the event.
    fn event(&mut self, step: u64, what: What) -> Result<()> {
        let event = Event { wall_time: now(), step: step as i64, what: Some(what) }.encode_to_vec();
        let length = (event.len() as u64).to_le_bytes();
        let mut write = || {
            self.file.write_all(&length)?;
            self.file.write_all(&masked(&length).to_le_bytes())?;
            self.file.write_all(&event)?;
            self.file.write_all(&masked(&event).to_le_bytes())?;
            self.file.flush()
        };
        Ok(write()
            .map_err(|source: std::io::Error| MeasureError::io("write", &self.path, &source))?)
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

/// The checksum of the TFRecord format: CRC-32C, rotated and shifted.
fn masked(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

const SESSION_START: i32 = 1;

#[derive(Clone, PartialEq, Message)]
struct Event {
    #[prost(double, tag = "1")]
    wall_time: f64,
    #[prost(int64, tag = "2")]
    step: i64,
    #[prost(oneof = "What", tags = "3, 5, 7")]
    what: Option<What>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum What {
    #[prost(string, tag = "3")]
    FileVersion(String),
    #[prost(message, tag = "5")]
    Summary(Summary),
    #[prost(message, tag = "7")]
    SessionLog(SessionLog),
}

#[derive(Clone, PartialEq, Message)]
struct SessionLog {
    #[prost(int32, tag = "1")]
    status: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Summary {
    #[prost(message, repeated, tag = "1")]
    values: Vec<Value>,
}

#[derive(Clone, PartialEq, Message)]
struct Value {
    #[prost(string, tag = "1")]
    tag: String,
    #[prost(oneof = "Data", tags = "2, 4")]
    data: Option<Data>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Data {
    #[prost(float, tag = "2")]
    Scalar(f32),
    #[prost(message, tag = "4")]
    Image(Image),
}

#[derive(Clone, PartialEq, Message)]
struct Image {
    #[prost(int32, tag = "1")]
    height: i32,
    #[prost(int32, tag = "2")]
    width: i32,
    #[prost(int32, tag = "3")]
    colorspace: i32,
    #[prost(bytes = "vec", tag = "4")]
    png: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_tfrecord_format() {
        // CRC-32C of "123456789" is the check value 0xe3069283 of the standard.
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        // Rotated right by 15 it is 0x2507c60d; plus the constant of the format, modulo 2^32.
        assert_eq!(masked(b"123456789"), 0xc78a_b0e5);
    }
}
