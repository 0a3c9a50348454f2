//! The outline of every tile. Tiles at the rim go on for ever; the published generator closes them 64
//! pixels beyond the last corner of either side, by a straight line. Where the two sides part widely
//! that line can cut through the picture, and what is behind it stays white.

use super::{Point, SIDE, distance};

/// How far the sides of an open tile are drawn.
const CLOSED: f64 = 2.0 * SIDE as f64;
/// Farther away than any corner: what lies there belongs to an open side.
const FAR: f64 = 1e9;

/// The outline of the tile of every point, counter-clockwise.
pub(super) fn cells(points: &[Point]) -> Vec<Vec<Point>> {
    let cell = |k: usize| {
        let mut outline = vec![[-FAR, -FAR], [FAR, -FAR], [FAR, FAR], [-FAR, FAR]];
        for (j, other) in points.iter().enumerate() {
            if j != k {
                outline = nearer(&outline, points[k], *other);
            }
        }
        closed(&outline)
    };
    (0..points.len()).map(cell).collect()
}

/// The part of a convex outline that is nearer to one point than to another.
fn nearer(outline: &[Point], to: Point, than: Point) -> Vec<Point> {
    let across = [than[0] - to[0], than[1] - to[1]];
    let middle = [f64::midpoint(to[0], than[0]), f64::midpoint(to[1], than[1])];
    cut(outline, |[x, y]| (x - middle[0]) * across[0] + (y - middle[1]) * across[1])
}

/// The part of a convex outline where a linear function is not positive.
pub(super) fn cut(outline: &[Point], beyond: impl Fn(Point) -> f64) -> Vec<Point> {
    let mut kept = Vec::with_capacity(outline.len() + 1);
    for (&from, &to) in outline.iter().zip(outline.iter().cycle().skip(1)) {
        let (here, there) = (beyond(from), beyond(to));
        if here <= 0.0 {
            kept.push(from);
        }
        if (here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0) {
            let along = here / (here - there);
            kept.push([0, 1].map(|axis| from[axis] + along * (to[axis] - from[axis])));
        }
    }
    kept
}

/// With both open sides, if there are any, ended where they are closed.
fn closed(outline: &[Point]) -> Vec<Point> {
    let far = |point: &Point| point.iter().any(|v| v.abs() > FAR / 2.0);
    let count = outline.len();
    // The first corner after what is far away; none if all corners are near, or all far.
    let start = (0..count).find(|&k| far(&outline[(k + count - 1) % count]) && !far(&outline[k]));
    let Some(start) = start else { return outline.to_vec() };
    let turned = |k: usize| outline[(start + k) % count];
    let mut corners: Vec<Point> = (0..count).map(turned).take_while(|point| !far(point)).collect();
    let (first, last) = (corners[0], corners[corners.len() - 1]);
    let [leaving, coming] = [turned(corners.len()), turned(count - 1)];
    corners.push(towards(last, leaving));
    corners.push(towards(first, coming));
    corners
}

/// The point this side of which an open side is drawn.
fn towards(from: Point, to: Point) -> Point {
    let share = CLOSED / distance(from, to);
    [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the area, positive if counter-clockwise.
    fn area(outline: &[Point]) -> f64 {
        let ends = outline.iter().zip(outline.iter().cycle().skip(1));
        ends.map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum()
    }

    #[test]
    fn a_tile_in_the_middle_is_a_square_and_the_others_are_closed_behind() {
        let points = [[16.0, 16.0], [6.0, 16.0], [26.0, 16.0], [16.0, 6.0], [16.0, 26.0]];
        let cells = cells(&points);
        assert_eq!(cells[0].len(), 4);
        assert!(
            cells[0].iter().flatten().all(|v| (v - 11.0).abs() < 1e-6 || (v - 21.0).abs() < 1e-6)
        );
        assert!(cells.iter().all(|cell| area(cell) > 0.0));
        // Left: two corners, and 64 along each diagonal.
        let end = 64.0 / 2.0_f64.sqrt();
        for corner in
            [[11.0, 11.0], [11.0, 21.0], [11.0 - end, 11.0 - end], [11.0 - end, 21.0 + end]]
        {
            assert!(cells[1].iter().any(|point| distance(*point, corner) < 1e-5), "{corner:?}");
        }
        assert_eq!(cells[1].len(), 4);
    }

    #[test]
    fn points_in_a_row_have_strips() {
        let cells = cells(&[[8.0, 16.0], [16.0, 16.0], [24.0, 16.0]]);
        assert_eq!(cells.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 4]);
    }
}
