//! What it found: each score with how to read it and what is published, or why there is none.

use serde_json::Value as Json;
use unbraid_measure::metrics::{self, Better, Reading};

use super::alone;
use super::html::{Align, Html, classed, code, element, number, prose, table, with};
use crate::draw::words::grouped;
use crate::report::published::{self, Published};
use crate::run::config::Config;
use crate::run::score;

/// So many warnings are shown at once.
const UNFOLDED: usize = 4;

pub(super) fn scores(config: &Config, document: &Json) -> Html {
    let all: Vec<Row> = list(&document["scores"]).map(|score| Row::of(config, score)).collect();
    let alone = alone::alone(&document["without_labels"]);
    if all.is_empty() && alone.is_nothing() {
        return Html::nothing();
    }
    let (found, missing): (Vec<Row>, Vec<Row>) = all.into_iter().partition(Row::has_value);
    let mut out = Html::nothing();
    if !found.is_empty() {
        out += score_table(&found) + sources(&found) + parts(&found);
    }
    if !missing.is_empty() {
        out += element("p", "Not computed, and why:");
        let item = |row: &Row| element("li", code(&row.title()) + ": " + prose(row.reason()));
        out += classed("ul", "notes", missing.iter().map(item).collect::<Html>());
    }
    out + alone + cautions(document)
}

/// What is known to mislead; a long list is folded away.
fn cautions(document: &Json) -> Html {
    let warnings: Vec<&str> = list(&document["warnings"]).filter_map(Json::as_str).collect();
    let items: Html = warnings.iter().map(|warning| element("li", prose(warning))).collect();
    let items = classed("ul", "notes", items);
    match warnings.len() {
        0 => Html::nothing(),
        count if count > UNFOLDED => {
            let said = format!("{count} things to keep in mind when reading the scores");
            element("details", element("summary", said) + items)
        }
        _ => element("p", "To keep in mind when reading the scores:") + items,
    }
}

fn list(value: &Json) -> impl Iterator<Item = &Json> {
    value.as_array().into_iter().flatten()
}

/// A score of the document, with what our registry and the papers say about it.
struct Row<'a> {
    score: &'a Json,
    /// None of a metric that this version does not know.
    reading: Option<Reading>,
    published: Option<Published>,
}

impl<'a> Row<'a> {
    fn of(config: &Config, score: &'a Json) -> Self {
        let name = score["metric"].as_str().unwrap_or_default();
        let reading = metrics::find(name).ok().map(metrics::Metric::reading);
        let (model, data) = (config.model_name(), config.data_name());
        // Papers score the means of the rows they train on, unless they say otherwise.
        let of_means = score["codes"].is_null();
        let published = published::find(model, data, name).filter(|_| of_means);
        Self { score, reading, published }
    }

    fn title(&self) -> String {
        score::title(self.score)
    }

    fn value(&self) -> Option<f64> {
        self.score["value"].as_f64()
    }

    fn has_value(&self) -> bool {
        self.value().is_some()
    }

    fn reason(&self) -> &str {
        self.score["reason"].as_str().unwrap_or("the value is no number")
    }

    /// How to read it, in the words of `unbraid score`.
    fn reading(&self) -> String {
        let written = || self.score["reading"].as_str().unwrap_or_default().to_string();
        self.reading.map_or_else(written, |reading| reading.to_string())
    }

    /// The value, and its interval below where there is one; pale where chance would do as well.
    fn value_cell(&self) -> Html {
        let value = match self.no_better_than_chance() {
            true => classed("span", "faded", number(self.value())),
            false => number(self.value()),
        };
        match ends(&self.score["interval"]) {
            Some([low, high]) => value + classed("span", "below", format!("{low:.3} to {high:.3}")),
            None => value,
        }
    }

    /// What codes that know nothing would score.
    fn chance_cell(&self) -> Html {
        let Some([low, high]) = ends(&self.score["null"]["interval"]) else {
            return Html::nothing();
        };
        let interval = on_phones("by chance ") + format!("{low:.3} to {high:.3}");
        match self.no_better_than_chance() {
            true => interval + classed("span", "below", "no better than this"),
            false => interval,
        }
    }

    fn no_better_than_chance(&self) -> bool {
        let (ends, value) = (ends(&self.score["null"]["interval"]), self.value());
        let (Some([low, high]), Some(value)) = (ends, value) else { return false };
        self.reading.is_some_and(|reading| match reading.better {
            Better::Higher => value <= high,
            Better::Lower => value >= low,
        })
    }

    /// The value on its range; nothing where that has no end.
    fn bar(&self) -> Html {
        let Some(reading) = self.reading.filter(|r| r.low.is_finite() && r.high.is_finite()) else {
            return Html::nothing();
        };
        let share = |value: f64| {
            let share = (value - reading.low) / (reading.high - reading.low);
            format!("{:.1}%", 100.0 * share.clamp(0.0, 1.0))
        };
        let length = format!("width:{}", share(self.value().unwrap_or(reading.low)));
        let fill = match reading.better {
            Better::Higher => "fill",
            // Another bar: a long one is bad, and must not look like success.
            Better::Lower => "fill less",
        };
        let mut inside = with("span", &[("class", &fill), ("style", &length)], "");
        if let Some(published) = self.published {
            let place = format!("left:{}", share(published.value));
            inside += with("span", &[("class", &"mark"), ("style", &place)], "");
        }
        classed("span", "bar", inside)
    }

    fn published_cell(&self) -> Html {
        self.published.map_or(Html::nothing(), |published| {
            on_phones("published ") + format!("{:.3} ± {:.3}", published.value, published.error)
        })
    }
}

/// What stands above the column, where a narrow screen has no columns.
fn on_phones(words: &str) -> Html {
    classed("span", "phone", words)
}

/// The two ends of an interval, if there is one.
fn ends(interval: &Json) -> Option<[f64; 2]> {
    Some([interval[0].as_f64()?, interval[1].as_f64()?])
}

fn score_table(rows: &[Row]) -> Html {
    let compared = rows.iter().any(|row| row.published.is_some());
    let chance = rows.iter().any(|row| row.score["null"].is_object());
    let mut columns = vec![("Metric", Align::Left), ("Value", Align::Right), ("", Align::Left)];
    if chance {
        columns.push(("By chance", Align::Right));
    }
    if compared {
        columns.push(("Published", Align::Right));
    }
    columns.push(("How to read it", Align::Left));
    let cells = |row: &Row| {
        let mut cells = vec![code(&row.title()), row.value_cell(), row.bar()];
        cells.extend(chance.then(|| row.chance_cell()));
        cells.extend(compared.then(|| row.published_cell()));
        cells.push(row.reading().into());
        cells
    };
    classed("div", "scores", table(&columns, rows.iter().map(cells)))
}

/// How many rows were scored, and where the published numbers stand.
fn sources(rows: &[Row]) -> Html {
    let mut notes = Vec::new();
    if let Some(scored) = rows.iter().find_map(|row| row.score["rows"].as_u64()) {
        notes.push(format!("Scored on {} rows.", grouped(scored)));
    }
    let mut named: Vec<&str> =
        rows.iter().filter_map(|row| row.published).map(|p| p.source).collect();
    named.dedup();
    if !named.is_empty() {
        notes.push(format!(
            "Published, with the standard error, and the upright mark on the bar: {}. How it was \
             computed there can differ from here in what the paper does not say.",
            named.join("; ")
        ));
    }
    classed("p", "small", notes.join(" "))
}

/// The further numbers of the metrics, folded away.
fn parts(rows: &[Row]) -> Html {
    let mut cells = Vec::new();
    for row in rows {
        for (name, value) in row.score["parts"].as_object().into_iter().flatten() {
            cells.push(vec![code(&row.title()), name.as_str().into(), number(value.as_f64())]);
        }
    }
    if cells.is_empty() {
        return Html::nothing();
    }
    let columns = [("Metric", Align::Left), ("Part", Align::Left), ("Value", Align::Right)];
    element("details", element("summary", "The parts of each score") + table(&columns, cells))
}
