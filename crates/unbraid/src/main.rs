//! The program: parse, run, print the error, exit.

use std::process::ExitCode;

mod cli;

/// Large tensors come and go with every step; see the allocator for what that would cost.
#[global_allocator]
static POOL: unbraid_kernels::Pool = unbraid_kernels::Pool::new();

fn main() -> ExitCode {
    cli::say_where_to_report();
    match cli::run() {
        Ok(code) => code,
        // The reader of a pipe may leave early (`unbraid list | head`); that is no error.
        Err(error) if cli::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            cli::print_error(&error);
            ExitCode::FAILURE
        }
    }
}
