//! Shapes that two areas or more use.

pub mod address;
pub mod diff_entry;
pub mod installation;
pub mod repository;
pub mod user;
