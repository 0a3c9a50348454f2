//! Adam (Kingma and Ba, 2015) in one pass: reads weight, gradient and both moments, writes three.

use rayon::prelude::*;

use crate::cpu::{Cpu, Kernel};
use crate::lanes::{Lanes, WIDTH};

/// Floats a thread takes at once.
const PIECE: usize = 1 << 15;

/// What one step of Adam is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adam {
    /// The learning rate.
    pub rate: f32,
    /// The decay of the first moment.
    pub beta_1: f32,
    /// The decay of the second moment.
    pub beta_2: f32,
    /// Added to the root of the second moment.
    pub epsilon: f32,
    /// The number of this step, counted from 1.
    pub step: i32,
}

impl Adam {
    /// rate / (1 − β₁ᵗ) and 1 / √(1 − β₂ᵗ), in f64: 1 − 0.999 loses half of its digits in f32.
    pub fn corrections(&self) -> [f32; 2] {
        let left = |beta: f32| 1.0 - f64::from(beta).powi(self.step);
        [f64::from(self.rate) / left(self.beta_1), 1.0 / left(self.beta_2).sqrt()].map(|x| x as f32)
    }

    /// Update a weight and its moments in place.
    pub fn step(
        &self,
        weight: &mut [f32],
        gradient: &[f32],
        first: &mut [f32],
        second: &mut [f32],
        cpu: Cpu,
    ) {
        let size = weight.len();
        assert!(gradient.len() == size && first.len() == size && second.len() == size);
        let piece = |(((weight, gradient), first), second): (((_, _), _), _)| {
            // SAFETY: four slices of one length.
            unsafe { cpu.run(Piece { adam: *self, weight, gradient, first, second }) }
        };
        if size <= PIECE {
            return piece((((weight, gradient), first), second));
        }
        (weight.par_chunks_mut(PIECE).zip(gradient.par_chunks(PIECE)))
            .zip(first.par_chunks_mut(PIECE))
            .zip(second.par_chunks_mut(PIECE))
            .for_each(piece);
    }
}

struct Piece<'a> {
    adam: Adam,
    weight: &'a mut [f32],
    gradient: &'a [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
}

impl Kernel for Piece<'_> {
    type Output = ();

    /// m ← β₁ m + (1 − β₁) g, v ← β₂ v + (1 − β₂) g², w ← w − r m / (√v / √(1 − β₂ᵗ) + ε) with
    /// r = rate / (1 − β₁ᵗ)
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Adam { beta_1, beta_2, epsilon, .. } = self.adam;
        let [rate, root] = self.adam.corrections();
        let whole = self.weight.len() / WIDTH * WIDTH;
        // SAFETY: all four are equally long, and `at` stays below their whole vectors; the rest goes
        // through buffers.
        unsafe {
            let [w, m, v] = [self.weight, self.first, self.second];
            let update = |w: *mut f32, g: *const f32, m: *mut f32, v: *mut f32| {
                let g = L::load(g);
                let first = L::load(m).mul(L::splat(beta_1)).add(g.mul(L::splat(1.0 - beta_1)));
                let square = g.mul(g).mul(L::splat(1.0 - beta_2));
                let second = L::load(v).mul(L::splat(beta_2)).add(square);
                let below = second.sqrt().mul_add(L::splat(root), L::splat(epsilon));
                first.store(m);
                second.store(v);
                L::load(w).sub(first.mul(L::splat(rate)).div(below)).store(w);
            };
            for at in (0..whole).step_by(WIDTH) {
                update(
                    w.as_mut_ptr().add(at),
                    self.gradient.as_ptr().add(at),
                    m.as_mut_ptr().add(at),
                    v.as_mut_ptr().add(at),
                );
            }
            let (rest, mut buffers) = (w.len() - whole, [[0.0; WIDTH]; 4]);
            for (buffer, slice) in buffers.iter_mut().zip([&*w, self.gradient, m, v]) {
                buffer[..rest].copy_from_slice(&slice[whole..]);
            }
            let [bw, bg, bm, bv] = &mut buffers;
            update(bw.as_mut_ptr(), bg.as_ptr(), bm.as_mut_ptr(), bv.as_mut_ptr());
            w[whole..].copy_from_slice(&bw[..rest]);
            m[whole..].copy_from_slice(&bm[..rest]);
            v[whole..].copy_from_slice(&bv[..rest]);
        }
    }
}
