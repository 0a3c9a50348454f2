//! The example of a method outside of the crate: what CONTRIBUTING promises, trained, scored and
//! intervened on.

#[path = "../examples/your_own_model.rs"]
mod example;

#[test]
fn a_method_outside_of_the_crate_is_trained_scored_and_intervened_on() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("run");
    let (scores, found) = example::run(&place, 150).unwrap();
    let mcc = scores["scores"][0]["value"].as_f64().unwrap();
    assert!(mcc > 0.5, "its latents follow their labels: {mcc}");
    // What is set is set exactly; the other concepts, which it takes for independent, stay.
    assert_eq!((found.names[1].as_str(), found.after[1].round()), ("light", 80.0));
    for other in [0, 2, 3] {
        assert!((found.after[other] - found.before[other]).abs() < 1e-3, "{found:?}");
    }
    let truth = found.truth.as_ref().unwrap();
    assert!((truth[2] - found.label[2]).abs() > 1e-3, "a light that moves moves the shadow");
    for name in ["run.toml", "model.safetensors", "scores.json", "counterfactual.png", "README.md"]
    {
        assert!(place.join(name).is_file(), "{name}");
    }
}
