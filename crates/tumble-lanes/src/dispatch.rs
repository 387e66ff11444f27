//! Which instructions work is done with.

use crate::{Lanes, Portable4};

/// Work written for any number of lanes.
pub trait Kernel {
    /// What it gives.
    type Output;
    /// Does the work. Every implementation is `#[inline(always)]`, and so is all that it calls with lanes: vector
    /// instructions are compiled into the function that this is inlined into.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Instructions that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Portable,
    /// Only [`Instructions::best`] makes this, on a processor that has AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Instructions {
    /// Those that every processor of this architecture has.
    pub const PORTABLE: Instructions = Instructions(Set::Portable);

    /// The best that this processor has. The processor is asked once; after that it costs a load and a branch.
    #[inline]
    pub fn best() -> Instructions {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Instructions(Set::Avx2);
        }
        Instructions::PORTABLE
    }

    /// What they are called.
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Portable if cfg!(target_arch = "x86_64") => "SSE2",
            Set::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "AVX2",
        }
    }

    /// Runs a kernel with four lanes, with these instructions.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Set::Portable => kernel.run::<Portable4>(),
            // SAFETY: there is such a value only if the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { crate::avx2_lanes::with_avx2(kernel) },
        }
    }
}

impl Default for Instructions {
    /// The best.
    fn default() -> Instructions {
        Instructions::best()
    }
}

/// Runs a kernel with four lanes, in the best way this processor has.
#[inline]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    Instructions::best().run(kernel)
}
