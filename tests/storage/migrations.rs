//! Migrations go up and down, and the schema matches the entities.

use std::collections::BTreeSet;

use crate::sample_rows;
use crate::support::database::{with_database, with_empty_database};
use migration::aggregates::{Aggregate, Kind, Link, Rows, TABLES};
use migration::{Migrator, MigratorTrait};
use sea_orm::{
    ActiveModelTrait, ActiveValue, ConnectionTrait, DbBackend, DbErr, EntityName, EntityTrait,
    Statement, TransactionTrait,
};
use storage::database::{Database, Options};
use storage::entities::*;

pub async fn migrated(url: &str) -> Database {
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

/// A later migration removes what this one did.
const SUPERSEDED: &str = "m20260310_000011_comment_counts";

/// Migrations that change nothing on SQLite.
const POSTGRES_ONLY: [&str; 2] = [
    "m20260310_000015_create_refs",
    "m20260310_000034_logged_budgets",
];

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
            let name = migration.name();
            if name != SUPERSEDED && !(on_sqlite && POSTGRES_ONLY.contains(&name)) {
                assert_ne!(below, before, "{name} reverts nothing");
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

/// The migration that replaces the counts of parts of lists.
const LIST_LENGTHS: &str = "m20260310_000033_list_lengths";

#[tokio::test]
async fn an_upgrade_replaces_the_counts_of_earlier_versions() {
    with_database(async |url| {
        let db = migrated(url).await;
        sample_rows::insert(&db).await.unwrap();
        let (full, counted) = (schema(db.reads()).await, lengths(db.reads()).await);
        assert!(counted.len() > 5, "{counted:?}");
        let all = Migrator::get_migration_files();
        let place = all.iter().position(|file| file.name() == LIST_LENGTHS);
        let later = u32::try_from(all.len() - place.unwrap()).unwrap();
        step(url, async |one| Migrator::down(one, Some(later)).await).await;
        let earlier = earlier_counts(db.reads().get_database_backend());
        step(url, async |one| {
            one.execute_unprepared(&earlier).await.map(|_| ())
        })
        .await;
        step(url, async |one| Migrator::up(one, None).await).await;
        assert_eq!(schema(db.reads()).await, full);
        assert_eq!(lengths(db.reads()).await, counted);
        db.close().await.unwrap();
    })
    .await;
}

async fn lengths(db: &impl ConnectionTrait) -> Vec<String> {
    let sql = "SELECT list || ' ' || owner_id || ' ' || length FROM list_length
               ORDER BY list, owner_id";
    texts(db, sql.to_owned()).await
}

/// The tables and triggers that counted parts of lists, without the columns of the tables and
/// the work of the triggers.
fn earlier_counts(backend: DbBackend) -> String {
    let counts = [
        ("comment_count", "review_comment", "review_comment"),
        (
            "issue_comment_count",
            "issue_comment",
            "listed_issue_comment",
        ),
        ("issue_count", "issue", "listed_issue"),
        ("pull_count", "pull", "listed_pull"),
    ];
    let events = [
        ("added", "INSERT"),
        ("moved", "UPDATE"),
        ("removed", "DELETE"),
    ];
    let mut sql = String::new();
    for (table, of, prefix) in counts {
        sql += &format!("CREATE TABLE {table} (list TEXT PRIMARY KEY);");
        if backend == DbBackend::Postgres {
            sql += &format!(
                "CREATE FUNCTION {prefix}_count() RETURNS TRIGGER LANGUAGE plpgsql
                 AS $$ BEGIN RETURN NULL; END $$;"
            );
        }
        for (name, event) in events {
            let work = match backend {
                DbBackend::Postgres => {
                    format!("FOR EACH STATEMENT EXECUTE FUNCTION {prefix}_count()")
                }
                _ => format!("BEGIN INSERT INTO {table} VALUES ('{name}'); END"),
            };
            sql += &format!("CREATE TRIGGER {prefix}_{name} AFTER {event} ON {of} {work};");
        }
    }
    sql
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

/// Reads a row of each listed entity, and checks that the list has all tables.
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
            check_annotation,
            check_run,
            check_suite,
            collaborator,
            commit_status,
            git_commit,
            git_commit_parent,
            git_reach,
            git_object,
            git_ref,
            git_upload,
            installation,
            installation_repository,
            issue,
            issue_assignee,
            issue_comment,
            issue_field,
            issue_field_option,
            issue_field_value,
            issue_label,
            label,
            list_length,
            membership,
            notification,
            pending_review_comment,
            project,
            project_field,
            project_field_iteration,
            project_field_option,
            project_item,
            project_item_value,
            pull,
            reaction,
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

#[tokio::test]
async fn every_column_that_leads_to_an_aggregate_is_required() {
    with_database(async |url| {
        let db = migrated(url).await;
        for (table, rows) in TABLES {
            let Rows::Change(links) = rows else { continue };
            let optional = optional_columns(db.reads(), table).await;
            for link in *links {
                if let Link::Column(_, column)
                | Link::Columns(_, column, _)
                | Link::Through(_, column, ..) = link
                {
                    assert!(!optional.contains(*column), "{table}.{column}");
                }
                if let Link::Through(kind, _, parent, there) = link {
                    let leads = |link: &Link| matches!(link, Link::Column(also, column) if also == kind && column == there);
                    let parent = TABLES.iter().find(|(table, _)| table == parent).unwrap();
                    let Rows::Change(links) = &parent.1 else { panic!("{parent:?}") };
                    assert!(links.iter().any(leads), "{table} through {parent:?}");
                }
            }
        }
        db.close().await.unwrap();
    })
    .await;
}

/// The columns of a table that may be NULL.
async fn optional_columns(db: &impl ConnectionTrait, table: &str) -> BTreeSet<String> {
    let sql = match db.get_database_backend() {
        DbBackend::Sqlite => {
            format!("SELECT name FROM pragma_table_info('{table}') WHERE NOT \"notnull\"")
        }
        _ => format!(
            "SELECT column_name::text FROM information_schema.columns
             WHERE table_name = '{table}' AND is_nullable = 'YES'"
        ),
    };
    texts(db, sql).await.into_iter().collect()
}

/// Cached data about authors depends on some columns of pull requests and on their ids. SQLite can
/// also change the id under the name `rowid`.
#[tokio::test]
async fn a_column_specific_aggregate_changes_with_its_columns_and_the_id() {
    with_database(async |url| {
        let db = migrated(url).await;
        sample_rows::insert(&db).await.unwrap();
        let renumbered = "PRAGMA defer_foreign_keys = ON;
            UPDATE pull SET rowid = 99 WHERE id = 1; UPDATE pull SET rowid = 1 WHERE id = 99";
        let moved = format!("UPDATE pull SET head_sha = '{}'", "2".repeat(40));
        let neither: [Kind; 0] = [];
        let changes = [
            ("UPDATE pull SET updated_at = updated_at + 1", &neither[..]),
            ("UPDATE pull SET title = 'Other'", &[]),
            (&*moved, &[Kind::Refs]),
            ("UPDATE pull SET number = number + 100", &COLUMN_SPECIFIC),
            (renumbered, &COLUMN_SPECIFIC),
        ];
        for (sql, changing) in changes {
            if sql == renumbered && db.reads().get_database_backend() != DbBackend::Sqlite {
                continue;
            }
            let mut before = Vec::new();
            for kind in COLUMN_SPECIFIC {
                before.push(version(db.reads(), kind).await);
            }
            let transaction = db.begin().await.unwrap();
            transaction.execute_unprepared(sql).await.unwrap();
            transaction.commit().await.unwrap();
            for (kind, before) in COLUMN_SPECIFIC.into_iter().zip(before) {
                let has_changed = version(db.reads(), kind).await > before;
                assert_eq!(has_changed, changing.contains(&kind), "{sql}: {kind:?}");
            }
        }
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_pull_request_that_moves_changes_both_repositories() {
    with_database(async |url| {
        let db = migrated(url).await;
        sample_rows::insert(&db).await.unwrap();
        let pull = pull::Entity::find().one(db.reads()).await.unwrap().unwrap();
        let source = pull.repository_id;
        let row = repository::Entity::find_by_id(source).one(db.reads());
        let mut row = repository::ActiveModel::from(row.await.unwrap().unwrap()).reset_all();
        row.id = ActiveValue::NotSet;
        row.name = ActiveValue::Set("other".to_owned());
        row.name_key = row.name.clone();
        let transaction = db.begin().await.unwrap();
        let target = row.insert(&*transaction).await.unwrap().id;
        transaction.commit().await.unwrap();
        let kinds = [Kind::Refs, Kind::PullStates, Kind::RepositoryPulls];
        let mut aggregates = Vec::new();
        for kind in kinds {
            for repository in [source, target] {
                let part = kind.of(repository);
                aggregates.push((part, version_of(db.reads(), part).await));
            }
        }
        let transaction = db.begin().await.unwrap();
        let moved = format!(
            "UPDATE pull SET repository_id = {target} WHERE id = {}",
            pull.id
        );
        transaction.execute_unprepared(&moved).await.unwrap();
        transaction.commit().await.unwrap();
        for (part, before) in aggregates {
            assert!(version_of(db.reads(), part).await > before, "{part:?}");
        }
        db.close().await.unwrap();
    })
    .await;
}

/// The version of an aggregate.
async fn version_of(db: &impl ConnectionTrait, aggregate: Aggregate) -> i64 {
    let Aggregate { kind, id } = aggregate;
    let kind = kind as u8;
    let sql = format!("SELECT n FROM version WHERE kind = {kind} AND id = {id}");
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let row = db.query_one_raw(statement).await.unwrap();
    row.map_or(0, |row| row.try_get("", "n").unwrap())
}

/// The aggregates that only some columns of `pull` change.
const COLUMN_SPECIFIC: [Kind; 2] = [Kind::Refs, Kind::PullStates];

/// The highest version of a kind.
async fn version(db: &impl ConnectionTrait, kind: Kind) -> i64 {
    let kind = kind as u8;
    let sql = format!("SELECT MAX(n) AS n FROM version WHERE kind = {kind}");
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let row = db.query_one_raw(statement).await.unwrap().unwrap();
    row.try_get("", "n").unwrap()
}

/// The tables of the service.
pub async fn tables(db: &impl ConnectionTrait) -> BTreeSet<String> {
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

/// All parts of the schema, one line each, and the settings that migrations create.
async fn schema(db: &impl ConnectionTrait) -> BTreeSet<String> {
    let sql = match db.get_database_backend() {
        DbBackend::Sqlite => "SELECT type || name || COALESCE(sql, '') FROM sqlite_master",
        _ => {
            "SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default,
                collation_name) FROM information_schema.columns WHERE table_schema = 'public'
             UNION ALL SELECT conrelid::regclass || pg_get_constraintdef(oid) FROM pg_constraint
                WHERE connamespace = 'public'::regnamespace
             UNION ALL SELECT concat_ws(' ', relname, relpersistence) FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
             UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
             UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
             UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc
                WHERE pronamespace = 'public'::regnamespace"
        }
    };
    let mut all: BTreeSet<_> = texts(db, sql.to_owned()).await.into_iter().collect();
    if tables(db).await.contains("setting") {
        let settings = "SELECT 'setting ' || key FROM setting".to_owned();
        all.extend(texts(db, settings).await);
    }
    all
}

pub async fn texts(db: &impl ConnectionTrait, sql: String) -> Vec<String> {
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let rows = db.query_all_raw(statement).await.unwrap();
    rows.iter()
        .map(|row| row.try_get_by_index(0).unwrap())
        .collect()
}
