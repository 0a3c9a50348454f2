//! `unbraid traverse`: draw what each code does.

use std::path::PathBuf;

use anyhow::Result;
use unbraid::Error;
use unbraid::draw::animation;
use unbraid::draw::picture;
use unbraid::evaluate::encode;
use unbraid::figures::factors;
use unbraid::figures::layers;
use unbraid::figures::matching;
use unbraid::figures::reconstruct;
use unbraid::figures::traverse::{self, Route, Span};
use unbraid::model::learner::Learner;
use unbraid::report::card;
use unbraid::representation::Representation;
use unbraid::rng::Rng;
use unbraid::run::Run;
use unbraid::run::config::Plan;

use super::Output;
use super::args::{Range, Traverse};
use super::train::set_up_reader;

pub(super) fn run(options: &Traverse, output: Output) -> Result<()> {
    let run = Run::open(&options.run)?;
    set_up_reader(run.config());
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    let codes = encode::of_run(&run, &plan, &*learner)?;
    let row = options.row.unwrap_or(codes.rows() / 2);
    if row >= codes.rows() {
        let reason = format!("there are {} rows; --row counts from 0", codes.rows());
        return Err(Error::Unable(reason).into());
    }
    let span = match options.range {
        Range::Quantile => Span::Quantile,
        Range::Prior => Span::Prior,
        Range::MinMax => Span::MinMax,
    };
    // Asked for by name, so not a thing to be left out.
    span.check(&codes)?;
    let sheet = options.out.clone().unwrap_or_else(|| run.traversal());
    let (codes, learner) = (&codes, &*learner);
    let files =
        Pictures { run: &run, plan: &plan, learner, codes, row, span, sheet }.draw(output)?;
    card::write(&run, &plan)?;
    output.files(&files)
}

/// What the pictures of a run are drawn from.
pub(super) struct Pictures<'a> {
    pub(super) run: &'a Run,
    pub(super) plan: &'a Plan,
    pub(super) learner: &'a dyn Learner,
    pub(super) codes: &'a Representation<'static>,
    /// The row that is walked.
    pub(super) row: usize,
    pub(super) span: Span,
    /// Where the sheet of walks goes.
    pub(super) sheet: PathBuf,
}

/// Draws one kind of picture.
type Draw<'a> = fn(&Pictures<'a>) -> unbraid::Result<Vec<PathBuf>>;

impl<'a> Pictures<'a> {
    /// Draw all that can be drawn; says what was left out, and fails if that was everything.
    pub(super) fn draw(&self, output: Output) -> Result<Vec<PathBuf>> {
        let (files, left_out) = drawn(self.parts().map(|(_, draw)| draw(self)))?;
        if files.is_empty() {
            return Err(Error::Unable(left_out.join("; ")).into());
        }
        for reason in left_out {
            output.note(&format!("left out: {reason}"));
        }
        Ok(files)
    }

    /// Draw what is not there and can be drawn; the others stay as somebody wanted them.
    pub(super) fn draw_missing(&self) -> Result<Vec<PathBuf>> {
        let missing = self.parts().into_iter().filter(|(file, _)| !file.is_file());
        Ok(drawn(missing.map(|(_, draw)| draw(self)))?.0)
    }

    /// The main file of each kind, and what draws it.
    fn parts(&self) -> [(PathBuf, Draw<'a>); 5] {
        [
            (self.sheet.clone(), Self::walks),
            (self.run.reconstructions(), Self::reconstructions),
            (self.run.factor_figure(), Self::factors),
            (self.run.matching_figure(), Self::matching),
            (self.run.layers_figure(), Self::layers),
        ]
    }

    fn title(&self, what: &str) -> String {
        format!("{} on {}: {what}", self.plan.entry.info.title, self.plan.config.data_name())
    }

    /// The sheet and the animation.
    fn walks(&self) -> unbraid::Result<Vec<PathBuf>> {
        let sheet = |route: &Route, title: &str| {
            let walks = traverse::walks(self.learner, self.codes, route)?;
            traverse::sheet(&walks, self.plan.task.shape, self.title(title))
        };
        let still = Route::for_a_sheet(self.row, self.span);
        picture::save(&sheet(&still, "each row walks one code")?.draw(), &self.sheet)?;
        let moving = Route::for_an_animation(self.row, self.span);
        let frames = animation::frames(&sheet(&moving, "each tile walks one code")?);
        animation::save(frames, &self.run.animation())?;
        Ok(vec![self.sheet.clone(), self.run.animation()])
    }

    fn reconstructions(&self) -> unbraid::Result<Vec<PathBuf>> {
        let rng = Rng::new(self.plan.config.seed).split("reconstructions");
        let title = self.title("what is left of an observation; numbers are squared errors");
        let sheet = reconstruct::sheet(self.learner, &*self.plan.data, &rng, title)?;
        picture::save(&sheet.draw(), &self.run.reconstructions())?;
        Ok(vec![self.run.reconstructions()])
    }

    fn factors(&self) -> unbraid::Result<Vec<PathBuf>> {
        let title = self.title("each code against each factor");
        factors::draw(self.codes, &title)?.save(&title, &self.run.factor_figure())?;
        Ok(vec![self.run.factor_figure()])
    }

    /// For a method whose codes are of several layers.
    fn layers(&self) -> unbraid::Result<Vec<PathBuf>> {
        let layers = self.learner.layers();
        if layers.len() < 2 || self.codes.factors.is_empty() {
            return Ok(vec![]);
        }
        let title = self.title("what each layer knows");
        let figure = layers::draw(self.codes, &layers, &title)?;
        figure.save(&title, &self.run.layers_figure())?;
        Ok(vec![self.run.layers_figure()])
    }

    /// Where every factor is a number without steps, a scatter of each beside its code says most.
    fn matching(&self) -> unbraid::Result<Vec<PathBuf>> {
        let factors = &self.codes.factors;
        if factors.is_empty() || factors.iter().any(|factor| factor.size().is_some()) {
            return Ok(vec![]);
        }
        let title = self.title("each factor against its code");
        matching::draw(self.codes, &title)?.save(&title, &self.run.matching_figure())?;
        Ok(vec![self.run.matching_figure()])
    }
}

/// The files that were made, and why others were not.
fn drawn(
    parts: impl IntoIterator<Item = unbraid::Result<Vec<PathBuf>>>,
) -> Result<(Vec<PathBuf>, Vec<String>)> {
    let (mut files, mut left_out) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Ok(made) => files.extend(made),
            Err(Error::Unable(reason)) if !left_out.contains(&reason) => left_out.push(reason),
            Err(Error::Unable(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Ok((files, left_out))
}
