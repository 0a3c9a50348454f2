//! Cars3D at 64 pixels as sheets: for each car one picture, a column for each azimuth and a row for each
//! elevation, `car_001.webp` or .png.

use std::fs;
use std::path::{Path, PathBuf};

use image::RgbImage;

use super::{AZIMUTHS, ELEVATIONS, SIDE, SMALL, factors};
use crate::data::storage::library::Import;
use crate::error::{Error, Result};

/// The sheets of a folder, in the order of their names, which is that of list.txt; none if it has none.
pub(super) fn find(folder: &Path) -> Vec<PathBuf> {
    let is_sheet = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("car_") && (name.ends_with(".webp") || name.ends_with(".png"))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut sheets: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_sheet).collect();
    sheets.sort();
    sheets
}

/// Import them: the small images alone, since there are no larger ones in them.
pub(super) fn import(import: &mut Import, sheets: &[PathBuf]) -> Result<()> {
    let cars = sheets.iter().map(|path| read(path)).collect::<Result<Vec<RgbImage>>>()?;
    let mut part = import.part("all", SMALL, false, factors(cars.len()))?;
    for elevation in 0..ELEVATIONS {
        for azimuth in 0..AZIMUTHS {
            for (object, sheet) in cars.iter().enumerate() {
                let values = [elevation as f32, azimuth as f32, object as f32];
                part.row(&tile(sheet, elevation, azimuth), &values)?;
            }
            import.advance(1.0 / (ELEVATIONS * AZIMUTHS) as f64)?;
        }
    }
    part.finish()
}

fn read(path: &Path) -> Result<RgbImage> {
    let sheet = image::open(path).map_err(|source| Error::format(path, source))?.into_rgb8();
    let (width, height) = (AZIMUTHS * SIDE, ELEVATIONS * SIDE);
    match (sheet.width() as usize, sheet.height() as usize) == (width, height) {
        true => Ok(sheet),
        false => Err(Error::format(
            path,
            format!("is {}x{}, not a sheet of {width}x{height}", sheet.width(), sheet.height()),
        )),
    }
}

/// One image of a sheet, row by row.
fn tile(sheet: &RgbImage, elevation: usize, azimuth: usize) -> Vec<u8> {
    let stride = AZIMUTHS * SIDE * 3;
    let row = |y: usize| {
        let start = (elevation * SIDE + y) * stride + azimuth * SIDE * 3;
        &sheet.as_raw()[start..start + SIDE * 3]
    };
    (0..SIDE).flat_map(row).copied().collect()
}
