//! The first loss tells whether data and likelihood are of one size: numbers in the thousands under a noise of
//! 1 give a loss that no training brings down, and it is better to stop than to find out an hour later.

use unbraid_measure::data::about::short;
use unbraid_measure::data::{self, Dataset, Range};
use unbraid_measure::rng::Rng;

use crate::error::{Error, Result};
use crate::model::learner::{Learner, Terms};

/// A squared error per number, in units of the noise, above which no learning is possible: numbers that are a
/// thousand times as large as the noise. Standardised data begin at about 1/noise².
const ABSURD: f64 = 1e6;
/// Numbers beyond this are the likely reason of a loss that is no number.
const LARGE: f32 = 1e3;
/// As many rows are looked at to say which number is large.
const LOOKED_AT: usize = 1000;

/// Refuse to go on from an absurd loss.
pub(super) fn check(terms: &Terms, learner: &dyn Learner, data: &dyn Dataset) -> Result<()> {
    // Numbers from 0 to 1 are of one size with every likelihood.
    if data.shape().range != Range::Real {
        return Ok(());
    }
    let named = |name: &str| terms.iter().find(|(term, _)| term == name);
    let Some((term, loss)) = named("reconstruction").or_else(|| named("loss")) else {
        return Ok(());
    };
    let per_number = f64::from(*loss) / data.shape().size() as f64;
    let noise = learner.noise().unwrap_or(1.0);
    // A noise that somebody has made small is not the fault of the data.
    let most = ABSURD * (noise * noise).recip().max(1.0);
    let large = largest(data);
    let overflowed = large.size > LARGE && terms.iter().any(|(_, value)| !value.is_finite());
    if per_number <= most && !overflowed {
        return Ok(());
    }
    Err(Error::Unable(format!(
        "the first {term} is {:.2e}, {:.1e} for each of {} observed numbers, from which nothing can be learned: \
         {}; scale the data, or leave out what is no measurement",
        loss,
        per_number,
        data.shape().size(),
        large.words
    )))
}

/// Which number is large.
struct Largest {
    size: f32,
    words: String,
}

fn largest(data: &dyn Dataset) -> Largest {
    let rows = data::rows(data, LOOKED_AT, &Rng::new(0));
    let seen = data::observations(data, &rows);
    let size = |k: usize| seen.column(k).iter().fold(0.0_f32, |most, v| most.max(v.abs()));
    let column = (0..seen.ncols()).max_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap_or(0);
    let size = size(column);
    let shown = short(f64::from(size));
    let about = data.about();
    let names = about.names(seen.ncols());
    let scaled = about.scaling.is_some();
    let way = match (about.channels.is_empty(), scaled) {
        (false, false) => " (`data.scale = \"standard\"` does it)",
        (false, true) => " (`data.scale = \"robust\"` bears numbers far out)",
        (true, _) => "",
    };
    let words = match names.as_ref().map(|names| &names[column]) {
        Some(name) => format!("`{name}` reaches {shown}{way}"),
        None => format!("number {column} of an observation reaches {shown}{way}"),
    };
    Largest { size, words }
}

#[cfg(test)]
mod tests {
    use toml::Table;

    use super::*;
    use crate::model::Task;
    use crate::models;

    fn said(scale: &str, loss: f32) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("machines.csv");
        let rows: String =
            (0..60).map(|k| format!("{},{}.5\n", k * k % 59, k * k % 53 * 1_000_000)).collect();
        std::fs::write(&path, format!("a,pressure\n{rows}")).unwrap();
        let settings: Table = format!("path = {path:?}\nscale = '{scale}'").parse().unwrap();
        let data = data::open("table", &settings).unwrap().0;
        let task = Task::of(&*data);
        let method = (models::find("vae").unwrap().configure)(&Table::new(), &task).unwrap();
        let learner = method.build(&task, &Rng::new(0));
        let kl = if loss > 1e20 { f32::INFINITY } else { 1.0 };
        let terms: Terms =
            vec![("loss".into(), loss), ("reconstruction".into(), loss), ("kl".into(), kl)];
        check(&terms, &*learner, &*data).err().map(|error| error.to_string())
    }

    #[test]
    fn a_loss_beyond_all_learning_names_the_column() {
        let text = said("none", 3.07e23).expect("refused");
        for part in ["the first reconstruction is 3.07e23", "`pressure` reaches 5.2", "standard"] {
            assert!(text.contains(part), "{text}");
        }
        assert_eq!(said("standard", 5.0), None);
        assert!(said("standard", 1e9).is_some_and(|text| text.contains("robust")));
    }
}
