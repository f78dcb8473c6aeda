//! Repositories in responses, with their related rows.

pub mod license;
pub mod relations;
pub mod rows;
pub mod view;
