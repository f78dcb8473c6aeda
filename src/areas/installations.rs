//! App installations: what an installed app, or a user through it, can reach
//! (Spec, App installations).
//!
//! - An installation lists what its own token reaches: the account's
//!   repositories, or the selected ones, or fewer if the token was narrowed.
//! - A user's token for an app lists the app's installations in which the user
//!   has something explicit to do, and the repositories of one of them. That a
//!   repository is public does not count.
//! - Somebody who administers a repository puts it on an installation, or takes
//!   it off. An installation always keeps one repository: that is checked with
//!   the installation locked, so that two removals cannot both find two left.
//! - A revoked token is refused by every server process at its next use, because
//!   each request reads the token's row.

mod operations;
mod rules;
mod store;
mod view;

use std::sync::Arc;

use crate::app::App;

/// The area, with the service it works on.
pub struct Installations {
    app: Arc<App>,
}

impl Installations {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
