//! The control API: what it does to a world, and what clients of the world see of it.

mod journal;
