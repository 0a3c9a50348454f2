//! Writing .npz files: member after member, row after row, in bounded memory.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use npyz::{AutoSerialize, DType, WriteOptions, WriterBuilder};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::error::{Error, Result};
use crate::files::Draft;

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

impl Output {
    /// Do something with the draft, if none failed before; `nothing` is what the archive is told then.
    fn draft<T>(
        &mut self,
        nothing: T,
        act: impl FnOnce(&mut Draft) -> std::io::Result<T>,
    ) -> std::io::Result<T> {
        if self.abandoned.load(Ordering::Relaxed) {
            return Ok(nothing);
        }
        let done = act(&mut self.draft);
        self.abandoned.store(done.is_err(), Ordering::Relaxed);
        done
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.draft(bytes.len(), |draft| draft.write(bytes))
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.draft((), Draft::flush)
    }
}

impl Seek for Output {
    fn seek(&mut self, position: SeekFrom) -> std::io::Result<u64> {
        self.draft(0, |draft| draft.seek(position))
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
        if self.abandoned.load(Ordering::Relaxed) {
            let reason = std::io::Error::other("an array could not be written");
            return Err(Error::io("write", &self.path, &reason));
        }
        match self.zip.finish() {
            // The flag again: a failed flush that nobody told of is found there.
            Ok(output) if !output.abandoned.load(Ordering::Relaxed) => output.draft.finish(),
            Ok(_) => Err(Error::io("write", &self.path, &std::io::Error::other("it is not whole"))),
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
        self.abandoned.fetch_or(written.is_err(), Ordering::Relaxed);
        written.map_err(|source| Error::io("write", &path, &source))
    }
}
