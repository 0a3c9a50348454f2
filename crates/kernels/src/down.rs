//! From the big map to the small one: small[y, x] = Σ big[s y + i − p, s x + j − p] w[i, j].
//!
//! A pixel of the small map sees a run of neighbouring floats in each row of the kernel.

use std::mem::MaybeUninit;

use rayon::prelude::*;

use crate::activation::Activation;
use crate::convolution::{Convolution, images_at_once, in_strips};
use crate::geometry::Geometry;
use crate::lanes::WIDTH;
use crate::panel::{PanelRow, whole_panels};
use crate::product::{Product, Rows};

/// Going down with one set of weights.
pub(crate) struct Down<'a> {
    convolution: &'a Convolution,
    rows: Rows,
    panels: Vec<PanelRow>,
    bias: Vec<f32>,
    /// Images done at once.
    pub(crate) images: usize,
}

impl<'a> Down<'a> {
    pub(crate) fn new(convolution: &'a Convolution, weight: &[f32], bias: &[f32]) -> Self {
        let Convolution { big, small, geometry, .. } = convolution;
        convolution.check(weight, bias, small.channels);
        assert!(big.border >= geometry.big_border(), "the big map's border is too narrow");
        let images = images_at_once(small);
        Self {
            convolution,
            rows: rows(convolution, images),
            panels: panels(convolution, weight),
            bias: whole_panels(bias),
            images,
        }
    }

    /// Go down from at most `self.images` images.
    pub(crate) fn block(
        &self,
        images: usize,
        big: &[f32],
        then: Activation,
        out: &mut [MaybeUninit<f32>],
    ) {
        let Convolution { big: from, small, cpu, .. } = self.convolution;
        assert!(images <= self.images && big.len() == images * from.image_size());
        assert_eq!(out.len(), images * small.image_size());
        out.chunks_exact_mut(small.image_size()).for_each(|image| small.clear_border(image));
        let product = Product {
            rows: &self.rows,
            count: images * small.height * small.width,
            left: big.as_ptr(),
            panels: &self.panels,
            panel_rows: self.rows.depth(),
            columns: small.channels,
            out: out.as_mut_ptr().cast(),
            bias: &self.bias,
            accumulate: false,
            activation: then,
        };
        // SAFETY: the rows were made for these maps, and the slices are as long as the maps.
        unsafe { cpu.run(product) }
    }
}

/// Every pixel of the small map, with its neighbourhood in the big one.
fn rows(convolution: &Convolution, images: usize) -> Rows {
    let Convolution { big, small, geometry, .. } = convolution;
    let Geometry { kernel, stride, padding } = geometry;
    let mut rows = Rows {
        runs: kernel[0],
        run: kernel[1] * big.channels,
        pitch: big.row_size(),
        ..Rows::default()
    };
    for image in 0..images {
        for y in 0..small.height {
            for x in 0..small.width {
                let top = (y * stride[0]) as isize - padding[0] as isize;
                let left = (x * stride[1]) as isize - padding[1] as isize;
                rows.from.push(image * big.image_size() + big.pixel(top, left));
                let to = small.pixel(y as isize, x as isize);
                rows.to.push(image * small.image_size() + to);
            }
        }
    }
    rows
}

/// `[panel of small channels][row][column][big channel][16]`
fn panels(convolution: &Convolution, weight: &[f32]) -> Vec<PanelRow> {
    let (taps, big) = (convolution.taps(), convolution.big.channels);
    let panels = convolution.small.channels.div_ceil(WIDTH);
    let mut out = vec![PanelRow::default(); panels * taps * big];
    (out.par_chunks_mut(taps * big).zip(weight.par_chunks(WIDTH * taps * big))).for_each(
        |(panel, weight)| {
            let rows: Vec<&[f32]> = weight.chunks_exact(taps * big).collect();
            for (tap, b) in in_strips(taps, big) {
                let out = &mut panel[tap * big + b].0;
                out.iter_mut().zip(&rows).for_each(|(out, row)| *out = row[b * taps + tap]);
            }
        },
    );
    out
}
