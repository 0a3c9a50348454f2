//! Back through an activation: from the gradient of a layer's output to that of its sums and its bias,
//! both at once, so that the gradient is read once.

use std::mem::MaybeUninit;

use crate::activation::Activation;
use crate::cpu::{Cpu, Kernel};
use crate::lanes::{Lanes, WIDTH};

/// From the gradient of outputs to that of the sums, and on to the bias. Works on whole memory,
/// border included: zeros stay zeros.
pub(crate) struct Undo<'a> {
    pub(crate) activation: Activation,
    pub(crate) gradient: &'a [f32],
    pub(crate) kept: &'a [f32],
}

impl<'a> Undo<'a> {
    /// The gradient of the sums, in `scratch` where it is not the gradient itself; `bias` is added
    /// to, and its length is the number of channels.
    pub(crate) fn run<'b>(self, cpu: Cpu, scratch: &'b mut Vec<f32>, bias: &mut [f32]) -> &'b [f32]
    where
        'a: 'b,
    {
        let gradient = self.gradient;
        if self.activation == Activation::None {
            // SAFETY: the kernel touches only the slices it holds.
            unsafe { cpu.run(BiasSums { gradient, bias }) };
            return gradient;
        }
        scratch.clear();
        scratch.reserve(gradient.len());
        let out = &mut scratch.spare_capacity_mut()[..gradient.len()];
        let kernel = UndoInto { activation: self.activation, gradient, kept: self.kept, bias, out };
        // SAFETY: the slices are equally long, and the kernel writes all of `out`.
        unsafe {
            cpu.run(kernel);
            scratch.set_len(gradient.len());
        }
        scratch
    }
}

struct UndoInto<'a> {
    activation: Activation,
    gradient: &'a [f32],
    kept: &'a [f32],
    bias: &'a mut [f32],
    out: &'a mut [MaybeUninit<f32>],
}

impl Kernel for UndoInto<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { activation, gradient, kept, bias, out } = self;
        assert!(kept.len() == gradient.len() && out.len() == gradient.len());
        let whole = gradient.len() / WIDTH * WIDTH;
        let panels = if bias.len() % WIDTH == 0 { bias.len() / WIDTH } else { 0 };
        // SAFETY: the three slices are equally long and `at` stays below their whole vectors; the rest
        // goes through buffers.
        unsafe {
            let mut panel = 0;
            for at in (0..whole).step_by(WIDTH) {
                let value = activation
                    .undo(L::load(gradient.as_ptr().add(at)), L::load(kept.as_ptr().add(at)));
                value.store(out.as_mut_ptr().add(at).cast());
                if panels > 0 {
                    let sum = bias.as_mut_ptr().add(panel * WIDTH);
                    L::load(sum).add(value).store(sum);
                    panel = if panel + 1 == panels { 0 } else { panel + 1 };
                }
            }
            let mut buffers = [[0.0; WIDTH]; 2];
            let rest = gradient.len() - whole;
            buffers[0][..rest].copy_from_slice(&gradient[whole..]);
            buffers[1][..rest].copy_from_slice(&kept[whole..]);
            let value = activation.undo(L::load(buffers[0].as_ptr()), L::load(buffers[1].as_ptr()));
            value.store(buffers[0].as_mut_ptr());
            out[whole..].write_copy_of_slice(&buffers[0][..rest]);
            if panels == 0 {
                BiasSums { gradient: out.assume_init_ref(), bias }.run::<L>();
            }
        }
    }
}

/// bias[channel] += Σ gradient over pixels.
struct BiasSums<'a> {
    gradient: &'a [f32],
    bias: &'a mut [f32],
}

impl Kernel for BiasSums<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let channels = self.bias.len();
        // A stretch of whole vectors and whole pixels, summed vector by vector, so that even one
        // channel fills all lanes.
        let mut sums = vec![0.0; channels * WIDTH];
        let (stretches, rest) =
            self.gradient.split_at(self.gradient.len() / sums.len() * sums.len());
        for stretch in stretches.chunks_exact(sums.len()) {
            for at in (0..sums.len()).step_by(WIDTH) {
                // SAFETY: both hold `channels · 16` floats.
                unsafe {
                    let sum = sums.as_mut_ptr().add(at);
                    L::load(sum).add(L::load(stretch.as_ptr().add(at))).store(sum);
                }
            }
        }
        for (at, value) in sums.iter().chain(rest).enumerate() {
            self.bias[at % channels] += value;
        }
    }
}
