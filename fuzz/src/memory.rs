//! How much memory is asked for, touched or not: what a file claims must not decide it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

/// The system's allocator, counting.
pub(crate) struct Counted;

static NOW: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);
static BEFORE: AtomicIsize = AtomicIsize::new(0);

/// How many bytes of memory may be asked for to read a file of this size.
pub(crate) fn allowed(file: usize) -> usize {
    (3 * file).max(500 << 20)
}

/// Count from here.
pub(crate) fn start() {
    let now = NOW.load(Relaxed);
    BEFORE.store(now, Relaxed);
    PEAK.store(now, Relaxed);
}

/// The most that was held at once since then, in bytes.
pub(crate) fn peak() -> usize {
    (PEAK.load(Relaxed) - BEFORE.load(Relaxed)).max(0) as usize
}

fn add(bytes: usize) {
    let now = NOW.fetch_add(bytes as isize, Relaxed) + bytes as isize;
    PEAK.fetch_max(now, Relaxed);
}

// SAFETY: every call is passed on as it came; the counters are no part of the memory.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size() as isize, Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        NOW.fetch_sub(layout.size() as isize, Relaxed);
        add(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}
