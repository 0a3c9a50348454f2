//! Labels in the names of files: "{subject}_{pose}_*" of s01_left_3.png.

use std::path::Path;

use super::labels::{Labels, of_texts};
use crate::error::{Error, Result};

/// One piece of a pattern.
#[derive(Debug, PartialEq)]
enum Piece {
    /// This very text.
    Text(String),
    /// What a factor of this name has; a star has none.
    Value(Option<String>),
}

/// The labels of these pictures by the form of their names.
pub(super) fn labels(pattern: &str, files: &[String]) -> Result<Labels> {
    let pieces = pieces(pattern)?;
    let named = |piece: &Piece| match piece {
        Piece::Value(Some(name)) => Some(name.clone()),
        _ => None,
    };
    let names: Vec<String> = pieces.iter().filter_map(named).collect();
    let refuse = |reason: String| Err(Error::setting("data.pattern", reason));
    if names.is_empty() {
        let reason = "names no factor; write one in braces, as in \"{subject}_*\"";
        return refuse(reason.into());
    }
    if let Some((_, twice)) = names.iter().enumerate().find(|(k, n)| names[..*k].contains(n)) {
        return refuse(format!("has `{twice}` twice"));
    }
    let found: Vec<Option<Vec<&str>>> =
        files.iter().map(|file| values(&pieces, subject(pattern, file))).collect();
    if found.iter().all(Option::is_none) {
        return refuse(format!("fits no picture; the first is {}", files[0]));
    }
    let column = |k: usize| -> Vec<Option<&str>> {
        found.iter().map(|values| values.as_ref().map(|values| values[k])).collect()
    };
    let columns: Vec<Vec<Option<&str>>> = (0..names.len()).map(column).collect();
    Ok(of_texts(&names, &columns))
}

/// What is held against the pattern: the name of the file, or all of its path, without the ending.
fn subject<'f>(pattern: &str, file: &'f str) -> &'f str {
    let ending = Path::new(file).extension().map_or(0, |ending| ending.len() + 1);
    let whole = &file[..file.len() - ending];
    match pattern.contains('/') {
        true => whole,
        false => whole.rsplit('/').next().unwrap_or(whole),
    }
}

fn pieces(pattern: &str) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some(place) = rest.find(['{', '*']) {
        if place > 0 {
            pieces.push(Piece::Text(rest[..place].into()));
        }
        if rest[place..].starts_with('*') {
            pieces.push(Piece::Value(None));
            rest = &rest[place + 1..];
            continue;
        }
        let inside = rest[place + 1..].split_once('}');
        let Some((name, after)) = inside.filter(|(name, _)| !name.trim().is_empty()) else {
            let reason = "has a brace without a name and a second brace, as in \"{subject}_*\"";
            return Err(Error::setting("data.pattern", reason));
        };
        pieces.push(Piece::Value(Some(name.trim().into())));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.into()));
    }
    let value = |piece: &Piece| matches!(piece, Piece::Value(_));
    match pieces.windows(2).any(|pair| pair.iter().all(value)) {
        false => Ok(pieces),
        true => Err(Error::setting(
            "data.pattern",
            "has two values with nothing between them, so that nobody knows where one ends",
        )),
    }
}

/// The values of a name that fits: each as short as the rest allows.
fn values<'n>(pieces: &[Piece], name: &'n str) -> Option<Vec<&'n str>> {
    let (first, rest) = match pieces {
        [] => return name.is_empty().then(Vec::new),
        [first, rest @ ..] => (first, rest),
    };
    match first {
        Piece::Text(text) => values(rest, name.strip_prefix(text.as_str())?),
        Piece::Value(factor) => {
            let ends = name.char_indices().map(|(place, c)| place + c.len_utf8());
            let starts = if factor.is_none() { Some(0) } else { None };
            starts.into_iter().chain(ends).find_map(|end| {
                let mut found = values(rest, &name[end..])?;
                if factor.is_some() {
                    found.insert(0, &name[..end]);
                }
                Some(found)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_where_the_pattern_has_them() {
        let of = |pattern: &str, name: &str| {
            let found = values(&pieces(pattern).unwrap(), subject(pattern, name))?;
            Some(found.join(" "))
        };
        assert_eq!(of("{subject}_{pose}_*", "a/s01_left_3.png"), Some("s01 left".into()));
        assert_eq!(of("{subject}_{pose}_*", "s01_left.png"), None);
        assert_eq!(of("img{n}", "img0042.jpeg"), Some("0042".into()));
        assert_eq!(of("{kind}/{n}-*", "cups/7-x.png"), Some("cups 7".into()));
        assert_eq!(of("*_{last}", "a_b_c.png"), Some("b_c".into()));
        for wrong in ["{a}{b}", "{a", "{}", "{a}*"] {
            assert!(pieces(wrong).is_err(), "{wrong}");
        }
    }
}
