//! Where tensors live; beside `compute/`, the only place that names a backend.
//!
//! The processor, unless a program was built with a GPU backend and asks for it. One choice for the
//! process, made before the first tensor, like the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};

use burn::tensor::Device;

use crate::error::{Error, Result};

static GPU: AtomicBool = AtomicBool::new(false);

/// Choose "cpu" or "gpu" for this process.
pub fn select(name: &str) -> Result<()> {
    match name {
        "gpu" if !cfg!(feature = "wgpu") => Err(Error::setting(
            "train.device",
            "cannot be \"gpu\": this unbraid was built without one; \
             build it with `cargo build --release --features wgpu`",
        )),
        _ => {
            GPU.store(name == "gpu", Ordering::Relaxed);
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

/// Run on a thread of rayon's pool, among the workers: from outside of it every parallel loop would
/// cost two changes of thread, which is most of a small step.
///
/// A worker that waits for a part of its loop may take up any other job of the pool, a whole `f` of
/// another caller too. So nobody may hold a lock around a parallel loop that an `f` could ask for.
pub fn on_workers<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| f())
}
