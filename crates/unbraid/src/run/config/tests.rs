use super::*;

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
        ("train.rate=0", "setting `train.rate` must be a positive number"),
        ("train.steps=-4", "setting `train.steps` cannot be -4"),
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
