//! How fast the kernels are beside what the processor can do: the layers of the standard β-VAE step
//! (batch 64, 64x64), one by one, in billions of floating-point operations per second.
//!
//!     cargo run --release -p unbraid-kernels --example speed [threads]

#![allow(clippy::print_stdout, clippy::wildcard_imports, unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use unbraid_kernels::{
    Activation, Backward, Convolution, Cpu, Dense, Geometry, Likelihood, Map, Pool,
};

#[global_allocator]
static POOL: Pool = Pool::new();

const BATCH: usize = 64;

/// The best of many runs, in seconds: other work on the machine only ever adds.
fn time<T>(mut f: impl FnMut() -> T) -> f64 {
    let once = |_| {
        let start = Instant::now();
        black_box(f());
        start.elapsed().as_secs_f64()
    };
    (0..50).map(once).fold(f64::INFINITY, f64::min)
}

/// Fused multiply-adds in registers only: what no kernel can exceed.
#[cfg(target_arch = "x86_64")]
fn peak(cpu: Cpu) -> f64 {
    use std::arch::x86_64::*;
    const TURNS: usize = 500_000;
    /// Twelve sums, enough to hide how long one takes.
    macro_rules! turns {
        ($name:ident, $features:literal, $set:ident, $fma:ident, $add:ident, $first:ident) => {
            #[target_feature(enable = $features)]
            fn $name() -> f32 {
                let mut sums = [$set(black_box(1.0)); 12];
                let (x, y) = ($set(black_box(0.999)), $set(black_box(0.001)));
                for _ in 0..TURNS {
                    for sum in &mut sums {
                        *sum = $fma(*sum, x, y);
                    }
                }
                $first(sums.into_iter().fold($set(0.0), |total, sum| $add(total, sum)))
            }
        };
    }
    turns!(avx2, "avx2,fma", _mm256_set1_ps, _mm256_fmadd_ps, _mm256_add_ps, _mm256_cvtss_f32);
    turns!(avx512, "avx512f", _mm512_set1_ps, _mm512_fmadd_ps, _mm512_add_ps, _mm512_cvtss_f32);
    // SAFETY: a `Cpu` of this name is only to be had where the processor has the instructions.
    let (floats, turns): (f64, fn() -> f32) = match cpu.name() {
        "avx2" => (8.0, || unsafe { avx2() }),
        "avx512" => (16.0, || unsafe { avx512() }),
        _ => return f64::NAN,
    };
    let seconds = time(|| rayon::broadcast(|_| turns()));
    rayon::current_num_threads() as f64 * TURNS as f64 * 12.0 * 2.0 * floats / seconds / 1e9
}

#[cfg(not(target_arch = "x86_64"))]
fn peak(_: Cpu) -> f64 {
    f64::NAN
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 7919 % 2003) as f32 / 1001.5 - 1.0).collect()
}

fn main() {
    let threads = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("first use");
    let cpu = Cpu::best();
    println!(
        "{}, {} threads, peak {:.0} GFLOP/s",
        cpu.name(),
        rayon::current_num_threads(),
        peak(cpu)
    );
    let mut total = 0.0;
    let mut line = |name: &str, operations: f64, seconds: f64| {
        total += seconds;
        println!("{name:34} {:7.2} ms {:7.1} GFLOP/s", seconds * 1e3, operations / seconds / 1e9);
    };
    for (side, big, small) in [(64, 1, 32), (64, 3, 32), (32, 32, 32), (16, 32, 64), (8, 64, 64)] {
        convolution(side, big, small, cpu, &mut line);
    }
    for (inputs, outputs) in
        [(1024, 256), (256, 1024), (256, 10), (10, 256), (36864, 2306), (2306, 36864), (2306, 2306)]
    {
        dense(inputs, outputs, cpu, &mut line);
    }
    let (decoded, observed) = (numbers(BATCH * 4096), numbers(BATCH * 4096));
    let seconds = time(|| {
        Likelihood::Bernoulli.error(
            &decoded,
            &observed,
            4096,
            std::slice::from_ref(&(0..4096)),
            1.0,
            cpu,
        )
    });
    line("bernoulli", 0.0, seconds);
    println!("sum {:.2} ms", total * 1e3);
}

/// 4x4 kernels with stride 2, down and up, forward and backward.
fn convolution(
    side: usize,
    big: usize,
    small: usize,
    cpu: Cpu,
    line: &mut dyn FnMut(&str, f64, f64),
) {
    let geometry = Geometry { kernel: [4; 2], stride: [2; 2], padding: [1; 2] };
    let map =
        |channels, side| Map { images: BATCH, channels, height: side, width: side, border: 1 };
    let (big, small) = (map(big, side), map(small, side / 2));
    let convolution = Convolution::new(big, small, geometry, cpu);
    let operations = (2 * BATCH * side * side / 4 * 16 * big.channels * small.channels) as f64;
    let weight = numbers(16 * big.channels * small.channels);
    let plane = |map: &Map| {
        let placement = Map { border: 0, ..*map }.placement();
        map.gather(&numbers(map.images * map.height * map.width * map.channels), placement)
    };
    let (x, y) = (plane(&big), plane(&small));
    let name = format!("{}x{side}x{side} to {}", big.channels, small.channels);
    let relu = Activation::Relu;
    line(&format!("{name} down"), operations, time(|| convolution.down(&x, &weight, &[], relu)));
    let want_input = big.channels > 3;
    let layer = Backward {
        input: &x,
        weight: &weight,
        kept: &y,
        gradient: &y,
        activation: relu,
        want_input,
    };
    let products = if want_input { 2.0 } else { 1.0 };
    let seconds = time(|| convolution.down_backward(&layer));
    line(&format!("{name} down backward"), products * operations, seconds);
    let last = if big.channels <= 3 { Activation::None } else { relu };
    line(&format!("{name} up"), operations, time(|| convolution.up(&y, &weight, &[], last)));
    let layer = Backward {
        input: &y,
        weight: &weight,
        kept: &x,
        gradient: &x,
        activation: last,
        want_input: true,
    };
    let seconds = time(|| convolution.up_backward(&layer));
    line(&format!("{name} up backward"), 2.0 * operations, seconds);
}

fn dense(inputs: usize, outputs: usize, cpu: Cpu, line: &mut dyn FnMut(&str, f64, f64)) {
    let dense = Dense { inputs, outputs, cpu };
    let (x, weight, y) =
        (numbers(BATCH * inputs), numbers(inputs * outputs), numbers(BATCH * outputs));
    let operations = (2 * BATCH * inputs * outputs) as f64;
    let relu = Activation::Relu;
    let name = format!("dense {inputs} to {outputs}");
    line(&name, operations, time(|| dense.forward(&x, &weight, &[], relu)));
    let layer = Backward {
        input: &x,
        weight: &weight,
        kept: &y,
        gradient: &y,
        activation: relu,
        want_input: true,
    };
    line(&format!("{name} backward"), 2.0 * operations, time(|| dense.backward(&layer)));
}
