//! Arrays on disk: NumPy's .npy and .npz, read with any number type, written as a stream.
//!
//! Members are read by name, so that a file which also holds a pickle (dSprites' `metadata`) opens.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use npyz::{AutoSerialize, DType, NpyFile, Order, TypeChar, WriteOptions, WriterBuilder};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::error::{Error, Result};
use crate::files::Draft;

/// The numbers of an array, in C order.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// Unsigned bytes, as of images.
    Bytes(Vec<u8>),
    /// Integers and booleans.
    Integers(Vec<f32>),
    /// Floating-point numbers.
    Floats(Vec<f32>),
}

/// A named array: its shape and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The lengths of its axes.
    pub shape: Vec<usize>,
    /// Its numbers, last axis fastest.
    pub numbers: Numbers,
}

impl Array {
    /// Every number as f32.
    pub fn into_floats(self) -> Vec<f32> {
        match self.numbers {
            Numbers::Bytes(bytes) => bytes.into_iter().map(f32::from).collect(),
            Numbers::Integers(values) | Numbers::Floats(values) => values,
        }
    }

    /// Whether the file stored whole numbers.
    pub fn is_whole(&self) -> bool {
        !matches!(self.numbers, Numbers::Floats(_))
    }
}

/// Read a .npy file.
pub fn read_npy(path: impl AsRef<Path>) -> Result<Array> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|source| Error::io("read", path, &source))?;
    array(BufReader::new(file)).map_err(|reason| Error::format(path, reason))
}

/// An open .npz file.
#[derive(Debug)]
pub struct Npz {
    path: PathBuf,
    archive: ZipArchive<BufReader<File>>,
}

impl Npz {
    /// Open a file and read its directory.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        let file = File::open(&path).map_err(|source| Error::io("read", &path, &source))?;
        let archive = ZipArchive::new(BufReader::new(file)).map_err(|source| {
            Error::format(&path, format!("is no readable .npz ({source}); is it truncated?"))
        })?;
        Ok(Self { path, archive })
    }

    /// The names of its arrays.
    pub fn names(&self) -> Vec<String> {
        self.archive
            .file_names()
            .filter_map(|name| Some(name.ok()?.strip_suffix(".npy")?.to_string()))
            .collect()
    }

    /// Whether an array of this name is there.
    pub fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(&format!("{name}.npy")).is_some()
    }

    /// Read an array of numbers.
    pub fn array(&mut self, name: &str) -> Result<Array> {
        let path = self.path.clone();
        let member = self.member(name)?;
        array(member).map_err(|reason| Error::format(path, format!("array `{name}` {reason}")))
    }

    /// Read an array of strings.
    pub fn strings(&mut self, name: &str) -> Result<Vec<String>> {
        let path = self.path.clone();
        let member = self.member(name)?;
        let read = || -> std::io::Result<Vec<String>> { NpyFile::new(member)?.into_vec() };
        read().map_err(|source| Error::format(path, format!("array `{name}`: {source}")))
    }

    fn member(&mut self, name: &str) -> Result<impl Read + '_> {
        let known = self.names().join(", ");
        let path = &self.path;
        let member = self.archive.by_name(&format!("{name}.npy")).map_err(|source| {
            let reason = match source {
                zip::result::ZipError::FileNotFound => {
                    format!("has no array `{name}`; it holds {known}")
                }
                other => format!("array `{name}`: {other}"),
            };
            Error::format(path, reason)
        })?;
        // Numbers are parsed one by one; without the buffer each would be a call to the inflater.
        Ok(BufReader::with_capacity(1 << 16, member))
    }
}

fn array(reader: impl Read) -> std::result::Result<Array, String> {
    let cut = |source: std::io::Error| format!("cannot be read ({source}); is it truncated?");
    let file = NpyFile::new(reader).map_err(cut)?;
    let shape: Vec<usize> = file.shape().iter().map(|&axis| axis as usize).collect();
    let order = file.order();
    let DType::Plain(kind) = file.dtype() else {
        return Err("is a record array; save each column as its own array".into());
    };
    let numbers = match (kind.type_char(), kind.size_field()) {
        (TypeChar::Uint, 1) => {
            // In one go: images are most of what is ever read.
            let (length, mut bytes) = (file.len(), Vec::new());
            file.into_inner().take(length).read_to_end(&mut bytes).map_err(cut)?;
            if (bytes.len() as u64) < length {
                return Err(cut(std::io::ErrorKind::UnexpectedEof.into()));
            }
            Numbers::Bytes(bytes)
        }
        (TypeChar::Bool, _) => {
            let values: Vec<bool> = file.into_vec().map_err(cut)?;
            Numbers::Integers(values.into_iter().map(|v| f32::from(u8::from(v))).collect())
        }
        (TypeChar::Uint, 2) => integers(file.into_vec::<u16>().map_err(cut)?),
        (TypeChar::Uint, 4) => integers(file.into_vec::<u32>().map_err(cut)?),
        (TypeChar::Uint, 8) => integers(file.into_vec::<u64>().map_err(cut)?),
        (TypeChar::Int, 1) => integers(file.into_vec::<i8>().map_err(cut)?),
        (TypeChar::Int, 2) => integers(file.into_vec::<i16>().map_err(cut)?),
        (TypeChar::Int, 4) => integers(file.into_vec::<i32>().map_err(cut)?),
        (TypeChar::Int, 8) => integers(file.into_vec::<i64>().map_err(cut)?),
        (TypeChar::Float, 4) => Numbers::Floats(file.into_vec().map_err(cut)?),
        (TypeChar::Float, 8) => {
            let values: Vec<f64> = file.into_vec().map_err(cut)?;
            Numbers::Floats(values.into_iter().map(|v| v as f32).collect())
        }
        (TypeChar::Object, _) => {
            return Err("holds pickled Python objects, which are not read; \
                        save plain numbers instead, as in np.asarray(x, dtype=np.float32)"
                .into());
        }
        _ => {
            return Err(format!(
                "has type {kind}; bytes, integers, booleans, float32 and float64 can be read"
            ));
        }
    };
    Ok(Array { numbers: in_c_order(numbers, &shape, order), shape })
}

fn integers<T: num_cast::ToFloat>(values: Vec<T>) -> Numbers {
    Numbers::Integers(values.into_iter().map(num_cast::ToFloat::to_float).collect())
}

/// The lossy but intended `as f32` of every integer type.
mod num_cast {
    pub(super) trait ToFloat {
        fn to_float(self) -> f32;
    }
    macro_rules! to_float {
        ($($kind:ty)*) => { $(impl ToFloat for $kind {
            fn to_float(self) -> f32 { self as f32 }
        })* };
    }
    to_float!(u16 u32 u64 i8 i16 i32 i64);
}

/// NumPy may store the first axis fastest (`order='F'`); everything here wants the last.
fn in_c_order(numbers: Numbers, shape: &[usize], order: Order) -> Numbers {
    fn transposed<T: Copy>(values: &[T], shape: &[usize]) -> Vec<T> {
        let reversed: Vec<usize> = shape.iter().rev().copied().collect();
        let view = ndarray::ArrayView::from_shape(reversed, values);
        view.expect("npy data has as many values as its shape").t().iter().copied().collect()
    }
    match (order, numbers) {
        (Order::C, numbers) => numbers,
        (Order::Fortran, Numbers::Bytes(v)) => Numbers::Bytes(transposed(&v, shape)),
        (Order::Fortran, Numbers::Integers(v)) => Numbers::Integers(transposed(&v, shape)),
        (Order::Fortran, Numbers::Floats(v)) => Numbers::Floats(transposed(&v, shape)),
    }
}

/// An .npz file being written, member after member, in bounded memory.
pub struct NpzWriter {
    path: PathBuf,
    abandoned: Arc<AtomicBool>,
    zip: ZipWriter<Output>,
}

/// Where the archive goes. A `ZipWriter` that is dropped writes the end of its archive and complains
/// on standard error if that fails, as on a full disk; once abandoned, its words go nowhere.
struct Output {
    draft: Draft,
    abandoned: Arc<AtomicBool>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.abandoned.load(Ordering::Relaxed) {
            true => Ok(bytes.len()),
            false => self.draft.write(bytes),
        }
    }
    fn flush(&mut self) -> std::io::Result<()> {
        match self.abandoned.load(Ordering::Relaxed) {
            true => Ok(()),
            false => self.draft.flush(),
        }
    }
}

impl Seek for Output {
    fn seek(&mut self, position: SeekFrom) -> std::io::Result<u64> {
        match self.abandoned.load(Ordering::Relaxed) {
            true => Ok(0),
            false => self.draft.seek(position),
        }
    }
}

impl NpzWriter {
    /// Start writing what will become `path`.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        let abandoned = Arc::new(AtomicBool::new(false));
        let output = Output { draft: Draft::create(&path)?, abandoned: abandoned.clone() };
        Ok(Self { path, abandoned, zip: ZipWriter::new(output) })
    }

    /// Write an array row by row: `rows` is called with a sink for the values.
    pub fn stream<T: AutoSerialize>(
        &mut self,
        name: &str,
        shape: &[usize],
        rows: impl FnOnce(&mut dyn FnMut(&[T]) -> std::io::Result<()>) -> std::io::Result<()>,
    ) -> Result<()> {
        self.member(name, T::default_dtype(), shape, rows)
    }

    /// Write an array that is in memory.
    pub fn array<T: AutoSerialize>(&mut self, name: &str, shape: &[usize], v: &[T]) -> Result<()> {
        self.stream(name, shape, |sink| sink(v))
    }

    /// Write a list of strings as NumPy's `<U`.
    pub fn strings(&mut self, name: &str, values: &[String]) -> Result<()> {
        let longest = values.iter().map(|v| v.chars().count()).max().unwrap_or(0).max(1);
        let dtype = DType::new_scalar(format!("<U{longest}").parse().expect("a type of NumPy"));
        self.member::<String>(name, dtype, &[values.len()], |sink| sink(values))
    }

    /// Give the file its name.
    pub fn finish(self) -> Result<()> {
        match self.zip.finish() {
            Ok(output) => output.draft.finish(),
            Err(source) => Err(Error::io("write", &self.path, &source.into())),
        }
    }

    fn member<T: npyz::Serialize>(
        &mut self,
        name: &str,
        dtype: DType,
        shape: &[usize],
        rows: impl FnOnce(&mut dyn FnMut(&[T]) -> std::io::Result<()>) -> std::io::Result<()>,
    ) -> Result<()> {
        let path = self.path.clone();
        let write = || -> std::io::Result<()> {
            // 64-bit sizes: a full 3D Shapes is 5.9 GB. The time is fixed so that equal arrays
            // give equal files.
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .compression_level(Some(1))
                .large_file(true)
                .last_modified_time(zip::DateTime::default());
            self.zip.start_file(format!("{name}.npy"), options)?;
            let shape: Vec<u64> = shape.iter().map(|&axis| axis as u64).collect();
            let mut buffered = std::io::BufWriter::with_capacity(1 << 16, &mut self.zip);
            let mut writer =
                WriteOptions::new().dtype(dtype).shape(&shape).writer(&mut buffered).begin_nd()?;
            rows(&mut |values: &[T]| values.iter().try_for_each(|value| writer.push(value)))?;
            writer.finish()?;
            buffered.flush()
        };
        let written = write();
        self.abandoned.store(written.is_err(), Ordering::Relaxed);
        written.map_err(|source| Error::io("write", &path, &source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_and_names_survive_the_round_trip() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npz");
        let mut writer = NpzWriter::create(&path).unwrap();
        writer.array("codes", &[2, 2], &[1.5f32, -2.0, 0.0, 4.0]).unwrap();
        writer.array("images", &[3], &[0u8, 7, 255]).unwrap();
        writer.strings("names", &["posX".into(), "größe".into()]).unwrap();
        writer.finish().unwrap();

        let mut file = Npz::open(&path).unwrap();
        assert_eq!(file.array("codes").unwrap().into_floats(), [1.5, -2.0, 0.0, 4.0]);
        assert_eq!(file.array("images").unwrap().numbers, Numbers::Bytes(vec![0, 7, 255]));
        assert_eq!(file.strings("names").unwrap(), ["posX", "größe"]);
        let error = file.array("values").unwrap_err().to_string();
        assert!(error.contains("has no array `values`; it holds codes, images, names"), "{error}");
    }

    #[test]
    fn a_truncated_file_is_an_error_and_not_a_panic() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npz");
        let mut writer = NpzWriter::create(&path).unwrap();
        writer.array("codes", &[1000], &vec![0.5f32; 1000]).unwrap();
        writer.finish().unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        let error = Npz::open(&path).unwrap_err().to_string();
        assert!(error.contains("is it truncated?"), "{error}");
    }

    #[test]
    fn fortran_order_is_turned() {
        let numbers = Numbers::Floats(vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
        let turned = in_c_order(numbers, &[3, 2], Order::Fortran);
        assert_eq!(turned, Numbers::Floats(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    }
}
