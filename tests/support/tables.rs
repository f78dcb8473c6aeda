//! A dump of the database as text, for comparison.

use sea_orm::{ConnectionTrait, DbBackend, Statement};
use storage::database::Database;

/// Every row of every table, one per line, in an order that does not depend on the
/// database. Omits what may change although nothing else does: the table `version`, and the
/// setting that names the server of PostgreSQL.
pub async fn dump(db: &Database) -> String {
    let reads = db.reads();
    let mut text = String::new();
    let tables = tables(reads).await.into_iter();
    for table in tables.filter(|table| table != "version") {
        let rows = rows(reads, &table).await.into_iter();
        for row in rows.filter(|row| !row.contains("database_server")) {
            text.push_str(&format!("{table}: {row}\n"));
        }
    }
    text
}

/// The names of the tables in which two dumps differ.
pub fn changed_tables(before: &str, after: &str) -> String {
    let changed = before.lines().filter(|line| !after.contains(*line));
    let new = after.lines().filter(|line| !before.contains(*line));
    let mut names: Vec<&str> = changed
        .chain(new)
        .map(|line| line.split(':').next().unwrap())
        .collect();
    names.dedup();
    names.join(", ")
}

async fn tables(reads: &impl ConnectionTrait) -> Vec<String> {
    let sql = match reads.get_database_backend() {
        DbBackend::Postgres => {
            "SELECT tablename AS line FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
        }
        _ => {
            "SELECT name AS line FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1"
        }
    };
    texts(reads, sql.to_owned()).await
}

async fn rows(reads: &impl ConnectionTrait, table: &str) -> Vec<String> {
    let sql = match reads.get_database_backend() {
        DbBackend::Postgres => {
            format!("SELECT to_jsonb(t)::text AS line FROM {table} t ORDER BY 1")
        }
        _ => {
            let columns =
                format!("SELECT 'quote(' || name || ')' AS line FROM pragma_table_info('{table}')");
            let columns = texts(reads, columns).await.join(" || '|' || ");
            format!("SELECT {columns} AS line FROM {table} ORDER BY 1")
        }
    };
    texts(reads, sql).await
}

async fn texts(reads: &impl ConnectionTrait, sql: String) -> Vec<String> {
    let backend = reads.get_database_backend();
    let rows = reads
        .query_all_raw(Statement::from_string(backend, sql))
        .await
        .unwrap();
    rows.iter()
        .map(|row| row.try_get("", "line").unwrap())
        .collect()
}
