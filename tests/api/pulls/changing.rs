//! Changing pull requests: texts, base and state.

use poem::http::Method;
use serde_json::json;

use super::{PULLS, REFS, custom, invalid, merge, opened, pull, refused, start, tip};

#[tokio::test]
async fn update_pull_200_changes_what_is_given() {
    let service = start().await;
    opened(&service, "bob-classic", "topic").await;
    service.clock.advance(5);
    let path = format!("{PULLS}/1");
    let body = json!({"title": "Better", "body": "Because."});
    let made = service
        .as_("bob-classic")
        .patch(&path, body)
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&made["title"], &made["body"]),
        (&json!("Better"), &json!("Because."))
    );
    assert_ne!(made["updated_at"], made["created_at"]);
    let body = json!({"body": null, "maintainer_can_modify": true});
    let made = service
        .as_("carol")
        .patch(&path, body)
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&made["title"], &made["body"]),
        (&json!("Better"), &json!(null))
    );
    assert_eq!(made["maintainer_can_modify"], true);
    let same = service
        .as_("bob-classic")
        .send(Method::PATCH, &path, None)
        .await;
    assert_eq!(same.expect(200).json(), made);
    assert_eq!(pull(&service, &json!(1)).await, made);
}

#[tokio::test]
async fn update_pull_200_with_another_base() {
    let service = start().await;
    opened(&service, "bob-classic", "topic").await;
    let path = format!("{PULLS}/1");
    let body = json!({"base": "first"});
    let made = service
        .as_("bob-classic")
        .patch(&path, body)
        .await
        .expect(200)
        .json();
    assert_eq!(made["base"]["ref"], "first");
    assert_eq!(made["base"]["sha"], tip(&service, "first").await);
    assert_eq!(made["commits"], 1);
}

#[tokio::test]
async fn update_pull_200_closes_and_reopens() {
    let service = start().await;
    opened(&service, "bob-classic", "topic").await;
    let path = format!("{PULLS}/1");
    let bob = service.as_("bob-classic");
    let closed = bob
        .patch(&path, json!({"state": "closed"}))
        .await
        .expect(200)
        .json();
    assert_eq!(closed["state"], "closed");
    assert_eq!(
        (&closed["merged"], &closed["mergeable"]),
        (&json!(false), &json!(null))
    );
    assert_eq!(closed["closed_at"], closed["updated_at"]);
    let reopened = bob
        .patch(&path, json!({"state": "open"}))
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&reopened["state"], &reopened["closed_at"]),
        (&json!("open"), &json!(null))
    );
}

#[tokio::test]
async fn update_pull_403_for_those_who_neither_wrote_it_nor_may_write() {
    let service = start().await;
    opened(&service, "alice", "topic").await;
    let path = format!("{PULLS}/1");
    let body = json!({"title": "Mine"});
    for token in ["dave-classic", "mallory", "alice-reads"] {
        service
            .as_(token)
            .patch(&path, body.clone())
            .await
            .expect(403);
    }
    let attic = "/repos/acme/attic/pulls/1";
    service.as_("alice").patch(attic, body).await.expect(403);
}

#[tokio::test]
async fn update_pull_404_when_absent_or_hidden() {
    let service = start().await;
    let body = json!({"title": "Mine"});
    let absent = format!("{PULLS}/9");
    service
        .as_("alice")
        .patch(&absent, body.clone())
        .await
        .expect(404);
    let hidden = "/repos/acme/widgets/pulls/1";
    service.as_("mallory").patch(hidden, body).await.expect(404);
}

#[tokio::test]
async fn update_pull_422_for_a_base_that_cannot_be() {
    let service = start().await;
    opened(&service, "alice", "topic").await;
    let alice = service.as_("alice");
    let body = json!({"title": "Elsewhere", "head": "topic", "base": "old"});
    alice.post(PULLS, body).await.expect(201);
    let path = format!("{PULLS}/1");
    let no_commits = "There are no new commits between base branch 'topic' and head branch 'topic'";
    let exists = "A pull request already exists for base branch 'old' and head branch 'topic'";
    for (base, message) in [
        ("nowhere", "Proposed base branch 'nowhere' was not found"),
        ("topic", no_commits),
        ("old", exists),
    ] {
        let answer = alice.patch(&path, json!({"base": base})).await.expect(422);
        assert_eq!(refused(&answer), invalid("base", message));
    }
    let body = json!({"base": "first", "state": "closed"});
    let answer = alice.patch(&path, body).await.expect(422);
    let closed = "Cannot change the base branch of a closed pull request.";
    assert_eq!(refused(&answer), invalid("base", closed));
    let answer = alice.patch(&path, json!({"title": ""})).await.expect(422);
    assert_eq!(refused(&answer), custom("title", "title can't be blank"));
    assert_eq!(
        pull(&service, &json!(1)).await["state"],
        "open",
        "nothing changed"
    );
}

#[tokio::test]
async fn update_pull_422_when_it_cannot_be_reopened() {
    let service = start().await;
    let alice = service.as_("alice");
    let refusal = |message: &str| invalid("state", &format!("state cannot be changed. {message}"));
    let reopen = |number: u8| {
        let path = format!("{PULLS}/{number}");
        let alice = &alice;
        async move {
            alice
                .patch(&path, json!({"state": "open"}))
                .await
                .expect(422)
        }
    };
    let first = opened(&service, "alice", "clash").await;
    let sha = tip(&service, "clash").await;
    alice
        .delete(&format!("{REFS}/heads/clash"))
        .await
        .expect(204);
    let deleted = "The clash branch has been deleted.";
    assert_eq!(refused(&reopen(1).await), refusal(deleted));
    let other = json!({"ref": "refs/heads/clash", "sha": tip(&service, "topic").await});
    alice.post(REFS, other).await.expect(201);
    let recreated = "The clash branch was force-pushed or recreated.";
    assert_eq!(refused(&reopen(1).await), refusal(recreated));
    let back = json!({"sha": sha, "force": true});
    alice
        .patch(&format!("{REFS}/heads/clash"), back)
        .await
        .expect(200);
    let path = format!("{PULLS}/{}", first["number"]);
    alice
        .patch(&path, json!({"state": "open"}))
        .await
        .expect(200);
    alice
        .patch(&path, json!({"state": "closed"}))
        .await
        .expect(200);
    opened(&service, "alice", "clash").await;
    let exists = "There is already an open pull request from acme:clash.";
    assert_eq!(refused(&reopen(1).await), refusal(exists));
    let third = opened(&service, "alice", "topic").await;
    merge(&service, "alice", &third["number"], json!({}))
        .await
        .expect(200);
    let merged = "The pull request cannot be reopened.";
    assert_eq!(refused(&reopen(3).await), refusal(merged));
}
