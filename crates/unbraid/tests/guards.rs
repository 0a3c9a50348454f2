//! Everything a user can get wrong: one sentence with the way out, a non-zero exit, no panic.

#![allow(clippy::print_stdout, reason = "a skipped test says so")]

mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use program::{check_refusal, refuse, run, succeed, unbraid, unsealed, word};
use tempfile::TempDir;
use unbraid_measure::npz::NpzWriter;

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

/// Train `vae` on `squares` in very few, very small steps.
fn tiny<'a>(out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let words = [
        "train",
        "--quiet",
        "--model",
        "vae",
        "--data",
        "squares",
        "--steps",
        "4",
        "--set",
        "model.net=fc",
        "--set",
        "model.width=8",
        "--set",
        "train.checkpoint_every=1",
        "--out",
        word(out),
    ];
    [&words[..], more].concat()
}

fn trained(directory: &TempDir) -> PathBuf {
    let out = directory.path().join("run");
    succeed(&tiny(&out, &[]));
    out
}

/// An .npz with one array of f32.
fn npz(directory: &TempDir, name: &str, shape: &[usize], values: &[f32]) -> PathBuf {
    let path = directory.path().join("user.npz");
    let mut file = NpzWriter::create(&path).unwrap();
    file.array(name, shape, values).unwrap();
    file.finish().unwrap();
    path
}

#[test]
fn a_loss_that_is_no_number_stops_with_step_and_term_and_keeps_the_checkpoint() {
    let directory = directory();
    let out = directory.path().join("run");
    let output = run(&tiny(&out, &["--set", "train.learning_rate=1e18", "--steps", "50"]));
    check_refusal(&output, "training stopped at step ");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("reconstruction is ") || errors.contains("kl is "), "{errors}");
    assert!(errors.contains("is kept"), "{errors}");
    // What is kept can be read, and its weights are numbers.
    let bytes = fs::read(out.join("model.safetensors")).unwrap();
    let numbers = bytes[safetensors_header(&bytes)..]
        .as_chunks::<4>()
        .0
        .iter()
        .map(|n| f32::from_le_bytes(*n));
    assert!(numbers.into_iter().all(f32::is_finite));
}

/// Where the numbers of a safetensors file begin.
fn safetensors_header(bytes: &[u8]) -> usize {
    u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize + 8
}

#[test]
fn wrong_names_and_keys_are_answered_with_a_suggestion() {
    let directory = directory();
    let out = directory.path().join("run");
    let train = |more: &[&'static str], sentence: &str| {
        refuse(&tiny(&out, more), sentence);
        assert!(!out.exists(), "nothing may be left of a refused run");
    };
    train(&["--model", "betavae"], "unknown model `betavae`; did you mean `beta-vae`?");
    train(&["--data", "dsprite"], "unknown data set `dsprite`; did you mean `dsprites`?");
    train(
        &["--set", "model.latent=3"],
        "setting `model.latent` is unknown; did you mean `latents`?",
    );
    train(&["--set", "optimizer.rate=3"], "setting `optimizer` is unknown");
    train(&["--set", "model.latents=many"], "setting `model.latents` cannot be \"many\"");
    train(&["--set", "train.batch=100000"], "more than the 405 rows of the data");
    refuse(&["train", "--model", "vae", "--out", word(&out)], "setting `data.name` is missing");
    refuse(&["train", "--model", "vae", "--data", "squares"], "give --out DIRECTORY");
    refuse(&["show", "migg"], "nothing is called `migg`; did you mean `mig`?");
    refuse(&["score", "--codes", "x.npy", "--metrics", "mgi"], "unknown metric `mgi`");
    assert_eq!(run(&["trian"]).status.code(), Some(2));
}

#[test]
fn broken_toml_shows_the_place() {
    let directory = directory();
    let path = directory.path().join("bad.toml");
    fs::write(&path, "seed = 1\n[model\nname = 'vae'\n").unwrap();
    let output = run(&["train", word(&path), "--out", "never"]);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("bad.toml") && errors.contains("line 2"), "{errors}");
    refuse(&["train", "no-such.toml", "--out", "never"], "no such file or directory");
}

#[test]
fn damaged_and_newer_runs_are_refused() {
    let directory = directory();
    let out = trained(&directory);
    let model = out.join("model.safetensors");
    let whole = fs::read(&model).unwrap();
    fs::write(&model, &whole[..whole.len() / 2]).unwrap();
    refuse(&["score", word(&out)], "is it truncated?");
    fs::write(&model, b"not weights at all").unwrap();
    refuse(&["encode", word(&out)], "is no readable safetensors file");
    fs::remove_file(&model).unwrap();
    refuse(&["traverse", word(&out)], "has no model yet");

    let checkpoint = out.join("resume/checkpoint.safetensors");
    fs::write(&checkpoint, b"short").unwrap();
    refuse(&["train", "--resume", "--out", word(&out)], "is it truncated?");

    let toml = out.join("run.toml");
    let text = fs::read_to_string(&toml).unwrap();
    fs::write(&toml, text.replace("beta", "alpha").replace("vae", "pca")).unwrap();
    refuse(&["score", word(&out)], "if you changed it and mean it, remove the line `# checksum`");
    let text = unsealed(&text);
    fs::write(&toml, text.replace("format = 1", "format = 99")).unwrap();
    refuse(&["score", word(&out)], "has format 99, newer than 1; update unbraid");
    fs::write(&toml, text.replace("name = \"vae\"\n", "")).unwrap();
    refuse(&["score", word(&out)], "setting `model.name` is missing");
    fs::write(&toml, text.replace("format = 1\n", "")).unwrap();
    refuse(&["score", word(&out)], "has no `format` number");
    refuse(&["score", word(directory.path())], "is no run directory");
}

#[test]
fn arrays_that_cannot_be_used_are_refused() {
    let directory = directory();
    let out = directory.path().join("run");
    let train = |path: &Path, sentence: &str| {
        refuse(&tiny(&out, &["--data", word(path)]), sentence);
    };
    let mut bad = vec![0.5; 100 * 4];
    bad[17] = f32::NAN;
    train(&npz(&directory, "x", &[100, 4], &bad), "row 4");
    train(&npz(&directory, "x", &[0, 4], &[]), "nothing in it to learn from");
    train(&npz(&directory, "x", &[2, 2, 2, 2, 2], &[0.0; 32]), "[rows, height, width, channels]");
    train(&directory.path().join("nowhere.npz"), "no such file or directory");
    train(&directory.path().join("nowhere"), "no such file or directory");
    fs::write(directory.path().join("user.npz"), b"PK no zip").unwrap();
    train(&directory.path().join("user.npz"), "is it truncated?");
    // Fine as data, but no grid of pixels that can be halved four times.
    let odd = npz(&directory, "images", &[100, 10, 10], &vec![0.5; 100 * 100]);
    let net = "model.net=conv";
    #[rustfmt::skip]
    let words = ["train", "--quiet", "--model", "vae", "--data", word(&odd), "--set", net, "--out", word(&out)];
    refuse(&words, "multiples of 16");
}

#[test]
fn what_no_memory_holds_is_refused_before_it_is_tried() {
    let directory = directory();
    let out = directory.path().join("run");
    refuse(&tiny(&out, &["--set", "model.width=100000000"]), "weights, more than");
    refuse(&tiny(&out, &["--set", "model.latents=100000000000"]), "weights, more than");
    refuse(&tiny(&out, &["--set", "train.threads=1000000"]), "must be at most 1024");
    refuse(&["bench", "step", "--batch", "99999999999"], "too much to time");
    refuse(&["bench", "step", "--shape", "1x99999999999x99999999999"], "too much to time");
    assert!(!out.exists());
    // A header that claims more than there is.
    let claims = directory.path().join("claims.npy");
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    fs::write(&claims, bytes).unwrap();
    refuse(&tiny(&out, &["--data", word(&claims)]), "which no memory holds");
}

#[test]
fn weights_of_another_type_or_size_are_refused() {
    let directory = directory();
    let out = directory.path().join("floor");
    succeed(&["train", "--quiet", "--model", "pca", "--data", "squares", "--out", word(&out)]);
    let model = out.join("model.safetensors");
    let whole = fs::read(&model).unwrap();
    let text = String::from_utf8_lossy(&whole[..safetensors_header(&whole)]).into_owned();
    // As of a program that knows no checksums.
    let text = text.replacen("checksum", "checknum", 1);
    let changed = text.replacen("F32", "I32", 1);
    fs::write(&model, [changed.as_bytes(), &whole[text.len()..]].concat()).unwrap();
    refuse(&["score", word(&out)], "and not F32");
    let changed = text.replacen("\"shape\":[10,256]", "\"shape\":[256,10]", 1);
    assert_ne!(changed, text);
    fs::write(&model, [changed.as_bytes(), &whole[text.len()..]].concat()).unwrap();
    refuse(&["score", word(&out)], "does not fit the others");
}

#[test]
fn real_valued_images_and_data_without_factors_survive_being_made() {
    let directory = directory();
    let values: Vec<f32> = (0..4 * 256).map(|i| i as f32 * 0.1 - 40.0).collect();
    let path = npz(&directory, "images", &[4, 16, 16], &values);
    let made = directory.path().join("made.npz");
    succeed(&["data", "make", word(&path), "--quiet", "--out", word(&made)]);
    let mut file = unbraid_measure::npz::Npz::open(&made).unwrap();
    assert_eq!(file.array("observations").unwrap().into_floats(), values);
    assert!(!file.has("values"));
    succeed(&["data", "make", word(&made), "--quiet", "--out", word(&path)]);
    let bytes: Vec<f32> = (0..4 * 256).map(|i| (i % 256) as f32).collect();
    let path = npz(&directory, "images", &[4, 16, 16], &bytes);
    refuse(&["data", "make", word(&path), "--out", word(&made)], "images.astype(np.uint8)");
}

#[test]
fn an_image_folder_with_mixed_sizes_is_refused_and_resized_on_request() {
    let directory = directory();
    let folder = directory.path().join("faces");
    fs::create_dir(&folder).unwrap();
    for (name, side) in [("a.png", 16), ("b.png", 20)] {
        image::GrayImage::new(side, side).save(folder.join(name)).unwrap();
    }
    let out = directory.path().join("run");
    let data = ["--data", word(&folder), "--set", "train.batch=2"];
    refuse(&tiny(&out, &data), "data.size");
    succeed(&tiny(&out, &[&data[..], &["--set", "data.size=16"]].concat()));
}

#[test]
fn codes_that_do_not_fit_their_factors_are_refused() {
    let directory = directory();
    let codes = npz(&directory, "codes", &[3, 1], &[1.0, 2.0, 3.0]);
    let csv = directory.path().join("factors.csv");
    fs::write(&csv, "1\n2\n").unwrap();
    let score = ["score", "--codes", word(&codes), "--factors", word(&csv)];
    refuse(&score, "codes have 3 rows and factors 2");
    refuse(&["score", "--codes", word(&codes)], "no score could be computed");
    fs::write(&csv, "1\n2\nx\n").unwrap();
    refuse(&score, "line 3 has `x`, which is no number");
    refuse(&["score", "--codes", word(&codes), "--factors", "f.txt"], "is neither .npy");
}

#[test]
fn other_data_must_have_the_shape_the_model_was_trained_on() {
    let directory = directory();
    let out = trained(&directory);
    // As many numbers as the squares have, but arranged otherwise.
    let other = npz(&directory, "images", &[5, 8, 32], &[0.5; 5 * 256]);
    refuse(&["encode", word(&out), "--data", word(&other)], "trained on 1x16x16");
}

#[test]
fn out_of_range_options_are_refused() {
    let directory = directory();
    let out = trained(&directory);
    refuse(&["traverse", word(&out), "--row", "99999"], "--row counts from 0");
    refuse(&["data", "make", "squares", "--out", "x.npz", "--rows", "9999"], "from 1 to 405");
    refuse(&["bench", "step", "--shape", "64"], "channels x height x width");
    refuse(&["bench", "step", "--model", "pca"], "only what takes steps is timed");
    refuse(
        &["data", "make", "squares", "--set", "size=3", "--out", "x.npz"],
        "`data.size` is unknown",
    );
    assert!(!Path::new("x.npz").exists());
}

/// Run the program in a private file system mounted with these options, or say why not.
#[cfg(target_os = "linux")]
fn on_mount(options: &str, words: &[&str]) -> Option<std::process::Output> {
    let mount = directory();
    let script = format!("mount -t tmpfs -o {options} tmpfs \"$0\" && cd \"$0\" && exec \"$@\"");
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]).arg(script);
    command.arg(mount.path()).arg(unbraid().get_program()).args(words).env("NO_COLOR", "1");
    let probe = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .args(["mount -t tmpfs tmpfs \"$0\"", word(mount.path())])
        .output();
    match probe {
        Ok(output) if output.status.success() => Some(command.output().expect("it starts")),
        _ => {
            println!("skipped: full and read-only disks (no user namespaces with mounts here)");
            None
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_so() {
    let out = PathBuf::from("run");
    if let Some(output) = on_mount("size=64k", &tiny(&out, &["--set", "model.width=64"])) {
        check_refusal(&output, "the disk is full; free some space");
    }
    if let Some(output) = on_mount("size=64k", &["data", "make", "pendulum", "--out", "p.npz"]) {
        check_refusal(&output, "the disk is full; free some space");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_disk_is_said_so() {
    if let Some(output) = on_mount("ro", &tiny(&PathBuf::from("run"), &[])) {
        check_refusal(&output, "choose a place you may write to");
    }
}
