//! Accounts in responses: users and organizations, and their association with a repository.

pub mod association;
pub mod people;
pub mod rows;
