//! L-BFGS where no number may fall below zero, by projection (Bertsekas 1982, "Projected Newton
//! methods for optimization problems with simple constraints"). Numbers at zero that want to be
//! less are held; the rest moves along -H g, and what would pass zero stops there:
//!
//! ```text
//! x(t) = max(0, x + t d),   t = 1, 1/2, 1/4, … until f falls by a share of what g promises
//! ```
//!
//! Unlike with `minimise`, zeros come out exactly zero, as a price on size needs it. It does not make
//! the steps of SciPy's L-BFGS-B, which looks for the next corner first; the minimum is the same.

use super::{LOOKS, Memory, Place, Stop, difference, dot};

/// The share of the promised decrease that a step has to bring (Armijo).
const SUFFICIENT: f64 = 1e-4;

/// As [`minimise`](super::minimise), with every number of `x` kept at zero or above.
pub fn minimise_nonnegative(
    x: &mut [f64],
    stop: Stop,
    mut f: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> usize {
    for x in &mut *x {
        *x = x.max(0.0);
    }
    let mut gradient = vec![0.0; x.len()];
    let value = f(x, &mut gradient);
    let mut here = Place { x: x.to_vec(), gradient, value };
    let mut memory = Memory::default();
    let mut steps = 0;
    while steps < stop.steps && largest_free(&here) > stop.gradient {
        let mut direction = memory.direction(&free_gradient(&here));
        hold(&here, &mut direction);
        let fresh = memory.steps.is_empty();
        let length = dot(&direction, &direction).sqrt();
        let first = if fresh { 1.0 / length.max(1.0) } else { 1.0 };
        let Some(next) = search(&here, &direction, first, &mut f) else {
            if fresh {
                break;
            }
            memory = Memory::default();
            continue;
        };
        steps += 1;
        let scale = here.value.abs().max(next.value.abs()).max(1.0);
        let done = here.value - next.value <= stop.decrease * scale;
        memory.remember(&here, &next);
        here = next;
        if done {
            break;
        }
    }
    x.copy_from_slice(&here.x);
    steps
}

/// Whether a number is at zero and wants to be less.
fn held(x: f64, gradient: f64) -> bool {
    x <= 0.0 && gradient > 0.0
}

fn free_gradient(here: &Place) -> Vec<f64> {
    let pairs = here.x.iter().zip(&here.gradient);
    pairs.map(|(&x, &gradient)| if held(x, gradient) { 0.0 } else { gradient }).collect()
}

fn largest_free(here: &Place) -> f64 {
    super::largest(&free_gradient(here))
}

/// H mixes entries, and may push a held number back across; the projection would then hide that the
/// direction leads nowhere.
fn hold(here: &Place, direction: &mut [f64]) {
    for ((along, &x), &gradient) in direction.iter_mut().zip(&here.x).zip(&here.gradient) {
        if held(x, gradient) || (x <= 0.0 && *along < 0.0) {
            *along = 0.0;
        }
    }
}

/// The first point on the projected ray that is low enough.
fn search(
    start: &Place,
    direction: &[f64],
    first: f64,
    f: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Option<Place> {
    let mut next = start.clone();
    let mut step = first;
    for _ in 0..LOOKS {
        for ((x, from), along) in next.x.iter_mut().zip(&start.x).zip(direction) {
            *x = (from + step * along).max(0.0);
        }
        let promised = dot(&start.gradient, &difference(&next.x, &start.x));
        if promised >= 0.0 {
            return None;
        }
        next.value = f(&next.x, &mut next.gradient);
        if next.value <= start.value + SUFFICIENT * promised {
            return Some(next);
        }
        step *= 0.5;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIGHT: Stop = Stop { steps: 1000, gradient: 1e-10, decrease: 0.0 };

    /// ½ (x - t)ᵀ Q (x - t) with Q = 1 on the diagonal and 0.4 beside it.
    fn bowl(target: &[f64]) -> impl FnMut(&[f64], &mut [f64]) -> f64 + '_ {
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 1.0,
            1 => 0.4,
            _ => 0.0,
        };
        move |x, gradient| {
            let off: Vec<f64> = x.iter().zip(target).map(|(x, t)| x - t).collect();
            for (i, gradient) in gradient.iter_mut().enumerate() {
                *gradient = (0..off.len()).map(|j| entry(i, j) * off[j]).sum();
            }
            0.5 * dot(gradient, &off)
        }
    }

    #[test]
    fn away_from_zero_it_finds_the_free_minimum() {
        let target = [3.0, 1.0, 2.0];
        let mut x = [0.0; 3];
        minimise_nonnegative(&mut x, TIGHT, bowl(&target));
        assert!(x.iter().zip(target).all(|(x, t)| (x - t).abs() < 1e-8), "{x:?}");
    }

    #[test]
    fn at_the_bound_it_meets_the_conditions_of_the_optimum() {
        let target = [2.0, -1.5, 0.5, -0.1, 1.0];
        let mut x = [1.0; 5];
        minimise_nonnegative(&mut x, TIGHT, bowl(&target));
        let mut gradient = [0.0; 5];
        bowl(&target)(&x, &mut gradient);
        for (x, gradient) in x.iter().zip(gradient) {
            // Inside the gradient is zero; at zero it may only point inwards.
            let met = if *x > 0.0 { gradient.abs() < 1e-8 } else { *x == 0.0 && gradient >= 0.0 };
            assert!(met, "{x}: {gradient}");
        }
        assert!(x.contains(&0.0) && x.iter().any(|x| *x > 0.0), "{x:?}");
    }

    #[test]
    fn a_start_below_zero_is_lifted_and_a_slope_without_end_ends() {
        let mut x = [-5.0, 1.0];
        minimise_nonnegative(&mut x, TIGHT, |x, gradient| {
            gradient.copy_from_slice(&[1.0, -1.0]);
            x[0] - x[1]
        });
        assert_eq!(x[0], 0.0);
        assert!(x[1] > 1.0);
    }
}
