//! Sets of tables: those that a statement names, and those that a change of
//! them changes too.
//!
//! A statement is hardly understood: it is searched for words that are names of
//! tables, and one that only adds or changes rows is told by how it begins. A set may
//! be too large for that, and never too small.

mod schema;

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use sea_orm::{ConnectionTrait, DbErr};

use schema::{Reach, Schema};

/// Statements whose tables are remembered; far more than the service has, but
/// lists of values make statements of their own.
const REMEMBERED: usize = 1024;

/// Bytes of the longest statement that is remembered; rows that are written by
/// the thousand are not worth it.
const LONGEST: usize = 4096;

/// A set of tables, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableSet(u64);

impl TableSet {
    pub const NONE: Self = Self(0);
    pub const ALL: Self = Self(u64::MAX);

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The places of its tables.
    pub fn places(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let place = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            usize::try_from(place).ok()
        })
    }

    pub(super) fn of(place: usize) -> Self {
        Self(1 << place)
    }
}

/// What a statement may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    pub read: TableSet,
    pub changed: TableSet,
}

impl Touched {
    pub const NOTHING: Self = Self {
        read: TableSet::NONE,
        changed: TableSet::NONE,
    };
    pub const ANYTHING: Self = Self {
        read: TableSet::ALL,
        changed: TableSet::ALL,
    };
}

/// All tables of a database.
#[derive(Debug)]
pub struct Tables {
    known: Vec<Table>,
    remembered: RwLock<HashMap<String, Touched>>,
}

#[derive(Debug)]
struct Table {
    name: String,
    reach: Reach,
}

impl Tables {
    /// Asks a database. None if it has no tables yet, or too many.
    pub async fn of(connection: &impl ConnectionTrait) -> Result<Option<Self>, DbErr> {
        let schema = Schema::of(connection).await?;
        Ok(schema.reaches().map(|reaches| Self {
            known: reaches
                .into_iter()
                .map(|(name, reach)| Table { name, reach })
                .collect(),
            remembered: RwLock::default(),
        }))
    }

    /// The tables that a statement may read, and those that it may change.
    pub fn touched_by(&self, sql: &str) -> Touched {
        let known = self.remembered.read();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some(touched) = known.get(sql) {
            return *touched;
        }
        drop(known);
        let touched = Touched {
            read: self.named(sql, |place, _| TableSet::of(place)),
            changed: self.changed_by(sql),
        };
        if sql.len() > LONGEST {
            return touched;
        }
        let mut remembered = self
            .remembered
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(sql.to_owned(), touched);
        touched
    }

    /// A statement that selects changes nothing, and one that only adds or changes
    /// rows does so in the table that it begins with. Several at once may do anything
    /// to what they name.
    fn changed_by(&self, sql: &str) -> TableSet {
        let anything = || self.named(sql, |_, table| table.reach.of_all);
        if sql.contains(';') {
            return anything();
        }
        if sql.starts_with("SELECT ") {
            return TableSet::NONE;
        }
        let target = ["UPDATE ", "INSERT INTO "]
            .into_iter()
            .find_map(|beginning| sql.strip_prefix(beginning))
            .filter(|_| !words(sql).any(does_more))
            .and_then(|rest| words(rest).find(|word| !word.is_empty()))
            .and_then(|name| self.table(name));
        target.map_or_else(anything, |(_, table)| table.reach.of_changes)
    }

    /// Whatever a statement names.
    fn named(&self, sql: &str, set: impl Fn(usize, &Table) -> TableSet) -> TableSet {
        words(sql)
            .filter_map(|word| self.table(word))
            .map(|(place, table)| set(place, table))
            .fold(TableSet::NONE, TableSet::and)
    }

    fn table(&self, name: &str) -> Option<(usize, &Table)> {
        let by_name = |table: &Table| table.name.as_str().cmp(name);
        let place = self.known.binary_search_by(by_name).ok()?;
        Some((place, &self.known[place]))
    }
}

/// Whether a word may stand for more than adding and changing rows of one table.
fn does_more(word: &str) -> bool {
    ["WITH", "DELETE", "REPLACE", "MERGE"]
        .iter()
        .any(|more| word.eq_ignore_ascii_case(more))
}

fn words(sql: &str) -> impl Iterator<Item = &str> {
    sql.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
}
