//! Progress: of a training, a bar with rate and time left on a terminal and plain lines elsewhere; of
//! other long work, a bar of the share that is done. And who asked to stop.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use unbraid::run::train::Progress;
use unbraid::watch::Watch;

use super::Output;

/// How often a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Knows whether somebody asked to stop, by Ctrl-C or SIGTERM.
pub(super) struct Signals {
    number: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    armed: Vec<Arc<AtomicBool>>,
}

impl Signals {
    pub(super) fn new() -> Result<Self> {
        let (number, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let mut all_armed = Vec::new();
        for signal in [SIGINT, SIGTERM] {
            // The first signal arms, the second ends the program at once.
            let armed = Arc::new(AtomicBool::new(false));
            flag::register_conditional_shutdown(signal, 128 + signal, armed.clone())?;
            flag::register(signal, armed.clone())?;
            all_armed.push(armed);
            flag::register_usize(signal, number.clone(), signal as usize)?;
            flag::register(signal, stop.clone())?;
        }
        Ok(Self { number, stop, armed: all_armed })
    }

    /// The signal that asked to stop, if one did.
    pub(super) fn number(&self) -> Option<u8> {
        match self.number.load(Ordering::Relaxed) {
            0 => None,
            number => Some(number as u8),
        }
    }
}

impl Drop for Signals {
    /// From now on nobody looks at the flags, so a signal ends the program at once.
    fn drop(&mut self) {
        self.armed.iter().for_each(|armed| armed.store(true, Ordering::Relaxed));
    }
}

/// A bar of the share that is done, on a terminal; nothing elsewhere. `set_position` takes
/// thousandths.
pub(super) fn share_bar(output: Output) -> ProgressBar {
    let visible = std::io::stderr().is_terminal() && !output.quiet;
    let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{msg:20} {bar:24} {percent:>3} %  {elapsed}")
        .expect("a fixed template is sound");
    let bar = ProgressBar::with_draw_target(Some(1000), target).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Do long work under a bar. If somebody asks to stop, it ends early and the exit code says so.
pub(super) fn watched(
    what: &'static str,
    output: Output,
    work: impl FnOnce(&Watch) -> Result<()>,
) -> Result<ExitCode> {
    let signals = Signals::new()?;
    let bar = share_bar(output);
    bar.set_message(what);
    let report = |share: f64| bar.set_position((share * 1000.0) as u64);
    let result = work(&Watch::new(&signals.stop, &report));
    bar.finish_and_clear();
    match (result, signals.number()) {
        (Ok(()), _) => Ok(ExitCode::SUCCESS),
        (Err(_), Some(signal)) => {
            output.note(&format!("stopped {what}; the same command begins again"));
            Ok(ExitCode::from(128 + signal))
        }
        (Err(error), None) => Err(error),
    }
}

/// Shows the progress of a training, and knows whether somebody asked to stop.
pub(super) struct Watcher {
    bar: Option<ProgressBar>,
    output: Output,
    signals: Signals,
    last_line: Instant,
    first: Option<(u64, Instant)>,
}

impl Watcher {
    /// Start watching for Ctrl-C and SIGTERM.
    pub(super) fn new(output: Output) -> Result<Self> {
        let on_terminal = std::io::stderr().is_terminal() && !output.quiet;
        let bar = on_terminal.then(|| {
            let style = "{bar:24} {pos}/{len}  {rate}  {eta} left  {wide_msg}";
            let style = ProgressStyle::with_template(style)
                .expect("a fixed template is sound")
                .with_key("rate", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                    let _ = write!(out, "{:.1}/s", state.per_sec());
                });
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
        });
        let (signals, last_line) = (Signals::new()?, Instant::now());
        Ok(Self { bar, output, signals, last_line, first: None })
    }

    /// Called after each step; whether to go on.
    pub(super) fn step(&mut self, progress: &Progress) -> bool {
        let (start, since) = *self.first.get_or_insert_with(|| {
            if let Some(bar) = &self.bar {
                // A resumed run has not taken its first steps just now.
                bar.set_length(progress.total);
                bar.set_position(progress.done);
                bar.reset_eta();
            }
            (progress.done, Instant::now())
        });
        let shown = progress.terms.iter().filter(|(name, _)| !name.contains('/'));
        let terms = shown.map(|(name, value)| format!("{name} {value:.2}"));
        let terms = || terms.collect::<Vec<_>>().join("  ");
        if let Some(bar) = &self.bar {
            bar.set_position(progress.done);
            bar.set_message(terms());
        } else if self.last_line.elapsed() >= LINE_EVERY || progress.done == progress.total {
            self.last_line = Instant::now();
            // Nothing can be said of the rate before a second step was taken.
            let mut pace = String::new();
            if progress.done > start {
                let rate = (progress.done - start) as f64 / since.elapsed().as_secs_f64();
                let left = (progress.total - progress.done) as f64 / rate;
                pace = format!("  {rate:.1}/s  {left:.0} s left");
            }
            let line = format!("step {}/{}{pace}  {}", progress.done, progress.total, terms());
            self.output.note(&line);
        }
        self.signal().is_none()
    }

    /// The signal that asked to stop, if one did.
    pub(super) fn signal(&self) -> Option<u8> {
        self.signals.number()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
