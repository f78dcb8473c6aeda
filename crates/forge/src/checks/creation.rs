//! The rows of a new check run, which requests and world files both write. The repository must
//! be locked.

use sea_orm::DbErr;

use super::draft::{CheckRunDraft, annotations};
use super::{rows, rules};
use storage::database::Connection;
use storage::entities::{check_run, check_suite, git_commit};

/// The suite of an app on a commit, as it would be created.
pub async fn new_suite(
    connection: &Connection,
    commit: &git_commit::Model,
    app: i64,
    now: i64,
) -> Result<check_suite::Model, DbErr> {
    let branch = rows::branch_at(connection, commit.repository_id, &commit.sha).await?;
    Ok(check_suite::Model {
        id: 0,
        commit_id: commit.id,
        app_id: app,
        head_branch: branch.map(|name| name.replacen("refs/heads/", "", 1)),
        created_at: now,
        updated_at: now,
    })
}

/// Writes a check run in the suite of its app, which is created with the first of them.
pub async fn insert(
    transaction: &Connection,
    suite: check_suite::Model,
    draft: CheckRunDraft,
) -> Result<(check_run::Model, check_suite::Model), DbErr> {
    let existing = rows::suite_of(transaction, suite.commit_id, suite.app_id).await?;
    let suite = match existing {
        Some(existing) => rows::touch_suite(transaction, existing, suite.updated_at).await?,
        None => rows::insert_suite(transaction, suite).await?,
    };
    let mut row = draft.row;
    row.suite_id = suite.id;
    let row = rows::insert_run(transaction, row, rules::MOST_OF_A_NAME).await?;
    let rows = annotations(row.id, draft.annotations);
    rows::insert_annotations(transaction, rows).await?;
    Ok((row, suite))
}
