//! The picture of a game: red, green and blue, and a fourth channel that shows where the ball is going.

use super::physics::{FACES, RADIUS, REACH, SPEED};
use crate::data::drawing::field::{self, BORDER, PLANE, SIDE, disc, paint, paint_below_frame, row};

/// Channels of a frame.
pub(super) const CHANNELS: usize = 4;

/// Digits and colon, half of white.
const INK: f32 = 128.0;
/// Where the digits begin, left and right, and how high.
const DIGITS: [[usize; 2]; 2] = [[12, 24], [18, 24]];
/// The digits of 3 by 5 pixels, a row each from top to bottom, left to right.
const SHAPES: [[&[u8; 3]; 5]; 5] = [
    [b"###", b"#.#", b"#.#", b"#.#", b"###"],
    [b".#.", b".#.", b".#.", b".#.", b".#."],
    [b"###", b"..#", b"###", b"#..", b"###"],
    [b"###", b"..#", b"###", b"..#", b"###"],
    [b"#.#", b"#.#", b"###", b"..#", b"..#"],
];
/// The two squares of the colon.
const COLON: [[usize; 2]; 2] = [[16, 25], [16, 27]];
/// Red, green, blue of the left and of the right paddle, and of the ball.
const PADDLES: [[u8; 3]; 2] = [[0, 0, 255], [0, 128, 0]];
const BALL: [u8; 3] = [255, 0, 0];

/// What is seen of a game. Scores are given as numbers and the direction in radians, so that any state
/// that somebody asks for can be drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    pub(super) direction: f32,
    pub(super) ball: [f32; 2],
    pub(super) paddles: [f32; 2],
    pub(super) scores: [f32; 2],
}

/// What never changes, drawn once.
pub(super) struct Drawing {
    background: Box<[f32]>,
}

impl Drawing {
    pub(super) fn new() -> Self {
        let mut walled = field::walled();
        for [x, y] in COLON {
            walled[row(y) * SIDE + x] = INK / 255.0;
        }
        let mut white = [1.0; PLANE];
        field::frame(&mut white);
        Self { background: [walled, walled, walled, white].concat().into() }
    }

    /// Draw a frame into `out`, channel by channel. The order of layers is that of the script; walls lie
    /// over paddles and under the ball.
    pub(super) fn draw(&self, scene: &Scene, out: &mut [f32]) {
        out.copy_from_slice(&self.background);
        let (colours, ahead) = out.split_at_mut(3 * PLANE);
        for (place, score) in DIGITS.into_iter().zip(scene.scores) {
            digit(place, score, colours);
        }
        for (side, colour) in PADDLES.into_iter().enumerate() {
            paddle(FACES[2 * side] as usize, scene.paddles[side], colour, colours);
        }
        disc(scene.ball, RADIUS as f32, |place, share| {
            for (channel, level) in BALL.into_iter().enumerate() {
                let plane = &mut colours[channel * PLANE..(channel + 1) * PLANE];
                paint_below_frame(plane, place, level, share);
            }
        });
        let (sin, cos) = scene.direction.sin_cos();
        let next = [scene.ball[0] + SPEED as f32 * sin, scene.ball[1] + SPEED as f32 * cos];
        disc(next, RADIUS as f32, |place, share| paint_below_frame(ahead, place, 0, share));
    }
}

/// A score at [left, bottom]; what is no score is drawn as the nearest one.
fn digit([left, bottom]: [usize; 2], score: f32, colours: &mut [f32]) {
    let shape = SHAPES[(score.round() as usize).min(SHAPES.len() - 1)];
    for (down, line) in shape.iter().enumerate() {
        let place = row(bottom + 4 - down) * SIDE + left;
        for plane in colours.chunks_exact_mut(PLANE) {
            let pixels = plane[place..place + 3].iter_mut().zip(**line);
            pixels.filter(|(_, dot)| *dot == b'#').for_each(|(pixel, _)| *pixel = INK / 255.0);
        }
    }
}

/// A paddle of two columns from `left` on, anti-aliased above and below, and hidden by the walls.
fn paddle(left: usize, middle: f32, colour: [u8; 3], colours: &mut [f32]) {
    let [low, high] = [middle - REACH as f32, middle + REACH as f32];
    let first = (low.max(0.0) as usize).max(BORDER);
    let end = (high.max(0.0).ceil() as usize).min(SIDE - BORDER);
    for y in first..end {
        let share = (high.min(y as f32 + 1.0) - low.max(y as f32)).clamp(0.0, 1.0);
        let place = row(y) * SIDE + left;
        for (plane, level) in colours.chunks_exact_mut(PLANE).zip(colour) {
            plane[place..place + 2].iter_mut().for_each(|pixel| paint(pixel, level, share));
        }
    }
}
