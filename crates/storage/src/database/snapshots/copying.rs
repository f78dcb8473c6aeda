//! Copies a database on PostgreSQL into a SQLite file that has the same schema, for a
//! separate world. The same migrations create both, so tables and columns have the same names.

use std::path::Path;

use rusqlite::params_from_iter;
use rusqlite::types::Value;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, FromQueryResult, QueryResult, Statement};
use tokio::task::spawn_blocking;

use super::super::{Database, without_time_limits};
use super::SnapshotError;
use super::file::open_scratch;
use super::server::{CURRENT_SCHEMA, OMITTED, ONE_STATE};
use crate::database::Connection;

/// Rows in memory at a time. A row may be a Git object.
const ROWS: usize = 64;

/// Copies the committed state. If it fails, the file is unusable.
pub async fn copy(database: &Database, file: &Path) -> Result<(), SnapshotError> {
    let transaction = database.begin().await?;
    transaction.execute_unprepared(ONE_STATE).await?;
    without_time_limits(&transaction).await?;
    let tables = Table::all(&transaction).await?;
    let file = file.to_owned();
    let mut target = spawn_blocking(move || SnapshotFile::open(&file)).await??;
    for table in tables {
        target = table.copy(&transaction, target).await?;
    }
    let last_ids = LastId::all(&transaction).await?;
    spawn_blocking(move || target.finish(&last_ids)).await??;
    Ok(transaction.rollback().await?)
}

/// The last id that was assigned to a row of a table. The row may be gone while others keep its id,
/// as objects keep that of their upload, so the file must not assign it again.
#[derive(FromQueryResult)]
struct LastId {
    owner: String,
    id: i64,
}

impl LastId {
    async fn all(transaction: &Connection) -> Result<Vec<Self>, DbErr> {
        let sql = format!(
            "SELECT owner, id FROM (
                SELECT relname::TEXT AS owner, pg_sequence_last_value(
                    pg_get_serial_sequence(quote_ident(relname), 'id')::regclass) AS id
                FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
                WHERE relkind = 'r' AND relnamespace = {CURRENT_SCHEMA}
                    AND attname = 'id' AND attidentity <> ''
            ) AS assigned WHERE id IS NOT NULL"
        );
        let query = Statement::from_string(DbBackend::Postgres, sql);
        Self::find_by_statement(query).all(transaction).await
    }
}

/// The storage class of a value in SQLite.
#[derive(Clone, Copy)]
enum Storage {
    Integer,
    Real,
    Text,
    Blob,
}

#[derive(FromQueryResult)]
struct Column {
    owner: String,
    name: String,
    /// The type name in PostgreSQL.
    kind: String,
}

impl Column {
    fn storage(&self) -> Storage {
        match self.kind.as_str() {
            "boolean" | "smallint" | "integer" | "bigint" => Storage::Integer,
            "double precision" => Storage::Real,
            "bytea" => Storage::Blob,
            _ => Storage::Text,
        }
    }

    /// The expression that casts the column to the type of its storage class.
    fn selected(&self) -> String {
        let name = &self.name;
        match self.storage() {
            Storage::Integer if self.kind == "boolean" => format!("{name}::INTEGER::BIGINT"),
            Storage::Integer => format!("{name}::BIGINT"),
            Storage::Real | Storage::Blob => name.clone(),
            Storage::Text => format!("{name}::TEXT"),
        }
    }
}

struct Table {
    name: String,
    columns: Vec<Column>,
}

impl Table {
    async fn all(transaction: &Connection) -> Result<Vec<Self>, DbErr> {
        let sql = format!(
            "SELECT relname::TEXT AS owner, quote_ident(attname) AS name,
                format_type(atttypid, NULL) AS kind
            FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
            WHERE relkind = 'r' AND relnamespace = {CURRENT_SCHEMA}
                AND attnum > 0 AND NOT attisdropped
            ORDER BY relname, attnum"
        );
        let query = Statement::from_string(DbBackend::Postgres, sql);
        let columns = Column::find_by_statement(query).all(transaction).await?;
        let mut tables: Vec<Self> = Vec::new();
        for column in columns {
            match tables.last_mut() {
                Some(table) if table.name == column.owner => table.columns.push(column),
                _ => tables.push(Self {
                    name: column.owner.clone(),
                    columns: vec![column],
                }),
            }
        }
        tables.retain(|table| !OMITTED.contains(&table.name.as_str()));
        Ok(tables)
    }

    async fn copy(
        &self,
        transaction: &Connection,
        mut target: SnapshotFile,
    ) -> Result<SnapshotFile, SnapshotError> {
        let name = &self.name;
        let selected: Vec<_> = self.columns.iter().map(Column::selected).collect();
        // Each table has its own cursor name, because prepared statements are cached by their
        // text, with the columns of one cursor.
        let declare = format!(
            "DECLARE copied_{name} NO SCROLL CURSOR FOR SELECT {} FROM {name}",
            selected.join(", ")
        );
        transaction.execute_unprepared(&declare).await?;
        let insert = self.insert();
        loop {
            let fetch = format!("FETCH {ROWS} FROM copied_{name}");
            let fetch = Statement::from_string(DbBackend::Postgres, fetch);
            let rows = transaction.query_all_raw(fetch).await?;
            let rows: Vec<_> = rows
                .iter()
                .map(|row| self.values(row))
                .collect::<Result<_, _>>()?;
            if rows.is_empty() {
                break;
            }
            let insert = insert.clone();
            target = spawn_blocking(move || target.insert(&insert, rows)).await??;
        }
        let close = format!("CLOSE copied_{name}");
        transaction.execute_unprepared(&close).await?;
        Ok(target)
    }

    fn insert(&self) -> String {
        let names: Vec<_> = self
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        let places = vec!["?"; names.len()].join(", ");
        format!(
            "INSERT INTO {} ({}) VALUES ({places})",
            self.name,
            names.join(", ")
        )
    }

    fn values(&self, row: &QueryResult) -> Result<Vec<Value>, DbErr> {
        let columns = self.columns.iter().enumerate();
        let values = columns.map(|(place, column)| {
            let value = match column.storage() {
                Storage::Integer => row.try_get_by_index::<Option<i64>>(place)?.map(Value::from),
                Storage::Real => row.try_get_by_index::<Option<f64>>(place)?.map(Value::from),
                Storage::Text => row
                    .try_get_by_index::<Option<String>>(place)?
                    .map(Value::from),
                Storage::Blob => row
                    .try_get_by_index::<Option<Vec<u8>>>(place)?
                    .map(Value::from),
            };
            Ok(value.unwrap_or(Value::Null))
        });
        values.collect()
    }
}

/// The target file. Its triggers are dropped during the copy, because the rows that they derive
/// are copied too.
struct SnapshotFile {
    connection: rusqlite::Connection,
    triggers: Vec<(String, String)>,
}

impl SnapshotFile {
    fn open(file: &Path) -> rusqlite::Result<Self> {
        let connection = open_scratch(file)?;
        connection.pragma_update(None, "foreign_keys", "OFF")?;
        connection.execute_batch("BEGIN")?;
        let triggers = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'";
        let triggers = pairs(&connection, triggers)?;
        for (name, _) in &triggers {
            connection.execute_batch(&format!("DROP TRIGGER {name}"))?;
        }
        let tables = "SELECT name, type FROM sqlite_master
            WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'";
        for (name, _) in pairs(&connection, tables)? {
            if !OMITTED.contains(&name.as_str()) {
                connection.execute_batch(&format!("DELETE FROM {name}"))?;
            }
        }
        Ok(Self {
            connection,
            triggers,
        })
    }

    fn insert(self, sql: &str, rows: Vec<Vec<Value>>) -> rusqlite::Result<Self> {
        let mut insert = self.connection.prepare_cached(sql)?;
        for row in rows {
            insert.execute(params_from_iter(row))?;
        }
        drop(insert);
        Ok(self)
    }

    fn finish(self, last_ids: &[LastId]) -> rusqlite::Result<()> {
        for LastId { owner, id } in last_ids {
            let row = (owner, id);
            let raise = "UPDATE sqlite_sequence SET seq = MAX(seq, ?2) WHERE name = ?1";
            if self.connection.execute(raise, row)? == 0 {
                let insert = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
                self.connection.execute(insert, row)?;
            }
        }
        for (_, sql) in &self.triggers {
            self.connection.execute_batch(sql)?;
        }
        self.connection.execute_batch("COMMIT")
    }
}

fn pairs(connection: &rusqlite::Connection, sql: &str) -> rusqlite::Result<Vec<(String, String)>> {
    let mut query = connection.prepare(sql)?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}
