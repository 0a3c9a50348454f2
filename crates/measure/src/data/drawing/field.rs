//! The field of CITRIS' games: 32 by 32 pixels inside a dark border, y upwards, painted layer by layer.
//! A layer is mixed in by the exact area of a pixel that a shape covers, in bytes, as the Agg renderer
//! behind Matplotlib does. Numbers in a plane are `byte / 255`.

mod disc;

pub(crate) use disc::disc;

/// Pixels of a side.
pub(crate) const SIDE: usize = 32;
/// Pixels of a plane: one channel of a frame.
pub(crate) const PLANE: usize = SIDE * SIDE;
/// How wide the border is.
pub(crate) const BORDER: usize = 2;

/// What is played on, 0.9 of white, as a byte.
pub(crate) const GROUND: f32 = 230.0;
/// The walls, 0.1 of white.
pub(crate) const WALL: f32 = 26.0;

/// How much of a pixel the frame of the picture covers.
const HAIRLINE: f32 = 1.0 / 256.0;

/// An empty field with its border, one plane. Matplotlib draws a hairline frame over everything, which
/// makes the outermost pixels one level darker, and the corners two.
pub(crate) fn walled() -> [f32; PLANE] {
    let mut plane = [GROUND / 255.0; PLANE];
    let inside = BORDER..SIDE - BORDER;
    for (i, number) in plane.iter_mut().enumerate() {
        if !inside.contains(&(i / SIDE)) || !inside.contains(&(i % SIDE)) {
            *number = WALL / 255.0;
        }
    }
    frame(&mut plane);
    plane
}

/// The hairline around everything: black, over a 256th of a pixel, once per side that a pixel lies at.
pub(crate) fn frame(plane: &mut [f32; PLANE]) {
    for (place, number) in plane.iter_mut().enumerate() {
        (0..sides(place)).for_each(|_| paint(number, 0, HAIRLINE));
    }
}

/// At how many sides of the picture a pixel lies.
fn sides(place: usize) -> u8 {
    let outermost = |at: usize| u8::from(at == 0 || at == SIDE - 1);
    outermost(place / SIDE) + outermost(place % SIDE)
}

/// Paint onto a pixel that has its frame already, which lies over what is painted. Right only where
/// nothing but ground or wall was painted before, whose frame takes a level per side.
#[inline]
pub(crate) fn paint_below_frame(plane: &mut [f32], place: usize, level: u8, share: f32) {
    let (number, sides) = (&mut plane[place], sides(place));
    *number += f32::from(sides) / 255.0;
    paint(number, level, share);
    (0..sides).for_each(|_| paint(number, 0, HAIRLINE));
}

/// The pixel row that begins at this height.
pub(crate) fn row(y: usize) -> usize {
    SIDE - 1 - y
}

/// Paint a share of a pixel with a level from 0 to 255, by the whole numbers of Agg's blender: with the
/// coverage c = ⌊256 share⌋, at most 255, and p the old byte,
///
/// ```text
/// new = ⌊((256 level − 255 p) c + 256 · 255 p) / (65280 + c)⌋,   or the level itself if c is 255
/// ```
///
/// which is a plain mixture that leans downwards; rounding instead makes half of the edge one level too
/// bright.
#[inline]
pub(crate) fn paint(number: &mut f32, level: u8, share: f32) {
    // A cast cannot leave its range, whatever an impossible state asks for.
    let cover = i32::from((share * 256.0) as u8);
    let byte = if cover == 255 {
        i32::from(level)
    } else {
        let old = (*number * 255.0 + 0.5) as i32 * 255;
        ((i32::from(level) * 256 - old) * cover + old * 256) / (65_280 + cover)
    };
    *number = byte as f32 / 255.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_lies_over_everything() {
        let plane = walled().map(|number| (number * 255.0).round() as u8);
        assert_eq!(plane[..3], [24, 25, 25]);
        assert_eq!(plane[SIDE..SIDE + 3], [25, 26, 26]);
        let mut white = [1.0; PLANE];
        frame(&mut white);
        paint_below_frame(&mut white, 8 * SIDE, 0, 0.9873);
        let level = |place: usize| (white[place] * 255.0).round() as u8;
        assert_eq!([0, 1, 8 * SIDE, 9 * SIDE].map(level), [253, 254, 2, 254]);
    }

    #[test]
    fn a_pixel_is_blended_in_whole_numbers() {
        let painted = |old: u8, level: u8, share: f32| {
            let mut number = f32::from(old) / 255.0;
            paint(&mut number, level, share);
            (number * 255.0).round() as u8
        };
        for old in 0..=255 {
            assert_eq!((painted(old, 7, 0.0), painted(old, 7, 1.0)), (old, 7));
        }
        // 58650 · 128 / 65408 = 114.8 and (6630 · 128 + 58650 · 256) / 65408 = 242.5.
        assert_eq!((painted(230, 0, 0.5), painted(230, 255, 0.5)), (114, 242));
        assert_eq!(painted(230, 0, f32::NAN), 230);
    }
}
