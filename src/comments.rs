//! Code that comments on issues and comments on diffs share: rules, authors, lists and
//! responses.

pub mod authors;
pub mod pages;
pub mod rules;
pub mod showing;
