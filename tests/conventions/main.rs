//! Rules for the whole repository: which module may import which, unique type names, allowed
//! licences of dependencies, and that the documentation names only things that exist.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod architecture;
mod documentation;
mod licences;
mod names;
mod nouns;
mod recursion;
