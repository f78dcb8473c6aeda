//! What comments on issues and comments on diffs have in common: what is allowed, who wrote
//! them, how they are listed, and how a page of them goes out.

pub mod authors;
pub mod pages;
pub mod rules;
pub mod showing;
