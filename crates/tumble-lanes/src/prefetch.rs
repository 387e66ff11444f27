//! Asking for memory before it is needed.

/// Bytes that the processor fetches at a time.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Tells the processor that a value will be read soon, so that it need not be waited for. Does nothing where there is no
/// such instruction.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let begin = std::ptr::from_ref(value).cast::<i8>();
        for offset in (0..size_of::<T>()).step_by(LINE) {
            // SAFETY: every x86-64 processor has the instruction; it reads nothing into the program and never faults. The
            // address is inside the value.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(begin.add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
