//! The file of a study, and the runs that it means.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::Duration;

use toml::{Table, Value};

use crate::error::{Error, Result};
use crate::run::config;

/// How long nothing may be heard of a worker before its runs are taken over, if the file does not say.
const TAKEOVER: u64 = 120;

/// A run of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Its place in the whole study: "model 4711".
    pub number: usize,
    /// The name of its directory.
    pub name: String,
    /// The row of the table it belongs to.
    pub row: String,
    /// The name of that row in the file.
    pub family: String,
    /// What of `[vary]` sets it apart from other runs of its row, seeds left out.
    pub at: Vec<(String, Value)>,
    /// Its configuration.
    pub config: Table,
}

impl Planned {
    /// The name of its data set.
    pub fn data(&self) -> Option<&str> {
        self.config.get("data")?.get("name")?.as_str()
    }
}

/// What a study file says.
#[derive(Debug)]
pub(super) struct File {
    /// Every run, row by row.
    pub(super) runs: Vec<Planned>,
    /// The columns of the table, if it names them.
    pub(super) columns: Vec<String>,
    /// How long nothing may be heard of a worker.
    pub(super) takeover: Duration,
    /// The version of unbraid that planned it, if it was planned.
    pub(super) version: Option<String>,
    /// Of which settings the file has names of an earlier version, a line for each.
    pub(super) notes: Vec<String>,
}

impl File {
    /// What a table says.
    pub(super) fn read(table: &Table) -> Result<Self> {
        let mut base = table.clone();
        let across = section(&mut base, "across")?;
        let vary = section(&mut base, "vary")?;
        let rows: Vec<Table> = match base.remove("rows") {
            None => vec![Table::new()],
            Some(rows) => rows
                .try_into()
                .map_err(|_| Error::setting("rows", "must be a list of tables: [[rows]]"))?,
        };
        let columns = match base.remove("columns") {
            None => vec![],
            Some(columns) => columns
                .try_into()
                .map_err(|_| Error::setting("columns", "must be a list of words"))?,
        };
        let takeover = takeover(base.remove("takeover"))?;
        let version = match base.remove("unbraid") {
            Some(Value::String(version)) => Some(version),
            _ => None,
        };
        let left_out: Vec<String> = match base.remove("leave_out") {
            None => vec![],
            Some(names) => names
                .try_into()
                .map_err(|_| Error::setting("leave_out", "must be a list of data sets"))?,
        };
        let mut runs = expanded(&base, &across, &vary, rows)?;
        // After they are numbered: model 4711 is the same with fewer data sets.
        runs.retain(|run| !left_out.iter().any(|name| run.data() == Some(name)));
        let notes = rename(&mut runs)?;
        Ok(Self { runs, columns, takeover, version, notes })
    }
}

/// The time after which runs are taken over.
fn takeover(given: Option<Value>) -> Result<Duration> {
    match given {
        None => Ok(Duration::from_secs(TAKEOVER)),
        Some(Value::Integer(seconds)) if seconds >= 2 => {
            Ok(Duration::from_secs(seconds.unsigned_abs()))
        }
        Some(other) => {
            let reason = format!("is {other}; it is a whole number of seconds, at least 2");
            Err(Error::setting("takeover", reason))
        }
    }
}

/// Give settings the names they have now; what is to be said of it, once.
fn rename(runs: &mut [Planned]) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    for run in runs {
        let found = config::renamed(&mut run.config)?;
        notes.extend(found.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
    }
    Ok(notes)
}

/// More runs than this are a mistake, or several studies. The largest published one has 12,600.
const MOST_RUNS: f64 = 100_000.0;

/// A list of values for a dotted key.
type List = (String, Vec<Value>);

/// Take a section of lists from the file.
fn section(file: &mut Table, name: &str) -> Result<Vec<List>> {
    match file.remove(name) {
        None => Ok(vec![]),
        Some(Value::Table(section)) => lists(&section, name, ""),
        Some(_) => Err(Error::setting(name, format!("must be a section of lists: [{name}]"))),
    }
}

/// Every run: lists of `[across]` move slowest, then rows, then those of `[vary]`.
fn expanded(
    base: &Table,
    across: &[List],
    vary: &[List],
    mut rows: Vec<Table>,
) -> Result<Vec<Planned>> {
    let mut of_rows = Vec::new();
    for row in &mut rows {
        of_rows.push(of_row(row, vary)?);
    }
    check_count(across, &of_rows)?;
    let (mut runs, mut names) = (Vec::new(), HashSet::new());
    for outer in combinations(across) {
        for (row, vary) in rows.iter().zip(&of_rows) {
            let keys = [across, vary].concat();
            for inner in combinations(vary) {
                let values = [outer.clone(), inner].concat();
                let run = planned(runs.len(), base, row, (&keys, &values))?;
                if !names.insert(run.name.clone()) {
                    let reason =
                        format!("has two runs called `{}`; give rows other names", run.name);
                    return Err(Error::setting("rows", reason));
                }
                runs.push(run);
            }
        }
    }
    Ok(runs)
}

/// Refuse a plan that would take days to write: a list more multiplies all others.
fn check_count(across: &[List], of_rows: &[Vec<List>]) -> Result<()> {
    let count = |lists: &[List]| lists.iter().map(|(_, list)| list.len() as f64).product::<f64>();
    let runs = count(across) * of_rows.iter().map(|lists| count(lists)).sum::<f64>();
    match runs > MOST_RUNS {
        true => Err(Error::setting(
            "vary",
            format!(
                "and the other lists make {runs:.0} runs, more than {MOST_RUNS:.0}; make several studies"
            ),
        )),
        false => Ok(()),
    }
}

/// The lists of a row: its own `vary` in place of those of the file, and before them what only it has.
fn of_row(row: &mut Table, vary: &[List]) -> Result<Vec<List>> {
    let own = match row.remove("vary") {
        None => return Ok(vary.to_vec()),
        Some(Value::Table(own)) => lists(&own, "rows.vary", "")?,
        Some(_) => return Err(Error::setting("rows.vary", "must be a section of lists")),
    };
    let (changed, mut all): (Vec<List>, Vec<List>) =
        own.into_iter().partition(|(key, _)| vary.iter().any(|(known, _)| known == key));
    let list = |(key, list): &List| {
        let changed = changed.iter().find(|(name, _)| name == key);
        (key.clone(), changed.map_or(list, |(_, changed)| changed).clone())
    };
    all.extend(vary.iter().map(list));
    Ok(all)
}

fn planned(
    number: usize,
    base: &Table,
    row: &Table,
    (keys, values): (&[List], &[Value]),
) -> Result<Planned> {
    let mut row = row.clone();
    let title = match row.remove("name") {
        None => String::new(),
        Some(Value::String(name)) => name,
        Some(other) => return Err(Error::setting("rows.name", format!("cannot be {other}"))),
    };
    let mut config = config::overlaid(base.clone(), row);
    let (family, mut at) = (title.clone(), Vec::new());
    // Directories keep the names they have always had; what is shown may read better.
    let (mut name, mut title, mut seed) = (title.clone(), title, String::new());
    for ((key, _), value) in keys.iter().zip(values) {
        config::put(&mut config, key, value.clone())?;
        let word = word(value);
        let short = short(key);
        if short == "seed" {
            // `seed` is the run's, `data.seed` that of its data.
            let _ = write!(seed, "-{}-{word}", key.replace('.', "-"));
        } else {
            name = [name.as_str(), " ", short, " ", &word].concat();
            let words = if short == "name" { "on" } else { short };
            title = [title.as_str(), " ", words, " ", &word].concat().trim().to_string();
            at.push((key.clone(), value.clone()));
        }
    }
    if title.is_empty() {
        title = "run".into();
    }
    let name = match plain(&name) {
        empty if empty.is_empty() => format!("run{seed}"),
        name => format!("{name}{seed}"),
    };
    Ok(Planned { number, name, row: title, family, at, config })
}

/// A value as it stands in a name.
pub(super) fn word(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}

/// The last word of a key; of `model.capacity.to`, the end of a schedule, the word before it.
pub(super) fn short(key: &str) -> &str {
    let key = key.strip_suffix(".to").unwrap_or(key);
    key.rsplit('.').next().unwrap_or(key)
}

/// A name that any file system takes.
fn plain(title: &str) -> String {
    let spelled = [('α', "alpha"), ('β', "beta"), ('γ', "gamma"), ('λ', "lambda")];
    let title = spelled
        .iter()
        .fold(title.to_lowercase(), |text, (letter, word)| text.replace(*letter, word));
    let words = title.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// The lists of a section, by dotted key.
fn lists(section: &Table, name: &str, under: &str) -> Result<Vec<List>> {
    let mut found = Vec::new();
    for (key, value) in section {
        let key = format!("{under}{key}");
        match value {
            Value::Array(values) if !values.is_empty() => found.push((key, values.clone())),
            Value::Table(inner) => found.extend(lists(inner, name, &format!("{key}."))?),
            _ => {
                let reason = "must be a list with at least one value";
                return Err(Error::setting(format!("{name}.{key}"), reason));
            }
        }
    }
    Ok(found)
}

/// Every choice of one value from each list; the last list moves fastest.
fn combinations(lists: &[List]) -> Vec<Vec<Value>> {
    let mut all: Vec<Vec<Value>> = vec![vec![]];
    for (_, values) in lists {
        let mut longer = Vec::with_capacity(all.len() * values.len());
        for chosen in &all {
            longer
                .extend(values.iter().map(|value| [chosen, std::slice::from_ref(value)].concat()));
        }
        all = longer;
    }
    all
}
