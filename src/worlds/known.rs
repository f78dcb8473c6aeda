//! The tokens of a world whose values this process knows, because it loaded them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use sea_orm::DbErr;

use contract::control::worlds::{WorldApp, WorldContents, WorldToken};
use forge::tokens;
use storage::database::{Connection, Database, rows_with};
use storage::entities::token;
use world::contents::Lister;
use world::load::{IssuedToken, Loaded, WorldSource, known_tokens};

/// Values by the hash of their token. An id would not do: it may be reused after a reset.
#[derive(Clone, Default)]
pub struct KnownTokens(Arc<HashMap<String, IssuedToken>>);

impl KnownTokens {
    /// The tokens with values in a world, and those that loading it generated.
    pub fn of(source: &WorldSource, loaded: &Loaded) -> Self {
        let all = known_tokens(source, loaded).unwrap_or_else(|_| loaded.tokens.clone());
        let by_hash = all.into_iter();
        let by_hash = by_hash.map(|token| (tokens::hash(&token.value), token));
        Self(Arc::new(by_hash.collect()))
    }

    /// Adds the values that are known.
    async fn complete(&self, db: &Connection, tokens: &mut [WorldToken]) -> Result<(), DbErr> {
        let ids = tokens.iter().map(|token| token.id);
        let rows = rows_with(db, token::Column::Id, ids).await?;
        let hashes: HashMap<i64, String> = rows.into_iter().map(|row| (row.id, row.hash)).collect();
        for token in tokens {
            let hash = hashes.get(&token.id);
            if let Some(issued) = hash.and_then(|hash| self.0.get(hash)) {
                token.value = Some(issued.value.clone());
                token.description = Some(issued.description.clone());
            }
        }
        Ok(())
    }
}

/// Keeps the values out of logs.
impl fmt::Debug for KnownTokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("KnownTokens")
            .field(&self.0.len())
            .finish()
    }
}

/// A page of the contents of a world, with known token values.
pub async fn known_contents(
    db: &Database,
    known: &KnownTokens,
    (skipped, limit): (u64, u64),
    now: i64,
) -> Result<WorldContents, DbErr> {
    let db = db.reads();
    let lister = Lister { db, skipped, limit };
    let mut contents = lister.all(now).await?;
    known.complete(db, &mut contents.tokens).await?;
    Ok(contents)
}

/// The first tokens of a world, with known values, and its first apps.
pub async fn known_credentials(
    db: &Database,
    known: &KnownTokens,
    limit: u64,
    now: i64,
) -> Result<(Vec<WorldToken>, Vec<WorldApp>), DbErr> {
    let (db, skipped) = (db.reads(), 0);
    let lister = Lister { db, skipped, limit };
    let (mut tokens, apps) = lister.credentials(now).await?;
    known.complete(db, &mut tokens).await?;
    Ok((tokens, apps))
}
