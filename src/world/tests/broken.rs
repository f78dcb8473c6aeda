//! One change to the example, and exactly what is said about it. Line numbers are
//! those of `example.yaml`.

mod content;
mod form;
mod references;
