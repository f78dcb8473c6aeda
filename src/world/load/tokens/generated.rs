//! Tokens whose values earlier loads have generated, and how they are found again.

use std::collections::{BTreeSet, HashMap, HashSet};

use sea_orm::{DbErr, EntityTrait, QueryFilter, QueryOrder};

use super::wanted::Wanted;
use crate::entities::{token, token_repository};
use crate::world::load::stored::batches;
use crate::world::load::write::Writing;

/// Those that may be what the file means.
#[derive(Default)]
pub struct Generated {
    rows: Vec<token::Model>,
    selections: HashMap<i64, BTreeSet<i64>>,
    taken: HashSet<i64>,
}

impl Generated {
    pub async fn fetch<'w>(
        writing: &Writing<'_>,
        wanted: impl Iterator<Item = &'w Wanted>,
    ) -> Result<Self, DbErr> {
        let labels: BTreeSet<String> = wanted.filter_map(|wanted| wanted.label.clone()).collect();
        let mut found = Self::default();
        for labels in batches(&labels) {
            found.rows.extend(
                token::Entity::find()
                    .filter(token::COLUMN.label.is_in(labels))
                    .order_by_asc(token::Column::Id)
                    .all(writing.db)
                    .await?,
            );
        }
        let ids: BTreeSet<i64> = found.rows.iter().map(|row| row.id).collect();
        for ids in batches(&ids) {
            let selected = token_repository::Entity::find()
                .filter(token_repository::COLUMN.token_id.is_in(ids))
                .all(writing.db)
                .await?;
            for row in selected {
                let selection = found.selections.entry(row.token_id).or_default();
                selection.insert(row.repository_id);
            }
        }
        Ok(found)
    }

    /// The first token that is as wanted, unexpired, and not found before: two equal
    /// items of a file are two tokens.
    pub fn take(&mut self, wanted: &Wanted, now: i64) -> Option<token::Model> {
        let none = BTreeSet::new();
        let row = self.rows.iter().find(|row| {
            let selection = self.selections.get(&row.id).unwrap_or(&none);
            !self.taken.contains(&row.id)
                && row.expires_at.is_none_or(|moment| moment > now)
                && wanted.describes(row, selection)
        })?;
        self.taken.insert(row.id);
        Some(row.clone())
    }
}
