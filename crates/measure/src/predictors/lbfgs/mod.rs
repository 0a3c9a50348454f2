//! L-BFGS (Liu and Nocedal 1989, "On the limited memory BFGS method for large scale optimization"):
//! minimise a smooth function of many numbers from its values and gradients. The direction is
//!
//! ```text
//! d = -H g,   H = the inverse Hessian that fits the last ten steps s = Δx and changes y = Δg,
//!             built up from H_0 = (s·y / y·y) I
//! ```
//!
//! Classifiers of the field are fitted by SciPy's L-BFGS-B, which is often stopped before it
//! is done, and what it has by then is what gets reported. So this one makes the same steps:
//! without bounds L-BFGS-B is L-BFGS with these rules for the first step, for steps that tell nothing
//! about curvature, and for starting afresh after a failed search.

use std::collections::VecDeque;

mod line_search;
mod nonnegative;

use line_search::{LineSearch, Next, Point};

pub use nonnegative::minimise_nonnegative;

/// How many steps are remembered.
const MEMORY: usize = 10;
/// How many points a search along one direction may look at.
const LOOKS: usize = 50;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// After so many steps.
    pub steps: usize,
    /// Once no entry of the gradient is larger.
    pub gradient: f64,
    /// Once a step lowers the value by no more than this share of it, or of 1 if that is more.
    pub decrease: f64,
}

/// Lower `f` from `x`, which is overwritten by the best place found; returns the number of steps.
/// `f` writes the gradient at its first argument into its second, and returns the value.
pub fn minimise(x: &mut [f64], stop: Stop, mut f: impl FnMut(&[f64], &mut [f64]) -> f64) -> usize {
    let mut gradient = vec![0.0; x.len()];
    let value = f(x, &mut gradient);
    let mut here = Place { x: x.to_vec(), gradient, value };
    let mut before = here.clone();
    let mut memory = Memory::default();
    let mut steps = 0;
    while steps < stop.steps && largest(&here.gradient) > stop.gradient {
        let direction = memory.direction(&here.gradient);
        // The first step has length 1, for want of a scale.
        let first = if steps == 0 { 1.0 / dot(&direction, &direction).sqrt() } else { 1.0 };
        before.clone_from(&here);
        if !search(&before, &mut here, &direction, first, &mut f) {
            here.clone_from(&before);
            if memory.steps.is_empty() {
                break;
            }
            memory = Memory::default();
            continue;
        }
        steps += 1;
        let scale = here.value.abs().max(before.value.abs()).max(1.0);
        if before.value - here.value <= stop.decrease * scale {
            break;
        }
        memory.remember(&before, &here);
    }
    x.copy_from_slice(&here.x);
    steps
}

/// A point, and the function there.
#[derive(Debug)]
struct Place {
    x: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

impl Clone for Place {
    fn clone(&self) -> Self {
        Self { x: self.x.clone(), gradient: self.gradient.clone(), value: self.value }
    }

    /// Keeps the memory, unlike a derived one.
    fn clone_from(&mut self, other: &Self) {
        self.x.clone_from(&other.x);
        self.gradient.clone_from(&other.gradient);
        self.value = other.value;
    }
}

/// Go from `start` along `direction` to a good place, `here`; false if there is none.
fn search(
    start: &Place,
    here: &mut Place,
    direction: &[f64],
    first: f64,
    f: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
) -> bool {
    let slope = dot(&start.gradient, direction);
    if slope >= 0.0 {
        return false;
    }
    let mut step = first;
    let mut search = LineSearch::new(start.value, slope, step);
    for _ in 0..LOOKS {
        for ((x, from), along) in here.x.iter_mut().zip(&start.x).zip(direction) {
            *x = from + step * along;
        }
        here.value = f(&here.x, &mut here.gradient);
        let slope = dot(&here.gradient, direction);
        match search.look(Point { step, value: here.value, slope }) {
            Next::Take => return true,
            Next::Try(next) => step = next,
        }
    }
    false
}

/// The last steps, newest first.
#[derive(Default)]
struct Memory {
    steps: VecDeque<Step>,
}

struct Step {
    /// s: the change of x.
    moved: Vec<f64>,
    /// y: the change of the gradient.
    turned: Vec<f64>,
    /// s · y
    product: f64,
}

impl Memory {
    /// -H g by the two loops of Nocedal (1980): O(memory · numbers).
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut direction: Vec<f64> = gradient.iter().map(|entry| -entry).collect();
        let mut shares = [0.0; MEMORY];
        for (step, share) in self.steps.iter().zip(&mut shares) {
            *share = dot(&step.moved, &direction) / step.product;
            add(&mut direction, -*share, &step.turned);
        }
        if let Some(Step { turned, product, .. }) = self.steps.front() {
            let scale = product / dot(turned, turned);
            for entry in &mut direction {
                *entry *= scale;
            }
        }
        for (step, share) in self.steps.iter().zip(&shares).rev() {
            let back = dot(&step.turned, &direction) / step.product;
            add(&mut direction, share - back, &step.moved);
        }
        direction
    }

    /// A step that finds no curvature is not kept: H must stay positive definite.
    fn remember(&mut self, before: &Place, here: &Place) {
        let moved = difference(&here.x, &before.x);
        let turned = difference(&here.gradient, &before.gradient);
        let product = dot(&moved, &turned);
        if product > f64::EPSILON * -dot(&moved, &before.gradient) {
            self.steps.truncate(MEMORY - 1);
            self.steps.push_front(Step { moved, turned, product });
        }
    }
}

fn largest(gradient: &[f64]) -> f64 {
    gradient.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()))
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// a + share · b
fn add(a: &mut [f64], share: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += share * b);
}

/// Eight sums side by side, so that additions need not wait for each other.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIGHT: Stop = Stop { steps: 1000, gradient: 1e-9, decrease: 0.0 };

    /// `scipy.optimize.minimize(rosen, [-1.2, 1], jac=rosen_der, method="L-BFGS-B", maxiter=…).x`
    const SCIPY: [(usize, [f64; 2]); 4] = [
        (1, [-1.017_409_795_703_821_7, 1.074_526_613_998_440_2]),
        (5, [-1.021_385_160_033_696, 1.039_294_388_135_064_5]),
        (10, [-0.677_832_151_522_399_8, 0.425_854_405_205_965_74]),
        (20, [0.370_174_713_865_530_25, 0.132_293_212_867_584_03]),
    ];

    /// (1 - x)² + 100 (y - x²)², a bent valley.
    fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
        let off = x[1] - x[0] * x[0];
        gradient[0] = -2.0 * (1.0 - x[0]) - 400.0 * off * x[0];
        gradient[1] = 200.0 * off;
        (1.0 - x[0]).powi(2) + 100.0 * off * off
    }

    #[test]
    fn the_bent_valley_is_followed_to_its_end() {
        let mut x = [-1.2, 1.0];
        let steps = minimise(&mut x, TIGHT, rosenbrock);
        assert!((x[0] - 1.0).abs() < 1e-9 && (x[1] - 1.0).abs() < 1e-9, "{x:?}");
        assert!(steps < 60, "{steps}");
    }

    #[test]
    fn it_comes_as_far_in_a_few_steps_as_scipy() {
        for (steps, expected) in SCIPY {
            let mut x = [-1.2, 1.0];
            let taken = minimise(&mut x, Stop { steps, ..TIGHT }, rosenbrock);
            assert_eq!(taken, steps);
            let off = (x[0] - expected[0]).abs().max((x[1] - expected[1]).abs());
            assert!(off < 1e-8, "after {steps} steps {x:?}, not {expected:?}");
        }
    }

    #[test]
    fn a_quadratic_with_very_unequal_axes_is_solved() {
        // ½ Σ a_i (x_i - i)², a_i from 1 to 10^4.
        let scale = |i: usize| 10f64.powf(4.0 * i as f64 / 29.0);
        let mut x = [0.0; 30];
        minimise(&mut x, TIGHT, |x, gradient| {
            let off = |i: usize| x[i] - i as f64;
            (0..30).for_each(|i| gradient[i] = scale(i) * off(i));
            (0..30).map(|i| 0.5 * scale(i) * off(i).powi(2)).sum()
        });
        let worst = (0..30).map(|i| (x[i] - i as f64).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-8, "{worst}");
    }

    #[test]
    fn a_start_at_the_minimum_stays_and_a_function_without_one_ends() {
        let mut x = [1.0, 1.0];
        assert_eq!(minimise(&mut x, TIGHT, rosenbrock), 0);
        let mut x = [0.0];
        let straight = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = -1.0;
            -x[0]
        };
        assert!(minimise(&mut x, TIGHT, straight) <= 1000);
    }
}
