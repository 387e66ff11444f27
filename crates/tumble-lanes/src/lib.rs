//! Numbers in lanes: what is done to every contact is written once, generic over [`Lanes`], and runs on one number
//! (`f64`) or on four at a time, with the best instructions that the processor has.
//!
//! Every operation is exact or correctly rounded lane by lane, so all give the same bits. Nothing is contracted: a fused
//! multiply-add would change them.
//!
//! A stretch of work is a [`Kernel`], and [`dispatch`] runs it. The compiler puts vector instructions only where they are
//! inlined into the one function that is compiled for them, so everything that takes lanes is `#[inline(always)]`, from
//! [`Kernel::run`] down. A closure cannot be: where one with lanes in it is called more than once, it should be a function.
//!
//! This is the only crate with unsafe code, all of it calls of processor instructions.

#[cfg(any(test, not(target_arch = "x86_64")))]
mod array_lanes;
#[cfg(target_arch = "x86_64")]
mod avx2_lanes;
mod dispatch;
mod lanes;
mod operators;
mod prefetch;
mod row;
#[cfg(target_arch = "x86_64")]
mod sse2_lanes;
#[cfg(test)]
mod tests;
mod vector;

#[cfg(not(target_arch = "x86_64"))]
pub use array_lanes::ArrayLanes as Portable4;
pub use dispatch::{Instructions, Kernel, dispatch};
pub use lanes::Lanes;
pub use prefetch::prefetch;
pub use row::{Row, head, row, tail, vector_row};
#[cfg(target_arch = "x86_64")]
pub use sse2_lanes::Sse2Lanes as Portable4;
pub use vector::Vector;
