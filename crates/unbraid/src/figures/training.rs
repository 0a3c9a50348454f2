//! The figure of a training: the terms of the loss and what each latent tells, step by step.

use serde_json::{Map, Value as Json};

use super::{Command, Drawing, Entry, Section};
use crate::draw::figure::{Anchor, Colour, Extent, Figure, INK, PALE, Panel, category, ordered};
use crate::model::learner::ACTIVE;

mod found;
mod layers;

/// A line has at most this many points; longer logs are averaged, which also calms them.
const POINTS: usize = 400;
/// The first steps are far from all others: they do not set the scale of a term.
const WARM_UP: f64 = 0.05;
/// How many latents are named beside their lines.
const NAMED: usize = 20;

const ACROSS: usize = 3;
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 170.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 72.0;
/// From one row of panels to the next: the numbers of one, the name of the next.
const DOWN: f64 = HEIGHT + 62.0;
/// The width of a panel with a legend beside it.
const WIDE: f64 = ACROSS as f64 * (LEFT + WIDTH) - LEFT - 110.0;
const TOTAL: f64 = ACROSS as f64 * (LEFT + WIDTH) + 18.0;

/// The log as curves.
pub const FIGURE: Entry = Entry {
    files: &[("training.svg", "the terms of the loss over the steps")],
    command: Command::Train,
    section: Section::Training,
    caption: "The terms of the loss over the steps, each on a scale of its own.",
    possible: |subject| !subject.log.is_empty(),
    draw: |subject| Ok(drawn(subject.log, subject.names).into_iter().collect()),
};

/// The log of a run of this model on these data; nothing if it has no rows.
pub fn drawn(log: &[Map<String, Json>], [model, data]: [&str; 2]) -> Option<Drawing> {
    let title = format!("{model} on {data}: the terms of the loss, step by step");
    Some(Drawing::Figure(draw(log, &title)?, title))
}

/// The log, column by column.
struct Log {
    steps: Vec<f64>,
    /// By name, in the order of the log; no number where a row has none.
    terms: Vec<(String, Vec<f64>)>,
}

/// Draw the log of a run; nothing if it has no rows, as that of a baseline.
pub fn draw(rows: &[Map<String, Json>], title: &str) -> Option<Figure> {
    let log = Log::of(rows).averaged(POINTS);
    (!log.steps.is_empty()).then(|| figure(&log, title))
}

impl Log {
    fn of(rows: &[Map<String, Json>]) -> Self {
        let number = |row: &Map<String, Json>, name: &str| {
            row.get(name).and_then(Json::as_f64).unwrap_or(f64::NAN)
        };
        // Some rows say more than the first.
        let mut names: Vec<&String> = Vec::new();
        for name in rows.iter().flat_map(Map::keys).filter(|name| *name != "step") {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let column = |name: &str| rows.iter().map(|row| number(row, name)).collect();
        let terms = names.into_iter().map(|name| (name.clone(), column(name))).collect();
        Self { steps: column("step"), terms }
    }

    /// With at most so many rows: each the mean of its neighbours.
    fn averaged(self, most: usize) -> Self {
        let size = self.steps.len().div_ceil(most).max(1);
        let average = |column: Vec<f64>| -> Vec<f64> {
            column
                .chunks(size)
                .map(|chunk| {
                    let known = chunk.iter().filter(|number| number.is_finite());
                    known.clone().sum::<f64>() / known.count() as f64
                })
                .collect()
        };
        let terms = self.terms.into_iter().map(|(name, column)| (name, average(column))).collect();
        Self { steps: average(self.steps), terms }
    }

    /// The terms of the loss: those that are not of a single latent.
    fn whole(&self) -> Vec<&(String, Vec<f64>)> {
        let whole = |name: &str| !name.contains('/') && !["active_units", "found"].contains(&name);
        self.terms.iter().filter(|(name, _)| whole(name)).collect()
    }

    fn active_units(&self) -> Option<&[f64]> {
        self.terms.iter().find(|(name, _)| name == "active_units").map(|(_, column)| &column[..])
    }

    /// The KL of each latent, the one that tells most in the end first.
    fn latents<'a>(&'a self) -> Vec<(usize, &'a [f64])> {
        let latent = |(name, column): &'a (String, Vec<f64>)| {
            Some((name.strip_prefix("kl/")?.parse().ok()?, &column[..]))
        };
        let mut latents: Vec<(usize, &[f64])> = self.terms.iter().filter_map(latent).collect();
        latents.sort_by(|a, b| last(b.1).total_cmp(&last(a.1)));
        latents
    }

    fn points(&self, column: &[f64]) -> Vec<(f64, f64)> {
        let pairs = self.steps.iter().copied().zip(column.iter().copied());
        pairs.filter(|(_, number)| number.is_finite()).collect()
    }

    fn x(&self) -> Extent {
        Extent { low: 0.0, high: last(&self.steps).max(1.0) }
    }
}

fn last(column: &[f64]) -> f64 {
    column.last().copied().unwrap_or(0.0)
}

fn figure(log: &Log, title: &str) -> Figure {
    let terms = log.whole();
    let latents = log.latents();
    let rows = terms.len().div_ceil(ACROSS);
    let below = TOP + rows as f64 * DOWN;
    let height = if latents.is_empty() { below } else { below + 2.0 * DOWN - 20.0 };
    let layered = height + found::height(log);
    let height_of_all = layered + layers::height(log);
    let mut figure = Figure::new(TOTAL, height_of_all - 14.0);
    figure.text((18.0, 32.0), 17.0, INK, Anchor::Start, title);
    for (place, named) in terms.into_iter().enumerate() {
        let left = LEFT + (place % ACROSS) as f64 * (LEFT + WIDTH);
        let top = TOP + (place / ACROSS) as f64 * DOWN;
        let colour = if named.0 == "loss" { INK } else { category(place) };
        term(&mut figure, log, named, [left, top, WIDTH, HEIGHT], colour);
    }
    if !latents.is_empty() {
        kl_of_latents(&mut figure, log, &latents, below);
        active(&mut figure, log, latents.len(), below + DOWN + 40.0);
    }
    found::draw(&mut figure, log, height);
    layers::draw(&mut figure, log, layered);
    figure
}

/// One term with a scale of its own: terms differ by orders of magnitude.
fn term(
    figure: &mut Figure,
    log: &Log,
    (name, column): &(String, Vec<f64>),
    place: [f64; 4],
    colour: Colour,
) {
    let points = log.points(column);
    let late = points.iter().filter(|(step, _)| *step > WARM_UP * log.x().high);
    let late: Vec<f64> = late.map(|(_, number)| *number).collect();
    let panel = Panel { place, x: log.x(), y: Extent::of(late).padded(0.06) };
    heading(figure, &panel, name);
    panel.inside(figure, |figure| panel.curve(figure, &points, colour, 1.6));
}

/// Grid, numbers and name of a panel.
fn heading(figure: &mut Figure, panel: &Panel, name: &str) {
    let [left, top, ..] = panel.place;
    panel.frame(figure);
    panel.label_x(figure);
    panel.label_y(figure);
    figure.text((left, top - 9.0), 13.0, INK, Anchor::Start, name);
}

/// A line per latent, coloured by its place in the end; the dead ones are pale and drawn first.
fn kl_of_latents(figure: &mut Figure, log: &Log, latents: &[(usize, &[f64])], top: f64) {
    let numbers = latents.iter().flat_map(|(_, column)| column.iter().copied());
    let highest = Extent::of(numbers).high.max(f64::from(ACTIVE));
    let place = [LEFT, top, WIDE, HEIGHT + 40.0];
    let panel = Panel { place, x: log.x(), y: Extent { low: 0.0, high: highest * 1.04 } };
    heading(figure, &panel, "KL of each latent, in nats");
    let is_dead = |column: &[f64]| last(column) < f64::from(ACTIVE);
    let active = latents.iter().filter(|(_, column)| !is_dead(column)).count();
    let colour = |rank: usize| if rank < active { ordered(rank, active) } else { PALE };
    for (rank, (_, column)) in latents.iter().enumerate().rev() {
        let points = log.points(column);
        panel.inside(figure, |figure| panel.curve(figure, &points, colour(rank), 1.8));
    }
    let lines = latents.len().min(NAMED);
    let pitch = (place[3] / lines as f64).min(19.0);
    for (rank, (latent, column)) in latents.iter().take(lines).enumerate() {
        let (x, y) = (LEFT + WIDE + 18.0, top + (rank as f64 + 0.7) * pitch);
        let ink = if is_dead(column) { PALE } else { INK };
        figure.line(&[(x, y - 4.0), (x + 22.0, y - 4.0)], colour(rank), 3.0);
        let text = match is_dead(column) {
            true => format!("z{latent}  < {ACTIVE}"),
            false => format!("z{latent}  {:.2}", last(column)),
        };
        figure.text((x + 30.0, y), pitch.min(12.0), ink, Anchor::Start, &text);
    }
}

/// How many latents tell more than nothing.
fn active(figure: &mut Figure, log: &Log, latents: usize, top: f64) {
    let Some(column) = log.active_units() else { return };
    let place = [LEFT, top, WIDE, HEIGHT / 2.0];
    let y = Extent { low: 0.0, high: latents as f64 * 1.06 };
    let panel = Panel { place, x: log.x(), y };
    heading(figure, &panel, &format!("active latents of {latents}: KL above {ACTIVE}"));
    panel.inside(figure, |figure| panel.curve(figure, &log.points(column), INK, 1.8));
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "\
{\"step\":1,\"loss\":700.5,\"kl\":0.5,\"active_units\":2,\"kl/0\":0.2,\"kl/1\":0.3}
{\"step\":50,\"loss\":40.0,\"kl\":1.0,\"active_units\":1,\"kl/0\":0.001,\"kl/1\":1.0}
{\"step\":100,\"loss\":30.0,\"kl\":2.0,\"active_units\":1,\"kl/0\":0.001,\"kl/1\":2.0}
";

    fn rows(text: &str) -> Vec<Map<String, Json>> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn the_log_is_read_by_column() {
        let log = Log::of(&rows(ROWS));
        assert_eq!(log.steps, [1.0, 50.0, 100.0]);
        let names: Vec<&str> = log.whole().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["loss", "kl"]);
        assert_eq!(log.active_units(), Some(&[2.0, 1.0, 1.0][..]));
        let order: Vec<usize> = log.latents().iter().map(|(latent, _)| *latent).collect();
        assert_eq!(order, [1, 0], "the one that tells most in the end is first");
    }

    #[test]
    fn a_long_log_is_averaged() {
        let row = |step: usize| format!("{{\"step\":{step},\"loss\":{}}}\n", step % 2);
        let log = Log::of(&rows(&(1..=999).map(row).collect::<String>())).averaged(400);
        assert_eq!(log.steps.len(), 333);
        assert_eq!(log.steps[0], 2.0);
        assert!(log.terms[0].1.iter().all(|loss| (0.3..0.7).contains(loss)));
    }

    #[test]
    fn the_figure_names_every_term_and_latent() {
        let svg = figure(&Log::of(&rows(ROWS)), "a run").to_svg("a run");
        for text in [
            "a run",
            "loss",
            "kl",
            "z1  2.00",
            "z0  &lt; 0.01",
            "active latents of 2: KL above 0.01",
        ] {
            assert!(svg.contains(&format!(">{text}</text>")), "{text} is missing");
        }
        assert!(!svg.contains("NaN"));
        let layered = ROWS.replace("\"kl/0\"", "\"layer/1/kl\":0.5,\"layer/1/active\":1,\"kl/0\"");
        let layered = figure(&Log::of(&rows(&layered)), "t").to_svg("t");
        assert!(
            layered.contains(">KL of each layer, in nats</text>") && !svg.contains("of each layer")
        );
        assert!(layered.contains(">layer 1  0.5</text>"), "{layered}");
        let plain = figure(&Log::of(&rows("{\"step\":1,\"loss\":2.5}")), "t").to_svg("t");
        assert!(plain.contains(">loss</text>") && !plain.contains("KL of each"));
        assert!(!plain.contains("NaN"), "{plain}");
    }

    #[test]
    fn what_only_some_rows_say_has_a_line_of_its_own() {
        let found = "{\"step\":1,\"loss\":3.0}\n{\"step\":2,\"loss\":2.0,\"found\":0.5,\"found/ball-x\":0.5}\n";
        let log = Log::of(&rows(found));
        assert_eq!(log.points(&log.terms[2].1), [(2.0, 0.5)]);
        let svg = figure(&log, "t").to_svg("t");
        assert!(svg.contains(">ball-x  0.50</text>") && !svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn without_rows_there_is_no_figure() {
        assert!(draw(&[], "t").is_none());
    }
}
