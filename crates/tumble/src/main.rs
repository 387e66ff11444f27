//! The command line of Tumble.
fn main() {}
