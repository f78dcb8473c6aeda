//! How far a change reaches: by the actions of foreign keys, and by triggers.
//!
//! What removes rows may set off everything. What only adds or changes them sets off
//! less: hardly a key is ever changed, and some triggers wait for a removal. A trigger
//! itself may do anything to the tables that it writes to.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, DbBackend, DbErr, FromQueryResult, Statement};

use super::{TableSet, words};

/// A foreign key of a table; a table without any is there once, with no parent.
#[derive(FromQueryResult)]
struct ForeignKey {
    child: String,
    parent: Option<String>,
    /// Whether rows of the child go or change with those of the parent.
    acts: bool,
    /// Whether they do when only the key of the parent changes.
    acts_on_update: bool,
}

#[derive(FromQueryResult)]
struct Trigger {
    on_table: String,
    /// Whether it waits for a removal.
    on_delete: bool,
    /// All that it may do, as text.
    does: String,
}

pub struct Schema {
    keys: Vec<ForeignKey>,
    triggers: Vec<Trigger>,
}

/// The tables that change with a table, itself included.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// If rows may be removed.
    pub of_all: TableSet,
    /// If rows are added or changed.
    pub of_changes: TableSet,
}

/// Functions call each other, so each trigger counts as doing what any of them does.
const POSTGRES: [&str; 2] = [
    "SELECT c.relname AS child, p.relname AS parent,
        COALESCE(f.confdeltype NOT IN ('a', 'r') OR f.confupdtype NOT IN ('a', 'r'), FALSE) AS acts,
        COALESCE(f.confupdtype NOT IN ('a', 'r'), FALSE) AS acts_on_update
    FROM pg_class c
    LEFT JOIN pg_constraint f ON f.conrelid = c.oid AND f.contype = 'f'
    LEFT JOIN pg_class p ON p.oid = f.confrelid
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = to_regnamespace(current_schema())",
    "SELECT c.relname AS on_table, (t.tgtype & 20) = 0 AS on_delete,
        (SELECT string_agg(p.prosrc, ' ') FROM pg_proc p
            WHERE p.pronamespace = c.relnamespace) AS does
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND c.relnamespace = to_regnamespace(current_schema())",
];

const SQLITE: [&str; 2] = [
    r#"SELECT m.name AS child, f."table" AS parent,
        COALESCE(f.on_delete NOT IN ('NO ACTION', 'RESTRICT')
            OR f.on_update NOT IN ('NO ACTION', 'RESTRICT'), FALSE) AS acts,
        COALESCE(f.on_update NOT IN ('NO ACTION', 'RESTRICT'), FALSE) AS acts_on_update
    FROM sqlite_master m LEFT JOIN pragma_foreign_key_list(m.name) f
    WHERE m.type = 'table'"#,
    "SELECT tbl_name AS on_table, sql LIKE '% DELETE ON ' || tbl_name || '%' AS on_delete,
        sql AS does
    FROM sqlite_master WHERE type = 'trigger'",
];

impl Schema {
    pub async fn of(connection: &impl ConnectionTrait) -> Result<Self, DbErr> {
        let backend = connection.get_database_backend();
        let [keys, triggers] = match backend {
            DbBackend::Postgres => POSTGRES,
            _ => SQLITE,
        }
        .map(|sql| Statement::from_string(backend, sql));
        let keys = ForeignKey::find_by_statement(keys).all(connection);
        let triggers = Trigger::find_by_statement(triggers).all(connection);
        Ok(Self {
            keys: keys.await?,
            triggers: triggers.await?,
        })
    }

    /// All tables, in the order of their names. None if there are none, or too many.
    pub fn reaches(&self) -> Option<Vec<(String, Reach)>> {
        let names: BTreeSet<_> = self.keys.iter().map(|key| key.child.as_str()).collect();
        let names: Vec<_> = names.into_iter().collect();
        if names.is_empty() || names.len() > 64 {
            return None;
        }
        let place = |name: &str| names.binary_search(&name).ok();
        let steps_of_keys = |of: fn(&ForeignKey) -> bool| {
            let acting = self.keys.iter().filter(move |key| of(key));
            acting.filter_map(|key| Some((place(key.parent.as_deref()?)?, place(&key.child)?)))
        };
        let steps_of_triggers = |of: fn(&Trigger) -> bool| {
            let acting = self.triggers.iter().filter(move |trigger| of(trigger));
            acting.flat_map(|trigger| {
                let written = written_by(&trigger.does).into_iter().filter_map(place);
                written.filter_map(|child| Some((place(&trigger.on_table)?, child)))
            })
        };
        let alone: Vec<_> = (0..names.len()).map(TableSet::of).collect();
        let all: Vec<_> = steps_of_keys(|key| key.acts)
            .chain(steps_of_triggers(|_| true))
            .collect();
        let of_all = closed(alone.clone(), &all);
        let mut of_changes = alone;
        for (parent, child) in steps_of_triggers(|trigger| !trigger.on_delete) {
            of_changes[parent] = of_changes[parent].and(of_all[child]);
        }
        let by_keys: Vec<_> = steps_of_keys(|key| key.acts_on_update).collect();
        let of_changes = closed(of_changes, &by_keys);
        let reaches = of_all.into_iter().zip(of_changes);
        let reaches = reaches.map(|(of_all, of_changes)| Reach { of_all, of_changes });
        Some(names.into_iter().map(str::to_owned).zip(reaches).collect())
    }
}

/// What a trigger inserts into, updates or deletes from.
fn written_by(does: &str) -> Vec<&str> {
    let words: Vec<_> = words(does).filter(|word| !word.is_empty()).collect();
    let into = |verb: &[&str]| {
        let same = |(one, other): (&&str, &&str)| one.eq_ignore_ascii_case(other);
        let ends = |before: &[&str]| verb.iter().rev().zip(before.iter().rev()).all(same);
        let places = (verb.len()..words.len()).filter(|place| ends(&words[..*place]));
        places.map(|place| words[place]).collect::<Vec<_>>()
    };
    [
        into(&["INTO"]),
        into(&["UPDATE"]),
        into(&["DELETE", "FROM"]),
    ]
    .concat()
}

/// A step may set off another one, so until nothing is added.
fn closed(mut reach: Vec<TableSet>, steps: &[(usize, usize)]) -> Vec<TableSet> {
    let mut growing = true;
    while growing {
        growing = false;
        for (parent, child) in steps {
            let wider = reach[*parent].and(reach[*child]);
            growing |= wider != reach[*parent];
            reach[*parent] = wider;
        }
    }
    reach
}

#[cfg(test)]
mod tests {
    use std::sync::RwLock;

    use super::super::{Table, TableSet, Tables};
    use super::{ForeignKey, Schema, Trigger, written_by};

    /// account 0, comment 1, count 2, pull 3, thread 4.
    fn tables() -> Tables {
        let key = |child: &str, parent: Option<&str>, acts, acts_on_update| ForeignKey {
            child: child.to_owned(),
            parent: parent.map(str::to_owned),
            acts,
            acts_on_update,
        };
        let trigger = |on_table: &str, on_delete, does: &str| Trigger {
            on_table: on_table.to_owned(),
            on_delete,
            does: does.to_owned(),
        };
        let schema = Schema {
            keys: vec![
                key("account", None, false, false),
                key("comment", Some("thread"), true, false),
                key("count", None, false, false),
                key("pull", Some("account"), true, true),
                key("thread", Some("pull"), true, false),
            ],
            triggers: vec![
                trigger("comment", false, "UPDATE count SET comments = comments + 1"),
                trigger("pull", true, "DELETE FROM count WHERE pull = OLD.id"),
            ],
        };
        let known = schema.reaches().unwrap().into_iter();
        Tables {
            known: known.map(|(name, reach)| Table { name, reach }).collect(),
            remembered: RwLock::default(),
        }
    }

    #[test]
    fn a_trigger_writes_to_what_its_statements_begin_with() {
        let does = "BEGIN PERFORM 1 FROM pull FOR NO KEY UPDATE; INSERT INTO a SELECT * FROM b;
            update c SET x = (SELECT y FROM d); IF z THEN DELETE FROM e; END IF; END";
        assert_eq!(written_by(does), ["a", "INSERT", "c", "e"]);
    }

    fn places(set: TableSet) -> Vec<usize> {
        set.places().collect()
    }

    #[test]
    fn a_statement_reads_what_it_names() {
        let tables = tables();
        for _ in 0..2 {
            let set = tables
                .touched_by(r#"SELECT * FROM "pull" JOIN "account" ON 1"#)
                .read;
            assert_eq!(places(set), [0, 3]);
            let set = tables
                .touched_by("SELECT account_id FROM x.pull,(thread)")
                .read;
            assert_eq!(places(set), [3, 4]);
        }
    }

    #[test]
    fn a_removal_reaches_as_far_as_foreign_keys_and_triggers_do() {
        let tables = tables();
        let changed = |sql| places(tables.touched_by(sql).changed);
        assert_eq!(changed(r#"DELETE FROM "thread""#), [1, 2, 4]);
        assert_eq!(changed(r#"DELETE FROM "pull" WHERE 1"#), [1, 2, 3, 4]);
        assert_eq!(changed(r#"DELETE FROM "account""#), [0, 1, 2, 3, 4]);
        assert_eq!(
            changed("WITH x AS (SELECT 1) DELETE FROM thread"),
            [1, 2, 4]
        );
        assert_eq!(changed("INSERT OR REPLACE INTO thread"), [1, 2, 4]);
        assert!(changed(r#"SELECT * FROM "pull""#).is_empty());
    }

    #[test]
    fn a_change_reaches_less_far() {
        let tables = tables();
        let changed = |sql| places(tables.touched_by(sql).changed);
        assert_eq!(changed(r#"UPDATE "thread" SET x = 1"#), [4]);
        assert_eq!(changed(r#"UPDATE "pull" SET x = 1"#), [3]);
        assert_eq!(changed("INSERT INTO comment VALUES (1)"), [1, 2]);
        assert_eq!(changed(r#"UPDATE "account" SET id = 1"#), [0, 3]);
        assert_eq!(
            changed(r#"INSERT INTO "thread" (pull_id) SELECT id FROM pull RETURNING id"#),
            [4]
        );
        assert_eq!(
            changed("UPDATE thread SET x = (SELECT 1 FROM account)"),
            [4]
        );
        assert_eq!(
            changed("UPDATE thread SET x = 1; UPDATE account SET y = 1"),
            [0, 1, 2, 3, 4]
        );
        assert_eq!(changed("SELECT 1; DELETE FROM thread"), [1, 2, 4]);
        assert_eq!(
            changed("INSERT INTO thread WITH x AS (UPDATE account SET y = 1) SELECT 1"),
            [0, 1, 2, 3, 4]
        );
    }
}
