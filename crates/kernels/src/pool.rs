//! An allocator that keeps large blocks.
//!
//! A training step makes and drops the same few dozen large tensors. The system's allocator gives such
//! blocks back to the kernel and asks for them again, and every page of them is then zeroed and mapped
//! anew: a third of a step. This one keeps a block that is freed for the next request of its size.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Smaller requests are the system's.
const LARGE: usize = 64 * 1024;
/// So much more than was ever in use at once may be held: blocks of one size cannot serve for another.
const SLACK: usize = 32 << 20;
const BLOCKS: usize = 256;
/// A cache line, so that no vector of a tensor is split between two.
const ALIGN: usize = 64;

/// The allocator; a program makes it its global one.
#[derive(Debug)]
pub struct Pool {
    kept: Mutex<Kept>,
}

/// Blocks that are free, oldest first.
#[derive(Debug)]
struct Kept {
    blocks: [(usize, usize); BLOCKS], // address, size
    count: usize,
    idle: usize,
    used: usize,
    /// The most that was ever in use.
    peak: usize,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// An empty pool.
    pub const fn new() -> Self {
        let kept = Kept { blocks: [(0, 0); BLOCKS], count: 0, idle: 0, used: 0, peak: 0 };
        Self { kept: Mutex::new(kept) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nothing panics while it is held, but an allocator must not panic either.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block that was kept, or null.
    fn take(&self, size: usize) -> *mut u8 {
        let mut kept = self.kept();
        let found = kept.blocks[..kept.count].iter().rposition(|block| block.1 == size);
        let Some(at) = found else { return std::ptr::null_mut() };
        let block = kept.remove(at) as *mut u8;
        kept.count_in(size);
        block
    }

    /// A block that the system gave, unless it had none.
    fn given(&self, block: *mut u8, size: usize) -> *mut u8 {
        if !block.is_null() {
            self.kept().count_in(size);
        }
        block
    }

    /// Keep a block, and give back what is too much.
    fn keep(&self, block: *mut u8, size: usize) {
        let mut kept = self.kept();
        kept.used -= size;
        if kept.count == BLOCKS {
            kept.give_back_oldest();
        }
        let count = kept.count;
        kept.blocks[count] = (block as usize, size);
        kept.count += 1;
        kept.idle += size;
        // Blocks of sizes that are no longer asked for must not pile up: never hold much more than was
        // once in use at the same time.
        while kept.used + kept.idle > kept.peak + SLACK.max(kept.peak / 8) {
            kept.give_back_oldest();
        }
    }
}

impl Kept {
    fn count_in(&mut self, size: usize) {
        self.used += size;
        self.peak = self.peak.max(self.used);
    }

    fn remove(&mut self, at: usize) -> usize {
        let (address, size) = self.blocks[at];
        self.blocks.copy_within(at + 1..self.count, at);
        self.count -= 1;
        self.idle -= size;
        address
    }

    fn give_back_oldest(&mut self) {
        let size = self.blocks[0].1;
        let block = self.remove(0) as *mut u8;
        // SAFETY: every kept block came from the system with this layout, and nobody has it now.
        unsafe { System.dealloc(block, layout_of(size)) }
    }
}

/// The size that is really asked for: blocks of nearly equal sizes shall fit each other's place, and
/// at most an eighth is wasted.
fn rounded(size: usize) -> usize {
    let step = (size.next_power_of_two() / 16).min(LARGE);
    size.next_multiple_of(step)
}

fn layout_of(rounded: usize) -> Layout {
    // SAFETY: the alignment is a power of two; sizes come from valid layouts, with room to round.
    unsafe { Layout::from_size_align_unchecked(rounded, ALIGN) }
}

fn is_large(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= ALIGN && layout.size() < isize::MAX as usize - LARGE
}

// SAFETY: small requests go to the system unchanged. A large one is served by a block of `rounded`
// size, from the system or kept, and that size is computed again from the same layout when it is
// freed; a block is either with its owner or kept, never both.
unsafe impl GlobalAlloc for Pool {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !is_large(layout) {
            // SAFETY: the caller's layout.
            return unsafe { System.alloc(layout) };
        }
        let size = rounded(layout.size());
        let block = self.take(size);
        if !block.is_null() {
            return block;
        }
        // SAFETY: the size is not zero.
        let block = unsafe { System.alloc(layout_of(size)) };
        self.given(block, size)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !is_large(layout) {
            // SAFETY: the caller's layout.
            return unsafe { System.alloc_zeroed(layout) };
        }
        let size = rounded(layout.size());
        let block = self.take(size);
        if block.is_null() {
            // SAFETY: the size is not zero.
            let block = unsafe { System.alloc_zeroed(layout_of(size)) };
            return self.given(block, size);
        }
        // SAFETY: the block has `size` bytes.
        unsafe { block.write_bytes(0, layout.size()) };
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if is_large(layout) {
            self.keep(block, rounded(layout.size()));
        } else {
            // SAFETY: it came from the system with this layout.
            unsafe { System.dealloc(block, layout) }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller gives a size that is valid with this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_large(layout), is_large(wanted)) {
            // SAFETY: it came from the system with this layout.
            (false, false) => unsafe { System.realloc(block, layout, size) },
            (true, true) if rounded(layout.size()) == rounded(size) => block,
            // SAFETY: both blocks hold the smaller of the two sizes, and they are different.
            _ => unsafe {
                let new = self.alloc(wanted);
                if !new.is_null() {
                    new.copy_from_nonoverlapping(block, size.min(layout.size()));
                    self.dealloc(block, layout);
                }
                new
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 4).unwrap()
    }

    #[test]
    fn a_freed_block_serves_the_next_request_of_its_size() {
        let pool = Pool::new();
        // SAFETY: what is allocated is written within its size and freed with its layout.
        unsafe {
            let first = pool.alloc(layout(1_000_000));
            assert_eq!(first as usize % ALIGN, 0);
            first.write_bytes(7, 1_000_000);
            pool.dealloc(first, layout(1_000_000));
            // Nearly the same size is the same block, and zeroed if that was asked for.
            let second = pool.alloc_zeroed(layout(999_000));
            assert_eq!(first, second);
            assert!((0..999_000).all(|at| *second.add(at) == 0));
            let third = pool.alloc(layout(1_000_000));
            assert_ne!(second, third);
            pool.dealloc(second, layout(999_000));
            pool.dealloc(third, layout(1_000_000));
        }
    }

    #[test]
    fn growing_and_shrinking_keeps_what_was_written() {
        let pool = Pool::new();
        // SAFETY: as above.
        unsafe {
            let mut block = pool.alloc(layout(1000));
            block.write_bytes(3, 1000);
            let mut size = 1000;
            for new in [100_000, 100_100, 5_000_000, 70_000, 500] {
                block = pool.realloc(block, layout(size), new);
                size = new;
                assert!((0..500).all(|at| *block.add(at) == 3), "after {new}");
            }
            pool.dealloc(block, layout(size));
        }
    }

    #[test]
    fn it_does_not_hoard() {
        let pool = Pool::new();
        // SAFETY: as above.
        unsafe {
            for megabytes in (1..200).chain((1..200).rev()) {
                let block = pool.alloc(layout(megabytes << 20));
                pool.dealloc(block, layout(megabytes << 20));
            }
        }
        let kept = pool.kept();
        assert_eq!(kept.used, 0);
        assert!(kept.idle <= (200 << 20) + SLACK, "{} MB lie idle", kept.idle >> 20);
    }

    #[test]
    fn a_step_of_many_sizes_finds_its_blocks_again() {
        let pool = Pool::new();
        for _ in 0..3 {
            for megabytes in 1..=7 {
                // SAFETY: as above.
                unsafe {
                    pool.dealloc(pool.alloc(layout(megabytes << 20)), layout(megabytes << 20));
                };
            }
            // Though never more than the largest was in use.
            assert_eq!(pool.kept().count, 7);
        }
    }

    #[test]
    fn little_is_wasted_by_rounding() {
        for size in [LARGE, LARGE + 1, 100_000, 1 << 20, (1 << 20) + 1, 9_470_000, 745_000_000] {
            assert!(rounded(size) >= size && rounded(size) <= size + size / 8, "{size}");
            assert_eq!(rounded(rounded(size)), rounded(size));
        }
    }
}
