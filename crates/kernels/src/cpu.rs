//! Which instructions to use, decided once, at run time.

use std::sync::OnceLock;

use crate::lanes::{Lanes, Portable};

/// An instruction set that this machine has and the kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu(Instructions);

/// Private, so that a `Cpu` cannot name what the processor has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// What [`Cpu::best`] answers.
static CHOSEN: OnceLock<Cpu> = OnceLock::new();

impl Cpu {
    /// The best of this machine, or the one named by the environment variable [`Cpu::VARIABLE`].
    pub fn best() -> Self {
        *CHOSEN.get_or_init(|| {
            let available = Self::available();
            let wanted = std::env::var(Self::VARIABLE).unwrap_or_default();
            let named = available.iter().find(|cpu| cpu.name() == wanted);
            *named.or(available.last()).expect("the portable one is always there")
        })
    }

    /// Use this one in the whole process. Only before the first kernel has run; says whether it took.
    pub fn choose(self) -> bool {
        *CHOSEN.get_or_init(|| self) == self
    }

    /// The environment variable that chooses: `portable`, `avx2`, `avx512`, `neon`.
    pub const VARIABLE: &str = "UNBRAID_CPU";

    /// Everything this machine can run, the fastest last.
    pub fn available() -> Vec<Self> {
        let mut found = vec![Instructions::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
            {
                found.push(Instructions::Avx2);
            }
            if std::arch::is_x86_feature_detected!("avx512f") {
                found.push(Instructions::Avx512);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            found.push(Instructions::Neon);
        }
        found.into_iter().map(Self).collect()
    }

    /// Its name, as in `UNBRAID_CPU`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => "neon",
        }
    }

    /// Run a kernel compiled for this instruction set.
    ///
    /// # Safety
    /// What the kernel points to is as it says.
    #[inline]
    pub(crate) unsafe fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: `available`, the only source of a `Cpu`, asked the processor.
        unsafe {
            match self.0 {
                Instructions::Portable => kernel.run::<Portable>(),
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => avx2(kernel),
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => avx512(kernel),
                #[cfg(target_arch = "aarch64")]
                Instructions::Neon => neon(kernel),
            }
        }
    }
}

/// A piece of single-threaded work, written once and compiled for every instruction set. `run` and
/// everything it calls must be `#[inline(always)]`: only what is inlined into the functions below
/// is compiled with their instructions.
pub(crate) trait Kernel {
    type Output;

    /// # Safety
    /// The processor has the instructions of `L`, and what the kernel points to is as it says.
    unsafe fn run<L: Lanes>(self) -> Self::Output;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: the caller has checked the features.
    unsafe { kernel.run::<crate::lanes::Avx2>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn avx512<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: as above.
    unsafe { kernel.run::<crate::lanes::Avx512>() }
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
unsafe fn neon<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: as above.
    unsafe { kernel.run::<crate::lanes::Neon>() }
}
