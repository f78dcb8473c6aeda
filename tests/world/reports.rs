//! Conversations, commit statuses and check runs.

use contract::values::Timestamp;
use sea_orm::{ConnectionTrait, EntityTrait, QueryOrder};
use storage::entities::{check_annotation, check_run, check_suite, commit_status};
use storage::entities::{issue, issue_comment};

use super::Setup;
use super::support::database::with_database;
use super::support::tables::dump;

/// An issue and a pull request with a comment each, three statuses and two check runs.
const WORLD: &str = r#"users: [{login: alice}, {login: bob}]
repositories:
  - full_name: alice/notes
    git:
      commits:
        - {id: c1, message: One, files: {a.txt: "a\n"}}
        - {id: c2, message: Two, files: {a.txt: "b\n"}}
      refs: {refs/heads/main: c1, refs/heads/topic: c2}
    issues:
      - number: 2
        title: Which notes?
        author: bob
        conversation:
          - {id: 70, author: alice, body: All of **them**., created_at: 2026-03-09T08:00:00Z}
          - {author: bob, body: "+1"}
          - {author: bob, body: "+1"}
    pulls:
      - {number: 1, title: Two, author: bob, base: main, head: topic, conversation: [{author: alice, body: Ready?}]}
    statuses:
      - {sha: c2, creator: bob, state: pending, context: CI}
      - {sha: c2, creator: bob, state: success, context: ci, description: Built, target_url: "https://ci.example/1"}
      - {sha: c1, creator: bob, state: failure}
    check_runs:
      - {app: lint, head_sha: c2, name: style, conclusion: neutral, completed_at: 2026-03-09T08:30:00Z}
      - app: lint
        head_sha: c2
        name: style
        conclusion: failure
        output:
          title: One remark
          summary: See below.
          annotations: [{path: a.txt, start_line: 1, end_line: 1, annotation_level: warning, message: Too short}]
apps: [{slug: lint, owner: alice}]
"#;

#[tokio::test]
async fn conversations_and_reports_are_loaded_once() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup.load(WORLD).await;
        let reads = setup.db.reads();
        let comments = issue_comment::Entity::find();
        let comments = comments.order_by_asc(issue_comment::Column::Id);
        let comments = comments.all(reads).await.unwrap();
        let first = comments.iter().find(|row| row.id == 70).unwrap();
        assert_eq!(comments.len(), 4);
        assert!(first.body_html.contains("<strong>them</strong>"));
        let created = Timestamp::parse("2026-03-09T08:00:00Z").unwrap().0;
        assert_eq!((first.created_at, first.updated_at), (created, created));
        let issues = issue::Entity::find().order_by_asc(issue::Column::Number);
        let counts = issues.all(reads).await.unwrap();
        let counts: Vec<_> = counts.iter().map(|row| row.comments).collect();
        assert_eq!(counts, [1, 3]);

        let statuses = commit_status::Entity::find();
        let statuses = statuses.order_by_asc(commit_status::Column::Id);
        let statuses = statuses.all(reads).await.unwrap();
        let marks: Vec<_> = statuses
            .iter()
            .map(|row| (&*row.context, row.latest))
            .collect();
        assert_eq!(marks, [("CI", false), ("ci", true), ("default", true)]);

        let suites = check_suite::Entity::find().all(reads).await.unwrap();
        assert_eq!(suites.len(), 1);
        assert_eq!(suites[0].head_branch.as_deref(), Some("topic"));
        let runs = check_run::Entity::find().order_by_asc(check_run::Column::Id);
        let runs = runs.all(reads).await.unwrap();
        let marks: Vec<_> = runs
            .iter()
            .map(|row| (row.annotations, row.latest))
            .collect();
        assert_eq!(marks, [(0, false), (1, true)]);
        let annotations = check_annotation::Entity::find().all(reads).await.unwrap();
        assert_eq!(annotations[0].message, "Too short");

        let before = dump(&setup.db).await;
        setup.clock.advance(100);
        let again = setup.load(WORLD).await;
        assert_eq!((again.added, again.changed), (0, 0));
        assert_eq!(dump(&setup.db).await, before);
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_comment_with_an_id_is_edited_and_a_changed_report_is_created_again() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup.load(WORLD).await;
        let text = WORLD.replace("All of **them**.", "None.");
        let text = text.replace("description: Built", "description: Built again");
        let again = setup.load(&text).await;
        assert_eq!((again.added, again.changed), (1, 1));
        let comment = issue_comment::Entity::find_by_id(70).one(setup.db.reads());
        assert_eq!(comment.await.unwrap().unwrap().body, "None.");
        let sql = "UPDATE check_run SET conclusion = 'success' WHERE conclusion = 'failure'";
        let transaction = setup.db.begin().await.unwrap();
        transaction.execute_unprepared(sql).await.unwrap();
        transaction.commit().await.unwrap();
        let again = setup.load(&text).await;
        let created: Vec<_> = again.created.iter().map(|created| created.kind).collect();
        assert_eq!((created, again.changed), (vec!["check run"], 0));
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn validation_errors_of_the_api_are_reported_with_their_position() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        let absent = "0".repeat(40);
        for (right, wrong, expected) in [
            ("body: All of **them**.", "body: ' '", "14:"),
            (
                "sha: c2, creator: bob, state: pending",
                "sha: c3, creator: bob, state: pending",
                "20:15: no commit `c3`",
            ),
            ("state: pending", "state: waiting", "20:"),
            ("description: Built", "descripton: Built", "21:"),
            ("https://ci.example/1", "ftp://ci.example/1", "21:"),
            (
                "creator: bob, state: failure",
                "creator: eve, state: failure",
                "22:",
            ),
            (
                "- {app: lint, head_sha: c2",
                "- {app: lnt, head_sha: c2",
                "24:15: no app `lnt`",
            ),
            ("conclusion: failure", "status: completed", "25:"),
            (
                "end_line: 1,",
                "end_line: 0,",
                "25:9: annotations: end_line",
            ),
            ("id: 70", "id: none", "14:"),
            ("sha: c1", &format!("sha: '{absent}'"), "22:15: no commit"),
        ] {
            let text = WORLD.replacen(right, wrong, 1);
            assert_ne!(text, WORLD, "{right}");
            let error = setup.load_error(&text).await;
            let expected = format!("world.yaml:{expected}");
            assert!(error.contains(&expected), "{wrong}: {error}");
        }
        setup.db.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_id_belongs_to_one_comment() {
    with_database(async |url: &str| {
        let setup = Setup::new(url).await;
        setup.load(WORLD).await;
        let moved = WORLD.replace("{id: 70, author", "{author");
        let moved = moved.replace(
            "[{author: alice, body: Ready?",
            "[{id: 70, author: alice, body: Ready?",
        );
        let error = setup.load_error(&moved).await;
        assert!(error.contains("the comment id `70` is taken"), "{error}");
        let twice = WORLD.replace(
            "- {author: bob, body: \"+1\"}",
            "- {id: 70, author: bob, body: \"+1\"}",
        );
        let error = setup.load_error(&twice).await;
        assert!(error.contains("duplicate comment id `70`"), "{error}");
        setup.db.close().await.unwrap();
    })
    .await;
}
