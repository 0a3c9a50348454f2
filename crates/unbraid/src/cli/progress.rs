//! Progress of a training: a bar with rate and time left on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use unbraid::train::Progress;

use super::Output;

/// How often a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows progress, and knows whether somebody asked to stop.
pub(super) struct Watcher {
    bar: Option<ProgressBar>,
    output: Output,
    signal: Arc<AtomicUsize>,
    armed: Vec<Arc<AtomicBool>>,
    last_line: Instant,
    first: Option<(u64, Instant)>,
}

impl Watcher {
    /// Start watching for Ctrl-C and SIGTERM.
    pub(super) fn new(output: Output) -> Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        let mut all_armed = Vec::new();
        for number in [SIGINT, SIGTERM] {
            // The first signal arms, the second ends the program at once.
            let armed = Arc::new(AtomicBool::new(false));
            flag::register_conditional_shutdown(number, 128 + number, armed.clone())?;
            flag::register(number, armed.clone())?;
            all_armed.push(armed);
            flag::register_usize(number, signal.clone(), number as usize)?;
        }
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
        Ok(Self { bar, output, signal, armed: all_armed, last_line: Instant::now(), first: None })
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
        let terms = progress.terms.iter().map(|(name, value)| format!("{name} {value:.2}"));
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
        match self.signal.load(Ordering::Relaxed) {
            0 => None,
            number => Some(number as u8),
        }
    }
}

impl Drop for Watcher {
    /// Clear the bar. From now on nobody looks at the flags, so a signal ends the program at once.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.armed.iter().for_each(|armed| armed.store(true, Ordering::Relaxed));
    }
}
