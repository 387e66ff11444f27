//! The common-plane methods as they are: what they get right by hand, what holds for every answer, and how often they fail.

mod invariance;
mod kinds;
mod rates;
