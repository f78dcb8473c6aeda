//! Sets of tables: those that a statement names, and those that a change of
//! them changes too.
//!
//! A statement is not understood, only searched for words that are names of
//! tables. The set may be too large for that, and never too small.

use std::collections::{BTreeSet, HashMap};
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

    pub(super) fn of(place: usize) -> Self {
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

/// What is done when a table changes; the tables that it names may change too.
#[derive(FromQueryResult)]
struct Trigger {
    on_table: String,
    does: String,
}

impl Tables {
    /// Asks a database. None if it has no tables yet, or too many.
    pub async fn of(connection: &impl ConnectionTrait) -> Result<Option<Self>, DbErr> {
        let backend = connection.get_database_backend();
        let (tables, triggers) = match backend {
            DbBackend::Postgres => (
                "SELECT c.relname AS child, p.relname AS parent,
                    COALESCE(f.confdeltype NOT IN ('a', 'r')
                        OR f.confupdtype NOT IN ('a', 'r'), FALSE) AS acts
                FROM pg_class c
                LEFT JOIN pg_constraint f ON f.conrelid = c.oid AND f.contype = 'f'
                LEFT JOIN pg_class p ON p.oid = f.confrelid
                WHERE c.relkind IN ('r', 'p')
                    AND c.relnamespace = to_regnamespace(current_schema())",
                "SELECT c.relname AS on_table, p.prosrc AS does
                FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                JOIN pg_proc p ON p.oid = t.tgfoid
                WHERE NOT t.tgisinternal
                    AND c.relnamespace = to_regnamespace(current_schema())",
            ),
            _ => (
                r#"SELECT m.name AS child, f."table" AS parent,
                    COALESCE(f.on_delete <> 'NO ACTION' AND f.on_delete <> 'RESTRICT'
                        OR f.on_update <> 'NO ACTION' AND f.on_update <> 'RESTRICT', FALSE) AS acts
                FROM sqlite_master m LEFT JOIN pragma_foreign_key_list(m.name) f
                WHERE m.type = 'table'"#,
                "SELECT tbl_name AS on_table, sql AS does FROM sqlite_master WHERE type = 'trigger'",
            ),
        };
        let references = Reference::find_by_statement(Statement::from_string(backend, tables));
        let triggers = Trigger::find_by_statement(Statement::from_string(backend, triggers));
        Ok(Self::from_schema(
            references.all(connection).await?,
            &triggers.all(connection).await?,
        ))
    }

    fn from_schema(mut references: Vec<Reference>, triggers: &[Trigger]) -> Option<Self> {
        let names: BTreeSet<_> = references.iter().map(|one| one.child.clone()).collect();
        let by_triggers = triggers.iter().flat_map(|trigger| {
            let named = words(&trigger.does).filter(|word| names.contains(*word));
            named.map(|child| Reference {
                child: child.to_owned(),
                parent: Some(trigger.on_table.clone()),
                acts: true,
            })
        });
        references.extend(by_triggers);
        Self::from_references(&references)
    }

    fn from_references(references: &[Reference]) -> Option<Self> {
        let mut names: Vec<_> = references.iter().map(|one| one.child.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() || names.len() > 64 {
            return None;
        }
        let place = |name: &str| names.iter().position(|known| *known == name);
        let mut changes: Vec<_> = (0..names.len()).map(TableSet::of).collect();
        // An action may set off another one, so until nothing is added.
        let mut growing = true;
        while growing {
            growing = false;
            for reference in references.iter().filter(|one| one.acts) {
                let parent = reference.parent.as_deref().and_then(place);
                if let (Some(parent), Some(child)) = (parent, place(&reference.child)) {
                    let wider = changes[parent].and(changes[child]);
                    growing |= wider != changes[parent];
                    changes[parent] = wider;
                }
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
        let references = vec![
            reference("account", None, false),
            reference("comment", Some("thread"), true),
            reference("count", None, false),
            reference("pull", Some("account"), false),
            reference("thread", Some("pull"), true),
        ];
        let counting = Trigger {
            on_table: "comment".to_owned(),
            does: "BEGIN UPDATE count SET comments = comments + 1; END".to_owned(),
        };
        Tables::from_schema(references, &[counting]).unwrap()
    }

    fn places(set: TableSet) -> Vec<usize> {
        set.places().collect()
    }

    #[test]
    fn a_statement_reads_what_it_names() {
        let tables = tables();
        for _ in 0..2 {
            let set = tables.read_by(r#"SELECT * FROM "pull" JOIN "account" ON 1"#);
            assert_eq!(places(set), [0, 3]);
            let set = tables.read_by("SELECT account_id FROM x.pull,(thread)");
            assert_eq!(places(set), [3, 4]);
        }
    }

    #[test]
    fn a_change_reaches_as_far_as_triggers_and_the_actions_of_foreign_keys() {
        let tables = tables();
        let changed = |sql| places(tables.changed_by(sql));
        assert_eq!(changed(r#"DELETE FROM "pull" WHERE 1"#), [1, 2, 3, 4]);
        assert_eq!(changed(r#"UPDATE "thread" SET x = 1"#), [1, 2, 4]);
        assert_eq!(changed(r#"DELETE FROM "account""#), [0]);
        assert!(changed(r#"SELECT * FROM "pull""#).is_empty());
        assert_eq!(
            changed("WITH x AS (SELECT 1) DELETE FROM thread"),
            [1, 2, 4]
        );
        assert_eq!(changed("INSERT INTO comment VALUES (1)"), [1, 2]);
    }
}
