//! The generated clients. Compiling them without warnings checks that their types are
//! consistent.
//!
//! One warning is allowed: progenitor generates the match arm of `4XX` before those of single
//! statuses, which are then unreachable. All of them return the same `Failure`.

#![deny(warnings)]
#![allow(unreachable_patterns)]

/// The 28 operations of the specification.
pub mod service {
    include!(concat!(env!("OUT_DIR"), "/service.rs"));
}

/// The companion operations.
pub mod companion {
    include!(concat!(env!("OUT_DIR"), "/companion.rs"));
}
