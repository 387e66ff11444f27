//! Figures that a correct engine must reproduce, with their sources and tolerances. No engine code is used here, so that
//! a mistake in the engine cannot enter what it is compared with.
#![allow(dead_code, reason = "each test that includes this module uses a part of it")]

pub mod chung_ooi;
pub mod sphere_basics;
