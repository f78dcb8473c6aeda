//! The Git layer against the `git` program, which has to be on the PATH: random
//! histories are made by it, imported, and asked about on both sides.
//!
//! Everything runs on SQLite, and on PostgreSQL too when TEST_DATABASE_URL names
//! a server. TEST_GIT_SCALE asks for a larger run: it is the number of commits of
//! the histories that are timed, and multiplies the number of random cases (1000
//! commits is once; 100000 takes some minutes). TEST_GIT_SEED makes the random
//! cases differ from those of every other run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "git/ancestry.rs"]
mod ancestry;
#[path = "git/bombs.rs"]
mod bombs;
#[path = "git/building.rs"]
mod building;
#[path = "git/counting.rs"]
mod counting;
#[path = "git/database.rs"]
mod database;
#[path = "git/diffs.rs"]
mod diffs;
#[path = "git/faulty.rs"]
mod faulty;
#[path = "git/history.rs"]
mod history;
#[path = "git/names.rs"]
mod names;
mod private_database;
#[path = "git/program.rs"]
mod program;
#[path = "git/round_trip.rs"]
mod round_trip;
#[path = "git/scale.rs"]
mod scale;
