//! Connections and transactions: writers queue, readers do not wait, no lock is leaked, and
//! connection errors name the reason.

mod batches;
mod failover;
mod file;
mod time_limits;

use std::time::Duration;

use crate::support::database::{with_database, with_empty_database};
use sea_orm::{ActiveModelTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, Set};
use storage::database::{Connection, Database, Options};
use storage::entities::setting;
use tokio::task::JoinSet;

/// What waits longer waits forever.
const PATIENCE: Duration = Duration::from_secs(60);

async fn migrated(url: &str) -> Database {
    migrated_with(url, Options::default()).await
}

async fn migrated_with(url: &str, options: Options) -> Database {
    Database::migrate(url).await.unwrap();
    let db = Database::connect(url, options).await.unwrap();
    let row = setting::ActiveModel {
        key: Set("counter".to_owned()),
        value: Set("0".to_owned()),
    };
    let transaction = db.begin().await.unwrap();
    setting::Entity::insert(row)
        .exec(&*transaction)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    db
}

async fn counter(connection: &Connection) -> Result<setting::Model, DbErr> {
    let row = setting::Entity::find_by_id("counter")
        .one(connection)
        .await?;
    row.ok_or(DbErr::RecordNotFound("counter".to_owned()))
}

async fn set_counter(connection: &Connection, value: i64) -> Result<(), DbErr> {
    let mut row = counter(connection).await?.into_active_model();
    row.value = Set(value.to_string());
    row.update(connection).await.map(|_| ())
}

fn in_folder(folder: &tempfile::TempDir) -> String {
    format!("sqlite://{}/test.db", folder.path().display())
}

#[tokio::test]
async fn writers_take_turns_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let db = migrated(&in_folder(&folder)).await;
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let db = db.clone();
        tasks.spawn(async move {
            for _ in 0..25 {
                let transaction = db.begin().await.unwrap();
                let value: i64 = counter(&transaction).await.unwrap().value.parse().unwrap();
                tokio::task::yield_now().await;
                set_counter(&transaction, value + 1).await.unwrap();
                transaction.commit().await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    assert_eq!(counter(db.reads()).await.unwrap().value, "200");
    db.close().await.unwrap();
}

#[tokio::test]
async fn readers_see_the_last_commit_during_a_write() {
    with_database(async |url| {
        let db = migrated(url).await;
        let transaction = db.begin().await.unwrap();
        set_counter(&transaction, 1).await.unwrap();
        let read = tokio::time::timeout(PATIENCE, counter(db.reads())).await;
        assert_eq!(read.expect("a reader waited").unwrap().value, "0");
        transaction.commit().await.unwrap();
        assert_eq!(counter(db.reads()).await.unwrap().value, "1");
        db.close().await.unwrap();
    })
    .await;
}

/// Writers that wait for a row keep their connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_do_not_wait_however_many_writers_do() {
    with_database(async |url| {
        let db = migrated(url).await;
        let first = db.begin().await.unwrap();
        set_counter(&first, 1).await.unwrap();
        let mut others = JoinSet::new();
        for _ in 0..20 {
            let db = db.clone();
            others.spawn(async move {
                let transaction = db.begin().await.unwrap();
                set_counter(&transaction, 2).await.unwrap();
                transaction.commit().await.unwrap();
            });
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        let read = tokio::time::timeout(PATIENCE, counter(db.reads())).await;
        assert_eq!(read.expect("a reader waited").unwrap().value, "0");
        first.commit().await.unwrap();
        others.join_all().await;
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn readers_do_not_wait_while_heavy_work_holds_its_connections() {
    with_database(async |url| {
        let one = Options {
            connections: 1,
            ..Options::default()
        };
        let db = migrated_with(url, one).await;
        let mut heavy = Vec::new();
        for _ in 0..db.heavy() {
            let snapshot = db.snapshot().await.unwrap();
            counter(&snapshot).await.unwrap();
            heavy.push(snapshot);
        }
        let read = tokio::time::timeout(PATIENCE, counter(db.reads())).await;
        assert_eq!(read.expect("a reader waited").unwrap().value, "0");
        drop(heavy);
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_read_connections_of_sqlite_reject_writes() {
    let folder = tempfile::tempdir().unwrap();
    let db = migrated(&in_folder(&folder)).await;
    let error = set_counter(db.reads(), 1).await.unwrap_err();
    assert!(error.to_string().contains("readonly"), "{error}");
    db.close().await.unwrap();
}

/// When a client disconnects, the server drops the request's future at any await point.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_writer_aborted_at_any_point_releases_the_connection() {
    with_database(async |url| {
        let db = migrated(url).await;
        for delay in 0..300 {
            let writer = tokio::spawn({
                let db = db.clone();
                async move {
                    let transaction = db.begin().await?;
                    set_counter(&transaction, -1).await?;
                    set_counter(&transaction, delay).await?;
                    transaction.commit().await
                }
            });
            tokio::time::sleep(Duration::from_micros(u64::try_from(delay).unwrap() * 10)).await;
            writer.abort();
            let finished = writer.await.is_ok();
            let next = tokio::time::timeout(PATIENCE, db.begin()).await;
            let transaction = next.expect("the connection is stuck").unwrap();
            let value = counter(&transaction).await.unwrap().value;
            assert_ne!(value, "-1", "part of a transaction was committed");
            assert!(!finished || value == delay.to_string(), "a commit was lost");
            transaction.commit().await.unwrap();
        }
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_dropped_transaction_is_rolled_back() {
    with_database(async |url| {
        let db = migrated(url).await;
        let transaction = db.begin().await.unwrap();
        set_counter(&transaction, 7).await.unwrap();
        drop(transaction);
        let transaction = db.begin().await.unwrap();
        assert_eq!(counter(&transaction).await.unwrap().value, "0");
        transaction.commit().await.unwrap();
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn processes_that_start_together_migrate_once() {
    with_empty_database(async |url| {
        let mut tasks = JoinSet::new();
        for _ in 0..4 {
            let url = url.to_owned();
            tasks.spawn(async move { Database::migrate(&url).await.unwrap() });
        }
        let mut counts = tasks.join_all().await;
        counts.sort_unstable();
        assert_eq!(counts[..3], [0, 0, 0]);
        assert!(counts[3] > 0);
    })
    .await;
}

#[tokio::test]
async fn ping_fails_without_a_schema() {
    with_empty_database(async |url| {
        let db = Database::connect(url, Options::default()).await.unwrap();
        db.ping().await.unwrap_err();
        db.close().await.unwrap();
        let db = migrated(url).await;
        db.ping().await.unwrap();
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn closing_leaves_only_the_database_file() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/made/for/me/test.db", folder.path().display());
    let db = migrated(&url).await;
    db.close().await.unwrap();
    let left = std::fs::read_dir(folder.path().join("made/for/me")).unwrap();
    let names: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["test.db"]);
}

#[tokio::test]
async fn a_newer_database_is_not_migrated() {
    with_database(async |url| {
        let db = migrated(url).await;
        let transaction = db.begin().await.unwrap();
        let future = "INSERT INTO seaql_migrations VALUES ('m29990101_000001_future', 0)";
        transaction.execute_unprepared(future).await.unwrap();
        transaction.commit().await.unwrap();
        assert_eq!(
            Database::migrate(url).await.unwrap_err().to_string(),
            "the database has the migration m29990101_000001_future, which this version does \
             not know; use a newer version"
        );
        db.close().await.unwrap();
    })
    .await;
}

async fn connection_error(url: &str) -> String {
    let error = Database::connect(url, Options::default())
        .await
        .unwrap_err()
        .to_string();
    assert_eq!(Database::migrate(url).await.unwrap_err().to_string(), error);
    assert!(!error.contains('\n'), "{error}");
    error
}

#[tokio::test]
async fn unsupported_database_urls_are_rejected() {
    for url in ["mysql://me:secret@host/db", "MYSQL:x"] {
        let error = connection_error(url).await;
        assert!(
            error.starts_with("a database URL starts with sqlite://"),
            "{error}"
        );
        assert!(!error.contains("secret"), "{error}");
    }
    assert!(
        connection_error("data/forgewright.db")
            .await
            .ends_with("not with `data/forgewright.db`")
    );
    for url in [
        "sqlite::memory:",
        "sqlite://:memory:",
        "sqlite://",
        "sqlite:x?mode=memory",
    ] {
        assert!(
            connection_error(url)
                .await
                .starts_with("sqlite:// needs the path of a file"),
            "{url}"
        );
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("test.db"), "Dear diary, ".repeat(1000)).unwrap();
    let error = connection_error(&in_folder(&folder)).await;
    assert!(
        error.contains("test.db is not a SQLite database"),
        "{error}"
    );
}

#[tokio::test]
async fn the_error_says_that_a_folder_cannot_be_created() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let error = connection_error(&format!(
        "sqlite://{}/file/test.db",
        folder.path().display()
    ))
    .await;
    assert!(error.starts_with("cannot create the folder"), "{error}");
}

#[tokio::test]
async fn the_error_says_that_a_path_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let error = connection_error(&format!("sqlite://{}", folder.path().display())).await;
    assert!(
        error.starts_with("cannot open ") && error.contains("for writing"),
        "{error}"
    );
}

#[tokio::test]
async fn the_error_says_that_a_file_is_locked() {
    let folder = tempfile::tempdir().unwrap();
    let db = migrated(&in_folder(&folder)).await;
    let holder = db.begin().await.unwrap();
    let error = Database::migrate(&in_folder(&folder))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("is locked by another process"), "{error}");
    holder.rollback().await.unwrap();
    db.close().await.unwrap();
}

#[tokio::test]
async fn the_error_for_an_unreachable_server_has_its_address_but_no_password() {
    let error = connection_error("postgres://me:secret@127.0.0.1:1/db").await;
    assert!(
        error.starts_with("cannot reach PostgreSQL at 127.0.0.1:1: "),
        "{error}"
    );
    assert!(!error.contains("secret"), "{error}");
}
