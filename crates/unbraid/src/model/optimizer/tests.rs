use super::*;
use crate::compute::device;
use burn::module::Param;

#[derive(Module, Debug)]
struct Linear {
    weight: Param<Tensor<2>>,
}

#[derive(Module, Debug)]
struct Two {
    early: Linear,
    late: Linear,
}

impl Two {
    fn new() -> Self {
        let ones =
            || Linear { weight: Param::from_tensor(Tensor::ones([3, 2], &device::training())) };
        Self { early: ones(), late: ones() }
    }

    fn stepped(self, optimizer: &mut Optimizer, late: bool) -> Self {
        let x = Tensor::<2>::ones([4, 3], &device::training());
        let mut loss = x.clone().matmul(self.early.weight.val()).sum();
        if late {
            loss = loss + x.matmul(self.late.weight.val()).sum();
        }
        let gradients = GradientsParams::from_grads(loss.backward(), &self);
        optimizer.step(Rates::all(0.01), self, gradients)
    }
}

#[test]
fn a_parameter_whose_first_gradient_comes_late_takes_a_whole_first_step() {
    let mut optimizer = Optimizer::new(Rule::Adam);
    let start = Two::new();
    let before = weights::of(&start);
    let module = (0..50).fold(start, |module, _| module.stepped(&mut optimizer, false));
    let between = weights::of(&module);
    assert_eq!(between["late.weight"], before["late.weight"]);
    assert_ne!(between["early.weight"], before["early.weight"]);
    let after = weights::of(&module.stepped(&mut optimizer, true));
    // Adam's first step is the rate, whatever the gradient.
    for (new, old) in after["late.weight"].values.iter().zip(&before["late.weight"].values) {
        assert!((old - new - 0.01).abs() < 1e-6, "{old} to {new}");
    }
}

#[test]
fn a_gradient_beyond_the_largest_norm_is_scaled_down_to_it_as_a_whole() {
    // Every entry of both has the gradient 4: a norm of 4 sqrt(12), and Adam's first moment is a tenth.
    for (largest, expected) in [(None, 0.4), (Some(1.0), 0.1 / 12f32.sqrt()), (Some(1e3), 0.4)] {
        let mut optimizer = Optimizer::new(Rule::Adam);
        let module = Two::new();
        let x = Tensor::<2>::ones([4, 3], &device::training());
        let both = [&module.early, &module.late];
        let [early, late] = both.map(|layer| x.clone().matmul(layer.weight.val()).sum());
        let gradients = GradientsParams::from_grads((early + late).backward(), &module);
        optimizer.step(Rates { largest, ..Rates::all(0.01) }, module, gradients);
        for memory in optimizer.memory.values() {
            let first = batch::numbers(memory.arrays[0].clone());
            assert!(first.iter().all(|one| (one - expected).abs() < 1e-6), "{first:?}");
        }
    }
}

#[test]
fn adagrad_divides_by_the_root_of_all_squares_so_far_and_one_tenth() {
    // Every entry has the gradient 4 in each step, and begins at 1.
    let mut optimizer = Optimizer::new(Rule::Adagrad);
    let module = Two::new().stepped(&mut optimizer, false).stepped(&mut optimizer, false);
    let (state, after) = (optimizer.state(), weights::of(&module));
    let expected = 1.0 - 0.01 * 4.0 * (16.1f32.powf(-0.5) + 32.1f32.powf(-0.5));
    let moved = &after["early.weight"].values;
    assert!(moved.iter().all(|w| (w - expected).abs() < 1e-6), "{moved:?} for {expected}");
    // Read back, it takes the same third step.
    let device = device::inference();
    let read = Optimizer::from_state(Rule::Adagrad, &state, &after, &device);
    let mut read = read.unwrap();
    assert_eq!(read.state(), state);
    let third = |optimizer: &mut Optimizer| {
        let start = weights::into(Two::new(), after.clone()).unwrap();
        weights::of(&start.stepped(optimizer, true))
    };
    assert_eq!(third(&mut read), third(&mut optimizer));
    let adam = Optimizer::from_state(Rule::Adam, &state, &after, &device);
    assert!(adam.unwrap_err().to_string().contains("is no weight of this model"));
}

#[test]
fn a_group_has_its_own_learning_rate_under_either_rule() {
    for (rule, first) in [(Rule::Adam, 1.0), (Rule::Adagrad, 4.0 / 16.1f32.sqrt())] {
        let mut optimizer = Optimizer::new(rule);
        let module = Two::new();
        let x = Tensor::<2>::ones([4, 3], &device::training());
        let both = [&module.early, &module.late];
        let [early, late] = both.map(|layer| x.clone().matmul(layer.weight.val()).sum());
        let gradients = GradientsParams::from_grads((early + late).backward(), &module);
        let groups = vec![Group { prefix: "late", rate: 0.5, betas: [0.5, 0.9] }];
        let after = optimizer.step(Rates { groups, ..Rates::all(0.01) }, module, gradients);
        for (layer, rate) in [(&after.early, 0.01), (&after.late, 0.5)] {
            let values = batch::numbers(layer.weight.val().inner().reshape([6]));
            let expected = 1.0 - rate * first;
            assert!(values.iter().all(|w| (w - expected).abs() < 1e-6), "{rule:?} {values:?}");
        }
    }
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let mut optimizer = Optimizer::new(Rule::Adam);
    let module = Two::new().stepped(&mut optimizer, false);
    let (state, known) = (optimizer.state(), weights::of(&module));
    let read = |state: &[u8], module: &Weights| {
        let read = Optimizer::from_state(Rule::Adam, state, module, &device::inference());
        read.map(|read| read.state())
    };
    assert_eq!(read(&state, &known).unwrap(), state);
    let mut smaller = known.clone();
    smaller.get_mut("early.weight").unwrap().values.pop();
    let mut fewer = known.clone();
    fewer.remove("early.weight");
    for (state, module, reason) in [
        (&state[..], &smaller, "does not fit the weight `early.weight`"),
        (&state[..], &fewer, "is no weight of this model"),
        (&state[..9], &known, "train anew"),
    ] {
        let said = read(state, module).unwrap_err().to_string();
        assert!(said.contains(reason), "{said}");
    }
}
