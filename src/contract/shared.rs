//! Shapes that two areas or more use.

pub mod address;
pub mod installation;
pub mod repository;
pub mod user;
