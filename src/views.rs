//! What more than one area shows: repositories, pull requests, installations and what
//! authors are to a repository, from rows to the shapes of the contract. What
//! surrounds a page of them (owners, templates, counts) is loaded here with one query for each kind of thing, however long
//! the page. Who may see what is not decided here.

pub mod association;
pub mod hook;
pub mod installation;
mod license;
pub mod markdown;
pub mod pull;
pub mod repository;
