//! `cargo xtask faults`: whatever happens to the machine, nothing is lost and nothing is silently wrong.
//!
//! A command of the program is run in a small directory while something goes wrong: a call on a file fails, the process
//! is killed, the power is cut, somebody else does the same, a bit flips. Then it is run again. It must end with the bytes
//! that it has where nothing went wrong, or be refused with one sentence; anything else is a defect.

use std::fs;
use std::path::PathBuf;

use crate::Result;
use chance::Chance;
use ledger::Ledger;
use program::Program;
use scenes::Scene;
use shim::Shim;
use stage::{Stage, Verdict};

mod bits;
mod calls;
mod chance;
mod contents;
mod disk;
mod kills;
mod ledger;
mod material;
mod models;
mod options;
mod power;
mod program;
mod results;
mod rivals;
mod scenes;
mod shim;
mod stage;
mod trace;
mod tree;

pub(crate) use options::Options;

/// What can go wrong, cheapest to explain first.
const KINDS: [&str; 5] = ["calls", "power", "kills", "rivals", "bits"];

/// What every kind works with.
struct Bench {
    options: Options,
    program: Program,
}

/// Run it; whether there was no defect.
pub(crate) fn run(words: &[&str]) -> Result<bool> {
    let options = Options::parse(words)?;
    if let Some(reason) = Shim::lack() {
        println!("skipped: faults ({reason})");
        return Ok(true);
    }
    // A directory of its own, since it is removed at the end, and several may run at once.
    let root = options.at.join(format!("faults-{}", std::process::id()));
    fs::create_dir_all(&root)
        .map_err(|source| format!("cannot make {}: {source}", root.display()))?;
    // The shim compares paths as the kernel knows them.
    let root = root
        .canonicalize()
        .map_err(|source| format!("cannot find {}: {source}", root.display()))?;
    let done = in_directory(options, &root);
    let _ = fs::remove_dir_all(&root);
    done
}

fn in_directory(options: Options, root: &std::path::Path) -> Result<bool> {
    let shim = Shim::build(root)?;
    material::write(&root.join("material"))?;
    let path: PathBuf = options.program()?;
    let program = Program { path, shim, root: root.to_path_buf() };
    let mut ledger = Ledger::new(&options);
    let bench = Bench { options, program };
    for kind in &bench.options.kinds {
        match kind.as_str() {
            "calls" => calls::run(&bench, &mut ledger)?,
            "power" => power::run(&bench, &mut ledger)?,
            "kills" => kills::run(&bench, &mut ledger)?,
            "rivals" => rivals::run(&bench, &mut ledger)?,
            _ => bits::run(&bench, &mut ledger)?,
        }
    }
    print!("{}", ledger.report());
    Ok(ledger.is_clean())
}

impl Bench {
    /// How many cases of a kind, if nothing else was asked for.
    fn count(&self, full: usize, short: usize) -> usize {
        let only = self.options.only.as_ref().and_then(|only| only.parse::<usize>().ok());
        match (only, self.options.count, self.options.short) {
            (Some(only), ..) => only + 1,
            (_, Some(count), _) => count,
            (.., true) => short,
            _ => full,
        }
    }

    /// Try cases that are numbered over all scenes in turn, so that a number means the same in a short run and a long
    /// one: each with the random numbers of its own, which gives the verdict and what was done, in words.
    fn each<'a>(
        &'a self,
        kind: &str,
        [full, short]: [usize; 2],
        scenes: &[Scene],
        ledger: &mut Ledger,
        mut case: impl FnMut(&Stage<'a>, usize, &mut Chance) -> Result<(Verdict, String)>,
    ) -> Result<()> {
        let count = self.count(full, short);
        for (place, scene) in scenes.iter().enumerate() {
            let mine = (0..count).filter(|number| number % scenes.len() == place);
            let mine: Vec<usize> = mine.filter(|number| self.wants(&number.to_string())).collect();
            if mine.is_empty() || !self.has(scene) {
                continue;
            }
            let stage = Stage::new(scene.clone(), &self.program)?;
            for number in mine {
                let chance = &mut Chance::of(self.options.seed, kind, number);
                let (verdict, what) = case(&stage, place, chance)?;
                ledger.enter(kind, &scene.name, &number.to_string(), &what, verdict);
            }
        }
        Ok(())
    }

    /// Whether a scene is played.
    fn has(&self, scene: &Scene) -> bool {
        !self.options.short || scenes::SHORT.contains(&scene.name.as_str())
    }

    /// Whether a case is to be tried.
    fn wants(&self, number: &str) -> bool {
        self.options.only.as_ref().is_none_or(|only| only == number)
    }

    /// Whether cases of a scene may be.
    fn wants_any_of(&self, scene: &str) -> bool {
        let scene = format!("{scene}:");
        self.options.only.as_ref().is_none_or(|only| only.starts_with(&scene))
    }
}
