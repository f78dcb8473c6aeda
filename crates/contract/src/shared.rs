//! Types that several areas use.

pub mod address;
pub mod commit;
pub mod diff_entry;
pub mod git_person;
pub mod installation;
pub mod repository;
pub mod user;
