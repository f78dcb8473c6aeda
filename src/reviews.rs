//! Reviews of pull requests and the comments in them: what the areas `reviews` and
//! `review_comments` and the world file share.
//!
//! `placement.rs` is where a body wants a comment, `location.rs` where that is in the
//! diff, `creation.rs` the rows of a new comment, `pending.rs` those of a review that was
//! not submitted yet, `rules.rs` what is allowed, `showing.rs`
//! how comments go out, `telling.rs` who hears of them, `cached.rs` what is cached.

pub mod cached;
pub mod creation;
pub mod location;
pub mod pending;
pub mod placement;
pub mod rules;
pub mod showing;
pub mod store;
pub mod telling;
mod view;
