//! All of Omniglot as one npz of 28x28 images.

use std::path::{Path, PathBuf};

use super::{PARTS, SIDE, part};
use crate::data::storage::library::Import;
use crate::error::{Error, Result};
use crate::npz::{Npz, Numbers};

/// How many images there are, at most.
const ROWS: usize = 32_460;

/// The alphabets of the part evaluation; the others are background.
const EVALUATION: [&str; 20] = [
    "Angelic",
    "Atemayar_Qelisayer",
    "Atlantean",
    "Aurek-Besh",
    "Avesta",
    "Ge_ez",
    "Glagolitic",
    "Gurmukhi",
    "Kannada",
    "Keble",
    "Malayalam",
    "Manipuri",
    "Mongolian",
    "Old_Church_Slavonic_(Cyrillic)",
    "Oriya",
    "Sylheti",
    "Syriac_(Serto)",
    "Tengwar",
    "Tibetan",
    "ULOG",
];

/// The npz, if the user named one or a directory that holds it.
pub(super) fn find(import: &mut Import) -> Result<Option<PathBuf>> {
    let name = "omniglot_28x28_all.npz";
    match import.from().extension().is_some_and(|ending| ending == "npz") {
        true => import.one_of(&["omniglot_28x28_all.npz"]).map(Some),
        false => import.find(name),
    }
}

/// Write the rows, those of background first.
pub(super) fn convert(import: &Import, path: &Path) -> Result<()> {
    let mut file = Npz::open(path)?;
    let refuse = |reason: String| Err(Error::format(path, reason));
    let shape = file.shape("imgs")?;
    let rows = shape.first().copied().unwrap_or(0);
    if shape != [rows, SIDE, SIDE] || rows > ROWS {
        return refuse(format!("array `imgs` has the shape {shape:?}, expected [32460, 28, 28]"));
    }
    let mut columns = Vec::new();
    for name in ["alphabet", "character", "drawer"] {
        let shape = file.shape(name)?;
        if shape != [rows] {
            return refuse(format!("array `{name}` has the shape {shape:?}, expected [{rows}]"));
        }
        columns.push(file.array(name)?.into_floats());
    }
    if file.shape("alphabet_names")?.iter().product::<usize>() > ROWS {
        return refuse("array `alphabet_names` has more names than there are alphabets".into());
    }
    let alphabets = file.strings("alphabet_names")?;
    let mut evaluation = Vec::with_capacity(rows);
    for &alphabet in &columns[0] {
        match alphabets.get(alphabet as usize) {
            Some(name) if alphabet >= 0.0 => evaluation.push(EVALUATION.contains(&name.as_str())),
            _ => return refuse(format!("alphabet {alphabet} has no name in `alphabet_names`")),
        }
    }
    let Numbers::Bytes(images) = file.array("imgs")?.numbers else {
        return refuse("array `imgs` should hold bytes (uint8)".into());
    };
    let mut all = part(import)?;
    let mut done = 0;
    for (name, wanted) in PARTS.into_iter().zip([false, true]) {
        let first = all.rows();
        for row in (0..rows).filter(|&row| evaluation[row] == wanted) {
            let paper = &images[row * SIDE * SIDE..(row + 1) * SIDE * SIDE];
            let ink: Vec<u8> = paper.iter().map(|paper| 255 - paper).collect();
            all.row(&ink, &[columns[0][row], columns[1][row], columns[2][row]])?;
            import.row_done(done, rows, 1.0)?;
            done += 1;
        }
        all.range(name, first..all.rows());
    }
    all.finish()
}
