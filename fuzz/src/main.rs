//! libFuzzer over one target, named by `UNBRAID_FUZZ`. A panic, a leak of memory into more than the file
//! pays for, or an endless read ends the process, and libFuzzer keeps the input.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

mod memory;
mod targets;

#[global_allocator]
static ALLOCATOR: memory::Counted = memory::Counted;

static TARGET: OnceLock<&targets::Target> = OnceLock::new();

fuzz_target!(
    init: {
        let name = std::env::var("UNBRAID_FUZZ").unwrap_or_default();
        let found = targets::TARGETS.iter().find(|target| target.name == name);
        let known = || targets::TARGETS.iter().map(|target| target.name).collect::<Vec<_>>();
        TARGET.get_or_init(|| found.unwrap_or_else(|| panic!("UNBRAID_FUZZ is one of {:?}", known())));
        // libFuzzer's hook aborts at once; some readers catch the panics of a library that they use.
        std::panic::set_hook(Box::new(|_| ()));
    },
    |bytes: &[u8]| {
        let target = TARGET.get().expect("set by init");
        memory::start();
        if let Err(panic) = targets::run(target, bytes) {
            eprintln!("{}: {panic}", target.name);
            std::process::abort();
        }
        let peak = memory::peak();
        if peak > memory::allowed(bytes.len()) {
            eprintln!("{}: {peak} bytes of memory for a file of {}", target.name, bytes.len());
            std::process::abort();
        }
    }
);
