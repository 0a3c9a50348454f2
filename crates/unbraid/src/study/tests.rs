use super::*;

fn read(text: &str) -> Result<File> {
    File::read(&text.parse().unwrap())
}

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
    let File { runs, columns, .. } = read(FILE).unwrap();
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
    let runs = read(&own).unwrap().runs;
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names.len(), 6);
    assert!(names.contains(&"beta-vae-latents-4-seed-7"), "{names:?}");
    assert!(names.contains(&"vae-plain-latents-4-seed-1"), "{names:?}");
    // A list that only this row has moves slower than those of all.
    let more = FILE.replace("name = 'β-VAE'\n", "name = 'β-VAE'\nvary = { model.beta = [1, 4] }\n");
    let runs = read(&more).unwrap().runs;
    assert_eq!(runs.len(), 4 + 8);
    let names: Vec<&str> = runs[8..].iter().map(|run| run.name.as_str()).collect();
    assert!(names.iter().all(|name| name.starts_with("beta-vae-beta-4-")), "{names:?}");
}

/// Found by the fuzzer: a list more multiplies all others, and some two thousand bytes asked for a gigabyte.
#[test]
fn a_plan_of_too_many_runs_is_refused_before_it_is_made() {
    let many =
        FILE.replace("seed = [0, 1]", &format!("seed = {:?}", (0..30_000).collect::<Vec<_>>()));
    let refused = read(&many).err().expect("refused").to_string();
    assert!(refused.contains("make 120000 runs, more than 100000"), "{refused}");
}

#[test]
fn mistakes_are_named() {
    let refusal = |text: &str| read(text).unwrap_err().to_string();
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
fn what_goes_across_moves_slowest_and_models_have_numbers() {
    let file = "
    [across]
    data.name = ['squares', 'xy-object']
    [vary]
    seed = [0, 1, 2]
    [[rows]]
    name = 'a'
    model.name = 'beta-vae'
    vary.model.beta = [1, 2]
    [[rows]]
    name = 'b'
    model.name = 'annealed-vae'
    model.capacity = { schedule = 'linear', from = 0, to = 1, steps = 10 }
    vary.model.capacity.to = [5, 25]
    ";
    let runs = read(file).unwrap().runs;
    assert!(runs.iter().enumerate().all(|(k, run)| run.number == k));
    // number = 12 set + 3 configuration + seed
    let run = &runs[12 + 3 * 3 + 2];
    assert_eq!(run.name, "b-name-xy-object-capacity-25-seed-2");
    assert_eq!(run.row, "b on xy-object capacity 25");
    assert_eq!(run.config["model"]["capacity"]["to"].as_integer(), Some(25));
    assert_eq!(run.config["model"]["capacity"]["steps"].as_integer(), Some(10));
}

#[test]
fn a_file_that_has_grown_adds_runs_and_one_that_has_changed_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("study");
    let file = "data.name='squares'\nmodel.name='pca'\nvary.seed=[0]";
    Study::create(&place, &file.parse().unwrap()).unwrap();
    let more = file.replace("[0]", "[0, 1]");
    let study = Study::create(&place, &more.parse().unwrap()).unwrap();
    assert_eq!(study.runs.len(), 2);
    assert!(study.notes[0].contains("1 runs were planned before"), "{:?}", study.notes);
    let refusal = |file: &str| {
        let refused = Study::create(&place, &file.parse().unwrap());
        refused.unwrap_err().to_string()
    };
    let changed = refusal(&more.replace("squares", "xy-object"));
    assert!(changed.contains("`run-seed-0` has other settings in this file"), "{changed}");
    let fewer = refusal(file);
    assert!(fewer.contains("`run-seed-1` is not in this file; runs can be added"), "{fewer}");
    assert_eq!(Study::open(&place).unwrap().runs.len(), 2);
}

#[test]
fn of_many_who_want_an_attempt_one_has_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = "data.name='squares'\nmodel.name='pca'\nvary.seed=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    let study = Study::create(&directory.path().join("s"), &file.parse().unwrap()).unwrap();
    let taken: usize = std::thread::scope(|scope| {
        let worker = || {
            let worker = workers::Worker::arrive(&study.directory, study.takeover).unwrap();
            let take = |run| study.attempts().take(run, 1, &worker).unwrap().is_some();
            study.runs.iter().filter(|run| take(run)).count()
        };
        let all: Vec<_> = (0..16).map(|_| scope.spawn(worker)).collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!(taken, 10);
    assert!(study.attempts().last().unwrap().values().all(|last| *last == 1));
}

#[test]
fn a_worker_is_dead_when_it_is_gone_or_silent_and_garbage_is_nobodys() {
    let directory = tempfile::tempdir().unwrap();
    let file = "data.name='squares'\nmodel.name='pca'\ntakeover=2";
    let study = Study::create(&directory.path().join("s"), &file.parse().unwrap()).unwrap();
    assert_eq!(study.takeover, Duration::from_secs(2));
    let place = study.directory.join("workers");
    let mut me = workers::Worker::arrive(&study.directory, study.takeover).unwrap();
    let attempt = study.attempts().file(&study.runs[0], 1);
    fs::write(&attempt, "garb").unwrap();
    // Of another machine, an hour behind: only whether it moves counts.
    let far = place.join("far");
    fs::write(&far, "{\"host\": \"far\", \"machine\": \"other\", \"process\": 1}\n").unwrap();
    let late = std::time::SystemTime::now() - Duration::from_hours(1);
    let set = |path: &Path| fs::File::open(path).unwrap().set_modified(late).unwrap();
    set(&far);
    // On this machine, and no more: no process has this number.
    let gone = fs::read_to_string(place.join(&me.name)).unwrap();
    let number = format!("\"process\":{}", std::process::id());
    fs::write(place.join("gone"), gone.replace(&number, "\"process\":4194999")).unwrap();

    let mut lookout = workers::Lookout::new(&study.directory, study.takeover);
    let names = [me.name.clone(), "far".into(), "gone".into(), String::new()];
    let mut look = || names.clone().map(|name| lookout.is_dead(&name, &attempt));
    let at_once = cfg!(target_os = "linux");
    assert_eq!(look(), [false, false, at_once, false]);
    for _ in 0..11 {
        std::thread::sleep(Duration::from_millis(200));
        me.beat();
        // It beats, by its own clock.
        if fs::metadata(&far).unwrap().len() < 58 {
            fs::write(&far, [fs::read(&far).unwrap(), b".".to_vec()].concat()).unwrap();
            set(&far);
        }
        look();
    }
    let [mine, of_far, ..] = look();
    assert!(!mine && !of_far);
    let nobodys = look()[3];
    assert!(nobodys, "garbage that does not change is nobody's");
    std::thread::sleep(Duration::from_millis(2100));
    assert!(look()[1], "far has stopped beating");
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
    let runs = read(file).unwrap().runs;
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
