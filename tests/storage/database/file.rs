//! The file of a SQLite database: large changes, its write-ahead log, and a full disk.

use std::str::FromStr;
use std::time::Duration;

use sea_orm::sqlx::{ConnectOptions, Connection, Executor, sqlite::SqliteConnectOptions};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use super::{PATIENCE, counter, in_folder, migrated, set_counter};

/// Creates a table of about 15 MB.
const LARGE_TABLE: &str = "
    CREATE TABLE filled AS
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    SELECT i, randomblob(3000) AS content FROM n";

/// The change has more pages than SQLite keeps in memory for a rollback.
#[tokio::test]
async fn a_change_of_many_pages_is_committed_or_rolled_back() {
    let folder = tempfile::tempdir().unwrap();
    let db = migrated(&in_folder(&folder)).await;
    let run = async |sql: &str| {
        let transaction = db.begin().await.unwrap();
        transaction.execute_unprepared(sql).await.unwrap();
        transaction
    };
    run(LARGE_TABLE).await.commit().await.unwrap();
    let changed = "UPDATE filled SET i = -i";
    drop(run(changed).await);
    run(changed).await.commit().await.unwrap();
    let count = "SELECT COUNT(*) AS found FROM filled WHERE i < 0";
    let count = Statement::from_string(DbBackend::Sqlite, count);
    let found = db.reads().query_one_raw(count).await.unwrap().unwrap();
    assert_eq!(found.try_get::<i64>("", "found").unwrap(), 5000);
}

/// Checkpoints copy the write-ahead log into the file while the server runs, and completely when
/// it stops.
#[tokio::test]
async fn checkpoints_copy_the_write_ahead_log_into_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let db = migrated(&in_folder(&folder)).await;
    let bytes = |name: &str| std::fs::metadata(folder.path().join(name)).map_or(0, |it| it.len());
    let before = bytes("test.db");
    let transaction = db.begin().await.unwrap();
    transaction.execute_unprepared(LARGE_TABLE).await.unwrap();
    transaction.commit().await.unwrap();
    let copied = async {
        while bytes("test.db") < before + 15_000_000 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, copied).await.unwrap();
    let transaction = db.begin().await.unwrap();
    set_counter(&transaction, 1).await.unwrap();
    transaction.commit().await.unwrap();
    assert_ne!(bytes("test.db-wal"), 0);
    db.close().await.unwrap();
    assert_eq!(bytes("test.db-wal"), 0);
}

/// On a full disk SQLite rolls back the transaction by itself. The driver does not notice and
/// still counts it as open. Then the next transaction would only be a savepoint without a lock.
#[tokio::test]
async fn writes_continue_after_sqlite_rolled_one_back_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let db = migrated(&in_folder(&folder)).await;
    let other = SqliteConnectOptions::from_str(&in_folder(&folder)).unwrap();
    let mut other = other.busy_timeout(Duration::ZERO).connect().await.unwrap();
    for end in ["commit", "rollback", "drop"] {
        let transaction = db.begin().await.unwrap();
        set_counter(&transaction, 7).await.unwrap();
        transaction.execute_unprepared("ROLLBACK").await.unwrap();
        match end {
            "commit" => assert!(transaction.commit().await.is_err()),
            "rollback" => assert!(transaction.rollback().await.is_err()),
            _ => drop(transaction),
        }
        let transaction = db.begin().await.unwrap();
        let locked = other.execute("BEGIN IMMEDIATE").await;
        assert!(locked.is_err(), "no lock was taken after a {end}");
        assert_eq!(counter(&transaction).await.unwrap().value, "0");
        transaction.rollback().await.unwrap();
    }
    other.close().await.unwrap();
    db.close().await.unwrap();
}
