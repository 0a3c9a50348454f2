//! Fast f32 CPU kernels for small convolutional models: plain slices in, plain slices out.
//!
//! So far this crate only tells what the processor can do; training runs on burn's stock
//! operations. The kernels come with the speed work, behind the same names.

/// The instruction sets the kernels can use on this machine, as in "avx2 fma", or "portable".
pub fn cpu_features() -> String {
    let mut found: Vec<&str> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        let have = [
            (std::arch::is_x86_feature_detected!("avx2"), "avx2"),
            (std::arch::is_x86_feature_detected!("fma"), "fma"),
            (std::arch::is_x86_feature_detected!("avx512f"), "avx512f"),
        ];
        found.extend(have.iter().filter(|(yes, _)| *yes).map(|(_, name)| *name));
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        found.push("neon");
    }
    if found.is_empty() { "portable".into() } else { found.join(" ") }
}
