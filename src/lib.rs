//! Forgewright.

pub mod contract;
pub mod database;
pub mod entities;
pub mod git;
