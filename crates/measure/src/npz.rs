//! Arrays on disk: NumPy's .npy and .npz, read with any number type, written as a stream.
//!
//! Members are read by name, so that a file which also holds a pickle (dSprites' `metadata`) opens.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use npyz::{DType, NpyFile, Order, TypeChar, TypeStr};
use zip::ZipArchive;

use crate::error::{Error, Result};
use crate::files::{self, memory};

mod stream;
mod writer;

pub use stream::ByteStream;
pub use writer::NpzWriter;

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

/// An array of numbers or of words.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// Numbers.
    Numbers(Array),
    /// Words, last axis fastest.
    Words {
        /// The lengths of the axes.
        shape: Vec<usize>,
        /// The words.
        words: Vec<String>,
    },
}

/// Read a .npy file of numbers or words.
pub fn read_any(path: impl AsRef<Path>) -> Result<Contents> {
    let path = path.as_ref();
    let file = files::open(path)?;
    contents(BufReader::new(file)).map_err(|reason| Error::format(path, reason))
}

/// Read a .npy file.
pub fn read_npy(path: impl AsRef<Path>) -> Result<Array> {
    let path = path.as_ref();
    let file = files::open(path)?;
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
        let file = files::open(&path)?;
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

    /// Read an array of numbers or words.
    pub fn any(&mut self, name: &str) -> Result<Contents> {
        let path = self.path.clone();
        let member = self.member(name)?;
        contents(member).map_err(|reason| Error::format(path, format!("array `{name}` {reason}")))
    }

    /// Read an array of strings.
    pub fn strings(&mut self, name: &str) -> Result<Vec<String>> {
        let path = self.path.clone();
        let member = self.member(name)?;
        let words = npy(member).and_then(|file| file.into_vec::<String>().map_err(cut));
        words.map_err(|reason| Error::format(path, format!("array `{name}` {reason}")))
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

/// So many numbers are read without a look at the memory.
const SMALL: u64 = 1 << 16;

fn cut(source: std::io::Error) -> String {
    format!("cannot be read ({source}); is it truncated?")
}

/// Read the header of an array.
fn npy<R: Read>(mut reader: R) -> std::result::Result<NpyFile<impl Read + use<R>>, String> {
    /// NumPy itself refuses headers beyond 10,000 characters unless it is told to trust them.
    const LONGEST: usize = 1 << 16;
    /// A header is one dictionary with one tuple; only records have more.
    const BRACKETS: usize = 8;
    let mut start = [0; 10];
    reader.read_exact(&mut start).map_err(cut)?;
    let mut header = start.to_vec();
    // The length has two bytes in version 1 and four later.
    let mut length = usize::from(u16::from_le_bytes([start[8], start[9]]));
    if start[6] > 1 {
        let mut more = [0; 2];
        reader.read_exact(&mut more).map_err(cut)?;
        header.extend(more);
        length += usize::from(u16::from_le_bytes(more)) << 16;
    }
    reader.by_ref().take(length.min(LONGEST) as u64).read_to_end(&mut header).map_err(cut)?;
    // Its parser calls itself at every bracket, and looks at what is in one again and again: thousands of
    // them would end the process, and some dozens within each other keep it busy for ever.
    if length > LONGEST || header.iter().filter(|c| b"([{".contains(c)).count() > BRACKETS {
        return Err("is a record array, or damaged; save each column as its own array".into());
    }
    NpyFile::new(std::io::Cursor::new(header).chain(reader)).map_err(cut)
}

fn array(reader: impl Read) -> std::result::Result<Array, String> {
    numbers(npy(reader)?)
}

fn contents(reader: impl Read) -> std::result::Result<Contents, String> {
    let file = npy(reader)?;
    match kind_of(&file)?.type_char() {
        TypeChar::UnicodeStr => {
            let (shape, order) = (shape_of(&file)?, file.order());
            let words: Vec<String> = file.into_vec().map_err(cut)?;
            if order == Order::Fortran && shape.len() > 1 {
                return Err("holds words in Fortran order; save np.ascontiguousarray(x)".into());
            }
            Ok(Contents::Words { shape, words })
        }
        _ => Ok(Contents::Numbers(numbers(file)?)),
    }
}

fn shape_of<R: Read>(file: &NpyFile<R>) -> std::result::Result<Vec<usize>, String> {
    let shape: Vec<usize> = file.shape().iter().map(|&axis| axis as usize).collect();
    // A header can claim any shape; a product that overflows would pass for a small array.
    match shape.iter().try_fold(8usize, |size, &axis| size.checked_mul(axis)) {
        Some(_) => Ok(shape),
        None => Err(format!("claims the shape {shape:?}, which no memory holds; is it damaged?")),
    }
}

fn kind_of<R: Read>(file: &NpyFile<R>) -> std::result::Result<TypeStr, String> {
    match file.dtype() {
        DType::Plain(kind) => Ok(kind),
        _ => Err("is a record array; save each column as its own array".into()),
    }
}

fn numbers<R: Read>(file: NpyFile<R>) -> std::result::Result<Array, String> {
    let (shape, kind, order) = (shape_of(&file)?, kind_of(&file)?, file.order());
    check_memory(&shape, kind.num_bytes().unwrap_or(1) as u64)?;
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

/// Refuse an array that memory does not hold while it is read: it grows by doubling, and is then turned into f32. One that
/// claims more than its file has is found when that ends.
fn check_memory(shape: &[usize], bytes: u64) -> std::result::Result<(), String> {
    let size = shape.iter().fold(1_u64, |size, &axis| size.saturating_mul(axis as u64));
    let needed = size.saturating_mul(3 * bytes.max(4));
    match memory::available() {
        Some(free) if needed > free && size > SMALL => Err(format!(
            "needs about {:.1} GB of memory to be read, and {:.1} GB are free; give it in parts, or as float32 or bytes",
            needed as f64 / 1e9,
            free as f64 / 1e9
        )),
        _ => Ok(()),
    }
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
    fn a_header_of_brackets_ends_nothing() {
        for version in [1, 2] {
            let length = 60_000_u32.to_le_bytes();
            let length = if version == 1 { &length[..2] } else { &length[..] };
            let brackets = vec![b'('; 60_000];
            let bytes = [b"\x93NUMPY", &[version, 0][..], length, &brackets].concat();
            let error = array(&bytes[..]).unwrap_err();
            assert!(error.contains("is a record array, or damaged"), "{error}");
            // What the fuzzer found: some dozens were read for ever.
            let header = [vec![b'['; 42], vec![b' '; 76]].concat();
            let length = [header.len() as u8, 0, 0, 0];
            let length = &length[..if version == 1 { 2 } else { 4 }];
            let bytes = [b"\x93NUMPY", &[version, 0][..], length, &header].concat();
            array(&bytes[..]).unwrap_err();
        }
    }

    #[test]
    fn a_large_array_can_be_read_by_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npz");
        let mut writer = NpzWriter::create(&path).unwrap();
        writer.array("bytes", &[3, 2], &[1_u8, 2, 3, 4, 5, 6]).unwrap();
        writer.array("words", &[1], &[1_u16]).unwrap();
        writer.finish().unwrap();
        let mut file = Npz::open(&path).unwrap();
        assert_eq!(file.shape("words").unwrap(), [1]);
        assert!(file.stream("words").err().unwrap().to_string().contains("expected bytes"));
        let mut stream = file.stream("bytes").unwrap();
        let mut piece = [0; 4];
        stream.fill(&mut piece).unwrap();
        assert_eq!((stream.shape(), piece), (&[3, 2][..], [1, 2, 3, 4]));
        assert!(stream.fill(&mut piece).unwrap_err().to_string().contains("ends early"));
        drop(stream);
        let mut stream = file.stream("bytes").unwrap();
        stream.fill(&mut piece).unwrap();
        assert!(stream.end().unwrap_err().to_string().contains("goes on after"));
    }

    #[test]
    fn fortran_order_is_turned() {
        let numbers = Numbers::Floats(vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
        let turned = in_c_order(numbers, &[3, 2], Order::Fortran);
        assert_eq!(turned, Numbers::Floats(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    }
}
