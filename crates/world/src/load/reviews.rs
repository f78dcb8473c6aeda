//! Submitted reviews. Sends no notifications. A review without an `id` is matched by its pull
//! request, author, state, commit and text.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};

use super::LoadError;
use super::pulls;
use super::reports::commit;
use super::write::{Load, UNASSIGNED, WorldItem};
use crate::file::{Pull, Review, World};
use crate::findings::Finding;
use crate::ids::id_of;
use crate::scalar::DateTime;
use forge::reviews::creation::prepared;
use storage::entities::pull;
use storage::entities::review::{COLUMN, Column, Entity, Model, ReviewState};

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for repository in &world.repositories {
        for spec in repository
            .pulls
            .iter()
            .filter(|pull| !pull.reviews.is_empty())
        {
            let row = pulls::stored(load, repository, spec).await?;
            write_reviews(load, spec, &row).await?;
        }
    }
    Ok(())
}

async fn write_reviews(
    load: &mut Load<'_>,
    spec: &Pull,
    pull: &pull::Model,
) -> Result<(), LoadError> {
    let mut matched = BTreeSet::new();
    let mut keys = HashMap::new();
    for review in &spec.reviews {
        let row = write_review(load, pull, review, &matched).await?;
        matched.insert(row.id);
        if let Some(key) = &review.key {
            keys.insert(key.value.clone(), row.id);
        }
    }
    load.reviews.insert(pull.id, keys);
    Ok(())
}

async fn write_review(
    load: &mut Load<'_>,
    pull: &pull::Model,
    spec: &Review,
    matched: &BTreeSet<i64>,
) -> Result<Model, LoadError> {
    let text = prepared(load.db, spec.body.clone().unwrap_or_default()).await;
    let text = text.map_err(|problem| {
        load.rejection(Finding::at(spec.location, problem.message().into_owned()))
    })?;
    let commit_sha = match &spec.commit_id {
        Some(name) => commit(load, pull.repository_id, name).await?.sha,
        None => pull.head_sha.clone(),
    };
    let author = load.stored.account_id(&spec.author.value)?;
    let submitted_at = spec.submitted_at.map(DateTime::seconds);
    let mut row = Model {
        id: UNASSIGNED,
        pull_id: pull.id,
        author_id: Some(author),
        state: spec.state.unwrap_or(ReviewState::Commented),
        commit_sha,
        submitted_at: submitted_at.unwrap_or(load.now),
        body: text.body,
        body_html: text.rendered.html,
        body_text: text.rendered.text,
        dismissal_message: None,
    };
    let stored = find(load, &row, id_of(&spec.id), matched).await?;
    if let Some(stored) = &stored {
        row.id = stored.id;
        row.submitted_at = submitted_at.unwrap_or(stored.submitted_at);
        row.dismissal_message.clone_from(&stored.dismissal_message);
        // What was reviewed stays, if the file does not name it.
        if spec.commit_id.is_none() {
            row.commit_sha.clone_from(&stored.commit_sha);
        }
    }
    let item = WorldItem {
        kind: "review",
        name: format!("of #{}", pull.number),
        id: &spec.id,
        created_at: None,
        updated_at: None,
    };
    Ok(load.save(item, stored.as_ref(), row).await?)
}

async fn find(
    load: &Load<'_>,
    desired: &Model,
    fixed: Option<i64>,
    matched: &BTreeSet<i64>,
) -> Result<Option<Model>, DbErr> {
    let rows = Entity::find().filter(COLUMN.pull_id.eq(desired.pull_id));
    if let Some(id) = fixed {
        return rows.filter(COLUMN.id.eq(id)).one(load.db).await;
    }
    let candidates = rows
        .filter(Column::AuthorId.eq(desired.author_id))
        .filter(Column::State.eq(desired.state))
        .filter(Column::Body.eq(&desired.body))
        .order_by_asc(Column::Id)
        .all(load.db)
        .await?;
    let candidate = |row: &&Model| !matched.contains(&row.id);
    Ok(candidates.iter().find(candidate).cloned())
}
