//! Pull requests when their branch moves or is deleted, and their own references.

use sea_orm::EntityTrait;
use serde_json::json;
use storage::entities::git_object::ObjectKind;
use storage::entities::pull;

use super::seed::{GADGETS, gadgets, insert_ref, open_pull};
use super::{MATCHING, REF, REFS, names, sha_of};
use crate::harness::Service;

async fn pull(service: &Service, id: i64) -> pull::Model {
    pull::Entity::find_by_id(id)
        .one(service.app.db.reads())
        .await
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn update_ref_200_updates_the_head_of_open_pull_requests() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let affected = open_pull(&service, 1, "side", &history.side).await;
    let other = open_pull(&service, 2, "other", &history.side).await;
    let body = json!({"sha": history.ahead, "force": true});
    alice
        .patch(&format!("{REFS}/heads/side"), body.clone())
        .await
        .expect(200);
    let now = service.app.clock.now().0;
    let row = pull(&service, affected).await;
    assert_eq!((row.head_sha, row.updated_at), (history.ahead.clone(), now));
    assert_eq!(row.base_sha, history.side);
    assert_eq!(row.state, pull::PullState::Open);
    let row = pull(&service, other).await;
    assert_eq!((row.head_sha, row.updated_at), (history.side.clone(), 1));
    service.clock.advance(5);
    alice
        .patch(&format!("{REFS}/heads/side"), body)
        .await
        .expect(200);
    assert_eq!(
        pull(&service, affected).await.updated_at,
        now,
        "nothing moved"
    );
    let body = json!({"sha": history.root, "force": true});
    alice
        .patch(&format!("{REFS}/tags/v1"), body)
        .await
        .expect(200);
    assert_eq!(pull(&service, affected).await.head_sha, history.ahead);
}

#[tokio::test]
async fn delete_ref_204_closes_open_pull_requests_for_good() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    let affected = open_pull(&service, 1, "side", &history.side).await;
    let other = open_pull(&service, 2, "main", &history.main).await;
    alice
        .delete(&format!("{REFS}/heads/side"))
        .await
        .expect(204);
    let now = Some(service.app.clock.now().0);
    let row = pull(&service, affected).await;
    assert_eq!((row.state, row.closed_at), (pull::PullState::Closed, now));
    assert_eq!((row.head_sha, row.merged_at), (history.side, None));
    assert_eq!(pull(&service, other).await.state, pull::PullState::Open);
    let body = json!({"ref": "refs/heads/side", "sha": history.ahead});
    alice.post(REFS, body).await.expect(201);
    assert_eq!(
        pull(&service, affected).await.state,
        pull::PullState::Closed
    );
}

#[tokio::test]
async fn list_matching_refs_200_includes_the_heads_of_pull_requests() {
    let (service, history) = gadgets().await;
    let body = json!({"sha": history.ahead, "force": true});
    let (alice, tag) = (service.as_("alice-classic"), format!("{REFS}/tags/v1"));
    alice.patch(&tag, body).await.expect(200);
    service.clock.advance(5);
    let before = service.anonymous().get(MATCHING).await.expect(200);
    assert!(before.header("last-modified").is_some());
    for (number, sha) in [(2, &history.side), (10, &history.main)] {
        open_pull(&service, number, "side", sha).await;
    }
    let after = service.anonymous().get(MATCHING).await.expect(200);
    assert_eq!(names(&after).len(), names(&before).len() + 2);
    let kind = ObjectKind::Commit;
    for name in ["refs/notes/a", "refs/pull/2/head", "refs/pull/3/merge"] {
        insert_ref(&service, GADGETS, name, &history.root, kind).await;
    }
    let pulls = ["refs/pull/10/head", "refs/pull/2/head", "refs/pull/3/merge"];
    for (prefix, expected) in [
        ("pull", &pulls[..]),
        ("pull/", &pulls),
        ("p", &pulls),
        ("pull/2", &pulls[1..2]),
    ] {
        let path = format!("{MATCHING}/{prefix}");
        let answer = service.anonymous().get(&path).await.expect(200);
        assert_eq!(names(&answer), expected, "{prefix}");
    }
    let all = service.anonymous().get(MATCHING).await.expect(200);
    let mut expected = vec!["refs/heads/main", "refs/heads/side", "refs/notes/a"];
    expected.extend(pulls);
    expected.push("refs/tags/v1");
    assert_eq!(names(&all), expected);
    // A new pull request changes the list without a push.
    assert_eq!(all.header("last-modified"), None);
    assert_eq!(sha_of(&service, "pull/2/head").await, Some(history.side));
}

#[tokio::test]
async fn get_ref_200_for_the_head_of_a_pull_request() {
    let (service, history) = gadgets().await;
    let path = format!("{REF}/pull/1/head");
    service.anonymous().get(&path).await.expect(404);
    open_pull(&service, 1, "side", &history.side).await;
    let answer = service.anonymous().get(&path).await.expect(200);
    let found = answer.json();
    assert_eq!(found["ref"], "refs/pull/1/head");
    assert_eq!(found["object"]["type"], "commit");
    assert_eq!(found["object"]["sha"], history.side.as_str());
    let body = json!({"sha": history.ahead, "force": true});
    let alice = service.as_("alice-classic");
    let side = format!("{REFS}/heads/side");
    alice.patch(&side, body).await.expect(200);
    let moved = sha_of(&service, "pull/1/head").await;
    assert_eq!(moved, Some(history.ahead.clone()));
    let commits = "/repos/acme/gadgets/commits";
    for name in ["refs/pull/1/head", "pull/1/head"] {
        let answer = service.anonymous().get(&format!("{commits}/{name}")).await;
        let found = answer.expect(200).json();
        assert_eq!(found["sha"], history.ahead.as_str(), "{name}");
    }
    for other in ["pull/1/merge", "pull/01/head", "pull/2/head"] {
        assert_eq!(sha_of(&service, other).await, None, "{other}");
    }
}

#[tokio::test]
async fn the_references_of_pull_requests_are_read_only() {
    let (service, history) = gadgets().await;
    let alice = service.as_("alice-classic");
    open_pull(&service, 1, "side", &history.side).await;
    let kind = ObjectKind::Commit;
    insert_ref(&service, GADGETS, "refs/pull/7/head", &history.side, kind).await;
    for number in [1, 7, 8] {
        let name = format!("refs/pull/{number}/head");
        let path = format!("{REFS}/pull/{number}/head");
        let body = json!({"ref": name, "sha": history.main});
        let created = alice.post(REFS, body).await.expect(422);
        let body = json!({"sha": history.main, "force": true});
        let moved = alice.patch(&path, body).await.expect(422);
        let deleted = alice.delete(&path).await.expect(422);
        for answer in [created, moved, deleted] {
            assert_eq!(answer.message(), "Reference update failed", "{name}");
        }
    }
    for number in [1, 7] {
        let name = format!("pull/{number}/head");
        assert_eq!(sha_of(&service, &name).await, Some(history.side.clone()));
    }
}
