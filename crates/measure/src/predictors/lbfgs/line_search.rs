//! The line search of Moré and Thuente (1994, "Line search algorithms with guaranteed sufficient
//! decrease"): along one direction, a step at which with φ(t) the value and φ'(t) its slope
//!
//! ```text
//! φ(t) <= φ(0) + μ t φ'(0)     and     |φ'(t)| <= η |φ'(0)|,     μ = 1e-3, η = 0.9
//! ```
//!
//! It keeps an interval that holds such a step, and proposes the minimum of a cubic or a parabola
//! through its ends. Constants and safeguards are those of MINPACK-2, so that a minimisation that
//! is stopped early has come as far as SciPy's.

/// μ: how much of the decrease that the slope promises must come true.
const DECREASE: f64 = 1e-3;
/// η: how much of the slope may be left.
const CURVATURE: f64 = 0.9;
/// The search ends once the interval is this share of its upper end.
const NARROW: f64 = 0.1;
/// Largest step.
const FARTHEST: f64 = 1e10;

/// A place on the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// How far along the direction.
    pub(super) step: f64,
    /// The value there.
    pub(super) value: f64,
    /// The slope there.
    pub(super) slope: f64,
}

/// What to do after a look at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Next {
    /// Look at this step.
    Try(f64),
    /// The point just seen is taken.
    Take,
}

/// A search under way.
#[derive(Debug)]
pub(super) struct LineSearch {
    start: Point,
    /// The end of the interval with the smallest value so far.
    best: Point,
    /// The other end.
    other: Point,
    bracketed: bool,
    /// As long as no point had both a sufficient decrease and a rising slope, the search may work
    /// on ψ(t) = φ(t) - φ(0) - μ t φ'(0) instead of φ.
    first_stage: bool,
    /// The steps allowed next.
    bounds: [f64; 2],
    /// The lengths of the interval one and two steps ago.
    widths: [f64; 2],
}

impl LineSearch {
    /// From a point with a negative slope; `step` is the first to be tried.
    pub(super) fn new(value: f64, slope: f64, step: f64) -> Self {
        let start = Point { step: 0.0, value, slope };
        Self {
            start,
            best: start,
            other: start,
            bracketed: false,
            first_stage: true,
            bounds: [0.0, 5.0 * step],
            widths: [FARTHEST, 2.0 * FARTHEST],
        }
    }

    /// What a point says about where to look next.
    pub(super) fn look(&mut self, seen: Point) -> Next {
        let promised = DECREASE * self.start.slope;
        let enough = self.start.value + seen.step * promised;
        if self.first_stage && seen.value <= enough && seen.slope >= 0.0 {
            self.first_stage = false;
        }
        if self.is_done(seen, enough, promised) {
            return Next::Take;
        }
        let step = if self.first_stage && seen.value <= self.best.value && seen.value > enough {
            let tilt = |point: Point, by: f64| Point {
                value: point.value - point.step * by,
                slope: point.slope - by,
                ..point
            };
            (self.best, self.other) = (tilt(self.best, promised), tilt(self.other, promised));
            let step = self.trial(tilt(seen, promised));
            (self.best, self.other) = (tilt(self.best, -promised), tilt(self.other, -promised));
            step
        } else {
            self.trial(seen)
        };
        Next::Try(self.guarded(step))
    }

    /// The two conditions hold, or the search can get no further.
    fn is_done(&self, seen: Point, enough: f64, promised: f64) -> bool {
        let [low, high] = self.bounds;
        let stuck = self.bracketed && (seen.step <= low || seen.step >= high);
        let farthest = seen.step == FARTHEST && seen.value <= enough && seen.slope <= promised;
        let nowhere = seen.step == 0.0 && (seen.value > enough || seen.slope >= promised);
        let good = seen.value <= enough && seen.slope.abs() <= -CURVATURE * self.start.slope;
        good || stuck || self.is_narrow() || farthest || nowhere
    }

    fn is_narrow(&self) -> bool {
        self.bracketed && self.bounds[1] - self.bounds[0] <= NARROW * self.bounds[1]
    }

    /// Halve an interval that shrinks slowly, and keep the step inside the bounds.
    fn guarded(&mut self, mut step: f64) -> f64 {
        let (best, other) = (self.best.step, self.other.step);
        if self.bracketed {
            let width = (other - best).abs();
            if width >= 0.66 * self.widths[1] {
                step = best + 0.5 * (other - best);
            }
            self.widths = [width, self.widths[0]];
            self.bounds = [best.min(other), best.max(other)];
        } else {
            self.bounds = [step + 1.1 * (step - best), step + 4.0 * (step - best)];
        }
        step = step.clamp(0.0, FARTHEST);
        let [low, high] = self.bounds;
        let stuck = self.bracketed && (step <= low || step >= high);
        if stuck || self.is_narrow() { best } else { step }
    }

    /// The next step by interpolation; the interval is narrowed to hold it. Four cases, by what the
    /// point looks like from the best so far.
    fn trial(&mut self, seen: Point) -> f64 {
        let (best, [low, high]) = (self.best, self.bounds);
        let turned = seen.slope * best.slope.signum() < 0.0;
        let step = if seen.value > best.value {
            // Higher: the minimum lies between.
            self.bracketed = true;
            let (cubic, parabola) = (cubic(best, seen), parabola(best, seen));
            match (cubic - best.step).abs() < (parabola - best.step).abs() {
                true => cubic,
                false => cubic + (parabola - cubic) / 2.0,
            }
        } else if turned {
            // Lower, and the slope has turned: the minimum lies between.
            self.bracketed = true;
            let (cubic, secant) = (cubic(seen, best), secant(seen, best));
            farther(cubic, secant, seen.step)
        } else if seen.slope.abs() < best.slope.abs() {
            // Lower, and less steep: the minimum lies beyond.
            let secant = secant(seen, best);
            let limit = if seen.step > best.step { high } else { low };
            let cubic = cubic_beyond(seen, best).unwrap_or(limit);
            if self.bracketed {
                let nearer = match (cubic - seen.step).abs() < (secant - seen.step).abs() {
                    true => cubic,
                    false => secant,
                };
                let limit = seen.step + 0.66 * (self.other.step - seen.step);
                if seen.step > best.step { nearer.min(limit) } else { nearer.max(limit) }
            } else {
                farther(cubic, secant, seen.step).max(low).min(high)
            }
        } else if self.bracketed {
            // Lower, and as steep: only the other end can stop it.
            cubic(seen, self.other)
        } else if seen.step > best.step {
            high
        } else {
            low
        };
        if seen.value > best.value {
            self.other = seen;
        } else {
            if turned {
                self.other = best;
            }
            self.best = seen;
        }
        step
    }
}

fn farther(a: f64, b: f64, from: f64) -> f64 {
    if (a - from).abs() > (b - from).abs() { a } else { b }
}

/// The minimum of the cubic with the values and slopes of both points; near `a`.
fn cubic(a: Point, b: Point) -> f64 {
    let (theta, gamma) = cubic_terms(a, b);
    let p = (gamma - a.slope) + theta;
    let q = ((gamma - a.slope) + gamma) + b.slope;
    a.step + p / q * (b.step - a.step)
}

/// As [`cubic`], where that minimum lies on the other side of `a` than `b`; otherwise `None`.
fn cubic_beyond(a: Point, b: Point) -> Option<f64> {
    let (theta, gamma) = cubic_terms(a, b);
    let p = (gamma - a.slope) + theta;
    let q = (gamma + (b.slope - a.slope)) + gamma;
    let r = p / q;
    (r < 0.0 && gamma != 0.0).then_some(a.step + r * (b.step - a.step))
}

/// θ = 3 (φ(a) - φ(b)) / (b - a) + φ'(a) + φ'(b) and γ = ± sqrt(max(0, θ² - φ'(a) φ'(b))).
fn cubic_terms(a: Point, b: Point) -> (f64, f64) {
    let theta = 3.0 * (a.value - b.value) / (b.step - a.step) + a.slope + b.slope;
    // Dividing first keeps squares of large slopes finite.
    let scale = theta.abs().max(a.slope.abs()).max(b.slope.abs());
    let square = (theta / scale).powi(2) - (a.slope / scale) * (b.slope / scale);
    let gamma = scale * square.max(0.0).sqrt();
    (theta, if b.step < a.step { -gamma } else { gamma })
}

/// The minimum of the parabola with both values and the slope of `a`.
fn parabola(a: Point, b: Point) -> f64 {
    let chord = (a.value - b.value) / (b.step - a.step);
    a.step + a.slope / (chord + a.slope) / 2.0 * (b.step - a.step)
}

/// Where the slope, as a straight line through both points, is zero.
fn secant(a: Point, b: Point) -> f64 {
    a.step + a.slope / (a.slope - b.slope) * (b.step - a.step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All steps tried until one is taken.
    fn search(first: f64, f: impl Fn(f64) -> (f64, f64)) -> Vec<f64> {
        let at = |step: f64| Point { step, value: f(step).0, slope: f(step).1 };
        let start = at(0.0);
        let mut search = LineSearch::new(start.value, start.slope, first);
        let mut tried = vec![first];
        while let Next::Try(step) = search.look(at(tried[tried.len() - 1])) {
            tried.push(step);
            assert!(tried.len() < 50, "{tried:?}");
        }
        tried
    }

    #[test]
    fn a_good_first_step_is_taken() {
        // (t - 1)²: the slope has nearly gone at 0.9.
        assert_eq!(search(0.9, |t| ((t - 1.0).powi(2), 2.0 * (t - 1.0))), [0.9]);
    }

    #[test]
    fn too_long_and_too_short_steps_end_in_the_valley() {
        // A parabola is found at once from beyond it, and a cubic through two points is exact.
        let beyond = search(10.0, |t| ((t - 1.0).powi(2), 2.0 * (t - 1.0)));
        assert!((beyond[1] - 1.0).abs() < 1e-9, "{beyond:?}");
        let short = search(1e-3, |t| ((t - 1.0).powi(2), 2.0 * (t - 1.0)));
        let last = short[short.len() - 1];
        // The first bound lets the step grow fivefold, so it takes a few.
        assert!(short.len() > 3 && (2.0 * (last - 1.0)).abs() <= 1.8, "{short:?}");
    }

    #[test]
    fn a_function_of_more_and_thuente_meets_both_conditions() {
        // φ(t) = -t / (t² + 2), their first: a long flat tail.
        let f = |t: f64| (-t / (t * t + 2.0), (t * t - 2.0) / (t * t + 2.0).powi(2));
        for first in [1e-3, 0.1, 10.0, 1000.0] {
            let tried = search(first, f);
            let last = tried[tried.len() - 1];
            let (value, slope) = f(last);
            assert!(value <= DECREASE * last * -0.5, "{tried:?}");
            assert!(slope.abs() <= CURVATURE * 0.5, "{tried:?}");
        }
    }
}
