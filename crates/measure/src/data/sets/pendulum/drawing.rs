//! The picture of a pendulum, its light and its shadow. The box shows 0 to 20 by -1 to 21, so that
//! circles become ellipses.

use super::{GROUND, PIVOT, along_rod, projection};
use crate::data::drawing::plot::{BLACK, FIREBRICK, ORANGE, Plot};

/// The width of rod and shadow, in points.
const LINE: f64 = 3.0;

/// Draw red, green, blue and opacity, one after the other, into `out`.
pub(super) fn draw([pendulum, light, length, position]: [f32; 4], out: &mut [f32]) {
    let ball = along_rod(pendulum, 8.0);
    let sun = [projection(light, PIVOT, 20.5), 20.5];
    let [position, half] = [f64::from(position), f64::from(length) / 2.0];

    let mut plot = Plot::new([0.0, 20.0], [-1.0, 21.0], out);
    plot.line(PIVOT, ball, LINE, BLACK);
    plot.disc(ball, 1.5, 2, FIREBRICK);
    plot.disc(sun, 3.0, 4, ORANGE);
    // An intervention may ask for any shadow; what is far outside needs no pixels.
    let [start, end] = [position - half, position + half].map(|x| x.clamp(-9.0, 29.0));
    plot.line([start, GROUND], [end, GROUND], LINE, BLACK);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::drawing::plot::SIDE;

    fn levels(values: [f32; 4], row: usize, column: usize) -> [u8; 4] {
        let mut out = vec![f32::NAN; 4 * SIDE * SIDE];
        draw(values, &mut out);
        [0, 1, 2, 3].map(|k| (out[k * SIDE * SIDE + row * SIDE + column] * 255.0).round() as u8)
    }

    #[test]
    fn every_object_is_in_its_place() {
        let values = [0.0, 100.0, 3.0, 5.0];
        assert_eq!(levels(values, 0, 0), [255; 4], "the ground is white and opaque");
        assert_eq!(levels(values, 50, 48), [0, 0, 0, 255], "the rod hangs down");
        assert_eq!(levels(values, 73, 49), [178, 34, 34, 255], "the ball is at its end");
        assert_eq!(levels(values, 15, 49), [255, 165, 0, 255], "the light is overhead");
        // 3.5 to 6.5 are pixels 25.02 to 36.18, moved to 25 to 36; the bar ends with the box.
        assert_eq!(levels(values, 83, 25), [0, 0, 0, 255]);
        assert_eq!(levels(values, 83, 24), [255; 4]);
        assert_eq!(levels(values, 83, 36), [255; 4]);
        assert_eq!(levels(values, 85, 30), [255; 4]);
    }

    #[test]
    fn a_shadow_without_length_is_not_there() {
        assert_eq!(levels([0.0, 100.0, 0.0, 5.0], 83, 30), [255; 4]);
    }
}
