//! Pictures of any proportions as squares.

use image::DynamicImage;
use image::imageops::{FilterType, overlay};

use super::Fit;

/// This many pixels high and wide, by Lanczos.
pub(super) fn fitted(picture: DynamicImage, size: u32, fit: Fit) -> DynamicImage {
    match fit {
        Fit::Stretch => picture.resize_exact(size, size, FilterType::Lanczos3),
        Fit::Crop => picture.resize_to_fill(size, size, FilterType::Lanczos3),
        Fit::Pad => padded(&picture.resize(size, size, FilterType::Lanczos3), size),
    }
}

/// In the middle of a black square; a transparent one where there is transparency.
fn padded(picture: &DynamicImage, size: u32) -> DynamicImage {
    let (x, y) = ((size - picture.width()) / 2, (size - picture.height()) / 2);
    let (x, y) = (i64::from(x), i64::from(y));
    match picture {
        DynamicImage::ImageLuma8(grey) => {
            let mut square = image::GrayImage::new(size, size);
            overlay(&mut square, grey, x, y);
            square.into()
        }
        DynamicImage::ImageRgba8(clear) => {
            let mut square = image::RgbaImage::new(size, size);
            image::imageops::replace(&mut square, clear, x, y);
            square.into()
        }
        other => {
            let mut square = image::RgbImage::new(size, size);
            overlay(&mut square, &other.to_rgb8(), x, y);
            square.into()
        }
    }
}
