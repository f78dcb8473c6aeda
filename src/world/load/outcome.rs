//! What loading gives back: counts and new tokens, or why nothing was loaded.

use std::fmt;

use sea_orm::DbErr;

use crate::database::plain;
use crate::entities::token::Kind;
use crate::world::findings::{Findings, one_line};

/// How many items a load added, changed, and found as the file says, and what nobody
/// knows yet: the ids of what is new, and the tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    pub added: usize,
    pub changed: usize,
    pub unchanged: usize,
    /// How many of each kind the file has.
    pub named: Vec<(&'static str, usize)>,
    /// The new items that the API names by an id, in the order of the file.
    pub made: Vec<Made>,
    /// What is probably not meant, although nothing is wrong with it.
    pub warnings: Vec<String>,
    /// Generated values. They are given out here and nowhere else.
    pub tokens: Vec<IssuedToken>,
}

/// A new item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    pub what: &'static str,
    pub name: String,
    pub id: i64,
}

/// A token whose value was generated.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedToken {
    pub value: String,
    pub kind: Kind,
    /// The login of its user, or its app and account.
    pub holder: String,
    /// What it may do, in a few words.
    pub description: String,
}

/// The value stays out of logs.
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
#[derive(Debug)]
pub enum LoadError {
    /// The file is wrong: a line for each problem.
    Findings(Findings),
    /// The database failed.
    Database(DbErr),
}

impl fmt::Display for LoadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Findings(findings) => findings.fmt(formatter),
            Self::Database(cause) => {
                let cause = one_line(&plain(cause));
                write!(formatter, "the world was not loaded: {cause}")
            }
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Findings(findings) => Some(findings),
            Self::Database(cause) => Some(cause),
        }
    }
}

impl From<Findings> for LoadError {
    fn from(findings: Findings) -> Self {
        Self::Findings(findings)
    }
}

impl From<DbErr> for LoadError {
    fn from(cause: DbErr) -> Self {
        Self::Database(cause)
    }
}
