//! Weights by name: out of a module, into a module, to and from safetensors.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Tensor, TensorData};
use ndarray::Array2;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use unbraid_measure::Error as MeasureError;
use unbraid_measure::files::checksum::{self, Seal};

use crate::error::{Error, Result};
use crate::model::batch;

/// Metadata.
pub type Map = serde_json::Map<String, serde_json::Value>;

/// The bytes of a safetensors file before its header.
const LENGTH: usize = 8;

/// Named arrays, sorted by name so that equal weights are equal bytes.
pub type Weights = BTreeMap<String, Weight>;

/// One named array.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// The lengths of its axes.
    pub shape: Vec<usize>,
    /// Its numbers, last axis fastest.
    pub values: Vec<f32>,
}

impl Weight {
    /// A matrix as a weight.
    pub fn matrix(matrix: &Array2<f32>) -> Self {
        Self { shape: matrix.shape().to_vec(), values: matrix.iter().copied().collect() }
    }

    /// The inverse of [`matrix`](Self::matrix), of this size.
    pub fn into_matrix(self, [rows, columns]: [usize; 2]) -> Result<Array2<f32>> {
        let Self { shape, values } = self;
        if shape != [rows, columns] {
            let reason = format!("a weight is {shape:?}, which does not fit the others");
            return Err(Error::Unable(reason));
        }
        let matrix = Array2::from_shape_vec((rows, columns), values);
        Ok(matrix.expect("a weight has as many numbers as its shape says"))
    }
}

/// Remove the weight of this name and return it.
pub fn take(weights: &mut Weights, name: &str) -> Result<Weight> {
    weights.remove(name).ok_or_else(|| Error::Unable(format!("weight `{name}` is missing")))
}

/// The weights of a module, named by their path in it: `net.encoder.mean.weight`.
pub fn of<M: Module>(module: &M) -> Weights {
    let mut reader = Reader::default();
    module.visit(&mut reader);
    reader.weights
}

/// The gradients of a module's weights, by the same names; weights without a gradient are left out.
pub fn gradients<M: Module>(module: &M, gradients: GradientsParams) -> Weights {
    let mut reader = Reader { gradients: Some(gradients), ..Reader::default() };
    module.visit(&mut reader);
    reader.weights
}

/// The module with these weights instead of its own; all must be present and have the right shape.
pub fn into<M: Module>(module: M, weights: Weights) -> std::result::Result<M, String> {
    let mut writer = Writer { path: vec![], weights, problem: None };
    let module = module.map(&mut writer);
    match writer.problem {
        None => Ok(module),
        Some(problem) => Err(problem),
    }
}

/// Serialise; `about` goes into the file's metadata under the one key `unbraid`, since a second key
/// would make the order of bytes random.
pub fn to_bytes(weights: &Weights, blobs: &[(&str, &[u8])], about: &str) -> Vec<u8> {
    let bytes: Vec<(&String, &Weight, Vec<u8>)> = weights
        .iter()
        .map(|(name, w)| (name, w, w.values.iter().flat_map(|v| v.to_le_bytes()).collect()))
        .collect();
    let fits = "a weight has as many bytes as its shape says";
    let mut views: Vec<(&str, TensorView)> = bytes
        .iter()
        .map(|(name, w, b)| {
            (name.as_str(), TensorView::new(Dtype::F32, w.shape.clone(), b).expect(fits))
        })
        .collect();
    for (name, blob) in blobs {
        views.push((name, TensorView::new(Dtype::U8, vec![blob.len()], blob).expect(fits)));
    }
    let metadata = HashMap::from([("unbraid".to_string(), about.to_string())]);
    safetensors::serialize(views, Some(metadata)).expect("weights of known shapes serialise")
}

/// The same with a checksum of all bytes, as the last key of `about`, for a file of its own.
pub fn to_sealed_bytes(weights: &Weights, blobs: &[(&str, &[u8])], about: &Map) -> Vec<u8> {
    let mut about = about.clone();
    about.insert("checksum".into(), checksum::ROOM.into());
    let mut bytes = to_bytes(weights, blobs, &serde_json::Value::Object(about).to_string());
    checksum::seal(&mut bytes);
    bytes
}

/// A safetensors file: its weights, its byte arrays, and its metadata.
#[derive(Debug)]
pub struct WeightsFile {
    /// Whether it had a checksum, which then was right.
    pub sealed: bool,
    /// The arrays of f32.
    pub weights: Weights,
    /// The arrays of bytes.
    pub blobs: BTreeMap<String, Vec<u8>>,
    /// The metadata under the key `unbraid`, as JSON.
    pub about: serde_json::Value,
}

/// Read what [`to_bytes`] made, from a file.
pub fn read(path: &Path) -> Result<WeightsFile> {
    let bytes = std::fs::read(path).map_err(|source| MeasureError::io("read", path, &source))?;
    Ok(from_bytes(&bytes).map_err(|reason| MeasureError::format(path, reason))?)
}

/// The metadata alone of what [`to_bytes`] made, without reading the weights; nothing if it is damaged.
pub fn read_about(path: &Path) -> Option<serde_json::Value> {
    let mut file = std::fs::File::open(path).ok()?;
    let mut length = [0; 8];
    file.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    let whole = file.metadata().ok()?.len();
    let mut header = vec![0; usize::try_from(length).ok().filter(|_| length < whole)?];
    file.read_exact(&mut header).ok()?;
    let header: serde_json::Value = serde_json::from_slice(&header).ok()?;
    serde_json::from_str(header["__metadata__"]["unbraid"].as_str()?).ok()
}

/// Parse what [`to_bytes`] made, or explain what is wrong.
pub fn from_bytes(bytes: &[u8]) -> std::result::Result<WeightsFile, String> {
    let unreadable = |source: &dyn std::fmt::Display| {
        format!("is no readable safetensors file ({source}); is it truncated?")
    };
    let (length, header) =
        SafeTensors::read_metadata(bytes).map_err(|source| unreadable(&source))?;
    let seal = checksum::check(bytes, LENGTH..LENGTH + length);
    if seal == Seal::Broken {
        return Err("is damaged: its checksum differs from what is in it".into());
    }
    let file = SafeTensors::deserialize(bytes).map_err(|source| unreadable(&source))?;
    let about = header.metadata().as_ref().and_then(|metadata| metadata.get("unbraid"));
    let about = about.and_then(|text| serde_json::from_str(text).ok());
    let about = about.ok_or_else(|| unreadable(&"it was not written by unbraid"))?;
    let sealed = seal == Seal::Whole;
    let mut read = WeightsFile { sealed, weights: Weights::new(), blobs: BTreeMap::new(), about };
    for (name, view) in file.tensors() {
        if view.dtype() == Dtype::U8 {
            read.blobs.insert(name, view.data().to_vec());
            continue;
        }
        if view.dtype() != Dtype::F32 {
            return Err(unreadable(&format!("`{name}` is {:?} and not F32", view.dtype())));
        }
        let (numbers, _) = view.data().as_chunks::<4>();
        let values = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
        read.weights.insert(name, Weight { shape: view.shape().to_vec(), values });
    }
    Ok(read)
}

/// The first weight that is not finite, by name.
pub fn not_finite(weights: &Weights) -> Option<(&str, f32)> {
    let broken = |weight: &Weight| weight.values.iter().copied().find(|value| !value.is_finite());
    weights.iter().find_map(|(name, weight)| Some((name.as_str(), broken(weight)?)))
}

#[derive(Default)]
struct Reader {
    path: Vec<String>,
    /// Reads gradients in place of weights, if given.
    gradients: Option<GradientsParams>,
    weights: Weights,
}

impl ModuleVisitor for Reader {
    fn enter_module(&mut self, name: &str, _kind: &str) {
        self.path.push(name.into());
    }
    fn exit_module(&mut self, _name: &str, _kind: &str) {
        self.path.pop();
    }
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = match &mut self.gradients {
            None => Some(param.val()),
            Some(gradients) => gradients.remove::<D>(param.id),
        };
        let Some(value) = value else { return };
        let shape = value.dims().to_vec();
        self.weights.insert(self.path.join("."), Weight { shape, values: batch::numbers(value) });
    }
}

struct Writer {
    path: Vec<String>,
    weights: Weights,
    problem: Option<String>,
}

impl ModuleMapper for Writer {
    fn enter_module(&mut self, name: &str, _kind: &str) {
        self.path.push(name.into());
    }
    fn exit_module(&mut self, _name: &str, _kind: &str) {
        self.path.pop();
    }
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let name = self.path.join(".");
        let shape = param.dims().to_vec();
        match self.weights.remove(&name) {
            Some(weight) if weight.shape == shape => param.map(|old| {
                let data = TensorData::new(weight.values, weight.shape);
                let new = Tensor::from_data(data, &old.device());
                if old.is_require_grad() { new.require_grad() } else { new }
            }),
            Some(weight) => {
                let found = weight.shape;
                self.problem =
                    Some(format!("weight `{name}` is {found:?} and should be {shape:?}"));
                param
            }
            None => {
                self.problem = Some(format!("weight `{name}` is missing"));
                param
            }
        }
    }
}
