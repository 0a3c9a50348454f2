//! Our files as other programs see them: safetensors, NumPy and TensorBoard in Python.
//! `cargo xtask test` installs them in a virtual environment and names its interpreter.

#![allow(clippy::print_stdout, reason = "a skipped test says so")]

mod program;

use std::path::Path;
use std::process::Command;

use program::{succeed, word};

/// Run a script with words in Python and return what it printed, or nothing where there is none.
fn python(script: &str, words: &[&str]) -> Option<String> {
    let Some(interpreter) = std::env::var_os("UNBRAID_PYTHON") else {
        println!("skipped: reading our files in Python (UNBRAID_PYTHON is not set)");
        return None;
    };
    let output = Command::new(interpreter).arg("-c").arg(script).args(words).output();
    let output = output.expect("the interpreter starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    Some(String::from_utf8(output.stdout).expect("text").trim().to_string())
}

fn trained(directory: &Path) -> std::path::PathBuf {
    let out = directory.join("run");
    succeed(&[
        "train",
        "--quiet",
        "--model",
        "beta-vae",
        "--data",
        "squares",
        "--steps",
        "30",
        "--set",
        "train.log_every=10",
        "--set",
        "model.latents=3",
        "--out",
        word(&out),
    ]);
    out
}

#[test]
fn safetensors_reads_the_weights() {
    let directory = tempfile::tempdir().unwrap();
    let out = trained(directory.path());
    let script = "
import sys, json
from safetensors import safe_open
with safe_open(sys.argv[1], 'np') as file:
    about = json.loads(file.metadata()['unbraid'])
    names = list(file.keys())
    print(about['model'], about['step'], file.get_tensor('net.encoder.mean.weight').shape, len(names))
";
    if let Some(printed) = python(script, &[word(&out.join("model.safetensors"))]) {
        // Four convolutions, one dense layer, mean and variance; two dense layers, four
        // transposed convolutions; a weight and a bias each.
        assert_eq!(printed, "beta-vae 30 (256, 3) 26");
    }
}

#[test]
fn tensorboard_reads_the_curves_and_the_picture() {
    let directory = tempfile::tempdir().unwrap();
    let out = trained(directory.path());
    let script = "
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={'images': 0}); events.Reload()
print(sorted(events.Tags()['scalars']))
print([scalar.step for scalar in events.Scalars('train/loss')])
image = events.Images('traversal')[-1]
print(image.step, image.width > 300, image.encoded_image_string[:4] == b'\\x89PNG')
";
    if let Some(printed) = python(script, &[word(&out.join("tb"))]) {
        let lines: Vec<&str> = printed.lines().collect();
        let terms = ["active_units", "kl", "kl/0", "kl/1", "kl/2", "loss", "reconstruction"];
        let terms = terms.map(|term| format!("'train/{term}'"));
        assert_eq!(lines[0], format!("[{}]", terms.join(", ")));
        assert_eq!(lines[1], "[1, 10, 20, 30]");
        assert_eq!(lines[2], "30 True True");
    }
}

#[test]
fn numpy_reads_made_data_and_codes() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("squares.npz");
    succeed(&["data", "make", "squares", "--quiet", "--out", word(&data)]);
    let out = trained(directory.path());
    let codes = directory.path().join("codes.npz");
    succeed(&["encode", word(&out), "--quiet", "--data", word(&data), "--out", word(&codes)]);
    let script = "
import sys
import numpy as np
made, codes = np.load(sys.argv[1]), np.load(sys.argv[2])
print(made['images'].dtype, made['images'].shape, made['values'].dtype, made['values'].shape)
print(list(made['names']), made['images'].max(), made['values'][0].tolist())
print(codes['codes'].dtype, codes['codes'].shape, list(codes['names']))
print(bool((codes['values'] == made['values']).all()))
";
    if let Some(printed) = python(script, &[word(&data), word(&codes)]) {
        let lines: Vec<String> = printed.lines().map(|line| line.replace("np.str_", "")).collect();
        assert_eq!(lines[0], "uint8 (405, 16, 16, 1) float32 (405, 4)");
        assert!(lines[1].contains("255 [4.0, 6.0, 4.0, 0.4"), "{}", lines[1]);
        assert!(lines[2].starts_with("float32 (405, 3)"), "{}", lines[2]);
        assert_eq!(lines[3], "True");
    }
}
