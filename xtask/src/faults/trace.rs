//! The trace of the shim: every call on a file, in order.

use crate::Result;

/// A call on a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Its number, from 1.
    pub(super) number: usize,
    /// What it did, in the word of the shim: create, write, rename.
    pub(super) what: String,
    /// Whether it succeeded.
    pub(super) done: bool,
    /// Where a write begins, or the new length of a file.
    pub(super) offset: usize,
    /// The path below the directory, and the second one of a rename.
    pub(super) path: String,
    pub(super) second: String,
    /// What was written.
    pub(super) bytes: Vec<u8>,
}

/// Read a trace.
pub(super) fn parse(mut trace: &[u8]) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    while !trace.is_empty() {
        let place = records.len() + 1;
        let (record, rest) = record(trace).ok_or(format!("line {place} of the trace is broken"))?;
        records.push(record);
        trace = rest;
    }
    Ok(records)
}

/// number, what, errno, offset, length, path and second path, with tabs; then the bytes and a line break.
fn record(trace: &[u8]) -> Option<(Record, &[u8])> {
    let end = trace.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(&trace[..end]).ok()?;
    let words: Vec<&str> = line.split('\t').collect();
    let &[number, what, error, offset, length, path, second] = &words[..] else { return None };
    let (length, rest) = (length.parse::<usize>().ok()?, &trace[end + 1..]);
    let record = Record {
        number: number.parse().ok()?,
        what: what.into(),
        done: error == "0",
        offset: offset.parse().unwrap_or(0),
        path: path.into(),
        second: second.into(),
        bytes: rest.get(..length)?.to_vec(),
    };
    Some((record, rest.get(length + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_may_be_any() {
        let trace = b"1\tcreate\t0\t0\t0\ta/b\t\n\n2\twrite\t0\t7\t3\ta/b\t\n\n\t\0\n3\trename\t2\t0\t0\ta/b\ta/c\n\n";
        let records = parse(trace).unwrap();
        assert_eq!(records.len(), 3);
        assert_eq!((records[1].offset, &records[1].bytes[..]), (7, &b"\n\t\0"[..]));
        assert_eq!((records[2].done, records[2].second.as_str()), (false, "a/c"));
        assert!(parse(b"1\tcreate\n").is_err());
    }
}
