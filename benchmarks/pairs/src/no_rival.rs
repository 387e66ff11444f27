//! Nobody to compare with: the program was built without parry, and only its own answers can be checked.

use crate::sets::{Body, Pair};
use glam::DVec3;

/// A set as parry would see it: there is none.
pub enum Rival {}

impl Rival {
    /// No set.
    pub fn new(_: &Body, _: &Body, _: &[Pair]) -> Option<Rival> {
        None
    }

    /// No answer.
    pub fn contact(&self, _: usize, _: f64) -> Option<()> {
        match *self {}
    }

    /// No answer.
    pub fn answer(&self, _: usize, _: f64) -> Option<(f64, DVec3)> {
        match *self {}
    }
}
