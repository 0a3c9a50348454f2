//! The stroke around a tile: its outline moved outwards by half the width, and inwards.

use super::Point;

/// A corner that sticks out by more than this many half widths is cut off, as Agg does.
const SHARPEST: f64 = 4.0;

/// A convex outline (counter-clockwise) with every edge moved outwards by `distance`. Corners stay
/// corners (mitred), unless they would stick out too far.
pub(super) fn moved(outline: &[Point], distance: f64) -> Vec<Point> {
    let count = outline.len();
    let mut out = Vec::with_capacity(count);
    for k in 0..count {
        let [before, here, after] = [k + count - 1, k, k + 1].map(|k| outline[k % count]);
        let ([ax, ay], [bx, by]) = (outward(before, here), outward(here, after));
        // A mitre is 1/cos of half the turn long; its square is 2/(1 + cos of the turn).
        let both = 1.0 + ax * bx + ay * by;
        if distance > 0.0 && 2.0 / both > SHARPEST * SHARPEST {
            out.push([here[0] + distance * ax, here[1] + distance * ay]);
            out.push([here[0] + distance * bx, here[1] + distance * by]);
        } else {
            let along = distance / both;
            out.push([here[0] + along * (ax + bx), here[1] + along * (ay + by)]);
        }
    }
    out
}

/// The direction at right angles to an edge, of length 1: to the right of the way along it.
fn outward(from: Point, to: Point) -> Point {
    let (x, y) = (to[0] - from[0], to[1] - from[1]);
    let length = x.hypot(y).max(f64::MIN_POSITIVE);
    [y / length, -x / length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_move_and_sharp_corners_are_cut_off() {
        let square = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
        assert_eq!(moved(&square, 1.0), [[-1.0, -1.0], [5.0, -1.0], [5.0, 5.0], [-1.0, 5.0]]);
        assert_eq!(moved(&square, -1.0), [[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]]);
        let needle = [[0.0, 0.0], [10.0, 1.0], [0.0, 2.0]];
        assert_eq!(moved(&needle, 0.5).len(), 4);
    }
}
