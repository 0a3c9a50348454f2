//! The figure of a matching: each true factor against the code it is matched to, a panel each.
//!
//! The matching is that of MCC: the one with the largest sum of |correlation|.

use unbraid_measure::factors::Factor;
use unbraid_measure::representation::Representation;
use unbraid_measure::stats::assignment::best_matching;
use unbraid_measure::stats::correlation::pearson;

use super::{Command, Drawing, Entry, Section};
use crate::draw::figure::{Anchor, Extent, Figure, INK, PALE, Panel, category};
use crate::error::{Error, Result};

/// How many points a panel shows, and how many panels there are at most.
const POINTS: usize = 800;
const PANELS: usize = 20;
const ACROSS: usize = 5;
const SIDE: f64 = 170.0;
const LEFT: f64 = 52.0;
const TOP: f64 = 84.0;
const DOWN: f64 = SIDE + 64.0;

/// Where every factor is continuous, a scatter of each beside its latent says most.
pub const FIGURE: Entry = Entry {
    files: &[("matching.svg", "each factor against the code it is matched to")],
    command: Command::Traverse,
    section: Section::Matching,
    caption: "Each true factor against the code it is matched to, a dot per row. A thin line is a factor \
              that was found, a bent one was found up to a curve, a cloud was not.",
    possible: |subject| is_for(subject.data.factors()),
    draw: |subject| {
        let codes = subject.codes.get()?;
        if !is_for(&codes.factors) {
            return Ok(vec![]);
        }
        let title = subject.title("each factor against its code");
        Ok(vec![Drawing::Figure(draw(codes, &title)?, title)])
    },
};

fn is_for(factors: &[Factor]) -> bool {
    !factors.is_empty() && factors.iter().all(|factor| factor.size().is_none())
}

/// Draw each factor against its code.
pub fn draw(codes: &Representation, title: &str) -> Result<Figure> {
    let strength = pearson(codes.codes.view(), codes.values.view()).mapv(f64::abs);
    if strength.is_empty() || strength.iter().any(|r| !r.is_finite()) {
        let reason = "a code or a factor never changes, so codes cannot be matched to factors";
        return Err(Error::Unable(reason.into()));
    }
    let mut pairs = best_matching(strength.view());
    pairs.sort_by_key(|pair| pair.1);
    let mean = pairs.iter().map(|pair| strength[*pair]).sum::<f64>() / pairs.len() as f64;
    pairs.truncate(PANELS);
    let across = pairs.len().min(ACROSS);
    let rows = pairs.len().div_ceil(ACROSS);
    let width = (across as f64 * (LEFT + SIDE) + 18.0).max(420.0);
    let mut figure = Figure::new(width, TOP + rows as f64 * DOWN);
    figure.text((18.0, 30.0), 16.0, INK, Anchor::Start, title);
    let said = format!("true factor across, code upwards; mean |correlation| {mean:.3}");
    figure.text((18.0, 50.0), 12.0, PALE, Anchor::Start, &said);
    for (k, &(code, factor)) in pairs.iter().enumerate() {
        let left = LEFT + (k % ACROSS) as f64 * (LEFT + SIDE);
        let top = TOP + (k / ACROSS) as f64 * DOWN;
        let name = &codes.factors[factor].name;
        let said = format!("{name} and code {code}: {:.3}", strength[[code, factor]]);
        figure.text((left, top - 8.0), 12.0, INK, Anchor::Start, &said);
        let (x, y) = (codes.values.column(factor), codes.codes.column(code));
        let step = x.len().div_ceil(POINTS).max(1);
        let number = |n: &f32| f64::from(*n);
        let points: Vec<(f64, f64)> =
            x.iter().map(number).zip(y.iter().map(number)).step_by(step).collect();
        let panel = Panel {
            place: [left, top, SIDE, SIDE],
            x: Extent::of(points.iter().map(|point| point.0)).padded(0.04),
            y: Extent::of(points.iter().map(|point| point.1)).padded(0.04),
        };
        panel.frame(&mut figure);
        panel.label_x(&mut figure);
        panel.label_y(&mut figure);
        for point in points {
            figure.dot(panel.at(point), 1.1, category(0));
        }
    }
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use unbraid_measure::factors::Factor;

    fn codes(rows: usize) -> Representation<'static> {
        let value = |(row, k): (usize, usize)| ((row * (k + 3)) as f32).sin();
        let values = Array2::from_shape_fn((rows, 2), value);
        // Swapped and negated.
        let codes = Array2::from_shape_fn((rows, 2), |(row, k)| -2.0 * value((row, 1 - k)));
        let factors = vec![Factor::continuous("s0"), Factor::continuous("s1")];
        Representation::new(codes, values, factors).unwrap()
    }

    #[test]
    fn each_factor_stands_beside_its_code() {
        let svg = draw(&codes(50), "title").unwrap().to_svg("title");
        assert!(svg.contains("s0 and code 1: 1.000"), "{svg}");
        assert!(svg.contains("s1 and code 0: 1.000"), "{svg}");
    }

    #[test]
    fn a_still_code_is_refused() {
        let mut still = codes(9);
        still.codes.fill(1.0);
        assert!(draw(&still, "").unwrap_err().to_string().contains("never changes"));
    }
}
