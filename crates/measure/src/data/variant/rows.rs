//! Which rows of the data a variant has.

use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::rng::Rng;

use super::conditions::{self, Condition};
use super::correlated::Draws;
use super::{Part, Settings, Take};
use crate::data::Dataset;

/// The rows of a variant, in terms of the data behind it.
pub(super) enum Rows {
    /// All of them.
    All,
    /// These, in order.
    These(Vec<u32>),
    /// Drawn by the values of all factors; every combination exists.
    Drawn(Box<Draws>),
}

/// `restrictions` are those of `keep` and `fix`.
pub(super) fn choose(
    data: &dyn Dataset,
    settings: &Settings,
    restrictions: &[Condition],
) -> Result<Rows> {
    let bounds = part_bounds(settings, data.len())?;
    let held_out = held_out(settings, data.factors())?;
    if !settings.correlate.is_empty() {
        let draws = drawn(data, settings, restrictions)?;
        return Ok(Rows::Drawn(Box::new(draws)));
    }
    if restrictions.is_empty() && held_out.is_empty() && settings.part == Part::All {
        return Ok(Rows::All);
    }
    let count = u32::try_from(data.len()).map_err(|_| {
        let reason = format!("cannot choose among {} rows, which are too many", data.len());
        Error::setting("data.variant", reason)
    })?;
    let mut rows: Vec<u32> = (0..count).collect();
    let mut values = vec![0.0; data.factors().len()];
    if !restrictions.is_empty() {
        rows.retain(|&row| {
            data.values(row as usize, &mut values);
            restrictions.iter().all(|condition| condition.holds(&values))
        });
        left(
            &rows,
            "keep",
            "and `data.variant.fix` leave no rows: no row has all of these values",
        )?;
    }
    if !held_out.is_empty() {
        hold_out(data, &held_out, settings.take, &mut rows)?;
    }
    if settings.part != Part::All {
        let order = Rng::new(settings.seed).split("part").permutation(data.len());
        let mut inside = vec![false; data.len()];
        order[bounds[0]..bounds[1]].iter().for_each(|&row| inside[row] = true);
        rows.retain(|&row| inside[row as usize]);
        left(&rows, "part", "has no rows: change `data.variant.fractions` or use more data")?;
    }
    Ok(Rows::These(rows))
}

fn left(rows: &[u32], key: &str, reason: &str) -> Result<()> {
    match rows.is_empty() {
        true => Err(Error::setting(format!("data.variant.{key}"), reason)),
        false => Ok(()),
    }
}

/// The combinations that are held out, each a list of conditions that hold together.
fn held_out(settings: &Settings, factors: &[Factor]) -> Result<Vec<Vec<Condition>>> {
    let key = "data.variant.without";
    if settings.take == Take::HeldOut && settings.without.is_empty() {
        let reason = format!("is \"held-out\", but `{key}` holds nothing out");
        return Err(Error::setting("data.variant.take", reason));
    }
    if settings.without.iter().any(toml::Table::is_empty) {
        return Err(Error::setting(key, "has an entry without factors; it would match every row"));
    }
    settings.without.iter().map(|entry| conditions::read(key, entry, factors)).collect()
}

/// Leave out the rows of these combinations, or everything else.
fn hold_out(
    data: &dyn Dataset,
    combinations: &[Vec<Condition>],
    take: Take,
    rows: &mut Vec<u32>,
) -> Result<()> {
    let mut matched = vec![false; combinations.len()];
    let mut values = vec![0.0; data.factors().len()];
    rows.retain(|&row| {
        data.values(row as usize, &mut values);
        let mut held_out = false;
        for (conditions, matched) in combinations.iter().zip(&mut matched) {
            if conditions.iter().all(|condition| condition.holds(&values)) {
                (held_out, *matched) = (true, true);
            }
        }
        held_out == (take == Take::HeldOut)
    });
    if let Some(entry) = matched.iter().position(|matched| !matched) {
        let reason = format!("has no row for its entry {}; what is it to hold out?", entry + 1);
        return Err(Error::setting("data.variant.without", reason));
    }
    left(rows, "without", "holds out every row; nothing is left")
}

/// From where to where the chosen part reaches in the shuffled rows.
///
/// All rows are shuffled, not those that other settings leave: a row is in the same part whatever
/// else is asked for, so that no test row slips into a training set that was restricted otherwise.
fn part_bounds(settings: &Settings, count: usize) -> Result<[usize; 2]> {
    let fractions = settings.fractions;
    let sum: f64 = fractions.iter().sum();
    if !fractions.iter().all(|part| (0.0..=1.0).contains(part)) || (sum - 1.0).abs() > 1e-6 {
        let reason = format!("is {fractions:?}; the three must be from 0 to 1 and sum to 1");
        return Err(Error::setting("data.variant.fractions", reason));
    }
    let bound = |fraction: f64| (fraction * count as f64).round() as usize;
    let (train, validation) = (bound(fractions[0]), bound(fractions[0] + fractions[1]));
    Ok(match settings.part {
        Part::All => [0, count],
        Part::Train => [0, train],
        Part::Validation => [train, validation],
        Part::Test => [validation, count],
    })
}

fn drawn(data: &dyn Dataset, settings: &Settings, restrictions: &[Condition]) -> Result<Draws> {
    let key = "data.variant.correlate";
    let rest = |name: &str| {
        let reason = format!(
            "cannot be used together with `data.variant.{name}`: its rows are drawn from every \
             combination; for other draws, say to test on, use another `data.variant.seed`"
        );
        Err(Error::setting(key, reason))
    };
    if !settings.without.is_empty() {
        return rest("without");
    }
    if settings.part != Part::All {
        return rest("part");
    }
    if !is_grid(data) {
        let reason = "needs data in which every combination of the factors exists once";
        return Err(Error::setting(key, reason));
    }
    let factors: Vec<Factor> = restricted(data.factors(), restrictions);
    Draws::new(&factors, &settings.correlate, settings.seed)
}

/// Whether there is a row for every combination of the factors.
fn is_grid(data: &dyn Dataset) -> bool {
    let mut sizes = data.factors().iter().map(Factor::size);
    let combinations = sizes.try_fold(1_usize, |product, size| product.checked_mul(size?));
    let mut values = vec![0.0; data.factors().len()];
    data.values(0, &mut values);
    combinations == Some(data.len()) && data.find(&values) == Some(0)
}

/// The factors with the values that the conditions allow.
pub(super) fn restricted(factors: &[Factor], conditions: &[Condition]) -> Vec<Factor> {
    let mut factors = factors.to_vec();
    for (column, factor) in factors.iter_mut().enumerate() {
        let conditions = || conditions.iter().filter(|condition| condition.column == column);
        if let Kind::Discrete(values) = &mut factor.kind {
            values.retain(|value| conditions().all(|condition| condition.allows(*value)));
        }
    }
    factors
}
