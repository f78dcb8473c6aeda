//! Review comments, through the rules of the create operation. Nobody is notified.
//! The rule that surprises: a comment without an `id` is found again by its pull
//! request, thread, author and text. One that was edited since is another one.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};

use super::LoadError;
use super::bodies;
use super::stored::vanished;
use super::write::{Kept, Writing};
use crate::areas::review_comments::creation::{self, LoadedComment};
use crate::contract::body;
use crate::contract::problem::Problem;
use crate::contract::review_comments::CreateReviewComment;
use crate::entities::{pull, review_comment};
use crate::world::file::{Comment, Pull, World};

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    for repository in &world.repositories {
        for said in repository
            .pulls
            .iter()
            .filter(|pull| !pull.comments.is_empty())
        {
            let name = &repository.full_name.value;
            let id = writing.stored.repository_id(name)?;
            let row = pull::Entity::find()
                .filter(pull::COLUMN.repository_id.eq(id))
                .filter(pull::COLUMN.number.eq(said.number.value.0))
                .one(writing.db)
                .await?;
            let row = row.ok_or_else(|| vanished("pull request", name))?;
            write_comments(writing, said, &row).await?;
        }
    }
    Ok(())
}

async fn write_comments(
    writing: &mut Writing<'_>,
    said: &Pull,
    pull: &pull::Model,
) -> Result<(), LoadError> {
    let mut threads: HashMap<&str, i64> = HashMap::new();
    let mut seen = BTreeSet::new();
    for comment in &said.comments {
        let root = comment.in_reply_to.as_ref();
        let root = root.and_then(|key| threads.get(key.value.as_str()).copied());
        let id = write_comment(writing, pull, comment, root, &seen).await?;
        seen.insert(id);
        if let Some(key) = &comment.key {
            threads.insert(&key.value, root.unwrap_or(id));
        }
    }
    Ok(())
}

async fn write_comment(
    writing: &mut Writing<'_>,
    pull: &pull::Model,
    said: &Comment,
    root: Option<i64>,
    seen: &BTreeSet<i64>,
) -> Result<i64, LoadError> {
    let refused = |writing: &Writing<'_>, problem| bodies::refused(writing, &said.body, problem);
    let body = request(writing, pull, said, root);
    let body = body.map_err(|problem| refused(writing, problem))?;
    let author = writing.stored.account_id(&said.author.value)?;
    let fixed = said.id.as_ref().map(|id| id.value.0);
    if let Some(stored) = find(writing, pull.id, fixed, author, &body, seen).await? {
        if stored.body == body.body {
            writing.count(Kept::Unchanged);
        } else {
            creation::reword(writing.db, &stored, body.body, writing.now)
                .await
                .map_err(|problem| refused(writing, problem))?;
            writing.count(Kept::Changed);
        }
        return Ok(stored.id);
    }
    let loaded = LoadedComment {
        id: fixed,
        author,
        created_at: said
            .created_at
            .map_or(writing.now, crate::world::scalar::Timestamp::seconds),
        body,
    };
    let row = creation::load(writing.db, pull, loaded)
        .await
        .map_err(|problem| refused(writing, problem))?;
    writing.added("review_comment", fixed);
    let name = format!("of #{} in {}", pull.number, row.path);
    writing.tell("review comment", name, row.id);
    Ok(row.id)
}

/// The request that would make the comment. In the file a commit may go by its
/// name there, and a comment by its key.
fn request(
    writing: &Writing<'_>,
    pull: &pull::Model,
    said: &Comment,
    root: Option<i64>,
) -> Result<CreateReviewComment, Problem> {
    let mut value = said.body.value.clone();
    if let Some(root) = root {
        value = json!({"body": value["body"], "in_reply_to": root});
    } else if let Some(named) = said.body.text("commit_id") {
        let key = (pull.repository_id, named.value.to_owned());
        if let Some(sha) = writing.commits.get(&key) {
            value["commit_id"] = Value::from(sha.to_string());
        }
    }
    body::read(value)
}

async fn find(
    writing: &Writing<'_>,
    pull: i64,
    fixed: Option<i64>,
    author: i64,
    body: &CreateReviewComment,
    seen: &BTreeSet<i64>,
) -> Result<Option<review_comment::Model>, DbErr> {
    let rows = review_comment::Entity::find().filter(review_comment::COLUMN.pull_id.eq(pull));
    if let Some(id) = fixed {
        return rows
            .filter(review_comment::COLUMN.id.eq(id))
            .one(writing.db)
            .await;
    }
    let thread = match body.in_reply_to {
        Some(root) => review_comment::Column::InReplyToId.eq(root),
        None => review_comment::Column::InReplyToId.is_null(),
    };
    let same = rows
        .filter(review_comment::COLUMN.author_id.eq(author))
        .filter(review_comment::COLUMN.body.eq(&body.body))
        .filter(thread)
        .order_by_asc(review_comment::Column::Id)
        .all(writing.db)
        .await?;
    Ok(same.into_iter().find(|row| {
        let place = body.in_reply_to.is_some() || body.path.as_ref() == Some(&row.path);
        place && !seen.contains(&row.id)
    }))
}
