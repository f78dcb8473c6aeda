//! What holds for the repository as a whole: who may import whom, that a type name
//! means one thing, which licences the dependencies have, and that the documents name only
//! what exists.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod architecture;
mod documentation;
mod licences;
mod names;
