//! Repositories in responses, with their related rows.

pub mod license;
pub mod view;
