//! The field of CITRIS' games: 32 by 32 pixels inside a dark border, y upwards, painted layer by layer.
//! `value = old · (1 − a) + colour · a`, where a is the exact area of a pixel that a shape covers, as in
//! the Agg renderer behind Matplotlib; and after every layer a byte, as there. Numbers in a plane are
//! `byte / 255`.

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

/// An empty field with its border, one plane. Matplotlib draws a hairline frame around everything, which
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

/// The hairline around everything.
pub(crate) fn frame(plane: &mut [f32; PLANE]) {
    let last = SIDE - 1;
    for (i, number) in plane.iter_mut().enumerate() {
        let [row, column] = [i / SIDE, i % SIDE].map(|place| place == 0 || place == last);
        *number -= f32::from(u8::from(row) + u8::from(column)) / 255.0;
    }
}

/// The pixel row that begins at this height.
pub(crate) fn row(y: usize) -> usize {
    SIDE - 1 - y
}

/// Paint a share of a pixel, in levels from 0 to 255.
#[inline]
pub(crate) fn paint(number: &mut f32, level: f32, share: f32) {
    let old = *number * 255.0;
    // A cast cannot leave the range of a byte, whatever an impossible state asks for.
    let byte = (old + (level - old) * share + 0.5) as u8;
    *number = f32::from(byte) / 255.0;
}
