//! Reconstructions of vectors: how much of each column is left after encoding and decoding.

use unbraid_measure::rng::Rng;

use super::{Command, Drawing, Entry, Section, Subject, no_decoder};
use crate::draw::figure::{Anchor, Colour, Figure, INK, category, text_width};
use crate::error::Result;
use crate::evaluate::unaided::{Kept, kept};

/// So many columns are shown at most: those that are kept best and worst.
const SHOWN: usize = 40;
const LINE: f64 = 22.0;
const WIDE: f64 = 360.0;
const TOP: f64 = 80.0;
const MARGIN: f64 = 18.0;
const GROUND: Colour = Colour(236, 237, 240);

/// How much of each column is left.
pub const FIGURE: Entry = Entry {
    files: &[("columns.svg", "how much of each column is left after decoding")],
    command: Command::Traverse,
    section: Section::Reconstructions,
    caption: "The share of the variance of each column that is left after encoding and decoding: 100 % is all of it, 0 % \
              what the mean of the column alone would do. What is missing is in no code; more codes, or a smaller \
              noise of the likelihood where the model has one, keep more.",
    possible: |subject| {
        !subject.has_images() && subject.data.about().names(subject.data.shape().size()).is_some()
    },
    draw: |subject| {
        let title = subject.title("how much of each column is left");
        Ok(vec![Drawing::Figure(draw(subject, &title)?, title)])
    },
};

fn draw(subject: &Subject, title: &str) -> Result<Figure> {
    let kept =
        kept(subject.learner, subject.data, &Rng::new(subject.seed)).ok_or_else(no_decoder)?;
    Ok(drawn(&kept, title))
}

fn drawn(kept: &Kept, title: &str) -> Figure {
    let mut columns: Vec<&(String, f64)> = kept.columns.iter().collect();
    columns.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all = format!("{:.0} % of all variance is left.", 100.0 * kept.share);
    let note = match columns.len() > SHOWN {
        true => {
            format!("{all} The {SHOWN} columns of {} that are kept best and worst.", columns.len())
        }
        false => all,
    };
    if columns.len() > SHOWN {
        columns.drain(SHOWN / 2..columns.len() - SHOWN / 2);
    }
    let left = MARGIN + columns.iter().map(|c| text_width(&c.0, 12.0)).fold(0.0, f64::max) + 12.0;
    let words = text_width(title, 17.0).max(text_width(&note, 12.0)) + 2.0 * MARGIN;
    let width = (left + WIDE + 66.0).max(words).ceil();
    let mut figure = Figure::new(width, TOP + columns.len() as f64 * LINE + MARGIN);
    figure.text((MARGIN, 32.0), 17.0, INK, Anchor::Start, title);
    figure.text((MARGIN, 53.0), 12.0, INK, Anchor::Start, &note);
    for (line, (name, share)) in columns.iter().enumerate() {
        let y = TOP + line as f64 * LINE;
        figure.text((left - 8.0, y + 13.0), 12.0, INK, Anchor::End, name);
        figure.rectangle([left, y + 4.0, WIDE, LINE - 10.0], GROUND);
        figure.rectangle([left, y + 4.0, WIDE * share.clamp(0.0, 1.0), LINE - 10.0], category(0));
        let said = format!("{:.0} %", 100.0 * share).replace('-', "−").replace("−0 %", "0 %");
        figure.text((left + WIDE + 8.0, y + 13.0), 12.0, INK, Anchor::Start, &said);
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_and_the_worst_of_many_are_shown() {
        let columns = (0..100).map(|k| (format!("c{k}"), f64::from(k) / 100.0)).collect();
        let svg = drawn(&Kept { squared_error: 0.1, share: 0.5, columns }, "t").to_svg("t");
        let has = |name: &str| svg.contains(&format!(">{name}<"));
        assert!(has("c0") && has("c99") && !has("c50") && svg.contains("50 % of all variance"));
    }
}
