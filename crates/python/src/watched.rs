//! Long work beside a live interpreter: the GIL is free, Ctrl-C is heard, progress is told.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use unbraid_measure::watch::{Progress, Watch};

/// How often the calling thread looks for signals and tells the progress.
const TICK: Duration = Duration::from_millis(50);

/// Do `work` on threads of our own, while this one waits without the GIL. If a signal or the
/// callback raises, the work is stopped and the exception is returned.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Watch) -> T + Send,
) -> PyResult<T> {
    let threads = threads()?;
    let told = progress.is_some();
    let listener = Listener { told, shares: Shares::default(), stop: AtomicBool::new(false) };
    std::thread::scope(|scope| {
        let (send, receive) = channel();
        let (receive, listener) = (Mutex::new(receive), &listener);
        scope.spawn(move || {
            // Nobody listens any more once the caller was interrupted.
            let _ = send.send(threads.install(|| work(listener)));
        });
        loop {
            let waited = py.detach(|| locked(&receive).recv_timeout(TICK));
            let heard =
                py.check_signals().and_then(|()| listener.shares.tell(progress, waited.is_ok()));
            match (heard, waited) {
                (Ok(()), Ok(done)) => return Ok(done),
                (Ok(()), Err(RecvTimeoutError::Timeout)) => {}
                (Ok(()), Err(RecvTimeoutError::Disconnected)) => {
                    return Err(PyRuntimeError::new_err("the work ended without a result"));
                }
                (Err(raised), _) => {
                    listener.stop.store(true, Ordering::Relaxed);
                    // The scope waits for the work to end; let the interpreter go on meanwhile.
                    let _ = py.detach(|| locked(&receive).recv());
                    return Err(raised);
                }
            }
        }
    })
}

/// What Python hears of the work, and how it stops it.
struct Listener {
    /// Whether there is a callback.
    told: bool,
    shares: Shares,
    stop: AtomicBool,
}

impl Watch for Listener {
    fn progress(&self, now: &Progress) {
        if self.told {
            self.shares.note(now.stage, now.share);
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The shares reported since they were last told: one entry per metric, the latest last.
#[derive(Default)]
struct Shares {
    seen: Mutex<Vec<(String, f64)>>,
}

impl Shares {
    /// Take a report from any thread. A metric is done when the next begins.
    fn note(&self, metric: &str, share: f64) {
        let mut seen = locked(&self.seen);
        match seen.last_mut() {
            Some(last) if last.0 == metric => last.1 = last.1.max(share),
            last => {
                if let Some(last) = last {
                    last.1 = 1.0;
                }
                seen.push((metric.to_string(), share));
            }
        }
    }

    /// Call back with each entry; the last is kept, since more may be heard of it.
    fn tell(&self, progress: Option<&Bound<'_, PyAny>>, finished: bool) -> PyResult<()> {
        let Some(progress) = progress else { return Ok(()) };
        let news = {
            let mut seen = locked(&self.seen);
            if let (Some(last), true) = (seen.last_mut(), finished) {
                last.1 = 1.0;
            }
            let news = seen.clone();
            let keep = seen.len().saturating_sub(1);
            seen.drain(..keep);
            news
        };
        news.into_iter().try_for_each(|event| progress.call1(event).map(drop))
    }
}

/// The threads of this process. A fork (multiprocessing, a `DataLoader`) copies the pool without its
/// threads, and whoever waited for them would wait for ever: the child makes its own.
fn threads() -> PyResult<Arc<ThreadPool>> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut pool = locked(&POOL);
    let process = std::process::id();
    if let Some((owner, threads)) = &*pool
        && *owner == process
    {
        return Ok(threads.clone());
    }
    let threads = ThreadPoolBuilder::new().build().map_err(|source| {
        PyRuntimeError::new_err(format!("no threads can be started: {source}"))
    })?;
    let threads = Arc::new(threads);
    // Dropping the parent's pool would call threads that are not here.
    std::mem::forget(pool.replace((process, threads.clone())));
    Ok(threads)
}

/// What is behind a lock; a thread that panicked has left it whole.
fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
