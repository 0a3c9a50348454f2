//! The losses of what actions do to codes.

use super::*;
use crate::model::Grid;

const GRID: Grid = Grid { books: 2, codes: 3, height: 2, width: 2 };
const ACTIONS: usize = 4;

/// A tiny CT-VAE with codes and actions in place of any numbers.
fn of_actions(text: &str) -> Example<ct_vae::CtVae> {
    let shape = Shape { channels: GRID.size(), height: 1, width: 1, range: Range::Real };
    let grid = Some(GRID);
    let task = Task { action: ACTIONS, named: true, grid, ..Task::observing(shape, 40) };
    let tiny = "width = 4\nheads = 2\nhidden = 3\nlayers = 2\n";
    let example = Example::of(&format!("{tiny}{text}"), &task);
    let mut rng = Rng::new(8);
    let mut codes = || (0..BATCH * GRID.size()).map(|_| rng.below(GRID.codes) as f32).collect();
    let views = vec![codes(), codes()];
    let actions =
        (0..BATCH * ACTIONS).map(|k| f32::from(u8::from(k / ACTIONS % ACTIONS == k % ACTIONS)));
    let draw = Draw { count: BATCH, views, actions: actions.collect(), ..Draw::default() };
    let batch = Batch::new(&draw, shape, &device::training());
    Example { batch, rounding: 3e-4, ..example }
}

#[test]
fn losses_of_actions_have_the_gradients_that_differences_find() {
    let costs = "identity = 0.3\nkl = 0.2\nsparsity = 0.1\nparents = 0.4\n";
    for text in ["", "noise = true\n", "graph = 'full'\n"] {
        let relaxed = format!("{text}{costs}straight_through = false");
        of_actions(&relaxed).check(&|_| true, &total);
    }
}

/// Where nothing is done only what is there for it learns: no mask, no action, and of the discoverers the first.
#[test]
fn nothing_of_an_action_learns_where_nothing_is_done() {
    let example = of_actions("");
    let gradients = example.gradients(&term("copy"));
    for (path, Weight { values, .. }) in &gradients {
        let of_actions = path.contains("mask")
            || path.contains("around")
            || path.ends_with("actions")
            || path.contains("bent");
        if of_actions {
            assert!(values.iter().all(|g| *g == 0.0), "{path}");
        }
        if path.contains("discoverers") {
            let first = values.len() / (ACTIONS + 1);
            assert!(values[..first].iter().any(|g| *g != 0.0), "{path}");
            assert!(values[first..].iter().all(|g| *g == 0.0), "{path}");
        }
    }
}

fn shares(example: &Example<ct_vae::CtVae>, model: &ct_vae::CtVae) -> Vec<f32> {
    let (before, after) = example.batch.transition();
    let known = model.abilities().retrieval.expect("it tells actions");
    batch::numbers(known.retrieve(before, after).exp())
}

/// Also by its node alone, which in the released code sends to nobody.
#[test]
fn probabilities_of_actions_sum_to_one_and_the_node_of_an_action_counts() {
    let example = of_actions("graph = 'full'");
    let mut weights = weights::of(&example.model);
    let head = weights.iter_mut().filter(|(path, _)| path.contains("bent"));
    head.for_each(|(_, weight)| weight.values.fill(0.0));
    let by_node = weights::into(example.model.clone(), weights.clone()).unwrap();
    let nodes = weights.iter_mut().filter(|(path, _)| path.ends_with("transition.actions"));
    nodes.for_each(|(_, weight)| weight.values.fill(0.0));
    let by_nothing = weights::into(example.model.clone(), weights).unwrap();
    for model in [&example.model, &by_node] {
        for row in shares(&example, model).chunks(ACTIONS) {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{row:?}");
            assert!(row.iter().any(|share| (share - 0.25).abs() > 1e-4), "{row:?}");
        }
    }
    assert!(shares(&example, &by_nothing).iter().all(|share| (share - 0.25).abs() < 1e-5));
}

#[test]
fn what_follows_is_a_code_of_each_cell_and_depends_on_the_action() {
    let example = of_actions("graph = 'full'");
    let follows = example.model.abilities().transition.expect("it says what follows");
    let codes = example.batch.x().flatten::<2>(1, 3);
    let none = Tensor::zeros([BATCH, 0], &codes.device());
    let next =
        |actions: Tensor<2>| batch::numbers(follows.next(codes.clone(), none.clone(), actions));
    let actions = example.batch.actions();
    let after = next(actions.clone());
    assert!(after.iter().all(|code| [0.0, 1.0, 2.0].contains(code)), "{after:?}");
    assert_ne!(after, next(actions.flip([1])));
}
