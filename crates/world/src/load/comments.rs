//! Review comments, through the rules of the create operation. Sends no notifications.
//! Note: a comment without an `id` is matched by its pull request, thread, author and text. One
//! that was edited since is a new one.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};

use super::LoadError;
use super::pulls;
use super::write::{ItemOutcome, Load};
use crate::file::{Comment, Pull, World};
use crate::ids::id_of;
use crate::scalar::DateTime;
use contract::body;
use contract::problem::Problem;
use contract::review_comments::CreateReviewComment;
use forge::review_comments::creation;
use forge::review_comments::creation::LoadedComment;
use storage::entities::{pull, review_comment};

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for repository in &world.repositories {
        for spec in repository
            .pulls
            .iter()
            .filter(|pull| !pull.comments.is_empty())
        {
            let row = pulls::stored(load, repository, spec).await?;
            write_comments(load, spec, &row).await?;
        }
    }
    Ok(())
}

async fn write_comments(
    load: &mut Load<'_>,
    spec: &Pull,
    pull: &pull::Model,
) -> Result<(), LoadError> {
    let mut threads: HashMap<&str, i64> = HashMap::new();
    let mut matched = BTreeSet::new();
    for comment in &spec.comments {
        let root = comment.in_reply_to.as_ref();
        let root = root.and_then(|key| threads.get(key.value.as_str()).copied());
        if root.is_none() && comment.in_reply_to.is_some() {
            // The comment that it answers has findings.
            continue;
        }
        let written = write_comment(load, pull, comment, root, &matched).await;
        let Some(id) = load.collect(written)? else {
            continue;
        };
        matched.insert(id);
        if let Some(key) = &comment.key {
            threads.insert(&key.value, root.unwrap_or(id));
        }
    }
    Ok(())
}

async fn write_comment(
    load: &mut Load<'_>,
    pull: &pull::Model,
    spec: &Comment,
    root: Option<i64>,
    matched: &BTreeSet<i64>,
) -> Result<i64, LoadError> {
    let reject = |load: &Load<'_>, problem| load.body_rejection(&spec.request, problem);
    let body = request(load, pull, spec, root);
    let body = body.map_err(|problem| reject(load, problem))?;
    let author = load.stored.account_id(&spec.author.value)?;
    let fixed = id_of(&spec.id);
    if let Some(stored) = find(load, pull.id, fixed, author, &body, matched).await? {
        if stored.body == body.body {
            load.count(ItemOutcome::Unchanged);
        } else {
            let now = spec.updated_at.map_or(load.now, DateTime::seconds);
            creation::reword(load.db, &stored, body.body, now)
                .await
                .map_err(|problem| reject(load, problem))?;
            load.count(ItemOutcome::Changed);
        }
        return Ok(stored.id);
    }
    let reviews = load.reviews.get(&pull.id);
    let review = spec.review.as_ref();
    let created_at = spec.created_at.map_or(load.now, DateTime::seconds);
    let loaded = LoadedComment {
        id: fixed,
        author,
        created_at,
        updated_at: spec.updated_at.map_or(created_at, DateTime::seconds),
        review: review.and_then(|key| reviews?.get(&key.value).copied()),
        diff_hunk: spec.diff_hunk.clone(),
        body,
    };
    let row = creation::load(load.db, pull, loaded)
        .await
        .map_err(|problem| reject(load, problem))?;
    load.count(ItemOutcome::Added);
    let name = format!("of #{} in {}", pull.number, row.path);
    load.report_id("review comment", name, row.id);
    Ok(row.id)
}

/// The request that would create the comment. The file may name a commit by its id in
/// the file, and a comment by its key.
fn request(
    load: &Load<'_>,
    pull: &pull::Model,
    spec: &Comment,
    root: Option<i64>,
) -> Result<CreateReviewComment, Problem> {
    let mut value = spec.request.json.clone();
    if let Some(root) = root {
        value = json!({"body": value["body"], "in_reply_to": root});
    } else if let Some(commit_id) = spec.request.text("commit_id") {
        let key = (pull.repository_id, commit_id.value.to_owned());
        if let Some(sha) = load.commits.get(&key) {
            value["commit_id"] = Value::from(sha.to_string());
        }
    }
    body::read(value)
}

async fn find(
    load: &Load<'_>,
    pull: i64,
    fixed: Option<i64>,
    author: i64,
    body: &CreateReviewComment,
    matched: &BTreeSet<i64>,
) -> Result<Option<review_comment::Model>, DbErr> {
    let rows = review_comment::Entity::find().filter(review_comment::COLUMN.pull_id.eq(pull));
    if let Some(id) = fixed {
        return rows
            .filter(review_comment::COLUMN.id.eq(id))
            .one(load.db)
            .await;
    }
    let thread = match body.in_reply_to {
        Some(root) => review_comment::Column::InReplyToId.eq(root),
        None => review_comment::Column::InReplyToId.is_null(),
    };
    let candidates = rows
        .filter(review_comment::COLUMN.author_id.eq(author))
        .filter(review_comment::COLUMN.body.eq(&body.body))
        .filter(thread)
        .order_by_asc(review_comment::Column::Id)
        .all(load.db)
        .await?;
    Ok(candidates.into_iter().find(|row| {
        let location = body.in_reply_to.is_some() || body.path.as_ref() == Some(&row.path);
        location && !matched.contains(&row.id)
    }))
}
