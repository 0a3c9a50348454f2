//! `unbraid report`: one page about a run, with what is missing made first.

use anyhow::Result;
use unbraid::run::Run;
use unbraid::run::files::REPORT;

use super::args::Report;
use super::progress::Screen;
use super::{Output, loaded};

pub(super) fn run(options: &Report, output: Output) -> Result<()> {
    let run = Run::open(&options.run)?;
    run.check_finished()?;
    if run.lost().is_some() {
        run.report_kept(options.out.as_deref(), &Screen::new(output))?;
        return output.file(&options.out.clone().unwrap_or_else(|| run.file(REPORT)));
    }
    let trained = loaded(run)?;
    trained.report(options.out.as_deref(), &Screen::new(output))?;
    output.file(&options.out.clone().unwrap_or_else(|| trained.run().file(REPORT)))
}
