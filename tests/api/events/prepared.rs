//! Deliveries that the server prepares before the statement that writes them with their reference.

use forge::events::{self, Event, RefUpdate};
use git::target::RefTarget;
use sea_orm::{ConnectionTrait, DbBackend};
use serde_json::{Value, json};
use storage::entities::git_object::ObjectKind;

use super::queueing::PullFixture;
use super::references::{create, sha};
use super::start;
use crate::harness::Service;
use crate::support::queries::counted;

/// The payloads of all deliveries, as they are sent. Deletes them.
async fn payloads(service: &Service) -> Vec<String> {
    let deliveries = service.deliveries().await.into_iter();
    let payloads = deliveries.map(|row| row.payload).collect();
    service.execute("DELETE FROM webhook_delivery").await;
    payloads
}

/// A commit that no reference has.
async fn new_commit(service: &Service, parent: &str) -> String {
    let commits = "/repos/acme/gadgets/git/commits";
    let parent_commit = service
        .as_("alice")
        .get(&format!("{commits}/{parent}"))
        .await;
    let tree = parent_commit.expect(200).json()["tree"]["sha"].clone();
    let body = json!({"message": "New \"one\"", "tree": tree, "parents": [parent]});
    let made = service.as_("alice").post(commits, body).await.expect(201);
    made.json()["sha"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn create_ref_201_sends_the_payloads_that_a_transaction_builds() {
    let service = start().await;
    let [main, topic] = [sha(&service, "main").await, sha(&service, "topic").await];
    let new = new_commit(&service, &topic).await;
    for (name, sha) in [
        ("refs/heads/from-main", &main),
        ("refs/heads/again", &main),
        ("refs/heads/\"quotes\"-é", &topic),
        ("refs/tags/v1", &topic),
        ("refs/heads/new", &new),
        ("refs/tags/new", &new),
    ] {
        create(&service, name, sha).await;
        let prepared = payloads(&service).await;
        let target = RefTarget {
            sha: sha.parse().unwrap(),
            kind: ObjectKind::Commit,
        };
        let update = RefUpdate {
            name,
            before: None,
            after: Some(target),
        };
        let fixture = PullFixture::load(&service).await;
        let mut origin = fixture.origin(&service);
        let first: Value = serde_json::from_str(&prepared[0]).unwrap();
        let url = first["repository"]["url"].as_str().unwrap();
        let host = url.split_once("/repos/").unwrap().0;
        origin.urls.api = host.to_owned();
        origin.urls.web = host.to_owned();
        let on = service.app.db.begin().await.unwrap();
        let both = [Event::Create(name), Event::Push(update)];
        events::queue_all(&on, &origin, &both).await.unwrap();
        on.commit().await.unwrap();
        assert_eq!(prepared, payloads(&service).await, "{name}");
    }
}

#[tokio::test]
async fn create_ref_201_sends_the_state_of_its_moment() {
    let service = start().await;
    let main = sha(&service, "main").await;
    create(&service, "refs/heads/one", &main).await;
    let changes = [
        "UPDATE repository SET description = 'changed' WHERE id = 2001",
        "UPDATE account SET login = 'alicia', login_key = 'alicia' WHERE id = 1001",
        "DELETE FROM git_ref WHERE name = 'refs/heads/later'",
    ];
    for (number, change) in changes.iter().enumerate() {
        service.execute(change).await;
        create(&service, &format!("refs/heads/after-{number}"), &main).await;
    }
    let sent = payloads(&service).await;
    let sent: Vec<Value> = sent
        .iter()
        .map(|text| serde_json::from_str(text).unwrap())
        .collect();
    assert_eq!(sent[1]["repository"]["description"], Value::Null);
    assert_eq!(sent[1]["sender"]["login"], "alice");
    for push in &sent[2..] {
        assert_eq!(push["repository"]["description"], "changed");
    }
    for push in &sent[4..] {
        assert_eq!(push["sender"]["login"], "alicia");
    }
    assert_eq!(sent[7]["base_ref"], "refs/heads/after-0");
}

fn is_on_sqlite(service: &Service) -> bool {
    service.app.db.reads().get_database_backend() == DbBackend::Sqlite
}

/// References and issues are created at the same time, and share commits. A payload that was
/// prepared before another change must not be sent after it. On PostgreSQL, ids are not in the
/// order of the commits.
#[tokio::test]
async fn create_ref_201_counts_the_issues_that_were_opened_before() {
    let service = start().await;
    if !is_on_sqlite(&service) {
        return;
    }
    service
        .execute(
            r#"UPDATE installation SET events = '["push", "issues"]',
                permissions = '{"contents": "read", "issues": "read"}' WHERE id = 7001"#,
        )
        .await;
    let main = sha(&service, "main").await;
    let refs = async |part: usize| {
        for number in 0..10 {
            create(&service, &format!("refs/heads/{part}-{number}"), &main).await;
        }
    };
    let issues = async || {
        for number in 0..10 {
            let body = json!({"title": format!("Issue {number}")});
            let path = "/repos/acme/gadgets/issues";
            service.as_("alice").post(path, body).await.expect(201);
        }
    };
    tokio::join!(refs(0), refs(1), issues(), refs(2), issues());
    // The pull request of the world.
    let mut open = 1;
    let queued = service.queued().await;
    assert_eq!(queued.len(), 50);
    for event in queued {
        open += i64::from(event.name == "issues.opened");
        assert_eq!(event.payload["repository"]["open_issues"], open);
    }
}

/// The queries of a request that creates a reference.
async fn queries(service: &Service, name: &str, sha: &str) -> u64 {
    counted(create(service, name, sha)).await.1
}

#[tokio::test]
async fn create_ref_201_takes_as_many_queries_with_a_listener_as_without() {
    let service = start().await;
    if !is_on_sqlite(&service) {
        return;
    }
    let main = sha(&service, "main").await;
    create(&service, "refs/heads/first", &main).await;
    let with = queries(&service, "refs/heads/with", &main).await;
    assert_eq!(payloads(&service).await.len(), 4);
    service
        .execute("UPDATE installation SET events = '[]'")
        .await;
    create(&service, "refs/heads/second", &main).await;
    let without = queries(&service, "refs/heads/without", &main).await;
    assert_eq!(payloads(&service).await.len(), 0);
    assert!(without > 0);
    assert_eq!(with, without);
}
