//! Events of branches and tags.

use serde_json::{Value, json};

use super::{names, start};
use crate::commits::long::{long_commits, long_message};
use crate::harness::Service;

const REFS: &str = "/repos/acme/gadgets/git/refs";
const ZERO_SHA: &str = "0000000000000000000000000000000000000000";

pub async fn sha(service: &Service, branch: &str) -> String {
    let path = format!("/repos/acme/gadgets/git/ref/heads/{branch}");
    let answer = service.as_("alice").get(&path).await.expect(200);
    answer.json()["object"]["sha"].as_str().unwrap().to_owned()
}

pub async fn create(service: &Service, name: &str, sha: &str) {
    let body = json!({"ref": name, "sha": sha});
    service.as_("alice").post(REFS, body).await.expect(201);
}

#[tokio::test]
async fn create_ref_201_sends_create_and_push_to_subscribed_apps() {
    let service = start().await;
    let topic = sha(&service, "topic").await;
    create(&service, "refs/heads/new/one", &topic).await;
    let queued = service.queued().await;
    assert_eq!(names(&queued), [(6001, "create"), (6001, "push")]);
    let created = &queued[0].payload;
    assert_eq!(created["ref"], "new/one");
    assert_eq!(created["ref_type"], "branch");
    assert_eq!(created["master_branch"], "main");
    assert_eq!(created["sender"]["login"], "alice");
    assert_eq!(created["installation"]["id"], 7001);
    let push = &queued[1].payload;
    assert_eq!(push["ref"], "refs/heads/new/one");
    assert_eq!(
        (&push["before"], &push["after"]),
        (&json!(ZERO_SHA), &json!(topic))
    );
    assert_eq!(push["created"], true);
    assert_eq!(push["base_ref"], "refs/heads/topic");
    assert_eq!(push["commits"], json!([]));
    assert_eq!(push["head_commit"]["id"], *topic);
    assert_eq!(push["head_commit"]["distinct"], false);
    assert_eq!(push["pusher"]["name"], "alice");
    let compare = push["compare"].as_str().unwrap();
    assert!(
        compare.ends_with("/acme/gadgets/compare/new/one"),
        "{compare}"
    );
}

/// The messages are small in the database, and six times as large as JSON.
#[tokio::test]
async fn an_event_of_long_commits_is_not_sent() {
    let service = start().await;
    let main = sha(&service, "main").await;
    let made = long_commits(&service, "alice", &main, 30).await;
    create(&service, "refs/heads/few", &made[1]).await;
    let queued = service.queued().await;
    assert_eq!(names(&queued), [(6001, "create"), (6001, "push")]);
    assert_eq!(queued[1].payload["commits"][0]["message"], long_message());
    create(&service, "refs/heads/many", &made[29]).await;
    assert_eq!(names(&service.queued().await[2..]), [(6001, "create")]);
}

#[tokio::test]
async fn create_ref_201_sends_events_for_tags_but_not_for_other_references() {
    let service = start().await;
    let main = sha(&service, "main").await;
    create(&service, "refs/tags/v1", &main).await;
    create(&service, "refs/other/thing", &main).await;
    let queued = service.queued().await;
    assert_eq!(names(&queued), [(6001, "create"), (6001, "push")]);
    assert_eq!(queued[0].payload["ref_type"], "tag");
    assert_eq!(queued[1].payload["base_ref"], "refs/heads/main");
}

#[tokio::test]
async fn create_ref_422_sends_no_event() {
    let service = start().await;
    let main = sha(&service, "main").await;
    for name in ["refs/heads/topic", "refs/heads/topic/below"] {
        let body = json!({"ref": name, "sha": main});
        service.as_("alice").post(REFS, body).await.expect(422);
    }
    assert_eq!(names(&service.queued().await), []);
}

#[tokio::test]
async fn create_ref_201_sends_events_as_soon_as_an_app_subscribes() {
    let service = start().await;
    service
        .execute("UPDATE installation SET events = '[]'")
        .await;
    let main = sha(&service, "main").await;
    create(&service, "refs/heads/before", &main).await;
    assert_eq!(names(&service.queued().await), []);
    service
        .execute("UPDATE installation SET events = '[\"create\"]' WHERE id = 7001")
        .await;
    create(&service, "refs/heads/after", &main).await;
    let queued = service.queued().await;
    assert_eq!(names(&queued), [(6001, "create")]);
    assert_eq!(queued[0].payload["ref"], "after");
    service
        .execute("UPDATE installation SET suspended_at = 1 WHERE id = 7001")
        .await;
    create(&service, "refs/heads/suspended", &main).await;
    assert_eq!(service.queued().await.len(), 1);
}

#[tokio::test]
async fn update_ref_200_sends_push_and_synchronize_events() {
    let service = start().await;
    let [topic, later] = [sha(&service, "topic").await, sha(&service, "later").await];
    service
        .as_("alice")
        .delete(&format!("{REFS}/heads/later"))
        .await
        .expect(204);
    service.execute("DELETE FROM webhook_delivery").await;
    let body = json!({"sha": later});
    let path = format!("{REFS}/heads/topic");
    service.as_("alice").patch(&path, body).await.expect(200);
    let queued = service.queued().await;
    let synchronized = "pull_request.synchronize";
    let expected = [(6001, "push"), (6001, synchronized), (6002, synchronized)];
    assert_eq!(names(&queued), expected);
    let push = &queued[0].payload;
    assert_eq!(
        (&push["before"], &push["after"]),
        (&json!(topic), &json!(later))
    );
    assert_eq!(push["forced"], false);
    assert_eq!(push["base_ref"], Value::Null);
    let compare = format!("/acme/gadgets/compare/{}...{}", &topic[..12], &later[..12]);
    assert!(push["compare"].as_str().unwrap().ends_with(&compare));
    let [commit] = push["commits"].as_array().unwrap().as_slice() else {
        panic!("{}", push["commits"])
    };
    assert_eq!(commit["id"], *later);
    assert_eq!(commit["message"], "Once more");
    assert_eq!(commit["distinct"], true);
    assert_eq!(commit["author"]["username"], "bob");
    assert_eq!(commit["modified"], json!(["README.md"]));
    assert_eq!(*commit, push["head_commit"]);
    let pull = &queued[1].payload;
    assert_eq!(
        (&pull["before"], &pull["after"]),
        (&json!(topic), &json!(later))
    );
    assert_eq!(pull["pull_request"]["head"]["sha"], *later);
    assert_eq!(pull["pull_request"]["commits"], 2);
    assert_eq!(queued[2].payload["installation"]["id"], 7002);
}

#[tokio::test]
async fn update_ref_200_sends_only_the_new_commits_of_a_forced_push() {
    let service = start().await;
    let [main, topic] = [sha(&service, "main").await, sha(&service, "topic").await];
    let path = format!("{REFS}/heads/topic");
    let back = json!({"sha": main, "force": true});
    service.as_("alice").patch(&path, back).await.expect(200);
    let forth = json!({"sha": topic});
    service.as_("alice").patch(&path, forth).await.expect(200);
    let queued = service.queued().await;
    let pushes: Vec<_> = queued.iter().filter(|event| event.name == "push").collect();
    assert_eq!(pushes[0].payload["forced"], true);
    assert_eq!(pushes[0].payload["commits"], json!([]));
    let commit = &pushes[1].payload["commits"][0];
    assert_eq!(commit["added"], json!(["src/new.txt"]));
    assert_eq!(commit["removed"], json!(["old.txt"]));
    assert_eq!(commit["modified"], json!(["README.md"]));
    assert_eq!(commit["distinct"], false, "the branch `later` has it");
}

#[tokio::test]
async fn delete_ref_204_sends_events_for_the_branch_and_the_pull_requests_that_it_closes() {
    let service = start().await;
    let topic = sha(&service, "topic").await;
    service
        .as_("alice")
        .delete(&format!("{REFS}/heads/topic"))
        .await
        .expect(204);
    let queued = service.queued().await;
    let closed = "pull_request.closed";
    let expected = [
        (6001, "delete"),
        (6001, "push"),
        (6001, closed),
        (6002, closed),
    ];
    assert_eq!(names(&queued), expected);
    assert_eq!(queued[0].payload["ref"], "topic");
    let push = &queued[1].payload;
    assert_eq!(
        (&push["before"], &push["after"]),
        (&json!(topic), &json!(ZERO_SHA))
    );
    assert_eq!(push["deleted"], true);
    assert_eq!(push["head_commit"], Value::Null);
    let pull = &queued[2].payload["pull_request"];
    assert_eq!(pull["state"], "closed");
    assert_eq!(pull["merged"], false);
}
