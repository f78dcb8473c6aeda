//! `forgewright doctor` finds nothing in a healthy database, and names every violated rule. Every
//! rule has a case here.

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::support::database::with_database;
use crate::support::server::Server;
use forgewright::doctor::{examine, invariants};
use sea_orm::sqlx::postgres::PgPoolOptions;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, SqlxPostgresConnector, SqlxSqliteConnector,
    Statement, TransactionTrait,
};
use storage::database::{Database, ReadSnapshot, inspect};
use world::load::WorldSource;

async fn demo(url: &str) {
    Database::migrate(url).await.unwrap();
    let server = Server::start(url).await;
    server.load_source(&WorldSource::demo()).await;
    server.stop().await;
}

/// A connection that does not enforce foreign keys.
async fn without_foreign_keys(url: &str) -> DatabaseConnection {
    if url.starts_with("sqlite") {
        let options = SqliteConnectOptions::from_str(url).unwrap();
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .connect_with(options.foreign_keys(false))
            .await
            .unwrap();
        return SqlxSqliteConnector::from_sqlx_sqlite_pool(pool);
    }
    let pool = PgPoolOptions::new().max_connections(1);
    let db = SqlxPostgresConnector::from_sqlx_postgres_pool(pool.connect(url).await.unwrap());
    db.execute_unprepared("SET session_replication_role = replica")
        .await
        .unwrap();
    db
}

/// Rules, and statements that violate them in the demo world.
const CASES: &[(&str, &str)] = &[
    (
        "members-are-users",
        "UPDATE membership SET user_id = (SELECT bot_id FROM app) WHERE user_id = 1002",
    ),
    (
        "organizations-have-the-members",
        "UPDATE membership SET organization_id = 1003 WHERE user_id = 1002",
    ),
    (
        "collaborators-are-users",
        "UPDATE collaborator SET user_id = (SELECT bot_id FROM app)",
    ),
    (
        "repositories-have-owners",
        "UPDATE repository SET owner_id = (SELECT bot_id FROM app) WHERE id = 2001",
    ),
    ("bots-have-apps", "UPDATE app SET bot_id = 1003"),
    (
        "issue-fields-of-organizations",
        "UPDATE issue_field SET organization_id = 1003",
    ),
    (
        "select-fields-have-options",
        "DELETE FROM issue_field_option",
    ),
    (
        "options-of-select-fields",
        "UPDATE issue_field SET data_type = 'text'",
    ),
    (
        "project-options-of-select-fields",
        "UPDATE project_field SET data_type = 'text' WHERE data_type = 'single_select'",
    ),
    (
        "project-option-positions",
        "DELETE FROM project_field_option WHERE position = 0",
    ),
    (
        "iterations-of-iteration-fields",
        "UPDATE project_field_iteration SET field_id = 5002",
    ),
    (
        "iteration-positions",
        "UPDATE project_field_iteration SET position = position + 1
         WHERE position = (SELECT MAX(position) FROM project_field_iteration)",
    ),
    (
        "project-fields-of-own-issue-fields",
        "UPDATE project SET owner_id = 1003 WHERE id = 3001",
    ),
    (
        "references-name-objects",
        "UPDATE git_ref SET kind = 'tag' WHERE name LIKE 'refs/tags/%'",
    ),
    ("branches-name-commits", "DELETE FROM git_commit"),
    (
        "references-do-not-nest",
        "UPDATE git_ref SET name = 'refs/heads/main/part' WHERE name = 'refs/heads/spring'",
    ),
    ("commits-are-nodes", "DELETE FROM git_commit"),
    (
        "nodes-are-commits",
        "DELETE FROM git_object WHERE kind = 'commit'",
    ),
    (
        "commits-have-trees",
        "DELETE FROM git_object WHERE kind = 'tree'",
    ),
    (
        "parents-in-order",
        "UPDATE git_commit_parent SET ordinal = 5 WHERE commit_id = 2",
    ),
    (
        "parents-in-the-same-repository",
        "UPDATE git_commit_parent SET parent_id = 3 WHERE commit_id = 2",
    ),
    ("roots-are-first", "DELETE FROM git_commit_parent"),
    (
        "generations",
        "UPDATE git_commit SET generation = 7 WHERE id = 2",
    ),
    (
        "chains-are-lines",
        "UPDATE git_commit SET position = 7 WHERE id = 2",
    ),
    (
        "reaches-are-written",
        "UPDATE git_commit SET reach = 4946132992 WHERE id = 2",
    ),
    (
        "visible-deltas-have-visible-bases",
        "UPDATE git_object SET base_sha = '0123456789012345678901234567890123456789'
         WHERE kind = 'blob'",
    ),
    (
        "visible-commits-have-visible-parents",
        "INSERT INTO git_upload (id, repository_id, process, renewed_at, abandoned)
         SELECT 1, repository_id, 'a', 1, id > 1 FROM git_commit WHERE id = 1;
         UPDATE git_commit SET upload_id = 1 WHERE id = 1",
    ),
    (
        "visible-commits-are-visible-objects",
        "INSERT INTO git_upload (id, repository_id, process, renewed_at, abandoned)
         SELECT 1, repository_id, 'a', 1, id > 1 FROM git_commit WHERE id = 1;
         UPDATE git_object SET upload_id = 1
         WHERE sha = (SELECT sha FROM git_commit WHERE id = 1)",
    ),
    (
        "pulls-name-commits",
        "UPDATE pull SET head_sha = '0123456789012345678901234567890123456789'",
    ),
    (
        "open-pulls-follow-their-branch",
        "UPDATE pull SET head_sha = base_sha WHERE state = 'open'",
    ),
    (
        "pulls-are-issues",
        "UPDATE issue SET title = 'Other' WHERE pull_id IS NOT NULL",
    ),
    (
        "labels-are-of-the-repository",
        "UPDATE label SET repository_id = 2003",
    ),
    (
        "values-are-of-the-organization",
        "UPDATE issue_field SET organization_id = 1007 WHERE id = 4001",
    ),
    (
        "values-fit-their-field",
        "UPDATE issue_field SET data_type = 'text' WHERE id = 4001",
    ),
    (
        "reactions-are-counted",
        "INSERT INTO reaction (review_comment_id, content, created_at)
         SELECT MIN(id), 'heart', 1 FROM review_comment",
    ),
    (
        "project-values-are-of-the-project",
        "UPDATE project_item SET project_id = 3002 WHERE id = 5501",
    ),
    (
        "project-choices-are-of-the-field",
        "UPDATE project_item_value SET option_id =
            (SELECT MIN(id) FROM project_field_option WHERE field_id = 5007)
         WHERE option_id IS NOT NULL",
    ),
    ("comments-have-reviews", "DELETE FROM review"),
    (
        "comments-have-pulls",
        "UPDATE review_comment SET repository_id = 2003",
    ),
    (
        "replies-have-roots",
        "UPDATE review_comment SET path = 'elsewhere' WHERE in_reply_to_id IS NOT NULL",
    ),
    (
        "comments-name-commits",
        "UPDATE review_comment SET commit_sha = '0123456789012345678901234567890123456789'",
    ),
    (
        "comments-are-placed-or-outdated",
        "UPDATE review_comment SET position = NULL WHERE line IS NOT NULL",
    ),
    (
        "several-lines-are-in-order",
        "UPDATE review_comment SET start_side = side, original_start_line = original_line
         WHERE original_line IS NOT NULL",
    ),
    (
        "contexts-have-one-latest-status",
        "INSERT INTO commit_status (commit_id, context, context_key, state, created_at)
         SELECT MIN(id), 'CI', 'ci', 'success', 1 FROM git_commit
         UNION ALL SELECT MIN(id), 'ci', 'ci', 'success', 2 FROM git_commit",
    ),
    (
        "names-have-one-latest-run",
        "INSERT INTO check_run (commit_id, suite_id, name, status, started_at)
         SELECT MIN(id), 1, 'lint', 'queued', 1 FROM git_commit
         UNION ALL SELECT MIN(id), 1, 'lint', 'queued', 2 FROM git_commit",
    ),
    (
        "check-runs-are-of-the-commit-of-their-suite",
        "INSERT INTO check_run (commit_id, suite_id, name, status, started_at)
         SELECT MIN(id), 1, 'lint', 'queued', 1 FROM git_commit",
    ),
    (
        "annotations-are-counted",
        "INSERT INTO check_run (commit_id, suite_id, name, status, started_at, annotations)
         SELECT MIN(id), 1, 'lint', 'queued', 1, 1 FROM git_commit",
    ),
    (
        "reviews-name-commits",
        "UPDATE review SET commit_sha = '0123456789012345678901234567890123456789'",
    ),
    (
        "pending-comments-have-pending-reviews",
        "INSERT INTO pending_review_comment (id, repository_id, pull_id, review_id, path,
             diff_hunk, commit_sha, original_commit_sha, side, original_line,
             original_position, body, body_html, body_text, created_at)
         SELECT id + 1000, repository_id, pull_id, review_id, path, diff_hunk, commit_sha,
             original_commit_sha, 'RIGHT', 1, 1, body, body_html, body_text, created_at
         FROM review_comment",
    ),
    (
        "issue-comments-have-issues",
        "INSERT INTO issue_comment (repository_id, issue_id, body, body_html, body_text,
             created_at, updated_at)
         SELECT 2005, id, 'x', 'x', 'x', 1, 1 FROM issue WHERE repository_id <> 2005",
    ),
    (
        "issue-comment-counts-match",
        "UPDATE issue SET comments = comments + 1",
    ),
    (
        "notifications-match-comments",
        "INSERT INTO notification (recipient_id, pull_id, comment_id, reason, created_at)
         SELECT 1003, 8002, id, 'author', 1 FROM review_comment WHERE pull_id = 8001",
    ),
    (
        "notifications-go-to-others",
        "INSERT INTO notification (recipient_id, pull_id, comment_id, reason, created_at)
         SELECT author_id, pull_id, id, 'author', 1 FROM review_comment",
    ),
    (
        "deliveries-reach-the-owner",
        "INSERT INTO webhook_delivery
            (guid, app_id, installation_id, repository_id, event, payload, created_at,
             next_attempt_at)
         SELECT 'g', app_id, 7002, 2001, 'e', '{}', 1, 1 FROM installation WHERE id = 7002",
    ),
    (
        "selected-installations-have-repositories",
        "DELETE FROM installation_repository",
    ),
    (
        "installations-reach-their-account",
        "UPDATE installation_repository SET installation_id = 7002",
    ),
    (
        "installations-on-owners",
        "UPDATE installation SET account_id = (SELECT bot_id FROM app) WHERE id = 7002",
    ),
    (
        "tokens-have-holders",
        "UPDATE token SET user_id = 1004 WHERE user_id IS NOT NULL",
    ),
    (
        "token-repositories-of-selecting-tokens",
        "UPDATE token SET repository_selection = 'all' WHERE repository_selection = 'selected'",
    ),
    (
        "tokens-reach-their-owner",
        "UPDATE token SET owner_id = 1001 WHERE owner_id IS NOT NULL",
    ),
    (
        "comment-counts-match",
        "DELETE FROM list_length WHERE list = 'review_comment.pull_id'",
    ),
    (
        "listed-issue-comments-match",
        "DELETE FROM list_length WHERE list = 'issue_comment.issue_id'",
    ),
    (
        "listed-issues-match",
        "UPDATE list_length SET length = length + 1 WHERE list = 'issue.repository_id.open'",
    ),
    (
        "listed-pulls-match",
        "DELETE FROM list_length WHERE list = 'pull.repository_id.open'",
    ),
];

#[tokio::test]
async fn a_healthy_database_passes_every_check() {
    with_database(async |url| {
        demo(url).await;
        let db = inspect(url).await.unwrap();
        let report = examine(&db, true).await.unwrap();
        assert_eq!(report.findings, []);
        assert_eq!(report.checks, invariants().len() + 6);
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn each_violated_rule_is_reported() {
    with_database(async |url| {
        demo(url).await;
        let db = without_foreign_keys(url).await;
        for (name, sql) in CASES {
            let transaction = ReadSnapshot::from(db.begin().await.unwrap());
            transaction.execute_unprepared(sql).await.unwrap();
            let report = examine(&transaction, false).await.unwrap();
            let found = report.findings.iter().find(|finding| finding.name == *name);
            let finding = found.unwrap_or_else(|| panic!("{url} {name}: {:#?}", report.findings));
            assert!(!finding.ids.is_empty() && finding.ids.len() <= 10);
            assert!(finding.total >= i64::try_from(finding.ids.len()).unwrap());
            drop(transaction);
        }
        assert_eq!(
            examine(&db.clone().into(), true).await.unwrap().findings,
            []
        );
        db.close().await.unwrap();
    })
    .await;
}

#[test]
fn each_rule_has_a_case() {
    let cases: BTreeSet<&str> = CASES.iter().map(|(name, _)| *name).collect();
    let rules: BTreeSet<&str> = invariants().iter().map(|rule| rule.name).collect();
    assert_eq!(rules, cases);
    assert_eq!(
        CASES.len(),
        invariants().len(),
        "two rules have the same name"
    );
}

/// The checks of the storage and of the Git objects, which are not invariants.
#[tokio::test]
async fn dangling_rows_reused_ids_and_damaged_objects_are_reported() {
    with_database(async |url| {
        demo(url).await;
        let db = without_foreign_keys(url).await;
        let behind = match url.starts_with("sqlite") {
            true => "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'account'",
            false => "ALTER TABLE account ALTER COLUMN id RESTART WITH 1",
        };
        let renamed = "UPDATE git_object SET sha = 'ffffffffffffffffffffffffffffffffffffffff'
             WHERE sha = (SELECT MAX(sha) FROM git_object WHERE kind = 'blob')";
        for (name, sql) in [
            ("foreign-keys", "DELETE FROM account WHERE id = 1003"),
            (
                "foreign-keys",
                "DELETE FROM git_object WHERE kind = 'commit'",
            ),
            ("next-ids", behind),
            ("objects-are-what-they-are-named", renamed),
            (
                "objects-agree-with-the-graph",
                "DELETE FROM git_commit_parent",
            ),
            (
                "objects-agree-with-the-graph",
                "DELETE FROM git_object WHERE kind = 'blob'",
            ),
        ] {
            let transaction = ReadSnapshot::from(db.begin().await.unwrap());
            transaction.execute_unprepared(sql).await.unwrap();
            let report = examine(&transaction, true).await.unwrap();
            let found = report.findings.iter().any(|finding| finding.name == name);
            assert!(found, "{url} {name}: {:#?}", report.findings);
            drop(transaction);
        }
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn every_difference_from_the_schema_of_the_migrations_is_reported() {
    with_database(async |url| {
        demo(url).await;
        let db = without_foreign_keys(url).await;
        let everywhere = [
            ("CREATE TABLE own (id INTEGER)", "unexpected table own"),
            ("CREATE VIEW own AS SELECT 1 AS one", "unexpected view own"),
            (
                "ALTER TABLE account ADD COLUMN own INTEGER",
                "unexpected column account.own",
            ),
        ];
        let on_sqlite = [
            (
                "CREATE TRIGGER own AFTER INSERT ON token BEGIN DELETE FROM account; END",
                "unexpected trigger own",
            ),
            (
                "DROP TRIGGER version_of_account_on_update;
                 CREATE TRIGGER version_of_account_on_update AFTER UPDATE ON account
                 BEGIN SELECT 1; END",
                "changed trigger version_of_account_on_update",
            ),
            (
                "DROP TRIGGER version_of_account_on_update",
                "missing trigger version_of_account_on_update",
            ),
            (
                "CREATE UNIQUE INDEX own ON account (login, id)",
                "unexpected index own",
            ),
            (
                "DROP INDEX review_comment_by_pull",
                "missing index review_comment_by_pull",
            ),
        ];
        let on_sqlite = on_sqlite.iter().filter(|_| url.starts_with("sqlite"));
        for (sql, expected) in everywhere.iter().chain(on_sqlite) {
            let transaction = ReadSnapshot::from(db.begin().await.unwrap());
            transaction.execute_unprepared(sql).await.unwrap();
            let report = examine(&transaction, false).await.unwrap();
            let found = report.findings.iter().find(|one| one.name == "schema");
            let ids = &found.unwrap_or_else(|| panic!("{sql}: {report:?}")).ids;
            assert!(ids.contains(&(*expected).to_owned()), "{sql}: {ids:?}");
            drop(transaction);
        }
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_constraint_that_was_never_validated_is_reported() {
    with_database(async |url| {
        if url.starts_with("sqlite") {
            return;
        }
        demo(url).await;
        let db = without_foreign_keys(url).await;
        let sql = "ALTER TABLE account ADD CONSTRAINT odd CHECK (id % 2 = 1) NOT VALID";
        db.execute_unprepared(sql).await.unwrap();
        let report = examine(&db.clone().into(), false).await.unwrap();
        assert_eq!(report.findings[0].name, "storage");
        assert_eq!(report.findings[0].ids, ["odd"]);
        db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_damaged_file_is_reported_without_further_checks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let url = format!("sqlite://{}", path.display());
    demo(&url).await;
    let db = without_foreign_keys(&url).await;
    let sql = "SELECT rootpage AS page FROM sqlite_schema WHERE name = 'review_comment_by_pull'";
    let row = db.query_one_raw(Statement::from_string(DbBackend::Sqlite, sql));
    let page: i64 = row.await.unwrap().unwrap().try_get("", "page").unwrap();
    db.close().await.unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let page = usize::try_from(page).unwrap() * 4096;
    bytes[page - 4096..page].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    let db = inspect(&url).await.unwrap();
    let report = examine(&db, true).await.unwrap();
    assert_eq!(report.checks, 1);
    assert_eq!(report.findings[0].name, "storage");
    db.close().await.unwrap();
}
