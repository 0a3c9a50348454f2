//! Running among rayon's workers, with the others awake.
//!
//! A training step is some fifty short parallel loops with a little serial work between them. Two things
//! would cost time there, in a small step most of it. From a thread outside of the pool every loop is handed to a
//! worker and waited for: two changes of thread. And a worker without work goes to sleep within
//! microseconds, to be woken for the next loop: tens of microseconds, more in a virtual machine.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Fruitless looks for work, a few hundred microseconds of them, before a worker begins to doze.
const PATIENCE: u32 = 5000;
const DOZE: Duration = Duration::from_micros(50);

thread_local! {
    /// Whether this worker is already staying awake for somebody.
    static AWAKE: Cell<bool> = const { Cell::new(false) };
}

/// Run `f` on a worker of rayon's pool, and keep the other workers looking for its parallel loops until
/// it is done.
///
/// A worker that waits for a part of its loop may take up any other job of the pool, a whole `f` of
/// another caller too. So nobody may hold a lock around a parallel loop that an `f` could ask for.
pub fn on_workers<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|scope| {
        let caller = rayon::current_thread_index();
        let done = std::sync::Arc::new(AtomicBool::new(false));
        for _ in 1..rayon::current_num_threads() {
            let done = done.clone();
            scope.spawn(move |_| stay_awake(caller, &done));
        }
        // Also when `f` panics: the scope waits for those who stay awake.
        let _done = Done(&done);
        f()
    })
}

struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Take up work until the caller is done.
///
/// It must not start where its end would be waited for further down the same stack: not on the
/// caller's own thread, and not inside of a job that another of these has taken up. Elsewhere it is
/// always the first job that a worker gets from the caller, since the oldest is stolen first.
fn stay_awake(caller: Option<usize>, done: &AtomicBool) {
    if rayon::current_thread_index() == caller || AWAKE.replace(true) {
        return;
    }
    let mut idle = 0;
    while !done.load(Ordering::Acquire) {
        match rayon::yield_now() {
            Some(rayon::Yield::Executed) => idle = 0,
            _ if idle < PATIENCE => {
                idle += 1;
                std::hint::spin_loop();
            }
            _ => std::thread::sleep(DOZE),
        }
    }
    AWAKE.set(false);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::sync::mpsc;

    /// A deadlock must be a failure, not a test that never ends.
    fn within_a_minute<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || sender.send(f()));
        receiver.recv_timeout(Duration::from_mins(1)).expect("it ends")
    }

    /// Loops within loops, and a call within a call.
    fn work(seed: u64) -> u64 {
        on_workers(move || {
            let outer = (0..20u64).into_par_iter().map(|i| {
                let inner = (0..30u64).into_par_iter().map(|j| (seed + i * j) % 7);
                inner.sum::<u64>()
            });
            let first = outer.sum::<u64>();
            first
                + on_workers(move || {
                    (0..100u64).into_par_iter().map(|i| i % (seed + 1)).sum::<u64>()
                })
        })
    }

    #[test]
    fn many_callers_at_once_all_end() {
        for threads in [1, 2, 3, 8] {
            let found = within_a_minute(move || {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let pool = &pool;
                std::thread::scope(|scope| {
                    let callers: Vec<_> = (0..6)
                        .map(|seed| {
                            scope.spawn(move || {
                                (0..100).map(|_| pool.install(|| work(seed))).sum::<u64>()
                            })
                        })
                        .collect();
                    callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
                })
            });
            let expected: Vec<u64> = (0..6).map(|seed| 100 * serial(seed)).collect();
            assert_eq!(found, expected, "{threads} threads");
        }
    }

    fn serial(seed: u64) -> u64 {
        let first: u64 = (0..20).flat_map(|i| (0..30).map(move |j| (seed + i * j) % 7)).sum();
        first + (0..100).map(|i| i % (seed + 1)).sum::<u64>()
    }

    #[test]
    fn a_panic_comes_through() {
        let caught =
            within_a_minute(|| std::panic::catch_unwind(|| on_workers(|| panic!("on purpose"))));
        assert!(caught.is_err());
        assert_eq!(within_a_minute(|| work(3)), serial(3));
    }
}
