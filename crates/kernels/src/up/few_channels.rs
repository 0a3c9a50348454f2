//! Up to a map of very few channels, as the last layer of a decoder goes to grey or colour: panels of
//! channels would be nearly empty, so the columns of the product are the taps of the kernel instead.
//! First every small pixel's contribution through every tap; then each big pixel adds up what reaches
//! it.

use std::mem::MaybeUninit;

use crate::activation::Activation;
use crate::convolution::Convolution;
use crate::geometry::Geometry;
use crate::lanes::WIDTH;
use crate::panel::PanelRow;
use crate::product::{Product, Rows};

/// Beyond so many channels the columns are more than a panel of classes would waste.
const MOST_CHANNELS: usize = 7;

/// Weights with a column for each tap and big channel.
pub(crate) struct Columns {
    /// The pixels of one small image.
    rows: Rows,
    panels: Vec<PanelRow>,
    bias: Vec<f32>,
}

impl Columns {
    /// Whether this way is the faster one.
    pub(crate) fn pays(convolution: &Convolution) -> bool {
        convolution.big.channels <= MOST_CHANNELS
    }

    pub(crate) fn new(convolution: &Convolution, weight: &[f32], bias: &[f32]) -> Self {
        let Convolution { big, small, .. } = convolution;
        let (taps, channels) = (convolution.taps(), big.channels);
        let columns = taps * channels;
        let pixels = small.height * small.width;
        let mut rows = Rows::matrix(pixels, small.channels, small.channels, columns);
        rows.from.clear();
        for y in 0..small.height as isize {
            rows.from.extend((0..small.width as isize).map(|x| small.pixel(y, x)));
        }
        // [panel][small channel][16], where a column is a tap and a big channel.
        let mut panels = vec![PanelRow::default(); columns.div_ceil(WIDTH) * small.channels];
        for (s, weight) in weight.chunks_exact(columns).enumerate() {
            for (b, weight) in weight.chunks_exact(taps).enumerate() {
                for (tap, &value) in weight.iter().enumerate() {
                    let column = tap * channels + b;
                    panels[column / WIDTH * small.channels + s].0[column % WIDTH] = value;
                }
            }
        }
        Self { rows, panels, bias: bias.to_vec() }
    }

    /// Go up from one image.
    pub(crate) fn up(
        &self,
        convolution: &Convolution,
        small: &[f32],
        then: Activation,
        out: &mut [MaybeUninit<f32>],
    ) {
        let Convolution { big, small: from, geometry, cpu } = convolution;
        let Geometry { kernel, stride, padding } = *geometry;
        let columns = convolution.taps() * big.channels;
        let size = self.rows.from.len() * columns;
        let mut sums = Vec::<f32>::with_capacity(size);
        let product = Product {
            rows: &self.rows,
            count: self.rows.from.len(),
            left: small.as_ptr(),
            panels: &self.panels,
            panel_rows: from.channels,
            columns,
            out: sums.as_mut_ptr(),
            bias: &[],
            accumulate: false,
            activation: Activation::None,
        };
        // SAFETY: the caller has checked the length of the image; the sums have room for a row per
        // pixel, and the product writes all of them.
        unsafe {
            cpu.run(product);
            sums.set_len(size);
        }

        // A row of the big map with everything the kernel reaches on its left and right.
        let reached = ((from.width - 1) * stride[1] + kernel[1]).max(big.width + padding[1]);
        let mut line = vec![0.0; reached * big.channels];
        let run = kernel[1] * big.channels;
        for row in 0..big.height {
            line.fill(0.0);
            for tap in 0..kernel[0] {
                let Some(y) = (row + padding[0]).checked_sub(tap) else { break };
                if y % stride[0] != 0 || y / stride[0] >= from.height {
                    continue;
                }
                let pixels = &sums[y / stride[0] * from.width * columns..][..from.width * columns];
                let step = stride[1] * big.channels;
                // Neighbours overlap in the line. Every second (third, …) pixel does not, so no sum is
                // read back while it is still on its way to memory.
                let apart = kernel[1].div_ceil(stride[1]);
                for first in 0..apart.min(from.width) {
                    let line = &mut line[first * step..];
                    let values = &pixels[first * columns + tap * run..];
                    let strides = [apart * step, apart * columns];
                    match run {
                        4 => add_runs::<4>(line, values, strides),
                        12 => add_runs::<12>(line, values, strides),
                        16 => add_runs::<16>(line, values, strides),
                        _ => add_any_runs(run, line, values, strides),
                    }
                }
            }
            let line = &mut line[padding[1] * big.channels..][..big.width * big.channels];
            if !self.bias.is_empty() {
                for pixel in line.chunks_exact_mut(big.channels) {
                    pixel.iter_mut().zip(&self.bias).for_each(|(value, bias)| *value += bias);
                }
            }
            then.apply_to(line, *cpu);
            let start = big.pixel(row as isize, 0);
            out[start..start + line.len()].write_copy_of_slice(line);
        }
    }
}

/// line[x · strides[0] ..] += values[x · strides[1] ..], N numbers each: one row of the kernel.
fn add_runs<const N: usize>(line: &mut [f32], values: &[f32], strides: [usize; 2]) {
    for (x, values) in values.chunks(strides[1]).enumerate() {
        let (Some(sums), Some(values)) =
            (line[x * strides[0]..].first_chunk_mut::<N>(), values.first_chunk::<N>())
        else {
            unreachable!("every small pixel has a run and reaches the line")
        };
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
}

/// The same for runs of any length.
fn add_any_runs(run: usize, line: &mut [f32], values: &[f32], strides: [usize; 2]) {
    for (x, values) in values.chunks(strides[1]).enumerate() {
        let sums = &mut line[x * strides[0]..][..run];
        sums.iter_mut().zip(&values[..run]).for_each(|(sum, value)| *sum += value);
    }
}
