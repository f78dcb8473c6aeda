//! Apps: their data, their installations, and how they get a token for an
//! installation (openapi/companion.yaml; GitHub fills the specification's silence
//! about "a separate token-creation endpoint for an app").
//!
//! - The caller is the app that signed the JSON web token; the installations of
//!   other apps look absent.
//! - A token has the access of its installation, or less: the body may list
//!   repositories and permissions, none of which may exceed the installation's.
//! - A suspended installation gets no token.
//! - An app sees and changes only its own webhook and deliveries.

mod operations;
mod rows;
mod rules;
pub mod view;

use std::sync::Arc;

use crate::app::App;

/// The placeholder for a secret.
const MASK: &str = "********";

/// The operations, with the service they work on.
pub struct Apps {
    app: Arc<App>,
}

impl Apps {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
