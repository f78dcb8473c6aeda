//! The schema enforces its constraints, orders by bytes, and has the indexes that it needs.

use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryOrder, RuntimeErr, Statement, sqlx,
};
use storage::database::{Database, skip_ids};
use storage::entities::*;

use crate::migrations::{migrated, tables, texts};
use crate::sample_rows;
use crate::support::database::with_database;

/// Statements on the sample rows. Each violates a constraint of the kind in the constant's name.
const UNIQUE: [&str; 12] = [
    "INSERT INTO account (login, login_key, kind, created_at, updated_at)
        VALUES ('ALICE', 'alice', 'User', 0, 0)",
    "INSERT INTO repository (owner_id, name, name_key, visibility, default_branch, created_at, updated_at)
        SELECT owner_id, 'WIDGETS', 'widgets', 'public', 'main', 0, 0 FROM repository",
    "INSERT INTO membership SELECT organization_id, user_id, 'member' FROM membership",
    "INSERT INTO issue_field (organization_id, name, name_key, data_type, visibility, created_at, updated_at)
        SELECT organization_id, 'PRIORITY', 'priority', 'text', 'all', 0, 0 FROM issue_field",
    "INSERT INTO project_field (project_id, issue_field_id, created_at, updated_at)
        SELECT project_id, issue_field_id, 0, 0 FROM project_field WHERE issue_field_id IS NOT NULL",
    "INSERT INTO git_ref (repository_id, name, sha, kind, updated_at)
        SELECT repository_id, name, sha, kind, 0 FROM git_ref",
    "INSERT INTO token (hash, kind, user_id, hint, created_at)
        SELECT hash, 'classic', MIN(account.id), 'abcd', 0 FROM token, account GROUP BY hash",
    "INSERT INTO notification (recipient_id, pull_id, comment_id, reason, created_at)
        SELECT recipient_id, pull_id, comment_id, 'mention', 0 FROM notification",
    "INSERT INTO check_suite (commit_id, app_id, created_at, updated_at)
        SELECT commit_id, app_id, 0, 0 FROM check_suite",
    "INSERT INTO review (pull_id, author_id, state, commit_sha, submitted_at)
        SELECT pull_id, author_id, state, commit_sha, 2 FROM review WHERE state = 'PENDING'",
    "INSERT INTO issue (repository_id, number, title, author_id, state, created_at, updated_at)
        SELECT repository_id, number, 'Twice', author_id, 'open', 0, 0 FROM pull",
    "INSERT INTO label (repository_id, name, name_key, color, created_at, updated_at)
        SELECT repository_id, 'BUG', name_key, color, 0, 0 FROM label",
];

const CHECK: [&str; 27] = [
    "UPDATE account SET kind = 'Robot'",
    "UPDATE account SET login_key = 'Alice' WHERE login = 'alice'",
    "UPDATE account SET base_permission = 'read' WHERE kind = 'User'",
    "UPDATE collaborator SET permission = 'none'",
    "UPDATE repository SET size_kb = -1",
    "UPDATE repository SET topics = '{}'",
    "UPDATE project SET number = 0",
    "UPDATE project_field SET name = NULL WHERE name IS NOT NULL",
    "UPDATE project_field SET iteration_duration = NULL WHERE data_type = 'iteration'",
    "UPDATE project_field_option SET option_key = 'F75AD846'",
    "UPDATE git_ref SET kind = 'tree'",
    "UPDATE pull SET state = 'merged'",
    "UPDATE pull SET head_sha = 'abc'",
    "UPDATE commit_status SET state = 'passed'",
    "UPDATE commit_status SET context = ''",
    "UPDATE check_run SET conclusion = NULL",
    "UPDATE check_run SET status = 'queued'",
    "UPDATE check_annotation SET start_column = 1",
    "UPDATE review SET dismissal_message = 'Settled'",
    "UPDATE review_comment SET side = 'MIDDLE'",
    "UPDATE review_comment SET original_line = NULL",
    "UPDATE issue SET closed_at = 1 WHERE pull_id IS NULL",
    "UPDATE issue SET lock_reason = 'spam' WHERE pull_id IS NULL",
    "UPDATE label SET color = 'red'",
    "UPDATE installation SET suspended_at = NULL, suspended_by_id = account_id",
    "UPDATE token SET expires_at = NULL WHERE kind = 'installation'",
    "UPDATE token SET kind = 'classic' WHERE kind = 'installation'",
];

const FOREIGN_KEY: [&str; 4] = [
    "UPDATE repository SET owner_id = 4711",
    "UPDATE git_ref SET sha = 'ffffffffffffffffffffffffffffffffffffffff'",
    "UPDATE review_comment SET in_reply_to_id = 4711",
    "DELETE FROM git_object",
];

#[tokio::test]
async fn constraints_refuse_invalid_rows() {
    with_database(async |url| {
        let db = migrated(url).await;
        sample_rows::insert(&db).await.unwrap();
        for sql in UNIQUE {
            assert_refused(&db, sql, &["1555", "2067", "23505"]).await;
        }
        for sql in CHECK {
            assert_refused(&db, sql, &["275", "23514"]).await;
        }
        for sql in FOREIGN_KEY {
            assert_refused(&db, sql, &["787", "1811", "23503"]).await;
        }
        db.close().await.unwrap();
    })
    .await;
}

/// The codes are SQLite's extended result codes and PostgreSQL's SQLSTATE.
async fn assert_refused(db: &Database, sql: &str, codes: &[&str]) {
    let transaction = db.begin().await.unwrap();
    let error = transaction.execute_unprepared(sql).await;
    transaction.rollback().await.unwrap();
    let Err(DbErr::Exec(RuntimeErr::SqlxError(error))) = error else {
        panic!("{sql}\nwas not refused: {error:?}");
    };
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    assert!(
        code.as_deref().is_some_and(|code| codes.contains(&code)),
        "{sql}\nwas refused for another reason: {error}"
    );
}

#[tokio::test]
async fn deleting_a_repository_deletes_its_contents() {
    with_database(async |url| {
        let db = migrated(url).await;
        sample_rows::insert(&db).await.unwrap();
        let transaction = db.begin().await.unwrap();
        repository::Entity::delete_many()
            .exec(&*transaction)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        assert!(
            git_object::Entity::find()
                .one(db.reads())
                .await
                .unwrap()
                .is_none()
        );
        assert!(
            git_ref::Entity::find()
                .one(db.reads())
                .await
                .unwrap()
                .is_none()
        );
        assert!(
            review_comment::Entity::find()
                .one(db.reads())
                .await
                .unwrap()
                .is_none()
        );
        assert!(
            account::Entity::find()
                .one(db.reads())
                .await
                .unwrap()
                .is_some()
        );
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn references_are_ordered_by_bytes() {
    with_database(async |url| {
        let db = migrated(url).await;
        sample_rows::insert(&db).await.unwrap();
        for name in [
            "refs/heads/b",
            "refs/heads/B",
            "refs/heads/a-b",
            "refs/heads/ab",
        ] {
            db.begin_and_run(&format!(
                "INSERT INTO git_ref (repository_id, name, sha, kind, updated_at)
                 SELECT repository_id, '{name}', sha, kind, 0 FROM git_ref
                 WHERE name = 'refs/heads/main'"
            ))
            .await;
        }
        let rows = git_ref::Entity::find().order_by_asc(git_ref::Column::Name);
        let names = rows
            .all(db.reads())
            .await
            .unwrap()
            .into_iter()
            .map(|row| row.name);
        let expected = ["B", "a-b", "ab", "b", "main"].map(|name| format!("refs/heads/{name}"));
        assert_eq!(names.collect::<Vec<_>>(), expected);
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn ids_are_never_reused() {
    with_database(async |url| {
        let db = migrated(url).await;
        let first = db.insert_account("one", None).await;
        db.begin_and_run("DELETE FROM account").await;
        let second = db.insert_account("two", None).await;
        assert!(second > first, "{second} after {first}");
        db.insert_account("given", Some(900)).await;
        assert_eq!(db.insert_account("three", None).await, 901);
        db.close().await.unwrap();
    })
    .await;
}

trait Raw {
    async fn begin_and_run(&self, sql: &str);
    async fn insert_account(&self, login: &str, id: Option<i64>) -> i64;
}

impl Raw for Database {
    async fn begin_and_run(&self, sql: &str) {
        let transaction = self.begin().await.unwrap();
        transaction.execute_unprepared(sql).await.unwrap();
        transaction.commit().await.unwrap();
    }

    async fn insert_account(&self, login: &str, id: Option<i64>) -> i64 {
        let transaction = self.begin().await.unwrap();
        let mut row = sample_rows::user(login);
        if let Some(id) = id {
            row.id = sea_orm::Set(id);
            skip_ids(&transaction, "account", id).await.unwrap();
        }
        let inserted = account::Entity::insert(row)
            .exec(&*transaction)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        inserted.last_insert_id
    }
}

/// Tests SQLite only: the same statements create the schema in both databases.
#[tokio::test]
async fn every_foreign_key_has_an_index_that_starts_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/test.db", folder.path().display());
    let db = migrated(&url).await;
    let mut seen = 0;
    for table in tables(db.reads()).await {
        let indexes = indexes(db.reads(), &table).await;
        for key in foreign_keys(db.reads(), &table).await {
            let found = indexes.iter().any(|index| index.starts_with(&key));
            assert!(found, "{table} {key:?} has no index among {indexes:?}");
            seen += 1;
        }
    }
    assert!(seen > 40, "only {seen} foreign keys were found");
    db.close().await.unwrap();
}

/// A check that fills a temporary table for each statement makes every insert slower.
#[tokio::test]
async fn no_check_fills_a_temporary_table() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/test.db", folder.path().display());
    let db = migrated(&url).await;
    let writer = db.begin().await.unwrap();
    for table in tables(db.reads()).await {
        let insert = format!("EXPLAIN INSERT INTO {table} DEFAULT VALUES");
        let insert = Statement::from_string(DbBackend::Sqlite, insert);
        for step in writer.query_all_raw(insert).await.unwrap() {
            let opcode: String = step.try_get("", "opcode").unwrap();
            assert_ne!(opcode, "OpenEphemeral", "{table}");
        }
    }
    drop(writer);
    db.close().await.unwrap();
}

async fn foreign_keys(db: &impl ConnectionTrait, table: &str) -> Vec<Vec<String>> {
    let sql = format!(
        "SELECT group_concat(\"from\", ',') FROM
            (SELECT id, \"from\" FROM pragma_foreign_key_list('{table}') ORDER BY id, seq)
         GROUP BY id"
    );
    column_lists(db, sql).await
}

async fn indexes(db: &impl ConnectionTrait, table: &str) -> Vec<Vec<String>> {
    let sql = format!(
        "SELECT group_concat(name, ',') FROM
            (SELECT list.name AS list, info.name AS name FROM pragma_index_list('{table}') AS list,
                pragma_index_info(list.name) AS info WHERE list.partial = 0
             ORDER BY list.name, info.seqno)
         GROUP BY list"
    );
    column_lists(db, sql).await
}

async fn column_lists(db: &impl ConnectionTrait, sql: String) -> Vec<Vec<String>> {
    let lists = texts(db, sql).await;
    let split = |list: &String| list.split(',').map(str::to_owned).collect();
    lists.iter().map(split).collect()
}
