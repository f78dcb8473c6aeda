//! Authentication and authorization. A credential is resolved to a caller (`authorization.rs`,
//! `credential.rs`, `app_jwt.rs`, `jwt.rs`). Each operation declares who may call it, in
//! `contract/`; `policy.rs` reads that row. The resource that a path names is looked up on
//! behalf of the caller (`repositories.rs`, `organizations.rs`, `projects.rs`,
//! `installations.rs`, `accounts.rs`), who gets it, is refused (403), or does not learn that it
//! exists (404).
//! No noun decides any of this itself.

mod accounts;
pub mod app_jwt;
pub mod authorization;
pub mod credential;
mod decision;
mod denial;
mod explained;
pub mod installations;
pub mod jwt;
mod organizations;
mod projects;
mod readable;
mod readers;
mod repositories;
mod roles;

pub use crate::access::decision::METADATA;
pub use crate::access::organizations::OrganizationGrant;
pub use crate::access::projects::ProjectGrant;
pub use crate::access::readers::readers;
pub use crate::access::repositories::RepositoryGrant;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use migration::aggregates::{Aggregate, Kind};
use sea_orm::EntityTrait;

use crate::access::denial::DenialReason;
use crate::access::explained::{RefusedResource, refusal};
use contract::caller::Caller;
use contract::problem::Problem;
use storage::cache::Cache;
use storage::clock::Clock;
use storage::database::{Connection, Database};
use storage::entities::account;

/// Identifies callers and authorizes them.
pub struct Access {
    db: Database,
    clock: Arc<dyn Clock>,
    cache: Arc<Cache>,
    anonymous: Arc<Caller>,
}

impl Access {
    pub fn new(db: Database, clock: Arc<dyn Clock>, cache: Arc<Cache>) -> Self {
        Self {
            db,
            clock,
            cache,
            anonymous: Arc::new(Caller::Anonymous),
        }
    }

    /// The login of the account that a token is for, if it is for one.
    pub async fn account_of(&self, caller: &Caller) -> Option<String> {
        let (Caller::Installation { account, .. } | Caller::FineGrained { owner: account, .. }) =
            caller
        else {
            return None;
        };
        let account = account::Entity::find_by_id(*account).one(self.db.reads());
        account.await.ok().flatten().map(|account| account.login)
    }

    async fn reading(&self, aggregates: &[Aggregate]) -> &Connection {
        self.db.reading(aggregates).await
    }
}

/// The aggregates that identify a caller. Every result that is cached for a caller depends
/// on them.
pub fn aggregates_of(caller: &Caller) -> Vec<Aggregate> {
    let token = caller.token().map(|id| Kind::Token.of(id));
    let user = caller.user().map(|user| Kind::Account.of(user.id));
    let (app, installation) = match caller {
        Caller::AppUser { app, .. } | Caller::App { id: app, .. } => (Some(*app), None),
        Caller::Installation {
            app, installation, ..
        } => (Some(*app), Some(*installation)),
        _ => (None, None),
    };
    let app = app.map(|id| Kind::App.of(id));
    let installation = installation.map(|id| Kind::Installation.of(id));
    [token, user, app, installation]
        .into_iter()
        .flatten()
        .collect()
}

/// The error for something that the caller can see but not use, with the message for its kind
/// of token. Users' own tokens get `message`.
fn access_denied(caller: &Caller, message: &'static str) -> Problem {
    match caller {
        Caller::Anonymous => Problem::Unauthenticated,
        Caller::FineGrained { .. } => {
            Problem::Forbidden("Resource not accessible by personal access token".into())
        }
        Caller::AppUser { .. } | Caller::Installation { .. } | Caller::App { .. } => {
            Problem::Forbidden("Resource not accessible by integration".into())
        }
        Caller::Classic { .. } | Caller::OAuth { .. } => Problem::Forbidden(message.into()),
    }
}

/// The error for every use of a suspended installation.
pub const SUSPENDED: Problem =
    Problem::Forbidden(Cow::Borrowed("This installation has been suspended"));

/// A suspended installation may do nothing.
fn not_suspended(caller: &Caller) -> Result<(), Problem> {
    match caller {
        Caller::Installation {
            suspended: true,
            installation,
            ..
        } => {
            let denial = (SUSPENDED, DenialReason::Suspended(*installation));
            let resource = || RefusedResource::of(format!("installation {installation}"), "");
            Err(refusal(caller, None, denial, resource))
        }
        _ => Ok(()),
    }
}

/// Whether a classic or OAuth token has one of the scopes, or one that includes it.
fn has_scope(scopes: &BTreeSet<String>, accepted: &[&str]) -> bool {
    accepted
        .iter()
        .any(|needed| scopes.iter().any(|held| includes(held, needed)))
}

/// Scopes form small families in which a wider one includes the narrower.
fn includes(held: &str, needed: &str) -> bool {
    held == needed
        || matches!(
            (held, needed),
            ("repo", "public_repo" | "repo:status")
                | ("project", "read:project")
                | ("write:org", "read:org")
                | ("admin:org", "read:org" | "write:org")
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_scope_includes_the_narrower_and_not_the_reverse() {
        let scopes = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert!(has_scope(&scopes(&["admin:org"]), &["read:org"]));
        assert!(!has_scope(&scopes(&["read:org"]), &["admin:org"]));
        assert!(has_scope(&scopes(&["repo"]), &["public_repo"]));
        assert!(!has_scope(&scopes(&["public_repo"]), &["repo"]));
        assert!(!has_scope(&scopes(&["repo:status"]), &["repo"]));
        assert!(!has_scope(&scopes(&[]), &["read:project"]));
    }
}
