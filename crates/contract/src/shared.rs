//! Types that several areas use.

pub mod address;
pub mod diff_entry;
pub mod git_person;
pub mod installation;
pub mod repository;
pub mod state;
pub mod user;
