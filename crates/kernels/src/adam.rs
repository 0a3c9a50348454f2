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

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let [w, m, v] = [self.weight, self.first, self.second];
        let whole = w.len() / WIDTH * WIDTH;
        let rest = w.len() - whole;
        // SAFETY: all four are equally long, and `at` stays below their whole vectors; the rest goes
        // through buffers.
        unsafe {
            let rule = Rule::<L>::new(&self.adam);
            for at in (0..whole).step_by(WIDTH) {
                rule.update(
                    w.as_mut_ptr().add(at),
                    self.gradient.as_ptr().add(at),
                    m.as_mut_ptr().add(at),
                    v.as_mut_ptr().add(at),
                );
            }
            let mut buffers = [[0.0; WIDTH]; 4];
            for (buffer, slice) in buffers.iter_mut().zip([&*w, self.gradient, m, v]) {
                buffer[..rest].copy_from_slice(&slice[whole..]);
            }
            let [bw, bg, bm, bv] = &mut buffers;
            rule.update(bw.as_mut_ptr(), bg.as_ptr(), bm.as_mut_ptr(), bv.as_mut_ptr());
            w[whole..].copy_from_slice(&bw[..rest]);
            m[whole..].copy_from_slice(&bm[..rest]);
            v[whole..].copy_from_slice(&bv[..rest]);
        }
    }
}

/// The numbers of a step, each in all lanes.
struct Rule<L> {
    betas: [L; 2],
    rests: [L; 2],
    rate: L,
    root: L,
    epsilon: L,
}

impl<L: Lanes> Rule<L> {
    #[inline(always)]
    unsafe fn new(adam: &Adam) -> Self {
        let [rate, root] = adam.corrections();
        // SAFETY: the caller's contract is that of `Lanes`.
        unsafe {
            Self {
                betas: [L::splat(adam.beta_1), L::splat(adam.beta_2)],
                rests: [L::splat(1.0 - adam.beta_1), L::splat(1.0 - adam.beta_2)],
                rate: L::splat(rate),
                root: L::splat(root),
                epsilon: L::splat(adam.epsilon),
            }
        }
    }

    /// m ← β₁ m + (1 − β₁) g, v ← β₂ v + (1 − β₂) g², w ← w − r m / (√v / √(1 − β₂ᵗ) + ε) with
    /// r = rate / (1 − β₁ᵗ), for sixteen numbers.
    #[inline(always)]
    unsafe fn update(&self, w: *mut f32, g: *const f32, m: *mut f32, v: *mut f32) {
        // SAFETY: the caller has sixteen floats behind each.
        unsafe {
            let g = L::load(g);
            let first = L::load(m).mul(self.betas[0]).add(g.mul(self.rests[0]));
            let second = L::load(v).mul(self.betas[1]).add(g.mul(g).mul(self.rests[1]));
            let below = second.sqrt().mul_add(self.root, self.epsilon);
            first.store(m);
            second.store(v);
            L::load(w).sub(first.mul(self.rate).div(below)).store(w);
        }
    }
}
