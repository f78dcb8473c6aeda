//! Sets of tables: those that a statement names, and those that a change of
//! them changes too.
//!
//! A statement is not understood, only searched for words that are names of
//! tables. The set may be too large for that, and never too small.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use sea_orm::{ConnectionTrait, DbBackend, DbErr, FromQueryResult, Statement};

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

    fn of(place: usize) -> Self {
        Self(1 << place)
    }
}

/// All tables of a database.
#[derive(Debug)]
pub struct Tables {
    known: Vec<Table>,
    remembered: RwLock<HashMap<String, TableSet>>,
}

#[derive(Debug)]
struct Table {
    name: String,
    /// Itself, and the tables whose rows go or change with one of its rows.
    changes: TableSet,
}

#[derive(FromQueryResult)]
struct Reference {
    child: String,
    parent: Option<String>,
    acts: bool,
}

/// What is done whenever a row of a table changes.
#[derive(FromQueryResult)]
struct Trigger {
    parent: String,
    sql: String,
}

impl Tables {
    /// Asks a SQLite database. None if it has no tables yet, or too many.
    pub async fn of(connection: &impl ConnectionTrait) -> Result<Option<Self>, DbErr> {
        let sql = r#"SELECT m.name AS child, f."table" AS parent,
                COALESCE(f.on_delete <> 'NO ACTION' AND f.on_delete <> 'RESTRICT'
                    OR f.on_update <> 'NO ACTION' AND f.on_update <> 'RESTRICT', FALSE) AS acts
            FROM sqlite_master m LEFT JOIN pragma_foreign_key_list(m.name) f
            WHERE m.type = 'table'"#;
        let statement = Statement::from_string(DbBackend::Sqlite, sql);
        let references = Reference::find_by_statement(statement)
            .all(connection)
            .await?;
        let sql = "SELECT tbl_name AS parent, sql FROM sqlite_master WHERE type = 'trigger'";
        let triggers = Trigger::find_by_statement(Statement::from_string(DbBackend::Sqlite, sql));
        let triggers = triggers.all(connection).await?;
        Ok(Self::from_schema(&references, &triggers))
    }

    fn from_schema(references: &[Reference], triggers: &[Trigger]) -> Option<Self> {
        let mut names: Vec<_> = references.iter().map(|one| one.child.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() || names.len() > 64 {
            return None;
        }
        let place = |name: &str| names.iter().position(|known| *known == name);
        let mut changes: Vec<_> = (0..names.len()).map(TableSet::of).collect();
        let acting = references.iter().filter(|one| one.acts).filter_map(|one| {
            let parent = place(one.parent.as_deref()?)?;
            Some((parent, place(&one.child)?))
        });
        let triggered = triggers.iter().flat_map(|trigger| {
            let changed = words(&trigger.sql).filter_map(place);
            let parent = place(&trigger.parent);
            changed.filter_map(move |child| Some((parent?, child)))
        });
        let actions: Vec<(usize, usize)> = acting.chain(triggered).collect();
        // An action may set off another one, so until nothing is added.
        let mut growing = true;
        while growing {
            growing = false;
            for (parent, child) in &actions {
                let wider = changes[*parent].and(changes[*child]);
                growing |= wider != changes[*parent];
                changes[*parent] = wider;
            }
        }
        let known = names.into_iter().zip(changes);
        Some(Self {
            known: known
                .map(|(name, changes)| Table {
                    name: name.to_owned(),
                    changes,
                })
                .collect(),
            remembered: RwLock::default(),
        })
    }

    /// The tables that a statement may read.
    pub fn read_by(&self, sql: &str) -> TableSet {
        let known = self.remembered.read();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = known.get(sql) {
            return *set;
        }
        drop(known);
        let set = self.search(sql, |place, _| TableSet::of(place));
        if sql.len() > LONGEST {
            return set;
        }
        let mut remembered = self
            .remembered
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(sql.to_owned(), set);
        set
    }

    /// The tables that a statement may change. One that selects changes none.
    pub fn changed_by(&self, sql: &str) -> TableSet {
        if sql.starts_with("SELECT ") {
            return TableSet::NONE;
        }
        self.search(sql, |_, table| table.changes)
    }

    fn search(&self, sql: &str, set: impl Fn(usize, &Table) -> TableSet) -> TableSet {
        words(sql)
            .filter_map(|word| {
                let by_name = |table: &Table| table.name.as_str().cmp(word);
                let place = self.known.binary_search_by(by_name).ok()?;
                Some(set(place, &self.known[place]))
            })
            .fold(TableSet::NONE, TableSet::and)
    }
}

fn words(sql: &str) -> impl Iterator<Item = &str> {
    sql.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> Tables {
        let reference = |child: &str, parent: Option<&str>, acts| Reference {
            child: child.to_owned(),
            parent: parent.map(str::to_owned),
            acts,
        };
        let references = [
            reference("account", None, false),
            reference("comment", Some("thread"), true),
            reference("pull", Some("account"), false),
            reference("thread", Some("pull"), true),
            reference("total", None, false),
        ];
        let trigger = Trigger {
            parent: "comment".to_owned(),
            sql: "CREATE TRIGGER counted AFTER INSERT ON comment BEGIN UPDATE total; END"
                .to_owned(),
        };
        Tables::from_schema(&references, &[trigger]).unwrap()
    }

    fn places(set: TableSet) -> Vec<usize> {
        set.places().collect()
    }

    #[test]
    fn a_statement_reads_what_it_names() {
        let tables = tables();
        for _ in 0..2 {
            let set = tables.read_by(r#"SELECT * FROM "pull" JOIN "account" ON 1"#);
            assert_eq!(places(set), [0, 2]);
            let set = tables.read_by("SELECT account_id FROM x.pull,(thread)");
            assert_eq!(places(set), [2, 3]);
        }
    }

    #[test]
    fn a_change_reaches_as_far_as_foreign_keys_and_triggers_do() {
        let tables = tables();
        let changed = |sql| places(tables.changed_by(sql));
        assert_eq!(changed(r#"DELETE FROM "pull" WHERE 1"#), [1, 2, 3, 4]);
        assert_eq!(changed(r#"UPDATE "thread" SET x = 1"#), [1, 3, 4]);
        assert_eq!(changed(r#"DELETE FROM "account""#), [0]);
        assert!(changed(r#"SELECT * FROM "pull""#).is_empty());
        assert_eq!(
            changed("WITH x AS (SELECT 1) DELETE FROM thread"),
            [1, 3, 4]
        );
    }
}
