//! Variants of any data set: other sizes, fewer values, held-out combinations, correlated factors,
//! parts to train and to test on. Asked for in `[data.variant]`, opened by [`super::open`].

use serde::{Deserialize, Serialize};
use toml::Table;

use crate::data::{Dataset, Opened, Shape};
use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::info::Info;
use crate::settings;

pub mod binarized;
mod conditions;
mod correlated;
mod resample;
mod rows;
mod transitions;
mod view;

use conditions::Condition;
use correlated::Correlation;
use resample::Resample;
use rows::Rows;
use view::View;

/// What `unbraid show data-variants` prints.
pub const INFO: Info = Info {
    name: "data-variants",
    title: "Variants of data",
    summary: "smaller pictures, fewer values, held-out combinations, parts: of any data set",
    paper: "",
    page: PAGE,
};

const PAGE: &str = "\
Variants of any data set: smaller pictures, fewer values, combinations kept for a test, correlated
factors, parts to train and to test on. Ask for one with a section of its own in a configuration:

```toml
[data]
name = \"dsprites\"

[data.variant]
size = 32                              # 32x32 pixels
keep = { posX = \"0..0.5\", shape = [1, 2] }  # squares and ellipses on the left
fix = { scale = 1 }                    # one size; scale is a factor no more
hide = [\"orientation\"]                 # varies, but nobody is told
```

Which values a factor has is on the page of the data set. A value may be given with fewer digits; a
range \"0..0.5\" has both ends, and either end may be left out.

| key         | default         | meaning                                                          |
| ----------- | --------------- | ---------------------------------------------------------------- |
| size        | 0               | pixels of the shorter side; 0 leaves images as they are          |
| keep        | {}              | rows whose factors have one of these values: list, number, range |
| fix         | {}              | rows with this value; the factor is dropped                      |
| hide        | []              | factors that are neither measured nor told, but still vary       |
| only        | []              | factors that are measured and told; all others are hidden        |
| without     | []              | combinations to hold out, each { factor = values, ... }          |
| take        | \"rest\"          | \"rest\" has all other rows, \"held-out\" those held out alone       |
| correlate   | []              | pairs of factors, { factors = [\"a\", \"b\"], sigma = 0.2 }          |
| part        | \"all\"           | \"train\", \"validation\" or \"test\", split at random               |
| fractions   | [0.8, 0.1, 0.1] | how much of the rows is train, validation and test               |
| seed        | 0               | of the split and of the correlated draws                         |
| transitions | {}              | pairs of rows a step apart, with the action between them         |

Smaller images are means over areas, larger ones are interpolated. Black and white becomes grey.

Train on everything but small hearts on the right, then test on nothing else:

```toml
[data.variant]
without = [{ shape = 3, scale = \"..0.6\", posX = \"0.5..\" }]
take = \"held-out\"      # for the test; leave it out for training
```

Correlated factors follow p(a, b) ~ exp(-(a - b)^2 / (2 sigma^2)), with both factors scaled to 0..1.
The two positions of dsprites have a correlation of 0.94 at sigma = 0.1, 0.78 at 0.2, 0.42 at 0.4
and 0.17 at 0.7. Rows are then drawn, as many as there are combinations, so some occur twice and
some never. This needs data that have every combination once and cannot be joined with `without` or
`part`; a factor can be in one pair only.

Parts do not overlap and are the same on every machine. A row belongs to the same part whatever
else is asked for. If a column of your own data says which part a row is in, use `fix` instead:
`fix = { split = 0 }` has the rows with 0 in that column, and the column is no factor.

Actions on images: `transitions` makes pairs of rows that differ in one factor, by one step along
its values, as CT-VAE learns from. The action \"scale+\" leads from row 2k to row 2k + 1, \"scale-\"
back. An image is in several pairs, so it counts more than once in scores of such rows.

```toml
[data]
name = \"dsprites\"

[data.variant]
transitions = { part = \"train\" }
```

Name at least one of these:
- contexts, 1000: so many times, for every step of every factor, the other factors are drawn at
  random; each pair is there once.
- balanced, false: a factor with many values has many steps, and so most of the pairs. true has the
  same number of pairs for each factor.
- wrap, []: the factors that are cyclic, so that the first value comes after the last, as
  [\"azimuth\"]. Not the orientation of dsprites: its last angle is its first.
- part, \"all\": \"train\", \"validation\" or \"test\" splits the images 70/15/15; a pair with an image
  in another part is dropped. It is another split than that of `variant.part`, and `seed` moves it:
  keep the seed equal between a run and what it is tested on.
- seed, 0: of the draws and the split.

Good to know:
- Models that learn from pairs need every combination, so they take `size`, `keep` and `fix`, but
  not `hide`, `without`, `correlate` or `part`.
- Models that are shown one factor at a time take all but `correlate`: what is hidden stays too.
- Models that learn from the steps of a sequence need all rows, so they take `size` and `hide` only.
- `transitions` need every combination of the factors, so they take `size`, `keep` and `fix`.
- The true graph is over all factors; it is gone if one of them is fixed or hidden.";

/// The largest side that images are made.
const LARGEST: usize = 4096;

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Settings {
    size: usize,
    keep: Table,
    fix: Table,
    hide: Vec<String>,
    only: Vec<String>,
    without: Vec<Table>,
    take: Take,
    correlate: Vec<Correlation>,
    part: Part,
    fractions: [f64; 3],
    seed: u64,
    /// Empty for none.
    transitions: Table,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Take {
    #[default]
    Rest,
    HeldOut,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Part {
    #[default]
    All,
    Train,
    #[serde(alias = "val")]
    Validation,
    Test,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            size: 0,
            keep: Table::new(),
            fix: Table::new(),
            hide: Vec::new(),
            only: Vec::new(),
            without: Vec::new(),
            take: Take::Rest,
            correlate: Vec::new(),
            part: Part::All,
            fractions: [0.8, 0.1, 0.1],
            seed: 0,
            transitions: Table::new(),
        }
    }
}

/// The variant of a data set that `[data.variant]` asks for, and that section with every default
/// spelled out.
pub(super) fn of(base: Box<dyn Dataset>, given: &Table) -> Result<Opened> {
    let mut settings: Settings = settings::parse("data.variant", given)?;
    let resample = resampled(base.shape(), settings.size)?;
    let factors = base.factors();
    let hidden = hidden(&settings, factors)?;
    let mut restrictions = conditions::read("data.variant.fix", &settings.fix, factors)?;
    let fixed = fixed(&settings, factors, &restrictions)?;
    restrictions.extend(conditions::read("data.variant.keep", &settings.keep, factors)?);
    let rows = rows::choose(&*base, &settings, &restrictions)?;

    let dropped =
        |column: &usize| hidden.contains(column) || fixed.iter().any(|(fixed, _)| fixed == column);
    let columns: Vec<usize> = (0..factors.len()).filter(|column| !dropped(column)).collect();
    let occurring = match &rows {
        Rows::These(rows) => occurring(&*base, rows),
        _ => rows::restricted(factors, &restrictions),
    };
    let complete = hidden.is_empty()
        && settings.without.is_empty()
        && settings.part == Part::All
        && settings.correlate.is_empty();
    let view = View {
        factors: columns.iter().map(|&column| occurring[column].clone()).collect(),
        columns,
        fixed,
        hides: !hidden.is_empty(),
        complete,
        rows,
        resample,
        base,
    };
    if settings.transitions.is_empty() {
        return Ok((Box::new(view), settings::to_table(&settings)));
    }
    let (pairs, asked) = transitions::of(view, &settings.transitions)?;
    settings.transitions = asked;
    Ok((Box::new(pairs), settings::to_table(&settings)))
}

/// The columns that nobody is told of.
fn hidden(settings: &Settings, factors: &[Factor]) -> Result<Vec<usize>> {
    let columns = |key: &str, names: &[String]| -> Result<Vec<usize>> {
        names.iter().map(|name| conditions::column(key, name, factors)).collect()
    };
    let hidden = columns("data.variant.hide", &settings.hide)?;
    let only = columns("data.variant.only", &settings.only)?;
    match (hidden.is_empty(), only.is_empty()) {
        (_, true) => Ok(hidden),
        (false, false) => {
            let reason =
                "cannot be joined with `data.variant.hide`; name the factors in one of them";
            Err(Error::setting("data.variant.only", reason))
        }
        (true, false) => Ok((0..factors.len()).filter(|column| !only.contains(column)).collect()),
    }
}

fn resampled(shape: Shape, size: usize) -> Result<Option<Resample>> {
    let key = "data.variant.size";
    match size {
        0 => Ok(None),
        _ if shape.is_vector() => {
            Err(Error::setting(key, format!("is for images, and the data are {shape}")))
        }
        size if size > LARGEST => {
            Err(Error::setting(key, format!("is {size}; it must be at most {LARGEST} pixels")))
        }
        size => Ok(Resample::new(shape, size)),
    }
}

/// The columns of the fixed factors and their values.
fn fixed(
    settings: &Settings,
    factors: &[Factor],
    conditions: &[Condition],
) -> Result<Vec<(usize, f32)>> {
    let value = |condition: &Condition| {
        let name = &factors[condition.column].name;
        let refuse = |reason: &str| Error::setting(format!("data.variant.fix.{name}"), reason);
        if settings.keep.contains_key(name) {
            return Err(refuse("is also in `data.variant.keep`; remove it from one of the two"));
        }
        if settings.hide.contains(name) {
            return Err(refuse("is also in `data.variant.hide`; remove it from one of the two"));
        }
        let value = condition.only().ok_or_else(|| refuse("must be one number"))?;
        Ok((condition.column, value))
    };
    conditions.iter().map(value).collect()
}

/// The factors with those of their values that these rows have.
fn occurring(data: &dyn Dataset, rows: &[u32]) -> Vec<Factor> {
    let mut factors = data.factors().to_vec();
    let mut values = vec![0.0; factors.len()];
    let mut seen: Vec<Vec<bool>> =
        factors.iter().map(|factor| vec![false; factor.size().unwrap_or(0)]).collect();
    for &row in rows {
        data.values(row as usize, &mut values);
        for ((factor, seen), value) in factors.iter().zip(&mut seen).zip(&values) {
            if let Kind::Discrete(values) = &factor.kind
                && let Some(place) = conditions::place(values, *value)
            {
                seen[place] = true;
            }
        }
    }
    for (factor, seen) in factors.iter_mut().zip(&seen) {
        if let Kind::Discrete(values) = &mut factor.kind {
            let mut seen = seen.iter();
            values.retain(|_| seen.next() == Some(&true));
        }
    }
    factors
}

#[cfg(test)]
mod tests;
