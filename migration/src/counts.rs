//! How many rows each long list has. Triggers maintain the lengths, so they are correct for every
//! writer.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::run;

/// A table whose rows are counted for each list that contains them.
#[derive(Debug)]
pub struct CountedTable {
    pub name: &'static str,
    /// The columns with the ids of the owners of the lists.
    owners: &'static [&'static str],
    /// The states of the rows: each has its own lists. Empty if the rows have no state.
    states: &'static [&'static str],
}

pub const REVIEW_COMMENTS: CountedTable = CountedTable {
    name: "review_comment",
    owners: &["repository_id", "pull_id"],
    states: &[],
};

pub const ISSUE_COMMENTS: CountedTable = CountedTable {
    name: "issue_comment",
    owners: &["repository_id", "issue_id"],
    states: &[],
};

pub const ISSUES: CountedTable = CountedTable {
    name: "issue",
    owners: &["repository_id"],
    states: &["open", "closed"],
};

pub const PULLS: CountedTable = CountedTable {
    name: "pull",
    owners: &["repository_id"],
    states: &["open", "closed", "merged"],
};

pub const COUNTED: [&CountedTable; 4] = [&REVIEW_COMMENTS, &ISSUE_COMMENTS, &ISSUES, &PULLS];

impl CountedTable {
    /// The names of the lists by an owner, one for each state. They begin with the name of the
    /// table, so the check of cached results (`crates/storage/src/database/check.rs`) treats a
    /// query for a length like one for the rows.
    pub fn lists(&self, owner: &str, states: Option<&[&str]>) -> Vec<String> {
        match states.unwrap_or(self.states) {
            [] => vec![self.list(owner, None)],
            states => states
                .iter()
                .map(|state| self.list(owner, Some(state)))
                .collect(),
        }
    }

    fn list(&self, owner: &str, state: Option<&str>) -> String {
        let name = self.name;
        match state {
            None => format!("{name}.{owner}"),
            Some(state) => format!("{name}.{owner}.{state}"),
        }
    }

    /// The lists that contain `row`, as SQL: a name and an owner for each.
    fn lists_of(&self, row: &str) -> impl Iterator<Item = [String; 2]> {
        self.owners.iter().map(move |owner| {
            let list = match self.states {
                [] => format!("'{}'", self.list(owner, None)),
                _ => format!("'{}.' || {row}.state", self.list(owner, None)),
            };
            [list, format!("{row}.{owner}")]
        })
    }

    /// `lists_of` as rows of VALUES, with more values.
    fn values(&self, row: &str, more: &str) -> String {
        let lists = self.lists_of(row);
        let values = lists.map(|[list, owner]| format!("({list}, {owner}{more})"));
        values.collect::<Vec<_>>().join(", ")
    }

    /// The query for the correct lengths.
    pub fn lengths(&self) -> String {
        let table = self.name;
        let each = self.lists_of(table).map(|[list, owner]| {
            format!(
                "SELECT {list} AS list, {owner} AS owner_id, COUNT(*) AS length
                 FROM {table} GROUP BY 1, 2"
            )
        });
        each.collect::<Vec<_>>().join(" UNION ALL ")
    }

    /// Counts the existing rows, and creates the triggers.
    pub async fn count(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let lengths = self.lengths();
        let count = format!("INSERT INTO list_length (list, owner_id, length) {lengths}");
        run(manager, &[&count]).await?;
        let triggers = match manager.get_database_backend() {
            DbBackend::Postgres => self.postgres_triggers(),
            _ => self.sqlite_triggers(),
        };
        let triggers: Vec<&str> = triggers.iter().map(String::as_str).collect();
        run(manager, &triggers).await
    }

    /// Drops the triggers.
    pub async fn drop_triggers(&self, manager: &SchemaManager<'_>) -> Result<(), DbErr> {
        let table = self.name;
        match manager.get_database_backend() {
            DbBackend::Postgres => {
                run(manager, &[&format!("DROP FUNCTION {table}_list() CASCADE")]).await
            }
            _ => {
                let triggers = ["added", "moved", "removed"];
                let drop = triggers.map(|event| format!("DROP TRIGGER {table}_list_{event}"));
                run(manager, &drop.each_ref().map(String::as_str)).await
            }
        }
    }

    /// Removing the last row of a list deletes its length. Deleting the owner of a list deletes
    /// the rows, and so the length.
    fn sqlite_triggers(&self) -> Vec<String> {
        let change = |row: &str, by: i64| {
            let rows = self.values(row, &format!(", {by}"));
            format!(
                "INSERT INTO list_length (list, owner_id, length) VALUES {rows}
                 ON CONFLICT DO UPDATE SET length = length + excluded.length;"
            )
        };
        let add = change("NEW", 1);
        let remove = format!(
            "{} DELETE FROM list_length WHERE length = 0 AND (list, owner_id) IN (VALUES {});",
            change("OLD", -1),
            self.values("OLD", "")
        );
        let state = (!self.states.is_empty()).then_some(&"state");
        let columns: Vec<&str> = self.owners.iter().chain(state).copied().collect();
        let position = |row: &str| {
            let columns = columns.iter().map(|column| format!("{row}.{column}"));
            columns.collect::<Vec<_>>().join(", ")
        };
        let (table, columns) = (self.name, columns.join(", "));
        let (old, new) = (position("OLD"), position("NEW"));
        vec![
            format!("CREATE TRIGGER {table}_list_added AFTER INSERT ON {table} BEGIN {add} END"),
            format!(
                "CREATE TRIGGER {table}_list_moved AFTER UPDATE OF {columns} ON {table}
                 WHEN ({old}) <> ({new}) BEGIN {add} {remove} END"
            ),
            format!(
                "CREATE TRIGGER {table}_list_removed AFTER DELETE ON {table} BEGIN {remove} END"
            ),
        ]
    }

    /// Statement-level triggers change each length once per statement. A trigger with transition
    /// tables handles only one event.
    fn postgres_triggers(&self) -> Vec<String> {
        let table = self.name;
        let trigger = |what: &str, event: &str, tables: &str| {
            format!(
                "CREATE TRIGGER {table}_list_{what} AFTER {event} ON {table} REFERENCING {tables}
                 FOR EACH STATEMENT EXECUTE FUNCTION {table}_list()"
            )
        };
        vec![
            self.postgres_function(),
            trigger("added", "INSERT", "NEW TABLE AS added"),
            trigger("moved", "UPDATE", "OLD TABLE AS removed NEW TABLE AS added"),
            trigger("removed", "DELETE", "OLD TABLE AS removed"),
        ]
    }

    /// Updates lengths in primary key order, so two statements never deadlock.
    fn postgres_function(&self) -> String {
        let changes = |rows: &str, by: i64| {
            format!(
                "SELECT list.*, {by} AS change FROM {rows} CROSS JOIN LATERAL
                    (VALUES {}) AS list (list, owner_id)",
                self.values(rows, "")
            )
        };
        let apply = |changes: &str| {
            format!(
                "INSERT INTO list_length (list, owner_id, length)
                 SELECT list, owner_id, SUM(change) FROM ({changes}) AS changed
                 GROUP BY list, owner_id HAVING SUM(change) <> 0
                 ORDER BY list COLLATE \"C\", owner_id
                 ON CONFLICT (list, owner_id) DO UPDATE
                 SET length = list_length.length + EXCLUDED.length;"
            )
        };
        let (added, removed) = (changes("added", 1), changes("removed", -1));
        format!(
            "CREATE FUNCTION {}_list() RETURNS TRIGGER LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_OP = 'INSERT' THEN
                    {}
                    RETURN NULL;
                ELSIF TG_OP = 'UPDATE' THEN
                    {}
                ELSE
                    {}
                END IF;
                DELETE FROM list_length WHERE length = 0 AND (list, owner_id) IN
                    (SELECT list, owner_id FROM ({removed}) AS changed);
                RETURN NULL;
            END $$",
            self.name,
            apply(&added),
            apply(&format!("{added} UNION ALL {removed}")),
            apply(&removed),
        )
    }
}
