//! MATLAB 5 files (`save -v6`, `-v7`): a header of 128 bytes, then one element per variable, each
//! packed on its own or not.
//!
//! ```text
//! element   type (4 bytes), length (4), contents, padding to eight bytes
//! packed    type 15; contents are an element, packed with zlib
//! matrix    type 14; contents are four elements: flags, axes, name, numbers
//! ```
//!
//! A reader of our own: what the crates offer prints to the terminal and unpacks without a limit.

use std::io::Read;

use flate2::read::ZlibDecoder;

type Outcome<T> = Result<T, String>;

const HEADER: usize = 128;
const INT8: u32 = 1;
const UINT8: u32 = 2;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const MATRIX: u32 = 14;
const PACKED: u32 = 15;
/// What the flags of a matrix of bytes hold in their lowest byte.
const CLASS_UINT8: u32 = 9;
/// How many bytes of a variable come before its numbers, at most, and some more.
const OVERHEAD: usize = 1 << 10;

/// The numbers of the matrix of bytes with this name and shape, first axis fastest.
pub(in crate::data) fn bytes(file: &[u8], name: &str, shape: &[usize]) -> Outcome<Vec<u8>> {
    let mut rest = contents(file)?;
    let length = shape.iter().product::<usize>();
    while !rest.is_empty() {
        let element = element(&mut rest)?;
        let mut unpacked = Vec::new();
        let variable = match element.kind {
            PACKED => {
                // Variables that are not wanted may be longer than this; their start will do.
                let limit = (length + OVERHEAD) as u64;
                let read =
                    ZlibDecoder::new(element.contents).take(limit).read_to_end(&mut unpacked);
                read.map_err(|source| format!("cannot be unpacked ({source}); is it truncated?"))?;
                &unpacked[..]
            }
            _ => element.whole,
        };
        if let Some(bytes) = matrix(variable, name, shape)? {
            return Ok(bytes.to_vec());
        }
    }
    Err(format!("holds no variable `{name}`"))
}

/// What follows the header.
fn contents(file: &[u8]) -> Outcome<&[u8]> {
    let (header, rest) = file.split_at_checked(HEADER).ok_or("is too short for a MATLAB file")?;
    match &header[124..] {
        [0, 1, b'I', b'M'] => Ok(rest),
        [0, 2, b'I', b'M'] => Err("is a MATLAB 7.3 file; save it with -v7".into()),
        [1, 0, b'M', b'I'] => Err("is a big-endian MATLAB file, which is not read".into()),
        _ => Err("is no MATLAB 5 file; save it with -v7".into()),
    }
}

struct Element<'a> {
    kind: u32,
    contents: &'a [u8],
    /// With its type and length.
    whole: &'a [u8],
}

/// Take an element off the front.
fn element<'a>(rest: &mut &'a [u8]) -> Outcome<Element<'a>> {
    let whole = *rest;
    let cut = || "ends within a variable; is it truncated?".to_string();
    let mut take = |count: usize| -> Outcome<&'a [u8]> {
        let (taken, left) = rest.split_at_checked(count).ok_or_else(cut)?;
        *rest = left;
        Ok(taken)
    };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, byte| n << 8 | u32::from(*byte));
    let tag = number(take(4)?);
    // A short one has its length in the upper half of its type, and four bytes of contents.
    let (kind, length, padded) = match tag >> 16 {
        0 => {
            let length = number(take(4)?) as usize;
            // Packed elements follow each other without a gap.
            (tag, length, if tag == PACKED { length } else { length.next_multiple_of(8) })
        }
        length @ 1..=4 => (tag & 0xffff, length as usize, 4),
        _ => return Err("has a variable of a form that MATLAB does not write".into()),
    };
    // The last one need not be padded.
    let contents = take(length)?;
    let _ = take(padded - length);
    Ok(Element { kind, contents, whole })
}

/// The numbers of a matrix, if it has the right name. Of others no more than the start is needed.
fn matrix<'a>(variable: &'a [u8], name: &str, shape: &[usize]) -> Outcome<Option<&'a [u8]>> {
    let Some((tag, mut rest)) = variable.split_at_checked(8) else { return Ok(None) };
    if tag[..4] != MATRIX.to_le_bytes() {
        return Ok(None);
    }
    let flags = element(&mut rest)?;
    let axes = element(&mut rest)?;
    let found = element(&mut rest)?;
    if (flags.kind, axes.kind, found.kind) != (UINT32, INT32, INT8) {
        return Err("has a variable of a form that MATLAB does not write".into());
    }
    if found.contents != name.as_bytes() {
        return Ok(None);
    }
    let lengths: Vec<usize> = axes
        .contents
        .chunks_exact(4)
        .map(|axis| u32::from_le_bytes([axis[0], axis[1], axis[2], axis[3]]) as usize)
        .collect();
    let class = flags.contents.first().map(|class| u32::from(*class));
    if class != Some(CLASS_UINT8) || lengths != shape {
        return Err(format!("has `{name}` of the shape {lengths:?}, expected bytes of {shape:?}"));
    }
    let numbers = element(&mut rest)?;
    match numbers.kind == UINT8 && numbers.contents.len() == shape.iter().product::<usize>() {
        true => Ok(Some(numbers.contents)),
        false => Err(format!("has `{name}` with fewer bytes than its shape promises")),
    }
}
