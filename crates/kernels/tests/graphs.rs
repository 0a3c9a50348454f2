//! Networks of pairs, attention along edges and the probability of codes against the definitions, on every
//! instruction set.

mod naive;

use naive::{Numbers, activate, relative_error, slope};
use unbraid_kernels::{Activation, Attended, Attention, Cpu, Pairs, log_probability};

#[test]
fn networks_of_pairs_follow_the_definition() {
    let numbers = &mut Numbers(9);
    for (graphs, nodes, hidden) in [(1, 1, 1), (3, 5, 7), (2, 64, 32), (2, 17, 33)] {
        let (u, v) =
            (numbers.floats(graphs * nodes * hidden), numbers.floats(graphs * nodes * hidden));
        let w = numbers.floats(graphs * hidden);
        let upstream = numbers.floats(graphs * nodes * nodes);
        let leaky = Activation::LeakyRelu(0.2);
        let mut expected = vec![0.0; upstream.len()];
        let (mut du, mut dv, mut dw) = (vec![0.0; u.len()], vec![0.0; v.len()], vec![0.0; w.len()]);
        for pair in 0..upstream.len() {
            let (graph, i, j) = (pair / (nodes * nodes), pair / nodes % nodes, pair % nodes);
            for k in 0..hidden {
                let (a, b) = ((graph * nodes + i) * hidden + k, (graph * nodes + j) * hidden + k);
                let (sum, weight) =
                    (f64::from(u[a]) + f64::from(v[b]), f64::from(w[graph * hidden + k]));
                expected[pair] += weight * activate(sum, leaky);
                let g = f64::from(upstream[pair]);
                du[a] += g * weight * slope(sum, leaky);
                dv[b] += g * weight * slope(sum, leaky);
                dw[graph * hidden + k] += g * activate(sum, leaky);
            }
        }
        for cpu in Cpu::available() {
            let pairs = Pairs { nodes, hidden, slope: 0.2, cpu };
            let found = pairs.backward(&u, &v, &w, &upstream);
            assert!(relative_error(&pairs.forward(&u, &v, &w), &expected) < 1e-5, "{cpu:?}");
            for (found, expected) in [(found.u, &du), (found.v, &dv), (found.w, &dw)] {
                assert!(relative_error(&found, expected) < 1e-4, "{cpu:?} {nodes} {hidden}");
            }
        }
    }
}

/// One of the inputs.
type Pick = fn(&mut Attended<Vec<f64>>) -> &mut Vec<f64>;

/// out_i of one definition after the other, in f64.
fn attend(of: &Attended<Vec<f64>>, [graphs, nodes, parents, heads, width]: [usize; 5]) -> Vec<f64> {
    let row = heads * width;
    let mut out = vec![0.0; graphs * nodes * row];
    for place in 0..graphs * nodes * heads {
        let (graph, i, head) = (place / (nodes * heads), place / heads % nodes, place % heads);
        let query = &of.query[place * width..][..width];
        let at = |j: usize| ((graph * parents + j) * heads + head) * width;
        let power = |j: usize| {
            let fit: f64 = query.iter().zip(&of.key[at(j)..][..width]).map(|(q, k)| q * k).sum();
            (fit / (width as f64).sqrt() + of.bias[(head * nodes + i) * parents + j]).exp()
        };
        let all: f64 = (0..parents).map(power).sum();
        let edge = |j: usize| of.edges[(graph * nodes + i) * parents + j] * power(j) / all;
        let through: f64 = (0..parents).map(edge).sum::<f64>() + 1e-6;
        for j in 0..parents {
            for c in 0..width {
                out[place * width + c] += edge(j) / through * of.value[at(j) + c];
            }
        }
    }
    out
}

#[test]
fn attention_along_edges_follows_the_definition_and_its_differences() {
    let numbers = &mut Numbers(7);
    for sizes in [[1, 1, 1, 1, 1], [2, 3, 4, 2, 5], [9, 4, 5, 2, 3], [2, 20, 21, 3, 16]] {
        let [graphs, nodes, parents, heads, width] = sizes;
        let row = heads * width;
        let lengths = [nodes * row * graphs, parents * row * graphs, parents * row * graphs];
        let [query, key, value] = lengths.map(|length| numbers.floats(length));
        let bias = numbers.floats(heads * nodes * parents);
        let edges: Vec<f32> =
            numbers.floats(graphs * nodes * parents).iter().map(|e| e.abs() + 0.1).collect();
        let upstream = numbers.floats(query.len());
        let wide =
            |numbers: &[f32]| numbers.iter().map(|number| f64::from(*number)).collect::<Vec<f64>>();
        let exact = || Attended {
            query: wide(&query),
            key: wide(&key),
            value: wide(&value),
            bias: wide(&bias),
            edges: wide(&edges),
        };
        let loss = |of: &Attended<Vec<f64>>| -> f64 {
            attend(of, sizes).iter().zip(&upstream).map(|(out, g)| out * f64::from(*g)).sum()
        };
        for cpu in Cpu::available() {
            let attention = Attention { nodes, parents, heads, width, cpu };
            let of = Attended {
                query: &query[..],
                key: &key,
                value: &value,
                bias: &bias,
                edges: &edges,
            };
            let (out, kept) = attention.forward(&of);
            assert!(relative_error(&out, &attend(&exact(), sizes)) < 1e-5, "{cpu:?} {sizes:?}");
            let found = attention.backward(&of, &kept, &upstream);
            let pick: [(Pick, &[f32]); 5] = [
                (|of| &mut of.query, &found.query),
                (|of| &mut of.key, &found.key),
                (|of| &mut of.value, &found.value),
                (|of| &mut of.bias, &found.bias),
                (|of| &mut of.edges, &found.edges),
            ];
            for (which, (input, gradient)) in pick.into_iter().enumerate() {
                for at in (0..gradient.len()).step_by(gradient.len().div_ceil(12)) {
                    let moved = |by: f64| {
                        let mut of = exact();
                        input(&mut of)[at] += by;
                        loss(&of)
                    };
                    let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
                    let apart = (slope - f64::from(gradient[at])).abs();
                    assert!(
                        apart < 1e-4 * (1.0 + slope.abs()),
                        "{cpu:?} {sizes:?} input {which} at {at}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_probability_of_a_code_follows_the_definition() {
    let numbers = &mut Numbers(8);
    for (rows, classes) in [(1, 1), (5, 3), (300, 21)] {
        let logits: Vec<f32> = numbers.floats(rows * classes).iter().map(|a| 4.0 * a).collect();
        let codes: Vec<f32> = (0..rows).map(|row| (row * 7 % classes) as f32).collect();
        for cpu in Cpu::available() {
            let (found, gradient) = log_probability(&logits, &codes, classes, 1e-3, cpu);
            for row in 0..rows {
                let logits = &logits[row * classes..][..classes];
                let powers: Vec<f64> = logits.iter().map(|a| f64::from(*a).exp()).collect();
                let p: Vec<f64> =
                    powers.iter().map(|power| power / powers.iter().sum::<f64>()).collect();
                let code = codes[row] as usize;
                assert!((f64::from(found[row]) - (p[code] + 1e-3).ln()).abs() < 1e-5);
                for class in 0..classes {
                    let own = if class == code { 1.0 } else { 0.0 };
                    let slope = p[code] / (p[code] + 1e-3) * (own - p[class]);
                    assert!((f64::from(gradient[row * classes + class]) - slope).abs() < 1e-5);
                }
            }
        }
    }
}
