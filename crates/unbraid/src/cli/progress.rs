//! Who looks on at long work from a terminal: a bar with rate and time left, plain lines where there is
//! no terminal, JSON events where a program reads them. And who asked to stop.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde_json::json;
#[cfg(unix)]
use signal_hook::consts::SIGUSR1;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use unbraid::draw::words::duration;
use unbraid::study::WORKER;
use unbraid::watch::{Progress, Watch};

use super::Output;

/// The signals that ask to stop.
#[cfg(unix)]
const ASKING: [i32; 3] = [SIGINT, SIGTERM, SIGUSR1];
#[cfg(not(unix))]
const ASKING: [i32; 2] = [SIGINT, SIGTERM];

/// How often a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// So many steps are enough to judge their rate.
const MEASURED: u64 = 20;

/// A default training of more seconds is announced.
const LONG: f64 = 120.0;

/// A bar without steps counts shares in so many parts.
const SHARES: u64 = 1000;

/// Knows whether somebody asked to stop, by Ctrl-C or SIGTERM, or by SIGUSR1 as clusters do when time is short.
pub(super) struct Signals {
    number: Arc<AtomicUsize>,
    armed: Vec<Arc<AtomicBool>>,
    /// The process of the worker that this one was started by.
    worker: Option<u32>,
}

impl Signals {
    pub(super) fn new() -> Result<Self> {
        let number = Arc::new(AtomicUsize::new(0));
        let worker = std::env::var(WORKER).ok().and_then(|process| process.parse().ok());
        let mut all_armed = Vec::new();
        for signal in ASKING {
            // The first signal arms, the second ends the program at once: unless a worker started it, for then
            // both the cluster and the worker ask it to stop.
            let armed = Arc::new(AtomicBool::new(false));
            flag::register_conditional_shutdown(signal, 128 + signal, armed.clone())?;
            if worker.is_none() {
                flag::register(signal, armed.clone())?;
            }
            all_armed.push(armed);
            flag::register_usize(signal, number.clone(), signal as usize)?;
        }
        Ok(Self { number, armed: all_armed, worker })
    }

    /// The signal that asked to stop, if one did. A worker that is gone asks too.
    pub(super) fn number(&self) -> Option<u8> {
        match self.number.load(Ordering::Relaxed) {
            0 if self.is_orphan() => Some(SIGTERM as u8),
            0 => None,
            number => Some(number as u8),
        }
    }

    /// Whether the worker that started this process is gone: nobody would write how it ended.
    fn is_orphan(&self) -> bool {
        #[cfg(unix)]
        let parent = rustix::process::getppid().map(|process| process.as_raw_nonzero().get());
        #[cfg(not(unix))]
        let parent: Option<i32> = None;
        self.worker
            .is_some_and(|worker| parent.is_some_and(|parent| parent.unsigned_abs() != worker))
    }
}

impl Drop for Signals {
    /// From now on nobody looks at the flags, so a signal ends the program at once.
    fn drop(&mut self) {
        self.armed.iter().for_each(|armed| armed.store(true, Ordering::Relaxed));
    }
}

/// Shows progress; and, where it heeds signals, has the work stop at one.
pub(super) struct Screen {
    output: Output,
    /// Without them a signal ends the program at once, which is right where nothing is lost by it.
    signals: Option<Signals>,
    /// Whether nobody has said how many steps to take.
    by_default: bool,
    shown: Mutex<Shown>,
}

/// What is on the screen.
#[derive(Default)]
struct Shown {
    stage: String,
    bar: Option<ProgressBar>,
    /// Whether the bar is of shares, not of steps.
    of_shares: bool,
    /// Where the stage was when it was first heard of, and when.
    first: Option<(u64, Instant)>,
    last_line: Option<Instant>,
    /// Whether it was said how long all steps take.
    budgeted: bool,
}

impl Screen {
    /// Shows progress and no more.
    pub(super) fn new(output: Output) -> Self {
        Self { output, signals: None, by_default: false, shown: Mutex::default() }
    }

    /// Also asks the work to stop at Ctrl-C or SIGTERM.
    pub(super) fn heeding_signals(output: Output) -> Result<Self> {
        Ok(Self { signals: Some(Signals::new()?), ..Self::new(output) })
    }

    /// Also says how long the default number of steps takes, once that is known.
    pub(super) fn of_default_steps(self, by_default: bool) -> Self {
        Self { by_default, ..self }
    }

    /// The exit code of the signal that asked to stop, if one did.
    fn interrupted(&self) -> Option<ExitCode> {
        self.signal().map(|number| ExitCode::from(128 + number))
    }

    /// The signal that asked to stop, if one did.
    pub(super) fn signal(&self) -> Option<u8> {
        self.signals.as_ref().and_then(Signals::number)
    }

    /// The exit code of work that was asked to stop.
    pub(super) fn exit_code(&self) -> ExitCode {
        self.interrupted().unwrap_or(ExitCode::from(130))
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line for those who have no terminal: of the last step, and of others now and then.
    fn line(&self, shown: &mut Shown, now: &Progress, [done, total]: [u64; 2]) {
        let (start, since) = shown.first.unwrap_or((done, Instant::now()));
        let last_line = shown.last_line.get_or_insert(since);
        if last_line.elapsed() < LINE_EVERY && done != total {
            return;
        }
        *last_line = Instant::now();
        let message = now.message.to_string();
        if self.output.json {
            let event = json!({
                "stage": now.stage, "share": now.share, "step": done, "steps": total,
                "message": message,
            });
            return self.output.note(&event.to_string());
        }
        // Nothing can be said of the rate before a second step was taken.
        let mut pace = String::new();
        if done > start {
            let rate = (done - start) as f64 / since.elapsed().as_secs_f64();
            let left = duration((total - done) as f64 / rate);
            pace = format!("  {rate:.1}/s  {left} left");
        }
        self.output.note(&format!("step {done}/{total}{pace}  {message}"));
    }
}

impl Screen {
    /// A line of a stage that counts no steps: most are short and say nothing.
    fn share(&self, shown: &mut Shown, now: &Progress) {
        let since = shown.first.map_or_else(Instant::now, |first| first.1);
        let last = shown.last_line.unwrap_or(since).max(since);
        if last.elapsed() < LINE_EVERY {
            return;
        }
        shown.last_line = Some(Instant::now());
        match self.output.json {
            true => self.output.note(&json!({"stage": now.stage, "share": now.share}).to_string()),
            false => self.output.note(&format!("{}: {:.0} %", now.stage, 100.0 * now.share)),
        }
    }

    /// How long all steps will take, said once, after a few of them: nobody chose so many.
    fn budget(&self, shown: &mut Shown, [done, steps]: [u64; 2]) {
        let Some((start, since)) = shown.first else { return };
        let (taken, seconds) = (done.saturating_sub(start), since.elapsed().as_secs_f64());
        if shown.budgeted || taken < MEASURED || seconds < 1.0 {
            return;
        }
        shown.budgeted = true;
        let text = budget([done, steps], taken as f64 / seconds);
        let Some(text) = text else { return };
        match &shown.bar {
            Some(bar) => bar.suspend(|| self.output.note(&text)),
            None => self.output.note(&text),
        }
    }
}

/// What a default number of steps costs on this machine, where that is long.
fn budget([done, steps]: [u64; 2], rate: f64) -> Option<String> {
    let left = (steps - done) as f64 / rate;
    let look = (steps / 4).max(1);
    (left > LONG).then(|| {
        format!(
            "{steps} steps, the default, take about {} on this machine; --steps {look} for a look in {}",
            duration(left),
            duration(left / 4.0)
        )
    })
}

impl Watch for Screen {
    fn progress(&self, now: &Progress) {
        let mut shown = self.shown();
        let done = now.steps.map_or((now.share * SHARES as f64) as u64, |[done, _]| done);
        if shown.stage != now.stage {
            shown.begin(self.output, now, done);
        }
        if let Some(steps) = now.steps.filter(|_| self.by_default) {
            self.budget(&mut shown, steps);
        }
        match (&shown.bar, now.steps) {
            (Some(bar), Some(_)) => {
                bar.set_position(done);
                bar.set_message(now.message.to_string());
            }
            (Some(bar), None) => bar.set_position(done),
            (None, Some(steps)) => self.line(&mut shown, now, steps),
            (None, None) => self.share(&mut shown, now),
        }
    }

    fn note(&self, text: &str) {
        match &self.shown().bar {
            Some(bar) => bar.suspend(|| self.output.note(text)),
            None => self.output.note(text),
        }
    }

    fn stopped(&self) -> bool {
        self.signal().is_some()
    }
}

impl Shown {
    /// A stage begins: with a bar of its own if it counts steps, else on the bar of the last share.
    fn begin(&mut self, output: Output, now: &Progress, done: u64) {
        self.stage = now.stage.into();
        self.first = Some((done, Instant::now()));
        match &self.bar {
            Some(bar) if self.of_shares && now.steps.is_none() => {
                bar.set_message(now.stage.to_string());
            }
            _ => {
                self.clear();
                self.bar = bar(output, now);
                self.of_shares = now.steps.is_none();
            }
        }
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A bar for a stage, on a terminal.
fn bar(output: Output, now: &Progress) -> Option<ProgressBar> {
    if output.quiet || !std::io::stderr().is_terminal() {
        return None;
    }
    let (style, length) = match now.steps {
        Some([_, total]) => ("{bar:24} {pos}/{len}  {rate}  {left} left  {wide_msg}", total),
        None => ("{msg:20} {bar:24} {percent:>3} %  {elapsed}", SHARES),
    };
    let style = ProgressStyle::with_template(style).expect("a fixed template is sound").with_key(
        "rate",
        |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{:.1}/s", state.per_sec());
        },
    );
    let style = style.with_key("left", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = out.write_str(&duration(state.eta().as_secs_f64()));
    });
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    let bar = bar.with_style(style).with_message(now.stage.to_string());
    match now.steps {
        // A resumed run has not taken its first steps just now.
        Some([done, _]) => {
            bar.set_position(done);
            bar.reset_eta();
        }
        None => bar.enable_steady_tick(Duration::from_millis(200)),
    }
    Some(bar)
}

/// Do long work under a bar. If somebody asks to stop, it ends early and the exit code says so.
pub(super) fn watched(
    what: &str,
    output: Output,
    work: impl FnOnce(&Screen) -> Result<()>,
) -> Result<ExitCode> {
    let screen = Screen::heeding_signals(output)?;
    let result = work(&screen);
    match (result, screen.interrupted()) {
        (Ok(()), _) => Ok(ExitCode::SUCCESS),
        (Err(_), Some(code)) => {
            drop(screen);
            output.note(&format!("stopped {what}; the same command begins again"));
            Ok(code)
        }
        (Err(error), None) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_default_is_announced_with_a_shorter_one() {
        let text = budget([20, 20_000], 13.3).expect("25 minutes are long");
        assert!(
            text.contains("about 25 min") && text.contains("--steps 5000 for a look in 6 min"),
            "{text}"
        );
        assert_eq!(budget([20, 20_000], 1000.0), None);
    }
}
