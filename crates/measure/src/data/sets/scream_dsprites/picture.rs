//! What is behind the sprites: a picture read from a file, or one drawn.

use std::f32::consts::TAU;
use std::path::Path;

use image::imageops::FilterType;

use super::SIDE;
use crate::data::sets::images;
use crate::error::{Error, Result};
use crate::rng::Rng;

/// The largest picture.
const BOX: [u32; 2] = [350, 274];

/// A picture in colour, channel by channel, values 0 to 1; wider and higher than a patch.
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    colours: Vec<f32>,
}

impl Picture {
    /// A picture from a file, made to fit.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let file = path.to_str().ok_or_else(|| Error::format(path, "is no name in Unicode"))?;
        let mut picture = images::decode(Path::new(""), file)?;
        let (width, height) = (picture.width(), picture.height());
        if width > BOX[0] || height > BOX[1] {
            picture = picture.resize(BOX[0], BOX[1], FilterType::Lanczos3);
        }
        let [fitted_width, fitted_height] = [picture.width(), picture.height()].map(|v| v as usize);
        if fitted_width.min(fitted_height) <= SIDE {
            let reason = format!(
                "has {width}x{height} pixels, {fitted_width}x{fitted_height} once it fits into \
                 {}x{}; more than {SIDE} each way are needed to cut patches from",
                BOX[0], BOX[1]
            );
            return Err(Error::format(path, reason));
        }
        let pixels = picture.into_rgb8().into_raw();
        let channel = |c: usize| pixels.iter().skip(c).step_by(3).map(|v| f32::from(*v) / 255.0);
        let colours = (0..3).flat_map(channel).collect();
        Ok(Self { width: fitted_width, height: fitted_height, colours })
    }

    /// As the bytes of a .png.
    pub(super) fn to_png(&self) -> Vec<u8> {
        let level = |channel: usize, place: usize| {
            (self.colours[channel * self.width * self.height + place] * 255.0).round() as u8
        };
        let (width, height) = (self.width as u32, self.height as u32);
        let picture = image::RgbImage::from_fn(width, height, |x, y| {
            let place = y as usize * self.width + x as usize;
            image::Rgb([level(0, place), level(1, place), level(2, place)])
        });
        let mut png = std::io::Cursor::new(Vec::new());
        picture
            .write_to(&mut png, image::ImageFormat::Png)
            .expect("a picture in memory can be encoded");
        png.into_inner()
    }

    /// The stand-in: bands of a sunset above dark blue ones, bent by waves and eddies. There is
    /// one such picture, as there is one painting: no seed changes it.
    pub(super) fn drawn() -> Self {
        // The painting is a little higher than wide.
        let (width, height) = (221, BOX[1] as usize);
        let bands = Bands::new(&mut Rng::new(0).split("stand-in"));
        let mut colours = vec![0.0; 3 * width * height];
        for place in 0..width * height {
            let [x, y] = [place % width, place / width].map(|v| (v as f32 + 0.5) / height as f32);
            for (channel, level) in bands.colour([x, y]).into_iter().enumerate() {
                colours[channel * width * height + place] = level;
            }
        }
        Self { width, height, colours }
    }

    /// A part of one line of one channel.
    pub(super) fn line(&self, channel: usize, row: usize, left: usize, count: usize) -> &[f32] {
        let start = (channel * self.height + row) * self.width + left;
        &self.colours[start..start + count]
    }
}

/// What bends the bands of the stand-in; lengths in heights of the picture.
struct Bands {
    /// Frequency along x and y, phase.
    waves: Vec<[f32; 3]>,
    /// Centre x and y, radius, turn at the centre in radians.
    eddies: Vec<[f32; 4]>,
}

impl Bands {
    fn new(rng: &mut Rng) -> Self {
        let mut between = |low: f32, high: f32| low + (high - low) * rng.uniform() as f32;
        let waves =
            (0..8).map(|_| [between(-2.5, 2.5), between(-1.5, 1.5), between(0.0, TAU)]).collect();
        let eddies = (0..6)
            .map(|k| {
                let turn = if k % 2 == 0 { between(2.0, 4.0) } else { between(-4.0, -2.0) };
                [between(0.0, 0.8), between(0.0, 1.0), between(0.08, 0.22), turn]
            })
            .collect();
        Self { waves, eddies }
    }

    /// Where the colour of a point comes from: turned by the eddies, then shifted by the waves.
    fn bend(&self, [mut x, mut y]: [f32; 2]) -> [f32; 2] {
        for &[centre_x, centre_y, radius, turn] in &self.eddies {
            let (dx, dy) = (x - centre_x, y - centre_y);
            let (sin, cos) = (turn * (-(dx * dx + dy * dy) / (radius * radius)).exp()).sin_cos();
            (x, y) = (centre_x + cos * dx - sin * dy, centre_y + sin * dx + cos * dy);
        }
        for (k, &[along_x, along_y, phase]) in self.waves.iter().enumerate() {
            let shift = 0.02 * (TAU * (along_x * x + along_y * y) + phase).sin();
            if k % 2 == 0 { y += shift } else { x += shift }
        }
        [x, y]
    }

    fn colour(&self, point: [f32; 2]) -> [f32; 3] {
        let [x, y] = self.bend(point);
        let stripe = |frequency: f32, slant: f32| {
            0.5 + 0.5 * (TAU * frequency * (y + slant * (TAU * 0.7 * x).sin())).sin()
        };
        let mix = |a: [f32; 3], b: [f32; 3], t: f32| [0, 1, 2].map(|c| a[c] + t * (b[c] - a[c]));
        let (red, orange, yellow) = ([0.72, 0.22, 0.12], [0.91, 0.48, 0.14], [0.96, 0.77, 0.38]);
        let (night, blue, sand) = ([0.07, 0.11, 0.25], [0.22, 0.34, 0.48], [0.55, 0.45, 0.30]);
        let sky =
            mix(mix(red, orange, stripe(5.0, 0.12)), yellow, stripe(11.0, 0.08).powi(2) * 0.8);
        let water = mix(mix(night, blue, stripe(6.0, 0.18)), sand, stripe(9.0, 0.15).powi(4) * 0.7);
        // The horizon, as soft as a brush stroke.
        mix(sky, water, 1.0 / (1.0 + (-(y - 0.42) / 0.02).exp()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stand_in_is_in_range_smooth_and_varied() {
        let picture = Picture::drawn();
        let levels = &picture.colours;
        assert!(levels.iter().all(|level| (0.0..=1.0).contains(level)));
        let mean = |rows: std::ops::Range<usize>, channel: usize| {
            let lines = rows.clone().flat_map(|row| picture.line(channel, row, 0, picture.width));
            lines.sum::<f32>() / (rows.len() * picture.width) as f32
        };
        // The sky is red rather than blue; the water is the other way round and darker.
        assert!(mean(0..80, 0) > 2.0 * mean(0..80, 2));
        assert!(mean(180..274, 0) < mean(180..274, 2));
        let steps = levels.windows(2).map(|pair| (pair[0] - pair[1]).abs());
        assert!(steps.sum::<f32>() / (levels.len() as f32) < 0.05);
    }

    #[test]
    fn a_file_is_made_to_fit_and_never_enlarged() {
        let folder = tempfile::tempdir().unwrap();
        let size = |width, height| {
            let path = folder.path().join("a.png");
            image::RgbImage::new(width, height).save(&path).unwrap();
            Picture::read(&path).map(|picture| [picture.width, picture.height])
        };
        assert_eq!(size(700, 300).unwrap(), [350, 150]);
        assert_eq!(size(400, 548).unwrap(), [200, 274]);
        assert_eq!(size(100, 70).unwrap(), [100, 70]);
        let error = size(2000, 200).unwrap_err().to_string();
        assert!(error.contains("350x35 once it fits"), "{error}");
        assert!(size(64, 200).is_err());
    }
}
