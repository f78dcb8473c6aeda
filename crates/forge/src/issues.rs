//! Issues, and pull requests as issues: rows, views, labels, assignees, field values and webhook
//! events. Shared by the areas `issues`,
//! `issue_comments`, `issue_field_values`, `labels` and `assignees`.

pub mod assignees;
pub mod comments;
pub mod events;
pub mod labels;
pub mod showing;
pub mod store;
pub mod values;

use std::sync::Arc;

use migration::aggregates::Kind;

use crate::access::RepositoryGrant;
use crate::app::App;
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::database::{Connection, Transaction};
use storage::entities::collaborator::Permission;
use storage::entities::issue;

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
    let find = |reads: Arc<Connection>| async move { store::issue(&reads, id, number).await };
    let belongs = |row: &issue::Model| vec![Kind::Issue.of(row.id)];
    let row = app.db.resolve(find, belongs).await?;
    row.ok_or(Problem::NotFound)
}

/// Locks an issue until the transaction ends, and reads its current row.
pub async fn lock(transaction: &Transaction, issue: &issue::Model) -> Outcome<issue::Model> {
    let row = store::lock(transaction, issue).await?;
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
