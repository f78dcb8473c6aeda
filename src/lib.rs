//! Forgewright.

pub mod contract;
