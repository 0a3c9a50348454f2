use std::fs;
use std::path::Path;

use image::{Rgba, RgbaImage};

use super::*;
use crate::data::testing::assert_refused;
use crate::watch::Stage;

/// Sheets in which sheet s of a factor paints the pixel (s, factor) of every tile, and one pixel more in
/// the tile it is of. The later factors paint over the pixel (0, 63) of the earlier ones.
fn write_sheets(dir: &Path) {
    for (factor, (name, count)) in WORN.into_iter().enumerate() {
        fs::create_dir_all(dir.join(name)).unwrap();
        for sheet in 0..count {
            let mut picture = RgbaImage::new(SHEET[0] as u32, SHEET[1] as u32);
            for (column, row) in (0..21_u32).flat_map(|row| (0..13_u32).map(move |c| (c, row))) {
                let (x, y) = (column * 64, row * 64);
                let colour = [factor as u8 * 40, sheet as u8 * 20, 255];
                let solid = Rgba([colour[0], colour[1], colour[2], 255]);
                picture.put_pixel(x + sheet as u32, y + factor as u32, solid);
                picture.put_pixel(x, y + 63, solid);
                picture.put_pixel(x + 10 + column, y + 40 + row, Rgba([7, 8, 9, 129]));
                picture.put_pixel(x + 63, y + 63, Rgba([7, 8, 9, 128]));
            }
            picture.save(dir.join(format!("{name}/{sheet}.png"))).unwrap();
        }
    }
}

#[test]
fn images_are_painted_from_the_tile_of_their_view_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let (from, target) = (dir.path().join("from"), dir.path().join("sprites"));
    write_sheets(&from);
    let watch = Stage::unwatched();
    let done = library::import_to(&PUBLICATION, &from, &target, false, &watch);
    assert_refused(done, &["0.png", "published"]);
    library::import_to(&PUBLICATION, &from, &target, true, &watch).unwrap();

    let sheets = Sheets::read(&target.join(KEPT), 39).unwrap();
    let mut image = vec![f32::NAN; 3 * SIDE * SIDE];
    draw(&sheets, [6, 5, 9, 4, 2, 3, 2, 1, 5], &mut image);
    let pixel = |x: usize, y: usize| {
        [0, 1, 2].map(|channel| (image[(channel * SIDE + y) * SIDE + x] * 255.0).round() as u8)
    };
    for (factor, sheet) in [6, 5, 9, 4, 2, 3].into_iter().enumerate() {
        assert_eq!(pixel(sheet, factor), [factor as u8 * 40, sheet as u8 * 20, 255]);
    }
    // Frame 5 of walking to the front: the sixth tile of row 4 · 2 + 1 + 1.
    assert_eq!(pixel(10 + 5, 40 + 10), [7, 8, 9]);
    assert_eq!(pixel(0, 63), [2 * 40, 9 * 20, 255], "hair is over all else");
    assert_eq!(pixel(63, 63), [0, 0, 0], "half opaque is not enough");
    let painted = (0..SIDE * SIDE).filter(|place| pixel(place % SIDE, place / SIDE) != [0; 3]);
    assert_eq!(painted.count(), 8);
}

#[test]
fn sheets_that_are_missing_or_of_another_size_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (from, target) = (dir.path().join("from"), dir.path().join("sprites"));
    write_sheets(&from);
    let import = || library::import_to(&PUBLICATION, &from, &target, true, &Stage::unwatched());
    RgbaImage::new(64, 64).save(from.join("bottomwear/0.png")).unwrap();
    assert_refused(import(), &["bottomwear/0.png, which is not 832x1344 pixels"]);
    fs::remove_file(from.join("hair/9.png")).unwrap();
    assert_refused(import(), &["holds no hair/9.png"]);
}
