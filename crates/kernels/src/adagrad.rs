//! Adagrad (Duchi, Hazan and Singer, 2011) in one pass: reads weight, gradient and the sum of squares, writes
//! two.
//!
//! That of TensorFlow: nothing is added to the root, since the sum of squares begins above zero
//! ([`Adagrad::FIRST`]). PyTorch begins at zero and adds 1e-10, so its first step is the rate, whatever the gradient.

use rayon::prelude::*;

use crate::cpu::{Cpu, Kernel};
use crate::lanes::{Lanes, WIDTH};

/// Floats a thread takes at once.
const PIECE: usize = 1 << 15;

/// What one step of Adagrad is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adagrad {
    /// The learning rate.
    pub rate: f32,
}

impl Adagrad {
    /// What the sums of squares begin with: the default of TensorFlow.
    pub const FIRST: f32 = 0.1;

    /// Update a weight and its sums of squared gradients in place.
    pub fn step(&self, weight: &mut [f32], gradient: &[f32], squares: &mut [f32], cpu: Cpu) {
        assert!(gradient.len() == weight.len() && squares.len() == weight.len());
        let piece = |((weight, gradient), squares): ((_, _), _)| {
            // SAFETY: three slices of one length.
            unsafe { cpu.run(Piece { rate: self.rate, weight, gradient, squares }) }
        };
        if weight.len() <= PIECE {
            return piece(((weight, gradient), squares));
        }
        (weight.par_chunks_mut(PIECE).zip(gradient.par_chunks(PIECE)))
            .zip(squares.par_chunks_mut(PIECE))
            .for_each(piece);
    }
}

struct Piece<'a> {
    rate: f32,
    weight: &'a mut [f32],
    gradient: &'a [f32],
    squares: &'a mut [f32],
}

impl Kernel for Piece<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { rate, weight: w, gradient: g, squares: s } = self;
        let whole = w.len() / WIDTH * WIDTH;
        let rest = w.len() - whole;
        // SAFETY: all three are equally long, and `at` stays below their whole vectors; the rest goes
        // through buffers.
        unsafe {
            let rate = L::splat(rate);
            for at in (0..whole).step_by(WIDTH) {
                let [w, s] = [w.as_mut_ptr().add(at), s.as_mut_ptr().add(at)];
                update(rate, w, g.as_ptr().add(at), s);
            }
            // Behind the rest the sums are one, so that nothing is divided by zero.
            let [mut bw, mut bg, mut bs] = [[0.0; WIDTH], [0.0; WIDTH], [1.0; WIDTH]];
            for (buffer, slice) in [(&mut bw, &*w), (&mut bg, g), (&mut bs, &*s)] {
                buffer[..rest].copy_from_slice(&slice[whole..]);
            }
            update(rate, bw.as_mut_ptr(), bg.as_ptr(), bs.as_mut_ptr());
            w[whole..].copy_from_slice(&bw[..rest]);
            s[whole..].copy_from_slice(&bs[..rest]);
        }
    }
}

/// s ← s + g², w ← w − rate g / √s, for sixteen numbers.
#[inline(always)]
unsafe fn update<L: Lanes>(rate: L, w: *mut f32, g: *const f32, s: *mut f32) {
    // SAFETY: the caller has sixteen floats behind each.
    unsafe {
        let g = L::load(g);
        let squares = L::load(s).add(g.mul(g));
        squares.store(s);
        L::load(w).sub(g.mul(rate).div(squares.sqrt())).store(w);
    }
}
