use super::*;
use crate::run::Plan;
use unbraid_measure::data::{OneFactor, PairRule, Pairs, SomeLabels, Supervision};

fn resolve(text: &str) -> Result<Plan> {
    Config::from_table(text.parse().unwrap())?.resolve()
}

fn refusal(text: &str) -> String {
    resolve(text).err().expect("refused").to_string()
}

const SMALL: &str = "data.name = 'squares'\nmodel.name = 'beta-vae'\n";

#[test]
fn every_default_is_spelled_out_and_resolving_again_changes_nothing() {
    let plan = resolve(SMALL).unwrap();
    let table = plan.config.to_table();
    assert_eq!(table["model"]["net"].as_str(), Some("conv"));
    assert_eq!(table["model"]["likelihood"].as_str(), Some("bernoulli"));
    assert_eq!(table["train"]["steps"].as_integer(), Some(20_000));
    assert!(table["train"]["threads"].as_integer() > Some(0));
    let again = Config::from_table(table).unwrap().resolve().unwrap();
    assert_eq!(again.config, plan.config);
}

#[test]
fn mistakes_are_named_with_the_way_out() {
    for (text, words) in [
        ("data.name='squares'\nmodel.name='betavae'", "did you mean `beta-vae`?"),
        ("data.name='square'\nmodel.name='vae'", "did you mean `squares`?"),
        ("model.name='vae'", "setting `data.name` is missing"),
        ("modle.name='vae'", "setting `modle` is unknown; did you mean `model`?"),
        ("seed=-1", "setting `seed` cannot be -1"),
        ("train=3", "must be a section: [train]"),
    ] {
        assert!(refusal(text).contains(words), "{text}: {}", refusal(text));
    }
    for (text, words) in [
        ("model.bta=1", "setting `model.bta` is unknown; did you mean `beta`?"),
        ("model.beta=nan", "setting `model.beta` must be a number of at least 0"),
        ("train.step=1", "setting `train.step` is unknown; did you mean `steps`?"),
        ("train.batch=406", "more than the 405 rows"),
        ("train.threads=100000", "setting `train.threads` must be at most 1024"),
        ("score.rows=0", "setting `score.rows` must be at least 1"),
        ("score.metrics=[]", "setting `score.metrics` is empty"),
        ("format=99", "setting `format` is 99, newer than 1"),
        ("model.width=100000000", "would have"),
        ("train.learning_rate=0", "setting `train.learning_rate` must be a positive number"),
        ("train.rate=0", "setting `train.learning_rate` must be a positive number"),
        ("train={rate=1, learning_rate=1}", "and both are given; leave out one"),
        ("train.labelled=0\nmodel.label_weight=1", "setting `model.labelled` must be at least 1"),
        ("model.changed=1", "setting `model.changed` is unknown"),
        ("train.steps=-4", "setting `train.steps` cannot be -4"),
        ("train.optimizer='adagard'", "did you mean `adagrad`?"),
        ("train.device='tpu'", "setting `train.device` cannot be \"tpu\""),
        ("rotation=[1.0, 0.0]", "setting `rotation` has 2 numbers, but the model 10 latents"),
        ("model.latents=2\nrotation=[1.0, 1.0]", "setting `rotation` must have length 1"),
        ("data.colour=1", "setting `data.colour` is unknown (this takes no settings)"),
        ("score.metrics=['migg']", "did you mean `mig`?"),
    ] {
        let text = format!("{SMALL}{text}");
        assert!(refusal(&text).contains(words), "{text}: {}", refusal(&text));
    }
}

/// As an earlier version wrote it, with the keys of every model.
const EARLIER: &str = "
format = 1
unbraid = '0.1.0'
[data]
name = 'squares'
[train]
rate = 2e-3
changed = 2
pairs = 'released'
labelled = 50
ordinary = 3
";

#[test]
fn files_of_earlier_versions_load_and_each_model_takes_what_it_reads() {
    let plan = |model: &str| resolve(&format!("{EARLIER}[model]\n{model}\n")).unwrap();
    let pairs = Pairs { changed: 2, rule: PairRule::Released };
    assert_eq!(plan("name = 'ml-vae'").method.supervision(), Supervision::Pairs(pairs));
    let one_factor = OneFactor { ordinary: 3 };
    assert_eq!(plan("name = 'dc-ign'").method.supervision(), Supervision::OneFactor(one_factor));
    let some_labels = SomeLabels { labelled: 50 };
    let labels = plan("name = 'vae'\nlabel_weight = 1");
    assert_eq!(labels.method.supervision(), Supervision::SomeLabels(some_labels));
    let pca = plan("name = 'pca'").config;
    assert_eq!(pca.train.learning_rate, 2e-3.into());
    assert!(!pca.model.contains_key("changed"));
    // What is written now is read again, and has no old name.
    for model in ["gvae", "dc-ign", "vae", "pca"] {
        let config = plan(&format!("name = '{model}'")).config;
        let mut table = config.to_table();
        assert_eq!(renamed(&mut table).unwrap(), Vec::<String>::new());
        assert_eq!(Config::from_table(table).unwrap().resolve().unwrap().config, config);
    }
}
