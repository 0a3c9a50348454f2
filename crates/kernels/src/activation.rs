//! Activations: applied where a layer's sums are still in registers, undone from what was kept.

use crate::cpu::{Cpu, Kernel};
use crate::lanes::{Lanes, WIDTH};
use crate::math::{exp, sigmoid, tanh};

/// What a layer does to its sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    /// a
    None,
    /// max(a, 0)
    Relu,
    /// a, or slope · a below zero; the slope is not negative.
    LeakyRelu(f32),
    /// a, or eᵃ − 1 below zero
    Elu,
    /// a σ(a)
    Silu,
    /// tanh a
    Tanh,
}

impl Activation {
    /// Whether the derivative can be read off the output. SiLU is not monotone: its derivative
    /// needs the sums, so a layer with it computes them first and activates them after.
    pub fn keeps_output(self) -> bool {
        self != Self::Silu
    }

    #[inline(always)]
    pub(crate) unsafe fn apply<L: Lanes>(self, a: L) -> L {
        // SAFETY: the caller's contract is that of `Lanes`.
        unsafe {
            match self {
                Self::None => a,
                Self::Relu => L::splat(0.0).max(a),
                Self::LeakyRelu(slope) => a.if_positive(a, a.mul(L::splat(slope))),
                Self::Elu => a.if_positive(a, exp(L::splat(0.0).min(a)).sub(L::splat(1.0))),
                Self::Silu => a.mul(sigmoid(a)),
                Self::Tanh => tanh(a),
            }
        }
    }

    /// The gradient of the sums, from the gradient of the output and what was kept: the output, or
    /// for SiLU the sums.
    #[inline(always)]
    pub(crate) unsafe fn undo<L: Lanes>(self, gradient: L, kept: L) -> L {
        // SAFETY: the caller's contract is that of `Lanes`.
        unsafe {
            let one = L::splat(1.0);
            match self {
                Self::None => gradient,
                Self::Relu => kept.if_positive(gradient, L::splat(0.0)),
                Self::LeakyRelu(slope) => kept.if_positive(gradient, gradient.mul(L::splat(slope))),
                Self::Elu => kept.if_positive(gradient, gradient.mul(kept.add(one))),
                Self::Silu => {
                    let s = sigmoid(kept);
                    gradient.mul(s.mul(kept.mul(one.sub(s)).add(one)))
                }
                Self::Tanh => gradient.mul(one.sub(kept.mul(kept))),
            }
        }
    }

    /// The activation of every number, as a copy.
    pub fn of(self, sums: &[f32], cpu: Cpu) -> Vec<f32> {
        let mut out = sums.to_vec();
        self.apply_to(&mut out, cpu);
        out
    }

    /// The gradient of every sum, from that of the outputs and what was kept: outputs, or for SiLU the sums.
    pub fn undone(self, gradient: &[f32], kept: &[f32], cpu: Cpu) -> Vec<f32> {
        let mut out = gradient.to_vec();
        assert_eq!(gradient.len(), kept.len(), "a gradient for each number");
        if self != Self::None {
            // SAFETY: the kernel touches only the slices it holds, which are equally long.
            unsafe { cpu.run(Undone { activation: self, gradient: &mut out, kept }) }
        }
        out
    }

    pub(crate) fn apply_to(self, values: &mut [f32], cpu: Cpu) {
        if self != Self::None {
            // SAFETY: the kernel touches only the slice it holds.
            unsafe { cpu.run(Apply { activation: self, values }) }
        }
    }
}

struct Apply<'a> {
    activation: Activation,
    values: &'a mut [f32],
}

impl Kernel for Apply<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: chunks of sixteen; the rest passes through a buffer of sixteen.
        unsafe {
            let mut chunks = self.values.chunks_exact_mut(WIDTH);
            for chunk in &mut chunks {
                self.activation.apply(L::load(chunk.as_ptr())).store(chunk.as_mut_ptr());
            }
            let rest = chunks.into_remainder();
            let mut buffer = [0.0; WIDTH];
            buffer[..rest.len()].copy_from_slice(rest);
            self.activation.apply(L::load(buffer.as_ptr())).store(buffer.as_mut_ptr());
            rest.copy_from_slice(&buffer[..rest.len()]);
        }
    }
}

struct Undone<'a> {
    activation: Activation,
    gradient: &'a mut [f32],
    kept: &'a [f32],
}

impl Kernel for Undone<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { activation, gradient, kept } = self;
        // SAFETY: chunks of sixteen; the rest passes through buffers of sixteen.
        unsafe {
            let mut chunks = gradient.chunks_exact_mut(WIDTH);
            let mut others = kept.chunks_exact(WIDTH);
            for (chunk, kept) in (&mut chunks).zip(&mut others) {
                let value = activation.undo(L::load(chunk.as_ptr()), L::load(kept.as_ptr()));
                value.store(chunk.as_mut_ptr());
            }
            let (rest, kept) = (chunks.into_remainder(), others.remainder());
            let mut buffers = [[0.0; WIDTH]; 2];
            buffers[0][..rest.len()].copy_from_slice(rest);
            buffers[1][..kept.len()].copy_from_slice(kept);
            let value = activation.undo(L::load(buffers[0].as_ptr()), L::load(buffers[1].as_ptr()));
            value.store(buffers[0].as_mut_ptr());
            rest.copy_from_slice(&buffers[0][..rest.len()]);
        }
    }
}
