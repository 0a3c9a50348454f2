//! `unbraid traverse`: draw what each code does.

use anyhow::Result;
use unbraid::figures::traverse::Span;
use unbraid::run::Traversal;

use super::args::{Range, Traverse};
use super::progress::Screen;
use super::{Output, opened};

pub(super) fn run(options: &Traverse, output: Output) -> Result<()> {
    let span = match options.range {
        Range::Quantile => Span::Quantile,
        Range::Prior => Span::Prior,
        Range::MinMax => Span::MinMax,
    };
    let how = Traversal { row: options.row, span, out: options.out.clone() };
    let files = opened(&options.run)?.traverse(&how, &Screen::new(output))?;
    output.files(&files)
}
