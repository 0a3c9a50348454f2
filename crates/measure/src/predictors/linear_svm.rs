//! The linear support vector machine on one input, as the SAP score uses it: for each class, one
//! threshold against all other classes. With u_i = w x_i + b, y_i = 1 for rows of the class and -1
//! for others
//!
//! ```text
//! minimise  ½ (w² + b²) + C Σ_i c_i max(0, 1 - y_i u_i)²,    C = 0.01
//! ```
//!
//! and a row belongs to the class with the largest u. As in scikit-learn's `LinearSVC`, which hands
//! the work to LIBLINEAR, the intercept b is penalised like a weight, and "balanced" weights are
//! c_i = rows / (classes · rows of the class) for rows of the class and 1 for the others; only with
//! two classes are both sides weighted.
//!
//! The function is a parabola in (w, b) as long as the same rows have a loss, and with one input
//! these are all rows left or right of a place. With running sums over the sorted column a step of
//! Newton's method costs O(log rows).

use crate::stats::mean;

/// A column of inputs in rising order.
#[derive(Debug)]
pub struct Sorted {
    /// The mean, which is subtracted from everything below so that squares keep their digits.
    mean: f64,
    /// Rows by their input.
    order: Vec<usize>,
    sums: Sums,
}

impl Sorted {
    /// Sort a column; it must not be empty.
    pub fn new(column: &[f64]) -> Self {
        let mean = mean(column.iter().copied());
        let mut order: Vec<usize> = (0..column.len()).collect();
        order.sort_unstable_by(|&i, &j| column[i].total_cmp(&column[j]));
        let sums = Sums::new(order.iter().map(|&row| column[row] - mean));
        Self { mean, order, sums }
    }
}

/// A fitted machine.
#[derive(Clone, Debug)]
pub struct LinearSvm {
    mean: f64,
    /// (w, u at the mean) of each class; of the second class alone if there are two.
    lines: Vec<[f64; 2]>,
}

impl LinearSvm {
    /// Learn from rows with labels below `classes`, at least two, each of which must occur.
    pub fn fit(inputs: &Sorted, labels: &[usize], classes: usize, c: f64) -> Self {
        let mut members = vec![Vec::new(); classes];
        for (&row, &value) in inputs.order.iter().zip(&inputs.sums.values) {
            members[labels[row]].push(value);
        }
        let rows = labels.len() as f64;
        let balanced = |members: &[f64]| rows / (classes as f64 * members.len() as f64);
        let one = |members: &Vec<f64>, others: f64| {
            let costs = [c * balanced(members), c * others];
            let class = Sums::new(members.iter().copied());
            Problem { mean: inputs.mean, all: &inputs.sums, class, costs }.solve()
        };
        let lines = match classes {
            2 => vec![one(&members[1], balanced(&members[0]))],
            _ => members.iter().map(|members| one(members, 1.0)).collect(),
        };
        Self { mean: inputs.mean, lines }
    }

    /// The class of an input; the first of equals.
    pub fn predict(&self, input: f64) -> usize {
        let x = input - self.mean;
        if let [[slope, level]] = self.lines[..] {
            return usize::from(slope * x + level > 0.0);
        }
        let mut best = (0, f64::NEG_INFINITY);
        for (class, [slope, level]) in self.lines.iter().enumerate() {
            let u = slope * x + level;
            if u > best.1 {
                best = (class, u);
            }
        }
        best.0
    }
}

/// Rising values, and the sums of 1, x and x² over the first i of them.
#[derive(Debug)]
struct Sums {
    values: Vec<f64>,
    sums: Vec<Moments>,
}

/// Σ 1, Σ x and Σ x².
type Moments = [f64; 3];

impl Sums {
    fn new(values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        let mut sums = vec![[0.0; 3]];
        let mut sum = [0.0; 3];
        for x in &values {
            sum = [sum[0] + 1.0, sum[1] + x, sum[2] + x * x];
            sums.push(sum);
        }
        Self { values, sums }
    }

    /// Over the x with slope · x + level < limit, which lie left or right of a place.
    fn below(&self, [slope, level]: [f64; 2], limit: f64) -> Moments {
        let is_below = |x: &f64| slope * x + level < limit;
        if slope >= 0.0 {
            return self.sums[self.values.partition_point(is_below)];
        }
        let first = self.values.partition_point(|x| !is_below(x));
        minus(self.sums[self.values.len()], self.sums[first])
    }
}

fn minus(a: Moments, b: Moments) -> Moments {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// One class against the others. The unknowns are w and a = w · mean + b, so that with
/// x = input - mean, u = w x + a, and the penalty is ½ (w² + (a - w · mean)²).
struct Problem<'a> {
    mean: f64,
    all: &'a Sums,
    class: Sums,
    /// C c_i for rows of the class and for others.
    costs: [f64; 2],
}

/// The value of a problem, its gradient and its Hessian, at some (w, a).
struct Parabola {
    value: f64,
    gradient: [f64; 2],
    /// [ww, wa, aa]
    hessian: [f64; 3],
}

impl Problem<'_> {
    /// Newton's method with halved steps where a full one overshoots.
    fn solve(&self) -> [f64; 2] {
        let mut line = [0.0; 2];
        let mut here = self.at(line);
        for _ in 0..100 {
            let [ww, wa, aa] = here.hessian;
            let [gw, ga] = here.gradient;
            let determinant = ww * aa - wa * wa;
            let step = [(wa * ga - aa * gw) / determinant, (wa * gw - ww * ga) / determinant];
            let slope = step[0] * gw + step[1] * ga;
            let mut length = 1.0;
            let (next, there) = loop {
                let next = [line[0] + length * step[0], line[1] + length * step[1]];
                let there = self.at(next);
                if there.value <= here.value + 1e-4 * length * slope || length < 1e-10 {
                    break (next, there);
                }
                length /= 2.0;
            };
            // Of a parabola the slope is twice the decrease: nothing is left to gain.
            if there.value >= here.value || -slope <= 1e-15 * here.value {
                break;
            }
            (line, here) = (next, there);
        }
        line
    }

    fn at(&self, line: [f64; 2]) -> Parabola {
        let [w, a] = line;
        // Rows of the class have a loss where u < 1, others where u > -1, that is -u < 1.
        let inside = self.class.below(line, 1.0);
        let mirrored = [-w, -a];
        let outside = minus(self.all.below(mirrored, 1.0), self.class.below(mirrored, 1.0));
        let b = a - w * self.mean;
        let mut sum = Parabola {
            value: 0.5 * (w * w + b * b),
            gradient: [w - self.mean * b, b],
            hessian: [1.0 + self.mean * self.mean, -self.mean, 1.0],
        };
        // Σ (1 - y u)² and its derivatives, from the sums of 1, x and x².
        for (y, cost, [n, x, xx]) in [(1.0, self.costs[0], inside), (-1.0, self.costs[1], outside)]
        {
            let (u, ux) = (w * x + a * n, w * xx + a * x);
            let uu = w * ux + a * u;
            sum.value += cost * (n - 2.0 * y * u + uu);
            sum.gradient[0] += 2.0 * cost * (ux - y * x);
            sum.gradient[1] += 2.0 * cost * (u - y * n);
            for (entry, moment) in sum.hessian.iter_mut().zip([xx, x, n]) {
                *entry += 2.0 * cost * moment;
            }
        }
        sum
    }
}
