//! Where tensors live; beside `compute/`, the only place that names a backend.
//!
//! The processor, unless a program was built with a GPU backend and asks for it. One choice for the
//! process, made before the first tensor, like the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};

use burn::tensor::Device;
use unbraid_measure::settings::words;

use crate::error::{Error, Result};

static GPU: AtomicBool = AtomicBool::new(false);

words! {
    /// What computes.
    pub enum Processor {
        /// The processor.
        Cpu = "cpu",
        /// The GPU that wgpu takes by default.
        Gpu = "gpu",
    }
}

/// Choose for this process.
pub fn select(processor: Processor) -> Result<()> {
    match processor {
        Processor::Gpu if !cfg!(feature = "wgpu") => Err(Error::setting(
            "train.device",
            "cannot be \"gpu\": this unbraid was built without one; \
             build it with `cargo build --release --features wgpu`",
        )),
        _ => {
            GPU.store(processor == Processor::Gpu, Ordering::Relaxed);
            Ok(())
        }
    }
}

/// The device, with gradients.
pub fn training() -> Device {
    inference().autodiff()
}

/// The device, without gradients.
pub fn inference() -> Device {
    #[cfg(feature = "wgpu")]
    if GPU.load(Ordering::Relaxed) {
        return Device::wgpu(burn::tensor::DeviceKind::DefaultDevice);
    }
    Device::flex()
}
