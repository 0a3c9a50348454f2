//! What each code moves, where observations are vectors: a panel for each code, a bar for each column, or a line where
//! numbers are many and have no names.

use ndarray::{Array2, Axis};
use unbraid_measure::data;

use super::{Command, Drawing, Entry, Section, Subject, no_decoder};
use crate::draw::figure::{
    Anchor, Extent, Figure, INK, PALE, Panel, category, ordered, text_width,
};
use crate::error::Result;
use crate::evaluate::latents::{Latent, by_importance};
use crate::evaluate::walk::values;

/// How many codes and columns are shown at most.
const CODES: usize = 8;
const COLUMNS: usize = 30;
/// The walk starts from so many rows; what is shown is their mean.
const ROWS: usize = 24;
/// Where a walk stops.
const STOPS: usize = 5;
/// More numbers without names are lines.
const BARS: usize = 40;

const LINE: f64 = 20.0;
const WIDTH: f64 = 150.0;
const GAP: f64 = 22.0;
const TOP: f64 = 104.0;
const MARGIN: f64 = 18.0;
/// A longer name is cut.
const LETTERS: usize = 28;

/// What each code moves.
pub const FIGURE: Entry = Entry {
    files: &[("moves.svg", "what each code moves of an observation")],
    command: Command::Traverse,
    section: Section::Codes,
    caption: "Each panel takes one code from low to high, and shows how far each column moves, as a mean over rows. \
              The length is in standard deviations of the column, the number in the units of the file. A code with one \
              long bar stands for one column, one with many for what these columns share.",
    possible: |subject| !subject.has_images() && subject.data.shape().size() > 1,
    draw: |subject| {
        let title = subject.title("what each code moves");
        Ok(vec![Drawing::Figure(draw(subject, &title)?, title)])
    },
};

/// One code from low to high.
struct Move {
    latent: Latent,
    /// What is decoded at each stop, a mean over rows, as a model sees it: `[stops, numbers]`.
    seen: Array2<f32>,
    /// The same in the units of the file.
    told: Array2<f32>,
}

fn draw(subject: &Subject, title: &str) -> Result<Figure> {
    let codes = subject.codes.get()?;
    let all = by_importance(codes);
    let active = all.iter().filter(|latent| !latent.is_dead()).count();
    let shown: Vec<Latent> = all.into_iter().take(active.clamp(1, CODES)).collect();
    let rows: Vec<usize> = (0..codes.rows()).step_by(codes.rows().div_ceil(ROWS)).collect();
    let moves =
        shown.iter().map(|latent| walked(subject, *latent, &rows)).collect::<Result<Vec<_>>>()?;
    let observed = data::rows(subject.data, 2000, &unbraid_measure::rng::Rng::new(subject.seed));
    let spread = data::observations(subject.data, &observed).std_axis(Axis(0), 0.0);
    let spread: Vec<f64> = spread.iter().map(|s| f64::from(s.max(1e-6))).collect();
    let note = match active {
        0 => "No code is active: the decoder hardly listens to any.".into(),
        active if active > CODES => format!("The {CODES} of {active} active codes that tell most."),
        _ => "Active codes, the one that tells most first.".to_string(),
    };
    let named = subject.data.about().names(spread.len()).is_some();
    Ok(match named || spread.len() <= BARS {
        true => bars(&moves, &spread, &subject.names(), [title, &note]),
        false => lines(&moves, [title, &note]),
    })
}

fn walked(subject: &Subject, latent: Latent, rows: &[usize]) -> Result<Move> {
    let codes = subject.codes.get()?;
    let stops: Vec<f32> = (0..STOPS).map(|k| k as f32 / (STOPS - 1) as f32).collect();
    let values = values(codes.codes.column(latent.index), subject.span, &stops);
    let mut sum = Array2::<f32>::zeros((STOPS, subject.data.shape().size()));
    for &row in rows {
        let from = codes.codes.row(row).to_vec();
        let mut to = codes.codes.select(Axis(0), &[row; STOPS]);
        to.column_mut(latent.index).assign(&ndarray::ArrayView1::from(&values));
        sum += &subject.learner.decode_changed(&from, to.view()).ok_or_else(no_decoder)?;
    }
    let seen = sum / rows.len() as f32;
    Ok(Move { latent, told: data::in_units(subject.data, seen.clone()), seen })
}

/// How far each number moves from the first stop to the last, in its standard deviations.
fn distance(of: &Move, spread: &[f64]) -> Vec<f64> {
    let far = |k: usize| f64::from(of.seen[[STOPS - 1, k]] - of.seen[[0, k]]) / spread[k];
    (0..spread.len()).map(far).collect()
}

/// The columns that some code moves most, in the order of the file.
fn moved_most(distances: &[Vec<f64>]) -> Vec<usize> {
    let most = |k: usize| distances.iter().map(|d| d[k].abs()).fold(0.0, f64::max);
    let mut columns: Vec<usize> = (0..distances.first().map_or(0, Vec::len)).collect();
    columns.sort_by(|a, b| most(*b).total_cmp(&most(*a)));
    columns.truncate(COLUMNS);
    columns.sort_unstable();
    columns
}

fn bars(moves: &[Move], spread: &[f64], names: &[String], [title, note]: [&str; 2]) -> Figure {
    let distances: Vec<Vec<f64>> = moves.iter().map(|one| distance(one, spread)).collect();
    let columns = moved_most(&distances);
    let cut = |name: &String| match name.chars().count() > LETTERS {
        true => name.chars().take(LETTERS - 1).chain(['…']).collect(),
        false => name.clone(),
    };
    let named: Vec<String> = columns.iter().map(|k| cut(&names[*k])).collect();
    let left = MARGIN + named.iter().map(|n| text_width(n, 12.0)).fold(0.0, f64::max) + 14.0;
    let note = match spread.len() - columns.len() {
        0 => note.to_string(),
        rest => {
            format!("{note} The {} columns that move most; {rest} are not shown.", columns.len())
        }
    };
    let right = left + moves.len() as f64 * (WIDTH + GAP);
    let words = text_width(title, 17.0).max(text_width(&note, 12.0)) + 2.0 * MARGIN;
    let bottom = TOP + columns.len() as f64 * LINE;
    let mut figure = Figure::new(right.max(words).ceil(), bottom + 34.0);
    figure.text((MARGIN, 32.0), 17.0, INK, Anchor::Start, title);
    figure.text((MARGIN, 53.0), 12.0, INK, Anchor::Start, &note);
    for (line, name) in named.iter().enumerate() {
        let y = TOP + (line as f64 + 0.5) * LINE + 4.0;
        figure.text((left - 10.0, y), 12.0, INK, Anchor::End, name);
    }
    let far =
        distances.iter().flat_map(|d| columns.iter().map(|k| d[*k].abs())).fold(0.5, f64::max);
    for (place, (one, distance)) in moves.iter().zip(&distances).enumerate() {
        let x = left + place as f64 * (WIDTH + GAP);
        let middle = x + WIDTH / 2.0;
        let head = format!("z{}   {}", one.latent.index, one.latent.amount());
        figure.text(
            (middle, TOP - 10.0),
            13.0,
            if one.latent.is_dead() { PALE } else { INK },
            Anchor::Middle,
            &head,
        );
        figure.line(&[(middle, TOP), (middle, bottom)], PALE, 1.0);
        // Room for the number at the end of the longest bar.
        let unit = (WIDTH / 2.0 - 42.0) / far;
        for (line, &column) in columns.iter().enumerate() {
            let (long, y) = (distance[column] * unit, TOP + line as f64 * LINE);
            let start = if long < 0.0 { middle + long } else { middle };
            let colour = category(usize::from(long < 0.0));
            figure.rectangle([start, y + 4.0, long.abs().max(0.5), LINE - 8.0], colour);
            // What hardly moves needs no number.
            if distance[column].abs() >= 0.1 * far.min(1.0) {
                let by = one.told[[STOPS - 1, column]] - one.told[[0, column]];
                let (at, end) = if long < 0.0 {
                    (start - 4.0, Anchor::End)
                } else {
                    (middle + long + 4.0, Anchor::Start)
                };
                let text = signed(by);
                figure.text((at, y + LINE / 2.0 + 4.0), 11.0, INK, end, &text);
            }
        }
        figure.text((middle, bottom + 18.0), 11.0, INK, Anchor::Middle, "− 0 +");
    }
    figure
}

/// A change with two digits that matter, at least.
fn signed(by: f32) -> String {
    let digits = match by.abs() {
        0.0 => 0,
        size => (1.0 - size.log10().floor()).clamp(0.0, 9.0) as usize,
    };
    format!("{by:+.digits$}").replace('-', "−")
}

/// Many numbers without names, such as a spectrum: a line for each stop.
fn lines(moves: &[Move], [title, note]: [&str; 2]) -> Figure {
    const WIDE: f64 = 560.0;
    const HIGH: f64 = 110.0;
    const LEFT: f64 = 150.0;
    let note = format!(
        "{note} From low (red) to high (violet), over the place of a number in the observation."
    );
    let words = text_width(title, 17.0).max(text_width(&note, 12.0)) + 2.0 * MARGIN;
    let height = TOP + moves.len() as f64 * (HIGH + GAP) + 24.0;
    let mut figure = Figure::new((LEFT + WIDE + MARGIN).max(words).ceil(), height);
    figure.text((MARGIN, 32.0), 17.0, INK, Anchor::Start, title);
    figure.text((MARGIN, 53.0), 12.0, INK, Anchor::Start, &note);
    let numbers = moves.iter().flat_map(|one| one.told.iter().copied().map(f64::from));
    let y = Extent::of(numbers).padded(0.04);
    for (place, one) in moves.iter().enumerate() {
        let top = TOP - 20.0 + place as f64 * (HIGH + GAP);
        let x = Extent { low: 0.0, high: (one.told.ncols() - 1) as f64 };
        let panel = Panel { place: [LEFT, top, WIDE, HIGH], x, y };
        panel.frame(&mut figure);
        panel.label_y(&mut figure);
        if place + 1 == moves.len() {
            panel.label_x(&mut figure);
        }
        figure.text(
            (MARGIN, top + HIGH / 2.0),
            17.0,
            INK,
            Anchor::Start,
            &format!("z{}", one.latent.index),
        );
        figure.text(
            (MARGIN, top + HIGH / 2.0 + 18.0),
            12.0,
            INK,
            Anchor::Start,
            &one.latent.amount(),
        );
        for (stop, row) in one.told.rows().into_iter().enumerate() {
            let points: Vec<_> =
                row.iter().enumerate().map(|(k, v)| (k as f64, f64::from(*v))).collect();
            panel.curve(&mut figure, &points, ordered(stop, STOPS), 1.6);
        }
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::latents::Importance;
    use ndarray::array;

    fn one() -> Move {
        let latent = Latent { index: 3, importance: Importance::Kl(2.0) };
        // The first number falls by two, the second stays.
        let seen = array![[1.0, 5.0], [0.5, 5.0], [0.0, 5.0], [-0.5, 5.0], [-1.0, 5.0]];
        Move { latent, told: &seen * 100.0, seen }
    }

    #[test]
    fn a_bar_says_how_far_in_the_units_of_the_file() {
        let names = ["pressure".to_string(), "flow <b>".into()];
        let svg = bars(&[one()], &[1.0, 1.0], &names, ["t", "n"]).to_svg("t");
        for part in [">−200<", ">pressure<", ">flow &lt;b&gt;<", ">z3   KL 2.00<"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert!(!svg.contains(">+0<"), "what stays has no number");
        assert_eq!([1101.4, 0.0031, -0.5].map(signed), ["+1101", "+0.0031", "−0.50"]);
        assert!(!lines(&[one()], ["t", "n"]).to_svg("t").contains("NaN"));
    }

    #[test]
    fn columns_that_move_are_shown_and_stay_in_their_order() {
        let mut far = vec![0.0; COLUMNS + 5];
        (far[2], far[34]) = (1.0, -2.0);
        let shown = moved_most(&[far]);
        assert!(shown.len() == COLUMNS && shown.contains(&2) && shown.contains(&34));
        assert!(shown.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
