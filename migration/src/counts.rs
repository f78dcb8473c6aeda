//! How many rows each long list has, per bucket of its sort key. Triggers maintain the counts,
//! so they are correct for every writer.
//!
//! A bucket is a fixed range of ids or times, so the bucket of a row depends only on the row. An
//! empty bucket has no row.

use std::collections::BTreeSet;

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::{Dialect, drop_tables, one_of, run};

/// The counts of one table's rows, for each list of them.
#[derive(Debug)]
pub struct Counts {
    /// The table that stores the counts.
    pub table: &'static str,
    /// The column that stores the counts.
    pub column: &'static str,
    /// The table whose rows are counted.
    pub of: &'static str,
    /// The prefix of the trigger names.
    prefix: &'static str,
    pub lists: &'static [List],
    /// The states of the rows: each state has its own lists, named after it. Empty if the rows
    /// have no state.
    pub states: &'static [&'static str],
}

/// A list of rows in one order.
#[derive(Debug, PartialEq, Eq)]
pub struct List {
    pub name: &'static str,
    /// The column with the id of the list's owner.
    pub owner: &'static str,
    /// The sort column. Ids break ties.
    pub key: &'static str,
}

impl List {
    /// The sort key, shifted right by this, is the bucket: 8,192 ids, or 32,768 seconds (nine
    /// hours).
    pub fn bits(&self) -> u8 {
        match self.key {
            "id" => 13,
            _ => 15,
        }
    }

    /// The names of the list in the table, one per state.
    pub fn names(&self, states: &[&str]) -> Vec<String> {
        let name = self.name;
        match states {
            [] => vec![name.to_owned()],
            states => states
                .iter()
                .map(|state| format!("{state}_{name}"))
                .collect(),
        }
    }
}

const fn list(name: &'static str, owner: &'static str, key: &'static str) -> List {
    List { name, owner, key }
}

pub const REVIEW_COMMENTS: Counts = Counts {
    table: "comment_count",
    column: "comments",
    of: "review_comment",
    prefix: "review_comment",
    lists: &[
        list("repository_by_id", "repository_id", "id"),
        list("repository_by_created", "repository_id", "created_at"),
        list("repository_by_updated", "repository_id", "updated_at"),
        list("pull_by_id", "pull_id", "id"),
        list("pull_by_created", "pull_id", "created_at"),
        list("pull_by_updated", "pull_id", "updated_at"),
    ],
    states: &[],
};

pub const ISSUE_COMMENTS: Counts = Counts {
    table: "issue_comment_count",
    column: "comments",
    of: "issue_comment",
    prefix: "listed_issue_comment",
    lists: &[
        list("repository_by_id", "repository_id", "id"),
        list("repository_by_created", "repository_id", "created_at"),
        list("repository_by_updated", "repository_id", "updated_at"),
        list("issue_by_id", "issue_id", "id"),
        list("issue_by_updated", "issue_id", "updated_at"),
    ],
    states: &[],
};

pub const ISSUES: Counts = Counts {
    table: "issue_count",
    column: "issues",
    of: "issue",
    prefix: "listed_issue",
    lists: &[
        list("by_created", "repository_id", "created_at"),
        list("by_updated", "repository_id", "updated_at"),
    ],
    states: &["open", "closed"],
};

pub const PULLS: Counts = Counts {
    table: "pull_count",
    column: "pulls",
    of: "pull",
    prefix: "listed_pull",
    lists: &[
        list("by_created", "repository_id", "created_at"),
        list("by_updated", "repository_id", "updated_at"),
    ],
    states: &["open", "closed", "merged"],
};

impl Counts {
    /// The SQL expression for the name of the list that contains a row.
    fn name_of(&self, list: &List, row: &str) -> String {
        match self.states {
            [] => format!("'{}'", list.name),
            _ => format!("{row}.state || '_{}'", list.name),
        }
    }

    /// Creates the table and the triggers, and counts the existing rows.
    pub async fn create(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        let Self { table, column, .. } = self;
        let count = format!(
            "INSERT INTO {table} (list, owner_id, bucket, {column}) {}",
            self.counted()
        );
        run(manager, &[&self.create_table(&dialect), &count]).await?;
        let triggers = match manager.get_database_backend() {
            DbBackend::Postgres => self.postgres_triggers(),
            _ => self.sqlite_triggers(),
        };
        let triggers: Vec<&str> = triggers.iter().map(String::as_str).collect();
        run(manager, &triggers).await
    }

    pub async fn drop(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let prefix = self.prefix;
        let statements: Vec<String> = match manager.get_database_backend() {
            DbBackend::Postgres => vec![format!("DROP FUNCTION {prefix}_count() CASCADE")],
            _ => ["added", "moved", "removed"]
                .map(|what| format!("DROP TRIGGER {prefix}_{what}"))
                .into(),
        };
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        run(manager, &statements).await?;
        drop_tables(manager, &[self.table]).await
    }

    fn create_table(&self, dialect: &Dialect) -> String {
        let Dialect {
            int, key, keyed, ..
        } = dialect;
        let names: Vec<String> = self
            .lists
            .iter()
            .flat_map(|list| list.names(self.states))
            .collect();
        let list = one_of("list", &names);
        let Self { table, column, .. } = self;
        format!(
            "CREATE TABLE {table} (
                list {key} NOT NULL CHECK ({list}),
                owner_id {int} NOT NULL,
                bucket {int} NOT NULL,
                {column} {int} NOT NULL,
                PRIMARY KEY (list, owner_id, bucket)
            ) {keyed}"
        )
    }

    /// The query for the correct counts: `list`, `owner_id`, `bucket` and `there`.
    pub fn counted(&self) -> String {
        let of = self.of;
        let each = self.lists.iter().map(|list| {
            let (name, bits) = (self.name_of(list, of), list.bits());
            let List { owner, key, .. } = list;
            format!(
                "SELECT {name} AS list, {owner} AS owner_id, {key} >> {bits} AS bucket,
                     COUNT(*) AS there
                 FROM {of} GROUP BY 1, 2, 3"
            )
        });
        each.collect::<Vec<_>>().join(" UNION ALL ")
    }

    /// One row of values for each list that contains `row`.
    fn buckets(&self, row: &str, and: &str) -> String {
        let bucket = |list: &List| {
            let (name, owner, key) = (self.name_of(list, row), list.owner, list.key);
            format!(
                "({name}, {row}.{owner}, {row}.{key} >> {}{and})",
                list.bits()
            )
        };
        let buckets = self.lists.iter().map(bucket);
        buckets.collect::<Vec<_>>().join(", ")
    }

    /// Deleting the last row of a bucket deletes its count. Deleting the owner of a list deletes
    /// the rows, and so their counts. An update that leaves a row in its buckets changes nothing.
    fn sqlite_triggers(&self) -> Vec<String> {
        let Self {
            table,
            column,
            of,
            prefix,
            ..
        } = self;
        let change = |row: &str, by: i64| {
            let rows = self.buckets(row, &format!(", {by}"));
            format!(
                "INSERT INTO {table} (list, owner_id, bucket, {column}) VALUES {rows}
                 ON CONFLICT DO UPDATE SET {column} = {column} + excluded.{column};"
            )
        };
        let add = change("NEW", 1);
        let remove = format!(
            "{} DELETE FROM {table}
             WHERE {column} = 0 AND (list, owner_id, bucket) IN (VALUES {});",
            change("OLD", -1),
            self.buckets("OLD", "")
        );
        let [old, new] = ["OLD", "NEW"].map(|row| self.position(row));
        let columns = self.columns().into_iter().collect::<Vec<_>>().join(", ");
        vec![
            format!("CREATE TRIGGER {prefix}_added AFTER INSERT ON {of} BEGIN {add} END"),
            format!(
                "CREATE TRIGGER {prefix}_moved AFTER UPDATE OF {columns} ON {of}
                 WHEN {old} <> {new} BEGIN {add} {remove} END"
            ),
            format!("CREATE TRIGGER {prefix}_removed AFTER DELETE ON {of} BEGIN {remove} END"),
        ]
    }

    /// The columns that determine the buckets of a row.
    fn columns(&self) -> BTreeSet<&'static str> {
        let lists = self.lists.iter().flat_map(|list| [list.owner, list.key]);
        let state = (!self.states.is_empty()).then_some("state");
        lists.chain(state).collect()
    }

    /// The values that determine the buckets of a row.
    fn position(&self, row: &str) -> String {
        let bits = |column: &str| {
            let list = self.lists.iter().find(|list| list.key == column);
            list.map_or(0, List::bits)
        };
        let columns = self.columns().into_iter();
        let values = columns.map(|column| match bits(column) {
            0 => format!("{row}.{column}"),
            bits => format!("{row}.{column} >> {bits}"),
        });
        format!("({})", values.collect::<Vec<_>>().join(", "))
    }

    /// Statement-level triggers update each count once per statement. A trigger with transition
    /// tables handles only one event.
    fn postgres_triggers(&self) -> Vec<String> {
        let Self { of, prefix, .. } = self;
        let trigger = |what: &str, event: &str, tables: &str| {
            format!(
                "CREATE TRIGGER {prefix}_{what} AFTER {event} ON {of} REFERENCING {tables}
                 FOR EACH STATEMENT EXECUTE FUNCTION {prefix}_count()"
            )
        };
        vec![
            self.postgres_function(),
            trigger("added", "INSERT", "NEW TABLE AS added"),
            trigger("moved", "UPDATE", "OLD TABLE AS removed NEW TABLE AS added"),
            trigger("removed", "DELETE", "OLD TABLE AS removed"),
        ]
    }

    /// Updates counts in primary key order, so two statements never deadlock.
    fn postgres_function(&self) -> String {
        let Self {
            table,
            column,
            prefix,
            ..
        } = self;
        let changes = |rows: &str, by: i64| {
            format!(
                "SELECT bucket.*, {by} AS change FROM {rows} CROSS JOIN LATERAL
                    (VALUES {}) AS bucket (list, owner_id, bucket)",
                self.buckets(rows, "")
            )
        };
        let apply = |changes: &str| {
            format!(
                "INSERT INTO {table} (list, owner_id, bucket, {column})
                 SELECT list, owner_id, bucket, SUM(change) FROM ({changes}) AS changed
                 GROUP BY list, owner_id, bucket HAVING SUM(change) <> 0
                 ORDER BY list COLLATE \"C\", owner_id, bucket
                 ON CONFLICT (list, owner_id, bucket) DO UPDATE
                 SET {column} = {table}.{column} + EXCLUDED.{column};"
            )
        };
        let (added, removed) = (changes("added", 1), changes("removed", -1));
        format!(
            "CREATE FUNCTION {prefix}_count() RETURNS TRIGGER LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_OP = 'INSERT' THEN
                    {}
                    RETURN NULL;
                ELSIF TG_OP = 'UPDATE' THEN
                    {}
                ELSE
                    {}
                END IF;
                DELETE FROM {table} WHERE {column} = 0 AND (list, owner_id, bucket) IN
                    (SELECT list, owner_id, bucket FROM ({removed}) AS changed);
                RETURN NULL;
            END $$",
            apply(&added),
            apply(&format!("{added} UNION ALL {removed}")),
            apply(&removed),
        )
    }
}
