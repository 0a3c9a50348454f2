//! `unbraid encode`: observations to codes.

use anyhow::Result;
use unbraid::run::files::CODES;

use super::args::Encode;
use super::data::settings;
use super::progress::Screen;
use super::{Output, opened};

pub(super) fn run(options: &Encode, output: Output) -> Result<()> {
    let trained = opened(&options.run)?;
    let alike =
        |name: &str| -> Result<_> { Ok(trained.open_alike(name, settings(&options.set)?)?) };
    let other = options.data.as_deref().map(alike).transpose()?;
    let codes = trained.encode(other.as_deref(), options.rows, &Screen::new(output))?;
    let out = options.out.clone().unwrap_or_else(|| trained.run().file(CODES));
    codes.save(&out)?;
    output.file(&out)
}
