//! Convolutions, down to a smaller map and up to a larger one.
//!
//! A convolution and a transposed convolution are two directions between the same two maps, and the
//! gradient of either's input is the other direction. So there are two operations and the gradient of
//! the weights, whose layout both share: `[small channel][big channel][row][column]`.

use crate::activation::Activation;
use crate::cpu::Cpu;
use crate::down::Down;
use crate::fill::fill;
use crate::geometry::Geometry;
use crate::map::Map;
use crate::up::Up;

/// Two maps and the geometry between them.
#[derive(Clone, Copy, Debug)]
pub struct Convolution {
    pub(crate) big: Map,
    pub(crate) small: Map,
    pub(crate) geometry: Geometry,
    pub(crate) cpu: Cpu,
}

impl Convolution {
    /// The maps must have the same images and sizes that belong together, up to what the stride
    /// leaves over.
    pub fn new(big: Map, small: Map, geometry: Geometry, cpu: Cpu) -> Self {
        assert_eq!(big.images, small.images, "both maps have the same images");
        assert!(big.images > 0, "there is at least one image");
        // Every index below is less than these sizes, so if they fit, nothing overflows.
        assert!(big.fits() && small.fits(), "a map fits into memory");
        let sizes = geometry.down([big.height, big.width]);
        assert_eq!(sizes, [small.height, small.width], "the sizes of the maps belong together");
        Self { big, small, geometry, cpu }
    }

    /// small = activation(big ∗ weight + bias); an empty bias is none.
    pub fn down(&self, big: &[f32], weight: &[f32], bias: &[f32], then: Activation) -> Vec<f32> {
        assert_eq!(big.len(), self.big.size(), "the map has as many numbers as its form says");
        let down = Down::new(self, weight, bias);
        let (from, to) = (self.big.image_size(), self.small.image_size());
        fill(self.small.size(), down.images * to, |i, out| {
            let images = out.len() / to;
            let big = &big[i * down.images * from..][..images * from];
            down.block(images, big, then, out);
        })
    }

    /// big = activation(small ∗ᵀ weight + bias); an empty bias is none.
    pub fn up(&self, small: &[f32], weight: &[f32], bias: &[f32], then: Activation) -> Vec<f32> {
        assert_eq!(small.len(), self.small.size(), "the map has as many numbers as its form says");
        let up = Up::new(self, weight, bias);
        let (from, to) = (self.small.image_size(), self.big.image_size());
        fill(self.big.size(), up.images * to, |i, out| {
            let images = out.len() / to;
            let small = &small[i * up.images * from..][..images * from];
            up.block(images, small, then, out);
        })
    }

    /// Taps of the kernel.
    pub(crate) fn taps(&self) -> usize {
        self.geometry.kernel[0] * self.geometry.kernel[1]
    }

    /// Refuse weights and biases of other sizes: the kernels trust these.
    pub(crate) fn check(&self, weight: &[f32], bias: &[f32], channels: usize) {
        let weights = self.small.channels * self.big.channels * self.taps();
        assert_eq!(weight.len(), weights, "a weight per pair of channels and tap");
        assert!(bias.is_empty() || bias.len() == channels, "a bias per channel, or none");
    }
}

/// Rows of a product that keep nearly every tile full.
const ENOUGH_ROWS: usize = 192;

/// How many images of a map make a product with full tiles; few enough to share the work evenly.
pub(crate) fn images_at_once(map: &Map) -> usize {
    ENOUGH_ROWS.div_ceil(map.height * map.width).min(map.images.div_ceil(8))
}

/// Every tap and big channel, a few channels at a time: between weights, which have the taps next to
/// each other, and panels, which have the channels, this order stays in cache on both sides.
pub(crate) fn in_strips(taps: usize, channels: usize) -> impl Iterator<Item = (usize, usize)> {
    const STRIP: usize = 8;
    (0..channels).step_by(STRIP).flat_map(move |first| {
        let strip = first..(first + STRIP).min(channels);
        (0..taps).flat_map(move |tap| strip.clone().map(move |channel| (tap, channel)))
    })
}
