//! App installations: what an installed app, or a user through it, can access
//! (Spec, App installations).
//!
//! - An installation lists what its own token can access: the account's repositories, the selected
//!   ones, or fewer if the token is limited.
//! - A user's token for an app lists the app's installations in which the user has an explicit
//!   role, and the repositories of one of them. That a repository is public does not count.
//! - An administrator of a repository adds it to an installation, or removes it. An installation
//!   always keeps one repository: that is checked with the installation locked, so that two
//!   concurrent removals cannot both succeed.
//! - A revoked token is rejected by every server process at its next use, because each request
//!   reads the token's row.

mod operations;
pub mod relations;
mod rows;
mod rules;
pub mod view;

use std::sync::Arc;

use crate::app::App;

/// The operations, with the service they work on.
pub struct Installations {
    app: Arc<App>,
}

impl Installations {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
