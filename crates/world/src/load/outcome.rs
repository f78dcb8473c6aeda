//! The result of a load: counts, new ids and tokens, or an error.

use std::fmt;

use sea_orm::DbErr;

use crate::findings::{Findings, one_line};
use storage::database::plain;
use storage::entities::token::TokenKind;

/// How many items a load added, changed and left unchanged, and the data that only the load has:
/// the ids of new items and the values of new tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    pub added: usize,
    pub changed: usize,
    pub unchanged: usize,
    /// How many of each kind the file has.
    pub totals: Vec<(&'static str, usize)>,
    /// The new items that have an id in the API, in the order of the file.
    pub created: Vec<CreatedItem>,
    /// Warnings about valid but probably mistaken entries.
    pub warnings: Vec<String>,
    /// Generated values. They are returned here and nowhere else.
    pub tokens: Vec<IssuedToken>,
}

/// A new item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedItem {
    pub kind: &'static str,
    pub name: String,
    pub id: i64,
}

/// A token whose value was generated.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedToken {
    pub value: String,
    pub kind: TokenKind,
    /// The login of its user, or its app and account.
    pub holder: String,
    /// A short description of its permissions.
    pub description: String,
}

/// Keeps the value out of logs.
impl fmt::Debug for IssuedToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("IssuedToken")
            .field("kind", &self.kind)
            .field("holder", &self.holder)
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

/// Why a world was not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file is wrong: a line for each problem.
    #[error(transparent)]
    Findings(#[from] Findings),
    #[error("cannot load the world: {}", one_line(&plain(.0)))]
    Database(#[from] DbErr),
}
