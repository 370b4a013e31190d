//! The protea command line.
fn main() {}
