use super::*;

const FILE: &str = "
data.name = 'squares'
columns = ['mig']
[vary]
seed = [0, 1]
model.latents = [3, 4]
[[rows]]
name = 'VAE, plain'
model.name = 'vae'
[[rows]]
name = 'β-VAE'
model = { name = 'beta-vae', beta = 2 }
";

#[test]
fn rows_are_crossed_with_lists_and_named_after_what_varies() {
    let (runs, columns) = expand(&FILE.parse().unwrap()).unwrap();
    assert_eq!(columns, ["mig"]);
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names.len(), 8);
    assert!(names.contains(&"vae-plain-latents-3-seed-1"), "{names:?}");
    let run = runs.iter().find(|run| run.name == "beta-vae-latents-4-seed-1").unwrap();
    assert_eq!(run.row, "β-VAE latents 4");
    assert_eq!(run.config["model"]["beta"].as_integer(), Some(2));
    assert_eq!(run.config["model"]["latents"].as_integer(), Some(4));
    assert_eq!(run.config["seed"].as_integer(), Some(1));
    assert_eq!(run.config["data"]["name"].as_str(), Some("squares"));
}

#[test]
fn a_row_can_have_lists_of_its_own() {
    let own = FILE.replace("name = 'β-VAE'\n", "name = 'β-VAE'\nvary = { seed = [7] }\n");
    let (runs, _) = expand(&own.parse().unwrap()).unwrap();
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names.len(), 6);
    assert!(names.contains(&"beta-vae-latents-4-seed-7"), "{names:?}");
    assert!(names.contains(&"vae-plain-latents-4-seed-1"), "{names:?}");
    let unknown = FILE.replace("name = 'β-VAE'\n", "name = 'β-VAE'\nvary = { model.beta = [1] }\n");
    let refused = expand(&unknown.parse().unwrap()).unwrap_err().to_string();
    assert!(refused.contains("`model.beta`, which is not in [vary]"), "{refused}");
}

#[test]
fn mistakes_are_named() {
    let refusal = |text: &str| expand(&text.parse().unwrap()).unwrap_err().to_string();
    assert!(refusal("vary.seed = 3").contains("`vary.seed` must be a list"));
    assert!(refusal("rows = 3").contains("`rows` must be a list"));
    assert!(refusal("rows = [3]").contains("`rows` must be a list of tables"));
    let twice = "[[rows]]\nname = 'a'\n[[rows]]\nname = 'a'";
    assert!(refusal(twice).contains("two runs called `a`"));
}

#[test]
fn a_run_that_cannot_work_is_refused_when_planned_and_nothing_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("study");
    let file = "data.name='squares'\n[[rows]]\nname='x'\nmodel={name='vae', latents=0}";
    let refused = Study::create(&place, &file.parse().unwrap()).unwrap_err().to_string();
    assert!(refused.contains("run `x` cannot be planned") && refused.contains("model.latents"));
    assert!(!place.exists());
}

#[test]
fn a_cell_has_the_mean_and_the_deviation_of_a_sample() {
    let cell = Cell { values: vec![1.0, 2.0, 3.0] };
    assert_eq!((cell.mean(), cell.deviation()), (2.0, 1.0));
    assert_eq!(Cell { values: vec![5.0] }.deviation(), 0.0);
}

#[test]
fn only_one_process_works_on_a_study() {
    let directory = tempfile::tempdir().unwrap();
    let file = "data.name='squares'\nmodel.name='vae'";
    let study = Study::create(&directory.path().join("s"), &file.parse().unwrap()).unwrap();
    let held = study.lock().unwrap();
    assert!(study.lock().unwrap_err().to_string().contains("another process"));
    drop(held);
    study.lock().unwrap();
}

#[test]
fn seeds_of_data_are_averaged_too_however_slowly_they_move() {
    let file = "
    data.name = 'mixing'
    model.name = 'raw'
    [vary]
    data.seed = [0, 1]
    data.segments = [5, 10]
    ";
    let (runs, _) = expand(&file.parse().unwrap()).unwrap();
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    assert!(names.contains(&"segments-5-data-seed-1"), "{names:?}");
    let of_five: Vec<&Planned> = runs.iter().filter(|run| run.row == "segments 5").collect();
    assert_eq!(of_five.len(), 2);
    assert_eq!(of_five[0].at, [("data.segments".to_string(), Value::Integer(5))]);
    assert_eq!(of_five[1].config["data"]["seed"].as_integer(), Some(1));

    // The runs of a row do not follow each other, and are still one line.
    let directory = tempfile::tempdir().unwrap();
    let study = Study::create(&directory.path().join("study"), &file.parse().unwrap()).unwrap();
    let lines = study.gather().unwrap().lines;
    assert_eq!(lines.iter().map(|line| line.runs).collect::<Vec<_>>(), [(0, 2), (0, 2)]);
    assert_eq!(lines[1].number("data.segments"), Some(10.0));
}

#[test]
fn a_study_of_an_earlier_version_is_the_same_with_the_names_of_today() {
    let old = "
    data.name = 'squares'
    train = { rate = 1e-3, ordinary = 2 }
    vary.train.changed = [1, 2]
    [[rows]]
    model.name = 'gvae'
    ";
    let new = "
    data.name = 'squares'
    train = { learning_rate = 1e-3 }
    vary.train.changed = [1, 2]
    [[rows]]
    model.name = 'gvae'
    ";
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("study");
    let study = Study::create(&place, &old.parse().unwrap()).unwrap();
    assert_eq!(study.runs[1].name, "changed-2");
    assert_eq!(study.runs[1].config["model"]["changed"].as_integer(), Some(2));
    assert_eq!(study.notes.len(), 3, "{:?}", study.notes);
    assert!(study.notes.iter().any(|note| note.contains("gvae does not read it")));
    assert!(Study::open(&place).unwrap().is_that_of(&new.parse().unwrap()).unwrap());
}
