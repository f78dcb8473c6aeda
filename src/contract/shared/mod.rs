//! Shapes that two areas or more use.

pub mod address;
pub mod user;
