//! The definitions, in f64 and with plain loops: what the kernels are tested against.

#![allow(dead_code, unreachable_pub)] // each test file uses a part

use unbraid_kernels::{Activation, Geometry, Map};

/// All of them.
pub const ACTIVATIONS: [Activation; 6] = [
    Activation::None,
    Activation::Relu,
    Activation::LeakyRelu(0.2),
    Activation::Elu,
    Activation::Silu,
    Activation::Tanh,
];

/// Numbers for tests: a linear congruential generator is enough here.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// About −1..1.
    pub fn floats(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0).collect()
    }
}

pub fn activate(a: f64, activation: Activation) -> f64 {
    match activation {
        Activation::None => a,
        Activation::Relu => a.max(0.0),
        Activation::LeakyRelu(slope) => {
            if a > 0.0 {
                a
            } else {
                a * f64::from(slope)
            }
        }
        Activation::Elu => {
            if a > 0.0 {
                a
            } else {
                a.exp_m1()
            }
        }
        Activation::Silu => a / (1.0 + (-a).exp()),
        Activation::Tanh => a.tanh(),
    }
}

pub fn slope(a: f64, activation: Activation) -> f64 {
    match activation {
        Activation::None => 1.0,
        Activation::Relu => f64::from(u8::from(a > 0.0)),
        Activation::LeakyRelu(slope) => {
            if a > 0.0 {
                1.0
            } else {
                f64::from(slope)
            }
        }
        Activation::Elu => {
            if a > 0.0 {
                1.0
            } else {
                a.exp()
            }
        }
        Activation::Silu => {
            let s = 1.0 / (1.0 + (-a).exp());
            s * (1.0 + a * (1.0 - s))
        }
        Activation::Tanh => 1.0 - a.tanh().powi(2),
    }
}

/// The sums of one layer, written as: for every pair of a big pixel and a small pixel that a tap of
/// the kernel connects, `visit(big index, small index, weight index)`, all with channels second.
pub fn connections(
    big: &Map,
    small: &Map,
    geometry: &Geometry,
    mut visit: impl FnMut(usize, usize, usize),
) {
    let [kh, kw] = geometry.kernel;
    for n in 0..big.images {
        for s in 0..small.channels {
            for b in 0..big.channels {
                for (y, x) in pixels(small) {
                    for i in 0..kh {
                        for j in 0..kw {
                            let row =
                                (y * geometry.stride[0] + i).wrapping_sub(geometry.padding[0]);
                            let column =
                                (x * geometry.stride[1] + j).wrapping_sub(geometry.padding[1]);
                            if row < big.height && column < big.width {
                                visit(
                                    ((n * big.channels + b) * big.height + row) * big.width
                                        + column,
                                    ((n * small.channels + s) * small.height + y) * small.width + x,
                                    ((s * big.channels + b) * kh + i) * kw + j,
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

fn pixels(map: &Map) -> impl Iterator<Item = (usize, usize)> + use<> {
    let (height, width) = (map.height, map.width);
    (0..height).flat_map(move |y| (0..width).map(move |x| (y, x)))
}

/// How many numbers a map has without its border.
pub fn count(map: &Map) -> usize {
    map.images * map.channels * map.height * map.width
}

/// A map's numbers with channels second and no border.
pub fn planes(map: &Map, memory: &[f32]) -> Vec<f32> {
    let placement = map.placement();
    let [image, channel, row, column] = placement.strides;
    let mut out = Vec::new();
    for n in 0..map.images {
        for c in 0..map.channels {
            for (y, x) in pixels(map) {
                out.push(memory[placement.offset + n * image + c * channel + y * row + x * column]);
            }
        }
    }
    out
}

/// Numbers with channels second as a map.
pub fn map_of(map: &Map, planes: &[f32]) -> Vec<f32> {
    let plane = map.height * map.width;
    let strides = [map.channels * plane, plane, map.width, 1];
    map.gather(planes, unbraid_kernels::Placement { offset: 0, strides })
}

/// ‖found − expected‖ / ‖expected‖
pub fn relative_error(found: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let pairs = found.iter().zip(expected);
    let off: f64 = pairs.map(|(f, e)| (f64::from(*f) - e).powi(2)).sum();
    let size: f64 = expected.iter().map(|e| e * e).sum();
    (off / size.max(1e-30)).sqrt()
}
