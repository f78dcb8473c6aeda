//! Compares the Git layer with the program `git`, which must be on the PATH: it makes
//! random histories, which are imported and queried on both sides.
//!
//! TEST_GIT_SCALE asks for a larger run: it is the number of commits of
//! the histories that are timed, and multiplies the number of random cases (1000
//! commits is once; 100000 takes some minutes). TEST_GIT_SEED makes the random
//! cases differ from those of every other run.
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
mod packs;
mod round_trip;
mod scale;
#[path = "../support/mod.rs"]
mod support;
mod texts;
mod transport;
