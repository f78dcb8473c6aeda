//! Compares the Git layer with `git`, which must be on the PATH: the tests import random
//! histories and run the same queries on both sides.
//!
//! TEST_GIT_SCALE sets the number of commits in the timed histories (1000 by default) and
//! scales the number of random cases with it; 100000 takes some minutes. TEST_GIT_SEED changes
//! the random cases.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod ancestry;
mod bombs;
mod building;
mod counting;
mod criss_cross;
mod database;
mod deltas;
mod diffs;
mod faulty;
mod merging;
mod names;
mod nested;
mod packs;
mod requests;
mod round_trip;
mod scale;
#[path = "../support/mod.rs"]
mod support;
mod texts;
mod transport;
mod uploads;
