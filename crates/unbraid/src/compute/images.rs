//! Images as the kernels lay them out, seen by burn as strided views.
//!
//! Images that leave a kernel have channels last in memory and a border of zeros, so that the next
//! kernel takes them as they are. burn's own operations read such a view correctly and never write
//! outside it: they change a tensor in place only where it is contiguous.

use std::borrow::Cow;

use burn::backend::flex::{FlexTensor, Layout};
use burn::backend::{DType, TensorMetadata};
use burn::tensor::{Bytes, Shape};
use unbraid_kernels::{Map, Placement};

pub(super) fn dims(tensor: &FlexTensor) -> [usize; 4] {
    let shape = tensor.shape();
    [shape[0], shape[1], shape[2], shape[3]]
}

/// The map most layers agree on.
pub(super) fn map_of(tensor: &FlexTensor) -> Map {
    let [images, channels, height, width] = dims(tensor);
    Map { images, channels, height, width, border: 1 }
}

/// `[batch, channels · height · width]` of images.
pub(super) fn rows_of(images: &FlexTensor) -> FlexTensor {
    let map = map_of(images);
    let size = map.channels * map.height * map.width;
    let shape = Shape::new([map.images, size]);
    match is_map(images, &map) {
        Some(values) => contiguous(map.planes(values), shape),
        None => images.to_contiguous().reshape(shape),
    }
}

pub(super) fn contiguous(values: Vec<f32>, shape: Shape) -> FlexTensor {
    FlexTensor::new(Bytes::from_elems(values), Layout::contiguous(shape), DType::F32)
}

/// What stands behind the numbers of a map in its memory. Strides alone do not tell a map from a crop
/// of a larger image, whose border is not zero; these numbers do.
fn mark(map: &Map) -> [f32; 5] {
    let bits = [0x756e_6272, map.border, map.channels, map.height, map.width];
    bits.map(|number| f32::from_bits(number as u32))
}

/// The view of a map that burn sees.
pub(super) fn from_map(mut values: Vec<f32>, map: &Map) -> FlexTensor {
    values.extend(mark(map));
    let Placement { offset, strides } = map.placement();
    let shape = Shape::new([map.images, map.channels, map.height, map.width]);
    let layout = Layout::new(shape, strides.map(|stride| stride as isize).to_vec(), offset);
    FlexTensor::new(Bytes::from_elems(values), layout, DType::F32)
}

/// The memory of a tensor that is this map already.
fn is_map<'a>(tensor: &'a FlexTensor, map: &Map) -> Option<&'a [f32]> {
    let storage: &[f32] = tensor.storage();
    if storage.len() != map.size() + mark(map).len() || placement(tensor)? != map.placement() {
        return None;
    }
    let (values, behind) = storage.split_at(map.size());
    let same = behind.iter().zip(mark(map)).all(|(a, b)| a.to_bits() == b.to_bits());
    same.then_some(values)
}

/// The memory of a tensor that is this map, or a copy in its form.
pub(super) fn as_map<'a>(tensor: &'a FlexTensor, map: &Map) -> Cow<'a, [f32]> {
    if let Some(values) = is_map(tensor, map) {
        return Cow::Borrowed(values);
    }
    let contiguous;
    let (tensor, place) = if let Some(place) = placement(tensor) {
        (tensor, place)
    } else {
        contiguous = tensor.to_contiguous();
        (&contiguous, placement(&contiguous).expect("contiguous strides are not negative"))
    };
    Cow::Owned(map.gather(tensor.storage(), place))
}

/// Where the numbers of a tensor lie; nothing if it was flipped.
fn placement(tensor: &FlexTensor) -> Option<Placement> {
    let layout = tensor.layout();
    let mut strides = [0; 4];
    for (stride, &found) in strides.iter_mut().zip(layout.strides()) {
        *stride = usize::try_from(found).ok()?;
    }
    Some(Placement { offset: layout.start_offset(), strides })
}
