//! Issues: lists, reads, creates, changes and locks them. A pull request is an issue with the same
//! number; its own parts are changed by the rules of pull requests (`crate::pulls::changes`).

pub mod events;
mod operations;
pub mod rows;
mod rules;
pub mod showing;

use std::sync::Arc;

use contract::problem::Problem;
use contract::reply::Outcome;
use migration::aggregates::Kind;
use storage::database::{Connection, Transaction};
use storage::entities::collaborator::Permission;
use storage::entities::issue;

use crate::access::RepositoryGrant;
use crate::app::App;

/// The issues.
pub struct Issues {
    app: Arc<App>,
}

impl Issues {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}

/// The issue or pull request with a number, if the token has the permission for its kind.
pub async fn find(app: &App, grant: &RepositoryGrant, number: i64) -> Outcome<issue::Model> {
    let row = find_with_either(app, grant, number).await?;
    grant.check_issue_kind(row.pull_id.is_some())?;
    Ok(row)
}

/// The issue or pull request with a number, whichever of the two permissions the token has.
pub async fn find_with_either(
    app: &App,
    grant: &RepositoryGrant,
    number: i64,
) -> Outcome<issue::Model> {
    let id = grant.repository.id;
    let find = |reads: Arc<Connection>| async move { rows::issue(&reads, id, number).await };
    let belongs = |row: &issue::Model| vec![Kind::Issue.of(row.id)];
    let row = app.db.resolve(find, belongs).await?;
    row.ok_or(Problem::NotFound)
}

/// Locks an issue until the transaction ends, and reads its current row.
pub async fn lock(transaction: &Transaction, issue: &issue::Model) -> Outcome<issue::Model> {
    let row = rows::lock(transaction, issue).await?;
    row.ok_or(Problem::NotFound)
}

/// 410 for a repository with issues disabled.
pub fn disabled() -> Problem {
    Problem::Gone("Issues are disabled for this repo".into())
}

/// Whether a role may label, assign and close issues.
pub fn triages(role: Permission) -> bool {
    role >= Permission::Triage
}
