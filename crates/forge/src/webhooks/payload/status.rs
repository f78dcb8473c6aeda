//! Statuses of commits in payloads.

use serde_json::{Value, json};

use super::{EventContext, value, webhook_user};
use crate::events::StatusReport;
use contract::commits::RepositoryCommit;
use contract::commits::ShortBranch;
use contract::reply::Outcome;

/// The fields of the event `status`.
pub(super) fn event(context: &EventContext<'_>, report: &StatusReport) -> Outcome<Value> {
    let status = &report.status.status;
    Ok(json!({
        "id": status.id,
        "sha": report.commit.sha,
        "name": context.repository.full_name,
        "avatar_url": status.avatar_url,
        "target_url": status.target_url,
        "context": status.context,
        "description": status.description,
        "state": status.state,
        "commit": commit(report.commit.clone())?,
        "branches": branches(&report.branches)?,
        "created_at": status.created_at,
        "updated_at": status.updated_at,
    }))
}

/// Removes the fields that the schemas do not have.
fn branches(branches: &[ShortBranch]) -> Outcome<Value> {
    let mut branches = value(&branches)?;
    for branch in branches.as_array_mut().into_iter().flatten() {
        if let Some(branch) = branch.as_object_mut() {
            branch.retain(|name, _| !name.starts_with("protection"));
        }
    }
    Ok(branches)
}

/// Removes the fields that the schemas do not have.
fn commit(mut commit: RepositoryCommit) -> Outcome<Value> {
    commit.author = commit.author.0.map(webhook_user).into();
    commit.committer = commit.committer.0.map(webhook_user).into();
    let mut fields = value(&commit)?;
    if let Some(verification) = fields["commit"]["verification"].as_object_mut() {
        verification.remove("verified_at");
    }
    Ok(fields)
}
