//! A batch: the examples of one step, or rows to encode, on a device.

use burn::tensor::{Device, Tensor, TensorData};
use ndarray::{Array2, Axis};
use unbraid_measure::data::{self, Dataset, Draw, Shape};

use crate::compute;

/// Tensors of some rows. What there is beside the observations follows the model's supervision: a
/// model asks for what its `Supervision` has and nothing else, so a wrong question is a mistake in the
/// model, and panics.
#[derive(Clone, Debug)]
pub struct Batch {
    /// `[batch, channels, height, width]` each; what each is, says who asks.
    views: Vec<Tensor<4>>,
    labels: Option<Tensor<2>>,
    targets: Option<Tensor<2>>,
    actions: Option<Tensor<2>>,
}

impl Batch {
    /// Move a sample of examples to a device.
    pub fn new(draw: &Draw, shape: Shape, device: &Device) -> Self {
        let count = draw.count;
        let table = |values: &[f32]| {
            (!values.is_empty()).then(|| matrix(values, count, values.len() / count, device))
        };
        Self {
            views: draw.views.iter().map(|view| images(view, count, shape, device)).collect(),
            labels: table(&draw.labels),
            targets: table(&draw.targets),
            actions: table(&draw.actions),
        }
    }

    /// Observations and nothing beside them.
    pub fn of(x: Tensor<4>) -> Self {
        Self { views: vec![x], labels: None, targets: None, actions: None }
    }

    /// The observations, of any supervision: the first of a pair, the first frame of a window.
    /// `[batch, channels, height, width]`
    pub fn x(&self) -> Tensor<4> {
        self.views[0].clone()
    }

    /// Both observations of each pair: `Supervision::Pairs`. In what they differ is in
    /// [`targets`](Self::targets).
    pub fn pair(&self) -> [Tensor<4>; 2] {
        let [first, second] = &self.views[..] else { panic!("only `Pairs` has pairs") };
        [first.clone(), second.clone()]
    }

    /// Each observation and the one that follows it: `Supervision::Targets` and `Actions`, with a
    /// window of two frames.
    pub fn transition(&self) -> (Tensor<4>, Tensor<4>) {
        let [from, to] = self.frames() else { panic!("a transition is a window of two frames") };
        (from.clone(), to.clone())
    }

    /// The observations of each window, frame after frame: `Supervision::Time`, `Targets` and `Actions`.
    pub fn frames(&self) -> &[Tensor<4>] {
        assert!(self.views.len() > 1, "only `Time`, `Targets` and `Actions` have windows of time");
        &self.views
    }

    /// The label of each observation, `[batch, label]`: `Supervision::Labels`.
    pub fn labels(&self) -> Tensor<2> {
        self.labels.clone().expect("`Labels`, whose sampler has refused data without labels")
    }

    /// The same where rows are encoded: data that were never trained on may have no labels.
    pub fn labels_if_known(&self) -> Option<Tensor<2>> {
        self.labels.clone()
    }

    /// Observations that have labels, beside [`x`](Self::x) that has none, and these labels,
    /// `[batch, factors]`: `Supervision::SomeLabels`. Nothing where it is another: to most models some
    /// labels are only a possibility.
    pub fn some_labels(&self) -> Option<(Tensor<4>, Tensor<2>)> {
        Some((self.views.get(1)?.clone(), self.labels.clone()?))
    }

    /// 1 for each factor that differs in a pair (`Supervision::Pairs`), varies in this batch
    /// (`OneFactor`) or was intervened on (`Targets`): `[batch, factors]`. Of a window of more than
    /// two frames `[batch, steps · factors]`, step after step.
    pub fn targets(&self) -> Tensor<2> {
        self.targets.clone().expect("only `Pairs`, `OneFactor` and `Targets` have targets")
    }

    /// What was done between two frames: `Supervision::Actions`. `[batch, action]`, and of a window
    /// of more than two frames `[batch, steps · action]`, step after step.
    pub fn actions(&self) -> Tensor<2> {
        self.actions.clone().expect("only `Actions` has actions")
    }
}

/// Rows to encode, as plain arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// `[rows, numbers]`
    pub observations: Array2<f32>,
    /// `[rows, label]`, where the data have labels.
    pub labels: Option<Array2<f32>>,
}

impl Seen {
    /// Rows of a data set.
    pub fn of(data: &dyn Dataset, rows: &[usize]) -> Self {
        Self { observations: data::observations(data, rows), labels: data::labels(data, rows) }
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.observations.nrows()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Some rows, as examples with one view.
    pub fn part(&self, from: usize, to: usize) -> Draw {
        let rows = |table: &Array2<f32>| {
            let part = table.slice_axis(Axis(0), (from..to).into());
            part.iter().copied().collect::<Vec<f32>>()
        };
        Draw {
            count: to - from,
            views: vec![rows(&self.observations)],
            labels: self.labels.as_ref().map(rows).unwrap_or_default(),
            ..Draw::default()
        }
    }
}

/// `[count, channels, height, width]`
pub fn images(values: &[f32], count: usize, shape: Shape, device: &Device) -> Tensor<4> {
    let axes = [count, shape.channels, shape.height, shape.width];
    let images = Tensor::from_data(TensorData::new(values.to_vec(), axes), device);
    if shape.is_vector() { images } else { compute::arrange(images) }
}

/// `[rows, columns]`
pub fn matrix(values: &[f32], rows: usize, columns: usize, device: &Device) -> Tensor<2> {
    Tensor::from_data(TensorData::new(values.to_vec(), [rows, columns]), device)
}

/// The values of a tensor, last axis fastest.
pub fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().expect("every tensor here holds f32")
}

#[cfg(test)]
mod tests {
    use unbraid_measure::data::Range;

    use super::*;
    use crate::compute::device;

    /// View k has the numbers k and k.
    fn batch(views: u8) -> Batch {
        let shape = Shape { channels: 2, height: 1, width: 1, range: Range::Real };
        let views = (0..views).map(|k| vec![f32::from(k); 2]).collect();
        let draw = Draw { count: 1, views, targets: vec![1.0, 0.0], ..Draw::default() };
        Batch::new(&draw, shape, &device::inference())
    }

    #[test]
    fn views_are_told_apart_by_who_asks() {
        let [first, second] = batch(2).pair();
        let (from, to) = batch(2).transition();
        for (before, after) in [(first, second), (from, to)] {
            assert_eq!((numbers(before), numbers(after)), (vec![0.0; 2], vec![1.0; 2]));
        }
        let window = batch(3);
        let last = window.frames().last().unwrap().clone();
        assert_eq!((window.frames().len(), numbers(last)), (3, vec![2.0; 2]));
        assert_eq!(numbers(window.targets()), [1.0, 0.0]);
        assert!(window.some_labels().is_none() && window.labels_if_known().is_none());
    }

    #[test]
    #[should_panic(expected = "a transition is a window of two frames")]
    fn a_longer_window_is_no_transition() {
        batch(3).transition();
    }

    #[test]
    #[should_panic(expected = "only `Actions` has actions")]
    fn what_the_supervision_does_not_fill_is_a_mistake_to_ask_for() {
        batch(2).actions();
    }
}
