//! Queueing events in a transaction, which queues all of them or none; and the events that
//! more than one area sends.

use forge::events::{self, Origin};
use forge::events::{Event, PullAction, PullChanges, ReviewAction};
use forge::urls::Urls;
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use storage::entities::{account, pull, repository};

use super::{Queued, names, start};
use crate::harness::Service;

/// What the events of these tests are about: a pull request in acme/gadgets.
pub struct PullFixture {
    repository: repository::Model,
    owner: account::Model,
    pull: pull::Model,
}

impl PullFixture {
    pub async fn load(service: &Service) -> Self {
        let reads = service.app.db.reads();
        let repository = repository::Entity::find_by_id(2001).one(reads).await;
        let owner = account::Entity::find_by_id(1004).one(reads).await;
        let pull = pull::Entity::find_by_id(8001).one(reads).await;
        Self {
            repository: repository.unwrap().unwrap(),
            owner: owner.unwrap().unwrap(),
            pull: pull.unwrap().unwrap(),
        }
    }

    pub fn origin<'a>(&'a self, service: &'a Service) -> Origin<'a> {
        Origin {
            outbox: &service.app.outbox,
            repository: &self.repository,
            owner: &self.owner,
            sender: Some(1001),
            urls: Urls {
                api: "http://forge.test".into(),
                web: "http://forge.test".into(),
            },
            now: 1_773_135_000,
            audience: None,
        }
    }

    /// Queues an event. Returns what the queue has then, and empties it.
    async fn queue(&self, service: &Service, event: Event<'_>) -> Vec<Queued> {
        let on = service.app.db.begin().await.unwrap();
        let origin = self.origin(service);
        events::queue(&on, &origin, event).await.unwrap();
        on.commit().await.unwrap();
        let queued = service.queued().await;
        service.execute("DELETE FROM webhook_delivery").await;
        queued
    }
}

#[tokio::test]
async fn a_rolled_back_transaction_queues_no_event() {
    let service = start().await;
    let fixture = PullFixture::load(&service).await;
    let on = service.app.db.begin().await.unwrap();
    let origin = fixture.origin(&service);
    let event = Event::Create("refs/heads/new");
    events::queue(&on, &origin, event).await.unwrap();
    on.rollback().await.unwrap();
    assert_eq!(names(&service.queued().await), []);
    let event = Event::Create("refs/heads/new");
    assert_eq!(
        names(&fixture.queue(&service, event).await),
        [(6001, "create")]
    );
}

#[tokio::test]
async fn each_pull_request_action_has_its_own_payload() {
    let service = start().await;
    let fixture = PullFixture::load(&service).await;
    let changes = PullChanges {
        title: Some("Before".to_owned()),
        body: Some(String::new()),
        base: Some(("old".to_owned(), "0".repeat(40))),
    };
    let expected = json!({
        "title": {"from": "Before"},
        "body": {"from": ""},
        "base": {"ref": {"from": "old"}, "sha": {"from": "0".repeat(40)}},
    });
    for (action, word, changes) in [
        (PullAction::Opened, "opened", Value::Null),
        (PullAction::Edited(changes), "edited", expected),
        (PullAction::Reopened, "reopened", Value::Null),
    ] {
        let pull = &fixture.pull;
        let queued = fixture
            .queue(&service, Event::PullRequest { action, pull })
            .await;
        let name = format!("pull_request.{word}");
        assert_eq!(names(&queued), [(6001, &*name), (6002, &*name)]);
        let payload = &queued[0].payload;
        assert_eq!(
            (&payload["action"], &payload["number"]),
            (&json!(word), &json!(1))
        );
        assert_eq!(payload["changes"], changes);
        let shown = &payload["pull_request"];
        assert_eq!(shown["title"], "Use a digit");
        let size = ["commits", "additions", "deletions", "changed_files"];
        assert_eq!(
            size.map(|field| shown[field].as_i64()),
            [1, 2, 2, 3].map(Some)
        );
        assert_eq!(shown["user"]["login"], "bob");
    }
}

#[tokio::test]
async fn a_review_event_has_the_webhook_form_of_the_review() {
    let service = start().await;
    let subscribe = "UPDATE installation SET events = '[\"pull_request_review\"]' WHERE id = 7001";
    service.execute(subscribe).await;
    let fixture = PullFixture::load(&service).await;
    for (action, word) in [
        (ReviewAction::Submitted, "submitted"),
        (
            ReviewAction::Edited {
                before: Some("Hm".to_owned()),
            },
            "edited",
        ),
        (ReviewAction::Dismissed, "dismissed"),
    ] {
        let event = Event::Review {
            action,
            review: json!({"id": 5, "state": "APPROVED", "body": "Fine"}),
            pull: &fixture.pull,
        };
        let queued = fixture.queue(&service, event).await;
        assert_eq!(
            names(&queued),
            [(6001, &*format!("pull_request_review.{word}"))]
        );
        let payload = &queued[0].payload;
        assert_eq!(payload["review"]["state"], "approved");
        assert_eq!(payload["pull_request"]["number"], 1);
        assert_eq!(payload["pull_request"].get("additions"), None);
        let before = payload["changes"]["body"]["from"].as_str();
        assert_eq!(before, (word == "edited").then_some("Hm"));
    }
}
