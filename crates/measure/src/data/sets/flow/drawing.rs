//! The picture of the cup, its water, the ball and the stream. The box shows 0 to 20 by 0 to 20.

use super::{GRAVITY, STREAM_END};
use crate::data::drawing::plot::{BLACK, FIREBRICK, LIGHT_SKY_BLUE, Plot};

/// The width of all lines, in points.
const LINE: f64 = 2.0;
/// The left and the right side of the cup, and where they end.
const CUP: [f64; 2] = [3.0, 8.0];
const RIM: f64 = 19.0;
/// How many points of the stream are computed, its ends among them.
const STREAM_POINTS: usize = 50;

/// Draw red, green, blue and opacity, one after the other, into `out`. The pull of the earth is
/// larger by `disturbance`, so that the stream reaches a little farther than `flow` says.
pub(super) fn draw(values: [f32; 4], disturbance: f64, out: &mut [f32]) {
    let [ball, height, flow, hole] = values.map(f64::from);
    let (radius, deep) = (ball / 30.0, hole / 3.0);
    let [left, right] = CUP;

    let mut plot = Plot::new([0.0, 20.0], [0.0, 20.0], out);
    plot.rectangle([left, 0.0], [right, 5.0 + height], LIGHT_SKY_BLUE);
    plot.line([left, 0.0], [left, RIM], LINE, BLACK);
    plot.line([right, 0.0], [right, deep], LINE, BLACK);
    plot.line([right, deep + 0.4], [right, RIM], LINE, BLACK);
    plot.disc([5.5, radius + 0.5], radius, disc_parts(radius), FIREBRICK);
    let reach = flow / 10.0 * (1.0 + disturbance / GRAVITY).sqrt();
    plot.curve(&stream(reach, deep), LINE, LIGHT_SKY_BLUE);
    // From side to side of the box: its ends stick out.
    plot.line([-1.0, 0.2], [21.0, 0.2], LINE, BLACK);
}

/// Water that leaves the hole level and falls: x grows as the root of the way down.
fn stream(reach: f64, deep: f64) -> [[f64; 2]; STREAM_POINTS] {
    // An intervention may ask for any flow; what is far outside needs no pixels.
    let reach = reach.min(100.0);
    std::array::from_fn(|k| {
        let fallen = k as f64 / (STREAM_POINTS - 1) as f64;
        [CUP[1] + reach * fallen.sqrt(), deep + (STREAM_END - deep) * fallen]
    })
}

/// Into how many parts Agg cuts each of the eight curves of a disc: a small one is drawn as it is.
/// With two parts it would be off by up to 11 grey levels at the rim. The reference has no radius
/// between 19/30 and 20/30.
fn disc_parts(radius: f64) -> usize {
    if radius < 19.5 / 30.0 { 1 } else { 2 }
}
