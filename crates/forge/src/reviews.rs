//! Reviews of pull requests and their comments. The areas `reviews` and `review_comments`
//! and the world file share this code.
//!
//! `placement.rs` parses the place that a request asks for, and `location.rs` finds it in the
//! diff. `creation.rs` has the rows of a new comment, and `pending.rs` the comments of pending
//! reviews. `rules.rs` has the rules, `showing.rs` the responses, `events.rs` the webhook
//! events, and `cached.rs` the cached queries.

pub mod cached;
pub mod creation;
pub mod events;
pub mod location;
pub mod pending;
pub mod placement;
pub mod rules;
pub mod showing;
pub mod store;
mod view;
