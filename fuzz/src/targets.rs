//! What is fuzzed: one function for each kind of file that the program reads, from bytes. The tests run the corpus
//! through the same functions (`crates/unbraid/tests/corpus.rs`).
//!
//! A target may refuse its bytes with an error that has words. It may not panic, run for seconds, or ask for
//! more memory than the file pays for (`memory.rs`).

use std::cell::RefCell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use toml::Table as Settings;
use unbraid::model::Task;
use unbraid::model::learner::Learner;
use unbraid::model::weights;
use unbraid::models;
use unbraid::representation::Representation;
use unbraid::rng::Rng;
use unbraid::run::Run;
use unbraid::run::check::check;
use unbraid::run::config::Config;
use unbraid::study::Study;
use unbraid_measure::data::storage::library;
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::npz::NpzWriter;
use unbraid_measure::tables::Table;
use unbraid_measure::tables::frame::Frame;
use unbraid_measure::watch::Stage;

/// A kind of file.
pub(crate) struct Target {
    /// Its name, and the folder of its corpus.
    pub(crate) name: &'static str,
    read: fn(&[u8], &Path),
}

/// All of them.
pub(crate) const TARGETS: &[Target] = &[
    Target { name: "npy", read: |bytes, place| table(bytes, place, "a.npy") },
    Target { name: "npz", read: npz },
    Target { name: "sequence", read: |bytes, place| sequence(bytes, b"{}", place) },
    Target { name: "world", read: world },
    Target { name: "csv", read: |bytes, place| table(bytes, place, "a.csv") },
    Target { name: "parquet", read: |bytes, place| table(bytes, place, "a.parquet") },
    Target { name: "idx", read: idx },
    Target { name: "norb", read: norb },
    Target { name: "mat", read: mat },
    Target { name: "hdf5", read: hdf5 },
    Target { name: "amat", read: amat },
    Target { name: "zip", read: zip },
    Target { name: "tar", read: tar },
    Target { name: "png", read: |bytes, place| picture(bytes, place, "a.png") },
    Target { name: "jpeg", read: |bytes, place| picture(bytes, place, "a.jpg") },
    Target { name: "gif", read: |bytes, place| picture(bytes, place, "a.gif") },
    Target { name: "webp", read: |bytes, place| picture(bytes, place, "a.webp") },
    Target { name: "safetensors", read: |bytes, _| drop(weights::from_bytes(bytes)) },
    Target { name: "optimizer", read: optimizer },
    Target { name: "settings", read: settings },
    Target { name: "study", read: study },
    Target { name: "log", read: log },
    Target { name: "document", read: document },
];

/// Read bytes as a target does; a panic comes back as its words.
pub(crate) fn run(target: &Target, bytes: &[u8]) -> Result<(), String> {
    thread_local! {
        // One directory for all executions, on a file system in memory where there is one.
        static PLACE: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
    }
    PLACE.with_borrow_mut(|place| {
        let place = place.get_or_insert_with(|| match Path::new("/dev/shm").is_dir() {
            true => tempfile::tempdir_in("/dev/shm").expect("a directory in memory"),
            false => tempfile::tempdir().expect("a temporary directory"),
        });
        let read = || (target.read)(bytes, place.path());
        catch_unwind(AssertUnwindSafe(read)).map_err(|panic| {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            words.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_string()
        })
    })
}

/// A refusal must have words, on one line, that a terminal bears.
fn told<T, E: std::fmt::Display>(result: Result<T, E>) -> Option<T> {
    match result {
        Ok(read) => Some(read),
        Err(error) => {
            let words = error.to_string();
            assert!(!words.is_empty(), "a refusal without a word");
            None
        }
    }
}

fn put(bytes: &[u8], directory: &Path, name: &str) -> PathBuf {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().expect("in a directory")).expect("room for a directory");
    fs::write(&path, bytes).expect("room for a file");
    path
}

fn path_of(path: &Path) -> Settings {
    let path = path.to_str().expect("a temporary path is UTF-8");
    Settings::from_iter([("path".to_string(), path.into())])
}

/// Look at the ends of a data set as training and scoring do.
fn look(data: &dyn Dataset) {
    let mut seen = vec![f32::NAN; data.shape().size()];
    let mut values = vec![f32::NAN; data.factors().len()];
    for row in [0, data.len() / 2, data.len().saturating_sub(1)] {
        if row < data.len() {
            data.observe(row, &mut seen);
            data.values(row, &mut values);
            assert!(
                seen.iter().all(|number| number.is_finite()),
                "an observation that is no number"
            );
        }
    }
}

/// As codes, as results of a study, and as data.
fn table(bytes: &[u8], place: &Path, name: &str) {
    let path = put(bytes, place, name);
    if let Some(table) = told(Table::read(&path, &["codes"])) {
        let rows = table.rows();
        assert!(table.columns.iter().all(|column| column.numbers.len() == rows));
    }
    if !name.ends_with("npy") {
        told(Frame::read(&path));
    }
    if let Some((data, _)) = told(data::open("table", &path_of(&path))) {
        look(&*data);
    }
}

/// As a representation, as arrays of images, and as a table.
fn npz(bytes: &[u8], place: &Path) {
    let path = put(bytes, place, "a.npz");
    told(Representation::load(&path));
    told(Table::read(&path, &["codes"]));
    if let Some((data, _)) = told(data::open("arrays", &path_of(&path))) {
        look(&*data);
    }
}

fn sequence(frames: &[u8], about: &[u8], place: &Path) {
    let path = put(frames, place, "sequence/train.npz");
    let directory = path.parent().expect("in a directory");
    put(about, directory, "settings.json");
    if let Some((data, _)) = told(data::open("citris", &path_of(directory))) {
        look(&*data);
        (0..data.len()).for_each(|row| drop(data.next(row)));
    }
}

/// What is said beside sound frames: the graph and the names of the variables.
fn world(about: &[u8], place: &Path) {
    static FRAMES: OnceLock<Vec<u8>> = OnceLock::new();
    let frames = FRAMES.get_or_init(|| {
        let path = place.join("frames.npz");
        let mut file = NpzWriter::create(&path).expect("room for a file");
        file.array("images", &[3, 2, 2, 4], &[7_u8; 48]).expect("room");
        file.array("latents", &[3, 2], &[0.5_f32, 1.0, 0.25, 1.0, 0.75, 1.0]).expect("room");
        file.array("targets", &[2, 2], &[1.0_f32, 0.0, 0.0, 0.0]).expect("room");
        file.strings("keys", &["ball_x".into(), "ball_y".into()]).expect("room");
        file.finish().expect("room");
        fs::read(path).expect("just written")
    });
    sequence(frames, about, place);
}

fn picture(bytes: &[u8], place: &Path, name: &str) {
    let path = put(bytes, &place.join("folder"), name);
    let opened = data::open("images", &path_of(path.parent().expect("in a directory")));
    if let Some((data, _)) = told(opened) {
        look(&*data);
    }
}

/// Import published files of which one is given.
fn import(name: &str, files: &[(&str, &[u8])], place: &Path) {
    let publication = data::find(name).expect("in the registry").publication.expect("published");
    let (from, library) = (place.join("from"), place.join("library"));
    for (file, bytes) in files {
        put(bytes, &from, file);
    }
    let done =
        library::import_to(publication, &from, &library.join(name), true, &Stage::unwatched());
    if told(done).is_some() {
        for part in publication.parts {
            if let Some(data) = told(library::open_at(&library.join(name), part)) {
                look(&*data);
            }
        }
    }
    let _ = fs::remove_dir_all(&from);
    let _ = fs::remove_dir_all(&library);
}

fn idx(bytes: &[u8], place: &Path) {
    let numbers = |numbers: &[u32]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
    };
    let images = [numbers(&[2051, 2, 28, 28]), vec![9; 2 * 784]].concat();
    let labels = [numbers(&[2049, 2]), vec![3, 4]].concat();
    let files = [
        ("train-images-idx3-ubyte", bytes),
        ("train-labels-idx1-ubyte", &labels[..]),
        ("t10k-images-idx3-ubyte", &images[..]),
        ("t10k-labels-idx1-ubyte", &labels[..]),
    ];
    import("mnist", &files, place);
}

fn norb(bytes: &[u8], place: &Path) {
    // A stereo pair of 96 x 96 bytes.
    let matrix = |kind: u32, sizes: &[u32], contents: &[u8]| -> Vec<u8> {
        let head = [&[kind, sizes.len() as u32], sizes].concat();
        let head = head.iter().flat_map(|number| number.to_le_bytes());
        head.chain(contents.iter().copied()).collect()
    };
    let images = matrix(0x1e3d_4c55, &[1, 2, 96, 96], &vec![7; 2 * 96 * 96]);
    let category = matrix(0x1e3d_4c54, &[1, 1, 1], &[0; 4]);
    let info = matrix(0x1e3d_4c54, &[1, 4, 1], &[0; 16]);
    let (training, testing) =
        ("smallnorb-5x46789x9x18x6x2x96x96-training", "smallnorb-5x01235x9x18x6x2x96x96-testing");
    let names = |part: &str| ["dat", "cat", "info"].map(|kind| format!("{part}-{kind}.mat"));
    let [dat, cat, about] = names(training);
    let [other_dat, other_cat, other_about] = names(testing);
    let files = [
        (dat.as_str(), &images[..]),
        (&cat, &category),
        (&about, bytes),
        (&other_dat, bytes),
        (&other_cat, &category),
        (&other_about, &info),
    ];
    import("smallnorb", &files, place);
}

fn mat(bytes: &[u8], place: &Path) {
    let files = [("data/cars/car_001_mesh.mat", bytes), ("data/cars/list.txt", b"car_001_mesh\n")];
    import("cars3d", &files, place);
}

fn tar(bytes: &[u8], place: &Path) {
    import("cars3d", &[("nips2015-analogy-data.tar.gz", bytes)], place);
}

fn hdf5(bytes: &[u8], place: &Path) {
    import("dsprites", &[("dsprites_ndarray_co1sh3sc6or40x32y32_64x64.hdf5", bytes)], place);
}

fn amat(bytes: &[u8], place: &Path) {
    let files = ["train", "valid", "test"].map(|part| format!("binarized_mnist_{part}.amat"));
    import("binarized-mnist", &files.each_ref().map(|file| (file.as_str(), bytes)), place);
}

fn zip(bytes: &[u8], place: &Path) {
    import("omniglot", &[("images_background.zip", bytes)], place);
}

/// The state of an optimiser, which is a file in a file: Adam's moments of a network of a few weights.
fn optimizer(bytes: &[u8], _: &Path) {
    told(small().set_optimizer_state(bytes));
}

fn small() -> Box<dyn Learner> {
    let data = data::open("squares", &Settings::new()).expect("squares are drawn").0;
    let task = Task::of(&*data);
    let settings = "latents = 2\nwidth = 4\nnet = 'fc'".parse().expect("TOML");
    let method = models::find("vae").expect("in the registry");
    (method.configure)(&settings, &task).expect("sound settings").build(&task, &Rng::new(0))
}

/// The settings of a run, up to the moment at which data would be opened.
fn settings(bytes: &[u8], place: &Path) {
    let run = place.join("run");
    put(bytes, &run, "run.toml");
    if let Some(run) = told(Run::open(&run)) {
        let written = run.config().to_table();
        told(
            Config::from_table(written)
                .map_err(|error| panic!("settings of a run that opened: {error}")),
        );
    }
    told(check(&run));
}

fn study(bytes: &[u8], place: &Path) {
    let directory = place.join("study");
    put(bytes, &directory, "study.toml");
    if let Some(study) = told(Study::open(&directory)) {
        study.runs.iter().for_each(|run| drop(study.directory_of(run)));
    }
}

/// A run as it is after two steps.
fn trained(place: &Path) -> PathBuf {
    static WEIGHTS: OnceLock<Vec<u8>> = OnceLock::new();
    let run = place.join("trained");
    let weights = WEIGHTS.get_or_init(|| {
        let learner = small();
        let about = weights::Map::from_iter([("step".to_string(), 2.into())]);
        let state = learner.optimizer_state();
        weights::to_sealed_bytes(&learner.weights(), &[("optimizer", &state)], &about)
    });
    if !run.exists() {
        let settings = "format = 1\n[data]\nname = 'squares'\n[model]\nname = 'vae'\nlatents = 2\n\
                        width = 4\nnet = 'fc'\n[train]\nsteps = 9\n";
        put(settings.as_bytes(), &run, "run.toml");
        put(weights, &run, "resume/checkpoint.safetensors");
        put(weights, &run, "model.safetensors");
    }
    run
}

fn log(bytes: &[u8], place: &Path) {
    let run = trained(place);
    put(bytes, &run, "log.jsonl");
    told(check(&run));
    told(told(Run::open(&run)).expect("sound settings").log_rows());
}

fn document(bytes: &[u8], place: &Path) {
    let run = trained(place);
    put(bytes, &run, "scores.json");
    told(told(Run::open(&run)).expect("sound settings").document("scores.json"));
}
