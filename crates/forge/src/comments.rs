//! Code that comments on issues and comments on diffs share: rules, authors and lists.

pub mod authors;
pub mod pages;
pub mod rules;
