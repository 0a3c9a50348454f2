//! What the commands are given: a study file, and digits in the form in which MNIST was published.

use std::fs;
use std::path::Path;

use super::chance::Chance;
use crate::Result;

const STUDY: &str = "\
takeover = 2
data = { name = 'squares', variant = { size = 8 } }
train = { steps = 6, batch = 4, threads = 1, log_every = 1, checkpoint_every = 2 }
score = { metrics = ['mig'], rows = 200 }
[vary]
seed = [0, 1]
[[rows]]
name = 'VAE'
model = { name = 'vae', latents = 2, net = 'fc', width = 4 }
[[rows]]
name = 'PCA'
model = { name = 'pca', latents = 2 }
";

/// Write everything into a directory.
pub(super) fn write(directory: &Path) -> Result<()> {
    let written = || -> std::io::Result<()> {
        for (folder, number) in [("digits", 0), ("others", 1)] {
            let folder = directory.join(folder);
            fs::create_dir_all(&folder)?;
            let mut chance = Chance::of(0, "digits", number);
            for (part, rows) in [("train", 40), ("t10k", 10)] {
                let images = idx(&[rows, 28, 28], &mut || chance.byte());
                fs::write(folder.join(format!("{part}-images-idx3-ubyte")), images)?;
                let labels = idx(&[rows], &mut || chance.byte() % 10);
                fs::write(folder.join(format!("{part}-labels-idx1-ubyte")), labels)?;
            }
        }
        fs::write(directory.join("study.toml"), STUDY)
    };
    written().map_err(|source| format!("cannot write {}: {source}", directory.display()))
}

/// An IDX file of bytes: two zeros, the type, the number of axes, their lengths; then the numbers.
fn idx(shape: &[u32], byte: &mut impl FnMut() -> u8) -> Vec<u8> {
    let mut file = vec![0, 0, 8, shape.len() as u8];
    file.extend(shape.iter().flat_map(|length| length.to_be_bytes()));
    let count = shape.iter().product::<u32>();
    file.extend((0..count).map(|_| byte()));
    file
}
