//! Comments in the conversations of issues and pull requests. Sends no notifications. A comment
//! without an `id` is matched by its issue, author and text.

use std::collections::BTreeSet;

use sea_orm::{DbErr, EntityTrait, QueryFilter, QueryOrder};

use super::LoadError;
use super::write::{Load, UNASSIGNED, WorldItem};
use crate::file::IssueComment;
use crate::ids::id_of;
use forge::issue_comments::creation::prepared;
use storage::entities::issue;
use storage::entities::issue_comment::{COLUMN, Column, Entity, Model};

pub async fn write(
    load: &mut Load<'_>,
    issue: &issue::Model,
    conversation: &[IssueComment],
) -> Result<(), LoadError> {
    let mut matched = BTreeSet::new();
    for spec in conversation {
        let written = write_comment(load, issue, spec, &matched).await;
        matched.extend(load.collect(written)?.map(|row| row.id));
    }
    Ok(())
}

async fn write_comment(
    load: &mut Load<'_>,
    issue: &issue::Model,
    spec: &IssueComment,
    matched: &BTreeSet<i64>,
) -> Result<Model, LoadError> {
    let text = match spec.request.issue_comment() {
        Ok(body) => prepared(load.db, body).await,
        Err(problem) => Err(problem),
    };
    let text = text.map_err(|problem| load.body_rejection(&spec.request, problem))?;
    let author = load.stored.account_id(&spec.author.value)?;
    let key = (id_of(&spec.id), author, text.body.as_str());
    let stored = match issue.comments {
        0 => None,
        _ => find(load, issue.id, key, matched).await?,
    };
    let mut row = stored
        .clone()
        .unwrap_or_else(|| new_comment(issue, load.now));
    row.author_id = Some(author);
    row.body = text.body;
    row.body_html = text.rendered.html;
    row.body_text = text.rendered.text;
    let item = WorldItem {
        kind: "comment",
        name: format!("on #{}", issue.number),
        id: &spec.id,
        created_at: spec.created_at,
        updated_at: spec.updated_at,
    };
    Ok(load.save(item, stored.as_ref(), row).await?)
}

fn new_comment(issue: &issue::Model, now: i64) -> Model {
    Model {
        id: UNASSIGNED,
        repository_id: issue.repository_id,
        issue_id: issue.id,
        author_id: None,
        body: String::new(),
        body_html: String::new(),
        body_text: String::new(),
        created_at: now,
        updated_at: now,
        reactions: None,
    }
}

async fn find(
    load: &Load<'_>,
    issue: i64,
    (fixed, author, body): (Option<i64>, i64, &str),
    matched: &BTreeSet<i64>,
) -> Result<Option<Model>, DbErr> {
    let rows = Entity::find().filter(COLUMN.issue_id.eq(issue));
    if let Some(id) = fixed {
        return rows.filter(COLUMN.id.eq(id)).one(load.db).await;
    }
    let candidates = rows
        .filter(COLUMN.author_id.eq(author))
        .filter(COLUMN.body.eq(body))
        .order_by_asc(Column::Id)
        .all(load.db)
        .await?;
    Ok(candidates
        .into_iter()
        .find(|row| !matched.contains(&row.id)))
}
