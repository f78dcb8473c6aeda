//! Snapshots of a PostgreSQL database: a schema with a copy of each table, and a function
//! that restores them.
//!
//! The function changes only the rows that differ, so it takes about as long as reading
//! both. Foreign keys are checked at the end of the transaction; they are made deferrable
//! for that. If two rows have exchanged a unique value, no order of updates works, and the
//! function inserts everything again.

use migration::aggregates::{Aggregate, Rows, TABLES};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, FromQueryResult, Statement};

use super::super::{Database, without_time_limits};
use super::{SnapshotError, StoredSnapshot};
use crate::database::Connection;

/// The prefix of the names of snapshot schemas.
const PREFIX: &str = "forgewright_snapshot_";

/// Tables that no snapshot contains: the migrations, versions, which never decrease, and used
/// rate limit budgets, which a restoration resets.
pub(super) const OMITTED: [&str; 3] = ["seaql_migrations", "version", "budget"];

pub(super) const CURRENT_SCHEMA: &str = "quote_ident(current_schema())::regnamespace";

/// Lets a transaction see a single snapshot.
pub(super) const ONE_STATE: &str = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";

pub async fn make(database: &Database, name: &str) -> Result<StoredSnapshot, SnapshotError> {
    let schema = schema_of(name);
    let transaction = database.begin().await?;
    without_time_limits(&transaction).await?;
    transaction.execute_unprepared(&make_deferrable()).await?;
    transaction.commit().await?;
    let transaction = database.begin().await?;
    transaction.execute_unprepared(ONE_STATE).await?;
    without_time_limits(&transaction).await?;
    let tables = TableSql::all(&transaction).await?;
    let copies: String = tables.iter().map(|table| table.copy(&schema)).collect();
    let script = format!(
        "DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}; {copies} {}; {}; {}",
        sequences(&schema),
        function(&schema, &tables),
        comment(&schema),
    );
    transaction.execute_unprepared(&script).await?;
    transaction.commit().await?;
    let schema = SnapshotSchema::find(database, name).await?;
    schema.snapshot().ok_or(SnapshotError::Missing)
}

#[derive(FromQueryResult)]
struct SnapshotSchema {
    schema: String,
    comment: String,
    bytes: i64,
}

/// The schema of a snapshot, quoted.
fn schema_of(name: &str) -> String {
    format!("\"{PREFIX}{name}\"")
}

/// The snapshots whose names begin with a text.
async fn kept(database: &Database, beginning: &str) -> Result<Vec<SnapshotSchema>, DbErr> {
    let sql = "SELECT nspname::TEXT AS schema, obj_description(oid, 'pg_namespace') AS comment,
            (SELECT COALESCE(SUM(pg_total_relation_size(relation.oid)), 0)::BIGINT
                FROM pg_class AS relation
                WHERE relnamespace = pg_namespace.oid AND relkind = 'r') AS bytes
        FROM pg_namespace WHERE starts_with(nspname, $1)
            AND obj_description(oid, 'pg_namespace') IS NOT NULL";
    let query = Statement::from_sql_and_values(
        DbBackend::Postgres,
        sql,
        [format!("{PREFIX}{beginning}").into()],
    );
    SnapshotSchema::find_by_statement(query)
        .all(database.untracked())
        .await
}

pub async fn list(database: &Database) -> Result<Vec<StoredSnapshot>, SnapshotError> {
    let kept = kept(database, "").await?;
    Ok(kept.iter().filter_map(SnapshotSchema::snapshot).collect())
}

impl SnapshotSchema {
    fn name(&self) -> &str {
        self.schema.strip_prefix(PREFIX).unwrap_or_default()
    }

    fn snapshot(&self) -> Option<StoredSnapshot> {
        let (moment, _) = self.comment.split_once(' ')?;
        Some(StoredSnapshot {
            name: self.name().to_owned(),
            created_at: moment.parse().ok()?,
            bytes: self.bytes.unsigned_abs(),
        })
    }

    async fn find(database: &Database, name: &str) -> Result<Self, SnapshotError> {
        let kept = kept(database, name).await?.into_iter();
        let mut kept = kept.filter(|kept| kept.name() == name);
        kept.next().ok_or(SnapshotError::Missing)
    }
}

/// The schema of a snapshot that can be restored.
pub async fn find(database: &Database, name: &str) -> Result<String, SnapshotError> {
    let kept = SnapshotSchema::find(database, name).await?;
    let sql = "SELECT version AS comment, '' AS schema, 0::BIGINT AS bytes
        FROM seaql_migrations ORDER BY version DESC LIMIT 1";
    let newest =
        SnapshotSchema::find_by_statement(Statement::from_string(DbBackend::Postgres, sql))
            .one(database.untracked())
            .await?;
    let known = kept.comment.split_once(' ').map(|(_, migration)| migration);
    match newest.is_some_and(|newest| known == Some(newest.comment.as_str())) {
        true => Ok(schema_of(name)),
        false => Err(SnapshotError::OtherSchema),
    }
}

pub async fn delete(database: &Database, name: &str) -> Result<(), SnapshotError> {
    SnapshotSchema::find(database, name).await?;
    let schema = schema_of(name);
    let transaction = database.begin().await?;
    let drop = format!("DROP SCHEMA IF EXISTS {schema} CASCADE");
    transaction.execute_unprepared(&drop).await?;
    Ok(transaction.commit().await?)
}

pub async fn restore(database: &Database, schema: &str) -> Result<(), SnapshotError> {
    let transaction = database.begin().await?;
    without_time_limits(&transaction).await?;
    let restore = format!("SET CONSTRAINTS ALL DEFERRED; SELECT {schema}.restore()");
    transaction.execute_unprepared(&restore).await?;
    Ok(transaction.commit().await?)
}

/// Foreign keys of later migrations are made deferrable by the next snapshot.
fn make_deferrable() -> String {
    format!(
        "DO $$ DECLARE found RECORD; BEGIN
            FOR found IN SELECT conrelid::regclass AS owner, conname FROM pg_constraint
                WHERE contype = 'f' AND NOT condeferrable AND connamespace = {CURRENT_SCHEMA}
            LOOP
                EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE INITIALLY IMMEDIATE',
                    found.owner, found.conname);
            END LOOP;
        END $$"
    )
}

/// A table, with its columns and those of its primary key, each as a list in SQL.
#[derive(FromQueryResult)]
struct TableSql {
    name: String,
    columns: String,
    key: String,
}

impl TableSql {
    /// The tables to copy. Tables that triggers derive from others come last.
    async fn all(transaction: &Connection) -> Result<Vec<Self>, DbErr> {
        let sql = format!(
            "SELECT relation.relname::TEXT AS name,
                (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                    WHERE attrelid = relation.oid AND attnum > 0 AND NOT attisdropped) AS columns,
                (SELECT string_agg(quote_ident(attname), ', ') FROM pg_index JOIN pg_attribute
                    ON attrelid = indrelid AND attnum = ANY (indkey)
                    WHERE indrelid = relation.oid AND indisprimary) AS key
            FROM pg_class AS relation
            WHERE relkind = 'r' AND relnamespace = {CURRENT_SCHEMA} ORDER BY relname"
        );
        let query = Statement::from_string(DbBackend::Postgres, sql);
        let mut tables = Self::find_by_statement(query).all(transaction).await?;
        tables.retain(|table| !OMITTED.contains(&table.name.as_str()));
        tables.sort_by_key(|table| matches!(table.rows(), Some(Rows::Derived(_))));
        Ok(tables)
    }

    fn rows(&self) -> Option<&'static Rows> {
        let mut tables = TABLES.iter();
        let (_, rows) = tables.find(|(name, _)| *name == self.name)?;
        Some(rows)
    }

    fn copy(&self, schema: &str) -> String {
        let name = &self.name;
        format!("CREATE TABLE {schema}.{name} AS TABLE {name};\n")
    }

    /// The condition that `kept` and the row have the same primary key.
    fn same(&self) -> String {
        let name = &self.name;
        let parts = self.key.split(", ");
        let equal = parts.map(|part| format!("kept.{part} = {name}.{part}"));
        equal.collect::<Vec<_>>().join(" AND ")
    }

    fn restore_differing(&self, schema: &str) -> String {
        let (name, columns, same) = (&self.name, &self.columns, self.same());
        let set = columns.split(", ");
        let set: Vec<_> = set.map(|part| format!("{part} = kept.{part}")).collect();
        let set = set.join(", ");
        let differs = match name.as_str() {
            // Equal objects may be stored in several ways. Their content need not be compared.
            "git_object" => "(git_object.base_sha, git_object.upload_id)
                    IS DISTINCT FROM (kept.base_sha, kept.upload_id)"
                .to_owned(),
            _ => format!("{name}.* IS DISTINCT FROM kept.*"),
        };
        format!(
            "DELETE FROM {name}
                WHERE NOT EXISTS (SELECT FROM {schema}.{name} AS kept WHERE {same});\n\
             UPDATE {name} SET {set} FROM {schema}.{name} AS kept WHERE {same} AND {differs};\n\
             INSERT INTO {name} ({columns}) SELECT {columns} FROM {schema}.{name} AS kept
                WHERE NOT EXISTS (SELECT FROM {name} WHERE {same});\n"
        )
    }

    /// Fills an empty table. A table that triggers have already filled is compared instead.
    fn insert(&self, schema: &str) -> String {
        if matches!(self.rows(), Some(Rows::Derived(_))) {
            return self.restore_differing(schema);
        }
        let (name, columns) = (&self.name, &self.columns);
        format!("INSERT INTO {name} ({columns}) SELECT {columns} FROM {schema}.{name};\n")
    }
}

/// The next value of each sequence.
fn sequences(schema: &str) -> String {
    format!("CREATE TABLE {schema}.next_ids AS {NEXT_IDS} WHERE relnamespace = {CURRENT_SCHEMA}")
}

const NEXT_IDS: &str = "SELECT pg_class.oid::regclass::TEXT AS name,
        COALESCE(pg_sequence_last_value(pg_class.oid) + seqincrement, seqstart) AS next
    FROM pg_class JOIN pg_sequence ON seqrelid = pg_class.oid";

/// Triggers that copy rows between tables are disabled during the restoration. RESTART, unlike
/// setval, is rolled back with its transaction. The function draws the value before the next one
/// again, because a sequence that was just restarted does not report its next value.
fn function(schema: &str, tables: &[TableSql]) -> String {
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    let names = names.join(", ");
    let each = |statement: fn(&TableSql, &str) -> String| -> String {
        tables
            .iter()
            .map(|table| statement(table, schema))
            .collect()
    };
    let (differing, everything) = (each(TableSql::restore_differing), each(TableSql::insert));
    let Aggregate { kind, id } = Aggregate::EVERYTHING;
    let kind = kind as u8;
    format!(
        "CREATE FUNCTION {schema}.restore() RETURNS VOID LANGUAGE plpgsql AS $$
        DECLARE sequence RECORD;
        BEGIN
            PERFORM set_config('forgewright.restoring', 'on', TRUE);
            LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE;
            BEGIN
                {differing}
            EXCEPTION WHEN unique_violation THEN
                TRUNCATE {names};
                {everything}
            END;
            DELETE FROM budget;
            INSERT INTO version (kind, id, n) VALUES ({kind}, {id},
                    CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT))
                ON CONFLICT (kind, id) DO UPDATE SET n = GREATEST(version.n + 1, EXCLUDED.n);
            FOR sequence IN SELECT kept.* FROM {schema}.next_ids AS kept
                JOIN ({NEXT_IDS}) AS current ON current.name = kept.name
                WHERE current.next <> kept.next
            LOOP
                EXECUTE format('ALTER SEQUENCE %s RESTART WITH %s', sequence.name,
                    GREATEST(sequence.next - 1, 1));
                IF sequence.next > 1 THEN
                    PERFORM nextval(sequence.name);
                END IF;
            END LOOP;
        END $$"
    )
}

/// The comment with the creation time and the schema version of the snapshot.
fn comment(schema: &str) -> String {
    format!(
        "DO $$ BEGIN EXECUTE format('COMMENT ON SCHEMA {schema} IS %L',
            (SELECT floor(EXTRACT(EPOCH FROM clock_timestamp()))::BIGINT || ' ' || MAX(version)
                FROM seaql_migrations)); END $$"
    )
}
