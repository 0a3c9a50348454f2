use ndarray::Array2;
use unbraid_measure::stats::logistic::{Logistic, Strips};
use std::time::Instant;
fn main() {
    let n = 8000;
    let x = Array2::from_shape_fn((n, 10), |(r, j)| (((r * 31 + j * 17) % 1009) as f64 / 500.0 - 1.0));
    let rows: Vec<usize> = (0..n).collect();
    let s = Strips::new(x.view(), &rows);
    for classes in [3usize, 6, 40] {
        let labels: Vec<usize> = (0..n).map(|r| (r * 7919 / 13) % classes).collect();
        let mut best = f64::INFINITY;
        for _ in 0..2000 {
            let t = Instant::now();
            let e = Logistic::bench(&s, &labels, classes, 1);
            best = best.min(t.elapsed().as_secs_f64() );
            assert!(e > 0.0);
        }
        println!("classes {classes}: {:.1} us per evaluation, {:.2} ns per row and class", best * 1e6, best * 1e9 / (n * classes) as f64);
    }
}
