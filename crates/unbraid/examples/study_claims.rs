//! How long a run takes to be claimed when many workers want one: 64 at once on one directory, with a program in
//! place of unbraid that ends at once. `bench/study_scale.py` runs it.
//!
//!     cargo run --release -p unbraid --example study_claims -- DIRECTORY

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use unbraid::study::{Orders, Study};
use unbraid::watch::Nobody;

const WORKERS: usize = 64;
const RUNS: usize = 6400;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(std::env::args().nth(1).ok_or("where? give a directory")?);
    let seeds: Vec<String> = (0..RUNS).map(|seed| seed.to_string()).collect();
    let file =
        format!("data.name = 'squares'\nmodel.name = 'pca'\nvary.seed = [{}]", seeds.join(","));
    let study = Study::create(&directory, &file.parse()?)?;
    let program = directory.join("program.sh");
    // The last word is the directory of the run.
    std::fs::write(
        &program,
        "#!/bin/sh\nfor last; do :; done\nmkdir -p \"$last\" && : > \"$last/scores.json\"\n",
    )?;
    make_executable(&program)?;
    let alone = timed(1, &study, &program, "*seed-1*");
    let crowd = timed(WORKERS, &study, &program, "*");
    println!("| a run by one worker, its program included | {alone:.4} | |");
    println!("| a run by {WORKERS} workers at once, its program included | {crowd:.4} | |");
    Ok(())
}

/// Seconds a run, of those that this pattern names and that are not done.
fn timed(workers: usize, study: &Study, program: &Path, only: &str) -> f64 {
    let count = || study.runs.iter().filter(|run| study.is_done(run)).count();
    let (begun, before) = (Instant::now(), count());
    std::thread::scope(|scope| {
        for shard in 0..workers {
            scope.spawn(move || {
                let orders = Orders { shard, only: Some(only.into()), ..Orders::of(1) };
                study.work(program, &orders, &Nobody)
            });
        }
    });
    begun.elapsed().as_secs_f64() / (count() - before) as f64
}

fn make_executable(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let _ = path;
    Ok(())
}
