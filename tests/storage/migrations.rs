//! Migrations go up and down, and the schema matches the entities and enforces its
//! constraints.

use std::collections::BTreeSet;

use crate::sample_rows;
use crate::support::database::{with_database, with_empty_database};
use forgewright::database::{Database, Options, continue_ids};
use forgewright::entities::*;
use migration::aggregates::TABLES;
use migration::{Migrator, MigratorTrait};
use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, EntityName, EntityTrait, QueryOrder, RuntimeErr, Statement,
    TransactionTrait, sqlx,
};

async fn migrated(url: &str) -> Database {
    Database::migrate(url).await.unwrap();
    Database::connect(url, Options::default()).await.unwrap()
}

#[tokio::test]
async fn migrating_twice_changes_nothing() {
    with_empty_database(async |url| {
        let all = Migrator::migrations().len();
        assert_eq!(Database::migrate(url).await.unwrap(), all);
        let db = Database::connect(url, Options::default()).await.unwrap();
        let first = schema(db.reads()).await;
        assert_eq!(Database::migrate(url).await.unwrap(), 0);
        assert_eq!(schema(db.reads()).await, first);
        db.close().await.unwrap();
    })
    .await;
}

/// A migration that makes a function of PostgreSQL.
const ON_POSTGRESQL_ALONE: &str = "m20260310_000015_create_refs";

#[tokio::test]
async fn every_migration_goes_down_and_up_again() {
    with_database(async |url| {
        let db = migrated(url).await;
        let full = schema(db.reads()).await;
        for migration in Migrator::get_migration_files().iter().rev() {
            let before = schema(db.reads()).await;
            step(url, async |one| Migrator::down(one, Some(1)).await).await;
            let below = schema(db.reads()).await;
            let on_sqlite = db.reads().get_database_backend() == DbBackend::Sqlite;
            if !(on_sqlite && migration.name() == ON_POSTGRESQL_ALONE) {
                assert_ne!(below, before, "{} undoes nothing", migration.name());
            }
            step(url, async |one| Migrator::up(one, Some(1)).await).await;
            assert_eq!(schema(db.reads()).await, before);
            step(url, async |one| Migrator::down(one, Some(1)).await).await;
        }
        assert_eq!(tables(db.reads()).await, BTreeSet::new());
        step(url, async |one| Migrator::up(one, None).await).await;
        assert_eq!(schema(db.reads()).await, full);
        db.close().await.unwrap();
    })
    .await;
}

async fn step(
    url: &str,
    migrate: impl AsyncFn(&sea_orm::DatabaseTransaction) -> Result<(), DbErr>,
) {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let transaction = connection.begin().await.unwrap();
    migrate(&transaction).await.unwrap();
    transaction.commit().await.unwrap();
    connection.close().await.unwrap();
}

/// Checks each entity named, and that together they are all the tables.
macro_rules! assert_entities_read {
    ($db:expr, $($table:ident),* $(,)?) => {
        let named = BTreeSet::from([$($table::Entity.table_name().to_owned()),*]);
        assert_eq!(tables($db).await, named);
        $(
            let row = $table::Entity::find().one($db).await.unwrap();
            assert!(row.is_some(), "{} has no sample row", stringify!($table));
        )*
    };
}

#[tokio::test]
async fn every_entity_writes_and_reads_its_table() {
    with_database(async |url| {
        let db = migrated(url).await;
        sample_rows::insert(&db).await.unwrap();
        assert_entities_read!(
            db.reads(),
            account,
            app,
            budget,
            collaborator,
            comment_count,
            git_commit,
            git_commit_parent,
            git_reach,
            git_object,
            git_ref,
            installation,
            installation_repository,
            issue_field,
            issue_field_option,
            membership,
            notification,
            pending_review_comment,
            project,
            project_field,
            project_field_iteration,
            project_field_option,
            pull,
            repository,
            repository_push,
            review,
            review_comment,
            setting,
            token,
            token_repository,
            version,
            webhook_delivery,
        );
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn every_table_is_mapped_to_aggregates_or_marked() {
    with_database(async |url| {
        let db = migrated(url).await;
        let mapped: BTreeSet<_> = TABLES
            .iter()
            .map(|(table, _)| (*table).to_owned())
            .collect();
        let mut found = tables(db.reads()).await;
        found.insert("seaql_migrations".to_owned());
        assert_eq!(
            found, mapped,
            "add the table to migration/src/aggregates.rs"
        );
        db.close().await.unwrap();
    })
    .await;
}

/// What is wrong with each statement, on rows that are right as they stand.
const UNIQUE: [&str; 9] = [
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
    "INSERT INTO review (pull_id, author_id, state, commit_sha, submitted_at)
        SELECT pull_id, author_id, state, commit_sha, 2 FROM review WHERE state = 'PENDING'",
];

const CHECK: [&str; 19] = [
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
    "UPDATE review SET dismissal_message = 'Settled'",
    "UPDATE review_comment SET side = 'MIDDLE'",
    "UPDATE review_comment SET original_line = NULL",
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
async fn constraints_refuse_what_they_must() {
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
async fn a_repository_takes_all_that_it_holds_with_it() {
    with_database(async |url| {
        let db = migrated(url).await;
        sample_rows::insert(&db).await.unwrap();
        let transaction = db.begin().await.unwrap();
        repository::Entity::delete_many()
            .exec(&transaction)
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
async fn references_are_ordered_by_their_bytes() {
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
async fn an_id_is_never_given_twice() {
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
        }
        let inserted = account::Entity::insert(row)
            .exec(&transaction)
            .await
            .unwrap();
        continue_ids(&transaction, "account").await.unwrap();
        transaction.commit().await.unwrap();
        inserted.last_insert_id
    }
}

/// Both databases are made by the same statements, so SQLite answers for both.
#[tokio::test]
async fn every_foreign_key_has_an_index_that_starts_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/test.db", folder.path().display());
    let db = migrated(&url).await;
    let mut seen = 0;
    for table in tables(db.reads()).await {
        let indexes = indexes(db.reads(), &table).await;
        for key in foreign_keys(db.reads(), &table).await {
            let served = indexes.iter().any(|index| index.starts_with(&key));
            assert!(served, "{table} {key:?} has no index among {indexes:?}");
            seen += 1;
        }
    }
    assert!(seen > 40, "only {seen} foreign keys were found");
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

/// The service's own tables.
async fn tables(db: &impl ConnectionTrait) -> BTreeSet<String> {
    let sql = match db.get_database_backend() {
        DbBackend::Sqlite => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        }
        _ => "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'",
    };
    let mut names: BTreeSet<_> = texts(db, sql.to_owned()).await.into_iter().collect();
    names.remove("seaql_migrations");
    names
}

/// Everything that the schema consists of, a line each.
async fn schema(db: &impl ConnectionTrait) -> BTreeSet<String> {
    let sql = match db.get_database_backend() {
        DbBackend::Sqlite => "SELECT type || name || COALESCE(sql, '') FROM sqlite_master",
        _ => {
            "SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default,
                collation_name) FROM information_schema.columns WHERE table_schema = 'public'
             UNION ALL SELECT conrelid::regclass || pg_get_constraintdef(oid) FROM pg_constraint
                WHERE connamespace = 'public'::regnamespace
             UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
             UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
             UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc
                WHERE pronamespace = 'public'::regnamespace"
        }
    };
    texts(db, sql.to_owned()).await.into_iter().collect()
}

async fn texts(db: &impl ConnectionTrait, sql: String) -> Vec<String> {
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let rows = db.query_all_raw(statement).await.unwrap();
    rows.iter()
        .map(|row| row.try_get_by_index(0).unwrap())
        .collect()
}
