//! New vectors that several threads fill, without being zeroed first: that would be one more pass over
//! memory, for zeros that nobody reads.

use std::mem::MaybeUninit;

use rayon::prelude::*;

/// Room behind the numbers of a map, so that a caller can mark it without moving it.
pub(crate) const SPARE: usize = 8;

/// A new vector, written in pieces of `piece` floats by as many threads as there are; `write` gets
/// the number of the piece and must write all of it.
pub(crate) fn fill(
    size: usize,
    piece: usize,
    write: impl Fn(usize, &mut [MaybeUninit<f32>]) + Sync + Send,
) -> Vec<f32> {
    let mut out = Vec::with_capacity(size + SPARE);
    if size > 0 {
        let room = &mut out.spare_capacity_mut()[..size];
        if size <= piece {
            write(0, room);
        } else {
            room.par_chunks_mut(piece).enumerate().for_each(|(i, piece)| write(i, piece));
        }
        // SAFETY: the pieces cover the first `size` floats and each has been written.
        unsafe { out.set_len(size) };
    }
    out
}
