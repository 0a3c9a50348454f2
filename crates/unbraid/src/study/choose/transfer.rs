//! Choosing by other data: the method and strength whose mean over seeds is best there, with any seed here. It asks for
//! labels, but not for labels of these data.

use unbraid_measure::rng::Rng;

use super::field::setting;
use super::{Cell, Choice, Field};
use crate::error::{Error, Result};

/// A choice from each other data set, and how they do on average.
pub(super) fn choices(fields: &[Field], to: usize, rng: &Rng) -> Result<Vec<Choice>> {
    let others = fields.iter().enumerate().filter(|(from, _)| *from != to);
    let mut found: Vec<Choice> =
        others.filter_map(|(_, from)| from_one(from, &fields[to], rng)).collect();
    if found.is_empty() {
        return Err(Error::Unable(
            "to choose by other data, the study needs a second data set with the same methods and known \
             scores; [across] data.name = [...] makes one"
                .into(),
        ));
    }
    if found.len() > 1 {
        found.push(mean_of(&found));
    }
    Ok(found)
}

/// The setting that is best on the one data set, of those that the other has too.
fn from_one(from: &Field, to: &Field, rng: &Rng) -> Option<Choice> {
    let here: Vec<String> = to.candidates.iter().map(|one| setting(one.run)).collect();
    let mut known: Vec<(String, Vec<f64>)> = Vec::new();
    for one in &from.candidates {
        let (name, Some(score)) = (setting(one.run), one.score) else { continue };
        match known.iter_mut().find(|(other, _)| *other == name) {
            Some((_, scores)) => scores.push(score),
            None if here.contains(&name) => known.push((name, vec![score])),
            None => {}
        }
    }
    let means = known.iter().map(|(_, values)| Cell { values: values.clone() }.mean());
    let (best, value) = Field::largest(means.map(|mean| Some(from.good(mean))))?;
    let picks: Vec<usize> = (0..here.len()).filter(|place| here[*place] == known[best].0).collect();
    let shown = picks[rng.split(&from.data).below(picks.len())];
    let by = format!("transfer from {}", from.data);
    Some(to.choice(by, &picks, Some(shown), Some(from.good(value))))
}

/// How transfers do on average; the spread is that over data sets.
fn mean_of(choices: &[Choice]) -> Choice {
    let mean = |which: fn(&Choice) -> Option<&Cell>| {
        let values: Vec<f64> = choices.iter().filter_map(which).map(Cell::mean).collect();
        (!values.is_empty()).then_some(Cell { values })
    };
    Choice {
        by: "transfer, mean".into(),
        run: None,
        share: None,
        value: None,
        score: mean(|choice| choice.score.as_ref()),
        regret: mean(|choice| choice.regret.as_ref()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{close, field, planned, regret};
    use super::*;

    #[test]
    fn a_transfer_takes_the_setting_that_is_best_elsewhere_with_any_seed() {
        let runs = planned();
        // By means, β = 2 is best on the second data set and β = 4 on the third, although a VAE there has the largest
        // score.
        let fields = [
            field(&runs, 0, [0.1, 0.2, 0.3, 0.6, 0.2, 0.4]),
            field(&runs, 1, [0.1, 0.1, 0.5, 0.7, 0.4, 0.4]),
            field(&runs, 2, [0.9, 0.1, 0.1, 0.1, 0.6, 0.8]),
        ];
        let found = choices(&fields, 0, &Rng::new(0)).unwrap();
        let names: Vec<&str> = found.iter().map(|choice| choice.by.as_str()).collect();
        assert_eq!(
            names,
            ["transfer from xy-object", "transfer from xy-squares", "transfer, mean"]
        );
        let settings = [0, 1].map(|k| found[k].run.as_ref().unwrap().setting.clone());
        assert_eq!(settings, ["β-VAE beta 2", "β-VAE beta 4"]);
        assert!(close(found[0].value.unwrap(), 0.6) && close(found[1].value.unwrap(), 0.7));
        // Seeds of β = 2 here: 0.3 and 0.6, of 0.6; of β = 4: 0.2 and 0.4.
        let (mean, deviation) = regret(&found[0]);
        assert!(close(mean, 0.15) && close(deviation, 0.15 * 2f64.sqrt()), "{mean} {deviation}");
        assert!(close(regret(&found[1]).0, 0.3) && close(regret(&found[2]).0, 0.225));
        assert!(choices(&fields[..1], 0, &Rng::new(0)).is_err());
        // Where nothing is known here, the choice is the same and its regret is not known.
        let unknown = [field(&runs, 0, [f64::NAN; 6]), fields[1].clone()];
        let blind = choices(&unknown, 0, &Rng::new(0)).unwrap();
        assert_eq!((&blind[0].run, &blind[0].regret), (&found[0].run, &None));
        assert!(unknown[0].at_random().is_none());
    }
}
