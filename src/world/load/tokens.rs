//! Tokens. One with a value is found again by it; one without is generated, and found
//! again by everything else that the file says about it.
//! The rule that surprises: a revoked token stays revoked, whatever the file says,
//! and one whose time is up gets a new time when the file gives it seconds to live.

mod generated;
mod wanted;

use std::collections::BTreeSet;

use sea_orm::{DbErr, EntityTrait, QueryFilter, Set};

use super::write::Writing;
use super::{IssuedToken, LoadError};
use crate::access::mint;
use crate::entities::token_repository;
use crate::world::file::{Token, World};
use generated::Generated;
use wanted::Wanted;
pub use wanted::{description, holder};

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    let mut wanted = Vec::with_capacity(world.tokens.len());
    for token in &world.tokens {
        wanted.push((token, Wanted::by(writing, token)?));
    }
    let nameless = wanted.iter().filter(|(token, _)| token.value().is_none());
    let mut generated = Generated::fetch(writing, nameless.map(|(_, wanted)| wanted)).await?;
    for (token, wanted) in &wanted {
        match token.value() {
            Some(value) => write_known(writing, wanted, &value.value).await?,
            None => write_generated(writing, wanted, token, &mut generated).await?,
        }
    }
    Ok(())
}

async fn write_known(writing: &mut Writing<'_>, wanted: &Wanted, value: &str) -> Result<(), DbErr> {
    let stored = writing.stored.token(value).cloned();
    let mut row = wanted.row(stored.as_ref(), value, writing.now);
    row.demo = writing.source.demo;
    let row = writing.keep(stored.as_ref(), row).await?;
    select(writing, row.id, &wanted.repositories).await
}

async fn write_generated(
    writing: &mut Writing<'_>,
    wanted: &Wanted,
    said: &Token,
    generated: &mut Generated,
) -> Result<(), DbErr> {
    if let Some(stored) = generated.take(wanted, writing.now) {
        let row = wanted.same_value(&stored, writing.now);
        writing.keep(Some(&stored), row).await?;
        return Ok(());
    }
    let value = mint::value(wanted.kind, writing.entropy);
    let row = wanted.row(None, &value, writing.now);
    let row = writing.keep(None, row).await?;
    select(writing, row.id, &wanted.repositories).await?;
    writing.issue(IssuedToken {
        value,
        kind: wanted.kind,
        holder: holder(said),
        description: description(said),
    });
    Ok(())
}

/// Brings the selection to what the file spells out.
async fn select(writing: &mut Writing<'_>, id: i64, wanted: &BTreeSet<i64>) -> Result<(), DbErr> {
    let of_this = token_repository::COLUMN.token_id.eq(id);
    let stored: BTreeSet<i64> = token_repository::Entity::find()
        .filter(of_this.clone())
        .all(writing.db)
        .await?
        .into_iter()
        .map(|row| row.repository_id)
        .collect();
    if stored == *wanted {
        return Ok(());
    }
    token_repository::Entity::delete_many()
        .filter(of_this)
        .exec(writing.db)
        .await?;
    let rows: Vec<_> = wanted
        .iter()
        .map(|repository| token_repository::ActiveModel {
            token_id: Set(id),
            repository_id: Set(*repository),
        })
        .collect();
    if !rows.is_empty() {
        token_repository::Entity::insert_many(rows)
            .exec_without_returning(writing.db)
            .await?;
    }
    writing.amended();
    Ok(())
}
