//! Issues and pull requests as issues: their rows, what is shown of them, their labels and
//! assignees and field values, and what apps are told. For the areas `issues`,
//! `issue_comments`, `issue_field_values`, `labels` and `assignees`.

pub mod assignees;
pub mod comments;
pub mod labels;
pub mod showing;
pub mod store;
pub mod telling;
pub mod values;

use migration::aggregates::Kind;

use crate::access::RepositoryGrant;
use crate::app::App;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::database::{Reads, Transaction};
use crate::entities::collaborator::Permission;
use crate::entities::issue;

/// The issue or pull request with a number.
pub async fn find(app: &App, grant: &RepositoryGrant, number: i64) -> Outcome<issue::Model> {
    let id = grant.repository.id;
    let find = |reads: Reads| async move { store::issue(&reads, id, number).await };
    let belongs = |row: &issue::Model| vec![Kind::Issue.of(row.id)];
    let found = app.db.resolve(find, belongs).await?;
    found.ok_or(Problem::NotFound)
}

/// Lets nobody else change an issue until the transaction ends, and reads it again.
pub async fn lock(transaction: &Transaction, found: &issue::Model) -> Outcome<issue::Model> {
    let row = store::lock(transaction, found).await?;
    row.ok_or(Problem::NotFound)
}

/// 410 for a repository that has no issues.
pub fn disabled() -> Problem {
    Problem::Gone("Issues are disabled for this repo".into())
}

/// Whether a role takes care of issues: labels them, assigns them, closes them.
pub fn triages(role: Permission) -> bool {
    role >= Permission::Triage
}
