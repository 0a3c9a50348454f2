//! The gradients of a convolution, in both directions.
//!
//! Images are dealt out in a fixed number of groups. A thread takes a group and goes through it block
//! by block, small enough to stay in cache: it undoes the activation, adds up the bias, adds up the
//! weights, and sends the gradient on to the input. The groups' sums are then added in their order, so
//! that the result does not depend on who did what when.

use std::mem::MaybeUninit;

use rayon::prelude::*;

use crate::activation::Activation;
use crate::backward::{Backward, Gradients};
use crate::convolution::{Convolution, in_strips};
use crate::down::Down;
use crate::fill::SPARE;
use crate::lanes::WIDTH;
use crate::map::Map;
use crate::outer::{Outer, Strides};
use crate::panel::PanelRow;
use crate::undo::Undo;
use crate::up::Up;

/// Groups of images whose sums are kept apart: many, to share the work evenly, but their sums must be
/// added up in the end.
const GROUPS: std::ops::RangeInclusive<usize> = 4..=16;
const ALL_SUMS: usize = 1 << 19;

impl Convolution {
    /// The gradients of [`down`](Self::down).
    pub fn down_backward(&self, layer: &Backward) -> Gradients {
        let up = layer.want_input.then(|| Up::new(self, layer.weight, &[]));
        let images = up.as_ref().map_or(1, |up| up.images);
        self.backward(layer, [&self.big, &self.small], images, |block, input, sums, out| {
            self.add_weight_gradient(block, input, block.gradient, sums);
            if let Some(up) = &up {
                up.block(block.images, block.gradient, Activation::None, out);
            }
        })
    }

    /// The gradients of [`up`](Self::up).
    pub fn up_backward(&self, layer: &Backward) -> Gradients {
        let down = layer.want_input.then(|| Down::new(self, layer.weight, &[]));
        let images = down.as_ref().map_or(1, |down| down.images);
        self.backward(layer, [&self.small, &self.big], images, |block, input, sums, out| {
            self.add_weight_gradient(block, block.gradient, input, sums);
            if let Some(down) = &down {
                down.block(block.images, block.gradient, Activation::None, out);
            }
        })
    }

    fn backward(
        &self,
        layer: &Backward,
        [from, to]: [&Map; 2],
        images_at_once: usize,
        step: impl Fn(&Block, &[f32], &mut [MaybeUninit<PanelRow>], &mut [MaybeUninit<f32>]) + Sync,
    ) -> Gradients {
        self.check(layer.weight, &[], 0);
        assert_eq!(layer.input.len(), from.size(), "the input has the form of its map");
        assert_eq!(layer.kept.len(), to.size(), "the output has the form of its map");
        assert_eq!(layer.gradient.len(), to.size(), "the gradient has the form of the output");
        let size = if layer.want_input { from.image_size() } else { 0 };
        let rows = self.small.channels.div_ceil(WIDTH) * self.taps() * self.big.channels;
        let groups = (ALL_SUMS / (rows * WIDTH)).clamp(*GROUPS.start(), *GROUPS.end());
        let per_group = from.images.div_ceil(groups);
        let groups = from.images.div_ceil(per_group);

        let mut input = Vec::with_capacity(from.images * size + SPARE);
        let room = &mut input.spare_capacity_mut()[..from.images * size];
        let outputs: Vec<&mut [MaybeUninit<f32>]> = match size {
            0 => (0..groups).map(|_| Default::default()).collect(),
            _ => room.chunks_mut(per_group * size).collect(),
        };
        let group = |(number, output): (usize, &mut [MaybeUninit<f32>])| {
            let mut sums = Sums { weight: Vec::with_capacity(rows), bias: vec![0.0; to.channels] };
            let mut scratch = Vec::new();
            let end = ((number + 1) * per_group).min(from.images);
            let mut image = number * per_group;
            while image < end {
                let images = images_at_once.min(end - image);
                let these = image..image + images;
                let gradient = to.some(layer.gradient, &these);
                let kept = to.some(layer.kept, &these);
                let undone = Undo { activation: layer.activation, gradient, kept };
                let gradient = undone.run(self.cpu, &mut scratch, &mut sums.bias);
                let block = Block { images, first: image == number * per_group, gradient };
                let start = (image - number * per_group) * size;
                let output = &mut output[start..start + images * size];
                let room = &mut sums.weight.spare_capacity_mut()[..rows];
                step(&block, from.some(layer.input, &these), room, output);
                image += images;
            }
            // SAFETY: no group is empty, and its first block has written all sums.
            unsafe { sums.weight.set_len(rows) };
            sums
        };
        let sums: Vec<Sums> = outputs.into_par_iter().enumerate().map(group).collect();
        // SAFETY: the groups' outputs cover the first floats, and `step` has written each image.
        unsafe { input.set_len(from.images * size) };
        let (weight, bias) = self.add_up(&sums);
        Gradients { input, weight, bias }
    }

    /// sums[tap, big channel, small channel] += Σ big ⊗ small over the pixels of some images.
    fn add_weight_gradient(
        &self,
        block: &Block,
        big: &[f32],
        small: &[f32],
        sums: &mut [MaybeUninit<PanelRow>],
    ) {
        assert!(
            self.big.border >= self.geometry.big_border(),
            "the big map's border is too narrow"
        );
        let channels = self.small.channels.next_multiple_of(WIDTH);
        let wide = self.small.with_channels(channels);
        let widened;
        let small = if channels == self.small.channels {
            small
        } else {
            widened = widen(small, self.small.channels, channels);
            &widened
        };
        let [top, left] = self.geometry.padding.map(|padding| -(padding as isize));
        let start = self.big.pixel(top, left);
        let stride = self.geometry.stride;
        let outer = Outer {
            images: block.images,
            accumulate: !block.first,
            height: self.small.height,
            width: self.small.width,
            left: big[start..].as_ptr(),
            left_strides: Strides {
                image: self.big.image_size(),
                row: stride[0] * self.big.row_size(),
                pixel: stride[1] * self.big.channels,
            },
            runs: self.geometry.kernel[0],
            run: self.geometry.kernel[1] * self.big.channels,
            pitch: self.big.row_size(),
            right: small[wide.pixel(0, 0)..].as_ptr(),
            right_strides: Strides {
                image: wide.image_size(),
                row: wide.row_size(),
                pixel: wide.channels,
            },
            sums,
        };
        // SAFETY: the slices hold `images` images of these maps, whose sizes belong together; the
        // border holds what the kernel sees beyond the edge.
        unsafe { self.cpu.run(outer) }
    }

    /// The sums of all groups, in the layout of the weights.
    fn add_up(&self, groups: &[Sums]) -> (Vec<f32>, Vec<f32>) {
        let (taps, big) = (self.taps(), self.big.channels);
        let mut weight = vec![0.0; self.small.channels * big * taps];
        // A panel is sixteen rows of the weights, turned.
        weight.par_chunks_mut(WIDTH * big * taps).enumerate().for_each(|(panel, out)| {
            let rows = panel * taps * big..(panel + 1) * taps * big;
            let mut sums = groups[0].weight[rows.clone()].to_vec();
            for group in &groups[1..] {
                for (sum, row) in sums.iter_mut().zip(&group.weight[rows.clone()]) {
                    sum.0.iter_mut().zip(row.0).for_each(|(sum, value)| *sum += value);
                }
            }
            for (tap, b) in in_strips(taps, big) {
                let out = out[b * taps + tap..].iter_mut().step_by(big * taps);
                out.zip(sums[tap * big + b].0).for_each(|(out, sum)| *out = sum);
            }
        });
        let mut bias = vec![0.0; groups[0].bias.len()];
        for group in groups {
            bias.iter_mut().zip(&group.bias).for_each(|(sum, value)| *sum += value);
        }
        (weight, bias)
    }
}

/// Some images, and the gradient of their sums.
struct Block<'a> {
    images: usize,
    /// Whether they are the first of their group, before which there are no sums.
    first: bool,
    gradient: &'a [f32],
}

/// What a group of images adds to the gradients.
struct Sums {
    weight: Vec<PanelRow>,
    bias: Vec<f32>,
}

/// Pixels with zeros behind their channels.
fn widen(pixels: &[f32], channels: usize, wide: usize) -> Vec<f32> {
    let mut out = vec![0.0; pixels.len() / channels * wide];
    for (out, pixel) in out.chunks_exact_mut(wide).zip(pixels.chunks_exact(channels)) {
        out[..channels].copy_from_slice(pixel);
    }
    out
}
