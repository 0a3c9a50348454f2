use toml::Table;
use unbraid_measure::data::{Range, Sampler, Shape};
use unbraid_measure::factors::Factor;
use unbraid_measure::stats::assignment::best_matching;
use unbraid_measure::stats::correlation::pearson;
use unbraid_measure::watch::Nobody;

use super::*;
use crate::model::batch::Seen;
use crate::model::entry;
use crate::model::weights;

/// Observations with their segments.
struct Rows {
    x: Array2<f32>,
    segments: Vec<usize>,
    count: usize,
}

impl Rows {
    /// Normal numbers, in turn in each segment.
    fn random(rows: usize, width: usize, count: usize) -> Self {
        let mut rng = Rng::new(1);
        let x = Array2::from_shape_simple_fn((rows, width), || 3.0 + rng.normal());
        Self { x, segments: (0..rows).map(|row| row % count).collect(), count }
    }

    fn model(&self, text: &str) -> Tcl {
        let mut config: Config =
            unbraid_measure::settings::parse("model", &text.parse().unwrap()).unwrap();
        let task = Task::of(self);
        config.resolve(&task).unwrap();
        Tcl::init(&config, &task, &Rng::new(2), &device::training())
    }

    fn refused(&self) -> String {
        self.model("").prepare(self, &Rng::new(0), &Nobody).unwrap_err().to_string()
    }
}

impl Dataset for Rows {
    fn factors(&self) -> &[Factor] {
        &[]
    }
    fn shape(&self) -> Shape {
        Shape { channels: self.x.ncols(), height: 1, width: 1, range: Range::Real }
    }
    fn len(&self) -> usize {
        self.x.nrows()
    }
    fn observe(&self, index: usize, out: &mut [f32]) {
        out.copy_from_slice(self.x.row(index).as_slice().unwrap());
    }
    fn values(&self, _index: usize, _out: &mut [f32]) {}
    fn label(&self, index: usize) -> Option<Vec<f32>> {
        let mut label = vec![0.0; self.count];
        label[self.segments[index]] = 1.0;
        Some(label)
    }
}

fn encoded(model: &Tcl, data: &dyn Dataset) -> Array2<f32> {
    let rows: Vec<usize> = (0..data.len()).collect();
    let draw = Seen::of(data, &rows).part(0, rows.len());
    let batch = Batch::new(&draw, data.shape(), &device::inference());
    let codes = model.valid().encode(&batch).mean;
    let width = codes.dims()[1];
    Array2::from_shape_vec((rows.len(), width), batch::numbers(codes)).unwrap()
}

#[test]
fn maxout_takes_the_larger_of_neighbours_and_gives_it_the_gradient() {
    let device = device::training();
    let x = batch::matrix(&[1.0, 2.0, -3.0, -4.0, 5.0, 5.0, 0.0, -1.0], 2, 4, &device);
    let x = x.require_grad();
    let y = compute::maxout(x.clone());
    assert_eq!(batch::numbers(y.clone()), [2.0, -3.0, 5.0, 0.0]);
    let weights = batch::matrix(&[1.0, 2.0, 3.0, 4.0], 2, 2, &device);
    let gradients = (y * weights).sum().backward();
    let found = batch::numbers(x.grad(&gradients).unwrap());
    assert_eq!(found, [0.0, 1.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0]);
}

#[test]
fn accuracy_counts_the_rows_whose_segment_is_likeliest() {
    let device = device::inference();
    let logits = batch::matrix(&[1.0, 2.0, 3.0, 0.0, -5.0, -4.0], 3, 2, &device);
    let segments = batch::matrix(&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0], 3, 2, &device);
    let found = accuracy(logits, segments).into_scalar::<f32>();
    assert!((found - 2.0 / 3.0).abs() < 1e-6, "{found}");
}

#[test]
fn the_average_follows_the_weights_quickly_at_first_and_slowly_later() {
    let data = Rows::random(40, 3, 4);
    for (number, share) in [(0, 0.9), (10, 0.45), (1_000_000, 0.001)] {
        let model = data.model("");
        let mut changed = weights::of(&model);
        for (path, weight) in &mut changed {
            if path.starts_with("net.") {
                weight.values.iter_mut().for_each(|value| *value += 1.0);
            }
        }
        let before = weights::of(&model);
        let model = weights::into(model, changed).unwrap();
        let model = model.follow(&Step::new(number, 0, &Rng::new(0)));
        for (path, weight) in weights::of(&model) {
            let moved = weight.values.iter().zip(&before[&path].values).map(|(new, old)| new - old);
            let expected = match path.split('.').next() {
                Some("net") => 1.0,
                Some("average") => share,
                _ => 0.0,
            };
            for moved in moved {
                assert!((moved - expected).abs() < 1e-5, "{path}: {moved} and {expected}");
            }
        }
    }
}

#[test]
fn features_are_not_negative_and_codes_are_white() {
    let data = Rows::random(500, 3, 4);
    let model = data.model("layers = 2").prepare(&data, &Rng::new(0), &Nobody).unwrap();
    let h = model.valid().averaged_features(&data.x);
    assert!(h.iter().all(|feature| *feature >= 0.0));
    assert_eq!(encoded(&model, &data), h, "before the ICA codes are features");
    let codes = encoded(&model.finish(&data, &Rng::new(0), &Nobody).unwrap(), &data);
    for (i, one) in codes.columns().into_iter().enumerate() {
        assert!(one.mean().unwrap().abs() < 1e-3);
        for (j, other) in codes.columns().into_iter().enumerate() {
            let product = one.dot(&other) / (codes.nrows() - 1) as f32;
            assert!((product - f32::from(u8::from(i == j))).abs() < 1e-2, "{i} {j}: {product}");
        }
    }
}

#[test]
fn whitened_observations_are_white() {
    let mut data = Rows::random(500, 2, 4);
    data.x.column_mut(1).mapv_inplace(|value| 1000.0 + 0.01 * value);
    let model = data.model("").prepare(&data, &Rng::new(0), &Nobody).unwrap().valid();
    let numbers: Vec<f32> = data.x.iter().copied().collect();
    let x = batch::matrix(&numbers, 500, 2, &device::inference());
    let white = Array2::from_shape_vec((500, 2), batch::numbers(model.whitening.forward(x)));
    for column in white.unwrap().columns() {
        assert!(column.mean().unwrap().abs() < 0.05 && (column.std(1.0) - 1.0).abs() < 0.01);
    }
}

#[test]
fn features_that_never_change_have_codes_of_zero() {
    let data = Rows::random(100, 3, 4);
    let model = data.model("layers = 1").prepare(&data, &Rng::new(0), &Nobody).unwrap();
    let mut changed = weights::of(&model);
    changed.get_mut("average.hidden.0.weight").unwrap().values.fill(0.0);
    let model =
        weights::into(model, changed).unwrap().finish(&data, &Rng::new(0), &Nobody).unwrap();
    assert!(encoded(&model, &data).iter().all(|code| *code == 0.0));
}

#[test]
fn data_that_cannot_be_told_apart_are_refused() {
    let mut same = Rows::random(40, 3, 4);
    same.segments.fill(2);
    assert!(same.refused().contains("all rows lie in one segment"), "{}", same.refused());
    let task = Task { label: 1, ..Task::of(&same) };
    let refused = Config::default().resolve(&task).unwrap_err().to_string();
    assert!(refused.contains("give two or more"), "{refused}");

    let mut double = Rows::random(40, 3, 4);
    let sum = &double.x.column(0) + &double.x.column(1);
    double.x.column_mut(2).assign(&sum);
    assert!(double.refused().contains("vary in 2 directions only"), "{}", double.refused());
    let few = Rows::random(3, 5, 3);
    assert!(few.refused().contains("vary in 2 directions only"), "{}", few.refused());
    let mut constant = Rows::random(40, 3, 4);
    constant.x.fill(7.0);
    assert!(constant.refused().contains("all observations are the same"), "{}", constant.refused());
}

#[test]
fn settings_out_of_range_are_refused() {
    let task = Task::of(&Rows::random(40, 3, 4));
    for (text, reason) in [
        ("latents = 4", "at most 3, the numbers that are observed"),
        ("layers = 0", "from 1 to 64"),
        ("decay = -1", "at least 0"),
        ("average = 1", "less than 1"),
        ("head = 1.5", "less than 1"),
    ] {
        let table: Table = text.parse().unwrap();
        let mut config: Config = unbraid_measure::settings::parse("model", &table).unwrap();
        let refused = config.resolve(&task).unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
    let image = Shape { channels: 1, height: 64, width: 64, range: Range::Unit };
    let refused = Config::default().resolve(&Task { shape: image, ..task }).unwrap_err();
    assert!(refused.to_string().contains("1024 at most"), "{refused}");
}

#[test]
fn the_sizes_of_mixed_sources_are_found() {
    let settings = "generator = 'tcl'\nsources = 4\nsegments = 64\npoints = 100\nlayers = 1\n\
                    factors = 'size'";
    let (data, _) = data::open("mixing", &settings.parse().unwrap()).unwrap();
    let (task, rng) = (Task::of(&*data), Rng::new(0));
    let model: Table = "layers = 1".parse().unwrap();
    let mut learner = (entry::model::<Tcl>().configure)(&model, &task).unwrap().build(&task, &rng);
    learner.fit(&*data, &rng, &Nobody).unwrap();
    let sampler = Sampler::new(&*data, Supervision::Labels, false, rng.clone());
    let (sampler, steps) = (sampler.unwrap(), 1000);
    for number in 0..steps {
        let rate = 0.1 * (1.0 - number as f64 / steps as f64);
        learner.step(&sampler.draw(number, 256), Step::new(number, steps, &rng), rate);
    }
    learner.finish(&*data, &rng, &Nobody).unwrap();
    let rows: Vec<usize> = (0..data.len()).collect();
    let codes = learner.encode(&Seen::of(&*data, &rows));
    let truth = data::values(&*data, &rows);
    let strength = pearson(codes.view(), truth.view()).mapv(f64::abs);
    let pairs = best_matching(strength.view());
    let worst = pairs.into_iter().map(|pair| strength[pair]).fold(1.0, f64::min);
    assert!(worst > 0.9, "{worst}: {strength}");
}
