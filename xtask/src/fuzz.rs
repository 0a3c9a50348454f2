//! `cargo xtask fuzz`: libFuzzer over the targets of `fuzz/src/targets.rs`, one after the other, and a table of what came of it.
//!
//! Coverage is counted by the compiler that is there; no nightly is asked for. What is found is kept in
//! `target/fuzz/found`, what is new in `target/fuzz/corpus`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, cargo, repository};

/// Counters for every edge, and the operands of comparisons, which lead through magic numbers.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                     -Cllvm-args=-sanitizer-coverage-pc-table \
                     -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=16";
/// Longer inputs are slower, and no format needs them to go wrong.
const LONGEST: usize = 1 << 16;
/// An execution that takes longer hangs, in seconds.
const HANGS: u64 = 10;
/// An input of more bytes is not kept in the repository.
const KEPT: u64 = 4096;

/// So many new inputs of a target are kept at once.
const MANY: usize = 40;

/// What is asked for.
struct Options {
    targets: Vec<String>,
    seconds: u64,
    keep: bool,
    /// Built before; empty for what is built now.
    program: PathBuf,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self> {
        let mut options =
            Self { targets: vec![], seconds: 600, keep: false, program: PathBuf::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--keep" => options.keep = true,
                "--seconds" => {
                    let value = words.next().and_then(|value| value.parse().ok());
                    options.seconds = value.ok_or("`--seconds` needs a whole number")?;
                }
                "--program" => {
                    let path = words.next().ok_or("`--program` needs a path")?;
                    options.program = std::path::absolute(path).map_err(|e| e.to_string())?;
                }
                option if option.starts_with('-') => {
                    return Err(format!("unknown option `{option}` of `cargo xtask fuzz`"));
                }
                target => options.targets.push(target.into()),
            }
        }
        let known = targets()?;
        if let Some(unknown) = options.targets.iter().find(|target| !known.contains(target)) {
            return Err(format!("unknown target `{unknown}`; there are {}", known.join(", ")));
        }
        if options.targets.is_empty() {
            options.targets = known;
        }
        Ok(options)
    }
}

/// The names of all targets: each has a folder of the corpus.
fn targets() -> Result<Vec<String>> {
    let corpus = repository("fuzz/corpus");
    let entries = fs::read_dir(&corpus).map_err(|source| format!("no corpus: {source}"))?;
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok().map(name)).collect();
    names.sort();
    Ok(names)
}

/// Fuzz; whether nothing was found.
pub(crate) fn run(words: &[&str]) -> Result<bool> {
    let options = Options::parse(words)?;
    let program = match options.program.as_os_str().is_empty() {
        true => build()?,
        false => options.program.clone(),
    };
    let mut table = String::from(
        "| target | executions | edges and values seen | slowest, s | memory, MB | found |\n|---|--:|--:|--:|--:|--:|\n",
    );
    let (mut all, mut found) = (0, 0);
    for target in &options.targets {
        let told = fuzz(&program, target, options.seconds)?;
        all += told.executions;
        found += told.found;
        let Told { executions, features, slowest, memory, found } = told;
        let line =
            format!("| {target} | {executions} | {features} | {slowest} | {memory} | {found} |\n");
        print!("{line}");
        table.push_str(&line);
        if options.keep {
            keep(&program, target)?;
        }
    }
    println!("\n{table}| all | {all} | | | | {found} |");
    if found > 0 {
        println!("what was found is in {}", place("found").display());
    }
    Ok(found == 0)
}

fn place(name: &str) -> PathBuf {
    repository("target/fuzz").join(name)
}

fn build() -> Result<PathBuf> {
    let triple = triple()?;
    let mut command = cargo(&["build", "--release", "--target", &triple]);
    command.current_dir(repository("fuzz"));
    command.env("RUSTFLAGS", FLAGS).env("CARGO_TARGET_DIR", repository("target/fuzz"));
    match command.status() {
        Ok(status) if status.success() => Ok(place(&triple).join("release").join("unbraid-fuzz")),
        _ => Err("the fuzz targets cannot be built; libFuzzer needs a C++ compiler".into()),
    }
}

/// With a target of its own, flags do not reach build scripts and macros, which cannot bear them.
fn triple() -> Result<String> {
    let told = Command::new("rustc").arg("-vV").output().map_err(|source| source.to_string())?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or("rustc does not say its host".into())
}

/// What libFuzzer says at the end.
#[derive(Default)]
struct Told {
    executions: u64,
    features: u64,
    slowest: u64,
    memory: u64,
    found: usize,
}

fn fuzz(program: &Path, target: &str, seconds: u64) -> Result<Told> {
    let (corpus, found) = (place("corpus").join(target), place("found"));
    for directory in [&corpus, &found] {
        fs::create_dir_all(directory).map_err(|source| source.to_string())?;
    }
    let seeds = repository("fuzz/corpus").join(target);
    let mut told = Told::default();
    let start = std::time::Instant::now();
    // It ends at the first input that it finds, and goes on behind it.
    while start.elapsed().as_secs() < seconds && told.found < 20 {
        let left = (seconds - start.elapsed().as_secs()).max(1);
        let before = count(&found);
        let output = Command::new(program)
            .args([&corpus, &seeds])
            .arg(format!("-max_total_time={left}"))
            .arg(format!("-max_len={LONGEST}"))
            .arg(format!("-timeout={HANGS}"))
            .arg(format!("-artifact_prefix={}/{target}-", found.display()))
            .args(["-print_final_stats=1", "-rss_limit_mb=4096", "-detect_leaks=0"])
            .env("UNBRAID_FUZZ", target)
            .output()
            .map_err(|source| format!("the fuzzer cannot be started: {source}"))?;
        let words = String::from_utf8_lossy(&output.stderr);
        let stat = |name: &str| {
            let line = words.lines().find_map(|line| line.strip_prefix(&format!("stat::{name}:")));
            line.and_then(|number| number.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        told.executions += stat("number_of_executed_units");
        told.slowest = told.slowest.max(stat("slowest_unit_time_sec"));
        told.memory = told.memory.max(stat("peak_rss_mb"));
        let features = words.lines().rev().find_map(|line| line.split(" ft: ").nth(1));
        let features = features.and_then(|rest| rest.split(' ').next()?.parse().ok());
        told.features = features.unwrap_or(told.features);
        if output.status.success() {
            break;
        }
        if count(&found) == before {
            let last: Vec<&str> = words.lines().rev().take(5).collect();
            return Err(format!("{target}: the fuzzer stopped: {}", last.join(" / ")));
        }
        told.found += 1;
        let why = words.lines().find(|line| line.starts_with(&format!("{target}: ")));
        println!("found: {}", why.unwrap_or("an input that hangs or takes too much memory"));
    }
    Ok(told)
}

fn count(directory: &Path) -> usize {
    fs::read_dir(directory).map_or(0, Iterator::count)
}

/// Take over into the repository what reaches new code, as few and as small inputs as do.
fn keep(program: &Path, target: &str) -> Result<()> {
    let (merged, corpus) = (place("merged").join(target), repository("fuzz/corpus").join(target));
    let _ = fs::remove_dir_all(&merged);
    fs::create_dir_all(&merged).map_err(|source| source.to_string())?;
    let status = Command::new(program)
        .arg("-merge=1")
        .args([&merged, &corpus, &place("corpus").join(target)])
        .env("UNBRAID_FUZZ", target)
        .output();
    status.map_err(|source| format!("the corpus cannot be merged: {source}"))?;
    let size = |entry: &fs::DirEntry| entry.metadata().map_or(u64::MAX, |file| file.len());
    let entries = fs::read_dir(&merged).into_iter().flatten().flatten();
    let mut new: Vec<fs::DirEntry> = entries
        .filter(|entry| size(entry) <= KEPT && !corpus.join(entry.file_name()).exists())
        .collect();
    new.sort_by_key(|entry| (size(entry), entry.file_name()));
    // Of all sizes, and no more than a reader of the repository would bear.
    for number in 0..MANY.min(new.len()) {
        let entry = &new[number * new.len() / MANY.min(new.len())];
        fs::copy(entry.path(), corpus.join(entry.file_name()))
            .map_err(|source| source.to_string())?;
    }
    Ok(())
}
