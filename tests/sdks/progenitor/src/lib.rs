//! The generated clients, as a crate of somebody would have them. That they compile without a
//! warning shows that their types fit each other.
//!
//! One warning is let through: progenitor puts the arm of `4XX` before those of the single
//! statuses, which then cannot be reached. All of them lead to the same `Failure`.

#![deny(warnings)]
#![allow(unreachable_patterns)]

/// The 28 operations of the specification.
pub mod service {
    include!(concat!(env!("OUT_DIR"), "/service.rs"));
}

/// What clients need around them.
pub mod companion {
    include!(concat!(env!("OUT_DIR"), "/companion.rs"));
}
