//! Tells the program which commit it was built from; "unknown" outside a git checkout.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Of a second worktree it lies elsewhere, and of an archive nowhere: a file that does not exist would
    // mean building again every time.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).is_file()
    {
        println!("cargo:rerun-if-changed={log}");
    }
    let commit = git(&["rev-parse", "--short", "HEAD"]);
    println!("cargo:rustc-env=UNBRAID_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}
