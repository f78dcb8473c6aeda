//! Tokens. One with a value is found again by it; one without is generated, and found
//! again by everything else that the file says about it.
//! The rule that surprises: a revoked token stays revoked, whatever the file says,
//! and one whose time is up gets a new time when the file gives it seconds to live.

mod wanted;

use std::collections::{BTreeSet, HashSet};

use sea_orm::{DbErr, EntityTrait, QueryFilter, Set};

use super::write::Writing;
use super::{IssuedToken, LoadError};
use crate::access::mint;
use crate::entities::{token, token_repository};
use crate::world::file::{Token, World};
use wanted::Wanted;
pub use wanted::{description, holder};

/// Marks the tokens whose values were generated for a world.
const GENERATED: &str = "world file";

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    let mut generated = match world.tokens.iter().all(|token| token.value().is_some()) {
        true => Generated::default(),
        false => Generated::fetch(writing).await?,
    };
    for token in &world.tokens {
        let wanted = Wanted::by(writing, token)?;
        match token.value() {
            Some(value) => write_known(writing, &wanted, &value.value).await?,
            None => write_generated(writing, &wanted, token, &mut generated).await?,
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
        let mut row = wanted.row(Some(&stored), "", writing.now);
        // Its time runs from the load that made it.
        row.expires_at = match wanted.lives.is_some() {
            true => stored.expires_at,
            false => row.expires_at,
        };
        row.hash.clone_from(&stored.hash);
        row.hint.clone_from(&stored.hint);
        writing.keep(Some(&stored), row).await?;
        return Ok(());
    }
    let value = mint::value(wanted.kind, writing.entropy);
    let mut row = wanted.row(None, &value, writing.now);
    row.label = Some(GENERATED.to_owned());
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

/// The tokens that earlier loads generated, each with its selection.
#[derive(Default)]
struct Generated {
    rows: Vec<(token::Model, BTreeSet<i64>)>,
    taken: HashSet<i64>,
}

impl Generated {
    async fn fetch(writing: &Writing<'_>) -> Result<Self, DbErr> {
        let rows = token::Entity::find()
            .filter(token::COLUMN.label.eq(GENERATED))
            .order_by_id_asc()
            .all(writing.db)
            .await?;
        let selections = token_repository::Entity::find()
            .filter(
                token_repository::COLUMN
                    .token_id
                    .is_in(rows.iter().map(|row| row.id)),
            )
            .all(writing.db)
            .await?;
        let selection = |id| {
            let chosen = selections.iter().filter(|row| row.token_id == id);
            chosen.map(|row| row.repository_id).collect()
        };
        Ok(Self {
            rows: rows
                .into_iter()
                .map(|row| (row.clone(), selection(row.id)))
                .collect(),
            taken: HashSet::new(),
        })
    }

    /// The first token that is as wanted, unexpired, and not found before: two equal
    /// items of a file are two tokens.
    fn take(&mut self, wanted: &Wanted, now: i64) -> Option<token::Model> {
        let found = self.rows.iter().find(|(row, selection)| {
            !self.taken.contains(&row.id)
                && row.expires_at.is_none_or(|moment| moment > now)
                && wanted.describes(row, selection)
        });
        let row = found.map(|(row, _)| row.clone())?;
        self.taken.insert(row.id);
        Some(row)
    }
}
