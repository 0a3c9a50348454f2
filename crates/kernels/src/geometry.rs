//! Sizes: how a kernel, its stride and its padding connect a big map and a small one.

/// Kernel, stride and padding, each for rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    /// Rows and columns of the kernel.
    pub kernel: [usize; 2],
    /// Pixels of the big map from one pixel of the small map to the next.
    pub stride: [usize; 2],
    /// Rows and columns of zeros around the big map that the kernel sees.
    pub padding: [usize; 2],
}

impl Geometry {
    /// The height and width of the small map, from those of the big one. The kernel must fit.
    pub fn down(&self, big: [usize; 2]) -> [usize; 2] {
        let axis = |a: usize| {
            let seen = big[a] + 2 * self.padding[a];
            assert!(seen >= self.kernel[a], "the kernel is larger than the image");
            (seen - self.kernel[a]) / self.stride[a] + 1
        };
        [axis(0), axis(1)]
    }

    /// The height and width of the big map, from those of the small one; `extra` rows and columns
    /// tell apart the sizes that have the same small map.
    pub fn up(&self, small: [usize; 2], extra: [usize; 2]) -> [usize; 2] {
        let axis = |a: usize| {
            let size = (small[a] - 1) * self.stride[a] + self.kernel[a] + extra[a];
            assert!(size > 2 * self.padding[a], "the padding leaves no image");
            size - 2 * self.padding[a]
        };
        [axis(0), axis(1)]
    }

    /// The border that the big map needs, to go down from it.
    pub fn big_border(&self) -> usize {
        self.padding[0].max(self.padding[1])
    }

    /// The border that the small map needs, to go up from it to a big map of this size.
    pub fn small_border(&self, big: [usize; 2], small: [usize; 2]) -> usize {
        let axis = |a: usize| {
            let need = |class: Class| {
                let first = class.first as isize - (class.taps as isize - 1);
                let last = (class.first + class.count - 1) as isize;
                (-first).max(last - (small[a] as isize - 1)).max(0) as usize
            };
            self.classes(a, big[a]).into_iter().filter(|c| c.taps > 0).map(need).max().unwrap_or(0)
        };
        axis(0).max(axis(1))
    }

    /// The classes of places along one axis of the big map, `size` long.
    pub(crate) fn classes(&self, axis: usize, size: usize) -> Vec<Class> {
        let (kernel, stride, padding) = (self.kernel[axis], self.stride[axis], self.padding[axis]);
        let class = |remainder: usize| {
            // Places y ≥ 0 with y + padding ≡ remainder: y = stride · q + remainder − padding.
            let first = padding.saturating_sub(remainder).div_ceil(stride);
            let place = stride * first + remainder - padding;
            let count = size.saturating_sub(place).div_ceil(stride);
            let taps = kernel.saturating_sub(remainder).div_ceil(stride);
            Class { remainder, taps, first, place, count }
        };
        (0..stride).map(class).filter(|class| class.count > 0).collect()
    }
}

/// Places of the big map that see the same taps: remainder, remainder + stride, …
#[derive(Clone, Copy, Debug)]
pub(crate) struct Class {
    pub(crate) remainder: usize,
    /// How many taps they see: the small places q, q − 1, … through the kernel's remainder,
    /// remainder + stride, …
    pub(crate) taps: usize,
    /// The q of the first place,
    pub(crate) first: usize,
    /// the first place,
    pub(crate) place: usize,
    /// and how many there are.
    pub(crate) count: usize,
}
