//! IDX, the format of MNIST: a magic number, the length of each axis, then bytes; big endian.

use super::bytes::Bytes;
use crate::data::storage::library::Import;
use crate::error::Result;
use crate::factors::Factor;

/// Bytes of three axes: images.
const IMAGES: u32 = 2051;
/// Bytes of one axis: labels.
const LABELS: u32 = 2049;
const SIDE: usize = 28;
const CLASSES: usize = 10;

/// Import the parts `train` and `test` of MNIST or of a set in its form, whose one factor is the
/// class, 0 to 9. Either part may be missing.
pub(in crate::data) fn import(import: &mut Import, factor: &str) -> Result<()> {
    let mut found = false;
    for (part, prefix, share) in [("train", "train", 6.0 / 7.0), ("test", "t10k", 1.0 / 7.0)] {
        let names = ["images-idx3", "labels-idx1"].map(|kind| format!("{prefix}-{kind}-ubyte"));
        let (images, labels) = match (import.find(&names[0])?, import.find(&names[1])?) {
            (None, None) => continue,
            (Some(images), Some(labels)) => (Bytes::open(&images)?, Bytes::open(&labels)?),
            (None, _) => return Err(import.lacks(&names[0])),
            (_, None) => return Err(import.lacks(&names[1])),
        };
        one_part(import, part, images, labels, factor, share)?;
        found = true;
    }
    match found {
        true => Ok(()),
        false => Err(import.lacks("train-images-idx3-ubyte")),
    }
}

/// Images and labels are read side by side, so that no count is believed before its rows are seen.
fn one_part(
    import: &Import,
    part: &str,
    mut images: Bytes,
    mut labels: Bytes,
    factor: &str,
    share: f64,
) -> Result<()> {
    let [rows, height, width] = header(&mut images, IMAGES)?;
    if [height, width] != [SIDE; 2] {
        return Err(images.refuse(format!("holds images of {width}x{height}, expected 28x28")));
    }
    let [count] = header(&mut labels, LABELS)?;
    if count != rows {
        return Err(labels.refuse(format!("holds {count} labels for {rows} images")));
    }
    let classes = Factor::discrete(factor, (0..CLASSES).map(|class| class as f32));
    let mut part = import.part(part, [SIDE, SIDE, 1], false, vec![classes])?;
    let (mut image, mut label) = ([0; SIDE * SIDE], [0]);
    for row in 0..rows {
        images.fill(&mut image)?;
        labels.fill(&mut label)?;
        if usize::from(label[0]) >= CLASSES {
            let reason = format!("has the label {} in row {row}, expected 0 to 9", label[0]);
            return Err(labels.refuse(reason));
        }
        part.row(&image, &[f32::from(label[0])])?;
        import.row_done(row, rows, share)?;
    }
    images.end()?;
    labels.end()?;
    part.finish()
}

/// The lengths of the axes.
fn header<const AXES: usize>(bytes: &mut Bytes, magic: u32) -> Result<[usize; AXES]> {
    let found = u32::from_be_bytes(bytes.four()?);
    if found != magic {
        let what = if magic == IMAGES { "images" } else { "labels" };
        return Err(bytes.refuse(format!(
            "is no IDX file of {what}: it begins with {found}, expected {magic}"
        )));
    }
    let mut axes = [0; AXES];
    for axis in &mut axes {
        *axis = u32::from_be_bytes(bytes.four()?) as usize;
    }
    Ok(axes)
}
