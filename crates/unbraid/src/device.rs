//! Where tensors live; the only file that names a backend.

use burn::tensor::Device;

/// The processor, with gradients.
pub fn training() -> Device {
    Device::flex().autodiff()
}

/// The processor, without gradients.
pub fn inference() -> Device {
    Device::flex()
}
