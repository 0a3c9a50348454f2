//! A panel: a rectangle of the sheet with a scale along each side.

use super::colours::{Colour, INK, PALE};
use super::svg::{Anchor, Figure};

/// The size of the numbers along an axis.
const SMALL: f64 = 11.0;
const GRID: Colour = Colour(230, 231, 234);

/// From the smallest to the largest number of a scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The left or lower end.
    pub low: f64,
    /// The right or upper end.
    pub high: f64,
}

impl Extent {
    /// Around these numbers, those that are none left out. A single number gets some room.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let finite = numbers.into_iter().filter(|number| number.is_finite());
        let ends = finite.fold(None, |ends, number| {
            let (low, high) = ends.unwrap_or((number, number));
            Some((f64::min(low, number), f64::max(high, number)))
        });
        match ends {
            None => Self { low: 0.0, high: 1.0 },
            Some((low, high)) if low == high => {
                let room = if low == 0.0 { 1.0 } else { low.abs() / 2.0 };
                Self { low: low - room, high: high + room }
            }
            Some((low, high)) => Self { low, high },
        }
    }

    /// A share wider at both ends.
    pub fn padded(self, share: f64) -> Self {
        let room = (self.high - self.low) * share;
        Self { low: self.low - room, high: self.high + room }
    }

    /// Where a number lies: 0 at the low end, 1 at the high.
    pub fn share(self, number: f64) -> f64 {
        (number - self.low) / (self.high - self.low)
    }

    /// Round numbers inside, about `count` of them, and two at least: of one nobody can read a scale.
    pub fn ticks(self, count: usize) -> Vec<f64> {
        // A step is at most 2.5 times as long as asked.
        let finer = [count, 3, 4, 5, 6].into_iter().map(|count| self.round_numbers(count));
        finer.reduce(|found, next| if found.len() < 2 { next } else { found }).unwrap_or_default()
    }

    fn round_numbers(self, count: usize) -> Vec<f64> {
        let step = round_step((self.high - self.low) / count.max(1) as f64);
        // A hair beyond the ends, so that an end that is a round number is one of them.
        let (first, last) = ((self.low / step - 1e-6).ceil(), (self.high / step + 1e-6).floor());
        (0..=(last - first).max(0.0) as usize).map(|i| (first + i as f64) * step).collect()
    }
}

/// The smallest of 1, 2, 5, 10, ... (and their tenths) that is no smaller than this.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * 0.999);
    factor.unwrap_or(10.0) * power
}

/// Ticks as text: as many digits as tell them apart, thousands as k.
fn tick_labels(ticks: &[f64]) -> Vec<String> {
    let step = if ticks.len() > 1 { ticks[1] - ticks[0] } else { ticks[0].abs().max(1.0) };
    let largest = ticks.iter().fold(0.0, |largest: f64, tick| largest.max(tick.abs()));
    let (unit, letter) = if largest >= 10_000.0 { (1000.0, "k") } else { (1.0, "") };
    let digits = (-(step / unit).log10() - 1e-9).ceil().max(0.0) as usize;
    // Adding 0 makes a plain zero of a negative one.
    let label = |tick: &f64| format!("{:.digits$}", (tick / unit) + 0.0);
    let zero = |text: &String| text.parse() == Ok(0.0f64);
    let named = |text: String| if zero(&text) { "0".into() } else { format!("{text}{letter}") };
    ticks.iter().map(label).map(named).collect()
}

/// A rectangle with two axes.
#[derive(Clone, Copy, Debug)]
pub struct Panel {
    /// Left, top, width and height in pixels.
    pub place: [f64; 4],
    /// The scale from left to right.
    pub x: Extent,
    /// The scale from bottom to top.
    pub y: Extent,
}

impl Panel {
    /// Where a point is drawn.
    pub fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let [left, top, width, height] = self.place;
        (left + self.x.share(x) * width, top + (1.0 - self.y.share(y)) * height)
    }

    /// The lines of the grid at the ticks of both axes, and the two axes.
    pub fn frame(&self, figure: &mut Figure) {
        self.frame_at(figure, &self.x_ticks(), &self.y_ticks());
    }

    /// The same without the lines of the horizontal axis, where its ticks are not ours.
    pub fn frame_y(&self, figure: &mut Figure) {
        self.frame_at(figure, &[], &self.y_ticks());
    }

    /// The same with lines at these places, where no ticks are ours.
    pub fn frame_at(&self, figure: &mut Figure, across: &[f64], upwards: &[f64]) {
        let [left, top, width, height] = self.place;
        let (right, bottom) = (left + width, top + height);
        for x in across {
            let (x, _) = self.at((*x, self.y.low));
            figure.line(&[(x, top), (x, bottom)], GRID, 1.0);
        }
        for y in upwards {
            let (_, y) = self.at((self.x.low, *y));
            figure.line(&[(left, y), (right, y)], GRID, 1.0);
        }
        figure.line(&[(left, top), (left, bottom), (right, bottom)], PALE, 1.0);
    }

    /// The numbers under the horizontal axis.
    pub fn label_x(&self, figure: &mut Figure) {
        let [_, top, _, height] = self.place;
        let ticks = self.x_ticks();
        for (tick, label) in ticks.iter().zip(tick_labels(&ticks)) {
            let (x, _) = self.at((*tick, self.y.low));
            figure.text((x, top + height + 15.0), SMALL, INK, Anchor::Middle, &label);
        }
    }

    /// The numbers left of the vertical axis.
    pub fn label_y(&self, figure: &mut Figure) {
        let ticks = self.y_ticks();
        for (tick, label) in ticks.iter().zip(tick_labels(&ticks)) {
            let (_, y) = self.at((self.x.low, *tick));
            figure.text((self.place[0] - 6.0, y + 4.0), SMALL, INK, Anchor::End, &label);
        }
    }

    /// A line through points of the scales; a lone point is a dot.
    pub fn curve(&self, figure: &mut Figure, points: &[(f64, f64)], ink: Colour, width: f64) {
        let placed: Vec<_> = points.iter().map(|point| self.at(*point)).collect();
        match placed[..] {
            [] => {}
            [point] => figure.dot(point, width + 1.0, ink),
            _ => figure.line(&placed, ink, width),
        }
    }

    /// A band: at each x from one y to another.
    pub fn band(&self, figure: &mut Figure, points: &[(f64, f64, f64)], ink: Colour) {
        let above: Vec<_> = points.iter().map(|(x, _, high)| self.at((*x, *high))).collect();
        let below: Vec<_> = points.iter().map(|(x, low, _)| self.at((*x, *low))).collect();
        figure.area(&above, &below, ink, 0.16);
    }

    /// Draw what `draw` draws, cut off at the edge of the panel.
    pub fn inside(&self, figure: &mut Figure, draw: impl FnOnce(&mut Figure)) {
        let [left, top, width, height] = self.place;
        // A little beyond, so that a line along the very edge is as thick as any other.
        figure.inside([left - 2.0, top - 2.0, width + 4.0, height + 4.0], draw);
    }

    fn x_ticks(&self) -> Vec<f64> {
        self.x.ticks(((self.place[2] / 45.0) as usize).min(10))
    }

    fn y_ticks(&self) -> Vec<f64> {
        self.y.ticks((self.place[3] / 26.0) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_told_apart() {
        let labels = |low, high, count| tick_labels(&Extent { low, high }.ticks(count));
        assert_eq!(labels(0.0, 1.0, 5), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-2.3, 2.2, 4), ["-2", "0", "2"]);
        assert_eq!(labels(0.0, 300_000.0, 3), ["0", "100k", "200k", "300k"]);
        assert_eq!(labels(0.0, 3000.0, 3), ["0", "1000", "2000", "3000"]);
        assert_eq!(labels(40.2, 40.25, 2), ["40.20", "40.25"]);
        // One round number alone is no scale.
        assert_eq!(labels(0.9, 2.9, 1), ["1", "2"]);
        assert_eq!(labels(-0.9, 0.8, 1), ["-0.5", "0", "0.5"]);
    }

    #[test]
    fn a_scale_of_one_number_or_none_still_has_a_length() {
        assert_eq!(Extent::of([4.0]), Extent { low: 2.0, high: 6.0 });
        assert_eq!(Extent::of([f64::NAN]), Extent { low: 0.0, high: 1.0 });
        assert_eq!(Extent::of([3.0, -1.0, f64::INFINITY]), Extent { low: -1.0, high: 3.0 });
    }

    #[test]
    fn larger_numbers_are_right_and_up() {
        let scale = Extent { low: 0.0, high: 2.0 };
        let panel = Panel { place: [10.0, 20.0, 100.0, 50.0], x: scale, y: scale };
        assert_eq!(panel.at((0.0, 0.0)), (10.0, 70.0));
        assert_eq!(panel.at((2.0, 2.0)), (110.0, 20.0));
    }
}
