//! From the small map to the big one: big[s y + i − p, …] += small[y, …] w[i, …].
//!
//! The pixels of the big map fall into classes by their place modulo the stride. All of a class see
//! the same few taps of the kernel, so each class is a product of its own and nothing is scattered.
//! A big map of very few channels would leave most of a panel empty: see [`few_channels`].

use std::mem::MaybeUninit;

use rayon::prelude::*;

use crate::activation::Activation;
use crate::convolution::{Convolution, images_at_once};
use crate::geometry::{Class, Geometry};
use crate::lanes::WIDTH;
use crate::panel::{PanelRow, whole_panels};
use crate::product::{Product, Rows};

mod few_channels;

use few_channels::Columns;

/// Going up with one set of weights.
pub(crate) struct Up<'a> {
    convolution: &'a Convolution,
    way: Way,
    /// Images done at once.
    pub(crate) images: usize,
}

enum Way {
    Classes { parts: Vec<(Rows, Vec<PanelRow>)>, bias: Vec<f32> },
    Columns(Columns),
}

impl<'a> Up<'a> {
    pub(crate) fn new(convolution: &'a Convolution, weight: &[f32], bias: &[f32]) -> Self {
        let Convolution { big, small, geometry, .. } = convolution;
        convolution.check(weight, bias, big.channels);
        if Columns::pays(convolution) {
            let way = Way::Columns(Columns::new(convolution, weight, bias));
            return Self { convolution, way, images: 1 };
        }
        let border = geometry.small_border([big.height, big.width], [small.height, small.width]);
        assert!(small.border >= border, "the small map's border is too narrow");
        let images = images_at_once(small);
        let rights = geometry.classes(1, big.width);
        let pairs = (geometry.classes(0, big.height).into_iter())
            .flat_map(|down| rights.iter().map(move |right| (down, *right)));
        let part = |(down, right)| {
            let rows = rows(convolution, images, down, right);
            (rows, panels(convolution, weight, down, right))
        };
        let parts = pairs.collect::<Vec<_>>().into_par_iter().map(part).collect();
        Self { convolution, way: Way::Classes { parts, bias: whole_panels(bias) }, images }
    }

    /// Go up from at most `self.images` images.
    pub(crate) fn block(
        &self,
        images: usize,
        small: &[f32],
        then: Activation,
        out: &mut [MaybeUninit<f32>],
    ) {
        let Convolution { big, small: from, cpu, .. } = self.convolution;
        assert!(images <= self.images && small.len() == images * from.image_size());
        assert_eq!(out.len(), images * big.image_size());
        out.chunks_exact_mut(big.image_size()).for_each(|image| big.clear_border(image));
        let (parts, bias) = match &self.way {
            Way::Classes { parts, bias } => (parts, bias),
            Way::Columns(columns) => return columns.up(self.convolution, small, then, out),
        };
        for (rows, panels) in parts {
            let product = Product {
                rows,
                count: rows.from.len() / self.images * images,
                left: small.as_ptr(),
                panels,
                panel_rows: rows.depth(),
                columns: big.channels,
                out: out.as_mut_ptr().cast(),
                bias,
                accumulate: false,
                activation: then,
            };
            // SAFETY: the rows were made for these maps, and the slices are as long as the maps.
            unsafe { cpu.run(product) }
        }
    }
}

/// Every pixel of a class, with the pixels of the small map it sees.
fn rows(convolution: &Convolution, images: usize, down: Class, right: Class) -> Rows {
    let Convolution { big, small, geometry: Geometry { stride, .. }, .. } = convolution;
    let mut rows = Rows {
        runs: down.taps,
        run: right.taps * small.channels,
        pitch: small.row_size(),
        ..Rows::default()
    };
    // A class without taps (a stride larger than the kernel) sees nothing: its output is the bias.
    let blind = down.taps == 0 || right.taps == 0;
    for image in 0..images {
        for i in 0..down.count {
            for j in 0..right.count {
                let y = (down.first + i + 1) as isize - down.taps as isize;
                let x = (right.first + j + 1) as isize - right.taps as isize;
                let from = if blind { 0 } else { small.pixel(y, x) };
                rows.from.push(image * small.image_size() + from);
                let y = (down.place + i * stride[0]) as isize;
                let x = (right.place + j * stride[1]) as isize;
                rows.to.push(image * big.image_size() + big.pixel(y, x));
            }
        }
    }
    rows
}

/// `[panel of big channels][row][column][small channel][16]`, for the taps of a class. The first
/// small pixel in memory is the farthest, which is seen through the last tap.
fn panels(convolution: &Convolution, weight: &[f32], down: Class, right: Class) -> Vec<PanelRow> {
    let (big, small) = (convolution.big.channels, convolution.small.channels);
    let (taps, Geometry { kernel, stride, .. }) = (convolution.taps(), convolution.geometry);
    let depth = down.taps * right.taps * small;
    let mut out = vec![PanelRow::default(); big.div_ceil(WIDTH) * depth];
    for (s, weight) in weight.chunks_exact(big * taps).enumerate() {
        for i in 0..down.taps {
            let row = down.remainder + stride[0] * (down.taps - 1 - i);
            for j in 0..right.taps {
                let tap = row * kernel[1] + right.remainder + stride[1] * (right.taps - 1 - j);
                let place = (i * right.taps + j) * small + s;
                for (panel, weight) in weight.chunks(WIDTH * taps).enumerate() {
                    let out = &mut out[panel * depth + place].0;
                    let weight = weight[tap..].iter().step_by(taps);
                    out.iter_mut().zip(weight).for_each(|(out, value)| *out = *value);
                }
            }
        }
    }
    out
}
