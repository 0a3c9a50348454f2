//! The text files of CelebA: one line per picture, its name first.

use std::path::Path;

use crate::data::storage::formats::bytes::Bytes;
use crate::error::Result;

/// Lines have about 130 characters; the one with the names of the attributes has about 500.
const LONGEST_LINE: u64 = 1 << 14;
/// How many pictures there are, at most.
const PICTURES: usize = 202_599;
const ATTRIBUTES: usize = 40;

/// The attributes of every picture.
pub(super) struct Attributes {
    pub(super) names: Vec<String>,
    pub(super) pictures: Vec<String>,
    /// [pictures, names], 1 or -1.
    values: Vec<f32>,
}

impl Attributes {
    pub(super) fn row(&self, picture: usize) -> &[f32] {
        &self.values[picture * self.names.len()..(picture + 1) * self.names.len()]
    }
}

/// `list_attr_celeba.txt`: how many, then the names of the attributes, then `000001.jpg -1  1 ...`.
pub(super) fn attributes(path: &Path) -> Result<Attributes> {
    let mut lines = Lines::open(path)?;
    let count = lines.next()?.and_then(|words| words.first()?.parse::<usize>().ok());
    let Some(count) = count.filter(|count| (1..=PICTURES).contains(count)) else {
        return Err(lines.refuse("should be how many pictures there are"));
    };
    let names = lines.next()?.unwrap_or_default();
    let twice = (1..names.len()).any(|k| names[..k].contains(&names[k]));
    if names.len() != ATTRIBUTES || twice {
        return Err(lines.refuse("should be the names of the 40 attributes"));
    }
    let (mut pictures, mut values) = (Vec::new(), Vec::new());
    while let Some(words) = lines.next()? {
        let number = |word: &String| match word.as_str() {
            "1" => Some(1.0),
            "-1" => Some(-1.0),
            _ => None,
        };
        let row: Option<Vec<f32>> = words[1..].iter().map(number).collect();
        match row.filter(|row| row.len() == ATTRIBUTES) {
            Some(row) => values.extend(row),
            None => return Err(lines.refuse("should be a picture and 40 times 1 or -1")),
        }
        pictures.push(words[0].clone());
        if pictures.len() > count {
            return Err(lines.refuse("is one more than the first line promises"));
        }
    }
    if pictures.len() != count {
        let found = pictures.len();
        return Err(
            lines.refuse(&format!("is the last: {found} pictures, the first line says {count}"))
        );
    }
    Ok(Attributes { names, pictures, values })
}

/// `list_eval_partition.txt`: `000001.jpg 0`, where 0 is train, 1 validation and 2 test; in the
/// order of the attributes.
pub(super) fn partition(path: &Path, attributes: &Attributes) -> Result<Vec<u8>> {
    let mut lines = Lines::open(path)?;
    let mut partition = Vec::new();
    while let Some(words) = lines.next()? {
        let part = words.get(1).and_then(|word| word.parse().ok()).filter(|part| *part <= 2_u8);
        let expected = attributes.pictures.get(partition.len());
        match part {
            Some(part) if words.len() == 2 && Some(&words[0]) == expected => partition.push(part),
            _ => {
                let name = expected.map_or("the end", |name| name);
                return Err(lines.refuse(&format!("should be {name} and 0, 1 or 2")));
            }
        }
    }
    match partition.len() == attributes.pictures.len() {
        true => Ok(partition),
        false => Err(lines.refuse("is the last, but list_attr_celeba.txt has more pictures")),
    }
}

/// Lines as words.
struct Lines {
    bytes: Bytes,
    number: usize,
    line: Vec<u8>,
}

impl Lines {
    fn open(path: &Path) -> Result<Self> {
        Ok(Self { bytes: Bytes::open(path)?, number: 0, line: Vec::new() })
    }

    /// The words of the next line that has any.
    fn next(&mut self) -> Result<Option<Vec<String>>> {
        while self.bytes.line(&mut self.line, LONGEST_LINE)? {
            self.number += 1;
            let words = String::from_utf8_lossy(&self.line);
            let words: Vec<String> = words.split_whitespace().map(String::from).collect();
            if !words.is_empty() {
                return Ok(Some(words));
            }
        }
        Ok(None)
    }

    fn refuse(&self, reason: &str) -> crate::Error {
        self.bytes.refuse(format!("line {} {reason}", self.number))
    }
}
