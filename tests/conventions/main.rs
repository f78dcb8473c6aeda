//! What holds for the repository as a whole: who may import whom, which licences the
//! dependencies have, and that the documents name only what exists.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod architecture;
mod documentation;
mod licences;
