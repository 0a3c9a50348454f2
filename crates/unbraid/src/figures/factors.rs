//! The figure of codes against factors: a row a code, a column a factor, the mean code in each cell.

use unbraid_measure::representation::Representation;

use super::{Command, Drawing, Entry, Section};
use crate::draw::figure::{
    Anchor, Colour, Extent, Figure, INK, PALE, Panel, category, diverging, text_width,
};
use crate::error::{Error, Result};
use crate::evaluate::latents::{Latent, by_importance};
use crate::evaluate::response::{Map, Point, Responses};

/// How many codes and how many curves a figure shows at most.
const ROWS: usize = 10;
const COLUMNS: usize = 8;

/// The size of a cell; a map is a square of its height.
const WIDTH: f64 = 180.0;
const HEIGHT: f64 = 104.0;
const GAP: f64 = 20.0;
/// Left of the cells: names of the codes, and numbers of the vertical axis.
const NAMES: f64 = 92.0;
const NUMBERS: f64 = 40.0;
/// Above the cells: title, explanation, legend, names of the factors.
const TOP: f64 = 130.0;
const MARGIN: f64 = 18.0;

/// Everything that is drawn, in the order in which it is read.
struct Content<'a> {
    responses: Responses<'a>,
    rows: Vec<Row>,
    /// One scale for every code, so that a code which moves little is seen to.
    scale: Extent,
}

/// One code.
struct Row {
    latent: Latent,
    map: Option<Map>,
    /// Per factor, per shape.
    cells: Vec<Vec<Vec<Point>>>,
}

/// How codes answer to factors.
pub const FIGURE: Entry = Entry {
    files: &[("factors.svg", "the mean code over each factor")],
    command: Command::Traverse,
    section: Section::Factors,
    caption: "The mean of each code over each true factor. The band is one standard deviation: what all \
              other factors do to the code. A steep curve in a narrow band is a code that follows this \
              factor and no other.",
    possible: |subject| !subject.data.factors().is_empty(),
    draw: |subject| {
        let title = subject.title("each code against each factor");
        Ok(vec![Drawing::Figure(draw(subject.codes.get()?, &title)?, title)])
    },
};

/// Draw how the codes answer to the factors.
pub fn draw(codes: &Representation, title: &str) -> Result<Figure> {
    let mut responses = Responses::new(codes);
    if responses.curved.is_empty() && responses.places.is_none() {
        let reason = "no true factor of these data is known or varies, so codes cannot be drawn \
                      against any";
        return Err(Error::Unable(reason.into()));
    }
    let all = responses.curved.len();
    responses.curved.truncate(COLUMNS);
    let latents = by_importance(codes);
    let active = latents.iter().filter(|latent| !latent.is_dead()).count();
    // Where every code is dead, that is what there is to see.
    let shown = if active == 0 { latents.len() } else { active };
    let row = |latent: &Latent| Row {
        latent: *latent,
        map: responses.map(latent.index),
        cells: responses.curved.iter().map(|&k| responses.curves(latent.index, k)).collect(),
    };
    let rows: Vec<Row> = latents.iter().take(shown.min(ROWS)).map(row).collect();
    let scale = scale(&rows);
    let note = [
        (active == 0).then(|| "no code is active".to_string()),
        (shown > rows.len()).then(|| format!("{} of {shown} codes", rows.len())),
        (all > COLUMNS).then(|| format!("{COLUMNS} of {all} factors")),
    ];
    let note: Vec<String> = note.into_iter().flatten().collect();
    let content = Content { responses, rows, scale };
    Ok(content.draw(title, &note.join(", ")))
}

/// From the lowest to the highest number that is drawn; around 0 where codes have both signs, so
/// that 0 has the middle colour of a map.
fn scale(rows: &[Row]) -> Extent {
    let points = rows.iter().flat_map(|row| row.cells.iter().flatten().flatten());
    let bands =
        points.flat_map(|point| [point.mean - point.deviation, point.mean + point.deviation]);
    let maps =
        rows.iter().filter_map(|row| row.map.as_ref()).flat_map(|map| map.means.iter().copied());
    let extent = Extent::of(bands.chain(maps).map(f64::from));
    if extent.low >= 0.0 || extent.high <= 0.0 {
        return extent;
    }
    let end = extent.high.max(-extent.low);
    Extent { low: -end, high: end }
}

impl Content<'_> {
    fn draw(&self, title: &str, note: &str) -> Figure {
        let heading = "The mean code over the values of each factor; a band is one standard deviation of \
                       the rows to each side.";
        let heading = match note {
            "" => heading.to_string(),
            note => format!("{heading} Shown: {note}."),
        };
        let words = |text: &str, size: f64| MARGIN + text_width(text, size) + MARGIN;
        let right = self.left_of_curve(self.responses.curved.len()) - GAP + MARGIN;
        let width = right.max(words(title, 17.0)).max(words(&heading, 12.0)).ceil();
        let height = TOP + self.rows.len() as f64 * (HEIGHT + GAP) + MARGIN;
        let mut figure = Figure::new(width, height);
        figure.text((MARGIN, 32.0), 17.0, INK, Anchor::Start, title);
        figure.text((MARGIN, 53.0), 12.0, INK, Anchor::Start, &heading);
        self.legend(&mut figure);
        self.headings(&mut figure);
        for (place, row) in self.rows.iter().enumerate() {
            self.row(&mut figure, row, TOP + place as f64 * (HEIGHT + GAP));
        }
        figure
    }

    /// Where the curves of a column begin.
    fn left_of_curve(&self, column: usize) -> f64 {
        let map = if self.responses.places.is_some() { HEIGHT + GAP } else { 0.0 };
        MARGIN + NAMES + map + NUMBERS + column as f64 * (WIDTH + GAP)
    }

    /// What the colours mean: of the map, then of the curves.
    fn legend(&self, figure: &mut Figure) {
        let (mut x, y) = (MARGIN, 80.0);
        let word = |figure: &mut Figure, x: &mut f64, text: &str| {
            figure.text((*x, y), 12.0, INK, Anchor::Start, text);
            *x += text_width(text, 12.0) + 6.0;
        };
        if self.responses.places.is_some() {
            word(figure, &mut x, &format!("map: code {:.1}", self.scale.low));
            for step in 0..40 {
                let place = [x + f64::from(step) * 2.0, y - 10.0, 2.2, 12.0];
                figure.rectangle(place, diverging((f64::from(step) + 0.5) / 40.0));
            }
            x += 86.0;
            word(figure, &mut x, &format!("{:.1}", self.scale.high));
            x += 24.0;
        }
        let Some(shape) = self.responses.shape else { return };
        for (kind, value) in self.responses.shapes().iter().enumerate() {
            figure.line(&[(x, y - 4.0), (x + 22.0, y - 4.0)], category(kind), 3.0);
            x += 28.0;
            let called = self.responses.called(shape, *value);
            word(figure, &mut x, &format!("{} {called}", self.responses.name(shape)));
            x += 14.0;
        }
    }

    fn headings(&self, figure: &mut Figure) {
        let y = TOP - 10.0;
        let name = |factor: usize| self.responses.name(factor);
        if let Some((across, down)) = self.responses.places {
            let middle = MARGIN + NAMES + HEIGHT / 2.0;
            let text = format!("{} →, {} ↓", name(across), name(down));
            figure.text((middle, y), 12.0, INK, Anchor::Middle, &text);
        }
        for (column, &factor) in self.responses.curved.iter().enumerate() {
            let middle = self.left_of_curve(column) + WIDTH / 2.0;
            figure.text((middle, y), 13.0, INK, Anchor::Middle, name(factor));
        }
    }

    /// Below the lowest panel of a factor: its values, by their names where they have some.
    fn label_x(&self, figure: &mut Figure, panel: &Panel, factor: usize, curves: &[Vec<Point>]) {
        if !self.responses.has_words(factor) {
            return panel.label_x(figure);
        }
        let mut values: Vec<f32> = curves.iter().flatten().map(|point| point.value).collect();
        values.sort_by(f32::total_cmp);
        values.dedup();
        let [_, top, width, height] = panel.place;
        let room = width / values.len() as f64 + if values.len() < 4 { GAP / 2.0 } else { -2.0 };
        // So many words are no words any more.
        if room < 16.0 {
            return panel.label_x(figure);
        }
        for value in values {
            let (x, _) = panel.at((f64::from(value), panel.y.low));
            let word = cut(&self.responses.called(factor, value), 11.0, room);
            figure.text((x, top + height + 15.0), 11.0, INK, Anchor::Middle, &word);
        }
    }

    fn row(&self, figure: &mut Figure, row: &Row, top: f64) {
        let ink = if row.latent.is_dead() { PALE } else { INK };
        let middle = top + HEIGHT / 2.0;
        let name = format!("z{}", row.latent.index);
        figure.text((MARGIN, middle - 2.0), 17.0, ink, Anchor::Start, &name);
        figure.text((MARGIN, middle + 16.0), 12.0, ink, Anchor::Start, &row.latent.amount());
        if let Some(map) = &row.map {
            map_cells(figure, map, [MARGIN + NAMES, top, HEIGHT, HEIGHT], self.scale);
        }
        let last = self.rows.last().is_some_and(|last| last.latent == row.latent);
        for (column, curves) in row.cells.iter().enumerate() {
            let values = curves.iter().flatten().map(|point| f64::from(point.value));
            let panel = Panel {
                place: [self.left_of_curve(column), top, WIDTH, HEIGHT],
                x: Extent::of(values).padded(0.02),
                y: self.scale,
            };
            panel.frame(figure);
            if column == 0 {
                panel.label_y(figure);
            }
            if last {
                self.label_x(figure, &panel, self.responses.curved[column], curves);
            }
            curves_in(figure, &panel, curves);
        }
    }
}

/// As much of a word as has room.
fn cut(word: &str, size: f64, room: f64) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let wide = |letters: &[char]| text_width(&letters.iter().collect::<String>(), size);
    if wide(&letters) <= room {
        return word.into();
    }
    while letters.len() > 1 && wide(&letters) > room {
        letters.pop();
    }
    letters.pop();
    letters.into_iter().chain(['…']).collect()
}

/// The bands first: no band may cover a curve.
fn curves_in(figure: &mut Figure, panel: &Panel, curves: &[Vec<Point>]) {
    let colours = || curves.iter().enumerate().map(|(kind, curve)| (category(kind), curve));
    let place = |point: &Point| (f64::from(point.value), f64::from(point.mean));
    for (colour, curve) in colours() {
        let band = |point: &Point| {
            let ((x, mean), deviation) = (place(point), f64::from(point.deviation));
            (x, mean - deviation, mean + deviation)
        };
        panel.band(figure, &curve.iter().map(band).collect::<Vec<_>>(), colour);
    }
    for (colour, curve) in colours() {
        panel.curve(figure, &curve.iter().map(place).collect::<Vec<_>>(), colour, 1.8);
        if curve.len() <= 12 {
            for point in curve {
                figure.dot(panel.at(place(point)), 2.6, colour);
            }
        }
    }
}

/// As in the image: x grows to the right and y downwards.
fn map_cells(figure: &mut Figure, map: &Map, place: [f64; 4], scale: Extent) {
    const EMPTY: Colour = Colour(225, 226, 229);
    let [left, top, width, height] = place;
    figure.rectangle(place, EMPTY);
    let (down, across) = map.means.dim();
    let (cell_width, cell_height) = (width / across as f64, height / down as f64);
    for ((y, x), mean) in map.means.indexed_iter().filter(|(_, mean)| mean.is_finite()) {
        let corner = (left + x as f64 * cell_width, top + y as f64 * cell_height);
        // A hair larger than its cell, or the ground would shine through between two.
        let cell = [corner.0, corner.1, cell_width + 0.3, cell_height + 0.3];
        figure.rectangle(cell, diverging(scale.share(f64::from(*mean))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};
    use unbraid_measure::factors::Factor;

    #[test]
    fn a_map_grows_to_the_right_and_down() {
        // Low everywhere but at the largest x and the largest y.
        let map = Map { means: array![[-1.0, -1.0], [-1.0, 1.0]] };
        let mut figure = Figure::new(100.0, 100.0);
        map_cells(&mut figure, &map, [0.0, 0.0, 100.0, 100.0], Extent { low: -1.0, high: 1.0 });
        let svg = figure.to_svg("");
        let high = svg.lines().find(|line| line.contains(&diverging(1.0).to_string())).unwrap();
        assert!(high.starts_with(r#"<rect x="50.00" y="50.00""#), "{high}");
    }

    fn codes(names: [&str; 2], kl: [f64; 3]) -> Representation<'static> {
        let values = Array2::from_shape_fn((9, 2), |(row, k)| [row / 3, row % 3][k] as f32);
        let codes = Array2::from_shape_fn((9, 3), |(row, k)| values[[row, k % 2]] - 1.0);
        let factors = names.map(|name| Factor::discrete(name, [0.0, 1.0, 2.0])).to_vec();
        let mut codes = Representation::new(codes, values, factors).unwrap();
        codes.readings.kl = Some(kl.to_vec());
        codes
    }

    #[test]
    fn active_codes_stand_in_the_order_of_their_kl() {
        let svg = draw(&codes(["a", "b"], [0.5, 0.001, 2.0]), "title").unwrap().to_svg("title");
        let at = |text: &str| svg.find(&format!(">{text}</text>"));
        assert!(at("z2").unwrap() < at("z0").unwrap());
        assert_eq!(at("z1"), None, "a dead code is left out");
        assert!(at("KL 2.00").is_some() && at("a").is_some() && at("b").is_some());
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn where_every_code_is_dead_they_are_drawn_all_the_same() {
        let svg = draw(&codes(["x", "y"], [0.0; 3]), "t").unwrap().to_svg("t");
        assert!(svg.contains("no code is active") && svg.contains(">z2</text>"));
        assert!(svg.contains("x →, y ↓"));
    }

    #[test]
    fn words_stand_where_values_have_them_and_are_cut_where_there_is_no_room() {
        let mut codes = codes(["kind", "b"], [1.0; 3]);
        codes.factors[0].words = ["cup", "plate", "spoon"].map(String::from).to_vec();
        let svg = draw(&codes, "t").unwrap().to_svg("t");
        assert!(svg.contains(">plate</text>"), "{svg}");
        assert_eq!(cut("versicolor", 11.0, 30.0).chars().last(), Some('…'));
    }

    #[test]
    fn without_factors_it_is_refused() {
        let codes = Representation::new(array![[1.0], [2.0]], Array2::zeros((2, 0)), vec![]);
        let error = draw(&codes.unwrap(), "t").unwrap_err().to_string();
        assert!(error.contains("no true factor"), "{error}");
    }
}
