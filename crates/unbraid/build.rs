//! Tells the program which commit it was built from; "unknown" outside a git checkout.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=../../.git/logs/HEAD");
    let output = Command::new("git").args(["rev-parse", "--short", "HEAD"]).output();
    let commit = output.ok().filter(|output| output.status.success());
    let commit = commit.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    println!("cargo:rustc-env=UNBRAID_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}
